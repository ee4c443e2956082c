"""
Journal events: a class for each kind of journal row, and the codec between rows and events.

A row's ``kind`` says which class it is, and its ``detail``, a JSON object, has the fields. Ids are
those of episodes, and rows their numbers in the bank, from 0. Moments are in microseconds since
1970, UTC. When an episode is erased, the details of its rows become ``{}``: a field of an event of
one episode is therefore None where it was erased, or where the event has no such field to tell.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar, cast, get_args

import msgspec

from hippocampus.core.ranges import Level, Micros, MomentAndRows, RowNumber
from hippocampus.core.validation import plain_kind
from hippocampus.errors import StoreCorrupt

# The same event must always be the same bytes: a journal's head is a hash over them.
_JSON: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)


class JournalRow(NamedTuple):
    """One change as the store keeps it. ``at`` is in microseconds since 1970, UTC."""

    seq: int
    at: Micros
    kind: str
    row: RowNumber | None
    """The episode concerned, by row; None for changes of the whole bank."""
    detail: str
    """JSON object; never holds an episode's words."""


# The tag has a name that no field can have: ``Unknown`` has a ``kind`` of its own.
class JournalEvent(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="journal.kind"):
    """Base of all events. ``tag`` is the row's ``kind``; a field at its default is not written."""


class SleepEvent(JournalEvent, frozen=True, kw_only=True):
    """Base of the events of sleep that concern one episode."""

    sleep: RowNumber | None = None
    """Number of the sleep that did it, from 1; None if a person did, or it is an inverse."""
    why: str | None = None
    """Reason, in English."""


class InvertibleEvent(SleepEvent, frozen=True, kw_only=True):
    """Base of the events of sleep that concern one episode and can be undone."""

    undoes: RowNumber | None = None
    """Number of the sleep that this takes back; None if it takes back none."""


# ---------------------------------------------------------------- of one episode, by people


class Remembered(JournalEvent, frozen=True, tag="remember"):
    """An episode was added."""

    id: str | None = None
    """Id of the episode."""
    supersedes: str | None = None
    """Id of the earlier wording; None if the episode corrects none."""


class Corrected(JournalEvent, frozen=True, tag="correct"):
    """Another wording took the place of an episode."""

    by: str | None = None
    """Id of the wording in force."""


class Forgotten(JournalEvent, frozen=True, tag="forget"):
    """A person hid an episode; it can be restored."""


class Restored(JournalEvent, frozen=True, kw_only=True, tag="restore"):
    """An episode was put in force again, by a person, its source file, or ``undo``."""

    supersedes: str | None = None
    """Id of the wording whose place an earlier one took again."""
    source: str | None = None
    """Source file that has it again, or has lost what it was merged with."""
    why: str | None = None
    """Reason, in English."""
    undoes: RowNumber | None = None
    """Number of the sleep whose merge or lapse this takes back."""


class RemovedFromSource(JournalEvent, frozen=True, tag="withdraw"):
    """An import hid an episode that its source file no longer has."""

    source: str | None = None
    """The source file."""


class SourceNoted(JournalEvent, frozen=True, kw_only=True, tag="source"):
    """An import read a source, of which this episode is one, for the first time or elsewhere."""

    source: str | None = None
    """Name of the source in this bank; None once the episode is erased, as all the rest."""
    format: str | None = None
    """The format it was read as."""
    file: str | None = None
    """Its path within what was imported."""
    place: str | None = None
    """The absolute path of the file, where it is known."""
    host: str | None = None
    """The name of the machine that has the file."""
    synced: bool = False
    """Whether an import hides what it said once its file is gone."""
    was: str | None = None
    """Earlier name of it, if its file was renamed."""


class ClaimedBySource(JournalEvent, frozen=True, tag="claim"):
    """An import found an episode of another source, or of none, in this source as well."""

    source: str | None = None
    """The source."""


class UnclaimedBySource(JournalEvent, frozen=True, tag="unclaim"):
    """A source no longer has an episode, which others still have, or which is hidden anyway."""

    source: str | None = None
    """The source."""


