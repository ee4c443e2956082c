"""
Retention of a stream of events in a bank that may not grow as large.

HUMAN, section 9.1: an issue tracker's events come in order of time, a bank remembers them, and
every so many days it sleeps, and has to let go of what exceeds its target. What has happened by
then is all that a night may look at; a reference is seen once it has come. So the question is how
much of what a night keeps is referred to *after* that night: ``foresight``. The paper's own
question, how much of what is kept in the end was referred to at any time after it was said, is
reported beside it; much of it is known by then.
"""

from __future__ import annotations

import gzip
import json
import math
import re
import tempfile
import time
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from hippocampus import Embedder, Memory, Turn
from hippocampus.core.arrays import Codes, Doubles, Flags
from hippocampus.core.clock import ManualClock
from hippocampus.core.config import Policy as SleepPolicy
from hippocampus.core.optional import require
from hippocampus.core.records import Progress
from hippocampus.encode.tokens import encode
from hippocampus.errors import InputError, SourceError
from hippocampus.language.importance import lasting_importance
from hippocampus.sleep.capacity import KIND, REFERS
from hippocampus.sleep.forgetting_policies import Retention, salience
from hippocampus.sleep.importance import Features, places, score
from hippocampus.sleep.outcome import (
    OutcomeHistory,
    OutcomeUses,
    activation,
    find_uses,
    times_used,
)
from hippocampus_bench import report
from hippocampus_bench.beside import Rows
from hippocampus_bench.beside import table as wordings_table
from hippocampus_bench.datasets import sha256_of
from hippocampus_bench.dwm import MeasuredRun, table
from hippocampus_bench.git_stream import read_git
from hippocampus_bench.metrics import Estimate
from hippocampus_bench.realmem_stream import read_realmem
from hippocampus_bench.texts import EVENTS
from hippocampus_bench.tracker import SIZE, StreamEvent, make_stream
from hippocampus_bench.wording import TUNED, read

Truth: TypeAlias = Literal["reference", "activity"]
TRUTHS: Final[tuple[Truth, ...]] = get_args(Truth)
REDUCTION: Final = 0.6
"""Share of the stream that is not to be kept."""
EVERY_DAYS: Final = 7.0
PROBATION: Final = 0.015
"""Share of the kept, where use decides, for what may not have been referred to yet."""
REDUCTIONS: Final = (0.6, 0.8, 0.9)
"""Shares that are not kept, at each of which foresight is compared: where much is kept, all that
will be referred to has room, and keeping what is simple comes near to that."""
MAIN: Final = "hippocampus"
BOUND: Final = "best possible"
"""Policy that knows the future, and keeps the rows that are referred to for longest."""
_HOUR: Final = 3600.0
_RESAMPLES: Final = 500
_BANK: Final = "events"

# ---------------------------------------------------------------- streams in files

_NEEDED: Final = ("t", "issue")
_MENTION = re.compile(r"(?:(?<![\w&/])#|/(?:issues|pull|pulls)/)(\d+)\b|\b([A-Z][A-Z0-9_]*-\d+)\b")
_NAMED = re.compile(r"(?:\S*/)?(?:issues?|pulls?|pr|gh)\s*[:/#-]\s*#?(?=\d)|#(?=\w)", re.IGNORECASE)
_OF_EVENT = re.compile(r"event\s*[:/#-]\s*(?=\S)", re.IGNORECASE)
_LONGEST: Final = 500
_MILLIS: Final = 1e11
"""Seconds since 1970 are below this until the year 5138, milliseconds above it since 1973."""


def read_stream(path: Path) -> list[StreamEvent]:
    """
    Read a stream of events: JSON objects, one a line, in order of time or not; also ``.gz``.

    ``t``: ISO 8601 (without a zone, UTC) or seconds or milliseconds since 1970. ``issue``: a number
    or a name. ``event``: its kind. ``actor``, ``body``, ``label``, ``ref`` and ``id`` may be
    missing or null. ``ref``: an issue (12, "12", "#12", "issue:12"), an event's ``id``
    ("event:9" where an issue is called the same), an object with one of these, or a list.

    Raises:
        SourceError: there is no such file, it cannot be read, or it holds no event.
        InputError: a line that is not such an object; names the line, the rule and the fix.

    """
    events = [_event(line, where) for line, where in _lines(path)]
    if not events:
        msg = "holds no events; give a file with one JSON object a line"
        raise SourceError(msg, path=path)
    events.sort(key=lambda event: event.t)
    return events


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            for number, line in enumerate(file, 1):
                said = line.decode("utf-8-sig" if number == 1 else "utf-8")
                if said.strip():
                    yield said, f"{path.name}, line {number}"
    except FileNotFoundError as exc:
        raise SourceError("no such file; give a stream as JSONL", path=path) from exc
    except UnicodeDecodeError as exc:
        msg = f"is not UTF-8 text ({exc.reason}); convert it, or gzip it as .gz"
        raise SourceError(msg, path=path) from exc
    except (OSError, EOFError, zlib.error) as exc:
        msg = f"cannot be read: {exc}"
        raise SourceError(msg, path=path) from exc


