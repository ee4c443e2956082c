"""One conversation: what of it fits where a model's window is full."""

from __future__ import annotations

from typing import Final

from hippocampus.bank.knowledge import Knowledge
from hippocampus.bank.lookup import Lookup
from hippocampus.bank.part import BankPart, staying
from hippocampus.context.render import OwnPart
from hippocampus.core.background_yield import answering
from hippocampus.core.constraints import check_whole
from hippocampus.core.quotes import SUMMARY_CLOSE, SUMMARY_OPEN
from hippocampus.core.records import CompactedSession
from hippocampus.engine.bank_state import BankState
from hippocampus.errors import InputError

_SUMMARY_SHARE: Final = 16
"""A summary takes at most one in so many tokens, as in a context (docs/adr/0065)."""


class Sessions(BankPart):
    """The verbs about one conversation."""

    def __init__(self, state: BankState, lookup: Lookup, knowledge: Knowledge) -> None:
        super().__init__(state)
        self._lookup = lookup
        self._knowledge = knowledge

    @answering()
    @staying
    def compact_session(self, session: str, budget_tokens: int = 2000) -> CompactedSession:
        """
        Fit one conversation into ``budget_tokens``, as where a model's window is full.

        After a summary, in order: the newest turns whole; of older ones those that matter most
        whole, others in few of their own words; for each run of the rest a mark with the address of
        its first, for ``expand`` (CONCEPT, sections 2.2 and 4.8). Empty where nothing was said.
        Nothing stored is changed by it.

        Raises:
            InputError: ``session`` is no name, or ``budget_tokens`` no whole number.
            BudgetTooSmall: not even the mark that all was left out fits.

        """
        from hippocampus.context.compact_session import (  # noqa: PLC0415 - not for a recall
            compact_session,
        )
        from hippocampus.context.redaction import without_secrets  # noqa: PLC0415 - likewise

        check_whole(budget_tokens=budget_tokens)
        if not isinstance(session, str):
            raise InputError(f"session={session!r:.100}: name one conversation of the bank")
        summary = self._knowledge.summary(session)  # which checks the name
        turns = self._lookup.episodes(session=session, suspects="hide")
        if not turns:
            return CompactedSession(
                session=session, text="", tokens=0, budget_tokens=budget_tokens, kept=(),
                shortened=(), left_out=(),
            )  # fmt: skip
        told = summary.text
        if self._engine.config.secrets.show == "redact":
            finder = self._engine.secret_finder
            turns = [without_secrets(turn, finder) for turn in turns]
            told, session = finder.redact(told), finder.redact_label(session)
        tags = (SUMMARY_OPEN, SUMMARY_CLOSE)
        part = OwnPart("summary", (told,), tags, _SUMMARY_SHARE) if told else None
        return compact_session(
            turns, budget_tokens, session=session, zone=self._engine.zone, summary=part
        )
