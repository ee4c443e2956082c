"""
Let go of what is not likely to be of use, in a bank that may hold only so many memories.

What counts as use: a later memory of another session refers to it, by ``refers_to`` in its
metadata; or it was recalled, or somebody said that it helped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np

from hippocampus.core.arrays import Rows
from hippocampus.core.clock import MICROS_PER_HOUR
from hippocampus.core.records import Act, EpisodeRow
from hippocampus.sleep.forgetting_policies import Retention
from hippocampus.sleep.outcome import OutcomeHistory, OutcomeUses, find_uses, times_used
from hippocampus.sleep.snapshot import SleepSnapshot

REFERS: Final = "refers_to"
"""The field of a memory's metadata that names what it refers to: ids, addresses or sessions."""
KIND: Final = "kind"
"""The field that says what kind of thing happened, such as "labeled", if anybody knows."""


def retain(snapshot: SleepSnapshot) -> list[Act]:
    """Return the memories that lapse so that a bank has no more than its policy lets it."""
    policy, firsts = snapshot.policy, _firsts(snapshot)
    if policy.episode_target is None or not len(firsts):
        return []
    history = read_history(snapshot, firsts)
    there = snapshot.material.shown[firsts]
    chosen = Retention(
        target=policy.episode_target,
        by=policy.retain,
        probationary_share=policy.probationary_share,
    ).choose(
        history,
        there,
        (snapshot.kept | ~snapshot.trusted)[firsts] & there,
        # Each costs the same, however long: the target is a number of memories.
        np.ones(len(firsts)),
        now_h=snapshot.now / MICROS_PER_HOUR,
        evict_probationary=policy.evict_probationary,
    )
    gone = np.flatnonzero(chosen.fades)
    # The least valuable first, for the cap may not let all of them go.
    order = gone[np.argsort(chosen.value[gone], kind="stable")]
    count, last = times_used(history.group, history.uses)
    days = (snapshot.now / MICROS_PER_HOUR - history.at_h) / 24
    acts: list[Act] = []
    for place in order[: int(policy.cap * there.sum())].tolist():
        if count[place]:
            ago = days[min(int(last[place]), len(days) - 1)]
            why = f"of use {count[place]} times, last {ago:.0f} days ago: others were more so"
        else:
            why = f"of no use in {days[place]:.0f} days"
        acts += (Act("lapse", row, why) for row in _parts(snapshot, int(firsts[place])))
    return acts


def _parts(snapshot: SleepSnapshot, first: int) -> Iterator[int]:
    """Yield the rows of a turn; beside a part that was corrected stands something else."""
    records = snapshot.records
    for e in records[first : first + records[first].parts]:
        same = (e.part, e.parts, e.supersedes)
        if same == (e.row - first, records[first].parts, records[first].supersedes):
            yield e.row


def _first(snapshot: SleepSnapshot, part: EpisodeRow) -> int:
    """Return the first row of the turn that a part belongs to, be it a new wording of that part."""
    own = snapshot.records[max(0, part.row - part.part)]
    if (own.part, own.parts, own.supersedes) == (0, part.parts, part.supersedes):
        return own.row
    row = part.row
    while (old := snapshot.records[row].supersedes) is not None and old < row:
        row = old
    return row - part.part


def _firsts(snapshot: SleepSnapshot) -> Rows:
    """Return the rows that stand for a turn, in the order in which they were said."""
    whole = [e.row for e in snapshot.records if not e.part and e.state != "erased"]
    rows = np.array(whole, np.int64)
    return rows[np.argsort(snapshot.material.occurred_at[rows], kind="stable")]


def read_history(snapshot: SleepSnapshot, firsts: Rows) -> OutcomeHistory:
    """Return the history of a bank's uses and outcomes, of rows in order of time."""
    records = [snapshot.records[row] for row in firsts.tolist()]
    told = [json.loads(e.metadata) for e in records]
    sessions: dict[str, int] = {}
    # A memory without a session is a group of its own.
    group = _codes((e.session or e.id for e in records), sessions)
    place = {row: at for at, row in enumerate(firsts.tolist())}
    parts = {
        e.row: place[first]
        for e in snapshot.records
        if e.part and (first := _first(snapshot, e)) in place
    }
    names = {
        name: at
        for row, at in [*parts.items(), *place.items()]
        for name in (snapshot.records[row].address, snapshot.records[row].id)
        if name
    }
    place |= parts
    named = ((at, name) for at, one in enumerate(told) for name in _names(one.get(REFERS)))
    uses = find_uses(named, group, sessions, names)
    occurred_at = snapshot.material.occurred_at[firsts]
    used = [(at, place[row]) for at, row in _used(snapshot) if row in place]
    recalled = [(int(np.searchsorted(occurred_at, at)), group_of) for at, group_of in used]
    by, row = np.array(recalled, np.int64).reshape(-1, 2).T
    return OutcomeHistory(
        at_h=occurred_at / MICROS_PER_HOUR,
        group=group,
        actor=_codes((e.speaker or "" for e in records), {}),
        kind=_codes((_kind(e, one) for e, one in zip(records, told, strict=True)), {}),
        uses=OutcomeUses(
            np.concatenate([uses.by, by]),
            np.concatenate([uses.group, np.full(len(by), -1)]),
            np.concatenate([uses.row, row]),
        ),
    )


def _codes(names: Iterable[str], known: dict[str, int]) -> Rows:
    return np.array([known.setdefault(name, len(known)) for name in names], np.int64)


def _kind(record: EpisodeRow, told: dict[str, object]) -> str:
    return f"{record.role}:{told.get(KIND)}"


def _names(said: object) -> Sequence[str]:
    if isinstance(said, str):
        return [said]
    return [name for name in said if isinstance(name, str)] if isinstance(said, list) else []


def _used(snapshot: SleepSnapshot) -> Iterator[tuple[int, int]]:
    """Yield when which row was of use: each time it was recalled, and when it last helped."""
    for shown in snapshot.shown:
        yield from ((shown.at, row) for row in shown.rows)
    for row in np.flatnonzero(snapshot.outcome > 0).tolist():
        yield int(snapshot.used_at[row]), row
