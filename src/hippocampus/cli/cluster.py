"""The commands for heavy work on all banks, spread by Ray over processes and machines."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from hippocampus.cli.command import verb
from hippocampus.cli.options import Scope
from hippocampus.cli.render import Answer, clean, stderr
from hippocampus.core.lazy_dataclass import immutable

if TYPE_CHECKING:
    from hippocampus.cluster import ClusterReport, RayCluster

_SAY_EVERY_S: Final = 10.0
"""Seconds between two lines that tell the progress."""


@immutable
class RayOptions:
    """Options of Ray: which does the work, and with how many workers."""

    ray: str = "local"
    workers: int | None = None
    minutes: float = 10.0

    @contextmanager
    def cluster(self, scope: Scope, *, create: bool = False) -> Iterator[RayCluster]:
        """Join the Ray, or start one, for as long as the cluster is used."""
        from hippocampus.cluster import RayCluster  # noqa: PLC0415 - the engine, only when used

        if not create:
            scope.check()
        with RayCluster(
            scope.path, ray=self.ray, workers=self.workers, minutes=self.minutes,
            embedder=scope.embedder, config=scope.config(), key=scope.key, vault=scope.vault,
        ) as cluster:  # fmt: skip
            yield cluster


@verb("cluster sleep", opens=None)
def sleep(
    *, bank: list[str] | None = None, due: bool = False, ray: RayOptions, scope: Scope
) -> Answer:
    """Let every bank sleep in which something has changed since it slept."""
    with ray.cluster(scope) as cluster:
        return _done(cluster.sleep(banks=bank, due=due, told=_teller()))


@verb("cluster reembed", opens=None)
def reembed(target: str = "default", *, ray: RayOptions, scope: Scope) -> Answer:
    """Move the store to another embedder, in place."""
    with ray.cluster(scope) as cluster:
        return _done(cluster.reembed(target, told=_teller()))


@verb("cluster verify", opens=None)
def verify(*, bank: list[str] | None = None, ray: RayOptions, scope: Scope) -> Answer:
    """Check the rows, texts, indexes and journals of banks."""
    with ray.cluster(scope) as cluster:
        return _done(cluster.verify(banks=bank, told=_teller()))


@verb("cluster import", opens=None)
def import_(paths: list[Path], *, bank: str | None = None, ray: RayOptions, scope: Scope) -> Answer:
    """Keep the turns of Parquet and JSONL files, each in the bank that its row names."""
    with ray.cluster(scope, create=True) as cluster:
        return _done(cluster.import_(paths, bank=bank, told=_teller()))


@verb("cluster export", opens=None)
def export(
    folder: Path,
    *,
    format: Literal["parquet", "jsonl"] = "parquet",  # noqa: A002 - the option's natural word
    bank: list[str] | None = None,
    force: bool = False,
    ray: RayOptions,
    scope: Scope,
) -> Answer:
    """Write the turns in force of banks into Parquet or JSONL files of a folder."""
    with ray.cluster(scope) as cluster:
        return _done(
            cluster.export(folder, format=format, banks=bank, overwrite=force, told=_teller())
        )


def _done(report: ClusterReport) -> Answer:
    problems = [f"{one.what}: {one.why}" for one in report.failed]
    used = (
        f"{report.workers} workers, {report.elapsed_s:,.1f} s, {report.cpu_s:,.1f} s of processor"
    )
    return Answer(
        report, (str(report), used, *report.notes), problems=problems, success=report.whole
    )


def _teller() -> Callable[[ClusterReport], None]:
    """Return a reporter that tells, from time to time, how far it is."""
    said = time.monotonic()

    def told(report: ClusterReport) -> None:
        nonlocal said
        if time.monotonic() - said >= _SAY_EVERY_S:
            said = time.monotonic()
            stderr().print(clean(str(report)), style="dim")

    return told
