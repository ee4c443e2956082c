"""
Facts with valid times, folded from statements in order of time.

Facts are a view of the rows that a read may see, made anew for it: hidden rows state nothing, and
as of a moment no later statement counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import heappop, heappush
from itertools import count
from typing import Final, NamedTuple

from hippocampus.core.records import Statement
from hippocampus.language.entity_linking import Same, canonical_name, fold_name
from hippocampus.language.nouns import kinds, singular
from hippocampus.language.relations import (
    ALIVE,
    ALSO_CALLED,
    EXCLUSIVE,
    ONE_OF_DIETS,
    functional,
    is_being,
    relation_of,
)


class Told(NamedTuple):
    """A statement, where it was made, and when: said and noted, in microseconds since 1970."""

    row: int
    occurred_at: int
    recorded_at: int
    statement: Statement
    own: bool = True
    """Whether the conversation says it, and not a file, a page or a tool."""


@dataclass(slots=True, eq=False)
class Known:
    """
    A fact as it stands; times in microseconds since 1970.

    ``rows``: who says so, in order; ``denied``: the last of them says that it never was so.
    """

    subject: str
    relation: str
    object: str
    valid_from: int | None
    valid_to: int | None
    known_from: int
    known_to: int | None
    rows: list[int]
    denied: bool = False
    own: bool = True
    """Whether the conversation says so, too; then nothing else ends it."""
    noun: str = ""
    """The noun it was said by: "sister" of a ``sibling``."""
    planned: bool = False
    """Whether it is only going to be."""
    dated: bool = False
    """Whether a text tells since when it is so."""
    ends: set[int] = field(default_factory=set)
    """Those of ``rows`` that say that it is over, or never was."""

    def also(self, told: Told) -> None:
        """Take in that it was said again."""
        self.known_from = min(self.known_from, told.recorded_at)
        if self.rows[-1] != told.row:  # what one row says is taken in at once
            self.rows.append(told.row)
        self.own |= told.own

    def over(self, told: Told) -> None:
        """Take in that it is over, since the moment that is told, or when that was said."""
        since = _first(told.statement.end, told.statement.start, told.occurred_at)
        self.valid_to = since if self.valid_from is None else max(since, self.valid_from)
        self.known_to = max(told.recorded_at, self.known_from)

    def never(self, told: Told) -> None:
        """Take in that it never was so: it held from some moment to that same moment."""
        self.denied = True
        since = told.occurred_at if self.valid_from is None else self.valid_from
        self.valid_to = self.valid_from = since
        self.known_to = max(told.recorded_at, self.known_from)

    def since(self, at: int) -> bool:
        """Return whether a text tells that it is so since a later moment."""
        return self.dated and self.valid_from is not None and self.valid_from > at

    def yields_to(self, told: Told) -> bool:
        """Return whether a statement may end it: what others wrote ends nothing that was said."""
        return told.own or not self.own

    def holds(self, at: int) -> bool:
        """Return whether it holds at a moment."""
        begun = not self.planned and (self.valid_from is None or self.valid_from <= at)
        return begun and (self.valid_to is None or at < self.valid_to)


@dataclass(slots=True)
class _About:
    """
    Facts of one subject and relation.

    ``alike``: by the thing; ``open``: those that are not over, at most one of a thing; ``planned``:
    those that are going to be; ``last``: since when the last is over; ``changed``: when it was last
    told that it has changed.
    """

    alike: dict[str, list[Known]] = field(default_factory=dict)
    open: dict[str, Known] = field(default_factory=dict)
    planned: dict[str, Known] = field(default_factory=dict)
    last: int | None = None
    changed: int | None = None

    def put(self, fact: Known) -> None:
        """Put a fact where it belongs as it stands, a new one or one that has changed."""
        key = _key(fact.object)
        if fact.valid_to is None:
            self.open[key] = fact
            return
        if self.open.get(key) is fact:
            del self.open[key]
        self.last = fact.valid_to if self.last is None else max(self.last, fact.valid_to)

    def add(self, fact: Known) -> None:
        """Put a new fact."""
        self.alike.setdefault(_key(fact.object), []).append(fact)
        self.put(fact)

    def told(self, key: str, *, whole: bool) -> list[Known]:
        """
        Return the facts of a thing, or of all that are called so in short.

        A "red car" is a "car", and "Kranich" may be "Kranich Software", if no other is meant.
        """
        if whole:
            return self.alike.get(key, [])
        every = [fact for facts in self.alike.values() for fact in facts]
        begun = _begun(key, self.open.values()) or _begun(key, every)
        return [fact for fact in every if _is_short(key, fact)] or [
            fact for fact in every if begun == {_key(fact.object)}
        ]

    def standing(self, key: str, *, whole: bool) -> list[Known]:
        """Return the facts that are not over."""
        if whole:
            return [self.open[key]] if key in self.open else []
        begun = _begun(key, self.open.values())
        return [fact for fact in self.open.values() if _is_short(key, fact)] or [
            fact for fact in self.open.values() if begun == {_key(fact.object)}
        ]


def know(told: Iterable[Told], same: Mapping[str, Same], now: int | None = None) -> list[Known]:
    """
    Return the facts that statements come to, in the order in which they were first told.

    What can only be so of one thing ends when it is told of another. What is denied ends, or turns
    out never to have been so. What is planned, for a day to come or for none that is told, ends
    nothing before that day comes, or it is told that it is so. What files, pages and tools say
    against what was said in conversation is no fact, whenever they say it.

    Args:
        told: statements, in any order.
        same: whom names mean, as ``resolve`` has it.
        now: the moment as of which days have come, in microseconds since 1970; None: all have.

    """
    timeline = _Timeline(same, now)
    for one in sorted(told, key=lambda one: (one.occurred_at, one.row)):
        timeline.take(one)
    timeline.begin_until(now)
    return timeline.facts


class _Plan(NamedTuple):
    """A plan for a day: ``number``: of those told so far; ``stood``: what stands as planned yet."""

    day: int
    number: int
    told: Told
    fact: Known
    stood: Known | None


class _Timeline:
    """Facts as far as statements were taken in, in order of time."""

    def __init__(self, same: Mapping[str, Same], now: int | None) -> None:
        self.facts: list[Known] = []
        self._same = same
        self._now = now
        self._plans: list[_Plan] = []
        """A heap, the first day first."""
        self._numbers = count()
        self._every: defaultdict[tuple[str, str], _About] = defaultdict(_About)
        self._pets: defaultdict[str, list[_About]] = defaultdict(list)
        """Where a pet's name is one of the facts, whosever it is."""

    def take(self, one: Told) -> None:
        """Take in the next statement."""
        self.begin_until(one.occurred_at if self._now is None else min(one.occurred_at, self._now))
        said = one.statement
        subject = canonical_name(said.subject, self._same)
        thing = canonical_name(said.object, self._same)
        # Another name means whose it is; what is told is the name. And "McDonald's" is nobody's.
        if said.relation in ("name", ALSO_CALLED) or (
            not is_being(said.relation) and said.object == f"{thing}'s"
        ):
            thing = said.object
        fact = Known(
            subject, said.relation, thing, said.start, None, one.recorded_at, None, [one.row],
            own=one.own, noun=said.noun, dated=said.start is not None,
        )  # fmt: skip
        if said.mode in ("held", "ended", "denied"):
            self._close(fact, one)
        elif said.mode == "planned" if said.start is None else said.start > one.occurred_at:
            self._plan(fact, one)
        else:
            self._open(fact, one)

    def _about(self, fact: Known) -> _About:
        return self._every[fold_name(fact.subject), fact.relation]

    def begin_until(self, moment: int | None) -> None:
        """Begin the plans for a day up to a moment; None: all of them."""
        while self._plans and (moment is None or self._plans[0].day <= moment):
            self._begin(heappop(self._plans))

    def _begin(self, plan: _Plan) -> None:
        """Begin a plan, unless it was dropped or put off, or another change was told since."""
        fact, about, key = plan.fact, self._about(plan.fact), _key(plan.fact.object)
        if plan.stood is not None:
            # What was there already is planned anew: it has to have ended for another in between.
            if plan.stood.valid_to is not None and not plan.stood.ends:
                self._open(fact, plan.told)
            return
        kept = about.planned.get(key)
        if kept is None or kept.valid_from != plan.day:
            return
        del about.planned[key]
        kept.planned, kept.dated = False, True
        if about.changed is not None and about.changed > plan.told.occurred_at:
            kept.over(plan.told)
        elif self._end_others(kept, plan.told) is None:
            self.facts.remove(kept)
            return
        self._put(kept)

    def _close(self, fact: Known, one: Told) -> None:
        """End a fact that is said to be over; keep it as over, or denied, if nobody told it."""
        said, about, key = one.statement, self._about(fact), _key(fact.object)
        plan = about.planned.get(key)
        if plan is not None and plan.yields_to(one):  # it stands until it is ended below
            del about.planned[key]
            plan.planned = False
            about.add(plan)
        of = [(about, key, "" if fact.object else said.noun)]
        if said.relation == "owns" and said.mode != "held":  # whose dog is gone, their dog Rex is
            animals = self._every[fold_name(fact.subject), relation_of(key) or key]
            of.append((animals, "", key))
            if said.mode == "ended" and fact.object:  # nor do they drive what they gave away
                _end(one, [(self._every[fold_name(fact.subject), "drives"], key, "")])
        if said.relation == ALIVE:  # who has died is nobody's pet
            of = [(pets, _key(fact.subject), "") for pets in self._pets[_key(fact.subject)]]
        if _end(one, of) or not fact.object:
            return
        if said.mode == "denied":
            fact.never(one)
        else:
            fact.valid_from = said.start if said.mode == "held" else None
            fact.over(one)
        fact.ends.add(one.row)
        self._keep(fact)

    def _plan(self, fact: Known, one: Told) -> None:
        """Keep a fact that is going to be, since the day told last; it ends nothing."""
        about, key = self._about(fact), _key(fact.object)
        plan = about.planned.get(key)
        if plan is not None:
            plan.also(one)
            plan.valid_from = plan.valid_from if fact.valid_from is None else fact.valid_from
        elif key not in about.open:
            fact.planned = True
            about.planned[key] = fact
            self.facts.append(fact)
        if fact.valid_from is not None:
            stood = about.open.get(key)
            heappush(self._plans, _Plan(fact.valid_from, next(self._numbers), one, fact, stood))

    def _open(self, fact: Known, one: Told) -> None:
        """Open a fact, and end those that cannot hold beside it."""
        said, about, key = one.statement, self._about(fact), _key(fact.object)
        open_ = about.open.get(key)
        change = said.mode == "began" and functional(said.relation)
        if open_ is None and change and fact.dated and self._insert(fact, one):
            self._keep(fact)
            return
        ended = self._end_others(fact, one)
        if ended is None:
            return
        plan = about.planned.pop(key, None)
        if plan is not None:
            self.facts.remove(plan)
        if open_ is not None:
            open_.also(one)
            return
        if change:
            about.changed = one.occurred_at
        if said.start is None and (said.mode == "began" or ended):
            fact.valid_from = one.occurred_at
        elif said.start is None and functional(said.relation):  # not while another one held
            fact.valid_from = about.last
        self._keep(fact)

    def _insert(self, fact: Known, one: Told) -> bool:
        """
        Put a change between others, if all that it could end is dated later; return whether it is.

        It holds up to the next of them, and the one before it up to its day.
        """
        about, start = self._about(fact), fact.valid_from
        assert start is not None, "it is dated"

        def rivals(facts: Iterable[Known]) -> list[Known]:
            return [other for other in facts if _yields(other, fact.object, one.statement)]

        open_ = rivals(about.open.values())
        if not open_ or not all(other.since(start) and other.yields_to(one) for other in open_):
            return False
        others = rivals(other for alike in about.alike.values() for other in alike)
        for other in others:
            if other.dated and not other.ends and other.holds(start):
                other.valid_to = start
        days = [other.valid_from for other in others if other.since(start) and not other.denied]
        fact.valid_to = min(day for day in days if day is not None)
        fact.known_to = fact.known_from
        return True

    def _end_others(self, fact: Known, one: Told) -> bool | None:
        """
        End the facts that cannot hold beside one; return whether there were any, None if they stay.

        What files, pages and tools say against what was said in conversation is passed over, even
        if it is newer (docs/adr/0040).
        """
        said, about, key = one.statement, self._about(fact), _key(fact.object)
        opposed = self._every[fold_name(fact.subject), EXCLUSIVE.get(said.relation, "")]
        ended = [(opposed, other) for other in opposed.standing(key, whole=True)]
        others = (other for alike, other in about.open.items() if alike != key)
        if functional(said.relation):
            ended += [(about, other) for other in others if _yields(other, fact.object, said)]
        elif said.relation == "diet" and key in ONE_OF_DIETS:
            ended += [(about, other) for other in others if _key(other.object) in ONE_OF_DIETS]
        if not all(other.yields_to(one) for _, other in ended):
            return None
        for there, other in ended:
            other.over(one)
            there.put(other)
        return bool(ended)

    def _keep(self, fact: Known) -> None:
        self.facts.append(fact)
        self._put(fact)

    def _put(self, fact: Known) -> None:
        self._about(fact).add(fact)
        if fact.relation == "pet":
            self._pets[_key(fact.object)].append(self._about(fact))


