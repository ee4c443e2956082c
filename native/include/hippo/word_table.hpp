// Words of texts in Latin letters, with what is known of each: its hash, and what it says of the
// language.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace hippo {

class WordTable {
 public:
  // What a text has: the hashes of its words in order; the sum of what its different words say,
  // infinite if none says anything; and words that are not known, whose hash is 0.
  struct Read {
    std::vector<std::uint32_t> hashes;
    double leaning = std::numeric_limits<double>::infinity();
    std::vector<std::string> unknown;
  };

  WordTable() : slots_(1024, none) {}

  std::size_t size() const noexcept { return words_.size(); }

  // Note what is known of a word in lower case; what is known already stays.
  void add(std::string_view word, std::uint32_t hash, double leaning) {
    if (2 * (words_.size() + 1) > slots_.size()) grow();
    const std::size_t slot = slot_of(word), first = bytes_.size();
    if (slots_[slot] != none) return;
    // The slot last, for nothing is known by halves where memory ends in between.
    bytes_ += word;
    words_.push_back({first, word.size(), hash, 0, leaning});
    slots_[slot] = static_cast<std::uint32_t>(words_.size() - 1);
  }

  void clear() { *this = WordTable{}; }

  // A word is of letters and digits, with one apostrophe between them: "don't". Of a text in UTF-8
  // letters are those of ASCII, read in lower case, and U+00C0 to U+024F, as they are.
  Read read(std::string_view text) {
    Read found;
    ++reads_;
    bool told = false;
    double leaning = 0;
    Key word;
    for (std::size_t at = 0; at < text.size();) {
      if (letter_at(text, at) == 0) {
        ++at;
        continue;
      }
      word.clear();
      take(text, at, word);
      const std::size_t sign = apostrophe_at(text, at);
      if (sign != 0 && letter_at(text, at + sign) != 0) {
        for (const std::size_t end = at + sign; at < end; ++at) word.put(text[at]);
        take(text, at, word);
      }
      const std::uint32_t place = slots_[slot_of(word.bytes, word.hash)];
      found.hashes.push_back(place == none ? 0 : words_[place].hash);
      if (place == none) {
        found.unknown.push_back(word.bytes);
      } else if (Word& known = words_[place]; known.read != reads_) {
        known.read = reads_;
        told = told || known.leaning != 0;
        leaning += known.leaning;
      }
    }
    if (told) found.leaning = leaning;
    return found;
  }

 private:
  struct Word {
    std::size_t first, length;  // where it is in the bytes
    std::uint32_t hash;
    std::uint64_t read;  // the number of the text that had it last
    double leaning;
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  // The bytes of a word, and their number, as they come.
  struct Key {
    std::string bytes;
    std::uint64_t hash = seed;

    void clear() {
      bytes.clear();
      hash = seed;
    }
    void put(char c) {
      bytes.push_back(c);
      hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001B3u;
    }

   private:
    static constexpr std::uint64_t seed = 0xCBF29CE484222325u;
  };

  // What letters and digits of ASCII are in lower case; 0 for all else.
  static constexpr std::array<char, 256> lower = [] {
    std::array<char, 256> made{};
    for (char c = '0'; c <= '9'; ++c) made[static_cast<std::uint8_t>(c)] = c;
    for (char c = 'a'; c <= 'z'; ++c) {
      made[static_cast<std::uint8_t>(c)] = c;
      made[static_cast<std::uint8_t>(c & ~0x20)] = c;
    }
    return made;
  }();

  // How many bytes the letter or digit at a place has; 0 if there is none.
  static std::size_t letter_at(std::string_view text, std::size_t at) {
    if (at >= text.size()) return 0;
    const auto first = static_cast<std::uint8_t>(text[at]);
    if (first < 0x80) return lower[first] != 0 ? 1 : 0;
    if (first < 0xC3 || first > 0xC9 || at + 1 >= text.size()) return 0;
    const auto second = static_cast<std::uint8_t>(text[at + 1]);
    if (first == 0xC3 && (second == 0x97 || second == 0xB7)) return 0;  // "×" and "÷"
    return first < 0xC9 || second < 0x90 ? 2 : 0;
  }

  // How many bytes the apostrophe at a place has, straight or curved; 0 if there is none.
  static std::size_t apostrophe_at(std::string_view text, std::size_t at) {
    if (at < text.size() && text[at] == '\'') return 1;
    return at < text.size() && text.substr(at, 3) == "\xE2\x80\x99" ? 3 : 0;
  }

  // Add the letters from a place on to a word, and go behind them.
  static void take(std::string_view text, std::size_t& at, Key& word) {
    while (at < text.size()) {
      if (const char c = lower[static_cast<std::uint8_t>(text[at])]) {
        word.put(c);
        ++at;
        continue;
      }
      const std::size_t length = letter_at(text, at);
      if (length == 0) return;
      for (const std::size_t end = at + length; at < end; ++at) word.put(text[at]);
    }
  }

  std::size_t slot_of(std::string_view word) const {
    Key key;
    for (const char c : word) key.put(c);
    return slot_of(word, key.hash);
  }

  // Where a word is, or would be.
  std::size_t slot_of(std::string_view word, std::uint64_t hash) const {
    hash ^= hash >> 32;
    for (std::size_t slot = hash & (slots_.size() - 1);; slot = (slot + 1) & (slots_.size() - 1)) {
      if (slots_[slot] == none) return slot;
      const Word& known = words_[slots_[slot]];
      if (std::string_view{bytes_}.substr(known.first, known.length) == word) return slot;
    }
  }

  void grow() {
    std::vector<std::uint32_t> more(2 * slots_.size(), none);
    slots_.swap(more);
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const Word& known = words_[i];
      slots_[slot_of(std::string_view{bytes_}.substr(known.first, known.length))] =
          static_cast<std::uint32_t>(i);
    }
  }

  std::string bytes_;                 // of all words
  std::vector<Word> words_;           // in the order in which they were added
  std::vector<std::uint32_t> slots_;  // words by their hash; their number is a power of two
  std::uint64_t reads_ = 0;
};

}  // namespace hippo
