"""Spans of local wall-clock time, recurring ones, and calendar arithmetic on both."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta
from typing import Literal, NamedTuple, TypeAlias

from hippocampus.core.lazy_dataclass import immutable

Unit: TypeAlias = Literal[
    "second", "minute", "hour", "day", "weekend", "week", "fortnight",
    "month", "quarter", "year", "decade",
]  # fmt: skip
Cycle: TypeAlias = Literal["day", "week", "month", "year"]

DAY = timedelta(days=1)
"""A day of the wall clock: times here have no zone, so none is shorter."""
_MICROSECOND = timedelta(microseconds=1)
"""The least by which two moments differ."""
NONE = timedelta(0)
"""No distance."""
SECONDS: dict[str, int] = {"second": 1, "minute": 60, "hour": 3600}
"""Seconds of the units that are shorter than a day."""
DAYS: dict[str, float] = {
    "day": 1, "weekend": 7, "week": 7, "fortnight": 14,
    "month": 30.44, "quarter": 91.3, "year": 365.24, "decade": 3652.4,
}  # fmt: skip
"""Days of the others, of the Gregorian calendar on average; a weekend comes again after a week."""
# Of these a number is counted in months, so that two months after the 5th is a 5th.
_MONTHS: dict[str, int] = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
# How many days a stretch may have to count as exactly one turn of a cycle; 367 because "a year ago"
# is a day with half a year on either side.
_TURN: dict[Cycle, tuple[float, float]] = {
    "day": (1, 1), "week": (7, 7), "month": (28, 31), "year": (365, 367)
}  # fmt: skip
_ORDER: tuple[Cycle, ...] = ("day", "week", "month", "year")
# Far enough to step over the leap day that 1900 and 2100 leave out.
_REACH = 9
_PART = timedelta(hours=1)
"""Length above which what is shorter than a day is a part of one."""
_FAR = timedelta(days=182)
"""Half a year: from here on a date is told with its year, or as "last year"."""
_OTHER_SIDE = 3
"""Factor by which a day has to be nearer to be meant although the verb looks the other way. Set by
hand."""
_NEAR = timedelta(days=92)
"""A quarter: up to here one that is told without is rather meant than one that is far."""


class Span(NamedTuple):
    """
    A stretch ``[lo, hi)`` of local time, and how much either edge is in doubt.

    Relations ("after 5 pm") start from the exact edges; otherwise the slack is added.
    An instant has ``lo == hi``.
    """

    lo: datetime
    hi: datetime
    slack: timedelta = NONE

    def gap(self, t: datetime) -> timedelta:
        """Return the distance of a moment from the stretch; nothing inside."""
        return max(self.lo - t, t - self.hi, NONE)

    def widened(self) -> Span:
        """Return the stretch with the doubt spent."""
        return Span(self.lo - self.slack, self.hi + self.slack) if self.slack else self


@immutable(kw_only=False)
class Recurring:
    """
    Something that comes once a day, week, month or year: 5 pm, Monday, the 14th, March, Christmas.

    ``make`` gets the start of a cycle and returns that cycle's stretch. It may raise ValueError or
    OverflowError for a cycle without one (29 February, the year 10000).
    """

    cycle: Cycle
    make: Callable[[datetime], Span]
    numbered: bool = False
    """Told by its number, as days of a month are: "3 May", not "Christmas"."""

    def _near(self, t: datetime, turns: Iterable[int]) -> Iterable[Span]:
        start = floor(t, self.cycle)
        for turn in turns:
            try:
                yield self.make(shift(start, self.cycle, turn))
            except (ValueError, OverflowError):
                continue

    def latest(self, t: datetime) -> Span | None:
        """Return the last one that began by ``t``."""
        return next((s for s in self._near(t, range(2, -_REACH, -1)) if s.lo <= t), None)

    def last(self, t: datetime) -> Span | None:
        """Return the last one that was over by ``t``."""
        return next((s for s in self._near(t, range(2, -_REACH, -1)) if s.hi <= t), None)

    def next(self, t: datetime) -> Span | None:
        """Return the first one that begins after ``t``."""
        return next((s for s in self._near(t, range(-2, _REACH)) if s.lo > t), None)

    def this(self, t: datetime) -> Span | None:
        """Return the one of the present cycle; a yearly one that is on or just over goes first."""
        near = list(self._near(t, (-1, 0)))
        if self.cycle == "year":
            # Four months after it "this summer" is still the one that was; then it is the next. Set
            # by hand.
            near = [s for s in near if timedelta(-120) < s.hi - t and s.lo <= t] or near
        return near[-1] if near else None

    def bare(self, t: datetime, *, ahead: bool, near: bool = False) -> Span | None:
        """
        Return the one meant without "last" or "next"; ``ahead`` if the talk is of plans.

        Who tells of a date without its year means a ``near`` one, whatever the tense: "they had a
        seat on 29 November" is said early in November of the one to come. Who asks may mean any.
        """
        if ahead:
            span = next((s for s in self._near(t, range(-1, _REACH)) if s.hi > t), None)
        else:  # Nobody calls today by its weekday.
            span = self.last(t) if self.cycle == "week" else self.latest(t)
        if not near or span is None or span.gap(t) < _FAR:
            return span
        other = self.latest(t) if ahead else self.next(t)
        return span if other is None or other.gap(t) > _NEAR else other

    def falling_on(self, weekday: int, t: datetime, *, ahead: bool) -> Span | None:
        """
        Return the one of the years about a moment that begins on a weekday, Monday being 0.

        Of those of months, the nearest, but on the other side only if it is far nearer.
        """
        if self.cycle == "year":
            near = self._near(t, (-1, 0, 1))
            return next((span for span in near if span.lo.weekday() == weekday), None)
        about = (span for span in self._near(t, range(-_REACH, _REACH)) if span.gap(t) < _FAR)
        falling = [span for span in about if span.lo.weekday() == weekday]
        other = _OTHER_SIDE
        return min(
            falling, default=None,
            key=lambda span: span.gap(t) * (1 if ahead == (span.hi > t) else other),
        )  # fmt: skip

    def within(self, outer: Span) -> Span:
        """Return the first one that begins within ``outer``; ValueError when none does."""
        for span in self._near(outer.lo, range(-1, 3)):
            if outer.lo <= span.lo < outer.hi:
                return span
        msg = f"none between {outer.lo} and {outer.hi}"
        raise ValueError(msg)

    def within_part(self, part: Span) -> Span:
        """Return an hour within a part of a day, by either half of the clock: "tonight at 9"."""
        for half in (NONE, timedelta(hours=12)):
            for span in self._near(part.lo, (0, 1)):
                if part.lo <= span.lo + half < part.hi:
                    return Span(span.lo + half, span.hi + half, span.slack)
        msg = f"none between {part.lo} and {part.hi}"
        raise ValueError(msg)


Value: TypeAlias = Span | Recurring


def floor(t: datetime, unit: Unit) -> datetime:  # noqa: PLR0911 - one line per unit
    """Return the start of the calendar unit ``t`` lies in; weeks begin on Monday."""
    match unit:
        case "second":
            return t.replace(microsecond=0)
        case "minute":
            return t.replace(second=0, microsecond=0)
        case "hour":
            return t.replace(minute=0, second=0, microsecond=0)
        case _:
            pass
    day = datetime.combine(t.date(), time())
    match unit:
        case "week" | "fortnight":
            return day - t.weekday() * DAY
        case "weekend":
            return day + (5 - t.weekday()) * DAY
        case "month":
            return day.replace(day=1)
        case "quarter":
            return day.replace(day=1, month=(t.month - 1) // 3 * 3 + 1)
        case "year":
            return day.replace(day=1, month=1)
        case "decade":
            return day.replace(day=1, month=1, year=t.year // 10 * 10)
        case _:
            return day


def shift(t: datetime, unit: Unit, n: float) -> datetime:
    """Return ``t`` moved by ``n`` units on the wall clock; the 31st may become the 30th."""
    if n == 0:
        return t
    if unit in _MONTHS:
        whole, rest = divmod(n * _MONTHS[unit], 1)
        year, month = divmod(t.year * 12 + t.month - 1 + int(whole), 12)
        last = monthrange(year, month + 1)[1]
        return t.replace(year, month + 1, min(t.day, last)) + timedelta(int(rest * DAYS["month"]))
    if unit in SECONDS:
        return t + timedelta(seconds=n * SECONDS[unit])
    return t + timedelta(days=n * DAYS[unit])


def calendar_unit(t: datetime, unit: Unit) -> Span:
    """Return the calendar unit ``t`` lies in; a weekend is the one that ends ``t``'s week."""
    lo = floor(t, unit)
    return Span(lo, lo + 2 * DAY if unit == "weekend" else shift(lo, unit, 1))


