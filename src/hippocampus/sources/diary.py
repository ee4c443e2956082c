"""Find the entries of a diary: what stands under, or behind, dates that go in order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from hippocampus.core.budget import check_budget
from hippocampus.language.time import find_intervals

_HEADING: Final = re.compile(r" {0,3}(#{1,6})[ \t]+")
_FENCE: Final = re.compile(r"[ \t]*(?:```|~~~)")
_UNDERLINE: Final = re.compile(r"[ \t]*(?:-{3,}|={3,})[ \t]*$")
_ITEM: Final = re.compile(r"[ \t]*[-*+][ \t]+")
_YEAR: Final = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_SLASHES: Final = re.compile(r"\d{1,2}/\d{1,2}/\d{4}")
"""Dates of which countries take different numbers for the month."""
_NUMBERS: Final = re.compile(
    r"(?:(?P<year>\d{4})([-/.])(?P<month>\d\d?)\2(?P<day>\d\d?)"
    r"|(?P<day_first>\d\d?)\.\s?(?P<month_second>\d\d?)\.\s?(?P<year_last>\d{4}))(?!\d)"
    r"(?:(?:T|,?\s+)(?P<hour>\d\d?)(?=:\d\d|\s?(?i:[ap]\.?m\b))"
    r"(?::(?P<minute>\d\d)(?::(?P<second>\d\d))?)?(?!\d)(?:\s?(?P<half>(?i:[ap]))(?i:\.?m\b)\.?)?)?"
)
_FIRST: Final = re.compile(
    r"(?:[^\W\d_]{1,3}[.,]?\s+){0,2}+(?:(?P<word>[^\W\d_]+)|(?:\d{1,2}|\d{4}(?=[-/.]))(?!\d))"
)
"""Beginning of a date in words, behind an article or the like."""
_WORD: Final = re.compile(r"([^\W\d_]+)[.,]?\s+")
_BEHIND: Final = re.compile(r"\s*(?:[:–—|\t]|-(?=\s))\s*")
"""Mark between a date and the words that it is the date of."""
_APART: Final = re.compile(r"\s*[.,;]?(?:\s*(?:[:–—|]|--?(?=\s|$)))?\s*")
"""The same in a heading, or on a line that is only a date, where there need be none."""
_CLOSING_HEADING: Final = re.compile(r"(?:^|(?<![ \t])[ \t]+)#+$")
_READ: Final = 80
"""Characters of a line in which its date is looked for."""
_LINES_AT_ONCE: Final = 256
"""Lines between two looks at the budget of time. Chosen by hand."""
_YEAR_WITHIN: Final = 40
"""Characters within which a date has its year ("Wednesday, the 27th of September 2023" has 37), so
that most lines need no reading of dates. Chosen by hand."""
_LONGEST_WORD: Final = 16
"""Letters; the longest weekday or month of those known has 14 ("ketvirtadienis", of
``core/words/times``), and a longer word need not be tried."""
_SOME_DAY: Final = datetime(2024, 1, 1, tzinfo=UTC)  # any: words are tried with a year beside them
_DAY: Final = timedelta(hours=25)  # as long as the day on which clocks are put back
_SHORTEST_DAY: Final = timedelta(hours=22)
"""Less than a day on which clocks are put forward, 23 hours, and more than any time of day."""
_AHEAD: Final = timedelta(days=1)
"""Most that an entry may be later than its file: the file's time is of another zone."""

_Kind = Literal["heading", "alone", "inline"]


