// Lines in order, kept as how much each shares with the one before it, and what it adds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "hippo/check.hpp"

namespace hippo {

// Line i begins with the first `shared[i]` bytes of its predecessor; what follows is line i of
// `added`. Both are apart by line feeds. Refused unless they fit each other.
class Folded {
 public:
  Folded(std::span<const std::uint8_t> shared, std::string_view added)
      : shared_(shared), added_(added), size_(added.size()) {
    for (const std::uint8_t some : shared) size_ += some;
  }

  // Bytes of the lines, and of the room that they are written into.
  std::size_t size() const noexcept { return size_; }
  std::size_t room() const noexcept { return size_ + at_once; }

  // Write the lines, and where each begins.
  void unfold(char* to, std::int32_t* starts) const {
    const char* const text = to;
    const char *read = added_.data(), *const end = read + added_.size();
    std::size_t last = 0;  // how long the line before is
    for (std::size_t i = 0; i < shared_.size(); ++i) {
      const std::size_t some = shared_[i];
      if (some > last)
        throw std::invalid_argument("line " + std::to_string(i) + " shares " +
                                    std::to_string(some) + " bytes with one of " +
                                    std::to_string(last));
      const char *const before = to - last - (i != 0), *const begin = to;
      starts[i] = static_cast<std::int32_t>(begin - text);
      // What is copied too much is written over, or left in the room behind.
      for (std::size_t j = 0; j < some; j += at_once) {
        char eight[at_once];
        std::memcpy(eight, before + j, at_once);
        std::memcpy(to + j, eight, at_once);
      }
      to += some;
      while (read != end && *read != '\n') *to++ = *read++;
      last = static_cast<std::size_t>(to - begin);
      const bool is_last = i + 1 == shared_.size();
      if (is_last != (read == end))
        throw std::invalid_argument("added has more or fewer lines than " +
                                    std::to_string(shared_.size()));
      if (!is_last) *to++ = *read++;
    }
    if (shared_.empty()) check_size("added", added_.size(), 0);
  }

 private:
  static constexpr std::size_t at_once = 8;
  std::span<const std::uint8_t> shared_;
  std::string_view added_;
  std::size_t size_;
};

}  // namespace hippo
