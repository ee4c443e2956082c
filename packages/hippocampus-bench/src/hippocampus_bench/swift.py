"""
Measures of SWIFT: growth, topics as a way in, hints of time, vectors laid out by topic.

LoCoMo's file tells how long search takes as conversations come together in one bank, restricted by
topics or not (Fig. 4), and how often a question for a time gets it. LongMemEval's tells what a hint
of time brings (Fig. 5). Both tell what an order of vectors by clusters of tags brings (Fig. 6).
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hippocampus import Bank, Config, Embedder, Memory
from hippocampus.core.optional import require
from hippocampus.core.records import Embedded, Interval, Progress, Recall
from hippocampus.encode.signature import rotation_for
from hippocampus.errors import InputError
from hippocampus.index.bank_index import BankIndex, read_payloads
from hippocampus.index.bm25 import Bm25Cue
from hippocampus.index.cue import Mask
from hippocampus.index.cues import CueSet
from hippocampus.index.late_interaction import LateInteractionCue
from hippocampus.index.topic import TopicCue
from hippocampus.index.vector import VectorCue
from hippocampus.index.vector_codec import unpack_vectors
from hippocampus.kernel import dot_rows, top_k
from hippocampus.language.question_intent import asks_when
from hippocampus.language.time import find_intervals
from hippocampus.recall.parse import bind, parse
from hippocampus.recall.search import search
from hippocampus.sleep.artifacts import TOPICS
from hippocampus_bench import locomo, longmemeval, metrics
from hippocampus_bench.datasets import (
    Case,
    OpaqueNames,
    Question,
    limited,
    read_json,
    sha256_of,
)
from hippocampus_bench.dwm import MeasuredRun, table
from hippocampus_bench.metrics import Estimate
from hippocampus_bench.options import Options
from hippocampus_bench.report import commit, machine
from hippocampus_bench.tag_clusters import cluster_tags, lay_out

K: Final = 10
CONVERSATIONS: Final = (1, 3, 1000)
"""Number of conversations in the bank; 1 000 means all there are."""
FRACTIONS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
POOL: Final = 32
"""Questions whose haystacks are pooled."""
TRIES: Final = 7
"""Times that a question is timed; the shortest counts, for others are at work."""
NEAREST: Final = 400
"""Rows that are rescored, as in recall."""
PAGE: Final = 4096

ENGINE, ROUTER, SCORED, FLAT = (
    "engine", "engine among the router's rows", "engine and the router's score", "vectors, flat",
)  # fmt: skip
_CUES: Final = frozenset({"tokens", "vector", "lexical", "time"})
SYSTEMS: Final[Mapping[str, frozenset[str]]] = {
    ENGINE: _CUES,
    ROUTER: _CUES,
    SCORED: _CUES | {"topic"},
    FLAT: frozenset({"vector"}),
}
HINTS: Final = ("during", "words")
"""Ways to give a hint: as a filter, and in the question itself."""

_Row: TypeAlias = Mapping[str, Any]
_Made: TypeAlias = dict[str, Any]
"""A row with its estimates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Swift(MeasuredRun):
    """Measurements of a run, a row a system and size, a hint and fraction, or an order."""

    benchmark: ClassVar[str] = "topics"

    def tables(self) -> list[str]:
        """Return the report as Markdown, a table a part."""
        return tables(self.as_dict())

    def plot(self, folder: Path) -> list[Path]:
        """Draw growth or hints; returns the files."""
        return plot(self.as_dict(), folder)


