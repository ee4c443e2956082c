"""
Self-disclosure: statements of a speaker about themself, "my sister lives in Porto".

Memories of people are made of it. A question about Ada is better answered by what Ada
says of herself than by what she wants to know, however alike the words. English, as the words of
grammar are (``terms.py``): in other languages texts tell by chance, where a word is spelt alike, as
"i" is "and" in Polish and "in" in Danish, and "i.e." passes for a first person too.
"""

from __future__ import annotations

import re
from typing import Final

from hippocampus.core.sought_words import SoughtWords, is_latin
from hippocampus.core.word_lists import Patterns

_TALK: Final = Patterns("talk")
_FIRST_PERSON: Final = SoughtWords("i me my mine myself we our ours".split)
_SUBJECTS: Final = SoughtWords("i we".split)
_ASKED: Final = ("?", "？", "؟")
_LONGEST_QUESTION: Final = 2000
"""Characters of a text that are read: what is longer does not only ask."""


def tells_of_self(text: str) -> bool:
    """Return whether any sentence says something in the first person without asking."""
    return _is_said(_TALK.of_self, _FIRST_PERSON, text)


def tells_of_deed(text: str) -> bool:
    """Return whether a first person did or was something: "we went", "I've also joined"."""
    return _is_said(_TALK.of_deed, _SUBJECTS, text)


def only_asks(text: str) -> bool:
    """Return whether every sentence of a text asks: who repeats a question answers none."""
    if len(text) > _LONGEST_QUESTION or not any(mark in text for mark in _ASKED):
        return False
    last = text[max(map(text.rfind, _ASKED)) + 1 :]
    if any(map(str.isalnum, last)):  # the last sentence says something, as most do
        return False
    sentences = [said for said in _TALK.sentence.findall(text) if said.strip()]
    return all(said.rstrip().endswith(_ASKED) for said in sentences)


def _is_said(what: re.Pattern[str], begun: SoughtWords, text: str) -> bool:
    """Return whether a text says what begins with one of some words."""
    if not is_latin(text):
        return what.search(text) is not None
    return any(what.match(text, place) for place in begun.places_in(text))
