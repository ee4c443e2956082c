"""The intent of a question: what holds now or held once, when something was, how many, all."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, TypeAlias

from hippocampus.core.records import Interval
from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.encode.terms import Term, find_terms
from hippocampus.language.nouns import use_of
from hippocampus.language.time import find_intervals

_RE = Patterns("questions")
Intent: TypeAlias = Literal["now", "past", "when", "last", "how many", "list"]
"""Intent of a question: a present state, a past one, a time, the latest, a number, all."""

_LONGEST_QUESTION = 500
"""Characters of a question that may ask of a time alone: a longer one says more than that, and its
patterns would be tried at each of its places."""
_LABEL: Final = 3
"""Most words of a label, which only names a thing."""
_VERB: Final = 0.5
"""Share of its uses as a verb from which a word that comes first is an order."""
"""Characters of a question for whatever was at a time; reading takes their square."""
_MOST_READ = 2000
"""Characters of a message that are searched for its question; the rest was pasted."""
_DAY = timedelta(hours=25)
"""No day is longer, not even the one on which clocks go back."""

_ASKING = frozenset({"what", "where", "how"})
_AHEAD = frozenset({"next", "left"})
_HOW_FAR = _AHEAD | {"far", "along"}
_SELF = frozenset({"i", "me", "my", "mine", "we", "us", "our"})
_HINTS_WHEN = ("when", "day", "date", "week", "month", "year", "time", "ago")
_HINTS_LAST = (
    "last",
    "latest",
    "newest",
    "recent",
    "just now",
    "off",
    "next",
    "where",
    "how far",
    "what",
)


def find_intents(text: str) -> frozenset[Intent]:
    """Return every intent that the words of a question tell; none for most."""
    text = text[:_MOST_READ]
    found: dict[Intent, object] = {
        "now": _RE.now.search(text),
        "past": _RE.past.search(text),
        "when": asks_when(text),
        "last": asks_last(text),
        "how many": _RE.how_many.search(text),
        "list": _RE.list.search(text),
    }
    return frozenset(intent for intent, told in found.items() if told)


def asks_when(text: str) -> bool:
    """Return whether a question asks when something was or will be."""
    text = text[:_MOST_READ]
    if not _has(text, _HINTS_WHEN):
        return False
    return _RE.when.search(text) is not None or _says_in_order(text, _RE.telling, _RE.when_at_all)


def _says_in_order(text: str, *steps: re.Pattern[str]) -> bool:
    """Return whether a sentence has all of these, one behind the other; in time linear in it."""
    for sentence in _RE.between_sentences.split(text):
        at = 0
        for step in steps:
            found = step.search(sentence, at)
            if found is None:
                break
            at = found.end()
        else:
            return True
    return False


def asks_last(text: str) -> bool:
    """Return whether a question asks for the latest of what it is about."""
    text = text[:_MOST_READ]
    if not _has(text, _HINTS_LAST) or "how long" in text.lower():  # "how long did it last?"
        return False
    if _RE.last.search(text) or _says_in_order(text, _RE.where, _RE.we_or_i, _RE.phase_with):
        return True
    return _asks_how_far(text)


def _asks_how_far(text: str) -> bool:
    """
    Return whether a question asks how far what is being done has come, and names nothing.

    Then all its words of content are of phases ("where had we stopped?", "what comes next?"), or
    there are none ("where were we?"), and nobody else is spoken of.
    """
    if not _RE.stands.search(text) or _RE.other.search(text):
        return False
    found, phases = _content(text), word_set("phase_verbs") | _HOW_FAR
    if not found:
        return _RE.where_we.search(text) is not None
    if not found <= word_set("asking_for_the_last") | phases:
        return False
    # "What did I get?" is of a thing, "where did I get to?" of a phase.
    place = _RE.where.search(text) is not None and _RE.own.search(text) is not None
    return bool(found & phases) if place else bool(found & _AHEAD)


def _content(text: str) -> set[str]:
    """Return a question's words of content; of "what's" what stands before the apostrophe."""
    spelled = ((term.function, text[term.start : term.end].casefold()) for term in find_terms(text))
    words = {word for function, word in spelled if not function}
    return {word for word in words if word.replace("’", "'").partition("'")[0] not in _ASKING}


