"""
The snapshot of a bank: everything its readers need, as of one moment.

It is never changed and swapped whole: readers hold one and take no lock. The next one shares with
it all that has stayed the same (``index/growable_array.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from hippocampus.core.config import Fusion, Signatures
from hippocampus.core.events import ProfileSet, Record
from hippocampus.core.records import Degradation, Embedder, Summary
from hippocampus.encode.signature import Rotation, rotation_for
from hippocampus.engine.context import Calibrated, EngineContext
from hippocampus.errors import StoreCorrupt
from hippocampus.index.anchors import Anchors
from hippocampus.index.bank_index import BankIndex
from hippocampus.index.bm25 import Bm25Cue
from hippocampus.index.concept import ConceptCue
from hippocampus.index.cues import CueSet
from hippocampus.index.gists import Priming
from hippocampus.index.graph import GraphCue, Statements
from hippocampus.index.late_interaction import LateInteractionCue
from hippocampus.index.signature import SignatureCue
from hippocampus.index.told_times import TimeCue
from hippocampus.index.topic import Community, TopicCue
from hippocampus.index.vector import VectorCue
from hippocampus.journal.ledger import Ledger
from hippocampus.language.gazetteer import Gazetteer
from hippocampus.language.name_signs import NamesRead
from hippocampus.language.noun_phrases import key_of
from hippocampus.recall.current_facts import FactResolver
from hippocampus.sleep.artifacts import (
    ANCHORS,
    FACTS,
    GISTS,
    SUMMARY,
    TOPICS,
)
from hippocampus.sleep.curated_anchors import read_curated
from hippocampus.sleep.summary import QuotableClause, SummaryVersions


@dataclass(frozen=True, slots=True, eq=False)
class SleptState:
    """What the last sleep has left for readers, beside what it gave the cues."""

    facts: FactResolver
    """What has been read of whom, and how that stands."""
    summary: SummaryVersions | None = None
    """The versions of the running summary."""
    has_anchors: bool = False
    """Whether the bank has anchors, and so what is written has its phrases read."""
    gazetteer: Gazetteer = field(default_factory=Gazetteer)
    """The curated names among its anchors."""
    communities: tuple[Community, ...] = ()
    """What it is about as a whole."""
    problems: Sequence[Degradation] = ()
    """What of it could not be read; it grows if texts turn out to be damaged."""


@dataclass(slots=True, eq=False)
class SummaryMemo:
    """What readers have worked out of texts; gone with the index when anything is erased."""

    quotable: dict[int, QuotableClause | None] = field(default_factory=dict)
    """What a summary may quote of rows that were read lately."""
    names: dict[int, NamesRead] = field(default_factory=dict)
    """The names in rows that were read lately."""
    last: tuple[tuple[object, ...], Summary] | None = None
    """The last summary that was asked for, and what it was of."""
    matters: tuple[tuple[object, ...], list[str]] | None = None
    """What was under way when that was last asked for, and what it was of."""
    profile: tuple[int, Record[ProfileSet] | None] = (0, None)
    """What people said last of the bank's profile, and up to which change that was looked for."""


@dataclass(frozen=True, slots=True, eq=False)
class BankSnapshot:
    """A bank at one moment."""

    ledger: Ledger
    """Its books, by the number that it had then."""
    index: BankIndex
    embedder: Embedder | None
    """What made its vectors, and embeds what is asked of them."""
    rotation: Rotation | None
    """Turns token vectors before their signs are taken; None without such vectors."""
    signatures: Signatures | None
    """How its tokens are signed."""
    calibrated: Calibrated
    """What the numbers of the embedder mean."""
    fusion: Fusion
    """Weights of the ranking, as calibrated."""
    slept: SleptState
    erasures: int
    """How often it had been made anew for an erasure until then."""
    summaries: SummaryMemo


