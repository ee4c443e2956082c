"""
Words of a coding agent's session worth keeping: somebody's own, not those of tools.

It goes by structure, so that what a tool will wrap its notes in next year stays out as well.
"""

from __future__ import annotations

import re
from typing import Final

from hippocampus.core.quotes import without_quotes
from hippocampus.language.chatter import is_chatter
from hippocampus.sources.base import clean

_ELEMENT: Final = re.compile(r"^[ \t]*<([A-Za-z][\w.:-]*)(?:[ \t][^<>\n]*)?>", re.MULTILINE)
"""An element that begins a line, as those do that tools put around what they add."""
_ARGUMENTS: Final = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_REQUEST: Final = "## My request for Codex:\n"
"""What Codex's editor plug-ins put between what they add and what was written."""
_FENCE: Final = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})[^\n]*\n(.*?)(?:^[ \t]{0,3}\1[ \t]*$\n?|\Z)",
                           re.MULTILINE | re.DOTALL)  # fmt: skip
_BRACKETED: Final = re.compile(r"\[[^\[\]\n]{1,200}\]")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_BLANKS: Final = re.compile(r"\n[ \t]*(?:\n[ \t]*){2,}")
_SHORT_CODE: Final = 4
"""Lines of code that are kept: a command, a setting; more is a file that somebody pasted."""
_DUMP: Final = 8
"""Lines on end that may be a log or a file rather than something said."""
LONGEST_TURN: Final = 20_000
"""Characters of one turn of which somebody can be the author; the rest was pasted."""
LONGEST_READ: Final = 400_000
"""Characters of a message in which we look for what somebody wrote, and what tools added."""
_MOST_ELEMENTS: Final = 1000


def own_words(text: str) -> str:
    """
    Return what somebody wrote of a message in a user's name: "" if all of it is a tool's.

    Taken out are the elements that tools wrap their notes, reminders and outputs in, and memories
    that we have handed out ourselves.
    """
    whole = _request(without_quotes(text[:LONGEST_READ]))
    text = _without_elements(whole)
    lines = [line for line in text.splitlines() if line.strip()]
    if len(text) < len(whole) and all(line.startswith("#") for line in lines):
        return ""  # the headings of what was taken out
    text = clean(text).strip()
    return "" if _BRACKETED.fullmatch(text) else text


def kept_words(text: str) -> str:
    """
    Return what is to be remembered of somebody's words: "" if nothing is.

    Code, logs and files that were pasted are taken out. What is left may be chatter, which is
    nothing.
    """
    text = _BLANKS.sub("\n\n", _without_code(clean(text[:LONGEST_TURN]))).strip()
    return "" if not text or is_chatter(text) else text


def _request(text: str) -> str:
    """Return what was written of a message that a tool has put together."""
    if "<command-args>" in text:
        return "\n".join(_ARGUMENTS.findall(text))
    _, marked, rest = text.rpartition(_REQUEST)
    return rest if marked else text


def _without_elements(text: str) -> str:
    """Take out elements that begin on a line of their own, with all that is in them."""
    kept: list[str] = []
    at = 0
    for _ in range(_MOST_ELEMENTS):
        found = _ELEMENT.search(text, at)
        if found is None:
            break
        close = f"</{found[1]}>"
        end = text.find(close, found.end())
        if end < 0 or not _is_wrapper(found[1], text[found.end() : end]):
            kept.append(text[at : found.end()])
            at = found.end()
            continue
        kept.append(text[at : found.start()])
        at = end + len(close)
    return "".join([*kept, text[at:]])


def _is_wrapper(name: str, inside: str) -> bool:
    """Whether an element is a tool's: a name of several words, in capitals, or around lines."""
    return "-" in name or "_" in name or name.isupper() or "\n" in inside


def _without_code(text: str) -> str:
    """Take out fenced code of more than a few lines, and what reads like a log or a file."""

    def short(found: re.Match[str]) -> str:
        return found[0] if found[2].count("\n") <= _SHORT_CODE else "\n"

    if "```" in text or "~~~" in text:
        text = _FENCE.sub(short, text)
    if text.count("\n") < _DUMP:
        return text
    return "\n\n".join(part for part in text.split("\n\n") if not _is_dump(part))


def _is_dump(block: str) -> bool:
    lines = block.splitlines()
    if len(lines) < _DUMP:
        return False
    return sum(map(_is_prose, lines)) * 2 < len(lines)


def _is_prose(line: str) -> bool:
    """Whether a line is mostly words, as sentences and items of lists are."""
    bare = line.strip()
    letters = sum(map(len, _WORD.findall(bare)))
    return letters * 10 >= len(bare.replace(" ", "")) * 7 and bare[-1:] not in tuple(";{}()[],\\")
