// A bit vector into which bits are inserted anywhere: a B+-tree whose leaves are packed words.
//
// Space over the bits: a leaf holds at most 4096 of them in words that grow by 256 bits, so 128
//        bits of slack in some 3000 (4 %), 16 bytes to count its ones by 512 bits (4 %), and 16
//        in the node above it (4 to 8 %, by how full the nodes are).
// Time:  O(log n): look, rank and select walk one path of nodes of 32 children, compared all at
//        once, and then at most 8 words of one leaf; insert moves up to 64 words of it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "hippo/bits.hpp"
#include "hippo/simd.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace hippo {

class DynamicBits {
 public:
  DynamicBits() : DynamicBits(nullptr, 0) {}

  // Take n packed bits at once. O(n / 64).
  DynamicBits(const Word* words, std::size_t n) : size_(n) {
    Layer below{0, n / bulk_bits + 1};
    for (std::size_t at = 0; at < n || at == 0; at += bulk_bits) {
      const std::size_t count = std::min(bulk_bits, n - at);
      Leaf* leaf = new_leaf(count);
      const std::size_t ones = fill(leaf, words + at / 64, count);
      below.pieces.push_back({leaf, count, ones});
      ones_ += ones;
    }
    do {  // one layer of nodes above another, until there is one node
      std::vector<Piece>& pieces = below.pieces;
      const std::size_t nodes = (pieces.size() + bulk_children - 1) / bulk_children;
      Layer above{below.height + 1, nodes};
      for (std::size_t i = 0; i < nodes; ++i) {
        Node* node = new_node();
        Piece& whole = above.pieces.emplace_back(Piece{node, 0, 0});
        for (std::size_t j = pieces.size() * i / nodes; j < pieces.size() * (i + 1) / nodes; ++j) {
          node->put(node->count++, std::exchange(pieces[j].child, nullptr), whole.bits, whole.ones);
          whole.bits += pieces[j].bits;
          whole.ones += pieces[j].ones;
        }
      }
      std::swap(below, above);
    } while (below.pieces.size() > 1);
    height_ = below.height;
    root_ = static_cast<Node*>(std::exchange(below.pieces.front().child, nullptr));
  }

  DynamicBits(DynamicBits&& other) noexcept { swap(other); }
  DynamicBits& operator=(DynamicBits&& other) noexcept {
    swap(other);
    return *this;
  }
  ~DynamicBits() { free(root_, height_); }

  std::size_t size() const noexcept { return size_; }
  std::size_t zeros() const noexcept { return size_ - ones_; }
  std::size_t nbytes() const noexcept { return bytes_; }

  struct Look {
    bool bit;
    std::size_t ones;  // before it
  };

  // Precondition: i < size().
  HIPPO_INLINE Look look(std::size_t i) const noexcept {
    std::size_t ones = 0, held = 0;
    const Leaf* leaf = find(i, ones, held);
    return {(leaf->words()[i / 64] >> i % 64 & 1) != 0, ones + leaf->ones_before(i)};
  }

  // How many ones lie in [0, i). Precondition: i <= size().
  HIPPO_INLINE std::size_t rank1(std::size_t i) const noexcept {
    std::size_t ones = 0, held = 0;
    const Leaf* leaf = find(i, ones, held);
    return ones + leaf->ones_before(i);
  }

  // Turn each at[q] = j into the position of the (j + 1)-th bit of value[q]. Precondition: there is
  // such a bit.
  HIPPO_INLINE void select(const bool* value, std::size_t* at, std::size_t count) const noexcept {
    for (std::size_t q = 0; q < count; ++q) at[q] = select(value[q], at[q]);
  }

  HIPPO_INLINE std::size_t select(bool value, std::size_t j) const noexcept {
    const Node* node = root_;
    std::size_t before = 0;
    for (std::size_t height = height_;; --height) {
      std::int32_t found = 0;
      const auto most = static_cast<std::int32_t>(j);
      const std::int32_t zeros = std::int32_t{value} - 1;
      for (std::int32_t i = 1; i < static_cast<std::int32_t>(fan); ++i) {
        const std::int32_t others = node->starts[i] - node->ones[i];
        const std::int32_t count = node->ones[i] ^ ((node->ones[i] ^ others) & zeros);
        found += (i < static_cast<std::int32_t>(node->count)) & (count <= most);
      }
      const auto c = static_cast<std::size_t>(found);
      j -= pick(value, node->one(c), node->start(c) - node->one(c));
      before += node->start(c);
      if (height > 1) {
        node = static_cast<const Node*>(node->child[c]);
        continue;
      }
      const auto* leaf = static_cast<const Leaf*>(node->child[c]);
      std::size_t block = 0;
      for (std::size_t b = 1; b < leaf_blocks; ++b) block += leaf->before(value, b) <= j;
      j -= leaf->before(value, block);
      const Word flip = Word{value} - 1;
      for (std::size_t w = block * (block_bits / 64);; ++w) {
        const Word word = leaf->words()[w] ^ flip;
        const auto count = static_cast<std::size_t>(std::popcount(word));
        if (j < count) return before + 64 * w + select_in_word(word, j);
        j -= count;
      }
    }
  }

