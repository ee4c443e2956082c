"""Words for times in a language, as English says them: what ``words/times`` has of it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final, Literal, NamedTuple, TypeAlias

from hippocampus.core.ascii_words import letter_runs
from hippocampus.core.word_lists import word_list
from hippocampus.encode.languages import ENGLISH, bare
from hippocampus.encode.terms import UNSPACED
from hippocampus.language.time.english import WRITTEN, Role, word_meanings
from hippocampus.language.time.tokens import Token, token_of

Side: TypeAlias = Literal["", "before", "after"]
"""Side on which a word stands: before its noun phrase ("vor zwei Tagen"), or after it."""

BY_HAND: Final = (
    "de", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "sv", "tr", "zh",
)  # fmt: skip
"""Languages of which more than the common words is collected."""
TIMED: Final = frozenset(
    "ar bg bn ca cs da el et eu fa fi ga gu he hi hr hu hy id kn lt lv ml mr ne no ro sk sl sr ta"
    " te th uk vi".split()
) | frozenset(BY_HAND)
"""Languages in which times are read, beside English."""

_MARKS: Final = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff\u200c\u200d"
"""Marks on letters, and the blocks of India whose vowels are marks."""
_APART: Final = rf"{UNSPACED}\uac00-\ud7a3"
_CORE: Final = {
    Role.DAY, Role.TONIGHT, Role.PART, Role.UNIT, Role.WEEKDAY, Role.MONTH, Role.SEASON,
    Role.HOLIDAY, Role.NOW,
}  # fmt: skip
LONG: Final = 4
"""Letters of a word that tells a language, if it means no time."""
NOTHING: Final = "-"
_NOT_SO: Final = "!"
_AMOUNTS: Final = ("_ ago", "in _")


@cache
def word_pattern() -> re.Pattern[str]:
    """Return the pattern of a word, or of a character where words are not parted."""
    return re.compile(rf"[{_APART}]|(?:[^\W\d_{_APART}][{_MARKS}]*)+")


def words_of(text: str) -> Sequence[str]:
    """Return the words of a text in lower case."""
    return letter_runs(text) if text.isascii() else word_pattern().findall(text.casefold())


class Meaning(NamedTuple):
    """Meaning of words: the tokens of the English ones, none for words that mean nothing."""

    tokens: tuple[Token, ...]
    side: Side = ""
    of_amount: bool = False
    """Whether it is said of an amount ("two weeks"), and not of a time."""
    short: bool = False
    """Whether it counts only beside a number: "3 dic"."""
    capital: bool = False
    """Whether it must be written with a capital: "am Morgen"."""

    @property
    def roles(self) -> Iterator[Role]:
        """Roles of the English words."""
        return (token.role for token in self.tokens)


class Entry(NamedTuple):
    """Words that are one, and what they may mean, the likeliest first."""

    words: tuple[str, ...]
    meanings: tuple[Meaning, ...]


Lexicon: TypeAlias = Mapping[str, tuple[Entry, ...]]
"""The entries of each first word, the longest first."""


@cache
def lexicon(language: str) -> Lexicon:
    """Return the words for times in a language."""
    meant: defaultdict[tuple[str, ...], list[Meaning]] = defaultdict(list)
    not_so: set[tuple[str, ...]] = set()
    for english, foreign in _lines(language):
        for one in foreign.split(", "):
            words, meaning = _entry(english, one)
            if english == _NOT_SO:
                not_so.add(words)
            elif words and words not in not_so:
                for form in dict.fromkeys((words, tuple(map(_bare, words)))):
                    if meaning not in meant[form]:
                        meant[form].append(meaning)
    by_first: defaultdict[str, list[Entry]] = defaultdict(list)
    for words, meanings in meant.items():
        if len({one.tokens for one in meanings if _is_day(one)}) > 1:
            continue  # in Hindi, one word is for yesterday and tomorrow
        by_first[words[0]].append(Entry(words, tuple(meanings)))
    return {
        first: tuple(sorted(entries, key=lambda entry: -len(entry.words)))
        for first, entries in by_first.items()
    }


def _bare(word: str) -> str:
    """Return a word as those write it who leave accents out; but "a" is not "à"."""
    return bare(word) if len(word) >= LONG else word


def _is_day(meaning: Meaning) -> bool:
    return any(token.role is Role.DAY for token in meaning.tokens)


def _lines(language: str) -> Iterator[tuple[str, str]]:
    """Yield English words and those of a language; what some mean not comes first."""
    own = [
        (english, foreign)
        for english, _, foreign in (line.partition(" | ") for line in _own(language))
    ]
    yield from sorted(own, key=lambda line: line[0] != _NOT_SO)
    yield from _common().get(language, ())


def _own(language: str) -> Iterable[str]:
    return word_list(f"times/{language}") if language in BY_HAND else ()


@cache
def _common() -> Mapping[str, list[tuple[str, str]]]:
    found: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for line in word_list("times/common"):
        language, english, foreign = line.split(" | ")
        found[language].append((english, foreign))
    return found


def _entry(english: str, foreign: str) -> tuple[tuple[str, ...], Meaning]:
    words = tuple(words_of(foreign.replace("_", " ")))
    side: Side = ""
    if "_" in foreign:
        side = "before" if foreign.endswith("_") else "after"
    said = "" if english in (NOTHING, _NOT_SO) else english.replace("_", "").rstrip("~").strip()
    meaning = Meaning(
        tokens=_tokens_of(said),
        side=side,
        of_amount=english in _AMOUNTS,
        short=english.endswith("~"),
        capital=foreign[:1].isupper() and foreign[1:2].islower(),
    )
    return words, meaning


@cache
def _tokens_of(said: str) -> tuple[Token, ...]:
    """Return the tokens of English words, which most languages have words for."""
    return tuple(map(token_of, WRITTEN.token.finditer(said)))


@cache
def known_words() -> tuple[Mapping[str, tuple[str, ...]], frozenset[str]]:
    """
    Return the languages in which each word has to do with time, and the core words.

    Without one of these a text tells no time.
    """
    known: defaultdict[str, dict[str, None]] = defaultdict(dict)
    core: set[str] = set()
    for word in word_meanings():
        known[word][ENGLISH] = None
    for language in dict.fromkeys((*BY_HAND, *_common())):
        for english, foreign in _lines(language):
            is_core = _is_core(english)
            for one in foreign.casefold().split(", "):
                words = words_of(one)
                # Of several words the longest tells; the others are mostly of grammar.
                telling = max(words, key=len) if len(words) > 1 else one
                for word in words:
                    if len(word) < LONG and not is_core:
                        continue
                    for form in (word,) if word.isascii() else (word, _bare(word)):
                        known[form][language] = None
                        if is_core and word == telling:
                            core.add(form)
    return {word: tuple(languages) for word, languages in known.items()}, frozenset(core)


@cache
def _is_core(english: str) -> bool:
    tokens = map(token_of, WRITTEN.token.finditer(english.rstrip("~")))
    return any(token.role in _CORE for token in tokens)


def languages_of_times(word: str) -> tuple[str, ...]:
    """Return the languages in which a word in lower case has to do with time."""
    return known_words()[0].get(word, ())


@cache
def words_with_times() -> frozenset[str]:
    """Return the words that have to do with time in any language."""
    return frozenset(known_words()[0])


@cache
def time_words(kind: Literal["foreign", "shared"]) -> frozenset[str]:
    """Return words that tell a time, but not in English ("foreign"), or in English as well."""
    split = (entry.partition(": ") for entry in word_list("derived/time_words"))
    return {of: frozenset(words.split()) for of, _, words in split}[kind]
