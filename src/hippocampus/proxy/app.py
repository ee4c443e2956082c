"""The proxy, an ASGI application: passes requests on, and has chats remembered."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, MutableMapping
from contextlib import aclosing, suppress
from hashlib import blake2b
from typing import Any, Final, TypeAlias

import httpx

from hippocampus.core.http import check_url
from hippocampus.core.listening import names_loopback
from hippocampus.core.origin import trusted_origins
from hippocampus.core.records import Trusted
from hippocampus.errors import InputError
from hippocampus.memory import Memory
from hippocampus.proxy.memory import ChatExchange, ProxyRecall, Remembrance, Wish
from hippocampus.proxy.protocol import PATHS, ChatRequest, RequestKind

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Headers: TypeAlias = list[tuple[bytes, bytes]]

log = logging.getLogger("hippocampus.proxy")

# What X-Memory of a request may say.
_ON: Final = frozenset({"", "on", "true", "yes", "1"})
_OFF: Final = frozenset({"off", "none", "false", "no", "0"})
_READ: Final = "read"

BUDGET_TOKENS: Final = 1500
"""Of memories in a prompt: some thirty turns, little beside what models take today. It is the only
bound on what goes in, found or not (docs/adr/0032)."""
DEADLINE_S: Final = 1.0
"""Most seconds that a request waits for memory: a recall takes some 25 ms (docs/adr/0032), and a
second is bearable."""
TIMEOUT_S: Final = 600.0
"""Most seconds that upstream may say nothing; as the protocol's own clients have it."""
CONNECT_S: Final = 10.0
"""Seconds for a connection: an address where nobody answers is told of, and not waited for as long
as an answer is. Chosen by hand."""
MOST_ASKED: Final = 64 << 20
"""Bytes of a request that is read; a longer one is passed on without memory. Chosen by hand."""
MOST_ANSWERED: Final = 16 << 20
"""Bytes of an answer of which a copy is read; what comes after is only passed on. By hand."""
REFUSALS: Final = frozenset({400, 413, 422})
"""Statuses after which a request is sent once more without memory: it may have been too much."""
OURS: Final = frozenset({b"x-bank", b"x-session", b"x-memory"})
_HOP: Final = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer"
    b" transfer-encoding upgrade".split()
)
"""Headers of one connection, not of the message."""


class _GoneError(Exception):
    """The client has hung up before it had said all."""


