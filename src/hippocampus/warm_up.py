"""Loading of models and libraries that answering takes, before anybody waits for it."""

from __future__ import annotations

from contextlib import suppress

from hippocampus.errors import HippocampusError
from hippocampus.memory import Memory


def warm_up(memory: Memory, bank: str) -> None:
    """
    Read a bank's index, and have the embedder, the language's tables and the code in memory.

    Nothing is recalled from the bank: the rehearsal is in a store of its own. What is wrong with
    the bank is told to who asks it first.
    """
    # Whoever asks has the index read; there is no more to do here.
    with suppress(HippocampusError), memory.bank(bank).state.asking():
        pass
    with Memory(":memory:", embedder=memory.engine.embedder or "none") as apart:
        one = apart.bank("rehearsal")
        one.remember("Ada planted a pear tree in Porto last spring.", speaker="Ada")
        one.context("When did Ada plant the pear tree?", 100)
