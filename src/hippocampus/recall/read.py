"""The last step of recall: rows become hits, and what showing them should leave behind is said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from typing import Final, NamedTuple

import numpy as np

from hippocampus.core.clock import from_micros
from hippocampus.core.records import Hit, Interval
from hippocampus.encode.tokens import count as count_tokens
from hippocampus.index.cue import Mask
from hippocampus.journal.ledger import Ledger
from hippocampus.journal.reader import LedgerEntry
from hippocampus.language.question_intent import day_of
from hippocampus.language.time import find_intervals
from hippocampus.recall.confidence import DEPTH
from hippocampus.recall.search import Ranking

_SHOWN: Final = 10
"""Hits of each recall that count as shown."""


class Shown(NamedTuple):
    """
    What a recall wants noted: which texts may come back as echoes, and which rows were of use.

    Recall itself changes nothing; whoever asked notes it.
    """

    entries: Sequence[LedgerEntry]
    rows: Sequence[int]
    """The first rows shown, best first."""


class Found(NamedTuple):
    """What was read of the best rows, in the order of the ranking."""

    hits: list[Hit]
    """Not yet scored."""
    entries: list[LedgerEntry]

    def ordered(self, places: Sequence[int], scores: Sequence[float]) -> list[Hit]:
        """Return the hits in another order, with their scores."""
        return [
            replace(self.hits[place], score=score)
            for place, score in zip(places, scores, strict=True)
        ]

    def shown(self, rows: Sequence[int]) -> Shown:
        """Return what is to be noted of them; ``rows``: in the order in which they are shown."""
        return Shown(self.entries, rows[:_SHOWN])


def read_hits(
    ledger: Ledger,
    ranking: Ranking,
    k: int,
    corrected: Mapping[int, Sequence[str]],
    allowed: Mask | None,
) -> Found:
    """
    Read the first ``k`` rows of a ranking.

    Args:
        ledger: reads the texts.
        ranking: the rows, and why.
        k: how many.
        corrected: ids of what was said to correct a row.
        allowed: what the read may see of that; None is all.

    """
    rows, over = ranking.rows[:k].tolist(), ranking.superseded
    entries = ledger.reader.read(rows)
    gains = np.maximum([part[:k] for part in ranking.parts.values()], 0).T.tolist()
    hits: list[Hit] = []
    for place, (row, entry) in enumerate(zip(rows, entries, strict=True)):
        episode, tokens = entry.episode, entry.tokens
        if episode.level:  # of what has faded ``get`` has all
            episode = replace(episode, text=entry.shown)
            tokens = count_tokens(episode.text)
        given = dict(zip(ranking.parts, gains[place], strict=True))
        total = sum(given.values())
        by = ledger.lineage.correction(row, corrected[row], allowed) if corrected.get(row) else None
        hits.append(
            Hit(
                episode=episode,
                score=0.0,
                shares={n: g / total for n, g in given.items() if g > 0} if total else {},
                tokens=tokens,
                about=float(ranking.activation[place]),
                until=from_micros(over[row]) if row in over else None,
                corrected_by=None
                if by is None
                else ledger.store.episodes.read(ledger.bank, [by])[0].id,
            )
        )
    return Found(hits, entries)


def read_times(hits: list[Hit], zone: tzinfo) -> tuple[list[Hit], Interval | None]:
    """
    Read the times that the likeliest hits name; and return when it was.

    That says the best hit, or the next one that is half as likely, if only that names a time.
    """
    best = [hit for hit in hits[:DEPTH] if hit.score >= hits[0].score / 2]
    dated = {
        hit.id: replace(hit, times=find_intervals(hit.text, hit.episode.said_at.astimezone(zone)))
        for hit in best
    }
    when = [time for hit in dated.values() for time in hit.times]
    when += [day_of(hit.episode.said_at.astimezone(zone)) for hit in best[:1]]
    return [dated.get(hit.id, hit) for hit in hits], when[0] if when else None
