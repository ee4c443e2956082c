// A transformer encoder of BERT's kind (Devlin et al. 2019), with linear layers in eight bits.
//
// Everything else is done in floats, with one order of additions on every path, so a text has the
// same states, bit by bit, on every processor and whatever else is encoded with it.
#pragma once

#include <algorithm>
#include <barrier>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hippo/int8.hpp"
#include "hippo/lanes.hpp"
#include "hippo/simd.hpp"

namespace hippo {

inline constexpr std::size_t head_width = 32;
inline constexpr std::size_t panel_rows = 32;  // rows that go through a layer's products together

// x times the share of a normal distribution below it (GELU, not its approximation by tanh).
// The error function as a quotient of polynomials, right to a few units in the last place.
template <class Some>
HIPPO_INLINE inline Some gelu(const Some& x) {
  const Some z = least(most(x * 0.70710678f, Some::all(-4.0f)), Some::all(4.0f));
  const Some s = z * z;
  Some a = s * -2.72614225801306e-10f + 2.77068142495902e-08f;
  a = a * s + -2.10102402082508e-06f;
  a = a * s + -5.69250639462346e-05f;
  a = a * s + -7.34990630326855e-04f;
  a = a * s + -2.95459980854025e-03f;
  a = a * s + -1.60960333262415e-02f;
  Some b = s * -1.45660718464996e-05f + -2.13374055278905e-04f;
  b = b * s + -1.68282697438203e-03f;
  b = b * s + -7.37332916720468e-03f;
  b = b * s + -1.42647390514189e-02f;
  return x * 0.5f * (z * a / b + 1.0f);
}

// A layer's normalisation: to mean 0 and variance 1, then scaled and shifted by what was learned.
class Norm {
 public:
  Norm(const float* scale, const float* shift, std::size_t width, float epsilon)
      : scale_(scale, scale + width), shift_(shift, shift + width), epsilon_(epsilon) {}

  void apply(float* x, std::size_t rows) const {
    const std::size_t width = scale_.size();
    const float *scale = scale_.data(), *shift = shift_.data(), epsilon = epsilon_;
    in_lanes([=](auto kind) HIPPO_INLINE {
      using Some = typename decltype(kind)::type;
      const auto count = static_cast<float>(width);
      for (std::size_t row = 0; row < rows; ++row) {
        float* at = x + row * width;
        Some sum = Some::all(0.0f), squares = sum;
        for (std::size_t i = 0; i < width; i += lanes) sum = sum + Some::load(at + i);
        const float mean = sum.sum() / count;
        for (std::size_t i = 0; i < width; i += lanes) {
          const Some off = Some::load(at + i) - mean;
          squares = squares + off * off;
        }
        const float by = 1.0f / std::sqrt(squares.sum() / count + epsilon);
        for (std::size_t i = 0; i < width; i += lanes)
          ((Some::load(at + i) - mean) * by * Some::load(scale + i) + Some::load(shift + i))
              .store(at + i);
      }
    });
  }

  template <class Visit>
  void bytes(Visit visit) {
    visit(scale_.data(), scale_.size() * sizeof scale_[0]);
    visit(shift_.data(), shift_.size() * sizeof shift_[0]);
  }

 private:
  std::vector<float> scale_, shift_;
  float epsilon_;
};

struct Layer {
  ByteWeights attention;  // queries, keys and values, one after another
  ByteWeights mixed;
  Norm attended;
  ByteWeights wide;
  ByteWeights narrow;
  Norm done;

  // Call `visit` with every stretch of bytes of a layer that is rounded, in the same order always.
  template <class Visit>
  void bytes(Visit visit) {
    for (ByteWeights* one : {&attention, &mixed, &wide, &narrow}) one->bytes(visit);
    for (Norm* one : {&attended, &done}) one->bytes(visit);
  }
};

// Rows [first, last) of a pass, each of which sees rows [from, to): a text of its own, or a turn
// that sees the ones before it. Of its states [wanted, wanted_end) are asked for.
struct Stretch {
  std::uint32_t first, last, from, to, wanted, wanted_end;
};

class Transformer {
 public:
  Transformer(std::size_t width, std::size_t heads, Norm embedded)
      : width_(width), heads_(heads), embedded_(std::move(embedded)) {
    if (width != heads * head_width || width % tile_outputs || width % block_inputs)
      throw std::invalid_argument("a model of width " + std::to_string(width) + " with " +
                                  std::to_string(heads) +
                                  " heads: heads must be 32 wide, the width a multiple of 192");
  }

  void add(Layer layer) { layers_.push_back(std::move(layer)); }
  std::vector<Layer>& layers() { return layers_; }
  std::size_t width() const { return width_; }
  std::size_t nbytes() const {
    std::size_t sum = 0;
    for (const Layer& l : layers_)
      sum += l.attention.nbytes() + l.mixed.nbytes() + l.wide.nbytes() + l.narrow.nbytes();
    return sum;
  }

