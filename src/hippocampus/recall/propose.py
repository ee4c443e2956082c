"""
The second step of recall: the rows that are worth scoring.

Each proposing cue gives its best rows, of all that may be seen and again within a named time; the
neighbours of the best of them are added, and the rows that activated anchors are nearest to.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np

from hippocampus.core.altered import altered
from hippocampus.core.arrays import Floats, Rows32
from hippocampus.core.config import Fusion
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.index.bank_index import BankIndex
from hippocampus.index.concept import Activation
from hippocampus.index.cue import Cue, Mask
from hippocampus.index.cues import CueSet
from hippocampus.index.query import Query
from hippocampus.index.sorted_sets import each_once
from hippocampus.recall.named_time import (
    WITHIN,
    is_empty,
    is_only_planned,
    nearness,
    timeliness,
)

_WISHES: Final = 50
"""Standing wishes that each cue proposes for a question that asks for advice: ten times as many as
follow by default (``Fusion.standing``). A bound set by hand."""
_DESCRIBED: Final = 400
"""Most rows that may have the rarest word of what is described: as many as a recall scores by
default, and what is in more describes nothing."""
_LEAST: Final = 1e-6
"""Factor that an explained word keeps at least: it is still a word of the question."""


@immutable(kw_only=False, eq=False)
class Search:
    """One query asked of one index: what every step of ranking is given."""

    index: BankIndex
    query: Query
    """Words that an activated anchor explains weigh less in it than in the one that was asked."""
    cues: CueSet
    """The cues that it is asked of; ``lexical`` always, for its IDF."""
    allowed: Mask | None
    """Rows that the read may see, shape (n,); None is all."""
    within: Mask | None
    """Rows in a time that the question names, shape (n,); None when it names none."""
    timely: Floats | None
    """Share of each row in that time, in [0, 1], shape (n,): by the time told, or of saying it."""
    nothing: bool
    """Whether the query names a certain time of which there is nothing."""
    activation: Activation | None
    """Activation of rows by the anchors that the question calls up; None if it calls up none."""
    fusion: Fusion

    @classmethod
    def of(cls, index: BankIndex, query: Query, allowed: Mask | None, fusion: Fusion) -> Search:
        """Prepare a search: find the named time and activate the anchors."""
        cues = index.cues.among(query.cues)
        activation = None
        if cues.concept is not None:
            described = _described(query, cues, allowed)
            activation = cues.concept.activate(query, allowed, list(described.values()))
        if cues.concept is not None and activation is not None:
            explained = {*cues.concept.explained(query), *_places(query, described)}
            query = _discounted(query, sorted(explained), fusion.explained_weight)
        # Noted before a listing leaves the time as its only cue: who asks that cue alone is told
        # what is of the time, and nothing near it.
        asked_alone = query.cues == {"time"}
        if query.listing:
            query = altered(query, intervals=query.listing, cues=frozenset({"time"}))
            cues, activation = index.cues.among(query.cues), None
        timely = timeliness(index, query)
        within = None if timely is None else timely >= WITHIN
        if query.listing and query.speakers:  # whatever somebody said then
            everyone = np.arange(len(index))
            allowed = _both(allowed, index.columns.spoken_by(query.speakers, everyone))
        nothing = is_empty(query, within, allowed)
        if query.listing and timely is not None and within is not None and not asked_alone:
            if nothing:
                timely = nearness(index, query)
            elif is_only_planned(index, query, within, allowed):  # what came of it is told after
                timely = np.maximum(timely, nearness(index, query))
            within = timely >= WITHIN
        if query.listing and within is not None:
            allowed = _both(allowed, within)
        return cls(index, query, cues, allowed, within, timely, nothing, activation, fusion)


def _both(allowed: Mask | None, other: Mask) -> Mask:
    return other if allowed is None else other & allowed


def _described(query: Query, cues: CueSet, allowed: Mask | None) -> dict[tuple[int, ...], Rows32]:
    """Return the rows that hold all words of what a query describes, for each such thing."""
    found = {
        words: cues.lexical.holding(np.array(words, np.uint32), allowed, _DESCRIBED, least=1)
        for words in query.described
    }
    return {words: rows for words, rows in found.items() if len(rows)}


def _places(query: Query, described: Iterable[tuple[int, ...]]) -> set[int]:
    """Return the places of words among a query's terms."""
    wanted = [term for words in described for term in words]
    return set(np.flatnonzero(np.isin(query.terms, wanted)).tolist())


