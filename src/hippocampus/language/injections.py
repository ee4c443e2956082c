"""
Prompt injections: texts of others that speak to the model that will read them.

A text is looked at in stretches of some dozen words. Its words, their beginnings and classes
(``injection_words.py``), and which classes stand beside each other, each add to the odds or take
from them. The weights were learnt from texts by many authors; see ``docs/trust.md`` for how well
they do on those of others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from struct import Struct
from typing import Final, NamedTuple
from zlib import crc32

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.language.injection_words import classes_of

SIZE: Final = 1 << 17
"""Places that features are hashed to; the one behind them is that of no feature. Of injections by
unseen authors .746 are found, with twice as many places .755, for 75 KB more of a wheel
(docs/adr/0101)."""
WEIGHTS_FILE: Final = Path(__file__).with_name("injection_weights.bin")
"""The weights of features, made by the command of ``hippocampus_bench.injections``."""

_UNSPACED: Final = "\u0e00-\u0eff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af"
_LETTER: Final = rf"[^\W\d_{_UNSPACED}]"
_TOKEN: Final = lazy_pattern(
    rf"[{_UNSPACED}]|{_LETTER}{{1,32}}+(?:['’]{_LETTER}{{1,8}}+)?+|\d{{1,32}}+|[^\w\s]|[_\n]"
)
"""A word, a character of a script without spaces, a number, a mark, or the end of a line."""
_BEGINNING: Final = 5
"""Letters of the beginning of a longer word, which counts as well (docs/adr/0101): for endings and
compounds. The weights are fitted to this and the next ones."""
_BESIDE: Final = 2
"""Tokens up to which words and classes stand beside each other: with two .731 is found, with four
.724 (docs/adr/0101)."""
_NEAR: Final = 5
"""Tokens up to which classes are near each other (docs/adr/0101)."""
_KINDS: Final = 3 + _BESIDE + _NEAR
"""Features of a token: itself, its beginning, its class, and those with each token behind it."""
_TOKENS: Final = 48
"""Tokens of a stretch: of 32 or 24 less is found of unseen authors (docs/adr/0101)."""
_STEP: Final = 12
"""Tokens from the start of one stretch to that of the next: any run of 36 is whole in one
(docs/adr/0101)."""
_AT_ONCE: Final = 1024
"""Stretches whose features are in memory at a time: 2 MB."""
_FEW: Final = 60
"""Features below which a stretch counts as if it had so many: a word alone tells little. Set by
hand; the weights are fitted to it."""

_Hashes = NDArray[np.uint64]
_NONE: Final[_Hashes] = np.zeros(1, np.uint64)
# Odd, with bits all over, so that no bit of a hash is lost. The weights are fitted to places:
# another factor, or another sort, would need other weights.
_PRIMES: Final = tuple(map(np.uint64, (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93)))
# Leaves as many high bits of a product as places have, for they mix best.
_SHIFT: Final = np.uint64(65 - SIZE.bit_length())
_WORD: Final = Struct("<QQQ")
HEAD: Final = Struct("<ff")
"""Layout of the head of the kept weights: the scale of their bytes, and the bias."""


class Weights(NamedTuple):
    """Weights of features in the log odds of a stretch, shape (SIZE + 1,), and their bias."""

    of: NDArray[np.float32]
    bias: float


def reads_like_injection(text: str) -> bool:
    """Return whether a text gives orders to whichever model reads it."""
    return injection_odds(text) > 0


def injection_odds(text: str, weights: Weights | None = None) -> float:
    """
    Return the log odds that a text is an injection: of that stretch of it that is the likest.

    ``weights``: others than those that are kept.
    """
    weights = weights or _weights()
    return weights.bias + max(
        float(np.max(weights.of[shown].sum(axis=1) * shares(shown))) for shown in stretches(text)
    )


def stretches(text: str) -> Iterator[NDArray[np.int32]]:
    """Yield the features of stretches of a text, some at a time, shape (stretches, features)."""
    features = _features(text)
    whole = max(0, -(-(len(features) - _TOKENS) // _STEP))
    padding = np.full((_TOKENS + whole * _STEP - len(features), _KINDS), SIZE, np.int32)
    flat = np.concatenate([features, padding]).ravel()
    every = sliding_window_view(flat, _TOKENS * _KINDS)[:: _STEP * _KINDS]
    for start in range(0, len(every), _AT_ONCE):
        shown = np.sort(every[start : start + _AT_ONCE], axis=1)
        shown[:, 1:][shown[:, 1:] == shown[:, :-1]] = SIZE  # twice is no more than once
        yield shown


def shares(shown: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return the share of each feature of a stretch in its odds: the more there are, the less."""
    counts = np.count_nonzero(shown < SIZE, axis=1)
    each: NDArray[np.float32] = (1 / np.sqrt(np.maximum(counts, _FEW))).astype(np.float32)
    return each