  // One pass. Several threads may go through it together, each with a Member of its own.
  class Pass {
   public:
    // `x`: what words, places and kinds of each row add up to.
    Pass(const Transformer& of, const float* x, std::size_t rows, std::span<const Stretch> stretches,
         std::size_t members)
        : rows_(rows),
          stretches_(stretches),
          meeting_(static_cast<std::ptrdiff_t>(members)),
          members_(members),
          x_(x, x + rows * of.width_),
          threes_(3 * rows * of.width_),
          seen_(rows * of.width_) {}

    // The states asked for, one row after another.
    const float* states() const { return x_.data(); }

   private:
    friend class Transformer;
    std::size_t rows_;
    std::span<const Stretch> stretches_;
    std::barrier<> meeting_;
    std::size_t members_;
    std::vector<float> x_;
    std::vector<float> threes_;  // queries, keys, values of every row
    std::vector<float> seen_;    // what attention gives every row
  };

  // What a thread needs to go through a pass.
  class Member {
   public:
    Member(const Transformer& of, const Pass& pass, std::size_t number)
        : number_(number),
          stride_((pass.rows_ + 2 * lanes - 1) / (2 * lanes) * 2 * lanes + 2 * lanes),
          keys_(head_width * stride_),
          values_(head_width * pass.rows_),
          scores_(4 * stride_),
          wide_(panel_rows * 4 * of.width_),
          narrow_(panel_rows * of.width_) {
      bytes_.reserve(wide_.size());
    }

   private:
    friend class Transformer;
    std::size_t number_;
    std::size_t stride_;  // of a dimension of keys
    Bytes bytes_;
    std::vector<float> keys_, values_, scores_, wide_, narrow_;
  };

  // It takes no memory and cannot fail: the others would wait for ever.
  void run(Pass& pass, Member& own) const noexcept {
    for_panels(pass, own, pass.rows_, [&](std::size_t row, std::size_t some) {
      embedded_.apply(pass.x_.data() + row * width_, some);
    });
    for (std::size_t i = 0; i < layers_.size(); ++i)
      step(layers_[i], pass, own, i + 1 == layers_.size());
  }

 private:
  // Do a thing for this member's share of rows, some at a time.
  template <class Work>
  static void for_panels(const Pass& pass, const Member& own, std::size_t rows, Work work) {
    const std::size_t first = own.number_ * rows / pass.members_;
    const std::size_t last = (own.number_ + 1) * rows / pass.members_;
    for (std::size_t row = first; row < last; row += panel_rows)
      work(row, std::min(panel_rows, last - row));
  }

  void step(const Layer& layer, Pass& pass, Member& own, bool last) const {
    for_panels(pass, own, pass.rows_, [&](std::size_t row, std::size_t some) {
      own.bytes_.round(pass.x_.data() + row * width_, some, width_, true);
      layer.attention.multiply(own.bytes_, pass.threes_.data() + 3 * row * width_);
    });
    pass.meeting_.arrive_and_wait();
    for (std::size_t head = own.number_; head < heads_; head += pass.members_)
      attend(head, pass, own, last);
    pass.meeting_.arrive_and_wait();
    std::size_t rows = pass.rows_;
    if (last) {
      // Nobody looks at the others any more: what is asked for moves together.
      if (own.number_ == 0) gather(pass);
      pass.meeting_.arrive_and_wait();
      rows = wanted(pass.stretches_);
    }
    for_panels(pass, own, rows, [&](std::size_t row, std::size_t some) {
      float* at = pass.x_.data() + row * width_;
      own.bytes_.round(pass.seen_.data() + row * width_, some, width_);
      layer.mixed.multiply(own.bytes_, own.narrow_.data());
      add(at, own.narrow_.data(), some * width_);
      layer.attended.apply(at, some);
      own.bytes_.round(at, some, width_);
      layer.wide.multiply(own.bytes_, own.wide_.data());
      bend(own.wide_.data(), some * layer.wide.outputs());
      own.bytes_.round(own.wide_.data(), some, layer.wide.outputs());
      layer.narrow.multiply(own.bytes_, own.narrow_.data());
      add(at, own.narrow_.data(), some * width_);
      layer.done.apply(at, some);
    });
  }

  static std::size_t wanted(std::span<const Stretch> stretches) {
    std::size_t rows = 0;
    for (const Stretch& s : stretches) rows += s.wanted_end - s.wanted;
    return rows;
  }

  void gather(Pass& pass) const {
    std::size_t to = 0;
    for (const Stretch& s : pass.stretches_) {
      const std::size_t count = (s.wanted_end - s.wanted) * width_;
      for (std::vector<float>* rows : {&pass.x_, &pass.seen_})
        std::memmove(rows->data() + to, rows->data() + s.wanted * width_, count * sizeof(float));
      to += count;
    }
  }

