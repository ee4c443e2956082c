// Sets of words, and which of them a text has: what many readers ask of it, found out at once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "hippo/known_words.hpp"

namespace hippo {

class WordSets {
 public:
  static constexpr std::size_t most = 64;

  // What a text has. A place counts characters.
  class Found {
   public:
    std::size_t size() const noexcept { return words_; }
    bool is_latin() const noexcept { return latin_; }
    bool has_digit() const noexcept { return digit_; }
    bool has_marked() const noexcept { return marked_; }

    // Whether a set has any of the words.
    bool has(std::size_t set) const { return (any_ & bit(set)) != 0; }

    // How many of the words a set has, each as often as it is there.
    std::size_t count(std::size_t set) const {
      return static_cast<std::size_t>(std::count_if(
          known_.begin(), known_.end(), [&](const Known& one) { return one.sets & bit(set); }));
    }

    // Where the words begin that a set has, in order.
    std::vector<std::uint32_t> places(std::size_t set) const {
      std::vector<std::uint32_t> at;
      for (const Known& one : known_)
        if (one.sets & bit(set)) at.push_back(one.at);
      return at;
    }

    // The different words that a set has.
    std::vector<std::string_view> words(std::size_t set) const {
      std::vector<std::uint32_t> places;
      for (const Known& one : known_)
        if (one.sets & bit(set)) places.push_back(one.place);
      std::sort(places.begin(), places.end());
      places.erase(std::unique(places.begin(), places.end()), places.end());
      std::vector<std::string_view> different;
      for (const std::uint32_t place : places) different.push_back(of_->known_.word_at(place));
      return different;
    }

   private:
    friend class WordSets;
    struct Known {
      std::uint32_t at, place;
      std::uint64_t sets;
    };

    explicit Found(const WordSets& of) : of_(&of) {}

    const WordSets* of_;
    std::size_t words_ = 0;
    bool latin_ = true, digit_ = false, marked_ = false;
    std::uint64_t any_ = 0;
    std::vector<Known> known_;  // the words that any set has, in their order
  };

  std::size_t size() const noexcept { return sets_; }

  // Make a set of words in lower case, and return its number.
  std::size_t add(std::span<const std::string> words) {
    if (sets_ == most) throw std::length_error("there are 64 sets of words, and no room for more");
    // First the words, of no set as yet: where memory ends in between, nobody finds any of them.
    for (const std::string& word : words) known_.add(word, 0);
    for (const std::string& word : words) known_[known_.place_of(word)] |= bit(sets_);
    return sets_++;
  }

  // Look for words in a text in UTF-8 that is in lower case, but for letters of ASCII. They are the
  // longest runs of letters, and none of a text is right that is not in Latin letters and signs.
  Found read(std::string_view text) const {
    Found found{*this};
    std::string low{text};
    for (char& c : low) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
    const std::string_view words{low};
    found.known_.reserve(text.size() / 8);
    std::size_t behind = 0;  // bytes of characters beyond their first ones
    for (std::size_t at = 0; at < words.size();) {
      const std::size_t first = at, began = at - behind;
      Character next = character_at(words, at);
      while (next.kind == Kind::letter) {
        found.marked_ = found.marked_ || next.bytes > 1;
        at += next.bytes;
        behind += next.bytes - 1;
        while (is_letter(words, at)) ++at;
        next = character_at(words, at);
      }
      if (at > first) note(found, words.substr(first, at - first), began);
      found.digit_ = found.digit_ || next.kind == Kind::digit;
      found.latin_ = found.latin_ && next.kind != Kind::other;
      at += next.bytes;
      behind += next.bytes - 1;
    }
    return found;
  }

 private:
  enum class Kind : std::uint8_t { sign, letter, digit, other };

  static constexpr std::uint64_t bit(std::size_t set) {
    return set < most ? std::uint64_t{1} << set : 0;
  }

  struct Character {
    std::size_t bytes;
    Kind kind;
  };

  static constexpr std::array<Kind, 128> ascii = [] {
    std::array<Kind, 128> of{};
    for (std::size_t i = 0; i < 26; ++i) of['a' + i] = Kind::letter;
    for (std::size_t i = 0; i < 10; ++i) of['0' + i] = Kind::digit;
    return of;
  }();

  void note(Found& found, std::string_view word, std::size_t began) const {
    ++found.words_;
    const std::uint32_t place = known_.place_of(word);
    if (place == known_.none || known_[place] == 0) return;
    found.any_ |= known_[place];
    found.known_.push_back({static_cast<std::uint32_t>(began), place, known_[place]});
  }

  static bool is_letter(std::string_view text, std::size_t at) {
    return at < text.size() && static_cast<std::uint8_t>(text[at] - 'a') < 26;
  }

  // The character at a place of a text in lower case; the end of the text is a sign.
  static Character character_at(std::string_view text, std::size_t at) {
    if (at >= text.size()) return {1, Kind::sign};
    const auto first = static_cast<std::uint8_t>(text[at]);
    if (first < 0x80) return {1, ascii[first]};
    const std::size_t wanted = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    const std::size_t length = std::min(wanted, text.size() - at);
    std::uint32_t code = first & (0xFFu >> (wanted + 1));
    for (std::size_t i = 1; i < length; ++i)
      code = code << 6 | (static_cast<std::uint8_t>(text[at + i]) & 0x3Fu);
    return {length, kind_of(code)};
  }

  // Of what is beyond ASCII only that which is surely in lower case, or a sign and part of no word.
  static Kind kind_of(std::uint32_t code) {
    const auto within = [&](std::uint32_t from, std::uint32_t to) {
      return code >= from && code <= to;
    };
    if (within(0xC0, 0x24F)) {
      if (code == 0xD7 || code == 0xF7) return Kind::sign;  // "×" and "÷"
      // These are two letters, or one of ASCII, to those who leave case out of account.
      for (const std::uint32_t odd : {0xDFu, 0x130u, 0x131u, 0x149u, 0x17Fu, 0x1F0u})
        if (code == odd) return Kind::other;
      return Kind::letter;
    }
    if (within(0xA0, 0xBF)) {  // but for "ª", "²", "³", "µ", "¹", "º" and the fractions
      for (const std::uint32_t odd : {0xAAu, 0xB2u, 0xB3u, 0xB5u, 0xB9u, 0xBAu, 0xBCu, 0xBDu, 0xBEu})
        if (code == odd) return Kind::other;
      return Kind::sign;
    }
    const bool sign = within(0x2010, 0x2027) || within(0x2030, 0x205E) || code == 0x20AC ||
                      code == 0x2122 || within(0x2190, 0x23FF) || within(0x2500, 0x2767) ||
                      code == 0xFE0F || within(0x1F300, 0x1FAFF);
    return sign ? Kind::sign : Kind::other;
  }

  KnownWords<std::uint64_t> known_;  // the sets of each word, as bits
  std::size_t sets_ = 0;
};

}  // namespace hippo
