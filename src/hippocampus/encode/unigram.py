"""
Pieces of words as SentencePiece's unigram models have them: of all ways to cut, the likeliest.

Ref: Kudo, "Subword regularization", 2018, section 3.2; places, ties and what is unknown as in the
``tokenizers`` library, whose pieces these are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.encode.contextual import WordPieces

SPACE: Final = "\u2581"
"""Mark of a space within pieces."""
_WORD: Final = lazy_pattern(f"(?: +|{SPACE}|^)([^ {SPACE}]*)")
_UNLIKELY: Final = 10.0
"""Distance of an unknown character below the least likely piece, as a logarithm:
SentencePiece's."""
_KEPT: Final = 1 << 14
"""Words whose pieces are remembered at once: some 5 MB, by the length of what is."""
_LONGEST_KEPT: Final = 24
"""Characters of a word whose pieces are remembered: longer ones seldom come again, and would take
the room. Set by hand."""


class UnigramCutter:
    """Cuts texts into pieces, each word by itself."""

    def __init__(self, pieces: Mapping[str, tuple[int, float]], unknown: int) -> None:
        """
        Take a vocabulary.

        Args:
            pieces: The id of each piece and the logarithm of how likely it is.
            unknown: The id of what is in no piece.
        """
        self._pieces = pieces
        self._unknown = unknown
        self._unlikely = min(likely for _, likely in pieces.values()) - _UNLIKELY
        self._longest = max(map(len, pieces))
        self._known: dict[str, list[tuple[int, int]]] = {}

    def cut(self, text: str) -> WordPieces:
        """
        Cut a text.

        A piece's place is without the space before it, unless it is nothing else; the space that
        is thought before the text is at the first character.
        """
        found = WordPieces([], [])
        for word in _WORD.finditer(text):
            at = word.start(1)
            begun = -1  # in the word: before its first character is the space
            for piece, length in self._of_word(word[1]):
                end = begun + length
                space = word.start(), max(at, word.start() + 1)
                place = (at + max(begun, 0), at + end) if end else space
                found.ids.append(piece)
                found.offsets.append(place)
                begun = end
        return found

    def _of_word(self, word: str) -> list[tuple[int, int]]:
        """Return the id of each piece, and how many characters it has, the space among them."""
        known = self._known.get(word)
        if known is None:
            known = list(self._likeliest(SPACE + word))[::-1]
            if len(word) <= _LONGEST_KEPT:
                if len(self._known) >= _KEPT:
                    self._known.clear()
                self._known[word] = known
        return known

    def _likeliest(self, word: str) -> Iterator[tuple[int, int]]:
        """Yield the pieces of the likeliest way to cut, from the last one."""
        # To each place: how likely the best way is, its last piece, and where that begins.
        ways: list[tuple[float, int, int] | None] = [(0.0, self._unknown, 0), *[None] * len(word)]
        for at in range(len(word)):
            way = ways[at]
            assert way is not None, "any character can be a piece"
            alone = False
            for end in range(at + 1, min(at + self._longest, len(word)) + 1):
                piece = self._pieces.get(word[at:end])
                if piece is None:
                    continue
                alone = alone or end == at + 1
                self._better(ways, end, (way[0] + piece[1], piece[0], at))
            if not alone:  # only what is no piece by itself can be unknown
                self._better(ways, at + 1, (way[0] + self._unlikely, self._unknown, at))
        end, unknown = len(word), 0
        while end:
            way = ways[end]
            assert way is not None
            _, piece_id, at = way
            if piece_id == self._unknown:
                unknown += end - at  # neighbours that are unknown are one piece
            else:
                if unknown:
                    yield self._unknown, unknown
                    unknown = 0
                yield piece_id, end - at
            end = at
        if unknown:
            yield self._unknown, unknown

    @staticmethod
    def _better(
        ways: list[tuple[float, int, int] | None], end: int, way: tuple[float, int, int]
    ) -> None:
        known = ways[end]
        if known is None or way[0] > known[0]:
            ways[end] = way
