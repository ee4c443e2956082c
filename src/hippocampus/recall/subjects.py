"""
Owners of turns where several speak: "Ada lives in Porto now" is hers, whoever says it.

A turn is of who says it, but where it states something of another who speaks, by name, and nothing
of who says it: that is theirs, and no rival of what they said themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from hippocampus.kernel import top_k
from hippocampus.language.named_subjects import named_subjects, speaks_of_self
from hippocampus.recall.propose import Search
from hippocampus.recall.score import Scored
from hippocampus.recall.spreading_activation import ReadTexts

_READ: Final = 24
"""Best rows that are read."""


def weigh_subjects(search: Search, scored: Scored, read: ReadTexts) -> dict[int, bool]:
    """
    Weigh the best turns by whom they state something of, and not by who says it.

    Returns:
        Rows that are of somebody else than says them, with whether it is one who is asked about.

    """
    asked, columns = search.query.speakers, search.index.columns
    if not asked or not len(scored.rows):
        return {}
    best = top_k(scored.scores, min(_READ, len(scored.scores)))
    rows = scored.rows[best]
    own = columns.spoken_by(asked, rows.astype(np.intp))
    texts = read(rows.tolist())
    named = frozenset(map(_first, asked))
    others = frozenset(map(_first, columns.speakers())) - named
    # It tells as much of them as their own words would that tell of themselves.
    fusion, found = search.fusion, dict[int, bool]()
    gains = {
        True: np.float32(fusion.speaker + fusion.self_disclosure),
        False: np.float32(-fusion.speaker),
    }
    for place, row, said in zip(best.tolist(), rows.tolist(), own.tolist(), strict=True):
        theirs = _is_theirs(texts.get(row, ""), named, others, said=said)
        if theirs is None or theirs == said:
            continue
        found[row] = theirs
        scored.parts["speaker"][place] += gains[theirs]
        scored.scores[place] += gains[theirs]
    return found


def _is_theirs(
    text: str, named: frozenset[str], others: frozenset[str], *, said: bool
) -> bool | None:
    """Return whether a text is of somebody named; None where it does not say of whom it is."""
    subjects: Mapping[bool, bool] = {
        True: not named.isdisjoint(named_subjects(text)),
        False: not others.isdisjoint(named_subjects(text)),
    }
    if subjects[True]:
        return True if said or not speaks_of_self(text) else None
    if said and subjects[False] and not speaks_of_self(text):
        return False
    return None


def _first(name: str) -> str:
    return (name.casefold().split() or [""])[0]
