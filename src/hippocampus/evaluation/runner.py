"""Runs a benchmark on a memory, as a user would: remember, recall, and look at what came back."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from hippocampus.errors import InputError
from hippocampus.evaluation import locomo, longmemeval, metrics, realmem, report, retrieval
from hippocampus.evaluation.datasets import Case, Dataset, Labels, Question, limited
from hippocampus.evaluation.options import WITHOUT, EvaluatedBank, EvaluatedMemory, Options
from hippocampus.evaluation.report import Ranked, Receipt, Report
from hippocampus.model import Recall

LOADERS = {
    "locomo": locomo.load,
    "longmemeval": longmemeval.load,
    "realmem": realmem.load,
    "retrieval": retrieval.load,
}

MAIN = "hippocampus"
"""What the system under test is called beside the baselines."""


def run(name: str, data: Path, *, options: Options | None = None) -> Report:
    """
    Run a benchmark and report what it measured.

    Args:
        name: locomo, longmemeval, realmem or retrieval.
        data: the data set's file; for RealMem also a folder of them.
        options: how to run it.

    Raises:
        InputError: unknown benchmark, or a file that does not follow its schema.
    """
    options = options or Options()
    if name not in LOADERS:
        msg = f"benchmark {name!r} is unknown; there are {', '.join(LOADERS)}"
        raise InputError(msg)
    dataset = LOADERS[name](data, options)
    dataset = replace(dataset, cases=limited(dataset.cases, options.limit))
    if not dataset.cases:
        msg = f"{data}: holds no question that can be scored under protocol {dataset.protocol!r}"
        raise InputError(msg)
    with ExitStack() as stack:
        folder = options.keep_store or Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="hippocampus-bench-"))
        )
        store = _Kept.at(folder, name, dataset, options)
        with _open(store.path, options) as memory:
            trial = _Trial(memory, options, remember=not store.complete)
            for case in dataset.cases:
                trial.live(case, total=_work(dataset, options))
        store.finish()
        return _report(name, dataset, options, trial, bytes_on_disk=store.nbytes())


def _open(path: Path, options: Options) -> AbstractContextManager[EvaluatedMemory]:
    if options.open_memory is not None:
        return options.open_memory(path)
    from hippocampus import Config, Memory, Signatures  # noqa: PLC0415 - metrics need no engine

    config = Config(signatures=Signatures() if options.signs else None)
    return Memory(path, embedder=options.embedder, config=config)


def _work(dataset: Dataset, options: Options) -> int:
    return sum(
        len(case.said) + len(case.questions) * (1 + len(options.systems)) for case in dataset.cases
    )


@dataclass
class _Trial:
    """What has been remembered and asked so far."""

    memory: EvaluatedMemory
    options: Options
    remember: bool
    receipts: dict[str, list[Receipt]] = field(default_factory=dict)
    episodes: int = 0
    ingest_s: float = 0.0
    slept_s: list[float] = field(default_factory=list)
    done: int = 0
    embedder: str | None = None

    def live(self, case: Case, *, total: int) -> None:
        """Go through the steps of a case in a bank of its own."""
        labels = Labels(self.options.seed)
        bank = self.memory.bank(f"bench-{labels.of('bank', case.id)}")
        session_of: dict[str, str] = {}
        warm = restless = False
        for step in case.steps:
            if step.ask and restless and self.options.sleep:
                start = time.perf_counter()
                bank.sleep()
                self.slept_s.append(time.perf_counter() - start)
                restless = False
            for question in step.ask:
                if not warm:  # the first recall of a bank loads it; that is not its latency
                    bank.recall("warming up", k=1, now=question.now)
                    warm = True
                for system, cues in {MAIN: self.options.cues, **self.options.systems}.items():
                    receipt = self._ask(bank, case, question, cues, labels, session_of)
                    # A baseline has no notion of a session but its best turn's.
                    if system != MAIN and not system.startswith(WITHOUT):
                        receipt = replace(receipt, sessions=_of_turns(receipt.ranked))
                    self.receipts.setdefault(system, []).append(receipt)
                    self._advance(1, total)
            turns = []
            for said in step.remember:
                ref = labels.of("turn", case.id, said.key)
                session = said.turn.session
                if session is not None:
                    session = session_of[ref] = labels.of("session", case.id, session)
                turns.append(replace(said.turn, session=session, metadata={"ref": ref}))
            if turns and self.remember:
                start = time.perf_counter()
                self.episodes += len(bank.remember_many(turns))
                self.ingest_s += time.perf_counter() - start
                restless = True
            self._advance(len(turns), total)
        self.embedder = bank.stats().embedder

    def _ask(
        self,
        bank: EvaluatedBank,
        case: Case,
        question: Question,
        cues: Sequence[str] | None,
        labels: Labels,
        session_of: dict[str, str],
    ) -> Receipt:
        allowed = question.sessions
        session = None if allowed is None else [labels.of("session", case.id, s) for s in allowed]
        start = time.perf_counter()
        recall = bank.recall(
            question.text, k=self.options.hits, now=question.now, cues=cues, session=session
        )
        elapsed_s = time.perf_counter() - start

        def relabel(keys: frozenset[str], kind: str) -> frozenset[str]:
            return frozenset(labels.of(kind, case.id, key) for key in keys)

        return Receipt(
            question=question.id,
            kind=question.kind,
            answerable=question.answerable,
            gold=relabel(question.gold, "turn"),
            gold_sessions=relabel(question.gold_sessions, "session"),
            corrected=None if question.corrected is None else relabel(question.corrected, "turn"),
            ranked=tuple(_distinct(recall, session_of)),
            sessions=recall.sessions,
            found=recall.found,
            confidence=recall.confidence,
            elapsed_s=elapsed_s,
            embed_s=recall.cost.embed_s,
            degraded=tuple(str(one) for one in recall.degraded),
        )

    def _advance(self, by: int, total: int) -> None:
        self.done += by
        if self.options.progress is not None:
            self.options.progress(self.done, total)


def _distinct(recall: Recall, session_of: dict[str, str]) -> Iterator[Ranked]:
    """Yield each turn once, at the rank of its first part, in the order recall gave."""
    seen = set()
    for hit in recall.hits:
        ref = hit.episode.metadata.get("ref")
        if isinstance(ref, str) and ref not in seen:
            seen.add(ref)
            yield Ranked(ref, session_of.get(ref), hit.score)


def _of_turns(ranked: Sequence[Ranked]) -> tuple[str, ...]:
    """Return the sessions of ranked turns, each at its first turn."""
    return tuple(dict.fromkeys(one.session for one in ranked if one.session is not None))


# ---------------------------------------------------------------- scoring


def scores(receipt: Receipt, dataset: Dataset, ks: Sequence[int]) -> dict[str, float]:
    """Return the measures of one question; an unanswerable one only tells what was found."""
    if not receipt.answerable:
        return {"found/unanswerable": float(receipt.found)}
    turns, sessions = receipt.turns, receipt.sessions
    out: dict[str, float] = {}
    if dataset.turn_recall is not None:
        name = dataset.turn_recall
        out |= metrics.turn_scores(turns, receipt.gold, name=name, ks=ks)
        if receipt.corrected:
            corrected = metrics.turn_scores(turns, receipt.corrected, name=name, ks=ks)
            out |= {f"corrected_{measure}": value for measure, value in corrected.items()}
    if dataset.sessions and receipt.gold_sessions:
        out |= metrics.session_scores(sessions, receipt.gold_sessions, ks=ks)
    if dataset.ndcg == "turn":
        out |= metrics.ndcg_scores(turns, receipt.gold, ks=ks)
    else:
        out |= metrics.ndcg_scores(sessions, receipt.gold_sessions, ks=ks)
    return out | {"found/answerable": float(receipt.found)}


def _summary(
    receipts: Sequence[Receipt], dataset: Dataset, options: Options
) -> dict[str, metrics.Estimate]:
    out = metrics.summarise(
        [(receipt.kind, scores(receipt, dataset, options.ks)) for receipt in receipts],
        seed=options.seed,
        resamples=options.resamples,
    )
    answerable = [receipt.confidence for receipt in receipts if receipt.answerable]
    unanswerable = [receipt.confidence for receipt in receipts if not receipt.answerable]
    if answerable and unanswerable:
        out["found_auroc"] = metrics.separation(
            answerable, unanswerable, seed=options.seed, resamples=options.resamples
        )
    return _kept(out, options)


def _kept(found: dict[str, metrics.Estimate], options: Options) -> dict[str, metrics.Estimate]:
    if not options.brief:
        return found
    return {name: one for name, one in found.items() if name.split("/kind=")[0] in report.SHOWN}


def _difference(
    main: Sequence[Receipt], other: Sequence[Receipt], dataset: Dataset, options: Options
) -> dict[str, metrics.Estimate]:
    """How far the main system is ahead, question by question: far narrower than two intervals."""
    rows = []
    for ours, theirs in zip(main, other, strict=True):
        base = scores(theirs, dataset, options.ks)
        lead = {name: v - base[name] for name, v in scores(ours, dataset, options.ks).items()}
        rows.append((ours.kind, lead))
    found = metrics.summarise(rows, seed=options.seed, resamples=options.resamples)
    return _kept(found, options)


def _report(
    name: str, dataset: Dataset, options: Options, trial: _Trial, *, bytes_on_disk: int
) -> Report:
    main = trial.receipts[MAIN]
    baselines = {
        system: report.System(
            metrics=_summary(receipts, dataset, options),
            latency_ms=_latency(receipts),
            difference=_difference(main, receipts, dataset, options),
            receipts=tuple(receipts),
        )
        for system, receipts in trial.receipts.items()
        if system != MAIN
    }
    return Report(
        benchmark=name,
        commit=report.commit(),
        machine=report.machine(),
        settings={
            "protocol": dataset.protocol,
            "data": dict(dataset.files),
            "questions": len(main),
            "skipped": dict(dataset.skipped),
            "limit": options.limit,
            "cues": None if options.cues is None else list(options.cues),
            "sleep": options.sleep,
            "embedder": trial.embedder,
            "k": options.k,
            "hits_asked": options.hits,
            "seed": options.seed,
            "bootstrap_resamples": options.resamples,
            "rank_of_a_turn": "its first part's among distinct turns",
            "rank_of_a_session": "recall's ranking of sessions; in a baseline, but not in one"
            " 'without' a cue, its first turn's among distinct sessions",
            "ndcg_ranks": f"{dataset.ndcg}s",
            "latency": f"recall(k={options.hits}) in a bank that has answered once; baselines come"
            " after the system under test and may find the question's embedding cached",
            "degraded_questions": sum(bool(receipt.degraded) for receipt in main),
        },
        metrics=_summary(main, dataset, options),
        latency_ms=_latency(main),
        ingest_per_s=trial.episodes / trial.ingest_s if trial.ingest_s else None,
        bytes_on_disk=bytes_on_disk,
        rss_mb=report.rss_mb(),
        baselines=baselines,
        receipts=tuple(main),
        extra={"sleep_ms": metrics.percentiles_ms(trial.slept_s)} if trial.slept_s else {},
    )


def _latency(receipts: Sequence[Receipt]) -> dict[str, dict[str, float]]:
    return {
        "recall": metrics.percentiles_ms([one.elapsed_s for one in receipts]),
        "recall_without_embedding": metrics.percentiles_ms(
            [max(one.elapsed_s - one.embed_s, 0.0) for one in receipts]
        ),
        "embedding": metrics.percentiles_ms([one.embed_s for one in receipts]),
    }


# ---------------------------------------------------------------- the store on disk


@dataclass(frozen=True, slots=True)
class _Kept:
    """A benchmark's store, and whether an earlier run has already filled it."""

    path: Path
    identity: str
    """What must agree for its content to be ours, as JSON."""
    complete: bool

    @classmethod
    def at(cls, folder: Path, name: str, dataset: Dataset, options: Options) -> _Kept:
        """Find or start the store in a folder; what another run left there is refused."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}-{dataset.protocol}.db"
        identity = json.dumps(
            {
                "data": dict(dataset.files),
                "protocol": dataset.protocol,
                "limit": options.limit,
                "seed": options.seed,
                "signs": options.signs,
                "sleep": options.sleep,
                "embedder": str(getattr(options.embedder, "fingerprint", options.embedder)),
            },
            sort_keys=True,
        )
        note = path.with_suffix(".done.json")
        complete = note.exists() and note.read_text() == identity
        streams = any(case.streams for case in dataset.cases)
        if path.exists() and (streams or not complete):
            why = (
                "a stream must start empty"
                if streams
                else "it was left by another or an unfinished run"
            )
            msg = f"{path}: {why}; choose an empty folder to keep the store in"
            raise InputError(msg)
        return cls(path, identity, complete and path.exists())

    def finish(self) -> None:
        """Note that the store holds everything."""
        self.path.with_suffix(".done.json").write_text(self.identity)

    def nbytes(self) -> int:
        """Return the bytes of the store's files after closing."""
        files = self.path.parent.glob(f"{self.path.name}*")
        return sum(file.stat().st_size for file in files)
