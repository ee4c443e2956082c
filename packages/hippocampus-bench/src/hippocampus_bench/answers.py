"""
Quality of answers that are made from a bank's context for a prompt.

By a language model, where there is one: it answers, and its answers are compared and judged. In any
case by *containment*, which asks nobody: whether the words of the right answer are in the context.
"""

from __future__ import annotations

import math
import re
import string
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import Stemmer

from hippocampus.core.quotes import INDENT, MARKS, unquote
from hippocampus.core.records import Usage
from hippocampus.errors import EncoderError, InputError, ModelAnswer, NotRecorded
from hippocampus.language.time import find_intervals
from hippocampus.llm import ask as llm
from hippocampus.llm.ask import ChatModel, Completer, ModelReply
from hippocampus_bench import metrics, report
from hippocampus_bench.datasets import Dataset, Question
from hippocampus_bench.options import Options
from hippocampus_bench.report import Report
from hippocampus_bench.runner import MAIN, settings, slept
from hippocampus_bench.trial import Lived, Posed, live, load

BUDGETS: Final = (500, 1000, 2000, 3500)
"""Tokens of the contexts; a model answers from the largest."""
RECENT: Final = "most recent"
"""System that gives the latest turns, whatever is asked, as a bank without recall would."""
BASELINES: Final = ("lexical", "vector")
_LEAST_LINE: Final = 12
"""Tokens that a line of a context has at least, date and speaker included: so many hits fill it."""

# ---------------------------------------------------------------- words of an answer

_ARTICLES = re.compile(r"\b(a|an|the|and)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_porter = lru_cache(maxsize=1 << 16)(Stemmer.Stemmer("porter", 0).stemWord)


def normalised(text: str) -> list[str]:
    """Return the words of an answer as LoCoMo compares them: no case, punctuation or articles."""
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def stems(text: str) -> list[str]:
    """Return the stems of ``normalised`` words (Porter 1980)."""
    return [_porter(word) for word in normalised(text)]


def f1(reply: str, answer: str) -> float:
    """Return the F1 of the stems that a reply and an answer share, each as often as in both."""
    said, right = stems(reply), stems(answer)
    shared = sum((Counter(said) & Counter(right)).values())
    return 2 * shared / (len(said) + len(right)) if shared else 0.0


def f1_of_several(reply: str, answer: str) -> float:
    """Return the mean over the parts of an answer, between commas, of the best part's F1."""
    said = reply.split(",")
    right = answer.split(",")
    return sum(max(f1(one, part) for one in said) for part in right) / len(right)


def bleu1(reply: str, answer: str) -> float:
    """Return the share of a reply's words that the answer has, less when the reply is shorter."""
    said, right = normalised(reply), normalised(answer)
    shared = sum((Counter(said) & Counter(right)).values())
    if not shared:
        return 0.0
    return shared / len(said) * math.exp(min(0.0, 1 - len(right) / len(said)))


# ---------------------------------------------------------------- words and days of a text

_MONTHS = "january february march april may june july august september october november december"
_MONTH: Final = {
    form: place
    for place, name in enumerate(_MONTHS.split(), 1)
    for form in (name, name[:3], name[:4] if name == "september" else name)
}
_NAMED = rf"(?P<month>{'|'.join(sorted(_MONTH, key=len, reverse=True))})\b\.?"
_DATES = [
    re.compile(form, re.IGNORECASE)
    for form in (
        r"\b(?P<year>\d{4})[-/](?P<number>\d\d)[-/](?P<day>\d\d)\b",
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|\W)?\s*(?:of\s+)?{_NAMED}(?:,?\s*(?P<year>\d{{4}})\b)?",
        rf"\b{_NAMED}\s*(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s*(?P<year>\d{{4}})\b)?",
        rf"\b{_NAMED},?\s+(?P<year>\d{{4}})\b",
    )
]
_LINE = re.compile(rf"\[(\d{{4}}-\d\d-\d\d \d\d:\d\d){MARKS}\] ?(.*)", re.DOTALL)
_BETWEEN_LINES = re.compile(rf"\n(?!{INDENT})")
_DAY = timedelta(days=1)


