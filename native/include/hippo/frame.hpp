// The frame of a sealed wavelet matrix's bytes, little-endian:
//   0   4 bytes      magic
//   4   u32          version, 1
//   8   u64          bits of a symbol
//   16  u64          symbols, n
//   24  u64          bytes in all
//   32  ...
//   end u64          XXH64 of all bytes before it
#pragma once

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "hippo/bits.hpp"
#include "hippo/checksum.hpp"

namespace hippo {

struct Frame {
  static constexpr std::size_t words = 4;  // before what it frames
  static_assert(sizeof(std::size_t) == 8, "lengths are written as 64 bits");

  // The first word of a frame: the magic's bytes and the version.
  static constexpr Word magic(const char (&name)[5]) noexcept {
    Word found = Word{1} << 32;
    for (std::size_t i = 0; i < 4; ++i) found |= Word{static_cast<unsigned char>(name[i])} << 8 * i;
    return found;
  }

  [[noreturn]] static void refuse(const std::string& why) {
    throw std::invalid_argument("not the bytes of a wavelet matrix: " + why);
  }

  static void begin(std::vector<Word>& out, Word magic, std::size_t bits, std::size_t n) noexcept {
    out[0] = magic;
    out[1] = bits;
    out[2] = n;
    out[3] = 8 * out.size();
  }

  static void end(std::vector<Word>& out) noexcept {
    out.back() = checksum(out.data(), 8 * (out.size() - 1));
  }

  // Refuse what is not such a frame, or was cut or altered; any bytes may come.
  static Words open(const void* bytes, std::size_t length, Word magic) {
    const auto bytes_are = [](std::size_t count) { return std::to_string(count) + " bytes"; };
    const std::string again = "; read or copy them again from where they came";
    if (length < 8 * (words + 1))
      refuse("there are " + bytes_are(length) + ", must be at least " + bytes_are(8 * (words + 1)) +
             again);
    const Words all{bytes};
    if ((all[0] & 0xffffffff) != (magic & 0xffffffff)) {
      std::string name(4, ' ');
      std::memcpy(name.data(), &magic, 4);
      refuse("they do not begin with " + name);
    }
    if (all[0] != magic)
      refuse("format " + std::to_string(all[0] >> 32) + ", this version reads format 1; " +
             "upgrade the package if the format is newer");
    if (all[3] != length)
      refuse("they say they are " + std::to_string(all[3]) + " and are " + bytes_are(length) +
             ", so they were cut or altered" + again);
    Word sum;
    std::memcpy(&sum, all.bytes() + length - 8, 8);
    if (sum != checksum(bytes, length - 8))
      refuse("their checksum is wrong, they were altered" + again);
    return all;
  }
};

}  // namespace hippo
