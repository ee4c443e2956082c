"""
The same memory on a server: every verb of ``Memory`` and ``Bank`` is asked there, over HTTP.

Each verb is described once, as a coroutine. ``AsyncClient`` awaits it; ``Client`` runs it to its
end, for where everything blocks it never waits.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import re
import time
from collections.abc import (
    AsyncIterator,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import suppress
from dataclasses import is_dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache, wraps
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, Self, TypeVar, get_type_hints
from urllib.parse import quote

import msgspec

from hippocampus import wire
from hippocampus._optional import require
from hippocampus.aio import AsyncBank, AsyncMemory
from hippocampus.bank import Bank
from hippocampus.calibrate.calibration import CONVERSATIONS, Calibration
from hippocampus.errors import (
    HippocampusError,
    InputError,
    InvalidText,
    Overloaded,
    ServerError,
    ServerMismatch,
    ServerTimeout,
    ServerUnavailable,
    SourceError,
    StoreError,
)
from hippocampus.filters import Filters, read_filters
from hippocampus.ingest.prepare import dump_metadata
from hippocampus.ingest.sources import SourceProblem
from hippocampus.ingest.sources.walk import files_of
from hippocampus.memory import Memory, check_limit, check_name
from hippocampus.model import Embedder, Imported, Progress, Slept
from hippocampus.sleep.schedule import Schedule
from hippocampus.wire import VERBS, Verb

T = TypeVar("T")

TIMEOUT_S: Final = 30.0
ATTEMPTS: Final = 3
_FIRST_PAUSE_S: Final = 0.2
"""Before the second attempt; twice as long before each further one."""
_CHUNK: Final = 1 << 18
_BEHIND: Final = frozenset({502, 503, 504})
"""What stands before a server answers when the server is not there."""
_LINES: Final = "application/x-ndjson"
_MOMENTS: Final = (date, timedelta)  # and so datetime


# ---------------------------------------------------------------- two ways to wait


class _World(Protocol):
    """How requests are sent, and how one waits."""

    async def send(self, request: Any) -> Any: ...  # noqa: ANN401 - httpx is optional
    async def more(self, chunks: Any) -> bytes: ...  # noqa: ANN401
    def chunks(self, response: Any) -> Any: ...  # noqa: ANN401
    def build(self, *args: Any, **options: Any) -> Any: ...  # noqa: ANN401
    def upload(self, path: Path) -> Any: ...  # noqa: ANN401
    async def end(self, response: Any) -> None: ...  # noqa: ANN401
    async def do(self, call: Callable[[], T]) -> T: ...
    async def pause(self, seconds: float) -> None: ...
    async def close(self) -> None: ...


class _Blocking:
    """Where everything blocks, and no coroutine ever waits."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401
        self._http = _httpx().Client(**options)
        self.build = self._http.build_request

    async def send(self, request: Any) -> Any:  # noqa: ANN401
        return self._http.send(request, stream=True)

    def chunks(self, response: Any) -> Any:  # noqa: ANN401
        return response.iter_bytes()

    async def more(self, chunks: Any) -> bytes:  # noqa: ANN401
        return next(chunks, b"")

    def upload(self, path: Path) -> Iterator[bytes]:
        with path.open("rb") as file:
            while data := file.read(_CHUNK):
                yield data

    async def end(self, response: Any) -> None:  # noqa: ANN401
        response.close()

    async def do(self, call: Callable[[], T]) -> T:
        return call()

    async def pause(self, seconds: float) -> None:
        time.sleep(seconds)  # noqa: ASYNC251 - no loop runs it

    async def close(self) -> None:
        self._http.close()


