"""
Power cuts in a life in which every verb is called once, and what a store is after each.

What reaches the disk is recorded (``disk.py``), what an erasure zeroes past SQLite as well. From
the record a disk is made as it may be after a cut at any of its steps: of what was not synced
anything may be gone, torn, or there before the rest.
"""

import shutil
import time
from collections import Counter
from typing import NamedTuple

from campaign import (
    OF_EMBEDDERS,
    OF_KEYS,
    VERBS,
    finding,
    left_of_the_secret,
    make,
    opened,
    state_of,
)
from disk import Surviving, faulty_disk, rng_of, steps_of

from hippocampus.upkeep import verify

SHARES = (0.0, 0.5, 1.0)
"""How many of the writes that were not synced are there after a cut."""
PASSES = 16
"""Times that a life is gone over, each time at other steps, so that any time is spent on all."""


class Recorded(NamedTuple):
    """A life: its verbs, the state after each, its steps, and the file that it began with."""

    verbs: list
    states: list
    steps: list
    names: dict
    begun: bytes


def scenario(*, key=None):
    """Return all verbs, the opening first; what is read is what the others have made."""
    every = VERBS | OF_EMBEDDERS | (OF_KEYS if key else {})
    return sorted(every, key=lambda verb: verb != "open")


def record(folder, verbs, *, embedder="hash", key=None):
    """Live, and return the record."""
    path, trace = folder / "memory.db", folder.with_name(f"{folder.name}.record")
    make(path, key=key, embedder=embedder)
    begun, every = path.read_bytes(), VERBS | OF_EMBEDDERS | OF_KEYS
    with faulty_disk(folder) as disk:
        disk.trace(trace)
        with opened(path, later=True, key=key, embedder=embedder) as memory:
            states = []
            for number, verb in enumerate(verbs):
                if every[verb] is not None:
                    every[verb](memory)
                disk.mark(number)
                states.append(state_of(memory))
        disk.trace(None)
        steps = steps_of(trace)
        names = {step.file: disk.name(step.file) for step in steps if step.kind != "M"}
    names = {file: name.rpartition("/")[2] for file, name in names.items()}
    return Recorded(list(verbs), states, steps, names, begun)


def images(life, places, shares):
    """Yield (step, verbs acknowledged, files) of power cuts at some steps of a life."""
    disk, done = Surviving(), -1
    disk.durable[next(f for f, name in life.names.items() if name == "memory.db")] = bytearray(
        life.begun
    )
    for place, step in enumerate(life.steps):
        disk.take(step)
        if step.kind == "M":
            done = step.at
        elif place in places:
            for share in shares:
                found = disk.after_a_cut(rng_of(place, share), share)
                yield place, done, {life.names[file]: data for file, data in found.items()}


def wrong_of(files, folder, before, after, **how):
    """Return what is wrong with a store as a power cut left it."""
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    with opened(folder / "memory.db", later=True, **how) as memory:
        found = state_of(memory)
        for key in found.keys() | before.keys() | after.keys():
            if found.get(key) not in (before.get(key), after.get(key)):
                yield f"{key}: {found.get(key)}, not {before.get(key)} nor {after.get(key)}"
        yield from verify(memory).problems
        yield from left_of_the_secret(memory, found)


def tried(life, folder, places, shares=SHARES, until=float("inf"), **how):
    """Cut at some steps; yield (step, share, the verb that was under way, what is wrong)."""
    for number, (place, done, files) in enumerate(images(life, places, shares)):
        before = life.states[max(done, 0)]
        after = life.states[min(done + 1, len(life.states) - 1)]
        verb = "close" if done + 1 == len(life.verbs) else life.verbs[done + 1]
        wrong, there = [], folder / f"cut {place} {number}"
        with finding(wrong, "afterwards"):
            wrong += wrong_of(files, there, before, after, **how)
        shutil.rmtree(there, ignore_errors=True)
        yield place, shares[number % len(shares)], verb, wrong
        if time.monotonic() > until:
            return


def cuts(folder, until, *, verbs=None, key=None, step=1, passes=range(PASSES)):
    """Cut the power at every step, or one of so many, in some passes, as long as there is time."""
    counted, findings = Counter(), []
    there = folder / ("encrypted life" if key else "life")
    there.mkdir()
    how = {"key": key, "embedder": "hash"}
    life = record(there, ["open", *verbs] if verbs else scenario(key=key), **how)
    for first in passes:
        places = range(first * step, len(life.steps), PASSES * step)
        for place, share, verb, wrong in tried(life, folder, places, until=until, **how):
            counted[verb] += 1
            findings += [["power cut", verb, place, share, what] for what in wrong]
        if time.monotonic() > until:
            break
    return counted, findings
