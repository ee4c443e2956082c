"""
The client of a resident process, which has a store open and answers at once.

``HIPPOCAMPUS_RESIDENT=MINUTES`` asks for one: a command that is called again and again is then sent
to it through a socket that only this user can reach, in a folder that is only theirs. Nothing
depends on it. Where there is none, or one that hangs, is of another version or of another user, the
command does the work itself, and sees to it that there is one for the next. It ends by itself when
nobody has asked for that many minutes.

What is imported here every such command waits for.
"""

from __future__ import annotations

import json
import os
import socket
import stat
import struct
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from hippocampus.errors import VERSION

ASKED_FOR: Final = "HIPPOCAMPUS_RESIDENT"
"""The variable that asks for one, and says after how many minutes it ends."""
ANSWERS: Final = frozenset({"recall", "context", "hook"})
"""The commands that are called again and again."""
PATIENCE_S: Final = 5.0
"""How long an answer may take. One that hangs keeps nobody longer, and is then left alone."""
MOST_BYTES: Final = 64 << 20
STAMP: Final = f"{VERSION} {os.stat(__file__).st_mtime_ns} {sys.executable}"
"""What has to be the same on both sides: an installation that changed has another."""

_ITSELF: Final = frozenset({"-h", "--help", "--debug", "--key", "--vault"})
"""Options of commands that do the work themselves. Keys stay where they were given."""
_SCOPE: Final = frozenset({"--bank", "--embedder", "--timezone", "--secrets"})
_KEYS: Final = ("HIPPOCAMPUS_KEY", "HIPPOCAMPUS_VAULT")
_SENT: Final = ("COLUMNS", "LINES", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "TZ")
_CREDENTIALS: Final = struct.Struct("3i")  # of the process, its user and group
_LONGEST: Final = 107
"""Bytes of a socket's path that the kernel takes."""
_LENGTH: Final = struct.Struct("<Q")


def wanted(args: Sequence[str]) -> float:
    """Return after how many minutes a resident process is to end, 0 if it is not to be asked."""
    told = os.environ.get(ASKED_FOR)
    if not told or not args or args[0] not in ANSWERS or not hasattr(socket, "SO_PEERCRED"):
        return 0.0
    if any(arg.partition("=")[0] in _ITSELF for arg in args) or any(map(os.environ.get, _KEYS)):
        return 0.0
    try:
        return max(0.0, float(told))
    except ValueError:
        return 0.0


def store_of(args: Sequence[str]) -> str:
    """Return which store a command is about: as given, in the environment, or the default one."""
    given = os.environ.get("HIPPOCAMPUS_STORE") or ""
    for place, arg in enumerate(args):
        if arg == "--store":
            given = "".join(args[place + 1 : place + 2])
        elif arg.startswith("--store="):
            given = arg.removeprefix("--store=")
    if not given:
        import platformdirs  # noqa: PLC0415 - only when it is asked

        given = os.path.join(
            platformdirs.user_data_dir("hippocampus", appauthor=False), "memory.db"
        )
    return os.path.realpath(given)


def folder() -> str:
    """Return the folder of this user's sockets, there or not."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime:
        return f"{runtime}/hippocampus"
    return f"{os.environ.get('TMPDIR') or '/tmp'}/hippocampus-{os.geteuid()}"  # noqa: S108 - checked


def is_ours_alone(path: str) -> bool:
    """Return whether a folder is there, this user's, and closed to everybody else."""
    try:
        seen = os.lstat(path)
    except OSError:
        return False
    mine = seen.st_uid == os.geteuid() and not seen.st_mode & 0o077
    return mine and stat.S_ISDIR(seen.st_mode)


def socket_of(store: str) -> str:
    """Return the path of the socket for a store."""
    from hashlib import blake2b  # noqa: PLC0415 - only where a process may be

    return f"{folder()}/{blake2b(os.fsencode(store), digest_size=8).hexdigest()}.sock"


def lock_of(path: str) -> str:
    """Return the path of the lock that the process behind a socket holds."""
    return f"{path}.lock"


