"""
Keys to an encrypted store: where the secret comes from, and how it opens the master key.

The header of a store has one slot for each secret that opens it: the master key, wrapped under what
a key derivation makes of the secret. A passphrase goes through argon2id (RFC 9106); what is random
already through HKDF (RFC 5869). All of it is ``cryptography``'s, an extra.
"""

from __future__ import annotations

import base64
import os
import secrets
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self, TypeVar

import msgspec
from msgspec.structs import replace

from hippocampus.core.files import read_bytes
from hippocampus.core.key_ring import add_to_ring, keep_in_ring, read_ring
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.optional import require
from hippocampus.errors import InputError

_Done = TypeVar("_Done")

_LEAST: Final = 16
"""Bytes of a secret that is no passphrase: less than 128 bits can be tried out, for it is stretched
by no slow derivation."""
_GROUP: Final = 4  # by hand: eight groups, each short enough to be read out and copied


class KeyRefused(ValueError):
    """A key cannot be had, or opens no slot; the store says which store it is of."""


@immutable(kw_only=False)
class Key:
    """
    A key to a store, as ``Memory(path, key=…)`` takes it; nothing is read before it is needed.

    Make one with ``passphrase``, ``file``, ``ring``, ``environment``, ``keyring``, ``command`` or
    ``phrase``.
    """

    kind: Literal["passphrase", "secret", "phrase"]
    _source: str
    _named: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Key({self.kind} from {self._source})"

    @classmethod
    def passphrase(cls, text: str) -> Self:
        """Return the key of a passphrase."""
        if not isinstance(text, str) or not text.strip():
            raise InputError("the passphrase is blank; choose a few words that nobody would guess")
        try:
            text.encode()
        except UnicodeEncodeError as exc:  # which shows it, so it is no cause
            at = exc.start + 1
            msg = f"the passphrase has half a character at its place {at}; type it in UTF-8"
            raise InputError(msg) from None
        return cls("passphrase", "passphrase", (text,))

    @classmethod
    def file(cls, path: str | Path) -> Self:
        """
        Return the key that a file holds, all its bytes but a line break at the end.

        ``~`` is the home of whoever asks.
        """
        return cls("secret", "file", (_at_home(path),))

    @classmethod
    def ring(cls, path: str | Path) -> Self:
        """
        Return the key that a file holds in its last line, and have erasures renew it.

        With every erasure in PostgreSQL another line takes its place, so that the log and backups
        from before cannot be opened any more. Whoever opens the store has the same file.
        """
        return cls("secret", "ring", (_at_home(path),))

    @classmethod
    def environment(cls, name: str) -> Self:
        """Return the key that a variable of the environment holds."""
        return cls("secret", "environment", (name,))

    @classmethod
    def keyring(cls, service: str, user: str) -> Self:
        """Return the key that the system's keyring holds; takes the package ``keyring``."""
        return cls("secret", "keyring", (service, user))

    @classmethod
    def command(cls, command: Sequence[str]) -> Self:
        """Return the key that a command prints; it is run as it is, without a shell."""
        if isinstance(command, str) or not command or not all(isinstance(c, str) for c in command):
            raise InputError(f"command={command!r}: give the program and its arguments in a list")
        return cls("secret", "command", tuple(command))

    @classmethod
    def of(cls, spec: str) -> Self:
        """
        Return the key that a specification names.

        It is ``file:PATH``, ``ring:PATH``, ``env:NAME``, ``keyring:SERVICE:USER`` or
        ``command:PROGRAM …``; no passphrase, which would end up in histories and lists of
        processes.

        Raises:
            InputError: it is none of these; what was given is not shown, it may be the secret.

        """
        source, _, rest = spec.partition(":")
        service, _, user = rest.partition(":")
        try:
            # Only a command is split into words; a path may have a lone quotation mark in it.
            words = shlex.split(rest)
        except ValueError:
            words = []
        if source == "file" and rest:
            return cls.file(rest)
        if source == "ring" and rest:
            return cls.ring(rest)
        if source == "env" and rest:
            return cls.environment(rest)
        if source == "keyring" and service and user:
            return cls.keyring(service, user)
        if source == "command" and words:
            return cls.command(words)
        raise InputError(
            "the key is not written as file:PATH, ring:PATH, env:NAME, keyring:SERVICE:USER or"
            " command:PROGRAM …; for a passphrase, write Key.passphrase(text), or"
            " --key passphrase to be asked for it"
        )

    @classmethod
    def phrase(cls, text: str) -> Self:
        """Return the key of a recovery phrase, in whatever case and spacing."""
        return cls("phrase", "phrase", (text,))

    def secret(self) -> bytes:
        """
        Return the secret.

        Raises:
            KeyRefused: it cannot be had, or is too short.

        """
        return self.secrets()[-1]

    def secrets(self) -> list[bytes]:
        """Return the secrets that may open a store, one or a ring's; the last makes slots."""
        if self.kind == "passphrase":
            return [self._named[0].encode()]
        if self.kind == "phrase":
            return [_from_phrase(self._named[0])]
        if self._source == "ring":
            # An empty ring counts as a key of no bytes, which is refused below.
            found = _on_disk(self._named[0], read_ring) or [b""]
        else:
            # Editors and commands end with a line break, which is no part of the secret.
            found = [_SOURCES[self._source](*self._named).removesuffix(b"\n").removesuffix(b"\r")]
        for one in found:
            if len(one) < _LEAST:
                raise KeyRefused(
                    f"the key from the {self._source} has {len(one)} bytes; at least {_LEAST} are"
                    " needed, such as of 'openssl rand -base64 32'"
                )
        return found

    # ------------------------------------------------------------ rings

    @property
    def is_ring(self) -> bool:
        """Return whether erasures renew it."""
        return self._source == "ring"

    def renewed(self) -> bytes:
        """Add a secret to the ring, and return it."""
        return _on_disk(self._named[0], add_to_ring)

    def keep(self, wanted: Collection[bytes]) -> None:
        """Take all secrets out of the ring but these."""
        _on_disk(self._named[0], lambda path: keep_in_ring(path, wanted))


