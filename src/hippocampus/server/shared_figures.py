"""Figures of several workers, told by whichever is asked: each with the number of its worker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector

EVERY_S: Final = 2.0
"""Seconds after which a worker leaves its figures for the others again, so that whoever is asked
tells of the others what is so old at most (docs/adr/0074). Chosen by hand."""
_LABEL: Final = "worker"


class SharedFigures(Collector):
    """The figures of one worker as they are, and those of the others as they last left them."""

    def __init__(self, own: CollectorRegistry, folder: Path, number: int) -> None:
        self._own = own
        self._folder = folder
        self._number = number

    def leave(self) -> None:
        """Leave this worker's figures for the others."""
        path = self._folder / str(self._number)
        # Others may read it at any moment, and are to read all of it.
        made = path.with_suffix(".new")
        made.write_bytes(generate_latest(self._own))
        made.replace(path)

    def told(self) -> bytes:
        """Return the figures of all as Prometheus reads them."""
        every = CollectorRegistry()
        every.register(self)
        return generate_latest(every)

    def collect(self) -> Iterator[Metric]:
        """Yield the figures of all, each kind once."""
        families: dict[str, Metric] = {}
        _add(families, self._number, generate_latest(self._own).decode())
        for path in sorted(self._folder.glob("[0-9]*")):
            # "3.new" is one that is being written.
            if path.name.isdecimal() and path.name != str(self._number):
                _add(families, int(path.name), path.read_text("utf-8"))
        yield from families.values()

    def describe(self) -> Iterable[Metric]:
        """Describe nothing: the names are those of the workers' own registries."""
        return ()


def _add(families: dict[str, Metric], number: int, told: str) -> None:
    for one in text_string_to_metric_families(told):
        into = families.setdefault(one.name, Metric(one.name, one.documentation, one.type))
        for sample in one.samples:
            into.add_sample(
                sample.name, {**sample.labels, _LABEL: str(number)}, sample.value,
                sample.timestamp, sample.exemplar,
            )  # fmt: skip
