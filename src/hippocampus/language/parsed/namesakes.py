"""Words that tell people of one name apart: "work Noah", "Kelly's Dave", "the other Ana"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hippocampus.core.word_lists import word_set
from hippocampus.language.noun_sorts import is_someone, is_time
from hippocampus.language.nouns import use_of
from hippocampus.language.parsed.clauses import SUBJECTS, child, children
from hippocampus.language.parsed.names import WITHIN
from hippocampus.language.relations import relation_of

if TYPE_CHECKING:
    from spacy.tokens import Token

_APART: Final = frozenset({"other", "new", "second", "big", "little", "young", "younger", "older"})
_FROM: Final = frozenset({"from", "at"})
_NOUN: Final = 0.4
"""Least use as a noun of a word right before a name: more than "hope", of "hope Ada is well"."""


def namesake(name: Token) -> str | None:
    """Return a name of one word with what tells whose it is; None where nothing does."""
    if child(name, "flat", *WITHIN) is not None and _apart(name) is None:
        return None
    whose = child(name, "poss")
    if whose is not None and whose.pos_ == "PROPN":
        return f"{whose.text}'s {name.text}"
    before, behind = _apart(name) or _sort(name), _whence(name)
    if before is not None:
        return f"{before} {name.text}"
    return None if behind is None else f"{name.text} {behind}"


def _apart(name: Token) -> str | None:
    """Return "other" of "the other Noah"."""
    kinds = [one for one in children(name, *WITHIN) if one.i < name.i]
    told = len(kinds) == 1 and child(name, "det") is not None and kinds[0].lower_ in _APART
    return kinds[0].text if told else None


def _sort(name: Token) -> str | None:
    """Return the noun right before a name, where the parse does not join them: "bread Jess"."""
    if name.i == name.sent.start or name.dep_ not in SUBJECTS:
        return None
    noun = name.nbor(-1)
    beside = noun.dep_ == "npadvmod" and noun.head == name.head
    # A noun that may be a verb is taken for a request with what somebody does as its object.
    governs = noun.dep_ == "ROOT" and name.head.head == noun and child(noun, *SUBJECTS) is None
    word = noun.lower_
    thing = noun.text.islower() and use_of(word).noun >= _NOUN
    somebody = relation_of(word) is not None or word in word_set("kin") or is_someone(word)
    first = noun.left_edge.i == noun.i
    known = thing and first and not (somebody or is_time(word))
    return noun.text if known and (beside or governs) else None


def _whence(name: Token) -> str | None:
    """Return "from work" of "Noah from work"; a name's place may be where all of a family are."""
    for one in children(name, "prep"):
        place = child(one, "pobj") if one.lower_ in _FROM and one.i == name.i + 1 else None
        if place is not None and place.text.islower() and not is_time(place.text):
            whole: str = name.doc[one.i : place.i + 1].text
            return whole
    return None
