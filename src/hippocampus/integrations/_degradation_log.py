"""What recall went on without, told in the log: no framework has a place for it."""

from __future__ import annotations

import logging
from functools import lru_cache

from hippocampus.core.records import Degradation, Recall

_log = logging.getLogger("hippocampus.integrations")


def told(found: Recall) -> Recall:
    """Return what was found, and warn of each thing that was lacking, once in a process."""
    for lack in found.degraded:
        _warn(lack)
    return found


@lru_cache(maxsize=256)
def _warn(lack: Degradation) -> None:
    _log.warning("recall goes on without its %s: %s", lack.part, lack.reason)
