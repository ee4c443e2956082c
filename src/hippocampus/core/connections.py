"""Connections to one HTTP server: kept for later requests, each with a deadline for all it does."""

from __future__ import annotations

import io
import os
import selectors
import socket
import ssl
import time
import weakref
from base64 import b64encode
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection, IncompleteRead
from math import inf
from typing import Any, BinaryIO, Final
from urllib.parse import SplitResult, unquote

from hippocampus.core.http import check_url
from hippocampus.errors import InputError

_KEPT_S: Final = 60.0
"""Seconds for which a connection at rest is used again: what lies between may forget it unsaid. A
server of ours keeps it for longer (``server/run.py``), so that none is used while it is closed."""
_CHUNK: Final = 1 << 18
"""Bytes of a body that are read or written at once, at most: after each the time that is left is
looked at. Chosen by hand."""


_LONGEST_S: Final = 1e8
"""Three years: what the system can be told to wait for at most."""


def seconds_until(deadline: float) -> float:
    """Return the seconds to wait until a moment of ``time.monotonic()``, none below 0."""
    return min(max(0.0, deadline - time.monotonic()), _LONGEST_S)


class ConnectionPool:
    """
    The connections to a server, of which those that nobody uses are kept open.

    Redirects are not followed. Proxies are those of the environment, as for any other program.
    Certificates are those that the system trusts. Many threads may use it at once. A process that
    was forked makes its own: of one that two use, each would read answers to the other.
    """

    def __init__(self, url: SplitResult) -> None:
        self._url = url
        self._via = _proxy(url)
        self._tls = ssl.create_default_context() if url.scheme == "https" else None
        self._idle: list[Connection] = []
        self._pid = os.getpid()
        # Given the list and not the pool, which it would keep alive.
        weakref.finalize(self, _close_all, self._idle)

    def close(self) -> None:
        """Close the connections that nobody uses. May be called twice, and others be made after."""
        _close_all(self._idle)

    def take(self, deadline: float, *, connect_timeout_s: float = inf) -> Connection:
        """
        Return a connection that is kept, or else a new one.

        Raises:
            OSError: there is no server, or none in time; nothing was asked.

        """
        if self._pid != os.getpid():
            self.close()  # here alone: the parent goes on using them
            self._pid = os.getpid()
        with suppress(IndexError):  # another thread may take the last
            # Those after a burst would else stay as long as one of them is enough.
            while self._idle[0].has_rested():
                self._idle.pop(0).close()
            # The one used last comes first, since it is the likeliest to be open still.
            while kept := self._idle.pop():
                if kept.is_open():
                    return kept
                kept.close()
        # Not 0, for which a socket would not wait at all.
        within_s = max(min(connect_timeout_s, seconds_until(deadline)), 1e-3)
        return self._connect(within_s)

    def _connect(self, within_s: float) -> Connection:
        to = self._url if self._via is None else self._via
        given: dict[str, Any] = {"timeout": within_s, "blocksize": _CHUNK}
        http = (
            HTTPConnection(to.hostname or "", to.port, **given)
            if self._tls is None
            else HTTPSConnection(to.hostname or "", to.port, context=self._tls, **given)
        )
        root, headers = "", dict[str, str]()
        if self._via is not None:
            headers = basic_auth(self._via, "Proxy-Authorization")
            root = f"http://{self._url.netloc.rpartition('@')[2]}"
        # With TLS a proxy is only a tunnel; without, it has to be told the whole address.
        if self._via is not None and self._tls is not None:
            http.set_tunnel(self._url.hostname or "", self._url.port, headers=headers)
            root, headers = "", {}
        try:
            http.connect()
        except BaseException as exc:
            http.close()
            # Nothing was asked yet, while after a timeout nobody knows whether it was done.
            if isinstance(exc, TimeoutError):
                raise ConnectionError(f"no connection within {within_s:g} s") from exc
            raise
        return Connection(http, self._idle, root, headers)


