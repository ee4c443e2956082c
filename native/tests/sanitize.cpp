// Every kernel on buffers of exactly the size it was promised, on every path, for the sanitizers:
//
//   g++ -std=c++20 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
//       -Inative/include native/tests/sanitize.cpp -o build/sanitize && build/sanitize
//
// What the kernels answer is tested from Python; here the paths need only agree with one another.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "encoder.hpp"
#include "hippo/bm25.hpp"
#include "hippo/byte_pairs.hpp"
#include "hippo/folded.hpp"
#include "hippo/groups.hpp"
#include "hippo/hamming.hpp"
#include "hippo/pieces.hpp"
#include "hippo/random_index.hpp"
#include "hippo/rows8.hpp"
#include "hippo/scan.hpp"
#include "hippo/signs.hpp"
#include "hippo/simd.hpp"
#include "hippo/time_words.hpp"
#include "hippo/top_k.hpp"
#include "hippo/word_sets.hpp"
#include "hippo/word_table.hpp"
#include "wavelet.hpp"

namespace {

std::mt19937 random_bits{7};

template <class T, class Draw>
std::vector<T> draw_many(std::size_t n, Draw draw) {
  std::vector<T> out;
  out.reserve(n);  // exactly: what lies behind is poisoned
  for (std::size_t i = 0; i < n; ++i) out.push_back(static_cast<T>(draw()));
  return out;
}

std::vector<float> floats(std::size_t n) {
  std::normal_distribution<float> normal;
  return draw_many<float>(n, [&] { return normal(random_bits); });
}

std::vector<std::uint8_t> bytes(std::size_t n) {
  return draw_many<std::uint8_t>(n, [] { return random_bits(); });
}

void require(bool holds, const char* what) {
  if (holds) return;
  std::printf("the paths disagree: %s\n", what);
  std::exit(1);
}

// Compute on each path this processor has, and compare with the first.
template <class Compute>
void on_every_path(const char* what, Compute compute) {
  hippo::set_simd("scalar");
  const auto expected = compute();
  for (int path = 1; path <= static_cast<int>(hippo::best_simd()); ++path) {
    hippo::set_simd(hippo::name_of(static_cast<hippo::Simd>(path)));
    require(compute() == expected, what);
  }
}

void scans(std::size_t n, std::size_t width) {
  const auto codes = bytes(n * width);
  const auto queries = floats(3 * 8 * width);
  const hippo::SignQueries one{queries.data(), 1, width}, three{queries.data(), 3, width};
  std::vector<std::uint64_t> offsets{0};
  while (offsets.back() < n)
    offsets.push_back(std::min<std::uint64_t>(n, offsets.back() + random_bits() % 90));
  const auto same = [](std::size_t i) { return i; };
  on_every_path("scan_signs", [&] {
    std::vector<float> out(n);
    hippo::scan_signs(codes.data(), n, one, out.data());
    return out;
  });
  const std::size_t blocks = n / hippo::block_rows;
  on_every_path("scan_turned", [&] {
    std::vector<float> out(blocks * hippo::block_rows);
    hippo::scan_turned(codes.data(), blocks, one, out.data());
    return out;
  });
  on_every_path("max_sim", [&] {
    std::vector<float> out((offsets.size() - 1) * 3);
    hippo::max_sim(codes.data(), offsets.data(), offsets.size() - 1, same, three, out.data());
    return out;
  });
}

void rows(std::size_t n, std::size_t d) {
  const auto vectors = floats(n * d);
  std::vector<std::uint8_t> codes(n * d / 8);
  hippo::pack_signs(vectors.data(), n * d, codes.data());
  std::vector<std::int8_t> matrix(n * d);
  std::vector<float> scales(n), out(n);
  hippo::quantise_rows(vectors.data(), n, d, matrix.data(), scales.data());
  const auto chosen = draw_many<std::uint32_t>(n, [&] { return random_bits() % n; });
  const auto query = floats(d);
  on_every_path("dot_rows", [&] {
    hippo::dot_rows(matrix.data(), scales.data(), d, query.data(), chosen, out.data());
    return out;
  });
  const auto groups = draw_many<std::uint32_t>(n, [] { return random_bits() % 3; });
  std::vector<float> sums(3 * d);
  hippo::sum_rows(matrix.data(), scales.data(), d, chosen, groups, sums.data());
}

void ranks(std::size_t n) {
  const auto scores = floats(n);
  const auto mask = bytes(n);
  for (std::size_t k : {1, 10, 400})
    on_every_path("top_k", [&] { return hippo::top_k(scores.data(), mask.data(), n, k); });
  const auto codes =
      draw_many<std::int32_t>(n, [] { return static_cast<std::int32_t>(random_bits() % 9) - 1; });
  const auto found = hippo::distinct(codes);
  std::vector<std::int64_t> groups(n);
  std::vector<float> best(2 * (found.size() + 1));
  hippo::best_two(codes, scores.data(), found, groups.data(), best.data());
}

void words() {
  hippo::Bm25Index index;
  for (int batch = 0; batch < 40; ++batch) {
    std::vector<std::uint64_t> offsets{0};
    for (int i = 0; i < 50; ++i) offsets.push_back(offsets.back() + random_bits() % 40);
    const auto terms = draw_many<std::uint32_t>(
        offsets.back(), [] { return random_bits() % (1 + random_bits() % 3000); });
    index.extend(terms, offsets);
  }
  const auto query = draw_many<std::uint32_t>(9, [] { return random_bits() % 30; });
  const auto chosen = draw_many<std::uint32_t>(70, [&] { return random_bits() % index.size(); });
  const auto mask = bytes(index.size());
  std::vector<float> scores(index.size()), shares(chosen.size() * query.size());
  index.score(query, nullptr, mask.data(), {1.2f, 0.75f}, index.extent(), scores.data());
  index.contributions(query, chosen, {1.2f, 0.75f}, index.extent(), shares.data());
  index.holding(std::span(query).first(2), mask.data(), index.extent());
  const hippo::PackedBm25 packed = index.pack();
  hippo::Bm25Index again;
  again.unpack(packed.hashes, packed.frequencies, packed.postings, packed.lengths, packed.unheard);
  std::vector<float> same(index.size());
  again.score(query, nullptr, mask.data(), {1.2f, 0.75f}, again.extent(), same.data());
  if (same != scores) throw std::runtime_error("what was packed scores otherwise");
  const hippo::Bm25Extent first{7, 100};
  index.score(query, nullptr, mask.data(), {1.2f, 0.75f}, first, scores.data());
  index.holding(query, nullptr, first);
  for (const std::uint32_t document : chosen) index.unheard(document);
}

void balls(std::size_t n, std::size_t width) {
  const auto codes = bytes(n * width), code = bytes(width);
  for (std::size_t radius : {width, 4 * width, 8 * width})
    on_every_path("hamming_scan", [&] {
      return hippo::hamming_scan(codes.data(), n, width, code.data(), radius);
    });
}

template <class Signs>
void contexts(std::size_t n, std::size_t components, std::size_t window) {
  const auto ids = draw_many<std::uint64_t>(n, [] { return random_bits() % 50; });
  const std::vector<std::uint64_t> ends{0, n / 3, n / 3, n};
  for (std::size_t bits : {8, 64, 128}) {
    if (bits > components) continue;
    for (std::size_t nonzeros : {std::size_t{2}, components / 2 * 2}) {
      const hippo::RandomIndex how{components, nonzeros, window, bits, 1};
      how.check();
      std::vector<std::uint8_t> out(n * bits / 8);
      hippo::sign_contexts<Signs>(ids, ends, how, out.data());
    }
  }
}

void wavelets(std::size_t n) {
  const auto drawn = bytes(n);
  on_every_path("wavelet", [&] {
    wavelet_test::exercise(drawn.data(), n);
    return true;
  });
}

void encoders(std::size_t rows) {
  encoder_test::Drawn drawn;
  const hippo::Transformer model = encoder_test::model(drawn, 1);
  const std::vector<float> given = drawn(rows * encoder_test::width);
  on_every_path("encoder", [&] { return encoder_test::states(model, given); });
}

// Texts of n bytes drawn from those that mean something to a reader of words or of pieces.
void texts(std::size_t n) {
  const std::string some{"aZ09' \n/\r_\xC3\x97\xA9\xE2\x80\x99\x81\x82\x83\x84\x85\x87s"};
  const auto drawn = draw_many<std::uint8_t>(n, [&] { return some[random_bits() % some.size()]; });
  std::size_t all = 0;
  for (const std::uint32_t length : hippo::Pieces{drawn}.lengths()) {
    require(length > 0, "a piece is empty");
    all += length;
  }
  require(all == n, "pieces are not all of a text");
  const std::string text(drawn.begin(), drawn.end());
  hippo::WordTable table;
  for (const std::string& word : table.read(text).unknown) table.add(word, 5, 0);
  const auto read = table.read(text);
  require(read.unknown.empty(), "a word is forgotten");
  for (const std::uint32_t hash : read.hashes) require(hash == 5, "a word has another hash");
  require(table.telling(text).empty(), "a word says what it does not");
  table.add("s", 6, .5);
  hippo::WordSets sets;
  sets.add(std::vector<std::string>{"s", "zs", "sz"});
  const auto found = sets.read(text);
  require(found.count(0) <= found.size() && found.words(0).size() <= 3, "words come from nowhere");
  for (const std::uint32_t at : found.places(0)) require(at < n, "a word begins behind the text");

  hippo::TimeWords times{1, 2, 3};
  times.add("z", 4);
  const auto tokens = times.read(text, [&](std::size_t i, std::size_t at) {
    require(i <= at && at < text.size(), "what is asked is not of the text");
    return hippo::TimeWords::Told{5, random_bits() % 2 ? at + 1 : 0};
  });
  require(tokens.places.size() == 2 * tokens.parts.size(), "a token has no place");
  std::uint32_t last = 0;
  for (const std::uint32_t place : tokens.places) {
    require(place >= last && place <= text.size(), "tokens are not in order");
    last = place;
  }
}

// A table of n tokens of two letters, and of what chance writes instead of it.
void pairs(std::size_t n) {
  std::vector<std::string> tokens{"a", "b"};
  while (tokens.size() < n) {
    std::string token;
    for (std::size_t left = 2 + random_bits() % 6; left > 0; --left) token += "ab"[random_bits() % 2];
    tokens.push_back(token);
  }
  std::sort(tokens.begin(), tokens.end());
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  std::vector<std::uint8_t> shared, added, letters;
  std::vector<std::uint32_t> ids;
  std::string last;
  for (const std::string& token : tokens) {
    std::size_t same = 0;
    while (same < std::min(last.size(), token.size()) && last[same] == token[same]) ++same;
    shared.push_back(static_cast<std::uint8_t>(same));
    added.push_back(static_cast<std::uint8_t>(token.size() - same));
    letters.insert(letters.end(), token.begin() + static_cast<std::ptrdiff_t>(same), token.end());
    ids.push_back(static_cast<std::uint32_t>(ids.size()));
    last = token;
  }
  letters.shrink_to_fit();
  const std::vector<std::uint8_t> plain(ids.size());
  const hippo::BytePairs vocabulary{shared, added, plain, ids, letters};
  std::string text;
  std::vector<std::uint32_t> lengths;
  for (int piece = 0; piece < 20; ++piece) {
    lengths.push_back(random_bits() % 30);
    for (std::uint32_t left = lengths.back(); left > 0; --left) text += "ab"[random_bits() % 2];
  }
  require(vocabulary.join(vocabulary.split(text, lengths)) == text, "tokens and text");
  for (int i = 0; i < 50; ++i) {
    auto broken = std::array{shared, added, plain};
    auto& column = broken[random_bits() % 3];
    column[random_bits() % column.size()] = static_cast<std::uint8_t>(random_bits());
    try {
      const hippo::BytePairs other{broken[0], broken[1], broken[2], ids, letters};
      other.join(ids);
      other.split("abba", std::vector<std::uint32_t>{4});
    } catch (const std::invalid_argument&) {
    }
  }
}

// Lines as they were folded, and columns that fit no lines.
void lines(std::size_t n) {
  std::string text, added, last;
  std::vector<std::uint8_t> shared;
  for (std::size_t i = 0; i < n; ++i) {
    std::string line = last.substr(0, last.empty() ? 0 : random_bits() % (last.size() + 1));
    shared.push_back(static_cast<std::uint8_t>(line.size()));
    std::string more(random_bits() % 12, 'a');
    for (char& letter : more) letter = static_cast<char>('a' + random_bits() % 3);
    line += more;
    added += (i ? "\n" : "") + more;
    text += (i ? "\n" : "") + line;
    last = line;
  }
  const auto unfolded = [&](const std::vector<std::uint8_t>& by) {
    const hippo::Folded folded{by, added};
    std::vector<char> room(folded.room());
    std::vector<std::int32_t> starts(by.size());
    folded.unfold(room.data(), starts.data());
    return std::string{room.data(), folded.size()};
  };
  require(unfolded(shared) == text, "lines");
  for (int i = 0; i < 50 && n > 0; ++i) {
    std::vector<std::uint8_t> broken = shared;
    broken[random_bits() % n] = static_cast<std::uint8_t>(random_bits());
    if (random_bits() % 4 == 0) broken.resize(random_bits() % (2 * n));
    try {
      unfolded(broken);
    } catch (const std::invalid_argument&) {
    }
  }
}

}  // namespace

