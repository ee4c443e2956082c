"""
The resident process of a store: it runs commands as whoever asked would, over a store kept open.

One request after the other; each is from a process of the same user. It ends when nobody asks for
long enough, when the store is another file, or the program another version.
"""

from __future__ import annotations

import os
import socket
import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Unpack

from hippocampus.cli.resident import (
    ANSWERS,
    STAMP,
    folder,
    identity,
    locked,
    socket_of,
)
from hippocampus.cli.resident_line import Listener, receive, send
from hippocampus.core.system import is_private
from hippocampus.errors import HippocampusError

if TYPE_CHECKING:
    from hippocampus.bank import Bank
    from hippocampus.cli.options import Engine, Opening
    from hippocampus.memory import Memory

_KEPT: Final = 4
"""Ways to open stores that are kept: with an embedder and without, and those of a team's store."""
_READ_S: Final = 2.0
"""Most seconds until a request has come, which the caller writes at once. Chosen by hand."""
_WAIT_S: Final = 3.0
"""Most seconds until the process before has left: it closes its store first. Chosen by hand."""


class _Captured(TextIOWrapper):
    """Output of a command, for who asked; it is a terminal if theirs is."""

    def __init__(self, encoding: str, *, terminal: bool) -> None:
        self.bytes = BytesIO()
        self._terminal = terminal
        super().__init__(self.bytes, encoding=encoding, errors="replace", write_through=True)

    def isatty(self) -> bool:
        return self._terminal


