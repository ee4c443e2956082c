"""
Participants of an event: whether somebody took part, as far as a clause tells.

Who did it stands before the verb; who came along stands behind "with" or "and", or is taken there.
"Without me", "for me" and "told me" make nobody a participant, nor does "my" before "sister".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from hippocampus.core.word_lists import word_set
from hippocampus.language.counting.asked import AskedEvents, Said
from hippocampus.language.counting.families import belongs, families, is_event, key_of_family
from hippocampus.language.given_names import is_person
from hippocampus.language.nouns import kinds, singular, use_of
from hippocampus.language.time.english import word_meanings
from hippocampus.language.time.tense import is_past

Subject: TypeAlias = Literal["", "self", "other"]

_SUBJECTS: Final = frozenset({"i", "we"})
_OBJECTS: Final = frozenset({"me", "us"})
_OWNERS: Final = frozenset({"my", "our"})
_OTHERS: Final = frozenset({"he", "she", "they", "you"})
_JOINING: Final = frozenset({"with", "and", "&", ","})
_APART: Final = frozenset({"without", "than", "like", "about", "except", "besides"})
"""Words before those who took no part: "without me"."""
_FOR: Final = frozenset({"for", "of"})
"""Words before those for whom, or instead of whom, another did it."""
_ADDRESSING: Final = (
    "tell", "ask", "show", "text", "call", "ring", "message", "write", "email", "remind", "warn",
)  # fmt: skip
"""Verbs of which the object only hears of it."""
_GOING: Final = ("go", "come", "see", "visit", "meet", "attend")
_OWNED: Final = 2
"""Words behind "my" among which what is mine stands."""
_ATTENDING: Final = frozenset({"at", "to", "from", "during", "after", "in", "with"})


def is_being(noun: str) -> bool:
    """Return whether a noun in lower case is of a person."""
    return "person" in kinds(singular(noun))


def takes_part(
    inside: Sequence[Said], at: int, verb: int | None, asked: AskedEvents, *, by_actor: bool
) -> bool:
    """
    Return whether the one whose deed is asked for took part, as far as a clause tells.

    Args:
        inside: the words of the clause.
        at: the place of the event's word among them.
        verb: that of its verb, None if it has none.
        asked: what is counted.
        by_actor: whether "I" is the one whose deed is asked for.

    """
    subject = _subject(inside, at, verb, asked)
    if asked.actor == "self" or by_actor:
        # Beside the verb that is counted, "me" is whom it was done to: "Tom visited me".
        joint = not (asked.verb and belongs(inside[at].word, asked.verb))
        if joint and any(_is_there(inside, i) for i in range(len(inside))):
            return True
        left_out = any(_is_apart(inside, i) for i, one in enumerate(inside) if one.word in _OBJECTS)
        return subject == "self" or (subject == "" and not left_out)
    named = [i for i, one in enumerate(inside) if one.word.removesuffix("'s") in asked.who]
    if any(_is_apart(inside, i) for i in named):
        return False
    # Where "I" did it, another took part if joined to it: "Tom and I", "with Tom".
    return subject != "self" or any(
        (i + 1 < len(inside) and inside[i + 1].word in _JOINING | _SUBJECTS)
        or (i > 0 and inside[i - 1].word in _JOINING)
        for i in named
    )  # fmt: skip


def _is_there(inside: Sequence[Said], i: int) -> bool:
    """Return whether a word of a clause says that who speaks took part."""
    word = inside[i].word
    if word in _OWNERS:
        return not any(_names_somebody(one) for one in inside[i + 1 : i + 1 + _OWNED])
    before = inside[i - 1].word if i else ""
    return word in _OBJECTS and before not in _FOR and not _is_apart(inside, i)


def _is_apart(inside: Sequence[Said], i: int) -> bool:
    """Return whether who stands at a place is told to have had no part, or only heard of it."""
    before = inside[i - 1].word if i else ""
    return before in _APART or key_of_family(before) in families(*_ADDRESSING)


def _subject(inside: Sequence[Said], at: int, verb: int | None, asked: AskedEvents) -> Subject:
    """Return the subject of a clause: the one nearest before its verb, or else the first."""
    if verb is None or verb > at:
        return _first(inside[: at + 1], asked)
    # "Mum called", where calls to her are counted.
    called = verb == at > 0 and _names_somebody(inside[at - 1]) and not _is_mutual(inside[at])
    if called or (verb == 1 and _is_bare_subject(inside[0], inside[1], asked)):
        return "other"
    for one in reversed(inside[:verb]):
        if _pronoun(one) in _SUBJECTS:
            return "self"
        if _pronoun(one) in _OTHERS or _is_other(one, asked):
            return "other"
        if is_past(one.word):
            return ""
    return ""


def _is_mutual(verb: Said) -> bool:
    """Return whether a verb says the same of both: who saw me, I saw."""
    return key_of_family(verb.word) in families("see", "meet")


def _is_bare_subject(one: Said, verb: Said, asked: AskedEvents) -> bool:
    """Return whether a noun before a verb of going or seeing is a name: "Ola went", "Ola saw"."""
    going = key_of_family(verb.word) in families(*_GOING) and is_past(verb.word)
    grammar = word_set("function_words") | word_set("adverbs")
    noun = use_of(one.word).noun > 0 and singular(one.word) == one.word
    counted = any(belongs(one.word, key) for key in asked.keys) or is_event(one.word)
    known = _pronoun(one) in grammar or one.word in word_meanings()
    return going and one.capital and noun and not (known or counted)


def _pronoun(one: Said) -> str:
    """Return a word without what is drawn into it: "I" of "I've"."""
    return one.word.partition("'")[0]


def _first(inside: Sequence[Said], asked: AskedEvents) -> Subject:
    for one in inside:
        if _pronoun(one) in _SUBJECTS | _OBJECTS:
            return "self"
        if _pronoun(one) in _OTHERS:
            return "other"
        if is_past(one.word) or one.word in _ATTENDING:
            return ""
        if _is_other(one, asked):
            return "other"
    return ""


def _is_other(one: Said, asked: AskedEvents) -> bool:
    """Return whether a word names somebody, and not what is counted."""
    return _names_somebody(one) and not any(belongs(one.word, key) for key in asked.keys)


def _names_somebody(one: Said) -> bool:
    if _pronoun(one) in _SUBJECTS | _OTHERS:
        return False
    if one.word in word_set("kin") or is_being(one.word):
        return True
    return one.capital and (is_person(one.written) or not use_of(one.word).known)
