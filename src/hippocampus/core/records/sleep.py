"""Records of a sleep: acts on episodes, its steps, and its usage of language models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias

from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.records.sleep_words import (
    act_in_words,
    count_in_words,
    level_in_words,
    purpose_of,
)
from hippocampus.core.renamed import renamed

ActKind: TypeAlias = Literal["merge", "fade", "lapse", "doubt", "clear", "annotate"]
"""Acts of sleep on an episode: let another stand for it; show less of it; hide it; keep it from
being consolidated, and no longer; note what was said of it."""


class Act(NamedTuple):
    """
    One thing that a sleep does, or would do, to an episode; by row, and undone by its inverse.

    ``by``: the row that stands for it, or that says something of it. ``level``: how far it fades.
    """

    kind: ActKind
    row: int
    why: str
    by: int | None = None
    level: int | None = None


@immutable
class Usage:
    """Usage of language models, in tokens asked and answered: what it costs."""

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


@renamed({"deed": "kind"})
@immutable
class SleepAct:
    """Act of a sleep on one episode, done or planned, and why."""

    kind: ActKind
    episode: str
    why: str
    by: str | None = None
    """The episode that stands for it, or that says something of it."""
    level: int | None = None
    """Level to which it fades."""

    def __str__(self) -> str:
        how = "" if self.level is None else f" to {level_in_words(self.level)}"
        by = "" if self.by is None else f" {'into' if self.kind == 'merge' else 'to'} {self.by}"
        return f"{act_in_words(self.kind)} {self.episode}{how}{by}: {self.why}"


@renamed({"deeds": "acts"})
@immutable
class SleepStep:
    """Report of one step of sleep: how long it took, counts, and names worth knowing."""

    name: str
    elapsed_s: float
    counts: Mapping[str, int] = field(default_factory=dict)
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    skipped: str = ""
    """Why there was nothing to do; empty when it was done."""
    usage: Usage = Usage()
    """Requests to a language model for it."""
    acts: tuple[SleepAct, ...] = ()
    """Its acts on single episodes, all of them for a dry run."""

    def __str__(self) -> str:
        paid = f"; {self.usage}" if self.usage.calls else ""
        return f"{self.title}: {self.skipped or self.did or 'nothing new'}{paid}"

    @property
    def title(self) -> str:
        """Its name, and what it is for in plain English."""
        purpose = purpose_of(self.name)
        return f"{self.name} ({purpose})" if purpose else self.name

    @property
    def did(self) -> str:
        """Its counts in plain English, but for those of nothing; empty if there is no other."""
        return ", ".join(count_in_words(self.name, what, n) for what, n in self.counts.items() if n)


@immutable
class Slept:
    """Report of a sleep, step by step."""

    bank: str
    steps: tuple[SleepStep, ...]
    notes: tuple[str, ...] = ()
    """Remarks for whoever reads this."""
    number: int = 0
    """Number by which ``undo`` knows it; 0 for a dry run, which did nothing."""
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
        lines += (f"{step} ({step.elapsed_s:.2f} s)" for step in self.steps)
        return "\n".join([*lines, *self.notes])
