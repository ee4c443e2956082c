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

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from hippocampus.cli.resident_line import connect, fits, receive, send
from hippocampus.core.system import detached, is_private, lock, open_descriptor, private_folder
from hippocampus.errors import VERSION

ASKED_FOR: Final = "HIPPOCAMPUS_RESIDENT"
"""The variable that asks for one, and says after how many minutes it ends."""
ANSWERS: Final = frozenset({"recall", "context", "hook"})
"""The commands that are called again and again."""
_FOR_HOOKS: Final = "30"
"""Minutes for a coding agent's hooks, where nothing is asked for: a prompt shall not wait."""
PATIENCE_S: Final = 5.0
"""Most seconds that an answer may take. A process that hangs is then left alone, and the command
does its work itself. Chosen by hand."""
STAMP: Final = f"{VERSION} {os.stat(__file__).st_mtime_ns} {sys.executable}"
"""Version that has to be the same on both sides: an installation that changed has another."""

_ITSELF: Final = frozenset({"-h", "--help", "--debug", "--key", "--vault"})
"""Options of commands that do the work themselves. Keys stay where they were given."""
_SCOPE: Final = frozenset(
    {"--bank", "--embedder", "--reranker", "--timezone", "--secrets", "--flood"}
)
_KEYS: Final = ("HIPPOCAMPUS_KEY", "HIPPOCAMPUS_VAULT")
_SENT: Final = ("COLUMNS", "LINES", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "TZ")


def wanted(args: Sequence[str]) -> float:
    """Return after how many minutes a resident process is to end, 0 if it is not to be asked."""
    told = os.environ.get(ASKED_FOR) or (_FOR_HOOKS if args[:1] == ["hook"] else "")
    if not told or not args or args[0] not in ANSWERS:
        return 0.0
    if any(arg.partition("=")[0] in _ITSELF for arg in args) or any(map(os.environ.get, _KEYS)):
        return 0.0
    try:
        return max(0.0, float(told))
    except ValueError:
        return 0.0


def store_of(args: Sequence[str]) -> str:
    """Return the store of a command: as given, in the environment, or the default one."""
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
    return private_folder("hippocampus")


def socket_of(store: str) -> str:
    """Return the path of the socket for a store."""
    from hashlib import blake2b  # noqa: PLC0415 - only where a process may be

    name = blake2b(os.fsencode(store), digest_size=8).hexdigest()
    return os.path.join(folder(), f"{name}.sock")


def lock_of(path: str) -> str:
    """Return the path of the lock that the process behind a socket holds."""
    return f"{path}.lock"


def locked(path: str) -> int | None:
    """Take the lock of a socket's process, until the descriptor is closed; None if it has it."""
    held = open_descriptor(lock_of(path), os.O_CREAT | os.O_RDWR, follow=False)
    if not lock(held):
        os.close(held)
        return None
    return held


def identity(store: str) -> list[int]:
    """Return the identity of a store's file, which another at its path lacks; empty without one."""
    try:
        seen = os.stat(store)
    except OSError:
        return []
    return [seen.st_dev, seen.st_ino]


# ---------------------------------------------------------------- asking


def ask(
    args: Sequence[str], store: str, stdin: bytes, *, patience_s: float = PATIENCE_S
) -> int | None:
    """
    Have the resident process of a store run a command, and print what it printed.

    Returns the exit code; None if the work is still to be done, as after ``patience_s``.
    """
    path, same = socket_of(store), identity(store)
    # In a folder that others can write to, a socket may be theirs.
    if not same or not is_private(folder()):
        return None
    try:
        with connect(path, patience_s) as connection:
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
        # Keys are none of them: who has one is not sent here at all (``wanted``).
        if name in _SENT or (name.startswith("HIPPOCAMPUS_") and name != ASKED_FOR)
    }
    terminal = [stream.isatty() for stream in (sys.stdout, sys.stderr)]
    if terminal[0]:
        with suppress(OSError):
            size = os.get_terminal_size(sys.stdout.fileno())
            # The process has no terminal that it could ask.
            variables.setdefault("COLUMNS", str(size.columns))
            variables.setdefault("LINES", str(size.lines))
    return {
        "stamp": STAMP,
        "store": store,
        "identity": list(same),
        "args": list(args),
        "stdin": stdin.decode("latin-1"),  # a character for each byte, whatever it is
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
    if not identity(store) or not is_private(place) or not fits(path):
        return
    held = locked(path)
    if held is None:  # there is one, which is still about to begin, or to leave
        return
    # Let go of again: the process that begins takes it.
    os.close(held)
    subprocess.Popen(  # noqa: S603 - this Python, with a module of ours
        # -P: what lies in some folder must not take the place of a module.
        [
            sys.executable, "-P", "-m", "hippocampus.cli.resident_process",
            store, str(minutes), *_scope_in(args),
        ],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        cwd=os.sep, **detached(),  # else nobody could remove the folder
    )  # fmt: skip


def _scope_in(args: Sequence[str]) -> list[str]:
    """Return the options that say how the store is opened, and which of its banks is asked."""
    found: list[str] = []
    for place, arg in enumerate(args):
        name, _, value = arg.partition("=")
        if name in _SCOPE:
            found += [name, value or "".join(args[place + 1 : place + 2])]
    return found