def _has(text: str, hints: tuple[str, ...]) -> bool:
    """Return whether it is worth looking closer: most questions shall not wait for that."""
    lowered = text.lower()
    return any(hint in lowered for hint in hints)


def asks_only_last(text: str) -> bool:
    """Return whether all that it asks for is the latest, whatever that is about."""
    known = word_set("asking_for_the_last") | word_set("phase_verbs") | _HOW_FAR
    return asks_last(text) and _content(text) <= known


def is_small_talk(text: str, words: Sequence[Term]) -> bool:
    """Return whether a message only greets, thanks or agrees: it asks a memory for nothing."""
    spelled = [text[word.start : word.end].casefold() for word in words]
    if _own(spelled):
        return False
    said = word_set("small_talk").intersection(spelled)
    if "you" in spelled:
        said |= word_set("asking_how_you_are").intersection(spelled)
    # Whom a greeting is to is nobody that is asked about, if it stands at its end.
    to = word_set("addressed") if said and spelled[0] in said else frozenset()
    light = all(
        word.function or one in said or (one in to and place > 0)
        for place, (word, one) in enumerate(zip(words, spelled, strict=True))
    )
    return light and bool(said or "you" in spelled)


def is_impersonal(text: str, words: Sequence[Term], unheard: Collection[int] = frozenset()) -> bool:
    """
    Return whether a question speaks of nobody: "tell me a joke", "what is 3 times 8?".

    ``unheard``: hashes of words that a memory has never heard, which name nobody that it knows.
    """
    own = _own(text[word.start : word.end] for word in words)
    # The first word has a capital in any case.
    named = any(text[word.start].isupper() and word.hash not in unheard for word in words[1:])
    return not named and (not own or (own == {"me"} and _RE.for_me.search(text) is not None))


def is_label(text: str, words: Sequence[Term], unheard: Collection[int]) -> bool:
    """
    Return whether a text only names a thing, of which a memory has heard most words: "gate code?".

    ``unheard``: hashes of words that the memory has never heard.
    """
    if not 0 < len(words) <= _LABEL or any(word.function for word in words):
        return False
    spelled = [text[word.start : word.end].casefold() for word in words]
    if not word_set("small_talk").isdisjoint(spelled) or use_of(spelled[0]).verb >= _VERB:
        return False  # "good one", "explain photosynthesis"
    return 2 * sum(word.hash not in unheard for word in words) >= len(words)


def _own(spelled: Iterable[str]) -> frozenset[str]:
    """Return the words for whoever speaks among some: "i" for "I'm"."""
    bare = (word.casefold().replace("’", "'").partition("'")[0] for word in spelled)
    return _SELF.intersection(bare)


def times_of_events(
    text: str, words: Sequence[Term], intervals: Sequence[Interval]
) -> tuple[Interval, ...]:
    """
    Return the times of which a question asks for whatever was then; none if it asks for more.

    One clause asks ("what happened"), in words that every event shares; what else is said states
    something ("the form asks for it"), or names the time alone ("Last week.").

    Args:
        text: the question.
        words: its words; those of its times are function words.
        intervals: the times that it names, in their order.

    """
    if len(text) > _LONGEST_QUESTION:  # which says more than every event shares
        return ()
    spans = tuple(places_of(intervals, text))
    clauses = list(_clauses(text, spans))
    light = [_is_light(text, words, clause) for clause in clauses]
    asking = [
        clause
        for clause, is_light in zip(clauses, light, strict=True)
        if is_light and _RE.events.search(text, *clause)
    ]
    if not asking and not all(light):
        return ()
    rest = [text[slice(*clause)] for clause in clauses if clause not in asking]
    if asking and any(_RE.asks_more.match(one) for one in rest):
        return ()
    within = [
        interval
        for interval, span in zip(intervals, spans, strict=True)
        if any(start <= span[0] < end for start, end in asking)
    ]
    return tuple(within or intervals)


