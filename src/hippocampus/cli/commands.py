"""
The application: every command, in the order in which ``--help`` teaches them.

A command is made when it is called, or when somebody wants to see all of them: to import every
module and describe every option to Typer takes four times as long as one command of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Annotated, Any, Final

import typer

from hippocampus.cli.command import HELP, UsageError, make_command
from hippocampus.cli.plugins import Commands
from hippocampus.errors import VERSION

HOMES: Final[Mapping[str, str]] = {
    name: module
    for module, names in {
        "chat": "chat",
        "cluster": "cluster",
        "completion": "completion",
        "connect": "connect disconnect",
        "demo": "demo",
        "encryption": "encrypt decrypt encryption",
        "hook": "hook",
        "init": "init",
        "know": "facts people summary profile gists topics communities anchors",
        "mcp": "mcp",
        "models": "models",
        "plan": "plan",
        "postgres": "postgres",
        "projects": "project",
        "proxy": "proxy",
        "read": "recall explain context compact-session find count count-events trend episodes show"
        " history stats status sources sessions banks",
        "scopes": "include promote demote",
        "serve": "serve ui keys",
        "sleep": "sleep policy pin hold release quarantine review reveal feedback",
        "upkeep": "verify scan doctor reindex reembed calibrate compact shrink backup export move",
        "write": "remember import correct forget restore",
    }.items()
    for name in names.split()
}
"""The module beside this one in which a command or a group of them is."""


class _Made(MutableMapping[str, Any]):
    """Commands by name, each made when it is first looked up; others may be added."""

    def __init__(self) -> None:
        names = (name for name in HELP if name != "shared" and " " not in name)
        self._made: dict[str, Any] = dict.fromkeys(names)

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - Click's or Typer's own
        if self._made[name] is None:
            import_module(f"hippocampus.cli.{HOMES[name]}")
            self._made[name] = make_command(name)
        return self._made[name]

    def __setitem__(self, name: str, command: object) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._made

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)


_ELSEWHERE: Final[Mapping[str, str]] = {
    "recall": "search ask query answer retrieve",
    "episodes": "list ls all timeline memories",
    "forget": "delete del remove rm erase",
    "restore": "undo undelete unforget",
    "remember": "add store save note put write",
    "correct": "edit update change replace fix",
    "show": "get read view cat",
    "history": "log journal changes audit",
    "stats": "info size",
}
"""Commands of ours, and what other programs call the same."""


class _Own(Commands):
    def __init__(self, **how: Any) -> None:  # noqa: ANN401 - as Typer has it
        super().__init__(**how)
        self.commands = _Made()

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 - as Typer has it
        """Find the command that was called; one that other programs have leads to ours."""
        try:
            return super().resolve_command(ctx, args)
        except UsageError as exc:
            name = args[0].lower()
            meant = next((own for own, names in _ELSEWHERE.items() if name in names.split()), None)
            if meant is not None:
                exc.message = f"No such command {args[0]!r}. Did you mean {meant!r}?"
            raise


app = typer.Typer(
    name="hippocampus",
    cls=_Own,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,  # the command "completion" does it
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 nothing found or problems found, 2 wrong call, 3 store,"
    " 4 model, 5 missing package, 130 interrupted. The same verbs are in Python:"
    " from hippocampus import Memory.",
)


def _version(value: bool) -> None:  # noqa: FBT001 - Typer's way to call it
    if value:
        print(VERSION)
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

    Begin with 'hippocampus init', or 'hippocampus remember "Lena moved to Porto."' and then
    'hippocampus recall "where does Lena live?"'.
    """
