// A bit vector that never changes, with directories for rank and select, over bytes kept elsewhere.
//
// Space over the bits: one word per 1024 bits for rank (6.25 %: the ones before, in 32 bits, and
//        within three quarters of the 1024, in 10 each); a 32-bit hint per 2048 ones and per 2048
//        zeros for select (1.6 %). Together 7.9 %.
// Time:  rank and access read one word of the directory and 4 of the bits, without branches; select
//        searches the directory between two hints, 2 steps where ones are spread evenly.
// Ref:   D. Zhou, D. Andersen, M. Kaminsky. Space-efficient, high-performance rank and select
//        structures on uncompressed bit sequences. SEA 2013.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hippo/bits.hpp"
#include "hippo/simd.hpp"

namespace hippo {

class SealedBits {
 public:
  static constexpr std::size_t block = 1024, quarter = 256, hint_every = 2048;

  // How n bits lie in memory, in words: the number of zeros, the directory, the bits padded with
  // zeros to a quarter that is never full, the hints for ones and then those for zeros.
  struct Layout {
    explicit constexpr Layout(std::size_t n) noexcept
        : blocks(n / block + 1),
          bits(1 + blocks),
          hints(bits + (n / quarter + 1) * (quarter / 64)),
          hint_count(n / hint_every + 4),
          end(hints + (hint_count + 1) / 2) {}
    std::size_t blocks, bits, hints, hint_count, end;
  };

  SealedBits() = default;

  SealedBits(const void* from, std::size_t n) noexcept : size_(n) {
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
    vectorised([=]() HIPPO_INLINE { index_inline(words, n); });
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
    const Words words = bits_ + i / quarter * (quarter / 64);
    const std::size_t last = i / 64 % 4;
    const Word part = low_bits(i % 64);
    std::size_t ones = ones_before(i / block) + ones_within(i / block, i / quarter % 4);
    for (std::size_t j = 0; j < 4; ++j) {
      const Word mask = j < last ? ~Word{0} : j == last ? part : Word{0};
      ones += static_cast<std::size_t>(std::popcount(words[j] & mask));
    }
    return ones;
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

  // The position of the (j + 1)-th bit of this value. Precondition: there is one.
  HIPPO_INLINE std::size_t select(bool value, std::size_t j) const noexcept {
    std::size_t at = hint(value, j / hint_every);
    std::size_t steps = hint(value, j / hint_every + 1) - at + 1;
    while (steps > 1) {  // the last block with at most j before it
      const std::size_t half = steps / 2;
      at += before(value, at + half) <= j ? half : 0;
      steps -= half;
    }
    j -= before(value, at);
    std::size_t part = 0;
    for (std::size_t q = 1; q < 4; ++q) part += within(value, at, q) <= j;
    j -= within(value, at, part);
    const std::size_t first = at * (block / 64) + part * (quarter / 64);
    const Word flip = value ? Word{0} : ~Word{0};
    std::size_t word = 0, seen = 0, passed = 0;
    for (std::size_t w = 0; w < 3; ++w) {
      seen += static_cast<std::size_t>(std::popcount(bits_[first + w] ^ flip));
      word += seen <= j;
      passed = seen <= j ? seen : passed;
    }
    return 64 * (first + word) + select_in_word(bits_[first + word] ^ flip, j - passed);
  }

  HIPPO_INLINE void prefetch(std::size_t i) const noexcept {
    hippo::prefetch((bits_ + i / quarter * (quarter / 64)).bytes(), 1);
    hippo::prefetch((directory_ + i / block).bytes(), 1);
  }

 private:
  // One hint for each 2048 begun, and one more that is the last block.
  static constexpr std::size_t hints_of(std::size_t count) noexcept {
    return (count + hint_every - 1) / hint_every + 1;
  }

  HIPPO_INLINE std::size_t ones_before(std::size_t at) const noexcept {
    return directory_[at] & 0xffffffff;
  }
  HIPPO_INLINE std::size_t ones_within(std::size_t at, std::size_t quarters) const noexcept {
    return directory_[at] >> 32 << 10 >> 10 * quarters & 1023;
  }
  HIPPO_INLINE std::size_t before(bool value, std::size_t at) const noexcept {
    return value ? ones_before(at) : at * block - ones_before(at);
  }
  HIPPO_INLINE std::size_t within(bool value, std::size_t at, std::size_t q) const noexcept {
    return value ? ones_within(at, q) : q * quarter - ones_within(at, q);
  }
  HIPPO_INLINE std::size_t hint(bool value, std::size_t i) const noexcept {
    std::uint32_t found;
    std::memcpy(&found, hints_[value] + 4 * i, 4);
    return found;
  }

  HIPPO_INLINE static void index_inline(Word* words, std::size_t n) noexcept {
    const Layout at{n};
    const Word* bits = words + at.bits;
    std::size_t ones = 0;
    for (std::size_t b = 0; b < at.blocks; ++b) {
      Word entry = ones, inside = 0;
      for (std::size_t q = 0; q < 4; ++q) {
        if (q > 0) entry |= inside << (32 + 10 * (q - 1));
        for (std::size_t w = 0; w < 4; ++w) {
          const std::size_t word = b * (block / 64) + q * 4 + w;
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
        const std::size_t until = b + 1 < at.blocks ? words[2 + b] & 0xffffffff : ones;
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

}  // namespace hippo
