"""
Recall in a long dialogue: facts told once, asked for 150 turns later (HEMA, 3.6, 4).

A dialogue is remembered turn by turn in a bank that sleeps every hundred turns, and asked along the
way. What is found is held against the turns that support the fact; what a model would be given, a
prompt of 3 500 tokens with the bank's own summary, is searched for the fact itself, to the letter.
Then one long dialogue is lived four times, with and without forgetting, and with and without
summaries of summaries, and the four banks are asked in turn for how long they take.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, TypeAlias

from hippocampus import Bank, Compact, Config, Context, Embedder, Episode, Fusion, Memory, Recall
from hippocampus import Turn as Told
from hippocampus.core.clock import ManualClock
from hippocampus.core.optional import require
from hippocampus.core.records import Progress
from hippocampus.encode.tokens import count
from hippocampus.errors import InputError
from hippocampus_bench import metrics, report
from hippocampus_bench.report import QuestionReceipt, RankedTurn, Report
from hippocampus_bench.talk import LATER, Dialogue, DialogueQuestion, DialogueTurn, make_dialogue
from hippocampus_bench.texts import DIALOGUE
from hippocampus_bench.wording import TUNED, read

LENGTHS: Final = (50, 100, 500, 1000)
DIALOGUES: Final = 6
"""Of each length; three genres take turns."""
BUDGET: Final = 3_500
"""Tokens of a prompt: HEMA, section 3.5."""
TAIL: Final = 4_000
"""Tokens of the dialogue's end that a model without memory sees: section 3.6.2."""
TOP: Final = 5
"""Chunks that streaming retrieval puts into a prompt: section 3.6.2."""
RECENT: Final = 2
"""Turns of the dialogue that end the prompt: section 3.5."""
DEEP: Final = 100
"""Turns of a ranking under which the precision-recall curve is measured."""
EVERY: Final = 100
"""Turns between two sleeps."""
PAPER: Final = {"precision@5": 0.82, "recall@50": 0.74, "auprc": 0.72, "factual_recall": 0.72}
"""Figures that HEMA reports for its best, sections 4.1 and 4.4; the last at 500 turns."""
POLICIES: Final = {
    "A: neither": (False, False),
    "B: forgetting": (True, False),
    "C: summary of summaries": (False, True),
    "D: both": (True, True),
}
"""HEMA, section 4.3: whether it forgets, and whether summaries are summed up."""
MAIN: Final = "hippocampus"

PLAIN: Final = Config(
    fusion=Fusion(
        previous_turn=0, next_turn=0, session=0, length_penalty=0, speaker=0, user=0, addressee=0,
        self_disclosure=0, time=0,
        session_association=0, recency=0, first_person_deed=0, novelty=0, spreading_share=0,
    )
)  # fmt: skip
"""For baselines: nothing counts but how near a turn is itself."""


@dataclass(frozen=True, slots=True)
class _FoundTurns:
    """Result of a system for a question: a ranking of turns, and a prompt."""

    ranked: tuple[RankedTurn, ...]
    prompt: str
    elapsed_s: float
    embed_s: float
    recall: Recall | None = None


