// Sixteen floats at a time, in as many registers as a path needs for them: one, two or four.
//
// Each of the 16 goes its own way and sums are halved in one order, so every path gives the same
// bits. The compiler's own vectoriser does not see through choices and roundings; this does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hippo/simd.hpp"

#if !defined(__GNUC__) && !defined(__clang__)
#error "vector types of GCC and Clang are used here: on Windows, build with clang-cl"
#endif

namespace hippo {

inline constexpr std::size_t lanes = 16;

// Adding it leaves a float's whole part in the low bits, half to even; for magnitudes below 2^22.
inline constexpr float rounding = 12582912.0f;  // 1.5 * 2^23
inline constexpr std::int32_t rounding_bits = 0x4B400000;

// The types of one register. Written out for each size: GCC 12 loses the size in a template.
template <std::size_t Bytes>
struct Register;
#define HIPPO_REGISTER(bytes)                                                    \
  template <>                                                                    \
  struct Register<bytes> {                                                       \
    typedef float Floats __attribute__((vector_size(bytes)));                    \
    typedef std::int32_t Wholes __attribute__((vector_size(bytes)));             \
    typedef std::uint8_t Small __attribute__((vector_size(bytes / 4)));           \
    HIPPO_INLINE static void narrow(const Wholes& from, std::uint8_t* to) {      \
      const Small made = __builtin_convertvector(from, Small);                   \
      std::memcpy(to, &made, sizeof made);                                       \
    }                                                                            \
  };
HIPPO_REGISTER(16)
HIPPO_REGISTER(32)
HIPPO_REGISTER(64)
#undef HIPPO_REGISTER

template <std::size_t Bytes>
struct Sixteen {
  using Floats = typename Register<Bytes>::Floats;
  using Wholes = typename Register<Bytes>::Wholes;
  static constexpr std::size_t parts = 64 / Bytes;

  Floats part[parts];

  HIPPO_INLINE static Sixteen all(float x) {
    Sixteen made;
    for (std::size_t i = 0; i < parts; ++i) made.part[i] = Floats{} + x;
    return made;
  }
  HIPPO_INLINE static Sixteen load(const float* from) {
    Sixteen made;
    for (std::size_t i = 0; i < parts; ++i)
      std::memcpy(&made.part[i], from + i * Bytes / 4, Bytes);
    return made;
  }
  HIPPO_INLINE void store(float* to) const {
    for (std::size_t i = 0; i < parts; ++i) std::memcpy(to + i * Bytes / 4, &part[i], Bytes);
  }

  HIPPO_INLINE friend Sixteen operator+(Sixteen a, const Sixteen& b) {
    for (std::size_t i = 0; i < parts; ++i) a.part[i] += b.part[i];
    return a;
  }
  HIPPO_INLINE friend Sixteen operator-(Sixteen a, const Sixteen& b) {
    for (std::size_t i = 0; i < parts; ++i) a.part[i] -= b.part[i];
    return a;
  }
  HIPPO_INLINE friend Sixteen operator*(Sixteen a, const Sixteen& b) {
    for (std::size_t i = 0; i < parts; ++i) a.part[i] *= b.part[i];
    return a;
  }
  HIPPO_INLINE friend Sixteen operator/(Sixteen a, const Sixteen& b) {
    for (std::size_t i = 0; i < parts; ++i) a.part[i] /= b.part[i];
    return a;
  }
  HIPPO_INLINE friend Sixteen operator+(const Sixteen& a, float b) { return a + all(b); }
  HIPPO_INLINE friend Sixteen operator-(const Sixteen& a, float b) { return a - all(b); }
  HIPPO_INLINE friend Sixteen operator*(const Sixteen& a, float b) { return a * all(b); }

  HIPPO_INLINE friend Sixteen most(Sixteen a, const Sixteen& b) {
    for (std::size_t i = 0; i < parts; ++i)
      a.part[i] = a.part[i] > b.part[i] ? a.part[i] : b.part[i];
    return a;
  }
  HIPPO_INLINE friend Sixteen least(Sixteen a, const Sixteen& b) {
    for (std::size_t i = 0; i < parts; ++i)
      a.part[i] = a.part[i] < b.part[i] ? a.part[i] : b.part[i];
    return a;
  }
  HIPPO_INLINE Sixteen size() const {
    Sixteen made;
    for (std::size_t i = 0; i < parts; ++i)
      made.part[i] = reinterpret_cast<Floats>(reinterpret_cast<Wholes>(part[i]) & 0x7FFFFFFF);
    return made;
  }

  // Round to whole numbers from -128 to 127; store them as bytes, 128 added; return them as floats.
  HIPPO_INLINE Sixteen round_to(std::uint8_t* to) const {
    Sixteen made;
    for (std::size_t i = 0; i < parts; ++i) {
      const Floats shifted = part[i] + rounding;
      const Wholes whole = reinterpret_cast<Wholes>(shifted) - (rounding_bits - 128);
      Register<Bytes>::narrow(whole, to + i * Bytes / 4);
      made.part[i] = shifted - rounding;
    }
    return made;
  }

  // e^x for x <= 0, off by at most two units in the last place; as Cephes has it.
  HIPPO_INLINE Sixteen exponential() const {
    Sixteen made;
    for (std::size_t i = 0; i < parts; ++i) {
      const Floats lowest = Floats{} - 87.0f;
      const Floats x = part[i] > lowest ? part[i] : lowest;
      const Floats shifted = x * 1.44269504f + rounding;
      const Floats whole = shifted - rounding;
      const Floats r = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
      Floats p = Floats{} + 1.9875691500e-4f;
      p = p * r + 1.3981999507e-3f;
      p = p * r + 8.3334519073e-3f;
      p = p * r + 4.1665795894e-2f;
      p = p * r + 1.6666665459e-1f;
      p = p * r + 5.0000001201e-1f;
      p = p * (r * r) + r + 1.0f;
      const Wholes power = (reinterpret_cast<Wholes>(shifted) - (rounding_bits - 127)) << 23;
      made.part[i] = p * reinterpret_cast<Floats>(power);
    }
    return made;
  }

  HIPPO_INLINE float sum() const {
    float x[lanes];
    store(x);
    for (std::size_t half = lanes / 2; half; half /= 2)
      for (std::size_t i = 0; i < half; ++i) x[i] += x[i + half];
    return x[0];
  }
  HIPPO_INLINE float highest() const {
    float x[lanes];
    store(x);
    for (std::size_t half = lanes / 2; half; half /= 2)
      for (std::size_t i = 0; i < half; ++i) x[i] = x[i + half] > x[i] ? x[i + half] : x[i];
    return x[0];
  }
};

#if HIPPO_X86
template <class Loop>
HIPPO_AVX2 void lanes_avx2(Loop& loop) {
  loop(std::type_identity<Sixteen<32>>{});
}

template <class Loop>
HIPPO_AVX512 void lanes_avx512(Loop& loop) {
  loop(std::type_identity<Sixteen<64>>{});
}
#endif

// Run a loop with the lanes of the chosen path; it is a generic lambda, marked HIPPO_INLINE, that
// takes `kind`, whose ::type it is to use.
template <class Loop>
void in_lanes(Loop loop) {
#if HIPPO_X86
  switch (simd()) {
    case Simd::avx512: return lanes_avx512(loop);
    case Simd::avx2: return lanes_avx2(loop);
    default: break;
  }
#endif
  loop(std::type_identity<Sixteen<16>>{});
}

}  // namespace hippo
