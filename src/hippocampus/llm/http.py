"""JSON by POST to one server: how long to wait, how often to try, how many at once."""

from __future__ import annotations

import io
import json
import socket
import ssl
import threading
import time
import weakref
from base64 import b64encode
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.client import (
    HTTPConnection,
    HTTPException,
    HTTPMessage,
    HTTPResponse,
    HTTPSConnection,
    IncompleteRead,
)
from typing import Any, Final, NamedTuple, TypeAlias
from urllib.parse import SplitResult, unquote, urlsplit

from hippocampus.core.http import Attempts, check_key, check_url, retry_after_s
from hippocampus.errors import InputError, ModelAnswer, ModelRefused, ModelTimeout, ModelUnavailable
from hippocampus.llm.cassette import Cassette, Exchange

Hear: TypeAlias = Callable[[bytes], object]
"""Is told each line of a stream of events."""
OPENAI: Final = "https://api.openai.com/v1"
EVENTS: Final = "text/event-stream"
PASSING: Final = frozenset({408, 409, 425, 429})
"""Statuses below 500 after which it is worth asking again."""
_SHORTEST_SECRET: Final = 8
"""Characters of a key that is one; servers that want none are given words such as "ollama"."""
_SHOWN: Final = 200
"""Characters of what a server said that a message repeats."""


class RequestLimits(NamedTuple):
    """What one call may take."""

    timeout_s: float
    """From when its turn has come to the last byte of the last attempt, pauses included."""
    connect_timeout_s: float
    """Of that, how long reaching the server may take each time."""
    retries: int
    """Further attempts, after a broken line, 429 or 5xx."""
    at_once: int
    """Calls under way together; more wait for their turn."""
    nbytes: int
    """Longest answer that is read."""

    def check(self) -> None:
        """Refuse what cannot be meant."""
        rules = {
            "timeout_s": (0 < self.timeout_s <= 86_400, "above 0, up to 86400"),
            "connect_timeout_s": (0 < self.connect_timeout_s <= 86_400, "above 0, up to 86400"),
            "retries": (0 <= self.retries <= 100, "from 0 to 100"),
            "concurrency": (1 <= self.at_once <= 1000, "from 1 to 1000"),
        }
        given = dict(zip(rules, self, strict=False))
        for name, (well, rule) in rules.items():
            if not well:  # NaN is not either
                msg = f"{name}={given[name]!r}: must be {rule}"
                raise InputError(msg)


