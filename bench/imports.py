"""How long does ``import hippocampus`` take in a fresh process, beside ``import numpy`` alone?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bench.banks import Workshop
from bench.measure import Row, in_fresh_process

RUNS = 10
_CODE = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"
STATEMENTS = {
    "import hippocampus": "import hippocampus",
    "from hippocampus import Memory": "from hippocampus import Memory",
}


def run(workshop: Workshop, *, quick: bool) -> Iterator[Row]:  # noqa: ARG001 - all alike
    """Yield minimum and median of ten fresh processes each."""
    numpy_s = import_s("import numpy")
    for name, statement in STATEMENTS.items():
        taken = import_s(statement)
        for what, fold in (("minimum", np.min), ("median", np.median)):
            yield Row(
                name=f"{name}, {what}", value=fold(taken), unit="s", baseline=fold(numpy_s),
                note="baseline import numpy",
            )  # fmt: skip


def import_s(statement: str) -> list[float]:
    """Return how long a statement takes in each of several fresh processes."""
    return [float(in_fresh_process("-c", _CODE.format(statement))) for _ in range(RUNS)]
