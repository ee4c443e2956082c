"""What the code says of itself, as pages: verbs, commands, routes, tools, settings and errors."""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import typer.main

import hippocampus
from hippocampus import AsyncBank, AsyncMemory, Bank, Memory, errors
from hippocampus.cli.command import EXIT_CODES, EXIT_USAGE
from hippocampus.cli.commands import app
from hippocampus.core import config
from hippocampus.mcp import create_server
from hippocampus.mcp.resources import HABIT
from hippocampus.server import create_app
from hippocampus.server.error_responses import status_of

SOURCES = Path(hippocampus.__file__).parent
DECISIONS = Path(__file__).parents[2] / "docs" / "adr"
SETTINGS = """# Settings

For anyone who changes how a memory is kept or searched: every setting with its default, its unit
and what it may be. None is needed to begin.

Pass a `Config` to `Memory`; a group of settings is an argument of it. What is out of range is
refused when it is made. What sleep does is a policy, which a bank can have of its own
([sleep](../sleep.md)).

```python
from hippocampus import Config, Fusion, Memory

memory = Memory(":memory:", embedder="none", config=Config(fusion=Fusion(lexical=0.7)))
```

On the command line, settings are options of [commands](cli.md), or
[variables of the environment](#from-the-environment)."""
VARIABLES = {
    "HIPPOCAMPUS_MODEL_KEY": "The key of the language model's server (`HIPPOCAMPUS_MODEL`).",
    "HIPPOCAMPUS_RERANKER_KEY": "The key of the reranking server (`HIPPOCAMPUS_RERANKER`).",
    "HIPPOCAMPUS_RESIDENT": "Minutes that a process stays for the next command, which then need "
    "not start Python and load the model: [cold starts](../cold-starts.md).",
    "OPENAI_API_KEY": "The key of OpenAI's own server, where no other is given.",
    "XDG_DATA_HOME": "The folder in which the default store and the models lie; on Linux "
    "`~/.local/share` without it.",
}
"""Variables that are no option of a command."""
BOUNDS = {
    "ge": "at least {}", "gt": "more than {}", "le": "at most {}", "lt": "less than {}",
    "multiple_of": "a multiple of {}",
}  # fmt: skip
TOOLS = """# MCP tools

For anyone who writes the instructions of an agent, or a client: every tool of `hippocampus mcp`, as
a client lists it. How to connect one is on [its page](../surfaces/mcp.md). Tools have the argument
`bank` only with `--all-banks`."""
COMPAT = """# With --compat

The nine tools of the reference memory server, over the same store, in the place of those above."""
MOST = 4
"""Messages of an error that are shown."""
ERRORS = """# Errors

For anyone who handles what goes wrong: every error that this package raises on purpose. All are a
`HippocampusError`, so a caller can catch at any height; many are also the built-in that Python
would raise there. A message names the value, the rule and the fix; the templates below are those
of the code, with a name in braces for each value.

With each stands the status that [the server](../surfaces/server.md) answers with, and the code
with which a command ends."""
REST = """# REST

Every route of `hippocampus serve`, as its `/openapi.json` describes it. How they are called, and
what errors, pages and progress look like, says [the server](../surfaces/server.md). Names and
arguments are those of [Python](python.md), where each is explained.

```console
$ lena=http://127.0.0.1:8765/v1/banks/lena
$ curl -s $lena/remember --json '{"text": "I moved to Lisbon."}'
$ curl -s $lena/recall --json '{"query": "where do I live?", "k": 3}'
$ curl -s "$lena/episodes?since=last%20week&newest=true"
```"""
JSON_SCHEMA = {"type": "object"}
"""Of an argument in a query that is given as JSON."""


def python() -> str:
    """Return a page of every public class, function and verb, as their docstrings have it."""
    told = "`hippocampus.__version__` is the version, as `hippocampus --version` prints it."
    parts = [f"# Python\n\nEvery public name of `import hippocampus`. {told}\n"]
    for kind, twin in ((Memory, AsyncMemory), (Bank, AsyncBank)):
        parts.append(f"## {kind.__name__}\n\n{prose(kind)}")
        parts += [f"### {kind.__name__}.{name}\n\n{verb(kind, name)}" for name in verbs(kind, twin)]
    parts.append(
        f"## AsyncMemory\n\n{prose(AsyncMemory)}\n\n`AsyncBank` has each verb of `Bank`, awaited.\n"
    )
    rest = set(hippocampus.__all__) - {"Memory", "Bank", "AsyncMemory", "AsyncBank"}
    for name in sorted(rest):
        kind = getattr(hippocampus, name)
        if inspect.isclass(kind) and not issubclass(kind, Exception):
            parts.append(f"## {name}\n\n{prose(kind)}{fields_of(kind)}")
        elif inspect.isfunction(kind):
            parts.append(f"## {name}\n\n{verb(hippocampus, name)}")
    return "\n\n".join(parts) + "\n"


