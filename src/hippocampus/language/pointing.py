"""
Pointing: what a question means without naming it, "ours", "this", "catch me up".

Read off grammar (CONCEPT, section 3.2, mode 1): a demonstrative that no noun follows is a pronoun,
and what stands where only a verb can is one, though it may be a noun elsewhere ("where did this
stall?").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.encode.terms import Term
from hippocampus.language.noun_phrases import NOUN
from hippocampus.language.nouns import use_of

_RE = Patterns("pointing")
_HOW_FAR = frozenset({"next", "left", "far", "along"})


def pointing(text: str, words: Sequence[Term]) -> float:
    """
    Return how surely a question points at what is going on.

    "We" and "ours" do, 1; "it" and "this" mostly stand for something that the question names
    itself, so they count, 0.5, where nothing else is named.
    """
    if _RE.surely.search(text):
        return 1.0
    if _RE.pronoun.search(text) or any(_demonstratives(text, words)) or names_nothing(text, words):
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


def _demonstratives(text: str, words: Sequence[Term]) -> Iterator[int]:
    """Yield where "this" and its like stand for a thing alone, and do not lead to its noun."""
    for match in _RE.demonstrative.finditer(text):
        behind = [word for word in words if word.start >= match.end()]
        clause = _RE.clause_end.search(text, match.end())
        end = clause.start() if clause else len(text)
        behind = [word for word in behind if word.start < end]
        if not behind or behind[0].function:
            yield match.start()
        elif match["aux"] and all(word.function for word in behind[1:]):
            yield match.start()  # after "did" somebody does something: "where did this stall?"


def _verbs(text: str, words: Sequence[Term]) -> Iterator[int]:
    """Yield where words stand that can only be verbs."""
    for match in _RE.tell_me.finditer(text):
        yield match.start("verb")
    alone = set(_demonstratives(text, words))
    for match in _RE.demonstrative.finditer(text):
        if match["aux"] and match.start() in alone:
            yield from [word.start for word in words if word.start >= match.end()][:1]


def _is_name(text: str, word: Term) -> bool:
    """Return whether a word is written as no word within a sentence is."""
    spelled = text[word.start : word.end]
    if not spelled.isalpha():
        return True
    return spelled[0].isupper() and _RE.opening.search(text[: word.start]) is None


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
