"""
The fifth step of recall: scores change by what kind of question it is.

What is nearest to a question is seldom an answer to "how many times", "which of the two" or "what
do I pay now". Each step in ``STEPS`` knows one such kind, and gives some rows a gain, by all that
the steps before it left. A gain is a part of the score, as a signal is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from hippocampus.core.arrays import Floats
from hippocampus.kernel import top_k
from hippocampus.recall.choices import gain_of_choice
from hippocampus.recall.counted_rows import gain_of_events
from hippocampus.recall.currency import gain_by_time
from hippocampus.recall.current_facts import Standing
from hippocampus.recall.expand import Sources, asked_fact
from hippocampus.recall.possessions import asks_only_who, gain_of_possession
from hippocampus.recall.propose import Search
from hippocampus.recall.relevance_feedback import gain_of_agreed
from hippocampus.recall.repeated_question import gain_of_answer
from hippocampus.recall.scored import Scored
from hippocampus.recall.several_things import gain_of_alike
from hippocampus.recall.spreading_activation import ReadTexts
from hippocampus.recall.standing_wishes import gain_of_wishes
from hippocampus.recall.subjects import find_owners, gain_of_owners
from hippocampus.recall.whole_conversations import gain_of_leading

_READ_FOR_FACTS: Final = 8
"""Best rows that are read for facts, where a question asks for one: what no sleep has read yet is
read by rules then, 0.16 ms each (docs/adr/0022)."""


@dataclass(slots=True, eq=False)
class Reordering:
    """State of one reordering: scores so far, and what steps found out beside them."""

    search: Search
    sources: Sources
    scored: Scored
    owners: Mapping[int, bool] = field(default_factory=dict)
    """Rows that are of somebody else than says them; whether of one who is asked about."""
    standing: Standing | None = None
    """Resolution of the fact that is asked for; None before that step, or if there is none."""


Gain: TypeAlias = Callable[[Reordering], Floats | None]


class ReorderStep(NamedTuple):
    """One step of reordering."""

    part: str
    """The part of the score that it gives, or adds to."""
    gain: Gain
    """Gives the gains, shape (rows,); None for none."""
    applies: Callable[[Reordering], bool] = lambda _: True
    """Test whether the step applies to the findings so far."""


def reorder(search: Search, scored: Scored, sources: Sources) -> Reordering:
    """Take the steps in their order, each on the scores that the ones before it left."""
    so_far = Reordering(search, sources, scored)
    for step in STEPS:
        gain = step.gain(so_far) if step.applies(so_far) else None
        if gain is not None:
            so_far.scored = so_far.scored.lift(step.part, gain)
    return so_far


def _by_scores(gain: Callable[[Search, Scored], Floats | None]) -> Gain:
    """Return a step of a function of scores alone."""
    return lambda so_far: gain(so_far.search, so_far.scored)


def _by_texts(gain: Callable[[Search, Scored, ReadTexts], Floats | None]) -> Gain:
    """Return a step of a function that reads texts, too; it is left out where none can be read."""

    def step(so_far: Reordering) -> Floats | None:
        read = so_far.sources.texts
        return None if read is None else gain(so_far.search, so_far.scored, read)

    return step


def _gain_of_owners(so_far: Reordering) -> Floats | None:
    """Find the owners of the best turns, and return the gains of turns by them."""
    if so_far.sources.texts is None:
        return None
    so_far.owners = find_owners(so_far.search, so_far.scored, so_far.sources.texts)
    return gain_of_owners(so_far.search, so_far.scored, so_far.owners)


def _gain_of_fact(so_far: Reordering) -> Floats | None:
    """Resolve the fact that is asked for; return the gain by which the best to tell it leads."""
    search, scored, resolve = so_far.search, so_far.scored, so_far.sources.facts
    fact = asked_fact(search)
    if resolve is None or fact is None:
        return None
    best = scored.rows[top_k(scored.scores, _READ_FOR_FACTS)]
    so_far.standing = standing = resolve(fact, best, search.allowed, search.query.now)
    if standing is None:
        return None
    wanted = np.array(sorted(standing.current), np.uint32)
    places = np.flatnonzero(np.isin(scored.rows, wanted, assume_unique=True))
    if not len(places):
        return None
    return scored.lead(int(places[np.argmax(scored.scores[places])]))


def _without_fact(so_far: Reordering) -> bool:
    return so_far.standing is None


def _without_whole_fact(so_far: Reordering) -> bool:
    """Return whether no fact is the answer: of "Ada's dog's food" the fact is only whose dog."""
    query = so_far.search.query
    past = query.fact is not None and query.fact.of != "now"
    return so_far.standing is None or (not past and asks_only_who(query))


STEPS: Final = (
    # It mends the part of the speaker; all others go by scores in which that is right.
    ReorderStep("speaker", _gain_of_owners),
    # Before a fact is looked for, since the best rows are read for it: these change which they are.
    ReorderStep("events", _by_texts(gain_of_events)),  # one row of each event leads, if they count
    ReorderStep("alike", _by_scores(gain_of_alike)),  # like the best rows, and so below the best
    ReorderStep("feedback", _by_texts(gain_of_agreed)),  # by words of the best rows; off by default
    # A fact that is known settles what the steps below can only tell from how texts are worded.
    ReorderStep("facts", _gain_of_fact),
    ReorderStep("currency", _by_texts(gain_by_time), _without_fact),  # the newest of one matter
    ReorderStep("possession", _by_texts(gain_of_possession), _without_whole_fact),  # before that
    ReorderStep("choice", _by_texts(gain_of_choice), _without_fact),  # a decision before both
    ReorderStep("answering", _by_texts(gain_of_answer), _without_fact),  # if the best only asks
    # They are placed by the best row, so that it has to be known.
    ReorderStep("standing", _by_scores(gain_of_wishes)),  # a little behind it
    ReorderStep("session", _by_scores(gain_of_leading)),  # before it: other searches found them
)
"""All steps, in their order."""