def _event(line: str, where: str) -> StreamEvent:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as exc:
        msg = f"{where}: not JSON ({exc}); each line is one object, such as {_EXAMPLE}"
        raise InputError(msg) from exc
    if not isinstance(row, dict):
        msg = f"{where}: {line.strip()[:40]!r} is not an object; such as {_EXAMPLE}"
        raise InputError(msg)
    for name in _NEEDED:
        if row.get(name) in (None, ""):
            msg = f"{where}: {name!r} is missing; an event needs {' and '.join(_NEEDED)}"
            raise InputError(msg)
    for name in ("issue", "actor"):
        if isinstance(row.get(name), str) and len(row[name]) > _LONGEST:
            msg = f"{where}: {name!r} has {len(row[name]):,} characters; names have {_LONGEST}"
            raise InputError(msg)
    said = {
        name: _text(row.get(name), f"{where}, {name!r}")
        for name in ("event", "actor", "body", "label", "id")
    }
    return StreamEvent(
        t=_moment(row["t"], where),
        issue=_name(row["issue"], f"{where}, 'issue'"),
        refs=tuple(dict.fromkeys(_refs(row.get("ref"), f"{where}, 'ref'"))),
        **said | {"event": said["event"] or "event"},
    )


_EXAMPLE: Final = '{"t": "2026-01-05T09:00:00Z", "issue": 12, "event": "commented", "ref": 7}'


def _moment(value: object, where: str) -> float:
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value.strip())
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except ValueError:
            pass
    number = _number(value) if isinstance(value, str) else value
    if isinstance(number, int | float) and not isinstance(number, bool) and abs(number) < 1e15:
        seconds = number / 1000 if abs(number) >= _MILLIS else float(number)
        if 0 <= seconds < _MILLIS:  # NaN is not either
            return seconds
    msg = f"{where}, 't': {value!r:.60} is no time; give ISO 8601 or seconds since 1970"
    raise InputError(msg)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _name(value: object, where: str) -> str:
    """Return the name of an issue, however its number was written."""
    said = _text(value, where)
    return _NAMED.sub("", said, count=1) if _NAMED.match(said) else said


def _text(value: object, where: str) -> str:
    """Return a field as text: names and numbers as they are, of an object what names it."""
    match value:
        case None:
            return ""
        case str():  # half a character, as JSON may escape one, is none that a store can hold
            return value.strip().encode("utf-8", "replace").decode()
        case bool():
            pass
        case int():
            return str(value)
        case float() if value.is_integer():
            return str(int(value))
        case dict():
            for name in ("login", "name", "number", "issue", "id"):
                if value.get(name) is not None:
                    return _text(value[name], where)
        case list():
            return ", ".join(filter(None, (_text(one, where) for one in value)))
        case _:
            pass
    msg = f"{where}: {value!r:.60} is neither text nor a whole number; give one, or null"
    raise InputError(msg)


def _refs(value: object, where: str) -> Iterator[str]:
    if isinstance(value, list):
        for one in value:
            yield from _refs(one, where)
    elif value not in (None, ""):
        said = _text(value, where)
        yield from filter(None, (part.strip() for part in re.split(r"[,;\s]+(?=#|\d|\w+:)", said)))


# ---------------------------------------------------------------- what was referred to later


def check_truth(name: str) -> Truth:
    """Return the meaning of being referred to later that is called so."""
    for truth in TRUTHS:
        if truth == name:
            return truth
    msg = f"truth={name!r}: there are {', '.join(TRUTHS)}"
    raise InputError(msg)


def read_history(events: Sequence[StreamEvent], truth: Truth = "reference") -> OutcomeHistory:
    """
    Return a stream as a night sees it: codes for names, and who refers to whom.

    ``reference``: an event counts as referred to when a later one of *another* issue names its
    issue, by ``ref``, by ``#12`` or a link in its text; or names the event itself by its ``id``,
    from anywhere. ``activity``: also when anything later happens in its own issue.
    """
    group, groups = _codes(event.issue for event in events)
    ids = {f"event:{e.id}": row for row, e in reversed(list(enumerate(events))) if e.id}
    uses = find_uses(
        ((row, _meant(name, groups)) for row, e in enumerate(events) for name in _named(e)),
        group, groups, ids,
    )  # fmt: skip
    if truth == "activity":
        every = np.arange(len(events))
        uses = OutcomeUses(
            np.concatenate([uses.by, every]), np.concatenate([uses.group, group]),
            np.concatenate([uses.row, np.full(len(events), -1)]),
        )  # fmt: skip
    start = events[0].t if events else 0.0
    return OutcomeHistory(
        at_h=np.array([(event.t - start) / _HOUR for event in events]),
        group=group,
        actor=_codes(event.actor for event in events)[0],
        # Two labels tell more apart than "labeled" does; there are few enough of them.
        kind=_codes(f"{event.event}:{event.label}" for event in events)[0],
        uses=uses,
    )


