// Checks on numbers that come from outside, made before anything is read through them.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace hippo {

inline void check_size(const char* what, std::size_t found, std::size_t needed) {
  if (found != needed)
    throw std::invalid_argument(std::string(what) + " has " + std::to_string(found) +
                                " items, must have " + std::to_string(needed));
}

// Every row lies in [0, n).
inline void check_rows(std::span<const std::uint32_t> rows, std::size_t n,
                       const std::string& name = "rows") {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] >= n)
      throw std::out_of_range(name + "[" + std::to_string(i) + "]=" + std::to_string(rows[i]) +
                              " is out of bounds for " + std::to_string(n) + " " + name);
}

inline void check_first_offset(std::span<const std::uint64_t> offsets) {
  if (offsets.empty()) throw std::invalid_argument("offsets is empty, must start with 0");
  if (offsets.front() != 0)
    throw std::invalid_argument("offsets[0]=" + std::to_string(offsets.front()) + ", must be 0");
}

// Span i ends no earlier than it begins.
inline void check_offset(std::span<const std::uint64_t> offsets, std::size_t i) {
  if (offsets[i + 1] < offsets[i])
    throw std::invalid_argument("offsets[" + std::to_string(i + 1) +
                                "]=" + std::to_string(offsets[i + 1]) +
                                " is below its predecessor " + std::to_string(offsets[i]));
}

// Offsets of consecutive spans: from 0, never falling, to the number of items.
inline void check_offsets(std::span<const std::uint64_t> offsets, std::size_t items) {
  check_first_offset(offsets);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) check_offset(offsets, i);
  if (offsets.back() != items)
    throw std::invalid_argument("offsets end at " + std::to_string(offsets.back()) +
                                ", must end at the number of items, " + std::to_string(items));
}

// The same of some spans alone, which are looked at and no others. Precondition: rows are spans.
inline void check_offsets_of(std::span<const std::uint32_t> rows,
                             std::span<const std::uint64_t> offsets, std::size_t items) {
  for (const std::uint32_t row : rows) {
    check_offset(offsets, row);
    if (offsets[row + std::size_t{1}] > items)
      throw std::invalid_argument(
          "offsets[" + std::to_string(row + std::size_t{1}) +
          "]=" + std::to_string(offsets[row + std::size_t{1}]) +
          " is past the number of items, " + std::to_string(items));
  }
}

inline void check_finite(const char* what, std::span<const float> values) {
  // Nought times a number is nought, and times anything else is not: 16 at a time, then one by one.
  float none[16] = {};
  std::size_t whole = values.size() / 16 * 16;
  for (std::size_t i = 0; i < whole; i += 16)
    for (std::size_t j = 0; j < 16; ++j) none[j] += 0.0f * values[i + j];
  for (; whole < values.size(); ++whole) none[0] += 0.0f * values[whole];
  float sum = 0.0f;
  for (const float x : none) sum += x;
  if (sum == 0.0f) return;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      throw std::invalid_argument(std::string(what) + " holds " + std::to_string(values[i]) +
                                  " at position " + std::to_string(i) + ", must be finite");
}

// Whether what is changed in place is whole: if memory ran out on the way it is not, ever after.
class Wholeness {
 public:
  bool whole() const noexcept { return whole_; }

  void check() const {
    if (!whole_)
      throw std::runtime_error("memory ran out while this was appended to; build it anew");
  }

  // Change it; what throws leaves it as something that cannot be gone on with.
  template <class Change>
  void change(Change change) {
    check();
    whole_ = false;
    change();
    whole_ = true;
  }

 private:
  bool whole_ = true;
};

}  // namespace hippo
