// Products of matrices in eight bits, with sums in 32: exact, so every processor gives the same bits.
//
// Both sides are rounded in blocks of 64 numbers along what is summed over, each block with a scale
// of its own. Within a block a sum is one of whole numbers, at most 64 * 255 * 127, which no order
// of addition changes; the sums of blocks are added as floats, one after another, on every path.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "hippo/lanes.hpp"
#include "hippo/simd.hpp"

#if defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))
#define HIPPO_ARM 1
#include <arm_neon.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif
#if defined(__clang__)
#define HIPPO_DOT __attribute__((target("dotprod")))
#else
#define HIPPO_DOT __attribute__((target("arch=armv8.2-a+dotprod")))
#endif
#else
#define HIPPO_ARM 0
#endif

#if HIPPO_X86
#define HIPPO_VNNI HIPPO_WIDE("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")
#endif

namespace hippo {

inline constexpr std::size_t block_inputs = 64;
inline constexpr std::size_t group_outputs = 16;
inline constexpr std::size_t tile_groups = 3;
inline constexpr std::size_t tile_outputs = tile_groups * group_outputs;

// What rounding leaves is at most half a step: 127 of the finer ones.
inline constexpr float rest_steps = 254.0f;

// Rows of `width` floats (a multiple of 64) rounded to [-127, 127], and 128 added, for the processors
// that multiply signed bytes by unsigned ones.
//
// `fine`: whether what the rounding leaves is kept as well, in eight further bits.
class Bytes {
 public:
  // Have room for so many numbers, so that rounding takes no more memory.
  void reserve(std::size_t numbers) {
    grow(codes_, numbers), grow(rest_, numbers);
    grow(scales_, numbers / block_inputs), grow(rest_scales_, numbers / block_inputs);
  }

  void round(const float* x, std::size_t rows, std::size_t width, bool fine = false) {
    rows_ = rows, width_ = width;
    const std::size_t blocks = rows * width / block_inputs;
    grow(codes_, rows * width), grow(scales_, blocks);
    if (fine) grow(rest_, rows * width), grow(rest_scales_, blocks);
    std::uint8_t *codes = codes_.data(), *rest = fine ? rest_.data() : nullptr;
    float *scales = scales_.data(), *rest_scales = rest_scales_.data();
    in_lanes([=](auto kind) HIPPO_INLINE {
      using Some = typename decltype(kind)::type;
      for (std::size_t b = 0; b < blocks; ++b) {
        const float* from = x + b * block_inputs;
        Some most_of = Some::load(from).size();
        for (std::size_t i = lanes; i < block_inputs; i += lanes)
          most_of = most(most_of, Some::load(from + i).size());
        const float largest = most_of.highest();
        const float inverse = largest > 0.0f ? 127.0f / largest : 0.0f;
        scales[b] = largest / 127.0f;
        if (rest) rest_scales[b] = scales[b] / rest_steps;
        for (std::size_t i = 0; i < block_inputs; i += lanes) {
          const Some scaled = Some::load(from + i) * inverse;
          const Some whole = scaled.round_to(codes + b * block_inputs + i);
          if (rest) ((scaled - whole) * rest_steps).round_to(rest + b * block_inputs + i);
        }
      }
    });
  }

  // One of the two parts of some rows, as the products read it.
  struct Part {
    const std::uint8_t* codes;
    const float* scales;
    std::size_t width;

    Part from(std::size_t row) const {
      const std::size_t blocks = width / block_inputs;
      return {codes + row * width, scales + row * blocks, width};
    }
  };

  std::size_t rows() const { return rows_; }
  Part coarse() const { return {codes_.data(), scales_.data(), width_}; }
  Part rest() const { return {rest_.data(), rest_scales_.data(), width_}; }

 private:
  template <class T>
  static void grow(std::vector<T>& items, std::size_t size) {
    if (items.size() < size) items.resize(size);
  }

  std::size_t rows_ = 0, width_ = 0;
  std::vector<std::uint8_t> codes_, rest_;
  std::vector<float> scales_, rest_scales_;
};

// Weights of a linear layer: `outputs` rows of `inputs`, rounded.
//
// Kept for groups of 16 outputs: four inputs of each of the 16 stand together, 64 bytes, the next
// four after them; scales as 16 for each group and block.
class ByteWeights {
 public:
  // `inputs` a multiple of 64, `outputs` of 48. `doubled`: the first output that is calculated with
  // all of 16 bits of what it is given.
  ByteWeights(std::size_t outputs, std::size_t inputs, std::size_t doubled)
      : outputs_(outputs),
        inputs_(inputs),
        doubled_(doubled),
        codes_(outputs * inputs),
        scales_(outputs * inputs / block_inputs),
        offsets_(scales_.size()),
        bias_(outputs) {}

