"""
The snapshot of a bank: everything its readers need, as of one moment.

It is never changed and swapped whole: readers hold one and take no lock. The next one shares with
it all that has stayed the same (``index/growable_array.py``). Readers leave two notes in it alone:
what they worked out of texts (``SummaryMemo``), and what was damaged (``SleepProblems``).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from hippocampus.core.altered import altered
from hippocampus.core.config import Fusion, Signatures
from hippocampus.core.events import (
    ArtifactReplaced,
    Erased,
    IndexRebuilt,
    JournalRow,
    ProfileSet,
    Record,
    class_of,
)
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.records import Degradation, Embedder, Summary
from hippocampus.encode.signature import Rotation, rotation_for
from hippocampus.engine.context import Calibrated, EngineContext
from hippocampus.engine.index_at_rest import load
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
from hippocampus.index.token_spans import TokenSpans
from hippocampus.index.told_times import TimeCue
from hippocampus.index.topic import Community, TopicCue
from hippocampus.index.vector import VectorCue, VectorSearch
from hippocampus.journal.ledger import Ledger
from hippocampus.language.gazetteer import Gazetteer
from hippocampus.language.noun_phrases import key_of
from hippocampus.recall.current_facts import FactResolver
from hippocampus.sleep.artifacts import (
    ANCHORS,
    FACTS,
    GISTS,
    PARTITIONS,
    SUMMARY,
    TOPICS,
    Artifact,
)
from hippocampus.sleep.curated_anchors import read_curated
from hippocampus.sleep.summary import QuotableClause, SummaryVersions

if TYPE_CHECKING:
    from hippocampus.index.partitions import Partitions
    from hippocampus.language.name_signs import NamesRead
    from hippocampus.recall.fact_timeline import Known

T = TypeVar("T")


class SleepProblems:
    """
    Problems with what sleep has left, each once, in the order in which they were found.

    Readers of a snapshot note what turns out to be damaged. The tuple is replaced whole, so that
    nobody sees half of it; of two who note at once one may be lost, until the next who finds it.
    """

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: tuple[Degradation, ...] = ()

    def __iter__(self) -> Iterator[Degradation]:
        return iter(self._found)

    def note(self, reason: str) -> None:
        """Note a problem, unless it is known."""
        problem = Degradation(part="sleep", reason=reason)
        if problem not in self._found:
            self._found = (*self._found, problem)

    def read(self, artifact: Artifact[T], ledger: Ledger) -> T | None:
        """Return the part of a kind that sleep left; None where it is damaged, which is noted."""
        try:
            return artifact.read(ledger)
        except StoreCorrupt as exc:
            self.note(str(exc))
            return None


@immutable(kw_only=False, eq=False)
class SleptState:
    """Artifacts of the last sleep for readers, beside what it gave the cues."""

    facts: FactResolver
    """Facts read from the texts, and their standing."""
    summary: SummaryVersions | None = None
    """The versions of the running summary."""
    has_anchors: bool = False
    """Whether the bank has anchors, and so what is written has its phrases read."""
    gazetteer: Gazetteer = field(default_factory=Gazetteer)
    """The curated names among its anchors."""
    communities: tuple[Community, ...] = ()
    """Communities of its topics."""
    problems: SleepProblems = field(default_factory=SleepProblems)
    """Problems in reading it; more are added if texts turn out to be damaged."""


@dataclass(slots=True, eq=False)
class SummaryMemo:
    """Memo of figures that readers derived from texts; gone with the index at an erasure."""

    quotable: dict[int, QuotableClause | None] = field(default_factory=dict)
    """Clauses of rows read lately that a summary may quote."""
    names: dict[int, NamesRead] = field(default_factory=dict)
    """The names in rows that were read lately."""
    last: tuple[tuple[object, ...], Summary] | None = None
    """The last summary that was asked for, and what it was of."""
    facts: tuple[Statements, tuple[object, ...], list[Known]] | None = None
    """The facts that were last folded, of what, and what of its rows might be seen."""
    matters: tuple[tuple[object, ...], list[str]] | None = None
    """Projects under way when last asked for, and the key they were worked out for."""
    profile: tuple[int, Record[ProfileSet] | None] = (0, None)
    """Last profile that people set, and the change up to which it was looked for."""


@immutable(kw_only=False, eq=False)
class BankSnapshot:
    """A bank at one moment."""

    ledger: Ledger
    """Its books, by the number that it had then."""
    index: BankIndex
    embedder: Embedder | None
    """Embedder of its vectors and of questions."""
    rotation: Rotation | None
    """Turns token vectors before their signs are taken; None without such vectors."""
    signatures: Signatures | None
    """Way in which its tokens are signed."""
    signed_unasked: bool
    """Whether they are only for want of an embedder."""
    spans: bool
    """Whether new texts note the places of their token codes."""
    calibrated: Calibrated
    """Calibration of the embedder."""
    fusion: Fusion
    """Weights of the ranking, as calibrated."""
    slept: SleptState
    erasures: int
    """Number of erasures for which it had been made anew until then."""
    summaries: SummaryMemo


def take_snapshot(
    engine: EngineContext, ledger: Ledger, erasures: int, last: BankSnapshot | None = None
) -> BankSnapshot:
    """
    Build a bank's index from the store, and read what sleep has left.

    ``last``: the one before, if only erasures have made it necessary.
    """
    with engine.embedder_lock.together(), engine.store.read():
        embedder, (signatures, unasked) = engine.embedder, engine.signing()
        engine.check_embedder(embedder, ledger.bank)
        fingerprint, calibrated = engine.fingerprint(ledger.bank), engine.calibration(ledger.bank)
        rotation = None if fingerprint is None else rotation_for(fingerprint)
        for file in (*engine.store.index_files.find(ledger.bank), None):
            # Anew for each file: one that is of no use may have filled them in part.
            cues = CueSet(
                Bm25Cue(),
                None if fingerprint is None else _vector_cue(engine, ledger, fingerprint.dimension),
                None if rotation is None else LateInteractionCue(rotation.bits),
                None if signatures is None else SignatureCue(signatures.bits, signatures.radius),
                spans=TokenSpans() if rotation is not None and engine.spans() else None,
            )
            index = BankIndex(engine.store, ledger.bank, cues)
            times = None if file is not None else _carry_over(engine, last, index)
            slept = attach_slept(engine, ledger, index, calibrated)
            if times is not None:  # after that, which begins them anew
                index.cues = altered(index.cues, time=times)
            if file is None or load(engine, ledger, index, file):
                break
            engine.store.index_files.remove(file.path)
        index.catch_up()
    fusion = engine.config.fusion.heard(calibrated.values.hearing)
    return BankSnapshot(
        ledger, index.published(), embedder, rotation, signatures, unasked, engine.spans(),
        calibrated, fusion, slept, erasures, SummaryMemo(),
    )  # fmt: skip


def _carry_over(
    engine: EngineContext, last: BankSnapshot | None, index: BankIndex
) -> TimeCue | None:
    """
    Have a new index take over from the last what erasures have not changed.

    Returns its told times, unless a sleep may have read more since; None if nothing is taken over.
    """
    # Of what is mapped from a file it would be a copy in memory.
    if last is None or last.index.at_rest is not None:
        return None
    journal, bank, seq = engine.store.journal, last.ledger.bank, last.index.seq
    changes = journal.read(bank, after=seq, kinds=(Erased, IndexRebuilt, ArtifactReplaced))
    kinds = {class_of(change.kind) for change in changes}
    rows = {change.row for change in changes if class_of(change.kind) is Erased}
    gone = np.array(
        sorted(row for row in rows if row is not None and row < len(last.index)), np.int64
    )
    if Erased not in kinds or IndexRebuilt in kinds or not index.carry_over(last.index, gone):
        return None
    return None if ArtifactReplaced in kinds else last.index.cues.time.without(gone)


def follow(
    engine: EngineContext, last: BankSnapshot, changes: Sequence[JournalRow], *, slept_anew: bool
) -> BankSnapshot:
    """Return the snapshot of now, made from the last: nothing has left the index since."""
    index = last.index.fork()
    if slept_anew:
        slept = attach_slept(engine, last.ledger, index, last.calibrated)
    else:
        slept = replace(last.slept, facts=last.slept.facts.of(index.columns))
    index.catch_up(changes)
    return replace(last, index=index.published(), slept=slept)


def attach_slept(
    engine: EngineContext, ledger: Ledger, index: BankIndex, calibrated: Calibrated
) -> SleptState:
    """Give an index the cues that the last sleep has left, for it to catch up; return the rest."""
    problems = SleepProblems()
    gists, topics = problems.read(GISTS, ledger), problems.read(TOPICS, ledger)
    anchors, summary = problems.read(ANCHORS, ledger), problems.read(SUMMARY, ledger)
    facts = problems.read(FACTS, ledger) or Statements()
    cosines = calibrated.values.cosines
    index.gists = (
        None if gists is None else Priming(gists, engine.config.maturation, cosines.sem_theta)
    )
    graph = concept = None
    if index.cues.vector is not None:
        partitions = _partitions(engine, ledger, index.cues.vector.dimension, problems)
        index.cues.vector.search = _vector_search(engine, index, partitions)
    gazetteer = Gazetteer() if anchors is None else Gazetteer(anchors.curated())
    anchors = _fitting(anchors, index.cues.vector, problems)
    if anchors is not None and index.cues.vector is not None:
        curated = read_curated(ledger)
        how = engine.config.concepts.heard(cosines)
        how = how if curated.sources is None else replace(how, sources=curated.sources)
        graph = GraphCue()
        concept = ConceptCue(
            anchors, how, *index.row_facts(how.sources),
            [key_of(name) for name in curated.denied],
            _Mentions(ledger, gazetteer, problems) if gazetteer else None,
        )  # fmt: skip
    topic = None if topics is None else TopicCue(topics.graph, topics.length)
    # The times are read anew: sleep may have read texts that earlier versions wrote.
    index.cues = altered(index.cues, time=TimeCue(), topic=topic, concept=concept, graph=graph)
    return SleptState(
        facts=FactResolver(facts, index.columns, engine.zone), summary=summary,
        has_anchors=anchors is not None, gazetteer=gazetteer, problems=problems,
        communities=() if topics is None else topics.communities,
    )  # fmt: skip


def _vector_cue(engine: EngineContext, ledger: Ledger, dimension: int) -> VectorCue:
    """Return an empty cue that keeps vectors where, and in the order, that is configured."""
    from hippocampus.index.partition_search import order_of  # noqa: PLC0415 - where there are any

    how, folder, order = engine.config.vectors, None, None
    if how.place == "disk":
        beside = Path(engine.store.path).parent
        # A store in PostgreSQL has no folder, and one that is only read may be in none of ours.
        is_file = Path(engine.store.path).is_file() and os.access(beside, os.W_OK)
        folder = beside if is_file else Path(tempfile.gettempdir())
    if how.layout == "partitions":
        made = _partitions(
            engine, ledger, dimension, SleepProblems()
        )  # who attaches them tells of problems
        order = None if made is None else order_of(made)
    return VectorCue(dimension, folder=folder, order=order)


def _partitions(
    engine: EngineContext, ledger: Ledger, dimension: int, problems: SleepProblems
) -> Partitions | None:
    """Return the partitions of a bank's vectors, None where there are none that fit."""
    if not engine.config.vectors.partitioned(engine.store.episodes.count(ledger.bank)):
        return None
    made = problems.read(PARTITIONS, ledger)
    if made is None or made.dimension == dimension:
        return made
    reason = f"partitions have {made.dimension} dimensions, the bank {dimension}; sleep once more"
    problems.note(reason)
    return None