def as_key(given: Key | str | None) -> Key | None:
    """Return the key that is given as one, or as a specification."""
    if given is not None and not isinstance(given, Key | str):
        raise InputError(
            f"the key is of type {type(given).__name__}: give a Key or a specification"
        )
    return Key.of(given) if isinstance(given, str) else given


def _at_home(path: str | Path) -> str:
    # Not Path.expanduser, which raises where nobody knows where that is.
    return os.path.expanduser(path)  # noqa: PTH111


def _file(path: str) -> bytes:
    return _on_disk(path, read_bytes)


def _on_disk(path: str, does: Callable[[Path], _Done]) -> _Done:
    try:
        return does(Path(path))
    except OSError as exc:
        raise KeyRefused(f"the key file {path} cannot be used: {exc.strerror}") from exc


def _environment(name: str) -> bytes:
    found = os.environ.get(name)
    if found is None:
        raise KeyRefused(
            f"the variable {name} of the environment is not set; it should hold the key"
        )
    # The very bytes of the variable, which need not be UTF-8.
    return found.encode("utf-8", "surrogateescape")


def _keyring(service: str, user: str) -> bytes:
    keyring = require("keyring", extra="keyring", feature="a key from the system's keyring")
    try:
        found = keyring.get_password(service, user)
    except keyring.errors.KeyringError as exc:  # there is none, or nobody unlocks it
        raise KeyRefused(f"the keyring cannot be used: {exc}") from exc
    if found is None:
        raise KeyRefused(
            f"the keyring has nothing for {user!r} of {service!r}; put it there with"
            " 'keyring set SERVICE USER'"
        )
    return str(found).encode()


def _command(*command: str) -> bytes:
    import subprocess  # noqa: PLC0415 - slow to import, and seldom needed

    try:
        done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - the owner's
    except OSError as exc:
        raise KeyRefused(f"the command {command[0]} cannot be run: {exc.strerror}") from exc
    if done.returncode:
        raise KeyRefused(f"the command {command[0]} ended with {done.returncode} and gave no key")
    return done.stdout


_SOURCES: Final[Mapping[str, Callable[..., bytes]]] = {
    "file": _file, "environment": _environment, "keyring": _keyring, "command": _command,
}  # fmt: skip


# ---------------------------------------------------------------- recovery phrases


