// An append-only inverted index over documents numbered from 0, scored by BM25.
//
// A posting is 32 bits: document << 8 | term frequency (255 and more count as 255, where BM25 has
// long been flat). A term's postings lie in a chain of blocks of 1, 2, 4 ... 256, so that a term
// seen once costs little and a common one is read in order. Blocks lie in pages that never move.
//
// Space: 4 bytes a posting, about 40 a term and 8 a document: 6 to 8 a posting on Zipfian text.
// Time:  append O(1) a term occurrence; score O(documents + postings of the terms asked for).
// Ref:   S. Robertson, H. Zaragoza. The probabilistic relevance framework: BM25 and beyond.
//        Foundations and Trends in Information Retrieval 3(4), 2009. The idf is Lucene's,
//        ln(1 + (N - df + 0.5) / (df + 0.5)), and as there the constant k1 + 1 is left out, so that
//        a term's score lies in [0, idf).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "hippo/check.hpp"

namespace hippo {

struct Bm25Parameters {
  float k1;  // how soon repetitions of a term stop to matter, >= 0
  float b;   // how much long documents are held back, in [0, 1]

  void check() const {
    if (!(k1 >= 0.0f) || std::isinf(k1))
      throw std::invalid_argument("k1=" + std::to_string(k1) + ", must be at least 0 and finite");
    if (!(b >= 0.0f && b <= 1.0f))
      throw std::invalid_argument("b=" + std::to_string(b) + ", must lie in [0, 1]");
  }
};

// An index in plain arrays, as it is kept in a file: a term's postings lie together, ascending.
struct PackedBm25 {
  std::vector<std::uint32_t> hashes, frequencies, postings, lengths, unheard;
};

// The first documents of an index, as a reader saw them: later ones do not count towards anything.
struct Bm25Extent {
  std::size_t documents = 0;
  std::uint64_t words = 0;  // of these documents together
};

class Bm25Index {
 public:
  static constexpr std::size_t max_documents = std::size_t{1} << 24;

  // Append offsets.size() - 1 documents; document i is terms[offsets[i] .. offsets[i + 1]). If
  // memory runs out on the way, earlier extents answer as before, and nothing can be appended.
  void extend(std::span<const std::uint32_t> terms, std::span<const std::uint64_t> offsets) {
    check_offsets(offsets, terms.size());
    if (offsets.size() - 1 > max_documents - size())
      throw std::length_error("an index holds at most " + std::to_string(max_documents) +
                              " documents, has " + std::to_string(size()) + " and was given " +
                              std::to_string(offsets.size() - 1) + " more");
    wholeness_.change([&] {
      for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
        const auto document = static_cast<std::uint32_t>(size());
        const std::size_t heard = distinct_;
        for (std::size_t j = offsets[i]; j < offsets[i + 1]; ++j) add(terms[j], document);
        unheard_.push_back(static_cast<std::uint32_t>(distinct_ - heard));
        lengths_.push_back(static_cast<std::uint32_t>(offsets[i + 1] - offsets[i]));
      }
      total_length_ += terms.size();
    });
  }

  PackedBm25 pack() const {
    PackedBm25 packed{.hashes = {}, .frequencies = {}, .postings = {}, .lengths = lengths_,
                      .unheard = unheard_};
    packed.hashes.reserve(distinct_);
    packed.frequencies.reserve(distinct_);
    for (const Term& term : terms_) {
      if (term.frequency == 0) continue;
      packed.hashes.push_back(term.hash);
      packed.frequencies.push_back(term.frequency);
      each_block(term, term.frequency, [&](const std::uint32_t* postings, std::size_t count) {
        packed.postings.insert(packed.postings.end(), postings, postings + count);
        return true;
      });
    }
    return packed;
  }

