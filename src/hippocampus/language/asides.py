"""
Asides of a question: for what, or for whom, it is asked, which no memory need speak of.

"Which days do I work, the dentist is asking" and "What colour is the car, for the parking permit?"
look for days and a colour, not for dentists and permits. An aside is a clause of its own that says
of somebody that they want to know ("the police want it"), or is nothing but a purpose that is some
paper ("for a form"); what is asked for a party may be about it. English only.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.encode.terms import find_terms
from hippocampus.language.nouns import kinds, singular

_RE: Final = Patterns("questions")
_LONGEST: Final = 500
"""Characters of a question; a longer text says more than it asks."""


def without_asides(text: str) -> str:
    """Return a question without its asides; the whole, where the rest would ask for nothing."""
    return text if len(text) > _LONGEST or text.isalpha() else _without_asides(text)


@lru_cache(maxsize=256)
def _without_asides(text: str) -> str:
    ends = [match.span() for match in _RE.between_clauses.finditer(text)]
    starts = [0, *(end for _, end in ends)]
    stops = [*(start for start, _ in ends), len(text)]
    clauses = [slice(*one) for one in zip(starts, stops, strict=True)]
    asides = [clause for clause in clauses if _is_aside(text[clause].strip())]
    if not asides:
        return text
    rest = "".join(
        text[clause] + text[clause.stop : after]
        for clause, after in zip(clauses, [*starts[1:], len(text)], strict=True)
        if clause not in asides
    )
    rest = rest.strip(" \t\n,;:–—")
    return rest if any(not term.function for term in find_terms(rest)) else text


def _is_aside(clause: str) -> bool:
    said = _RE.aside.fullmatch(clause)
    if said is None or _RE.asks_more.match(clause):  # "do I want it?"
        return False
    return said["purpose"] is None or _is_paper(clause.rsplit(maxsplit=1)[-1])


def _is_paper(noun: str) -> bool:
    """Return whether a noun is something that is filled in, handed in or written."""
    one = singular(noun.casefold())
    return one in word_set("papers") or "written communication" in kinds(one)