def run(
    *,
    lengths: Sequence[int] = LENGTHS,
    dialogues: int = DIALOGUES,
    long: int | None = None,
    seed: int = 0,
    wording: str = TUNED,
    embedder: str | Embedder = "default",
    resamples: int = 2000,
    progress: Progress | None = None,
) -> Dialogues:
    """
    Remember dialogues, ask, and report what was found.

    Args:
        lengths: turns of dialogues.
        dialogues: of each length.
        long: turns of the one that is lived four times; None leaves that out.
        seed: of the dialogues and of the bootstrap.
        wording: what they are told in: ``tuned``, ``second`` or a file.
        embedder: as ``Memory`` takes it; with ``"none"``, nearest neighbours are left out.
        resamples: draws of the bootstrap.
        progress: called with turns remembered and their total.

    Raises:
        InputError: a length or number that makes no dialogue; a wording that breaks a rule.

    """
    if dialogues < 1 or not lengths:
        msg = f"dialogues={dialogues} of lengths {tuple(lengths)}: must be at least 1 of one length"
        raise InputError(msg)
    made = {
        turns: [
            make_dialogue(turns, number=n, seed=seed, wording=wording) for n in range(dialogues)
        ]
        for turns in dict.fromkeys(lengths)
    }
    lived = None if long is None else make_dialogue(long, seed=seed, wording=wording)
    total = sum(len(one.turns) for each in made.values() for one in each)
    total += 0 if lived is None else len(POLICIES) * len(lived.turns)
    done = 0

    def step(turns: int) -> None:
        nonlocal done
        done += turns
        if progress is not None:
            progress(done, total)

    asked: list[_AskedDialogue] = []
    ablation: Mapping[str, object] = {}
    started, ingest_s = time.perf_counter(), 0.0
    with tempfile.TemporaryDirectory(prefix="hippocampus-dialogue-") as folder:
        for turns, each in made.items():
            for dialogue in each:
                trial = _DialogueTrial(dialogue, Path(folder) / f"{dialogue.id}.db", embedder)
                asked += [_AskedDialogue(turns, dialogue, *one) for one in trial.live(step)]
                ingest_s += trial.ingest_s
        if lived is not None:
            draws = {"seed": seed, "resamples": resamples}
            ablation = _ablate(lived, Path(folder), embedder, step, **draws)
        nbytes = sum(file.stat().st_size for file in Path(folder).iterdir())
    settings = _settings(asked, [one for each in made.values() for one in each]) | {
        "protocol": f"{dialogues} dialogues of {', '.join(map(str, made))} turns",
        "wording": read(DIALOGUE, wording).as_dict(),
        "seed": seed,
        "bootstrap_resamples": resamples,
        "elapsed_s": round(time.perf_counter() - started, 1),
    }
    answers = _ComparedAnswers(asked, seed=seed, resamples=resamples)
    return _report(answers, settings, ablation, nbytes, total / max(ingest_s, 1e-9))


def _settings(asked: Sequence[_AskedDialogue], told: Sequence[Dialogue]) -> dict[str, object]:
    """Return the settings of a run: the questions, the systems and the measures."""
    return {
        "questions": dict(Counter(one.turns for one in asked)),
        "genres": dict(Counter(one.dialogue.genre for one in asked)),
        "asked": f"{LATER} turns after the last that supports the fact, or else at the end",
        "supporting_turns": _mean([len(one.question.gold) for one in asked]),
        "tokens_a_turn": _mean([count(turn.text) for one in told for turn in one.turns]),
        "budget_tokens": BUDGET,
        "precision": f"@{TOP} divides by {TOP}",
        "auprc": f"the area under the steps of precision over recall, {DEEP} turns deep",
        "sleeps_every": EVERY,
    }


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 2)


@dataclass(frozen=True, slots=True)
class _AskedDialogue:
    turns: int
    dialogue: Dialogue
    question: DialogueQuestion
    found: Mapping[str, _FoundTurns]


# ---------------------------------------------------------------- living


@dataclass(slots=True)
class _DialogueTrial:
    """One dialogue in one bank, asked along the way."""

    dialogue: Dialogue
    path: Path
    embedder: str | Embedder
    ingest_s: float = 0.0

    def live(
        self, step: Callable[[int], None]
    ) -> Iterator[tuple[DialogueQuestion, dict[str, _FoundTurns]]]:
        """Yield each question with what every system found."""
        clock = ManualClock(self.dialogue.turns[0].at)
        memory = partial(Memory, self.path, embedder=self.embedder, clock=clock)
        with ExitStack() as stack:
            bank = stack.enter_context(memory()).bank("dialogue")
            said: list[DialogueTurn] = []
            plain: Bank | None = None
            for turns, questions in _stretches(self.dialogue):
                started = time.perf_counter()
                _remember(bank, turns, clock)
                said += turns
                self.ingest_s += time.perf_counter() - started
                if len(said) % EVERY == 0:
                    bank.sleep()
                if plain is None:
                    plain = stack.enter_context(memory(config=PLAIN, read_only=True)).bank(
                        bank.name
                    )
                    for one in (bank, plain):  # the first recall of a bank loads it
                        one.recall("warming up", 1)
                step(len(turns))
                for question in questions:
                    yield question, self._ask(bank, plain, said, question)

    def _ask(
        self, bank: Bank, plain: Bank, said: Sequence[DialogueTurn], question: DialogueQuestion
    ) -> dict[str, _FoundTurns]:
        found = {MAIN: _remembered(bank, question), "tail": _tail(said)}
        found["summary"] = _summarised(bank)
        found["bm25"] = _nearest(plain, question, "lexical")
        if self.embedder != "none":
            found["nearest"] = _nearest(plain, question, "vector")
        return found


