// A bit vector into which bits are inserted anywhere: a B+-tree whose leaves are packed words.
//
// Space over the bits: a leaf holds at most 4096 of them in words that grow by 256 bits, so 128 bits
//        of slack in some 3000 (4 %), and 16 bytes in the node above it (4 to 8 %, by how full the
//        nodes are).
// Time:  O(log n + 4096 / 64): insert, look, rank and select walk one path of nodes of 32 children,
//        compared all at once, and then the words of one leaf.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "hippo/bits.hpp"
#include "hippo/simd.hpp"

namespace hippo {

class DynamicBits {
 public:
  DynamicBits() : DynamicBits(nullptr, 0) {}

  // Take n packed bits at once. O(n / 64).
  DynamicBits(const Word* words, std::size_t n) : size_(n) {
    std::vector<Piece> pieces;
    for (std::size_t at = 0; at < n || at == 0; at += bulk_bits) {
      const std::size_t count = std::min(bulk_bits, n - at);
      Word* leaf = new_leaf(count);
      std::copy_n(words + at / 64, words_for(count), leaf);
      const std::size_t ones = count_ones(Words{leaf}, 0, count);
      pieces.push_back({leaf, count, ones});
      ones_ += ones;
    }
    do {  // one layer of nodes above another, until there is one node
      std::vector<Piece> above;
      const std::size_t nodes = (pieces.size() + bulk_children - 1) / bulk_children;
      for (std::size_t i = 0; i < nodes; ++i) {
        Node* node = new_node();
        Piece whole{node, 0, 0};
        for (std::size_t j = pieces.size() * i / nodes; j < pieces.size() * (i + 1) / nodes; ++j) {
          node->put(node->count++, pieces[j].child, whole.bits, whole.ones);
          whole.bits += pieces[j].bits;
          whole.ones += pieces[j].ones;
        }
        above.push_back(whole);
      }
      pieces = std::move(above);
      ++height_;
    } while (pieces.size() > 1);
    root_ = static_cast<Node*>(pieces.front().child);
  }

  DynamicBits(DynamicBits&& other) noexcept { swap(other); }
  DynamicBits& operator=(DynamicBits&& other) noexcept {
    swap(other);
    return *this;
  }
  ~DynamicBits() {
    if (root_ != nullptr) free(root_, height_);
  }

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
    const Words leaf = find(i, ones, held);
    return {(leaf[i / 64] >> i % 64 & 1) != 0, ones + ones_in(leaf, i)};
  }

  // How many ones lie in [0, i). Precondition: i <= size().
  HIPPO_INLINE std::size_t rank1(std::size_t i) const noexcept {
    std::size_t ones = 0, held = 0;
    const Words leaf = find(i, ones, held);
    return ones + ones_in(leaf, i);
  }

  // Turn each at[q] = j into the position of the (j + 1)-th bit of value[q]. Precondition: there are
  // such bits.
  HIPPO_INLINE void select(const bool* value, std::size_t* at, std::size_t count) const noexcept {
    for (std::size_t q = 0; q < count; ++q) at[q] = select(value[q], at[q]);
  }