class _Waiting:
    """Where an event loop goes on with something else meanwhile."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401
        self._http = _httpx().AsyncClient(**options)
        self.build = self._http.build_request

    async def send(self, request: Any) -> Any:  # noqa: ANN401
        return await self._http.send(request, stream=True)

    def chunks(self, response: Any) -> Any:  # noqa: ANN401
        return response.aiter_bytes()

    async def more(self, chunks: Any) -> bytes:  # noqa: ANN401
        return await anext(chunks, b"")

    async def upload(self, path: Path) -> AsyncIterator[bytes]:
        with path.open("rb") as file:
            while data := await self.do(lambda: file.read(_CHUNK)):
                yield data

    async def end(self, response: Any) -> None:  # noqa: ANN401
        await response.aclose()

    async def do(self, call: Callable[[], T]) -> T:
        return await asyncio.to_thread(call)

    async def pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def close(self) -> None:
        await self._http.aclose()


def _finish(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return what a coroutine comes to that never waits."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        value: T = done.value
        return value
    coroutine.close()
    raise AssertionError("where everything blocks, nothing waits")


def _httpx() -> Any:  # noqa: ANN401 - a module
    return require("httpx", extra="client", feature="a client of a server")


# ---------------------------------------------------------------- one server


class _Call(NamedTuple):
    """A request, and how it may be treated."""

    method: str
    path: str
    query: Sequence[tuple[str, str]] = ()
    body: bytes | Path | None = None
    accept: str = "application/json"
    reads: bool = False
    """Whether it changes nothing, and so may be made again."""
    long: bool = False
    """Whether it may take minutes before anything of the answer comes."""


class _Line:
    """One server: where it is, and for how long and how often it is asked."""

    def __init__(
        self, url: str, world: Callable[..., _World], *, key: str | None, timeout_s: float,
        attempts: int,
    ) -> None:  # fmt: skip
        self.url = _check_url(url)
        if not (isinstance(timeout_s, int | float) and timeout_s > 0):
            msg = f"timeout_s={timeout_s!r}: must be above 0 seconds"
            raise InputError(msg)
        if isinstance(attempts, bool) or not isinstance(attempts, int) or attempts < 1:
            msg = f"attempts={attempts!r}: must be a whole number, 1 or more"
            raise InputError(msg)
        self._timeout_s = float(timeout_s)
        self._attempts = attempts
        headers = {} if key is None else {"Authorization": f"Bearer {_check_key(key)}"}
        self.world = world(headers=headers, follow_redirects=False)

    async def ask(self, call: _Call, kind: Any) -> Any:  # noqa: ANN401 - whatever the verb gives
        """Return what a server answers, read as ``kind``."""
        return self._read(kind, await self.talk(call, self._whole))

    async def ask_page(self, call: _Call, kind: Any) -> tuple[list[Any], str | None]:  # noqa: ANN401
        """Return one page of a list, and the cursor of the next."""

        async def take(response: Any) -> tuple[bytes, str | None]:  # noqa: ANN401
            return await self._whole(response), response.headers.get("Next-Cursor")

        body, cursor = await self.talk(call, take)
        return self._read(kind, body), cursor

    async def follow(self, call: _Call, progress: Progress | None, kind: Any) -> Any:  # noqa: ANN401
        """Return what a verb comes to that takes long, and tell how far it is."""
        if progress is None:
            return await self.ask(call, kind)

        async def take(response: Any) -> bytes:  # noqa: ANN401
            rest, result = b"", None
            chunks = self.world.chunks(response)
            while chunk := await self.world.more(chunks):
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    result = self._heard(line, progress)
            if result is None:
                msg = "it broke off before it said what came of it, which so is not known"
                raise ServerUnavailable(msg, url=self.url)
            return bytes(result)

        return self._read(kind, await self.talk(call._replace(accept=_LINES), take))

    def _heard(self, line: bytes, progress: Progress) -> bytes | None:
        """Tell of progress; return the result, if this line has it."""
        fault = wire.load_fault(line)
        if fault is not None:
            raise self._error(fault)
        told = self._read(dict[str, msgspec.Raw], line)
        if "progress" in told:
            at = self._read(dict[str, int], bytes(told["progress"]))
            progress(at.get("done", 0), at.get("total", 0))
            return None
        return bytes(told["result"]) if "result" in told else None

    async def fetch(self, call: _Call, path: Path, progress: Progress | None = None) -> None:
        """Write what a server sends to a file, which has its name only once it is whole."""
        partial = path.with_name(path.name + ".partial")

        async def take(response: Any) -> None:  # noqa: ANN401
            total = int(response.headers.get("Content-Length", 0))
            done = 0
            chunks = self.world.chunks(response)
            with partial.open("wb") as file:
                while chunk := await self.world.more(chunks):
                    await self.world.do(lambda chunk=chunk: file.write(chunk))  # type: ignore[misc]
                    done += len(chunk)
                    if progress:
                        progress(done, total)

        try:
            await self.talk(call, take)
            await self.world.do(lambda: partial.replace(path))
        finally:
            partial.unlink(missing_ok=True)

    async def talk(self, call: _Call, take: Callable[[Any], Coroutine[Any, Any, T]]) -> T:
        """
        Return what ``take`` makes of the answer, after as many attempts as are needed and allowed.

        What only reads is asked again whatever went wrong on the way; what changes something only
        if it surely was not begun.
        """
        until = time.monotonic() + self._timeout_s
        for attempt in range(1, self._attempts + 1):
            try:
                return await self._once(call, take, until)
            except (Overloaded, ServerError) as exc:
                error = exc
            if isinstance(error, Overloaded):
                wait, again = error.retry_after_s, True
            else:
                wait = _FIRST_PAUSE_S * 2 ** (attempt - 1)
                again = not error.begun or (call.reads and not isinstance(error, ServerMismatch))
            if not again or attempt == self._attempts or time.monotonic() + wait >= until:
                raise error
            await self.world.pause(wait)
        raise AssertionError("the last attempt returns or raises")

    async def _once(
        self, call: _Call, take: Callable[[Any], Coroutine[Any, Any, T]], until: float
    ) -> T:
        httpx = _httpx()
        left = max(0.001, until - time.monotonic())
        patience = httpx.Timeout(left, read=None if call.long else left)
        sent = self.world.upload(call.body) if isinstance(call.body, Path) else call.body
        headers = {"Accept": call.accept}
        if call.body is not None:
            kind = "application/octet-stream" if isinstance(call.body, Path) else "application/json"
            headers["Content-Type"] = kind
        request = self.world.build(
            call.method, self.url + call.path, params=list(call.query), content=sent,
            headers=headers, timeout=patience,
        )  # fmt: skip
        try:
            response = await self.world.send(request)
            try:
                if response.status_code == httpx.codes.OK:
                    return await take(response)
                body = await self._whole(response)
            finally:
                await self.world.end(response)
        except httpx.HTTPError as exc:
            raise self._broken(call, exc) from exc
        raise self._refusal(call, response, body)

    async def _whole(self, response: Any) -> bytes:  # noqa: ANN401
        chunks, read = self.world.chunks(response), list[bytes]()
        while chunk := await self.world.more(chunks):
            read.append(chunk)
        return b"".join(read)

    # ------------------------------------------------------------ what goes wrong

    def _broken(self, call: _Call, exc: Exception) -> ServerError:
        """Return what it means that a request came to no answer."""
        httpx, kind = _httpx(), type(exc).__name__
        done = "" if call.reads else "; whether it was done is not known"
        if isinstance(exc, httpx.ConnectError | httpx.ConnectTimeout):
            msg = f"nobody answers there ({exc or kind}); is 'hippocampus serve' running?"
            return ServerUnavailable(msg, url=self.url, begun=False)
        if isinstance(exc, httpx.TimeoutException):
            msg = f"no answer within timeout_s={self._timeout_s:g}{done}"
            return ServerTimeout(msg, url=self.url)
        if isinstance(exc, httpx.DecodingError | httpx.UnsupportedProtocol):
            return ServerMismatch(f"what it sends cannot be read ({exc or kind})", url=self.url)
        return ServerUnavailable(f"the connection broke off ({exc or kind}){done}", url=self.url)

    def _refusal(self, call: _Call, response: Any, body: bytes) -> HippocampusError:  # noqa: ANN401
        """Return the error that an answer tells of."""
        status, fault = response.status_code, wire.load_fault(body)
        if fault is None and status in _BEHIND:
            msg = f"something before the server says {status}, so the server is not there"
            return ServerUnavailable(msg, url=self.url)
        if fault is None:
            where = response.headers.get("Location")
            more = f", and points to {where!r:.100}" if where else ""
            msg = f"answers {status}{more}, and not as a server of hippocampus would"
            return ServerMismatch(msg, url=self.url)
        if fault.type == "InputError" and status in (404, 405):
            msg = f"has no {call.method} {call.path!r:.200}, so it is of another version"
            return ServerMismatch(msg, url=self.url)
        return self._error(fault)

    def _error(self, fault: wire.Fault) -> HippocampusError:
        made = wire.as_error(fault)
        if isinstance(made, StoreError | SourceError):
            made.path = self.url
        if isinstance(made, Overloaded) and not hasattr(made, "retry_after_s"):
            made.retry_after_s = 1.0
        return made

    def _read(self, kind: Any, body: bytes) -> Any:  # noqa: ANN401
        try:
            return wire.load(kind, body)
        except InputError as exc:
            msg = f"what it answers is not what this version expects: {exc}"
            raise ServerMismatch(msg, url=self.url) from exc


def _check_url(url: object) -> str:
    httpx = _httpx()
    with suppress(httpx.InvalidURL):
        if isinstance(url, str) and re.fullmatch(r"https?://[^\s/?#@]+(/[^\s?#]*)?", url):
            httpx.URL(url)
            return url.rstrip("/")
    shown = "[not shown, for it has a password]" if "@" in str(url) else f"{url!r:.100}"
    msg = (
        f"url={shown}: must be the address of a server, such as http://localhost:8765, without"
        " user or password; a key is given apart"
    )
    raise InputError(msg)


def _check_key(key: object) -> str:
    if not isinstance(key, str) or not re.fullmatch(r"[!-~]+", key):
        msg = "key=[not shown]: must be printable ASCII without blanks, as 'hippocampus keys' gives"
        raise InputError(msg)
    return key


# ---------------------------------------------------------------- the verbs of a bank


def _path(bank: str, verb: str = "") -> str:
    """Return where a bank, or a verb of it, is; a name of nothing but dots is no way up."""
    name = quote(bank, safe="")
    name = name.replace(".", "%2E") if not name.strip(".") else name
    return f"/v1/banks/{name}" + (f"/{verb}" if verb else "")


@cache
def _signature(verb: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(verb)


@cache
def _gives(verb: Callable[..., Any]) -> Any:  # noqa: ANN401 - a type
    return get_type_hints(verb)["return"]


def _given(
    verb: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what was given to a verb, by name, after the checks that would be made here."""
    signature = _signature(verb)
    filters = {name: kwargs[name] for name in kwargs if name in Filters.__annotations__}
    if "as_of" in signature.parameters and "where" in signature.parameters:
        unknown = [name for name in kwargs if name not in signature.parameters]
        filters |= {name: kwargs[name] for name in unknown}
        read_filters(filters, UTC)
    given = dict(signature.bind(None, *args, **kwargs).arguments)
    del given[next(iter(signature.parameters))]
    for name, parameter in signature.parameters.items():
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            given.setdefault(name, ())
    if given.get("metadata") is not None:
        dump_metadata(given["metadata"])
    return given


