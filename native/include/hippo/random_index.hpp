// Signatures of tokens from the tokens around them, without a model: d bits a token.
//
// Every token id v has a base vector r_v in {-1, 0, +1}^D with exactly t components that are not
// 0, half of them +1. The context of token i is e_i, the sum of r over the tokens at most w away
// from it, itself included, within its own span. Two ways to make bits of e_i:
//   top_signs     bit k is whether the k-th largest component by |e_i| is > 0 (of equals, the
//                 lower component first; components that are 0 come last and give 0)
//   plane_signs   bit k is whether <h_k, e_i> > 0, for hyperplanes h_k in {-1, +1}^D
// Bit 0 is the highest of the d-bit number that comes out, whose bytes are little-endian.
//
// The generator is part of stores' formats, and never changes. Streams are splitmix64's:
//   mix(z):    z ^= z >> 30; z *= 0xbf58476d1ce4e5b9; z ^= z >> 27; z *= 0x94d049bb133111eb;
//              z ^= z >> 31
//   stream:    draw i = 0, 1, .. of the stream `key` is mix(key + (i + 1) G), G = 0x9e3779b97f4a7c15
//   key:       mix(mix(seed + domain) + (n + 1) G); domain 0, n = v for base vectors, and
//              domain 1, n = c for what the hyperplanes have in component c
//   r_v:       draws x fall on component ((x >> 32) D) >> 32 and are passed over when it is taken;
//              the first t / 2 that are not give +1, the others -1
//   h_k[c]:    +1 where bit k mod 64, from the lowest, of draw k div 64 is 1
//
// Time:  O(t + D w / 64 + d) a token for top_signs, O(t d) for plane_signs.
// Space: O(D w) while it runs.
// Ref:   DWM, section 3.3 and appendix F. P. Kanerva, J. Kristoferson, A. Holst. Random indexing of
//        text samples for latent semantic analysis. CogSci 2000. G. Steele, D. Lea, C. Flood. Fast
//        splittable pseudorandom number generators. OOPSLA 2014 (splitmix64).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace hippo {

inline constexpr std::size_t max_components = 1 << 16;
inline constexpr std::size_t max_window = 127;
inline constexpr std::size_t max_signature_bits = 128;

// D, t, w, d and the seed. Precondition of all below: `check` does not throw.
struct RandomIndex {
  std::size_t components, nonzeros, window, bits;
  std::uint64_t seed;

  void check() const {
    const auto refuse = [](const char* name, std::size_t value, const std::string& rule) {
      throw std::invalid_argument(std::string(name) + "=" + std::to_string(value) + ": must be " +
                                  rule);
    };
    if (components < 8 || components > max_components)
      refuse("components", components, "from 8 to " + std::to_string(max_components));
    if (nonzeros < 2 || nonzeros % 2 != 0 || nonzeros > components)
      refuse("nonzeros", nonzeros,
             "even, from 2 to the number of components, " + std::to_string(components));
    if (window > max_window) refuse("window", window, "at most " + std::to_string(max_window));
    if (bits < 8 || bits % 8 != 0 || bits > max_signature_bits)
      refuse("bits", bits, "a multiple of 8, from 8 to " + std::to_string(max_signature_bits));
    if (bits > components)
      refuse("bits", bits, "at most the number of components, " + std::to_string(components));
  }
};

// One of splitmix64's streams.
class Stream {
 public:
  Stream(std::uint64_t seed, std::uint64_t domain, std::uint64_t n) noexcept
      : state_{mix(mix(seed + domain) + (n + 1) * golden)} {}

  std::uint64_t next() noexcept { return mix(state_ += golden); }

 private:
  static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;

  static std::uint64_t mix(std::uint64_t z) noexcept {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }

  std::uint64_t state_;
};

// The components of base vectors that are not 0: first those that are +1, then those that are -1.
class BaseVectors {
 public:
  explicit BaseVectors(const RandomIndex& how) : how_{how}, taken_((how.components + 63) / 64) {}

  void make(std::uint64_t token, std::uint32_t* out) {
    Stream draws{how_.seed, 0, token};
    for (std::size_t i = 0; i < how_.nonzeros;) {
      const auto at = static_cast<std::uint32_t>((draws.next() >> 32) * how_.components >> 32);
      std::uint64_t& word = taken_[at / 64];
      const std::uint64_t bit = std::uint64_t{1} << at % 64;
      if ((word & bit) != 0) continue;
      word |= bit;
      out[i++] = at;
    }
    for (std::size_t i = 0; i < how_.nonzeros; ++i) taken_[out[i] / 64] = 0;
  }

 private:
  RandomIndex how_;
  std::vector<std::uint64_t> taken_;
};

// e_i, with its components sorted by size at all times.
//
// Space: a bit a component for every size from 1 to 2 w + 1, and one for its sign.
class TopSigns {
 public:
  using Part = std::uint32_t;

  explicit TopSigns(const RandomIndex& how)
      : how_{how},
        bases_{how},
        words_{(how.components + 63) / 64},
        sums_(how.components),
        above_(words_),
        of_size_((2 * how.window + 2) * words_) {}

