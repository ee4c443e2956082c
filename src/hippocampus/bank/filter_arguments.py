"""What a read may see, as a caller says it: declared once, documented once, for every verb."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta, tzinfo
from typing import Any, Final, TypedDict, TypeVar

from hippocampus.core.argument_names import refuse_unknown
from hippocampus.core.records import OneOrMany, Stretch, Suspects, Trusted, When, Where
from hippocampus.index.filters import Filter, make_filter
from hippocampus.language.time.given import end_of, start_of

_Verb = TypeVar("_Verb", bound=Callable[..., object])


class Filters(TypedDict, total=False):
    """
    Filters, of which everything that is given must hold.

        since: only what happened at this time or later; of words, "last week", from its start on.
        until: only what happened before this time; a date alone includes its day, and words what
            they name: ``since="last week", until="last week"``.
        during: only what happened in one of these stretches of time, each from a moment up to
            another, or None where it is open; as ``since`` and ``until``, but several.
        session: only this session, or one of these.
        speaker: only this speaker, or one of these; upper and lower case are the same.
        role: only this role, or one of these.
        source: only this file or system, or one of these.
        where: a condition on metadata, such as ``{"year": {"$gte": 2024}}``.
        as_of: answer from what the bank knew at that moment.
        trust: only of this origin or a more trusted one, in the order of ``ORIGINS``, or of one of
            several.
        suspects: "hide" what reads like an instruction to a model and nobody has accepted, "show"
            it, or "only" that; ``context`` hides it by default, all others show it.
    """

    since: When | None
    until: When | None
    during: Collection[Stretch] | None
    session: OneOrMany | None
    speaker: OneOrMany | None
    role: OneOrMany | None
    source: OneOrMany | None
    where: Where | None
    as_of: When | None
    trust: Trusted | None
    suspects: Suspects | None


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


def read_filters(given: Mapping[str, object], zone: tzinfo, now: datetime) -> Filter:
    """
    Validate what a caller asks to see.

    Times that name no zone are in ``zone``, and words for a time are as of ``now``.

    Raises:
        InvalidTime: a time that cannot be read.
        UnknownArgument: a name that is none.
        InvalidFilter: anything else that cannot be meant.

    """
    refuse_unknown("a read", given, Filters.__annotations__, what="filter")
    moments = {name: _read(name, given[name], now) for name in _TIMES & given.keys()}
    return make_filter(**{**given, **moments}, timezone=zone)


_MICROSECOND: Final = timedelta(microseconds=1)
_TIMES: Final = frozenset({"since", "until", "during", "as_of"})


def _read(name: str, value: Any, now: datetime) -> Any:  # noqa: ANN401 - ``make_filter`` looks
    """Return a time, or stretches, with the words for any of them read."""
    if value is None:
        return None
    if name == "since":
        return start_of(value, now, name=name)
    if name != "during":
        end = end_of(value, now, name=name)
        in_words = isinstance(end, datetime) and end is not value
        # What the bank knew includes its moment, so the last one of "yesterday" is meant.
        return end - _MICROSECOND if in_words and name == "as_of" else end  # type: ignore[operator]
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Collection):
        return value
    return [_read_pair(one, now) for one in value]


def _read_pair(pair: Any, now: datetime) -> Any:  # noqa: ANN401 - ``make_filter`` looks
    if not isinstance(pair, tuple | list):
        return pair
    sides = ("since", "until")
    if len(pair) != len(sides):
        return pair
    return tuple(_read(side, end, now) for side, end in zip(sides, pair, strict=True))


def sees_all(filters: Filters, *besides: str) -> bool:
    """
    Return whether a read may see all that what is made of a whole bank tells of.

    What is made of a bank is made without suspects. ``besides``: filters that do not count.
    """
    given = {k: value for k, value in filters.items() if value is not None and k not in besides}
    return not given or given == {"suspects": "hide"}
