"""
Does a recall get faster when a router of topics narrows what it searches (SWIFT, section 3.2.3)?

Three ways at each size: all that may be seen, the router's rows alone (its cut), and all with the
router's score as one more among the cues' (its prior: the cue ``topic``). The embedding of the
question is the same for each, and left out. Beside the time stands how many of the ten best of the
first way each of the others has: what a cut leaves out is not found, however near it is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from bench.banks import LAST, TableEmbedder, Workshop, questions
from bench.measure import Row
from hippocampus import Memory
from hippocampus.bank.searches import bind_to, encode
from hippocampus.engine.snapshot import BankSnapshot
from hippocampus.index.query import Query
from hippocampus.recall.parse import parse
from hippocampus.recall.search import search

_CUES: Final = frozenset({"tokens", "vector", "lexical", "time", "topic"})
_TRIES: Final = 3
_ASKED: Final = 60


def run(workshop: Workshop, *, quick: bool) -> Iterator[Row]:
    """Yield the rows of every size."""
    for count in (1_000, 10_000) if quick else (1_000, 10_000, 50_000):
        yield from measure(workshop, count)


def measure(workshop: Workshop, count: int) -> Iterator[Row]:
    """Yield the rows of one size."""
    size = f"{count // 1000} k"
    with Memory(workshop.bank(count).path, embedder=TableEmbedder({}), read_only=True) as memory:
        state = memory.bank("b").state
        with state.asking() as here:
            asked = []
            for text in questions()[:_ASKED]:
                query = parse(text, now=LAST, cues=_CUES)
                encoded = encode(state, query, here.embedder, None)
                asked.append(bind_to(here, query, encoded))
            best: list[list[int]] = []
            for name, way in _ways(here).items():
                took, found, searched = [], [], []
                for query in asked:
                    rows, elapsed_s, among = _timed(way, query)
                    took.append(elapsed_s * 1e3)
                    found.append(rows)
                    searched.append(among)
                best = best or found
                kept = [len({*a} & {*b}) / max(1, len(a)) for a, b in zip(best, found, strict=True)]
                note = (
                    f"{np.mean(kept):.2f} of the ten best; {np.mean(searched):,.0f} rows searched"
                )
                yield Row(
                    name=f"{name}, {size}", value=float(np.median(took)), unit="ms", note=note
                )


def _ways(here: BankSnapshot) -> dict[str, Callable[[Query], tuple[list[int], int]]]:
    index, fusion, topic = here.index, here.fusion, here.index.cues.topic
    assert topic is not None, "the bank has slept"

    def everything(query: Query, extra: frozenset[str] = frozenset()) -> tuple[list[int], int]:
        query = _among(query, (_CUES - {"topic"}) | extra)
        return search(index, query, None, fusion, 10).rows.tolist(), len(index)

    def cut(query: Query) -> tuple[list[int], int]:
        scores = topic.scores(query)
        allowed = None if scores is None else scores > 0
        found = search(index, _among(query, _CUES - {"topic"}), allowed, fusion, 10)
        return found.rows.tolist(), len(index) if allowed is None else int(allowed.sum())

    return {
        "all rows": everything,
        "the router's rows alone": cut,
        "all rows, and the router's score": lambda query: everything(query, frozenset({"topic"})),
    }


def _among(query: Query, cues: frozenset[str]) -> Query:
    return replace(query, cues=cues)


def _timed(
    way: Callable[[Query], tuple[list[int], int]], query: Query
) -> tuple[list[int], float, int]:
    elapsed = []
    for _ in range(_TRIES):
        start = time.perf_counter()
        rows, among = way(query)
        elapsed.append(time.perf_counter() - start)
    return rows, float(np.median(elapsed)), among
