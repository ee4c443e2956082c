"""mem0's scopes, messages, filters, results and ids, translated to and from those of a bank."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from hashlib import blake2b, md5
from typing import Any, Final, TypeAlias
from uuid import UUID, uuid5

from hippocampus.core.records import Change, Episode, Filters, Hit, Turn
from hippocampus.errors import InputError, InvalidFilter, InvalidScope, InvalidTime

Record: TypeAlias = dict[str, Any]
"""A memory, or a change of one, as mem0 shows it."""

SCOPES: Final = ("user_id", "agent_id", "run_id")
"""Owners of a memory. The first that is given says in which bank it is."""
BANKS: Final = "mem0/"
"""Beginning of the names of our banks; no other bank of the store is touched."""
INSTANT: Final = timedelta(microseconds=1)

_IDENTITY: Final = (*SCOPES, "actor_id")
_PROMOTED: Final = (*_IDENTITY, "role", "attributed_to", "expiration_date")
"""Fields of a result beside its metadata, in mem0's order."""
FIRST: Final = "_memory_id"
"""Key of an updated memory's first id, among its metadata."""
MEM0_ID: Final = "mem0_id"
"""Key of an imported memory's id in mem0, among its metadata."""
_OWN: Final = (FIRST, "updated_at")
"""Fields that an updated memory has among its metadata, and its result elsewhere."""
_NOW: Final = 20
"""Most memories to return by default, as mem0 2 does (docs/surfaces/mem0.md)."""
_BEFORE: Final = 100
"""Most memories to return by default where the owner is given as before mem0 2."""
_OPERATORS: Final = frozenset("eq ne in nin gt gte lt lte contains icontains".split())
_LOGIC: Final = {"AND": "$and", "OR": "$or", "NOT": "$not"} | {
    ours: ours for ours in ("$and", "$or", "$not")
}
_ORDER: Final = frozenset("gt gte lt lte".split())
_EPISODE_BITS: Final = 96
"""Bits of an episode's id, 24 digits in hex; a UUID leaves 26 beside them for the bank's mark."""

_log = logging.getLogger(__name__)


# ---------------------------------------------------------------- whose


def read_scope(given: Mapping[str, object]) -> dict[str, str]:
    """
    Return the scope that arguments name: user, agent and run.

    Raises:
        InvalidScope: it is nobody's.

    """
    scope = {key: _owner(key, given[key]) for key in SCOPES if given.get(key) is not None}
    if not scope:
        msg = f"say whose: at least one of {', '.join(SCOPES)} is required; reset() is for all"
        raise InvalidScope(msg)
    return scope


def _owner(key: str, value: object) -> str:
    """Return an id as mem0 reads it: numbers are text, and no white space is in it."""
    owner = "" if value is None else str(value).strip()
    if owner.split() != [owner]:
        msg = f"{key}={value!r}: an id is text that is not blank, without white space in it"
        raise InvalidScope(msg)
    return owner


def bank_of(scope: Mapping[str, str]) -> str:
    """Return the name of the bank for memories of a scope."""
    key = next(key for key in SCOPES if key in scope)
    return f"{BANKS}{key}={scope[key]}"


def wider_than(scope: Mapping[str, str]) -> tuple[str, ...]:
    """Return the prefixes of the names of other banks that may hold memories of a scope."""
    first = next(place for place, key in enumerate(SCOPES) if key in scope)
    return tuple(f"{BANKS}{key}=" for key in SCOPES[:first])


def without_identity(metadata: Mapping[str, Any]) -> Record:
    """
    Return metadata without its keys of identity, which only the arguments may set.

    Raises:
        InputError: they are no object.

    """
    if not isinstance(metadata, Mapping):
        raise InputError(f"metadata={metadata!r:.100}: give a dict, such as {{'kind': 'fact'}}")
    for key in (*_IDENTITY, *_OWN):
        if key in metadata:
            _log.warning("metadata[%r] is left out: it is not for the caller to say", key)
    return {key: value for key, value in metadata.items() if key not in (*_IDENTITY, *_OWN)}


# ---------------------------------------------------------------- what is said


