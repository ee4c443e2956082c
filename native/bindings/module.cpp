// The Python face of the kernels: types, checks, the GIL and locks. Bindings hold no algorithm.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>

#include "arrays.hpp"
#include "hippo/bm25.hpp"
#include "hippo/byte_pairs.hpp"
#include "hippo/check.hpp"
#include "hippo/checksum.hpp"
#include "hippo/deadline.hpp"
#include "hippo/folded.hpp"
#include "hippo/groups.hpp"
#include "hippo/mapped.hpp"
#include "hippo/merging.hpp"
#include "hippo/pieces.hpp"
#include "hippo/random_index.hpp"
#include "hippo/rows8.hpp"
#include "hippo/scan.hpp"
#include "hippo/signs.hpp"
#include "hippo/simd.hpp"
#include "hippo/sorting.hpp"
#include "hippo/time_words.hpp"
#include "hippo/top_k.hpp"
#include "hippo/word_sets.hpp"
#include "hippo/word_table.hpp"
#include "transformer.hpp"
#include "wavelet.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

void check_dimension(std::size_t d) {
  if (d == 0 || d % 8 != 0)
    throw std::invalid_argument("vectors have " + std::to_string(d) +
                                " dimensions, must have a positive multiple of 8");
}

Table<std::uint8_t> sign_codes(const Matrix<float>& vectors) {
  const std::size_t n = vectors.shape(0), d = vectors.shape(1);
  check_dimension(d);
  auto codes = allocate<std::uint8_t>(n * d / 8);
  {
    nb::gil_scoped_release unlocked;
    hippo::pack_signs(vectors.data(), n * d, codes.get());
  }
  return give(std::move(codes), n, d / 8);
}

Vector<float> scan_signs(const Matrix<std::uint8_t>& codes, const View<float>& query) {
  const std::size_t n = codes.shape(0), bytes = codes.shape(1);
  hippo::check_size("query", query.shape(0), 8 * bytes);
  auto out = allocate<float>(n);
  {
    nb::gil_scoped_release unlocked;
    const hippo::SignQueries quantised{query.data(), 1, bytes};
    hippo::scan_signs(codes.data(), n, quantised, out.get());
  }
  return give(std::move(out), n);
}

Vector<float> scan_turned(const View<std::uint8_t, 3>& blocks, const View<float>& query,
                          const std::optional<Rows>& some) {
  const std::size_t all = blocks.shape(0), bytes = blocks.shape(1);
  const std::size_t count = some ? some->shape(0) : all;
  hippo::check_size("query", query.shape(0), 8 * bytes);
  hippo::check_size("the last axis of blocks", blocks.shape(2), hippo::block_rows);
  auto out = allocate<float>(count * hippo::block_rows);
  {
    nb::gil_scoped_release unlocked;
    const hippo::SignQueries quantised{query.data(), 1, bytes};
    if (some) {
      hippo::check_rows(span_of(*some), all);
      hippo::scan_turned(blocks.data(), span_of(*some), quantised, out.get());
    } else {
      hippo::scan_turned(blocks.data(), count, quantised, out.get());
    }
  }
  return give(std::move(out), count * hippo::block_rows);
}

Table<float> maxsim(const Matrix<std::uint8_t>& codes, const View<std::uint64_t>& offsets,
                    const Matrix<float>& queries, const std::optional<Rows>& rows) {
  const std::size_t bytes = codes.shape(1), width = queries.shape(0);
  hippo::check_size("a row of queries", queries.shape(1), 8 * bytes);
  hippo::check_first_offset(span_of(offsets));
  if (!rows) hippo::check_offsets(span_of(offsets), codes.shape(0));
  const std::size_t spans = offsets.shape(0) - 1, count = rows ? rows->shape(0) : spans;
  auto out = allocate<float>(count * width);
  {
    nb::gil_scoped_release unlocked;
    const hippo::SignQueries quantised{queries.data(), width, bytes};
    if (rows) {
      hippo::check_rows(span_of(*rows), spans);
      hippo::check_offsets_of(span_of(*rows), span_of(offsets), codes.shape(0));
      hippo::max_sim(
          codes.data(), offsets.data(), count, [at = rows->data()](std::size_t i) { return at[i]; },
          quantised, out.get());
    } else {
      hippo::max_sim(
          codes.data(), offsets.data(), count, [](std::size_t i) { return i; }, quantised,
          out.get());
    }
  }
  return give(std::move(out), count, width);
}

