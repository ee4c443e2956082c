// A wavelet matrix that never changes, and the bytes it is: made once, written, and read in place.
//
// Format 1: in a Frame of magic "HPWM", one SealedBits::Layout(n) per bit, highest first.
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
#include "hippo/dynamic_wavelet.hpp"
#include "hippo/frame.hpp"
#include "hippo/partition.hpp"
#include "hippo/sealed_bits.hpp"
#include "hippo/wavelet.hpp"

namespace hippo {

class SealedWavelet : public Wavelet<SealedBits> {
 public:
  static constexpr std::size_t max_symbol_bits = hippo::max_symbol_bits;

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
    const Words words = Frame::open(bytes, length, magic);
    const std::size_t bits = words[1], n = words[2];
    if (bits == 0 || bits > max_symbol_bits || n > max_length || length != 8 * total(bits, n))
      Frame::refuse("bits " + std::to_string(bits) + " and length " + std::to_string(n) +
                    " do not belong to " + std::to_string(length) + " bytes");
    SealedWavelet found(bits);
    found.attach(bytes, n);
    for (std::size_t k = 0; k < bits; ++k)
      if (const char* why = SealedBits::fault(words + found.level_at(k), n))
        Frame::refuse("level " + std::to_string(k) + " " + why);
    found.know_starts();
    return found;
  }

  const void* data() const noexcept { return data_; }
  std::size_t length() const noexcept { return 8 * total(bits(), size_); }  // of the data
  std::size_t nbytes() const noexcept { return length() + known_bytes(); }

  SealedWavelet(SealedWavelet&&) = default;
  SealedWavelet& operator=(SealedWavelet&&) = default;

 private:
  static constexpr Word magic = Frame::magic("HPWM");

  explicit SealedWavelet(std::size_t bits) : Wavelet(bits) {}

  SealedWavelet(std::size_t bits, std::size_t n) : SealedWavelet(bits) {
    check_width(bits);
    check_length(n);
    own_.resize(total(bits, n));
    Frame::begin(own_, magic, bits, n);
    attach(own_.data(), n);
  }

  // In words.
  static std::size_t total(std::size_t bits, std::size_t n) noexcept {
    return Frame::words + bits * SealedBits::Layout(n).end + 1;
  }
  std::size_t level_at(std::size_t k) const noexcept {
    return Frame::words + k * SealedBits::Layout(size_).end;
  }

  Word* bits_of(std::size_t k) {
    return own_.data() + level_at(k) + SealedBits::Layout(size_).bits;
  }

  template <std::size_t Wide>
  void fill(std::vector<Item<Wide>> items) {
    std::vector<Item<Wide>> room;
    for (std::size_t k = 0; k < bits(); ++k) {
      pack_place(items, place(k), bits_of(k));
      part(items, room, bits_of(k));
    }
  }

  void finish() {
    for (std::size_t k = 0; k < bits(); ++k) SealedBits::index(own_.data() + level_at(k), size_);
    Frame::end(own_);
    attach(own_.data(), size_);
    know_starts();
  }

  void attach(const void* bytes, std::size_t n) {
    data_ = bytes;
    size_ = n;
    levels_.clear();
    for (std::size_t k = 0; k < bits(); ++k)
      levels_.emplace_back((Words{bytes} + level_at(k)).bytes(), n);
  }

  std::vector<Word> own_;  // empty when the bytes are someone else's
  const void* data_ = nullptr;
};

}  // namespace hippo
