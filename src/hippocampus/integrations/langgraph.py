"""A LangGraph store that keeps its items in a bank, where their text is searched."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice, takewhile
from typing import Any, Final, NamedTuple, Self

from hippocampus.bank import Bank
from hippocampus.core.argument_names import refuse_unknown
from hippocampus.core.clock import Clock
from hippocampus.core.constraints import check_whole
from hippocampus.core.optional import require
from hippocampus.core.records import Episode, Where
from hippocampus.errors import InputError, InvalidFilter
from hippocampus.integrations._batched_ticks import BatchedTicks
from hippocampus.integrations._corrected import reworded
from hippocampus.integrations._recall import told
from hippocampus.integrations._records import RecordEntry, Records

require("langgraph.store.base", extra="langgraph", feature="the LangGraph store")
from langgraph.store.base import (  # noqa: E402 - now that it is known to be there
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    get_text_at_path,
    validate_op_namespace,
)

_KIND: Final = "langgraph"
_SLACK: Final = 1 / 16
"""Share of its time to live that is added to a refreshed expiry: items that are read often need not
be written as often."""
_LOOK: Final = 256
"""Items that are read at first to see which namespaces there are."""
_TICK: Final = timedelta(microseconds=1)

_INSIDE: Final = re.compile(rf"where(?:\['\$\w+'\]|\[\d+\])*\['{_KIND}\.value\.")
"""The beginning of the place of a condition that somebody gave as a filter of a value."""

_Namespace = tuple[str, ...]


class _Found(NamedTuple):
    """An item that a search returns, and how sure the bank is of it, if it was asked."""

    item: Episode
    score: float | None = None


class HippocampusStore(BaseStore):
    """
    LangGraph's ``BaseStore`` on a bank.

    An item is an episode, its text what ``index`` selects of the value. A search that has a query
    asks the bank's cues; without one, and where they find fewer than ``limit``, what was written
    last comes first. In a batch the reads see what was there before it, and of several writes to
    one key the last counts, as in ``InMemoryStore``.

    Args:
        bank: where items are kept, beside whatever else it remembers.
        index: paths of what is searched of a value, unless ``put`` names others; all by default.
        ttl: how long items live, as for LangGraph's own stores. What has expired is returned until
            it is swept, unless ``omit_expired`` is True; so the contract has it.
        erase: have what is deleted or replaced leave the file at once, which is slower; else it is
            forgotten, and leaves with ``Bank.compact``.
        clock: where the present moment comes from.

    """

    supports_ttl = True

    def __init__(
        self,
        bank: Bank,
        *,
        index: Sequence[str] = ("$",),
        ttl: TTLConfig | None = None,
        erase: bool = False,
        clock: Clock | None = None,
    ) -> None:
        _check_paths(index)
        _check_ttl(ttl)
        self.ttl_config = ttl
        self._index = list(index)
        self._records = Records(bank, _KIND, clock=clock, erase=erase)
        self._bank = self._records.bank
        self._changing = threading.Lock()
        self._ticks = BatchedTicks(self.batch, check=_check)
        self._expiry: dict[str, float] = {}
        """When items expire that were read here since they were written, by the value's id."""
        self._swept = self._now()

    def __deepcopy__(self, _: object) -> Self:
        """Return the store itself: there are no other items behind a copy."""
        return self

    def _now(self) -> datetime:
        return self._records.clock.now()

    # ------------------------------------------------------------ the contract

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out several operations; the results are in their order."""
        asked = list(ops)
        for op in asked:
            _check(op)
        self._sweep_if_due()
        touched: dict[str, Episode] = {}
        results = [self._answer(op, touched) for op in asked]
        puts = {(op.namespace, op.key): op for op in asked if isinstance(op, PutOp)}
        # One change at a time, or two would each leave a version of the item.
        with self._changing:
            self._refresh(list(touched.values()))
            self._write(list(puts.values()))
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do the same on a thread, together with what the loop's other tasks ask for just now."""
        return await self._ticks.ask(list(ops))

    def sweep_ttl(self) -> int:
        """Delete expired items; return their number."""
        self._swept = self._now()
        with self._changing:
            found = self._records.read({f"{_KIND}.expires": {"$lte": self._swept.timestamp()}})
            expired = [item for item in found if not item.held]
            self._drop(expired)
        return len(expired)

    def _sweep_if_due(self) -> None:
        every = (self.ttl_config or {}).get("sweep_interval_minutes")
        if every is not None and self._now() >= self._swept + timedelta(minutes=every):
            self.sweep_ttl()

    def _answer(self, op: Op, touched: dict[str, Episode]) -> Result:
        """Return the result of a read, and note the items that it refreshes."""
        match op:
            case GetOp():
                versions = self._versions([(_join(op.namespace), op.key)])
                found = [_Found(item) for item in self._in_force(versions)]
            case SearchOp():
                found = self._search(op)
            case ListNamespacesOp():
                return self._list_namespaces(op)
            case PutOp():
                return None
            case _:
                raise InputError(f"{op!r}: is none of GetOp, SearchOp, PutOp and ListNamespacesOp")
        if op.refresh_ttl:
            touched |= {one.item.id: one.item for one in found}
        if isinstance(op, SearchOp):
            values = self._values([one.item for one in found])
            return [
                SearchItem(**self._fields(one.item, value), score=one.score)
                for one, value in zip(found, values, strict=True)
            ]
        items = [one.item for one in found[:1]]
        return next((Item(**self._fields(items[0], one)) for one in self._values(items)), None)

    # ------------------------------------------------------------ items

    def _versions(self, keys: Iterable[tuple[str, str]]) -> list[Episode]:
        """Return the episodes of items: one of each, unless somebody is just writing it."""
        wanted = set(keys)
        if not wanted:
            return []
        found = self._records.read(
            {f"{_KIND}.namespace": {"$in": [namespace for namespace, _ in wanted]}},
            {f"{_KIND}.key": {"$in": [key for _, key in wanted]}},
        )
        return [item for item in found if self._place(item) in wanted]

    def _in_force(self, versions: Iterable[Episode]) -> list[Episode]:
        """Return the last version of each item, in the order of the first, unless it expired."""
        last: dict[tuple[str, str], Episode] = {}
        for item in versions:
            other = last.setdefault(self._place(item), item)
            if (other.occurred_at, other.id) < (item.occurred_at, item.id):
                last[self._place(item)] = item
        return [item for item in last.values() if self._lives(item)]

    def _lives(self, item: Episode) -> bool:
        own = self._records.own(item)
        expires = self._expiry.get(own["id"], own.get("expires"))
        return expires is None or not self._omits_expired or self._now().timestamp() < expires

    @property
    def _omits_expired(self) -> bool:
        return (self.ttl_config or {}).get("omit_expired", False)

    def _place(self, item: Episode) -> tuple[str, str]:
        own = self._records.own(item)
        return own["namespace"], own["key"]

    def _values(self, items: Sequence[Episode]) -> list[Mapping[str, Any]]:
        """Return the values of items, with their words as they were corrected."""
        corrected = self._records.corrections(items)
        values = []
        for own in map(self._records.own, items):
            value = own["value"]
            for old, new in corrected.get(own["id"], ()):
                value = reworded(value, old, new, fixed=frozenset())
            values.append(value)
        return values

    def _fields(self, item: Episode, value: Mapping[str, Any]) -> dict[str, Any]:
        """Return an item as LangGraph's ``Item`` takes it."""
        own = self._records.own(item)
        dates = {name: datetime.fromisoformat(own[name]) for name in ("created_at", "updated_at")}
        return {
            "namespace": _split(own["namespace"]), "key": own["key"], "value": value, **dates
        }  # fmt: skip

    # ------------------------------------------------------------ writing

    def _write(self, puts: Sequence[PutOp]) -> None:
        if not puts:
            return
        now, entries = self._now(), []
        before = self._versions((_join(put.namespace), put.key) for put in puts)
        if held := next((item for item in before if item.held), None):
            # Told now: later the new value would be there beside the one that may not change.
            raise InputError(f"item {held.address!r} is held, so nothing may change it; release it")
        created = {
            self._place(e): self._records.own(e)["created_at"] for e in self._in_force(before)
        }
        # So that of each item the latest version is the one that stays in the dict.
        oldest_first = sorted(before, key=lambda e: e.occurred_at)
        written = {self._place(e): e.occurred_at for e in oldest_first}
        for left, put in enumerate(reversed(puts)):
            if put.value is None:
                continue
            place = _join(put.namespace), put.key
            at = now - left * _TICK  # no two alike, and after what it replaces
            at = max(at, written[place] + _TICK) if place in written else at
            since = created.get(place, at.isoformat())
            ends = {} if put.ttl is None else {"ttl": put.ttl, "expires": _after(at, put.ttl)}
            entries.append(self._entry(put, at, since, at.isoformat(), ends))
        self._records.add(entries[::-1])
        self._drop(before)  # only now, so that at no time there is neither
        gone = [(_join(put.namespace), put.key) for put in puts if put.value is None]
        while again := self._versions(gone):  # a read has written them anew meanwhile
            self._drop(again)

    def _entry(
        self, put: PutOp, at: datetime, created: str, updated: str, ends: Mapping[str, float]
    ) -> RecordEntry:
        """Return an item as it is kept."""
        paths = self._index if put.index is None else put.index or ()
        text = "\n".join(line for path in paths for line in _lines(put.value, path))
        place = f"{'/'.join(put.namespace)}#{put.key}"
        fields = {
            "namespace": _join(put.namespace), "key": put.key, "created_at": created,
            "updated_at": updated, "index": put.index, "searched": bool(text.strip()), **ends,
        }  # fmt: skip
        return RecordEntry(
            value=dict(put.value or {}), text=text, label=place, address=place, at=at, fields=fields
        )

    def _refresh(self, items: Sequence[Episode]) -> None:
        """Let items that were read live on; write that down where what is written falls short."""
        mortal = self._mortal(items)
        if not mortal:
            return
        now, short, entries = self._now(), [], []
        # Read again under the lock, since they may have been replaced after they were read, also
        # by what lives for ever.
        there_now = self._mortal(self._in_force(self._versions_of(mortal)))
        for item, value in zip(there_now, self._values(there_now), strict=True):
            own = self._records.own(item)
            self._expiry[own["id"]] = _after(now, own["ttl"])
            if own["expires"] < self._expiry[own["id"]] and not item.held:
                put = PutOp(_split(own["namespace"]), own["key"], dict(value), own["index"])
                ends = {"ttl": own["ttl"], "expires": _after(now, own["ttl"] * (1 + _SLACK))}
                dates = own["created_at"], own["updated_at"]
                # Just after the one it replaces, so that it keeps its place among the others.
                entries.append(self._entry(put, item.occurred_at + _TICK, *dates, ends))
                short.append(item)
        ids = self._records.add(entries)
        there = {self._records.own(item)["id"]: item for item in self._versions_of(short)}
        for item, id_ in zip(list(short), ids, strict=True):
            old = self._records.own(item)["id"]
            self._expiry[id_] = self._expiry[old]
            if old not in there and id_ in there:  # somebody has just deleted or replaced it
                short.append(there[id_])
        self._drop(short)

    def _mortal(self, items: Iterable[Episode]) -> list[Episode]:
        return [item for item in items if "ttl" in self._records.own(item)]

    def _versions_of(self, items: Iterable[Episode]) -> list[Episode]:
        return self._versions(map(self._place, items))

    def _drop(self, items: Sequence[Episode]) -> None:
        self._records.drop(items)
        for item in items:
            self._expiry.pop(self._records.own(item)["id"], None)

    # ------------------------------------------------------------ searching

    def _search(self, op: SearchOp) -> list[_Found]:
        scope = [*self._scope(op.namespace_prefix)]
        where = [*_conditions(op.filter or {}, f"{_KIND}.value")]
        found = self._matches(op, scope, where)
        try:
            return list(islice(found, op.offset, op.offset + op.limit))
        except InvalidFilter as exc:
            raise InvalidFilter(_INSIDE.sub("filter['", str(exc))) from exc

    def _scope(self, prefix: _Namespace) -> Iterator[Where]:
        """Yield the conditions on every item that an operation may see."""
        if prefix:
            name, begins = f"{_KIND}.namespace", _join(prefix)
            # "/" is what follows "." : so are all that begin with the name and a dot.
            yield {"$or": [{name: begins}, {name: {"$gte": f"{begins}.", "$lt": f"{begins}/"}}]}
        if self._omits_expired:
            ends = f"{_KIND}.expires"
            yield {"$or": [{ends: {"$exists": False}}, {ends: {"$gt": self._now().timestamp()}}]}

    def _matches(
        self, op: SearchOp, scope: Sequence[Where], where: Sequence[Where]
    ) -> Iterator[_Found]:
        """Yield the items of a search: hits of its query first, then the newest."""
        seen: set[str] = set()
        wanted = op.offset + op.limit
        if op.query and op.query.strip() and wanted:
            for one in self._recalled(op.query, scope, where, wanted):
                seen.add(one.item.id)
                yield one
        start, size = 0, wanted + len(seen)
        while size:
            found = self._records.read(*scope, *where, limit=size, newest=True)
            for item in self._checked(found[start:]):
                if item.id not in seen:
                    yield _Found(item)
            # Hits and older versions were left out, so there may be too few yet.
            start, size = size, 0 if len(found) < size else 4 * size

    def _recalled(
        self, query: str, scope: Sequence[Where], where: Sequence[Where], wanted: int
    ) -> list[_Found]:
        """Return the items that a query finds, best first, ``wanted`` if there are so many."""
        name = f"{_KIND}.id"
        # What goes on with a long text has no value to be filtered by: its item has, afterwards.
        passing = [{"$or": [{"$and": [*where]}, {name: {"$exists": False}}]}] if where else []
        some = wanted
        while True:
            condition = {"$and": [{f"{_KIND}.searched": True}, *scope, *passing]}
            hits = told(self._bank.recall(query, some, where=condition)).hits
            items = self._in_force(self._versions(self._place(hit.episode) for hit in hits))
            lasting = {self._records.own(item)["id"]: item for item in items}
            scores: dict[str, float] = {}
            unsure: set[str] = set()
            for hit in hits:
                own = self._records.own(hit.episode)
                scores.setdefault(own.get("of") or own["id"], hit.score)
                unsure |= {own["of"]} if where and "of" in own else set()
            if unsure:
                met = self._records.read(*where, {name: {"$in": [*unsure]}})
                unsure -= {self._records.own(item)["id"] for item in met}
            found = [
                _Found(lasting[id_], score)
                for id_, score in scores.items()
                if id_ in lasting and id_ not in unsure
            ]
            if len(found) >= wanted or len(hits) < some:
                return found
            some *= 2  # several hits may be of one item

    def _checked(self, items: Sequence[Episode]) -> list[Episode]:
        """Return those items that are the last version of theirs and have not expired."""
        lasting = {item.id for item in self._in_force(self._versions_of(items))}
        return [item for item in items if item.id in lasting]

    def _list_namespaces(self, op: ListNamespacesOp) -> list[_Namespace]:
        begins = (c.path for c in op.match_conditions or () if c.match_type == "prefix")
        known = (tuple(takewhile("*".__ne__, path)) for path in begins)
        # What begins with all of them begins with the longest.
        scope = [*self._scope(max(known, key=len, default=()))]
        names: set[str] = set()
        look, unseen = _LOOK, list[Where]()
        while found := self._records.read(*scope, *unseen, limit=look):
            names |= {self._place(item)[0] for item in found}
            # Next come items of namespaces that were not seen yet, the more of them there are.
            look, unseen = 4 * look, [{f"{_KIND}.namespace": {"$nin": [*names]}}]
        there = {_split(name) for name in names}
        kept = {
            name[: op.max_depth]
            for name in there
            if all(_lies_at(name, condition) for condition in op.match_conditions or ())
        }
        return sorted(kept)[op.offset : op.offset + op.limit]


