"""Records and errors as JSON, and back: one mechanism for all of them, driven by annotations."""

from __future__ import annotations

import types
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec
import numpy as np

from hippocampus import errors
from hippocampus.core.json_faults import half_character, worded
from hippocampus.core.records import Message
from hippocampus.core.renamed import RENAMED
from hippocampus.errors import HippocampusError, InputError

_Record = TypeVar("_Record")


# ---------------------------------------------------------------- records


def dump(value: object) -> bytes:
    """Return a record, or a collection of them, as JSON in UTF-8."""
    return msgspec.json.encode(value, enc_hook=_plain_value)


def as_json(value: object) -> Any:  # noqa: ANN401 - JSON is any
    """Return a record as the objects, lists, texts and numbers of its JSON."""
    return msgspec.to_builtins(value, enc_hook=_plain_value)


def load(kind: type[_Record], data: bytes | str) -> _Record:
    """
    Return the record, or the collection of records, of that type that JSON tells of.

    Fields that it does not know are passed over: they are a later version's.

    Raises:
        InputError: it is not JSON, or not of such a record.

    """
    wanted: Any = kind
    try:
        text = data if isinstance(data, str) else data.decode()
        # Only JSON of earlier versions takes the longer way; the name in a text does no harm.
        if any(f'"{old}":' in text for old in _old_names(wanted)):
            return convert(kind, msgspec.json.decode(data))
        return revived(_decoder(wanted).decode(data))  # type: ignore[no-any-return]
    except msgspec.DecodeError as exc:
        # The decoder calls half a character the end of all, or malformed.
        unfit = isinstance(exc, msgspec.ValidationError)
        half = None if unfit else half_character(text)
        raise InputError(half or _told(exc, wanted)) from exc
    except (UnicodeDecodeError, RecursionError) as exc:
        raise InputError(_told(exc, wanted)) from exc


def convert(kind: type[_Record], value: object, *, strict: bool = True) -> _Record:
    """Return the record that builtins tell of; not ``strict``, numbers may be text as in a URL."""
    wanted: Any = kind
    try:
        found = msgspec.convert(_renamed(wanted, value), read_as(wanted), strict=strict)
    except (msgspec.MsgspecError, RecursionError) as exc:
        raise InputError(_told(exc, wanted)) from exc
    return revived(found)  # type: ignore[no-any-return]


@cache
def _old_names(kind: Hashable) -> frozenset[str]:
    """Return the names that an earlier version may have for what records of a type tell."""
    inner = {*get_args(kind), *_fields_of(kind).values()}
    return frozenset(RENAMED.get(kind, ())).union(*map(_old_names, inner))


def _renamed(kind: Any, value: object) -> object:  # noqa: ANN401 - a type
    """Return the fields an earlier version may have written, by the names they have today."""
    if not _old_names(kind):
        return value
    if isinstance(value, list):
        inner = [one for one in get_args(kind) if one is not ...]
        return [_renamed(inner[0], one) for one in value] if inner else value
    if not isinstance(value, dict):
        return value
    if get_origin(kind) in (Union, types.UnionType):
        kind = next((one for one in get_args(kind) if _fields_of(one)), None)
    names, hints = RENAMED.get(kind, {}), _fields_of(kind)
    today = {names.get(name, name): one for name, one in value.items()}
    return {name: _renamed(hints.get(name), one) for name, one in today.items()}


@cache
def _fields_of(kind: Any) -> Mapping[str, Any]:  # noqa: ANN401 - a type
    """Return the fields of a record, each with its type; none of what is no record."""
    if not isinstance(kind, type):
        return {}
    if issubclass(kind, msgspec.Struct):
        return {one.name: one.type for one in msgspec.structs.fields(kind)}
    return get_type_hints(kind) if is_dataclass(kind) else {}


def _told(exc: Exception, kind: Any) -> str:  # noqa: ANN401 - a type
    if isinstance(exc, RecursionError):
        return "JSON that is nested too deeply to read; make it flatter"
    if isinstance(exc, UnicodeDecodeError):
        return f"byte {exc.start} is no UTF-8; send the text in UTF-8"
    return worded(str(exc), read_as(kind), _fields_of)


