"""
Keep what cannot be right from being consolidated, for a while (HUMAN, section 4).

Duplicates, late arrivals and effects before their causes go into quarantine. They are recalled as
ever; what sleep makes of experience leaves them out until somebody clears them, or time is up.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from hippocampus.model import DOUBTED, Act, EpisodeRow
from hippocampus.sleep.night import Night

_MINUTE: Final = 60_000_000
_HOUR: Final = 60 * _MINUTE
_AGAIN: Final = 5 * _MINUTE
"""Within which the same words by the same speaker were delivered twice, and not said twice."""
_LATE: Final = _HOUR
"""By how much something of a session arrives late, when later things of it were there already."""
_REPLIES: Final = frozenset({"assistant", "tool"})


def validate(night: Night) -> list[Act]:
    """Return what goes into quarantine, of all that no sleep has seen, and what leaves it."""
    until = night.now - round(night.policy.doubt_minutes * _MINUTE)
    acts = [
        Act("clear", row, "its time in quarantine is over")
        for row, since in sorted(night.doubts.since.items())
        if since <= until and night.records[row].marks & DOUBTED
    ]
    fresh = [e for e in night.records[night.seen("validate") :] if e.state == "active"]
    doubts: dict[int, str] = {}
    for row, why in (*_twice(night, fresh), *_late(night, fresh), *_inverted(night, fresh)):
        doubts.setdefault(row, why)
    ever = night.doubts.ever
    return acts + [Act("doubt", row, why) for row, why in sorted(doubts.items()) if row not in ever]


def _twice(night: Night, fresh: list[EpisodeRow]) -> Iterator[tuple[int, str]]:
    """Yield what the same speaker said in the same words a moment before."""
    said: dict[tuple[bytes, str | None, str | None], list[EpisodeRow]] = {}
    wanted = {e.digest for e in fresh}
    for e in night.records:
        if e.state != "active" or e.digest not in wanted or e.parts > 1:
            continue
        before = said.setdefault((e.digest, e.speaker, e.session), [])
        if e.row >= night.seen("validate"):
            for other in before:
                if abs(e.said_at - other.said_at) <= _AGAIN:
                    yield e.row, f"says what {other.id} said a moment before"
                    break
        before.append(e)


def _late(night: Night, fresh: list[EpisodeRow]) -> Iterator[tuple[int, str]]:
    """Yield what arrives long after later things of its session, but for whole ones at once."""
    if not fresh:
        return
    latest: dict[str, EpisodeRow] = {}
    for e in night.records:
        if e.session is None or e.state == "erased":
            continue
        last = latest.get(e.session)
        if last is not None and e.said_at < last.said_at - _LATE and e.noted_at > last.noted_at:
            if e.row >= night.seen("validate") and e.state == "active":
                yield e.row, f"arrives after {last.id}, which was said later"
        elif last is None or e.said_at > last.said_at:
            latest[e.session] = e


def _inverted(night: Night, fresh: list[EpisodeRow]) -> Iterator[tuple[int, str]]:
    """Yield replies that stand before what they reply to, and ends that come before their start."""
    by_turn = {
        (e.session, e.turn): e for e in night.records if e.turn is not None and e.state == "active"
    }
    for e in fresh:
        if e.turn is not None and e.role in _REPLIES:
            asked = by_turn.get((e.session, e.turn - 1))
            if asked is not None and asked.role not in _REPLIES and e.said_at < asked.said_at:
                yield e.row, f"replies to {asked.id} before that was said"
        start, end = _stretch(e.metadata)
        if start is not None and end is not None and end < start:
            yield e.row, f"ends at {end}, before it starts at {start}"


def _stretch(metadata: str) -> tuple[str | None, str | None]:
    """Return the times that metadata gives as ``start`` and ``end``, as ISO text compares."""
    if '"start"' not in metadata or '"end"' not in metadata:
        return None, None
    said = json.loads(metadata)
    given = said.get("start"), said.get("end")
    start, end = (moment if isinstance(moment, str) else None for moment in given)
    return start, end
