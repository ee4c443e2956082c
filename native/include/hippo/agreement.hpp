// Agreements of up to 128 sign codes with all queries: the inner loop of every scan.
//
// The codes are turned so that one register holds the same four dimensions of many rows; a byte
// shuffle then looks all of them up in a query's table at once (four lookups still fit a byte
// before they are widened). Measured on a Zen 4 core, in ns per query and code of 256 bits: 0.5,
// and 1.9 a code to turn it; bit planes with VPOPCNTDQ took 0.9, signed bytes with VNNI 2.0.
//
// Ref: F. Andre, A.-M. Kermarrec, N. Le Scouarnec. Cache locality is not enough: high-performance
//      nearest neighbor search with product quantization fast scan. VLDB 2015.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "hippo/signs.hpp"
#include "hippo/simd.hpp"

namespace hippo {

inline constexpr std::size_t block_rows = 128;

using Row = const std::uint8_t*;
// The codes of 128 rows, turned for good: the first byte of every row, the second of every row, ...
using TurnedBlock = const std::uint8_t*;
using Sums = std::array<std::uint16_t, block_rows>;

// Works on blocks of 128 rows. Holds scratch space: one object per thread.
//
// Precondition of every call: rows[0 .. 128) each point to queries.bytes() readable bytes (point
// the unused ones at padding()), or a turned block has 128 times as many; out has queries.count()
// items.
class Agreement {
 public:
  explicit Agreement(const SignQueries& queries)
      : queries_(queries), path_(simd()), turned_((queries.bytes() + 15) / 16 * 32) {
    if (path_ == Simd::scalar) interleave();
  }

  static Row padding() noexcept {
    static constexpr std::array<std::uint8_t, max_code_bytes> zeros{};
    return zeros.data();
  }

  void operator()(const Row* rows, Sums* out) {
    switch (path_) {
#if HIPPO_X86
      case Simd::avx512: turn_avx512(rows); return look_up_avx512(Staged{turned_.data()}, out);
      case Simd::avx2: turn_avx2(rows); return look_up_avx2(Staged{turned_.data()}, out);
#endif
      default: return run_scalar(rows, out);
    }
  }

  // Turning takes four times as long as one query's lookups, so what is scanned by single queries
  // is better kept turned.
  void operator()(TurnedBlock block, Sums* out) {
    const Kept kept{block, queries_.bytes() - 1};
    switch (path_) {
#if HIPPO_X86
      case Simd::avx512: return look_up_avx512(kept, out);
      case Simd::avx2: return look_up_avx2(kept, out);
#endif
      default: return look_up_scalar(kept, out);
    }
  }

 private:
  // One nibble of each row.
  struct alignas(64) Column : std::array<std::uint8_t, block_rows> {
#if HIPPO_X86
    __m256i* at256(std::size_t row) noexcept { return reinterpret_cast<__m256i*>(data() + row); }
#endif
  };
  // Where lookups find nibble j of the rows from `row` on: in what was turned for this call ...
  struct Staged {
    const Column* columns;
#if HIPPO_X86
    HIPPO_INLINE HIPPO_AVX2 __m256i at256(std::size_t j, std::size_t row) const noexcept {
      return _mm256_load_si256(reinterpret_cast<const __m256i*>(columns[j].data() + row));
    }
    HIPPO_INLINE HIPPO_AVX512 __m512i at512(std::size_t j, std::size_t row) const noexcept {
      return _mm512_load_si512(columns[j].data() + row);
    }
#endif
  };
  // ... or in what is kept turned, two to a byte. Tables of zeros may ask for more than there is.
  struct Kept {
    TurnedBlock block;
    std::size_t last;

