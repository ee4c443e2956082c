"""
What do checksums and encryption cost: of a write, of opening, of a recall, of space?

Three stores take the same turns by turns: one as it is, one without checksums, one encrypted.
Times are the processor's, since all three wait alike for the disk; the baseline is the store as it
is, or for checksums the one without.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

import numpy as np

from bench.banks import BATCH, Workshop, default_embedder, turns
from bench.measure import Row
from hippocampus import Memory, Turn
from hippocampus.encryption import Key

COUNT = 10_000
ROUNDS = 9
SINGLE = 400
REAL = 256
ASKED = 200
KEY = Key.phrase("AAAA-BBBB-CCCC-DDDD-EEEE-FFFF-GGGG-HHHH")
CHECKSUMS = (
    "episodes.row_checksum", "banks.row_checksum", "settings.row_checksum",
    "journal.change_checksum", "journal.chained", "payloads.payload_checksum",
)  # fmt: skip


def run(workshop: Workshop, *, quick: bool) -> Iterator[Row]:  # noqa: ARG001 - all alike
    """Yield the cost of many turns at once, of one turn, of opening, of a recall, and the sizes."""
    some = list(islice(turns(COUNT), COUNT))
    with TemporaryDirectory() as folder:
        make = partial(_made_together, Path(folder), some)
        _ = make("warm")
        bare, plain, sealed = zip(*(make(f"round{n}") for n in range(ROUNDS)), strict=True)
        named = f"{COUNT // 1000} k"
        note = "embedder of no model, processor time"
        for what, place, unit in (
            (f"remember_many, {named}", 0, "s"), (f"remember, of {SINGLE}", 1, "ms"),
        ):  # fmt: skip
            yield _row(f"{what}, checksums", plain, bare, place, unit, note)
            yield _row(f"{what}, encrypted", sealed, plain, place, unit, note)
        yield _row(f"opening {named}, encrypted", sealed, plain, 2, "ms", "index into memory")
        yield _row(f"recall from {named}, encrypted", sealed, plain, 3, "ms", "no embedder")
        yield _row(f"bytes of {named}, encrypted", sealed, plain, 4, "bytes", "the file")
    yield _with_real_embedder(some[:REAL])
    yield Row(name="a passphrase becomes a key", value=_stretched() * 1e3, unit="ms")


def _row(
    name: str,
    found: Sequence[tuple[float, ...]],
    beside: Sequence[tuple[float, ...]],
    place: int,
    unit: str,
    note: str,
) -> Row:
    """Return a row whose ratio is the median of the pairs that ran one after the other."""
    values = np.array([one[place] for one in found])
    ratios = values / np.array([one[place] for one in beside])
    value, ratio = float(np.median(values)), float(np.median(ratios))
    note = f"{note}; {ratios.min():.2f} to {ratios.max():.2f} times in {len(ratios)} rounds"
    return Row(name=name, value=value, unit=unit, baseline=value / ratio, note=note)


class _Store:
    """A store that is filled, opened and asked, and the time of the processor for each."""

    def __init__(self, path: Path, key: Key | None, *, checked: bool = True) -> None:
        self._path, self._key, self._checked = path, key, checked
        self._times: dict[str, list[float]] = {"bank": [], "alone": []}
        with self._checks():
            self._memory = Memory(path, embedder="hash", key=key)

    def remember(self, bank: str, batch: list[Turn]) -> None:
        with self._checks():
            write = partial(self._memory.bank(bank).remember_many, batch)
            self._times[bank].append(_cpu_s(write))

    def measured(self, questions: list[str]) -> tuple[float, ...]:
        """Return seconds of all, ms of a write, of opening, of a recall, and bytes of the file."""
        with self._checks():
            self._memory.close()
            opened = _cpu_s(partial(_open, self._path, self._key))
            with Memory(self._path, embedder="none", key=self._key, read_only=True) as memory:
                recall = memory.bank("bank").recall
                asked = [_cpu_s(partial(recall, question)) for question in questions]
        size = self._path.stat().st_size
        self._path.unlink()
        alone = np.median(self._times["alone"])
        return sum(self._times["bank"]), alone * 1e3, opened * 1e3, np.median(asked) * 1e3, size

    def _checks(self) -> AbstractContextManager[object]:
        return nullcontext() if self._checked else _unchecked()


def _made_together(folder: Path, some: list[Turn], name: str) -> list[tuple[float, ...]]:
    """
    Return what a store without checksums, a plain one and an encrypted one took.

    All get a batch before any gets the next, so that a processor that is slower for a while is so
    for each; who goes first changes, for the second finds words in the caches.
    """
    stores = [
        _Store(folder / f"{name}-bare.db", None, checked=False),
        _Store(folder / f"{name}-plain.db", None),
        _Store(folder / f"{name}-sealed.db", KEY),
    ]
    batches = [("bank", some[at : at + BATCH]) for at in range(0, len(some), BATCH)]
    batches += [("alone", [turn]) for turn in some[:SINGLE]]
    for n, (bank, batch) in enumerate(batches):
        for place in range(len(stores)):
            stores[(n + place) % len(stores)].remember(bank, batch)
    return [store.measured([turn.text[:60] for turn in some[:ASKED]]) for store in stores]


def _nothing(*_: object, **__: object) -> bytes:
    return b""


def _nothing_of_each(*_: object) -> Callable[..., bytes]:
    return _nothing


def _open(path: Path, key: Key | None) -> None:
    with Memory(path, embedder="none", key=key, read_only=True) as memory:
        memory.bank("bank").episodes(limit=0)


def _unchecked() -> ExitStack:
    """Have stores be written without checksums, which nothing else could ask for."""
    stack = ExitStack()
    for name in CHECKSUMS:
        stack.enter_context(mock.patch(f"hippocampus.store.{name}", _nothing))
    every = "hippocampus.store.payloads.payload_checksums"
    stack.enter_context(mock.patch(every, _nothing_of_each))
    return stack


def _with_real_embedder(some: list[Turn]) -> Row:
    """Return what encryption adds to turns that the default embedder reads."""
    took: dict[Key | None, list[float]] = {None: [], KEY: []}
    embedder = default_embedder()
    with TemporaryDirectory() as folder:
        for n in range(ROUNDS):
            for key, times in took.items():
                path = Path(folder) / f"{n}{key is None}.db"
                with Memory(path, embedder=embedder, key=key) as memory:
                    bank = memory.bank("b")
                    times.append(_cpu_s(partial(bank.remember_many, some)))
    ratio = float(np.median(np.array(took[KEY]) / np.array(took[None])))
    value = float(np.median(took[KEY]))
    return Row(
        name=f"remember_many, {REAL}, default embedder, encrypted", value=value, unit="s",
        baseline=value / ratio, note="processor time",
    )  # fmt: skip


def _stretched() -> float:
    with TemporaryDirectory() as folder:
        path, key = Path(folder) / "m.db", Key.passphrase("correct horse battery staple")
        Memory(path, embedder="none", key=key).close()
        opened = partial(_cpu_s, lambda: Memory(path, embedder="none", key=key).close())
        return float(np.median([opened() for _ in range(5)]))


def _cpu_s(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start
