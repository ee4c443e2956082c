"""Whole banks in and out: imports and exports as streams, by way of a file of the server's own."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple, Self

from fastapi import FastAPI, Request
from starlette.responses import Response

from hippocampus import wire
from hippocampus.bank import Bank
from hippocampus.core.argument_names import refuse_unknown
from hippocampus.core.records import FileLocation, Imported, Progress, Turn
from hippocampus.core.system import is_file_name
from hippocampus.errors import InputError, StoreFull
from hippocampus.server import bodies
from hippocampus.server.bank_requests import SEQ, BankRequest
from hippocampus.server.bodies import BYTES, JSON, LINES, while_connected
from hippocampus.server.openapi import describe_stream
from hippocampus.server.progress import LongAnswer, Streamed, reported
from hippocampus.server.state import ServerState, add_route, json_answer
from hippocampus.server.thread_pools import Pool
from hippocampus.sleep.topic_plot import plot_topics
from hippocampus.sources import ALL_FORMATS
from hippocampus.verbs import AccessRole

_OURS: Final = b'"hippocampus-export"'
"""Mark by which the first line of an export of ours is known."""
_TOLD: Final = 1000
"""Most lines that could not be read; with more, it is not what it is said to be."""
_UNNAMED: Final = "import.jsonl"
_ASKS: Final = ("name", "format", "modified", "as", "sync", "place", "host", "gone")
_PICTURES: Final = {"png": "image/png", "svg": "image/svg+xml", "pdf": "application/pdf"}
"""Media types of pictures, by the format that is asked for."""
_LONGEST_NAME: Final = 200
"""Most bytes of a name that the copy of a file has, folders and all; most disks take 255 for each
part of it. Chosen by hand."""
_AT_ONCE: Final = 1 << 18
"""Bytes of a file that a thread reads for each hand-over to whoever waits. Chosen by hand."""


def add_bulk(app: FastAPI, server: ServerState) -> None:
    """Add the routes."""
    routes = BulkRoutes(server)
    bank = "/v1/banks/{bank}"
    for method, path, endpoint in (
        ("POST", f"{bank}/import", routes.import_),
        ("GET", f"{bank}/export", routes.export),
        ("GET", f"{bank}/export_concepts", routes.export_concepts),
        ("POST", f"{bank}/import_concepts", routes.import_concepts),
        ("GET", f"{bank}/plot_topics", routes.plot_topics),
        ("GET", "/v1/backup", routes.backup),
    ):
        add_route(app, method, path, endpoint, describe_stream(endpoint))


class BulkRoutes:
    """The endpoints; their docstrings are for callers."""

    def __init__(self, server: ServerState) -> None:
        self._server = server

    async def import_(self, request: Request) -> Response:
        """
        Remember the lines or files of a request, one at a time; tells how far it is.

        ``application/x-ndjson``: a turn on each line, stored as they come, or an export of ours.
        ``application/octet-stream``: a file of any format that ``hippocampus import`` reads;
        ``name`` is what it is called, with the folders it is in, ``modified`` how old it is;
        ``place`` and ``host`` are where it is, which tells it from others of that name, ``gone``
        the sources whose files are there no more, and ``as`` and ``sync`` as for the verb.
        """
        server = self._server
        _, bank = await server.gatekeeper.admit(request, "write")
        kind = bodies.check_media_type(request, LINES, BYTES)
        sent = server.gatekeeper.while_known(
            request,
            bodies.chunks(request, most=server.limits.import_bytes, idle_s=server.limits.body_s),
        )
        named = _ImportInfo.of(request)
        take = partial(_take_in, request, server, server.memory.bank(bank), named, kind, sent)
        return await reported(request, take)

    async def export(self, request: Request) -> Response:
        """Return all that is in a bank, in any state, as lines that ``import`` takes in whole."""
        here = await self._asked(request, "admin")
        return await self._made(request, "export.jsonl", LINES, here.opened.export, here)

    async def export_concepts(self, request: Request) -> Response:
        """Return the concept index as a JSON document that people can edit."""
        here = await self._asked(request, "read")
        return await self._made(request, "concepts.json", JSON, here.opened.export_concepts, here)

    async def import_concepts(self, request: Request) -> Response:
        """Use a concept index that was exported, or edited since; returns how many anchors."""
        here = await self._asked(request, "admin")
        bodies.check_media_type(request, JSON)
        body = await self._server.body(request)

        def use() -> bytes:
            with _folder() as folder:
                path = folder.path / "concepts.json"
                path.write_bytes(body)
                return wire.dump(here.opened.import_concepts(path))

        used = self._server.writers.run(lambda: here.run(use))
        return json_answer(*(await while_connected(request, used)))

    async def plot_topics(self, request: Request) -> Response:
        """Return a picture of the bank's tags as trees; ``format``: png, svg or pdf."""
        here = await self._asked(request, "read")
        given = request.query_params.get("format", "png")
        if given not in _PICTURES:
            msg = f"format={given!r:.100}: must be one of {', '.join(_PICTURES)}"
            raise InputError(msg)

        def draw(path: Path) -> None:
            plot_topics(here.opened.topics(), path)

        name = f"topics.{given}"
        return await self._made(request, name, _PICTURES[given], draw, here, known=("format",))

    async def backup(self, request: Request) -> Response:
        """Return a complete copy of the store, as a file that can be opened; for its admin."""
        await self._server.gatekeeper.admit_keeper(request)
        return await self._made(request, "backup.db", BYTES, self._server.memory.backup)

    async def _made(
        self,
        request: Request,
        name: str,
        media_type: str,
        make: Callable[[Path], object],
        here: BankRequest | None = None,
        *,
        known: Iterable[str] = (),
    ) -> Response:
        """
        Return a file that is made and then sent, and is gone once that is over.

        It is made at once, so that nothing of the store waits for whoever reads slowly.
        ``here``: the request, if it is to a bank. ``known``: names of its arguments.
        """
        refuse_unknown(request.url.path.rpartition("/")[2], request.query_params, known)
        pool = self._server.bulk
        folder = await pool.run(SharedFolder)
        path = folder.path / name

        def write() -> dict[str, str]:
            with folder, _room(folder.path):
                told = _told_of(here, partial(make, path))
                length = str(path.stat().st_size)
            disposition = f'attachment; filename="{name}"'
            return {**told, "Content-Length": length, "Content-Disposition": disposition}

        try:
            headers = await while_connected(request, pool.run(write))
        except BaseException:
            folder.leave()  # nothing is sent that would do it at its end
            raise
        return Streamed(_parts(path, pool), media_type, headers, folder.leave)

    async def _asked(self, request: Request, role: AccessRole) -> BankRequest:
        server = self._server
        caller, _ = await server.gatekeeper.admit(request, role)
        return BankRequest.of(request, server.memory, caller, None, server.limits.upkeep_s)


