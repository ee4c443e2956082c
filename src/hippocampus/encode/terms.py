"""
Words as the lexical cue sees them: case-folded, stemmed, hashed to 32 bits.

A word is stemmed in the language of its text. Of English, and of a text whose language nobody can
tell, the stem is hashed; of other languages the stem with a mark: so "Termine" in German meets
"Termin", and "pasta" in Italian not "past". A question is
asked in every form that its words may have been kept in (``Term.forms``), of which a bank knows
few. In scripts without spaces, and in Korean, pairs of characters count.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.word_lists import word_list, word_set
from hippocampus.encode.languages import (
    ENGLISH,
    ROUNDED,
    bare,
    detect,
    has_stemmer,
    is_grammar,
    is_grammar_of_english,
    is_mostly_english,
    is_plain_english,
    language_by_script,
    languages_of,
    latin_languages,
    leanings,
    light_words,
    script_of,
    stem_in,
    stop_words,
)
from hippocampus.kernel import WordTable

# Chinese and Japanese, whose characters count one by one and in pairs; and scripts of the
# south-east of Asia, in which a letter is written with the marks of its vowel and tone.
_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_CLUSTERS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_HANGUL = "\uac00-\ud7a3"
UNSPACED = _CLUSTERS + _IDEOGRAPHS
UNSPACED_ONE = lazy_pattern(f"[{UNSPACED}]")
_SOME_UNSPACED = lazy_pattern(f"[{UNSPACED}{_HANGUL}]")
_ONE_IDEOGRAPH = lazy_pattern(f"[{_IDEOGRAPHS}]")
_PLAIN_WORD = lazy_pattern(r"[^\W_]+(?:['’][^\W_]+)?")
_FOLDED_ASCII = lazy_pattern(r"[a-z0-9]+(?:'[a-z0-9]+)?")
"""The same in what is folded and all ASCII, in two thirds of the time."""
_SOUND = lazy_pattern(f"(?:[\u3040-\u30ff]|[{_CLUSTERS}][\u0e31-\u0e4e\u0eb1-\u0ece]*)$")
"""A sound by itself, which means nothing where its neighbours are there, as an ideograph does."""
_TYPOGRAPHY = frozenset("‐‑‒–—―‘’‚“”„†‡•…‰′″‹›€™←↑→↓")
_PICTURES = ("\U0001f300", "\U0001fb00")
_SIGNS = "\u00a0-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf"
_NO_LATIN = lazy_pattern(
    rf"[^\x00-\x7f\u00c0-\u024f{_SIGNS}{''.join(sorted(_TYPOGRAPHY))}\U0001f300-\U0001faff]"
)
"""Other letters than those of ``WordTable.read``, or what may be part of one."""
_MARKED = "\x01"
"""Before the stem of another language than English; in no word."""

_CONTRACTED = frozenset({"d", "ll", "m", "re", "s", "ve"})

_HASHED: dict[str, int] = {}
_HASHED_IN: dict[tuple[str, str], int] = {}
_HASHED_LIMIT = 1 << 18
"""Words whose hashes are remembered, more than anybody's bank has in use: tens of megabytes at
most."""
_WORDS = [WordTable()]
"""The one table of words in Latin letters, with their hashes as English ones.

