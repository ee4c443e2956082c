"""
Several servers on one store behind a bad network, and whether what clients saw is of one copy.

    python tests/faults/simulator.py --seconds 60 --report bench/results/simulation.json

From a seed comes a plan: what each client asks which server, what happens to whose commit, and
which server goes on when. It is carried out by real memories on a real store (``simulated_store``),
with clocks that are set; then some order of what was done must explain every answer
(``linearizable``), and the journal be one. A plan that goes wrong is made shorter and kept in
``simulated.json``, which is carried out first. A report goes on where it ended.
"""

import argparse
import contextlib
import json
import math
import random
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from linearizable import IN_STEPS, OF_SEEDED, SEEDED, TEXTS, Done, do, in_some_order
from simulated_store import FAULTS, STUCK_S, Baton, Killed, Locks, Over, SimulatedStore

from hippocampus import Config, Ingest, Memory, Turn
from hippocampus.core.clock import ManualClock
from hippocampus.engine import context
from hippocampus.errors import StoreError
from hippocampus.store import open_store
from hippocampus.upkeep import verify

PATIENCE_S = {"file": 0.002, "database": STUCK_S}
"""How long to wait for others in a file, in vain; a database also has connections to make."""
NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)
SERVERS = 3
BANKS = 2
TRIES = 3
"""How often a client asks until it has an answer, each time another server."""
AT_ONCE = 40
"""Histories on one store, each in banks of its own."""
READS = ("episodes", "recall", "find", "count", "journal")
"""What clients ask for."""
KEPT = Path(__file__).with_name("simulated.json")


def draw(rng):
    """Draw a plan: for each client its requests, then who goes on after how many steps."""

    other = rng.choice([0, 0, 0, 0, 0.4])

    def request():
        kind = rng.random()
        if kind < 0.35:
            what, text = "remember", rng.choice(sorted(TEXTS))
        elif kind < 0.6:
            what, text = rng.choice(OF_SEEDED), rng.choice(SEEDED)
        elif kind < 0.985:
            what, text = rng.choice(READS), SEEDED[0]
        else:
            what, text = rng.choice(["sleep", "compact"]), SEEDED[0]
        fault = rng.choice(FAULTS) if what not in READS and rng.random() < 0.4 else ""
        nth = 0 if rng.random() < 0.8 else 1
        bank = int(rng.random() < other)
        return [what, text, bank, rng.randrange(SERVERS), fault, nth, rng.random() < 0.1]

    clients = [[request() for _ in range(rng.randint(1, 4))] for _ in range(rng.randint(2, 3))]
    schedule = [[rng.randint(1, 12), rng.randint(0, 5)] for _ in range(rng.randint(2, 24))]
    return {"clients": clients, "schedule": schedule}


@dataclass
class Attempt:
    """A request on its way to one server."""

    what: str
    text: str
    bank: int
    fault: str = ""
    nth: int = 0
    """Which of its transactions the fault is of."""
    client: object = None
    """Who waits for the answer, as long as anybody does."""
    writes: int = 0

    def fault_of_write(self):
        """Return what happens to the transaction that begins now."""
        self.writes += 1
        return self.fault if self.writes == self.nth + 1 else ""

    def give_up(self):
        """Let the client go on, which has waited for long enough."""
        client, self.client = self.client, None
        if client is not None:
            client.went_wrong()

    @property
    def met(self):
        """Whether the fault has happened."""
        return bool(self.fault) and self.writes > self.nth

    @property
    def surely_nothing(self):
        """Whether no transaction of it was committed, if it has failed."""
        return self.fault in {"refused", "dropped", "killed before"} and self.nth == 0


class Server:
    """A memory, and the thread in which it does what it is asked."""

    def __init__(self, world, place):
        self.world, self.place = world, place
        self.go = threading.Semaphore(0)
        self.attempt = None
        self.clock = ManualClock(NOW + timedelta(hours=place))
        self.memory = None
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    @property
    def busy(self):
        return self.attempt is not None

    def open(self):
        """Open the store; what it knew is gone."""
        if self.memory is not None:
            self.memory.engine.store.inner.close()
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(
                context, "open_store", lambda *a, **k: SimulatedStore(open_store(*a, **k), self)
            )
            self.memory = Memory(
                self.world.address, embedder="none", config=self.world.config, clock=self.clock
            )

    def _work(self):
        while True:
            self.go.acquire()
            if self.attempt is None:
                return
            try:
                self.world.serve(self, self.attempt)
            except Over:
                return
            except BaseException as exc:  # noqa: BLE001 - it is the run that failed
                self.world.baton.fail(exc)
                return
            else:
                self.world.baton.finished()

    def close(self):
        """End; what was in the middle of something when a run went wrong is left to the garbage."""
        self.go.release()
        self._thread.join(STUCK_S)
        if not self.busy:
            self.memory.close()
        self.memory.engine.store.inner.close()