def find_words(text: str) -> frozenset[str]:
    """Return the stems of a text; a date, however it is written, is one word: "2023-05-07"."""
    days: set[str] = set()
    rest = text
    for form in _DATES:
        for found in form.finditer(rest):
            parts = found.groupdict()
            month = parts.get("number") or _MONTH[(parts.get("month") or "").lower()]
            days.add(_spelled(parts.get("year"), int(month), parts.get("day")))
        rest = form.sub(" ", rest)
    return frozenset(stems(rest)) | days


def _spelled(year: str | None, month: int, day: str | None) -> str:
    """Return a date of which some parts may not be said as one word."""
    return f"{year or '-'}-{month:02}" + (f"-{int(day):02}" if day else "")


def find_shown(context: str) -> frozenset[str]:
    """
    Return the words that a context shows, and the days it tells.

    It tells the days on which something was said, and those that "yesterday" and the like are,
    reckoned from there; of each also the month, the year, and the day without its year.
    """
    return frozenset().union(*map(_shown_in, _BETWEEN_LINES.split(context)))


@lru_cache(maxsize=1 << 15)
def _shown_in(line: str) -> frozenset[str]:
    found = _LINE.match(line)
    if found is None:  # a tag of the frame tells nothing
        return frozenset() if line.startswith("<") else find_words(unquote(line))
    text = unquote(found[2])
    occurred_at = datetime.fromisoformat(found[1]).replace(tzinfo=UTC)
    words = set(find_words(text)) | _told(occurred_at.date())
    for word in list(words):
        if date_ := _as_date(word):
            words |= _told(date_)
    for interval in find_intervals(text, occurred_at):
        if interval.start is None or interval.end is None:
            continue
        if interval.end - interval.start <= _DAY:
            words |= _told(interval.start.date())
        elif interval.start.day == interval.end.day == 1:
            words |= _of_whole(interval.start.date(), interval.end.date())
    return frozenset(words)


def _as_date(word: str) -> date | None:
    try:
        return date.fromisoformat(word) if re.fullmatch(r"\d{4}-\d\d-\d\d", word) else None
    except ValueError:
        return None


def _told(day: date) -> set[str]:
    """Return every word that a day, shown in full, lets a reader say."""
    month = _porter(day.strftime("%B").lower())
    return {f"{day}", f"--{day:%m-%d}", f"{day:%Y-%m}", f"{day:%Y}", month}


def _of_whole(first: date, end: date) -> set[str]:
    """Return the words of a whole month or year; nothing for other stretches."""
    months = (end.year - first.year) * 12 + end.month - first.month
    if months == 1:
        return {f"{first:%Y-%m}", f"{first:%Y}", _porter(first.strftime("%B").lower())}
    return {f"{first:%Y}"} if months == 12 and first.month == 1 else set()


# ---------------------------------------------------------------- what is put to a model


class _ModelTask(NamedTuple):
    """Task for a model: a question to answer, or, with a reply, one to judge."""

    question: Question
    context: str
    reply: str = ""


def _to_answer(task: _ModelTask) -> str:
    asked = task.question
    return f"{task.context}\n\nToday is {asked.now:%A, %d %B %Y}.\n\nQuestion: {asked.text}"


def _to_judge(task: _ModelTask) -> str:
    asked = task.question
    return llm.as_data(
        {"question": asked.text, "reference": asked.answer or "", "candidate": task.reply}
    )


def _read_reply(answer: str) -> str:
    reply = answer.rpartition("</think>")[2].strip()
    if not reply:
        msg = "it is empty"
        raise ModelAnswer(msg)
    return reply


def _read_score(answer: str) -> float:
    reply = _SCALE.sub(" ", _read_reply(answer))
    return float(_judgement(reply, r"(?<![\d.])([1-5])(?!\.?\d)", "an integer between 1 and 5"))


def _read_verdict(answer: str) -> float:
    return float("yes" == _judgement(_read_reply(answer).lower(), r"\b(yes|no)\b", "yes or no"))


