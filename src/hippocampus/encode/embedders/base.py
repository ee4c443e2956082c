"""Parts of every embedder: vectors of length 1, and an identity for the weights behind them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hippocampus.core.files import reading
from hippocampus.errors import EncoderError, InvalidText


def unit(rows: ArrayLike, *, by: str) -> NDArray[np.float32]:
    """
    Scale each row of an (n, d) array to length 1, float32.

    Raises:
        EncoderError: A row holds NaN or infinity, or is zero; ``by`` names who made it.
    """
    array = np.asarray(rows, np.float64)
    if array.ndim != 2:
        msg = f"{by} answered with an array of shape {array.shape}; expected one vector per text"
        raise EncoderError(msg)
    lengths = np.sqrt(np.einsum("nd,nd->n", array, array))
    bad = np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0)))
    if bad.size:
        msg = (
            f"{by} gave a vector of length {lengths[bad[0]]} for text {bad[0]} of {len(array)};"
            " a vector must be finite and not zero"
        )
        raise EncoderError(msg)
    scaled: NDArray[np.float32] = (array / lengths[:, None]).astype(np.float32)
    return scaled


def sha256_of(*parts: str) -> str:
    """Hash several strings, each apart from the next."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def weights_of(name_or_path: str, dimension: int, *, recipe: str) -> str:
    """
    Return the identity of a model's weights: a SHA-256, in hex.

    A local folder is identified by the bytes of its files, wherever it lies. A model known only by
    name is as good as its name and dimension.
    """
    folder = Path(name_or_path).expanduser()
    if not folder.is_dir():
        return sha256_of(recipe, name_or_path, str(dimension))
    parts: list[str] = [recipe]
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        place = path.relative_to(folder).as_posix()
        if place.startswith(".") or path.suffix == ".md":
            continue
        with reading(path) as file:
            parts += [place, hashlib.file_digest(file, "sha256").hexdigest()]
    return sha256_of(*parts)


def display_name(name_or_path: str) -> str:
    """Return a model's name for display: of a folder its own name, so that it may be moved."""
    path = Path(name_or_path).expanduser()
    return path.resolve().name if path.is_dir() else name_or_path


def valid(texts: Iterable[str]) -> list[str]:
    """Return the texts as a list; refuse lone surrogates, which no tokenizer or server takes."""
    texts = list(texts)
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError as exc:
            msg = f"cannot embed {text[:40]!r}: it is not valid Unicode (lone surrogates)"
            raise InvalidText(msg) from exc
    return texts
