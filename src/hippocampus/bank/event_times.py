"""
The time of an event that a filter names: joins between timelines (SWIFT, section 3.3).

"What did Tom say in the week when Ana was away?" asks Ana's timeline for a time, and Tom's for what
lies in it. The event is looked for among all that the read may know of, whoever said it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from hippocampus.bank.filter_arguments import read_filters
from hippocampus.bank.searches import encode, seen_by_most, times_of_event
from hippocampus.core.records import Stretch
from hippocampus.core.validation import check_text
from hippocampus.engine.bank_state import BankState
from hippocampus.errors import UnknownEvent
from hippocampus.language.event_anchored import read_event_time
from hippocampus.recall.parse import parse

_KNOWN_BY = ("as_of", "trust", "suspects")
"""Filters that limit what a read may know; the others say what it asks for."""


def stretches_of_event(
    state: BankState, words: str, given: Mapping[str, object], now: datetime
) -> Iterator[Stretch]:
    """
    Yield when an event was that words tell of, or the time beside it, merged.

    Args:
        state: of the bank.
        words: "the week when Ana was away", "since the move", "the trip to Rome".
        given: the filters of the read.
        now: as of which words are read.

    Raises:
        UnknownEvent: nothing that the read may know of tells of it, or on which day it was.

    """
    engine = state.engine
    text = check_text(words, limits=engine.config.ingest, name="during")
    join = read_event_time(text, now)
    about = parse(join.event, now=now)
    # Not by the other filters: Ana says that she is away, and Tom's words are wanted
    # (docs/adr/0066).
    known = {name: given[name] for name in _KNOWN_BY if given.get(name) is not None}
    models = state.models()
    encoded = encode(state, about, *models)
    with state.asking() as here:
        if models != (here.embedder, here.signatures):  # a rebuild has just moved the store
            encoded = encode(state, about, here.embedder, here.signatures)
        _, encoded = seen_by_most(here, encoded)
        chosen = read_filters(known, engine.zone, now, read_event=_none)
        allowed = here.index.columns.mask(chosen)
        times = times_of_event(here, about, encoded, allowed, engine.zone)
    if not times:
        msg = f"during={words!r}: nothing here surely tells of {join.event!r}; name the time itself"
        raise UnknownEvent(msg)
    found = [(time.start, time.end) for time in join.resolve(times, now)]
    if not found or (None, None) in found:
        msg = f"during={words!r}: no day is told for {join.event!r}; name the time itself"
        raise UnknownEvent(msg)
    yield from found


def _none(words: str) -> list[Stretch]:
    raise AssertionError(words)
