"""
Token vectors pooled where they tell little: words of grammar and marks, several as their mean.

More than half of the tokens of talk are such, and each costs as many bytes as a name. Left out
they are missed, for they are coloured by what they stand in; as means of a few that follow one
another they are not (B. Clavie et al., Reducing the footprint of multi-vector retrieval with
minimal performance impact via token pooling, 2024, who pool by likeness).
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.encode.languages import ENGLISH, detect, is_grammar, is_plain_english
from hippocampus.kernel import merge_rows

POOLED: Final = 4
"""Words of grammar and marks that make one vector: with 4 LoCoMo's recall@10 is .856 for .857, at
.58 of the bytes (docs/adr/0076)."""
_WORD: Final = re.compile(r"\w+")


def pool(
    text: str, spans: NDArray[np.int32], tokens: NDArray[np.float32], *, size: int = POOLED
) -> NDArray[np.float32]:
    """
    Return a text's token vectors, those that tell little as means of ``size`` in order, at the end.

    Args:
        text: the text that was embedded.
        spans: the characters that each token covers, shape (n, 2), ascending.
        tokens: their vectors, shape (n, dimension).
        size: how many make one; 1 leaves all as they are.

    """
    little = _tells_little(text, spans)
    if size < 2 or int(np.count_nonzero(little)) < 2:
        return tokens
    some = np.ascontiguousarray(tokens[little])
    count = -(-len(some) // size)
    groups = merge_rows(some, count)
    means = np.zeros((count, tokens.shape[1]), np.float32)
    np.add.at(means, groups, some)
    means /= np.bincount(groups, minlength=count).astype(np.float32)[:, None]
    return np.concatenate([tokens[~little], means])


def _tells_little(text: str, spans: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return a mask of the tokens that are parts of words of grammar, or of no word."""
    found = list(_WORD.finditer(text))
    words = [match[0].casefold() for match in found]
    latin = (ENGLISH,) if is_plain_english(words) else detect(words, count=len(words)) or (ENGLISH,)
    known = {word: is_grammar(word, latin) for word in set(words)}
    light = np.array([known[word] for word in words] + [True])  # the last: of no word
    ends = np.array([match.end() for match in found], np.int64)
    begins = np.array([match.start() for match in found] + [len(text) + 1], np.int64)
    within = np.searchsorted(ends, spans[:, 0], side="right")  # the word, or the next one
    outside = begins[within] >= spans[:, 1]
    little: NDArray[np.bool_] = outside | light[within]
    return little