def _end(one: Told, of: Sequence[tuple[_About, str, str]]) -> bool:
    """
    End facts of some things, as a statement has it; return whether any are known at all.

    ``of``: facts, the key of the thing, and the noun that they were said by, "" for any.
    """
    said = one.statement
    whole = said.mode == "held" and bool(said.object)
    never = said.mode == "denied" and said.start is None

    def of_noun(facts: Iterable[Known], noun: str) -> list[Known]:
        return [fact for fact in facts if not noun or noun in (fact.noun, fact.relation)]

    before = [
        fact for about, key, noun in of for fact in of_noun(about.told(key, whole=whole), noun)
    ]
    over: list[Known] = []
    for about, key, noun in of:
        for fact in of_noun((about.told if never else about.standing)(key, whole=whole), noun):
            if not fact.yields_to(one):
                continue
            (fact.never if never else fact.over)(one)
            about.put(fact)
            over.append(fact)
    for fact in over or before[-1:]:
        if fact.yields_to(one):
            fact.also(one)
            fact.ends.add(one.row)
    return bool(before)


def _first(end: int | None, start: int | None, occurred_at: int) -> int:
    """Return the first of some times that is known."""
    told = start if end is None else end
    return occurred_at if told is None else told


@lru_cache(maxsize=1 << 14)  # each statement is held against all facts of its sort
def _key(thing: str) -> str:
    """Return the key that two names of one thing share: "cat" of "the two Cats"."""
    *first, last = fold_name(thing).split() or [""]
    return " ".join([*first, singular(last)])


