"""Banks in PostgreSQL: the same tables and the same statements, on any number of servers."""

from __future__ import annotations

from hippocampus.store.postgres.store import PostgresStore

__all__ = ["PostgresStore"]
