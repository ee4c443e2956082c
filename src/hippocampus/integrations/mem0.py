"""
mem0's ``Memory`` over a memory of ours: change the import, keep the code.

    from hippocampus.integrations.mem0 import Memory

Methods, arguments of its old and new versions, and results are mem0's. A memory is an episode, its
payload the episode's metadata, its id a UUID made of the episode's. Each user has a bank; memories
without a user are in a bank of their agent's, or else of their run's.
"""

from __future__ import annotations

import json
import logging
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from heapq import merge
from itertools import islice
from pathlib import Path
from typing import Any, Final, Protocol, Self, TypeAlias, TypeVar, runtime_checkable
from urllib.parse import quote

import platformdirs

import hippocampus.memory
from hippocampus.aio import OnThreads, on_a_thread
from hippocampus.bank import Bank
from hippocampus.core.config import Config
from hippocampus.core.files import read_text
from hippocampus.core.given_arguments import as_path
from hippocampus.core.records import Episode, Filters, Turn
from hippocampus.core.store_address import addresses, is_url, without_password
from hippocampus.errors import InputError, SourceError, UnknownEpisode
from hippocampus.integrations import _mem0
from hippocampus.integrations._mem0 import Record
from hippocampus.integrations._recall import told

__all__ = ["AsyncMemory", "Memory"]

Results: TypeAlias = dict[str, list[Record]]
"""Wrapping of lists in mem0: ``{"results": […]}``."""
Exported: TypeAlias = str | Path | Mapping[str, Any] | Iterable[Mapping[str, Any]]

_log = logging.getLogger(__name__)

_PROCEDURAL: Final = "procedural_memory"
_COLLECTION: Final = "mem0"
"""Name of a collection in mem0 that nobody named."""
_MOMENTS: Final = 1000
"""Microseconds for which the same words of others may lie in the way of a memory."""
_UNSET: Final = object()
_Answer = TypeVar("_Answer")


@runtime_checkable
class _Model(Protocol):
    """A model of pydantic's, such as mem0's ``MemoryConfig``."""

    def model_dump(self, *, exclude_unset: bool, warnings: bool) -> dict[str, Any]:
        """Return the options that were set."""


