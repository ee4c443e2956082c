"""A transformer encoder: word vectors that stay in their file, and layers in the native kernel."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Final, NamedTuple
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.system import open_descriptor, read_at
from hippocampus.errors import EncoderError
from hippocampus.kernel import Transformer

HEADS: Final = 12
"""Heads of attention, 32 wide: those of both built-in models, for which the kernel is written
(docs/adr/0071)."""
EPSILON: Final = 1e-12
"""Addition to a variance before its root is divided by: BERT's, with which both models were
trained."""
MOST_THREADS: Final = 8
"""More threads than this only wait for one another."""
_PASS_PIECES: Final = 64
"""Short texts are put together until there are so many pieces: weights are read once for them."""


class LayerWeights(NamedTuple):
    """One layer's, each linear one as rows an output, and biases; two norms, scale and shift."""

    query: tuple[NDArray[np.float32], NDArray[np.float32]]
    key: tuple[NDArray[np.float32], NDArray[np.float32]]
    value: tuple[NDArray[np.float32], NDArray[np.float32]]
    mixed: tuple[NDArray[np.float32], NDArray[np.float32]]
    attended: tuple[NDArray[np.float32], NDArray[np.float32]]
    wide: tuple[NDArray[np.float32], NDArray[np.float32]]
    narrow: tuple[NDArray[np.float32], NDArray[np.float32]]
    done: tuple[NDArray[np.float32], NDArray[np.float32]]


class TextRows(NamedTuple):
    """A text by how many pieces it has, and those of them whose states are asked for."""

    pieces: int
    first: int
    last: int


class WordRows:
    """
    Rows of one size in a file, read when they are asked for.

    Not mapped: if somebody cuts a mapped file short, a signal ends the process that reads on.
    """

    def __init__(self, path: Path, *, offset: int, nbytes: int) -> None:
        """Open the file; ``offset``: of the first row; ``nbytes``: of each."""
        self._path, self._offset, self._nbytes = path, offset, nbytes
        self._handle = open_descriptor(path, os.O_RDONLY)
        finalize(self, os.close, self._handle)  # nobody closes an embedder
        self._state = self._now()

    def __call__(self, rows: Iterable[int]) -> bytes:
        """Return rows, one after another."""
        read, handle = read_at, self._handle
        size, start = self._nbytes, self._offset
        made = b"".join([read(handle, size, start + row * size) for row in rows])
        if self._now() != self._state:  # afterwards, so that a change meanwhile is seen as well
            msg = f"{self._path}: the model was altered while it was in use; open the memory anew"
            raise EncoderError(msg)
        return made

    def _now(self) -> tuple[int, int]:
        status = os.fstat(self._handle)
        return status.st_size, status.st_mtime_ns


class Encoder:
    """The last hidden states of texts in word pieces; may be used from several threads."""

    def __init__(
        self,
        *,
        places: NDArray[np.float32],
        embedded: tuple[NDArray[np.float32], NDArray[np.float32]],
        layers: Iterable[LayerWeights] | NDArray[np.uint8],
        threads: int | None = None,
    ) -> None:
        """
        Round the weights of the layers to eight bits, unless they are.

        Args:
            places: What each place adds to a word's vector, the kind of text included.
            embedded: The norm of their sum, scale and shift.
            layers: From the first to the last; none is looked at once the next was asked for. Or
                what ``pack`` has returned, sound.
            threads: Of one call, every processor up to eight unless given.
        """
        self._places = places
        self._threads = threads or min(os.cpu_count() or 1, MOST_THREADS)
        self._layers = Transformer(*embedded, heads=HEADS, epsilon=EPSILON)
        if isinstance(layers, np.ndarray):
            self._layers.add_packed(layers)
            return
        for layer in layers:
            self._layers.add(**_of_kernel(layer))

    def pack(self) -> NDArray[np.uint8]:
        """Return all layers as they were rounded, which is the same on every processor."""
        return self._layers.pack()

    def states(
        self, texts: Sequence[TextRows], words: NDArray[np.float32]
    ) -> list[NDArray[np.float32]]:
        """
        Return the last states of the pieces of each text that are asked for, (pieces, width).

        ``words``: the vectors of the texts' words, one text after another.
        """
        places = np.concatenate([self._places[: text.pieces] for text in texts])
        stretches, passes, start, begun = [], [], 0, 0
        for text in texts:
            end = start + text.pieces
            stretches.append((start, end, start, end, start + text.first, start + text.last))
            if end - begun >= _PASS_PIECES:
                passes.append(end)
                begun = end
            start = end
        if begun < start:
            passes.append(start)
        states = self._layers.run(
            words + places,
            np.array(stretches, np.uint32).reshape(-1, 6),
            np.array(passes, np.uint32),
            self._threads,
        )
        edges = accumulate((text.last - text.first for text in texts), initial=0)
        return [states[a:b] for a, b in pairwise(edges)]


def _of_kernel(layer: LayerWeights) -> dict[str, NDArray[np.float32]]:
    """Return a layer's weights by the kernel's names."""
    made: dict[str, NDArray[np.float32]] = {}
    for name, (weights, other) in layer._asdict().items():
        of_norm = name in ("attended", "done")
        made |= {name: weights, f"{name}_shift" if of_norm else f"{name}_bias": other}
    return made
