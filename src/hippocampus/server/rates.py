"""Rates at which callers may ask: in this process, or for all servers of a store together."""

from __future__ import annotations

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from hashlib import blake2b
from typing import Final

from hippocampus.core.records.store import RateTable
from hippocampus.errors import RateLimited, StoreError

_MOST_RATED: Final = 10_000
"""Callers whose requests are counted at once. Chosen by hand, as all of these."""
_LEASE_S: Final = 0.1
"""Seconds' worth of a caller's requests that a server takes out of the shared bucket at once: one
alone would cost every request a statement, and many would stay unused with a server that is not
asked again. For so long at most an empty bucket is taken to be empty still."""
_ALONE_S: Final = 10.0
"""Seconds for which a server counts for itself once the shared buckets are not to be had: to ask at
each request would have each wait for a database that does not answer."""
_KEPT_S: Final = 1.0
"""Seconds for which requests that were taken out, and not used, stay good."""


class Rate:
    """Requests by caller, each with a bucket that fills evenly and holds a burst."""

    def __init__(
        self,
        per_s: float | None,
        burst: int,
        clock: Callable[[], float] = time.monotonic,
        *,
        shared: RateTable | None = None,
        salt: bytes = b"",
    ) -> None:
        """
        Take the rate at which buckets fill, None for no limit, and the most they hold.

        ``shared``: the buckets of all servers, of which this one takes a few requests at a time,
        and ``salt`` keys the digests by which callers are known there.
        """
        self._per_s = per_s
        self._burst = burst
        self._clock = clock
        self._shared = shared
        self._salt = salt
        self._alone_until = -math.inf
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """By caller: how many requests were left, and when that was."""
        self._empty_until: OrderedDict[str, float] = OrderedDict()
        """By caller whose shared bucket was empty: when it is looked at again."""

    async def take(self, caller: str) -> None:
        """
        Count one request.

        Raises:
            RateLimited: there were too many; it says how long to wait.

        """
        if self._per_s is None:
            return
        if self._shared is None or self._clock() < self._alone_until:
            left = self._filled(caller, self._per_s)
        else:
            left = self._taken(caller)
            if left < 1 and self._clock() >= self._empty_until.get(caller, -math.inf):
                left = await self._lease(self._shared, caller, self._per_s)
                self._note_empty(caller, self._per_s, empty=left < 1)
        # It was taken out and goes to the end, so the first in line has been quiet longest.
        self._left[caller] = (left - 1 if left >= 1 else left), self._clock()
        while len(self._left) > _MOST_RATED:
            self._left.popitem(last=False)
        if left < 1:
            wait = (1 - left) / self._per_s
            msg = f"more than {self._per_s:g} requests a second; wait {max(wait, 0.1):.1f} s"
            raise RateLimited(msg, retry_after_s=wait)

    def _filled(self, caller: str, per_s: float) -> float:
        """Return the level of a bucket of this process by now."""
        now = self._clock()
        left, at = self._left.pop(caller, (float(self._burst), now))
        return min(float(self._burst), left + (now - at) * per_s)

    def _taken(self, caller: str) -> float:
        """Return the tokens that a caller has left of those taken out of the bucket of all."""
        left, at = self._left.pop(caller, (0.0, 0.0))
        return left if self._clock() - at < _KEPT_S else 0.0

    def _note_empty(self, caller: str, per_s: float, *, empty: bool) -> None:
        """Note that a shared bucket was empty: who asks on and on costs no statement each time."""
        self._empty_until.pop(caller, None)
        if empty:
            self._empty_until[caller] = self._clock() + min(_LEASE_S, 1 / per_s)
        while len(self._empty_until) > _MOST_RATED:
            self._empty_until.popitem(last=False)

    async def _lease(self, shared: RateTable, caller: str, per_s: float) -> float:
        """Return the tokens there after taking a few more out of the bucket of all."""
        who = blake2b(caller.encode(), key=self._salt, digest_size=16).digest()
        some = max(1, math.ceil(per_s * _LEASE_S))
        take = partial(shared.take, who, some, per_s=per_s, burst=self._burst)
        try:
            given = await asyncio.to_thread(take)
        except StoreError:  # a database that only reads by now: each server counts for itself
            self._alone_until = self._clock() + _ALONE_S
            return self._filled(caller, per_s)
        return given + self._taken(caller)  # what others of this caller have taken meanwhile
