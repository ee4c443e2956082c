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
_KEPT: Final = 256
"""Texts of which both forms are kept: speakers, sessions and settings come again and again."""
_SHORT: Final = 256
"""Characters of a text that is kept."""
STORE: Final = 0
"""The number under which the store's own words are sealed: settings, and names of banks."""


class Unsealable(ValueError):
    """A sealed value does not open: it was changed, moved, or sealed under another key."""


class Cipher:
    """The cipher of one bank; without a key it changes nothing."""

    def __init__(self, key: bytes | None = None) -> None:
        self._siv: AESSIV | None = None
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

    def seal(self, place: str, value: bytes) -> bytes:
        """Seal bytes; none stay none."""
        if self._siv is None or not value:
            return value
        return self._siv.encrypt(value, [place.encode()])

    def unseal(self, place: str, sealed: bytes) -> bytes:
        """
        Return the bytes that were sealed.

        Raises:
            Unsealable: they do not open.

        """
        if self._siv is None or not sealed:
            return sealed
        try:
            return self._siv.decrypt(sealed, [place.encode()])
        except self._failures as exc:
            raise Unsealable(place) from exc

    def seal_text(self, place: str, text: str) -> str:
        """Seal a text, as a text; an empty one stays one."""
        if self._siv is None or not text:
            return text
        known = self._sealed.get((place, text))
        if known is None:
            known = self._note(place, text, self._seal_text(place, text))
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

    def _seal_text(self, place: str, text: str) -> str:
        # The column is one of text, which sealed bytes are not.
        return binascii.b2a_base64(self.seal(place, text.encode()), newline=False).decode()

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
