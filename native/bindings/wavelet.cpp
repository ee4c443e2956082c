#include "wavelet.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "hippo/check.hpp"
#include "hippo/dynamic_wavelet.hpp"
#include "hippo/hamming.hpp"
#include "hippo/huffman_wavelet.hpp"
#include "hippo/sealed_wavelet.hpp"
#include "hippo/wavelet.hpp"

using namespace nb::literals;
using hippo::Column;
using hippo::Symbol;
using hippo::Word;

namespace {

// Any whole number of Python's, of whatever size and sign.
struct Whole {
  nb::object value;
};

}  // namespace

template <>
struct nb::detail::type_caster<Whole> {
  NB_TYPE_CASTER(Whole, const_name("int"))

  bool from_python(handle source, std::uint8_t, cleanup_list*) noexcept {
    PyObject* index = PyNumber_Index(source.ptr());
    if (index == nullptr) PyErr_Clear();
    value.value = steal(index);
    return index != nullptr;
  }
};

namespace {

using Array = nb::ndarray<const Word, nb::c_contig, nb::device::cpu>;
using Symbols = nb::ndarray<nb::numpy, Word, nb::c_contig>;

std::string text(const Whole& whole) { return nb::str(whole.value).c_str(); }

// The number, or nothing when it is negative or does not fit a word. Needs the GIL.
std::optional<Word> word_of(const Whole& whole) {
  const unsigned long long word = PyLong_AsUnsignedLongLong(whole.value.ptr());
  if (word == static_cast<unsigned long long>(-1) && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return std::nullopt;
  }
  return word;
}

// A number that counts something: a position, an occurrence, a radius.
struct Count {
  explicit Count(const Whole& whole)
      : value(word_of(whole)), shown(value ? std::string{} : text(whole)) {}

  [[noreturn]] void refuse(const char* what, const std::string& bound) const {
    throw std::out_of_range(std::string(what) + " " + (value ? std::to_string(*value) : shown) +
                            " is out of bounds, must be in [0, " + bound);
  }

  // Positions must be below a bound that is only known under the lock.
  std::size_t below(std::size_t bound, const char* what) const {
    if (value && *value < bound) return *value;
    refuse(what, std::to_string(bound) + ")");
  }

  std::size_t at_most(std::size_t bound, const char* what) const {
    if (value && *value <= bound) return *value;
    refuse(what, std::to_string(bound) + "]");
  }

  // Numbers that may be as large as they like.
  std::size_t any(const char* what) const {
    if (value) return *value;
    if (shown.front() == '-')
      throw std::invalid_argument(std::string(what) + " is " + shown + ", must be at least 0");
    return hippo::nowhere;
  }

  std::optional<Word> value;
  std::string shown;
};

std::size_t width_of(const Whole& bits, std::size_t most = hippo::max_symbol_bits) {
  const std::optional<Word> found = word_of(bits);
  if (!found)
    throw std::invalid_argument("bits=" + text(bits) + ", must be 1 to " + std::to_string(most));
  hippo::check_width(*found, most);
  return *found;
}

[[noreturn]] void refuse_symbol(const std::string& name, std::size_t bits) {
  throw std::overflow_error(name + " does not fit " + std::to_string(bits) +
                            " bits, must be in [0, 2**" + std::to_string(bits) + ")");
}

Symbol symbol_of(const Whole& whole, std::size_t bits) {
  Symbol symbol;
  if (const std::optional<Word> low = word_of(whole)) {
    symbol.words[0] = *low;
  } else {
    const nb::object high = nb::steal(PyNumber_Rshift(whole.value.ptr(), nb::int_(64).ptr()));
    const std::optional<Word> upper = word_of(Whole{high});
    if (!upper) refuse_symbol("symbol " + text(whole), bits);
    symbol.words = {PyLong_AsUnsignedLongLongMask(whole.value.ptr()), *upper};
  }
  const bool fits = bits < 64    ? symbol.words[1] == 0 && symbol.words[0] >> bits == 0
                    : bits == 64 ? symbol.words[1] == 0
                                 : bits == 128 || symbol.words[1] >> (bits - 64) == 0;
  if (!fits) refuse_symbol("symbol " + text(whole), bits);
  return symbol;
}

nb::int_ int_of(const Symbol& symbol) {
  const nb::int_ low(symbol.words[0]);
  if (symbol.words[1] == 0) return low;
  const nb::object high =
      nb::steal(PyNumber_Lshift(nb::int_(symbol.words[1]).ptr(), nb::int_(64).ptr()));
  return nb::steal<nb::int_>(PyNumber_Or(high.ptr(), low.ptr()));
}

// One or many of a batch's arguments, as columns of words.
struct Operand {
  Operand(const Symbol& symbol) : one(symbol) {}
  Operand(const Word* words, std::size_t count, std::size_t wide)
      : many(true), n(count), data(words), stride(wide) {}

