"""The grammar of time expressions: a recursive descent parser that keeps the longest readings."""

# ruff: noqa: PLR0911 - a reading that fails returns at once

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cached_property, lru_cache
from typing import ClassVar, Final, NamedTuple, TypeAlias

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.word_lists import word_set
from hippocampus.language.nouns import use_of
from hippocampus.language.time import spans
from hippocampus.language.time.english import Role, core_words_in, may_tell_time, written_at
from hippocampus.language.time.spans import DAY, SECONDS, Recurring, Span, Unit, Value, floor, shift
from hippocampus.language.time.tense import Tenses
from hippocampus.language.time.tokens import EnglishTokens, Token, Tokens


class Reading(NamedTuple):
    """A run of characters and the local time that it means; an open side is None."""

    lo: datetime | None
    hi: datetime | None
    start: int
    end: int
    vague: bool = False


Parsed: TypeAlias = tuple[Value, int] | None
"""A value, and the index of the token after what was read as it."""

# How an expression was introduced, which decides whether a bare "March" or "2021" may count.
_BARE, _IN, _ON, _AT, _RELATION, _BY, _RANGE, _INNER, _SHIFTED, _FOR = range(10)
_CUES: dict[int, int] = {Role.IN: _IN, Role.ON: _ON, Role.AT: _AT, Role.AROUND: _IN, Role.FOR: _FOR}
_RELATIONS = {Role.SINCE, Role.AFTER, Role.BEFORE, Role.UNTIL, Role.BY}
_LINKS: dict[int, int] = {
    Role.OF: _IN,
    Role.IN: _IN,
    Role.ON: _ON,
    Role.AT: _AT,
    Role.COMMA: _INNER,
    Role.POSSESSIVE: _INNER,
}
_SAYING_WHICH_DAY: Final = frozenset({"'s", "is", "its", "was", "to", "now"})
"""Words before "the 24th" of what is, or was moved, on that day."""
_ONLY_DAYS: Final = frozenset({"tues", "weds", "thur", "thurs"})
"""Short weekdays that are no other word: with a verb they are days in whatever case."""
_NAMED_IN: Final = 6
"""Words of whoever did something, at most: between "did" and its verb. Set by hand."""
_PARTLY_VERB: Final = 0.2
"""Share of its uses as a verb from which a word may be one."""
_MOSTLY_NOUN: Final = 0.5
"""Share of its uses as a noun from which a word behind a number is what that counts."""
_PLACES_WON: Final = 3
"""Up to here an ordinal is as likely a place in a row."""
_THINGS_IN_A_ROW: Final = 12
"""Up to here an ordinal that is written out is rather of a thing than of a day."""
_STOPS: set[int] = {Role.END, Role.MARK, Role.COMMA}
_BETWEEN_SENTENCES = lazy_pattern(
    r"[.!?\n](?:(?<=[^\W\d_]{4}[.!?])(?<![Ss]ept\.)\s+(?=\W?[A-Z])|(?<=\n)\s*\n)"
)
"""
Not after what may be abbreviated ("Sat. 3 May", "5 p.m. Friday").

What it begins with comes first, for then it is looked for as fast as one character is.
"""
_DIGITS = lazy_pattern(r"[0-9]+")
_DOTTED = lazy_pattern(r"(1[0-2]|[1-9])\.([0-5][0-9])")
"""An hour as the British write it."""
_DEEPEST = 8
"""Phrases within phrases; nobody says more than three."""
_HOUR = timedelta(hours=1)
"""Doubt of what is said to be "about" an hour, and the length of one that is counted."""
_WHEN = (_IN, _ON, _AT, _FOR)
_HOURS = (Role.NUMBER, Role.COUNT, Role.HALF)
_COUNTED = (Role.UNIT, Role.SEVERAL, Role.AND, Role.OF, Role.MONTH)
"""Roles behind a number of days, or behind the day of a month."""
_EARLIEST_HOUR = 8
"""Hour before which one without a half of the day is of the afternoon: "at six" is mostly 18:00,
"at eight" may be either, and is then of the morning."""
_LONG = ("month", "quarter", "year", "decade")
_PARTED: dict[Unit, tuple[Unit, int]] = {
    "month": ("day", 30),
    "year": ("month", 12),
    "decade": ("year", 10),
}
"""Units of which a half is told by smaller ones: half a year ago is a month, and no year."""
_MOST_AGO = 100
"""Sundays that are counted back: two years, and nobody counts further."""
_BEEN = frozenset({"was", "were", "wasn't", "weren't", "been", "being"})
"""Forms of "be" by which something was at a price or a rate, as often as at an hour."""
_CELEBRATED = frozenset({"birthday", "anniversary", "wedding"})
"""Feasts that an ordinal counts, which are on a day."""
_WHERE = frozenset("at of in".split())
"""Words between a "last night" that is the final one and what it is of."""
_REACH = 40
"""Words behind an expression that are looked at, at most: few sentences go on for longer, and a
text without marks must not cost its square."""
_OWNERS = frozenset("my our his her their".split())
# Needs nothing behind it, so that a feast there is a time: "come to us boxing day".
_BEFORE_FEAST = frozenset("us you me them him here there home back away off".split())
_TELLING = frozenset("i we he she they you it".split())
_LOOKING = frozenset("like look looks looking".split())
_BEING_UP_TO = frozenset("i we you they he she it get got getting been".split())
_USUALLY = frozenset("usually always never often normally sometimes generally typically".split())


def read(text: str, now: datetime, *, told: bool = False) -> list[Reading]:
    """Return the times in an English text, in order; ``now`` is aware."""
    found: list[Reading] = []
    core, written = core_words_in(text), written_at(text)
    for start, end in sentences(text):
        # Most sentences have nothing written, and none of the few words that there are.
        if (written and bisect_left(written, start) < bisect_left(written, end)) or any(
            map(text[start:end].lower().__contains__, core)
        ):
            found += _readings(text, start, end, now, told=told)
    return longest(found, len(text)) if found else []


def read_sentence(
    text: str, start: int, end: int, now: datetime, *, told: bool
) -> Iterator[Reading]:
    """Yield readings of time in an English sentence, even where they overlap."""
    if may_tell_time(text[start:end]):
        yield from _readings(text, start, end, now, told=told)


def _readings(text: str, start: int, end: int, now: datetime, *, told: bool) -> Iterator[Reading]:
    tokens = EnglishTokens(text, start, end)
    return readings(Reader(tokens, now, told=told)) if tokens.first else iter(())


