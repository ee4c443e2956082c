"""
Damage anywhere in a store's files: does anything but an error of ours come out, or a wrong answer?

    python tests/faults/damage.py --seconds 3600 --report bench/results/damage.json

One small store, in plain words and encrypted, that has lived: sealed blocks, corrections, erasures,
a sleep. It is damaged in one of the ways of ``WAYS``, opened, asked for everything, and verified.
Answers that differ while ``verify`` says that all is sound are ``silent``; an exception that is not
a ``HippocampusError`` is ``raw``; what takes longer than ``SLOWEST_S`` hangs. A log (``-wal``) may
lose its last transactions, as after a power cut, and nothing else.
"""

import argparse
import json
import random
import shutil
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

from campaign import KEY, make, opened

from hippocampus import Memory
from hippocampus.errors import HippocampusError
from hippocampus.upkeep import verify

SLOWEST_S = 20
APART = 1_000_000
"""Between the first seeds of two processes."""
PAGE = 4096
LATER = ("The ferry leaves at nine.", "The ferry leaves at ten.", "The key is under the pot.")
"""What is remembered last, a transaction each, and is in the log alone."""


def told(path, key):
    """Return all that a reader may see of a store, bank by bank."""
    with Memory(path, embedder="none", create=False, key=key) as memory:
        return {name: _told(memory.bank(name)) for name in memory.banks()}


def _told(bank):
    episodes = bank.episodes()
    return (
        episodes,
        [bank.history(episode.id) for episode in episodes[:3]],
        [(hit.id, hit.score) for hit in bank.recall("tree in the garden, the key", 10)],
        [episode.id for episode in bank.find("planted")],
        bank.facts(),
        bank.context("the garden", 200).text,
        [(change.kind, change.episode) for change in bank.journal()],
        bank.sleeps(),
    )


def outcome(path, key, before):
    """Return whether answers are those of one of some moments, and whether all is called sound."""
    try:
        same = told(path, key) in before
    except HippocampusError:
        same = False
    try:
        with Memory(path, embedder="none", create=False, key=key) as memory:
            return same, verify(memory).sound
    except HippocampusError:
        return same, False


# ---------------------------------------------------------------- ways


def a_bit(whole, log, rng):
    """One bit of the file."""
    return _flipped(whole, rng), log


def some_bits(whole, log, rng):
    """Bits of several places."""
    for _ in range(rng.randint(2, 9)):
        whole = _flipped(whole, rng)
    return whole, log


def a_stretch(whole, log, rng):
    """A stretch of up to a page, zeroed or at random."""
    at, length = rng.randrange(len(whole)), rng.randint(1, PAGE)
    put = bytes(length) if rng.random() < 0.5 else rng.randbytes(length)
    return whole[:at] + put[: len(whole) - at] + whole[at + length :], log


