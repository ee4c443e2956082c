"""
Redoes the DWM paper's tables 3 and 5: what signatures find, as radius, D and d change.

LoCoMo's questions are asked of the signature cue alone, which ranks turns by the keywords they
hold. Recall is of the turns cited as evidence; the tokens returned are those of the turns that hold
at least one keyword, and of those that hold all. BM25 is asked for the same words.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.config import Signatures
from hippocampus.core.optional import require
from hippocampus.core.records import Payloads, Progress
from hippocampus.encode import tokens as tokenizer
from hippocampus.encode.keywords import find_keywords
from hippocampus.encode.random_indexing import radius_in_company, signatures
from hippocampus.encode.terms import hash_terms
from hippocampus.errors import InputError
from hippocampus.index.bm25 import Bm25Cue, pack_terms
from hippocampus.index.cue import Cue
from hippocampus.index.query import Query
from hippocampus.index.signature import SignatureCue
from hippocampus.recall.parse import signed
from hippocampus_bench import locomo
from hippocampus_bench.datasets import Case, limited
from hippocampus_bench.dwm import Figures, MeasuredRun, table
from hippocampus_bench.options import Options
from hippocampus_bench.report import commit, machine

DEPTHS: Final = (10, 20)
RADII: Final = (0, 1, 2, 3, 4, 5, 8, 12, 16, 20)
"""The paper's, 1 to 5, exact equality, and on to where most of a bank is inside."""
COMPONENTS: Final = (256, 512, 1024, 2048)
BITS: Final = (16, 32, 64, 128)

_FORMS: Final = {"planes": "hyperplanes", "top": "largest components"}
_NOW: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""When questions are asked; neither cue looks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trials(MeasuredRun):
    """Measurements of a run, a row a way to sign and radius; BM25 first."""

    benchmark: ClassVar[str] = "dwm-signatures"

    def tables(self) -> list[str]:
        """Return the report as Markdown: by radius, by D and d."""
        return tables(self.as_dict())

    def plot(self, folder: Path) -> list[Path]:
        """Draw the tables; returns the files."""
        return plot(self.as_dict(), folder)


class CaseConversation:
    """The turns of one conversation, and its questions with the rows that answer them."""

    def __init__(self, case: Case) -> None:
        rows = {said.key: row for row, said in enumerate(case.said)}
        self.texts = [said.turn.text for said in case.said]
        self.ids = [tokenizer.encode(text) for text in self.texts]
        self.lengths = np.array([len(own) for own in self.ids])
        self.asked = [
            (question.text, np.array(sorted(rows[key] for key in question.gold)))
            for question in case.questions
            if question.answerable
        ]


def run(data: Path, *, limit: int | None = None, progress: Progress | None = None) -> Trials:
    """
    Try every way to sign on the questions of a file.

    Args:
        data: LoCoMo's file.
        limit: only so many questions, taken in turn from each kind.
        progress: called as it advances, in ways to sign.

    Raises:
        InputError: the file does not follow its schema, or holds no question with an answer.

    """
    dataset = locomo.load(data, Options())
    talks = [CaseConversation(case) for case in limited(dataset.cases, limit)]
    questions = sum(len(talk.asked) for talk in talks)
    if not questions:
        msg = f"data={data}, limit={limit}: there is no question that has an answer"
        raise InputError(msg)
    rows: list[Figures] = [{"form": "BM25", **_trial(_words(talks))}]
    ways = list(_ways())
    for place, (how, radii) in enumerate(ways):
        asked = _signatures(talks, how)
        for r in radii:
            told: Figures = {
                "form": how.form, "window": how.window, "nonzeros": how.nonzeros,
                "components": how.components, "bits": how.bits, "radius": r,
            }  # fmt: skip
            rows.append(told | _trial(_within(asked, r)))
        if progress:
            progress(place + 1, len(ways))
    return Trials(
        commit=commit(),
        machine=machine(),
        settings={
            "data": dict(dataset.files),
            "turns": sum(len(talk.texts) for talk in talks),
            "tokens": sum(int(talk.lengths.sum()) for talk in talks),
            "questions": questions,
            "vocabulary": tokenizer.VOCABULARY,
        },
        rows=rows,
    )