nb::typed<nb::tuple, Table<std::int8_t>, Vector<float>> quantise_rows(
    const Matrix<float>& vectors) {
  const std::size_t n = vectors.shape(0), d = vectors.shape(1);
  check_dimension(d);
  auto codes = allocate<std::int8_t>(n * d);
  auto scales = allocate<float>(n);
  {
    nb::gil_scoped_release unlocked;
    hippo::quantise_rows(vectors.data(), n, d, codes.get(), scales.get());
  }
  return nb::make_tuple(give(std::move(codes), n, d), give(std::move(scales), n));
}

Vector<std::uint32_t> merge_rows(const Matrix<float>& rows, std::size_t count) {
  const std::size_t n = rows.shape(0);
  auto groups = allocate<std::uint32_t>(n);
  {
    nb::gil_scoped_release unlocked;
    hippo::Merging{rows.data(), n, rows.shape(1)}.run(count, groups.get());
  }
  return give(std::move(groups), n);
}

template <class Signs>
Table<std::uint8_t> sign_contexts(const View<std::uint64_t>& ids,
                                  const View<std::uint64_t>& offsets, std::size_t components,
                                  std::size_t nonzeros, std::size_t window, std::size_t bits,
                                  std::uint64_t seed) {
  const hippo::RandomIndex how{components, nonzeros, window, bits, seed};
  how.check();
  hippo::check_offsets(span_of(offsets), ids.shape(0));
  const std::size_t n = ids.shape(0);
  auto out = allocate<std::uint8_t>(n * bits / 8);
  {
    nb::gil_scoped_release unlocked;
    std::fill_n(out.get(), n * bits / 8, std::uint8_t{0});
    hippo::sign_contexts<Signs>(span_of(ids), span_of(offsets), how, out.get());
  }
  return give(std::move(out), n, bits / 8);
}

Vector<float> dot_rows(const Matrix<std::int8_t>& matrix, const View<float>& scales,
                       const View<float>& query, const Rows& rows) {
  const std::size_t n = matrix.shape(0), d = matrix.shape(1), count = rows.shape(0);
  check_dimension(d);
  hippo::check_size("scales", scales.shape(0), n);
  hippo::check_size("query", query.shape(0), d);
  auto out = allocate<float>(count);
  {
    nb::gil_scoped_release unlocked;
    hippo::check_rows(span_of(rows), n);
    hippo::dot_rows(matrix.data(), scales.data(), d, query.data(), span_of(rows), out.get());
  }
  return give(std::move(out), count);
}

Table<float> sum_rows(const Matrix<std::int8_t>& matrix, const View<float>& scales,
                      const Rows& rows, const Rows& groups, std::size_t count) {
  const std::size_t n = matrix.shape(0), d = matrix.shape(1);
  check_dimension(d);
  hippo::check_size("scales", scales.shape(0), n);
  hippo::check_size("groups", groups.shape(0), rows.shape(0));
  auto sums = allocate<float>(count * d);
  {
    nb::gil_scoped_release unlocked;
    hippo::check_rows(span_of(rows), n);
    hippo::check_rows(span_of(groups), count, "groups");
    std::fill_n(sums.get(), count * d, 0.0f);
    hippo::sum_rows(matrix.data(), scales.data(), d, span_of(rows), span_of(groups), sums.get());
  }
  return give(std::move(sums), count, d);
}

Vector<std::uint32_t> top_k(const View<float>& scores, std::size_t k,
                            const std::optional<View<std::uint8_t>>& mask) {
  if (mask) hippo::check_size("mask", mask->shape(0), scores.shape(0));
  Owned<std::uint32_t> out;
  std::size_t count = 0;
  {
    nb::gil_scoped_release unlocked;
    const auto positions =
        hippo::top_k(scores.data(), mask ? mask->data() : nullptr, scores.shape(0), k);
    count = positions.size();
    out = allocate<std::uint32_t>(count);
    std::copy(positions.begin(), positions.end(), out.get());
  }
  return give(std::move(out), count);
}

