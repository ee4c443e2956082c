// A bit vector that never changes, with directories for rank and select, over bytes kept elsewhere.
//
// Space over the bits: one word per block of 1024 or 2048 bits for rank (6.25 or 3.1 %: the ones
//        before it, and those within one, two and three quarters of it), and a 32-bit hint per two
//        blocks of ones and of zeros for select (1.6 or 0.8 %). Together 7.9 or 3.9 %.
// Time:  rank and access read one word of the directory and 4 or 8 of the bits, without branches;
//        select guesses a block between two hints, and is next to it where ones are spread evenly.
// Ref:   D. Zhou, D. Andersen, M. Kaminsky. Space-efficient, high-performance rank and select
//        structures on uncompressed bit sequences. SEA 2013.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "hippo/bits.hpp"
#include "hippo/simd.hpp"

namespace hippo {

template <std::size_t Block>
class BlockedBits {
 public:
  static_assert(Block == 1024 || Block == 2048, "counts within a block fit beside those before it");
  static constexpr std::size_t block = Block, quarter = Block / 4, hint_every = 2 * Block;
  static constexpr std::size_t quarter_words = quarter / 64;

  // How n bits lie in memory, in words: the number of zeros, the directory, the bits padded with
  // zeros to a quarter that is never full, the hints for ones and then those for zeros.
  struct Layout {
    explicit constexpr Layout(std::size_t n) noexcept
        : blocks(n / block + 1),
          bits(1 + blocks),
          hints(bits + (n / quarter + 1) * quarter_words),
          hint_count(n / hint_every + 4),
          end(hints + (hint_count + 1) / 2) {}
    std::size_t blocks, bits, hints, hint_count, end;
  };

  BlockedBits() = default;

  BlockedBits(const void* from, std::size_t n) noexcept : size_(n) {
    const Layout at{n};
    const Words words{from};
    zeros_ = words[0];
    directory_ = words + 1;
    bits_ = words + at.bits;
    hints_[1] = (words + at.hints).bytes();
    hints_[0] = hints_[1] + 4 * hints_of(n - zeros_);
  }

  // Write everything but the bits, which are there already. O(n / 64).
  static void index(Word* words, std::size_t n) noexcept {
    counting([=]() HIPPO_INLINE { index_inline(words, n); });
  }

  // What is wrong with n bits from elsewhere, if anything is: the directories must be those of the
  // bits, and the bits beyond the last must be 0.
  static const char* fault(Words words, std::size_t n) {
    const Layout at{n};
    std::vector<Word> again(at.end);
    std::memcpy(again.data() + at.bits, (words + at.bits).bytes(), 8 * (at.hints - at.bits));
    for (std::size_t w = n / 64; at.bits + w < at.hints; ++w)
      if (again[at.bits + w] & ~(w == n / 64 ? low_bits(n % 64) : Word{0}))
        return "has bits beyond its end";
    index(again.data(), n);
    if (std::memcmp(again.data(), words.bytes(), 8 * at.end) != 0)
      return "has a directory that is not that of its bits";
    return nullptr;
  }

  std::size_t size() const noexcept { return size_; }
  std::size_t zeros() const noexcept { return zeros_; }
  void pack(BitWriter& out) const noexcept { out.copy(bits_, 0, size_); }

  struct Look {
    bool bit;
    std::size_t ones;  // before it
  };

  // Precondition: i < size().
  HIPPO_INLINE Look look(std::size_t i) const noexcept {
    return {(bits_[i / 64] >> i % 64 & 1) != 0, rank1(i)};
  }

  // How many ones lie in [0, i). Precondition: i <= size().
  HIPPO_INLINE std::size_t rank1(std::size_t i) const noexcept {
    // The words of a quarter before the one that i lies in count in full, those behind not at all.
    static constexpr auto full = [] {
      std::array<Word, 2 * quarter_words> masks{};
      std::fill_n(masks.begin(), quarter_words - 1, ~Word{0});
      return masks;
    }();
    const Words words = bits_ + i / quarter * quarter_words;
    const std::size_t last = i / 64 % quarter_words;
    const Word* masks = full.data() + quarter_words - 1 - last;
    std::size_t ones = ones_before(i / block) + ones_within(i / block, i / quarter % 4);
    for (std::size_t j = 0; j + 1 < quarter_words; ++j)
      ones += static_cast<std::size_t>(std::popcount(words[j] & masks[j]));
    return ones + static_cast<std::size_t>(std::popcount(words[last] & low_bits(i % 64)));
  }

