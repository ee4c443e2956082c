"""
Word pieces as an uncased BERT has them, by the vocabulary in its ``tokenizer.json``.

Words end at spaces; marks and Chinese characters are words by themselves; accents are dropped. What
is what, a character's category says, as this Python's edition of Unicode has it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import chain
from typing import Final

import msgspec

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.encode.contextual import WordPieces

_PLAIN: Final = lazy_pattern(r"[\t\n\r -~]*")
_PLAIN_WORD: Final = lazy_pattern(r"[a-z0-9]+|[^\sa-z0-9]")
_WORD: Final = lazy_pattern("[^ ]+")
_UNKNOWN: Final = "[UNK]"
_REPLACEMENT: Final = "\ufffd"
_CHINESE: Final = (
    range(0x3400, 0x4DC0), range(0x4E00, 0xA000), range(0xF900, 0xFB00), range(0x20000, 0x2A6E0),
    range(0x2A700, 0x2B820), range(0x2B920, 0x2CEB0), range(0x2F800, 0x2FA20),
)  # fmt: skip
"""Characters that are words of their own: BERT's list of ideographs as ``tokenizers`` has it, which
leaves out U+2B820 to U+2B91F. Pieces have to be the same (docs/adr/0091)."""


class _Written(dict[str, str]):
    """
    Each character as BERT reads it: lower, without its accent; with spaces around, if it is a word.

    Of what it passes over nothing is left.
    """

    def __missing__(self, char: str) -> str:
        self[char] = written = "".join(map(_apart, _read(char)))
        return written


def _read(char: str) -> str:
    # As BERT's own cutter, which takes these three controls for spaces and drops the others.
    if char not in "\t\n\r" and (
        char == _REPLACEMENT or unicodedata.category(char) in ("Cc", "Cf", "Co")
    ):
        return ""
    if char.isspace():
        return " "
    parts = unicodedata.normalize("NFD", char)
    bare = "".join(part.lower() for part in parts if unicodedata.category(part) != "Mn")
    return f" {bare} " if any(ord(char) in some for some in _CHINESE) else bare


def _apart(char: str) -> str:
    mark = unicodedata.category(char).startswith("P") or (char.isascii() and not char.isalnum())
    return f" {char} " if mark else char


_written: Final = _Written()


class _PieceModel(msgspec.Struct):
    vocab: dict[str, int]
    continuing_subword_prefix: str
    max_input_chars_per_word: int


class _VocabularyFile(msgspec.Struct):
    model: _PieceModel


class WordCutter:
    """Cuts texts into word pieces, by a ``tokenizer.json`` of an uncased BERT."""

    def __init__(self, file: bytes) -> None:
        """Read the vocabulary."""
        model = msgspec.json.decode(file, type=_VocabularyFile).model
        self._vocabulary = model.vocab
        self._within, self._longest = (
            model.continuing_subword_prefix,
            model.max_input_chars_per_word,
        )

    def id_of(self, piece: str) -> int:
        """Return the id of a piece."""
        return self._vocabulary[piece]

    def cut(self, text: str) -> WordPieces:
        """Cut a text into word pieces."""
        pieces = WordPieces([], [])
        # Most texts are of plain characters, which nobody has to look at one by one.
        if _PLAIN.fullmatch(text) is not None:
            for word in _PLAIN_WORD.finditer(text.lower()):
                self._cut_word(word[0], range(*word.span()), pieces)
            return pieces
        read = [_written[char] for char in text]
        places = list(chain.from_iterable([at] * len(part) for at, part in enumerate(read)))
        for word in _WORD.finditer("".join(read)):
            self._cut_word(word[0], places[word.start() : word.end()], pieces)
        return pieces

    def _cut_word(self, word: str, places: Sequence[int], pieces: WordPieces) -> None:
        """Add the pieces of a word, each the longest there is; if a part is in none, an unknown."""
        found, begun = [], 0
        while begun < len(word) <= self._longest:  # a longer word is unknown as a whole
            before = self._within if begun else ""
            end = len(word)
            while end > begun and before + word[begun:end] not in self._vocabulary:
                end -= 1
            if end == begun:
                break
            found.append((before + word[begun:end], places[begun], places[end - 1] + 1))
            begun = end
        if begun < len(word):
            found = [(_UNKNOWN, places[0], places[-1] + 1)]
        pieces.ids.extend(self._vocabulary[piece] for piece, _, _ in found)
        pieces.offsets.extend((first, last) for _, first, last in found)
