"""
What do checksums and encryption cost: of a write, of opening, of a recall, of space?

Three stores take the same turns by turns: one as it is, one without checksums, one encrypted.
Times are the processor's, since all three wait alike for the disk; the baseline is the store as it
is, or for checksums the one without.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
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
ROUNDS = 5
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
        make = partial(_made, Path(folder), some)
        _ = make("warm", KEY)
        bare, plain, sealed = [], [], []
        for n in range(ROUNDS):
            plain.append(make(f"plain{n}", None))
            with _unchecked():
                bare.append(make(f"bare{n}", None))
            sealed.append(make(f"sealed{n}", KEY))
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
    found: list[tuple[float, ...]],
    beside: list[tuple[float, ...]],
    place: int,
    unit: str,
    note: str,
) -> Row:
    """Return a row whose ratio is the median of the pairs that ran one after the other."""
    values = np.array([one[place] for one in found])
    ratios = values / np.array([one[place] for one in beside])
    value, ratio = float(np.median(values)), float(np.median(ratios))
    return Row(name=name, value=value, unit=unit, baseline=value / ratio, note=note)


def _made(folder: Path, some: list[Turn], name: str, key: Key | None) -> tuple[float, ...]:
    """Fill, open and ask a store; return seconds, ms of a write, of opening, of a recall, bytes."""
    path = folder / f"{name}.db"
    with Memory(path, embedder="hash", key=key) as memory:
        bank = memory.bank("b")
        batches = [some[at : at + BATCH] for at in range(0, len(some), BATCH)]
        filled = sum(_cpu_s(partial(bank.remember_many, batch)) for batch in batches)
        one = memory.bank("one")
        singles = [_cpu_s(partial(one.remember_many, [turn])) for turn in some[:SINGLE]]
    opened = _cpu_s(partial(_open, path, key))
    with Memory(path, embedder="none", key=key, read_only=True) as memory:
        bank = memory.bank("b")
        asked = [_cpu_s(partial(bank.recall, turn.text[:60])) for turn in some[:ASKED]]
    size = path.stat().st_size
    path.unlink()
    return filled, np.median(singles) * 1e3, opened * 1e3, np.median(asked) * 1e3, float(size)


def _nothing(*_: object, **__: object) -> bytes:
    return b""


def _nothing_of_each(*_: object) -> Callable[..., bytes]:
    return _nothing


def _open(path: Path, key: Key | None) -> None:
    with Memory(path, embedder="none", key=key, read_only=True) as memory:
        memory.bank("b").episodes(limit=0)


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
