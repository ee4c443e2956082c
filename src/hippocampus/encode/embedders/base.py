"""Parts of every embedder: vectors of length 1, identity of the weights, errors of loading."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hippocampus.core.files import reading
from hippocampus.core.records import Embedded, Fingerprint, Passage
from hippocampus.errors import EncoderError, InvalidText, ModelNotInstalled


class LocalEmbedder(ABC):
    """An embedder that runs in this process, and embeds a question as any other text."""

    fingerprint: Fingerprint
    """The identity of its weights: of a folder by its files, else by its name and dimension."""

    @abstractmethod
    def embed(self, passages: Sequence[Passage]) -> list[Embedded]:
        """Embed passages, in order."""

    def embed_query(self, text: str) -> Embedded:
        """Embed a question."""
        return self.embed([Passage(text)])[0]


@contextmanager
def loading(package: str, model: str, *, fix: str) -> Iterator[None]:
    """Translate a package's error of loading a model into ``ModelNotInstalled``."""
    try:
        yield
    except (OSError, ValueError) as exc:
        msg = f"{package} cannot load {model} from this machine ({exc}); {fix}"
        raise ModelNotInstalled(msg) from exc


FETCH = "give a folder, or fetch the model first, for instance with 'hf download'"
"""Ways to get a model of the Hugging Face hub."""


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
        # Notes of whoever fetched the model, and texts about it, are no weights.
        if place.startswith(".") or path.suffix == ".md":
            continue
        with reading(path) as file:
            parts += [place, hashlib.file_digest(file, "sha256").hexdigest()]
    return sha256_of(*parts)


def fingerprint_of(kind: str, name_or_path: str, dimension: int, tokens: int) -> Fingerprint:
    """Return the fingerprint of a model; ``tokens``: the dimension of its token vectors, or 0."""
    return Fingerprint(
        name=f"{kind}:{display_name(name_or_path)}",
        weights=weights_of(name_or_path, dimension, recipe=f"{kind}/1"),
        dimension=dimension,
        token_dimension=tokens,
    )


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
