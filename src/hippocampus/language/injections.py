"""
Prompt injections: texts of others that speak to the model that will read them.

A text is looked at in stretches of three sentences. What counts is how words of some classes stand
together (one that sets aside, near one for rules; one that hides, near one for telling), whether
sentences give orders, and markup of chats; not which phrase it is. The weights are fitted, see
``docs/trust.md`` for how well it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Final

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.word_lists import Patterns, word_list, word_set

_PATTERNS: Final = Patterns("injections")
_WORD: Final = lazy_pattern(r"[^\W\d_](?:[\w'’-]{0,30}\w)?")
_SENTENCE: Final = lazy_pattern(r"(?<=[.!?;:…。！？])\s+|\n+|(?<=[。！？])")
_WINDOW: Final = 3
_LONGEST_SENTENCE: Final = 600
_NEAR: Final = 6
_HAN: Final = lazy_pattern("[\u0600-\u06ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")

WEIGHTS: Final[Mapping[str, float]] = MappingProxyType({
    "sets aside rules": 3.6, "names a machine": 2.48, "names a model": 1.81,
    "orders a model": 0.63, "greets a model": 2.36, "a model reads it": 1.74,
    "speaks of the user": 2.85, "gives it a being": 1.79, "plays": 2.13, "hides": 0.8,
    "hides from the user": 0.24, "shows data": 1.6, "shows rules": 0.98, "sends data": 0.73,
    "acts on an address": 0.7, "obeys": 0.81, "answers only": 2.87, "urgent": 0.68,
    "orders": 2.07, "orders twice": 0.97, "you": 1.53, "you must": 1.16, "new task": 2.37,
    "markup": 2.38, "orders in markup": 0.68, "three things": 1.5,
})  # fmt: skip
"""Signs in a stretch of text, and the log odds that each adds; fitted with the command of
``hippocampus_bench.injections``."""
BIAS: Final = -4.96
"""The log odds of a stretch that shows nothing; .3 less than was fitted, for fewer false alarms."""


def reads_like_injection(text: str) -> bool:
    """Return whether a text gives orders to whichever model reads it."""
    return injection_odds(text) > 0


def injection_odds(text: str) -> float:
    """Return the log odds that a text is an injection: of that stretch of it that is the likest."""
    return BIAS + max((sum(map(WEIGHTS.__getitem__, one)) for one in stretches(text)), default=0.0)


def stretches(text: str) -> Iterator[frozenset[str]]:
    """Yield the features of each stretch of three sentences, by the names in ``WEIGHTS``."""
    seen: list[set[str]] = [_features(one) for one in _sentences(text)]
    for start in range(max(1, len(seen) - _WINDOW + 1)):
        some = seen[start : start + _WINDOW]
        found: set[str] = set().union(*some)
        if not found:
            continue
        if sum("orders" in one for one in some) > 1:
            found.add("orders twice")
        if "orders" in found and found & {"markup", "hidden"}:
            found.add("orders in markup")
        if len(found - _COMMON) >= _SEVERAL:
            found.add("three things")
        yield frozenset(found & WEIGHTS.keys())


_COMMON: Final = frozenset(("you", "orders", "orders twice"))
_SEVERAL: Final = 3


def _sentences(text: str) -> Iterator[str]:
    for one in _SENTENCE.split(text):
        for start in range(0, len(one), _LONGEST_SENTENCE):
            yield one[start : start + _LONGEST_SENTENCE]


@cache
def _classes() -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """Return the classes of words, and those of their beginnings."""
    whole: dict[str, set[str]] = {}
    stems: dict[str, set[str]] = {}
    for line in word_list("injection_words"):
        name, *words = line.split()
        for word in words:
            if word.endswith("*"):
                stems.setdefault(word[:-1], set()).add(name)
            else:
                whole.setdefault(word, set()).add(name)
    return (
        {word: frozenset(names) for word, names in whole.items()},
        {stem: frozenset(names) for stem, names in stems.items()},
    )


_NONE: Final[frozenset[str]] = frozenset()


def _class_of(word: str) -> frozenset[str]:
    whole, stems = _classes()
    found = whole.get(word, _NONE)
    for length in range(3, len(word) + 1):
        if word[:length] in stems:
            found |= stems[word[:length]]
    return found


def _features(sentence: str) -> set[str]:
    """Return the features of one sentence."""
    found: set[str] = set()
    lowered = sentence.lower()
    words = [match.replace("’", "'") for match in _WORD.findall(lowered)]
    classes = [_class_of(word) for word in words]
    there = frozenset[str]().union(*classes)
    if there:
        found.update(_by_words(words, classes, there))
    if _PATTERNS.markup.search(sentence):
        found.add("markup")
    if _PATTERNS.hidden.search(lowered):
        found.add("hidden")
    if _PATTERNS.being.search(lowered):
        found.add("gives it a being")
    if {"send", "action"} & there and _PATTERNS.address.search(sentence):
        found.add("acts on an address")
    if _HAN.search(sentence):
        found.update(_by_characters(sentence))
    return found


def _by_words(
    words: Sequence[str], classes: Sequence[frozenset[str]], there: frozenset[str]
) -> Iterator[str]:
    places: dict[str, Sequence[int]] = {
        name: [at for at, one in enumerate(classes) if name in one] for name in there
    }

    def near(one: str, other: str, most: int = _NEAR) -> bool:
        ones, others = places.get(one, ()), places.get(other, ())
        return any(0 < abs(a - b) <= most for a in ones for b in others)

    def before(one: str, other: str, most: int) -> bool:
        ones, others = places.get(one, ()), places.get(other, ())
        return any(0 < b - a <= most for a in ones for b in others)

    greeted = "greeting" in classes[0] and any("model" in one for one in classes[1:4])
    pairs = (
        ("sets aside rules", near("override", "instruction")),
        ("orders a model", before("machine", "must", 6) or before("model", "must", 6)),
        ("greets a model", before("greeting", "machine", 4) or greeted),
        ("a model reads it", near("machine", "reads", 4) or before("model", "reads", 2)),
        ("hides", before("negation", "tell", 3)),
        ("hides from the user", before("tell", "user", 4) or before("secretly", "user", 8)),
        ("shows data", before("reveal", "data", 5)),
        ("shows rules", before("reveal", "instruction", 6) or near("quote", "instruction", 5)),
        ("sends data", before("send", "data", _NEAR)),
        ("obeys", near("obey", "instruction", 4) or near("obey", "new", 3)),
        ("answers only", near("answer", "only", 4)),
        ("you must", before("you", "must", 2)),
        ("new task", before("new", "task", 2) or before("you", "task", 2)),
    )  # fmt: skip
    yield from (name for name, holds in pairs if holds)
    for name, of in (
        ("names a machine", "machine"), ("names a model", "model"), ("plays", "persona"),
        ("you", "you"), ("speaks of the user", "user"),
    ):  # fmt: skip
        if of in there:
            yield name
    if "urgent" in frozenset[str]().union(*classes[:2]):
        yield "urgent"
    led_in = len(words) > 1 and words[0] in word_set("before_orders")
    if _ORDERS & (classes[0] | (classes[1] if led_in else _NONE)):
        yield "orders"


_ORDERS: Final = frozenset(
    ("override", "persona", "send", "reveal", "action", "obey", "answer", "tell", "memory")
)


def _by_characters(sentence: str) -> Iterator[str]:
    """Yield the features of a sentence in a script that sets no spaces between words."""
    rules = _PATTERNS.han_instruction.search(sentence)
    if rules and _PATTERNS.han_override.search(sentence):
        yield "sets aside rules"
        yield "orders"
    if _PATTERNS.han_model.search(sentence):
        yield "names a machine"
        yield "gives it a being"
    if _PATTERNS.han_user.search(sentence):
        yield "speaks of the user"
    if _PATTERNS.han_act.search(sentence):
        yield "orders"
        if rules:
            yield "shows rules"
