"""Runs a benchmark on a memory, as a user would: remember, recall, and look at what came back."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from hippocampus.core.records import Recall
from hippocampus_bench import metrics, report
from hippocampus_bench.datasets import Dataset
from hippocampus_bench.options import WITHOUT, Options
from hippocampus_bench.report import QuestionReceipt, RankedTurn, Report
from hippocampus_bench.trial import Lived, Posed, live, load

MAIN = "hippocampus"
"""Name of the system under test beside the baselines."""


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
    return measure(name, load(name, data, options), options)


def measure(
    name: str,
    dataset: Dataset,
    options: Options,
    *,
    settings: Mapping[str, object] | None = None,
) -> Report:
    """
    Ask a benchmark's questions and report how well recall found what answers them.

    ``settings``: what the report says besides of how it was made.
    """
    systems = {MAIN: options.cues, **options.systems}
    lived = live(name, dataset, options, systems, partial(_receipt, options=options))
    made = _report(name, dataset, options, lived)
    return replace(made, settings={**made.settings, **(settings or {})})


def _receipt(posed: Posed, options: Options) -> QuestionReceipt:
    """Ask a question, and keep what came back."""
    question = posed.question
    start = time.perf_counter()
    recall = posed.bank.recall(
        question.text, k=options.hits, now=question.now, cues=posed.cues, session=posed.sessions
    )
    elapsed_s = time.perf_counter() - start
    corrected = question.corrected
    ranked = tuple(_distinct(recall, posed.session_of))
    # A baseline has no notion of a session but its best turn's.
    own = posed.system == MAIN or posed.system.startswith(WITHOUT)
    return QuestionReceipt(
        question=question.id,
        kind=question.kind,
        answerable=question.answerable,
        gold=posed.labels("turn", question.gold),
        gold_sessions=posed.labels("session", question.gold_sessions),
        corrected=None if corrected is None else posed.labels("turn", corrected),
        ranked=ranked,
        sessions=recall.sessions if own else _of_turns(ranked),
        found=recall.found,
        confidence=recall.confidence,
        elapsed_s=elapsed_s,
        embed_s=recall.cost.embed_s,
        degraded=tuple(str(one) for one in recall.degraded),
    )


def _distinct(recall: Recall, session_of: Mapping[str, str]) -> Iterator[RankedTurn]:
    """Yield each turn once, at the rank of its first part, in the order recall gave."""
    seen = set()
    for hit in recall.hits:
        ref = hit.episode.metadata.get("ref")
        if isinstance(ref, str) and ref not in seen:
            seen.add(ref)
            yield RankedTurn(ref, session_of.get(ref), hit.score)


def _of_turns(ranked: Sequence[RankedTurn]) -> tuple[str, ...]:
    """Return the sessions of ranked turns, each at its first turn."""
    return tuple(dict.fromkeys(one.session for one in ranked if one.session is not None))


# ---------------------------------------------------------------- scoring


def scores(receipt: QuestionReceipt, dataset: Dataset, ks: Sequence[int]) -> dict[str, float]:
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
    receipts: Sequence[QuestionReceipt], dataset: Dataset, options: Options
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
    main: Sequence[QuestionReceipt],
    other: Sequence[QuestionReceipt],
    dataset: Dataset,
    options: Options,
) -> dict[str, metrics.Estimate]:
    """Return the lead of the main system by question: far narrower than two intervals."""
    rows = []
    for ours, theirs in zip(main, other, strict=True):
        base = scores(theirs, dataset, options.ks)
        lead = {name: v - base[name] for name, v in scores(ours, dataset, options.ks).items()}
        rows.append((ours.kind, lead))
    found = metrics.summarise(rows, seed=options.seed, resamples=options.resamples)
    return _kept(found, options)


def _report(name: str, dataset: Dataset, options: Options, lived: Lived[QuestionReceipt]) -> Report:
    main = lived.found[MAIN]
    baselines = {
        system: report.BaselineResult(
            metrics=_summary(receipts, dataset, options),
            latency_ms=_latency(receipts),
            difference=_difference(main, receipts, dataset, options),
            receipts=tuple(receipts),
        )
        for system, receipts in lived.found.items()
        if system != MAIN
    }
    return Report(
        benchmark=name,
        commit=report.commit(),
        machine=report.machine(),
        settings=settings(dataset, options, lived)
        | {
            "k": options.k,
            "hits_asked": options.hits,
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
        ingest_per_s=lived.ingest_per_s,
        bytes_on_disk=lived.bytes_on_disk,
        rss_mb=report.rss_mb(),
        baselines=baselines,
        receipts=tuple(main),
        extra=slept(lived.slept_s),
    )


def settings(dataset: Dataset, options: Options, lived: Lived[Any]) -> dict[str, object]:
    """Return the settings that any report has."""
    return {
        "protocol": dataset.protocol,
        "data": dict(dataset.files),
        "questions": len(lived.found[MAIN]),
        "skipped": dict(dataset.skipped),
        "limit": options.limit,
        "cues": None if options.cues is None else list(options.cues),
        "sleep": options.sleep,
        "embedder": lived.embedder,
        "seed": options.seed,
        "bootstrap_resamples": options.resamples,
    }


def slept(slept_s: Sequence[float]) -> Mapping[str, object]:
    """Return the times of sleeps for a report, if there were any."""
    return {"sleep_ms": metrics.percentiles_ms(slept_s)} if slept_s else {}


def _latency(receipts: Sequence[QuestionReceipt]) -> dict[str, dict[str, float]]:
    return {
        "recall": metrics.percentiles_ms([one.elapsed_s for one in receipts]),
        "recall_without_embedding": metrics.percentiles_ms(
            [max(one.elapsed_s - one.embed_s, 0.0) for one in receipts]
        ),
        "embedding": metrics.percentiles_ms([one.embed_s for one in receipts]),
    }
