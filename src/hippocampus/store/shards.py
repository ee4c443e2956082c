"""
One store over several databases: each bank is in one of them, by a hash of its name.

A bank's number says which: ``local * _PLACES + place``. Settings of the store are those of the
first database, but whose the vectors of a database are is a setting of its own. Each of them has a
mark that says of how many it is which, and is not opened with others than these. A database that is
added gets its share of the banks that are made from then on; those that are there stay where they
are, and are found there.

A write of a bank is one transaction of its database. A write of the whole store is one transaction
in each database that it touches, and they are committed one after the other, the first one last.
"""

from __future__ import annotations

import heapq
import itertools
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import (
    AbstractContextManager,
    ExitStack,
    closing,
    contextmanager,
    suppress,
)
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, Self, TypeVar, cast

import msgspec

from hippocampus.core.files import RawFile, writing
from hippocampus.core.records import Asks, IndexFile, Kind, Progress
from hippocampus.core.records.store import (
    EpisodeTable,
    IndexFileTable,
    JournalTable,
    PayloadTable,
    RateTable,
    RequestTable,
    StoreUpkeep,
)
from hippocampus.errors import (
    ErasurePending,
    InputError,
    StoreCorrupt,
    StoreError,
    StoreReadOnly,
)
from hippocampus.store.banks import STAGED
from hippocampus.store.copying import SqlStore, copy_store
from hippocampus.store.encryption import SqlEncryption
from hippocampus.store.settings import MARK
from hippocampus.store.sqlite import SqliteStore

_PLACES: Final = 256
"""Most databases; how many banks' numbers are apart from each other in one of them."""
_PATIENCE_S: Final = 30.0  # of a copy that nobody else has open, so it is never waited for

R = TypeVar("R")


class Shard(SqlStore, Protocol):
    """A store of ours that can be one of several."""

    @property
    def encryption(self) -> SqlEncryption:
        """Its keys, if it has any."""

    @property
    def rates(self) -> RateTable | None:
        """Return the table of callers' rates."""

    @property
    def index_files(self) -> IndexFileTable:
        """Indexes in files of their own."""

    def wait_until_durable(self, bank: int) -> None:
        """Wait until all that was read of a bank is as durable as a write."""

    def is_walled(self) -> bool:
        """Return whether whoever opened it sees the banks of one tenant alone."""

    def is_replica(self) -> bool:
        """Return whether it follows another one."""

    def check_usable(self) -> None:
        """Refuse a store that does not take what it is open for."""

    def changes(self) -> int:
        """Return a number that differs whenever anybody has committed."""

    def flush(self) -> None:
        """Have all that was written done, so that of this transaction only the commit can fail."""

    def glance(self) -> AbstractContextManager[None]:
        """Let ``changes`` say for the length of a verb what it says first."""

    def look_again(self) -> None:
        """Have ``changes`` look anew."""

    def expecting(self, asks: Asks) -> AbstractContextManager[None]:
        """Let this thread's next transaction begin with what some calls ask, in one message."""


class Mark(msgspec.Struct, frozen=True):
    """Number of a database among the shards of a store, and how many they are."""

    store: str
    """A name for the store, which all of them have alike."""
    place: int
    of: int

    @classmethod
    def read(cls, store: SqlStore) -> Self | None:
        """Return the mark of a database; None if it is a store by itself."""
        kept = store.settings.get(MARK)
        try:
            return None if kept is None else msgspec.json.decode(kept, type=cls)
        except msgspec.MsgspecError as exc:
            msg = f"says in a way that nobody understands which of several databases it is ({exc})"
            raise StoreCorrupt(msg, path=store.path) from exc

    def write(self, store: SqlStore) -> None:
        store.settings.put(MARK, msgspec.json.encode(self).decode())


def refuse_alone(store: SqlStore) -> None:
    """Refuse to open one of several databases as if it were the whole store."""
    mark = None
    with suppress(StoreCorrupt):  # damage is for whoever asks for what is damaged
        mark = Mark.read(store)
    if mark is not None:
        msg = (
            f"is database {mark.place + 1} of {mark.of} of one store; give all of them, in their"
            " order: --store postgresql://…,postgresql://…"
        )
        raise StoreError(msg, path=store.path)


def home(name: str, places: int) -> int:
    """
    Return the place of a new bank among so many, by rendezvous hashing.

    One place more takes its share from all others, and moves nothing between them.
    """
    name = name.removeprefix(STAGED)  # a copy is made where it is to stay
    told = name.encode("utf-8", "surrogatepass")
    return max(range(places), key=lambda place: blake2b(told, salt=b"%d" % place).digest())