  // Set `count` outputs from `first` on; row-major, as PyTorch keeps them, all of it times `by`.
  void set(std::size_t first, std::size_t count, const float* weights, const float* bias,
           float by = 1.0f) {
    const std::size_t blocks = inputs_ / block_inputs;
    std::vector<float> row(inputs_);
    Bytes rounded;
    for (std::size_t o = first; o < first + count; ++o, weights += inputs_) {
      const std::size_t group = o / group_outputs, lane = o % group_outputs;
      std::transform(weights, weights + inputs_, row.begin(), [by](float w) { return w * by; });
      rounded.round(row.data(), 1, inputs_);
      const Bytes::Part part = rounded.coarse();
      bias_[o] = bias[o - first] * by;
      std::int8_t* to = codes_.data() + group * group_outputs * inputs_ + 4 * lane;
      for (std::size_t b = 0; b < blocks; ++b) {
        const std::size_t at = (group * blocks + b) * group_outputs + lane;
        scales_[at] = part.scales[b];
        const std::uint8_t* from = part.codes + b * block_inputs;
        std::int32_t sum = 0;
        for (std::size_t k = 0; k < block_inputs; ++k) sum += from[k] - 128;
        offsets_[at] = -128 * sum;
        for (std::size_t k = 0; k < block_inputs; k += 4) {
          std::uint32_t four;
          std::memcpy(&four, from + k, sizeof four);
          four ^= 0x80808080u;  // less 128, as signed bytes
          std::memcpy(to + (b * block_inputs + k) * group_outputs, &four, sizeof four);
        }
      }
    }
  }

  std::size_t outputs() const { return outputs_; }
  std::size_t nbytes() const {
    return codes_.size() + 4 * (scales_.size() + offsets_.size() + bias_.size());
  }

  // Call `visit` with every stretch of bytes that these consist of, the same on every processor.
  template <class Visit>
  void bytes(Visit visit) {
    visit(codes_.data(), codes_.size());
    visit(scales_.data(), scales_.size() * sizeof scales_[0]);
    visit(offsets_.data(), offsets_.size() * sizeof offsets_[0]);
    visit(bias_.data(), bias_.size() * sizeof bias_[0]);
  }

  // out (rows x outputs) = x W^T + bias.
  void multiply(const Bytes& x, float* out) const {
#if HIPPO_X86
    if (simd() == Simd::avx512 && has_vnni())
      return tiles<4>(x, out, {&row_vnni<1>, &row_vnni<2>, &row_vnni<3>, &row_vnni<4>});
    if (simd() >= Simd::avx2)
      return tiles<4>(x, out, {&row_avx2<1>, &row_avx2<2>, &row_avx2<3>, &row_avx2<4>});
#elif HIPPO_ARM
    if (has_dot()) return tiles<4>(x, out, {&row_dot<1>, &row_dot<2>, &row_dot<3>, &row_dot<4>});
    return tiles<2>(x, out, {&row_neon<1>, &row_neon<2>});
#endif
    tiles<1>(x, out, {&row_scalar});
  }

 private:
  // What one call sums up: some rows of x by the 48 outputs from `first` on.
  struct Tile {
    const std::int8_t* codes;
    const float* scales;
    const std::int32_t* offsets;
    const float* bias;
    std::size_t inputs, outputs;
    Bytes::Part parts[2];
    std::size_t count;  // of parts
    float* out;
  };
  using Sum = void (*)(const Tile&);

#if HIPPO_X86
  static bool has_vnni() { return processor().vnni; }
#endif

#if HIPPO_ARM
  // Whether sdot is there: in every processor of Apple's, and in others since about 2018.
  static bool has_dot() {
#if defined(__linux__)
    static const bool has = getauxval(AT_HWCAP) & (1ul << 20);  // HWCAP_ASIMDDP
    return has;
#else
    return true;
#endif
  }
#endif

