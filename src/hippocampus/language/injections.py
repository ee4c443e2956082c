"""
Prompt injections: texts of others that speak to the model that will read them.

A text is looked at in stretches of three sentences, and the signs that they show add up. The
weights are fitted, see ``docs/trust.md`` for how well it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.language.injection_signs import signs_of

_SENTENCE: Final = lazy_pattern(r"(?<=[.!?;:…。！？])\s+|\n+|(?<=[。！？])")
_WINDOW: Final = 3
_LONGEST_SENTENCE: Final = 600

WEIGHTS: Final[Mapping[str, float]] = MappingProxyType({
    "sets aside rules": 3.48, "names a machine": 1.28, "orders a model": 1.17,
    "greets a model": 0.81, "if a model": 1.07, "orders software": 0.4, "read by software": 0.88,
    "speaks of the user": 1.88, "gives it a being": 1.59, "plays": 1.56, "hides": 1.65,
    "shows data": 1.92, "acts on an address": 1.62, "obeys": 1.43, "answers only": 2.3,
    "orders": 0.84, "you must": 1.03, "new task": 2.25, "markup": 0.8, "orders in markup": 1.53,
    "calls": 2.03, "calls by name": 1.47, "calls a model": 0.51, "your output": 2.48,
    "puts into output": 1.25, "memorises": 0.4, "memory": 0.56, "hidden": 0.59,
    "a model at work": 1.35, "a model here": 2.24, "a model that": 0.88,
})  # fmt: skip
"""Signs in a stretch of text, and the log odds that each adds; fitted with the command of
``hippocampus_bench.injections``."""
BIAS: Final = -3.63
"""The log odds of a stretch that shows nothing; .3 less than was fitted, for fewer false alarms."""


def reads_like_injection(text: str) -> bool:
    """Return whether a text gives orders to whichever model reads it."""
    return injection_odds(text) > 0


def injection_odds(text: str) -> float:
    """Return the log odds that a text is an injection: of that stretch of it that is the likest."""
    return BIAS + max((sum(map(WEIGHTS.__getitem__, one)) for one in stretches(text)), default=0.0)


def stretches(text: str) -> Iterator[frozenset[str]]:
    """Yield the signs of each stretch of three sentences, by the names in ``WEIGHTS``."""
    seen = [signs_of(one) for one in _sentences(text)]
    for start in range(max(1, len(seen) - _WINDOW + 1)):
        found = set[str]().union(*seen[start : start + _WINDOW])
        if found & {"orders", "bids"} and found & {"markup", "hidden"}:
            found.add("orders in markup")
        if shown := found & WEIGHTS.keys():
            yield frozenset(shown)


def _sentences(text: str) -> Iterator[str]:
    for one in _SENTENCE.split(text):
        # Words are compared in pairs, so the time would grow with the square of a long line.
        for start in range(0, len(one), _LONGEST_SENTENCE):
            yield one[start : start + _LONGEST_SENTENCE]