class _Level:
    """One block of ``read()`` or ``write()``: in which databases it has begun what."""

    def __init__(self, *, main: int | None, writes: bool, whole: bool) -> None:
        self.main = main
        self.writes = writes
        self.whole = whole
        """Whether it writes the whole store, and therefore whatever it touches."""
        self.joined: dict[int, AbstractContextManager[None]] = {}

    def begin(self, place: int, block: AbstractContextManager[None]) -> None:
        block.__enter__()
        self.joined[place] = block

    def end(self, error: BaseException | None) -> None:
        """End every transaction, the main one last; after an error none is committed any more."""
        # Last, so that what it says is undone if another cannot commit (docs/adr/0090).
        for place in sorted(self.joined, key=lambda place: (place == self.main, -place)):
            block = self.joined.pop(place)
            kind = None if error is None else type(error)
            trace = None if error is None else error.__traceback__
            try:
                block.__exit__(kind, error, trace)
            except BaseException as exc:  # noqa: BLE001 - raised below, once all have ended
                error = error or exc
        if error is not None:
            raise error


class _Blocks(threading.local):
    """The blocks that one thread is in, the outermost first."""

    def __init__(self) -> None:
        self.levels: list[_Level] = []
        self.asked_of: int | None = None
        """The one database that may be asked, while what is expected of it is found out."""


class _InAnotherDatabase(LookupError):
    """A call that is expected asks another database than the one that begins."""


