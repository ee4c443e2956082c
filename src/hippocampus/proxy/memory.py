"""Recall within a deadline and remembering in order; failures are reported, never raised."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import quote

from hippocampus.bank import Bank
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.records import Context, Trusted, Turn
from hippocampus.engine.context import check_name
from hippocampus.errors import (
    EncoderError,
    InputError,
    StoreError,
    StoreLocked,
    StoreUnreachable,
)
from hippocampus.memory import Memory
from hippocampus.proxy.conversations import Conversations
from hippocampus.proxy.protocol import ChatAnswer, ChatMessage, ChatRequest, RequestKind
from hippocampus.write.check import check_label

log = logging.getLogger("hippocampus.proxy")

READERS: Final = 4
"""Recalls at once; more wait, and give up at their deadline."""
LONGEST_QUERY: Final = 2000
"""Most characters to recall by of the user's last message: of its beginning and its end."""
MOST_WAITING: Final = 1000
"""Exchanges that wait to be remembered, as while somebody else writes; more are lost."""
TRIES: Final = 3
"""Most tries to remember while another process writes or a database is away, ten seconds each by
default."""
_PASSES: Final = (StoreLocked, StoreUnreachable)
"""Errors that may be over at the next try."""
_BANKS: Final = 256
"""Banks whose last conversations are kept in mind. Chosen by hand."""
_REASONS: Final = (
    (StoreError, "store"),
    (EncoderError, "model"),
    (InputError, "input"),
)


@immutable
class Wish:
    """The use of memory that a request's headers and user ask for."""

    bank: str | None
    session: str | None = None
    recall: bool = True
    remember: bool = True

    @property
    def without(self) -> str:
        """Why nothing is to be recalled, in a word; empty if something is."""
        if self.bank is None:
            return "no-bank"
        try:
            check_name(self.bank)
        except InputError:
            return "bank"
        try:
            check_label("session", self.session)
        except InputError:
            return "input"
        return "" if self.recall else "off"

    @property
    def keeps(self) -> bool:
        """Return whether the exchange is to be remembered, and can be."""
        return self.remember and not self.without


@immutable(kw_only=False)
class ProxyRecall:
    """The text for the prompt and its cost, or the reason for none."""

    text: str = ""
    memories: int = 0
    tokens: int = 0
    elapsed_s: float = 0.0
    without: str = ""

    def told(self, bank: str | None, lost: int) -> str:
        """Return all this in a header's value, which is ASCII and holds nothing of a memory."""
        # What is no name may be as long as a request, and a header may not.
        parts = []
        if bank is not None and self.without != "bank":
            parts.append(f"bank={quote(bank, safe='@ ')}")
        if self.without:
            parts.append(f"without={self.without}")
        else:
            parts += [f"memories={self.memories}", f"tokens={self.tokens}"]
        parts.append(f"ms={self.elapsed_s * 1e3:.1f}")
        if lost:
            parts.append(f"lost={lost}")
        return "; ".join(parts)


@immutable
class ChatExchange:
    """A chat request, and the bytes of its answer as far as they came."""

    wish: Wish
    kind: RequestKind
    asked: ChatRequest
    answer: bytes
    asked_at: float
    answered_at: float
    """By ``time.monotonic``."""


