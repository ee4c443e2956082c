"""
Calls of embedders and of other parts that callers may give, which can fail in any way.

What they raise becomes an ``EncoderError`` that names them, and what they return is looked at, so
that a recall goes on without them, and a write is refused before anything of it is stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import numpy as np

from hippocampus.core.records import Embedded, Embedder, Passage
from hippocampus.errors import EncoderError, HippocampusError

_FAR_FROM_ONE: Final = 0.02
"""Length by which a vector may miss 1; half precision misses it by less."""
_SHOWN: Final = 300
"""Characters of an error that is passed on: a model's may quote all that it was given."""


@contextmanager
def calling(part: str, name: object) -> Iterator[None]:
    """
    Translate the errors of a part that a caller gave into ``EncoderError``.

    Our own pass, and lack of memory, which no other part could go on after.
    """
    try:
        yield
    except (HippocampusError, MemoryError):
        raise
    except Exception as exc:
        msg = f"the {part} {name} failed ({type(exc).__name__}: {exc!s:.{_SHOWN}})"
        raise EncoderError(msg) from exc


def embed_passages(embedder: Embedder, passages: Sequence[Passage]) -> list[Embedded]:
    """
    Return the embeddings of passages, in order, as an embedder makes them.

    Raises:
        EncoderError: it failed, or gave something else than a vector for each.

    """
    with calling("embedder", embedder.fingerprint.name):
        made = embedder.embed(passages)
    if not isinstance(made, Sequence) or len(made) != len(passages):
        has = str(len(made)) if isinstance(made, Sequence) else f"a {type(made).__name__}"
        raise _refused(embedder, f"{has} for {len(passages)} texts; embed() returns a list of"
                                 " one Embedded per passage")  # fmt: skip
    return [_checked(embedder, one) for one in made]


def embed_question(embedder: Embedder, text: str) -> Embedded:
    """
    Return the embedding of a question, as an embedder makes it.

    Raises:
        EncoderError: it failed, or gave something else than a vector.

    """
    with calling("embedder", embedder.fingerprint.name):
        made = embedder.embed_query(text)
    return _checked(embedder, made)


def _checked(embedder: Embedder, made: object) -> Embedded:
    if not isinstance(made, Embedded):
        raise _refused(
            embedder, f"an object of {type(made).__name__}; a text's vector comes in an Embedded"
        )
    wanted = embedder.fingerprint
    vector = _numbers(embedder, made.vector, "a vector")
    if vector.shape != (wanted.dimension,):
        expected = f"its fingerprint says ({wanted.dimension},)"
        raise _refused(embedder, f"a vector of shape {vector.shape}; {expected}")
    length = float(np.linalg.norm(vector))
    if abs(length - 1) > _FAR_FROM_ONE:
        raise _refused(embedder, f"a vector of length {length:.3g}; divide it by that, for 1")
    if made.tokens is not None and wanted.token_dimension:
        tokens = _numbers(embedder, made.tokens, "token vectors")
        if tokens.ndim != 2 or tokens.shape[1] != wanted.token_dimension:
            expected = f"its fingerprint says (n, {wanted.token_dimension})"
            raise _refused(embedder, f"token vectors of shape {tokens.shape}; {expected}")
    return made


def _numbers(embedder: Embedder, given: object, what: str) -> np.ndarray:
    if not isinstance(given, np.ndarray) or not np.issubdtype(given.dtype, np.floating):
        kind = given.dtype if isinstance(given, np.ndarray) else type(given).__name__
        raise _refused(embedder, f"{what} of {kind}; give an array of float32")
    if not np.isfinite(given).all():
        raise _refused(embedder, f"{what} with NaN or infinity; each number must be finite")
    return given


def _refused(embedder: Embedder, told: str) -> EncoderError:
    return EncoderError(f"the embedder {embedder.fingerprint.name} gave {told}")
