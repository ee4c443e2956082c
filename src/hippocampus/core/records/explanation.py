"""Records of an explained recall: how the question was read, who proposed what, what counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime, timedelta
from typing import Final

from hippocampus.core.cue_names import CUE_WORDS
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.records.episode import Interval
from hippocampus.core.records.recall import Recall


@immutable
class WordRead:
    """A word of a question: its share of what all of them weigh, and how many memories have it."""

    word: str
    share: float
    memories: int


@immutable
class QuestionRead:
    """Reading of a question; see ``docs/explain.md``."""

    text: str
    words: tuple[WordRead, ...] = ()
    asks_for: tuple[str, ...] = ()
    """The kinds of answer its words ask for, a phrase each: "a time", "the latest of something"."""
    speakers: tuple[str, ...] = ()
    """Speakers of the bank whom it is about."""
    times: tuple[Interval, ...] = ()
    """Times that it names, those of events among them."""
    only: tuple[str, ...] = ()
    """Filters that were given, a phrase each; the times of events as they were found."""


@immutable
class CueAccount:
    """Account of one cue, or of another way to candidates, in a recall."""

    cue: str
    weight: float
    """Of a standard deviation of what it says of the candidates; 0: it counts in other ways."""
    proposed: int
    """Memories that it proposed; of a small bank, all are weighed, and nothing is proposed."""
    in_time: int = 0
    """Of those, memories of the time that the question names, for which it was asked again."""
    alone: int = 0
    """Of those, memories that nobody else proposed."""
    shown: int = 0
    """Of those, memories among the hits."""
    bank: str = ""
    """The bank whose cue it is, where several were asked together; else empty."""


@immutable
class MemoryAccount:
    """Why one memory is among the hits, or is not."""

    id: str
    text: str
    """Its beginning."""
    speaker: str | None
    occurred_at: datetime
    place: int | None
    """Its place among all candidates, 1 for the best; None: it was none."""
    shown: bool
    ranking_score: float = 0.0
    """Sum of ``parts``, in standard deviations; only comparable within one recall."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """The part of each signal, by name, the strongest first; some take away."""
    proposed_by: Mapping[str, int] = field(default_factory=dict)
    """Its place among the proposals of each that proposed it."""
    words: tuple[str, ...] = ()
    """Words of the question that it has."""
    why: str = ""
    """A sentence."""
    bank: str = ""
    """The bank that it is from, where several were asked together; else empty."""

    def __str__(self) -> str:
        said = f"[{self.bank}] " if self.bank else ""
        said += f"{self.speaker}: " if self.speaker else ""
        place = "  – " if self.place is None else f"{self.place:3}."
        lines = [f"{place} {self.occurred_at:%Y-%m-%d} {said}{self.text}"]
        if self.parts:
            told = ", ".join(f"{_word(n)} {part:+.2f}" for n, part in self.parts.items())
            lines.append(f"       {self.ranking_score:+.2f} = {told}")
        return "\n".join([*lines, f"       {self.why}"])


@immutable
class Verdict:
    """Grounds of the decision whether anything relevant was found."""

    found: bool
    confidence: float
    least: float
    """Confidence from which something counts as found."""
    evidence: Mapping[str, float] = field(default_factory=dict)
    """Of the best hit: ``matched`` how well the question's words are met (``covered``: literally),
    ``missing`` how much is not (``absent``), ``vector`` how near the meaning is, ``other`` whether
    somebody else speaks than is asked about."""
    rival: float | None = None
    """Lead in fit of others' words over those of the one asked about; None: nobody is asked about,
    or nobody else said anything."""
    note: str = ""


@immutable
class Explanation:
    """A recall, step by step: what was read, proposed, weighed, shown and decided."""

    recall: Recall
    question: QuestionRead
    cues: tuple[CueAccount, ...] = ()
    led_to: Mapping[str, int] = field(default_factory=dict)
    """Candidates that others led to: by ``names`` in the best hits, or known ``facts``."""
    hits: tuple[MemoryAccount, ...] = ()
    left_out: tuple[MemoryAccount, ...] = ()
    """The next best, and of each cue the best that it proposed in vain."""
    asked: tuple[MemoryAccount, ...] = ()
    """The memories that were asked for by id, in that order."""
    verdict: Verdict
    steps_s: Mapping[str, float] = field(default_factory=dict)
    """Seconds by step; ``propose``, ``expand`` and ``score`` are parts of ``search``."""

    def __str__(self) -> str:
        parts = (
            ("The question", self._question()),
            ("Who proposed what", self._proposals()),
            ("Hits", map(str, self.hits)),
            ("Not among them", map(str, self.left_out)),
            ("Asked for", map(str, self.asked)),
            ("Decided", self._decided()),
            ("Time", self._times()),
        )
        told = ((head, list(lines)) for head, lines in parts)
        return "\n\n".join("\n".join([head, *lines]) for head, lines in told if lines)

    def _question(self) -> list[str]:
        read = self.question
        words = ", ".join(f"{one.word} {one.share:.0%} (in {one.memories:,})" for one in read.words)
        times = [f"{one.text!r} is {_stretch(one)}" for one in read.times]
        lines = [
            ("read as", read.text), ("words", words), ("asks for", "; ".join(read.asks_for)),
            ("about", ", ".join(read.speakers)), ("time", "; ".join(times)),
            ("only", "; ".join(read.only)),
        ]  # fmt: skip
        return [f"  {name}: {value}" for name, value in lines if value]

    def _proposals(self) -> list[str]:
        cost = self.recall.cost
        lines = [
            f"  {_of(one)}: weighs {one.weight:.2g}; proposed {one.proposed:,}"
            + (f" ({one.in_time:,} of the time)" if one.in_time else "")
            + f", {one.alone:,} alone; {one.shown:,} among the hits"
            for one in self.cues
            if one.proposed
        ]
        lines += [f"  {_of(one)}: weighs {one.weight:.2g}" for one in self.cues if not one.proposed]
        lines += [f"  {_word(by)} led to {n:,} more" for by, n in self.led_to.items() if n]
        return [*lines, f"  {cost.candidates:,} of {cost.allowed:,} memories were weighed"]

    def _decided(self) -> list[str]:
        verdict = self.verdict
        how = "found" if verdict.found else "nothing relevant was found"
        lines = [f"  {how}: {verdict.confidence:.0%} sure, of {verdict.least:.0%} at least"]
        told = ", ".join(f"{_SHOWS.get(n, n)} {value:.2f}" for n, value in verdict.evidence.items())
        lines += [f"  the best hit: {told}"] if told else []
        if verdict.rival is not None:
            lines.append(f"  what others said fits {verdict.rival:+.2f} better")
        lines += [f"  {verdict.note}"] if verdict.note else []
        return [*lines, *(f"  went on without the {one}" for one in self.recall.degraded)]

    def _times(self) -> list[str]:
        parts = {name: f"{name} {s * 1e3:.2f}" for name, s in self.steps_s.items()}
        inner = ", ".join(parts.pop(name) for name in _IN_SEARCH if name in parts)
        steps = ", ".join(f"{t} ({inner})" if n == "search" else t for n, t in parts.items())
        return [f"  {self.recall.cost.elapsed_s * 1e3:.2f} ms: {steps}"]


_SHOWS: Final[Mapping[str, str]] = {
    "matched": "words met",
    "missing": "unmet, in nats",
    "covered": "words there",
    "absent": "not there, in nats",
    "vector": "meaning",
    "other": "said by another",
}
_IN_SEARCH: Final = ("propose", "expand", "score")
"""Steps that are parts of ``search``."""


def _stretch(time: Interval) -> str:
    """Return a stretch of time by its first and last day; moments where it is less than one."""
    if time.start is None or time.end is None:
        return f"until {time.end:%F %H:%M}" if time.start is None else f"from {time.start:%F %H:%M}"
    # An end is exclusive: at midnight the last day is the one before.
    last = time.end - timedelta(microseconds=1)
    if time.end - time.start < timedelta(days=1):
        return f"{time.start:%F %H:%M} to {time.end:%H:%M}"
    first = f"{time.start:%F}"
    return first if last.date() == time.start.date() else f"{first} to {last:%F}"


def _of(one: CueAccount) -> str:
    return f"{_word(one.cue)} of {one.bank}" if one.bank else _word(one.cue)


def _word(cue: str) -> str:
    return CUE_WORDS.get(cue, cue)