nb::typed<nb::tuple, Vector<std::int32_t>, Vector<std::int64_t>, Table<float>> best_two(
    const View<std::int32_t>& codes, const View<float>& scores) {
  const std::size_t n = codes.shape(0);
  hippo::check_size("scores", scores.shape(0), n);
  auto groups = allocate<std::int64_t>(n);
  Owned<std::int32_t> labels;
  Owned<float> best;
  std::size_t count = 0;
  {
    nb::gil_scoped_release unlocked;
    const auto found = hippo::distinct(span_of(codes));
    count = found.size();
    labels = allocate<std::int32_t>(count);
    std::copy(found.begin(), found.end(), labels.get());
    best = allocate<float>(2 * (count + 1));
    hippo::best_two(span_of(codes), scores.data(), found, groups.get(), best.get());
  }
  return nb::make_tuple(give(std::move(labels), count), give(std::move(groups), n),
                        give(std::move(best), count + 1, 2));
}

Vector<std::uint32_t> stable_order(const View<std::uint32_t>& keys) {
  const std::size_t n = keys.shape(0);
  if (n > 0xffffffffu) throw std::invalid_argument("keys are more than 2^32 - 1");
  auto order = allocate<std::uint32_t>(n);
  {
    nb::gil_scoped_release unlocked;
    hippo::stable_order(span_of(keys), order.get());
  }
  return give(std::move(order), n);
}

// One version of an index that only grows: its first documents, in storage that versions share.
//
// Without the GIL nothing orders a writer and a reader, so the storage brings its own lock.
struct Bm25 {
  struct Storage {
    hippo::Bm25Index index;
    std::shared_mutex gate;
  };
  std::shared_ptr<Storage> storage = std::make_shared<Storage>();
  hippo::Bm25Extent own;

  void extend(const View<std::uint32_t>& terms, const View<std::uint64_t>& offsets) {
    nb::gil_scoped_release unlocked;
    std::unique_lock writing{storage->gate};
    if (storage->index.size() != own.documents)
      throw std::invalid_argument("a version of " + std::to_string(own.documents) +
                                  " documents, after which another one appended; extend that");
    storage->index.extend(span_of(terms), span_of(offsets));
    own = storage->index.extent();
  }

  template <class Ask>
  auto reading(Ask ask) const {
    nb::gil_scoped_release unlocked;
    std::shared_lock held{storage->gate};
    return ask(storage->index, own);  // what it is now: this version may be growing
  }

  nb::typed<nb::tuple, Vector<std::uint32_t>, Vector<std::uint32_t>, Vector<std::uint32_t>,
            Vector<std::uint32_t>, Vector<std::uint32_t>>
  pack() const {
    const hippo::PackedBm25 packed =
        reading([](const hippo::Bm25Index& index, hippo::Bm25Extent within) {
          if (index.size() != within.documents)
            throw std::invalid_argument("a version of " + std::to_string(within.documents) +
                                        " documents, after which another one appended; pack that");
          return index.pack();
        });
    return nb::make_tuple(give(packed.hashes), give(packed.frequencies), give(packed.postings),
                          give(packed.lengths), give(packed.unheard));
  }

  static Bm25 unpack(const View<std::uint32_t>& hashes, const View<std::uint32_t>& frequencies,
                     const View<std::uint32_t>& postings, const View<std::uint32_t>& lengths,
                     const View<std::uint32_t>& unheard) {
    Bm25 made;
    {
      nb::gil_scoped_release unlocked;
      made.storage->index.unpack(span_of(hashes), span_of(frequencies), span_of(postings),
                                 span_of(lengths), span_of(unheard));
    }
    made.own = made.storage->index.extent();
    return made;
  }

  Vector<std::uint32_t> document_frequency(const View<std::uint32_t>& terms) const {
    auto out = allocate<std::uint32_t>(terms.shape(0));
    reading([&](const hippo::Bm25Index& index, hippo::Bm25Extent within) {
      for (std::size_t i = 0; i < terms.shape(0); ++i)
        out[i] = index.document_frequency(terms.data()[i], within.documents);
    });
    return give(std::move(out), terms.shape(0));
  }

