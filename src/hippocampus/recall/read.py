"""The last step of recall: rows become hits, and what showing them should leave behind is said."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from hippocampus.core.clock import from_micros, to_micros
from hippocampus.core.records import Episode, Hit
from hippocampus.core.roles import MACHINE_ROLES
from hippocampus.encode.tokens import count as count_tokens
from hippocampus.index.cue import Mask
from hippocampus.journal.ledger import Ledger
from hippocampus.journal.reader import LedgerEntry, Told
from hippocampus.language.rival_statements import find_rivals
from hippocampus.recall.search import Ranking

_MAIN: Final = 0.5
"""Share of its words from which a statement is what a text says: of less, the rest may hold still
(docs/adr/0062)."""
_SHOWN: Final = 10
"""Hits of each recall that count as shown, as many as one returns by default: rows further down
were hardly looked at, and would count as used."""

SpanOf: TypeAlias = Callable[[int, str], tuple[int, int] | None]
"""Best matching span of characters of a row's text."""


class Shown(NamedTuple):
    """
    Notes that a recall leaves: texts that may come back as echoes, and rows that were of use.

    Recall itself changes nothing; whoever asked notes it.
    """

    entries: Sequence[LedgerEntry]
    rows: Sequence[int]
    """The first rows shown, best first."""


class Found(NamedTuple):
    """Entries of the best rows, in the order of their ranking."""

    ranking: Ranking
    entries: list[LedgerEntry]
    corrections: list[str | None]
    """The id of what corrects each, as far as the read may see it."""
    missing: list[int]
    """Rows that are damaged, or erased since: if any, the ranking is to be made without them."""

    @property
    def texts(self) -> list[str]:
        """Their texts, as they are shown: what has faded is shorter, and ``get`` has all of it."""
        return [one.shown if one.episode.level else one.episode.text for one in self.entries]

    def hits(
        self, places: Sequence[int], scores: Sequence[float], told: Told, span_of: SpanOf
    ) -> list[Hit]:
        """
        Return the hits in an order, with their scores.

        ``told``: the times that each tells; ``span_of``: which characters of it match best.
        """
        ranking, texts = self.ranking, self.texts
        rows, over = ranking.rows.tolist(), self._overtaken() | dict(ranking.superseded)
        gains = np.maximum(list(ranking.parts.values()), 0).T.tolist()
        hits: list[Hit] = []
        for place, score, lag in zip(places, scores, self._lags(places), strict=True):
            episode, tokens = self.entries[place].dated(told), self.entries[place].tokens
            if episode.level:
                episode = replace(episode, text=texts[place])
                tokens = count_tokens(episode.text)
            given = dict(zip(ranking.parts, gains[place], strict=True))
            total = sum(given.values())
            until = over.get(rows[place])
            hits.append(
                Hit(
                    episode=episode,
                    score=score,
                    shares={n: g / total for n, g in given.items() if g > 0} if total else {},
                    tokens=tokens,
                    lag=lag,
                    activation=float(ranking.activation[place]),
                    valid_to=None if until is None else from_micros(until),
                    corrected_by=self.corrections[place],
                    span=None if episode.level else span_of(rows[place], episode.text),
                )
            )
        return hits

    def _overtaken(self) -> dict[int, int]:
        """
        Return the rows whose statement another hit makes later with another end, and since when.

        A text of which that is only a part may hold in the rest, and what was corrected says so.
        """
        corrected = {
            row for row, by in zip(self.ranking.rows.tolist(), self.corrections, strict=False) if by
        }
        said = [one for one in self.entries if one.episode.role not in MACHINE_ROLES]
        said.sort(key=lambda one: (one.episode.occurred_at, one.row))
        told = [(one.episode.text, _who(one.episode)) for one in said]
        over: dict[int, int] = {}
        for old, new in find_rivals(told, share=_MAIN):
            if said[old].row not in corrected:
                over[said[old].row] = to_micros(said[new].episode.occurred_at)
        return over

    def _lags(self, places: Sequence[int]) -> list[float]:
        """Return the lag of each of some hits, in their order, behind the best; never falling."""
        if not len(places):
            return []
        # What tells of a further event is as near to the question as what tells of the first.
        scores = self.ranking.scores - self.ranking.parts.get("events", np.float32(0))
        behind = np.maximum(scores[list(places)].max() - scores[list(places)], 0)
        # A reranker may put what scored little before what scored much: it is no worse than that.
        lags: list[float] = np.minimum.accumulate(behind[::-1])[::-1].tolist()
        return lags

    def shown(self, places: Sequence[int]) -> Shown:
        """Return the note for gate and sleep; ``places``: in the order in which they are shown."""
        rows = self.ranking.rows.tolist()
        return Shown(self.entries, [rows[place] for place in places[:_SHOWN]])


def _who(episode: Episode) -> str:
    return episode.speaker or episode.role or ""


def read_rows(
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
        corrected: ids of the episodes that correct a row.
        allowed: rows that the read may see; None is all.

    """
    rows = ranking.rows[:k].tolist()
    corrections: list[str | None] = []
    for row in rows:
        told = corrected.get(row)
        by = ledger.lineage.correction(row, told, allowed) if told else None
        known = [] if by is None else ledger.store.episodes.read(ledger.bank, [by])
        corrections.append(known[0].id if known else None)
    entries = [one for one in ledger.reader.read(rows) if one.episode.state != "erased"]
    read = {entry.row for entry in entries}
    return Found(ranking, entries, corrections, [row for row in rows if row not in read])
