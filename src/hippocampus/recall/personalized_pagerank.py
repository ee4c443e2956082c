"""
Personalised PageRank: names in the best hits lead on, as far as a random walk comes.

The other way to lead on, beside ``spreading_activation.py`` (HUMAN, section 7.1; HippoRAG): a
walker starts at the best hits, goes to a name that stands there, the rarer the sooner, on to an
episode that has it, the sooner if it opens with it, and so on, and at each step goes home with the
chance ``RESTART``. Where it is found most often, apart from where it started, is what the best hits
lead to. It sees ways of any length at once, and counts all that lead to one place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Floats, Rows32
from hippocampus.kernel import top_k
from hippocampus.recall.propose import Search
from hippocampus.recall.spreading_activation import (
    BELOW,
    LENDERS,
    Lift,
    ReadTexts,
    names_leading_on,
)

RESTART: Final = 0.5
"""Chance of going home at each step: HippoRAG's."""
_STEPS: Final = 24
"""Steps after which what is left to spread is below a ten-millionth: ½²⁴."""
_READ: Final = 48
"""Most episodes that are read for the names in them: a walk takes three times as long as two rounds
of spreading already (docs/papers/human.md). Set by hand."""
_DEPTH: Final = 2
"""Most steps from the best hits at which episodes are read: names of those lead on, no further.
Two, as spreading has two rounds."""


def walk(search: Search, read: ReadTexts, rows: Rows32, strengths: Floats) -> dict[int, Lift]:
    """
    Return the lifts of rows, candidates or not; as ``spreading_activation.spread``.

    Args:
        search: what is asked; its own names lead nowhere new.
        read: reads the texts of the few that are walked through.
        rows: the candidates so far, ascending.
        strengths: the score of each by features and activation alone, shape (rows,).

    """
    best = top_k(strengths, LENDERS)
    home = {int(rows[place]): float(strengths[place]) for place in best if strengths[place] > 0}
    if len(home) < 2:
        return {}
    share, first = search.fusion.spreading_share, max(home, key=home.__getitem__)
    most = home[first]
    ties = list(_ties(search, read, list(home)))
    found = _visits(home, ties)
    led_to = {row: visits for row, visits in found.items() if row not in home and visits > 0}
    often = max(led_to.values(), default=1.0)
    return {
        row: Lift(share * most * visits / often, BELOW * most, first)
        for row, visits in led_to.items()
    }


def _ties(search: Search, read: ReadTexts, best: list[int]) -> Iterator[tuple[int, str, float]]:
    """Yield the ties of rows and names with their strengths, as far as is walked."""
    known: set[int] = set()
    frontier = best
    for _ in range(_DEPTH):
        frontier = [row for row in frontier if row not in known][: _READ - len(known)]
        known.update(frontier)
        led: dict[int, float] = {}
        for row, text in read(frontier).items():
            for name, others, ties in names_leading_on(search, text):
                yield row, name, float(ties.max(initial=0.0))
                for other, tie in zip(others.tolist(), ties.tolist(), strict=True):
                    yield other, name, tie
                    led[other] = max(led.get(other, 0.0), tie)
        frontier = sorted(led, key=led.__getitem__, reverse=True)


def _visits(home: dict[int, float], ties: list[tuple[int, str, float]]) -> dict[int, float]:
    """Return the share of a walker's visits to each row, by the power iteration."""
    strongest: dict[tuple[int, str], float] = {}
    for row, name, tie in ties:
        strongest[row, name] = max(strongest.get((row, name), 0.0), tie)
    places = {row: at for at, row in enumerate(dict.fromkeys([*home, *(r for r, _ in strongest)]))}
    names = {name: at for at, name in enumerate(dict.fromkeys(name for _, name in strongest))}
    weights: NDArray[np.float64] = np.zeros((len(places), len(names)))
    for (row, name), tie in strongest.items():
        weights[places[row], names[name]] = tie
    to_names = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)
    to_rows = (weights / np.maximum(weights.sum(axis=0, keepdims=True), 1e-12)).T
    start = np.zeros(len(places))
    for row, strength in home.items():
        start[places[row]] = strength
    start /= start.sum()
    at = start
    for _ in range(_STEPS):
        at = RESTART * start + (1 - RESTART) * ((at @ to_names) @ to_rows)
    return {row: float(at[place]) for row, place in places.items()}
