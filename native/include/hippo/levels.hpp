// What wavelet matrices are made of: a sequence of symbols as one bit vector per bit of their codes,
// each level's symbols parted by the level's bit. A code may be a symbol's digits, or, where codes
// differ in length, what is at its end stays behind at the end of its level.
//
// Time: access and span look once a level. Batches go level by level, 32 queries side by side, so
//       that one's misses pass while the others compute.
// Ref:  F. Claude, G. Navarro, A. Ordonez. The wavelet matrix: an efficient wavelet tree for large
//       alphabets. Information Systems 47, 2015.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hippo/bits.hpp"
#include "hippo/partition.hpp"
#include "hippo/simd.hpp"

namespace hippo {

inline constexpr std::size_t max_symbol_bits = 128;
inline constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

inline void check_width(std::size_t bits, std::size_t most = max_symbol_bits) {
  if (bits == 0 || bits > most)
    throw std::invalid_argument("bits=" + std::to_string(bits) + ", must be 1 to " +
                                std::to_string(most));
}

inline void check_length(std::size_t n) {
  if (n > max_length)
    throw std::length_error("the matrix would hold " + std::to_string(n) +
                            " symbols, must hold at most " + std::to_string(max_length));
}

// Positions [start, end) of a level.
struct Range {
  std::size_t start, end;

  std::size_t size() const noexcept { return end - start; }
};

// Arguments of a batch: one per query, or (stride 0) the same for all.
struct Column {
  const Word* data;
  std::size_t stride;

  HIPPO_INLINE const Word* operator[](std::size_t i) const noexcept { return data + i * stride; }
};

// The code of a symbol that consists of its binary digits, highest first: level k holds digit
// `bits - 1 - k`. What is added up on the way down is the symbol.
struct Digits {
  static constexpr bool uneven = false;  // all codes are as long

  HIPPO_INLINE std::size_t word(std::size_t k) const noexcept { return (bits - 1 - k) / 64; }
  HIPPO_INLINE Word weight(std::size_t k) const noexcept {
    return Word{1} << (bits - 1 - k) % 64;
  }

  std::size_t bits = 0;
};

// `Code::weight(k)` is added to word `Code::word(k)` for a 1 of level k; what that comes to where a
// code ends is its number there, and where codes are uneven, `Code::symbol` tells whose.
template <class Bits, class Code>
class Levels {
 public:
  std::size_t size() const noexcept { return size_; }
  std::size_t bits() const noexcept { return code_.bits; }
  // Words that a symbol takes in arrays.
  std::size_t words() const noexcept { return words_for(bits()); }
  std::size_t depth() const noexcept { return levels_.size(); }
  const Bits& level(std::size_t k) const noexcept { return levels_[k]; }

  // Whether the symbols fit; the position of the first that does not, or `nowhere`.
  std::size_t first_too_large(const Word* symbols, std::size_t n) const noexcept {
    const std::size_t wide = words(), top = bits() % 64;
    if (top == 0) return nowhere;
    for (std::size_t i = 0; i < n; ++i)
      if (symbols[i * wide + wide - 1] >> top != 0) return i;
    return nowhere;
  }

  // The part of the range that goes to the zeros of the next level, and that to its ones.
  // Precondition: the range lies in [0, size()].
  HIPPO_INLINE std::pair<Range, Range> descend(std::size_t k, Range range) const noexcept {
    const Bits& level = levels_[k];
    const std::size_t start = level.rank1(range.start), end = level.rank1(range.end);
    const std::size_t zeros = level.zeros();
    return {{range.start - start, range.end - end}, {zeros + start, zeros + end}};
  }

