"""Where banks live: the only layer that speaks SQL."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hippocampus.errors import InputError
from hippocampus.model import Store


def open_store(
    path: str | Path,
    *,
    busy_timeout_s: float = 10.0,
    read_only: bool = False,
    create: bool = True,
    tracer: Callable[[str], None] | None = None,
) -> Store:
    """
    Open a store, making it if it is missing.

    Args:
        path: a SQLite file, or ``":memory:"``.
        busy_timeout_s: how long a write waits for another process.
        read_only: open without the right to change anything; the store must exist.
        create: make a missing store.
        tracer: called with every SQL statement, values filled in; ``print`` shows them.

    Raises:
        StoreError: it cannot be opened; what is there was left as it was.

    """
    from hippocampus.store.sqlite import SqliteStore  # noqa: PLC0415  (one backend, when needed)

    if not isinstance(path, str | Path) or not str(path).strip():
        msg = f"path={path!r}: a store needs a file name, or ':memory:'"
        raise InputError(msg)
    if "://" in str(path):
        msg = f"path={path!r}: only SQLite files are supported; give a file name"
        raise InputError(msg)
    return SqliteStore(
        path, busy_timeout_s=busy_timeout_s, read_only=read_only, create=create, tracer=tracer
    )
