"""The command plan: what many banks in PostgreSQL take."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.text import Text

from hippocampus.cli.command import verb
from hippocampus.cli.options import named_as
from hippocampus.cli.render import Answer, table
from hippocampus.core.lazy_dataclass import immutable

if TYPE_CHECKING:
    from hippocampus.capacity import Load, Plan, Prices


@immutable
class LoadOptions:
    """Load of a store, and capacity of one machine; see ``capacity.Load``."""

    turns_per_day: float = 20.0
    recalls_per_day: float = 10.0
    days: float = 365.0
    peak: float = 3.0
    hot: float = 0.05
    opened_per_day: float = 2.0
    sleeps: float = 1.0
    busy: float = 0.6
    cores: float = 4.0
    memory_gb: float = 16.0
    primary_gb: float = 2000.0
    primary_log_mb_s: float = 50.0
    primary_commits: float = 5000.0
    primary_cores: float = 16.0
    copies: int = 2


@immutable
class PriceOptions:
    """Monthly prices of the parts."""

    price_core: float = 25.0
    price_memory_gb: float = 3.0
    price_disk_gb: float = 0.10
    price_backup_gb: float = 0.02


@verb("plan", opens=None)
def plan(*, banks: float, load: LoadOptions, prices: PriceOptions) -> Answer:
    """Calculate the machines, the disk and the money that many banks in PostgreSQL take."""
    from hippocampus import capacity  # noqa: PLC0415 - only when used

    with named_as("Load", {}):
        given = capacity.Load(banks=banks, **asdict(load))
    costs = {name.removeprefix("price_"): value for name, value in asdict(prices).items()}
    with named_as("Prices", {name: f"price_{name}" for name in costs}):
        made = capacity.plan(given, capacity.Prices(**costs))
    data: dict[str, Any] = {"load": asdict(given), "prices": costs, "plan": asdict(made)}
    return Answer(data, [table(_lines(made)), *_assumed(given, capacity.Prices(**costs))])


def _lines(made: Plan) -> list[tuple[str, str]]:
    most = made.first_limit_banks
    limit = "any number" if most is None else f"{_short(most)} banks, by its {made.first_limit}"
    hours = _short(made.sleep_cpu_hours_per_day)
    sleep = f"{hours} processor hours a day, {made.sleep_workers:,} workers"
    return [
        ("episodes; rows", f"{_short(made.episodes)}; {_short(made.rows)}"),
        ("data", f"{_short(made.data_gb)} GB"),
        ("writes, each a commit", f"{_short(made.writes_per_s)}/s at the peak"),
        ("questions", f"{_short(made.recalls_per_s)}/s at the peak"),
        ("log of the database", f"{_short(made.log_mb_per_s)} MB/s at the peak"),
        ("disk writes", f"{_short(made.disk_writes_per_s)}/s at the peak"),
        ("hot banks", f"{_short(made.hot_gb)} GB of memory"),
        ("servers", f"{made.servers:,}, of {_short(made.server_cores)} processors in all"),
        ("sleep", sleep),
        ("database", f"{made.primaries:,} primaries, {_short(made.database_cores)} processors"),
        ("one primary ends at", limit),
        *((f"cost a month, {name}", _short(value)) for name, value in made.cost.items()),
    ]  # fmt: skip


def _assumed(load: Load, prices: Prices) -> list[Text]:
    """Return the numbers that went in, given or not."""
    told = [
        ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in asdict(some).items())
        for some in (load, prices)
    ]
    return [Text(f"for: {told[0]}", "dim"), Text(f"at prices: {told[1]}", "dim")]


def _short(number: float) -> str:
    """Return a number with three digits that mean something."""
    for size, name in ((1e12, " T"), (1e9, " G"), (1e6, " M")):
        if number >= size:
            return f"{number / size:.3g}{name}"
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"
