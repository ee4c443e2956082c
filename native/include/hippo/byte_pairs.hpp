// Byte pairs: the bytes of a text become tokens, and tokens bytes again.
//
// A piece of text is one token if the vocabulary has it whole. Otherwise its bytes are parts, and of
// all neighbours that are a token together, those of the smallest id become one, the first ones
// first, until none are left.
//
// Ref: Sennrich, Haddow and Birch, "Neural machine translation of rare words with subword units",
//      2016; ids as ranks as tiktoken has them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "hippo/check.hpp"
#include "hippo/simd.hpp"

namespace hippo {

class BytePairs {
 public:
  // How a token differs from its word: a space stands before it, its first letter is a capital one.
  static constexpr std::uint8_t spaced = 1, capital = 2;

  // Tokens in order of their words: of the word of token i the first `shared[i]` bytes are those of
  // its predecessor's, and `added[i]` follow in `bytes`; `forms[i]` says how the token differs from
  // the word, and `ids[i]`, below their number, is its id.
  BytePairs(std::span<const std::uint8_t> shared, std::span<const std::uint8_t> added,
            std::span<const std::uint8_t> forms, std::span<const std::uint32_t> ids,
            std::span<const std::uint8_t> bytes)
      : places_(shared.size()), slots_(std::bit_ceil(shared.size() + shared.size() / 4 + 1)) {
    check_size("added", added.size(), shared.size());
    check_size("forms", forms.size(), shared.size());
    check_size("ids", ids.size(), shared.size());
    check_rows(ids, ids.size(), "ids");
    std::size_t all = 0;
    for (std::size_t i = 0; i < ids.size(); ++i)
      all += std::size_t{shared[i]} + added[i] + (forms[i] & spaced);
    bytes_.resize(all);
    char* to = bytes_.data();
    char first = 0;                      // of the predecessor's word
    std::size_t last = 0, read = 0;      // how long that is, and what was read
    Lagging<std::pair<std::uint32_t, Key>> waiting{
        [this](const auto& token) { insert(token.first, token.second); }};
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const std::size_t length = std::size_t{shared[i]} + added[i];
      if (shared[i] > last || length == 0 || added[i] > bytes.size() - read)
        throw std::invalid_argument("token " + std::to_string(i) + " shares " +
                                    std::to_string(shared[i]) + " bytes and adds " +
                                    std::to_string(added[i]) + ": not a table of tokens");
      // Few bytes each: a call would take longer.
      const char* const before = to - last;
      char* const token = to;
      if (forms[i] & spaced) *to++ = ' ';
      char* const word = to;
      for (std::size_t j = 0; j < shared[i]; ++j) *to++ = before[j];
      for (std::size_t j = 0; j < added[i]; ++j) *to++ = static_cast<char>(bytes[read++]);
      first = shared[i] ? first : *word;
      *word = forms[i] & capital ? static_cast<char>(first & ~0x20) : first;
      last = length;
      const std::string_view whole{token, static_cast<std::size_t>(to - token)};
      places_[ids[i]] = {static_cast<std::uint32_t>(token - bytes_.data()),
                         static_cast<std::uint32_t>(whole.size())};
      waiting.add({ids[i], asked_for(whole)});
    }
    waiting.finish();
    check_size("bytes", bytes.size(), read);
  }

  std::size_t size() const noexcept { return places_.size(); }

  // The bytes that an id stands for. Precondition: it is below size().
  std::string_view spell(std::uint32_t id) const {
    return std::string_view{bytes_}.substr(places_[id].first, places_[id].second);
  }

  // The id of some bytes; nothing if no token is written so.
  std::optional<std::uint32_t> find(std::string_view bytes) const {
    return find(bytes, key_of(bytes));
  }

  // The tokens of a text in UTF-8 whose pieces have so many characters; it is long enough.
  std::vector<std::uint32_t> split(std::string_view text,
                                   std::span<const std::uint32_t> lengths) const {
    std::vector<std::uint32_t> found;
    found.reserve(lengths.size() + lengths.size() / 4);
    Scratch scratch;
    Lagging<std::pair<std::string_view, Key>> waiting{
        [&](const auto& piece) { merge(piece.first, piece.second, scratch, found); }};
    std::size_t at = 0;
    for (const std::uint32_t length : lengths) {
      std::size_t end = at;
      for (std::uint32_t left = length; left > 0; --left) {
        if (end >= text.size()) throw std::invalid_argument("pieces are longer than the text");
        do ++end;
        while (end < text.size() && (static_cast<std::uint8_t>(text[end]) & 0xC0) == 0x80);
      }
      const std::string_view piece = text.substr(at, end - at);
      waiting.add({piece, asked_for(piece)});
      at = end;
    }
    waiting.finish();
    check_size("the text beyond its pieces", text.size() - at, 0);
    return found;
  }

