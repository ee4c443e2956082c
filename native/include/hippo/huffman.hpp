// Huffman codes for the levels of a wavelet matrix: what is frequent is on few of them.
//
// Codes are numbered as their ends lie in a level. Of the codes of one length those that go on come
// first, so `inner(d)` of them are numbered from 0 on, and behind them those that end; one that goes
// on as number i becomes i with a 0 and inner(d) + i with a 1. So on the way down inner(d) is added
// up for every 1, and on the way up a 1 is where the number is not below it.
//
// Space: 13 bytes for each symbol that occurs.
// Ref:   F. Claude, G. Navarro, A. Ordonez. The wavelet matrix: an efficient wavelet tree for large
//        alphabets. Information Systems 47, 2015 (section 5).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "hippo/bits.hpp"
#include "hippo/simd.hpp"

namespace hippo {

// Sort words by their bits from `from` on, below which order they keep. O(n (to - from) / 8).
//
// Precondition: bits at `to` and above are 0.
inline void sort_words(std::vector<Word>& words, std::size_t from, std::size_t to) {
  std::vector<Word> room(words.size());
  for (; from < to; from += 8) {
    std::array<std::size_t, 257> begins{};
    for (const Word word : words) ++begins[(word >> from & 255) + 1];
    for (std::size_t digit = 1; digit < 256; ++digit) begins[digit] += begins[digit - 1];
    for (const Word word : words) room[begins[word >> from & 255]++] = word;
    words.swap(room);
  }
}

class HuffmanCode {
 public:
  static constexpr bool uneven = true;
  static constexpr std::size_t max_bits = 32;    // of a symbol
  static constexpr std::size_t max_length = 64;  // of a code; from 2^31 symbols 44 at most
  static constexpr std::size_t unknown = static_cast<std::size_t>(-1);

  HuffmanCode() = default;

  // Symbols in the order of their leaves: the longest codes first, then by symbol; `ending[d]`: how
  // many have a code of d bits. Precondition: the codes fill the tree.
  HuffmanCode(std::size_t symbol_bits, const std::vector<std::size_t>& ending,
              std::vector<std::uint32_t> symbols)
      : bits(symbol_bits), symbols_(std::move(symbols)), lengths_(symbols_.size()) {
    std::size_t going_on = 0, first = symbols_.size();
    for (std::size_t d = 0; d < ending.size(); ++d) {
      going_on = d == 0 ? (ending.size() > 1) : 2 * going_on - ending[d];
      first -= ending[d];
      inner_.push_back(going_on);
      first_.push_back(first - going_on);
      std::fill_n(lengths_.data() + first, ending[d], static_cast<std::uint8_t>(d));
    }
    std::vector<Word> sorted(symbols_.size());
    for (std::size_t leaf = 0; leaf < sorted.size(); ++leaf)
      sorted[leaf] = Word{symbols_[leaf]} << 32 | leaf;
    sort_words(sorted, 32, 32 + bits);
    for (const Word word : sorted) {
      sorted_.push_back(static_cast<std::uint32_t>(word >> 32));
      leaves_.push_back(static_cast<std::uint32_t>(word));
    }
  }