def _is_short(key: str, fact: Known) -> bool:
    """Return whether words are what a thing is called, or the end of it."""
    words = _key(fact.object)
    return not key or words == key or words.endswith(f" {key}")


def _begun(key: str, facts: Iterable[Known]) -> set[str]:
    """Return the names that begin with some words, of firms and schools alone: no "Apple Watch"."""
    return {
        _key(fact.object) for fact in facts
        if fact.relation in ("works_at", "studies_at")
        and fact.object.istitle() and _key(fact.object).startswith(f"{key} ")
    }  # fmt: skip


def _yields(fact: Known, thing: str, said: Statement) -> bool:
    """
    Return whether a fact gives way to what is said of another thing.

    To a change always; to a mere state only of its own sort: who lives in Lisbon may also live in
    Portugal, and who works at a bank at Northwind.
    """
    if said.relation == "lives_in" and _is_wide(fact.object) != _is_wide(thing):
        return False
    return said.mode == "began" or fact.object[0].isupper() == thing[0].isupper()


@lru_cache(maxsize=1 << 12)
def _is_wide(place: str) -> bool:
    """Return whether a place is a country or the like, in which others lie."""
    return any(word in _WIDE for kind in kinds(place.casefold()) for word in kind.split())


_WIDE: Final = frozenset({"country", "state", "continent", "province"})
