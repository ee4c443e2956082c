"""Memory opens a store and what all its banks share."""

from __future__ import annotations

import json
import re
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from hippocampus.bank import Bank
from hippocampus.calibrate.calibration import (
    BUILT_IN,
    CONVERSATIONS,
    Calibration,
    calibrate,
)
from hippocampus.core.clock import Clock, SystemClock, to_micros
from hippocampus.core.config import Config, Signatures
from hippocampus.core.records import (
    Degradation,
    Embedder,
    Fingerprint,
    Kind,
    Progress,
    Reranker,
    Slept,
    Store,
)
from hippocampus.encode import tokens as tokenizer
from hippocampus.encode.embed import load_embedder
from hippocampus.encode.keywords import KeywordExtractor
from hippocampus.encode.random_indexing import dump, load
from hippocampus.engine.bank_cache import Hot
from hippocampus.errors import (
    EmbedderMismatch,
    HippocampusError,
    InputError,
    InvalidScope,
    ModelNotInstalled,
    SignatureMismatch,
    StoreCorrupt,
    StoreLocked,
    StoreReadOnly,
    UnknownBank,
)
from hippocampus.journal.content import KEPT_BYTES, Segments
from hippocampus.journal.ledger import Ledger
from hippocampus.journal.rebuild import REBUILDING, drop, promote, stage
from hippocampus.llm.ask import ChatModel, Completer
from hippocampus.sleep.schedule import Schedule
from hippocampus.store import open_store

CUES: Final = ("tokens", "vector", "lexical", "time", "signature", "concept", "graph", "topic")
"""Every cue by name, the strongest first; ``signature`` is there only where tokens are signed,
``concept`` and ``topic`` once a bank has slept, ``graph`` then better than before."""
USED: Final = CUES[:-1]
"""The cues that recall asks unless told otherwise: topics do not rank (docs/adr/0015)."""

SIGNED: Final = "signatures"
"""The setting that says how the store's tokens were signed."""
CALIBRATED: Final = "calibration"
"""The setting that says what the numbers of an embedder mean."""
_NAME = re.compile(r"[^\x00-\x1f\x7f]{1,200}")


class Calibrated(NamedTuple):
    """What is known of the numbers of the embedder in use."""

    values: Calibration
    """The default embedder's, where there are none of its own."""
    lacking: str | None = None
    """Why there are none; None when they are its own."""
    damaged: bool = False
    """Whether there were some that cannot be read."""


