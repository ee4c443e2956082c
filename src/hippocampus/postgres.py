"""
Looking after a store in PostgreSQL: the roles that may use it, each behind a wall of its tenant.

    from hippocampus import postgres

    postgres.grant("postgresql://owner@db/memories", "app")

See ``docs/postgres.md`` for what the wall keeps apart, and what it does not.
"""

from __future__ import annotations

from contextlib import closing
from typing import Final

from hippocampus.core.key import Key, as_key
from hippocampus.core.optional import require
from hippocampus.core.store_address import addresses, is_url
from hippocampus.errors import InputError

__all__ = ["grant"]

_PATIENCE_S: Final = 30.0
"""Seconds that others at work on the tables are waited for: three times what
``Config.busy_timeout_s`` has for a write. Chosen by hand."""


def grant(store: str, role: str, *, tenant: str | None = None, key: Key | str | None = None) -> int:
    """
    Let a role read and write a store in PostgreSQL, behind the wall between tenants.

    It sees the banks of the tenant that its session says it acts for, as a server does for every
    request; with ``tenant``, the banks of this one alone. Return how many banks there are.

    Args:
        store: its address; it is opened as the role that owns its tables.
        role: a role of the database, which owns nothing.
        tenant: what the names of its banks begin with, up to and with the first slash.
        key: opens the store, if it is encrypted.

    Raises:
        InputError: the store is in a file, or there is no such role, or one that no wall holds.
        StoreReadOnly: whoever opens it does not own its tables.

    """
    if len(addresses(store)) > 1:
        raise InputError(f"store={store!r}: has roles in each of its databases; name one at a time")
    if not is_url(store):
        raise InputError(f"store={store!r}: a file has no roles; name one in PostgreSQL")
    require("psycopg_pool", extra="postgres", feature="a store in PostgreSQL")
    from hippocampus.store.postgres import PostgresStore  # noqa: PLC0415 - an extra

    opened = PostgresStore(store, busy_timeout_s=_PATIENCE_S, create=False, key=as_key(key))
    with closing(opened):
        opened.grants.grant(role, tenant=tenant)
        return len(opened.banks.names())
