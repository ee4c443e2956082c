"""
Folders known as checkouts of a remote: the first one seen, and those the user allowed.

A repository's remote is a line in a file, and whoever packed a folder wrote that file. So a remote
names a bank only for folders that are known for it. Each remote has a note in a folder that is this
user's alone: a log, to which a line is added, so that two processes at once lose nothing.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from hippocampus.core.files import append, read_small, writing
from hippocampus.errors import OutputError, OutputExists, StoreFull

_LARGEST: Final = 1 << 16
"""Bytes of a note; of a larger one nothing is known."""


class KnownCheckouts:
    """
    The folders that are known as checkouts of one remote.

    Args:
        remote: its name, as it names a bank.

    """

    def __init__(self, remote: str) -> None:
        from hashlib import blake2b  # noqa: PLC0415 - only where there is a remote

        self._remote = remote
        named = blake2b(remote.encode(), digest_size=16).hexdigest()
        self._note = users_folder("checkouts") / f"{named}.jsonl"

    def has(self, place: Path) -> bool:
        """Return whether a folder is known."""
        return os.fspath(place) in self.places()

    def is_new(self) -> bool:
        """Return whether no folder was ever known, so that the next one is the first."""
        # A note that cannot be read is one all the same, or the next folder would be a first one.
        return not os.path.lexists(self._note)

    def places(self) -> list[str]:
        """Return the folders, in the order in which they became known."""
        known: dict[str, None] = {}
        try:
            lines = read_small(self._note, most=_LARGEST).decode().splitlines()
        except (OSError, ValueError):
            return []
        for line in lines:
            with suppress(ValueError, RecursionError):  # half a line, of a process that was killed
                entry = json.loads(line)
                if not isinstance(entry, dict) or entry.get("remote") != self._remote:
                    continue
                if isinstance(entry.get("known"), str):
                    known[entry["known"]] = None
                known.pop(str(entry.get("denied")), None)  # later lines count
        return list(known)

    def begin(self, place: Path) -> bool:
        """Make a folder the first, unless another is; return whether it is known now."""
        try:
            self._make_folder()
            # Made whole, and only where there is none: of two processes one alone is the first.
            with writing(self._note) as unfinished:
                unfinished.write_bytes(self._line("known", place))
        except OutputExists:  # another process was faster, maybe in the same folder
            return self.has(place)
        # Where it cannot be noted nobody is the first, or everybody would be.
        except (OutputError, StoreFull, OSError):
            return False
        return True

    def allow(self, place: Path) -> None:
        """Have a folder known from now on."""
        self._make_folder()
        append(self._note, self._line("known", place))

    def deny(self, place: Path) -> None:
        """Have a folder known no more; the next one that comes is no first either."""
        self._make_folder()
        append(self._note, self._line("denied", place))

    def _make_folder(self) -> None:
        self._note.parent.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _line(self, what: str, place: Path) -> bytes:
        return json.dumps({"remote": self._remote, what: os.fspath(place)}).encode() + b"\n"


def users_folder(name: str) -> Path:
    """Return a folder of what the user has decided."""
    import platformdirs  # noqa: PLC0415 - only where there is something to decide

    return Path(platformdirs.user_data_dir("hippocampus", appauthor=False)) / name
