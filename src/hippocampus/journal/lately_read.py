"""
Cache of records and texts read since the store last changed, by bank and row.

The same few rows are found by one recall after another, and each recall reads some of them several
times. As long as nobody has committed anything, what was read is what would be read again.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from hippocampus.core.records import EpisodeRow

Text: TypeAlias = tuple[str, int]
"""A text, and its length in tokens."""

_MOST_CHARACTERS: Final = 1 << 18
"""Characters of texts that are kept of each bank. Chosen by hand."""
_MOST_RECORDS: Final = 2048
"""Records that are kept of each bank. Chosen by hand."""
_OF_A_TEXT: Final = 250  # in CPython 3.11 a string 49, a pair 56, two numbers 56, a place in a dict
_OF_A_RECORD: Final = 800
"""Bytes that Python takes for one, about, beside the characters of a text."""


@dataclass(slots=True, eq=False)
class AtOneMoment:
    """Cache of reads of one bank in one state of the store."""

    seen: int
    """The state; see ``Store.changes``."""
    texts: dict[int, Text] = field(default_factory=dict)
    records: dict[int, EpisodeRow] = field(default_factory=dict)
    characters: int = 0

    @property
    def nbytes(self) -> int:
        """Bytes of memory held, about."""
        texts = self.characters + _OF_A_TEXT * len(self.texts)
        return texts + _OF_A_RECORD * len(self.records)


_NOTHING: Final = AtOneMoment(-1)


class LatelyRead:
    """Cache of reads of all banks of a store. Safe to share between threads."""

    def __init__(self) -> None:
        self._known: dict[int, AtOneMoment] = {}
        self._lock = threading.Lock()

    def of(self, bank: int, seen: int) -> AtOneMoment:
        """Return the rows read of a bank in a state of the store; they are not to be changed."""
        known = self._known.get(bank, _NOTHING)
        return known if known.seen == seen else _NOTHING

    def keep_texts(self, bank: int, seen: int, texts: Mapping[int, Text]) -> None:
        """Keep texts that were read in a state of the store; what was in another goes."""
        size = sum(len(text) for text, _ in texts.values())
        if seen < 0 or size > _MOST_CHARACTERS:  # amid a change; or a whole bank is read
            return
        with self._lock:
            known = self._at(bank, seen)
            if known.characters + size > _MOST_CHARACTERS:
                # Another dict: readers may be looking into that one.
                known.texts, known.characters = {}, 0
            known.texts.update(texts)
            known.characters += size

    def keep_records(self, bank: int, seen: int, records: Mapping[int, EpisodeRow]) -> None:
        """Keep records that were read in a state of the store; what was in another goes."""
        if seen < 0 or len(records) > _MOST_RECORDS:
            return
        with self._lock:
            known = self._at(bank, seen)
            if len(known.records) + len(records) > _MOST_RECORDS:
                known.records = {}
            known.records.update(records)

    def nbytes(self, bank: int | None = None) -> int:
        """Return the bytes that are kept, about, of one bank or of all."""
        with self._lock:
            return sum(one.nbytes for of, one in self._known.items() if bank in (None, of))

    def drop(self, bank: int) -> None:
        """Let go of all that is kept of a bank."""
        with self._lock:
            self._known.pop(bank, None)

    def _at(self, bank: int, seen: int) -> AtOneMoment:
        known = self._known.get(bank, _NOTHING)
        if known.seen != seen:
            known = self._known[bank] = AtOneMoment(seen)
        return known
