// Packed bits: bit i of a vector is bit i % 64 of word i / 64.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "hippo/simd.hpp"

namespace hippo {

static_assert(std::endian::native == std::endian::little, "words are read from bytes as they are");

using Word = std::uint64_t;

// Positions and counts are kept in 32 bits with a sign; one value is left over to mean "none".
inline constexpr std::size_t max_length = 0x7ffffffe;

// Queries that go through the levels together; a power of two.
inline constexpr std::size_t side_by_side = 32;

constexpr std::size_t words_for(std::size_t bits) noexcept { return (bits + 63) / 64; }

// Ask for the line at this address; inlined, for a call to what has no effect would be left out.
HIPPO_INLINE inline void prefetch_line(const void* at) noexcept {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(at);
#endif
}

// `condition ? yes : no` that compilers do not turn into a branch: bits of data cannot be foreseen.
HIPPO_INLINE constexpr Word pick(bool condition, Word yes, Word no) noexcept {
  return no ^ ((yes ^ no) & (Word{0} - Word{condition}));
}

// Run a loop compiled with the instructions that count and shift bits, where there are any. It is
// `vectorised` for what handles one word at a time: there wider registers gain nothing, and GCC
// 12 loses by computing on words in AVX-512's mask registers.
#if HIPPO_X86
template <class Loop>
__attribute__((target("avx2,popcnt,bmi,bmi2"))) void run_counting(Loop& loop) {
  loop();
}
#endif

template <class Loop>
void counting(Loop loop) {
#if HIPPO_X86
  static const bool counts = processor().popcnt && processor().bmi2;
  if (simd() != Simd::scalar && counts) return run_counting(loop);
#endif
  loop();
}

// The lowest n bits. Precondition: n < 64.
HIPPO_INLINE constexpr Word low_bits(std::size_t n) noexcept { return (Word{1} << n) - 1; }

// Words at any address: bytes from a file need not be aligned.
class Words {
 public:
  Words() = default;
  explicit Words(const void* from) noexcept : from_(static_cast<const char*>(from)) {}

  HIPPO_INLINE Word operator[](std::size_t i) const noexcept {
    Word word;
    std::memcpy(&word, from_ + 8 * i, 8);
    return word;
  }
  HIPPO_INLINE Words operator+(std::size_t words) const noexcept {
    return Words{from_ + 8 * words};
  }
  HIPPO_INLINE const char* bytes() const noexcept { return from_; }

 private:
  const char* from_ = nullptr;
};

// Bits [at, at + count) as a number. Preconditions: 0 < count <= 64; they lie within the words.
HIPPO_INLINE inline Word read_bits(Words words, std::size_t at, std::size_t count) noexcept {
  const std::size_t shift = at % 64;
  Word found = words[at / 64] >> shift;
  if (shift + count > 64) found |= words[at / 64 + 1] << (64 - shift);
  return count == 64 ? found : found & low_bits(count);
}

// How many ones lie in [from, to).
HIPPO_INLINE inline std::size_t count_ones(Words words, std::size_t from, std::size_t to) noexcept {
  std::size_t ones = 0;
  for (; from + 64 <= to; from += 64)
    ones += static_cast<std::size_t>(std::popcount(read_bits(words, from, 64)));
  if (from < to) ones += static_cast<std::size_t>(std::popcount(read_bits(words, from, to - from)));
  return ones;
}

namespace detail {
constexpr auto select_table = [] {
  std::array<std::array<std::uint8_t, 8>, 256> table{};
  for (unsigned byte = 0; byte < 256; ++byte)
    for (unsigned bit = 0, seen = 0; bit < 8; ++bit)
      if (byte >> bit & 1) table[byte][seen++] = static_cast<std::uint8_t>(bit);
  return table;
}();
}  // namespace detail

// The position of the (j + 1)-th one, without branches: sums over the bytes, then a table.
//
// Precondition: j < popcount(word).
// Ref: S. Vigna. Broadword implementation of rank/select queries. WEA 2008.
HIPPO_INLINE inline std::size_t select_in_word(Word word, std::size_t j) noexcept {
  constexpr Word every = 0x0101010101010101, high = 0x8080808080808080;
  Word sums = word - (word >> 1 & 0x5555555555555555);
  sums = (sums & 0x3333333333333333) + (sums >> 2 & 0x3333333333333333);
  sums = ((sums + (sums >> 4)) & 0x0f0f0f0f0f0f0f0f) * every;  // byte b: ones in bytes 0 to b
  const Word passed = (((j * every | high) - sums) & high) >> 7;
  const std::size_t place = 8 * (passed * every >> 56);
  return place + detail::select_table[word >> place & 0xff][j - ((sums << 8) >> place & 0xff)];
}

// Packs runs of bits one after another.
class BitWriter {
 public:
  // Room for `bits`; what is beyond the bits pushed stays 0.
  explicit BitWriter(std::size_t bits) : words_(words_for(bits) + 1) {}

  // Precondition: count <= 64, and `bits` has none above count.
  HIPPO_INLINE void push(Word bits, std::size_t count) noexcept {
    const std::size_t shift = size_ % 64;
    Word* to = words_.data() + size_ / 64;
    *to |= bits << shift;
    if (shift + count > 64) to[1] = bits >> (64 - shift);
    size_ += count;
  }

  // Push bits [from, to) of `words`, and return how many of them are 1.
  HIPPO_INLINE std::size_t copy(Words words, std::size_t from, std::size_t to) noexcept {
    std::size_t ones = 0;
    while (from < to) {
      const std::size_t count = std::min<std::size_t>(64, to - from);
      const Word bits = read_bits(words, from, count);
      ones += static_cast<std::size_t>(std::popcount(bits));
      push(bits, count);
      from += count;
    }
    return ones;
  }

  std::vector<Word>& words() noexcept { return words_; }

 private:
  std::vector<Word> words_;
  std::size_t size_ = 0;
};

}  // namespace hippo
