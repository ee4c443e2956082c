// Words with something known of each, by a table of their hashes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace hippo {

template <class Known>
class KnownWords {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  KnownWords() : slots_(1024) {}

  std::size_t size() const noexcept { return words_.size(); }

  // The place of a word in the order of their adding, which stays; none if it is not known.
  std::uint32_t place_of(std::string_view word) const {
    const std::uint64_t hash = hash_of(word);
    return slots_[slot_of(word, hash)].place;
  }

  std::string_view word_at(std::uint32_t place) const {
    return std::string_view{bytes_}.substr(words_[place].first, words_[place].length);
  }

  Known& operator[](std::uint32_t place) { return words_[place].known; }
  const Known& operator[](std::uint32_t place) const { return words_[place].known; }

  // The place of a word, of which this is known from now on; what is known already stays.
  std::uint32_t add(std::string_view word, const Known& known) {
    if (2 * (words_.size() + 1) > slots_.size()) grow();
    const std::uint64_t hash = hash_of(word);
    Slot& slot = slots_[slot_of(word, hash)];
    if (slot.place != none) return slot.place;
    // The slot last, for nothing is known by halves where memory ends in between.
    const std::size_t first = bytes_.size();
    bytes_ += word;
    words_.push_back({first, word.size(), known});
    slot = {static_cast<std::uint32_t>(words_.size() - 1), tag_of(hash)};
    return slot.place;
  }

 private:
  struct Word {
    std::size_t first, length;  // where it is in the bytes
    Known known;
  };

  struct Slot {
    std::uint32_t place = none;
    std::uint32_t tag = 0;  // of the hash, so that hardly any other word is looked at
  };

  // Most words have few bytes, which are read at once: the first and the last of them overlap.
  static std::uint64_t hash_of(std::string_view word) {
    const auto load = [&]<class Bits>(Bits bits, std::size_t at) {
      std::memcpy(&bits, word.data() + at, sizeof bits);
      return std::uint64_t{bits};
    };
    const auto mix = [](std::uint64_t bits) {
      bits *= 0x9E3779B97F4A7C15u;
      return bits ^ bits >> 32;
    };
    const std::size_t size = word.size();
    std::uint64_t hash = mix(size);
    if (size >= 8) {
      for (std::size_t at = 0; at + 8 < size; at += 8) hash = mix(hash ^ load(std::uint64_t{}, at));
      return mix(hash ^ load(std::uint64_t{}, size - 8));
    }
    if (size >= 4)
      return mix(hash ^ (load(std::uint32_t{}, 0) << 32 | load(std::uint32_t{}, size - 4)));
    if (size == 0) return hash;
    const auto byte = [&](std::size_t at) { return std::uint64_t{static_cast<std::uint8_t>(word[at])}; };
    return mix(hash ^ (byte(0) << 16 | byte(size / 2) << 8 | byte(size - 1)));
  }

  static std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

  // Where a word is, or would be.
  std::size_t slot_of(std::string_view word, std::uint64_t hash) const {
    const std::size_t last = slots_.size() - 1;
    for (std::size_t at = hash & last;; at = (at + 1) & last) {
      const Slot& slot = slots_[at];
      if (slot.place == none || (slot.tag == tag_of(hash) && word_at(slot.place) == word)) return at;
    }
  }

  void grow() {
    std::vector<Slot> more(2 * slots_.size());
    slots_.swap(more);
    for (std::uint32_t place = 0; place < words_.size(); ++place) {
      const std::uint64_t hash = hash_of(word_at(place));
      slots_[slot_of(word_at(place), hash)] = {place, tag_of(hash)};
    }
  }

  std::string bytes_;         // of all words
  std::vector<Word> words_;   // in the order in which they were added
  std::vector<Slot> slots_;   // words by their hash; their number is a power of two
};

}  // namespace hippo
