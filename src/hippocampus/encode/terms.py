"""Words as the lexical cue sees them: case-folded, stemmed, hashed to 32 bits."""

from __future__ import annotations

import re
import threading
import unicodedata
from hashlib import blake2b
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import Stemmer
from numpy.typing import NDArray

from hippocampus.core.word_lists import word_set

# A word is a run of letters, digits and marks, with an inner apostrophe. Scripts written without
# spaces would be one endless word, so their characters count one by one (and in pairs, below).
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
)
_WORD = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}]+(?:['’][^\W_{UNSPACED}]+)?")
UNSPACED_ONE = re.compile(f"[{UNSPACED}]")

_local = threading.local()  # a stemmer object is not safe to share between threads
_HASHED: dict[str, int] = {}
_HASHED_LIMIT = 1 << 18


class Term(NamedTuple):
    """One word of a question: where it stands, and its hash. ``function``: grammar, not content."""

    start: int
    end: int
    hash: int
    function: bool


def stem(word: str) -> str:
    """Return the stem of a word in lower case: what all its inflections have in common."""
    stemmer = getattr(_local, "stemmer", None)
    if stemmer is None:
        stemmer = _local.stemmer = Stemmer.Stemmer("english", 0)
    stemmed: str = stemmer.stemWord(word)
    return stemmed


def _fold(text: str) -> str:
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def _hash(word: str) -> int:
    known = _HASHED.get(word)
    if known is None:
        bare = word.partition("'")[0] or word
        bare = bare.partition("’")[0] or bare
        known = int.from_bytes(blake2b(stem(bare).encode(), digest_size=4).digest(), "little")
        if len(_HASHED) >= _HASHED_LIMIT:
            _HASHED.clear()
        _HASHED[word] = known
    return known


def hash_words(text: str) -> list[int]:
    """Return the hashes of the words of ``text`` in order."""
    return _hash_all(_WORD.findall(_fold(text)))


def _hash_all(words: list[str]) -> list[int]:
    known = _HASHED
    return [known[word] if word in known else _hash(word) for word in words]


def hash_terms(text: str) -> NDArray[np.uint32]:
    """Return the term hashes of ``text`` in order of appearance, shape (words,)."""
    words = _WORD.findall(_fold(text))
    hashes = _hash_all(words)
    if not text.isascii():
        alone = list(map(UNSPACED_ONE.match, words))
        pairs = zip(words, words[1:], alone, alone[1:], strict=False)
        hashes += _hash_all([left + right for left, right, one, two in pairs if one and two])
    return np.array(hashes, dtype=np.uint32)


def find_terms(text: str) -> list[Term]:
    """Return the terms of a question with their places in it."""
    folded = text.lower()  # keeps lengths for all but a few characters, so places stay true
    if len(folded) != len(text):
        folded = text
    grammar = word_set("function_words")
    found = [
        Term(*m.span(), _hash(_fold(m[0])), m[0].lower() in grammar) for m in _WORD.finditer(folded)
    ]
    if not text.isascii():
        found += [
            Term(left.start, right.end, _hash(_fold(text[left.start : right.end])), function=False)
            for left, right in pairwise(found)
            if left.end == right.start
            and right.end - right.start == 1
            and UNSPACED_ONE.match(text[left.start])
            and UNSPACED_ONE.match(text[right.start])
        ]
    return found
