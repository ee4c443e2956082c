// Vectors kept as signed bytes with one scale a row, and their inner products with a query.
//
// Space: d + 4 bytes a row. Error: every coordinate is off by at most half its row's scale.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

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
inline constexpr std::size_t rows_ahead = 24;

inline void prefetch_row(const std::int8_t* matrix, std::size_t d,
                         std::span<const std::uint32_t> rows, std::size_t r) noexcept {
  if (r < rows.size()) prefetch(matrix + static_cast<std::size_t>(rows[r]) * d, d);
}

// A float query, rounded to 16 bits, whose products with rows of bytes are sums of whole numbers:
// the same on every path, and several times as fast as converting each byte to a float.
//
// Error: every coordinate of the query is off by at most 1/65534 of its largest.
class ByteQuery {
 public:
  ByteQuery(const float* query, std::size_t d) : codes_(d) {
    check_finite("query", {query, d});
    float largest = 0.0f;
    for (std::size_t i = 0; i < d; ++i) largest = std::max(largest, std::abs(query[i]));
    scale_ = largest / 32767.0;
    const double inverse = largest > 0.0f ? 32767.0 / largest : 0.0;
    for (std::size_t i = 0; i < d; ++i)
      codes_[i] = static_cast<std::int16_t>(std::nearbyint(query[i] * inverse));
  }

  double scale() const noexcept { return scale_; }

  std::int64_t dot(const std::int8_t* row) const noexcept {
#if HIPPO_X86
    switch (simd()) {
      case Simd::avx512: return in_stretches(row, dot_avx512);
      case Simd::avx2: return in_stretches(row, dot_avx2);
      default: break;
    }
#endif
    return in_stretches(row, dot_scalar);
  }

 private:
  // So many products of a byte and 16 bits cannot overflow 32 bits in any lane of eight.
  static constexpr std::size_t stretch = 2048;

  template <class Dot>
  std::int64_t in_stretches(const std::int8_t* row, Dot dot) const noexcept {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < codes_.size(); i += stretch)
      sum += dot(row + i, codes_.data() + i, std::min(stretch, codes_.size() - i));
    return sum;
  }

  static std::int64_t dot_scalar(const std::int8_t* row, const std::int16_t* query,
                                 std::size_t d) noexcept {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < d; ++i) sum += row[i] * query[i];
    return sum;
  }

#if HIPPO_X86
  HIPPO_AVX2 static std::int64_t dot_avx2(const std::int8_t* row, const std::int16_t* query,
                                          std::size_t d) noexcept {
    __m256i sums = _mm256_setzero_si256();
    std::size_t i = 0;
    for (; i + 16 <= d; i += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + i));
      const __m256i codes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(query + i));
      sums = _mm256_add_epi32(sums, _mm256_madd_epi16(_mm256_cvtepi8_epi16(bytes), codes));
    }
    alignas(32) std::array<std::int32_t, 8> lanes;
    _mm256_store_si256(reinterpret_cast<__m256i*>(lanes.data()), sums);
    return std::accumulate(lanes.begin(), lanes.end(), dot_scalar(row + i, query + i, d - i));
  }

  HIPPO_AVX512 static std::int64_t dot_avx512(const std::int8_t* row, const std::int16_t* query,
                                              std::size_t d) noexcept {
    __m512i sums = _mm512_setzero_si512();
    std::size_t i = 0;
    for (; i + 32 <= d; i += 32) {
      const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row + i));
      const __m512i codes = _mm512_loadu_si512(query + i);
      sums = _mm512_add_epi32(sums, _mm512_madd_epi16(_mm512_cvtepi8_epi16(bytes), codes));
    }
    const __m512i wide = _mm512_add_epi64(
        _mm512_cvtepi32_epi64(_mm512_castsi512_si256(sums)),
        _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(sums, 1)));
    return _mm512_reduce_add_epi64(wide) + dot_scalar(row + i, query + i, d - i);
  }
#endif

  std::vector<std::int16_t> codes_;
  double scale_ = 0.0;
};

// Write <row, query> for each row named.
//
// Precondition: every row is in the matrix. Time: O(rows d).
inline void dot_rows(const std::int8_t* matrix, const float* scales, std::size_t d,
                     const float* query, std::span<const std::uint32_t> rows, float* out) {
  const ByteQuery rounded{query, d};
  for (std::size_t r = 0; r < rows.size(); ++r) {
    prefetch_row(matrix, d, rows, r + rows_ahead);
    const std::int64_t sum = rounded.dot(matrix + static_cast<std::size_t>(rows[r]) * d);
    out[r] = static_cast<float>(static_cast<double>(sum) * rounded.scale() *
                                static_cast<double>(scales[rows[r]]));
  }
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
