"""
Redoes the DWM paper's Table 6: what the token stream takes to make, to keep and to ask.

Made-up conversations, as ids of the store's vocabulary, go into our matrices, into those of the
package ``wavelet-matrix``, and as text into zstd, by itself and in blocks. All in one run, one
after the other, and each timed as the shortest of several tries: other processes cost time, none
saves any.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, ClassVar, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.config import Ingest
from hippocampus.core.optional import require
from hippocampus.core.records import Progress
from hippocampus.encode import tokens as tokenizer
from hippocampus.errors import InputError, MissingExtra
from hippocampus.journal.content import Segment, pack_lengths
from hippocampus.kernel import DynamicWaveletMatrix, HuffmanWaveletMatrix, WaveletMatrix
from hippocampus_bench.report import commit, machine
from hippocampus_bench.synthetic import generate

PAPER: Final[Mapping[int, tuple[float, float]]] = {
    16_000: (32, 0.15), 32_000: (70, 0.31), 48_000: (108, 0.44), 64_000: (149, 0.59),
    80_000: (189, 0.77), 96_000: (231, 0.87), 112_000: (273, 1.02), 128_000: (316, 1.16),
    144_000: (359, 1.27), 160_000: (402, 1.46),
}  # fmt: skip
"""Seconds and megabytes by tokens: DWM, Table 6. The footprint has a signature for every token."""
SIZES: Final = (*PAPER, 1_000_000, 10_000_000)
ASKED: Final = 160_000
"""From this size on, and of the last size, all questions are asked."""
ONE_BY_ONE: Final = 1_000_000
"""Up to this size symbols are also appended one by one, and the package takes part: it holds some
80 bytes a symbol."""
EPISODE: Final = 300
"""Tokens of the episode that is read as text."""

_QUERIES = 200_000
_BATCH = 2_000
"""Questions a call: few enough that most calls are over before another process has its turn."""
_CALLS = 20_000
_READ = 1_000
_BLOCK = 16 << 10
"""Bytes of text that zstd compresses together."""
_DICTIONARY = 32 << 10
_LEVEL = 19

Ids: TypeAlias = NDArray[np.uint64]
Figures: TypeAlias = dict[str, float | int | str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRun(ABC):
    """Measurements of a run, row by row, and their table."""

    benchmark: ClassVar[str]

    commit: str
    machine: Mapping[str, object]
    settings: Mapping[str, object]
    rows: Sequence[Figures]

    def as_dict(self) -> dict[str, object]:
        """Return the report as JSON holds it."""
        return {
            "benchmark": self.benchmark,
            "commit": self.commit,
            "machine": dict(self.machine),
            "settings": dict(self.settings),
            "rows": [{name: _rounded(value) for name, value in row.items()} for row in self.rows],
        }

    def write(self, path: Path) -> Path:
        """Write the report; return the path."""
        text = json.dumps(self.as_dict(), indent=1, ensure_ascii=False) + "\n"
        path.write_text(text, encoding="utf-8", newline="\n")
        return path

    @abstractmethod
    def tables(self) -> list[str]:
        """Return the report as Markdown."""

    @abstractmethod
    def plot(self, folder: Path) -> list[Path]:
        """
        Draw the tables; returns the files.

        Raises:
            MissingExtra: matplotlib is not installed.

        """

    def __str__(self) -> str:
        return "\n\n".join(self.tables())


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes(MeasuredRun):
    """Measurements of a run, a row a size."""

    benchmark: ClassVar[str] = "dwm"

    def tables(self) -> list[str]:
        """Return making, keeping, asking and reading as Markdown."""
        return tables(self.as_dict())

    def plot(self, folder: Path) -> list[Path]:
        """Draw making and keeping."""
        return plot(self.as_dict(), folder)


def run(
    data: Path | None = None,
    *,
    limit: int | None = None,
    seed: int = 0,
    tries_s: float = 0.5,
    progress: Progress | None = None,
) -> Sizes:
    """
    Measure every size up to ``limit`` tokens.

    Args:
        data: a file with a text on each line; made-up turns by default.
        limit: most tokens; by default ten million, or all there are.
        seed: of made-up text, and of the questions.
        tries_s: how long each figure is tried again for.
        progress: called as it advances, in sizes.

    Raises:
        InputError: there is no text.

    """
    most = max(SIZES) if limit is None else limit
    texts = list(_read(data, most) if data else _made_up(seed, most))
    there = sum(len(ids) for _, ids in texts)
    if not there:
        msg = f"data={data}, limit={limit}: there is no text to measure"
        raise InputError(msg)
    sizes = [size for size in SIZES if size <= min(there, most)] or [there]
    rivals = {name: _optional(name) for name in ("wavelet_matrix", "zstandard")}
    rows: list[Figures] = []
    for size in sizes:
        some, random = _first(texts, size), np.random.default_rng(seed)
        asked = size >= ASKED or size == sizes[-1]
        rows.append(_measure(some, rivals, random, tries_s, asked=asked))
        if progress:
            progress(len(rows), len(sizes))
    return Sizes(
        commit=commit(),
        machine=machine(),
        settings={
            "data": "made up" if data is None else data.name,
            "seed": seed,
            "vocabulary": tokenizer.VOCABULARY,
            "bits": tokenizer.BITS,
            "rows_a_segment": Ingest().seal_rows,
            "zstd": f"level {_LEVEL}, dictionary up to {_DICTIONARY} bytes, blocks of {_BLOCK}",
            **{name: getattr(it, "__version__", it and "there") for name, it in rivals.items()},
        },
        rows=rows,
    )


# ---------------------------------------------------------------- the text


def _made_up(seed: int, most: int) -> Iterator[tuple[str, Ids]]:
    """Yield turns with their ids: halves of synthetic ones with fresh numbers, until enough."""
    made = sorted({e["text"] for bank in generate(seed, 40)["banks"] for e in bank["episodes"]})
    rng = Random(seed)  # noqa: S311 - not a secret
    while most > 0:
        left, right = (rng.choice(made).split() for _ in range(2))
        words = left[: (len(left) + 1) // 2] + right[len(right) // 2 :]
        words = [str(rng.randrange(2, 2000)) if word.isdigit() else word for word in words]
        text = " ".join(words)
        ids = np.array(tokenizer.encode(text), np.uint64)
        yield text, ids
        most -= len(ids)


def _read(file: Path, most: int) -> Iterator[tuple[str, Ids]]:
    """Yield the lines of a file with their ids, until enough."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.strip() and most > 0:
            ids = np.array(tokenizer.encode(line), np.uint64)
            yield line, ids
            most -= len(ids)


