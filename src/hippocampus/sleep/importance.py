"""
Worth of keeping each memory, beside the others, as a bank's nights see it.

Three scores of the same signals, each from a paper: ``five`` factors (HUMAN, Table 2), ``four``
calibrated signals (HUMAN, section 8.1) and ``iota`` (CONCEPT, section 4.6a, of which
``language/importance.py`` makes what lasts). Who is kept goes by rank, never by a score's value, so
a policy may take any of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.appraise import FIVE_FACTORS, FOUR_SIGNALS, appraise, importance
from hippocampus.core.arrays import Codes, Doubles
from hippocampus.errors import InputError

Form: TypeAlias = Literal["five", "four", "iota"]
FORMS: Final[tuple[Form, ...]] = get_args(Form)

DECAY_PER_HOUR: Final = 0.001
"""Called λ in HUMAN, section 5: half of it is left after 29 days, which the paper found best."""
PROMOTE: Final = 0.2
"""Share of the best, which are promoted (HUMAN, section 4)."""
PRUNE: Final = 0.2
"""Share of the worst, which may go (HUMAN, section 4)."""
PRUNED, RETAINED, PROMOTED = np.int8(0), np.int8(1), np.int8(2)


class Features(NamedTuple):
    """
    Features of the scores, one number a row; each of shape (n,), float64.

    Whoever knows nothing of a signal gives the same number for every row.
    """

    age_h: Doubles
    """Hours since it was said."""
    alike: Doubles
    """Number of others like it: near in meaning, or of the same words."""
    surprise: Doubles
    """Distance from the expected, in [0, 1]."""
    saliency: Doubles
    """The importance of the most important thing it names, in [0, 1]."""
    outcome: Doubles
    """Outcome of it, known or likely, in [0, 1]: 0.5 where nobody knows."""
    length: Doubles
    """Words or tokens."""
    place: Doubles
    """Its place in its session, from 0."""
    lasting: Doubles
    """Part of CONCEPT's importance that does not fade, in [0, 8.5]."""


def score(
    features: Features,
    form: Form = "five",
    *,
    weights: Mapping[str, float] | None = None,
    decay: float = DECAY_PER_HOUR,
) -> Doubles:
    """
    Return a score per row, higher is more worth keeping.

    ``five`` and ``four`` lie in [0, 1], ``iota`` in [1, 10].

    Args:
        features: what is known of the rows.
        form: which score.
        weights: of its signals, by name; the paper's, or the default embedder's, by default.
        decay: per hour, of the five factors' recency.

    Raises:
        InputError: there is no such form or signal, or weights that mean nothing.

    """
    if form == "five":
        return appraise(_factors(features, decay), FIVE_FACTORS, weights)
    if form == "four":
        return appraise(_signals(features), FOUR_SIGNALS, weights)
    if form != "iota":
        msg = f"form={form!r}: there are {', '.join(FORMS)}"
        raise InputError(msg)
    return importance(features.lasting, features.age_h)


def _factors(features: Features, decay: float) -> dict[str, Doubles]:
    return {
        "recency": np.exp(-decay * features.age_h),
        "frequency": 1.0 / (1.0 + features.alike),
        "surprise": features.surprise,
        "saliency": features.saliency,
        "outcome": features.outcome,
    }


def _signals(features: Features) -> dict[str, Doubles]:
    # Weights come from areas under ROC curves, which see order alone: so does the score.
    return {
        "length": ranked(features.length),
        "surprise": ranked(features.surprise),
        "position": ranked(-features.place),
        "recency": ranked(-features.age_h),
    }


def ranked(values: Doubles) -> Doubles:
    """Return the share of the others that each is above, in [0, 1], ties counting half."""
    if len(values) < 2:
        return np.full(len(values), 0.5)
    ordered = np.sort(values)
    below = np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right") - 1
    shares: Doubles = below / 2 / (len(values) - 1)
    return shares


def tiers(scores: Doubles, *, promote: float = PROMOTE, prune: float = PRUNE) -> NDArray[np.int8]:
    """
    Say of each row whether it is promoted, retained or pruned, by rank.

    Of rows with the same score the later one is above: it is fresher, and somebody said it again.
    Shares are rounded down, so a bank of three is retained whole.

    Returns:
        ``PROMOTED``, ``RETAINED`` or ``PRUNED``, shape (n,).

    """
    if not (promote >= 0 and prune >= 0 and promote + prune <= 1):
        msg = f"promote={promote}, prune={prune}: must be shares, from 0 on, of at most 1 together"
        raise InputError(msg)
    order = np.argsort(scores, kind="stable")  # ascending, and the earlier of equals first
    found = np.full(len(scores), RETAINED, np.int8)
    found[order[: _share(prune, len(scores))]] = PRUNED
    found[order[len(scores) - _share(promote, len(scores)) :]] = PROMOTED
    return found


def _share(share: float, of: int) -> int:
    return int(share * of + 1e-9)  # 0.2 of 15 is 3, whatever binary fractions make of it


def places(codes: Codes) -> Doubles:
    """Return the number of earlier rows that have the same code."""
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(codes) else order
    run = np.repeat(starts, np.diff(np.r_[starts, len(codes)]))
    found = np.empty(len(codes))
    found[order] = np.arange(len(codes)) - run
    return found
