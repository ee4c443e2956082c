// What this processor can do, asked of itself: GCC's own word for it is in a library that programs
// for Windows are not linked with.
//
// Registers that are wider than those of the plain architecture are of use only where the system
// keeps them for each thread, which it says in XCR0.
//
// Ref: Intel 64 and IA-32 Architectures Software Developer's Manual, CPUID and XGETBV.
#pragma once

#include <cstdint>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define HIPPO_X86 1
#include <cpuid.h>
#else
#define HIPPO_X86 0
#endif

#if HIPPO_X86
namespace hippo {

struct Processor {
  bool popcnt = false, bmi2 = false;
  bool avx2 = false, fma = false;
  bool avx512 = false;  // F, BW, DQ and VL
  bool vnni = false, vpopcntdq = false;  // of AVX-512

  static Processor ask() noexcept {
    Processor found;
    std::uint32_t a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0) return found;
    const auto has = [](std::uint32_t bits, int bit) { return (bits >> bit & 1) != 0; };
    found.popcnt = has(c, 23);
    const std::uint32_t kept = has(c, 27) ? xcr0() : 0;
    const bool keeps256 = (kept & 0x06) == 0x06;
#if defined(__APPLE__)  // which keeps them from their first use on, and does not say so before
    const bool keeps512 = keeps256;
#else
    const bool keeps512 = (kept & 0xe6) == 0xe6;
#endif
    found.fma = keeps256 && has(c, 12);
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return found;
    found.bmi2 = has(b, 8);
    found.avx2 = keeps256 && has(b, 5);
    found.avx512 = keeps512 && has(b, 16) && has(b, 17) && has(b, 30) && has(b, 31);
    found.vnni = found.avx512 && has(c, 11);
    found.vpopcntdq = found.avx512 && has(c, 14);
    return found;
  }

 private:
  static std::uint32_t xcr0() noexcept {
    std::uint32_t low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
  }
};

inline const Processor& processor() noexcept {
  static const Processor asked = Processor::ask();
  return asked;
}

}  // namespace hippo
#endif