# ---------------------------------------------------------------- in


class _ImportInfo(NamedTuple):
    """The name of an import, which tells its format, and its age, as the client gives them."""

    name: str
    format: str | None
    modified: datetime | None
    as_: str | None
    sync: bool | None
    location: FileLocation
    told: bool
    """Whether a name or a format was given."""

    @classmethod
    def of(cls, request: Request) -> Self:
        query = request.query_params
        refuse_unknown("import", query, _ASKS)
        name = query.get("name", _UNNAMED)
        parts = PurePosixPath(name).parts
        if not parts or ".." in parts or name.startswith("/") or "\0" in name:
            raise InputError(f"name={name!r:.100}: must be a file's name, such as notes/trip.md")
        name = "/".join(parts)
        modified = query.get("modified")
        at = None if modified is None else wire.convert(datetime, modified)
        sync = query.get("sync")
        location = FileLocation(
            place=query.get("place"), host=query.get("host"), gone=tuple(query.getlist("gone")),
            name=name,
        )  # fmt: skip
        return cls(
            name, query.get("format"), at, query.get("as"),
            None if sync is None else wire.convert(bool, sync, strict=False), location,
            "name" in query or "format" in query,
        )  # fmt: skip

    def file_in(self, folder: Path) -> Path:
        """Return the place for the copy, below its folders if names of here can be as theirs."""
        for name in (self.name, f"import{PurePosixPath(self.name).suffix}"):
            short = len(name.encode()) <= _LONGEST_NAME
            if short and all(map(is_file_name, name.split("/"))):
                return folder / name
        return folder / "import"

    def date(self, path: Path) -> None:
        """Have a file be as old as it is said to be, if it is said."""
        if self.modified is None:
            return
        at = self.modified.replace(tzinfo=self.modified.tzinfo or UTC).timestamp()
        try:
            os.utime(path, (at, at))
        except (OSError, OverflowError) as exc:
            msg = f"modified={self.modified.isoformat()}: no file is of that time"
            raise InputError(msg) from exc


