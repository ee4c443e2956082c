"""What a coding agent's hooks ask: it is read from stdin, answered, and kept. Without Typer."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hippocampus.cli.options import BankScope
from hippocampus.cli.plain_options import read_plain, whole
from hippocampus.errors import HippocampusError, InputError

if TYPE_CHECKING:
    from hippocampus.bank import Bank

BUDGET: Final = 1500
"""Most tokens to give an agent."""
_KEPT: Final = {
    "UserPromptSubmit": ("prompt", "user"),
    "Stop": ("last_assistant_message", "assistant"),
}
"""The events that bring something to remember: in which field, and in whose role."""
_OPTIONS: Final[Mapping[str, str]] = {
    "--budget": "budget_tokens", "--budget-tokens": "budget_tokens", "--at": "at",
}  # fmt: skip


class HookCall(NamedTuple):
    """How the command was called."""

    scope: BankScope
    budget_tokens: int = BUDGET
    at: str | None = None


def read_call(args: Sequence[str]) -> HookCall | None:
    """Read how the command was called, if that is plain; None if Typer is to read it."""
    plain = read_plain(args, _OPTIONS)
    budget = whole((plain or {}).pop("budget_tokens", str(BUDGET)))
    if plain is None or budget is None:
        return None
    at = plain.pop("at", None)
    return HookCall(BankScope(**plain), budget, at)  # type: ignore[arg-type]  # all are text


def answer(call: HookCall) -> bool:
    """Answer the event on stdin; return whether all went well. What did not is told."""
    try:
        _answer(_read(), call)
    except (HippocampusError, OSError) as exc:
        from hippocampus.cli.render import complain  # noqa: PLC0415 - brings Rich

        complain(str(exc))
        return False
    return True


def _answer(event: Mapping[str, Any], call: HookCall) -> None:
    kind, scope = event.get("hook_event_name"), call.scope
    if kind == "SessionStart":
        with scope.open_bank(create=True, embed=False) as bank:
            _begin(bank, event, call.budget_tokens)
        return
    field, role = _KEPT.get(kind if isinstance(kind, str) else "", ("", ""))
    text = _text(event, field)
    if not text or _is_chatter(text):
        return
    with scope.open_bank(create=True, embed=True) as bank:
        if role == "user":
            _recall(bank, text, call.budget_tokens)
        bank.remember(text, at=call.at, role=role, session=_text(event, "session_id") or None)


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