def verbs(kind: type, twin: type) -> list[str]:
    """Return the verbs and properties of a class, in its twin's order: those both have."""
    own = [*vars(twin), "policy", "sleeping"]
    return [name for name in dict.fromkeys(own) if not name.startswith("_") and hasattr(kind, name)]


def verb(kind: object, name: str) -> str:
    member = inspect.getattr_static(kind, name)
    if isinstance(member, property):
        return prose(member)
    signature = str(inspect.signature(getattr(kind, name)))
    signature = signature.replace("(self, ", "(").replace("(self)", "()").replace("'", "")
    return f"```text\n{name}{wrapped(signature)}\n```\n\n{prose(member)}"


def wrapped(signature: str) -> str:
    """Return a signature with an argument a line, if it is long."""
    if len(signature) < 80:
        return signature
    inside, _, result = signature.rpartition(")")
    level, line, lines = 0, "", []
    for character in inside[1:]:
        level += (character in "[(") - (character in "])")
        if character == "," and not level:
            lines.append(f"    {line.strip()},")
            line = ""
        else:
            line += character
    return "\n".join(["(", *lines, f"    {line.strip()},", f"){result}"])


def prose(thing: object) -> str:
    """Return a docstring as Markdown: the parts of its arguments and errors become lists."""
    lines: list[str] = []
    listed = ""
    for line in (inspect.getdoc(thing) or "").splitlines():
        if line in ("Args:", "Raises:", "Returns:", "Yields:"):
            listed = line[:-1]
            lines += [f"**{listed}**", ""]
        elif listed and (found := re.match(r"    (\*{0,2}\w[\w.]*): (.*)", line)):
            lines.append(f"- `{found[1]}`: {found[2]}")
        elif listed and line.startswith("    "):
            lines.append(f"  {line.strip()}")
        else:
            listed = "" if line.strip() else listed
            lines.append(line)
    return linked("\n".join(lines)) + "\n"


def linked(text: str) -> str:
    """Return a docstring's text as Markdown: code, and links to the decisions it names."""
    text = re.sub(r"``docs/adr/(\d{4})[^`]*``", decision, text)
    return re.sub(r"``([^`]+)``", r"`\1`", text)


def decision(named: re.Match[str]) -> str:
    (page,) = DECISIONS.glob(f"{named[1]}-*.md")
    return f"[decision {int(named[1])}](../adr/{page.name})"


def fields_of(kind: type) -> str:
    """Return the fields of a dataclass or named tuple, each with the line below it."""
    said = documented(kind)
    rows = [f"| `{name}` | `{type_}` | {told} |" for name, type_, _, told in said]
    head = "\n| field | type | |\n|---|---|---|\n"
    return head + "\n".join(row.replace("\n", " ") for row in rows) + "\n" if rows else ""


def documented(kind: type) -> Iterator[tuple[str, str, str, str]]:
    """Yield name, type, default and docstring of each field of a class, read from its source."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    except (OSError, TypeError):
        return
    (body,) = [node.body for node in tree.body if isinstance(node, ast.ClassDef)]
    for node, after in zip(body, [*body[1:], None], strict=True):
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            continue
        told = ""
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            told = " ".join(str(after.value.value).split())
        default = "" if node.value is None else ast.unparse(node.value)
        if node.target.id.startswith("_"):
            continue
        yield (
            node.target.id,
            ast.unparse(node.annotation).replace("|", "\\|"),
            default.replace("|", "\\|"),
            linked(told).replace("|", "\\|"),
        )


def settings() -> str:
    """Return a page of every setting with its default, unit and source."""
    parts = [SETTINGS]
    own = [kind for _, kind in inspect.getmembers(config, inspect.isclass)]
    own = [kind for kind in own if kind.__module__ == config.__name__]
    for kind in sorted(own, key=lambda kind: (kind is not config.Config, line_of(kind))):
        rows = [
            f"| `{name}` | {shown_default(default)} | {taken(kind, name)} | {told} |"
            for name, _, default, told in documented(kind)
        ]
        if rows:
            table = "\n".join(["| setting | default | takes | |", "|---|---|---|---|", *rows])
            parts.append(f"## {kind.__name__}\n\n{prose(kind)}\n{table}")
    parts.append(f"## From the environment\n\n{environment()}")
    return "\n\n".join(parts) + "\n"


def line_of(kind: type) -> int:
    return inspect.getsourcelines(kind)[1]


def shown_default(written: str) -> str:
    """Return a default as a reader would write it: ``field(default_factory=X)`` is ``X()``."""
    made = re.fullmatch(r"field\(default_factory=(\w+)\)", written)
    return f"[`{made[1]}()`](#{made[1].lower()})" if made else f"`{written}`"


def taken(kind: type, name: str) -> str:
    """Return in words what a setting may be."""
    return said(get_type_hints(kind, include_extras=True)[name]).replace("|", "\\|")


def said(hint: Any) -> str:
    """Return a type in words, with the bounds that it carries."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        bounds = [
            form.format(
                f"{value:g}" if isinstance(value, float) else f"{value:,}".replace(",", " ")
            )
            for meta in parts[1:]
            for mark, form in BOUNDS.items()
            if (value := getattr(meta, mark, None)) is not None
        ]
        return ", ".join([said(parts[0]), *bounds])
    if origin is Literal:
        return " or ".join(f"`{part!r}`" for part in parts)
    if origin in (Union, UnionType):
        kinds = [said(part) for part in parts]
        return ("; or " if any("," in kind for kind in kinds) else " or ").join(kinds)
    return {int: "a whole number", float: "a number", str: "text", bool: "true or false"}.get(
        hint, "None" if hint is type(None) else f"`{getattr(hint, '__name__', hint)}`"
        if not parts else f"`{hint}`"
    )  # fmt: skip


