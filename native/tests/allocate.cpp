// Every allocation of the kernels fails once, the n-th for every n until a run meets none: nothing
// leaks or is freed twice, which the sanitizers see; what was there before answers as before; and
// what was being changed says that it cannot be gone on with.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <random>
#include <string>
#include <system_error>
#include <vector>

#include "encoder.hpp"
#include "hippo/bm25.hpp"
#include "hippo/byte_pairs.hpp"
#include "hippo/deadline.hpp"
#include "hippo/dynamic_wavelet.hpp"
#include "hippo/folded.hpp"
#include "hippo/groups.hpp"
#include "hippo/hamming.hpp"
#include "hippo/huffman_wavelet.hpp"
#include "hippo/mapped.hpp"
#include "hippo/merging.hpp"
#include "hippo/partition.hpp"
#include "hippo/pieces.hpp"
#include "hippo/random_index.hpp"
#include "hippo/rows8.hpp"
#include "hippo/scan.hpp"
#include "hippo/sealed_wavelet.hpp"
#include "hippo/signs.hpp"
#include "hippo/sorting.hpp"
#include "hippo/time_words.hpp"
#include "hippo/top_k.hpp"
#include "hippo/word_sets.hpp"
#include "hippo/word_table.hpp"

namespace {

std::size_t left = 0;  // allocations until one fails; 0: none does

void* room_for(std::size_t bytes) {
  if (left > 0 && --left == 0) throw std::bad_alloc{};
  void* room = std::malloc(bytes > 0 ? bytes : 1);
  if (room == nullptr) throw std::bad_alloc{};
  return room;
}

}  // namespace

void* operator new(std::size_t bytes) { return room_for(bytes); }
void* operator new[](std::size_t bytes) { return room_for(bytes); }
void operator delete(void* room) noexcept { std::free(room); }
void operator delete[](void* room) noexcept { std::free(room); }
void operator delete(void* room, std::size_t) noexcept { std::free(room); }
void operator delete[](void* room, std::size_t) noexcept { std::free(room); }

namespace {

using hippo::Word;

std::mt19937 random_bits{11};
std::size_t failed = 0;

void require(bool holds, const char* what) {
  if (holds) return;
  std::printf("after an allocation that failed: %s\n", what);
  std::exit(1);
}

// Run something with its n-th allocation failing; whether there were so many.
template <class Run>
bool fails_at(std::size_t n, Run run) {
  left = n;
  try {
    run();
  } catch (const std::bad_alloc&) {
    left = 0;
    ++failed;
    return true;
  }
  const bool met = left == 0;
  left = 0;
  require(!met, "it was hidden from the caller");
  return false;
}

template <class Run>
void at_every_allocation(Run run) {
  for (std::size_t n = 1; fails_at(n, run);) ++n;
}

template <class Refused>
void require_refused(Refused refused, const char* what) {
  try {
    refused();
  } catch (const std::runtime_error&) {
    return;
  }
  require(false, what);
}

std::vector<Word> words(std::size_t n, Word most) {
  std::vector<Word> drawn(n);
  for (Word& word : drawn) word = random_bits() % most;
  return drawn;
}

struct Documents {
  std::vector<std::uint32_t> terms;
  std::vector<std::uint64_t> offsets{0};

  explicit Documents(std::size_t n, std::size_t vocabulary) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = random_bits() % 30; j > 0; --j)
        terms.push_back(static_cast<std::uint32_t>(random_bits() % vocabulary));
      offsets.push_back(terms.size());
    }
  }
};

void inverted_index() {
  const Documents before{200, 90}, after{120, 4000};  // many new terms: the table grows
  const std::vector<std::uint32_t> asked{0, 3, 5, 17, 80};
  const auto answer = [&](const hippo::Bm25Index& index, hippo::Bm25Extent within) {
    std::vector<float> out(within.documents);
    index.score(asked, nullptr, nullptr, {0.9f, 0.4f}, within, out.data());
    return out;
  };
  for (std::size_t n = 1, met = true; met; ++n) {
    hippo::Bm25Index index;
    index.extend(before.terms, before.offsets);
    const hippo::Bm25Extent extent = index.extent();
    const std::vector<float> expected = answer(index, extent);
    met = fails_at(n, [&] { index.extend(after.terms, after.offsets); });
    require(answer(index, extent) == expected, "an earlier extent scores otherwise");
    if (met)
      require_refused([&] { index.extend(after.terms, after.offsets); },
                      "an index that is not whole was appended to");
  }
}

