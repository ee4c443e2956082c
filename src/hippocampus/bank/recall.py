"""Recalling: from a question to what answers it, and to a prompt."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence, Sized
from dataclasses import replace
from datetime import tzinfo
from functools import partial
from typing import Final, Unpack

import numpy as np

from hippocampus.bank.filter_arguments import Filters, spell_out
from hippocampus.bank.knowledge import Knowledge
from hippocampus.bank.lookup import Lookup
from hippocampus.bank.part import BankPart, of_one_moment, staying
from hippocampus.bank.profile import Profiles, note_left_out
from hippocampus.context.compose import Extras, compose
from hippocampus.context.redaction import redacted
from hippocampus.context.render import Frame
from hippocampus.core.background_yield import answering
from hippocampus.core.budget import check_budget
from hippocampus.core.config import Signatures
from hippocampus.core.constraints import check_share, check_whole
from hippocampus.core.records import Context, Cost, Degradation, Embedder, Recall, When
from hippocampus.core.validation import check_text
from hippocampus.engine.bank_state import BankState
from hippocampus.engine.snapshot import BankSnapshot
from hippocampus.errors import InputError
from hippocampus.index.cue import Mask
from hippocampus.index.query import Query
from hippocampus.language.asked_several import asks_for_several
from hippocampus.language.question_intent import moment_told
from hippocampus.recall.check_premise import check_premise
from hippocampus.recall.confidence import DEPTH, Confidence, confidence
from hippocampus.recall.described import Descriptions
from hippocampus.recall.encode_query import EncodedQuery, encode_query
from hippocampus.recall.evidence import evidence, rivalry
from hippocampus.recall.expand import Sources
from hippocampus.recall.foreign import foreign
from hippocampus.recall.parse import bind, parse, settle, signed
from hippocampus.recall.read import Found, read_rows, when_it_was
from hippocampus.recall.rerank import rerank
from hippocampus.recall.search import Ranking, search
from hippocampus.recall.spelling import respelled
from hippocampus.recall.standardize import Numbers
from hippocampus.recall.whole_conversations import Part, choose_leading

_DOUBT: Final = 0.35
"""Confidence below which a question about nobody is not the bank's (docs/adr/0047)."""
_FLOOR: Final = 0.005
"""Least score of what a context holds unless told otherwise (docs/adr/0047)."""
_ASK: Final = "ask a question, or give a few words of what you look for"
_PART_DEPTH: Final = 40
"""Rows that are looked at for each event, or the matter, of a question about conversations."""
_SURE: Final = 0.5
"""Least score of what is asked for by its place in time alone."""


