"""The table of settings: what the store as a whole keeps, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from hippocampus.core.cipher import STORE, Unsealable
from hippocampus.errors import StoreCorrupt
from hippocampus.store.checksums import damaged, holds, row_checksum
from hippocampus.store.database import Database, Row

HEADER: Final = "encryption"
"""The setting whose slots open the master key; a store in plain words has none."""
MARK: Final = "shards"
"""The setting by which a database knows that it is one of several of one store."""
KEPT_TIME: Final = "kept time"
"""Setting with the time by which something is kept for a day; of this file alone."""
_KEY: Final = "key "
_OWED: Final = "scrub "
_OF_EVERY_TURN: Final = (
    "calibration", "embedder", f"{_KEY}{STORE}", "signatures", "signing", "spans"
)  # fmt: skip
"""The settings that every write and whoever catches up looks at: they are asked for together."""
_TOGETHER: Final = ", ".join(f"'{key}'" for key in _OF_EVERY_TURN)


class SqlSettings:
    """The ``settings`` table; see ``SettingsTable``."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._sound: dict[str, Row] = {}
        """The last value of each with its checksum, once compared: they are read at every turn."""

    def get(self, key: str) -> str | None:
        before = None
        while (value := self.get_plain(key)) is not None:
            try:
                return self._db.cipher(STORE).unseal_text(key, value)
            except Unsealable as exc:
                # Another may have had it sealed anew just after it was read.
                if value == before:
                    told = damaged(f"setting {key!r}", opens=True)
                    raise self._db.refuse(StoreCorrupt, told) from exc
                before = value
        return None

    def get_plain(self, key: str) -> str | None:
        """Return a value as it stands in the file: of those that open the others, or a time."""
        found = self._stored(key)
        if found is None:
            return None
        value, checksum = found
        if self._sound.get(key) != found:
            if not holds(checksum, row_checksum("settings", values=(key, value))):
                raise self._db.refuse(StoreCorrupt, damaged(f"setting {key!r}", opens=True))
            self._sound[key] = found
        kept: str = value
        return kept

    def _stored(self, key: str) -> Row | None:
        """Return a setting's value and checksum as they stand there."""
        if key in _OF_EVERY_TURN:
            sql = f"SELECT key, value, checksum FROM settings WHERE key IN ({_TOGETHER})"  # noqa: S608
            return {name: (value, mark) for name, value, mark in self._db.rows(sql)}.get(key)
        found = self._db.rows("SELECT value, checksum FROM settings WHERE key = ?", key)
        return found[0] if found else None

    def every(self) -> list[tuple[str, str]]:
        """Return all settings but those that stand there as they are, or say what is to be done."""
        own = (key for key in self._keys() if not _is_plain(key) and not key.startswith(_OWED))
        told = [(key, self.get(key)) for key in own]
        return [(key, value) for key, value in told if value is not None]

    def keyed(self) -> list[int]:
        """Return the banks that have a wrapped key, and 0 for the store's own."""
        found = [key.removeprefix(_KEY) for key in self._keys() if key.startswith(_KEY)]
        return sorted(int(number) for number in found if number.isdecimal())

    def wrapped(self) -> Iterator[tuple[str, str]]:
        """Yield the settings with wrapped keys: all that there are, in one go."""
        return self._as_they_stand(lambda key: key.startswith(_KEY))

    def sealed(self) -> Iterator[tuple[str, str]]:
        """Yield the settings that are sealed under the key of the store, as they stand there."""
        return self._as_they_stand(lambda key: not _is_plain(key))

    def _as_they_stand(self, wanted: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
        for key, value, checksum in self._db.rows("SELECT key, value, checksum FROM settings"):
            if not wanted(key):
                continue
            if not holds(checksum, row_checksum("settings", values=(key, value))):
                raise self._db.refuse(StoreCorrupt, damaged(f"setting {key!r}", opens=True))
            yield key, value

    def owed(self) -> list[int]:
        """Return the banks that are to be sealed anew after an erasure."""
        found = [key.removeprefix(_OWED) for key in self._keys() if key.startswith(_OWED)]
        return sorted(int(number) for number in found if number.isdecimal())

    def has(self, key: str) -> bool:
        """Return whether a setting is there, whatever it says."""
        return bool(self._db.rows("SELECT 1 FROM settings WHERE key = ?", key))

    def any(self) -> bool:
        """Return whether the store has any setting or bank: whether it is in use."""
        return bool(self._db.rows("SELECT 1 FROM settings UNION ALL SELECT 1 FROM banks LIMIT 1"))

    def damaged(self) -> list[str]:
        return [
            damaged(f"setting {key!r}")
            for key, value, mark in self._db.rows("SELECT key, value, checksum FROM settings")
            if not (
                holds(mark, row_checksum("settings", values=(key, value)))
                and self._opens(key, value)
            )
        ]

    def _opens(self, key: str, value: str) -> bool:
        try:
            _ = _is_plain(key) or self._db.cipher(STORE).unseal_text(key, value)
        except Unsealable:
            return False
        return True

    def _keys(self) -> list[str]:
        found = self._db.rows("SELECT key FROM settings ORDER BY key")
        if not all(isinstance(key, str) for (key,) in found):  # on a damaged page
            raise self._db.refuse(StoreCorrupt, damaged("a setting", opens=True))
        return [key for (key,) in found]

    def put(self, key: str, value: str | None) -> None:
        self.put_plain(key, value and self._db.cipher(STORE).seal_text(key, value))

    def put_plain(self, key: str, value: str | None) -> None:
        """Set a value that stands in the file as it is."""
        if value is None:
            self._db.do("DELETE FROM settings WHERE key = ?", key)
        else:
            self.put_all_plain([(key, value)])

    def put_all_plain(self, settings: Iterable[tuple[str, str]]) -> None:
        """Set values that stand in the file as they are."""
        self._db.do_many(
            "INSERT INTO settings (key, value, checksum) VALUES (?, ?, ?)"
            " ON CONFLICT (key) DO UPDATE"
            " SET value = excluded.value, checksum = excluded.checksum",
            (
                (key, value, row_checksum("settings", values=(key, value)))
                for key, value in settings
            ),
        )


def owed_of(bank: int) -> str:
    """Return the setting that says that a bank is to be sealed anew after an erasure."""
    return f"{_OWED}{bank}"


def key_of(bank: int) -> str:
    """Return the setting that has the wrapped key of a bank."""
    return f"{_KEY}{bank}"


def _is_plain(setting: str) -> bool:
    """Return whether a setting stands in the file as it is: it opens others, or tells a time."""
    return setting in (HEADER, KEPT_TIME) or setting.startswith(_KEY)