class ShardedStore:
    """A ``Store`` over several others, each of which has some of its banks."""

    def __init__(self, shards: Sequence[Shard], *, read_only: bool = False) -> None:
        self.shards = tuple(shards)
        self._here = _Blocks()
        self._unsettled = itertools.count(1)
        self.mark = _settle_marks(self.shards, read_only=read_only)
        for one in self.shards:
            one.encryption.beside = tuple(other.encryption for other in self.shards)
            one.encryption.knows_all = self.knows_all
        self._settings = tuple(_Settings(self, place) for place in self.places)
        self.settings = self._settings[0]
        self.banks = _Banks(self)
        self.journal = cast("JournalTable", _ByBank(self, "journal"))
        self.episodes = cast("EpisodeTable", _ByBank(self, "episodes"))
        self.payloads = cast("PayloadTable", _ByBank(self, "payloads"))
        self.requests = cast("RequestTable", _ByBank(self, "requests"))
        self.rates = self.shards[0].rates
        self.index_files = _IndexFiles(self)
        self.upkeep: StoreUpkeep = _Upkeep(self)

    def __repr__(self) -> str:
        return f"ShardedStore({self.path!r})"

    @property
    def path(self) -> str:
        return ",".join(one.path for one in self.shards)

    def databases(self) -> int:
        return len(self.shards)

    def knows_all(self) -> bool:
        """Return whether the store has no more databases by now than it was opened with."""
        mark = Mark.read(self.shards[0])
        return mark is not None and mark.of == len(self.shards)

    def settings_of(self, bank: int) -> _Settings:
        place = bank % _PLACES
        self._at(place)  # or there is none
        return self._settings[place]

    def every_settings(self) -> Sequence[_Settings]:
        return self._settings

    def close(self) -> None:
        with ExitStack() as ending:
            for one in self.shards:
                ending.callback(one.close)

    # ------------------------------------------------------------ transactions

    def write(self, bank: int | None = None) -> AbstractContextManager[None]:
        main = 0 if bank is None else bank % _PLACES
        return self._block(_Level(main=main, writes=True, whole=bank is None), bank)

    def read(self) -> AbstractContextManager[None]:
        return self._block(_Level(main=None, writes=False, whole=False), None)

    def writes_all(self) -> bool:
        levels = self._here.levels
        return bool(levels) and levels[0].whole

    def wait_until_durable(self, bank: int) -> None:
        shard, local = self.split(bank)
        shard.wait_until_durable(local)

    @contextmanager
    def _block(self, level: _Level, bank: int | None) -> Iterator[None]:
        levels = self._here.levels
        if not level.writes and levels:
            yield  # it belongs to what has begun
            return
        if level.main is not None:
            local = None if bank is None else bank // _PLACES
            self._join(levels, level.main)
            level.begin(level.main, self._at(level.main).write(local))
        levels.append(level)
        error: BaseException | None = None
        try:
            yield
            for place in level.joined if level.writes else ():
                self.shards[place].flush()  # after the first commit only commits may fail
        except BaseException as exc:  # noqa: BLE001 - raised by ``end``
            error = exc
        finally:
            levels.pop()
        level.end(error)

    def _at(self, place: int) -> Shard:
        if place >= len(self.shards):
            raise InputError(f"there is no database {place + 1} in {self.path}")
        return self.shards[place]

    def _join(self, levels: Sequence[_Level], place: int) -> None:
        """Have a database be part of every block that writes, as a savepoint of the one before."""
        for level in levels:
            if level.writes and place not in level.joined:
                level.begin(place, self._at(place).write())

    def touch(self, place: int, *, writes: bool = False) -> Shard:
        """Return a database, which is part of the blocks of this thread from now on."""
        levels, shard = self._here.levels, self._at(place)
        if self._here.asked_of is not None:
            if place != self._here.asked_of:
                raise _InAnotherDatabase(place)
            return shard
        if levels and not levels[-1].writes:
            (level,) = levels
            if place not in level.joined:
                level.begin(place, shard.read())
        elif writes or any(level.whole for level in levels):
            self._join(levels, place)
        return shard

    def look(self, place: int) -> Shard:
        """Return a database to look something up in, which is no part of a write for that."""
        here = self._here
        in_a_write = here.asked_of is None and here.levels and here.levels[-1].writes
        # Or a search for a name would lock databases in which nothing is written.
        return self._at(place) if in_a_write else self.touch(place)

    @property
    def is_in_a_block(self) -> bool:
        """Return whether this thread is inside ``read()`` or ``write()``."""
        return bool(self._here.levels)

    @property
    def touched(self) -> list[int]:
        """The places that the blocks of this thread write."""
        return sorted({place for level in self._here.levels for place in level.joined})

    def split(self, bank: int) -> tuple[Shard, int]:
        """Return the database of a bank, and its number there."""
        return self.touch(bank % _PLACES), bank // _PLACES

    def is_walled(self) -> bool:
        return any(one.is_walled() for one in self.shards)

    def is_replica(self) -> bool:
        return any(one.is_replica() for one in self.shards)

    def check_usable(self) -> None:
        for one in self.shards:
            one.check_usable()

    def changes(self) -> int:
        if any(level.writes for level in self._here.levels):
            return -next(self._unsettled)
        return sum(self.touch(place).changes() for place in self.places)

    @contextmanager
    def glance(self) -> Iterator[None]:
        with ExitStack() as glances:
            for shard in self.shards:
                glances.enter_context(shard.glance())
            yield

    def look_again(self) -> None:
        for shard in self.shards:
            shard.look_again()

    def forget_texts(self) -> None:
        for shard in self.shards:
            shard.encryption.forget_texts()

    @contextmanager
    def expecting(self, asks: Asks) -> Iterator[None]:
        with ExitStack() as expected:
            for place, shard in enumerate(self.shards):
                of_it = [partial(self._ask_of, place, ask) for ask in asks]
                expected.enter_context(shard.expecting(of_it))
            yield

    def _ask_of(self, place: int, ask: Callable[[], object]) -> None:
        """Make a call as far as it asks one database, whose transaction is just beginning."""
        self._here.asked_of = place
        try:
            ask()
        finally:
            self._here.asked_of = None

    @property
    def places(self) -> range:
        """The places of all databases."""
        return range(len(self.shards))


def _settle_marks(shards: Sequence[Shard], *, read_only: bool) -> Mark:
    """Have every database know which of how many it is, or refuse one that is another."""
    marks = [Mark.read(one) for one in shards]
    known = [mark for mark in marks if mark is not None]
    name = known[0].store if known else secrets.token_hex(8)
    of = max((mark.of for mark in known), default=0)
    if of > len(shards):
        there = ", ".join(str(mark.place + 1) for mark in known)
        msg = f"the store is in {of} databases, and these are {there} of them; give all {of}"
        raise StoreError(msg, path=shards[0].path)
    for place, (mark, shard) in enumerate(zip(marks, shards, strict=True)):
        if mark is not None and (mark.store, mark.place) != (name, place):
            other = "of another store" if mark.store != name else f"number {mark.place + 1}"
            msg = f"is given as number {place + 1} of {len(shards)} databases, and is {other}"
            raise StoreError(msg, path=shard.path)
        if mark is None and place and shard.banks.names(limit=1):
            msg = f"has banks of its own; database {place + 1} of a store begins with none"
            raise StoreError(msg, path=shard.path)
    if any(mark is None or mark.of != len(shards) for mark in marks):
        if read_only:
            raise StoreReadOnly(
                f"its databases do not know of each other yet, {of} of {len(shards)}: open it for"
                " writing once",
                path=shards[0].path,
            )
        with shards[0].write():  # one process at a time, and its mark is there last
            for shard in shards:
                # Whoever did not know of it yet may have taken its secret out of a ring.
                shard.encryption.check_opens()
            first = Mark.read(shards[0])
            name = name if first is None else first.store
            for place, shard in enumerate(shards[1:], 1):
                with shard.write():
                    Mark(name, place, len(shards)).write(shard)
            Mark(name, 0, len(shards)).write(shards[0])
    return Mark(name, 0, len(shards))


