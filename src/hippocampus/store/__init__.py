"""Where banks live: one `Store` protocol, and the only layer that speaks SQL."""

from __future__ import annotations

import os
from collections.abc import Callable

from hippocampus.core.key import Key
from hippocampus.core.optional import require
from hippocampus.core.records import Store
from hippocampus.core.store_address import is_url
from hippocampus.errors import InputError
from hippocampus.store.sqlite import SqliteStore

__all__ = ["SqliteStore", "open_store"]


def open_store(
    path_or_url: str | os.PathLike[str],
    *,
    busy_timeout_s: float,
    read_only: bool = False,
    create: bool = True,
    key: Key | None = None,
    tracer: Callable[[str], object] | None = None,
) -> Store:
    """
    Open the store at a path, in memory for ``:memory:``, or in PostgreSQL for ``postgresql://…``.

    Args:
        path_or_url: a file, whose folder must exist; or a connection string of libpq's.
        busy_timeout_s: how long to wait for another writer before ``StoreLocked``.
        read_only: never write, neither the file nor its format; works on read-only media.
        create: make the store when there is none.
        key: opens a store that is encrypted, and has a new one be; None for plain words.
        tracer: called with every SQL statement; ``print`` shows them.

    Raises:
        StoreError: there is no such store, or it cannot be opened; the subclass says why.

    """
    path = os.fspath(path_or_url)
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