// What the processor says of itself is what the compiler's library says of it.
void known() {
#if HIPPO_X86
  __builtin_cpu_init();
  const hippo::Processor& has = hippo::processor();
  require(has.popcnt == (__builtin_cpu_supports("popcnt") != 0), "popcnt");
  require(has.bmi2 == (__builtin_cpu_supports("bmi2") != 0), "bmi2");
  require(has.avx2 == (__builtin_cpu_supports("avx2") != 0), "avx2");
  require(has.fma == (__builtin_cpu_supports("fma") != 0), "fma");
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  require(has.avx512 == wide, "avx512");
  require(has.vnni == (wide && __builtin_cpu_supports("avx512vnni")), "avx512vnni");
  require(has.vpopcntdq == (wide && __builtin_cpu_supports("avx512vpopcntdq")), "vpopcntdq");
#endif
}

int main() {
  known();
  for (std::size_t rows : {4, 7, 33, 50}) encoders(rows);
  for (std::size_t n : {0, 1, 63, 64, 127, 128, 129, 511})
    for (std::size_t width : {1, 7, 16, 17, 32, 48, 512}) scans(n, width);
  for (std::size_t n : {1, 5, 64})
    for (std::size_t d : {8, 16, 24, 384}) rows(n, d);
  for (std::size_t n : {0, 1, 63, 64, 65, 5000}) ranks(n);
  words();
  for (std::size_t n : {2, 3, 40, 300}) pairs(n);
  for (std::size_t n : {0, 1, 2, 40, 300}) lines(n);
  for (std::size_t n : {0, 1, 2, 3, 9, 100, 3000})
    for (int i = 0; i < 20; ++i) texts(n);
  for (std::size_t n : {0, 1, 7, 8, 9, 100})
    for (std::size_t width : {1, 2, 3, 4, 8, 9, 16}) balls(n, width);
  for (std::size_t n : {0, 1, 5, 70})
    for (std::size_t components : {8, 65, 200})
      for (std::size_t window : {0, 1, 4, 127}) {
        contexts<hippo::TopSigns>(n, components, window);
        contexts<hippo::PlaneSigns>(n, components, window);
      }
  for (std::size_t n : {0, 1, 40, 500, 20000})
    for (int i = 0; i < 5; ++i) wavelets(n);
  for (const auto& symbols : std::vector<std::vector<std::uint64_t>>{
           {}, {7}, {7, 7}, {0, 511}, {3, 3, 3, 3, 2, 2, 1, 0}, {5, 1, 7, 1, 0, 6, 5, 5, 1, 5, 300}})
    wavelet_test::alter_huffman(symbols, 9);
  std::puts("the native kernels are clean");
}
