"""
Calibrated probabilities that a hit is relevant, and that anything relevant was found at all.

Logistic regressions on the evidence of each hit (``evidence.py``), fitted on synthetic
conversations with questions that have no answer (``bench/tools/calibrate.py``), but for the weight
of ``rival``: nobody answers anybody in those, so that it comes from LoCoMo's development half, and
what a question supposes (``premise.py``) from histories of daily life. A model per set of evidence,
since an embedder may be absent and cues may be chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Floats
from hippocampus.core.logistic import logistic
from hippocampus.recall.premise import Premise

DEPTH = 10
"""Hits that are looked at to say whether anything was found, however many are asked for: as the
models were fitted (docs/adr/0010)."""


_SAID_BY_OTHERS = (
    "Nothing answers it: what comes nearest was said by others than the one asked about."
)
_AMONG_OTHERS = 0.2
"""Log odds that a question about one of several who speak loses where tokens tell how well both
fit: what is asked of one of them is often another's deed (docs/adr/0058)."""


class LogisticModel(NamedTuple):
    """
    One fitted model.

    ``weights``: a constant, and a weight for each evidence: log odds that the question is answered
    by the best hit, if it looks like this. ``hit``: from these log odds to those of a hit being
    relevant: a constant, a slope, and what each e-fold of rank takes away. ``found``: the
    probability from which something counts as found. ``rival``: the weight of how much better what
    others said fits the question (``rivalry``), in whether it is answered, and in no hit.
    """

    evidence: tuple[str, ...]
    weights: tuple[float, ...]
    hit: tuple[float, float, float]
    found: float
    rival: float = 0.0


# ``rival`` was chosen on LoCoMo's development half: -16 where three turns a side are compared by
# tokens, -4 where one is by words (docs/adr/0010).
MODELS: tuple[LogisticModel, ...] = (
    LogisticModel(
        ("matched", "missing", "other", "vector"),
        weights=(-1.94, 3.98, -0.53, -2.26, 3.43), hit=(-0.97, 0.9, 1.13), found=0.59, rival=-16,
    ),
    LogisticModel(
        ("matched", "missing", "other"),
        weights=(-2.11, 6.23, -0.36, -1.8), hit=(-0.91, 0.93, 1.14), found=0.59, rival=-16,
    ),
    LogisticModel(
        ("covered", "absent", "other", "vector"),
        weights=(-0.49, 0.54, -0.41, -1.8, 4.86), hit=(-0.89, 0.74, 1.47), found=0.61, rival=-4,
    ),
    LogisticModel(
        ("covered", "absent", "other"),
        weights=(0.41, 2.06, -0.23, -0.81), hit=(-0.86, 0.77, 1.56), found=0.59, rival=-4,
    ),
    LogisticModel(("vector",), weights=(-2.39, 5.03), hit=(-0.78, 0.82, 1.68), found=0.61),
)  # fmt: skip
"""The first whose evidence is there is used; ``bench/tools/calibrate.py --anew`` prints their
numbers. ``found`` turns down five in six of the hard synthetic questions that have no answer;
docs/adr/0010 says what that costs those that have one."""


class Confidence(NamedTuple):
    """
    ``scores``: of each hit, shape (rows,); ``sure``: of any; ``found``: ``sure`` is enough.

    It has to be enough without ``rival``, too: that nobody else said it makes no hit fit better.
    """

    scores: Floats
    sure: float
    found: bool
    unmet: str = ""
    """A sentence, if nothing is found: what of the question's premise the best hits lack."""


def confidence(
    evidence: Mapping[str, Floats],
    rows: int,
    rival: float | None = None,
    supposed: Premise | None = None,
    *,
    models: Sequence[LogisticModel] = MODELS,
) -> Confidence:
    """
    Judge hits, best first, by their evidence; whether any answers, also by the question's premise.

    ``rival``: how much better what others said fits; ``supposed``: the premise, if it is known.
    ``scores`` never rise from one hit to the next, and do not depend on how many hits follow. With
    no evidence, or no hits, nothing was found.
    """
    model = next((m for m in models if all(name in evidence for name in m.evidence)), None)
    if model is None or not rows:
        return Confidence(np.zeros(rows, np.float32), 0.0, found=False)
    odds = np.full(rows, model.weights[0], np.float64)
    for name, weight in zip(model.evidence, model.weights[1:], strict=True):
        odds += weight * evidence[name]
    constant, slope, fall = model.hit
    ranks = np.arange(1, rows + 1)
    best, by_tokens = odds[:DEPTH].max(), "matched" in model.evidence
    if supposed is not None:
        said = evidence.get("covered")
        unheard = "vector" not in evidence and said is not None and not said[:DEPTH].any()
        best += supposed.odds(by_tokens=by_tokens, unheard=unheard)
    others = 0.0 if rival is None else model.rival * rival - _AMONG_OTHERS * by_tokens
    sure, own = (float(logistic(best + said)) for said in (others, 0.0))
    scores = _settled(logistic(constant + slope * odds - fall * np.log(ranks)))
    found = min(sure, own) >= model.found
    unmet = "" if found or supposed is None else supposed.describe_unmet()
    if not found and not unmet and rival is not None and rival > 0:
        unmet = _SAID_BY_OTHERS
    return Confidence(scores.astype(np.float32), sure, found, unmet)


def least_found(
    evidence: Mapping[str, Floats], *, models: Sequence[LogisticModel] = MODELS
) -> float:
    """Return the confidence from which something counts as found, by this evidence; 1: never."""
    model = next((m for m in models if all(name in evidence for name in m.evidence)), None)
    return 1.0 if model is None else model.found


def _settled(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Make scores fall: raise the first ``DEPTH`` to those after them, lower the others."""
    scores[:DEPTH] = np.maximum.accumulate(scores[:DEPTH][::-1])[::-1]
    scores[DEPTH - 1 :] = np.minimum.accumulate(scores[DEPTH - 1 :])
    return scores