class Proposal(NamedTuple):
    """Rows that were proposed, best first, and by whom: the name of a cue, or what else does."""

    by: str
    rows: Rows32
    in_time: bool = False
    """Whether they are the best within the time that the question names."""


class Proposed(NamedTuple):
    """The candidates, ascending, and who proposed them; nobody where a small bank has no others."""

    rows: Rows32
    proposals: tuple[Proposal, ...] = ()


def propose(search: Search) -> Proposed:
    """Return the candidates: every allowed row of a small bank."""
    index, allowed, most = search.index, search.allowed, search.fusion.candidates
    leading = np.array(search.query.leading.rows, np.uint32)
    total = len(index) if allowed is None else int(np.count_nonzero(allowed))
    if total <= most:
        everyone = np.arange(len(index)) if allowed is None else np.flatnonzero(allowed)
        return Proposed(everyone.astype(np.uint32))
    proposals = _proposals(search)
    if len(leading):
        proposals.append(Proposal("session", leading))
    if search.activation is not None:
        near = search.activation.best(search.fusion.anchor_candidates, allowed)
        proposals.append(Proposal("concept", near))
    rows = each_once(np.concatenate([one.rows for one in proposals]))
    return Proposed(rows, tuple(proposals))


def _discounted(query: Query, explained: list[int], weight: float) -> Query:
    """Let words that only name an activated anchor weigh less, unless there are no others."""
    discounts = np.ones(len(query.terms), np.float32)
    discounts[explained] = max(weight, _LEAST)
    if query.term_discounts is not None:
        discounts *= query.term_discounts
    if not (discounts[query.term_weights > 0] == 1).any():
        return query
    return altered(query, term_weights=query.term_weights * discounts, term_discounts=discounts)


def _proposals(search: Search) -> list[Proposal]:
    index, query, allowed = search.index, search.query, search.allowed
    fusion = search.fusion
    scopes = [(allowed, False)]
    if search.within is not None:
        scopes.append((search.within if allowed is None else search.within & allowed, True))
    sharing, free = _proposing(search)
    if not sharing and not free:
        latest = _latest(index, scopes[1][0] if scopes[1:] else None, fusion.candidates)
        return [Proposal("time", latest, in_time=True)]
    share = max(1, fusion.candidates // max(1, len(sharing)))
    proposals = [
        Proposal(name, cue.propose(query, scope, share), in_time)
        for name, cue in (sharing | free).items()
        for scope, in_time in scopes
    ]
    if query.advice and fusion.standing:  # which may share no word with what is asked
        wishes = index.cues.lexical.standing()
        scope = wishes if allowed is None else wishes & allowed
        proposals += [
            Proposal("standing", cue.propose(query, scope, _WISHES)) for cue in sharing.values()
        ]
    if query.latest:
        last = index.columns.last(fusion.neighbour_reach, allowed).astype(np.uint32)
        proposals.append(Proposal("time", last))
    before, after = index.columns.neighbours()
    each = fusion.neighbour_reach // len(proposals)
    best = np.concatenate([one.rows[:each] for one in proposals])
    beside = np.concatenate([before[best], after[best]])
    near = beside[beside >= 0].astype(np.uint32)
    near = near if allowed is None else near[allowed[near]]
    return [*proposals, Proposal("neighbours", near)]


def _proposing(search: Search) -> tuple[dict[str, Cue], dict[str, Cue]]:
    """Return the cues that share the candidates, by name, and one that proposes beside them."""
    cues = search.cues
    lexical = cues.lexical if "lexical" in search.query.cues else None  # it is there for its IDF
    sharing = _there(vector=cues.vector, lexical=lexical, signature=cues.signature)
    sharing = sharing or _there(tokens=cues.tokens)
    if cues.concept is not None:  # it has few to offer, and takes nobody's share
        return sharing, {"concept": cues.concept}
    return sharing or _there(graph=cues.graph) or _there(topic=cues.topic), {}


def _there(**cues: Cue | None) -> dict[str, Cue]:
    """Return those of some cues that a bank has, by name."""
    return {name: cue for name, cue in cues.items() if cue is not None}


def _latest(index: BankIndex, within: Mask | None, most: int) -> Rows32:
    """Return the latest rows of a named time: all that a time alone can propose."""
    if within is None:
        return np.empty(0, np.uint32)
    order = index.columns.in_order()
    return np.sort(order[within[order]][::-1][:most]).astype(np.uint32)
