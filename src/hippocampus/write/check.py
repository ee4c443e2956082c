"""The first step of the write flow: check a turn, split a long one, give its parts their ids."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, tzinfo
from hashlib import blake2b
from typing import Final, NamedTuple

from hippocampus.core.clock import to_micros
from hippocampus.core.config import Ingest
from hippocampus.core.events import CameFrom
from hippocampus.core.origin import OWN, check_origin, derive_origin
from hippocampus.core.records import Turn, first_marks
from hippocampus.core.timestamps import to_moment
from hippocampus.core.validation import check_text, dump_metadata
from hippocampus.encode.tokens import ids_of, pack
from hippocampus.errors import InputError, TextTooLong
from hippocampus.journal.draft import Draft, digest
from hippocampus.language.injections import reads_like_injection
from hippocampus.write.chunking import split_text

_LABEL_CHARACTERS: Final = 4096
"""Longest speaker, role, session, source or address: the longest path of Linux fits, a text does
not."""
_LEAST_KEPT: Final = 200
"""Characters of a text from which on its tokens are kept: what is shorter is seldom a part."""
_METADATA_SHARE: Final = 3
"""Times the size of a text that its metadata may take, which are kept with each of its parts.
Chosen by hand."""


class Group(NamedTuple):
    """Drafts of one turn: one, or the parts of a long text."""

    drafts: list[Draft]
    dated: bool
    """Whether the turn came with a time of its own."""
    again: bool = False
    """Whether it is kept even if it is an echo."""
    came: CameFrom | None = None
    """Origin of the turn, which is noted if it is not there yet."""

    def apart(self, name: str) -> Group:
        """Return it with other ids, so that the same words of the same moment are kept again."""
        return self._replace(drafts=[replace(d, id=_other_id(d.id, name)) for d in self.drafts])

    @property
    def first(self) -> Draft:
        """The part that stands for the whole."""
        return self.drafts[0]


def draft(
    bank: str,
    turn: Turn,
    *,
    now: datetime,
    zone: tzinfo,
    limits: Ingest,
    salt: bytes,
    by_metadata: bool = False,
) -> Group:
    """
    Check one turn and return its drafts: one, or several parts of a long text.

    ``by_metadata``: tell it from what says the same, but has other metadata.
    """
    text = check_text(turn.text, limits=limits)
    occurred_at = to_micros(now if turn.at is None else to_moment(turn.at, zone))
    for name in ("speaker", "role", "session", "source", "address"):
        check_label(name, getattr(turn, name))
    check_origin(turn.origin)
    metadata = dump_metadata(turn.metadata)
    if len(metadata) > limits.max_text_bytes:
        raise TextTooLong(
            f"metadata has {len(metadata):,} characters; one call takes at most"
            f" {limits.max_text_bytes:,} (Ingest.max_text_bytes); keep what is long in the text"
        )
    measured = _Measured()
    pieces = _split(text, limits, measured)
    kept = len(metadata) * len(pieces)
    if kept > max(limits.max_text_bytes, _METADATA_SHARE * len(text)):
        raise TextTooLong(
            f"metadata has {len(metadata):,} characters, and would be kept with each of the"
            f" {len(pieces):,} parts of the text; keep what is long in the text"
        )
    ids = episode_ids(bank, turn, occurred_at, len(pieces), metadata if by_metadata else "")
    drafts = [
        Draft(
            id=id_, text=piece,
            occurred_at=occurred_at, session=turn.session, part=part, parts=len(pieces),
            speaker=turn.speaker, role=turn.role, source=turn.source, address=turn.address or "",
            metadata=metadata, digest=digest(salt, piece), marks=_marks(turn, piece),
            content=measured.content.get(piece),
        )
        for part, (id_, piece) in enumerate(zip(ids, pieces, strict=True))
    ]  # fmt: skip
    return Group(drafts, dated=turn.at is not None)


def _marks(turn: Turn, piece: str) -> int:
    """Return the marks with which a part begins; only the words of others can be suspect."""
    spoken = turn.speaker is not None
    origin = turn.origin or derive_origin(turn.role, turn.source, spoken=spoken)
    return first_marks(turn.origin, suspect=origin not in OWN and reads_like_injection(piece))


def check_label(name: str, value: object) -> None:
    """
    Refuse a name that cannot be kept; None is no name.

    Raises:
        InputError: it is no text, blank, too long, or holds half a character.

    """
    if value is None:
        return
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{name}={value!r}: must be text that is not blank, or left out")
    if len(value) > _LABEL_CHARACTERS:
        msg = f"{name} has {len(value):,} characters; at most {_LABEL_CHARACTERS:,} are kept"
        raise InputError(msg)
    if not value.isascii():
        ids_of(value)  # refuses what cannot be stored


class _Measured:
    """Counter of the tokens of texts, which keeps the tokens of long ones."""

    def __init__(self) -> None:
        self.content: dict[str, bytes] = {}
        """Payloads of texts, as they are stored."""

    def count(self, text: str) -> int:
        """Return the number of tokens in a text."""
        ids = ids_of(text)
        if len(text) >= _LEAST_KEPT:
            self.content[text] = pack(ids)
        return len(ids)


def _split(text: str, limits: Ingest, measured: _Measured) -> list[str]:
    if len(text) <= limits.chunk_tokens and text.isascii():  # a token is at least one character
        return [text]
    # More characters than 16 a token, which only runs of blanks reach, need not be counted.
    if len(text) < limits.chunk_tokens * 16 and measured.count(text) <= limits.chunk_tokens:
        return [text]
    groups: list[list[str]] = []
    blank = False  # a long run of white space is no episode of its own
    for piece in split_text(text, limits.chunk_tokens, measured.count):
        blanks = not piece.strip()
        if groups and (blank or blanks):
            groups[-1].append(piece)
            blank = blank and blanks
        else:
            groups.append([piece])
            blank = blanks
    return ["".join(group) for group in groups]


def episode_ids(
    bank: str, turn: Turn, occurred_at: int, parts: int, apart: str = ""
) -> Iterator[str]:
    """
    Yield the id of each part: the same bank, text, speaker and event time always have the same.

    The text is hashed once, however many parts it has.
    """
    said = (bank, turn.text, turn.speaker or "", str(occurred_at))
    whole = blake2b(b"".join(map(_with_length, said)), digest_size=12)
    for part in range(parts):
        known = whole.copy()
        known.update(_with_length(str(part)))
        if apart:
            known.update(_with_length(apart))
        yield known.hexdigest()


def _other_id(id_: str, name: str) -> str:
    return blake2b(_with_length(id_) + _with_length(name), digest_size=12).hexdigest()


def _with_length(piece: str) -> bytes:
    """Return a piece as it is hashed: after its length, so that none runs into the next."""
    raw = piece.encode()
    return len(raw).to_bytes(8, "little") + raw