def _vector_search(
    engine: EngineContext, index: BankIndex, partitions: Partitions | None
) -> VectorSearch | None:
    """Return a search that finds vectors without looking at all of them; None: they are scanned."""
    from hippocampus.index.partition_search import (  # noqa: PLC0415 - where there are any
        PartitionSearch,
    )

    how = engine.config.vectors
    if how.search == "faiss":
        from hippocampus.index.faiss_search import FaissSearch  # noqa: PLC0415 - an extra

        last = None if index.cues.vector is None else index.cues.vector.search
        return last if isinstance(last, FaissSearch) else FaissSearch(how.probes)
    if partitions is None or not how.searches_partitions(len(partitions)):
        return None
    columns = index.columns
    shards = (lambda: columns.source.codes) if how.shards == "source" else None
    return PartitionSearch(partitions, how.probes, shards)


def _fitting(
    anchors: Anchors | None, vectors: VectorCue | None, problems: SleepProblems
) -> Anchors | None:
    """Return anchors whose vectors are such as the bank's; None, and say so, for others."""
    if anchors is None or vectors is None:
        return None
    found = anchors.vectors.shape[1]
    if found == vectors.dimension:
        return anchors
    reason = f"anchors have {found} dimensions, the bank {vectors.dimension}; sleep once more"
    problems.note(reason)
    return None


@immutable(kw_only=False, eq=False)
class _Mentions:
    """Reads curated names in rows; in damaged texts it finds none, and says so."""

    ledger: Ledger
    gazetteer: Gazetteer
    problems: SleepProblems

    def __call__(self, rows: Sequence[int]) -> dict[int, tuple[frozenset[int], frozenset[int]]]:
        """Return the names, and their pieces, by row."""
        try:
            texts = self.ledger.reader.texts(rows)
        except StoreCorrupt as exc:
            self.problems.note(str(exc))
            return {}
        read = {row: self.gazetteer.read(text) for row, text in texts.items()}
        return {row: (said.names, said.pieces) for row, said in read.items()}