def _named(event: StreamEvent) -> Iterable[str]:
    """Return the names that an event refers to, each once: by its field, and in its text."""
    mentions = (found[1] or found[2] for found in _MENTION.finditer(event.body))
    return dict.fromkeys((*event.refs, *mentions))


def _meant(name: str, groups: Mapping[str, int]) -> str:
    """Return an issue's name as the issues have it, or else an event's."""
    if name in groups:
        return name
    number = _name(name, "")
    return number if number in groups else f"event:{_OF_EVENT.sub('', name, count=1)}"


def _codes(names: Iterable[str]) -> tuple[Codes, dict[str, int]]:
    known: dict[str, int] = {}
    codes = np.array([known.setdefault(name, len(known)) for name in names], np.int64)
    return codes, known


# ---------------------------------------------------------------- who is compared


class Night(NamedTuple):
    """View of a policy: everything up to now, and the rows that are still there."""

    history: OutcomeHistory
    there: Flags
    now_h: float
    last: bool
    """Whether the season ends with it."""
    target: int
    texts: Sequence[str]
    dice: np.random.Generator


Policy: TypeAlias = Callable[[Night], Flags]
"""Choice of the rows that fade."""


def _everything(night: Night) -> Flags:
    return np.zeros(len(night.there), np.bool_)


def _retained(night: Night, probation: float = PROBATION) -> Flags:
    how = Retention(target=night.target, by="proven", probationary_share=probation)
    return _chosen(night, how)


def _foreseen(night: Night) -> Flags:
    return _chosen(night, Retention(target=night.target, by="foreseen"))


def _chosen(night: Night, how: Retention) -> Flags:
    n = len(night.there)
    chosen = how.choose(
        night.history, night.there, np.zeros(n, np.bool_), np.ones(n),
        now_h=night.now_h, evict_probationary=night.last,
    )  # fmt: skip
    return chosen.fades


def _by(value: Callable[[Night], Doubles]) -> Policy:
    """Keep the most valuable, as many as the target lets."""

    def policy(night: Night) -> Flags:
        worth = value(night)
        fades = np.zeros(len(night.there), np.bool_)
        rows = np.flatnonzero(night.there)
        over = max(0, len(rows) - night.target)
        fades[rows[np.argsort(worth[rows], kind="stable")[:over]]] = True
        return fades

    return policy


def _chance(night: Night) -> Doubles:
    return night.dice.random(len(night.there))


def _frequency(night: Night) -> Doubles:
    """Return the number of references to each; of those with as many, the newest first."""
    count, _ = times_used(night.history.group, night.history.uses)
    return count + np.arange(len(count)) / (len(count) + 1.0)


def _salience(night: Night) -> Doubles:
    n = len(night.there)
    _, last = times_used(night.history.group, night.history.uses)
    return salience(np.arange(n, 0, -1.0), (last >= 0) & (last >= n - 100))


def _importance(form: Literal["five", "four", "iota"]) -> Callable[[Night], Doubles]:
    return lambda night: score(signals(night), form)


def signals(night: Night) -> Features:
    """Return the signals of the papers' scores for events, which have no vectors."""
    history = night.history
    used, _ = times_used(history.group, history.uses)
    words, known = _codes(night.texts)
    cited = np.bincount(history.uses.group[history.uses.group >= 0], minlength=len(used) + 1)
    saliency = np.log1p(cited[history.group])
    return Features(
        age_h=night.now_h - history.at_h,
        alike=np.bincount(words, minlength=len(known))[words].astype(np.float64) - 1,
        surprise=unexpected(history.kind),
        saliency=saliency / max(1.0, float(saliency.max(initial=0.0))),
        outcome=np.where(used > 0, 1.0, 0.5),
        length=np.array([float(len(text)) for text in night.texts]),
        place=places(history.group),
        lasting=np.array([lasting_importance(text, names=0, role="user") for text in night.texts]),
    )


SYSTEMS: Final[Mapping[str, Policy]] = {
    "keep everything": _everything,
    "recency only": _by(lambda night: night.history.at_h),
    "random": _by(_chance),
    "five factors": _by(_importance("five")),
    "four signals": _by(_importance("four")),
    "importance ι": _by(_importance("iota")),
    "HEMA salience": _by(_salience),
    "frequency only": _by(_frequency),
    "activation alone": _by(lambda night: activation(night.history, night.now_h)),
    "proven first": _retained,
    "10 % on probation": partial(_retained, probation=0.1),
    "30 % on probation": partial(_retained, probation=0.3),
}
"""Policies to compare the bank's own with, under the same target and at the same nights."""
RIVALS: Final = ("recency only", "frequency only", "proven first")
"""Those that are compared in every wording and from every seed."""


# ---------------------------------------------------------------- what was measured


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptEvents:
    """Rows that a system has kept in the end, and those that it had kept on the way."""

    final: Flags
    metrics: Mapping[str, Estimate]


