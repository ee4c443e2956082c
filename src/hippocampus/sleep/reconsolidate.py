"""
Note with a memory what was said of it while it was labile (HUMAN, section 7.2).

What was recalled can be changed for an hour: somebody sees it and says that it is otherwise, or
says more. The memory stays as it is; whoever looks at it sees what was said, and since when.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import Final

import numpy as np

from hippocampus.core.clock import MICROS_PER_MINUTE
from hippocampus.core.records import Act
from hippocampus.index.cue import Mask
from hippocampus.language.equivalence import detail_digests
from hippocampus.sleep.snapshot import Micros, SleepSnapshot

_CORRECTS: Final = re.compile(
    r"\b(?:actually|no longer|not any ?more|instead|correction|i meant|was wrong|is wrong|wrong:"
    r"|isn't|aren't|wasn't|not true|has changed|have changed|changed to|moved (?:from|to)|by now"
    r"|update)\b|^\s*no\b[,.!]",
    re.IGNORECASE,
)
_PER_TURN: Final = 1
"""Memories that one turn says something of: the nearest of those that were shown, for who corrects
something corrects one thing at a time."""


def reconsolidate(snapshot: SleepSnapshot, *, related: float) -> list[Act]:
    """
    Return memories that a person corrected, or elaborated on, soon after their recall.

    Args:
        snapshot: the bank.
        related: cosine above which one has to do with the other.

    """
    if not snapshot.policy.reconsolidate or snapshot.vectors is None or not snapshot.shown:
        return []
    window = round(snapshot.policy.labile_minutes * MICROS_PER_MINUTE)
    noted, moments = snapshot.recorded_at, [one.at for one in snapshot.shown]
    trusted = snapshot.trusted
    said = trusted & snapshot.material.by_user & _open(snapshot, noted, window)
    acts: list[Act] = []
    for row in np.flatnonzero(said).tolist():
        first = bisect_left(moments, noted[row] - window)
        labile = sorted(
            {
                other
                for one in snapshot.shown[first : bisect_right(moments, noted[row])]
                for other in one.rows
                if other != row and snapshot.records[other].recorded_at < noted[row]
            }
        )
        if not labile:
            continue
        others = np.array(labile)
        others = others[trusted[others]]
        if not len(others):
            continue
        (vector,) = snapshot.vectors(np.array([row]))
        cosines = snapshot.vectors(others) @ vector
        order = np.argsort(-cosines, kind="stable")[:_PER_TURN]
        acts += [
            Act("annotate", int(others[place]), _how(snapshot, row, int(others[place])), by=row)
            for place in order.tolist()
            if cosines[place] > related
            # Another policy goes over everything again, and must not note it twice.
            and (int(others[place]), snapshot.records[row].id) not in snapshot.annotated
        ]
    return acts


def _open(snapshot: SleepSnapshot, noted: Micros, window: int) -> Mask:
    """Return the rows that no sleep has gone over, and those said while a memory was labile."""
    fresh = snapshot.fresh("reconsolidate")
    if not fresh.any():
        return fresh
    # A memory back from quarantine may have been corrected by a turn that was gone over before.
    labile = [one.at for one in snapshot.shown if fresh[list(one.rows)].any()]
    first = np.searchsorted(labile, noted - window, side="left")
    said_then: Mask = first < np.searchsorted(labile, noted, side="right")
    return fresh | said_then


def _how(snapshot: SleepSnapshot, row: int, other: int) -> str:
    """Return whether a turn says that a memory is otherwise, or says more about it."""
    gists = snapshot.material.gists
    own, others = detail_digests(gists[[row, other]])
    text = snapshot.texts([row]).get(row, "")
    return "corrected" if own != others and _CORRECTS.search(text) else "elaborated"
