"""How much of what an exact scan finds does the scan of sign bits hand to rescoring?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bench.banks import TableEmbedder, Workshop, questions
from bench.measure import Row
from bench.search import floats
from hippocampus import Memory
from hippocampus.index import vector
from hippocampus.kernel import top_k

COUNT = 50_000
LIMIT, BEST = 200, 10
OVERSAMPLE = (1, 2, 3, 5)


def run(workshop: Workshop, *, quick: bool) -> Iterator[Row]:  # noqa: ARG001 - all alike
    """Yield, by OVERSAMPLE, how many of the exact best are proposed."""
    embedder = TableEmbedder({})
    with Memory(workshop.bank(COUNT).path, embedder=embedder, read_only=True) as memory:
        bank = memory.bank("b")
        bank.episodes(limit=0)
        cue = bank.state.take().index.cues.vector
    assert isinstance(cue, vector.VectorCue), "the default embedder gives vectors"
    exact = floats(cue)
    found: dict[tuple[int, int], list[float]] = {}
    for question in questions():
        query = embedder.embed_query(question).vector
        best = np.argsort(-(exact @ query), kind="stable")[:LIMIT]
        rough = cue.estimates(query)
        for times in OVERSAMPLE:
            near = top_k(rough, LIMIT * times, None)
            for depth in (BEST, LIMIT):
                kept = np.isin(best[:depth], near).mean()
                found.setdefault((times, depth), []).append(float(kept))
    for (times, depth), kept in sorted(found.items(), key=lambda item: (item[0][1], item[0][0])):
        used = "; the one in use" if times == vector.OVERSAMPLE else ""
        yield Row(
            name=f"recall of the exact best {depth}, OVERSAMPLE={times}",
            value=float(np.mean(kept)), unit="", baseline=1.0,
            note=f"{LIMIT * times} of {COUNT // 1000} k rows rescored{used}",
        )  # fmt: skip
