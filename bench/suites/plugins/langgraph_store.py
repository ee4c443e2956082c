"""A pytest plugin: in LangGraph's tests of its stores, ours stands in their place."""

from __future__ import annotations

import os
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from pathlib import Path

import langgraph.store.memory
import langgraph.store.sqlite
import langgraph.store.sqlite.aio
from langgraph.store.base import BaseStore

from hippocampus import Memory
from hippocampus.integrations.langgraph import HippocampusStore

_FOLDER = Path(os.environ["HIPPOCAMPUS_SUITES"])
_numbers = count()


class InMemoryStore(HippocampusStore):
    """Ours, made as theirs is; of ``index`` only the fields are ours to follow."""

    def __init__(self, *, index=None, ttl=None, path: Path | None = None) -> None:
        path = path or _FOLDER / f"{next(_numbers)}.db"
        fields = (index or {}).get("fields") or (index or {}).get("text_fields") or ["$"]
        super().__init__(Memory(path, embedder="none").bank("suite"), index=fields, ttl=ttl)

    def setup(self) -> None:
        """Do nothing: a store of ours is there when it is opened."""

    def start_ttl_sweeper(self, *_: object, **__: object) -> None:
        """Do nothing: ours sweeps by itself with ``sweep_interval_minutes``."""

    def stop_ttl_sweeper(self, *_: object, **__: object) -> bool:
        """Do nothing, likewise."""
        return True

    @classmethod
    @contextmanager
    def from_conn_string(cls, conn_string: str, *, index=None, ttl=None):
        """Open a store in a file of its own."""
        path = None if conn_string == ":memory:" else Path(f"{conn_string}.db")
        yield cls(index=index, ttl=ttl, path=path)


class AsyncSqliteStore(BaseStore):
    """The same, awaited; ours is one store for both."""

    supports_ttl = True

    def __init__(self, ours: InMemoryStore) -> None:
        self.ours = ours
        self.ttl_config = ours.ttl_config

    def batch(self, ops):
        """Carry out several operations."""
        return self.ours.batch(ops)

    async def abatch(self, ops):
        """Carry out several operations."""
        return await self.ours.abatch(ops)

    async def setup(self) -> None:
        """Do nothing: a store of ours is there when it is opened."""

    async def start_ttl_sweeper(self, *_: object, **__: object) -> None:
        """Do nothing: ours sweeps by itself."""

    async def stop_ttl_sweeper(self, *_: object, **__: object) -> bool:
        """Do nothing, likewise."""
        return True

    async def sweep_ttl(self) -> int:
        """Delete expired items."""
        return self.ours.sweep_ttl()

    @classmethod
    @asynccontextmanager
    async def from_conn_string(cls, conn_string: str, *, index=None, ttl=None):
        """Open a store in a file of its own."""
        with InMemoryStore.from_conn_string(conn_string, index=index, ttl=ttl) as ours:
            yield cls(ours)


langgraph.store.memory.InMemoryStore = InMemoryStore
langgraph.store.sqlite.SqliteStore = InMemoryStore
langgraph.store.sqlite.AsyncSqliteStore = AsyncSqliteStore
langgraph.store.sqlite.aio.AsyncSqliteStore = AsyncSqliteStore
