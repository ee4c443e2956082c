"""
Moving banks from one store into another, a file or PostgreSQL, while the source is in use.

    from hippocampus.moving import move

    move("memory.db", "postgresql://db.example.com/memories")

A bank is copied beside the others under a name that nobody sees, compared with its source by a
digest of all that it holds, and takes its name at once: it is never there in part. See
``docs/postgres.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final, Literal, cast

from hippocampus.core.config import Ingest
from hippocampus.core.files import FileId, file_id
from hippocampus.core.key import Key, as_key
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.records import EpisodeRow, Progress, Store
from hippocampus.core.store_address import StoreAddress, addresses, is_url
from hippocampus.engine.context import CALIBRATED, SIGNED, SIGNING, SPANS, check_name
from hippocampus.engine.rebuild import REBUILDING
from hippocampus.errors import (
    EmbedderMismatch,
    InputError,
    StoreCorrupt,
    StoreError,
    UnknownBank,
)
from hippocampus.journal.content import Segments
from hippocampus.journal.draft import digest
from hippocampus.journal.ledger import Ledger
from hippocampus.store import open_store
from hippocampus.store.banks import STAGED
from hippocampus.store.checksums import BLANK
from hippocampus.store.copying import Changed, SqlStore, check_one_embedder, copy_bank, digest_bank
from hippocampus.store.journal import KeptChange

__all__ = ["Moved", "MovedBank", "move"]

_PATIENCE_S: Final = 30.0
"""Seconds that writers of either store are waited for, which may go on meanwhile: three times what
``Config.busy_timeout_s`` has for a write. Chosen by hand."""
_SALT: Final = "salt"
_VAULT: Final = "vault"
_SHARED: Final = ("embedder", SIGNED, SIGNING, SPANS, CALIBRATED, _VAULT)
"""Settings that say how the banks of a store are to be read."""
_OWN: Final = (REBUILDING, "scrub", "erasures")
"""Settings of work on the store itself, which a copy knows nothing of."""
_CHANGES_AT_ONCE: Final = 2048
"""Changes in memory while two histories are compared, as many as rows of a part of a copy
(``store/copying.py``). Chosen by hand."""

Outcome = Literal["copied", "caught up", "there", "ahead", "refused"]


@immutable
class MovedBank:
    """Outcome of moving one bank."""

    bank: str
    """Its name in the target; empty for damage of which nobody can tell whose it is."""
    outcome: Outcome
    """``caught up``: an older copy was replaced; ``there``: it was there, the same; ``ahead``: it
    was there, with all of the source and more; ``refused``: see ``problem``."""
    episodes: int = 0
    changes: int = 0
    digest: str = ""
    """Digest of it, in the source and in the target."""
    head: str = ""
    """Head of its journal in the target: that of the source, unless either is encrypted."""
    behind: int = 0
    """Changes that were made in the source meanwhile, and are not in the target: move again."""
    problem: str = ""


@immutable
class Moved:
    """Outcome of moving all banks."""

    banks: tuple[MovedBank, ...]

    @property
    def whole(self) -> bool:
        """Return whether every bank is in the target as it is in the source."""
        return all(one.outcome != "refused" and not one.behind for one in self.banks)


def move(
    source: StoreAddress,
    target: StoreAddress,
    *,
    banks: Sequence[str] | None = None,
    as_: str | None = None,
    key: Key | str | None = None,
    target_key: Key | str | None = None,
    progress: Progress | None = None,
) -> Moved:
    """
    Copy banks into another store, and compare; nothing is taken out of the source.

    Run again, it goes on where it was stopped, and brings what was written in between. What goes
    wrong with one bank is told, and the others go on.

    Args:
        source: a file, an address or several; read only, while others read and write it.
        target: another one; it is made if it is missing, and may hold banks already.
        banks: which; all by default.
        as_: what the one bank is called in the target.
        key: opens the source, if it is encrypted.
        target_key: opens the target, or has one that is made be encrypted.
        progress: told how many banks are done, and of how many.

    Raises:
        InputError: it is the same store, or a name cannot be one.
        UnknownBank: the source has no such bank.
        EmbedderMismatch: the vectors of the two come from different embedders.
        StoreError: one cannot be opened, or their banks are to be read in different ways.

    """
    _check(source, target, banks, as_)
    opened = partial(open_store, busy_timeout_s=_PATIENCE_S)
    done: list[MovedBank] = []
    with closing(opened(source, read_only=True, create=False, key=as_key(key))) as old:
        names = _names(old, banks)
        with closing(opened(target, key=as_key(target_key))) as new:  # which may make it
            moving = _Moving(cast("SqlStore", old), cast("SqlStore", new), whole=banks is None)
            for name in names:
                done.append(moving.try_bank(name, as_ or name))
                if progress:
                    progress(len(done), len(names))
            moving.finish()
        if banks is None:
            told = _damage(cast("SqlStore", old))
            done += [MovedBank(bank="", outcome="refused", problem=one) for one in told]
    return Moved(banks=tuple(done))


def _check(
    source: StoreAddress, target: StoreAddress, banks: Sequence[str] | None, as_: str | None
) -> None:
    here, there = ({_identity(one) for one in addresses(store)} for store in (source, target))
    if ":memory:" in here | there:
        raise InputError("a store in memory is of one process; name a file or postgresql://…")
    if here & there:
        raise InputError(f"{target}: is the source as well; name another store")
    if as_ is not None:
        check_name(as_)
        if banks is None or len(banks) != 1:
            raise InputError(f"as_={as_!r}: is the name of one bank; name which it is of")


def _identity(address: str) -> str | FileId:
    """Return the identity of a store: of a file one, under whatever of its names."""
    if is_url(address) or address == ":memory:":
        return address
    # SQLite would give each name of one file a log of its own.
    return file_id(Path(address)) or str(Path(address).resolve())


def _damage(source: SqlStore) -> list[str]:
    """Return the damage of a store that no list of banks shows, nor any checksum of a row."""
    # A database server looks after its own pages.
    return source.upkeep.check() if source.upkeep.files() else source.banks.damaged()


def _names(source: Store, banks: Sequence[str] | None) -> list[str]:
    there = source.banks.names()
    if banks is None:
        return there
    for name in banks:
        check_name(name)
        if name not in set(there):
            raise UnknownBank(f"no bank {name!r} in {source.path}")
    return list(dict.fromkeys(banks))


class _Moving:
    """Two open stores, and what is known of how the one's banks are read in the other."""

    def __init__(self, source: SqlStore, target: SqlStore, *, whole: bool) -> None:
        self._source, self._target = source, target
        with source.read(), target.write():
            _settle(source, target, whole=whole)
            # Compared again for each bank: others may change it meanwhile.
            self._told, self._agreed = _shared(source), _shared(target)
        self._salt = target.settings.get(_SALT)

    def try_bank(self, name: str, new_name: str) -> MovedBank:
        """Move a bank; a fault of this bank alone is reported, and not raised."""
        try:
            return self._bank(name, new_name)
        # Of this bank alone; a database that went away would fail every other one as well.
        except (StoreCorrupt, UnknownBank, InputError) as exc:
            return MovedBank(bank=new_name, outcome="refused", problem=str(exc))

    def _bank(self, name: str, new_name: str) -> MovedBank:
        source, target = self._source, self._target
        # One snapshot for all of it, since others go on writing.
        with source.read():
            old = source.banks.number(name)
            if old is None:
                raise UnknownBank(f"bank {name!r} was deleted from {source.path} meanwhile")
            if not _is_read_as(source, self._told, old):
                raise StoreError(
                    "was moved to another embedder, or is read in another way since the move"
                    " began: move again, and if its embedder has changed, into a new store",
                    path=source.path,
                )
            last = source.journal.last_seq(old)
            found = self._compare(old, new_name)
            if found.outcome in ("there", "ahead"):
                made = found.digest
            else:
                made = self._copy(old, new_name, found)
            episodes = source.episodes.count(old)
        number = target.banks.number(new_name)
        # Outside of the snapshot, to see what was written since it was taken.
        behind = source.journal.last_seq(old) - last if source.banks.number(name) == old else 0
        return MovedBank(
            bank=new_name, outcome=found.outcome, episodes=episodes, changes=last,
            digest=made.hex(), head="" if number is None else target.journal.head(number).hex(),
            behind=max(behind, 0),
        )  # fmt: skip

    def _compare(self, old: int, name: str) -> _There:
        """Return the bank that the target has under a name, beside the one that is to be there."""
        source, target = self._source, self._target
        with target.read():
            new = target.banks.number(name)
            if new is None:
                return _There("copied")
            seq, last = target.journal.last_seq(new), source.journal.last_seq(old)
            # A bank that holds nothing can be replaced.
            if seq == 0 == target.episodes.count(new):
                return _There("copied", new)
            common = min(seq, last)
            if common and self._has_history(old, new, common):
                if seq > last:
                    return _There("ahead", new, digest_bank(target, new))
                if seq < last:
                    return _There("caught up", new, seq=seq)
            made = digest_bank(target, new)
        if made == digest_bank(source, old):
            return _There("there", new, made)
        raise InputError(
            f"bank {name!r} is in {target.path} already, with other content; give it another name"
            " there (--as), or delete the one there"
        )

    def _has_history(self, old: int, new: int, seq: int) -> bool:
        """Return whether the first changes in the target are those of the source."""
        source, target = self._source.journal, self._target.journal
        # Heads are over what is sealed, by another key in each store, so they say nothing there.
        if not (source.is_sealed(old) or target.is_sealed(new)):
            return source.head(old, seq=seq) == target.head(new, seq=seq)
        for after in range(0, seq, _CHANGES_AT_ONCE):
            limit = min(_CHANGES_AT_ONCE, seq - after)
            here = source.kept(old, after=after, limit=limit)
            there = target.kept(new, after=after, limit=limit)
            if not all(_is_same(*pair) for pair in zip(here, there, strict=True)):
                return False
        return True

    def _copy(self, old: int, name: str, found: _There) -> bytes:
        """Copy a bank beside the others, compare, and have it take its name; inside ``read()``."""
        source, target = self._source, self._target
        with target.write():
            self._drop_staged(f"{STAGED}{name}")
            new = target.banks.add(f"{STAGED}{name}", source.banks.since(old))
        made = copy_bank(source, old, target, new, changed=self._redigest(old))
        with target.read():
            # Read back: what counts is what has arrived.
            again = digest_bank(target, new)
        if again != made:
            raise StoreCorrupt(
                f"bank {name!r} does not come to the same in the target as in the source"
                f" ({again.hex()}, not {made.hex()}): check its disk, and move it again",
                path=target.path,
            )
        with target.write():
            self._take_name(new, name, found)
        return made

    def _take_name(self, new: int, name: str, found: _There) -> None:
        target = self._target
        # All of this is looked at in the transaction that gives the name, for copying took long.
        if not _is_read_as(target, self._agreed, new):
            raise StoreError(
                "was moved to another embedder, or is read in another way since the move began:"
                " begin it anew", path=target.path,
            )  # fmt: skip
        if target.banks.number(f"{STAGED}{name}") != new:
            raise InputError(f"bank {name!r} was moved to {target.path} by another move meanwhile")
        there = target.banks.number(name)
        if there != found.bank or (there and target.journal.last_seq(there) != found.seq):
            raise InputError(f"bank {name!r} was written in {target.path} meanwhile; move it again")
        # In one transaction: until it ends no verb lists the copy, and then all find it whole
        # (docs/adr/0079).
        if there is not None:
            target.upkeep.owe_drop(there)  # before: no two banks have one name
        target.banks.rename(new, name)
        target.settings_of(new).put("embedder", self._agreed[0])

    def _redigest(self, old: int) -> Changed | None:
        """Return a function that makes digests of texts, under the salt of a store."""
        source_salt, salt = self._source.settings.get(_SALT), self._salt
        # Digests that were made under another salt would match nothing in the target.
        if salt is None or source_salt in (None, salt):
            return None
        assert source_salt is not None, "it was just compared"
        ledger = Ledger(
            cast("Store", self._source), old, name="", salt=bytes.fromhex(source_salt),
            limits=Ingest(), now=partial(datetime.now, UTC), segments=Segments(),
        )  # fmt: skip
        made_with = bytes.fromhex(salt)

        def changed(rows: Sequence[EpisodeRow]) -> Sequence[EpisodeRow]:
            texts = ledger.reader.texts([row.row for row in rows])
            return [
                row._replace(digest=digest(made_with, texts[row.row])) if row.row in texts else row
                for row in rows
            ]

        return changed

    def _drop_staged(self, name: str) -> None:
        """Remove the remains of a move that was cut off; inside a transaction."""
        number = self._target.banks.number(name)
        if number is not None:
            self._target.upkeep.owe_drop(number)

    def finish(self) -> None:
        """Take bytes of what was replaced out of the target, if nobody is in the way."""
        with suppress(StoreError):  # it is still owed, and whoever comes next tries again
            if self._target.upkeep.owes_scrub():
                self._target.upkeep.scrub(wait=False)


