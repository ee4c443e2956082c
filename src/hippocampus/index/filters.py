"""
Filters of reads, the same for every verb, validated once.

A `Filter` says which episodes a read is allowed to see; `Columns.mask` turns it into a boolean
array over the bank's rows, and every cue applies that array before it scores.

**Metadata conditions** (``where``) are dicts in the manner of MongoDB::

    {"project": "x"}                                     equal
    {"year": {"$gte": 2020, "$lt": 2022}}                several operators: all must hold
    {"tags": {"$contains": "trip"}, "draft": False}      several keys: all must hold
    {"$or": [{"trip.city": "Rome"}, {"$not": {"kind": {"$in": ["note", "mail"]}}}]}

===================== ============================================================================
``$eq $ne``           equal to the operand, any JSON value; ``{"key": value}`` is short for ``$eq``
``$in $nin``          equal to one of a list of operands
``$gt $gte $lt $lte`` numbers among numbers, text among text (by code point, so ISO dates sort)
``$contains``         text: has the operand as a substring, case and all; list: as an element
``$icontains``        the same, of text and whatever its case
``$exists``           True: the key is there, with whatever value; False: it is not
``$and $or $not``     of conditions: a list, a list, one; ``{"key": {"$not": {…}}}`` also works
===================== ============================================================================

- A key that is absent fails every test; ``$ne``, ``$nin``, ``$not`` and ``{"$exists": False}`` are
  negations, so they hold for it. ``None`` equals a stored null, not an absent key.
- Types are never mixed: 1 equals 1.0, but neither "1" nor True; text is never less than a number.
- A stored list equals an operand if the whole list does or any element does; it has no order.
- A dot reaches into objects (not lists): ``"trip.city"`` is the member ``city`` of ``trip``, unless
  there is a key spelled ``trip.city``, which wins.
- Conditions, operands and paths go at most 32 levels deep.
- What holds no condition (``{}``, an empty list) is refused: it is a variable somebody forgot to
  fill, and could only mean everything or nothing.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from datetime import tzinfo
from itertools import product
from typing import Any, NoReturn, TypeAlias
from unicodedata import normalize

from hippocampus.core.clock import to_micros
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.origin import Origin, trusted_origins
from hippocampus.core.records import Filters, When, Where
from hippocampus.core.timestamps import end_micros, is_day, to_moment
from hippocampus.encode.tokens import is_storable
from hippocampus.errors import InvalidFilter

MAX_LEVELS = 32
"""Levels of a condition, a path or a value (docs/filters.md): each is a call within a call, of
which Python allows a thousand, and a filter may come over HTTP."""

Frozen: TypeAlias = Hashable
"""A JSON value made hashable, equal to another when the JSON is; see ``freeze``."""

ORDER: Mapping[str, Callable[[Any, Any], Any]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}
_PLAIN = frozenset({str, int, float, type(None)})
_OPERATORS = "$eq $ne $gt $gte $lt $lte $in $nin $contains $icontains $exists $not"
_MEANT: Mapping[str, str] = {
    ">": "$gt", ">=": "$gte", "<": "$lt", "<=": "$lte", "=": "$eq", "==": "$eq", "!=": "$ne",
    "<>": "$ne", "~": "$contains", "like": "$icontains", "not_in": "$nin",
    **{name[1:]: name for name in _OPERATORS.split()},
}  # fmt: skip
"""Operators as other languages write them, with their names here."""


# ---------------------------------------------------------------- the filter


@immutable(kw_only=False)
class Predicate:
    """One test of a key, false where it is absent: $in, $[i]contains, $exists or an order."""

    key: str
    operator: str
    operand: Frozen = None


@immutable(kw_only=False)
class Every:
    """All of the parts hold."""

    parts: tuple[Condition, ...]


@immutable(kw_only=False)
class Either:
    """At least one of the parts holds."""

    parts: tuple[Condition, ...]


@immutable(kw_only=False)
class Not:
    """The part does not hold."""

    part: Condition


Condition: TypeAlias = Predicate | Every | Either | Not
"""A parsed ``where``."""


@immutable
class Filter:
    """
    Filter of episodes that a read may see; everything that is given must hold. Hashable.

    Times are microseconds since 1970, UTC: ``occurred_at`` in ``[since, until)`` and in one of
    ``during``, which are apart and in order; and what the bank knew at ``as_of``, inclusive. Make
    one with ``make_filter``.
    """

    since: int | None = None
    until: int | None = None
    during: tuple[tuple[int | None, int | None], ...] | None = None
    as_of: int | None = None
    session: frozenset[str] | None = None
    speaker: frozenset[str] | None = None
    """Folded by ``speaker_key``."""
    role: frozenset[str] | None = None
    source: frozenset[str] | None = None
    where: Condition | None = None
    trust: frozenset[Origin] | None = None
    suspect: bool | None = None


def make_filter(given: Filters, timezone: tzinfo) -> Filter:
    """
    Validate the filters of a read, with all words for a time read already.

    ``since``, ``until`` and the ends in ``during`` are moments; of ``as_of``, a date alone means
    the end of that day. Those that name no zone are in ``timezone``.

    Raises:
        InvalidTime: a time that cannot be read.
        InvalidFilter: anything else that cannot be meant.
    """
    start, end = _bounds(given.get("since"), given.get("until"), timezone)
    during, as_of, where = given.get("during"), given.get("as_of"), given.get("where")
    known = None
    if as_of is not None:  # inclusive, so the day's last microsecond rather than the next day
        known = end_micros(as_of, timezone, name="as_of") - is_day(as_of)
    speakers = _wanted("speaker", given.get("speaker"))
    return Filter(
        since=start,
        until=end,
        during=None if during is None else _stretches(during, timezone),
        as_of=known,
        session=_wanted("session", given.get("session")),
        speaker=None if speakers is None else frozenset(map(speaker_key, speakers)),
        role=_wanted("role", given.get("role")),
        source=_wanted("source", given.get("source")),
        where=None if where is None else read_where(where),
        trust=trusted_origins(given.get("trust")),
        suspect=_wanted_suspects(given.get("suspects")),
    )


_Ends: TypeAlias = tuple[int | None, int | None]


def _bounds(since: When | None, until: When | None, timezone: tzinfo) -> _Ends:
    """Return the first microsecond that is meant and the one behind the last."""
    start = None if since is None else to_micros(to_moment(since, timezone, name="since"))
    end = None if until is None else end_micros(until, timezone, name="until")
    # A day's last microsecond is in it; its end is the next day, and "since" then starts too late.
    if start is not None and until is not None and end is not None and start > end - is_day(until):
        msg = f"since={since!r} is later than until={until!r}: nothing lies between; swap them"
        raise InvalidFilter(msg)
    return start, end


def _stretches(during: object, timezone: tzinfo) -> tuple[_Ends, ...]:
    """Return the fewest stretches that cover the same time as some pairs of moments, in order."""
    pairs = isinstance(during, Collection) and not isinstance(during, str | bytes | Mapping)
    if not pairs or not during:
        _refuse(f"during={during!r}", "give pairs of moments, or leave it out to match everything")
    return merge(_stretch(pair, timezone) for pair in during)  # type: ignore[attr-defined]


def _stretch(pair: object, timezone: tzinfo) -> _Ends:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        _refuse(f"during={pair!r}", "each must be a pair of moments, or None where it is open")
    since, until = pair
    start = None if since is None else to_micros(to_moment(since, timezone, name="during"))
    end = None if until is None else end_micros(until, timezone, name="during")
    if start is None and end is None:
        _refuse(f"during={pair!r}", "is all of time; leave it out to match everything")
    if start is not None and end is not None and start >= end:
        _refuse(f"during={pair!r}", "nothing lies between; the earlier moment comes first")
    return start, end


def merge(stretches: Iterable[_Ends]) -> tuple[_Ends, ...]:
    """Return stretches as the fewest that cover the same time, earliest first (SWIFT, 3.3.2)."""
    merged: list[_Ends] = []
    for start, end in sorted(stretches, key=lambda one: -math.inf if one[0] is None else one[0]):
        if merged and (merged[-1][1] is None or start is None or start <= merged[-1][1]):
            first, last = merged[-1]
            merged[-1] = first, None if last is None or end is None else max(last, end)
        else:
            merged.append((start, end))
    return tuple(merged)


def overlaps(some: Sequence[_Ends], others: Sequence[_Ends]) -> tuple[_Ends, ...]:
    """Return the stretches that lie both in one of some and in one of others."""
    both = (
        (
            max((at for at in (one[0], other[0]) if at is not None), default=None),
            min((at for at in (one[1], other[1]) if at is not None), default=None),
        )
        for one, other in product(some, others)
    )
    return tuple((start, end) for start, end in both if start is None or end is None or start < end)


def speaker_key(name: str) -> str:
    """Return the key by which speakers are compared: without case, accents in one spelling."""
    # In parts first, or folding would miss some composed letters (Unicode, D145).
    return normalize("NFC", normalize("NFD", name).casefold())


def _wanted(name: str, given: object) -> frozenset[str] | None:
    if given is None:
        return None
    single = isinstance(given, str)
    if not single and (isinstance(given, Mapping) or not isinstance(given, Collection)):
        _refuse(f"{name}={given!r}", "give one text or a collection of texts")
    values: list[object] = [given] if single else list(given)  # type: ignore[call-overload]
    texts = frozenset(value for value in values if isinstance(value, str))
    if not all(isinstance(value, str) for value in values):
        _refuse(f"{name}={given!r}", "give one text or a collection of texts")
    if not texts or not all(map(str.strip, texts)):
        _refuse(f"{name}={given!r}", "matches nothing; leave it out to match everything")
    if not is_storable("".join(texts)):
        _refuse(f"{name}={given!r}", "holds a lone surrogate, which nothing that is kept does")
    return texts


def _wanted_suspects(given: object) -> bool | None:
    """Return the value that ``Episode.suspect`` must have; None if either will do."""
    known: dict[object, bool | None] = {None: None, "show": None, "hide": False, "only": True}
    if not isinstance(given, str | None) or given not in known:
        _refuse(f"suspects={given!r}", "must be 'show', 'hide' or 'only'")
    return known[given]


def _refuse(what: str, why: str) -> NoReturn:
    msg = f"{what}: {why}"
    raise InvalidFilter(msg)


# ---------------------------------------------------------------- reading conditions


def read_where(where: Where) -> Condition:
    """
    Parse a condition on metadata.

    Raises:
        InvalidFilter: an unknown operator, an operand of the wrong type, an empty condition, or
            one nested more than 32 levels deep.
    """
    return _condition(where, "where", MAX_LEVELS)


def _condition(where: object, place: str, levels: int) -> Condition:
    if levels == 0:
        _refuse(place, f"nested more than {MAX_LEVELS} levels deep; flatten the condition")
    if not isinstance(where, Mapping):
        _refuse(f"{place}={where!r}", 'a condition is a dict, such as {"project": "x"}')
    if not where:
        _refuse(f"{place}={{}}", "holds no condition; leave it out to match everything")
    parts = [_member(key, value, place, levels) for key, value in where.items()]
    return parts[0] if len(parts) == 1 else Every(tuple(parts))


def _member(key: object, value: object, place: str, levels: int) -> Condition:
    if not isinstance(key, str):
        _refuse(f"{place}[{key!r}]", "keys of metadata are texts")
    place = f"{place}[{key!r}]"
    if not key.startswith("$"):
        return _field(key, value, place, levels)
    if key == "$not":
        return Not(_condition(value, place, levels - 1))
    if key not in {"$and", "$or"}:
        _refuse(place, "no such operator on conditions; there are $and, $or and $not")
    if not isinstance(value, list | tuple) or not value:
        _refuse(f"{place}={value!r}", "takes a list of at least one condition")
    parts = (_condition(p, f"{place}[{i}]", levels - 1) for i, p in enumerate(value))
    return Every(tuple(parts)) if key == "$and" else Either(tuple(parts))


def _field(key: str, value: object, place: str, levels: int) -> Condition:
    if not isinstance(value, Mapping):
        return _test(key, "$eq", value, place, levels)
    if not value:
        _refuse(f"{place}={{}}", 'holds no operator; an empty object is {"$eq": {}}')
    dollars = [isinstance(name, str) and name.startswith("$") for name in value]
    if not any(dollars):
        meant = [f"{name!r} is {_MEANT[name]!r}" for name in value if name in _MEANT]
        if len(meant) == len(value):
            why = f"no such operator; {', '.join(meant)}; an object that is so goes into $eq"
            _refuse(f"{place}={value!r}", why)
        return _test(key, "$eq", value, place, levels)
    if not all(dollars):
        _refuse(f"{place}={value!r}", "mixes operators and members; wrap an object in $eq")
    tests = [_test(key, name, operand, place, levels) for name, operand in value.items()]
    return tests[0] if len(tests) == 1 else Every(tuple(tests))


def _test(key: str, name: str, operand: object, place: str, levels: int) -> Condition:
    if name != "$eq":
        place = f"{place}[{name!r}]"
    shown = f"{place}={operand!r}"
    match name:
        case "$eq" | "$ne":
            # As one of one, so that equality is tested in one way alone.
            equal = Predicate(key, "$in", frozenset([_operand(operand, place, MAX_LEVELS)]))
            return equal if name == "$eq" else Not(equal)
        case "$in" | "$nin":
            among = Predicate(key, "$in", _operands(operand, place))
            return among if name == "$in" else Not(among)
        case "$gt" | "$gte" | "$lt" | "$lte":
            return Predicate(key, name, _bound(operand, place))
        case "$contains" | "$icontains":
            return Predicate(key, name, _contained(operand, place, cased=name == "$contains"))
        case "$exists":
            if not isinstance(operand, bool):
                _refuse(shown, "takes True or False")
            return Predicate(key, name) if operand else Not(Predicate(key, name))
        case "$not":
            if not isinstance(operand, Mapping) or not operand:
                _refuse(shown, 'takes operators, such as {"$gt": 3}')
            if levels == 1:
                _refuse(place, f"nested more than {MAX_LEVELS} levels deep; flatten the condition")
            return Not(_field(key, operand, place, levels - 1))
    _refuse(place, f"no such operator; there are {_OPERATORS}")


def _bound(operand: object, place: str) -> Frozen:
    """Return the bound that is compared with; an infinite number is an open end."""
    if isinstance(operand, bool) or not isinstance(operand, str | int | float):
        _refuse(f"{place}={operand!r}", "compares with a number or a text")
    infinite = isinstance(operand, float) and math.isinf(operand)
    return operand if infinite else _operand(operand, place, MAX_LEVELS)


def _contained(operand: object, place: str, *, cased: bool) -> Frozen:
    if operand == "":
        _refuse(f"{place}=''", "every text contains it; use $exists to ask for the key")
    if not cased and not isinstance(operand, str):
        _refuse(f"{place}={operand!r}", "takes a text; only text has a case to leave aside")
    found = _operand(operand, place, MAX_LEVELS)
    return found if cased else _folded(found)


def _operands(values: object, place: str) -> frozenset[Frozen]:
    if not isinstance(values, list | tuple | set | frozenset) or not values:
        _refuse(f"{place}={values!r}", "takes a list of at least one value")
    return frozenset(_operand(one, place, MAX_LEVELS) for one in values)


def _operand(value: object, place: str, levels: int) -> Frozen:
    _check_json(value, place, levels)
    return freeze(value)


def _check_json(value: object, place: str, levels: int) -> None:
    if levels == 0:
        _refuse(place, f"a value nested more than {MAX_LEVELS} levels deep")
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            _refuse(f"{place}={value!r}", "keys of metadata are texts")
        for item in value.values():
            _check_json(item, place, levels - 1)
    elif isinstance(value, list | tuple):
        for item in value:
            _check_json(item, place, levels - 1)
    elif isinstance(value, float) and not math.isfinite(value):
        _refuse(f"{place}={value!r}", "not a number that metadata can hold")
    elif not isinstance(value, str | int | float | None):
        _refuse(f"{place}={value!r}", "not a JSON value; write times as ISO 8601 text")


# ---------------------------------------------------------------- what a condition means


def freeze(value: object, levels: int = MAX_LEVELS) -> Frozen:
    """
    Return a JSON value as something hashable, equal to another's exactly when the JSON is equal.

    Text, numbers and null are themselves; booleans, which Python takes for numbers, lists and
    objects are a tuple of their type and content. What lies deeper than an operand can reach
    becomes one value that equals no operand.
    """
    if type(value) in _PLAIN:  # by its very type, for True is an int as well
        return value
    if isinstance(value, bool):
        return (bool, value)
    if not isinstance(value, Mapping | list | tuple):  # a subclass of text or of a number
        return value
    if levels == 0:
        return (object, ())
    if isinstance(value, Mapping):
        return (dict, frozenset((key, freeze(item, levels - 1)) for key, item in value.items()))
    return (list, tuple([freeze(item, levels - 1) for item in value]))


def elements(value: Frozen) -> tuple[Frozen, ...]:
    """Return the elements of a frozen list; of anything else, none."""
    return value[1] if isinstance(value, tuple) and value[0] is list else ()


def _folded(value: Frozen) -> Frozen:
    """Return text, or a list with its texts, without case."""
    if isinstance(value, str):
        return value.casefold()
    return (list, tuple([e.casefold() if isinstance(e, str) else e for e in elements(value)]))


def holds(clause: Predicate, value: Frozen) -> bool:
    """Return whether a value that is there passes a test."""
    operand: Any = clause.operand
    match clause.operator:
        case "$exists":
            return True
        case "$in":
            return value in operand or any(item in operand for item in elements(value))
        case "$contains" | "$icontains":
            among = value if clause.operator == "$contains" else _folded(value)
            if isinstance(among, str):
                return isinstance(operand, str) and operand in among
            return operand in elements(among)
    kind = str if isinstance(operand, str) else (int, float)
    return isinstance(value, kind) and bool(ORDER[clause.operator](value, operand))


def flatten(metadata: dict[str, Any], levels: int = MAX_LEVELS) -> dict[str, Any]:
    """Return every dotted key of parsed JSON with its value: that of the longest name wins."""
    flat = metadata.copy()
    nested = [key for key, value in metadata.items() if isinstance(value, dict)]
    if nested and levels > 1:
        # Longest name first: whichever of "a.b" and "a" holds "a.b.c" wins for both.
        for key in sorted(nested, key=len, reverse=True):
            for rest, value in flatten(metadata[key], levels - 1).items():
                flat.setdefault(f"{key}.{rest}", value)
    return flat