def day_of(t: datetime) -> Span:
    """Return the day ``t`` lies in."""
    return calendar_unit(t, "day")


def each(value: Value, change: Callable[[Span], Span]) -> Value:
    """Apply ``change`` to a stretch, or to every one of a recurring one."""
    if isinstance(value, Span):
        return change(value)
    make = value.make
    return Recurring(value.cycle, lambda start: change(make(start)), value.numbered)


def nest(one: Value, other: Value, now: datetime) -> Value | None:
    """Return the smaller of two inside the larger ("Monday" in "last week"), or None."""
    for inner, outer in ((one, other), (other, one)):
        if not isinstance(inner, Recurring):
            continue
        sample = outer if isinstance(outer, Span) else outer.latest(now)
        if sample is None:
            continue
        if isinstance(outer, Recurring) and _ORDER.index(outer.cycle) <= _ORDER.index(inner.cycle):
            continue
        if inner.cycle == "day" and _PART < sample.hi - sample.lo < DAY:
            return each(outer, inner.within_part)
        if _is_turn(inner.cycle, sample):
            return each(outer, inner.within)
        if _is_turn(inner.cycle, sample.widened()):
            return each(each(outer, Span.widened), inner.within)
    return None


def _is_turn(cycle: Cycle, span: Span) -> bool:
    least, most = _TURN[cycle]
    return least <= (span.hi - span.lo) / DAY <= most


