"""
The encryption of a store in PostgreSQL, in which an erasure gives a bank another key.

The database keeps what was written in its log, its backups and the dead rows of its tables, and
each with the wrapped keys of then. So what an erasure leaves of a bank is sealed anew under another
key, and then the master key is changed, under which all are wrapped, with the secret that opens it:
that is outside of the database, and the former one is destroyed (``Key.ring``).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Final

from hippocampus.core.cipher import KEY_BYTES, STORE, Cipher, Unsealable
from hippocampus.core.key import Key, KeyRefused, make_slot, open_slots, opened_by, slots_of
from hippocampus.errors import ErasurePending, StoreCorrupt, StoreError, StoreLocked, WrongKey
from hippocampus.store.checksums import damaged
from hippocampus.store.encryption import SqlEncryption
from hippocampus.store.postgres.transactions import PostgresTransactions
from hippocampus.store.settings import SqlSettings, key_of

WAITING: Final = "erasures"
"""The setting that says that what was erased is in logs and backups that the keys open."""

_DURABLY: Final = (
    "SELECT set_config('synchronous_commit', 'on', true)"
    " WHERE current_setting('synchronous_commit') <> 'remote_apply'"
)
"""Has a transaction committed only once its log is on the disk, and on a synchronous standby's: a
header that is lost with a database's last commits would need a line that the ring has lost."""


class _Opened(Cipher):
    """The cipher of a bank as last looked up; what does not open may have been sealed anew."""

    def __init__(
        self, key: bytes, wrapped: str, again: Callable[[], Cipher], former: Cipher | None
    ) -> None:
        super().__init__(key)
        self.wrapped = wrapped
        self.looked = 0
        self._again = again
        self.alone = Cipher(key)
        self._former = former

    def unseal(self, place: str, sealed: bytes) -> bytes:
        try:
            return super().unseal(place, sealed)
        except Unsealable:
            if self._former is not None:  # it was read just before another thread saw the change
                with suppress(Unsealable):
                    return self._former.unseal(place, sealed)
            other = self._again()
            if isinstance(other, _Opened) and other.wrapped == self.wrapped:
                raise
            return other.unseal(place, sealed)


class _LookedUp(threading.local):
    """The ciphers that a thread's transaction has looked up."""

    transaction: int = 0

    def __init__(self) -> None:
        self.known: dict[int, Cipher] = {}