def _stretches(dialogue: Dialogue) -> Iterator[tuple[list[DialogueTurn], list[DialogueQuestion]]]:
    """Yield turns up to the next question or sleep, and the questions that come then."""
    stops = {question.after for question in dialogue.questions} | {0, len(dialogue.turns)}
    stops |= set(range(0, len(dialogue.turns), EVERY))
    for start, stop in pairwise(sorted(stops)):
        due = [question for question in dialogue.questions if question.after == stop]
        yield list(dialogue.turns[start:stop]), due


def _remember(bank: Bank, turns: Sequence[DialogueTurn], clock: ManualClock) -> list[Episode]:
    clock.set(turns[-1].at)
    return bank.remember_many(
        [
            Told(text=t.text, at=t.at, role=t.role, session="dialogue", metadata={"ref": t.id})
            for t in turns
        ]
    )


def _ranked(recall: Recall) -> tuple[RankedTurn, ...]:
    """Return each turn once, at the rank of its first part."""
    best: dict[str, RankedTurn] = {}
    for hit in recall.hits:
        ref = str(hit.episode.metadata["ref"])
        best.setdefault(ref, RankedTurn(ref, None, hit.score))
    return tuple(best.values())[:DEEP]


def _remembered(bank: Bank, question: DialogueQuestion) -> _FoundTurns:
    started = time.perf_counter()
    recall = bank.recall(question.text, DEEP)
    elapsed_s = time.perf_counter() - started
    context = bank.context(question.text, BUDGET, recent=RECENT)
    return _FoundTurns(_ranked(recall), _body(context), elapsed_s, recall.cost.embed_s, recall)


def _body(context: Context) -> str:
    assert context.tokens <= BUDGET, "a context keeps its budget"
    return context.text


def _tail(said: Sequence[DialogueTurn]) -> _FoundTurns:
    """Return the turns that a model without a memory sees, the newest first."""
    seen: list[DialogueTurn] = []
    left = TAIL
    for turn in reversed(said):
        left -= count(turn.text)
        if left < 0:
            break
        seen.append(turn)
    ranked = tuple(RankedTurn(turn.id, None, 0.0) for turn in seen[:DEEP])
    return _FoundTurns(ranked, "\n".join(turn.text for turn in seen), 0.0, 0.0)


def _summarised(bank: Bank) -> _FoundTurns:
    """Return the summary, and the turns it quotes, as they stand."""
    started = time.perf_counter()
    summary = bank.summary()
    elapsed_s = time.perf_counter() - started
    refs = [str(bank.get(id_).metadata["ref"]) for id_ in summary.sources]
    return _FoundTurns(
        tuple(RankedTurn(ref, None, 0.0) for ref in refs), summary.text, elapsed_s, 0.0
    )


def _nearest(plain: Bank, question: DialogueQuestion, cue: str) -> _FoundTurns:
    started = time.perf_counter()
    recall = plain.recall(question.text, DEEP, cues=(cue,))
    elapsed_s = time.perf_counter() - started
    prompt = "\n".join(hit.text for hit in recall.hits[:TOP])
    return _FoundTurns(_ranked(recall), prompt, elapsed_s, recall.cost.embed_s, recall)


