"""Transactions that are done again where another server was first with the same bank."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TypeVar

from hippocampus.core.budget import check_budget
from hippocampus.core.records import Store
from hippocampus.errors import StoreOvertaken

R = TypeVar("R")

_AGAIN_AFTER_S: Final = (0.0, 0.01, 0.03, 0.1, 0.2)
"""Pauses before a transaction is done again in which another server was first: five times at most
(docs/adr/0083)."""


def done_again(
    do: Callable[[], R],
    *,
    between: Callable[[], object] = lambda: None,
    is_done: Callable[[], bool] = lambda: False,
) -> R:
    """
    Return the result of a transaction, done again a few times where another server was first.

    Nothing of it was changed then. ``do`` opens and ends the transaction; it may be called several
    times, so it changes nothing but the store. ``between`` is called before each further try;
    ``is_done`` says that it was committed, and what failed came after that.

    Raises:
        StoreOvertaken: others were first each time.

    """
    for pause_s in _AGAIN_AFTER_S:
        try:
            return do()
        except StoreOvertaken:
            if is_done():
                raise
        check_budget()
        time.sleep(pause_s)
        between()
    return do()


def write_again(store: Store, bank: int | None, do: Callable[[], R]) -> R:
    """Return the result of work in ``store.write(bank)``, ``done_again`` where it has to be."""

    def write() -> R:
        with store.write(bank):
            return do()

    return done_again(write)