  Column column() const { return {many ? data : one.words.data(), many ? stride : 0}; }
  // The i-th of them, by the name of one.
  std::string name(const char* singular, std::size_t i) const {
    const std::string value = std::to_string(*column()[i]);
    return many ? std::string(singular) + "s[" + std::to_string(i) + "]=" + value
                : std::string(singular) + " " + value;
  }

  Symbol one;
  bool many = false;
  std::size_t n = 1;
  const Word* data = nullptr;
  std::size_t stride = 0;
};

std::size_t common_length(const Operand& a, const char* a_name, const Operand& b,
                          const char* b_name) {
  if (a.many && b.many && a.n != b.n)
    throw std::invalid_argument(std::string(a_name) + " has " + std::to_string(a.n) +
                                " items and " + b_name + " " + std::to_string(b.n) +
                                ", must have as many");
  return a.many ? a.n : b.n;
}

Operand numbers(const Array& array, const char* name) {
  if (array.ndim() != 1)
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(array.ndim()) +
                                " dimensions, must have 1");
  return {array.data(), array.shape(0), 1};
}

Operand numbers(const Whole& whole, const char* name) {
  Symbol one;
  one.words[0] = Count{whole}.value.value_or(hippo::nowhere);
  if (one.words[0] == hippo::nowhere)
    throw std::out_of_range(std::string(name) + " " + text(whole) +
                            " is out of bounds, must be at least 0 and below 2**64 - 1");
  return {one};
}

void check_below(const Operand& numbers, std::size_t bound, const char* singular) {
  const Column column = numbers.column();
  for (std::size_t i = 0; i < numbers.n; ++i)
    if (*column[i] >= bound)
      throw std::out_of_range(numbers.name(singular, i) + " is out of bounds, must be in [0, " +
                              std::to_string(bound) + ")");
}

template <class Matrix>
Operand symbols(const Matrix& matrix, const Array& array) {
  const bool wide = matrix.words() == 2;
  if (array.ndim() != matrix.words() || (wide && array.shape(1) != 2))
    throw std::invalid_argument(
        wide ? "symbols of more than 64 bits must have shape (n, 2), the low word first"
             : "symbols of at most 64 bits must have shape (n,)");
  const std::size_t n = array.shape(0), bad = matrix.first_too_large(array.data(), n);
  if (bad != hippo::nowhere)
    refuse_symbol("symbols[" + std::to_string(bad) + "]" +
                      (wide ? "" : "=" + std::to_string(array.data()[bad])),
                  matrix.bits());
  return {array.data(), n, matrix.words()};
}

template <class Matrix>
Operand symbols(const Matrix& matrix, const Whole& whole) {
  return {symbol_of(whole, matrix.bits())};
}

Symbols give_symbols(Owned<Word> data, std::size_t n, std::size_t wide) {
  Word* first = data.get();
  const std::size_t shape[2] = {n, wide};
  return Symbols(first, wide, shape, owner_of(data));
}

// Without the GIL nothing orders a writer and a reader, so the object brings its own lock: a call
// sees the sequence as it was at one moment.
struct Dynamic {
  explicit Dynamic(std::size_t bits) : matrix(bits) {}

  template <class Ask>
  auto read(Ask ask) const {
    nb::gil_scoped_release unlocked;
    std::shared_lock held{gate};
    matrix.check();
    return ask();
  }

  // Too short to let go of the GIL for, unless readers are in the way. They wait for nothing while
  // they hold the gate, so taking it under the GIL cannot lock up.
  void append(const Whole& whole) {
    const Symbol symbol = symbol_of(whole, matrix.bits());
    if (gate.try_lock()) {
      std::unique_lock writing{gate, std::adopt_lock};
      return matrix.append(symbol);
    }
    nb::gil_scoped_release unlocked;
    std::unique_lock writing{gate};
    matrix.append(symbol);
  }

