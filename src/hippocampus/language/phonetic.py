"""Phonetic keys of names, which are heard before they are read, and spelt in many ways."""

from __future__ import annotations

from functools import lru_cache

import jellyfish

from hippocampus.language.nouns import use_of

_LEAST_LETTERS = 4
"""Shorter names sound like everything."""


@lru_cache(maxsize=1 << 14)
def sound_of(word: str) -> str:
    """Return a key that words of one sound share (Metaphone), "" for words any dictionary has."""
    if len(word) < _LEAST_LETTERS or " " in word or not word.isascii() or use_of(word).known:
        return ""
    sound: str = jellyfish.metaphone(word)
    return sound