  // Bits [i, i + count) as a number, and the ones before them. Preconditions: 0 < count <= 64; they
  // lie within size().
  struct Window {
    Word bits;
    std::size_t ones;
  };
  HIPPO_INLINE Window window(std::size_t i, std::size_t count) const noexcept {
    Word bits = 0;
    std::size_t first = 0;
    for (std::size_t got = 0;;) {
      std::size_t at = i + got, ones = 0, held = size_;
      const Leaf* leaf = find(at, ones, held);
      if (got == 0) first = ones + leaf->ones_before(at);
      const std::size_t take = std::min(count - got, held - at);
      bits |= read_bits(Words{leaf->words()}, at, take) << got;
      got += take;
      if (got == count) return {bits, first};
    }
  }

  // Insert a bit before position `at`; return how many ones lie before it. Preconditions:
  // at <= size() < max_length.
  HIPPO_INLINE std::size_t insert(std::size_t at, bool bit) {
    if (root_->count == fan) {
      Node* above = new_node();
      above->put(above->count++, root_, 0, 0);
      root_ = above;
      ++height_;
      split(*root_, 0, height_, size_);
    }
    Node* node = root_;
    std::size_t size = size_, before = 0;
    ++size_;
    ones_ += bit;
    for (std::size_t height = height_;; --height) {
      std::size_t c = node->find_end(at);
      std::size_t held = node->end(c, size) - node->start(c);
      const bool full = height == 1 ? held == leaf_bits
                                    : static_cast<Node*>(node->child[c])->count == fan;
      if (full) {
        split(*node, c, height, held);
        c = node->find_end(at);
        held = node->end(c, size) - node->start(c);
      }
      at -= node->start(c);
      before += node->one(c);
      node->grow(c, bit);
      if (height > 1) {
        node = static_cast<Node*>(node->child[c]);
        size = held;
        continue;
      }
      auto* leaf = static_cast<Leaf*>(node->child[c]);
      if ((held + 1) % step_bits == 0) {
        Leaf* larger = new_leaf(held + 1);
        std::memcpy(larger, leaf, leaf_bytes(held));
        delete_leaf(leaf, held);
        node->child[c] = leaf = larger;
      }
      const std::size_t ones = leaf->ones_before(at);
      leaf->insert(at, bit, held);
      return before + ones;
    }
  }

  // Push every bit. O(n / 64).
  void pack(BitWriter& out) const { pack(*root_, height_, size_, out); }

  void prefetch(std::size_t) const noexcept {}

 private:
  static constexpr std::size_t fan = 32;
  static constexpr std::size_t leaf_bits = 4096, step_bits = 256;
  static constexpr std::size_t bulk_bits = 3072, bulk_children = 28;  // leaves room to insert
  static constexpr std::size_t block_bits = 512, leaf_blocks = leaf_bits / block_bits;
  static constexpr std::int32_t none = 0x7fffffff;  // above every position

  // Its words follow it. They are 0 behind the last bit, and the one behind it is always there.
  struct Leaf {
    std::array<std::uint16_t, leaf_blocks> ones{};  // before each block

    Word* words() noexcept { return reinterpret_cast<Word*>(this + 1); }
    HIPPO_INLINE const Word* words() const noexcept {
      return reinterpret_cast<const Word*>(this + 1);
    }

    HIPPO_INLINE std::size_t before(bool value, std::size_t b) const noexcept {
      return pick(value, ones[b], b * block_bits - ones[b]);
    }

    // How many ones lie in [0, end).
    HIPPO_INLINE std::size_t ones_before(std::size_t end) const noexcept {
      const std::size_t last = end / 64;
      std::size_t found = ones[std::min(end / block_bits, leaf_blocks - 1)];
      for (std::size_t w = std::min(end / block_bits, leaf_blocks - 1) * (block_bits / 64);
           w < last; ++w)
        found += static_cast<std::size_t>(std::popcount(words()[w]));
      return found + static_cast<std::size_t>(std::popcount(words()[last] & low_bits(end % 64)));
    }

