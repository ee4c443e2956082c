"""
Signals: what is added to the scores of the cues, as registered columns.

Each is a function of the rows that are scored and of their scores so far, and returns its part of
the score, shape (rows,), or None where it says nothing. They add up in the order of the tables.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Floats, Rows32
from hippocampus.core.clock import MICROS_PER_HOUR, to_micros
from hippocampus.index.bm25 import Marked
from hippocampus.index.columns import TalkRows
from hippocampus.index.cue import Mask
from hippocampus.index.sorted_sets import each_once, looked_up
from hippocampus.kernel import top_k
from hippocampus.language.noun_phrases import names_of
from hippocampus.recall.expand import Candidates
from hippocampus.recall.named_time import WITHIN
from hippocampus.recall.propose import Search
from hippocampus.recall.standardize import Scale, standardised

Signal: TypeAlias = "Callable[[Scoring, Floats], Floats | None]"

ONLY_CONCEPTS: Final = frozenset({"concept", "time"})
"""Cues without any other one, for which rows rank by activation of what the question calls up."""
_BELOW_RECENT: Final = np.float32(1e-4)
"""Distance that a primed row keeps below recent ones: more than scores are rounded by."""
_ABOUT: Final = np.float32(0.2)
"""Activation from which on a row is about what is called up, where the latest of that is asked
(docs/adr/0064); without a line the latest of all comes first."""
_RARE: Final = np.float32(3)
"""Most standard deviations of novelty: where hardly any turn has some, it is no answer yet. At most
2 gains .001 to .004 less on LoCoMo (docs/adr/0019)."""
_NAMED: Final = 100
"""Most rows that name somebody who is to be explained: who is in more needs no introduction. Set by
hand."""
_BEST: Final = 10
"""Best rows of which those that tell a time come first where a time is asked for: as many as
``answered_time`` looks at."""
_PROPOSING: Final = ("tokens", "lexical", "vector")
"""Features of a usual question, against whose weight novelty was tuned."""


class Scoring:
    """The rows that are scored, with what several signals read of them."""

    def __init__(self, search: Search, candidates: Candidates) -> None:
        self.search = search
        self.candidates = candidates
        self.rows: Rows32 = candidates.rows
        self.places: NDArray[np.intp] = self.rows.astype(np.intp)
        """The rows again: NumPy takes three times as long to look up by another type."""
        self.of_session: Floats | None = None
        """What each row's session lends it, once the turns by themselves have scores."""

    @cached_property
    def marked(self) -> Marked:
        """Marks of the rows: telling, deeds, wishes, asking."""
        return self.search.cues.lexical.marked(self.rows)

    @cached_property
    def talk(self) -> TalkRows:
        """The rows as parts of talk."""
        return self.search.index.columns.talk(self.places)

    @cached_property
    def lengths(self) -> Floats | None:
        """Tokens of each row; None where no embedder gives tokens."""
        tokens = self.search.index.cues.tokens
        return None if tokens is None else tokens.lengths(self.rows).astype(np.float32)

    @cached_property
    def shortness(self) -> Floats | np.float32:
        """
        Return the dependence of a turn on its neighbours, 1 to 0: exp(-tokens / decay).

        A long turn speaks for itself, and holds novel words and deeds by its length alone.
        """
        if self.lengths is None:
            return np.float32(1)
        decay = np.float32(self.search.fusion.context_decay_tokens)
        short: Floats = np.exp(-self.lengths / decay)
        return short

    @cached_property
    def share_of_cues(self) -> np.float32:
        """
        Weight of the cues that were asked, as a share of the usual ones, up to 1.

        Weights of novelty and of questions were tuned against all cues; beside few they are light.
        """
        weights = self.search.fusion.weights
        usual = sum(weights[name] for name in _PROPOSING)
        heard = sum(weights[name] for name in self.candidates.features)
        return np.float32(min(1.0, heard / usual) if usual > 0 else 0.0)

    @cached_property
    def new(self) -> dict[str, Floats]:
        """Return the novelty of turns of those asked about, on one scale: words, deeds, names."""
        together = self.candidates.together
        told = self.new_in_turns(named=None if together is None else together.named)
        return {
            name: np.minimum(self.candidates.standardised(name, column), _RARE)
            for name, column in told.items()
        }

    def new_in_turns(self, *, named: bool | None) -> dict[str, Floats]:
        """
        Return the novelty of turns of those asked about, by kind: words, deeds, names.

        ``named``: whether anybody speaks whom the question names, if that is known.
        """
        search, about = self.search, _of_asked(self.search, self.places, named=named)
        unheard = np.log1p(search.cues.lexical.unheard(self.rows).astype(np.float32)) * about
        told = {"unheard": unheard, "deeds": (self.marked.deed & about).astype(np.float32)}
        graph = search.cues.graph
        if graph is not None and search.query.speakers:  # who asks an assistant names as much
            mentions = graph.mentions(self.rows, _parties(search.index.columns.speakers()))
            told["names"] = np.log1p(mentions.astype(np.float32)) * about * self.shortness
        return told


