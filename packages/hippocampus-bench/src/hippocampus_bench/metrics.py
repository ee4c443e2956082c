"""Measures of a ranking by textbook, and intervals around means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Level = Literal["turn", "session"]

KS = (5, 10, 20, 50)
"""Depths every benchmark reports; ``any`` is also reported at 1, as most publications do."""


# ---------------------------------------------------------------- one ranking
# A ranking holds distinct ids, best first. Gold is a non-empty set of ids.


def recall_at(ranking: Sequence[str], gold: frozenset[str], k: int) -> float:
    """Return the share of gold that is among the first ``k``."""
    return len(gold.intersection(ranking[:k])) / len(gold)


def any_at(ranking: Sequence[str], gold: frozenset[str], k: int) -> float:
    """Return 1 if at least one of gold is among the first ``k`` (what many papers call R@k)."""
    return float(not gold.isdisjoint(ranking[:k]))


def all_at(ranking: Sequence[str], gold: frozenset[str], k: int) -> float:
    """Return 1 if all of gold is among the first ``k``: the strict form."""
    return float(gold.issubset(ranking[:k]))


def reciprocal_rank(ranking: Sequence[str], gold: frozenset[str]) -> float:
    """Return 1 / rank of the first of gold, 0 when none is in the ranking."""
    return next((1 / rank for rank, ref in enumerate(ranking, 1) if ref in gold), 0.0)


def ndcg_at(ranking: Sequence[str], gold: frozenset[str], k: int) -> float:
    """Return the textbook normalised discounted gain: rank i weighs 1 / log2(i + 1)."""
    return _normalised(ranking, gold, 1 / np.log2(np.arange(2, k + 2)))


def ndcg_official_at(ranking: Sequence[str], gold: frozenset[str], k: int) -> float:
    """Return LongMemEval's form: DCG = rel_1 + sum over i >= 2 of rel_i / log2(i)."""
    # Ranks 1 and 2 both weigh 1, so this is never below the textbook's for a late first hit.
    return _normalised(ranking, gold, 1 / np.log2(np.maximum(np.arange(1, k + 1), 2)))


def _normalised(
    ranking: Sequence[str], gold: frozenset[str], weights: NDArray[np.float64]
) -> float:
    gained = sum(float(w) for ref, w in zip(ranking, weights, strict=False) if ref in gold)
    return gained / float(weights[: len(gold)].sum())


def turn_scores(
    ranking: Sequence[str], gold: frozenset[str], *, name: str, ks: Sequence[int] = KS
) -> dict[str, float]:
    """Score a ranking of turns; ``name`` is what the benchmark calls recall."""
    scores = {f"{name}@{k}": recall_at(ranking, gold, k) for k in ks}
    scores |= {f"any@{k}": any_at(ranking, gold, k) for k in (1, *ks)}
    scores |= {f"all@{k}": all_at(ranking, gold, k) for k in ks}
    return scores | {"mrr": reciprocal_rank(ranking, gold)}


def session_scores(
    ranking: Sequence[str], gold: frozenset[str], *, ks: Sequence[int] = KS
) -> dict[str, float]:
    """Score a ranking of sessions."""
    scores = {f"session_recall@{k}": recall_at(ranking, gold, k) for k in ks}
    scores |= {f"session_recall_any@{k}": any_at(ranking, gold, k) for k in (1, *ks)}
    return scores | {f"session_recall_all@{k}": all_at(ranking, gold, k) for k in ks}


def ndcg_scores(
    ranking: Sequence[str], gold: frozenset[str], *, ks: Sequence[int] = KS
) -> dict[str, float]:
    """Score a ranking in both forms of NDCG in use."""
    scores = {f"ndcg@{k}": ndcg_at(ranking, gold, k) for k in ks}
    return scores | {f"ndcg_official@{k}": ndcg_official_at(ranking, gold, k) for k in ks}


# ---------------------------------------------------------------- many questions


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over ``n`` questions and its 95 % bootstrap interval."""

    value: float
    low: float
    high: float
    n: int

    def as_dict(self) -> dict[str, float | int]:
        """Return the fields for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def summarise(
    rows: Iterable[tuple[str, Mapping[str, float]]], *, seed: int = 0, resamples: int = 2000
) -> dict[str, Estimate]:
    """
    Average measures over questions, overall and as ``name/kind=X``.

    Args:
        rows: per question its kind and its measures. A measure counts the questions that have it.
        seed: of the bootstrap, which draws whole questions, keeping their measures together.
        resamples: how many draws.
    """
    rows = list(rows)
    kinds = list(dict.fromkeys(kind for kind, _ in rows))
    names = list(dict.fromkeys(name for _, scores in rows for name in scores))
    if not names:
        return {}
    flat = np.array([[scores.get(name, np.nan) for name in names] for _, scores in rows])
    of_kind = np.array([[kind == row_kind for kind in kinds] for row_kind, _ in rows])
    # One column per (kind, measure), with nan wherever the question is of another kind.
    by_kind = np.where(of_kind[:, :, None], flat[:, None, :], np.nan).reshape(len(rows), -1)
    values = np.hstack([flat, by_kind])
    labels = names + [f"{name}/kind={kind}" for kind in kinds for name in names]

    there = np.isfinite(values)
    known = np.where(there, values, 0.0)
    count = there.sum(axis=0)
    draws = _draws(len(rows), seed=seed, resamples=resamples)
    with np.errstate(invalid="ignore", divide="ignore"):  # a draw may miss a rare kind altogether
        sampled = (draws @ known) / (draws @ there)
    return {
        label: _estimate(float(known[:, at].sum() / count[at]), sampled[:, at], int(count[at]))
        for at, label in enumerate(labels)
        if count[at]
    }


