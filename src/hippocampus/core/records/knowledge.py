"""Records beyond single episodes: anchors, topics, gists, summaries and facts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias

from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.origin import Origin
from hippocampus.core.records.episode import Episode, Interval
from hippocampus.core.records.recall import Degradation


@immutable
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
    origin: str | None = None
    """The episode that it was found in, if it is known and in force."""
    ended_at: datetime | None = None
    """When it was given up; None while it lives."""
    why: str = ""
    """Why it was: "faded", as it stayed weak; "merged", as another one names its episodes; "crowded
    out", as others are worth more within ``Concepts.anchor_budget``."""
    into: str | None = None
    """The anchor that is heard in its stead, if it was merged."""


@immutable
class CuratedAnchors:
    """Judgements of people on a bank's anchors."""

    wanted: tuple[str, ...]
    """Names that shall be anchors, as they were spelled."""
    denied: tuple[str, ...]
    """Names that shall be none, and call nothing up."""
    sources: tuple[str, ...] | None
    """The only sources that anchors may lead to; None where ``Config.concepts`` says it."""


@immutable
class Profile:
    """Beginning of every prompt of a bank: who the agent is, and what is under way."""

    persona: str
    """The persona of the agent in this bank, as people set it; empty if nobody did."""
    projects: str
    """The projects under way: as people set them, or the anchors of late; a line for each."""
    projects_made: bool
    """Whether that was found in what is remembered, and not said by people."""
    set_at: datetime | None = None
    """When somebody last said something of it; None if nobody did."""


Beside: TypeAlias = Literal["canonical", "alias", "related", "corrected", "elaborated"]
"""Relation of an episode to another one: it stands for the other, which says the same; it is
stood for by it; it is near without being the same; it says that the other is otherwise, or more."""


@immutable
class Related:
    """An episode beside another one, how, and the cosine of the two: 0 where nobody knows it."""

    episode: Episode
    how: Beside
    cosine: float


@immutable
class TopicInfo:
    """One tag of a bank: its broader and narrower tags, and the number of its episodes."""

    name: str
    aliases: tuple[str, ...]
    parents: tuple[str, ...]
    children: tuple[str, ...]
    episodes: int


@immutable
class CommunityInfo:
    """A theme of a bank: topics that are said together, and sentences about them."""

    name: str
    """Its most central topics."""
    topics: tuple[str, ...]
    """All of them, the most central first."""
    episodes: int
    """Memories that are more about it than about any other."""
    share: float
    """Their share of all memories in force."""
    summary: str
    """A line of quotations, of at most ``Config.compact.tokens``."""
    sources: tuple[str, ...] = ()
    """Ids of the episodes that it quotes."""
    origin: Origin = "user"
    """Of its memories' origins, that which is least to be trusted."""


@immutable
class Gist:
    """Gist of several episodes of one matter: a second trace, beside them."""

    text: str
    sources: tuple[str, ...]
    """The ids of the episodes, in the order in which they were noted."""
    made_at: datetime
    activation: float
    """Maturity of the gist, in (0, 1)."""
    silent: bool
    """Whether it is not mature enough to be shown in a context."""
    by_model: bool = False
    """Whether a language model worded it."""
    origin: Origin = "user"
    """Of its sources' origins, that which is least to be trusted."""

    def __str__(self) -> str:
        return self.text


@immutable
class SummaryPart:
    """A part of a summary, and where it comes from."""

    text: str
    """A clause that is quoted, or a sentence in a model's words."""
    sources: tuple[str, ...]
    """Ids of the episodes; behind a model's words those that have its words, the most of them
    first. Where no episode has, those that the model was shown for it, in order, of many the last
    thousand."""
    said: bool = True
    """Whether the episodes say so: a model's words that no episode has may be made up."""


@immutable
class Summary:
    """A bank or a session in one line: its Compact Memory."""

    bank: str
    session: str | None
    text: str
    tokens: int
    turns: int
    """Episodes in force that it is made of."""
    versions: tuple[str, ...]
    """Summary of each hundred of them, the last of those that go on."""
    sources: tuple[str, ...]
    """Ids of the episodes that ``text`` quotes, or that are behind a model's words (``parts``)."""
    by_model: bool = False
    """Whether a language model worded it."""
    origin: Origin = "user"
    """Of the origins of all that it was made of, that which is least to be trusted."""
    parts: tuple[SummaryPart, ...] = ()
    """Its sentences and clauses in order, each with its own sources."""

    def __str__(self) -> str:
        return self.text


