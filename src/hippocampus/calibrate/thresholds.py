"""
Cosine thresholds: from where on the cosine of two texts means that they are related (HUMAN, 8.1).

Every threshold is a percentile of the cosines of pairs that are known to be unrelated, so one rule
serves every embedder, whatever the range of its cosines.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hippocampus.calibrate.calibration import SIGNALS
from hippocampus.calibrate.trial import Trial, TrialTurn
from hippocampus.core.arrays import Floats
from hippocampus.core.config import Cosines


def find_cosines(trial: Trial) -> Cosines:
    """Return the thresholds of an embedder."""
    said = trial.said
    names = list(trial.topics)
    topics = np.array(names)
    anchors = np.stack([trial.topics[name] for name in names])
    telling = said.topic != ""
    on_another = topics[:, None] != said.topic[telling][None, :]
    asked = [one for one in trial.asked if one.topic is not None]
    meant_another = topics[:, None] != np.array([one.topic for one in asked])[None, :]
    questions = np.stack([one.vector for one in asked])
    every, within = _pairs(said)
    # Percentiles 99, 95 and 90 are HUMAN's (section 8.1), but for those of anchors: a question
    # meets hundreds of them, an anchor keeps 50 episodes at most (docs/adr/0017).
    related = float(np.percentile(every, 99))
    found = Cosines(
        theta=float(np.percentile((anchors @ said.vectors[telling].T)[on_another], 99)),
        sem_theta=float(np.percentile((anchors @ questions.T)[meant_another], 99.9)),
        related=related,
        # Turns that differ in a detail alone are nearer than most pairs, and must not be merged.
        near=max(related, float(np.percentile(trial.unlike, 99))),
        interference=float(np.percentile(within, 90)),
        cluster=float(np.percentile(within, 95)),
    )
    return Cosines(*(round(cosine, 2) for cosine in found))


def _pairs(said: TrialTurn) -> tuple[Floats, Floats]:
    """Return the cosines of all pairs of turns of a conversation, and of those of a session."""
    every, within = [], []
    for place in np.unique(said.conversation):
        own = said.conversation == place
        vectors, session = said.vectors[own], said.session[own]
        above = np.triu_indices(len(vectors), 1)
        cosines = (vectors @ vectors.T)[above]
        every.append(cosines)
        within.append(cosines[session[above[0]] == session[above[1]]])
    return np.concatenate(every), np.concatenate(within)


# ---------------------------------------------------------------- what is worth keeping


def weigh_signals(said: TrialTurn) -> dict[str, float]:
    """
    Return the weight of each signal for whether a turn tells anything; they add up to 1.

    By what the area under its ROC curve has above one half: a signal that says nothing has none.
    """
    talk = said.between_people
    telling = said.topic[talk] != ""
    signals = {
        "length": said.length[talk],
        "surprise": _surprise(said)[talk],
        "position": -said.place[talk],
        "recency": said.occurred_at[talk],
    }
    excess = {
        name: max(0.0, area_under_roc(signals[name][telling], signals[name][~telling]) - 0.5)
        for name in SIGNALS
    }
    total = sum(excess.values())
    # No signal tells anything: then all count the same, since shares have to add up to 1.
    if not total:
        return dict.fromkeys(SIGNALS, round(1 / len(SIGNALS), 3))
    return {name: round(share / total, 3) for name, share in excess.items()}


def _surprise(said: TrialTurn) -> NDArray[np.float64]:
    """Return the distance of each turn from the mean of what its conversation said before."""
    surprise = np.zeros(len(said.topic))
    for place in np.unique(said.conversation):
        own = np.flatnonzero(said.conversation == place)
        vectors = said.vectors[own].astype(np.float64)
        before = np.cumsum(vectors, axis=0) - vectors
        lengths = np.maximum(np.linalg.norm(before, axis=1), 1e-12)
        surprise[own] = 1 - np.einsum("ij,ij->i", vectors, before) / lengths
    return surprise


def area_under_roc(positive: NDArray[np.generic], negative: NDArray[np.generic]) -> float:
    """Return the chance that a positive is above a negative, ties counting half."""
    ordered = np.sort(negative)
    below = np.searchsorted(ordered, positive, "left") + np.searchsorted(ordered, positive, "right")
    return float(below.mean()) / 2 / len(ordered)
