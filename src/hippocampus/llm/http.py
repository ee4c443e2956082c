"""JSON by POST to one server: how long to wait, how often to try, how many at once."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.client import HTTPException, HTTPMessage, HTTPResponse, IncompleteRead
from typing import Annotated, Any, Final, TypeAlias
from urllib.parse import unquote

from msgspec import Meta

from hippocampus.core.connections import ConnectionPool, basic_auth
from hippocampus.core.constraints import check
from hippocampus.core.http import Attempts, check_key, check_url, retry_after_s, told
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.errors import ModelAnswer, ModelRefused, ModelTimeout, ModelUnavailable
from hippocampus.llm.cassette import Cassette, Exchange

_Seconds: TypeAlias = Annotated[float, Meta(ge=1e-3, le=86_400.0)]
Hear: TypeAlias = Callable[[bytes], object]
"""Called with each line of a stream of events."""
OPENAI: Final = "https://api.openai.com/v1"
EVENTS: Final = "text/event-stream"
PASSING: Final = frozenset({408, 409, 425, 429})
"""Statuses below 500 after which it is worth asking again."""
_SHORTEST_SECRET: Final = 8
"""Characters of a key that is one; servers that want none are given words such as "ollama"."""
_SHOWN: Final = 200
"""Characters of a server's message that an error repeats. Chosen by hand."""


@immutable(kw_only=False)
class RequestLimits:
    """Limits of one call: time, attempts, calls at once, size of the answer."""

    timeout_s: _Seconds
    """From when its turn has come to the last byte of the last attempt, pauses included."""
    connect_timeout_s: _Seconds
    """Of that, how long reaching the server may take each time."""
    retries: Annotated[int, Meta(ge=0, le=100)]
    """Further attempts, after a broken line, 429 or 5xx."""
    concurrency: Annotated[int, Meta(ge=1, le=1000)]
    """Calls under way together; more wait for their turn."""
    nbytes: int
    """Longest answer that is read."""

    def __post_init__(self) -> None:
        check(self)


class Server:
    """
    A server that takes JSON by POST, and the key for it. Many threads may use it at once.

    Redirects are not followed: the key is for the server that was named. With ``user``, the address
    may have a user and password, which are sent where there is no key.
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
        parts = check_url(url, query=True, user=user)
        self._parts = parts._replace(netloc=parts.netloc.rpartition("@")[2])
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key:
            self._headers["Authorization"] = f"Bearer {check_key(key)}"
        else:
            self._headers |= basic_auth(parts)
        # A short word would be blotted out of ordinary text wherever it comes up.
        secrets = (key or "", unquote(parts.password or ""))
        self._hide = tuple(secret for secret in secrets if len(secret) >= _SHORTEST_SECRET)
        self._limits = limits
        self._cassette = cassette
        self._pause = pause
        self._turns = threading.BoundedSemaphore(limits.concurrency)
        self._connections = ConnectionPool(self._parts)

    @property
    def url(self) -> str:
        """The server's address, without its query, which may be a secret."""
        return self._parts._replace(query="").geturl()

    def close(self) -> None:
        """Close the connections that nobody uses. May be called twice, and another call be made."""
        self._connections.close()

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
        where = self._parts.path.rstrip("/") + path if path else self._parts.path
        where = where or "/"
        target = f"{where}?{self._parts.query}" if self._parts.query else where

        def ask(hear: Hear | None = None) -> Exchange:
            # Inside the turn, so that waiting for it does not use up the call's time.
            with self._turns:
                return self._try(target, json.dumps(asked).encode(), hear)

        if self._cassette is None:
            got = ask(hear)
        else:
            # Around all attempts: what failed in passing is not recorded, and a replay never waits.
            got = self._cassette.play(where, asked, ask, hide=self._hide)
        if not 200 <= got.status < 300:
            msg = f"{self.url} answered {got.status}: {self.shown(got.body)}"
            raise ModelRefused(msg, status=got.status)
        if hear is not None and got.content_type == EVENTS:
            # From a cassette, or through one, nothing was heard as it came.
            for line in got.body.splitlines() if self._cassette is not None else ():
                hear(line)
            return None
        try:
            return json.loads(got.body)
        except (ValueError, RecursionError) as exc:
            kind = self._clean(got.content_type) if got.content_type else "no"
            what = f"{kind} content type: {self.shown(got.body)}"
            msg = f"{self.url} answered what is not JSON, of {what}"
            raise ModelAnswer(msg) from exc

    def shown(self, body: bytes) -> str:
        """Return the beginning of a server's message, in one line, without the key."""
        said = body.decode("utf-8", "replace")
        with suppress(ValueError, TypeError, LookupError, RecursionError):
            said = str(json.loads(said)["error"]["message"])
        return self._clean(said)

    def _clean(self, said: str) -> str:
        for secret in self._hide:
            said = said.replace(secret, "[key]")
        # A server's message ends up in terminals and logs, where control characters act.
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
                said = f"{got.status}: {self.shown(got.body)}"
                wanted_s = retry_after_s(headers)
            except (OSError, HTTPException) as exc:
                said, why = self._clean(told(exc)), exc
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
        connect_s = self._limits.connect_timeout_s
        while True:
            connection = self._connections.take(deadline, connect_timeout_s=connect_s)
            try:
                response = connection.ask("POST", where, raw, self._headers, deadline)
                kind = response.headers.get_content_type()
                if hear is not None and kind == EVENTS and 200 <= response.status < 300:
                    body = self._hear(response, hear)
                else:
                    # One byte more than is allowed, to tell a long answer from one that just fits.
                    body = response.read(self._limits.nbytes + 1)
                break
            except ConnectionError:
                if not connection.kept:
                    raise  # a kept one was closed while nobody used it: that is no failure
            finally:
                connection.release()
        if len(body) > self._limits.nbytes:
            msg = f"{self.url} answered more than {self._limits.nbytes:,} bytes, the most we read"
            raise ModelAnswer(msg)
        # ``http.client`` returns what came before a line broke without an error.
        if response.length:
            raise IncompleteRead(body, response.length)
        for secret in self._hide:
            # A server may repeat the key, and what it answers is shown and recorded.
            body = body.replace(secret.encode(), b"[key]")
        if "Content-Type" not in response.headers:
            kind = ""
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
            msg = f"{self.url} broke off in the middle of its answer: {self._clean(told(exc))}"
            raise ModelAnswer(msg) from None  # no OSError, after which it would be asked again
        return b"".join(heard)
