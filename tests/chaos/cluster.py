"""
Three nodes on one machine: network namespaces with etcd, PostgreSQL under Patroni, and a server.

HAProxy stands in front of the servers. Each node has an address of its own on a bridge that is
this cluster's, so that a partition is a cable pulled out, and no port of the machine is taken.
Whatever ends is started again, as systemd would, but for what a fault holds down.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path

NODES = (1, 2, 3)
NEEDED = ("ip", "setpriv", "etcd", "patroni", "haproxy")
AS_NOBODY = ("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups")
DATABASE = "memories"
FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
"""What shows a program another time, where it is installed."""
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
"""Patroni is the system's, with the system's Python."""


def missing():
    """Return why there can be no cluster here, empty if there can."""
    if os.geteuid() != 0:
        return "network namespaces are made by root alone"
    lacking = [name for name in NEEDED if shutil.which(name, path=PATH) is None]
    if not list(Path("/usr/lib/postgresql").glob("*/bin/postgres")):
        lacking.append("postgres")
    if lacking:
        return f"{', '.join(lacking)} is not installed"
    try:
        ip("netns", "add", f"h{os.getpid()}probe")
        ip("netns", "del", f"h{os.getpid()}probe")
    except subprocess.CalledProcessError:
        return "no network namespace may be made here"
    return ""


def ip(*arguments):
    subprocess.run(["ip", *map(str, arguments)], check=True, stdout=subprocess.DEVNULL, timeout=30)


class Process:
    """A program of a node, with all that it starts."""

    def __init__(self, name, command, log, env):
        self.name, self.down = name, False
        """Whether it is kept from starting."""
        self.starts = 0
        self._command = [str(one) for one in command]
        self._log, self._env = log, env
        self._running = None

    def start(self):
        with self._log.open("ab") as log:
            self._running = subprocess.Popen(
                self._command, stdout=log, stderr=log, env=self._env, start_new_session=True
            )
        self.starts += 1

    def ended(self):
        return self._running is None or self._running.poll() is not None

    def kill(self, how=signal.SIGKILL):
        """Send a signal to it and to what it has started; return whether it was there."""
        if self.ended():
            return False
        with suppress(ProcessLookupError):
            os.killpg(self._running.pid, how)
        if how == signal.SIGKILL:
            self._running.wait()
        return True


class Node:
    """One machine: its network, its folder, and its programs."""

    def __init__(self, cluster, number):
        self.number, self.cluster = number, cluster
        self.host = f"{cluster.net}.{number}"
        self.space, self._cable = f"{cluster.mark}n{number}", f"{cluster.mark}v{number}"
        self.folder = cluster.folder / f"node{number}"
        self.folder.mkdir()
        shutil.chown(self.folder, "nobody", "nogroup")
        self.data = self.folder / "data"
        self.server_url = f"http://{self.host}:8765"
        ip("netns", "add", self.space)
        ip("link", "add", self._cable, "type", "veth", "peer", "eth0", "netns", self.space)
        ip("link", "set", self._cable, "master", cluster.bridge, "up")
        ip("-n", self.space, "addr", "add", f"{self.host}/24", "dev", "eth0")
        ip("-n", self.space, "link", "set", "eth0", "up")
        ip("-n", self.space, "link", "set", "lo", "up")
        self._clock = self.folder / "clock"
        self.set_clock("+0")
        self.etcd = self._program("etcd", self._etcd(), {"PATH": PATH}, nobody=True)
        self.patroni = self._program("patroni", self._patroni(), {"PATH": PATH}, nobody=True)
        self.server = None

    def _program(self, name, command, env, *, nobody=False):
        user, clock = AS_NOBODY if nobody else (), ()
        if name != "etcd" and FAKETIME is not None:  # that of etcd only counts what has passed
            clock = (
                "env", f"LD_PRELOAD={FAKETIME}", f"FAKETIME_TIMESTAMP_FILE={self._clock}",
                "FAKETIME_NO_CACHE=1", "FAKETIME_DONT_FAKE_MONOTONIC=1", "FAKETIME_DONT_RESET=1",
            )  # fmt: skip
        here = ["ip", "netns", "exec", self.space, *user, *clock, *command]
        log = self.cluster.folder / f"{name}{self.number}.log"
        return Process(f"{name}{self.number}", here, log, env)

    def _etcd(self):
        me, peers = (
            f"http://{self.host}",
            [f"n{n}=http://{self.cluster.net}.{n}:2380" for n in NODES],
        )
        return [
            "etcd", "--name", f"n{self.number}", "--data-dir", self.folder / "etcd",
            "--listen-client-urls", f"{me}:2379", "--advertise-client-urls", f"{me}:2379",
            "--listen-peer-urls", f"{me}:2380", "--initial-advertise-peer-urls", f"{me}:2380",
            "--initial-cluster", ",".join(peers), "--initial-cluster-state", "new",
            "--election-timeout", "500", "--heartbeat-interval", "100", "--logger", "zap",
        ]  # fmt: skip

    def _patroni(self):
        settings = {
            "scope": "memories", "name": f"n{self.number}",
            "restapi": {"listen": f"{self.host}:8008", "connect_address": f"{self.host}:8008"},
            "etcd3": {"hosts": [f"{self.cluster.net}.{n}:2379" for n in NODES]},
            "bootstrap": {
                "dcs": {
                    "ttl": 6, "loop_wait": 1, "retry_timeout": 2,
                    "maximum_lag_on_failover": 1 << 30,
                    "synchronous_mode": self.cluster.synchronous,
                    "postgresql": {"use_pg_rewind": True, "use_slots": True},
                },
                "initdb": [{"encoding": "UTF8"}, {"locale": "C"}, "data-checksums", "no-sync"],
            },
            "postgresql": {
                "listen": f"{self.host}:5432", "connect_address": f"{self.host}:5432",
                "data_dir": str(self.data), "bin_dir": str(self.cluster.postgres),
                "pgpass": str(self.folder / "pgpass"),
                "remove_data_directory_on_rewind_failure": True,
                "remove_data_directory_on_diverged_timelines": True,
                "authentication": {
                    "superuser": {"username": "postgres"},
                    "replication": {"username": "replicator"},
                },
                "parameters": {
                    "fsync": "off",  # processes are killed, and the machine goes on
                    "max_connections": 100, "shared_buffers": "16MB", "wal_log_hints": "on",
                    "unix_socket_directories": str(self.folder), "wal_keep_size": "256MB",
                    "autovacuum_naptime": "10min", "tcp_user_timeout": 4000,
                    "wal_sender_timeout": "4s", "wal_receiver_timeout": "4s",
                },
                "pg_hba": [
                    "local all all trust", "host all all 0.0.0.0/0 trust",
                    "host replication all 0.0.0.0/0 trust",
                ],
            },
        }  # fmt: skip
        file = self.folder / "patroni.yaml"
        file.write_text(json.dumps(settings, indent=1), "utf-8")  # JSON is YAML
        return ["patroni", file]

    def serve(self, store, env):
        """Have a server, of a store."""
        command = [
            sys.executable, "-X", "faulthandler", "-m", "hippocampus", "serve",
            "--store", store, "--embedder", "none",
            "--host", self.host, "--port", 8765, "--no-sleep", "--log-level", "warning",
        ]  # fmt: skip
        self.server = self._program("server", command, env)
        return self.server

    def postmaster(self):
        """Return the process of the database, None where there is none."""
        with suppress(OSError, ValueError, IndexError):
            return int((self.data / "postmaster.pid").read_text("utf-8").split()[0])
        return None

    def set_clock(self, shift):
        """Set the clock that the node's database and server see, by so much from the right one."""
        self._clock.write_text(f"{shift}\n", "utf-8")

    def cable(self, *, plugged):
        """Pull the cable of the node's network, or put it in again."""
        ip("link", "set", self._cable, "up" if plugged else "down")

    def remove(self):
        for program in (self.server, self.patroni, self.etcd):
            if program is not None:
                program.kill(signal.SIGCONT)
                program.kill()
        found = subprocess.run(
            ["ip", "netns", "pids", self.space], check=False, capture_output=True, text=True
        )
        for one in found.stdout.split():
            with suppress(ProcessLookupError):
                os.kill(int(one), signal.SIGKILL)
        ip("netns", "del", self.space)


