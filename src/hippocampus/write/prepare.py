"""Turn what a caller hands in into drafts that only need a row number to be stored."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from hashlib import blake2b
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.clock import from_micros, to_micros
from hippocampus.core.config import Ingest, Signatures
from hippocampus.core.records import Embedder, EpisodeRow, Kind, Passage, Turn
from hippocampus.core.timestamps import to_moment
from hippocampus.encode.random_indexing import signatures
from hippocampus.encode.signature import Rotation, rotation_for
from hippocampus.encode.terms import hash_terms
from hippocampus.encode.tokens import count, encode, pack
from hippocampus.errors import InputError, InvalidText, TextTooLong
from hippocampus.index.bm25 import DEED, TELLING, pack_terms
from hippocampus.index.phrase_codec import pack_phrases
from hippocampus.index.vector import pack_vectors
from hippocampus.language.details import digest_details
from hippocampus.language.importance import lasting_importance
from hippocampus.language.noun_phrases import find_phrases, names_of
from hippocampus.language.self_disclosure import tells_of_deed, tells_of_self
from hippocampus.write.chunking import split_text

CONTEXT_TURNS = 3
CONTEXT_CHARACTERS = 420
"""What a turn's tokens are read in the light of: up to three turns before it, about 96 word
pieces. More context, or the turn after, measured worse or no better (docs/adr/0002)."""

Encoded: TypeAlias = Mapping[Kind, Mapping[str, bytes]]
"""Payloads of drafts by kind and id; those that are empty are left out."""

_TOKENS_AT_ONCE = 4096
"""Token vectors rotated in one product: 6 MB of them."""
_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_LABEL_CHARACTERS = 4096
"""Longest speaker, role, session, source or address: a long path fits, a text does not."""
_METADATA_LEVELS = 64
"""Deepest nesting of metadata. Reading JSON recurses, so what is too deep could be written from a
shallow stack and never be read from a deep one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An episode in the making: checked, identified, not yet stored."""

    id: str
    text: str
    said_at: int
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

    @classmethod
    def of(cls, row: EpisodeRow, text: str) -> Self:
        """Return the draft that a stored episode was made from."""
        return cls(
            id=row.id, text=text, said_at=row.said_at, session=row.session, part=row.part,
            parts=row.parts, speaker=row.speaker, role=row.role, source=row.source,
            address=row.address, metadata=row.metadata, digest=row.digest,
        )  # fmt: skip

    @property
    def spoken(self) -> str:
        """The text as the cues read it: with its speaker in front."""
        return spoken(self.speaker, self.text)


class Group(NamedTuple):
    """What one turn came to: one draft, or the parts of a long text."""

    drafts: list[Draft]
    dated: bool
    """Whether the turn came with a time of its own."""
    again: bool = False
    """Whether it is kept even if it is an echo."""

    @property
    def first(self) -> Draft:
        """The part that stands for the whole."""
        return self.drafts[0]


def spoken(speaker: str | None, text: str) -> str:
    """Return a text with its speaker in front."""
    return f"{speaker}: {text}" if speaker else text


def check_text(text: object, *, limits: Ingest) -> str:
    """Return ``text`` if it can be remembered; raise ``InvalidText`` or ``TextTooLong``."""
    if not isinstance(text, str):
        msg = f"text must be a str, not {type(text).__name__}; decode bytes first"
        raise InvalidText(msg)
    if not text.strip():
        msg = f"text is blank ({len(text)} characters of white space); there is nothing to remember"
        raise InvalidText(msg)
    try:
        size = len(text) if text.isascii() else len(text.encode())
    except UnicodeEncodeError as exc:
        msg = (
            f"text holds the lone surrogate U+{ord(text[exc.start]):04X} at character {exc.start},"
            " which cannot be stored byte for byte; decode the source with errors='replace' first"
        )
        raise InvalidText(msg) from exc
    if size > limits.max_text_bytes:
        msg = (
            f"text has {size:,} bytes; one call takes at most {limits.max_text_bytes:,}"
            " (Ingest.max_text_bytes); split it, or write it to a file and import that"
        )
        raise TextTooLong(msg)
    return text


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
    said_at = to_micros(now if turn.at is None else to_moment(turn.at, zone))
    for name in ("speaker", "role", "session", "source", "address"):
        _check_label(name, getattr(turn, name))
    metadata = dump_metadata(turn.metadata)
    if len(metadata) > limits.max_text_bytes:
        msg = (
            f"metadata has {len(metadata):,} characters; one call takes at most"
            f" {limits.max_text_bytes:,} (Ingest.max_text_bytes); keep what is long in the text"
        )
        raise TextTooLong(msg)
    pieces = _split(text, limits)
    apart = metadata if by_metadata else ""
    drafts = [
        Draft(
            id=episode_id(bank, text, turn.speaker, said_at, part, apart),
            text=piece,
            said_at=said_at,
            session=turn.session,
            part=part,
            parts=len(pieces),
            speaker=turn.speaker,
            role=turn.role,
            source=turn.source,
            address=turn.address or "",
            metadata=metadata,
            digest=digest(salt, piece),
        )
        for part, piece in enumerate(pieces)
    ]
    return Group(drafts, dated=turn.at is not None)


def _check_label(name: str, value: object) -> None:
    if value is None:
        return
    if not isinstance(value, str) or not value.strip():
        msg = f"{name}={value!r}: must be text that is not blank, or left out"
        raise InputError(msg)
    if len(value) > _LABEL_CHARACTERS:
        msg = f"{name} has {len(value):,} characters; at most {_LABEL_CHARACTERS:,} are kept"
        raise InputError(msg)
    if not value.isascii():
        encode(value)  # refuses what cannot be stored


def _split(text: str, limits: Ingest) -> list[str]:
    if len(text) <= limits.chunk_tokens and text.isascii():  # a token is at least one character
        return [text]
    if len(text) < limits.chunk_tokens * 16 and count(text) <= limits.chunk_tokens:
        return [text]
    pieces: list[str] = []
    for piece in split_text(text, limits.chunk_tokens, count):
        if pieces and not (piece.strip() and pieces[-1].strip()):
            pieces[-1] += piece  # a long run of white space is no episode of its own
        else:
            pieces.append(piece)
    return pieces


def episode_id(
    bank: str, text: str, speaker: str | None, said_at: int, part: int, apart: str = ""
) -> str:
    """Return the id: the same bank, text, speaker and event time always have the same."""
    known = blake2b(digest_size=12)
    named = (bank, text, speaker or "", str(said_at), str(part))
    for piece in (*named, apart) if apart else named:
        raw = piece.encode()
        known.update(len(raw).to_bytes(8, "little") + raw)
    return known.hexdigest()


def digest(salt: bytes, text: str) -> bytes:
    """Return the keyed hash under which equal texts are recognised, white space and case aside."""
    folded = " ".join(text.split()).casefold()
    return blake2b(folded.encode(), key=salt, digest_size=12).digest()


def dump_metadata(metadata: Mapping[str, Any]) -> str:
    """Return metadata as JSON; refuse what JSON cannot give back as it was."""
    if not metadata and isinstance(metadata, Mapping):
        return "{}"
    if not isinstance(metadata, Mapping):
        msg = f"metadata must be a mapping with text keys, not {type(metadata).__name__}"
        raise InputError(msg)
    try:
        text = _JSON.encode(dict(metadata))
    except (TypeError, ValueError, RecursionError) as exc:
        msg = f"metadata must be a JSON object (text keys; text, numbers, lists, objects): {exc}"
        raise InputError(msg) from exc
    _check_shape(metadata, _METADATA_LEVELS)
    try:
        text.encode()
    except UnicodeEncodeError as exc:
        msg = f"metadata holds the lone surrogate {text[exc.start]!r}, which cannot be stored"
        raise InvalidText(msg) from exc
    return text


def _check_shape(value: object, levels: int) -> None:
    """Refuse keys that JSON would turn into text, and nesting that could not be read again."""
    if not levels:
        msg = f"metadata is nested more than {_METADATA_LEVELS} levels deep; flatten it"
        raise InputError(msg)
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                msg = f"metadata key {key!r}: must be text, since JSON has no other keys"
                raise InputError(msg)
            _check_shape(item, levels - 1)
    elif isinstance(value, list | tuple):
        for item in value:
            _check_shape(item, levels - 1)


def encode_drafts(
    drafts: Sequence[Draft],
    before: Sequence[Sequence[str]],
    *,
    embedder: Embedder | None,
    signed: Signatures | None,
    phrases: bool = False,
) -> Encoded:
    """
    Return the payloads of drafts.

    ``before``: what was said before each, oldest first; it colours the token vectors. ``signed``:
    how tokens are signed, if they are. ``phrases``: theirs as well, for a bank that has anchors.
    """
    ids = [encode(d.text) for d in drafts]
    made: dict[Kind, list[bytes]] = {
        "content": [pack(own) for own in ids],
        "lexical": [lexical_payload(d) for d in drafts],
    }
    if signed is not None:
        made["signature"] = [codes.tobytes() for codes in signatures(ids, signed)]
    if phrases:
        made["phrase"] = [phrase_payload(d.text, d.speaker, d.role) for d in drafts]
    if embedder is not None and drafts:
        passages = [
            Passage(d.spoken, before="\n".join(said)[-CONTEXT_CHARACTERS:])
            for d, said in zip(drafts, before, strict=True)
        ]
        embedded = embedder.embed(passages)
        made["vector"] = pack_vectors(np.stack([e.vector for e in embedded]))
        rotation = rotation_for(embedder.fingerprint)
        if rotation is not None:
            made["tokens"] = _signatures([e.tokens for e in embedded], rotation)
    return {
        kind: {d.id: payload for d, payload in zip(drafts, column, strict=True) if payload}
        for kind, column in made.items()
    }


def phrase_payload(text: str, speaker: str | None, role: str | None) -> bytes:
    """Return a text's phrases, who speaks, and what it is worth, for the concept cue."""
    found = {phrase.key: phrase.proper for phrase in find_phrases(text)}
    lasting = lasting_importance(text, names=sum(found.values()), role=role)
    found |= {phrase.key: True for phrase in names_of(speaker)}
    names = [key for key, proper in found.items() if proper]
    return pack_phrases(found, lasting, digest_details(text, names))


