"""
State that the hooks of a session share: memories in its window, errors unsolved.

It is a log, a line for each thing, so that two hooks at once lose nothing. It lies in a folder that
is this user's alone, is small, and nothing depends on it: without it something is said twice.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from hippocampus.core.files import append, read_text

_KEPT_S: Final = 14 * 86_400
"""Time for which the log of a session that never ended stays, in seconds."""
_LARGEST: Final = 1 << 20
"""Bytes of a log; what a longer one has is not read, nor is it written to."""


class AgentSession:
    """The log of a session, by the store that it remembers in and its own id."""

    def __init__(self, store: str, session: str) -> None:
        from hashlib import blake2b  # noqa: PLC0415 - only in a session

        # A hash, since the id is whatever an agent sent and must not lead out of the folder.
        named = blake2b(os.fsencode(f"{os.path.realpath(store)}\0{session}"), digest_size=12)
        self._path = _folder() / f"{named.hexdigest()}.jsonl" if session else None

    def shown(self) -> list[str]:
        """Return the ids of the memories that the window has."""
        lists = (entry.get("shown") for entry in self._entries())
        return [one for ids in lists if isinstance(ids, list) for one in ids]

    def has_begun_with(self, text: str) -> bool:
        """Return whether the window has the text already that a session begins with."""
        return any(entry.get("begun") == _mark(text) for entry in self._entries())

    def unsolved(self) -> str:
        """Return the last error of a tool after which no answer has come; "" if there is none."""
        last = ""
        for entry in self._entries():
            last = str(entry.get("failed", "" if "answered" in entry else last))
        return last

    def was_told(self, what: str) -> bool:
        """Return whether the user was told this before, and note that they are now."""
        # A full log cannot note it, and it would be told at every prompt.
        told = self._is_full() or any(
            entry.get("told") == _mark(what) for entry in self._entries(whole=True)
        )
        if not told:
            self._add(told=_mark(what))
        return told

    def note_shown(self, ids: list[str]) -> None:
        """Note memories that the window has from now on."""
        self._add(shown=ids)

    def note_begun(self, text: str) -> None:
        """Note the text that the session began with."""
        self._add(begun=_mark(text))
        self._sweep()  # not every agent says when a session ends

    def note_failed(self, error: str) -> None:
        """Note that a tool failed."""
        self._add(failed=error)

    def note_answered(self) -> None:
        """Note that the agent answered, whatever had failed before."""
        self._add(answered=True)

    def note_wiped(self) -> None:
        """Note that the window is empty again."""
        self._add(wiped=True)

    def end(self) -> None:
        """Forget the session."""
        if self._path is None:
            return
        self._path.unlink(missing_ok=True)
        self._sweep()

    def _sweep(self) -> None:
        """Forget sessions that never ended."""
        if self._path is None:
            return
        with suppress(OSError):
            # Another hook may be sweeping at the same moment.
            for left in self._path.parent.iterdir():
                if time.time() - left.stat().st_mtime > _KEPT_S:
                    left.unlink(missing_ok=True)

    def _entries(self, *, whole: bool = False) -> Iterator[dict[str, Any]]:
        """Yield the notes since the window was empty, or all of them."""
        found: list[dict[str, Any]] = []
        try:
            fits = self._path is not None and self._path.stat().st_size <= _LARGEST
            lines = read_text(self._path).splitlines() if self._path and fits else []
        except (OSError, UnicodeDecodeError):
            return
        for line in lines:
            with suppress(ValueError, RecursionError):  # half a line, of a process that was killed
                entry = json.loads(line)
                if not isinstance(entry, dict):
                    continue
                if "wiped" in entry and not whole:
                    found.clear()
                else:
                    found.append(entry)
        yield from found

    def _is_full(self) -> bool:
        """Return whether nothing more is noted, and what was is not read."""
        with suppress(OSError):
            return self._path is not None and self._path.stat().st_size > _LARGEST
        return False

    def _add(self, **entry: object) -> None:
        if self._path is None or self._is_full():
            return
        # A hook fails nobody's prompt for a note without which something is said twice.
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            append(self._path, json.dumps(entry).encode() + b"\n")


def _folder() -> Path:
    import platformdirs  # noqa: PLC0415 - only in a session

    return Path(platformdirs.user_state_dir("hippocampus", appauthor=False)) / "sessions"


def _mark(text: str) -> str:
    from hashlib import blake2b  # noqa: PLC0415 - only in a session

    return blake2b(text.encode(errors="replace"), digest_size=8).hexdigest()
