"""People of whom a clause is said beside its subject, and whom "his" means, by words alone."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.language.given_names import is_person

_RE: Final = Patterns("statements")
OF_TWO: Final = frozenset({"married_to", "marital_status", "partner"})
"""Relations that are not each one's, if they are said of several."""


def joined_before(sentence: str, start: int) -> list[str] | None:
    """
    Return the names that "and" joins to a subject, "Ada" of "Ada and Tom moved".

    None behind "or": of nobody is it said for sure then. ``start``: where the subject begins.
    """
    before = sentence[:start]
    if _RE.or_before.search(before):
        return None
    found = _RE.joined_before.search(before)
    if found is None:
        return []
    names = [name for name in _RE.between_names.split(found["names"]) if name]
    times = word_set("weekdays") | word_set("months")
    return [name for name in names if name.lower() not in times]


def owner_before(sentence: str, start: int, known: Collection[str]) -> str | None:
    """
    Return whom "his" or "her" means by its sentence; "" if that is in doubt, None if nobody.

    Who is joined to it, "Ada and her son", or else the one person named before it. ``start``: where
    the pronoun is; ``known``: first names of people.
    """
    before = sentence[:start]
    beside = _RE.joined_before.search(before)
    if beside is None and (near := re.search(rf"(?P<name>{_RE.name.pattern}) and $", before)):
        return near["name"]
    if beside is not None:
        return _RE.between_names.split(beside["names"])[-1]
    people = {
        found[0] for found in _RE.name.finditer(before)
        if is_person(found[0]) or found[0].split()[0] in known
        or not _RE.place_before.search(before[: found.start()])
    }  # fmt: skip
    return None if not people else people.pop() if len(people) == 1 else ""
