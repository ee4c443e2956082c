// A sealed wavelet matrix in which a symbol takes as many levels as its Huffman code has bits, and
// the bytes it is.
//
// Space: n (H + 1) bits at most, H the entropy of a symbol, and what LeanBits takes over it (4 %);
//        written 1 to 3 bytes more for each symbol that occurs, in memory 17.
// Time:  as many steps as the code has bits: access looks once a level, rank once, and select once
//        on the way up, for where each symbol begins below the last level is known.
//
// Format 1: in a Frame of magic "HPHW"
//   32  u64          the longest code, in bits
//   40  u64          bytes of the table
//   48  table        numbers of 7 bits a byte, lowest first, 128 added to all bytes but the last. For
//                    codes of d = 0, 1 ... bits: how many there are; how many positions have a longer
//                    one; and of the symbols that have such codes, ascending, by how much each is
//                    larger than the one before and 1, the first than 0. Zeros up to 8 bytes.
//   ... levels       a LeanBits::Layout of as many bits as positions have a code longer than k
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hippo/bits.hpp"
#include "hippo/frame.hpp"
#include "hippo/huffman.hpp"
#include "hippo/levels.hpp"
#include "hippo/partition.hpp"
#include "hippo/sealed_bits.hpp"
#include "hippo/simd.hpp"

namespace hippo {

class HuffmanWavelet : public Levels<LeanBits, HuffmanCode> {
 public:
  static constexpr std::size_t max_symbol_bits = HuffmanCode::max_bits;

  static void check_width(std::size_t bits) { hippo::check_width(bits, max_symbol_bits); }

