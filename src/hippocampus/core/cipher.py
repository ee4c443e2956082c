"""
Ciphers: how words are sealed before they reach the file, and opened when they come out of it.

A value is sealed with AES-256 in SIV mode (RFC 5297, by ``cryptography``) under the key of its
bank, together with the place where it belongs, so that one that was moved does not open. The same
value at the same place always seals to the same bytes: that is how names and ids are looked up, and
what whoever reads the file learns, which values of a column are equal. A store without a key keeps
values as they are.
"""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from hippocampus.core.key import cryptography

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV

    from hippocampus.core.records import EpisodeRow

KEY_BYTES: Final = 64
"""Half of them authenticate, half encrypt: AES-256-SIV (docs/format.md)."""
_KEPT: Final = 2048
"""Texts of which both forms are kept: speakers come again and again, ids of a batch twice."""
_SHORT: Final = 256
"""Characters of a text that is kept. Chosen by hand."""
_ROOM: Final = 4 << 20
"""Bytes of unsealed texts that may wait to be read: those of a batch of a few thousand turns."""
_OF_AN_EPISODE: Final = 500
"""Bytes of an episode's row beside its metadata, about."""
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
        self._made: dict[bytes, tuple[bytes, bytes]] = {}
        self._episodes: dict[EpisodeRow, EpisodeRow] = {}
        self._room = _ROOM

    def note(self, place: bytes, value: bytes, sealed: bytes) -> None:
        """Keep a value, its place and its sealed bytes."""
        self._take_room(2 * len(value))  # what it is sealed to is about as long
        self._made[sealed] = place, value

    def take(self, place: bytes, sealed: bytes) -> bytes | None:
        """Return the value that was sealed to bytes at a place; None if it was not, or is read."""
        known = self._made.get(sealed)
        if known is None or known[0] != place:
            return None
        self._made.pop(sealed, None)
        self._room += 2 * len(known[1])
        return known[1]

    def note_episode(self, episode: EpisodeRow, sealed: EpisodeRow) -> None:
        """Keep a row of which each value was sealed where it belongs."""
        self._take_room(2 * (_OF_AN_EPISODE + len(episode.metadata)))
        self._episodes[sealed] = episode

    def take_episode(self, sealed: EpisodeRow) -> EpisodeRow | None:
        """Return the row that was sealed to one; None if it was not, or is read."""
        known = self._episodes.pop(sealed, None)
        if known is not None:
            self._room += 2 * (_OF_AN_EPISODE + len(known.metadata))
        return known

    def clear(self) -> None:
        """Drop all of it: something was erased that may not have been read."""
        self._made, self._episodes, self._room = {}, {}, _ROOM

    def _take_room(self, size: int) -> None:
        self._room -= size
        if self._room < 0:
            self.clear()
            self._room -= size


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
        """Return whether it has a key."""
        return self._siv is not None

    @property
    def lately(self) -> LatelySealed | None:
        """Values and rows that were sealed lately, and not read yet; None if nobody keeps them."""
        return self._lately

    def seal(self, place: str, value: bytes) -> bytes:
        """Seal bytes; none stay none."""
        if self._siv is None or not value:
            return value
        # Without a nonce: what is looked up by being equal has to seal to the same bytes each time
        # (docs/adr/0043).
        return self._siv.encrypt(value, [place.encode()])

    def seal_each(
        self, values: Iterable[tuple[str, bytes]], *, read_next: bool = False
    ) -> list[bytes]:
        """Seal bytes, each for its place, that are read next or only some day; none stay none."""
        if self._siv is None:
            return [value for _, value in values]
        encrypt, lately = self._siv.encrypt, self._lately if read_next else None
        made: list[bytes] = []
        for where, value in values:
            place = where.encode()
            sealed = encrypt(value, [place]) if value else value
            if lately is not None and value:
                lately.note(place, value, sealed)
            made.append(sealed)
        return made

    def unseal(self, place: str, sealed: bytes) -> bytes:
        """
        Return the bytes that were sealed.

        Raises:
            Unsealable: they do not open.

        """
        if self._siv is None or not sealed:
            return sealed
        where = place.encode()
        known = None if self._lately is None else self._lately.take(where, sealed)
        if known is not None:
            return known
        try:
            return self._siv.decrypt(sealed, [where])
        except self._failures as exc:
            raise Unsealable(place) from exc

    def seal_text(self, place: str, text: str) -> str:
        """Seal a text that comes again, such as a name, as a text; an empty one stays one."""
        if self._siv is None or not text:
            return text
        known = self._sealed.get((place, text))
        if known is None:
            known = self._note(place, text, self.seal_text_once(place, text))
        return known

    def seal_text_once(self, place: str, text: str) -> str:
        """Seal a text that hardly comes again at its place as a text; an empty one stays one."""
        if self._siv is None or not text:
            return text
        # The column is one of text, which sealed bytes are not.
        sealed = self._siv.encrypt(text.encode(), [place.encode()])
        return b2a_base64(sealed, newline=False).decode()

    def _note(self, place: str, text: str, sealed: str) -> str:
        """Remember a pair for the next time, and return what is sealed."""
        if len(self._sealed) >= _KEPT:
            self._sealed.clear()
            self._opened.clear()
        if len(text) <= _SHORT and " " not in place:  # a place of one row has its number
            self._sealed[place, text] = sealed
            self._opened[place, sealed] = text
        return sealed

    def forget_texts(self) -> None:
        """Have the texts that come again leave memory, among which may be some that are erased."""
        self._sealed.clear()
        self._opened.clear()

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
            text = self.unseal(place, a2b_base64(sealed)).decode()
        except (ValueError, AttributeError, TypeError) as exc:
            raise Unsealable(place) from exc
        self._note(place, text, sealed)
        return text


PLAIN: Final = Cipher()