class Recaller(BankPart):
    """The verbs that answer a question."""

    def __init__(
        self, state: BankState, lookup: Lookup, knowledge: Knowledge, profiles: Profiles
    ) -> None:
        super().__init__(state)
        self._lookup = lookup
        self._knowledge = knowledge
        self._profiles = profiles

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
        **filters: Unpack[Filters],
    ) -> Recall:
        """
        Find what bears on ``query``: at most ``k`` hits, best first, each saying why.

        Args:
            query: a question or a few words, in any wording.
            k: most hits to return, 0 or more.
            now: the present, for "yesterday" and its like; the clock's by default, as of which
                words for it are.
            cues: only these cues, of ``CUES``.
            min_score: leave out hits whose score is lower; see ``Hit.score``.
            **filters: what it may see; see below.

        Raises:
            InputError: a filter or argument that makes no sense.

        """
        started, engine, state = time.perf_counter(), self._engine, self._state
        check_whole(k=k)
        check_share(min_score=min_score)
        text = self._respelled(query)
        moment = self._present(now)
        chosen = self._filter(filters, moment)
        asked = parse(text, now=moment, cues=frozenset(engine.check_cues(cues)))
        models = state.models()
        encoded = self._encode(asked, *models)
        with state.asking() as here:
            if models != (here.embedder, here.signatures):  # a rebuild has just moved the store
                encoded = self._encode(asked, here.embedder, here.signatures)
            held = time.perf_counter()
            degraded, encoded = _seen_by_most(here, encoded)
            bound = _bind(here, asked, encoded)
            understood = time.perf_counter()
            allowed = here.index.columns.mask(chosen)
            filtered = time.perf_counter()
            bound = _led(here, bound, encoded, allowed, engine.zone)
            ranking, shows = _search(here, bound, allowed, limit=max(k, DEPTH))
            searched = time.perf_counter()
            shows, read = self._read(here, bound, allowed, ranking, shows, k)
            sessions = here.index.columns.session.named(read.ranking.sessions[:k])
            count = len(here.index) if allowed is None else int(np.count_nonzero(allowed))
        order, failed = rerank(engine.reranker, text, read.texts)
        degraded += [*foreign(bound, models[0], read.texts), *filter(None, [failed])]
        places = [*order, *range(len(order), len(read.ranking.rows))]
        shows = {name: column[places] for name, column in shows.items()}
        judged = _judge(here, bound, ranking, shows, places)
        order = order[: int(np.count_nonzero(judged.scores[: len(order)] >= min_score))]
        hits = read.hits(order, judged.scores[: len(order)].tolist(), self._told(here.index))
        when = when_it_was(hits, engine.zone) if judged.found and "when" in bound.intents else None
        state.note_shown(here, read.shown(order))
        ended = time.perf_counter()
        steps = {
            "embed": encoded.elapsed_s, "understand": understood - held,
            "filter": filtered - understood, "search": searched - filtered,
            "read": ended - searched,
        }  # fmt: skip
        return Recall(
            query=query, read_as="" if text == query else text, hits=tuple(hits),
            found=judged.found, confidence=judged.sure,
            sessions=sessions, intervals=bound.intervals, note=judged.unmet, when=when,
            cost=Cost(
                elapsed_s=ended - started, embed_s=encoded.elapsed_s, steps_s=steps,
                allowed=count, candidates=read.ranking.candidates,
                hamming_searches=read.ranking.hamming_searches,
            ),
            degraded=tuple(degraded),
        )  # fmt: skip

    def _respelled(self, query: str) -> str:
        """Return a question, once it is looked at, with what is misspelt in it as it is meant."""
        text = check_text(query, limits=self._engine.config.ingest, name="query", blank=_ASK)
        with self._state.asking() as here:
            return respelled(text, here.index.cues.lexical.frequency)

    def _read(
        self,
        here: BankSnapshot,
        query: Query,
        allowed: Mask | None,
        ranking: Ranking,
        shows: dict[str, Numbers],
        k: int,
    ) -> tuple[dict[str, Numbers], Found]:
        """Read the best rows; if some are damaged, search again without until all can be read."""
        check_budget()
        read = read_rows(here.ledger, ranking, k, here.index.corrected, allowed)
        if read.missing:
            self._check_current(here)  # they may have been erased meanwhile
            allowed = np.ones(len(here.index), np.bool_) if allowed is None else allowed.copy()
        while read.missing and allowed is not None:
            allowed[read.missing] = False
            ranking, shows = _search(here, query, allowed, limit=max(k, DEPTH))
            read = read_rows(here.ledger, ranking, k, here.index.corrected, allowed)
        return shows, read

    def _encode(
        self, query: Query, embedder: Embedder | None, signs: Signatures | None
    ) -> EncodedQuery:
        engine = self._engine
        return encode_query(
            query, embedder, lacking=engine.no_embedder, signed=signs is not None,
            extract=engine.keywords,
        )  # fmt: skip

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
        **filters: Unpack[Filters],
    ) -> Context:
        """
        Compose a prompt-ready text of what bears on ``query``, within ``budget_tokens``.

        In HEMA's order (section 3.5): ``system``, ``persona``, ``projects``, ``summary``, up
        to ``gists`` mature gists of what was found, the
        memories in order of time, each with date and speaker and quoted as data, the ``recent``
        last turns, up to ``pointers`` addresses of what did not fit, for ``expand``, and the
        ``user``'s message. A memory whose ``Hit.valid_to`` or ``Hit.corrected_by`` is known says so
        beside its date. Where it gets tight, memories go by rank, the last ones first. Tokens
        are counted in ``encode.tokens.VOCABULARY``.

        ``persona`` and ``projects`` are the bank's own (``set_profile``) if you give none. So is
        ``summary`` once it has slept, or of the one session that is asked for; with any other
        filter there is none, for it would tell of what the filter hides; and so is what is under
        way, read from what is spoken of lately. Give your own, or "" for none. ``without`` are
        texts that the prompt has anyway, such as the turns a client sends along: memories that say
        no more than they do are left out. So are those whose score is below ``min_score``; by
        default, those that hardly ever have to do with the question, and, the smaller the budget
        the sooner, those that lie far behind the best (docs/adr/0047). A greeting gets none at all,
        and neither does a question about nobody and nothing known of which the bank most likely
        knows nothing.

        Raises:
            BudgetTooSmall: what comes before the memories alone does not fit.

        """
        check_whole(budget_tokens=budget_tokens)
        check_whole(recent=recent, pointers=pointers, gists=gists)
        if isinstance(without, str):
            msg = f"without={without!r:.100}: give the texts in a list, even if it is one"
            raise InputError(msg)
        frame = Frame(
            system=system, persona=persona or "", projects=projects or "", summary=summary or "",
            user=user,
        )  # fmt: skip
        frame.check(budget_tokens)  # before anything is recalled: what fails must leave no trace
        if filters.get("suspects") is None:
            filters["suspects"] = "hide"
        floor = _FLOOR if min_score is None else min_score
        found = self.recall(query, k, now=now, cues=cues, min_score=floor, **filters)
        parts = {"persona": persona, "projects": projects, "summary": summary}
        wanted = [name for name, text in parts.items() if text is None]
        extras = Extras(
            own=self._profiles.own_parts(wanted, filters, found),
            gists=self._knowledge.gists_of(found, gists, filters) if gists else (),
            recent=self._lookup.episodes(limit=recent, newest=True, **filters) if recent else (),
            pointers=pointers, without=without, reach=min_score is None,
            several=asks_for_several(query),
        )  # fmt: skip
        if self._engine.config.secrets.show == "redact":
            found, extras = redacted(found, extras, self._engine.secret_finder)
        made = compose(
            found, budget_tokens=budget_tokens, zone=self._engine.zone, frame=frame, extras=extras
        )
        return note_left_out(made, extras.own)


