"""Every default, its unit, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass, field

from hippocampus.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingest:
    """How what is written is cut and gated."""

    max_text_bytes: int = 16 * 1024 * 1024
    """Most UTF-8 bytes of one text. A larger one is a file: split it or import it as one."""
    chunk_tokens: int = 256
    """Longest episode in tokens; longer turns and documents are split at sentences."""
    batch: int = 512
    """Episodes per transaction in ``remember_many``."""
    echo_words: int = 5
    """Shortest recalled text, in words, that is recognised when it comes back bare."""
    seal_rows: int = 2048
    """Tail rows that are sealed into one block."""

    def __post_init__(self) -> None:
        for name in ("max_text_bytes", "chunk_tokens", "batch", "echo_words", "seal_rows"):
            if getattr(self, name) < 1:
                msg = f"Ingest.{name}={getattr(self, name)}: must be at least 1"
                raise InputError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """What a ``Memory`` is opened with; validated once, never changed."""

    ingest: Ingest = field(default_factory=Ingest)
    timezone: str = "UTC"
    """IANA name. Naive datetimes are read in it, and "yesterday" means its yesterday."""
    busy_timeout_s: float = 10.0
    """How long a write waits for another process before ``StoreLocked``."""
