// The transformer encoder, as Python sees it: types, checks and the GIL.
#include "transformer.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "hippo/check.hpp"
#include "hippo/transformer.hpp"

using namespace nb::literals;

namespace {

using Floats = View<float>;

void set(const char* name, hippo::ByteWeights& to, std::size_t first, std::size_t count,
         std::size_t inputs, const Matrix<float>& weights, const Floats& bias, float by = 1.0f) {
  hippo::check_size(name, weights.shape(0), count);
  hippo::check_size(name, weights.shape(1), inputs);
  hippo::check_size(name, bias.shape(0), count);
  hippo::check_finite(name, {weights.data(), count * inputs});
  hippo::check_finite(name, {bias.data(), count});
  to.set(first, count, weights.data(), bias.data(), by);
}

hippo::Norm norm(const char* name, const Floats& scale, const Floats& shift, std::size_t width,
                 float epsilon) {
  hippo::check_size(name, scale.shape(0), width);
  hippo::check_size(name, shift.shape(0), width);
  hippo::check_finite(name, {scale.data(), width});
  hippo::check_finite(name, {shift.data(), width});
  return {scale.data(), shift.data(), width, epsilon};
}

// Threads that begin together: this one, and as many others as there are to be had.
class Team {
 public:
  explicit Team(std::size_t wanted) {
    try {
      others_.reserve(wanted);
      for (std::size_t m = 1; m < wanted; ++m)
        others_.emplace_back([this, m] {
          go_.wait(false);
          if (work_) work_(m);
        });
    } catch (const std::exception&) {  // no thread or no memory for one more: fewer do it
    }
  }
  Team(const Team&) = delete;
  ~Team() { finish(); }

  std::size_t members() const { return others_.size() + 1; }

  // Call `work` with 0 to members() - 1, at the same time; it must not throw.
  template <class Work>
  void work(Work work) {
    work_ = work;
    start();
    work(0);
    finish();
  }

 private:
  void start() {
    go_ = true;
    go_.notify_all();
  }

  void finish() {
    start();
    for (std::thread& other : others_) other.join();
    others_.clear();
  }

  std::function<void(std::size_t)> work_;
  std::atomic<bool> go_{false};
  std::vector<std::thread> others_;
};

class Transformer {
 public:
  Transformer(const Floats& scale, const Floats& shift, std::size_t heads, float epsilon)
      : epsilon_(epsilon),
        encoder_(scale.shape(0), heads,
                 norm("the first norm", scale, shift, scale.shape(0), epsilon)) {}

  void add(const Matrix<float>& query, const Floats& query_bias, const Matrix<float>& key,
           const Floats& key_bias, const Matrix<float>& value, const Floats& value_bias,
           const Matrix<float>& mixed, const Floats& mixed_bias, const Floats& attended,
           const Floats& attended_shift, const Matrix<float>& wide, const Floats& wide_bias,
           const Matrix<float>& narrow, const Floats& narrow_bias, const Floats& done,
           const Floats& done_shift) {
    const std::size_t d = encoder_.width();
    hippo::Layer layer = empty(norm("attended", attended, attended_shift, d, epsilon_),
                               norm("done", done, done_shift, d, epsilon_));
    // Scores are divided by the root of a head's width: queries are, once.
    const float by = 1.0f / std::sqrt(static_cast<float>(hippo::head_width));
    set("query", layer.attention, 0, d, d, query, query_bias, by);
    set("key", layer.attention, d, d, d, key, key_bias);
    set("value", layer.attention, 2 * d, d, d, value, value_bias);
    set("mixed", layer.mixed, 0, d, d, mixed, mixed_bias);
    set("wide", layer.wide, 0, 4 * d, d, wide, wide_bias);
    set("narrow", layer.narrow, 0, d, 4 * d, narrow, narrow_bias);
    encoder_.add(std::move(layer));
  }

