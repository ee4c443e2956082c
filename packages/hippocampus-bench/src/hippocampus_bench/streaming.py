"""
Recall of a bank that has lived through its sessions under a policy (HUMAN, 8.2 and 9).

Sessions come in order of time, by a clock that is theirs, and the bank sleeps after every so many
and after the last.
The configurations are those of the paper's Tables 3 and 4, over policies of ours.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

from hippocampus import Bank, Embedder, Memory
from hippocampus.core.clock import ManualClock
from hippocampus.core.config import POLICIES, Policy
from hippocampus.core.cue_names import CUES, USED
from hippocampus.core.optional import require
from hippocampus.core.records import DEEPEST, Episode, Progress
from hippocampus.encode.tokens import count
from hippocampus.errors import InputError
from hippocampus.language.extractive_compression import condense
from hippocampus.sleep.schedule import STEPS
from hippocampus_bench import metrics
from hippocampus_bench.answers import MARKING, Answered, Models, compose, reply_to
from hippocampus_bench.datasets import Case, Dataset, KeyedTurn, OpaqueNames, Question, Step
from hippocampus_bench.dwm import MeasuredRun, table
from hippocampus_bench.options import Options
from hippocampus_bench.report import commit, machine
from hippocampus_bench.resumed import Measurements
from hippocampus_bench.trial import Posed, load

SOURCES: Final = ("longmemeval", "realmem")
EVERY: Final = 10
"""Sessions between two sleeps; the paper does not tell its own."""
BUDGET: Final = 3500
"""Tokens of the context that is composed for a question."""
KS: Final = (5, 10)
KEEP: Final = "keep everything"
_HITS: Final = 24
"""Hits that are asked for, so that ten distinct turns remain when long ones come in parts."""
_GRAPH: Final = "graph"
_AGAIN: Final = ("", "As I said: ", "I said it before. ", "To say it again. ")
_A_TURN: Final = timedelta(seconds=1)
_STEPS: Final = tuple(step for step in STEPS if step not in ("gists", "concepts", "topics"))
"""Those that policies touch. What is made of a bank besides costs as much under each, time and
again, and finds next to nothing here that other cues do not."""
_CUES: Final = tuple(cue for cue in USED if cue not in ("signature", "concept", "topic", _GRAPH))

# ---------------------------------------------------------------- configurations

_DEDUP: Final = replace(POLICIES["dedup"], reconsolidate=False)
_ADAPTIVE: Final = replace(POLICIES["adaptive"], reconsolidate=False)
_AGGRESSIVE: Final = replace(POLICIES["aggressive"], reconsolidate=False)


class Configuration(NamedTuple):
    """Policy of sleep for a bank, and whether recall goes along the graph."""

    policy: Policy
    graph: bool = False


CONFIGURATIONS: Final[Mapping[str, Configuration]] = {
    KEEP: Configuration(Policy(merge="off", reconsolidate=False)),
    "dedup-only": Configuration(_DEDUP),
    "dedup + recon": Configuration(replace(_DEDUP, reconsolidate=True)),
    "dedup + hybrid": Configuration(_DEDUP, graph=True),
    **{
        f"adaptive-{thousands}K": Configuration(replace(_ADAPTIVE, token_target=thousands * 1000))
        for thousands in (200, 115, 50, 25, 10)
    },
    "aggressive": Configuration(_AGGRESSIVE),
    "aggressive + recon": Configuration(replace(_AGGRESSIVE, reconsolidate=True)),
}
"""The nine of Table 3, "raw RAG" being ``keep everything``, and the targets of Table 4."""


LEVELS: Final[Mapping[str, Configuration]] = {
    f"all at L{level}": Configuration(replace(_ADAPTIVE, token_target=1, deepest=level))
    for level in range(1, DEEPEST + 1)
}
"""Everything at one level of detail, which is what a target of next to nothing comes to; measured
when it is asked for."""


def _chosen(names: Sequence[str] | None) -> dict[str, Configuration]:
    every = {**CONFIGURATIONS, **LEVELS}
    unknown = [name for name in names or () if name not in every]
    if unknown:
        msg = f"systems={unknown[0]!r}: must be of {', '.join(every)}"
        raise InputError(msg)
    wanted = {KEEP, *(CONFIGURATIONS if names is None else names)}
    return {
        name: one
        for name, one in every.items()
        if name in wanted and (not one.graph or _GRAPH in CUES)
    }


# ---------------------------------------------------------------- one life


class AskedOutcome(NamedTuple):
    """A question asked of a bank that has lived: how well it did, and what it was given."""

    kind: str
    measures: Mapping[str, float]
    composed: Answered | None
    """None of a life that an earlier run has lived."""


class KeptInBank(NamedTuple):
    """Remains of the turns that a bank was told."""

    episodes: int
    tokens: int
    """Tokens of the shown text: of a faded memory, those that its level leaves."""


@dataclass
class _StreamedLife:
    """A bank under a policy, told session after session."""

    bank: Bank
    clock: ManualClock
    case: Case
    cues: tuple[str, ...]
    every: int
    labels: OpaqueNames

    ids: dict[str, list[str]] = field(default_factory=dict)
    """Episodes by the label of their turn,"""
    session_of: dict[str, str] = field(default_factory=dict)
    """and the label of its session."""

    def live(self) -> tuple[list[AskedOutcome], KeptInBank]:
        """Tell, sleep and ask, in the order in which it happened."""
        ids, session_of = self.ids, self.session_of
        outcomes = []
        steps = list(in_sessions(self.case))
        sessions = sum(bool(step.remember) for step in steps)
        told = 0
        for step in steps:
            outcomes += self.ask(step.ask)
            turns = []
            for said in step.remember:
                ref = self._label("turn", said.key)
                session = session_of[ref] = self._label("session", said.turn.session or "")
                turns.append(replace(said.turn, session=session, metadata={"ref": ref}))
                self._wait(_at(said))
            for episode in self.bank.remember_many(turns):
                ids.setdefault(str(episode.metadata["ref"]), []).append(episode.id)
            told += bool(turns)
            if turns and (told % self.every == 0 or told == sessions):
                self.bank.sleep(steps=_STEPS)
        return outcomes, _kept(self.bank)

    def ask(self, questions: Sequence[Question]) -> list[AskedOutcome]:
        """Ask when the data asks."""
        outcomes = []
        for question in questions:
            self._wait(question.now)
            outcomes.append(self._ask(question, self.ids, self.session_of))
        return outcomes

    def _label(self, kind: str, key: str) -> str:
        return self.labels.of(kind, self.case.id, key)

    def _wait(self, until: datetime) -> None:
        self.clock.set(max(self.clock.now(), until))

    def _ask(
        self, question: Question, ids: Mapping[str, list[str]], session_of: Mapping[str, str]
    ) -> AskedOutcome:
        posed = Posed(self.bank, question, "", self.cues, None, session_of, self._label)
        recall = self.bank.recall(question.text, k=_HITS, now=question.now, cues=self.cues)
        composed = compose(posed, [BUDGET])
        ranked = dict.fromkeys(str(hit.episode.metadata.get("ref")) for hit in recall.hits)
        gold = posed.labels("turn", question.gold)
        standing = gold | {
            str(self._standing(id_).metadata["ref"]) for ref in gold for id_ in ids.get(ref, ())
        }
        sessions = posed.labels("session", question.gold_sessions)
        sessions |= {session_of[ref] for ref in standing}
        measures = dict(composed.measures)
        if question.answerable:
            if standing:
                measures |= {
                    f"turn_recall_any@{k}": metrics.any_at(list(ranked), standing, k) for k in KS
                }
            if sessions:
                measures |= {
                    f"session_recall_any@{k}": metrics.any_at(recall.sessions, sessions, k)
                    for k in KS
                }
        return AskedOutcome(question.kind, measures, composed)

    def _standing(self, id_: str) -> Episode:
        """Return the episode that stands for one, which may be itself."""
        episode = self.bank.get(id_)
        while episode.state == "superseded" and episode.superseded_by is not None:
            episode = self.bank.get(episode.superseded_by)
        return episode


def repeating(case: Case, share: float, seed: int) -> Case:
    """
    Have a share of all turns told once more in a later session, as people tell things twice.

    The speaker is the same and the words are, but for how they begin. A repetition of evidence is
    evidence.
    """
    dice = random.Random(f"{seed}/{case.id}")  # noqa: S311 - not for secrets
    steps = list(in_sessions(case))
    told: dict[int, list[KeyedTurn]] = {}
    again: dict[str, str] = {}
    for place, step in enumerate(steps):
        later = [at for at, other in enumerate(steps) if at > place and other.remember]
        for said in step.remember:
            if not later or dice.random() >= share:
                continue
            at = dice.choice(later)
            key = again[said.key] = f"{said.key} again"
            where = steps[at].remember[-1].turn
            text = f"{dice.choice(_AGAIN)}{said.turn.text}"
            turn = replace(said.turn, text=text, session=where.session)
            told.setdefault(at, []).append(KeyedTurn(key, turn))
    out = []
    for place, step in enumerate(steps):
        more = tuple(
            replace(one, turn=replace(one.turn, at=_at(step.remember[-1]) + (nth + 1) * _A_TURN))
            for nth, one in enumerate(told.get(place, ()))
        )
        ask = tuple(
            replace(q, gold=q.gold | {again[key] for key in q.gold if key in again})
            for q in step.ask
        )
        out.append(Step(ask=ask, remember=step.remember + more))
    return Case(case.id, tuple(out))


def in_sessions(case: Case) -> Iterator[Step]:
    """Yield a case's steps, one to a session, in order of time; questions where they were."""
    for step in case.steps:
        if step.ask:
            yield Step(ask=step.ask)
        by_session = {
            session: list(said)
            for session, said in groupby(
                sorted(step.remember, key=lambda one: (one.turn.session or "", _at(one))),
                key=lambda one: one.turn.session or "",
            )
        }
        for said in sorted(by_session.values(), key=lambda said: _at(said[0])):
            yield Step(remember=tuple(said))


