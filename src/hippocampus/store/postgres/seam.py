"""The seam to ``psycopg``: the one place where its exceptions become ours."""

from __future__ import annotations

import re
from typing import Final

import psycopg
import psycopg_pool

from hippocampus import errors
from hippocampus.core.store_address import without_password

FOREIGN: Final = (psycopg.Error, psycopg_pool.PoolTimeout, psycopg_pool.PoolClosed, UnicodeError)

_IN_THE_WAY: Final = "another transaction was in the way; nothing was changed: try again"
_MESSAGES: Final[dict[str, tuple[type[errors.StoreError | errors.TextTooLong], str]]] = {
    "08": (
        errors.StoreUnreachable,
        (
            "the database cannot be reached; nothing was acknowledged: check that it runs, and try"
            " again"
        ),
    ),
    "22": (
        errors.StoreError,
        "a value cannot be stored, nothing was changed",
    ),
    "23": (
        errors.StoreError,
        (
            "the change breaks a rule of the store and was not made: the bank was dropped, or the"
            " row or id exists already"
        ),
    ),
    "23505": (
        errors.StoreOvertaken,
        (
            "the row or id exists already, so that nothing was changed: another server may have"
            " written it at the same time: try again"
        ),
    ),
    "25006": (
        errors.StoreReadOnly,
        (
            "is a standby, or its transactions only read: write through the primary, or open it"
            " with read_only=True"
        ),
    ),
    "28": (
        errors.StoreError,
        "the database refuses this user or password: check both, and pg_hba.conf",
    ),
    "3D": (
        errors.StoreError,
        "there is no such database: make it with 'createdb', or name another",
    ),
    "40001": (errors.StoreOvertaken, _IN_THE_WAY),
    "40P01": (errors.StoreOvertaken, _IN_THE_WAY),
    "40": (
        errors.StoreLocked,
        _IN_THE_WAY,
    ),
    "42501": (
        errors.StoreReadOnly,
        (
            "the user lacks a right on the store's tables, or to make them: have their owner grant"
            " it ('hippocampus postgres grant ROLE'), or open it read-only"
        ),
    ),
    "53100": (
        errors.StoreFull,
        "the database's disk is full; the write was rolled back: free some space and try again",
    ),
    "53300": (
        errors.StoreLocked,
        (
            "the database has no connection left (max_connections): raise it there, use a pooler,"
            " or let fewer processes open the store"
        ),
    ),
    "54": (
        errors.TextTooLong,
        (
            "a session or source is longer than PostgreSQL can index, which is 2 700 bytes as they"
            " are kept, or 2 000 where they are encrypted: give a shorter one, or keep it as"
            " metadata; nothing was changed"
        ),
    ),
    "55P03": (
        errors.StoreLocked,
        (
            "locked by another writer for longer than the timeout; nothing was changed: try again,"
            " or raise Config.busy_timeout_s"
        ),
    ),
    "57014": (
        errors.StoreLocked,
        (
            "the database cancelled a statement (statement_timeout, or somebody); nothing was"
            " changed: try again, or raise the timeout"
        ),
    ),
    "57": (
        errors.StoreUnreachable,
        "the database is shutting down or starting; nothing was acknowledged: try again",
    ),
}


def translate(exc: Exception, path: str) -> errors.StoreError | errors.TextTooLong:
    """Return the error of ours that an exception of ``psycopg`` means for the store at ``path``."""
    told = without_password(" ".join(str(exc).split()))
    if isinstance(exc, psycopg_pool.PoolTimeout | psycopg_pool.PoolClosed):
        return _of_pool(exc, told, path)
    if isinstance(exc, UnicodeError) or "NUL" in told:
        return errors.StoreError(
            f"a value cannot be stored, nothing was changed: {told}; PostgreSQL keeps no text with"
            " a character of code 0 or half a character",
            path=path,
        )
    if isinstance(exc, psycopg.errors.InsufficientPrivilege) and "row-level security" in told:
        return errors.StoreError(
            "the bank is of another tenant than this call acts for; nothing was changed"
            f" (PostgreSQL says: {told})",
            path=path,
        )
    state = getattr(exc, "sqlstate", None) or _state_of(exc, told)
    for code in (state, state[:2]):
        if code in _MESSAGES:
            kind, message = _MESSAGES[code]
            message = f"{message} (PostgreSQL says: {told})"
            if issubclass(kind, errors.StoreError):
                return kind(message, path=path)
            return kind(f"{path}: {message}")
    refused = "PostgreSQL refused:"
    if isinstance(exc, psycopg.ProgrammingError) and not state:  # no server has said so
        refused = "the address cannot be read: write it as postgresql://user@host/database;"
    return errors.StoreError(f"{refused} {told}", path=path)


def _of_pool(exc: Exception, told: str, path: str) -> errors.StoreError:
    if isinstance(exc, psycopg_pool.PoolClosed):
        return errors.StoreClosed("the store was closed; open it again", path=path)
    message = (
        "no connection to the database became free in time; nothing was changed: check that it"
        " runs, raise Config.busy_timeout_s, or let fewer threads ask at once"
    )
    return errors.StoreLocked(f"{message} ({told})", path=path)


_REFUSALS: Final = (
    (re.compile(r'database ".*" does not exist'), "3D"),
    (re.compile(r'authentication failed|role ".*" does not exist|no pg_hba.conf entry'), "28"),
    (re.compile(r"too many (?:clients|connections)|connection slots"), "53300"),
    (re.compile(r"starting up|shutting down"), "57"),
)
"""Messages of a server that lets nobody in, for then there is no code."""


def _state_of(exc: Exception, told: str) -> str:
    """Return the code of an error without one, that of a lost connection where nothing is said."""
    if not isinstance(exc, psycopg.OperationalError | psycopg.InterfaceError):
        return ""
    return next((code for says, code in _REFUSALS if says.search(told)), "08")