def new_phrase() -> str:
    """Return a recovery phrase: 160 random bits in groups of four letters and digits."""
    text = base64.b32encode(secrets.token_bytes(20)).decode()
    return "-".join(text[at : at + _GROUP] for at in range(0, len(text), _GROUP))


def _from_phrase(phrase: str) -> bytes:
    text = "".join(c for c in phrase.upper() if c.isalnum())
    try:
        found = base64.b32decode(text)
    except ValueError as exc:
        raise KeyRefused("the recovery phrase has eight groups of four, of A-Z and 2-7") from exc
    if len(found) != 20:
        raise KeyRefused("the recovery phrase has eight groups of four, of A-Z and 2-7")
    return found


# ---------------------------------------------------------------- slots of the header


class Slot(msgspec.Struct, frozen=True, kw_only=True):
    """
    A slot of a store's header: its master key, wrapped under one secret.

    ``argon2`` are memory in KiB, passes and lanes; of what needs no stretching they are ignored.
    """

    kind: Literal["passphrase", "secret", "phrase"]
    salt: bytes
    wrapped: bytes = b""
    # Bounded: a header that somebody made up could ask for terabytes of memory.
    argon2: tuple[
        Annotated[int, msgspec.Meta(ge=8192, le=1 << 22)],
        Annotated[int, msgspec.Meta(ge=1, le=64)],
        Annotated[int, msgspec.Meta(ge=1, le=64)],
    ] = (65536, 3, 4)  # RFC 9106's second choice, some 0.15 s


def make_slot(key: Key, master: bytes, *, secret: bytes | None = None) -> Slot:
    """Return a slot that a key opens, with one of its secrets."""
    slot = Slot(kind=key.kind, salt=os.urandom(16))
    wrapping = _cipher(key.secret() if secret is None else secret, slot)
    return replace(slot, wrapped=wrapping.encrypt(master, [b"master"]))


def open_slots(key: Key, slots: Sequence[Slot]) -> bytes:
    """
    Return the master key.

    Raises:
        KeyRefused: the key opens none of the slots.

    """
    return opened_by(key, slots)[1]


def opened_by(key: Key, slots: Sequence[Slot]) -> tuple[bytes, bytes]:
    """Return the secret of a key that opens one of the slots, and the master key."""
    errors = cryptography("exceptions")
    # The last of a ring is in use, so it is tried first.
    for secret in reversed(key.secrets()):
        for slot in slots:
            if slot.kind == key.kind:
                with suppress(errors.InvalidTag):
                    return secret, bytes(_cipher(secret, slot).decrypt(slot.wrapped, [b"master"]))
    kinds = ", ".join(dict.fromkeys(slot.kind for slot in slots))
    raise KeyRefused(f"this {key.kind} does not open the store; it opens with: {kinds}")


def as_header(slots: Sequence[Slot]) -> str:
    """Return the header that has these slots."""
    return msgspec.json.encode(list(slots)).decode()


def slots_of(header: str) -> list[Slot]:
    """
    Return the slots of a header.

    Raises:
        ValueError: it is none, or asks for more than a machine has.

    """
    return msgspec.json.decode(header, type=list[Slot])


def _cipher(secret: bytes, slot: Slot) -> Any:  # noqa: ANN401 - of an extra
    """Return the cipher that wraps the master key under a secret."""
    primitives = "hazmat.primitives"
    if slot.kind == "passphrase":
        memory, passes, lanes = slot.argon2
        stretching = cryptography(f"{primitives}.kdf.argon2").Argon2id(
            salt=slot.salt, length=64, iterations=passes, lanes=lanes, memory_cost=memory
        )
    else:
        sha512 = cryptography(f"{primitives}.hashes").SHA512()
        stretching = cryptography(f"{primitives}.kdf.hkdf").HKDF(
            algorithm=sha512, length=64, salt=slot.salt, info=b"hippocampus store"
        )
    return cryptography(f"{primitives}.ciphers.aead").AESSIV(stretching.derive(secret))


def cryptography(module: str) -> Any:  # noqa: ANN401 - a module
    """Return a module of ``cryptography``, which is an extra."""
    return require(f"cryptography.{module}", extra="encryption", feature="an encrypted store")
