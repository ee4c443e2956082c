"""Language of a question: told also where its words of grammar are those of English too."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Final

from hippocampus.core.word_lists import word_set
from hippocampus.encode.languages import DIGITS, ENGLISH, evidence, light_words, stop_words
from hippocampus.encode.terms import language_of
from hippocampus.language.nouns import use_of
from hippocampus.language.time.lexicon import languages_of_times

_WORD: Final = re.compile("[a-zA-Z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]{2,}")
"""A run of Latin letters; in other scripts most languages are told by the script."""
_LONGEST: Final = 120
"""Characters of a question whose language may be hidden: a longer one has words that tell it."""
_USUAL: Final = frozenset({"de", "es", "fr", "it", "nl", "pl", "pt", "ru", "sv", "tr"})
"""Languages that one or two words of grammar tell; of others they are of by chance."""
_ENOUGH: Final = 2
"""Words of grammar or time that tell a language, or one of them that is not English as well."""
_LISTS: Final = (
    "numbers", "light_verbs", "irregular_pasts", "irregular_past_forms", "irregular_participles",
)  # fmt: skip
"""Word lists of English, beside its dictionary of nouns."""


@lru_cache(maxsize=256)
def asked_language(text: str) -> str | None:
    """
    Return the language of a question, by its code; None where nobody can tell.

    "Was steht am Montag an?" has more words of grammar that English has than that German has. It is
    in a language of which each word is one of grammar or time, but those that no English dictionary
    has; and at least one is not English.
    """
    told = language_of(text)
    if told in _USUAL or len(text) > _LONGEST or not _WORD.search(text):
        return told
    words = _WORD.findall(text)
    strange = [word for place, word in enumerate(words) if _is_strange(word, begins=not place)]
    if not strange and told == ENGLISH:
        return told
    folded = [word.casefold() for word in words]
    if word_set("given_names").issuperset(folded):
        return told
    seen = evidence(folded)
    for word in folded:
        for language in (of := languages_of_times(word)):
            seen[language] = seen.get(language, 0.0) + 1 / len(of)
    likely = sorted(_USUAL & seen.keys(), key=lambda one: (-round(seen[one], DIGITS), one))
    fitting = [one for one in likely if _fits(words, one)] if strange else []
    if not fitting or (told and told != ENGLISH and _own(folded, told) > _own(folded, fitting[0])):
        return told
    return fitting[0]


def _own(folded: Iterable[str], language: str) -> int:
    """Return the number of words that are of grammar in a language."""
    return sum(map(light_words(language).__contains__, folded))


def _fits(words: Iterable[str], language: str) -> bool:
    """Return whether words are of a language as far as they are English: grammar, times, names."""
    own = 0
    for place, word in enumerate(words):
        folded = word.casefold()
        if folded in light_words(language) or language in languages_of_times(folded):
            own += 1 if _is_english(folded) else _ENOUGH
        elif _is_english(folded) and not (place and word[0].isupper()):
            return False
        elif not word.isascii():  # of English no word has such letters
            own += 1
    return own >= _ENOUGH


def _is_strange(word: str, *, begins: bool) -> bool:
    """Return whether a word is not English, and no name either."""
    folded = word.casefold()
    if word[0].isupper() and not begins:  # a name, if it is no word for a time
        of = languages_of_times(folded)
        return bool(of) and ENGLISH not in of and not use_of(folded).known
    return not _is_english(folded) and folded not in word_set("given_names")


def _is_english(folded: str) -> bool:
    known = use_of(folded).known or folded in _more_english()
    return known or ENGLISH in languages_of_times(folded)


@cache
def _more_english() -> frozenset[str]:
    """Return words of English that its dictionary of nouns lacks."""
    return stop_words()[ENGLISH].union(*map(word_set, _LISTS))
