"""Degradations of a recall in the log, for no framework has a place for them."""

from __future__ import annotations

import logging
from functools import lru_cache

from hippocampus.core.records import Degradation, Recall

_log = logging.getLogger("hippocampus.integrations")


def told(found: Recall) -> Recall:
    """Return a recall, and warn of each of its degradations once in a process."""
    for lack in found.degraded:
        _warn(lack)
    return found


@lru_cache(maxsize=256)
def _warn(lack: Degradation) -> None:
    _log.warning("recall goes on without its %s: %s", lack.part, lack.reason)
