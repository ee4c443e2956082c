"""
Subjects of questions: somebody whose name is all that it tells, or the assistant's words.

"Who is Miss Kavanagh?" is answered where she is first spoken of, for people are introduced then.
"What did you say about the fence?" is answered by what the assistant said.
"""

from __future__ import annotations

from typing import Final

from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.language.nouns import use_of
from hippocampus.language.time.tense import is_past

_RE: Final = Patterns("questions")
_LONGEST: Final = 500
"""Characters of a question that are read; what is longer tells more than it asks."""
_REPEATING: Final = frozenset({"again", "anyway", "exactly"})
"""Words after a name in a question: "who is Tom again?"."""
_NAMED: Final = 4
"""Words that a name has at most: with a title and a second name. Set by hand."""


def person_asked_about(text: str) -> str:
    """Return the name of the person whom a question asks to have explained; "" if it does not."""
    asked = _RE.who_is.match(text[:_LONGEST])
    if asked is None:
        return ""
    words = asked["who"].split()
    while words and words[-1].lower() in word_set("function_words") | _REPEATING:
        words.pop()
    named = 0 < len(words) <= _NAMED and all(map(_may_be_name, words))
    return " ".join(words) if named else ""


def _may_be_name(word: str) -> bool:
    """Return whether a word is written as a name, or as no word of the language is."""
    if not word.isalpha() and not word.removesuffix(".").isalpha():
        return False
    lowered = word.lower().removesuffix(".")
    if lowered in word_set("titles"):
        return True
    return lowered not in word_set("function_words") and (
        word[0].isupper() or not use_of(lowered).known
    )


def asks_what_you_said(text: str) -> bool:
    """Return whether a question asks for what the one it is put to did or said."""
    head = text[:_LONGEST]
    if _RE.did_you.search(head):
        return True
    return any(is_past(match["verb"].lower()) for match in _RE.you_did.finditer(head))
