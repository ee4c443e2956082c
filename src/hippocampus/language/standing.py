"""
Standing wishes: what somebody likes, cannot have, or wants done from now on.

"Ada can't stand coriander" and "always answer in metric units" matter to every later request that
they touch, whatever its words. English; in other languages they are found as any text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from typing import Final, NamedTuple

from hippocampus.core.sought_words import SoughtWords, is_latin
from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.language.asked_several import asks_for_several
from hippocampus.language.nouns import use_of

_RE: Final = Patterns("standing")
_LONGEST: Final = 2000
"""Characters of a text that are read: what is longer is no wish."""
_VERB: Final = 0.5
"""Share of its uses as a verb from which a first word is taken for an imperative."""
_NOUN: Final = 0.1
"""The same before an article: "draft a mail"."""
_NEAR: Final = 12
"""Words between "not" and "again"; this and the next two are set by hand."""
_BETWEEN: Final = 4
"""Words between somebody and their attitude."""
_NEXT: Final = 2
"""Words that are looked at behind one that may tell a wish."""
_BACK: Final = 24
"""Characters before such a word in which enough words are, mostly; else twice as many are looked
at, and so on."""
_ON: Final = 24
"""Characters behind it, likewise."""

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
    if is_latin(head):  # what is not near a hint need not be cut into words
        places = _TELLING.places_in(head)
        low = head.lower().replace("’", "'") if places else ""
        return any(_is_told(*_words_near(head, low, at)) for at in places)
    words = [word.lower().replace("’", "'") for word in _RE.token.findall(head)]
    said, hints = _WordsSaid(words, head, 0, len(head)), _hints()
    return any(_is_told(said, at) for at, word in enumerate(words) if word in hints)


class _WordsSaid(NamedTuple):
    """Words and marks that stand in a row in a text, in lower case."""

    low: list[str]
    text: str
    start: int
    end: int

    def written(self, place: int) -> str:
        """Return one of the wishes as it is written."""
        cut = self.start > 0  # of the first one some letters may be before the start
        words: list[str] = _RE.token.findall(self.text, self.start, self.end)
        return words[place + cut]


def _words_near(head: str, low: str, at: int) -> tuple[_WordsSaid, int]:
    """Return the words around a place that ``_is_told`` looks at, and which of them is there."""
    back, on = _BACK, _ON
    within = at > 0 and (low[at - 1].isalnum() or low[at - 1] in "_'")
    while True:
        start, end = max(at - back, 0), at + on
        before, after = _RE.token.findall(low, start, at), _RE.token.findall(low, at, end)
        if start:  # some letters of the first may be cut off, or of the last
            del before[:1]
        if end < len(low):
            del after[-1:]
        if within and before and after:
            after[0] = before.pop() + after[0]
        place, words = len(before), before + after
        if (not start or _is_enough(before, words[place:])) and (
            len(after) > _NEXT or end >= len(low)
        ):
            return _WordsSaid(words, head, start, end), place
        back, on = 2 * back, 2 * on


def _is_enough(before: list[str], after: list[str]) -> bool:
    """Return whether what is before some words does not matter to the one they end before."""
    if after[:1] == ["again"]:
        return len(before) >= _NEAR
    between, at = word_set("before_attitudes"), len(before) - 1
    while at >= 0 and (before[at] in _LEADS or before[at] in between or before[at].endswith("ly")):
        at -= 1
    return at > 0


@cache
def _telling() -> frozenset[str]:
    """Return runs of letters of which every text that tells a wish has one: its rarest."""
    return frozenset(word.rpartition("'")[2] for word in _hints())


_TELLING: Final = SoughtWords(_telling)


@cache
def _hints() -> frozenset[str]:
    """Return the words that every wish has one of; of a rule it is the rarest."""
    words = word_set("leanings") | word_set("attitudes")
    return words | _ALWAYS | _BARRED | _NOT_DO | {"again"} | _rules().keys()


@cache
def _rules() -> Mapping[str, list[tuple[int, tuple[str, ...]]]]:
    """Return the rules by their rarest word, each with the place of that word in it."""
    found = defaultdict[str, list[tuple[int, tuple[str, ...]]]](list)
    for rule in _RULES:
        word = _rarest(rule)
        found[word].append((rule.index(word), rule))
    return found


def _rarest(rule: tuple[str, ...]) -> str:
    """Return the word of a rule that fewest texts have: the least common sort, then the longest."""
    return max(rule, key=lambda word: (word not in word_set("function_words"), len(word)))


def _is_told(said: _WordsSaid, place: int) -> bool:
    """Return whether the word at a place tells a wish by itself, or makes one of its clause."""
    return said.low[place] in word_set("leanings") or _is_standing(said, place)


def _is_standing(said: _WordsSaid, place: int) -> bool:
    """Return whether the word at a place makes a wish of its clause."""
    words = said.low
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
    return any(
        first <= place and tuple(words[place - first :][: len(rule)]) == rule
        for first, rule in _rules().get(word, ())
    )


def _has_subject(said: _WordsSaid, place: int) -> bool:
    """Return whether somebody has the attitude; what one would like is for once."""
    words, at = said.low, place - 1
    between = word_set("before_attitudes")
    while at >= 0 and place - at <= _BETWEEN and (words[at] in between or words[at].endswith("ly")):
        at -= 1
    if at < 0 or (words[place - 1] == "would" and words[place] in ("like", "love")):
        return False
    if words[at] in _SUBJECT or (at and words[at - 1] in _OWNER):
        return True
    return said.written(at)[0].isupper() and words[at] not in _MARKS and "'" not in words[at]


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
    least = _NOUN if _RE.making.match(head) else _VERB
    if use_of(first["verb"].lower()).verb < least:
        return False
    return not (_RE.retelling.match(first["verb"]) and asks_for_several(head))