class Erased(JournalEvent, frozen=True, tag="erase"):
    """The words of an episode were removed for good."""

    by: str | None = None
    """``compact``; None if a person asked for it."""


class Pinned(JournalEvent, frozen=True, tag="pin"):
    """A person kept an episode from fading and from being merged."""


class Unpinned(JournalEvent, frozen=True, tag="unpin"):
    """A person let a pinned episode fade again."""


class Held(JournalEvent, frozen=True, tag="hold"):
    """A person kept an episode from every change, such as for a court."""

    why: str | None = None
    """Reason, in the person's words."""


class Released(JournalEvent, frozen=True, tag="release"):
    """A person let a held episode be changed again."""


class Accepted(JournalEvent, frozen=True, tag="accept"):
    """Somebody has looked at what reads like an instruction to a model, and contexts show it."""


class Suspected(JournalEvent, frozen=True, tag="suspect"):
    """A sleep found that an episode of others, kept before such were marked, gives orders."""


class Judged(JournalEvent, frozen=True, tag="judge"):
    """A sleep has looked at all that others wrote for what reads like an instruction to a model."""


class FeedbackGiven(JournalEvent, frozen=True, kw_only=True, tag="feedback"):
    """A person said whether an episode was of help."""

    helpful: bool | None = None
    """Whether it was; None once the episode is erased."""
    at: Micros | None = None
    """When it was said, in microseconds; None if that is the row's own moment."""


class Promoted(JournalEvent, frozen=True, tag="promote"):
    """Another bank has a copy of an episode, or is about to: who erases it here erases that."""

    bank: str | None = None
    """The bank that has the copy; None once the episode is erased, as all the rest."""
    id: str | None = None
    """Id of the copy there."""


class CameFrom(JournalEvent, frozen=True, tag="came"):
    """An episode is a copy of one in another bank, or was moved from there."""

    bank: str | None = None
    """The bank that it came from."""
    id: str | None = None
    """Id of the original there."""


# ---------------------------------------------------------------- of one episode, by sleep


class Merged(SleepEvent, frozen=True, kw_only=True, tag="merge"):
    """An episode was hidden because another one says the same."""

    by: str | None = None
    """Id of the episode that stands for it."""


class Absorbed(JournalEvent, frozen=True, kw_only=True, tag="absorb"):
    """An episode stands for another one from now on."""

    sleep: RowNumber | None = None
    """Number of the sleep that merged them; None if ``compact`` linked them anew."""
    supersedes: str | None = None
    """Id of the episode that was merged into this one."""
    by: str | None = None
    """Id of an earlier wording of what ``compact`` has shortened."""


class Faded(InvertibleEvent, frozen=True, kw_only=True, tag="fade"):
    """Less, or after ``undo`` more, of an episode is shown."""

    level: Level | None = None
    """Level to which it has faded now, from 0, all of it is shown, to 4, keywords are."""
    was: Level | None = None
    """The level before."""


class Lapsed(SleepEvent, frozen=True, kw_only=True, tag="lapse"):
    """An episode was hidden because it was worth least, or had faded for long enough."""


class Quarantined(InvertibleEvent, frozen=True, kw_only=True, tag="doubt"):
    """An episode was kept from being consolidated because it cannot be right."""


class Unquarantined(InvertibleEvent, frozen=True, kw_only=True, tag="clear"):
    """An episode left quarantine, in time or because a person released it."""


class Annotated(SleepEvent, frozen=True, kw_only=True, tag="annotate"):
    """Another episode was found to correct or to elaborate an episode."""

    by: str | None = None
    """Id of the episode that says something of it."""
    at: Micros | None = None
    """When that was found, in microseconds; None if that is the row's own moment."""


class AnnotationWithdrawn(InvertibleEvent, frozen=True, kw_only=True, tag="withdrawn"):
    """``undo`` took an annotation back."""

    by: str | None = None
    """Id of the episode that was found to say something of it."""
    at: Micros | None = None
    """When it was taken back, in microseconds; None if that is the row's own moment."""


# ---------------------------------------------------------------- of a whole bank


