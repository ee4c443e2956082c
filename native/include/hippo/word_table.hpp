// Words of texts in Latin letters, with what is known of each: its hash, and what it says of the
// language.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hippo/known_words.hpp"

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

  std::size_t size() const noexcept { return words_.size(); }

  // Note what is known of a word in lower case; what is known already stays.
  void add(std::string_view word, std::uint32_t hash, double leaning) {
    words_.add(word, {hash, 0, leaning});
  }

  // A word is of letters and digits, with one apostrophe between them: "don't". Of a text in UTF-8
  // letters are those of ASCII, read in lower case, and U+00C0 to U+024F, as they are.
  Read read(std::string_view text) {
    Read found;
    ++reads_;
    bool told = false;
    double leaning = 0;
    for_each_word(text, [&](const std::string& word) {
      const std::uint32_t place = words_.place_of(word);
      found.hashes.push_back(place == none ? 0 : words_[place].hash);
      if (place == none) {
        found.unknown.push_back(word);
      } else if (Word& known = words_[place]; known.read != reads_) {
        known.read = reads_;
        told = told || known.leaning != 0;
        leaning += known.leaning;
      }
    });
    if (told) found.leaning = leaning;
    return found;
  }

  // The different words of a text that say something of its language, and how often each is there.
  std::map<std::string, std::size_t> telling(std::string_view text) const {
    std::map<std::string, std::size_t> found;
    for_each_word(text, [&](const std::string& word) {
      const std::uint32_t place = words_.place_of(word);
      if (place != none && words_[place].leaning != 0) ++found[word];
    });
    return found;
  }

 private:
  struct Word {
    std::uint32_t hash;
    std::uint64_t read;  // the number of the text that had it last
    double leaning;
  };
  static constexpr std::uint32_t none = KnownWords<Word>::none;

  template <class Take>
  static void for_each_word(std::string_view text, Take take_word) {
    std::string word;
    for (std::size_t at = 0; at < text.size();) {
      if (letter_at(text, at) == 0) {
        ++at;
        continue;
      }
      word.clear();
      take(text, at, word);
      const std::size_t sign = apostrophe_at(text, at);
      if (sign != 0 && letter_at(text, at + sign) != 0) {
        for (const std::size_t end = at + sign; at < end; ++at) word.push_back(text[at]);
        take(text, at, word);
      }
      take_word(word);
    }
  }

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
  static void take(std::string_view text, std::size_t& at, std::string& word) {
    while (at < text.size()) {
      if (const char c = lower[static_cast<std::uint8_t>(text[at])]) {
        word.push_back(c);
        ++at;
        continue;
      }
      const std::size_t length = letter_at(text, at);
      if (length == 0) return;
      for (const std::size_t end = at + length; at < end; ++at) word.push_back(text[at]);
    }
  }

  KnownWords<Word> words_;
  std::uint64_t reads_ = 0;
};

}  // namespace hippo
