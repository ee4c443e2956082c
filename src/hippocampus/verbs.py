"""
The verbs, one specification of each: from it come routes, requests, OpenAPI and the clients.

Signature, types and documentation are those of the methods of ``Bank`` and ``Memory``; the tables
below say how each travels.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, is_dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple, TypeAlias, Union, get_args, get_origin
from typing import get_type_hints as type_hints
from urllib.parse import quote

import msgspec

from hippocampus import wire
from hippocampus.bank import Bank
from hippocampus.bank.filter_arguments import read_filters
from hippocampus.calibrate.calibration import Calibration
from hippocampus.core.argument_names import refuse_unknown
from hippocampus.core.records import (
    Embedder,
    EmbeddingFunction,
    Episode,
    Filters,
    Hit,
    Progress,
    Slept,
    Stretch,
    Turn,
)
from hippocampus.core.validation import dump_metadata, plain_kind
from hippocampus.errors import InputError, InvalidText
from hippocampus.memory import Memory
from hippocampus.sleep.schedule import Schedule

AccessRole: TypeAlias = Literal["read", "write", "admin"]
"""The permission of a caller; a writer may read, and an admin may do both."""

MOST_LISTED: Final = 1000
"""Most entries of a list in one answer; the header ``Next-Cursor`` says that there is more."""

_NOT_SENT: Final = ("self", "progress")
"""Parameters that nobody sends; progress is told to a caller that accepts NDJSON."""
_PAGE: Final[Mapping[str, Any]] = {"limit": int | None, "cursor": str | None}
"""Arguments of a verb that gives a list, beside its own."""
_ANY_TIME: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""As of which a client reads words for a time, to see whether they are some."""
_FILTERS: Final[Mapping[str, Any]] = type_hints(Filters)
_NOT_LOADED: Final[dict[str, Any]] = {
    one.__name__: one for one in (Calibration, Embedder, Schedule, Slept)
} | {"EmbeddingFunction": EmbeddingFunction, "Progress": Progress}
"""Types that methods of ``Memory`` name, and that its module does not load."""
_OWN_JSON: Final = (bytes, datetime, date, timedelta)
"""Types that ``_plain`` turns into JSON or refuses one by one."""


class Argument(NamedTuple):
    """An argument: its name, the type as which JSON is read for it, and its default."""

    name: str
    type: Any
    default: Any = inspect.Parameter.empty
    several: bool = False
    """Whether there may be several, without a name, in a call."""

    @property
    def required(self) -> bool:
        """Return whether it has no default."""
        return self.default is inspect.Parameter.empty

    @property
    def structured(self) -> bool:
        """Return whether a value is more than text, a number or a list of them: JSON in a query."""
        return any(get_origin(part) is Mapping or _has_pairs(part) for part in self._parts)

    @property
    def is_list(self) -> bool:
        """Return whether a value is a list, even of one."""
        kinds = {get_origin(part) for part in self._parts if part is not type(None)}
        return kinds == {list} and not self.structured

    @property
    def may_be_list(self) -> bool:
        """Return whether a value may be a list."""
        return any(get_origin(part) is list for part in self._parts)

    def from_text(self, text: str) -> Any:  # noqa: ANN401 - JSON is any
        """Read a structured value off a query: JSON, or, where it may be words, those."""
        words = str in self._parts
        if words and not text.lstrip().startswith(("[", "{")):
            return text
        try:
            return wire.load(Any, text)
        except InputError as exc:
            if words:
                return text
            raise InputError(f"{self.name}={text!r:.100}: {exc}") from exc

    @property
    def _parts(self) -> tuple[Any, ...]:
        return get_args(self.type) if get_origin(self.type) is Union else (self.type,)


def _several(argument: Argument, texts: Sequence[str]) -> bool:
    """Return whether texts in a query are a list of words."""
    return len(texts) > 1 and isinstance(argument.from_text(texts[-1]), str)


