"""
Texts as PostgreSQL can keep them: it has no character of code 0, which ours may have.

Such a character is written as two others that nobody uses, the first of which is escaped likewise.
Whatever begins with a text still does so, and order is kept but for these.
"""

from __future__ import annotations

from typing import Any, Final

from psycopg.types.string import StrDumper, TextLoader

_ESCAPE: Final = "\U0010fffe"
"""No character, and never will be one."""


def escaped(text: str) -> str:
    """Return a text as it is kept."""
    if "\0" in text or _ESCAPE in text:
        return text.replace(_ESCAPE, f"{_ESCAPE}1").replace("\0", f"{_ESCAPE}0")
    return text


def unescaped(kept: str) -> str:
    """Return a text as it was given."""
    parts = kept.split(_ESCAPE)
    return parts[0] + "".join(("\0", _ESCAPE)[part[:1] == "1"] + part[1:] for part in parts[1:])


class TextDumper(StrDumper):
    """Writes texts."""

    def dump(self, obj: str) -> Any:  # noqa: ANN401 - as psycopg has it
        """Return the bytes of a text."""
        return super().dump(escaped(obj))


class TextReader(TextLoader):
    """Reads texts."""

    def load(self, data: Any) -> Any:  # noqa: ANN401 - as psycopg has it
        """Return the text of some bytes."""
        text = bytes(data).decode()
        return unescaped(text) if _ESCAPE in text else text