def _at(said: KeyedTurn) -> datetime:
    at = said.turn.at
    assert isinstance(at, datetime), "data sets of streams tell when everything was said"
    return at


def _kept(bank: Bank) -> KeptInBank:
    shown = bank.episodes()
    return KeptInBank(len(shown), sum(count(condense(one.text, one.level)) for one in shown))


# ---------------------------------------------------------------- the run


@dataclass(frozen=True, slots=True, kw_only=True)
class Streams(MeasuredRun):
    """Measurements of a run, a row a configuration."""

    benchmark: ClassVar[str] = "streaming"

    def tables(self) -> list[str]:
        """Return the shares found and kept as Markdown."""
        return tables(self.as_dict())

    def plot(self, folder: Path) -> list[Path]:
        """Draw the share found by the share kept."""
        return plot(self.as_dict(), folder)


def _check(source: str, every: int, repeats: float) -> None:
    """Raise ``InputError`` for what makes no stream."""
    if source not in SOURCES:
        msg = f"source={source!r}: must be {' or '.join(SOURCES)}"
        raise InputError(msg)
    if every < 1:
        msg = f"every={every}: must be at least 1 session"
        raise InputError(msg)
    if not 0 <= repeats <= 1:
        msg = f"repeats={repeats}: must be a share from 0 to 1"
        raise InputError(msg)