def read_messages(messages: object) -> Iterator[tuple[str, str, str | None]]:
    """
    Yield role, text and name of the messages that have text; what the system says is none.

    Raises:
        InputError: one is no message.

    """
    if isinstance(messages, str):
        yield "user", messages, None
        return
    several = [messages] if isinstance(messages, Mapping) else messages
    if not isinstance(several, Sequence) or isinstance(several, bytes):
        msg = f"messages={messages!r:.100}: give a text, a message or a list of messages"
        raise InputError(msg)
    for place, message in enumerate(several):
        if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
            msg = f"messages[{place}]={message!r:.100}: a message is a dict with role and content"
            raise InputError(msg)
        text = _text(message.get("content"), f"messages[{place}]")
        if message["role"] != "system" and text.strip():
            yield message["role"], text, message.get("name")


def _text(content: object, name: str) -> str:
    """Return the text of a message's content, without its pictures."""
    said = []
    for part in content if isinstance(content, list) else ["" if content is None else content]:
        if isinstance(part, Mapping) and not str(part.get("type", "text")).endswith("text"):
            continue
        text = part.get("text") if isinstance(part, Mapping) else part
        if not isinstance(text, str):
            msg = f"{name}: content {part!r:.100} has no text; give text, or a list of parts"
            raise InputError(msg)
        said.append(text)
    return " ".join(said)


def make_turn(
    role: str,
    text: str,
    name: str | None,
    *,
    scope: Mapping[str, str],
    payload: Mapping[str, Any],
    at: datetime,
) -> Turn:
    """Return a message as a turn; what mem0 calls its payload is the turn's metadata."""
    actor = {"actor_id": name} if name else {}
    return Turn(
        text=text, at=at, role=role, speaker=name or None, session=scope.get("run_id"),
        metadata={**payload, **scope, **actor, "role": role},
    )  # fmt: skip


def stands_for(episode: Episode, turn: Turn) -> bool:
    """Return whether an episode is what a turn has become: in force, and the same one's."""
    same = all(episode.metadata.get(key) == turn.metadata.get(key) for key in SCOPES)
    return same and episode.state == "active"


def imported_fields(record: Mapping[str, Any], zone: tzinfo) -> Record:
    """Return the fields beside the metadata of an exported memory, as an import keeps them."""
    kept = {key: record[key] for key in ("attributed_to", "categories") if record.get(key)}
    if record.get("expiration_date"):
        kept["expiration_date"] = read_day(record["expiration_date"])
    if record.get("updated_at"):
        kept["updated_at"] = iso(read_moment(record["updated_at"], "updated_at", zone))
    return kept | {MEM0_ID: record["id"]}


def is_imported_as(episode: Episode, turn: Turn) -> bool:
    """Return whether an episode came over as the same memory of mem0 as a turn does."""
    old = turn.metadata.get(MEM0_ID)
    return old is not None and episode.metadata.get(MEM0_ID) == old


# ---------------------------------------------------------------- when


def read_moment(given: object, name: str, zone: tzinfo) -> datetime:
    """Read Unix seconds, ISO 8601 text or a datetime; what names no zone is in ``zone``."""
    try:
        if isinstance(given, int | float) and not isinstance(given, bool):
            return datetime.fromtimestamp(given, UTC)
        moment = datetime.fromisoformat(str(given))
    except (ValueError, OverflowError, OSError) as exc:
        msg = f"{name}={given!r}: give Unix seconds, ISO 8601 text or a datetime"
        raise InvalidTime(msg) from exc
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def moment_after(moment: datetime, places: int) -> datetime:
    """
    Return the moment some microseconds after another.

    Raises:
        InvalidTime: the calendar ends before that.

    """
    try:
        return moment + places * INSTANT
    except OverflowError as exc:
        raise InvalidTime(
            f"timestamp={moment.isoformat()!r}: the calendar has too few moments after it for"
            " several messages, or for the same words of several owners; give an earlier timestamp"
        ) from exc


def read_day(given: object) -> str:
    """Return the last day of a memory as mem0 keeps it."""
    try:
        return datetime.fromisoformat(str(given)).date().isoformat()
    except ValueError as exc:
        raise InvalidTime(f"expiration_date={given!r}: give a date, as in '2030-12-31'") from exc


def iso(moment: datetime) -> str:
    """Return a time as mem0 shows it."""
    return moment.astimezone(UTC).isoformat()


# ---------------------------------------------------------------- what may be seen