class _Client:
    """A client's request as it comes, and the event of its hanging up."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._said_all = asyncio.Event()

    async def body(self) -> AsyncIterator[bytes]:
        more = True
        while more:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise _GoneError
            more = message.get("more_body", False)
            yield message.get("body", b"")
        self._said_all.set()

    async def gone(self) -> None:
        # Until then the messages are parts of the body, which would be taken away from it here.
        await self._said_all.wait()
        while (await self._receive())["type"] != "http.disconnect":
            pass


class Proxy:
    """An ASGI application before a server of the OpenAI protocol; made by ``create_app``."""

    def __init__(
        self,
        memory: Remembrance,
        upstream: str,
        *,
        bank: str | None = None,
        local: bool = True,
        origins: Collection[str] = (),
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self._memory = memory
        self._origins = frozenset(origin.rstrip("/").lower() for origin in origins)
        self._url = _checked(upstream)
        self._bank = bank
        self._local = local
        self._salt = secrets.token_bytes(16)
        timeout = httpx.Timeout(timeout_s, connect=min(CONNECT_S, timeout_s), pool=None)
        # Answers may be silent for minutes, and nobody is to wait for another's to end.
        limits = httpx.Limits(max_connections=None)
        self._client = httpx.AsyncClient(timeout=timeout, limits=limits)
        self._under_way: set[asyncio.Task[None]] = set()

    def warm_up(self) -> None:
        """
        Open the memory, and read the bank that most will ask, before the first one does.

        Raises:
            HippocampusError: it cannot be opened; it will be tried again when it is needed.

        """
        memory = self._memory.open()
        if self._bank is not None:
            memory.bank(self._bank).recall("Hello.", 0)  # nothing is shown, so nothing is used

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request, or live as long as the server does."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        client = _Client(receive)
        work = asyncio.create_task(self._serve(scope, client, send))
        self._under_way.add(work)
        work.add_done_callback(self._under_way.discard)
        gone = asyncio.create_task(client.gone())
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                log.info("%s %r: the client has gone", scope["method"], scope["path"])
        finally:
            gone.cancel()
            work.cancel()  # which closes the connection to upstream
            with suppress(asyncio.CancelledError, _GoneError):
                await work

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        if self._under_way:  # the server waits for them no longer, and what they said is to be kept
            for work in self._under_way:
                work.cancel()
            await asyncio.wait(self._under_way)
        await self._client.aclose()
        await asyncio.to_thread(self._memory.close)
        await send({"type": "lifespan.shutdown.complete"})

    async def _serve(self, scope: Message, client: _Client, send: Send) -> None:
        path, began, told = scope["path"], time.monotonic(), ""
        kind = next((k for end, k in PATHS.items() if path.rstrip("/").endswith(end)), None)
        try:
            host = _header(scope, b"host")
            # A page whose name was made to lead to this machine still sends that name.
            if self._local and not names_loopback(f"//{host}"):
                said = (
                    f"host={host[:100]!r}: this proxy is for this machine alone; call it as"
                    " localhost or 127.0.0.1, or start it with --host to let others in"
                )
                status = await _refuse(send, 403, "forbidden_host", said)
            elif not self._may_ask(scope):
                origin = _header(scope, b"origin")
                said = (
                    f"origin={origin[:100]!r}: pages of other sites may not ask this proxy, whose"
                    " answers hold memories; start it with --allow-origin to let one in"
                )
                status = await _refuse(send, 403, "forbidden_origin", said)
            elif kind is not None and (said := _unclear(scope)):
                status = await _refuse(send, 400, "invalid_x_memory", said)
            elif kind is not None and scope["method"] == "POST":
                status, told = await self._chat(kind, scope, client, send)
            else:
                response = await self._ask(scope, await _content(scope, client))
                status = await self._relay(response, send, scope)
        except httpx.TimeoutException as exc:
            said = f"upstream gave no answer in time: {type(exc).__name__}"
            status = await _refuse(send, 504, "upstream_timeout", said)
        except httpx.HTTPError as exc:
            said = f"upstream gave no answer: {type(exc).__name__}"
            status = await _refuse(send, 502, "upstream_unreachable", said)
        elapsed_s = time.monotonic() - began
        how = status or "broken off"
        noted = told and f"; {_unnamed(told, self._salt)}"
        log.info("%s %r %s, %.3f s%s", scope["method"], path, how, elapsed_s, noted)

    async def _chat(
        self, kind: RequestKind, scope: Message, client: _Client, send: Send
    ) -> tuple[int, str]:
        """Pass a chat on with recalled memories, and remember the exchange."""
        began = time.monotonic()
        raw, rest = await _read(client)
        asked = ChatRequest.read(kind, raw) if rest is None and _is_json(scope) else None
        wish = self._wish(scope, asked)
        if asked is None:
            recalled = ProxyRecall(without=wish.without or "not-read")
        else:
            recalled = await self._memory.recall(wish, asked)
        body = asked.remembering(recalled.text) if asked and recalled.text else raw
        response = await self._ask(scope, body if rest is None else _chained(raw, rest))
        if response.status_code in REFUSALS and body is not raw:
            await response.aclose()
            recalled = ProxyRecall(without="refused", elapsed_s=recalled.elapsed_s)
            response = await self._ask(scope, raw)
        told = recalled.told(wish.bank, self._memory.lost)
        if asked is None or not wish.keeps or not response.is_success:
            return await self._relay(response, send, scope, told), told
        answer = bytearray()
        try:
            return await self._relay(response, send, scope, told, answer), told
        finally:  # the client may have hung up; what it has seen was said
            self._memory.keep(
                ChatExchange(
                    wish=wish, kind=kind, asked=asked, answer=bytes(answer),
                    asked_at=began, answered_at=time.monotonic(),
                )
            )  # fmt: skip

    def _wish(self, scope: Message, asked: ChatRequest | None) -> Wish:
        named = _named(scope)
        if named is None and asked is not None:
            named = asked.user
        how = _memory_word(scope)
        return Wish(
            # Somebody who is named in a way that cannot be told is not the one of nobody's.
            bank=self._bank if named is None else named,
            session=_header(scope, b"x-session") or (asked.session if asked else None),
            recall=how not in _OFF, remember=how in _ON,
        )  # fmt: skip

    async def _ask(
        self, scope: Message, content: bytes | AsyncIterator[bytes] | None
    ) -> httpx.Response:
        """Send a request on; the body of the answer is still to come."""
        headers = [(k, v) for k, v in _end_to_end(scope["headers"]) if k not in OURS | {b"host"}]
        if isinstance(content, bytes):  # its length may be another; and its answer is to be read
            headers = [
                (k, v) for k, v in headers if k not in (b"content-length", b"accept-encoding")
            ]
            headers.append((b"accept-encoding", b"identity"))
        request = httpx.Request(
            scope["method"], self._url, headers=headers, content=content,
            extensions={"target": self._target(scope)},  # as it was written, which a URL is not
        )  # fmt: skip
        return await self._client.send(request, stream=True, auth=None)

    def _target(self, scope: Message) -> bytes:
        """Return the path at upstream: of ``/v1/…`` below its address, of others beside it."""
        path: bytes = scope["raw_path"].partition(b"?")[0]
        base = self._url.raw_path
        if path == b"/v1" or path.startswith(b"/v1/"):
            path = base + path.removeprefix(b"/v1")
        else:
            path = base.removesuffix(b"/v1") + path
        query: bytes = scope["query_string"]
        return path + b"?" + query if query else path

    def _may_ask(self, scope: Message) -> bool:
        """Return whether a request is from no page of another site: browsers tell."""
        origin = _header(scope, b"origin").lower()
        if not origin:
            return _header(scope, b"sec-fetch-site") != "cross-site"
        itself = not self._local and origin.partition("//")[2] == _header(scope, b"host").lower()
        return itself or origin in self._origins or names_loopback(origin)

    async def _relay(
        self,
        response: httpx.Response,
        send: Send,
        scope: Message,
        told: str = "",
        copy: bytearray | None = None,
    ) -> int:
        """Pass an answer on as it comes, and return its status; 0 if it broke off."""
        headers = _end_to_end(response.headers.raw)
        if not _header(scope, b"origin"):  # upstream's word on who may read is not about memories
            headers = [one for one in headers if not one[0].startswith(b"access-control-")]
        if told:
            headers.append((b"x-memory", told.encode()))
        start = {"type": "http.response.start", "status": response.status_code, "headers": headers}
        async with aclosing(response):
            await send(start)
            try:
                async for chunk in response.aiter_raw():
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
                    if copy is not None and len(copy) < MOST_ANSWERED:
                        copy += chunk
            except httpx.HTTPError as exc:
                log.warning("upstream broke off: %s", type(exc).__name__)
                return 0  # without an end, so that the client sees it as well
            await send({"type": "http.response.body", "body": b""})
        return response.status_code


# ---------------------------------------------------------------- what came in


async def _read(client: _Client) -> tuple[bytes, AsyncIterator[bytes] | None]:
    """Read a body; of one that is too long, its beginning and an iterator of the rest."""
    chunks, size, body = [], 0, client.body()
    async for chunk in body:
        chunks.append(chunk)
        size += len(chunk)
        if size > MOST_ASKED:
            return b"".join(chunks), body
    return b"".join(chunks), None


async def _chained(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for chunk in rest:
        yield chunk


async def _content(scope: Message, client: _Client) -> AsyncIterator[bytes] | None:
    """Return the body of a request as it comes, if there is one."""
    if any(name in (b"content-length", b"transfer-encoding") for name, _ in scope["headers"]):
        return client.body()
    # Read all the same: a hang-up is looked for only after that.
    async for _ in client.body():
        pass
    return None


def _end_to_end(headers: Headers) -> Headers:
    """Return the headers of the message, without those of the connection and those it names."""
    small = [(name.lower(), value) for name, value in headers]
    named = b",".join(value.lower() for name, value in small if name == b"connection").split(b",")
    parted = _HOP.union(name.strip() for name in named)
    return [(name, value) for name, value in small if name not in parted]


def _header(scope: Message, name: bytes, errors: str = "replace") -> str:
    """Return a header's value, read as UTF-8; empty if it is not there."""
    raw = next((v for k, v in scope["headers"] if k == name), b"")
    return bytes(raw).decode(errors=errors).strip()