    const std::uint8_t* bytes(std::size_t j) const noexcept {
      return block + std::min(j / 2, last) * block_rows;
    }
    std::uint8_t at(std::size_t j, std::size_t row) const noexcept {
      return bytes(j)[row] >> j % 2 * 4 & 15;
    }
#if HIPPO_X86
    HIPPO_INLINE HIPPO_AVX2 __m256i at256(std::size_t j, std::size_t row) const noexcept {
      const __m256i two = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes(j) + row));
      return _mm256_and_si256(j % 2 ? _mm256_srli_epi16(two, 4) : two, _mm256_set1_epi8(15));
    }
    HIPPO_INLINE HIPPO_AVX512 __m512i at512(std::size_t j, std::size_t row) const noexcept {
      const __m512i two = _mm512_loadu_si512(bytes(j) + row);
      return _mm512_and_si512(j % 2 ? _mm512_srli_epi16(two, 4) : two, _mm512_set1_epi8(15));
    }
#endif
  };
  using Octet = std::array<std::uint64_t, 2>;
  static constexpr std::size_t lanes = 8;  // queries side by side in the scalar path

  struct Window {
    const Row* rows;
    std::size_t column;
  };

  // Sixteen bytes of each row from `column` on, by way of `stage_` where the rows end before that.
  Window window(const Row* rows, std::size_t column) noexcept {
    const std::size_t left = queries_.bytes() - column;
    if (left >= 16) return {rows, column};
    for (std::size_t r = 0; r < block_rows; ++r) {
      stage_[r] = {};
      std::memcpy(stage_[r].data(), rows[r] + column, left);
      staged_[r] = stage_[r].data();
    }
    return {staged_.data(), 0};
  }

  // ------------------------------------------------------------ plain C++

  // Tables of eight queries side by side, so that one nibble of a row serves eight sums: two words
  // of four 16-bit sums each, none of which carries into its neighbour.
  void interleave() {
    side_by_side_.resize((queries_.count() + lanes - 1) / lanes * queries_.stride() * 16);
    for (std::size_t q = 0; q < queries_.count(); ++q) {
      Octet* tables = side_by_side_.data() + q / lanes * queries_.stride() * 16;
      for (std::size_t i = 0; i < queries_.stride() * 16; ++i)
        tables[i][q % lanes / 4] |= std::uint64_t{queries_.tables(q)[i / 16][i % 16]} << q % 4 * 16;
    }
  }

  void run_scalar(const Row* rows, Sums* out) const noexcept {
    for (std::size_t q = 0; q < queries_.count(); q += lanes) {
      const Octet* tables = side_by_side_.data() + q / lanes * queries_.stride() * 16;
      const std::size_t used = std::min(lanes, queries_.count() - q);
      for (std::size_t r = 0; r < block_rows && rows[r] != padding(); ++r) {
        Octet sum{};
        for (std::size_t b = 0; b < queries_.bytes(); ++b) {
          const Octet& low = tables[32 * b + (rows[r][b] & 15)];
          const Octet& high = tables[32 * b + 16 + (rows[r][b] >> 4)];
          sum[0] += low[0] + high[0];
          sum[1] += low[1] + high[1];
        }
        for (std::size_t i = 0; i < used; ++i)
          out[q + i][r] = static_cast<std::uint16_t>(sum[i / 4] >> i % 4 * 16);
      }
    }
  }

  void look_up_scalar(const Kept& kept, Sums* out) const noexcept {
    for (std::size_t q = 0; q < queries_.count(); ++q) {
      out[q].fill(0);
      for (std::size_t j = 0; j < 2 * queries_.bytes(); ++j)
        for (std::size_t r = 0; r < block_rows; ++r)
          out[q][r] = static_cast<std::uint16_t>(out[q][r] + queries_.tables(q)[j][kept.at(j, r)]);
    }
  }

