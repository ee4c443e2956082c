"""
The profile: what every prompt of a bank begins with (CONCEPT, section 4.8).

Who the agent is to the bank, its persona, is said by people. So may be what is under way, the
paper's index of projects; where nobody says it, it is read from what is spoken of lately.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.bank.filter_arguments import sees_all
from hippocampus.bank.knowledge import Knowledge
from hippocampus.bank.part import BankPart, staying
from hippocampus.context.render import OwnPart
from hippocampus.core.background_yield import answering
from hippocampus.core.clock import MICROS_PER_HOUR, from_micros, in_zone, to_micros
from hippocampus.core.events import ProfileSet
from hippocampus.core.quotes import (
    FOUND_PROJECTS_OPEN,
    PERSONA_CLOSE,
    PERSONA_OPEN,
    PROJECTS_CLOSE,
    PROJECTS_OPEN,
    SUMMARY_CLOSE,
    SUMMARY_OPEN,
)
from hippocampus.core.records import Context, Degradation, Filters, Profile, Recall
from hippocampus.core.validation import check_text
from hippocampus.encode.tokens import count
from hippocampus.engine.bank_state import BankState
from hippocampus.engine.snapshot import BankSnapshot
from hippocampus.errors import InputError
from hippocampus.index.sorted_sets import each_once
from hippocampus.journal.ledger import Ledger
from hippocampus.language.entity_linking import fold_name

_LONGEST: Final = 1000
"""Tokens of a persona, and of what is under way: CONCEPT (section 4.8) loads some 500 of both. The
shares below are decided in docs/adr/0065, and none was varied."""
_SAID_SHARE: Final = 2
"""Divisor of a context's tokens: words of people take at most this part."""
_FOUND_SHARE: Final = 16
"""Divisor of the tokens left: words found in memories take at most this part, as a summary does."""
_MOST: Final = 8
"""Matters under way that are named, a line each."""
_SAME: Final = 0.5
"""Share of its memories from which on a matter is one that has been named. Chosen by hand."""
_LEAST_ROWS: Final = 3
"""Memories that name a matter from which on it is one, and no passing remark. Chosen by hand."""


