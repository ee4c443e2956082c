"""The command that coding agents call from their hooks: it recalls and remembers for them."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import typer

from hippocampus.cli.command import EXIT_NOTHING, Command, UsageError, verb
from hippocampus.cli.options import BankScope
from hippocampus.cli.render import complain
from hippocampus.errors import HippocampusError, InputError

if TYPE_CHECKING:
    from hippocampus.bank import Bank


_KEPT: Final = {
    "UserPromptSubmit": ("prompt", "user"),
    "Stop": ("last_assistant_message", "assistant"),
}
"""The events that bring something to remember: in which field, and in whose role."""


class _NoVeto(Command):
    """A command of which not even a wrong option ends in 2: for agents that means a veto."""

    def make_context(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - as Typer has it
        try:
            return super().make_context(*args, **options)
        except UsageError as exc:
            exc.exit_code = EXIT_NOTHING
            raise


@verb("hook", opens=None, cls=_NoVeto)
def hook(*, budget_tokens: int = 1500, at: str | None = None, scope: BankScope) -> None:
    """Recall and remember for a coding agent, from its hooks."""
    try:
        event = _read()
        kind = event.get("hook_event_name")
        if kind == "SessionStart":
            with scope.open_bank(create=True, embed=False) as bank:
                _begin(bank, event, budget_tokens)
            return
        field, role = _KEPT.get(kind if isinstance(kind, str) else "", ("", ""))
        text = _text(event, field)
        if not text or _is_chatter(text):
            return
        with scope.open_bank(create=True, embed=True) as bank:
            if role == "user":
                _recall(bank, text, budget_tokens)
            bank.remember(text, at=at, role=role, session=_text(event, "session_id") or None)
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


def _is_chatter(text: str) -> bool:
    """Return whether a text says nothing to look for, or to keep."""
    from hippocampus.language.chatter import is_chatter  # noqa: PLC0415 - brings NumPy

    return is_chatter(text)


def _begin(bank: Bank, event: Mapping[str, Any], budget_tokens: int) -> None:
    """Print the profile, and after a compaction what of the conversation matters."""
    from hippocampus.bank.profile import render_profile  # noqa: PLC0415 - brings NumPy

    session = _text(event, "session_id")
    parts = [render_profile(bank.profile())]
    if _text(event, "source") == "compact" and session:
        parts.append(bank.compact_session(session, budget_tokens).text)
    told = "\n\n".join(filter(None, parts))
    if told:
        print(told)


def _recall(bank: Bank, prompt: str, budget_tokens: int) -> None:
    made = bank.context(prompt, budget_tokens, persona="", projects="")  # told at the beginning
    if made.recall.found and made.items:
        print(made.text)
