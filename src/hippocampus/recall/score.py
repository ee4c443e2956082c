"""
The fourth step of recall: one score a candidate, and the part of each signal in it.

Features are standardised over the candidates of the question (zero mean, unit variance) and added
with fixed weights (``docs/adr/0003-fusion.md``). Signals (``signals.py``) and the support of
sessions are added to that.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from hippocampus.core.arrays import Floats
from hippocampus.recall.expand import Candidates, summed
from hippocampus.recall.propose import Search
from hippocampus.recall.scored import Scored
from hippocampus.recall.session_ranking import SessionScores
from hippocampus.recall.signals import (
    BESIDE_SESSIONS,
    OF_THE_RANKING,
    OF_THE_TURN,
    ONLY_CONCEPTS,
    Scoring,
    Signal,
    called_up,
)
from hippocampus.recall.spreading_activation import lifted


def score(search: Search, candidates: Candidates) -> Scored:
    """Score complete candidates, once."""
    scoring = Scoring(search, candidates)
    parts = dict(candidates.features)
    scores = _added(scoring, OF_THE_TURN, parts, summed(parts, len(scoring.rows)))
    sessions, support = _sessions(scoring, scores)
    scoring.of_session = support[sessions.groups] * scoring.talk.inside
    scores = _added(scoring, BESIDE_SESSIONS, parts, scores)
    if candidates.lifts:  # what is lifted alike is alike to the last bit, which no sum would keep
        raised = lifted(candidates.lifts, scoring.rows, scores, search.fusion.spreading_share)
        parts["names"], scores = raised - scores, raised
    scores = _added(scoring, OF_THE_RANKING, parts, scores)
    return Scored(scoring.rows, scores, parts, sessions, support)


def _added(
    scoring: Scoring,
    signals: Iterable[tuple[str, Signal]],
    parts: dict[str, Floats],
    scores: Floats,
) -> Floats:
    """Add signals to the scores so far, and each to the part of its name."""
    if not len(scores):
        return scores
    for name, signal in signals:
        part = signal(scoring, scores)
        if part is not None:
            parts[name] = parts[name] + part if name in parts else part
            scores = scores + part
    return scores


def _sessions(scoring: Scoring, scores: Floats) -> tuple[SessionScores, Floats]:
    """Return the scores of the rows' sessions, and the support of each for its turns."""
    search = scoring.search
    query, fusion = search.query, search.fusion
    called = called_up(scoring, scores) if query.cues <= ONLY_CONCEPTS else None
    worth = scores if called is None else scores + called
    sessions = SessionScores.of(search.index.columns.session.codes[scoring.places], worth)
    lean = 0.0 if query.latest > 1 else _lean(scoring.lengths, fusion.context_decay_tokens)
    lean *= fusion.several if query.several else 1.0  # each of them has a session of its own
    return sessions, np.float32(fusion.session * lean) * sessions.support()


def _lean(lengths: Floats | None, decay: float) -> float:
    """Return the dependence of turns of this mean length on their session, 1 to 0."""
    if lengths is None or not len(lengths):
        return 1.0
    return math.exp(-float(np.add.reduce(lengths)) / len(lengths) / decay)
