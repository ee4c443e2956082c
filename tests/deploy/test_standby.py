"""The databases of compose.yaml: a standby has what was acknowledged; commits wait for it."""

import os
import shutil
import signal
import subprocess

import postgres_server
import psycopg
import pytest
import yaml
from balanced_nodes import DEPLOY, free_ports, short_folder, until

from hippocampus import Memory

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(postgres_server.binaries() is None, reason="no PostgreSQL is installed"),
]
PASSWORDS = {
    f"{name}_PASSWORD": f"it's {name.lower()}"
    for name in ("POSTGRES", "STORE", "REPLICATION", "MONITOR")
}


class Database:
    """A server in a folder, at a port, run as PostgreSQL's image runs it."""

    def __init__(self, folder, port):
        self.folder, self.port = folder, port
        self.data = folder / "data"
        self.run = postgres_server.as_user(folder)
        self.bin = (postgres_server.binaries() / "postgres").resolve().parent
        self.env = os.environ | PASSWORDS | {
            "PATH": f"{self.bin}:{os.environ['PATH']}", "PGDATA": str(self.data),
            "POSTGRES_USER": "postgres", "PGHOST": str(folder), "PGPORT": str(port),
            "PRIMARY_HOST": "127.0.0.1",
        }  # fmt: skip
        self.own = (
            "-c", f"port={port}", "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off",
            "-c", f"unix_socket_directories={folder}",
        )  # fmt: skip
        self.process = None

    def do(self, *command, **more):
        subprocess.run(
            [*self.run, *command], check=True, cwd=self.folder, env=self.env | more,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip

    def start(self, *command, **more):
        with (self.folder / "log").open("a") as log:
            self.process = subprocess.Popen(
                [*self.run, *command, *self.own], cwd=self.folder, env=self.env | more,
                stdout=log, stderr=log,
            )  # fmt: skip
        until(self.answers, (self.folder / "log").read_text)

    def answers(self):
        ready = [self.bin / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(ready, check=False).returncode == 0

    def end(self, number=signal.SIGQUIT):
        self.process.send_signal(number)
        self.process.wait(timeout=30)

    def ask(self, query):
        address = f"host={self.folder} port={self.port} user=postgres dbname=postgres"
        with psycopg.connect(address, autocommit=True) as db:
            done = db.execute(query)
            return [] if done.description is None else done.fetchall()


def command_of(service):
    """Return what compose.yaml has a service run, without the sizes that a test has no room for."""
    words = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"][service]["command"]
    return [word if "shared_buffers" not in word else "shared_buffers=16MB" for word in words]


@pytest.fixture(scope="module")
def pair():
    with short_folder() as first, short_folder() as second:
        ports = free_ports(2)
        primary, standby = Database(first, ports[0]), Database(second, ports[1])
        scripts = DEPLOY / "postgres"
        for one in (primary, standby):
            for script in scripts.glob("*.sh"):
                shutil.copy(script, one.folder)
        options = ("-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
        primary.do(primary.bin / "initdb", "-D", primary.data, *options)
        with (primary.data / "pg_hba.conf").open("a") as rules:  # as the image adds
            rules.write("host all all all scram-sha-256\n")
        rules = (primary.data / "pg_hba.conf").read_text()
        rules = "\n".join(line for line in rules.splitlines() if "127.0.0.1/32" not in line)
        (primary.data / "pg_hba.conf").write_text(rules + "\n")
        try:
            primary.start(*command_of("primary"))
            primary.do("bash", primary.folder / "primary.sh")
            primary.end()
            primary.start(*command_of("primary"))
            standby.start(
                "bash", standby.folder / "standby.sh", *command_of("standby"),
                PRIMARY_PORT=str(ports[0]),
            )  # fmt: skip
            yield primary, standby
        finally:
            for one in (primary, standby):
                if one.process is not None and one.process.poll() is None:
                    one.end()


def test_a_monitor_may_look_without_coming_into_the_store(pair):
    primary, _ = pair
    address = f"host=127.0.0.1 port={primary.port} dbname=postgres user=monitor"
    password = PASSWORDS["MONITOR_PASSWORD"]
    with psycopg.connect(address, password=password) as db:
        assert db.execute("SELECT count(*) FROM pg_stat_replication").fetchone() == (1,)
    with pytest.raises(psycopg.OperationalError, match="permission denied"):
        psycopg.connect(address.replace("=postgres", "=hippocampus"), password=password)


def test_what_is_acknowledged_outlives_the_primary_on_its_standby(pair, monkeypatch):
    primary, standby = pair
    until(
        lambda: (
            [("standby", "quorum")]
            == primary.ask("SELECT application_name, sync_state FROM pg_stat_replication")
        ),
        "no standby follows",
    )
    monkeypatch.setenv("PGPASSWORD", PASSWORDS["STORE_PASSWORD"])
    hosts = f"127.0.0.1:{primary.port},127.0.0.1:{standby.port}"
    store = f"postgresql://hippocampus@{hosts}/hippocampus?target_session_attrs=read-write"
    with Memory(store, embedder="none") as memory:
        memory.bank("ada").remember("The spare key is under the blue pot.")

    primary.end(signal.SIGKILL)
    standby.ask("SELECT pg_promote()")
    standby.ask("ALTER SYSTEM SET synchronous_standby_names = ''")  # as docs/deploy.md says
    standby.ask("SELECT pg_reload_conf()")
    with Memory(store, embedder="none") as memory:
        assert memory.bank("ada").recall("Where is the spare key?").hits
        memory.bank("ada").remember("The key is with Tom now.")
