"""
Questions for one of several states of a matter: the present one, or the one before.

"Who is my boss?" and "what do I pay for cod?" are about now, though no word says so: their verb is
in the present. "What did I pay at first?" is about then. A question for something that happened,
or for all of several things, asks for no state.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.language.asked_of_whom import person_asked_about
from hippocampus.language.nouns import singular
from hippocampus.language.relations import same_kin
from hippocampus.language.time.english import WRITTEN
from hippocampus.language.time.tense import Tenses, is_past

_RE: Final = Patterns("questions")
_LONGEST: Final = 500
"""Characters of a question that are read; what is longer tells more than it asks."""
_OVER: Final = frozenset({"was", "were", "had", "did", "got", "could", "would"})
"""Verbs after "before I" that make it of the past; other auxiliaries do not."""
_HAVE: Final = frozenset({"have", "has", "haven't", "hasn't", "ve"})
_PARENTS: Final = ("mother", "father")
"""Kin for whom there are words that people call their own by: "mum", "dad"."""
_REACH: Final = 7
"""Words after "have" among which its participle stands: a name of several is between them."""


class AskedState(NamedTuple):
    """A state that a question asks for."""

    newest: bool
    """Whether it is the present one; else the first."""
    sure: bool
    """Whether the question says so, or asks of the life of who asks: others are asked about as of
    some time, too."""


def asked_state(text: str) -> AskedState | None:
    """Return the state that a question asks for, None if it asks for none."""
    if len(text) > _LONGEST or _RE.choice.search(text):  # "which came first, A or B?"
        return None
    if person_asked_about(text):  # who somebody is does not change
        return None
    if _asks_for_the_first(text):
        return AskedState(newest=False, sure=True)
    if _RE.now.search(text) or _RE.newest.search(text):
        return AskedState(newest=True, sure=True)
    own = _is_of_ones_own(text)
    if _asks_for_a_deed(text) or not (own or _asks_for_one_thing(text)):
        return None
    return AskedState(newest=True, sure=own)


def _is_of_ones_own(text: str) -> bool:
    """
    Return whether it asks of the asker's own life.

    So does who asks of "mum" and names nobody's, and of a thing that is nobody's: "the gate code".
    """
    if _RE.of_self.search(text):
        return True
    if _RE.of_the_thing.search(text) and not _RE.of_somebody.search(text):
        return True
    words = [match.group().lower() for match in WRITTEN.token.finditer(text)]
    return any(
        word not in _PARENTS and any(same_kin(word, parent) for parent in _PARENTS)
        and before not in word_set("determiners") | {"'s", "\u2019s"}
        for before, word in zip(["", *words], words, strict=False)
    )  # fmt: skip


def _asks_for_the_first(text: str) -> bool:
    """Return whether it asks for a state that is over, and not for what comes "before they pay"."""
    return any(
        match.group().lower() != "before"
        or (clause := _RE.clause.match(text, match.end())) is None
        or is_past(verb := clause["verb"].lower())
        or verb in _OVER | word_set("unchanging_verbs")  # "before I reset it"
        for match in _RE.former.finditer(text)
    )


def asks_for_the_previous(text: str) -> bool:
    """Return whether a question asks for the state before the present one: "... before?"."""
    return _RE.previous.search(text) is not None


def asks_for_the_next(text: str) -> bool:
    """Return whether a question asks for what is going to be: "where will I live?"."""
    return _RE.to_come.search(text) is not None


def _asks_for_a_deed(text: str) -> bool:
    """Return whether it asks what was done or why: its verb is of the past, or a perfect."""
    words = [match.group().lower() for match in WRITTEN.token.finditer(text)]
    return _is_behind(words) or _is_perfect(words) or _RE.no_state.search(text) is not None


def tells_of_now(text: str) -> bool:
    """Return whether a text says of something that it is so now, or from some day on."""
    return _RE.from_now.search(text[:_LONGEST]) is not None


def asks_if_still(text: str) -> bool:
    """Return whether a question is whether something is still so, or done yet."""
    return _RE.still.search(text) is not None


def asks_for_number(text: str) -> bool:
    """Return whether a question is answered by a number, a day or an hour: "what dose"."""
    return _RE.of_number.search(text) is not None


def tells_number(text: str) -> bool:
    """Return whether a text tells any number, day or hour."""
    return _RE.tells_number.search(text[:_LONGEST]) is not None


def _asks_for_one_thing(text: str) -> bool:
    """
    Return whether it asks for one thing, and not for kinds, ways, chances or several things.

    The days or hours of something are one thing, however many they are.
    """
    one = _RE.question.search(text) and not _RE.no_single_state.search(text)
    return bool(one) and not _asks_for_several(text)


def _is_behind(words: list[str]) -> bool:
    """Return whether the first finite verb is of the past."""
    tenses = Tenses(words, told=False)
    pointed = filter(None, map(tenses.points, range(len(words))))
    return next(pointed, None) == "behind"


def _is_perfect(words: list[str]) -> bool:
    """Return whether it asks what has been done: "which books has Ada read?"."""
    for place, word in enumerate(words):
        if word not in _HAVE:
            continue
        for after in words[place + 1 : place + 1 + _REACH]:
            if after == "got":  # "have I got" is of the present
                break
            if after == "been" or is_past(after) or after in word_set("irregular_participles"):
                return True
    return False


def _asks_for_several(text: str) -> bool:
    """Return whether it asks for things in the plural: "which games does Ada like?"."""
    several = _RE.several.search(text)
    if several is None:
        return False
    many = several["what"].lower()
    one = singular(many)
    return one != many and one not in word_set("event_units")
