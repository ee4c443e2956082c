// A wavelet matrix that grows at its end: what it holds is at every moment what one built at once
// from the same symbols would hold.
//
// Time: append O(bits log n). extend by m: the same for each symbol of a small batch; for a large
//       one O(bits (m + n / 64)), for every level is written anew from runs of old and new bits.
// Ref:  the DWM paper, section 3.2.1.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "hippo/bits.hpp"
#include "hippo/check.hpp"
#include "hippo/dynamic_bits.hpp"
#include "hippo/partition.hpp"
#include "hippo/simd.hpp"
#include "hippo/wavelet.hpp"

namespace hippo {

class DynamicWavelet : public Wavelet<DynamicBits> {
 public:
  explicit DynamicWavelet(std::size_t bits) : Wavelet(bits) {
    check_width(bits);
    levels_.resize(bits);
  }

  std::size_t nbytes() const noexcept {
    std::size_t bytes = 0;
    for (const DynamicBits& level : levels_) bytes += sizeof level + level.nbytes();
    return bytes;
  }

  // Throw if memory ran out while something was appended: nothing can be asked any more.
  void check() const { wholeness_.check(); }

  // Precondition: the symbol fits.
  void append(const Symbol& symbol) {
    check_length(size_ + 1);
    wholeness_.change([&] { insert(symbol); });
  }

  // Append n symbols of `words()` words each. Precondition: they fit.
  void extend(const Word* symbols, std::size_t n) {
    check_length(size_ + n);
    wholeness_.change([&] { insert(symbols, n); });
  }

 private:
  void insert(const Symbol& symbol) {
    counting([&, this]() HIPPO_INLINE {
      std::size_t at = size_;
      for (std::size_t k = 0; k < bits(); ++k) {
        const bool bit = symbol.bit(place(k));
        const std::size_t ones = levels_[k].insert(at, bit);
        at = bit ? levels_[k].zeros() + ones : at - ones;
      }
    });
    ++size_;
  }

  void insert(const Word* symbols, std::size_t n) {
    // An insertion takes as long as some 1500 bits take to be written anew.
    if (n < 8 || n < size_ / 1500) {
      for (std::size_t i = 0; i < n; ++i, symbols += words()) {
        Symbol symbol;
        std::copy_n(symbols, words(), symbol.words.begin());
        insert(symbol);
      }
    } else if (words() == 1) {
      merge(items_of<1>(symbols, n));
    } else {
      merge(items_of<2>(symbols, n));
    }
  }

  // New symbols that follow one another in a level, and where in the old level they belong.
  struct Addition {
    std::size_t at, count;
  };

  // Symbols that share their upper bits are neighbours in a level, the new behind the old, and so
  // are their zeros and their ones in the next: each run of new symbols becomes two.
  template <std::size_t Wide>
  void merge(std::vector<Item<Wide>> items) {
    const std::size_t n = items.size();
    std::vector<Item<Wide>> room;
    std::vector<Addition> runs{{size_, n}}, lower, upper;
    std::vector<Word> packed(words_for(n) + 1);
    const Words fresh{packed.data()};
    for (std::size_t k = 0; k < bits(); ++k) {
      pack_place(items, place(k), packed.data());
      if (size_ == 0) {
        levels_[k] = DynamicBits(packed.data(), n);
      } else {
        BitWriter held(size_), merged(size_ + n);
        levels_[k].pack(held);
        const Words old{held.words().data()};
        const std::size_t zeros = levels_[k].zeros();
        lower.clear();
        upper.clear();
        counting([&, this]() HIPPO_INLINE {
          std::size_t from = 0, taken = 0, ones = 0;
          for (const Addition& run : runs) {
            ones += merged.copy(old, from, run.at);
            from = run.at;
            const std::size_t added = merged.copy(fresh, taken, taken + run.count);
            taken += run.count;
            if (added < run.count) lower.push_back({from - ones, run.count - added});
            if (added > 0) upper.push_back({zeros + ones, added});
          }
          merged.copy(old, from, size_);
        });
        levels_[k] = DynamicBits(merged.words().data(), size_ + n);
        runs.swap(lower);
        runs.insert(runs.end(), upper.begin(), upper.end());
      }
      part(items, room, packed.data());
    }
    size_ += n;
  }

  Wholeness wholeness_;
};

}  // namespace hippo
