"""
The third step of recall: candidates that only other candidates, or known facts, lead to.

What the best candidates name calls up further rows (``spreading_activation.py``), and a fact that
is asked for has rows that tell it (``current_facts.py``). After this the candidates are complete.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import field
from datetime import datetime
from typing import NamedTuple

import numpy as np

from hippocampus.core.altered import altered
from hippocampus.core.arrays import Floats, Rows32
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.index.cue import Mask
from hippocampus.index.query import AskedFact, Query
from hippocampus.index.sorted_sets import is_among
from hippocampus.recall.current_facts import Standing
from hippocampus.recall.features import Columns, measure
from hippocampus.recall.personalized_pagerank import walk
from hippocampus.recall.propose import Search
from hippocampus.recall.spreading_activation import Lift, ReadTexts, spread
from hippocampus.recall.standardize import Scale, standardised

ResolveFact = Callable[[AskedFact, Rows32, Mask | None, datetime], Standing | None]
"""Resolves a fact by the statements known and by some rows more, within an allowed set, as of a
moment."""


WidenQuery = Callable[[Query, Mask | None], Query]
"""Has a question be asked by other names as well, as far as an allowed set tells them."""


@immutable(kw_only=False, eq=False)
class Sources:
    """Sources that a search reads beside the index; None leaves a step out."""

    texts: ReadTexts | None = None
    """Texts of rows, for names in them to lead on."""
    facts: ResolveFact | None = None
    names: WidenQuery | None = None
    """Other names of the things and people in the question, by which to propose as well."""


class CandidatesOfAll(NamedTuple):
    """Properties of the candidates of several banks, where these are some of them."""

    scales: Mapping[str, Scale]
    """Usual scale of each signal."""
    named: bool
    """Whether any of them is spoken by those whom the question names."""


@immutable(kw_only=False, eq=False)
class Candidates:
    """Everything that will be scored, each row measured once by each cue."""

    rows: Rows32
    """Ascending, shape (rows,)."""
    features: Mapping[str, Floats]
    """Features on one scale and weighed, by name, shape (rows,) each."""
    activation: Floats | None
    """Activation of each by the anchors that the question calls up, shape (rows,)."""
    lifts: Mapping[int, Lift]
    """Lifts by spreading activation, row → lift."""
    led_to: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Rows that nobody had proposed, by what led to them: ``names`` or ``facts``."""
    columns: Mapping[str, Floats] = field(default_factory=dict)
    """Features as they were measured, each on its cue's own scale."""
    together: CandidatesOfAll | None = None
    """Scales of them and those of other banks; None where they are all there are."""

    def scales(self) -> dict[str, Scale]:
        """Return the usual scale of each feature."""
        return {name: Scale.of(column) for name, column in self.columns.items()}

    def among(self, search: Search, together: CandidatesOfAll) -> Candidates:
        """Return them as some of the candidates of several banks, on the scales of all."""
        weights, scales = _weights(search), together.scales
        features = {
            name: np.float32(weights[name]) * scales[name].standardise(self.columns[name])
            for name in self.features
        }
        return altered(self, features=features, together=together)

    def standardised(self, name: str, values: Floats) -> Floats:
        """Put a signal of theirs on the scale of all candidates."""
        if self.together is None:
            return standardised(values)
        return self.together.scales[name].standardise(values)


def expand(search: Search, rows: Rows32, sources: Sources) -> Candidates:
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
        # By what sleep has read: no row is read yet, since the best ones are not known before all
        # have scores (``reorder``).
        standing = sources.facts(fact, rows[:0], search.allowed, search.query.now)
    told = () if standing is None else standing.current
    led_to = {"names": _unproposed(lifts, rows), "facts": _unproposed(told, rows)}
    fresh = np.array(sorted({*led_to["names"], *led_to["facts"]}), np.uint32)
    if not len(fresh):
        return altered(candidates, lifts=lifts) if lifts else candidates
    every = np.concatenate([rows, fresh])
    order = np.argsort(every)
    every = every[order]
    added = measure(search.query, search.cues, fresh, search.fusion)
    joined = {name: np.concatenate([columns[name], added[name]])[order] for name in columns}
    return altered(_weighed(search, every, joined, lifts), led_to=led_to)


def _unproposed(some: Collection[int], rows: Rows32) -> tuple[int, ...]:
    """Return those of some rows that are not among others, which ascend, in their order."""
    if not some:
        return ()
    each = np.array(sorted(some), np.uint32)
    return tuple(each[~is_among(each, rows)].tolist())


def asked_fact(search: Search) -> AskedFact | None:
    """Return the fact that is asked for; of now, none where the question names a time."""
    fact = search.query.fact
    if fact is None or (search.query.intervals and fact.of != "then"):
        return None
    return fact


def _weighed(
    search: Search, rows: Rows32, columns: Columns, lifts: Mapping[int, Lift]
) -> Candidates:
    """Put columns on one scale, and weigh them."""
    features = {
        name: np.float32(weight) * standardised(columns[name])
        for name, weight in _weights(search).items()
        if name in columns
    }
    activation = None if search.activation is None else search.activation.of(rows)
    return Candidates(rows, features, activation, lifts, columns=columns)


def _weights(search: Search) -> dict[str, float]:
    """Return the weight of each feature in a search."""
    # What has no content is like some rows by chance, and they would come before what is meant.
    empty = search.query.empty and search.activation is not None
    share = search.fusion.empty_weight if empty else 1.0
    return {name: weight * share for name, weight in search.fusion.weights.items()}


def summed(parts: Mapping[str, Floats], length: int) -> Floats:
    """Add parts up."""
    total = np.zeros(length, np.float32)
    for part in parts.values():
        total += part
    return total


def _strengths(search: Search, candidates: Candidates) -> Floats:
    """Return each row's score by features and activation alone, shape (rows,)."""
    strengths = summed(candidates.features, len(candidates.rows))
    if candidates.activation is not None:
        strengths += np.float32(search.fusion.concept) * candidates.activation
    return strengths
