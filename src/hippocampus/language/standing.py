"""
Standing wishes: what somebody likes, cannot have, or wants done from now on.

"Ada can't stand coriander" and "always answer in metric units" matter to every later request that
they touch, whatever its words. English; in other languages they are found as any text.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import Final

from hippocampus.core.ascii_words import letter_runs
from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.language.asked_several import asks_for_several
from hippocampus.language.nouns import use_of

_RE: Final = Patterns("standing")
_LONGEST: Final = 2000
"""Characters of a text that are read: what is longer is no wish."""
_VERB: Final = 0.5
"""Share of its uses as a verb from which a first word is taken for an imperative."""
_NEAR: Final = 12
"""Words between "not" and "again"."""

_SUBJECT: Final = frozenset({"i", "we", "he", "she", "they", "you"})
_OWNER: Final = frozenset({"my", "our", "his", "her", "their"})
_NOT: Final = frozenset("not never won't wont shan't don't dont".split())
_NOT_DO: Final = frozenset({"don't", "dont", "doesn't", "doesnt"})
_BARRED: Final = frozenset("can't cant cannot mustn't mustnt".split())
_FOR_ONCE: Final = frozenset("wait believe beat agree remember seem help imagine say tell".split())
"""Verbs after "can't" that forbid nothing: "can't wait"."""
_ALWAYS: Final = frozenset({"always", "never", "only", "whenever"})
_LEADS: Final = frozenset({"please", "and", "so", "also", "but", "ok", "okay", "remember", "to"})
_MAY: Final = frozenset({"should", "must", "can", "to", "shall", "will"})
_OVER: Final = frozenset("been seen had did was were got have has".split())
_RULES: Final = (
    ("from", "now", "on"), ("in", "future"), ("going", "forward"), ("as", "a", "rule"),
    ("every", "time"), ("each", "time"), ("when", "i", "ask"), ("when", "i", "mention"),
    ("when", "i", "say"), ("if", "i", "ask"),
)  # fmt: skip
_MARKS: Final = frozenset(".!?;:,\n")


def tells_standing(text: str) -> bool:
    """Return whether a text tells a preference, a ban or a rule that holds from now on."""
    head = text[:_LONGEST]
    if head.rstrip().endswith("?"):
        return False
    # Most texts have none of these, and need not be cut into words.
    if head.isascii() and _telling().isdisjoint(letter_runs(head)):
        return False
    said = _WordsSaid(head)
    if not word_set("leanings").isdisjoint(said.words):
        return True
    hints = _hints()
    if hints.isdisjoint(said.words):
        return False
    return any(_is_standing(said, at) for at, word in enumerate(said.words) if word in hints)


class _WordsSaid:
    """The words and marks of a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        if text.isascii():  # at once, in a third of the time
            self.words: list[str] = _RE.token.findall(text.lower())
        else:
            self.words = [word.lower().replace("’", "'") for word in self.written]

    @cached_property
    def written(self) -> list[str]:
        """As they are written."""
        return _RE.token.findall(self._text)


@cache
def _telling() -> frozenset[str]:
    """Return runs of letters of which every text that tells a wish has one: its rarest."""
    words = word_set("leanings") | word_set("attitudes")
    words |= _ALWAYS | _BARRED | _NOT_DO | {"again"} | set(map(_rarest, _RULES))
    return frozenset(word.rpartition("'")[2] for word in words)


def _rarest(rule: tuple[str, ...]) -> str:
    """Return the word of a rule that fewest texts have: the least common sort, then the longest."""
    return max(rule, key=lambda word: (word not in word_set("function_words"), len(word)))


@cache
def _hints() -> frozenset[str]:
    """Return the words that every wish has one of."""
    return word_set("attitudes") | _LEADING


_LEADING: Final = _ALWAYS | _BARRED | _NOT_DO | {"again"} | {rule[0] for rule in _RULES}


def _is_standing(said: _WordsSaid, place: int) -> bool:
    """Return whether the word at a place makes a wish of its clause."""
    words = said.words
    word, after = words[place], words[place + 1] if place + 1 < len(words) else ""
    if word in word_set("attitudes"):
        return _has_subject(said, place)
    if word in _BARRED:
        return after not in _FOR_ONCE
    if word == "again":
        return not _NOT.isdisjoint(words[max(0, place - _NEAR) : place])
    before = words[place - 1] if place else ""
    if word in _NOT_DO:
        own = _begins(words, place) or before in _SUBJECT
        return own and after not in word_set("mental_verbs") and after not in _MARKS
    if word in _ALWAYS and after not in _OVER:
        return _begins(words, place) or before in _SUBJECT or before in _MAY
    return any(tuple(words[place : place + len(rule)]) == rule for rule in _RULES)


def _has_subject(said: _WordsSaid, place: int) -> bool:
    """Return whether somebody has the attitude; what one would like is for once."""
    words, at = said.words, place - 1
    between = word_set("before_attitudes")
    while at >= 0 and place - at <= 4 and (words[at] in between or words[at].endswith("ly")):
        at -= 1
    if at < 0 or (words[place - 1] == "would" and words[place] in ("like", "love")):
        return False
    if words[at] in _SUBJECT or (at and words[at - 1] in _OWNER):
        return True
    return said.written[at][0].isupper() and words[at] not in _MARKS and "'" not in words[at]


def _begins(words: list[str], place: int) -> bool:
    """Return whether a clause begins at a place, but for "please" and the like."""
    at = place - 1
    while at >= 0 and words[at] in _LEADS:
        at -= 1
    return at < 0 or words[at] in _MARKS


def asks_for_advice(text: str) -> bool:
    """
    Return whether a message asks for advice, for leave, or for something to be made.

    What leads to a question for a fact does not: "I am thinking of the boat. Where is it?"
    """
    head = text[:_LONGEST]
    fact = _RE.fact.search(head)
    if fact is not None:
        return _RE.advice.search(fact["asks"]) is not None
    if _RE.advice.search(head):
        return True
    first = _RE.imperative.match(head)
    if first is None or first["verb"].lower().endswith("ing"):  # "Regarding the boat, ..."
        return False
    if use_of(first["verb"].lower()).verb < _VERB:
        return False
    return not (_RE.retelling.match(first["verb"]) and asks_for_several(head))
