"""The last step of a context: its parts as one text, memories in order of time, quoted as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Literal, NamedTuple

from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.quotes import (
    CLOSE,
    MORE_CLOSE,
    MORE_OPEN,
    OPEN,
    RECENT_CLOSE,
    RECENT_OPEN,
    line,
    pointer_line,
    quote,
)
from hippocampus.core.records import Episode, Hit, Pointer
from hippocampus.encode.tokens import count
from hippocampus.errors import BudgetTooSmall


class OwnPart(NamedTuple):
    """A part of a prompt that the bank has itself, for one that nobody hands in."""

    name: Literal["persona", "projects", "summary"]
    lines: tuple[str, ...]
    """The text, the lines that matter most first."""
    tags: tuple[str, str]
    """Tags before and after it."""
    share: int
    """It takes at most one in so many of the tokens that are left."""

    def __str__(self) -> str:
        """Return the part as it stands in a prompt."""
        return "\n".join([self.tags[0], *map(quote, self.lines), self.tags[1]])


@immutable
class Frame:
    """The parts of a prompt that stand whole: before the memories, and the message after them."""

    system: str = ""
    persona: str = ""
    projects: str = ""
    summary: str = ""
    user: str = ""
    own: tuple[OwnPart, ...] = ()
    """Parts before the memories that are the bank's own, since nobody handed them in."""

    @property
    def before(self) -> list[str]:
        """The parts before the memories, in HEMA's order (section 3.5)."""
        parts: dict[Literal["persona", "projects", "summary"], str] = {
            "persona": self.persona, "projects": self.projects, "summary": self.summary,
        }  # fmt: skip
        own = {part.name: str(part) for part in self.own}
        given = (_tagged(name, text) or own.get(name, "") for name, text in parts.items())
        return [part for part in (self.system, *given) if part]

    @property
    def after(self) -> list[str]:
        """The message after them, if there is one."""
        return [_tagged("user", self.user)] if self.user else []

    def check(self, budget_tokens: int) -> int:
        """
        Return the tokens of the frame alone.

        Raises:
            BudgetTooSmall: they are more than ``budget_tokens``.

        """
        needed = count("\n\n".join([*self.before, *self.after]))
        if needed > budget_tokens:
            raise BudgetTooSmall(budget_tokens=budget_tokens, needed_tokens=needed)
        return needed


@immutable(kw_only=False)
class Renderer:
    """Renders the parts of a context."""

    frame: Frame
    zone: tzinfo
    marked: Mapping[str, Hit]
    """Hits that are over or corrected, by id; they say so, among the recent turns as well."""
    known: Sequence[str] = ()
    """The bank's gists, rendered."""

    def say(self, episode: Episode) -> str:
        """Return an episode as a line, with what recall knows of it."""
        hit = self.marked.get(episode.id)
        if hit is None:
            return line(episode, self.zone)
        return line(episode, self.zone, until=hit.valid_to, corrected=hit.corrected_by is not None)

    def cost(self, episode: Episode) -> int:
        """Return the tokens of an episode's line with its line break."""
        return count(self.say(episode)) + 1

    def render(
        self, hits: Sequence[Hit], recent: Sequence[Episode], left: Sequence[Pointer] = ()
    ) -> str:
        """Return the whole text."""
        parts = [*self.frame.before, *self.known]
        if hits:
            ordered = sorted((hit.episode for hit in hits), key=in_time)
            parts.append("\n".join([OPEN, *map(self.say, ordered), CLOSE]))
        if recent:
            told = list(reversed(recent))  # of one moment, too, the newest come first
            ordered = sorted(told, key=in_time)
            parts.append("\n".join([RECENT_OPEN, *map(self.say, ordered), RECENT_CLOSE]))
        if left:
            parts.append("\n".join([MORE_OPEN, *map(pointer_line, left), MORE_CLOSE]))
        return "\n\n".join([*parts, *self.frame.after])


def in_time(episode: Episode) -> tuple[object, ...]:
    """Return by what episodes are sorted, to stand in order of time."""
    # Turns of one moment, and parts of one turn, keep the order in which they were told.
    told = (episode.turn or 0, episode.part, episode.recorded_at)
    return (episode.occurred_at, episode.session or "", *told)


def _tagged(name: str, text: str) -> str:
    """Return a text between tags, nothing if it is empty."""
    return text and f"<{name}>\n{quote(text)}\n</{name}>"