def _first(texts: Sequence[tuple[str, Ids]], tokens: int) -> Sequence[tuple[str, Ids]]:
    """Return the first texts that have so many tokens together."""
    ends = accumulate(len(ids) for _, ids in texts)
    return texts[: 1 + sum(end < tokens for end in ends)]


# ---------------------------------------------------------------- measuring


def _measure(
    texts: Sequence[tuple[str, Ids]],
    rivals: Mapping[str, ModuleType | None],
    random: np.random.Generator,
    tries_s: float,
    *,
    asked: bool,
) -> Figures:
    ids = np.concatenate([ids for _, ids in texts])
    n = len(ids)
    small = n <= ONE_BY_ONE + EPISODE
    row: Figures = {"tokens": n, "texts": len(texts)}
    row["append_s"] = _best(lambda: _appended(ids), tries_s) if small else None
    row["extend_s"] = _best(lambda: _extended(ids), tries_s)
    row["build_s"] = _best(lambda: WaveletMatrix.build(ids, tokenizer.BITS), tries_s)
    row["huffman_build_s"] = _best(lambda: HuffmanWaveletMatrix.build(ids, tokenizer.BITS), tries_s)
    dynamic, sealed = _extended(ids), WaveletMatrix.build(ids, tokenizer.BITS)
    huffman = HuffmanWaveletMatrix.build(ids, tokenizer.BITS)
    row["text_bytes"] = sum(len(text.encode()) for text, _ in texts)
    row["dynamic_bytes"], row["sealed_bytes"] = dynamic.nbytes, len(sealed.to_bytes())
    row["huffman_bytes"] = len(huffman.to_bytes())
    row["content_bytes"] = _content_bytes([ids for _, ids in texts])
    if asked:
        row |= _asked("sealed", sealed, ids, random, tries_s)
        row |= _asked("huffman", huffman, ids, random, tries_s)
        row |= _asked("dynamic", dynamic, ids, random, tries_s)
    ends = [0, *accumulate(len(ids) for _, ids in texts)]
    runs = _episodes(ends, random) if asked else []
    for name, matrix in (("read_us", sealed), ("huffman_read_us", huffman)) if runs else ():
        row[name] = 1e6 * _each(partial(_text, matrix, ends), runs, tries_s)
    package, zstd = rivals["wavelet_matrix"], rivals["zstandard"]
    if package is not None and small:
        row |= _package(package, ids, random, tries_s, asked=asked)
    if zstd is not None:
        row |= _zstd(zstd, [text for text, _ in texts], runs, tries_s)
    return row


