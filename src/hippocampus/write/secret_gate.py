"""The gate for secrets: those of a turn are kept, redacted, sealed or refused, as is configured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from hippocampus.core.config import Secrets
from hippocampus.core.records import Turn
from hippocampus.errors import InputError, SecretRefused
from hippocampus.language.secrets import DEEPEST, SecretFinder, change_texts
from hippocampus.write.vault import VAULT, Vault

_DIGITS: Final = 6
"""Of a number behind a name; others that somebody made up are read in part."""


class SecretGate:
    """Gate for the secrets of all that is to be kept, however it comes in."""

    def __init__(self, how: Secrets, finder: SecretFinder, vault: Vault | None) -> None:
        self._how = how.write
        self._finder = finder
        self._vault = vault

    def turn(self, turn: Turn) -> Turn:
        """
        Return a turn as it may be kept.

        Raises:
            SecretRefused: it holds a secret, and none may be kept.

        """
        if self._how == "keep":
            return turn
        text, metadata = self.pass_in(turn.text, turn.metadata)
        return replace(turn, text=text, metadata=metadata)

    def pass_in(self, text: str, metadata: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
        """Return a text and its metadata as they may be kept, as ``turn`` does."""
        if self._how == "refuse":
            _refuse(text, metadata, self._finder)
        if self._how == "redact":
            return self._finder.redact(text), self._finder.redact_fields(metadata)
        if self._how == "vault" and self._vault is not None:
            return _sealed(text, metadata, self._finder, self._vault)
        return text, metadata

    def without_secrets(
        self, text: str, metadata: Mapping[str, Any]
    ) -> tuple[str, Mapping[str, Any]]:
        """Return both as they may be shown: no secret, nor what was sealed."""
        sealed = isinstance(metadata.get(VAULT), Mapping)
        shown = {key: one for key, one in metadata.items() if key != VAULT or not sealed}
        return self._finder.redact(text), self._finder.redact_fields(shown)


def _refuse(text: str, metadata: Mapping[str, Any], finder: SecretFinder) -> None:
    for where, words in (("the text", text), ("its metadata", _spelled(metadata))):
        found = finder.find(words)
        if found:
            kinds = ", ".join(sorted({span.kind for span in found}))
            raise SecretRefused(
                f"{where} holds what looks like a secret ({kinds}, the first at character"
                f" {found[0].start}), and Secrets.write is 'refuse'; leave it out, or say"
                " 'redact'"
            )


def _sealed(
    text: str, metadata: Mapping[str, Any], finder: SecretFinder, vault: Vault
) -> tuple[str, Mapping[str, Any]]:
    """Return both with names in the place of secrets, and these sealed in the metadata."""
    before = metadata.get(VAULT, {})
    if not isinstance(before, Mapping) or not all(isinstance(v, str) for v in before.values()):
        raise InputError(f"metadata {VAULT!r} is where sealed secrets are kept; name it otherwise")
    sealed = dict(before)  # of what is worded anew

    def put_away(words: str, label: str = "") -> str:
        def name(kind: str, secret: str) -> str:
            value = vault.seal(kind, secret)
            known = (n for n, old in sealed.items() if old == value and n.startswith(f"{kind} "))
            found = next(known, None) or f"{kind} {_next_number(sealed)}"
            sealed[found] = value
            return f"[{found}]"

        return finder.redact(words, name, label=label)

    rest = {key: value for key, value in metadata.items() if key != VAULT}
    text, rest = put_away(text), change_texts(rest, put_away)
    shown = f"{text}\n{_spelled(rest)}"
    sealed = {name: value for name, value in sealed.items() if f"[{name}]" in shown}
    return text, {**rest, VAULT: sealed} if sealed else rest


def _next_number(names: Iterable[str]) -> int:
    """Return a number that none of the names ends with."""
    numbers = [name.rpartition(" ")[2][-_DIGITS:] for name in names]
    return 1 + max((int(number) for number in numbers if number.isdecimal()), default=0)


def _spelled(value: Any, depth: int = 0) -> str:  # noqa: ANN401 - JSON
    """Return the texts in metadata, a line each, with the names that they have there."""
    if isinstance(value, str):
        return value
    if depth > DEEPEST:
        return ""
    if isinstance(value, Mapping):
        lines = (f"{key}: {_spelled(one, depth + 1)}" for key, one in value.items())
    elif isinstance(value, list | tuple):
        lines = (_spelled(one, depth + 1) for one in value)
    else:
        return ""
    return "\n".join(lines)