  HIPPO_INLINE std::size_t select(bool value, std::size_t j) const noexcept {
    const Node* node = root_;
    std::size_t before = 0;
    for (std::size_t height = height_;; --height) {
      std::size_t c = 0;
      for (std::size_t i = 1; i < fan; ++i) {
        const std::uint32_t count = value ? node->ones[i] : node->starts[i] - node->ones[i];
        c += i < node->count && count <= j;
      }
      j -= value ? node->ones[c] : node->starts[c] - node->ones[c];
      before += node->starts[c];
      if (height > 1) {
        node = static_cast<const Node*>(node->child[c]);
        continue;
      }
      const Words leaf{node->child[c]};
      const Word flip = Word{value} - 1;
      for (std::size_t w = 0;; ++w) {
        const Word word = leaf[w] ^ flip;
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
      const Words leaf = find(at, ones, held);
      if (got == 0) first = ones + ones_in(leaf, at);
      const std::size_t take = std::min(count - got, held - at);
      bits |= read_bits(leaf, at, take) << got;
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
      std::size_t held = node->end(c, size) - node->starts[c];
      const bool full = height == 1 ? held == leaf_bits
                                    : static_cast<Node*>(node->child[c])->count == fan;
      if (full) {
        split(*node, c, height, held);
        c = node->find_end(at);
        held = node->end(c, size) - node->starts[c];
      }
      at -= node->starts[c];
      before += node->ones[c];
      node->grow(c, bit);
      if (height > 1) {
        node = static_cast<Node*>(node->child[c]);
        size = held;
        continue;
      }
      Word* leaf = static_cast<Word*>(node->child[c]);
      if ((held + 1) % step_bits == 0) {
        Word* larger = new_leaf(held + 1);
        std::copy_n(leaf, words_for(held), larger);
        delete_leaf(leaf, held);
        node->child[c] = leaf = larger;
      }
      const std::size_t first = at / 64;
      const std::size_t ones = ones_in(Words{leaf}, at);
      for (std::size_t w = held / 64; w > first; --w) leaf[w] = leaf[w] << 1 | leaf[w - 1] >> 63;
      const Word below = low_bits(at % 64);
      leaf[first] = (leaf[first] & below) | Word{bit} << at % 64 | (leaf[first] & ~below) << 1;
      return before + ones;
    }
  }

  // Every bit, packed into words that hold 0; there is one word more than needed. O(n / 64).
  void pack(BitWriter& out) const { pack(*root_, height_, size_, out); }

  void prefetch(std::size_t) const noexcept {}

 private:
  static constexpr std::size_t fan = 32;
  static constexpr std::size_t leaf_bits = 4096, step_bits = 256;
  static constexpr std::size_t bulk_bits = 3072, bulk_children = 28;  // leaves room to insert
  static constexpr std::uint32_t none = 0xffffffff;                   // above every position

  // Where each child begins, in bits and in ones before it, counted within this node.
  struct Node {
    std::uint32_t count = 0;
    std::array<std::uint32_t, fan> starts, ones{};
    std::array<void*, fan> child{};

    Node() noexcept { starts.fill(none); }

    void put(std::size_t c, void* what, std::size_t start, std::size_t one) noexcept {
      child[c] = what;
      starts[c] = static_cast<std::uint32_t>(start);
      ones[c] = static_cast<std::uint32_t>(one);
    }

    // The child that holds bit i, or the last one when i is the end of all.
    HIPPO_INLINE std::size_t find(std::size_t i) const noexcept {
      const auto at = static_cast<std::uint32_t>(i);
      std::uint32_t c = 0;
      for (std::size_t j = 0; j < fan; ++j) c += starts[j] <= at;
      return c - 1;
    }

    // The first child that i lies in or at the end of.
    HIPPO_INLINE std::size_t find_end(std::size_t i) const noexcept {
      const auto at = static_cast<std::uint32_t>(i);
      std::uint32_t c = 0;
      for (std::size_t j = 0; j < fan; ++j) c += starts[j] < at;
      return c - (c > 0);
    }

    HIPPO_INLINE std::size_t end(std::size_t c, std::size_t size) const noexcept {
      return c + 1 < count ? starts[c + 1] : size;
    }

    // Child c has one bit more.
    HIPPO_INLINE void grow(std::size_t c, bool bit) noexcept {
      for (std::uint32_t j = 1; j < fan; ++j) {
        const bool after = j > c && j < count;
        starts[j] += after;
        ones[j] += after && bit;
      }
    }
  };

  struct Piece {
    void* child;
    std::size_t bits, ones;
  };

  // A leaf's words follow from its bits; there is always one that is not full.
  static constexpr std::size_t leaf_words(std::size_t bits) noexcept {
    return (bits / step_bits + 1) * (step_bits / 64);
  }

  Word* new_leaf(std::size_t bits) {
    Word* leaf = new Word[leaf_words(bits)]();
    bytes_ += 8 * leaf_words(bits);
    return leaf;
  }

  void delete_leaf(Word* leaf, std::size_t bits) noexcept {
    bytes_ -= 8 * leaf_words(bits);
    delete[] leaf;
  }

  Node* new_node() {
    bytes_ += sizeof(Node);
    return new Node;
  }

  // Turn i into a position in its leaf, add the ones before the leaf, and turn the number of bits
  // in all into that in the leaf.
  HIPPO_INLINE Words find(std::size_t& i, std::size_t& ones, std::size_t& held) const noexcept {
    const Node* node = root_;
    for (std::size_t height = height_;; --height) {
      const std::size_t c = node->find(i);
      held = node->end(c, held) - node->starts[c];
      i -= node->starts[c];
      ones += node->ones[c];
      if (height == 1) return Words{node->child[c]};
      node = static_cast<const Node*>(node->child[c]);
    }
  }

  HIPPO_INLINE static std::size_t ones_in(Words leaf, std::size_t end) noexcept {
    std::size_t ones = 0;
    for (std::size_t w = 0; w < end / 64; ++w)
      ones += static_cast<std::size_t>(std::popcount(leaf[w]));
    return ones + static_cast<std::size_t>(std::popcount(leaf[end / 64] & low_bits(end % 64)));
  }

  // Move the upper half of child c, which holds `held` bits, into a new child after it.
  // Precondition: the node has room.
  void split(Node& node, std::size_t c, std::size_t height, std::size_t held) {
    void* upper;
    std::size_t start, ones;
    if (height == 1) {
      start = leaf_bits / 2;
      const Word* from = static_cast<Word*>(node.child[c]);
      Word *low = new_leaf(start), *high = new_leaf(held - start);
      std::copy_n(from, start / 64, low);
      std::copy_n(from + start / 64, words_for(held - start), high);
      delete_leaf(static_cast<Word*>(node.child[c]), held);
      ones = count_ones(Words{low}, 0, start);
      node.child[c] = low;
      upper = high;
    } else {
      Node& low = *static_cast<Node*>(node.child[c]);
      Node& high = *new_node();
      const std::size_t kept = low.count / 2;
      start = low.starts[kept];
      ones = low.ones[kept];
      for (std::size_t j = kept; j < low.count; ++j) {
        high.put(high.count++, low.child[j], low.starts[j] - start, low.ones[j] - ones);
        low.put(j, nullptr, none, 0);
      }
      low.count = static_cast<std::uint32_t>(kept);
      upper = &high;
    }
    for (std::size_t j = node.count++; j > c + 1; --j)
      node.put(j, node.child[j - 1], node.starts[j - 1], node.ones[j - 1]);
    node.put(c + 1, upper, node.starts[c] + start, node.ones[c] + ones);
  }

  void pack(const Node& node, std::size_t height, std::size_t size, BitWriter& out) const {
    for (std::size_t c = 0; c < node.count; ++c) {
      const std::size_t held = node.end(c, size) - node.starts[c];
      if (height == 1)
        out.copy(Words{node.child[c]}, 0, held);
      else
        pack(*static_cast<const Node*>(node.child[c]), height - 1, held, out);
    }
  }

  void free(Node* node, std::size_t height) noexcept {
    for (std::size_t c = 0; c < node->count; ++c) {
      if (height == 1)
        delete[] static_cast<Word*>(node->child[c]);
      else
        free(static_cast<Node*>(node->child[c]), height - 1);
    }
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