def novelty_scales(search: Search, candidates: Candidates, *, named: bool) -> dict[str, Scale]:
    """
    Return the usual scales of novelty among candidates.

    ``named``: whether those whom the question names speak in these, or in those of another bank.
    """
    if not len(candidates.rows):
        return {}
    told = Scoring(search, candidates).new_in_turns(named=named)
    return {name: Scale.of(column) for name, column in told.items()}


def named_speak(search: Search, rows: Rows32) -> bool:
    """Return whether any row is spoken by those whom the question names."""
    return bool(_of_named(search, rows.astype(np.intp)).any())


def neighbours(scoring: Scoring, scores: Floats) -> Floats:
    """
    Score of the turns before and after, as far as a turn is short.

    An answer leans on what it answers; notes of one voice are each about what they say.
    """
    fusion, talk = scoring.search.fusion, scoring.talk
    beside = np.concatenate([talk.before, talk.after])
    theirs = looked_up(scoring.rows.astype(beside.dtype), scores, beside)  # of no row, -1, it is 0
    gift = np.float32(fusion.previous_turn) * theirs[: len(scoring.rows)]
    gift += np.float32(fusion.next_turn) * theirs[len(scoring.rows) :]
    worth: Floats = gift * scoring.shortness * talk.inside
    return worth


def speaker(scoring: Scoring, _scores: Floats) -> Floats:
    """Speaker: more for self-disclosure of somebody who is asked about, less for a question."""
    search, rows = scoring.search, scoring.places
    columns, query, fusion = search.index.columns, search.query, search.fusion
    worth: Floats = columns.role.holds("user", rows) * np.float32(fusion.user)
    if query.speakers:
        worth += columns.spoken_by(query.speakers, rows) * np.float32(fusion.speaker)
    if query.quoting:
        worth += columns.role.holds("assistant", rows) * np.float32(fusion.quoting)
    for role in ("assistant", "user"):
        if role in query.roles:
            worth += columns.role.holds(role, rows) * np.float32(fusion.addressee)
    worth += (_of_named(search, rows) & scoring.marked.telling) * np.float32(fusion.self_disclosure)
    worth -= scoring.marked.asking * np.float32(fusion.only_asking * scoring.share_of_cues)
    return worth


def outcome(scoring: Scoring, _scores: Floats) -> Floats | None:
    """Outcome that was reported of a row (``bank.feedback``)."""
    weight = scoring.search.fusion.outcome
    told = scoring.search.index.outcome.view[scoring.places]
    return np.float32(weight) * np.tanh(told) if weight and told.any() else None


def named_time(scoring: Scoring, _scores: Floats) -> Floats | None:
    """Nearness to the time that the question names, and being within it."""
    fusion, timely = scoring.search.fusion, scoring.search.timely
    if timely is None:
        return None
    near = timely[scoring.places]
    inside = (near >= WITHIN).astype(np.float32)
    worth: Floats = near * np.float32(fusion.time) + inside * np.float32(fusion.within)
    return worth


def lateness(scoring: Scoring, _scores: Floats) -> Floats | None:
    """Being late, where that is asked: of all candidates, or those about what is called up."""
    search, activation = scoring.search, scoring.candidates.activation
    if not search.query.latest:
        return None
    weight = np.float32(search.fusion.latest * search.query.latest)
    occurred_at = search.index.columns.occurred_at(scoring.rows)
    about = np.ones(len(scoring.rows), np.bool_) if activation is None else activation >= _ABOUT
    if search.query.latest > 1 or not about.any():
        about[:] = True
    late = np.zeros(len(scoring.rows), np.float32)
    place = np.argsort(np.argsort(occurred_at[about], kind="stable")).astype(np.float32)
    late[about] = place * (weight / np.float32(max(1, len(place) - 1)))
    return late


def new_names(scoring: Scoring, _scores: Floats) -> Floats | None:
    """Entities that turns of those asked about name, beside those who speak."""
    names = scoring.new.get("names")
    return None if names is None else np.float32(scoring.search.fusion.named_entities) * names


def novelty(scoring: Scoring, _scores: Floats) -> Floats | None:
    """Words that no earlier turn has and deeds, in turns of those asked about."""
    query, fusion = scoring.search.query, scoring.search.fusion
    if query.latest:  # who said it last is asked for, and not who said it first
        return None
    told = np.float32(fusion.novelty) * scoring.new["unheard"]
    told += np.float32(fusion.first_person_deed) * scoring.new["deeds"]
    told = scoring.shortness * told
    # Which of several is asked of the time alone.
    return told if query.listing else told * scoring.share_of_cues


