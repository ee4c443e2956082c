"""
Commands from other distributions, found by entry points of the group ``hippocampus.commands``.

The entry point's name is the command's name; its value names a function that is called with a
``typer.Typer`` and registers the command on it, as ``register`` does in the modules beside this
one. Entry points are read only for the list of commands and for a name that is no command of this
distribution, because reading them takes milliseconds that every other command would wait for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import typer.main
from typer.core import TyperGroup

from hippocampus.cli.command import tell_errors
from hippocampus.errors import BENCH, MissingExtra

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP: Final = "hippocampus.commands"
APART: Final[Mapping[str, str]] = {"bench": BENCH}
"""Commands of this project that another distribution brings, and which."""


class Commands(TyperGroup):
    """The group of all commands: those registered here first, then those of entry points."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002 - as Typer has it
        """Return the names of all commands, other distributions' after ours."""
        self._add_found()
        return list(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401
        """Return a command; None if there is none of that name, or it cannot be loaded."""
        if cmd_name not in self.commands:
            self._add_found()
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401
        """Find the command that was called; one that is not installed ends with how to get it."""
        unusable = {} if args[0] in self.commands else self._add_found()
        if args[0] in unusable:
            with tell_errors(debug=False):
                raise unusable[args[0]]
        return super().resolve_command(ctx, args)

    def _add_found(self) -> dict[str, MissingExtra]:
        """Add the commands of entry points; return why some cannot be, by their names."""
        from importlib.metadata import entry_points  # noqa: PLC0415 - only when asked

        unusable = {
            name: MissingExtra(f"hippocampus {name}", package=distribution, extra=None)
            for name, distribution in APART.items()
        }
        for found in entry_points(group=GROUP):
            if found.name not in self.commands:
                try:
                    self.add_command(_load(found), found.name)
                except MissingExtra as exc:
                    unusable[found.name] = exc
        return {name: why for name, why in unusable.items() if name not in self.commands}


def _load(found: EntryPoint) -> Any:  # noqa: ANN401
    """
    Return the command that an entry point registers.

    Raises:
        MissingExtra: the entry point leads to nothing, as after a half-removed installation.

    """
    added = typer.Typer()
    try:
        found.load()(added)
        return typer.main.get_group(added).commands[found.name]
    except (ImportError, AttributeError, KeyError) as exc:
        package = APART.get(found.name) or (found.dist.name if found.dist else found.module)
        why = MissingExtra(f"hippocampus {found.name}", package=package, extra=None)
        why.add_note(f"it is there, but cannot be loaded: {exc!r}")
        raise why from exc
