"""A session as turns: what the user said, and what the agent came to in the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from hippocampus.core.records import Turn
from hippocampus.language.session_words import LONGEST_TURN, kept_words, own_words
from hippocampus.sources.agents.log import SessionLog

_LONGEST_ID: Final = 200
"""Characters of ids that another program made, so that a damaged log makes no endless key. Chosen
by hand."""


@dataclass(slots=True)
class Utterance:
    """Words as a log has them: whose, when, and where in it."""

    text: str
    at: datetime | None
    place: str
    """Place in the log, which tells it from everything else there."""
    about: Mapping[str, Any] = field(default_factory=dict)


class Talk:
    """
    One session that is being read.

    An agent tells what it is about to do, uses a tool, tells more, and at last says what came of
    it. What is kept of it is what it said after its last tool, when the user speaks again.
    """

    def __init__(self, log: SessionLog, session: str | None) -> None:
        self._log = log
        self.session = session
        self._at: datetime | None = None
        self._waiting: list[str] = []
        self._first: Utterance | None = None
        self._count = self._length = 0

    def user(self, said: Utterance) -> Iterator[Turn]:
        """Take a text of the user, which shows that the agent's last text was its answer."""
        own = own_words(said.text)
        if not own:
            self._leave("notes of the tool")
            return
        yield from self.end()
        yield from self._kept(own, said, "user")

    def assistant(self, said: Utterance) -> None:
        """Take a text of the agent, which may not be its last word."""
        text = said.text.strip()
        if not text:
            return
        # An answer of several messages has the time and the place of its first.
        self._first = self._first or replace(said, text="")
        self._count += 1
        if self._length < LONGEST_TURN:  # of more nothing would be kept
            self._waiting.append(text[:LONGEST_TURN])
            self._length += len(self._waiting[-1])

    def tool(self) -> None:
        """Take note that a tool is used: what was said before it was not the answer."""
        self._leave("uses of tools")
        self._drop()

    def end(self) -> Iterator[Turn]:
        """Yield the agent's last text."""
        text, first = "\n\n".join(self._waiting), self._first
        self._forget()
        if first is not None:
            yield from self._kept(text, first, "assistant")

    def _forget(self) -> None:
        self._waiting.clear()
        self._first, self._count, self._length = None, 0, 0

    def _kept(self, said_text: str, said: Utterance, role: str) -> Iterator[Turn]:
        text = kept_words(said_text)
        if text:
            yield self._turn(text, said, role)
        else:
            self._leave("chatter and pasted text")

    def _drop(self) -> None:
        if self._count:
            self._leave("what the agent said between tools", self._count)
            self._forget()

    def _leave(self, kind: str, count: int = 1) -> None:
        self._log.left_out[kind] += count

    def _turn(self, text: str, said: Utterance, role: str) -> Turn:
        # What has no time is of the time of what was said before it.
        self._at = said.at or self._at or self._log.modified
        session = (self.session or self._log.path)[:_LONGEST_ID]
        return Turn(
            text=text,
            at=self._at,
            role=role,
            session=session,
            source=self._log.path,
            address=f"{self._log.path}#{said.place[:_LONGEST_ID]}",
            metadata=said.about,
        )
