"""
Owners of turns where several speak: "Ada lives in Porto now" is hers, whoever says it.

A turn is of who says it, but where it states something of another who speaks, by name, and nothing
of who says it: that is theirs, and no rival of what they said themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from hippocampus.core.arrays import Floats
from hippocampus.kernel import top_k
from hippocampus.language.named_subjects import named_subjects, speaks_of_self
from hippocampus.recall.propose import Search
from hippocampus.recall.scored import Scored
from hippocampus.recall.spreading_activation import ReadTexts

_READ: Final = 24
"""Best rows that are read: more than the ten by which a recall is decided, for their gains change
which these are. Set by hand."""


def find_owners(search: Search, scored: Scored, read: ReadTexts) -> dict[int, bool]:
    """
    Return the best rows that are of somebody else than says them.

    With each, whether it is of one who is asked about.
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
    found: dict[int, bool] = {}
    for row, said in zip(rows.tolist(), own.tolist(), strict=True):
        theirs = _is_theirs(texts.get(row, ""), named, others, said=said)
        if theirs is not None and theirs != said:
            found[row] = theirs
    return found


def gain_of_owners(search: Search, scored: Scored, owners: Mapping[int, bool]) -> Floats | None:
    """Return the gains of turns by whom they state something of, and not by who says it."""
    if not owners:
        return None
    # It tells as much of them as their own words would that tell of themselves.
    fusion = search.fusion
    theirs = np.float32(fusion.speaker + fusion.self_disclosure)
    others = np.float32(-fusion.speaker)
    gain = np.zeros(len(scored.rows), np.float32)
    for row, of_asked in owners.items():
        gain[scored.rows == row] = theirs if of_asked else others
    return gain


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