  // `sums[r - 1]` does r rows. Rows are cut evenly: 17 are 4, 4, 3, 3 and 3.
  template <std::size_t Most>
  void tiles(const Bytes& x, float* out, const Sum (&sums)[Most]) const {
    const std::size_t blocks = inputs_ / block_inputs, tiles = (x.rows() + Most - 1) / Most;
    for (std::size_t o = 0; o < outputs_; o += tile_outputs) {
      Tile tile{codes_.data() + o * inputs_,
                scales_.data() + o * blocks,
                offsets_.data() + o * blocks,
                bias_.data() + o,
                inputs_,
                outputs_,
                {},
                o >= doubled_ ? 2u : 1u,
                nullptr};
      for (std::size_t t = 0; t < tiles; ++t) {
        const std::size_t row = t * x.rows() / tiles, end = (t + 1) * x.rows() / tiles;
        tile.parts[0] = x.coarse().from(row);
        if (tile.count == 2) tile.parts[1] = x.rest().from(row);
        tile.out = out + row * outputs_ + o;
        sums[end - row - 1](tile);
      }
    }
  }

  static void row_scalar(const Tile& tile) {
    const std::size_t blocks = tile.inputs / block_inputs;
    for (std::size_t g = 0; g < tile_groups; ++g) {
      float sums[group_outputs] = {};
      for (std::size_t p = 0; p < tile.count; ++p) {
        const Bytes::Part& part = tile.parts[p];
        for (std::size_t b = 0; b < blocks; ++b) {
          std::int32_t whole[group_outputs] = {};
          const std::int8_t* w =
              tile.codes + (g * tile.inputs + b * block_inputs) * group_outputs;
          const std::uint8_t* a = part.codes + b * block_inputs;
          for (std::size_t k = 0; k < block_inputs; k += 4, w += 4 * group_outputs)
            for (std::size_t j = 0; j < group_outputs; ++j)
              for (std::size_t i = 0; i < 4; ++i) whole[j] += (a[k + i] - 128) * w[4 * j + i];
          const float* scales = tile.scales + (g * blocks + b) * group_outputs;
          for (std::size_t j = 0; j < group_outputs; ++j)
            sums[j] += static_cast<float>(whole[j]) * (part.scales[b] * scales[j]);
        }
      }
      for (std::size_t j = 0; j < group_outputs; ++j)
        tile.out[g * group_outputs + j] = sums[j] + tile.bias[g * group_outputs + j];
    }
  }

#if HIPPO_X86
  // vpmaddwd adds pairs of products in 32 bits, which cannot overflow on bytes. Eight outputs of R
  // rows at a time: as many sums as there are registers for.
  template <std::size_t R>
  HIPPO_AVX2 static void row_avx2(const Tile& tile) {
    const std::size_t blocks = tile.inputs / block_inputs;
    for (std::size_t eight = 0; eight < tile_outputs; eight += 8) {
      const std::size_t group = eight / group_outputs, lane = eight % group_outputs;
      __m256 sums[R];
      for (std::size_t r = 0; r < R; ++r) sums[r] = _mm256_setzero_ps();
      for (std::size_t p = 0; p < tile.count; ++p) {
        const Bytes::Part& part = tile.parts[p];
        for (std::size_t b = 0; b < blocks; ++b) {
          __m256i whole[R][2];
          for (std::size_t r = 0; r < R; ++r)
            whole[r][0] = whole[r][1] = _mm256_setzero_si256();
          const std::int8_t* w = tile.codes + 4 * lane +
                                 (group * tile.inputs + b * block_inputs) * group_outputs;
          alignas(32) std::int16_t widened[R][block_inputs];  // once a block, not once a product
          for (std::size_t r = 0; r < R; ++r)
            for (std::size_t k = 0; k < block_inputs; k += 16)
              _mm256_store_si256(
                  reinterpret_cast<__m256i*>(widened[r] + k),
                  _mm256_sub_epi16(
                      _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(
                          part.codes + r * tile.inputs + b * block_inputs + k))),
                      _mm256_set1_epi16(128)));
#pragma GCC unroll 1
          for (std::size_t k = 0; k < block_inputs; k += 4) {
            const auto* at = reinterpret_cast<const __m128i*>(w + k * group_outputs);
            const __m256i low = _mm256_cvtepi8_epi16(_mm_loadu_si128(at));
            const __m256i high = _mm256_cvtepi8_epi16(_mm_loadu_si128(at + 1));
            for (std::size_t r = 0; r < R; ++r) {
              std::int64_t words;
              std::memcpy(&words, widened[r] + k, sizeof words);
              const __m256i four = _mm256_set1_epi64x(words);
              whole[r][0] = _mm256_add_epi32(whole[r][0], _mm256_madd_epi16(low, four));
              whole[r][1] = _mm256_add_epi32(whole[r][1], _mm256_madd_epi16(high, four));
            }
          }
          const __m256 scales =
              _mm256_loadu_ps(tile.scales + (group * blocks + b) * group_outputs + lane);
          for (std::size_t r = 0; r < R; ++r) {
            const __m256i pairs = _mm256_hadd_epi32(whole[r][0], whole[r][1]);
            const __m256i sum = _mm256_permute4x64_epi64(pairs, 0xD8);
            const __m256 by = _mm256_mul_ps(_mm256_set1_ps(part.scales[r * blocks + b]), scales);
            sums[r] = _mm256_add_ps(sums[r], _mm256_mul_ps(_mm256_cvtepi32_ps(sum), by));
          }
        }
      }
      for (std::size_t r = 0; r < R; ++r)
        _mm256_storeu_ps(tile.out + r * tile.outputs + eight,
                         _mm256_add_ps(sums[r], _mm256_loadu_ps(tile.bias + eight)));
    }
  }

  // vpdpbusd adds four products at once to a sum of 32 bits: 48 outputs of R rows stay in registers.
  template <std::size_t R>
  HIPPO_VNNI static void row_vnni(const Tile& tile) {
    const std::size_t blocks = tile.inputs / block_inputs;
    const std::size_t stride = tile.inputs * group_outputs;
    __m512 sums[R][tile_groups];
    for (std::size_t r = 0; r < R; ++r)
      for (std::size_t g = 0; g < tile_groups; ++g) sums[r][g] = _mm512_setzero_ps();
    for (std::size_t p = 0; p < tile.count; ++p) {
      const Bytes::Part& part = tile.parts[p];
      for (std::size_t b = 0; b < blocks; ++b) {
        __m512i whole[R][tile_groups];  // they begin with what 128 too many will have added
        for (std::size_t g = 0; g < tile_groups; ++g)
          whole[0][g] = _mm512_loadu_si512(tile.offsets + (g * blocks + b) * group_outputs);
        for (std::size_t r = 1; r < R; ++r)
          for (std::size_t g = 0; g < tile_groups; ++g) whole[r][g] = whole[0][g];
        const std::int8_t* w = tile.codes + b * block_inputs * group_outputs;
        const std::uint8_t* a = part.codes + b * block_inputs;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < block_inputs; k += 4, w += 4 * group_outputs) {
          __m512i wide[tile_groups];
          for (std::size_t g = 0; g < tile_groups; ++g)
            wide[g] = _mm512_loadu_si512(w + g * stride);
          for (std::size_t r = 0; r < R; ++r) {
            std::int32_t bytes;
            std::memcpy(&bytes, a + r * tile.inputs + k, 4);
            const __m512i four = _mm512_set1_epi32(bytes);
            for (std::size_t g = 0; g < tile_groups; ++g)
              whole[r][g] = _mm512_dpbusd_epi32(whole[r][g], four, wide[g]);
          }
        }
        for (std::size_t g = 0; g < tile_groups; ++g) {
          const __m512 scales =
              _mm512_loadu_ps(tile.scales + (g * blocks + b) * group_outputs);
          for (std::size_t r = 0; r < R; ++r) {
            const __m512 by = _mm512_mul_ps(_mm512_set1_ps(part.scales[r * blocks + b]), scales);
            // The form with a mask: GCC 12 warns of its own header's without.
            const __m512 sum = _mm512_maskz_cvtepi32_ps(0xFFFF, whole[r][g]);
            sums[r][g] = _mm512_add_ps(sums[r][g], _mm512_mul_ps(sum, by));
          }
        }
      }
    }
    for (std::size_t r = 0; r < R; ++r)
      for (std::size_t g = 0; g < tile_groups; ++g) {
        const std::size_t at = g * group_outputs;
        _mm512_storeu_ps(tile.out + r * tile.outputs + at,
                         _mm512_add_ps(sums[r][g], _mm512_loadu_ps(tile.bias + at)));
      }
  }