def longest(found: Iterable[Reading], length: int) -> list[Reading]:
    """Return the longest readings of a text that do not overlap, in their order."""
    kept: list[Reading] = []
    taken = bytearray(length)
    for reading in sorted(found, key=lambda r: (r.start - r.end, r.start)):
        if not any(taken[reading.start : reading.end]):
            taken[reading.start : reading.end] = b"\1" * (reading.end - reading.start)
            kept.append(reading)
    return sorted(kept, key=lambda r: r.start)


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield the bounds of the sentences of a text."""
    start = 0
    for between in _BETWEEN_SENTENCES.finditer(text):
        yield start, between.start() + 1
        start = between.end()
    yield start, len(text)


def readings(reader: Reader) -> Iterator[Reading]:
    """Yield the longest reading that begins at each token of a sentence."""
    for i in reader.tokens.first:
        try:
            reading = reader.reading(i)
        except (ValueError, OverflowError):
            continue  # a date that does not exist, or one outside the years 1 to 9999
        if reading is not None:
            yield reading


_day_of = lru_cache(maxsize=16)(spans.day_of)
"""The sentences of a text are all read as of one moment."""


class Reader:
    """A sentence. Methods take a token's index and return that of the one after their part."""

    def __init__(self, tokens: Tokens, now: datetime, *, told: bool) -> None:
        self.aware = now
        # Calendars are counted by the clock on the wall; only ``_moment`` counts real time.
        self.now = now.replace(tzinfo=None)
        self.today = _day_of(self.now)
        self.told = told
        self.tokens = tokens
        # So many that no look ahead has to test whether the sentence is over.
        self.roles = tokens.roles + bytes([Role.END]) * 6
        self.at = 0
        self.depth = 0
        self.atoms: dict[tuple[int, int], Parsed] = {}

    @cached_property
    def tenses(self) -> Tenses:
        return Tenses(self.tokens.words(), told=self.told)

    @property
    def ahead(self) -> bool:
        """Return whether the reader looks ahead: a time told without a verb is a plan."""
        direction = self.tenses.direction(self.at)
        return self.told if direction is None else direction == "ahead"

    # ------------------------------------------------------------ tokens

    def _is(self, i: int, *roles: int) -> bool:
        return self.roles[i] in roles

    def _the(self, i: int) -> bool:
        return i > 0 and self.roles[i - 1] == Role.THE

    def _skip(self, i: int, *roles: int) -> int:
        return i + 1 if self.roles[i] in roles else i

    def clear(self, i: int) -> bool:
        """Tell whether a phrase may end before token ``i``."""
        return self.roles[i] in _STOPS or self.tokens[i].word in word_set("light_words")

    def counts(self, i: int) -> bool:
        """Tell whether token ``i`` is what the number before it counts."""
        return self.tokens[i].word in word_set("counted_things") or self.tokens[i].word == "%"

    # ------------------------------------------------------------ whole expressions

    def reading(self, i: int) -> Reading | None:
        """Return the reading of the longest expression that begins at token ``i``."""
        self.at = i
        role = self.roles[i]
        if self.roles[i - 1] == Role.EVERY:
            return None
        if role in _RELATIONS:
            return self._related(i)
        if role in (Role.BETWEEN, Role.FROM):
            return self._between(i)
        if role == Role.BOUND:
            return self._bounded(i)
        if role == Role.IN and (amount := self._within(i)) is not None:
            return amount
        cue = _CUES.get(role, _BARE)
        parsed = self._to(i if cue == _BARE else i + 1, cue)
        span = self._resolve(parsed)
        if parsed is None or span is None:
            return None
        if role == Role.AROUND:
            exact = span.hi - span.lo < DAY
            span = span._replace(
                slack=_HOUR if exact else span.slack + max(3 * DAY, (span.hi - span.lo) / 2)
            )
        vague = span.slack >= DAY
        span = span.widened()
        return self._said(i, parsed[1], span.lo, span.hi)._replace(vague=vague)

    def _within(self, i: int) -> Reading | None:
        """In two weeks; over two weeks ago."""
        word = self.tokens[i].word
        if word == "in" and (hence := self._hence(i + 1)):
            return self._said(i, hence[1], hence[0].lo, hence[0].hi)
        return self._bounded(i) if word == "over" else None

    def _said(self, i: int, j: int, lo: datetime | None, hi: datetime | None) -> Reading:
        return Reading(lo, hi, self.tokens[i].start, self.tokens[j - 1].end)

    def _resolve(self, parsed: Parsed) -> Span | None:
        if parsed is None or isinstance(parsed[0], Span):
            return parsed and parsed[0]  # type: ignore[return-value]
        # "at 5 pm", without a day, is a habit.
        if parsed[0].cycle == "day" or (parsed[0].cycle == "week" and self._habit()):
            return None
        # "I bought the flight for 9 October": a date that something is for lies ahead.
        due = self.told and parsed[0].numbered and self._is(self.at, Role.FOR)
        # Of a feast without a verb, too, a near one is meant: "flu again, Boxing Day".
        near = parsed[0].numbered or self.tenses.direction(self.at) is None
        return parsed[0].bare(self.now, ahead=due or self.ahead, near=self.told and near)

    def _habit(self) -> bool:
        """Tell whether what is being read is of no one time: "we usually meet on Friday"."""
        return not _USUALLY.isdisjoint(self.tenses.sentence(self.at))

    def _related(self, i: int) -> Reading | None:
        """Since, after, before, until, by; and "after … and before …"."""
        lo, hi, j = self._relation(i)
        if lo is not None and hi is None:
            k = self._skip(self._skip(j, Role.COMMA), Role.AND)
            if self._is(k, Role.BEFORE, Role.UNTIL, Role.BY):
                _, hi, end = self._relation(k)
                if hi is not None and lo < hi:
                    return self._said(i, end, lo, hi)
                hi = None
        return None if lo is None and hi is None else self._said(i, j, lo, hi)

    def _relation(self, i: int) -> tuple[datetime | None, datetime | None, int]:
        t, j = self.tokens[i], i + 1
        # "Prior" and "up" say how times lie only with the word behind them: "prior to".
        if t.value:
            if self.tokens[j].word not in t.value.split():
                return None, None, j
            j += 1
        if t.word == "up" and self.tokens[i - 1].word in _BEING_UP_TO:
            return None, None, j  # "what was I up to"
        parsed = self._value(j, _BY if t.role is Role.BY else _RELATION)
        # "Since March" looks back whatever the verb does.
        since = parsed and t.role is Role.SINCE and isinstance(parsed[0], Recurring)
        span = parsed[0].bare(self.now, ahead=False) if since else self._resolve(parsed)  # type: ignore[index, union-attr]
        if parsed is None or span is None:
            return None, None, j
        wide = span.widened()
        match t.role:
            case Role.SINCE:
                return wide.lo, None, parsed[1]
            case Role.AFTER:
                return span.hi, None, parsed[1]
            case Role.BEFORE:
                return self._from_now(span.lo), span.lo, parsed[1]
            case Role.BY if self.told:  # that day is the deadline
                return wide.lo, wide.hi, parsed[1]
            case _:
                return self._from_now(wide.hi), wide.hi, parsed[1]

    def _from_now(self, until: datetime) -> datetime | None:
        """Return the start of a time up to then: now, if that is still to come; else None."""
        return self.now if self.now < until and self.ahead else None

    def _hence(self, i: int) -> tuple[Span, int] | None:
        """
        Read the rest of "in two weeks", "in a fortnight's time".

        With a verb of the past, or one of being able to, it is how long something takes.
        """
        measured = self._measured(i)
        if measured is None or measured[2] in ("second", "minute", "weekend"):
            return None
        least, most, unit, j = measured
        spoken = self._skip(j, Role.POSSESSIVE)
        spoken = spoken + 1 if self.tokens[spoken].word == "'" else spoken
        j = spoken + 1 if self._is(spoken, Role.TIME) else j
        opens = self.at == 0 and self.tokens[j].word in word_set("determiners")
        if not (self.clear(j) or opens) or not self.ahead or self.tenses.takes_time(self.at):
            return None
        least, most, unit = _in_parts(least, most, unit)
        if unit in SECONDS:
            return Span(self._moment(least, unit), self._moment(most, unit) + _HOUR), j
        lo, hi = shift(self.today.lo, unit, least), shift(self.today.lo, unit, most)
        return _whole(Span(lo, hi + DAY), unit), j

    def _between(self, i: int) -> Reading | None:
        """Between … and …; from … to …; from … on."""
        if self._is(i, Role.BETWEEN):
            joined = self._joined(i + 1, Role.AND, Role.DASH)
        else:
            joined = self._joined(i + 1, Role.TO, Role.UNTIL, Role.DASH)
        if joined is not None:
            return self._said(i, joined[1], joined[0].lo, joined[0].hi)
        parsed = self._value(i + 1, _RANGE) if self._is(i, Role.FROM) else None
        if parsed is None:
            return None
        j = parsed[1]
        if not (self._is(j, Role.ONWARD) or (self._is(j, Role.ON) and self._is(j + 1, *_STOPS))):
            return None
        span = self._resolve(parsed)
        return span and self._said(i, j + 1, span.widened().lo, None)

    def _joined(self, i: int, *separators: Role) -> tuple[Span, int] | None:
        if (hours := self._hours(i, *separators)) is not None:
            return hours
        first = self._day_number(i, *separators) or self._value(i, _RANGE)
        if first is None or not self._is(first[1], *separators):
            return None
        last = self._value(first[1] + 1, _RANGE)
        span = last and spans.join(first[0], last[0], self.now, ahead=self.ahead, told=self.told)
        return (span, last[1]) if span and last else None

    def _hours(self, i: int, *separators: Role) -> tuple[Span, int] | None:
        """Read "3 to 5 pm on Friday", of which only the last hour is told as one."""
        hour = self.tokens[i].value
        if not (
            self._is(i, Role.NUMBER, Role.COUNT)
            and self._is(i + 1, *separators)
            and self._is(i + 2, Role.CLOCK)
            and isinstance(hour, int)
            and 1 <= hour <= 12
        ):
            return None
        last = self._value(i + 2, _RANGE)
        end = self._resolve(last)
        if last is None or end is None:
            return None
        until = end.lo
        begun = until.replace(hour=hour % 12, minute=0)
        later = begun + timedelta(hours=12)
        lo = later if later < until else begun
        return (Span(lo, until, end.slack).widened(), last[1]) if lo < until else None

    def _to(self, i: int, cue: int) -> Parsed:
        """Read a value, or a range that nothing announces: 3-9 June, 2019-2021, 3 to 9 June."""
        if (hours := self._hours(i, Role.DASH, Role.TO)) is not None:
            return hours
        day = self._day_number(i, Role.DASH, Role.TO)
        value = None if day else self._value(i, cue)
        first = day or value
        if first is None:
            return None
        if self._is(first[1], Role.DASH, Role.TO) and (joined := self._up_to(first)):
            return joined
        return value if day is None else self._value(i, cue)

    def _up_to(self, first: tuple[Value, int]) -> Parsed:
        """Read the rest of a range, from the mark or word behind its first value."""
        last = self._value(first[1] + 1, _RANGE)
        if last is None or any(
            isinstance(v, Recurring) and v.cycle == "week" for v in (first[0], last[0])
        ):
            return None  # "Monday to Friday" is a habit
        if (
            isinstance(first[0], Recurring)
            and first[0].cycle == "month"
            and not (isinstance(last[0], Span) or last[0].cycle == "year")
        ):
            return None
        span = spans.join(first[0], last[0], self.now, ahead=self.ahead, told=self.told)
        return span and (span, last[1])

    def _day_number(self, i: int, *before: Role) -> Parsed:
        counted = self._counted_day(self._skip(i, Role.THE))
        if counted is None or self.roles[counted[1]] not in before:
            return None
        return spans.day_of_month(counted[0]), counted[1]

    def _counted_day(self, i: int) -> tuple[int, int] | None:
        """Read the number of a day: 3, 3rd, third, twenty-third."""
        t, tens, j = self.tokens[i], 0, i
        if t.role is Role.COUNT and t.value in (20, 30):
            j = self._skip(i + 1, Role.DASH)
            t, tens = self.tokens[j], t.value
            if t.role is not Role.ORDINAL or t.value >= 10:
                return None
        if t.role not in (Role.NUMBER, Role.ORDINAL) or not _is_day(t.value):
            return None
        return (tens + t.value, j + 1) if _is_day(tens + t.value) else None

    def _bounded(self, i: int) -> Reading | None:
        """More than two weeks ago; less than a month ago."""
        t = self.tokens[i]
        j = i + 2 if self.tokens[i + 1].word == "than" else i + 1
        if j == i + 1 and t.word in ("more", "less"):
            return None
        parsed = self._ago(j, calendar=False)
        if parsed is None:
            return None
        span = parsed[0].widened()
        if t.value == -1:
            return self._said(i, parsed[1], span.lo, self.today.hi)
        return self._said(i, parsed[1], None, span.hi)

    # ------------------------------------------------------------ a stretch or recurring one

    def _value(self, i: int, cue: int) -> Parsed:
        """Read a phrase and whatever it lies in or holds: "Monday morning", "March last year"."""
        parsed = self._atom(i, cue)
        while parsed is not None:
            value, j = parsed
            link = _LINKS.get(self.roles[j])
            inner = self._atom(j, _INNER) if link is None else self._atom(j + 1, link)
            nested = inner and spans.nest(value, inner[0], self.now)
            if not inner or nested is None:
                break
            parsed = nested, inner[1]
        return parsed

    def _atom(self, i: int, cue: int) -> Parsed:
        """Read one phrase, once: "the week of the week of …" would take exponential time."""
        if cue == _AT and (self._is(i, *_HOURS, Role.ONE) or self.tokens[i].word == "quarter"):
            hour = self._hour(self._skip(i, Role.ONE))
            if hour is not None:
                return hour
        atom = self._ATOMS.get(self.roles[i])
        if atom is None or self.depth == _DEEPEST:
            return None
        if (i, cue) not in self.atoms:
            self.depth += 1
            try:
                self.atoms[i, cue] = atom(self, i, cue)
            except (ValueError, OverflowError):
                self.atoms[i, cue] = None
            finally:
                self.depth -= 1
        return self.atoms[i, cue]

    def _after_the(self, i: int, cue: int) -> Parsed:
        return None if self._the(i) else self._atom(i + 1, cue)

    def _deictic(self, i: int, cue: int) -> Parsed:
        t = self.tokens[i]
        if t.role is Role.NOW:
            # "Now" is of use as the end of a range; alone it narrows nothing.
            return (Span(self.now, self.now), i + 1) if cue == _RANGE else None
        if t.role is Role.TONIGHT:
            return Span(shift(self.today.lo, "hour", 17), shift(self.today.lo, "hour", 30)), i + 1
        before = self.tokens[i - 1]
        if t.capital and i > 1 and before.capital and before.role is not Role.MARK:
            return None  # a title: "The Day After Tomorrow"
        return spans.day_of(self.today.lo + t.value * DAY), i + 1

    # ------------------------------------------------------------ written dates

    def _stamp(self, i: int, _cue: int) -> Parsed:
        word = self.tokens[i].word.upper()
        moment = datetime.fromisoformat(word)
        if moment.tzinfo is not None:
            moment = moment.astimezone(self.aware.tzinfo).replace(tzinfo=None)
        # An offset of the zone may have the second colon, and then there are no seconds.
        exact = word.count(":") > 1 and word[16:17] == ":"
        return Span(moment, moment + timedelta(seconds=1 if exact else 60)), i + 1

    def _numeric_date(self, i: int, _cue: int) -> Parsed:
        parts = _DIGITS.findall(self.tokens[i].word)
        separator = self.tokens[i].word[len(parts[0])]
        if len(parts) == 2:  # 11/2026
            return spans.calendar_unit(self._day(int(parts[1]), int(parts[0])), "month"), i + 1
        a, b, c = map(int, parts)
        if len(parts[0]) == 4:
            span = spans.day_of(self._day(a, b, c))
        elif len(parts[2]) == 2 and separator != "/":
            return None  # a version, a score, a phone number
        else:
            year = c if len(parts[2]) == 4 else self._full_year(c)
            span = self._day_or_month_first(a, b, year, only_day=separator == ".")
        j = i + 1
        if (
            # The weekday in brackets would else be a time of its own, another Monday.
            self.tokens[j].word == "("
            and self._is(j + 1, Role.WEEKDAY)
            and self.tokens[j + 2].word == ")"
        ):
            j += 3
        return span, j

    def _day_month(self, i: int, cue: int) -> Parsed:
        """Read "on 3/5", unless it is a share or a score."""
        if cue not in (_ON, _BY, _RELATION, _RANGE):
            return None
        a, b = map(int, _DIGITS.findall(self.tokens[i].word))
        day, month = (a, b) if b <= 12 else (b, a)
        if not 1 <= month <= 12 or not _is_day(day) or not self.clear(i + 1):
            return None
        return spans.month_day(month, day), i + 1

    def _day_or_month_first(self, a: int, b: int, year: int, *, only_day: bool) -> Span:
        """Read the day first, unless there is no such day or only the other has begun by now."""
        orders = [(a, b)] if only_day else [(a, b), (b, a)]
        possible = [
            spans.day_of(self._day(year, m, d)) for d, m in orders if m <= 12 and _is_day(d)
        ]
        if not possible:
            msg = f"{a}/{b}/{year} is no date"
            raise ValueError(msg)
        return next((s for s in possible if s.lo <= self.now), possible[0])

    def _day(self, year: int, month: int = 1, day: int = 1) -> datetime:
        return self.today.lo.replace(year, month, day)

    def _full_year(self, short: int) -> int:
        year = self.now.year // 100 * 100 + short
        # "'27" is next year at most: who plans further ahead writes the century.
        return year if year <= self.now.year + 1 else year - 100

    def _year(self, i: int) -> tuple[int, int] | None:
        if not self._is(i, Role.SHORT_YEAR, Role.NUMBER):
            return None
        t = self.tokens[i]
        if t.role is Role.SHORT_YEAR:
            return self._full_year(int(t.word[1:])), i + 1
        if len(t.word) == 4 and isinstance(t.value, int):
            return (t.value, i + 1) if 1000 <= t.value < 3000 and not self.counts(i + 1) else None
        return None

    def _split_year(self, i: int) -> tuple[int, int] | None:
        """Read "2024/25", which begins in 2024."""
        first, slash, second = self.tokens[i].word.partition("/")
        years = slash and len(first) == 4 and f"{first}{second}".isdigit()
        if not years or (int(first) + 1 - int(second)) % 100:
            return None
        return int(first), i + 1

    def _of_year(self, recurring: Recurring, j: int) -> tuple[Span, int] | None:
        """Pick the one of a year when one follows: "June 2023", "summer of 2021"."""
        j = self._skip(j, Role.COMMA, Role.OF, Role.DASH)
        dated = self._year(j) or self._split_year(j)
        if dated is None:
            return None
        return recurring.make(self._day(dated[0])), dated[1]

    def _number(self, i: int, cue: int) -> Parsed:
        if self._is(i + 1, *_COUNTED):
            parsed = self._day_and_month(i, cue) or self._amount_of_time(i, cue)
            if parsed is not None:
                return parsed
        dated = self._year(i)
        if dated is None:
            return None
        year, j = dated
        whole = spans.calendar_unit(self._day(year), "year")
        if self._is(j, Role.QUARTER):
            recurring, j = self._quarter_of(j)
            return recurring.within(whole), j
        # Four digits that nothing leads to are mostly no year.
        if not 1900 <= year < 2100 or cue in (_BARE, _ON, _AT):
            return None
        if self._is(j, Role.NUMBER, Role.UNIT) or (cue == _INNER and not self.clear(j)):
            return None
        return whole, j

    def _day_and_month(self, i: int, cue: int) -> Parsed:
        """3 June, 3rd of June 2023, the twenty-third of June."""
        counted = self._counted_day(i)
        if counted is None:
            return None
        day, after = counted
        j = self._skip(after, Role.OF)
        j = self._skip(j, Role.THE) if j > after else j
        if not self._is(j, Role.MONTH):
            return None
        return self._written(day, j, self._dot(j), cue, ordinal=self._is(after - 1, Role.ORDINAL))

    def _dot(self, i: int) -> int:
        """Step over an abbreviated month and its full stop."""
        if not (self._is(i + 1, Role.MARK) and self._is(i + 2, Role.NUMBER, Role.ORDINAL)):
            return i + 1
        dotted = self.tokens[i].word in word_set("short_dates") and self.tokens[i + 1].word == "."
        return i + 2 if dotted else i + 1

    def _written(self, day: int, month: int, j: int, cue: int, *, ordinal: bool) -> Parsed:
        recurring = spans.month_day(self.tokens[month].value, day)
        if (dated := self._of_year(recurring, j)) is not None:
            return dated
        t = self.tokens[month]
        shaky = t.word in word_set("everyday_dates") and not t.capital and not ordinal
        if self.counts(j) or (shaky and cue in (_BARE, _INNER, _IN)):
            return None
        if self.tokens[j].word in word_set("streets"):  # "24 October Street"
            return None
        return self._with_weekday(recurring, j)

    def _with_weekday(self, date: Recurring, j: int) -> tuple[Value, int]:
        """Read the weekday that a date is said to be, which tells its year: "3 May, a Friday"."""
        day = j + self._is(j, Role.COMMA)
        day += day > j and self.tokens[day].word == "a"
        if day == j or not self._is(day, Role.WEEKDAY) or not self.clear(day + 1):
            return date, j
        falling = date.falling_on(self.tokens[day].value, self.now, ahead=self.ahead)
        return (falling, day + 1) if falling else (date, j)

    def _date(self, i: int, cue: int) -> Parsed:
        """June 3rd, June 3-9 2023, June 2023, June."""
        t, j = self.tokens[i], self._dot(i)
        d = self._skip(j, Role.THE)
        if (counted := self._counted_day(d)) is not None:
            day, d = counted
            last = self._counted_day(d + 1) if self._is(d, Role.DASH, Role.TO) else None
            if last and last[0] > day and not self._is(last[1], Role.MONTH):
                recurring = spans.month_day(t.value, day, last[0])
                return self._of_year(recurring, last[1]) or (recurring, last[1])
            # With an hour behind it, "may 3" is as surely a date as "may 3rd".
            sure = self._is(d, Role.CLOCK) or self._is(d - 1, Role.ORDINAL)
            return self._written(day, i, d, cue, ordinal=sure)
        recurring = spans.months(t.value)
        dated = self._of_year(recurring, j)
        if dated is not None and (
            t.capital or t.word not in word_set("everyday_dates") or cue != _BARE
        ):
            return dated
        return (recurring, j) if self._month_alone(i, j, cue) else None

    def _month_alone(self, i: int, j: int, cue: int) -> bool:
        """Tell whether a bare month is one, and not a verb ("may") or a person ("April")."""
        t = self.tokens[i]
        moved = self._is(i - 1, Role.TO) and t.word not in word_set("months_of_people")
        if cue in (_ON, _AT) or (cue == _BARE and not moved):
            return False
        if t.word in word_set("everyday_dates") and not t.capital:
            if cue in (_RELATION, _SHIFTED, _INNER):
                return self._is(j, *_STOPS)
            return cue in (_IN, _RANGE)
        if t.word not in word_set("months_of_people"):
            return True
        if self._is(j, Role.POSSESSIVE):
            return cue == _SHIFTED
        if cue in (_RELATION, _INNER):
            return self.clear(j) or self._is(j, Role.SHIFT)
        return cue != _BY

    def _quarter_of(self, i: int) -> tuple[Recurring, int]:
        word = self.tokens[i].word
        n, length = int(word[1]), 3 if word[0] == "q" else 6
        return spans.months((n - 1) * length + 1, length), i + 1

    def _quarter(self, i: int, cue: int) -> Parsed:
        recurring, j = self._quarter_of(i)
        if (dated := self._of_year(recurring, j)) is not None:
            return dated
        return None if cue in (_BARE, _ON, _AT) or not self.tokens[i].capital else (recurring, j)

    def _decade(self, i: int, cue: int) -> Parsed:
        digits = self.tokens[i].value or _DIGITS.findall(self.tokens[i].word)[0]
        if not self._the(i) and (cue == _BARE or self.tokens[i].value):
            return None
        digits = str(digits)
        year = int(digits) if len(digits) == 4 else self._full_year(int(digits))
        return spans.calendar_unit(self._day(year), "decade"), i + 1

    def _short_year(self, i: int, cue: int) -> Parsed:
        """Read "in '19"."""
        dated = self._year(i)
        if dated is None or cue not in (_IN, _RELATION, _RANGE) or not self.clear(dated[1]):
            return None
        return spans.calendar_unit(self._day(dated[0]), "year"), dated[1]

    # ------------------------------------------------------------ names

    def _weekday(self, i: int, cue: int) -> Parsed:
        t = self.tokens[i]
        j = i + 1
        abbreviated = t.word in word_set("short_dates")
        if abbreviated and self.tokens[j].word == ".":
            j += 1
        surely = t.word in _ONLY_DAYS and self.tenses.direction(self.at) is not None
        abbreviated = abbreviated and not surely
        # Where a date follows, it tells the day, and the weekday only says it again.
        for k in (self._skip(self._skip(j, Role.COMMA), Role.THE), j):
            if self._is(k, Role.NUMBER, Role.ORDINAL, Role.MONTH, Role.DATE) and (
                dated := self._atom(k, _ON) or self._numbered(k)
            ):
                # "We sat 3rd" is of no Saturday.
                sure = t.capital or surely or cue in (_ON, _BY, _SHIFTED) or self._timed(dated[1])
                if sure or not abbreviated or not self._is_month_day(dated[0]):
                    return self._falling(t.value, dated)
        moved = self._is(i - 1, Role.TO) and not self._is(i - 2, Role.WEEKDAY)
        timed = self._timed(j)
        led = moved or timed or cue in (_ON, _BY, _SHIFTED) or self._is(j, Role.PART)
        if abbreviated and not (led or t.capital):
            return None
        recurring = spans.weekday(t.value)
        if self.tokens[j].word in ("week", "fortnight") and self.clear(j + 1):  # "Monday week"
            span = self._coming(recurring)
            return span and (_offset(span, self.tokens[j].value, 1, 1), j + 1)
        if (beside := self._beside(i, recurring)) is not None:
            return beside
        if cue == _BARE:
            # A name for a day, unless it is part of another name or a label: "Sunday school".
            named = i > 0 and self.tokens[i - 1].capital and self._is(i - 1, Role.WORD) and i > 1
            followed = (
                timed
                or self.clear(j)
                or (self._is(j, Role.PART, Role.POSSESSIVE, Role.SHIFT) or self._then_shifted(j))
            )
            habit = any(
                self._is(i + k, Role.TO, Role.DASH) and self._is(i + 2 * k, Role.WEEKDAY)
                for k in (-1, 1)
                if i + 2 * k >= 0
            )
            part = self._is(j, Role.PART)
            # "Saturday Night Fever", and in whatever case of a name where one is told.
            title = part and not (self.clear(j + 1) or self._is(j + 1, *_HOURS, Role.SHIFT))
            alone = abbreviated and not (moved or timed or part) and self.tokens[j].word != ":"
            if self._the(i) or alone or named or habit or title or not followed:
                return None
        elif not self.clear(j) and not t.capital and cue == _INNER:
            return None
        return recurring, j

    def _is_month_day(self, value: Value) -> bool:
        return isinstance(value, Recurring) and value.cycle == "month"

    def _numbered(self, i: int) -> Parsed:
        """Read the "19th" of "Sunday 19th"; in words it is rather of a thing: "Monday first"."""
        written = self._is(i, Role.ORDINAL) and self.tokens[i].word[0].isdigit()
        counted = self._counted_day(i) if written else None
        return counted and (spans.day_of_month(counted[0]), counted[1])

    def _falling(self, weekday: int, dated: tuple[Value, int]) -> tuple[Value, int]:
        """Return a date that is that weekday, if one near is: "Friday, 3 May", "Friday 3rd"."""
        date, j = dated
        if isinstance(date, Span) or date.cycle not in ("year", "month"):
            return dated
        return date.falling_on(weekday, self.now, ahead=self.ahead) or date, j

    def _season(self, i: int, cue: int) -> Parsed:
        t, j = self.tokens[i], i + 1
        recurring: Recurring = t.value
        if (dated := self._of_year(recurring, j)) is not None:
            return dated
        if self.tokens[j].word in word_set("seasoned_things"):
            return None
        if (beside := self._beside(i, recurring)) is not None:
            return beside
        if cue in (_SHIFTED, _RANGE, _INNER):
            return recurring, j
        if cue == _IN and self.clear(j) and not self._habit() and self.tenses.definite(self.at):
            return recurring, j
        # "in summer" is a habit, "in the summer" and "around summer" was the last one.
        if (
            (self._the(i) or (i > 0 and self.tokens[i - 1].role is Role.AROUND))
            and cue in (_IN, _RELATION, _BY)
            and (self.clear(j) or self._is(j, Role.SHIFT))
        ):
            return recurring, j
        everyday = t.word in word_set("everyday_dates") and not t.capital
        if not everyday and self._owned(i, j) and self.tenses.definite(self.at):
            return recurring, j
        return (recurring, j) if self._then_shifted(j) else None

    def _owned(self, i: int, j: int) -> bool:
        """Tell whether a name for a time is somebody's, and ends before ``j``: "my summer"."""
        before = self.tokens[i - 1] if i else None
        mine = before is not None and (before.word in _OWNERS or before.role is Role.POSSESSIVE)
        return mine and self.clear(j)

    def _asked_of(self, i: int, j: int) -> bool:
        """Tell whether somebody asks of a present time as theirs: "what does my week look like"."""
        mine = i > 0 and self.tokens[i - 1].word in ("my", "our")
        return mine and not self.told and (self.clear(j) or self.tokens[j].word in _LOOKING)

    def _holiday(self, i: int, cue: int) -> Parsed:
        feasts: dict[tuple[str, ...], Recurring] = self.tokens[i].value
        # The longest first, or "Christmas Eve" would be Christmas.
        for rest in sorted(feasts, key=len, reverse=True):
            j = i + 1 + len(rest)
            words = (self.tokens[k].word.replace("\u2019", "'") for k in range(i + 1, j))
            if tuple(words) != rest:
                continue
            if known := self._of_year(feasts[rest], j) or self._beside(i, feasts[rest], j):
                return known
            if cue == _BARE and not self._then_shifted(j):
                if self._owned(i, j) and self.tenses.definite(self.at):
                    return spans.each(feasts[rest], _and_around), j
                done = i > 0 and self.tenses.is_done(i - 1)
                beside = self.told and i > 0 and self.tokens[i - 1].word in _BEFORE_FEAST
                whole = bool(rest or self.tokens[i].word == "nye")
                noted = whole and (beside or self._noted(i, j))
                return (feasts[rest], j) if self.clear(j) and (done or noted) else None
            if cue in (_IN, _ON, _AT) and not (self.clear(j) or self._is(j, Role.PART, Role.SHIFT)):
                return None
            if cue == _IN:  # "over Christmas" is more than a day
                return spans.each(feasts[rest], _and_around), j
            return feasts[rest], j
        return None

    def _noted(self, i: int, j: int) -> bool:
        """Tell whether a time heads a note of what is then: "NYE at mine", "Wed: dentist"."""
        first = i == 0 or self._is(i - 1, *_STOPS)
        return self.told and first and self.tokens[j].word not in ("is", "are")

    def _then_shifted(self, j: int) -> bool:
        """Tell whether "last year" or the like follows, which makes a bare name a time."""
        j = self._skip(j, Role.OF)
        return self._is(j, Role.SHIFT) and self._is(j + 1, Role.UNIT)

    def _part(self, i: int, _cue: int) -> Parsed:
        t = self.tokens[i]
        part: Recurring = t.value
        j = i + 1
        if self._the(i) and self._is(j, Role.BEFORE, Role.AFTER):
            step = -1 if self._is(j, Role.BEFORE) else 1
            anchor = self._value(j + 1, _RELATION)
            if anchor is not None:
                return _mapped(anchor, lambda s: part.within(_neighbour(s, "day", step)))
            if self._before_last(j):
                return part.within(spans.day_of(self.today.lo - 2 * DAY)), j + 2
        return part, j

    def _clock(self, i: int, _cue: int) -> Parsed:
        word = self.tokens[i].word
        hour, minute, *_rest = [*map(int, _DIGITS.findall(word)), 0]
        if word.endswith("ish"):  # in the afternoon, if it is before eight
            hour += 12 if hour < _EARLIEST_HOUR else 0
        half = word.rstrip(". ")[-1] == "m" and ("p" if "p" in word else "a")
        if half:
            if not 1 <= hour <= 12:
                return None
            hour = hour % 12 + (12 if half == "p" else 0)
        return (spans.clock(hour, minute), i + 1) if hour < 24 and minute < 60 else None

    def _hour(self, i: int) -> Parsed:
        """Read "six" after "at", and "half past six": in the afternoon, if it is before eight."""
        t, minute = self.tokens[i], 0
        # "At 2.15"; what "was at 1.45" may be a price.
        dotted = None if self.tokens[i - 2].word in _BEEN else _DOTTED.fullmatch(t.word)
        if dotted and self.clear(i + 1):
            hour = int(dotted[1])
            return spans.clock(hour + (12 if hour < _EARLIEST_HOUR else 0), int(dotted[2])), i + 1
        if t.role is Role.HALF or t.word == "quarter":
            past = self.tokens[i + 1].word in ("past", "after")
            if not past and not self._is(i + 1, Role.TO) and t.role is not Role.HALF:
                return None
            minute = (30 if t.role is Role.HALF else 15) * (-1 if self._is(i + 1, Role.TO) else 1)
            i = i + 2 if past or self._is(i + 1, Role.TO) else i + 1
            t = self.tokens[i]
        if not isinstance(t.value, int) or not 1 <= t.value <= 12 or self._is(i + 1, Role.UNIT):
            return None
        hour = t.value + (12 if t.value < _EARLIEST_HOUR else 0)
        # "A quarter to six" is of the hour before.
        return spans.clock(hour - (minute < 0), minute % 60), i + 1

    # ------------------------------------------------------------ last, this, next

    def _shifted(self, i: int, cue: int) -> Parsed:
        step, j = self.tokens[i].value, i + 1
        if step == 0 and self._is(j, Role.SHIFT):  # "this past Monday"
            step, j = self.tokens[j].value, j + 1
        t = self.tokens[j]
        timed = step == 0 and (t.role is Role.TIME or t.word == "day")
        if timed and (anniversary := self._this_time(j + 1)) is not None:
            return anniversary
        if t.role in (Role.NUMBER, Role.COUNT, Role.VAGUE):
            return self._rolling(j, step) if step else None
        if t.role is Role.UNIT:
            # "in the last month" runs up to now, "last month" is the one before this.
            past = self.tokens[j - 1].word == "past" or (cue == _IN and step < 0 and self._the(i))
            return self._shifted_unit(j, step, past=past, stretch=past or cue == _IN)
        if t.role is Role.PART:
            return self._shifted_part(j, step)
        if t.role not in (Role.WEEKDAY, Role.MONTH, Role.SEASON, Role.HOLIDAY):
            return None
        counted = step == -1 and t.role is Role.WEEKDAY and self._is(j + 1, Role.OF, Role.IN)
        if counted and (last := self._nth(j, -1)):
            return last
        if t.word in word_set("everyday_dates") and not t.capital and self._is_verb(i, j, step):
            return None
        named = self._atom(j, _SHIFTED)
        if named is None or isinstance(named[0], Span):
            return named
        picked = (named[0].this, named[0].next, named[0].last)[step](self.now)
        if step == 0 and picked and t.role is Role.WEEKDAY and picked.hi <= self.today.lo:
            # On a Sunday the Friday of this week is over, but what "is on this Friday" is not.
            direction = self.tenses.direction(self.at)
            if direction == "ahead" or (direction is None and self.told):
                picked = named[0].next(self.now)
        return picked and (picked, named[1])

    def _is_verb(self, i: int, j: int, step: int) -> bool:
        """Tell whether a "fall" is done: "does this fall under …", "when did he last fall"."""
        return (step == 0 and not self.clear(j + 1)) or self._lacks_verb(i)

    def _lacks_verb(self, i: int) -> bool:
        """Tell whether a question has no verb behind its "did" before token ``i``."""
        for k in range(i - 1, max(i - _NAMED_IN, -1), -1):
            word = self.tokens[k].word
            if word in ("did", "does", "do"):
                return k < i - 1
            if use_of(word).verb >= _PARTLY_VERB:
                return False
        return False

    def _shifted_unit(self, i: int, step: int, *, past: bool, stretch: bool) -> Parsed:
        unit: Unit = self.tokens[i].value
        if step == -1 and self._is(i + 1, Role.OF):
            return self._nth(i, -1)
        if unit in SECONDS or unit == "day":
            # "in the last hour" is a stretch; "the last minute" and "the next day" are idioms.
            return (self._stretch(1, unit, step), i + 1) if step == -1 and stretch else None
        if past and unit != "weekend":
            return self._stretch(1, unit, step), i + 1
        return self._calendar(unit, step), i + 1

    def _calendar(self, unit: Unit, step: int) -> Span:
        return spans.calendar_unit(
            shift(floor(self.now, "week" if unit == "weekend" else unit), unit, step), unit
        )

    def _shifted_part(self, i: int, step: int) -> Parsed:
        part: Recurring = self.tokens[i].value
        if step > 0 or (step < 0 and self._is_the_final_one(i)):
            return None
        return part.within(spans.day_of(self.today.lo + step * DAY)), i + 1

    def _is_the_final_one(self, i: int) -> bool:
        """Tell whether a "last night" is still to come: "last night at the mill tomorrow"."""
        led = i < 2 or self._the(i - 1) or self.tokens[i - 2].word in _OWNERS
        if not led or self.tokens[i + 1].word not in _WHERE:
            return False  # "fever last night, so no school tomorrow"
        for j in range(i + 1, i + _REACH):
            if self._is(j, *_STOPS, Role.AND) or self.tokens[j].word in _TELLING:
                return False
            if self._is(j, Role.TONIGHT) or (self._is(j, Role.DAY) and self.tokens[j].value > 0):
                return True
            if self.tenses.points(j) is not None:
                return False
        return False

    def _rolling(self, i: int, step: int) -> Parsed:
        measured = self._measured(i)
        if measured is None:
            return None
        _, most, unit, j = measured
        if unit == "weekend" or self._is(j, Role.OF):
            return None
        return self._stretch(most, unit, step), j

    def _stretch(self, n: float, unit: Unit, step: int) -> Span:
        """Return the time from so long ago until now; in days, until the end of today."""
        if unit in SECONDS:
            if step > 0:
                return Span(self.now, self._moment(n, unit))
            return Span(self._moment(-n, unit), floor(self._moment(1, "minute"), "minute"))
        there = floor(shift(self.now, unit, step * n), "day")
        return Span(min(there, self.today.lo), max(there, self.today.lo) + DAY)

    def _moment(self, n: float, unit: Unit) -> datetime:
        """Return the moment ``n`` real hours, minutes or seconds from now, whatever clocks did."""
        moment = self.aware.astimezone(UTC) + timedelta(seconds=n * SECONDS[unit])
        return moment.astimezone(self.aware.tzinfo).replace(tzinfo=None)

    def _this_time(self, i: int) -> Parsed:
        """Read the rest of "this time last year", "this time two weeks ago"."""
        t = self.tokens[i]
        if t.role is Role.SHIFT and t.value and self._is(i + 1, Role.UNIT):
            step, unit, j = t.value, self.tokens[i + 1].value, i + 2
        else:
            amount = self._amount(i)
            if amount is None or not (
                self._is(amount[2], Role.UNIT) and self._is(amount[2] + 1, Role.AGO)
            ):
                return None
            step, unit, j = -amount[1], self.tokens[amount[2]].value, amount[2] + 2
        if unit in SECONDS:
            return None
        # Who says "this time last year" knows the day to a week or two. Set by hand.
        slack = {"year": 14, "quarter": 7, "month": 3}.get(unit, 0) * DAY
        return spans.day_of(shift(self.now, unit, step))._replace(slack=slack), j

    def _earlier(self, i: int, _cue: int) -> Parsed:
        """Read "earlier this year", "later this week", "so far this month", "rest of the day"."""
        t, j = self.tokens[i], i + 1
        step = t.value
        if t.role is Role.REST:
            current = self._current(j + 1) if self._is(j, Role.OF) else None
            return current and (Span(max(self.now, current[0].lo), current[0].hi), current[1])
        if t.role is Role.SO_FAR:
            if self.tokens[j].word != t.value:
                return None
            step, j = -1, j + 1
        if not (
            self._is(j, Role.DAY)
            or (self._is(j, Role.SHIFT) and self._is(j + 1, Role.UNIT, Role.PART))
        ):
            return None
        parsed = self._atom(j, _IN)
        if parsed is None or not isinstance(parsed[0], Span):
            return None
        span: Span = parsed[0]
        j = parsed[1]
        if not span.lo <= self.now < span.hi:
            # The two overlap about the middle, for nobody counts days to say "earlier this month".
            return spans.portion(span, *((0.0, 0.6) if step < 0 else (0.4, 1.0))), j
        if span.hi - span.lo <= DAY:
            return span, j
        if span.lo == self.now:
            return None
        return Span(span.lo, self.now) if step < 0 else Span(self.now, span.hi), j

    def _current(self, i: int) -> tuple[Span, int] | None:
        """Read "the week", "this month", "March" as the present one, or the coming."""
        j = i + 1
        if self._is(i, Role.THE) and self._is(j, Role.UNIT) and self.tokens[j].value not in SECONDS:
            return self._calendar(self.tokens[j].value, 0), j + 1
        if self._is(i, Role.THE) and self._is(j, Role.PART):
            return self.tokens[j].value.within(self.today), j + 1
        parsed = self._value(i, _IN)
        span = self._resolve(parsed)
        return (span, parsed[1]) if parsed and span else None

    def _edge(self, i: int, _cue: int) -> Parsed:
        """Early March, mid-2022, the end of last year."""
        part, noun = self.tokens[i].value
        j = i + 1
        if noun:
            if not self._is(j, Role.OF):
                return None
            j += 1
        else:
            j = self._skip(j, Role.DASH, Role.IN, Role.OF)
        present = noun and self._is(j, Role.THE) and self._is(j + 1, Role.UNIT)
        parsed = self._current(j) if present else self._value(j, _IN)
        if noun and part != 1:
            return _mapped(parsed, lambda s: spans.end_of(s, last=part == 2))
        return _mapped(parsed, lambda s: spans.portion(s, part / 3, (part + 1) / 3))

    # ------------------------------------------------------------ amounts: ago, before, after

    def _amount(self, i: int) -> tuple[float, float, int] | None:
        """Return the least and the most an amount means: 3; a; a couple of; half an; twenty-one."""
        if self._is(i, Role.ONE) and self._is(i + 1, Role.VAGUE):
            i += 1
        j = i + 1
        match self.roles[i]:
            case Role.VAGUE:
                return *self.tokens[i].value, self._skip(j, Role.OF)
            case Role.NUMBER:
                return self.tokens[i].value, self.tokens[i].value, j
            case Role.COUNT:
                k, n = self._skip(j, Role.DASH), self.tokens[i].value
                if n >= 20 and self._is(k, Role.COUNT) and self.tokens[k].value < 10:
                    return n + self.tokens[k].value, n + self.tokens[k].value, k + 1
                return n, n, j
            case Role.HALF if self._is(j, Role.ONE):
                return 0.5, 0.5, j + 1
            case Role.ONE:
                return 1, 1, j
            case _:
                return None

    def _measured(self, i: int) -> tuple[float, float, Unit, int] | None:
        """Read an amount and its unit: two weeks; a year and a half."""
        amount = self._amount(i)
        if amount is None:
            return None
        least, most, j = amount
        if self._and_a_half(j):  # "two and a half years"
            least, most, j = least + 0.5, most + 0.5, j + 3
        if not self._is(j, Role.UNIT):
            return None
        unit: Unit = self.tokens[j].value
        j += 1
        if self._and_a_half(j):
            least, most, j = least + 0.5, most + 0.5, j + 3
        return least, most, unit, j

    def _and_a_half(self, j: int) -> bool:
        return self._is(j, Role.AND) and self._is(j + 1, Role.ONE) and self._is(j + 2, Role.HALF)

    def _ago(self, i: int, *, calendar: bool = True) -> tuple[Span, int] | None:
        """
        Two weeks ago: the day it points to, in doubt by half a unit, and more the longer ago.

        A day is meant exactly, up to four of them. "A year ago today" is exact too. "Two months
        ago" and "half a year ago" are that month, if the ``calendar`` counts.
        """
        measured = self._measured(i)
        if measured is None:
            return None
        least, most, unit, j = measured
        if not self._is(j, Role.AGO) and not self._back(j):
            return None
        j += 1
        least, most, unit = _in_parts(least, most, unit)
        if unit in SECONDS:
            doubt = max(0.5, most / 4)
            return Span(
                self._moment(-most - doubt, unit), self._moment(min(doubt - least, 0), unit)
            ), j
        if unit == "weekend":
            return Span(
                self._calendar(unit, -int(most)).lo, self._calendar(unit, -int(least)).hi
            ), j
        lo = floor(shift(self.now, unit, -most), "day")
        hi = floor(shift(self.now, unit, -least), "day") + DAY
        if self._is(j, Role.DAY) and self.tokens[j].value == 0:
            return Span(lo, hi), j + 1
        if calendar and unit in _LONG:
            return _whole(Span(lo, hi), unit), j
        half = spans.DAYS[unit] / 2 * min(1, least)
        days = (0 if unit == "day" else int(half)) + int(half * (most // 5))
        return Span(lo, hi, min(days * DAY, self.today.hi - hi)), j

    def _back(self, i: int) -> bool:
        """Tell whether "back" ends an amount: "two weeks back", not "two days back home"."""
        ends = self._is(i + 1, *_STOPS) or self.tokens[i + 1].word in _TELLING
        return self.tokens[i].word == "back" and ends and not self.ahead

    def _several_ago(self, i: int) -> tuple[Span, int] | None:
        """Read "two Sundays ago": the last but one that is over."""
        amount = self._amount(i)
        if amount is None or not 1 <= amount[0] <= amount[1] <= _MOST_AGO:
            return None
        least, most, j = amount
        if not (self._is(j, Role.SEVERAL) and self._is(j + 1, Role.AGO)):
            return None
        over: list[Span] = []
        while len(over) < most:
            before = self.tokens[j].value.last(over[-1].lo if over else self.now)
            if before is None:
                return None
            over.append(before)
        return Span(over[-1].lo, over[int(least) - 1].hi), j + 2

    def _count(self, i: int, cue: int) -> Parsed:
        """Read "twenty-third of June", or an amount of time."""
        return self._ordinal(i, cue) or self._amount_of_time(i, cue)

    def _amount_of_time(self, i: int, _cue: int) -> Parsed:
        """Read "two weeks ago", "two weeks from now", "two days after 3 June"."""
        if (ago := self._ago(i) or self._several_ago(i)) is not None:
            return ago
        measured = self._measured(i)
        if measured is None or measured[2] == "weekend":
            return None
        least, most, unit, j = measured
        if self._is(j, Role.FROM) and self._is(j + 1, Role.NOW):
            if unit in SECONDS:
                return Span(
                    self._moment(least, unit), self._moment(most, unit), timedelta(minutes=5)
                ), j + 2
            lo, hi = shift(self.today.lo, unit, least), shift(self.today.lo, unit, most)
            return Span(
                lo, hi + DAY, 0 * DAY if unit == "day" else int(spans.DAYS[unit] / 2) * DAY
            ), j + 2
        lasting = i > 0 and self.tokens[i - 1].word == "for"
        counted_on = self._is(j, Role.FROM) and self._is(j + 1, Role.DAY, Role.WEEKDAY)
        if (counted_on and unit not in SECONDS and not lasting) or (
            unit in ("week", "fortnight") and self._is(j, Role.DAY, Role.ON)
        ):
            # "A week on Friday", "two weeks today", "ten days from Friday".
            anchor = self._value(self._skip(j, Role.ON, Role.FROM), _ON)
            span = anchor and self._coming(anchor[0])
            return (_offset(span, unit, least, most), anchor[1]) if span and anchor else None
        if not self._is(j, Role.BEFORE, Role.AFTER, Role.FROM):
            return None
        back = self._is(j, Role.BEFORE)
        anchor = self._value(j + 1, _RELATION)
        # "For two weeks from 3 June" lasts so long; without "for" it is a day after that.
        if anchor and self._is(j, Role.FROM) and lasting:
            return _mapped(anchor, lambda s: Span(s.lo, shift(s.lo, unit, most)))
        if anchor is None:
            one = self._is(i, Role.ONE) and unit not in SECONDS and unit != "day"
            return (self._calendar(unit, -2), j + 2) if one and self._before_last(j) else None
        if self._the(i):
            return _mapped(anchor, lambda s: _neighbour(s, unit, -most if back else most))
        return _mapped(anchor, lambda s: _offset(s, unit, least, most, back=back))

    def _coming(self, value: Value) -> Span | None:
        return value if isinstance(value, Span) else value.next(self.now)

    def _unit(self, i: int, cue: int) -> Parsed:
        """Read "week of 3 June", "week after 12 May", "week before last", "year 2021"."""
        unit: Unit = self.tokens[i].value
        j = i + 1
        if self._is(j, Role.OF) and unit not in SECONDS:
            anchor = self._value(j + 1, _ON)
            return _mapped(anchor, lambda s: spans.calendar_unit(s.lo, unit))
        if unit == "weekend" and cue in _WHEN and self._the(i) and self.clear(j):
            return spans.weekend(), j
        if unit == "weekend" and self._owned(i, j) and self.tenses.definite(self.at):
            return spans.weekend(), j
        if unit in ("day", "week", "month") and self._asked_of(i, j):
            return self._calendar(unit, 0), j
        beside_day = (
            unit == "day" and self._is(j, Role.BEFORE, Role.AFTER) and self._is(j + 1, Role.DAY)
        )
        if not (self._the(i) or beside_day):
            return None
        if unit == "year" and (dated := self._year(j)):
            return spans.calendar_unit(self._day(dated[0]), "year"), dated[1]
        if not self._is(j, Role.BEFORE, Role.AFTER):
            return None
        step = -1 if self._is(j, Role.BEFORE) else 1
        anchor = self._value(j + 1, _RELATION)
        if anchor is not None:
            return _mapped(anchor, lambda s: _neighbour(s, unit, step))
        if unit in SECONDS or unit == "day":
            return None
        following = self.tokens[j + 1]
        if (
            following.role is Role.SHIFT
            and following.value == step
            and following.word in ("last", "next")
        ):
            return self._calendar(unit, 2 * step), j + 2
        return None

    def _before_last(self, j: int) -> bool:
        return self._is(j, Role.BEFORE) and self.tokens[j + 1].word == "last"

    def _beside(self, i: int, recurring: Recurring, j: int | None = None) -> Parsed:
        """Read "Monday after 3 June", "summer before last"."""
        j = i + 1 if j is None else j
        if not self._is(j, Role.BEFORE, Role.AFTER):
            return None
        back = self._is(j, Role.BEFORE)
        if recurring.cycle == "week" and self._the(i):
            anchor = self._value(j + 1, _RELATION)
            span = self._resolve(anchor)
            if anchor is not None and span is not None:
                picked = (
                    recurring.last(span.lo)
                    if back
                    else recurring.next(span.hi - timedelta(microseconds=1))
                )
                return picked and (picked, anchor[1])
        if self._before_last(j):
            last = recurring.last(self.now)
            earlier = last and recurring.last(last.lo)
            return earlier and (earlier, j + 2)
        if self._is(j, Role.AFTER) and self.tokens[j + 1].word == "next" and self.clear(j + 2):
            coming = recurring.next(self.now)
            later = coming and recurring.next(coming.lo)
            return later and (later, j + 2)
        return None

    def _ordinal(self, i: int, cue: int) -> Parsed:
        """3rd of June; the first week of May; the second half of 2022; the 14th."""
        if (dated := self._day_and_month(i, cue)) is not None:
            return dated
        counted = self._counted_day(i)
        if counted is None:
            return None
        day, j = counted
        if self._is(j, Role.UNIT, Role.WEEKDAY, Role.HALF) and self._is(j + 1, Role.OF, Role.IN):
            return self._nth(j, day)
        # "The third" in words is mostly of things in a row, "the twenty-third" a day.
        in_words = not self.tokens[i].word[0].isdigit()
        if not self._the(i) or (in_words and day <= _THINGS_IN_A_ROW):
            return None
        recurring = spans.day_of_month(day)
        if self._is(j, Role.OF):
            month = self._atom(j + 1, _INNER)
            nested = month and spans.nest(recurring, month[0], self.now)
            return (nested, month[1]) if month and nested else None
        before = self.tokens[i - 2]  # the article
        if cue == _BARE:
            led = self._is_day_alone(day, before, j)
        elif cue == _IN:
            led = before.word == "of"  # "the night of the 13th"
        else:
            led = cue != _AT
        joined = self._is(j, Role.AND) and self._is(j + 1, Role.ORDINAL)
        end = j + 2 if joined else j  # "the 15th and 16th floors" are no days
        after = self.clear(end) or self._is(j, Role.NOW, Role.CLOCK) or self._says_same(j)
        return (recurring, j) if led and after else None

    def _says_same(self, j: int) -> bool:
        return self.tokens[j].word == "same"  # "the 19th same time"

    def _is_day_alone(self, day: int, before: Token, j: int) -> bool:
        """Tell whether "the 24th" is a day with nothing to lead to it, and not a place or thing."""
        if self._timed(j):
            return True
        if day > _PLACES_WON and before.word in _SAYING_WHICH_DAY:
            return True  # "it's the 24th now", not "he is the 1st"
        alone = self.told and day > _THINGS_IN_A_ROW and not before.capital
        return alone and not self._in_a_row and day - 1 not in self._things

    @cached_property
    def _in_a_row(self) -> bool:
        """Return whether the sentence ranks things: "the 14th chapter", "the first 12 eggs"."""
        return any(
            role == Role.ORDINAL and self._is_thing(i + 1 + self._is(i + 1, Role.NUMBER))
            for i, role in enumerate(self.tokens.roles)
        )

    @cached_property
    def _things(self) -> frozenset[int]:
        """The numbers of things that the sentence counts."""
        return frozenset(
            self.tokens[i].value
            for i, role in enumerate(self.tokens.roles)
            if role == Role.NUMBER and self._is_thing(i + 1)
        )

    def _is_thing(self, i: int) -> bool:
        word = self.tokens[i].word
        if not self._is(i, Role.WORD) or self.clear(i) or word in _CELEBRATED:
            return False
        return use_of(word).noun >= _MOSTLY_NOUN

    def _timed(self, j: int) -> bool:
        """Tell whether an hour follows, which makes what it is of a day."""
        at = self._is(j, Role.AT) and self._is(j + 1, *_HOURS, Role.CLOCK)
        return at or self._is(j, Role.CLOCK)

    def _nth(self, i: int, n: int) -> Parsed:
        """Read the rest of "the first week of May", from what is counted on."""
        t = self.tokens[i]
        outer = self._value(i + 2, _IN)
        if t.role is Role.HALF:
            return _mapped(outer, lambda s: spans.portion(s, (n - 1) / 2, n / 2))
        return _mapped(outer, lambda s: spans.nth(s, t.value, n))

    _ATOMS: ClassVar[dict[int, Callable[[Reader, int, int], Parsed]]] = {
        Role.THE: _after_the,
        Role.DAY: _deictic,
        Role.TONIGHT: _deictic,
        Role.NOW: _deictic,
        Role.STAMP: _stamp,
        Role.DATE: _numeric_date,
        Role.NUMBER: _number,
        Role.COUNT: _count,
        Role.VAGUE: _amount_of_time,
        Role.ONE: _amount_of_time,
        Role.HALF: _amount_of_time,
        Role.ORDINAL: _ordinal,
        Role.MONTH: _date,
        Role.WEEKDAY: _weekday,
        Role.SEASON: _season,
        Role.HOLIDAY: _holiday,
        Role.QUARTER: _quarter,
        Role.DAY_MONTH: _day_month,
        Role.DECADE: _decade,
        Role.SHORT_YEAR: _short_year,
        Role.EDGE: _edge,
        Role.EARLIER: _earlier,
        Role.SO_FAR: _earlier,
        Role.REST: _earlier,
        Role.SHIFT: _shifted,
        Role.PART: _part,
        Role.CLOCK: _clock,
        Role.UNIT: _unit,
    }


def _mapped(parsed: Parsed, change: Callable[[Span], Span]) -> Parsed:
    """Return a reading with its stretch, or each of a recurring one, changed."""
    return parsed and (spans.each(parsed[0], change), parsed[1])


def _and_around(feast: Span) -> Span:
    """Return a feast of one day with the days on either side that go with it."""
    return feast._replace(slack=2 * DAY) if feast.hi - feast.lo <= DAY else feast


def _in_parts(least: float, most: float, unit: Unit) -> tuple[float, float, Unit]:
    """Return an amount with a half in smaller units: half a year is six months."""
    if unit in _PARTED and least % 1:
        smaller, parts = _PARTED[unit]
        return least * parts, most * parts, smaller
    return least, most, unit


def _whole(span: Span, unit: Unit) -> Span:
    """Return the calendar months or years in which a stretch of days lies; days as they are."""
    if unit not in _LONG:
        return span
    unit = "month" if unit in ("month", "quarter") else "year"
    return Span(floor(span.lo, unit), spans.calendar_unit(span.hi - DAY, unit).hi)


def _is_day(n: object) -> bool:
    return isinstance(n, int) and 1 <= n <= 31


def _neighbour(span: Span, unit: Unit, n: float) -> Span:
    """Return the ``n`` units right after a stretch, or right before it if negative."""
    if unit == "weekend":
        step = 7 * DAY if n > 0 else -7 * DAY
        weekend = spans.calendar_unit(span.lo, unit)
        while weekend.lo < span.hi if n > 0 else weekend.hi > span.lo:
            weekend = Span(weekend.lo + step, weekend.hi + step)
        return weekend
    edge = span.hi if n > 0 else span.lo
    # Days beside what ends within a day begin at midnight.
    if unit not in SECONDS and edge != floor(edge, "day"):
        edge = floor(edge, "day") + (DAY if n > 0 else spans.NONE)
    other = shift(edge, unit, n)
    return Span(min(edge, other), max(edge, other))


def _offset(span: Span, unit: Unit, least: float, most: float, *, back: bool | None = None) -> Span:
    """
    Return the day or moment some units before or after.

    In doubt by a quarter unit, unless ``back`` is None: then it is a day exactly so much later.
    """
    if unit in SECONDS:
        near, far = (-least, -most) if back else (least, most)
        edge = span.lo if back else span.hi
        ends = shift(edge, unit, near), shift(edge, unit, far)
        return Span(min(ends), max(ends), timedelta(seconds=SECONDS[unit] / 2))
    # Ends are exclusive: midnight is of the day before.
    day = span.lo if back or span.lo == span.hi else span.hi - timedelta(microseconds=1)
    near, far = (-least, -most) if back else (least, most)
    ends = floor(shift(day, unit, near), "day"), floor(shift(day, unit, far), "day")
    doubt = 0 if back is None else int(spans.DAYS[unit] / 4)
    return Span(min(ends), max(ends) + DAY, doubt * DAY)
