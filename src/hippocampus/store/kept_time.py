"""
The time by which a file keeps something for a day: no clock that jumps makes it pass.

The machine's clock may be put right by days, either way, and that looks as if as much had gone by.
So between two writes at most an hour counts, and never less than nothing: a day has passed when it
was seen to pass. Where nobody writes for long, things are kept for longer than a day.
"""

from __future__ import annotations

import re
from contextlib import suppress
from time import time_ns
from typing import Final

from hippocampus.errors import StoreCorrupt
from hippocampus.store.settings import KEPT_TIME, SqlSettings

_MOST: Final = 3_600_000_000
"""The longest pause between two writes that counts whole, in microseconds: an hour, so that a clock
which jumps by years makes no request old (docs/adr/0083)."""
_NOTED: Final = 60_000_000
"""Microseconds after which the time is noted anew: with each write it would be one row more."""
_NOTE: Final = re.compile(r"(-?\d{1,18}) (\d{1,18})")


class KeptTime:
    """The time that has passed in a file, as far as it was seen to; in microseconds since 1970."""

    def __init__(self, settings: SqlSettings) -> None:
        self._settings = settings

    def now(self) -> int:
        """Return the time, noting it, inside ``write()``."""
        clock = time_ns() // 1000
        noted = self._noted()
        behind, last = noted or (0, clock)
        counted = last - behind + min(max(clock - last, 0), _MOST)
        if noted is None or not 0 <= clock - last < _NOTED:
            self._settings.put_plain(KEPT_TIME, f"{clock - counted} {clock}")
        return counted

    def behind(self) -> int:
        """Return by how much it is behind the machine's clock, as it was last noted."""
        return (self._noted() or (0, 0))[0]

    def _noted(self) -> tuple[int, int] | None:
        """Return by how much it is behind, and the clock then; None where that is not known."""
        with suppress(StoreCorrupt):  # then it is counted anew, and noted so
            found = _NOTE.fullmatch(self._settings.get_plain(KEPT_TIME) or "")
            return None if found is None else (int(found[1]), int(found[2]))
        return None