class Profiles(BankPart):
    """The verbs of what every prompt begins with."""

    def __init__(self, state: BankState, knowledge: Knowledge) -> None:
        super().__init__(state)
        self._knowledge = knowledge

    @answering()
    @staying
    def profile(self) -> Profile:
        """
        Return the profile: the persona of the agent, and the projects under way.

        Of what is under way, if nobody said it, the matters that come up more than usual of late
        are told, the most first; there are some once the bank has slept.
        """
        said, at = self._said()
        found = "" if said.projects else "\n".join(self._under_way())
        return Profile(
            persona=said.persona, projects=said.projects or found, projects_made=bool(found),
            set_at=at,
        )  # fmt: skip

    def set_profile(self, *, persona: str | None = None, projects: str | None = None) -> None:
        """
        Set the beginning of every prompt of this bank; each ``context`` has it from now on.

        What was said before stays in the journal.

        Args:
            persona: who the agent is to this bank, and how it should be; None leaves what was
                said, "" takes it back.
            projects: what is under way, a line for each; likewise, and then what is spoken of
                lately stands for it.

        Raises:
            InputError: neither is given, or one is longer than 1 000 tokens.
            InvalidText: one is no text that can be stored.
            SecretRefused: one holds a secret, and ``Secrets.write`` is "refuse".

        """
        given = {"persona": persona, "projects": projects}
        if persona is None and projects is None:
            raise InputError("set_profile(): give persona or projects; '' takes one back")
        told = {name: self._checked(name, text) for name, text in given.items() if text is not None}
        with self._state.changing():
            self._engine.ledger(self.name, create=True)
            self._once(lambda ledger: _set(ledger, told))

    def own_parts(self, wanted: Collection[str], filters: Filters, found: Recall) -> list[OwnPart]:
        """
        Return the parts of a context that are the bank's own, of those that nobody handed in.

        Args:
            wanted: of "persona", "projects" and "summary" those that may be there.
            filters: what may be seen; with most of them there is nothing made of memories, for it
                would tell of what they hide.
            found: what was recalled. A greeting asks for nothing made of memories, and what is
                under way is no answer where there is none.

        """
        said, _ = self._said() if {"persona", "projects"} & set(wanted) else (ProfileSet(), None)
        return [part for part in self._own_parts(said, filters, found) if part.name in wanted]

    def _own_parts(self, said: ProfileSet, filters: Filters, found: Recall) -> Iterator[OwnPart]:
        yield from _said_parts(said.persona, said.projects)
        if not found.confidence:
            return
        if not said.projects and found.found and sees_all(filters):
            yield _found_part(self._under_way())
        summary = self._knowledge.own_summary(filters)
        if summary:
            tags = (SUMMARY_OPEN, SUMMARY_CLOSE)
            yield OwnPart("summary", (summary,), tags, _FOUND_SHARE)

    def _said(self) -> tuple[ProfileSet, datetime | None]:
        """Return the parts of the profile that people set last, and when."""
        with self._state.asking() as here, self._store.read():
            seen, last = here.summaries.profile
            seq = self._store.journal.last_seq(here.ledger.bank)
            if seq > seen:
                new = here.ledger.reader.events(ProfileSet, after=seen)
                last = new[-1] if new else last
                here.summaries.profile = seq, last
        return (ProfileSet(), None) if last is None else (last.event, from_micros(last.at))

    def _under_way(self) -> list[str]:
        """Return anchors that come up more than usual of late, a line for each, the most first."""
        now = self._engine.now()
        with self._state.asking() as here:
            memo, asked = here.summaries, (here.index, to_micros(now) // MICROS_PER_HOUR)
            if memo.matters is None or memo.matters[0] != asked:
                memo.matters = asked, list(islice(_matters(here, now), _MOST))
            return memo.matters[1]

    def _checked(self, name: str, text: str) -> str:
        """Return a text of the profile as it may be kept; "" where it is taken back."""
        if text == "":
            return ""
        kept = check_text(text, limits=self._engine.config.ingest, name=name)
        kept = self._engine.secret_gate.words(name, kept)
        tokens = count(kept)
        if tokens > _LONGEST:
            msg = (
                f"{name} has {tokens:,} tokens, and every prompt begins with it; say it in"
                f" {_LONGEST:,} at most"
            )
            raise InputError(msg)
        return kept


def render_profile(profile: Profile) -> str:
    """Return a bank's profile as it stands in a prompt; empty if there is none."""
    said = "" if profile.projects_made else profile.projects
    parts = _said_parts(profile.persona, said)
    if profile.projects_made:
        parts.append(_found_part(profile.projects.splitlines()))
    return "\n\n".join(map(str, parts))


def _set(ledger: Ledger, told: Mapping[str, str]) -> None:
    """Note the profile as people say it; parts they say nothing of stay."""
    events = ledger.reader.events(ProfileSet)
    before = events[-1].event if events else ProfileSet()
    ledger.writer.note(
        ProfileSet(
            persona=told.get("persona", before.persona),
            projects=told.get("projects", before.projects),
        )
    )


def _said_parts(persona: str, projects: str) -> list[OwnPart]:
    """Return the parts of a prompt that people said."""
    parts = [
        OwnPart("persona", (persona,), (PERSONA_OPEN, PERSONA_CLOSE), _SAID_SHARE),
        OwnPart("projects", (projects,), (PROJECTS_OPEN, PROJECTS_CLOSE), _SAID_SHARE),
    ]
    return [part for part in parts if part.lines[0]]


def _found_part(lines: Sequence[str]) -> OwnPart:
    """Return the part of a prompt that says what is spoken of lately."""
    return OwnPart("projects", tuple(lines), (FOUND_PROJECTS_OPEN, PROJECTS_CLOSE), _FOUND_SHARE)


def note_left_out(made: Context, own: Collection[OwnPart]) -> Context:
    """Return a context that says so where what people want in each had no room in it."""
    lost = [
        Degradation(
            part=part.name,
            reason=f"its {count(str(part)):,} tokens would take more than half of"
            f" budget_tokens={made.budget_tokens:,}; raise it, or shorten the {part.name} with"
            " set_profile",
        )
        for part in own
        if part.share == _SAID_SHARE and part.tags[0] not in made.text
    ]
    if not lost:
        return made
    recall = replace(made.recall, degraded=(*made.recall.degraded, *lost))
    return replace(made, recall=recall)


def _matters(here: BankSnapshot, at: datetime) -> Iterator[str]:
    """Yield lines of what is active at a moment: its name, memories in force, and the last day."""
    concepts, columns = here.index.cues.concept, here.index.columns
    if concepts is None:
        return
    shown = columns.visible() & ~columns.suspect
    speakers = [frozenset(fold_name(speaker).split()) for speaker in columns.speakers()]
    told: list[NDArray[np.uint32]] = []
    for name, rows in concepts.matters(at):
        words = frozenset(fold_name(name).split())
        seen = each_once(rows[shown[rows]])
        if len(seen) < _LEAST_ROWS or any(words <= speaker for speaker in speakers):
            continue  # who speaks is in all of it
        if any(len(np.intersect1d(seen, other)) > _SAME * len(seen) for other in told):
            continue  # one matter has one line
        told.append(seen)
        last = in_zone(from_micros(int(columns.occurred_at(seen).max())), at.tzinfo)
        yield f"{name}: {len(seen):,} memories, the last of {last:%Y-%m-%d}"