  Vector<std::uint32_t> unheard(const Rows& rows) const {
    auto out = allocate<std::uint32_t>(rows.shape(0));
    reading([&](const hippo::Bm25Index& index, hippo::Bm25Extent within) {
      hippo::check_rows(span_of(rows), within.documents);
      for (std::size_t i = 0; i < rows.shape(0); ++i) out[i] = index.unheard(rows.data()[i]);
    });
    return give(std::move(out), rows.shape(0));
  }

  Vector<std::uint32_t> holding(const View<std::uint32_t>& terms,
                                const std::optional<View<std::uint8_t>>& mask) const {
    return give(reading([&](const hippo::Bm25Index& index, hippo::Bm25Extent within) {
      if (mask) hippo::check_size("mask", mask->shape(0), within.documents);
      return index.holding(span_of(terms), mask ? mask->data() : nullptr, within);
    }));
  }

  Vector<float> score(const View<std::uint32_t>& terms, const std::optional<View<float>>& weights,
                      const std::optional<View<std::uint8_t>>& mask, float k1, float b) const {
    if (weights) hippo::check_size("weights", weights->shape(0), terms.shape(0));
    Owned<float> out;
    const std::size_t n = reading([&](const hippo::Bm25Index& index, hippo::Bm25Extent within) {
      if (mask) hippo::check_size("mask", mask->shape(0), within.documents);
      out = allocate<float>(within.documents);
      index.score(span_of(terms), weights ? weights->data() : nullptr,
                  mask ? mask->data() : nullptr, {k1, b}, within, out.get());
      return within.documents;
    });
    return give(std::move(out), n);
  }

  Table<float> contributions(const View<std::uint32_t>& terms, const Rows& rows, float k1,
                             float b) const {
    auto out = allocate<float>(rows.shape(0) * terms.shape(0));
    reading([&](const hippo::Bm25Index& index, hippo::Bm25Extent within) {
      hippo::check_rows(span_of(rows), within.documents);
      index.contributions(span_of(terms), span_of(rows), {k1, b}, within, out.get());
    });
    return give(std::move(out), rows.shape(0), terms.shape(0));
  }
};

nb::typed<nb::dict, nb::str, nb::str> build_info() {
  nb::dict info;
#if defined(__clang__)
  info["compiler"] = "clang " __clang_version__;
#elif defined(__GNUC__)
  info["compiler"] = "gcc " __VERSION__;
#elif defined(_MSC_VER)
  info["compiler"] = "msvc " + std::to_string(_MSC_VER);
#else
  info["compiler"] = "unknown";
#endif
  info["simd"] = hippo::name_of(hippo::simd());
  info["simd_best"] = hippo::name_of(hippo::best_simd());
  return info;
}

}  // namespace

