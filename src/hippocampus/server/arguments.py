"""What a verb takes, read off its signature: from a JSON object, from a query, and for OpenAPI."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec

from hippocampus import wire
from hippocampus.bank.filter_arguments import Filters

_NOT_SENT: Final = ("self", "progress")
"""What a verb takes and nobody sends; progress is told to who accepts NDJSON."""


class Given(NamedTuple):
    """What was given to a verb."""

    positional: tuple[Any, ...]
    named: dict[str, Any]


class Arguments:
    """The arguments of one verb, as a record that is read as any other."""

    def __init__(
        self,
        name: str,
        verb: Callable[..., Any],
        *,
        also: Sequence[tuple[str, Any, Any]] = (),
        leave_out: Sequence[str] = (),
    ) -> None:
        hints = get_type_hints(verb)
        taken = dict(inspect.signature(verb).parameters)
        self.several: str | None = None
        """The argument of which there may be several, without a name."""
        fields: list[tuple[str, Any] | tuple[str, Any, Any]] = []
        for parameter in taken.values():
            if parameter.name in (*_NOT_SENT, *leave_out):
                continue
            spelled_out = parameter.name not in hints  # by ``filters.spell_out``
            hint = (_FILTERS if spelled_out else hints)[parameter.name]
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                self.several = parameter.name
                fields.append((parameter.name, list[hint]))  # type: ignore[valid-type]
            elif parameter.default is inspect.Parameter.empty:
                fields.append((parameter.name, wire.read_as(hint)))
            else:
                fields.append((parameter.name, wire.read_as(hint), parameter.default))
        fields += also
        self.names = tuple(field[0] for field in fields)
        self.reports = "progress" in taken
        """Whether it tells how far it is."""
        self.struct = msgspec.defstruct(
            f"{name.title().replace('_', '')}Arguments", fields, kw_only=True,
            forbid_unknown_fields=True,
        )  # fmt: skip
        self.required = tuple(field[0] for field in fields if len(field) == 2)
        self._lists = frozenset(f[0] for f in fields if _is_list(f[1]))
        self._json = frozenset(f[0] for f in fields if _is_structured(f[1]))

    def from_json(self, body: bytes) -> Given:
        """Read a JSON object; an empty body is an empty one."""
        return self._given(wire.load(self.struct, body or b"{}"))

    def from_query(self, query: Sequence[tuple[str, str]]) -> Given:
        """Read the pairs of a query: several of a name are a list; what has structure is JSON."""
        found: dict[str, list[str]] = {}
        for name, value in query:
            found.setdefault(name, []).append(value)
        values: dict[str, Any] = {}
        for name, texts in found.items():
            if name in self._json:
                values[name] = wire.load(Any, texts[-1])
            elif name in self._lists or len(texts) > 1:
                values[name] = texts
            else:
                values[name] = texts[0]
        return self._given(wire.convert(self.struct, values, strict=False))

    def is_json(self, name: str) -> bool:
        """Return whether an argument stands in a query as JSON."""
        return name in self._json

    def _given(self, record: Any) -> Given:  # noqa: ANN401 - one of our own structs
        named = {name: wire.revived(getattr(record, name)) for name in self.names}
        several = named.pop(self.several) if self.several else ()
        return Given(tuple(several), named)


def _parts(hint: Any) -> tuple[Any, ...]:  # noqa: ANN401 - a type
    return get_args(hint) if get_origin(hint) is Union else (hint,)


def _is_structured(hint: Any) -> bool:  # noqa: ANN401 - a type
    """Return whether a value has more structure than a text, a number or a list of them."""
    return any(
        get_origin(part) is Mapping or any(get_origin(inner) is tuple for inner in get_args(part))
        for part in _parts(hint)
    )


def _is_list(hint: Any) -> bool:  # noqa: ANN401 - a type
    """Return whether a value is a list, even of one."""
    kinds = [get_origin(part) for part in _parts(hint) if part is not type(None)]
    return set(kinds) == {list} and not _is_structured(hint)


_FILTERS: Final[Mapping[str, Any]] = get_type_hints(Filters)