def _signatures(tokens: Sequence[NDArray[np.float32] | None], rotation: Rotation) -> list[bytes]:
    """Return each passage's token signatures; many at a time, for a product costs by the call."""
    present = [own for own in tokens if own is not None and len(own)]
    codes: list[bytes] = []
    start = 0
    while start < len(present):
        stop, size = start, 0
        while stop < len(present) and size < _TOKENS_AT_ONCE:
            size += len(present[stop])
            stop += 1
        some = present[start:stop]
        ends = np.cumsum([len(own) for own in some])[:-1]
        codes += [c.tobytes() for c in np.split(rotation.codes(np.concatenate(some)), ends)]
        start = stop
    made = iter(codes)
    return [b"" if own is None or not len(own) else next(made) for own in tokens]


def lexical_payload(d: Draft) -> bytes:
    """
    Return the terms of what the words cue reads: date in words, speaker, text, file name.

    Last come the marks of a text that tells of its speaker, and of a deed of theirs, if it does.
    """
    when = f"{from_micros(d.said_at):%d %B %Y}"
    terms = hash_terms(f"{when} {d.speaker or ''} {d.text} {d.source or ''}")
    marks = [TELLING] * tells_of_self(d.text) + [DEED] * tells_of_deed(d.text)
    return pack_terms(np.append(terms, np.array(marks, np.uint32)))


def context_before(drafts: Iterable[Draft], said: dict[str, list[str]]) -> list[list[str]]:
    """
    Return, for each draft, the last few things said before it in its session.

    ``said``: what the sessions' turns said last, by session, oldest first; carried on in place.
    """
    before: list[list[str]] = []
    for d in drafts:
        if d.session is None:
            before.append([])
            continue
        lines = said.setdefault(d.session, [])
        before.append(lines[:])
        lines.append(d.spoken[-CONTEXT_CHARACTERS:])
        del lines[:-CONTEXT_TURNS]
    return before
