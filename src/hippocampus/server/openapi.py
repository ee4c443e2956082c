"""The OpenAPI document: every route's arguments, answer and an example, from the code itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from inspect import cleandoc
from typing import Any, Final

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from hippocampus.server.bodies import BYTES, JSON, LINES
from hippocampus.verbs import VerbSpec
from hippocampus.wire import Fault

_REF: Final = "#/components/schemas/{name}"
_HELD: Final = "x-schemas"
"""Where a route keeps the schemas that it refers to, until the document gathers them."""

_BANK: Final = {
    "name": "bank",
    "in": "path",
    "required": True,
    "description": "The bank's name; what is not a letter or digit, slashes too, percent-encoded.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200},
    "example": "acme/lena",
}
_KEY_ID: Final = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
_CURSOR: Final = {
    "description": "The cursor of the next page; missing on the last.",
    "schema": {"type": "string"},
}


@cache
def _examples() -> dict[str, dict[str, Any]]:
    """Return an example of the arguments of each verb, which stand in a file beside this one."""
    text = files("hippocampus.server").joinpath("examples.json").read_text("utf-8")
    found: dict[str, dict[str, Any]] = json.loads(text)
    return found


def describe(spec: VerbSpec) -> dict[str, Any]:
    """Return what FastAPI is told of the route of a verb."""
    told = _described(
        spec.name, spec.method, [_BANK], spec.function.__doc__, spec, spec.returns, spec.role,
        paged=bool(spec.pages),
    )  # fmt: skip
    return {"name": spec.name, **told}


def describe_call(
    method: str,
    path: str,
    endpoint: Callable[..., Any],
    takes: VerbSpec | None,
    gives: Any,  # noqa: ANN401
) -> dict[str, Any]:
    """Return what FastAPI is told of a route for the whole store."""
    name = endpoint.__name__ if endpoint.__name__ != "endpoint" else path.rpartition("/")[2]
    where = [_BANK] if "{bank}" in path else [_KEY_ID] if "{id}" in path else []
    return _described(
        name, method, where, endpoint.__doc__, takes, gives, "store", paged=path == "/v1/banks"
    )


def describe_state(endpoint: Callable[..., Any], gives: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return what FastAPI is told of a route for the server itself; ``str`` is plain text."""
    told = _described(endpoint.__name__, "GET", [], endpoint.__doc__, None, gives, "server")
    if gives is str:
        content = {"text/plain": {"schema": {"type": "string"}}}
        told["openapi_extra"]["responses"]["200"]["content"] = content
    return told


def describe_stream(endpoint: Callable[..., Any]) -> dict[str, Any]:
    """Return what FastAPI is told of a route that takes or gives a file."""
    name = endpoint.__name__.rstrip("_")
    told = _described(
        name, "GET", [] if name == "backup" else [_BANK], endpoint.__doc__, None, Any, "files"
    )
    extra = told["openapi_extra"]
    text = {"type": "string"}
    if name == "import":
        extra["parameters"] += [
            {"name": option, "in": "query", "schema": text}
            for option in ("name", "format", "modified")
        ]
        extra["requestBody"] = {
            "required": True,
            "content": {
                LINES: {
                    "schema": text,
                    "example": '{"text": "Lisbon it is.", "at": "2024-01-07"}\n',
                },
                BYTES: {"schema": text | {"format": "binary"}},
            },
        }
    if name == "import_concepts":
        extra["requestBody"] = {"required": True, "content": {JSON: {"schema": {"type": "object"}}}}
    kinds = {
        "export": (LINES,), "backup": (BYTES,), "plot_topics": ("image/png",),
        "import": (JSON, LINES),
    }.get(name, (JSON,))  # fmt: skip
    extra["responses"]["200"]["content"] = {kind: {} for kind in kinds}
    return told


def _described(
    name: str,
    method: str,
    where: list[dict[str, Any]],
    doc: str | None,
    takes: VerbSpec | None,
    gives: Any,  # noqa: ANN401 - a type
    tag: str,
    *,
    paged: bool = False,
) -> dict[str, Any]:
    told = cleandoc(doc or "")
    types = [type(None) if gives is None else gives, Fault, *([takes.struct] if takes else [])]
    (answer, fault, *given), held = msgspec.json.schema_components(types, ref_template=_REF)
    done: dict[str, Any] = {"description": "Done.", "content": {JSON: {"schema": answer}}}
    if paged:
        done["headers"] = {"Next-Cursor": _CURSOR}
    wrong = {"type": "object", "properties": {"error": fault}, "required": ["error"]}
    extra: dict[str, Any] = {
        _HELD: held,
        "parameters": list(where),
        "responses": {
            "200": done,
            "default": {
                "description": "It could not be done.",
                "content": {JSON: {"schema": wrong}},
            },
        },
    }
    example = _examples().get(name, {})
    if takes is not None and method == "GET":
        properties = held[takes.struct.__name__]["properties"]
        for argument in takes.arguments.values():
            schema = {k: v for k, v in properties[argument.name].items() if k != "default"}
            value = {"content": {JSON: {"schema": schema}}} if argument.structured else {
                "schema": schema
            }  # fmt: skip
            shown = {"example": example[argument.name]} if argument.name in example else {}
            extra["parameters"].append({
                "name": argument.name, "in": "query", "required": argument.required,
                **value, **shown,
            })  # fmt: skip
        del held[takes.struct.__name__]
    elif takes is not None:
        extra["requestBody"] = {
            "required": any(one.required for one in takes.arguments.values()),
            "content": {JSON: {"schema": given[0], "example": example}},
        }
    return {
        "summary": told.partition("\n")[0].strip(), "description": told, "tags": [tag],
        "openapi_extra": extra,
    }  # fmt: skip


def document(app: FastAPI) -> dict[str, Any]:
    """Return the document, made once."""
    if app.openapi_schema is None:
        made = get_openapi(
            title=app.title, version="1", routes=app.routes,
            description="The verbs of Hippocampus over HTTP.",
        )  # fmt: skip
        schemas: dict[str, Any] = {}
        for path in made["paths"].values():
            for operation in path.values():
                schemas |= operation.pop(_HELD, {})
        made["components"] = {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        }
        made["security"] = [{"key": []}, {}]
        app.openapi_schema = made
    return app.openapi_schema
