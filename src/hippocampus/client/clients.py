"""Clients of a server: a ``Memory`` and its awaited twin, with every verb as a request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, TypeVar

import msgspec

from hippocampus.aio import AsyncBank, AsyncMemory
from hippocampus.bank import Bank
from hippocampus.calibrate import CONVERSATIONS
from hippocampus.calibrate.calibration import Calibration
from hippocampus.client.transport import CONNECTIONS, LINES, Call, Line
from hippocampus.core.constraints import check_whole
from hippocampus.core.files import read_bytes, reading
from hippocampus.core.given_arguments import as_path
from hippocampus.core.path_text import path_text
from hippocampus.core.records import (
    Embedder,
    EmbeddingFunction,
    FileLocation,
    Imported,
    Progress,
    SourceInfo,
)
from hippocampus.core.threads import Threads
from hippocampus.engine.context import check_name
from hippocampus.engine.position import NOWHERE, Position
from hippocampus.errors import (
    FloodRefused,
    InputError,
    ListChanged,
    SecretRefused,
    ServerMismatch,
    SourceError,
    UnknownBank,
)
from hippocampus.memory import Memory
from hippocampus.sleep.topic_plot import picture_ending
from hippocampus.sources import SourceProblem
from hippocampus.sources.agents.tools import TOOLS, kind_of
from hippocampus.sources.walk import (
    check_format,
    files_of,
    folder_name,
    is_missing,
    may_be_log,
    modified_at,
    this_host,
    without_reader,
)
from hippocampus.verbs import BANK_VERBS, STORE_VERBS, VerbSpec, path_of, to_json, to_query
from hippocampus.write.check import check_label

T = TypeVar("T")

TIMEOUT_S: Final = 30.0
"""Seconds for an answer, further attempts included; a server gives up on most verbs after 60
(``Limits.request_s``). Chosen by hand (docs/surfaces/client.md)."""
ATTEMPTS: Final = 3
"""Attempts in all, with pauses of some .2 and .4 s between them (``transport.py``), unless the
server asks for longer ones. Chosen by hand."""
_MOST_GONE: Final = 50
"""Most names of sources in an address, which may not be long."""
_HEAD_BYTES: Final = 4096
"""Bytes of a file of which the first line tells whether it is an export of ours."""
_BEGUN_ANEW: Final = 8
"""Most times that a list is begun anew because it grows while it is read."""


def _as(verb: Any) -> Callable[[T], T]:  # noqa: ANN401 - any function
    """Give a method the signature and the documentation of the verb that it asks for."""
    return wraps(verb)  # type: ignore[return-value]


class _Verbs:
    """Verbs on a server, each asked as its specification says."""

    line: Line
    """The way to the server."""
    _bank = ""

    def _path(self, verb: str) -> str:
        return f"/v1/{verb}"

    def _ask(self, spec: VerbSpec, /, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        given = spec.bind(args, kwargs)
        progress = given.pop("progress", None)
        with self.line.recorded(spec.name):
            if spec.pages:
                return self._pages(spec, given)
            return self.line.follow(self._call(spec, given), progress, spec.returns)

    def _call(self, spec: VerbSpec, given: Mapping[str, Any]) -> Call:
        asked = spec.method == "GET"
        return Call(
            spec.method, self._path(spec.name), query=to_query(given) if asked else (),
            body=None if asked else to_json(given), reads=spec.reads, once=spec.once,
            long=spec.long or spec.reports, bank=self._bank,
        )  # fmt: skip

    def _pages(self, spec: VerbSpec, given: dict[str, Any]) -> list[Any]:
        """Return a list that comes in pages, begun anew where it grew while it was read."""
        check_whole(limit=given.get("limit"), optional=True)
        for _ in range(_BEGUN_ANEW):
            with suppress(ListChanged):
                return self._pages_of_one(spec, dict(given))
        return self._pages_of_one(spec, dict(given))

    def _pages_of_one(self, spec: VerbSpec, given: dict[str, Any]) -> list[Any]:
        """Return all of a list, or as much as is wanted, as it was when it was begun."""
        found: list[Any] = []
        most = given.get("limit")
        while True:
            page = self.line.ask_page(self._call(spec, given), spec.returns)
            found += page.entries
            if page.cursor is None or (most is not None and len(found) >= most):
                self.line.warn(page.lacking)
                return found if most is None else found[:most]
            given["cursor"] = page.cursor
            if most is not None:
                given["limit"] = most - len(found)

    def _fetch(
        self,
        verb: str,
        path: str | Path,
        check: Callable[[Path], T],
        *,
        overwrite: bool,
        progress: Progress | None = None,
        **how: Any,  # noqa: ANN401 - of the call
    ) -> T:
        """Write a file that a verb gives; return what ``check`` says of it."""
        file = as_path("target" if verb == "backup" else "path", path)
        call = Call("GET", self._path(verb), reads=True, long=True, bank=self._bank, **how)
        return self.line.fetch(call, file, progress, overwrite=overwrite, check=check)


class _Folder(NamedTuple):
    """Folder of files that are sent one by one, and the sources that the server knew of it."""

    root: str | None
    """The absolute path of a folder."""
    place: str | None
    """That of a file alone."""
    host: str | None
    before: tuple[SourceInfo, ...] = ()
    gone: tuple[str, ...] = ()
    """Sources whose file is there no more."""

    @classmethod
    def of(cls, path: Path, every: Iterable[SourceInfo]) -> Self:
        """Return the location of a path; ``every``: source that the server knows."""
        place = path_text(path.resolve())
        here = [one for one in every if one.place is not None and one.host == this_host()]
        gone = [one.name for one in here if one.episodes and is_missing(one.place or "")]
        root, file = (place, None) if path.is_dir() else (None, place)
        return cls(root, file, this_host(), tuple(here), tuple(gone[:_MOST_GONE]))

    @classmethod
    def told(cls, location: FileLocation) -> Self:
        """Return the location of a file as the server was told it."""
        return cls(None, location.place, location.host, (), location.gone)

    def inside(self) -> list[SourceInfo]:
        """Return the sources that are from the folder."""
        root = None if self.root is None else self.root.rstrip("/") + "/"
        return [one for one in self.before if root and (one.place or "").startswith(root)]

    def query(self, name: str) -> dict[str, Any]:
        """Return the place of a file, and the files that may be gone, as parameters."""
        place = self.place if self.root is None else f"{self.root.rstrip('/')}/{name}"
        # A file at a known place is that source; only another may be one that was moved.
        known = any(one.place == place for one in self.before)
        return {
            "place": place,
            "host": self.host,
            "gone": None if known else list(self.gone) or None,
        }


def _unreadable(
    name: str, file: Path | SourceProblem, *, by_name: bool, alone: bool
) -> tuple[str, str] | None:
    """
    Return the problem with a file that cannot be sent, or would be for nothing, if there is one.

    Args:
        name: of the file.
        file: its path here, or its problem.
        by_name: whether the file tells its format itself.
        alone: whether it is not of a folder, and so may be an export of ours, whatever its name.

    """
    if isinstance(file, SourceProblem):
        return file.path, file.reason
    try:
        file.stat()
        # Tried before it is sent: one that cannot be read is told, and the others go on.
        with reading(file) as opened:
            unread = without_reader(name) if by_name and not may_be_log(name) else None
            if unread and not (alone and b'"hippocampus-export"' in opened.readline(_HEAD_BYTES)):
                return unread.path, unread.reason
    except SourceError as exc:
        return name, str(exc).removeprefix(f"{file}: ")
    except OSError as exc:
        return name, exc.strerror or str(exc)
    return None


class RemoteBank(_Verbs, Bank):
    """A bank on a server, from ``Client.bank``: the verbs of ``Bank``."""

    def __init__(self, line: Line, name: str) -> None:
        self.line = line
        self.name = self._bank = name

    @property
    def seen(self) -> str | None:
        """
        A token of how much of the bank this client has seen; None of one that it never asked.

        Whoever gets it can ask to see no less: ``Client.bank(name, min_seq=token)``.
        """
        seen = self.line.seen(self.name)
        return seen.token if seen > NOWHERE else None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def _path(self, verb: str) -> str:
        return path_of(self.name, verb)

    @_as(Bank.export)
    def export(self, path: str | Path, *, overwrite: bool = False) -> int:
        def check(whole: Path) -> int:
            count = _episodes_of(whole)
            if count is None:
                msg = "the export has no end, so it is not all there; export once more"
                raise ServerMismatch(msg, url=self.line.url)
            return count

        return self._fetch("export", path, check, overwrite=overwrite, accept=LINES)

    @_as(Bank.import_)
    def import_(
        self,
        path: str | Path,
        *,
        format: str | None = None,  # noqa: A002
        as_: str | None = None,
        sync: bool | None = None,
        location: FileLocation | None = None,
        progress: Progress | None = None,
    ) -> Imported:
        root = as_path("path", path)
        if format != "hippocampus":
            check_format(format)
        check_label("as_", as_)
        if not root.exists():
            raise SourceError("no such file or folder", path=root)
        inside = folder_name(root)
        found = [
            (name, file)
            for name, file in files_of(root)
            if format is None
            or format not in TOOLS
            or kind_of(format, name, alone=file == root, root=inside)
        ]
        folder = self._folder(root) if location is None else _Folder.told(location)
        synced = sync
        # A folder that was synced once goes on being so until somebody says otherwise.
        if sync is None and any(one.synced for one in folder.inside()):
            synced = True
        many = len(found) > 1
        result = Imported(added=0, unchanged=0, removed=0)
        for nth, (name, file) in enumerate(found, 1):
            problem = _unreadable(name, file, by_name=format is None, alone=file == root)
            if isinstance(file, SourceProblem) or problem is not None:
                result += Imported(added=0, unchanged=0, removed=0, unreadable=(problem,))  # type: ignore[arg-type]
                continue
            given = {
                "name": name, "modified": modified_at(file.stat()),
                # Files of a folder share the name that is given, and need one each.
                "format": format, "as": f"{as_}/{name}" if as_ and folder.root else as_,
                "sync": synced, **folder.query(name),
            }  # fmt: skip
            call = Call(
                "POST", self._path("import"), query=to_query(given), body=file, long=True,
                bank=self._bank,
            )  # fmt: skip
            result += self._sent(call, name, None if many else progress, alone=file == root)
            if progress and many:
                progress(nth, len(found))
        return result + self._miss(folder, sync=sync)

    def _sent(self, call: Call, name: str, progress: Progress | None, *, alone: bool) -> Imported:
        """Return the outcome of a file; one of a folder that is refused does not stop the rest."""
        try:
            done: Imported = self.line.follow(call, progress, Imported)
        except InputError as exc:
            # Here, too, a secret or a flood that is refused ends an import.
            if alone or isinstance(exc, SecretRefused | FloodRefused):
                raise
            reason = str(exc).removeprefix(f"{name}: ")
            return Imported(added=0, unchanged=0, removed=0, unreadable=((name, reason),))
        return done

    def _folder(self, path: Path) -> _Folder:
        try:
            return _Folder.of(path, self.sources())
        except UnknownBank:
            return _Folder.of(path, ())

    def _miss(self, folder: _Folder, *, sync: bool | None) -> Imported:
        """Hide the episodes of files gone from a folder, if it is synced; else name them."""
        removed, missing = 0, list[str]()
        lost = [one.place for one in folder.inside() if is_missing(one.place or "")]
        for one in self.sources() if lost else ():  # some may be known by another name by now
            if one.place not in lost or one.host != folder.host:
                continue
            if sync or (sync is None and one.synced):
                removed += self.withdraw(one.name)
            elif one.episodes:
                missing.append(one.name)
        return Imported(added=0, unchanged=0, removed=removed, missing=tuple(missing))

    @_as(Bank.export_concepts)
    def export_concepts(self, path: str | Path, *, overwrite: bool = False) -> int:
        def count(whole: Path) -> int:
            return len(msgspec.json.decode(read_bytes(whole))["entries"])

        return self._fetch("export_concepts", path, count, overwrite=overwrite)

    @_as(Bank.import_concepts)
    def import_concepts(self, path: str | Path) -> int:
        call = Call(
            "POST", self._path("import_concepts"), body=read_bytes(as_path("path", path)),
            bank=self._bank,
        )  # fmt: skip
        count: int = self.line.ask(call, int)
        return count

    @_as(Bank.plot_topics)
    def plot_topics(self, path: str | Path, *, overwrite: bool = False) -> None:
        wanted = [("format", picture_ending(as_path("path", path)).removeprefix("."))]
        self._fetch("plot_topics", path, _anything, overwrite=overwrite, query=wanted)


class Client(_Verbs, Memory):
    """
    A memory on a server that ``hippocampus serve`` runs: what takes a ``Memory`` takes this.

    Verbs take, return and raise what those of ``Memory`` and ``Bank`` do. What only reads is asked
    again when the connection breaks, and so is what changes something, under a key by which the
    servers know it, so nothing is done twice; what takes long, such as ``sleep`` or an import, only
    if the server surely has not begun. Safe to use from threads; connections are kept.

    Args:
        url: where the server is, such as ``http://localhost:8765``.
        key: what ``hippocampus keys create`` gave; None for a server on this machine without keys.
        timeout_s: for how long an answer is waited for, all attempts together; not for verbs that
            may take minutes, such as ``sleep``, once they have begun.
        attempts: how often a request is made at most.

    Raises:
        InputError: an argument that makes no sense. No server is asked until a verb is.

    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        timeout_s: float = TIMEOUT_S,
        attempts: int = ATTEMPTS,
    ) -> None:
        self.line = Line(url, key=key, timeout_s=timeout_s, attempts=attempts)

    def bank(self, name: str, *, min_seq: str | None = None) -> RemoteBank:
        """
        Return the bank called ``name``; it comes to be with its first episode.

        Whatever server answers, it has seen all that this client has written and read, or else
        raises ``StoreBehind``. ``min_seq``: also what another client has, by its ``seen``.
        """
        if min_seq is not None:
            self.line.see(check_name(name), Position.of(min_seq))
        return RemoteBank(self.line, check_name(name))

    def close(self) -> None:
        """Let go of the connections. May be called twice."""
        self.line.close()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - there is none
        # Memory's own would look for an engine, which is on the server.
        msg = f"a client has the verbs, the rest is the server's: there is no {name!r}"
        raise AttributeError(msg)

    def __repr__(self) -> str:
        return f"Client({self.line.url!r})"

    @_as(Memory.banks)
    def banks(self, *, prefix: str = "", after: str = "", limit: int | None = None) -> list[str]:
        check_whole(limit=limit, optional=True)
        found: list[str] = []
        # A server pages by its own cursors, so what comes before "after" is left out here.
        query = {"prefix": prefix, "limit": None if after else limit}
        while limit is None or len(found) < limit:
            call = Call("GET", "/v1/banks", query=to_query(query), reads=True)
            page = self.line.ask_page(call, list[str])
            found += [name for name in page.entries if name > after]
            if page.cursor is None:
                break
            query["cursor"] = page.cursor
        return found[:limit]

    @_as(Memory.delete_bank)
    def delete_bank(self, name: str) -> None:
        self.line.ask(Call("DELETE", path_of(check_name(name)), once=True, long=True), None)
        self.line.forget(name)

    @_as(Memory.backup)
    def backup(
        self, target: str | Path, *, overwrite: bool = False, progress: Progress | None = None
    ) -> None:
        self._fetch("backup", target, _anything, overwrite=overwrite, progress=progress)

    @_as(Memory.rebuild)
    def rebuild(
        self,
        *,
        embedder: Embedder | EmbeddingFunction | None = None,
        **given: Any,  # noqa: ANN401
    ) -> dict[str, int]:
        if embedder is not None:
            msg = f"embedder={embedder!r:.100}: a server has its own; choose it where it is started"
            raise InputError(msg)
        made: dict[str, int] = self._ask(STORE_VERBS["rebuild"], **given)
        return made

    @_as(Memory.calibrate)
    def calibrate(self, *, conversations: int = CONVERSATIONS, **given: Any) -> Calibration:  # noqa: ANN401
        # Said always: a server of another version may have another default.
        spec = STORE_VERBS["calibrate"]
        found: Calibration = self._ask(spec, conversations=conversations, **given)
        return found