def take_snapshot(engine: EngineContext, ledger: Ledger, erasures: int) -> BankSnapshot:
    """Build a bank's index from the store, and read what sleep has left."""
    with engine.embedder_lock, engine.store.read():
        embedder, signatures = engine.embedder, engine.signatures()
        engine.check_embedder(embedder)
        fingerprint, calibrated = engine.fingerprint(), engine.calibration()
        rotation = None if fingerprint is None else rotation_for(fingerprint)
        cues = CueSet(Bm25Cue())
        if fingerprint is not None:
            cues.vector = VectorCue(fingerprint.dimension)
        if rotation is not None:
            cues.tokens = LateInteractionCue(rotation.bits)
        if signatures is not None:
            cues.signature = SignatureCue(signatures.bits, signatures.radius)
        index = BankIndex(engine.store, ledger.bank, cues)
        slept = attach_slept(engine, ledger, index, calibrated)
        index.catch_up()
    fusion = engine.config.fusion.heard(calibrated.values.hearing)
    return BankSnapshot(
        ledger, index, embedder, rotation, signatures, calibrated, fusion, slept, erasures,
        SummaryMemo(),
    )  # fmt: skip


def follow(engine: EngineContext, last: BankSnapshot, *, slept_anew: bool) -> BankSnapshot:
    """Return the snapshot of now, made from the last: nothing has left the index since."""
    index = last.index.fork()
    if slept_anew:
        slept = attach_slept(engine, last.ledger, index, last.calibrated)
    else:
        slept = replace(last.slept, facts=last.slept.facts.of(index.columns))
    index.catch_up()
    return replace(last, index=index, slept=slept)


def attach_slept(
    engine: EngineContext, ledger: Ledger, index: BankIndex, calibrated: Calibrated
) -> SleptState:
    """Give an index the cues that the last sleep has left, for it to catch up; return the rest."""
    problems: list[Degradation] = []
    facts, gists, topics, anchors, summary = Statements(), None, None, None, None
    try:
        gists = GISTS.read(ledger)
        topics = TOPICS.read(ledger)
        anchors = ANCHORS.read(ledger)
        facts = FACTS.read(ledger) or facts
        summary = SUMMARY.read(ledger)
    except StoreCorrupt as exc:
        problems.append(Degradation(part="sleep", reason=str(exc)))
    cosines = calibrated.values.cosines
    index.gists = (
        None if gists is None else Priming(gists, engine.config.maturation, cosines.sem_theta)
    )
    index.cues.time = TimeCue()  # sleep may have read texts that earlier versions wrote
    index.cues.topic = None if topics is None else TopicCue(topics.graph, topics.length)
    index.cues.concept = index.cues.graph = None
    gazetteer = Gazetteer() if anchors is None else Gazetteer(anchors.curated())
    anchors = _fitting(anchors, index.cues.vector, problems)
    if anchors is not None and index.cues.vector is not None:
        curated = read_curated(ledger)
        how = engine.config.concepts.heard(cosines)
        how = how if curated.sources is None else replace(how, sources=curated.sources)
        index.cues.graph = GraphCue()
        index.cues.concept = ConceptCue(
            anchors, how, *index.row_facts(how.sources),
            [key_of(name) for name in curated.denied],
            _Mentions(ledger, gazetteer, problems) if gazetteer else None,
        )  # fmt: skip
    return SleptState(
        facts=FactResolver(facts, index.columns, engine.zone), summary=summary,
        has_anchors=anchors is not None, gazetteer=gazetteer, problems=problems,
        communities=() if topics is None else topics.communities,
    )  # fmt: skip


def _fitting(
    anchors: Anchors | None, vectors: VectorCue | None, problems: list[Degradation]
) -> Anchors | None:
    """Return anchors whose vectors are such as the bank's; None, and say so, for others."""
    if anchors is None or vectors is None:
        return None
    found = anchors.vectors.shape[1]
    if found == vectors.dimension:
        return anchors
    reason = f"anchors have {found} dimensions, the bank {vectors.dimension}; sleep once more"
    problems.append(Degradation(part="sleep", reason=reason))
    return None


@dataclass(frozen=True, slots=True, eq=False)
class _Mentions:
    """Reads curated names in rows; in damaged texts it finds none, and says so."""

    ledger: Ledger
    gazetteer: Gazetteer
    problems: list[Degradation]

    def __call__(self, rows: Sequence[int]) -> dict[int, tuple[frozenset[int], frozenset[int]]]:
        """Return the names, and their pieces, by row."""
        try:
            texts = self.ledger.reader.texts(rows)
        except StoreCorrupt as exc:
            self.problems.append(Degradation(part="sleep", reason=str(exc)))
            return {}
        read = {row: self.gazetteer.read(text) for row, text in texts.items()}
        return {row: (said.names, said.pieces) for row, said in read.items()}
