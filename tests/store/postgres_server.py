"""A server of PostgreSQL for the tests of a session, in a folder of its own, behind a socket."""

import os
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path

NEEDED = ("initdb", "pg_ctl", "postgres")


def binaries():
    """Return the folder of the newest server that is installed, None where there is none."""
    places = [Path(one) for one in os.environ.get("PATH", "").split(os.pathsep)]
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((p for p in places if all((p / name).exists() for name in NEEDED)), None)


def as_user(folder):
    """Return what runs a command as somebody who is not root, whom the server refuses."""
    if os.geteuid() != 0:
        return []
    shutil.chown(folder, "nobody")
    return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]


@contextmanager
def running(folder):
    """Run a server in a folder; yield the address of its databases, without a name."""
    with controlled(folder) as (dsn, _):
        yield dsn


@contextmanager
def controlled(folder):
    """Do as ``running``; yield also what starts the server, and stops it, by a word."""
    found = binaries()
    data, run = folder / "data", as_user(folder)

    def do(*command):
        subprocess.run(
            [*run, *command], check=True, cwd=folder, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip

    options = ["-D", data, "-U", "hippo", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"]
    do(found / "initdb", *options)
    settings = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
    control = found / "pg_ctl", "-D", data, "-w"
    options = f"{settings} -c max_connections=200"

    def turn(word):
        more = ("-o", options, "-l", folder / "log") if word == "start" else ("-m", "immediate")
        do(*control, *more, word)

    turn("start")
    try:
        yield f"postgresql:///{{}}?host={folder}&user=hippo", turn
    finally:
        turn("stop")


def take_copy(folder, copy, *, standby=False):
    """Take a base backup of the server in a folder, which may be started as a standby of it."""
    program = (binaries() / "postgres").resolve().parent / "pg_basebackup"
    options = ["-h", folder, "-U", "hippo", "-D", copy, "-c", "fast", "--no-sync"]
    subprocess.run(
        [*as_user(folder), program, *options, *(["-R"] if standby else [])], check=True, cwd=folder,
        capture_output=True,
    )  # fmt: skip


@contextmanager
def running_copy(folder, copy):
    """Run a server on a base backup that was taken in a folder; yield the folder of its socket."""
    place = folder / f"of-{copy.name}"
    place.mkdir()
    control = [*as_user(place), binaries() / "pg_ctl", "-D", copy, "-w"]
    listen = f"-c listen_addresses= -c unix_socket_directories={place} -c fsync=off"
    listen += " -c max_connections=200"  # a standby needs as many as its primary
    quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(
        [*control, "-o", listen, "-l", place / "log", "start"], check=True, **quiet
    )  # fmt: skip
    try:
        yield place
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], check=True, **quiet)
