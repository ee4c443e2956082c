"""
Choices: where a question names two things, what takes a side comes before what weighs them.

"Did I choose the oak table or the walnut one?" is nearest to the turn that cannot choose. Of the
best hits that take a side, the later one leads if it has as many of the question's other words, or
names both; the best one that names the other thing follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from hippocampus.core.arrays import Floats
from hippocampus.core.roles import MACHINE_ROLES
from hippocampus.kernel import top_k
from hippocampus.language.asked_choice import Side, side_of
from hippocampus.recall.propose import Search
from hippocampus.recall.scored import AHEAD, Scored
from hippocampus.recall.spreading_activation import ReadTexts

_LOOKED_AT: Final = 12
"""Best rows that are read: a cost bounded by hand, half as many again as for other questions
(docs/adr/0063)."""
_REACH: Final = np.float32(15)
"""Standard deviations behind the best one up to which a row may lead: wide, for the turn that
cannot choose is much nearer. Set by hand; the rule was made on two dozen questions of our own
(docs/adr/0063)."""
_BARE: Final = 7.0
"""The same, for one that has nothing of the question but what it names: as far as the smallest
context reaches (docs/adr/0047)."""


class _Telling(NamedTuple):
    place: int
    side: Side
    occurred_at: int


def gain_of_choice(search: Search, scored: Scored, read: ReadTexts) -> Floats | None:
    """Return the gains of the row that takes a side, and of one that names the other thing."""
    choice = search.query.choice
    if choice is None or len(scored.rows) < 2:
        return None
    best = top_k(scored.scores, _LOOKED_AT)
    best = best[scored.scores[best] >= scored.scores.max() - _REACH]
    rows = scored.rows[best]
    columns, texts = search.index.columns, read(rows.tolist())
    occurred_at = columns.occurred_at(rows).tolist()
    told_by_us = ~np.logical_or.reduce(
        [columns.role.holds(role, rows.astype(np.intp)) for role in MACHINE_ROLES]
    )
    told = [
        _Telling(place, side_of(texts.get(row, ""), choice), at)
        for place, row, at, ours in zip(
            best.tolist(), rows.tolist(), occurred_at, told_by_us.tolist(), strict=True
        )
        if ours
    ]
    told = [one for one in told if one.side.named]
    leading = _leading(told, scored, compares=choice.compares)
    if leading is None:
        return None
    order = [leading]
    other = next((one for one in told if not one.side.named <= leading.side.named), None)
    if other is None and len(leading.side.named) > 1:
        other = next((one for one in told if one is not leading), None)
    order += [] if other is None else [other]
    gains = np.zeros(len(scored.rows), np.float32)
    line = scored.scores.max()
    for number, one in enumerate(order):
        want = line + np.float32(AHEAD * (len(order) - number))
        gains[one.place] = max(np.float32(0), want - scored.scores[one.place])
    return gains


def _leading(told: Sequence[_Telling], scored: Scored, *, compares: bool) -> _Telling | None:
    """Return the row that leads: the latest to take a side that tells as much as the best one."""
    sides = [one for one in told if one.side.decided]
    if not sides:
        return None
    if compares:
        return sides[0]
    first = max(sides, key=lambda one: one.side.covered)  # the best of those that tell most
    for one in sides:
        behind = scored.scores[first.place] - scored.scores[one.place]
        side, than = one.side, first.side
        as_full = side.covered >= than.covered and (side.covered > 0 or behind <= _BARE)
        if one.occurred_at > first.occurred_at and (as_full or len(side.named) > len(than.named)):
            first = one
    return first
