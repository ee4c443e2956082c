"""The frozen records that travel between layers, and the protocols at the seams."""

from __future__ import annotations

from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.events import (
    Corrected,
    Erased,
    Forgotten,
    JournalEvent,
    JournalRow,
    Lapsed,
    Merged,
    RemovedFromSource,
    Restored,
)

When: TypeAlias = datetime | str
"""A moment as a caller may give it: an aware or naive datetime, or ISO 8601 text."""

Stretch: TypeAlias = tuple[When | None, When | None]
"""A stretch of time, from one moment up to another; an open side is None."""

OneOrMany: TypeAlias = str | Collection[str]
"""A value a field must equal, or several of which it must equal one."""

Where: TypeAlias = Mapping[str, Any]
"""A condition on metadata; see ``index.allowed`` for the operators."""

Progress: TypeAlias = Callable[[int, int], None]
"""Called with (done, total) as long work advances; total is 0 while unknown."""

Named = TypeVar("Named", bound=Hashable)

State: TypeAlias = Literal["active", "superseded", "forgotten", "erased"]


# ---------------------------------------------------------------- what happened


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """
    One thing to remember, as a caller or a source hands it in.

    ``at`` is when it happened (event time), not when it is stored; without it, now.
    ``address`` names the place it came from (``notes/trip.md#chunk-3``); dialogue turns get
    one from session and turn. ``role`` is ``user``, ``assistant``, ``tool`` or your own.
    """

    text: str
    at: When | None = None
    speaker: str | None = None
    role: str | None = None
    session: str | None = None
    source: str | None = None
    address: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """
    One thing that happened: a dialogue turn, a chunk of a document, a tool result.

    Text and times never change; ``state`` does. ``turn`` counts the turns of a session from 0;
    ``part`` of ``parts`` tells the pieces of one long turn or document apart.
    """

    id: str
    bank: str
    text: str
    said_at: datetime
    noted_at: datetime
    session: str | None = None
    turn: int | None = None
    part: int = 0
    parts: int = 1
    speaker: str | None = None
    role: str | None = None
    source: str | None = None
    address: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    state: State = "active"
    supersedes: str | None = None
    superseded_by: str | None = None
    level: int = 0
    """How far it has faded, from 0, not at all, to 4, keywords: so much of its text is what
    ``recall`` and ``context`` show. ``get``, ``expand`` and ``episodes`` return all of it."""
    pinned: bool = False
    """Whether it never fades."""
    held: bool = False
    """Whether it can neither fade nor be forgotten, corrected or erased, until it is released."""

    def __str__(self) -> str:
        who = f"{self.speaker or self.role}: " if self.speaker or self.role else ""
        return f"{self.said_at:%Y-%m-%d %H:%M}  {who}{self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One row of the journal: what changed, when, and to which episode."""

    seq: int
    at: datetime
    kind: str
    episode: str | None
    detail: Mapping[str, Any] = field(default_factory=dict)


# ---------------------------------------------------------------- what recall answers


