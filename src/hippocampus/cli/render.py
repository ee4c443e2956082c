"""
Shows results to people and to programs.

What a memory says is not trusted: markup in it stays text, and control characters, which could
steer a terminal, are shown as pictures. Programs get it as it is, as JSON.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from datetime import datetime, timedelta, tzinfo
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias

from rich.bar import Bar
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hippocampus.core.clock import in_zone
from hippocampus.core.cue_names import CUE_WORDS
from hippocampus.core.day_words import over_words
from hippocampus.core.lazy_pattern import lazy_pattern

if TYPE_CHECKING:  # it brings NumPy, and help need not wait for that
    from hippocampus.core.records import (
        Degradation,
        Episode,
        EventCount,
        Hit,
        Interval,
        Period,
        Progress,
        Recall,
    )

View: TypeAlias = str | Text | Table | Iterable[str | Text | Table]

# Unicode's C0, DEL and C1 controls, those that reorder what is around them, and what nothing draws.
_CONTROL = lazy_pattern(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)
# JSON may have these as they are, and a terminal would obey them; C0 it escapes anyway.
_JSON_CONTROL = lazy_pattern(r"[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]")
_OWN_ADDRESS = lazy_pattern(r"[0-9a-f]{24}(?:#part-\d+)?")
_STYLES = {
    "tokens": "cyan",
    "lexical": "green",
    "vector": "magenta",
    "neighbours": "blue",
    "speaker": "yellow",
    "time": "red",
    "news": "bright_yellow",
    "names": "bright_blue",
}
_EIGHTHS = " ▏▎▍▌▋▊▉"
_PERIODS = {"day": "%Y-%m-%d", "week": "%Y-%m-%d", "month": "%Y-%m", "year": "%Y"}
_GAP = 4
"""Periods without anything that are told in one line; fewer are shorter as they are. By hand."""
EXCERPT = 320
"""Characters of a memory, four lines of a terminal of 80; ``--full`` shows all. Chosen by hand."""
_SHORT_ID = 8
"""Characters of an id that people see: of a hundred thousand memories hardly any two begin alike,
and where two do, who gives that beginning is told so."""


class _Output(Console):
    def on_broken_pipe(self) -> NoReturn:
        """Let the one place that knows what to do about it see it; Rich would exit with 1."""
        raise  # noqa: PLE0704 - called while the BrokenPipeError is handled


def stdout() -> Console:
    """Return a console for results, which takes every string as it is."""
    return _Output(markup=False, emoji=False, highlight=False)


def stderr() -> Console:
    """Return a console for everything that is not a result."""
    return Console(stderr=True, markup=False, emoji=False, highlight=False)


def complain(message: str) -> None:
    """Say in one line what went wrong."""
    line = Text.assemble(("hippocampus: ", "bold red"), clean(" ".join(message.split())))
    stderr().print(line, soft_wrap=True)


# ---------------------------------------------------------------- for programs


def print_json(value: object) -> None:
    """Print one JSON document. Only ASCII where the output cannot take more."""
    unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    text = json.dumps(as_json(value), indent=2, ensure_ascii=not unicode)
    print(_JSON_CONTROL.sub(lambda found: json.dumps(found[0])[1:-1], text))


class Answer(NamedTuple):
    """The answer of a command: data for programs, and what people see of it."""

    found: object
    """The data, as ``--json`` prints it."""
    view: View = ()
    """The same for people, on stdout."""
    note: View = ()
    """Anything beside it, on stderr."""
    problems: Sequence[str] = ()
    """Faults that were found; they come first, in red."""
    success: bool = True
    """Whether the exit code is 0."""


def listed(found: Sequence[object], view: View, none: str = "") -> Answer:
    """
    Return the answer of a search, or of a list of what a bank knows: 1 is the code of none.

    ``none``: what to say on stderr where there is none, in place of the view.
    """
    if not found and none:
        return Answer(found, note=none, success=False)
    return Answer(found, view, success=bool(found))


def number_of(count: int, noun: str) -> str:
    """Return a number and its noun: "1 bank", "1,200 banks"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def show(answer: Answer, *, as_json: bool) -> None:
    """Print an answer: as JSON for a program; as lines and tables for people."""
    if as_json:
        print_json(answer.found)
        return
    for problem in answer.problems:
        stdout().print(clean(problem), style="red", soft_wrap=True)
    show_view(answer.view, stdout())
    show_view(answer.note, stderr())


