"""Context of all banks of an opened store: the store, the embedder, the clock, the caches."""

from __future__ import annotations

import json
import re
import secrets
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from hippocampus.calibrate.calibration import BUILT_IN, SHIPPED, Calibration
from hippocampus.core.argument_names import nearest_first
from hippocampus.core.clock import Clock, SystemClock, in_zone, to_micros
from hippocampus.core.config import Config, Signatures
from hippocampus.core.cue_names import CUES, USED
from hippocampus.core.given_arguments import check_several
from hippocampus.core.key import Key
from hippocampus.core.optional import require
from hippocampus.core.records import Embedder, Fingerprint, Store
from hippocampus.core.records.store import SettingsTable
from hippocampus.core.shared_lock import SharedLock
from hippocampus.core.time_zones import time_zone
from hippocampus.encode import tokens as tokenizer
from hippocampus.encode.random_indexing import dump, load
from hippocampus.engine.bank_cache import BankCache
from hippocampus.engine.opened_parts import (
    SWITCHED_OFF,
    GivenModels,
    StoreAccess,
    check_parts,
    open_embedder,
    open_reranker,
)
from hippocampus.errors import (
    EmbedderMismatch,
    InputError,
    InvalidScope,
    SignatureMismatch,
    StoreCorrupt,
    StoreError,
    UnknownBank,
)
from hippocampus.journal.content import KEPT_BYTES, Segments
from hippocampus.journal.ledger import Ledger
from hippocampus.language.secrets import SecretFinder
from hippocampus.store import open_store

if TYPE_CHECKING:
    from hippocampus.write.secret_gate import SecretGate
    from hippocampus.write.vault import Vault

_LOOKED_AT: Final = 1000
"""Banks of which those called almost as one that is not there are told; looking takes 15 ms."""
SIGNED: Final = "signatures"
"""The setting that says how the store's tokens were signed."""
SIGNING: Final = "signing"
"""The setting that says who decided that: ``UNASKED`` or ``DECLINED``; else it was configured."""
UNASKED: Final = "default"
"""A store that was begun without an embedder is signed, so that more than words finds anything."""
DECLINED: Final = "off"
"""Somebody has dropped the store's signatures."""
SPANS: Final = "spans"
"""The setting that says that episodes note where their token codes stand: ``on``."""
CALIBRATED: Final = "calibration"
"""The setting that says what the numbers of an embedder mean."""
_NAME = re.compile(r"[^\x00-\x1f\x7f]{1,200}")


class Calibrated(NamedTuple):
    """Calibration of the embedder in use."""

    values: Calibration
    """The default embedder's, where there are none of its own."""
    lacking: str | None = None
    """Why there are none; None when they are its own."""
    damaged: bool = False
    """Whether there were some that cannot be read."""


class Signing(NamedTuple):
    """Way in which tokens are signed."""

    how: Signatures | None
    unasked: bool = False
    """Only because the store was begun without an embedder."""


class WriteAll(Exception):
    """
    A setting that holds for every bank is to be settled in a transaction of one.

    It is to be done again in one of the whole store: writers of two banks see nothing of each
    other, and would settle it in two ways; in two databases they would wait for each other.
    """


