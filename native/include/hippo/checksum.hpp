// XXH64: 64 bits that change when the bytes do. Guards against damage, not against forgery.
//
// Ref: Y. Collet. xxHash fast digest algorithm, version 0.1.1 (the specification of XXH64).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hippo {

inline std::uint64_t checksum(const void* bytes, std::size_t n) noexcept {
  constexpr std::uint64_t p1 = 0x9e3779b185ebca87, p2 = 0xc2b2ae3d27d4eb4f, p3 = 0x165667b19e3779f9,
                          p4 = 0x85ebca77c2b2ae63, p5 = 0x27d4eb2f165667c5;
  const char* at = static_cast<const char*>(bytes);
  const char* const end = at + n;
  const auto read = [&at]<class T>(T value) {
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  };
  const auto mix = [](std::uint64_t sum, std::uint64_t word) {
    return std::rotl(sum + word * p2, 31) * p1;
  };
  std::uint64_t sum = p5;
  if (n >= 32) {
    std::uint64_t lanes[4] = {p1 + p2, p2, 0, 0 - p1};
    while (end - at >= 32)
      for (std::uint64_t& lane : lanes) lane = mix(lane, read(std::uint64_t{}));
    sum = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) +
          std::rotl(lanes[3], 18);
    for (const std::uint64_t lane : lanes) sum = (sum ^ mix(0, lane)) * p1 + p4;
  }
  sum += n;
  while (end - at >= 8) sum = std::rotl(sum ^ mix(0, read(std::uint64_t{})), 27) * p1 + p4;
  if (end - at >= 4) sum = std::rotl(sum ^ read(std::uint32_t{}) * p1, 23) * p2 + p3;
  while (at < end) sum = std::rotl(sum ^ read(std::uint8_t{}) * p5, 11) * p1;
  sum = (sum ^ sum >> 33) * p2;
  sum = (sum ^ sum >> 29) * p3;
  return sum ^ sum >> 32;
}

}  // namespace hippo
