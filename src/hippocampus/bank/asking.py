"""Options of a question to one bank or several, and notes on the way to its answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import datetime, tzinfo
from typing import NamedTuple, TypeAlias

import numpy as np

from hippocampus.core.arrays import Floats
from hippocampus.core.clock import in_zone, within_calendar
from hippocampus.core.records import Cost, Interval, OneOrMany, Recall, When
from hippocampus.engine.snapshot import BankSnapshot
from hippocampus.index.cue import Mask
from hippocampus.index.filters import Filter
from hippocampus.index.query import Query
from hippocampus.recall.search import Ranking


class Asking(NamedTuple):
    """Options of a question, beside its filters; see ``Recaller.recall``."""

    now: When | None = None
    cues: Sequence[str] | None = None
    min_score: float = 0.0
    include: OneOrMany | None = None


class Looked(NamedTuple):
    """Trace of the way to an answer, for who explains it."""

    here: BankSnapshot
    query: Query
    chosen: Filter
    ranking: Ranking
    rows: list[int]
    """Rows of the hits, best first."""
    shows: dict[str, Floats]
    """Evidence columns of the best rows, by name."""


Look: TypeAlias = Callable[[Looked], None]


class StepClock:
    """Seconds by step, each from the end of the one before."""

    def __init__(self, **first: float) -> None:
        self.steps_s = dict(first)
        self.last = time.perf_counter()

    def note(self, step: str) -> None:
        """End a step."""
        now = time.perf_counter()
        self.steps_s[step] = now - self.last
        self.last = now


def count_allowed(here: BankSnapshot, allowed: Mask | None) -> int:
    """Return the number of rows that a read may see."""
    return len(here.index) if allowed is None else int(np.count_nonzero(allowed))


def stretches_of(chosen: Filter, zone: tzinfo) -> tuple[Interval, ...]:
    """Return the stretches of a filter's ``during`` in a time zone; beyond the calendar, open."""
    return tuple(
        Interval(_moment(start, zone), _moment(end, zone)) for start, end in chosen.during or ()
    )


def _moment(micros: int | None, zone: tzinfo) -> datetime | None:
    moment = within_calendar(micros)
    return None if moment is None else in_zone(moment, zone)


def of_unknown_time(query: str, why: str, elapsed_s: float) -> Recall:
    """Return the empty result for the time of an event that no memory tells of."""
    cost = Cost(elapsed_s=elapsed_s)
    return Recall(query=query, hits=(), found=False, confidence=0.0, note=why, cost=cost)