class Memory:
    """
    mem0's ``Memory``; nothing to configure, and no model, key or network needed.

    Args:
        config: mem0's configuration. ``vector_store.config.path`` or ``history_db_path`` says where
            the store is; what chooses models and servers is not needed. ``hippocampus`` has what
            mem0's does not: ``path``, and whatever else ``hippocampus.Memory`` takes. mem0's own
            ``MemoryConfig`` will do as well.

    """

    def __init__(self, config: Mapping[str, Any] | _Model | None = None) -> None:
        given = _settings(config)
        options = _settings(given.get("hippocampus"))
        path = options.pop("path", None) or _path(given)
        stores = addresses(path)
        if _settings(given.get("vector_store")) and "path" not in _vectors(given):
            _log.warning(
                "the vector_store of the configuration is not used: memories are in %s",
                ", ".join(map(without_password, stores)),
            )
        for one in stores:
            if one != ":memory:" and not is_url(one):
                Path(one).parent.mkdir(parents=True, exist_ok=True)
        settings = options.pop("config", None) or Config()
        # A message is one memory, however long: mem0 returns it as it was given.
        whole = replace(settings.ingest, chunk_tokens=settings.ingest.max_text_bytes)
        self.memory = hippocampus.memory.Memory(
            path, config=replace(settings, ingest=whole), **options
        )
        """The memory behind it."""

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        """Return a memory with mem0's configuration; see the class."""
        return cls(config_dict)

    def bank(self, **scope: object) -> Bank:
        """Return the bank of a ``user_id``, ``agent_id`` or ``run_id``, for all its other verbs."""
        return self.memory.bank(_mem0.bank_of(_mem0.read_scope(scope)))

    # ------------------------------------------------------------ writing

    def add(
        self,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        user_id: object = None,
        *,
        agent_id: object = None,
        run_id: object = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: object = None,
        expiration_date: object = None,
        infer: bool = True,
        memory_type: str | None = None,
        prompt: str | None = None,  # noqa: ARG002 - for mem0's extraction; here is none
    ) -> Results:
        """
        Keep messages as they are; nothing is extracted, with ``infer`` or without.

        Args:
            messages: a text, a message with ``role`` and ``content``, or a list of them. System
                messages and those without text are left out.
            user_id: whose it is; this, ``agent_id`` or ``run_id`` is required.
            agent_id: which agent's it is.
            run_id: of which conversation it is.
            metadata: what to filter by.
            timestamp: when it was said: Unix seconds, ISO 8601 text, a datetime; now by default.
            expiration_date: the last day on which it is found.
            infer: what the result shows: mem0's without ``infer`` has role and actor as well.
            memory_type: None or ``procedural_memory``, which is kept in the metadata.
            prompt: not needed.

        Returns:
            What was kept; ``event`` is ADD, NONE for what was there already, or UPDATE if it has
            other metadata now.

        """
        if memory_type not in (None, _PROCEDURAL):
            msg = f"memory_type={memory_type!r}: there is only {_PROCEDURAL!r}; or leave it out"
            raise InputError(msg)
        scope = _mem0.read_scope({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        payload = _mem0.without_identity(metadata or {})
        if memory_type is not None:
            payload["memory_type"] = memory_type
        if expiration_date is not None:
            payload["expiration_date"] = _mem0.read_day(expiration_date)
        created = payload.pop("created_at", None)  # how mem0's users had to say when it was
        given = created if timestamp is None else timestamp
        zone, name = self.memory.engine.zone, "timestamp"
        if timestamp is None:
            name = "metadata['created_at']"
        at = self.memory.now() if given is None else _mem0.read_moment(given, name, zone)
        turns = [
            # So they stay in order, and the same words said twice are two.
            _mem0.make_turn(*said, scope=scope, payload=payload, at=_mem0.moment_after(at, place))
            for place, said in enumerate(_mem0.read_messages(messages))
        ]
        kept = self._keep(scope, turns, more=() if infer else ("actor_id", "role"))
        return {"results": [self._renewed(one, payload) for one in kept]}

    def import_(self, exported: Exported) -> Results:
        """
        Keep memories that mem0 has exported: the result of its ``get_all``, or a JSON file of it.

        Times, owners and metadata stay; the old id is in the metadata as ``mem0_id``. Importing
        again adds nothing, and what was updated since stays as it is.
        """
        turns: defaultdict[tuple[tuple[str, str], ...], list[Turn]] = defaultdict(list)
        zone = self.memory.engine.zone
        for record in _records(exported):
            scope = _mem0.read_scope(record)
            payload = _mem0.without_identity(record.get("metadata") or {})
            payload |= _mem0.imported_fields(record, zone)
            at = _mem0.read_moment(record["created_at"], "created_at", zone)
            said = record.get("role") or "user", record["memory"], record.get("actor_id")
            turn = _mem0.make_turn(*said, scope=scope, payload=payload, at=at)
            turns[tuple(scope.items())].append(turn)
        return {
            "results": [one for of, some in turns.items() for one in self._keep(dict(of), some)]
        }

    def _keep(
        self, scope: Mapping[str, str], turns: Sequence[Turn], *, more: Sequence[str] = ()
    ) -> list[Record]:
        """Remember turns, of one scope; return mem0's account of it."""
        bank, began = self.memory.bank(_mem0.bank_of(scope)), self.memory.now()
        kept = []
        for turn, episode in zip(turns, bank.remember_many(turns), strict=True):
            # The same words of the same moment, or that were just found, are one episode of a
            # bank: it may be another agent's or run's, or deleted. So the moment gives way.
            episode = _standing(bank, episode, turn) or _anew(bank, turn)  # noqa: PLW2901
            event = "NONE" if episode.recorded_at < began else "ADD"
            about = {key: episode.metadata.get(key) for key in more}
            kept.append(
                {"id": _mem0.id_of(episode), "memory": episode.text, "event": event} | about
            )
        return kept

    def _renewed(self, kept: Record, payload: Mapping[str, Any]) -> Record:
        """Give a memory that was there already the metadata that it was added with."""
        if kept["event"] != "NONE":
            return kept
        _, episode = self._current(kept["id"])
        there = episode.metadata
        if all(key in there and there[key] == value for key, value in payload.items()):
            return kept
        self.update(kept["id"], metadata=payload)
        return kept | {"event": "UPDATE"}

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: object = _UNSET,
        data: str | None = None,
    ) -> dict[str, str]:
        """
        Change a memory's text, metadata, or when it expires; its id stays.

        Args:
            memory_id: which one.
            text: what it should say.
            metadata: what to add or replace; whose it is stays.
            expiration_date: the last day on which it is found; None for always.
            data: what ``text`` was called before.

        Raises:
            UnknownEpisode: there is no such memory; a ``ValueError``, as mem0's.

        """
        text = data if text is None else text
        if text is None and metadata is None and expiration_date is _UNSET:
            raise InputError("update: give at least one of text, metadata and expiration_date")
        changes = _mem0.without_identity(metadata or {})
        if expiration_date is not _UNSET:
            last = None if expiration_date is None else _mem0.read_day(expiration_date)
            changes["expiration_date"] = last
        bank, old = self._current(memory_id)
        while True:
            payload = dict(old.metadata) | changes
            payload |= {_mem0.FIRST: _mem0.id_of(old), "updated_at": _mem0.iso(self.memory.now())}
            if payload.get("expiration_date") is None:
                payload.pop("expiration_date", None)
            try:
                bank.correct(old.id, text, metadata=payload)
            except InputError:  # perhaps somebody else was first
                was, (_, old) = old, self._current(memory_id)
                if was.id == old.id:
                    raise
            else:
                return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> dict[str, str]:
        """
        Erase a memory: no word of it stays in the store, in its history neither.

        Raises:
            UnknownEpisode: there is no such memory; a ``ValueError``, as mem0's.

        """
        bank, episode = self._current(memory_id)
        bank.forget(episode.id, erase=True)
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self, user_id: object = None, agent_id: object = None, run_id: object = None
    ) -> dict[str, str]:
        """
        Erase the memories of a user, an agent, a run, or what all that are given have.

        That is all there ever was: what sleep has let go too, and of a user alone whatever else
        their bank holds.
        """
        scope = _mem0.read_scope({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        for bank in self._banks(scope):
            whole = len(scope) == 1 and bank.name == _mem0.bank_of(scope)
            while ids := _ever(bank, {} if whole else scope):
                try:
                    bank.forget(ids, erase=True)
                    break
                except UnknownEpisode:  # somebody else has just erased one
                    continue
        return {"message": "Memories deleted successfully!"}

    def reset(self) -> None:
        """Erase everything that was added here; other banks of the store stay."""
        for name in self.memory.banks():
            if name.startswith(_mem0.BANKS):
                self.memory.delete_bank(name)

    # ------------------------------------------------------------ reading

    def search(
        self,
        query: str,
        user_id: object = None,
        *,
        agent_id: object = None,
        run_id: object = None,
        limit: int | None = None,
        filters: Mapping[str, Any] | None = None,
        top_k: int | None = None,
        threshold: float | None = None,
        rerank: bool = False,  # noqa: ARG002 - the ranking is made in one go
        explain: bool = False,
        reference_date: object = None,
        show_expired: bool = False,
    ) -> Results:
        """
        Find the memories that bear on a question, best first.

        Words of tools that read like an order to a model are left out; ``get_all`` lists them.

        Args:
            query: a question or a few words.
            top_k: how many at most; 20 by default, or 100 where whose it is is said as before.
            filters: whose, and what else must hold, with mem0's operators, AND, OR and NOT;
                ``created_at`` can be compared beside the ids.
            threshold: the least score, a probability in [0, 1]; none by default.
            rerank: not needed.
            explain: add ``score_details``, with the share of each cue.
            reference_date: the present, for "yesterday" and its like.
            show_expired: what has expired as well.
            user_id: as in ``filters``, from before mem0 2.
            agent_id: likewise.
            run_id: likewise.
            limit: what ``top_k`` was called before.

        Raises:
            InvalidScope: it is not said whose; a ``ValueError``, as mem0's.

        """
        owners = {"user_id": user_id, "agent_id": agent_id, "run_id": run_id}
        banks, seen = self._visible(owners, filters, show_expired=show_expired)
        most, least = _mem0.read_most(top_k, limit, owners), _mem0.read_least(threshold)
        now = self.memory.now()
        if reference_date is not None:
            now = _mem0.read_moment(reference_date, "reference_date", self.memory.engine.zone)
        # A model reads what is found, and mem0's results have no place for a mark.
        seen["suspects"] = "hide"
        found = [told(bank.recall(query, most, now=now, **seen)) for bank in banks]
        # Scores are probabilities, so those of different banks can be compared.
        hits = islice(merge(*found, key=lambda hit: -hit.score), most)
        results = [
            _mem0.show(hit.episode, score=hit.score)
            | (_mem0.explained(hit, threshold) if explain else {})
            for hit in hits
            if hit.score >= least
        ]
        return {"results": results}

    def get_all(
        self,
        user_id: object = None,
        *,
        agent_id: object = None,
        run_id: object = None,
        limit: int | None = None,
        filters: Mapping[str, Any] | None = None,
        top_k: int | None = None,
        show_expired: bool = False,
    ) -> Results:
        """Return memories, the newest first; arguments are those of ``search``."""
        owners = {"user_id": user_id, "agent_id": agent_id, "run_id": run_id}
        banks, seen = self._visible(owners, filters, show_expired=show_expired)
        most = _mem0.read_most(top_k, limit, owners)
        found = [bank.episodes(limit=most, newest=True, **seen) for bank in banks]
        newest = merge(*found, key=lambda episode: episode.occurred_at, reverse=True)
        return {"results": [_mem0.show(episode) for episode in islice(newest, most)]}

    def get(self, memory_id: str) -> Record | None:
        """Return a memory, expired or not; None if there is none, or no more."""
        try:
            _, episode = self._current(memory_id)
        except UnknownEpisode:
            return None
        return _mem0.show(episode, score=None)

    def history(self, memory_id: str) -> list[Record]:
        """Return the changes of a memory; of one that was deleted, without its words."""
        try:
            bank, changes = self._in_its_bank(memory_id, Bank.history)
        except UnknownEpisode:
            return []
        records = []
        for change in changes:
            names = (change.episode, change.detail.get("by"))
            before, after = (_version(bank, name) for name in names)
            records.append(_mem0.tell(change, str(memory_id), before, after))
        return [record for record in records if record is not None]

    # ------------------------------------------------------------ inside

    def _visible(
        self,
        owners: Mapping[str, object],
        filters: Mapping[str, Any] | None,
        *,
        show_expired: bool,
    ) -> tuple[list[Bank], Filters]:
        """Return the banks to look in, and what may be seen of them."""
        today = None if show_expired else self.memory.now()
        zone = self.memory.engine.zone
        scope, seen = _mem0.read_filters(owners, filters, today=today, zone=zone)
        return self._banks(scope), seen

    def _banks(self, scope: Mapping[str, str]) -> list[Bank]:
        """Return the banks that may hold what is of a scope: its own, and those of wider ones."""
        wider = _mem0.wider_than(scope)
        others = [name for name in self.memory.banks() if name.startswith(wider)] if wider else []
        return [self.memory.bank(name) for name in (_mem0.bank_of(scope), *others)]

    def _current(self, memory_id: str) -> tuple[Bank, Episode]:
        """
        Return a memory's bank, and the version of it that is in force.

        Raises:
            UnknownEpisode: there is none.

        """
        bank, episode = self._in_its_bank(memory_id, Bank.get)
        episode = _latest(bank, episode)
        if episode.state != "active":
            raise _unknown(memory_id)
        return bank, episode

    def _in_its_bank(
        self, memory_id: str, verb: Callable[[Bank, str], _Answer]
    ) -> tuple[Bank, _Answer]:
        """Ask the bank that a memory's id tells; of another UUID, and of other text, none."""
        try:
            marked, episode = _mem0.read_id(str(memory_id))
        except ValueError:
            raise _unknown(memory_id) from None
        for name in self.memory.banks():
            if name.startswith(_mem0.BANKS) and _mem0.mark(name) == marked:
                bank = self.memory.bank(name)
                try:
                    return bank, verb(bank, episode)
                except UnknownEpisode:
                    continue  # two banks may have one mark
        raise _unknown(memory_id)

    def close(self) -> None:
        """Release the store. May be called twice."""
        self.memory.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncMemory(OnThreads):
    """mem0's ``AsyncMemory``: each method of ``Memory``, to be awaited. ``sync`` is that."""

    def __init__(self, config: Mapping[str, Any] | _Model | None = None) -> None:
        self.sync = Memory(config)

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        """Return a memory with mem0's configuration; before mem0 2 it was awaited, and may be."""
        return cls(config_dict)

    add = on_a_thread(Memory.add)
    import_ = on_a_thread(Memory.import_)
    update = on_a_thread(Memory.update)
    delete = on_a_thread(Memory.delete)
    delete_all = on_a_thread(Memory.delete_all)
    reset = on_a_thread(Memory.reset)
    search = on_a_thread(Memory.search)
    get_all = on_a_thread(Memory.get_all)
    get = on_a_thread(Memory.get)
    history = on_a_thread(Memory.history)

    def close(self) -> None:
        """Release the store. May be called twice."""
        self.sync.close()

    async def _itself(self) -> Self:
        return self

    def __await__(self) -> Generator[Any, None, Self]:
        return self._itself().__await__()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()


def _read_exported(path: Path) -> Any:  # noqa: ANN401 - JSON
    try:
        return json.loads(read_text(path))
    except (OSError, ValueError, RecursionError) as exc:
        msg = f"cannot be read as JSON ({exc}); give the file that mem0's get_all was written to"
        raise SourceError(msg, path=path) from exc


def _records(exported: Exported) -> Iterator[Mapping[str, Any]]:
    """
    Yield the exported memories, without empty ones.

    Raises:
        InputError: it is not what mem0's ``get_all`` returns.
        SourceError: it is a file that cannot be read, or is not JSON.

    """
    if isinstance(exported, str | Path):
        exported = _read_exported(Path(exported))
    several: Any = (
        exported.get("results", [exported]) if isinstance(exported, Mapping) else exported
    )
    if not isinstance(several, Iterable):
        raise InputError(f"exported={several!r:.80}: give what mem0's get_all returned")
    for place, record in enumerate(several):
        for key in ("id", "memory", "created_at"):
            if not isinstance(record, Mapping) or not isinstance(record.get(key), str):
                raise InputError(f"record {place} has no {key}: give what mem0's get_all returned")
        if record["memory"].strip():
            yield record


def _latest(bank: Bank, episode: Episode) -> Episode:
    """Return the last version of a memory, in force or not."""
    while episode.state == "superseded" and episode.superseded_by:
        episode = bank.get(episode.superseded_by)
    return episode


def _standing(bank: Bank, episode: Episode, turn: Turn) -> Episode | None:
    """Return the memory in force that a turn has become; None if it is another's, or deleted."""
    if _mem0.is_imported_as(episode, turn):
        # Else an update would be undone by the next import, which has the words from before it.
        episode = _latest(bank, episode)
    return episode if _mem0.stands_for(episode, turn) else None


def _anew(bank: Bank, turn: Turn) -> Episode:
    """
    Remember a turn at the next moment at which nobody has said the same.

    Raises:
        InputError: whose it is cannot be kept as it was given.
        InvalidTime: the calendar ends before that moment.

    """
    assert isinstance(turn.at, datetime), "made so"
    for places in range(_MOMENTS):
        later = replace(turn, at=_mem0.moment_after(turn.at, places + 1))
        (kept,) = bank.remember_many([later], again=True)
        if (episode := _standing(bank, kept, turn)) is not None:
            return episode
    owners = {key: turn.metadata[key] for key in _mem0.SCOPES if key in turn.metadata}
    raise InputError(
        f"{owners!r}: the same words are there of {_MOMENTS} other owners at that moment; give"
        " another timestamp"
    )


def _ever(bank: Bank, scope: Mapping[str, str]) -> list[str]:
    """Return the ids of all of a scope that words are left of, in force or not."""
    seen = {episode.id for episode in bank.episodes(where=scope or None)}
    changes = bank.journal()
    erased = {change.episode for change in changes if change.kind == "erase"}
    # What is hidden or was replaced shows in the journal alone.
    others = {change.episode for change in changes if change.kind == "remember"} - erased - seen
    hidden = filter(None, (_version(bank, id_) for id_ in others))
    return [*seen, *(one.id for one in hidden if scope.items() <= one.metadata.items())]


def _version(bank: Bank, episode: str | None) -> Episode | None:
    """Return a version of a memory; None if there is none, or its words are erased."""
    try:
        return bank.get(episode) if episode else None
    except UnknownEpisode:
        return None


def _unknown(memory_id: object) -> UnknownEpisode:
    msg = f"memory {memory_id!r}: there is none of that id, or no more; get_all lists what is there"
    return UnknownEpisode(msg)


def _settings(given: Mapping[str, Any] | _Model | None) -> dict[str, Any]:
    """Return a configuration as a dict; of mem0's own, what was set in it."""
    if isinstance(given, _Model):
        given = given.model_dump(exclude_unset=True, warnings=False)
    if not isinstance(given, Mapping | None):
        raise InputError(f"{given!r:.100}: a configuration is a dict, or mem0's MemoryConfig")
    return dict(given or {})


def _vectors(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of the place where mem0 would keep its vectors."""
    return _settings(_settings(config.get("vector_store")).get("config"))


def _path(config: Mapping[str, Any]) -> Path:
    """Return the path of the store: beside mem0's own files, as its configuration tells."""
    vectors = _vectors(config)
    collection = vectors.get("collection_name") or _COLLECTION
    # mem0 keeps collections apart, and what is in one is none of another's business.
    apart = "" if collection == _COLLECTION else f"-{quote(collection, safe='')}"
    if vectors.get("path"):
        return as_path("vector_store.config.path", vectors["path"]) / f"hippocampus{apart}.db"
    if config.get("history_db_path"):
        beside = as_path("history_db_path", config["history_db_path"])
        return beside.with_name(f"hippocampus{apart}.db")
    return Path(platformdirs.user_data_dir("hippocampus", appauthor=False)) / f"mem0{apart}.db"