  // Take in what another index has packed; this one is new. What does not fit together is refused,
  // whoever made it.
  void unpack(std::span<const std::uint32_t> hashes, std::span<const std::uint32_t> frequencies,
              std::span<const std::uint32_t> postings, std::span<const std::uint32_t> lengths,
              std::span<const std::uint32_t> unheard) {
    if (size() != 0 || distinct_ != 0) throw std::invalid_argument("only a new index is unpacked");
    check_size("frequencies", frequencies.size(), hashes.size());
    check_size("unheard", unheard.size(), lengths.size());
    if (lengths.size() > max_documents)
      throw std::length_error("an index holds at most " + std::to_string(max_documents) +
                              " documents, and was given " + std::to_string(lengths.size()));
    wholeness_.change([&] {
      std::size_t room = 64;
      while (hashes.size() * 4 > room * 3) room *= 2;
      terms_.assign(room, Term{});
      std::size_t at = 0;
      for (std::size_t t = 0; t < hashes.size(); ++t) {
        const std::uint32_t frequency = frequencies[t];
        if (frequency == 0 || frequency > postings.size() - at)
          throw std::invalid_argument("term " + std::to_string(t) + " has " +
                                      std::to_string(frequency) + " postings, of which there are " +
                                      std::to_string(postings.size() - at));
        Term& term = find_or_create(hashes[t]);
        if (term.frequency != 0)
          throw std::invalid_argument("term " + std::to_string(t) + " is there twice");
        take_over(term, postings.subspan(at, frequency), lengths.size());
        at += frequency;
      }
      if (at != postings.size())
        throw std::invalid_argument(std::to_string(postings.size() - at) + " postings are left");
      lengths_.assign(lengths.begin(), lengths.end());
      unheard_.assign(unheard.begin(), unheard.end());
      total_length_ = 0;
      for (const std::uint32_t length : lengths) total_length_ += length;
    });
  }

  std::size_t size() const noexcept { return lengths_.size(); }

  std::size_t nbytes() const noexcept {
    return (pages_.size() * page_words + lengths_.capacity() + unheard_.capacity()) *
               sizeof(std::uint32_t) +
           terms_.capacity() * sizeof(Term);
  }

  Bm25Extent extent() const noexcept { return {size(), total_length_}; }

  // In how many of the first `documents` the term occurs. O(1), but for terms that later ones have.
  std::uint32_t document_frequency(std::uint32_t term, std::size_t documents) const noexcept {
    const Term* found = find(term);
    return found == nullptr ? 0 : frequency_within(*found, documents);
  }

  // How many terms of a document no earlier one has. Precondition: document < size().
  std::uint32_t unheard(std::uint32_t document) const noexcept { return unheard_[document]; }

  // Write the score of every document within. `weights` (one per term) and `mask` (one per
  // document; 0 scores 0) may be null. A term asked for twice counts twice.
  void score(std::span<const std::uint32_t> terms, const float* weights, const std::uint8_t* mask,
             Bm25Parameters parameters, Bm25Extent within, float* out) const {
    std::fill(out, out + within.documents, 0.0f);
    const Saturation saturation = saturate(parameters, within);
    for (std::size_t t = 0; t < terms.size(); ++t) {
      const Term* term = find(terms[t]);
      if (term == nullptr) continue;
      const std::uint32_t frequency = frequency_within(*term, within.documents);
      const float weight = idf(frequency, within) * (weights == nullptr ? 1.0f : weights[t]);
      each_block(*term, frequency, [&](const std::uint32_t* postings, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
          out[postings[i] >> 8] += weight * saturation(postings[i]);
        return true;
      });
    }
    if (mask == nullptr) return;
    for (std::size_t i = 0; i < within.documents; ++i) out[i] = mask[i] != 0 ? out[i] : 0.0f;
  }

  // The documents within that have every one of some terms, ascending; none of no terms. `mask` as
  // in `score`.
  //
  // Time: the postings of the rarest term, and a walk along the blocks of the others.
  std::vector<std::uint32_t> holding(std::span<const std::uint32_t> terms,
                                     const std::uint8_t* mask, Bm25Extent within) const {
    struct Counted {
      const Term* term;
      std::uint32_t frequency;
    };
    std::vector<Counted> asked;
    for (const std::uint32_t hash : terms) {
      const Term* term = find(hash);
      const std::uint32_t frequency =
          term == nullptr ? 0 : frequency_within(*term, within.documents);
      if (frequency == 0) return {};
      asked.push_back({term, frequency});
    }
    std::vector<std::uint32_t> found;
    if (asked.empty()) return found;
    std::sort(asked.begin(), asked.end(),
              [](const Counted& x, const Counted& y) { return x.frequency < y.frequency; });
    found.reserve(asked.front().frequency);
    each_block(*asked.front().term, asked.front().frequency,
               [&](const std::uint32_t* postings, std::size_t count) {
                 for (std::size_t i = 0; i < count; ++i)
                   if (mask == nullptr || mask[postings[i] >> 8] != 0)
                     found.push_back(postings[i] >> 8);
                 return true;
               });
    for (std::size_t t = 1; t < asked.size(); ++t) {
      auto next = found.cbegin();
      auto kept = found.begin();  // never ahead of what is read
      each_block(*asked[t].term, asked[t].frequency,
                 [&](const std::uint32_t* postings, std::size_t count) {
                   const std::uint32_t *at = postings, *const end = postings + count;
                   for (; next != found.cend() && *next <= end[-1] >> 8; ++next) {
                     at = std::lower_bound(at, end, *next << 8);
                     if (*at >> 8 == *next) *kept++ = *next;
                   }
                   return next != found.cend();
                 });
      found.erase(kept, found.end());
    }
    return found;
  }

