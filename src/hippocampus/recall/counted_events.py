"""
Counting events: mentions of one event are one, and what only may be another stands apart.

An event is what took place on a day. Mentions of one day are of one event; so are a longer stretch
and a day in it, and "the swim" and the one that was told a few days before. Things that are counted
("films") are told apart by their names, whatever the day.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from hippocampus.core.records import CountedEvent, Evidence, Interval
from hippocampus.language.counting.mentions import Mention

_KNOWN_FOR: Final = timedelta(days=3)
"""Time after an event was told in which "the swim" is that event without more words; set by hand
(docs/adr/0053)."""


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
    sure: list[_Group] = []
    doubtful: list[_Group] = []
    for certain in (True, False):
        for one in ordered:
            if (one.evidence == "told") is certain:
                for time in one.mention.times:
                    if time.start is not None and time.start > now:
                        continue
                    _add(one, time, sure, None if certain else doubtful)
    return _events(sure, within), _events(doubtful, within)


def _add(one: ToldEvent, time: Interval, sure: list[_Group], doubtful: list[_Group] | None) -> None:
    """Put a mention into the group of its event, or begin one."""
    assert time.start is not None, "mentions have closed times"
    assert time.end is not None, "mentions have closed times"
    for groups in (sure, doubtful or ()):
        same = (g for g in groups if _is_of_event(g, one.mention, time.start, time.end))
        group = next(same, None)
        if group is None:
            continue
        group.told.append(one)
        group.what |= one.mention.what
        if one.mention.often > 1 and groups is (sure if doubtful is None else doubtful):
            known = group.times + sum(other.times for other in same)
            group.times += max(0, one.mention.often - known)
        if time.end - time.start < group.end - group.start:
            group.start, group.end = time.start, time.end
        return
    target, often = sure if doubtful is None else doubtful, one.mention.often
    target.append(_Group(time.start, time.end, [one], set(one.mention.what), often))


def _is_of_event(group: _Group, mention: Mention, start: datetime, end: datetime) -> bool:
    if group.what and mention.what:
        return not group.what.isdisjoint(mention.what)
    if mention.known and not mention.told:
        return group.start <= end and start - group.end <= _KNOWN_FOR
    return start < group.end and group.start < end


def _events(groups: Sequence[_Group], within: Sequence[Interval] | None) -> list[CountedEvent]:
    inside = [
        group for group in groups if within is None or any(_is_in(group, one) for one in within)
    ]
    return [group.event() for group in sorted(inside, key=lambda group: group.start)]


def _is_in(group: _Group, stretch: Interval) -> bool:
    """Return whether most of an event lies in a stretch; of two halves the one with its start."""
    start = group.start if stretch.start is None else max(group.start, stretch.start)
    end = group.end if stretch.end is None else min(group.end, stretch.end)
    half = group.end - group.start
    lying = (end - start) * 2
    return lying > half or (lying == half and start == group.start)
