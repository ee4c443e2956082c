"""
Measures whether an agent finds what it has: contextual ownership retrieval, on a made-up life.

The benchmark of the CONCEPT paper, sections 3 and 7. What was written before the last rebuild is
remembered; then come spells of some days, each of which ends with questions: on what was written
long ago, and on what was written since. A question has one target, which is to be among the first
twenty, and a set of chunks that are relevant.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from hippocampus import Bank, Config, Embedder, Episode, Fusion, Memory, Recall, Turn
from hippocampus.core.cue_names import CUES, USED
from hippocampus.core.records import Progress
from hippocampus.errors import InputError
from hippocampus_bench import metrics, report
from hippocampus_bench.datasets import choose
from hippocampus_bench.life import (
    MODES,
    PARAPHRASE,
    SOURCES,
    Chunk,
    Life,
    LifeQuestion,
    Spell,
    live,
)
from hippocampus_bench.report import QuestionReceipt, RankedTurn, Report
from hippocampus_bench.texts import LIFE
from hippocampus_bench.wording import TUNED, read

SIZE: Final = 6_000
"""Chunks by default: minutes, where the full life takes most of an hour to embed."""
K: Final = 20
INJECTED: Final = 0.5
"""A hit is injected into a prompt if the engine gives it at least this probability,"""
ABOUT: Final = 0.1
"""or says that it is at least so much about what the question calls up."""
MAIN: Final = "hippocampus"

PLAIN: Final = Config(
    fusion=Fusion(
        previous_turn=0, next_turn=0, session=0, length_penalty=0, speaker=0, user=0, addressee=0,
        self_disclosure=0, time=0,
        session_association=0, recency=0,
    )
)  # fmt: skip
"""For baselines: nothing counts but how near a chunk is itself."""

SUBSETS: Final = (
    *((source,) for source in SOURCES),
    ("notes", "chats"),
    ("notes", "chats", "mail"),
)
"""Sets of sources that are asked alone: CONCEPT, section 5.0."""


@dataclass(frozen=True, slots=True)
class _FoundSources:
    """Sources that a system returned for a question, and their cost."""

    ranked: tuple[RankedTurn, ...]
    injected: frozenset[str]
    """Those of them that go into the prompt."""
    elapsed_s: float
    """Without embedding the question."""
    embed_s: float
    recall: Recall | None = None


_Ask: TypeAlias = Callable[[Bank, str, LifeQuestion], list[Recall]]
"""Asks a bank a text on behalf of a question; the last recall is the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweringSystem:
    """A way to answer, and which sources it may answer from."""

    ask: _Ask
    sources: tuple[str, ...] = tuple(SOURCES)
    plain: bool = True
    """Whether it is a baseline: it ranks by nearness alone, and injects all that it returns."""


def _nearest(
    bank: Bank, text: str, question: LifeQuestion, *, cue: str, source: str | None = None
) -> list[Recall]:
    return [bank.recall(text, K, now=question.now, cues=(cue,), source=source)]


def _merged(bank: Bank, text: str, question: LifeQuestion) -> list[Recall]:
    """Ask each source for its nearest, and rank what comes together by late interaction."""
    found = [
        bank.recall(text, K, now=question.now, cues=("vector",), source=source)
        for source in SOURCES
    ]
    refs = [_ref(hit.episode) for recall in found for hit in recall.hits]
    among = {"ref": {"$in": refs}}
    return [*found, bank.recall(text, K, now=question.now, cues=("tokens",), where=among)]


def _recalled(
    bank: Bank,
    text: str,
    question: LifeQuestion,
    *,
    cues: Sequence[str] | None = None,
    source: Sequence[str] | None = None,
) -> list[Recall]:
    return [bank.recall(text, K, now=question.now, cues=cues, source=source)]


SYSTEMS: Final[Mapping[str, AnsweringSystem]] = {
    "none": AnsweringSystem(ask=lambda *_: [], sources=()),
    "single-source": AnsweringSystem(
        ask=partial(_nearest, cue="vector", source="notes"), sources=("notes",)
    ),
    "all-sources": AnsweringSystem(ask=partial(_nearest, cue="vector")),
    "multi-source": AnsweringSystem(ask=_merged),
    "words": AnsweringSystem(ask=partial(_nearest, cue="lexical")),
}
"""Baselines. B1 to B4 of CONCEPT, section 7.2, in its order; and BM25 over all sources."""

