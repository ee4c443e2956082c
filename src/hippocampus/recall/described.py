"""
Descriptions: who "Ana's cousin" is, found in the few texts that speak of both (a second hop).

Statements know it where a rule has read it (``alias_expansion.py``). Else it is looked up when
somebody asks, in texts that have the owner and the noun, as long as these are few.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Final

import numpy as np

from hippocampus.core.lazy_dataclass import immutable
from hippocampus.encode.terms import find_terms
from hippocampus.index.bm25 import Bm25Cue
from hippocampus.index.cue import Mask
from hippocampus.language.described_person import described_person, is_person_noun

_READ: Final = 4
"""Most texts that are read for who is meant; of more, none tells more than the others
(docs/adr/0064)."""
_SPOKEN_OF: Final = 500
"""Most texts that may have the rarer of the two: of somebody more spoken of, too many name both. A
bound set by hand."""


@immutable(kw_only=False, eq=False)
class Descriptions:
    """Looks for people by whose they are, among rows that the read may see."""

    lexical: Bm25Cue
    read: Callable[[Collection[int]], Mapping[int, str]]
    allowed: Mask | None

    def of(self, owner: str, noun: str) -> set[str]:
        """Return the people who may be the owner's ``noun``; none where texts do not tell."""
        if not is_person_noun(noun):
            return set()
        terms = np.array([self._written(word) for word in (owner, noun)], np.uint32)
        rows = self.lexical.holding(terms, self.allowed, _SPOKEN_OF, least=1)
        if not 0 < len(rows) <= _READ:
            return set()
        texts = self.read(rows.tolist()).values()
        found = (described_person(text, owner, noun) for text in texts)
        named = {name for name in found if name is not None}
        return named if len(named) == 1 else set()

    def _written(self, word: str) -> int:
        """Return the form of a word that texts have most."""
        forms = [form for term in find_terms(word) for form in (term.hash, *term.forms)]
        counted = self.lexical.frequency(np.array(forms, np.uint32))
        return forms[int(counted.argmax())]
