"""Stores of banks: one `Store` protocol, and the only layer that speaks SQL."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import cast

from hippocampus.core.key import Key
from hippocampus.core.optional import require
from hippocampus.core.records import Store
from hippocampus.core.store_address import StoreAddress, addresses, is_url
from hippocampus.errors import InputError
from hippocampus.store.shards import Shard, ShardedStore, refuse_alone
from hippocampus.store.sqlite import SqliteStore

__all__ = ["SqliteStore", "open_store"]


def open_store(
    address: StoreAddress,
    *,
    busy_timeout_s: float,
    read_only: bool = False,
    create: bool = True,
    key: Key | None = None,
    tracer: Callable[[str], object] | None = None,
    alone: bool = False,
) -> Store:
    """
    Open the store at a path, in memory for ``:memory:``, or in PostgreSQL for ``postgresql://…``.

    Args:
        address: a file, whose folder must exist; a connection string of libpq's; or several, which
            have the banks between them (``store/shards.py``).
        busy_timeout_s: how long to wait for another writer before ``StoreLocked``.
        read_only: never write, neither the file nor its format; works on read-only media.
        create: make the store when there is none.
        key: opens a store that is encrypted, and has a new one be; None for plain words.
        tracer: called with every SQL statement to a file; ``print`` shows them.
        alone: open one of the several databases of a store by itself, for upkeep.

    Raises:
        InputError: nothing is named, or one is named twice.
        StoreError: there is no such store, or it cannot be opened; the subclass says why.

    """
    named = addresses(address)
    if not named or len(set(named)) < len(named):
        raise InputError(f"store={address!r}: name a database, and each of several once")
    opened = partial(
        _open_one, busy_timeout_s=busy_timeout_s, read_only=read_only, create=create, key=key,
        tracer=tracer,
    )  # fmt: skip
    with ExitStack() as undo:
        shards = list[Shard]()
        for one in named:
            shards.append(opened(one))
            undo.callback(shards[-1].close)
        if len(shards) > 1:
            store = cast("Store", ShardedStore(shards, read_only=read_only))
        else:
            store = cast("Store", shards[0])
            if not alone:
                refuse_alone(shards[0])
        undo.pop_all()
    return store


def _open_one(
    path: str,
    *,
    busy_timeout_s: float,
    read_only: bool,
    create: bool,
    key: Key | None,
    tracer: Callable[[str], object] | None,
) -> Shard:
    scheme = path.partition("://")[0] if is_url(path) else ""
    if scheme in ("postgresql", "postgres"):
        require("psycopg_pool", extra="postgres", feature="a store in PostgreSQL")
        from hippocampus.store.postgres import PostgresStore  # noqa: PLC0415 - an extra

        return PostgresStore(
            path, busy_timeout_s=busy_timeout_s, read_only=read_only, create=create, key=key
        )
    if scheme:
        msg = (
            f"{scheme}:// stores are not supported; give the path of a file, ':memory:', or"
            " postgresql://…"
        )
        raise InputError(msg)
    return SqliteStore(
        path, busy_timeout_s=busy_timeout_s, read_only=read_only, create=create, key=key,
        tracer=tracer,
    )  # fmt: skip