ABLATIONS: Final[Mapping[str, Callable[[Config], Config]]] = {
    "without sessions": lambda config: replace(
        config,
        fusion=replace(
            config.fusion, previous_turn=0, next_turn=0, session=0, session_association=0, recency=0
        ),
    ),
    "without pronouns": lambda config: _concepts(config, pronouns=False),
    "without re-ranking": lambda config: _concepts(config, anchor=1.0, query=0.0),
    "without real-time updates": lambda config: _concepts(config, fresh=False),
    "without importance": lambda config: _concepts(config, alpha=0.0),
    "without sub-clusters": lambda config: _concepts(config, senses=False),
    "without spreading": lambda config: _concepts(config, spread=0.0, session_share=0.0),
}
"""Engines without a part, as changes of the configuration: each lives its own life.
``without <cue>`` is there too, for every cue in use, and asks the store of the engine itself."""


def _concepts(config: Config, **changes: Any) -> Config:  # noqa: ANN401 - as replace has it
    return replace(config, concepts=replace(config.concepts, **changes))


def run(  # noqa: PLR0913 - a report has as many parts
    *,
    size: int = SIZE,
    limit: int | None = None,
    seed: int = 0,
    wording: str = TUNED,
    systems: Sequence[str] | None = None,
    cues: Sequence[str] | None = None,
    embedder: str | Embedder = "default",
    resamples: int = 2000,
    progress: Progress | None = None,
) -> Report:
    """
    Live a life, ask, and report what was found.

    Args:
        size: chunks of the life, up to the paper's 47 392.
        limit: ask only so many questions, taken in turn from each mode.
        seed: of the life and of the bootstrap.
        wording: what the life is told in: ``tuned``, ``second`` or a file.
        systems: what to compare with, of ``SYSTEMS`` and ``ABLATIONS`` and ``without <cue>``; all
            of them by default.
        cues: of the engine; what it uses by default.
        embedder: as ``Memory`` takes it; with ``"none"``, systems that need vectors are left out.
        resamples: draws of the bootstrap.
        progress: called with chunks and questions done, and their total.

    Raises:
        InputError: a size, limit, cue or system that there is not; a wording that breaks a rule.

    """
    if limit is not None and limit < 1:
        msg = f"limit={limit}: must be at least 1"
        raise InputError(msg)
    life = live(size, seed=seed, wording=wording)
    kept = {q.id for q in choose(life.questions, limit, kind=lambda question: question.mode)}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hippocampus-corf-")))
        rivals = _rivals(systems, cues, embedder)
        main = AnsweringSystem(ask=partial(_recalled, cues=cues), plain=False)
        stores = {"": {MAIN: main, **{n: s for n, s in rivals.items() if n not in ABLATIONS}}}
        stores |= {name: {name: rivals[name]} for name in rivals if name in ABLATIONS}
        work = len(stores) * (len(life.chunks) + len(kept))
        trials = []
        for number, (name, asked) in enumerate(stores.items()):
            config = ABLATIONS[name](Config()) if name else Config()
            trial = _LifeTrial(life, kept, asked, embedder, subsets=not name and bool(rivals))
            trial.progress = _scaled(progress, number * work // len(stores), work)
            trial.go(folder / f"{number}.db", config)
            trials.append(trial)
        made = _report(trials, size, limit, seed, cues, resamples)
        said = read(LIFE, wording).as_dict()
        return replace(made, settings={**made.settings, "wording": said})


def _rivals(
    names: Sequence[str] | None, cues: Sequence[str] | None, embedder: str | Embedder
) -> dict[str, AnsweringSystem]:
    """Return baselines and ablations by name, the latter as the engine's variants."""
    used = [cue for cue in USED if cue != "signature"] if cues is None else list(cues)
    if unknown := [cue for cue in used if cue not in CUES]:
        msg = f"cue {unknown[0]!r} is unknown; there are {', '.join(CUES)}"
        raise InputError(msg)
    known = dict(SYSTEMS)
    if embedder == "none":
        known = {name: known[name] for name in ("none", "words")}
    if len(used) > 1:
        for cue in used:
            rest = tuple(other for other in used if other != cue)
            known[f"without {cue}"] = AnsweringSystem(
                ask=partial(_recalled, cues=rest), plain=False
            )
    for name in ABLATIONS:
        known[name] = AnsweringSystem(ask=partial(_recalled, cues=cues), plain=False)
    wanted = list(known) if names is None else list(dict.fromkeys(names))
    if unknown := [name for name in wanted if name not in known]:
        msg = f"system {unknown[0]!r} is unknown; there are {', '.join(known)}"
        raise InputError(msg)
    return {name: known[name] for name in wanted}


def _scaled(progress: Progress | None, before: int, total: int) -> Callable[[int], None]:
    return lambda done: None if progress is None else progress(before + done, total)


def _ref(episode: Episode) -> str:
    ref = episode.metadata["ref"]
    assert isinstance(ref, str), "every chunk was remembered with its id"
    return ref


# ---------------------------------------------------------------- living


@dataclass(slots=True)
class _Calendar:
    """The clock of the life: what is written and asked in it is written and asked then."""

    moment: datetime

    def now(self) -> datetime:
        return self.moment


@dataclass(slots=True)
class _LifeTrial:
    """One life in one store, and what each system found in it."""

    life: Life
    kept: set[str]
    systems: Mapping[str, AnsweringSystem]
    embedder: str | Embedder
    subsets: bool
    """Whether to ask some sources alone, too."""
    progress: Callable[[int], None] = lambda _: None
    found: dict[str, list[_FoundSources]] = field(default_factory=dict)
    lags_s: dict[str, list[float]] = field(default_factory=dict)
    """From a chunk's acknowledgement to the end of the first question that returns it."""
    clock: _Calendar = field(init=False)
    asked: list[LifeQuestion] = field(default_factory=list)
    done: int = 0
    ingest_s: float = 0.0
    bytes_on_disk: int = 0
    embedder_used: str | None = None

    def go(self, path: Path, config: Config) -> None:
        """Remember the chunks before the last rebuild, then go through the spells."""
        self.clock = _Calendar(self.life.before[0].at)
        memory = partial(Memory, path, embedder=self.embedder, clock=self.clock)
        with ExitStack() as stack:
            bank = stack.enter_context(memory(config=config)).bank("life")
            self._remember(bank, self.life.before)
            bank.sleep()
            plain = bank
            if any(system.plain for system in self.systems.values()):
                plain = stack.enter_context(memory(config=PLAIN, read_only=True)).bank("life")
            for one in (bank, plain):  # the first recall of a bank loads it
                one.recall("warming up", 1)
            for number, spell in enumerate(self.life.spells):
                self._spell(bank, plain, spell, number)
            self.embedder_used = bank.stats().embedder
        self.bytes_on_disk = sum(f.stat().st_size for f in path.parent.glob(f"{path.name}*"))

    def _spell(self, bank: Bank, plain: Bank, spell: Spell, number: int) -> None:
        names = [name for name, system in self.systems.items() if system.sources]
        names = names[number % len(names) :] + names[: number % len(names)]
        notes = [chunk for chunk in spell.remember if chunk.source == "notes"]
        probes = dict(zip(names, notes[1:], strict=False))
        late = {chunk.id for chunk in probes.values()}
        self._remember(bank, [chunk for chunk in spell.remember if chunk.id not in late])
        for name, chunk in probes.items():
            self._probe(bank, plain, name, chunk)
        for question in spell.ask:
            if question.id not in self.kept:
                continue
            self.clock.moment = question.now
            self.asked.append(question)
            for name, system in self.systems.items():
                asked = plain if system.plain else bank
                self.found.setdefault(name, []).append(_find(asked, system, question))
            for sources in SUBSETS if self.subsets else ():
                system = AnsweringSystem(ask=partial(_recalled, source=sources), plain=False)
                found = _find(bank, system, question)
                self.found.setdefault("+".join(sources), []).append(found)
            self._advance(1)

    def _remember(self, bank: Bank, chunks: Sequence[Chunk]) -> None:
        started = time.perf_counter()
        for start in range(0, len(chunks), 2048):
            batch = chunks[start : start + 2048]
            self.clock.moment = max(self.clock.moment, batch[-1].at)
            bank.remember_many([_turn(chunk) for chunk in batch])
            self._advance(len(batch))
        self.ingest_s += time.perf_counter() - started

    def _probe(self, bank: Bank, plain: Bank, name: str, chunk: Chunk) -> None:
        """Write a chunk, and ask for it in its own words until it is found, three times at most."""
        system = self.systems[name]
        text = " ".join(chunk.text.split()[:40])
        none: frozenset[str] = frozenset()
        question = LifeQuestion("", text, chunk.at, "", None, chunk.id, none, none, fresh=True)
        self._remember(bank, [chunk])
        written = time.perf_counter()
        for _ in range(3):
            found = _find(plain if system.plain else bank, system, question)
            if any(one.ref == chunk.id for one in found.ranked):
                self.lags_s.setdefault(name, []).append(time.perf_counter() - written)
                return

    def _advance(self, by: int) -> None:
        self.done += by
        self.progress(self.done)


def _turn(chunk: Chunk) -> Turn:
    return Turn(
        text=chunk.text,
        at=chunk.at,
        speaker=chunk.speaker,
        session=chunk.session,
        source=chunk.source,
        metadata={"ref": chunk.id},
    )


def _find(bank: Bank, system: AnsweringSystem, question: LifeQuestion) -> _FoundSources:
    started = time.perf_counter()
    recalls = system.ask(bank, question.text, question)
    elapsed_s = time.perf_counter() - started
    embed_s = [recall.cost.embed_s for recall in recalls]
    answer = recalls[-1] if recalls else None
    ranked = () if answer is None else tuple(_ranked(answer))
    hits = () if answer is None else answer.hits
    worth = (
        _ref(hit.episode)
        for hit in hits
        if system.plain or hit.score >= INJECTED or hit.activation >= ABOUT
    )
    first = embed_s[0] if embed_s else 0.0
    return _FoundSources(ranked, frozenset(worth), elapsed_s - sum(embed_s), first, answer)


def _ranked(recall: Recall) -> Iterator[RankedTurn]:
    """Yield each chunk once, at the rank of its first part."""
    seen = set()
    for hit in recall.hits:
        ref = _ref(hit.episode)
        if ref not in seen:
            seen.add(ref)
            yield RankedTurn(ref, hit.episode.session, hit.score)


# ---------------------------------------------------------------- scoring


def scores(
    question: LifeQuestion, found: _FoundSources, system: AnsweringSystem
) -> dict[str, float]:
    """Return the measures of one question; what was not injected cannot be a false positive."""
    refs = [one.ref for one in found.ranked]
    out = {
        f"corf_recall@{K}": float(question.target in refs),
        "source_coverage": len(system.sources) / len(SOURCES),
    }
    if not system.sources:
        return out
    ready = found.injected
    out |= {"injected_any": float(bool(ready))}
    out |= {"injected": float(len(ready)), "injected_recall": float(question.target in ready)}
    for name, among in (("fpr", ready), (f"fpr@{K}", refs)):
        if among:
            out[name] = sum(ref not in question.relevant for ref in among) / len(among)
    if refs:
        out[f"off_matter@{K}"] = sum(ref not in question.matter for ref in refs) / len(refs)
    return out


_Rows: TypeAlias = list[tuple[str, dict[str, float]]]
"""Per question its mode and its measures."""


class _Results:
    """Results of all trials of a life, by system: rows of measures, times, and what was found."""

    def __init__(self, trials: Sequence[_LifeTrial], *, seed: int, resamples: int) -> None:
        self.draws = {"seed": seed, "resamples": resamples}
        self.questions = trials[0].asked
        systems = {name: system for trial in trials for name, system in trial.systems.items()}
        self.found = {name: trial.found[name] for trial in trials for name in trial.systems}
        self.lags_s = {
            name: trial.lags_s.get(name, []) for trial in trials for name in trial.systems
        }
        # Whoever asks after the first may find the question's embedding in a cache: all pay alike.
        self.embed_s = [
            max(one.embed_s for one in each) for each in zip(*self.found.values(), strict=True)
        ]
        self.rows: dict[str, _Rows] = {
            name: [
                (question.mode, scores(question, one, system))
                for question, one in zip(self.questions, self.found[name], strict=True)
            ]
            for name, system in systems.items()
        }
        self.latency_s = {
            name: [
                one.elapsed_s + (embedding if one.embed_s else 0.0)
                for one, embedding in zip(self.found[name], self.embed_s, strict=True)
            ]
            for name in systems
        }
        self.rivals = [name for name in systems if name != MAIN]

    def measures(self, name: str) -> dict[str, metrics.Estimate]:
        """Return the measures of a system, also of parts of the questions."""
        rows, latency_s = self.rows[name], self.latency_s[name]
        out = metrics.summarise(rows, **self.draws)
        for label, chosen in _SLICES.items():
            some = [
                row for question, row in zip(self.questions, rows, strict=True) if chosen(question)
            ]
            whole = metrics.summarise([("", scored) for _, scored in some], **self.draws)
            out |= {f"{n}/{label}": e for n, e in whole.items() if "/" not in n}
        out["latency_p95_ms"] = metrics.tail_ms(latency_s, **self.draws)
        for mode in dict.fromkeys(question.mode for question in self.questions):
            some_s = [
                s
                for question, s in zip(self.questions, latency_s, strict=True)
                if question.mode == mode
            ]
            out[f"latency_p95_ms/kind={mode}"] = metrics.tail_ms(some_s, **self.draws)
        if self.lags_s[name]:
            lags = [("", {"freshness_lag_s": s}) for s in self.lags_s[name]]
            out |= metrics.summarise(lags, **self.draws)
            out.pop("freshness_lag_s/kind=")
        return out

    def timings(self, name: str) -> dict[str, dict[str, float]]:
        """Return the times of a system, with and without embedding the question."""
        alone = [one.elapsed_s for one in self.found[name]]
        return {
            "recall": metrics.percentiles_ms(self.latency_s[name]),
            "recall_without_embedding": metrics.percentiles_ms(alone),
        }

    def receipts(self, name: str) -> tuple[QuestionReceipt, ...]:
        """Return the findings of a system, question by question."""
        found = zip(self.questions, self.found[name], strict=True)
        return tuple(_receipt(question, one) for question, one in found)

    def baseline(self, name: str) -> report.BaselineResult:
        """Return a rival's results, and how far the system under test is ahead of it."""
        lead = [
            (mode, {n: value - theirs[n] for n, value in ours.items() if n in theirs})
            for (mode, ours), (_, theirs) in zip(self.rows[MAIN], self.rows[name], strict=True)
        ]
        return report.BaselineResult(
            metrics=self.measures(name),
            latency_ms=self.timings(name),
            difference=metrics.summarise(lead, **self.draws),
            receipts=self.receipts(name),
        )

    def mcnemar(self) -> dict[str, object]:
        """Return McNemar's test of hits, against each rival."""
        hit = {
            name: [bool(scored[f"corf_recall@{K}"]) for _, scored in rows]
            for name, rows in self.rows.items()
        }
        return {name: metrics.mcnemar(hit[MAIN], hit[name]) for name in self.rivals}


def _report(
    trials: Sequence[_LifeTrial],
    size: int,
    limit: int | None,
    seed: int,
    cues: Sequence[str] | None,
    resamples: int,
) -> Report:
    first, results = trials[0], _Results(trials, seed=seed, resamples=resamples)
    return Report(
        benchmark="corf",
        commit=report.commit(),
        machine=report.machine(),
        settings={
            "protocol": f"{size} chunks",
            "questions": len(results.questions),
            "modes": dict(Counter(question.mode for question in results.questions)),
            "spells": len(first.life.spells),
            "limit": limit,
            "cues": None if cues is None else list(cues),
            "embedder": first.embedder_used,
            "k": K,
            "injected": f"hits with a score of {INJECTED} or more, or {ABOUT} or more about what"
            " is called up; of a baseline, all of them",
            "fpr": "of the injected chunks of a question, the share that is not about its project;"
            " a question without any does not count",
            "latency": "with one embedding of the question; multi-source asks one after the other",
            "seed": seed,
            "bootstrap_resamples": resamples,
        },
        metrics=results.measures(MAIN),
        latency_ms=results.timings(MAIN) | {"embedding": metrics.percentiles_ms(results.embed_s)},
        ingest_per_s=len(first.life.chunks) / first.ingest_s,
        bytes_on_disk=first.bytes_on_disk,
        rss_mb=report.rss_mb(),
        baselines={name: results.baseline(name) for name in results.rivals},
        receipts=results.receipts(MAIN),
        extra={"mcnemar": results.mcnemar(), "source_bound": _bound(first, **results.draws)},
    )


_SLICES: Final[Mapping[str, Callable[[LifeQuestion], bool]]] = {
    "fresh": lambda question: question.fresh,
    "two modes": lambda question: question.also is not None,
}
"""Questions that are also reported together, as ``name/fresh``."""


def _bound(trial: _LifeTrial, *, seed: int, resamples: int) -> list[dict[str, object]]:
    """Set the share found in some sources beside the targets there: CONCEPT, section 3.3."""
    source_of = {chunk.id: chunk.source for chunk in trial.life.chunks}
    targets = Counter(source_of[question.target] for question in trial.asked)
    rows = []
    for sources in (*SUBSETS, tuple(SOURCES)):
        found = trial.found.get("+".join(sources) if sources in SUBSETS else MAIN)
        if found is None:
            continue  # it was not asked for
        hits: list[tuple[str, dict[str, float]]] = [
            ("", {"recall": float(any(one.ref == question.target for one in each.ranked))})
            for question, each in zip(trial.asked, found, strict=True)
        ]
        bound = sum(targets[source] for source in sources) / len(trial.asked)
        recall = metrics.summarise(hits, seed=seed, resamples=resamples)["recall"]
        rows.append({"sources": list(sources), "bound": bound, "recall": recall.as_dict()})
    return rows


def _receipt(question: LifeQuestion, found: _FoundSources) -> QuestionReceipt:
    recall = found.recall
    return QuestionReceipt(
        question=f"{question.id}: {question.text}",
        kind=question.mode,
        answerable=True,
        gold=frozenset({question.target}),
        gold_sessions=frozenset(),
        corrected=None,
        ranked=found.ranked,
        sessions=(),
        found=bool(recall),
        confidence=0.0 if recall is None else recall.confidence,
        elapsed_s=found.elapsed_s + found.embed_s,
        embed_s=found.embed_s,
        degraded=() if recall is None else tuple(map(str, recall.degraded)),
    )


# ---------------------------------------------------------------- tables


def tables(made: Mapping[str, Any]) -> list[str]:
    """Return a report as Markdown: recall by mode and what it costs, and recall by sources."""
    modes = [mode for mode in (*MODES, PARAPHRASE) if mode in made["settings"]["modes"]]
    everyone = {MAIN: made, **made["baselines"]}
    names = [f"corf_recall@{K}", *(f"corf_recall@{K}/kind={mode}" for mode in modes)]
    names += ["injected_recall", "fpr", f"fpr@{K}"]
    return [
        _table(
            ["", f"recall@{K}", *modes, "injected recall", "fpr", f"fpr@{K}", "p95 ms", "p"],
            (
                [
                    f"`{name}`",
                    _said(each["metrics"][names[0]], interval=True),
                    *(_said(each["metrics"].get(one)) for one in names[1:]),
                    f"{each['metrics']['latency_p95_ms']['value']:.1f}",
                    "–" if name == MAIN else f"{made['mcnemar'][name]['p']:.2g}",
                ]
                for name, each in everyone.items()
            ),
        ),
        _table(
            ["sources", "ΣP(s)", f"recall@{K}"],
            (
                [
                    " + ".join(row["sources"]),
                    f"{row['bound']:.3f}",
                    _said(row["recall"], interval=True),
                ]
                for row in made["source_bound"]
            ),
        ),
    ]


def _said(estimate: Mapping[str, float] | None, *, interval: bool = False) -> str:
    if estimate is None:
        return "–"
    value, low, high = (f"{estimate[name]:.2f}" for name in ("value", "low", "high"))
    return f"{value} [{low}, {high}]" if interval else value


def _table(heads: Sequence[str], rows: Iterator[Sequence[str]]) -> str:
    lines = [heads, ["---", *("---:" for _ in heads[1:])], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
