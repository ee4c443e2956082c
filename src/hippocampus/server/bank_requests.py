"""Headers of a request to a bank: its idempotency key, and how new an answer must be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeVar

from starlette.requests import Request

from hippocampus.bank import Bank
from hippocampus.core.budget import texts_put_off
from hippocampus.core.damage import collected_damage, damage_collected
from hippocampus.core.idempotency import Request as NamedRequest
from hippocampus.core.idempotency import doing
from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.patience import waiting_for
from hippocampus.engine.position import Position
from hippocampus.memory import Memory
from hippocampus.server.keys import Caller

R = TypeVar("R")

SEQ: Final = "Seq"
"""The header that says how much of the bank an answer knows."""
_WAIT: Final = lazy_pattern(r"(?i)(?:^|[,;\s])wait\s*=\s*(\d{1,4})(?!\d)")
"""Preference in a header for the seconds to wait for an answer (RFC 7240, section 4.3)."""
_PATIENCE_S: Final = 2.0
"""Most seconds that a copy that is behind is waited for; then the caller is told, and asks again or
elsewhere. Chosen by hand."""


class BankRequest(NamedTuple):
    """A request to a bank."""

    memory: Memory
    bank: str
    named: NamedRequest | None
    """Its key, if it has one and is done once."""
    least: Position | None
    """Oldest position that an answer may have."""
    patience_s: float
    """Seconds after which it takes an answer of what was read so far, where that says so."""

    @classmethod
    def of(
        cls,
        request: Request,
        memory: Memory,
        caller: Caller,
        asked: tuple[str, str, bytes] | None,
        longest_s: float,
    ) -> BankRequest:
        """
        Read the headers of a request.

        ``asked``: bank, verb and body of what is done once. ``longest_s``: for how long it may run.
        """
        key, named = request.headers.get("idempotency-key"), None
        if key is not None and asked is not None:
            bank, verb, body = asked
            # So that a key which comes again with something else is noticed.
            told = b"%s\n%s\n%s" % (bank.encode(), verb.encode(), body)
            salt = memory.engine.salt
            named = NamedRequest.named(key, caller=caller.id, asked=told, salt=salt)
        least = request.headers.get("min-seq")
        wait = _WAIT.search(request.headers.get("prefer", ""))
        patience = longest_s / 2  # so that time is left to tell what was read
        return cls(
            memory, request.state.bank, named, None if least is None else Position.of(least),
            min(float(wait[1]), patience) if wait else patience,
        )  # fmt: skip

    @property
    def opened(self) -> Bank:
        """The bank itself."""
        return self.memory.bank(self.bank)

    def run(self, call: Callable[[], R]) -> tuple[R, str]:
        """Return the result of a call, and a token of how much of the bank was known then."""
        state = self.opened.state
        if self.least is not None:
            state.wait_for(self.least, _PATIENCE_S)
        with doing(self.named), damage_collected(), waiting_for(self.patience_s):
            made = call()
        return made, state.seen.token

    def lacking(self, *, kept: bool) -> str:
        """Return the part that the running call kept or read something without, and why."""
        if kept:
            if unembedded := self.memory.engine.unembedded:
                return f"embedder: {unembedded}"
            late = texts_put_off()
            return f"vectors: {late} texts have none until the next sleep" if late else ""
        return "; ".join(map(str, collected_damage(self.bank)))