class PostgresEncryption(SqlEncryption):
    """The ciphers of a store's banks, of which each may have another key from an erasure on."""

    def __init__(self, db: PostgresTransactions, settings: SqlSettings) -> None:
        super().__init__(db, settings)
        self._transactions = db.open
        self._latest: dict[int, _Opened] = {}
        self._here = _LookedUp()

    def of(self, bank: int) -> Cipher:
        """
        Return the cipher of a bank, or of the store itself for ``STORE``.

        In a transaction it is looked up once: what others have committed since does not count. Out
        of one it is, whenever the store has changed, and again where something does not open.
        """
        if self._master is None:
            return super().of(bank)
        number = self._transactions.transaction
        here = self._here
        if number is None:
            latest = self._latest.get(bank)
            noting = self._transactions.noting
            if latest is not None and not noting and latest.looked == self._transactions.seen:
                return latest
            return self._look(bank)
        if here.transaction != number:
            here.transaction, here.known = number, {}
        if bank not in here.known:
            here.known[bank] = self._look(bank)
        return here.known[bank]

    def look_again(self, bank: int) -> Cipher:
        """Return the cipher of a bank as of now, or as of the transaction; see ``of``."""
        if self._master is None or self._transactions.transaction is not None:
            return self.of(bank)
        return self._look(bank)

    def _look(self, bank: int) -> Cipher:
        # ``seen`` from before the look: what changes during it has the key looked up once more.
        seen, latest = self._transactions.seen, self._latest.get(bank)
        wrapped = self._settings.get_plain(key_of(bank)) or ""
        if self._transactions.noting:  # the key is going to be asked for with the rest
            return latest or Cipher(os.urandom(KEY_BYTES))
        if latest is None or latest.wrapped != wrapped:
            there = bank == STORE or self._db.rows("SELECT 1 FROM banks WHERE bank = ?", bank)
            if not there:
                return Cipher(os.urandom(KEY_BYTES))  # it was dropped: nothing is there to open
            latest = _Opened(
                self._opened(bank),
                wrapped,
                partial(self._look, bank),
                None if latest is None else latest.alone,
            )
        if self._transactions.transaction is None:  # what a snapshot shows may be of the past
            latest.looked = seen
            self._latest[bank] = latest
        return latest

    def _is_present(self) -> bool:
        transactions = self._transactions
        return transactions.transaction is None or transactions.writing

    def _opened(self, bank: int) -> bytes:
        try:
            return super()._opened(bank)
        except WrongKey as exc:
            if self._is_present():
                raise
            raise self._db.refuse(
                StoreLocked,
                "an erasure has changed the keys while this was read as it was before; nothing was"
                " changed: do it again",
            ) from exc

    def make(self, bank: int) -> None:
        super().make(bank)
        self._forget(bank)

    def drop(self, bank: int) -> None:
        super().drop(bank)
        self._forget(bank)

    def forget_texts(self) -> None:
        super().forget_texts()
        for latest in [*self._latest.values()]:
            latest.forget_texts()

    def _forget(self, bank: int) -> None:
        self._latest.pop(bank, None)
        if self._here.transaction == self._transactions.transaction:
            self._here.known.pop(bank, None)

    # ------------------------------------------------------------ other keys

    @property
    def seals(self) -> bool:
        """Return whether the store is encrypted."""
        return self._master is not None

    def has_key(self, bank: int) -> bool:
        """Return whether a bank has a key, and so is there, whoever may see it."""
        return self._settings.get_plain(key_of(bank)) is not None

    def replace(self, bank: int) -> tuple[Cipher, Cipher]:
        """Give a bank another key, inside ``write()``; return the cipher of before, and its own."""
        before = self.of(bank)
        if self._stored_header() != self._header:
            self._unlock()
        assert self._master is not None, "who asks has looked"
        self._put(bank, os.urandom(KEY_BYTES), self._master)
        self._forget(bank)
        return before, self.of(bank)

    def renew(self) -> bool:
        """
        Change the master key and the secret that opens it; return whether the key is a ring.

        The new secret is on the disk before anything is wrapped by it, and the former goes once
        that is committed, and no database beside this one needs it: whatever happens in between,
        the ring opens the store.

        Raises:
            ErasurePending: the ring cannot be written, or does not open every database.

        """
        key = self._key
        if key is None or not key.is_ring:
            return False
        try:
            return self._renew(key)
        except (KeyRefused, WrongKey) as exc:
            raise self._waits(str(exc)) from exc

    def _renew(self, key: Key) -> bool:
        # The first is written alone wherever the ring is: nobody else adds to it meanwhile.
        with self.beside[0].alone(), self.alone():
            self._check_all()
            if self._has_other_keys():
                return False
            secret, master = key.renewed(), os.urandom(KEY_BYTES)
            self._wrap_all(Cipher(master))
            self._put_header([make_slot(key, master, secret=secret)])
        for other in (one for one in self.beside if one is not self):
            with self.beside[0].alone(), other.alone():
                if len(other.slots()) == 1:  # or it is told below
                    other.wrap_master(key)
        with ExitStack() as alone:
            for one in self.beside:
                alone.enter_context(one.alone())
            self._check_all()
            if self._has_other_keys():
                return False
            key.keep([opened_by(key, one.slots())[0] for one in self.beside])
        return True

    def _has_other_keys(self) -> bool:
        """Return whether others open a database: a header with one slot would lock them out."""
        return any(len(one.slots()) > 1 for one in self.beside)

    def _check_all(self) -> None:
        """Refuse to renew a ring that may open a database which nobody here knows of."""
        if not self.knows_all():
            raise self._waits(
                "the store is in more databases by now, which the ring opens as well; open it again"
                " with all of them"
            )

    def _waits(self, reason: str) -> StoreError:
        return self._db.refuse(
            ErasurePending,
            f"what was erased is still in the log and in backups that the keys open: {reason};"
            " it is tried again with the next erasure, or when the store is opened",
        )

    @contextmanager
    def alone(self) -> Iterator[None]:
        with super().alone():
            self._db.rows(_DURABLY)
            yield

    def _wrap_all(self, master: Cipher) -> None:
        """Wrap every key by another master key; all at once, for there may be a million."""
        assert self._master is not None, "it has just been unlocked"
        made = []
        for name, wrapped in self._settings.wrapped():
            try:
                key = self._master.unseal(name, bytes.fromhex(wrapped))
            except ValueError as exc:
                raise self._db.refuse(StoreCorrupt, damaged(f"setting {name!r}")) from exc
            made.append((name, master.seal(name, key).hex()))
        self._settings.put_all_plain(made)

    def rotate(self, key: Key) -> None:
        """Wrap the keys of all banks by a new master key; a secret of before opens nothing more."""
        before = slots_of(self._header)
        super().rotate(key)
        try:
            # If it opens the former header, logs and backups can still be read with it.
            open_slots(key, before)
        except KeyRefused:
            with self._db.write():
                self._settings.put(WAITING, None)
