"""What an occurrence is, and that ids are never read otherwise than the texts they stand for."""

import re
import sys
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.encode import token_matcher, tokens
from hippocampus.encode.terms import UNSPACED
from hippocampus.encode.token_matcher import LONGEST, TokenPattern
from hippocampus.errors import InvalidText
from hippocampus.journal.content import Segment

# Words in every case, in several scripts; characters that fold to two, to plain letters or into a
# mark; capitals and pictures that the vocabulary cuts; and what may stand between them or not.
WORDS = (
    "lisbon Lisbon LISBON liSbon bon on On ON s S ſ ß ẞ ss SS straße STRASSE ﬁsh fish Fish ﬆ st"
    " K k K2 kelvin i I İ i̇ ı j ǰ ŉ art don't Don’t it's O'Brien naïve NAÏVE cafe cafe\u0301 café"
    " Řeka řeka ŘEKA Žižka ΣΊΣΥΦΟΣ Σίσυφος σίσυφος Москва МОСКВА на На ᏣᎳᎩ ꮳꮃꭹ 𐐔𐐯𐑅 𐐼𐐯𐑅 東京 京 ต้น"
    " 서울 서울에서 打麻将 麻将 哈哈 哈哈哈"
    " 💥 💥💥 👩‍🚀 C++ c++ :) ... 42 1234567 _id id x_y"
).split()
GLUE = ["", " ", "  ", "\n", "\t", "'", "’", "-", "_", ".", ", ", '"', "(", "1", "é", "\u0301", "·"]
text = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(GLUE)), max_size=8).map(
    lambda pairs: "".join(word + glue for word, glue in pairs)
)
term = st.one_of(st.sampled_from(WORDS), text.filter(str.strip))


UNPARTED = re.compile(f"[{UNSPACED}\u1100-\u11ff\uac00-\ud7a3]")


def is_word(character):
    return (character.isalnum() or character == "_") and not UNPARTED.match(character)


def occurrences(term, text):
    """Count with nothing but ``str.find``: the definition, as one would tell it."""
    term, text = term.strip().casefold(), text.casefold()
    times, at = 0, text.find(term)
    while at >= 0:
        stop = at + len(term)
        before = at > 0 and is_word(text[at - 1]) and is_word(term[0])
        after = stop < len(text) and is_word(text[stop]) and is_word(term[-1])
        times += not (before or after)
        at = text.find(term, at + 1 if before or after else stop)
    return times


def counted(term, texts, allowed=None):
    wanted = TokenPattern(term)
    segment = Segment.of(5, [np.array(tokens.encode(text), np.uint64) for text in texts])
    allowed = np.ones(len(texts), np.bool_) if allowed is None else allowed
    found, doubtful = segment.candidates([wanted], allowed)
    rows = found.tolist()
    assert sorted(set(rows)) == rows
    assert all(wanted.count(texts[row - 5]) for row in found[~doubtful].tolist())
    found = {row - 5: wanted.count(texts[row - 5]) for row in rows}
    if wanted.alone:  # the ids say the same by themselves, where they say that they do
        times, unsure = segment.count(wanted, allowed)
        told = {row: n for row, n in enumerate(times.tolist()) if not unsure[row]}
        assert told == {row: found.get(row, 0) for row in told}
    return {row: times for row, times in found.items() if times}


@given(term, st.lists(text, min_size=1, max_size=6))
def test_every_occurrence_is_found_without_any_made_up(term, texts):
    expected = {row: times for row, text in enumerate(texts) if (times := occurrences(term, text))}

    assert expected == counted(term, texts)


@given(st.text(min_size=1, max_size=4).filter(str.strip), st.text(max_size=3), st.text(max_size=3))
def test_any_text_at_all_is_found_in_what_holds_it(term, before, after):
    try:
        tokens.encode(before + term + after)
    except InvalidText:
        return
    texts = [before + term + after, term, before, after + term]
    expected = {row: times for row, text in enumerate(texts) if (times := occurrences(term, text))}

    assert expected == counted(term, texts)


@pytest.mark.parametrize("term", [word for word in WORDS if word.strip()])
def test_each_word_is_found_beside_anything(term):
    texts = [a + word + b for word in WORDS for a, b in zip(GLUE, GLUE[::-1], strict=True)]
    expected = {row: times for row, text in enumerate(texts) if (times := occurrences(term, text))}

    assert expected == counted(term, texts)


