"""
Artifacts of sleep: views of a whole bank, such as anchors and facts, each made anew from its rows.

A row of ``ARTIFACTS`` says how one is made, packed and read; beside them, what their steps gather.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from functools import partial
from operator import eq
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Floats, Rows
from hippocampus.core.background_yield import pausing
from hippocampus.core.config import Compact, Concepts, Cosines, Policy, Vectors
from hippocampus.core.events import (
    ArtifactReplaced,
    Consolidated,
    Erased,
    Forgotten,
    IndexRebuilt,
    Lapsed,
    RemovedFromSource,
)
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.overtaken import write_again
from hippocampus.core.records import (
    Block,
    Embedder,
    EpisodeRow,
    Kind,
    Passage,
    Payloads,
    SleepStep,
)
from hippocampus.encode.given_parts import embed_passages
from hippocampus.errors import InputError, StoreCorrupt
from hippocampus.index.anchors import Anchors
from hippocampus.index.bank_index import BankIndex, read_payloads
from hippocampus.index.cue import Mask
from hippocampus.index.gists import Traces
from hippocampus.index.gists import pack as pack_gists
from hippocampus.index.gists import unpack as unpack_gists
from hippocampus.index.graph import Statements
from hippocampus.index.graph import pack as pack_facts
from hippocampus.index.graph import unpack as unpack_facts
from hippocampus.index.partitions import Partitions, keep_up
from hippocampus.index.phrase_codec import PROPER, unpack_phrases
from hippocampus.index.topic import Topics
from hippocampus.index.topic import pack as pack_topics
from hippocampus.index.topic import unpack as unpack_topics
from hippocampus.journal.ledger import Ledger
from hippocampus.journal.payloads import READ_BY_LANGUAGE
from hippocampus.sleep.curated_anchors import read_curated
from hippocampus.sleep.summary import QuotableClause, Read, SummaryVersions
from hippocampus.sleep.summary import pack as pack_summary
from hippocampus.sleep.summary import unpack as unpack_summary

if TYPE_CHECKING:
    from hippocampus.language.statements import StatementReader
    from hippocampus.llm.ask import ChatModel, Completer
    from hippocampus.sleep.appraisal import Appraisal
    from hippocampus.sleep.material import Material
    from hippocampus.sleep.snapshot import SleepSnapshot
    from hippocampus.sleep.topics import TagAnswers

_AT_ONCE: Final = 1024
"""Episodes of a transaction, or in memory, at a time: writers wait for no more than these. Set by
hand."""
T = TypeVar("T")


def find_missing_phrases(ledger: Ledger, zone: tzinfo) -> SleepStep:
    """Read the phrases of episodes that were written when nobody needed them; and their times."""
    from hippocampus.write.analyse import (  # noqa: PLC0415 - only for a sleep
        phrase_payloads,
        times_payloads,
    )

    started, store, bank = time.perf_counter(), ledger.store, ledger.bank
    done = 0
    read_words_by_language(ledger)
    count = store.episodes.count(bank)
    with store.read():
        untimed = bool(count) and not _payloads(ledger, "times", range(1)).lengths.any()
    for first in range(0, count, _AT_ONCE):
        rows = range(first, min(first + _AT_ONCE, count))
        with store.read():
            there = _payloads(ledger, "phrase", rows)
            missing = [row for row, size in zip(rows, there.lengths, strict=True) if not size]
            made = dict(phrase_payloads(ledger, missing))  # of what was erased there is none
            times = dict(times_payloads(ledger, rows, zone)) if untimed else {}
        if made or times:
            payloads: dict[Kind, Mapping[int, bytes]] = {"phrase": made, "times": times}
            write_again(store, bank, partial(_fill, ledger, payloads))
        done += len(made)
    return SleepStep(
        name="phrases", elapsed_s=time.perf_counter() - started, counts={"episodes": done}
    )


def _fill(ledger: Ledger, made: Mapping[Kind, Mapping[int, bytes]]) -> None:
    """Keep payloads of rows that had none, in a transaction."""
    for kind, payloads in made.items():
        ledger.payloads.fill(kind, payloads)
    ledger.payloads.seal()


def read_words_by_language(ledger: Ledger) -> int:
    """
    Read the words anew of texts of which earlier versions stemmed every word in English.

    Returns of how many rows they changed. Stopped, it begins again; the first row is the last done.
    """
    from hippocampus.write.analyse import lexical_payloads  # noqa: PLC0415 - only for a sleep

    store, bank = ledger.store, ledger.bank
    with store.read():
        first = next(iter(_payloads(ledger, "lexical", range(1))), b"")
    if not first or first.endswith(READ_BY_LANGUAGE):
        return 0
    count, done = store.episodes.count(bank), 0
    for start in reversed(range(0, count, _AT_ONCE)):
        rows = range(start, min(start + _AT_ONCE, count))
        with store.read():
            there = dict(zip(rows, _payloads(ledger, "lexical", rows), strict=True))
            made = {
                row: payload
                for row, payload in lexical_payloads(ledger, rows)
                if there[row] and payload != there[row]
            }
        write_again(store, bank, partial(_replace_words, ledger, made, last=not start))
        done += len(made)
    return done


def _replace_words(ledger: Ledger, made: Mapping[int, bytes], *, last: bool) -> None:
    """Keep the words of rows that were read anew, in a transaction; the index follows the last."""
    ledger.payloads.fill("lexical", made)
    if made and last:
        ledger.writer.note(IndexRebuilt())


def quoting(ledger: Ledger, known: dict[int, QuotableClause | None]) -> Read:
    """Return a memoised reader of the clauses of rows that a summary may quote."""
    from hippocampus.sleep.summary import clause_of  # noqa: PLC0415 - only for a sleep

    def read(rows: Sequence[int]) -> list[QuotableClause | None]:
        missing = [row for row in rows if row not in known]
        texts = ledger.reader.texts(missing)
        for e in pausing(ledger.store.episodes.read(ledger.bank, list(texts))):
            known[e.row] = clause_of(e.row, e.occurred_at, e.speaker, e.role, texts[e.row])
        return [known.get(row) for row in rows]

    return read


class Gathered(NamedTuple):
    """
    State of a bank at a moment, told by ``seq``; ``otherwise``: rows that others correct.

    ``suspect``: a mask of the rows that read like an order to a model. ``vectors`` and
    ``estimates`` may be asked later: rows stay.
    """

    seq: int
    material: Material
    vectors: Callable[[Rows], Floats] | None
    otherwise: list[int]
    suspect: Mask
    estimates: Callable[[Floats], Floats] | None = None


def gather(ledger: Ledger, index: BankIndex, *, unread: bool = False) -> Gathered:
    """
    Take from a bank what its concepts are made of; the caller holds the index.

    ``unread``: read phrases that nobody has read yet, and do not keep them.
    """
    from hippocampus.sleep.material import Material  # noqa: PLC0415 - only for a sleep
    from hippocampus.write.analyse import phrase_payloads  # noqa: PLC0415 - only for a sleep

    columns, count = index.columns, len(index)
    with ledger.store.read():
        there = _payloads(ledger, "phrase", range(count))
        if unread:
            payloads = list(there)
            unknown = [row for row in range(count) if not payloads[row]]
            for row, made in phrase_payloads(ledger, unknown):
                payloads[row] = made
            there = Payloads.of(payloads)
        read = unpack_phrases(there)
        corrected = otherwise(ledger, index)
    every = np.arange(count)
    material = Material(
        keys=read.keys,
        owner=read.owner.astype(np.int64),
        lasting=read.lasting,
        gists=read.gists,
        occurred_at=columns.occurred_at(every.astype(np.uint32)),
        shown=columns.visible(),
        by_user=~columns.role.holds("assistant", every) & ~columns.role.holds("tool", every),
        session=columns.session.codes.copy(),
    )
    cue, suspect = index.cues.vector, columns.suspect.copy()
    if cue is None:
        return Gathered(index.seq, material, None, corrected, suspect)
    return Gathered(index.seq, material, cue.vectors, corrected, suspect, cue.estimates)


def otherwise(ledger: Ledger, index: BankIndex) -> list[int]:
    """Return the rows that something in force corrects: the bank does not repeat what they say."""
    shown = index.columns.visible()
    told = index.corrected.items()
    return [row for row, by in told if by and ledger.lineage.correction(row, by, shown) is not None]


def _with_curated(ledger: Ledger, material: Material, names: Sequence[str]) -> Material:
    """Count a curated name as mentioned where it is said, phrase or not: "go to market", "C++"."""
    from hippocampus.language.gazetteer import Gazetteer  # noqa: PLC0415 - only for a sleep

    spellings = Gazetteer(names)
    if not spellings:
        return material
    shown = np.flatnonzero(material.shown).tolist()
    said: list[int] = []
    unsaid: list[int] = []
    for start in range(0, len(shown), _AT_ONCE):
        for row, text in pausing(ledger.reader.texts(shown[start : start + _AT_ONCE]).items()):
            read = spellings.read(text)
            said += [row * PROPER + key for key in read.names]  # keys are below that
            unsaid += [row * PROPER + key for key in read.pieces]
    known = material.owner * PROPER + (material.keys & ~np.uint32(PROPER))
    kept = ~np.isin(known, np.array(unsaid, np.int64))
    new = np.setdiff1d(np.array(said, np.int64), known[kept])
    return replace(
        material,
        keys=np.append(material.keys[kept], (new % PROPER).astype(np.uint32)),
        owner=np.append(material.owner[kept], new // PROPER),
    )


@immutable
class SleepContext:
    """
    Context of the steps of a sleep: the bank's books, its models, and calibrated settings.

    ``now`` in microseconds. ``zone``: in which a day is meant.
    ``statements``: what reads facts,
    None for the best there is. ``recalled``: what was recalled and is not noted yet, for a dry run.
    """

    ledger: Ledger
    embedder: Embedder | None
    model: Completer | ChatModel | None
    concepts: Concepts
    cosines: Cosines
    signals: Mapping[str, float]
    policy: Policy
    compact: Compact
    vectors: Vectors
    zone: tzinfo
    statements: StatementReader | None
    now: int
    recalled: Sequence[Sequence[int]] = ()

    def snapshot(self, gathered: Gathered) -> SleepSnapshot:
        """Return the bank as of the moment it was gathered."""
        from hippocampus.sleep.snapshot import read_snapshot  # noqa: PLC0415 - only for a sleep

        return read_snapshot(
            self.ledger, gathered.material, policy=self.policy, now=self.now, zone=self.zone,
            vectors=gathered.vectors, recalled=self.recalled,
        )  # fmt: skip

    def appraise(self, snapshot: SleepSnapshot) -> Appraisal:
        """Return the worth of every memory in force."""
        from hippocampus.sleep.appraisal import appraise_snapshot  # noqa: PLC0415 - only for a sleep

        return appraise_snapshot(
            snapshot, signals=self.signals, interference=self.cosines.interference
        )


class NewArtifact(NamedTuple, Generic[T]):
    """An artifact as just made, and what its step reports; ``note``: for the journal, if any."""

    content: T
    counts: Mapping[str, int]
    names: Mapping[str, tuple[str, ...]]
    note: Consolidated | None = None


Make: TypeAlias = "Callable[[SleepContext, Gathered, T | None, TagAnswers], NewArtifact[T]]"


@immutable
class Artifact(Generic[T]):
    """
    One block that a step of sleep makes of a bank's first rows, and keeps until it makes it anew.

    ``kind`` is that of the block, whose format ``pack`` and ``unpack`` know; ``length``: of how
    many rows one was made. ``make`` gets what the last sleep kept, to take again what is as it was,
    and what a model answered in earlier tries, to which it adds. ``is_same``: whether there is
    nothing new to keep. ``by_meaning``: it takes an embedder; ``of_hidden``: rows that are not in
    force count. ``spelled``: the words in it, each with what they are, for who looks for residue.
    ``why_not``: why a bank is not to have one, empty if it is.
    """

    step: str
    kind: Kind
    pack: Callable[[T], bytes]
    unpack: Callable[[bytes], T]
    length: Callable[[T], int]
    make: Make[T]
    spelled: Callable[[T], Iterator[tuple[str, str]]]
    is_same: Callable[[T, T], bool] = lambda _made, _before: False
    by_meaning: bool = False
    of_hidden: bool = False
    why_not: Callable[[SleepContext, Gathered], str] = lambda _context, _gathered: ""

    def read(self, ledger: Ledger) -> T | None:
        """
        Return the artifact of a bank's last sleep, None if it left none.

        Raises:
            StoreCorrupt: it is damaged, of a later version, or of more rows than there are.

        """
        store, bank = ledger.store, ledger.bank
        with store.read():
            spans = store.payloads.block_spans(bank, self.kind)
            if not spans:
                return None
            payload = store.payloads.block(bank, self.kind, spans[0][0]).payload
        try:
            made = self.unpack(payload)
        except InputError as exc:
            raise StoreCorrupt(str(exc), path=store.path) from exc
        seen, count = self.length(made), store.episodes.count(bank)
        if seen > count:
            msg = f"sleep saw {seen} episodes, and the bank has {count}; sleep makes it anew"
            raise StoreCorrupt(msg, path=store.path)
        return made

    def lacking(self, context: SleepContext, gathered: Gathered) -> str:
        """Return why it would not be made of what was gathered; empty if it would."""
        if self.by_meaning and context.embedder is None:
            return "there is no embedder to compare meanings with"
        some = len(gathered.material) if self.of_hidden else gathered.material.shown.any()
        if not some or (self.by_meaning and gathered.vectors is None):
            return "there are no episodes"
        return self.why_not(context, gathered)

    def rebuild(
        self, context: SleepContext, gathered: Gathered, answers: TagAnswers
    ) -> SleepStep | None:
        """
        Make it anew and keep it, and say what was done.

        None if somebody erased or rebuilt in the meantime: then what was gathered must not be kept.
        """
        started, ledger = time.perf_counter(), context.ledger
        skipped = self.lacking(context, gathered)
        if skipped:
            return SleepStep(name=self.step, elapsed_s=0.0, skipped=skipped)
        try:
            before = self.read(ledger)
        except StoreCorrupt:
            before = None  # and what is damaged is mended
        made = self.make(context, gathered, before, answers)
        # Noted also if what was made is not kept below: who is promoted stays so (docs/adr/0026).
        if made.note is not None:
            write_again(ledger.store, ledger.bank, partial(ledger.writer.note, made.note))
        same = before is not None and self.is_same(made.content, before)
        if not same and not self.keep(ledger, made.content, gathered.seq):
            return None
        return SleepStep(
            name=self.step, elapsed_s=time.perf_counter() - started, counts=made.counts,
            names=made.names, usage=answers.usage,
        )  # fmt: skip

    def keep(self, ledger: Ledger, made: T, seq: int) -> bool:
        """Put it in the place of the last; False if rows were erased or rebuilt after ``seq``."""
        store, bank = ledger.store, ledger.bank
        block = Block(0, self.length(made), self.pack(made))

        def replace_last() -> bool:
            # Looked for within the write: no erasure can come between this look and the block.
            if store.journal.read(bank, after=seq, kinds=(Erased, IndexRebuilt)):
                return False
            store.payloads.drop(bank, self.kind)
            store.payloads.put_block(bank, self.kind, block)
            ledger.writer.note(ArtifactReplaced())
            return True

        return write_again(store, bank, replace_last)


# ---------------------------------------------------------------- how each is made


def _make_anchors(
    context: SleepContext, gathered: Gathered, before: Anchors | None, _: TagAnswers
) -> NewArtifact[Anchors]:
    """Choose the anchors anew and rank what lies under each (CONCEPT, section 4.5)."""
    from hippocampus.sleep.concepts import rebuild  # noqa: PLC0415 - only for a sleep
    from hippocampus.sleep.material import Reads  # noqa: PLC0415 - only for a sleep
    from hippocampus.sleep.snapshot import read_uses  # noqa: PLC0415 - only for a sleep

    assert context.embedder is not None, "it is by meaning"
    assert gathered.vectors is not None, "and of episodes"
    ledger, curated = context.ledger, read_curated(context.ledger)
    if before is not None and before.basis is not None:
        since = ledger.store.journal.read(
            ledger.bank, after=before.basis.seq, kinds=(Erased, IndexRebuilt)
        )
        if since:  # rows may have got vectors or words that they had not
            before = replace(before, basis=None)
    material = _with_curated(ledger, gathered.material, curated.wanted)
    if context.concepts.anchor_budget is not None:
        with ledger.store.read():
            material = replace(material, uses=read_uses(ledger, len(material)).uses)
    made, report = rebuild(
        material,
        before,
        Reads(gathered.vectors, ledger.reader.names, _naming(context.embedder), gathered.estimates),
        curated=curated.wanted,
        denied=curated.denied,
        now=context.now,
        how=context.concepts,
        seq=gathered.seq,
    )
    names = {"found": report.found, "pruned": report.pruned, "promotable": report.promotable}
    counts = {"anchors": len(made), "entries": report.entries}
    return NewArtifact(made, counts | {what: len(of) for what, of in names.items()}, names)


def _make_topics(
    context: SleepContext, gathered: Gathered, before: Topics | None, answers: TagAnswers
) -> NewArtifact[Topics]:
    """Bring the graph of tags up to what was said since the last sleep (SWIFT, section 3.2)."""
    from hippocampus.sleep.topics import WindowTurn, make_topics  # noqa: PLC0415 - only for a sleep

    ledger, shown = context.ledger, gathered.material.shown
    with ledger.store.read():
        texts = ledger.reader.texts(np.flatnonzero(shown).tolist())
        records = ledger.store.episodes.read(ledger.bank, range(len(shown)))
    made, report = make_topics(
        [WindowTurn(e.row, texts.get(e.row, ""), e.session, e.occurred_at) for e in records],
        length=len(shown),
        speakers={e.speaker for e in records if e.speaker and e.row in texts},
        embedder=context.embedder,
        model=context.model,
        answers=answers,
        before=before,
    )
    counts = {"groups read": report.read, "tags": report.tags, "relations": report.relations}
    counts["by a model"] = report.by_model
    counts |= {"refused": report.refused} if report.refused else {}
    return NewArtifact(made, counts, {"fallbacks": report.fallbacks})


def _make_gists(
    context: SleepContext, gathered: Gathered, before: Traces | None, answers: TagAnswers
) -> NewArtifact[Traces]:
    """Make gists of what is promoted and belongs together (HUMAN, section 4)."""
    from hippocampus.sleep.gists import make_gists, read_noted  # noqa: PLC0415 - only for a sleep

    assert context.embedder is not None, "it is by meaning"
    snapshot = context.snapshot(gathered)
    made, report = make_gists(
        snapshot,
        read_noted(context.ledger),
        cluster=context.cosines.cluster,
        appraise=lambda: context.appraise(snapshot),
        embed=_naming(context.embedder),
        before=before,
        model=context.model,
        answered=answers.by_digest,
    )
    answers.usage += report.usage
    counts = {"promoted": report.promoted, "gists": len(made.traces), "made": report.made}
    counts["by a model"] = sum(trace.by_model for trace in made.traces)
    return NewArtifact(made, counts, {"fallbacks": report.fallbacks}, report.note)


def _make_summary(
    context: SleepContext, gathered: Gathered, before: SummaryVersions | None, answers: TagAnswers
) -> NewArtifact[SummaryVersions]:
    """Bring the running summary up to what was said since the last sleep (HEMA, section 3.2)."""
    from hippocampus.journal.draft import spoken  # noqa: PLC0415 - only for a sleep
    from hippocampus.sleep.summary import summarise  # noqa: PLC0415 - only for a sleep

    ledger = context.ledger

    def talk(rows: Sequence[int]) -> list[str]:
        texts = ledger.reader.texts(rows)
        records = ledger.store.episodes.read(ledger.bank, list(texts))
        return [spoken(e.speaker, texts[e.row]) for e in records]

    made, report = summarise(
        gathered.material.shown,
        quoting(ledger, {}),
        talk,
        context.compact,
        before=before,
        model=context.model,
        answered=answers.by_digest,
    )
    answers.usage += report.usage
    counts = {"versions": len(made.versions), "made": report.made, "by a model": report.by_model}
    return NewArtifact(made, counts, {"fallbacks": report.fallbacks})


def _make_facts(
    context: SleepContext, gathered: Gathered, before: Statements | None, answers: TagAnswers
) -> NewArtifact[Statements]:
    """Read facts out of the texts of a bank, from where reading stopped."""
    from hippocampus.language.statements import best_reader  # noqa: PLC0415 - only for a sleep
    from hippocampus.sleep.facts import (  # noqa: PLC0415 - only for a sleep
        FactReading,
        before_reading,
        count,
        read_on,
        read_with_model,
    )

    ledger, model = context.ledger, context.model
    before = before_reading(before, context.statements)
    with ledger.store.read():
        # A model reads windows of talk, whose turns may be older than what is new; answers to
        # windows that are as they were are known by their digests.
        start = before.length if model is None else 0
        every = ledger.store.episodes.scan(ledger.bank, start=start)
        records = [record for record in every if record.row < len(gathered.material)]
        texts = ledger.reader.texts([record.row for record in records])
        hidden = _hidden_by_others(ledger, records) if model is not None else set[int]()
    fresh = [record for record in records if record.row >= before.length]
    made = read_on(before, fresh, texts, context.zone, context.statements or best_reader())
    report = FactReading(count(made.rows))
    if model is not None:
        # Rules read what is hidden, or suspect, on this machine, and nobody is told of it until it
        # is shown again; a model may be another's, and may obey an order.
        hidden.update(np.flatnonzero(gathered.suspect).tolist())
        heard = {row: text for row, text in texts.items() if row not in hidden}
        made, report = read_with_model(made, records, heard, model, answers, context.zone)
    counts = {"statements": report.statements, "episodes read": len(fresh)}
    counts |= {"by a model": report.by_model} if model is not None else {}
    return NewArtifact(made, counts, {"fallbacks": report.fallbacks})


def _hidden_by_others(ledger: Ledger, records: Sequence[EpisodeRow]) -> set[int]:
    """Return the rows that somebody has forgotten, or a file has no more; not those that lapsed."""
    forgotten = {e.row for e in records if e.state == "forgotten"}
    told = ledger.reader.events(Forgotten, Lapsed, RemovedFromSource) if forgotten else []
    last = {change.row: change.event for change in told}
    return {row for row in forgotten if not isinstance(last.get(row), Lapsed)}


def _make_partitions(
    _context: SleepContext, gathered: Gathered, before: Partitions | None, _: TagAnswers
) -> NewArtifact[Partitions]:
    """Put rows that are new into partitions by meaning (CONCEPT, section 8.3)."""
    assert gathered.vectors is not None, "it is by meaning"
    made, placed = keep_up(before, gathered.vectors, len(gathered.material))
    return NewArtifact(made, {"partitions": len(made.centres), "episodes": placed}, {})


def _without_partitions(context: SleepContext, gathered: Gathered) -> str:
    """Return why a bank has no partitions, empty if it is to have them."""
    how = context.vectors
    if how.partitioned(len(gathered.material)):
        return ""
    if how.search == "auto":
        return f"not needed: there are fewer than {how.partitioned_rows:,} episodes"
    return f"not used: Vectors.search is {how.search!r}"


# ---------------------------------------------------------------- the words in each


def _of_anchors(anchors: Anchors) -> Iterator[tuple[str, str]]:
    yield from (("an anchor", name) for name in anchors.names)


def _of_gists(made: Traces) -> Iterator[tuple[str, str]]:
    yield from (("a gist", trace.text) for trace in made.traces)


def _of_topics(topics: Topics) -> Iterator[tuple[str, str]]:
    for tag in topics.graph:
        yield from (("a topic", name.replace("_", " ")) for name in (tag.name, *tag.aliases))
    yield from (("a model's tags", str(answer)) for answer in topics.kept.values())


def _of_summary(summary: SummaryVersions) -> Iterator[tuple[str, str]]:
    for version in summary.versions:
        yield from (("a summary", f"{c.who}: {c.text}") for c in version.clauses)
    told = [summary.told, *(version.told for version in summary.versions)]
    yield from (("a model's summary", line) for line in told if line)


def _of_facts(facts: Statements) -> Iterator[tuple[str, str]]:
    for said in facts.rows.values():
        yield from (("a fact", f"{s.subject} {s.relation} {s.object}") for s in said)
    yield from (("a model's facts", answer) for answer in facts.kept.values())


ANCHORS: Final[Artifact[Anchors]] = Artifact(
    step="concepts", kind="concept", pack=Anchors.to_bytes, unpack=Anchors.load,
    length=lambda made: made.rows_built, make=_make_anchors, spelled=_of_anchors,
    by_meaning=True, of_hidden=True,
)  # fmt: skip
GISTS: Final[Artifact[Traces]] = Artifact(
    step="gists", kind="gist", pack=pack_gists, unpack=unpack_gists,
    length=lambda made: made.length, make=_make_gists, spelled=_of_gists,
    is_same=lambda made, before: made.traces == before.traces, by_meaning=True,
)  # fmt: skip
TOPICS: Final[Artifact[Topics]] = Artifact(
    step="topics", kind="topic", pack=pack_topics, unpack=unpack_topics,
    length=lambda made: made.length, make=_make_topics, spelled=_of_topics,
)  # fmt: skip
SUMMARY: Final[Artifact[SummaryVersions]] = Artifact(
    step="summary", kind="summary", pack=pack_summary, unpack=unpack_summary,
    length=lambda made: made.rows, make=_make_summary, spelled=_of_summary, is_same=eq,
)  # fmt: skip
FACTS: Final[Artifact[Statements]] = Artifact(
    step="facts", kind="graph", pack=pack_facts, unpack=unpack_facts,
    length=lambda made: made.length, make=_make_facts, spelled=_of_facts, is_same=eq,
    of_hidden=True,
)  # fmt: skip
PARTITIONS: Final[Artifact[Partitions]] = Artifact(
    step="partitions", kind="partition", pack=Partitions.to_bytes, unpack=Partitions.load,
    length=len, make=_make_partitions, spelled=lambda _made: iter(()),
    is_same=lambda made, before: len(made) == len(before)
    and np.array_equal(made.of_row, before.of_row),
    by_meaning=True, of_hidden=True, why_not=_without_partitions,
)  # fmt: skip
ARTIFACTS: Final[Mapping[str, Artifact[Any]]] = {
    artifact.step: artifact for artifact in (ANCHORS, GISTS, TOPICS, SUMMARY, FACTS, PARTITIONS)
}
"""All that sleep makes anew, by the step that makes it."""


# ---------------------------------------------------------------- anchors as a document


def export_concepts(
    ledger: Ledger, anchors: Anchors, *, model: str, now: datetime
) -> dict[str, Any]:
    """Return the concept index as a JSON document."""
    from hippocampus.sleep.concept_document import (  # noqa: PLC0415 - only for a sleep
        spelled_rows,
        to_json,
    )

    known = ledger.store.episodes.read(ledger.bank, spelled_rows(anchors))
    there = {e.row: e for e in known if e.state == "active"}
    return to_json(anchors, there, model=model, built_at=now)


def import_concepts(
    ledger: Ledger,
    gathered: Gathered,
    document: object,
    embedder: Embedder,
    how: Concepts,
    *,
    now: int,
) -> int:
    """Put a document's anchors in the place of the bank's; returns how many."""
    from hippocampus.sleep.concept_document import from_json  # noqa: PLC0415 - only for a sleep

    made = from_json(
        document,
        model=embedder.fingerprint.name,
        rows_of=lambda ids: ledger.store.episodes.rows_of(ledger.bank, ids),
        embed=_naming(embedder),
        naming=partial(_with_curated, ledger, gathered.material),
        how=how,
        now=now,
    )
    if not ANCHORS.keep(ledger, made, gathered.seq):
        msg = "somebody erased or rebuilt at the same time; import once more"
        raise InputError(msg)
    return len(made)


def _payloads(ledger: Ledger, kind: Kind, rows: range) -> Payloads:
    parts = list(read_payloads(ledger.store, ledger.bank, kind, rows.start, rows.stop))
    return Payloads(
        np.concatenate([np.empty(0, np.uint32), *(part.lengths for part in parts)]),
        np.concatenate([np.empty(0, np.uint8), *(part.data for part in parts)]),
    )


def _naming(embedder: Embedder) -> Callable[[Sequence[str]], NDArray[np.float32]]:
    def embed(names: Sequence[str]) -> NDArray[np.float32]:
        made = embed_passages(embedder, [Passage(name) for name in names])
        return np.stack([one.vector for one in made]).astype(np.float32)

    return embed
