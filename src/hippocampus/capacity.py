"""
The capacity that many banks in PostgreSQL need, calculated from what was measured of one turn.

Nothing is looked up: a ``Load`` and ``Prices`` go in, a ``Plan`` comes out. ``MEASURED`` is
what ``bench/results`` has in ``capacity.json`` and four other reports; a test compares them.
"""

from __future__ import annotations

import math
from typing import Annotated, Final, TypeAlias

from msgspec import Meta

from hippocampus.core.constraints import check
from hippocampus.core.lazy_dataclass import immutable

__all__ = ["MEASURED", "Load", "Measured", "Plan", "Prices", "plan"]

_DAY_S: Final = 86_400  # a mean over days has no use for leap seconds
_GB: Final = 1e9
"""Bytes of a gigabyte as disks are sold; in units of 2³⁰ a plan would say 7 % less."""

Share: TypeAlias = Annotated[float, Meta(gt=0, le=1)]
Price: TypeAlias = Annotated[float, Meta(ge=0, le=1e6)]


@immutable
class Measured:
    """
    Measured cost of one turn, one question and one bank, on one core of two.

    Every number stands in a report in ``bench/results``; which one in which,
    ``tests/core/test_capacity_plan.py`` says, and compares. How they came about: ``docs/scale.md``.
    """

    short_turns: float
    """Turns of a bank in which ``short_…`` was measured, of one turn."""
    long_turns: float
    turn_bytes: float
    """On disk, without what is free in tables; ``_FREE`` has that."""
    short_rows: float
    long_rows: float
    short_held_bytes: float
    """Of memory, while the bank is in use."""
    long_held_bytes: float
    turn_log_bytes: float
    slept_log_bytes: float
    turn_cpu_ms: float
    recall_cpu_ms: float
    opened_cpu_ms: float
    slept_cpu_ms: float
    turn_database_ms: float
    recall_database_ms: float
    slept_database_ms: float
    embedded_turn_ms: float = 10.95
    embedded_question_ms: float = 2.679
    """Of the default embedder (``bench/results/encoder.json``); a turn has those before it."""
    http_ms: float = 0.9143
    """Median of what a server takes beside its verb (``bench/results/server.json``)."""
    read_turn_ms: float = 0.016
    """For each turn of a bank that is opened, of 10 000 an even share: the baseline of "opening 10
    k, encrypted" in ``bench/results/store.json``."""

    def of_bank(self, turns: float, short: float, long: float) -> float:
        """Return the size of a bank of so many turns: on lines from none through two banks."""
        if turns < self.short_turns:
            return short * turns
        first, second = short * self.short_turns, long * self.long_turns
        slope = (second - first) / (self.long_turns - self.short_turns)
        return max(0.0, first + (turns - self.short_turns) * slope)


MEASURED: Final = Measured(
    short_turns=220.0,
    long_turns=2500.0,
    short_rows=7.239,
    long_rows=2.938,
    short_held_bytes=4713.0,
    long_held_bytes=3051.0,
    turn_bytes=2300.0,
    turn_log_bytes=3157.0,
    slept_log_bytes=10519.0,
    turn_cpu_ms=9.191,
    recall_cpu_ms=12.0,
    opened_cpu_ms=42.96,
    slept_cpu_ms=14.87,
    turn_database_ms=7.255,
    recall_database_ms=3.389,
    slept_database_ms=2.538,
)


@immutable
class Load:
    """
    Load of a store: how many banks, and what is said to each of them a day.

    The defaults are assumptions, and so is what one primary can do (``docs/scale.md``).
    """

    banks: Annotated[float, Meta(ge=1, le=1e12)]
    turns_per_day: Annotated[float, Meta(ge=0, le=1e6)] = 20.0
    """Turns that a bank is told a day."""
    recalls_per_day: Annotated[float, Meta(ge=0, le=1e6)] = 10.0
    """Questions that a bank is asked a day."""
    days: Annotated[float, Meta(ge=1, le=36_500)] = 365.0
    """Days for which turns are kept."""
    peak: Annotated[float, Meta(ge=1, le=1000)] = 3.0
    """Load of the busiest hour, as a multiple of the mean."""
    hot: Share = 0.05
    """The share of banks that are in memory at once."""
    opened_per_day: Annotated[float, Meta(ge=0, le=1e6)] = 2.0
    """Times a day that a bank comes into memory."""
    sleeps: Share = 1.0
    """The share of turns that sleep looks at, as new; less where banks are made to sleep seldom."""
    busy: Share = 0.6
    """The share of a processor that is used at the peak."""
    cores: Annotated[float, Meta(ge=1, le=1024)] = 4.0
    """Processors of a server, each with one process of ours."""
    memory_gb: Annotated[float, Meta(ge=1, le=100_000)] = 16.0
    """Memory of a server."""
    primary_gb: Annotated[float, Meta(ge=1, le=1e7)] = 2000.0
    """The most data of one primary: what can be copied anew, backed up and vacuumed in a night."""
    primary_log_mb_s: Annotated[float, Meta(gt=0, le=1e6)] = 50.0
    """The most log of one primary a second, which a standby has to write as well."""
    primary_commits: Annotated[float, Meta(gt=0, le=1e9)] = 5000.0
    """The most commits of one primary a second, each waiting for a standby."""
    primary_cores: Annotated[float, Meta(ge=1, le=1024)] = 16.0
    """Processors of one primary."""
    copies: Annotated[int, Meta(ge=1, le=10)] = 2
    """Databases with the same data: the primary and its standbys."""

    def __post_init__(self) -> None:
        check(self)