def _join(namespace: _Namespace) -> str:
    """Return a namespace as text, as LangGraph's own stores keep it: labels have no dots."""
    return ".".join(namespace)


def _split(namespace: str) -> _Namespace:
    return tuple(namespace.split(".")) if namespace else ()


def _check(op: Op) -> None:
    """
    Refuse an operation that makes no sense, before any of its batch is carried out.

    Raises:
        InvalidNamespaceError: a label is none.
        InputError: something else.

    """
    validate_op_namespace(op)
    if isinstance(op, SearchOp | ListNamespacesOp):
        check_whole(limit=op.limit, offset=op.offset)
    if isinstance(op, SearchOp) and not isinstance(op.query, str | None):
        raise InputError(f"query={op.query!r:.100}: give a question or a few words, as text")
    if isinstance(op, PutOp) and op.value is not None:
        if not isinstance(op.value, Mapping):
            msg = f"value={op.value!r:.100}: give an object, such as {{'text': 'Ada likes tea'}}"
            raise InputError(msg)
        _check_json(op.value)
        _check_paths(op.index or ())


def _check_json(value: Mapping[str, Any]) -> None:
    for key, one in value.items():
        try:
            json.dumps(one, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as exc:
            msg = f"value[{key!r}] cannot be kept as JSON ({exc}); nothing was stored"
            raise InputError(msg) from exc


def _check_paths(index: object) -> None:
    several = index if isinstance(index, Sequence) and not isinstance(index, str) else [None]
    if not all(isinstance(path, str) for path in several):
        msg = (
            f"index={index!r}: give paths, such as ['text', 'meta.title'], or ['$'] for all;"
            " embeddings are the memory's"
        )
        raise InputError(msg)


def _check_ttl(ttl: object) -> None:
    if ttl is None:
        return
    if not isinstance(ttl, Mapping):
        msg = f"ttl={ttl!r:.100}: give a configuration, such as {{'default_ttl': 60}}, in minutes"
        raise InputError(msg)
    refuse_unknown("ttl", ttl, [*TTLConfig.__annotations__], what="setting")


def _after(moment: datetime, minutes: float) -> float:
    try:
        return (moment + timedelta(minutes=minutes)).timestamp()
    except (TypeError, ValueError, OverflowError) as exc:
        msg = f"ttl={minutes!r}: give minutes, up to the year 9999, or None for no end"
        raise InputError(msg) from exc


def _lies_at(namespace: _Namespace, condition: MatchCondition) -> bool:
    """Return whether a namespace begins or ends with a path, in which "*" is any label."""
    path, size = condition.path, len(condition.path)
    if condition.match_type not in ("prefix", "suffix"):
        raise InputError(f"match_type={condition.match_type!r}: must be 'prefix' or 'suffix'")
    start = 0 if condition.match_type == "prefix" else max(0, len(namespace) - size)
    part = namespace[start : start + size]
    return len(part) == size and all(
        wanted in ("*", label) for label, wanted in zip(part, path, strict=True)
    )


def _lines(value: Any, path: str) -> Iterator[str]:  # noqa: ANN401 - JSON
    """Yield the searched text of a value at a path."""
    if path == "$":
        yield from _say(value)
    else:
        yield from get_text_at_path(value, path)


def _say(value: Any, name: str = "") -> Iterator[str]:  # noqa: ANN401 - JSON
    """Yield a line for everything in a value, with its name: JSON for people."""
    match value:
        case Mapping():
            for inner, item in value.items():
                yield from _say(item, str(inner))
        case list() | tuple():
            for item in value:
                yield from _say(item, name)
        case None | "":
            return
        case _:
            yield f"{name}: {value}" if name else str(value)


def _conditions(given: Mapping[str, Any], path: str) -> Iterator[Where]:
    """
    Yield a filter of LangGraph's as conditions on metadata; all must hold.

    Its operators are those of ``docs/filters.md``, which say what is wrong with others. As in
    LangGraph's own stores an absent key equals None, and an object without operators says what
    some of its members are.
    """
    if not isinstance(given, Mapping):
        raise InvalidFilter(f"filter={given!r}: give an object, such as {{'kind': 'note'}}")
    for key, wanted in given.items():
        if key in ("$and", "$or") and isinstance(wanted, list | tuple) and wanted:
            yield {key: [{"$and": [*_conditions(one, path)]} for one in wanted]}
        elif key == "$not":
            yield {"$not": {"$and": [*_conditions(wanted, path)]}}
        elif not isinstance(key, str) or key.startswith("$"):
            msg = (
                f"filter[{key!r}]={wanted!r}: keys are names, or $and or $or with a list of"
                " conditions, or $not with one"
            )
            raise InvalidFilter(msg)
        elif not isinstance(wanted, Mapping):
            yield _test(f"{path}.{key}", "$eq", wanted)
        elif all(str(name).startswith("$") for name in wanted) and wanted:
            yield from (_test(f"{path}.{key}", name, operand) for name, operand in wanted.items())
        elif any(str(name).startswith("$") for name in wanted):
            yield {f"{path}.{key}": wanted}  # to be refused, as a mixture of both
        else:
            yield {f"{path}.{key}": {"$exists": True}}
            yield from _conditions(wanted, f"{path}.{key}")


def _test(path: str, operator: str, operand: Any) -> Where:  # noqa: ANN401 - JSON
    """Return one test of what is at a path."""
    if operand is not None or operator not in ("$eq", "$ne"):
        return {path: {operator: operand}}
    nothing = {"$or": [{path: {"$eq": None}}, {path: {"$exists": False}}]}
    return nothing if operator == "$eq" else {"$not": nothing}
