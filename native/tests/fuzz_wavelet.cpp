// The wavelet matrices under random operations and arbitrary bytes. With clang, libFuzzer draws the
// bytes (-fsanitize=fuzzer); elsewhere, with -DHIPPO_DRIVER, `fuzz_wavelet [seconds [seed]]` does.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "wavelet.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wavelet_test::exercise(data, size);
  return 0;
}

#if defined(HIPPO_DRIVER)
int main(int count, char** arguments) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = std::chrono::seconds(count > 1 ? std::atoi(arguments[1]) : 60);
  auto seed = static_cast<unsigned>(count > 2 ? std::atoi(arguments[2]) : 1);
  const auto end = Clock::now() + seconds;
  unsigned runs = 0;
  for (; Clock::now() < end; ++runs, ++seed) {
    std::mt19937 random{seed};
    std::vector<std::uint8_t> bytes(random() % (random() % 4 == 0 ? 20000 : 600));
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    if (runs % 500 == 0) {  // what goes wrong then is found again from here
      std::printf("from seed %u on\n", seed);
      std::fflush(stdout);
    }
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  std::printf("%u runs are clean, the last with seed %u\n", runs, seed - 1);
}
#endif
