"""
Three nodes are killed, stopped, cut off and told the wrong time, under writers that go on.

    python tests/chaos/campaign.py --seconds 600 --report bench/results/chaos.json

Every acknowledged write has to be there, once, through every server, when the nodes are whole
again; what was not acknowledged, once at most. Banks sleep on Ray meanwhile, whose workers are
killed as well, and in the end a sleep of all of them has to be done.

``--control`` has commits wait for no standby and a primary lost that its standbys were behind of:
then something must be missing, or this would see nothing. A report goes on where it ended.
"""

import argparse
import json
import os
import random
import signal
import statistics
import sys
import time
from collections import Counter
from contextlib import contextmanager, suppress
from pathlib import Path

from cluster import NODES, cluster, missing
from sleepers import Sleeper, children
from writers import Writer, missing_from

from hippocampus.errors import HippocampusError

FAULTS_A_ROUND = 40
PAUSES_S = (0, 0, 0.1, 0.5, 1, 2, 4)
"""Between two faults: some at once, and some after which there is time to write."""
HEALED_S = 120
CANNOT = 2
"""What it exits with where nothing could be tested; 1 says that something is wrong."""
SHIFTS = ("+0", "+3d", "-2h", "+45s", "-400d")
"""What a clock is wrong by."""


def kill(pid, how=signal.SIGKILL):
    """Send a signal; return whether anybody was there."""
    if pid is None:
        return False
    with suppress(ProcessLookupError):
        os.kill(pid, how)
        return True
    return False


FAULTS = {
    "kill_server": 6, "kill_etcd": 6, "kill_patroni": 4, "kill_standby": 6, "kill_primary": 2,
    "kill_backend": 6, "lose_primary": 1, "stop_server": 2, "stop_primary": 1,
    "cut_off_primary": 1, "cut_off_standby": 1, "shift_clock": 2, "kill_worker": 4,
}  # fmt: skip
"""How often each comes, in proportion."""


