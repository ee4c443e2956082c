"""The command that coding agents call from their hooks: it recalls and remembers for them."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast

import typer
from typer.core import TyperCommand

from hippocampus.cli.command import EXIT_NOTHING, verb
from hippocampus.cli.options import BankScope
from hippocampus.cli.render import complain
from hippocampus.errors import HippocampusError, InputError

if TYPE_CHECKING:
    from hippocampus.bank import Bank

_UsageError: Final = cast(type[typer.BadParameter], typer.BadParameter.__mro__[1])
"""An option that is wrong or not there; Typer has no public name for it."""


class _NoVeto(TyperCommand):
    """A command of which not even a wrong option ends in 2: for agents that means a veto."""

    def make_context(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - as Typer has it
        try:
            return super().make_context(*args, **options)
        except _UsageError as exc:
            exc.exit_code = EXIT_NOTHING
            raise


@verb("hook", opens=None, cls=_NoVeto)
def hook(*, budget_tokens: int = 1500, scope: BankScope) -> None:
    """Recall and remember for a coding agent, from its hooks."""
    try:
        event = _read()
        if event.get("hook_event_name") == "UserPromptSubmit":
            with scope.open_bank(create=True, embed=True) as bank:
                _recall(bank, event, budget_tokens)
                _remember(bank, event, "prompt", "user")
        elif event.get("hook_event_name") == "Stop":
            with scope.open_bank(create=True, embed=True) as bank:
                _remember(bank, event, "last_assistant_message", "assistant")
    except (HippocampusError, OSError) as exc:
        complain(str(exc))
        raise typer.Exit(EXIT_NOTHING) from None


def _read() -> Mapping[str, Any]:
    try:
        event = json.loads(sys.stdin.buffer.read())
    except (ValueError, RecursionError) as exc:
        msg = f"stdin: not a hook's event in JSON ({exc}); call this from an agent's hooks"
        raise InputError(msg) from exc
    if not isinstance(event, Mapping):
        msg = f"stdin: a hook's event is a JSON object, not {type(event).__name__}"
        raise InputError(msg)
    return event


def _text(event: Mapping[str, Any], name: str) -> str:
    value = event.get(name)
    return value if isinstance(value, str) and value.strip() else ""


def _recall(bank: Bank, event: Mapping[str, Any], budget_tokens: int) -> None:
    prompt = _text(event, "prompt")
    made = bank.context(prompt, budget_tokens) if prompt else None
    if made is not None and made.recall.found and made.items:
        print(made.text)


def _remember(bank: Bank, event: Mapping[str, Any], name: str, role: str) -> None:
    text = _text(event, name)
    if text:
        bank.remember(text, role=role, session=_text(event, "session_id") or None)