def _has_pairs(kind: Any) -> bool:  # noqa: ANN401 - a type
    """Return whether a type is of lists with pairs in them."""
    return any(get_origin(one) is tuple or _has_pairs(one) for one in get_args(kind))


class Given(NamedTuple):
    """The arguments of one call."""

    positional: tuple[Any, ...]
    named: dict[str, Any]


@dataclass(frozen=True, eq=False)
class VerbSpec:
    """A verb: its arguments and result, read off the method, and how it travels."""

    name: str
    function: Callable[..., Any]
    method: Literal["GET", "POST"] = "POST"
    """GET takes its arguments in the query, POST in a JSON object."""
    role: AccessRole = "write"
    pages: Literal["", "time", "seq", "place", "name"] = ""
    """The order by which a list goes on on its next page; empty: the answer is no list."""
    long: bool = False
    """Whether it may take minutes."""
    cached: bool = False
    """Whether its answer may be given again while the bank has not changed."""
    keeps: bool = False
    """Whether it keeps texts; the header ``Degraded`` says why they have no vectors."""
    once: bool = False
    """Whether a request that names itself by a key is done once, however often it arrives."""
    leave_out: tuple[str, ...] = ()
    """Parameters that cannot be sent."""

    @property
    def reads(self) -> bool:
        """Return whether it changes nothing, and so may safely be asked again."""
        return self.role == "read"

    @property
    def says_what_it_lacks(self) -> bool:
        """Return whether the header ``Degraded`` tells the parts that were missing, if any were."""
        return self.keeps or (not self.cached and getattr(self.function, "lacks", False))

    @property
    def reports(self) -> bool:
        """Return whether it reports its progress."""
        return "progress" in self._signature.parameters

    @cached_property
    def returns(self) -> Any:  # noqa: ANN401 - a type
        """The type of its result."""
        return type_hints(self.function, localns=_NOT_LOADED)["return"]

    @cached_property
    def arguments(self) -> Mapping[str, Argument]:
        """Its arguments by name, as they travel."""
        hints = type_hints(self.function, localns=_NOT_LOADED)
        found: dict[str, Argument] = {}
        for name, parameter in self._signature.parameters.items():
            if name in (*_NOT_SENT, *self.leave_out):
                continue
            # A filter is spelled out in the signature, not in the annotations.
            hint = hints[name] if name in hints else _FILTERS[name]
            several = parameter.kind is inspect.Parameter.VAR_POSITIONAL
            kind = list[hint] if several else wire.read_as(hint)  # type: ignore[valid-type]
            found[name] = Argument(name, kind, parameter.default, several)
        for name, kind in _PAGE.items() if self.pages else ():
            found.setdefault(name, Argument(name, kind, None))
        return found

    @cached_property
    def struct(self) -> type[msgspec.Struct]:
        """The record of its arguments."""
        return msgspec.defstruct(
            f"{self.name.title().replace('_', '')}Arguments",
            [one[:2] if one.required else one[:3] for one in self.arguments.values()],
            kw_only=True, forbid_unknown_fields=True,
        )  # fmt: skip

    @cached_property
    def _signature(self) -> inspect.Signature:
        return inspect.signature(self.function)

    # ------------------------------------------------------------ by the server

    def from_json(self, body: bytes) -> Given:
        """Read a JSON object; an empty body is an empty one."""
        try:
            return self._given(wire.load(self.struct, body or b"{}"))
        except InputError:
            # The struct refuses unknown names too, but does not say which one is meant.
            self._check_names(body)
            raise

    def from_query(self, query: Iterable[tuple[str, str]]) -> Given:
        """
        Read the pairs of a query: several of a name are a list; a structured one is JSON.

        Nothing is an empty list where there may be one: no text there may be empty.
        """
        found: dict[str, list[str]] = {}
        for name, value in query:
            found.setdefault(name, []).append(value)
        refuse_unknown(self.name, found, self.arguments)
        values: dict[str, Any] = {}
        for name, texts in found.items():
            argument = self.arguments.get(name)
            if argument is not None and argument.structured and not _several(argument, texts):
                values[name] = argument.from_text(texts[-1])
            elif texts == [""] and argument is not None and argument.may_be_list:
                values[name] = []
            elif len(texts) > 1 or (argument is not None and argument.is_list):
                values[name] = texts
            else:
                values[name] = texts[0]
        return self._given(wire.convert(self.struct, values, strict=False))

    def _check_names(self, body: bytes) -> None:
        """Refuse an object with a name that is none, in words that lead to the one meant."""
        given: Any = None
        with suppress(InputError):  # it is no JSON at all
            given = wire.load(Any, body)
        if isinstance(given, dict):
            refuse_unknown(self.name, given, self.arguments)

    def _given(self, record: msgspec.Struct) -> Given:
        named = {name: wire.revived(getattr(record, name)) for name in self.arguments}
        several = [named.pop(one.name) for one in self.arguments.values() if one.several]
        return Given(tuple(several[0]) if several else (), named)

    # ------------------------------------------------------------ by a client

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """
        Return the arguments of a call by name, collections as lists, checked as a bank checks them.

        Raises:
            InvalidFilter, InvalidTime: a filter that cannot be meant.
            UnknownArgument: an argument that the verb has not.
            TypeError: too many arguments, or too few.

        """
        known = self._signature.parameters
        refuse_unknown(self.name, kwargs, list(known)[1:])
        if "as_of" in known and "where" in known:
            told = {n: v for n, v in kwargs.items() if n in _FILTERS}
            read_filters(told, UTC, _ANY_TIME, _some_time)  # the bank knows its events
        given = dict(self._signature.bind(None, *args, **kwargs).arguments)
        del given[next(iter(known))]
        for name, parameter in known.items():
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                given.setdefault(name, ())
        if given.get("metadata") is not None:
            dump_metadata(given["metadata"])
        return {name: _as_ids(listed(value)) for name, value in given.items()}


