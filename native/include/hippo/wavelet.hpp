// What can be asked of a wavelet matrix, over any bit vector: a sequence of symbols as one bit
// vector per bit of a symbol, highest first, each level's symbols parted by the level's bit.
//
// Time: for symbols of b bits, b steps each: access looks once a level, rank twice, select once on
//       the way down and once on the way up. Batches go level by level, 32 queries side by side, so
//       that one's misses pass while the others compute.
// Ref:  F. Claude, G. Navarro. The wavelet matrix. SPIRE 2012. Algorithms 1 to 3 of the DWM paper.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <queue>
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

inline void check_width(std::size_t bits) {
  if (bits == 0 || bits > max_symbol_bits)
    throw std::invalid_argument("bits=" + std::to_string(bits) + ", must be 1 to " +
                                std::to_string(max_symbol_bits));
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

template <class Bits>
class Wavelet {
 public:
  std::size_t size() const noexcept { return size_; }
  std::size_t bits() const noexcept { return levels_.size(); }
  // Words that a symbol takes in arrays.
  std::size_t words() const noexcept { return words_for(bits()); }
  const Bits& level(std::size_t k) const noexcept { return levels_[k]; }
  // The bit of a symbol that level k holds.
  HIPPO_INLINE std::size_t place(std::size_t k) const noexcept { return bits() - 1 - k; }

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
        Places at;
        for (std::size_t q = 0; q < count; ++q) {
          at[q] = positions[first + q];
          levels_[0].prefetch(at[q]);
        }
        for (std::size_t k = 0; k < bits(); ++k) {
          const Bits &level = levels_[k], &next = levels_[std::min(k + 1, bits() - 1)];
          const std::size_t zeros = level.zeros(), shift = place(k) % 64;
          Word* to = out + first * wide + place(k) / 64;
          for (std::size_t q = 0; q < count; ++q) {
            const auto look = level.look(at[q]);
            to[q * wide] |= Word{look.bit} << shift;
            at[q] = pick(look.bit, zeros + look.ones, at[q] - look.ones);
            next.prefetch(at[q]);
          }
        }
      }
    });
  }

  // Write how often each symbol occurs before each position. Where symbols of a level begin depends
  // on the symbol alone, so of one symbol for all positions it is found once.
  //
  // Preconditions: symbols fit; positions <= size().
  void rank(Column symbols, Column positions, std::size_t n, Word* out) const {
    counting([=, this]() HIPPO_INLINE {
      for (std::size_t first = 0; first < n; first += side_by_side) {
        const std::size_t count = std::min(side_by_side, n - first);
        const std::size_t several = symbols.stride == 0 ? 0 : side_by_side - 1;
        const std::size_t starts = std::min(count, several + 1);
        std::array<bool, side_by_side> bit;
        Places start, end;
        for (std::size_t q = 0; q < count; ++q) {
          start[q] = 0;
          end[q] = *positions[first + q];
          levels_[0].prefetch(end[q]);
        }
        for (std::size_t k = 0; k < bits(); ++k) {
          const Bits &level = levels_[k], &next = levels_[std::min(k + 1, bits() - 1)];
          const std::size_t zeros = level.zeros(), word = place(k) / 64, shift = place(k) % 64;
          for (std::size_t q = 0; q < starts; ++q) {
            bit[q] = (symbols[first + q][word] >> shift & 1) != 0;
            const std::size_t ones = level.rank1(start[q]);
            start[q] = pick(bit[q], zeros + ones, start[q] - ones);
            next.prefetch(start[q]);
          }
          for (std::size_t q = 0; q < count; ++q) {
            const std::size_t ones = level.rank1(end[q]);
            end[q] = pick(bit[q & several], zeros + ones, end[q] - ones);
            next.prefetch(end[q]);
          }
        }
        for (std::size_t q = 0; q < count; ++q)
          out[first + q] = end[q] - start[q & several];
      }
    });
  }

  // Write where the (j + 1)-th occurrence of each symbol is, or `nowhere`. Precondition: symbols
  // fit.
  void select(Column symbols, Column occurrences, std::size_t n, Word* out) const {
    counting([=, this]() HIPPO_INLINE {
      for (std::size_t first = 0; first < n; first += side_by_side) {
        const std::size_t count = std::min(side_by_side, n - first);
        Places at;
        for (std::size_t q = 0; q < count; ++q) at[q] = 0;
        for (std::size_t k = 0; k < bits(); ++k) {
          const Bits &level = levels_[k], &next = levels_[std::min(k + 1, bits() - 1)];
          const std::size_t zeros = level.zeros(), word = place(k) / 64, shift = place(k) % 64;
          for (std::size_t q = 0; q < count; ++q) {
            const bool bit = (symbols[first + q][word] >> shift & 1) != 0;
            const std::size_t ones = level.rank1(at[q]);
            at[q] = pick(bit, zeros + ones, at[q] - ones);
            next.prefetch(at[q]);
          }
        }
        for (std::size_t q = 0; q < count; ++q) {
          const Word j = *occurrences[first + q];
          at[q] = j < size_ - at[q] ? at[q] + j : nowhere;
        }
        climb(count, at, [&](std::size_t q, std::size_t word) HIPPO_INLINE {
          return symbols[first + q][word];
        });
        std::copy_n(at.begin(), count, out + first);
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
    std::fill_n(out, (end - start) * words(), Word{0});
    for (; start < end; start += piece) {
      const std::size_t count = std::min(piece, end - start);
      for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<std::uint32_t>(i);
      runs[0] = {static_cast<std::uint32_t>(start), 0, static_cast<std::uint32_t>(count)};
      std::size_t used = 1, singles = 0;
      counting([&, this]() HIPPO_INLINE {
        for (std::size_t k = 0; k < bits(); ++k) {
          const std::size_t before = singles;
          used = part_runs(k, runs.data(), used, next.data(), alone.data(), singles, order.data(),
                           aside.data(), out);
          go_alone(k, alone.data(), before, out);
          runs.swap(next);
        }
      });
      out += count * words();
    }
  }

  // The (k + 1)-th smallest symbol of a range. Precondition: k < range.size().
  Symbol quantile(Range range, std::size_t k) const noexcept {
    Symbol found;
    for (std::size_t l = 0; l < bits(); ++l) {
      const auto [zeros, ones] = descend(l, range);
      const bool bit = k >= zeros.size();
      if (bit) k -= zeros.size();
      found.set(place(l), bit);
      range = bit ? ones : zeros;
    }
    return found;
  }

  // How many symbols of a range are below a bound; all of them when there is none.
  std::size_t count_below(Range range, const std::optional<Symbol>& bound) const noexcept {
    if (!bound) return range.size();
    std::size_t below = 0;
    for (std::size_t k = 0; k < bits(); ++k) {
      const auto [zeros, ones] = descend(k, range);
      const bool bit = bound->bit(place(k));
      if (bit) below += zeros.size();
      range = bit ? ones : zeros;
    }
    return below;
  }

  // The first position from `at` on that holds the symbol. Preconditions: it fits; at <= size().
  std::optional<Word> next_occurrence(const Symbol& symbol, Word at) const {
    return occurrence(symbol, count_before(symbol, at));
  }

  // The last position before `at` that holds the symbol. Preconditions: it fits; at <= size().
  std::optional<Word> previous_occurrence(const Symbol& symbol, Word at) const {
    const Word before = count_before(symbol, at);
    return before == 0 ? std::nullopt : occurrence(symbol, before - 1);
  }

  // The k most frequent symbols of a range and their counts, most frequent first, then smallest.
  //
  // Ref: J. Culpepper, G. Navarro, S. Puglisi, A. Turpin. Top-k ranked document search in general
  //      text databases. ESA 2010 (greedy descent).
  std::vector<std::pair<Symbol, std::size_t>> top_k(Range range, std::size_t k) const {
    struct Part {
      Symbol least;
      std::size_t level;
      Range range;

      bool operator<(const Part& other) const noexcept {
        if (range.size() != other.range.size()) return range.size() < other.range.size();
        return other.least < least;
      }
    };
    std::vector<std::pair<Symbol, std::size_t>> found;
    std::priority_queue<Part> parts;
    if (range.size() > 0) parts.push({{}, 0, range});
    while (!parts.empty() && found.size() < k) {
      const Part part = parts.top();
      parts.pop();
      if (part.level == bits()) {
        found.push_back({part.least, part.range.size()});
        continue;
      }
      const auto [zeros, ones] = descend(part.level, part.range);
      Symbol upper = part.least;
      upper.set(place(part.level));
      if (zeros.size() > 0) parts.push({part.least, part.level + 1, zeros});
      if (ones.size() > 0) parts.push({upper, part.level + 1, ones});
    }
    return found;
  }

  // The positions of all symbols that differ from `code` in at most `radius` bits, in order.
  //
  // Ranges go down both ways with what is left of their budget; one of few symbols is not split
  // further: each of its symbols goes down by its own bits until its budget is overdrawn.
  //
  // Time: O(sum of C(k, i), i <= radius) ranges at level k until they hold one symbol each, that is
  //       for about log2 n levels, and then one look a level for those left.
  std::vector<Word> ball(const Symbol& code, std::size_t radius) const {
    struct Branch {
      Range range;
      std::size_t missed;
      Symbol symbol;
    };
    struct Single {
      std::size_t at, missed;
      Symbol symbol;
    };
    constexpr std::size_t few = 4;
    std::vector<Branch> branches{{{0, size_}, 0, {}}}, lower;
    std::vector<Single> singles;
    counting([&, this]() HIPPO_INLINE {
      for (std::size_t k = 0; k < bits(); ++k) {
        const Bits &level = levels_[k], &next = levels_[std::min(k + 1, bits() - 1)];
        const std::size_t zeros = level.zeros(), at = place(k);
        const bool wanted = code.bit(at);
        std::size_t kept = 0;
        for (Single& single : singles) {
          const auto look = level.look(single.at);
          single.missed += look.bit != wanted;
          if (single.missed > radius) continue;
          single.at = pick(look.bit, zeros + look.ones, single.at - look.ones);
          single.symbol.set(at, look.bit);
          next.prefetch(single.at);
          singles[kept++] = single;
        }
        singles.resize(kept);
        lower.clear();
        for (const Branch& branch : branches) {
          const auto parts = descend(k, branch.range);
          for (const bool bit : {false, true}) {
            const Range range = bit ? parts.second : parts.first;
            const std::size_t missed = branch.missed + (bit != wanted);
            if (range.size() == 0 || missed > radius) continue;
            Symbol symbol = branch.symbol;
            symbol.set(at, bit);
            next.prefetch(range.start);
            if (range.size() > few && k + 1 < bits())
              lower.push_back({range, missed, symbol});
            else
              for (std::size_t i = range.start; i < range.end; ++i)
                singles.push_back({i, missed, symbol});
          }
        }
        branches.swap(lower);
      }
    });
    std::vector<Word> found(singles.size());
    for (std::size_t first = 0; first < singles.size(); first += side_by_side) {
      const Single* some = singles.data() + first;
      const std::size_t count = std::min(side_by_side, singles.size() - first);
      Places at;
      for (std::size_t q = 0; q < count; ++q) at[q] = some[q].at;
      counting([&, this]() HIPPO_INLINE {
        climb(count, at, [some](std::size_t q, std::size_t word) HIPPO_INLINE {
          return some[q].symbol.words[word];
        });
      });
      std::copy_n(at.begin(), count, found.begin() + static_cast<std::ptrdiff_t>(first));
    }
    std::sort(found.begin(), found.end());
    return found;
  }

 protected:
  using Places = std::array<std::size_t, side_by_side>;

  // Neighbours of the sequence that are neighbours in a level still: order[first] and on.
  struct Run {
    std::uint32_t at, first, count;
  };

  // One of them without neighbours: where it is now, and its number in the sequence.
  struct Alone {
    std::uint32_t at, symbol;
  };

  Wavelet() = default;

  Word count_before(const Symbol& symbol, Word at) const {
    Word count = 0;
    rank({symbol.words.data(), 0}, {&at, 0}, 1, &count);
    return count;
  }

  std::optional<Word> occurrence(const Symbol& symbol, Word j) const {
    Word at = 0;
    select({symbol.words.data(), 0}, {&j, 0}, 1, &at);
    return at == nowhere ? std::nullopt : std::optional<Word>{at};
  }

  // Turn positions below the last level into those of the sequence; `nowhere` where the position
  // does not belong to the symbol. `word_of(q, w)` is word w of the q-th symbol.
  template <class WordOf>
  HIPPO_INLINE void climb(std::size_t count, Places& at, WordOf word_of) const noexcept {
    std::array<std::uint8_t, side_by_side> query;  // of those that are somewhere
    std::array<bool, side_by_side> value;
    Places place_of;
    std::size_t live = 0;
    for (std::size_t q = 0; q < count; ++q) {
      query[live] = static_cast<std::uint8_t>(q);
      place_of[live] = at[q];
      live += at[q] != nowhere;
      at[q] = nowhere;
    }
    for (std::size_t k = bits(); k-- > 0;) {
      const std::size_t zeros = levels_[k].zeros(), word = place(k) / 64, shift = place(k) % 64;
      std::size_t kept = 0;
      for (std::size_t q = 0; q < live; ++q) {
        const bool bit = (word_of(query[q], word) >> shift & 1) != 0;
        query[kept] = query[q];
        value[kept] = bit;
        const bool here = (place_of[q] >= zeros) == bit;
        place_of[kept] = place_of[q] - pick(bit, zeros, 0);
        kept += here;
      }
      live = kept;
      levels_[k].select(value.data(), place_of.data(), live);
    }
    for (std::size_t q = 0; q < live; ++q) at[query[q]] = place_of[q];
  }

  // Write level k's bit of each symbol, and move on to the next level.
  HIPPO_INLINE void go_alone(std::size_t k, Alone* alone, std::size_t count, Word* out) const {
    const Bits &level = levels_[k], &below = levels_[std::min(k + 1, bits() - 1)];
    const std::size_t zeros = level.zeros(), wide = words(), shift = place(k) % 64;
    out += place(k) / 64;
    for (std::size_t i = 0; i < count; ++i) {
      const auto look = level.look(alone[i].at);
      out[alone[i].symbol * wide] |= Word{look.bit} << shift;
      const std::size_t at = pick(look.bit, zeros + look.ones, alone[i].at - look.ones);
      alone[i].at = static_cast<std::uint32_t>(at);
      below.prefetch(at);
    }
  }

  // Write level k's bit of all symbols of the runs, and part each run by it into the next level's,
  // or, where one symbol is left, into those without neighbours. Returns how many runs there are.
  HIPPO_INLINE std::size_t part_runs(std::size_t k, const Run* runs, std::size_t used, Run* next,
                                     Alone* alone, std::size_t& singles, std::uint32_t* order,
                                     std::uint32_t* aside, Word* out) const {
    const Bits &level = levels_[k], &below = levels_[std::min(k + 1, bits() - 1)];
    const std::size_t zeros = level.zeros(), wide = words(), shift = place(k) % 64;
    out += place(k) / 64;
    std::size_t made = 0;
    const auto add = [&](std::size_t place, std::size_t first, std::size_t count) HIPPO_INLINE {
      const auto at = static_cast<std::uint32_t>(place);
      if (count == 1)
        alone[singles++] = {at, order[first]};
      else if (count > 1)
        next[made++] = {at, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count)};
      below.prefetch(at);
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
          out[symbol * wide] |= bit << shift;
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
  std::vector<Bits> levels_;
};

}  // namespace hippo
