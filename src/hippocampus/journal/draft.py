"""Episodes in the making: checked and identified, not yet in the journal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from hashlib import blake2b
from typing import Self, TypeAlias

from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.records import EpisodeRow, Kind, lasting_marks

CONTEXT_TURNS = 3  # recall@10 was .765 with three, .762 with two and .741 with four
CONTEXT_CHARACTERS = 420
"""Context that a turn's tokens are read in: up to three turns before it, about 96 word pieces. More
context, or the turn after, measured worse or no better (docs/adr/0002)."""

Encoded: TypeAlias = Mapping[Kind, Mapping[str, bytes]]
"""Payloads of drafts by kind and id; those that are empty are left out."""


@immutable
class Draft:
    """An episode in the making: checked, identified, not yet stored."""

    id: str
    text: str
    occurred_at: int
    session: str | None
    part: int
    parts: int
    speaker: str | None
    role: str | None
    source: str | None
    address: str
    metadata: str
    digest: bytes
    """Of this part's text."""
    marks: int = 0
    """Those with which it begins: the origin that was given, and whether it is suspect."""
    content: bytes | None = field(default=None, compare=False, repr=False)
    """The text as its payload has it, where it was made to see how long the text is."""

    @classmethod
    def of(cls, row: EpisodeRow, text: str) -> Self:
        """Return the draft that a stored episode was made from."""
        return cls(
            id=row.id, text=text, occurred_at=row.occurred_at, session=row.session, part=row.part,
            parts=row.parts, speaker=row.speaker, role=row.role, source=row.source,
            address=row.address, metadata=row.metadata, digest=row.digest,
            marks=lasting_marks(row.marks),
        )  # fmt: skip

    @property
    def spoken(self) -> str:
        """The text as the cues read it: with its speaker in front."""
        return spoken(self.speaker, self.text)


def spoken(speaker: str | None, text: str) -> str:
    """Return a text with its speaker in front."""
    return f"{speaker}: {text}" if speaker else text


def digest(salt: bytes, text: str) -> bytes:
    """Return the keyed hash under which equal texts are recognised, white space and case aside."""
    folded = " ".join(text.split()).casefold()
    # Keyed, so that a store's digests tell nobody which texts it has by trying them.
    return blake2b(folded.encode(), key=salt, digest_size=12).digest()
