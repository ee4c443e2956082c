"""
Ciphers: how words are sealed before they reach the file, and opened when they come out of it.

A value is sealed with AES-256 in SIV mode (RFC 5297, by ``cryptography``) under the key of its
bank, together with the place where it belongs, so that one that was moved does not open. The same
value at the same place always seals to the same bytes: that is how names and ids are looked up, and
what whoever reads the file learns, which values of a column are equal. A store without a key keeps
values as they are.
"""

from __future__ import annotations

import binascii
from typing import TYPE_CHECKING, Final

from hippocampus.core.key import cryptography

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV

KEY_BYTES: Final = 64
"""Half of them authenticate, half encrypt."""
_KEPT: Final = 2048
"""Texts of which both forms are kept: speakers come again and again, ids of a batch twice."""
_SHORT: Final = 256
"""Characters of a text that is kept."""
_ROOM: Final = 4 << 20
"""Bytes of what was sealed and not read yet: that of a batch of a few thousand turns."""
STORE: Final = 0
"""The number under which the store's own words are sealed: settings, and names of banks."""


class Unsealable(ValueError):
    """A sealed value does not open: it was changed, moved, or sealed under another key."""


class LatelySealed:
    """
    Values that were sealed lately, by what became of them: a writer reads its own for the index.

    That bytes open to a value where they belong is proven by having made them so. What was read is
    gone, so that nothing which is erased later stays here. Safe to share between the ciphers of a
    store, for no two seal to the same bytes, and between threads.
    """

    def __init__(self) -> None:
        # Bytes alone, which no collection of garbage looks at.
        self._made: dict[bytes, bytes] = {}
        self._room = _ROOM

    def note(self, place: str, value: bytes, sealed: bytes) -> None:
        """Keep a value, its place and its sealed bytes."""
        self._room -= 2 * len(value)
        if self._room < 0:
            self._made, self._room = {}, _ROOM
        self._made[place.encode() + b"\0" + sealed] = value

    def take(self, place: str, sealed: bytes) -> bytes | None:
        """Return the value that was sealed to bytes at a place; None if it was not, or is read."""
        return self._made.pop(place.encode() + b"\0" + sealed, None)


class Cipher:
    """The cipher of one bank; without a key it changes nothing."""

    def __init__(self, key: bytes | None = None, lately: LatelySealed | None = None) -> None:
        self._siv: AESSIV | None = None
        self._lately = lately
        self._sealed: dict[tuple[str, str], str] = {}
        self._opened: dict[tuple[str, str], str] = {}
        self._failures: tuple[type[Exception], ...] = ()
        if key is not None:
            self._siv = cryptography("hazmat.primitives.ciphers.aead").AESSIV(key)
            self._failures = (cryptography("exceptions").InvalidTag, ValueError, TypeError)

    @property
    def seals(self) -> bool:
        """Whether it has a key."""
        return self._siv is not None

    def seal(self, place: str, value: bytes, *, read_next: bool = False) -> bytes:
        """Seal bytes, which are read next or only some day; none stay none."""
        if self._siv is None or not value:
            return value
        sealed = self._siv.encrypt(value, [place.encode()])
        if read_next and self._lately is not None:
            self._lately.note(place, value, sealed)
        return sealed

    def unseal(self, place: str, sealed: bytes) -> bytes:
        """
        Return the bytes that were sealed.

        Raises:
            Unsealable: they do not open.

        """
        if self._siv is None or not sealed:
            return sealed
        known = None if self._lately is None else self._lately.take(place, sealed)
        if known is not None:
            return known
        try:
            return self._siv.decrypt(sealed, [place.encode()])
        except self._failures as exc:
            raise Unsealable(place) from exc

    def seal_text(self, place: str, text: str, *, read_next: bool = False) -> str:
        """Seal a text, as a text; an empty one stays one."""
        if self._siv is None or not text:
            return text
        known = self._sealed.get((place, text))
        if known is None:
            known = self._note(place, text, self._seal_text(place, text, read_next=read_next))
        return known

    def _note(self, place: str, text: str, sealed: str) -> str:
        """Remember a pair for the next time, and return what is sealed."""
        if len(self._sealed) >= _KEPT:
            self._sealed.clear()
            self._opened.clear()
        if len(text) <= _SHORT and " " not in place:  # a place of one row has its number
            self._sealed[place, text] = sealed
            self._opened[place, sealed] = text
        return sealed

    def _seal_text(self, place: str, text: str, *, read_next: bool) -> str:
        # The column is one of text, which sealed bytes are not.
        sealed = self.seal(place, text.encode(), read_next=read_next)
        return binascii.b2a_base64(sealed, newline=False).decode()

    def unseal_text(self, place: str, sealed: str) -> str:
        """
        Return the text that was sealed.

        Raises:
            Unsealable: it does not open.

        """
        if self._siv is None or not sealed:
            return sealed
        known = self._opened.get((place, sealed))
        if known is not None:
            return known
        try:
            text = self.unseal(place, binascii.a2b_base64(sealed)).decode()
        except (ValueError, AttributeError, TypeError) as exc:
            raise Unsealable(place) from exc
        self._note(place, text, sealed)
        return text


PLAIN: Final = Cipher()
