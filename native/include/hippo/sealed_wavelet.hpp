// A wavelet matrix that never changes, and the bytes it is: made once, written, and read in place.
//
// Format 1, little-endian:
//   0   "HPWM"       magic
//   4   u32          version, 1
//   8   u64          bits of a symbol, 1 to 128
//   16  u64          symbols, n
//   24  u64          bytes in all
//   32  levels       one SealedBits::Layout(n) per bit, highest first
//   end u64          XXH64 of all bytes before it
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hippo/bits.hpp"
#include "hippo/checksum.hpp"
#include "hippo/dynamic_wavelet.hpp"
#include "hippo/partition.hpp"
#include "hippo/sealed_bits.hpp"
#include "hippo/wavelet.hpp"

namespace hippo {

class SealedWavelet : public Wavelet<SealedBits> {
 public:
  static SealedWavelet build(const Word* symbols, std::size_t n, std::size_t bits) {
    SealedWavelet made(bits, n);
    if (words_for(bits) == 1)
      made.fill(items_of<1>(symbols, n));
    else
      made.fill(items_of<2>(symbols, n));
    made.finish();
    return made;
  }

  explicit SealedWavelet(const DynamicWavelet& grown)
      : SealedWavelet(grown.bits(), grown.size()) {
    for (std::size_t k = 0; k < bits(); ++k) {
      BitWriter packed(size_);
      grown.level(k).pack(packed);
      std::copy_n(packed.words().begin(), words_for(size_), bits_of(k));
    }
    finish();
  }

  // Read bytes in place, which must stay as they are. Everything that later reads rely on is
  // checked, so that not even bytes made with intent lead astray.
  static SealedWavelet load(const void* bytes, std::size_t length) {
    const auto refuse = [](const std::string& why) {
      throw std::invalid_argument("not the bytes of a wavelet matrix: " + why);
    };
    const auto bytes_are = [](std::size_t count) { return std::to_string(count) + " bytes"; };
    const std::string again = "; read or copy them again from where they came";
    if (length < 8 * (header + 1))
      refuse("there are " + bytes_are(length) + ", must be at least " +
             bytes_are(8 * (header + 1)) + again);
    const Words words{bytes};
    if ((words[0] & 0xffffffff) != (magic & 0xffffffff)) refuse("they do not begin with HPWM");
    if (words[0] != magic)
      refuse("format " + std::to_string(words[0] >> 32) + ", this version reads format 1; " +
             "upgrade the package if the format is newer");
    if (words[3] != length)
      refuse("they say they are " + std::to_string(words[3]) + " and are " + bytes_are(length) +
             ", so they were cut or altered" + again);
    const std::size_t body = length - 8;
    Word sum;
    std::memcpy(&sum, words.bytes() + body, 8);
    if (sum != checksum(bytes, body)) refuse("their checksum is wrong, they were altered" + again);
    if (words[1] == 0 || words[1] > max_symbol_bits || words[2] > max_length ||
        length != 8 * total(words[1], words[2]))
      refuse("bits " + std::to_string(words[1]) + " and length " + std::to_string(words[2]) +
             " do not belong to " + bytes_are(length));
    SealedWavelet found;
    found.attach(bytes, words[1], words[2]);
    found.check_levels(refuse);
    return found;
  }

  const void* data() const noexcept { return data_; }
  std::size_t nbytes() const noexcept { return 8 * total(bits(), size_); }

  SealedWavelet(SealedWavelet&&) = default;
  SealedWavelet& operator=(SealedWavelet&&) = default;

 private:
  static constexpr std::size_t header = 4;                 // words
  static constexpr Word magic = 0x1'4d57'5048;             // "HPWM", 1
  static_assert(sizeof(std::size_t) == 8, "lengths are written as 64 bits");

  SealedWavelet() = default;

  SealedWavelet(std::size_t bits, std::size_t n) {
    check_width(bits);
    check_length(n);
    own_.resize(total(bits, n));
    own_[0] = magic;
    own_[1] = bits;
    own_[2] = n;
    own_[3] = 8 * own_.size();
    attach(own_.data(), bits, n);
  }

  // In words.
  static std::size_t total(std::size_t bits, std::size_t n) noexcept {
    return header + bits * SealedBits::Layout(n).end + 1;
  }

  Word* words_of(std::size_t k) { return own_.data() + header + k * SealedBits::Layout(size_).end; }
  Word* bits_of(std::size_t k) { return words_of(k) + SealedBits::Layout(size_).bits; }

  template <std::size_t Wide>
  void fill(std::vector<Item<Wide>> items) {
    std::vector<Item<Wide>> room;
    for (std::size_t k = 0; k < bits(); ++k) {
      pack_place(items, place(k), bits_of(k));
      part(items, room, bits_of(k));
    }
  }

  void finish() {
    for (std::size_t k = 0; k < bits(); ++k) SealedBits::index(words_of(k), size_);
    own_.back() = checksum(own_.data(), 8 * (own_.size() - 1));
    attach(own_.data(), bits(), size_);
  }

  void attach(const void* bytes, std::size_t bits, std::size_t n) {
    data_ = bytes;
    size_ = n;
    levels_.clear();
    for (std::size_t k = 0; k < bits; ++k)
      levels_.emplace_back((Words{bytes} + header + k * SealedBits::Layout(n).end).bytes(), n);
  }

  // The directories must be those of the bits, and the bits beyond the last must be 0.
  template <class Refuse>
  void check_levels(Refuse refuse) const {
    const SealedBits::Layout at{size_};
    std::vector<Word> again(at.end);
    for (std::size_t k = 0; k < bits(); ++k) {
      const Words words = Words{data_} + header + k * at.end;
      std::memcpy(again.data() + at.bits, (words + at.bits).bytes(), 8 * (at.hints - at.bits));
      for (std::size_t w = size_ / 64; at.bits + w < at.hints; ++w)
        if (again[at.bits + w] & ~(w == size_ / 64 ? low_bits(size_ % 64) : Word{0}))
          refuse("level " + std::to_string(k) + " has bits beyond its end");
      SealedBits::index(again.data(), size_);
      if (std::memcmp(again.data(), words.bytes(), 8 * at.end) != 0)
        refuse("the directory of level " + std::to_string(k) + " is not that of its bits");
    }
  }

  std::vector<Word> own_;  // empty when the bytes are someone else's
  const void* data_ = nullptr;
};

}  // namespace hippo