  // Bits [i, i + count) as a number, and the ones before them. Preconditions: 0 < count <= 64; they
  // lie within size().
  struct Window {
    Word bits;
    std::size_t ones;
  };
  HIPPO_INLINE Window window(std::size_t i, std::size_t count) const noexcept {
    return {read_bits(bits_, i, count), rank1(i)};
  }

  // Turn each at[q] = j into the position of the (j + 1)-th bit of value[q], in steps of one miss
  // each, all queries side by side. Preconditions: there are such bits; count <= side_by_side.
  HIPPO_INLINE void select(const bool* value, std::size_t* at, std::size_t count) const noexcept {
    std::array<std::size_t, side_by_side> guess, last;
    std::array<Quarter, side_by_side> inside;
    for (std::size_t q = 0; q < count; ++q) {
      const std::size_t s = at[q] / hint_every, low = hint(value[q], s);
      last[q] = hint(value[q], s + 1);
      guess[q] = low + at[q] % hint_every * (last[q] - low) / hint_every;
      prefetch_line((directory_ + guess[q]).bytes());
    }
    // Bits lie evenly between two hints as a rule, so the guess is right or next to it.
    for (std::size_t q = 0; q < count; ++q) {
      const std::size_t over = before(value[q], guess[q]) > at[q];
      const std::size_t inner = guess[q] < last[q];  // no &&, which would branch
      const std::size_t under = inner & (before(value[q], guess[q] + 1) <= at[q]);
      inside[q] = find_quarter(value[q], guess[q] + under - over, at[q]);
      prefetch_line((bits_ + inside[q].word).bytes());
    }
    for (std::size_t q = 0; q < count; ++q)
      if (!select_in_quarter(value[q], inside[q], at[q])) [[unlikely]]
        select_in_quarter(value[q], find_quarter(value[q], find_block(value[q], at[q]), at[q]),
                          at[q]);
  }

  HIPPO_INLINE void prefetch(std::size_t i) const noexcept {
    prefetch_line((bits_ + i / quarter * quarter_words).bytes());
    if constexpr (quarter_words > 4) prefetch_line((bits_ + i / 64).bytes());
    prefetch_line((directory_ + i / block).bytes());
  }

 private:
  // An entry of the directory: ones before the block, then three times those within.
  static constexpr std::size_t within_bits = static_cast<std::size_t>(std::bit_width(3 * quarter));
  static constexpr std::size_t before_bits = std::min<std::size_t>(32, 64 - 3 * within_bits);
  static_assert(max_length >> before_bits == 0);

  // One hint for each so many begun, and one more that is the last block.
  static constexpr std::size_t hints_of(std::size_t count) noexcept {
    return (count + hint_every - 1) / hint_every + 1;
  }

  HIPPO_INLINE std::size_t ones_before(std::size_t at) const noexcept {
    return directory_[at] & low_bits(before_bits);
  }
  HIPPO_INLINE std::size_t ones_within(std::size_t at, std::size_t quarters) const noexcept {
    return within(directory_[at] >> before_bits, quarters);
  }
  HIPPO_INLINE static std::size_t within(Word counts, std::size_t quarters) noexcept {
    return counts << within_bits >> within_bits * quarters & low_bits(within_bits);
  }
  HIPPO_INLINE std::size_t before(bool value, std::size_t at) const noexcept {
    return pick(value, ones_before(at), at * block - ones_before(at));
  }
  HIPPO_INLINE std::size_t hint(bool value, std::size_t i) const noexcept {
    std::uint32_t found;
    std::memcpy(&found, hints_[value] + 4 * i, 4);
    return found;
  }

