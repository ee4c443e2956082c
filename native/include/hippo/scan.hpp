// Estimated cosines of float queries with sign codes: of single rows, and the best of each span.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hippo/agreement.hpp"
#include "hippo/signs.hpp"
#include "hippo/simd.hpp"

namespace hippo {

// Write the estimate of one query with each of `count` rows.
//
// Time: O(count * d), about 0.1 ns a byte. Space: O(d).
inline void scan_signs(Row codes, std::size_t count, const SignQueries& query, float* out) {
  Agreement agreement{query};
  std::array<Row, block_rows> rows;
  Sums sums;
  for (std::size_t start = 0; start < count; start += block_rows) {
    const std::size_t used = std::min(block_rows, count - start);
    rows.fill(Agreement::padding());
    for (std::size_t i = 0; i < used; ++i)
      rows[i] = codes + (start + i) * query.bytes();
    agreement(rows.data(), &sums);
    query.estimate(sums.data(), used, out + start);
  }
}

// The same for `blocks` blocks of 128 rows each that are kept turned. Half of the time.
inline void scan_turned(TurnedBlock codes, std::size_t blocks, const SignQueries& query,
                        float* out) {
  Agreement agreement{query};
  Sums sums;
  for (std::size_t block = 0; block < blocks; ++block) {
    agreement(codes + block * block_rows * query.bytes(), &sums);
    query.estimate(sums.data(), block_rows, out + block * block_rows);
  }
}

// The same for the blocks named, in that order.
//
// Precondition: every block is there.
inline void scan_turned(TurnedBlock codes, std::span<const std::uint32_t> blocks,
                        const SignQueries& query, float* out) {
  Agreement agreement{query};
  Sums sums;
  for (const std::uint32_t block : blocks) {
    agreement(codes + std::size_t{block} * block_rows * query.bytes(), &sums);
    query.estimate(sums.data(), block_rows, out);
    out += block_rows;
  }
}

// For each of `count` spans of rows and each query, the highest estimate within the span; 0 for an
// empty span. `span_at(i)` is the number of the i-th span, [offsets[n], offsets[n + 1]) its rows.
// `out` has shape (count, queries).
//
// Spans are laid end to end into blocks of 128 rows, whatever their length, so no lane is wasted.
// Time: O(rows * queries * d). Space: O(count * queries).
template <class SpanAt>
void max_sim(Row codes, const std::uint64_t* offsets, std::size_t count, SpanAt span_at,
             const SignQueries& queries, float* out) {
  struct Piece {
    std::size_t span, begin, end;  // positions within the block
  };
  const std::size_t width = queries.count();
  Agreement agreement{queries};
  std::vector<Sums> sums(width);
  std::vector<std::uint16_t> best(count * width);
  std::vector<Piece> pieces;
  std::array<Row, block_rows> rows;
  std::size_t used = 0;

  const auto flush = [&] {
    std::fill(rows.begin() + static_cast<std::ptrdiff_t>(used), rows.end(), Agreement::padding());
    agreement(rows.data(), sums.data());
    for (const Piece& piece : pieces) {
      Sums inside{};
      std::fill(inside.begin() + static_cast<std::ptrdiff_t>(piece.begin),
                inside.begin() + static_cast<std::ptrdiff_t>(piece.end), std::uint16_t{0xffff});
      std::uint16_t* to = best.data() + piece.span * width;
      vectorised([&]() HIPPO_INLINE {
        for (std::size_t q = 0; q < width; ++q) {
          std::uint16_t top = to[q];
          const std::uint16_t* sum = sums[q].data();
          for (std::size_t i = 0; i < block_rows; ++i)
            top = std::max(top, static_cast<std::uint16_t>(sum[i] & inside[i]));
          to[q] = top;
        }
      });
    }
    pieces.clear();
    used = 0;
  };

  constexpr std::size_t spans_ahead = 6;
  for (std::size_t i = 0; i < count; ++i) {
    if (i + spans_ahead < count) {
      const std::size_t next = span_at(i + spans_ahead);
      prefetch(codes + offsets[next] * queries.bytes(),
               (offsets[next + 1] - offsets[next]) * queries.bytes());
    }
    const std::size_t span = span_at(i);
    Row row = codes + offsets[span] * queries.bytes();
    for (std::size_t left = offsets[span + 1] - offsets[span]; left > 0;) {
      const std::size_t take = std::min(left, block_rows - used);
      pieces.push_back({i, used, used + take});
      for (std::size_t j = 0; j < take; ++j, row += queries.bytes()) rows[used++] = row;
      left -= take;
      if (used == block_rows) flush();
    }
  }
  if (used > 0) flush();

  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t span = span_at(i);
    const bool empty = offsets[span] == offsets[span + 1];
    for (std::size_t q = 0; q < width; ++q)
      out[i * width + q] = empty ? 0.0f : queries.estimate(q, best[i * width + q]);
  }
}

}  // namespace hippo