A full one is left to whoever reads in it; no word is ever taken out of one."""
_QUESTION = 1000
"""Characters of a text up to which it may be a question, which several readers look at in turn."""


class Term(NamedTuple):
    """
    One word of a question: where it stands, and its hash. ``function``: grammar, not content.

    ``forms``: other hashes that texts may have the same word under, the likeliest first.
    """

    start: int
    end: int
    hash: int
    function: bool
    forms: tuple[int, ...] = ()


def is_plain(text: str) -> bool:
    """
    Return whether all of a text is in letters of Latin without marks of their own, and signs.

    Most texts are; what other scripts need is then neither looked for, nor made ready.
    """
    return text.isascii() or all(
        char < "\u0300" or char in _TYPOGRAPHY or _PICTURES[0] <= char < _PICTURES[1]
        for char in set(text)
    )


@cache
def _word() -> re.Pattern[str]:
    """Return the pattern of words: runs of letters, digits and their marks, or one character."""
    reach = (range(0x300, 0x1E00), range(0x20D0, 0x2100), range(0xA66F, 0xAC00))
    marks = "".join(
        chr(code)
        for codes in (*reach, range(0xFB1E, 0xFB1F), range(0xFE20, 0xFE30))
        for code in codes
        if unicodedata.category(chr(code)) in {"Mn", "Mc"} and not UNSPACED_ONE.match(chr(code))
    )
    below = "".join(
        chr(code)
        for code in (*range(0xE00, 0xF00), *range(0x1000, 0x10A0), *range(0x1780, 0x1800))
        if unicodedata.category(chr(code)) in {"Mn", "Mc"}
    )
    letter = rf"(?:[^\W_{UNSPACED}][{marks}\u200c\u200d]*)"
    return re.compile(
        rf"[{_IDEOGRAPHS}]|(?![{below}])[{_CLUSTERS}][{below}]*"
        rf"|{letter}+(?:['’]{letter}+)?"
    )


def stem(word: str) -> str:
    """Return the English stem of a word in lower case: what all its inflections have in common."""
    return stem_in(word, ENGLISH)


def _fold(text: str) -> str:
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def _find(folded: str) -> list[str]:
    if folded.isascii():
        return _FOLDED_ASCII.findall(folded)
    return (_PLAIN_WORD if is_plain(folded) else _word()).findall(folded)


def _hash(word: str) -> int:
    known = _HASHED.get(word)
    if known is None:
        first = word.partition("'")[0] or word
        first = first.partition("’")[0] or first
        known = _digest(stem(first))
        if len(_HASHED) >= _HASHED_LIMIT:  # what is in use is soon there again
            _HASHED.clear()
        _HASHED[word] = known
    return known


def _hash_in(word: str, language: str) -> int:
    """Return the hash of a word of another language than English."""
    known = _HASHED_IN.get((word, language))
    if known is None:
        longest = max(re.split("['’]", word), key=len)  # "l'appartement", "Ankara'da"
        stemmed = bare(stem_in(longest, language))
        known = _digest(_MARKED + stemmed) if has_stemmer(language) else _hash(word)
        if len(_HASHED_IN) >= _HASHED_LIMIT:
            _HASHED_IN.clear()
        _HASHED_IN[word, language] = known
    return known


def _digest(stemmed: str) -> int:
    return int.from_bytes(blake2b(stemmed.encode(), digest_size=4).digest(), "little")


def _latin_words(folded: str) -> tuple[WordTable, NDArray[np.uint32], float]:
    """Return the hashes of words in Latin letters, as English ones, and how they lean to that."""
    table = _WORDS[0]
    if len(table) >= _HASHED_LIMIT:  # what is in use is soon there again
        table = _WORDS[0] = WordTable()
    raw = folded.encode()
    hashes, lean, unknown = table.read(raw)
    if unknown:
        lean_of = leanings().get
        for word in unknown:
            table.add(word, _hash(word), lean_of(word, 0.0))
        hashes, lean, _ = table.read(raw)
    return table, hashes, lean


def hash_words(text: str) -> list[int]:
    """Return the hashes of the words of ``text`` in order."""
    return list(map(_hash, _find(_fold(text))))


def language_of(text: str) -> str | None:
    """Return the language that most of a text is in, by its code; None where nobody can tell."""
    # Longer texts are read once, and would only take the room of questions.
    return _language_of(text) if len(text) <= _QUESTION else _language_of.__wrapped__(text)


@lru_cache(maxsize=64)
def _language_of(text: str) -> str | None:
    words = _find(_fold(text))
    told = next(iter(_latin(words)), None) if text.isascii() else language_by_script(words)
    return None if _are_names(words, told) else told


def _latin(words: Sequence[str]) -> tuple[str, ...]:
    """Return the languages that the words in Latin letters may be of, the likeliest first."""
    if is_plain_english(words):  # most texts end here
        return (ENGLISH,)
    # Below U+0250 all letters are Latin, and need not be looked up.
    written = [word for word in words if word[0] < "\u0250" or script_of(word) == "Latin"]
    return detect(written, count=len(written))


def _told(telling: Mapping[str, int], *, count: int) -> str | None:
    """
    Return the likeliest language of a text in ASCII, as ``_latin`` does.

    ``telling``: how often each of its words of grammar is there. ``count``: how many words it has.
    """
    in_english = sum(often for word, often in telling.items() if is_grammar_of_english(word))
    if is_mostly_english(in_english, count):
        return ENGLISH
    return next(iter(detect(telling, count=count)), None)


def _are_names(words: Sequence[str], told: str | None) -> bool:
    """
    Return whether words that tell another language than English are given names, and nothing else.

    "Nell", "Sara" and "Sean" are words of grammar of some language: alone they tell none. Texts are
    kept as before (``hash_terms``), or the words of a bank would have to be read anew.
    """
    return told not in {None, ENGLISH} and word_set("given_names").issuperset(words)


def hash_terms(text: str) -> NDArray[np.uint32]:
    """Return the term hashes of ``text``: of its words in order, then of pairs of characters."""
    folded = _fold(text)
    if folded.isascii() or not _NO_LATIN.search(folded):
        table, known, lean = _latin_words(folded)
        if lean > ROUNDED:  # most texts end here
            return known
        if folded.isascii():
            told = _told(table.telling(folded.encode()), count=len(known))
            if told in {None, ENGLISH}:
                return known
            return np.array([_hash_in(word, told) for word in _find(folded)], dtype=np.uint32)
    words = _find(folded)
    latin = _latin(words)[:1]
    hashes = [_hash_as(word, languages_of(word, latin)) for word in words]
    if not is_plain(folded) and _SOME_UNSPACED.search(folded):
        hashes += map(_hash, _pairs(folded))
    return np.array(hashes, dtype=np.uint32)


def hash_terms_in(text: str, language: str) -> NDArray[np.uint32]:
    """Return the hashes of the words of a text whose language is known from elsewhere."""
    return np.array([_hash_in(word, language) for word in _find(_fold(text))], dtype=np.uint32)


def _hash_as(word: str, languages: Sequence[str]) -> int:
    return _hash_in(word, languages[0]) if languages and languages[0] != ENGLISH else _hash(word)


def _pairs(folded: str) -> Iterable[str]:
    """Yield pairs of characters that stand side by side, in scripts where they count."""
    yield from (folded[start:end] for start, end in _places_of_pairs(folded))


def _places_of_pairs(text: str) -> Iterable[tuple[int, int]]:
    found = list(_word().finditer(text))
    for left, right in pairwise(found):
        if left.end() == right.start() and _same(text[left.start()], text[right.start()]):
            yield left.start(), right.end()
    for word in found:
        start, end = word.span()
        if end - start > 2 and script_of(text[start]) == "Hangul":
            yield from ((at, at + 2) for at in range(start, end - 1))


def _same(left: str, right: str) -> bool:
    """Return whether two characters are of scripts without spaces, of one kind."""
    if not (UNSPACED_ONE.match(left) and UNSPACED_ONE.match(right)):
        return False
    return (_ONE_IDEOGRAPH.match(left) is None) == (_ONE_IDEOGRAPH.match(right) is None)


def find_terms(text: str) -> list[Term]:
    """Return the terms of a question with their places in it."""
    return list(_terms_of(text) if len(text) <= _QUESTION else _terms_of_last(text))


@lru_cache(maxsize=64)
def _terms_of(text: str) -> Sequence[Term]:
    folded = text.lower()  # keeps lengths for all but a few characters, so places stay true
    if len(folded) != len(text):
        folded = text
    plain = is_plain(folded)
    pattern = _PLAIN_WORD if plain else _word()
    spans = [match.span() for match in pattern.finditer(folded)]
    # Folding makes several words of a few characters, "1" and "4" of "¼"; so they are kept.
    placed = [(span, word) for span in spans for word in _find(_fold(folded[slice(*span)]))]
    words = [word for _, word in placed]
    latin = _latin(words)
    if latin and _are_names(words, latin[0]):
        latin = ()
    english = latin[:1] in ((), (ENGLISH,))
    found = [Term(start, end, *_read_word(word, latin, english)) for (start, end), word in placed]
    if plain or not _SOME_UNSPACED.search(folded):
        return found
    places = list(_places_of_pairs(folded))
    paired = {place for pair in places for place in range(*pair)}
    sounds = [
        term._replace(function=True)
        if term.start in paired and _SOUND.match(text, term.start, term.end)
        else term
        for term in found
    ]
    covered = _covered(folded)
    pairs = [Term(*pair, _hash(_fold(text[slice(*pair)])), function=False) for pair in places]
    return [
        term._replace(function=True) if all(covered[term.start : term.end]) else term
        for term in [*sounds, *pairs]
    ]


_terms_of_last = lru_cache(maxsize=1)(_terms_of.__wrapped__)
"""The terms of a long question: all that reads it asks for them, one after the other."""


@lru_cache(maxsize=1 << 14)
def _read_word(
    word: str,
    latin: Sequence[str],
    english: bool,  # noqa: FBT001
) -> tuple[int, bool, tuple[int, ...]]:
    """Return the hash of a question's word, whether it is one of grammar, and its forms."""
    hashed = _hash_as(word, languages_of(word, latin[:1]))
    plain = english and word[0] < "\u0250"
    function = _is_grammar(word) if plain else is_grammar(word, latin)
    return hashed, function, _forms(word, latin, hashed)