  // Precondition: the symbols fit.
  static HuffmanWavelet build(const Word* symbols, std::size_t n, std::size_t bits) {
    check_width(bits);
    check_length(n);
    std::vector<Word> places(n);  // by symbol
    for (std::size_t i = 0; i < n; ++i) places[i] = symbols[i] << 32 | i;
    sort_words(places, 32, 32 + bits);
    std::vector<std::uint32_t> distinct;
    std::vector<Word> counts;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == 0 || places[i] >> 32 != places[i - 1] >> 32) {
        distinct.push_back(static_cast<std::uint32_t>(places[i] >> 32));
        counts.push_back(0);
      }
      ++counts.back();
    }
    HuffmanWavelet made(HuffmanCode::optimal(bits, distinct, counts), n);
    std::vector<Item<1>> paths(n), room;
    std::vector<std::size_t> sizes(made.code_.longest());
    const Word* place = places.data();
    for (std::size_t i = 0; i < distinct.size(); ++i) {
      std::size_t leaf = distinct[i];
      made.code_.find(&leaf, 1);
      const Item<1> path{made.code_.path(leaf)};
      for (std::size_t k = 0; k < made.code_.length(leaf); ++k) sizes[k] += counts[i];
      for (const Word* end = place + counts[i]; place < end; ++place)
        paths[*place & 0xffffffff] = path;
    }
    made.write_table(sizes);
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      Word* level = made.own_.data() + made.at_[k];
      Word* packed = level + LeanBits::Layout(sizes[k]).bits;
      paths.resize(sizes[k]);
      pack_place(paths, k, packed);
      part(paths, room, packed);
      LeanBits::index(level, sizes[k]);
    }
    Frame::end(made.own_);
    made.attach(made.own_.data(), sizes);
    made.find_starts();
    return made;
  }

  // Read bytes in place, which must stay as they are. Everything that later reads rely on is
  // checked, so that not even bytes made with intent lead astray.
  static HuffmanWavelet load(const void* bytes, std::size_t length) {
    const Words words = Frame::open(bytes, length, magic);
    if (length < 8 * (header + 1)) refuse_table();
    const Word bits = words[1], n = words[2], longest = words[4], table = words[5];
    if (bits == 0 || bits > max_symbol_bits || n > max_length || longest > HuffmanCode::max_length ||
        length % 8 != 0 || table > length - 8 * (header + 1))
      refuse_table();
    std::vector<std::size_t> sizes;
    HuffmanWavelet found(read_table(words, bits, n, longest, table, sizes), n);
    found.place_levels(words_of_bytes(table), sizes);
    if (length != 8 * found.total_) refuse_table();
    for (std::size_t k = 0; k < sizes.size(); ++k)
      if (const char* why = LeanBits::fault(words + found.at_[k], sizes[k]))
        Frame::refuse("level " + std::to_string(k) + " " + why);
    found.attach(bytes, sizes);
    if (!found.find_starts()) Frame::refuse("its levels are not of the lengths it says");
    return found;
  }

  const void* data() const noexcept { return data_; }
  // Bytes written, and in memory with what is known of each symbol.
  std::size_t length() const noexcept { return 8 * total_; }
  std::size_t nbytes() const noexcept {
    return length() + code_.nbytes() + starts_.size() * sizeof starts_[0];
  }

  HuffmanWavelet(HuffmanWavelet&&) = default;
  HuffmanWavelet& operator=(HuffmanWavelet&&) = default;

  // Write how often each symbol occurs before each position. Preconditions: symbols fit;
  // positions <= size().
  void rank(Column symbols, Column positions, std::size_t n, Word* out) const {
    counting([=, this]() HIPPO_INLINE {
      for (std::size_t first = 0; first < n; first += side_by_side) {
        const std::size_t count = std::min(side_by_side, n - first);
        const std::size_t several = symbols.stride == 0 ? 0 : side_by_side - 1;
        const std::size_t distinct = std::min(count, several + 1);
        Places leaf, path, at;
        for (std::size_t q = 0; q < distinct; ++q) leaf[q] = *symbols[first + q];
        code_.find(leaf.data(), distinct);
        for (std::size_t q = 0; q < distinct; ++q)
          path[q] = leaf[q] == HuffmanCode::unknown ? 0 : code_.path(leaf[q]);
        Queries query, length{};  // those that go on, and how far each goes
        std::size_t live = 0;
        for (std::size_t q = 0; q < count; ++q) {
          at[q] = *positions[first + q];
          query[live] = static_cast<std::uint8_t>(q);
          if (leaf[q & several] == HuffmanCode::unknown) continue;
          length[q] = static_cast<std::uint8_t>(code_.length(leaf[q & several]));
          if (length[q] == 0) continue;
          levels_[0].prefetch(at[q]);
          ++live;
        }
        for (std::size_t k = 0; live > 0; ++k) {
          const LeanBits &level = levels_[k], &next = below(k);
          const std::size_t zeros = level.zeros();
          std::size_t kept = 0;
          for (std::size_t i = 0; i < live; ++i) {
            const std::uint8_t q = query[i];
            const std::size_t ones = level.rank1(at[q]);
            at[q] = pick((path[q & several] >> k & 1) != 0, zeros + ones, at[q] - ones);
            next.prefetch(at[q]);
            query[kept] = q;
            kept += k + 1 < length[q];
          }
          live = kept;
        }
        for (std::size_t q = 0; q < count; ++q) {
          const std::size_t of = leaf[q & several];
          out[first + q] = of == HuffmanCode::unknown ? 0 : at[q] - starts_[of];
        }
      }
    });
  }

  // Write where the (j + 1)-th occurrence of each symbol is, or `nowhere`. Precondition: symbols
  // fit.
  void select(Column symbols, Column occurrences, std::size_t n, Word* out) const {
    counting([=, this]() HIPPO_INLINE {
      for (std::size_t first = 0; first < n; first += side_by_side) {
        const std::size_t count = std::min(side_by_side, n - first);
        Places leaf, at;
        for (std::size_t q = 0; q < count; ++q) leaf[q] = *symbols[first + q];
        code_.find(leaf.data(), count);
        Queries query;
        std::size_t there = 0;
        for (std::size_t q = 0; q < count; ++q) {
          const Word j = *occurrences[first + q];
          out[first + q] = nowhere;
          if (leaf[q] == HuffmanCode::unknown || j >= count_of(leaf[q])) continue;
          query[there] = static_cast<std::uint8_t>(q);
          leaf[there] = leaf[q];
          at[there++] = starts_[leaf[q]] + j;
        }
        climb(leaf.data(), at.data(), query.data(), there);
        for (std::size_t i = 0; i < there; ++i) out[first + query[i]] = at[i];
      }
    });
  }

  // How often each symbol occurs in a range, of those that do.
  std::vector<std::pair<Symbol, std::size_t>> counts(Range range) const {
    struct Part {
      std::size_t number;
      Range range;
    };
    std::vector<std::pair<Symbol, std::size_t>> found;
    std::vector<Part> parts{{0, range}}, next;
    const auto add = [&, this](std::size_t length, std::size_t number, Range range) HIPPO_INLINE {
      if (range.size() == 0) return;
      if (number < code_.inner(length))
        next.push_back({number, range});
      else
        found.push_back({{{code_.symbol(length, number)}}, range.size()});
    };
    if (depth() == 0) parts.clear(), add(0, 0, range);
    counting([&, this]() HIPPO_INLINE {
      for (std::size_t k = 0; k < depth() && !parts.empty(); ++k) {
        next.clear();
        for (const Part& part : parts) {
          const auto [zeros, ones] = descend(k, part.range);
          add(k + 1, part.number, zeros);
          add(k + 1, part.number + code_.inner(k), ones);
        }
        parts.swap(next);
      }
    });
    return found;
  }

  // The (k + 1)-th smallest symbol of a range. Precondition: k < range.size().
  Symbol quantile(Range range, std::size_t k) const {
    auto found = counts(range);
    std::sort(found.begin(), found.end());
    auto at = found.begin();
    for (; k >= at->second; ++at) k -= at->second;
    return at->first;
  }

  // How many symbols of a range are below a bound; all of them when there is none.
  std::size_t count_below(Range range, const std::optional<Symbol>& bound) const {
    if (!bound) return range.size();
    std::size_t below = 0;
    for (const auto& [symbol, count] : counts(range))
      if (symbol < *bound) below += count;
    return below;
  }

  // The k most frequent symbols of a range and their counts, most frequent first, then smallest.
  std::vector<std::pair<Symbol, std::size_t>> top_k(Range range, std::size_t k) const {
    auto found = counts(range);
    const auto middle = found.begin() + static_cast<std::ptrdiff_t>(std::min(k, found.size()));
    std::partial_sort(found.begin(), middle, found.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    found.erase(middle, found.end());
    return found;
  }

  // The positions of all symbols that differ from `code` in at most `radius` bits, in order.
  std::vector<Word> ball(const Symbol& code, std::size_t radius) const {
    std::vector<Word> found;
    std::vector<std::size_t> leaf;
    for (std::size_t one = 0; one < code_.size(); ++one) {
      const int differing = std::popcount(code_.symbol(one) ^ code.words[0]);
      if (static_cast<std::size_t>(differing) > radius) continue;
      for (std::size_t at = starts_[one]; at < starts_[one + 1]; ++at) {
        found.push_back(at);
        leaf.push_back(one);
      }
    }
    Queries query;
    counting([&, this]() HIPPO_INLINE {
      for (std::size_t first = 0; first < found.size(); first += side_by_side)
        climb(leaf.data() + first, found.data() + first, query.data(),
              std::min(side_by_side, found.size() - first));
    });
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  static constexpr Word magic = Frame::magic("HPHW");
  static constexpr std::size_t header = Frame::words + 2;

  HuffmanWavelet(HuffmanCode code, std::size_t n) : Levels(std::move(code)) { size_ = n; }

  [[noreturn]] static void refuse_table() {
    Frame::refuse("its table of codes does not belong to its bytes");
  }

  std::size_t count_of(std::size_t leaf) const noexcept {
    return starts_[leaf + 1] - starts_[leaf];
  }

  // Turn positions below the level where the code of each leaf ends into those of the sequence, the
  // longest codes first. What stands beside them, `query`, changes places with them.
  template <class Position>
  HIPPO_INLINE void climb(std::size_t* leaf, Position* at, std::uint8_t* query,
                          std::size_t count) const noexcept {
    std::array<std::uint8_t, HuffmanCode::max_length + 2> begins{};
    Places number, place;
    Queries moved, length;
    std::array<bool, side_by_side> value;
    for (std::size_t i = 0; i < count; ++i) ++begins[code_.length(leaf[i])];
    for (std::size_t d = depth() + 1, sum = 0; d-- > 0;) {
      const std::uint8_t here = begins[d];
      begins[d] = static_cast<std::uint8_t>(sum);
      sum += here;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t d = code_.length(leaf[i]), to = begins[d]++;
      length[to] = static_cast<std::uint8_t>(d);
      number[to] = code_.number(leaf[i]);
      place[to] = at[i];
      moved[to] = query[i];
    }
    std::size_t live = 0;
    for (std::size_t k = depth(); k-- > 0;) {
      const std::size_t zeros = levels_[k].zeros(), inner = code_.inner(k);
      while (live < count && length[live] > k) ++live;
      for (std::size_t i = 0; i < live; ++i) {
        const bool bit = number[i] >= inner;
        value[i] = bit;
        number[i] -= pick(bit, inner, 0);
        place[i] -= pick(bit, zeros, 0);
      }
      levels_[k].select(value.data(), place.data(), live);
    }
    std::copy_n(place.begin(), count, at);
    std::copy_n(moved.begin(), count, query);
  }

  static std::size_t words_of_bytes(std::size_t bytes) noexcept { return (bytes + 7) / 8; }

  // Say where each level is, in words.
  void place_levels(std::size_t table, const std::vector<std::size_t>& sizes) {
    total_ = header + table;
    for (const std::size_t size : sizes) {
      at_.push_back(total_);
      total_ += LeanBits::Layout(size).end;
    }
    ++total_;
  }

  void attach(const void* bytes, const std::vector<std::size_t>& sizes) {
    data_ = bytes;
    levels_.clear();
    for (std::size_t k = 0; k < sizes.size(); ++k)
      levels_.emplace_back((Words{bytes} + at_[k]).bytes(), sizes[k]);
  }

  // Make room for all bytes, and write those before the levels.
  void write_table(const std::vector<std::size_t>& sizes) {
    std::vector<std::uint8_t> table;
    const auto push = [&table](Word number) {
      for (; number >= 128; number >>= 7) table.push_back(static_cast<std::uint8_t>(number | 128));
      table.push_back(static_cast<std::uint8_t>(number));
    };
    std::size_t end = code_.size();
    for (std::size_t d = 0; d <= code_.longest() && end > 0; ++d) {
      std::size_t leaf = end;
      while (leaf > 0 && code_.length(leaf - 1) == d) --leaf;
      push(end - leaf);
      push(d < sizes.size() ? sizes[d] : 0);
      for (std::size_t i = leaf; i < end; ++i)
        push(code_.symbol(i) - (i == leaf ? 0 : code_.symbol(i - 1) + 1));
      end = leaf;
    }
    place_levels(words_of_bytes(table.size()), sizes);
    own_.resize(total_);
    Frame::begin(own_, magic, bits(), size_);
    own_[Frame::words] = sizes.size();
    own_[Frame::words + 1] = table.size();
    if (!table.empty()) std::memcpy(own_.data() + header, table.data(), table.size());
  }

  // The codes as their table says, and how many positions have one longer than 0, 1 ... bits.
  static HuffmanCode read_table(Words words, std::size_t bits, std::size_t n, std::size_t longest,
                                std::size_t bytes, std::vector<std::size_t>& sizes) {
    const char* at = (words + header).bytes();
    const char* const end = at + bytes;
    const auto read = [&] {
      Word number = 0;
      for (std::size_t shift = 0; shift < 35; shift += 7) {
        if (at == end) refuse_table();
        const auto byte = static_cast<std::uint8_t>(*at++);
        number |= Word{byte & 127u} << shift;
        if (byte < 128) return number;
      }
      refuse_table();
    };
    std::vector<std::size_t> ending;
    std::vector<std::vector<std::uint32_t>> of_length;
    std::size_t going_on = 1, left = n, known = 0;
    for (std::size_t d = 0; d <= longest && n > 0; ++d) {
      const Word leaves = read(), size = read();
      const std::size_t numbers = d == 0 ? 1 : 2 * going_on;
      if (leaves > numbers || size > left || known + leaves > n) refuse_table();
      going_on = numbers - leaves;
      known += leaves;
      if (going_on > n || (going_on == 0) != (d == longest) || (size == 0) != (d == longest) ||
          (d == 0 && size != (longest > 0 ? n : 0)))
        refuse_table();
      left = size;
      if (d < longest) sizes.push_back(size);
      ending.push_back(leaves);
      std::vector<std::uint32_t>& symbols = of_length.emplace_back();
      Word least = 0;
      for (Word i = 0; i < leaves; ++i) {
        least += read();
        if (least >> bits != 0) refuse_table();
        symbols.push_back(static_cast<std::uint32_t>(least++));
      }
    }
    if (at != end || (n == 0 && longest > 0)) refuse_table();
    for (; at != (words + header + words_of_bytes(bytes)).bytes(); ++at)
      if (*at != 0) refuse_table();
    std::vector<std::uint32_t> symbols;
    for (std::size_t d = of_length.size(); d-- > 0;)
      symbols.insert(symbols.end(), of_length[d].begin(), of_length[d].end());
    HuffmanCode code(bits, ending, std::move(symbols));
    if (!code.distinct()) refuse_table();
    return code;
  }

  // Find where each symbol begins below the level where its code ends: the ends of the codes share
  // out each level. Whether they do so evenly with what the levels say, and each symbol occurs.
  bool find_starts() {
    starts_.assign(code_.size() + 1, static_cast<std::uint32_t>(size_));
    if (code_.size() > 0) starts_[0] = 0;
    std::vector<std::size_t> starts{0}, next;
    for (std::size_t k = 0; k < depth(); ++k) {
      const LeanBits& level = levels_[k];
      next.clear();
      for (const std::size_t start : starts) next.push_back(start - level.rank1(start));
      for (const std::size_t start : starts) next.push_back(level.zeros() + level.rank1(start));
      const std::size_t inner = code_.inner(k + 1);
      const std::size_t beyond = inner < next.size() ? next[inner] : level.size();
      if (beyond != size_below(k)) return false;
      for (std::size_t i = inner; i < next.size(); ++i)
        starts_[code_.leaf(k + 1, i)] = static_cast<std::uint32_t>(next[i]);
      next.resize(inner);
      starts.swap(next);
    }
    return std::adjacent_find(starts_.begin(), starts_.end(), std::greater_equal<>()) ==
           starts_.end();
  }

  std::vector<Word> own_;             // empty when the bytes are someone else's
  const void* data_ = nullptr;
  std::size_t total_ = 0;             // words
  std::vector<std::size_t> at_;       // each level, in words
  std::vector<std::uint32_t> starts_;  // by leaf, and the end of all
};

}  // namespace hippo