NB_MODULE(_native, m) {
  // Whoever ends while threads of ours still hold an index is told nothing of use by nanobind.
  nb::set_leak_warnings(false);
  m.doc() = "Native kernels of hippocampus.";

  m.def("build_info", &build_info,
        "Say which compiler built the kernels, which SIMD path they use and which is best here.");
  m.def("set_simd_path", &hippo::set_simd, "name"_a,
        "Force a path (scalar, avx2, avx512) for the whole process, or return to the best (auto).");

  m.def("end_in_time",
        [](int number, double after_s, const nb::bytes& last_words) {
          hippo::end_in_time(number, after_s, {last_words.c_str(), last_words.size()});
        },
        "number"_a, "after_s"_a, "last_words"_a,
        "End the process so many seconds after a signal, though the interpreter may be held.\n\n"
        "Whoever handles the signal now is told of it as before. It ends as if killed, with code 1,\n"
        "and says its last words on stderr. Without effect where ENDS_IN_TIME is false.");
  m.def("sign_codes", &sign_codes, "vectors"_a.noconvert(),
        "Pack the signs of (n, d) vectors into (n, d/8) bytes, lowest bit first; 1 where x >= 0.");
  m.def("scan_signs", &scan_signs, "codes"_a.noconvert(), "query"_a.noconvert(),
        "Estimate the cosine of a unit query with each code.\n\n"
        "The query is rounded to 16 levels; the estimate is <q, signs> / sqrt(2 d / pi).");
  m.def("scan_turned", &scan_turned, "blocks"_a.noconvert(), "query"_a.noconvert(),
        "some"_a.noconvert() = nb::none(),
        "Do what scan_signs does for codes kept in blocks of 128, faster; shape (blocks * 128,).\n\n"
        "Blocks have the shape (blocks, bytes, 128): codes.reshape(-1, 128, bytes), last two axes\n"
        "swapped. `some` picks blocks, in order.");
  m.def("maxsim", &maxsim, "codes"_a.noconvert(), "offsets"_a.noconvert(), "queries"_a.noconvert(),
        "rows"_a.noconvert() = nb::none(),
        "Estimate, for each span of codes and each query, the highest cosine within the span.\n\n"
        "Span i holds codes offsets[i] to offsets[i + 1]; `rows` picks spans, in order. Shape\n"
        "(spans, queries); empty spans give 0.");
  m.def("quantise_rows", &quantise_rows, "vectors"_a.noconvert(),
        "Round each row to signed bytes, symmetric about 0; return the bytes and a scale a row.");
  m.def("merge_rows", &merge_rows, "rows"_a.noconvert(), "count"_a,
        "Merge rows into `count` groups, those alike most first, by Ward's method.\n\n"
        "Return the group of each row, numbered by their first rows. Coordinates beyond 1 count\n"
        "as 1.");
  m.def("dot_rows", &dot_rows, "matrix"_a.noconvert(), "scales"_a.noconvert(),
        "query"_a.noconvert(), "rows"_a.noconvert(),
        "Return the inner product of the query with each quantised row named.");
  m.def("sum_rows", &sum_rows, "matrix"_a.noconvert(), "scales"_a.noconvert(),
        "rows"_a.noconvert(), "groups"_a.noconvert(), "count"_a,
        "Add up the quantised rows named, by group; return `count` sums, one a group.");
  m.def("top_k", &top_k, "scores"_a.noconvert(), "k"_a, "mask"_a.noconvert() = nb::none(),
        "Return the positions of the k highest scores where the mask is not 0, best first.\n\n"
        "Equal scores go by lower position, NaN comes after every number.");
  m.def("best_two", &best_two, "codes"_a.noconvert(), "scores"_a.noconvert(),
        "Group rows by code; return the codes, each row's group and each group's two best.\n\n"
        "Codes ascend, groups are places among them, scores are at least 0, shape (codes + 1, 2):\n"
        "rows with a negative code belong to the place after the last, whose scores stay 0.");

  m.def("stable_order", &stable_order, "keys"_a.noconvert(),
        "Return the positions of keys in ascending order, equal ones by position.");

  m.def("top_signs", &sign_contexts<hippo::TopSigns>, "ids"_a.noconvert(),
        "offsets"_a.noconvert(), nb::kw_only(), "components"_a, "nonzeros"_a, "window"_a, "bits"_a,
        "seed"_a,
        "Return a signature for each token: the signs of its context's largest components.\n\n"
        "Span i holds ids offsets[i] to offsets[i + 1]; the context is the sum of sparse random\n"
        "vectors of the ids at most `window` away in the span. Shape (n, bits / 8), numbers of\n"
        "`bits` bits, little-endian, the largest component's sign highest.");
  m.def("plane_signs", &sign_contexts<hippo::PlaneSigns>, "ids"_a.noconvert(),
        "offsets"_a.noconvert(), nb::kw_only(), "components"_a, "nonzeros"_a, "window"_a, "bits"_a,
        "seed"_a,
        "Do the same with the sides of `bits` random hyperplanes that its context is on.");

  nb::class_<Bm25>(
      m, "Bm25Index",
      "An append-only inverted index over documents numbered from 0, scored by BM25.\n\n"
      "Terms are 32-bit hashes. idf is ln(1 + (N - df + 0.5) / (df + 0.5)) and a term\n"
      "gives a document idf * tf / (tf + k1 (1 - b + b length / average)), less than\n"
      "idf. A tf above 255 counts as 255. Safe to use from several threads.")
      .def(nb::init<>())
      .def("extend", &Bm25::extend, "terms"_a.noconvert(), "offsets"_a.noconvert(),
           "Append documents; document i is terms[offsets[i]:offsets[i + 1]].")
      .def("fork",
           [](const Bm25& self) {
             return self.reading([&](const auto&, hippo::Bm25Extent within) {
               return Bm25{self.storage, within};
             });
           },
           "Return a version that sees what this one does and may grow on; either costs nothing.\n\n"
           "Of all versions the longest alone can be extended: they share what they hold.")
      .def("__len__",
           [](const Bm25& self) {
             return self.reading(
                 [](const auto&, hippo::Bm25Extent within) { return within.documents; });
           })
      .def_prop_ro(
          "nbytes",
          [](const Bm25& self) {
            return self.reading(
                [](const hippo::Bm25Index& index, auto) { return index.nbytes(); });
          },
          "Bytes of memory held, those of longer versions included.")
      .def("pack", &Bm25::pack,
           "Return what it holds in plain arrays; of all versions the longest can.\n\n"
           "They are the hash and frequency of each term, all postings, and the length and number\n"
           "of new terms of each document.")
      .def_static("unpack", &Bm25::unpack, "hashes"_a.noconvert(), "frequencies"_a.noconvert(),
                  "postings"_a.noconvert(), "lengths"_a.noconvert(), "unheard"_a.noconvert(),
                  "Return an index of what another one has packed; what does not fit is refused.")
      .def("document_frequency", &Bm25::document_frequency, "terms"_a.noconvert(),
           "Return in how many documents each term occurs.")
      .def("unheard", &Bm25::unheard, "rows"_a.noconvert(),
           "Return how many terms of each of some documents no earlier document has.")
      .def("holding", &Bm25::holding, "terms"_a.noconvert(), "mask"_a.noconvert().none(),
           "Return documents with all terms given, ascending, but where the mask is 0.")
      .def("score", &Bm25::score, "terms"_a.noconvert(), "weights"_a.noconvert().none(),
           "mask"_a.noconvert().none(), "k1"_a, "b"_a,
           "Score every document; 0 where the mask is 0. A term asked for twice counts twice.")
      .def("contributions", &Bm25::contributions, "terms"_a.noconvert(), "rows"_a.noconvert(),
           "k1"_a, "b"_a,
           "Return what each term gives each document of `rows`, unweighted; shape (rows, terms).");

  m.def(
      "checksum",
      [](const View<std::uint8_t>& bytes) {
        nb::gil_scoped_release unlocked;
        return hippo::checksum(bytes.data(), bytes.shape(0));
      },
      "raw"_a.noconvert(), "Return XXH64 of some bytes, which guards against damage.");

  nb::class_<hippo::BytePairs>(
      m, "BytePairs",
      "A vocabulary of byte pairs: pieces of text become tokens, and tokens text.\n\n"
      "Tokens are given in order of their words: that of token i begins with the first `shared[i]`\n"
      "bytes of its predecessor's, and `added[i]` more follow in `data`. By the bits of `forms[i]` a\n"
      "space stands before it (1), and its first letter is a capital one (2); `ids[i]` is its id and\n"
      "its rank.")
      .def("__init__",
           [](hippo::BytePairs* self, const View<std::uint8_t>& shared,
              const View<std::uint8_t>& added, const View<std::uint8_t>& forms, const Rows& ids,
              const View<std::uint8_t>& data) {
             new (self) hippo::BytePairs(span_of(shared), span_of(added), span_of(forms),
                                         span_of(ids), span_of(data));
           },
           "shared"_a.noconvert(), "added"_a.noconvert(), "forms"_a.noconvert(),
           "ids"_a.noconvert(), "data"_a.noconvert())
      .def("__len__", &hippo::BytePairs::size)
      .def("spell",
           [](const hippo::BytePairs& self, std::uint32_t id) {
             hippo::check_rows(std::span{&id, 1}, self.size(), "ids");
             const std::string_view bytes = self.spell(id);
             return nb::bytes(bytes.data(), bytes.size());
           },
           "token"_a, "Return the bytes that an id stands for.")
      .def("find",
           [](const hippo::BytePairs& self, const nb::bytes& data) {
             return self.find({data.c_str(), data.size()});
           },
           "data"_a, "Return the id of some bytes; None if no token is written so.")
      .def("split",
           [](const hippo::BytePairs& self, const nb::bytes& text, const Rows& lengths) {
             std::vector<std::uint32_t> found;
             {
               nb::gil_scoped_release unlocked;
               found = self.split({text.c_str(), text.size()}, span_of(lengths));
             }
             return give(found);
           },
           "text"_a, "lengths"_a.noconvert(),
           "Return the ids of a text in UTF-8 whose pieces have so many characters, (tokens,) uint32.")
      .def("join",
           [](const hippo::BytePairs& self, const Rows& ids) {
             const std::string text = self.join(span_of(ids));
             return nb::bytes(text.data(), text.size());
           },
           "ids"_a.noconvert(), "Return the bytes of ids, one after another.");

  m.def("piece_lengths",
        [](const nb::bytes& shapes) {
          std::vector<std::uint32_t> found;
          {
            nb::gil_scoped_release unlocked;
            const auto* first = reinterpret_cast<const std::uint8_t*>(shapes.c_str());
            found = hippo::Pieces({first, shapes.size()}).lengths();
          }
          return give(found);
        },
        "shapes"_a,
        "Return how many characters each piece of a text has, (pieces,) uint32.\n\n"
        "A character is given as one byte: one of ASCII as itself, another as what stands for its\n"
        "category: 0x80 a large letter, 0x81 a small one, 0x82 one of no case, 0x83 a number, 0x84 a\n"
        "space, 0x87 a mark, 0x85 anything else.");

  m.def("unfold",
        [](const View<std::uint8_t>& shared, const View<std::uint8_t>& added) {
          const auto* first = reinterpret_cast<const char*>(added.data());
          const hippo::Folded lines{span_of(shared), {first, added.shape(0)}};
          auto text = allocate<std::uint8_t>(lines.room());
          auto starts = allocate<std::int32_t>(shared.shape(0));
          {
            nb::gil_scoped_release unlocked;
            lines.unfold(reinterpret_cast<char*>(text.get()), starts.get());
          }
          return std::pair{give(std::move(text), lines.size()),
                           give(std::move(starts), shared.shape(0))};
        },
        "shared"_a.noconvert(), "added"_a.noconvert(),
        "Return lines, each of which begins with so many bytes of the one before it.\n\n"
        "What follows in line i is line i of `added`, in bytes; both are apart by line feeds. Returns\n"
        "the bytes, uint8, and where each line begins, (lines,) int32.");

  nb::class_<hippo::WordTable>(
      m, "WordTable",
      "Words of texts in Latin letters, with the hash of each and what it says of the language.\n\n"
      "Not safe to share between threads but for the GIL, which it keeps.")
      .def(nb::init<>())
      .def("__len__", &hippo::WordTable::size)
      .def("add", &hippo::WordTable::add, "word"_a, "hashed"_a, "leaning"_a,
           "Note what is known of a word in lower case; what is known already stays.")
      .def(
          "read",
          [](hippo::WordTable& self, const nb::bytes& text) {
            const auto found = self.read({text.c_str(), text.size()});
            return nb::make_tuple(give(found.hashes), found.leaning, found.unknown);
          },
          nb::sig("def read(self, text: bytes) -> tuple[Annotated[NDArray[numpy.uint32], "
                  "dict(shape=(None,), order=\"C\")], float, list[str]]"),
          "text"_a,
          "Return what is known of the words of a text in UTF-8.\n\n"
          "Their hashes in order, (words,) uint32; what the different ones say of its language in\n"
          "sum, infinite if none says anything; and which are not known, whose hash is 0. Letters\n"
          "are those of ASCII, and U+00C0 to U+024F.")
      .def(
          "telling",
          [](const hippo::WordTable& self, const nb::bytes& text) {
            return self.telling({text.c_str(), text.size()});
          },
          nb::sig("def telling(self, text: bytes) -> dict[str, int]"), "text"_a,
          "Return the words of a text that say something of its language, and how often each does.");

  nb::class_<hippo::WordSets> sets(
      m, "WordSets",
      "Up to 64 sets of words, and which of them a text has.\n\n"
      "Not safe to share between threads but for the GIL, which it keeps.");
  nb::class_<hippo::WordSets::Found>(sets, "Found", "The words of a text that sets have.")
      .def("__len__", &hippo::WordSets::Found::size,
           "Return how many words the text has, those of no set among them.")
      .def_prop_ro("is_latin", &hippo::WordSets::Found::is_latin,
                   "Whether all of the text is in Latin letters and signs.\n\n"
                   "If not, nothing else that is found is right.")
      .def_prop_ro("has_digit", &hippo::WordSets::Found::has_digit,
                   "Whether the text has a digit of ASCII.")
      .def_prop_ro("has_marked", &hippo::WordSets::Found::has_marked,
                   "Whether the text has a letter beyond those of ASCII.")
      .def("has", &hippo::WordSets::Found::has, "number"_a,
           "Return whether the text has a word of a set.")
      .def("count", &hippo::WordSets::Found::count, "number"_a,
           "Return how many words of a set the text has, each as often as it is there.")
      .def("places", &hippo::WordSets::Found::places, "number"_a,
           "Return the characters where words of a set begin, in order.")
      .def("words", &hippo::WordSets::Found::words, "number"_a,
           "Return the different words of a set that the text has.");
  sets.def(nb::init<>())
      .def("__len__", &hippo::WordSets::size, "Return how many sets there are.")
      .def(
          "add",
          [](hippo::WordSets& self, const std::vector<std::string>& words) {
            return self.add(words);
          },
          "words"_a, "Make a set of words in lower case, and return its number.")
      .def(
          "read",
          [](const hippo::WordSets& self, const nb::bytes& text) {
            return self.read({text.c_str(), text.size()});
          },
          nb::keep_alive<0, 1>(), "text"_a,
          "Return which words of the sets a text in UTF-8 has.\n\n"
          "Its words are the longest runs of letters: those of ASCII, in either case, and U+00C0\n"
          "to U+024F, in lower case.");
  nb::class_<hippo::TimeWords>(
      m, "TimeWords",
      "Words and marks, with the part that each has in an expression of time.\n\n"
      "Not safe to share between threads but for the GIL, which it keeps.")
      .def(nb::init<std::uint8_t, std::uint8_t, std::uint8_t>(), "word"_a, "mark"_a, "number"_a,
           "Take the parts of a word and of a mark of which nothing else is known, and of a number.")
      .def("add", &hippo::TimeWords::add, "word"_a, "part"_a,
           "Note the part of a word in lower case, or of a mark; the \"'s\" of a genitive is one.")
      .def(
          "read",
          [](const hippo::TimeWords& self, const nb::bytes& text, const nb::callable& ask) {
            const auto found = self.read({text.c_str(), text.size()},
                                         [&](std::size_t i, std::size_t at) {
              using Told = std::optional<std::pair<std::uint8_t, std::size_t>>;
              const auto [part, end] =
                  nb::cast<Told>(ask(i, at)).value_or(std::pair<std::uint8_t, std::size_t>{0, 0});
              return hippo::TimeWords::Told{part, end};
            });
            return nb::make_tuple(nb::bytes(found.parts.data(), found.parts.size()), found.places);
          },
          nb::sig("def read(self, text: bytes, ask: collections.abc.Callable[[int, int], "
                  "tuple[int, int] | None]) -> tuple[bytes, list[int]]"),
          "text"_a, "ask"_a,
          "Return the part of each token of a text, and where the tokens begin and end.\n\n"
          "The text has one byte for each character, \"_\" for one beyond ASCII. Where a token may be\n"
          "another than a word, number or mark, `ask(its index, its place)` tells its part and end.");

  nb::class_<hippo::MappedRoom>(
      m, "MappedRoom",
      "A part of a file mapped into memory, with room behind it; what is written stays in memory.\n\n"
      "Where the file was cut short meanwhile it reads as zeros, and `damaged` says so.")
      .def(nb::init<int, std::uint64_t, std::size_t, std::size_t>(), "descriptor"_a, "offset"_a,
           "nbytes"_a, "room"_a)
      .def_prop_ro(
          "array",
          [](nb::handle_t<hippo::MappedRoom> self) {
            const auto& room = nb::cast<const hippo::MappedRoom&>(self);
            return Vector<std::uint8_t>(room.data(), {room.size()}, self);
          },
          "Its bytes, shape (room,), uint8; as long as it is held, so is the map.")
      .def_prop_ro("damaged", &hippo::MappedRoom::damaged,
                   "Whether something of the file was gone when it was looked at.");
  m.attr("MAPS_FILES") = HIPPO_MAPS == 1;
  m.attr("ENDS_IN_TIME") = HIPPO_ENDS_IN_TIME == 1;

  bind_transformer(m);
  bind_wavelet(m);
}
