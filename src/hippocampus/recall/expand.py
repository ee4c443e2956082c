"""
The third step of recall: candidates that only other candidates, or known facts, lead to.

What the best candidates name calls up further rows (``spreading_activation.py``), and a fact that
is asked for has rows that tell it (``current_facts.py``). After this the candidates are complete.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np

from hippocampus.index.cue import Mask, Rows
from hippocampus.index.query import AskedFact
from hippocampus.index.sorted_sets import each_once
from hippocampus.recall.current_facts import Standing
from hippocampus.recall.features import Columns, measure
from hippocampus.recall.personalized_pagerank import walk
from hippocampus.recall.propose import Search
from hippocampus.recall.spreading_activation import Lift, ReadTexts, spread
from hippocampus.recall.standardize import Numbers, standardised

ResolveFact = Callable[[AskedFact, Rows, Mask | None, datetime], Standing | None]
"""Resolves a fact by the statements known and by some rows more, within an allowed set, as of a
moment."""


@dataclass(frozen=True, slots=True, eq=False)
class Sources:
    """Sources that ranking reads beside the index; None leaves a step out."""

    texts: ReadTexts | None = None
    """Texts of rows, for names in them to lead on."""
    facts: ResolveFact | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Everything that will be scored, each row measured once by each cue."""

    rows: Rows
    """Ascending, shape (rows,)."""
    features: Mapping[str, Numbers]
    """Features on one scale and weighed, by name, shape (rows,) each."""
    activation: Numbers | None
    """Activation of each by the anchors that the question calls up, shape (rows,)."""
    lifts: Mapping[int, Lift]
    """Lifts by spreading activation, row → lift."""
    led_to: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Rows that nobody had proposed, by what led to them: ``names`` or ``facts``."""


def expand(search: Search, rows: Rows, sources: Sources) -> Candidates:
    """Measure the proposed rows, add those that they and known facts lead to, and measure them."""
    columns = measure(search.query, search.cues, rows, search.fusion)
    candidates = _weighed(search, rows, columns, {})
    lifts: dict[int, Lift] = {}
    if sources.texts is not None and search.fusion.spreading_share > 0:
        lead_on = walk if search.fusion.spreading == "pagerank" else spread
        lifts = lead_on(search, sources.texts, rows, _strengths(search, candidates))
    fact = asked_fact(search)
    standing = None
    if sources.facts is not None and fact is not None:
        standing = sources.facts(fact, rows[:0], search.allowed, search.query.now)
    told = () if standing is None else standing.current
    known = set(rows.tolist())
    led_to = {"names": tuple(sorted(lifts.keys() - known)), "facts": tuple(sorted({*told} - known))}
    fresh = np.array(sorted({*lifts, *told} - known), np.uint32)
    if not len(fresh):
        return replace(candidates, lifts=lifts)
    every = each_once(np.concatenate([rows, fresh]))
    order = np.argsort(np.concatenate([rows, fresh]))
    added = measure(search.query, search.cues, fresh, search.fusion)
    joined = {name: np.concatenate([columns[name], added[name]])[order] for name in columns}
    return replace(_weighed(search, every, joined, lifts), led_to=led_to)


def asked_fact(search: Search) -> AskedFact | None:
    """Return the fact that is asked for as of now; none where the question names a time."""
    return None if search.query.intervals else search.query.fact


def _weighed(search: Search, rows: Rows, columns: Columns, lifts: Mapping[int, Lift]) -> Candidates:
    """Put columns on one scale, and weigh them."""
    # What has no content is like some rows by chance, and they would come before what is meant.
    empty = search.query.empty and search.activation is not None
    share = search.fusion.empty_weight if empty else 1.0
    features = {
        name: np.float32(weight * share) * standardised(columns[name])
        for name, weight in search.fusion.weights.items()
        if name in columns
    }
    activation = None if search.activation is None else search.activation.of(rows)
    return Candidates(rows, features, activation, lifts)


def summed(parts: Mapping[str, Numbers], length: int) -> Numbers:
    """Add parts up."""
    total = np.zeros(length, np.float32)
    for part in parts.values():
        total += part
    return total


def _strengths(search: Search, candidates: Candidates) -> Numbers:
    """Return each row's score by features and activation alone, shape (rows,)."""
    strengths = summed(candidates.features, len(candidates.rows))
    if candidates.activation is not None:
        strengths += np.float32(search.fusion.concept) * candidates.activation
    return strengths