#endif

#if HIPPO_ARM
  // Sixteen outputs of R rows at a time; `block` adds up one block of one group: R x 4 registers.
  template <std::size_t R, class Block>
  HIPPO_INLINE static void row_arm(const Tile& tile, Block block) {
    const std::size_t blocks = tile.inputs / block_inputs;
    for (std::size_t g = 0; g < tile_groups; ++g) {
      float32x4_t sums[R][4];
      for (std::size_t r = 0; r < R; ++r)
        for (std::size_t s = 0; s < 4; ++s) sums[r][s] = vdupq_n_f32(0.0f);
      for (std::size_t p = 0; p < tile.count; ++p) {
        const Bytes::Part& part = tile.parts[p];
        for (std::size_t b = 0; b < blocks; ++b) {
          int32x4_t whole[R][4];
          block(tile.codes + (g * tile.inputs + b * block_inputs) * group_outputs,
                part.codes + b * block_inputs, tile.inputs, whole);
          const float* scales = tile.scales + (g * blocks + b) * group_outputs;
          for (std::size_t s = 0; s < 4; ++s) {
            const float32x4_t by = vld1q_f32(scales + 4 * s);
            for (std::size_t r = 0; r < R; ++r)
              sums[r][s] =
                  vaddq_f32(sums[r][s], vmulq_f32(vcvtq_f32_s32(whole[r][s]),
                                                  vmulq_n_f32(by, part.scales[r * blocks + b])));
          }
        }
      }
      for (std::size_t r = 0; r < R; ++r)
        for (std::size_t s = 0; s < 4; ++s) {
          const std::size_t at = g * group_outputs + 4 * s;
          vst1q_f32(tile.out + r * tile.outputs + at,
                    vaddq_f32(sums[r][s], vld1q_f32(tile.bias + at)));
        }
    }
  }

  // Four inputs of a row, 128 taken off, four times.
  HIPPO_INLINE static int8x16_t four_of(const std::uint8_t* from) {
    std::uint32_t bytes;
    std::memcpy(&bytes, from, sizeof bytes);
    return vreinterpretq_s8_u32(vdupq_n_u32(bytes ^ 0x80808080u));
  }

  template <std::size_t R>
  HIPPO_DOT static void block_dot(const std::int8_t* w, const std::uint8_t* a, std::size_t row,
                                  int32x4_t (&whole)[R][4]) {
    for (std::size_t r = 0; r < R; ++r)
      for (std::size_t s = 0; s < 4; ++s) whole[r][s] = vdupq_n_s32(0);
    for (std::size_t k = 0; k < block_inputs; k += 4, w += 4 * group_outputs)
      for (std::size_t r = 0; r < R; ++r) {
        const int8x16_t four = four_of(a + r * row + k);
        for (std::size_t s = 0; s < 4; ++s)
          whole[r][s] = vdotq_s32(whole[r][s], vld1q_s8(w + 16 * s), four);
      }
  }

  template <std::size_t R>
  static void row_dot(const Tile& tile) {
    row_arm<R>(tile, [](const std::int8_t* w, const std::uint8_t* a, std::size_t row,
                        int32x4_t(&whole)[R][4]) { block_dot<R>(w, a, row, whole); });
  }

  // Without sdot: pairs of products are added to 32 bits, two sums an output.
  template <std::size_t R>
  static void row_neon(const Tile& tile) {
    row_arm<R>(tile, [](const std::int8_t* w, const std::uint8_t* a, std::size_t row,
                        int32x4_t(&whole)[R][4]) HIPPO_INLINE {
      int32x4_t pairs[R][8];
      for (std::size_t r = 0; r < R; ++r)
        for (std::size_t s = 0; s < 8; ++s) pairs[r][s] = vdupq_n_s32(0);
      for (std::size_t k = 0; k < block_inputs; k += 4, w += 4 * group_outputs)
        for (std::size_t r = 0; r < R; ++r) {
          const int8x8_t four = vget_low_s8(four_of(a + r * row + k));
          for (std::size_t s = 0; s < 8; ++s)
            pairs[r][s] = vpadalq_s16(pairs[r][s], vmull_s8(vld1_s8(w + 8 * s), four));
        }
      for (std::size_t r = 0; r < R; ++r)
        for (std::size_t s = 0; s < 4; ++s)
          whole[r][s] = vpaddq_s32(pairs[r][2 * s], pairs[r][2 * s + 1]);
    });
  }
#endif

  std::size_t outputs_, inputs_, doubled_;
  std::vector<std::int8_t> codes_;
  std::vector<float> scales_;
  std::vector<std::int32_t> offsets_;  // minus 128 times the sum of a block
  std::vector<float> bias_;
};

}  // namespace hippo