  void extend(const Array& array) {
    nb::gil_scoped_release unlocked;
    const Operand added = symbols(matrix, array);
    std::unique_lock writing{gate};
    matrix.extend(added.data, added.n);
  }

  hippo::DynamicWavelet matrix;
  mutable std::shared_mutex gate;
};

// Bytes of another Python object, held as long as they are read.
struct Bytes {
  explicit Bytes(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_SIMPLE) != 0) throw nb::python_error();
  }
  Bytes(const Bytes&) = delete;
  ~Bytes() { PyBuffer_Release(&view); }

  Py_buffer view{};
};

template <class Matrix>
struct Sealed {
  template <class Ask>
  auto read(Ask ask) const {
    nb::gil_scoped_release unlocked;
    return ask();
  }

  static Sealed build(const Array& array, const Whole& bits) {
    const std::size_t width = width_of(bits, Matrix::max_symbol_bits);
    nb::gil_scoped_release unlocked;
    const hippo::DynamicWavelet rule{width};
    const Operand from = symbols(rule, array);
    return {Matrix::build(from.data, from.n, width), nullptr};
  }

  static Sealed load(nb::handle buffer) {
    auto held = std::make_unique<Bytes>(buffer);
    // Only bytes never change; what a read-only view shows, someone else may write to.
    const nb::object owner =
        PyMemoryView_Check(buffer.ptr()) ? buffer.attr("obj") : nb::borrow(buffer);
    if (!nb::isinstance<nb::bytes>(owner)) {
      const nb::bytes copy(held->view.buf, static_cast<std::size_t>(held->view.len));
      held = std::make_unique<Bytes>(copy);
    }
    nb::gil_scoped_release unlocked;
    return {Matrix::load(held->view.buf, static_cast<std::size_t>(held->view.len)),
            std::move(held)};
  }

  nb::bytes to_bytes() const {
    const auto size = static_cast<Py_ssize_t>(matrix.length());
    nb::bytes out = nb::steal<nb::bytes>(PyBytes_FromStringAndSize(nullptr, size));
    char* to = PyBytes_AsString(out.ptr());
    nb::gil_scoped_release unlocked;
    std::memcpy(to, matrix.data(), matrix.length());
    return out;
  }

  Matrix matrix;
  std::unique_ptr<Bytes> from;
};

using Plain = Sealed<hippo::SealedWavelet>;
using Huffman = Sealed<hippo::HuffmanWavelet>;

std::size_t checked_range(const Count& start, const Count& end, std::size_t n, hippo::Range& out) {
  out = {start.at_most(n, "start"), end.at_most(n, "end")};
  if (out.start > out.end)
    throw std::invalid_argument("start " + std::to_string(out.start) + " is after end " +
                                std::to_string(out.end) + ", must not be");
  return out.size();
}

template <class Self>
Symbols access_many(const Self& self, const Array& positions) {
  const Operand at = numbers(positions, "positions");
  auto out = allocate<Word>(at.n * self.matrix.words());
  self.read([&] {
    check_below(at, self.matrix.size(), "position");
    self.matrix.access(at.data, at.n, out.get());
  });
  return give_symbols(std::move(out), at.n, self.matrix.words());
}

template <class Self>
nb::int_ access_one(const Self& self, const Whole& position) {
  const Count at{position};
  Symbol found;
  self.read([&] {
    const Word place = at.below(self.matrix.size(), "position");
    self.matrix.access(&place, 1, found.words.data());
  });
  return int_of(found);
}

template <class Self, class Which, class Ends>
Owned<Word> rank(const Self& self, const Which& which, const Ends& ends, std::size_t& n) {
  const Operand to = numbers(ends, "end");
  const Operand what = symbols(self.matrix, which);
  n = common_length(what, "symbols", to, "ends");
  auto out = allocate<Word>(n);
  self.read([&] {
    check_below(to, self.matrix.size() + 1, "end");
    self.matrix.rank(what.column(), to.column(), n, out.get());
  });
  return out;
}

