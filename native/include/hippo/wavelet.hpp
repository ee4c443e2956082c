// What can be asked of a wavelet matrix with one level per bit of a symbol, over any bit vector.
//
// Time: for symbols of b bits, b steps each: rank looks twice a level, select once on the way down
//       and once on the way up; for a matrix that stays as it is, where symbols begin is known for
//       the first log2(n / 256) levels, which saves half of that.
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
#include "hippo/levels.hpp"
#include "hippo/partition.hpp"
#include "hippo/simd.hpp"

namespace hippo {

template <class Bits>
class Wavelet : public Levels<Bits, Digits> {
  using Base = Levels<Bits, Digits>;

 public:
  using Base::bits, Base::descend;
  // The bit of a symbol that level k holds.
  HIPPO_INLINE std::size_t place(std::size_t k) const noexcept { return bits() - 1 - k; }

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
        for (std::size_t q = 0; q < starts; ++q) start[q] = known_start(symbols[first + q]);
        for (std::size_t q = 0; q < count; ++q) {
          end[q] = *positions[first + q];
          levels_[0].prefetch(end[q]);
        }
        for (std::size_t k = 0; k < bits(); ++k) {
          const Bits &level = levels_[k], &next = this->below(k);
          const std::size_t zeros = level.zeros(), word = place(k) / 64, shift = place(k) % 64;
          for (std::size_t q = 0; q < starts; ++q)
            bit[q] = (symbols[first + q][word] >> shift & 1) != 0;
          if (k + 1 == known_)
            for (std::size_t q = 0; q < starts; ++q) next.prefetch(start[q]);
          for (std::size_t q = 0; k >= known_ && q < starts; ++q) {
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
        for (std::size_t q = 0; q < count; ++q) at[q] = known_start(symbols[first + q]);
        for (std::size_t k = known_; k < bits(); ++k) {
          const Bits &level = levels_[k], &next = this->below(k);
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
        const Bits &level = levels_[k], &next = this->below(k);
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
  using typename Base::Places;
  using Base::levels_, Base::size_;

  explicit Wavelet(std::size_t bits) : Base(Digits{bits}) {}

  // Find once and for all where symbols with the same first bits begin, for as many bits as there
  // are 256 symbols for each such start: 1/8 bit a symbol at most. For a matrix that stays as it is.
  void know_starts() {
    known_ = std::min(bits(), static_cast<std::size_t>(std::bit_width(size_ / 256 | 1)) - 1);
    starts_.assign(known_ > 0, 0);
    counting([this]() HIPPO_INLINE {
      for (std::size_t k = 0; k < known_; ++k) {
        std::vector<std::uint32_t> next;
        for (const std::size_t start : starts_) {
          const std::size_t ones = levels_[k].rank1(start);
          next.push_back(static_cast<std::uint32_t>(start - ones));
          next.push_back(static_cast<std::uint32_t>(levels_[k].zeros() + ones));
        }
        starts_.swap(next);
      }
    });
  }

  std::size_t known_bytes() const noexcept { return starts_.size() * sizeof starts_[0]; }

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

 private:
  // Where symbols that share the first bits with this one begin, in the level behind those bits.
  HIPPO_INLINE std::size_t known_start(const Word* symbol) const noexcept {
    if (known_ == 0) return 0;
    const std::size_t from = bits() - known_, word = from / 64, shift = from % 64;
    Word first = symbol[word] >> shift;
    if (64 * (word + 1) < bits() && shift > 0) first |= symbol[word + 1] << (64 - shift);
    return starts_[first];
  }

  std::size_t known_ = 0;  // bits
  std::vector<std::uint32_t> starts_;
};

}  // namespace hippo
