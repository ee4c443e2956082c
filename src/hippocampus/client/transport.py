"""The HTTP transport of the client: requests, attempts, deadlines, and errors."""

from __future__ import annotations

import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from email.message import Message
from functools import partial
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from math import inf
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar
from urllib.parse import quote, urlencode
from uuid import uuid4

import msgspec

from hippocampus import wire
from hippocampus.core.connections import Connection, ConnectionPool, seconds_until
from hippocampus.core.constraints import check_whole
from hippocampus.core.files import reading, writing
from hippocampus.core.http import Attempts, check_key, check_url, told
from hippocampus.core.records import Progress
from hippocampus.core.telemetry import OPERATIONS, is_set_up, operation, trace_headers
from hippocampus.core.threads import Cancellation, cancellation
from hippocampus.engine.position import NOWHERE, Position
from hippocampus.errors import (
    ErasurePending,
    HippocampusError,
    InputError,
    Overloaded,
    ServerError,
    ServerMismatch,
    ServerTimeout,
    ServerUnavailable,
    SourceError,
    StoreBehind,
    StoreClosed,
    StoreError,
    StoreLocked,
    StoreUnreachable,
)

T = TypeVar("T")
Chunks: TypeAlias = Iterator[bytes]
"""The body of an answer, as it comes."""
Take: TypeAlias = Callable[[Chunks, Message], T]
"""Turns the body and the headers of an answer into a result."""

CONNECTIONS: Final = 100
"""Requests under way at once; others wait for one of them to end."""
_MOST_BYTES: Final = 1 << 30
"""Bytes of an answer that are read, as many as a server takes of an import by default
(``Limits.import_bytes``): whatever answers there may be no server of ours. Chosen by hand."""
_FIRST_PAUSE_S: Final = 0.2
"""Before the second attempt; a server of ours is near, and a caller waits."""
_BEHIND: Final = frozenset({502, 503, 504})
"""Statuses that a gateway answers when the server behind it is not there."""
_MOST_SEEN: Final = 10_000
"""Banks of which it is known how much was seen."""
LINES: Final = "application/x-ndjson"
_UNEMBEDDED: Final = frozenset({"embedder", "vectors"})
"""Parts that an answer lacks where texts were kept without vectors."""


class Call(NamedTuple):
    """A request, and the treatment that it allows."""

    method: str
    path: str
    query: Sequence[tuple[str, str]] = ()
    body: bytes | Path | None = None
    accept: str = "application/json"
    reads: bool = False
    """Whether it changes nothing, and so may be made again."""
    once: bool = False
    """Whether the server does it once however often it arrives, so that it may be made again."""
    bank: str = ""
    """The bank that the call is to, if it is to one."""
    long: bool = False
    """Whether it may take minutes before anything of the answer comes."""


class ListPage(NamedTuple):
    """A page of a list, the cursor of the next, and what the list lacks, if there is any."""

    entries: list[Any]
    cursor: str | None
    lacking: str | None


