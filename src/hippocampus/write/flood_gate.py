"""The gate for floods: how much others may bring into a bank within an hour, by origin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final

from hippocampus.core.clock import MICROS_PER_HOUR, to_micros
from hippocampus.core.config import Flood
from hippocampus.core.origin import OWN, Origin, derive_origin
from hippocampus.core.records import EpisodeRow, given_origin
from hippocampus.errors import FloodRefused
from hippocampus.journal.draft import Draft
from hippocampus.journal.ledger import Ledger

_AT_ONCE: Final = 256
"""Rows of a read: reading stops at the first that is older than an hour, so most banks take one.
Chosen by hand."""


def check_flood(
    ledger: Ledger,
    drafts: Iterable[Draft],
    now: datetime,
    most: Flood,
    *,
    hint: str = "",
    stored: int = 0,
) -> None:
    """
    Refuse turns that would bring too much from one origin into a bank within an hour.

    What the conversation itself says is never too much. What was taken in during the last hour is
    read from the store, so that several processes and a restart count as one. ``stored``: how many
    turns of the same call are there by now, which is told.

    Raises:
        FloodRefused: an origin would bring more episodes or characters than ``most``.

    """
    episodes, characters = Counter[Origin](), Counter[Origin]()
    for draft in drafts:
        spoken = draft.speaker is not None
        origin = given_origin(draft.marks) or derive_origin(draft.role, draft.source, spoken=spoken)
        if origin not in OWN:
            episodes[origin] += 1
            characters[origin] += len(draft.text)
    if not episodes:
        return
    recent = [e for e in _since(ledger, to_micros(now) - MICROS_PER_HOUR) if e.origin in episodes]
    episodes.update(e.origin for e in recent)
    if most.characters is not None:
        texts = ledger.reader.texts([e.row for e in recent if e.state != "erased"])
        for e in recent:
            characters[e.origin] += len(texts.get(e.row, ""))
    done = f"the first {stored:,} of its turns were stored, so bring the rest later"
    done = done if stored else "nothing of it was stored, so bring it later or in part"
    for what, counted, limit in (
        ("episodes", episodes, most.episodes), ("characters", characters, most.characters),
    ):  # fmt: skip
        for origin, number in counted.items():
            if limit is not None and number > limit:
                raise FloodRefused(
                    f"with this, {number:,} {what} of origin {origin!r} would have come in within"
                    f" an hour; at most {limit:,} may (Flood.{what}); {done}{hint}"
                )


def _since(ledger: Ledger, moment: int) -> Iterator[EpisodeRow]:
    """Yield the episodes that were recorded since a moment, the last first."""
    table = ledger.store.episodes
    for stop in range(table.count(ledger.bank), 0, -_AT_ONCE):
        some = table.read(ledger.bank, range(max(0, stop - _AT_ONCE), stop))
        yield from (e for e in reversed(some) if e.recorded_at > moment)
        if some and some[0].recorded_at <= moment:
            return
