"""
What a question takes for known: that one memory speaks of all that it names.

"When is Ana's birthday?" supposes that Ana and a birthday come together somewhere. Where they do
not, what is nearest is of Ana, or of another birthday, and fits the question well without having
its answer. Whose turn it is, where a speaker is named, is judged by ``evidence.rivalry`` instead. Which words name something is
known of English alone.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import numpy as np

from hippocampus.encode.languages import ENGLISH
from hippocampus.encode.terms import language_of
from hippocampus.index.bank_index import BankIndex
from hippocampus.index.cue import Rows
from hippocampus.index.query import Query
from hippocampus.language.nouns import use_of
from hippocampus.recall.evidence import spelled

_GENITIVE: Final = re.compile("['’]s?$")
_NOUN: Final = 0.5
"""Share of noun uses from which on a word names something."""
_MOST_WORDS: Final = 6
"""More than so many words make no difference."""
_A_WORD: Final = 0.5
_WHOLE: Final = 1.0
_WHOLE_WORDS: Final = 1.5
_ADVICE: Final = 1.0
_USUAL: Final = 2.3
_USUAL_WORDS: Final = 1.9
"""Log odds; those of ``WORDS`` where no tokens tell what is near (docs/adr/0058)."""


class Premise(NamedTuple):
    """
    What a question supposes, and how far it holds.

    ``words``: how many words of content it has: the more, the less of each is matched by a memory
    that answers it. ``whole``: whether one of the best memories has all that it names, word for
    word. ``advice``: whether it asks for advice, which what is wished or barred bears on without
    its words. ``named``: what it names, in its own words; ``lacking``: what of that none of the best
    memories has.
    """

    words: int
    whole: bool
    advice: bool
    named: tuple[str, ...]
    lacking: tuple[str, ...]

    def describe_unmet(self) -> str:
        """Return a sentence that says what the best memories lack; "" if they have it all."""
        if self.whole:
            return ""
        words = [f'"{word}"' for word in self.lacking or self.named]
        *others, last = words
        said = f"{', '.join(others)} or {last}" if others else last
        if not self.lacking:
            said = f"{', '.join(others)} and {last} together"
        return f"Nothing answers it: none of the nearest memories speaks of {said}."

    def odds(self, *, by_tokens: bool) -> float:
        """Return what it adds to the log odds that the best memory answers the question."""
        whole, usual = (_WHOLE, _USUAL) if by_tokens else (_WHOLE_WORDS, _USUAL_WORDS)
        said = _A_WORD * min(self.words, _MOST_WORDS)
        return said + whole * self.whole + _ADVICE * self.advice - usual


def premise(index: BankIndex, query: Query, rows: Rows) -> Premise | None:
    """Return how far the best rows meet what a question supposes; None where nobody can tell."""
    asked = len(query.terms) and "lexical" in query.cues and not query.speakers
    if not asked or not len(rows) or language_of(query.text) not in (None, ENGLISH):
        return None
    words = {
        word.hash: query.text[word.start : word.end] for word in query.words if not word.function
    }
    there, places = spelled(index.cues.lexical.matches(query, rows) > 0, query)
    terms = query.terms[places].tolist()
    named = [at for at, term in enumerate(terms) if term in words and _names(words[term])]
    has = there[:, named] > 0
    said = [_GENITIVE.sub("", words[terms[at]]) for at in named]
    lacking = [word for word, some in zip(said, has.any(axis=0), strict=True) if not some]
    return Premise(
        words=len(words),
        whole=bool(has.all(axis=1).any()),
        advice=query.advice,
        named=tuple(said),
        lacking=tuple(lacking),
    )


def _names(word: str) -> bool:
    """Return whether a word names something; what no dictionary has is taken for a name."""
    return use_of(_GENITIVE.sub("", word).casefold()).noun >= _NOUN