# ---------------------------------------------------------------- forgetting


@dataclass(slots=True)
class _DialogueLife:
    """A long dialogue in one bank under one policy."""

    bank: Bank
    clock: ManualClock
    forgets: bool
    rows: list[tuple[str, dict[str, float]]] = field(default_factory=list)
    latency_s: list[float] = field(default_factory=list)
    forgotten: int = 0

    def live(self, dialogue: Dialogue, step: Callable[[int], None]) -> None:
        """Remember, forget and ask as the dialogue goes."""
        said = 0
        for turns, questions in _stretches(dialogue):
            _remember(self.bank, turns, self.clock)
            said += len(turns)
            if self.forgets:
                for turn in turns:  # each turn of the user's asks memory: HEMA, figure 2
                    if turn.role == "user":
                        self.bank.recall(turn.text, TOP)
                if said % EVERY == 0:
                    did = self.bank.sleep(steps=["forget"])["forget"].counts
                    self.forgotten += did.get("lapsed", 0)
            if said == len(dialogue.turns) or said % (len(dialogue.turns) // 4) == 0:
                self.bank.sleep()
            for question in questions:
                found = _remembered(self.bank, question)
                self.rows.append(("", scores(question, found)))
            step(len(turns))


def _ablate(
    dialogue: Dialogue,
    folder: Path,
    embedder: str | Embedder,
    step: Callable[[int], None],
    *,
    seed: int,
    resamples: int,
) -> dict[str, object]:
    """Live a dialogue under each policy, then ask the four banks in turn."""
    lives: dict[str, _DialogueLife] = {}
    with ExitStack() as stack:
        for number, (name, (forgets, sums_up)) in enumerate(POLICIES.items()):
            clock = ManualClock(dialogue.turns[0].at)
            config = Config(compact=Compact(every=EVERY if sums_up else 0))
            path = folder / f"policy-{number}.db"
            memory = Memory(path, embedder=embedder, clock=clock, config=config)
            bank = stack.enter_context(memory).bank("dialogue")
            bank.set_policy("hema" if forgets else "keep")
            lives[name] = _DialogueLife(bank, clock, forgets)
            lives[name].live(dialogue, step)
        names = list(lives)
        for nth, question in enumerate(dialogue.questions):
            for name in names[nth % 4 :] + names[: nth % 4]:
                recall = lives[name].bank.recall(question.text, 50)
                lives[name].latency_s.append(recall.cost.elapsed_s - recall.cost.embed_s)
        return {
            "ablation": {
                "turns": len(dialogue.turns),
                "questions": len(dialogue.questions),
                "policies": {name: _policy(life, seed, resamples) for name, life in lives.items()},
            }
        }


def _policy(life: _DialogueLife, seed: int, resamples: int) -> dict[str, object]:
    draws = {"seed": seed, "resamples": resamples}
    found = metrics.summarise(life.rows, **draws)
    names = ("precision@5", "recall@50", "auprc", "factual_recall")
    summary = life.bank.summary()
    return {
        **{name: found[name].as_dict() for name in names},
        "retrieval_ms": metrics.median_ms(life.latency_s, **draws).as_dict(),
        "episodes": life.bank.stats().episodes,
        "forgotten": life.forgotten,
        "summary": summary.text,
        "summary_tokens": summary.tokens,
    }


# ---------------------------------------------------------------- scoring


def scores(question: DialogueQuestion, found: _FoundTurns) -> dict[str, float]:
    """Return the measures of one question."""
    refs = [one.ref for one in found.ranked]
    return {
        f"precision@{TOP}": sum(ref in question.gold for ref in refs[:TOP]) / TOP,
        "recall@50": metrics.recall_at(refs, question.gold, 50),
        "auprc": area_under_precision(refs, question.gold),
        "factual_recall": float(question.span in found.prompt),
    }


def area_under_precision(ranking: Sequence[str], gold: frozenset[str]) -> float:
    """Return the area under the steps of precision over recall; what is not found adds nothing."""
    hits, area = 0, 0.0
    for rank, ref in enumerate(ranking, 1):
        if ref in gold:
            hits += 1
            area += hits / rank
    return area / len(gold)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogues(Report):
    """Measurements of a run, and their picture."""

    def plot(self, folder: Path) -> list[Path]:
        """
        Draw factual recall by the length of the dialogue.

        Raises:
            MissingExtra: matplotlib is not installed.

        """
        return plot(self.as_dict(), folder)

    def __str__(self) -> str:
        return "\n\n".join([*tables(self.as_dict()), *self.beside()])


_Rows: TypeAlias = list[tuple[str, dict[str, float]]]


class _ComparedAnswers:
    """Answers of all systems to all questions: rows of measures, and times."""

    def __init__(self, asked: Sequence[_AskedDialogue], *, seed: int, resamples: int) -> None:
        self.asked, self.draws = asked, {"seed": seed, "resamples": resamples}
        self.names = list(asked[0].found)
        self.rivals = self.names[1:]
        self.rows: dict[str, _Rows] = {
            name: [(one.dialogue.genre, scores(one.question, one.found[name])) for one in asked]
            for name in self.names
        }
        self.elapsed_s = {name: [one.found[name].elapsed_s for one in asked] for name in self.names}

    def measures(self, name: str) -> dict[str, metrics.Estimate]:
        """Return the measures of a system, also by the length of dialogues."""
        rows = self.rows[name]
        out = metrics.summarise(rows, **self.draws)
        for turns in dict.fromkeys(one.turns for one in self.asked):
            some = [row for one, row in zip(self.asked, rows, strict=True) if one.turns == turns]
            whole = metrics.summarise([("", values) for _, values in some], **self.draws)
            out |= {f"{n}/turns={turns}": e for n, e in whole.items() if "/" not in n}
        return out

    def timings(self, name: str) -> dict[str, dict[str, float]]:
        """Return the times of a system, with and without embedding the question."""
        embed_s = [one.found[name].embed_s for one in self.asked]
        alone = [a - b for a, b in zip(self.elapsed_s[name], embed_s, strict=True)]
        return {
            "recall": metrics.percentiles_ms(self.elapsed_s[name]),
            "recall_without_embedding": metrics.percentiles_ms(alone),
        }

    def receipts(self, name: str) -> tuple[QuestionReceipt, ...]:
        """Return the findings of a system, question by question."""
        return tuple(_receipt(one, one.found[name]) for one in self.asked)

    def lead(self, name: str) -> _Rows:
        """Return the lead of the system under test over a rival, question by question."""
        return [
            (genre, {n: value - theirs[n] for n, value in ours.items()})
            for (genre, ours), (_, theirs) in zip(self.rows[MAIN], self.rows[name], strict=True)
        ]

    def baseline(self, name: str) -> report.BaselineResult:
        """Return a rival's results, and how far the system under test is ahead of it."""
        return report.BaselineResult(
            metrics=self.measures(name),
            latency_ms=self.timings(name),
            difference=metrics.summarise(self.lead(name), **self.draws),
            receipts=self.receipts(name),
        )

    def tests(self) -> dict[str, object]:
        """Return the tests of significance, against each rival."""
        right = {
            name: [bool(row["factual_recall"]) for _, row in rows]
            for name, rows in self.rows.items()
        }
        flips = {
            name: {
                measure: metrics.sign_flip(
                    [row[measure] for _, row in self.lead(name)], **self.draws
                )
                for measure in self.rows[MAIN][0][1]
            }
            for name in self.rivals
        }
        mcnemar = {name: metrics.mcnemar(right[MAIN], right[name]) for name in self.rivals}
        return {"mcnemar": mcnemar, "sign_flip": flips}


def _report(
    answers: _ComparedAnswers,
    settings: dict[str, object],
    ablation: Mapping[str, object],
    nbytes: int,
    ingest_per_s: float,
) -> Dialogues:
    tail = metrics.tail_ms(answers.elapsed_s[MAIN], **answers.draws)
    return Dialogues(
        benchmark="dialogue",
        commit=report.commit(),
        machine=report.machine(),
        settings=settings,
        metrics=answers.measures(MAIN) | {"latency_p95_ms": tail},
        latency_ms=answers.timings(MAIN),
        ingest_per_s=ingest_per_s,
        bytes_on_disk=nbytes,
        rss_mb=report.rss_mb(),
        baselines={name: answers.baseline(name) for name in answers.rivals},
        receipts=answers.receipts(MAIN),
        extra={**answers.tests(), "paper": PAPER, **ablation},
    )


def _receipt(asked: _AskedDialogue, found: _FoundTurns) -> QuestionReceipt:
    recall, question = found.recall, asked.question
    return QuestionReceipt(
        question=f"{question.id}: {question.text} [{question.span}]",
        kind=asked.dialogue.genre,
        answerable=True,
        gold=question.gold,
        gold_sessions=frozenset(),
        corrected=None,
        ranked=found.ranked[:50],
        sessions=(),
        found=question.span in found.prompt,
        confidence=0.0 if recall is None else recall.confidence,
        elapsed_s=found.elapsed_s,
        embed_s=found.embed_s,
        degraded=() if recall is None else tuple(map(str, recall.degraded)),
    )


# ---------------------------------------------------------------- tables and plots

_MEASURES: Final = ("precision@5", "recall@50", "auprc", "factual_recall")


def tables(made: Mapping[str, Any]) -> list[str]:
    """Return a report as Markdown: answers found, contents of prompts by length, and policies."""
    everyone = {MAIN: made, **made["baselines"]}
    turns = [int(turns) for turns in made["settings"]["questions"]]
    at = [f"factual_recall/turns={length}" for length in turns]
    out = [
        _table(
            ["", *_MEASURES[:3], *(f"recalled at {length}" for length in turns), "median ms"],
            [
                [
                    f"`{name}`",
                    *(_said(each["metrics"][one]) for one in (*_MEASURES[:3], *at)),
                    f"{each['latency_ms']['recall_without_embedding']['p50']:.1f}",
                ]
                for name, each in everyone.items()
            ],
        )
    ]
    if "ablation" in made:
        policies = made["ablation"]["policies"]
        out.append(
            _table(
                ["", "retrieval ms", *_MEASURES, "episodes"],
                [
                    [
                        name,
                        _said(each["retrieval_ms"]),
                        *(_said(each[one]) for one in _MEASURES),
                        f"{each['episodes']:,}",
                    ]
                    for name, each in policies.items()
                ],
            )
        )
    return out


def _said(estimate: Mapping[str, float]) -> str:
    value, low, high = (f"{estimate[name]:.2f}" for name in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---", *("---:" for _ in heads[1:])], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def plot(made: Mapping[str, Any], folder: Path) -> list[Path]:
    """Draw factual recall by length, every system; returns the file."""
    pyplot = require("matplotlib.pyplot", extra="bench", feature="plots")
    folder.mkdir(parents=True, exist_ok=True)
    figure, axes = pyplot.subplots(figsize=(6, 4), layout="constrained")
    turns = [int(turns) for turns in made["settings"]["questions"]]
    for name, each in {MAIN: made, **made["baselines"]}.items():
        said = [each["metrics"][f"factual_recall/turns={length}"] for length in turns]
        values = [one["value"] for one in said]
        below = [max(0.0, one["value"] - one["low"]) for one in said]
        above = [max(0.0, one["high"] - one["value"]) for one in said]
        axes.errorbar(turns, values, (below, above), marker="o", capsize=3, label=name)
    axes.set(
        xscale="log", ylim=(0, 1.02), xlabel="turns of the dialogue", ylabel="facts in the prompt"
    )
    axes.set_xticks(turns, [str(length) for length in turns])
    axes.minorticks_off()
    axes.legend(loc="lower left", fontsize="small")
    path = folder / "dialogue-recall.png"
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
    return [path]
