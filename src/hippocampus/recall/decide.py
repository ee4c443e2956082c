"""
The decision of a recall: how likely each hit is what was asked for, and whether anything is found.

By the evidence first: how well hits match (``evidence.py``), whether others said it than the one
asked about, and whether the best have what the question supposes (``check_premise.py``) make a
probability (``confidence.py``). Then by the kind of question, for some have no answer whatever
matches, and some are answered by where a memory stands and not by its words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Floats
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.index.bank_index import BankIndex
from hippocampus.index.query import Query
from hippocampus.recall.check_premise import check_premise
from hippocampus.recall.confidence import DEPTH, Confidence, LogisticModel, confidence
from hippocampus.recall.evidence import rivalry
from hippocampus.recall.search import Ranking
from hippocampus.recall.spreading_activation import ReadTexts

FLOOR: Final = 0.005
"""Least score of what a context holds unless told otherwise (docs/adr/0047)."""
UNFOUND: Final = 0.02
"""The same where nothing was found: what is nearest then is seldom of it (docs/adr/0047)."""
_DOUBT: Final = 0.35
"""Confidence below which a question about nobody is not the bank's (docs/adr/0047)."""
_HEARD_OF: Final = frozenset(
    {"lexical", "signature", "neighbours", "time", "names", "concept", "graph", "topic"}
)
"""Signals of which each says that a hit has more to do with the question than others."""
_LIFTED_FOR: Final = frozenset(
    {"facts", "standing", "possession", "choice", "events", "occasion", "answering", "feedback"}
)
"""Steps of reordering of which each says so."""
_SURE: Final = 0.5
"""Least score of what is asked for by its place in time alone (docs/adr/0047): even odds, for its
words say nothing for or against it."""


@immutable(kw_only=False, eq=False)
class Grounds:
    """Grounds of a decision beside the ranking."""

    index: BankIndex
    texts: ReadTexts
    models: Sequence[LogisticModel]
    """Models of the evidence; the first whose features are all there is used."""
    calibrated: bool
    """Whether the models are of the embedder in use."""


def decide(
    on: Grounds,
    query: Query,
    ranking: Ranking,
    shows: dict[str, Floats],
    places: Sequence[int],
) -> Confidence:
    """
    Decide on the probability of each hit, best first, and whether anything is found.

    Args:
        on: what it is decided on beside the ranking.
        query: the question.
        ranking: the best rows.
        shows: the evidence of the hits, name → shape (hits,), in the order of ``places``.
        places: which of the best rows each hit is, in the order in which they are shown.

    """
    judged = weigh_evidence(on, query, ranking, shows, len(places))
    covered = shows.get("covered")
    return go_by_kind(judged, query, ranking, places, covered, calibrated=on.calibrated)


def weigh_evidence(
    on: Grounds, query: Query, ranking: Ranking, shows: dict[str, Floats], hits: int
) -> Confidence:
    """Return the probability of hits, and whether anything is found, by the evidence alone."""
    rival = rivalry(on.index, query, ranking.contenders, ranking.subjects)
    facts = ranking.tells_fact[:DEPTH]
    supposed = check_premise(on.index, query, ranking.rows[:DEPTH], on.texts, facts)
    return confidence(shows, hits, rival, supposed, models=on.models)


def go_by_kind(
    judged: Confidence,
    query: Query,
    ranking: Ranking,
    places: Sequence[int],
    covered: Floats | None,
    *,
    calibrated: bool,
) -> Confidence:
    """
    Return the probability of hits, given their evidence, for the kind of question asked.

    The first that applies: a greeting has no answer; nor has what is asked of the world, not of
    somebody's life, and looks like nothing that was said; nor a time of which there is nothing.
    The hits that lead where whole conversations are asked of, the last thing said, and whatever was
    at some time are what was asked for, however little their words say so.

    ``covered``: the share of the question's words that each hit has, where that is its evidence.
    """
    judged = judged._replace(scores=_with_wishes(judged.scores, ranking, places))
    if query.vector is None and not (query.speakers or query.quoting):
        heard = _heard(ranking, places)
        heard |= np.False_ if covered is None else covered > 0
        judged = judged._replace(scores=_up_to_the_last(judged.scores, heard))
    if query.small_talk:
        return Confidence(np.zeros_like(judged.scores), 0.0, found=False)
    if _is_of_the_world(judged, query, calibrated=calibrated):
        return Confidence(np.zeros_like(judged.scores), 0.0, found=False, unmet=judged.unmet)
    if ranking.missing_time and not query.advice:  # which is asked for a time to come
        return judged._replace(found=False, unmet=ranking.missing_time)
    leading = len(query.leading.rows)
    if leading and len(judged.scores):
        return _with_leading(judged, leading, sure=query.leading.sure)
    if len(judged.scores) and (query.latest > 1 or query.listing):
        scores = np.maximum(judged.scores, np.float32(_SURE))
        return Confidence(scores, max(judged.sure, _SURE), found=True)
    return judged


def _is_of_the_world(judged: Confidence, query: Query, *, calibrated: bool) -> bool:
    """Return whether a question is about nobody and nothing known, and nothing said is like it."""
    if not query.impersonal or query.speakers or query.definite:
        return False
    if query.vector is None:
        return not judged.scores.any()
    return calibrated and judged.sure < _DOUBT


def _heard(ranking: Ranking, places: Sequence[int]) -> NDArray[np.bool_]:
    """Return a mask of the hits that any part of their scores ties to a question, shape (hits,)."""
    heard = np.zeros(len(ranking.rows), np.bool_)
    for name in (_HEARD_OF | _LIFTED_FOR) & ranking.parts.keys():
        heard |= ranking.parts[name] > 0
    return heard[list(places)]


def _up_to_the_last(scores: Floats, heard: NDArray[np.bool_]) -> Floats:
    """
    Take the score of hits after the last that was heard of in a question without an embedding.

    Nothing tells then what is near in meaning: they are only new, or of the same talk.
    """
    known = np.flatnonzero(heard)
    kept = int(known[-1]) + 1 if len(known) else 0
    return np.where(np.arange(len(scores)) < kept, scores, 0).astype(np.float32)


def _with_leading(judged: Confidence, leading: int, *, sure: bool) -> Confidence:
    """Give leading hits of a question about whole conversations the score of the best answer."""
    least = np.zeros_like(judged.scores)
    # Above the floor of a context, which is to hold what leads.
    least[:leading] = _SURE if sure else 2 * FLOOR
    scores: Floats = np.maximum(judged.scores, least)
    if not sure:
        return judged._replace(scores=scores)
    return Confidence(scores, max(judged.sure, _SURE), found=True)


def _with_wishes(scores: Floats, ranking: Ranking, places: Sequence[int]) -> Floats:
    """Give wishes that a question for advice calls for the score of what a context holds."""
    lifted = ranking.parts.get("standing")
    if lifted is None:
        return scores
    least = np.where(lifted[list(places)] > 0, np.float32(2 * FLOOR), np.float32(0))
    raised: Floats = np.maximum.accumulate(np.maximum(scores, least)[::-1])[::-1]
    return raised
