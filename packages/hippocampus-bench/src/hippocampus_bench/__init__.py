"""Quality of recall, measured on public benchmarks through the public API."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hippocampus_bench.options import Options
    from hippocampus_bench.report import Report
    from hippocampus_bench.runner import run

__all__ = ["Options", "Report", "run"]

# Looked up when first used, so that the help of the command `bench` waits for no engine.
_HOME = {"Options": "options", "Report": "report", "run": "runner"}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        msg = f"module 'hippocampus_bench' has no attribute {name!r}"
        raise AttributeError(msg)
    value: object = getattr(import_module(f"hippocampus_bench.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