def run(  # noqa: PLR0913 - a report has as many parts
    data: Path,
    source: str,
    *,
    every: int = EVERY,
    once: bool = False,
    resume: Path | None = None,
    repeats: float = 0.0,
    systems: Sequence[str] | None = None,
    limit: int | None = None,
    seed: int = 0,
    embedder: Embedder | None = None,
    models: Models | None = None,
    resamples: int = 2000,
    progress: Progress | None = None,
) -> Streams:
    """
    Let banks live through a benchmark's sessions, a configuration each, and ask its questions.

    Args:
        data: the data set's file; for RealMem also a folder of them.
        source: longmemeval or realmem.
        every: sessions between two sleeps.
        once: let a bank live once for all targets of tokens, and forget on its last night alone,
            in a copy for each; where questions are asked at the end, as LongMemEval's are.
        resume: a file to note in what was measured, and to go on from.
        repeats: the share of turns that are told twice, to see what merging does where it can; the
            data sets' speakers hardly repeat themselves.
        systems: only these of ``CONFIGURATIONS``, and ``keep everything``.
        limit: ask only the first so many questions, taken in turn from each kind.
        seed: of opaque labels and intervals.
        embedder: whose vectors; without, by words alone, where only the same words are merged.
        models: who answers and who judges; without, only what contexts contain is measured.
        resamples: draws of the bootstrap.
        progress: called with lives lived, and their total.

    Raises:
        InputError: unknown source or configuration, or a file that does not follow its schema.

    """
    _check(source, every, repeats)
    if resume is not None and models is not None:
        msg = f"resume={str(resume)!r}: contexts are not noted there; leave out the models, or it"
        raise InputError(msg)
    chosen = _chosen(systems)
    dataset = load(source, data, Options(limit=limit, seed=seed))
    if repeats:
        told = tuple(repeating(case, repeats, seed) for case in dataset.cases)
        dataset = replace(dataset, cases=told)
    ran = commit()  # now, for it may be another when the last life has been lived
    settings = _settings(source, dataset, embedder) | {
        "limit": limit,
        "sleeps": f"after every {every} sessions and the last",
        "lives": "one for all targets of tokens, which are met on the last night"
        if once
        else "own",
        "told twice": repeats,
        "left out": [name for name in CONFIGURATIONS if name not in chosen],
        "answered by": None if models is None else str(getattr(models.answers, "name", "")),
        "seed": seed,
        "bootstrap_resamples": resamples,
    }
    lives = _Lives(chosen, embedder, every, seed, once, Measurements(resume, settings))
    found: dict[str, list[AskedOutcome]] = {name: [] for name in chosen}
    kept: dict[str, list[KeptInBank]] = {name: [] for name in chosen}
    for place, case in enumerate(dataset.cases):
        for name, (outcomes, left) in lives.of(case).items():
            found[name].extend(outcomes)
            kept[name].append(left)
        if progress:
            progress((place + 1) * len(chosen), len(chosen) * len(dataset.cases))
    if models is not None:
        found = {name: _replied(some, models, source) for name, some in found.items()}
    drawn = {"seed": seed, "resamples": resamples}
    return Streams(
        commit=ran,
        machine=machine(),
        settings=settings,
        rows=[_row(name, found, kept, chosen[name], drawn) for name in chosen],
    )