  // The bytes of tokens, one after another.
  std::string join(std::span<const std::uint32_t> ids) const {
    check_rows(ids, size(), "ids");
    std::string text;
    for (const std::uint32_t id : ids) text += spell(id);
    return text;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  // Things that are used in their order, each when a few more have come: what it needs of memory
  // was asked for when it came.
  template <typename Thing>
  class Lagging {
   public:
    explicit Lagging(std::function<void(const Thing&)> use) : use_(std::move(use)) {}
    void add(const Thing& thing) {
      Thing& place = waiting_[count_++ % waiting_.size()];
      if (count_ > waiting_.size()) use_(place);
      place = thing;
    }
    void finish() {
      for (std::size_t i = count_ - std::min(count_, waiting_.size()); i < count_; ++i)
        use_(waiting_[i % waiting_.size()]);
    }

   private:
    std::function<void(const Thing&)> use_;
    std::array<Thing, 8> waiting_{};
    std::size_t count_ = 0;
  };
  // Two neighbours that would be a token: its id, where the first begins, where the second ends.
  using Pair = std::tuple<std::uint32_t, std::size_t, std::size_t>;
  struct Scratch {
    std::vector<std::size_t> until, since;  // of a part by where it begins: its end (0 if there is
    std::vector<Pair> waiting;              // none) and where the part before it begins
  };

  // The first bytes of a token and how many it has, and where it would be found.
  struct Key {
    std::uint64_t head;  // the first eight
    std::uint32_t tail;  // the next three, and above them the length, at most 255
    std::uint64_t hash;  // of all
  };

  // A token as it is known by its bytes: those of most are here, so that one place is looked at.
  struct Slot {
    std::uint64_t head = 0;
    std::uint32_t tail = 0;
    std::uint32_t id = none;
  };
  static constexpr std::size_t in_slot = 11;
  static constexpr std::size_t longest_told = 255;

  // Up to 8 bytes as a number, the first one lowest, and zeros behind.
  static std::uint64_t number_of(const char* first, std::size_t n) {
    std::uint64_t low = 0, high = 0;
    if (n >= 4) {
      std::memcpy(&low, first, 4);
      std::memcpy(&high, first + n - 4, 4);
      return low | high << (8 * (n - 4));
    }
    for (std::size_t i = 0; i < n; ++i)
      low |= std::uint64_t{static_cast<std::uint8_t>(first[i])} << (8 * i);
    return low;
  }

  static Key key_of(std::string_view bytes) {
    const std::size_t n = bytes.size();
    const std::uint64_t head = number_of(bytes.data(), std::min<std::size_t>(n, 8));
    std::uint64_t tail = std::min(n, longest_told) << 24;
    if (n > 8) tail |= number_of(bytes.data() + 8, std::min(n, in_slot) - 8);
    std::uint64_t hash = 0;
    const auto add = [&hash](std::uint64_t some) {
      hash = (hash ^ some) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    };
    add(head);
    add(tail);
    for (std::size_t at = in_slot; at < n; at += 8)
      add(number_of(bytes.data() + at, std::min<std::size_t>(n - at, 8)));
    return {head, static_cast<std::uint32_t>(tail), hash};
  }

  std::size_t first_slot(const Key& key) const { return key.hash & (slots_.size() - 1); }
  std::size_t next(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }

  void insert(std::uint32_t id, const Key& key) {
    std::size_t slot = first_slot(key);
    while (slots_[slot].id != none) slot = next(slot);
    slots_[slot] = {key.head, key.tail, id};
  }

  // The key of some bytes, whose place is on its way to the cache: the table is larger than most.
  Key asked_for(std::string_view bytes) const {
    const Key key = key_of(bytes);
    prefetch(&slots_[first_slot(key)], sizeof(Slot));
    return key;
  }

  std::optional<std::uint32_t> find(std::string_view bytes, const Key& key) const {
    for (std::size_t slot = first_slot(key); slots_[slot].id != none; slot = next(slot)) {
      const Slot& one = slots_[slot];
      if (one.head == key.head && one.tail == key.tail &&
          (bytes.size() <= in_slot || spell(one.id) == bytes))
        return one.id;
    }
    return std::nullopt;
  }

  void merge(std::string_view piece, const Key& key, Scratch& scratch,
             std::vector<std::uint32_t>& found) const {
    if (piece.empty()) return;
    if (const auto whole = find(piece, key)) return found.push_back(*whole);
    std::vector<std::size_t>&until = scratch.until, &since = scratch.since;
    std::vector<Pair>& waiting = scratch.waiting;
    const std::size_t end = piece.size();
    until.resize(end);
    since.resize(end);
    waiting.clear();
    const auto wait_for = [&](std::size_t at) {
      const std::size_t middle = until[at];
      if (middle >= end) return false;
      const auto token = find(piece.substr(at, until[middle] - at));
      if (token) waiting.emplace_back(*token, at, until[middle]);
      return token.has_value();
    };
    for (std::size_t at = 0; at < end; ++at) {
      until[at] = at + 1;
      since[at] = at - 1;  // of the first one, which has none before it, all bits
    }
    for (std::size_t at = 0; at < end; ++at) wait_for(at);
    std::make_heap(waiting.begin(), waiting.end(), std::greater<>{});
    while (!waiting.empty()) {
      const auto [id, at, to] = waiting.front();
      std::pop_heap(waiting.begin(), waiting.end(), std::greater<>{});
      waiting.pop_back();
      const std::size_t middle = until[at];
      if (middle == 0 || middle >= end || until[middle] != to) continue;  // one was joined since
      until[at] = to;
      until[middle] = 0;
      if (to < end) since[to] = at;
      for (const std::size_t first : {at, since[at]})
        if (first < end && wait_for(first))
          std::push_heap(waiting.begin(), waiting.end(), std::greater<>{});
    }
    for (std::size_t at = 0; at < end; ++at) {
      if (until[at] == 0) continue;
      const auto token = find(piece.substr(at, until[at] - at));
      if (!token) throw std::invalid_argument("a byte of the text is no token");
      found.push_back(*token);
    }
  }

  std::string bytes_;                                            // of all tokens
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places_;  // by id: where there, how long
  std::vector<Slot> slots_;                                      // by the hash of their bytes
};

}  // namespace hippo
