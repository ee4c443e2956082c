"""
Order of hits where whole conversations are asked of: each event and conversation once.

Of "in which order did I buy the boat and paint the fence?" the best memory of each event leads, in
order of time. Of a summary of one matter, the best memory of each conversation that bears on it
leads, then others of these conversations: five memories of one day are no summary of a year. Of
the themes of all there is, what tells best of each community of topics leads.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Floats, Rows32
from hippocampus.core.roles import MACHINE_ROLES
from hippocampus.index.bank_index import BankIndex
from hippocampus.index.cue import Mask
from hippocampus.index.query import Leading
from hippocampus.index.topic import Community
from hippocampus.language.asked_conversation import AskedConversation
from hippocampus.recall.propose import Search
from hippocampus.recall.scored import AHEAD, Scored

MOST: Final = 12
"""Memories that lead, at most: more than a small context holds, as many as tell of a community
(docs/adr/0067). Set by hand."""
_REACH: Final = 7.0
"""Standard deviations behind the best one up to which a memory bears on what is asked about: as far
as the smallest context reaches (docs/adr/0047)."""
_STEP: Final = np.float32(0.01)
"""Distance from one memory that leads to the next: only their order counts."""


class Part(NamedTuple):
    """The best rows for an event or a matter, their scores, and whether it was surely found."""

    rows: Rows32
    scores: NDArray[np.float32]
    found: bool


def choose_leading(
    index: BankIndex,
    asked: AskedConversation,
    parts: Sequence[Part],
    allowed: Mask | None,
    communities: Sequence[Community] = (),
) -> Leading:
    """Return the rows that lead, and whether they answer; ``communities``: of the whole bank."""
    if asked.whole == "events":
        return _events(index, parts)
    if asked.whole == "themes":
        themes = _of_each(index, communities, allowed)
        return Leading(themes, sure=True) if themes else _of_all(index, asked, allowed)
    if not asked.about:
        return _of_all(index, asked, allowed)
    if not parts or not len(parts[0].rows):
        return Leading()
    near = parts[0].rows[parts[0].scores >= parts[0].scores[0] - _REACH]
    if asked.whole == "first":
        # The oldest of the better half: of all that bears on it, the oldest may hardly do so
        # (docs/adr/0060).
        rows = _in_time(index, near[: max(1, len(near) // 2)])
        return Leading(rows[:MOST], sure=parts[0].found)
    spread = _each_conversation_once(index, near)
    if asked.whole == "talk":
        spread = _of_one_conversation(index, int(near[0]), allowed, spread)
    return Leading(tuple(spread[:MOST]), sure=parts[0].found)


def _events(index: BankIndex, parts: Sequence[Part]) -> Leading:
    """Return the best row of each event, in order of time."""
    taken: list[int] = []
    for part in parts:
        told = part.rows[~_by_others(index, part.rows)]
        # An assistant's words stand for an event only where nobody else told of it.
        own = told if len(told) else part.rows
        best = next((row for row in own.tolist() if row not in taken), None)
        if best is not None:
            taken.append(best)
    order = index.columns.occurred_at(np.array(taken, np.uint32)).tolist()
    rows = tuple(row for _, row in sorted(zip(order, taken, strict=True)))
    return Leading(rows, sure=all(part.found for part in parts))


def _of_each(
    index: BankIndex, communities: Sequence[Community], allowed: Mask | None
) -> tuple[int, ...]:
    """Return the best row of each community, the largest first, then the next one of each."""
    visible = index.columns.visible() if allowed is None else allowed
    seen = [
        (int(visible[one.rows].sum()), [row for row in one.telling if visible[row]])
        for one in communities
    ]
    ranked = [rows for _, rows in sorted(seen, key=lambda one: -one[0]) if rows]
    depth = max(map(len, ranked), default=0)
    in_turn = [rows[at] for at in range(depth) for rows in ranked if at < len(rows)]
    return tuple(in_turn[:MOST])


def _of_all(index: BankIndex, asked: AskedConversation, allowed: Mask | None) -> Leading:
    """Return the beginning of everything, or of each conversation, the last ones first."""
    visible = index.columns.visible() if allowed is None else allowed
    every = index.columns.in_order()
    order: Rows32 = every[visible[every]].astype(np.uint32)
    own = order[~_by_others(index, order)]
    order = own if len(own) else order
    if asked.whole == "first":
        return Leading(tuple(order[:MOST].tolist()), sure=True)
    rows = _each_conversation_once(index, order)
    begun = len(set(index.columns.session.codes[order.astype(np.intp)].tolist()))
    return Leading(tuple(rows[: max(1, begun)][::-1][:MOST]), sure=bool(rows))


def _each_conversation_once(index: BankIndex, rows: Rows32) -> list[int]:
    """Return the first row of each conversation in the order given, then the others."""
    codes = index.columns.session.codes[rows.astype(np.intp)].tolist()
    others = _by_others(index, rows).tolist()
    first: list[int] = []
    rest: list[int] = []
    seen = set[int]()
    for row, code, other in zip(rows.tolist(), codes, others, strict=True):
        if other or (code >= 0 and code in seen):
            rest.append(row)
        else:
            seen.add(code)
            first.append(row)
    return first + rest


def _of_one_conversation(
    index: BankIndex, best: int, allowed: Mask | None, rows: Iterable[int]
) -> list[int]:
    """Return the rows of the conversation of the best one, in order of time, before all others."""
    code = index.columns.session.codes[best]
    if code < 0:
        return list(rows)
    visible = index.columns.visible() if allowed is None else allowed
    order = index.columns.in_order()
    own = order[(index.columns.session.codes[order] == code) & visible[order]].tolist()
    # Of a long one, the turns that bear on the question, if any does.
    own = own if len(own) <= MOST else [row for row in own if row in set(rows)] or own
    return [*own, *(row for row in rows if row not in set(own))]


def _by_others(index: BankIndex, rows: Rows32) -> Mask:
    """Return a mask of the rows with words of an assistant, a tool or a system."""
    places = rows.astype(np.intp)
    by = np.zeros(len(rows), np.bool_)
    for role in MACHINE_ROLES:
        by |= index.columns.role.holds(role, places)
    return by


def _in_time(index: BankIndex, rows: Rows32) -> tuple[int, ...]:
    own = rows[~_by_others(index, rows)]
    rows = own if len(own) else rows
    order = np.argsort(index.columns.occurred_at(rows), kind="stable")
    return tuple(rows[order].tolist())


def gain_of_leading(search: Search, scored: Scored) -> Floats | None:
    """Return the gains by which the rows that lead come before all others, in their order."""
    wanted = search.query.leading.rows
    if not wanted or not len(scored.rows):
        return None
    place = {int(row): at for at, row in enumerate(scored.rows.tolist())}
    places = np.array([place[row] for row in wanted if row in place], np.intp)
    if not len(places):
        return None
    line = (
        scored.scores.max() + np.float32(AHEAD) - _STEP * np.arange(len(places), dtype=np.float32)
    )
    gain = np.zeros(len(scored.rows), np.float32)
    gain[places] = line - scored.scores[places]
    return gain