def natural(window: int, bits: int) -> int:
    """Return the radius that the rule of appendix F has for a keyword signed by itself."""
    return radius_in_company(Signatures(window=window, bits=bits))


def _ways() -> Iterator[tuple[Signatures, Sequence[int]]]:
    """Yield ways to sign, each once, with the radii to try."""
    wanted: dict[Signatures, set[int]] = {}
    for form in ("planes", "top"):
        for window in (0, 1):
            for bits in (64, 32):
                some = {r for r in RADII if 2 * r <= bits} | {natural(window, bits)}
                wanted[_way(form, window, 1024, bits)] = some
            for components in COMPONENTS:
                for bits in BITS:
                    which = wanted.setdefault(_way(form, window, components, bits), set())
                    which.add(_usual(window, bits))
    for window in (2, 4):
        wanted[_way("planes", window, 1024, 64)] = {1, 16, natural(window, 64)}
    wanted[replace(_way("top", 0, 1024, 64), nonzeros=8)] = {0}
    yield from ((how, sorted(radii)) for how, radii in wanted.items())


def _way(form: str, window: int, components: int, bits: int) -> Signatures:
    return Signatures(
        form=form, window=window, components=components, bits=bits,  # type: ignore[arg-type]
        nonzeros=bits if form == "top" else 8,
    )  # fmt: skip


def _usual(window: int, bits: int) -> int:
    """Return at which radius D and d are compared: the paper's, and with a window a wider one."""
    return bits // 4 if window else 1


# ---------------------------------------------------------------- measuring

_Asked: TypeAlias = tuple[Cue, Query, NDArray[np.int64], NDArray[np.int64]]
"""A cue, a question to it, the rows that answer, and how many tokens each row has."""


def _question(text: str, how: Signatures | None) -> Query:
    """Return a question as both cues understand it: by its keywords."""
    words = find_keywords(text)
    terms = np.unique(hash_terms(" ".join(words)))
    return Query(
        text=text, now=_NOW, terms=terms, term_weights=np.ones(len(terms), np.float32),
        keywords=() if how is None else signed(words, how),
    )  # fmt: skip


def _words(talks: Iterable[CaseConversation]) -> Iterator[_Asked]:
    for talk in talks:
        cue = Bm25Cue()
        cue.observe(Payloads.of([pack_terms(hash_terms(text)) for text in talk.texts]))
        for text, gold in talk.asked:
            yield cue, _question(text, None), gold, talk.lengths


def _signatures(talks: Iterable[CaseConversation], how: Signatures) -> list[_Asked]:
    asked: list[_Asked] = []
    for talk in talks:
        cue = SignatureCue(how.bits, how.radius)
        cue.observe(Payloads.of([own.tobytes() for own in signatures(talk.ids, how)]))
        asked += [(cue, _question(text, how), gold, talk.lengths) for text, gold in talk.asked]
    return asked


def _within(asked: Iterable[_Asked], r: int) -> Iterator[_Asked]:
    for cue, question, gold, lengths in asked:
        assert isinstance(cue, SignatureCue), "others have no radius"
        cue.radius = r
        yield cue, replace(question), gold, lengths  # anew: a cue remembers its last one


def _trial(asked: Iterable[_Asked]) -> Figures:
    found: list[list[float]] = []
    took: list[float] = []
    returned: list[tuple[int, int]] = []
    for cue, question, gold, lengths in asked:
        start = time.perf_counter()
        rows = cue.propose(question, None, DEPTHS[-1])
        took.append(time.perf_counter() - start)
        found.append([float(np.isin(gold, rows[:depth]).mean()) for depth in DEPTHS])
        if isinstance(cue, SignatureCue):
            held = cue.matches(question, np.arange(len(cue), dtype=np.uint32)) > 0
            some, whole = held.any(axis=1), held.all(axis=1)
            returned.append((int(lengths[some].sum()), int(lengths[whole].sum())))
    recall = np.mean(found, axis=0).tolist()
    figures: Figures = {f"recall@{d}": value for d, value in zip(DEPTHS, recall, strict=True)}
    figures["search_ms"] = 1e3 * float(np.median(took))  # others at work count less than in a mean
    if returned:
        any_, all_ = np.mean(returned, axis=0).tolist()
        figures |= {"tokens_any": any_, "tokens_all": all_}
    return figures


