"""A cache of vectors on disk, for benchmarks that are run again."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.records import Embedded, Embedder, Passage
from hippocampus.encode.embedders.base import unit
from hippocampus.errors import EncoderError

_APPLICATION_ID = 0x48636163  # "Hcac"
_SCHEMA = """
create table if not exists embedded (
    key    blob primary key,
    vector blob not null,
    tokens blob,
    spans  blob
) without rowid
"""
_QUERIES_KEPT = 256


class CachedEmbedder:
    """
    Wraps an embedder: known passages are read from a SQLite file, recent questions from memory.

    Vectors are kept as float16 (5e-4 relative), and the first answer is rounded like the later
    ones, so that a passage has one vector. The file holds hashes of texts, not texts, and may serve
    several embedders and processes. It can be deleted at any time.
    """

    def __init__(self, inner: Embedder, path: Path | str) -> None:
        self._inner = inner
        self._path = Path(path)
        self._lock = Lock()
        self._query = lru_cache(_QUERIES_KEPT)(inner.embed_query)
        self.fingerprint = made = inner.fingerprint  # but for rounding the vectors are the same
        self._salt = repr((made.name, made.weights, made.dimension, made.token_dimension)).encode()
        with self._translated():
            self._db = sqlite3.connect(
                self._path, timeout=30, isolation_level=None, check_same_thread=False
            )
            try:
                (owner,) = self._db.execute("pragma application_id").fetchone()
                (tables,) = self._db.execute("select count(*) from sqlite_master").fetchone()
                if tables and owner != _APPLICATION_ID:
                    msg = f"{self._path}: a database of something else; it was left as it is"
                    raise EncoderError(msg)  # noqa: TRY301 - one handler closes the file
                self._db.execute("pragma journal_mode = wal")
                self._db.execute("pragma synchronous = off")  # what is lost is made again
                self._db.execute(f"pragma application_id = {_APPLICATION_ID}")
                self._db.execute(_SCHEMA)
            except BaseException:
                self._db.close()
                raise

    def embed(self, passages: Sequence[Passage]) -> list[Embedded]:
        """Embed passages, in order, asking the wrapped embedder only for new ones, each once."""
        keys = [self._key(passage) for passage in passages]
        with self._translated():
            found = {key: row for key in dict.fromkeys(keys) if (row := self._read(key))}
        new = {
            key: passage for key, passage in zip(keys, passages, strict=True) if key not in found
        }
        if new:
            made = dict(zip(new, self._inner.embed(list(new.values())), strict=True))
            rows = {key: _packed(embedded) for key, embedded in made.items()}
            with self._translated(), self._db:
                self._db.execute("begin immediate")
                self._db.executemany(
                    "insert or ignore into embedded values (?, ?, ?, ?)",
                    [(key, *row) for key, row in rows.items()],
                )
            found |= {key: self._unpacked(*row) for key, row in rows.items()}
        return [found[key] for key in keys]

    def embed_query(self, text: str) -> Embedded:
        """Embed a question; the last few hundred are remembered in memory, as they were made."""
        return self._query(text)

    def close(self) -> None:
        """Close the file. May be called twice."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Let one thread at the file, and raise errors of SQLite as ours."""
        try:
            with self._lock:
                yield
        except sqlite3.Error as exc:
            msg = f"{self._path}: the cache of embeddings cannot be used ({exc}); it may be deleted"
            raise EncoderError(msg) from exc

    def _key(self, passage: Passage) -> bytes:
        digest = hashlib.blake2b(self._salt, digest_size=16)
        for part in (passage.text, passage.before, passage.after):
            raw = part.encode("utf-8", "surrogatepass")
            digest.update(len(raw).to_bytes(8, "little") + raw)
        return digest.digest()

    def _read(self, key: bytes) -> Embedded | None:
        row = self._db.execute(
            "select vector, tokens, spans from embedded where key = ?", (key,)
        ).fetchone()
        return None if row is None else self._unpacked(*row)

    def _unpacked(self, vector: bytes, tokens: bytes | None, spans: bytes | None) -> Embedded:
        made = self.fingerprint
        try:
            return Embedded(
                vector=_floats(vector, made.dimension)[0],
                tokens=None if tokens is None else _floats(tokens, made.token_dimension),
                spans=None if spans is None else np.frombuffer(spans, "<i4").reshape(-1, 2).copy(),
            )
        except (ValueError, IndexError) as exc:
            msg = f"{self._path}: the cache of embeddings is damaged ({exc}); it may be deleted"
            raise EncoderError(msg) from exc


def _packed(embedded: Embedded) -> tuple[bytes, bytes | None, bytes | None]:
    return (
        embedded.vector.astype("<f2").tobytes(),
        None if embedded.tokens is None else embedded.tokens.astype("<f2").tobytes(),
        None if embedded.spans is None else embedded.spans.astype("<i4").tobytes(),
    )


def _floats(raw: bytes, dimension: int) -> NDArray[np.float32]:
    return unit(np.frombuffer(raw, "<f2").reshape(-1, dimension), by="the cache")
