"""
Let one memory stand for all that say the same (HUMAN, section 4; CONCEPT, section 8.2).

The richer stays, then the newer; the others are superseded by it, and their addresses stay valid.
What differs in a number, a name, a day or a "not" is not the same, however near it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import tzinfo
from functools import cache
from typing import Final

import numpy as np

from hippocampus.core.arrays import Floats, Rows
from hippocampus.core.clock import MICROS_PER_DAY, MICROS_PER_MINUTE, from_micros
from hippocampus.core.records import HELD, PINNED, Act, EpisodeRow
from hippocampus.index.cue import Mask
from hippocampus.language.equivalence import are_opposed, detail_digests, richness, spelling
from hippocampus.sleep.snapshot import SleepSnapshot

_QUARTER: Final = 15 * MICROS_PER_MINUTE
_LOOKS: Final = 4
"""Near ones that are read to see whether they say the same; who is unlike them all stays."""
_AT_ONCE: Final = 1024
"""Rows whose cosines with all others are in memory at a time."""


def merge(night: SleepSnapshot, *, near: float, cluster: float) -> list[Act]:
    """
    Return merged memories, each with the one that stays for it.

    Args:
        night: the bank.
        near: cosine above which two mean the same, if no detail differs.
        cluster: cosine above which two are of one matter.

    """
    how = night.policy.merge
    if how == "off":
        return []
    acts = list(_exact(night, any_day=how != "exact"))
    if how == "exact" or night.vectors is None:
        return acts
    gone = {act.row for act in acts}
    # A part of a long text is merged with the whole text or not at all.
    whole = np.fromiter((e.parts == 1 for e in night.records), np.bool_, len(night))
    rows = np.flatnonzero(night.trusted & whole)
    rows = rows[~np.isin(rows, list(gone))]
    if how == "near":
        least = near if night.policy.near is None else night.policy.near
        groups = _alike(night, rows)
    else:
        least, groups = cluster, [rows]
    # A policy that merges all of one matter accepts that details are lost.
    into = dict(_near(night, groups, least, _opposed(night) if how == "near" else None))
    # What stands for the same words may itself be merged.
    acts = [act._replace(by=into[act.by][0]) if act.by in into else act for act in acts]
    why = "says the same" if how == "near" else "is of the same matter"
    acts += [
        Act("merge", row, f"{why}, cosine {cosine:.2f}", by=other)
        for row, (other, cosine) in into.items()
    ]
    return sorted(acts, key=lambda act: act.row)


def _free(night: SleepSnapshot, row: int) -> bool:
    return not night.records[row].marks & (PINNED | HELD)


def _fresh(night: SleepSnapshot) -> Mask:
    """
    Return the rows that have not been compared with everything in force.

    What somebody told apart stays so, also when it is hidden and shown again: it is merged only
    with what is newer.
    """
    fresh = night.fresh("deduplicate")
    apart = np.fromiter(night.apart, np.int64, len(night.apart))
    fresh[apart[apart < night.seen("deduplicate")]] = False
    return fresh


def _exact(night: SleepSnapshot, *, any_day: bool) -> Iterator[Act]:
    """
    Yield the same words by the same speaker, each into the last of them.

    Unless on any day, they are of one day, session and source and have the same metadata: then no
    filter finds less. The parts of a long text have the digest of the whole, and go into the parts
    of another. What somebody told apart is merged only with what is newer.
    """
    allowed, fresh = night.trusted, _fresh(night)
    day = _day_in(night.zone)
    groups: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
    for e in night.records:
        if allowed[e.row]:
            place = () if any_day else (day(e.occurred_at), e.session, e.source, e.metadata)
            groups[e.digest, e.speaker, e.role, e.parts, e.part, place].append(e.row)
    why = "the same words" if any_day else "the same words on the same day"
    # Texts are read only of these, which are few.
    several = [rows for rows in groups.values() if len(rows) > 1]
    for rows in _spelled_alike(night, several):
        last = max(rows, key=lambda row: (night.records[row].occurred_at, row))
        for row in rows:
            told_apart = row in night.apart and not (fresh[row] or fresh[last])
            if row != last and _free(night, row) and not told_apart:
                yield Act("merge", row, why, by=last)


def _spelled_alike(night: SleepSnapshot, groups: list[list[int]]) -> Iterator[list[int]]:
    """Yield groups that are spelled the same where that tells: digests know no case."""
    wholes = {row: _parts(night.records[row]) for rows in groups for row in rows}
    texts = night.texts({part for parts in wholes.values() for part in parts})
    for rows in groups:
        alike: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
        for row in rows:
            alike[spelling(" ".join(texts.get(part, "") for part in wholes[row]))].append(row)
        yield from (some for some in alike.values() if len(some) > 1)


def _parts(record: EpisodeRow) -> range:
    """Return the rows of the text that a row is a part of, for it is merged whole or not."""
    first = max(0, record.row - record.part)
    return range(first, first + record.parts)


def _opposed(night: SleepSnapshot) -> Callable[[int, int], bool]:
    """Return a test of whether two of about one meaning say something else all the same."""

    @cache
    def text(row: int) -> str:
        return night.texts([row]).get(row, "")

    return lambda row, other: are_opposed(text(row), text(other))


def _day_in(zone: tzinfo) -> Callable[[int], int]:
    """Return a function from a moment to its day, as a clock on the wall there has it."""

    @cache  # by the quarter of an hour, by which zones differ: asking a zone takes a microsecond
    def offset(quarter: int) -> int:
        at = from_micros(quarter * _QUARTER)
        try:
            local = at.astimezone(zone).utcoffset()
        except OverflowError:  # within a day of the years 1 and 9999 there is only UTC
            return 0
        return 0 if local is None else round(local.total_seconds() * 1e6)

    return lambda occurred_at: (occurred_at + offset(occurred_at // _QUARTER)) // MICROS_PER_DAY


def _alike(night: SleepSnapshot, rows: Rows) -> list[Rows]:
    """Return rows in groups in which no detail differs; unknown details are in none."""
    digests = detail_digests(night.material.gists[rows])
    known, digests = rows[digests > 0], digests[digests > 0]
    # The same words by two speakers, or by user and assistant, are two memories.
    speakers = [(night.records[row].speaker, night.records[row].role) for row in known.tolist()]
    groups: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
    for row, digest, speaker in zip(known.tolist(), digests.tolist(), speakers, strict=True):
        groups[digest, speaker].append(row)
    return [np.array(group) for group in groups.values() if len(group) > 1]


def _near(
    night: SleepSnapshot,
    groups: list[Rows],
    least: float,
    opposed: Callable[[int, int], bool] | None,
) -> Iterator[tuple[int, tuple[int, float]]]:
    """
    Yield rows nearer than ``least`` to one that stays, each with the nearest of those.

    ``opposed``: says of which two that does not hold. Only pairs of which no sleep has gone over
    one are looked at, so that a sleep costs what is new.
    """
    assert night.vectors is not None, "the caller has seen that there are vectors"
    fresh = _fresh(night)
    for rows in groups:
        if not fresh[rows].any():
            continue
        order = _best_first(night, rows)
        vectors = night.vectors(order)
        order, vectors = order[vectors.any(axis=1)], vectors[vectors.any(axis=1)]
        stays = np.ones(len(order), np.bool_)
        for start in range(0, len(order), _AT_ONCE):
            stop = min(start + _AT_ONCE, len(order))
            # Only with those before: better ones come first, and the better one stays.
            cosines = vectors[start:stop] @ vectors[:stop].T
            for place in range(start, stop):
                row = int(order[place])
                if not _free(night, row):
                    continue
                before = cosines[place - start, :place]
                # Only into one that stays, or chains would join what is not near.
                close = (before > least) & stays[:place]
                if not fresh[row]:
                    close &= fresh[order[:place]]
                for best in _nearest(before, close):
                    if opposed is None or not opposed(row, int(order[best])):
                        stays[place] = False
                        yield row, (int(order[best]), float(before[best]))
                        break


def _nearest(cosines: Floats, close: Mask) -> list[int]:
    """Return the places of the few nearest of those that are close, the nearest first."""
    places = np.flatnonzero(close)
    ranked: list[int] = places[np.argsort(-cosines[places], kind="stable")][:_LOOKS].tolist()
    return ranked


def _best_first(night: SleepSnapshot, rows: Rows) -> Rows:
    """Return rows with the richest first, then the newest."""
    rich = richness(night.material.gists[rows])
    return rows[np.lexsort((rows, night.material.occurred_at[rows], rich))[::-1]]