# ---------------------------------------------------------------- tables and plots

_Row: TypeAlias = Mapping[str, Any]
_Way: TypeAlias = tuple[str, int, int, int, int]
"""Form, window, nonzeros, components, bits."""


def tables(report: Mapping[str, Any]) -> list[str]:
    """Return a report as Markdown: recall, tokens, time by radius; recall and time by D and d."""
    words, at = report["rows"][0], _by_way(report)
    by_radius = {way: rows for way, rows in at.items() if rows.keys() != {_usual(way[1], way[4])}}
    radii = sorted({r for rows in by_radius.values() for r in rows})
    told = [f"BM25 of the same words: recall@10 {_percent(words)}, search {_ms(words)} ms"]
    for what, say in (
        ("recall@10", _percent), ("tokens, any keyword", _any), ("tokens, all keywords", _all),
        ("search, ms", _ms),
    ):  # fmt: skip
        told.append(
            f"{what}; D = 1024\n\n"
            + table(
                ["form", "W", "t", "d", "rule", *(f"r = {r}" for r in radii)],
                (
                    [_FORMS[form], *map(str, (window, nonzeros, bits, natural(window, bits)))]
                    + [say(rows.get(r)) for r in radii]
                    for (form, window, nonzeros, _, bits), rows in by_radius.items()
                ),
            )
        )
    for what, say in (("recall@10", _percent), ("search, ms", _ms)):
        told.append(
            f"{what}; r = 1, with a window d / 4\n\n"
            + table(
                ["form", "W", "D", *(f"d = {d}" for d in BITS)],
                (
                    [_FORMS[form], str(window), str(components)]
                    + [say(_usual_row(at, form, window, components, d)) for d in BITS]
                    for form in _FORMS
                    for window in (0, 1)
                    for components in COMPONENTS
                ),
            )
        )
    return told


def _by_way(report: Mapping[str, Any]) -> dict[_Way, dict[int, _Row]]:
    """Return the rows of every way to sign, by radius."""
    at: dict[_Way, dict[int, _Row]] = {}
    for row in report["rows"][1:]:
        way = tuple(row[name] for name in ("form", "window", "nonzeros", "components", "bits"))
        at.setdefault(way, {})[row["radius"]] = row
    return at


def _usual_row(
    at: Mapping[_Way, Mapping[int, _Row]], form: str, window: int, components: int, bits: int
) -> _Row:
    how = _way(form, window, components, bits)
    return at[form, window, how.nonzeros, components, bits][_usual(window, bits)]


def _percent(row: _Row | None) -> str:
    return "–" if row is None else f"{100 * row['recall@10']:.1f}"


def _any(row: _Row | None) -> str:
    return "–" if row is None else f"{row['tokens_any']:,.0f}"


def _all(row: _Row | None) -> str:
    return "–" if row is None else f"{row['tokens_all']:,.0f}"


def _ms(row: _Row | None) -> str:
    return "–" if row is None else f"{row['search_ms']:.2f}"


_SHOWN: Final = (
    ("recall@10", "evidence recall@10, %", 100.0),
    ("search_ms", "search, ms", 1.0),
    ("tokens_any", "tokens returned, thousands", 1e-3),
)
_COLOURS: Final = {
    ("planes", 0): "#0072B2", ("planes", 1): "#56B4E9",
    ("top", 0): "#D55E00", ("top", 1): "#E69F00",
}  # fmt: skip
"""Told apart in print and by people who see fewer colours (Okabe and Ito)."""
_Ends: TypeAlias = dict[tuple[str, int], float]
"""Ends of the lines of each form and window."""
_Axes: TypeAlias = Any
"""Matplotlib's, which is not here when types are checked."""
_TICKS_MS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
_MARKERS: Final = {"planes": "o", "top": "^"}
_APART: Final = 0.07
"""Least distance between labels, as a share of an axis."""