void growing_matrix(std::size_t size, std::size_t added) {
  const auto first = words(size, 512), more = words(added, 512);
  for (std::size_t n = 1, met = true; met; ++n) {
    hippo::DynamicWavelet matrix{9};
    matrix.extend(first.data(), first.size());
    met = fails_at(n, [&] { matrix.extend(more.data(), more.size()); });
    if (!met) continue;
    require_refused([&] { matrix.check(); }, "a matrix that is not whole was asked");
    require_refused([&] { matrix.extend(more.data(), more.size()); },
                    "a matrix that is not whole was appended to");
  }
}

void what_is_built_at_once() {
  const auto symbols = words(3000, 300);
  at_every_allocation([&] {
    const auto sealed = hippo::SealedWavelet::build(symbols.data(), symbols.size(), 9);
    const auto again = hippo::SealedWavelet::load(sealed.data(), sealed.length());
    again.top_k({0, 3000}, 20);
    again.ball(hippo::Symbol{{5, 0}}, 2);
  });
  at_every_allocation([&] {
    const auto coded = hippo::HuffmanWavelet::build(symbols.data(), symbols.size(), 9);
    const auto again = hippo::HuffmanWavelet::load(coded.data(), coded.length());
    again.top_k({0, 3000}, 20);
  });
}

void what_keeps_nothing() {
  std::vector<std::uint8_t> codes(4000 * 8);
  for (auto& code : codes) code = static_cast<std::uint8_t>(random_bits());
  std::vector<float> scores(4000), queries(3 * 64), out(4000 * 3);
  for (float& score : scores) score = static_cast<float>(random_bits());
  for (float& value : queries) value = static_cast<float>(random_bits() % 9) - 4;
  const std::vector<std::uint64_t> offsets{0, 1000, 1000, 4000}, ends{0, 700, 900};
  const auto ids = words(900, 60);
  at_every_allocation([&] { hippo::top_k(scores.data(), nullptr, scores.size(), 50); });
  at_every_allocation([&] { hippo::hamming_scan(codes.data(), 4000, 8, codes.data(), 30); });
  at_every_allocation([&] {
    const hippo::SignQueries three{queries.data(), 3, 8};
    const auto same = [](std::size_t i) { return i; };
    hippo::max_sim(codes.data(), offsets.data(), 3, same, three, out.data());
  });
  at_every_allocation([&] {
    const hippo::RandomIndex how{128, 8, 4, 64, 1};
    std::vector<std::uint8_t> signs(ids.size() * 8);
    hippo::sign_contexts<hippo::TopSigns>(ids, ends, how, signs.data());
    hippo::sign_contexts<hippo::PlaneSigns>(ids, ends, how, signs.data());
  });
}

void byte_pairs() {
  // "a" to "z", then "ab", "abc" and "zz": each shares so many bytes with the one before it.
  std::vector<std::uint8_t> shared, added, bytes;
  std::vector<std::uint32_t> ids;
  const auto add = [&](std::size_t same, const char* more) {
    const std::string text{more};
    shared.push_back(static_cast<std::uint8_t>(same));
    added.push_back(static_cast<std::uint8_t>(text.size()));
    bytes.insert(bytes.end(), text.begin(), text.end());
    ids.push_back(static_cast<std::uint32_t>(ids.size()));
  };
  add(0, "a");
  add(1, "b");
  add(2, "c");
  for (char letter = 'b'; letter <= 'z'; ++letter) add(0, std::string(1, letter).c_str());
  add(1, "z");
  const std::vector<std::uint8_t> forms(ids.size());
  at_every_allocation([&] { hippo::BytePairs{shared, added, forms, ids, bytes}; });
  const hippo::BytePairs pairs{shared, added, forms, ids, bytes};
  std::string text;
  std::vector<std::uint32_t> lengths;
  for (std::uint32_t piece = 1; piece < 40; ++piece) {  // whole tokens, and longer and longer ones
    for (std::uint32_t i = 0; i < piece; ++i) text += "abcxyzz"[random_bits() % 7];
    lengths.push_back(piece);
  }
  const auto tokens = pairs.split(text, lengths);
  require(pairs.join(tokens) == text, "byte pairs are not those of the text");
  at_every_allocation([&] {
    require(pairs.split(text, lengths) == tokens, "a text is split otherwise");
    require(pairs.join(tokens) == text, "tokens are joined otherwise");
  });
}

