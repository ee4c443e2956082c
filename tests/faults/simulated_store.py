"""
A network between servers and their store that refuses, drops, loses and delays what it carries.

Every server has a thread, and one of them runs at a time: each hands on a baton wherever it asks
the store for something, to whom a schedule names. So a run is what its plan says, always.
"""

import threading
from contextlib import contextmanager

from hippocampus.errors import StoreError

FAULTS = ("refused", "dropped", "lost", "late", "killed before", "killed after")
"""
What may happen to a transaction: it never begins; the commit does not arrive; it is done and the
answer does not come back; it waits while the client has given up; its server is killed.
"""
STUCK_S = 60


class Killed(BaseException):
    """The end of a server's process, in the middle of what it did."""


class Over(BaseException):
    """The end of a run in which something is wrong."""


class Stuck(AssertionError):
    """Nobody can go on."""


class Baton:
    """
    Whose turn it is: a server in the middle of a request, or a client that has another one.

    Args:
        schedule: pairs of a number of steps and of who goes on then; after the last one each goes
            on for as long as it can.

    """

    def __init__(self, schedule):
        self._schedule = iter(schedule)
        self._left, self._choice = next(self._schedule, (1 << 60, 0))
        self._waiting = {}  # by server: what says whether it may go on
        self._next_request = list
        self._ended = threading.Semaphore(0)
        self._failed = []
        self.clock = 0
        self.switches = 0

    def tick(self):
        """Return the next moment: no two are alike."""
        self.clock += 1
        return self.clock

    def fail(self, error):
        """End the run: something is wrong with it, and nobody goes on."""
        self._failed.append(error)
        for server in self._waiting:
            server.go.release()
        self._ended.release()

    def run(self, next_request):
        """Let clients and servers do what they have to; return what was raised meanwhile."""
        self._next_request = next_request
        self._hand_on(None)
        if not self._ended.acquire(timeout=STUCK_S):
            self.fail(Stuck("a server waits for something that is not of the store"))
        return self._failed[:1]

    def step(self, server, may_go=lambda: True):
        """Wait for a turn, in the thread of a server; ``may_go``: whether it can have one."""
        self._left -= 1
        if self._left > 0 and may_go():
            return
        self._waiting[server] = may_go
        if self._hand_on(server) is not server and not server.go.acquire(timeout=STUCK_S):
            raise Stuck(f"{server.place} waits for a turn that nobody gives")
        if self._failed:
            raise Over
        del self._waiting[server]

    def finished(self):
        """Hand on the baton for good; the caller has nothing more to do."""
        self._left = 0
        self._hand_on(None)

    def _hand_on(self, me):
        """Choose who goes on; return whether that is the one who asks."""
        ready = [one for one, may_go in self._waiting.items() if may_go()]
        ready.sort(key=lambda one: one.place)
        requests = self._next_request()
        if not ready and not requests:
            if self._waiting:
                self.fail(Stuck("everybody waits for somebody else"))
            else:
                self._ended.release()
            return None
        if self._left <= 0:
            chosen = [*ready, *requests][self._choice % (len(ready) + len(requests))]
            self._left, self._choice = next(self._schedule, (1 << 60, 0))
        else:
            chosen = me if me in ready else [*ready, *requests][0]
        self.switches += chosen is not me
        if chosen not in ready:
            chosen = chosen()  # the server that takes the request
        if chosen is not me:
            chosen.go.release()
        return chosen


class Locks:
    """Who has a transaction open: the store waits where others do, so that nobody does."""

    def __init__(self, *, each_bank):
        self._each_bank = each_bank
        self._held = {}

    def free(self, server, bank):
        """Return whether a server may begin to write a bank, or with None the whole store."""
        held = [other for one, other in self._held.items() if one is not server]
        if not self._each_bank:
            return not held
        return not any(None in {bank, other} or bank == other for other in held)

    def take(self, server, bank):
        self._held[server] = bank

    def drop(self, server):
        self._held.pop(server, None)


class SimulatedStore:
    """A store of a server, behind the network; what it does not say itself, the real one does."""

    def __init__(self, inner, server):
        self.inner = inner
        self.dead = False
        """Whether its server was killed: whoever still asks is a ghost."""
        self._server = server
        self._depth = 0

    def __getattr__(self, name):
        if self.dead:
            raise Killed
        return getattr(self.inner, name)

    def _step(self, may_go=lambda: True):
        if self.dead:
            raise Killed
        if self._server.busy and not self._depth:
            self._server.world.baton.step(self._server, may_go)

    @contextmanager
    def write(self, bank=None):
        if self.dead:
            raise Killed
        if self._depth or not self._server.busy:
            with self.inner.write(bank):
                yield
            return
        fault, locks = self._server.attempt.fault_of_write(), self._server.world.locks
        if fault == "refused":
            raise StoreError("the database cannot be reached", path="simulated")
        self._step(lambda: locks.free(self._server, bank))
        locks.take(self._server, bank)
        try:
            with self.inner.write(bank):
                self._depth += 1
                try:
                    yield
                finally:
                    self._depth -= 1
                if fault == "late":
                    self._server.attempt.give_up()
                self._step()
                if fault == "killed before":
                    self._die()
                if fault == "dropped":
                    raise StoreError("the connection broke", path="simulated")
        finally:
            locks.drop(self._server)
        if fault == "killed after":
            self._die()
        if fault == "lost":
            raise StoreError("the connection broke", path="simulated")
        self._step()

    def _die(self):
        self.dead = True
        raise Killed

    @contextmanager
    def read(self):
        self._step()
        with self.inner.read():
            self._step()
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1

    def wait_until_durable(self, bank):
        locks = self._server.world.locks  # a database has whoever waits take the bank's
        self._step(lambda: locks.free(self._server, bank))
        self.inner.wait_until_durable(bank)

    def changes(self):
        self._step()
        return self.inner.changes()