def unpack_weights(packed: bytes) -> Weights:
    """Return weights as they are kept: a scale, the bias, and a byte for each feature."""
    step, bias = HEAD.unpack_from(packed)
    kept = np.frombuffer(packed, np.int8, SIZE, HEAD.size)
    return Weights(np.append(kept * np.float32(step), np.float32(0)), bias)


@cache
def _weights() -> Weights:
    return unpack_weights(WEIGHTS_FILE.read_bytes())


def _features(text: str) -> NDArray[np.int32]:
    """
    Return the places of the features of each token of a text, shape (tokens, kinds).

    Itself, its beginning, its class; it and the next token; it and the one after that, if either
    has a class; and classes that are near each other.
    """
    tokens = _TOKEN.findall(text.lower())
    # Some more at the end, which are no words, so that each token has those that follow.
    hashed = _hashed([*tokens, *[""] * _NEAR])
    word, beginning, kind = hashed[: len(tokens)].T
    has_class = hashed[:, 0] != hashed[:, 2]
    known = has_class[: len(tokens)]
    places = [
        _places(0, word),
        np.where(beginning != 0, _places(1, beginning), SIZE),
        np.where(known, _places(2, kind), SIZE),
    ]
    for apart in range(1, _NEAR + 1):
        after = hashed[apart : apart + len(tokens), 2]
        after_known = has_class[apart : apart + len(tokens)]
        if apart <= _BESIDE:
            either = known | after_known | (apart == 1)
            places.append(np.where(either, _places(2 + apart, kind, after), SIZE))
        # However far apart, it is the same: "ignore all rules", "ignore all previous rules".
        both = known & after_known
        places.append(np.where(both, _places(3 + _BESIDE, kind, after), SIZE))
    return np.stack(places, axis=1).astype(np.int32)


def _places(sort: int, one: _Hashes, other: _Hashes = _NONE) -> _Hashes:
    """Return the table places of features of a sort, each of one hash or of two in order."""
    mixed: _Hashes = (one * _PRIMES[0] ^ other * _PRIMES[1]) + np.uint64(sort)
    return mixed * _PRIMES[2] >> _SHIFT


def _hashed(tokens: Sequence[str]) -> _Hashes:
    """Return three hashes of each token, shape (tokens, 3)."""
    return np.frombuffer(b"".join(map(_hashes_of, tokens)), "<u8").reshape(-1, 3)


@lru_cache(maxsize=1 << 14)
def _hashes_of(token: str) -> bytes:
    """Return the hashes of a token, of its beginning (0 if it is short), and of its classes."""
    if token.isdigit():
        number = _hash("0")
        return _WORD.pack(number, 0, number)
    word = _hash(token)
    beginning = _hash("<" + token[:_BEGINNING]) if len(token) > _BEGINNING else 0
    classes = classes_of(token) if token[:1].isalpha() else ()
    kind = _hash(" ".join(sorted(classes))) if classes else word
    return _WORD.pack(word, beginning, kind)


def _hash(text: str) -> int:
    return crc32(text.encode(errors="replace"))
