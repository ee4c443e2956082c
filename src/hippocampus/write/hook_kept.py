"""Digests of the turns that hooks kept of a coding session, so that its log adds none again."""

from __future__ import annotations

import json
from collections.abc import Iterable

from hippocampus.core.records import EpisodeRow, Turn
from hippocampus.language.session_words import marks_of_kept

MOST_OF_SESSION = 10_000
"""Memories of a session that are looked at, the latest. Chosen by hand."""


def marks_of(episodes: Iterable[EpisodeRow]) -> set[tuple[str | None, str]]:
    """Return (role, mark) of the messages of which hooks have kept these."""
    return {
        (one.role, str(mark))
        for one in episodes
        if '"message"' in one.metadata and (mark := json.loads(one.metadata).get("message"))
    }


def is_kept(turn: Turn, known: set[tuple[str | None, str]]) -> bool:
    """Return whether a message of a log is one of which a hook has kept what lasts."""
    if not known:
        return False
    return any((turn.role, mark) in known for mark in marks_of_kept(turn.text, turn.role or ""))