Mode: TypeAlias = Literal["holds", "began", "held", "ended", "denied", "planned"]
"""Standing of a statement in time: it is so, became so, was so, is so no longer, is not so. What is
denied as of its ``start`` may have been so before; without one, it never was."""


class Statement(NamedTuple):
    """
    Statement of a text about somebody, as it can be read: ``Ana``, ``lives_in``, ``Porto``.

    ``start``, ``end``: from and until when, as the text tells, in microseconds since 1970, UTC.
    An ``object`` that is empty is whatever it was: "I quit my job". ``noun`` is the word it was
    said by, where that tells more than the relation: "sister" of a ``sibling``.
    """

    subject: str
    relation: str
    object: str
    mode: Mode = "holds"
    start: int | None = None
    end: int | None = None
    noun: str = ""

    @property
    def word(self) -> str:
        """The word that says it: "sister", or the relation."""
        return self.noun or self.relation


@immutable
class Fact:
    """
    Fact about somebody: when it was so, and when the bank knew.

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
    """Whether somebody said that it never was so: then both its ends are one moment."""
    planned: bool = False
    """Whether it is only going to be so: its day has not come, or nobody has told one."""
    origin: Origin = "user"
    """Of its sources' origins, that which is least to be trusted."""
    bank: str = ""
    """The bank that was told."""

    @property
    def current(self) -> bool:
        """Return whether it is so, and nobody has said that it is over, or is going to be."""
        return self.valid_to is None and not self.planned

    def __str__(self) -> str:
        ends = [f"{at:%Y-%m-%d}" if at else "" for at in (self.valid_from, self.valid_to)]
        when = f" ({ends[0]}…{ends[1]})" if any(ends) else ""
        if self.planned:
            when = f" (planned for {ends[0]})" if ends[0] else " (planned)"
        when = " (never)" if self.denied else when
        return f"{self.subject} {self.relation.replace('_', ' ')} {self.object}{when}"


@immutable
class Entity:
    """Somebody or something that facts are about, and their other names."""

    name: str
    aliases: Mapping[str, str]
    """Each other name, with why it is taken for the same."""
    facts: int
    episodes: int


PersonKind: TypeAlias = Literal["person", "pet"]


@immutable(kw_only=False)
class Tie:
    """Relation of somebody to another: their ``role`` ("sister", "cat") ``to`` whom."""

    to: str
    role: str


@immutable(kw_only=False)
class Person:
    """Person or pet that a bank speaks of: told from places, things and words by structure."""

    name: str
    kind: PersonKind
    aliases: tuple[str, ...]
    """Other names they go by."""
    ties: tuple[Tie, ...]
    episodes: int
    """Number of episodes in force that name them, or are their words."""


By: TypeAlias = Literal["day", "week", "month", "year"]
"""Length of a period of a trend; weeks begin on Monday."""


@immutable(kw_only=False)
class Period:
    """Count of occurrences in the period that begins at ``start``."""

    start: datetime
    count: int


Evidence: TypeAlias = Literal["told", "unclear", "meaning"]
"""Why an event counts: a memory tells that it took place; or leaves that open; or only sounds alike
in other words, so that somebody has to look."""


@immutable
class CountedEvent:
    """
    Something that took place once, with every memory that tells of it.

    It took place between ``start`` and ``end``, as far as is told: mostly a day.
    """

    start: datetime
    end: datetime
    quote: str
    """The sentence that tells of it best."""
    episodes: tuple[str, ...]
    """Ids of the episodes that tell of it, in order of time."""
    evidence: Evidence = "told"
    times: int = 1
    """Times that it took place then: 2 where a memory says "twice today"."""

    def __str__(self) -> str:
        return f"{self.start:%Y-%m-%d}  {self.quote}"


@immutable
class EventCount:
    """Count of an event's times, and their list; those that may be one more are in ``doubtful``."""

    question: str
    count: int
    events: tuple[CountedEvent, ...]
    """In order of time."""
    doubtful: tuple[CountedEvent, ...] = ()
    intervals: tuple[Interval, ...] = ()
    """Times that the question names."""
    degraded: tuple[Degradation, ...] = ()
    """Parts that it went on without, and why: counting reads English alone."""

    def __str__(self) -> str:
        lacks = (f"went on without the {one}" for one in self.degraded)
        return "\n".join([f"{self.count}", *map(str, self.events), *lacks])