class SleepBegan(JournalEvent, frozen=True, tag="asleep"):
    """A sleep began."""

    sleep: RowNumber
    """Its number, from 1."""
    steps: Sequence[str]
    """Names of its steps, in order."""


class SleepEnded(JournalEvent, frozen=True, kw_only=True, tag="slept"):
    """A sleep came to its end."""

    sleep: RowNumber
    """Its number, from 1."""
    rows: int
    """Number of rows, the first ones, that it saw."""
    policy: Mapping[str, object]
    """Fields of the ``Policy`` under which it was."""
    steps: Mapping[str, Mapping[str, int]]
    """Counts of each step, by name of the step and of the count."""
    over: Sequence[str] | None = None
    """Names of the steps that went over all of it; None in rows of versions that told none."""


class ArtifactReplaced(JournalEvent, frozen=True, tag="sleep"):
    """Sleep, or an import of anchors, put something made of a whole bank in place of the last."""


class IndexRebuilt(JournalEvent, frozen=True, tag="rebuild"):
    """All that is derived from the texts of a bank was made anew."""


class PolicySet(JournalEvent, frozen=True, tag="policy"):
    """A person chose what sleep does with a bank."""

    policy: Mapping[str, object] | None
    """Fields of the ``Policy``; None for the store's default."""


class AnchorsCurated(JournalEvent, frozen=True, kw_only=True, tag="anchors"):
    """A person said which anchors there shall be, and which never."""

    add: Sequence[str] = ()
    """Names that shall be anchors."""
    deny: Sequence[str] = ()
    """Names that shall be none."""
    remove: Sequence[str] = ()
    """Names of which neither is said any more."""
    sources: Sequence[str] | None = None
    """The only sources that anchors may lead to; empty for all; None where nothing is said."""


class ProfileSet(JournalEvent, frozen=True, kw_only=True, tag="profile"):
    """A person said who the agent is to this bank, or what is under way; all that holds now."""

    persona: str = ""
    """Persona of the agent; empty where nothing is said."""
    projects: str = ""
    """Projects under way; empty for those that sleep finds."""


class BanksIncluded(JournalEvent, frozen=True, tag="include"):
    """A person said which other banks are read along with this one; all that holds now."""

    banks: Sequence[str]
    """Their names, in the order in which they were included."""


class RecallsNoted(JournalEvent, frozen=True, tag="recall"):
    """Recalls since the last time were written down."""

    shown: Sequence[MomentAndRows]
    """Of each recall its moment, in microseconds, then the rows shown, best first."""


class Consolidated(JournalEvent, frozen=True, kw_only=True, tag="consolidate"):
    """Sleep promoted episodes and made gists, or ``undo`` took promotions back."""

    promoted: Sequence[RowNumber]
    """Rows that were not promoted before."""
    traces: Sequence[MomentAndRows]
    """Of each new gist the moment it was made, in microseconds, then the rows of its sources."""
    demoted: Sequence[RowNumber] = ()
    """Rows that are promoted no more."""


class TextsShortened(JournalEvent, frozen=True, tag="shorten"):
    """``compact`` put what is shown of faded episodes in the place of their texts."""

    rows: Sequence[tuple[RowNumber, RowNumber]]
    """Pairs of an old row and the row that took its place."""


class Unknown(JournalEvent, frozen=True):
    """
    A later version wrote a row of a kind that this version does not know.

    Nothing is read from it; it counts as a change that somebody made, and is exported, imported and
    shown as it is.
    """

    kind: str
    """The row's kind."""
    detail: str
    """The row's detail, unread."""


Event: TypeAlias = (
    Remembered | Corrected | Forgotten | Restored | RemovedFromSource | Erased
    | SourceNoted | ClaimedBySource | UnclaimedBySource
    | Promoted | CameFrom
    | Pinned | Unpinned | Held | Released | Suspected | Judged | Accepted | FeedbackGiven
    | Merged | Absorbed | Faded | Lapsed | Quarantined | Unquarantined
    | Annotated | AnnotationWithdrawn
    | SleepBegan | SleepEnded | ArtifactReplaced | IndexRebuilt
    | PolicySet | AnchorsCurated | ProfileSet | BanksIncluded
    | RecallsNoted | Consolidated | TextsShortened
    | Unknown
)  # fmt: skip
"""Event of a journal row."""