class Client:
    """Asks one thing after the other, and again where it gets no answer."""

    def __init__(self, world, requests):
        self._world, self._requests = world, list(requests)
        self._tries, self._waits = 0, False
        self._copy = None

    def next_requests(self):
        """Return what may be sent now: the next request, or the copy of one."""
        if self._world.free_server(0) is None:
            return []
        more = self._requests and not self._waits
        return [*([self._ask] if more else []), *([self._repeat] if self._copy else [])]

    def _ask(self):
        what, text, bank, place, fault, nth, twice = self._requests[0]
        self._waits = True
        first = not self._tries
        if twice and first:
            self._copy = place + 1, Attempt(what, text, bank)
        fault = fault if first else ""  # the network is better now
        server = self._world.free_server(place + self._tries)
        server.attempt = Attempt(what, text, bank, fault, nth, self)
        return server

    def _repeat(self):
        """Have the network deliver a request a second time; nobody waits for that."""
        place, attempt = self._copy
        server, self._copy = self._world.free_server(place), None
        server.attempt = attempt
        return server

    def went_wrong(self):
        """Hear that there is no answer."""
        self._tries, self._waits = self._tries + 1, False
        if self._tries >= TRIES:
            self.went_well()

    def went_well(self):
        """Hear the answer."""
        self._requests.pop(0)
        self._tries, self._waits = 0, False


