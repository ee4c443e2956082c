"""
Choices: a question that names two things of which one is so: "the red one or the blue one?".

What a text says of them is read from how it names them. One that joins both ("red or blue, I can't
tell") weighs them; one that names both apart ("blue, though red was cheaper") or one alone takes a
side, unless it turns down what it names ("sold the red one").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.encode.terms import Term, find_terms, stem
from hippocampus.language.nouns import kinds, use_of

_RE: Final = Patterns("questions")
_LONGEST: Final = 500
"""Characters of a question that are read; what is longer tells more than it asks."""
_READ: Final = 2000
"""Characters of a text that are: a bound on what twelve long texts cost, set by hand."""
_WORDS: Final = 2
"""Words of an alternative, at most: more are a clause, and no thing to choose. Set by hand."""
_JOINED: Final = 4
"""Words between two alternatives up to which they are joined by "or" and "and"; set by hand."""
_CLAUSE: Final = lazy_pattern(r"[.!?;:,\n]|\b(?:but|and|so|because|then|while)\b", re.IGNORECASE)
_JOINING: Final = lazy_pattern(r"\b(?:or|and|nor|vs|versus)\b|/", re.IGNORECASE)
_OVER: Final = lazy_pattern(r"\W+(?:was|were|used\s+to|had\s+been)\b", re.IGNORECASE)


class Choice(NamedTuple):
    """
    Things that a question lets one choose from, by their words' hashes, and its other words.

    ``rest``: the hashes of the words of content beside them.
    """

    things: tuple[frozenset[int], ...]
    rest: frozenset[int]
    compares: bool = False
    """Whether both answer it: it compares them, or asks which was first."""


class Side(NamedTuple):
    """Side of a choice in a text: the things that it names, and whether it takes a side."""

    named: frozenset[int]
    """By their places among ``Choice.things``."""
    decided: bool
    """Whether it is for one of them: it neither weighs them nor turns down the one it names."""
    covered: int
    """Number of the question's other words that it has."""


def read_choice(text: str) -> Choice | None:
    """Return the choice that a question puts, None if it puts none."""
    if len(text) > _LONGEST:
        return None
    *_, cut = (None, *_RE.between.finditer(text))
    if cut is None:
        led = _RE.one_of.search(text)
        cut = None if led is None else _RE.joined.search(text, led.end())
    if cut is None:
        return None
    if _is_any(text, cut.start()):
        return None
    words = find_terms(text)
    right = _after([word for word in words if word.start >= cut.end()], text)
    left = _before([word for word in words if word.end <= cut.start()], text)
    if _RE.for_noun.match(text[cut.end() :]):
        left = left[:-1] or left
    # Alternatives are built alike, so the shorter side tells how many words belong to each.
    size = min(len(left), len(right))
    if not size:
        return None
    one = {word.hash for word in left[-size:]}
    other = {word.hash for word in right[:size]}
    # A word of both sides tells neither from the other.
    things = (frozenset(one - other), frozenset(other - one))
    if not all(things):
        return None
    rest = {word.hash for word in words if not word.function} - one - other
    return Choice(things, frozenset(rest), _compares(text, words))


def _is_any(text: str, cut: int) -> bool:
    """Return whether the words before "or" are asked for, as in "what did I buy or borrow?"."""
    asking = _RE.asks_for_any.search(text, 0, cut)
    return asking is not None and not re.search("[,:;–—?]", text[asking.end() : cut])


def _compares(text: str, words: Sequence[Term]) -> bool:
    """Return whether a question has a comparative, or asks for an order."""
    if _RE.compares.search(text):
        return True
    said = (text[word.start : word.end].lower() for word in words if not word.function)
    return any(one.endswith("er") and use_of(one).known and not kinds(one) for one in said)


def _before(words: Sequence[Term], text: str) -> list[Term]:
    """Return the words of content right before the place of "or"."""
    found: list[Term] = []
    for word in reversed(words):
        if word.function or (found and _CLAUSE.search(text, word.end, found[0].start)):
            break
        found.insert(0, word)
    return found[-_WORDS - 1 :]


def _after(words: Sequence[Term], text: str) -> list[Term]:
    """Return the words of content after it, behind the words of grammar that lead there."""
    found: list[Term] = []
    for word in words:
        said = text[word.start : word.end].lower()
        if found and (word.function or _CLAUSE.search(text, found[-1].end, word.start)):
            break
        if not word.function and said not in ("one", "ones"):
            found.append(word)
    return found[:_WORDS]


def side_of(text: str, choice: Choice) -> Side:
    """Return the side of a choice that a text takes."""
    text = text[:_READ]
    words = find_terms(text)
    has = frozenset(form for word in words for form in (word.hash, *word.forms))
    places = [_places(words, thing) for thing in choice.things]
    named = frozenset(place for place, found in enumerate(places) if found)
    if not named:
        return Side(named, decided=False, covered=0)
    covered = len(choice.rest & has)
    if len(named) > 1:
        decided = not any(
            _is_joined(text, words, one, other) for one in places[0] for other in places[1]
        )
        return Side(named, decided, covered)
    at = places[next(iter(named))]
    return Side(named, not any(_is_turned_down(text, words[place]) for place in at), covered)


def _places(words: Sequence[Term], thing: frozenset[int]) -> list[int]:
    """Return the places of the words of a thing; none if most of them are not there."""
    found = [
        place for place, word in enumerate(words)
        if word.hash in thing or not thing.isdisjoint(word.forms)
    ]  # fmt: skip
    return found if 2 * len({words[place].hash for place in found}) >= len(thing) else []


def _is_joined(text: str, words: Sequence[Term], one: int, other: int) -> bool:
    """Return whether "or" or "and" joins two words, with little else between them."""
    first, last = sorted((one, other))
    if last - first > _JOINED + 1:
        return False
    return _JOINING.search(text, words[first].end, words[last].start) is not None


def _is_turned_down(text: str, word: Term) -> bool:
    """Return whether the clause of a word denies or ends what it says of it, or asks."""
    start = max((cut.end() for cut in _CLAUSE.finditer(text, 0, word.start)), default=0)
    stop = next((cut.start() for cut in _CLAUSE.finditer(text, word.end)), len(text))
    before = re.findall(r"[\w'’]+", text[start : word.start].lower().replace("’", "'"))
    if any(one.endswith("n't") or one in word_set("negations") for one in before):
        return True
    if not _turning_down().isdisjoint(map(stem, before)):
        return True
    return text[stop : stop + 1] == "?" or _OVER.match(text, word.end) is not None


def _turning_down() -> frozenset[str]:
    return frozenset(map(stem, word_set("turning_down")))
