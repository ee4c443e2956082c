"""
The budget of anchors: which are kept, and into which the others are merged (CONCEPT, section 4.2).

An anchor is worth its salience and its use, as far as no anchor that is kept names its episodes
already. One beyond the budget is merged into the one kept that names most of them, which is heard
in its stead; where none names half, it is given up.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from numpy.typing import NDArray

_MERGED: Final = 0.5
"""Share of its episodes that another anchor names, from which on it is merged into that: the other
one then leads to most of them. Budgets are off, and this was not tuned (docs/adr/0064)."""
_LEAST: Final = 0.05
"""Share of its worth that an anchor keeps whose episodes are all named by others: so that of such
the most salient are chosen. Set by hand."""


class AnchorsKept(NamedTuple):
    """Places of the anchors kept, ascending; of each other, the one it is merged into, or -1."""

    places: list[int]
    merged: dict[int, int]


def within_budget(
    worth: NDArray[Any], rows: Sequence[NDArray[Any]], budget: int, always: frozenset[int]
) -> AnchorsKept:
    """
    Choose the anchors to keep, one after the other, by the gain of each.

    Args:
        worth: of each anchor, shape (anchors,).
        rows: the episodes that name each.
        budget: how many are kept beside ``always``.
        always: places of anchors that are kept whatever they are worth.

    """
    covered: set[int] = set()
    kept = sorted(always)
    for place in kept:
        covered.update(rows[place].tolist())
    queue = [(-float(worth[place]), place) for place in range(len(rows)) if place not in always]
    heapq.heapify(queue)
    while queue and len(kept) - len(always) < budget:
        _, place = heapq.heappop(queue)
        named = rows[place].tolist()
        new = sum(row not in covered for row in named) / max(1, len(named))
        gain = float(worth[place]) * (_LEAST + (1 - _LEAST) * new)
        # Gains only fall as more is covered, so an old gain is a bound, and few are computed again.
        if queue and gain < -queue[0][0]:
            heapq.heappush(queue, (-gain, place))  # what was kept since has some of its episodes
        else:
            kept.append(place)
            covered.update(named)
    return AnchorsKept(sorted(kept), _merged([place for _, place in queue], kept, rows))


def _merged(
    rest: Sequence[int], kept: Sequence[int], rows: Sequence[NDArray[Any]]
) -> dict[int, int]:
    """Return the anchor that each of the rest is merged into, -1 for none."""
    naming: dict[int, list[int]] = {}
    for place in kept:
        for row in rows[place].tolist():
            naming.setdefault(row, []).append(place)
    into = {}
    for place in sorted(rest):
        named = rows[place].tolist()
        counts = Counter(other for row in named for other in naming.get(row, ()))
        most = max(counts.items(), key=lambda one: (one[1], -one[0]), default=(-1, 0))
        into[place] = most[0] if most[1] >= _MERGED * len(named) else -1
    return into
