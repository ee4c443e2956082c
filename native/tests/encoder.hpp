// A small encoder with weights drawn from a generator of our own: the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hippo/transformer.hpp"

namespace encoder_test {

inline constexpr std::size_t width = 192;

class Drawn {
 public:
  std::vector<float> operator()(std::size_t count) {
    std::vector<float> made(count);
    for (float& x : made) {
      state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
      x = static_cast<float>(static_cast<std::int64_t>(state_ >> 40) - (1 << 23)) / (1 << 25);
    }
    return made;
  }

 private:
  std::uint64_t state_ = 88172645463325252u;
};

inline hippo::Transformer model(Drawn& drawn, std::size_t layers) {
  const std::vector<float> ones(4 * width, 1.0f);
  const auto norm = [&] { return hippo::Norm{ones.data(), drawn(width).data(), width, 1e-12f}; };
  const auto linear = [&](std::size_t outputs, std::size_t inputs, std::size_t doubled) {
    hippo::ByteWeights made{outputs, inputs, doubled};
    const std::vector<float> weights = drawn(outputs * inputs), bias = drawn(outputs);
    made.set(0, outputs, weights.data(), bias.data());
    return made;
  };
  hippo::Transformer made{width, width / hippo::head_width, norm()};
  for (std::size_t i = 0; i < layers; ++i)
    made.add({linear(3 * width, width, 2 * width), linear(width, width, width), norm(),
              linear(4 * width, width, 4 * width), linear(width, 4 * width, width), norm()});
  return made;
}

// The states of three texts, of which one sees another and another is asked for in part.
inline std::vector<float> states(const hippo::Transformer& of, const std::vector<float>& rows) {
  const auto n = static_cast<std::uint32_t>(rows.size() / width);
  const std::uint32_t first = n / 3, second = n / 2;
  const std::vector<hippo::Stretch> stretches{{0, first, 0, first, 0, first},
                                              {first, second, 0, second, first, first + 1},
                                              {second, n, second, n, second, n}};
  hippo::Transformer::Pass pass{of, rows.data(), n, stretches, 1};
  hippo::Transformer::Member alone{of, pass, 0};
  of.run(pass, alone);
  const std::size_t asked = first + 1 + (n - second);
  return {pass.states(), pass.states() + asked * width};
}

}  // namespace encoder_test
