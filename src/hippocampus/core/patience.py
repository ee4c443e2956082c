"""Answers in part: of what was read so far, where all takes longer than somebody waits."""

from __future__ import annotations

import math
import time
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Final

from hippocampus.core.context_variable import temporarily

_UNTIL: Final[ContextVar[float]] = ContextVar("until", default=math.inf)


def waiting_for(seconds: float) -> AbstractContextManager[None]:
    """
    Have readings that are kept stop after so many seconds; the next call goes on from there.

    Only for callers who collect what an answer lacks: it says how far reading has come.
    """
    return temporarily(_UNTIL, time.monotonic() + seconds)


def patience_is_over() -> bool:
    """Return whether whoever called would rather have an answer of what was read so far."""
    return time.monotonic() >= _UNTIL.get()