def read_filters(
    owners: Mapping[str, object],
    filters: Mapping[str, Any] | None,
    *,
    today: datetime | None,
    zone: tzinfo,
) -> tuple[dict[str, str], Filters]:
    """
    Return the scope of a read, and its filters as those of a bank.

    ``owners``: ids given beside the filters. ``today``: hides what has expired; None hides nothing.

    Raises:
        InvalidScope: it is not said whose.
        InvalidFilter: a filter that cannot be meant.

    """
    if not isinstance(filters, Mapping | None):
        raise InvalidFilter(f"filters={filters!r:.100}: give a dict, such as {{'user_id': 'ada'}}")
    scope: dict[str, object] = {}
    any_of: list[str] = []
    conditions: list[Record] = []
    seen: Filters = {}
    todo = [(key, value) for key, value in owners.items() if value is not None]
    todo += (filters or {}).items()
    for key, value in todo:
        if _LOGIC.get(key) == "$and":
            # The loop goes on with them: parts of an AND are as if they stood beside it.
            todo += [pair for part in _parts(key, value) for pair in part.items()]
        elif key in SCOPES[1:] and value == "*":  # any user's would be everybody's
            any_of.append(key)
        elif key in SCOPES and not isinstance(value, Mapping | list):
            scope.setdefault(key, value)
            conditions.append({key: _owner(key, value)})  # of two values, none can be met
        elif key == "created_at":
            seen |= _between(value, zone)
        else:
            conditions.append(_condition(key, value))
    # With nobody named beside it, "*" is a name like any other.
    conditions += [{key: {"$exists": True} if scope else "*"} for key in any_of]
    scope = scope or dict.fromkeys(any_of, "*")
    if today is not None:
        day = today.astimezone(UTC).date().isoformat()
        conditions.append({"expiration_date": {"$not": {"$lt": day}}})
    seen["where"] = {"$and": conditions}
    return read_scope(scope), seen


def _between(bounds: object, zone: tzinfo) -> Filters:
    """
    Return the filter that a comparison of ``created_at`` is; a last day is in it.

    What is up to the last moment of the calendar has no end, and nothing is after that.
    """
    if not isinstance(bounds, Mapping) or not bounds or set(bounds) - _ORDER:
        raise InvalidFilter(f"created_at={bounds!r}: compare it by gt, gte, lt and lte")
    firsts: list[datetime] = []
    ends: list[datetime] = []
    nothing = False
    for name, bound in bounds.items():
        moment = read_moment(bound, "created_at", zone)
        whole_day = name == "lte" and isinstance(bound, str) and len(bound) == len("2030-12-31")
        after = timedelta(days=1) if whole_day else INSTANT
        try:
            beyond = moment + after if name in ("gt", "lte") else moment
        except OverflowError:
            nothing = nothing or name == "gt"
            continue
        (firsts if name.startswith("g") else ends).append(beyond)
    if nothing:
        return {"until": datetime.min.replace(tzinfo=UTC)}
    seen: Filters = {}
    if firsts:
        seen["since"] = max(firsts)
    if ends:
        seen["until"] = min(ends)
    return seen


def _condition(key: str, value: Any) -> Record:  # noqa: ANN401 - any JSON value
    """Return one of mem0's filters as a condition of ours."""
    logic = _LOGIC.get(key)
    if logic is not None:
        several = [value] if logic == "$not" and isinstance(value, Mapping) else value
        parts = [
            {"$and": [_condition(*pair) for pair in part.items()]} for part in _parts(key, several)
        ]
        return {"$not": {"$or": parts}} if logic == "$not" else {logic: parts}
    if key in ("created_at", "updated_at"):
        msg = f"{key}={value!r}: only created_at can be asked for, and only beside the ids"
        raise InvalidFilter(msg)
    if value == "*":
        return {key: {"$exists": True}}
    if isinstance(value, list):
        value = {"in": value}
    if not isinstance(value, Mapping):
        return {key: {"$eq": value}}
    if unknown := sorted(set(value) - _OPERATORS):
        known = " ".join(sorted(_OPERATORS))
        raise InvalidFilter(f"{key}={value!r}: no operator {unknown[0]!r}; there are {known}")
    return {"$and": [_test(key, *pair) for pair in value.items()] or [{key: {}}]}


def _test(key: str, name: str, operand: Any) -> Record:  # noqa: ANN401 - any JSON value
    """Return one of mem0's tests; what is absent meets none, as in mem0's own stores."""
    if name == "ne":
        name, operand = "nin", [operand]
    if name == "nin" and isinstance(operand, list):
        return {key: {"$exists": True, "$nin": [*operand, None]}}
    if name == "in" and operand == []:
        # A condition that nothing meets, for nothing is in an empty list.
        return {"$and": [{key: {"$exists": there}} for there in (True, False)]}
    return {key: {f"${name}": operand}}


