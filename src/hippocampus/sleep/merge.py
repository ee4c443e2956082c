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
from hippocampus.core.clock import MICROS_PER_DAY, MICROS_PER_MINUTE, from_micros, in_zone
from hippocampus.core.records import HELD, PINNED, Act, EpisodeRow
from hippocampus.index.cue import Mask
from hippocampus.language.equivalence import (
    are_opposed,
    detail_digests,
    richness,
    say_the_same,
    spelling,
)
from hippocampus.sleep.snapshot import SleepSnapshot

_QUARTER: Final = 15 * MICROS_PER_MINUTE
"""Microseconds for which the offset of a zone is asked once: zones change theirs at quarters of an
hour."""
_LOOKS: Final = 4
"""Near ones that are read to see whether they say the same; who is unlike them all stays: then it
is one of many that differ in a detail, and is not worth more readings."""
_AT_ONCE: Final = 1024
"""Rows whose cosines with all others are in memory at a time: 4 kB for each row of the bank."""


def merge(snapshot: SleepSnapshot, *, near: float, cluster: float) -> list[Act]:
    """
    Return merged memories, each with the one that stays for it.

    Args:
        snapshot: the bank.
        near: cosine above which two mean the same, if no detail differs.
        cluster: cosine above which two are of one matter.

    """
    how = snapshot.policy.merge
    if how == "off":
        return []
    acts = list(_exact(snapshot, any_day=how != "exact"))
    if how == "exact" or snapshot.vectors is None:
        return acts
    gone = {act.row for act in acts}
    # A part of a long text is merged with the whole text or not at all.
    whole = np.fromiter((e.parts == 1 for e in snapshot.records), np.bool_, len(snapshot))
    rows = np.flatnonzero(snapshot.trusted & whole)
    rows = rows[~np.isin(rows, list(gone))]
    if how == "near":
        least = near if snapshot.policy.near is None else snapshot.policy.near
        groups = _by_details(snapshot, rows)
    else:
        least, groups = cluster, [rows]
    # A policy that merges all of one matter accepts that details are lost.
    into = dict(_near(snapshot, groups, least, same=how == "near"))
    # What stands for the same words may itself be merged.
    acts = [act._replace(by=into[act.by][0]) if act.by in into else act for act in acts]
    why = "says the same" if how == "near" else "is of the same matter"
    acts += [
        Act("merge", row, f"{why}, cosine {cosine:.2f}", by=other)
        for row, (other, cosine) in into.items()
    ]
    return sorted(acts, key=lambda act: act.row)


def _free(snapshot: SleepSnapshot, row: int) -> bool:
    return not snapshot.records[row].marks & (PINNED | HELD)


def _fresh(snapshot: SleepSnapshot) -> Mask:
    """
    Return the rows that have not been compared with everything in force.

    What somebody told apart stays so, also when it is hidden and shown again: it is merged only
    with what is newer.
    """
    fresh = snapshot.fresh("deduplicate")
    apart = np.fromiter(snapshot.apart, np.int64, len(snapshot.apart))
    fresh[apart[apart < snapshot.seen("deduplicate")]] = False
    return fresh


def _exact(snapshot: SleepSnapshot, *, any_day: bool) -> Iterator[Act]:
    """
    Yield the same words by the same speaker, each into the last of them.

    Unless on any day, they are of one day, session and source and have the same metadata: then no
    filter finds less. The parts of a long text have the digest of the whole, and go into the parts
    of another. What somebody told apart is merged only with what is newer.
    """
    allowed, fresh = snapshot.trusted, _fresh(snapshot)
    day = _day_in(snapshot.zone)
    groups: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
    for e in snapshot.records:
        if allowed[e.row]:
            place = () if any_day else (day(e.occurred_at), e.session, e.source, e.metadata)
            groups[e.digest, e.speaker, e.role, e.parts, e.part, place].append(e.row)
    why = "the same words" if any_day else "the same words on the same day"
    # Texts are read only of these, which are few.
    several = [rows for rows in groups.values() if len(rows) > 1]
    for rows in _spelled_alike(snapshot, several):
        last = max(rows, key=lambda row: (snapshot.records[row].occurred_at, row))
        for row in rows:
            told_apart = row in snapshot.apart and not (fresh[row] or fresh[last])
            if row != last and _free(snapshot, row) and not told_apart:
                yield Act("merge", row, why, by=last)


def _spelled_alike(snapshot: SleepSnapshot, groups: list[list[int]]) -> Iterator[list[int]]:
    """Yield groups that are spelled the same where that tells: digests know no case."""
    wholes = {row: _parts(snapshot.records[row]) for rows in groups for row in rows}
    texts = snapshot.texts({part for parts in wholes.values() for part in parts})
    for rows in groups:
        alike: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
        for row in rows:
            alike[spelling(" ".join(texts.get(part, "") for part in wholes[row]))].append(row)
        yield from (some for some in alike.values() if len(some) > 1)