def environment() -> str:
    """Return a table of the variables that are read."""
    found = dict(VARIABLES)
    for _, command in tree(typer.main.get_command(app)):
        for option in command.params:
            if isinstance(option.envvar, str):
                found.setdefault(option.envvar, option.help or "")
    rows = [f"| `{name}` | {told} |" for name, told in sorted(found.items())]
    return "\n".join(["| variable | |", "|---|---|", *rows])


def tree(command: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every command with its name, in the order in which help shows them."""
    if not hasattr(command, "list_commands"):
        yield path, command
        return
    context = typer.Context(command)
    for name in command.list_commands(context):  # with those of other distributions, as `bench`
        yield from tree(command.get_command(context, name), f"{path} {name}".strip())


def commands() -> str:
    """Return a page of every command and its options."""
    parts = ["# Command line\n\n`hippocampus COMMAND --help` says the same, with colours."]
    for path, command in tree(typer.main.get_command(app)):
        if command.hidden:
            continue
        told = (command.help or "").replace("\\[", "[")
        examples = re.sub(r"\[/?bold\]", "", (command.epilog or "").replace("\\[", "["))
        examples = examples.partition("Examples")[2].strip()
        rows = []
        for option in command.params:
            if option.param_type_name == "option" and not option.hidden:
                names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
                said = (option.help or "").replace("|", "\\|").replace("\n", " ")
                rows.append(f"| {names} | {said} |")
        arguments = [p.name.upper() for p in command.params if p.param_type_name == "argument"]
        usage = " ".join(["hippocampus", path, *arguments])
        table = "\n".join(["| option | |", "|---|---|", *rows]) if rows else ""
        shown = f"```text\n{examples}\n```" if examples else ""
        parts.append(f"## {path}\n\n`{usage}`\n\n{told}\n\n{table}\n\n{shown}")
    return "\n\n".join(parts) + "\n"


def rest() -> str:
    """Return a page of every route of the server: its arguments, its answer, an example."""
    with Memory(":memory:", embedder="none") as memory:
        described = create_app(memory).openapi()
    schemas = described["components"]["schemas"]
    parts = [REST]
    for address, methods in described["paths"].items():
        for method, operation in methods.items():
            parts.append(f"## {method.upper()} {address}\n\n{_route(operation, schemas)}")
    return "\n\n".join(parts) + "\n"


def _route(operation: dict[str, Any], schemas: dict[str, Any]) -> str:
    """Return what a page says of one route."""
    parts = [_code(operation["summary"])]
    rows = [
        (given["name"], given.get("schema") or JSON_SCHEMA, given.get("required", False))
        for given in operation.get("parameters", ())
        if given["in"] == "query"
    ]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    if "$ref" in body.get("schema", {}):
        taken = schemas[body["schema"]["$ref"].rpartition("/")[2]]
        needed = taken.get("required", ())
        rows += [(name, one, name in needed) for name, one in taken["properties"].items()]
    if rows:
        lines = [
            f"| `{name}` | {_kind(schema)} | {_default(schema, needed=needed)} |"
            for name, schema, needed in rows
        ]
        parts.append("\n".join(["| argument | is | by default |", "|---|---|---|", *lines]))
    answer = operation["responses"]["200"].get("content", {})
    shape = answer.get("application/json", {}).get("schema")
    parts.append(f"Answer: {_kind(shape) if shape else ', '.join(answer) or 'nothing'}.")
    if body.get("example"):
        parts.append(f"```json\n{json.dumps(body['example'], ensure_ascii=False, indent=1)}\n```")
    return "\n\n".join(parts)


def _kind(schema: dict[str, Any]) -> str:
    """Return in words what a schema takes."""
    if "$ref" in schema:
        return f"`{schema['$ref'].rpartition('/')[2]}`"
    if "anyOf" in schema:
        kinds = [_kind(one) for one in schema["anyOf"] if one.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "enum" in schema:
        return " or ".join(f"`{one}`" for one in schema["enum"] if one is not None)
    if schema.get("type") == "array":
        return f"a list of {_kind(schema['items'])}" if schema.get("items") else "a list"
    return {
        "string": "text", "integer": "a whole number", "number": "a number", "null": "nothing",
        "boolean": "true or false", "object": f"an object ({schema['title']})"
        if "title" in schema else "an object",
    }.get(schema.get("type", ""), "JSON")  # fmt: skip


def _default(schema: dict[str, Any], *, needed: bool) -> str:
    if needed:
        return "required"
    default = schema.get("default")
    return "" if default is None else f"`{json.dumps(default)}`"


def _code(text: str) -> str:
    return re.sub(r"``([^`]+)``", r"`\1`", text)


def tools() -> str:
    """Return a page of every tool for agents: when to use it, its arguments, its answer."""
    parts = [TOOLS, f"## What the server says of itself\n\n{HABIT}"]
    with Memory(":memory:", embedder="none") as memory:
        offers = [
            asyncio.run(
                create_server(
                    lambda: memory, bank="ada", all_banks=True, compat=compat
                ).list_tools()
            )
            for compat in (False, True)
        ]
    for heading, offer in zip(("", COMPAT), offers, strict=True):
        parts += [heading] if heading else []
        parts += [f"## {tool.name}\n\n{_tool(tool)}" for tool in offer]
    return "\n\n".join(parts) + "\n"


def _tool(tool: Any) -> str:
    """Return what a page says of one tool."""
    needed = tool.input_schema.get("required", ())
    rows = [
        f"| `{name}` | {_kind(schema)} | {_default(schema, needed=name in needed)} "
        f"| {schema.get('description', '')} |"
        for name, schema in tool.input_schema["properties"].items()
    ]
    head = ["| argument | is | by default | |", "|---|---|---|---|"]
    answer = (tool.output_schema or {}).get("properties", {})
    fields = ", ".join(f"`{name}`" for name in answer)
    parts = [tool.description or "", "\n".join([*head, *rows]) if rows else ""]
    return "\n\n".join(filter(None, [*parts, f"Answer: {fields or 'text'}."]))


def problems() -> str:
    """Return a page of the errors: when each is raised, and what it says."""
    drawn = (inspect.getdoc(errors) or "").partition("\n\n")[2]
    parts = [ERRORS, f"```text\n{drawn}\n```"]
    for name, kind in vars(errors).items():
        if inspect.isclass(kind) and issubclass(kind, errors.HippocampusError):
            bases = ", ".join(f"`{base.__name__}`" for base in kind.__bases__)
            code = next((code for other, code in EXIT_CODES if issubclass(kind, other)), EXIT_USAGE)
            status = status_of(bare(kind))
            where = f"A kind of {bases}. REST: {status}. Command line: {code}."
            texts = "\n".join(f"- `{text}`" for text in messages().get(name, ())[:MOST])
            says = f"It says, for example:\n\n{texts}" if texts else ""
            parts.append(f"## {name}\n\n{where}\n\n{prose(kind)}\n\n{says}")
    return "\n\n".join(parts) + "\n"


def bare(kind: type[errors.HippocampusError]) -> errors.HippocampusError:
    """Return an error without its message, made as the built-in it is would be."""
    built_in: Any = kind
    while built_in.__module__ != "builtins":
        built_in = built_in.__base__
    made: errors.HippocampusError = built_in.__new__(kind)
    return made


@cache
def messages() -> Mapping[str, list[str]]:
    """Return the templates of messages by the names of errors, read from where they are made."""
    found: dict[str, list[str]] = {}
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).extend(own_message(node))
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
                found.setdefault(node.func.id, []).extend(templates(node.args[0]))
    return {name: list(dict.fromkeys(texts)) for name, texts in found.items()}


def own_message(node: ast.ClassDef) -> Iterator[str]:
    """Yield what a class hands on to the one above it as its message."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.args:
            above = call.func.value
            if call.func.attr == "__init__" and ast.unparse(above) == "super()":
                yield from templates(call.args[0])


def templates(node: ast.expr) -> list[str]:
    """Return the template of a text that is a sentence."""
    return [text] if " " in (text := template(node)) else []


def template(node: ast.expr) -> str:
    """Return a text with a name in braces for each value in it, or nothing if it is no text."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if not isinstance(node, ast.JoinedStr):
        return ""
    texts = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            name = next((n.id for n in ast.walk(part.value) if isinstance(n, ast.Name)), "value")
            texts.append(f"{{{name}}}")
        else:
            texts.append(template(part))
    return " ".join("".join(texts).split()).replace("`", "'")
