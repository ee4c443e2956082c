"""Make everything that is derived from the texts of a store anew, and swap it in at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from hippocampus.core.budget import check_budget
from hippocampus.core.config import Signatures
from hippocampus.core.events import IndexRebuilt
from hippocampus.core.given_arguments import check_several
from hippocampus.core.overtaken import done_again
from hippocampus.core.records import Embedder, Kind, Progress
from hippocampus.core.records.store import SettingsTable
from hippocampus.encode.random_indexing import dump
from hippocampus.engine.context import EngineContext, dump_fingerprint
from hippocampus.errors import HippocampusError, InputError, StoreError
from hippocampus.journal.draft import Encoded
from hippocampus.journal.ledger import Ledger
from hippocampus.journal.payloads import NEXT
from hippocampus.write.encode import context_before, encode_drafts

REBUILDING: Final = "rebuilding"
"""The setting that says whose vectors an unfinished rebuild makes; there is one at a time."""
_ASKS: Final = 2
"""Times that a rebuild which others have ended begins again, before it keeps all writers waiting.
Chosen by hand."""


def rebuild(
    engine: EngineContext,
    *,
    banks: Sequence[str] | None = None,
    embedder: Embedder | None = None,
    progress: Progress | None = None,
) -> dict[str, int]:
    """Make every derived payload anew; see ``Memory.rebuild``."""
    if banks is not None:
        check_several("banks", banks, of="names of banks")
    maker = embedder or engine.embedder
    if embedder is not None:
        if set(engine.store.banks.names()) - set(_named(engine, banks)):
            msg = f"banks={banks!r}: a store has one embedder, so all banks move; leave it out"
            raise InputError(msg)
        banks = None  # those that come to be meanwhile as well
    moves = embedder is not None
    for tried in range(_ASKS + 1):
        signed, mark = _making(engine, maker)
        _begin(engine, mark, maker, moves=moves)
        for report in (progress, None):  # twice: once more for what was written meanwhile
            for name in _named(engine, banks):
                encode = _encoder(engine, maker, signed)
                _stage(engine.ledger(name), encode, mark, progress=report)
        swap = partial(_swap_once, engine, banks, maker, mark, moves=moves, insists=tried == _ASKS)
        done = _swapped(engine, swap)
        if done is not None:
            break
    return done or {}


def begin(engine: EngineContext, embedder: Embedder) -> None:
    """
    Begin a rebuild with this embedder, or go on with one, for ``stage`` to make its payloads.

    What a rebuild with another one has made until now is dropped, and that one ends.
    """
    _begin(engine, _making(engine, embedder)[1], embedder, moves=True)


def _is_under_way(engine: EngineContext, embedder: Embedder) -> bool:
    """
    Return whether a rebuild with this embedder that has begun goes on: others may have ended it.

    Raises:
        StoreError: another one has begun since.

    """
    if _is_staged(engine, _making(engine, embedder)[1]):
        return True
    mark = engine.store.settings.get(REBUILDING)
    if mark is None and engine.stored_fingerprint() == embedder.fingerprint:
        return False
    raise StoreError(
        "somebody else has begun to rebuild the store in another way, so that this rebuild has"
        " ended; nothing was changed by it: wait for the other one, and run it again",
        path=engine.store.path,
    )


def stage(engine: EngineContext, embedder: Embedder, *, banks: Sequence[str]) -> None:
    """
    Make the payloads of some banks as ``rebuild`` with this embedder would, and swap nothing.

    It then finds them made. Any number of processes may do so at once, after one has begun it;
    there is nothing to do where others have ended it.

    Raises:
        StoreError: another rebuild has begun since.

    """
    if _is_under_way(engine, embedder):
        signed, mark = _making(engine, embedder)
        encode = _encoder(engine, embedder, signed)
        for name in banks:
            _stage(engine.ledger(name), encode, mark)


def finish(engine: EngineContext, embedder: Embedder) -> dict[str, int] | None:
    """
    Put the payloads of ``stage`` in place, with newer ones; None where others have done so.

    Raises:
        StoreError: another rebuild has begun since.

    """
    stage(engine, embedder, banks=engine.store.banks.names())
    while _is_under_way(engine, embedder):
        mark = _making(engine, embedder)[1]
        done = _swapped(engine, partial(_swap_once, engine, None, embedder, mark, moves=True))
        if done is not None:
            return done
    return None


def go_on(engine: EngineContext) -> None:
    """
    Finish a change to this embedder that was cut off between the commits of several databases.

    If that cannot be, whoever comes next tries again: each database says whose its vectors are.
    """
    maker = engine.embedder
    if engine.read_only or maker is None:
        return
    with suppress(HippocampusError):
        mark = engine.store.settings.get(REBUILDING)
        if engine.is_between_embedders() and mark == _making(engine, maker)[1]:
            finish(engine, maker)


def _making(engine: EngineContext, maker: Embedder | None) -> tuple[Signatures | None, str]:
    """Return a rebuild's way of signing, and its name with this embedder and these signatures."""
    signed = None if _outlived(engine, maker) else engine.signatures()
    mark = "" if maker is None else dump_fingerprint(maker.fingerprint)
    mark += "" if signed is None else dump(signed)
    return signed, mark + (" and spans" if engine.spans() else "")


