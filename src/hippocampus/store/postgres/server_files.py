"""The files of a server in which words may be left, read through the server itself."""

from __future__ import annotations

from functools import partial
from typing import Final

from hippocampus.core.files import RawFile
from hippocampus.store.postgres.transactions import PostgresTransactions

_MAY_READ: Final = (
    "SELECT has_function_privilege('pg_ls_dir(text, boolean, boolean)', 'EXECUTE') AND"
    " has_function_privilege('pg_read_binary_file(text, bigint, bigint, boolean)', 'EXECUTE')"
)
_FOLDERS: Final = (
    "SELECT 'base/' || oid FROM pg_database WHERE datname = current_database()"
    " UNION ALL SELECT 'base/pgsql_tmp' UNION ALL SELECT 'pg_wal'"
)
_FILES: Final = "SELECT name FROM pg_ls_dir(?, true, false) AS name ORDER BY name"
_PIECE: Final = "SELECT pg_read_binary_file(?, ?, ?, true)"
_ELSEWHERE: Final = (
    (
        "backups of the server, of whatever age: nobody but who keeps them can look",
        "SELECT true",
    ),
    (
        "the archive of its log (archive_mode is on)",
        "SELECT current_setting('archive_mode') <> 'off'",
    ),
    (
        "images of pages in its log, which are compressed (wal_compression is on)",
        "SELECT current_setting('wal_compression') <> 'off'",
    ),
    (
        "what standbys and receivers of its log have",
        (
            "SELECT EXISTS (SELECT 1 FROM pg_stat_replication)"
            " OR EXISTS (SELECT 1 FROM pg_replication_slots)"
        ),
    ),
    (
        "tablespaces outside of its data directory",
        (
            "SELECT EXISTS (SELECT 1 FROM pg_class WHERE relnamespace ="
            " 'hippocampus'::regnamespace AND reltablespace <> 0)"
        ),
    ),
)


class ServerFiles:
    """The files of the database and the log of its server."""

    def __init__(self, db: PostgresTransactions) -> None:
        self._db = db

    def look(self) -> tuple[list[RawFile], list[str]]:
        """Return the files that may be read, and where nobody could look."""
        unseen = [told for told, asks in _ELSEWHERE if self._db.rows(asks)[0][0]]
        if not self._db.rows(_MAY_READ)[0][0]:
            told = (
                "the data directory and the log of the server: this role may not read them; connect"
                " as a superuser, or give --data-directory where they are"
            )
            return [], [told, *unseen]
        self._db.checkpoint()  # or changed pages would be in the server's memory alone
        found: list[RawFile] = []
        for (folder,) in self._db.rows(_FOLDERS):
            for (name,) in self._db.rows(_FILES, folder):
                if name is not None and name != "archive_status":
                    path = f"{folder}/{name}"
                    found.append(RawFile(path, partial(self._read, path)))
        return found, unseen

    def _read(self, path: str, offset: int, size: int) -> bytes:
        ((piece,),) = self._db.rows(_PIECE, path, offset, size)
        return piece or b""  # a file that is gone meanwhile has nothing