@immutable
class Prices:
    """Monthly price of each part, in whatever currency; the defaults are an assumption."""

    core: Price = 25.0
    """A processor, for a month, with what memory usually comes with it."""
    memory_gb: Price = 3.0
    """A gigabyte of memory."""
    disk_gb: Price = 0.10
    """A gigabyte of a disk that bears the writes."""
    backup_gb: Price = 0.02
    """A gigabyte where backups lie."""

    def __post_init__(self) -> None:
        check(self)


@immutable
class Plan:
    """Needs of a load; numbers of machines are whole, all else is a mean unless it says peak."""

    episodes: float
    rows: float
    data_gb: float
    writes_per_s: float
    """At the peak; each is a commit."""
    recalls_per_s: float
    """At the peak."""
    log_mb_per_s: float
    """At the peak."""
    disk_writes_per_s: float
    """At the peak, of pages of 8 kB and flushes of the log."""
    hot_gb: float
    server_cores: float
    servers: int
    sleep_cpu_hours_per_day: float
    sleep_workers: int
    """Processes that sleep all day."""
    database_cores: float
    primaries: int
    first_limit: str
    """The part of one primary that is used up first: data, log, commits or processors."""
    first_limit_banks: float | None
    """Number of banks at which that limit is met; None where nothing is done with them."""
    cost: dict[str, float]
    """A month by parts, and in all."""


def plan(load: Load, prices: Prices | None = None, measured: Measured | None = None) -> Plan:
    """
    Return the memory, disk and time that a load takes.

    Raises:
        InputError: a number of the load or a price is out of range; made by these.

    """
    prices, one = prices or Prices(), measured or MEASURED
    writes = load.banks * load.turns_per_day / _DAY_S
    recalls = load.banks * load.recalls_per_day / _DAY_S
    episodes = load.banks * load.turns_per_day * load.days
    turns = load.turns_per_day * load.days
    data_gb = episodes * one.turn_bytes / _GB
    log = writes * (one.turn_log_bytes + load.sleeps * one.slept_log_bytes)
    held = one.of_bank(turns, one.short_held_bytes, one.long_held_bytes)
    hot_gb = load.banks * load.hot * held / _GB
    server_cores = load.peak * _request_ms(load, one) / 1e3 / load.busy
    # Without the peak: sleep is spread over the day.
    sleeping = writes * load.sleeps * one.slept_cpu_ms / 1e3
    database_cores = load.peak / load.busy / 1e3 * (
        writes * (one.turn_database_ms + load.sleeps * one.slept_database_ms)
        + recalls * one.recall_database_ms
    )  # fmt: skip
    limits = {
        "data": data_gb / load.primary_gb,
        "log": load.peak * log / 1e6 / load.primary_log_mb_s,
        "commits": load.peak * writes / load.primary_commits,
        "processors": database_cores / load.primary_cores,
    }
    first = max(limits, key=lambda name: limits[name])
    servers = max(
        1,
        math.ceil(server_cores / load.cores),
        math.ceil(hot_gb / (load.memory_gb * _FOR_BANKS)),
    )
    workers = math.ceil(sleeping / load.busy)
    # What is used up first says how many are needed.
    primaries = max(1, math.ceil(limits[first]))
    cost = {
        "servers": servers * (load.cores * prices.core + load.memory_gb * prices.memory_gb),
        "sleep": workers * prices.core,
        "databases": load.copies
        * max(primaries, database_cores)  # at least a processor each
        * (prices.core + _DATABASE_GB_PER_CORE * prices.memory_gb),
        "disks": load.copies * _FREE * data_gb * prices.disk_gb,
        "backups": (data_gb + log * _DAY_S * 7 / _GB) * prices.backup_gb,  # and the log of a week
    }
    return Plan(
        episodes=episodes,
        rows=load.banks * one.of_bank(turns, one.short_rows, one.long_rows),
        data_gb=data_gb,
        writes_per_s=load.peak * writes,
        recalls_per_s=load.peak * recalls,
        log_mb_per_s=load.peak * log / 1e6,
        disk_writes_per_s=load.peak * (writes + 2 * log / _PAGE),
        hot_gb=hot_gb,
        server_cores=server_cores,
        servers=servers,
        sleep_cpu_hours_per_day=sleeping * 24,
        sleep_workers=workers,
        database_cores=database_cores,
        primaries=primaries,
        first_limit=first,
        first_limit_banks=load.banks / limits[first] if limits[first] else None,
        cost=cost | {"all": sum(cost.values())},
    )


_PAGE: Final = 8192
"""Bytes of a page of PostgreSQL, of tables and of the log, as it is built by default."""
_FOR_BANKS: Final = 0.6
"""The share of a server's memory that banks may have: the rest is the program, model, answers. An
assumption, never measured."""
_DATABASE_GB_PER_CORE: Final = 4.0
"""Memory bought with each processor of a database: assumed, the same as of ``Load``'s servers."""
_FREE: Final = 1.4
"""Disk for each byte of data: what was deleted and is not yet given back, and the log. An
assumption beside ``turn_bytes``, which was measured after ``VACUUM FULL`` (``docs/scale.md``)."""


def _request_ms(load: Load, one: Measured) -> float:
    """Return the milliseconds of processors that all requests of a mean second take."""
    per_day = (
        load.turns_per_day * (one.turn_cpu_ms + one.embedded_turn_ms + one.http_ms)
        + load.recalls_per_day * (one.recall_cpu_ms + one.embedded_question_ms + one.http_ms)
        + load.opened_per_day
        * (one.opened_cpu_ms + load.turns_per_day * load.days * one.read_turn_ms)
    )
    return load.banks * per_day / _DAY_S
