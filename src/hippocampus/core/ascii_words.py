"""
The runs of letters of a text in ASCII, in lower case.

Several readers look at each text in turn, so they are found once. Who only asks for words that it
knows has them from ``sought_words``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

_LONGEST: Final = 4000
"""Characters of a text whose words are kept for the next reader."""
_TO_LETTERS: Final = {at: " " for at in range(128) if not chr(at).isalpha()}  # all of ASCII


def letter_runs(text: str) -> tuple[str, ...]:
    """Return the runs of letters of a text that is all ASCII, in lower case and in order."""
    return _runs(text) if len(text) <= _LONGEST else _runs.__wrapped__(text)


@lru_cache(maxsize=16)
def _runs(text: str) -> tuple[str, ...]:
    return tuple(text.lower().translate(_TO_LETTERS).split())