  std::size_t parts() const noexcept { return how_.nonzeros; }
  void make(std::uint64_t token, Part* out) { bases_.make(token, out); }

  void clear() noexcept {
    std::ranges::fill(sums_, std::int16_t{0});
    std::ranges::fill(above_, std::uint64_t{0});
    std::ranges::fill(of_size_, std::uint64_t{0});
  }

  void add(const Part* base, int sign) noexcept {
    const std::size_t half = how_.nonzeros / 2;
    for (std::size_t i = 0; i < half; ++i) move(base[i], sign);
    for (std::size_t i = half; i < how_.nonzeros; ++i) move(base[i], -sign);
  }

  void write(std::uint8_t* out) const noexcept {
    std::size_t left = how_.bits;
    for (std::size_t size = 2 * how_.window + 1; size > 0; --size) {
      const std::uint64_t* present = of_size_.data() + size * words_;
      for (std::size_t w = 0; w < words_; ++w)
        for (std::uint64_t rest = present[w]; rest != 0; rest &= rest - 1) {
          --left;
          const std::uint64_t bit = above_[w] >> std::countr_zero(rest) & 1;
          out[left / 8] |= static_cast<std::uint8_t>(bit << left % 8);
          if (left == 0) return;
        }
    }
  }

 private:
  void move(std::uint32_t at, int by) noexcept {
    const std::size_t word = at / 64;
    const std::uint64_t bit = std::uint64_t{1} << at % 64;
    const int before = sums_[at], after = before + by;
    sums_[at] = static_cast<std::int16_t>(after);
    // Size 0 has its bits too, which nobody reads: cheaper than to ask.
    of_size_[static_cast<std::size_t>(before < 0 ? -before : before) * words_ + word] &= ~bit;
    of_size_[static_cast<std::size_t>(after < 0 ? -after : after) * words_ + word] |= bit;
    above_[word] = (above_[word] & ~bit) | (after > 0 ? bit : 0);
  }

  RandomIndex how_;
  BaseVectors bases_;
  std::size_t words_;
  std::vector<std::int16_t> sums_;
  std::vector<std::uint64_t> above_, of_size_;
};

// <h_k, e_i> for every k.
//
// Space: d sums. A token's own share in them, its base vector's, is made once and taken away again.
class PlaneSigns {
 public:
  using Part = std::int32_t;

  explicit PlaneSigns(const RandomIndex& how)
      : how_{how}, bases_{how}, base_(how.nonzeros), sums_(how.bits) {}

  std::size_t parts() const noexcept { return how_.bits; }

  void make(std::uint64_t token, Part* out) {
    bases_.make(token, base_.data());
    std::fill_n(out, how_.bits, 0);
    for (std::size_t i = 0; i < how_.nonzeros; ++i) {
      const Part sign = i < how_.nonzeros / 2 ? 1 : -1;
      Stream draws{how_.seed, 1, base_[i]};
      for (std::size_t k = 0; k < how_.bits; k += 64) {
        const std::uint64_t plus = draws.next();
        const std::size_t stop = std::min<std::size_t>(64, how_.bits - k);
        for (std::size_t b = 0; b < stop; ++b)
          out[k + b] += (static_cast<Part>(plus >> b & 1) * 2 - 1) * sign;
      }
    }
  }

  void clear() noexcept { std::ranges::fill(sums_, 0); }

  void add(const Part* part, int sign) noexcept {
    for (std::size_t k = 0; k < how_.bits; ++k) sums_[k] += sign * part[k];
  }

  void write(std::uint8_t* out) const noexcept {
    for (std::size_t k = 0; k < how_.bits; ++k) {
      const std::size_t place = how_.bits - 1 - k;
      out[place / 8] |= static_cast<std::uint8_t>((sums_[k] > 0 ? 1 : 0) << place % 8);
    }
  }

 private:
  RandomIndex how_;
  BaseVectors bases_;
  std::vector<std::uint32_t> base_;
  std::vector<Part> sums_;
};

// Write the signature of every token, `bits` / 8 bytes each, into zeroed memory. Span i holds tokens
// ends[i] to ends[i + 1]; what is beyond its span is not in a token's window.
template <class Signs>
void sign_contexts(std::span<const std::uint64_t> ids, std::span<const std::uint64_t> ends,
                   const RandomIndex& how, std::uint8_t* out) {
  Signs context{how};
  const std::size_t w = how.window, reach = 2 * w + 1, parts = context.parts();
  std::vector<typename Signs::Part> ring(reach * parts);
  const auto part = [&](std::size_t i) { return ring.data() + i % reach * parts; };
  const auto enter = [&](std::size_t i) {
    context.make(ids[i], part(i));
    context.add(part(i), 1);
  };
  for (std::size_t s = 0; s + 1 < ends.size(); ++s) {
    const std::size_t start = ends[s], stop = ends[s + 1];
    context.clear();
    for (std::size_t i = start; i < std::min(start + w, stop); ++i) enter(i);
    for (std::size_t i = start; i < stop; ++i) {
      if (i > start + w) context.add(part(i - w - 1), -1);
      if (stop - i > w) enter(i + w);
      context.write(out + i * how.bits / 8);
    }
  }
}

}  // namespace hippo