def _settings(source: str, dataset: Dataset, embedder: Embedder | None) -> dict[str, object]:
    return {
        "source": source,
        "data": dict(dataset.files),
        "questions": sum(len(step.ask) for case in dataset.cases for step in case.steps),
        "banks": len(dataset.cases),
        "embedder": None if embedder is None else str(embedder.fingerprint),
        "context_tokens": BUDGET,
    }


@dataclass(frozen=True)
class _Lives:
    """A case lived under every configuration, or what an earlier run has noted of that."""

    chosen: Mapping[str, Configuration]
    embedder: Embedder | None
    every: int
    seed: int
    once: bool
    noted: Measurements

    def of(self, case: Case) -> dict[str, tuple[list[AskedOutcome], KeptInBank]]:
        """Return the figures of each configuration."""
        known = {name: self.noted.get(f"{case.id}: {name}") for name in self.chosen}
        missing = [name for name, one in known.items() if one is None]
        lived: dict[str, tuple[list[AskedOutcome], KeptInBank]] = {}
        if self.once and _asks_at_the_end(case):
            for together in self._families(missing):
                lived |= self._together(case, together)
        else:
            lived = {name: self._alone(case, self.chosen[name]) for name in missing}
        for name, (outcomes, left) in lived.items():
            told = [[one.kind, dict(one.measures)] for one in outcomes]
            self.noted.add(f"{case.id}: {name}", {"outcomes": told, "kept": list(left)})
        for name, one in known.items():
            if one is not None:
                before = [AskedOutcome(kind, measures, None) for kind, measures in one["outcomes"]]
                lived[name] = before, KeptInBank(*one["kept"])
        return {name: lived[name] for name in self.chosen}

    def _alone(
        self, case: Case, configuration: Configuration
    ) -> tuple[list[AskedOutcome], KeptInBank]:
        with (
            tempfile.TemporaryDirectory(prefix="hippocampus-bench-") as folder,
            self._bank(Path(folder) / "stream.db", case, configuration) as life,
        ):
            return life.live()

    def _together(
        self, case: Case, names: Sequence[str]
    ) -> dict[str, tuple[list[AskedOutcome], KeptInBank]]:
        """
        Live once, and then meet each target, and ask, in a copy of its own.

        What is asked of one is of use from then on, so the next would keep what it asks for.
        """
        told = Case(case.id, tuple(replace(step, ask=()) for step in case.steps))
        asked = [question for step in case.steps for question in step.ask]
        found: dict[str, tuple[list[AskedOutcome], KeptInBank]] = {}
        with tempfile.TemporaryDirectory(prefix="hippocampus-bench-") as folder:
            lived = Path(folder) / "lived.db"
            as_one = Configuration(_without_target(self.chosen[names[0]].policy))
            with self._bank(lived, told, as_one) as life:
                life.live()
            for name in names:
                copy = Path(folder) / "copy.db"
                shutil.copy(lived, copy)
                own = self.chosen[name]
                with self._bank(copy, case, own) as again:
                    again.ids, again.session_of = life.ids, life.session_of
                    again.clock.set(life.clock.now())
                    if own.policy.token_target is not None:
                        again.bank.sleep(steps=("forget",))
                    left = _kept(again.bank)
                    found[name] = again.ask(asked), left
        return found

    def _families(self, names: Sequence[str]) -> list[list[str]]:
        """Return configurations that can live together: they differ in the target alone."""
        found: dict[Policy, list[str]] = {}
        for name in names:
            found.setdefault(_without_target(self.chosen[name].policy), []).append(name)
        return list(found.values())

    @contextmanager
    def _bank(
        self, path: Path, case: Case, configuration: Configuration
    ) -> Iterator[_StreamedLife]:
        labels = OpaqueNames(self.seed)
        clock = ManualClock(min(map(_at, case.said), default=datetime.now(UTC)))
        cues = _CUES + (_GRAPH,) * configuration.graph
        with Memory(path, embedder=self.embedder or "none", clock=clock) as memory:
            bank = memory.bank(f"bench-{labels.of('bank', case.id)}")
            bank.set_policy(configuration.policy)
            yield _StreamedLife(bank, clock, case, cues, self.every, labels)


