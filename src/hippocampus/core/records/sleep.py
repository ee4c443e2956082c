"""What sleep does: acts on episodes, its steps, and what language models were asked for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias

from hippocampus.core.lazy_dataclass import immutable

Deed: TypeAlias = Literal["merge", "fade", "lapse", "doubt", "clear", "annotate"]
"""What sleep may do to an episode: let another stand for it; show less of it; hide it; keep it from
being consolidated, and no longer; note what was said of it."""


class Act(NamedTuple):
    """
    One thing that a sleep does, or would do, to an episode; by row, and undone by its inverse.

    ``by``: the row that stands for it, or that says something of it. ``level``: how far it fades.
    """

    deed: Deed
    row: int
    why: str
    by: int | None = None
    level: int | None = None


@immutable
class Usage:
    """What language models were asked and answered, in tokens: what it costs."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: int = 0
    """Calls of which nobody said the tokens, so that they are a guess from the texts' length."""

    @property
    def total_tokens(self) -> int:
        """Tokens both ways."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            estimated=self.estimated + other.estimated,
        )

    def __str__(self) -> str:
        about = "about " if self.estimated else ""
        return (
            f"{self.calls:,} call{'' if self.calls == 1 else 's'} of a model, {about}"
            f"{self.prompt_tokens:,} tokens asked and {self.completion_tokens:,} answered"
        )


@immutable
class Deeds:
    """What a sleep did, or would do, to one episode, and why."""

    deed: Deed
    episode: str
    why: str
    by: str | None = None
    """The episode that stands for it, or that says something of it."""
    level: int | None = None
    """How far it fades."""

    def __str__(self) -> str:
        what = self.deed if self.level is None else f"{self.deed} to level {self.level}"
        return f"{what} {self.episode}{f' for {self.by}' if self.by else ''}: {self.why}"


@immutable
class SleepStep:
    """What one step of sleep did: how long it took, counts, and names worth knowing."""

    name: str
    elapsed_s: float
    counts: Mapping[str, int] = field(default_factory=dict)
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    skipped: str = ""
    """Why there was nothing to do; empty when it was done."""
    usage: Usage = Usage()
    """What a language model was asked for it."""
    deeds: tuple[Deeds, ...] = ()
    """What it did to single episodes, all of it for a dry run."""


@immutable
class Slept:
    """What a sleep did, step by step."""

    bank: str
    steps: tuple[SleepStep, ...]
    notes: tuple[str, ...] = ()
    """What whoever reads this should know."""
    number: int = 0
    """By which ``undo`` knows it; 0 for a dry run, which did nothing."""
    at: datetime | None = None
    """When it began."""

    def __getitem__(self, name: str) -> SleepStep:
        """Return a step by its name; ``KeyError`` for one that was not asked for."""
        for step in self.steps:
            if step.name == name:
                return step
        raise KeyError(name)

    def __str__(self) -> str:
        lines = [f"sleep {self.number}" if self.number else "a dry run: nothing was changed"]
        for step in self.steps:
            did = ", ".join(f"{count} {what}" for what, count in step.counts.items())
            paid = f"; {step.usage}" if step.usage.calls else ""
            lines.append(f"{step.name}: {step.skipped or did}{paid} ({step.elapsed_s:.2f} s)")
        return "\n".join([*lines, *self.notes])
