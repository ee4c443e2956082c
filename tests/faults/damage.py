"""
Damage anywhere in a store's files: does anything but an error of ours come out, or a wrong answer?

    python tests/faults/damage.py --seconds 3600 --report bench/results/damage.json
    python tests/faults/damage.py --ways "a bit" --first 320 --times 1   # one of them again

One small store, in plain words and encrypted, that has lived: sealed blocks, corrections, erasures,
a sleep. It is damaged in one of the ways of ``WAYS``, opened, asked for everything, and verified.
Answers that differ while ``verify`` says that all is sound are ``silent``; an exception that is not
a ``HippocampusError`` is ``raw``; what takes longer than ``SLOWEST_S`` hangs. A log (``-wal``) may
lose its last transactions, as after a power cut, and nothing else. What needs no store that is
opened is in ``damaged_parts.py``. Each way is tried as often as ``WAYS`` says, the cheap ones
first; a report that is given again goes on where it ended.
"""

import argparse
import json
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, suppress
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from campaign import KEY, make, opened
from damaged_parts import Blocks, Exports, Matrices, Requests, flipped, hostile

from hippocampus import Memory
from hippocampus.errors import HippocampusError
from hippocampus.upkeep import verify

SLOWEST_S = 20
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
    return flipped(whole, rng), log


def some_bits(whole, log, rng):
    """Bits of several places."""
    for _ in range(rng.randint(2, 9)):
        whole = flipped(whole, rng)
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
    return whole, flipped(log, rng)


def an_end_of_the_log(whole, log, rng):
    """All that comes after some byte of the log is gone."""
    return whole, log[: rng.randrange(len(log))]


