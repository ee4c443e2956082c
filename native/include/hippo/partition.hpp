// The step that makes a wavelet matrix: write one bit of every symbol, then part the symbols by it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

#include "hippo/bits.hpp"
#include "hippo/simd.hpp"

namespace hippo {

// A symbol of up to 128 bits, low word first.
struct Symbol {
  std::array<Word, 2> words{};

  HIPPO_INLINE constexpr bool bit(std::size_t place) const noexcept {
    return (words[place / 64] >> place % 64 & 1) != 0;
  }
  HIPPO_INLINE constexpr void set(std::size_t place, bool to = true) noexcept {
    words[place / 64] |= Word{to} << place % 64;
  }
  HIPPO_INLINE constexpr void flip(std::size_t place) noexcept {
    words[place / 64] ^= Word{1} << place % 64;
  }
  friend constexpr bool operator<(const Symbol& a, const Symbol& b) noexcept {
    return a.words[1] != b.words[1] ? a.words[1] < b.words[1] : a.words[0] < b.words[0];
  }
};

// Symbols as their arrays hold them: `Wide` words each.
template <std::size_t Wide>
using Item = std::array<Word, Wide>;

// Pack bit `place` of every symbol. O(n).
template <std::size_t Wide>
void pack_place(const std::vector<Item<Wide>>& items, std::size_t place, Word* out) {
  vectorised([&items, out, word = place / 64, shift = place % 64]() HIPPO_INLINE {
    for (std::size_t i = 0; i < items.size(); i += 64) {
      const std::size_t count = std::min<std::size_t>(64, items.size() - i);
      Word packed = 0;
      for (std::size_t j = 0; j < count; ++j) packed |= (items[i + j][word] >> shift & 1) << j;
      out[i / 64] = packed;
    }
  });
}

// Move the symbols whose bit is 0 before those whose bit is 1, keeping the order of each. Returns
// how many are 0. O(n).
template <std::size_t Wide>
std::size_t part(std::vector<Item<Wide>>& items, std::vector<Item<Wide>>& room, const Word* bits) {
  const std::size_t n = items.size(), zeros = n - count_ones(Words{bits}, 0, n);
  room.resize(n);
  std::size_t zero = 0, one = zeros;
  for (std::size_t i = 0; i < n; ++i) {
    const Word bit = bits[i / 64] >> i % 64 & 1;
    room[pick(bit != 0, one, zero)] = items[i];
    one += bit;
    zero += 1 - bit;
  }
  items.swap(room);
  return zeros;
}

template <std::size_t Wide>
std::vector<Item<Wide>> items_of(const Word* symbols, std::size_t n) {
  std::vector<Item<Wide>> items(n);
  if (n > 0) std::memcpy(items.data(), symbols, n * sizeof(Item<Wide>));
  return items;
}

}  // namespace hippo
