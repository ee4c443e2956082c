"""Parts of a benchmark, whichever file it came from, and readers of such files."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from hippocampus.core.records import Turn
from hippocampus.errors import InputError, SourceError
from hippocampus_bench.metrics import Level

T = TypeVar("T")

# ---------------------------------------------------------------- the common shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """
    A question, its time, and the turns that answer it.

    ``gold`` and ``gold_sessions`` hold keys. An unanswerable question has none that count: all we
    can learn from it is whether recall says that nothing was found.
    """

    id: str
    text: str
    kind: str
    now: datetime
    gold: frozenset[str] = frozenset()
    gold_sessions: frozenset[str] = frozenset()
    answerable: bool = True
    answer: str | None = None
    """Words of a right answer, or, of an unanswerable question, why there is none; None when the
    data set does not tell."""
    sessions: frozenset[str] | None = None
    """The only sessions recall may answer from; None means all."""
    corrected: frozenset[str] | None = None
    """Gold turns according to an audit of the data set; None when there was none."""


@dataclass(frozen=True, slots=True)
class KeyedTurn:
    """A turn and the key by which gold names it; ``turn.session`` is a key as well."""

    key: str
    turn: Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Ask, then remember. A stream has many steps; a haystack has one to tell and one to ask."""

    ask: tuple[Question, ...] = ()
    remember: tuple[KeyedTurn, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """The life of one bank."""

    id: str
    steps: tuple[Step, ...]

    @classmethod
    def haystack(cls, id_: str, said: Iterable[KeyedTurn], questions: Iterable[Question]) -> Case:
        """Remember everything, then ask everything."""
        return cls(id_, (Step(remember=tuple(said)), Step(ask=tuple(questions))))

    @property
    def questions(self) -> list[Question]:
        """Every question, in the order asked."""
        return [question for step in self.steps for question in step.ask]

    @property
    def said(self) -> list[KeyedTurn]:
        """Every turn, in the order remembered."""
        return [said for step in self.steps for said in step.remember]

    @property
    def streams(self) -> bool:
        """Return whether a question comes before the last turn, so that order matters."""
        asked = [place for place, step in enumerate(self.steps) if step.ask]
        told = [place for place, step in enumerate(self.steps) if step.remember]
        return bool(asked and told) and asked[0] <= told[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A benchmark as loaded: cases, how they are scored, and what was left out."""

    cases: tuple[Case, ...]
    protocol: str
    turn_recall: str | None
    """Name that the benchmark has for recall of turns; None when its gold is sessions only."""
    ndcg: Level
    """Level that NDCG ranks: turns or sessions."""
    sessions: bool = True
    """Whether sessions are scored."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of every file read, by bare name."""


def limited(cases: Iterable[Case], limit: int | None) -> tuple[Case, ...]:
    """
    Keep the first ``limit`` questions, taken in turn from each kind, and the cases that need them.

    What would be remembered after a case's last question goes too: nobody asks about it.
    """
    cases = tuple(cases)
    chosen = choose(
        [(case.id, question) for case in cases for question in case.questions],
        limit,
        kind=lambda pair: stratum(pair[1]),
    )
    kept = {(case, question.id) for case, question in chosen}
    out = []
    for case in cases:
        steps = [
            replace(step, ask=tuple(q for q in step.ask if (case.id, q.id) in kept))
            for step in case.steps
        ]
        while steps and not steps[-1].ask:
            steps.pop()
        if steps:
            out.append(Case(case.id, tuple(steps)))
    return tuple(out)


def stratum(question: Question) -> str:
    """Return the group a question is drawn from: its kind, or that it has no answer."""
    return question.kind if question.answerable else "unanswerable"


def choose(items: Sequence[T], limit: int | None, *, kind: Callable[[T], str]) -> list[T]:
    """Return the first ``limit`` items, taken in turn from each kind, in their given order."""
    if limit is None or limit >= len(items):
        return list(items)
    seen: dict[str, int] = {}
    rounds: list[tuple[int, int]] = []
    for place, item in enumerate(items):
        turn = seen[kind(item)] = seen.get(kind(item), -1) + 1
        rounds.append((turn, place))
    return [items[place] for place in sorted(place for _, place in sorted(rounds)[:limit])]


class OpaqueNames:
    """
    Replaces keys by meaningless names before anything is indexed.

    The released files name evidence sessions ``answer_…``: ranking by that prefix alone scores
    0.994, so nothing that is indexed, or that a tie could be broken by, may hold a released id.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed.to_bytes(16, "big", signed=True)

    def of(self, kind: str, *keys: str) -> str:
        """Return the name of a key, the same for every run of the same seed."""
        digest = hashlib.blake2b("\0".join((kind, *keys)).encode(), key=self._seed, digest_size=8)
        return digest.hexdigest()


# ---------------------------------------------------------------- files


@dataclass(frozen=True, slots=True)
class SourceNode:
    """A parsed JSON value that knows where in which file it stands, so that complaints can say."""

    value: object
    where: str

    def __getitem__(self, name: str) -> SourceNode:
        found = self.get(name)
        if found is None:
            msg = f"{self.where}: field {name!r} is missing; the benchmark's schema needs it"
            raise InputError(msg)
        return found

    def get(self, name: str) -> SourceNode | None:
        """Return a field of an object; None when it is absent or null."""
        value = self.object().get(name)
        return None if value is None else SourceNode(value, f"{self.where}.{name}")

    def object(self) -> dict[str, object]:
        """Return the value, which must be an object."""
        if not isinstance(self.value, dict):
            raise self._wrong("an object")
        return self.value

    def each(self) -> Iterator[SourceNode]:
        """Yield the items of the value, which must be a list."""
        if not isinstance(self.value, list):
            raise self._wrong("a list")
        for place, item in enumerate(self.value):
            yield SourceNode(item, f"{self.where}[{place}]")

    def text(self) -> str:
        """Return the value, which must be text."""
        if not isinstance(self.value, str):
            raise self._wrong("text")
        return self.value

    def said(self) -> str:
        """Return the value as text, which must be text or a number."""
        if isinstance(self.value, int | float) and not isinstance(self.value, bool):
            return str(self.value)
        return self.text()

    def number(self) -> int:
        """Return the value, which must be a whole number."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            raise self._wrong("a whole number")
        return self.value

    def texts(self) -> list[str]:
        """Return the value, which must be a list of text."""
        return [item.text() for item in self.each()]

    def time(self) -> datetime:
        """Return the value, which must be ISO 8601 text; without a zone it is UTC."""
        try:
            moment = datetime.fromisoformat(self.text())
        except ValueError as exc:
            raise self._wrong("an ISO 8601 time, such as 2025-03-02T18:30:00") from exc
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)

    def no_time(self, example: str) -> InputError:
        """Return the complaint of a text that is no time in the form of an example."""
        return InputError(f"{self.where}: {self.text()!r} is not a time like {example!r}")

    def _wrong(self, needed: str) -> InputError:
        shown = repr(self.value)
        shown = shown if len(shown) <= 60 else f"{shown[:57]}…"
        return InputError(f"{self.where}: {shown} is not {needed}; the benchmark's schema needs it")


def read_json(path: Path) -> SourceNode:
    """Read a ``.json`` or ``.json.gz`` file."""
    try:
        raw = path.read_bytes()
        return SourceNode(
            json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw), path.name
        )
    except FileNotFoundError as exc:
        raise SourceError("no such file; give the data set's .json or .json.gz", path=path) from exc
    except (OSError, EOFError, zlib.error) as exc:
        msg = f"cannot be read: {exc}"
        raise SourceError(msg, path=path) from exc
    except (ValueError, RecursionError) as exc:
        msg = f"is not JSON: {exc}"
        raise SourceError(msg, path=path) from exc


def sha256_of(*paths: Path) -> dict[str, str]:
    """Return the SHA-256 of each file by its bare name: which data a figure belongs to."""
    sums = {}
    for path in paths:
        with path.open("rb") as file:
            sums[path.name] = hashlib.file_digest(file, "sha256").hexdigest()
    return sums


def expect_unique(where: str, ids: Iterable[str]) -> None:
    """Refuse a data set that names two things alike, where gold would mean both."""
    seen: set[str] = set()
    for id_ in ids:
        if id_ in seen:
            msg = f"{where}: id {id_!r} occurs twice; ids must be unique for gold to mean one thing"
            raise InputError(msg)
        seen.add(id_)