def a_stored_value(path, rng):
    """Another value anywhere in any table, by way of SQL, so that no page of SQLite's is wrong."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        tables = [
            name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type='table'")
        ]
        table = rng.choice(sorted(name for name in tables if not name.startswith("sqlite_")))
        columns = db.execute(f"PRAGMA table_info({table})").fetchall()
        key = ", ".join(name for _, name, *_, primary in columns if primary)
        column = rng.choice([name for _, name, *_ in columns])
        rows = db.execute(f"SELECT {key}, {column} FROM {table}").fetchall()  # noqa: S608
        if not rows:
            return
        *place, value = rng.choice(rows)
        where = " AND ".join(f"{name.strip()} = ?" for name in key.split(","))
        with suppress(sqlite3.IntegrityError):  # nobody could put it there
            db.execute("PRAGMA ignore_check_constraints = ON")
            change = f"UPDATE {table} SET {column} = ? WHERE {where}"  # noqa: S608
            db.execute(change, (_another(value, rng), *place))


def _another(value, rng):
    """Return a value with one bit changed, or one of another kind or size."""
    if not value or rng.random() < 0.2:
        return rng.choice([None, b"\0", "a", "", -1, 0, 7, 1 << 40, (1 << 63) - 1, 0.5, value])
    if isinstance(value, int):
        return value ^ 1 << rng.randrange(40)
    raw = flipped(value if isinstance(value, bytes) else str(value).encode(), rng)
    return raw if isinstance(value, bytes) else raw.decode("utf-8", "replace")


class Way(NamedTuple):
    """One way of damage: what does it, how often it is to be tried, and how often in one go."""

    do: object
    wanted: int
    at_once: int


WAYS = {
    "a bit of a block": Way(Blocks, 56_590, 2000),
    "a matrix": Way(Matrices, 1_222_800, 20_000),
    "a request of a tenant": Way(Requests, 3_972, 200),
    "an export": Way(Exports, 3_000, 50),
    "a hostile file": Way(hostile, 360, 20),
    "a log cut off": Way(an_end_of_the_log, 500, 20),
    "a bit of the log": Way(a_bit_of_the_log, 500, 20),
    "cut off": Way(an_end, 600, 20),
    "a page elsewhere": Way(a_page, 500, 20),
    "a stretch": Way(a_stretch, 1_000, 20),
    "several bits": Way(some_bits, 1_000, 20),
    "a stored value": Way(a_stored_value, 4_000, 20),
    "a bit": Way(a_bit, 19_440, 20),
}
"""Each with twice what was tried before, where that is known, of damage and not of drawings."""


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
        """Return whether one is silent, and whether all is called sound; raise what is raw."""
        for end in ("-wal", "-shm"):
            Path(f"{self.path}{end}").unlink(missing_ok=True)
        before, do = self.now, WAYS[way].do
        if do is hostile:
            hostile(self.whole, self.path, rng)
        elif do is a_stored_value:
            self.path.write_bytes(self.whole)
            a_stored_value(self.path, rng)
        else:
            of_log = "log" in way
            whole, log = do(*(self.logged if of_log else (self.whole, b"")), rng)
            self.path.write_bytes(whole)
            if of_log:
                Path(f"{self.path}-wal").write_bytes(log)
                before = self.moments
        same, sound = outcome(self.path, self.key, before)
        return sound and not same, sound


@cache
def maker(folder, what):
    """Return what is damaged: one of the parts, or a store in plain words or encrypted."""
    folder.mkdir(exist_ok=True)
    if isinstance(what, str):
        return Store(folder / what, KEY if what == "sealed" else None)
    return what(folder)


def tries(folder, way, first, times):
    """Damage in one way, so often, from a number on; return (not called sound, findings)."""
    noticed, findings, do = 0, [], WAYS[way].do
    each = getattr(do, "each", 1)
    for number in range(first, first + times, each):
        rng = random.Random(f"{way} {number}")  # noqa: S311 - to be had again
        name = rng.choice(("plain", "sealed")) if not isinstance(do, type) else ""
        began = time.monotonic()
        found = ""
        try:
            if name:
                silent, sound = maker(folder, name).damaged(way, rng)
            else:
                silent, sound = maker(folder, do).damaged(rng)
            found = "silent" if silent else ""
            noticed += each * (not sound)
        except Exception as exc:  # noqa: BLE001 - whatever it is, it is a finding
            found = f"raw: {type(exc).__name__}: {exc!s:.300}"
        if time.monotonic() - began > SLOWEST_S:
            found = f"took {time.monotonic() - began:.0f} s"
        if found:
            findings.append({"way": way, "number": number, "store": name, "found": found})
    return noticed, findings


def _in_process(folder, way, first, times):
    """Do so in a folder of this process."""
    return tries(folder / str(os.getpid()), way, first, times)


def next_way(ways, tried):
    """Return the first way that was not tried often enough, or the one that is the least so."""
    unmet = [way for way in ways if tried[way] < WAYS[way].wanted]
    return unmet[0] if unmet else min(ways, key=lambda way: tried[way] / WAYS[way].wanted)


def campaign(seconds, processes, ways, tried, show=lambda *_: None):
    """
    Damage in these ways for some time, each from a number on that ``tried`` tells, which is raised.

    Returns how often not all was called sound, by way, and findings.
    """
    until = time.monotonic() + seconds
    noticed, findings = Counter(), []
    with tempfile.TemporaryDirectory() as name, ProcessPoolExecutor(processes) as pool:
        begun = False
        while not begun or time.monotonic() < until:
            begun, way = True, next_way(ways, tried)
            size = WAYS[way].at_once
            jobs = []
            for _ in range(processes):
                jobs.append(pool.submit(_in_process, Path(name), way, tried[way], size))
                tried[way] += size
            for job in jobs:
                try:
                    here, found = job.result()
                except BrokenProcessPool:
                    number = tried[way] - len(jobs) * size
                    findings.append({"way": way, "number": number, "found": "the process died"})
                    return noticed, findings
                noticed[way] += here
                findings += found
                for one in found:
                    show(one)
    return noticed, findings


def main():
    """Run the campaign; its report names each finding by the way and number that show it again."""
    from hippocampus_bench.report import commit

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--ways", nargs="*", choices=WAYS, default=list(WAYS))
    parser.add_argument("--first", type=int, help="the first number; by default as reported")
    parser.add_argument("--times", type=int, help="of one way, here and now, without a report")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--report", type=Path)
    given = parser.parse_args()
    show = partial(print, file=sys.stderr, flush=True)
    if given.times is not None:
        with tempfile.TemporaryDirectory() as name:
            for way in given.ways:
                show(way, *tries(Path(name), way, given.first or 0, given.times))
        return
    report = {}
    if given.report and given.report.exists():
        report = json.loads(given.report.read_text("utf-8"))
    before = report.get("ways", {})
    tried = Counter({way: one["tried"] for way, one in before.items()})
    if given.first is not None:
        tried = Counter(dict.fromkeys(given.ways, given.first))
    began = time.monotonic()
    noticed, findings = campaign(given.seconds, given.processes, given.ways, tried, show)
    told = {
        way: {
            "tried": tried[way],
            "wanted": WAYS[way].wanted,
            "not called sound": before.get(way, {}).get("not called sound", 0) + noticed[way],
        }
        for way in WAYS
    }
    findings = [*report.get("findings", []), *findings]
    if given.report:
        seconds = round(report.get("seconds", 0) + time.monotonic() - began)
        text = {"commit": commit(), "seconds": seconds, "tried": sum(tried.values()), "ways": told}
        text = json.dumps({**text, "findings": findings}, indent=1)
        given.report.write_text(text + "\n", "utf-8")
    show(f"{sum(tried.values()):,} times damaged in all,", len(findings), "findings")


if __name__ == "__main__":
    main()