class EngineContext:
    """
    The open store and everything its banks share; ``Memory`` makes one, banks hold on to it.

    Attributes:
        store: where everything is kept.
        config: sizes, weights, time zone; never changed.
        clock: where the present moment comes from; ``now()`` gives it in ``zone``.
        embedder: makes vectors; None when there is none, and ``no_embedder`` says why.
        embedder_lock: held together by all who make an index, and alone by who changes the
            embedder, so that an index and those who ask it have the same one.
        bank_cache: which banks are in memory.
        segments: sealed segments of texts that are in memory, of all banks.
        vault: opens and seals the secrets of texts; None without a key to it.
        secret_finder: finds secrets and hides them.
        salt: keys the digests by which equal texts are recognised, 16 bytes.
        reranker, keywords, model, cues: as given to ``Memory``.

    """

    _begun = False
    """Whether it is known that there is something in the store, or how it is signed."""

    def __init__(
        self,
        access: StoreAccess,
        models: GivenModels,
        *,
        cues: Sequence[str] | None = None,
        config: Config | None = None,
        clock: Clock | None = None,
    ) -> None:
        check_parts(config=config, clock=clock, keywords=models.keywords, model=models.model)
        self.config = config or Config()
        self.clock: Clock = clock or SystemClock()
        self.read_only = access.read_only
        self.reranker = open_reranker(models.reranker)
        self.keywords = models.keywords
        self.model = models.model
        self.cues = _known_cues(cues)
        self.zone = time_zone(self.config.timezone)
        if access.vault is None and self.config.secrets.write == "vault":
            raise InputError(
                "Secrets.write is 'vault', and there is no key to one: give Memory(vault=…), or"
                " --vault on the command line"
            )
        _check_vectors(self.config, access.key)
        # What cannot be meant is refused before a file is made.
        self.embedder, self.no_embedder = open_embedder(models.embedder)
        most = self.config.resident_mb
        limit = None if most is None else int(most * 1e6)
        self.segments = Segments(KEPT_BYTES if limit is None else min(KEPT_BYTES, limit))
        self.bank_cache: BankCache[Any] = BankCache(limit, self.segments.nbytes)
        self.store: Store = open_store(
            access.path, busy_timeout_s=self.config.busy_timeout_s, read_only=access.read_only,
            create=access.create, key=access.key,
        )  # fmt: skip
        self.embedder_lock = SharedLock()
        self._warned = False
        self._calibrated: tuple[tuple[Fingerprint | None, str | None], Calibrated] | None = None
        try:
            self.check_embedder(self.embedder)
            self.settle_signatures(record=False)
            self.check_cues(cues)
            self._vault_key = access.vault
            self._read_salt_and_vault()
        except BaseException:
            self.store.close()
            raise
        self.finish_erasure()

    def _read_salt_and_vault(self) -> None:
        """Read, or make, the settings by which equal texts are known and secrets are sealed."""
        self.salt = self._salt()
        self.secret_finder = _secret_finder(self.config.secrets.also, self.salt)
        self.vault = None if self._vault_key is None else self._open_vault(self._vault_key)

    def take_over(self, settings: Mapping[str, str]) -> None:
        """
        Have settings of another store, in one in which there is nothing yet.

        Raises:
            WrongKey: the key that was given for the vault does not open that of the other store.

        """
        with self.store.write():
            for key, value in settings.items():
                self.store.settings.put(key, value)
        self._read_salt_and_vault()
        self.__dict__.pop("secret_gate", None)  # it has the vault of before

    def _open_vault(self, key: Key) -> Vault | None:
        from hippocampus.write.vault import open_vault  # noqa: PLC0415 - only where there is one

        return open_vault(self.store, key, read_only=self.read_only)

    @cached_property
    def secret_gate(self) -> SecretGate:
        """Gate for the secrets of all that comes in."""
        from hippocampus.write.secret_gate import SecretGate  # noqa: PLC0415 - for who writes

        return SecretGate(self.config.secrets, self.secret_finder, self.vault)

    @property
    def unembedded(self) -> str:
        """Why episodes are kept without vectors, if nobody asked for that; empty otherwise."""
        missing = self.no_embedder
        return "" if missing is None or missing == SWITCHED_OFF else missing.reason

    def warn_if_unembedded(self) -> None:
        """Warn, once, whoever keeps something without a vector that nobody asked for that."""
        why, self._warned = "" if self._warned else self.unembedded, True
        if why:
            msg = f"what is kept has no vectors, and is found by words alone: {why}"
            warnings.warn(msg, RuntimeWarning, stacklevel=2)

    def finish_erasure(self) -> None:
        """Take bytes out of the files that an erasure left there, if nobody is in the way."""
        if self.read_only:
            return
        with suppress(StoreError):  # it is still owed, and whoever comes next tries again
            if self.store.upkeep.owes_scrub():
                self.store.upkeep.scrub(wait=False)

    def check_embedder(self, used: Embedder | None, bank: int = 0) -> None:
        """
        Refuse to mix vectors: another process may have moved the store to another embedder.

        ``bank``: those of its database; by default it is enough if any database has this one's.
        """
        stored = self.stored_fingerprint(bank)
        if used is None or used.fingerprint == stored or (bank and stored is None):
            return
        made = {stored} if bank else self.stored_fingerprints()
        if made != {None} and used.fingerprint not in made:
            told = " and ".join(sorted(map(str, made - {None})))
            raise EmbedderMismatch(stored=told, configured=str(used.fingerprint))

    def settle_embedder(self, used: Embedder | None, bank: int) -> None:
        """
        Have a bank's vectors be of the embedder ``used``, or refuse; inside a transaction.

        Raises:
            WriteAll: the store has none yet, and the transaction is of one bank alone.

        """
        self.check_embedder(used, bank)
        own, first = self.store.settings_of(bank), self.store.settings
        if used is None or own.get("embedder") is not None:
            return
        if first.get("embedder") is None:
            self.check_embedder(used)  # another database may have begun with another one
            self._put("embedder", dump_fingerprint(used.fingerprint))
        if own is not first:
            own.put("embedder", dump_fingerprint(used.fingerprint))

    def _put(self, key: str, value: str | None) -> None:
        """Settle a setting of every bank, in a transaction in which nobody else can."""
        if not self.store.writes_all():
            raise WriteAll
        self.store.settings.put(key, value)

    def stored_fingerprint(self, bank: int = 0) -> Fingerprint | None:
        """
        Return the fingerprint of the embedder of the store's vectors; None before the first.

        ``bank``: of those in the database of this one. They differ from the store's while a change
        of embedder is not finished: the first of several databases, whose is the store's, is last.

        Raises:
            StoreCorrupt: what the store has recorded of it cannot be read.

        """
        return self._fingerprint_in(self.store.settings_of(bank))

    def stored_fingerprints(self) -> set[Fingerprint | None]:
        """Return those of all databases: several while a change of embedder is not finished."""
        return {self._fingerprint_in(kept) for kept in self.store.every_settings()}

    def is_between_embedders(self) -> bool:
        """Return whether a change of embedder was cut off after some of several databases."""
        return len(self.stored_fingerprints()) > 1

    def _fingerprint_in(self, kept: SettingsTable) -> Fingerprint | None:
        text = kept.get("embedder")
        if text is None and kept is not self.store.settings:  # by a version that kept it once
            text = self.store.settings.get("embedder")
        try:
            return None if text is None else msgspec.json.decode(text, type=Fingerprint)
        except (ValueError, RecursionError) as exc:
            msg = f"which embedder its vectors come from cannot be read ({exc!s:.80})"
            raise StoreCorrupt(msg, path=self.store.path) from exc

    def signatures(self) -> Signatures | None:
        """
        Return the way tokens are signed: as configured, which by default is as the store's are.

        Those of a store that begins without an embedder are, as ``Signatures`` has it.
        """
        how = self.config.signatures
        if how != "stored":
            return how
        return Signatures() if self._begins_signed() else self.stored_signatures()

    def signing(self) -> Signing:
        """Return the way tokens are signed, and whether anybody asked for that."""
        how = self.signatures()
        if how is None or self.config.signatures != "stored":
            return Signing(how)
        unasked = self._begins_signed() or self.store.settings.get(SIGNING) == UNASKED
        return Signing(how, unasked)

    def signs(self) -> Signatures | None:
        """
        Return the way new texts are signed: as the others are, or not at all.

        What nobody asked for ends where there is an embedder: vectors find more, and a store does
        not pay for both.
        """
        if self.embedder is None:
            return self.signatures()
        how, unasked = self.signing()
        return None if unasked else how

    def _begins_signed(self) -> bool:
        """Return whether there is nothing in the store yet, and no embedder for what will be."""
        # A store that has begun never goes back, so only that is known for good.
        if not self._begun:
            self._begun = self._has_begun()
        return not self._begun and self.embedder is None

    def _has_begun(self) -> bool:
        """Return whether something has been said of how the store is signed, or is in it."""
        said = map(self.store.settings.get, (SIGNED, SIGNING, "embedder"))
        if any(setting is not None for setting in said):
            return True
        there = filter(None, map(self.store.banks.number, self.store.banks.names()))
        return any(map(self.store.episodes.count, there))

    def stored_signatures(self) -> Signatures | None:
        """
        Return the way the store's tokens were signed; None before the first.

        None as well if a later version did so in a way that this one does not know.

        Raises:
            StoreCorrupt: what the store has recorded of it cannot be read.

        """
        recorded = self.store.settings.get(SIGNED)
        try:
            return None if recorded is None else load(recorded)
        except InputError as exc:
            raise StoreCorrupt(str(exc), path=self.store.path) from exc

    def settle_signatures(self, *, record: bool) -> None:
        """
        Refuse to mix signatures: a store's are all made in one way.

        ``record``: make it the configured one, where there is none; inside a transaction.

        Raises:
            WriteAll: there is none yet, and the transaction is of one bank alone.

        """
        how, settings = self.config.signatures, self.store.settings
        if how == "stored":
            if record and self._begins_signed():
                self._put(SIGNED, dump(Signatures()))
                self._put(SIGNING, UNASKED)
            return
        if how is None:
            return
        stored, configured = settings.get(SIGNED), dump(how)
        if stored not in (None, configured):
            raise SignatureMismatch(stored=stored, configured=configured)
        if record and stored is None:
            self._put(SIGNED, configured)
        if record and settings.get(SIGNING) is not None:
            self._put(SIGNING, None)  # now somebody has asked for them

    def drop_signatures(self, *, declined: bool) -> None:
        """Note that no token is signed any more, and if somebody wanted that; in a transaction."""
        self.store.settings.put(SIGNED, None)
        self.store.settings.put(SIGNING, DECLINED if declined else None)

    def spans(self) -> bool:
        """Return whether what comes in notes where its token codes stand."""
        how = self.config.spans
        return self.store.settings.get(SPANS) is not None if how is None else how

    def settle_spans(self, *, whole: bool = False) -> None:
        """
        Record that spans are noted, if they are, for every later opener; in a transaction.

        ``whole``: this was decided for all that is in the store, and holds if they are not, too.

        Raises:
            WriteAll: it is not recorded yet, and the transaction is of one bank alone.

        """
        wanted = self.config.spans
        if wanted is None or not (wanted or whole):
            return
        if wanted != (self.store.settings.get(SPANS) is not None):
            self._put(SPANS, "on" if wanted else None)

    def check_cues(self, cues: Sequence[str] | None) -> tuple[str, ...]:
        """Return cue names after checking them; those that this memory uses for None."""
        if cues is None:
            return self.cues
        if "signature" in _known_cues(cues) and self.signatures() is None:
            raise InputError(
                f"cues={cues!r}: the store has no signatures; open it with Config.signatures, or"
                " run 'hippocampus reindex --signatures'"
            )
        return tuple(cues)

    def settings(self) -> tuple[str | None, ...]:
        """Return the store's records of how its vectors are made, signed and read."""
        keys = ("embedder", SIGNED, SIGNING, CALIBRATED)
        return tuple(self.store.settings.get(key) for key in keys)

    def calibration(self, bank: int = 0) -> Calibrated:
        """Return the calibration of the embedder in use, as far as anybody found it out."""
        used, kept = self.fingerprint(bank), self.store.settings.get(CALIBRATED)
        # Every catching up asks for it, and reading it takes longer than comparing.
        if self._calibrated is None or self._calibrated[0] != (used, kept):
            self._calibrated = (used, kept), self._read_calibration(used, kept)
        return self._calibrated[1]

    def _read_calibration(self, used: Fingerprint | None, kept: str | None) -> Calibrated:
        if kept is not None:
            try:
                found = Calibration.load(kept, path=self.store.path)
            except StoreCorrupt as exc:
                return Calibrated(BUILT_IN, str(exc), damaged=True)
            if found.embedder == used:
                return Calibrated(found)
        if used is None or used in SHIPPED:
            return Calibrated(BUILT_IN if used is None else SHIPPED[used])
        return Calibrated(BUILT_IN, f"not calibrated for {used}; run 'hippocampus calibrate'")

    def _salt(self) -> bytes:
        stored = self.store.settings.get("salt")
        if stored is None and self.read_only:
            return bytes(16)  # nobody has written yet, so there are no digests to compare with
        if stored is None:
            with self.store.write():
                # Asked once more: another process may have been first, and two salts would hide
                # from each process the texts that the other one has kept.
                stored = self.store.settings.get("salt")
                if stored is None:
                    stored = secrets.token_hex(16)
                    self.store.settings.put("salt", stored)
        try:
            return bytes.fromhex(stored)
        except ValueError as exc:
            msg = "by what equal texts are known cannot be read; restore a backup"
            raise StoreCorrupt(msg, path=self.store.path) from exc

    def ledger(self, name: str, *, create: bool = False) -> Ledger:
        """
        Return a bank's books, for those who look after it; ``create`` begins them.

        Raises:
            UnknownBank: there are none.

        """
        number = self.store.banks.number(name)
        if number is None and create:
            with self.store.write():
                number = self.store.banks.add(name, to_micros(self.now()))
        if number is None:
            there = nearest_first(name, self.store.banks.names(limit=_LOOKED_AT))
            known = ", ".join(map(repr, there[:5])) + (", …" if len(there) > 5 else "")
            msg = f"no bank {name!r} in the store; there {'is ' + known if there else 'are none'}"
            raise UnknownBank(msg)
        return self.ledger_of(number, name)

    def ledger_of(self, number: int, name: str) -> Ledger:
        """Return the books of a bank by its number, if there is one of that number or not."""
        return Ledger(
            self.store, number, name=name, salt=self.salt, limits=self.config.ingest, now=self.now,
            segments=self.segments,
        )  # fmt: skip

    def now(self) -> datetime:
        """Return the clock's present moment in the memory's time zone."""
        return in_zone(self.clock.now(), self.zone)

    def fingerprint(self, bank: int = 0) -> Fingerprint | None:
        """Return the embedder in use, or the one the vectors of the store, or a bank, come from."""
        return self.embedder.fingerprint if self.embedder else self.stored_fingerprint(bank)


