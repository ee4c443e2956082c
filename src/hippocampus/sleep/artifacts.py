"""The steps of a sleep, one after the other; each is done again without harm."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.background_yield import pausing
from hippocampus.core.config import Compact, Concepts
from hippocampus.core.events import AnchorsCurated, ArtifactReplaced, Erased, IndexRebuilt
from hippocampus.core.records import Block, Embedder, Kind, Passage, Payloads, SleepStep
from hippocampus.encode.tokens import encode
from hippocampus.errors import InputError, StoreCorrupt
from hippocampus.index.anchors import Anchors
from hippocampus.index.bank_index import BankIndex, read_payloads
from hippocampus.index.gists import Traces
from hippocampus.index.gists import pack as pack_gists
from hippocampus.index.gists import unpack as unpack_gists
from hippocampus.index.graph import Statements
from hippocampus.index.graph import pack as pack_facts
from hippocampus.index.graph import unpack as unpack_facts
from hippocampus.index.phrase_codec import PROPER, unpack_phrases
from hippocampus.index.topic import Artifact, pack, unpack
from hippocampus.journal.draft import spoken
from hippocampus.journal.ledger import Ledger
from hippocampus.language.gazetteer import Gazetteer
from hippocampus.language.noun_phrases import key_of
from hippocampus.llm.ask import ChatModel, Completer
from hippocampus.sleep.appraisal import Appraisal
from hippocampus.sleep.concept_document import from_json, spelled_rows, to_json
from hippocampus.sleep.concepts import Floats, Material, Reads, Rows, rebuild
from hippocampus.sleep.facts import FactReading as FactsRead
from hippocampus.sleep.facts import count, read_on, read_with_model
from hippocampus.sleep.gists import make_gists, read_noted
from hippocampus.sleep.snapshot import SleepSnapshot
from hippocampus.sleep.summary import QuotableClause, Read, SummaryVersions, clause_of, summarise
from hippocampus.sleep.summary import pack as pack_summary
from hippocampus.sleep.summary import unpack as unpack_summary
from hippocampus.sleep.topics import TagAnswers, WindowTurn, make_topics
from hippocampus.write.analyse import phrase_payloads

_AT_ONCE: Final = 1024
Made = TypeVar(
    "Made",
    Anchors | None,
    Artifact | None,
    SummaryVersions | None,
    Statements | None,
    Traces | None,
)
Left = TypeVar("Left")
_LONGEST_NAME: Final = 100


class Curated(NamedTuple):
    """Anchors that somebody wants, as spelled, and those that nobody wants."""

    wanted: tuple[str, ...]
    denied: tuple[str, ...]


def check_curated(said: Mapping[str, Collection[str]]) -> set[str]:
    """Return all the names in what is said of anchors, after checking them."""
    every: dict[int, str] = {}
    for verb, names in said.items():
        if isinstance(names, str):
            msg = f"{verb}={names!r}: give a collection of names, such as [{names!r}]"
            raise InputError(msg)
        for name in names:
            if not isinstance(name, str) or not name.strip() or len(name) > _LONGEST_NAME:
                msg = f"{verb}: {name!r:.120}: an anchor has 1 to {_LONGEST_NAME} characters"
                raise InputError(msg)
            encode(name)  # refuses what no store can hold
            if every.setdefault(key_of(name), verb) != verb:
                msg = f"{name!r} is in {every[key_of(name)]} and in {verb}; say one of them"
                raise InputError(msg)
    return {name for names in said.values() for name in names}


def read_curated(ledger: Ledger) -> Curated:
    """Return what has been said about anchors, from the journal."""
    wanted: dict[int, str] = {}
    denied: dict[int, str] = {}
    for change in ledger.reader.events(AnchorsCurated):
        said = change.event
        for name in said.add:
            wanted[key_of(name)] = name
            denied.pop(key_of(name), None)
        for name in said.deny:
            denied[key_of(name)] = name
            wanted.pop(key_of(name), None)
        for name in said.remove:
            wanted.pop(key_of(name), None)
            denied.pop(key_of(name), None)
    return Curated(tuple(wanted.values()), tuple(denied.values()))


def read_anchors(ledger: Ledger) -> Anchors | None:
    """Return what the last rebuild of a bank left, if there was one."""
    payload = _slept(ledger, "concept")
    if payload is None:
        return None
    made = Anchors.load(payload, path=ledger.store.path)
    _check_length(ledger, made.rows_built)
    return made


def _check_length(ledger: Ledger, seen: int) -> None:
    count = ledger.store.episodes.count(ledger.bank)
    if seen > count:
        msg = f"sleep saw {seen} episodes, and the bank has {count}; sleep makes it anew"
        raise StoreCorrupt(msg, path=ledger.store.path)


def find_missing_phrases(ledger: Ledger) -> SleepStep:
    """Read the phrases of episodes that were written when nobody needed them."""
    started, store, bank = time.perf_counter(), ledger.store, ledger.bank
    done = 0
    for first in range(0, store.episodes.count(bank), _AT_ONCE):
        rows = range(first, min(first + _AT_ONCE, store.episodes.count(bank)))
        with store.read():
            there = _payloads(ledger, rows)
            missing = [row for row, size in zip(rows, there.lengths, strict=True) if not size]
            made = dict(phrase_payloads(ledger, missing))  # of what was erased there is none
        if made:
            with store.write():
                ledger.payloads.fill("phrase", made)
                ledger.payloads.seal()
        done += len(made)
    return _step("phrases", started, episodes=done)


def read_topics(ledger: Ledger) -> Artifact | None:
    """Return the tags that the last sleep of a bank left, if there are any."""
    return _unpacked(ledger, "topic", unpack, lambda made: made.length)


def _unpacked(
    ledger: Ledger, kind: Kind, unpack: Callable[[bytes], Left], length: Callable[[Left], int]
) -> Left | None:
    """Return what the last sleep left of a kind, after checking that it is of this bank."""
    payload = _slept(ledger, kind)
    if payload is None:
        return None
    try:
        made = unpack(payload)
    except InputError as exc:
        raise StoreCorrupt(str(exc), path=ledger.store.path) from exc
    _check_length(ledger, length(made))
    return made


def _slept(ledger: Ledger, kind: Kind) -> bytes | None:
    with ledger.store.read():
        spans = ledger.store.payloads.block_spans(ledger.bank, kind)
        return (
            ledger.store.payloads.block(ledger.bank, kind, spans[0][0]).payload if spans else None
        )


def _if_sound(read: Callable[[Ledger], Made], ledger: Ledger) -> Made | None:
    """Return what the last sleep left; nothing if it is damaged, for it is made anew."""
    try:
        return read(ledger)
    except StoreCorrupt:
        return None


def rebuild_topics(
    ledger: Ledger,
    gathered: Gathered,
    embedder: Embedder | None,
    model: Completer | ChatModel | None,
    answers: TagAnswers,
) -> SleepStep | None:
    """
    Bring the graph of tags up to what was said since the last sleep (SWIFT, section 3.2).

    None if somebody erased or rebuilt in the meantime: then what was gathered must not be kept.
    ``answers``: what a model answered in earlier tries, to which those of this one are added.
    """
    started, shown = time.perf_counter(), gathered.material.shown
    rows = np.flatnonzero(shown).tolist()
    if not rows:
        return SleepStep(name="topics", elapsed_s=0.0, skipped="there are no episodes")
    with ledger.store.read():
        texts = ledger.reader.texts(rows)
        records = ledger.store.episodes.read(ledger.bank, range(len(shown)))
        before = _if_sound(read_topics, ledger)
    made, report = make_topics(
        [WindowTurn(e.row, texts.get(e.row, ""), e.session, e.said_at) for e in records],
        length=len(shown),
        speakers={e.speaker for e in records if e.speaker and e.row in texts},
        embedder=embedder,
        model=model,
        answers=answers,
        before=before,
    )
    if not _keep(ledger, "topic", len(shown), pack(made), gathered.seq):
        return None
    counts = {"groups read": report.read, "tags": report.tags, "relations": report.relations}
    counts["by a model"] = report.by_model
    counts |= {"refused": report.refused} if report.refused else {}
    names = {"fallbacks": report.fallbacks}
    return replace(_step("topics", started, **counts), names=names, usage=answers.usage)


def read_gists(ledger: Ledger) -> Traces | None:
    """Return the gists that the last sleep of a bank left, if there are any."""
    return _unpacked(ledger, "gist", unpack_gists, lambda made: made.length)


def rebuild_gists(
    ledger: Ledger,
    gathered: Gathered,
    look: Callable[[], SleepSnapshot],
    appraise: Callable[[SleepSnapshot], Appraisal],
    embedder: Embedder | None,
    cluster: float,
    model: Completer | ChatModel | None,
    answers: TagAnswers,
) -> SleepStep | None:
    """
    Make gists of what is promoted and belongs together (HUMAN, section 4).

    None if somebody erased or rebuilt in the meantime: then what was gathered must not be kept.
    ``answers``: what a model answered in earlier tries, to which those of this one are added.
    """
    started = time.perf_counter()
    if embedder is None or gathered.vectors is None or not gathered.material.shown.any():
        why = "there are no episodes" if embedder else "there is no embedder to tell what is near"
        return SleepStep(name="gists", elapsed_s=0.0, skipped=why)
    night, before = look(), _if_sound(read_gists, ledger)
    made, report = make_gists(
        night,
        read_noted(ledger),
        cluster=cluster,
        appraise=lambda: appraise(night),
        embed=_naming(embedder),
        before=before,
        model=model,
        answered=answers.by_digest,
    )
    answers.usage += report.usage
    if report.note is not None:
        with ledger.store.write():
            ledger.writer.note(report.note)
    if (before is None or made.traces != before.traces) and not _keep(
        ledger, "gist", made.length, pack_gists(made), gathered.seq
    ):
        return None
    counts = {"promoted": report.promoted, "gists": len(made.traces), "made": report.made}
    counts["by a model"] = sum(trace.by_model for trace in made.traces)
    names = {"fallbacks": report.fallbacks}
    return replace(_step("gists", started, **counts), names=names, usage=answers.usage)


def read_summary(ledger: Ledger) -> SummaryVersions | None:
    """Return the summaries that the last sleep of a bank left, if there are any."""
    return _unpacked(ledger, "summary", unpack_summary, lambda made: made.rows)


def rebuild_summary(
    ledger: Ledger,
    gathered: Gathered,
    how: Compact,
    model: Completer | ChatModel | None,
    answers: TagAnswers,
) -> SleepStep | None:
    """
    Bring the running summary up to what was said since the last sleep (HEMA, section 3.2).

    None if somebody erased or rebuilt in the meantime: then what was gathered must not be kept.
    ``answers``: what a model answered in earlier tries, to which those of this one are added.
    """
    started, shown = time.perf_counter(), gathered.material.shown
    if not shown.any():
        return SleepStep(name="summary", elapsed_s=0.0, skipped="there are no episodes")

    def talk(rows: Sequence[int]) -> list[str]:
        texts = ledger.reader.texts(rows)
        records = ledger.store.episodes.read(ledger.bank, list(texts))
        return [spoken(e.speaker, texts[e.row]) for e in records]

    before = _if_sound(read_summary, ledger)
    made, report = summarise(
        shown,
        quoting(ledger, {}),
        talk,
        how,
        before=before,
        model=model,
        answered=answers.by_digest,
    )
    answers.usage += report.usage
    if made != before and not _keep(
        ledger, "summary", len(shown), pack_summary(made), gathered.seq
    ):
        return None
    counts = {"versions": len(made.versions), "made": report.made, "by a model": report.by_model}
    names = {"fallbacks": report.fallbacks}
    return replace(_step("summary", started, **counts), names=names, usage=answers.usage)


def quoting(ledger: Ledger, known: dict[int, QuotableClause | None]) -> Read:
    """Return what says what a summary may quote of rows, each read once as long as it is known."""

    def read(rows: Sequence[int]) -> list[QuotableClause | None]:
        missing = [row for row in rows if row not in known]
        texts = ledger.reader.texts(missing)
        for e in pausing(ledger.store.episodes.read(ledger.bank, list(texts))):
            known[e.row] = clause_of(e.row, e.said_at, e.speaker, e.role, texts[e.row])
        return [known.get(row) for row in rows]

    return read


def read_facts(ledger: Ledger) -> Statements | None:
    """Return what the last sleep of a bank has read of whom, if it did."""
    return _unpacked(ledger, "graph", unpack_facts, lambda made: made.length)


def rebuild_facts(
    ledger: Ledger,
    gathered: Gathered,
    model: Completer | ChatModel | None,
    answers: TagAnswers,
    zone: tzinfo,
) -> SleepStep | None:
    """
    Read what the bank was told of whom, from where reading stopped.

    None if somebody erased or rebuilt in the meantime: then what was gathered must not be kept.
    ``answers``: what a model answered in earlier tries, to which those of this one are added.
    """
    started, length = time.perf_counter(), len(gathered.material)
    if not length:
        return SleepStep(name="facts", elapsed_s=0.0, skipped="there are no episodes")
    with ledger.store.read():
        before = _if_sound(read_facts, ledger) or Statements()
        first = before.length if model is None else 0
        every = ledger.store.episodes.scan(ledger.bank, start=first)
        records = [record for record in every if record.row < length]
        texts = ledger.reader.texts([record.row for record in records])
    fresh = [record for record in records if record.row >= before.length]
    made = read_on(before, fresh, texts, zone)
    report = FactsRead(count(made.rows))
    if model is not None:
        made, report = read_with_model(made, records, texts, model, answers)
    if made != before and not _keep(ledger, "graph", length, pack_facts(made), gathered.seq):
        return None
    counts = {"statements": report.statements, "episodes read": len(fresh)}
    counts |= {"by a model": report.by_model} if model is not None else {}
    names = {"fallbacks": report.fallbacks}
    return replace(_step("facts", started, **counts), names=names, usage=answers.usage)


class Gathered(NamedTuple):
    """
    What a bank was at a moment, told by ``seq``; ``otherwise``: rows that others correct.

    ``vectors`` may be asked later: rows stay.
    """

    seq: int
    material: Material
    vectors: Callable[[Rows], Floats] | None
    otherwise: list[int]


def gather(ledger: Ledger, index: BankIndex, *, unread: bool = False) -> Gathered:
    """
    Take from a bank what its concepts are made of; the caller holds the index.

    ``unread``: read phrases that nobody has read yet, and do not keep them.
    """
    columns, count = index.columns, len(index)
    with ledger.store.read():
        there = _payloads(ledger, range(count))
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
        said_at=columns.said_at(every.astype(np.uint32)),
        shown=columns.visible(),
        by_user=~columns.role.holds("assistant", every) & ~columns.role.holds("tool", every),
        session=columns.session.codes.copy(),
    )
    asked = None if index.cues.vector is None else index.cues.vector.vectors
    return Gathered(index.seq, material, asked, corrected)


def otherwise(ledger: Ledger, index: BankIndex) -> list[int]:
    """Return the rows that something in force corrects: the bank does not repeat what they say."""
    shown = index.columns.visible()
    told = index.corrected.items()
    return [row for row, by in told if by and ledger.lineage.correction(row, by, shown) is not None]


def rebuild_concepts(
    ledger: Ledger, gathered: Gathered, embedder: Embedder | None, how: Concepts, now: int
) -> SleepStep | None:
    """
    Choose the anchors anew and rank what lies under each (CONCEPT, section 4.5).

    None if somebody erased or rebuilt in the meantime: then what was gathered must not be kept.
    """
    started = time.perf_counter()
    if embedder is None or gathered.vectors is None or not len(gathered.material):
        why = "there are no episodes" if embedder else "there is no embedder to tell what is near"
        return SleepStep(name="concepts", elapsed_s=0.0, skipped=why)
    curated = read_curated(ledger)
    made, report = rebuild(
        _with_curated(ledger, gathered.material, curated.wanted),
        _if_sound(read_anchors, ledger),
        Reads(gathered.vectors, ledger.reader.names, _naming(embedder)),
        curated=curated.wanted,
        denied=curated.denied,
        now=now,
        how=how,
    )
    if not _keep(ledger, "concept", made.rows_built, made.to_bytes(), gathered.seq):
        return None
    names = {"found": report.found, "pruned": report.pruned, "promotable": report.promotable}
    counts = {"anchors": len(made), "entries": report.entries}
    counts |= {what: len(which) for what, which in names.items()}
    return replace(_step("concepts", started, **counts), names=names)


def _with_curated(ledger: Ledger, material: Material, names: Sequence[str]) -> Material:
    """Have whoever says a curated name mention it, phrase or not: "go to market", "C++"."""
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


def export_concepts(
    ledger: Ledger, anchors: Anchors, *, model: str, now: datetime
) -> dict[str, Any]:
    """Return the concept index as a JSON document."""
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
    made = from_json(
        document,
        model=embedder.fingerprint.name,
        rows_of=lambda ids: ledger.store.episodes.rows_of(ledger.bank, ids),
        embed=_naming(embedder),
        naming=partial(_with_curated, ledger, gathered.material),
        how=how,
        now=now,
    )
    if not _keep(ledger, "concept", made.rows_built, made.to_bytes(), gathered.seq):
        msg = "somebody erased or rebuilt at the same time; import once more"
        raise InputError(msg)
    return len(made)


def _keep(ledger: Ledger, kind: Kind, rows: int, payload: bytes, seq: int) -> bool:
    """Keep what sleep has made of the first rows; False if some were erased after ``seq``."""
    with ledger.store.write():
        if ledger.store.journal.read(ledger.bank, after=seq, kinds=(Erased, IndexRebuilt)):
            return False
        ledger.store.payloads.drop(ledger.bank, kind)
        ledger.store.payloads.put_block(ledger.bank, kind, Block(0, rows, payload))
        ledger.writer.note(ArtifactReplaced())
    return True


def _payloads(ledger: Ledger, rows: range) -> Payloads:
    parts = list(read_payloads(ledger.store, ledger.bank, "phrase", rows.start, rows.stop))
    return Payloads(
        np.concatenate([np.empty(0, np.uint32), *(part.lengths for part in parts)]),
        np.concatenate([np.empty(0, np.uint8), *(part.data for part in parts)]),
    )


def _naming(embedder: Embedder) -> Callable[[Sequence[str]], NDArray[np.float32]]:
    def embed(names: Sequence[str]) -> NDArray[np.float32]:
        made = embedder.embed([Passage(name) for name in names])
        return np.stack([one.vector for one in made]).astype(np.float32)

    return embed


def _step(name: str, started: float, **counts: int) -> SleepStep:
    return SleepStep(name=name, elapsed_s=time.perf_counter() - started, counts=counts)
