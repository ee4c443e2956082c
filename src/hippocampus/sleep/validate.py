"""
Quarantine of implausible events, kept from being consolidated (HUMAN, section 4).

Duplicates, late arrivals and effects before their causes go into quarantine. They are recalled as
ever; what sleep makes of experience leaves them out until somebody clears them, or time is up.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from datetime import tzinfo
from typing import Final

import numpy as np

from hippocampus.core.clock import MICROS_PER_HOUR, MICROS_PER_MINUTE, to_micros
from hippocampus.core.records import DOUBTED, Act, EpisodeRow
from hippocampus.core.timestamps import end_micros, is_day, to_moment
from hippocampus.errors import InvalidTime
from hippocampus.sleep.snapshot import SleepSnapshot

_AGAIN: Final = 5 * MICROS_PER_MINUTE
"""Time within which the same words by the same speaker were delivered twice, not said twice. HUMAN,
section 4, names no number: set by hand."""
_LATE: Final = MICROS_PER_HOUR
"""Time by which a turn arrives late, when later ones of its session were there already: clocks and
queues are minutes off, not hours. Set by hand."""
_REPLIES: Final = frozenset({"assistant", "tool"})


def validate(snapshot: SleepSnapshot) -> list[Act]:
    """Return the rows that go into quarantine, of those no sleep has seen, and those that leave."""
    until = snapshot.now - round(snapshot.policy.doubt_minutes * MICROS_PER_MINUTE)
    acts = [
        Act("clear", row, "its time in quarantine is over")
        for row, since in sorted(snapshot.doubts.since.items())
        if since <= until and snapshot.records[row].marks & DOUBTED
    ]
    unseen = map(snapshot.records.__getitem__, np.flatnonzero(snapshot.fresh("validate")).tolist())
    fresh = {e.row: e for e in unseen if e.state == "active"}
    doubts: dict[int, str] = {}
    for row, why in (
        *_twice(snapshot, fresh),
        *_late(snapshot, fresh),
        *_inverted(snapshot, fresh),
    ):
        doubts.setdefault(row, why)
    # What was let out once, by somebody or by time, is not put there again.
    ever = snapshot.doubts.ever
    return acts + [Act("doubt", row, why) for row, why in sorted(doubts.items()) if row not in ever]


def _twice(snapshot: SleepSnapshot, fresh: Mapping[int, EpisodeRow]) -> Iterator[tuple[int, str]]:
    """Yield the rows that repeat the same speaker's words of a moment before."""
    said: dict[tuple[bytes, str | None, str | None, str | None], list[tuple[int, int]]] = {}
    wanted = {e.digest for e in fresh.values()}
    for e in snapshot.records:
        # The parts of a long text all have the digest of the whole, and repeat nothing.
        if e.state != "active" or e.digest not in wanted or e.parts > 1:
            continue
        before = said.setdefault((e.digest, e.speaker, e.role, e.session), [])  # in order of time
        place = bisect_left(before, (e.occurred_at, e.row))
        if e.row in fresh:
            for occurred_at, row in before[max(0, place - 1) : place + 1]:
                if abs(e.occurred_at - occurred_at) <= _AGAIN:
                    yield e.row, f"says what {snapshot.records[row].id} said a moment before"
                    break
        before.insert(place, (e.occurred_at, e.row))


def _late(snapshot: SleepSnapshot, fresh: Mapping[int, EpisodeRow]) -> Iterator[tuple[int, str]]:
    """
    Yield the rows that arrive long after later ones of their session, but for whole sessions.

    A history that is brought in has whatever order its files and batches are in: only what came
    while it was said tells that something came late.
    """
    if not fresh:
        return
    latest: dict[str, EpisodeRow] = {}
    for e in snapshot.records:
        # Of what is erased only the time of recording is left, in place of its own.
        if e.session is None or e.state == "erased":
            continue
        last = latest.get(e.session)
        early = last is not None and e.occurred_at < last.occurred_at - _LATE
        if last is not None and early and e.recorded_at > last.recorded_at:
            if e.row in fresh and e.source is None and not _brought_in(last, e):
                yield e.row, f"arrives after {last.id}, which was said later"
        elif last is None or e.occurred_at > last.occurred_at:
            latest[e.session] = e


def _brought_in(e: EpisodeRow, after: EpisodeRow) -> bool:
    """Return whether an episode came in with the next, out of a file or another history."""
    past = e.recorded_at - e.occurred_at > _LATE
    return e.source is not None or (past and after.recorded_at - e.recorded_at < _LATE)


def _inverted(
    snapshot: SleepSnapshot, fresh: Mapping[int, EpisodeRow]
) -> Iterator[tuple[int, str]]:
    """Yield replies that stand before what they reply to, and ends that come before their start."""
    by_turn = {
        (e.session, e.turn): e
        for e in snapshot.records
        if e.turn is not None and e.state == "active"
    }
    for e in fresh.values():
        if e.turn is not None and e.role in _REPLIES:
            asked = by_turn.get((e.session, e.turn - 1))
            replies = asked is not None and asked.role not in _REPLIES and not _brought_in(asked, e)
            if asked is not None and replies and e.occurred_at < asked.occurred_at:
                yield e.row, f"replies to {asked.id} before that was said"
        stretch = _inverted_stretch(e.metadata, snapshot.zone)
        if stretch is not None:
            yield e.row, "ends at {1}, before it starts at {0}".format(*stretch)


def _inverted_stretch(metadata: str, zone: tzinfo) -> tuple[str, str] | None:
    """Return the ``start`` and ``end`` that metadata gives, if they are times and end first."""
    # Most metadata has neither, and is not worth reading as JSON.
    if '"start"' not in metadata or '"end"' not in metadata:
        return None
    said = json.loads(metadata)
    start, end = said.get("start"), said.get("end")
    if not isinstance(start, str) or not isinstance(end, str):
        return None
    try:
        last = end_micros(end, zone) - is_day(end)  # of a day, its last microsecond
        inverted = last < to_micros(to_moment(start, zone))
    except InvalidTime:  # something else is said to start and end
        return None
    return (start, end) if inverted else None
