"""Make everything that is derived from the texts of a store anew, and swap it in at once."""

from __future__ import annotations

from collections.abc import Sequence

from hippocampus.core.config import Signatures
from hippocampus.core.records import Embedder, Kind, Progress
from hippocampus.encode.random_indexing import dump
from hippocampus.engine.context import SIGNED, EngineContext, dump_fingerprint
from hippocampus.errors import InputError
from hippocampus.write.rebuild import REBUILDING, drop, promote, stage


def rebuild(
    engine: EngineContext,
    *,
    banks: Sequence[str] | None = None,
    embedder: Embedder | None = None,
    progress: Progress | None = None,
) -> dict[str, int]:
    """
    Make every derived payload anew from the texts; returns episodes by bank.

    What is there stays in use until all of it is ready, then changes in one transaction.
    Stopped half-way, it goes on where it was. With ``embedder`` the vectors become that one's.

    Raises:
        InputError: ``embedder`` with only some of the banks; a store has one.

    """
    maker = embedder or engine.embedder
    if embedder is not None:
        if set(engine.store.banks.names()) - set(_named(engine, banks)):
            msg = f"banks={banks!r}: a store has one embedder, so all banks move; leave it out"
            raise InputError(msg)
        banks = None  # those that come to be meanwhile as well
    signed, mark = _making(engine, maker)
    _begin(engine, mark)
    for report in (progress, None):  # twice: once more for what was written meanwhile
        for name in _named(engine, banks):
            stage(engine.ledger(name), maker, signed, mark, progress=report)
    return _swap(engine, banks, maker)


def _making(engine: EngineContext, maker: Embedder | None) -> tuple[Signatures | None, str]:
    """Return how a rebuild signs now, and what to call one with this embedder that does so."""
    signed = engine.signatures()
    mark = "" if maker is None else dump_fingerprint(maker.fingerprint)
    return signed, mark + ("" if signed is None else dump(signed))


def _named(engine: EngineContext, banks: Sequence[str] | None) -> list[str]:
    return engine.store.banks.names() if banks is None else list(banks)


def _begin(engine: EngineContext, mark: str) -> None:
    """Drop what another rebuild has made, unless it makes the same and this one goes on."""
    with engine.store.write():
        if engine.store.settings.get(REBUILDING) != mark:
            for name in engine.store.banks.names():
                drop(engine.ledger(name))
            engine.store.settings.put(REBUILDING, mark)


def _swap(
    engine: EngineContext, banks: Sequence[str] | None, maker: Embedder | None
) -> dict[str, int]:
    """Put what a rebuild has made in the place of what was, all of it or nothing."""
    done: dict[str, int] = {}
    before, unsigns = engine.embedder, engine.config.signatures is None and banks is None
    kinds: set[Kind] = {"lexical", "phrase"}
    if maker is not None:
        kinds |= {"vector", "tokens"}
    with engine.embedder_lock:
        try:
            with engine.store.write():
                signed, mark = _making(engine, maker)  # if it was signed otherwise meanwhile
                moves = maker is not None and maker.fingerprint != engine.stored_fingerprint()
                if signed is not None or unsigns:
                    kinds.add("signature")
                _begin(engine, mark)  # if another one has come between
                for name in _named(engine, banks):
                    ledger = engine.ledger(name)
                    stage(ledger, maker, signed, mark)  # what came until this transaction
                    done[name] = promote(ledger, kinds)
                    if moves:
                        ledger.payloads.forget_slept()
                if maker is not None:
                    engine.store.settings.put("embedder", dump_fingerprint(maker.fingerprint))
                if unsigns:
                    engine.store.settings.put(SIGNED, None)
                engine.settle_signatures(record=True)
                engine.store.settings.put(REBUILDING, None)
                if before is not None:  # not after the commit: the next writer asks for it
                    engine.embedder = maker
        except BaseException:
            engine.embedder = before
            raise
    return done