@dataclass(frozen=True, slots=True)
class Interval:
    """A stretch of time ``[start, end)``; an open side is None. ``text`` is what was read so."""

    start: datetime | None
    end: datetime | None
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """
    One result of a recall: an episode, how sure we are, and what each cue contributed.

    ``score`` lies in [0, 1], higher is better, and is comparable between queries.
    ``shares`` maps a cue's name to the part of the ranking score it gave; they sum to 1.
    """

    episode: Episode
    score: float
    shares: Mapping[str, float]
    tokens: int = 0
    times: tuple[Interval, ...] = ()
    """If the question asks when: the times that the text names, as of when it was said; of hits
    at least half as likely as the best, ten at most."""
    about: float = 0.0
    """How far it is about what the question calls up, in [0, 1]; 0 where that is nothing."""
    until: datetime | None = None
    """Since when what it tells of what is asked is over, and something else is so; None: it is not
    known to be, or nothing of the kind is asked."""
    corrected_by: str | None = None
    """The id of what a person said of it, soon after it was recalled, that it is otherwise; None if
    nobody did, as far as sleep has noted, or if that is nothing that this recall may see."""

    @property
    def id(self) -> str:
        """The episode's id."""
        return self.episode.id

    @property
    def text(self) -> str:
        """The episode's text."""
        return self.episode.text

    @property
    def address(self) -> str:
        """Where the episode comes from: ``path#chunk-3``, or session and turn."""
        return self.episode.address

    def __str__(self) -> str:
        over = f"  (until {self.until:%Y-%m-%d})" if self.until else ""
        other = f"  (corrected by {self.corrected_by})" if self.corrected_by else ""
        return f"{self.score:.2f}  {self.episode}{over}{other}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Degradation:
    """A part that recall went on without, and why."""

    part: str
    reason: str

    def __str__(self) -> str:
        return f"{self.part}: {self.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a recall paid: seconds by step, and how much it looked at."""

    elapsed_s: float
    embed_s: float = 0.0
    steps_s: Mapping[str, float] = field(default_factory=dict)
    allowed: int = 0
    candidates: int = 0
    balls: Mapping[str, int] = field(default_factory=dict)
    """How many Hamming balls the signature cue searched, by way: ``scan`` or ``descent``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """What came back: hits, best first, and everything needed to judge them."""

    query: str
    hits: tuple[Hit, ...]
    found: bool
    """Whether anything relevant was found at all; False makes "nothing" an answer."""
    confidence: float
    """The calibrated probability, in [0, 1], that one of the first ten hits is: of any at all."""
    sessions: tuple[str, ...] = ()
    """The sessions, conversations or documents, that the question is about as a whole, best first;
    at most as many as hits were asked for. Not the order of the hits' sessions: what else a session
    holds, what it has in common with the best ones and how recent it is count as well."""
    intervals: tuple[Interval, ...] = ()
    when: Interval | None = None
    """If the question asks when something was, and something is found: what the best hit says, or
    the next one that is half as likely, "yesterday" as of when it was said; the day on which the
    best was said if none names a time."""
    cost: Cost = field(default_factory=lambda: Cost(elapsed_s=0.0))
    degraded: tuple[Degradation, ...] = ()

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __bool__(self) -> bool:
        return self.found

    def __getitem__(self, place: int) -> Hit:
        return self.hits[place]

    def __repr__(self) -> str:
        tokens = sum(hit.tokens for hit in self.hits)
        head = (
            f"Recall({len(self.hits)} hit{'' if len(self.hits) == 1 else 's'}, {tokens} tokens,"
            f" {self.cost.elapsed_s * 1e3:.1f} ms{'' if self.found else ', nothing relevant'})"
        )
        return "\n".join([head, *(f"  {hit}" for hit in self.hits)])

    def explain(self) -> str:
        """Return a few lines that say how the hits were found and what it cost."""
        lines = [f"query: {self.query}"]
        lines += [f"time: {i.text!r} read as {i.start} to {i.end}" for i in self.intervals]
        if self.when is not None:
            lines.append(f"when: {self.when.start} to {self.when.end}, {self.when.text!r}")
        for place, hit in enumerate(self.hits, 1):
            shares = ", ".join(f"{cue} {share:.0%}" for cue, share in hit.shares.items())
            lines.append(f"{place:3}. {hit.score:.2f} [{shares}] {hit.address}")
        if self.sessions:
            lines.append(f"sessions: {', '.join(self.sessions[:5])}")
        steps = ", ".join(f"{name} {s * 1e3:.2f} ms" for name, s in self.cost.steps_s.items())
        lines.append(
            f"cost: {self.cost.elapsed_s * 1e3:.2f} ms ({steps});"
            f" {self.cost.candidates} candidates of {self.cost.allowed} allowed"
        )
        if self.cost.balls:
            ways = ", ".join(f"{count} by {way}" for way, count in self.cost.balls.items())
            lines.append(f"signatures: Hamming balls searched, {ways}")
        lines += [f"degraded: {d}" for d in self.degraded]
        if not self.found:
            lines.append("nothing relevant was found")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """Something left out of a context for want of room, by the address it can be fetched from."""

    id: str
    address: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A prompt-ready composition of memories within a token budget."""

    text: str
    tokens: int
    budget_tokens: int
    items: tuple[Hit, ...]
    left_out: tuple[Pointer, ...]
    recall: Recall

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """What a bank holds."""

    bank: str
    episodes: int
    superseded: int
    forgotten: int
    sessions: int
    speakers: tuple[str, ...]
    sources: tuple[str, ...]
    first: datetime | None
    last: datetime | None
    stored_bytes: Mapping[str, int]
    """Bytes by kind of data; texts are ``content``."""
    embedder: str | None
    uncalibrated: str | None = None
    """Why thresholds are another embedder's; None when they are this one's own."""
    resident_bytes: int = field(default=0, compare=False)
    """Bytes of memory that the bank holds in this process, about: its index, notes and texts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import did: episodes added, found unchanged, hidden because their source changed."""

    added: int
    unchanged: int
    removed: int
    skipped: tuple[tuple[str, str], ...] = ()
    """(path, reason) of what could not be read; the rest went on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """What a compaction removed for good, or would remove, and the bank's bytes around it."""

    forgotten: int
    superseded: int
    bytes_before: int
    bytes_after: int
    """The same as before when nothing was to be changed."""
    dry_run: bool = False
    faded: int = 0
    """Texts that became what is shown of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorInfo:
    """One anchor of a bank: where it comes from, how salient it is, how much lies under it."""

    name: str
    kind: Literal["curated", "named", "discovered"]
    salience: float
    found_at: datetime
    weak: int
    """Rebuilds in a row in which it was not half as salient as when it was found."""
    strong: int
    """Rebuilds in a row in which it was as salient as when it was found, or more."""
    episodes: int


Beside: TypeAlias = Literal["canonical", "alias", "related", "corrected", "elaborated"]
"""How an episode stands beside another one: it stands for the other, which says the same; it is
stood for by it; it is near without being the same; it says that the other is otherwise, or more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """An episode beside another one, how, and the cosine of the two: 0 where nobody knows it."""

    episode: Episode
    how: Beside
    cosine: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicInfo:
    """One tag of a bank: what it is under, what is under it, and in how many episodes it is."""

    name: str
    aliases: tuple[str, ...]
    parents: tuple[str, ...]
    children: tuple[str, ...]
    episodes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Gist:
    """What several episodes of one matter came to: a second trace, beside them."""

    text: str
    sources: tuple[str, ...]
    """The ids of the episodes, in the order in which they were noted."""
    made_at: datetime
    activation: float
    """How mature it is, in (0, 1)."""
    silent: bool
    """Whether it is not mature enough to be shown in a context."""
    by_model: bool = False
    """Whether a language model worded it."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A bank or a session in one line: its Compact Memory."""

    bank: str
    session: str | None
    text: str
    tokens: int
    turns: int
    """Episodes in force that it is made of."""
    versions: tuple[str, ...]
    """What each hundred of them came to, the last of those that go on."""
    sources: tuple[str, ...]
    """The ids of the episodes that ``text`` quotes; those behind a model's words are not known."""
    by_model: bool = False
    """Whether a language model worded it."""

    def __str__(self) -> str:
        return self.text