def _anything(_: Path) -> None:
    """Take a file that needs no checking."""


def _episodes_of(export: Path) -> int | None:
    """Return the number of episodes that the last line of an export tells; None without one."""
    last = b""
    with export.open("rb") as file:
        for line in file:
            last = line
    with suppress(msgspec.MsgspecError):
        end: dict[str, dict[str, int]] = msgspec.json.decode(last, type=dict[str, dict[str, int]])
        return end["end"]["episodes"] if "end" in end else None
    return None


def _give_verbs(remote: type[_Verbs], owner: type[Any], verbs: Mapping[str, VerbSpec]) -> None:
    """Give a class the verbs for which the specification is enough, as their owner has them."""
    for name in verbs.keys() - vars(remote).keys():
        member = getattr(owner, name)

        def asked(self: Any, /, *args: Any, _spec: VerbSpec = verbs[name], **kwargs: Any) -> Any:  # noqa: ANN401
            return self._ask(_spec, *args, **kwargs)

        verb = wraps(getattr(member, "fget", member))(asked)
        setattr(remote, name, property(verb) if isinstance(member, property) else verb)


_give_verbs(RemoteBank, Bank, BANK_VERBS)
_give_verbs(Client, Memory, STORE_VERBS)


# ---------------------------------------------------------------- awaited