class Round:
    """Some faults on a cluster under load, and what is there afterwards."""

    def __init__(self, nodes, rng, name, counted, sleeper=None):
        self.cluster, self.rng, self.counted, self.sleeper = nodes, rng, counted, sleeper
        banks = [f"{name}-shared", f"{name}-shared", f"{name}-1", f"{name}-2"]
        self.writers = [
            Writer(nodes.url, nodes.key, bank, f"{name} {place}")
            for place, bank in enumerate(banks)
        ]
        self._later = []
        """What ends faults: moments and functions."""

    # ------------------------------------------------------------ faults

    def _any(self):
        return self.rng.choice(self.cluster.nodes)

    def _of(self, role):
        """Return a node that is primary or follows, any node while that is not known."""
        if role == "primary":
            return self.cluster.primary() or self._any()
        return self.rng.choice(self.cluster.standbys() or self.cluster.nodes)

    def _killed(self, what, n):
        self.counted["kills"] += int(n)
        self.counted[f"killed {what}"] += int(n)

    def _after(self, seconds, what):
        self._later.append((time.monotonic() + seconds, what))

    def kill_server(self):
        self._killed("server", self._any().server.kill())

    def kill_etcd(self):
        self._killed("etcd", self._any().etcd.kill())

    def kill_patroni(self):
        self._killed("patroni", self._any().patroni.kill())

    def kill_standby(self):
        self._killed("standby", kill(self._of("standby").postmaster()))

    def kill_primary(self):
        self._killed("primary", kill(self._of("primary").postmaster()))

    def kill_backend(self):
        """Kill a process of the primary, upon which it throws everybody out and recovers."""
        node = self._of("primary")
        found = [pid for pid, title in children(node.postmaster() or 0) if "memories" in title]
        self._killed("backend", bool(found) and kill(self.rng.choice(found)))

    def kill_worker(self):
        """Kill a worker of the Ray on which banks sleep."""
        found = self.sleeper.workers() if self.sleeper else []
        self._killed("worker", bool(found) and kill(self.rng.choice(found)))

    def lose_primary(self):
        """Kill all there is on the primary's machine, which stays away until there is another."""
        node = self._of("primary")
        self.cut_off(node, 9)  # or the system would send what its dead processes left to send
        programs = (node.patroni, node.etcd, node.server)
        for program in programs:
            program.down = True
        self._killed(
            "machine of the primary",
            sum([kill(node.postmaster()), *(one.kill() for one in programs)]),
        )
        self._after(9, lambda: [setattr(one, "down", False) for one in programs])

    def stop_server(self):
        server = self._any().server
        server.kill(signal.SIGSTOP)
        self.counted["server stopped"] += 1
        self._after(self.rng.uniform(0.5, 3), lambda: server.kill(signal.SIGCONT))

    def stop_primary(self):
        """Have the primary and its keeper stand still, until another may be in its place."""
        node = self._of("primary")
        found = node.postmaster()
        stopped = [pid for pid, _ in children(found or 0)] + ([found] if found else [])
        node.patroni.kill(signal.SIGSTOP)
        for pid in stopped:
            kill(pid, signal.SIGSTOP)
        self.counted["primary stopped"] += 1

        def ends():
            node.patroni.kill(signal.SIGCONT)
            for pid in stopped:
                kill(pid, signal.SIGCONT)

        self._after(self.rng.uniform(2, 9), ends)

    def cut_off(self, node, seconds):
        node.cable(plugged=False)
        self._after(seconds, lambda: node.cable(plugged=True))

    def cut_off_primary(self):
        self.counted["primary cut off"] += 1
        self.cut_off(self._of("primary"), self.rng.uniform(1, 10))

    def cut_off_standby(self):
        self.counted["standby cut off"] += 1
        self.cut_off(self._of("standby"), self.rng.uniform(1, 8))

    def shift_clock(self):
        self.counted["clock set"] += 1
        self._any().set_clock(self.rng.choice(SHIFTS))

    def faults(self, number):
        """Do so many, one after the other or at once."""
        names, weights = list(FAULTS), list(FAULTS.values())
        for _ in range(number):
            getattr(self, self.rng.choices(names, weights)[0])()
            self.counted["faults"] += 1
            self.wait(self.rng.choice(PAUSES_S))

    def wait(self, seconds):
        """Let time pass, and end what is to end by then."""
        until = time.monotonic() + seconds
        while True:
            due = [one for one in self._later if one[0] <= time.monotonic()]
            self._later = [one for one in self._later if one not in due]
            for _, end in due:
                end()
            if time.monotonic() >= until:
                return
            time.sleep(0.05)

    # ------------------------------------------------------------ afterwards

    def heal(self):
        """End every fault, and wait until all nodes are whole; return how long that took."""
        self._later = [(0, end) for _, end in self._later]
        self.wait(0)
        for node in self.cluster.nodes:
            node.set_clock("+0")
        began = time.monotonic()
        nodes = self.cluster
        nodes.wait_for(nodes.primary, HEALED_S, "primary")
        first = min((w.last() for w in self.writers), default=0)
        nodes.wait_for(
            lambda: min(w.last() for w in self.writers) > max(first, began), HEALED_S, "write"
        )
        took = time.monotonic() - began
        nodes.wait_for(lambda: len(nodes.standbys()) == len(NODES) - 1, HEALED_S, "second standby")
        nodes.wait_for(lambda: all(map(nodes.answers, nodes.nodes)), HEALED_S, "third server")
        return took

    def check(self):
        """Return what is wrong with what each server has, now that nobody writes."""
        for writer in self.writers:
            writer.stop()
        self.counted["acknowledged"] += sum(len(w.acknowledged) for w in self.writers)
        self.counted["without an answer"] += sum(w.failed for w in self.writers)
        wrong = [problem for w in self.writers for problem in w.problems]
        for node in self.cluster.nodes:
            told = self.missing_from(node, self.writers)
            wrong += [f"server {node.number}: {one}" for one in told]
            self.counted["checks"] += 1
        return wrong

    def missing_from(self, node, writers):
        """
        Return what is wrong with what a server has, asked until it answers.

        All nodes were whole a moment ago, but a database may still be restarted by its keeper.
        """
        until = time.monotonic() + HEALED_S
        while True:
            try:
                return list(missing_from(node.server_url, self.cluster.key, writers))
            except HippocampusError as exc:
                if time.monotonic() > until:
                    return [f"does not answer: {exc}"]
                self.counted["checks that were asked again"] += 1
                time.sleep(1)


