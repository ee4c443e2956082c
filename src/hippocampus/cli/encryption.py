"""The commands for encryption at rest: encrypt, decrypt, and the keys that open a store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from hippocampus.cli.command import verb
from hippocampus.cli.options import Scope, new_key_of
from hippocampus.cli.render import Answer, number_of, progress
from hippocampus.core.key import Key
from hippocampus.errors import StoreEncrypted


@verb("encrypt", opens=None)
def encrypt(target: Path, *, new_key: Annotated[Key, new_key_of], scope: Scope) -> Answer:
    """Copy the store into a new file that is encrypted."""
    from hippocampus import encryption  # noqa: PLC0415 - the engine, only when used

    scope.check()
    with progress("encrypting") as step:
        banks = encryption.encrypt(scope.path, target, key=new_key, old=scope.key, progress=step)
    return Answer(
        {"path": target, "banks": banks},
        f"{target}: {number_of(banks, 'bank')}; {scope.path} stays as it was",
    )


@verb("decrypt", opens=None)
def decrypt(target: Path, *, scope: Scope) -> Answer:
    """Copy an encrypted store into a new file without encryption."""
    from hippocampus import encryption  # noqa: PLC0415

    with progress("decrypting") as step:
        banks = encryption.decrypt(scope.path, target, key=_key(scope), progress=step)
    return Answer(
        {"path": target, "banks": banks}, f"{target}: {number_of(banks, 'bank')}, unencrypted"
    )


@verb("encryption keys", opens=None)
def keys(*, scope: Scope) -> Answer:
    """List the kinds of keys that open the store."""
    from hippocampus import encryption  # noqa: PLC0415

    return _opened_by(encryption.keys(scope.path, key=_key(scope)))


@verb("encryption add", opens=None)
def add(*, new_key: Annotated[Key, new_key_of], replace: bool = False, scope: Scope) -> Answer:
    """Have one more key open the store."""
    from hippocampus import encryption  # noqa: PLC0415

    return _opened_by(encryption.add_key(scope.path, key=_key(scope), new=new_key, replace=replace))


@verb("encryption phrase", opens=None)
def phrase(*, scope: Scope) -> Answer:
    """Make a recovery phrase, which opens the store when every other key is lost."""
    from hippocampus import encryption  # noqa: PLC0415

    made = encryption.recovery_phrase(scope.path, key=_key(scope))
    told = "It is shown this once. Write it down, and keep it where the store is not."
    return Answer({"phrase": made}, (made, told))


@verb("encryption rotate", opens=None)
def rotate(*, new_key: Annotated[Key | None, new_key_of] = None, scope: Scope) -> Answer:
    """Change the master key; every other key than the new one stops opening the store."""
    from hippocampus import encryption  # noqa: PLC0415

    return _opened_by(encryption.rotate(scope.path, key=_key(scope), new=new_key))


def _key(scope: Scope) -> Key:
    scope.check()
    if scope.key is None:
        msg = (
            "which key opens it? Give --key or HIPPOCAMPUS_KEY; 'hippocampus encrypt' makes an"
            " encrypted copy of a store that has none"
        )
        raise StoreEncrypted(msg, path=scope.path)
    return scope.key


def _opened_by(kinds: list[str]) -> Answer:
    return Answer(kinds, f"opens with: {', '.join(kinds)}")