class Grown(NamedTuple):
    """Size of the store after every night and in the end, and the time that it took."""

    rows: list[dict[str, float | int | str | None]]
    nbytes: dict[str, int]
    took_s: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventsReport(MeasuredRun):
    """Rows kept of a stream, by every system; ``rows`` has the store's size over time."""

    benchmark: ClassVar[str] = "events"

    metrics: Mapping[str, Estimate]
    baselines: Mapping[str, Mapping[str, Estimate]]
    by_reduction: Sequence[Mapping[str, float]] = ()
    """Foresight of nights when more is let go, beside the simple rules and the best possible."""
    by_truth: Mapping[str, Mapping[str, Estimate]]
    """The same choice, by each meaning of what is referred to later."""
    beside: Rows = ()
    """Other wordings and seeds, if they were run."""
    nbytes: Mapping[str, int]
    """Bytes of the store with all that was remembered in it, and once it is compacted."""
    took_s: Mapping[str, float]
    stream: Sequence[StreamEvent] = field(repr=False)
    referred: Flags = field(repr=False)
    kept: Flags = field(repr=False)
    """Of each event, whether it is referred to later, and whether it was kept."""

    def as_dict(self) -> dict[str, object]:
        """Return the report as JSON holds it."""
        made = MeasuredRun.as_dict(self)
        rows = made.pop("rows")
        return made | {
            "metrics": _estimates(self.metrics),
            "baselines": {name: _estimates(found) for name, found in self.baselines.items()},
            "by_reduction": [dict(row) for row in self.by_reduction],
            "by_truth": {name: _estimates(found) for name, found in self.by_truth.items()},
            "bytes": dict(self.nbytes),
            "took_s": {name: round(took, 2) for name, took in self.took_s.items()},
            "rows": rows,
            **({"wordings": list(self.beside)} if self.beside else {}),
        }

    def write(self, path: Path) -> Path:
        """Write the report, and ``<name>.receipts.jsonl`` beside it: each event, kept or not."""
        MeasuredRun.write(self, path)
        with path.with_name(f"{path.stem}.receipts.jsonl").open(
            "w", encoding="utf-8", newline="\n"
        ) as file:
            for receipt in self.receipts():
                file.write(json.dumps(receipt, ensure_ascii=False) + "\n")
        return path

    def with_rivals(self) -> dict[str, Estimate]:
        """Return its measures, and by ``measure/system`` the foresight of who is to be beaten."""
        name = MEASURES[0]
        rivals = {f"{name}/{one}": self.baselines.get(one, {}).get(name) for one in RIVALS}
        return {**self.metrics, **{key: found for key, found in rivals.items() if found}}

    def receipts(self) -> Iterator[dict[str, object]]:
        """Yield a line per event, in order of time."""
        fates = zip(self.stream, self.referred.tolist(), self.kept.tolist(), strict=True)
        for event, referred, kept in fates:
            yield {
                **({"id": event.id} if event.id else {}),
                "t": datetime.fromtimestamp(event.t, UTC).isoformat(),
                "issue": event.issue,
                "event": event.event,
                "referred": referred,
                "kept": kept,
            }

    def tables(self) -> list[str]:
        """Return the report as Markdown."""
        said = tables(self.as_dict())
        return [*said, wordings_table(self.beside)] if self.beside else said

    def plot(self, folder: Path) -> list[Path]:
        """Draw the store's size over time; returns the file."""
        return plot(self.as_dict(), folder)


def _estimates(found: Mapping[str, Estimate]) -> dict[str, dict[str, float | int]]:
    return {
        name: {key: round(value, 5) for key, value in one.as_dict().items()}
        for name, one in found.items()
    }


MEASURES: Final = ("foresight_precision", "foresight_recall")
"""Main measures: the share of a night's kept rows that is referred to later, and the share of
those later references that it keeps."""
BOOKS: Final = ("retention_precision", "retention_recall", "store_reduction")
"""The paper's measures, which also count what had been referred to by then."""


def tables(made: Mapping[str, Any]) -> list[str]:
    """
    Return a report as Markdown.

    Who foresees how much, at which reduction, night by night; and last the books, by each truth.
    """
    systems = {MAIN: made["metrics"], **made["baselines"]}
    said = [_by_system(systems, MEASURES)]
    if made.get("by_reduction"):
        said.append(_by_reduction(made["by_reduction"]))
    nightly = [name for name in _NIGHTLY if any(name in row for row in made["rows"])]
    said.append(
        table(
            ["day", *(name.replace("_", " ") for name in _SIZES), *nightly],
            ([f"{row['day']:.{0 if row['day'] >= 7 else 2}f}",
              *(f"{row[one]:,}" for one in _SIZES),
              *(_share(row.get(one)) for one in nightly)] for row in made["rows"]),
        )
    )  # fmt: skip
    said.append(_by_system(systems, BOOKS))
    heads = ["referred to later means", "base rate", *(one.replace("_", " ") for one in BOOKS[:2])]
    truths = made["by_truth"].items()
    said.append(table(heads, ([name, *(_said(found.get(one)) for one in ("base_rate", *BOOKS[:2]))]
                              for name, found in truths)))  # fmt: skip
    return said


