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

namespace hippo {

class BytePairs {
 public:
  // Tokens in order of their bytes: of token i the first `shared[i]` are those of its predecessor,
  // and `added[i]` follow in `bytes`; `ids[i]`, below their number, is its id.
  BytePairs(std::span<const std::uint8_t> shared, std::span<const std::uint8_t> added,
            std::span<const std::uint32_t> ids, std::span<const std::uint8_t> bytes)
      : places_(shared.size()), slots_(std::bit_ceil(2 * shared.size() + 1), none) {
    check_size("added", added.size(), shared.size());
    check_size("ids", ids.size(), shared.size());
    check_rows(ids, ids.size(), "ids");
    std::size_t all = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) all += std::size_t{shared[i]} + added[i];
    bytes_.resize(all);
    char* to = bytes_.data();
    std::size_t last = 0, read = 0;  // how long the predecessor is, and what was read
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const std::size_t length = std::size_t{shared[i]} + added[i];
      if (shared[i] > last || length == 0 || added[i] > bytes.size() - read)
        throw std::invalid_argument("token " + std::to_string(i) + " shares " +
                                    std::to_string(shared[i]) + " bytes and adds " +
                                    std::to_string(added[i]) + ": not a table of tokens");
      places_[ids[i]] = {static_cast<std::uint32_t>(to - bytes_.data()),
                         static_cast<std::uint32_t>(length)};
      // Few bytes each: a call would take longer.
      const char* const before = to - last;
      for (std::size_t j = 0; j < shared[i]; ++j) *to++ = before[j];
      for (std::size_t j = 0; j < added[i]; ++j) *to++ = static_cast<char>(bytes[read++]);
      last = length;
      std::size_t slot = slot_of(spell(ids[i]));
      while (slots_[slot] != none) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = ids[i];
    }
    check_size("bytes", bytes.size(), read);
  }

  std::size_t size() const noexcept { return places_.size(); }

  // The bytes that an id stands for. Precondition: it is below size().
  std::string_view spell(std::uint32_t id) const {
    return std::string_view{bytes_}.substr(places_[id].first, places_[id].second);
  }

  // The id of some bytes; nothing if no token is written so.
  std::optional<std::uint32_t> find(std::string_view bytes) const {
    for (std::size_t slot = slot_of(bytes); slots_[slot] != none;
         slot = (slot + 1) & (slots_.size() - 1))
      if (spell(slots_[slot]) == bytes) return slots_[slot];
    return std::nullopt;
  }

  // The tokens of a text in UTF-8 whose pieces have so many characters; it is long enough.
  std::vector<std::uint32_t> split(std::string_view text,
                                   std::span<const std::uint32_t> lengths) const {
    std::vector<std::uint32_t> found;
    found.reserve(lengths.size() + lengths.size() / 4);
    Scratch scratch;
    std::size_t at = 0;
    for (const std::uint32_t length : lengths) {
      std::size_t end = at;
      for (std::uint32_t left = length; left > 0; --left) {
        if (end >= text.size()) throw std::invalid_argument("pieces are longer than the text");
        do ++end;
        while (end < text.size() && (static_cast<std::uint8_t>(text[end]) & 0xC0) == 0x80);
      }
      merge(text.substr(at, end - at), scratch, found);
      at = end;
    }
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
  // Two neighbours that would be a token: its id, where the first begins, where the second ends.
  using Pair = std::tuple<std::uint32_t, std::size_t, std::size_t>;
  struct Scratch {
    std::vector<std::size_t> until, since;  // of a part by where it begins: its end (0 if there is
    std::vector<Pair> waiting;              // none) and where the part before it begins
  };

  // Some bytes as a number, however many up to 8: equal ones are equal, others may be.
  static std::uint64_t number_of(const char* first, std::size_t n) {
    std::uint64_t low = 0, high = 0;
    if (n >= 4) {
      std::memcpy(&low, first, 4);
      std::memcpy(&high, first + n - 4, 4);
      return low | high << 32;
    }
    for (std::size_t i = 0; i < n; ++i) low = low << 8 | static_cast<std::uint8_t>(first[i]);
    return low;
  }

  std::size_t slot_of(std::string_view bytes) const {
    std::uint64_t hash = bytes.size();
    const auto add = [&hash](std::uint64_t some) {
      hash = (hash ^ some) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    };
    std::size_t at = 0;
    for (; at + 8 < bytes.size(); at += 8) add(number_of(bytes.data() + at, 8));
    add(number_of(bytes.data() + at, bytes.size() - at));
    return hash & (slots_.size() - 1);
  }

  void merge(std::string_view piece, Scratch& scratch, std::vector<std::uint32_t>& found) const {
    if (piece.empty()) return;
    if (const auto whole = find(piece)) return found.push_back(*whole);
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
  std::vector<std::uint32_t> slots_;                             // ids by the hash of their bytes
};

}  // namespace hippo