def _episodes(ends: Sequence[int], random: np.random.Generator) -> list[tuple[int, int]]:
    """Return runs of texts, [first, stop), that have ``EPISODE`` tokens together or a few more."""
    last = bisect_left(ends, ends[-1] - EPISODE)
    if not last:
        msg = f"{ends[-1]} tokens: reading is timed on runs of {EPISODE}; give more text"
        raise InputError(msg)
    firsts = random.integers(0, last, _READ).tolist()
    return [(first, bisect_left(ends, ends[first] + EPISODE)) for first in firsts]


def _text(
    matrix: WaveletMatrix | HuffmanWaveletMatrix, ends: Sequence[int], run: tuple[int, int]
) -> str:
    return tokenizer.decode(matrix.span(ends[run[0]], ends[run[1]]).tolist())


def _appended(ids: Ids) -> DynamicWaveletMatrix:
    matrix = DynamicWaveletMatrix(tokenizer.BITS)
    for symbol in ids.tolist():
        matrix.append(symbol)
    return matrix


def _extended(ids: Ids) -> DynamicWaveletMatrix:
    matrix = DynamicWaveletMatrix(tokenizer.BITS)
    matrix.extend(ids)
    return matrix


def _content_bytes(ids: Sequence[Ids]) -> int:
    """Return the bytes of a store's segments for these texts, lengths included."""
    run = Ingest().seal_rows
    starts = range(0, len(ids), run)
    return sum(len(Segment.of(at, ids[at : at + run]).to_block().payload) for at in starts)


def _asked(
    name: str,
    matrix: WaveletMatrix | HuffmanWaveletMatrix | DynamicWaveletMatrix,
    ids: Ids,
    random: np.random.Generator,
    tries_s: float,
) -> Figures:
    """Return the rate at which a matrix answers a batch, in million questions a second."""
    at = random.integers(0, len(ids), _QUERIES, dtype=np.uint64)
    other, there = ids[random.integers(0, len(ids), _QUERIES)], ids[at]
    nth = matrix.rank(there, at)
    return {
        f"{name}_access_m": _rate(matrix.access, (at,), tries_s),
        f"{name}_rank_m": _rate(matrix.rank, (other, at), tries_s),
        f"{name}_select_m": _rate(matrix.select, (there, nth), tries_s),
    }