def join(
    first: Value, last: Value, now: datetime, *, ahead: bool, told: bool = False
) -> Span | None:
    """Return the stretch from one to the other, both included; either may tell the year of both."""
    if isinstance(first, Recurring) and isinstance(last, Recurring):
        if _ORDER.index(first.cycle) < _ORDER.index(last.cycle):
            resolved = last.bare(now, ahead=ahead, near=told and last.numbered)  # "3 to 9 June"
            return None if resolved is None else join(first, resolved, now, ahead=ahead)
        start = (
            None
            if first.cycle == "day"
            else first.bare(now, ahead=ahead, near=told and first.numbered)
        )
        return None if start is None else join(start, last, now, ahead=ahead)
    begins: Value | None = first
    ends: Value | None = last
    if isinstance(begins, Recurring) and isinstance(ends, Span):
        begins = begins.latest(ends.lo)
    elif isinstance(ends, Recurring) and isinstance(begins, Span):
        # Both may begin at once, and "next" is later than what it is given.
        ends = ends.next(begins.lo - _MICROSECOND)
    if not isinstance(begins, Span) or not isinstance(ends, Span):
        return None
    # People name the two ends in either order.
    if ends.lo < begins.lo:
        begins, ends = ends, begins
    return Span(begins.lo - begins.slack, ends.hi + ends.slack)


# ---------------------------------------------------------------- what recurs


def weekday(n: int) -> Recurring:
    """Return the weekday ``n``, Monday being 0."""
    return Recurring("week", lambda week: Span(week + n * DAY, week + (n + 1) * DAY))


def month_day(month: int, day: int, last: int | None = None) -> Recurring:
    """Return a day of the year, or the days of a month from one to the ``last``."""

    def make(year: datetime) -> Span:
        lo, hi = (year.replace(month=month, day=end) for end in (day, last or day))
        return Span(lo, hi + DAY)

    return Recurring("year", make, numbered=True)


def feast(month: int, day: int) -> Recurring:
    """Return a day of the year that has a name."""
    return Recurring("year", month_day(month, day).make)