  // Write the symbol at each position, `words()` words each. Precondition: positions < size().
  void access(const Word* positions, std::size_t n, Word* out) const {
    const std::size_t wide = words();
    std::fill_n(out, n * wide, Word{0});
    counting([=, this]() HIPPO_INLINE {
      for (std::size_t first = 0; first < n; first += side_by_side) {
        const std::size_t count = std::min(side_by_side, n - first);
        Word* found = out + first * wide;
        Places at;
        Queries query;  // those that go on, where codes are uneven
        std::array<std::uint8_t, side_by_side> length{};
        for (std::size_t q = 0; q < count; ++q) {
          at[q] = positions[first + q];
          query[q] = static_cast<std::uint8_t>(q);
          if (depth() > 0) levels_[0].prefetch(at[q]);
        }
        std::size_t live = count;
        for (std::size_t k = 0; k < depth(); ++k) {
          const Bits &level = levels_[k], &next = below(k);
          const std::size_t zeros = level.zeros(), beyond = size_below(k);
          const Word weight = code_.weight(k);
          Word* to = found + code_.word(k);
          std::size_t kept = 0;
          for (std::size_t q = 0; q < live; ++q) {
            const std::size_t which = Code::uneven ? query[q] : q;
            const auto look = level.look(at[q]);
            to[which * wide] += weight & (Word{0} - look.bit);
            const std::size_t place = pick(look.bit, zeros + look.ones, at[q] - look.ones);
            next.prefetch(place);
            if constexpr (Code::uneven) {
              length[which] = static_cast<std::uint8_t>(k + 1);
              at[kept] = place;
              query[kept] = query[q];
              kept += place < beyond;
            } else {
              at[q] = place;
            }
          }
          if constexpr (Code::uneven) live = kept;
        }
        if constexpr (Code::uneven)
          for (std::size_t q = 0; q < count; ++q) found[q] = code_.symbol(length[q], found[q]);
      }
    });
  }

  // Decode positions [start, end), `words()` words each. Neighbours share their way down for as
  // long as their bits agree, so this takes less than as many accesses.
  //
  // Precondition: start <= end <= size().
  void span(std::size_t start, std::size_t end, Word* out) const {
    constexpr std::size_t piece = 4096;  // what is being parted stays in the nearest cache
    std::vector<std::uint32_t> order(std::min(piece, end - start)), aside(order.size());
    std::vector<Run> runs(order.size()), next(order.size());
    std::vector<Alone> alone(order.size());
    std::vector<std::uint8_t> length(Code::uneven ? order.size() : 0);
    std::fill_n(out, (end - start) * words(), Word{0});
    for (; start < end; start += piece) {
      const std::size_t count = std::min(piece, end - start);
      for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<std::uint32_t>(i);
      runs[0] = {static_cast<std::uint32_t>(start), 0, static_cast<std::uint32_t>(count)};
      std::size_t used = 1, singles = 0;
      counting([&, this]() HIPPO_INLINE {
        for (std::size_t k = 0; k < depth(); ++k) {
          singles = go_alone(k, alone.data(), singles, length.data(), out);
          used = part_runs(k, runs.data(), used, next.data(), alone.data(), singles, order.data(),
                           aside.data(), length.data(), out);
          runs.swap(next);
        }
        if constexpr (Code::uneven)
          for (std::size_t i = 0; i < count; ++i) out[i] = code_.symbol(length[i], out[i]);
      });
      out += count * words();
    }
  }

 protected:
  using Places = std::array<std::size_t, side_by_side>;
  using Queries = std::array<std::uint8_t, side_by_side>;

  // Neighbours of the sequence that are neighbours in a level still: order[first] and on.
  struct Run {
    std::uint32_t at, first, count;
  };

  // One of them without neighbours: where it is now, and its number in the sequence.
  struct Alone {
    std::uint32_t at, symbol;
  };

  Levels() = default;
  explicit Levels(Code code) : code_(std::move(code)) {}

  // The level that follows, or where there is none, the last.
  HIPPO_INLINE const Bits& below(std::size_t k) const noexcept {
    return levels_[std::min(k + 1, depth() - 1)];
  }
  // What of level k goes on: beyond it are the symbols whose code has ended.
  HIPPO_INLINE std::size_t size_below(std::size_t k) const noexcept {
    return k + 1 < depth() ? levels_[k + 1].size() : 0;
  }

