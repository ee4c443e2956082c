"""
Relations between a person and a thing: the rules that find them, and which are functional.

The vocabulary is open: "my dentist" makes a relation of its own.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from msgspec import convert

from hippocampus.core.records import Mode
from hippocampus.core.word_lists import pattern_list, word_set
from hippocampus.language.nouns import kinds

FUNCTIONAL: Final = frozenset(
    "lives_in works_at works_as studies_at married_to marital_status birthday age".split()
)
"""Relations of which one holds at a time; what is "my" something, in the singular, is another."""
EXCLUSIVE: Final = {"likes": "dislikes", "dislikes": "likes"}
"""Relations that cannot both hold of the same."""
BY_BIRTH: Final = frozenset({"born_in", "from", "grew_up_in"})
"""Relations that hold for ever if they hold at all."""

ALSO_CALLED: Final = "also_called"
"""The relation between a thing and another name of it."""


class Rule(NamedTuple):
    """A pattern of how a predicate begins, and its relation; ``named``: the object is a name."""

    said: re.Pattern[str]
    relation: str
    mode: Mode
    named: bool = False


@cache
def rules() -> tuple[Rule, ...]:
    """Return the rules of ``patterns/relations.txt``, in the order in which they are tried."""
    found = []
    for key, said in pattern_list("relations"):
        relation, *how = key.split()
        if how:
            pattern = re.compile(rf"(?:{said})(?: |$)", re.IGNORECASE)
            found.append(Rule(pattern, relation, convert(how[0], Mode), "named" in how))
    return tuple(found)


@cache
def _several() -> frozenset[str]:
    """Return the relations of which several may hold at a time."""
    return frozenset(
        {rule.relation for rule in rules()} - FUNCTIONAL | {"is_a", "name", ALSO_CALLED}
    )


def functional(relation: str) -> bool:
    """
    Return whether a relation is to one thing at a time.

    So are the ones that are known to be, and what is "my" something, unless it is a person or an
    animal, of whom one may have several.
    """
    if relation in FUNCTIONAL:
        return True
    return relation not in _several() and not is_being(relation)


def is_being(relation: str) -> bool:
    """Return whether who is "my" something by a relation is somebody close, or an animal."""
    return relation in word_set("kin") or "animal" in kinds(relation)
