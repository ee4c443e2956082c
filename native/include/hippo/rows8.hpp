// Vectors kept as signed bytes with one scale a row, and their inner products with a float query.
//
// Space: d + 4 bytes a row. Error: every coordinate is off by at most half its row's scale.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hippo/check.hpp"
#include "hippo/simd.hpp"

namespace hippo {

// Round n rows of d floats to [-127, 127], symmetric about 0: x ~ scale * code. O(n d).
inline void quantise_rows(const float* vectors, std::size_t n, std::size_t d, std::int8_t* codes,
                          float* scales) {
  check_finite("vectors", {vectors, n * d});
  for (std::size_t row = 0; row < n; ++row) {
    const float* x = vectors + row * d;
    std::int8_t* to = codes + row * d;
    float largest = 0.0f;
    for (std::size_t i = 0; i < d; ++i) largest = std::max(largest, std::abs(x[i]));
    scales[row] = static_cast<float>(largest / 127.0);
    const double inverse = largest > 0.0f ? 127.0 / largest : 0.0;
    constexpr double whole = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds half to even
    for (std::size_t i = 0; i < d; ++i)
      to[i] = static_cast<std::int8_t>(static_cast<int>((x[i] * inverse + whole) - whole));
  }
}

// Rows named at random are fetched this many ahead of their use.
inline constexpr std::size_t rows_ahead = 12;

inline void prefetch_row(const std::int8_t* matrix, std::size_t d,
                         std::span<const std::uint32_t> rows, std::size_t r) noexcept {
  if (r < rows.size()) prefetch(matrix + static_cast<std::size_t>(rows[r]) * d, d);
}

// Write <row, query> for each row named. Thirty-two sums are kept apart, which the compiler turns
// into vector registers as long as it does not unroll the loop over them first.
//
// Preconditions: every row is in the matrix; d is a multiple of 8. Time: O(rows d).
inline void dot_rows(const std::int8_t* matrix, const float* scales, std::size_t d,
                     const float* query, std::span<const std::uint32_t> rows, float* out) {
  constexpr std::size_t lanes = 32;
  vectorised([&]() HIPPO_INLINE {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      prefetch_row(matrix, d, rows, r + rows_ahead);
      const std::int8_t* row = matrix + static_cast<std::size_t>(rows[r]) * d;
      std::array<float, lanes> sum{};
      std::size_t i = 0;
      for (; i + lanes <= d; i += lanes) {
        HIPPO_KEEP_ROLLED
        for (std::size_t j = 0; j < lanes; ++j)
          sum[j] += query[i + j] * static_cast<float>(row[i + j]);
      }
      for (std::size_t j = 0; i + j < d; ++j)
        sum[j] += query[i + j] * static_cast<float>(row[i + j]);
      for (std::size_t half = lanes / 2; half > 0; half /= 2)
        for (std::size_t j = 0; j < half; ++j) sum[j] += sum[j + half];
      out[r] = sum[0] * scales[rows[r]];
    }
  });
}

// Add each row named, scaled, to the sum of its group. `sums` holds `d` floats a group.
//
// Preconditions: every row is in the matrix, every group in `sums`; as many groups as rows.
// Time: O(rows d).
inline void sum_rows(const std::int8_t* matrix, const float* scales, std::size_t d,
                     std::span<const std::uint32_t> rows, std::span<const std::uint32_t> groups,
                     float* sums) {
  vectorised([&]() HIPPO_INLINE {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      prefetch_row(matrix, d, rows, r + rows_ahead);
      const std::int8_t* row = matrix + static_cast<std::size_t>(rows[r]) * d;
      float* sum = sums + static_cast<std::size_t>(groups[r]) * d;
      const float scale = scales[rows[r]];
      for (std::size_t i = 0; i < d; ++i) sum[i] += scale * static_cast<float>(row[i]);
    }
  });
}

}  // namespace hippo
