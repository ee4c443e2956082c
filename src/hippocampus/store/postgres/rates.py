"""Rates at which callers may ask, counted for all servers of a database together."""

from __future__ import annotations

from typing import Final

from hippocampus.store.database import Database

_CLEARED: Final = 4
"""First bytes of callers, of 256, with whom those are cleared away who have not asked for a day."""
_TOKENS: Final = (
    "LEAST(?, r.tokens + ? * GREATEST(0, EXTRACT(EPOCH FROM excluded.at - r.at)))::float8"
)
_TAKE: Final = (
    "INSERT INTO rates AS r (caller, tokens, given, at)"  # noqa: S608 - our own words
    " VALUES (?, ?::float8 - ?, ?, clock_timestamp())"
    " ON CONFLICT (caller) DO UPDATE SET at = excluded.at,"
    f" given = LEAST(?, FLOOR({_TOKENS})), tokens = {_TOKENS} - LEAST(?, FLOOR({_TOKENS}))"
    " RETURNING given"
)


class PostgresRates:
    """The ``rates`` table; see ``RateTable``. It is not logged: a server that fails forgets it."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def take(self, caller: bytes, wanted: int, *, per_s: float, burst: int) -> int:
        wanted = min(wanted, burst)
        # The caller is a digest, so this is as good as a throw of dice: about one call in 64.
        if caller[0] < _CLEARED:
            self._db.rows("DELETE FROM rates WHERE at < now() - INTERVAL '1 day' RETURNING 1")
        filled = (burst, per_s)
        ((given,),) = self._db.rows(
            _TAKE, caller, burst, wanted, wanted, wanted, *filled, *filled, wanted, *filled
        )
        return int(given)
