"""
A gazetteer: curated names, found as they are spelled (CONCEPT, section 4.2).

"Break even on paper" is no noun phrase: it is found by its words, one after the other. "C++" has
words that do not tell it from "C": what is no word in a name is found character by character, and
is nothing else where it is found.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from hippocampus.encode.terms import hash_words
from hippocampus.language.noun_phrases import find_phrases, key_of

_WORD: Final = r"[^\W_]+(?:['’\-][^\W_]+){0,4}"
"""A word as phrases read one, up to a length, so that no text takes long to look through."""
_BETWEEN: Final = r"[\s\-]+"
_words_in = re.compile(r"[^\W_]+").findall
_holds_word = re.compile(r"\w").search


def _is_word(part: str) -> bool:
    return re.fullmatch(_WORD, part) is not None and bool(hash_words(part))


class Mentions(NamedTuple):
    """
    Mentions of curated names in a text.

    ``names``: keys of those it says. ``rest``: the text, as long as it was, with blanks where it
    says what is no word in one of them; ``pieces``: keys of words that it says only there.
    """

    names: frozenset[int]
    rest: str
    pieces: frozenset[int]


class _Marked(NamedTuple):
    """A name of which some part is no word."""

    key: int
    inside: str
    """Its longest such part: a text without it does not say the name, and is not looked at."""
    pattern: re.Pattern[str]
    """Has a group for each part."""
    odd: tuple[int, ...]
    """The groups that are no words."""
    plain: tuple[int, ...]
    words: Sequence[int]
    """Hashes of the words that the other groups must be, whatever their endings."""
    pieces: Mapping[int, int]
    """The words that are part of the odd ones, and their keys."""


class Gazetteer:
    """
    Curated names, to be found in texts.

    Names that are one noun are left out: phrases find these, and know a noun from a verb.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._marked: list[_Marked] = []
        self._by_first: defaultdict[int, list[tuple[list[int], int]]] = defaultdict(list)
        """Names of nothing but words by the first: their words, and their keys."""
        for name in names:
            key = key_of(name)
            parts = name.casefold().split()
            if not parts or [phrase.key for phrase in find_phrases(name)] == [key]:
                continue  # what has no part is in a journal that somebody made up
            words = hash_words(name) if all(map(_is_word, parts)) else []
            if words:
                self._by_first[words[0]].append((words, key))
            else:
                self._marked.append(_marked(parts, key))

    def __bool__(self) -> bool:
        return bool(self._marked or self._by_first)

    def read(self, text: str) -> Mentions:
        """Return the names in a text, and the other marks to be read in it."""
        names, rest, pieces = self._read_marked(text)
        # Without curated names a text need not be hashed.
        words = hash_words(rest) if self._by_first or pieces else []
        if not self._by_first.keys().isdisjoint(words):
            for at, word in enumerate(words):
                for wanted, key in self._by_first.get(word, ()):
                    if words[at : at + len(wanted)] == wanted:
                        names.add(key)
        alone = pieces.keys() - set(words)
        return Mentions(frozenset(names), rest, frozenset(pieces[word] for word in alone))

    def _read_marked(self, text: str) -> tuple[set[int], str, dict[int, int]]:
        names: set[int] = set()
        blank: set[tuple[int, int]] = set()
        pieces: dict[int, int] = {}
        folded = text.casefold() if self._marked else ""
        for one in self._marked:
            for found in one.pattern.finditer(folded) if one.inside in folded else ():
                if hash_words(" ".join(found[group] for group in one.plain)) == one.words:
                    names.add(one.key)
                    blank |= {found.span(group) for group in one.odd}
                    pieces |= one.pieces
        if blank and len(folded) > len(text):  # by a letter such as "ß"
            at = [place for place, letter in enumerate(text) for _ in letter.casefold()]
            blank = {(at[start], at[end - 1] + 1) for start, end in blank}
        left = list(text) if blank else []
        for start, end in blank:
            left[start:end] = " " * (end - start)
        return names, "".join(left) or text, pieces


def _marked(parts: Sequence[str], key: int) -> _Marked:
    """
    Return the pattern by which a name is found that holds more than words.

    No letter stands before it, or "example.net" would say ".NET"; and behind it only where it ends
    in none, as in "C++20".
    """
    odd = tuple(group for group, part in enumerate(parts, 1) if not _is_word(part))
    plain = tuple(group for group, part in enumerate(parts, 1) if _is_word(part))
    ways = (f"({re.escape(part) if n in odd else _WORD})" for n, part in enumerate(parts, 1))
    before = r"(?<!\w)" if any(map(_holds_word, parts)) else ""
    after = r"(?!\w)" if _holds_word(parts[-1][-1]) else ""
    return _Marked(
        key=key,
        inside=max((parts[group - 1] for group in odd), key=len),
        pattern=re.compile(before + _BETWEEN.join(ways) + after),
        odd=odd,
        plain=plain,
        words=hash_words(" ".join(parts[group - 1] for group in plain)),
        pieces={
            word: key_of(spelled)
            for group in odd
            for spelled in _words_in(parts[group - 1])
            for word in hash_words(spelled)
        },
    )
