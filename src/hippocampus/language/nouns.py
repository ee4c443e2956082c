"""
English nouns: which words are nouns most of the time, what they are kinds of, which mean the same.

Distilled from WordNet (``bench/tools/build_nouns.py``; its licence is beside the data), so that
"violin" is known for an instrument without a model. Words it does not have, names and other
languages among them, count as nouns that are a kind of nothing known.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.decompress import load_arrays
from hippocampus.core.planes import from_planes
from hippocampus.kernel import unfold

_PLURALS: Final = (
    ("ies", "y"), ("ves", "f"), ("ves", "fe"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"),
    ("sses", "ss"), ("zes", "z"), ("men", "man"), ("s", ""),
)  # fmt: skip
_INFLECTED: Final = (
    ("ies", "y"), ("ied", "y"), ("ing", ""), ("ing", "e"), ("ed", ""), ("ed", "e"), ("es", ""),
    ("s", ""), ("er", ""), ("er", "e"), ("est", ""), ("est", "e"),
)  # fmt: skip


_LONGEST: Final = 64
"""Characters of a noun whose kinds are looked up; no noun of the dictionary has as many."""
_MOSTLY: Final = 77
"""Uses as a noun, of 255, from which on what looks like its plural is one: three in ten, as where a
noun is due. Set by hand."""


class _WordUses:
    """
    The dictionary: 89 000 words in 3 MB, for a dict of them would be 13.

    By place, ``noun`` and ``verb``: uses as such, of 255; ``parent``: the place of what a word is a
    kind of, -1 for none; ``same``: that of the word that stands for all that mean what it does,
    -1 where no other does.
    """

    def __init__(self, kept: Mapping[str, NDArray[Any]]) -> None:
        text, starts = unfold(kept["shared"], kept["added"])
        self._text = str(text.data, "ascii")  # in order, so that nothing need be sorted
        # One beyond the end, since the last word has no line's end for ``spell`` to leave out.
        self._start = array("i", starts.tobytes() + np.int32(len(text) + 1).tobytes())
        self._count = len(starts)
        self.noun, self.verb = (share.tobytes() for share in kept["uses"])
        # Of some 10 000 words others are kinds: each says which of them, the most usual first.
        which = from_planes(kept["parent"], np.uint16)
        self.parent = array("i", kept["parents"].take(which).tobytes())
        self.same = array("i", _standing(kept["alike"], self._count).tobytes())

    def find(self, word: str) -> int | None:
        """Return the place of a word."""
        place = bisect_left(range(self._count), word, key=self.spell)
        return place if place < self._count and self.spell(place) == word else None

    def spell(self, place: int) -> str:
        """Return the word at a place."""
        return self._text[self._start[place] : self._start[place + 1] - 1]


def _standing(kept: NDArray[np.uint8], count: int) -> NDArray[np.int32]:
    """
    Return the place of the word that stands for each word; -1 where no other means the same.

    Kept are the places of words that have one, each as what it is after the last, and for each 0 if
    it stands for itself, else the number of the word that does, among those that do.
    """
    places = np.cumsum(from_planes(kept[:2], np.uint16), dtype=np.int32)
    which = from_planes(kept[2:], np.uint16)
    standing = np.r_[np.int32(0), places[which == 0]][which]
    same = np.full(count, -1, np.int32)
    same[places] = np.where(which == 0, places, standing)
    return same


@cache
def _words() -> _WordUses:
    data = (Path(__file__).parents[1] / "core" / "words" / "nouns.npz").read_bytes()
    return _WordUses(load_arrays(data))


@lru_cache(maxsize=1 << 16)
def singular(word: str) -> str:
    """Return the singular of a noun in lower case: "violins" is "violin", "news" stays."""
    known = _words()
    for ending, instead in _PLURALS:
        one = word.removesuffix(ending) + instead
        # What still ends in "s" was no plural: "class".
        if word.endswith(ending) and len(one) > 2 and (ending == "sses" or not one.endswith("s")):
            at = known.find(one)
            if at is not None and known.noun[at] >= _MOSTLY:
                return one
    return word


class Use(NamedTuple):
    """
    Shares of a word's uses as a noun and as a verb, in [0, 1]; ``known``: in the dictionary.

    From which share on it counts as either is for each reader to say, by what an error costs there;
    those shares are set by hand.
    """

    noun: float
    verb: float
    known: bool


@lru_cache(maxsize=1 << 16)
def use_of(word: str) -> Use:
    """Return the use of a word in lower case; an unknown word is taken for a noun."""
    known = _words()
    # As written first: "news" and "meeting" are words of their own.
    forms = [word, singular(word)]
    forms += [word.removesuffix(end) + to for end, to in _INFLECTED if word.endswith(end)]
    for form in forms:
        at = known.find(form)
        if at is not None:
            return Use(known.noun[at] / 255, known.verb[at] / 255, known=True)
    return Use(1.0, 0.0, known=False)


def kinds(noun: str) -> Sequence[str]:
    """
    Return the kinds that a noun is of, near to far: a "violin" is a "stringed instrument".

    The noun is in its dictionary form, its words apart by spaces, as are those returned.
    """
    return _kinds(noun) if len(noun) <= _LONGEST else ()


@lru_cache(maxsize=1 << 14)
def _kinds(noun: str) -> tuple[str, ...]:
    known = _words()
    found = known.find(noun.replace(" ", "_"))
    at = -1 if found is None else known.parent[found]
    above: list[str] = []
    while at >= 0:
        above.append(known.spell(at).replace("_", " "))
        at = known.parent[at]
    return tuple(above)


@lru_cache(maxsize=1 << 14)
def synonyms(noun: str) -> tuple[str, ...]:
    """
    Return the nouns that mean the same, this one too, the most used first; () if it is unknown.

    They do when that is the first sense of each, and the usual one: "car" and "automobile". The
    noun is in its dictionary form, its words apart by spaces, as are those returned.
    """
    known = _words()
    found = known.find(noun.replace(" ", "_"))
    if found is None:
        return ()
    standing = known.same[found]
    if standing < 0:
        return (noun,)
    places = np.flatnonzero(np.frombuffer(known.same, np.int32) == standing).tolist()
    places.sort(key=lambda at: (at != standing, at))
    return tuple(known.spell(at).replace("_", " ") for at in places)