Mode: TypeAlias = Literal["holds", "began", "held", "ended", "denied"]
"""How a statement stands to time: it is so, became so, was so, is so no longer, is not so. What is
denied as of its ``start`` may have been so before; without one, it never was."""


class Statement(NamedTuple):
    """
    What a text says of somebody, as far as it can be read: ``Ana``, ``lives_in``, ``Porto``.

    ``start``, ``end``: from and until when, as the text tells, in microseconds since 1970, UTC.
    An ``object`` that is empty is whatever it was: "I quit my job".
    """

    subject: str
    relation: str
    object: str
    mode: Mode = "holds"
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """
    What is known of somebody: when it was so, and when the bank knew.

    It holds from ``valid_from`` to ``valid_to``; None is an end that nobody told. The bank has
    known it since ``known_from``, and since ``known_to`` that it is over, or when.
    """

    subject: str
    relation: str
    object: str
    valid_from: datetime | None
    valid_to: datetime | None
    known_from: datetime
    known_to: datetime | None
    sources: tuple[str, ...]
    """Ids of the episodes that say so, in order of time; the last may say that it is over."""
    denied: bool = False
    """Whether somebody said later that it never was so: then both its ends are one moment."""

    @property
    def current(self) -> bool:
        """Whether nobody has said that it is over, or is going to be."""
        return self.valid_to is None

    def __str__(self) -> str:
        ends = [f"{at:%Y-%m-%d}" if at else "" for at in (self.valid_from, self.valid_to)]
        when = f" ({ends[0]}…{ends[1]})" if any(ends) else ""
        when = " (never)" if self.denied else when
        return f"{self.subject} {self.relation.replace('_', ' ')} {self.object}{when}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """Somebody or something that facts are about, and what else they are called."""

    name: str
    aliases: Mapping[str, str]
    """Each other name, with why it is taken for the same."""
    facts: int
    episodes: int


By: TypeAlias = Literal["day", "week", "month", "year"]
"""How long a period of a trend is; weeks begin on Monday."""


@dataclass(frozen=True, slots=True)
class Period:
    """How often something came up in the period that begins at ``start``."""

    start: datetime
    count: int


# ---------------------------------------------------------------- what embedders make


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to embed, between its neighbours, which colour its tokens and are not embedded."""

    text: str
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """Which embedder made a vector. Vectors of different fingerprints are never compared."""

    name: str
    weights: str
    """Hash of the weights (and of everything else that shapes the vectors)."""
    dimension: int
    token_dimension: int = 0
    """Dimension of the contextual token vectors; 0 when the embedder gives none."""

    def __str__(self) -> str:
        return f"{self.name} ({self.dimension} dimensions, {self.weights[:12]})"


