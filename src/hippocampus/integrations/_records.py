"""Values that come back exactly as they went in, kept as episodes with their text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, ClassVar, Final, TypeVar
from uuid import uuid4

from hippocampus.bank import Bank
from hippocampus.core.clock import Clock, SystemClock
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.origin import Origin
from hippocampus.core.records import Episode, Turn
from hippocampus.errors import InputError, UnknownEpisode
from hippocampus.integrations._banks import as_bank
from hippocampus.integrations._corrected import reworded

Message = TypeVar("Message")

_HEAD: Final = 800
"""Characters of the episode that carries a value; what a longer text goes on to say is an episode
beside it. Long episodes are split, and every part has all the metadata: a value would be stored
once for each part of its own text."""
_LABEL: Final = 1000
"""Characters of a role, a name or an address that are kept. Chosen by hand."""
_TICK: Final = timedelta(microseconds=1)


@immutable
class RecordEntry:
    """
    A value to keep: JSON. ``text`` is what people and cues read; ``label`` stands in for a blank.

    ``fields`` stand beside the value in the metadata, for filters.
    """

    value: Any
    text: str
    label: str = "(no text)"
    fields: Mapping[str, Any] = field(default_factory=dict)
    at: datetime | None = None
    """Now, unless given; never before what its session holds already."""
    role: str | None = None
    origin: Origin | None = None
    """Author of the words, where the role does not tell."""
    speaker: str | None = None
    session: str | None = None
    address: str | None = None


class Records:
    """
    The values of one kind in a bank.

    The metadata of an episode that carries one is ``{kind: {"id": …, "value": …, **fields}}``, of
    one that goes on with a long text ``{kind: {"of": id, **fields}}``. Episodes that carry values
    are pinned: sleep learns from them, and lets none of them go.
    """

    def __init__(
        self, bank: Bank, kind: str, *, clock: Clock | None = None, erase: bool = False
    ) -> None:
        self.bank = as_bank(bank)
        self.kind = kind
        self.clock = clock or SystemClock()
        self._erase = erase

    def own(self, episode: Episode) -> Mapping[str, Any]:
        """Return an episode's metadata of this kind, nothing if it has none."""
        found = episode.metadata.get(self.kind)
        return found if isinstance(found, Mapping) else {}

    # ------------------------------------------------------------ writing

    def add(self, entries: Sequence[RecordEntry]) -> list[str]:
        """Keep values, durably and in this order; returns the ids in their metadata."""
        turns: list[Turn] = []
        ids: list[str] = []
        for entry, at in zip(entries, self._moments(entries), strict=True):
            # Not the episode's id: the rest of a long text names it before there is one.
            ids.append(id_ := uuid4().hex)
            head, rest = _cut(_writable(entry.text))
            carried = {"id": id_, "value": entry.value, **({"more": True} if rest else {})}
            turns.append(self._turn(entry, head or _writable(entry.label), at, carried))
            if rest:
                turns.append(self._turn(entry, rest, at, {"of": id_}))
        # A bank answers what it has just recalled with what is there: right for a memory, but a
        # conversation would lose a message, and a store an item.
        kept = self.bank.remember_many(turns, again=True)
        # A session whose third message has faded is broken (docs/adr/0030).
        _those_there(self.bank.pin, [e.id for e in kept if "id" in self.own(e)])
        return ids

    def _moments(self, entries: Sequence[RecordEntry]) -> list[datetime]:
        """Return a time for each entry; none twice, and after whatever its session holds."""
        now = self.clock.now()
        moments: list[datetime] = []
        last: dict[str | None, datetime] = {}
        for place, entry in enumerate(entries, 1):
            if entry.session is not None and entry.session not in last:
                for newest in self.bank.episodes(session=entry.session, limit=1, newest=True):
                    last[entry.session] = newest.occurred_at
            # The last one is now and the others just before, so that none is in the future.
            at = entry.at or now - (len(entries) - place) * _TICK
            if entry.at is None and entry.session in last:
                at = max(at, last[entry.session] + _TICK)
            last[entry.session] = at
            moments.append(at)
        return moments

    def _turn(self, entry: RecordEntry, text: str, at: datetime, own: Mapping[str, Any]) -> Turn:
        return Turn(
            text=text, at=at, role=_label(entry.role), speaker=_label(entry.speaker),
            session=entry.session, address=_label(entry.address), origin=entry.origin,
            metadata={self.kind: {**entry.fields, **own}},
        )  # fmt: skip

    def drop(self, kept: Sequence[Episode]) -> int:
        """Take values back with all that they say; returns how many episodes changed."""
        ids = [episode.id for episode in kept]
        long = [self.own(e)["id"] for e in kept if self.own(e).get("more")]
        if long:
            ids += [e.id for e in self.bank.episodes(where={f"{self.kind}.of": {"$in": long}})]
        return _those_there(partial(self.bank.forget, erase=self._erase), ids)

    # ------------------------------------------------------------ reading

    def corrections(self, found: Sequence[Episode]) -> dict[str, list[tuple[str, str]]]:
        """Return the old and new texts of values that somebody has corrected, by their ids."""
        long = [self.own(e)["id"] for e in found if self.own(e).get("more")]
        rest = self.bank.episodes(where={f"{self.kind}.of": {"$in": long}}) if long else []
        made: dict[str, list[tuple[str, str]]] = {}
        for episode in (*found, *rest):
            if episode.supersedes is not None:
                own = self.own(episode)
                both = self._first_text(episode), episode.text
                made.setdefault(own.get("of") or own["id"], []).append(both)
        return made

    def _first_text(self, episode: Episode) -> str:
        """Return the text of an episode before it was corrected; "" if nobody knows it any more."""
        text = ""
        while episode.supersedes is not None:
            try:
                episode = self.bank.get(episode.supersedes)
            except UnknownEpisode:
                break
            text = episode.text
        return text

    def read(
        self,
        *where: Mapping[str, Any],
        session: str | None = None,
        limit: int | None = None,
        newest: bool = False,
    ) -> list[Episode]:
        """Return the episodes that carry values and meet all conditions, in order of time."""
        own = [{f"{self.kind}.{name}": {"$exists": True}} for name in ("id", "value")]
        condition = {"$and": [*own, *where]}
        asked = limit
        while True:
            found = self.bank.episodes(where=condition, session=session, newest=newest, limit=asked)
            # Each part of a split text has the metadata; the first stands for all.
            heads = [episode for episode in found if episode.part == 0]
            if asked is None or limit is None or len(heads) >= limit or len(found) < asked:
                return heads[:limit]
            asked *= 2  # some are parts of one; this is rare