class OpenStore:
    """A store that stays open between commands, in the ways in which they open it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._open: dict[object, Memory] = {}
        self._used: set[Bank] = set()

    def memory(self, engine: Engine, path: str, **how: Unpack[Opening]) -> Memory:
        """Return the store, which is opened if it is not yet."""
        ways = (
            engine.embedder, engine.reranker, engine.timezone, engine.secrets, engine.hide_secrets,
            engine.flood,
        )  # fmt: skip
        key = (os.path.realpath(path), ways, how.get("embed", False))
        memory = self._open.pop(key, None) or engine.memory(path, **how)
        self._open[key] = memory  # the one used last is last
        if len(self._open) > _KEPT:
            self._open.pop(next(iter(self._open))).close()
        return memory

    def bank(self, engine: Engine, path: str, name: str, /, **how: Unpack[Opening]) -> Bank:
        """Return a bank of the store."""
        from hippocampus.cli.options import bank_of  # noqa: PLC0415 - after the lock

        bank = bank_of(self.memory(engine, path, **how), name, **how)
        self._used.add(bank)
        return bank

    def note(self) -> None:
        """Write down what was recalled, which closing would, for sleep to know."""
        while self._used:
            with suppress(HippocampusError):  # no answer depends on it
                self._used.pop().note_recalls()

    def close(self) -> None:
        """Close it; may be opened again."""
        while self._open:
            self._open.popitem()[1].close()


def main(store: str, idle_s: float, scope: Sequence[str] = ()) -> None:
    """Answer until nobody has asked for ``idle_s``; ``scope``: options to open the store with."""
    os.umask(0o077)  # what it makes is for this user alone
    if not is_private(folder()):
        return
    path = Path(socket_of(store))
    held = _alone(path)
    if held is None:
        return
    kept = OpenStore(store)
    try:
        # Before it listens: until then commands do the work themselves, and wait for nobody.
        _warm_up(kept, scope)
        with suppress(FileNotFoundError):
            path.unlink()  # of one that was killed
        with Listener(str(path)) as listener:
            mine = _birth(path)
            try:
                _answer_all(listener, kept, idle_s, path)
            finally:
                if _birth(path) == mine:  # or it is another one's
                    path.unlink()
    finally:
        kept.close()
        os.close(held)  # last, so that the next one finds the store closed


def _alone(path: Path) -> int | None:
    """Be the only process of a store, for as long as a descriptor is open; None if there is one."""
    until = time.monotonic() + _WAIT_S  # the one before may be about to leave
    while (held := locked(str(path))) is None and time.monotonic() < until:
        time.sleep(0.05)
    return held


def _warm_up(kept: OpenStore, scope: Sequence[str]) -> None:
    """Open the store as the command did that began this, and load what answering takes."""
    from typer.main import get_command  # noqa: PLC0415 - after the lock, as all that is heavy

    from hippocampus.cli.commands import app  # noqa: PLC0415 - likewise
    from hippocampus.cli.options import BankScope, flood_of  # noqa: PLC0415 - likewise
    from hippocampus.warm_up import warm_up  # noqa: PLC0415 - likewise

    root: Any = get_command(app)
    with suppress(HippocampusError, SystemExit):  # whoever asks is told what is wrong
        options = root.commands["recall"].make_context("recall", ["-", *scope]).params
        names = ("bank", "embedder", "reranker", "timezone", "secrets", "hide_secrets")
        most = options["flood"]
        engine = BankScope(
            store=kept.path, **{name: options[name] for name in names},
            flood=flood_of(most) if most else None,
        )  # fmt: skip
        warm_up(kept.memory(engine, kept.path, embed=True), engine.bank)


def _birth(path: Path) -> tuple[int, int]:
    """Return the identity of a socket, which one made in its place later lacks."""
    try:
        seen = path.lstat()
    except OSError:
        return (0, 0)
    return (seen.st_ino, seen.st_ctime_ns)


def _answer_all(listener: Listener, store: OpenStore, idle_s: float, path: Path) -> None:
    mine, same, going = _birth(path), identity(store.path), True
    until = time.monotonic() + idle_s
    while going:
        try:
            connection = listener.accept(until - time.monotonic(), _READ_S)
        except TimeoutError:
            return
        if connection is None:  # somebody else's
            continue  # without more time: it keeps nobody waiting
        with connection:
            # Another socket in its place means that we took too long and were given up.
            going = _answer(connection, store, same) and _birth(path) == mine
        store.note()  # once whoever asked has the answer
        until = time.monotonic() + idle_s


def _answer(connection: socket.socket, store: OpenStore, same: list[int]) -> bool:
    """Answer one request; return whether to go on."""
    with suppress(OSError):  # whoever asked has left, or says nothing
        asked = receive(connection)
        if asked is None or asked.get("store") != store.path:
            return True
        if asked.get("stamp") != STAMP or not same == asked["identity"] == identity(store.path):
            send(connection, {"refused": "of another version, or of another file"})
            return False
        if asked["args"][0] in ANSWERS:
            send(connection, run(store, asked))
    return True


def run(store: OpenStore, asked: Mapping[str, Any]) -> Mapping[str, Any]:
    """Run a command as the process that asked would; return what it printed and its exit code."""
    from hippocampus.cli.commands import app  # noqa: PLC0415 - after the lock
    from hippocampus.cli.options import keep_open  # noqa: PLC0415 - likewise

    out, err = (_Captured(asked["encoding"], terminal=one) for one in asked["terminal"])
    given = TextIOWrapper(BytesIO(asked["stdin"].encode("latin-1")), encoding="utf-8")
    code = 0
    with ExitStack() as stack:
        stack.enter_context(_variables(asked["variables"]))
        stack.enter_context(keep_open(store.bank))
        stack.enter_context(redirect_stdout(out))
        stack.enter_context(redirect_stderr(err))
        stack.enter_context(_stdin(given))
        os.chdir(asked["folder"])
        stack.callback(os.chdir, os.sep)  # so as to keep nobody from taking a folder away
        try:
            app(asked["args"], prog_name="hippocampus")
        except SystemExit as exc:
            code = exc.code if isinstance(exc.code, int) else 0
    told = {"out": out.bytes.getvalue(), "err": err.bytes.getvalue()}
    return {"code": code} | {name: said.decode("latin-1") for name, said in told.items()}


@contextmanager
def _variables(given: Mapping[str, str]) -> Iterator[None]:
    """Have the variables of whoever asked, and none of ours of that kind."""
    before = dict(os.environ)
    for name in before:
        if name.startswith("HIPPOCAMPUS_") or name in {"COLUMNS", "LINES"}:
            del os.environ[name]
    os.environ.update(given)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def _stdin(given: TextIOWrapper) -> Iterator[None]:
    before, sys.stdin = sys.stdin, given
    try:
        yield
    finally:
        sys.stdin = before


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    from hippocampus.cli.render import complain  # noqa: PLC0415 - brings Rich

    complain(str(message))


if __name__ == "__main__":
    warnings.showwarning = _warn
    # Each command is to tell what it lacks, not the first of its kind alone.
    warnings.filterwarnings("always", category=RuntimeWarning)
    main(sys.argv[1], 60 * float(sys.argv[2]), sys.argv[3:])
