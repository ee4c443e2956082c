"""The phrases of episodes as bytes and back: what anchors and the graph of names are built from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.records import Payloads
from hippocampus.index.cue import Mask, Scores

_HEAD: Final = 4  # bytes, of one uint32
_SIXTEENTHS: Final = 16
"""An episode's phrases: a head of lasting importance in sixteenths, 8 bits, and a digest of its
details, 24; then a key a phrase; uint32 each."""
_LOW: Final = 0xFF
"""The 8 bits of importance in a head."""
PROPER: Final = 1 << 31
"""The bit of a key that says the phrase was written as a name."""


def pack_phrases(found: Mapping[int, bool], lasting: float, details: int) -> bytes:
    """
    Return the payload of an episode from its phrases' keys, told names or not.

    ``details``: their digest, as ``digest_details`` makes it.
    """
    keys = [key | PROPER if proper else key for key, proper in sorted(found.items())]
    head = round(lasting * _SIXTEENTHS) | details << 8
    return np.array([head, *keys], "<u4").tobytes()


class Phrases(NamedTuple):
    """
    Phrases of payloads; p phrases of n episodes.

    ``keys``, shape (p,), with ``PROPER`` in names; ``owner``: which episode each belongs to;
    ``lasting`` importance and ``gists`` (``language/equivalence.py``), shape (n,), 0 for episodes
    without a payload; ``present``: which have one.
    """

    keys: NDArray[np.uint32]
    owner: NDArray[np.intp]
    lasting: Scores
    gists: NDArray[np.uint32]
    present: Mask


def unpack_phrases(payloads: Payloads) -> Phrases:
    """Return the phrases that payloads tell of their episodes; a damaged one counts as none."""
    if (payloads.lengths % _HEAD).any():
        payloads = Payloads.of([one if not len(one) % _HEAD else b"" for one in payloads])
    numbers = payloads.data.view("<u4")
    counts = (payloads.lengths // _HEAD).astype(np.int64)
    present: Mask = counts > 0
    starts = (np.cumsum(counts) - counts)[present]
    heads = np.zeros(len(numbers), np.bool_)
    heads[starts] = True
    lasting = np.zeros(len(payloads), np.float32)
    lasting[present] = (numbers[starts] & _LOW) / np.float32(_SIXTEENTHS)
    phrases = np.maximum(counts - 1, 0)
    gists = np.zeros(len(payloads), np.uint32)
    gists[present] = (numbers[starts] & ~np.uint32(_LOW)) | np.minimum(phrases[present], _LOW)
    owner = np.repeat(np.arange(len(payloads)), phrases)
    return Phrases(numbers[~heads].astype(np.uint32), owner, lasting, gists, present)
