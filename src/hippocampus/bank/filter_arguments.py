"""Filter arguments of reads: spelled out for every verb, and read in one way."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Final, TypeAlias, TypeVar

from hippocampus.core.argument_names import refuse_unknown
from hippocampus.core.records import Filters, Stretch
from hippocampus.core.timestamps import is_day, to_moment
from hippocampus.errors import InvalidFilter, InvalidTime
from hippocampus.index.filters import Filter, make_filter
from hippocampus.language.time.given import (
    can_only_be_time,
    end_of,
    is_now,
    named_time,
    start_of,
)

_Verb = TypeVar("_Verb", bound=Callable[..., object])


def spell_out(verb: _Verb) -> _Verb:
    """
    Write each of ``Filters`` into a verb's signature and docstring.

    Type checkers see them in ``**filters: Unpack[Filters]``. ``help``, completion at a prompt and
    whatever makes a tool's schema from a function look at it while it runs, and see them so.
    """
    signature = inspect.signature(verb)
    *plain, _ = signature.parameters.values()
    spelled = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hint.__forward_arg__
        )
        for name, hint in Filters.__annotations__.items()
    ]
    verb.__signature__ = signature.replace(parameters=[*plain, *spelled])  # type: ignore[attr-defined]
    told = (inspect.cleandoc(part.__doc__ or "") for part in (verb, Filters))
    verb.__doc__ = "\n\n".join(told)
    return verb


ReadEvent: TypeAlias = Callable[[str], Iterable[Stretch]]
"""Finds out when an event was that words tell of."""


def read_filters(
    given: Mapping[str, object], zone: tzinfo, now: datetime, read_event: ReadEvent
) -> Filter:
    """
    Validate the filters of a read and return them.

    Times that name no zone are in ``zone``, and words for a time are as of ``now``.

    Raises:
        InvalidTime: a time that cannot be read.
        UnknownArgument: a name that is none.
        UnknownEvent: ``read_event`` finds nothing of an event.
        InvalidFilter: anything else that cannot be meant.

    """
    refuse_unknown("a read", given, Filters.__annotations__, what="filter")
    moments = {name: read_time(name, given[name], now) for name in TIMES & given.keys()}
    if given.get("during") is not None:
        moments["during"] = _read_during(given["during"], now, read_event)
    known: Filters = {**given, **moments}  # type: ignore[typeddict-item]
    return make_filter(known, zone)


_MICROSECOND: Final = timedelta(microseconds=1)
_SIDES: Final = 2
"""Moments of a stretch of time."""
TIMES: Final = frozenset({"since", "until", "as_of"})
"""Filters that are one time each."""


def read_time(name: str, value: Any, now: datetime) -> Any:  # noqa: ANN401 - ``make_filter`` looks
    """Return the time of a filter of ``TIMES``, with the words for it read."""
    if value is None:
        return None
    if name == "since":
        return start_of(value, now, name=name)
    end = end_of(value, now, name=name)
    in_words = isinstance(end, datetime) and end is not value
    # What the bank knew includes its moment, so the last one of "yesterday" is meant.
    return end - _MICROSECOND if in_words and name == "as_of" else end  # type: ignore[operator]


def _read_during(value: Any, now: datetime, read_event: ReadEvent) -> Any:  # noqa: ANN401
    """Return stretches, with all words for them read; ``make_filter`` looks at the rest."""
    if isinstance(value, str):
        return list(_read_words(value, now, read_event))
    if isinstance(value, bytes | Mapping) or not isinstance(value, Collection):
        return value
    found: list[Any] = []
    for one in value:
        if not isinstance(one, str):
            found.append(_read_pair(one, now))
            continue
        if _is_moment(one):
            pair = [each for each in value if isinstance(each, str) and _is_moment(each)]
            msg = (
                f"during={value!r:.100}: {one!r} is a moment; give pairs of moments, as"
                f" [[{pair[0]!r}, {pair[-1]!r}]], or words"
            )
            raise InvalidFilter(msg)
        found += _read_words(one, now, read_event)
    return found


def _read_words(words: str, now: datetime, read_event: ReadEvent) -> Iterable[Stretch]:
    """Return the time that words name, or of the event that they tell of."""
    if not words.strip():
        raise InvalidFilter(f"during={words!r}: say when, or leave it out to match everything")
    if _is_moment(words):
        if not is_day(words):
            msg = f"during={words!r}: is a moment; give a pair of moments, or a day"
            raise InvalidFilter(msg)
        return [(words, words)]
    start, dots, end = map(str.strip, words.partition(".."))
    if dots and all(_may_be_side(side.strip("."), now) for side in (start, end)):
        if end.startswith("."):
            msg = f"during={words!r:.100}: two dots are between two moments, and here are more"
            raise InvalidFilter(msg)
        return [_read_pair((start or None, end or None), now)]
    named = None if is_now(words) else named_time(words, now)  # a moment has no room
    if named is not None:
        return [(named.start, named.end)]
    if can_only_be_time(words):
        msg = (
            f"during={words!r:.100}: no time that can be read; give a day as '2024-07-15', a month"
            " as '2024-07', words such as 'last week', or what happened then"
        )
        raise InvalidFilter(msg)
    return read_event(words)


def _may_be_side(text: str, now: datetime) -> bool:
    """Return whether text is nothing, or a time, or can be no more than one that there is not."""
    return (
        not text
        or _is_moment(text)
        or named_time(text, now) is not None
        or (can_only_be_time(text))
    )


def _is_moment(text: str) -> bool:
    try:
        to_moment(text, UTC, name="during")
    except InvalidTime:
        return False
    return True


def _read_pair(pair: Any, now: datetime) -> Any:  # noqa: ANN401 - ``make_filter`` looks
    if not isinstance(pair, tuple | list):
        return pair
    if len(pair) != _SIDES:
        return pair
    since, until = pair
    return (
        None if since is None else start_of(since, now, name="during"),
        None if until is None else end_of(until, now, name="during"),
    )


def sees_all(filters: Filters, *besides: str) -> bool:
    """
    Return whether a read may see all that what is made of a whole bank tells of.

    What is made of a bank is made without suspects. ``besides``: filters that do not count.
    """
    given = {k: value for k, value in filters.items() if value is not None and k not in besides}
    return not given or given == {"suspects": "hide"}
