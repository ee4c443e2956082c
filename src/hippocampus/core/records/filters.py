"""The filters of reads, as they are given."""

from __future__ import annotations

from typing import TypedDict

from hippocampus.core.records.episode import During, OneOrMany, Suspects, Trusted, When, Where


class Filters(TypedDict, total=False):
    """
    Filters, of which everything that is given must hold.

        since: only what happened at this time or later; of words, "last week", from its start on.
        until: only what happened before this time; a date alone includes its day, and words what
            they name: ``since="last week", until="last week"``.
        during: only what happened then: words for a time ("last week"), or for an event that is
            looked up first ("the week when Ana was away"), or "2024-03-05..2024-04-01"; or a list
            of such words and of pairs of moments, from one up to the other, or None where it is
            open.
        session: only this session, or one of these.
        speaker: only this speaker, or one of these; upper and lower case are the same.
        role: only this role, or one of these.
        source: only this file or system, or one of these.
        where: a condition on metadata, such as ``{"year": {"$gte": 2024}}``.
        as_of: answer from what the bank knew at that moment.
        trust: only of this origin or a more trusted one, in the order of ``ORIGINS``, or of one of
            several.
        suspects: "hide" what reads like an instruction to a model and nobody has accepted, "show"
            it, or "only" that; ``context`` hides it by default, all others show it.
    """

    since: When | None
    until: When | None
    during: During | None
    session: OneOrMany | None
    speaker: OneOrMany | None
    role: OneOrMany | None
    source: OneOrMany | None
    where: Where | None
    as_of: When | None
    trust: Trusted | None
    suspects: Suspects | None
