"""Takes banks through the cases of a benchmark: they are told, they sleep, they are asked."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from hippocampus.errors import InputError
from hippocampus.sleep.schedule import STEPS
from hippocampus_bench import locomo, longmemeval, realmem, retrieval
from hippocampus_bench.datasets import Case, Dataset, OpaqueNames, Question, limited
from hippocampus_bench.options import EvaluatedBank, EvaluatedMemory, Options

LOADERS = {
    "locomo": locomo.load,
    "longmemeval": longmemeval.load,
    "realmem": realmem.load,
    "retrieval": retrieval.load,
}

_WITHOUT_TOPICS = tuple(step for step in STEPS if step not in ("gists", "topics"))

T = TypeVar("T")
Systems = Mapping[str, tuple[str, ...] | None]
"""Systems to compare: cues by name, None for recall's default."""


def load(name: str, data: Path, options: Options) -> Dataset:
    """
    Read a benchmark's questions, as many as ``options`` allow.

    Raises:
        InputError: unknown benchmark, or a file that does not follow its schema.

    """
    if name not in LOADERS:
        msg = f"benchmark {name!r} is unknown; there are {', '.join(LOADERS)}"
        raise InputError(msg)
    dataset = LOADERS[name](data, options)
    dataset = replace(dataset, cases=limited(dataset.cases, options.limit))
    if not dataset.cases:
        msg = f"{data}: holds no question that can be scored under protocol {dataset.protocol!r}"
        raise InputError(msg)
    return dataset


class Posed(NamedTuple):
    """A question that is put to a bank, in the opaque names that the bank knows."""

    bank: EvaluatedBank
    question: Question
    system: str
    cues: tuple[str, ...] | None
    sessions: list[str] | None
    """The only ones it may be answered from; None means all."""
    session_of: Mapping[str, str]
    label: Callable[[str, str], str]
    """Names a ``turn`` or a ``session`` by its key."""

    def labels(self, kind: str, keys: frozenset[str]) -> frozenset[str]:
        """Return the opaque names of some keys."""
        return frozenset(self.label(kind, key) for key in keys)


class Lived(NamedTuple, Generic[T]):
    """Answers of banks, by system, and the time they took."""

    found: dict[str, list[T]]
    embedder: str | None
    ingest_per_s: float | None
    """Episodes remembered per second, encoding included; None when a kept store was asked."""
    slept_s: list[float]
    bytes_on_disk: int


def live(
    name: str, dataset: Dataset, options: Options, systems: Systems, probe: Callable[[Posed], T]
) -> Lived[T]:
    """Take a bank through each case, and ask every system every question by ``probe``."""
    with ExitStack() as stack:
        folder = options.keep_store or Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="hippocampus-bench-"))
        )
        store = _Kept.at(folder, name, dataset, options)
        with _open(store.path, options) as memory:
            trial = BenchTrial(memory, options, systems, probe, remember=not store.complete)
            total = sum(
                len(case.said) + len(case.questions) * len(systems) for case in dataset.cases
            )
            for case in dataset.cases:
                trial.live(case, total=total)
        store.finish()
        return Lived(
            found=trial.found,
            embedder=trial.embedder,
            ingest_per_s=trial.episodes / trial.ingest_s if trial.ingest_s else None,
            slept_s=trial.slept_s,
            bytes_on_disk=store.nbytes(),
        )


def _open(path: Path, options: Options) -> AbstractContextManager[EvaluatedMemory]:
    if options.open_memory is not None:
        return options.open_memory(path)
    from hippocampus import Config, Memory, Signatures  # noqa: PLC0415 - metrics need no engine

    config = Config()  # what recall does by default
    if options.cues is not None:
        config = Config(signatures=Signatures() if options.signs else None)
    return Memory(path, embedder=options.embedder, config=config)


@dataclass
class BenchTrial(Generic[T]):
    """Trial in which turns are remembered and questions asked."""

    memory: EvaluatedMemory
    options: Options
    systems: Systems
    probe: Callable[[Posed], T]
    remember: bool = True
    found: dict[str, list[T]] = field(default_factory=dict)
    episodes: int = 0
    ingest_s: float = 0.0
    slept_s: list[float] = field(default_factory=list)
    done: int = 0
    embedder: str | None = None

    def live(self, case: Case, *, total: int) -> None:
        """Go through the steps of a case in a bank of its own."""
        labels = OpaqueNames(self.options.seed)
        bank = self.memory.bank(f"bench-{labels.of('bank', case.id)}")
        session_of: dict[str, str] = {}
        warm = restless = False

        def label(kind: str, key: str) -> str:
            return labels.of(kind, case.id, key)

        for step in case.steps:
            if step.ask and restless and self.options.sleep:
                self._sleep(bank, again=case.streams)
                restless = False
            for question in step.ask:
                if not warm:  # the first recall of a bank loads it; that is not its latency
                    bank.recall("warming up", k=1, now=question.now)
                    warm = True
                allowed = question.sessions
                sessions = None if allowed is None else [label("session", one) for one in allowed]
                for system, cues in self.systems.items():
                    posed = Posed(bank, question, system, cues, sessions, session_of, label)
                    self.found.setdefault(system, []).append(self.probe(posed))
                    self._advance(1, total)
            turns = []
            for said in step.remember:
                ref = label("turn", said.key)
                session = said.turn.session
                if session is not None:
                    session = session_of[ref] = label("session", session)
                turns.append(replace(said.turn, session=session, metadata={"ref": ref}))
            if turns and self.remember:
                start = time.perf_counter()
                self.episodes += len(bank.remember_many(turns))
                self.ingest_s += time.perf_counter() - start
                restless = True
            self._advance(len(turns), total)
        self.embedder = bank.stats().embedder

    def _sleep(self, bank: EvaluatedBank, *, again: bool) -> None:
        """Let a bank sleep; one that does so ``again`` makes no topics that nobody asks for."""
        asked = any("topic" in cues for cues in self.systems.values() if cues is not None)
        start = time.perf_counter()
        bank.sleep(steps=_WITHOUT_TOPICS if again and not asked else None)
        self.slept_s.append(time.perf_counter() - start)

    def _advance(self, by: int, total: int) -> None:
        self.done += by
        if self.options.progress is not None:
            self.options.progress(self.done, total)


# ---------------------------------------------------------------- the store on disk


@dataclass(frozen=True, slots=True)
class _Kept:
    """A benchmark's store, and whether an earlier run has already filled it."""

    path: Path
    identity: str
    """Facts that must agree for its content to be ours, as JSON."""
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
        complete = note.exists() and note.read_text("utf-8") == identity
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
        self.path.with_suffix(".done.json").write_text(self.identity, "utf-8", newline="\n")

    def nbytes(self) -> int:
        """Return the bytes of the store's files after closing."""
        files = self.path.parent.glob(f"{self.path.name}*")
        return sum(file.stat().st_size for file in files)
