"""One search of a bank: a question bound to a snapshot, searches that go first, rows ranked."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import tzinfo
from functools import partial
from typing import Final

from hippocampus.core.altered import altered
from hippocampus.core.arrays import Floats, Rows32
from hippocampus.core.budget import check_budget
from hippocampus.core.clock import in_zone
from hippocampus.core.config import Signatures
from hippocampus.core.records import Degradation, Embedder, Interval
from hippocampus.engine.bank_state import BankState
from hippocampus.engine.snapshot import BankSnapshot
from hippocampus.index.cue import Mask
from hippocampus.index.query import Query
from hippocampus.language.event_anchored import merge_intervals
from hippocampus.language.question_intent import time_told
from hippocampus.recall.confidence import DEPTH
from hippocampus.recall.decide import Grounds, weigh_evidence
from hippocampus.recall.described import Descriptions
from hippocampus.recall.encode_query import EncodedQuery, encode_query
from hippocampus.recall.evidence import evidence, says_all
from hippocampus.recall.expand import Sources
from hippocampus.recall.parse import at_event, bind, choose_forms, parse, signed
from hippocampus.recall.search import MeasuredCandidates, Ranking, gather, rank
from hippocampus.recall.spelling import Frequency
from hippocampus.recall.spreading_activation import ReadTexts
from hippocampus.recall.whole_conversations import Part, choose_leading

_PART_DEPTH: Final = 40
"""Rows that are looked at for each event, or the matter, of a question about conversations."""


def encode(
    state: BankState, query: Query, embedder: Embedder | None, signs: Signatures | None
) -> EncodedQuery:
    """Return the vectors and tokens that models make of a question."""
    engine = state.engine
    return encode_query(
        query, embedder, lacking=engine.no_embedder, signed=signs is not None,
        extract=engine.keywords, embed=state.questions.embed,
    )  # fmt: skip


def bind_to(
    here: BankSnapshot,
    query: Query,
    encoded: EncodedQuery,
    frequency: Frequency | None = None,
    speakers: Sequence[str] | None = None,
) -> Query:
    """
    Add to a query what the bank knows of its words.

    ``frequency`` and ``speakers``: those of all banks, if it is asked together with others.
    """
    keywords = () if here.signatures is None else signed(encoded.keywords, here.signatures)
    chosen = choose_forms(query, frequency or here.index.cues.lexical.frequency)
    return bind(
        chosen, embedded=encoded.embedded, rotation=here.rotation,
        speakers=here.index.columns.speakers() if speakers is None else speakers,
        keywords=keywords,
        phrases=here.slept.has_anchors and not query.cues.isdisjoint({"concept", "graph"}),
        gazetteer=here.slept.gazetteer,
    )  # fmt: skip


def seen_by_most(
    here: BankSnapshot, encoded: EncodedQuery
) -> tuple[list[Degradation], EncodedQuery]:
    """
    Return the degradations of a recall, and the question as most episodes can be asked it.

    That is without its vector where most have none to compare with.

    What lacks one then looks far from everything, and hardly anything would be found: until a sleep
    has made them, words alone say more. Signatures that are there for want of vectors count where
    there is none, and most episodes have them.
    """
    index = here.index
    few = index.without_vectors * 2 > len(index)
    seen = encoded._replace(embedded=None, event=None) if few else encoded
    if here.signed_unasked and (
        seen.embedded is not None or index.without_signatures * 2 > len(index)
    ):
        seen = seen._replace(keywords=())
    lacking = _lacking(here, encoded._replace(keywords=seen.keywords))
    return [*encoded.degraded, *lacking], seen


class _EachOnce:
    """Texts of rows, each read once in a search, whichever of its steps asks for it."""

    def __init__(self, read: ReadTexts) -> None:
        self._read = read
        self._known: dict[int, str] = {}

    def __call__(self, rows: Collection[int]) -> Mapping[int, str]:
        known = self._known
        fresh = [row for row in rows if row not in known]
        if fresh:
            known |= self._read(fresh)
        return {row: known[row] for row in sorted(rows) if row in known}


def search_bank(
    here: BankSnapshot, query: Query, allowed: Mask | None, *, limit: int
) -> tuple[Ranking, dict[str, Floats]]:
    """Rank rows for a bound query; return with them what each shows of it."""
    gathered = gather_from(here, query, allowed)
    ranking = rank(gathered, limit)
    return ranking, evidence(here.index, gathered.query, ranking.rows, ranking.subjects)


def gather_from(here: BankSnapshot, query: Query, allowed: Mask | None) -> MeasuredCandidates:
    """Return the rows of a bank that are worth scoring for a bound query."""
    check_budget()
    if "graph" not in query.cues:
        return gather(here.index, query, allowed, here.fusion)
    texts, facts = _EachOnce(here.ledger.reader.texts), here.slept.facts
    described = Descriptions(here.index.cues.lexical, texts, allowed)
    sources = Sources(
        texts=texts if "lexical" in query.cues else None,
        facts=partial(facts.look, texts),
        names=partial(facts.names.widen, asker=facts.asker(), described=described),
    )
    return gather(here.index, query, allowed, here.fusion, sources)


def grounds(here: BankSnapshot) -> Grounds:
    """Return the grounds on which a recall from a bank decides."""
    calibrated, texts = here.calibrated, here.ledger.reader.texts
    return Grounds(here.index, texts, calibrated.values.models, calibrated.lacking is None)


def _is_found(here: BankSnapshot, query: Query, ranking: Ranking, shows: dict[str, Floats]) -> bool:
    """Return whether a search on the way to the main one found anything, by its evidence."""
    return weigh_evidence(grounds(here), query, ranking, shows, len(ranking.rows)).found


def times_of_event(
    here: BankSnapshot, about: Query, encoded: EncodedQuery, allowed: Mask | None, zone: tzinfo
) -> tuple[Interval, ...]:
    """
    Return when something took place, by what tells of it; nothing unless it is surely found.

    The best row says when. Where it has every word of what is looked for, so do others that have:
    what took place twice has two times, but for those that only speak of it again.
    """
    event = bind_to(here, about, encoded)
    ranking, shows = search_bank(here, event, allowed, limit=DEPTH)
    if not _is_found(here, event, ranking, shows):
        return ()
    rows: Rows32 = ranking.rows[:1]
    whole = says_all(here.index, event, ranking.rows)
    if whole[0]:
        rows = ranking.rows[whole]
    told = [
        (one.row, time_told(one.episode.text, in_zone(one.episode.occurred_at, zone)))
        for one in here.ledger.reader.read(rows.tolist())
        if one.episode.state != "erased"
    ]
    told.sort(key=lambda one: one[0] != rows[0])  # the best first; a damaged one is not there
    named = [interval for _, interval in told if interval.text]
    return merge_intervals(named or [interval for _, interval in told[:1]])


def _at_event(
    here: BankSnapshot, query: Query, encoded: EncodedQuery, allowed: Mask | None, zone: tzinfo
) -> Query:
    """Give a query the time that hangs on an event, if the event is surely found."""
    join = query.event
    if join is None:
        return query
    about = parse(join.event, now=query.now, cues=query.cues)
    # The keywords are those of the whole question, whose other words the event need not have.
    alone = encoded._replace(embedded=encoded.event, keywords=())
    times = times_of_event(here, about, alone, allowed, zone)
    if not times:
        return query
    return at_event(query, times, here.index.columns.speakers())


def led(
    here: BankSnapshot, query: Query, encoded: EncodedQuery, allowed: Mask | None, zone: tzinfo
) -> Query:
    """Give a query what other searches find first: the time of an event, and what leads."""
    query = _at_event(here, query, encoded, allowed, zone)
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
        part = altered(part, intervals=query.intervals, listing=(), conversation=None)
        bound = bind_to(here, part, encoded._replace(embedded=embedded, keywords=()))
        ranking, shows = search_bank(here, bound, allowed, limit=_PART_DEPTH)
        found = _is_found(here, bound, ranking, shows)
        parts.append(Part(ranking.rows, ranking.scores, found))
    leading = choose_leading(here.index, asked, parts, allowed, here.slept.communities)
    return altered(query, leading=leading)


def _lacking(here: BankSnapshot, encoded: EncodedQuery) -> Iterator[Degradation]:
    """Return the degradations of cues that could not see all of the bank."""
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
    yield from here.slept.problems
    if damage := here.ledger.reader.damage():
        yield Degradation(part="store", reason=damage)
    if here.calibrated.damaged:
        yield Degradation(part="calibration", reason=str(here.calibrated.lacking))
