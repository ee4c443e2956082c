"""The files of a server in which words may be left, read through the server itself."""

from __future__ import annotations

from functools import partial
from typing import Final

from hippocampus.core.files import RawFile
from hippocampus.core.log_pages import LOG_FOLDER, without_page_headers
from hippocampus.store.postgres.schema import MAYBE_COMPRESSED
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
_COMPRESSED: Final = (
    "SELECT DISTINCT regexp_replace(relname, '_[0-9]+$', '') AS name FROM pg_class"
    " WHERE relnamespace = 'hippocampus'::regnamespace AND obj_description(oid, 'pg_class') = ?"
    " ORDER BY name"
)
_IN_FILES: Final = (
    (
        "rows that were removed, and the log, where texts lay packed in a block with others: no"
        " search finds words there; of an encrypted store an erasure destroys what opens them"
    ),
    (
        "words that the server has cut in two: where a file of its log ends, and every 2,000 bytes"
        " of a longer value"
    ),
    (
        "names of sessions and sources in table episodes, in rows so long that the server"
        " compresses some of them"
    ),
)
"""Places in the files of a store without encryption in which nobody sees words."""


class ServerFiles:
    """
    The files of the database and the log of its server.

    ``seals``: whether the store is encrypted, so that no words are in them in the first place.
    """

    def __init__(self, db: PostgresTransactions, *, seals: bool) -> None:
        self._db = db
        self._seals = seals

    def look(self) -> tuple[list[RawFile], list[str]]:
        """Return the files that may be read, and where nobody could look."""
        unseen = [told for told, asks in _ELSEWHERE if self._db.rows(asks)[0][0]]
        if not self._seals:
            unseen += [*_IN_FILES, *self._compressed()]
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
                    file = RawFile(path, partial(self._read, path))
                    found.append(without_page_headers(file) if folder == LOG_FOLDER else file)
        return found, unseen

    def _compressed(self) -> list[str]:
        """Return the tables of which the server may have compressed rows."""
        return [
            f"table {name}: {MAYBE_COMPRESSED} by the server, and words in what is left of them are"
            " not seen; 'hippocampus move' into a new database writes all of them anew"
            for (name,) in self._db.rows(_COMPRESSED, MAYBE_COMPRESSED)
        ]

    def _read(self, path: str, offset: int, size: int) -> bytes:
        ((piece,),) = self._db.rows(_PIECE, path, offset, size)
        return piece or b""  # a file that is gone meanwhile has nothing
