"""
Ask the cues, fuse what they say, let neighbours, speakers, sessions and times count.

Every cue's scores are put on one scale (zero mean and unit variance over the candidates of this
question) and added with fixed weights; where those come from: ``docs/adr/0003-fusion.md``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.clock import MICROS_PER_HOUR, to_micros
from hippocampus.core.config import Fusion
from hippocampus.index.bank_index import BankIndex
from hippocampus.index.concept import Activation
from hippocampus.index.cue import Cue, Mask, Rows
from hippocampus.index.query import Query
from hippocampus.index.sorted_sets import each_once
from hippocampus.kernel import top_k
from hippocampus.language.noun_phrases import names_of
from hippocampus.recall.current_facts import Tell
from hippocampus.recall.session_ranking import SessionScores, rank_sessions
from hippocampus.recall.spreading_activation import Lift, ReadTexts, spread
from hippocampus.recall.standardize import Numbers, standardised


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """
    The best candidates, best first, and why.

    ``said``: what each cue says of each, see ``ask``. ``parts``: what each added to the ranking
    score, name → shape (rows,). ``sessions``: the sessions of all candidates by code, best first.
    ``candidates``: how many there were. ``balls``: how many Hamming balls were searched, by way.
    """

    rows: Rows
    scores: Numbers
    said: dict[str, Numbers]
    parts: dict[str, Numbers]
    sessions: NDArray[np.int32]
    about: Numbers
    candidates: int
    balls: Mapping[str, int]
    over: Mapping[int, int]
    """Rows that only tell, of what is asked, what is over; with since when, in microseconds."""


# OpenBLAS computes with what lies beside short arrays too; when that is no number, NumPy warns of a
# result that is not even used.
@np.errstate(invalid="ignore")
def search(
    index: BankIndex,
    question: Query,
    allowed: Mask | None,
    fusion: Fusion,
    cues: frozenset[str],
    limit: int,
    read: ReadTexts | None = None,
    tell: Tell | None = None,
) -> Ranking:
    """
    Rank the allowed episodes for a question; the ``limit`` best are returned.

    ``read`` gives the texts of rows; with it, names in the best hits lead to further rows
    (``spreading_activation.py``). ``tell`` says which rows tell what is asked for, and which what
    is over (``current_facts.py``).
    """
    inside = in_intervals(index, question)
    about = _activation(index, question, allowed, cues)
    scopes = [inside] if "time" in cues and inside is not None else []
    if about is not None:
        question = _faded(index, question, fusion)
    rows = _candidates(index, question, allowed, fusion, cues, scopes)
    if about is not None and len(rows) < len(index):
        called = about.best(fusion.anchor_candidates, allowed)
        rows = each_once(np.concatenate([rows, called]))
    lexical = index.cues.lexical
    found = _scored(index, question, rows, fusion, cues, inside, about)
    if read is not None and fusion.spreading_share > 0:
        lent = spread(
            lexical,
            read,
            question,
            allowed,
            rows,
            found.earned(),
            found.scores,
            fusion.spreading_share,
        )
        if lent:
            every = each_once(np.concatenate([rows, np.fromiter(lent, np.uint32, len(lent))]))
            if len(every) > len(rows):
                rows = every
                found = _scored(index, question, rows, fusion, cues, inside, about)
            found.lift(rows, lent)
    asked = None if tell is None or question.intervals else question.fact
    stands = None
    if asked is not None and tell is not None:
        stands = tell(asked, rows[top_k(found.scores, _ASKED)], allowed)
    if stands is not None:
        told = np.array(sorted(stands.current), np.uint32)
        every = each_once(np.concatenate([rows, told]))
        if len(every) > len(rows):
            rows = every
            found = _scored(index, question, rows, fusion, cues, inside, about)
        found.put_first(rows, told)
    scores, said, parts = found.scores, found.said, found.parts
    best = top_k(scores, min(limit, len(scores)))
    return Ranking(
        rows=rows[best],
        scores=scores[best],
        said={name: values[best] for name, values in said.items()},
        parts={name: part[best] for name, part in parts.items()},
        sessions=rank_sessions(index, question, rows, found.sessions, found.support, fusion, cues),
        about=np.zeros(len(best), np.float32) if about is None else about.of(rows[best]),
        candidates=len(rows),
        balls=_balls(index, question) if "signature" in said else {},
        over={} if stands is None else stands.over,
    )


_ASKED = 8
"""Best rows that are read for facts, where a question asks for one."""


@dataclass(slots=True, eq=False)
class _Scored:
    """
    Rows with all that was found out about them, shape (rows,) each.

    ``fused``: what the cues alone gave. ``support``: what each session lends its turns.
    """

    scores: Numbers
    fused: Numbers
    said: dict[str, Numbers]
    parts: dict[str, Numbers]
    sessions: SessionScores
    support: Numbers

    def earned(self) -> Numbers:
        """Return what the question gave each by its words and what they call up, of its score."""
        called = self.parts.get("concept")
        return self.fused if called is None else np.minimum(self.fused + called, self.scores)

    def lift(self, rows: Rows, lent: Mapping[int, Lift]) -> None:
        """Add what was lent to rows, each up to its limit and never down."""
        gifts = np.zeros(len(rows), np.float32)
        places = np.searchsorted(rows, np.fromiter(lent, np.uint32, len(lent)))
        offered = np.array(list(lent.values()), np.float32)
        before = self.scores[places]
        # More candidates may have moved all scores a little: the first hit stays the first.
        most = np.minimum(offered[:, 1], self.scores.max() - np.float32(_AHEAD))
        gifts[places] = np.maximum(np.minimum(before + offered[:, 0], most) - before, 0)
        self.parts["names"] = gifts
        self.scores = self.scores + gifts

    def put_first(self, rows: Rows, chosen: Rows) -> None:
        """Lift the best of some chosen rows above all others."""
        places = np.searchsorted(rows, chosen)
        best = places[int(np.argmax(self.scores[places]))]
        gifts = np.zeros(len(rows), np.float32)
        gifts[best] = self.scores.max() - self.scores[best] + np.float32(_AHEAD)
        self.parts["facts"] = gifts
        self.scores = self.scores + gifts


_AHEAD = 0.1


def _scored(
    index: BankIndex,
    question: Query,
    rows: Rows,
    fusion: Fusion,
    cues: frozenset[str],
    inside: Mask | None,
    about: Activation | None,
) -> _Scored:
    """Let every cue score every candidate, and fuse what they say."""
    lexical = index.cues.lexical
    rarity = lexical.rarity(question.terms)
    lengths = _lengths(index, rows)
    said = ask(index, question, rows, cues)
    features = _features(index, question, said, rarity, lengths, fusion)
    parts = {
        name: np.float32(weight) * standardised(features[name])
        for name, weight in fusion.weights.items()
        if name in features
    }
    fused = _sum(parts, len(rows))
    # NumPy takes three times as long to look rows up by another type than its own.
    places = rows.astype(np.intp)
    parts |= _around(index, question, places, fused, lengths, fusion, inside, cues)
    # News is weighed against all that is usually asked; against few cues, it is as light as they.
    weights = fusion.weights
    heard = sum(weights[name] for name in features)
    usual = sum(weights[name] for name in ("tokens", "lexical", "vector"))
    parts["news"] *= np.float32(min(1.0, heard / usual) if usual > 0 else 0.0)
    called = _called_up(index, question, rows, about, fusion, cues)
    # What is activated is so by its session already; and a session is not the better for having
    # said first what others say again.
    news, named = parts.pop("news"), parts.pop("graph", None)
    if question.latest:  # who said it last is asked for, and not who said it first
        news = np.zeros_like(news)
    scores = _sum(parts, len(rows))
    worth = scores if called is None or not cues <= _ONLY_CONCEPTS else scores + called
    sessions = SessionScores.of(index.columns.session.codes[places], worth)
    lean = 0.0 if question.latest > 1 else _lean(lengths, fusion)  # the latest is a single turn
    support = np.float32(fusion.session * lean) * sessions.support()
    parts |= {} if named is None else {"graph": named}
    parts |= {"news": news, "session": support[sessions.groups] * index.columns.in_talk(places)}
    scores += parts["news"] + parts["session"]
    if "graph" in parts:
        scores += parts["graph"]
    if called is not None:
        parts["concept"] = called
        scores += called
    lent = _primed(index, question, rows, scores, fusion, cues)
    if lent is not None:
        parts["gist"] = lent
        scores += lent
    return _Scored(scores, fused, said, parts, sessions, support)


def _candidates(
    index: BankIndex,
    question: Query,
    allowed: Mask | None,
    fusion: Fusion,
    cues: frozenset[str],
    within: Sequence[Mask],
) -> Rows:
    """Return what the cues propose: of all that is allowed, and again within each mask."""
    total = len(index) if allowed is None else int(np.count_nonzero(allowed))
    if total <= fusion.candidates:
        everyone = np.arange(len(index)) if allowed is None else np.flatnonzero(allowed)
        return everyone.astype(np.uint32)
    asked = index.cues.among(cues)
    words = asked.lexical if "lexical" in cues else None
    proposing: list[Cue] = [
        cue for cue in (asked.vector, words, asked.signature) if cue is not None
    ]
    if not proposing and asked.tokens is not None:
        proposing = [asked.tokens]
    narrow = [mask if allowed is None else mask & allowed for mask in within]
    scopes = [allowed, *narrow]
    share = max(1, fusion.candidates // max(1, len(proposing)))
    if asked.concept is not None:
        proposing.append(asked.concept)  # it has few to offer, and takes nobody's share
    if not proposing and asked.graph is not None:
        proposing = [asked.graph]
    if not proposing and asked.topic is not None:
        proposing = [asked.topic]
    proposed = [cue.propose(question, scope, share) for cue in proposing for scope in scopes]
    if not proposed:
        return _latest(index, narrow if "time" in cues else [], fusion.candidates)
    if question.latest:
        proposed.append(index.columns.last(fusion.neighbour_reach, allowed).astype(np.uint32))
    before, after = index.columns.neighbours()
    best = np.concatenate([rows[: fusion.neighbour_reach // len(proposed)] for rows in proposed])
    beside = np.concatenate([before[best], after[best]])
    near = beside[beside >= 0].astype(np.uint32)
    proposed.append(near if allowed is None else near[allowed[near]])
    return each_once(np.concatenate(proposed))


def _latest(index: BankIndex, within: Sequence[Mask], limit: int) -> Rows:
    """Return the latest rows within any of the masks: all that a time alone can propose."""
    inside = np.zeros(len(index), np.bool_)
    for mask in within:
        inside |= mask
    order = index.columns.in_order()
    return np.sort(order[inside[order]][::-1][:limit]).astype(np.uint32)


_ONLY_CONCEPTS = frozenset({"concept", "time"})
_ONLY_NAMES = frozenset({"graph", "time"})


def _activation(
    index: BankIndex, question: Query, allowed: Mask | None, cues: frozenset[str]
) -> Activation | None:
    concept = index.cues.among(cues).concept
    return None if concept is None else concept.activate(question, allowed)


def _faded(index: BankIndex, question: Query, fusion: Fusion) -> Query:
    """Let words that only say what a question is about weigh less, unless it has no others."""
    concept = index.cues.concept
    assert concept is not None, "it has activated something"
    faded = np.ones(len(question.terms), np.float32)
    faded[concept.explained(question)] = max(
        fusion.explained_weight, _LEAST
    )  # it is still a word of it
    weights = question.term_weights * faded
    if not (
        weights[question.term_weights > 0] == question.term_weights[question.term_weights > 0]
    ).any():
        return question
    return replace(question, term_weights=weights, term_discounts=faded)


def _primed(
    index: BankIndex,
    question: Query,
    rows: Rows,
    scores: Numbers,
    fusion: Fusion,
    cues: frozenset[str],
) -> Numbers | None:
    """
    Let the sources of a gist that the question means rise, but past nothing that is recent.

    Recent is what is younger than a gist needs to mature: it has none, and must not wait for one.
    """
    gists = index.gists
    if not fusion.gist or gists is None or question.vector is None or "vector" not in cues:
        return None
    now = to_micros(question.now)
    lent = gists.lent(question.vector, rows, index.columns.visible(), now)
    if not lent.any():
        return None
    recent = index.columns.said_at(rows) >= now - gists.how.half_hours * MICROS_PER_HOUR
    line = np.append(np.sort(scores[recent]), np.float32(np.inf))
    limit = line[np.searchsorted(line, scores)] - _HAIR
    raised = np.minimum(scores + np.float32(fusion.gist) * lent, limit)
    return np.where(recent, 0, np.maximum(raised - scores, 0)).astype(np.float32)


def _called_up(
    index: BankIndex,
    question: Query,
    rows: Rows,
    about: Activation | None,
    fusion: Fusion,
    cues: frozenset[str],
) -> Numbers | None:
    """Let it count to be about what the question calls up; alone, to lie near it as well."""
    concept = index.cues.concept
    worth: Numbers | None = None if about is None else np.float32(fusion.concept) * about.of(rows)
    if concept is not None and cues <= _ONLY_CONCEPTS:
        near = concept.score(question, rows)
        if near is not None:
            apart = np.float32(fusion.concept) * standardised(near)
            worth = apart if worth is None else worth + apart
    return worth


def ask(index: BankIndex, question: Query, rows: Rows, cues: frozenset[str]) -> dict[str, Numbers]:
    """
    Return what each cue says of each row, on the cue's own scale.

    ``lexical``: what each word that weighs something gives it, shape (rows, words); ``tokens``:
    each token's best match, a cosine, shape (rows, tokens); ``vector``: how near in meaning, a
    cosine, shape (rows,); ``signature``: which keywords it holds, shape (rows, keywords);
    ``graph``, where nothing else is asked: how active it is. A cue that the question gives no hold
    is left out.
    """
    said: dict[str, Numbers] = {}
    asked = index.cues.among(cues)
    if "lexical" in cues and len(question.terms):
        said["lexical"] = asked.lexical.matches(question, rows)
    if asked.tokens is not None and question.tokens is not None:
        said["tokens"] = asked.tokens.matches(question, rows)
    if asked.signature is not None and question.keywords:
        said["signature"] = asked.signature.matches(question, rows)
    under = None if asked.topic is None else asked.topic.score(question, rows)
    if under is not None:
        said["topic"] = under
    if cues <= _ONLY_NAMES and index.cues.graph is not None:
        active = index.cues.graph.score(question, rows)
        said |= {} if active is None else {"graph": active}
    near = None if asked.vector is None else asked.vector.score(question, rows)
    return said if near is None else said | {"vector": near}


def _features(
    index: BankIndex,
    question: Query,
    said: dict[str, Numbers],
    rarity: Numbers,
    lengths: Numbers | None,
    fusion: Fusion,
) -> dict[str, Numbers]:
    """Make one number a row of what each cue says."""
    features: dict[str, Numbers] = {}
    if "lexical" in said:
        weights = question.term_weights
        features["lexical"] = said["lexical"] @ weights[weights > 0]
    if "tokens" in said:
        assert question.token_terms is not None, "tokens come with their terms"
        assert lengths is not None, "what has tokens has a number of them"
        known = question.token_terms >= 0
        weight = np.zeros(len(known), np.float32)
        weight[known] = np.sqrt(rarity[question.token_terms[known]])
        if question.term_discounts is not None:
            weight[known] *= question.term_discounts[question.token_terms[known]]
        if not weight.sum() > 0:
            weight[:] = 1.0
        matched = said["tokens"] @ (weight / weight.sum())
        crowd = np.log(np.maximum(lengths / np.float32(fusion.long_tokens), np.float32(1)))
        features["tokens"] = matched - np.float32(fusion.length_penalty) * crowd
    if "signature" in said:
        signature = index.cues.signature
        assert signature is not None, "it has said something"
        features["signature"] = said["signature"] @ signature.rarity(question)
    if "vector" in said:
        features["vector"] = said["vector"]
    features |= {name: said[name] for name in ("topic", "graph") if name in said}
    return features


def _balls(index: BankIndex, question: Query) -> Mapping[str, int]:
    signature = index.cues.signature
    assert signature is not None, "it has searched them"
    return signature.balls(question)


def _sum(parts: dict[str, Numbers], length: int) -> Numbers:
    total = np.zeros(length, np.float32)
    for part in parts.values():
        total += part
    return total


def _around(
    index: BankIndex,
    question: Query,
    rows: NDArray[np.intp],
    fused: Numbers,
    lengths: Numbers | None,
    fusion: Fusion,
    inside: Mask | None,
    cues: frozenset[str],
) -> dict[str, Numbers]:
    """Let the turns around a candidate, its speaker and its time count towards it."""
    parts: dict[str, Numbers] = {}
    if not len(rows):
        return {"news": np.zeros(0, np.float32)}
    # One place more than rows: what a row without a neighbour, -1, reads is its zero.
    everyone = np.zeros(len(index) + 1, np.float32)
    everyone[rows] = fused
    before, after = index.columns.neighbours()
    gift = np.float32(fusion.previous_turn) * everyone[before[rows]]
    gift += np.float32(fusion.next_turn) * everyone[after[rows]]
    short = np.float32(1)
    if lengths is not None:
        # A short turn leans on what was said around it; a long one speaks for itself, and is news
        # or a deed by its length alone.
        short = np.exp(-lengths / np.float32(fusion.context_decay_tokens))
    # And an answer leans on what it answers: notes of one voice are each about what they say.
    parts["neighbours"] = gift * short * index.columns.in_talk(rows)
    parts["speaker"], about = _speaking(index, question, rows, fusion)
    parts["news"] = short * _news(index, rows, about, fusion)
    asked = "graph" in cues and bool(question.speakers)  # one who asks an assistant names as much
    named = _naming(index, rows.astype(np.uint32)) if asked else None
    if named is not None:
        likely = np.minimum(standardised(named * about * short), _RARE)
        parts["graph"] = np.float32(fusion.named_entities) * likely
    outcome = index.outcome.view[rows]
    if fusion.outcome and outcome.any():
        parts["outcome"] = np.float32(fusion.outcome) * np.tanh(outcome)
    if inside is not None:
        parts["time"] = inside[rows].astype(np.float32) * np.float32(fusion.time)
    if question.latest:
        said_at = index.columns.said_at(rows.astype(np.uint32))
        place = np.argsort(np.argsort(said_at, kind="stable")).astype(np.float32)
        late = place * np.float32(fusion.latest * question.latest / max(1, len(rows) - 1))
        parts["time"] = parts["time"] + late if "time" in parts else late
    return parts


_LEAST = 1e-6
_HAIR = np.float32(1e-4)
"""How far below what is recent a primed row stays: more than scores are rounded by."""
_RARE = np.float32(3)
"""Most standard deviations that news count: where hardly any turn has some, it is no answer yet."""


def _speaking(
    index: BankIndex, question: Query, rows: NDArray[np.intp], fusion: Fusion
) -> tuple[Numbers, Mask]:
    """
    Let it count who speaks, more if it is of themself and they are asked about.

    Returned with it: who is asked about or, where that is no one, who is people; what an assistant
    says is mostly what it was asked for.
    """
    by_user = index.columns.role.holds("user", rows)
    by_assistant = index.columns.role.holds("assistant", rows)
    worth = by_user * np.float32(fusion.user)
    about = np.zeros(len(rows), np.bool_)
    if question.speakers:
        about |= index.columns.spoken_by(question.speakers)[rows]
        worth += about * np.float32(fusion.speaker)
    if "assistant" in question.roles:
        worth += by_assistant * np.float32(fusion.addressee)
    if "user" in question.roles:
        worth += by_user * np.float32(fusion.addressee)
        about |= by_user
    lexical = index.cues.lexical
    tells = lexical.marked(rows.astype(np.uint32))[:, 0]
    worth += (about & tells) * np.float32(fusion.self_disclosure)
    if not about.any():
        about = by_assistant if "assistant" in question.roles else ~by_assistant
    return worth, about


def _news(index: BankIndex, rows: NDArray[np.intp], about: Mask, fusion: Fusion) -> Numbers:
    """Let it count to say what is new, or to tell a deed, of those who are asked about."""
    lexical = index.cues.lexical
    codes = rows.astype(np.uint32)
    does = lexical.marked(codes)[:, 1]
    unheard = np.log1p(lexical.unheard(codes).astype(np.float32)) * about
    deeds = (does & about).astype(np.float32)
    news = np.float32(fusion.novelty) * np.minimum(standardised(unheard), _RARE)
    news += np.float32(fusion.first_person_deed) * np.minimum(standardised(deeds), _RARE)
    return news


def _naming(index: BankIndex, rows: Rows) -> Numbers | None:
    """Return how much rows name, other than who takes part; None where no names are known."""
    graph = index.cues.graph
    if graph is None:
        return None
    mentions = graph.mentions(rows, _parties(index.columns.speakers()))
    return np.log1p(mentions.astype(np.float32))


@lru_cache(maxsize=256)
def _parties(speakers: tuple[str, ...]) -> NDArray[np.uint32]:
    """Return the keys of the names by which speakers are called, ascending."""
    keys = [name.key for speaker in speakers for name in names_of(speaker)]
    return each_once(np.array(keys, np.uint32))


def _lengths(index: BankIndex, rows: Rows) -> Numbers | None:
    """Return how many tokens each row has; None where no embedder gives tokens."""
    tokens = index.cues.tokens
    return None if tokens is None else tokens.lengths(rows).astype(np.float32)


def _lean(lengths: Numbers | None, fusion: Fusion) -> float:
    """Return how much turns as long as these usually are lean on their session."""
    if lengths is None or not len(lengths):
        return 1.0
    return math.exp(-float(np.add.reduce(lengths)) / len(lengths) / fusion.context_decay_tokens)


def in_intervals(index: BankIndex, question: Query) -> Mask | None:
    """Return which rows lie in a time the question names; None when it names none."""
    if not question.intervals:
        return None
    inside = np.zeros(len(index), np.bool_)
    for interval in question.intervals:
        inside |= index.columns.between(interval.start, interval.end)
    return inside