def _parts(key: str, value: object) -> list[Mapping[str, Any]]:
    if isinstance(value, list) and all(isinstance(part, Mapping) and part for part in value):
        return value
    raise InvalidFilter(f"{key}={value!r}: takes a list of conditions, none of them empty")


def read_most(top_k: int | None, limit: int | None, owners: Mapping[str, object]) -> int:
    """Return the most memories to show: mem0 2 has another default than those before."""
    of_old = any(owner is not None for owner in owners.values())
    return next(n for n in (limit, top_k, _BEFORE if of_old else _NOW) if n is not None)


def read_least(threshold: float | None) -> float:
    """Return the least score that is shown."""
    least = 0.0 if threshold is None else threshold
    if isinstance(least, bool) or not isinstance(least, int | float) or not 0 <= least <= 1:
        raise InputError(f"threshold={threshold!r}: a score is a probability, from 0 to 1")
    return least


# ---------------------------------------------------------------- how it is shown


def show(episode: Episode, **score: float | None) -> Record:
    """Return a memory as mem0 shows it."""
    created = iso(episode.occurred_at)
    shown = {
        "id": id_of(episode),
        "memory": episode.text,
        # As mem0 has it; nothing relies on it.
        "hash": md5(episode.text.encode(), usedforsecurity=False).hexdigest(),
        "metadata": {
            key: value for key, value in episode.metadata.items() if key not in (*_PROMOTED, *_OWN)
        }
        or None,
        **score,
        "created_at": created,
        "updated_at": episode.metadata.get("updated_at", created),
    }
    return shown | {key: episode.metadata[key] for key in _PROMOTED if key in episode.metadata}


def explained(hit: Hit, threshold: float | None) -> Record:
    """Return why a memory was found: each cue's share of its score."""
    details = dict(hit.shares) | {"final_score": hit.score, "threshold": threshold}
    return {"score_details": details}


def tell(
    change: Change, memory_id: str, before: Episode | None, after: Episode | None
) -> Record | None:
    """
    Return a change as mem0 tells it, None for what is none to mem0.

    ``before`` and ``after``: the versions it was from and to; None where their words are erased.
    """
    match change.kind:
        case "remember" if "supersedes" not in change.detail:
            event, old, new = "ADD", None, before
        case "correct":
            event, old, new = "UPDATE", before, after
        case "forget" | "erase":
            event, old, new = "DELETE", before, None
        case _:
            return None
    said = before or after
    created = said.occurred_at if said else change.at
    return {
        "id": str(uuid5(UUID(memory_id), str(change.seq))),
        "memory_id": memory_id,
        "old_memory": old.text if old else None,
        "new_memory": new.text if new else None,
        "event": event,
        "created_at": iso(created),
        "updated_at": iso(created if event == "ADD" else change.at),
        "is_deleted": event == "DELETE",
        "actor_id": said.speaker if said else None,
        "role": said.role if said else None,
    }


# ---------------------------------------------------------------- ids


def id_of(episode: Episode) -> str:
    """Return a memory's id, which is made of its first version's."""
    known: str | None = episode.metadata.get(FIRST)
    return known or _make_id(episode.bank, episode.id)


def _make_id(bank: str, episode: str) -> str:
    """Return a UUID, of the version for one's own use, that names an episode and marks its bank."""
    # A UUID has 122 bits beside version and variant: 26 of the mark and 96 of the id. They are in
    # three parts, of 48, 12 and 62, with version 8 and variant 2 in between (RFC 9562).
    number = mark(bank) << _EPISODE_BITS | int(episode, 16)
    high, middle, low = number >> 74, number >> 62 & 0xFFF, number & (1 << 62) - 1
    return str(UUID(int=high << 80 | 8 << 76 | middle << 64 | 2 << 62 | low))


def read_id(memory_id: str) -> tuple[int, str]:
    """Return the mark of a bank, and an episode's id; ``ValueError`` for what is no UUID."""
    number = UUID(memory_id).int
    high, middle, low = number >> 80, number >> 64 & 0xFFF, number & (1 << 62) - 1
    number = high << 74 | middle << 62 | low
    return number >> _EPISODE_BITS, f"{number & (1 << _EPISODE_BITS) - 1:024x}"


def mark(bank: str) -> int:
    """Return 26 bits by which a bank is found among many, if not for certain."""
    return int.from_bytes(blake2b(bank.encode(), digest_size=4).digest(), "big") >> 6