class _ByBank:
    """A table of all databases: every method goes to that of the bank it names first."""

    def __init__(self, store: ShardedStore, table: str) -> None:
        self._store = store
        self._table = table

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def routed(bank: int, *given: object, **named: object) -> Any:  # noqa: ANN401 - as it is
            shard, local = self._store.split(bank)
            return getattr(getattr(shard, self._table), name)(local, *given, **named)

        return routed


class _Settings:
    """The settings of one database, of the first those of the store; see ``SettingsTable``."""

    def __init__(self, store: ShardedStore, place: int) -> None:
        self._store = store
        self._place = place

    def get(self, key: str) -> str | None:
        return self._store.touch(self._place).settings.get(key)

    def put(self, key: str, value: str | None) -> None:
        self._store.touch(self._place, writes=True).settings.put(key, value)

    def every(self) -> list[tuple[str, str]]:
        """Return all that a copy of the store has as well."""
        told = self._store.touch(self._place).settings.every()
        return [(key, value) for key, value in told if key != MARK]


class _BankPlace(NamedTuple):
    """Place of a bank among the shards."""

    place: int
    local: int

    @property
    def number(self) -> int:
        return self.local * _PLACES + self.place


class _Banks:
    """The banks of all databases; see ``BankTable``."""

    def __init__(self, store: ShardedStore) -> None:
        self._store = store

    def _every(self, ask: Callable[[Shard], R]) -> list[R]:
        return [ask(self._store.touch(place)) for place in self._store.places]

    def names(self, *, prefix: str = "", after: str = "", limit: int | None = None) -> list[str]:
        found = self._every(lambda one: one.banks.names(prefix=prefix, after=after, limit=limit))
        return list(itertools.islice(heapq.merge(*found), None if limit is None else max(0, limit)))

    def staged(self) -> list[str]:
        """Return the names of banks that are being copied here, or were when it was cut off."""
        return sorted(itertools.chain(*self._every(lambda one: one.banks.staged())))

    def _find(self, name: str) -> _BankPlace | None:
        """Return the place of a bank: where a new one would be, or where it was before that was."""
        first = home(name, len(self._store.shards))
        for place in (first, *(place for place in self._store.places if place != first)):
            local = self._store.look(place).banks.number(name)
            if local is not None:
                return _BankPlace(place, local)
        return None

    def number(self, name: str) -> int | None:
        found = self._find(name)
        return None if found is None else found.number

    def has(self, bank: int) -> bool:
        """Return whether there is a bank of a number."""
        shard, local = self._store.split(bank)
        return shard.banks.has(local)

    def since(self, bank: int) -> int:
        """Return when a bank was made."""
        shard, local = self._store.split(bank)
        return shard.banks.since(local)

    def add(self, name: str, at: int) -> int:
        found = self._find(name)
        if found is not None:
            return found.number
        place = self._home(name)
        shard = self._store.touch(place, writes=True)
        # Inside the write: another process may have added a database since this one was opened.
        mark = Mark.read(shard)
        if mark is None or mark.of != self._store.mark.of:
            now = "several" if mark is None else str(mark.of)
            msg = f"is in {now} databases by now; open it again, with all of them"
            raise StoreError(msg, path=self._store.path)
        return _BankPlace(place, shard.banks.add(name, at)).number

    def _home(self, name: str) -> int:
        """Return the shard for a new bank; for a copy, that of the bank it is to replace."""
        there = self._find(name.removeprefix(STAGED)) if name.startswith(STAGED) else None
        return home(name, len(self._store.shards)) if there is None else there.place

    def rename(self, bank: int, name: str) -> None:
        """Call a bank by a name that none has."""
        shard, local = self._store.split(bank)
        shard.banks.rename(local, name)

    def drop(self, bank: int) -> None:
        shard, local = self._store.split(bank)
        shard.banks.drop(local)

    def damaged(self) -> list[str]:
        return list(itertools.chain(*self._every(lambda one: one.banks.damaged())))


