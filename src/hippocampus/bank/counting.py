"""Counting: how many times something took place, by what memories tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import reduce
from typing import TYPE_CHECKING, Final, Unpack

from hippocampus.bank.filter_arguments import spell_out
from hippocampus.bank.part import BankPart, of_one_moment, staying
from hippocampus.bank.recall import Recaller
from hippocampus.core.background_yield import answering
from hippocampus.core.budget import check_budget
from hippocampus.core.clock import in_zone, to_micros, within_calendar
from hippocampus.core.records import (
    Degradation,
    Episode,
    EventCount,
    Evidence,
    Filters,
    Interval,
    Recall,
    When,
)
from hippocampus.core.roles import MACHINE_ROLES
from hippocampus.core.validation import check_text
from hippocampus.encode.terms import hash_terms
from hippocampus.engine.bank_state import BankState
from hippocampus.engine.snapshot import BankSnapshot
from hippocampus.index.cue import Mask
from hippocampus.index.filters import Filter, merge, overlaps
from hippocampus.language.counting.asked import AskedEvents
from hippocampus.language.counting.families import stems_of_family
from hippocampus.language.question_intent import day_of
from hippocampus.recall.foreign import uncounted
from hippocampus.recall.parse import parse, parse_counted

if TYPE_CHECKING:
    from hippocampus.language.counting.mentions import EventMentions
    from hippocampus.recall.counted_events import ToldEvent

_LOOKED_AT: Final = 30
"""Best hits among which there may be events told in other words. Chosen by hand: they are shown as
doubtful, and never counted (docs/adr/0053)."""
_ALIKE: Final = 0.1
"""Least score of a hit that may tell of an event in other words; likewise."""
_ASK: Final = "ask what to count, as in 'how often did I swim?'"


class Counting(BankPart):
    """The verb that counts what took place."""

    def __init__(self, state: BankState, recaller: Recaller) -> None:
        super().__init__(state)
        self._recaller = recaller

    @spell_out
    @answering()
    @staying
    @of_one_moment
    def count_events(
        self, question: str, *, now: When | None = None, **filters: Unpack[Filters]
    ) -> EventCount:
        """
        Count the times that something took place, and list them: "how often did I swim in May?".

        Where ``count`` counts a word. Memories that tell of one event on one day count once; what
        was only planned, denied, asked, supposed, or said by an assistant does not count. What may
        be one more, told in other words or left open, is in ``doubtful``. ``since``, ``until``,
        ``during`` and times in the question say when an event took place, not when it was told; all
        that are given hold.

        Args:
            question: a question ("how many films did we see?"), or what is counted ("my runs").
            now: the present, for "last month" and its like; the clock's by default.
            **filters: what it may see; see below.

        Raises:
            InputError: a question that is blank, or a filter that makes no sense.
            StoreCorrupt: something is damaged that may tell of it.

        """
        from hippocampus.recall.counted_events import (  # noqa: PLC0415 - not for a recall
            group_events,
        )

        engine = self._engine
        text = check_text(question, limits=engine.config.ingest, name="question", blank=_ASK)
        moment = self._present(now)
        chosen = self._filter(filters, moment)
        query = parse(text, now=moment)
        asked = query.counted or parse_counted(text, now=moment)  # of a phrase, as "my runs"
        within = _bounds(chosen, asked)
        timeless: Filters = {**filters, "since": None, "until": None, "during": None}
        alike = self._recaller.recall(
            asked.about or text, _LOOKED_AT, now=moment, include=(), **timeless
        )
        open_ended = replace(chosen, since=None, until=None, during=None)
        with self._state.asking() as here:
            allowed = here.index.columns.mask(open_ended)
            rows, reader = _rows(here, asked, allowed), here.ledger.reader
            reader.check("episodes", "lexical")  # those of which it is not known what they tell
            read = reader.read(rows)
            for row in sorted(set(rows).difference(one.row for one in read)):
                reader.at(row, self._told(here.index))  # which says what is damaged
            whole = {one.episode.id: one.episode for one in read if one.episode.state != "erased"}
        # What has faded is counted by all of its words, and not by those that a recall shows.
        episodes = {hit.id: hit.episode for hit in alike.hits} | whole
        told = list(self._told_by_words(episodes.values(), asked))
        told += self._told_by_meaning(alike, episodes, asked)
        sure, doubtful = group_events(told, within, moment)
        return EventCount(
            question=text, count=sum(event.times for event in sure), events=tuple(sure),
            doubtful=tuple(doubtful), intervals=asked.intervals,
            degraded=_lacks(query.language, alike),
        )  # fmt: skip

    def _told_by_words(
        self, episodes: Iterable[Episode], asked: AskedEvents
    ) -> Iterator[ToldEvent]:
        from hippocampus.recall.counted_events import ToldEvent  # noqa: PLC0415 - not for a recall

        for episode in episodes:
            check_budget()
            for mention in self._mentions(episode, asked).found:
                evidence: Evidence = "told" if mention.sure else "unclear"
                yield ToldEvent(episode.id, episode.occurred_at, mention, evidence)

    def _told_by_meaning(
        self, found: Recall, episodes: Mapping[str, Episode], asked: AskedEvents
    ) -> Iterator[ToldEvent]:
        """Yield unsure mentions: hits near in meaning that tell of no event surely."""
        from hippocampus.language.counting.mentions import (  # noqa: PLC0415 - not for a recall
            Mention,
        )
        from hippocampus.recall.counted_events import ToldEvent  # noqa: PLC0415 - not for a recall

        zone = self._engine.zone
        if self._engine.embedder is None:  # nothing is known of meanings
            return
        for hit in found.hits:
            episode = episodes[hit.id]
            if hit.score < _ALIKE or episode.role in MACHINE_ROLES or episode.text.endswith("?"):
                continue
            read = self._mentions(episode, asked)
            if read.refused or read.found:
                continue
            closed = [one for one in hit.times if one.start is not None and one.end is not None]
            times = [one for one in closed if one.start <= episode.occurred_at]  # type: ignore[operator]
            if closed and not times:
                continue
            when = tuple(times[:1]) or (day_of(in_zone(episode.occurred_at, zone)),)
            mention = Mention(quote=episode.text, times=when, told=bool(times), sure=False)
            yield ToldEvent(episode.id, episode.occurred_at, mention, "meaning")

    def _mentions(self, episode: Episode, asked: AskedEvents) -> EventMentions:
        from hippocampus.language.counting.mentions import (  # noqa: PLC0415 - not for a recall
            EventMentions,
            find_mentions,
        )

        if episode.role in MACHINE_ROLES:
            return EventMentions([])
        name = (episode.speaker or "").casefold().split()
        return find_mentions(
            episode.text, asked, occurred_at=episode.occurred_at, zone=self._engine.zone,
            by_actor=asked.actor == "other" and not set(asked.who).isdisjoint(name),
        )  # fmt: skip


def _lacks(language: str | None, alike: Recall) -> tuple[Degradation, ...]:
    """Return the parts that a count went on without: languages, and those of a recall."""
    near = [hit.episode.text for hit in alike.hits if hit.score >= _ALIKE]
    without = (one for one in alike.degraded if one.part != "language")  # of facts and wishes
    return (*uncounted(language, near), *without)


def _rows(here: BankSnapshot, asked: AskedEvents, allowed: Mask | None) -> list[int]:
    """Return the rows that have a word of what is counted, in any form."""
    stems = " ".join(stem for key in asked.keys for stem in stems_of_family(key))
    if not stems:
        return []
    rows: list[int] = here.index.cues.lexical.having(hash_terms(stems), allowed).tolist()
    return rows


def _bounds(chosen: Filter, asked: AskedEvents) -> list[Interval] | None:
    """Return the time in which an event has to be, by filters and question; None for any time."""
    given: list[Sequence[tuple[int | None, int | None]]] = [
        chosen.during or (),
        [(chosen.since, chosen.until)],
        [(_micros(one.start), _micros(one.end)) for one in asked.intervals],
    ]
    stretches = [merge(some) for some in given if some and some != [(None, None)]]
    if not stretches:
        return None
    return [
        Interval(within_calendar(start), within_calendar(end))
        for start, end in reduce(overlaps, stretches)
    ]


def _micros(moment: datetime | None) -> int | None:
    return None if moment is None else to_micros(moment)
