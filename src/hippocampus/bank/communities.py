"""Communities of a bank's topics, each with a summary: the bank as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from hippocampus.bank.part import BankPart, staying
from hippocampus.core.background_yield import answering
from hippocampus.core.origin import least_trusted
from hippocampus.core.records import CommunityInfo
from hippocampus.encode.terms import hash_terms
from hippocampus.engine.snapshot import BankSnapshot
from hippocampus.index.cue import Mask
from hippocampus.index.topic import Community
from hippocampus.sleep.artifacts import otherwise

_NAMED_BY: Final = 3
"""Topics that a community is called by. Chosen by hand."""
_ON_TOPIC: Final = 2.0
"""Worth to a sentence of naming the most central topic; the second, half of that. Chosen by
hand."""


def _naming(tags: Sequence[str]) -> Callable[[str], float]:
    """Return the worth to a sentence of naming some of these topics."""
    named = [frozenset(hash_terms(tag.replace("_", " ")).tolist()) for tag in tags]

    def worth(sentence: str) -> float:
        terms = set(hash_terms(sentence).tolist())
        return sum(_ON_TOPIC / at for at, words in enumerate(named, 1) if words <= terms)

    return worth


class Communities(BankPart):
    """The verb that tells what a bank is about as a whole."""

    @answering()
    @staying
    def communities(self) -> list[CommunityInfo]:
        """
        Return the communities of a bank: groups of topics that are said together.

        Those with most memories first, each with a summary that quotes a few of them. Sleep finds
        them; there are none before. Whatever is not in force, was corrected, or reads like an
        instruction to a model is in none. Questions for the themes of all there is are answered by
        them.
        """
        with self._state.asking() as here:
            shown = here.index.columns.visible()
            shown[otherwise(here.ledger, here.index)] = False
            shown &= ~here.index.columns.suspect
            total = max(1, int(shown.sum()))
            told = [self._told_of(here, one, shown, total) for one in here.slept.communities]
        there = [one for one in told if one is not None]
        return sorted(there, key=lambda one: -one.episodes)

    def _told_of(
        self, here: BankSnapshot, community: Community, shown: Mask, total: int
    ) -> CommunityInfo | None:
        from hippocampus.sleep.summary import (  # noqa: PLC0415 - not for a recall
            Version,
            clause_of,
            fold,
            tell,
        )

        rows = community.rows[shown[community.rows]]
        if not len(rows):
            return None
        telling = [row for row in community.telling if shown[row]] or rows[:1].tolist()
        how = self._engine.config.compact
        about = _naming(community.tags)
        with self._store.read():
            texts = here.ledger.reader.texts(telling)
            records = self._store.episodes.read(here.ledger.bank, list(texts))
            said = (
                clause_of(e.row, e.occurred_at, e.speaker, e.role, texts[e.row], about=about)
                for e in records
            )
            clauses = [clause for clause in said if clause is not None]
            clauses.sort(key=lambda clause: (clause.at, clause.row))
            topics = Counter(topic for clause in clauses for topic in dict.fromkeys(clause.topics))
            quoted = fold(clauses, how.tokens)
            version = Version("", quoted, tuple(topics.most_common(_NAMED_BY)))
            line = tell([version], how, zone=self._engine.zone)
            known = {e.row: e for e in self._store.episodes.read(here.ledger.bank, list(line.rows))}
        return CommunityInfo(
            name=", ".join(tag.replace("_", " ") for tag in community.tags[:_NAMED_BY]),
            topics=community.tags,
            episodes=len(rows),
            share=float(np.float64(len(rows)) / total),
            summary=line.text,
            sources=tuple(known[row].id for row in line.rows if row in known),
            origin=least_trusted(here.index.columns.origins(rows)),
        )