@lru_cache(maxsize=1 << 14)
def _is_grammar(word: str) -> bool:
    """Return whether an English word is one of grammar, or a contraction of some: "what's"."""
    grammar = word_set("function_words")
    if word in grammar:
        return True
    written = _contractions().get(word, word).replace("’", "'")
    first, _, rest = written.partition("'")
    if rest == "t":  # "isn't", "can't", "won't"
        return first in grammar or first.removesuffix("n") in grammar or first == "won"
    return first in grammar and rest in _CONTRACTED


@cache
def _contractions() -> dict[str, str]:
    """Return contractions typed without an apostrophe, with their usual spelling."""
    split = (entry.partition(" ") for entry in word_list("contractions"))
    return {typed: written.casefold() for typed, _, written in split}


def _forms(word: str, latin: Sequence[str], hashed: int) -> tuple[int, ...]:
    """
    Return the other hashes that a word may have been kept under, the likeliest first.

    An English question may name what is told in another language, and a few words are of any.
    """
    languages = tuple(languages_of(word, latin))
    if (not languages or languages[0] == ENGLISH) and script_of(word) == "Latin":
        languages = latin_languages()
    return tuple(one for one in _all_forms(word, languages) if one != hashed)


@lru_cache(maxsize=1 << 14)
def _all_forms(word: str, languages: Sequence[str]) -> tuple[int, ...]:
    every = [_hash_in(word, language) for language in languages if language != ENGLISH]
    # Many write without accents.
    return tuple(dict.fromkeys([*every, _hash(word), _hash(bare(word))]))


@cache
def hashes_of_light_words(language: str) -> NDArray[np.uint32]:
    """Return the hashes that words which name nothing have in texts of a language, ascending."""
    words = word_set("function_words") if language == ENGLISH else light_words(language)
    hashes = (_hash(word) if language == ENGLISH else _hash_in(word, language) for word in words)
    return np.unique(np.fromiter(hashes, np.uint32, len(words)))


@cache
def _unspaced_grammar() -> re.Pattern[str]:
    """Return the pattern of grammar words where no spaces part them, the longest first."""
    known = stop_words()
    words = sorted(
        {word for language in ("ja", "ko", "th", "zh") for word in known[language]},
        key=lambda word: (-len(word), word),
    )
    return re.compile("|".join(map(re.escape, words)))


def _covered(text: str) -> list[bool]:
    """Return a mask of the characters of a text that words of grammar are made of."""
    covered = [False] * len(text)
    for match in _unspaced_grammar().finditer(text):
        covered[match.start() : match.end()] = [True] * (match.end() - match.start())
    return covered