  // Every layer, rounded, as bytes that `add_packed` takes.
  Vector<std::uint8_t> pack() {
    std::size_t size = 0;
    for (hippo::Layer& layer : encoder_.layers())
      layer.bytes([&](const void*, std::size_t n) { size += n; });
    auto made = allocate<std::uint8_t>(size);
    std::uint8_t* to = made.get();
    for (hippo::Layer& layer : encoder_.layers())
      layer.bytes([&](const void* from, std::size_t n) { std::memcpy(std::exchange(to, to + n), from, n); });
    return give(std::move(made), size);
  }

  void add_packed(const View<std::uint8_t>& packed) {
    const std::vector<float> none(encoder_.width());
    const hippo::Norm blank{none.data(), none.data(), none.size(), epsilon_};
    const std::uint8_t* from = packed.data();
    std::size_t left = packed.shape(0), size = 0;
    std::vector<hippo::Layer> layers;
    while (left) {
      hippo::Layer layer = empty(blank, blank);
      if (!size) layer.bytes([&](const void*, std::size_t n) { size += n; });
      if (left < size) throw std::invalid_argument("the bytes are not of whole layers");
      layer.bytes([&](void* to, std::size_t n) { std::memcpy(to, std::exchange(from, from + n), n); });
      left -= size;
      layers.push_back(std::move(layer));
    }
    for (hippo::Layer& layer : layers) encoder_.add(std::move(layer));
  }

  // Passes are independent of each other and are shared out among threads; threads that are left
  // over go through a pass together.
  Table<float> run(const Matrix<float>& embedded, const View<std::uint32_t, 2>& stretches,
                   const Rows& passes, std::size_t threads) const {
    const std::size_t rows = embedded.shape(0), width = encoder_.width();
    hippo::check_size("a row", embedded.shape(1), width);
    hippo::check_size("a stretch", stretches.shape(1), 6);
    const std::vector<Cut> cuts = cut_passes(rows, stretches, passes);
    const std::size_t made = cuts.empty() ? 0 : cuts.back().to + cuts.back().wanted;
    auto states = allocate<float>(made * width);
    {
      nb::gil_scoped_release unlocked;
      const std::size_t team = std::max<std::size_t>(1, threads / std::max<std::size_t>(1, cuts.size()));
      share_out(cuts.size(), threads, [&](std::size_t i) {
        const Cut& cut = cuts[i];
        Team helpers{std::min(team, cut.rows / rows_a_member)};
        hippo::Transformer::Pass pass{encoder_, embedded.data() + cut.row * width, cut.rows,
                                      cut.stretches, helpers.members()};
        std::vector<hippo::Transformer::Member> members;
        for (std::size_t m = 0; m < helpers.members(); ++m) members.emplace_back(encoder_, pass, m);
        helpers.work([&](std::size_t m) { encoder_.run(pass, members[m]); });
        std::memcpy(states.get() + cut.to * width, pass.states(),
                    cut.wanted * width * sizeof(float));
      });
    }
    return give(std::move(states), made, width);
  }

  std::size_t nbytes() const { return encoder_.nbytes(); }

 private:
  static constexpr std::size_t rows_a_member = 8;  // fewer are done sooner alone

  hippo::Layer empty(hippo::Norm attended, hippo::Norm done) const {
    const std::size_t d = encoder_.width(), never = 4 * d;
    return {{3 * d, d, 2 * d}, {d, d, never},     std::move(attended),
            {4 * d, d, never}, {d, 4 * d, never}, std::move(done)};
  }

  struct Cut {
    std::size_t row, rows;
    std::vector<hippo::Stretch> stretches;  // in rows of the pass
    std::size_t to, wanted;                 // where its states go, and how many there are
  };