def _listed(value: Any) -> Any:  # noqa: ANN401 - any argument
    """Return a collection of any kind as a list."""
    plain = isinstance(value, str | bytes | Mapping | list) or not isinstance(value, Iterable)
    return value if plain or is_dataclass(value) else list(value)


def _to_json(given: Mapping[str, Any]) -> bytes:
    """Return arguments as a JSON object; refuse what would come back as something else."""
    try:
        turns = given.get("turns")
        for turn in turns if isinstance(turns, list) else ():
            dump_metadata(getattr(turn, "metadata", {}))
        plain = msgspec.to_builtins(dict(given), builtin_types=(bytes, datetime, *_MOMENTS))
        return json.dumps(plain, allow_nan=False, ensure_ascii=False, default=_plain).encode()
    except UnicodeEncodeError as exc:
        msg = f"a lone surrogate, {exc.object[exc.start]!r}, which is no text; leave it out"
        raise InvalidText(msg) from exc
    except (TypeError, ValueError, RecursionError) as exc:
        msg = f"an argument has no JSON ({exc}); give text, numbers, lists, objects, or a datetime"
        raise InputError(msg) from exc


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):  # of a schedule
        return msgspec.to_builtins(value)
    msg = f"a {type(value).__name__}"
    raise TypeError(msg)


