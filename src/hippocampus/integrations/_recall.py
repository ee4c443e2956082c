"""Recalls for frameworks, with degradations in the log: no framework has a place for them."""

from __future__ import annotations

import logging
from functools import lru_cache
from typing import Any

from hippocampus.bank import Bank
from hippocampus.core.records import Degradation, Recall

_log = logging.getLogger("hippocampus.integrations")


def told(found: Recall) -> Recall:
    """Return a recall, and warn of each of its degradations once in a process."""
    for lack in found.degraded:
        _warn(lack)
    return found


def context_text(bank: Bank, question: str, budget_tokens: int, **filters: Any) -> str:  # noqa: ANN401
    """Return the context for a question; empty if nothing is remembered about it."""
    found = bank.context(question, budget_tokens, **filters)
    told(found.recall)
    return found.text if found.items else ""


# So that each is told once, and not all of them are kept for ever.
@lru_cache(maxsize=256)
def _warn(lack: Degradation) -> None:
    _log.warning("recall goes on without its %s: %s", lack.part, lack.reason)