def plot(report: Mapping[str, Any], folder: Path) -> list[Path]:
    """
    Draw recall, time and tokens by radius, and by D and d; returns the files.

    Raises:
        MissingExtra: matplotlib is not installed.

    """
    require("matplotlib", extra="bench", feature="drawing plots")
    from matplotlib.figure import Figure  # noqa: PLC0415 - only when something is drawn

    folder.mkdir(parents=True, exist_ok=True)
    drawn: list[Path] = []
    for name, draw, title in (
        ("dwm-radius", _draw_radius, "By radius; D = 1024; d = 64, dashed 32"),
        (
            "dwm-bits",
            _draw_bits,
            "By bits; D = 1024, shaded from 256 to 2048; r = 1, for W = 1 d / 4",
        ),
    ):
        figure = Figure(figsize=(11, 4), layout="constrained")  # which draws to files alone
        for axes, (key, what, scale) in zip(figure.subplots(1, 3), _SHOWN, strict=True):
            ends = draw(axes, report, key, scale)
            if key == "search_ms":
                axes.set_yscale("log")
                low, high = axes.get_ylim()
                some = [tick for tick in _TICKS_MS if low / 2 <= tick <= high]
                axes.set_yticks(some, [f"{tick:g}" for tick in some])
                axes.set_yticks([], minor=True)
            if key == "tokens_any":
                _label(axes, ends)
            if key == "recall@10":
                words = scale * report["rows"][0][key]
                axes.set_ylim(top=1.2 * words)
                axes.axhline(words, color="black", linestyle=":", linewidth=1)
                axes.annotate(
                    "BM25", (0, words), (3, 3), fontsize="small",
                    xycoords=("axes fraction", "data"), textcoords="offset points",
                )  # fmt: skip
            axes.set_title(what, fontsize="medium")
            axes.grid(visible=True, alpha=0.2)
            axes.spines[["top", "right"]].set_visible(False)
        figure.suptitle(title)
        drawn.append(folder / f"{name}.png")
        figure.savefig(drawn[-1], dpi=110, metadata={"Software": None})
    return drawn


def _draw_radius(axes: _Axes, report: Mapping[str, Any], key: str, scale: float) -> _Ends:
    """Draw a line a way to sign; return where those of 64 bits end."""
    ends: _Ends = {}
    for (form, window, _, _, bits), rows in _by_way(report).items():
        if len(rows) > len(RADII) // 2:
            some = [(r, scale * row[key]) for r, row in sorted(rows.items())]
            axes.plot(
                *zip(*some, strict=True), marker=_MARKERS[form], markersize=4,
                color=_COLOURS[form, window], linestyle="-" if bits == 64 else "--",
            )  # fmt: skip
            if bits == 64:
                ends[form, window] = some[-1][1]
    axes.set_xlabel("r")
    return ends


def _draw_bits(axes: _Axes, report: Mapping[str, Any], key: str, scale: float) -> _Ends:
    """Draw a line a form and window; return where they end."""
    at = _by_way(report)
    ends: _Ends = {}
    for (form, window), colour in _COLOURS.items():
        values = scale * np.array(
            [[_usual_row(at, form, window, c, d)[key] for d in BITS] for c in COMPONENTS]
        )
        middle = values[COMPONENTS.index(1024)]
        axes.plot(BITS, middle, marker=_MARKERS[form], markersize=4, color=colour)
        axes.fill_between(BITS, values.min(axis=0), values.max(axis=0), color=colour, alpha=0.2)
        ends[form, window] = middle[-1]
    axes.set_xscale("log", base=2)
    axes.set_xticks(BITS, [str(d) for d in BITS])
    axes.set_xlabel("d")
    return ends


def _label(axes: _Axes, ends: _Ends) -> None:
    """Write the name of each line to the right of its end, no two over each other."""
    low, high = axes.get_ylim()
    place = -math.inf
    for (form, window), end in sorted(ends.items(), key=lambda pair: pair[1]):
        place = max((end - low) / (high - low), place + _APART)
        axes.annotate(
            f"{_FORMS[form]}, W = {window}", (1.02, place), xycoords="axes fraction",
            va="center", color=_COLOURS[form, window], fontsize="small", annotation_clip=False,
        )  # fmt: skip
