"""Stage the documentation: the repository's pages, and what the code says of each part."""

from __future__ import annotations

import ast
import inspect
import json
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import typer.main

import hippocampus
from hippocampus import AsyncBank, AsyncMemory, Bank, Memory, errors
from hippocampus.cli.commands import app
from hippocampus.core import config
from hippocampus.server import create_app

ROOT = Path(__file__).parents[2]
STAGED = ROOT / "build" / "docs"
PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "README.md")
FOLDERS = ("docs", "changelog.d")
HOME = "index.md"
SHOWN = re.compile(r"[a-z_0-9]+(@\d+)?(/turns=\d+)?")
"""Measures of a report that its page shows: all but those of one kind of question, rank or cue."""
MOST = 8
"""Measures in a row; the report has all."""
SETTINGS = """# Settings

Every default, its unit, and where it comes from, as `hippocampus.core.config` has them. Pass
`Config(...)` to `Memory`; a policy belongs to a bank ([sleep](../sleep.md))."""
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
REPORTS = """# Reports

Every committed report of `evaluation/results/`, with 95 % bootstrap intervals below each figure;
[how they are made](../evaluation.md)."""
_LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
_FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


def main() -> None:
    """Write the pages to where ``zensical build`` takes them from."""
    shutil.rmtree(STAGED, ignore_errors=True)
    for page in PAGES:
        stage(ROOT / page)
    for folder in FOLDERS:
        for page in sorted((ROOT / folder).rglob("*.md")):
            stage(page)
    shutil.copy(ROOT / "docs" / "site.css", STAGED / "docs")
    made: dict[str, Callable[[], str]] = {
        "docs/reference/python.md": python,
        "docs/reference/cli.md": commands,
        "docs/reference/rest.md": rest,
        "docs/reference/settings.md": settings,
        "docs/reference/errors.md": problems,
        "docs/reference/reports.md": reports,
        "docs/adr/index.md": decisions,
        "changelog.d/index.md": changes,
    }
    for place, make in made.items():
        write(STAGED / place, make())


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def stage(page: Path) -> None:
    """Copy a page, and what it shows or links to that is none."""
    text = page.read_text(encoding="utf-8")
    fences = [(found.start(), found.end()) for found in _FENCED.finditer(text)]

    def lead(found: re.Match[str]) -> str:
        target = found[2]
        if "://" in target or any(a <= found.start() < b for a, b in fences):
            return found[0]
        there = (page.parent / target).resolve()
        if there.is_dir():
            return f"{found[1]}{target.rstrip('/')}/index.md{found[3]}"
        if there == ROOT / "README.md":
            target = target.replace("README.md", HOME)
        elif there.suffix != ".md":
            copy = STAGED / there.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(there, copy)
        return f"{found[1]}{target}{found[3]}"

    place = page.relative_to(ROOT).as_posix()
    write(STAGED / (HOME if place == "README.md" else place), _LINK.sub(lead, text))


# ---------------------------------------------------------------- what the code says of itself


def python() -> str:
    """Return a page of every public class and verb, as their docstrings have it."""
    parts = ["# Python\n\nEvery public name of `import hippocampus`.\n"]
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
    return "\n\n".join(parts) + "\n"


def verbs(kind: type, twin: type) -> list[str]:
    """Return the verbs and properties of a class, in its twin's order: those both have."""
    own = [*vars(twin), "policy", "sleeping"]
    return [name for name in dict.fromkeys(own) if not name.startswith("_") and hasattr(kind, name)]


def verb(kind: type, name: str) -> str:
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
    return re.sub(r"``([^`]+)``", r"`\1`", "\n".join(lines)) + "\n"


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
            re.sub(r"``([^`]+)``", r"`\1`", told).replace("|", "\\|"),
        )


def settings() -> str:
    """Return a page of every setting with its default, unit and source."""
    parts = [SETTINGS]
    own = [kind for _, kind in inspect.getmembers(config, inspect.isclass)]
    own = [kind for kind in own if kind.__module__ == config.__name__]
    for kind in sorted(own, key=lambda kind: inspect.getsourcelines(kind)[1]):
        rows = [
            f"| `{name}` | `{default}` | `{type_}` | {told} |"
            for name, type_, default, told in documented(kind)
        ]
        if rows:
            table = "\n".join(["| setting | default | type | |", "|---|---|---|---|", *rows])
            parts.append(f"## {kind.__name__}\n\n{prose(kind)}\n{table}")
    parts.append(f"## From the environment\n\n{environment()}")
    return "\n\n".join(parts) + "\n"


def environment() -> str:
    """Return a table of the variables that the command line reads."""
    found: dict[str, str] = {}
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


def problems() -> str:
    """Return a page of the errors, as the tree that a caller can catch at any height."""
    drawn = inspect.getdoc(errors) or ""
    parts = [f"# Errors\n\n```text\n{drawn}\n```"]
    for name, kind in vars(errors).items():
        if inspect.isclass(kind) and issubclass(kind, errors.HippocampusError):
            bases = ", ".join(f"`{base.__name__}`" for base in kind.__bases__)
            parts.append(f"## {name}\n\nIs a {bases}. {prose(kind)}")
    return "\n\n".join(parts) + "\n"


# ---------------------------------------------------------------- what was measured and decided


def reports() -> str:
    """Return a page of every committed report: what was measured, with its interval."""
    parts = [REPORTS]
    for path in sorted((ROOT / "evaluation" / "results").glob("*.json")):
        report = json.loads(path.read_text(encoding="utf-8"))
        where = f"../../evaluation/results/{path.name}"
        copy = STAGED / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
        plots = sorted(path.parent.glob(f"{path.stem}*.png"))
        parts.append(f"## {path.stem}\n\n[All of it]({where}) · commit `{report['commit'][:12]}`")
        parts += measured(report)
        for plot in plots:
            shutil.copy(plot, STAGED / plot.relative_to(ROOT))
            parts.append(f"![{plot.stem}](../../evaluation/results/{plot.name})")
    return "\n\n".join(parts) + "\n"


def measured(report: dict[str, Any]) -> Iterator[str]:
    """Yield a table of a report, if it has measures: a line for ours, and for each baseline."""
    systems = {"hippocampus": report, **report.get("baselines", {})}
    names = [name for name in report.get("metrics", {}) if SHOWN.fullmatch(name)][:MOST]
    if names:
        lines = [
            f"| | {' | '.join(f'`{name}`' for name in names)} |",
            "|---" * (len(names) + 1) + "|",
        ]
        for system, one in systems.items():
            cells = (shown(one.get("metrics", {}).get(name)) for name in names)
            lines.append(f"| {system} | {' | '.join(cells)} |")
        yield "\n".join(lines)


def shown(found: dict[str, float] | None) -> str:
    if found is None:
        return ""
    interval = f"{found['low']:.3g} to {found['high']:.3g}"
    return f"{found['value']:.3g}<br><small>{interval}</small>"


def decisions() -> str:
    return listing("Decisions", ROOT / "docs" / "adr")


def changes() -> str:
    return listing("Changes", ROOT / "changelog.d")


def listing(title: str, folder: Path) -> str:
    """Return a page that leads to those of a folder, by their first lines."""
    rows = []
    for page in sorted(folder.glob("*.md")):
        first = page.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
        rows.append(f"- [{first}]({page.name})")
    return "\n".join([f"# {title}", "", *rows]) + "\n"


if __name__ == "__main__":
    sys.exit(main())
