"""Records of writing: turns as callers hand them in, episodes, changes, counts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import field, fields
from datetime import date, datetime
from typing import Any, Final, Literal, TypeAlias

from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.origin import Origin
from hippocampus.core.renamed import renamed

When: TypeAlias = datetime | date | float | str
"""
A moment as a caller may give it: an aware or naive datetime, a date, Unix seconds, ISO 8601 text,
or words for one ("yesterday", "last Monday at six") as of now.
"""

Stretch: TypeAlias = tuple[When | None, When | None]
"""A stretch of time, from one moment up to another; an open side is None."""

During: TypeAlias = str | Collection[str | Stretch]
"""When something happened: words for a time or an event, or several of them and of stretches."""

OneOrMany: TypeAlias = str | Collection[str]
"""A value a field must equal, or several of which it must equal one."""

Trusted: TypeAlias = Origin | Collection[Origin]
"""The least trusted origin that is shown, or the origins that are."""

Suspects: TypeAlias = Literal["show", "hide", "only"]
"""Whether a read shows what reads like an instruction to a model, hides it, or shows that alone."""

Where: TypeAlias = Mapping[str, Any]
"""A condition on metadata; see ``index.allowed`` for the operators."""

Progress: TypeAlias = Callable[[int, int], None]
"""Called with (done, total) as long work advances; total is 0 while unknown."""

Message: TypeAlias = Mapping[str, Any]
"""
A chat message, as ``{"role": "user", "content": "…"}``, whose content may be a list of parts; or
the fields of a ``Turn``, as ``{"text": "…", "speaker": "…"}``.
"""

State: TypeAlias = Literal["active", "superseded", "forgotten", "erased"]


@immutable(kw_only=False)
class Interval:
    """
    A stretch of time ``[start, end)``; an open side is None.

    ``text`` is what was read so. ``vague``: it says about when, as "two weeks ago" does.
    """

    start: datetime | None
    end: datetime | None
    text: str = ""
    vague: bool = False


LABELS: Final = ("speaker", "role", "session", "source", "address")
"""The fields of a turn that are keys: by them turns belong together, and are found again."""


@immutable
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
    origin: Origin | None = None
    """The origin of its words; read off role and source when left out."""


@renamed({"said_at": "occurred_at", "noted_at": "recorded_at"})
@immutable
class Episode:
    """
    One thing that happened: a dialogue turn, a chunk of a document, a tool result.

    Text and times never change; ``state`` does. ``turn`` counts the turns of a session from 0;
    ``part`` of ``parts`` tells the pieces of one long turn or document apart.
    """

    id: str
    bank: str
    text: str
    occurred_at: datetime
    """Event time: when it was said or happened."""
    recorded_at: datetime
    """Record time: when the memory took it in."""
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
    """Level to which it has faded, from 0, not at all, to 4, keywords: ``recall`` and ``context``
    show so much of its text. ``get``, ``expand`` and ``episodes`` return all of it."""
    pinned: bool = False
    """Whether it never fades."""
    held: bool = False
    """Whether it can neither fade nor be forgotten, corrected or erased, until it is released."""
    origin: Origin = "user"
    """The origin of its words: one of ``ORIGINS``."""
    suspect: bool = False
    """Whether it reads like an instruction to a model, and nobody has accepted it: contexts leave
    it out."""
    times: tuple[Interval, ...] = ()
    """The times that its text tells, as of when it was said: "tomorrow" is the day after that."""

    def __str__(self) -> str:
        who = f"{self.speaker or self.role}: " if self.speaker or self.role else ""
        return f"{self.occurred_at:%Y-%m-%d %H:%M}  {who}{self.text}"


@immutable
class Change:
    """One row of the journal: what changed, when, and to which episode."""

    seq: int
    at: datetime
    kind: str
    episode: str | None
    detail: Mapping[str, Any] = field(default_factory=dict)


@immutable
class Tier:
    """
    One of the three tiers of a bank (HUMAN, section 3).

    ``hot``: what was said or recalled within the policy's ``hot_hours``; its bytes are of texts
    that were read lately and are kept in memory. ``warm``: what the index in memory has, which is
    all that is in force; its bytes are the index's, 0 while nobody has asked the bank. ``cold``:
    what is sealed in compressed blocks of the file; its bytes are those of texts.
    """

    name: Literal["hot", "warm", "cold"]
    memories: int
    nbytes: int


@immutable
class Stats:
    """Counts of a bank's contents."""

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
    tiers: tuple[Tier, ...] = field(default=(), compare=False)
    """Tiers that hold its memories: hot, warm and cold."""


@immutable
class Included:
    """A bank that is read along with another one."""

    bank: str
    """Its name."""
    through: str | None = None
    """The included bank that includes it; None if the bank itself does."""
    there: bool = True
    """Whether there is such a bank now."""


@renamed({"skipped": "unreadable"})
@immutable
class Imported:
    """Report of an import: episodes added, found unchanged, hidden as their source changed."""

    added: int
    """New ones, those that took the place of others, and those that came back."""
    unchanged: int
    removed: int
    """Those that are hidden: others took their place, or their source no longer has them."""
    unreadable: tuple[tuple[str, str], ...] = ()
    """(path, reason) of what could not be read; the rest went on."""
    changed: int = field(default=0, compare=False)
    """Number of the added ones that took the place of one that was removed."""
    renamed: int = field(default=0, compare=False)
    """Files that are known, by what they say, by another name or from another place."""
    missing: tuple[str, ...] = field(default=(), compare=False)
    """Sources whose file is gone from the folder, and which are shown as before."""
    doubtful: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    """(address, reason) of what has a time that cannot be right, or none of its own."""

    def __add__(self, other: Imported) -> Imported:
        """Return the sum of two imports."""
        return Imported(
            **{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)}
        )


@immutable
class FileLocation:
    """Location of a file that a server imports from a copy: facts that the copy cannot tell."""

    place: str | None = None
    """Its absolute path."""
    host: str | None = None
    """The name of the machine."""
    gone: tuple[str, ...] = ()
    """Sources whose files are there no more, one of which may be this file, renamed."""
    name: str | None = None
    """Its path within what is imported, where the copy has another name."""


@immutable
class SessionInfo:
    """A session of a bank: a conversation, or a document."""

    name: str
    """Its name: ``Episode.session``."""
    episodes: int
    """Number of its episodes in force."""
    first: datetime
    """Event time of its first one."""
    last: datetime
    """Event time of its last one."""


@immutable
class SourceInfo:
    """A source of a bank: a file that was imported, or a system that somebody named."""

    name: str
    """Its name in this bank: ``Episode.source``."""
    format: str | None = None
    """The format it was read as; None for what was not imported, or not by this version."""
    place: str | None = None
    """The file it was read from, where that is known."""
    host: str | None = None
    """The machine that has the file."""
    synced: bool = False
    """Whether an import of its folder hides it once its file is gone."""
    episodes: int = 0
    """Number of its episodes in force; those that several sources have count for each."""
    forgotten: int = 0
    """Number of its episodes that are forgotten, by hand or because the file has them no more."""
    first: datetime | None = None
    """Event time of its first episode in force."""
    last: datetime | None = None
    """Event time of its last one."""


@immutable
class Compacted:
    """Report of a compaction, done or planned, and the bank's bytes around it."""

    forgotten: int
    superseded: int
    bytes_before: int
    bytes_after: int
    """The same as before when nothing was to be changed."""
    dry_run: bool = False
    faded: int = 0
    """Texts that were cut down to the part that is shown."""