class Server:
    """
    Where JSON is sent, and with which key. Many threads may use it at once.

    Redirects are not followed: the key is for the server that was named. Proxies are those of the
    environment, as for any other program. With ``user``, the address may have a user and password,
    which are sent where there is no key.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None,
        limits: RequestLimits,
        cassette: Cassette | None = None,
        pause: Callable[[float], object] = time.sleep,
        user: bool = False,
    ) -> None:
        limits.check()
        parts = check_url(url, query=True, user=user)
        self._parts = parts._replace(netloc=parts.netloc.rpartition("@")[2])
        self._via = _proxy(self._parts)
        self._tls = ssl.create_default_context() if self._parts.scheme == "https" else None
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key:
            self._headers["Authorization"] = f"Bearer {check_key(key)}"
        else:
            self._headers |= _basic("Authorization", parts)
        secrets = (key or "", unquote(parts.password or ""))
        self._hide = tuple(secret for secret in secrets if len(secret) >= _SHORTEST_SECRET)
        if self._via is not None and self._tls is None:
            self._headers |= _basic("Proxy-Authorization", self._via)
        self._limits = limits
        self._cassette = cassette
        self._pause = pause
        self._turns = threading.BoundedSemaphore(limits.at_once)
        self._idle: list[HTTPConnection] = []
        weakref.finalize(self, _close_all, self._idle)

    @property
    def url(self) -> str:
        """Where the server is; without what follows a question mark, which may be a secret."""
        return self._parts._replace(query="").geturl()

    def close(self) -> None:
        """Close the connections that nobody uses. May be called twice, and another call be made."""
        _close_all(self._idle)

    def post(self, path: str, asked: Mapping[str, Any], hear: Hear | None = None) -> Any:  # noqa: ANN401 - any JSON
        """
        Send JSON to a path below the server's address, and return the JSON it answers.

        With ``hear``, an answer that is a stream of events is heard line by line, as it comes, and
        None is returned. Once a line was heard nothing is asked again.

        Raises:
            ModelUnavailable: no connection, or 429 or 5xx, after all attempts.
            ModelTimeout: not within the time.
            ModelRefused: any other status; it is not tried again.
            ModelAnswer: the answer is longer than what is read, or no JSON.
            NotRecorded: the cassette replays and does not have it.

        """
        where = self._parts.path.rstrip("/") + path

        def ask(hear: Hear | None = None) -> Exchange:
            with self._turns:
                return self._try(where, json.dumps(asked).encode(), hear)

        if self._cassette is None:
            got = ask(hear)
        else:
            got = self._cassette.play(where, asked, ask, hide=self._hide)
        if not 200 <= got.status < 300:
            msg = f"{self.url} answered {got.status}: {self._shown(got.body)}"
            raise ModelRefused(msg, status=got.status)
        if hear is not None and got.content_type == EVENTS:
            for line in got.body.splitlines() if self._cassette is not None else ():
                hear(line)
            return None
        try:
            return json.loads(got.body)
        except (ValueError, RecursionError) as exc:
            kind = self._clean(got.content_type) if got.content_type else "no"
            what = f"{kind} content type: {self._shown(got.body)}"
            msg = f"{self.url} answered what is not JSON, of {what}"
            raise ModelAnswer(msg) from exc

    def _shown(self, body: bytes) -> str:
        """Return the beginning of what a server said, in one line, without the key."""
        said = body.decode("utf-8", "replace")
        with suppress(ValueError, TypeError, LookupError, RecursionError):
            said = str(json.loads(said)["error"]["message"])
        return self._clean(said)

    def _clean(self, said: str) -> str:
        for secret in self._hide:
            said = said.replace(secret, "[key]")
        said = "".join(c if c.isprintable() else " " for c in said[: 64 * _SHOWN])
        said = " ".join(said.split())
        return f"{said[:_SHOWN]}…" if len(said) > _SHOWN else said or "nothing"

    def _try(self, where: str, raw: bytes, hear: Hear | None) -> Exchange:
        attempts = Attempts(self._limits.retries + 1, self._limits.timeout_s)
        while True:
            wanted_s = 0.0
            try:
                got, headers = self._exchange(where, raw, attempts.deadline, hear)
                if got.status not in PASSING and got.status < 500:
                    return got
                why: Exception | None = None
                said = f"{got.status}: {self._shown(got.body)}"
                wanted_s = retry_after_s(headers)
            except (OSError, HTTPException) as exc:
                said, why = self._clean(_told(exc)), exc
                if any(secret in str(exc) for secret in self._hide):
                    why = None  # a chain of causes would show it
            if attempts.left_s <= 0:
                msg = f"{self.url} gave no answer within {self._limits.timeout_s:g} s ({said})"
                raise ModelTimeout(msg) from why
            if not attempts.again(wanted_s):
                tried = f"{attempts.made} attempt{'s' if attempts.made > 1 else ''}"
                late = attempts.pause_s >= attempts.left_s
                more = f"; the next would have to wait {attempts.pause_s:.1f} s" if late else ""
                msg = f"{self.url} gave no answer in {tried}{more}; the last: {said}"
                raise ModelUnavailable(msg) from why
            self._pause(attempts.pause_s)

    def _exchange(
        self, where: str, raw: bytes, deadline: float, hear: Hear | None
    ) -> tuple[Exchange, HTTPMessage]:
        try:
            idle = self._idle.pop()
        except IndexError:
            idle = None
        if idle is not None:
            with suppress(ConnectionError):  # it was closed while nobody used it
                return self._exchange_by(idle, where, raw, deadline, hear)
        return self._exchange_by(self._connect(deadline), where, raw, deadline, hear)

    def _exchange_by(
        self, line: HTTPConnection, where: str, raw: bytes, deadline: float, hear: Hear | None
    ) -> tuple[Exchange, HTTPMessage]:
        try:
            sock: Any = line.sock  # a _Line, as _connect has left it
            sock.until(deadline)
            target = f"{where}?{self._parts.query}" if self._parts.query else where
            if self._via is not None and self._tls is None:
                target = f"http://{self._parts.netloc}{target}"
            line.request("POST", target, raw, self._headers)
            response = line.getresponse()
            kind = response.headers.get_content_type()
            if hear is not None and kind == EVENTS and 200 <= response.status < 300:
                body = self._hear(response, hear)
            else:
                body = response.read(self._limits.nbytes + 1)
        except BaseException:
            line.close()
            raise
        if response.isclosed() and not response.length and line.sock is not None:
            self._idle.append(line)
        else:  # there is more to come, or less than announced, or it ends where the line does
            response.close()
            line.close()
        if len(body) > self._limits.nbytes:
            msg = f"{self.url} answered more than {self._limits.nbytes:,} bytes, the most we read"
            raise ModelAnswer(msg)
        if response.length:
            raise IncompleteRead(body, response.length)
        for secret in self._hide:
            body = body.replace(secret.encode(), b"[key]")
        kind = response.headers.get_content_type() if "Content-Type" in response.headers else ""
        return Exchange(response.status, kind, body), response.headers

    def _hear(self, response: HTTPResponse, hear: Hear) -> bytes:
        """Have a stream heard as it comes, and return it."""
        heard, size = list[bytes](), 0
        try:
            while line := response.readline(self._limits.nbytes + 1 - size):
                heard.append(line)
                size += len(line)
                for secret in self._hide:
                    line = line.replace(secret.encode(), b"[key]")
                hear(line)
        except (OSError, HTTPException) as exc:
            if not heard:
                raise
            msg = f"{self.url} broke off in the middle of its answer: {self._clean(_told(exc))}"
            raise ModelAnswer(msg) from None  # no OSError, after which it would be asked again
        return b"".join(heard)

    def _connect(self, deadline: float) -> HTTPConnection:
        to = self._parts if self._via is None else self._via
        host, port = to.hostname or "", to.port
        within_s = max(min(self._limits.connect_timeout_s, deadline - time.monotonic()), 1e-3)
        line = (
            HTTPConnection(host, port, timeout=within_s)
            if self._tls is None
            else HTTPSConnection(host, port, timeout=within_s, context=self._tls)
        )
        if self._tls is not None and self._via is not None:
            parts = self._parts
            line.set_tunnel(
                parts.hostname or "", parts.port, headers=_basic("Proxy-Authorization", self._via)
            )
        try:
            line.connect()
        except TimeoutError as exc:
            line.close()
            msg = f"no connection within {within_s:g} s"
            raise ConnectionError(msg) from exc
        except BaseException:
            line.close()
            raise
        line.sock = _Line(line.sock)
        return line


class _Line:
    """A socket that everything must have come through by a moment, however slowly it drips."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._deadline = 0.0

    def until(self, deadline: float) -> None:
        self._deadline = deadline

    def arm(self) -> None:
        left = self._deadline - time.monotonic()
        if left <= 0:
            msg = "the time is up"
            raise TimeoutError(msg)
        self._sock.settimeout(left)

    def sendall(self, data: bytes) -> None:
        self.arm()
        self._sock.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        assert mode == "rb", mode
        return io.BufferedReader(_Reading(self, self._sock.makefile("rb", buffering=0)))

    def close(self) -> None:
        self._sock.close()