def locked(path: str) -> int | None:
    """Take the lock of a socket's process, until the descriptor is closed; None if it has it."""
    import fcntl  # noqa: PLC0415 - once in a session

    held = os.open(lock_of(path), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(held)
        return None
    return held


def identity(store: str) -> list[int]:
    """Return what tells a store's file from another one at the same path; empty without one."""
    try:
        seen = os.stat(store)
    except OSError:
        return []
    return [seen.st_dev, seen.st_ino]


# ---------------------------------------------------------------- the line


def is_of(connection: socket.socket, user: int) -> bool:
    """Return whether a process of a user is at the other end; the kernel says so."""
    told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return bool(_CREDENTIALS.unpack(told)[1] == user)


def send(connection: socket.socket, message: Mapping[str, Any]) -> None:
    """Send a message whole."""
    body = json.dumps(message).encode()
    connection.sendall(_LENGTH.pack(len(body)) + body)


def receive(connection: socket.socket) -> dict[str, Any] | None:
    """Return the message that comes; None if none comes whole, or it is none."""
    head = _exactly(connection, _LENGTH.size)
    nbytes = _LENGTH.unpack(head)[0] if len(head) == _LENGTH.size else MOST_BYTES + 1
    body = _exactly(connection, nbytes) if nbytes <= MOST_BYTES else b""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None


def _exactly(connection: socket.socket, nbytes: int) -> bytes:
    got = bytearray()
    while len(got) < nbytes and (more := connection.recv(min(nbytes - len(got), 1 << 20))):
        got += more
    return bytes(got)


# ---------------------------------------------------------------- asking


def ask(
    args: Sequence[str], store: str, stdin: bytes, *, patience_s: float = PATIENCE_S
) -> int | None:
    """
    Have the resident process of a store run a command, and print what it printed.

    Returns the exit code; None if the work is still to be done, as after ``patience_s``.
    """
    path, same = socket_of(store), identity(store)
    if not same or not is_ours_alone(folder()):
        return None
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(patience_s)
            connection.connect(path)
            if not is_of(connection, os.geteuid()):
                return None
            send(connection, _request(args, store, same, stdin))
            answer = receive(connection)
    except TimeoutError:
        for left in (path, lock_of(path)):  # so that it keeps nobody else waiting, and another one
            with suppress(OSError):  # takes its place; it ends when it sees that
                os.unlink(left)
        return None
    except OSError:  # nobody is there, or has just left
        return None
    return None if answer is None or "code" not in answer else _tell(answer)


def _request(
    args: Sequence[str], store: str, same: Sequence[int], stdin: bytes
) -> Mapping[str, Any]:
    variables = {
        name: value
        for name, value in os.environ.items()
        if name in _SENT or (name.startswith("HIPPOCAMPUS_") and name != ASKED_FOR)
    }
    terminal = [stream.isatty() for stream in (sys.stdout, sys.stderr)]
    if terminal[0]:
        with suppress(OSError):
            size = os.get_terminal_size(sys.stdout.fileno())
            variables.setdefault("COLUMNS", str(size.columns))
            variables.setdefault("LINES", str(size.lines))
    return {
        "stamp": STAMP,
        "store": store,
        "identity": list(same),
        "args": list(args),
        "stdin": stdin.decode("latin-1"),
        "folder": os.getcwd(),
        "variables": variables,
        "encoding": sys.stdout.encoding or "utf-8",
        "terminal": terminal,
    }


def _tell(answer: Mapping[str, Any]) -> int:
    for stream, said in ((sys.stdout, answer["out"]), (sys.stderr, answer["err"])):
        stream.flush()
        stream.buffer.write(said.encode("latin-1"))
        stream.flush()
    return int(answer["code"])


def begin(args: Sequence[str], store: str, minutes: float) -> None:
    """Have a resident process be there for the next command like this one."""
    import subprocess  # noqa: PLC0415 - once in a session

    place = folder()
    with suppress(FileExistsError):
        os.makedirs(place, 0o700)
    path = socket_of(store)
    if not identity(store) or not is_ours_alone(place) or len(os.fsencode(path)) > _LONGEST:
        return
    held = locked(path)
    if held is None:  # there is one, which is still about to begin, or to leave
        return
    os.close(held)
    subprocess.Popen(  # noqa: S603 - this Python, with a module of ours
        # -P: what lies in some folder must not take the place of a module.
        [
            sys.executable, "-P", "-m", "hippocampus.cli.resident_process",
            store, str(minutes), *_scope_in(args),
        ],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        cwd="/", start_new_session=True,
    )  # fmt: skip


def _scope_in(args: Sequence[str]) -> list[str]:
    """Return the options that say how the store is opened, and which of its banks is asked."""
    found: list[str] = []
    for place, arg in enumerate(args):
        name, _, value = arg.partition("=")
        if name in _SCOPE:
            found += [name, value or "".join(args[place + 1 : place + 2])]
    return found
