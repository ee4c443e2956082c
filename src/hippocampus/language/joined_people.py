"""People that a clause is about beside its subject, and those that "his" means, by words alone."""

from __future__ import annotations

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
    return list(filter(_may_be_somebody, names))


def owner_before(sentence: str, start: int, known: Collection[str]) -> str | None:
    """
    Return the person that "his" or "her" means here; "" if in doubt, None if nobody.

    Who is joined to it, "Ada and her son", or else the one person named before it. ``start``: where
    the pronoun is; ``known``: first names of people.
    """
    before = sentence[:start]
    if _RE.someone_and.search(before):
        return ""
    beside = _RE.joined_before.search(before)
    if beside is not None:
        return _RE.between_names.split(beside["names"])[-1]
    near = _RE.name_and.search(before)
    if near is not None:
        return near["name"]
    people = {
        found[0].removesuffix("'s")  # "Anna's moving in with her"
        for found in _RE.name.finditer(before)
        if _may_be_somebody(found[0]) and not _is_place(found[0], before[: found.start()], known)
    }
    return None if not people else people.pop() if len(people) == 1 else ""


def _is_place(name: str, before: str, known: Collection[str]) -> bool:
    """Return whether a name is rather a place's, by the preposition before it."""
    person = is_person(name) or name.split(maxsplit=1)[0] in known
    return not person and _RE.place_before.search(before) is not None


def _may_be_somebody(name: str) -> bool:
    """Return whether a word in capitals is no day, month or article."""
    words = word_set("weekdays") | word_set("months") | word_set("function_words")
    return name.lower() not in words
