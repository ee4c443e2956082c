// Rows merged into groups by likeness, the two whose merging loses least first.
//
// Coordinates are rounded to whole numbers, so that every processor finds the same groups.
// Time: O(n^2 d + (n - k) n^2) for n rows of d coordinates in k groups. Space: O(n d + n^2).
//
// Ref: J. H. Ward. Hierarchical grouping to optimize an objective function. JASA 58(301), 1963.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "hippo/check.hpp"

namespace hippo {

inline constexpr std::size_t most_merged = 4096;

class Merging {
 public:
  // Preconditions, checked: at most 4096 rows, whose numbers are finite. Those beyond 1 count as 1.
  Merging(const float* rows, std::size_t n, std::size_t d) : n_(n), products_(n * n), sizes_(n, 1) {
    if (n > most_merged)
      throw std::invalid_argument("rows has " + std::to_string(n) + " items, must have at most " +
                                  std::to_string(most_merged));
    check_finite("rows", {rows, n * d});
    std::vector<std::int16_t> whole(n * d);
    for (std::size_t i = 0; i < n * d; ++i)
      whole[i] = static_cast<std::int16_t>(
          std::nearbyint(std::clamp(static_cast<double>(rows[i]), -1.0, 1.0) * one));
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = a; b < n; ++b) {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < d; ++i)
          sum += static_cast<std::int32_t>(whole[a * d + i]) * whole[b * d + i];
        products_[a * n + b] = products_[b * n + a] = static_cast<double>(sum);
      }
  }

  // Merge down to `count` groups; write the group of each row, numbered by their first rows.
  void run(std::size_t count, std::uint32_t* groups) {
    std::vector<std::uint32_t> into(n_), live(n_), number(n_);
    std::iota(into.begin(), into.end(), 0u);
    std::iota(live.begin(), live.end(), 0u);
    while (live.size() > std::max<std::size_t>(count, 1)) {
      double least = std::numeric_limits<double>::infinity();
      std::size_t first = 0, second = 1;
      for (std::size_t a = 0; a < live.size(); ++a)
        for (std::size_t b = a + 1; b < live.size(); ++b)
          if (const double lost = loss(live[a], live[b]); lost < least)
            least = lost, first = a, second = b;
      merge(live[first], live[second]);
      for (std::uint32_t& owner : into)
        if (owner == live[second]) owner = live[first];
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(second));
    }
    for (std::size_t g = 0; g < live.size(); ++g) number[live[g]] = static_cast<std::uint32_t>(g);
    for (std::size_t i = 0; i < n_; ++i) groups[i] = number[into[i]];
  }

 private:
  static constexpr double one = 8192.0;

  // What merging adds to the squared distances of rows and the mean of their group. All products
  // are whole and below 2^53, so that it is the same whether or not they are fused with the sums.
  double loss(std::size_t a, std::size_t b) const noexcept {
    const double own = sizes_[b] * products_[a * n_ + a] / sizes_[a];
    const double other = sizes_[a] * products_[b * n_ + b] / sizes_[b];
    return (own + other - 2.0 * products_[a * n_ + b]) / (sizes_[a] + sizes_[b]);
  }

  void merge(std::size_t a, std::size_t b) noexcept {
    for (std::size_t i = 0; i < n_; ++i) products_[a * n_ + i] += products_[b * n_ + i];
    for (std::size_t i = 0; i < n_; ++i) products_[i * n_ + a] += products_[i * n_ + b];
    sizes_[a] += sizes_[b];
  }

  std::size_t n_;
  std::vector<double> products_;
  std::vector<double> sizes_;
};

}  // namespace hippo
