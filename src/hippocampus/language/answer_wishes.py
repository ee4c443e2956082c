"""
Wishes about how an assistant answers: its language, its form, how it addresses somebody.

"Always answer in French" bears on whatever is to be written next, whatever that is about. Of each
matter one wish holds, the last: "no more French, answer in English" takes the place of it. English.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final

from hippocampus.core.sought_words import SoughtWords, is_latin
from hippocampus.core.word_lists import Patterns, word_set

_RE: Final = Patterns("answer_wishes")
_LONGEST: Final = 400
"""Characters of a text that are read: what is longer tells of more than how to answer."""
_TELLING: Final = SoughtWords(lambda: word_set("answer_matters") | word_set("language_names"))
_LASTING: Final = frozenset({"length", "tone", "layout", "units"})
"""Matters that are as often of the one text that is asked for: "a short poem"."""


@lru_cache(maxsize=4096)
def matters_of_answers(text: str) -> frozenset[str]:
    """
    Return the matters of answers on which a text says what somebody wants from now on.

    What holds on a condition alone is a matter of its own, beside which others hold.
    """
    if len(text) > _LONGEST or text.rstrip().endswith("?"):
        return frozenset()
    if is_latin(text) and not _TELLING.are_in(text):  # as most are
        return frozenset()
    said = _RE.answering.sub(" ", text)
    clauses = [match.group() for match in _RE.clause.finditer(said)]
    # Nothing else is told of: what is wanted is of whatever the assistant says.
    every = said != text or _RE.alone.match(said) is not None
    ever = every or _RE.ever.search(said) is not None
    found = {
        matter for clause in clauses
        for matter in _matters(
            clause, lasting=ever or _RE.lasting.search(clause) is not None, every=every
        )
    }  # fmt: skip
    if found and _RE.condition.search(said):
        return frozenset({text})
    return frozenset(found)


def _matters(clause: str, *, lasting: bool, every: bool) -> set[str]:
    """Return the matters of one clause; ``every``: of a text that is of answers anyway."""
    if _RE.other.search(clause):
        return set()
    bidden = _RE.bidden.match(clause) is not None
    back = _RE.taken_back.search(clause) is not None
    of_answers = every or _RE.of_answers.search(clause) or _RE.plainly.search(clause)
    if not (bidden or (back and of_answers) or _RE.welcome.search(clause)):
        return set()
    found = {matter for matter, words in _words_of().items() if words.search(clause)}
    if not (lasting or back) or not of_answers:
        told = _RE.replies if not lasting else _RE.given
        found -= _LASTING - ({"units"} if told.search(clause) else set())
    spoken = {match["language"].lower() for match in _RE.spoken_in.finditer(clause)}
    asked = back or _RE.replies.search(clause) is not None
    if asked and not word_set("language_names").isdisjoint(spoken):
        found.add("language")
    return found


@cache
def _words_of() -> Mapping[str, re.Pattern[str]]:
    """Return the expression of each matter beside the language."""
    return {
        "emoji": _RE.emoji, "layout": _RE.layout, "length": _RE.length, "tone": _RE.tone,
        "units": _RE.units, "address": _RE.address,
    }  # fmt: skip