def _check_vectors(config: Config, key: Key | None) -> None:
    """Refuse to search or keep vectors in a way that cannot be."""
    if config.vectors.search == "faiss":
        require("faiss", extra="faiss", feature="Vectors.search='faiss'")
    if key is not None and config.vectors.place == "disk":
        raise InputError(
            "Vectors.place is 'disk', and the store is encrypted: vectors would lie in a file"
            " in the clear; have place='memory'"
        )


def check_name(name: object) -> str:
    """
    Return a bank's name.

    Raises:
        InvalidScope: it is missing, blank, too long or holds control characters.
        InvalidText: it holds half of a character.

    """
    if not isinstance(name, str) or not _NAME.fullmatch(name) or not name.strip():
        raise InvalidScope(
            f"bank={name!r}: a bank's name is required, 1 to 200 characters without control"
            " characters; there is no default bank"
        )
    if not tokenizer.is_storable(name):
        tokenizer.encode(name)  # which says what is wrong
    return name


def _known_cues(cues: Sequence[str] | None) -> tuple[str, ...]:
    """Return cue names after checking them; those in use for None."""
    if cues is None:
        return USED
    check_several("cues", cues, of=f"cues ({', '.join(CUES)})")
    if not cues or set(cues) - set(CUES):
        raise InputError(f"cues={cues!r}: must be one or more of {', '.join(CUES)}")
    return tuple(cues)


def dump_fingerprint(fingerprint: Fingerprint) -> str:
    """Return a fingerprint as the store keeps it."""
    return json.dumps(asdict(fingerprint))


def _secret_finder(also: str, salt: bytes) -> SecretFinder:
    """Return the finder of secrets: by our own rules, and by others if some are configured."""
    if also == "none":
        return SecretFinder(salt=salt)
    from hippocampus.language.presidio import identity_finder  # noqa: PLC0415 - seldom, and slow

    return SecretFinder(identity_finder(), salt=salt)