def _named(scope: Message) -> str | None:
    """Return the name in the header: None if there is none, "" for several at once."""
    named = {value for name, value in scope["headers"] if name == b"x-bank"}
    # Bytes that are no text stay apart, or two banks so named would be one.
    several = len(named) > 1
    return None if not named else "" if several else _header(scope, b"x-bank", "surrogateescape")


def _memory_word(scope: Message) -> str:
    """Return the word of X-Memory; of several they are all told, which is none."""
    words = {
        bytes(value).strip().lower() for name, value in scope["headers"] if name == b"x-memory"
    }
    return b", ".join(sorted(words)).decode(errors="replace")


def _unclear(scope: Message) -> str:
    """Return the reason to refuse a request whose X-Memory is no word of ours; or nothing."""
    how = _memory_word(scope)
    if how in _ON | _OFF | {_READ}:
        return ""
    return f"x-memory={how[:100]!r}: must be on, read or off (also none, false, no)"


def _unnamed(told: str, salt: bytes) -> str:
    """Return the text of a header with a hash for the bank, whose name is often a person's."""
    bank, then, rest = told.partition("; ")
    if not bank.startswith("bank="):
        return told
    return f"bank={blake2b(bank.encode(), key=salt, digest_size=6).hexdigest()}{then}{rest}"


