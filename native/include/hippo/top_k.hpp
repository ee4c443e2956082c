// The positions of the k highest scores, in descending order.
//
// Time: O(n + k log k): a sample tells about where the k-th best lies, and what is below is skipped;
// the rest gather in a buffer of 2k that is cut back to k when full. Space: 16 k bytes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "hippo/simd.hpp"

namespace hippo {

// A score and its position as one integer, larger is better: higher scores first, equal scores (and
// -0.0 equals 0.0) by lower position, NaN after every number.
inline std::uint64_t rank_key(float score, std::size_t position) noexcept {
  std::uint32_t bits = 0;
  if (score == score) {
    bits = std::bit_cast<std::uint32_t>(score + 0.0f);
    bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  }
  return std::uint64_t{bits} << 32 | (0xffffffffu - static_cast<std::uint32_t>(position));
}

static_assert(std::endian::native == std::endian::little,
              "the first of eight bytes is the lowest of their word");

// What a score has to beat; at first nothing, and NaN lets everything pass.
struct Bar {
  std::uint64_t key = 0;
  float score = std::numeric_limits<float>::quiet_NaN();
};

// A bar that about the best k pass, rather a few more, judged by every 128th score. Without it half
// of the time at k = 600 goes into gathering what later ones push out again.
inline Bar sampled_bar(const float* scores, const std::uint8_t* mask, std::size_t n,
                       std::size_t k) {
  constexpr std::size_t every = 128;
  std::vector<float> sample;
  sample.reserve(n / every + 1);
  for (std::size_t i = 0; i < n; i += every)
    if ((mask == nullptr || mask[i] != 0) && scores[i] == scores[i]) sample.push_back(scores[i]);
  const std::size_t place = k / every * 5 / 4 + 8;
  if (sample.size() < 4 * place) return {};
  const auto at = sample.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(sample.begin(), at, sample.end(), std::greater<>{});
  return {rank_key(*at, 0), *at};
}

// `mask` may be null; where it is 0 the position is left out. Precondition: n < 2^32.
inline std::vector<std::uint32_t> top_k(const float* scores, const std::uint8_t* mask,
                                        std::size_t n, std::size_t k) {
  constexpr std::size_t stride = 64, word = 8;
  k = std::min(k, n);
  if (k == 0) return {};
  std::vector<std::uint64_t> kept;
  kept.reserve(2 * k + stride);

  const auto cut = [&] {
    const auto last = kept.begin() + static_cast<std::ptrdiff_t>(k) - 1;
    std::nth_element(kept.begin(), last, kept.end(), std::greater<>{});
    kept.resize(k);
    return Bar{*last, scores[0xffffffffu - static_cast<std::uint32_t>(*last)]};
  };
  const auto gather = [&](Bar bar) {
    kept.clear();
    vectorised([&]() HIPPO_INLINE {
      for (std::size_t start = 0; start < n; start += stride) {
        const std::size_t width = std::min(stride, n - start);
        // A byte a score, eight of which are a word whose bits are walked: a branch a score would
        // be guessed wrong too often.
        std::array<std::uint8_t, stride> passes{};
        if (width == stride)  // a fixed width is what the compiler makes vectors of
          for (std::size_t i = 0; i < stride; ++i) passes[i] = !(scores[start + i] <= bar.score);
        else
          for (std::size_t i = 0; i < width; ++i) passes[i] = !(scores[start + i] <= bar.score);
        for (std::size_t first = 0; first < stride; first += word) {
          std::uint64_t passed;
          std::memcpy(&passed, passes.data() + first, word);
          for (; passed != 0; passed &= passed - 1) {
            const std::size_t i = start + first + std::countr_zero(passed) / 8;
            if (mask != nullptr && mask[i] == 0) continue;
            const std::uint64_t key = rank_key(scores[i], i);
            if (key > bar.key) kept.push_back(key);
          }
        }
        if (kept.size() >= 2 * k) bar = cut();
      }
    });
  };

  const Bar sampled = sampled_bar(scores, mask, n, k);
  gather(sampled);
  if (kept.size() < k && sampled.key > 0) gather({});  // the sample has misled us
  if (kept.size() > k) cut();
  std::sort(kept.begin(), kept.end(), std::greater<>{});
  std::vector<std::uint32_t> positions(kept.size());
  std::transform(kept.begin(), kept.end(), positions.begin(),
                 [](std::uint64_t key) { return 0xffffffffu - static_cast<std::uint32_t>(key); });
  return positions;
}

}  // namespace hippo
