// The two best scores of each group of rows.
//
// Time: O(n log g) for n rows in g groups, fewer when rows of a group lie side by side.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hippo {

// The codes that are at least 0, ascending, each once.
inline std::vector<std::int32_t> distinct(std::span<const std::int32_t> codes) {
  std::vector<std::int32_t> found;
  for (const std::int32_t code : codes)
    if (code >= 0 && (found.empty() || code != found.back())) found.push_back(code);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

// Write the group of each row, the place of its code in `found`, which is `distinct(codes)`, and
// the two best scores of each group, at least 0. A row whose code is negative belongs to the group
// after the last, whose scores stay 0; a score that is no number counts as none.
//
// `best` has shape (found.size() + 1, 2).
inline void best_two(std::span<const std::int32_t> codes, const float* scores,
                     std::span<const std::int32_t> found, std::int64_t* groups, float* best) {
  std::fill(best, best + 2 * (found.size() + 1), 0.0f);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const auto end = found.end();
    const auto at = codes[i] < 0 ? end : std::lower_bound(found.begin(), end, codes[i]);
    groups[i] = at - found.begin();
    if (at == end) continue;
    float* two = best + 2 * groups[i];
    if (scores[i] > two[0]) {
      two[1] = two[0];
      two[0] = scores[i];
    } else if (scores[i] > two[1]) {
      two[1] = scores[i];
    }
  }
}

}  // namespace hippo