def _rate(ask: Callable[..., object], columns: Sequence[Ids], tries_s: float) -> float:
    """Return the rate of answers, in million questions a second, each batch in its shortest try."""
    starts = range(0, _QUERIES, _BATCH)
    batches = [[column[start : start + _BATCH] for column in columns] for start in starts]
    best = [np.inf] * len(batches)
    end = time.perf_counter() + tries_s
    while best[-1] == np.inf or time.perf_counter() < end:
        for i, batch in enumerate(
            batches
        ):  # all in turn, so that none finds its places in the cache
            start = time.perf_counter()
            ask(*batch)
            best[i] = min(best[i], time.perf_counter() - start)
    return float(_QUERIES / sum(best) / 1e6)


def _package(
    package: ModuleType, ids: Ids, random: np.random.Generator, tries_s: float, *, asked: bool
) -> Figures:
    """Return the same of the package's matrices, which take one symbol or question a call."""
    listed = ids.tolist()

    def inserted() -> Any:  # noqa: ANN401 - the package's
        matrix = package.DynamicWaveletMatrix([], max_bit=tokenizer.BITS)
        for place, symbol in enumerate(listed):
            matrix.insert(place, symbol)
        return matrix

    def at_once() -> Any:  # noqa: ANN401
        return package.DynamicWaveletMatrix(listed, max_bit=tokenizer.BITS)

    row: Figures = {
        "package_append_s": _best(inserted, 0),
        "package_extend_s": _best(at_once, 0),
        "package_build_s": _best(lambda: package.WaveletMatrix(listed), 0),
    }
    if not asked:
        return row
    row["package_dynamic_bytes"] = _grown_bytes(ids)
    for name, make in (("dynamic", at_once), ("sealed", lambda: package.WaveletMatrix(listed))):
        matrix = make()
        at = random.integers(0, len(ids), _CALLS)
        other = random.choice(ids, _CALLS).tolist()
        there = ids[at].tolist()
        nth = [
            matrix.rank(symbol, place) + 1 for symbol, place in zip(there, at.tolist(), strict=True)
        ]
        for verb, questions in (
            ("access", [(place,) for place in at.tolist()]),
            ("rank", list(zip(other, at.tolist(), strict=True))),
            ("select", list(zip(there, nth, strict=True))),
        ):
            ask = getattr(matrix, verb)
            took = _best(partial(_ask_all, ask, questions), tries_s)
            row[f"package_{name}_{verb}_m"] = _CALLS / took / 1e6
    return row


def _ask_all(ask: Callable[..., object], questions: Sequence[tuple[int, ...]]) -> None:
    for question in questions:
        ask(*question)


