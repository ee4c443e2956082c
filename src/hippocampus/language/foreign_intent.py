"""
Intents of questions in other languages than English.

Told by words of grammar and a few others, of 13 languages: whether it asks when, of now or of
before, for whatever was at a time, or for nothing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Final, Literal, TypeAlias

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.records import Interval
from hippocampus.core.word_lists import word_list
from hippocampus.encode.languages import ENGLISH, stop_words
from hippocampus.encode.terms import UNSPACED, find_terms, language_of
from hippocampus.language.asked_state import AskedState
from hippocampus.language.question_intent import Intent, places_of
from hippocampus.language.time.asked_language import asked_language
from hippocampus.language.time.foreign_tenses import looks_back
from hippocampus.language.time.mixed import likely_languages, may_tell_time_in

Asked: TypeAlias = Literal[
    "when", "what", "now", "still", "whether", "former", "event", "own", "you", "talk"
]
"""Intent that a word in a question tells."""

ASKED_IN: Final = frozenset(
    {"de", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "sv", "tr", "zh"}
)
"""Languages, beside English, in which it is read what a question asks for."""
_LONGEST: Final = 300
"""Characters of a question that are read; what is longer tells more than it asks."""
_CHARACTERS: Final = lazy_pattern(rf"[{UNSPACED}\uac00-\ud7a3]")


@cache
def _words() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return the words of each language that tell something."""
    found: defaultdict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for line in word_list("asking_in_languages"):
        language, told, words = line.split(" | ")
        found[language][told] = tuple(words.split(", "))
    return found


@cache
def _pattern(language: str, told: Asked) -> re.Pattern[str]:
    """Return the pattern of a language's words of some meaning, the longest first."""
    # The first alternative that fits is taken, and one word may begin another.
    words = sorted(_words()[language][told], key=len, reverse=True)
    written = "|".join(re.escape(word).replace("'", "['’]?") for word in words)
    # Between characters of a script without spaces there is no edge of a word.
    edge = "" if _CHARACTERS.match(words[0]) else r"\b"
    return re.compile(rf"{edge}(?:{written}){edge}", re.IGNORECASE)


def language_asked_in(text: str) -> str | None:
    """Return the language of a question whose intent can be read, other than English."""
    if len(text) > _LONGEST:
        return None
    told = asked_language(text)
    if told == ENGLISH or (told is None and not may_tell_time_in(text)):
        return None
    language = next(iter(likely_languages(text)), told)  # words of time tell it, too
    return language if language != ENGLISH and language in ASKED_IN else None


def _tells(text: str, language: str, told: Asked) -> bool:
    return _pattern(language, told).search(text) is not None


def foreign_intents(text: str, language: str) -> frozenset[Intent]:
    """Return the intents of a question in a language: a time, the present, or the past."""
    told: dict[Intent, bool] = {
        "when": _tells(text, language, "when"),
        "now": _tells(text, language, "now"),
        "past": _tells(text, language, "former"),
    }
    return frozenset(intent for intent, is_told in told.items() if is_told)


def foreign_state(text: str, language: str) -> AskedState | None:
    """Return the state, of several, that a question in a language asks for; None for none."""
    if _tells(text, language, "former"):
        return AskedState(newest=False, sure=False)
    if _tells(text, language, "now"):
        return AskedState(newest=True, sure=True)
    if _asks_whether_still(text, language):
        return AskedState(newest=True, sure=True)
    if not _tells(text, language, "what") or _tells(text, language, "when"):
        return None
    # A verb of the past asks for what happened, not for a state.
    if looks_back(text, language):
        return None
    return AskedState(newest=True, sure=_tells(text, language, "own"))


def _asks_whether_still(text: str, language: str) -> bool:
    """
    Return whether a question asks if something goes on: "Singt Anna noch im Chor?".

    With a word that asks for something they are words for "else" and "again", too: "Was hat sie
    noch gesagt?".
    """
    if looks_back(text, language) or not _tells(text, language, "still"):
        return False
    plain = text.lstrip(" ¿")
    begins = _pattern(language, "whether").match(plain)  # "est-ce que" has "que" in it
    rest = _pattern(language, "still").sub(" ", plain[begins.end() :] if begins else plain)
    return not (_tells(rest, language, "what") or _tells(rest, language, "when"))


def foreign_roles(text: str, language: str) -> frozenset[str]:
    """Return the roles that "I" and "you" point to in a talk of user and assistant."""
    roles = {"user"} if _tells(text, language, "own") else set()
    return frozenset(roles | {"assistant"} if _tells(text, language, "you") else roles)


def foreign_listing(
    text: str, language: str, intervals: Sequence[Interval]
) -> tuple[Interval, ...]:
    """
    Return the times of which a question asks for whatever was then; none if it asks for more.

    Beside its times it then has words of grammar only, and such as "done" and "happened".

    Args:
        text: the question.
        language: what it is in.
        intervals: the times that it names.

    """
    rest = _without(text, places_of(intervals, text))
    asks = _pattern(language, "event")
    # A time alone ("yesterday?") asks for whatever was then as well.
    if not asks.search(rest) and rest.strip(" \t\n.,;:!?¿¡。？！、，"):
        return ()
    return tuple(intervals) if _is_light(asks.sub(" ", rest), language) else ()


def is_foreign_small_talk(text: str) -> bool:
    """Return whether a message in any language that is read only greets, thanks or agrees."""
    language = language_of(text)
    if len(text) > _LONGEST or language == ENGLISH:
        return False
    # A greeting is mostly too short to tell its language by.
    likely = [language] if language in ASKED_IN else sorted(ASKED_IN)
    return any(_only_greets(text, one) for one in likely if one is not None)


def _only_greets(text: str, language: str) -> bool:
    said = _pattern(language, "talk")
    if not said.search(text):
        return False
    rest = said.sub(" ", text)
    return not any(char.isalnum() for char in rest)


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a text with spaces for what stands at some places."""
    chars = list(text)
    for start, end in spans:
        chars[start:end] = " " * (end - start)
    return "".join(chars)


def _is_light(rest: str, language: str) -> bool:
    """Return whether what is left of a question says nothing: words of grammar, who asks."""
    rest = _pattern(language, "own").sub(" ", _pattern(language, "you").sub(" ", rest))
    rest = _pattern(language, "what").sub(" ", rest)
    grammar = stop_words().get(language, frozenset())
    terms = ((term.function, rest[term.start : term.end].casefold()) for term in find_terms(rest))
    # Without spaces a word may be a run of characters, each of them one of grammar.
    return all(function or word in grammar or set(word) <= grammar for function, word in terms)
