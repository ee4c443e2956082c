"""Records of a recall: hits with their shares, what they cost, and contexts made of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from datetime import datetime

from hippocampus.core.cue_names import CUE_WORDS
from hippocampus.core.day_words import over_words
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.records.episode import Episode, Interval
from hippocampus.core.renamed import renamed


@renamed({"about": "activation", "until": "valid_to"})
@immutable
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
    lag: float = 0.0
    """Distance of its ranking score from the best one's, in standard deviations: 0 for hits as
    good as the best. A context of few tokens leaves out hits that lie far behind."""
    activation: float = 0.0
    """Activation of the anchors it lies under by this question, in [0, 1]: how far it is about the
    names and subjects that the question calls up; 0 where it calls up none."""
    valid_to: datetime | None = None
    """When the fact that this hit states stopped being true: the end of the valid time of the fact
    asked for, or the time of a later hit that states it otherwise. None: current, or not known, or
    it tells of more, which still holds."""
    corrected_by: str | None = None
    """The id of a correction: a person's turn, soon after this was recalled, that says otherwise.
    None if sleep has noted none, or if this recall may not see it."""
    also_in: tuple[str, ...] = ()
    """Other banks read along that have the same words, by the same speaker at the same time."""
    span: tuple[int, int] | None = None
    """The characters of its text that match the question best. None where the store does not note
    where in a text its tokens stand (``Config.spans``), or the text has faded."""

    @property
    def id(self) -> str:
        """The episode's id."""
        return self.episode.id

    @property
    def bank(self) -> str:
        """The bank that it is from: the one that was asked, or one that was read along with it."""
        return self.episode.bank

    @property
    def text(self) -> str:
        """The episode's text."""
        return self.episode.text

    @property
    def times(self) -> tuple[Interval, ...]:
        """The times that the episode's text tells."""
        return self.episode.times

    @property
    def address(self) -> str:
        """Return the address of the episode: ``path#chunk-3``, or session and turn."""
        return self.episode.address

    def __str__(self) -> str:
        said = self.episode.occurred_at
        over = f"  ({over_words(said, self.valid_to)})" if self.valid_to else ""
        other = f"  (corrected by {self.corrected_by})" if self.corrected_by else ""
        return f"{self.score:.2f}  {self.episode}{over}{other}"


@immutable
class Degradation:
    """A part that recall went on without, and why."""

    part: str
    reason: str

    def __str__(self) -> str:
        return f"{self.part}: {self.reason}"


@renamed({"balls": "hamming_searches"})
@immutable
class Cost:
    """Cost of a recall: seconds by step, and how much it looked at."""

    elapsed_s: float
    embed_s: float = 0.0
    steps_s: Mapping[str, float] = field(default_factory=dict)
    allowed: int = 0
    candidates: int = 0
    hamming_searches: Mapping[str, int] = field(default_factory=dict)
    """Number of Hamming balls that the signature cue searched, by way: ``scan`` or ``descent``."""


@immutable
class Recall:
    """Answer of a recall: hits, best first, and everything needed to judge them."""

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
    """The times that the question names."""
    during: tuple[Interval, ...] = ()
    """The stretches of time as which the filter ``during`` was read, apart and in order."""
    note: str = ""
    """A sentence that says why nothing was found, if that is known: of a certain time there is
    nothing, and what day is nearest; or none of the nearest memories speaks of some things, or of
    all together; or others said it. Else empty."""
    when: Interval | None = None
    """If the question asks when something was, and something is found: what the best hit says, or
    the next one that is half as likely, "yesterday" as of when it was said; the day on which the
    best was said if none names a time."""
    read_as: str = ""
    """The question as it was read, if words in it seem misspelt; else empty."""
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
        lines = [f"  {hit}" for hit in self.hits]
        lines += [f"  {self.note}"] if self.note else []
        return "\n".join([head, *lines, *(f"  went on without the {d}" for d in self.degraded)])

    def explain(self) -> str:
        """Return a few lines that say how the hits were found, by ``CUE_WORDS``, and the cost."""
        lines = [f"query: {self.query}"]
        lines += [f"read as: {self.read_as}"] if self.read_as else []
        lines += [f"time: {i.text!r} read as {i.start} to {i.end}" for i in self.intervals]
        lines += [f"during: read as {i.start} to {i.end}" for i in self.during]
        lines += [self.note] if self.note else []
        if self.when is not None:
            lines.append(f"when: {self.when.start} to {self.when.end}, {self.when.text!r}")
        for place, hit in enumerate(self.hits, 1):
            shares = ", ".join(f"{CUE_WORDS.get(n, n)} {s:.0%}" for n, s in hit.shares.items())
            lines.append(f"{place:3}. {hit.score:.2f} [{shares}] {hit.address}")
        if self.sessions:
            lines.append(f"sessions: {', '.join(self.sessions[:5])}")
        steps = ", ".join(f"{name} {s * 1e3:.2f} ms" for name, s in self.cost.steps_s.items())
        lines.append(
            f"cost: {self.cost.elapsed_s * 1e3:.2f} ms ({steps});"
            f" {self.cost.candidates} candidates of {self.cost.allowed} allowed"
        )
        if self.cost.hamming_searches:
            searches = self.cost.hamming_searches.items()
            ways = ", ".join(f"{count} by {way}" for way, count in searches)
            lines.append(f"signatures: Hamming balls searched, {ways}")
        lines += [f"degraded: {d}" for d in self.degraded]
        if not self.found:
            lines.append("nothing relevant was found")
        return "\n".join(lines)


@immutable
class Pointer:
    """Something left out of a context for want of room, by the address it can be fetched from."""

    id: str
    address: str
    tokens: int


@immutable
class CompactedSession:
    """One conversation within a token budget, in the order in which it was held."""

    session: str
    text: str
    tokens: int
    budget_tokens: int
    kept: tuple[Episode, ...]
    """The turns that stand there whole."""
    shortened: tuple[Episode, ...]
    """The turns of which only the words that matter most stand there."""
    left_out: tuple[Pointer, ...]
    """The turns of which only a mark tells, for ``expand``."""

    def __str__(self) -> str:
        return self.text


@immutable
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