template <class Self, class Which, class Occurrences>
Owned<Word> select(const Self& self, const Which& which, const Occurrences& occurrences,
                   std::size_t& n) {
  const Operand nth = numbers(occurrences, "occurrence");
  const Operand what = symbols(self.matrix, which);
  n = common_length(what, "symbols", nth, "occurrences");
  auto out = allocate<Word>(n);
  self.read([&] {
    self.matrix.select(what.column(), nth.column(), n, out.get());
    const auto bad = static_cast<std::size_t>(
        std::find(out.get(), out.get() + n, hippo::nowhere) - out.get());
    if (bad == n) return;
    const Word size = self.matrix.size();
    Word times = 0;
    self.matrix.rank({what.column()[bad], 0}, {&size, 0}, 1, &times);
    throw std::out_of_range(nth.name("occurrence", bad) + " is out of bounds, the symbol occurs " +
                            std::to_string(times) + " times");
  });
  return out;
}

// Each of rank and select with one or many of either argument.
template <class Self, class Class>
void bind_rank_and_select(Class& found) {
  const auto one = [&](auto which, auto index, const char* rank_says, const char* select_says) {
    using Which = decltype(which);
    using Index = decltype(index);
    constexpr bool many = !std::is_same_v<Which, Whole> || !std::is_same_v<Index, Whole>;
    const auto shown = [](Owned<Word> out, std::size_t n) {
      if constexpr (many)
        return give(std::move(out), n);
      else
        return out[0];
    };
    const char* symbol = std::is_same_v<Which, Whole> ? "symbol" : "symbols";
    const char* end = std::is_same_v<Index, Whole> ? "end" : "ends";
    const char* nth = std::is_same_v<Index, Whole> ? "occurrence" : "occurrences";
    found.def(
        "rank",
        [shown](const Self& self, const Which& symbols, const Index& ends) {
          std::size_t n = 0;
          auto out = rank(self, symbols, ends, n);
          return shown(std::move(out), n);
        },
        nb::arg(symbol).noconvert(), nb::arg(end).noconvert(), rank_says);
    found.def(
        "select",
        [shown](const Self& self, const Which& symbols, const Index& occurrences) {
          std::size_t n = 0;
          auto out = select(self, symbols, occurrences, n);
          return shown(std::move(out), n);
        },
        nb::arg(symbol).noconvert(), nb::arg(nth).noconvert(), select_says);
  };
  one(Whole{}, Whole{}, "Return how often the symbol occurs before position `end`.",
      "Return where the symbol occurs for the time numbered `occurrence`, counted from 0.");
  one(Whole{}, Array{}, "Return the same for every end.", "Return the same for every occurrence.");
  one(Array{}, Whole{}, "Return the same for every symbol.", "Return the same for every symbol.");
  one(Array{}, Array{}, "Return the same for every pair.", "Return the same for every pair.");
}

