"""API keys: roles and banks of each, kept in the store, which servers and backups share."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from hippocampus import wire
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.errors import InputError, Unauthorized
from hippocampus.memory import Memory
from hippocampus.verbs import AccessRole

SETTING: Final = "api-keys"
"""The setting that holds them; as long as nobody has made one, it is missing."""
ROLES: Final[tuple[AccessRole, ...]] = ("read", "write", "admin")
"""The roles of a key; each includes the one before it."""
_PREFIX: Final = "hpc"
"""Beginning of a key, so that whoever finds one knows what it is."""
_SECRET_BYTES: Final = 32
"""Bytes at random: 256 bits, which nobody finds by trying, so that a fast keyed hash is enough to
keep of them (docs/adr/0027)."""


@immutable
class ServerKey:
    """
    One key as the store keeps it: not the secret, but a hash of it, keyed by the store's salt.

    A secret is 256 random bits, so nobody finds it by trying, however fast the hash is.
    """

    id: str
    name: str
    role: AccessRole
    banks: tuple[str, ...]
    """Names of banks; one that ends in ``*`` means all that begin so."""
    digest: str
    made_at: datetime
    former: str = ""
    """The hash of the secret before it was rotated, until ``former_until``."""
    former_until: datetime | None = None


@immutable
class KeyInfo:
    """A key as it is shown: everything but what could help to guess it."""

    id: str
    name: str
    role: AccessRole
    banks: tuple[str, ...]
    made_at: datetime
    former_until: datetime | None = None
    """Until when the secret before the last rotation is still taken."""


@immutable
class NewKey:
    """A key that was just made or rotated, with its token: it is shown this once."""

    token: str
    key: KeyInfo


@immutable(kw_only=False)
class Caller:
    """The caller of a verb: the key, and the banks that it opens."""

    id: str
    role: AccessRole
    banks: tuple[str, ...]

    def may(self, role: AccessRole) -> bool:
        """Return whether the key allows an action."""
        return ROLES.index(role) <= ROLES.index(self.role)

    def opens(self, bank: str) -> bool:
        """Return whether a bank of that name is among its own, if there is one or not."""
        return any(
            bank.startswith(one[:-1]) if one.endswith("*") else bank == one for one in self.banks
        )

    @property
    def everywhere(self) -> bool:
        """Return whether all banks are."""
        return "*" in self.banks


@immutable
class KnownCaller:
    """Rights of a caller, and the time zone in which the store reads days that name none."""

    id: str
    role: AccessRole
    banks: tuple[str, ...]
    timezone: str


ANYBODY: Final = Caller("", "admin", ("*",))
"""Caller of a server that has no keys, and so listens to this machine alone."""


class Keys:
    """The keys of a store: making them, taking them back, and knowing them again."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._known: dict[str, ServerKey] | None = None
        """By id, as last read; None where the store has no keys."""
        self.written = 0
        """How often they were changed here."""

    # ------------------------------------------------------------ by who looks after them

    def listed(self) -> list[KeyInfo]:
        """Return every key, in the order they were made, without what could help to guess it."""
        return [_info(key) for key in self._read() or ()]

    def create(self, name: str, role: AccessRole, banks: Sequence[str]) -> NewKey:
        """
        Make a key; its token is in the answer, and nowhere else ever again.

        Args:
            name: for whom, for people to know it by.
            role: what it may do: ``read``, ``write`` or ``admin``.
            banks: to which: names, or beginnings of names followed by ``*``.

        Raises:
            InputError: a name or a bank that is blank, or a role that is none.

        """
        if not isinstance(name, str) or not 0 < len(name.strip()) <= 100 or not name.isprintable():
            raise InputError(f"name={name!r}: say whom the key is for, in 1 to 100 characters")
        if role not in ROLES:
            raise InputError(f"role={role!r}: must be one of {', '.join(ROLES)}")
        if isinstance(banks, str) or not banks or not all(isinstance(b, str) and b for b in banks):
            msg = f"banks={banks!r}: name at least one bank; 'acme/*' means all that begin so"
            raise InputError(msg)
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        key = ServerKey(
            id=secrets.token_hex(6), name=name, role=role, banks=tuple(banks),
            digest=self._digest(secret), made_at=self._memory.now(),
        )  # fmt: skip
        with self._memory.engine.store.write():
            # Read within the transaction: other servers change them as well.
            self._write([*(self._read() or ()), key])
        self.written += 1
        return NewKey(token=_token(key.id, secret), key=_info(key))

    def revoke(self, id: str) -> KeyInfo:  # noqa: A002 - as it is called everywhere
        """Take a key back; every server of the store knows within a second."""
        with self._memory.engine.store.write():
            keys = self._read() or []
            gone = _one(keys, id)
            # Even an empty list is kept: a store that has had a key is never open to all again.
            self._write([key for key in keys if key.id != id])
        self.written += 1
        return _info(gone)

    def rotate(self, id: str, *, keep_s: float = 0.0) -> NewKey:  # noqa: A002
        """Give a key another secret; the former is taken for ``keep_s`` seconds more."""
        if not 0 <= keep_s <= timedelta(days=365).total_seconds():
            raise InputError(f"keep_s={keep_s!r}: must be from 0 seconds to a year")
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        with self._memory.engine.store.write():
            keys = self._read() or []
            old = _one(keys, id)
            new = replace(
                old, digest=self._digest(secret),
                former=old.digest if keep_s else "",
                former_until=self._memory.now() + timedelta(seconds=keep_s) if keep_s else None,
            )  # fmt: skip
            self._write([new if key.id == id else key for key in keys])
        self.written += 1
        return NewKey(token=_token(id, secret), key=_info(new))

    # ------------------------------------------------------------ by the server

    def refresh(self) -> bool:
        """Read them again; return whether the store has had any, and so asks for one."""
        found = self._read()
        self._known = None if found is None else {key.id: key for key in found}
        return found is not None

    @property
    def needed(self) -> bool:
        """Return whether the store had keys when they were read."""
        return self._known is not None

    def caller(self, token: str | None) -> Caller:
        """
        Return the caller who shows a token.

        Whether an id is unknown or a secret is wrong, the answer and the work are the same.

        Raises:
            Unauthorized: there is no token, or none that is known.

        """
        if self._known is None:
            return ANYBODY
        if token is None:
            raise Unauthorized("a key is needed: send the header 'Authorization: Bearer hpc_…'")
        _, _, rest = token.partition(f"{_PREFIX}_")
        id_, _, secret = rest.partition("_")
        key, digest = self._known.get(id_, _NOBODY), self._digest(secret)
        fits = hmac.compare_digest(key.digest, digest)
        # Compared even if there is none, so that the time says nothing.
        former = hmac.compare_digest(key.former or _NOBODY.digest, digest)
        if former and key.former_until is not None:
            fits = fits or self._memory.now() < key.former_until
        if not fits or not token.startswith(_PREFIX):
            raise Unauthorized("the key is not known; it may have been revoked or rotated")
        return Caller(key.id, key.role, key.banks)

    # ------------------------------------------------------------ inside

    def _digest(self, secret: str) -> str:
        words = secret.encode("utf-8", "replace")
        return hashlib.blake2b(words, key=self._memory.engine.salt, digest_size=32).hexdigest()

    def _read(self) -> list[ServerKey] | None:
        kept = self._memory.engine.store.settings.get(SETTING)
        return None if kept is None else wire.load(list[ServerKey], kept)

    def _write(self, keys: Iterable[ServerKey]) -> None:
        self._memory.engine.store.settings.put(SETTING, wire.dump(list(keys)).decode())


_NOBODY: Final = ServerKey(
    id="", name="", role="read", banks=(), digest="-" * 64, made_at=datetime.min  # noqa: DTZ901
)  # fmt: skip
"""The key that an unknown id is compared with; no hash is like its."""


def _token(id_: str, secret: str) -> str:
    return f"{_PREFIX}_{id_}_{secret}"


def _info(key: ServerKey) -> KeyInfo:
    return KeyInfo(
        id=key.id, name=key.name, role=key.role, banks=key.banks, made_at=key.made_at,
        former_until=key.former_until,
    )  # fmt: skip


def _one(keys: Iterable[ServerKey], id_: str) -> ServerKey:
    for key in keys:
        if key.id == id_:
            return key
    raise InputError(f"no key has the id {id_!r}; 'hippocampus keys list' shows them")
