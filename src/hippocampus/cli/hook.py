"""The command that coding agents call from their hooks: it recalls and remembers for them."""

from __future__ import annotations

from typing import Any, Literal

import typer

from hippocampus.cli.command import EXIT_NOTHING, ByProject, UsageError, names_bank, verb
from hippocampus.cli.hook_events import BUDGET, HookCall, answer
from hippocampus.cli.options import BankScope


class _NoVeto(ByProject):
    """A command of which not even a wrong option ends in 2: for agents that means a veto."""

    def make_context(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - as Typer has it
        try:
            return super().make_context(*args, **options)
        except UsageError as exc:
            exc.exit_code = EXIT_NOTHING
            raise


@verb("hook", opens=None, cls=_NoVeto)
def hook(
    *,
    budget_tokens: int = BUDGET,
    at: str | None = None,
    agent: Literal["", "claude-code", "codex", "cursor", "gemini", "opencode"] = "",
    no_sleep: bool = False,
    scope: BankScope,
) -> None:
    """Recall and remember for a coding agent, from its hooks."""
    call = HookCall(scope, budget_tokens, at, agent, chosen=names_bank(), sleeps=not no_sleep)
    if not answer(call):
        raise typer.Exit(EXIT_NOTHING)
