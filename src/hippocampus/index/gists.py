"""
Traces beside the episodes: gists, how mature each is, and what it primes (HUMAN, sections 4 and 6).

An episode is found from the moment it is remembered. What several came to is a second trace, which
is silent for a week: until then it only lends its sources a little, and is not shown.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from typing import Annotated, Final, NamedTuple, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Rows32
from hippocampus.core.clock import MICROS_PER_HOUR
from hippocampus.core.config import Maturation
from hippocampus.core.decompress import inflate
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.logistic import logistic
from hippocampus.core.ranges import Dimension, Micros
from hippocampus.errors import InputError
from hippocampus.index.cue import Mask, Scores

FORMAT: Final = 1
"""Format of the stored block; another one is refused, and made anew by sleep."""
_STEEP: Final = 60.0
"""Slopes from its middle at which a sigmoid is 0 or 1: e⁻⁶⁰ is lost beside 1 in double precision,
and beyond e⁷⁰⁰ NumPy warns."""


_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=1 << 32)]


class Trace(NamedTuple):
    """
    Trace of some rows, ascending; ``made_at`` in microseconds since 1970.

    ``days``: on how many days since then a source was recalled. ``by_model``: who worded it.
    """

    rows: tuple[int, ...]
    text: str
    made_at: Micros
    days: _Count = 0
    by_model: bool = False


@immutable(eq=False)
class Traces:
    """All of a bank's first ``length`` rows, no row in two; ``vectors``: shape (traces, d)."""

    traces: tuple[Trace, ...]
    vectors: NDArray[np.float32]
    length: int


def activation(traces: Sequence[Trace], now: int, how: Maturation) -> NDArray[np.float64]:
    """
    Return the maturity of traces, in (0, 1), shape (traces,).

    A(t) = 1 / (1 + e^(-(t - t½) / k)), t in hours since a trace was made, and ``recalled_hours``
    more for each day on which a source of it was recalled. A clock set back makes none younger
    than new.
    """
    aged = [max(now - t.made_at, 0) / MICROS_PER_HOUR + how.recalled_hours * t.days for t in traces]
    slopes = (np.array(aged, np.float64) - how.half_hours) / how.slope_hours
    return logistic(np.clip(slopes, -_STEEP, _STEEP))


class Priming:
    """Priming of source rows by the traces made of them."""

    def __init__(self, made: Traces, how: Maturation, least: float) -> None:
        """``least``: the cosine from which on a question means a trace."""
        self.made = made
        self.how = how
        self._least = least
        lengths = [len(trace.rows) for trace in made.traces]
        every = np.array([row for trace in made.traces for row in trace.rows], np.int64)
        owner = np.repeat(np.arange(len(lengths)), lengths)
        order = np.argsort(every)
        self._rows, self._owner = every[order], owner[order]

    def alive(self, shown: Mask) -> Mask:
        """Return a mask of traces whose sources are all among the rows shown, shape (traces,)."""
        alive = np.ones(len(self.made.traces), np.bool_)
        alive[self._owner[~shown[self._rows]]] = False
        return alive

    def lent(self, vector: NDArray[np.float32], rows: Rows32, shown: Mask, now: int) -> Scores:
        """
        Return the share lent to rows, in [0, 1]: how surely a question means a trace of theirs.

        A silent trace lends ``implicit`` of that, a mature one all.
        """
        lent = np.zeros(len(rows), np.float32)
        if not len(self._rows) or self.made.vectors.shape[1] != len(vector):
            return lent
        means = (self.made.vectors @ vector - self._least) / max(1 - self._least, 1e-6)
        heard = self.how.implicit
        mature = activation(self.made.traces, now, self.how)
        worth = np.clip(means, 0, 1) * (heard + (1 - heard) * mature) * self.alive(shown)
        places = np.minimum(np.searchsorted(self._rows, rows), len(self._rows) - 1)
        there = self._rows[places] == rows
        lent[there] = worth[self._owner[places[there]]]
        return lent


# ---------------------------------------------------------------- as bytes


class _StoredTraces(msgspec.Struct):
    """Traces as JSON has them; ``vectors``: float16 in base64."""

    format: int
    length: _Count
    traces: tuple[Trace, ...]
    dimension: Dimension
    vectors: bytes


def pack(made: Traces) -> bytes:
    """Return gists as bytes for ``unpack``."""
    vectors = made.vectors.astype("<f2").tobytes()
    stored = _StoredTraces(FORMAT, made.length, made.traces, made.vectors.shape[1], vectors)
    said = json.dumps(msgspec.to_builtins(stored), ensure_ascii=False)
    return zlib.compress(said.encode())


def unpack(payload: bytes) -> Traces:
    """
    Read gists from the bytes of ``pack``; the store has verified their checksum.

    Raises:
        InputError: it is something else, or of a later format.

    """
    try:
        said = msgspec.json.decode(inflate(payload), type=_StoredTraces)
        if said.format != FORMAT:
            msg = f"format {said.format!r}, and this version reads {FORMAT}"
            raise InputError(msg)
        vectors = np.frombuffer(said.vectors, "<f2").astype(np.float32)
        vectors = vectors.reshape(len(said.traces), said.dimension)
        rows = [row for trace in said.traces for row in trace.rows]
        if len(set(rows)) < len(rows) or any(not 0 <= row < said.length for row in rows):
            msg = "a row that is in two of them, or not there"
            raise InputError(msg)
    except (msgspec.MsgspecError, ValueError, RecursionError) as exc:
        msg = f"gists: they cannot be read ({exc!s:.80}); sleep makes them anew"
        raise InputError(msg) from exc
    return Traces(traces=said.traces, vectors=vectors, length=said.length)
