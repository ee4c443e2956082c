"""How fast is each native kernel beside its NumPy reference, inside and outside the cache?"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib import import_module

import numpy as np

from bench.measure import HERE, Row
from hippocampus.kernel import (
    Bm25Index,
    build_info,
    dot_rows,
    maxsim,
    quantise_rows,
    scan_signs,
    scan_turned,
    set_simd_path,
    sign_codes,
    top_k,
)

sys.path.append(str(HERE.parent / "tests" / "kernel"))
reference = import_module("kernel_reference")
"""What each kernel computes, in NumPy; the tests have it, which compare the same."""

SECONDS = 0.3
"""How long each kernel is repeated, and each baseline; the median of all runs counts."""
PATHS = ("scalar", "avx2", "avx512")
SMALL, LARGE = 2_000, 200_000


@dataclass(frozen=True)
class Timing:
    """Microseconds of one call, by SIMD path and for NumPy; ``units`` is what one call works on."""

    kernel: str
    size: str
    native_us: dict[str, float]
    numpy_us: float | None
    units: int
    unit: str


def median_us(call: Callable[..., object], *arguments: object, seconds: float = SECONDS) -> float:
    """Return the median of repeated calls, after one that warms up."""
    call(*arguments)
    times, end = [], time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        call(*arguments)
        times.append(time.perf_counter() - start)
    return float(np.median(times)) * 1e6


def units(random: np.random.Generator, *shape: int) -> np.ndarray:
    """Return random vectors of length 1."""
    vectors = random.normal(size=shape).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def cases(random: np.random.Generator):
    """Yield (name, size, kernel, its arguments, units of work, what a unit is)."""
    vectors = units(random, SMALL, 384)
    yield "sign_codes", f"{SMALL} x 384", sign_codes, (vectors,), SMALL, "row"
    yield "quantise_rows", f"{SMALL} x 384", quantise_rows, (vectors,), SMALL, "row"

    for n in (SMALL, LARGE):
        codes = random.integers(0, 256, (n, 48), dtype=np.uint8)
        size, query = f"{n} x 384 bits", units(random, 384)
        yield "scan_signs", size, scan_signs, (codes, query), n, "row"
        turned = codes[: n // 128 * 128].reshape(-1, 128, 48).transpose(0, 2, 1).copy()
        yield "scan_turned", size, scan_turned, (turned, query), n, "row"

    for spans in (20, 400):
        lengths = random.integers(30, 200, spans)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint64)
        codes = random.integers(0, 256, (int(offsets[-1]), 32), dtype=np.uint8)
        question = units(random, 12, 256)
        pairs = 12 * len(codes)
        size = f"{spans} spans, {len(codes)} x 12"
        yield "maxsim", size, maxsim, (codes, offsets, question), pairs, "pair"

    for n in (SMALL, LARGE):
        matrix = random.integers(-127, 128, (n, 384), dtype=np.int8)
        scales, query = np.ones(n, np.float32), units(random, 384)
        rows = random.integers(0, n, 400, dtype=np.uint32)
        yield "dot_rows", f"400 of {n} x 384", dot_rows, (matrix, scales, query, rows), 400, "row"

    for n in (SMALL, LARGE):
        scores = random.normal(size=n).astype(np.float32)
        yield "top_k", f"400 of {n}", top_k, (scores, 400), n, "score"


def words(random: np.random.Generator, documents: int) -> tuple[np.ndarray, np.ndarray]:
    """Return documents of 30 terms each, distributed as words are."""
    chances = 1 / np.arange(1, 60_001)
    terms = random.choice(60_000, documents * 30, p=chances / chances.sum()).astype(np.uint32)
    return terms, np.arange(0, documents * 30 + 1, 30, dtype=np.uint64)


def bm25(random: np.random.Generator) -> list[Timing]:
    """Time building an index and asking it ten words, five of them among the most common."""
    question = np.array([0, 1, 2, 3, 4, 10, 100, 1_000, 10_000, 50_000], np.uint32)
    timings = []
    for n in (SMALL, LARGE):
        terms, offsets = words(random, n)
        index, plain = Bm25Index(), reference.Bm25Index()
        start = time.perf_counter()
        index.extend(terms, offsets)
        built_us = (time.perf_counter() - start) * 1e6
        numpy_us = None
        if n == SMALL:
            plain.extend(terms, offsets)
            numpy_us = median_us(plain.score, question, None, None, 1.2, 0.75)
        asked_us = median_us(index.score, question, None, None, 1.2, 0.75)
        postings = int(index.document_frequency(question).sum())
        size = f"{n} x 30, {index.nbytes / len(terms):.1f} B/term"
        timings += [
            Timing("Bm25Index.extend", size, {"any": built_us}, None, len(terms), "term"),
            Timing("Bm25Index.score", size, {"any": asked_us}, numpy_us, postings, "posting"),
        ]
    return timings


def run() -> dict:
    """Time every kernel; return the machine's SIMD paths and the timings."""
    random = np.random.default_rng(0)
    paths = PATHS[: PATHS.index(build_info()["simd_best"]) + 1]
    timings = []
    for name, size, kernel, arguments, count, unit in cases(random):
        native_us = {}
        for path in paths:
            set_simd_path(path)
            native_us[path] = median_us(kernel, *arguments)
        set_simd_path("auto")
        numpy_us = median_us(getattr(reference, name), *arguments)
        timings.append(Timing(name, size, native_us, numpy_us, count, unit))
    return {"build": build_info(), "timings": [asdict(t) for t in timings + bm25(random)]}


def rows() -> Iterator[Row]:
    """Yield each kernel's best path beside NumPy, for the common table."""
    for timing in run()["timings"]:
        path, native_us = min(timing["native_us"].items(), key=lambda item: item[1])
        yield Row(
            name=f"{timing['kernel']}, {timing['size']}", value=native_us, unit="us",
            baseline=timing["numpy_us"], note=f"path {path}; baseline NumPy",
        )  # fmt: skip


def main() -> None:
    """Print the timings as a table."""
    found = run()
    print(f"{found['build']['compiler']}, {found['build']['simd_best']}; microseconds, medians")
    columns = (*PATHS, "any")
    print(f"{'kernel':18}{'size':30}" + "".join(f"{c:>10}" for c in (*columns, "numpy")), " each")
    for t in found["timings"]:
        native = "".join(
            f"{t['native_us'][c]:10.1f}" if c in t["native_us"] else " " * 10 for c in columns
        )
        plain = f"{t['numpy_us']:10.0f}" if t["numpy_us"] else f"{'':10}"
        each_ns = min(t["native_us"].values()) * 1e3 / t["units"]
        print(f"{t['kernel']:18}{t['size']:30}{native}{plain}  {each_ns:.2f} ns/{t['unit']}")


if __name__ == "__main__":
    main()
