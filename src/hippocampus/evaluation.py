"""
The former home of ``hippocampus_bench``, kept until 0.3.

``from hippocampus.evaluation import Options, run`` works when the distribution hippocampus-bench is
installed, and warns; so does the import of any of its modules by the name it had here.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pkgutil import iter_modules

from hippocampus._moved import warn_of_old_name
from hippocampus.errors import BENCH, MissingExtra

_HOME = "hippocampus_bench"

try:
    _bench = import_module(_HOME)
except ModuleNotFoundError as exc:
    if exc.name != _HOME:
        raise  # it is there and broken: do not hide that
    raise MissingExtra("hippocampus.evaluation", package=BENCH, extra=None) from exc

warn_of_old_name(__name__, _HOME)


def __getattr__(name: str) -> object:
    return getattr(_bench, name)


for _module in iter_modules(_bench.__path__):
    # `hippocampus.evaluation.report` is the same module as `hippocampus_bench.report`, not a copy.
    sys.modules[f"{__name__}.{_module.name}"] = import_module(f"{_HOME}.{_module.name}")
