"""
Rows for a question "how many times": each event that took place by one row, and all of them.

What only speaks of the thing ("I should run more often") is as near to such a question as what
tells of an event. So the texts of the best rows, and of those that have a word of what is counted,
are read (``language/counting``): rows that tell of one, in the time that is asked for, come before
the others, the first of each event before its further ones. Where "when did I last run?" asks for
the time of one of them, the row that tells of that leads.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Floats
from hippocampus.core.clock import from_micros
from hippocampus.core.records import Interval
from hippocampus.core.roles import MACHINE_ROLES
from hippocampus.encode.terms import hash_terms
from hippocampus.index.columns import Labels
from hippocampus.kernel import top_k
from hippocampus.language.counting.asked import AskedEvents
from hippocampus.language.counting.families import stems_of_family
from hippocampus.language.counting.mentions import EventMentions, Mention, find_mentions
from hippocampus.recall.propose import Search
from hippocampus.recall.scored import Scored
from hippocampus.recall.spreading_activation import ReadTexts

_MOST_READ: Final = 200
"""Rows that are read at most: 20 to 40 ms, at the 80 µs of a memory or more (docs/adr/0053)."""
_BEST: Final = 40
"""Rows that are read for their score, whatever their words, for many an event is told without its
verb (docs/adr/0053)."""
_AGAIN, _UNSURE, _DENIED = np.float32(2), np.float32(1), np.float32(-1)
"""Gain of a row, in standard deviations: one that tells of an event that another row tells of, too,
one that may tell of a further event, and one that says that it did not take place. The first to
tell of an event gains as much as there is between the best row and the last. Set by hand, as the
next."""
_ENOUGH: Final = 5
"""Events that are looked at for the last or the first of all, by when they were told; chosen by
hand: of what was told last seldom all is older than what was told before."""
_AT_A_TIME: Final = 16
"""Rows that are read together, by when they were told; chosen by hand."""
_ELSEWHERE: Final = np.float32(-4)
"""Its gain if nothing of it is of the time that is asked for: it outweighs any gain below the
first's."""


def gain_of_events(search: Search, scored: Scored, texts: ReadTexts) -> Floats | None:
    """Return the gains of rows that tell of events to be counted, each event by one row first."""
    asked = search.query.counted
    if asked is None or not asked.keys or not len(scored.rows):
        return None
    places = _places(search, scored, asked)
    rows = scored.rows[places].tolist()
    read = texts(rows)
    gains = np.zeros(len(scored.rows), np.float32)
    if search.within is not None and not any(one.vague for one in asked.intervals):
        gains[~search.within[scored.rows.astype(np.intp)]] = _ELSEWHERE
    above = np.float32(np.ptp(scored.scores))
    seen: set[tuple[object, object]] = set()
    for place, row in zip(places.tolist(), rows, strict=True):
        if row in read:
            gains[place] += _gain(search, asked, row, read[row], seen, above)
    return gains if gains.any() else None


def gain_of_occasion(search: Search, scored: Scored, texts: ReadTexts) -> Floats | None:
    """Return the gain by which the row leads that tells of the event that was last, or first."""
    occasion = search.query.occasion
    if occasion is None or not len(scored.rows):
        return None
    places = _places(search, scored, occasion.events)
    said = search.index.columns.occurred_at(scored.rows[places])
    places = places[np.argsort(-said if occasion.last else said, kind="stable")]
    told: list[tuple[datetime, int]] = []
    for begin in range(0, len(places), _AT_A_TIME):
        some = places[begin : begin + _AT_A_TIME].tolist()
        read = texts(scored.rows[some].tolist())
        for place in some:
            row = int(scored.rows[place])
            found = _mentions(search, occasion.events, row, read.get(row, "")).found
            told += [
                (time.start, place)
                for one in found if one.sure and _is_in(one, occasion.events.intervals)
                for time in one.times if time.start is not None
            ]  # fmt: skip
        if len(told) >= _ENOUGH:
            break
    if not told:
        return None
    edge = max if occasion.last else min
    return scored.lead(edge(told, key=lambda one: one[0])[1])


def _places(search: Search, scored: Scored, asked: AskedEvents) -> NDArray[np.int64]:
    """Return the places of the rows to be read, best first."""
    stems = " ".join(stem for key in asked.keys for stem in stems_of_family(key))
    having = search.index.cues.lexical.having(hash_terms(stems), search.allowed)
    best = top_k(scored.scores, min(_BEST, len(scored.scores)))
    inside = np.isin(scored.rows, having, assume_unique=True)
    inside[best] = True
    chosen = np.flatnonzero(inside)
    order = np.argsort(-scored.scores[chosen], kind="stable")
    return chosen[order][:_MOST_READ]


def _gain(
    search: Search,
    asked: AskedEvents,
    row: int,
    text: str,
    seen: set[tuple[object, object]],
    first: np.float32,
) -> np.float32:
    """
    Return the gain of a row.

    Args:
        search: the search.
        asked: what is counted.
        row: the row.
        text: its text.
        seen: the ends of the events that rows before it tell of; those of this one are added.
        first: what the first to tell of an event gains.

    """
    found, refused = _mentions(search, asked, row, text)
    timely = [one for one in found if _is_in(one, asked.intervals)]
    if any(one.sure for one in timely):
        ends = {(time.start, time.end) for one in timely if one.sure for time in one.times}
        fresh = not ends <= seen
        seen |= ends
        return first if fresh else _AGAIN
    if timely:
        return _UNSURE
    return _DENIED if refused else np.float32(0)


def _mentions(search: Search, asked: AskedEvents, row: int, text: str) -> EventMentions:
    """Return the mentions of the events in a row; none of what a machine said."""
    columns = search.index.columns
    role, speaker = _label(columns.role, row), _label(columns.speaker, row)
    if role in MACHINE_ROLES:
        return EventMentions([])
    now = search.query.now
    assert now.tzinfo is not None, "a query is of an aware moment"
    occurred_at = from_micros(int(columns.occurred_at(np.array([row], np.uint32))[0]))
    return find_mentions(
        text, asked, occurred_at=occurred_at, zone=now.tzinfo,
        by_actor=not set(asked.who).isdisjoint((speaker or "").casefold().split()),
    )  # fmt: skip


def _label(labels: Labels, row: int) -> str | None:
    code = int(labels.codes[row])
    return None if code < 0 else labels.values[code]


def _is_in(mention: Mention, asked: tuple[Interval, ...]) -> bool:
    """Return whether an event lies in a time that is asked for, if any is."""
    return not asked or any(
        (one.start is None or time.end is None or one.start < time.end)
        and (one.end is None or time.start is None or time.start < one.end)
        for one in asked
        for time in mention.times
    )
