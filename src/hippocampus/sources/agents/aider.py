"""Read the chat history that aider keeps as Markdown in each project."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from hippocampus.core.records import Turn
from hippocampus.language.session_words import LONGEST_READ
from hippocampus.sources.agents.log import SessionLog, lines
from hippocampus.sources.agents.talk import Talk, Utterance
from hippocampus.sources.base import Item, metadata
from hippocampus.sources.timestamps import read_moment

_STARTED: Final = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)")
_COMMANDS: Final = ("/", "!")


class _AiderHistory:
    """The chat that is being read: whose lines the last ones were, and what they say so far."""

    def __init__(self, log: SessionLog) -> None:
        self.log = log
        self.talk = Talk(log, None)
        self.about: dict[str, Any] = metadata(tool="aider", project=log.folder)
        self.started: str | None = None
        self.role = ""
        self.text: list[str] = []
        self.length = 0
        self.messages = 0

    def line(self, line: str) -> Iterator[Item]:
        if started := _STARTED.match(line):
            yield from self.close()
            yield from self.talk.end()
            self.started, self.messages = started[1], 0
            self.talk = Talk(self.log, f"aider {started[1]}")
        elif line.startswith("#### "):
            yield from self.take("user", line[5:])
        elif line.startswith("> ") or line == ">":
            yield from self.take("tool", "")
        else:
            yield from self.take("assistant", line)

    def take(self, role: str, line: str) -> Iterator[Item]:
        blank = not line.strip()
        # A blank line is nobody's: it stands between the messages of all.
        if role != self.role and not (role == "assistant" and blank):
            yield from self.close()
            self.role = role
        if role != "tool" and self.length < LONGEST_READ:  # of more nothing would be looked at
            self.text.append(line[:LONGEST_READ])
            self.length += len(self.text[-1]) + 1

    def close(self) -> Iterator[Item]:
        """Hand on the message that ends here."""
        text, role = "\n".join(self.text).strip(), self.role
        self.text, self.length, self.role = [], 0, ""
        if role == "tool":
            self.log.left_out["output of tools"] += 1
        if not text or role == "tool":
            return
        if role == "user" and text.startswith(_COMMANDS):
            self.log.left_out["commands"] += 1
            return
        self.messages += 1
        place = f"{self.started or 'chat'}.message-{self.messages}"
        said = Utterance(text, read_moment(self.started), place, self.about)
        if role == "user":
            yield from self.talk.user(said)
        elif role == "assistant":
            self.talk.assistant(said)


def read_aider(log: SessionLog) -> Iterator[Item]:
    """
    Yield the user's words to aider, and its answers; output of its tools is no memory.

    A chat has the time at which it was started, and none for its messages.
    """
    history = _AiderHistory(log)
    for _, line, _ in lines(log):
        yield from history.line(line.decode("utf-8", "replace"))
    yield from history.close()
    yield from history.talk.end()


def read_found_aider(log: SessionLog) -> Iterator[Item]:
    """Yield likewise the turns of a history that nobody named, as a record of others' words."""
    for item in read_aider(log):
        yield replace(item, origin="import") if isinstance(item, Turn) else item
