"""
Appraisal of memories: importance, less what time and others like it take away.

One value, of HUMAN's formulas: the importance that the policy names (Table 2 or section 8.1),
decayed (equation 2), divided by one more than what interferes (equation 3).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.appraise import OUTCOME, VALUE, appraise
from hippocampus.core.arrays import Doubles, Floats, Rows
from hippocampus.core.background_yield import pausing
from hippocampus.core.clock import MICROS_PER_HOUR
from hippocampus.index.phrase_codec import PROPER
from hippocampus.sleep.forgetting_policies import decay, interfere
from hippocampus.sleep.importance import Features, score
from hippocampus.sleep.snapshot import SleepSnapshot

_TABLES: Final = 6
"""Orders in which neighbours are looked for; of pairs as near as 0.7, nine in ten are found. All
pairs of 50 000 would take a minute (docs/adr/0021)."""
_BESIDE: Final = 3
"""Rows to each side of one that are compared with it in each order (docs/adr/0021)."""
_SIGNS: Final = 16
"""Directions of an order: enough that rows with all signs alike are few in 2¹⁶ places."""
_AT_ONCE: Final = 4096
"""Rows whose vectors are in memory at a time: 6 MB of 384 numbers each, 12 in double precision."""
_MOST_USES: Final = 3
"""Uses that count for an outcome: at .1 each more of them would drown what people judged, which is
.25 (``OUTCOME``). Set by hand."""


class Appraisal(NamedTuple):
    """Worth of rows; each of shape (rows,). ``age_h`` is since one was said or last used."""

    rows: Rows
    importance: Doubles
    interference: Doubles
    age_h: Doubles
    tokens: Doubles
    value: Doubles


def appraise_snapshot(
    snapshot: SleepSnapshot, *, signals: Mapping[str, float], interference: float
) -> Appraisal:
    """
    Return the worth of every memory in force.

    Args:
        snapshot: the bank.
        signals: how much each of four signals tells, as calibrated; for importance by "signals".
        interference: cosine from which on one may be taken for the other, as calibrated.

    """
    rows = np.flatnonzero(snapshot.material.shown)
    policy = snapshot.policy
    vectors = None if snapshot.vectors is None else snapshot.vectors(rows)
    said = snapshot.material.occurred_at[rows]
    lengths = snapshot.tokens(rows.tolist())
    tokens = np.fromiter((lengths.get(row, 0) for row in rows.tolist()), np.float64, len(rows))
    neighbours, cosines = near_ones(vectors, len(rows))
    # A use counts as if it was said again then: from there on it fades.
    age_h = (snapshot.now - np.maximum(said, snapshot.used_at[rows])) / MICROS_PER_HOUR
    features = Features(
        age_h=np.maximum(age_h, 0.0),
        alike=(cosines >= interference).sum(axis=1).astype(np.float64),
        surprise=_surprise(vectors, snapshot.material.session[rows], said, len(rows)),
        saliency=_saliency(snapshot)[rows],
        outcome=_outcome(snapshot)[rows],
        length=tokens,
        place=_places(snapshot)[rows],
        lasting=snapshot.material.lasting[rows].astype(np.float64),
    )
    if policy.importance == "signals":
        importance = score(features, "four", weights=signals)
    else:
        importance = score(features, "five", decay=policy.decay_per_hour)
    # What helped, or did not, counts in either.
    importance = np.clip(importance + features.outcome - 0.5, 0.0, 1.0)
    taken = interfere(
        neighbours,
        cosines,
        said.astype(np.float64),
        least=interference,
        retroactive=policy.retroactive,
        proactive=policy.proactive,
    )
    left = decay(importance, features.age_h, rate=policy.decay_per_hour)
    value = appraise({"left": left, "interference": 1 + taken}, VALUE)
    return Appraisal(rows, importance, taken, features.age_h, tokens, value)


def near_ones(vectors: Floats | None, count: int) -> tuple[Rows, Doubles]:
    """
    Return places of rows near each, and cosines, shape (rows, k); -1 where there is none.

    Rows are put in a few orders in which near ones tend to be neighbours (by the signs of random
    directions), and compared with those beside them: linear in rows, where all pairs are not.
    """
    width = _TABLES * 2 * _BESIDE
    found = np.full((count, width), -1, np.int64)
    cosines = np.full((count, width), -1.0)
    if vectors is None or count < 2 or not vectors.any():
        return found, cosines
    # A fixed seed: a sleep must find the neighbours that its dry run found.
    directions = np.random.default_rng(0).standard_normal((vectors.shape[1], _TABLES * _SIGNS))
    sides = vectors @ directions.astype(np.float32) > 0
    column = 0
    for table in range(_TABLES):
        bits = sides[:, table * _SIGNS : (table + 1) * _SIGNS]
        order = np.lexsort(bits.T)
        for step in pausing(range(1, _BESIDE + 1)):
            one, other = order[:-step], order[step:]
            near = _pairs(vectors, one, other)
            found[one, column], cosines[one, column] = other, near
            found[other, column + 1], cosines[other, column + 1] = one, near
            column += 2
    # The same neighbour may be beside it in several orders, and counts once.
    by_place = np.argsort(found, axis=1, kind="stable")
    ordered = np.take_along_axis(found, by_place, axis=1)
    again = np.zeros_like(found, np.bool_)
    np.put_along_axis(again, by_place[:, 1:], ordered[:, 1:] == ordered[:, :-1], axis=1)
    found[again], cosines[again] = -1, -1.0
    return found, cosines


def _pairs(vectors: Floats, one: Rows, other: Rows) -> Doubles:
    near = np.empty(len(one))
    for start in pausing(range(0, len(one), _AT_ONCE)):
        some = slice(start, start + _AT_ONCE)
        near[some] = np.einsum("ij,ij->i", vectors[one[some]], vectors[other[some]])
    return near


def _surprise(
    vectors: Floats | None, session: NDArray[np.int32], occurred_at: Rows, count: int
) -> Doubles:
    """Return the distance of each row from the mean of its session's earlier rows, in [0, 1]."""
    # Without vectors nobody knows: the middle favours no row.
    surprise = np.full(count, 0.5)
    if vectors is None or not count:
        return surprise
    order = np.lexsort((np.arange(count), occurred_at, session))
    groups = session[order]
    starts = np.flatnonzero(np.r_[True, groups[1:] != groups[:-1]])
    for rows in pausing(
        np.split(order, starts[1:])
    ):  # a session at a time, or it would take gigabytes
        said = np.zeros(vectors.shape[1])
        for start in range(0, len(rows), _AT_ONCE):  # all without one are one, and may be many
            some = rows[start : start + _AT_ONCE]
            own = vectors[some].astype(np.float64)
            before = said + (np.cumsum(own, axis=0) - own)
            said += own.sum(axis=0)
            # Before the first of a session there is nothing: its cosine is 0, and it is a surprise.
            lengths = np.maximum(np.linalg.norm(before, axis=1), 1e-12)
            surprise[some] = np.clip(1 - np.einsum("ij,ij->i", own, before) / lengths, 0.0, 1.0)
    return surprise


def _saliency(snapshot: SleepSnapshot) -> Doubles:
    """Return the frequency of the most spoken-of name of each row, in [0, 1]."""
    keys, owner = snapshot.material.keys, snapshot.material.owner
    names = (keys & PROPER) > 0
    salient = np.zeros(len(snapshot))
    if names.any():
        _, code, often = np.unique(keys[names], return_inverse=True, return_counts=True)
        weight = np.log1p(often) / np.log1p(often.max())
        np.maximum.at(salient, owner[names], weight[code])
    return salient


def _outcome(snapshot: SleepSnapshot) -> Doubles:
    """Return the outcome of each row, in [0, 1]: 0.5 where it was neither shown nor judged."""
    signals = {
        "unknown": np.ones(len(snapshot)),
        "used": np.minimum(snapshot.uses, _MOST_USES),
        "judged": snapshot.outcome,
    }
    return appraise(signals, OUTCOME)


def _places(snapshot: SleepSnapshot) -> Doubles:
    """Return the turn of each row in its session."""
    return np.fromiter((e.turn or 0 for e in snapshot.records), np.float64, len(snapshot))
