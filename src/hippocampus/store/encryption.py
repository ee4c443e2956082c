"""
The encryption of a store: its header, the master key that this opens, and a key for each bank.

Two kinds of settings stand in the file as they are: the header, whose slots hold the master key
wrapped under each secret that opens the store; and the key of each bank, wrapped under the master
key. The application id of the file says that there must be a header.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from hippocampus.core.cipher import KEY_BYTES, PLAIN, STORE, Cipher, LatelySealed
from hippocampus.core.key import Key, KeyRefused, Slot, as_header, make_slot, open_slots, slots_of
from hippocampus.errors import StoreCorrupt, StoreEncrypted, StoreError, WrongKey
from hippocampus.store.checksums import damaged
from hippocampus.store.database import Database
from hippocampus.store.settings import HEADER, MARK, SqlSettings, key_of


class SqlEncryption:
    """The ciphers of a store's banks; of one in plain words each changes nothing."""

    def __init__(self, db: Database, settings: SqlSettings) -> None:
        self._db = db
        self._settings = settings
        self._key: Key | None = None
        self._header = ""
        self._master: Cipher | None = None
        self._known: dict[int, Cipher] = {}
        self._lately = LatelySealed()
        self.beside: Sequence[SqlEncryption] = (self,)
        """Those of all databases of the store, which one key opens, in their order."""
        self.knows_all: Callable[[], bool] = lambda: not settings.has(MARK)
        """Return whether these are all that there are by now; asked while the first is alone."""

    @property
    def key(self) -> Key | None:
        """The key that opened the store; None of one in plain words."""
        return self._key

    # ------------------------------------------------------------ opening

    def unlock(self, key: Key | None) -> None:
        """
        Open the header with a key, or make one with it in a store that is new.

        Raises:
            StoreEncrypted: it is encrypted, and there is no key.
            WrongKey: the key does not open it, or cannot be had.
            StoreError: it is in plain words, and a key was given.
            StoreCorrupt: it is encrypted, and its header is gone or damaged.

        """
        self._key = key
        if self._is_encrypted():
            self._unlock()
        elif key is not None:
            # Once before the lock, to refuse at once while another may be writing.
            self._check_unused()
            with self._db.write():
                # And once inside, as another process may have begun to use it meanwhile.
                self._check_unused()
                if self._is_encrypted():
                    self._unlock()
                else:
                    self._make(key)

    def _check_unused(self) -> None:
        """Refuse a store in plain words that is in use; another process may just encrypt it."""
        if self._settings.any() and not self._is_encrypted():
            raise self._db.refuse(
                StoreError, "is not encrypted, so no key opens it: leave the key out, or make one"
                " that is with 'hippocampus encrypt'",
            )  # fmt: skip

    def _is_encrypted(self) -> bool:
        return self._db.is_marked_encrypted()

    def _make(self, key: Key) -> None:
        self._db.mark_encrypted()
        master = os.urandom(KEY_BYTES)
        self._put_header([self._slot(key, master)])
        self._master = Cipher(master)
        self.make(STORE)
        self._unlock()

    def _unlock(self) -> None:
        self._take(*self._open_stored())

    def _take(self, header: str, master: bytes) -> None:
        # The header last: who sees that it is the stored one, on another thread, has its key.
        self._master, self._known, self._header = Cipher(master), {}, header

    def _open_stored(self) -> tuple[str, bytes]:
        """Return the header, and the master key that it has; anew if both changed meanwhile."""
        while True:
            header = self._stored_header()
            try:
                return header, open_header(self._key, header, self._db.refuse)
            except WrongKey:
                if self._stored_header() == header:
                    raise

    def _stored_header(self) -> str:
        header = self._settings.get_plain(HEADER)
        if header is None:
            raise self._db.refuse(StoreCorrupt, damaged(f"setting {HEADER!r}"))
        return header

    # ------------------------------------------------------------ ciphers

    def of(self, bank: int) -> Cipher:
        """
        Return the cipher of a bank that is there, or of the store itself for ``STORE``.

        Raises:
            StoreCorrupt: the key of the bank is gone or does not open.

        """
        if self._master is None:
            return PLAIN
        known = self._known.get(bank)
        if known is None:
            if bank != STORE and not self._db.rows("SELECT 1 FROM banks WHERE bank = ?", bank):
                return Cipher(os.urandom(KEY_BYTES))  # it was dropped: nothing is there to open
            known = Cipher(self._opened(bank), self._lately)
            if not self._db.writing:  # a bank that is never committed leaves its number to others
                self._known[bank] = known
        return known

    def _opened(self, bank: int) -> bytes:
        """Return the key of a bank; who has changed the master key meanwhile has wrapped it so."""
        name, wrapped, master = key_of(bank), "", None
        while True:
            before = wrapped, master
            wrapped, master = self._settings.get_plain(name) or "", self._master
            if not wrapped or (wrapped, master) == before:
                raise self._db.refuse(StoreCorrupt, damaged(f"the key of bank {bank}"))
            assert master is not None, "a store in plain words has no keys"
            with suppress(ValueError):  # it does not open, or is not even one
                return master.unseal(name, bytes.fromhex(wrapped))
            if self._stored_header() == self._header:
                continue  # another thread may have changed either since it was read
            header, opened = self._open_stored()
            if self._is_present():
                self._take(header, opened)
            with suppress(ValueError):
                return Cipher(opened).unseal(name, bytes.fromhex(wrapped))

    def _is_present(self) -> bool:
        """Return whether what is read now is the present, and no snapshot of before."""
        return True

    def make(self, bank: int) -> None:
        """Make the key of a new bank; the caller is in a transaction that writes."""
        if self._master is None:
            if self._is_encrypted():  # by another process, before anything was written here
                self._unlock()
            return
        # Wrapped under a master key that was changed meanwhile, the bank's key would be lost.
        if self._header and self._stored_header() != self._header:
            self._unlock()
        self._put(bank, os.urandom(KEY_BYTES), self._master)

    def drop(self, bank: int) -> None:
        """Destroy the key of a bank; the caller is in a transaction that writes."""
        self._settings.put_plain(key_of(bank), None)
        self._known.pop(bank, None)

    def forget_texts(self) -> None:
        """Forget the texts that ciphers keep opened."""
        self._lately.clear()
        for known in [*self._known.values()]:
            known.forget_texts()

    # ------------------------------------------------------------ keys to the store

    def kinds(self) -> list[str]:
        """Return the kinds of keys that open the store, in the order in which they were added."""
        header = self._header
        return [slot.kind for slot in slots_of(header)] if header else []

    def add(self, key: Key, *, replace: bool = False) -> None:
        """Have one more key open the store, or this one alone."""
        with self._db.write():
            self._unlock()
            others = [] if replace else slots_of(self._header)
            self._put_header([*others, self._slot(key, self._master_key())])
        self._key = key if replace else self._key
        self._unlock()

    def rotate(self, key: Key) -> None:
        """Wrap the keys of all banks by a new master key, which this key alone opens."""
        master = os.urandom(KEY_BYTES)
        with self._db.write():
            self._unlock()
            for bank in self._settings.keyed():
                self._put(bank, self._opened(bank), Cipher(master))
            self._put_header([self._slot(key, master)])
        self._key = key
        self._unlock()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Write the store while nobody else does, its header opened as it is now."""
        with self._db.write():
            if self._master is not None:
                self._unlock()
            yield

    def check_opens(self) -> None:
        """Refuse a store whose header, as it is by now, the key does not open any more."""
        if self._master is not None:
            self._open_stored()

    def slots(self) -> list[Slot]:
        """Return the slots of the header that is stored now, which the key opens."""
        # Not of the one opened last: another thread may have seen one that is no more.
        return slots_of(self._open_stored()[0])

    def wrap_master(self, key: Key) -> None:
        """Wrap the master key anew under what a key has as its secret by now, inside ``alone``."""
        self._put_header([self._slot(key, self._open_stored()[1])])

    def _master_key(self) -> bytes:
        """Return the master key, which is kept nowhere but in its cipher."""
        return open_header(self._key, self._header, self._db.refuse)

    def _slot(self, key: Key, master: bytes) -> Slot:
        try:
            return make_slot(key, master)
        except KeyRefused as exc:
            raise self._db.refuse(WrongKey, str(exc)) from exc

    def _put(self, bank: int, key: bytes, master: Cipher) -> None:
        self._settings.put_plain(key_of(bank), master.seal(key_of(bank), key).hex())

    def _put_header(self, slots: list[Slot]) -> None:
        self._settings.put_plain(HEADER, as_header(slots))


def open_header(
    key: Key | None, header: str, refuse: Callable[[type[StoreError], str], StoreError]
) -> bytes:
    """
    Return the master key of a store; ``refuse`` makes the errors.

    Raises:
        StoreEncrypted: there is no key.
        WrongKey: the key opens none of the header's slots, or cannot be had.
        StoreCorrupt: it is no header.

    """
    if key is None:
        raise refuse(
            StoreEncrypted,
            "is encrypted; give its key: Memory(path, key=Key.passphrase(…)), or --key or"
            " HIPPOCAMPUS_KEY on the command line",
        )
    try:
        return open_slots(key, slots_of(header))
    except KeyRefused as exc:
        raise refuse(WrongKey, str(exc)) from exc
    except ValueError as exc:
        raise refuse(StoreCorrupt, damaged(f"setting {HEADER!r}")) from exc
