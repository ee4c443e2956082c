"""Cache of banks in memory: those used last, as far as they fit a budget."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import cache
from types import FunctionType, MethodType, ModuleType
from typing import Any, Final, Generic, Protocol, TypeVar
from weakref import WeakValueDictionary

import numpy as np
from rpds import HashTrieMap, HashTrieSet

from hippocampus.kernel import Bm25Index, DynamicWaveletMatrix, HuffmanWaveletMatrix, WaveletMatrix

_NATIVE: Final = (Bm25Index, DynamicWaveletMatrix, HuffmanWaveletMatrix, WaveletMatrix)
_NOT_HELD: Final = (type, ModuleType, FunctionType, MethodType)
"""Types that belong to the program. A method's object is reached by its maker."""
_OF_AN_ENTRY: Final = 64
"""Bytes of a node of a persistent map and of its place in the node above, on a 64-bit machine."""
_NOTES: Final = 8
"""Notes of banks that let go of the rest may be one part in so many of the budget. Decided, and not
measured, in docs/adr/0028."""


_M_ARENA_MAX: Final = -8
"""Number of the option in malloc.h."""
_ARENAS: Final = 2
"""Pools of memory: with one for each of two dozen threads, and larger caches of SQLite, a server
grew from 403 to 681 MB in five minutes (docs/adr/0027). No other number is on record."""


class Holder(Protocol):
    """Something that holds memory, and can do without most of it."""

    @property
    def name(self) -> str:
        """The bank's name."""
        ...

    def is_there(self) -> bool:
        """Return whether there is anything of that name; if not, it is not kept either."""
        ...

    def weigh(self) -> int:
        """Return the bytes that it holds, about; at most a little is looked at each time."""
        ...

    def let_go(self) -> tuple[int, object]:
        """Keep only what nobody could make again; return its bytes, and what is to be freed."""
        ...

    def forget_notes(self) -> object:
        """Drop that as well; return what is to be freed."""
        ...


Held = TypeVar("Held", bound=Holder)


