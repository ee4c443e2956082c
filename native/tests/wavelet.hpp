// Random sequences of operations on the wavelet matrices, against a plain vector of symbols; shared
// by the sanitizer program and the fuzz target. What differs ends the program.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <vector>

#include "hippo/checksum.hpp"
#include "hippo/dynamic_wavelet.hpp"
#include "hippo/huffman_wavelet.hpp"
#include "hippo/sealed_wavelet.hpp"

namespace wavelet_test {

using hippo::Symbol;
using hippo::Word;

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::printf("the wavelet matrix is wrong: %s\n", what);
  std::abort();
}

// Decisions, drawn from bytes until there are none left.
class Draw {
 public:
  Draw(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  bool more() const { return left_ > 0; }

  Word word() {
    Word found = 0;
    const std::size_t take = std::min<std::size_t>(left_, 8);
    if (take > 0) std::memcpy(&found, data_, take);
    data_ += take;
    left_ -= take;
    return found;
  }

  std::size_t below(std::size_t bound) {
    if (left_ == 0) return 0;
    std::size_t found = *data_++;
    --left_;
    if (bound > 256 && left_ > 0) found |= std::size_t{*data_++} << 8, --left_;
    return found % bound;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

struct Plain {
  std::size_t bits;
  std::vector<Symbol> symbols;

  std::vector<Word> packed(std::size_t start, std::size_t end) const {
    std::vector<Word> words;
    for (std::size_t i = start; i < end; ++i)
      words.insert(words.end(), symbols[i].words.begin(),
                   symbols[i].words.begin() + (bits > 64 ? 2 : 1));
    return words;
  }
};

inline bool same(const Symbol& a, const Symbol& b) { return a.words == b.words; }

// Ask one question of the matrix, and of the vector.
template <class Matrix>
void ask(const Matrix& matrix, const Plain& plain, Draw& draw) {
  const std::vector<Symbol>& all = plain.symbols;
  const std::size_t n = all.size(), wide = matrix.words();
  require(matrix.size() == n, "size");
  if (n == 0) return;
  const std::size_t a = draw.below(n + 1), b = draw.below(n + 1), at = draw.below(n);
  const hippo::Range range{std::min(a, b), std::max(a, b)};
  const Symbol& symbol = all[at];
  const auto equal = [&](const Symbol& other) { return same(other, symbol); };
  const auto begin = all.begin();
  const auto iterator = [&](std::size_t i) { return begin + static_cast<std::ptrdiff_t>(i); };
  const auto first = iterator(range.start), last = iterator(range.end);
  switch (draw.below(8)) {
    case 0: {
      std::vector<Word> out(n * wide), positions(n);
      for (std::size_t i = 0; i < n; ++i) positions[i] = i;
      matrix.access(positions.data(), n, out.data());
      require(out == plain.packed(0, n), "access");
      break;
    }
    case 1: {
      std::vector<Word> out(range.size() * wide);
      matrix.span(range.start, range.end, out.data());
      require(out == plain.packed(range.start, range.end), "span");
      break;
    }
    case 2: {
      Word place = at, rank = 0, found = 0;
      matrix.rank({symbol.words.data(), 0}, {&place, 0}, 1, &rank);
      require(rank == static_cast<Word>(std::count_if(begin, iterator(at), equal)), "rank");
      matrix.select({symbol.words.data(), 0}, {&rank, 0}, 1, &found);
      require(found == at, "select");
      const Word beyond = static_cast<Word>(std::count_if(begin, all.end(), equal));
      matrix.select({symbol.words.data(), 0}, {&beyond, 0}, 1, &found);
      require(found == hippo::nowhere, "select beyond the last");
      break;
    }
    case 3: {
      if (range.size() == 0) break;
      std::vector<Symbol> sorted(first, last);
      std::sort(sorted.begin(), sorted.end());
      const std::size_t k = draw.below(range.size());
      require(same(matrix.quantile(range, k), sorted[k]), "quantile");
      const auto below = std::lower_bound(sorted.begin(), sorted.end(), symbol) - sorted.begin();
      require(matrix.count_below(range, symbol) == static_cast<std::size_t>(below), "count_below");
      break;
    }
    case 4: {
      std::size_t total = 0, before = n + 1;
      const std::size_t k = draw.below(9);
      const auto best = matrix.top_k(range, k);
      require(best.size() <= k, "top_k gives more than asked");
      for (const auto& [which, count] : best) {
        const auto found = std::count_if(first, last, [&, &which = which](const Symbol& other) {
          return same(other, which);
        });
        require(count == static_cast<std::size_t>(found) && count <= before, "top_k");
        before = count;
        total += count;
      }
      require(best.size() == k || total == range.size(), "top_k leaves symbols out");
      break;
    }
    case 5: {
      std::optional<Word> next, previous;
      for (std::size_t i = n; i-- > range.start;)
        if (equal(all[i])) next = i;
      for (std::size_t i = 0; i < range.start; ++i)
        if (equal(all[i])) previous = i;
      require(next_occurrence(matrix, symbol, range.start) == next, "next_occurrence");
      require(previous_occurrence(matrix, symbol, range.start) == previous, "previous_occurrence");
      break;
    }
    default: {
      const std::size_t radius = draw.below(6);
      std::vector<Word> near;
      for (std::size_t i = 0; i < n; ++i) {
        int differing = 0;
        for (std::size_t w = 0; w < 2; ++w)
          differing += std::popcount(all[i].words[w] ^ symbol.words[w]);
        if (static_cast<std::size_t>(differing) <= radius) near.push_back(i);
      }
      require(matrix.ball(symbol, radius) == near, "ball");
    }
  }
}

// Bytes in a block of exactly their size, at an odd address.
class Odd {
 public:
  Odd(const void* bytes, std::size_t n) : held_(n + 1), size_(n) {
    if (n > 0) std::memcpy(held_.data() + 1, bytes, n);
  }
  const void* data() const { return held_.data() + 1; }
  std::size_t size() const { return size_; }

 private:
  std::vector<char> held_;
  std::size_t size_;
};

// Bytes are read or refused; what is read answers without leaving its bytes.
template <class Matrix>
void read(const void* bytes, std::size_t n) {
  const Odd odd{bytes, n};
  try {
    const auto matrix = Matrix::load(odd.data(), odd.size());
    // One symbol takes no bits however often it occurs, and is not read out to its end.
    const Word size = std::min<Word>(matrix.size(), 8 * n);
    if (size == 0) return;
    std::vector<Word> out(size * matrix.words()), again(out.size());
    matrix.span(0, size, out.data());
    for (Word i = 0; i < size; ++i) {
      Word* symbol = again.data() + i * matrix.words();
      Word rank = 0, found = 0;
      matrix.access(&i, 1, symbol);
      matrix.rank({symbol, 0}, {&i, 0}, 1, &rank);
      matrix.select({symbol, 0}, {&rank, 0}, 1, &found);
      require(found == i, "what was read contradicts itself");
    }
    require(out == again, "what was read contradicts itself");
    if (size == matrix.size()) matrix.ball({}, 3);
  } catch (const std::invalid_argument&) {
  }
}

// The same with the length and the checksum that such bytes should have, so that what lies behind
// them is reached.
template <class Matrix>
void read_mended(std::vector<std::uint8_t> bytes) {
  if (bytes.size() < 40) return;
  const Word length = bytes.size();
  std::memcpy(bytes.data() + 24, &length, 8);
  const Word sum = hippo::checksum(bytes.data(), bytes.size() - 8);
  std::memcpy(bytes.data() + bytes.size() - 8, &sum, 8);
  read<Matrix>(bytes.data(), bytes.size());
}

// Write a matrix, read it back and ask it, then alter its bytes and read what they are now.
template <class Matrix>
void write_and_read(const Matrix& built, const Plain& plain, Draw& draw) {
  const Odd written{built.data(), built.length()};
  const auto loaded = Matrix::load(written.data(), written.size());
  for (int i = 0; i < 6; ++i) ask(loaded, plain, draw);
  std::vector<std::uint8_t> spoilt(written.size());
  std::memcpy(spoilt.data(), written.data(), written.size());
  const std::size_t head = std::min<std::size_t>(200, spoilt.size());
  const std::size_t within = draw.below(2) == 0 ? spoilt.size() : head;
  spoilt[draw.word() % within] ^= static_cast<std::uint8_t>(1 + draw.below(255));
  read_mended<Matrix>(spoilt);
  spoilt.resize(draw.word() % spoilt.size());
  read_mended<Matrix>(spoilt);
}

// Alter every byte of a Huffman-shaped matrix, and then every bit of its levels with directories that
// are those of the bits.
inline void alter_huffman(const std::vector<Word>& symbols, std::size_t bits) {
  const auto built = hippo::HuffmanWavelet::build(symbols.data(), symbols.size(), bits);
  std::vector<std::uint8_t> bytes(built.length());
  std::memcpy(bytes.data(), built.data(), bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (const int change : {1, 2, 4, 8, 16, 32, 64, 128, 127, 255}) {
      auto spoilt = bytes;
      spoilt[i] ^= static_cast<std::uint8_t>(change);
      read_mended<hippo::HuffmanWavelet>(spoilt);
    }
  Word table;
  std::memcpy(&table, bytes.data() + 40, 8);
  std::size_t at = 6 + (table + 7) / 8;
  for (std::size_t k = 0; k < built.depth(); ++k) {
    const std::size_t n = built.level(k).size();
    const hippo::LeanBits::Layout layout{n};
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<Word> level(layout.end);
      std::memcpy(level.data(), bytes.data() + 8 * at, 8 * layout.end);
      level[layout.bits + i / 64] ^= Word{1} << i % 64;
      hippo::LeanBits::index(level.data(), n);
      auto spoilt = bytes;
      std::memcpy(spoilt.data() + 8 * at, level.data(), 8 * layout.end);
      read_mended<hippo::HuffmanWavelet>(spoilt);
    }
    at += layout.end;
  }
  require(8 * (at + 1) == bytes.size(), "the levels are not where they should be");
}

// Grow a matrix as the bytes say, asking on the way; seal, write, alter and read it.
inline void exercise(const std::uint8_t* data, std::size_t size) {
  Draw draw{data, size};
  const std::size_t bits = 1 + draw.below(128);
  Plain plain{bits, {}};
  hippo::DynamicWavelet dynamic{bits};
  std::vector<Symbol> seen(1);
  const auto fresh = [&] {
    Symbol symbol = seen[draw.below(seen.size())];
    if (draw.below(3) == 0) {
      const Symbol any{{draw.word(), draw.word()}};
      for (std::size_t place = 0; place < bits; ++place)
        if (any.bit(place)) symbol.flip(place);
      seen.push_back(symbol);
    }
    return symbol;
  };
  while (draw.more() && plain.symbols.size() < 3000) {
    switch (draw.below(4)) {
      case 0: {
        const Symbol symbol = fresh();
        dynamic.append(symbol);
        plain.symbols.push_back(symbol);
        break;
      }
      case 1: {
        const std::size_t before = plain.symbols.size();
        for (std::size_t left = draw.below(400); left > 0; --left) plain.symbols.push_back(fresh());
        const auto words = plain.packed(before, plain.symbols.size());
        dynamic.extend(words.data(), plain.symbols.size() - before);
        break;
      }
      default: ask(dynamic, plain, draw);
    }
  }
  const auto words = plain.packed(0, plain.symbols.size());
  const auto built = hippo::SealedWavelet::build(words.data(), plain.symbols.size(), bits);
  const hippo::SealedWavelet sealed{dynamic};
  require(built.length() == sealed.length() &&
              std::memcmp(built.data(), sealed.data(), built.length()) == 0,
          "grown and sealed is not what is built at once");
  write_and_read(built, plain, draw);
  if (bits <= hippo::HuffmanWavelet::max_symbol_bits)
    write_and_read(hippo::HuffmanWavelet::build(words.data(), plain.symbols.size(), bits), plain,
                   draw);
  read<hippo::SealedWavelet>(data, size);
  read_mended<hippo::SealedWavelet>({data, data + size});
  read<hippo::HuffmanWavelet>(data, size);
  read_mended<hippo::HuffmanWavelet>({data, data + size});
}

}  // namespace wavelet_test
