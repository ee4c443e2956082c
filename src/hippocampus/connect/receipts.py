"""Receipts of entries put into other programs' configurations, so that just those come out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

from hippocampus.connect.entries import ConfigEntry, KeyPath
from hippocampus.core.files import read_bytes, writing
from hippocampus.errors import HippocampusError, SourceError

_VERSION: Final = 1
"""Number of the form of a receipt, so far the only one; one of another form is refused, for who
guesses what was placed may take out what is the user's."""


class PlacedEntry(NamedTuple):
    """An entry that was put into a file, and which containers were made for it."""

    entry: ConfigEntry
    made: tuple[KeyPath, ...]


class Receipt(NamedTuple):
    """Record of a change to one file."""

    path: str
    created: bool
    """Whether there was no such file before."""
    after: str
    """The hash of what was written."""
    placed: tuple[PlacedEntry, ...]


def hash_of(raw: bytes) -> str:
    """Return the hash by which one sees whether a file is as it was left."""
    return sha256(raw).hexdigest()


class Receipts:
    """The receipts of each client, in a folder that only this user reads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def names(self) -> list[str]:
        """Return the clients of which there are receipts."""
        return sorted(file.stem for file in self.folder.glob("*.json"))

    def of(self, client: str) -> dict[str, Receipt]:
        """
        Return the receipts of a client by the files that they are about.

        Raises:
            SourceError: what was noted cannot be read.

        """
        path = self._path(client)
        try:
            noted = json.loads(read_bytes(path))
            if noted["version"] != _VERSION:
                msg = f"was written by another version of this program ({noted['version']})"
                raise SourceError(msg, path=path)
            return {one["path"]: _receipt(one) for one in noted["files"]}
        except FileNotFoundError:
            return {}
        except (ValueError, KeyError, TypeError, RecursionError) as exc:
            if isinstance(exc, SourceError):  # which is a ValueError as well
                raise
            raise SourceError(f"is no note of what was connected: {exc!r}", path=path) from exc

    @contextmanager
    def noting(self, client: str, receipt: Receipt, original: bytes | None) -> Iterator[None]:
        """
        Keep a receipt, and a copy of the file without anything of ours, while it is written.

        They are there before the file is, so that nothing of ours can be anywhere without; if it
        is not written after all, what was noted of it before is so again.
        """
        before = self.of(client).get(receipt.path)
        copy = self.copy_of(client, receipt.path)
        kept = read_bytes(copy) if copy.is_file() else None
        if original is not None:
            self.keep_copy(client, receipt.path, original)
        self.note(client, receipt)
        try:
            yield
        except (HippocampusError, OSError):
            if before is None:
                self.drop(client, receipt.path)
            else:
                self.note(client, before)
                copy.unlink(missing_ok=True)
                if kept is not None:
                    self.keep_copy(client, receipt.path, kept)
            raise

    def note(self, client: str, receipt: Receipt) -> None:
        """Keep a receipt; one of the same file gives way."""
        self._write(client, (self.of(client) | {receipt.path: receipt}).values())

    def drop(self, client: str, path: str) -> None:
        """Forget the receipt of a file, and the copy of it."""
        left = self.of(client)
        left.pop(path, None)
        if left:
            self._write(client, left.values())
        else:
            self._path(client).unlink(missing_ok=True)
        self.copy_of(client, path).unlink(missing_ok=True)
        for folder in (self.folder / client, self.folder):
            with suppress(OSError):  # something is still in it
                folder.rmdir()

    def copy_of(self, client: str, path: str) -> Path:
        """Return the path of a file's copy, as the file was before it was changed."""
        name = f"{hash_of(path.encode())[:8]}-{Path(path).name.lstrip('.')}"
        return self.folder / client / name

    def keep_copy(self, client: str, path: str, raw: bytes) -> Path:
        """Keep a copy of a file as it is before it is changed."""
        copy = self.copy_of(client, path)
        # A configuration may hold keys, and so does its copy.
        copy.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with writing(copy, overwrite=True) as unfinished:
            unfinished.write_bytes(raw)
        return copy

    def _path(self, client: str) -> Path:
        return self.folder / f"{client}.json"

    def _write(self, client: str, receipts: Iterable[Receipt]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        noted = {"version": _VERSION, "files": [_noted(one) for one in receipts]}
        with writing(self._path(client), overwrite=True) as unfinished:
            unfinished.write_text(json.dumps(noted, indent=1), encoding="utf-8", newline="\n")


def _noted(receipt: Receipt) -> dict[str, Any]:
    placed = [
        {"path": one.entry.path, "value": one.entry.value, "appends": one.entry.appends,
         "made": one.made}
        for one in receipt.placed
    ]  # fmt: skip
    return receipt._asdict() | {"placed": placed}


def _receipt(noted: dict[str, Any]) -> Receipt:
    return Receipt(
        noted["path"], noted["created"], noted["after"], tuple(map(_placed, noted["placed"]))
    )


def _placed(noted: dict[str, Any]) -> PlacedEntry:
    made: Sequence[Sequence[str]] = noted["made"]
    entry = ConfigEntry(tuple(noted["path"]), noted["value"], noted["appends"])
    return PlacedEntry(entry, tuple(map(tuple, made)))