  // Add level k's bit to each symbol, and move on to the next level. Returns how many do.
  HIPPO_INLINE std::size_t go_alone(std::size_t k, Alone* alone, std::size_t count,
                                    std::uint8_t* length, Word* out) const {
    const Bits &level = levels_[k], &next = below(k);
    const std::size_t zeros = level.zeros(), wide = words(), beyond = size_below(k);
    const Word weight = code_.weight(k);
    out += code_.word(k);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto [at, symbol] = alone[i];
      const auto look = level.look(at);
      out[symbol * wide] += weight & (Word{0} - look.bit);
      const std::size_t place = pick(look.bit, zeros + look.ones, at - look.ones);
      next.prefetch(place);
      alone[kept] = {static_cast<std::uint32_t>(place), symbol};
      if constexpr (Code::uneven) {
        length[symbol] = static_cast<std::uint8_t>(k + 1);
        kept += place < beyond;
      } else {
        ++kept;
      }
    }
    return kept;
  }

  // Add level k's bit to all symbols of the runs, and part each run by it into the next level's,
  // or, where one symbol is left, into those without neighbours. Returns how many runs there are.
  HIPPO_INLINE std::size_t part_runs(std::size_t k, const Run* runs, std::size_t used, Run* next,
                                     Alone* alone, std::size_t& singles, std::uint32_t* order,
                                     std::uint32_t* aside, std::uint8_t* length, Word* out) const {
    const Bits &level = levels_[k], &following = below(k);
    const std::size_t zeros = level.zeros(), wide = words(), beyond = size_below(k);
    const Word weight = code_.weight(k);
    out += code_.word(k);
    std::size_t made = 0;
    const auto add = [&](std::size_t place, std::size_t first, std::size_t count) HIPPO_INLINE {
      const auto at = static_cast<std::uint32_t>(place);
      if constexpr (Code::uneven) {
        for (std::size_t i = first; i < first + count; ++i)
          length[order[i]] = static_cast<std::uint8_t>(k + 1);
        if (place >= beyond) return;
      }
      if (count == 1)
        alone[singles++] = {at, order[first]};
      else if (count > 1)
        next[made++] = {at, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count)};
      following.prefetch(at);
    };
    for (std::size_t r = 0; r < used; ++r) {
      const Run run = runs[r];
      std::size_t kept = run.first, parted = 0, ones_before = 0;
      for (std::size_t done = 0; done < run.count; done += 64) {
        const std::size_t count = std::min<std::size_t>(64, run.count - done);
        const auto window = level.window(run.at + done, count);
        if (done == 0) ones_before = window.ones;
        for (std::size_t i = 0; i < count; ++i) {
          const std::uint32_t symbol = order[run.first + done + i];
          const Word bit = window.bits >> i & 1;
          out[symbol * wide] += weight & (Word{0} - bit);
          order[kept] = aside[parted] = symbol;
          kept += 1 - bit;
          parted += bit;
        }
      }
      std::copy_n(aside, parted, order + kept);
      add(run.at - ones_before, run.first, kept - run.first);
      add(zeros + ones_before, kept, parted);
    }
    return made;
  }

  std::size_t size_ = 0;
  Code code_;
  std::vector<Bits> levels_;
};

// Where the (j + 1)-th occurrence of a symbol is, if there is one. Precondition: it fits.
template <class Matrix>
std::optional<Word> occurrence(const Matrix& matrix, const Symbol& symbol, Word j) {
  Word at = 0;
  matrix.select({symbol.words.data(), 0}, {&j, 0}, 1, &at);
  return at == nowhere ? std::nullopt : std::optional<Word>{at};
}

// How often a symbol occurs before `at`. Preconditions: it fits; at <= size().
template <class Matrix>
Word count_before(const Matrix& matrix, const Symbol& symbol, Word at) {
  Word count = 0;
  matrix.rank({symbol.words.data(), 0}, {&at, 0}, 1, &count);
  return count;
}

// The first position from `at` on that holds the symbol. Preconditions: it fits; at <= size().
template <class Matrix>
std::optional<Word> next_occurrence(const Matrix& matrix, const Symbol& symbol, Word at) {
  return occurrence(matrix, symbol, count_before(matrix, symbol, at));
}

// The last position before `at` that holds the symbol. Preconditions: it fits; at <= size().
template <class Matrix>
std::optional<Word> previous_occurrence(const Matrix& matrix, const Symbol& symbol, Word at) {
  const Word before = count_before(matrix, symbol, at);
  return before == 0 ? std::nullopt : occurrence(matrix, symbol, before - 1);
}

}  // namespace hippo
