"""Recalling: from a question to what answers it, and to a prompt."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Final, Unpack

import numpy as np

from hippocampus.bank.answer_wishes import AnswerWishes
from hippocampus.bank.asking import (
    Asking,
    Look,
    Looked,
    StepClock,
    count_allowed,
    of_unknown_time,
    stretches_of,
)
from hippocampus.bank.filter_arguments import TIMES, read_time, spell_out
from hippocampus.bank.inclusion import Inclusion
from hippocampus.bank.joint_recall import JointRecall
from hippocampus.bank.knowledge import Knowledge
from hippocampus.bank.lookup import Lookup
from hippocampus.bank.part import BankPart, of_one_moment, staying
from hippocampus.bank.profile import Profiles, note_left_out
from hippocampus.bank.searches import (
    bind_to,
    encode,
    grounds,
    led,
    search_bank,
    seen_by_most,
)
from hippocampus.context.redaction import redacted
from hippocampus.context.render import Frame
from hippocampus.core.arrays import Floats
from hippocampus.core.background_yield import answering
from hippocampus.core.budget import check_budget
from hippocampus.core.constraints import check_share, check_whole
from hippocampus.core.given_arguments import check_several, check_texts
from hippocampus.core.records import Context, Cost, Filters, Hit, OneOrMany, Recall, When
from hippocampus.core.validation import check_text
from hippocampus.engine.bank_state import BankState
from hippocampus.engine.snapshot import BankSnapshot
from hippocampus.errors import UnknownEvent
from hippocampus.index.cue import Mask
from hippocampus.index.query import Query
from hippocampus.recall.answered_time import when_it_was
from hippocampus.recall.best_span import best_characters
from hippocampus.recall.confidence import DEPTH, Confidence
from hippocampus.recall.decide import FLOOR, UNFOUND, decide
from hippocampus.recall.foreign import foreign
from hippocampus.recall.parse import parse
from hippocampus.recall.read import Found, read_rows
from hippocampus.recall.rerank import rerank
from hippocampus.recall.search import Ranking
from hippocampus.recall.spelling import respelled

if TYPE_CHECKING:
    from hippocampus.context.compose import Extras

_ASK: Final = "ask a question, or give a few words of what you look for"


class Recaller(BankPart):
    """The verbs that answer a question."""

    def __init__(
        self, state: BankState, lookup: Lookup, knowledge: Knowledge, profiles: Profiles
    ) -> None:
        super().__init__(state)
        self._lookup = lookup
        self._knowledge = knowledge
        self._profiles = profiles
        self._inclusion = Inclusion(state)
        self._joint = JointRecall(state)
        self._wishes = AnswerWishes(state)

    @spell_out
    @answering()
    @of_one_moment
    def recall(
        self,
        query: str,
        k: int = 10,
        *,
        now: When | None = None,
        cues: Sequence[str] | None = None,
        min_score: float = 0.0,
        include: OneOrMany | None = None,
        **filters: Unpack[Filters],
    ) -> Recall:
        """
        Find memories that bear on ``query``: at most ``k`` hits, best first, each saying why.

        Args:
            query: a question or a few words, in any wording.
            k: most hits to return, 0 or more.
            now: the present, for "yesterday" and its like; the clock's by default, as of which
                words for it are.
            cues: only these cues, of ``CUES``.
            min_score: leave out hits whose score is lower; see ``Hit.score``.
            include: other banks to answer from as well, by name, instead of those that this one
                includes; () for this one alone. ``Hit.bank`` says which a hit is from.
            **filters: what it may see; see below.

        Raises:
            InputError: a filter or argument that makes no sense.

        """
        return self.answer(query, k, Asking(now, cues, min_score, include), filters)

    @of_one_moment
    def _answer_at_once(
        self, query: str, k: int, how: Asking, filters: Filters, look: Look
    ) -> Recall:
        """Answer a question as ``recall`` does, for a verb that is not of one moment itself."""
        return self.answer(query, k, how, filters, look)

    def answer(
        self, query: str, k: int, how: Asking, filters: Filters, look: Look | None = None
    ) -> Recall:
        """Answer a question, and let who explains it look at what led to the answer."""
        check_whole(k=k)
        check_share(min_score=how.min_score)
        check_text(query, limits=self._engine.config.ingest, name="query", blank=_ASK)
        reach = self._inclusion.reach(how.include)
        if reach.others:
            return self._joint.answer(query, k, how, filters, reach, look)
        found = self._answer(query, k, how, filters, look)
        if not reach.degraded:
            return found
        return replace(found, degraded=(*reach.degraded, *found.degraded))

    def _answer(
        self, query: str, k: int, how: Asking, filters: Filters, look: Look | None
    ) -> Recall:
        """Answer a question from this bank alone."""
        started = time.perf_counter()
        text = self._respelled(query)
        moment = self._present(how.now)
        try:
            chosen = self._filter(filters, moment)
        except UnknownEvent as exc:  # then there is nothing in its time
            return of_unknown_time(query, str(exc), time.perf_counter() - started)
        engine, state = self._engine, self._state
        asked = parse(text, now=moment, cues=frozenset(engine.check_cues(how.cues)))
        models = state.models()
        encoded = encode(state, asked, *models)
        with state.asking() as here:
            if models != (here.embedder, here.signatures):  # a rebuild has just moved the store
                encoded = encode(state, asked, here.embedder, here.signatures)
            clock = StepClock(embed=encoded.elapsed_s)
            degraded, encoded = seen_by_most(here, encoded)
            bound = bind_to(here, asked, encoded)
            clock.note("understand")
            allowed = here.index.columns.mask(chosen)
            clock.note("filter")
            bound = led(here, bound, encoded, allowed, engine.zone)
            ranking, shows = search_bank(here, bound, allowed, limit=max(k, DEPTH))
            clock.note("search")
            shows, read = self._read(here, bound, allowed, ranking, shows, k)
            sessions = here.index.columns.session.named(read.ranking.sessions[:k])
        # The snapshot is given back: a reranker may be a server elsewhere, that takes its time.
        order, failed = rerank(engine.reranker, text, read.texts)
        degraded += [*foreign(bound, models[0], read.texts), *filter(None, [failed])]
        places = [*order, *range(len(order), len(read.ranking.rows))]
        shows = {name: column[places] for name, column in shows.items()}
        judged = decide(grounds(here), bound, read.ranking, shows, places)
        order = order[: int(np.count_nonzero(judged.scores[: len(order)] >= how.min_score))]
        hits = self._hits(here, bound, read, order, judged)
        asks_when = judged.found and "when" in bound.intents
        when = when_it_was(bound, hits, engine.zone) if asks_when else None
        state.note_shown(here, read.shown(order))
        clock.note("read")
        if look is not None:
            rows = [int(read.ranking.rows[place]) for place in order]
            look(Looked(here, bound, chosen, read.ranking, rows, shows))
        return Recall(
            query=query, read_as="" if text == query else text, hits=tuple(hits),
            found=judged.found, confidence=judged.sure,
            sessions=sessions, intervals=bound.intervals, during=stretches_of(chosen, engine.zone),
            note=judged.unmet or self._emptiness(here), when=when,
            cost=Cost(
                elapsed_s=clock.last - started, embed_s=encoded.elapsed_s, steps_s=clock.steps_s,
                allowed=count_allowed(here, allowed), candidates=read.ranking.candidates,
                hamming_searches=read.ranking.hamming_searches,
            ),
            degraded=tuple(degraded),
        )  # fmt: skip

    def _emptiness(self, here: BankSnapshot) -> str:
        """Return a sentence that the bank is empty; empty if it is not."""
        return "" if len(here.index) else f"Bank {self.name!r} holds nothing yet."

    def _hits(
        self, here: BankSnapshot, query: Query, read: Found, order: list[int], judged: Confidence
    ) -> list[Hit]:
        """Return the hits in an order, each with what of it matches the question best."""
        span_of = partial(best_characters, here.index.cues, query, fusion=here.fusion)
        scores = judged.scores[: len(order)].tolist()
        return read.hits(order, scores, self._told(here.index), span_of)

    def _respelled(self, query: str) -> str:
        """Return a question with its misspelt words as they are meant."""
        with self._state.asking() as here:
            return respelled(query, here.index.cues.lexical.frequency)

    def _read(
        self,
        here: BankSnapshot,
        query: Query,
        allowed: Mask | None,
        ranking: Ranking,
        shows: dict[str, Floats],
        k: int,
    ) -> tuple[dict[str, Floats], Found]:
        """Read the best rows; if some are damaged, search again without until all can be read."""
        check_budget()
        read = read_rows(here.ledger, ranking, k, here.index.corrected, allowed)
        if read.missing:
            self._check_current(here)  # they may have been erased meanwhile
            allowed = np.ones(len(here.index), np.bool_) if allowed is None else allowed.copy()
        while read.missing and allowed is not None:
            allowed[read.missing] = False
            ranking, shows = search_bank(here, query, allowed, limit=max(k, DEPTH))
            read = read_rows(here.ledger, ranking, k, here.index.corrected, allowed)
        return shows, read

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
        persona: str | None = None,
        projects: str | None = None,
        summary: str | None = None,
        user: str = "",
        recent: int = 0,
        pointers: int = 0,
        gists: int = 0,
        without: Collection[str] = (),
        now: When | None = None,
        cues: Sequence[str] | None = None,
        min_score: float | None = None,
        include: OneOrMany | None = None,
        **filters: Unpack[Filters],
    ) -> Context:
        """
        Compose a prompt-ready text of what bears on ``query``, within ``budget_tokens``.

        In HEMA's order (section 3.5): ``system``, ``persona``, ``projects``, ``summary``, up
        to ``gists`` mature gists of what was found, the
        memories in order of time, each with date and speaker and quoted as data, the ``recent``
        last turns, up to ``pointers`` addresses of what did not fit, for ``expand``, and the
        ``user``'s message. A memory whose ``Hit.valid_to`` or ``Hit.corrected_by`` is known says so
        beside its date. Where it gets tight, memories go by rank, the last ones first. If
        something is to be made, what the user wants of every answer is among them. Tokens are
        counted in ``encode.tokens.VOCABULARY``.

        ``persona`` and ``projects`` are the bank's own (``set_profile``) if you give none. So is
        ``summary`` once it has slept, or of the one session that is asked for; with any other
        filter there is none, for it would tell of what the filter hides; and so is what is under
        way, read from what is spoken of lately. Give your own, or "" for none. ``without`` are
        texts that the prompt has anyway, such as the turns a client sends along: memories that say
        no more than they do are left out. So are those whose score is below ``min_score``; by
        default, those that hardly ever have to do with the question, and, the smaller the budget
        the sooner, those that lie far behind the best (docs/adr/0047). A greeting gets none at all,
        and neither does a question about nobody and nothing known of which the bank most likely
        knows nothing. Without an embedding of the question, memories are left out that share no
        word, name or time with it and that it calls for in no other way. ``include`` is that of
        ``recall``; what comes before the memories, and the last turns, are the bank's own.

        Raises:
            BudgetTooSmall: what comes before the memories alone does not fit.

        """
        from hippocampus.context.compose import (  # noqa: PLC0415 - only for a context
            Extras,
            compose,
        )

        check_whole(budget_tokens=budget_tokens)
        check_whole(recent=recent, pointers=pointers, gists=gists)
        check_texts(system=system, user=user)
        check_texts(persona=persona, projects=projects, summary=summary, optional=True)
        check_several("without", without, of="texts")
        frame = Frame(
            system=system, persona=persona or "", projects=projects or "", summary=summary or "",
            user=user,
        )  # fmt: skip
        frame.check(budget_tokens)  # before anything is recalled: what fails must leave no trace
        if filters.get("suspects") is None:  # a model reads it, so no orders to one (docs/trust.md)
            filters["suspects"] = "hide"
        floor = FLOOR if min_score is None else min_score
        seen: list[Looked] = []
        moment = self._present(now)
        how = Asking(moment, cues, floor, include)
        found = self._answer_at_once(query, k, how, filters, seen.append)
        if min_score is None and not (found.found or any(_is_open(one.query) for one in seen)):
            found = replace(found, hits=tuple(hit for hit in found.hits if hit.score >= UNFOUND))
        given = {"persona": persona, "projects": projects, "summary": summary}
        extras = Extras(
            own=self._profiles.own_parts([n for n in given if given[n] is None], filters, found),
            pointers=pointers, without=without, reach=min_score is None,
            several=any(one.query.several for one in seen),
        )  # fmt: skip
        timed = _as_read(filters, found, moment)
        if timed is not None:
            extras = self._with_own(extras, found, timed, seen, gists=gists, recent=recent)
        if self._engine.config.secrets.show == "redact":
            found, extras = redacted(found, extras, self._engine.secret_finder)
        made = compose(
            found, budget_tokens=budget_tokens, zone=self._engine.zone, frame=frame, extras=extras
        )
        return note_left_out(made, extras.own)

    def _with_own(
        self,
        extras: Extras,
        found: Recall,
        filters: Filters,
        seen: Sequence[Looked],
        *,
        gists: int,
        recent: int,
    ) -> Extras:
        """Add the parts of this bank that stand beside hits: gists, wishes, the last turns."""
        return replace(
            extras,
            gists=self._knowledge.gists_of(found, gists, filters) if gists else (),
            wishes=self._wishes.bearing_on(found, filters, [one.query for one in seen]),
            recent=self._lookup.episodes(limit=recent, newest=True, **filters) if recent else (),
        )


def _as_read(filters: Filters, found: Recall, now: datetime) -> Filters | None:
    """Return filters with the times that a recall read in them; None if an event is not known."""
    if filters.get("during") is not None and not found.during:
        return None
    every = ((one.start, one.end) for one in found.during)
    stretches = [ends for ends in every if ends != (None, None)]  # to the ends of the calendar
    times = {name: read_time(name, filters.get(name), now) for name in TIMES & filters.keys()}
    read: Filters = {**filters, **times, "during": stretches or None}  # type: ignore[typeddict-item]
    return read


def _is_open(query: Query) -> bool:
    """Return whether a question is answered by more than what is nearest: advice, all of a sort."""
    return query.advice or query.several or bool(query.sort) or "how many" in query.intents