def _judge(
    here: BankSnapshot,
    query: Query,
    ranking: Ranking,
    shows: dict[str, Numbers],
    rows: Sequence[int],
) -> Confidence:
    """
    Say how likely each hit is, in the light of what was asked.

    A greeting has no answer, and a time of which there is nothing has none; nor has what is asked
    of the world, not of somebody's life, and looks like nothing that was said. The last thing said
    and whatever was at some time are what was asked for, however little their words say so.
    """
    judged = _decide(here, query, ranking, shows, rows)
    judged = judged._replace(scores=_with_wishes(judged.scores, ranking, rows))
    impersonal = query.impersonal and not (query.speakers or query.definite)
    known = query.vector is not None and here.calibrated.lacking is None
    if query.small_talk:
        return Confidence(np.zeros_like(judged.scores), 0.0, found=False)
    if known and impersonal and judged.sure < _DOUBT:
        return Confidence(np.zeros_like(judged.scores), 0.0, found=False, unmet=judged.unmet)
    if ranking.missing_time and not query.advice:  # which is asked for a time to come
        return judged._replace(found=False, unmet=ranking.missing_time)
    leading = len(query.leading.rows)
    if leading and len(judged.scores):
        return _with_leading(judged, leading, sure=query.leading.sure)
    if len(judged.scores) and (query.latest > 1 or query.listing):
        scores = np.maximum(judged.scores, np.float32(_SURE))
        return Confidence(scores, max(judged.sure, _SURE), found=True)
    return judged


def _with_leading(judged: Confidence, leading: int, *, sure: bool) -> Confidence:
    """Give what leads, as whole conversations are asked of, the score of what was asked for."""
    least = np.zeros_like(judged.scores)
    least[:leading] = _SURE if sure else 2 * _FLOOR
    scores: Numbers = np.maximum(judged.scores, least)
    if not sure:
        return judged._replace(scores=scores)
    return Confidence(scores, max(judged.sure, _SURE), found=True)


def _with_wishes(scores: Numbers, ranking: Ranking, places: Sequence[int]) -> Numbers:
    """Give wishes that a question for advice calls for the score of what a context holds."""
    lifted = ranking.parts.get("standing")
    if lifted is None:
        return scores
    least = np.where(lifted[list(places)] > 0, np.float32(2 * _FLOOR), np.float32(0))
    raised: Numbers = np.maximum.accumulate(np.maximum(scores, least)[::-1])[::-1]
    return raised


def _bind(here: BankSnapshot, query: Query, encoded: EncodedQuery) -> Query:
    """Add to a query what the bank knows of its words."""
    keywords = () if here.signatures is None else signed(encoded.keywords, here.signatures)
    settled = settle(query, here.index.cues.lexical.frequency)
    return bind(
        settled, embedded=encoded.embedded, rotation=here.rotation,
        speakers=here.index.columns.speakers(), keywords=keywords,
        phrases=here.slept.has_anchors and not query.cues.isdisjoint({"concept", "graph"}),
        gazetteer=here.slept.gazetteer,
    )  # fmt: skip


def _seen_by_most(
    here: BankSnapshot, encoded: EncodedQuery
) -> tuple[list[Degradation], EncodedQuery]:
    """
    Return what recall goes on without, and the question as most episodes can be asked it.

    That is without its vector where most have none to compare with.

    What lacks one then looks far from everything, and hardly anything would be found: until a sleep
    has made them, words alone say more.
    """
    few = here.index.without_vectors * 2 > len(here.index)
    degraded = [*encoded.degraded, *_lacking(here, encoded)]
    return degraded, encoded._replace(embedded=None, event=None) if few else encoded


