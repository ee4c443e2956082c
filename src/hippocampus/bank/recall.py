"""Recalling: from a question to what answers it, and to a prompt."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final, Unpack

import numpy as np
from numpy.typing import NDArray

from hippocampus.bank.base import staying
from hippocampus.bank.derived import Knowing
from hippocampus.bank.filter_arguments import Filters, read_filters, spell_out
from hippocampus.bank.lookup import Looking
from hippocampus.context.compose import compose, frame_within
from hippocampus.core.background_yield import answering
from hippocampus.core.clock import from_micros, to_micros
from hippocampus.core.config import Signatures
from hippocampus.core.constraints import check_whole
from hippocampus.core.records import (
    Context,
    Cost,
    Degradation,
    Embedded,
    Embedder,
    Hit,
    Interval,
    Recall,
    Reranker,
)
from hippocampus.core.timestamps import to_moment
from hippocampus.core.validation import check_text
from hippocampus.encode.keywords import find_keywords
from hippocampus.encode.tokens import count as count_tokens
from hippocampus.errors import EncoderError, InputError
from hippocampus.index.bank_index import BankIndex
from hippocampus.index.cue import Mask
from hippocampus.index.query import Query
from hippocampus.journal.ledger import Ledger
from hippocampus.language.event_anchored import Join
from hippocampus.language.question_intent import day_of, moment_told
from hippocampus.language.time import find_intervals
from hippocampus.recall.confidence import DEPTH, Confidence, confidence
from hippocampus.recall.current_facts import FactResolver
from hippocampus.recall.evidence import evidence
from hippocampus.recall.parse import bind, parse, signed
from hippocampus.recall.search import Ranking, search
from hippocampus.recall.standardize import Numbers

_NOTED: Final = 1000
"""Recalls that are remembered until they are written down."""
_SHOWN: Final = 10
"""Hits of each that count as shown."""


class Recalling(Knowing, Looking):
    """The verbs that answer a question."""

    @spell_out
    @answering()
    def recall(
        self,
        query: str,
        k: int = 10,
        *,
        now: datetime | None = None,
        cues: Sequence[str] | None = None,
        **filters: Unpack[Filters],
    ) -> Recall:
        """
        Find what bears on ``query``: at most ``k`` hits, best first, each saying why.

        Args:
            query: a question or a few words, in any wording.
            k: most hits to return, 0 or more.
            now: the present, for "yesterday" and its like; the clock's by default.
            cues: only these cues, of ``CUES``.
            **filters: what it may see; see below.

        Raises:
            InputError: a filter or argument that makes no sense.

        """
        started = time.perf_counter()
        engine = self._engine
        query = self._check_query(query, k)
        wanted = frozenset(engine.check_cues(cues))
        chosen = read_filters(filters, engine.zone)
        moment = engine.now() if now is None else to_moment(now, engine.zone)
        degraded: list[Degradation] = []
        asked, how = engine.embedder, self._signs
        parsed = _parse(query, moment, wanted)
        embedded, embed_s = self._embed_query(asked, query, wanted, degraded)
        event, event_s = self._embed_event(asked, parsed.event, wanted)
        words = self._choose_keywords(how, query, wanted, degraded)
        with self._asking() as index:
            if self._signs != how:  # somebody has just signed the store; as rare as the next
                words = self._choose_keywords(self._signs, query, wanted, degraded)
            if self._asks is not asked:  # a rebuild has just moved the store; this is rare
                degraded[:] = [known for known in degraded if known.part == "keywords"]
                embedded, embed_s = self._embed_query(self._asks, query, wanted, degraded)
                event, event_s = self._embed_event(self._asks, parsed.event, wanted)
            read = time.perf_counter()
            keywords = () if self._signs is None else signed(words, self._signs)
            question = self._bind(index, parsed, embedded, wanted, keywords)
            understood = time.perf_counter()
            allowed = index.columns.mask(chosen)
            filtered = time.perf_counter()
            question = self._joined(index, question, event, allowed, wanted)
            ranking, judged = self._search(index, question, allowed, wanted, limit=max(k, DEPTH))
            searched = time.perf_counter()
            hits = self._hits(index, ranking, judged.scores[:k], allowed)
            sessions = index.columns.session.named(ranking.sessions[:k])
            count = len(index) if allowed is None else int(np.count_nonzero(allowed))
            degraded += self._lacking(index, vectors=embedded is not None, signed=bool(keywords))
        if engine.reranker is not None and hits:
            hits = _rerank(engine.reranker, query, hits, degraded)
        found = judged.found or (bool(hits) and question.latest > 1)
        hits, when = self._dated(hits) if question.asks_when else (hits, None)
        ended = time.perf_counter()
        return Recall(
            query=query,
            hits=tuple(hits),
            found=found,
            confidence=judged.sure,
            sessions=sessions,
            intervals=question.intervals,
            when=when if found else None,
            cost=Cost(
                elapsed_s=ended - started,
                embed_s=embed_s + event_s,
                steps_s={
                    "embed": embed_s + event_s,
                    "understand": understood - read,
                    "filter": filtered - understood,
                    "search": searched - filtered,
                    "read": ended - searched,
                },
                allowed=count,
                candidates=ranking.candidates,
                balls=ranking.balls,
            ),
            degraded=tuple(degraded),
        )

    def _embed_event(
        self, embedder: Embedder | None, join: Join | None, wanted: frozenset[str]
    ) -> tuple[Embedded | None, float]:
        """Embed what the time of a question hangs on, before the index is held."""
        return (None, 0.0) if join is None else self._embed_query(embedder, join.event, wanted, [])

    def _bind(
        self,
        index: BankIndex,
        query: Query,
        embedded: Embedded | None,
        wanted: frozenset[str],
        keywords: tuple[tuple[NDArray[np.uint8], ...], ...] = (),
    ) -> Query:
        """Add to a query what the bank knows of its words."""
        return bind(
            query, embedded=embedded, rotation=self._rotation,
            speakers=index.columns.speakers(), keywords=keywords,
            phrases=self._anchored and not wanted.isdisjoint({"concept", "graph"}),
            gazetteer=self._spellings,
        )  # fmt: skip

    def _search(
        self,
        index: BankIndex,
        question: Query,
        allowed: Mask | None,
        wanted: frozenset[str],
        *,
        limit: int,
    ) -> tuple[Ranking, Confidence]:
        texts = self._engine.ledger_of(self._number, self.name).reader.texts
        read = texts if {"lexical", "graph"} <= wanted else None

        bearing = self._bearing  # which keeps what it looked up, of the same statements
        if bearing.known is not self._facts or bearing.columns is not index.columns:
            bearing = self._bearing = FactResolver(self._facts, index.columns, self._engine.zone)
        if "graph" in wanted:
            question = bearing.names.widen(question, allowed)
        ranking = search(
            index, question, allowed, self._fusion, wanted, limit,
            read=read,
            tell=partial(bearing.look, texts) if "graph" in wanted else None,
        )  # fmt: skip
        told = evidence(index, question, ranking.rows, ranking.said)
        models = self._calibrated.values.models
        return ranking, confidence(told, len(ranking.rows), models=models)

    def _joined(
        self,
        index: BankIndex,
        question: Query,
        embedded: Embedded | None,
        allowed: Mask | None,
        wanted: frozenset[str],
    ) -> Query:
        """Give a question the time that hangs on an event, if the event is surely found."""
        join = question.event
        if join is None:
            return question
        event = self._bind(index, parse(join.event, now=question.now), embedded, wanted)
        ranking, judged = self._search(index, event, allowed, wanted, limit=DEPTH)
        if not judged.found:
            return question
        ledger = self._engine.ledger_of(self._number, self.name)
        best = ledger.reader.read(ranking.rows[:1].tolist())[0].episode
        moment = moment_told(best.text, best.said_at.astimezone(self._engine.zone))
        own = [one for one in question.intervals if one.text not in join.event]
        return replace(question, intervals=(*own, *join.resolve([moment], question.now)))

    def _dated(self, hits: list[Hit]) -> tuple[list[Hit], Interval | None]:
        """
        Read the times that the likeliest hits name; and return when it was.

        That says the best hit, or the next one that is half as likely, if only that names a time.
        """
        zone = self._engine.zone
        best = [hit for hit in hits[:DEPTH] if hit.score >= hits[0].score / 2]
        dated = {
            hit.id: replace(
                hit, times=find_intervals(hit.text, hit.episode.said_at.astimezone(zone))
            )
            for hit in best
        }
        when = [time for hit in dated.values() for time in hit.times]
        when += [day_of(hit.episode.said_at.astimezone(zone)) for hit in best[:1]]
        return [dated.get(hit.id, hit) for hit in hits], when[0] if when else None

    def _lacking(self, index: BankIndex, *, vectors: bool, signed: bool) -> Iterator[Degradation]:
        """Say what of the bank some cues could not see."""
        rest = f"of {len(index)} episodes have none, and are"
        if vectors and index.without_vectors:
            why = f"{index.without_vectors} {rest} found by words alone; run 'hippocampus reindex'"
            yield Degradation(part="vectors", reason=why)
        if signed and index.without_signatures:
            why = f"{index.without_signatures} {rest} not found by them; run 'hippocampus reindex'"
            yield Degradation(part="signatures", reason=why)
        if self._no_sleep is not None:
            yield self._no_sleep
        if self._calibrated.damaged:
            yield Degradation(part="calibration", reason=str(self._calibrated.lacking))

    def _check_query(self, query: str, k: int) -> str:
        check_whole(k=k)
        return check_text(query, limits=self._engine.config.ingest)

    def _embed_query(
        self,
        embedder: Embedder | None,
        query: str,
        wanted: frozenset[str],
        degraded: list[Degradation],
    ) -> tuple[Embedded | None, float]:
        if not wanted & {"vector", "tokens", "concept", "topic"}:
            return None, 0.0
        if embedder is None:
            if self._engine.no_embedder is not None:
                degraded.append(self._engine.no_embedder)
            return None, 0.0
        started = time.perf_counter()
        try:
            embedded = embedder.embed_query(query)
        except EncoderError as exc:
            degraded.append(Degradation(part="embedder", reason=str(exc)))
            embedded = None
        return embedded, time.perf_counter() - started

    def _choose_keywords(
        self,
        how: Signatures | None,
        query: str,
        wanted: frozenset[str],
        degraded: list[Degradation],
    ) -> list[str]:
        """Return the words whose signatures are to be looked for; none without signatures."""
        choose = self._engine.keywords
        if "signature" not in wanted or how is None:
            return []
        if choose is not None:
            try:
                return [word for word in choose(query) if word.strip()]
            except EncoderError as exc:
                degraded.append(Degradation(part="keywords", reason=str(exc)))
        return find_keywords(query)

    def _hits(
        self, index: BankIndex, ranking: Ranking, scores: Numbers, allowed: Mask | None
    ) -> list[Hit]:
        k = len(scores)
        rows, over = ranking.rows[:k].tolist(), ranking.over
        ledger = self._engine.ledger_of(self._number, self.name)
        entries = ledger.reader.read(rows)
        gifts = np.maximum([part[:k] for part in ranking.parts.values()], 0).T.tolist()
        hits: list[Hit] = []
        for place, (row, entry) in enumerate(zip(rows, entries, strict=True)):
            episode, tokens = entry.episode, entry.tokens
            if episode.level:  # of what has faded ``get`` has all
                episode = replace(episode, text=entry.shown)
                tokens = count_tokens(episode.text)
            given = dict(zip(ranking.parts, gifts[place], strict=True))
            total = sum(given.values())
            hits.append(
                Hit(
                    episode=episode,
                    score=float(scores[place]),
                    shares={n: g / total for n, g in given.items() if g > 0} if total else {},
                    tokens=tokens,
                    about=float(ranking.about[place]),
                    until=from_micros(over[row]) if row in over else None,
                    corrected_by=self._correction(ledger, row, told, allowed)
                    if (told := index.corrected.get(row))
                    else None,
                )
            )
        now = self._engine.clock.now()
        self._gate.note(ledger, entries, now)
        if hits:
            self._recalled.append([to_micros(now), *ranking.rows[: min(k, _SHOWN)].tolist()])
            del self._recalled[:-_NOTED]
        return hits

    def _correction(
        self, ledger: Ledger, row: int, told: Sequence[str], allowed: Mask | None
    ) -> str | None:
        """Return the id of what corrects a row that a read may see."""
        by = ledger.lineage.correction(row, told, allowed)
        return None if by is None else self._store.episodes.read(self._number, [by])[0].id

    @spell_out
    @answering()
    @staying
    def context(  # noqa: PLR0913 - a prompt has as many parts
        self,
        query: str,
        budget_tokens: int = 3500,
        *,
        k: int = 50,
        system: str = "",
        persona: str = "",
        projects: str = "",
        summary: str | None = None,
        user: str = "",
        recent: int = 0,
        pointers: int = 0,
        gists: int = 0,
        without: Collection[str] = (),
        now: datetime | None = None,
        cues: Sequence[str] | None = None,
        **filters: Unpack[Filters],
    ) -> Context:
        """
        Compose a prompt-ready text of what bears on ``query``, within ``budget_tokens``.

        In HEMA's order (section 3.5): ``system``, ``persona``, ``projects``, ``summary``, up
        to ``gists`` mature gists of what was found, the
        memories in order of time, each with date and speaker and quoted as data, the ``recent``
        last turns, up to ``pointers`` addresses of what did not fit, for ``expand``, and the
        ``user``'s message. A memory whose ``Hit.until`` or ``Hit.corrected_by`` is known says so
        beside its date. Where it gets tight, memories go by rank, the last ones first. Tokens
        are counted in ``encode.tokens.VOCABULARY``.

        ``summary`` is the bank's own once it has slept, or of the one session that is asked for;
        with any other filter there is none, for it would tell of what the filter hides. Give your
        own, or "" for none. ``without`` are texts that the prompt has anyway, such as the turns
        a client sends along: memories that say no more than they do are left out.

        Raises:
            BudgetTooSmall: what comes before the memories alone does not fit.

        """
        if isinstance(budget_tokens, bool) or not isinstance(budget_tokens, int):
            msg = f"budget_tokens={budget_tokens!r}: must be a whole number of tokens"
            raise InputError(msg)
        check_whole(recent=recent, pointers=pointers, gists=gists)
        if isinstance(without, str):
            msg = f"without={without!r:.100}: give the texts in a list, even if it is one"
            raise InputError(msg)
        frame_within(  # before anything is recalled: what fails must leave no trace of that
            budget_tokens, system=system, persona=persona, projects=projects, summary=summary or "",
            user=user,
        )  # fmt: skip
        found = self.recall(query, k, now=now, cues=cues, **filters)
        last = self.episodes(limit=recent, newest=True, **filters) if recent else []
        return compose(
            found, budget_tokens=budget_tokens, zone=self._engine.zone, system=system,
            persona=persona, projects=projects, summary=summary or "", user=user, recent=last,
            compact=self._own_summary(filters) if summary is None else "", pointers=pointers,
            gists=self._known_of(found, gists, filters) if gists else (), without=without,
        )  # fmt: skip


def _parse(text: str, now: datetime, wanted: frozenset[str]) -> Query:
    """Read a question; without the time cue, its times do not count."""
    query = parse(text, now=now)
    return query if "time" in wanted else replace(query, intervals=(), event=None, latest=0.0)


def _rerank(
    reranker: Reranker, query: str, hits: list[Hit], degraded: list[Degradation]
) -> list[Hit]:
    try:
        scores = reranker.rerank(query, [hit.text for hit in hits])
    except EncoderError as exc:
        degraded.append(Degradation(part="reranker", reason=str(exc)))
        return hits
    order = np.argsort(-scores, kind="stable").tolist()
    best = sorted((hit.score for hit in hits), reverse=True)
    return [replace(hits[i], score=best[place]) for place, i in enumerate(order)]