def mean_of_kinds(
    rows: Iterable[tuple[str, float]], *, seed: int = 0, resamples: int = 2000
) -> Estimate:
    """Average a measure over kinds, however many questions each has; questions are drawn within."""
    by_kind: dict[str, list[float]] = {}
    for kind, value in rows:
        by_kind.setdefault(kind, []).append(value)
    drawn = [
        _draws(len(values), seed=seed + place, resamples=resamples) @ np.array(values) / len(values)
        for place, values in enumerate(by_kind.values())
    ]
    means = [sum(values) / len(values) for values in by_kind.values()]
    n = sum(map(len, by_kind.values()))
    return _estimate(sum(means) / len(means), np.mean(drawn, axis=0), n)


def separation(
    positive: Sequence[float], negative: Sequence[float], *, seed: int = 0, resamples: int = 2000
) -> Estimate:
    """Return the area under the ROC curve with its interval, each side drawn on its own."""
    above = np.asarray(positive)[:, None] - np.asarray(negative)[None, :]
    wins = (np.sign(above) + 1) / 2
    rows = _draws(len(positive), seed=seed, resamples=resamples) / len(positive)
    columns = _draws(len(negative), seed=seed + 1, resamples=resamples) / len(negative)
    sampled = ((rows @ wins) * columns).sum(axis=1)
    return _estimate(float(wins.mean()), sampled, len(positive) + len(negative))


def tail_ms(seconds: Sequence[float], *, seed: int = 0, resamples: int = 2000) -> Estimate:
    """Return the 95th percentile of durations in milliseconds, with its interval."""
    taken = np.asarray(seconds) * 1e3
    drawn = np.random.default_rng(seed).choice(taken, (resamples, len(taken)))
    return _estimate(float(np.percentile(taken, 95)), np.percentile(drawn, 95, axis=1), len(taken))


def median_ms(seconds: Sequence[float], *, seed: int = 0, resamples: int = 2000) -> Estimate:
    """Return the median of durations in milliseconds, with its interval."""
    taken = np.asarray(seconds) * 1e3
    drawn = np.random.default_rng(seed).choice(taken, (resamples, len(taken)))
    return _estimate(float(np.median(taken)), np.median(drawn, axis=1), len(taken))


def mcnemar(ours: Sequence[bool], theirs: Sequence[bool]) -> dict[str, float | int]:
    """
    Return the probability that equal systems would differ so much on the same questions.

    Returns:
        ``ours_only`` and ``theirs_only``, the questions that one alone got right, and the exact
        two-sided ``p``: either would win each of them with probability one half.

    """
    ours_only = sum(a and not b for a, b in zip(ours, theirs, strict=True))
    theirs_only = sum(b and not a for a, b in zip(ours, theirs, strict=True))
    n = ours_only + theirs_only
    tail = sum(comb(n, i) for i in range(min(ours_only, theirs_only) + 1))
    return {"ours_only": ours_only, "theirs_only": theirs_only, "p": min(1.0, 2 * tail / 2**n)}


def sign_flip(differences: Sequence[float], *, seed: int = 0, resamples: int = 2000) -> float:
    """
    Return the probability of so large a mean difference of equal systems, two-sided.

    A paired test by randomisation: each difference might as well have had the other sign.
    """
    given = np.asarray(differences, dtype=np.float64)
    signs = np.random.default_rng(seed).choice((-1.0, 1.0), (resamples, len(given)))
    as_large = np.abs(signs @ given) >= abs(given.sum()) - 1e-9
    return float((as_large.sum() + 1) / (resamples + 1))


def percentiles_ms(seconds: Sequence[float]) -> dict[str, float]:
    """Return the median and the tail of durations, in milliseconds."""
    if not seconds:
        return {}
    p50, p95, p99 = np.percentile(np.asarray(seconds) * 1e3, [50, 95, 99])
    return {"p50": round(float(p50), 3), "p95": round(float(p95), 3), "p99": round(float(p99), 3)}


def _draws(n: int, *, seed: int, resamples: int) -> NDArray[np.float64]:
    """Return the number of times that each draw has each question, shape (resamples, n)."""
    counts = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=resamples)
    return counts.astype(np.float64)


def _estimate(value: float, sampled: NDArray[np.float64], n: int) -> Estimate:
    sampled = sampled[np.isfinite(sampled)]
    low, high = np.percentile(sampled, [2.5, 97.5]) if len(sampled) else (value, value)
    return Estimate(value, float(low), float(high), n)