@contextmanager
def sleeping(nodes):
    """Have banks of the cluster's store sleep on a Ray of this machine, again and again."""
    sleeper = Sleeper(nodes.store, nodes.folder / "sleeper.log")
    try:
        yield sleeper
    finally:
        sleeper.stop()


def campaign(seconds, seed, report, save, show):
    """Have rounds for some time, and add to a report what came of each."""
    counted, took = report["counted"], report["seconds until writes went on"]
    began, number, every = time.monotonic(), 0, []
    before = counted["seconds"]

    def found(wrong, where):
        report["findings"] += [{"where": where, "problem": each} for each in wrong]

    with cluster(synchronous=True) as nodes, sleeping(nodes) as sleeper:
        while time.monotonic() < began + seconds:
            name = f"r{seed}.{number}"
            one = Round(nodes, random.Random(name), name, counted, sleeper)  # noqa: S311
            one.faults(FAULTS_A_ROUND)
            took.append(round(one.heal(), 1))
            found(one.check(), name)
            every += one.writers
            number += 1
            counted.update({"rounds": 1})
            counted["seconds"] = before + round(time.monotonic() - began)
            save()
            told = ("kills", "acknowledged", "without an answer", "seconds")
            show(name, {each: counted[each] for each in told}, took[-1], report["findings"][:3])
        found(sleeper.end(), f"the sleeps of {seed}")
        counted.update({"sleeps of all banks": sleeper.whole, "sleeps cut off": sleeper.failed})
        for node in nodes.nodes:  # all that was ever acknowledged
            found(one.missing_from(node, every), f"the end of {seed}")
    counted["runs"] += 1


def lost(*, synchronous, times, show):
    """
    Lose a primary that its standbys are behind of; return what was acknowledged, and lost.

    They are cut off for a moment before it is gone: what they would only be slow to write, their
    systems have.
    """
    acknowledged = gone = 0
    with cluster(synchronous=synchronous) as nodes:
        for number in range(times):
            one = Round(nodes, random.Random(number), f"c{number}", Counter())  # noqa: S311
            time.sleep(1)
            behind = nodes.standbys()
            for node in behind:
                node.cable(plugged=False)
            time.sleep(1.5)
            one.lose_primary()
            for node in behind:
                node.cable(plugged=True)
            one.wait(8)
            one.heal()
            wrong = one.check()
            acknowledged += one.counted["acknowledged"]
            gone += len({text.partition(": ")[2] for text in wrong if "lost:" in text})
            show("synchronous" if synchronous else "asynchronous", acknowledged, gone, wrong[:1])
    return {"acknowledged": acknowledged, "lost": gone, "primaries lost": times}


def tell(*what):
    """Say how it goes."""
    print(*what, file=sys.stderr, flush=True)  # noqa: T201


def main(show=tell):
    """Run for some time, and add what was found to a report."""
    from hippocampus_bench.report import commit

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--report", type=Path)
    parser.add_argument("--control", type=int, default=0, help="so many primaries lost, twice")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # and leave no node behind
    if why := missing():
        show(f"nothing was tested, for there is no cluster: {why}")
        return CANNOT
    report = {"counted": {}, "findings": [], "seconds until writes went on": []}
    if given.report and given.report.exists():
        report = json.loads(given.report.read_text("utf-8"))
    report["commit"] = commit()
    report["counted"] = Counter(report["counted"])

    def save():
        times = report["seconds until writes went on"]
        if times:
            report["median"] = statistics.median(times)
        if given.report:
            text = json.dumps(report, indent=1, sort_keys=True)
            given.report.write_text(text + "\n", "utf-8")

    for how in (True, False) if given.control else ():
        name = "control, synchronous" if how else "control, asynchronous"
        report[name] = lost(synchronous=how, times=given.control, show=show)
        save()
    if not given.control:
        campaign(given.seconds, report["counted"]["runs"], report, save, show)
    save()
    return bool(report["findings"])


if __name__ == "__main__":
    raise SystemExit(main())
