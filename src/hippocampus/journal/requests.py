"""
Requests that name themselves, in the books of a bank: each is done once.

What came of one is written down in the transaction that does it, so a commit whose answer was lost
is known when the request comes again. It tells numbers alone: how many changed, or which rows.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final, Generic, NamedTuple, TypeVar

import msgspec

from hippocampus.core.idempotency import KEPT_S, Request, current_request
from hippocampus.core.records import DoneRequest
from hippocampus.errors import InputError, StoreCorrupt
from hippocampus.journal.ledger import Ledger

R = TypeVar("R")

_MICROS: Final = 1_000_000  # of a second: times in a store are microseconds (docs/format.md)
_CLEARED: Final = 4
"""First bytes of keys, of 256, with which old requests are cleared away: with one request in 64
(docs/adr/0083), since to look with each would cost every write a statement."""


class Done(NamedTuple, Generic[R]):
    """A request that was done before, and what came of it."""

    result: R


def find_done(ledger: Ledger, request: Request | None, kind: type[R]) -> Done[R] | None:
    """
    Return the result of a request if it was done before.

    Raises:
        InputError: another request had that key.
        StoreCorrupt: what is known of it is damaged.

    """
    known = None if request is None else ledger.store.requests.find(ledger.bank, request.key)
    if known is None or request is None:
        return None
    if known.asked != request.asked:
        msg = (
            "this Idempotency-Key was sent with another request within the last day; give every"
            " request a key of its own, and send it again only with the same request"
        )
        raise InputError(msg)
    try:
        return Done(msgspec.convert(json.loads(known.result), kind))
    except (ValueError, RecursionError, msgspec.ValidationError) as exc:
        msg = f"what came of a request is not what its verb gives: {known.result!r:.100}"
        raise StoreCorrupt(msg, path=ledger.store.path) from exc


def note_done(ledger: Ledger, request: Request | None, result: object) -> None:
    """Write down what came of a request, inside ``store.write()``."""
    if request is None:
        return
    requests = ledger.store.requests
    at = requests.now(ledger.bank)
    # A key is a digest, so this is as good as a throw of dice: about one request in 64.
    if request.key[0] < _CLEARED:
        requests.drop_before(ledger.bank, at - KEPT_S * _MICROS)
    told = json.dumps(result, separators=(",", ":"))
    requests.add(ledger.bank, request.key, DoneRequest(request.asked, at, told))


def once(ledger: Ledger, do: Callable[[], R], kind: type[R], request: Request | None = None) -> R:
    """Do the work of a request, the current one, inside ``store.write()``, unless it was done."""
    request = request or current_request()
    if request is None:
        return do()
    # Inside the write, or two that come at once would both be done.
    before = find_done(ledger, request, kind)
    if before is not None:
        return before.result
    result = do()
    note_done(ledger, request, result)
    return result
