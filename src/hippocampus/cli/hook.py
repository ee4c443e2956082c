"""The command that coding agents call from their hooks: it recalls and remembers for them."""

from __future__ import annotations

from typing import Any

import typer

from hippocampus.cli.command import EXIT_NOTHING, Command, UsageError, verb
from hippocampus.cli.hook_events import BUDGET, HookCall, answer
from hippocampus.cli.options import BankScope


class _NoVeto(Command):
    """A command of which not even a wrong option ends in 2: for agents that means a veto."""

    def make_context(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - as Typer has it
        try:
            return super().make_context(*args, **options)
        except UsageError as exc:
            exc.exit_code = EXIT_NOTHING
            raise


@verb("hook", opens=None, cls=_NoVeto)
def hook(*, budget_tokens: int = BUDGET, at: str | None = None, scope: BankScope) -> None:
    """Recall and remember for a coding agent, from its hooks."""
    if not answer(HookCall(scope, budget_tokens, at)):
        raise typer.Exit(EXIT_NOTHING)
