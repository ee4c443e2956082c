"""What is given to a verb, checked as it would be here, and as it travels."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any, Final, get_type_hints
from urllib.parse import quote

import msgspec

from hippocampus.bank.filter_arguments import Filters, read_filters
from hippocampus.core.validation import dump_metadata
from hippocampus.errors import InputError, InvalidText

_LOOKED_AT: Final = (bytes, datetime, date, timedelta)
"""What has no JSON of its own, and is looked at one by one."""


def path_of(bank: str, verb: str = "") -> str:
    """Return where a bank, or a verb of it, is; a name of nothing but dots is no way up."""
    name = quote(bank, safe="")
    name = name.replace(".", "%2E") if not name.strip(".") else name
    return f"/v1/banks/{name}" + (f"/{verb}" if verb else "")


@cache
def _signature(verb: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(verb)


def takes_progress(verb: Callable[..., Any]) -> bool:
    """Return whether a verb tells how far it is, and so may take long."""
    return "progress" in _signature(verb).parameters


@cache
def gives(verb: Callable[..., Any]) -> Any:  # noqa: ANN401 - a type
    """Return what a verb is declared to return."""
    return get_type_hints(verb)["return"]


def given_to(
    verb: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what was given to a verb, by name, after the checks that would be made here."""
    signature = _signature(verb)
    filters = {name: kwargs[name] for name in kwargs if name in Filters.__annotations__}
    if "as_of" in signature.parameters and "where" in signature.parameters:
        unknown = [name for name in kwargs if name not in signature.parameters]
        filters |= {name: kwargs[name] for name in unknown}
        read_filters(filters, UTC)
    given = dict(signature.bind(None, *args, **kwargs).arguments)
    del given[next(iter(signature.parameters))]
    for name, parameter in signature.parameters.items():
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            given.setdefault(name, ())
    if given.get("metadata") is not None:
        dump_metadata(given["metadata"])
    return given


def listed(value: Any) -> Any:  # noqa: ANN401 - any argument
    """Return a collection of any kind as a list."""
    plain = isinstance(value, str | bytes | Mapping | list) or not isinstance(value, Iterable)
    return value if plain or is_dataclass(value) else list(value)


def to_json(given: Mapping[str, Any]) -> bytes:
    """Return arguments as a JSON object; refuse what would come back as something else."""
    try:
        turns = given.get("turns")
        for turn in turns if isinstance(turns, list) else ():
            dump_metadata(getattr(turn, "metadata", {}))
        plain = msgspec.to_builtins(dict(given), builtin_types=_LOOKED_AT, enc_hook=_plain_object)
        return json.dumps(plain, allow_nan=False, ensure_ascii=False, default=_plain).encode()
    except UnicodeEncodeError as exc:
        msg = f"a lone surrogate, {exc.object[exc.start]!r}, which is no text; leave it out"
        raise InvalidText(msg) from exc
    except (TypeError, ValueError, RecursionError) as exc:
        msg = f"an argument has no JSON ({exc}); give text, numbers, lists, objects, or a datetime"
        raise InputError(msg) from exc


def _plain_object(value: object) -> object:
    """Return any mapping as an object of JSON."""
    if isinstance(value, Mapping):
        return dict(value)
    msg = f"a {type(value).__name__}"
    raise TypeError(msg)


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):  # of a schedule
        return msgspec.to_builtins(value)
    msg = f"a {type(value).__name__}"
    raise TypeError(msg)


def to_query(given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return arguments as the pairs of a query; what has structure is JSON."""
    pairs: list[tuple[str, str]] = []
    for name, value in given.items():
        if value is None:
            continue
        several = isinstance(value, list) and all(isinstance(one, str) for one in value)
        for one in value if several else [value]:
            plain = one.isoformat() if isinstance(one, datetime) else one
            text = plain if isinstance(plain, str) else to_json({"": plain})[5:-1].decode()
            pairs.append((name, text))
    return pairs
