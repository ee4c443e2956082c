"""
Partitions of rows by meaning: an inverted file over centroids, in two levels.

A question is near a few centroids, and what lies in their partitions is what it may find. Sleep
learns the centroids from a sample, once, and afterwards puts only new rows into partitions: a tenth
new costs a tenth. How rows are laid out by them for searching is ``partition_search.py``.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Floats
from hippocampus.core.background_yield import pausing
from hippocampus.core.decompress import load_arrays
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.errors import InputError
from hippocampus.kernel import quantise_rows

Read: TypeAlias = Callable[[NDArray[np.int64]], Floats]
"""Reads vectors of rows, shape (rows, dimension), of length 1 or zero."""

NOWHERE: Final = 65535
"""The partition of rows without a vector: the largest of two bytes."""
MOST: Final = 4096
"""Most partitions: more are no faster to search below a hundred million rows."""
GROWTH: Final = 4
"""Growth in rows after which centroids are learnt anew, as a factor (docs/large-banks.md):
partitions are twice as long then as they would be made."""
_SAMPLED: Final = 48
"""Rows that each centroid is learnt from: FAISS wants 39 at least. Set by hand."""
_ROUNDS: Final = 8
"""Rounds of k-means: centroids only say where to look, and a search looks into hundreds. Set by
hand."""
_NEAREST: Final = 3
"""Groups of centroids in which a row's own is looked for: .98 of rows have theirs in three."""
_AT_ONCE: Final = 16_384
"""Rows whose vectors are in memory at a time: 25 MB of 384 numbers each."""
_SEED: Final = 0
"""Seed of the sample: any will do, but the same bank has the same partitions."""
_VERSION: Final = 1
"""Version of the stored block; another one is refused, and made anew by sleep."""
_UNREADABLE: Final = (
    ValueError, KeyError, TypeError, EOFError, OSError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


@immutable(eq=False)
class Partitions:
    """
    Centroids, and the partition of each of the first rows of a bank; p centroids in g groups.

    ``centres``: of length 1, shape (p, dimension), those of a group side by side; ``groups``: the
    groups' own, shape (g, dimension), and ``ends``: where each begins and the last ends, shape
    (g + 1,). ``of_row``: places among the centres or ``NOWHERE``, shape (rows,). ``learnt_from``:
    how many rows there were when the centroids were learnt.
    """

    centres: Floats
    groups: Floats
    ends: NDArray[np.int64]
    of_row: NDArray[np.uint16]
    learnt_from: int

    def __len__(self) -> int:
        return len(self.of_row)

    @property
    def dimension(self) -> int:
        """Return the number of dimensions of a vector."""
        return int(self.centres.shape[1])

    def to_bytes(self) -> bytes:
        """Return bytes for ``load``: a zip of NumPy arrays, centroids as signed bytes."""
        arrays: dict[str, NDArray[Any]] = {"ends": self.ends, "of_row": self.of_row}
        for name in ("centres", "groups"):
            codes, scales = quantise_rows(np.ascontiguousarray(getattr(self, name)))
            arrays |= {name: codes, f"{name}_scales": scales}
        head = json.dumps({"version": _VERSION, "learnt_from": self.learnt_from})
        arrays["head"] = np.frombuffer(head.encode(), np.uint8)
        file = io.BytesIO()
        np.savez_compressed(file, allow_pickle=False, **arrays)
        return file.getvalue()

    @classmethod
    def load(cls, payload: bytes) -> Partitions:
        """
        Read partitions from the bytes of ``to_bytes``.

        Raises:
            InputError: it is something else, does not fit together, or is of a later version.

        """
        try:
            arrays = load_arrays(payload)
            head = json.loads(arrays["head"].tobytes())
            if head["version"] != _VERSION:
                msg = (
                    f"partitions of version {head['version']!r}; this one knows {_VERSION}."
                    " Sleep makes them anew"
                )
                raise InputError(msg)
            made = cls(
                centres=_restored(arrays, "centres"),
                groups=_restored(arrays, "groups"),
                ends=arrays["ends"],
                of_row=arrays["of_row"],
                learnt_from=int(head["learnt_from"]),
            )
            wrong = made._misfit()
        except _UNREADABLE as exc:
            wrong = str(exc) or type(exc).__name__
        if wrong:
            msg = f"these are no partitions: {wrong}; sleep makes them anew"
            raise InputError(msg)
        return made

    def _misfit(self) -> str:
        """Return the reason why arrays do not fit together, if they do not."""
        count, dimension = self.centres.shape
        ends = self.ends
        if not 0 < count <= MOST or self.groups.shape != (len(ends) - 1, dimension):
            return f"{count} centroids in {len(self.groups)} groups with {len(ends)} ends"
        if ends.dtype != np.int64 or ends[0] != 0 or ends[-1] != count or (np.diff(ends) < 1).any():
            return "groups that do not follow each other"
        of_row = self.of_row
        if of_row.ndim != 1 or of_row.dtype != np.uint16:
            return f"partitions of rows as {of_row.dtype} of shape {of_row.shape}"
        if (of_row[of_row != NOWHERE] >= count).any():
            return f"rows in partitions of which there are {count}"
        return "" if self.learnt_from > 0 else f"learnt from {self.learnt_from} rows"


def _restored(arrays: dict[str, NDArray[Any]], name: str) -> Floats:
    codes, scales = arrays[name], arrays[f"{name}_scales"]
    if codes.dtype != np.int8 or scales.dtype != np.float32 or not np.isfinite(scales).all():
        msg = f"{name} as {codes.dtype} and {scales.dtype}"
        raise ValueError(msg)
    made: Floats = codes * scales[:, None]
    return made


def partition_count(rows: int) -> int:
    """Return the number of partitions for so many rows: about as many as rows in each."""
    return min(MOST, max(1, round(float(np.sqrt(rows)))))


def keep_up(before: Partitions | None, read: Read, length: int) -> tuple[Partitions, int]:
    """
    Return the partitions of the first ``length`` rows, and how many rows were put into theirs.

    What ``before`` has is taken as it is, unless there is none of this dimension, or so many rows
    more that centroids are learnt anew.
    """
    dimension = read(np.empty(0, np.int64)).shape[1]
    fits = before is not None and before.dimension == dimension and len(before) <= length
    if before is None or not fits or length > GROWTH * before.learnt_from:
        before = _learnt(read, length)
    of_row = np.full(length, NOWHERE, np.uint16)
    of_row[: len(before)] = before.of_row
    new = np.flatnonzero(of_row == NOWHERE)  # or without a vector until now
    for first in pausing(range(0, len(new), _AT_ONCE)):
        rows = new[first : first + _AT_ONCE]
        of_row[rows] = nearest_partition(before, read(rows))
    return replace(before, of_row=of_row), length - len(before)


def nearest_partition(made: Partitions, vectors: Floats) -> NDArray[np.uint16]:
    """Return the partition of each vector: the nearest of its nearest groups, shape (rows,)."""
    near = vectors @ made.groups.T
    most = min(_NEAREST, near.shape[1])
    candidates = np.argpartition(-near, most - 1, axis=1)[:, :most]
    best = np.full(len(vectors), -np.inf, np.float32)
    place = np.full(len(vectors), NOWHERE, np.uint16)
    for group in range(near.shape[1]):
        first, stop = int(made.ends[group]), int(made.ends[group + 1])
        rows = np.flatnonzero((candidates == group).any(axis=1))
        if not len(rows):
            continue
        cosines = vectors[rows] @ made.centres[first:stop].T
        which = cosines.argmax(axis=1)
        found = cosines[np.arange(len(rows)), which]
        better = found > best[rows]
        best[rows[better]] = found[better]
        place[rows[better]] = first + which[better]
    place[~vectors.any(axis=1)] = NOWHERE
    return place


def _learnt(read: Read, length: int) -> Partitions:
    """Learn centroids from a sample of rows; no row is in a partition yet."""
    rng = np.random.default_rng(_SEED)
    count = partition_count(length)
    wanted = min(length, _SAMPLED * count)
    sample = read(np.sort(rng.choice(length, wanted, replace=False)))
    sample = sample[sample.any(axis=1)]
    if not len(sample):
        # Any centre will do where no row has a vector, but there has to be one.
        sample = np.zeros((1, sample.shape[1]), np.float32)
        sample[0, 0] = 1
    groups, group = clustered(sample, max(1, round(float(np.sqrt(count)))), rng)
    centres, sizes = [], []
    for place in range(len(groups)):
        own = sample[group == place]
        share = max(1, round(count * len(own) / len(sample)))
        found = clustered(own, share, rng)[0] if len(own) else groups[place : place + 1]
        centres.append(found)
        sizes.append(len(found))
    every = np.concatenate(centres)[:MOST]  # shares that are rounded up may come to more
    ends = np.minimum(np.cumsum([0, *sizes]), len(every)).astype(np.int64)
    return Partitions(
        centres=every, groups=groups, ends=ends, of_row=np.empty(0, np.uint16), learnt_from=length
    )


def clustered(
    vectors: Floats, count: int, rng: np.random.Generator
) -> tuple[Floats, NDArray[np.intp]]:
    """Return up to ``count`` centres by k-means on the sphere, and the group of each vector."""
    count = min(count, len(vectors))
    centres = vectors[rng.choice(len(vectors), count, replace=False)]
    group = np.zeros(len(vectors), np.intp)
    for _ in pausing(range(_ROUNDS)):
        group = (vectors @ centres.T).argmax(axis=1)
        order = np.argsort(group, kind="stable")
        there, starts = np.unique(group[order], return_index=True)
        sums = np.add.reduceat(vectors[order], starts, axis=0)
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        centres = centres.copy()
        centres[there] = np.where(norms > 0, sums / np.maximum(norms, 1e-12), centres[there])
    return centres, (vectors @ centres.T).argmax(axis=1)