  // The code for symbols, ascending, that occur so often.
  static HuffmanCode optimal(std::size_t symbol_bits, const std::vector<std::uint32_t>& symbols,
                             const std::vector<Word>& counts) {
    const std::size_t m = symbols.size();
    if (m == 0) return {symbol_bits, {}, {}};
    std::vector<Word> order(m);  // the rarest first
    for (std::size_t i = 0; i < m; ++i) order[i] = counts[i] << 32 | i;
    sort_words(order, 32, 64);
    std::vector<Word> weight(2 * m - 1);
    std::vector<std::size_t> parent(2 * m - 1), length(2 * m - 1);
    for (std::size_t i = 0; i < m; ++i) weight[i] = order[i] >> 32;
    std::size_t leaf = 0, pair = m, made = m;  // both rows ascend, so the least is in front of one
    const auto least = [&] {
      return pair == made || (leaf < m && weight[leaf] <= weight[pair]) ? leaf++ : pair++;
    };
    for (; made < 2 * m - 1; ++made)
      for (int half = 0; half < 2; ++half) {
        const std::size_t child = least();
        weight[made] += weight[child];
        parent[child] = made;
      }
    for (std::size_t i = 2 * m - 2; i-- > 0;) length[i] = length[parent[i]] + 1;
    std::vector<std::uint8_t> of(m);
    std::vector<std::size_t> ending(1 + *std::max_element(length.begin(), length.end()));
    for (std::size_t i = 0; i < m; ++i) {
      of[order[i] & 0xffffffff] = static_cast<std::uint8_t>(length[i]);
      ++ending[length[i]];
    }
    std::vector<std::size_t> next(ending.size());
    for (std::size_t d = ending.size() - 1; d-- > 0;) next[d] = next[d + 1] + ending[d + 1];
    std::vector<std::uint32_t> leaves(m);
    for (std::size_t i = 0; i < m; ++i) leaves[next[of[i]]++] = symbols[i];
    return {symbol_bits, ending, std::move(leaves)};
  }

  std::size_t size() const noexcept { return symbols_.size(); }
  std::size_t nbytes() const noexcept { return 13 * size(); }
  // The most bits of a code, and so the levels.
  std::size_t longest() const noexcept { return inner_.empty() ? 0 : inner_.size() - 1; }
  std::size_t inner(std::size_t d) const noexcept { return inner_[d]; }

  HIPPO_INLINE std::size_t word(std::size_t) const noexcept { return 0; }
  HIPPO_INLINE Word weight(std::size_t k) const noexcept { return inner_[k]; }

  // The leaf that the codes of this length have at a number, and its symbol.
  HIPPO_INLINE std::size_t leaf(std::size_t length, std::size_t number) const noexcept {
    return first_[length] + number;
  }
  HIPPO_INLINE Word symbol(std::size_t length, std::size_t number) const noexcept {
    return symbols_[leaf(length, number)];
  }
  Word symbol(std::size_t leaf) const noexcept { return symbols_[leaf]; }
  HIPPO_INLINE std::size_t length(std::size_t leaf) const noexcept { return lengths_[leaf]; }
  HIPPO_INLINE std::size_t number(std::size_t leaf) const noexcept {
    return leaf - first_[lengths_[leaf]];
  }

  bool distinct() const noexcept {
    return std::adjacent_find(sorted_.begin(), sorted_.end()) == sorted_.end();
  }

  // The bits of a code; the first is the lowest.
  HIPPO_INLINE Word path(std::size_t leaf) const noexcept {
    Word found = 0;
    std::size_t at = number(leaf);
    for (std::size_t k = lengths_[leaf]; k-- > 0;) {
      const bool bit = at >= inner_[k];
      found = found << 1 | Word{bit};
      at -= pick(bit, inner_[k], 0);
    }
    return found;
  }

  // Turn each symbol into its leaf, or `unknown`; all side by side.
  HIPPO_INLINE void find(std::size_t* symbols, std::size_t count) const noexcept {
    std::array<std::size_t, side_by_side> at{};
    for (std::size_t left = size(); left > 1; left -= left / 2)
      for (std::size_t q = 0; q < count; ++q)
        at[q] += pick(sorted_[at[q] + left / 2] <= symbols[q], left / 2, 0);
    for (std::size_t q = 0; q < count; ++q) {
      const bool known = size() > 0 && sorted_[at[q]] == symbols[q];
      symbols[q] = known ? leaves_[at[q]] : unknown;
    }
  }

  std::size_t bits = 0;  // of a symbol

 private:
  std::vector<std::uint32_t> symbols_;              // by leaf
  std::vector<std::uint8_t> lengths_;               // by leaf
  std::vector<std::uint32_t> sorted_, leaves_;      // symbols ascending, and the leaf of each
  std::vector<std::size_t> inner_, first_;          // by length
};

}  // namespace hippo
