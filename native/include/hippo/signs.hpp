// Sign codes: one bit per dimension of a vector, and a query quantised to meet them.
//
// A query q is rounded to 16 evenly spaced levels, q_i ~ step * (2 u_i - 15) with u_i in [0, 15]
// and step = max|q| / 15. Its inner product with a sign vector s is then a sum of integers:
//   <q, s> ~ step * (2 A - 15 d),   A = sum_i (s_i > 0 ? u_i : 15 - u_i),   0 <= A <= 15 d.
// Every coordinate is off by at most `step`. For a unit query and the signs of a random unit
// vector, <q, s> / sqrt(2 d / pi) estimates their cosine.
//
// Ref: J. Gao, C. Long. RaBitQ: quantizing high-dimensional vectors with a theoretical error bound
//      for approximate nearest neighbor search. SIGMOD 2024 (query quantisation, section 3.3).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "hippo/check.hpp"
#include "hippo/simd.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace hippo {

inline constexpr std::size_t max_code_bytes = 512;  // 15 * 8 * 512 agreements still fit 16 bits
inline constexpr int top_level = 15;
static_assert(std::endian::native == std::endian::little,
              "tables are written eight bytes at a time");

// Pack the signs of n floats, n a multiple of 8: bit 1 where x >= 0, lowest bit first. O(n).
inline void pack_signs(const float* x, std::size_t n, std::uint8_t* out) noexcept {
  for (std::size_t i = 0; i < n; i += 8) {
#if defined(__SSE2__)
    const __m128 zero = _mm_setzero_ps();
    const int low = _mm_movemask_ps(_mm_cmpge_ps(_mm_loadu_ps(x + i), zero));
    const int high = _mm_movemask_ps(_mm_cmpge_ps(_mm_loadu_ps(x + i + 4), zero));
    out[i / 8] = static_cast<std::uint8_t>(low | high << 4);
#else
    unsigned bits = 0;
    for (std::size_t j = 0; j < 8; ++j) bits |= static_cast<unsigned>(x[i + j] >= 0.0f) << j;
    out[i / 8] = static_cast<std::uint8_t>(bits);
#endif
  }
}

// One or more queries as lookup tables: the agreement of four dimensions is one entry of sixteen.
//
// Space: 16 bytes per four dimensions of a query. Time to build: one addition per entry.
class SignQueries {
 public:
  using Nibble = std::array<std::uint8_t, 16>;

  SignQueries(const float* queries, std::size_t count, std::size_t code_bytes)
      : count_(count), bytes_(code_bytes), stride_((2 * code_bytes + 3) / 4 * 4), scales_(count) {
    if (code_bytes == 0 || code_bytes > max_code_bytes)
      throw std::invalid_argument("codes have " + std::to_string(code_bytes) +
                                  " bytes a row, must have 1 to " + std::to_string(max_code_bytes));
    check_finite("query", {queries, count * dimension()});
    tables_.resize(count * stride_, Nibble{});
    for (std::size_t q = 0; q < count; ++q) quantise(queries + q * dimension(), q);
  }

  std::size_t count() const noexcept { return count_; }
  std::size_t bytes() const noexcept { return bytes_; }
  std::size_t dimension() const noexcept { return 8 * bytes_; }

  // Tables per query: two per byte, rounded up to a multiple of four with tables of zeros.
  std::size_t stride() const noexcept { return stride_; }
  const Nibble* tables(std::size_t q) const noexcept { return tables_.data() + q * stride_; }

  // The estimated cosine behind an agreement.
  float estimate(std::size_t q, std::uint16_t agreement) const noexcept {
    return scales_[q] *
           static_cast<float>(2 * agreement - top_level * static_cast<int>(dimension()));
  }

  // The same for many agreements with the first query.
  void estimate(const std::uint16_t* agreements, std::size_t n, float* out) const noexcept {
    vectorised([agreements, n, out, scale = scales_[0],
                middle = top_level * static_cast<int>(dimension())]() HIPPO_INLINE {
      for (std::size_t i = 0; i < n; ++i)
        out[i] = scale * static_cast<float>(2 * agreements[i] - middle);
    });
  }

 private:
  void quantise(const float* x, std::size_t q) noexcept {
    double largest = 0.0;
    for (std::size_t i = 0; i < dimension(); ++i)
      largest = std::max(largest, std::abs(static_cast<double>(x[i])));
    const double norm = std::sqrt(2.0 * static_cast<double>(dimension()) / std::numbers::pi);
    scales_[q] = static_cast<float>(largest / top_level / norm);
    for (std::size_t group = 0; group < 2 * bytes_; ++group, x += 4) {
      // Eight entries to a word: no sum passes 60, so none carries into its neighbour.
      constexpr std::uint64_t every = 0x0101010101010101;
      constexpr std::uint64_t odd[3] = {0x0100010001000100, 0x0101000001010000, 0x0101010100000000};
      std::uint64_t low = 0, high = 0;
      for (std::size_t bit = 0; bit < 4; ++bit) {
        const double share = largest > 0.0 ? x[bit] / largest : 0.0;
        const int level = static_cast<int>((share + 1.0) * (top_level / 2.0) + 0.5);
        const auto gain = static_cast<std::uint64_t>(2 * level - top_level);  // wraps below 0
        low += every * static_cast<std::uint64_t>(top_level - level);
        (bit < 3 ? low : high) += gain * (bit < 3 ? odd[bit] : every);
      }
      tables_[q * stride_ + group] =
          std::bit_cast<Nibble>(std::array<std::uint64_t, 2>{low, low + high});
    }
  }

  std::size_t count_, bytes_, stride_;
  std::vector<float> scales_;
  std::vector<Nibble> tables_;
};

}  // namespace hippo
