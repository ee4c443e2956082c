"""
The vault: secrets of texts, sealed under a key of their own, with their kinds in their places.

An episode keeps what was taken out of it in its metadata, under ``VAULT``, by the name that stands
in its place: ``[card number 1]``. So erasing it erases them, and whoever has no key to the vault
has the text without them. The key of the vault is made at random once, and kept in the settings of
the store wrapped under each secret that opens it, as that of an encrypted store is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from hippocampus.core.cipher import KEY_BYTES, Cipher, Unsealable
from hippocampus.core.key import Key, KeyRefused, as_header, make_slot, open_slots, slots_of
from hippocampus.core.records import LABELS, Episode, Store
from hippocampus.errors import StoreCorrupt, WrongKey
from hippocampus.language.payload_texts import change_texts

VAULT: Final = "vault"
"""The metadata in which an episode keeps what was taken out of it, sealed, by name."""
_HEADER: Final = "vault"
_NUMBER: Final = " as a number"
"""After the kind of what is sealed as a number, which so opens as nothing else."""
_NAME: Final = re.compile(r"\[([a-z -]{3,20} (?:\d{1,6}|[a-z]{4}))\]")
"""A kind and the number of a secret in its episode; in labels letters, the same in every one."""


def names_in(text: str) -> list[str]:
    """Return the names in a text that stand for secrets, or could."""
    return [found[1] for found in _NAME.finditer(text)]


class Vault:
    """Vault that seals secrets, and opens them again."""

    def __init__(self, master: bytes) -> None:
        self._cipher = Cipher(master)

    def seal(self, kind: str, secret: str, *, number: bool = False) -> str:
        """Return a secret sealed, as a text or number: the same one always as the same text."""
        return self._cipher.seal_text_once(f"{kind}{_NUMBER}" if number else kind, secret)

    def revealed(self, episode: Episode, *, path: Path | str) -> Episode:
        """Return an episode with its secrets in their places."""
        sealed = episode.metadata.get(VAULT)
        if not isinstance(sealed, Mapping):
            return episode
        rest = {key: value for key, value in episode.metadata.items() if key != VAULT}
        try:
            text, metadata = self._put_back(episode.text, sealed), self._put_all_back(rest, sealed)
            labels: dict[str, Any] = {
                name: self._put_back(label, sealed)
                for name in LABELS
                if (label := getattr(episode, name)) is not None
            }
        except Unsealable as exc:
            told = f"a sealed secret of episode {episode.id} does not open: {exc}"
            raise StoreCorrupt(told, path=path) from exc
        finally:
            self._cipher.forget_texts()  # the episode may be erased
        return replace(episode, text=text, metadata=metadata, **labels)

    def _put_back(self, text: str, sealed: Mapping[str, str]) -> str:
        def secret(found: re.Match[str]) -> str:
            name = found[1]
            return str(self._opened(name, sealed[name])) if name in sealed else found[0]

        return _NAME.sub(secret, text)

    def _put_all_back(self, value: Any, sealed: Mapping[str, str]) -> Any:  # noqa: ANN401 - JSON
        def put_back(text: str, _: str) -> str | int:
            alone = _NAME.fullmatch(text)
            if alone and alone[1] in sealed:
                return self._opened(alone[1], sealed[alone[1]])
            return self._put_back(text, sealed)

        return change_texts(value, put_back)

    def _opened(self, name: str, sealed: str) -> str | int:
        """Return the secret of a name, a number if it was sealed as one."""
        kind = name.rpartition(" ")[0]
        try:
            return self._cipher.unseal_text(kind, sealed)
        except Unsealable:
            return int(self._cipher.unseal_text(f"{kind}{_NUMBER}", sealed))


def open_vault(store: Store, key: Key, *, read_only: bool) -> Vault | None:
    """
    Return the vault of a store, which is made where it is missing; None if that is not to be.

    Raises:
        WrongKey: the key does not open it, or cannot be had.
        StoreCorrupt: what the store has of its vault is damaged.

    """
    header = store.settings.get(_HEADER)
    try:
        if header is None and read_only:
            return None
        if header is None:
            with store.write():
                header = store.settings.get(_HEADER)  # another process may have been first
                if header is None:
                    header = as_header([make_slot(key, os.urandom(KEY_BYTES))])
                    store.settings.put(_HEADER, header)
        return Vault(open_slots(key, slots_of(header)))
    except KeyRefused as exc:
        raise WrongKey(f"the vault stays shut: {exc}", path=store.path) from exc
    except ValueError as exc:
        raise StoreCorrupt(f"what it has of its vault is damaged: {exc}", path=store.path) from exc
