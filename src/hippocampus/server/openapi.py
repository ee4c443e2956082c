"""The OpenAPI document: every route's arguments, answer and an example, from the code itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from inspect import cleandoc
from typing import Any, Final

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from hippocampus.server.bodies import JSON
from hippocampus.verbs import BANK_VERBS, VerbSpec
from hippocampus.wire import Fault

_REF: Final = "#/components/schemas/{name}"
_PAGED: Final = ("Next-Cursor",)
_LACKS: Final = ("Degraded",)
_HELD: Final = "x-schemas"
"""Field of a route for the schemas that it refers to, until the document gathers them."""


@cache
def _fixed() -> dict[str, Any]:
    """Return the parts that no code says: parameters of paths, bodies of streams, examples."""
    text = files("hippocampus.server").joinpath("openapi.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def describe(spec: VerbSpec) -> dict[str, Any]:
    """Return the arguments for FastAPI of the route of a verb."""
    asks = _fixed()["asks"]
    where = [_fixed()["bank"], asks["Min-Seq"]]
    where += [asks["Idempotency-Key"]] if spec.once else []
    more = (*(_PAGED if spec.pages else ()), *(_LACKS if spec.says_what_it_lacks else ()))
    told = _described(
        spec.name, spec.method, where, spec.function.__doc__, spec, spec.returns, spec.role,
        headers=("Seq", *more),
    )  # fmt: skip
    return {"name": spec.name, **told}


def describe_call(
    method: str,
    path: str,
    endpoint: Callable[..., Any],
    takes: VerbSpec | None,
    gives: Any,  # noqa: ANN401
) -> dict[str, Any]:
    """Return the arguments for FastAPI of a route for the whole store."""
    name = endpoint.__name__ if endpoint.__name__ != "endpoint" else path.rpartition("/")[2]
    fixed, asks = _fixed(), _fixed()["asks"]
    where = [fixed["id"]] if "{id}" in path else []
    where += [fixed["bank"], asks["Min-Seq"], asks["Idempotency-Key"]] if "{bank}" in path else []
    return _described(
        name, method, where, endpoint.__doc__, takes, gives, "store",
        headers=_PAGED if path == "/v1/banks" else (),
    )  # fmt: skip


def describe_state(endpoint: Callable[..., Any], gives: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the arguments for FastAPI of a route for the server itself; ``str`` is plain text."""
    told = _described(endpoint.__name__, "GET", [], endpoint.__doc__, None, gives, "server")
    if gives is str:
        content = {"text/plain": {"schema": {"type": "string"}}}
        told["openapi_extra"]["responses"]["200"]["content"] = content
    return told


def describe_stream(endpoint: Callable[..., Any]) -> dict[str, Any]:
    """Return the arguments for FastAPI of a route that takes or gives a file."""
    name = endpoint.__name__.rstrip("_")
    fixed = _fixed()["streams"][name]
    where, headers = ([], ()) if name == "backup" else ([_fixed()["bank"]], ("Seq",))
    where += [_fixed()["asks"]["Min-Seq"]] if headers and name != "import" else []
    told = _described(name, "GET", where, endpoint.__doc__, None, Any, "files", headers=headers)
    extra = told["openapi_extra"]
    for option, schema in fixed.get("query", {}).items():
        extra["parameters"].append({"name": option, "in": "query", "schema": schema})
    if "takes" in fixed:
        extra["requestBody"] = {"required": True, "content": fixed["takes"]}
    extra["responses"]["200"]["content"] = {kind: {} for kind in fixed["gives"]}
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
    headers: Sequence[str] = (),
) -> dict[str, Any]:
    told = cleandoc(doc or "")
    types = [type(None) if gives is None else gives, Fault, *([takes.struct] if takes else [])]
    (answer, fault, *given), held = msgspec.json.schema_components(types, ref_template=_REF)
    done: dict[str, Any] = {"description": "Done.", "content": {JSON: {"schema": answer}}}
    if headers:
        done["headers"] = {header: _fixed()["headers"][header] for header in headers}
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
    example = _fixed()["examples"].get(name, {})
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
        # Its fields are parameters of the query, so nothing refers to it.
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
        for address, path in made["paths"].items():
            for method, operation in path.items():
                schemas |= operation.pop(_HELD, {})
                operation["operationId"] = _operation_id(method, address)
        made["components"] = {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        }
        # The empty one stands for servers that have no keys.
        made["security"] = [{"key": []}, {}]
        app.openapi_schema = _without_closed_tuples(made)
    return app.openapi_schema


def _operation_id(method: str, address: str) -> str:
    """Return the name of an operation in clients made of the document: the verb, as in Python."""
    if "{bank}/" in address:
        return address.rpartition("/")[2]
    parts = [part for part in address.split("/") if part not in ("", "v1") and part[0] != "{"]
    name = "_".join(parts)
    if name in ("banks", "keys") and method != "get":
        return f"{method}_{name}"
    return f"store_{name}" if name in BANK_VERBS else name


def _without_closed_tuples(part: Any) -> Any:  # noqa: ANN401 - JSON is any
    """Return a document without ``items: false``, which generators refuse: ``maxItems`` says it."""
    if isinstance(part, list):
        return [_without_closed_tuples(one) for one in part]
    if not isinstance(part, dict):
        return part
    return {
        name: _without_closed_tuples(value)
        for name, value in part.items()
        if not (name == "items" and value is False)
    }