  static void add(float* to, const float* what, std::size_t n) {
    in_lanes([=](auto kind) HIPPO_INLINE {
      using Some = typename decltype(kind)::type;
      for (std::size_t i = 0; i < n; i += lanes)
        (Some::load(to + i) + Some::load(what + i)).store(to + i);
    });
  }

  static void bend(float* x, std::size_t n) {
    in_lanes([=](auto kind) HIPPO_INLINE {
      using Some = typename decltype(kind)::type;
      for (std::size_t i = 0; i < n; i += lanes) gelu(Some::load(x + i)).store(x + i);
    });
  }

  void attend(std::size_t head, Pass& pass, Member& own, bool last) const {
    const std::size_t width = width_, stride = own.stride_, rows = pass.rows_;
    const float* threes = pass.threes_.data() + head * head_width;
    float *keys = own.keys_.data(), *values = own.values_.data(), *scores = own.scores_.data();
    float* seen = pass.seen_.data() + head * head_width;
    const std::span<const Stretch> stretches = pass.stretches_;
    in_lanes([=](auto kind) HIPPO_INLINE {
      for (std::size_t row = 0; row < rows; ++row) {
        const float* key = threes + 3 * row * width + width;
        for (std::size_t d = 0; d < head_width; ++d) keys[d * stride + row] = key[d];
        std::memcpy(values + row * head_width, key + width, head_width * sizeof(float));
      }
      for (const Stretch& stretch : stretches) {
        const std::size_t count = stretch.to - stretch.from;
        const std::size_t first = last ? stretch.wanted : stretch.first;
        const std::size_t end = last ? stretch.wanted_end : stretch.last;
        const float* seen_keys = keys + stretch.from;
        const float* seen_values = values + stretch.from * head_width;
        for (std::size_t row = first; row < end; row += 4) {
          // Of fewer than four rows the last is done again, into the same place.
          const float* queries[4];
          float* to[4];
          for (std::size_t r = 0; r < 4; ++r) {
            const std::size_t at = std::min(row + r, end - 1);
            queries[r] = threes + 3 * at * width;
            to[r] = seen + at * width;
          }
          attend_four<typename decltype(kind)::type>(queries, seen_keys, seen_values, count, stride,
                                                     scores, to);
        }
      }
    });
  }

  // Four rows at once, so that what they see is read once for four.
  template <class Some>
  HIPPO_INLINE static void attend_four(const float* const* queries, const float* keys,
                                       const float* values, std::size_t count,
                                       std::size_t stride, float* scores, float* const* to) {
    for (std::size_t j = 0; j < count; j += 2 * lanes) {
      Some sums[4][2];
      for (auto& of : sums) of[0] = of[1] = Some::all(0.0f);
      for (std::size_t d = 0; d < head_width; ++d) {
        const Some low = Some::load(keys + d * stride + j);
        const Some high = Some::load(keys + d * stride + j + lanes);
        for (std::size_t r = 0; r < 4; ++r) {
          sums[r][0] = sums[r][0] + low * queries[r][d];
          sums[r][1] = sums[r][1] + high * queries[r][d];
        }
      }
      for (std::size_t r = 0; r < 4; ++r) {
        sums[r][0].store(scores + r * stride + j);
        sums[r][1].store(scores + r * stride + j + lanes);
      }
    }
    float by[4];
    for (std::size_t r = 0; r < 4; ++r) by[r] = weigh<Some>(scores + r * stride, count);
    Some sums[4][2];
    for (auto& of : sums) of[0] = of[1] = Some::all(0.0f);
    for (std::size_t j = 0; j < count; ++j) {
      const Some low = Some::load(values + j * head_width);
      const Some high = Some::load(values + j * head_width + lanes);
      for (std::size_t r = 0; r < 4; ++r) {
        sums[r][0] = sums[r][0] + low * scores[r * stride + j];
        sums[r][1] = sums[r][1] + high * scores[r * stride + j];
      }
    }
    for (std::size_t r = 0; r < 4; ++r) {
      (sums[r][0] * by[r]).store(to[r]);
      (sums[r][1] * by[r]).store(to[r] + lanes);
    }
  }

  // Turn scores into powers of e, in place; return what makes them add up to 1.
  template <class Some>
  HIPPO_INLINE static float weigh(float* scores, std::size_t count) {
    for (std::size_t j = count; j % lanes; ++j) scores[j] = -1e30f;
    Some highest = Some::load(scores);
    for (std::size_t j = lanes; j < count; j += lanes)
      highest = most(highest, Some::load(scores + j));
    const float top = highest.highest();
    Some sum = Some::all(0.0f);
    for (std::size_t j = 0; j < count; j += lanes) {
      const Some power = (Some::load(scores + j) - top).exponential();
      power.store(scores + j);
      sum = sum + power;
    }
    return 1.0f / sum.sum();
  }

  std::size_t width_, heads_;
  Norm embedded_;
  std::vector<Layer> layers_;
};

}  // namespace hippo
