"""The commands for the server: serve, ui, and the keys that it asks for."""

from __future__ import annotations

import os
import webbrowser
from datetime import timedelta
from threading import Thread
from typing import TYPE_CHECKING

from hippocampus.cli.command import verb
from hippocampus.cli.options import Scope, named_as
from hippocampus.cli.render import Answer, stderr, stdout, table
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.loading import loading
from hippocampus.core.optional import require

if TYPE_CHECKING:
    from collections.abc import Callable

    from hippocampus.memory import Memory
    from hippocampus.server import Limits
    from hippocampus.server.keys import Keys, NewKey


@immutable
class LimitOptions:
    """The load that the server takes at once."""

    resident_mb: float | None = None
    rate: float | None = None
    max_body_mb: int = 32
    max_import_mb: int = 1024
    threads: int = 8
    longest: float = 60.0
    drain: float = 30.0

    def limits(self) -> Limits:
        """Return the limits of the server."""
        from hippocampus.server import Limits  # noqa: PLC0415 - only when used

        options = {"requests_per_s": "rate", "request_s": "longest", "drain_s": "drain"}
        with named_as("Limits", options):
            return Limits(
                requests_per_s=self.rate, body_bytes=self.max_body_mb << 20,
                import_bytes=self.max_import_mb << 20, readers=self.threads, drain_s=self.drain,
                request_s=self.longest,
            )  # fmt: skip


@verb("serve", opens=None)
def serve(
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    sleep: bool = True,
    model: str = "none",
    workers: int = 1,
    load: LimitOptions,
    log_level: str = "info",
    read_only: bool = False,
    scope: Scope,
) -> None:
    """Serve a store over HTTP: every verb, for many clients at once."""
    # Each request has a thread; further ones inside of a matrix product only get in their way. What
    # somebody has set stays. NumPy reads it when it is loaded, which is below.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with loading():
        for package in ("fastapi", "uvicorn", "prometheus_client"):
            require(package, extra="server", feature="the server")
        from hippocampus.engine.bank_cache import share_arenas  # noqa: PLC0415
        from hippocampus.errors import InputError  # noqa: PLC0415 - only when used
        from hippocampus.server import serve  # noqa: PLC0415
        from hippocampus.server.observability import LEVELS, log_to_stderr  # noqa: PLC0415
        from hippocampus.sleep.schedule import Schedule  # noqa: PLC0415

    if log_level.lower() not in LEVELS:
        msg = f"--log-level {log_level!r}: must be one of {', '.join(LEVELS)}"
        raise InputError(msg)
    limits = load.limits()
    log_to_stderr(log_level)
    share_arenas()
    ready: Callable[[str], None] = _answers
    worker = None
    if workers > 1:
        from hippocampus.server.workers import work  # noqa: PLC0415 - only when used

        # Before the store is opened, whose locks do not cross a fork.
        worker = work(workers, host=host, port=port, ready=_answers)
        # One sleeps for all; the others see what it makes by the store.
        ready, sleep = worker.ready, sleep and worker.number == 0
    with scope.open(
        create=not read_only, embed=True, model=model, resident_mb=load.resident_mb,
        read_only=read_only,
    ) as memory:  # fmt: skip
        sleep = sleep and not memory.engine.read_only
        serve(
            memory, host=host, port=port, limits=limits, schedule=Schedule() if sleep else None,
            ready=ready, overdue=_end, worker=worker,
        )  # fmt: skip


def _answers(url: str) -> None:
    stderr().print(f"hippocampus answers at {url}")


def _end() -> None:
    """End the process whatever still runs, as a kill would: the store is made for it."""
    from hippocampus.server.observability import log  # noqa: PLC0415 - only when used

    log.warning("ended with verbs under way", extra={"seen": {}})
    os._exit(1)


@verb("ui", opens=None)
def ui(*, port: int = 8767, open_: bool = True, model: str = "none", scope: Scope) -> None:
    """Look into a store with a browser: search, timeline, topics, facts, trends, sleep, keys."""
    for package in ("fastapi", "uvicorn", "prometheus_client"):
        require(package, extra="server", feature="the dashboard")
    from hippocampus.dashboard import AT  # noqa: PLC0415 - only when used
    from hippocampus.server import serve  # noqa: PLC0415

    def show(url: str) -> None:
        stdout().print(f"{url}{AT}/", soft_wrap=True, highlight=False)
        if open_:  # some browsers return only once they are closed
            Thread(target=_browse, args=(f"{url}{AT}/",), daemon=True).start()

    with scope.open(create=True, embed=True, model=model) as memory:
        serve(memory, port=port, ready=show, overdue=_end)


def _browse(address: str) -> None:
    if not webbrowser.open(address):
        stderr().print("no browser was found here; open that address in one")


# ---------------------------------------------------------------- keys


@verb("keys create", opens="memory", create=True)
def create(memory: Memory, name: str, *, bank: list[str], role: str = "write") -> Answer:
    """Make a key and show it, this once; the store keeps only a hash."""
    return _new(_keys(memory).create(name, role, bank))  # type: ignore[arg-type]  # it looks


@verb("keys list", opens="memory")
def list_(memory: Memory) -> Answer:
    """List the keys: for whom, what they may do, to which banks."""
    found = _keys(memory).listed()
    rows = [(k.id, k.name, k.role, ", ".join(k.banks), f"{k.made_at:%Y-%m-%d}") for k in found]
    return Answer(found, table(rows) if rows else "there are no keys")


@verb("keys rotate", opens="memory")
def rotate(memory: Memory, id: str, *, keep: float = 0.0) -> Answer:  # noqa: A002
    """Give a key another secret and show it, this once."""
    return _new(_keys(memory).rotate(id, keep_s=timedelta(hours=keep).total_seconds()))


@verb("keys revoke", opens="memory")
def revoke(memory: Memory, id: str) -> Answer:  # noqa: A002
    """Take a key back; servers that are running know within a second."""
    gone = _keys(memory).revoke(id)
    return Answer(gone, f"revoked {gone.id}, {gone.name}")


def _keys(memory: Memory) -> Keys:
    from hippocampus.server.keys import Keys  # noqa: PLC0415 - only when used

    return Keys(memory)


def _new(made: NewKey) -> Answer:
    note = (
        f"key {made.key.id} may {made.key.role}: {', '.join(made.key.banks)}."
        " It is shown this once; send it as 'Authorization: Bearer …'."
    )
    return Answer(made, made.token, note)