class World:
    """Servers with one store between them, and histories in banks of their own."""

    def __init__(self, address):
        self.address = address
        kind = "database" if "://" in str(address) else "file"
        self.config = Config(ingest=Ingest(seal_rows=4), busy_timeout_s=PATIENCE_S[kind])
        self.locks = Locks(each_bank=kind == "database")
        self._is_a_file = kind == "file"
        self.baton = None
        self.servers = [Server(self, place) for place in range(SERVERS)]
        for server in self.servers:
            server.open()
        self._name, self._texts, self._ids, self._history = "", {}, {}, {}
        self._erased = None
        self._problems = []
        self._done = 0
        self.counted = Counter()

    def free_server(self, place):
        """Return a server that has nothing to do, from a place on; None if there is none."""
        found = (self.servers[(place + n) % SERVERS] for n in range(SERVERS))
        return next((one for one in found if not one.busy), None)

    def serve(self, server, attempt):
        """Have a server do what it is asked, and tell who waits; in its thread."""
        began, heard, answer = self.baton.tick(), True, None
        server.clock.advance(timedelta(minutes=7))
        memory = server.memory
        try:
            answer = self._do(memory, attempt)
        except Killed:
            heard = False
            server.attempt = None  # to open is not slowed down by the network
            server.open()
        except StoreError as exc:
            heard = False
            if not attempt.met:
                self._problems.append(f"{attempt.what} failed by itself: {exc}")
        server.attempt = None
        sure = heard and attempt.client is not None
        if heard or not (attempt.surely_nothing and attempt.what not in IN_STEPS):
            done = Done(attempt.what, attempt.text, began, self.baton.tick(), answer, sure)
            self._history[attempt.bank].append(done)
        self.counted["requests"] += 1
        if attempt.met:
            self.counted[attempt.fault] += 1
        if attempt.client is not None:
            (attempt.client.went_well if heard else attempt.client.went_wrong)()

    def _do(self, memory, attempt):
        bank = memory.bank(f"{self._name}.{attempt.bank}")
        if attempt.what == "count":
            return bank.count(self._name)
        if attempt.what == "indexed":  # what is gone is not in memory either
            with bank.state.asking() as here:
                return int(here.index.columns.visible().sum())
        if attempt.what != "journal":
            ids = self._ids[attempt.bank]
            return do(bank, ids, attempt.what, attempt.text, self._texts)
        store = memory.engine.store
        with store.read():
            number = store.banks.number(bank.name)
            return store.journal.last_seq(number), store.journal.head(number)

    def run(self, plan):
        """Carry out a plan in new banks, and return what is wrong with what came of it."""
        self._done += 1
        self._name, self._problems = f"h{self._done}", []
        self._texts = {name: f"{text} {self._name}" for name, text in TEXTS.items()}
        used = sorted({request[2] for requests in plan["clients"] for request in requests})
        self._history = {bank: [] for bank in used}
        self.baton = Baton(plan["schedule"])
        for bank in used:
            turns = [Turn(text=self._texts[text], at="2025-03-02") for text in SEEDED]
            kept = self.servers[0].memory.bank(f"{self._name}.{bank}").remember_many(turns)
            self._ids[bank] = {text: e.id for text, e in zip(SEEDED, kept, strict=True)}
        clients = [Client(self, requests) for requests in plan["clients"]]
        raised = self.baton.run(
            lambda: [one for client in clients for one in client.next_requests()]
        )
        if raised:
            return [*self._problems, f"raised: {raised[0]!r}"]
        self.counted.update({"histories": 1, "switches": self.baton.switches})
        problems = [problem for bank in used for problem in self._judge(bank)]
        return self._problems + problems

    def _judge(self, bank):
        """Yield what is wrong with a bank, whatever server is asked in the end."""
        history = self._history[bank]
        for server in self.servers:
            others = ("episodes", "find", "journal")
            for what in ("recall", "indexed", others[(server.place + self._done) % SERVERS]):
                attempt = Attempt(what, SEEDED[0], bank)
                began = self.baton.tick()
                answer = self._do(server.memory, attempt)
                history.append(Done(what, SEEDED[0], began, self.baton.tick(), answer))
        if not in_some_order([one for one in history if one.what != "journal"]):
            yield f"no order explains {history}"
        gone = [one.text for one in history if one.what == "erase" and one.answer == 1]
        if gone and len(self._history) == 1:
            self._erased = self._texts[gone[0]]
        store = self.servers[0].memory.engine.store
        number = store.banks.number(f"{self._name}.{bank}")
        changes = [change.seq for change in store.journal.read(number)]
        if changes != list(range(1, len(changes) + 1)):
            yield f"the journal has gaps: {changes}"
        heads = store.journal.heads(number)
        read = sorted((one for one in history if one.what == "journal"), key=lambda o: o.began)
        for n, one in enumerate(read):
            seq, head = one.answer
            if seq >= len(heads) or heads[seq] != head:
                yield f"a journal was read that is not the beginning of what there is: {one}"
            if any(before.ended < one.began and before.answer[0] > seq for before in read[:n]):
                yield f"a journal was shorter than before: {one}"

    def ends(self):
        """Return what is wrong with the store in the end; what was erased is nowhere."""
        for server in self.servers[1:]:  # who reads an older state keeps it
            server.close()
        # What is erased stays in a database's pages and log, unless it is encrypted.
        erased = self._erased if self._is_a_file else None
        found = verify(self.servers[0].memory, residue=erased)
        return [*found.problems, *(f"erased, and still in {at}" for at in found.residue or ())]

    def close(self):
        for server in self.servers:
            server.close()


@contextlib.contextmanager
def world(places):
    """Have a world on a new store; ``places`` has a new place for one."""
    with places() as address:
        here = World(address)
        try:
            yield here
        finally:
            here.close()


@contextlib.contextmanager
def in_memory():
    """Have a place for a store in a file, in memory where there is a file system for that."""
    shared = Path("/dev/shm")  # noqa: S108 - a folder of its own in it
    folder = tempfile.mkdtemp(dir=shared if shared.is_dir() else None)
    try:
        yield Path(folder) / "memory.db"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def in_postgres():
    """Have what has a place for a store in PostgreSQL, each time in a new database."""
    import psycopg

    sys.path.append(str(Path(__file__).parents[1] / "store"))
    from postgres_server import running

    numbers = count()

    @contextlib.contextmanager
    def place():
        name = f"world{next(numbers)}"
        with psycopg.connect(server.format("postgres"), autocommit=True) as db:
            db.execute(f"CREATE DATABASE {name}")
            try:
                yield server.format(name)
            finally:
                db.execute(f"DROP DATABASE {name} WITH (FORCE)")

    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as server:
        Path(folder).chmod(0o755)
        yield place


def problems_of(plan, places=in_memory):
    """Return what is wrong with a plan that is carried out on a store of its own."""
    with world(places) as here:
        return here.run(plan) or here.ends()


