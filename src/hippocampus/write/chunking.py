"""Cut a long text into balanced pieces where a reader would: headings, paragraphs, sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from math import ceil, inf
from typing import NamedTuple
from zlib import crc32

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.errors import InputError

Count = Callable[[str], int]
"""The number of tokens of a text: 0 for none, and small for a single character."""

# The price of cutting in front of an atom, on the scale of the squared relative deviation of a
# piece from its ideal size: a word boundary is as bad as a piece half again too long or too short.
_HEADING, _PARAGRAPH, _LINE, _SENTENCE, _WORD, _CHARACTER = 0.0, 0.02, 0.05, 0.1, 0.25, 0.5
# A text of so many pieces is cut so that an edit moves few borders: instead of dividing it evenly,
# pieces are free in size within an ease around the usual share of the target, and a whim that
# depends on the words alone chooses between borders of equal merit, the same before and after.
_MANY, _USUAL, _EASE, _WHIM = 5, 0.75, 0.2, 0.4
_GLUED = 1e9  # between a heading and what it heads: only when they do not fit together

# BPE counters are superlinear on pathological text, so none is ever given more characters than
# this per token asked for. English has about 4.5; only runs of blanks reach 16.
_CHARS_PER_TOKEN = 16
_WINDOW_CHARS = 32_768  # nupunkt takes 40 bytes of memory per character it is given at once
_SLICE_CHARS = 64
"""Characters by which a border is told from others, in which a blank is looked for, and of a slice
of what has no blank. Borders of old documents move if it changes. Chosen by hand."""

_LONG = 1 << 20
"""Characters from which on borders are sought in one pass: a reader of a megabyte does not see how
well each piece was balanced, and a server that is given ten must answer others meanwhile."""
_SHORTEST, _LONGEST = 0.5, 1.0
"""Shares of the target within which such a border is sought."""
_BORDER = lazy_pattern(r"\n(?:[^\S\n]*\n)++|\n|[.!?]['\"”’)\]]*+\s++|[。！？]")
_BLANKS = lazy_pattern(r"\s++")
_FENCE = lazy_pattern(r" {0,3}(`{3,}|~{3,})")
_ATX = lazy_pattern(r" {0,3}#{1,6}(?:\s|$)")
_RULE = lazy_pattern(r"(?:={3,}|-{3,}|~{3,}|\^{3,}|\*{3,})\s*$")
_ITEM = lazy_pattern(r"\s*+(?:[-*+•>]\s|\d{1,4}[.)]\s|\|)")
_WINDOW = lazy_pattern(rf"(?s).{{1,{_WINDOW_CHARS}}}(?:(?<=\s)|$)|.{{1,{_WINDOW_CHARS}}}")
_ONLY_MARKS = lazy_pattern(r"[.!?](?:\s*[.!?]){63}")
_WIDE_STOP = lazy_pattern(r"(?<=[。！？])(?![。！？])")
_RUN = lazy_pattern(r"\s*+(?:\S++\s*+){1,4}+|\s++")
_ONE = lazy_pattern(r"\s*+\S++\s*+|\s++")


class _Block(NamedTuple):
    """Consecutive lines that belong together, blank lines after them included."""

    text: str
    cut: float
    prose: bool


class _Atom(NamedTuple):
    """A stretch of text that is not cut again, its tokens, and the price of a cut before it."""

    text: str
    tokens: int
    cut: float


def split_text(text: str, limit: int, count: Count, *, target: int = 256) -> list[str]:
    """
    Cut ``text`` into balanced pieces of at most ``limit`` tokens; a text that fits is one piece.

    Joined, the pieces give the text back exactly: blanks stay at the end of the piece before
    them. An edit of a text of five pieces or more leaves most of its other pieces as they were. A
    heading stays with what follows it and a fenced code block in one piece wherever
    they fit; but not in a text of a million characters and more, which is cut in one pass
    that looks at paragraphs, lines and sentences alone. Linear in the text, also when it is
    one word of ten megabytes.

    Args:
        text: any string; blank stretches longer than a piece become blank pieces.
        limit: most tokens of a piece, at least 1. Only a single character can exceed it.
        count: the exact number of tokens of a text. Called with short stretches only.
        target: the size in tokens that pieces of a longer text aim at; at most ``limit`` counts.
    """
    if limit < 1 or target < 1:
        raise InputError(f"limit={limit}, target={target}: a piece holds at least 1 token")
    cutter = _Cutter(limit, min(target, limit), count)
    if cutter.fitting(text, limit) is not None:
        return [text]
    if len(text) >= _LONG:
        return list(cutter.in_one_pass(text))
    atoms = cutter.atoms(text)
    tokens = sum(atom.tokens for atom in atoms)
    number = max(1, ceil(tokens / cutter.target))
    if number < _MANY:
        ends = _best_cuts(atoms, max(1.0, tokens / number), limit)
    else:
        ends = _best_cuts(atoms, max(1.0, _USUAL * cutter.target), limit, ease=_EASE, whim=_WHIM)
    pieces = ("".join(atom.text for atom in atoms[i:j]) for i, j in pairwise([0, *ends]))
    return [part for piece in pieces for part in cutter.halved(piece)]


class _Cutter:
    """The sizes of one call, and the descent from blocks to characters."""

    def __init__(self, limit: int, target: int, count: Count) -> None:
        self.limit = limit
        self.target = target
        self.count = count
        # Atoms smaller than this are joined: it bounds how many a piece can be made of.
        self.grain = max(1, target // 16)
        # How a stretch is cut further, the price of its inner cuts, and the largest part kept.
        self.levels: tuple[tuple[Callable[[str], Iterable[str]], float, int], ...] = (
            (_sentences, _SENTENCE, target),
            (_RUN.findall, _WORD, self.grain),
            (_ONE.findall, _WORD, target),
            (_slices, _CHARACTER, self.grain),
        )

    def fitting(self, text: str, most: int) -> int | None:
        """Return the tokens of ``text`` if they are at most ``most``, else None."""
        if len(text) > _CHARS_PER_TOKEN * most:
            return None
        tokens = self.count(text)
        return tokens if tokens <= most else None

    def atoms(self, text: str) -> list[_Atom]:
        """Return the atoms that pieces are made of, small neighbours joined."""
        joined: list[_Atom] = []
        for atom in self._atoms(text):
            last = joined[-1] if joined else None
            if (
                last is not None
                and atom.cut != _HEADING
                and last.tokens + atom.tokens <= self.grain
                and len(last.text) + len(atom.text) <= _CHARS_PER_TOKEN * self.grain
            ):
                joined[-1] = _Atom(last.text + atom.text, last.tokens + atom.tokens, last.cut)
            else:
                joined.append(atom)
        return joined

    def _atoms(self, text: str) -> Iterator[_Atom]:
        for block in _blocks(text):
            if block.prose:
                yield from self._descend(block.text, block.cut, 0)
            elif (tokens := self.fitting(block.text, self.limit)) is not None:
                yield _Atom(block.text, tokens, block.cut)
            else:
                cut = block.cut
                for line in block.text.splitlines(keepends=True):
                    yield from self._descend(line, cut, 1)
                    cut = _LINE

    def _descend(self, text: str, cut: float, level: int) -> Iterator[_Atom]:
        divide, inner, most = self.levels[level]
        for part in divide(text):
            tokens = self.fitting(part, most)
            if tokens is not None:
                yield _Atom(part, tokens, cut)
            elif len(part) == 1:
                yield _Atom(part, self.count(part), cut)
            else:
                yield from self._descend(part, cut, min(level + 1, len(self.levels) - 1))
            cut = inner

    def in_one_pass(self, text: str) -> Iterator[str]:
        """
        Yield pieces cut at the best border near the target, chosen by what stands around it alone.

        So borders are the same again soon after an edit, as in content-defined chunking.
        """
        start, per_token = 0, 4.0  # about that of English; from then on the text's own
        while start < len(text):
            longest = max(1, int(_LONGEST * self.target * per_token))
            piece = text[start : start + longest]
            if start + longest < len(text):
                shortest = int(_SHORTEST * self.target * per_token)
                piece = piece[: _best_border(piece, shortest)]
            tokens = self.count(piece)
            if tokens > self.limit and len(piece) > 1:
                # Halved at least, or a text whose end alone is dense would be tried without end.
                per_token = max(1 / self.target, min(per_token / 2, len(piece) / tokens))
                continue
            start += len(piece)
            per_token = min(len(piece) / max(1, tokens), _CHARS_PER_TOKEN)
            yield piece

    def halved(self, piece: str) -> Iterator[str]:
        """Yield the piece, in halves if it has more tokens than its atoms had one by one."""
        if len(piece) <= 1 or self.fitting(piece, self.limit) is not None:
            yield piece
            return
        middle = len(piece) // 2
        middle = piece.rfind(" ", 0, middle) + 1 or middle
        yield from self.halved(piece[:middle])
        yield from self.halved(piece[middle:])


def _best_cuts(
    atoms: Sequence[_Atom], ideal: float, limit: int, *, ease: float = 0.0, whim: float = 0.0
) -> list[int]:
    """Return the ends of the pieces that cost least together, as Knuth and Plass set lines."""
    prices = [atom.cut + whim * _chance(atom) for atom in atoms]
    tokens = list(accumulate((atom.tokens for atom in atoms), initial=0))
    chars = list(accumulate((len(atom.text) for atom in atoms), initial=0))
    least, start_of = [0.0], [0]
    for end in range(1, len(atoms) + 1):
        best, best_start = inf, end - 1
        for start in range(end - 1, -1, -1):
            size = tokens[end] - tokens[start]
            too_long = chars[end] - chars[start] > _CHARS_PER_TOKEN * limit
            if start < end - 1 and (size > limit or too_long):
                break
            off = max(0.0, abs(size / ideal - 1) - ease)
            cost = least[start] + off * off + (prices[start] if start else 0.0)
            if cost < best:
                best, best_start = cost, start
        least.append(best)
        start_of.append(best_start)
    ends = []
    end = len(atoms)
    while end:
        ends.append(end)
        end = start_of[end]
    return ends[::-1]


def _best_border(piece: str, shortest: int) -> int:
    """Return the best place to cut: behind a paragraph, else a line, a sentence, a word."""
    best, least = len(piece), inf
    for found in _BORDER.finditer(piece, shortest):
        end = found.end()
        price = _SENTENCE
        if found[0][0] == "\n":
            price = _PARAGRAPH if found[0].count("\n") > 1 else _LINE
        if price > least:
            continue
        before = piece[end - _SLICE_CHARS : end].encode(errors="replace")
        price += _PARAGRAPH * crc32(before) / 2**32
        if price <= least and end < len(piece):
            best, least = end, price
    if best == len(piece):
        words = list(_BLANKS.finditer(piece, max(shortest, len(piece) - _SLICE_CHARS)))
        best = words[-1].end() if words else best
    return best


def _chance(atom: _Atom) -> float:
    """Return a number in [0, 1] from how an atom begins: 0 for a heading, 1 within a sentence."""
    if _HEADING < atom.cut <= _SENTENCE:
        return crc32(atom.text[:_SLICE_CHARS].encode(errors="replace")) / 2**32
    return float(atom.cut > _SENTENCE)


def _blocks(text: str) -> Iterator[_Block]:
    """Yield headings, fenced code, list items, table rows and paragraphs, in order."""
    lines: list[str] = []
    cut, heading, code = _HEADING, False, False
    fence = ""  # what closes the code block we are in
    blank = False  # whether the block has blank lines after it
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        if fence:
            lines.append(line)
            if len(bare) >= len(fence) and bare == fence[0] * len(bare):
                fence = ""
        elif not bare:
            lines.append(line)
            blank = True
        elif lines and not (blank or heading or code) and _underlines(line, lines):
            lines.append(line)
            # A title owes its price to its underline, which is seen only now.
            cut, heading = cut if cut == _GLUED else _HEADING, True
        else:
            opening, title, item = _FENCE.match(line), _ATX.match(line), _ITEM.match(line)
            if not (blank or heading or code or opening or title or item):
                lines.append(line)
                continue
            if lines:
                yield _Block("".join(lines), cut, not (heading or code))
                if heading:
                    cut = _GLUED
                elif title:
                    cut = _HEADING
                else:
                    cut = _PARAGRAPH if blank or opening or code else _LINE
            lines, blank = [line], False
            heading, code = title is not None, opening is not None
            fence = opening[1] if opening else ""
    if lines:
        yield _Block("".join(lines), cut, not (heading or code))


def _underlines(line: str, above: Sequence[str]) -> bool:
    """Return whether ``line`` makes a title of the lines above it, as in reStructuredText."""
    if not _RULE.match(line):
        return False
    if len(above) == 1:
        return not _RULE.match(above[0])
    return len(above) == 2 and _RULE.match(above[0]) is not None


def _sentences(text: str) -> Iterator[str]:
    # Imported here: most texts fit, and then neither its 80 ms nor its 7 MB are paid.
    from nupunkt import sent_spans  # noqa: PLC0415

    for window in _WINDOW.findall(text):
        if _ONLY_MARKS.search(window):  # nupunkt takes time with the square of their number
            starts = [found.end() for found in _BORDER.finditer(window)]
            starts = [start for start in starts if start < len(window)]
        else:
            starts = [start for start, _ in sent_spans(window)][1:]
        for start, end in pairwise([0, *starts, len(window)]):
            yield from _WIDE_STOP.split(window[start:end])


def _slices(text: str) -> Iterator[str]:
    step = min(_SLICE_CHARS, (len(text) + 1) // 2)
    for start in range(0, len(text), step):
        yield text[start : start + step]
