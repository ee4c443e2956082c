"""
Given names: whoever is called "Anna" is a person, and nobody's employer.

A few hundred that are common where Latin letters are used, without those that are as well known
as companies, places or words. Who is not among them may be a person all the same.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def _given() -> frozenset[str]:
    path = files("hippocampus.language") / "words" / "given.txt"
    return frozenset(path.read_text("utf-8").split())


def is_person(name: str) -> bool:
    """Return whether a name, as spelled, is surely a person's: its first word is a given name."""
    return name.partition(" ")[0].casefold() in _given()
