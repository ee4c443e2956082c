"""Jobs of a cluster's workers: each of a bank or of some, and safe to do twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from hippocampus.cluster.report import Failure
from hippocampus.cluster.turn_files import GivenTurn, TurnWriter
from hippocampus.core.files import writing
from hippocampus.core.key import Key
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.encode.embed import load_embedder
from hippocampus.engine.context import check_name
from hippocampus.engine.rebuild import stage
from hippocampus.errors import InputError, StoreCorrupt, UnknownBank
from hippocampus.memory import Memory
from hippocampus.sleep.schedule import Schedule
from hippocampus.upkeep import verify_bank

if TYPE_CHECKING:
    from hippocampus.bank import Bank
    from hippocampus.core.config import Config
    from hippocampus.core.records import Embedder

_CHANGED: Final = Schedule(
    every=timedelta(microseconds=1), night=None, idle=timedelta(microseconds=1)
)
"""It is time for every bank in which something has changed since it slept."""
_AT_ONCE: Final = 512
"""Turns that are handed to a bank at once, as many as ``Ingest.batch`` has in a transaction."""


@immutable
class Opened:
    """Settings with which a worker opens the store."""

    store: str = field(repr=False)
    """May have a password in it."""
    embedder: str = "default"
    config: Config | None = None
    key: Key | None = None
    vault: Key | None = None
    create: bool = False

    def memory(self) -> Memory:
        """Open the store."""
        return Memory(
            self.store, embedder=self.embedder, config=self.config, key=self.key,
            vault=self.vault, create=self.create,
        )  # fmt: skip


class Workshop:
    """Resources of a worker: the store, and embedders, each loaded once."""

    def __init__(
        self, opened: Opened, fetch: Callable[[Sequence[Any]], Sequence[Sequence[GivenTurn]]]
    ) -> None:
        self._opened = opened
        self.fetch = fetch
        """Brings lists of turns from wherever they are."""
        self._embedders: dict[str, Embedder] = {}

    @cached_property
    def memory(self) -> Memory:
        """The open store."""
        return self._opened.memory()

    def embedder(self, specification: str) -> Embedder:
        """Return an embedder other than the store's."""
        if specification not in self._embedders:
            loaded = load_embedder(specification)
            if loaded is None:
                raise InputError(f"embedder={specification!r}: name the embedder to move to")
            self._embedders[specification] = loaded
        return self._embedders[specification]


@dataclass(slots=True)
class JobDone:
    """Result of a job."""

    counts: dict[str, int] = field(default_factory=dict)
    failed: list[Failure] = field(default_factory=list)
    again: bool = False
    """Whether it is worth trying again: another was in the way."""
    cpu_s: float = 0.0


class Job(Protocol):
    """Something that a worker does, of minutes at most."""

    @property
    def name(self) -> str:
        """Name of the job in failures."""

    def run(self, shop: Workshop) -> JobDone:
        """Do it; again if that was done already."""


@immutable(kw_only=False)
class SleepJob:
    """Let a bank sleep in which something has changed since, or for which it is time."""

    name: str
    due: bool

    def run(self, shop: Workshop) -> JobDone:
        slept = shop.memory.bank(self.name).sleep_if_due(Schedule() if self.due else _CHANGED)
        # A worker sees each bank once: kept in memory they would only add up.
        shop.memory.engine.bank_cache.drop(self.name)
        return JobDone({"unchanged" if slept is None else "slept": 1})


@immutable(kw_only=False)
class VerifyJob:
    """Check a bank."""

    name: str

    def run(self, shop: Workshop) -> JobDone:
        found = verify_bank(shop.memory, self.name)
        checked = {key: n for key, n in found.checked.items() if key != "banks"}
        return JobDone(checked, [Failure(what=self.name, why=why) for why in found.problems])


@immutable(kw_only=False)
class StageJob:
    """Make the vectors of another embedder for a bank, beside those in use."""

    name: str
    embedder: str

    def run(self, shop: Workshop) -> JobDone:
        stage(shop.memory.engine, shop.embedder(self.embedder), banks=[self.name])
        return JobDone({"embedded": 1})


@immutable(kw_only=False)
class KeepJob:
    """Keep turns of one bank or more, which are in the order in which they were said."""

    name: str
    turns: Sequence[Any]
    """References to the lists of turns that Ray holds."""

    def run(self, shop: Workshop) -> JobDone:
        done = JobDone({"turns": 0, "added": 0})
        given = [turn for some in shop.fetch(self.turns) for turn in some]
        # The sort is stable, so turns of a bank stay in the order of the files.
        for bank, some in groupby(sorted(given, key=_bank_of), key=_bank_of):
            turns = list(some)
            try:
                check_name(bank)
            except InputError as exc:  # blank, too long, or with half of a character in it
                done.failed += [Failure(what=one.place, why=str(exc)) for one in turns]
                continue
            for start in range(0, len(turns), _AT_ONCE):
                _keep(shop.memory.bank(bank), turns[start : start + _AT_ONCE], done)
            shop.memory.engine.bank_cache.drop(bank)
        return done


def _bank_of(turn: GivenTurn) -> str:
    return turn.bank


def _keep(bank: Bank, turns: Sequence[GivenTurn], done: JobDone) -> None:
    """Keep some turns; where one of them cannot be kept, the others alone."""
    # What was there already is passed over in silence, so only the difference tells what is new.
    before, wrong = _count(bank), len(done.failed)
    try:
        bank.remember_many([one.turn() for one in turns])
    except InputError:  # one of them is wrong, and nothing of them was stored
        for one in turns:
            try:
                bank.remember_many([one.turn()])
            except InputError as exc:
                done.failed.append(Failure(what=one.place, why=str(exc)))
    done.counts["turns"] += len(turns) - (len(done.failed) - wrong)
    done.counts["added"] += _count(bank) - before


def _count(bank: Bank) -> int:
    store = bank.state.engine.store
    number = store.banks.number(bank.name)
    return 0 if number is None else store.episodes.count(number)


@immutable(kw_only=False)
class ExportJob:
    """Write the turns in force of some banks into a file, which is there once it is whole."""

    name: str
    """The file."""
    banks: Sequence[str]

    def run(self, shop: Workshop) -> JobDone:
        done = JobDone({"banks": 0, "turns": 0})
        kind = Path(self.name).suffix
        with writing(self.name, overwrite=True) as file, TurnWriter(file, kind) as out:
            for name in self.banks:
                self._write(shop, name, out, done)
        return done

    def _write(self, shop: Workshop, name: str, out: TurnWriter, done: JobDone) -> None:
        with suppress(UnknownBank):  # it was deleted meanwhile
            try:
                episodes = shop.memory.bank(name).episodes()
            except StoreCorrupt as exc:
                done.failed.append(Failure(what=name, why=str(exc)))
                return
            engine = shop.memory.engine
            hides = engine.config.secrets.show == "redact"
            out.write(episodes, engine.secret_gate.shown_record if hides else dict)
            shop.memory.engine.bank_cache.drop(name)
            done.counts["banks"] += 1
            done.counts["turns"] += len(episodes)