class Memory:
    """
    One store: a SQLite file, made if missing. Holds banks.

    Args:
        path: the file, or ``":memory:"``.
        embedder: ``"default"`` (MiniLM on this machine; without its weights recall goes on by
            words and says so), ``"none"``, a specification such as
            ``"openai:text-embedding-3-small@http://localhost:11434/v1"``, or an ``Embedder``.
        cues: which cues recall may use, of ``CUES``; ``USED`` by default.
        config: sizes, weights, time zone.
        clock: where the present moment comes from.
        reranker: an optional cross-encoder for the first hits.
        keywords: what chooses the keywords whose signatures are searched, such as a language
            model; the words that are not grammar by default.
        model: a language model for what sleep can do better with one, such as tags: a
            ``LanguageModel``, its specification, as ``"openai:llama3.2@http://localhost:11434/v1"``,
            or any function from a prompt to an answer. It is shown what was said. By words alone
            otherwise, and wherever it fails.
        read_only: open an existing store without the right to change it.
        create: make the store if it is missing.

    Raises:
        StoreError: the store cannot be opened; nothing was changed.
        EmbedderMismatch: the store's vectors come from another embedder.
        SignatureMismatch: the store's tokens were signed with other parameters.

    """

    def __init__(
        self,
        path: str | Path,
        *,
        embedder: str | Embedder = "default",
        cues: Sequence[str] | None = None,
        config: Config | None = None,
        clock: Clock | None = None,
        reranker: Reranker | None = None,
        keywords: KeywordExtractor | None = None,
        model: str | Completer | ChatModel | None = None,
        read_only: bool = False,
        create: bool = True,
    ) -> None:
        self.config = config or Config()
        self.clock: Clock = clock or SystemClock()
        self.read_only = read_only
        self.reranker = reranker
        self.keywords = keywords
        self.model = _model(model)
        self.cues = _known_cues(cues)
        try:
            self.zone = ZoneInfo(self.config.timezone)
        except (ZoneInfoNotFoundError, ValueError) as exc:
            msg = (
                f"timezone={self.config.timezone!r}: not an IANA time zone, such as"
                " 'Europe/Berlin' or 'UTC'"
            )
            raise InputError(msg) from exc
        most = self.config.resident_mb
        limit = None if most is None else int(most * 1e6)
        self.segments = Segments(KEPT_BYTES if limit is None else min(KEPT_BYTES, limit))
        self.hot: Hot[Bank] = Hot(limit, self.segments.nbytes)
        self.store: Store = open_store(
            path,
            busy_timeout_s=self.config.busy_timeout_s,
            read_only=read_only,
            create=create,
        )
        self.moving = threading.RLock()
        self.embedder: Embedder | None = None
        self.no_embedder: Degradation | None = None
        self._calibrated: tuple[tuple[Fingerprint | None, str | None], Calibrated] | None = None
        try:
            self._open_embedder(embedder)
            self.settle_signatures(record=False)
            self.check_cues(cues)
            self.salt = self._salt()
        except BaseException:
            self.store.close()
            raise

    def _open_embedder(self, embedder: str | Embedder) -> None:
        if not isinstance(embedder, str):
            self.embedder = embedder
        else:
            try:
                self.embedder = load_embedder(embedder)
            except ModelNotInstalled as exc:
                if embedder != "default":
                    raise
                self.no_embedder = Degradation(part="embedder", reason=str(exc))
            if embedder == "none":
                self.no_embedder = Degradation(
                    part="embedder", reason="switched off; recall goes by words and time"
                )
        self.check_embedder(self.embedder)

    def check_embedder(self, used: Embedder | None) -> None:
        """Refuse to mix vectors: another process may have moved the store to another embedder."""
        stored = self.stored_fingerprint()
        if used is not None and stored not in (None, used.fingerprint):
            raise EmbedderMismatch(stored=str(stored), configured=str(used.fingerprint))

    def settle_embedder(self, used: Embedder | None) -> None:
        """Have the store's vectors be of the embedder ``used``, or refuse; inside a transaction."""
        self.check_embedder(used)
        if used is not None and self.store.setting("embedder") is None:
            self.store.set_setting("embedder", dump_fingerprint(used.fingerprint))

    def stored_fingerprint(self) -> Fingerprint | None:
        """Return which embedder the store's vectors come from; None before the first."""
        text = self.store.setting("embedder")
        return None if text is None else Fingerprint(**json.loads(text))

    def signatures(self) -> Signatures | None:
        """Return how tokens are signed: as configured, which by default is as the store's are."""
        how = self.config.signatures
        return self.stored_signatures() if how == "stored" else how

    def stored_signatures(self) -> Signatures | None:
        """
        Return how the store's tokens were signed; None before the first.

        None as well if a later version did so in a way that this one does not know.
        """
        recorded = self.store.setting(SIGNED)
        return None if recorded is None else load(recorded)

    def settle_signatures(self, *, record: bool) -> None:
        """
        Refuse to mix signatures: a store's are all made in one way.

        ``record``: make it the configured one, where there is none; inside a transaction.
        """
        how = self.config.signatures
        if how is None or how == "stored":
            return
        stored, configured = self.store.setting(SIGNED), dump(how)
        if stored not in (None, configured):
            raise SignatureMismatch(stored=stored, configured=configured)
        if record and stored is None:
            self.store.set_setting(SIGNED, configured)

    def check_cues(self, cues: Sequence[str] | None) -> tuple[str, ...]:
        """Return cue names after checking them; those that this memory uses for None."""
        if cues is None:
            return self.cues
        if "signature" in _known_cues(cues) and self.signatures() is None:
            msg = (
                f"cues={cues!r}: the store has no signatures; open it with Config.signatures, or"
                " run 'hippocampus reindex --signatures'"
            )
            raise InputError(msg)
        return tuple(cues)

    def settings(self) -> tuple[str | None, ...]:
        """Return what is recorded of how the store's vectors are made, signed and read."""
        return tuple(self.store.setting(key) for key in ("embedder", SIGNED, CALIBRATED))

    def calibration(self) -> Calibrated:
        """Return what the numbers of the embedder in use mean, as far as anybody found out."""
        used, kept = self.fingerprint(), self.store.setting(CALIBRATED)
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
        if used in (None, BUILT_IN.embedder):
            return Calibrated(BUILT_IN)
        return Calibrated(BUILT_IN, f"not calibrated for {used}; run 'hippocampus calibrate'")

    def calibrate(
        self,
        *,
        conversations: int = CONVERSATIONS,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Calibration:
        """
        Find out what the numbers of the embedder in use mean, and let every default go by it.

        Conversations that are made up are remembered and asked about, in memory alone; no bank is
        read. What is found is kept in the store for this embedder, and does not apply to another.

        Args:
            conversations: how many are made up, 8 to 256; more leave less to chance.
            dry_run: only return what was found.
            progress: told how many turns were read, and of how many.

        Raises:
            InputError: there is no embedder, or fewer or more conversations than that.
            StoreReadOnly: the store was opened without the right to change it.

        """
        used = self.embedder
        if used is None:
            msg = "there is no embedder to calibrate; open the store with one"
            raise InputError(msg)
        if self.read_only and not dry_run:
            msg = "was opened read-only, and what is found could not be kept; pass dry_run"
            raise StoreReadOnly(msg, path=self.store.path)
        found = calibrate(used, conversations=conversations, progress=progress)
        if not dry_run:
            with self.moving, self.store.write():
                self.check_embedder(used)  # another one may have taken its place meanwhile
                self.store.set_setting(CALIBRATED, found.dump())
        return found

    def _salt(self) -> bytes:
        stored = self.store.setting("salt")
        if stored is None and self.read_only:
            return bytes(16)
        if stored is None:
            with self.store.write():
                stored = self.store.setting("salt")
                if stored is None:
                    stored = secrets.token_hex(16)
                    self.store.set_setting("salt", stored)
        return bytes.fromhex(stored)

    def bank(self, name: str) -> Bank:
        """
        Return the bank called ``name``; it comes to be with its first episode.

        Raises:
            InvalidScope: the name is missing, blank, too long or holds control characters.

        """
        check_name(name)
        return self.hot.find(name) or self.hot.add(Bank(self, name))

    def banks(self, *, prefix: str = "", after: str = "", limit: int | None = None) -> list[str]:
        """
        Return the names of the banks in the store, in order.

        Args:
            prefix: only names that begin so; what others are called costs nothing then.
            after: only names that come after this one, to go on from.
            limit: most names.

        """
        check_limit(limit)
        return self.store.bank_names(prefix=prefix, after=after, limit=limit)

    def delete_bank(self, name: str) -> None:
        """
        Erase a whole bank: episodes, journal, vectors; nothing of it stays in the file.

        Raises:
            InputError: something in it is held; nothing was erased.

        """
        bank = self.bank(name)
        with bank.writing:
            with bank.reading, self.store.write():
                ledger = self.ledger(name)
                ledger.check_free(self.store.scan_episodes(ledger.bank))
                self.store.drop_bank(ledger.bank)
            self.segments.drop(ledger.bank)
            self.store.scrub()
        self.hot.drop(name)

    def ledger(self, name: str, *, create: bool = False) -> Ledger:
        """
        Return a bank's books, for those who look after it; ``create`` begins them.

        Raises:
            UnknownBank: there are none.

        """
        number = self.store.bank_number(name)
        if number is None and create:
            with self.store.write():
                number = self.store.add_bank(name, to_micros(self.now()))
        if number is None:
            there = self.banks(limit=6)
            known = ", ".join(repr(n) for n in there[:5]) + (", …" if len(there) > 5 else "")
            msg = f"no bank {name!r} in the store; there {'is ' + known if there else 'are none'}"
            raise UnknownBank(msg)
        return self.ledger_of(number, name)

    def ledger_of(self, number: int, name: str) -> Ledger:
        """Return the books of a bank by its number, if there is one of that number or not."""
        return Ledger(
            self.store, number, name=name, salt=self.salt, limits=self.config.ingest, now=self.now,
            segments=self.segments,
        )  # fmt: skip

    @property
    def resident_bytes(self) -> int:
        """Bytes of memory that banks hold in this process, about; see ``Config.resident_mb``."""
        return self.hot.nbytes()

    def now(self) -> datetime:
        """Return the clock's present moment in the memory's time zone."""
        return self.clock.now().astimezone(self.zone)

    def fingerprint(self) -> Fingerprint | None:
        """Return the embedder in use, or the one the store's vectors come from."""
        return self.embedder.fingerprint if self.embedder else self.stored_fingerprint()

    def backup(
        self,
        target: str | Path,
        *,
        overwrite: bool = False,
        progress: Progress | None = None,
    ) -> None:
        """
        Write a complete copy of the store while others go on reading and writing.

        Args:
            target: a new file, in a folder that exists. Only its owner may read it.
            overwrite: whether it may replace a file. A store, an older backup too, never is: who
                has it open could not know.
            progress: told how many pages were copied, and of how many.

        Raises:
            OutputExists: there is such a file, or a store.

        """
        self.store.backup(Path(target), overwrite=overwrite, progress=progress)

    def rebuild(
        self,
        *,
        banks: Sequence[str] | None = None,
        embedder: Embedder | None = None,
        progress: Progress | None = None,
    ) -> dict[str, int]:
        """
        Make every derived payload anew from the texts; returns episodes by bank.

        What is there stays in use until all of it is ready, then changes in one transaction.
        Stopped half-way, it goes on where it was. With ``embedder`` the vectors become that one's.
        """
        maker = embedder or self.embedder
        if embedder is not None:
            if set(self.banks()) - set(self._named(banks)):
                msg = f"banks={banks!r}: a store has one embedder, so all banks move; leave it out"
                raise InputError(msg)
            banks = None  # those that come to be meanwhile as well
        signed, mark = self._making(maker)
        self._begin_rebuild(mark)
        for report in (progress, None):  # twice: once more for what was written meanwhile
            for name in self._named(banks):
                stage(self.ledger(name), maker, signed, mark, progress=report)
        return self._swap(banks, maker)

    def _making(self, maker: Embedder | None) -> tuple[Signatures | None, str]:
        """Return how a rebuild signs now, and what to call one with this embedder that does so."""
        signed = self.signatures()
        mark = "" if maker is None else dump_fingerprint(maker.fingerprint)
        return signed, mark + ("" if signed is None else dump(signed))

    def _named(self, banks: Sequence[str] | None) -> list[str]:
        return self.banks() if banks is None else list(banks)

    def _begin_rebuild(self, mark: str) -> None:
        """Drop what another rebuild has made, unless it makes the same and this one goes on."""
        with self.store.write():
            if self.store.setting(REBUILDING) != mark:
                for name in self.banks():
                    drop(self.ledger(name))
                self.store.set_setting(REBUILDING, mark)

    def _swap(self, banks: Sequence[str] | None, maker: Embedder | None) -> dict[str, int]:
        """Put what a rebuild has made in the place of what was, all of it or nothing."""
        done: dict[str, int] = {}
        before, unsigns = self.embedder, self.config.signatures is None and banks is None
        kinds: set[Kind] = {"lexical", "phrase"}
        if maker is not None:
            kinds |= {"vector", "tokens"}
        with self.moving:
            try:
                with self.store.write():
                    signed, mark = self._making(maker)  # if it was signed otherwise meanwhile
                    moves = maker is not None and maker.fingerprint != self.stored_fingerprint()
                    if signed is not None or unsigns:
                        kinds.add("signature")
                    self._begin_rebuild(mark)  # if another one has come between
                    for name in self._named(banks):
                        ledger = self.ledger(name)
                        stage(ledger, maker, signed, mark)  # what came until this transaction
                        done[name] = promote(ledger, kinds)
                        if moves:
                            ledger.forget_slept()
                    if maker is not None:
                        self.store.set_setting("embedder", dump_fingerprint(maker.fingerprint))
                    if unsigns:
                        self.store.set_setting(SIGNED, None)
                    self.settle_signatures(record=True)
                    self.store.set_setting(REBUILDING, None)
                    if before is not None:  # not after the commit: the next writer asks for it
                        self.embedder = maker
            except BaseException:
                self.embedder = before
                raise
        return done

    def sleep_if_due(self, schedule: Schedule | None = None) -> list[Slept]:
        """
        Let every bank sleep for which it is time; return what they did.

        One that is locked, or gone meanwhile, keeps none of the others awake; it is still due.
        """
        schedule, slept = schedule or Schedule(), list[Slept]()
        for name in self.banks():
            with suppress(StoreLocked, UnknownBank):
                one = self.bank(name).sleep_if_due(schedule)
                slept += [] if one is None else [one]
        return slept

    @contextmanager
    def sleeping(
        self,
        schedule: Schedule | None = None,
        *,
        look_every_s: float = 60.0,
        failed: Callable[[Exception], None] | None = None,
    ) -> Iterator[None]:
        """
        Let banks sleep when it is time, on a thread of its own, while the block runs.

        The block's end waits for the sleep that has begun. A store that is locked, or a bank that
        is gone, is tried again; what else goes wrong ends the thread, and is raised at the end.

        Args:
            schedule: when; see there.
            look_every_s: how often to look whether it is time, in seconds, above 0.
            failed: told what else goes wrong; then it is tried again, and the other banks sleep.

        """
        if not look_every_s > 0:
            msg = f"look_every_s={look_every_s!r}: must be above 0 seconds"
            raise InputError(msg)
        ended, raised, when = threading.Event(), list[Exception](), schedule or Schedule()

        @contextmanager
        def going_on() -> Iterator[None]:
            try:
                yield
            except (StoreLocked, UnknownBank):
                pass
            except Exception as exc:  # noqa: BLE001 - it is told where somebody sees it
                if failed is not None:
                    failed(exc)
                else:
                    raised.append(exc)
                    ended.set()

        def look() -> None:
            while not ended.wait(look_every_s):
                with going_on():
                    for name in self.banks():
                        with going_on():
                            self.bank(name).sleep_if_due(when)
                        if ended.is_set():
                            return

        thread = threading.Thread(target=look, name="hippocampus-sleep", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
        if raised:
            raise raised[0]

    def close(self) -> None:
        """
        Write down what was recalled, if the store can take it, and release it. May be called twice.

        Sleep needs to know what is recalled, by processes that do nothing else, too.
        """
        for bank in self.hot.known():
            with suppress(HippocampusError):  # full, locked, closed: no answer depends on it
                bank.note_recalls()
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Memory({self.store.path!r})"


def check_name(name: object) -> str:
    """
    Return a bank's name.

    Raises:
        InvalidScope: it is missing, blank, too long or holds control characters.

    """
    if not isinstance(name, str) or not _NAME.fullmatch(name) or not name.strip():
        msg = (
            f"bank={name!r}: a bank's name is required, 1 to 200 characters without control"
            " characters; there is no default bank"
        )
        raise InvalidScope(msg)
    tokenizer.encode(name)
    return name


def check_limit(limit: object) -> None:
    """Refuse a limit that is neither None nor a whole number from 0."""
    whole = isinstance(limit, int) and not isinstance(limit, bool) and limit >= 0
    if limit is not None and not whole:
        msg = f"limit={limit!r}: must be a whole number, 0 or more"
        raise InputError(msg)


def _model(given: str | Completer | ChatModel | None) -> Completer | ChatModel | None:
    if not isinstance(given, str):
        return given
    from hippocampus.llm.client import load_model  # noqa: PLC0415 - only when one is named

    return load_model(given)


def _known_cues(cues: Sequence[str] | None) -> tuple[str, ...]:
    """Return cue names after checking them; those in use for None."""
    if cues is None:
        return USED
    if isinstance(cues, str) or not cues or set(cues) - set(CUES):
        msg = f"cues={cues!r}: must be one or more of {', '.join(CUES)}"
        raise InputError(msg)
    return tuple(cues)


def dump_fingerprint(fingerprint: Fingerprint) -> str:
    """Return a fingerprint as the store keeps it."""
    return json.dumps(
        {
            "name": fingerprint.name,
            "weights": fingerprint.weights,
            "dimension": fingerprint.dimension,
            "token_dimension": fingerprint.token_dimension,
        }
    )