    // A bit before position `at` of `held`: the words behind move by one, and so does the last bit
    // of each block behind.
    HIPPO_INLINE void insert(std::size_t at, bool bit, std::size_t held) noexcept {
      Word* word = words();
      for (std::size_t b = at / block_bits + 1; b < leaf_blocks; ++b) {
        const std::size_t edge = std::min(b * block_bits - 1, held);
        ones[b] = static_cast<std::uint16_t>(ones[b] + bit - (word[edge / 64] >> edge % 64 & 1));
      }
      const std::size_t first = at / 64;
      for (std::size_t w = held / 64; w > first; --w) word[w] = word[w] << 1 | word[w - 1] >> 63;
      const Word below = low_bits(at % 64);
      word[first] = (word[first] & below) | Word{bit} << at % 64 | (word[first] & ~below) << 1;
    }
  };

  // Where each child begins, in bits and in ones before it, counted within this node. The numbers
  // are signed, for SSE2 and AVX2 compare no others.
  struct Node {
    std::uint32_t count = 0;
    alignas(16) std::array<std::int32_t, fan> starts;
    std::array<std::int32_t, fan> ones{};
    std::array<void*, fan> child{};

    Node() noexcept { starts.fill(none); }

    HIPPO_INLINE std::size_t start(std::size_t c) const noexcept {
      return static_cast<std::size_t>(starts[c]);
    }
    HIPPO_INLINE std::size_t one(std::size_t c) const noexcept {
      return static_cast<std::size_t>(ones[c]);
    }
    HIPPO_INLINE std::size_t end(std::size_t c, std::size_t size) const noexcept {
      return c + 1 < count ? start(c + 1) : size;
    }

    void put(std::size_t c, void* what, std::size_t start, std::size_t one) noexcept {
      child[c] = what;
      starts[c] = static_cast<std::int32_t>(start);
      ones[c] = static_cast<std::int32_t>(one);
    }