def _to_query(given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return arguments as the pairs of a query; what has structure is JSON."""
    pairs: list[tuple[str, str]] = []
    for name, value in given.items():
        if value is None:
            continue
        several = isinstance(value, list) and all(isinstance(one, str) for one in value)
        for one in value if several else [value]:
            plain = one.isoformat() if isinstance(one, datetime) else one
            text = plain if isinstance(plain, str) else _to_json({"": plain})[5:-1].decode()
            pairs.append((name, text))
    return pairs


class _Remote:
    """A bank on a server, and its verbs as coroutines."""

    def __init__(self, line: _Line, name: str) -> None:
        self.line, self.name = line, name

    async def ask(self, name: str, verb: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        """Ask a verb of ``Bank``."""
        given = {n: _listed(value) for n, value in _given(verb, args, kwargs).items()}
        progress, how = given.pop("progress", None), VERBS[name]
        if how.pages:
            return await self._pages(name, how, _gives(verb), given)
        return await self.line.follow(self._call(name, how, given), progress, _gives(verb))

    def _call(self, name: str, how: Verb, given: Mapping[str, Any]) -> _Call:
        asked = how.method == "GET"
        return _Call(
            how.method, _path(self.name, name), query=_to_query(given) if asked else (),
            body=None if asked else _to_json(given), reads=how.role == "read", long=how.long,
        )  # fmt: skip

    async def _pages(self, name: str, how: Verb, kind: Any, given: dict[str, Any]) -> list[Any]:  # noqa: ANN401
        """Return a list that comes in pages, all of it, or as much as is wanted."""
        found: list[Any] = []
        most = given.get("limit")
        while True:
            page, cursor = await self.line.ask_page(self._call(name, how, given), kind)
            found += page
            if cursor is None or (most is not None and len(found) >= most):
                return found if most is None else found[:most]
            given["cursor"] = cursor
            if most is not None:
                given["limit"] = most - len(found)

    # ------------------------------------------------------------ files

    async def export(self, path: str | Path) -> int:
        call = _Call("GET", _path(self.name, "export"), reads=True, long=True, accept=_LINES)
        path = Path(path)
        whole = path.with_name(path.name + ".whole")
        try:
            await self.line.fetch(call, whole)
            count = await self.line.world.do(lambda: _episodes_of(whole))
            if count is None:
                msg = "the export has no end, so it is not all there; export once more"
                raise ServerMismatch(msg, url=self.line.url)
            await self.line.world.do(lambda: whole.replace(path))
        finally:
            whole.unlink(missing_ok=True)
        return count

    async def import_(
        self,
        path: str | Path,
        *,
        format: str | None = None,  # noqa: A002
        progress: Progress | None = None,
    ) -> Imported:
        root = Path(path)
        found = await self.line.world.do(lambda: _files_of(root))
        many = len(found) > 1
        added = unchanged = removed = 0
        skipped: list[tuple[str, str]] = []
        for nth, (name, file) in enumerate(found, 1):
            if isinstance(file, SourceProblem):
                skipped.append((file.path, file.reason))
                continue
            try:
                modified = datetime.fromtimestamp(file.stat().st_mtime, UTC)
                file.open("rb").close()
            except OSError as exc:
                skipped.append((name, exc.strerror or str(exc)))
                continue
            given = {"name": name, "modified": modified, "format": format}
            call = _Call(
                "POST", _path(self.name, "import"), query=_to_query(given), body=file, long=True
            )
            done: Imported = await self.line.follow(call, None if many else progress, Imported)
            added, unchanged = added + done.added, unchanged + done.unchanged
            removed += done.removed
            skipped += done.skipped
            if progress and many:
                progress(nth, len(found))
        return Imported(added=added, unchanged=unchanged, removed=removed, skipped=tuple(skipped))

    async def export_concepts(self, path: str | Path) -> int:
        call = _Call("GET", _path(self.name, "export_concepts"), reads=True)
        document = await self.line.ask(call, msgspec.Raw)
        await self.line.world.do(lambda: Path(path).write_bytes(document))
        return len(msgspec.json.decode(document)["entries"])

    async def import_concepts(self, path: str | Path) -> int:
        document = await self.line.world.do(lambda: Path(path).read_bytes())
        call = _Call("POST", _path(self.name, "import_concepts"), body=document)
        count: int = await self.line.ask(call, int)
        return count

    async def plot_topics(self, path: str | Path) -> None:
        wanted = Path(path).suffix.lstrip(".").lower() or "png"
        query = [("format", wanted)]
        call = _Call("GET", _path(self.name, "plot_topics"), query=query, reads=True, long=True)
        await self.line.fetch(call, Path(path))


def _files_of(root: Path) -> list[tuple[str, Path | SourceProblem]]:
    if not root.exists():
        raise SourceError("no such file or folder", path=root)
    return list(files_of(root))


def _episodes_of(export: Path) -> int | None:
    """Return how many episodes an export says at its end that it has."""
    last = b""
    with export.open("rb") as file:
        for line in file:
            last = line
    with suppress(msgspec.MsgspecError):
        end: dict[str, dict[str, int]] = msgspec.json.decode(last, type=dict[str, dict[str, int]])
        return end["end"]["episodes"] if "end" in end else None
    return None


class _RemoteStore:
    """A memory on a server, and its verbs as coroutines."""

    def __init__(self, line: _Line) -> None:
        self.line = line

    async def banks(
        self, *, prefix: str = "", after: str = "", limit: int | None = None
    ) -> list[str]:
        check_limit(limit)
        found: list[str] = []
        query = {"prefix": prefix, "limit": None if after else limit}
        while limit is None or len(found) < limit:
            call = _Call("GET", "/v1/banks", query=_to_query(query), reads=True)
            page, cursor = await self.line.ask_page(call, list[str])
            found += [name for name in page if name > after]
            if cursor is None:
                break
            query["cursor"] = cursor
        return found[:limit]

    async def delete_bank(self, name: str) -> None:
        await self.line.ask(_Call("DELETE", _path(check_name(name)), long=True), None)

    async def backup(self, target: str | Path, *, progress: Progress | None = None) -> None:
        path = Path(target)
        if await self.line.world.do(path.exists):
            raise StoreError("exists already; name a new file for the backup", path=path)
        call = _Call("GET", "/v1/backup", reads=True, long=True)
        await self.line.fetch(call, path, progress)

    async def rebuild(
        self,
        *,
        banks: Sequence[str] | None = None,
        embedder: Embedder | None = None,
        progress: Progress | None = None,
    ) -> dict[str, int]:
        if embedder is not None:
            msg = f"embedder={embedder!r:.100}: a server has its own; choose it where it is started"
            raise InputError(msg)
        named = {} if banks is None else {"banks": list(banks)}
        made: dict[str, int] = await self._long("rebuild", named, progress, dict[str, int])
        return made

    async def calibrate(
        self,
        *,
        conversations: int = CONVERSATIONS,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Calibration:
        how = {"conversations": conversations, "dry_run": dry_run}
        found: Calibration = await self._long("calibrate", how, progress, Calibration)
        return found

    async def sleep_if_due(self, schedule: Schedule | None = None) -> list[Slept]:
        named = {"schedule": schedule}
        slept: list[Slept] = await self._long("sleep_if_due", named, None, list[Slept])
        return slept

    async def _long(
        self,
        verb: str,
        given: Mapping[str, Any],
        progress: Progress | None,
        kind: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        call = _Call("POST", f"/v1/{verb}", body=_to_json(given), long=True)
        return await self.line.follow(call, progress, kind)


# ---------------------------------------------------------------- the two clients


class RemoteBank(Bank):
    """A bank on a server, from ``Client.bank``: the verbs of ``Bank``."""

    def __init__(self, remote: _Remote) -> None:
        self.name = remote.name
        self._remote = remote

    def __repr__(self) -> str:
        return f"RemoteBank({self.name!r})"


class AsyncRemoteBank(AsyncBank):
    """A bank on a server, from ``AsyncClient.bank``: the verbs of ``AsyncBank``."""

    def __init__(self, remote: _Remote) -> None:
        self._remote = remote

    @property
    def name(self) -> str:
        """The bank's name."""
        return self._remote.name

    def __repr__(self) -> str:
        return f"AsyncRemoteBank({self.name!r})"


class Client(Memory):
    """
    A memory on a server that ``hippocampus serve`` runs: what takes a ``Memory`` takes this.

    Verbs take, return and raise what those of ``Memory`` and ``Bank`` do. What only reads is asked
    again when the connection breaks; what changes something only if the server surely has not
    begun, so nothing is done twice. Safe to use from threads; connections are kept and used again.

    Args:
        url: where the server is, such as ``http://localhost:8765``.
        key: what ``hippocampus keys create`` gave; None for a server on this machine without keys.
        timeout_s: for how long an answer is waited for, all attempts together; not for verbs that
            may take minutes, such as ``sleep``, once they have begun.
        attempts: how often a request is made at most.

    Raises:
        InputError: an argument that makes no sense. No server is asked until a verb is.
        MissingExtra: httpx is not installed.

    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        timeout_s: float = TIMEOUT_S,
        attempts: int = ATTEMPTS,
    ) -> None:
        line = _Line(url, _Blocking, key=key, timeout_s=timeout_s, attempts=attempts)
        self._remote = _RemoteStore(line)

    def bank(self, name: str) -> RemoteBank:
        """Return the bank called ``name``; it comes to be with its first episode."""
        return RemoteBank(_Remote(self._remote.line, check_name(name)))

    def close(self) -> None:
        """Let go of the connections. May be called twice."""
        _finish(self._remote.line.world.close())

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - there is none
        raise AttributeError(_inside(self, name))

    def __repr__(self) -> str:
        return f"Client({self._remote.line.url!r})"


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
        line = _Line(url, _Waiting, key=key, timeout_s=timeout_s, attempts=attempts)
        self._remote = _RemoteStore(line)

    @property
    def sync(self) -> Memory:
        """There is none: it is on the server."""
        raise AttributeError(_inside(self, "sync"))

    def bank(self, name: str) -> AsyncRemoteBank:
        """Return the bank called ``name``."""
        return AsyncRemoteBank(_Remote(self._remote.line, check_name(name)))

    async def close(self) -> None:
        """Let go of the connections. May be called twice."""
        await self._remote.line.world.close()

    async def __aenter__(self) -> Self:
        return self

    def __repr__(self) -> str:
        return f"AsyncClient({self._remote.line.url!r})"


def _inside(client: object, name: str) -> str:
    return (
        f"{type(client).__name__} has no {name!r}: a client has the verbs, the rest is the server's"
    )


def _description(name: str, verb: Callable[..., Any]) -> Callable[..., Coroutine[Any, Any, Any]]:
    """Return the coroutine function that asks a verb, of a ``_Remote`` or a ``_RemoteStore``."""
    own = getattr(_Remote if verb.__qualname__.startswith("Bank.") else _RemoteStore, name, None)
    if own is not None:
        described: Callable[..., Coroutine[Any, Any, Any]] = own
        return described

    def ask(remote: _Remote, *args: Any, **kwargs: Any) -> Coroutine[Any, Any, Any]:  # noqa: ANN401
        return remote.ask(name, verb, *args, **kwargs)

    return ask


def _ask(owner: type[Any], awaited: type[Any], of: type[Any], names: Iterable[str]) -> None:
    """Give two classes the verbs of a third, the second to be awaited."""
    for name in names:
        member = getattr(of, name)
        verb: Callable[..., Any] = getattr(member, "fget", member)
        described = _description(name, verb)

        def blocking(self: Any, /, *args: Any, _asked: Any = described, **kwargs: Any) -> Any:  # noqa: ANN401
            return _finish(_asked(self._remote, *args, **kwargs))

        async def waiting(self: Any, /, *args: Any, _asked: Any = described, **kwargs: Any) -> Any:  # noqa: ANN401
            return await _asked(self._remote, *args, **kwargs)

        twins = wraps(verb)(blocking), wraps(verb)(waiting)
        if isinstance(member, property):
            twins = property(twins[0]), property(twins[1])  # type: ignore[assignment]
        setattr(owner, name, twins[0])
        setattr(awaited, name, twins[1])


_FILES: Final = ("export", "import_", "export_concepts", "import_concepts", "plot_topics")
_OF_A_STORE: Final = ("banks", "delete_bank", "backup", "rebuild", "calibrate", "sleep_if_due")

_ask(RemoteBank, AsyncRemoteBank, Bank, (*VERBS, *_FILES))
_ask(Client, AsyncClient, Memory, _OF_A_STORE)