def _some_time(_: str) -> list[Stretch]:
    return [(_ANY_TIME, None)]


def listed(value: Any) -> Any:  # noqa: ANN401 - any argument
    """Return a collection of any kind as a list."""
    plain = isinstance(value, str | bytes | Mapping | list) or not isinstance(value, Iterable)
    return value if plain or is_dataclass(value) else list(value)


def _as_ids(value: Any) -> Any:  # noqa: ANN401 - any argument
    """Return the ids of episodes and hits, which stand for them; all else as it is."""
    if isinstance(value, list):
        return [_as_ids(one) for one in value]
    return value.id if isinstance(value, Episode | Hit) else value


# ---------------------------------------------------------------- arguments as they travel


def path_of(bank: str, verb: str = "") -> str:
    """Return the URL path of a bank or of its verb; a name of nothing but dots is no way up."""
    name = quote(bank, safe="")
    name = name.replace(".", "%2E") if not name.strip(".") else name
    return f"/v1/banks/{name}" + (f"/{verb}" if verb else "")


def to_json(given: Mapping[str, Any]) -> bytes:
    """Return arguments as a JSON object; refuse what would come back as something else."""
    try:
        turns = given.get("turns")
        for turn in turns if isinstance(turns, list) else ():
            if not isinstance(turn, Mapping | Turn):
                continue  # which the verb refuses
            own = turn.get("metadata") if isinstance(turn, Mapping) else turn.metadata
            dump_metadata({} if own is None else own)
        plain = msgspec.to_builtins(dict(given), builtin_types=_OWN_JSON, enc_hook=_plain_object)
        return json.dumps(plain, allow_nan=False, ensure_ascii=False, default=_plain).encode()
    except UnicodeEncodeError as exc:
        msg = f"a lone surrogate, {exc.object[exc.start]!r}, which is no text; leave it out"
        raise InvalidText(msg) from exc
    except (TypeError, ValueError, RecursionError) as exc:
        msg = f"an argument has no JSON ({exc}); give text, numbers, lists, objects, or a datetime"
        raise InputError(msg) from exc


