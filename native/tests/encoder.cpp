// Prints a hash of what the encoder makes of drawn weights, one a path this processor has: they are
// equal, on another architecture too.
#include <cstdio>
#include <cstring>

#include "encoder.hpp"

int main() {
  encoder_test::Drawn drawn;
  const hippo::Transformer model = encoder_test::model(drawn, 2);
  const std::vector<float> rows = drawn(41 * encoder_test::width);
  for (int path = 0; path <= static_cast<int>(hippo::best_simd()); ++path) {
    hippo::set_simd(hippo::name_of(static_cast<hippo::Simd>(path)));
    std::uint64_t hash = 1469598103934665603u;
    for (const float x : encoder_test::states(model, rows)) {
      std::uint32_t bits;
      std::memcpy(&bits, &x, sizeof bits);
      hash = (hash ^ bits) * 1099511628211u;
    }
    std::printf("%016llx\n", static_cast<unsigned long long>(hash));
  }
}
