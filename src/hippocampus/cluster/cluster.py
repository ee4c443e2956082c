"""A cluster: verbs over all banks of a store, spread by Ray."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, Final, Literal, Self

from hippocampus.cluster.crew import LOCAL, SHARE, Crew, joined
from hippocampus.cluster.jobs import ExportJob, Job, KeepJob, Opened, SleepJob, StageJob, VerifyJob
from hippocampus.cluster.report import ClusterReport, Failure, Told
from hippocampus.cluster.turn_files import (
    FilePortion,
    GivenTurn,
    bucket_of,
    find_files,
    portions,
    read_portion,
)
from hippocampus.core.config import Config
from hippocampus.core.key import Key, as_key
from hippocampus.core.store_address import is_url
from hippocampus.encode.embed import load_embedder
from hippocampus.engine.rebuild import begin, finish
from hippocampus.errors import InputError, OutputExists, UnknownBank
from hippocampus.memory import Memory

_BUCKETS_A_WORKER: Final = 8
"""Parts into which an import is divided by bank, for each worker: so that none waits long. Chosen
by hand, as all four that follow."""
_BUCKET_BYTES: Final = 8 << 20
_MOST_BUCKETS: Final = 1024
"""Of about so many bytes of files is one, so that no job is long; and so many are there at most."""
_FILES: Final = 16  # so many workers may write at once
_BANKS_A_FILE: Final = 500
"""Files of an export, at most one for each bank, and of no more banks than that."""


class RayCluster:
    """
    A store, and the workers of a Ray on which work on its banks is spread.

    Every verb may be run again, by two at once, and beside servers: what was done is found done.
    What goes wrong with a bank is told in the report, and the others go on; what a lost worker had
    begun another does again.

    Args:
        store: an address of PostgreSQL, or a file if all workers are on this machine.
        ray: the address of a Ray, ``"auto"`` for the one on this machine, or ``"local"`` to start
            one here that ends with the block and that no other machine reaches.
        workers: processes on each node; one by default, and one a processor for ``"local"``.
        embedder: as ``Memory`` takes it; each worker loads it once.
        config: as ``Memory`` takes it.
        key: opens the store, if it is encrypted; workers are given it.
        vault: opens its vault of secrets.
        minutes: how long a worker may take for one bank, or one part of an import.

    Raises:
        MissingExtra: Ray is not installed.
        ServerUnavailable: there is no Ray at the address.
        InputError: the store is a file, and the Ray has other machines.

    """

    def __init__(
        self,
        store: str | Path,
        *,
        ray: str = LOCAL,
        workers: int | None = None,
        embedder: str = "default",
        config: Config | None = None,
        key: Key | str | None = None,
        vault: Key | str | None = None,
        minutes: float = 10,
    ) -> None:
        if workers is not None and workers < 1:
            raise InputError(f"workers={workers!r}: must be at least 1")
        if minutes <= 0:
            raise InputError(f"minutes={minutes!r}: must be above 0")
        # Workers may have another working directory, where a relative path names another file.
        path = os.fspath(store) if is_url(store) else str(Path(store).absolute())
        self._opened = Opened(
            store=path, embedder=embedder, config=config, key=as_key(key), vault=as_key(vault)
        )
        self._address, self._workers, self._minutes = ray, workers, minutes
        self._held = ExitStack()
        self._ray: Any = None

    def __enter__(self) -> Self:
        self._ray = self._held.enter_context(joined(self._address, self._workers))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._held.close()

    # ------------------------------------------------------------ verbs

    def sleep(
        self, *, banks: Sequence[str] | None = None, due: bool = False, told: Told | None = None
    ) -> ClusterReport:
        """
        Let every bank sleep in which something has changed since it last slept.

        Args:
            banks: these; all by default.
            due: only those for which it is time, as ``Memory.sleep_if_due`` has it.
            told: is told of the work about once a second.

        """
        return self._each(banks, partial(SleepJob, due=due), told)

    def verify(
        self, *, banks: Sequence[str] | None = None, told: Told | None = None
    ) -> ClusterReport:
        """Check the rows, texts, indexes and journals of banks; what is wrong has failed."""
        return self._each(banks, VerifyJob, told, embed=False)

    def reembed(self, embedder: str, *, told: Told | None = None) -> ClusterReport:
        """
        Move the store to another embedder; until the last moment it answers from its vectors.

        If a bank fails, nothing is swapped; another run goes on where this one was. Several runs at
        once share the work if they move it to the same one; otherwise all but the last end, and
        say so.
        """
        maker = load_embedder(embedder)
        if maker is None:
            raise InputError(f"embedder={embedder!r}: name the embedder to move to")
        # Workers make the vectors, so the store's own embedder is not needed here.
        with self._memory(embed=False) as memory:
            begin(memory.engine, maker)
            report = self._each(None, partial(StageJob, embedder=embedder), told, embed=False)
            if report.failed:
                return report
            swapped = finish(memory.engine, maker)
        # Several runs may share the work, and only one of them can swap.
        if swapped is None:
            report.notes.append("another run has put the new vectors in place")
        else:
            report.counts["episodes"] = sum(swapped.values())
        return report

    def import_(
        self,
        paths: Sequence[str | Path],
        *,
        bank: str | None = None,
        told: Told | None = None,
    ) -> ClusterReport:
        """
        Keep the turns of Parquet and JSONL files, each in the bank that its row names.

        A row has ``text``, ``at`` and ``bank``, and may have what else a ``Turn`` has. Turns of a
        bank are kept in the order of the files. What is there already is not kept again.

        Args:
            paths: files, and folders of them, which every worker can read.
            bank: of rows that name none.
            told: is told of the work about once a second.

        """
        files = find_files(paths)
        parts = [part for path in files for part in portions(path)]
        report = ClusterReport(unit="portions")
        with self._crew(create=True) as crew:
            size = sum(path.stat().st_size for path in files)
            buckets = min(
                _MOST_BUCKETS, max(1, crew.size * _BUCKETS_A_WORKER, size // _BUCKET_BYTES)
            )
            split = self._ray.remote(num_cpus=SHARE, num_returns=buckets)(_split)
            found = [split.remote(part, bank, buckets) for part in parts]
            # Ray returns one reference, and no list, where a single bucket is asked for.
            columns = zip(*(some if buckets > 1 else [some] for some in found), strict=True)
            jobs = [
                KeepJob(f"portion {number}", list(column))
                for number, column in enumerate(columns, 1)
            ]
            crew.do(jobs, report, told)
        return report

    def export(
        self,
        folder: str | Path,
        *,
        format: Literal["parquet", "jsonl"] = "parquet",  # noqa: A002
        banks: Sequence[str] | None = None,
        overwrite: bool = False,
        told: Told | None = None,
    ) -> ClusterReport:
        """
        Write the turns in force of banks into files of a folder, which ``import_`` reads.

        Args:
            folder: is made if it is missing; every worker can write there.
            format: of the files.
            banks: these; all by default.
            overwrite: whether files of an earlier export there may be replaced.
            told: is told of the work about once a second.

        Raises:
            OutputExists: there is an export already.

        """
        if format not in ("parquet", "jsonl"):
            raise InputError(f"format={format!r}: must be 'parquet' or 'jsonl'")
        names = self._names(banks)
        target = Path(folder).resolve()
        target.mkdir(parents=True, exist_ok=True)
        there = sorted(target.glob("turns-*-of-*.*"))
        if there and not overwrite:
            raise OutputExists("there is an export already; name another folder", path=there[0])
        files = max(1, min(_FILES, len(names)), len(names) // _BANKS_A_FILE)
        by_file: list[list[str]] = [[] for _ in range(files)]
        for name in names:
            by_file[bucket_of(name, files)].append(name)
        jobs = [
            ExportJob(str(target / f"turns-{number:03d}-of-{files:03d}.{format}"), some)
            for number, some in enumerate(by_file, 1)
        ]
        report = ClusterReport(unit="files")
        with self._crew(embed=False) as crew:
            crew.do(jobs, report, told)
        mine = {job.name for job in jobs}
        for old in there if report.whole else ():  # of another number: its banks would be twice
            if str(old) not in mine:
                old.unlink(missing_ok=True)
        return report

    # ------------------------------------------------------------ how

    def _each(
        self,
        banks: Sequence[str] | None,
        job: Callable[[str], Job],
        told: Told | None,
        *,
        embed: bool = True,
    ) -> ClusterReport:
        names = self._names(banks)
        # Two who do so at once seldom meet, and find done what the other has done.
        Random().shuffle(names)  # noqa: S311 - no secret
        report = ClusterReport(unit="banks")
        with self._crew(embed=embed) as crew:
            crew.do([job(name) for name in names], report, told)
        report.failed.sort(key=_what)
        return report

    def _names(self, banks: Sequence[str] | None) -> list[str]:
        with self._memory(embed=False) as memory:
            there = memory.banks()
        for name in banks or ():
            if name not in there:
                raise UnknownBank(f"no bank {name!r} in the store; 'banks' lists them")
        return list(there if banks is None else dict.fromkeys(banks))

    def _memory(self, *, embed: bool) -> Memory:
        return (self._opened if embed else replace(self._opened, embedder="none")).memory()

    @contextmanager
    def _crew(self, *, embed: bool = True, create: bool = False) -> Iterator[Crew]:
        if self._ray is None:
            raise InputError("a RayCluster is used as 'with RayCluster(…) as cluster:'")
        opened = replace(self._opened, create=create)
        opened = opened if embed else replace(opened, embedder="none")
        if create:  # once, before many do so at the same time
            opened.memory().close()
        local = self._address == LOCAL
        workers = self._workers or ((os.cpu_count() or 1) if local else 1)
        crew = Crew(self._ray, opened, workers=workers, minutes=self._minutes)
        try:
            yield crew
        finally:
            crew.end()


def _what(failure: Failure) -> str:
    return failure.what


def _split(part: FilePortion, bank: str | None, buckets: int) -> Any:  # noqa: ANN401 - as Ray has it
    """Return the turns of a part of a file, by bank: a list for each bucket."""
    made: list[list[GivenTurn]] = [[] for _ in range(buckets)]
    for turn in read_portion(part, bank=bank):
        made[bucket_of(turn.bank, buckets)].append(turn)
    return made if buckets > 1 else made[0]