class Cluster:
    """Three nodes, the proxy before them, and who starts again what has ended."""

    def __init__(self, folder, *, synchronous):
        me = os.getpid()
        self.folder, self.synchronous = folder, synchronous
        self.mark = f"h{me % 100_000}"
        self.net, self.bridge = f"10.{64 + me % 128}.{me // 128 % 256}", f"{self.mark}b"
        self.postgres = max(Path("/usr/lib/postgresql").glob("*/bin"))
        folder.chmod(0o755)
        ip("link", "add", self.bridge, "type", "bridge")
        ip("addr", "add", f"{self.net}.254/24", "dev", self.bridge)
        ip("link", "set", self.bridge, "up")
        self.nodes = [Node(self, number) for number in NODES]
        self.programs = []
        self.url = f"http://{self.net}.254:8000"
        self.key = ""
        self._over = threading.Event()
        self._keeper = threading.Thread(target=self._keep, daemon=True)

    @property
    def store(self):
        """The address of the store: whichever of the databases can be written."""
        hosts = ",".join(node.host for node in self.nodes)
        patience = "connect_timeout=2&tcp_user_timeout=4000&keepalives_idle=2&keepalives_interval=1"
        return (
            f"postgresql://postgres@{hosts}:5432/{DATABASE}?target_session_attrs=read-write"
            f"&{patience}&keepalives_count=2"
        ).replace(":5432/", "/", 1)

    def start(self):
        """Start everything, in order, and wait until it answers."""
        env = {k: v for k, v in os.environ.items() if not k.startswith(("PG", "HIPPOCAMPUS"))}
        self._begin(*(node.etcd for node in self.nodes), *(node.patroni for node in self.nodes))
        self._keeper.start()
        self.wait_for(self.primary, 90, "a primary")
        self.wait_for(lambda: len(self.standbys()) == len(NODES) - 1, 120, "two standbys")
        self._make_database()
        made = subprocess.run(
            [
                sys.executable, "-m", "hippocampus", "keys", "create", "chaos", "--bank", "*",
                "--role", "admin", "--store", self.store, "--json",
            ],
            check=True, capture_output=True, env=env, timeout=120,
        )  # fmt: skip
        self.key = json.loads(made.stdout)["token"]
        self._begin(*(node.serve(self.store, env) for node in self.nodes), self._proxy(env))
        self.wait_for(lambda: all(map(self.answers, self.nodes)), 120, "three servers")

    def _begin(self, *programs):
        for program in programs:
            program.start()
        self.programs = [*self.programs, *programs]

    def _make_database(self):
        import psycopg

        address = f"postgresql://postgres@{self.primary().host}/postgres"
        with psycopg.connect(address, autocommit=True) as db:
            db.execute(f"CREATE DATABASE {DATABASE}")

    def _proxy(self, env):
        servers = "\n".join(
            f" server n{node.number} {node.host}:8765 check inter 500 fall 2 rise 1"
            for node in self.nodes
        )
        file = self.folder / "haproxy.cfg"
        file.write_text(
            "defaults\n mode http\n timeout connect 1s\n timeout client 40s\n timeout server 40s\n"
            f"listen memories\n bind {self.net}.254:8000\n balance roundrobin\n"
            f" option httpchk GET /readyz\n option redispatch\n{servers}\n",
            "utf-8",
        )
        return Process(
            "haproxy", ["/usr/sbin/haproxy", "-f", file, "-db"], self.folder / "haproxy.log", env
        )

    def _keep(self):
        """Start again what has ended."""
        while not self._over.wait(0.1):
            for program in self.programs:
                if program.ended() and not program.down:
                    program.start()

    # ------------------------------------------------------------ what it is like

    def _says(self, url):
        """Return the status that an address answers with; 0 without one."""
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:  # noqa: S310 - http
                return answer.status
        except urllib.error.HTTPError as exc:
            return exc.code
        except OSError:
            return 0

    def primary(self):
        """Return the node that can be written, None while there is none."""
        return next(
            (n for n in self.nodes if self._says(f"http://{n.host}:8008/primary") == 200), None
        )

    def standbys(self):
        """Return the nodes that follow."""
        return [n for n in self.nodes if self._says(f"http://{n.host}:8008/replica") == 200]

    def answers(self, node):
        """Return whether a node's server is there."""
        return self._says(f"{node.server_url}/readyz") == 200

    def wait_for(self, what, patience_s, name):
        """Wait until something holds."""
        until = time.monotonic() + patience_s
        while not what():
            if time.monotonic() > until:
                msg = f"there is no {name} after {patience_s} s\n{self._last_words()}"
                raise AssertionError(msg)
            time.sleep(0.2)

    def _last_words(self):
        """Return what the logs end with; a server that hangs says where its threads are."""
        for node in self.nodes:
            if node.server is not None and not self.answers(node):
                node.server.kill(signal.SIGABRT)
        time.sleep(1)
        ends = []
        for log in sorted(self.folder.glob("*.log")):
            most = 120 if log.name.startswith("server") else 8
            lines = log.read_text("utf-8", errors="replace").splitlines()[-most:]
            ends += [f"--- {log.name}", *(line[:300] for line in lines)]
        return "\n".join(ends)

    def stop(self):
        """End everything, and leave no network behind."""
        self._over.set()
        if self._keeper.is_alive():
            self._keeper.join()
        for program in self.programs:
            program.kill()
        for node in self.nodes:
            node.remove()
        ip("link", "del", self.bridge)


@contextmanager
def cluster(*, synchronous):
    """Have a cluster; ``synchronous``: whether a commit waits for a standby."""
    with tempfile.TemporaryDirectory(prefix="chaos", ignore_cleanup_errors=True) as folder:
        made = Cluster(Path(folder), synchronous=synchronous)
        try:
            made.start()
            yield made
        finally:
            made.stop()
