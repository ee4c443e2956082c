"""
Recall over several banks as if they were one: one ranking, in which each hit has its bank.

Each bank gathers candidates by its own cues. What is usual of each signal is then taken over the
candidates of all, so that scores can be compared, and all are ranked, read and judged together
(docs/adr/0088).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import zip_longest
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hippocampus.bank.asking import (
    Asking,
    Look,
    Looked,
    StepClock,
    count_allowed,
    of_unknown_time,
    stretches_of,
)
from hippocampus.bank.inclusion import Reach, left_out, opened
from hippocampus.bank.part import BankPart, Outdated, filter_of_all
from hippocampus.bank.searches import bind_to, encode, gather_from, led, seen_by_most
from hippocampus.core.altered import altered
from hippocampus.core.arrays import Floats
from hippocampus.core.records import Cost, Degradation, Episode, Filters, Hit, Interval, Recall
from hippocampus.engine.bank_state import BankState
from hippocampus.engine.snapshot import BankSnapshot
from hippocampus.errors import StoreError, UnknownEvent
from hippocampus.index.cue import Mask
from hippocampus.index.filters import Filter
from hippocampus.index.query import Leading, Query
from hippocampus.journal.reader import LedgerEntry
from hippocampus.recall.answered_time import when_it_was
from hippocampus.recall.best_span import best_characters
from hippocampus.recall.check_premise import check_premise
from hippocampus.recall.confidence import DEPTH, Confidence, confidence
from hippocampus.recall.decide import go_by_kind
from hippocampus.recall.encode_query import EncodedQuery
from hippocampus.recall.evidence import compare_rivals, evidence, rivals
from hippocampus.recall.foreign import foreign
from hippocampus.recall.parse import parse, without_event
from hippocampus.recall.read import Found, Shown, read_rows
from hippocampus.recall.rerank import rerank
from hippocampus.recall.search import MeasuredCandidates, Ranking, on_one_scale, rank
from hippocampus.recall.spelling import Frequency, respelled

_Opened: TypeAlias = list[tuple[BankState, BankSnapshot]]


@dataclass(slots=True, eq=False)
class _Part:
    """One of the banks that are asked together, and its candidates and evidence."""

    state: BankState
    here: BankSnapshot
    first: int
    """The number of its first row among the rows of all."""
    query: Query
    allowed: Mask | None
    gathered: MeasuredCandidates
    ranking: Ranking = field(init=False)
    found: Found = field(init=False)
    shows: dict[str, Floats] = field(init=False)

    def read(self, gathered: MeasuredCandidates, k: int, limit: int) -> list[int]:
        """Rank, and read the best; return rows that cannot be read."""
        self.ranking = rank(gathered, limit)
        self.shows = evidence(self.here.index, self.query, self.ranking.rows, self.ranking.subjects)
        corrected = self.here.index.corrected
        self.found = read_rows(self.here.ledger, self.ranking, k, corrected, self.allowed)
        return self.found.missing

    def gather_without(self, rows: Sequence[int]) -> None:
        """Gather candidates anew, without some rows."""
        if not rows:
            return
        if not self.state.is_newest(self.here):  # they may have been erased meanwhile
            raise Outdated
        index = self.here.index
        self.allowed = (
            np.ones(len(index), np.bool_) if self.allowed is None else self.allowed.copy()
        )
        self.allowed[list(rows)] = False
        self.gathered = gather_from(self.here, self.query, self.allowed)


class _PlaceOfPart(NamedTuple):
    """Place of one of the best rows of all: the part that it is in, and its rank there."""

    part: int
    at: int


class _Jointly(NamedTuple):
    """A question as it was asked of all banks."""

    query: str
    text: str
    """As it is read."""
    k: int
    how: Asking
    parts: list[_Part]
    degraded: list[Degradation]
    encoded: EncodedQuery
    chosen: Filter

    @property
    def limit(self) -> int:
        """Return the number of rows that are judged."""
        return max(self.k, DEPTH)


class JointRecall(BankPart):
    """Answers a question from a bank and those that it reaches."""

    def answer(
        self,
        query: str,
        k: int,
        how: Asking,
        filters: Filters,
        reach: Reach,
        look: Look | None = None,
    ) -> Recall:
        """Answer a question, and let who explains it look at what each bank gave."""
        started = time.perf_counter()
        moment = self._present(how.now)
        with ExitStack() as stack:
            heres: _Opened = [(self._state, stack.enter_context(self._state.asking()))]
            others, lacking = opened(stack, reach)
            heres += others
            text = respelled(query, _frequency(heres))
            try:
                chosen = filter_of_all((BankPart(state) for state, _ in heres), filters, moment)
            except UnknownEvent as exc:
                return of_unknown_time(query, str(exc), time.perf_counter() - started)
            cues = frozenset(self._engine.check_cues(how.cues))
            parsed = parse(text, now=moment, cues=cues)
            here = heres[0][1]
            encoded = encode(self._state, parsed, here.embedder, here.signatures)
            clock = StepClock(embed=encoded.elapsed_s)
            parts, told = self._gathered(heres, parsed, encoded, chosen)
            degraded = [*reach.degraded, *lacking, *told]
            asked = _Jointly(query, text, k, how, parts, degraded, encoded, chosen)
            clock.note("gather")
            _rank(asked)
            clock.note("search")
            return self._told_together(asked, clock, started, look)

    def _gathered(
        self, heres: _Opened, parsed: Query, encoded: EncodedQuery, chosen: Filter
    ) -> tuple[list[_Part], list[Degradation]]:
        """Return the candidates of each bank, and what each goes on without."""
        zone, frequency = self._engine.zone, _frequency(heres)
        every = (name for _, here in heres for name in here.index.columns.speakers())
        speakers = list(dict.fromkeys(every))
        bound: list[tuple[BankState, BankSnapshot, Query, Mask | None]] = []
        degraded: list[Degradation] = []
        for state, here in heres:
            with _left_out_if_broken(self.name, state, degraded):
                lacking, seen = seen_by_most(here, encoded)
                degraded += _of_bank(self.name, state, lacking, encoded)
                query = bind_to(here, parsed, seen, frequency, speakers)
                allowed = here.index.columns.mask(chosen)
                bound.append((state, here, led(here, query, seen, allowed, zone), allowed))
        told = (query for _, _, query, _ in bound if query.intervals != parsed.intervals)
        timed, parts, first = next(told, None), [], 0
        for state, here, led_by, allowed in bound:
            query = led_by
            if timed is not None and query.event is not None:  # which another bank tells of
                query = altered(without_event(query, speakers), intervals=timed.intervals)
            with _left_out_if_broken(self.name, state, degraded):
                gathered = gather_from(here, query, allowed)
                parts.append(_Part(state, here, first, query, allowed, gathered))
            first += len(here.index)
        return parts, list(dict.fromkeys(degraded))

    def _told_together(
        self, asked: _Jointly, clock: StepClock, started: float, look: Look | None
    ) -> Recall:
        """Return the hits of all banks as one answer."""
        parts, engine = asked.parts, self._engine
        places, twins = _merged(asked)
        found = _joined(parts, places, asked.k)
        ranking, own = found.ranking, parts[0]
        order, failed = rerank(engine.reranker, asked.text, found.texts)
        degraded = [
            *asked.degraded,
            *foreign(own.query, own.here.embedder, found.texts),
            *filter(None, [failed]),
        ]
        ranked = [*order, *range(len(order), len(places))]
        judged = _judged(parts, found, [places[at] for at in ranked], ranked)
        order = order[: int(np.count_nonzero(judged.scores[: len(order)] >= asked.how.min_score))]
        hits = self._hits(parts, found, order, judged, twins)
        asks_when = judged.found and "when" in own.query.intents
        when = when_it_was(own.query, hits, engine.zone) if asks_when else None
        _note(asked, [places[at] for at in order], look)
        clock.note("read")
        return Recall(
            query=asked.query, read_as="" if asked.text == asked.query else asked.text,
            hits=tuple(hits), found=judged.found, confidence=judged.sure,
            sessions=_sessions(parts, hits, asked.k),
            intervals=own.query.intervals, during=stretches_of(asked.chosen, engine.zone),
            note=judged.unmet, when=when,
            cost=Cost(
                elapsed_s=clock.last - started, embed_s=asked.encoded.elapsed_s,
                steps_s=clock.steps_s,
                allowed=sum(count_allowed(part.here, part.allowed) for part in parts),
                candidates=ranking.candidates, hamming_searches=ranking.hamming_searches,
            ),
            degraded=tuple(degraded),
        )  # fmt: skip

    def _hits(
        self,
        parts: Sequence[_Part],
        found: Found,
        order: Sequence[int],
        judged: Confidence,
        twins: Sequence[tuple[str, ...]],
    ) -> list[Hit]:
        """Return the hits in an order, each with what of it matches best, and who else has it."""
        told = [self._told(part.here.index) for part in parts]

        def times(row: int, episode: Episode) -> tuple[Interval, ...]:
            at = _part_of(parts, row)
            return told[at](row - parts[at].first, episode)

        def span(row: int, text: str) -> tuple[int, int] | None:
            part = parts[_part_of(parts, row)]
            cues, fusion = part.here.index.cues, part.here.fusion
            return best_characters(cues, part.query, row - part.first, text, fusion=fusion)

        scores = judged.scores[: len(order)].tolist()
        hits = found.hits(order, scores, times, span)
        return [
            replace(hit, also_in=twins[at]) if twins[at] else hit
            for at, hit in zip(order, hits, strict=True)
        ]


def _note(asked: _Jointly, shown: Sequence[_PlaceOfPart], look: Look | None) -> None:
    """Have each bank note what of it was shown, and who explains it look at that."""
    for number, part in enumerate(asked.parts):
        own = [place.at for place in shown if place.part == number]
        if own:
            entries = [part.found.entries[at] for at in own]
            part.state.note_shown(part.here, Shown(entries, part.found.shown(own).rows))
        if look is not None:
            rows = [int(part.ranking.rows[at]) for at in own]
            rest = [at for at in range(len(part.ranking.rows)) if at not in own]
            shows = {name: told[[*own, *rest]] for name, told in part.shows.items()}
            look(Looked(part.here, part.query, asked.chosen, part.ranking, rows, shows))


def _frequency(heres: _Opened) -> Frequency:
    """Return a function from terms to the number of episodes of all banks that have each."""

    def frequency(terms: NDArray[np.uint32]) -> NDArray[np.uint32]:
        each = [here.index.cues.lexical.frequency(terms) for _, here in heres]
        total: NDArray[np.uint32] = np.add.reduce(each)
        return total

    return frequency


def _of_bank(
    own: str, state: BankState, lacking: Iterable[Degradation], encoded: EncodedQuery
) -> Iterator[Degradation]:
    """Yield the degradations of a bank; those of an included one with its name."""
    for lack in lacking:
        of_all = state.name == own or lack in encoded.degraded
        yield lack if of_all else replace(lack, reason=f"bank {state.name!r}: {lack.reason}")


@contextmanager
def _left_out_if_broken(own: str, state: BankState, degraded: list[Degradation]) -> Iterator[None]:
    """Go on without an included bank that cannot be read, and say so."""
    try:
        yield
    except StoreError as exc:
        if state.name == own:
            raise
        degraded.append(left_out(state.name, exc))


def _rank(asked: _Jointly) -> None:
    """
    Rank the candidates of all banks on one scale.

    Without rows that turn out damaged, and without an included bank that cannot be read at all.
    """
    while True:
        scaled = on_one_scale([part.gathered for part in asked.parts])
        again = False
        for part, gathered in list(zip(asked.parts, scaled, strict=True)):
            missing, whole = list[int](), False
            with _left_out_if_broken(asked.parts[0].state.name, part.state, asked.degraded):
                missing = part.read(gathered, asked.k, asked.limit)
                part.gather_without(missing)
                whole = True
            if not whole:
                asked.parts.remove(part)
            again |= bool(missing) or not whole
        if not again:
            return


def _merged(asked: _Jointly) -> tuple[list[_PlaceOfPart], list[tuple[str, ...]]]:
    """
    Return the best rows of all banks, best first, and of each which other banks have the same.

    Of each bank as many were read as are asked for, so that those at the front all were: a place
    takes one row of a bank.
    """
    order = sorted(
        (-score, number, at)
        for number, part in enumerate(asked.parts)
        for at, score in enumerate(part.ranking.scores.tolist())
    )
    places: list[_PlaceOfPart] = []
    twins: list[tuple[str, ...]] = []
    known: dict[tuple[object, ...], int] = {}
    for _, number, at in order:
        part = asked.parts[number]
        if at < len(part.found.entries):
            entry = part.found.entries[at]
            first = known.setdefault(_said(entry), len(places))
            other = part.state.name
            if first < len(places) and places[first].part != number and other not in twins[first]:
                if number < places[first].part:  # what is nearer to whoever asks is shown
                    other = asked.parts[places[first].part].state.name
                    places[first] = _PlaceOfPart(number, at)
                twins[first] = (*twins[first], other)
                continue
        places.append(_PlaceOfPart(number, at))
        twins.append(())
    return places[: asked.limit], twins[: asked.limit]


def _said(entry: LedgerEntry) -> tuple[object, ...]:
    """Return the key by which two episodes of different banks are the same."""
    episode = entry.episode
    return entry.digest, (episode.speaker or "").casefold(), episode.occurred_at, episode.part


def _joined(parts: Sequence[_Part], places: Sequence[_PlaceOfPart], k: int) -> Found:
    """Return the best rows of all banks as if they were of one, numbered through."""
    rankings = [part.ranking for part in parts]
    names = dict.fromkeys(name for ranking in rankings for name in ranking.parts)

    def column(name: str) -> Floats:
        told = [rankings[p].parts[name][at] if name in rankings[p].parts else 0 for p, at in places]
        return np.array(told, np.float32)

    searches: Counter[str] = Counter()
    superseded: dict[int, int] = {}
    for part in parts:
        searches.update(part.ranking.hamming_searches)
        superseded |= {part.first + row: at for row, at in part.ranking.superseded.items()}
    candidates = [ranking for ranking in rankings if ranking.candidates]
    timeless = all(ranking.missing_time for ranking in candidates or rankings)
    ranking = altered(
        rankings[0],
        rows=np.array([parts[p].first + int(rankings[p].rows[at]) for p, at in places], np.uint32),
        scores=np.array([rankings[p].scores[at] for p, at in places], np.float32),
        parts={name: column(name) for name in names},
        activation=np.array([rankings[p].activation[at] for p, at in places], np.float32),
        candidates=sum(one.candidates for one in rankings),
        hamming_searches=dict(searches),
        missing_time=(candidates or rankings)[0].missing_time if timeless else "",
        superseded=superseded,
    )
    read = [parts[p] for p, _ in places[:k]]
    first = [at for _, at in places[:k]]
    entries = [
        part.found.entries[at]._replace(row=part.first + part.found.entries[at].row)
        for part, at in zip(read, first, strict=True)
    ]
    corrections = [part.found.corrections[at] for part, at in zip(read, first, strict=True)]
    return Found(ranking, entries, corrections, [])


def _judged(
    parts: Sequence[_Part], found: Found, places: Sequence[_PlaceOfPart], order: Sequence[int]
) -> Confidence:
    """Return the probability of each hit, best first, by the evidence of all banks."""
    own, number = parts[0], len(parts)
    shown = {p for p, _ in places}
    first = parts[min(shown, default=0)].shows
    # What only some banks can show, for want of an embedding say, would set their hits apart.
    names = [name for name in first if all(name in parts[p].shows for p in shown)]
    shows = {
        name: np.array([parts[p].shows[name][at] for p, at in places], np.float32) for name in names
    }
    best = [[at for p, at in places[:DEPTH] if p == part] for part in range(number)]
    premises = [
        check_premise(
            part.here.index,
            part.query,
            part.ranking.rows[rows],
            part.here.ledger.reader.texts,
            part.ranking.tells_fact[rows],
        )
        for part, rows in zip(parts, best, strict=True)
        if rows
    ]
    told = [one for one in premises if one is not None]
    supposed = reduce(lambda a, b: a.beside(b), told) if told else None
    fits = (
        rivals(one.here.index, one.query, one.ranking.contenders, one.ranking.subjects)
        for one in parts
    )
    models = own.here.calibrated.values.models
    judged = confidence(shows, len(places), compare_rivals(fits), supposed, models=models)
    leads = [parts[p].ranking.rows[at] in parts[p].query.leading.rows for p, at in places]
    leading = leads.index(False) if False in leads else len(leads)
    sure = any(part.query.leading.sure for part in parts)
    definite = next((part.query.definite for part in parts if part.query.definite), None)
    query = altered(
        own.query,
        leading=Leading(tuple(range(leading)), sure),
        definite=own.query.definite if definite is None else definite,
    )
    calibrated = own.here.calibrated.lacking is None
    covered = shows.get("covered")
    return go_by_kind(judged, query, found.ranking, order, covered, calibrated=calibrated)


def _sessions(parts: Sequence[_Part], hits: Sequence[Hit], k: int) -> tuple[str, ...]:
    """Return the sessions that the question is about, those of the bank with the best hit first."""
    best = {hit.bank: at for at, hit in reversed(list(enumerate(hits)))}
    ordered = sorted(parts, key=lambda part: best.get(part.state.name, len(hits)))
    named = [part.here.index.columns.session.named(part.ranking.sessions[:k]) for part in ordered]
    mixed = (name for some in zip_longest(*named) for name in some if name is not None)
    return tuple(dict.fromkeys(mixed))[:k]


def _part_of(parts: Sequence[_Part], row: int) -> int:
    """Return the number of the part that a row of all is of."""
    # A bank without rows begins where the next one does, and has none.
    return max(at for at, part in enumerate(parts) if part.first <= row and len(part.here.index))
