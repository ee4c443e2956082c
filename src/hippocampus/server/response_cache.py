"""Answers that are given again while nothing has changed that they were made of."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

_FRESH_S: Final = 60.0
"""
Seconds for which an answer is given again: "today" and the maturity of a gist change by the hour,
and the time of the last recall is of use to the minute (docs/adr/0027).
"""
_BESIDE: Final = 500
"""Bytes that an answer takes beside its own and its question's."""


Asked: TypeAlias = tuple[str, str, bytes]
"""A question: of which bank, by which verb, with what arguments, as they were sent."""


class SentAnswer(NamedTuple):
    """An answer, as it is sent."""

    body: bytes
    seq: str
    """A token of how much of the bank it knows."""


@dataclass(slots=True)
class _CachedAnswer:
    answer: SentAnswer
    position: Hashable
    changes: int
    """The state of the store at which the bank was last known to be at that position."""
    until: float
    nbytes: int


class ResponseCache:
    """
    The last answers, as the bytes that were sent, by what was asked; those used last stay.

    An answer is kept with the position that its bank was at before it was looked for, so one that
    somebody's change overtook is never given again. Threads may use it at once.
    """

    def __init__(self, nbytes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = nbytes
        self._clock = clock
        self._kept: OrderedDict[Asked, _CachedAnswer] = OrderedDict()
        self._nbytes = 0
        self._swept = clock()
        self._lock = threading.Lock()

    def get(
        self, asked: Asked, changes: int, position: Hashable | None = None
    ) -> SentAnswer | None:
        """
        Return the answer to a question if nothing has changed that it was made of.

        That is the whole store, known at once by ``changes``; or with ``position`` its bank.
        """
        with self._lock:
            found = self._kept.get(asked)
            if found is None:
                return None
            same = found.changes == changes if position is None else found.position == position
            if not same or self._clock() >= found.until:
                # The number alone only leaves open whether it holds: another bank may have changed.
                if position is not None:
                    self._drop(asked)
                return None
            # Until the next change anywhere this number alone says so again.
            found.changes = changes
            self._kept.move_to_end(asked)
            return found.answer

    def _sweep(self) -> None:
        """Drop answers past their time, so that erased words are not kept for ever."""
        now = self._clock()
        if now < self._swept + _FRESH_S:
            return
        self._swept = now
        for asked in [asked for asked, kept in self._kept.items() if now >= kept.until]:
            self._drop(asked)

    def put(self, asked: Asked, changes: int, position: Hashable, answer: SentAnswer) -> None:
        """Keep an answer, and let go of the oldest for it; of a large one nothing is kept."""
        nbytes = len(answer.body) + sum(map(len, asked)) + _BESIDE
        # One as large as that would push too many others out.
        if nbytes * 8 > self._most:
            return
        with self._lock:
            self._sweep()
            self._drop(asked)
            until = self._clock() + _FRESH_S
            self._kept[asked] = _CachedAnswer(answer, position, changes, until, nbytes)
            self._nbytes += nbytes
            while self._nbytes > self._most:
                self._drop(next(iter(self._kept)))

    def _drop(self, asked: Asked) -> None:
        gone = self._kept.pop(asked, None)
        if gone is not None:
            self._nbytes -= gone.nbytes

    @property
    def nbytes(self) -> int:
        """Bytes that they take."""
        return self._nbytes