// Only what is wrong with them takes room: the words that say it.
void folded_lines() {
  const std::vector<std::uint8_t> shared{0, 200};
  std::vector<char> room(300);
  std::vector<std::int32_t> starts(shared.size());
  at_every_allocation([&] {
    try {
      hippo::Folded{shared, "one\ntwo"}.unfold(room.data(), starts.data());
    } catch (const std::invalid_argument&) {
      return;
    }
    require(false, "a line shares more than its predecessor has");
  });
}

void words_of_texts() {
  const std::string text{"Ada's brother d\xC3\xA9j\xC3\xA0 moved to Porto, and Ada didn\xE2\x80\x99t."};
  const std::vector<std::uint8_t> shapes(text.begin(), text.end());
  at_every_allocation([&] { hippo::Pieces{shapes}.lengths(); });
  hippo::WordTable table;
  // More words than there is room for at first, and each add either is done or has done nothing.
  for (std::uint32_t i = 0; i < 700; ++i) {
    const std::string word = "word" + std::to_string(i);
    for (std::size_t k = 1, met = true; met; ++k) {
      const std::size_t before = table.size();
      met = fails_at(k, [&] { table.add(word, i + 1, .5); });
      require(table.size() == before + (met ? 0 : 1), "a word is known by halves");
    }
  }
  const auto expected = table.read("Word3 WORD699 word3 text").hashes;
  require(expected == std::vector<std::uint32_t>{4, 700, 4, 0}, "a word has another hash");
  at_every_allocation([&] {
    require(table.read("Word3 WORD699 word3 text").hashes == expected, "a text is read otherwise");
  });
  at_every_allocation([&] {
    require(table.telling("Word3 WORD699 word3 text").at("word3") == 2, "a word is told twice");
  });

  const auto all = [](std::size_t, std::size_t at) { return hippo::TimeWords::Told{9, at + 1}; };
  hippo::TimeWords times{1, 2, 3};
  for (const char* word : {"monday", "a word that is not short any more"})
    at_every_allocation([&] { times.add(word, 4); });
  const auto tokens = times.read(text + " Monday 12!", all);
  require(tokens.parts.ends_with("\4\3\2"), "a token has another part");
  at_every_allocation([&] {
    require(times.read(text + " Monday 12!", all).places == tokens.places, "other tokens are read");
  });
}

void sets_of_words() {
  const std::string text{"Word3 d\xC3\xA9j\xC3\xA0 WORD, and word\xE2\x80\x94" "deja 7"};
  std::vector<std::string> words{"word", "d\xC3\xA9j\xC3\xA0"};
  for (std::size_t i = 0; i < 600; ++i)
    words.push_back({static_cast<char>('a' + i % 26), static_cast<char>('a' + i / 26)});
  for (std::size_t k = 1, met = true; met; ++k) {
    hippo::WordSets sets;
    met = fails_at(k, [&] { sets.add(words); });
    require(sets.size() == (met ? 0 : 1), "a set is there by halves");
    if (!met) break;
    const std::vector<std::string> other{"and"};
    sets.add(other);
    require(sets.read(text).places(0).size() == 1, "a set has words of one that is not there");
  }
  hippo::WordSets sets;
  sets.add(words);
  at_every_allocation([&] {
    const auto found = sets.read(text);
    require(found.places(0) == std::vector<std::uint32_t>{0, 6, 11, 21}, "words are elsewhere");
    require(found.words(0).size() == 2, "other words are found");
  });
}