def _encoder(
    engine: EngineContext, maker: Embedder | None, signed: Signatures | None
) -> Callable[..., Encoded]:
    """Return the encoder of drafts into payloads."""
    return partial(
        encode_drafts,
        zone=engine.zone,
        embedder=maker,
        signed=signed,
        spans=engine.spans(),
        form=engine.config.vectors,
    )


def _outlived(engine: EngineContext, maker: Embedder | None) -> bool:
    """Return whether signatures that nobody asked for have an embedder in their place."""
    embeds = maker is not None or engine.fingerprint() is not None
    return embeds and engine.signing().unasked


def _named(engine: EngineContext, banks: Sequence[str] | None) -> list[str]:
    return engine.store.banks.names() if banks is None else list(banks)


def _begin(engine: EngineContext, mark: str, maker: Embedder | None, *, moves: bool) -> None:
    """
    Drop the payloads of another rebuild, unless it makes the same and this one goes on.

    Each database has the mark by itself, so that whoever writes there sees whose payloads it has.
    In those that have changed to this embedder already there is none, and nothing to do.
    """
    store = engine.store
    with store.write():
        if not moves:
            _check_settled(engine, maker)
        changed = _changed(engine, maker) if store.settings.get(REBUILDING) == mark else ()
        anew = [
            kept
            for kept in store.every_settings()
            if kept.get(REBUILDING) != mark and kept not in changed
        ]
        # What is there may be of an embedder with as many dimensions, and would not be told apart.
        for ledger in map(engine.ledger, store.banks.names() if anew else ()):
            if store.settings_of(ledger.bank) in anew:
                drop(ledger)
        for kept in anew:
            kept.put(REBUILDING, mark)


def _changed(engine: EngineContext, maker: Embedder | None) -> Sequence[SettingsTable]:
    """Return the databases that a change to this embedder, which was cut off, has changed."""
    if maker is None or not engine.is_between_embedders():
        return ()
    made = dump_fingerprint(maker.fingerprint)
    every = engine.store.every_settings()
    return [kept for kept in every if (kept.get("embedder"), kept.get(REBUILDING)) == (made, None)]


def _check_settled(engine: EngineContext, maker: Embedder | None) -> None:
    """Refuse a rebuild that would move the store to another embedder without being asked to."""
    engine.check_embedder(maker)
    if engine.is_between_embedders():
        raise StoreError(
            "a change of its embedder is not finished: some of its databases have the vectors of"
            " one, and some of another; finish it by 'hippocampus reembed', and try again",
            path=engine.store.path,
        )


def _swapped(
    engine: EngineContext, swap: Callable[[], dict[str, int] | None]
) -> dict[str, int] | None:
    """Return the result of a swap; this engine has its embedder of before if it failed."""
    before = engine.embedder

    def restore() -> None:
        engine.embedder = before

    with engine.embedder_lock:
        try:
            return done_again(swap, between=restore)
        except BaseException:
            restore()
            raise


def _is_staged(engine: EngineContext, mark: str) -> bool:
    """Return whether the payloads are of this rebuild, but where they have changed already."""
    others = {kept.get(REBUILDING) for kept in engine.store.every_settings()} - {mark, None}
    return engine.store.settings.get(REBUILDING) == mark and not others


