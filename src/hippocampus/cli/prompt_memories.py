"""Memories that a prompt to a coding agent calls for: the best, and what comes near them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final

from hippocampus.encode.terms import find_terms
from hippocampus.language.nouns import use_of

if TYPE_CHECKING:
    from hippocampus.core.records import Context, Hit

# What a prompt gets, and what not, is told in docs/surfaces/coding-agents.md. The numbers were
# chosen by hand; no report measures them.
_MOST: Final = 4
"""Memories; those that are as good as the last of them come along."""
_NEAR: Final = 0.35
"""Share of the best one's score from which on others come along."""
_SURE: Final = 0.5
"""Score of a memory that is shown although recall is not sure that anything answers."""
_ON_IT: Final = 0.2
"""... where it speaks of what the prompt does."""
_AHEAD: Final = 3
"""... and is so many times as good as the next."""
_WORD: Final = re.compile(r"(?<![\w./@-])[^\W\d_][\w+-]{2,}(?![\w/@]|\.\w)")
"""A word that is no part of an address, a path or a file's name."""
_MOST_NAMES: Final = 8
"""Names in a prompt that are looked for; a pasted log has hundreds."""
_OF_ALL: Final = re.compile(r"(?:any|every|some|no)(?:thing|one|body|where)")
"""Words that the dictionary lacks, and that name nothing."""
_PATH: Final = re.compile(r"(?<![\w:/.-])(?:~?/|\.{1,2}/)?(?:[\w.@-]+/)+[\w.@*-]*")


def floor_of(prompt: str, made: Context, known: Collection[str] = frozenset()) -> float | None:
    """
    Return the least score of the memories to be shown; None where none is.

    ``known``: ids of memories that the window has, which are not shown again.
    """
    hits = sorted(made.items, key=lambda hit: -hit.score)
    if not hits:
        return None
    best = hits[0].score
    # What the window has already is not shown again, and may be the best all the same.
    of_all = max([best, *(hit.score for hit in made.recall.hits if hit.id in known)])
    if made.recall.found:
        floor = max(of_all * _NEAR, hits[:_MOST][-1].score)
        return floor if best >= floor else None
    if best >= _SURE:
        return best
    paths = set(paths_of(prompt))
    for hit in hits[:_MOST] if paths else ():
        if _share_path(paths, set(paths_of(hit.episode.text))):
            return hit.score
    return best if best >= of_all and _stands_out(prompt, hits) else None


def names_in(prompt: str) -> list[str]:
    """
    Return the names of things in an English prompt: its words of no dictionary, as libraries have.

    The first few; of what is mostly such words there are none: it is in another language, or no
    sentence.
    """
    words = [one for one in _WORD.findall(prompt) if _topics(one)]
    names = [one for one in dict.fromkeys(words) if not _is_in_dictionary(one.casefold())]
    return names[:_MOST_NAMES] if 2 * len(names) <= len(words) else []


def _is_in_dictionary(word: str) -> bool:
    if _OF_ALL.fullmatch(word):
        return True
    use = use_of(word)
    # What is no noun and no verb has no "s" behind it: "polars" is no form of "polar".
    inflected = word.endswith("s") and use_of(word[:-1]).known
    return use.known and not (inflected and not use.noun and not use.verb)


def floor_of_names(
    names: list[str], made: Context, known: Collection[str] = frozenset()
) -> float | None:
    """Return the least score of memories with any of the names that were asked for alone."""
    wanted = {one.casefold() for one in names}
    named = [
        hit.score
        for hit in made.items
        if wanted & {one.casefold() for one in _WORD.findall(hit.episode.text)}
    ]
    floor = floor_of(" ".join(names), made, known) if made.recall.found and named else None
    return None if floor is None else max(floor, min(named))


def _stands_out(prompt: str, hits: list[Hit]) -> bool:
    """Return whether the best one is far ahead of the next, and speaks of what the prompt does."""
    best, *rest = hits
    if best.score < _ON_IT or not rest or best.score < _AHEAD * rest[0].score:
        return False
    return bool(_topics(prompt) & _topics(best.episode.text))


def _topics(text: str) -> set[int]:
    return {term.hash for term in find_terms(text) if not term.function}


def paths_of(text: str) -> Iterator[str]:
    """Yield the paths in a text, without what begins or ends each."""
    for found in _PATH.finditer(text):
        bare = found[0].removeprefix("./").strip("/*.")
        if "/" in bare:
            yield bare


def _share_path(some: set[str], others: set[str]) -> bool:
    """Return whether a path of the one is a path of the other, or in it."""
    return any(
        f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")
        for one in some
        for other in others
    )
