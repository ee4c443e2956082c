"""
Given names: whoever is called "Anna" is a person, and nobody's employer.

A few hundred that are common where Latin letters are used, without those that are as well known
as companies, places or words. Who is not among them may be a person all the same.
"""

from __future__ import annotations

from hippocampus.core.word_lists import word_set


def is_person(name: str) -> bool:
    """Return whether a name, as spelled, is surely a person's: its first word is a given name."""
    return name.partition(" ")[0].casefold() in word_set("given_names")
