"""
Search: from a query to its best rows, and why. Propose → expand → score, a file each.

Candidates are complete before anything is scored, and each is scored once.
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
from hippocampus.core.config import Fusion
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.index.bank_index import BankIndex
from hippocampus.index.cue import Mask, Rows
from hippocampus.index.query import Query
from hippocampus.kernel import top_k
from hippocampus.recall.choices import lead_with_choice
from hippocampus.recall.counted_rows import lift_events
from hippocampus.recall.currency import order_by_time
from hippocampus.recall.current_facts import Standing
from hippocampus.recall.expand import Candidates, CandidatesOfAll, Sources, asked_fact, expand
from hippocampus.recall.named_time import describe_empty
from hippocampus.recall.possessions import asks_only_who, lead_with_possession
from hippocampus.recall.propose import Proposal, Proposed, Search, propose
from hippocampus.recall.relevance_feedback import lift_agreed
from hippocampus.recall.repeated_question import lead_before_question
from hippocampus.recall.score import Scored, score
from hippocampus.recall.session_ranking import rank_sessions
from hippocampus.recall.several_things import lift_alike
from hippocampus.recall.signals import named_speak, novelty_scales
from hippocampus.recall.spreading_activation import AHEAD
from hippocampus.recall.standardize import Numbers, Scale
from hippocampus.recall.standing_wishes import lift_wishes
from hippocampus.recall.subjects import weigh_subjects
from hippocampus.recall.whole_conversations import lift_leading

_READ_FOR_FACTS: Final = 8
"""Best rows that are read for facts, where a question asks for one."""
CONTENDERS: Final = 100
"""Best rows among which it shows whether what is asked about somebody was said by another."""
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

    rows: Rows
    scores: Numbers
    parts: dict[str, Numbers]
    """The part of each signal in the score, by name."""
    contenders: Rows
    """The ``CONTENDERS`` best rows, however many are asked for, best first."""
    sessions: NDArray[np.int32]
    """The sessions of all candidates by code, best first."""
    activation: Numbers
    """Activation of each by the anchors that the question calls up."""
    candidates: int
    """How many rows were scored."""
    hamming_searches: Mapping[str, int]
    """How many Hamming balls were searched, by way."""
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
    """The question, of which ``asked`` may have changed what words weigh."""
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
    """Return all candidates for a query, measured."""
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
    """Score candidates; the ``limit`` best are returned."""
    search, candidates, sources = gathered.asked, gathered.candidates, gathered.sources
    query, proposed, times = gathered.query, gathered.proposed, list(gathered.times)
    started = perf_counter()
    scored = score(search, candidates)
    subjects: dict[int, bool] = {}
    if sources.texts is not None:
        subjects = weigh_subjects(search, scored, sources.texts)
    if "how many" in query.intents and sources.texts is not None:
        lift_events(search, scored, sources.texts)
    lift_alike(search, scored)
    if sources.texts is not None:
        lift_agreed(search, scored, sources.texts)
    standing = _resolve_fact(search, scored, sources)
    if standing is not None:
        _put_first(scored, standing.current)
        fact = search.query.fact
        past = fact is not None and fact.of != "now"
        if sources.texts is not None and not past and asks_only_who(search.query):
            lead_with_possession(search, scored, sources.texts)
    elif sources.texts is not None:
        order_by_time(search, scored, sources.texts)
        lead_with_possession(search, scored, sources.texts)
        lead_with_choice(search, scored, sources.texts)
        lead_before_question(search, scored, sources.texts)
    lift_wishes(search, scored)
    lift_leading(search, scored)
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
        subjects=subjects,
    )


def _resolve_fact(search: Search, scored: Scored, sources: Sources) -> Standing | None:
    """Resolve the fact that is asked for, reading the best rows as well."""
    fact = asked_fact(search)
    if sources.facts is None or fact is None:
        return None
    best = scored.rows[top_k(scored.scores, _READ_FOR_FACTS)]
    return sources.facts(fact, best, search.allowed, search.query.now)


def _put_first(scored: Scored, chosen: frozenset[int]) -> None:
    """Lift the best of some rows above all others."""
    wanted = np.array(sorted(chosen), np.uint32)
    places = np.flatnonzero(np.isin(scored.rows, wanted, assume_unique=True))
    if not len(places):
        return
    best = places[int(np.argmax(scored.scores[places]))]
    gain = scored.scores.max() - scored.scores[best] + np.float32(AHEAD)
    scored.parts["facts"] = np.zeros(len(scored.rows), np.float32)
    scored.parts["facts"][best] = gain
    scored.scores[best] += gain