def day_of_month(day: int) -> Recurring:
    """Return a day of the month."""
    return Recurring("month", lambda month: day_of(month.replace(day=day)))


def months(first: int, count: int = 1) -> Recurring:
    """Return ``count`` months from ``first`` on; they may run into the next year."""

    def make(year: datetime) -> Span:
        lo = year.replace(month=first)
        return Span(lo, shift(lo, "month", count))

    return Recurring("year", make)


def hours(first: float, last: float) -> Recurring:
    """Return a part of the day, which may run into the next."""
    return Recurring("day", lambda day: Span(shift(day, "hour", first), shift(day, "hour", last)))


def clock(hour: int, minute: int) -> Recurring:
    """Return a time of day, in doubt by half an hour as spoken times are."""

    def make(day: datetime) -> Span:
        t = day.replace(hour=hour, minute=minute)
        return Span(t, t, timedelta(minutes=30))

    return Recurring("day", make)


def nth_weekday(month: int, day: int, n: int) -> Recurring:
    """Return the ``n``-th weekday ``day`` of a month, from 1."""
    return Recurring(
        "year", lambda year: nth(calendar_unit(year.replace(month=month), "month"), day, n)
    )


def weekend() -> Recurring:
    """Return Saturday and Sunday."""
    return Recurring("week", lambda week: Span(week + 5 * DAY, week + 7 * DAY))


def easter(first: int, last: int | None = None) -> Recurring:
    """Return the day ``first`` days after Easter Sunday, or the days from there to ``last``."""

    def make(year: datetime) -> Span:
        sunday = datetime.combine(easter_sunday(year.year), time())
        return Span(sunday + first * DAY, sunday + ((first if last is None else last) + 1) * DAY)

    return Recurring("year", make)


def easter_sunday(year: int) -> date:
    """Return Easter Sunday in the Gregorian calendar (Meeus, Jones and Butcher)."""
    a, (b, c) = year % 19, divmod(year, 100)
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    l_ = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * l_) // 451
    month, day = divmod(h + l_ - 7 * m + 114, 31)
    return date(year, month, day + 1)


# ---------------------------------------------------------------- parts of a stretch


def nth(span: Span, what: int | Unit, n: int) -> Span:
    """Return the ``n``-th unit or weekday of a stretch; -1 is the last. ValueError if none."""
    if isinstance(what, int):
        if n > 0:
            lo = span.lo + ((what - span.lo.weekday()) % 7 + 7 * (n - 1)) * DAY
        else:
            lo = span.hi - DAY - (span.hi.weekday() - 1 - what) % 7 * DAY
        part = day_of(lo)
    elif what == "weekend":
        part = nth(span, 5, n)
        part = Span(part.lo, part.hi + DAY)
    elif n > 0:
        lo = shift(span.lo, what, n - 1)
        part = Span(lo, shift(lo, what, 1))
    else:
        part = Span(shift(span.hi, what, -1), span.hi)
    if not span.lo <= part.lo < span.hi:
        msg = f"no {what} number {n} between {span.lo} and {span.hi}"
        raise ValueError(msg)
    return part


def end_of(span: Span, *, last: bool) -> Span:
    """Return the beginning or the end of a stretch: a week of a month, three days of a week."""
    days = (span.hi - span.lo) // DAY
    if days <= 1:
        return span
    if days <= 14:
        count: tuple[Unit, int] = "day", 3 if days > 3 else 1
    elif days <= 31:
        count = "day", 7
    else:
        count = "month", 3 if days > 300 else 1
    if last:
        return Span(shift(span.hi, count[0], -count[1]), span.hi)
    return Span(span.lo, shift(span.lo, *count))


def portion(span: Span, first: float, last: float) -> Span:
    """Return a fraction of a stretch, in whole months or days; a day or less stays whole."""
    days = (span.hi - span.lo) // DAY
    if days <= 1:
        return span
    # Half a year, which has 181 days at least, is told in months.
    unit: Unit = "day" if days < DAYS["quarter"] * 2 - 3 else "month"
    count = round(days / DAYS[unit])
    return Span(
        shift(span.lo, unit, int(first * count)), shift(span.lo, unit, int(last * count) or 1)
    )
