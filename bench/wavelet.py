"""How fast and how small are the wavelet matrices, beside the package ``wavelet-matrix``?"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from types import ModuleType

import numpy as np

from bench.measure import Row
from hippocampus.kernel import (
    DynamicWaveletMatrix,
    HuffmanWaveletMatrix,
    WaveletMatrix,
    hamming_scan,
)

try:
    import wavelet_matrix as package
except ModuleNotFoundError:
    package = None

BITS = 17
SMALL, LARGE = 160_000, 10_000_000
QUERIES, CALLS = 200_000, 20_000
CODES = 1_000_000
BESIDE = "baseline wavelet-matrix" if package else "wavelet-matrix is not installed"


def median_s(call: Callable[[], object], seconds: float = 1.0) -> float:
    """Return the median of repeated calls, after one that warms up, in seconds."""
    call()
    times, end = [], time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def symbols(random: np.random.Generator, n: int, kind: str) -> np.ndarray:
    """Return symbols that are all as likely, or as likely as words are, in no order of theirs."""
    if kind == "uniform":
        return random.integers(0, 2**BITS, n, dtype=np.uint64)
    chances = np.cumsum(1 / np.arange(1, 2**BITS + 1))
    drawn = np.searchsorted(chances, random.random(n) * chances[-1])
    return random.permutation(2**BITS)[drawn].astype(np.uint64)


def row(name: str, value: float, unit: str, baseline: float | None = None) -> Row:
    """Return a figure beside the package's."""
    note = BESIDE if baseline or not package else ""
    return Row(name=name, value=value, unit=unit, baseline=baseline, note=note)


def growing(kind: str, some: np.ndarray) -> Iterator[Row]:
    """Time adding symbols one by one and at once."""
    listed = some.tolist()

    def append() -> None:
        dynamic = DynamicWaveletMatrix(BITS)
        for symbol in listed:
            dynamic.append(symbol)

    def insert() -> None:
        theirs = package.DynamicWaveletMatrix([], max_bit=BITS)
        for i, symbol in enumerate(listed):
            theirs.insert(i, symbol)

    def extend() -> None:
        DynamicWaveletMatrix(BITS).extend(some)

    size = f"{len(some)} {kind}"
    theirs_s = median_s(insert) if package else None
    yield row(f"append one by one, {size}", median_s(append), "s", theirs_s)
    theirs_s = (
        median_s(lambda: package.DynamicWaveletMatrix(listed, max_bit=BITS)) if package else None
    )
    yield row(f"extend at once, {size}", median_s(extend), "s", theirs_s)


def asking(kind: str, some: np.ndarray, random: np.random.Generator) -> Iterator[Row]:
    """Time the questions, in ns each: ours in a batch, the package's one a call."""
    n = len(some)
    dynamic = DynamicWaveletMatrix(BITS)
    dynamic.extend(some)
    at = random.integers(0, n, QUERIES, dtype=np.uint64)
    which = some[random.integers(0, n, QUERIES)]
    nth = dynamic.rank(some[at], at)
    for name, matrix, theirs in (
        ("sealed", WaveletMatrix.build(some, BITS), "WaveletMatrix"),
        ("Huffman", HuffmanWaveletMatrix.build(some, BITS), None),
        ("dynamic", dynamic, "DynamicWaveletMatrix"),
    ):
        baselines = [None] * 3
        if package and theirs and n == SMALL:
            baselines = package_ns(package, theirs, some, at, which, nth)
        questions = {
            "access": lambda m=matrix: m.access(at),
            "rank": lambda m=matrix: m.rank(which, at),
            "select": lambda m=matrix: m.select(some[at], nth),
        }
        size = f"{n} {kind}"
        for (question, ask), baseline in zip(questions.items(), baselines, strict=True):
            yield row(f"{name} {question}, {size}", median_s(ask) / QUERIES * 1e9, "ns", baseline)
        starts = iter(np.resize(at % np.uint64(n - 300), 10**7).tolist())

        def read(m=matrix, starts=starts) -> None:
            start = next(starts)
            m.span(start, start + 300)

        yield row(f"{name} span of 300, {size}", median_s(read, 0.3) * 1e6, "us")
        yield row(f"{name} memory, {size}", matrix.nbytes / n, "B/symbol")
        share = 8 * matrix.nbytes / (n * BITS)
        yield row(f"{name} memory over its bits, {size}", share, "x")
        if isinstance(matrix, DynamicWaveletMatrix):
            continue
        share = 8 * len(matrix.to_bytes()) / (n * BITS)
        yield row(f"{name} written over its bits, {size}", share, "x")


