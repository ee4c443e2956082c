"""
Self-disclosure: statements of a speaker about themself, "my sister lives in Porto".

Memories of people are made of it. A question about Ada is better answered by what Ada
says of herself than by what she wants to know, however alike the words. English, as the words of
grammar are (``terms.py``): in other languages texts tell by chance, where a word is spelt alike, as
"i" is "and" in Polish and "in" in Danish, and "i.e." passes for a first person too.
"""

from __future__ import annotations

from typing import Final

from hippocampus.core.word_lists import Patterns

_TALK: Final = Patterns("talk")


def tells_of_self(text: str) -> bool:
    """Return whether any sentence says something in the first person without asking."""
    return _TALK.of_self.search(text) is not None


def tells_of_deed(text: str) -> bool:
    """Return whether a first person did or was something: "we went", "I've also joined"."""
    return _TALK.of_deed.search(text) is not None