class Verbatim(str):
    """A text of which a program gets every byte, and a terminal nothing that could steer it."""

    __slots__ = ()


def show_view(view: View, out: Console) -> None:
    """Print a view: each line whole, however long, but tables and styled text as wide as it is."""
    for part in (view,) if isinstance(view, str | Text | Table) else view:
        if isinstance(part, Verbatim):
            print(clean(part) if sys.stdout.isatty() else part)
        elif isinstance(part, str):
            out.print(clean(part), soft_wrap=True)
        else:
            out.print(part)


def as_json(value: object) -> Any:  # noqa: ANN401 - JSON is any
    """Return a record, with its nested ones, as JSON has it."""
    if is_dataclass(value):
        return {f.name: as_json(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, datetime | Path):
        return value.isoformat() if isinstance(value, datetime) else str(value)
    if isinstance(value, Mapping):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return as_json(value._asdict())
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    return value


# ---------------------------------------------------------------- text


def clean(text: str) -> str:
    """Return text without the power to steer a terminal, each character still in its place."""
    return _CONTROL.sub(_picture, text)


def _picture(found: re.Match[str]) -> str:
    code = ord(found.group())
    return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else "\ufffd"


def one_line(text: str) -> str:
    """Return text in one line."""
    return clean(" ".join(text.split()))


def moment_text(moment: datetime, zone: tzinfo) -> str:
    """Return a moment to the minute."""
    return in_zone(moment, zone).isoformat(" ", "minutes")[:16]  # "%Y" is "1" for the year 1


def marked(text: str, query: str, *, limit: int | None = EXCERPT) -> Text:
    """Return text in one line with the question's words marked; the best stretch of a long one."""
    from hippocampus.encode.terms import find_terms  # noqa: PLC0415 - brings NumPy

    wanted = {term.hash for term in find_terms(query) if not term.function}
    line = one_line(text)
    spans = [(t.start, t.end, t.hash) for t in find_terms(line) if t.hash in wanted]
    start = 0 if limit is None or len(line) <= limit else _best_start(line, spans, limit)
    stop = len(line) if limit is None else start + limit
    shown = Text("…" if start else "").append(line[start:stop])
    shift = (1 if start else 0) - start
    for first, last, _ in spans:
        if start <= first and last <= stop:
            shown.stylize("bold underline", first + shift, last + shift)
    return shown.append("…" if stop < len(line) else "")


def _best_start(line: str, spans: Sequence[tuple[int, int, int]], limit: int) -> int:
    """Return the start of the stretch of ``limit`` characters with most of the question's words."""
    best, most = 0, 0
    for first, _, _ in spans:
        # With some of the words before it, which lead up to it.
        begin = min(max(first - limit // 4, 0), len(line) - limit)
        words = len({word for at, end, word in spans if begin <= at and end <= begin + limit})
        if words > most:
            best, most = begin, words
    return line.find(" ", best) + 1 if best else 0


# ---------------------------------------------------------------- for people


def table(rows: Iterable[Sequence[str | Text]], *heads: str, wraps: Collection[int] = ()) -> Table:
    """Return rows under plain headings; ``wraps``: columns with long lines, by default the last."""
    made = Table(box=None, padding=(0, 2, 0, 0), show_header=bool(heads), header_style="dim")
    whole = [[cell if isinstance(cell, Text) else Text(one_line(cell)) for cell in r] for r in rows]
    width = len(heads) or max((len(row) for row in whole), default=0)
    for place in range(width):
        long = place in (wraps or (width - 1,))
        made.add_column(heads[place] if heads else "", no_wrap=not long, overflow="fold")
    for row in whole:
        made.add_row(*row)
    return made


def pairs(rows: Iterable[tuple[str, str]]) -> Table:
    """Return names and values, a line each."""
    return table((Text(name, "dim"), value) for name, value in rows)


def short_id(id_: str) -> str:
    """Return the beginning of an id, which stands for it wherever an id is given."""
    return id_[:_SHORT_ID]


def memories(count: int) -> str:
    """Return a number of memories, in words."""
    return "1 memory" if count == 1 else f"{count:,} memories"


def episode_table(found: Iterable[Episode], zone: tzinfo) -> Table:
    """Return episodes with their ids, in order."""
    rows = [
        (
            short_id(e.id),
            head_line(e, zone, named=False).append("\n").append_text(marked(e.text, "")),
        )
        for e in found
    ]
    return table(rows, "id", "what was remembered")


def recall_view(
    found: Recall,
    zone: tzinfo,
    *,
    limit: int | None = EXCERPT,
    most: int | None = None,
    ids: bool = False,
    heads: bool = True,
    numbers: bool = False,
) -> Iterator[Table | Text]:
    """Yield the lines of a recall: its hits, why, and the cost."""
    if found.read_as:
        yield Text(f"read as: {one_line(found.read_as)}", "dim")
    for interval in found.intervals:
        yield Text(f"time: {one_line(interval.text)!r} read as {_span(interval, zone)}", "dim")
    if found.during:
        told = ", ".join(_span(one, zone) for one in found.during)
        yield Text(f"during: read as {told}", "dim")
    if found.when is not None:
        yield Text(f"when: {_span(found.when, zone)}", "bold")
    shown = found.hits[:most]
    if found.note:
        yield Text(found.note, "bold yellow")
    if not found.found:
        yield Text(f"nothing relevant was found{'; the nearest:' if shown else ''}", "bold yellow")
    if shown:
        padding = (0, 2, 1, 0)
        made = Table(box=None, padding=padding, show_header=heads, header_style="dim", expand=True)
        if numbers:
            made.add_column("", no_wrap=True, justify="right")
        made.add_column("score", no_wrap=True)
        made.add_column("what was remembered", ratio=1)
        made.add_column("why", no_wrap=True)
        several = len({hit.bank for hit in found.hits}) > 1
        for number, hit in enumerate(shown, 1):
            text = marked(hit.text, found.query, limit=limit)
            what = _hit(hit, text, zone, ids=ids, bank=several)
            cells = [Text(f"{hit.score:.2f}", "bold"), what, _why(hit.shares)]
            made.add_row(*([Text(str(number), "cyan")] if numbers else []), *cells)
        yield made
    yield cost_line(found)
    yield from _lacks(found.degraded)


def _lacks(degraded: Iterable[Degradation]) -> Iterator[Text]:
    """Yield the parts that an answer went on without, a line each."""
    for one in degraded:
        yield Text(f"went on without the {one_line(str(one))}", "yellow")


def _hit(hit: Hit, text: Text, zone: tzinfo, *, ids: bool, bank: bool) -> Text:
    """Return a hit's head, with its banks if asked, its text, and whether it is over or wrong."""
    over = ""
    if hit.valid_to is not None:
        said = in_zone(hit.episode.occurred_at, zone)
        over = f"  {over_words(said, in_zone(hit.valid_to, zone))}"
    other = f"  corrected by {short_id(hit.corrected_by)}" if hit.corrected_by else ""
    where = f"  in {one_line(', '.join((hit.bank, *hit.also_in)))}" if bank or hit.also_in else ""
    what = head_line(hit.episode, zone).append(f"{where}{over}{other}\n", "dim").append_text(text)
    return what.append(f"\n{short_id(hit.id)}", "dim") if ids else what


def _span(interval: Interval, zone: tzinfo) -> str:
    ends = (interval.start, interval.end)
    return " to ".join("…" if end is None else moment_text(end, zone) for end in ends)


def cost_line(found: Recall) -> Text:
    """Return the cost of a recall, in one line."""
    cost = found.cost
    embedding = f", {cost.embed_s * 1e3:.1f} of them embedding" if cost.embed_s else ""
    return Text(
        f"{cost.elapsed_s * 1e3:.1f} ms{embedding}; {number_of(cost.candidates, 'candidate')} of"
        f" {number_of(cost.allowed, 'episode')}",
        "dim",
    )


def head_line(episode: Episode, zone: tzinfo, *, named: bool = True) -> Text:
    """Return when, who and where of an episode; ``named``: its id where it has no place."""
    head = Text(moment_text(episode.occurred_at, zone), "dim")
    who = episode.speaker or episode.role
    if who:
        head.append("  ").append(one_line(who), "not dim bold")
    where = one_line(episode.address) if _has_place(episode) else short_id(episode.id) * named
    return head.append(f"  {where}") if where else head


def _has_place(episode: Episode) -> bool:
    """Return whether an address is another than the id of the episode, or of an earlier version."""
    return _OWN_ADDRESS.fullmatch(episode.address) is None


def _why(shares: Mapping[str, float]) -> Text:
    lines = []
    for cue, share in sorted(shares.items(), key=lambda item: -item[1])[:3]:
        style = _STYLES.get(cue, "white")
        lines.append(
            Text.assemble(f"{CUE_WORDS.get(cue, cue):<12} ", (_bar(share), style), f" {share:4.0%}")
        )
    return Text("\n").join(lines)


def _bar(share: float, width: int = 4) -> str:
    """Return a bar of ``width`` cells for a share in [0, 1], to an eighth of a cell."""
    eighths = round(min(max(share, 0.0), 1.0) * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(width)


def events_view(found: EventCount, zone: tzinfo) -> Iterator[Table | Text]:
    """Yield the number of events and their times, then the events that may be further ones."""
    for interval in found.intervals:
        yield Text(f"time: {one_line(interval.text)!r} read as {_span(interval, zone)}", "dim")
    yield Text(f"{found.count:,}", "bold")
    for head, events in (("", found.events), ("may be more:", found.doubtful)):
        if not events:
            continue
        if head:
            yield Text(head, "bold yellow")
        made = Table(box=None, padding=(0, 2, 0, 0), show_header=False, expand=True)
        made.add_column(no_wrap=True)
        made.add_column(ratio=1)
        for event in events:
            day = in_zone(event.start, zone).date()
            # Ends are exclusive: a day ends with the first moment of the next.
            last = in_zone(event.end - timedelta(microseconds=1), zone).date()
            long = f" to {last}" if last != day else ""
            often = f"  ×{event.times}" if event.times > 1 else ""
            shown = marked(event.quote, found.question, limit=EXCERPT)
            made.add_row(Text(f"{day}{long}{often}", "dim"), shown)
        yield made
    yield from _lacks(found.degraded)


def trend_view(periods: Sequence[Period], by: str) -> Table:
    """Return a count by period as bars; a long stretch without any is one line."""
    made = Table(box=None, padding=(0, 2, 0, 0), show_header=False, expand=True)
    made.add_column(no_wrap=True)
    made.add_column(justify="right", no_wrap=True)
    made.add_column(ratio=1)
    most = max((period.count for period in periods), default=0)
    for any_, run in groupby(periods, key=lambda period: period.count > 0):
        some = list(run)
        if not any_ and len(some) >= _GAP:
            made.add_row(Text("…", "dim"), "", Text(f"{len(some):,} {by}s without it", "dim"))
            continue
        for period in some:
            start = Text(f"{period.start:{_PERIODS[by]}}", "dim")
            made.add_row(start, f"{period.count:,}", Bar(most or 1, 0, period.count, color="cyan"))
    total = sum(period.count for period in periods)
    length = f"in {len(periods):,} {by}{'s' * (len(periods) != 1)}"
    made.add_row("all", Text(f"{total:,}", "bold"), Text(length, "dim"))
    return made


# ---------------------------------------------------------------- progress


@contextmanager
def progress(what: str, *, quiet: bool = False, nbytes: bool = False) -> Iterator[Progress]:
    """Show a bar on stderr while something takes its time; nothing where nobody looks."""
    from rich.progress import (  # noqa: PLC0415 - only what takes its time needs it
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
    )
    from rich.progress import Progress as Bars  # noqa: PLC0415

    console = stderr()
    with Bars(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn() if nbytes else MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=quiet or not console.is_terminal,
    ) as bars:
        task = bars.add_task(clean(what), total=None)
        # A total of 0 is one that is not known, as of a stream.
        yield lambda done, total: bars.update(task, completed=done, total=total or None)