def _plain_value(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON; give its plain value")


@cache
def _decoder(kind: Hashable) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(read_as(kind))


@cache
def read_as(kind: Any) -> Any:  # noqa: ANN401 - a type
    """
    Return the type as which JSON is read for one of ours.

    JSON has no moments, so where a caller may give a moment or its text, text is read, and the
    verb that gets it reads the moment. A record that has such a field is read as a twin of it.
    """
    if is_dataclass(kind) and isinstance(kind, type):
        hints = get_type_hints(kind)
        if not any(_takes_moments(hint) for hint in hints.values()):
            return kind
        twin = msgspec.defstruct(
            kind.__name__,
            [
                (f.name, read_as(hints[f.name]))
                if f.default is MISSING and f.default_factory is MISSING
                else (f.name, read_as(hints[f.name]), _default_of(f))
                for f in fields(kind)
            ],
            kw_only=True,
            forbid_unknown_fields=True,
        )
        _TWINS[twin] = kind
        return twin
    arguments = get_args(kind)
    if get_origin(kind) in (Union, types.UnionType):
        if Message in arguments and any(map(is_dataclass, arguments)):
            return _as_objects(tuple(a for a in arguments if is_dataclass(a)))
        kept = [a for a in arguments if not (a in (datetime, date) and str in arguments)]
        return Union[tuple(read_as(a) for a in kept)]  # noqa: UP007 - made while running
    origin = get_origin(kind)
    if not arguments or origin is Literal:
        return kind
    inner = tuple(a if a is ... else read_as(a) for a in arguments)
    return (list if origin in _LISTS else origin)[inner]


def _as_objects(records: tuple[Any, ...]) -> Any:  # noqa: ANN401 - a type
    """Return objects of any shape as a type, whose schema says that records have such a one."""
    shapes = [msgspec.json.schema(read_as(one)) for one in records]
    told = [shape["$defs"][shape["$ref"].rpartition("/")[2]] for shape in shapes]
    schema = {"anyOf": [*told, {"type": "object", "title": "Message"}]}
    return Annotated[dict[str, Any], msgspec.Meta(extra_json_schema=schema)]


_LISTS: Final = (Iterable, Sequence, Collection)
"""Types that are a list in JSON."""


def _takes_moments(hint: Any) -> bool:  # noqa: ANN401 - a type
    """Return whether a moment may be given as text as well."""
    arguments = get_args(hint)
    return {datetime, str} <= set(arguments) or any(map(_takes_moments, arguments))


def _default_of(field: Any) -> Any:  # noqa: ANN401 - whatever the field has
    if field.default is not MISSING:
        return field.default
    return msgspec.field(default_factory=field.default_factory)


_TWINS: Final[dict[type[Any], type[Any]]] = {}
"""The records that the twins stand for."""


def revived(value: Any) -> Any:  # noqa: ANN401 - whatever was read
    """Return a value as read, with the records in place of their twins."""
    if isinstance(value, list):
        return [revived(one) for one in value]
    record = _TWINS.get(type(value))
    if record is None:
        return value
    return record(**{name: getattr(value, name) for name in value.__struct_fields__})


# ---------------------------------------------------------------- errors


class Fault(msgspec.Struct, frozen=True):
    """An error, as it travels: ``{"error": {…}}``."""

    type: str
    """The name of a class of ``errors``, or of the server's own ``AccessError``."""
    message: str
    request_id: str = ""
    detail: dict[str, Any] = {}
    """The values that a handler needs, such as ``needed_tokens``."""


class _Envelope(msgspec.Struct, frozen=True):
    error: Fault


def dump_fault(fault: Fault) -> bytes:
    """Return the JSON of an error."""
    return msgspec.json.encode(_Envelope(fault))


def as_fault(exc: HippocampusError, request_id: str = "") -> Fault:
    """Return an error as it travels; where the store is stays here."""
    given = {n: v for n, v in vars(exc).items() if n != "path" and not n.startswith("_")}
    detail = {n: v for n, v in given.items() if isinstance(v, int | str | float | None)}
    notes = getattr(exc, "__notes__", [])
    told = str(exc).removeprefix(f"{getattr(exc, 'path', '')}: ")
    return Fault(
        type=type(exc).__name__, message="; ".join([told, *notes]),
        request_id=request_id, detail=detail,
    )  # fmt: skip


def load_fault(data: bytes) -> Fault | None:
    """Return the error that an answer tells of; None when it tells of none."""
    try:
        return msgspec.json.decode(data, type=_Envelope).error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


@cache
def _wordless(kind: type[HippocampusError]) -> type[HippocampusError]:
    """Return the same error, but one that can be made without what it takes to word its message."""
    return type(kind.__name__, (kind,), {"__init__": lambda _: None})


def as_error(fault: Fault) -> HippocampusError:
    """Return the error as which it was raised; one of a kind that is not known is the root's."""
    kind = getattr(errors, fault.type, HippocampusError)
    # A server may send any name, and the module has others than those of errors.
    if not (isinstance(kind, type) and issubclass(kind, HippocampusError)):
        kind = HippocampusError
    made = _wordless(kind)()
    made.__class__ = kind
    made.args = (fault.message,)
    vars(made).update(fault.detail)  # where no name reaches the class, whatever is sent
    return made
