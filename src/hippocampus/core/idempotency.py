"""Requests that are done once, however often they arrive: each names itself by a key."""

from __future__ import annotations

from contextlib import AbstractContextManager
from contextvars import ContextVar
from hashlib import blake2b
from typing import Final, NamedTuple

from hippocampus.core.context_variable import temporarily
from hippocampus.errors import InputError

KEPT_S: Final = 86_400
"""Seconds for which the outcome of a request is known: a day, by a clock that no server's can put
forward (docs/adr/0083). Our client asks again within seconds."""
_MOST: Final = 200
"""Characters of a key, of which a UUID has 36. Chosen by hand: only a digest is kept."""
_DIGEST: Final = 16
"""Bytes: 128 bits, so that no two requests ever have one digest by chance."""


class Request(NamedTuple):
    """A request that names itself: its key, and what it asks for, as digests of 16 bytes."""

    key: bytes
    asked: bytes

    @classmethod
    def named(cls, key: str, *, caller: str, asked: bytes, salt: bytes) -> Request:
        """
        Return the request that a caller has given a key.

        What it asks for has words in it, and its digest is kept: who has neither the key nor
        ``salt``, which is the store's, cannot try words against it.

        Raises:
            InputError: the key is blank, long, or has more than the printable letters of ASCII.

        """
        if not 0 < len(key) <= _MOST or not key.isascii() or not key.isprintable():
            msg = (
                f"Idempotency-Key {key!r:.100}: must have 1 to {_MOST} printable characters of"
                " ASCII, such as a UUID"
            )
            raise InputError(msg)
        own = blake2b(key.encode(), key=salt, digest_size=32).digest()
        told = blake2b(asked, key=own, digest_size=_DIGEST).digest()
        return cls(_digest(f"{caller}\n{key}".encode()), told)

    def part(self, number: int) -> Request:
        """Return the key of a part of it that is done in a transaction of its own."""
        return self._replace(key=_digest(b"%s %d" % (self.key, number)))


_REQUEST: Final[ContextVar[Request | None]] = ContextVar("request", default=None)


def current_request() -> Request | None:
    """Return the request that is being done here, if it has named itself."""
    return _REQUEST.get()


def doing(request: Request | None) -> AbstractContextManager[None]:
    """Do the work of a request, noted under its key."""
    return temporarily(_REQUEST, request)


def _digest(words: bytes) -> bytes:
    return blake2b(words, digest_size=_DIGEST).digest()