class _IndexFiles:
    """Files with indexes beside each database; see ``IndexFileTable``."""

    def __init__(self, store: ShardedStore) -> None:
        self._store = store

    def _of(self, place: int) -> list[IndexFile]:
        every = self._store.shards[place].index_files.every()
        return [one._replace(bank=_BankPlace(place, one.bank).number) for one in every]

    def place(self, bank: int, seq: int) -> Path | None:
        shard, local = self._store.split(bank)
        return shard.index_files.place(local, seq)

    def find(self, bank: int) -> list[IndexFile]:
        return [one for one in self._of(bank % _PLACES) if one.bank == bank]

    def every(self) -> list[IndexFile]:
        found = itertools.chain(*map(self._of, self._store.places))
        return sorted(found, key=lambda one: -one.seq)

    def sweep(self) -> None:
        for place in self._store.places:
            self._store.touch(place).index_files.sweep()

    def remove(self, path: Path) -> None:
        self._store.shards[0].index_files.remove(path)


class _Upkeep:
    """Upkeep of every database; see ``StoreUpkeep``."""

    def __init__(self, store: ShardedStore) -> None:
        self._store = store

    def _every(self, ask: Callable[[StoreUpkeep], Sequence[R]]) -> list[R]:
        return list(itertools.chain(*(ask(one.upkeep) for one in self._store.shards)))

    def _outside(self, verb: str) -> None:
        """Refuse a verb inside a transaction of this thread."""
        if self._store.is_in_a_block:
            msg = f"{verb}() was called inside read() or write(); call it after the block"
            raise StoreError(msg, path=self._store.path)

    def stored_bytes(self, bank: int) -> dict[str, int]:
        shard, local = self._store.split(bank)
        return shard.upkeep.stored_bytes(local)

    def owe_scrub(self, bank: int | None = None) -> None:
        if bank is not None:
            shard, local = self._store.split(bank)
            shard.upkeep.owe_scrub(local)
            return
        for place in self._store.touched:
            self._store.shards[place].upkeep.owe_scrub()

    def owe_drop(self, bank: int) -> None:
        shard, local = self._store.split(bank)
        shard.upkeep.owe_drop(local)

    def owes_scrub(self) -> bool:
        return any(one.upkeep.owes_scrub() for one in self._store.shards)

    def scrub(self, *, wait: bool = True, shrink: bool = False) -> None:
        self._outside("scrub")
        pending: ErasurePending | None = None
        for one in self._store.shards:
            try:
                # It goes through all tables, so it is left out where there is nothing to take out.
                if shrink or one.upkeep.owes_scrub():
                    one.upkeep.scrub(wait=wait, shrink=shrink)
            except ErasurePending as exc:  # which keeps no other database waiting
                pending = pending or exc
        if pending is not None:
            raise pending

    def leftovers(self) -> list[str]:
        self._outside("leftovers")
        return self._every(lambda upkeep: upkeep.leftovers())

    def check(self, bank: int | None = None) -> list[str]:
        if bank is not None:
            shard, local = self._store.split(bank)
            return shard.upkeep.check(local)
        return self._every(lambda upkeep: upkeep.check())

    def damage(self, bank: int, kind: str | None = None, row: int | None = None) -> list[str]:
        shard, local = self._store.split(bank)
        return shard.upkeep.damage(local, kind, row)

    def note_damage(self, bank: int, kind: Kind, first: int, message: str) -> None:
        shard, local = self._store.split(bank)
        shard.upkeep.note_damage(local, kind, first, message)

    def backup(
        self, target: Path, *, overwrite: bool = False, progress: Progress | None = None
    ) -> None:
        self._outside("backup")
        with writing(target, overwrite=overwrite) as whole:
            key = self._store.shards[0].encryption.key
            with closing(SqliteStore(str(whole), busy_timeout_s=_PATIENCE_S, key=key)) as copy:
                copy_store(cast("SqlStore", self._store), copy, progress=progress)

    def files(self) -> list[Path]:
        return self._every(lambda upkeep: upkeep.files())

    def server_files(self) -> tuple[list[RawFile], list[str]]:
        self._outside("server_files")
        told = [one.upkeep.server_files() for one in self._store.shards]
        files, lacking = zip(*told, strict=True)
        return list(itertools.chain(*files)), list(dict.fromkeys(itertools.chain(*lacking)))