class RecordHistory:
    """The messages of one conversation: values of a session of a bank."""

    def __init__(
        self,
        bank: Bank,
        kind: str,
        session: str,
        *,
        clock: Clock | None = None,
        erase: bool = False,
    ) -> None:
        if not isinstance(session, str) or not session.strip():
            # Without a name it would be all conversations of the bank, for clear() too.
            raise InputError(f"session={session!r}: name the conversation; text that is not blank")
        self.session = session
        self._records = Records(bank, kind, clock=clock, erase=erase)

    def add(self, entries: Sequence[RecordEntry]) -> None:
        """
        Append messages.

        Raises:
            InputError: one that is not JSON; nothing was stored.

        """
        self._records.add(
            [
                replace(entry, session=self.session, value=_dump(entry.value, place))
                for place, entry in enumerate(entries)
            ]
        )

    def values(self, limit: int | None = None) -> list[Any]:
        """Return the messages in order; the last ``limit``, if that is given."""
        return [value for _, value in self.last(limit)]

    def last(self, limit: int | None = None) -> list[tuple[str, Any]]:
        """Return the messages, each with the id in its metadata."""
        if limit is None:
            found = self._records.read(session=self.session)
        else:
            found = self._records.read(session=self.session, limit=limit, newest=True)[::-1]
        return list(
            zip((self._records.own(e)["id"] for e in found), self._read(found), strict=True)
        )

    def pop(self) -> Any:  # noqa: ANN401 - a message, as it was handed in
        """Take the last message back and return it; None when there is none."""
        while last := self._records.read(session=self.session, limit=1, newest=True):
            (value,) = self._read(last)
            if self._records.drop(last):  # else somebody else has just taken it
                return value
        return None

    def replace(self, entries: Sequence[RecordEntry]) -> None:
        """Put messages in the place of those there are, which stay until the new ones are kept."""
        before = self._records.read(session=self.session)
        self.add(entries)
        self._records.drop(before)

    def clear(self) -> None:
        """Take all messages back."""
        # Until nothing is left, for others may add meanwhile.
        while there := self._records.read(session=self.session):
            self._records.drop(there)

    def _read(self, found: Sequence[Episode]) -> list[Any]:
        """Return messages as they were handed in, but for words that were corrected."""
        corrected = self._records.corrections(found)
        values = []
        for own in map(self._records.own, found):
            value = json.loads(own["value"])
            for old, new in corrected.get(own["id"], ()):
                value = reworded(value, old, new)
            values.append(value)
        return values