@immutable(kw_only=False)
class _There:
    """State of the target under the name of a bank, and so what is to be done."""

    outcome: Outcome
    bank: int | None = None
    digest: bytes = b""
    seq: int = 0


def _is_same(here: KeptChange, there: KeptChange) -> bool:
    """Return whether a change is the source's, or was before its details were erased there."""
    told = here.change.detail
    return here.change == there.change or (
        told == BLANK and here.change == there.change._replace(detail=told)
    )


def _shared(store: SqlStore) -> list[str | None]:
    return [store.settings.get(key) for key in _SHARED]


def _is_read_as(store: SqlStore, agreed: Sequence[str | None], bank: int) -> bool:
    """Return whether a bank is read as was agreed: its database says by itself whose vectors."""
    made_by = store.settings_of(bank).get("embedder")
    return _shared(store) == agreed and made_by in (None, agreed[0])


def _settle(source: SqlStore, target: SqlStore, *, whole: bool) -> None:
    """
    Have the target read banks as the source does, or refuse; inside a transaction.

    ``whole``: all banks are moved, and so is all that is of the source, such as keys of servers.
    """
    for store in (source, target):
        check_one_embedder(store)
    mine, begun = dict(source.settings.every()), dict(target.settings.every())
    if not begun:
        kept = mine if whole else {key: mine[key] for key in (_SALT, *_SHARED) if key in mine}
        for key, value in kept.items():
            if key not in _OWN:
                target.settings.put(key, value)
        return
    for message in _differences(mine, begun, empty=not target.banks.names()):
        raise StoreError(message, path=target.path)
    ours, theirs = mine.get("embedder"), begun.get("embedder")
    if ours is not None and theirs not in (None, ours):
        raise EmbedderMismatch(stored=str(ours), configured=str(theirs))
    for key in (*_SHARED, _SALT):
        if key in mine and key not in begun:
            target.settings.put(key, mine[key])


def _differences(mine: dict[str, str], begun: dict[str, str], *, empty: bool) -> Iterator[str]:
    if mine.get(SIGNED) != begun.get(SIGNED) and not (empty and SIGNED not in begun):
        yield (
            "signs tokens in another way than the source, or only one of the two does: run"
            " 'hippocampus reindex --no-signatures' on the one that does, and move again"
        )
    if mine.get(_VAULT) not in (None, begun.get(_VAULT)) and _VAULT in begun:
        yield (
            "has a vault of its own, which could not open the secrets of the source: move into a"
            " store without one"
        )