template <class Self>
void bind_reads(nb::class_<Self>& found) {
  found
      .def("__len__",
           [](const Self& self) { return self.read([&] { return self.matrix.size(); }); })
      .def_prop_ro(
          "bits", [](const Self& self) { return self.matrix.bits(); }, "Bits of a symbol.")
      .def_prop_ro(
          "nbytes",
          [](const Self& self) { return self.read([&] { return self.matrix.nbytes(); }); },
          "Bytes of memory held.")
      .def_prop_ro(
          "zeros",
          [](const Self& self) {
            auto out = allocate<Word>(self.matrix.depth());
            self.read([&] {
              for (std::size_t k = 0; k < self.matrix.depth(); ++k)
                out[k] = self.matrix.level(k).zeros();
            });
            return give(std::move(out), self.matrix.depth());
          },
          nb::rv_policy::move,
          "How many bits of each level are 0, called Z_k in the paper; shape (levels,).")
      .def(
          "level",
          [](const Self& self, const Whole& k) {
            const std::size_t at = Count{k}.below(self.matrix.depth(), "level");
            std::vector<std::uint8_t> out;
            self.read([&] {
              const std::size_t n = self.matrix.level(at).size();
              hippo::BitWriter packed(n);
              self.matrix.level(at).pack(packed);
              out.resize((n + 7) / 8);
              std::memcpy(out.data(), packed.words().data(), out.size());
            });
            return give(out);
          },
          "k"_a, "Return level k's bits packed into bytes, lowest first; level 0 is the highest.")
      .def("access", &access_one<Self>, "position"_a, "Return the symbol at a position.")
      .def("access", &access_many<Self>, "positions"_a.noconvert(),
           "Return the symbol at each position; shape (n,), or (n, 2) above 64 bits.");
  bind_rank_and_select<Self>(found);
  found
      .def(
          "span",
          [](const Self& self, const Whole& start, const Whole& end) {
            const Count from{start}, to{end};
            Owned<Word> out;
            const std::size_t n = self.read([&] {
              hippo::Range range;
              const std::size_t count = checked_range(from, to, self.matrix.size(), range);
              out = allocate<Word>(count * self.matrix.words());
              self.matrix.span(range.start, range.end, out.get());
              return count;
            });
            return give_symbols(std::move(out), n, self.matrix.words());
          },
          "start"_a, "end"_a, "Return the symbols at positions start to end - 1.")
      .def(
          "quantile",
          [](const Self& self, const Whole& start, const Whole& end, const Whole& k) {
            const Count from{start}, to{end}, nth{k};
            return int_of(self.read([&] {
              hippo::Range range;
              const std::size_t count = checked_range(from, to, self.matrix.size(), range);
              return self.matrix.quantile(range, nth.below(count, "k"));
            }));
          },
          "start"_a, "end"_a, "k"_a,
          "Return the k-th smallest symbol, counted from 0, at positions start to end - 1.")
      .def(
          "range_count",
          [](const Self& self, const Whole& start, const Whole& end, const Whole& low,
             const Whole& high) {
            const std::size_t bits = self.matrix.bits();
            const auto bound = [bits](const Whole& whole) -> std::optional<Symbol> {
              const nb::object all =
                  nb::steal(PyNumber_Lshift(nb::int_(1).ptr(), nb::int_(bits).ptr()));
              if (whole.value.equal(all)) return std::nullopt;
              return symbol_of(whole, bits);
            };
            const std::optional<Symbol> least = bound(low), beyond = bound(high);
            if (beyond && (!least || *beyond < *least))
              throw std::invalid_argument("low " + text(low) + " is above high " + text(high) +
                                          ", must not be");
            const Count from{start}, to{end};
            return self.read([&] {
              hippo::Range range;
              checked_range(from, to, self.matrix.size(), range);
              return self.matrix.count_below(range, beyond) - self.matrix.count_below(range, least);
            });
          },
          "start"_a, "end"_a, "low"_a, "high"_a,
          "Return how many symbols at positions start to end - 1 are in [low, high).\n\n"
          "high may be 2**bits.")
      .def(
          "top_k",
          [](const Self& self, const Whole& start, const Whole& end, const Whole& k) {
            const Count from{start}, to{end};
            const std::size_t most = Count{k}.any("k"), wide = self.matrix.words();
            const auto best = self.read([&] {
              hippo::Range range;
              checked_range(from, to, self.matrix.size(), range);
              return self.matrix.top_k(range, most);
            });
            auto which = allocate<Word>(best.size() * wide);
            auto counts = allocate<Word>(best.size());
            for (std::size_t i = 0; i < best.size(); ++i) {
              std::copy_n(best[i].first.words.begin(), wide, which.get() + i * wide);
              counts[i] = best[i].second;
            }
            return nb::typed<nb::tuple, Symbols, Vector<Word>>(
                nb::make_tuple(give_symbols(std::move(which), best.size(), wide),
                               give(std::move(counts), best.size())));
          },
          "start"_a, "end"_a, "k"_a,
          "Return the k most frequent symbols at positions start to end - 1, and their counts.\n\n"
          "The most frequent comes first; of equals, the smallest.")
      .def(
          "next_occurrence",
          [](const Self& self, const Whole& symbol, const Whole& position) {
            const Symbol wanted = symbol_of(symbol, self.matrix.bits());
            const Count from{position};
            return self.read([&]() -> std::optional<Word> {
              const Word at = from.at_most(self.matrix.size(), "position");
              return hippo::next_occurrence(self.matrix, wanted, at);
            });
          },
          "symbol"_a, "position"_a,
          "Return the first position from `position` on that holds the symbol, or None.")
      .def(
          "previous_occurrence",
          [](const Self& self, const Whole& symbol, const Whole& position) {
            const Symbol wanted = symbol_of(symbol, self.matrix.bits());
            const Count from{position};
            return self.read([&]() -> std::optional<Word> {
              const Word at = from.at_most(self.matrix.size(), "position");
              return hippo::previous_occurrence(self.matrix, wanted, at);
            });
          },
          "symbol"_a, "position"_a,
          "Return the last position before `position` that holds the symbol, or None.")
      .def(
          "ball",
          [](const Self& self, const Whole& code, const Whole& radius) {
            const Symbol centre = symbol_of(code, self.matrix.bits());
            const std::size_t most = Count{radius}.any("radius");
            return give(self.read([&] { return self.matrix.ball(centre, most); }));
          },
          "code"_a, "radius"_a,
          "Return the positions of symbols that differ from the code in at most `radius` bits.\n\n"
          "Descends from level to level; the positions are in order.");
}