def asks_for_events(text: str, words: Iterable[Term], names: Collection[str]) -> bool:
    """
    Return whether a question asks for whatever was, or whatever somebody did or said.

    Args:
        text: the question.
        words: its words; those of its times are function words.
        names: of those who are asked about, in lower case.

    """
    others = [
        word for word in words
        if text[word.start : word.end].casefold().removesuffix("'s") not in names
    ]  # fmt: skip
    asks = len(text) <= _LONGEST_QUESTION and _RE.events.search(text) is not None
    return asks and _is_light(text, others, (0, len(text)))


def places_of(intervals: Iterable[Interval], text: str) -> Iterator[tuple[int, int]]:
    """Yield the bounds of the words of each time in a text."""
    at = 0
    for interval in intervals:
        begin = text.find(interval.text, at)
        if begin < 0:  # two times may be told by the same words
            begin = text.index(interval.text)
        at = begin + len(interval.text)
        yield begin, at


def places_of_present(text: str) -> Iterator[tuple[int, int]]:
    """Yield the bounds of words that only say that a question is asked as of now."""
    yield from (match.span() for match in _RE.of_present.finditer(text[:_LONGEST_QUESTION]))


def without_present(text: str) -> str:
    """Return a question with spaces for words that only say that it is asked as of now."""
    for start, end in places_of_present(text):
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _clauses(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the ends of every clause with a word in it; a time is never cut ("Friday, 3 May")."""
    begin = 0
    for cut in _RE.between_clauses.finditer(text):
        if any(start < cut.end() and cut.start() < end for start, end in spans):
            continue
        if text[begin : cut.start()].strip():
            yield begin, cut.start()
        begin = cut.end()
    if text[begin:].strip():
        yield begin, len(text)


def _is_light(text: str, words: Iterable[Term], clause: tuple[int, int]) -> bool:
    """Return whether a clause has no word but those that every event shares."""
    return all(
        word.function or text[word.start : word.end].casefold() in word_set("asking_for_events")
        for word in words
        if clause[0] <= word.start < clause[1]
    )


def day_of(moment: datetime) -> Interval:
    """Return the day of a moment, in its zone; at the ends of the calendar, what UTC has of it."""
    start = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    end = datetime.max.replace(tzinfo=UTC)
    with suppress(OverflowError):
        end = start + timedelta(days=1)
    try:
        # For its error alone: a midnight that is none in UTC could be compared with no other.
        start.astimezone(UTC)
    except OverflowError:
        start = datetime.min.replace(tzinfo=UTC)
    return Interval(start, end)


def time_told(text: str, occurred_at: datetime) -> Interval:
    """
    Return when that was of which a text tells: the only time or day it names, or when it was said.

    Args:
        text: such as "I had the interview yesterday", or "We are away from 3 to 10 May".
        occurred_at: the aware moment at which it was said, up to which lasts what it says has
            been so "since Monday".

    Returns:
        That time; without a text if it is the day on which it was said.

    """
    said = day_of(occurred_at)
    told = [
        replace(one, end=said.end) if one.end is None else one
        for one in find_intervals(text, occurred_at, told=True)
        if one.start is not None and (one.end is not None or one.start < occurred_at)
    ]
    days = [one for one in told if one.end is not None and _lasts(one) <= _DAY]
    only = told if len(told) == 1 else days
    return only[0] if len(only) == 1 else said


def _lasts(interval: Interval) -> timedelta:
    """Return the length of an interval that is open on no side."""
    assert interval.start is not None, "open"
    assert interval.end is not None, "open"
    return interval.end - interval.start
