"""Mark the words that a mail repeats of earlier ones, as plain text does: they are others'."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

_FIELD: Final = re.compile(r"[ \t]*\*?[^\W\d_][^:*\n]{0,24}\*?[ \t]?:\*?[ \t]+(\S.*)")
"""A line of a head: a name in any language, maybe in bold, and what it has."""
_YEAR: Final = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_PREFIXES: Final = re.compile(
    r"(?:\[[^\[\]]{1,40}\]\s*+|[^\W\d_]{1,4}(?:\[\d{1,3}\])?\s?[:：]\s*+)*+"
)
"""Words before a subject that programs put there: "Re:", "AW:", "[EXT]"."""
_FEWEST: Final = 3
"""Lines of a head by which it is known: who, when and about what. One without any address has a
line more: to whom."""


class _MailHead(NamedTuple):
    """Lines that are together: where they begin, and what they have."""

    start: int
    values: list[str]


def quoted(text: str) -> str:
    """Return a text with a mark before each line."""
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def with_repeated_quoted(text: str, subject: str) -> str:
    """
    Return the text of a mail, what it repeats of an earlier one marked, from that one's head on.

    A head is known by its structure: lines of a name and a value, of which one has the year, and a
    later one than the first has the subject of this mail, whatever its names are called.
    """
    about = _bare(subject)
    lines = text.split("\n")
    # As one block before parts of one: what stands above a head may look like a line of it.
    for head in chain(_heads(lines, parted=False), _heads(lines, parted=True)):
        if about and _is_of(head.values, about):
            return "\n".join([*lines[: head.start], quoted("\n".join(lines[head.start :]))])
    return text


def _is_of(values: Sequence[str], about: str) -> bool:
    """Return whether values are of the head of an earlier mail about the same."""
    told = any("@" in value for value in values) or len(values) > _FEWEST
    dated = any(_YEAR.search(value) for value in values)
    return told and dated and about in map(_bare, values[1:])


def _heads(lines: Sequence[str], *, parted: bool) -> Iterator[_MailHead]:
    """Yield runs of lines that could be a head; ``parted``: whether blank lines may be in them."""
    now = _MailHead(0, [])
    for number, line in enumerate(lines):
        field = _FIELD.match(line)
        if field is not None:
            now = now if now.values else _MailHead(number, [])
            now.values.append(field[1])
        elif line.strip() or not parted:
            if len(now.values) >= _FEWEST:
                yield now
            now = _MailHead(0, [])
    if len(now.values) >= _FEWEST:
        yield now


def _bare(subject: str) -> str:
    whole = " ".join(subject.split()).casefold()
    found = _PREFIXES.match(whole)
    return whole[found.end() :] if found else whole