class Line:
    """A server: its address and key, and the time and attempts that a request has."""

    def __init__(self, url: str, *, key: str | None, timeout_s: float, attempts: int) -> None:
        parts = check_url(url, example="http://localhost:8765")
        self.url = parts.geturl().rstrip("/")
        if not (isinstance(timeout_s, int | float) and timeout_s > 0):
            raise InputError(f"timeout_s={timeout_s!r}: must be above 0 seconds")
        check_whole(attempts=attempts, least=1)
        self._timeout_s = float(timeout_s)
        self._attempts = attempts
        self._headers = {} if key is None else {"Authorization": f"Bearer {check_key(key)}"}
        usual = 443 if parts.scheme == "https" else 80
        self._server = parts.hostname or "", parts.port or usual
        self._base = parts.path.rstrip("/")
        self._connections = ConnectionPool(parts)
        self._free = threading.BoundedSemaphore(CONNECTIONS)
        self._closed = False
        self._warned = False
        self._seeing = threading.Lock()
        self._seen: OrderedDict[str, Position] = OrderedDict()
        """By bank: how much of it was seen, as the server said; those used last."""

    def close(self) -> None:
        """Close the connections; later requests raise ``StoreClosed``."""
        self._closed = True
        self._connections.close()

    def recorded(self, verb: str) -> AbstractContextManager[object]:
        """Return the recorder of a verb that is asked of the server, where that is set up."""
        if verb not in OPERATIONS or not is_set_up():
            return nullcontext()
        return operation(OPERATIONS[verb], server=self._server)

    def check_open(self) -> None:
        """Raise ``StoreClosed`` once it was closed."""
        if self._closed:
            raise StoreClosed("the client was closed; make another", path=self.url)

    def seen(self, bank: str) -> Position:
        """Return the position up to which a bank was seen."""
        return self._seen.get(bank, NOWHERE)

    def see(self, bank: str, seq: Position) -> None:
        """Note the position up to which a bank was seen."""
        with self._seeing:
            # Answers may come in another order than they were made in.
            self._seen[bank] = max(self.seen(bank), seq)
            self._seen.move_to_end(bank)
            while len(self._seen) > _MOST_SEEN:
                self._seen.popitem(last=False)

    def forget(self, bank: str) -> None:
        """Forget the position up to which a bank was seen."""
        with self._seeing:
            self._seen.pop(bank, None)

    def ask(self, call: Call, kind: Any) -> Any:  # noqa: ANN401 - whatever the verb gives
        """Return a server's answer, decoded as ``kind``."""
        body, lacking = self._talk(
            call, lambda chunks, headers: (self._whole(chunks), headers["Degraded"])
        )
        self.warn(lacking)
        return self._read(kind, body)

    def ask_page(self, call: Call, kind: Any) -> ListPage:  # noqa: ANN401
        """Return one page of a list."""
        body, cursor, lacking = self._talk(
            call,
            lambda chunks, headers: (
                self._whole(chunks), headers["Next-Cursor"], headers["Degraded"],
            ),
        )  # fmt: skip
        return ListPage(self._read(kind, body), cursor, lacking)

    def warn(self, lacking: str | None) -> None:
        """Warn of parts that an answer lacks: once of vectors, and each time of anything else."""
        if not lacking:
            return
        part, _, reason = lacking.partition(": ")
        if part == "store":
            msg = f"{self.url} went on without what is damaged: {reason}"
        elif part not in _UNEMBEDDED:
            msg = f"what {self.url} answers is not all of it: {lacking}"
        elif self._warned:
            return
        else:
            self._warned = True
            msg = f"what {self.url} keeps has no vectors, and is found by words alone: {lacking}"
        warnings.warn(msg, RuntimeWarning, stacklevel=4)

    def follow(self, call: Call, progress: Progress | None, kind: Any) -> Any:  # noqa: ANN401
        """Return the result of a verb that takes long, and report its progress."""
        if progress is None:
            return self.ask(call, kind)
        lines = call._replace(accept=LINES)
        return self._talk(
            lines, lambda chunks, _: self.read_progress(chunks, progress, kind, bank=call.bank)
        )

    def read_progress(
        self,
        chunks: Chunks,
        progress: Progress,
        kind: Any,  # noqa: ANN401 - whatever the verb gives
        *,
        bank: str = "",
    ) -> Any:  # noqa: ANN401
        """Report the progress in an answer of lines as it comes; return the result, its last."""
        last = None
        for line in self._lines(chunks):
            last = self._heard(line, progress)
        if last is None:
            msg = "it broke off before it said what came of it, which so is not known"
            raise ServerUnavailable(msg, url=self.url)
        if bank and "seq" in last:
            self.see(bank, Position.of(self._read(str, bytes(last["seq"]))))
        if "degraded" in last:
            self.warn(self._read(str, bytes(last["degraded"])))
        return self._read(kind, bytes(last["result"]))

    def _heard(self, line: bytes, progress: Progress) -> Mapping[str, msgspec.Raw] | None:
        """Report the progress in a line, or return what it has if that is the result."""
        fault = wire.load_fault(line)
        if fault is not None:
            raise self._error(fault)
        told = self._read(dict[str, msgspec.Raw], line)
        if "progress" in told:
            at = self._read(dict[str, int], bytes(told["progress"]))
            progress(at.get("done", 0), at.get("total", 0))
            return None
        return told if "result" in told else None

    def fetch(
        self,
        call: Call,
        path: Path,
        progress: Progress | None = None,
        *,
        overwrite: bool,
        check: Callable[[Path], T],
    ) -> T:
        """
        Write a body to a file, which has its name only once it is whole.

        Returns what ``check`` says of it, which raises if it is not.
        """

        def save(unfinished: Path, chunks: Chunks, headers: Message) -> None:
            total, done = int(headers.get("Content-Length", 0)), 0
            with unfinished.open("wb") as file:
                for chunk in chunks:
                    file.write(chunk)
                    done += len(chunk)
                    if progress:
                        progress(done, total)

        with writing(path, overwrite=overwrite) as unfinished:
            self._talk(call, partial(save, unfinished))
            return check(unfinished)

    # ------------------------------------------------------------ one request

    def _talk(self, call: Call, take: Take[T]) -> T:
        """
        Return the answer as ``take`` reads it, after as many attempts as needed and allowed.

        What only reads, or is done once by its key, is asked again whatever went wrong on the way;
        what else changes something only if it surely was not begun.
        """
        self.check_open()
        attempts = Attempts(self._attempts, self._timeout_s, first_pause_s=_FIRST_PAUSE_S)
        waited = cancellation()
        headers = self._headers | trace_headers()
        # One for all attempts: by it servers know that they are the same request.
        headers |= {"Idempotency-Key": uuid4().hex} if call.once else {}
        again = call.reads or call.once
        while True:
            wanted_s = 0.0
            try:
                return self._once(call, headers, take, attempts.deadline, waited)
            except Overloaded as exc:
                error: HippocampusError = exc
                wanted_s = exc.retry_after_s  # refused before it was begun, whatever it is
            except ServerError as exc:
                # A server of another version is the same at the next attempt.
                if exc.begun and (not again or isinstance(exc, ServerMismatch)):
                    raise
                error = exc
            except (StoreLocked, StoreUnreachable, StoreBehind) as exc:
                # An erasure that is pending has been done but for bytes, which the store sees to.
                if not again or isinstance(exc, ErasurePending):
                    raise
                error = exc
            if waited.cancelled or not attempts.again(wanted_s):
                if isinstance(error, StoreBehind):
                    self.forget(call.bank)  # what was seen may be lost; that was said now
                raise error
            waited.pause(attempts.pause_s)

    def _once(
        self,
        call: Call,
        headers: Mapping[str, str],
        take: Take[T],
        deadline: float,
        waited: Cancellation,
    ) -> T:
        headers = {"Accept": call.accept, **headers}
        seen = self.seen(call.bank) if call.reads else NOWHERE
        if seen > NOWHERE:
            headers["Min-Seq"] = seen.token
        if call.body is not None:
            kind = "application/octet-stream" if isinstance(call.body, Path) else "application/json"
            headers["Content-Type"] = kind
        query = f"?{urlencode(call.query, quote_via=quote)}" if call.query else ""
        target = self._base + call.path + query
        opened = reading(call.body) if isinstance(call.body, Path) else nullcontext(call.body)
        with self._connected(deadline, waited) as connection:
            with opened as body, self._broken(call):
                # What takes long has no deadline, but sending its body may not stand still.
                until, stall_s = (inf, self._timeout_s) if call.long else (deadline, inf)
                response = connection.ask(
                    call.method, target, body, headers, until, stall_s=stall_s
                )
            chunks = self._chunks(call, connection)
            if response.status == HTTPStatus.OK:
                if call.bank and response.headers["Seq"]:
                    self.see(call.bank, Position.of(response.headers["Seq"]))
                return take(chunks, response.headers)
            raise self._refusal(call, response, self._whole(chunks))

    @contextmanager
    def _connected(self, deadline: float, waited: Cancellation) -> Iterator[Connection]:
        """Give a connection for one request, once one of as many as there may be is free."""
        if not self._free.acquire(timeout=seconds_until(deadline)):
            msg = f"all {CONNECTIONS} connections were in use for timeout_s={self._timeout_s:g}"
            raise ServerTimeout(msg, url=self.url, begun=False)
        try:
            if waited.cancelled:
                raise ServerUnavailable("nobody waits for the answer", url=self.url, begun=False)
            try:
                connection = self._connections.take(deadline)
            except OSError as exc:
                msg = f"nobody answers there ({told(exc)}); is 'hippocampus serve' running?"
                raise ServerUnavailable(msg, url=self.url, begun=False) from exc
            try:
                with waited.watching(connection):
                    yield connection
            finally:
                connection.release()
        finally:
            self._free.release()
            if self._closed:
                self._connections.close()  # or the one just given back would stay open

    def _chunks(self, call: Call, connection: Connection) -> Chunks:
        """Yield the body of an answer as it comes."""
        while True:
            with self._broken(call):
                chunk = connection.read()
            if not chunk:
                return
            yield chunk

    def _whole(self, chunks: Chunks, _: Message | None = None) -> bytes:
        """Return all that is sent, if it is not without end."""
        read, size = list[bytes](), 0
        for chunk in chunks:
            read.append(chunk)
            size = self._checked(size + len(chunk))
        return b"".join(read)

    def _lines(self, chunks: Chunks) -> Chunks:
        """Yield each line that has an end, without it."""
        begun, size = list[bytes](), 0
        for chunk in chunks:
            *ends, rest = chunk.split(b"\n")
            for end in ends:
                yield b"".join([*begun, end])
                begun, size = [], 0
            begun.append(rest)
            size = self._checked(size + len(rest))

    def _checked(self, size: int) -> int:
        if size > _MOST_BYTES:
            msg = f"answers more than {_MOST_BYTES:,} bytes, the most that is read"
            raise ServerMismatch(msg, url=self.url)
        return size

    # ------------------------------------------------------------ what goes wrong

    @contextmanager
    def _broken(self, call: Call) -> Iterator[None]:
        """Raise the error of ours for a connection that broke or was too slow."""
        done = "" if call.reads else "; whether it was done is not known"
        try:
            yield
        except TimeoutError as exc:
            msg = f"no whole answer within timeout_s={self._timeout_s:g}{done}"
            raise ServerTimeout(msg, url=self.url) from exc
        except (OSError, HTTPException) as exc:
            msg = f"the connection broke off ({told(exc)}){done}"
            raise ServerUnavailable(msg, url=self.url) from exc

    def _refusal(self, call: Call, response: HTTPResponse, body: bytes) -> HippocampusError:
        """Return the error that an answer carries."""
        status, fault = response.status, wire.load_fault(body)
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
        if isinstance(made, Overloaded):
            wait = getattr(made, "retry_after_s", None)
            made.retry_after_s = float(wait) if isinstance(wait, int | float) and wait >= 0 else 1.0
        return made

    def _read(self, kind: Any, body: bytes) -> Any:  # noqa: ANN401
        try:
            return wire.load(kind, body)
        except InputError as exc:
            msg = f"what it answers is not what this version expects: {exc}"
            raise ServerMismatch(msg, url=self.url) from exc