class AsyncRemoteBank(AsyncBank):
    """A bank on a server, from ``AsyncClient.bank``: the verbs of ``AsyncBank``."""

    sync: RemoteBank

    def __init__(self, bank: RemoteBank, threads: Threads) -> None:
        super().__init__(bank)
        self._threads = threads

    @property
    def seen(self) -> str | None:
        """A token of how much of the bank the client has seen; see ``RemoteBank.seen``."""
        return self.sync.seen

    async def _run(self, call: Callable[[], T]) -> T:
        """Return the result of a call, which is broken off if the task is cancelled."""
        self.sync.line.check_open()  # its threads have ended, too
        return await self._threads.run(call)

    def __repr__(self) -> str:
        return f"AsyncRemoteBank({self.name!r})"


class AsyncClient(AsyncMemory):
    """
    A memory on a server whose verbs are awaited; the arguments are those of ``Client``.

    It belongs to one event loop: close it there, or use ``async with``.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        timeout_s: float = TIMEOUT_S,
        attempts: int = ATTEMPTS,
    ) -> None:
        self._client = Client(url, key=key, timeout_s=timeout_s, attempts=attempts)
        self._threads = Threads(2 * CONNECTIONS)  # so that some can wait for a connection in vain

    @property
    def sync(self) -> Client:
        """The client itself, whose verbs block."""
        return self._client

    def bank(self, name: str, *, min_seq: str | None = None) -> AsyncRemoteBank:
        """Return the bank called ``name``; ``min_seq``: what it has to know, as of a ``Client``."""
        return AsyncRemoteBank(self.sync.bank(name, min_seq=min_seq), self._threads)

    async def close(self) -> None:
        """Let go of the connections. May be called twice."""
        self.sync.close()
        self._threads.close()

    async def _run(self, call: Callable[[], T]) -> T:
        """Return the result of a call, which is broken off if the task is cancelled."""
        self.sync.line.check_open()
        return await self._threads.run(call)

    def __repr__(self) -> str:
        return f"AsyncClient({self.sync.line.url!r})"