def _search(
    here: BankSnapshot, query: Query, allowed: Mask | None, *, limit: int
) -> tuple[Ranking, dict[str, Numbers]]:
    """Rank rows for a bound query; return with them what each shows of it."""
    check_budget()
    texts, facts = here.ledger.reader.texts, here.slept.facts
    graph = "graph" in query.cues
    if graph:
        described = Descriptions(here.index.cues.lexical, texts, allowed)
        query = facts.names.widen(query, allowed, facts.asker(), described)
    sources = Sources(
        texts=texts if graph and "lexical" in query.cues else None,
        facts=partial(facts.look, texts) if graph else None,
    )
    ranking = search(here.index, query, allowed, here.fusion, limit, sources)
    return ranking, evidence(here.index, query, ranking.rows)


def _decide(
    here: BankSnapshot, query: Query, ranking: Ranking, shows: dict[str, Numbers], rows: Sized
) -> Confidence:
    """Say how likely each hit is, best first, and whether anything was found."""
    rival = rivalry(here.index, query, ranking.contenders)
    supposed = check_premise(here.index, query, ranking.rows[:DEPTH])
    models = here.calibrated.values.models
    return confidence(shows, len(rows), rival, supposed, models=models)


def _time_of_event(
    here: BankSnapshot, query: Query, encoded: EncodedQuery, allowed: Mask | None, zone: tzinfo
) -> Query:
    """Give a query the time that hangs on an event, if the event is surely found."""
    join = query.event
    if join is None:
        return query
    about = parse(join.event, now=query.now, cues=query.cues)
    event = _bind(here, about, encoded._replace(embedded=encoded.event, keywords=()))
    ranking, shows = _search(here, event, allowed, limit=DEPTH)
    if not _decide(here, event, ranking, shows, ranking.rows).found:
        return query
    entries = here.ledger.reader.read(ranking.rows[:1].tolist())
    if not entries:  # it is damaged
        return query
    best = entries[0].episode
    moment = moment_told(best.text, best.occurred_at.astimezone(zone))
    own = [one for one in query.intervals if one.text not in join.event]
    return replace(query, intervals=(*own, *join.resolve([moment], query.now)))


def _led(
    here: BankSnapshot, query: Query, encoded: EncodedQuery, allowed: Mask | None, zone: tzinfo
) -> Query:
    """Give a query what other searches find first: the time of an event, and what leads."""
    query = _time_of_event(here, query, encoded, allowed, zone)
    return _of_conversations(here, query, encoded, allowed)


def _of_conversations(
    here: BankSnapshot, query: Query, encoded: EncodedQuery, allowed: Mask | None
) -> Query:
    """Give a query of whole conversations the rows that come first: of each event, or matter."""
    asked = query.conversation
    if asked is None or query.listing or query.latest:
        return query
    parts = []
    for about, embedded in zip(asked.about, encoded.parts, strict=True):
        part = parse(about, now=query.now, cues=query.cues)
        part = replace(part, intervals=query.intervals, listing=(), conversation=None)
        bound = _bind(here, part, encoded._replace(embedded=embedded, keywords=()))
        ranking, shows = _search(here, bound, allowed, limit=_PART_DEPTH)
        found = _decide(here, bound, ranking, shows, ranking.rows).found
        parts.append(Part(ranking.rows, ranking.scores, found))
    return replace(query, leading=choose_leading(here.index, asked, parts, allowed))


def _lacking(here: BankSnapshot, encoded: EncodedQuery) -> Iterator[Degradation]:
    """Say what of the bank some cues could not see."""
    index = here.index
    rest = f"of {len(index)} episodes have none, and are"
    if encoded.embedded is not None and index.without_vectors:
        why = (
            f"{index.without_vectors} {rest} found by words alone; the next sleep makes them, or"
            " 'hippocampus sleep --steps vectors' now"
        )
        yield Degradation(part="vectors", reason=why)
    if encoded.keywords and index.without_signatures:
        why = f"{index.without_signatures} {rest} not found by them; run 'hippocampus reindex'"
        yield Degradation(part="signatures", reason=why)
    yield from here.slept.problems[-1:]
    if damage := here.ledger.store.upkeep.damage(here.ledger.bank):
        more = f"; so are {len(damage) - 1} other places" if len(damage) > 1 else ""
        yield Degradation(part="store", reason=f"{damage[0]}{more}")
    if here.calibrated.damaged:
        yield Degradation(part="calibration", reason=str(here.calibrated.lacking))
