"""Words of a question that are spelled like names."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.word_lists import word_set
from hippocampus.encode.terms import find_terms
from hippocampus.language.time.asked_language import asked_language

_NAME: Final = lazy_pattern(r"(?:(?<=[\w,] )|(?<=\w['’]))[A-Z][^\W\d_]+(?:'s)?")
"""A word with a capital that does not begin the sentence."""
_FIRST: Final = lazy_pattern(r"\W*([A-Z][^\W\d_]+)")
"""The word with which it begins; only of a given name is it known that it is one."""
_NOUNS_IN_CAPITALS: Final = "de"
"""Language in which a capital tells no name."""


def name_terms(question: str) -> NDArray[np.uint32]:
    """Return the hashes of the words of a question that are spelled like names, ascending."""
    names, first = _NAME.findall(question), _FIRST.match(question)
    names += [first[1]] if first and _is_given(first[1]) else []
    if asked_language(question) == _NOUNS_IN_CAPITALS:
        names = [name for name in names if _is_given(name.removesuffix("'s"))]
    # Memories in another language than the question's have them under other hashes.
    hashes = {each for term in find_terms(" ".join(names)) for each in (term.hash, *term.forms)}
    found = np.sort(np.fromiter(hashes, np.uint32, len(hashes)))
    found.flags.writeable = False  # those who ask the same share it
    return found


def _is_given(name: str) -> bool:
    folded = name.casefold()
    return folded in word_set("given_names") and folded not in word_set("given_names_as_words")
