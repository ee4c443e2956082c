// The rows of packed codes that differ from one in at most so many bits, found by looking at all.
//
// Time: O(n bytes): for codes of 8 bytes a row takes a quarter of a nanosecond with AVX-512's
//       VPOPCNTDQ, one without.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "hippo/bits.hpp"
#include "hippo/simd.hpp"

namespace hippo {

namespace detail {

// Codes of a width known to the compiler; 0 is any width.
template <std::size_t Width>
void hamming_rows(const std::uint8_t* codes, std::size_t n, std::size_t width,
                  const std::uint8_t* code, std::size_t radius, std::vector<Word>& found) {
  vectorised([&, codes, n, code, radius]() HIPPO_INLINE {
    const std::size_t bytes = Width == 0 ? width : Width;
    const std::uint8_t* row = codes;
    for (std::size_t i = 0; i < n; ++i, row += bytes) {
      std::size_t differing = 0, at = 0;
      for (; at + 8 <= bytes; at += 8) {
        Word a, b;
        std::memcpy(&a, row + at, 8);
        std::memcpy(&b, code + at, 8);
        differing += static_cast<std::size_t>(std::popcount(a ^ b));
      }
      if (at < bytes) {
        Word a = 0, b = 0;
        std::memcpy(&a, row + at, bytes - at);
        std::memcpy(&b, code + at, bytes - at);
        differing += static_cast<std::size_t>(std::popcount(a ^ b));
      }
      if (differing <= radius) found.push_back(i);
    }
  });
}

#if HIPPO_X86
// Eight codes of 8 bytes at once; returns how many rows it has done.
__attribute__((target("avx512f,avx512vpopcntdq"))) inline std::size_t hamming_rows_8(
    const std::uint8_t* codes, std::size_t n, const std::uint8_t* code, std::size_t radius,
    std::vector<Word>& found) {
  Word wanted;
  std::memcpy(&wanted, code, 8);
  const __m512i same = _mm512_set1_epi64(static_cast<long long>(wanted));
  const __m512i most = _mm512_set1_epi64(static_cast<long long>(radius));
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m512i differing =
        _mm512_popcnt_epi64(_mm512_xor_si512(_mm512_loadu_si512(codes + 8 * i), same));
    for (unsigned hits = _mm512_cmple_epu64_mask(differing, most); hits != 0; hits &= hits - 1)
      found.push_back(i + static_cast<std::size_t>(std::countr_zero(hits)));
  }
  return i;
}
#endif

}  // namespace detail

// Positions in order. Precondition: `code` has `width` bytes, `codes` n * width.
inline std::vector<Word> hamming_scan(const std::uint8_t* codes, std::size_t n, std::size_t width,
                                      const std::uint8_t* code, std::size_t radius) {
  std::vector<Word> found;
  std::size_t done = 0;
  if (width == 8) {
#if HIPPO_X86
    const bool counts = processor().vpopcntdq;
    if (simd() == Simd::avx512 && counts)
      done = detail::hamming_rows_8(codes, n, code, radius, found);
#endif
  }
  const auto rest = [&](auto rows) {
    rows(codes + done * width, n - done, width, code, radius, found);
  };
  const std::size_t before = found.size();
  switch (width) {
    case 2: rest(detail::hamming_rows<2>); break;
    case 4: rest(detail::hamming_rows<4>); break;
    case 8: rest(detail::hamming_rows<8>); break;
    case 16: rest(detail::hamming_rows<16>); break;
    default: rest(detail::hamming_rows<0>);
  }
  for (std::size_t i = before; i < found.size(); ++i) found[i] += done;
  return found;
}

}  // namespace hippo
