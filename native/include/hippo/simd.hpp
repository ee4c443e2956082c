// Which instruction set the kernels use: chosen once at run time, or forced by a test.
//
// The library is compiled for the plain architecture. Functions that need more carry a target
// attribute and a name of their own, and are called only after the processor has been asked.
#pragma once

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "hippo/processor.hpp"

#if HIPPO_X86
#include <immintrin.h>
// The widest registers are to be used, which compilers shy away from. Clang leaves out the whole
// attribute if it has a word that it does not know.
#if defined(__clang__)
#define HIPPO_WIDE(features) __attribute__((target(features), min_vector_width(512)))
#else
#define HIPPO_WIDE(features) __attribute__((target(features ",prefer-vector-width=512")))
#endif
#define HIPPO_AVX2 __attribute__((target("avx2,fma")))
#define HIPPO_AVX512 HIPPO_WIDE("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
#endif

#if defined(__GNUC__) || defined(__clang__)
#define HIPPO_INLINE __attribute__((always_inline))
#else
#define HIPPO_INLINE
#endif

namespace hippo {

// Ask for `bytes` bytes from `from` on, which will be read soon: rows named at random are misses
// that the processor cannot foresee.
inline void prefetch(const void* from, std::size_t bytes) noexcept {
#if defined(__GNUC__) || defined(__clang__)
  for (std::size_t at = 0; at < bytes; at += 64)
    __builtin_prefetch(static_cast<const char*>(from) + at);
#endif
}

enum class Simd : int { scalar, avx2, avx512 };

inline const char* name_of(Simd simd) noexcept {
  switch (simd) {
    case Simd::avx2: return "avx2";
    case Simd::avx512: return "avx512";
    default: return "scalar";
  }
}

// The best path this processor has.
inline Simd best_simd() noexcept {
#if HIPPO_X86
  const Processor& has = processor();
  if (has.avx512) return Simd::avx512;
  if (has.avx2 && has.fma) return Simd::avx2;
#endif
  return Simd::scalar;
}

inline std::atomic<Simd>& simd_choice() noexcept {
  static std::atomic<Simd> choice{best_simd()};
  return choice;
}

inline Simd simd() noexcept { return simd_choice().load(std::memory_order_relaxed); }

// Force a path by name, or return to the best with "auto". Paths are ordered: a processor that has
// one has all before it.
inline void set_simd(const std::string& name) {
  const Simd best = best_simd();
  if (name == "auto") return simd_choice().store(best);
  for (Simd path : {Simd::scalar, Simd::avx2, Simd::avx512}) {
    if (name != name_of(path)) continue;
    if (path > best)
      throw std::invalid_argument(
          "path '" + name + "' is not available: this processor's best is '" + name_of(best) + "'");
    return simd_choice().store(path);
  }
  throw std::invalid_argument("path '" + name + "' is unknown: use auto, scalar, avx2 or avx512");
}

#if HIPPO_X86
template <class Loop>
HIPPO_AVX2 void run_avx2(Loop& loop) {
  loop();
}

template <class Loop>
HIPPO_AVX512 void run_avx512(Loop& loop) {
  loop();
}
#endif

// Run a plain loop compiled for the chosen path, so that the compiler's own vectoriser has the wide
// registers. The loop must be a lambda marked HIPPO_INLINE, and gives the same result on every path
// because contraction to fused multiply-add is off (CMakeLists.txt).
template <class Loop>
void vectorised(Loop loop) {
#if HIPPO_X86
  switch (simd()) {
    case Simd::avx512: return run_avx512(loop);
    case Simd::avx2: return run_avx2(loop);
    default: break;
  }
#endif
  loop();
}

}  // namespace hippo