async def _take_in(
    request: Request,
    server: ServerState,
    bank: Bank,
    named: _ImportInfo,
    kind: str,
    sent: AsyncIterator[bytes],
    progress: Progress,
) -> LongAnswer:
    first = b""
    async for chunk in sent:
        first += chunk
        # As much as it takes to see whether this is an export of ours.
        if len(first) >= len(_OURS) * 4 or b"\n" in first:
            break

    async def all_of_it() -> AsyncIterator[bytes]:
        yield first
        async for chunk in sent:
            yield chunk

    whole = all_of_it()
    if kind == LINES and _OURS not in first.partition(b"\n")[0]:
        ahead = bodies.ReadAhead(request, whole)
        done = await _take_turns(server, bank, ahead, progress)
        return LongAnswer(wire.dump(done), bank.state.seen.token)
    if kind == BYTES and not named.told and _OURS not in first.partition(b"\n")[0]:
        msg = (
            "name: what the file is called tells its format; give ?name=notes/trip.md, or ?format="
            f" with one of {', '.join(ALL_FORMATS)}"
        )
        raise InputError(msg)
    with _folder() as folder:
        path = named.file_in(folder.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        await bodies.into_file(whole, path, server.bulk)
        named.date(path)

        def take() -> LongAnswer:
            with folder:
                made = bank.import_(
                    path, format=named.format, as_=named.as_, sync=named.sync,
                    location=named.location, progress=progress,
                )  # fmt: skip
            return LongAnswer(wire.dump(made), bank.state.seen.token)

        return await while_connected(request, server.bulk.run(take))


async def _take_turns(
    server: ServerState, bank: Bank, sent: bodies.ReadAhead, progress: Progress
) -> Imported:
    """Remember turns as they come, a batch in a transaction; progress is what is durable."""
    added = unchanged = number = done = 0
    skipped: list[tuple[str, str]] = []
    batch: list[tuple[int, bytes]] = []
    most = server.memory.engine.config.ingest.batch

    async def keep() -> None:
        nonlocal added, unchanged, done
        lines, batch[:] = list(batch), []
        work = server.bulk.run(lambda: _remember(bank, server, lines))
        fresh, known, bad = await sent.use(work)
        added, unchanged, done = added + fresh, unchanged + known, done + len(lines)
        skipped.extend(bad)
        if len(skipped) > _TOLD:
            msg = (
                f"more than {_TOLD} lines are no turns, the first is {skipped[0][0]}:"
                f" {skipped[0][1]}; {added} episodes were added"
            )
            raise InputError(msg)
        progress(done, 0)

    async for line in bodies.lines(aiter(sent), most=server.limits.body_bytes):
        number += 1
        if line.strip():
            batch.append((number, line))
        if len(batch) >= most:
            await keep()
    if batch:
        await keep()
    return Imported(added=added, unchanged=unchanged, removed=0, unreadable=tuple(skipped))


def _remember(
    bank: Bank, server: ServerState, lines: list[tuple[int, bytes]]
) -> tuple[int, int, list[tuple[str, str]]]:
    """Remember the turns of some lines: how many are new, how many known, which are none."""
    turns: list[tuple[int, Turn]] = []
    bad: list[tuple[str, str]] = []
    for number, line in lines:
        try:
            turns.append((number, wire.load(Turn, line)))
        except InputError as exc:
            bad.append((f"line {number}", str(exc)))
    # Taken before: what was recorded earlier was known already.
    now = server.memory.now()
    try:
        kept = bank.remember_many([turn for _, turn in turns])
    except InputError:  # one of them: each by itself, to say which
        kept = []
        for number, turn in turns:
            try:
                kept += bank.remember_many([turn])
            except InputError as exc:
                bad.append((f"line {number}", str(exc)))
    fresh = sum(1 for episode in kept if episode.recorded_at >= now)
    return fresh, len(kept) - fresh, sorted(bad, key=lambda one: int(one[0].partition(" ")[2]))


# ---------------------------------------------------------------- out


def _told_of(here: BankRequest | None, make: Callable[[], object]) -> dict[str, str]:
    """Make a file; return the headers that say how much of its bank, if it is of one, it knows."""
    if here is None:
        make()
        return {}
    _, seq = here.run(make)
    return {SEQ: seq}


async def _parts(path: Path, pool: Pool) -> AsyncGenerator[bytes]:
    with path.open("rb") as file:
        while data := await pool.run(partial(file.read, _AT_ONCE)):
            yield data


class SharedFolder:
    """A folder of the server's own; the last to leave it, a request or its thread, removes it."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="hippocampus-"))
        self._lock = threading.Lock()
        self._inside = 1

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        self.leave()

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            last = not self._inside
        if last:
            shutil.rmtree(self.path, ignore_errors=True)


@contextmanager
def _folder() -> Iterator[SharedFolder]:
    folder = SharedFolder()
    try:
        with _room(folder.path):
            yield folder
    finally:
        folder.leave()


@contextmanager
def _room(folder: Path) -> Iterator[None]:
    """Say of a disk that is full that it is."""
    try:
        yield
    except OSError as exc:
        if exc.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        msg = "no room for a file of the server's own; make some, or set TMPDIR"
        raise StoreFull(msg, path=folder) from exc