def _by_system(systems: Mapping[str, Mapping[str, Any]], measures: Sequence[str]) -> str:
    heads = ["", *(name.replace("_", " ") for name in measures)]
    return table(heads, ([name, *(_said(found.get(one)) for one in measures)]
                         for name, found in systems.items()))  # fmt: skip


def _by_reduction(rows: Sequence[Mapping[str, float]]) -> str:
    """Return a table of foresight precision, and of how far it is ahead of the better rule."""
    rules = [name for name in rows[0] if name != "reduction"]
    heads = ["not kept", *rules, "times the better of recency and frequency", "of these at most"]
    said = []
    for row in rows:
        simple = max(row[name] for name in _SIMPLE)
        ahead = (row[name] / simple if simple else math.nan for name in (MAIN, BOUND))
        said.append([f"{row['reduction']:.0%}", *(f"{row[one]:.3f}" for one in rules),
                     *(f"{times:.2f}" for times in ahead)])  # fmt: skip
    return table(heads, said)


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


_SIMPLE: Final = ("recency only", "frequency only")
_NIGHTLY: Final = ("reduction", "precision", "recall", "bound")
_SIZES: Final = ("seen", "before", "after", "tokens_after")


def _said(found: Mapping[str, float] | None) -> str:
    if found is None:
        return "–"
    value = f"{found['value']:.3f}"
    return (
        value
        if found["low"] == found["high"]
        else (f"{value} [{found['low']:.3f}, {found['high']:.3f}]")
    )


def plot(made: Mapping[str, Any], folder: Path) -> list[Path]:
    """
    Draw the store's size over time; returns the file.

    Raises:
        MissingExtra: matplotlib is not installed.

    """
    require("matplotlib", extra="bench", feature="drawing plots")
    from matplotlib.figure import Figure  # noqa: PLC0415 - only when something is drawn

    folder.mkdir(parents=True, exist_ok=True)
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    days = [day for row in made["rows"] for day in (row["day"], row["day"])]
    sizes = [size for row in made["rows"] for size in (row["before"], row["after"])]
    axes.plot([0, *(row["day"] for row in made["rows"])],
              [0, *(row["seen"] for row in made["rows"])], "k--", label="remembered")  # fmt: skip
    axes.plot([0, *days], [0, *sizes], label="kept")
    axes.axhline(made["settings"]["target"], color="0.6", linewidth=0.8, label="target")
    axes.set(xlabel="days", ylabel="events", title="The store, while events come in")
    axes.legend()
    axes.grid(visible=True, alpha=0.2)
    drawn = folder / "events.png"
    figure.savefig(drawn, dpi=110, metadata={"Software": None})
    return [drawn]


# ---------------------------------------------------------------- measures