def a_page(whole, log, rng):
    """A page in the place of another, as a disk does that writes to the wrong place."""
    source, target = (rng.randrange(len(whole) // PAGE) * PAGE for _ in "ab")
    page = whole[source : source + PAGE]
    return whole[:target] + page + whole[target + PAGE :], log


def an_end(whole, log, rng):
    """All that comes after some byte is gone."""
    return whole[: rng.randrange(len(whole))], log


def a_bit_of_the_log(whole, log, rng):
    """One bit of the log."""
    return whole, _flipped(log, rng)


def an_end_of_the_log(whole, log, rng):
    """All that comes after some byte of the log is gone."""
    return whole, log[: rng.randrange(len(log))]


def a_stored_value(path, rng):
    """A bit of a value, put there by way of SQL, so that no page of SQLite's is wrong."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        table, column, key = rng.choice(VALUES)
        rows = db.execute(f"SELECT {key}, {column} FROM {table}").fetchall()  # noqa: S608
        *place, value = rng.choice(rows)
        if not value:
            return
        if isinstance(value, int):
            changed = value ^ 1 << rng.randrange(40)
        else:
            raw = value if isinstance(value, bytes) else value.encode()
            changed = _flipped(raw, rng)
            if isinstance(value, str):
                changed = changed.decode("utf-8", "replace")
        where = " AND ".join(f"{name.strip()} = ?" for name in key.split(","))
        with suppress(sqlite3.IntegrityError):  # nobody could put it there
            db.execute("PRAGMA ignore_check_constraints = ON")
            db.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (changed, *place))  # noqa: S608


VALUES = [
    ("tail", "payload", "bank, kind, row"), ("blocks", "payload", "bank, kind, first"),
    ("journal", "detail", "bank, seq"), ("journal", "kind", "bank, seq"),
    ("journal", "at", "bank, seq"), ("episodes", "speaker", "bank, row"),
    ("episodes", "session", "bank, row"), ("episodes", "metadata", "bank, row"),
    ("episodes", "said_at", "bank, row"), ("episodes", "marks", "bank, row"),
    ("episodes", "level", "bank, row"), ("episodes", "digest", "bank, row"),
    ("banks", "name", "bank"), ("settings", "value", "key"),
]  # fmt: skip
WAYS = {
    "a bit": (a_bit, 8), "several bits": (some_bits, 2), "a stretch": (a_stretch, 2),
    "a page elsewhere": (a_page, 1), "cut off": (an_end, 1),
    "a bit of the log": (a_bit_of_the_log, 1), "a log cut off": (an_end_of_the_log, 1),
    "a stored value": (None, 8),
}  # fmt: skip
"""Each with how often it is tried beside the others."""


def _flipped(whole, rng):
    at = rng.randrange(len(whole))
    return whole[:at] + bytes([whole[at] ^ 1 << rng.randrange(8)]) + whole[at + 1 :]


# ---------------------------------------------------------------- the campaign


class Store:
    """One store, what it tells, and its files as they are and with a log that is not in yet."""

    def __init__(self, folder, key):
        folder.mkdir()
        self.key, self.path = key, folder / "m.db"
        make(self.path, key=key)
        with closing(sqlite3.connect(self.path)) as db:
            db.execute("PRAGMA journal_mode = DELETE")
        self.whole = self.path.read_bytes()
        self.now = [told(self.path, key)]
        self.path.write_bytes(self.whole)
        self.moments = list(self.now)
        with opened(self.path, key=key) as memory:
            for text in LATER:
                memory.bank("ada").remember(text)
                copy = folder / "copy"
                copy.mkdir()
                for end in ("", "-wal"):
                    shutil.copy(f"{self.path}{end}", copy / f"m.db{end}")
                self.logged = [(copy / f"m.db{end}").read_bytes() for end in ("", "-wal")]
                self.moments.append(told(copy / "m.db", key))
                shutil.rmtree(copy)

    def damaged(self, way, rng):
        """Return whether one damage is silent; what is raw is raised."""
        for end in ("-wal", "-shm"):
            Path(f"{self.path}{end}").unlink(missing_ok=True)
        if way == "a stored value":
            self.path.write_bytes(self.whole)
            a_stored_value(self.path, rng)
            before = self.now
        else:
            of_log = "log" in way
            whole, log = WAYS[way][0](*(self.logged if of_log else (self.whole, b"")), rng)
            self.path.write_bytes(whole)
            if of_log:
                Path(f"{self.path}-wal").write_bytes(log)
            before = self.moments if of_log else self.now
        same, sound = outcome(self.path, self.key, before)
        return sound and not same, sound


def campaign(folder, until, *, seed=0, times=None):
    """Damage stores until a moment, or so often; return what was tried and what was found."""
    tried, noticed, findings = Counter(), Counter(), []
    stores = {name: Store(folder / name, key) for name, key in (("plain", None), ("sealed", KEY))}
    ways, weights = zip(*((way, weight) for way, (_, weight) in WAYS.items()), strict=True)
    number = seed
    while time.monotonic() < until and (times is None or number < seed + times):
        rng = random.Random(number)  # noqa: S311 - to be had again
        name = rng.choice(sorted(stores))
        way = rng.choices(ways, weights)[0]
        began = time.monotonic()
        found = ""
        try:
            silent, sound = stores[name].damaged(way, rng)
            found = "silent" if silent else ""
            noticed[way] += not sound
        except Exception as exc:  # noqa: BLE001 - whatever it is, it is a finding
            found = f"raw: {type(exc).__name__}: {exc!s:.200}"
        if time.monotonic() - began > SLOWEST_S:
            found = f"took {time.monotonic() - began:.0f} s"
        if found:
            findings.append({"seed": number, "store": name, "way": way, "found": found})
        tried[way] += 1
        number += 1
    return tried, noticed, findings


def campaigns(seconds, processes, *, seed=0, times=None, show=lambda *_: None):
    """Run a campaign in each of some processes, from seeds far apart; return all of it together."""
    until = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as name, ProcessPoolExecutor(processes) as pool:
        jobs = []
        for number in range(processes):
            folder = Path(name) / str(number)
            folder.mkdir()
            first = seed + number * APART
            jobs.append(pool.submit(campaign, folder, until, seed=first, times=times))
        tried, noticed, findings = Counter(), Counter(), []
        for job in jobs:
            more = job.result()
            tried, noticed, findings = tried + more[0], noticed + more[1], findings + more[2]
    for finding in findings:
        show(finding)
    return tried, noticed, findings


def main():
    """Run the campaign; its report names each finding by the seed that shows it again."""
    from hippocampus_bench.report import commit

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--times", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--report", type=Path)
    given = parser.parse_args()
    show = partial(print, file=sys.stderr, flush=True)
    tried, noticed, findings = campaigns(
        given.seconds, given.processes, seed=given.seed, times=given.times, show=show
    )
    ways = {way: {"tried": tried[way], "not called sound": noticed[way]} for way in WAYS}
    told = {"commit": commit(), "seed": given.seed, "tried": sum(tried.values()), "ways": ways}
    if given.report:
        text = json.dumps({**told, "findings": findings}, indent=1)
        given.report.write_text(text + "\n", "utf-8")
    show(f"{sum(tried.values()):,} times damaged,", len(findings), "findings")


if __name__ == "__main__":
    main()