def _judgement(reply: str, form: str, wanted: str) -> str:
    """Return the judgement with which a reply begins, or the only one that it has."""
    begins, found = re.match(rf"\W*{form}", reply), set(re.findall(form, reply))
    if begins is None and len(found) != 1:  # "There is no doubt: yes."
        msg = f"it must be {wanted}, and nothing else"
        raise ModelAnswer(msg)
    return str(begins[1]) if begins else found.pop()


_SCALE: Final = re.compile(r"\b1\s*(?:to|-|–)\s*5\b|(?<=\d)\s*(?:/|out of)\s*5\b")
"""Mention of all the scores there are, which is none."""
PROMPTS: Final = Path(__file__).parent / "prompts"
_SCORE: Final = llm.ModelTask(kind="judge-score", read=_read_score, show=_to_judge, folder=PROMPTS)
_VERDICTS: Final = {
    kind: llm.ModelTask(kind=kind, read=_read_verdict, show=_to_judge, folder=PROMPTS)
    for kind in (
        "judge-correct",
        "judge-temporal",
        "judge-update",
        "judge-preference",
        "judge-abstention",
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Marking:
    """Rules by which a benchmark's answers are marked; ``judges`` by kind of question."""

    prompt: str = "answer"
    judges: Mapping[str, str] = field(default_factory=dict)
    several: frozenset[str] = frozenset()
    """Kinds whose answers are several things between commas."""
    refusals: tuple[str, ...] = ()
    """Phrases of a refusal to answer; without any, a judge says whether a reply refuses."""


MARKING: Final[Mapping[str, Marking]] = {
    "locomo": Marking(
        prompt="answer-short",
        several=frozenset({"multi-hop"}),
        refusals=("no information available", "not mentioned"),
    ),
    "longmemeval": Marking(
        judges={
            "temporal-reasoning": "judge-temporal",
            "knowledge-update": "judge-update",
            "single-session-preference": "judge-preference",
        }
    ),
    "retrieval": Marking(),
}


class Models(NamedTuple):
    """Models that answer and judge."""

    answers: Completer | ChatModel
    judges: Completer | ChatModel


# ---------------------------------------------------------------- one question


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A question, what a system gave for its prompt, and what came of that."""

    question: Question
    context: str = field(repr=False)
    """The largest."""
    tokens: Mapping[int, int]
    """Tokens of the contexts by budget."""
    measures: Mapping[str, float]
    search_s: float
    """Seconds to compose the largest."""
    reply: str | None = None
    failed: str = ""
    """Why a model gave no reply, or no judgement."""
    answer_s: float = 0.0
    usage: Usage = field(default_factory=Usage)

    @property
    def kind(self) -> str:
        """Return the kind of the question."""
        return self.question.kind

    def as_dict(self, system: str) -> dict[str, object]:
        """Return the line of the receipts file."""
        return {
            "system": system,
            "question": self.question.id,
            "kind": self.kind,
            "answerable": self.question.answerable,
            "answer": self.question.answer,
            "reply": self.reply,
            "failed": self.failed,
            "tokens": dict(self.tokens),
            "measures": {name: round(value, 6) for name, value in self.measures.items()},
            "search_ms": round(self.search_s * 1e3, 3),
            "answer_ms": round(self.answer_s * 1e3, 3),
        }


def compose(posed: Posed, budgets: Sequence[int] = BUDGETS) -> Answered:
    """Have a system compose contexts for a question, and look for the answer's words in them."""
    question = posed.question
    tokens: dict[int, int] = {}
    measures: dict[str, float] = {}
    text, search_s = "", 0.0
    asked = question.answerable and question.answer is not None
    sought = find_words(question.answer or "") if asked else frozenset()
    for budget in budgets:
        most = budget // _LEAST_LINE
        start = time.perf_counter()
        context = posed.bank.context(
            question.text,
            budget,
            k=0 if posed.system == RECENT else most,
            recent=most if posed.system == RECENT else 0,
            now=question.now,
            cues=None if posed.system == RECENT else posed.cues,
            session=posed.sessions,
        )
        search_s = time.perf_counter() - start
        text, tokens[budget] = context.text, context.tokens
        measures[f"context_tokens@{budget}"] = context.tokens
        if sought:
            there = len(sought & find_shown(text)) / len(sought)
            measures[f"containment@{budget}"] = float(there == 1)
            measures[f"word_recall@{budget}"] = there
    return Answered(
        question=question, context=text, tokens=tokens, measures=measures, search_s=search_s
    )


# ---------------------------------------------------------------- many questions


def reply_to(composed: Sequence[Answered], models: Models, marking: Marking) -> list[Answered]:
    """
    Have a model answer and another judge; questions in their order.

    A question whose answer or judgement failed says why, and lacks the measures.

    Raises:
        EncoderError: not one question was answered.

    """
    took = [0.0] * len(composed)
    prompt = llm.ModelTask(kind=marking.prompt, read=_read_reply, show=_to_answer, folder=PROMPTS)

    def answer(place: int) -> ModelReply[str]:
        one = composed[place]
        start = time.perf_counter()
        asked = llm.ask(models.answers, prompt, _ModelTask(one.question, one.context))
        took[place] = time.perf_counter() - start
        return asked

    replies = _each(range(len(composed)), answer, models.answers)
    _check_any(replies)
    out = [
        replace(one, answer_s=seconds, usage=asked.usage)
        for one, asked, seconds in zip(composed, replies, took, strict=True)
    ]
    for place, asked in enumerate(replies):
        out[place] = _replied(out[place], asked.answer, marking)
    for what, which in (("judge", _score_of), ("accuracy", _verdict_of)):
        judged = [
            (place, question)
            for place, one in enumerate(out)
            if one.reply is not None and (question := which(one.question, marking)) is not None
        ]

        def judge(pair: tuple[int, llm.ModelTask[float]]) -> ModelReply[float]:
            one = out[pair[0]]
            task = _ModelTask(one.question, one.context, one.reply or "")
            return llm.ask(models.judges, pair[1], task)

        said = _each(judged, judge, models.judges)
        _check_any(said)
        for (place, _), asked in zip(judged, said, strict=True):
            out[place] = _marked(out[place], what, asked.answer)
    return out


def _each(
    many: Sequence[Any], work: Callable[[Any], ModelReply[Any]], model: object
) -> list[ModelReply[Any]]:
    at_once = model.concurrency if isinstance(model, ChatModel) else 1
    return llm.each(many, work, at_once)


def _check_any(asked: Sequence[ModelReply[Any]]) -> None:
    failed = [one.answer for one in asked if isinstance(one.answer, EncoderError)]
    for one in failed:
        if len(failed) == len(asked) or isinstance(one, NotRecorded):
            raise one


def _replied(one: Answered, reply: str | EncoderError, marking: Marking) -> Answered:
    if isinstance(reply, EncoderError):
        return replace(one, failed=str(reply))
    question = one.question
    measures = dict(one.measures)
    measures["tokens_per_query"] = one.usage.total_tokens
    if question.answerable and question.answer is not None:
        compare = f1_of_several if question.kind in marking.several else f1
        measures["f1"] = compare(reply, question.answer)
        measures["bleu1"] = bleu1(reply, question.answer)
    elif not question.answerable and marking.refusals:
        measures["abstained"] = float(any(said in reply.lower() for said in marking.refusals))
    return replace(one, reply=reply, measures=measures)


def _score_of(question: Question, _marking: Marking) -> llm.ModelTask[float] | None:
    return _SCORE if question.answerable and question.answer is not None else None


def _verdict_of(question: Question, marking: Marking) -> llm.ModelTask[float] | None:
    if not question.answerable:
        return None if marking.refusals else _VERDICTS["judge-abstention"]
    if question.answer is None:
        return None
    return _VERDICTS[marking.judges.get(question.kind, "judge-correct")]


def _marked(one: Answered, what: str, said: float | EncoderError) -> Answered:
    if isinstance(said, EncoderError):
        return replace(one, failed=f"{what}: {said}")
    marks = {what: said}
    if what == "accuracy" and not one.question.answerable:
        marks["abstained"] = said  # and it counts for its kind, as the official figures do
    return replace(one, measures={**one.measures, **marks})


# ---------------------------------------------------------------- the run


def run(
    name: str, data: Path, *, options: Options | None = None, models: Models | None = None
) -> Report:
    """
    Run a benchmark of questions and answers, and report how well they are answered.

    Args:
        name: locomo or longmemeval, or retrieval for a set whose questions have an ``answer``.
        data: the data set's file.
        options: how to run it.
        models: who answers and who judges; without, only what contexts contain is measured.

    Raises:
        InputError: unknown benchmark, or a file that does not follow its schema.
        EncoderError: the model answered nothing at all.

    """
    options = options or Options(baselines=BASELINES)
    if name not in MARKING:
        msg = f"--answers: {name} tells no answers; they are in {', '.join(MARKING)}"
        raise InputError(msg)
    dataset = load(name, data, options)
    if all(question.answer is None for case in dataset.cases for question in case.questions):
        msg = f"{data}: no question has an answer to compare with"
        raise InputError(msg)
    systems = {MAIN: options.cues, **options.systems}
    if options.baselines:
        systems[RECENT] = ()
    lived = live(name, dataset, options, systems, compose)
    if models is not None:
        for system, composed in lived.found.items():
            lived.found[system] = reply_to(composed, models, MARKING[name])
    return _report(name, dataset, options, lived, models)


def _report(
    name: str,
    dataset: Dataset,
    options: Options,
    lived: Lived[Answered],
    models: Models | None,
) -> Report:
    main = lived.found[MAIN]
    said: dict[str, object] = {
        "budgets": list(BUDGETS),
        "without an answer to look for": sum("word_recall@500" not in a.measures for a in main),
        "answered by": "nobody: no language model is configured" if models is None
        else _name(models.answers),
        "judged by": None if models is None else _name(models.judges),
        "failed": sum(bool(one.failed) for one in main),
        "latency": f"recall: composing a context of {BUDGETS[-1]} tokens; total: that and the"
        " model's answer",
    }  # fmt: skip
    return Report(
        benchmark=f"{name}-answers",
        commit=report.commit(),
        machine=report.machine(),
        settings=settings(dataset, options, lived) | said,
        metrics=_summary(main, options),
        latency_ms=_latency(main),
        ingest_per_s=lived.ingest_per_s,
        bytes_on_disk=lived.bytes_on_disk,
        rss_mb=report.rss_mb(),
        baselines={
            system: report.BaselineResult(
                metrics=_summary(found, options),
                latency_ms=_latency(found),
                difference=_difference(main, found, options),
                receipts=tuple(found),
            )
            for system, found in lived.found.items()
            if system != MAIN
        },
        receipts=tuple(main),
        extra=slept(lived.slept_s),
    )


def _name(model: object) -> str:
    return str(getattr(model, "name", type(model).__name__))


def _summary(found: Iterable[Answered], options: Options) -> dict[str, metrics.Estimate]:
    found = list(found)
    drawn = {"seed": options.seed, "resamples": options.resamples}
    out = metrics.summarise([(one.kind, one.measures) for one in found], **drawn)
    judged = [(one.kind, one.measures["accuracy"]) for one in found if "accuracy" in one.measures]
    if judged:
        out["accuracy_mean_of_kinds"] = metrics.mean_of_kinds(judged, **drawn)
    return out


def _difference(
    main: Sequence[Answered], other: Sequence[Answered], options: Options
) -> dict[str, metrics.Estimate]:
    rows = [
        (
            ours.kind,
            {n: v - theirs.measures[n] for n, v in ours.measures.items() if n in theirs.measures},
        )
        for ours, theirs in zip(main, other, strict=True)
    ]
    return metrics.summarise(rows, seed=options.seed, resamples=options.resamples)


def _latency(found: Sequence[Answered]) -> dict[str, dict[str, float]]:
    out = {"recall": metrics.percentiles_ms([one.search_s for one in found])}
    replied = [one.search_s + one.answer_s for one in found if one.reply is not None]
    return out | ({"total": metrics.percentiles_ms(replied)} if replied else {})