class Remembrance:
    """
    The memory behind a proxy.

    The store is opened when first needed, and tried again when that failed. Reading is done by a
    few threads, writing by one, so that turns are remembered in the order in which they ended.
    """

    def __init__(
        self,
        open_memory: Callable[[], Memory],
        *,
        budget_tokens: int,
        deadline_s: float,
        trust: Trusted | None = None,
    ) -> None:
        self._open = open_memory
        self._budget_tokens = budget_tokens
        self._deadline_s = deadline_s
        self._trust = trust
        self._memory: Memory | None = None
        self._opening = threading.Lock()
        self._readers = ThreadPoolExecutor(READERS, "hippocampus-recall")
        self._writer = ThreadPoolExecutor(1, "hippocampus-remember")
        self._room = threading.Semaphore(MOST_WAITING)
        self._known: OrderedDict[str, Conversations] = OrderedDict()
        self._waiting: dict[str, Future[None]] = {}
        """The last exchanges of banks that are still to be remembered; done, in one way or another,
        when they are."""
        self.lost = 0
        """Exchanges that could not be remembered."""

    def open(self) -> Memory:
        """Return the memory, opened if it is not."""
        with self._opening:
            if self._memory is None:
                self._memory = self._open()
            return self._memory

    async def recall(self, wish: Wish, asked: ChatRequest) -> ProxyRecall:
        """Return the memories for a prompt, or why it gets none; never later than promised."""
        without = wish.without or ("" if asked.query else "nothing-asked")
        if without or wish.bank is None:
            return ProxyRecall(without=without)
        began = time.monotonic()
        if (before := self._waiting.get(wish.bank)) is not None:
            # What was said just now is to be known, as far as there is time for that; the other
            # half of it is for the recall.
            await asyncio.wait({asyncio.wrap_future(before)}, timeout=self._deadline_s / 2)
        left_s = self._deadline_s - (time.monotonic() - began)
        recall = asyncio.wrap_future(self._readers.submit(self._compose, wish.bank, asked))
        try:
            await asyncio.wait({recall}, timeout=left_s)
            elapsed_s = time.monotonic() - began
            if not recall.done():
                log.warning("recall took more than %g s: went on without", self._deadline_s)
                return ProxyRecall(without="deadline", elapsed_s=elapsed_s)
            exc = recall.exception()
        finally:
            recall.cancel()  # what has not begun never will
        if exc is not None:
            return ProxyRecall(without=_tell("recall", exc), elapsed_s=elapsed_s)
        made = recall.result()
        return ProxyRecall(made.text, len(made.items), made.tokens, elapsed_s)

    def _compose(self, name: str, asked: ChatRequest) -> Context:
        half = LONGEST_QUERY // 2
        query = asked.query
        if len(query) > LONGEST_QUERY:
            query = f"{query[:half]}\n{query[-half:]}"
        bank, known = self.open().bank(name), [one.text for one in asked.said]
        return bank.context(query, self._budget_tokens, without=known, trust=self._trust)

    def keep(self, exchange: ChatExchange) -> None:
        """Have an exchange remembered soon."""
        if not self._room.acquire(blocking=False):
            self.lost += 1
            log.error("not remembered: %d exchanges wait already", MOST_WAITING)
            return
        bank, kept = exchange.wish.bank or "", Future[None]()
        self._waiting = {name: one for name, one in self._waiting.items() if not one.done()}
        self._waiting[bank] = kept
        done = self._writer.submit(self._keep, exchange)
        done.add_done_callback(lambda done: self._kept(done, kept))

    def _kept(self, done: Future[None], kept: Future[None]) -> None:
        self._room.release()
        kept.set_result(None)
        exc = done.exception()
        if exc is not None:
            self.lost += 1
            _tell("remember", exc)

    def _keep(self, exchange: ChatExchange) -> None:
        began: tuple[datetime, float] | None = None
        for left in reversed(range(TRIES)):
            try:
                # The first time alone: of one moment, what a lost commit has kept is kept once.
                began = began or (self.open().now(), time.monotonic())
                return self._remember(exchange, *began)
            except _PASSES:
                if not left:
                    raise
        return None

    def _remember(self, exchange: ChatExchange, now: datetime, waited_s: float) -> None:
        wish, asked = exchange.wish, exchange.asked
        answer = ChatAnswer.read(exchange.kind, exchange.answer)
        if wish.bank is None or not (answer.complete or answer.text.strip()):
            return  # nothing has come, so whoever asked will ask again
        bank = self.open().bank(wish.bank)
        # When it was said, and not now: exchanges may have waited for others to be kept.
        asked_at = now - timedelta(seconds=waited_s - exchange.asked_at)
        answered_at = now - timedelta(seconds=waited_s - exchange.answered_at)
        talks = self._conversations(bank)
        place = talks.place(asked, wish.session, now)
        session, new = place.session, place.new
        turns = [
            Turn(text=one.text, at=asked_at, role=one.role, speaker=one.name, session=session)
            for one in new
        ]
        said = ChatMessage("assistant", answer.text)
        if answer.text.strip() and not place.has(said):
            about = {
                "model": asked.model,
                "tools": [*asked.called, *answer.called],
                "interrupted": not answer.complete,
            }
            metadata = {name: value for name, value in about.items() if value}
            turns.append(
                Turn(
                    text=said.text, at=answered_at, role=said.role, session=session,
                    metadata=metadata,
                )
            )  # fmt: skip
            new = [*new, said]
        bank.remember_many(turns)
        if answer.id is not None:
            # The next request may name this answer in place of its history.
            new = [*new, ChatMessage("response", answer.id)]
        # Only once they are kept: at the next try they must still be new.
        talks.add(session, new, now)

    def _conversations(self, bank: Bank) -> Conversations:
        if bank.name not in self._known:
            self._known[bank.name] = Conversations(bank)
        self._known.move_to_end(bank.name)
        while len(self._known) > _BANKS:
            self._known.popitem(last=False)
        return self._known[bank.name]

    def close(self) -> None:
        """Remember the exchanges that wait, and close the store."""
        self._readers.shutdown(cancel_futures=True)
        self._writer.shutdown()
        if self._memory is not None:
            self._memory.close()


def _tell(verb: str, exc: BaseException) -> str:
    """Log why memory failed, without a word of anybody's; return the reason in a word."""
    reason = next((word for kind, word in _REASONS if isinstance(exc, kind)), "error")
    said = type(exc).__name__
    if isinstance(exc, StoreError):  # others may quote what they were given
        said += f": {exc}"
    if reason == "error":
        said += "\n" + "".join(traceback.format_tb(exc.__traceback__))
    log.error("cannot %s: %s", verb, said)
    return reason