@dataclass(slots=True)
class DiaryEntry:
    """
    Text of one time, in the zone that the bank says; ``at`` is None for what stands outside.

    The midnight of its day, where no time of day is written.
    """

    at: datetime | None
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Its lines as they are in the file."""
        return "\n".join(self.lines).strip("\n")

    @property
    def name(self) -> str:
        """The time of the entry, written no longer than it is exact."""
        if self.at is None:
            return ""
        return f"{self.at:%Y-%m-%dT%H:%M:%S}".removesuffix(":00").removesuffix("T00:00")


class _Dated(NamedTuple):
    """Line that begins with a date: its kind, its depth among headings, and the words behind."""

    kind: _Kind
    depth: int
    at: datetime
    rest: str


def by_day(text: str, changed: datetime) -> tuple[DiaryEntry, list[DiaryEntry]]:
    """
    Return the rest of a text, outside the entries of a diary, and these entries in order.

    A diary has two days or more, each a heading, a line that is only a date, or the beginning of
    each paragraph; they go forwards or backwards, and none is later than the file. What is none
    has no entries: a date in the middle of a document is not when the rest of it was written.
    """
    lines = text.split("\n")
    dated = dict(_dated_lines(lines, changed))
    for kind, depth in _ways(dated):
        some = {n: one for n, one in dated.items() if (one.kind, one.depth) == (kind, depth)}
        if not _go_in_order([one.at for one in some.values()], changed):
            continue
        if kind == "inline" and not _begin_each_paragraph(lines, some):
            continue
        outside, *days = _parted(lines, some, depth if kind == "heading" else depth - 1)
        said = [one for one in days if one.text.strip()]
        if len(said) > 1:
            return outside, said
    return DiaryEntry(None, lines), []


def _dated_lines(lines: Sequence[str], changed: datetime) -> Iterator[tuple[int, _Dated]]:
    """Yield the lines that begin with a date, by number."""
    depth = 0
    for number, line, is_code in _with_code(lines):
        if number % _LINES_AT_ONCE == 0:
            check_budget()
        if is_code:
            continue
        heading = _HEADING.match(line)
        if heading is not None:
            depth = len(heading[1])
        item = None if heading else _ITEM.match(line)
        begun = heading or item
        words = line[begun.end() if begun else 0 :].lstrip(" \t#").rstrip()
        words = heading_words(words) if heading else words
        head = words.lstrip("*_[(")
        if (found := _date_of(head, changed)) is None:
            continue
        at, rest = found
        opened = words[: len(words) - len(head)]
        closed = rest[: len(rest) - len(rest.lstrip("*_])"))]
        if heading is not None:
            if not rest[:1].isalnum():
                yield number, _Dated("heading", depth, at, _said(opened, closed, rest, _APART))
        elif not _said("", closed, rest, _APART):
            if item is None:
                yield number, _Dated("alone", depth + 1, at, "")
        elif _BEHIND.match(rest, len(closed)):
            # A time of day is kept as it is written, or nobody would find its words.
            timed = (at.hour, at.minute, at.second) != (0, 0, 0)
            said = line if timed else _said(opened, closed, rest, _BEHIND)
            yield number, _Dated("inline", depth + 1, at, said)


def heading_words(text: str) -> str:
    """Return the words of a heading, without the marks that may end it."""
    return _CLOSING_HEADING.sub("", text.strip())


def _said(opened: str, closed: str, rest: str, mark: re.Pattern[str]) -> str:
    """Return the words behind a date; marks that were opened before it and go on are kept."""
    behind = mark.match(rest, len(closed))
    said = rest[behind.end() if behind else len(closed) :]
    return said and opened[: max(0, len(opened) - len(closed))] + said


def _with_code(lines: Sequence[str]) -> Iterator[tuple[int, str, bool]]:
    """Yield each line with its number, and whether it belongs to an example of code."""
    inside = False
    for number, line in enumerate(lines):
        fence = _FENCE.match(line) is not None
        yield number, line, inside or fence
        inside ^= fence


def _date_of(head: str, changed: datetime) -> tuple[datetime, str] | None:
    """Return the moment, year included, that a line begins with, and what stands behind it."""
    if not head[:1].isalnum() or not _YEAR.search(head, 0, _YEAR_WITHIN) or _SLASHES.match(head):
        return None
    found = _in_numbers(head)
    if found is None and _may_begin_date(head):
        found = _in_words(head, changed)
    if found is None:
        weekday = _WORD.match(head)
        if weekday is None or not _is_weekday(weekday[1], changed):
            return None
        return _date_of(head[weekday.end() :], changed)
    at, rest = found
    name = rest.rstrip(" \t:").strip(" \t,()[]*_")
    return at, "" if name.isalpha() and _is_weekday(name, changed) else rest


def _may_begin_date(head: str) -> bool:
    """Return whether a line begins as a date does: to read every line for one would take long."""
    if head[0].isdigit():
        return True
    first = _FIRST.match(head)
    return first is not None and (first["word"] is None or _is_of_dates(first["word"]))


@lru_cache(maxsize=1024)
def _is_of_dates(word: str) -> bool:
    """Return whether a word is a month or a weekday, so that it belongs to a date before it."""
    dated = (f"{word} 6, 2023", f"{word}, 6 March 2023", f"{word}, 2023-03-06")
    return len(word) <= _LONGEST_WORD and any(
        found[0].text.startswith(word) for one in dated if (found := find_intervals(one, _SOME_DAY))
    )


def _in_numbers(head: str) -> tuple[datetime, str] | None:
    match = _NUMBERS.match(head)
    if match is None:
        return None
    year, month, day = match["year"], match["month"], match["day"]
    if year is None:
        year, month, day = match["year_last"], match["month_second"], match["day_first"]
    try:
        at = datetime(  # noqa: DTZ001 (the bank's zone)
            int(year), int(month), int(day),
            _hour(match), int(match["minute"] or 0), int(match["second"] or 0),
        )  # fmt: skip
    except ValueError:
        return None
    return at, head[match.end() :]


def _hour(match: re.Match[str]) -> int:
    hour, half = int(match["hour"] or 0), (match["half"] or "").lower()
    return hour % 12 + 12 * (half == "p") if half and hour <= 12 else hour


def _in_words(head: str, changed: datetime) -> tuple[datetime, str] | None:
    found = find_intervals(head[:_READ], changed)
    if not found or not head.startswith(found[0].text) or not _YEAR.search(found[0].text):
        return None
    start, end = found[0].start, found[0].end
    if start is None or end is None or end - start > _DAY:
        return None
    # A time of day is meant give or take: its middle is what was said.
    at = start if end - start > _SHORTEST_DAY else start + (end - start) / 2
    return at.replace(tzinfo=None), head[len(found[0].text) :]


@lru_cache(maxsize=1024)
def _is_weekday(word: str, changed: datetime) -> bool:
    """Return whether a word before a date leaves that the day that it is, and belongs to it."""
    dated = f"{word}, {changed:%Y-%m-%d}"
    found = find_intervals(dated, changed) if len(word) <= _LONGEST_WORD else ()
    if len(found) != 1 or found[0].text != dated:
        return False
    start, end = found[0].start, found[0].end
    return start is not None and end is not None and end - start > _SHORTEST_DAY


def _ways(dated: dict[int, _Dated]) -> list[tuple[_Kind, int]]:
    """Return the ways in which a file may be a diary, the likeliest first."""
    found = {(one.kind, one.depth) for one in dated.values()}
    order = ("heading", "alone", "inline")
    return sorted(found, key=lambda way: (order.index(way[0]), way[1]))


def _go_in_order(times: Sequence[datetime], changed: datetime) -> bool:
    days = [at.date() for at in times]
    if len(set(days)) < 2 or max(days) > (changed + _AHEAD).date():
        return False
    # The newest day first may still have its morning before its evening.
    return days in (sorted(days), sorted(days, reverse=True))


def _begin_each_paragraph(lines: Sequence[str], dated: dict[int, _Dated]) -> bool:
    """Return whether every paragraph that is no heading begins with one of these dates."""
    before = ""
    for number, line in enumerate(lines):
        begins = line.strip() and (not before.strip() or _HEADING.match(before))
        if begins and number not in dated and not _HEADING.match(line):
            return False
        before = line
    return True


def _parted(lines: Sequence[str], dated: dict[int, _Dated], depth: int) -> list[DiaryEntry]:
    """
    Return the text outside of entries, and then each day's.

    ``depth``: of the headings that end an entry, if they are no date; those below are inside it.
    """
    outside = DiaryEntry(None)
    entries = [outside]
    now = outside
    underlined = -1
    for number, line, is_code in _with_code(lines):
        one = dated.get(number)
        if one is None:
            heading = None if is_code else _HEADING.match(line)
            if heading is not None and len(heading[1]) <= depth:
                now = outside
            if number != underlined or not _UNDERLINE.match(line):
                now.lines.append(line)
            continue
        if now.at != one.at:
            now = DiaryEntry(one.at)
            entries.append(now)
        underlined = number + 1 if one.kind == "alone" else -1
        if one.kind == "inline":
            now.lines.append(one.rest)
        elif one.rest:
            now.lines.append(f"{'#' * one.depth} {one.rest}")
    return entries
