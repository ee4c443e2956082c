"""Sealed columns of a row, and the place that each value is sealed for."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from hippocampus.core.cipher import Cipher, Unsealable
from hippocampus.core.events import JournalRow
from hippocampus.core.records import EpisodeRow
from hippocampus.store.checksums import BLANK


def payload_place(kind: str, row: int, count: int = 0) -> str:
    """Return where a payload belongs, of one episode or a block; a rebuild's take their place."""
    return f"{kind[:-5] if kind[-5:] == '.next' else kind} {row} {count}"


def seal_change(cipher: Cipher, change: JournalRow) -> JournalRow:
    """Return a change as it is written: its detail sealed, for the chain to be over that."""
    if not cipher.seals or change.detail == BLANK:
        return change
    return change._replace(detail=cipher.seal_text(f"detail {change.seq}", change.detail))


def open_change(cipher: Cipher, change: JournalRow) -> JournalRow | None:
    """Return a change as it was before it was sealed; None if it does not open."""
    if not cipher.seals or change.detail == BLANK:
        return change
    with suppress(Unsealable):
        return change._replace(detail=cipher.unseal_text(f"detail {change.seq}", change.detail))
    return None


def seal_episode(cipher: Cipher, episode: EpisodeRow) -> EpisodeRow:
    """Return an episode as it is written; what remains of an erased one is its id."""
    if not cipher.seals:
        return episode
    digest = cipher.seal("digest", episode.digest, read_next=True)
    return _with_words(episode, partial(cipher.seal_text, read_next=True), digest=digest)


def open_episode(cipher: Cipher, episode: EpisodeRow) -> EpisodeRow | None:
    """Return an episode as it was before it was sealed; None if it does not open."""
    if not cipher.seals:
        return episode
    with suppress(Unsealable):
        digest = cipher.unseal("digest", episode.digest)
        return _with_words(episode, cipher.unseal_text, digest=digest)
    return None


def _with_words(e: EpisodeRow, change: Callable[[str, str], str], *, digest: bytes) -> EpisodeRow:
    """
    Return an episode with its words changed, each by the place where it belongs.

    What is looked up is the same everywhere in a bank; metadata are others in each row, and stay as
    they are where there are none.
    """
    session, speaker, role, source = e.session, e.speaker, e.role, e.source
    return e._replace(
        id=change("id", e.id),
        session=None if session is None else change("session", session),
        speaker=None if speaker is None else change("speaker", speaker),
        role=None if role is None else change("role", role),
        source=None if source is None else change("source", source),
        address=change("address", e.address),
        metadata=e.metadata if e.metadata == BLANK else change(f"metadata {e.row}", e.metadata),
        digest=digest,
    )