  static std::vector<Cut> cut_passes(std::size_t rows, const View<std::uint32_t, 2>& stretches,
                                     const Rows& passes) {
    std::vector<Cut> cuts;
    std::size_t row = 0, at = 0, to = 0;
    for (std::size_t p = 0; p < passes.shape(0); ++p) {
      const std::size_t end = passes.data()[p];
      if (end <= row || end > rows) throw std::invalid_argument("passes must ascend to the rows");
      Cut cut{row, end - row, {}, to, 0};
      std::size_t next = row;
      for (; at < stretches.shape(0) && next < end; ++at) {
        const std::uint32_t* s = stretches.data() + 6 * at;
        if (s[0] != next || s[1] <= s[0] || s[1] > end || s[2] < row || s[3] > end || s[2] > s[0] ||
            s[3] < s[1] || s[4] < s[0] || s[5] < s[4] || s[5] > s[1])
          throw std::invalid_argument("a stretch must follow the last, see itself and its pass");
        const auto down = [row](std::uint32_t x) { return static_cast<std::uint32_t>(x - row); };
        cut.stretches.push_back(
            {down(s[0]), down(s[1]), down(s[2]), down(s[3]), down(s[4]), down(s[5])});
        cut.wanted += s[5] - s[4];
        next = s[1];
      }
      if (next != end) throw std::invalid_argument("stretches must cover every row");
      to += cut.wanted;
      cuts.push_back(std::move(cut));
      row = end;
    }
    if (row != rows || at != stretches.shape(0))
      throw std::invalid_argument("passes must cover every row");
    return cuts;
  }

  // Do work 0 to count - 1 on as many threads as there are to be had, this one included.
  template <class Work>
  static void share_out(std::size_t count, std::size_t threads, Work work) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr failed;
    std::mutex lock;
    Team{std::min(threads, count)}.work([&](std::size_t) {
      try {
        for (std::size_t i; (i = next++) < count;) work(i);
      } catch (...) {
        const std::lock_guard held{lock};
        failed = std::current_exception();
      }
    });
    if (failed) std::rethrow_exception(failed);
  }

  float epsilon_;
  hippo::Transformer encoder_;
};

}  // namespace

void bind_transformer(nb::module_& m) {
  nb::class_<Transformer>(m, "Transformer",
                          "A transformer encoder of BERT's kind, with linear layers in eight bits.\n\n"
                          "The same states on every processor, bit by bit, whatever else is run.")
      .def(nb::init<const Floats&, const Floats&, std::size_t, float>(), "scale"_a.noconvert(),
           "shift"_a.noconvert(), nb::kw_only(), "heads"_a, "epsilon"_a)
      .def("add", &Transformer::add, nb::kw_only(), "query"_a.noconvert(),
           "query_bias"_a.noconvert(), "key"_a.noconvert(), "key_bias"_a.noconvert(),
           "value"_a.noconvert(), "value_bias"_a.noconvert(), "mixed"_a.noconvert(), "mixed_bias"_a.noconvert(),
           "attended"_a.noconvert(), "attended_shift"_a.noconvert(), "wide"_a.noconvert(),
           "wide_bias"_a.noconvert(), "narrow"_a.noconvert(), "narrow_bias"_a.noconvert(),
           "done"_a.noconvert(), "done_shift"_a.noconvert(),
           "Add a layer. Weights have a row an output, as PyTorch keeps them; they are copied.")
      .def("pack", &Transformer::pack, "Return all layers as bytes, the same on every processor.")
      .def("add_packed", &Transformer::add_packed, "packed"_a.noconvert(),
           "Add layers from their bytes, which are copied; whoever has them knows that they are sound.")
      .def("run", &Transformer::run, "embedded"_a.noconvert(), "stretches"_a.noconvert(),
           "passes"_a.noconvert(), "threads"_a,
           "Return the last layer's states of rows that words, places and kinds add up to.\n\n"
           "`passes`: where each pass ends; none sees another. `stretches`: (first, last, from, to,\n"
           "wanted, end): rows first to last see those from `from` to `to`, and the states of those\n"
           "from `wanted` to `end` are returned.")
      .def_prop_ro("nbytes", &Transformer::nbytes, "Bytes of the weights.");
}
