"""The command that coding agents call from their hooks: it recalls and remembers for them."""

from __future__ import annotations

import os
from contextvars import ContextVar
from typing import Any, Final, Literal

import typer

from hippocampus.cli.command import EXIT_NOTHING, Command, UsageError, verb
from hippocampus.cli.hook_events import BUDGET, HookCall, answer
from hippocampus.cli.options import BankScope

_named: Final[ContextVar[bool]] = ContextVar("_named", default=False)
"""Whether the call names a bank; one that it does not name is that of the project."""


class _NoVeto(Command):
    """A command of which not even a wrong option ends in 2: for agents that means a veto."""

    def make_context(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - as Typer has it
        # Seen before Typer reads it: afterwards a default looks as if it had been given.
        given = any(str(arg).partition("=")[0] == "--bank" for arg in args[1])
        _named.set(given or bool(os.environ.get("HIPPOCAMPUS_BANK")))
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
    call = HookCall(scope, budget_tokens, at, agent, chosen=_named.get(), sleeps=not no_sleep)
    if not answer(call):
        raise typer.Exit(EXIT_NOTHING)