def _parts(record: EpisodeRow) -> range:
    """Return the rows of the text that a row is a part of, for it is merged whole or not."""
    first = max(0, record.row - record.part)
    return range(first, first + record.parts)


def _opposed(snapshot: SleepSnapshot) -> Callable[[int, int], bool]:
    """Return a test of whether two of about one meaning say something else all the same."""

    @cache
    def text(row: int) -> str:
        return snapshot.texts([row]).get(row, "")

    return lambda row, other: are_opposed(text(row), text(other))


def _day_in(zone: tzinfo) -> Callable[[int], int]:
    """Return a function from a moment to its day, as a clock on the wall there has it."""

    @cache  # by the quarter of an hour, by which zones differ: asking a zone takes a microsecond
    def offset(quarter: int) -> int:
        at = from_micros(quarter * _QUARTER)
        local = in_zone(at, zone).utcoffset()
        return 0 if local is None else round(local.total_seconds() * 1e6)

    return lambda occurred_at: (occurred_at + offset(occurred_at // _QUARTER)) // MICROS_PER_DAY


def _by_details(snapshot: SleepSnapshot, rows: Rows) -> list[Rows]:
    """Return rows in groups in which no detail differs; unknown details are in none."""
    digests = detail_digests(snapshot.material.gists[rows])
    known, digests = rows[digests > 0], digests[digests > 0]
    # The same words by two speakers, or by user and assistant, are two memories.
    speakers = [
        (snapshot.records[row].speaker, snapshot.records[row].role) for row in known.tolist()
    ]
    groups: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
    for row, digest, speaker in zip(known.tolist(), digests.tolist(), speakers, strict=True):
        groups[digest, speaker].append(row)
    return [np.array(group) for group in groups.values() if len(group) > 1]


def _near(
    snapshot: SleepSnapshot, groups: list[Rows], least: float, *, same: bool
) -> Iterator[tuple[int, tuple[int, float]]]:
    """
    Yield rows nearer than ``least`` to one that stays, each with the nearest of those.

    ``same``: only into one that says the same. Only pairs of which no sleep has gone over one are
    looked at, so that a sleep costs what is new.
    """
    assert snapshot.vectors is not None, "the caller has seen that there are vectors"
    fresh, opposed = _fresh(snapshot), _opposed(snapshot)
    for rows in groups:
        if not fresh[rows].any():
            continue
        order = _best_first(snapshot, rows)
        vectors = snapshot.vectors(order)
        order, vectors = order[vectors.any(axis=1)], vectors[vectors.any(axis=1)]
        gists, stays = snapshot.material.gists[order], np.ones(len(order), np.bool_)
        # Only with those before: better ones come first, and the better one stays.
        for place, others, cosines in _compared(vectors, fresh[order]):
            row = int(order[place])
            if not (len(others) and _free(snapshot, row)):
                continue
            close = (
                say_the_same(cosines, gists[place], gists[others], least)
                if same
                else cosines > least
            )
            # Only into one that stays, or chains would join what is not near.
            close &= stays[others]
            for best in _nearest(cosines, close):
                other = int(order[others[best]])
                if not same or not opposed(row, other):
                    stays[place] = False
                    yield row, (other, float(cosines[best]))
                    break


def _compared(vectors: Floats, fresh: Mask) -> Iterator[tuple[int, Rows, Floats]]:
    """
    Yield each place, in order, with the places before it to compare it with, and their cosines.

    They are all where no sleep has gone over it, and else those which none has gone over.
    """
    every, new = np.arange(len(fresh)), np.flatnonzero(fresh)
    for start in range(0, len(fresh), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        inside, own = fresh[some], vectors[some]
        known = new[: np.searchsorted(new, start + len(own))]
        with_all = iter(own[inside] @ vectors[: start + len(own)].T)
        with_new = iter(own[~inside] @ vectors[known].T)
        for place, is_new in enumerate(inside.tolist(), start):
            others = every[:place] if is_new else known[: np.searchsorted(known, place)]
            yield place, others, next(with_all if is_new else with_new)[: len(others)]


def _nearest(cosines: Floats, close: Mask) -> list[int]:
    """Return the places of the few nearest of those that are close, the nearest first."""
    places = np.flatnonzero(close)
    ranked: list[int] = places[np.argsort(-cosines[places], kind="stable")][:_LOOKS].tolist()
    return ranked


def _best_first(snapshot: SleepSnapshot, rows: Rows) -> Rows:
    """Return rows with the richest first, then the newest."""
    rich = richness(snapshot.material.gists[rows])
    return rows[np.lexsort((rows, snapshot.material.occurred_at[rows], rich))[::-1]]
