"""Test for chatter: text that keeps a talk going, with nothing in it to be remembered."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

from hippocampus.core.word_lists import word_set
from hippocampus.encode.terms import find_terms
from hippocampus.language.foreign_intent import is_foreign_small_talk
from hippocampus.language.noun_phrases import find_phrases
from hippocampus.language.time import find_intervals

_MOST_WORDS: Final = 3
"""Words beside function words that chatter has; with more, somebody tells something."""
_LONGEST: Final = 80
"""Characters of chatter, which is a few words; longer texts need not be cut into words."""
_SUBJECTS: Final = frozenset("i we he she they i'm we're he's she's they're it's".split())
"""Pronouns of whom something is said in any place; "it" is what to do something with, elsewhere
than at the beginning."""
_STANDING: Final = frozenset({"always", "never", "be", "don't"})
"""Words with which an instruction begins that is to hold on: "never push", "be brief"."""
_ANY_TIME: Final = datetime(2001, 1, 1, tzinfo=UTC)
"""As of which words for a time are read, only to see whether there are any: any would do."""
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


def is_chatter(text: str) -> bool:
    """
    Return whether a text names nothing and nobody, tells no time, and says nothing of anyone.

    It goes by what kinds of words there are, not by which: "ok", "go on", "run it again". In other
    languages than English only greetings, thanks and the like are: "merci", "你好".
    """
    # First, since all that follows is of English alone.
    if is_foreign_small_talk(text):
        return True
    if len(text) > _LONGEST or any(one.isalpha() and not one.isascii() for one in text):
        return False
    words = [one.replace("’", "'") for one in _WORD.findall(text.casefold())]
    light = word_set("small_talk")
    content = [text[term.start : term.end] for term in find_terms(text) if not term.function]
    if len(content) > _MOST_WORDS or not _SUBJECTS.isdisjoint(words):
        return False
    if not words:  # a number alone, a smiley
        return True
    if any(one.isdigit() for one in text) or _is_statement(words):
        return False
    phrases = [one for one in find_phrases(text) if one.name not in light]
    return not phrases and not find_intervals(text, _ANY_TIME, told=True)


def _is_statement(words: list[str]) -> bool:
    """Return whether words begin as a statement of something does, or an instruction that holds."""
    said = [one for one in words if one not in word_set("small_talk")]
    return len(said) > 1 and (said[0] == "it" or said[0] in _STANDING or said[:2] == ["do", "not"])