class BankCache(Generic[Held]):
    """
    Everything of one kind by name; what was used longest ago goes first where it gets too much.

    Nothing is let go of while anybody uses it. What is derived goes first; notes that nobody could
    make again stay, as long as they are few. What has let go of all is kept by its callers alone.
    Safe to share between threads; its lock is held for a moment, and nothing waits inside.

    Args:
        limit: most bytes; None for no limit.
        beside: how many bytes are held for all of them together.

    """

    def __init__(self, limit: int | None, beside: Callable[[], int]) -> None:
        self.limit = limit
        self._beside = beside
        self._lock = threading.RLock()  # again, if what is collected meanwhile ends a use
        self._known: WeakValueDictionary[str, Held] = WeakValueDictionary()
        self._users: Counter[Holder] = Counter()
        self._warm = _Row()
        self._cold = _Row()
        """What has nothing but notes left."""

    def find(self, name: str) -> Held | None:
        """Return the entry of a name."""
        with self._lock:
            return self._known.get(name)

    def known(self) -> list[Held]:
        """Return all that is held, or kept by its callers."""
        with self._lock:
            return list(self._known.values())

    def add(self, made: Held) -> Held:
        """
        Return the entry of the name of something new: that itself, where there is none.

        Until it is used only its callers keep it, for anybody can ask for any number of names.
        """
        with self._lock:
            return self._known.setdefault(made.name, made)

    def drop(self, name: str) -> None:
        """Know nothing by a name any more."""
        with self._lock:
            gone = self._known.pop(name, None)
            if gone is not None:
                self._warm.take(gone)
                self._cold.take(gone)

    def nbytes(self) -> int:
        """Return the bytes that all of them hold, about."""
        if self.limit is None:  # then nobody has looked yet
            with self._lock:
                every = list(self._warm.held)
            return sum(one.weigh() for one in every) + self._beside()
        with self._lock:
            return self._sum()

    @contextmanager
    def use(self, one: Holder) -> Iterator[None]:
        """Have one in memory from here to the end, and others let go then if it is too much."""
        with self._lock:
            self._users[one] += 1
            # It goes to the end at the weight that it had; it is weighed when it is given back.
            self._warm.put(one, self._warm.take(one) + self._cold.take(one))
        try:
            yield
        finally:
            # Outside of the lock: it may have to look through all that is held.
            weight = 0 if self.limit is None else one.weigh()
            with self._lock:
                self._users[one] -= 1
                if not self._users[one]:
                    del self._users[one]
                if one.is_there() and self._known.get(one.name) is one:
                    self._warm.put(one, weight)
                else:  # or it was dropped meanwhile
                    self._warm.take(one)
                freed = self._shed()
            _free(freed)

    def _sum(self) -> int:
        return self._warm.nbytes + self._cold.nbytes + self._beside()

    def _shed(self) -> list[object]:
        freed: list[object] = []
        while self.limit is not None and self._sum() > self.limit:
            # Notes cannot be made again, so they go last, unless they alone take up too much.
            idle = next((one for one in self._warm.held if one not in self._users), None)
            if self._cold.held and (idle is None or self._cold.nbytes > self.limit // _NOTES):
                one = next(iter(self._cold.held))
                self._cold.take(one)
                freed.append(one.forget_notes())
            elif idle is not None:
                self._warm.take(idle)
                left, gone = idle.let_go()
                self._cold.put(idle, left)
                freed.append(gone)
            else:
                break
        return freed


class _Row:
    """Entries with their bytes, in the order in which they were put there."""

    def __init__(self) -> None:
        self.held: OrderedDict[Holder, int] = OrderedDict()
        self.nbytes = 0

    def put(self, one: Holder, nbytes: int) -> None:
        """Put one last."""
        self.take(one)
        self.held[one] = nbytes
        self.nbytes += nbytes

    def take(self, one: Holder) -> int:
        """Take one away; return its bytes, 0 if it is not there."""
        nbytes = self.held.pop(one, 0)
        self.nbytes -= nbytes
        return nbytes


def _free(let_go: list[object]) -> None:
    """
    Free dropped indexes; that may take a while, and so no lock is held.

    The GNU C library keeps freed pages, unless asked to return them: a millisecond or two.
    """
    if let_go:
        let_go.clear()
        give_back()


def give_back() -> None:
    """Have the system get back the memory that is free."""
    trim = _c_library("malloc_trim")
    if trim is not None:
        trim(0)


def share_arenas() -> None:
    """
    Have all threads take memory from two pools: for a program that is a server and no more.

    The GNU C library gives each of many threads a pool of its own, and what is free in one helps
    no other. A setting of the user's holds. What others do not know they leave undone.
    """
    if any(name in os.environ for name in ("MALLOC_ARENA_MAX", "GLIBC_TUNABLES")):
        return
    set_option = _c_library("mallopt")
    if set_option is not None:
        set_option(_M_ARENA_MAX, _ARENAS)


@cache
def _c_library(name: str) -> Callable[..., object] | None:
    if sys.platform != "linux":
        return None
    import ctypes  # noqa: PLC0415 - only once it is needed

    found: Callable[..., object] | None = getattr(ctypes.CDLL(None), name, None)
    return found


def held_bytes(*roots: object, apart: Collection[object] = ()) -> int:
    """
    Return the bytes that some objects hold with all that they lead to, each counted once.

    Arrays and native structures say so themselves; the rest is what Python takes for an object.

    Args:
        *roots: where to begin.
        apart: what is somebody else's, with all that only it leads to.

    """
    # With the objects, for the id of one that is freed meanwhile may become another's.
    seen: dict[int, object] = {id(one): one for one in apart}
    ahead: list[Any] = list(roots)
    total = 0
    while ahead:
        fresh = {id(one): one for one in ahead}
        fresh = {key: one for key, one in fresh.items() if key not in seen}
        seen |= fresh
        held = [one for one in fresh.values() if not isinstance(one, _NOT_HELD)]
        for one in held:
            total += sys.getsizeof(one)
            if isinstance(one, _NATIVE):
                total += one.nbytes
        ahead = gc.get_referents(*held)
        for one in held:  # which the collector does not look into
            if isinstance(one, HashTrieMap | HashTrieSet):
                total += _OF_AN_ENTRY * len(one)
                ahead += one
                ahead += one.values() if isinstance(one, HashTrieMap) else ()
        # The bytes of a view are those of its base.
        ahead += [one.base for one in held if isinstance(one, np.ndarray) and one.base is not None]
    return total
