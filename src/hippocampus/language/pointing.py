"""
Pointing: what a question means without naming it, "ours", "this", "catch me up".

Read off grammar (CONCEPT, section 3.2, mode 1): a demonstrative that no noun follows is a pronoun,
and what stands where only a verb can is one, though it may be a noun elsewhere ("where did this
stall?").
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from operator import attrgetter
from typing import Final, NamedTuple

from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.encode.terms import Term
from hippocampus.language.noun_phrases import NOUN
from hippocampus.language.nouns import use_of

_RE = Patterns("pointing")
_HOW_FAR = frozenset({"next", "left", "far", "along"})
_BEFORE_A_SENTENCE: Final = frozenset(".!?:;\n")


def pointing(text: str, words: Sequence[Term]) -> float:
    """
    Return the certainty that a question points at a matter under way: 0, 0.5 or 1.

    "We" and "ours" do, 1; "it" and "this" mostly stand for something that the question names
    itself, so they count, 0.5, where nothing else is named.
    """
    if _RE.surely.search(text):
        return 1.0
    # One that opens the question is of what it goes on to say: "This is Ada."
    points = _RE.pronoun.search(text) or any(
        alone.match.start() > 0 for alone in _demonstratives(text, words)
    )
    if points or names_nothing(text, words):
        return 0.5
    return 0.0


def names_nothing(text: str, words: Sequence[Term]) -> bool:
    """
    Return whether a question names neither a thing nor anybody: "how far had I got?".

    It can only be of what was talked of just before. Words without grammar are searched for.
    """
    if not any(word.function for word in words):
        return False
    content = [word for word in words if not word.function]
    if not content or _RE.of_something.search(_RE.request.sub(" ", text)):
        return False
    verbs = set(_verbs(text, words))
    return all(
        word.start in verbs or (not _is_name(text, word) and _is_no_noun(_spelled(text, word)))
        for word in content
    )


def says_nothing(text: str, words: Sequence[Term]) -> bool:
    """
    Return whether a question that names nothing has no verb to search for either: "catch me up".

    "What did I buy?" has one.
    """
    light = word_set("asking_for_the_last") | word_set("phase_verbs") | word_set("particles")
    light |= _HOW_FAR | word_set("small_talk")
    told = {match.start("verb") for match in _RE.tell_me.finditer(text)}
    return names_nothing(text, words) and all(
        word.start in told or (spelled := _spelled(text, word)) in light or _is_adverb(spelled)
        for word in words
        if not word.function
    )


class _Alone(NamedTuple):
    """A demonstrative that stands for a thing alone, with the word behind it, if there is one."""

    match: re.Match[str]
    behind: Term | None


def _demonstratives(text: str, words: Sequence[Term]) -> Iterator[_Alone]:
    """Yield each "this" or its like that stands for a thing alone, not before its noun."""
    matches = list(_RE.demonstrative.finditer(text))
    if not matches:
        return
    words = sorted(words, key=attrgetter("start"))
    starts = [word.start for word in words]
    content = [0, *accumulate(not word.function for word in words)]
    clause_ends = [end.start() for end in _RE.clause_end.finditer(text)]
    for match in matches:
        first = bisect_left(starts, match.end())
        clause = bisect_left(clause_ends, match.end())
        last = bisect_left(starts, clause_ends[clause]) if clause < len(clause_ends) else len(words)
        behind = words[first] if first < len(words) else None
        # After "did" somebody does something: "where did this stall?"
        if (
            behind is None
            or first == last
            or behind.function
            or (match["aux"] and content[first + 1] == content[last])
        ):
            yield _Alone(match, behind)


def _verbs(text: str, words: Sequence[Term]) -> Iterator[int]:
    """Yield the places of words that can only be verbs."""
    for match in _RE.tell_me.finditer(text):
        yield match.start("verb")
    for alone in _demonstratives(text, words):
        if alone.match["aux"] and alone.behind is not None:
            yield alone.behind.start


def _is_name(text: str, word: Term) -> bool:
    """Return whether a word is written as no word within a sentence is."""
    spelled = text[word.start : word.end]
    if not spelled.isalpha():
        return True
    return spelled[0].isupper() and not _opens(text, word.start)


def _opens(text: str, place: int) -> bool:
    """Return whether a sentence begins with the word at a place."""
    while place and not (text[place - 1].isalnum() or text[place - 1] == "_"):
        place -= 1
        if text[place] in _BEFORE_A_SENTENCE:
            return True
    return place == 0


def _spelled(text: str, word: Term) -> str:
    return text[word.start : word.end].lower()


def _is_no_noun(word: str) -> bool:
    use = use_of(word)
    told = word_set("irregular_past_forms") | word_set("particles") | _HOW_FAR
    told |= word_set("asking_for_the_last") | word_set("phase_verbs")
    if word in told:
        return True
    return use.known and use.noun < NOUN and (use.verb > 0 or _is_adverb(word))


def _is_adverb(word: str) -> bool:
    """Return whether a word is an adverb: "again", or "quickly", which is made of an adjective."""
    if word in word_set("flat_adverbs") | word_set("adverbs"):
        return True
    use = use_of(word)
    only = use.known and use.noun == 0 and use.verb == 0  # an adverb or an adjective
    return only and word.endswith("ly") and any(map(_is_adjective, _roots(word)))


def _roots(adverb: str) -> Iterator[str]:
    """Yield the words of which one in "ly" may be made: "happy" of "happily"."""
    root = adverb.removesuffix("ly")
    yield from (root, f"{root}le", f"{root}l", f"{root}e")
    if root.endswith("i"):
        yield f"{root[:-1]}y"
    if root.endswith("al"):
        yield root[:-2]


def _is_adjective(word: str) -> bool:
    use = use_of(word)
    return use.known and use.noun < NOUN and use.verb < NOUN