def package_ns(
    package: ModuleType, kind: str, some: np.ndarray, at: np.ndarray, which: np.ndarray,
    nth: np.ndarray,
) -> list[float]:  # fmt: skip
    """Return what the package takes for access, rank and select, in ns a call."""
    options = {"max_bit": BITS} if kind == "DynamicWaveletMatrix" else {}
    theirs = getattr(package, kind)(some.tolist(), **options)
    places, others = at[:CALLS].tolist(), which[:CALLS].tolist()
    found = list(zip(some[at[:CALLS]].tolist(), (nth[:CALLS] + 1).tolist(), strict=True))
    pairs = list(zip(others, places, strict=True))
    calls = (
        lambda: [theirs.access(i) for i in places],
        lambda: [theirs.rank(c, i) for c, i in pairs],
        lambda: [theirs.select(c, j) for c, j in found],
    )
    return [median_s(call, 0.3) / CALLS * 1e9 for call in calls]


def long(random: np.random.Generator) -> Iterator[Row]:
    """Time growth from ten thousand to ten million symbols."""
    some = symbols(random, LARGE, "as words")

    def in_batches() -> None:
        dynamic = DynamicWaveletMatrix(BITS)
        for start in range(0, LARGE, 100_000):
            dynamic.extend(some[start : start + 100_000])

    whole = median_s(lambda: DynamicWaveletMatrix(BITS).extend(some), 0)
    yield row(f"extend at once, {LARGE}", whole / LARGE * 1e9, "ns")
    yield row(f"extend by 100000, {LARGE}", median_s(in_batches, 0) / LARGE * 1e9, "ns")
    for n in (10_000, SMALL, 1_000_000, LARGE):
        dynamic = DynamicWaveletMatrix(BITS)
        dynamic.extend(some[:n])
        more = iter(np.resize(some, 10**6).tolist())

        def append(dynamic=dynamic, more=more) -> None:
            for _ in range(1000):
                dynamic.append(next(more))

        yield row(f"append to {n}", median_s(append, 0.3) / 1000 * 1e9, "ns")
    yield from asking("as words", some, random)


def sealing(kind: str, some: np.ndarray) -> Iterator[Row]:
    """Time making and reading a sealed matrix."""
    dynamic = DynamicWaveletMatrix(BITS)
    dynamic.extend(some)
    yield row(f"seal, {len(some)} {kind}", median_s(dynamic.seal) * 1e3, "ms")
    for name, form in (("", WaveletMatrix), ("Huffman ", HuffmanWaveletMatrix)):
        written = form.build(some, BITS).to_bytes()
        size = f"{len(some)} {kind}"
        build_s = median_s(lambda form=form: form.build(some, BITS))
        load_s = median_s(lambda form=form, written=written: form.load(written))
        yield row(f"{name}build, {size}", build_s * 1e3, "ms")
        yield row(f"{name}load, {size}", load_s * 1e3, "ms")


def balls(random: np.random.Generator) -> Iterator[Row]:
    """Time the two ways to a Hamming ball."""
    codes = random.integers(0, 2**64, CODES, dtype=np.uint64)
    sealed, rows = WaveletMatrix.build(codes, 64), codes.view(np.uint8).reshape(-1, 8)
    for radius in range(5):
        scan = median_s(lambda r=radius: hamming_scan(rows, rows[7], r), 0.3)
        descent = median_s(lambda r=radius: sealed.ball(int(codes[7]), r), 0.3)
        yield Row(
            name=f"ball of radius {radius}, {CODES} x 64 bits", value=descent * 1e3, unit="ms",
            baseline=scan * 1e3, note="descent; baseline the packed scan",
        )  # fmt: skip


def run(_workshop: object = None, *, quick: bool = False) -> Iterator[Row]:
    """Yield the rows; quick leaves out ten million symbols."""
    random = np.random.default_rng(0)
    for kind in ("as words", "uniform"):
        some = symbols(random, SMALL, kind)
        yield from growing(kind, some)
        yield from asking(kind, some, random)
        yield from sealing(kind, some)
    yield from balls(random)
    if not quick:
        yield from long(random)