def run(
    data: Path,
    *,
    embedder: Embedder | None,
    limit: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Swift:
    """
    Measure the parts of SWIFT that a file's data can tell.

    Args:
        data: LoCoMo's file or LongMemEval's.
        embedder: of texts and questions; there must be one.
        limit: only so many questions, taken in turn from each kind.
        seed: of which questions get a hint, of what distracts, of intervals.
        progress: called as it advances, in banks.

    Raises:
        InputError: neither file, or no embedder.

    """
    if embedder is None:
        msg = "embedder='none': topics are compared with vectors; choose one, such as 'default'"
        raise InputError(msg)
    first = next(read_json(data).each(), None)
    kind = locomo if first and first.get("conversation") else longmemeval
    with tempfile.TemporaryDirectory(prefix="hippocampus-bench-") as folder:
        lab = _Lab(Path(folder), embedder, limit, seed, progress)
        made = lab.growth(data) if kind is locomo else lab.hints(data)
        return Swift(
            commit=commit(),
            machine=machine(),
            settings={
                "data": sha256_of(data),
                "embedder": str(embedder.fingerprint),
                "limit": limit,
                "seed": seed,
                "tries": TRIES,
                "latency": "the shortest of several tries, without the question's embedding: the"
                " median over questions, of hints the mean, and its bootstrap interval",
                **lab.counts,
            },
            rows=[{name: _plain(value) for name, value in row.items()} for row in made],
        )


def _plain(value: object) -> Any:  # noqa: ANN401 - as JSON holds it
    if not isinstance(value, Estimate):
        return value
    return {name: round(part, 6) for name, part in value.as_dict().items()}


class _Lab:
    """Folder in which banks are made and asked."""

    def __init__(
        self,
        folder: Path,
        embedder: Embedder,
        limit: int | None,
        seed: int,
        progress: Progress | None,
    ) -> None:
        self.folder, self.embedder, self.limit, self.seed = folder, embedder, limit, seed
        self.progress = progress or (lambda *_: None)
        self.counts: dict[str, object] = {}
        self.labels = OpaqueNames(seed)
        self.said: dict[str, datetime] = {}
        """When each session began, by its label."""

    def fill(self, memory: Memory, name: str, cases: Sequence[Case], *, sleep: bool) -> Bank:
        """Make a bank of several cases, which may name sessions alike."""
        bank = memory.bank(name)
        turns = []
        for case in cases:
            for said in case.said:
                session = self.session(case, said.turn.session or "")
                assert isinstance(said.turn.at, datetime), "loaders give moments"
                first = self.said.get(session, said.turn.at)
                self.said[session] = min(first, said.turn.at)
                ref = self.ref(case, said.key)
                turns.append(replace(said.turn, session=session, metadata={"ref": ref}))
        bank.remember_many(turns)
        if sleep:
            bank.sleep()
        return bank

    def session(self, case: Case, key: str) -> str:
        return self.labels.of("session", case.id, key)

    def ref(self, case: Case, key: str) -> str:
        return self.labels.of("turn", case.id, key)

    def gold(self, case: Case, question: Question) -> frozenset[str]:
        return frozenset(self.ref(case, key) for key in question.gold)

    # ------------------------------------------------------------ growth

    def growth(self, data: Path) -> list[_Made]:
        """Ask the questions of the first conversation, as others join it in its bank."""
        cases = limited(locomo.load(data, Options()).cases, self.limit)
        first = _some(cases, data)[0]
        asked = [question for question in first.questions if question.answerable]
        sizes = sorted({min(size, len(cases)) for size in CONVERSATIONS})
        self.counts = {"questions": len(asked), "conversations": len(cases)}
        rows: list[_Made] = []
        config = Config()
        with Memory(self.folder / "growth.db", embedder=self.embedder, config=config) as memory:
            for place, size in enumerate(sizes):
                bank = self.fill(memory, f"of-{size}", cases[:size], sleep=True)
                searcher = _Searcher(memory, bank.name)
                there = {"part": "growth", "conversations": size, "turns": len(searcher.index)}
                rows += [
                    there | {"system": system} | self._searched(searcher, system, first, asked)
                    for system in SYSTEMS
                ]
                self.progress(place + 1, len(sizes) + 2)
            rows += _layout(memory, bank.name, self.seed)
            self.progress(len(sizes) + 1, len(sizes) + 2)
            rows += self._whens(memory, data, cases)
            self.progress(len(sizes) + 2, len(sizes) + 2)
        return rows

    def _searched(
        self, searcher: _Searcher, system: str, case: Case, asked: Sequence[Question]
    ) -> _Made:
        took, found, allowed = [], [], []
        for question in asked:
            embedded = self.embedder.embed_query(question.text)
            refs, shown, elapsed = searcher.ask(system, question, embedded)
            took.append(elapsed)
            allowed.append(shown)
            found.append(
                ("any", {f"recall@{K}": metrics.recall_at(refs, self.gold(case, question), K)})
            )
        recall = metrics.summarise(found, seed=self.seed)[f"recall@{K}"]
        return {
            "latency_ms": metrics.median_ms(took, seed=self.seed),
            f"recall@{K}": recall,
            "searched": float(np.mean(allowed)),
        }

    def _whens(self, memory: Memory, data: Path, cases: Sequence[Case]) -> Iterator[_Made]:
        """Compare with the answers when it was by recall, and when the best hit was said."""
        answers = {
            f"{sample}/{place}": str(node.object().get("answer", ""))
            for sample, _, qa in map(locomo.read_sample, read_json(data).each())
            for place, node in enumerate(qa)
        }
        scored: list[tuple[str, dict[str, float]]] = []
        for case in cases:
            bank = self.fill(memory, f"alone-{case.id}", [case], sleep=False)
            for question in case.questions:
                times = find_intervals(f"It was {answers[question.id]}.", question.now)
                if not question.answerable or not asks_when(question.text) or len(times) != 1:
                    continue
                recall = bank.recall(question.text, K, now=question.now)
                said = [hit.episode.occurred_at for hit in recall][:1]
                told = [recall.when] if recall.when is not None else []
                scored.append(
                    (
                        "any",
                        {
                            "told": float(any(_agree(one, times[0]) for one in told)),
                            "said": float(any(_agree(_day(at), times[0]) for at in said)),
                        },
                    )
                )
        found = metrics.summarise(scored, seed=self.seed)
        for name, means in (
            ("told", "Recall.when"),
            ("said", "day on which the best hit was said"),
        ):
            if name in found:
                yield {"part": "when", "answer": means, "right": found[name]}

    # ------------------------------------------------------------ hints

    def hints(self, data: Path) -> list[_Made]:
        """Ask every question without and with each hint, and mix them by fraction."""
        rows: list[_Made] = []
        for protocol, limit in (
            ("all-turns", self.limit),
            ("pooled", min(self.limit or POOL, POOL)),
        ):
            options = Options(protocol=protocol, limit=limit)
            cases = _some(limited(longmemeval.load(data, options).cases, limit), data)
            path = self.folder / f"{protocol}.db"
            asked: list[dict[str, tuple[float, float]]] = []
            turns = 0
            with Memory(path, embedder=self.embedder) as memory:
                for place, case in enumerate(cases):
                    pooled = protocol == "pooled"
                    bank = self.fill(memory, f"bank-{place}", [case], sleep=pooled)
                    turns += bank.stats().episodes
                    asked += [
                        self._hinted(bank, case, question)
                        for question in case.questions
                        if question.answerable
                    ]
                    self.progress(place + 1, len(cases) + pooled)
                rows += self._mixed(protocol, turns / len(cases), asked)
                if protocol == "pooled":
                    rows += _layout(memory, bank.name, self.seed)
            path.unlink()
        return rows

    def _hinted(self, bank: Bank, case: Case, question: Question) -> dict[str, tuple[float, float]]:
        """Return recall and seconds of a question without a hint and with each."""
        right = {self.said[self.session(case, key)].date() for key in question.gold_sessions}
        allowed = None
        if question.sessions is not None:
            allowed = [self.session(case, key) for key in question.sessions]
        there = {self.session(case, said.turn.session or "") for said in case.said}
        others = sorted(
            {self.said[key].date() for key in (there if allowed is None else set(allowed))} - right
        )
        seed = int.from_bytes(self.labels.of("hint", question.id).encode(), "big")
        drawn = np.random.default_rng(seed).permutation(len(others))[: len(right)]
        days = sorted([*right, *(others[place] for place in drawn.tolist())])
        during = [(str(day), str(day)) for day in days]
        spoken = " or ".join(f"on {day:%d %B %Y}" for day in days)
        ask = partial(bank.recall, k=3 * K, now=question.now, session=allowed)
        ways: dict[str, Callable[[], Recall]] = {
            "none": partial(ask, question.text),
            "during": partial(ask, question.text, during=during),
            "words": partial(ask, f"{question.text} It was {spoken}."),
        }
        gold = self.gold(case, question)
        tries = [{name: way() for name, way in ways.items()} for _ in range(TRIES)]  # in turn
        found: dict[str, tuple[float, float]] = {}
        for name, first in tries[0].items():
            refs = list(dict.fromkeys(hit.episode.metadata["ref"] for hit in first))
            costs = [one[name].cost for one in tries]
            took = min(cost.elapsed_s - cost.embed_s for cost in costs)
            found[name] = metrics.recall_at(refs, gold, K), took
        return found

    def _mixed(
        self, protocol: str, turns: float, asked: Sequence[dict[str, tuple[float, float]]]
    ) -> Iterator[_Made]:
        order = np.random.default_rng(self.seed).permutation(len(asked))
        place = np.argsort(order)
        base = np.array([one["none"] for one in asked])
        for hint in HINTS:
            hinted = np.array([one[hint] for one in asked])
            for fraction in FRACTIONS:
                with_hint = place < round(fraction * len(asked))
                mixed = np.where(with_hint[:, None], hinted, base)
                rows = [
                    ("any", {"recall": r, "gain": r - r0, "ms": 1e3 * s, "saved": 1e3 * (s0 - s)})
                    for (r, s), (r0, s0) in zip(mixed.tolist(), base.tolist(), strict=True)
                ]
                found = metrics.summarise(rows, seed=self.seed)
                yield {
                    "part": "hints", "protocol": protocol, "hint": hint, "fraction": fraction,
                    "questions": len(asked), "turns": turns, f"recall@{K}": found["recall"],
                    "gain": found["gain"], "latency_ms": found["ms"], "saved_ms": found["saved"],
                }  # fmt: skip


def _some(cases: Sequence[Case], data: Path) -> Sequence[Case]:
    if not any(question.answerable for case in cases for question in case.questions):
        msg = f"{data}: there is no question that has an answer"
        raise InputError(msg)
    return cases


def _agree(told: Interval, answer: Interval) -> bool:
    """Return whether two times meet, and the one told is not much vaguer than the answer."""
    if told.start is None or told.end is None or answer.start is None or answer.end is None:
        return False
    longest = 2 * max(answer.end - answer.start, timedelta(days=1))
    return told.start < answer.end and answer.start < told.end and told.end - told.start <= longest


def _day(at: datetime) -> Interval:
    start = datetime.combine(date(at.year, at.month, at.day), datetime.min.time(), UTC)
    return Interval(start, start + timedelta(days=1))


# ---------------------------------------------------------------- topics as a way in


class _Searcher:
    """Search of one bank's index by the parts of recall, so that what it may see can be chosen."""

    def __init__(self, memory: Memory, name: str) -> None:
        ledger = memory.engine.ledger(name)
        assert memory.engine.embedder is not None, "there is one, or the run had been refused"
        used = memory.engine.embedder.fingerprint
        self.rotation = rotation_for(used)
        topics = TOPICS.read(ledger)
        assert topics is not None, "the bank has slept"
        self.topic = TopicCue(topics.graph, topics.length)
        cues = CueSet(
            Bm25Cue(),
            VectorCue(used.dimension),
            None if self.rotation is None else LateInteractionCue(self.rotation.bits),
            topic=self.topic,
        )
        self.index = BankIndex(memory.engine.store, ledger.bank, cues)
        self.index.catch_up()
        self.refs = [
            entry.episode.metadata["ref"]
            for entry in ledger.reader.read(list(range(len(self.index))))
        ]

    def ask(
        self, system: str, question: Question, embedded: Embedded
    ) -> tuple[list[str], int, float]:
        """Return the turns found, how many rows were allowed, and the shortest time."""
        took = []
        for _ in range(TRIES):
            started = time.perf_counter()
            understood = bind(
                parse(question.text, now=question.now, cues=SYSTEMS[system]),
                embedded=embedded,
                rotation=self.rotation,
                speakers=self.index.columns.speakers(),
            )
            allowed: Mask | None = None
            if system == ROUTER:
                worth = self.topic.scores(understood)
                allowed = None if worth is None else worth > 0
            found = search(self.index, understood, allowed, Config().fusion, limit=3 * K)
            took.append(time.perf_counter() - started)
        shown = len(self.index) if allowed is None else int(allowed.sum())
        return list(dict.fromkeys(self.refs[row] for row in found.rows)), shown, min(took)


# ---------------------------------------------------------------- layout


def _layout(memory: Memory, name: str, seed: int) -> Iterator[_Made]:
    """
    Rescore the rows nearest to some rows, in several orders of the vectors.

    As they arrived, by cluster of tags, and, as the best that any order could do, in one run.
    """
    ledger = memory.engine.ledger(name)
    topics = TOPICS.read(ledger)
    assert topics is not None, "the bank has slept"
    fingerprint = memory.engine.fingerprint()
    assert fingerprint is not None, "topics are of meanings"
    blocks = [
        unpack_vectors(payloads.lengths, payloads.data, fingerprint.dimension)[0]
        for payloads in read_payloads(memory.engine.store, ledger.bank, "vector", 0, topics.length)
    ]
    vectors = np.ascontiguousarray(np.concatenate(blocks))
    length, width = vectors.shape
    nearest = min(NEAREST, length // 2)
    clusters = cluster_tags(topics.graph)
    order = lay_out(topics.graph, clusters, length).order
    place = np.empty(length, np.int64)
    place[order] = np.arange(length)
    every, scales = np.arange(length, dtype=np.uint32), np.ones(length, np.float32)
    chosen = np.random.default_rng(seed).integers(0, length, 100)
    asked = [vectors[row].astype(np.float32) for row in chosen]
    near = [np.sort(top_k(dot_rows(vectors, scales, one, every), nearest)) for one in asked]
    laid = [np.sort(place[rows]).astype(np.uint32) for rows in near]
    run_ = [every[first : first + nearest] for first in chosen % (length - nearest)]
    together = np.ascontiguousarray(vectors[order])
    for what, some, rows_of in (
        ("as they arrived", vectors, near),
        ("by cluster", together, laid),
        ("in one run", vectors, run_),
    ):
        pages = np.mean([len(np.unique(rows.astype(np.int64) * width // PAGE)) for rows in rows_of])
        yield {
            "part": "layout", "order": what, "turns": length, "tags": len(topics.graph),
            "clusters": len(clusters), "largest": len(clusters[0].tags) if clusters else 0,
            "rescored": nearest, "pages": float(pages),
            "warm_ms": _rescoring(some, scales, asked, rows_of, cold=False, seed=seed),
            "cold_ms": _rescoring(some, scales, asked, rows_of, cold=True, seed=seed),
        }  # fmt: skip


def _rescoring(
    vectors: NDArray[np.int8],
    scales: NDArray[np.float32],
    asked: Sequence[NDArray[np.float32]],
    rows_of: Sequence[NDArray[np.uint32]],
    *,
    cold: bool,
    seed: int,
) -> Estimate:
    elsewhere = np.zeros(96 << 20 if cold else 1, np.uint8)
    took = []
    for query, rows in zip(asked, rows_of, strict=True):
        tries = []
        for _ in range(1 if cold else TRIES):
            if cold:
                elsewhere[::64] += 1
            started = time.perf_counter()
            dot_rows(vectors, scales, query, rows)
            tries.append(time.perf_counter() - started)
        took.append(min(tries))
    return metrics.median_ms(took, seed=seed)


# ---------------------------------------------------------------- tables and plots


def tables(report: Mapping[str, Any]) -> list[str]:
    """Return a report as Markdown: growth, hints, layout, times told; those that there are."""
    parts = {part: [row for row in report["rows"] if row["part"] == part] for part in _TABLES}
    return [
        table(heads, [show(row) for row in parts[part]])
        for part, (heads, show) in _TABLES.items()
        if parts[part]
    ]


def _said(estimate: _Row, digits: int = 3) -> str:
    value, low, high = (f"{estimate[name]:.{digits}f}" for name in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"


def _by_growth(row: _Row) -> list[str]:
    return [
        row["system"], str(row["conversations"]), f"{row['turns']:,}", f"{row['searched']:,.0f}",
        _said(row["latency_ms"], 2), _said(row[f"recall@{K}"]),
    ]  # fmt: skip


def _by_hint(row: _Row) -> list[str]:
    return [
        row["protocol"], row["hint"], f"{row['fraction']:.0%}", _said(row[f"recall@{K}"]),
        _said(row["gain"]), _said(row["latency_ms"], 2), _said(row["saved_ms"], 2),
    ]  # fmt: skip


def _by_order(row: _Row) -> list[str]:
    micros = [
        _said({side: 1e3 * row[name][side] for side in ("value", "low", "high")}, 0)
        for name in ("warm_ms", "cold_ms")
    ]
    return [row["order"], f"{row['turns']:,}", *micros, f"{row['pages']:.0f}"]


_TABLES: Final[Mapping[str, tuple[list[str], Callable[[_Row], list[str]]]]] = {
    "growth": (
        ["", "conversations", "turns", "searched", "search, ms", f"recall@{K}"],
        _by_growth,
    ),
    "hints": (
        ["bank", "hint", "of questions", f"recall@{K}", "gain", "recall, ms", "saved, ms"],
        _by_hint,
    ),
    "layout": (["order", "turns", "warm, µs", "cold, µs", "pages"], _by_order),
    "when": (["when it was, by", "right"], lambda row: [row["answer"], _said(row["right"])]),
}


def plot(report: Mapping[str, Any], folder: Path) -> list[Path]:
    """
    Draw times and recall of search, by conversations or by hints; returns the file.

    Raises:
        MissingExtra: matplotlib is not installed.

    """
    require("matplotlib", extra="bench", feature="drawing plots")
    from matplotlib.figure import Figure  # noqa: PLC0415 - only when something is drawn

    folder.mkdir(parents=True, exist_ok=True)
    rows = [row for row in report["rows"] if row["part"] in ("growth", "hints")]
    part = rows[0]["part"]
    growing = part == "growth"
    across = "conversations" if growing else "fraction"
    lines: dict[str, list[_Row]] = {}
    for row in rows:
        name = row["system"] if growing else f"{row['protocol']}, {row['hint']}"
        lines.setdefault(name, []).append(row)
    figure = Figure(figsize=(10, 4), layout="constrained")
    both = figure.subplots(1, 2)
    for axes, key, what in zip(
        both, ("latency_ms", f"recall@{K}"), ("search, ms", f"recall@{K}"), strict=True
    ):
        for name, some in lines.items():
            at = [row[across] for row in some]
            value, low, high = (
                [row[key][side] for row in some] for side in ("value", "low", "high")
            )
            axes.plot(at, value, marker="o", markersize=4, label=name)
            axes.fill_between(at, low, high, alpha=0.15)
        axes.set_ylim(bottom=0)
        axes.set_xticks(sorted({row[across] for row in rows}))
        axes.set_xlabel(across if growing else "of questions with a hint")
        axes.set_title(what, fontsize="medium")
        axes.grid(visible=True, alpha=0.2)
        axes.spines[["top", "right"]].set_visible(False)
    both[1].legend(fontsize="small")
    path = folder / f"topics-{part}.png"
    figure.savefig(path, dpi=110, metadata={"Software": None})
    return [path]