def _without_target(policy: Policy) -> Policy:
    """Return a policy as it is until the night on which its target is met, of which none fades."""
    if policy.token_target is not None:
        policy = replace(policy, token_target=None, deepest=0, cap=_DEDUP.cap)
    return replace(policy, reconsolidate=False)  # nothing is recalled by then


def _asks_at_the_end(case: Case) -> bool:
    asks = [bool(step.ask) for step in case.steps]
    tells = [place for place, step in enumerate(case.steps) if step.remember]
    return not any(asks[: max(tells, default=0)])


def _replied(outcomes: Sequence[AskedOutcome], models: Models, source: str) -> list[AskedOutcome]:
    composed = [one.composed for one in outcomes if one.composed is not None]
    if all(one.question.answer is None for one in composed):
        return list(outcomes)
    answered = reply_to(composed, models, MARKING[source])
    return [
        one._replace(measures={**one.measures, **answer.measures})
        for one, answer in zip(outcomes, answered, strict=True)
    ]


def _row(
    name: str,
    found: Mapping[str, Sequence[AskedOutcome]],
    kept: Mapping[str, Sequence[KeptInBank]],
    configuration: Configuration,
    drawn: Mapping[str, int],
) -> dict[str, Any]:
    """Return the figures of a configuration, beside keeping everything on the same questions."""
    ours, base = found[name], found[KEEP]
    lead = [
        (one.kind, {n: v - other.measures[n] for n, v in one.measures.items()})
        for one, other in zip(ours, base, strict=True)
    ]
    tokens, episodes = (
        [float(getattr(one, part)) for one in kept[name]] for part in ("tokens", "episodes")
    )
    of_all = sum(one.tokens for one in kept[KEEP])
    return {
        "configuration": name,
        "token_target": configuration.policy.token_target,
        "store_tokens": sum(tokens) / len(tokens),
        "store_episodes": sum(episodes) / len(episodes),
        "tokens_kept": sum(tokens) / of_all if of_all else 1.0,
        "metrics": _estimates(metrics.summarise([(o.kind, o.measures) for o in ours], **drawn)),
        "difference": _estimates(metrics.summarise(lead, **drawn)),
    }


def _estimates(found: Mapping[str, metrics.Estimate]) -> dict[str, dict[str, float | int]]:
    return {
        name: {part: round(value, 6) for part, value in one.as_dict().items()}
        for name, one in found.items()
    }