class FrameworkHistory:
    """The messages of one conversation, of every kind, in a bank that recalls them."""

    kind: ClassVar[str]
    """The framework, by whose name its messages are known in the metadata."""

    def __init__(
        self, bank: Bank, session: str, *, erase: bool = False, clock: Clock | None = None
    ) -> None:
        """
        Take up a conversation.

        Args:
            bank: where it is kept.
            session: which one it is.
            erase: have what is cleared leave the file at once, which is slower; else it is
                forgotten.
            clock: where the present moment comes from.

        """
        self._history = RecordHistory(bank, self.kind, session, clock=clock, erase=erase)

    def clear(self) -> None:
        """Remove the messages."""
        self._history.clear()


def call(name: str, arguments: object) -> str:
    """Return a call of a tool as text for people."""
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False, default=str)
    return f"{name}({arguments})" if name else arguments


def checked_messages(given: Iterable[Message], *kinds: type) -> list[Message]:
    """
    Return messages as a list.

    Raises:
        InputError: they are no list, or one of them is of none of the kinds.

    """
    wanted = " or ".join(one.__name__ for one in kinds)
    if not isinstance(given, Iterable) or isinstance(given, (str, bytes, Mapping, *kinds)):
        raise InputError(f"messages={given!r:.100}: give a list, each of them a {wanted}")
    messages = list(given)
    for place, one in enumerate(messages):
        if not isinstance(one, kinds):
            raise InputError(
                f"message {place} is a {type(one).__name__}, {one!r:.80}: give a {wanted};"
                " nothing was stored"
            )
    return messages


def entries_of(
    messages: Iterable[Message], make: Callable[[Message], RecordEntry]
) -> list[RecordEntry]:
    """
    Return messages as entries.

    Raises:
        InputError: one holds what JSON does not, or is nested too deeply.

    """
    try:
        return [make(message) for message in messages]
    except (ValueError, RecursionError) as exc:
        raise InputError(
            f"a message cannot be kept as JSON ({exc!s:.200}); nothing was stored"
        ) from exc


def _those_there(verb: Callable[[Sequence[str]], int], ids: Sequence[str]) -> int:
    """Do something with all episodes but those that somebody else has just erased."""
    try:
        return verb(ids)
    except UnknownEpisode:
        return sum(_those_there(verb, [id_]) for id_ in ids) if len(ids) > 1 else 0


def _label(given: str | None) -> str | None:
    """Return a name as a bank takes it; the value has it as it was."""
    return _writable(given or "").strip()[:_LABEL] or None


def _writable(text: str) -> str:
    """Return a text in which halves of characters are question marks."""
    return text.encode(errors="replace").decode()


def _dump(message: object, place: int) -> str:
    """Return a message as text: its keys need no columns, and its nesting no limit, in a bank."""
    try:
        return json.dumps(message)
    except (TypeError, ValueError, RecursionError) as exc:
        msg = (
            f"message {place} cannot be kept as JSON ({exc}): give it text, numbers, lists and"
            " objects only; nothing was stored"
        )
        raise InputError(msg) from exc


def _cut(text: str) -> tuple[str, str]:
    """Return the part that goes with the value, and the note beside it; nothing for blanks."""
    text = text.strip() if len(text) > _HEAD or not text.strip() else text
    if len(text) <= _HEAD:
        return text, ""
    space = max(text.rfind(" ", 0, _HEAD), text.rfind("\n", 0, _HEAD))
    at = space if space > 0 else _HEAD
    return text[:at], text[at:].strip()