  // Write what each term gives each of the documents `rows`, unweighted: shape (rows, terms).
  //
  // Precondition: rows < within.documents.
  // Time: a walk along each term's blocks, a search where it matters.
  void contributions(std::span<const std::uint32_t> terms, std::span<const std::uint32_t> rows,
                     Bm25Parameters parameters, Bm25Extent within, float* out) const {
    std::fill(out, out + rows.size() * terms.size(), 0.0f);
    const Saturation saturation = saturate(parameters, within);
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (!std::is_sorted(rows.begin(), rows.end()))
      std::sort(order.begin(), order.end(),
                [&](std::size_t x, std::size_t y) { return rows[x] < rows[y]; });
    for (std::size_t t = 0; t < terms.size(); ++t) {
      const Term* term = find(terms[t]);
      if (term == nullptr) continue;
      const std::uint32_t frequency = frequency_within(*term, within.documents);
      const float rarity = idf(frequency, within);
      auto next = order.begin();
      each_block(*term, frequency, [&](const std::uint32_t* postings, std::size_t count) {
        const std::uint32_t *at = postings, *const end = postings + count;
        for (; next != order.end() && rows[*next] <= end[-1] >> 8; ++next) {
          at = std::lower_bound(at, end, rows[*next] << 8);
          if (*at >> 8 == rows[*next]) out[*next * terms.size() + t] = rarity * saturation(*at);
        }
        return next != order.end();
      });
    }
  }

 private:
  static constexpr std::uint32_t page_words = 4096;
  static constexpr std::uint32_t widest_block = 256;

  struct Term {
    std::uint32_t hash;
    std::uint32_t frequency;  // documents with this term; 0 marks a free place in the table
    std::uint32_t first;      // address of the first block: its successor's address, then postings
    std::uint32_t last;       // address of the last block

    // How many of the postings lie in the last block. Until it is widest, block i starts after
    // 2^i - 1 postings; then the widths are equal.
    std::uint32_t filled() const noexcept {
      if (frequency < 2 * widest_block)
        return frequency - std::bit_floor(frequency) + (frequency > 0);
      return frequency % widest_block + 1;
    }
    std::uint32_t width() const noexcept {
      return std::min(std::bit_floor(frequency), widest_block);
    }
  };

  // tf / (tf + k1 (1 - b + b length / average)), the part of BM25 that depends on the document.
  struct Saturation {
    const std::uint32_t* lengths;
    float base, slope;

    float operator()(std::uint32_t posting) const noexcept {
      const auto tf = static_cast<float>(posting & 255);
      // Signed: a conversion from unsigned is two instructions more without AVX-512.
      const auto length = static_cast<float>(static_cast<std::int32_t>(lengths[posting >> 8]));
      return tf / (tf + base + slope * length);
    }
  };

  Saturation saturate(Bm25Parameters p, Bm25Extent within) const {
    p.check();
    const double average = static_cast<double>(within.words) /
                           static_cast<double>(std::max<std::size_t>(within.documents, 1));
    const double slope = within.words > 0 ? p.k1 * p.b / average : 0.0;
    return {lengths_.data(), p.k1 * (1.0f - p.b), static_cast<float>(slope)};
  }

  static float idf(std::uint32_t frequency, Bm25Extent within) noexcept {
    const double n = static_cast<double>(within.documents), df = frequency;
    return static_cast<float>(std::log1p((n - df + 0.5) / (df + 0.5)));
  }

  // How many of a term's postings are of the first `documents`: all, unless its last one is not.
  std::uint32_t frequency_within(const Term& term, std::size_t documents) const noexcept {
    if (word(term.last)[term.filled()] >> 8 < documents) return term.frequency;
    const auto limit = static_cast<std::uint32_t>(documents) << 8;  // postings ascend
    std::uint32_t within = 0;
    each_block(term, term.frequency, [&](const std::uint32_t* postings, std::size_t count) {
      within += static_cast<std::uint32_t>(std::lower_bound(postings, postings + count, limit) -
                                           postings);
      return postings[count - 1] < limit;
    });
    return within;
  }

