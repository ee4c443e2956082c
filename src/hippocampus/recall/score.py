"""
The fourth step of recall: one score a candidate, and the part of each signal in it.

Features are standardised over the candidates of the question (zero mean, unit variance) and added
with fixed weights (``docs/adr/0003-fusion.md``). Neighbours, speaker, novelty, time, session and
activation are added to that.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.clock import MICROS_PER_HOUR, to_micros
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.index.bm25 import Marked
from hippocampus.index.cue import Mask, Rows
from hippocampus.index.sorted_sets import each_once, looked_up
from hippocampus.kernel import top_k
from hippocampus.language.noun_phrases import names_of
from hippocampus.recall.expand import Candidates, summed
from hippocampus.recall.named_time import WITHIN
from hippocampus.recall.propose import Search
from hippocampus.recall.session_ranking import SessionScores
from hippocampus.recall.spreading_activation import lifted
from hippocampus.recall.standardize import Numbers, Scale, standardised

_ONLY_CONCEPTS: Final = frozenset({"concept", "time"})
_BELOW_RECENT: Final = np.float32(1e-4)
"""Distance that a primed row keeps below recent ones: more than scores are rounded by."""
_ABOUT: Final = np.float32(0.2)
"""Activation from which on a row is about what is called up, where the latest of that is asked."""
_RARE: Final = np.float32(3)
"""Most standard deviations of novelty: where hardly any turn has some, it is no answer yet."""
_NAMED: Final = 100
"""Most rows that name somebody who is to be explained: who is in more needs no introduction."""
_BEST: Final = 10
"""Best rows of which those that tell a time come first where a time is asked for."""
_PROPOSING: Final = ("tokens", "lexical", "vector")
"""Features of a usual question, against whose weight novelty was tuned."""


@immutable(kw_only=False, eq=False)
class Scored:
    """Candidates with their scores, shape (rows,) each."""

    rows: Rows
    scores: Numbers
    parts: dict[str, Numbers]
    """The part of each signal, by name."""
    sessions: SessionScores
    support: Numbers
    """Support of each session for its turns, shape (sessions + 1,)."""


def score(search: Search, candidates: Candidates) -> Scored:
    """Score complete candidates, once."""
    rows, index, query, fusion = candidates.rows, search.index, search.query, search.fusion
    lengths, marked = _lengths(search, rows), search.cues.lexical.marked(rows)
    short = _shortness(search, lengths)
    parts = dict(candidates.features)
    fused = summed(parts, len(rows))
    # NumPy takes three times as long to look rows up by another type than its own.
    places = rows.astype(np.intp)
    parts |= _surroundings(search, places, fused, short, marked)
    if query.latest:
        told = _lateness(search, rows, candidates.activation)
        parts["time"] = parts["time"] + told if "time" in parts else told
    asking = marked.asking
    if asking.any():
        parts["speaker"] -= asking * np.float32(fusion.only_asking * _weighed(search, candidates))
    novelty, named = _novelty(search, candidates, places, short, marked)
    called = _called_up(search, candidates)
    # Activation includes a session term already, and novelty would favour the session that said a
    # thing first: neither counts towards session support.
    scores = summed(parts, len(rows))
    worth = scores if called is None or not query.cues <= _ONLY_CONCEPTS else scores + called
    sessions = SessionScores.of(index.columns.session.codes[places], worth)
    lean = 0.0 if query.latest > 1 else _lean(lengths, fusion.context_decay_tokens)
    lean *= fusion.several if query.several else 1.0  # each of them has a session of its own
    support = np.float32(fusion.session * lean) * sessions.support()
    late: dict[str, Numbers] = {} if named is None else {"graph": named}
    novelty = novelty + _introducing(search, rows)
    late |= {"news": novelty, "session": support[sessions.groups] * index.columns.in_talk(places)}
    late |= {} if called is None else {"concept": called}
    for name, part in late.items():
        parts[name] = part
        scores = scores + part
    primed = _primed(search, rows, scores)
    if primed is not None:
        parts["gist"] = primed
        scores = scores + primed
    if candidates.lifts:
        raised = lifted(candidates.lifts, rows, scores, fusion.spreading_share)
        parts["names"], scores = raised - scores, raised
    timed = _telling_when(search, rows, scores)
    if timed is not None:
        parts["time"] = parts["time"] + timed if "time" in parts else timed
        scores = scores + timed
    return Scored(rows, scores, parts, sessions, support)


def _surroundings(
    search: Search,
    rows: NDArray[np.intp],
    fused: Numbers,
    short: Numbers | np.float32,
    marked: Marked,
) -> dict[str, Numbers]:
    """Return the parts of neighbouring turns, speaker, time and outcome, by name."""
    index, fusion = search.index, search.fusion
    if not len(rows):
        return {}
    parts: dict[str, Numbers] = {}
    before, after = index.columns.neighbours()
    beside = np.concatenate([before[rows], after[rows]])
    theirs = looked_up(rows.astype(beside.dtype), fused, beside)  # of no row, -1, it is 0
    gift = np.float32(fusion.previous_turn) * theirs[: len(rows)]
    gift += np.float32(fusion.next_turn) * theirs[len(rows) :]
    # An answer leans on what it answers; notes of one voice are each about what they say.
    parts["neighbours"] = gift * short * index.columns.in_talk(rows)
    parts["speaker"] = _speaking(search, rows, marked)
    outcome = index.outcome.view[rows]
    if fusion.outcome and outcome.any():
        parts["outcome"] = np.float32(fusion.outcome) * np.tanh(outcome)
    if search.timely is not None:
        near = search.timely[rows]
        inside = (near >= WITHIN).astype(np.float32)
        parts["time"] = near * np.float32(fusion.time) + inside * np.float32(fusion.within)
    return parts


def _lateness(search: Search, rows: Rows, activation: Numbers | None) -> Numbers:
    """Return the part of being late: of all candidates, or of those about what is called up."""
    weight = np.float32(search.fusion.latest * search.query.latest)
    occurred_at = search.index.columns.occurred_at(rows)
    about = np.ones(len(rows), np.bool_) if activation is None else activation >= _ABOUT
    if search.query.latest > 1 or not about.any():
        about[:] = True
    late = np.zeros(len(rows), np.float32)
    place = np.argsort(np.argsort(occurred_at[about], kind="stable")).astype(np.float32)
    late[about] = place * (weight / np.float32(max(1, len(place) - 1)))
    return late


def _shortness(search: Search, lengths: Numbers | None) -> Numbers | np.float32:
    """
    Return how far a turn depends on its neighbours, 1 to 0: exp(-tokens / decay).

    A long turn speaks for itself, and holds novel words and deeds by its length alone.
    """
    if lengths is None:
        return np.float32(1)
    short: Numbers = np.exp(-lengths / np.float32(search.fusion.context_decay_tokens))
    return short


def _speaking(search: Search, rows: NDArray[np.intp], marked: Marked) -> Numbers:
    """Return the part of the speaker: more for self-disclosure of somebody who is asked about."""
    columns, query, fusion = search.index.columns, search.query, search.fusion
    worth: Numbers = columns.role.holds("user", rows) * np.float32(fusion.user)
    if query.speakers:
        worth += columns.spoken_by(query.speakers, rows) * np.float32(fusion.speaker)
    if query.quoting:
        worth += columns.role.holds("assistant", rows) * np.float32(fusion.quoting)
    for role in ("assistant", "user"):
        if role in query.roles:
            worth += columns.role.holds(role, rows) * np.float32(fusion.addressee)
    worth += (_of_named(search, rows) & marked.telling) * np.float32(fusion.self_disclosure)
    return worth


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


def _novelty(
    search: Search,
    candidates: Candidates,
    places: NDArray[np.intp],
    short: Numbers | np.float32,
    marked: Marked,
) -> tuple[Numbers, Numbers | None]:
    """
    Return the parts of novelty and deeds, and of named entities, in turns of those asked about.

    The second is None where it does not count.
    """
    rows, query, fusion = candidates.rows, search.query, search.fusion
    if not len(rows):
        return np.zeros(0, np.float32), None
    named = None if candidates.together is None else candidates.together.named
    told = _new_in(search, rows, places, short, marked, named=named)
    scaled = {
        name: np.minimum(candidates.standardised(name, column), _RARE)
        for name, column in told.items()
    }
    novelty = np.float32(fusion.novelty) * scaled["unheard"]
    novelty += np.float32(fusion.first_person_deed) * scaled["deeds"]
    novelty = short * novelty
    if not query.listing:  # which is asked of the time alone
        novelty *= np.float32(_weighed(search, candidates))
    if query.latest:  # who said it last is asked for, and not who said it first
        novelty = np.zeros_like(novelty)
    if "names" not in scaled:
        return novelty, None
    return novelty, np.float32(fusion.named_entities) * scaled["names"]


def _new_in(
    search: Search,
    rows: Rows,
    places: NDArray[np.intp],
    short: Numbers | np.float32,
    marked: Marked,
    *,
    named: bool | None,
) -> dict[str, Numbers]:
    """Return how much is new in turns of those asked about, by what: words, deeds, names."""
    about = _of_asked(search, places, named=named)
    unheard = np.log1p(search.cues.lexical.unheard(rows).astype(np.float32)) * about
    told = {"unheard": unheard, "deeds": (marked.deed & about).astype(np.float32)}
    graph = search.cues.graph
    if graph is not None and search.query.speakers:  # one who asks an assistant names as much
        mentions = graph.mentions(rows, _parties(search.index.columns.speakers()))
        told["names"] = np.log1p(mentions.astype(np.float32)) * about * short
    return told


def novelty_scales(search: Search, candidates: Candidates, *, named: bool) -> dict[str, Scale]:
    """
    Return the usual scales of novelty among candidates.

    ``named``: whether those whom the question names speak in these, or in those of another bank.
    """
    rows = candidates.rows
    if not len(rows):
        return {}
    short = _shortness(search, _lengths(search, rows))
    marked = search.cues.lexical.marked(rows)
    told = _new_in(search, rows, rows.astype(np.intp), short, marked, named=named)
    return {name: Scale.of(column) for name, column in told.items()}


def named_speak(search: Search, rows: Rows) -> bool:
    """Return whether any row is spoken by those whom the question names."""
    return bool(_of_named(search, rows.astype(np.intp)).any())


def _weighed(search: Search, candidates: Candidates) -> float:
    """
    Return the weight of the cues that were asked, as a share of the usual ones, up to 1.

    Weights of novelty and of questions were tuned against all cues; beside few they are as light.
    """
    weights = search.fusion.weights
    usual = sum(weights[name] for name in _PROPOSING)
    heard = sum(weights[name] for name in candidates.features)
    return min(1.0, heard / usual) if usual > 0 else 0.0


def _telling_when(search: Search, rows: Rows, scores: Numbers) -> Numbers | None:
    """Return the part of telling a time, of the best rows, where the question asks for one."""
    query = search.query
    if search.timely is not None or "when" not in query.intents or "time" not in query.cues:
        return None
    part = np.zeros(len(rows), np.float32)
    best = top_k(scores, _BEST)
    tells = search.index.cues.time.tells()[rows[best].astype(np.intp)]
    part[best] = tells * np.float32(search.fusion.telling_when)
    return part


def _introducing(search: Search, rows: Rows) -> Numbers:
    """Return the part of naming somebody first, where the question asks who they are."""
    gained = np.zeros(len(rows), np.float32)
    name = search.query.introduced
    if not len(name) or search.query.speakers:  # those who speak are called by name all the time
        return gained
    holding = search.cues.lexical.holding(name, search.allowed, _NAMED, least=1)
    if len(holding):
        first = holding[int(np.argmin(search.index.columns.occurred_at(holding)))]
        gained[rows == first] = search.fusion.introduction
    return gained


@lru_cache(maxsize=256)
def _parties(speakers: tuple[str, ...]) -> NDArray[np.uint32]:
    """Return the keys of the names by which speakers are called, ascending."""
    keys = [name.key for speaker in speakers for name in names_of(speaker)]
    return each_once(np.array(keys, np.uint32))


def _called_up(search: Search, candidates: Candidates) -> Numbers | None:
    """Return the part of activation; asked of the concept cue alone, of its scores as well."""
    concept, weight = search.cues.concept, np.float32(search.fusion.concept)
    near = candidates.activation
    if near is not None and search.query.latest:  # of all that is about it, how lately counts
        near = np.minimum(near / _ABOUT, np.float32(1))
    worth = None if near is None else weight * near
    if concept is not None and search.query.cues <= _ONLY_CONCEPTS:
        near = concept.score(search.query, candidates.rows)
        if near is not None:
            apart = weight * standardised(near)
            worth = apart if worth is None else worth + apart
    return worth


def _primed(search: Search, rows: Rows, scores: Numbers) -> Numbers | None:
    """
    Return the part of priming: sources of a gist that the question means rise, past no recent row.

    A row is recent while it is younger than a gist needs to mature, for none can prime it yet.
    """
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


def _lengths(search: Search, rows: Rows) -> Numbers | None:
    """Return how many tokens each row has; None where no embedder gives tokens."""
    tokens = search.index.cues.tokens
    return None if tokens is None else tokens.lengths(rows).astype(np.float32)


def _lean(lengths: Numbers | None, decay: float) -> float:
    """Return how far turns of this mean length depend on their session, 1 to 0."""
    if lengths is None or not len(lengths):
        return 1.0
    return math.exp(-float(np.add.reduce(lengths)) / len(lengths) / decay)