void groups_of_rows() {
  std::vector<std::int32_t> codes(2000);
  for (auto& code : codes) code = static_cast<std::int32_t>(random_bits() % 90) - 1;
  const auto expected = hippo::distinct(codes);
  at_every_allocation(
      [&] { require(hippo::distinct(codes) == expected, "other codes are found"); });

  std::vector<std::uint32_t> keys(300), order(300), same(300);
  for (auto& key : keys) key = static_cast<std::uint32_t>(random_bits());
  hippo::stable_order(keys, order.data());
  at_every_allocation([&] {
    hippo::stable_order(keys, same.data());
    require(same == order, "keys are in another order");
  });

  const std::size_t n = 60, d = 16;
  std::vector<float> rows(n * d);
  for (float& value : rows) value = static_cast<float>(random_bits() % 200) / 100 - 1;
  std::vector<std::uint32_t> merged(n), again(n);
  hippo::Merging{rows.data(), n, d}.run(7, merged.data());
  at_every_allocation([&] { hippo::Merging{rows.data(), n, d}; });
  for (std::size_t k = 1, met = true; met; ++k) {
    hippo::Merging merging{rows.data(), n, d};
    met = fails_at(k, [&] { merging.run(7, again.data()); });
    if (met) merging.run(7, again.data());
    require(again == merged, "rows are merged otherwise the second time");
  }
}

void rounded_rows() {
  const std::size_t n = 50, d = 64;
  std::vector<float> rows(n * d), scales(n), expected(n), out(n);
  for (float& value : rows) value = static_cast<float>(random_bits() % 200) / 100 - 1;
  std::vector<std::int8_t> codes(n * d);
  std::vector<std::uint32_t> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<std::uint32_t>(i);
  hippo::quantise_rows(rows.data(), n, d, codes.data(), scales.data());
  const auto dot = [&](std::vector<float>& to) {
    hippo::dot_rows(codes.data(), scales.data(), d, rows.data(), all, to.data());
  };
  dot(expected);
  at_every_allocation([&] {
    dot(out);
    require(out == expected, "rows have other products");
  });
  at_every_allocation([&] {
    const hippo::SignQueries queries{rows.data(), n, d / 8};
    require(queries.count() == n, "queries are missing");
  });
}

template <std::size_t Wide>
void parted_symbols() {
  const std::size_t n = 700;
  std::vector<Word> drawn(n * Wide), bits(n / 64 + 1);
  for (Word& word : drawn) word = random_bits();
  at_every_allocation([&] { hippo::items_of<Wide>(drawn.data(), n); });
  const auto before = hippo::items_of<Wide>(drawn.data(), n);
  hippo::pack_place(before, 3, bits.data());
  for (std::size_t k = 1, met = true; met; ++k) {
    auto items = before;
    std::vector<hippo::Item<Wide>> room;
    met = fails_at(k, [&] { hippo::part(items, room, bits.data()); });
    require(!met || items == before, "symbols were moved, and not all of them");
  }
}

void mapped_files() {
#if HIPPO_MAPS
  // A descriptor that is none: the error itself takes memory, and no map stays guarded.
  at_every_allocation([&] {
    try {
      const hippo::MappedRoom room{-1, 0, 4096, 8192};
      require(false, "nothing was mapped");
    } catch (const std::system_error&) {
    }
  });
  require(hippo::guard::used.load() == 0, "a map that was not made is guarded");
  at_every_allocation([&] {
    const hippo::MappedRoom room{-1, 0, 0, 8192};
    require(room.data()[8191] == std::byte{0}, "room is not empty");
  });
#endif
}

void encoder() {
  encoder_test::Drawn drawn;
  at_every_allocation([&] { encoder_test::model(drawn, 1); });
  const hippo::Transformer model = encoder_test::model(drawn, 1);
  const std::vector<float> rows = drawn(9 * encoder_test::width);
  at_every_allocation([&] { encoder_test::states(model, rows); });
}

}  // namespace

int main() {
  encoder();
  inverted_index();
  growing_matrix(0, 5000);
  growing_matrix(3000, 900);   // written anew
  growing_matrix(90000, 40);   // inserted one by one
  growing_matrix(130000, 80);  // where leaves and nodes are split
  what_is_built_at_once();
  what_keeps_nothing();
  byte_pairs();
  folded_lines();
  words_of_texts();
  sets_of_words();
  groups_of_rows();
  rounded_rows();
  parted_symbols<1>();
  parted_symbols<2>();
  mapped_files();
  std::printf("%zu allocations failed, and nothing with them\n", failed);
}
