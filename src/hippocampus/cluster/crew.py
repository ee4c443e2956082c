"""Workers of Ray that do jobs: one or more a node, replaced where they are lost."""

from __future__ import annotations

import logging
import os
import socket
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import Any, Final, TypeAlias

from hippocampus.cluster.jobs import Job, JobDone, Opened, Workshop
from hippocampus.cluster.report import ClusterReport, Failure, Told
from hippocampus.core.budget import Budget
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.optional import require
from hippocampus.core.store_address import is_url
from hippocampus.errors import (
    HippocampusError,
    InputError,
    ServerUnavailable,
    StoreLocked,
    StoreUnreachable,
    Unauthorized,
)

LOCAL: Final = "local"
SHARE: Final = 0.5
"""Processors that a worker asks of a node: the other half is for tasks that read files."""
_TRIES: Final = 4
"""Most times that a job is begun: its worker may be lost, or another be in the way."""
_PATIENCE_S: Final = 10.0
"""Seconds for a connection, which takes a fraction of one; Ray itself would try for minutes. Chosen
by hand."""
_TELL_EVERY_S: Final = 1.0
"""Seconds between two reports, and most for which an end is waited for before one is made, and new
workers are looked for. Chosen by hand."""
ROOM_S: Final = 120.0
"""Most seconds without anybody at work while workers wait for room on a node."""
_OBJECTS_BYTES: Final = 256 << 20
"""Shared memory of a Ray that is started here; what is more goes to disk."""


@contextmanager
def joined(address: str, workers: int | None) -> Iterator[ModuleType]:
    """
    Join the Ray at an address, or start one on this machine that only it can reach.

    Raises:
        MissingExtra: Ray is not installed.
        ServerUnavailable: there is no Ray at the address.
        Unauthorized: it takes only who has its token.

    """
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # read as it is imported: it would phone home
    os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    if address == LOCAL:  # so Ray takes this machine's own address, and no other reaches its ports
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    # Ray logs what it does, among the lines that a command prints.
    logging.getLogger("ray").setLevel(logging.ERROR)
    ray = require("ray", extra="ray", feature="work on a cluster")
    if ray.is_initialized():  # by whoever calls, who also ends it
        yield ray
        return
    if address != LOCAL:
        _check_listens(address)
    quiet: dict[str, Any] = {"configure_logging": False, "log_to_driver": False}
    try:
        if address == LOCAL:
            ray.init(
                address=LOCAL, num_cpus=workers or os.cpu_count() or 1, include_dashboard=False,
                object_store_memory=_OBJECTS_BYTES, _node_ip_address="127.0.0.1", **quiet,
            )  # fmt: skip
        else:
            ray.init(address=address, **quiet)
    except ray.exceptions.AuthenticationError as exc:
        raise Unauthorized(f"{address}: this Ray {_wants_token()}; {_LET_IN}") from exc
    except (ConnectionError, RuntimeError, ValueError) as exc:
        # With a token that is another's, or without one, Ray says no more than this.
        msg = (
            f"there is no Ray there ({exc}), or it {_wants_token()}: start one with 'ray start"
            f" --head', take 'local', which starts one here, or {_LET_IN}"
        )
        raise ServerUnavailable(msg, url=address) from exc
    try:
        yield ray
    finally:
        ray.shutdown()