#if HIPPO_X86
  static __m128i load(const void* from) noexcept HIPPO_INLINE {
    return _mm_loadu_si128(static_cast<const __m128i*>(from));
  }

  // A 16 x 16 byte matrix in each 128-bit lane is turned by four perfect shuffles of its rows. One
  // table then serves a whole block, for fetching it costs as much as two lookups.

  // ------------------------------------------------------------ AVX2: 4 registers of 32 rows

  HIPPO_AVX2 void turn_avx2(const Row* rows) noexcept {
    const __m256i low = _mm256_set1_epi8(15);
    for (std::size_t column = 0; column < queries_.bytes(); column += 16) {
      const auto [from, at] = window(rows, column);
      for (std::size_t part = 0; part < block_rows; part += 32) {
        __m256i x[16], y[16];
        for (std::size_t i = 0; i < 16; ++i) {
          const Row* row = from + part + i;
          x[i] = _mm256_set_m128i(load(row[16] + at), load(row[0] + at));
        }
        for (int step = 0; step < 4; ++step) {
          for (std::size_t i = 0; i < 8; ++i) {
            y[2 * i] = _mm256_unpacklo_epi8(x[i], x[i + 8]);
            y[2 * i + 1] = _mm256_unpackhi_epi8(x[i], x[i + 8]);
          }
          std::copy(y, y + 16, x);
        }
        for (std::size_t i = 0; i < 16; ++i) {
          Column* to = turned_.data() + 2 * (column + i);
          _mm256_store_si256(to[0].at256(part), _mm256_and_si256(x[i], low));
          _mm256_store_si256(to[1].at256(part), _mm256_and_si256(_mm256_srli_epi16(x[i], 4), low));
        }
      }
    }
  }

  template <class Source>
  HIPPO_AVX2 void look_up_avx2(const Source& source, Sums* out) noexcept {
    constexpr std::size_t parts = block_rows / 32;
    for (std::size_t q = 0; q < queries_.count(); ++q) {
      const SignQueries::Nibble* tables = queries_.tables(q);
      __m256i all[parts] = {}, odd[parts] = {};
      for (std::size_t g = 0; g < queries_.stride(); g += 4) {
        __m256i bytes[parts] = {};
        for (std::size_t j = g; j < g + 4; ++j) {
          const __m256i table = _mm256_broadcastsi128_si256(load(tables[j].data()));
          for (std::size_t p = 0; p < parts; ++p)
            bytes[p] =
                _mm256_add_epi8(bytes[p], _mm256_shuffle_epi8(table, source.at256(j, 32 * p)));
        }
        for (std::size_t p = 0; p < parts; ++p) {
          all[p] = _mm256_add_epi16(all[p], bytes[p]);
          odd[p] = _mm256_add_epi16(odd[p], _mm256_srli_epi16(bytes[p], 8));
        }
      }
      for (std::size_t p = 0; p < parts; ++p) {
        const __m256i even = _mm256_sub_epi16(all[p], _mm256_slli_epi16(odd[p], 8));
        const __m256i low = _mm256_unpacklo_epi16(even, odd[p]);
        const __m256i high = _mm256_unpackhi_epi16(even, odd[p]);
        auto* to = reinterpret_cast<__m256i*>(out[q].data() + 32 * p);
        _mm256_storeu_si256(to, _mm256_permute2x128_si256(low, high, 0x20));
        _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(low, high, 0x31));
      }
    }
  }

  // ------------------------------------------------------------ AVX-512: 2 registers of 64 rows

  HIPPO_AVX512 void turn_avx512(const Row* rows) noexcept {
    const __m512i low = _mm512_set1_epi8(15);
    for (std::size_t column = 0; column < queries_.bytes(); column += 16) {
      const auto [from, at] = window(rows, column);
      for (std::size_t part = 0; part < block_rows; part += 64) {
        __m512i x[16], y[16];
        for (std::size_t i = 0; i < 16; ++i) {
          const Row* row = from + part + i;
          x[i] = _mm512_castsi128_si512(load(row[0] + at));
          x[i] = _mm512_inserti32x4(x[i], load(row[16] + at), 1);
          x[i] = _mm512_inserti32x4(x[i], load(row[32] + at), 2);
          x[i] = _mm512_inserti32x4(x[i], load(row[48] + at), 3);
        }
        for (int step = 0; step < 4; ++step) {
          for (std::size_t i = 0; i < 8; ++i) {
            y[2 * i] = _mm512_unpacklo_epi8(x[i], x[i + 8]);
            y[2 * i + 1] = _mm512_unpackhi_epi8(x[i], x[i + 8]);
          }
          std::copy(y, y + 16, x);
        }
        for (std::size_t i = 0; i < 16; ++i) {
          Column* to = turned_.data() + 2 * (column + i);
          _mm512_store_si512(to[0].data() + part, _mm512_and_si512(x[i], low));
          _mm512_store_si512(to[1].data() + part,
                             _mm512_and_si512(_mm512_srli_epi16(x[i], 4), low));
        }
      }
    }
  }

  template <class Source>
  HIPPO_AVX512 void look_up_avx512(const Source& source, Sums* out) noexcept {
    constexpr std::size_t parts = block_rows / 64;
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    for (std::size_t q = 0; q < queries_.count(); ++q) {
      const SignQueries::Nibble* tables = queries_.tables(q);
      __m512i all[parts] = {}, odd[parts] = {};
      for (std::size_t g = 0; g < queries_.stride(); g += 4) {
        __m512i bytes[parts] = {};
        for (std::size_t j = g; j < g + 4; ++j) {
          const __m512i table = _mm512_maskz_broadcast_i32x4(0xffff, load(tables[j].data()));
          for (std::size_t p = 0; p < parts; ++p)
            bytes[p] =
                _mm512_add_epi8(bytes[p], _mm512_shuffle_epi8(table, source.at512(j, 64 * p)));
        }
        for (std::size_t p = 0; p < parts; ++p) {
          all[p] = _mm512_add_epi16(all[p], bytes[p]);
          odd[p] = _mm512_add_epi16(odd[p], _mm512_srli_epi16(bytes[p], 8));
        }
      }
      for (std::size_t p = 0; p < parts; ++p) {
        const __m512i even = _mm512_sub_epi16(all[p], _mm512_slli_epi16(odd[p], 8));
        const __m512i low = _mm512_unpacklo_epi16(even, odd[p]);
        const __m512i high = _mm512_unpackhi_epi16(even, odd[p]);
        std::uint16_t* to = out[q].data() + 64 * p;
        _mm512_storeu_si512(to, _mm512_permutex2var_epi64(low, first, high));
        _mm512_storeu_si512(to + 32, _mm512_permutex2var_epi64(low, second, high));
      }
    }
  }
#endif

  const SignQueries& queries_;
  Simd path_;
  std::vector<Column> turned_;
  std::array<std::array<std::uint8_t, 16>, block_rows> stage_;
  std::array<Row, block_rows> staged_;
  std::vector<Octet> side_by_side_;
};

}  // namespace hippo