class _Reading(io.RawIOBase):
    def __init__(self, line: _Line, raw: io.RawIOBase | socket.SocketIO) -> None:
        self._line = line
        self._raw = raw

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:  # noqa: ANN401 - any buffer
        self._line.arm()
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


def _proxy(to: SplitResult) -> SplitResult | None:
    from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415 - slow to import

    by = None if proxy_bypass(to.netloc) else getproxies().get(to.scheme)
    if not by:
        return None
    via = urlsplit(by if "//" in by else f"//{by}")
    try:
        well = via.scheme in ("", "http") and bool(via.hostname) and via.port != 0
    except ValueError:  # the port is no number
        well = False
    if not well:
        msg = (
            f"{to.scheme}_proxy=[not shown, it may have a password]: must be a proxy's address,"
            " such as http://host:port"
        )
        raise InputError(msg)
    return via


def _basic(header: str, parts: SplitResult) -> dict[str, str]:
    """Return a header with the user and password of an address, if it has them."""
    if parts.username is None:
        return {}
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return {header: f"Basic {b64encode(pair.encode()).decode()}"}


def _told(exc: Exception) -> str:
    return f"{type(exc).__name__}: {exc}".rstrip(": ")


def _close_all(lines: list[HTTPConnection]) -> None:
    while lines:
        lines.pop().close()