template <class Matrix>
void bind_sealed(nb::class_<Sealed<Matrix>>& found, const char* made, const std::string& name) {
  const std::string load = "def load(buffer: bytes | bytearray | memoryview) -> " + name;
  found
      .def_static("build", &Sealed<Matrix>::build, "symbols"_a.noconvert(), "bits"_a, made)
      .def_static("load", &Sealed<Matrix>::load, "buffer"_a, nb::sig(load.c_str()),
                  "Read what `to_bytes` wrote: bytes, and views of bytes, in place; others are copied.\n\n"
                  "Raises ValueError for bytes that were cut or altered.")
      .def("to_bytes", &Sealed<Matrix>::to_bytes,
           "Return the bytes it consists of, with a checksum.");
  bind_reads(found);
}

Vector<Word> hamming_scan(const Matrix<std::uint8_t>& codes, const View<std::uint8_t>& code,
                          const Whole& radius) {
  const std::size_t n = codes.shape(0), width = codes.shape(1);
  hippo::check_size("code", code.shape(0), width);
  const std::size_t most = Count{radius}.any("radius");
  std::vector<Word> found;
  {
    nb::gil_scoped_release unlocked;
    found = hippo::hamming_scan(codes.data(), n, width, code.data(), most);
  }
  return give(found);
}

}  // namespace

void bind_wavelet(nb::module_& m) {
  m.def("hamming_scan", &hamming_scan, "codes"_a.noconvert(), "code"_a.noconvert(), "radius"_a,
        "Return where (n, bytes) codes differ from one in at most `radius` bits.\n\n"
        "Looks at each; the positions are in order.");

  nb::class_<Plain> sealed(
      m, "WaveletMatrix",
      "A sequence of symbols that never changes, in 8 % more than its bits.\n\n"
      "Symbols are ints, or uint64 arrays of shape (n,); those of more than 64 bits have shape\n"
      "(n, 2), the low word first. Positions and occurrences are counted from 0, ranges exclude\n"
      "their end. Safe to use from several threads.\n\n"
      "Raises OverflowError for symbols that do not fit, IndexError for positions and\n"
      "occurrences out of bounds.");
  nb::class_<Huffman> huffman(
      m, "HuffmanWaveletMatrix",
      "A WaveletMatrix that has fewer bits for symbols that are frequent: Huffman codes.\n\n"
      "It answers the same, and takes 4 % more than the codes, and 1 to 3 bytes for each symbol\n"
      "that occurs, in memory some 17 more.");
  nb::class_<Dynamic> dynamic(
      m, "DynamicWaveletMatrix",
      "A sequence of symbols that grows at its end, held as WaveletMatrix would hold it.\n\n"
      "It answers what WaveletMatrix answers. Safe to use from several threads: a call sees the\n"
      "sequence as it was at one moment, before or after another's append.");

  bind_sealed(sealed, "Make one of symbols of 1 to 128 bits.", "WaveletMatrix");
  bind_sealed(huffman, "Make one of symbols of 1 to 32 bits.", "HuffmanWaveletMatrix");

  dynamic
      .def(
          "__init__",
          [](Dynamic* self, const Whole& bits) { new (self) Dynamic(width_of(bits)); }, "bits"_a)
      .def("append", &Dynamic::append, "symbol"_a, "Add a symbol at the end.")
      .def("extend", &Dynamic::extend, "symbols"_a.noconvert(), "Add symbols at the end.")
      .def(
          "seal",
          [](const Dynamic& self) {
            return Plain{self.read([&] { return hippo::SealedWavelet(self.matrix); }), nullptr};
          },
          "Return what it holds now as a matrix that never changes.");
  bind_reads(dynamic);
}