class Connection:
    """
    A connection to a server, for one request at a time.

    ``kept``: it has answered before, so the server may have closed it meanwhile.
    """

    kept = False

    def __init__(
        self, http: HTTPConnection, idle: list[Connection], root: str, headers: Mapping[str, str]
    ) -> None:
        self._http = http
        self._idle = idle
        self._root = root
        self._headers = headers
        self._socket: socket.socket = http.sock
        self._timed = _TimedSocket(http.sock)
        self._response: HTTPResponse | None = None
        self._used = 0.0
        # In its place from here on, so that each read and write is given what is left of the time.
        http.sock = self._timed

    def has_rested(self) -> bool:
        """Return whether it rested for longer than it is kept."""
        return time.monotonic() - self._used > _KEPT_S

    def is_open(self) -> bool:
        """Return whether it rested only briefly, and the server sent nothing, such as a close."""
        if self.has_rested():
            return False
        with selectors.DefaultSelector() as ready:
            ready.register(self._socket, selectors.EVENT_READ)
            return not ready.select(0)

    def ask(
        self,
        method: str,
        target: str,
        body: bytes | BinaryIO | None,
        headers: Mapping[str, str],
        deadline: float,
        *,
        stall_s: float = inf,
    ) -> HTTPResponse:
        """
        Send a request; return its answer, whose body is to be read until the same deadline.

        ``stall_s``: seconds within which the server must take each block of what is sent.

        Raises:
            TimeoutError: the deadline has passed, or the server takes nothing.
            OSError: the connection broke.
            HTTPException: the answer is not HTTP.

        """
        self._timed.deadline, self._timed.stall_s = deadline, stall_s
        with suppress(BrokenPipeError, ConnectionResetError):  # it may answer before it read all
            self._http.request(method, self._root + target, body, {**self._headers, **headers})
        self._response = self._http.getresponse()
        return self._response

    def read(self) -> bytes:
        """Return bytes of the body as they came; nothing at its end."""
        assert self._response is not None, "ask() comes first"
        chunk = self._response.read1(_CHUNK)
        if not chunk and self._response.length:
            raise IncompleteRead(b"", self._response.length)
        return chunk

    def release(self) -> None:
        """Keep the connection for the next request if all of the answer was read, or close it."""
        response, self._response = self._response, None
        # A rest that nobody read would be taken for the beginning of the next answer.
        whole = response is not None and (response.isclosed() or response.length == 0)
        if response is not None:
            whole = whole and not response.length
            response.close()
        if whole and self._http.sock is not None:
            self.kept, self._used = True, time.monotonic()
            self._idle.append(self)
        else:
            self.close()

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    def abort(self) -> None:
        """Abort: calls that other threads wait for fail at once."""
        with suppress(OSError):  # it was closed already
            # Below TLS: a TLS socket's own would let a thread that sends go on in plain text.
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


class _TimedSocket:
    """A socket that everything must have come through by a deadline, however slowly it drips."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self.deadline = 0.0
        self.stall_s = inf

    def arm(self, most_s: float = inf) -> None:
        left_s = self.deadline - time.monotonic()
        if left_s <= 0:
            raise TimeoutError("the time is up")
        within_s = min(left_s, most_s)
        self._sock.settimeout(None if within_s > _LONGEST_S else within_s)

    def sendall(self, data: bytes) -> None:
        self.arm(self.stall_s)
        self._sock.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        assert mode == "rb", mode
        # Unbuffered below ours: each wait for the system has to go through ``arm``.
        return io.BufferedReader(_TimedReader(self, self._sock.makefile("rb", buffering=0)))

    def close(self) -> None:
        self._sock.close()


class _TimedReader(io.RawIOBase):
    """The reading side of a ``_TimedSocket``."""

    def __init__(self, timed: _TimedSocket, raw: io.RawIOBase | socket.SocketIO) -> None:
        self._timed = timed
        self._raw = raw

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:  # noqa: ANN401 - any buffer
        self._timed.arm()
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


def _proxy(to: SplitResult) -> SplitResult | None:
    """Return the proxy that the environment names for a server; None without one."""
    from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415 - slow to import

    by = None if proxy_bypass(to.netloc) else getproxies().get(to.scheme)
    if not by:
        return None
    try:
        via = check_url(by if "://" in by else f"http://{by.removeprefix('//')}", user=True)
        well = via.scheme == "http" and via.port != 0
    except InputError:
        well = False
    if not well:
        raise InputError(
            f"{to.scheme}_proxy=[not shown, it may have a password]: must be a proxy's address,"
            " such as http://host:port"
        )
    return via


def basic_auth(parts: SplitResult, header: str = "Authorization") -> dict[str, str]:
    """Return a header with the user and password of an address, if it has them."""
    if parts.username is None:
        return {}
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return {header: f"Basic {b64encode(pair.encode()).decode()}"}


def _close_all(connections: list[Connection]) -> None:
    while connections:
        connections.pop().close()
