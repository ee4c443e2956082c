"""The second built-in embedder: multilingual-e5-small, for texts and questions in 100 languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.records import Fingerprint
from hippocampus.encode.contextual import DIMENSION, ContextualEmbedder, WordPieces
from hippocampus.encode.e5_file import BLOCK, E5File, read_e5, unpack
from hippocampus.encode.embedders.base import sha256_of, valid
from hippocampus.encode.encoder import Encoder, LayerWeights
from hippocampus.encode.model_files import MODELS, MULTILINGUAL, is_sound
from hippocampus.encode.unigram import UnigramCutter
from hippocampus.errors import EncoderError

_RECIPE: Final = "own tokens' mean, neighbours as context, query and passage/1"
_LAYERS: Final = 12
"""Layers of multilingual-e5-small, as published."""
_FILE: Final = "e5-small-q4.bin"


class MultilingualEmbedder(ContextualEmbedder):
    """
    Pooled and token vectors of multilingual-e5-small; equal meanings are near in any language.

    The weights were rounded to four bits. Questions and passages begin with the words the model
    was trained with.
    """

    name = "multilingual-e5-small"

    def __init__(self, folder: Path, *, threads: int | None = None) -> None:
        """
        Load the model from a folder that ``models.install`` made.

        Args:
            folder: Holds ``e5-small-q4.bin``.
            threads: Threads of one pass; every processor up to eight unless given.
        """
        pinned = MODELS[MULTILINGUAL].files[_FILE]
        try:
            sound = is_sound(folder / _FILE, pinned)
        except OSError as exc:
            fix = f"run 'hippocampus models install {MULTILINGUAL}'"
            msg = f"{folder}: not a model folder ({exc}); {fix}"
            raise EncoderError(msg) from exc
        if not sound:
            fix = f"run 'hippocampus models install {MULTILINGUAL} --force'"
            raise EncoderError(f"{folder}: its files were altered; {fix}")
        self._file = read_e5(folder / _FILE)
        self._cutter = _cutter(self._file)
        self._rows = self._file.rows("emb.word")
        self._encoder = _encoder(self._file, threads)
        first = self._file.first
        self._opening = [first, *self._pieces("passage:").ids]
        self._asking = [first, *self._pieces("query:").ids]
        self._closing = [self._file.last]
        self.fingerprint = Fingerprint(
            name=self.name,
            weights=sha256_of(pinned.sha256, _RECIPE),
            dimension=DIMENSION,
            token_dimension=DIMENSION,
        )

    def _pieces(self, text: str) -> WordPieces:
        (sound,) = valid([text])
        plain, places = _plain(sound, self._file.written)
        if not plain.strip():  # or the space that is thought before a text would be a piece
            return WordPieces([], [])
        found = self._cutter.cut(plain)
        if places is None:
            return found
        spans = ((places[start], places[end - 1] + 1) for start, end in found.offsets)
        return WordPieces(found.ids, list(spans))

    def _words(self, ids: Sequence[int]) -> NDArray[np.float32]:
        return unpack(np.frombuffer(self._rows(ids), BLOCK)).reshape(-1, DIMENSION)


def _plain(text: str, written: Mapping[int, str]) -> tuple[str, list[int] | None]:
    """Return a text as the model reads it; and the place of each character, if that changed."""
    changed = [character for character in set(map(ord, text)) if character in written]
    if not changed:
        return text, None
    # One for one: places stay as they are.
    if all(len(written[character]) == 1 for character in changed):
        return text.translate(written), None
    parts = [written.get(ord(character), character) for character in text]
    places = list(chain.from_iterable([at] * len(part) for at, part in enumerate(parts)))
    return "".join(parts), places


def _cutter(file: E5File) -> UnigramCutter:
    # What no text has: "</s>" in somebody's message is text.
    marks = {file.first, file.last, file.unknown, *range(4), len(file.pieces) - 1}
    return UnigramCutter(
        {
            piece: (place, likely)
            for place, (piece, likely) in enumerate(file.pieces)
            if place not in marks
        },
        file.unknown,
    )


def _encoder(file: E5File, threads: int | None) -> Encoder:
    def linear(name: str, inputs: int = DIMENSION) -> tuple[Any, Any]:
        return file.tensor(f"{name}.w").reshape(-1, inputs), file.tensor(f"{name}.b")

    def norm(name: str) -> tuple[Any, Any]:
        return file.tensor(f"{name}.w"), file.tensor(f"{name}.b")

    def layer(of: str) -> LayerWeights:
        return LayerWeights(
            query=linear(f"{of}.q"),
            key=linear(f"{of}.k"),
            value=linear(f"{of}.v"),
            mixed=linear(f"{of}.ao"),
            attended=norm(f"{of}.aln"),
            wide=linear(f"{of}.fi"),
            narrow=linear(f"{of}.fo", 4 * DIMENSION),
            done=norm(f"{of}.oln"),
        )

    places, kinds = (file.tensor(f"emb.{name}").reshape(-1, DIMENSION) for name in ("pos", "type"))
    return Encoder(
        places=places + kinds[0],
        embedded=norm("emb.ln"),
        layers=(layer(f"l{number}") for number in range(_LAYERS)),
        threads=threads,
    )
