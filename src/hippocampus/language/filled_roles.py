"""
Roles that a text says somebody fills: "Tom is my boss now", "our vet is called Dr Lund".

Which role it is, and whose, is in how the words stand. Who fills it is not looked at: of two texts
that fill one role the later tells who does.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.language.nouns import singular
from hippocampus.language.relations import is_being, relation_of

_RE = Patterns("roles")
_NOBODY = frozenset("who what where which whose it that this there".split())
"""Subjects that name nobody: "who is my boss", "it was my brother who called"."""
_LONGEST = 600
"""Characters of a text that are read: who somebody is, is told in a turn of talk."""


class Role(NamedTuple):
    """Somebody's relation to who is meant: ("", "boss") of "my boss", ("ada", "boss") of Ada's."""

    whose: str
    relation: str


@lru_cache(maxsize=4096)
def filled_roles(text: str) -> frozenset[Role]:
    """Return the roles that a text says somebody fills, or fills no more."""
    return frozenset(_filled(text[:_LONGEST]))


def _filled(text: str) -> Iterator[Role]:
    for pattern in (_RE.somebody_is, _RE.is_somebody):
        for match in pattern.finditer(text):
            end, before = (
                _RE.end.search(text, match.end()),
                _RE.word_before.search(text[: match.start()]),
            )
            if (end and end[0] == "?") or (before and before["word"].lower() in _NOBODY):
                continue
            noun = singular(match["noun"].lower())
            relation = relation_of(noun) or noun
            if is_being(relation):
                own = match["whose"].lower() in word_set("determiners")
                yield Role("" if own else match["whose"].lower(), relation)
