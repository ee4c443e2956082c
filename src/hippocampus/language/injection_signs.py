"""
Signs that a sentence tells a model what to do.

What counts is how words of some classes stand together (one that sets aside, near one for rules;
one for a model, near "this" or "here"), whether a clause gives an order or calls somebody, and
markup of chats; not which phrase it is. Words stand in ``words/injection_words.txt`` by class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Final

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.word_lists import Patterns, word_list, word_set
from hippocampus.language.nouns import use_of

_Classes = frozenset[str]

_PATTERNS: Final = Patterns("injections")
_WORD: Final = lazy_pattern(r"[^\W\d_](?:[\w'’-]{0,30}\w)?")
_CLAUSE: Final = lazy_pattern(r"[,:;()\[\]{}\"“”«»|*#<>=]+|\s[-–—/]+\s|//|--")
_PARTS: Final = lazy_pattern("[-_']")
_OTHER_SCRIPTS: Final = lazy_pattern("[\u0600-\u06ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_BORDER_OF_SCRIPTS: Final = lazy_pattern(
    "(?<=[a-z])(?=[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af])"
    "|(?<=[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af])(?=[a-z])"
)
_ENDS: Final = tuple(".!?。！？")

_NONE: Final[_Classes] = frozenset()
_MODELS: Final = frozenset(("machine", "model", "software"))
_ORDERS: Final = frozenset(
    ("override", "persona", "send", "reveal", "action", "obey", "answer", "tell", "memory")
)
_NEGATIONS: Final = frozenset(("do", "not", "don't"))

_NEAR: Final = 6
_TOGETHER: Final = (
    ("sets aside rules", "override", "instruction", -_NEAR, _NEAR),
    ("orders a model", "machine", "must", 1, 6),
    ("orders a model", "model", "must", 1, 6),
    ("greets a model", "greeting", "machine", 1, 4),
    ("if a model", "if", "machine", 1, 5),
    ("if a model", "if", "model", 1, 5),
    ("orders software", "software", "must", 1, 4),
    ("read by software", "software", "reads", -3, 3),
    ("hides", "negation", "tell", 1, 3),
    ("shows data", "reveal", "data", 1, 5),
    ("obeys", "obey", "instruction", -4, 4),
    ("obeys", "obey", "new", -3, 3),
    ("answers only", "answer", "only", -4, 4),
    ("your output", "you", "output", 1, 3),
    ("puts into output", "answer", "output", -5, 5),
    ("puts into output", "reads", "output", -4, 4),
    ("memorises", "memory", "user", 1, 5),
    ("memorises", "memory", "you", 1, 4),
    ("you must", "you", "must", 1, 2),
    ("new task", "new", "task", 1, 2),
    ("new task", "you", "task", 1, 2),
    *(("a model here", one, "here", -_NEAR, _NEAR) for one in sorted(_MODELS)),
    *(("a model that", one, "which", 1, 1) for one in sorted(_MODELS)),
)
"""Signs of two classes of words: how far after one the other stands, at least and at most."""
_ALONE: Final = (
    ("names a machine", "machine"), ("plays", "persona"), ("memory", "memory"),
    ("speaks of the user", "user"),
)  # fmt: skip
_LONGEST_NAME: Final = 12
_MOST_LED_IN: Final = 3
_VERB: Final = 0.4
"""Share of its uses as a verb from which a first word is taken for an imperative."""
_SHORTEST_STEM: Final = 3
_LONG_WORD: Final = 9
_LONG_STEM: Final = 6
"""Letters from which on a word, and the beginning it is known by, may be mistyped."""


def signs_of(sentence: str) -> set[str]:
    """Return the signs that one sentence shows, by name."""
    lowered = sentence.lower()
    clauses = [_words(one) for one in _CLAUSE.split(lowered)]
    told = [[_classes_of(word) for word in clause] for clause in clauses]
    words, classes = list(chain(*clauses)), list(chain(*told))
    there = _NONE.union(*classes)
    found: set[str] = set()
    if there:
        found.update(_by_words(words, classes, there))
    found.update(_by_clauses(clauses, told))
    # Who is called is told something next; a sentence that is over called nobody.
    if "calls" in found and sentence.rstrip().endswith(_ENDS):
        found.remove("calls")
    if _PATTERNS.markup.search(sentence):
        found.add("markup")
    for name, pattern in (
        ("hidden", _PATTERNS.hidden),
        ("gives it a being", _PATTERNS.being),
        ("calls by name", _PATTERNS.called),
    ):
        if pattern.search(lowered):
            found.add(name)
    if {"send", "action"} & there and _PATTERNS.address.search(sentence):
        found.add("acts on an address")
    if _OTHER_SCRIPTS.search(sentence):
        found.update(_by_characters(sentence))
    return found


def _words(text: str) -> list[str]:
    # Without spaces a Latin word within Chinese would be one word with its neighbours.
    apart = _BORDER_OF_SCRIPTS.sub(" ", text)
    return [match.replace("’", "'") for match in _WORD.findall(apart)]


@cache
def _known() -> tuple[Mapping[str, _Classes], Mapping[str, _Classes]]:
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


@lru_cache(maxsize=1 << 14)
def _classes_of(word: str) -> _Classes:
    """Return the classes of a word and of its parts, or those of what it was meant to be."""
    parts = _PARTS.split(word)
    found = _as_written(word).union(*map(_as_written, parts if len(parts) > 1 else ()))
    return found or _mistyped(word)


def _as_written(word: str, shortest: int = _SHORTEST_STEM) -> _Classes:
    whole, stems = _known()
    found = whole.get(word, _NONE)
    # A word has fewer beginnings than there are stems.
    for length in range(shortest, len(word) + 1):
        found |= stems.get(word[:length], _NONE)
    return found


def _mistyped(word: str) -> _Classes:
    """Return the classes of a long word that has one letter too many, or two exchanged."""
    if len(word) < _LONG_WORD:
        return _NONE
    for at in range(len(word) - 1):
        exchanged = f"{word[:at]}{word[at + 1]}{word[at]}{word[at + 2 :]}"
        for meant in (word[:at] + word[at + 1 :], exchanged):
            # A stem that ends before the mistake would have been found in the word as written.
            if found := _as_written(meant, max(at, _LONG_STEM)):
                return found
    return _NONE


def _by_words(words: Sequence[str], classes: Sequence[_Classes], there: _Classes) -> Iterator[str]:
    """Yield the signs of words that are there, or stand together."""
    places = {name: [at for at, one in enumerate(classes) if name in one] for name in there}
    for name, one, other, least, most in _TOGETHER:
        if one in there and other in there:
            ones, others = places[one], places[other]
            if any(least <= b - a <= most and a != b for a in ones for b in others):
                yield name
    yield from (name for name, one in _ALONE if one in there)
    if "greeting" in classes[0] and any("model" in one for one in classes[1:4]):
        yield "greets a model"
    if any(
        _MODELS & kind
        and any(word.endswith("ing") and len(word) > 4 for word in words[at : at + 2])
        for at, kind in enumerate(classes, 1)
    ):
        yield "a model at work"
    led_in = len(words) > 1 and words[0] in word_set("before_orders")
    if _ORDERS & (classes[0] | (classes[1] if led_in else _NONE)):
        yield "orders"


def _by_clauses(
    clauses: Sequence[Sequence[str]], told: Sequence[Sequence[_Classes]]
) -> Iterator[str]:
    """Yield whether a model is called, and whether it is what is told to do something."""
    called = False
    for words, classes in zip(clauses, told, strict=True):
        # Nothing but marks: whoever was called before is called still.
        if not words:
            continue
        if _bids(words, classes):
            yield "bids"
            if called:
                yield "calls a model"
        called = _calls(words, classes)
    if called:
        yield "calls"


def _calls(words: Sequence[str], classes: Sequence[_Classes]) -> bool:
    """Return whether a clause may be no more than the name of a model, with what it is."""
    if len(words) > _LONGEST_NAME or not word_set("finite_auxiliaries").isdisjoint(words):
        return False
    return any(_MODELS & one for one in classes)


def _bids(words: Sequence[str], classes: Sequence[_Classes]) -> bool:
    """Return whether a clause tells somebody to do something."""
    at = 0
    while at < min(_MOST_LED_IN, len(words) - 1) and (
        words[at] in word_set("before_orders") or words[at] in _NEGATIONS
    ):
        at += 1
    first, after = words[at], words[at + 1 : at + 2]
    if _ORDERS & classes[at]:
        return True
    if first in word_set("never_imperative") or not word_set("finite_auxiliaries").isdisjoint(
        after
    ):
        return False
    inflected = first.endswith(("ed", "ing")) or (first.endswith("s") and not first.endswith("ss"))
    return not inflected and use_of(first).verb >= _VERB


def _by_characters(sentence: str) -> Iterator[str]:
    """Yield the signs of a sentence in a script that sets no spaces between words, or few."""
    rules = _PATTERNS.han_instruction.search(sentence)
    model = _PATTERNS.han_model.search(sentence)
    named = _PATTERNS.han_ai.search(sentence)
    signs = (
        (("sets aside rules", "orders"), rules and _PATTERNS.han_override.search(sentence)),
        (("names a machine",), model or named),
        (("gives it a being",), model),
        (("a model here",), named and _PATTERNS.han_here.search(sentence)),
        (("speaks of the user",), _PATTERNS.han_user.search(sentence)),
        (("orders",), _PATTERNS.han_act.search(sentence)),
    )
    yield from chain(*(names for names, holds in signs if holds))
    if _PATTERNS.han_bids.search(sentence):
        yield "bids"
        if model or named:
            yield "calls a model"
