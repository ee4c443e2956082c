"""
Times that come again: "pottery every Tuesday at 6", "the first Sunday of a month".

Read in the present and without a verb, from the day on which it was said. Habits of the past, and
what is denied or supposed, have no such times. Neither has what is done every day: it is on no day
more than on others.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property
from itertools import chain, islice
from typing import Final, NamedTuple

from hippocampus.core.clock import in_zone
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.records import Interval
from hippocampus.core.sought_words import SoughtWords, is_latin
from hippocampus.core.spelled_days import day_in_words
from hippocampus.core.word_lists import Patterns, word_list, word_set
from hippocampus.encode.languages import ENGLISH
from hippocampus.language.time import find_intervals, find_told
from hippocampus.language.time.english import WRITTEN
from hippocampus.language.time.foreign import foreign_days
from hippocampus.language.time.foreign_tenses import looks_back
from hippocampus.language.time.grammar import sentences
from hippocampus.language.time.mixed import likely_languages, may_tell_time_in
from hippocampus.language.time.tense import Tenses

_RE: Final = Patterns("repeated")
_RANKS: Final = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4,
    "last": -1,
}  # fmt: skip
"""Ranks of a weekday in its month; -1 is the last."""
_BEGINNING: Final = frozenset(
    {"started", "began", "begun", "joined", "signed", "enrolled", "registered", "booked", "moved",
     "switched", "changed"}
)  # fmt: skip
"""Verbs of the past after which something goes on: "signed up for pottery, Tuesdays at 6"."""
_TELLING: Final = SoughtWords(
    lambda: [
        *"every each alternate fortnightly bi biweekly weekly weekends month".split(),
        *(f"{part}s" for part in ("morning", "afternoon", "evening", "night")),
        *(f"{day}s" for day in word_list("weekdays")),
    ]
)
"""Words of which every text that tells of what comes again has one."""
_WEEK: Final = 7
"""Days of a week, and the weekday of a weekend, which has no number of its own."""
_FOURTH: Final = 4
"""Rank of a weekday that is the last of its month, too, unless there is a fifth."""
_MOST: Final = 16
"""Times that come again in a text, at most: a timetable tells more, and each is looked at in every
question for a time."""
_BEHIND: Final = frozenset("up on in to for at with off again back out".split())
"""Words behind a verb of beginning that are no object of it."""
_WORDS_BEFORE: Final = 60
"""Most characters before a time that hold the word for the thing that takes place then; a bound on
a search, set by hand."""
_DATE: Final = 60
"""Characters of a date from which on something comes again, at most."""
_REACH: Final = 40
"""Words on either side of a time among which its verb is."""


@immutable(kw_only=False)
class Repeated:
    """
    A time that comes again and again: its first turn, and all from its second one on.

    ``until``: when it comes no more, if that is told; ``at``: where its words begin in the text.
    """

    first: Interval
    again: Interval
    until: datetime | None
    at: int

    def times(self) -> Iterator[Interval]:
        """Yield the times by which it is kept (``index.repeated_times``)."""
        yield self.first
        yield self.again
        if self.until is not None:
            yield Interval(None, self.until, self.first.text)


class _Turn(NamedTuple):
    """Days on which something is: of a weekday, its rank in a month (0: none), weeks between."""

    weekday: int
    part: str
    rank: int
    weeks: int


def told_with_places(text: str, occurred_at: datetime, zone: tzinfo) -> list[tuple[Interval, int]]:
    """
    Return the times that a text tells, each with the place of its words, in order.

    Of a time that comes again and again they are several in one place (``Repeated.times``).
    """
    alone, repeated = _read(text, occurred_at, zone)
    again = [(time, one.at) for one in repeated for time in one.times()]
    return sorted([*alone, *again], key=lambda told: told[1])


def find_all_told(text: str, occurred_at: datetime, zone: tzinfo) -> tuple[Interval, ...]:
    """Return the times that a text tells, in order; one that comes again from its first turn on."""
    alone, repeated = _read(text, occurred_at, zone)
    again = [(replace(one.first, end=one.until), one.at) for one in repeated]
    return tuple(time for time, _ in sorted([*alone, *again], key=lambda told: told[1]))


def next_turn(time: Interval, now: datetime) -> Interval | None:
    """Return the turn that is on, or comes next, of a told time; None if it comes no more."""
    if time.start is None or now.tzinfo is None or not _RE.maybe.search(time.text):
        return None
    start = in_zone(time.start, now.tzinfo)
    try:
        coming = [
            one
            for match in _RE.told.finditer(time.text)
            for turn in _turns(match)
            for one in _coming(turn, match, start, now)
            if time.end is None or (one.start is not None and one.start < time.end)
        ]
    except OverflowError:  # the calendar ends
        return None
    return min(coming, key=lambda one: one.start or now, default=None)


def _coming(
    turn: _Turn, match: re.Match[str], start: datetime, now: datetime
) -> Iterator[Interval]:
    """Yield the first turn that is not over, of one that has begun to come at a moment."""
    # What is long over is left out, by weeks of which every other one comes too: since the year 1
    # there are 100,000.
    fortnight = timedelta(days=2 * _WEEK)
    start += max((now - start) // fortnight - 1, 0) * fortnight
    for day in _dates(turn, start):
        one = _at(day, turn, match["clock"] or "")
        if one.end is not None and one.end > now:
            yield replace(one, text=match[0])
            return


def _read(
    text: str, occurred_at: datetime, zone: tzinfo
) -> tuple[list[tuple[Interval, int]], list[Repeated]]:
    """Return the times that a text tells, with their places: those that come once, and again."""
    times, at = list[tuple[Interval, int]](), 0
    for time in find_told(text, occurred_at, zone):
        at = text.index(time.text, at)
        times.append((time, at))
        at += 1  # the same words may be there twice
    repeated = find_repeated(text, occurred_at, zone, times)
    spans = [(one.at, one.at + len(one.first.text)) for one in repeated]
    alone = [
        (time, at) for time, at in times
        if not any(start < at + len(time.text) and at < end for start, end in spans)
    ]  # fmt: skip
    return alone, repeated


def find_repeated(
    text: str, occurred_at: datetime, zone: tzinfo, times: Sequence[tuple[Interval, int]]
) -> list[Repeated]:
    """
    Return the times that come again and again in a text.

    Args:
        text: what was said.
        occurred_at: the aware moment at which it was said.
        zone: where days begin.
        times: the other times that it tells, each with its place: what they bound ends with them.

    """
    foreign = may_tell_time_in(text)
    if not foreign and (is_latin(text) and not _TELLING.are_in(text)):
        return []
    try:
        now = occurred_at.astimezone(zone)
        found = list(islice(_find(text, now, times), _MOST))
        if foreign and not found:
            found = list(islice(_find_elsewhere(text, now), _MOST))
    except OverflowError:  # the calendar ends
        return []
    return found


def _find(text: str, now: datetime, times: Sequence[tuple[Interval, int]]) -> Iterator[Repeated]:
    """Yield the times that come again in sentences of English."""
    for start, end in sentences(text):
        sentence = text[start:end]
        if not _RE.maybe.search(sentence) or sentence.rstrip().endswith("?"):
            continue
        if _RE.denied.search(sentence):
            continue
        verbs = _SentenceVerbs(sentence)
        for match in _RE.told.finditer(sentence):
            if not _is_repeated(match) or verbs.are_over(match.start()):
                continue
            bounds = _bounds(text, start + match.end(), end, now, times)
            if bounds is None:
                continue
            clock, at = match["clock"] or "", start + match.start()
            made = (_repeated(turn, clock, bounds, match[0], at) for turn in _turns(match))
            yield from filter(None, made)


def _find_elsewhere(text: str, now: datetime) -> Iterator[Repeated]:
    """Yield the times that come again in sentences of other languages: of days after "every"."""
    for start, end in sentences(text):
        sentence = text[start:end]
        language = next(iter(likely_languages(sentence)), ENGLISH)
        if language == ENGLISH or sentence.rstrip().endswith(("?", "？")):
            continue
        if looks_back(sentence, language) or _RE.denied_elsewhere.search(sentence):
            continue
        for begin, stop, weekdays in foreign_days(sentence, language):
            said = sentence[begin:stop]
            for weekday in weekdays:
                turn = _Turn(weekday, "", 0, 1)
                made = _repeated(turn, "", (now, None), said, start + begin)
                if made is not None:
                    yield made


def _is_repeated(match: re.Match[str]) -> bool:
    """Return whether days are told as of all weeks or months."""
    if match["rank"]:
        # "Every third Friday" may be one in three weeks.
        monthly = match["every_rank"] and match["rank"].lower() in ("first", "1st", "last")
        return bool(match["month"] or monthly)
    if match["other"] or match["each"] or match["after"]:
        return not _is_thing(match)
    start = match.start()
    if _RE.before.search(match.string, max(start - _WORDS_BEFORE, 0), start) or _is_name(match):
        return False
    if _RE.subject.match(match.string, match.end()):
        return False
    return match["what"].lower() == "weekends" or any(
        day["plural_part"] or (day["plural"] and not day["part"])
        for day in _RE.day.finditer(match["what"])
    )


def _is_thing(match: re.Match[str]) -> bool:
    """Return whether a short day is of a noun or is one: "every Sat nav", "every Sun is a star"."""
    days = list(_RE.day.finditer(match["what"]))
    short = bool(days) and days[-1]["short"] and not days[-1]["part"]
    if not short or match["clock"] or match["after"]:
        return False
    if _RE.subject.match(match.string, match.end()):
        return True
    behind = _RE.behind.match(match.string, match.end())
    return behind is not None and behind["word"].lower() not in word_set("light_words")


def _is_name(match: re.Match[str]) -> bool:
    """Return whether a day is part of a name: "TGI Fridays", and not "Yoga Mondays at 6"."""
    if any(day["part"] for day in _RE.day.finditer(match["what"])):  # "Gymnastics Wed evenings"
        return False
    begin = max(match.start() - _WORDS_BEFORE, 0)
    before = _RE.name.search(match.string, begin, match.start())
    if before is None or before[0].strip().lower() in word_set("light_words"):
        return False
    return not (match["clock"] and not match.string[begin : before.start()].strip())


class _SentenceVerbs:
    """The verbs of a sentence."""

    def __init__(self, sentence: str) -> None:
        self._sentence = sentence

    @cached_property
    def _tokens(self) -> list[re.Match[str]]:
        return list(WRITTEN.token.finditer(self._sentence))

    @cached_property
    def _starts(self) -> list[int]:
        return [token.start() for token in self._tokens]

    @cached_property
    def _words(self) -> list[str]:
        return [token[0].lower() for token in self._tokens]

    @cached_property
    def _tenses(self) -> Tenses:
        return Tenses(self._words, told=True)

    def are_over(self, place: int) -> bool:
        """Return whether the verb of a time is of the past, and not one of beginning something."""
        at = bisect_left(self._starts, place)
        before = range(at - 1, max(at - _REACH, 0) - 1, -1)
        for i in chain(before, range(at, min(at + _REACH, len(self._words)))):
            pointed = self._tenses.points(i)
            if pointed is not None:
                return pointed == "behind" and not self._begins(i, at)
        return False

    def _begins(self, verb: int, at: int) -> bool:
        """Return whether a verb tells that something began, and not what was done to a thing."""
        between = self._words[verb + 1 : at]
        if self._words[verb] not in _BEGINNING:
            return False
        return not between or "," in between or between[0] in _BEHIND or between[0].endswith("ing")


def _bounds(
    text: str, place: int, end: int, now: datetime, times: Sequence[tuple[Interval, int]]
) -> tuple[datetime, datetime | None] | None:
    """Return from when on it is, and until when; None where its beginning cannot be read."""
    after = bisect_left(times, place, key=lambda told: told[1])
    for time, at in times[after : after + 1]:
        if at < end and not text[place:at].strip(" ,") and time.end is not None:
            return max(time.start or now, now), time.end
    begins = _RE.begins.match(text, place, end)
    if begins is None:
        return now, None
    rest = text[begins.end() : min(end, begins.end() + _DATE)]
    for time in find_intervals(f"It is from {rest}", now, told=True)[:1]:
        if time.text.startswith("from ") and time.start is not None and time.end is not None:
            return max(time.start, now), time.end  # "starting in June until August"
    for time in find_intervals(f"It is in {rest}", now, told=True)[:1]:
        if time.start is not None and f"in {rest}".startswith((time.text, f"in {time.text}")):
            return max(time.start, now), None
    return None if _RE.some_day.match(rest) else (now, None)


def _turns(match: re.Match[str]) -> Iterator[_Turn]:
    """Yield the days of a match: "Tuesday and Thursday evenings" are two."""
    ranks = [_RANKS[one] for one in re.split(r"\s+and\s+", (match["rank"] or "").lower()) if one]
    weeks = 2 if match["other"] else 1
    days = list(_RE.day.finditer(match["what"]))
    shared = (days[-1]["part"] or "") if days else ""
    told = [(_weekday(day["name"] or day["short"]), day["part"] or shared) for day in days]
    for rank in ranks or [0]:
        for weekday, part in told or [(_WEEK, "")]:  # a weekend
            yield _Turn(weekday, part, rank, weeks)


def _weekday(name: str) -> int:
    """Return the number of a day by its name or the beginning of it, Monday being 0."""
    begins = name[:3].lower()
    return next(n for n, day in enumerate(word_list("weekdays")) if day.startswith(begins))


def _repeated(
    turn: _Turn, clock: str, bounds: tuple[datetime, datetime | None], said: str, at: int
) -> Repeated | None:
    """
    Return the times of a day that comes again, from a moment on; None for less than two turns.

    From a fourth day of a month the next is counted that is not the last one too, for two that are
    would be kept as the last ones of their months.

    Args:
        turn: the day.
        clock: the hour that is told, or "".
        bounds: from when on it comes, and until when.
        said: the words for it.
        at: where they begin in the text.

    """
    begin, until = bounds
    days = _dates(turn, begin)
    first, second = (_at(day, turn, clock) for day in (next(days), next(days)))
    if until is not None and (second.start is None or second.start >= until):
        return None
    if turn.rank == _FOURTH and _is_last(first):
        later = (_at(day, turn, clock) for day in days)
        second = next(one for one in chain([second], later) if not _is_last(one))
    again = Interval(second.start, None, said, vague=True)
    return Repeated(Interval(first.start, first.end, said), again, until, at)


def _is_last(turn: Interval) -> bool:
    """Return whether a turn is in the last week of a month."""
    assert turn.start is not None, "a turn has a beginning"
    return (turn.start + timedelta(days=_WEEK)).month != turn.start.month


def _dates(turn: _Turn, begin: datetime) -> Iterator[datetime]:
    """Yield the midnights with which the days of a turn begin."""
    midnight = begin.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    # For its error alone: a midnight before the year 1 in UTC cannot be stored.
    midnight.astimezone(UTC)
    weekend = turn.weekday == _WEEK
    weekday = _WEEK - 2 if weekend else turn.weekday
    if not turn.rank:
        back = 1 if weekend and midnight.weekday() == _WEEK - 1 else 0  # on a Sunday it still is
        day = midnight - timedelta(days=back)
        day += timedelta(days=(weekday - day.weekday()) % _WEEK)
        while True:
            yield day
            day += timedelta(days=_WEEK * turn.weeks)
    month = midnight.replace(day=1)
    while True:
        day = nth_weekday(month, weekday, turn.rank)
        if day >= midnight:
            yield day
        month = (month + timedelta(days=32)).replace(day=1)


def nth_weekday(month: datetime, weekday: int, rank: int) -> datetime:
    """Return the day of a month that is a weekday of some rank, the last one for -1."""
    if rank > 0:
        return month + timedelta(days=(weekday - month.weekday()) % _WEEK + _WEEK * (rank - 1))
    last = (month + timedelta(days=32)).replace(day=1) - timedelta(days=1)
    return last - timedelta(days=(last.weekday() - weekday) % _WEEK)


def _at(day: datetime, turn: _Turn, clock: str) -> Interval:
    """Return the time of a day that is told: all of it, a part, or about an hour."""
    if turn.weekday == _WEEK:
        return Interval(day, day + timedelta(days=2))
    if turn.part or clock:
        said = f"{day_in_words(day)} {turn.part} {clock.lstrip(' ,')}".strip()
        read = find_intervals(f"It is on {' '.join(said.split())}", day, told=True)
        if len(read) == 1 and read[0].start is not None and read[0].start >= day:
            return read[0]
    return Interval(day, day + timedelta(days=1))
