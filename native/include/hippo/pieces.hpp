// Pieces of a text: where no token goes across, as the pattern of o200k_base parts it.
//
// A character is given as one byte, its shape: one of ASCII as itself, another as what stands for
// its category. The pattern's alternatives are tried in its order, so the first that fits counts,
// and not the longest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace hippo {

namespace shape {

// Stand-ins for characters beyond ASCII.
inline constexpr std::uint8_t upper = 0x80, lower = 0x81, letter = 0x82, number = 0x83,
                              space = 0x84, mark = 0x87;
// What a character may be part of; a newline is a space too.
inline constexpr std::uint8_t is_upper = 1, is_lower = 2, is_letter = 4, is_number = 8,
                              is_space = 16, is_newline = 32;

inline constexpr std::array<std::uint8_t, 256> parts = [] {
  std::array<std::uint8_t, 256> of{};
  for (std::size_t i = 0; i < 26; ++i) {
    of['A' + i] = is_upper | is_letter;
    of['a' + i] = is_lower | is_letter;
  }
  for (std::size_t i = 0; i < 10; ++i) of['0' + i] = is_number;
  for (const char blank : std::string_view{"\t\x0b\x0c "})
    of[static_cast<std::uint8_t>(blank)] = is_space;
  of['\n'] = of['\r'] = is_space | is_newline;
  of[upper] = is_upper | is_letter;
  of[lower] = is_lower | is_letter;
  of[letter] = is_upper | is_lower | is_letter;
  of[mark] = is_upper | is_lower;  // a letter goes on with it, and does not begin
  of[number] = is_number;
  of[space] = is_space;
  return of;
}();

}  // namespace shape

class Pieces {
 public:
  explicit Pieces(std::span<const std::uint8_t> shapes) : shapes_(shapes) {}

  // How many characters each piece has; none has none, and together they are all.
  std::vector<std::uint32_t> lengths() const {
    std::vector<std::uint32_t> found;
    found.reserve(shapes_.size() / 4 + 1);
    for (std::size_t at = 0; at < shapes_.size();) {
      const std::size_t end = end_of(at);
      found.push_back(static_cast<std::uint32_t>(end - at));
      at = end;
    }
    return found;
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  bool is(std::size_t at, unsigned wanted) const {
    return at < shapes_.size() && (shape::parts[shapes_[at]] & wanted) != 0;
  }

  // The end of a run of characters that are any of what is wanted.
  std::size_t run(std::size_t at, unsigned wanted) const {
    while (is(at, wanted)) ++at;
    return at;
  }

  std::size_t end_of(std::size_t at) const {
    using namespace shape;
    // A sign or a space may be before the letters of a word.
    const bool led = !is(at, is_letter | is_number | is_newline);
    for (const auto word : {&Pieces::ending_low, &Pieces::ending_high}) {
      if (led)
        if (const std::size_t end = (this->*word)(at + 1); end != none) return end;
      if (const std::size_t end = (this->*word)(at); end != none) return end;
    }
    if (is(at, is_number)) {
      std::size_t end = at + 1;
      while (end < at + 3 && is(end, is_number)) ++end;
      return end;
    }
    const std::size_t sign = at + (shapes_[at] == ' ' ? 1 : 0);
    if (is_sign(sign)) {
      std::size_t end = sign;
      while (is_sign(end)) ++end;
      while (end < shapes_.size() && (shapes_[end] == '/' || is(end, is_newline))) ++end;
      return end;
    }
    return end_of_blanks(at);
  }

  bool is_sign(std::size_t at) const {
    return at < shapes_.size() && !is(at, shape::is_space | shape::is_letter | shape::is_number);
  }

  // Letters whose last ones are small, after any that are large; those of no case are both.
  std::size_t ending_low(std::size_t at) const {
    std::size_t low = run(at, shape::is_upper);
    if (!is(low, shape::is_lower))
      do {
        if (low == at) return none;
        --low;  // give back what may be small as well
      } while (!is(low, shape::is_lower));
    return contracted(run(low, shape::is_lower));
  }

  // Large letters alone, for small ones would have been found before.
  std::size_t ending_high(std::size_t at) const {
    const std::size_t end = run(at, shape::is_upper);
    return end == at ? none : contracted(run(end, shape::is_lower));
  }

  // The end of what is contracted to a word that ends here: "it's", "WE'LL".
  std::size_t contracted(std::size_t at) const {
    if (at + 1 >= shapes_.size() || shapes_[at] != '\'') return at;
    const auto low = [this](std::size_t i) {
      return i < shapes_.size() && shapes_[i] < 0x80 ? static_cast<char>(shapes_[i] | 0x20) : ' ';
    };
    const char first = low(at + 1), second = low(at + 2);
    if (!is(at + 1, shape::is_letter)) return at;
    if (first == 's' || first == 't' || first == 'm' || first == 'd') return at + 2;
    if (!is(at + 2, shape::is_letter)) return at;
    const bool told = ((first == 'r' || first == 'v') && second == 'e') ||
                      (first == 'l' && second == 'l');
    return told ? at + 3 : at;
  }

  // Blanks up to the last newline; else all but the last one, which leads the word behind it.
  std::size_t end_of_blanks(std::size_t at) const {
    const std::size_t end = run(at, shape::is_space);
    for (std::size_t newline = end; newline > at; --newline)
      if (is(newline - 1, shape::is_newline)) return newline;
    return end == shapes_.size() || end == at + 1 ? end : end - 1;
  }

  std::span<const std::uint8_t> shapes_;
};

}  // namespace hippo