def _check_listens(address: str) -> None:
    """Refuse an address where nothing listens, for which Ray would wait some minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not host or not port.isdecimal():
        return  # a word such as auto
    try:
        socket.create_connection((host, int(port)), timeout=_PATIENCE_S).close()
    except OSError as exc:
        msg = f"nothing listens there ({exc}): start a Ray with 'ray start --head'"
        raise ServerUnavailable(msg, url=address) from exc


_LET_IN: Final = (
    "set RAY_AUTH_MODE=token, and RAY_AUTH_TOKEN_PATH to a file with the token of its nodes"
)


def _wants_token() -> str:
    """Return the rule of a Ray with a token, and where one was looked for; it is never shown."""
    mode, path = os.environ.get("RAY_AUTH_MODE"), os.environ.get("RAY_AUTH_TOKEN_PATH")
    if mode != "token":
        sent = f"RAY_AUTH_MODE is {mode or 'not set'}, so none was sent"
    elif "RAY_AUTH_TOKEN" in os.environ:
        sent = "RAY_AUTH_TOKEN holds another, or none"
    else:
        sent = f"{path or '~/.ray/auth_token'} holds another, or none"
    return f"takes only who has its token, and {sent}"


_Worker: TypeAlias = tuple[Any, str | None]
"""A worker as Ray knows it, and its node."""


class ClusterWorker:
    """A worker: a process on some node, with the store open and its models loaded."""

    def __init__(self, opened: Opened, minutes: float) -> None:
        ray = require("ray", extra="ray", feature="work on a cluster")
        self._shop = Workshop(opened, lambda refs: ray.get(list(refs)))
        self._minutes = minutes

    def lacks(self) -> tuple[str, str]:
        """Open the store; return why what is kept here has no vectors, if so, and the machine."""
        why = ""
        with suppress(HippocampusError):  # a job is told, and tried again if that may help
            why = self._shop.memory.engine.unembedded
        return why, socket.gethostname()

    def run(self, job: Job) -> tuple[JobDone, int]:
        """Do a job; return what came of it, and the number of this process."""
        began = time.process_time()
        try:
            with Budget(seconds=60 * self._minutes):
                done = job.run(self._shop)
        except HippocampusError as exc:
            # What is the matter with a bank stays; with the database, it may pass.
            again = isinstance(exc, StoreLocked | StoreUnreachable)
            done = JobDone(failed=[Failure(what=job.name, why=str(exc))], again=again)
        done.cpu_s = time.process_time() - began
        return done, os.getpid()


@immutable(kw_only=False)
class Waiting:
    """A job that nobody does yet, how often it was begun, and from when on it may be again."""

    job: Job
    tries: int = 1
    since: float = 0.0

    def again(self) -> Waiting:
        """Return it as it waits once more: after a second, two, four."""
        return Waiting(self.job, self.tries + 1, time.monotonic() + 2 ** (self.tries - 1))


class Crew:
    """
    Workers on every node of a Ray, and the jobs that they do.

    Args:
        ray: the module, joined to a cluster.
        opened: how each worker opens the store.
        workers: how many a node has.
        minutes: how long a job may take.

    """

    def __init__(self, ray: ModuleType, opened: Opened, *, workers: int, minutes: float) -> None:
        self._ray = ray
        self._given = opened, minutes
        # We replace lost workers ourselves, and hand their jobs out again: Ray must not do so too.
        self._actor = ray.remote(num_cpus=SHARE, max_restarts=0)(ClusterWorker)
        nodes = [node for node in ray.nodes() if node["Alive"]]
        check_reach(opened.store, [str(node["NodeManagerHostname"]) for node in nodes])
        self._idle = deque[_Worker]()
        self._without = list[tuple[_Worker, str]]()
        """Workers of nodes without a model, and what to say of them."""
        self._beginning: dict[Any, _Worker] = {}
        for node in nodes:
            for _ in range(workers):
                self._hire(node["NodeID"])
        self.size = len(self._beginning)

    def _hire(self, node: str | None) -> None:
        """Begin a worker; on a node, if it is there still and has room."""
        actor = self._actor
        if node is not None:
            strategies = self._ray.util.scheduling_strategies
            # Soft: the node may be the one that was lost, and another one can do its work.
            on = strategies.NodeAffinitySchedulingStrategy(node_id=node, soft=True)
            actor = actor.options(scheduling_strategy=on)
        begun = actor.remote(*self._given)
        self._beginning[begun.lacks.remote()] = begun, node

    def _welcome(self, report: ClusterReport, *, at_work: bool) -> None:
        """
        Have workers that have begun take part.

        Where only some nodes have the model, the others do nothing, for what they kept would have
        no vectors. If none has it, all go on without, as one machine would.
        """
        if not self._beginning:
            return
        ready, _ = self._ray.wait(
            list(self._beginning), num_returns=len(self._beginning), timeout=0
        )
        for ref in ready:
            worker = self._beginning.pop(ref)
            try:
                lacking, host = self._ray.get(ref)
            except self._ray.exceptions.RayError as exc:
                why = str(getattr(exc, "cause", None) or exc)
                report.notes.append(f"a worker could not begin: {why}")
                self.size -= 1
                continue
            if lacking:
                self._without.append((worker, f"{host} did nothing: {lacking}"))
            else:
                self._idle.append(worker)
        # Whether any node has the model is known only when the last worker has begun.
        if self._beginning or not self._without:
            return
        if not (self._idle or at_work or report.pids):
            self._idle.extend(worker for worker, _ in self._without)
        else:
            report.notes += sorted({why for _, why in self._without} - {*report.notes})
            for worker, _ in self._without:
                self._ray.kill(worker[0])
            self.size -= len(self._without)
        self._without.clear()

    def _check_somebody_comes(self, report: ClusterReport, idle_since: float) -> None:
        """Refuse to wait for workers for ever."""
        if not self._beginning:
            msg = f"no worker could begin: {'; '.join(report.notes)}"
            raise ServerUnavailable(msg, url=self._given[0].store)
        if time.monotonic() - idle_since > ROOM_S:
            msg = (
                f"no node has had room for a worker for {ROOM_S:.0f} s, which takes {SHARE} of a"
                " processor: see 'ray status', and add a node or end what is there"
            )
            raise ServerUnavailable(msg, url="Ray")

    def do(self, jobs: Sequence[Job], report: ClusterReport, told: Told | None = None) -> None:
        """Have all jobs done; note in the report what came of them."""
        began = told_at = time.monotonic()
        report.total, report.workers = report.total + len(jobs), self.size
        waiting = [Waiting(job) for job in jobs]
        # Jobs are taken from the end, where ``pop`` costs nothing.
        waiting.reverse()
        busy: dict[Any, tuple[_Worker, Waiting]] = {}
        pids = Counter[int]()
        worked_at = began
        while waiting or busy:
            self._welcome(report, at_work=bool(busy))
            self._hand_out(waiting, busy)
            if not busy:  # workers begin, or all that is left is tried again in a moment
                if not self._idle:
                    self._check_somebody_comes(report, worked_at)
                time.sleep(_TELL_EVERY_S / 10)
                continue
            worked_at = time.monotonic()
            ready, _ = self._ray.wait(list(busy), num_returns=1, timeout=_TELL_EVERY_S)
            for ref in ready:
                worker, one = busy.pop(ref)
                done = self._end(ref, worker, one.job, report, pids)
                if done.again and one.tries < _TRIES:
                    # Behind all others, so that what is in its way may be over by then.
                    waiting.insert(0, one.again())
                else:
                    report.done += 1
                    report.counts.update(done.counts)
                    report.failed += done.failed
            report.workers = self.size
            report.elapsed_s, report.pids = time.monotonic() - began, dict(pids)
            ended = not (waiting or busy)
            if told and (ended or time.monotonic() - told_at >= _TELL_EVERY_S):
                told(report)
                told_at = time.monotonic()

    def _hand_out(self, waiting: list[Waiting], busy: dict[Any, Any]) -> None:
        """Give every idle worker the next job for which it is time."""
        now = time.monotonic()
        for place in range(len(waiting) - 1, -1, -1):
            if not self._idle:
                return
            if waiting[place].since <= now:
                one, worker = waiting.pop(place), self._idle.popleft()
                busy[worker[0].run.remote(one.job)] = worker, one

    def _end(
        self, ref: Any, worker: _Worker, job: Job, report: ClusterReport,  # noqa: ANN401
        pids: Counter[int],
    ) -> JobDone:  # fmt: skip
        """Return the result of a job; a worker that was lost is replaced."""
        lost = self._ray.exceptions
        try:
            done, pid = self._ray.get(ref)
        except lost.RayTaskError as exc:
            # The job failed, not its worker: that goes on with the next one.
            self._idle.append(worker)
            return JobDone(failed=[Failure(what=job.name, why=f"{exc.cause!r}")])
        except lost.RayError as exc:
            report.lost += 1
            # It may still run behind a lost connection, and would go on beside its successor.
            self._ray.kill(worker[0])
            self._hire(worker[1])
            why = f"its worker was lost: {str(exc).splitlines()[0]}"
            return JobDone(failed=[Failure(what=job.name, why=why)], again=True)
        self._idle.append(worker)
        pids[pid] += 1
        found: JobDone = done
        report.cpu_s += found.cpu_s
        return found

    def end(self) -> None:
        """Let all workers go."""
        for actor, _ in (*self._idle, *self._beginning.values()):
            self._ray.kill(actor)
        self._idle.clear()
        self._beginning.clear()


def check_reach(store: str, hosts: Sequence[str]) -> None:
    """Refuse a file as the store of a cluster that has other machines."""
    others = sorted(set(hosts) - {socket.gethostname()})
    if others and not is_url(store):
        raise InputError(
            f"{store}: is a file of this machine, and the cluster has others ({', '.join(others)});"
            " move it to PostgreSQL ('hippocampus move'), or use --ray local"
        )