def introduction(scoring: Scoring, _scores: Floats) -> Floats | None:
    """Naming somebody first, where the question asks who they are."""
    search = scoring.search
    name = search.query.introduced
    if not len(name) or search.query.speakers:  # those who speak are called by name all the time
        return None
    holding = search.cues.lexical.holding(name, search.allowed, _NAMED, least=1)
    if not len(holding):
        return None
    first = holding[int(np.argmin(search.index.columns.occurred_at(holding)))]
    gained: Floats = (scoring.rows == first) * np.float32(search.fusion.introduction)
    return gained


def session(scoring: Scoring, _scores: Floats) -> Floats | None:
    """Support of the session for its turns."""
    return scoring.of_session


def called_up(scoring: Scoring, _scores: Floats) -> Floats | None:
    """Activation; asked of the concept cue alone, of its scores as well."""
    search = scoring.search
    concept, weight = search.cues.concept, np.float32(search.fusion.concept)
    near = scoring.candidates.activation
    if near is not None and search.query.latest:  # of all that is about it, how lately counts
        near = np.minimum(near / _ABOUT, np.float32(1))
    worth = None if near is None else weight * near
    if concept is not None and search.query.cues <= ONLY_CONCEPTS:
        near = concept.score(search.query, scoring.rows)
        if near is not None:
            apart = weight * standardised(near)
            worth = apart if worth is None else worth + apart
    return worth


def priming(scoring: Scoring, scores: Floats) -> Floats | None:
    """
    Priming: sources of a gist that the question means rise, past no recent row.

    A row is recent while it is younger than a gist needs to mature, for none can prime it yet.
    """
    search, rows = scoring.search, scoring.rows
    index, query, fusion = search.index, search.query, search.fusion
    gists = index.gists
    if not fusion.gist or gists is None or query.vector is None or search.cues.vector is None:
        return None
    now = to_micros(query.now)
    lent = gists.lent(query.vector, rows, index.columns.visible(), now)
    if not lent.any():
        return None
    recent = index.columns.occurred_at(rows) >= now - gists.how.half_hours * MICROS_PER_HOUR
    line = np.append(np.sort(scores[recent]), np.float32(np.inf))
    limit = line[np.searchsorted(line, scores)] - _BELOW_RECENT
    raised = np.minimum(scores + np.float32(fusion.gist) * lent, limit)
    return np.where(recent, 0, np.maximum(raised - scores, 0)).astype(np.float32)


def telling_when(scoring: Scoring, scores: Floats) -> Floats | None:
    """Telling a time, of the best rows, where the question asks for one."""
    search, query = scoring.search, scoring.search.query
    if search.timely is not None or "when" not in query.intents or "time" not in query.cues:
        return None
    part = np.zeros(len(scoring.rows), np.float32)
    best = top_k(scores, _BEST)
    tells = search.index.cues.time.tells()[scoring.places[best]]
    part[best] = tells * np.float32(search.fusion.telling_when)
    return part


OF_THE_TURN: Final[tuple[tuple[str, Signal], ...]] = (
    ("neighbours", neighbours),
    ("speaker", speaker),
    ("outcome", outcome),
    ("time", named_time),
    ("time", lateness),
)
"""Signals that count towards the support that a session gives to its turns, with their names."""
BESIDE_SESSIONS: Final[tuple[tuple[str, Signal], ...]] = (
    ("graph", new_names),
    ("news", novelty),
    ("news", introduction),
    ("session", session),
    ("concept", called_up),
    ("gist", priming),
)
"""
Signals that do not, and that support: activation includes a session term already, and novelty
would favour the session that said a thing first.
"""
OF_THE_RANKING: Final[tuple[tuple[str, Signal], ...]] = (("time", telling_when),)
"""Signals of the best rows, once all else is known."""


def _of_named(search: Search, rows: NDArray[np.intp]) -> Mask:
    """Return a mask of rows spoken by those whom the question names, or by the user at "I"."""
    columns, query = search.index.columns, search.query
    named = np.zeros(len(rows), np.bool_)
    if query.speakers:
        named |= columns.spoken_by(query.speakers, rows)
    if "user" in query.roles:
        named |= columns.role.holds("user", rows)
    return named


def _of_asked(search: Search, rows: NDArray[np.intp], *, named: bool | None = None) -> Mask:
    """
    Return a mask of the rows spoken by those who are asked about.

    Where nobody is, all but the assistant are: its turns mostly answer a request. ``named``:
    whether anybody is, if that is known.
    """
    theirs = _of_named(search, rows)
    if theirs.any() if named is None else named:
        return theirs
    by_assistant = search.index.columns.role.holds("assistant", rows)
    return by_assistant if "assistant" in search.query.roles else ~by_assistant


@lru_cache(maxsize=256)
def _parties(speakers: tuple[str, ...]) -> NDArray[np.uint32]:
    """Return the keys of the names by which speakers are called, ascending."""
    keys = [name.key for speaker in speakers for name in names_of(speaker)]
    return each_once(np.array(keys, np.uint32))