def _is_json(scope: Message) -> bool:
    """Return whether a body calls itself JSON, which no other site's page can without a check."""
    return _header(scope, b"content-type").lower().partition(";")[0].strip().endswith("json")


def _checked(upstream: str) -> httpx.URL:
    url = httpx.URL(check_url(upstream, name="upstream").geturl())
    return url.copy_with(raw_path=url.raw_path.rstrip(b"/") or b"/v1")


async def _refuse(send: Send, status: int, code: str, said: str) -> int:
    """Answer with an error as the protocol has them."""
    kind = "invalid_request_error" if status < 500 else "api_error"
    error = {"message": said, "type": kind, "param": None, "code": code}
    body = json.dumps({"error": error}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
    return status


def create_app(  # noqa: PLR0913 - a public function
    memory: Memory | Callable[[], Memory],
    upstream: str,
    *,
    bank: str | None = None,
    local: bool = True,
    origins: Collection[str] = (),
    trust: Trusted | None = None,
    budget_tokens: int = BUDGET_TOKENS,
    deadline_s: float = DEADLINE_S,
    timeout_s: float = TIMEOUT_S,
) -> Proxy:
    """
    Return the proxy as an ASGI application, which closes the memory when the server ends.

    Args:
        memory: the memory, or a way to open it; that is tried again while it fails.
        upstream: the server of the OpenAI protocol, such as ``http://localhost:11434/v1``.
        bank: whose memory it is where a request names nobody's; such go without if None.
        local: refuse requests that a browser was tricked into sending here: those for a host that
            is not this machine.
        origins: pages of which other sites may ask as well, such as ``https://chat.example``; those
            of this machine may.
        trust: the least trusted origin of what is put into prompts, or the origins of it.
        budget_tokens: most tokens of memory in a prompt.
        deadline_s: how long a request waits for memory before it goes without.
        timeout_s: how long upstream may say nothing.

    Raises:
        InputError: what is no address of a server, or a number that cannot be meant.

    """
    for name, value in (("deadline_s", deadline_s), ("timeout_s", timeout_s)):
        if not value > 0:
            raise InputError(f"{name}={value!r}: must be above 0 seconds")
    if budget_tokens < 1:
        raise InputError(f"budget_tokens={budget_tokens!r}: must be at least 1")
    trusted_origins(trust)  # which refuses what is none
    opener = (lambda: memory) if isinstance(memory, Memory) else memory
    remembrance = Remembrance(
        opener, budget_tokens=budget_tokens, deadline_s=deadline_s, trust=trust
    )
    return Proxy(
        remembrance, upstream, bank=bank, local=local, origins=origins, timeout_s=timeout_s
    )