  // The last block with at most j bits of this value before it.
  std::size_t find_block(bool value, std::size_t j) const noexcept {
    std::size_t at = hint(value, j / hint_every);
    for (std::size_t steps = hint(value, j / hint_every + 1) + 1 - at; steps > 1;) {
      const std::size_t half = steps / 2;
      at += pick(before(value, at + half) <= j, half, 0);
      steps -= half;
    }
    return at;
  }

  // A quarter of a block, by its first word, and how many bits of a value to pass over in it.
  struct Quarter {
    std::size_t word, pass;
  };

  // Where the (j + 1)-th bit is if it is in block b, and some quarter with fewer bits if not.
  HIPPO_INLINE Quarter find_quarter(bool value, std::size_t b, std::size_t j) const noexcept {
    j -= before(value, b);
    const Word inside = directory_[b] >> before_bits;
    constexpr Word all = quarter | 2 * quarter << within_bits | 3 * quarter << 2 * within_bits;
    const Word counts = pick(value, inside, all - inside);
    const std::size_t which =
        (within(counts, 1) <= j) + (within(counts, 2) <= j) + (within(counts, 3) <= j);
    return {b * (block / 64) + which * quarter_words, j - within(counts, which)};
  }

  // Write the position of the bit, or return false if there are not so many.
  HIPPO_INLINE bool select_in_quarter(bool value, Quarter inside, std::size_t& at) const noexcept {
    const Words words = bits_ + inside.word;
    const Word flip = Word{value} - 1;
    std::size_t word = 0, seen = 0, passed = 0;
    for (std::size_t w = 0; w + 1 < quarter_words; ++w) {
      seen += static_cast<std::size_t>(std::popcount(words[w] ^ flip));
      word += seen <= inside.pass;
      passed = pick(seen <= inside.pass, seen, passed);
    }
    const Word found = words[word] ^ flip;
    const std::size_t j = inside.pass - passed;
    if (j >= static_cast<std::size_t>(std::popcount(found))) return false;
    at = 64 * (inside.word + word) + select_in_word(found, j);
    return true;
  }

  HIPPO_INLINE static void index_inline(Word* words, std::size_t n) noexcept {
    const Layout at{n};
    const Word* bits = words + at.bits;
    std::size_t ones = 0;
    for (std::size_t b = 0; b < at.blocks; ++b) {
      Word entry = ones, inside = 0;
      for (std::size_t q = 0; q < 4; ++q) {
        if (q > 0) entry |= inside << (before_bits + within_bits * (q - 1));
        for (std::size_t w = 0; w < quarter_words; ++w) {
          const std::size_t word = b * (block / 64) + q * quarter_words + w;
          if (at.bits + word < at.hints) inside += static_cast<Word>(std::popcount(bits[word]));
        }
      }
      words[1 + b] = entry;
      ones += inside;
    }
    words[0] = n - ones;
    std::fill(words + at.hints, words + at.end, Word{0});
    char* hints = reinterpret_cast<char*>(words + at.hints);
    const auto write_hint = [&hints](std::size_t b) HIPPO_INLINE {
      const auto hint = static_cast<std::uint32_t>(b);
      std::memcpy(hints, &hint, 4);
      hints += 4;
    };
    for (const bool value : {true, false}) {
      const std::size_t count = value ? ones : n - ones;
      std::size_t next = 0;
      for (std::size_t b = 0; b < at.blocks && next < count; ++b) {
        const std::size_t end = std::min((b + 1) * block, n);
        const std::size_t until = b + 1 < at.blocks ? words[2 + b] & low_bits(before_bits) : ones;
        for (const std::size_t most = value ? until : end - until; next < most; next += hint_every)
          write_hint(b);
      }
      write_hint(at.blocks - 1);
    }
  }

  std::size_t size_ = 0, zeros_ = 0;
  Words directory_, bits_;
  const char* hints_[2] = {nullptr, nullptr};  // by the bit's value
};

using SealedBits = BlockedBits<1024>;
using LeanBits = BlockedBits<2048>;  // for half the directory, rank reads twice the words

}  // namespace hippo
