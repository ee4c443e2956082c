"""
The time with which a question for one is answered: told where the question's own words stand.

A memory may tell several times, of several things; the one that counts stands in the sentence, and
the clause, that speaks of what is asked. What another memory tells answers only if it says as much
of that as the best one. "The first since May" was not in May.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import Final, NamedTuple

from hippocampus.core.clock import in_zone
from hippocampus.core.records import Hit, Interval
from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.encode.terms import Term, find_terms
from hippocampus.index.query import Query
from hippocampus.language.question_intent import day_of
from hippocampus.language.time.grammar import sentences
from hippocampus.language.time.repeated import next_turn
from hippocampus.language.time.tense import Direction
from hippocampus.recall.confidence import DEPTH
from hippocampus.recall.done_since import asked_terms, plans
from hippocampus.recall.named_time import points_to

_RE: Final = Patterns("questions")


class _TimeTold(NamedTuple):
    """A time that a memory tells, and how many of the words asked for stand beside it."""

    time: Interval
    denied: bool
    """Whether it was not then, or was to be and is not any more."""
    aside: bool
    """Whether it lies on the other side of now than the question looks."""
    in_sentence: int
    in_clause: int


def when_it_was(query: Query, hits: Sequence[Hit], zone: tzinfo) -> Interval | None:
    """
    Return the time that the best hit tells, or one that says as much, or when it was said.

    Of what comes again and again it is the next turn, unless it is asked when something was.
    """
    found = _told_time(query, hits, zone)
    if found is None or points_to(query) == "behind":
        return found
    return next_turn(found, in_zone(query.now, zone)) or found


def _told_time(query: Query, hits: Sequence[Hit], zone: tzinfo) -> Interval | None:
    """Return the time that the best hit tells, or one that says as much, or when it was said."""
    # With other hits of half the best one's score 75 of 112 times are right, with the best alone
    # 68; with any hit more are, but then a stranger may answer (docs/adr/0018).
    best = [hit for hit in hits[:DEPTH] if hit.score >= hits[0].score / 2]
    if not best:
        return None
    asked = [
        word for word in query.words
        if not word.function and query.spelled(word).lower() not in _latest()
    ]  # fmt: skip
    looks = points_to(query)
    told = _times_told(asked, best[0], query.now, looks)
    if told and not told[0].denied:
        return told[0].time
    # What was said of a deed tells its day; one word that is shared does not make it the same.
    needed = max(_shared(asked, best[0].episode.text), 1 + (looks == "behind"))
    for hit in best[1:]:
        if looks == "behind" and not told and plans(hit.episode.text, asked_terms(query)):
            continue  # when it was to be is not when it was
        for one in _times_told(asked, hit, query.now, looks):
            if one.in_sentence >= needed and not one.denied:
                return one.time
    return told[0].time if told else day_of(in_zone(best[0].episode.occurred_at, zone))


def _times_told(
    asked: Sequence[Term], hit: Hit, now: datetime, looks: Direction | None
) -> list[_TimeTold]:
    """Return the times that a hit tells of what takes place, the likeliest first."""
    text = hit.episode.text
    told: list[_TimeTold] = []
    place = 0
    for time in hit.times:
        begin = text.find(time.text, place)
        begin = text.find(time.text) if begin < 0 else begin
        if begin < 0:  # what has faded is shorter than what was said
            told.append(_TimeTold(time, denied=False, aside=False, in_sentence=0, in_clause=0))
            continue
        place = begin + len(time.text)
        start, end = _around(text, begin, place)
        sentence = text[start:end]
        first, last = _clause(sentence, begin - start, place - start)
        clause = sentence[first:last]
        if time.end is None and _is_compared(time, hit, sentence[first : begin - start], sentence):
            continue
        told.append(
            _TimeTold(
                time,
                bool(_RE.denied.search(clause)) or _is_given_up(time, sentence, begin - start),
                _lies_aside(time, now, looks) and len(hit.times) > 1,
                _shared(asked, sentence), _shared(asked, clause),
            )
        )  # fmt: skip
    told.sort(key=lambda one: (one.denied, one.aside, -one.in_sentence, -one.in_clause))
    return told


def _is_given_up(time: Interval, sentence: str, begin: int) -> bool:
    """Return whether a time was to be, and another one is now: "moved from Monday to Friday"."""
    if time.text[:5].lower() == "from " and _RE.shifted.search(sentence[:begin]):
        return True
    before = _RE.turns.split(sentence[:begin])[-1]
    return _RE.given_up.search(before) is not None


def _lies_aside(time: Interval, now: datetime, looks: Direction | None) -> bool:
    """Return whether a time is over where what is to come is asked for, or the other way."""
    if looks == "ahead":
        return time.end is not None and time.end <= now
    return looks == "behind" and time.start is not None and time.start > now


def _is_compared(time: Interval, hit: Hit, before: str, sentence: str) -> bool:
    """Return whether something is only set against all since a time: "the first since May"."""
    begun = time.start is not None and time.start <= hit.episode.occurred_at
    if not begun or not _RE.open_since.match(time.text):
        return False
    return bool(_RE.ranked.search(before)) or not _RE.lasting.search(sentence)


def _around(text: str, begin: int, end: int) -> tuple[int, int]:
    """Return the bounds of the sentence around a time."""
    return next(
        ((first, last) for first, last in sentences(text) if first <= begin < last), (begin, end)
    )


def _clause(sentence: str, begin: int, end: int) -> tuple[int, int]:
    """Return the bounds of the clause around a time, within its sentence."""
    start, stop = 0, len(sentence)
    for cut in _RE.between_clauses.finditer(sentence):
        if cut.end() <= begin:
            start = cut.end()
        elif cut.start() >= end:
            stop = cut.start()
            break
    return start, stop


def _shared(asked: Sequence[Term], text: str) -> int:
    """Return the number of the words asked for that a text has."""
    has = {one for word in find_terms(text) for one in (word.hash, *word.forms)}
    return sum(not has.isdisjoint((word.hash, *word.forms)) for word in asked)


def _latest() -> frozenset[str]:
    return word_set("asking_for_the_last")
