"""Times in a text of any language, or of several: each sentence is read in its own."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from functools import cache
from typing import Final

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.sought_words import SoughtWords, has_digit, has_marked_letter, is_latin
from hippocampus.encode.languages import (
    DIGITS,
    ENGLISH,
    ROUNDED,
    evidence,
    is_plain_english,
    is_plain_english_text,
    leanings,
)
from hippocampus.encode.terms import UNSPACED, is_plain, language_of
from hippocampus.language.time.asked_language import asked_language
from hippocampus.language.time.grammar import Reading, longest, read_sentence, sentences
from hippocampus.language.time.lexicon import (
    languages_of_times,
    time_words,
    words_of,
    words_with_times,
)

_UNSPACED: Final = lazy_pattern(rf"[{UNSPACED}\uac00-\ud7a3]")
_CHINESE: Final = lazy_pattern("[每了们你您她这吗吧呢啊个么]")
"""Words of grammar that Chinese has, and Japanese has not or writes otherwise."""
_NO_SPACES: Final = frozenset({"ja", "ko", "th", "zh"})
_WRITTEN: Final = lazy_pattern(
    r"[0-9](?<![0-9].)(?:(?<=[12])[0-9]{3}(?![0-9])|[0-9]?\.\s?[0-9]{1,2}\.)", re.DOTALL
)
"""A year, or a day as "3.5.": the languages that write so have no word for it."""
_FOREIGN: Final = SoughtWords(lambda: time_words("foreign"))
_SHARED: Final = SoughtWords(lambda: time_words("shared"))
_SURE: Final = 0.25
"""Least evidence for a language; a word of time counts as one of grammar does. This and the next
two are those of ``encode.languages``."""
_USUAL: Final = 2.0
"""Likelihood of English beside that of another language."""
_RIVAL: Final = 0.5
"""Share of the best language's evidence from which on another may be meant instead."""


def may_tell_time_in(text: str) -> bool:
    """Return whether a text may be in another language than English, and tell a time in it."""
    if not is_latin(text):
        return _may_tell_elsewhere(text)
    if _FOREIGN.are_in(text):
        return True
    if is_plain_english_text(text):
        return False
    if not _SHARED.are_in(text) and not (has_digit(text) and _WRITTEN.search(text)):
        return False
    if not has_marked_letter(text) and _leans_to_english(text):
        return False
    return likely_languages(text)[:1] != [ENGLISH]


def _may_tell_elsewhere(text: str) -> bool:
    """Return the same of a text that has other letters than those of Latin."""
    if not is_plain(text) and _UNSPACED.search(text):
        return True
    words = words_of(text)
    if not time_words("foreign").isdisjoint(words):
        return True
    if is_plain_english(words):
        return False
    if time_words("shared").isdisjoint(words) and not _WRITTEN.search(text):
        return False
    return likely_languages(text)[:1] != [ENGLISH]


def read_in(text: str, now: datetime, *, told: bool) -> list[Reading]:
    """
    Return the times in a text that may be in several languages, in order.

    Args:
        text: the text.
        now: the aware moment at which it is asked or told.
        told: it is told rather than asked.

    """
    whole = likely_languages(text) or [ENGLISH]
    found: list[Reading] = []
    for start, end in sentences(text):
        # A short sentence may not tell its language: it has that of the text then.
        languages = likely_languages(text[start:end]) or whole
        for language in languages:
            if read := [*_read_sentence(text, start, end, now, language=language, told=told)]:
                found += read
                break
        else:
            # Where nothing tells the language, it may be English as well.
            if ENGLISH not in languages and language_of(text[start:end]) is None:
                found += read_sentence(text, start, end, now, told=told)
    return longest(found, len(text))


def _read_sentence(
    text: str, start: int, end: int, now: datetime, *, language: str, told: bool
) -> Iterator[Reading]:
    if language == ENGLISH:
        return read_sentence(text, start, end, now, told=told)
    from hippocampus.language.time.foreign import read_foreign  # noqa: PLC0415 - most need none

    return read_foreign(text, start, end, now, language=language, told=told)


def likely_languages(text: str) -> list[str]:
    """Return the languages that a sentence may be in, the likeliest first."""
    if not is_plain(text) and _UNSPACED.search(text):
        told = language_of(text)
        if told == "zh" and not _CHINESE.search(text):
            return ["zh", "ja"]  # "先週会議": no letter tells Japanese
        return [told] if told in _NO_SPACES else []
    told, words = asked_language(text), words_of(text)
    plain = is_plain_english(words)
    if told is not None and told != ENGLISH and (plain or told != language_of(text)):
        return [told]
    if plain:
        return [ENGLISH]
    seen = evidence(words)
    for word, language in _time_words(words):
        # A word that many languages share tells little of which it is.
        worth = (_USUAL if language == ENGLISH else 1.0) / len(languages_of_times(word))
        seen[language] = seen.get(language, 0.0) + worth
    seen = {language: round(evident, DIGITS) for language, evident in seen.items()}
    best = max(seen.values(), default=0.0)
    if best < _SURE:
        return []
    likely = [one for one, evident in seen.items() if evident + ROUNDED >= _RIVAL * best]
    return sorted(likely, key=lambda one: (-seen[one], one != ENGLISH, one))


def _leans_to_english(text: str) -> bool:
    """
    Return True only where ``likely_languages`` of a text begins with English.

    All its letters are in ASCII. All that speaks for others is taken for one of them, as of words
    of grammar alone.
    """
    return sum(map(_leanings().__getitem__, _LEANING.different_in(text))) > _SURE + ROUNDED


@cache
def _leanings() -> Mapping[str, float]:
    """Return the margin by which each word of grammar or time speaks for English."""
    found = dict(leanings())
    for word in words_with_times():
        of = languages_of_times(word)
        more = _USUAL * (ENGLISH in of) - any(one != ENGLISH for one in of)
        found[word] = found.get(word, 0.0) + more / len(of)
    return found


_LEANING: Final = SoughtWords(_leanings)


def _time_words(words: Collection[str]) -> Iterator[tuple[str, str]]:
    for word in words_with_times().intersection(words):
        for language in languages_of_times(word):
            yield word, language
