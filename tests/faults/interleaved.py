"""
Owners, readers and sleepers of one store, one statement at a time, as a schedule says.

Each has a memory and a thread of its own; one of them runs, the others wait before a statement of
SQL. A schedule names after how many statements somebody else goes on. So every run can be had
again, and Hypothesis makes a failing one shorter: fewer switches, fewer verbs.
"""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count

import pytest
from linearizable import OF_SEEDED, READS, SEEDED, TEXTS, Done, do, seed

from hippocampus import Config, Ingest, Memory
from hippocampus.engine import context
from hippocampus.store import open_store
from hippocampus.upkeep import verify

PATIENCE_S = 0.02
"""How long SQLite waits for another's lock, in vain: whoever has it waits for their turn."""
CONFIG = Config(ingest=Ingest(seal_rows=4), busy_timeout_s=PATIENCE_S)
STUCK_S = 60


def draw(rng):
    """Draw plans and a schedule, as ``live`` takes them."""

    def verb():
        kind = rng.random()
        if kind < 0.3:
            return "remember", rng.choice(sorted(TEXTS))
        if kind < 0.6:
            return rng.choice(OF_SEEDED), rng.choice(SEEDED)
        return rng.choice([*READS, "sleep", "compact"]), SEEDED[0]

    plans = [[verb() for _ in range(rng.randint(1, 4))] for _ in range(rng.randint(2, 3))]
    return plans, [(rng.randint(1, 40), rng.randint(0, 2)) for _ in range(rng.randint(0, 12))]


class Turns:
    """Whose turn it is; everybody else waits."""

    def __init__(self, schedule):
        self._schedule = iter(schedule)
        self._left, self._next = next(self._schedule, (0, 0))
        self._changed = threading.Condition()
        self._places = {}
        self._waiting_to_write, self._writer = set(), None
        self._ended = set()
        self._turn = None
        self.clock = count()

    def trace(self, statement):
        """Wait for a turn before a statement; called by SQLite, in the thread that runs it."""
        me = self._places.get(threading.get_ident())
        if me is None:
            return
        with self._changed:
            writes = statement.startswith("BEGIN IMMEDIATE")
            if writes:
                self._waiting_to_write.add(me)
            elif statement in {"COMMIT", "ROLLBACK"} and self._writer == me:
                self._writer = None
            self._pass_on(me)
            self._await(me)
            if writes:
                self._waiting_to_write.discard(me)
                self._writer = me

    def _may_go(self, place):
        held = self._writer is not None and self._writer != place
        return place not in self._ended and not (held and place in self._waiting_to_write)

    def _pass_on(self, me):
        """Let somebody else have the turn, if the schedule says so or this one has to wait."""
        ready = [place for place in sorted(self._places.values()) if self._may_go(place)]
        self._left -= 1
        if self._left <= 0 and ready:
            self._turn = ready[self._next % len(ready)]
            self._left, self._next = next(self._schedule, (1 << 60, 0))
        elif me not in ready and ready:
            self._turn = ready[0]
        self._changed.notify_all()

    def _await(self, me):
        if not self._changed.wait_for(lambda: self._turn == me, STUCK_S):
            msg = f"{me} waits for a turn that nobody gives"
            raise AssertionError(msg)

    def run(self, jobs):
        """Run each job in a thread of its own, and wait for all."""
        ready = threading.Barrier(len(jobs) + 1)

        def work(place, job):
            self._places[threading.get_ident()] = place
            ready.wait()
            try:
                with self._changed:
                    self._await(place)
                job()
            finally:
                with self._changed:
                    self._ended.add(place)
                    if self._writer == place:
                        self._writer = None
                    self._pass_on(place)

        with ThreadPoolExecutor(len(jobs)) as threads:
            working = [threads.submit(work, *one) for one in enumerate(jobs)]
            ready.wait()
            with self._changed:
                self._turn = 0
                self._changed.notify_all()
            for one in working:
                one.result()


def live(path, plans, schedule):
    """
    Return the history of some lives on one store, and what ``verify`` says of it at the end.

    Args:
        path: of the store, which is made.
        plans: for each life its operations, as pairs of a verb and a text.
        schedule: pairs of a number of statements and of who goes on then.

    """
    turns = Turns(schedule)
    with Memory(path, embedder="none", config=CONFIG) as memory:
        ids = seed(memory.bank("ada"))
    history = []

    def act(memory, plan):
        bank = memory.bank("ada")
        for what, text in plan:
            began = next(turns.clock)
            answer = do(bank, ids, what, text)
            history.append(Done(what, text, began, next(turns.clock), answer))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(context, "open_store", partial(open_store, tracer=turns.trace))
        memories = [Memory(path, embedder="none", config=CONFIG) for _ in plans]
        try:
            turns.run([partial(act, *both) for both in zip(memories, plans, strict=True)])
        finally:
            for memory in memories:
                memory.close()
    with Memory(path, embedder="none", config=CONFIG) as memory:
        bank, began = memory.bank("ada"), next(turns.clock)
        history += [
            Done(what, SEEDED[0], began, next(turns.clock), do(bank, ids, what, SEEDED[0]))
            for what in READS
        ]
        return history, verify(memory).problems
