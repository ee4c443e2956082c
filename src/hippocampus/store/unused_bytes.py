"""
Bytes of a page that SQLite does not use, where it leaves copies of rows that it has moved.

``secure_delete`` zeroes what is removed, where it was last. But when a page overflows, rows move to
pages beside it, and what they were copied from stays in the unused middle of their old page. What
is there means nothing to SQLite, so it may be zeroed under it (``SqliteUpkeep.scrub``).

Ref: sqlite.org/fileformat2, 1.6: b-tree pages.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from typing import Final

_POINTERS: Final = {2: 12, 5: 12, 10: 8, 13: 8}
"""Place of the first pointer to a page's cells, by the kind of page; others are no b-trees."""
_HEAD: Final = Struct(">xHHH")
_BLOCK: Final = Struct(">HH")
_ZEROS: Final = bytes(1 << 16)  # as long as SQLite's largest page
MOST_PAGES: Final = 1 << 24
"""From so many pages on, the first byte of an overflow page may look like that of a b-tree."""


def left_over(page: bytes) -> Iterator[tuple[int, int]]:
    """
    Yield spans of a page, (start, end), that are unused and not zero; of damaged pages none.

    The page is any but the first of a file, which begins with the file's own header.
    """
    for begin, end in _unused(page) or ():
        if page[begin:end] != _ZEROS[: end - begin]:
            yield begin, end


def may_hold(page: bytes) -> bool:
    """
    Return whether a page has something left over, or does not fit together.

    One that is read while somebody else writes it may be half of each.
    """
    spans = _unused(page)
    return spans is None or any(page[a:b] != _ZEROS[: b - a] for a, b in spans)


def places_of_suspects(pages: bytes, size: int) -> Iterator[int]:
    """Yield the places, from 0, of those of some pages that ``may_hold`` something left over."""
    for at in range(0, len(pages) - size + 1, size):
        pointers = _POINTERS.get(pages[at])
        if pointers is None:
            continue
        block, cells, content = _HEAD.unpack_from(pages, at)
        begin = pointers + 2 * cells
        # Of nearly all pages one span is unused: it is compared where it is, without a copy.
        if block or not begin <= content <= size:
            if may_hold(pages[at : at + size]):
                yield at // size
        elif not pages.startswith(_ZEROS[: content - begin], at + begin):
            yield at // size


def _unused(page: bytes) -> list[tuple[int, int]] | None:
    """Return the unused spans of a page, none of what is no b-tree; None if it is damaged."""
    pointers = _POINTERS.get(page[0])
    if pointers is None:
        return []
    block, cells, content = _HEAD.unpack_from(page)
    # 0 stands for 65 536, which its two bytes cannot hold.
    spans = [(pointers + 2 * cells, content or 1 << 16)]
    while block:
        if block + _BLOCK.size > len(page):
            return None
        after, size = _BLOCK.unpack_from(page, block)
        spans.append((block + _BLOCK.size, block + size))
        # They ascend; in a damaged list one that leads back would never end.
        if after and after <= block:
            return None
        block = after
    return spans if all(begin <= end <= len(page) for begin, end in spans) else None
