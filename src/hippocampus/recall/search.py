"""
Search: from a query to its best rows, and why. Propose → expand → score → reorder, a file each.

Candidates are complete before anything is scored, and each is scored once; ``gather`` returns them,
and ``rank`` does the rest, so that several banks can be ranked on one scale in between.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from itertools import pairwise
from time import perf_counter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.altered import altered
from hippocampus.core.arrays import Floats, Rows32
from hippocampus.core.config import Fusion
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.index.bank_index import BankIndex
from hippocampus.index.cue import Mask
from hippocampus.index.query import Query
from hippocampus.kernel import top_k
from hippocampus.recall.expand import Candidates, CandidatesOfAll, Sources, expand
from hippocampus.recall.named_time import describe_empty
from hippocampus.recall.propose import Proposal, Proposed, Search, propose
from hippocampus.recall.reorder import reorder
from hippocampus.recall.score import score
from hippocampus.recall.scored import Scored
from hippocampus.recall.session_ranking import rank_sessions
from hippocampus.recall.signals import named_speak, novelty_scales
from hippocampus.recall.standardize import Scale

CONTENDERS: Final = 100
"""Best rows among which it shows whether what is asked about somebody was said by another: of fifty
too many are of the one asked about (AUROC .80 for .82, docs/adr/0010)."""
_STEPS: Final = ("propose", "expand", "score")
_NOTHING: Final = Sources()


@immutable(kw_only=False, eq=False)
class Trail:
    """Everything that led to a ranking, as its steps left it."""

    asked: Search
    proposals: tuple[Proposal, ...]
    led_to: Mapping[str, tuple[int, ...]]
    """Candidates that only other candidates, or known facts, led to, by which."""
    scored: Scored
    """Every candidate, its score and the parts of that."""
    steps_s: Mapping[str, float]


@immutable(kw_only=False, eq=False)
class Ranking:
    """The best candidates, best first, and why; arrays of shape (rows,)."""

    rows: Rows32
    scores: Floats
    parts: dict[str, Floats]
    """The part of each signal in the score, by name."""
    contenders: Rows32
    """The ``CONTENDERS`` best rows, however many are asked for, best first."""
    sessions: NDArray[np.int32]
    """The sessions of all candidates by code, best first."""
    activation: Floats
    """Activation of each by the anchors that the question calls up."""
    candidates: int
    """Number of rows that were scored."""
    hamming_searches: Mapping[str, int]
    """Number of Hamming balls that were searched, by way."""
    missing_time: str
    """A sentence, if the question names a certain time of which there is nothing; else ""."""
    superseded: Mapping[int, int]
    """Rows whose facts of the kind asked for are all superseded; since when, in microseconds."""
    trail: Trail
    subjects: Mapping[int, bool] = field(default_factory=dict)
    """Rows that are of somebody else than says them; whether of one who is asked about."""

    @property
    def tells_fact(self) -> NDArray[np.bool_]:
        """Mask of the rows that lead because they tell the fact that is asked for."""
        return self.parts.get("facts", np.zeros(len(self.rows), np.float32)) > 0


@immutable(kw_only=False, eq=False)
class MeasuredCandidates:
    """Complete candidates for a query, that nobody has scored yet."""

    asked: Search
    query: Query
    """The question, by all names; ``asked`` may have changed what its words weigh."""
    allowed: Mask | None
    """Rows that the read may see; ``asked`` may have fewer."""
    proposed: Proposed
    candidates: Candidates
    sources: Sources
    times: tuple[float, float, float]
    """When it began, when rows were proposed, and when all candidates were there."""


def search(
    index: BankIndex,
    query: Query,
    allowed: Mask | None,
    fusion: Fusion,
    limit: int,
    sources: Sources = _NOTHING,
) -> Ranking:
    """Rank the allowed episodes for a query; the ``limit`` best are returned."""
    return rank(gather(index, query, allowed, fusion, sources), limit)


# OpenBLAS computes with what lies beside short arrays too; when that is no number, NumPy warns of a
# result that is not even used.
@np.errstate(invalid="ignore")
def gather(
    index: BankIndex,
    query: Query,
    allowed: Mask | None,
    fusion: Fusion,
    sources: Sources = _NOTHING,
) -> MeasuredCandidates:
    """Return all candidates for a query, and for what its names stand for, measured."""
    if sources.names is not None:  # before any are proposed: who has only the other name is one
        query = sources.names(query, allowed)
    began = perf_counter()
    search = Search.of(index, query, allowed, fusion)
    proposed = propose(search)
    then = perf_counter()
    candidates = expand(search, proposed.rows, sources)
    times = began, then, perf_counter()
    return MeasuredCandidates(search, query, allowed, proposed, candidates, sources, times)


def on_one_scale(all_of_it: Sequence[MeasuredCandidates]) -> list[MeasuredCandidates]:
    """
    Return the candidates of several banks as if they were of one, so that scores can be compared.

    What is usual of a feature is then the same for all: what is the best of a bank in which there
    is nothing of the matter is not as good as the best of another.
    """
    named = any(named_speak(one.asked, one.candidates.rows) for one in all_of_it)
    each = [
        one.candidates.scales() | novelty_scales(one.asked, one.candidates, named=named)
        for one in all_of_it
    ]
    names = {name for scales in each for name in scales}
    usual = {name: Scale.over(scales[name] for scales in each if name in scales) for name in names}
    together = CandidatesOfAll(usual, named)
    return [altered(one, candidates=one.candidates.among(one.asked, together)) for one in all_of_it]


@np.errstate(invalid="ignore")
def rank(gathered: MeasuredCandidates, limit: int) -> Ranking:
    """Score and reorder candidates; the ``limit`` best are returned."""
    search, candidates = gathered.asked, gathered.candidates
    query, proposed, times = gathered.query, gathered.proposed, list(gathered.times)
    started = perf_counter()
    reordered = reorder(search, score(search, candidates), gathered.sources)
    scored, standing = reordered.scored, reordered.standing
    rows, scores, signature = scored.rows, scored.scores, search.cues.signature
    first = top_k(scores, min(max(limit, CONTENDERS), len(scores)))
    best = first[:limit]
    near = candidates.activation
    times.append(times[-1] + perf_counter() - started)
    took = {n: b - a for n, (a, b) in zip(_STEPS, pairwise(times), strict=True)}
    return Ranking(
        rows=rows[best],
        scores=scores[best],
        parts={name: part[best] for name, part in scored.parts.items()},
        contenders=rows[first[:CONTENDERS]],
        sessions=rank_sessions(search, rows, scored.sessions, scored.support),
        activation=np.zeros(len(best), np.float32) if near is None else near[best],
        candidates=len(rows),
        missing_time=describe_empty(search.index, search.query, gathered.allowed)
        if search.nothing
        else "",
        hamming_searches=signature.searches(query)
        if signature is not None and query.keywords
        else {},
        superseded={} if standing is None else standing.over,
        trail=Trail(search, proposed.proposals, candidates.led_to, scored, took),
        subjects=reordered.owners,
    )