def to_query(given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return arguments as the pairs of a query; a structured one is JSON, no list is empty."""
    pairs: list[tuple[str, str]] = []
    for name, value in given.items():
        if value is None:
            continue
        several = isinstance(value, list) and all(isinstance(one, str) for one in value)
        # Left out, an empty list would mean whatever holds where nothing is said.
        for one in (value or [""]) if several else [value]:
            plain = one.isoformat() if isinstance(one, date) else one  # a datetime is one
            # Only objects are made into JSON there, so one is put around it and cut off again.
            text = plain if isinstance(plain, str) else to_json({"": plain})[5:-1].decode()
            pairs.append((name, text))
    return pairs


def _plain_object(value: object) -> object:
    """Return any mapping as an object of JSON, and texts and numbers as plain ones."""
    return dict(value) if isinstance(value, Mapping) else plain_kind(value)


def _plain(value: object) -> object:
    if isinstance(value, date):  # a datetime is one
        return value.isoformat()
    if isinstance(value, timedelta):  # of a schedule
        return msgspec.to_builtins(value)
    raise TypeError(f"a {type(value).__name__}")


# ---------------------------------------------------------------- the tables


def _specs(owner: type[Any], names: str, **how: Any) -> Iterable[tuple[str, VerbSpec]]:  # noqa: ANN401
    """Yield the verbs of a class that travel in one way."""
    for name in names.split():
        member = getattr(owner, name)
        yield name, VerbSpec(name, getattr(member, "fget", member), **how)


_READ: Final = {"method": "GET", "role": "read"}
_READ_WORDS: Final = {"method": "POST", "role": "read"}
"""Words never stand in an address, which others log."""
_CHANGE: Final = {"method": "POST", "role": "write"}
_ADMIN: Final = {"method": "POST", "role": "admin"}

BANK_VERBS: Final[Mapping[str, VerbSpec]] = dict([
    *_specs(Bank, "remember remember_many correct", **_CHANGE, keeps=True, once=True),
    *_specs(Bank, "forget restore withdraw feedback pin unpin", **_CHANGE, once=True),
    *_specs(Bank, "include exclude promote demote", **_CHANGE, once=True),
    *_specs(Bank, "note_recalls", **_CHANGE),
    *_specs(Bank, "recall context", **_READ_WORDS, cached=True),
    *_specs(Bank, "compact_session", **_READ_WORDS),
    *_specs(Bank, "get stats policy summary curated profile", **_READ),
    *_specs(Bank, "episodes", **_READ, pages="time"),
    *_specs(Bank, "find", **_READ_WORDS, pages="time"),
    *_specs(Bank, "count trend count_events explain", **_READ_WORDS),
    *_specs(Bank, "journal", **_READ, pages="seq"),
    *_specs(Bank, "expand history uses quarantine review sources sessions", **_READ, pages="place"),
    *_specs(Bank, "sleeps facts entities people included", **_READ, pages="place"),
    *_specs(Bank, "gists topics topic_outline communities related anchors", **_READ, pages="place"),
    *_specs(Bank, "sleep sleep_if_due", **_CHANGE, long=True),
    *_specs(Bank, "hold release accept undo set_policy curate set_profile", **_ADMIN, once=True),
    *_specs(Bank, "reveal", **_ADMIN),
    *_specs(Bank, "compact", **_ADMIN, long=True),
])  # fmt: skip
"""Every verb of a bank that takes and gives JSON, at ``/v1/banks/{bank}/{verb}``."""

STORE_VERBS: Final[Mapping[str, VerbSpec]] = dict([
    *_specs(Memory, "banks", **_READ, pages="name", leave_out=("after",)),
    *_specs(Memory, "calibrate sleep_if_due", **_ADMIN, long=True),
    *_specs(Memory, "rebuild", **_ADMIN, long=True, leave_out=("embedder",)),
])  # fmt: skip
"""Every verb of a memory that takes and gives JSON, at ``/v1/{verb}``."""