def measure(
    kept: Flags, referred: Flags, group: Codes, *, reduction: float, seed: int = 0
) -> dict[str, Estimate]:
    """
    Return the agreement of what was kept with later references; intervals draw whole issues.

    ``recall_bound`` is the most recall that this precision leaves at the reduction asked for.
    """
    sums = np.stack(
        [np.bincount(group, part, int(group.max()) + 1)
         for part in (np.ones(len(kept)), kept, referred, kept & referred)], axis=1,
    )  # fmt: skip
    dice = np.random.default_rng(seed)
    issues = len(sums)
    drawn = [
        dice.multinomial(issues, np.full(issues, 1 / issues)) @ sums for _ in range(_RESAMPLES)
    ]

    def shares(n: Doubles) -> dict[str, Doubles]:
        every, held, meant, both = np.moveaxis(np.atleast_2d(n).astype(np.float64), -1, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision, base = both / held, meant / every
            bound = np.minimum(1.0, (1 - reduction) * precision / base)
            return {
                "retention_precision": precision,
                "retention_recall": both / meant,
                "store_reduction": 1 - held / every,
                "base_rate": base,
                "recall_bound": bound,
                "recall_of_bound": both / meant / bound,
            }

    whole, samples = shares(sums.sum(axis=0)), shares(np.stack(drawn))
    made = {}
    for name, value in whole.items():
        some = samples[name][np.isfinite(samples[name])]
        if np.isfinite(value[0]):
            low, high = np.percentile(some, [2.5, 97.5]) if len(some) else (value[0], value[0])
            made[name] = Estimate(float(value[0]), float(low), float(high), len(kept))
    return made


class _Ahead:
    """Adds up, over the nights that had to choose but the last, what came of it afterwards."""

    def __init__(self, last: Codes, group: Codes, seed: int) -> None:
        self.last, self.group, self.seed = last, group, seed
        self.sums = np.zeros((int(group.max()) + 1, 4))
        """Of each issue, over nights: rows seen, kept, referred to after that night, and both."""

    def add(self, kept: Flags, target: int) -> None:
        """Count a night: of everything so far, who was kept."""
        if target < len(kept) < len(self.last):
            later = self.last[: len(kept)] >= len(kept)
            group = self.group[: len(kept)]
            for column, part in enumerate((np.ones(len(kept)), kept, later, kept & later)):
                self.sums[:, column] += np.bincount(group, part, len(self.sums))

    def precision(self) -> float:
        """Return the share of what was kept that was referred to afterwards."""
        _, kept, _, both = self.sums.sum(axis=0)
        return float(both / kept) if kept else 0.0

    def measures(self) -> dict[str, Estimate]:
        """Return the shares, with intervals that draw whole issues, as references come to them."""
        seen, kept, later, _ = self.sums.sum(axis=0)
        if not kept or not later:
            return {}
        dice, issues = np.random.default_rng(self.seed), len(self.sums)
        drawn = [dice.multinomial(issues, np.full(issues, 1 / issues)) @ self.sums
                 for _ in range(_RESAMPLES)]  # fmt: skip

        def shares(n: Doubles) -> dict[str, Doubles]:
            every, held, meant, both = np.moveaxis(np.atleast_2d(n), -1, 0)
            return {
                "foresight_precision": both / np.maximum(held, 1.0),
                "foresight_recall": both / np.maximum(meant, 1.0),
                "foresight_base_rate": meant / np.maximum(every, 1.0),
            }

        whole, samples = shares(self.sums.sum(axis=0)), shares(np.stack(drawn))
        made = {}
        for name, value in whole.items():
            low, high = np.percentile(samples[name], [2.5, 97.5])
            made[name] = Estimate(float(value[0]), float(low), float(high), int(seen))
        return made


# ---------------------------------------------------------------- a season


def _check(
    reduction: float, every_days: float, systems: Sequence[str] | None, size: int | None
) -> None:
    """Raise ``InputError`` for what makes no season; ``size``: of the file's events, the first."""
    if not 0 <= reduction < 1 or not every_days > 0 or not math.isfinite(every_days):
        msg = f"reduction={reduction}, every_days={every_days}: from 0 to below 1, and above 0"
        raise InputError(msg)
    unknown = [name for name in systems or () if name not in SYSTEMS]
    if unknown:
        msg = f"system {unknown[0]!r} is unknown; there are {', '.join(SYSTEMS)}"
        raise InputError(msg)
    if size is not None and size < 1:
        msg = f"size={size}: must be at least 1 event"
        raise InputError(msg)


def run(  # noqa: PLR0913 - a report has as many parts
    data: Path | None = None,
    *,
    source: str | None = None,
    size: int | None = None,
    seed: int = 0,
    wording: str = TUNED,
    reduction: float = REDUCTION,
    every_days: float = EVERY_DAYS,
    truth: Truth = "reference",
    systems: Sequence[str] | None = None,
    embedder: str | Embedder = "none",
    progress: Progress | None = None,
) -> EventsReport:
    """
    Stream events through a bank that sleeps, and say what it has kept.

    Args:
        data: a stream as JSONL; one is made up without.
        source: what the data are, if not that: ``realmem``, whose sessions call up others, or
            ``git``, a repository, whose changes take away lines of earlier ones.
        size: events to make up, 120 000 by default, or of the file's the first so many.
        seed: of the stream, of chance, and of the intervals.
        wording: what a made-up stream is told in: ``tuned``, ``second`` or a file.
        reduction: the share that is not to be kept; the bank's target is the rest.
        every_days: how often the bank sleeps.
        truth: what counts as referred to later; see ``read_history``.
        systems: what to compare with, of ``SYSTEMS``; all by default.
        embedder: for the bank. What is kept does not depend on it.
        progress: called with events done, and their total.

    Raises:
        InputError: something in the arguments, or in a line of the file; or nothing refers to
            anything.
        SourceError: the file cannot be read.

    """
    _check(reduction, every_days, systems, None if data is None else size)
    check_truth(truth)
    started = time.perf_counter()
    events = _stream(data, source, size, seed, wording)
    histories = {name: read_history(events, name) for name in TRUTHS}
    season = _Season(events, histories, truth, reduction, every_days, seed)
    season.check()
    took = {"reading": time.perf_counter() - started}
    with tempfile.TemporaryDirectory() as folder:
        kept, grown = season.remembered(Path(folder) / "events.db", embedder, progress)
    others = season.rivals(SYSTEMS if systems is None else systems)
    by_truth: Mapping[str, Mapping[str, Estimate]] = {
        name: season.measured(kept.final, times_used(history.group, history.uses)[0] > 0)
        for name, history in histories.items()
    }
    return EventsReport(
        commit=report.commit(),
        machine=report.machine(),
        settings={
            "data": None if data is None or source == "git" else sha256_of(*_files(data)),
            "source": source,
            "events": len(events),
            "issues": int(season.history.group.max()) + 1,
            "seed": seed,
            "reduction": reduction,
            "target": season.target,
            "every_days": every_days,
            "keeps": "the likeliest to be referred to from now on",
            "probation": PROBATION,
            "nights": len(grown.rows),
            "truth": truth,
            "wording": None if data else read(EVENTS, wording).as_dict(),
            "embedder": embedder if isinstance(embedder, str) else str(embedder.fingerprint),
        },
        rows=grown.rows,
        metrics=kept.metrics,
        baselines={name: other.metrics for name, other in others.items()},
        by_reduction=() if systems is not None and not systems else season.by_reduction(),
        by_truth=by_truth,
        nbytes=grown.nbytes,
        took_s=took | grown.took_s,
        stream=events,
        referred=season.referred,
        kept=kept.final,
    )


def _files(data: Path) -> list[Path]:
    return sorted(data.glob("*.json*")) if data.is_dir() else [data]


def _stream(
    data: Path | None, source: str | None, size: int | None, seed: int, wording: str
) -> list[StreamEvent]:
    reads = {None: read_stream, "realmem": read_realmem, "git": read_git}
    if source not in reads or (source and data is None):
        msg = f"source={source!r}: give 'realmem' or 'git' and its data, or None for a JSONL"
        raise InputError(msg)
    if data is None:
        return make_stream(SIZE if size is None else size, seed=seed, wording=wording)
    return reads[source](data)[:size]


class _Season:
    """A stream cut into the stretches between two nights."""

    def __init__(
        self,
        events: Sequence[StreamEvent],
        histories: Mapping[Truth, OutcomeHistory],
        truth: Truth,
        reduction: float,
        every_days: float,
        seed: int,
    ) -> None:
        self.events, self.seed, self.truth = events, seed, truth
        self.history = history = histories["reference"]
        self.reduction = reduction
        self.target = int((1 - reduction) * len(events) + 1e-9)
        self.last = times_used(history.group, histories[truth].uses)[1]
        self.referred = self.last >= 0
        self.groups = _codes(event.issue for event in events)[1]
        self.texts = [_said_of(event) for event in events]
        self.tokens = np.array([len(encode(text)) for text in self.texts], np.int64)
        nights = np.arange(every_days * 24, history.at_h[-1], every_days * 24)
        stops = np.unique(np.searchsorted(history.at_h, nights, "right"))
        self.stops = [*(int(stop) for stop in stops if 0 < stop < len(events)), len(events)]

    def nights(
        self, policy: Policy, target: int | None = None
    ) -> Iterator[tuple[int, Flags, Flags]]:
        """Yield the events before and after each night, by a policy."""
        target = self.target if target is None else target
        dice = np.random.default_rng(self.seed)
        there = np.zeros(0, np.bool_)
        for stop in self.stops:
            there = np.concatenate([there, np.ones(stop - len(there), np.bool_)])
            last = stop == self.stops[-1]
            now_h = float(self.history.at_h[stop - 1])
            fades = policy(
                Night(self.history.before(stop), there, now_h, last, target,
                      self.texts[:stop], dice)
            )  # fmt: skip
            kept = there & ~fades
            yield stop, there, kept
            there = kept

    def replayed(self, policy: Policy) -> KeptEvents:
        """Return the events that a policy would keep, without a bank."""
        ahead = _Ahead(self.last, self.history.group, self.seed)
        for _, _, after in self.nights(policy):
            ahead.add(after, self.target)
        return KeptEvents(
            final=after, metrics=self.measured(after, self.referred) | ahead.measures()
        )

    def check(self) -> None:
        """Raise ``InputError`` where no event is right to keep."""
        if not self.referred.any():
            msg = (
                f"no event is referred to later by {self.truth!r}, so none is right to keep; give"
                " events a 'ref' to other issues, or ask for truth='activity'"
            )
            raise InputError(msg)

    def rivals(self, names: Collection[str]) -> dict[str, KeptEvents]:
        """Return the events that some systems keep, and those of the best possible one."""
        found = {name: self.replayed(SYSTEMS[name]) for name in names}
        return found | {BOUND: self.replayed(self.knows_all())} if found else found

    def knows_all(self) -> Policy:
        """Return the policy that knows what comes: no other keeps more of it."""

        def value(night: Night) -> Doubles:
            last = self.last[: len(night.there)]
            return np.where(last >= len(last), last + 1.0, 0.0)

        return _by(value)

    def by_reduction(self) -> list[dict[str, float]]:
        """Return the foresight of nights by ever smaller targets, without a bank."""
        others = {name: SYSTEMS[name] for name in (*_SIMPLE, "five factors")}
        found = []
        for reduction in REDUCTIONS:
            target = int((1 - reduction) * len(self.events) + 1e-9)
            row = {"reduction": reduction}
            for name, policy in {MAIN: _foreseen, **others, BOUND: self.knows_all()}.items():
                ahead = _Ahead(self.last, self.history.group, self.seed)
                for _, _, after in self.nights(policy, target):
                    ahead.add(after, target)
                row[name] = round(ahead.precision(), 5)
            found.append(row)
        return found

    def foreseen(self, kept: Flags, known: Flags) -> dict[str, float | None]:
        """Return the share of a night's kept rows that is referred to later, and its bound."""
        seen, names = len(kept), ("precision", "recall", "bound")
        if not self.target < seen < len(self.events):
            return {"reduction": None, **dict.fromkeys(names)}
        later = self.last[:seen] >= seen
        shares = (
            (kept & later).sum() / max(1, kept.sum()), (kept & later).sum() / max(1, later.sum()),
            (known & later).sum() / max(1, known.sum()),
        )  # fmt: skip
        told = {name: round(float(one), 4) for name, one in zip(names, shares, strict=True)}
        return {"reduction": round(1 - float(kept.sum()) / seen, 4), **told}

    def measured(self, kept: Flags, referred: Flags) -> dict[str, Estimate]:
        return measure(kept, referred, self.history.group, reduction=self.reduction, seed=self.seed)

    def remembered(
        self, path: Path, embedder: str | Embedder, progress: Progress | None
    ) -> tuple[KeptEvents, Grown]:
        """Remember the stream in a bank that sleeps, and return what is there in the end."""
        ahead = _Ahead(self.last, self.history.group, self.seed)
        rows: list[dict[str, float | int | str | None]] = []
        took = {"remembering": 0.0, "sleeping": 0.0}
        clock = ManualClock(_when(self.events[0]))
        ids: list[str] = []
        gone: set[str] = set()
        policy = SleepPolicy(episode_target=self.target, retain="foreseen", cap=1.0)
        known = {stop: after for stop, _, after in self.nights(self.knows_all())}
        with Memory(path, embedder=embedder, clock=clock) as memory:
            bank = memory.bank(_BANK)
            for stop in self.stops:
                started = time.perf_counter()
                clock.set(_when(self.events[stop - 1]))
                turns = [self._turn(row) for row in range(len(ids), stop)]
                ids += [one.id for one in bank.remember_many(turns) if not one.part]
                assert len(ids) == stop  # one first part a turn, also of what was there already
                remembered = time.perf_counter()
                before = _are_there(ids, gone)
                bank.set_policy(policy)
                (step,) = bank.sleep(steps=("forget",)).steps
                gone |= {act.episode for act in step.acts if act.kind == "lapse"}
                after = _are_there(ids, gone)
                took["remembering"] += remembered - started
                took["sleeping"] += time.perf_counter() - remembered
                ahead.add(after, self.target)
                rows.append(
                    {
                        "day": float(self.history.at_h[stop - 1]) / 24,
                        "seen": stop,
                        "before": int(before.sum()),
                        "after": int(after.sum()),
                        "tokens_seen": int(self.tokens[:stop].sum()),
                        "tokens_after": int(self.tokens[:stop][after].sum()),
                        **self.foreseen(after, known[stop]),
                    }
                )
                if progress:
                    progress(stop, len(self.events))
            there = {one.id for one in bank.episodes()}
            started = time.perf_counter()
            compacted = bank.compact()
            took["compacting"] = time.perf_counter() - started
        final = np.fromiter((one in there for one in ids), np.bool_, len(ids))
        metrics = self.measured(final, self.referred) | ahead.measures()
        nbytes = {"remembered": compacted.bytes_before, "compacted": compacted.bytes_after}
        return KeptEvents(final=final, metrics=metrics), Grown(rows, nbytes, took)

    def _turn(self, row: int) -> Turn:
        event = self.events[row]
        named = [_meant(name, self.groups) for name in _named(event)]
        return Turn(
            text=self.texts[row],
            at=_when(event),
            speaker=event.actor or None,
            session=event.issue,
            address=f"event:{event.id}" if event.id else None,
            metadata={KIND: f"{event.event}:{event.label}"} | ({REFERS: named} if named else {}),
        )


def _are_there(ids: Sequence[str], gone: set[str]) -> Flags:
    return np.fromiter((one not in gone for one in ids), np.bool_, len(ids))


def _said_of(event: StreamEvent) -> str:
    """Return an event as a line of a timeline."""
    parts = (f"#{event.issue} {event.event}", event.label, event.body)
    return ": ".join(part for part in parts if part)


def _when(event: StreamEvent) -> datetime:
    return datetime.fromtimestamp(event.t, UTC)


def unexpected(codes: Codes) -> Doubles:
    """
    Return the surprise of each code after those before it, in [0, 1]: Bayesian, of kinds.

    The information of a Dirichlet prior's next draw, as a share of the most it could be at that
    place; for rows that have no vectors to tell how far they are from what was said before.
    """
    n = len(codes)
    if not n:
        return np.zeros(0)
    kinds = len(np.unique(codes))
    before = places(codes)
    seen = np.arange(n)
    shares: Doubles = np.log((seen + kinds) / (before + 1)) / np.log(seen + kinds + 1)
    return np.clip(shares, 0.0, 1.0)