def _swap_once(
    engine: EngineContext,
    banks: Sequence[str] | None,
    maker: Embedder | None,
    mark: str,
    *,
    moves: bool,
    insists: bool = False,
) -> dict[str, int] | None:
    """
    Put the payloads of a rebuild in place of the old ones, in each database all of them or none.

    Several databases commit one after the other, the first one last, and each says with it whose
    its vectors are; cut off in between, it is for ``go_on``, or the next who moves the store.

    One that ``moves`` the store may make it another embedder's. Where others have ended it, or the
    store is signed otherwise meanwhile, all would have to be made here, while every writer waits:
    None, unless it ``insists``.
    """
    done: dict[str, int] = {}
    declined = engine.config.signatures is None
    kinds: set[Kind] = {"lexical", "times", "phrase"}
    if maker is not None:
        kinds |= {"vector", "tokens", "spans"}
    with engine.store.write():
        signed, now = _making(engine, maker)
        if insists:
            _begin(engine, now, maker, moves=moves)
        elif now != mark or not _is_staged(engine, mark):
            return None
        unsigns = banks is None and (declined or _outlived(engine, maker))
        if signed is not None or unsigns:
            kinds.add("signature")
        for name in _named(engine, banks):
            ledger = engine.ledger(name)
            _stage(ledger, _encoder(engine, maker, signed), now)  # what came until this moment
            done[name] = _promote(engine, ledger, kinds, maker)
        for kept in engine.store.every_settings():
            if maker is not None:
                kept.put("embedder", dump_fingerprint(maker.fingerprint))
            kept.put(REBUILDING, None)
        if unsigns:
            engine.drop_signatures(declined=declined)
        engine.settle_signatures(record=True)
        engine.settle_spans(whole=banks is None and maker is not None)
        if engine.embedder is not None:  # not after the commit: the next writer asks for it
            engine.embedder = maker
    return done


def drop(ledger: Ledger) -> None:
    """Throw away what an unfinished rebuild has made; inside a transaction."""
    for kind in NEXT.values():
        ledger.store.payloads.drop(ledger.bank, kind)


def _stage(
    ledger: Ledger,
    encode: Callable[..., Encoded],
    mark: str,
    *,
    progress: Progress | None = None,
) -> None:
    """
    Make the derived payloads anew beside the present ones; goes on where it was stopped.

    One transaction a batch; ends early when the setting is no longer ``mark``, for then another
    rebuild has begun, or ended this one. Reads texts alone: a damaged index is to be repaired.
    """
    store, bank, batch = ledger.store, ledger.bank, ledger.limits.batch
    kept = store.settings_of(bank)
    if kept.get(REBUILDING) != mark:
        return
    # Every text has words, so by their payloads one sees which rows are done.
    staged = {row for row, _ in store.payloads.tail(bank, NEXT["lexical"])}
    records = list(store.episodes.scan(bank))
    missing = {e.row for e in records if e.state != "erased"} - staged
    if not missing:
        return
    stop = len(records)
    phrases = bool(
        store.payloads.block_spans(bank, "phrase") or store.payloads.tail(bank, "phrase")
    )
    said: dict[str, list[str]] = {}
    for first in range(0, stop, batch):  # from 0: what was said before colours what comes after
        check_budget()
        some = records[first : first + batch]
        drafts = ledger.reader.drafts(some)
        before = context_before(drafts, said)
        if any(record.row in missing for record in some):
            encoded = encode(drafts, before, phrases=phrases)
            made = {NEXT[kind]: encoded[kind] for kind in NEXT if kind in encoded}
            with store.write(bank):
                if kept.get(REBUILDING) != mark:
                    return
                # What was erased while we encoded it must not come in again by this door.
                there = store.episodes.read(bank, [record.row for record in some])
                ledger.payloads.put(made, {e.id: e.row for e in there if e.state != "erased"})
        if progress:
            progress(min(first + batch, stop), stop)


def _promote(
    engine: EngineContext, ledger: Ledger, kinds: Collection[Kind], maker: Embedder | None
) -> int:
    """
    Put the payloads of some kinds from ``_stage`` in place; inside a transaction.

    There are none in a database that has changed already. Returns how many episodes are in force.
    """
    if ledger.store.settings_of(ledger.bank).get(REBUILDING) is not None:
        for kind, made in NEXT.items():
            if kind in kinds:
                ledger.store.payloads.move(ledger.bank, made, kind)
        ledger.payloads.seal()
        ledger.writer.note(IndexRebuilt())
        if maker is not None and maker.fingerprint != engine.stored_fingerprint(ledger.bank):
            ledger.payloads.forget_slept()
    return sum(row.state == "active" for row in ledger.store.episodes.scan(ledger.bank))
