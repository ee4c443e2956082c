"""How likely hits are what was asked for, in the light of what kind of question it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.bank.searches import decide
from hippocampus.engine.snapshot import BankSnapshot
from hippocampus.index.query import Query
from hippocampus.recall.confidence import Confidence
from hippocampus.recall.search import Ranking
from hippocampus.recall.standardize import Numbers

FLOOR: Final = 0.005
"""Least score of what a context holds unless told otherwise (docs/adr/0047)."""
_DOUBT: Final = 0.35
"""Confidence below which a question about nobody is not the bank's (docs/adr/0047)."""
_HEARD: Final = frozenset(
    "lexical signature neighbours facts standing time names concept graph topic possession choice"
    " events answering feedback".split()
)
"""Parts of a score of which each says that a hit has more to do with the question than others."""
_SURE: Final = 0.5
"""Least score of what is asked for by its place in time alone."""


def judge(
    here: BankSnapshot,
    query: Query,
    ranking: Ranking,
    shows: dict[str, Numbers],
    rows: Sequence[int],
) -> Confidence:
    """
    Say how likely each hit is, in the light of what was asked.

    A greeting has no answer, and a time of which there is nothing has none; nor has what is asked
    of the world, not of somebody's life, and looks like nothing that was said. The last thing said
    and whatever was at some time are what was asked for, however little their words say so.
    """
    judged = decide(here, query, ranking, shows, rows)
    return settled(judged, here, query, ranking, rows, shows.get("covered"))


def settled(
    judged: Confidence,
    here: BankSnapshot,
    query: Query,
    ranking: Ranking,
    rows: Sequence[int],
    covered: Numbers | None,
) -> Confidence:
    """
    Return how likely hits are, by their evidence and by what kind of thing was asked for.

    ``covered``: the share of the question's words that each hit has, where that is its evidence.
    """
    judged = judged._replace(scores=_with_wishes(judged.scores, ranking, rows))
    if query.vector is None and not (query.speakers or query.quoting):
        heard = _heard(ranking, rows)
        heard |= np.False_ if covered is None else covered > 0
        judged = judged._replace(scores=_up_to_the_last(judged.scores, heard))
    impersonal = query.impersonal and not (query.speakers or query.definite)
    known = query.vector is not None and here.calibrated.lacking is None
    if query.small_talk:
        return Confidence(np.zeros_like(judged.scores), 0.0, found=False)
    unheard = query.vector is None and not judged.scores.any()
    if impersonal and (unheard or (known and judged.sure < _DOUBT)):
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


def _heard(ranking: Ranking, places: Sequence[int]) -> NDArray[np.bool_]:
    """Return a mask of the hits that any part of their scores ties to a question, shape (hits,)."""
    heard = np.zeros(len(ranking.rows), np.bool_)
    for name in _HEARD & ranking.parts.keys():
        heard |= ranking.parts[name] > 0
    return heard[list(places)]


def _up_to_the_last(scores: Numbers, heard: NDArray[np.bool_]) -> Numbers:
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
    least[:leading] = _SURE if sure else 2 * FLOOR
    scores: Numbers = np.maximum(judged.scores, least)
    if not sure:
        return judged._replace(scores=scores)
    return Confidence(scores, max(judged.sure, _SURE), found=True)


def _with_wishes(scores: Numbers, ranking: Ranking, places: Sequence[int]) -> Numbers:
    """Give wishes that a question for advice calls for the score of what a context holds."""
    lifted = ranking.parts.get("standing")
    if lifted is None:
        return scores
    least = np.where(lifted[list(places)] > 0, np.float32(2 * FLOOR), np.float32(0))
    raised: Numbers = np.maximum.accumulate(np.maximum(scores, least)[::-1])[::-1]
    return raised
