"""Wishes about every answer, for contexts of which something is to be made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from hippocampus.bank.part import BankPart
from hippocampus.core.records import Filters, Hit, Recall
from hippocampus.encode.tokens import count as count_tokens
from hippocampus.index.query import Query
from hippocampus.language.answer_wishes import matters_of_answers

_READ: Final = 200
"""Standing wishes that are read at most, the newest; each context reads them. Chosen by hand."""


class _Wish(NamedTuple):
    """A wish, and the ids of those before it that it takes the place of."""

    hit: Hit
    instead_of: set[str]


class AnswerWishes(BankPart):
    """Wishes about how an assistant answers, as they stand."""

    def bearing_on(self, found: Recall, filters: Filters, queries: Sequence[Query]) -> list[Hit]:
        """
        Return the wishes that bear on an answer, the newest first.

        All do where something is to be made; else those that take back what one of the hits says.

        Args:
            found: what was recalled for it.
            filters: those of the read.
            queries: the question, as each bank that was asked understood it.

        """
        asked = any(one.advice and not one.small_talk for one in queries)
        if not asked and not any(matters_of_answers(hit.text) for hit in found.hits):
            return []
        shown = {hit.id for hit in found.hits}
        return [
            wish.hit
            for wish in self._standing(filters)
            if asked or not wish.instead_of.isdisjoint(shown)
        ]

    def _standing(self, filters: Filters) -> Sequence[_Wish]:
        """Return the wishes of which each is the last of its matter, the newest first."""
        chosen = self._filter(filters)
        with self._state.asking() as here:
            columns = here.index.columns
            order = columns.in_order()[::-1]
            wanted = here.index.cues.lexical.standing()[order] & columns.is_own(order)
            wanted &= ~columns.role.holds("assistant", order.astype(np.intp))
            allowed = columns.mask(chosen)
            if allowed is not None:
                wanted &= allowed[order]
            rows = order[wanted][:_READ].tolist()
            read = [entry.episode for entry in here.ledger.reader.read(rows)]
        last: dict[str, _Wish] = {}
        for episode in read:
            matters = matters_of_answers(episode.text)
            fresh = [matter for matter in matters if matter not in last]
            if fresh:
                hit = Hit(episode=episode, score=0.0, shares={}, tokens=count_tokens(episode.text))
                last |= dict.fromkeys(fresh, _Wish(hit, set()))
            for matter in matters - set(fresh):
                last[matter].instead_of.add(episode.id)
        return list({wish.hit.id: wish for wish in last.values()}.values())
