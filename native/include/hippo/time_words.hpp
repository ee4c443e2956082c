// The words and marks of a sentence, each with the part that it has in an expression of time.
//
// Words of the letters of ASCII, and marks, are found here. What may be written with digits or with
// other letters is asked of the caller, who has the pattern of all that there is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hippo {

class TimeWords {
 public:
  using Part = std::uint8_t;

  // What the caller says of a place: the part of the token there, and its end; 0 if there is none.
  struct Told {
    Part part;
    std::size_t end;
  };

  // The part of each token, one byte for each, and where each begins and ends.
  struct Tokens {
    std::string parts;
    std::vector<std::uint32_t> places;
  };

  // The parts of a word and of a mark of which nothing else is known.
  TimeWords(Part word, Part mark) : word_(word), mark_(mark) {}

  // Note the part of a word in lower case, or of a mark.
  void add(std::string_view word, Part part) { known_.insert_or_assign(std::string{word}, part); }

  // Return the tokens of a text that has one byte for each character, "?" for one beyond ASCII.
  // Where a token may be more than a word or mark, ask(its index, its place) tells.
  template <class Ask>
  Tokens read(std::string_view text, Ask ask) const {
    Tokens found;
    std::string low;
    for (std::size_t at = 0; at < text.size();) {
      Told token{0, end_of(text, at)};
      if (token.end == at) {  // a space
        ++at;
        continue;
      }
      if (token.end == unsure) {
        token = ask(found.parts.size(), at);
        if (token.end == 0) {
          ++at;
          continue;
        }
        if (token.end <= at || token.end > text.size())
          throw std::invalid_argument("a token is told to end before it begins, or behind the text");
      } else {
        token.part = part_of(text.substr(at, token.end - at), low);
      }
      found.parts += static_cast<char>(token.part);
      found.places.push_back(static_cast<std::uint32_t>(at));
      found.places.push_back(static_cast<std::uint32_t>(token.end));
      at = token.end;
    }
    return found;
  }

 private:
  enum class Kind : std::uint8_t { sign, letter, space, other };
  static constexpr std::size_t unsure = ~std::size_t{0};

  static constexpr std::array<Kind, 256> kinds = [] {
    std::array<Kind, 256> of{};
    for (std::size_t i = 0; i < 26; ++i) of['A' + i] = of['a' + i] = Kind::letter;
    for (std::size_t i = 0; i < 10; ++i) of['0' + i] = Kind::other;
    for (std::size_t i = 0x80; i < 256; ++i) of[i] = Kind::other;
    of['_'] = of['?'] = Kind::other;
    for (std::size_t i = '\t'; i <= '\r'; ++i) of[i] = Kind::space;
    for (std::size_t i = 0x1C; i <= ' '; ++i) of[i] = Kind::space;  // separators of records, too
    return of;
  }();

  static bool is(std::string_view text, std::size_t at, Kind kind) {
    return at < text.size() && kinds[static_cast<std::uint8_t>(text[at])] == kind;
  }

  static std::size_t end_of_letters(std::string_view text, std::size_t at) {
    while (is(text, at, Kind::letter)) ++at;
    return at;
  }

  // Where the word or mark at a place ends; there if it is a space.
  static std::size_t end_of(std::string_view text, std::size_t at) {
    if (is(text, at, Kind::space)) return at;
    std::size_t end = end_of_letters(text, at);
    if (is(text, end, Kind::other)) return unsure;
    if (end == at) return text[at] == '\'' ? unsure : at + 1;
    // Letters behind an apostrophe are of the word, but for the "s" of a genitive.
    while (end < text.size() && text[end] == '\'') {
      const std::size_t after = end_of_letters(text, end + 1);
      if (is(text, after, Kind::other)) return unsure;
      const bool genitive = after == end + 2 && (text[end + 1] | 0x20) == 's';
      if (after == end + 1 || genitive) break;
      end = after;
    }
    return end;
  }

  Part part_of(std::string_view token, std::string& low) const {
    low = token;
    for (char& c : low)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
    const auto known = known_.find(low);
    if (known != known_.end()) return known->second;
    return is(token, 0, Kind::letter) ? word_ : mark_;
  }

  Part word_, mark_;
  std::unordered_map<std::string, Part> known_;
};

}  // namespace hippo