    // How many children begin before i.
    HIPPO_INLINE std::size_t before(std::size_t i) const noexcept {
      const auto at = static_cast<std::int32_t>(i);
#if defined(__SSE2__)
      const __m128i key = _mm_set1_epi32(at);
      const auto* from = reinterpret_cast<const __m128i*>(starts.data());
      const auto less = [=](std::size_t k)
                            HIPPO_INLINE { return _mm_cmplt_epi32(_mm_load_si128(from + k), key); };
      const auto half = [=](std::size_t k) HIPPO_INLINE {
        return _mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(less(k), less(k + 1)),
                                                 _mm_packs_epi32(less(k + 2), less(k + 3))));
      };
      return static_cast<std::size_t>(
          std::popcount(static_cast<unsigned>(half(0)) | static_cast<unsigned>(half(4)) << 16));
#else
      std::size_t found = 0;
      for (const std::int32_t start : starts) found += start < at;
      return found;
#endif
    }

    // The child that holds bit i, or the last one when i is the end of all.
    HIPPO_INLINE std::size_t find(std::size_t i) const noexcept { return before(i + 1) - 1; }

    // The first child that i lies in or at the end of.
    HIPPO_INLINE std::size_t find_end(std::size_t i) const noexcept {
      return i == 0 ? 0 : before(i) - 1;
    }

    // Child c has one bit more.
    HIPPO_INLINE void grow(std::size_t c, bool bit) noexcept {
      for (std::uint32_t j = 1; j < fan; ++j) {
        const bool after = (j > c) & (j < count);
        starts[j] += after;
        ones[j] += after & bit;
      }
    }
  };

  struct Piece {
    void* child;
    std::size_t bits, ones;
  };

  // Children while a tree is built: those that no node has taken go with it, should memory run out.
  struct Layer {
    Layer(std::size_t level, std::size_t most) : height(level) { pieces.reserve(most); }
    Layer(Layer&&) = default;
    Layer& operator=(Layer&&) = default;
    ~Layer() {
      for (const Piece& piece : pieces) free(piece.child, height);
    }

    std::size_t height;  // of each child: 0 is a leaf
    std::vector<Piece> pieces;
  };

  // What a leaf takes follows from its bits.
  static constexpr std::size_t leaf_bytes(std::size_t bits) noexcept {
    return sizeof(Leaf) + (bits / step_bits + 1) * (step_bits / 8);
  }

  Leaf* new_leaf(std::size_t bits) {
    void* room = ::operator new(leaf_bytes(bits));
    std::memset(room, 0, leaf_bytes(bits));
    bytes_ += leaf_bytes(bits);
    return static_cast<Leaf*>(room);
  }

  void delete_leaf(Leaf* leaf, std::size_t bits) noexcept {
    bytes_ -= leaf_bytes(bits);
    ::operator delete(leaf);
  }

  // Put bits into a new leaf, and return how many are 1.
  static std::size_t fill(Leaf* leaf, const Word* from, std::size_t bits) noexcept {
    if (bits > 0) std::memcpy(leaf->words(), from, 8 * words_for(bits));
    std::size_t ones = 0;
    for (std::size_t b = 0; b < leaf_blocks; ++b) {
      leaf->ones[b] = static_cast<std::uint16_t>(ones);
      ones += count_ones(Words{leaf->words()}, std::min(b * block_bits, bits),
                         std::min((b + 1) * block_bits, bits));
    }
    return ones;
  }

  Node* new_node() {
    Node* node = new Node;
    bytes_ += sizeof(Node);
    return node;
  }

  // Turn i into a position in its leaf, add the ones before the leaf, and turn the number of bits
  // in all into that in the leaf.
  HIPPO_INLINE const Leaf* find(std::size_t& i, std::size_t& ones,
                                std::size_t& held) const noexcept {
    const Node* node = root_;
    for (std::size_t height = height_;; --height) {
      const std::size_t c = node->find(i);
      held = node->end(c, held) - node->start(c);
      i -= node->start(c);
      ones += node->one(c);
      if (height == 1) return static_cast<const Leaf*>(node->child[c]);
      node = static_cast<const Node*>(node->child[c]);
    }
  }

  // Move the upper half of child c, which holds `held` bits, into a new child after it.
  // Precondition: the node has room.
  void split(Node& node, std::size_t c, std::size_t height, std::size_t held) {
    void* upper;
    std::size_t start, ones;
    if (height == 1) {
      auto* whole = static_cast<Leaf*>(node.child[c]);
      start = leaf_bits / 2;
      Leaf* high = new_leaf(held - start);
      Leaf* low = nullptr;
      try {
        low = new_leaf(start);
      } catch (...) {
        delete_leaf(high, held - start);
        throw;
      }
      ones = fill(low, whole->words(), start);
      fill(high, whole->words() + start / 64, held - start);
      delete_leaf(whole, held);
      node.child[c] = low;
      upper = high;
    } else {
      Node& low = *static_cast<Node*>(node.child[c]);
      Node& high = *new_node();
      const std::size_t kept = low.count / 2;
      start = low.start(kept);
      ones = low.one(kept);
      for (std::size_t j = kept; j < low.count; ++j) {
        high.put(high.count++, low.child[j], low.start(j) - start, low.one(j) - ones);
        low.put(j, nullptr, none, 0);
      }
      low.count = static_cast<std::uint32_t>(kept);
      upper = &high;
    }
    for (std::size_t j = node.count++; j > c + 1; --j)
      node.put(j, node.child[j - 1], node.start(j - 1), node.one(j - 1));
    node.put(c + 1, upper, node.start(c) + start, node.one(c) + ones);
  }

  void pack(const Node& node, std::size_t height, std::size_t size, BitWriter& out) const {
    for (std::size_t c = 0; c < node.count; ++c) {
      const std::size_t held = node.end(c, size) - node.start(c);
      if (height == 1)
        out.copy(Words{static_cast<const Leaf*>(node.child[c])->words()}, 0, held);
      else
        pack(*static_cast<const Node*>(node.child[c]), height - 1, held, out);
    }
  }

  static void free(void* child, std::size_t height) noexcept {
    if (height == 0 || child == nullptr) return ::operator delete(child);
    auto* node = static_cast<Node*>(child);
    for (std::size_t c = 0; c < node->count; ++c) free(node->child[c], height - 1);
    delete node;
  }

  void swap(DynamicBits& other) noexcept {
    std::swap(root_, other.root_);
    std::swap(height_, other.height_);
    std::swap(size_, other.size_);
    std::swap(ones_, other.ones_);
    std::swap(bytes_, other.bytes_);
  }

  Node* root_ = nullptr;
  std::size_t height_ = 0, size_ = 0, ones_ = 0, bytes_ = 0;
};

}  // namespace hippo
