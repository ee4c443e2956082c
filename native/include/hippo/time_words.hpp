// The words and marks of a sentence, each with the part that it has in an expression of time.
//
// Words of the letters of ASCII, short numbers and marks are found here. What may be a date, an hour
// or the like, or has other letters, is asked of the caller, who has the pattern of all of them.
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

  // The parts of a word and of a mark of which nothing else is known, and of a number.
  TimeWords(Part word, Part mark, Part number) : word_(word), mark_(mark), number_(number) {}

  // Note the part of a word in lower case, or of a mark; the "'s" of a genitive is one.
  void add(std::string_view word, Part part) { known_.insert_or_assign(std::string{word}, part); }

  // Return the tokens of a text that has one byte for each character, "_" for one beyond ASCII.
  // Where a token may be another than a word, number or mark, ask(its index, its place) tells.
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
  enum Kind : std::uint8_t { sign = 1, letter = 2, digit = 4, space = 8, other = 16 };
  static constexpr std::size_t longest = 4;  // digits: of more it may be no number but an id
  static constexpr std::size_t unsure = ~std::size_t{0};

  static constexpr std::array<Kind, 256> kinds = [] {
    std::array<Kind, 256> of{};
    of.fill(sign);
    for (std::size_t i = 0; i < 26; ++i) of['A' + i] = of['a' + i] = letter;
    for (std::size_t i = 0; i < 10; ++i) of['0' + i] = digit;
    for (std::size_t i = '\t'; i <= '\r'; ++i) of[i] = space;
    for (std::size_t i = 0x1C; i <= ' '; ++i) of[i] = space;  // separators of records, too
    for (std::size_t i = 0x80; i < 256; ++i) of[i] = other;
    of['_'] = other;
    return of;
  }();

  static bool is(std::string_view text, std::size_t at, unsigned wanted) {
    return at < text.size() && (kinds[static_cast<std::uint8_t>(text[at])] & wanted) != 0;
  }

  static bool is_any(std::string_view text, std::size_t at, std::string_view of) {
    return at < text.size() && of.find(text[at]) != of.npos;
  }

  static std::size_t end_of(std::string_view text, std::size_t at, Kind kind) {
    while (is(text, at, kind)) ++at;
    return at;
  }

  // Where the token at a place ends; there if it is a space.
  static std::size_t end_of(std::string_view text, std::size_t at) {
    switch (kinds[static_cast<std::uint8_t>(text[at])]) {
      case space: return at;
      case other: return unsure;
      case letter: return end_of_word(text, at);
      case digit: return end_of_number(text, at);
      default: return text[at] == '\'' ? end_of_apostrophe(text, at) : at + 1;
    }
  }

  // Letters behind an apostrophe are of the word, but for the "s" of a genitive.
  static std::size_t end_of_word(std::string_view text, std::size_t at) {
    std::size_t end = end_of(text, at, letter);
    if (is(text, end, digit | other)) return unsure;
    while (is_any(text, end, "'")) {
      const std::size_t after = end_of(text, end + 1, letter);
      if (is(text, after, digit | other)) return unsure;
      if (after == end + 1 || (after == end + 2 && is_any(text, end + 1, "sS"))) break;
      end = after;
    }
    return end;
  }

  // A number that nothing goes on, as "12:30", "5 pm" or "90's" do.
  static std::size_t end_of_number(std::string_view text, std::size_t at) {
    const std::size_t end = end_of(text, at, digit);
    const bool goes_on = is(text, end, letter | other) || is_any(text, end, "'") ||
                         (is_any(text, end, ".,:/-") && is(text, end + 1, digit | other)) ||
                         (is_any(text, end, " ") && is_of_clock(text, end + 1));
    return goes_on || end - at > longest ? unsure : end;
  }

  // What may be "am", "p.m." or "o'clock".
  static bool is_of_clock(std::string_view text, std::size_t at) {
    if (is_any(text, at, "oO")) return is_any(text, at + 1, "'") || is(text, at + 1, other);
    return is_any(text, at, "aApP") && is_any(text, at + 1, ".mM");
  }

  static std::size_t end_of_apostrophe(std::string_view text, std::size_t at) {
    const std::size_t end = is_any(text, at + 1, "sS") ? at + 2 : at + 1;
    if (is(text, end, digit | other)) return unsure;
    return is(text, end, letter) ? at + 1 : end;
  }

  Part part_of(std::string_view token, std::string& low) const {
    low = token;
    for (char& c : low)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
    const auto known = known_.find(low);
    if (known != known_.end()) return known->second;
    return is(token, 0, letter) ? word_ : is(token, 0, digit) ? number_ : mark_;
  }

  Part word_, mark_, number_;
  std::unordered_map<std::string, Part> known_;
};

}  // namespace hippo
