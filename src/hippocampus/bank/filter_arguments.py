"""What a read may see, as a caller says it: declared once, documented once, for every verb."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from datetime import tzinfo
from typing import TypedDict, TypeVar

from hippocampus.core.records import OneOrMany, Stretch, Suspects, Trusted, When, Where
from hippocampus.errors import InvalidFilter
from hippocampus.index.filters import Filter, make_filter

_Verb = TypeVar("_Verb", bound=Callable[..., object])


class Filters(TypedDict, total=False):
    """
    Filters, of which everything that is given must hold.

        since: only what happened at this time or later.
        until: only what happened before this time; a date alone includes its day.
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


def read_filters(given: Mapping[str, object], zone: tzinfo) -> Filter:
    """
    Validate what a caller asks to see; times that name no zone are in ``zone``.

    Raises:
        InvalidTime: a time that cannot be read.
        InvalidFilter: a name that is none, or anything else that cannot be meant.

    """
    for name in given:
        if name not in Filters.__annotations__:
            known = ", ".join(Filters.__annotations__)
            msg = f"{name}={given[name]!r}: no such argument; the filters are {known}"
            raise InvalidFilter(msg)
    return make_filter(**given, timezone=zone)  # type: ignore[arg-type]  # make_filter looks