@given(st.data())
def test_rows_that_are_not_allowed_are_not_looked_at(data):
    texts = ["Lisbon", "in Lisbon", "no", "LISBON!", ""]
    allowed = np.array([data.draw(st.booleans()) for _ in texts])

    assert {row for row in (0, 1, 3) if allowed[row]} == counted("lisbon", texts, allowed).keys()


@given(st.lists(term, min_size=1, max_size=3), st.lists(text, min_size=1, max_size=6))
def test_no_text_that_has_all_of_several_terms_is_missed(terms, texts):
    segment = Segment.of(5, [np.array(tokens.encode(text), np.uint64) for text in texts])
    every = np.ones(len(texts), np.bool_)
    found, unsure = segment.candidates([TokenPattern(one) for one in terms], every)
    rows = found.tolist()
    expected = {
        row for row, text in enumerate(texts, 5) if all(occurrences(one, text) for one in terms)
    }

    assert sorted(set(rows)) == rows
    assert expected <= set(rows)
    assert set(found[~unsure].tolist()) <= expected


def test_the_common_is_looked_for_after_the_rarest_only_where_reading_costs_more():
    texts = ["the tram and the boat"] * 300 + ["a quokka", "the quokka", *["tram"] * 300]
    segment = Segment.of(0, [np.array(tokens.encode(text), np.uint64) for text in texts])
    every = np.ones(len(texts), np.bool_)

    def found(*terms):
        return segment.candidates([TokenPattern(term) for term in terms], every)[0].tolist()

    assert [300, 301] == found("the", "quokka")
    assert [*range(300)] == found("the", "tram")


def test_words_in_plain_text_are_counted_by_their_ids_alone():
    texts = ["The art of it.", "an ART, the art's", "start", "art", "Kunst (art); naïve art ☕"]
    segment = Segment.of(0, [np.array(tokens.encode(text), np.uint64) for text in texts])
    times, unsure = segment.count(TokenPattern("art"), np.ones(len(texts), np.bool_))
    assert times.tolist() == [1, 2, 0, 1, 2]
    assert not unsure.any()


def test_few_texts_without_the_word_are_decoded():
    others = ["The lis bon mots of bonnie Lisbonne, lisbons and Lisbon2.", "L. is Bon Jovi on?"]
    segment = Segment.of(0, [np.array(tokens.encode(text), np.uint64) for text in others])

    found, _ = segment.candidates([TokenPattern("Lisbon")], np.ones(2, np.bool_))
    assert not len(found)


@pytest.mark.parametrize("text", ["", " \n", None, 7, "x" * (LONGEST + 1), "\ud800"])
def test_what_cannot_be_counted_is_refused_with_the_reason(text):
    with pytest.raises(InvalidText, match=r"term=|surrogate"):
        TokenPattern(text)


def test_the_longest_phrase_is_counted():
    longest = ("Straße " * LONGEST)[:LONGEST].strip()

    assert {0: 1} == counted(longest, [longest.upper()])


def test_all_characters_that_folding_changes_are_known():
    changed = {c for c in map(chr, range(0x80, sys.maxunicode + 1)) if c.casefold() != c}

    assert changed == {c for many in token_matcher._folds_to().values() for c in many}


def test_the_vocabulary_has_every_id_of_a_text():
    raw = tokens.vocabulary()
    said = "".join(WORDS) + "<|endoftext|>" + "".join(map(chr, range(0x3000)))

    assert said.encode() == b"".join(raw[id_] for id_ in tokens.encode(said))
    assert len(raw) <= 1 << tokens.BITS


@pytest.mark.slow
def test_threads_that_count_for_the_first_time_at_once_fold_the_vocabulary_once():
    token_matcher._fold_vocabulary.cache_clear()
    begin = threading.Barrier(4)

    def first():
        begin.wait(10)
        TokenPattern("Lisbon")

    threads = [threading.Thread(target=first) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 1 == token_matcher._fold_vocabulary.cache_info().misses


@pytest.mark.parametrize(
    ("term", "text", "times"),
    [
        ("麻将", "昨天跟李强打麻将,又打麻将了", 2),
        ("哈哈", "哈哈哈", 1),
        ("서울", "서울에서 만났다", 1),
        ("東京", "東京駅で会う", 1),
        ("abc", "我用abc写", 1),
        ("art", "the artist", 0),
    ],
)
def test_a_word_is_found_where_nothing_parts_words(term, text, times):
    assert counted(term, [text]) == ({0: times} if times else {})
