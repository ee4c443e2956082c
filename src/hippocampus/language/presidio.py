"""
Presidio's rules for identity, tax, health and bank numbers, beside our own.

Of what they find, numbers whose checksum fits are taken, and nothing that form alone suggests: that
any nine digits may be a passport is no finding. No language model is loaded, and those that look an
address up in the public list of domains, which would be downloaded, are left out.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, Final

from hippocampus.core.optional import require
from hippocampus.language.secrets import SecretSpan

_LEFT_OUT: Final = ("EMAIL_ADDRESS", "URL", "LICENSE_PLATE", "VEHICLE")
"""The first two ask the network; plates have no checksum, whatever their rules say."""
_CERTAIN: Final = 1.0
"""The score of what passed its checksum."""
KIND: Final = "identity number"


def identity_finder() -> Callable[[str], Iterator[SecretSpan]]:
    """
    Return a finder of numbers in a text by the rules of ``presidio-analyzer``.

    Raises:
        MissingExtra: it is not installed.

    """
    presidio = require("presidio_analyzer", extra="presidio", feature="finding more secrets")
    known = require(
        "presidio_analyzer.predefined_recognizers", extra="presidio", feature="finding more secrets"
    )
    base = presidio.PatternRecognizer
    made: list[Any] = [
        kind()
        for _, kind in inspect.getmembers(known, inspect.isclass)
        # Recognisers of other kinds load a language model or ask a service.
        if issubclass(kind, base) and kind is not base
    ]
    rules = [
        rule
        for rule in made
        if not any(name in entity for entity in rule.supported_entities for name in _LEFT_OUT)
    ]

    def find(text: str) -> Iterator[SecretSpan]:
        for rule in rules:
            for found in rule.analyze(text, rule.supported_entities, None):
                if found.score >= _CERTAIN:
                    yield SecretSpan(KIND, found.start, found.end)

    return find
