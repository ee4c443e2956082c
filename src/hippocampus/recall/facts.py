"""
From what was said to what is known: statements, in order of time, become facts that begin and end.

Facts are a view of what a read may see, made anew for it: what is hidden says nothing, and as of a
moment nothing is known that was said later.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from hippocampus.encode.entities import Same, fold_name, meant
from hippocampus.encode.nouns import kinds, singular
from hippocampus.encode.relations import EXCLUSIVE, functional
from hippocampus.model import Statement


class Told(NamedTuple):
    """A statement, where it was made, and when: said and noted, in microseconds since 1970."""

    row: int
    said_at: int
    noted_at: int
    statement: Statement


@dataclass(slots=True, eq=False)
class Known:
    """A fact as it stands; times in microseconds since 1970. ``rows``: who says so, in order."""

    subject: str
    relation: str
    object: str
    valid_from: int | None
    valid_to: int | None
    known_from: int
    known_to: int | None
    rows: list[int]

    def also(self, told: Told) -> None:
        """Take in that it was said again."""
        self.known_from = min(self.known_from, told.noted_at)
        if told.row not in self.rows:
            self.rows.append(told.row)

    def over(self, told: Told) -> None:
        """Take in that it is over, since the moment that is told, or when that was said."""
        since = _first(told.statement.end, told.statement.start, told.said_at)
        self.valid_to = max(since, _first(self.valid_from, since))
        self.known_to = max(told.noted_at, self.known_from)

    def holds(self, at: int) -> bool:
        """Return whether it holds at a moment."""
        begun = self.valid_from is None or self.valid_from <= at
        return begun and (self.valid_to is None or at < self.valid_to)


def know(told: Iterable[Told], same: Mapping[str, Same]) -> list[Known]:
    """
    Return the facts that statements come to, in the order in which they were first told.

    What can only be so of one thing ends when it is told of another.

    Args:
        told: statements, in any order.
        same: whom names mean, as ``resolve`` has it.

    """
    facts: list[Known] = []
    about: defaultdict[tuple[str, str], list[Known]] = defaultdict(list)
    for one in sorted(told, key=lambda one: (one.said_at, one.row)):
        said = one.statement
        subject, thing = meant(said.subject, same), meant(said.object, same)
        there = about[fold_name(subject), said.relation]
        alike = [fact for fact in there if not thing or _key(fact.object) == _key(thing)]
        open_ = [fact for fact in alike if fact.valid_to is None]
        if said.mode in ("held", "ended"):
            for fact in open_:
                fact.over(one)
            for fact in open_ or alike[-1:]:
                fact.also(one)
            if alike or not thing:
                continue
        else:
            opposed = about[fold_name(subject), EXCLUSIVE.get(said.relation, "")]
            gone = [fact for fact in opposed if _key(fact.object) == _key(thing)]
            if functional(said.relation):
                gone += [fact for fact in there if fact not in alike and _yields(fact, thing, said)]
            gone = [fact for fact in gone if fact.valid_to is None]
            for fact in gone:
                fact.over(one)
            if open_:
                open_[0].also(one)
                continue
        fact = Known(subject, said.relation, thing, said.start, None, one.noted_at, None, [one.row])
        if said.mode in ("held", "ended"):
            fact.valid_from = said.start if said.mode == "held" else None
            fact.over(one)
        elif said.start is None and (said.mode == "began" or gone):
            fact.valid_from = one.said_at
        elif said.start is None and functional(said.relation):  # not while another one held
            fact.valid_from = max(
                (f.valid_to for f in there if f.valid_to is not None), default=None
            )
        facts.append(fact)
        there.append(fact)
    return facts


def _first(*times: int | None) -> int:
    """Return the first of some times that is known; the last one is."""
    return next(time for time in times if time is not None)


def _key(thing: str) -> str:
    """Return what two names of one thing have in common: "the two Cats", "cat"."""
    *first, last = fold_name(thing).split() or [""]
    return " ".join([*first, singular(last)])


def _yields(fact: Known, thing: str, said: Statement) -> bool:
    """
    Return whether a fact gives way to what is said of another thing.

    To a change always; to a mere state only of its own sort: who lives in Lisbon may also live in
    Portugal, and who works at a bank at Northwind.
    """
    if said.relation == "lives_in" and _is_wide(fact.object) != _is_wide(thing):
        return False
    return said.mode == "began" or fact.object[0].isupper() == thing[0].isupper()


def _is_wide(place: str) -> bool:
    """Return whether a place is a country or the like, in which others lie."""
    return any(word in _WIDE for kind in kinds(place.casefold()) for word in kind.split())


_WIDE: Final = frozenset({"country", "state", "continent", "province"})
