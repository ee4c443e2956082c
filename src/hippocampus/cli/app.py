"""The application: every command, in the order in which ``--help`` teaches them."""

from __future__ import annotations

from typing import Annotated

import typer

from hippocampus.cli import (  # noqa: F401 - they make their functions commands
    chat,
    completion,
    demo,
    encryption,
    hook,
    know,
    mcp,
    models,
    proxy,
    read,
    serve,
    sleep,
    upkeep,
    write,
)
from hippocampus.cli.command import add_commands
from hippocampus.cli.plugins import Commands
from hippocampus.errors import DISTRIBUTION

app = typer.Typer(
    name="hippocampus",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 nothing found or problems found, 2 wrong call, 3 store,"
    " 4 model, 5 missing package, 130 interrupted. The same verbs are in Python:"
    " from hippocampus import Memory.",
)


def _version(value: bool) -> None:  # noqa: FBT001 - Typer's way to call it
    if value:
        from importlib.metadata import version  # noqa: PLC0415 - only when asked

        print(version(DISTRIBUTION))
        raise typer.Exit


@app.callback()
def root(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """
    Long-term memory for LLM agents, in one file.

    Begin with 'hippocampus remember "Lena moved to Porto."', then
    'hippocampus recall "where does Lena live?"'.
    """


add_commands(app)
