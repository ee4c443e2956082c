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
    do(*control, "-o", f"{settings} -c max_connections=200", "-l", folder / "log", "start")
    try:
        yield f"postgresql:///{{}}?host={folder}&user=hippo"
    finally:
        do(*control, "-m", "immediate", "stop")