  // Call visit(postings, count) on each block of the first `frequency` postings in order, until it
  // says false.
  template <class Visit>
  void each_block(const Term& term, std::uint32_t frequency, Visit visit) const {
    std::uint32_t address = term.first, width = 1;
    for (std::uint32_t left = frequency; left > 0;) {
      const std::uint32_t* block = word(address);
      const std::uint32_t count = std::min(left, width);
      if (!visit(block + 1, count)) return;
      left -= count;
      address = block[0];
      width = std::min(2 * width, widest_block);
    }
  }

  void add(std::uint32_t hash, std::uint32_t document) {
    Term& term = find_or_create(hash);
    std::uint32_t filled = term.filled();
    if (filled > 0) {
      std::uint32_t& posting = word(term.last)[filled];
      if (posting >> 8 == document) {
        if ((posting & 255) < 255) ++posting;
        return;
      }
    }
    if (filled == term.width()) {
      grow(term);
      filled = 0;
    }
    word(term.last)[filled + 1] = document << 8 | 1;
    ++term.frequency;
  }

  // Give a new term all of its postings, which must ascend and lie below `documents`.
  void take_over(Term& term, std::span<const std::uint32_t> postings, std::size_t documents) {
    std::uint64_t least = 0;
    for (const std::uint32_t posting : postings) {
      if (posting >> 8 < least || posting >> 8 >= documents || (posting & 255) == 0)
        throw std::invalid_argument("posting " + std::to_string(posting) +
                                    " is out of order, or of no document");
      least = (posting >> 8) + std::uint64_t{1};
    }
    while (term.frequency < postings.size()) {
      grow(term);
      const std::size_t left = postings.size() - term.frequency;
      const std::uint32_t width = std::clamp(2 * term.width(), 1u, widest_block);
      const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(left, width));
      std::copy_n(postings.data() + term.frequency, count, word(term.last) + 1);
      term.frequency += count;
    }
  }

  // Chain a new block to a term whose last one is full.
  void grow(Term& term) {
    const std::uint32_t width = std::clamp(2 * term.width(), 1u, widest_block);
    if (pages_.empty() || page_used_ + width + 1 > page_words) {
      pages_.push_back(std::make_unique_for_overwrite<std::uint32_t[]>(page_words));
      page_used_ = 0;
    }
    const auto address = static_cast<std::uint32_t>((pages_.size() - 1) * page_words) + page_used_;
    page_used_ += width + 1;
    (term.frequency == 0 ? term.first : word(term.last)[0]) = address;
    term.last = address;
  }

  const std::uint32_t* word(std::uint32_t address) const noexcept {
    return pages_[address / page_words].get() + address % page_words;
  }
  std::uint32_t* word(std::uint32_t address) noexcept {
    return pages_[address / page_words].get() + address % page_words;
  }

  // Where a term is or would be. Open addressing with linear probing; the multiplication spreads
  // hashes that are close together.
  std::size_t place_of(std::uint32_t hash) const noexcept {
    std::size_t place = (hash * 0x9e3779b97f4a7c15ull >> 32) & (terms_.size() - 1);
    while (terms_[place].frequency != 0 && terms_[place].hash != hash)
      place = (place + 1) & (terms_.size() - 1);
    return place;
  }

  const Term* find(std::uint32_t hash) const noexcept {
    const Term& term = terms_[place_of(hash)];
    return term.frequency == 0 ? nullptr : &term;
  }

  // The caller is about to add a posting to the term.
  Term& find_or_create(std::uint32_t hash) {
    const std::size_t place = place_of(hash);
    if (terms_[place].frequency != 0) return terms_[place];
    if (++distinct_ * 4 > terms_.size() * 3) {
      std::vector<Term> crowded(terms_.size() * 2);
      crowded.swap(terms_);
      for (const Term& term : crowded)
        if (term.frequency != 0) terms_[place_of(term.hash)] = term;
    }
    Term& term = terms_[place_of(hash)];
    term.hash = hash;
    return term;
  }

  std::vector<std::unique_ptr<std::uint32_t[]>> pages_;
  std::uint32_t page_used_ = 0;
  std::vector<Term> terms_ = std::vector<Term>(64);
  std::size_t distinct_ = 0;
  std::vector<std::uint32_t> lengths_, unheard_;
  std::uint64_t total_length_ = 0;
  Wholeness wholeness_;
};

}  // namespace hippo