@dataclass(frozen=True, slots=True, eq=False)
class Embedded:
    """
    One text as an embedder sees it.

    ``vector``: shape (dimension,), float32, length 1. ``tokens``: contextual token vectors, shape
    (n, token_dimension), float32, each of length 1, or None. ``spans``: the characters of the text
    each token covers, shape (n, 2), int32, exclusive ends, or None.
    """

    vector: NDArray[np.float32]
    tokens: NDArray[np.float32] | None = None
    spans: NDArray[np.int32] | None = None


class Embedder(Protocol):
    """
    Turns text into vectors.

    The same passage gives the same vector, whatever else is in the batch. Vectors have length 1.
    """

    @property
    def fingerprint(self) -> Fingerprint:
        """Which embedder this is; constant for its life."""
        ...

    def embed(self, passages: Sequence[Passage]) -> list[Embedded]:
        """Embed passages of a bank, in order."""
        ...

    def embed_query(self, text: str) -> Embedded:
        """Embed a question. Models that tell questions from passages do so here."""
        ...


@runtime_checkable
class Reranker(Protocol):
    """Scores (query, text) pairs together; slower and better than comparing vectors."""

    @property
    def name(self) -> str:
        """What to call it in explanations."""
        ...

    def rerank(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a score per text, shape (len(texts),); higher is better, any scale."""
        ...


# ---------------------------------------------------------------- what a store keeps


@dataclass(frozen=True, slots=True, eq=False)
class Payloads:
    """
    The payloads of consecutive episodes, one after the other; the content of a sealed block.

    ``lengths``: bytes of each, shape (n,), uint32; 0 where an episode has none. ``data``: all of
    them, shape (sum of lengths,), uint8.
    """

    lengths: NDArray[np.uint32]
    data: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.lengths)

    def __iter__(self) -> Iterator[bytes]:
        ends = np.cumsum(self.lengths, dtype=np.int64).tolist()
        view = self.data.tobytes()
        start = 0
        for end in ends:
            yield view[start:end]
            start = end

    @classmethod
    def of(cls, payloads: Sequence[bytes]) -> Payloads:
        """Gather single payloads."""
        lengths = np.fromiter((len(p) for p in payloads), np.uint32, len(payloads))
        return cls(lengths, np.frombuffer(b"".join(payloads), np.uint8))

    def to_bytes(self) -> bytes:
        """Return the bytes of a block: the lengths, then the payloads."""
        return self.lengths.astype("<u4").tobytes() + self.data.tobytes()

    @classmethod
    def from_block(cls, block: Block) -> Payloads:
        """Read a block's payloads; its checksum was verified by the store."""
        head = 4 * block.count
        lengths = np.frombuffer(block.payload, "<u4", block.count)
        data = np.frombuffer(block.payload, np.uint8, offset=head)
        if int(lengths.sum(dtype=np.int64)) != len(data):
            msg = f"block {block.first}: {len(data)} bytes, but its lengths add up to otherwise"
            raise ValueError(msg)
        return cls(lengths, data)


STATE_CHANGES: Final[Mapping[type[JournalEvent], State]] = {
    Forgotten: "forgotten",
    Restored: "active",
    Corrected: "superseded",
    RemovedFromSource: "forgotten",
    Erased: "erased",
    Merged: "superseded",
    Lapsed: "forgotten",
}
"""The events that change whether an episode can be seen, and what it becomes."""

DEEPEST: Final = 4
"""The level at which only keywords of an episode are shown; below it, it lapses."""

PINNED: Final = 1
HELD: Final = 2
DOUBTED: Final = 4
SETTLED: Final = 8
"""The marks of an episode, added up: it never fades; nothing may change it; it is in quarantine;
and so many times ``SETTLED`` as the level at which ``compact`` has made its text what is shown."""


def states_told(changes: Iterable[tuple[Named, type[JournalEvent]]]) -> dict[Named, State]:
    """Return the state in which (episode, class of event), in order, have left each episode."""
    told: dict[Named, State] = {}
    for episode, event in changes:
        told[episode] = STATE_CHANGES.get(event, told.get(episode, "active"))
    return told


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


class EpisodeRow(NamedTuple):
    """An episode as the store keeps it, without its text. Times in microseconds since 1970, UTC."""

    row: int
    """Dense number within the bank, from 0, in the order of noting; never reused."""
    id: str
    said_at: int
    noted_at: int
    session: str | None
    turn: int | None
    part: int
    parts: int
    speaker: str | None
    role: str | None
    source: str | None
    address: str
    metadata: str
    """JSON object."""
    digest: bytes
    """Keyed hash of the normalised text: finds equal texts without holding the words."""
    state: State
    supersedes: int | None
    superseded_by: int | None
    level: int = 0
    """How far it has faded, from 0 to ``DEEPEST``."""
    marks: int = 0
    """``PINNED``, ``HELD``, ``DOUBTED`` and a number of ``SETTLED``, added up."""


@dataclass(frozen=True, slots=True)
class Block:
    """A sealed run of per-episode payloads: rows ``[first, first + count)`` of one kind."""

    first: int
    count: int
    payload: bytes


Kind: TypeAlias = Literal[
    "content", "vector", "tokens", "lexical", "signature", "phrase",
    "gist", "concept", "topic", "summary", "graph",
    "vector.next", "tokens.next", "lexical.next", "signature.next", "phrase.next",
]  # fmt: skip
"""What a per-episode payload is: content token ids, pooled vector, token codes, terms, token
signatures that need no embedder, or phrases. ``gist``, ``concept``, ``topic``, ``summary`` and
``graph`` are one block each over all rows, which sleep makes: what clusters come to, the anchors,
the tags, what is under them, what all of it comes to in a line, and what the texts say of whom.
``.next`` are the ones a rebuild has made so far; they take the others' place all at once."""


class Store(Protocol):
    """
    Where banks live. The only layer that speaks SQL.

    Every key starts with the bank, given as the number ``bank_number`` answered; no method reads
    or writes two banks. Writing methods are called inside ``write()`` and become durable, all or
    none, when its outermost block ends without an exception. Reading methods may be called
    anywhere; inside ``read()`` or ``write()`` they see one snapshot. Every foreign exception
    leaves as a ``StoreError``. One store object may be used from several threads.
    """

    @property
    def path(self) -> str:
        """Where the store is, for messages."""
        ...

    def close(self) -> None:
        """Release everything; further use raises ``StoreClosed``. May be called twice."""
        ...

    def write(self) -> AbstractContextManager[None]:
        """Open a transaction as the store's only writer; nested, a savepoint."""
        ...

    def read(self) -> AbstractContextManager[None]:
        """Open a snapshot: everything read inside belongs to one moment."""
        ...

    def changes(self) -> int:
        """
        Return a number that differs whenever anybody has committed.

        Inside ``read()`` it speaks of the snapshot; inside ``write()`` no two are equal.
        """
        ...

    # settings of the whole store

    def setting(self, key: str) -> str | None:
        """Return a stored setting, or None."""
        ...

    def set_setting(self, key: str, value: str | None) -> None:
        """Store a setting; None removes it."""
        ...

    # banks

    def bank_names(
        self, *, prefix: str = "", after: str = "", limit: int | None = None
    ) -> list[str]:
        """
        Return the names of banks, sorted by code point: of all, or of those that begin so.

        At most ``limit``, of those that come after one. It costs as much as there are of these.
        """
        ...

    def bank_number(self, name: str) -> int | None:
        """Return a bank's number, or None."""
        ...

    def add_bank(self, name: str, at: int) -> int:
        """Create a bank and return its number; an existing one keeps its number."""
        ...

    def drop_bank(self, bank: int) -> None:
        """Remove a bank and everything under its key."""
        ...

    # journal

    def append(self, bank: int, rows: Iterable[JournalRow]) -> None:
        """Append changes; ``seq`` continues the bank's without gaps."""
        ...

    def journal(
        self,
        bank: int,
        *,
        after: int = 0,
        row: int | None = None,
        kinds: Collection[type[JournalEvent]] | None = None,
        limit: int | None = None,
    ) -> list[JournalRow]:
        """Return changes with ``seq > after``, in order; of one episode, of some classes."""
        ...

    def last_seq(self, bank: int) -> int:
        """Return the last change's number, 0 when there is none."""
        ...

    def redact(self, bank: int, rows: Collection[int]) -> None:
        """Empty the detail of every change that concerns these episodes."""
        ...

    # episodes

    def add_episodes(self, bank: int, rows: Iterable[EpisodeRow]) -> None:
        """Add episodes; rows and ids are new."""
        ...

    def set_state(
        self, bank: int, rows: Collection[int], state: State, *, superseded_by: int | None = None
    ) -> None:
        """Change the state of episodes."""
        ...

    def set_level(self, bank: int, rows: Collection[int], level: int) -> None:
        """Change how far episodes have faded; what is erased has no level."""
        ...

    def set_marks(self, bank: int, rows: Collection[int], marks: int, *, on: bool) -> None:
        """Put marks on episodes, or take them off; what is erased has none."""
        ...

    def episode_count(self, bank: int) -> int:
        """Return the next free row: one more than the highest ever used, 0 for an empty bank."""
        ...

    def episodes(self, bank: int, rows: Collection[int]) -> list[EpisodeRow]:
        """Return episodes by row, in the order asked; rows that do not exist are left out."""
        ...

    def scan_episodes(self, bank: int, *, start: int = 0) -> Iterator[EpisodeRow]:
        """Yield every episode from row ``start`` on, in order of row."""
        ...

    def last_of_session(self, bank: int, session: str, limit: int) -> list[EpisodeRow]:
        """Return the last ``limit`` episodes of a session by row, oldest first, in any state."""
        ...

    def rows_from_source(self, bank: int, source: str) -> list[EpisodeRow]:
        """Return every episode of a source, in any state, in order of row."""
        ...

    def rows_at(self, bank: int, address: str) -> list[int]:
        """Return the rows of an address, in any state, in order; looks at every episode."""
        ...

    def rows_of(self, bank: int, ids: Collection[str]) -> dict[str, int]:
        """Return the rows of those ids that exist."""
        ...

    def rows_with_digest(self, bank: int, digest: bytes) -> list[int]:
        """Return the rows whose text has this digest, in order."""
        ...

    def erase_episodes(self, bank: int, rows: Collection[int]) -> None:
        """Blank every word of these episodes (all but row, id and state, which becomes erased)."""
        ...

    # payloads: what is kept per episode, as tail rows until they are sealed into blocks

    def put_payloads(self, bank: int, kind: Kind, payloads: Iterable[tuple[int, bytes]]) -> None:
        """Write (row, payload) to the tail, replacing what is there."""
        ...

    def tail(self, bank: int, kind: Kind, *, start: int = 0) -> list[tuple[int, bytes]]:
        """Return the tail's (row, payload) from row ``start`` on, in order."""
        ...

    def payloads(self, bank: int, kind: Kind, rows: Collection[int]) -> dict[int, bytes]:
        """Return single payloads from the tail (sealed ones are read by block)."""
        ...

    def put_block(self, bank: int, kind: Kind, block: Block) -> None:
        """Seal a block: write it (replacing one with the same first row) and drop its tail rows."""
        ...

    def block_spans(self, bank: int, kind: Kind) -> list[tuple[int, int]]:
        """Return (first, count) of every sealed block, in order."""
        ...

    def block_marks(self, bank: int, kind: Kind) -> list[tuple[int, int, bytes]]:
        """Return (first, count, mark) of every sealed block; its mark changes whenever it does."""
        ...

    def block(self, bank: int, kind: Kind, first: int) -> Block:
        """Return a sealed block by its first row."""
        ...

    def drop_payloads(self, bank: int, kind: Kind) -> None:
        """Remove every payload of a kind: tail and blocks."""
        ...

    def move_payloads(self, bank: int, kind: Kind, target: Kind) -> None:
        """Make payloads of one kind those of ``target``, in place of what was there."""
        ...

    def stored_bytes(self, bank: int) -> dict[str, int]:
        """Return bytes kept by kind of data."""
        ...

    # upkeep

    def scrub(self) -> None:
        """Rewrite the database so that no free page, journal or log keeps removed bytes."""
        ...

    def leftovers(self) -> list[str]:
        """Return where bytes that were removed may still be; empty when nowhere."""
        ...

    def check(self) -> list[str]:
        """Return what is wrong with the database's own structure; empty when sound."""
        ...

    def backup(
        self, target: Path, *, overwrite: bool = False, progress: Progress | None = None
    ) -> None:
        """Write a complete, consistent copy to a new file while others read and write."""
        ...

    def files(self) -> list[Path]:
        """Return every file the store's bytes may be in."""
        ...
