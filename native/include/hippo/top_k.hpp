// The positions of the k highest scores, in descending order.
//
// Time: O(n + k log k): scores below the k-th best so far are skipped 64 at a time; the rest gather
// in a buffer of 2k that is cut back to k when full. Space: 16 k bytes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
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

// `mask` may be null; where it is 0 the position is left out. Precondition: n < 2^32.
inline std::vector<std::uint32_t> top_k(const float* scores, const std::uint8_t* mask,
                                        std::size_t n, std::size_t k) {
  constexpr std::size_t stride = 64;
  k = std::min(k, n);
  if (k == 0) return {};
  const std::size_t room = 2 * k + stride;
  std::vector<std::uint64_t> kept;
  kept.reserve(room);
  std::uint64_t bar = 0;  // the key to beat, and its score: NaN lets everything pass
  float bar_score = std::numeric_limits<float>::quiet_NaN();

  const auto cut = [&] {
    const auto last = kept.begin() + static_cast<std::ptrdiff_t>(k) - 1;
    std::nth_element(kept.begin(), last, kept.end(), std::greater<>{});
    bar = *last;
    bar_score = scores[0xffffffffu - static_cast<std::uint32_t>(bar)];
    kept.resize(k);
  };
  vectorised([&]() HIPPO_INLINE {
    for (std::size_t start = 0; start < n; start += stride) {
      const std::size_t end = std::min(n, start + stride);
      if (end - start == stride) {
        unsigned candidates = 0;
        for (std::size_t i = 0; i < stride; ++i) candidates |= !(scores[start + i] <= bar_score);
        if (candidates == 0) continue;
      }
      for (std::size_t i = start; i < end; ++i) {
        if (scores[i] <= bar_score || (mask != nullptr && mask[i] == 0)) continue;
        const std::uint64_t key = rank_key(scores[i], i);
        if (key > bar) kept.push_back(key);
      }
      if (kept.size() >= 2 * k) cut();
    }
  });
  if (kept.size() > k) cut();
  std::sort(kept.begin(), kept.end(), std::greater<>{});
  std::vector<std::uint32_t> positions(kept.size());
  std::transform(kept.begin(), kept.end(), positions.begin(),
                 [](std::uint64_t key) { return 0xffffffffu - static_cast<std::uint32_t>(key); });
  return positions;
}

}  // namespace hippo
