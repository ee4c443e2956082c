"""Embedding of texts stored without an embedder, a batch and a transaction at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

import numpy as np

from hippocampus.core.budget import check_budget, without_budget
from hippocampus.core.events import IndexRebuilt
from hippocampus.core.records import Embedder, EpisodeRow, Kind
from hippocampus.engine.bank_state import BankState
from hippocampus.engine.context import EngineContext
from hippocampus.errors import HippocampusError
from hippocampus.journal.ledger import Ledger
from hippocampus.write.encode import context_before, encode_drafts

_KINDS: Final[tuple[Kind, ...]] = ("vector", "tokens", "spans")
_AT_ONCE: Final = 512
"""Episodes of a transaction: it may write whole blocks, and what is done by then stays done."""


def embed_missing(state: BankState) -> int:
    """
    Make the vectors of episodes that have none, and return of how many.

    Stopped half-way, the rest is left to do, and what is done is found by.

    Others read and write meanwhile. What was said before a turn colours it, as when it is stored.
    """
    engine, embedder = state.engine, state.engine.embedder
    rows = _without_vectors(state)
    if embedder is None or not rows:
        return 0
    ledger = engine.ledger(state.name)
    wanted, done = set(rows), 0
    said: dict[str, list[str]] = {}
    walked = _with_their_sessions(ledger, wanted)
    try:
        for start in range(0, len(walked), _AT_ONCE):
            check_budget()
            some = walked[start : start + _AT_ONCE]
            made = _embedded(ledger, some, wanted, said, embedder, engine)
            with state.changing():
                fill = partial(_filled, engine, embedder, some, made)
                filled = state.transact(fill, indexed=False, of=ledger.bank)
            if not filled:
                return done
            done += len(made.get("vector", ()))
    except BaseException:
        if done:  # or this process would not know of it, and begin anew each time
            with suppress(HippocampusError), without_budget():
                _conclude(state, ledger)
        raise
    _conclude(state, ledger)
    return done


def _conclude(state: BankState, ledger: Ledger) -> None:
    """Have the bank's index be made anew with what is embedded."""
    with state.changing():
        state.transact(partial(_end, state.engine), of=ledger.bank)


def _filled(
    engine: EngineContext,
    embedder: Embedder,
    records: Sequence[EpisodeRow],
    made: Mapping[Kind, Mapping[int, bytes]],
    books: Ledger,
) -> bool:
    """Keep payloads, in a transaction; False if a rebuild has moved the store to another."""
    if engine.embedder is not embedder:
        return False
    engine.settle_embedder(embedder, books.bank)
    rows = {one.row for one in books.reader.still_there(records)}
    for kind, payloads in made.items():
        books.payloads.fill(kind, {row: payloads[row] for row in payloads.keys() & rows})
    return True


def _end(engine: EngineContext, books: Ledger) -> None:
    """Have indexes be made anew, in a transaction: those in memory have no place for vectors."""
    if engine.signing().unasked:  # for want of what is there now
        engine.store.payloads.drop(books.bank, "signature")
    books.payloads.seal()
    books.writer.note(IndexRebuilt())


def _without_vectors(state: BankState) -> list[int]:
    """Return the rows in force that no embedder has seen; none where there is no embedder."""
    with state.asking() as here:
        vector = here.index.cues.vector
        if vector is None or not here.index.without_vectors:
            return []
        unseen = here.index.columns.visible() & ~vector.present
        return np.flatnonzero(unseen).tolist()


def _with_their_sessions(ledger: Ledger, wanted: set[int]) -> list[EpisodeRow]:
    """Return the records of rows, and of all that was said in their sessions, in order of row."""
    records = list(ledger.store.episodes.scan(ledger.bank))
    sessions = {record.session for record in records if record.row in wanted} - {None}
    return [one for one in records if one.row in wanted or one.session in sessions]


def _embedded(
    ledger: Ledger,
    records: Sequence[EpisodeRow],
    wanted: set[int],
    said: dict[str, list[str]],
    embedder: Embedder,
    engine: EngineContext,
) -> Mapping[Kind, Mapping[int, bytes]]:
    """Return the payloads of those records that are wanted, by kind and row."""
    drafts = ledger.reader.drafts(records)
    before = context_before(drafts, said)
    rows = {record.id: record.row for record in records}
    some = [place for place, draft in enumerate(drafts) if rows[draft.id] in wanted]
    batch = ledger.limits.batch
    made: dict[Kind, dict[int, bytes]] = {kind: {} for kind in _KINDS}
    for start in range(0, len(some), batch):
        check_budget()
        places = some[start : start + batch]
        encoded = encode_drafts(
            [drafts[place] for place in places], [before[place] for place in places],
            zone=engine.zone, embedder=embedder, signed=None, spans=engine.spans(),
            form=engine.config.vectors,
        )  # fmt: skip
        for kind in _KINDS:
            own = encoded.get(kind, {})
            made[kind] |= {rows[id_]: payload for id_, payload in own.items()}
    return made
