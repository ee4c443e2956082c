"""
Counting events: mentions of one event are one, and what only may be another stands apart.

An event is what took place on a day. Mentions of one day are of one event; so are a longer stretch
and a day in it, and "the swim" and the one that was told a few days before. Things that are counted
("films") are told apart by their names, whatever the day.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from hippocampus.core.records import CountedEvent, Evidence, Interval
from hippocampus.language.counting.mentions import Mention

_KNOWN_FOR: Final = timedelta(days=3)
"""Time after an event was told in which "the swim" is that event without more words; set by hand
(docs/adr/0053)."""
_LONG: Final = 1000
"""Days of a stretch from which on each event is compared with it: few tell of years. Set by
hand."""


class ToldEvent(NamedTuple):
    """A mention, and the episode that has it."""

    episode: str
    occurred_at: datetime
    mention: Mention
    evidence: Evidence


@dataclass(slots=True)
class _Group:
    start: datetime
    end: datetime
    told: list[ToldEvent] = field(default_factory=list)
    what: set[str] = field(default_factory=set)
    times: int = 1

    def event(self) -> CountedEvent:
        """Return the event, quoted as the mention nearest to it has it."""
        sure = [one for one in self.told if one.evidence == "told"]
        best = min(sure or self.told, key=lambda one: one.occurred_at)
        ids = {one.episode: None for one in sorted(self.told, key=lambda one: one.occurred_at)}
        return CountedEvent(
            start=self.start, end=self.end, quote=best.mention.quote, episodes=tuple(ids),
            evidence=best.evidence, times=self.times,
        )  # fmt: skip


class _GroupsByDay:
    """Groups in the order in which they were begun, each found by its days and by its names."""

    def __init__(self) -> None:
        self.every: list[_Group] = []
        self._of_day: defaultdict[int, list[int]] = defaultdict(list)
        self._named: defaultdict[str, list[int]] = defaultdict(list)
        self._long: list[int] = []
        """Those of more days than are worth a place each."""

    def begin(self, group: _Group) -> None:
        """Begin a group."""
        self.every.append(group)
        self._put(len(self.every) - 1, group.what)

    def _put(self, number: int, what: Iterable[str]) -> None:
        """Have a group found by its days, and by some names."""
        days = _days(self.every[number].start, self.every[number].end)
        places = [self._long] if len(days) > _LONG else [self._of_day[day] for day in days]
        for place in (*places, *(self._named[name] for name in what)):
            place.append(number)

    def of_event(self, mention: Mention, time: Interval) -> Iterator[tuple[int, _Group]]:
        """Yield the groups of the event of a mention, and the place of each, in their order."""
        assert time.start is not None, "mentions have closed times"
        assert time.end is not None, "mentions have closed times"
        days = _days(time.start, time.end, before=_KNOWN_FOR.days)
        if len(days) > _LONG:
            near: Iterable[int] = range(len(self.every))
        else:
            near = {*self._long, *(one for day in days for one in self._of_day.get(day, ()))}
            near = sorted(near.union(*(self._named.get(name, ()) for name in mention.what)))
        for number in near:
            if _is_of_event(self.every[number], mention, time.start, time.end):
                yield number, self.every[number]

    def join(self, number: int, one: ToldEvent, start: datetime, end: datetime) -> None:
        """Put a mention into a group, whose time is the shortest that is told of it."""
        group, names = self.every[number], one.mention.what
        group.told.append(one)
        shorter = end - start < group.end - group.start
        if shorter:
            group.start, group.end = start, end
        if shorter or not names <= group.what:
            self._put(number, names - group.what)
        group.what |= names


def _days(start: datetime, end: datetime, *, before: int = 0) -> range:
    """Return the numbers of the days of a stretch, and of those beside it, whatever the zone."""
    return range(start.toordinal() - 1 - before, end.toordinal() + 2)


def group_events(
    told: Iterable[ToldEvent], within: Sequence[Interval] | None, now: datetime
) -> tuple[list[CountedEvent], list[CountedEvent]]:
    """
    Return the events that took place for sure, and those that may have, in order of time.

    Args:
        told: the mentions.
        within: stretches of which an event has to be in one; None: any will do.
        now: the present, after which nothing took place.

    """
    # "Twice this week" after what is told of its days, which are among the two.
    ordered = sorted(
        told, key=lambda one: (one.mention.often > 1, one.mention.known, one.occurred_at)
    )
    sure, doubtful = _GroupsByDay(), _GroupsByDay()
    for certain in (True, False):
        for one in ordered:
            if (one.evidence == "told") is certain:
                for time in one.mention.times:
                    if time.start is not None and time.start > now:
                        continue
                    _add(one, time, [sure] if certain else [sure, doubtful])
    return _events(sure.every, within, now), _events(doubtful.every, within, now)


def _add(one: ToldEvent, time: Interval, known: Sequence[_GroupsByDay]) -> None:
    """Put a mention into the group of its event, or begin one among the last that are known."""
    assert time.start is not None, "mentions have closed times"
    assert time.end is not None, "mentions have closed times"
    often = one.mention.often
    for groups in known:
        same = groups.of_event(one.mention, time)
        number, group = next(same, (0, None))
        if group is None:
            continue
        if often > 1 and groups is known[-1]:  # what is unsure adds nothing to what is sure
            group.times += max(0, often - group.times - sum(other.times for _, other in same))
        groups.join(number, one, time.start, time.end)
        return
    known[-1].begin(_Group(time.start, time.end, [one], set(one.mention.what), often))


def _is_of_event(group: _Group, mention: Mention, start: datetime, end: datetime) -> bool:
    if group.what and mention.what:
        return not group.what.isdisjoint(mention.what)
    if mention.known and not mention.told:
        return group.start <= end and start - group.end <= _KNOWN_FOR
    return start < group.end and group.start < end


def _events(
    groups: Sequence[_Group], within: Sequence[Interval] | None, now: datetime
) -> list[CountedEvent]:
    inside = [
        group for group in groups
        if within is None or any(_is_in(group, one, now) for one in within)
    ]  # fmt: skip
    return [group.event() for group in sorted(inside, key=lambda group: group.start)]


def _is_in(group: _Group, stretch: Interval, now: datetime) -> bool:
    """
    Return whether most of an event lies in a stretch; of two halves the one with its start.

    What is told of today took place before now.
    """
    last = group.end if now <= group.start else min(group.end, now)
    start = group.start if stretch.start is None else max(group.start, stretch.start)
    end = last if stretch.end is None else min(last, stretch.end)
    half = last - group.start
    lying = (end - start) * 2
    return lying > half or (lying == half and start == group.start)