E = TypeVar("E", bound=JournalEvent)


class Record(NamedTuple, Generic[E]):
    """A journal row with its detail read; see ``JournalRow``."""

    seq: int
    at: int
    row: int | None
    event: E


# ---------------------------------------------------------------- kinds


def kind_of(event: type[JournalEvent]) -> str:
    """Return the ``kind`` of the rows of a class of events."""
    if _CLASSES.get(kind := str(event.__struct_config__.tag)) is not event:
        raise ValueError(f"{event.__name__}: rows of this class have no kind of their own")
    return kind


def class_of(kind: str) -> type[JournalEvent]:
    """Return the class of rows of a kind, ``Unknown`` for kinds of later versions."""
    return _CLASSES.get(kind, Unknown)


_CLASSES: Final[Mapping[str, type[JournalEvent]]] = {
    str(event.__struct_config__.tag): event for event in get_args(Event) if event is not Unknown
}


# ---------------------------------------------------------------- the codec


def encode(event: JournalEvent) -> tuple[str, str]:
    """Return the ``kind`` and ``detail`` of the row that says this: compact JSON, keys sorted."""
    if isinstance(event, Unknown):
        return event.kind, event.detail
    fields = msgspec.to_builtins(event, enc_hook=plain_kind)
    return fields.pop("journal.kind"), _JSON.encode(fields)


def decode(row: JournalRow, *, bank: str | int, path: Path | str) -> Event:
    """
    Return the event that a journal row says.

    Fields that a row lacks have their defaults, and those that this version does not know are left
    out. A row of a kind that it does not know is ``Unknown``, and its detail is not read.

    Args:
        row: as the store keeps it.
        bank: name or number of the bank, for messages.
        path: where the store is, for messages.

    Raises:
        StoreCorrupt: the detail is not a JSON object, lacks what it must have, or has a field of
            another type.

    """
    if row.kind not in _CLASSES:
        return Unknown(kind=row.kind, detail=row.detail)
    try:
        return convert(row.kind, _object(row.detail))
    except _UNREADABLE as exc:
        raise _damaged(row, exc, bank=bank, path=path) from exc


def convert(kind: str, fields: Mapping[str, Any]) -> Event:
    """
    Return the event of a known kind whose ``detail`` has these fields.

    Raises:
        ValueError: they are not what such an event has.

    """
    # By class, and not by ``Event``: msgspec reads the types of a union anew at every call, 40 µs.
    # The kind comes last: a row whose detail has such a field is still of its own kind.
    return cast("Event", msgspec.convert({**fields, "journal.kind": kind}, _CLASSES[kind]))


def fields_of(row: JournalRow, *, bank: str | int, path: Path | str) -> dict[str, Any]:
    """
    Return all the fields of a row's detail as they are, of kinds that nobody knows too.

    For what shows or copies a journal; what acts on it takes ``decode``.

    Raises:
        StoreCorrupt: the detail is not a JSON object.

    """
    try:
        return _object(row.detail)
    except _UNREADABLE as exc:
        raise _damaged(row, exc, bank=bank, path=path) from exc


def detail_of(fields: Mapping[str, Any]) -> str:
    """Return the detail of a row that is taken over, with all its fields, from an export."""
    return json.dumps(fields)


def _object(detail: str) -> dict[str, Any]:
    found = json.loads(detail)
    if not isinstance(found, dict):
        msg = f"expected an object, got {type(found).__name__}"
        raise ValueError(msg)  # noqa: TRY004 (what was read is wrong, and not who asks)
    return found


_UNREADABLE: Final = (ValueError, TypeError, OverflowError, RecursionError)
"""Errors of reading bytes that are no JSON, or of another shape: of msgspec, a ``ValueError``."""


def _damaged(row: JournalRow, exc: Exception, *, bank: str | int, path: Path | str) -> StoreCorrupt:
    told = f"change {row.seq} of bank {bank!r}, {row.kind!r}, cannot be read"
    return StoreCorrupt(f"{told}: {exc}", path=path)