def _zstd(
    zstd: ModuleType,
    texts: Sequence[str],
    runs: Sequence[tuple[int, int]],
    tries_s: float,
) -> Figures:
    """Return the bytes of text compressed by itself, with a dictionary, and in blocks."""
    raw = [text.encode() for text in texts]
    share = max(1 << 10, min(_DICTIONARY, sum(map(len, raw)) // 20))
    trained = zstd.train_dictionary(share, raw[:20_000])
    trained.precompute_compress(level=_LEVEL)
    alone = zstd.ZstdCompressor(level=_LEVEL, dict_data=trained, write_content_size=False)
    blocks = zstd.ZstdCompressor(level=_LEVEL)
    each = [len(alone.compress(text)) for text in raw]
    cut = [b"".join(some) for some in _blocks(raw)]
    packed = [blocks.compress(block) for block in cut]
    row: Figures = {  # lengths as segments have them
        "zstd_bytes": _packed_bytes(each) + len(trained.as_bytes()) + sum(each),
        "zstd_block_bytes": _packed_bytes(map(len, raw)) + 8 * len(packed) + sum(map(len, packed)),
    }
    if runs:
        own, plain = zstd.ZstdDecompressor(dict_data=trained), zstd.ZstdDecompressor()
        long = [alone.compress(b" ".join(raw[first:stop])) for first, stop in runs]
        room = 64 * EPISODE
        row["zstd_read_us"] = 1e6 * _each(
            lambda one: own.decompress(one, max_output_size=room).decode(), long, tries_s
        )
        row["zstd_block_read_us"] = 1e6 * _each(
            lambda block: plain.decompress(block)[: 4 * EPISODE].decode(errors="ignore"),
            packed[:_READ],
            tries_s,
        )
    return row


def _packed_bytes(lengths: Iterable[int]) -> int:
    return len(pack_lengths(np.fromiter(lengths, np.int64)))


def _blocks(raw: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    sizes = np.cumsum([0, *map(len, raw)])
    edges = np.searchsorted(sizes, np.arange(0, sizes[-1] + _BLOCK, _BLOCK)).tolist()
    return (raw[a:b] for a, b in pairwise(edges) if b > a)


def _grown_bytes(ids: Ids) -> int | None:
    """Return by how much a fresh process grows that makes the package's dynamic matrix."""
    if not Path("/proc/self/statm").exists():
        return None
    done = subprocess.run(  # noqa: S603 - this Python, and code of ours
        [sys.executable, "-c", _GROWN, str(tokenizer.BITS)],
        input=ids.tobytes(),
        capture_output=True,
        check=True,
    )
    return int(done.stdout)


_GROWN = """
import array, mmap, sys, wavelet_matrix
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * mmap.PAGESIZE
listed = array.array("Q", sys.stdin.buffer.read()).tolist()
before = resident()
matrix = wavelet_matrix.DynamicWaveletMatrix(listed, max_bit=int(sys.argv[1]))
print(resident() - before)
"""


def _optional(package: str) -> ModuleType | None:
    try:
        return require(package, extra="bench", feature="comparing with it")
    except MissingExtra:
        return None


def _best(call: Callable[[], object], tries_s: float) -> float:
    """Return the shortest of the calls that fit into some seconds, at least one."""
    times: list[float] = []
    end = time.perf_counter() + tries_s
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def _each(call: Callable[[Any], object], some: Sequence[Any], tries_s: float) -> float:
    """Return the median of how long each takes, the shortest of several calls."""
    share = tries_s / len(some)
    return float(np.median([_best(partial(call, one), share) for one in some]))


def _rounded(value: float | str | None) -> float | str | None:
    return float(f"{value:.4g}") if isinstance(value, float) else value


# ---------------------------------------------------------------- tables and plots


def tables(report: Mapping[str, Any]) -> list[str]:
    """Return a report as Markdown: making, keeping, asking, reading."""
    rows = report["rows"]
    read = [row for row in rows if "read_us" in row]
    return [
        _making(rows),
        _keeping(rows, report["settings"]["bits"]),
        _asking(read),
        _reading(read),
    ]


def _making(rows: Sequence[Mapping[str, Any]]) -> str:
    kinds = ("append", "extend", "build", "huffman_build", "package_append")
    head = ["tokens", "one by one", "`extend`", "`build`", "Huffman, `build`"]
    return table(
        [*head, "package, one by one", "paper"],
        (
            [
                f"{row['tokens']:,}",
                *(_said(row.get(f"{kind}_s"), " s") for kind in kinds),
                _said(_paper(row["tokens"], 0), " s"),
            ]
            for row in rows
        ),
    )


def _keeping(rows: Sequence[Mapping[str, Any]], bits: int) -> str:
    head = ["tokens", "dynamic", "sealed", "of the bits", "Huffman", "of the bits"]
    head += ["segments of a store", "package, dynamic", "zstd, each text", "zstd, blocks"]
    kinds = ("content", "package_dynamic", "zstd", "zstd_block", "text")
    return table(
        [*head, "text", "paper"],
        (
            [
                f"{row['tokens']:,}",
                _mb(row["dynamic_bytes"]),
                *(
                    said
                    for kind in ("sealed", "huffman")
                    for said in (
                        _mb(row[f"{kind}_bytes"]),
                        f"{8 * row[f'{kind}_bytes'] / (bits * row['tokens']):.3f}",
                    )
                ),
                *(_mb(row.get(f"{kind}_bytes")) for kind in kinds),
                _said(_paper(row["tokens"], 1), " MB"),
            ]
            for row in rows
        ),
    )


def _asking(rows: Sequence[Mapping[str, Any]]) -> str:
    return table(
        ["million a second", *(f"{row['tokens']:,}" for row in rows)],
        (
            [f"{who}: {verb}", *(_said(row.get(f"{kind}_{verb}_m"), "") for row in rows)]
            for kind, who in _WHO.items()
            for verb in ("access", "rank", "select")
        ),
    )


def _reading(rows: Sequence[Mapping[str, Any]]) -> str:
    return table(
        [f"{EPISODE} tokens as text", *(f"{row['tokens']:,}" for row in rows)],
        (
            [who, *(_said(row.get(name), " µs") for row in rows)]
            for name, who in (
                ("huffman_read_us", "Huffman"),
                ("read_us", "sealed"),
                ("zstd_read_us", "zstd, each text"),
                ("zstd_block_read_us", "zstd, blocks"),
            )
        ),
    )


_WHO: Final = {
    "huffman": "Huffman",
    "sealed": "sealed",
    "package_sealed": "package, static",
    "dynamic": "dynamic",
    "package_dynamic": "package, dynamic",
}


def _paper(tokens: int, which: int) -> float | None:
    known = min(PAPER, key=lambda size: abs(size - tokens))
    return PAPER[known][which] if abs(known - tokens) < EPISODE else None


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as Markdown, numbers to the right."""
    lines = [heads, ["---", *("---:" for _ in heads[1:])], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _said(value: float | None, unit: str) -> str:
    return "–" if value is None else f"{value:.3g}{unit}"


def _mb(value: float | None) -> str:
    return "–" if value is None else f"{value / 1e6:.3g} MB"


def plot(report: Mapping[str, Any], folder: Path) -> list[Path]:
    """
    Draw the tables; returns the files.

    Raises:
        MissingExtra: matplotlib is not installed.

    """
    require("matplotlib", extra="bench", feature="drawing plots")
    from matplotlib.figure import Figure  # noqa: PLC0415 - only when something is drawn

    folder.mkdir(parents=True, exist_ok=True)
    rows, paper = report["rows"], list(PAPER)
    drawn: list[Path] = []
    for name, title, unit, lines, theirs in (
        (
            "dwm-construction", "Making a wavelet matrix of n tokens", "seconds",
            {
                "append, one by one": "append_s", "extend": "extend_s", "build, sealed": "build_s",
                "build, Huffman": "huffman_build_s",
                "wavelet-matrix, one by one": "package_append_s",
                "wavelet-matrix, static": "package_build_s",
            },
            [PAPER[size][0] for size in paper],
        ),
        (
            "dwm-footprint", "Keeping n tokens", "bytes",
            {
                "dynamic": "dynamic_bytes", "sealed": "sealed_bytes", "Huffman": "huffman_bytes",
                "segments of a store": "content_bytes", "zstd, each text": "zstd_bytes",
                "zstd, blocks": "zstd_block_bytes", "text": "text_bytes",
            },
            [PAPER[size][1] * 1e6 for size in paper],
        ),
    ):  # fmt: skip
        figure = Figure(figsize=(8, 4.5), layout="constrained")  # which draws to files alone
        axes = figure.subplots()
        for label, key in lines.items():
            some = [(row["tokens"], row[key]) for row in rows if row.get(key) is not None]
            if some:
                axes.plot(*zip(*some, strict=True), marker=".", label=label)
        axes.plot(paper, theirs, "k--", label="the paper")
        axes.set(xscale="log", yscale="log", xlabel="tokens", ylabel=unit, title=title)
        figure.legend(loc="outside right upper", fontsize="small")
        axes.grid(visible=True, which="both", alpha=0.2)
        drawn.append(folder / f"{name}.png")
        figure.savefig(drawn[-1], dpi=110, metadata={"Software": None})
    return drawn
