"""The names of arguments: which one is meant by one that a verb does not have."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Final

from hippocampus.errors import UnknownArgument

_ELSEWHERE: Final[Mapping[str, str]] = {
    "k": "limit n n_results num_results top_n topk count size",
    "limit": "k top_k n n_results num_results page_size count",
    "offset": "skip page start",
    "budget_tokens": "max_tokens token_limit token_budget context_length budget",
    "min_score": "threshold score_threshold similarity_threshold min_similarity cutoff",
    "where": "filter filters metadata_filter",
    "since": "after from_date start_date start_time begin",
    "until": "before to_date end_date end_time end",
    "at": "timestamp date time when created_at datetime occurred_at",
    "speaker": "user user_id author sender name who",
    "session": "session_id conversation conversation_id thread thread_id run_id chat_id",
    "source": "file filename path document uri url",
    "metadata": "meta tags extra properties attributes",
    "text": "content message memory document data",
    "turns": "messages texts memories documents items",
    "query": "question q prompt search_query input",
    "question": "query q prompt search_query input",
    "term": "query question word text phrase",
    "terms": "query question term words text phrase",
    "id": "ids episode_id memory_id",
    "cues": "signals retrievers modes",
    "newest": "reverse descending latest",
    "erase": "hard purge permanent",
    "now": "today current_time",
    "user": "message question prompt",
    "system": "system_prompt instructions",
    "without": "exclude messages",
}
"""Arguments of ours, and what other libraries, databases and protocols call the same."""
_SHORT: Final = 100
"""Characters of a value that a message shows. Chosen by hand."""


def meant_by(name: str, known: Collection[str]) -> str | None:
    """
    Return the one of ``known`` that ``name`` most likely stands for; None if there is none.

    It is called so elsewhere, has a word of it in common, or is spelled almost so.
    """
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|-", "_", name).lower()  # also topK and top-k
    for ours in known:
        if plain in _ELSEWHERE.get(ours, "").split():
            return ours
    # Stricter than difflib's 0.6, by which most short names are like some other. By hand.
    close = get_close_matches(plain, known, n=1, cutoff=0.75)
    if close:
        return close[0]
    words = set(plain.split("_"))
    shared = {ours: words & set(ours.split("_")) for ours in known}
    best = max(shared, key=lambda ours: sum(map(len, shared[ours])), default=None)
    return best if best is not None and shared[best] else None


def nearest_first(name: str, known: Sequence[str]) -> list[str]:
    """Return names in order, but first those that are spelled almost as ``name``, the nearest."""
    return list(dict.fromkeys([*get_close_matches(name, known), *known]))


def refuse_unknown(
    of: str, given: Mapping[str, object], known: Iterable[str], *, what: str = "argument"
) -> None:
    """
    Refuse the first name that is not known, and lead to the one that is meant.

    Raises:
        UnknownArgument: there is such a name.

    """
    known = list(known)
    for name, value in given.items():
        if name in known:
            continue
        # One that was given by its own name is not meant by another name too.
        ours = meant_by(str(name), [one for one in known if one not in given])
        fix = f"give {ours}" if ours else f"there are {', '.join(known)}"
        raise UnknownArgument(f"{name}={value!r:.{_SHORT}}: {of} has no such {what}; {fix}")
