"""Sealed columns of a row, and the place that each value is sealed for."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from hippocampus.core.cipher import Cipher, Unsealable
from hippocampus.core.events import JournalRow
from hippocampus.core.records import EpisodeRow
from hippocampus.store.checksums import BLANK


def payload_place(kind: str, row: int, count: int = 0) -> str:
    """Return the place of a payload, of one episode or a block; a rebuild's take their place."""
    return f"{kind[:-5] if kind[-5:] == '.next' else kind} {row} {count}"


def seal_change(cipher: Cipher, change: JournalRow) -> JournalRow:
    """Return a change as it is written: its detail sealed, for the chain to be over that."""
    if not cipher.seals or change.detail == BLANK:
        return change
    return change._replace(detail=cipher.seal_text_once(f"detail {change.seq}", change.detail))


def open_change(cipher: Cipher, change: JournalRow) -> JournalRow | None:
    """Return a change as it was before it was sealed; None if it does not open."""
    if not cipher.seals or change.detail == BLANK:
        return change
    with suppress(Unsealable):
        return change._replace(detail=cipher.unseal_text(f"detail {change.seq}", change.detail))
    return None


def seal_episode(cipher: Cipher, episode: EpisodeRow) -> EpisodeRow:
    """Return an episode as it is written; only the id remains of an erased one."""
    if not cipher.seals:
        return episode
    metadata = episode.metadata
    if metadata != BLANK:
        metadata = cipher.seal_text_once(f"metadata {episode.row}", metadata)
    digest = cipher.seal("digest", episode.digest)
    sealed = _with_words(episode, cipher.seal_text, metadata=metadata, digest=digest)
    if cipher.lately is not None:
        cipher.lately.note_episode(episode, sealed)
    return sealed


def open_episode(cipher: Cipher, episode: EpisodeRow) -> EpisodeRow | None:
    """Return an episode as it was before it was sealed; None if it does not open."""
    if not cipher.seals:
        return episode
    known = None if cipher.lately is None else cipher.lately.take_episode(episode)
    if known is not None:
        return known
    with suppress(Unsealable):
        metadata = episode.metadata
        if metadata != BLANK:
            metadata = cipher.unseal_text(f"metadata {episode.row}", metadata)
        digest = cipher.unseal("digest", episode.digest)
        return _with_words(episode, cipher.unseal_text, metadata=metadata, digest=digest)
    return None


def _with_words(
    e: EpisodeRow, change: Callable[[str, str], str], *, metadata: str, digest: bytes
) -> EpisodeRow:
    """
    Return an episode with its words changed, each by the place where it belongs.

    What is looked up is the same everywhere in a bank; metadata are others in each row.
    """
    session, speaker, role, source = e.session, e.speaker, e.role, e.source
    return EpisodeRow(
        e.row,
        change("id", e.id),
        e.occurred_at,
        e.recorded_at,
        None if session is None else change("session", session),
        e.turn,
        e.part,
        e.parts,
        None if speaker is None else change("speaker", speaker),
        None if role is None else change("role", role),
        None if source is None else change("source", source),
        change("address", e.address),
        metadata,
        digest,
        *e[14:],
    )