def shorter(plan):
    """Yield plans with something less."""
    for n, requests in enumerate(plan["clients"]):
        rest = plan["clients"][:n], plan["clients"][n + 1 :]
        if len(plan["clients"]) > 1:
            yield plan | {"clients": [*rest[0], *rest[1]]}
        for m, request in enumerate(requests):
            fewer = [*requests[:m], *requests[m + 1 :]]
            yield plan | {"clients": [*rest[0], fewer, *rest[1]]}
            if request[4] or request[6]:
                plain = [*request[:4], "", 0, False]
                yield plan | {
                    "clients": [*rest[0], [*requests[:m], plain, *requests[m + 1 :]], *rest[1]]
                }
    for n in range(len(plan["schedule"])):
        yield plan | {"schedule": plan["schedule"][:n] + plan["schedule"][n + 1 :]}


def shrink(plan, goes_wrong, until=math.inf):
    """Return a plan that still goes wrong, and of which nothing can be left out."""
    while time.monotonic() < until:
        found = next((one for one in shorter(plan) if goes_wrong(one)), None)
        if found is None:
            return plan
        plan = found
    return plan


# ---------------------------------------------------------------- many of them


def one_world(seeds, places, until, counted):
    """Return (seed, plan, problems) of the first history on one store that goes wrong, or None."""
    with world(places) as here:
        for seed in seeds:
            plan = draw(random.Random(seed))  # noqa: S311
            found = here.run(plan)
            if found or time.monotonic() > until:
                break
        found = found or here.ends()
        counted.update(here.counted)
    return [seed, plan, found] if found else None


def simulate(seconds, first, *, places=in_memory, kept=KEPT, show=print):
    """
    Carry out kept plans, then new ones; return counts and findings.

    What goes wrong alone as well is made shorter, for a minute at most, and kept.
    """
    counted, findings, seed = Counter(), [], first
    until = time.monotonic() + seconds
    tried = (
        {"why": one["why"], "problems": problems_of(one["plan"], places)}
        for one in json.loads(kept.read_text("utf-8"))
    )
    findings += [one for one in tried if one["problems"]]
    while time.monotonic() < until and not findings:
        found = one_world(range(seed, seed + AT_ONCE), places, until, counted)
        seed = first + counted["histories"]
        if found is None:
            continue
        bad, plan, problems = found
        if problems_of(plan, places):
            plan = shrink(plan, lambda one: problems_of(one, places), time.monotonic() + 60)
            problems = problems_of(plan, places)
            keep(kept, {"why": f"seed {bad}: {problems[0][:60]}", "plan": plan})
        findings.append({"seed": bad, "plan": plan, "problems": problems})
        show(f"seed {bad}: {problems}\n{json.dumps(plan)}")
    return dict(counted), findings


def keep(file, one):
    """Write down a plan that goes wrong."""
    every = json.loads(file.read_text("utf-8"))
    text = ",\n".join(f"  {json.dumps(each)}" for each in [*every, one])
    file.write_text(f"[\n{text}\n]\n", "utf-8")


def main(show=print):
    """Simulate for some time, and add what was found to a report."""
    from hippocampus_bench.report import commit

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--postgres", action="store_true", help="in place of files in memory")
    parser.add_argument("--seed", type=int, help="the first; by default what the report ended with")
    parser.add_argument("--report", type=Path)
    given = parser.parse_args()
    where = "postgresql" if given.postgres else "sqlite"
    report = {}
    if given.report and given.report.exists():
        report = json.loads(given.report.read_text("utf-8"))
    before = report.get(where, {})
    first = before.get("histories", 0) if given.seed is None else given.seed
    began, used = time.monotonic(), time.process_time()
    with in_postgres() if given.postgres else contextlib.nullcontext(in_memory) as places:
        counted, findings = simulate(given.seconds, first, places=places, show=show)
    took = {"seconds": time.monotonic() - began, "cpu_s": time.process_time() - used}
    show(counted, took, len(findings), "findings")
    if given.report:
        total = Counter(before) + Counter(counted) + Counter(took)
        report |= {
            "commit": commit(),
            where: {name: round(n, 1) for name, n in sorted(total.items())},
            "findings": [*report.get("findings", []), *findings],
        }
        given.report.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    return bool(findings)


if __name__ == "__main__":
    raise SystemExit(main())
