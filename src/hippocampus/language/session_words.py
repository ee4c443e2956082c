"""
Words that somebody said in a coding agent's session, without what tools put there.

It goes by structure, so that what a tool will wrap its notes in next year stays out as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.quotes import without_quotes
from hippocampus.core.validation import clean
from hippocampus.language.chatter import is_chatter

_ELEMENT: Final = lazy_pattern(r"^[ \t]*<([A-Za-z][\w.:-]*)(?:[ \t][^<>\n]*)?>", re.MULTILINE)
"""An element that begins a line, as those do that tools put around what they add."""
_ARGUMENTS: Final = ("<command-args>", "</command-args>")
_REQUEST: Final = "## My request for Codex:\n"
"""Mark of Codex's editor plug-ins between their additions and the user's words."""
_FENCE: Final = lazy_pattern(
    r"^[ \t]{0,3}(`{3,}+|~{3,}+)[^\n]*\n(.*?)(?:^[ \t]{0,3}\1[ \t]*$\n?|\Z)",
    re.MULTILINE | re.DOTALL,
)
_BRACKETED: Final = lazy_pattern(r"\[[^\[\]\n]{1,200}\]")
_WORD: Final = lazy_pattern(r"[^\W\d_]{2,}")
_BLANKS: Final = lazy_pattern(r"\n[ \t]*(?:\n[ \t]*){2,}")
_SHORT_CODE: Final = 4
"""Lines of code that are kept: a command, a setting; more is a file that somebody pasted. Set by
hand, as the next."""
_DUMP: Final = 8
"""Lines on end that may be a log or a file rather than something said."""
LONGEST_TURN: Final = 20_000
"""Characters of one turn of which somebody can be the author; the rest was pasted."""
LONGEST_READ: Final = 400_000
"""Characters of a message in which we look for what somebody wrote, and what tools added: twenty of
the longest turns, for tools paste whole files."""
_MOST_ELEMENTS: Final = 1000
"""Elements that are looked at: each that is never closed costs a search to the end, and a message
may hold a page of them."""
_MOST_MESSAGES: Final = 40
"""Paragraphs from the end of an answer at which its last message may begin."""


def own_words(text: str) -> str:
    """
    Return the user's own words in a message: "" if all of it is a tool's.

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
    Return the part of somebody's words that is to be remembered: "" if nothing is.

    Code, logs and files that were pasted are taken out. What is left may be chatter, which is
    nothing.
    """
    text = _BLANKS.sub("\n\n", _without_code(clean(text[:LONGEST_TURN]))).strip()
    return "" if not text or is_chatter(text) else text


def message_mark(text: str, role: str) -> str:
    """
    Return the mark of a message in a session, the same to a hook and in its log.

    Args:
        text: the message.
        role: of whoever said it, "user" or "assistant".

    """
    return _mark(marked_words(text, role))


def marked_words(text: str, role: str) -> str:
    """Return the words of a message that its mark is of; see ``message_mark``."""
    return kept_words(own_words(text) if role == "user" else text)


def marks_of_kept(kept: str, role: str) -> set[str]:
    """
    Return by what the messages are known of which ``kept`` are the words to be remembered.

    An agent's answer may be several messages, of which a hook is told the last.
    """
    marks = {_mark(kept)}
    if role == "assistant":
        parts = kept.split("\n\n")[-_MOST_MESSAGES:]
        marks |= {_mark("\n\n".join(parts[first:])) for first in range(1, len(parts))}
    return marks


def _mark(kept: str) -> str:
    from hashlib import blake2b  # noqa: PLC0415 - only for what is kept

    # A hook and a log may break and indent lines in other ways.
    words = " ".join(kept.split())
    # A log may hold half a surrogate pair, which has no bytes.
    return blake2b(words.encode(errors="replace"), digest_size=8).hexdigest() if words else ""


def _request(text: str) -> str:
    """Return the user's part of a message that a tool has put together."""
    if _ARGUMENTS[0] in text:
        return "\n".join(_between(text, *_ARGUMENTS))
    _, marked, rest = text.rpartition(_REQUEST)
    return rest if marked else text


def _between(text: str, begin: str, end: str) -> Iterator[str]:
    """Yield the texts between two marks; a mark that is never closed ends the search."""
    at = text.find(begin)
    while at >= 0 and (stop := text.find(end, at + len(begin))) >= 0:
        yield text[at + len(begin) : stop]
        at = text.find(begin, stop + len(end))


def _without_elements(text: str) -> str:
    """Take out elements that begin on a line of their own, with all that is in them."""
    kept: list[str] = []
    at = 0
    # Each tag that is never closed costs a search to the end of the text.
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
    """Return whether an element is a tool's: of several words, in capitals, or around lines."""
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
    """Return whether a line is mostly words, as sentences and items of lists are."""
    bare = line.strip()
    letters = sum(map(len, _WORD.findall(bare)))
    # Seven in ten are letters, and it ends as no line of code does. Set by hand.
    return letters * 10 >= len(bare.replace(" ", "")) * 7 and bare[-1:] not in tuple(";{}()[],\\")