# ---------------------------------------------------------------- tables and plots

_ABOUT_THE_SAME: Final = 1.1

_SHOWN: Final = {
    "turn_recall_any@5": "turn any@5",
    "turn_recall_any@10": "turn any@10",
    "session_recall_any@5": "session any@5",
    "session_recall_any@10": "session any@10",
    f"containment@{BUDGET}": "answer in context",
    "accuracy": "accuracy",
}


def tables(report: Mapping[str, Any]) -> list[str]:
    """Return a report as Markdown: tokens kept, answers found, and the loss against keeping all."""
    rows = report["rows"]
    shown = [name for name in _SHOWN if any(name in row["metrics"] for row in rows)]
    last = next(name for name in reversed(list(_SHOWN)[:4]) if name in shown)
    heads = ["", "tokens kept", "of all", "episodes", *(_SHOWN[name] for name in shown)]
    return [
        table(
            [*heads, f"{_SHOWN[last]}, from all", "context, tokens"],
            (
                [
                    row["configuration"],
                    f"{row['store_tokens']:,.0f}",
                    f"{row['tokens_kept']:.2f}",
                    f"{row['store_episodes']:,.0f}",
                    *(_said(row["metrics"][name]) for name in shown),
                    _said(row["difference"][last], "+"),
                    f"{row['metrics'][f'context_tokens@{BUDGET}']['value']:,.0f}",
                ]
                for row in rows
            ),
        )
    ]


def _said(estimate: Mapping[str, float], sign: str = "") -> str:
    value, low, high = (f"{estimate[name]:{sign}.3f}" for name in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"


def curve(report: Mapping[str, Any], measure: str) -> list[tuple[float, float]]:
    """Return tokens kept and what is found, from the smallest target to keeping everything."""
    rows = [r for r in report["rows"] if r["token_target"] or r["configuration"] == KEEP]
    points = [(r["store_tokens"], r["metrics"][measure]["value"]) for r in rows]
    return sorted(points)


def _together(rows: Sequence[Mapping[str, Any]]) -> list[tuple[float, list[str]]]:
    """Return the places of configurations on the axis, those that keep about as much as one."""
    found: list[tuple[float, list[str]]] = []
    for row in sorted(rows, key=lambda row: float(row["store_tokens"])):
        if found and row["store_tokens"] <= found[-1][0] * _ABOUT_THE_SAME:
            found[-1][1].append(row["configuration"])
        else:
            found.append((row["store_tokens"], [row["configuration"]]))
    return found


def plot(report: Mapping[str, Any], folder: Path) -> list[Path]:
    """
    Draw the share found by the share kept; returns the file.

    Raises:
        MissingExtra: matplotlib is not installed.

    """
    require("matplotlib", extra="bench", feature="drawing plots")
    from matplotlib.figure import Figure  # noqa: PLC0415 - only when something is drawn

    folder.mkdir(parents=True, exist_ok=True)
    shown = [name for name in _SHOWN if name in report["rows"][0]["metrics"]]
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    axes = figure.subplots()
    for place, name in enumerate(shown):
        colour = f"C{place}"
        axes.plot(*zip(*curve(report, name), strict=True), color=colour, label=_SHOWN[name])
        for row in report["rows"]:
            at, one = row["store_tokens"], row["metrics"][name]
            axes.errorbar(
                at, one["value"], [[one["value"] - one["low"]], [one["high"] - one["value"]]],
                fmt="o", markersize=4, color=colour, alpha=0.6, linewidth=0.8,
            )  # fmt: skip
    for at, names in _together(report["rows"]):
        axes.annotate(
            "\n".join(names), (at, 0.02), fontsize=6, rotation=90, ha="center", va="bottom"
        )
        axes.axvline(at, color="grey", alpha=0.15, linewidth=0.8)
    axes.set(xscale="log", xlabel="tokens kept in a bank", ylabel="of questions", ylim=(0, 1.05))
    axes.set_title(f"What is still found, by what is kept: {report['settings']['source']}")
    axes.grid(visible=True, alpha=0.2)
    figure.legend(loc="outside right upper", fontsize="small")
    path = folder / f"streaming-{report['settings']['source']}.png"
    figure.savefig(path, dpi=110, metadata={"Software": None})
    return [path]
