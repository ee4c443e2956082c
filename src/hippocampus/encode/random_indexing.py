"""
Signatures of token ids without an embedder: random indexing, and random hyperplanes (DWM).

A token's signature depends on the ids at most ``window`` away from it in its own episode, on the
seed, and on nothing else: a bank that grows changes none, and erasing an episode erases all of it.
The generator is splitmix64, written out in ``native/include/hippo/random_index.hpp``; like its
parameters, which a store records, it is part of what is stored.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.config import Signatures
from hippocampus.errors import InputError
from hippocampus.kernel import plane_signs, top_signs

GENERATOR: Final = "splitmix64/1"
"""The generator of random numbers and its version; see the native header."""

_MAKERS: Final = {"top": top_signs, "planes": plane_signs}


def signatures(
    texts: Sequence[Sequence[int] | NDArray[np.uint64]], how: Signatures
) -> list[NDArray[np.uint8]]:
    """Return the signatures of each text's token ids, shape (tokens, bits / 8)."""
    ends = np.cumsum([0, *map(len, texts)], dtype=np.uint64)
    each = [np.asarray(text, np.uint64) for text in texts]
    ids = np.concatenate([*each, np.empty(0, np.uint64)])  # none would have no type
    return np.split(sign(ids, ends, how), ends[1:-1].astype(np.intp)) if texts else []


def sign(ids: NDArray[np.uint64], ends: NDArray[np.uint64], how: Signatures) -> NDArray[np.uint8]:
    """
    Return the signatures of the token ids of texts, shape (ids, bits / 8); nearly all of it native.

    ``ends``: where each text ends, after a 0, shape (texts + 1,).
    """
    return _MAKERS[how.form](
        ids, ends, components=how.components, nonzeros=how.nonzeros,
        window=how.window, bits=how.bits, seed=how.seed,
    )  # fmt: skip


def radius(theta0: float, bits: int, epsilon: float = 0.01) -> int:
    """
    Return the Hamming radius that covers an angle, called r in DWM's appendix F.

    Signs of random hyperplanes differ in theta0 / pi of ``bits``, more or less; a signature within
    the angle is missed with a chance of at most exp(-2 epsilon² bits).

    Args:
        theta0: the angle, in radians, from 0 to pi.
        bits: of a signature, called d.
        epsilon: margin for chance, a share of ``bits``.

    Raises:
        InputError: an angle or a margin that makes no sense.

    """
    if not 0 <= theta0 <= math.pi or not 0 <= epsilon <= 1 or bits < 1:
        msg = (
            f"radius(theta0={theta0!r}, bits={bits!r}, epsilon={epsilon!r}): the angle is from 0 to"
            " pi, the margin from 0 to 1, and there is at least 1 bit"
        )
        raise InputError(msg)
    return min(bits, math.floor((theta0 / math.pi + epsilon) * bits))


def radius_in_company(how: Signatures) -> int:
    """
    Return the radius of DWM's appendix F for a keyword that is signed by itself.

    In a text it stands among ``window`` others on each side, whose parts are added to its own: at
    an angle of arccos(1 / √(2 window + 1)) from itself. Without a window that is none at all.
    """
    return radius(math.acos((2 * how.window + 1) ** -0.5), how.bits)


@lru_cache(maxsize=16)
def load(recorded: str) -> Signatures | None:
    """
    Return the generator that ``dump`` recorded; None if this version does not have it.

    Raises:
        InputError: it is not what ``dump`` records.

    """
    try:
        made = json.loads(recorded)
        return Signatures(**made) if made.pop("generator", None) == GENERATOR else None
    except (ValueError, TypeError, AttributeError, RecursionError) as exc:
        msg = f"how tokens were signed cannot be read ({exc!s:.80})"
        raise InputError(msg) from exc


def dump(how: Signatures) -> str:
    """Return a store's record of everything that its signatures depend on, as JSON."""
    # The radius is of how it is searched, and can change without signing anew.
    made = {name: value for name, value in asdict(how).items() if name != "radius"}
    return json.dumps({"generator": GENERATOR, **made}, sort_keys=True)
