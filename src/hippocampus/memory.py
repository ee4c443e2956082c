"""
Memory opens a store and what all its banks share.

Importing it imports what opening takes. What a bank takes, which is write, recall and sleep, comes
with the first bank; calibration and rebuilds come when they run.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self
from weakref import WeakValueDictionary

from hippocampus._moved import warn_of_old_name
from hippocampus.calibrate import CONVERSATIONS
from hippocampus.core.telemetry import OPERATIONS, is_set_up, operation
from hippocampus.errors import (
    HippocampusError,
    InputError,
    StoreCorrupt,
    StoreLocked,
    StoreReadOnly,
    UnknownBank,
)

if TYPE_CHECKING:
    from hippocampus.bank import Bank
    from hippocampus.calibrate.calibration import Calibration
    from hippocampus.core.clock import Clock
    from hippocampus.core.config import Config
    from hippocampus.core.key import Key
    from hippocampus.core.records import Embedder, EmbeddingFunction, Progress, Reranker, Slept
    from hippocampus.core.store_address import StoreAddress
    from hippocampus.encode.keywords import KeywordExtractor
    from hippocampus.llm.ask import ChatModel, Completer
    from hippocampus.sleep.schedule import Schedule

MOVED_TO_ENGINE: Final = {
    "hot": "bank_cache",
    "moving": "embedder_lock",
} | {
    name: name
    for name in (
        "calibration", "check_cues", "check_embedder", "clock", "config", "cues", "embedder",
        "fingerprint", "keywords", "ledger", "ledger_of", "model", "no_embedder", "read_only",
        "reranker", "salt", "segments", "settings", "settle_embedder", "settle_signatures",
        "signatures", "store", "stored_fingerprint", "stored_signatures", "zone",
    )
}  # fmt: skip
"""Attributes of ``Memory`` until 0.1, and what they are called in ``Memory.engine``."""


class Memory:
    """
    One store: a SQLite file, made if missing. Holds banks.

    Args:
        path: the file, or ``":memory:"``, or a database as ``"postgresql://host/name"``; a list of
            several has the banks between them (``docs/postgres.md``).
        embedder: ``"default"`` (MiniLM on this machine; without its weights recall goes on by
            words and says so), ``"none"``, a specification such as
            ``"openai:text-embedding-3-small@http://localhost:11434/v1"``, an ``Embedder``, or any
            function from a list of texts to their vectors (``docs/models.md``).
        cues: which cues recall may use, of ``CUES``; ``USED`` by default.
        config: sizes, weights, time zone.
        clock: where the present moment comes from.
        reranker: a cross-encoder for the first hits, or its specification, as
            ``"rerank:http://localhost:8080/rerank"`` (``docs/models.md``); none by default.
        keywords: what chooses the keywords whose signatures are searched, such as a language
            model; the words that are not grammar by default.
        model: a language model for what sleep can do better with one, such as tags: a
            ``LanguageModel``, its specification, as ``"openai:llama3.2@http://localhost:11434/v1"``,
            or any function from a prompt to an answer. It is shown what was said. By words alone
            otherwise, and wherever it fails.
        read_only: open an existing store without the right to change it.
        create: make the store if it is missing.
        key: opens a store that is encrypted, and has one that is made be so: a ``Key``, or its
            specification, as ``"file:~/.hippocampus.key"`` (``docs/encryption.md``).
        vault: seals secrets that ``Secrets(write="vault")`` takes out of texts, and opens them
            for ``Bank.reveal``; likewise a key (``docs/privacy.md``).

    Raises:
        StoreError: the store cannot be opened; nothing was changed.
        StoreEncrypted: it is encrypted, and there is no key.
        WrongKey: the key does not open it.
        EmbedderMismatch: the store's vectors come from another embedder.
        SignatureMismatch: the store's tokens were signed with other parameters.

    Attributes:
        engine: what the banks share: store, embedder, clock, configuration; for who looks inside.

    """

    def __init__(  # noqa: PLR0913 - a public verb
        self,
        path: StoreAddress,
        *,
        embedder: str | Embedder | EmbeddingFunction = "default",
        cues: Sequence[str] | None = None,
        config: Config | None = None,
        clock: Clock | None = None,
        reranker: str | Reranker | None = None,
        keywords: KeywordExtractor | None = None,
        model: str | Completer | ChatModel | None = None,
        read_only: bool = False,
        create: bool = True,
        key: Key | str | None = None,
        vault: Key | str | None = None,
    ) -> None:
        from hippocampus.core.key import as_key  # noqa: PLC0415 - for who opens a store
        from hippocampus.engine.context import (  # noqa: PLC0415 - for who opens a store
            EngineContext,
        )
        from hippocampus.engine.opened_parts import (  # noqa: PLC0415 - for who opens a store
            GivenModels,
            StoreAccess,
        )

        self.engine = EngineContext(
            StoreAccess(
                path, key=as_key(key), vault=as_key(vault), read_only=read_only, create=create
            ),
            GivenModels(embedder, reranker, keywords, _model(model)),
            cues=cues, config=config, clock=clock,
        )  # fmt: skip
        if self.engine.store.databases() > 1:
            from hippocampus.engine.rebuild import go_on  # noqa: PLC0415 - for several databases

            go_on(self.engine)
        self._making = threading.Lock()
        # Weak, so that a bank is gone once nobody holds it; its locks are with the state.
        self._banks: WeakValueDictionary[str, Bank] = WeakValueDictionary()

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
            conversations: how many of those that ship are read, 8 to 72; more leave less to chance.
            dry_run: only return what was found.
            progress: told how many turns were read, and of how many.

        Raises:
            InputError: there is no embedder, or fewer or more conversations than that.
            StoreReadOnly: the store was opened without the right to change it.

        """
        from hippocampus.engine.context import CALIBRATED  # noqa: PLC0415 - for who opens a store

        used = self.engine.embedder
        if used is None:
            raise InputError("there is no embedder to calibrate; open the store with one")
        if self.engine.read_only and not dry_run:
            msg = "was opened read-only, and what is found could not be kept; pass dry_run"
            raise StoreReadOnly(msg, path=self.engine.store.path)
        from hippocampus.calibrate.run import calibrate  # noqa: PLC0415

        found = calibrate(used, conversations=conversations, progress=progress)
        if not dry_run:
            with self.engine.embedder_lock, self.engine.store.write():
                self.engine.check_embedder(used)  # another one may have taken its place meanwhile
                self.engine.store.settings.put(CALIBRATED, found.dump())
        return found

    def bank(self, name: str) -> Bank:
        """
        Return the bank called ``name``; it comes to be with its first episode.

        Raises:
            InvalidScope: the name is missing, blank, too long or holds control characters.

        """
        from hippocampus.bank import Bank  # noqa: PLC0415
        from hippocampus.engine.bank_state import BankState  # noqa: PLC0415
        from hippocampus.engine.context import check_name  # noqa: PLC0415 - for who opens a store

        check_name(name)
        cache = self.engine.bank_cache
        with self._making:  # or threads would have banks whose writes are not committed together
            bank = self._banks.get(name)
            state = cache.find(name) or cache.add(BankState(self.engine, name))
            if bank is None or bank.state is not state:  # new, or deleted and made anew
                bank = self._banks[name] = Bank(state)
            return bank

    def banks(self, *, prefix: str = "", after: str = "", limit: int | None = None) -> list[str]:
        """
        Return the names of the banks in the store, in order.

        Args:
            prefix: only names that begin so; what others are called costs nothing then.
            after: only names that come after this one, to go on from.
            limit: most names.

        """
        from hippocampus.core.constraints import (  # noqa: PLC0415 - for who opens a store
            check_whole,
        )
        from hippocampus.core.given_arguments import (  # noqa: PLC0415 - for who opens a store
            check_texts,
        )

        check_whole(limit=limit, optional=True)
        check_texts(prefix=prefix, after=after)
        return self.engine.store.banks.names(prefix=prefix, after=after, limit=limit)

    def delete_bank(self, name: str) -> None:
        """
        Erase a whole bank: episodes, journal, vectors; nothing of it stays in the file.

        It is gone at once, with its name. Its rows are then removed a few at a time, and others
        write in between; cut off, the next erasure, opening or closing of the store finishes it.

        Raises:
            InputError: something in it is held; nothing was erased.
            ErasurePending: it is gone, but the file may still hold bytes of it.

        """
        from hippocampus.core.idempotency import current_request  # noqa: PLC0415
        from hippocampus.core.overtaken import write_again  # noqa: PLC0415
        from hippocampus.engine.bank_state import NO_BANK  # noqa: PLC0415 - with the first bank
        from hippocampus.journal.requests import find_done, once  # noqa: PLC0415

        bank, store = self.bank(name), self.engine.store
        # What is known of the request must outlast the bank, so the store has it.
        books = self.engine.ledger_of(NO_BANK, name)

        def drop() -> int:
            there = self.engine.ledger(name)
            # A bank that was made anew under the name meanwhile has not been looked through.
            there.writer.check_all_free(after=seen if there.bank == before.bank else 0)
            store.upkeep.owe_drop(there.bank)
            return there.bank

        with self._recorded("delete_bank", bank), bank.state.writing:
            with store.read():  # which keeps nobody waiting, however large the bank is
                before, done = bank.state.ledger(), find_done(books, current_request(), int)
                # Looked through here, so that the transaction has only what came since to look at.
                seen = 0 if done else before.writer.check_all_free()
            with bank.state.following:
                gone = write_again(store, None, lambda: once(books, drop, int))
            self.engine.segments.drop(gone)
        self.engine.bank_cache.drop(name)
        # Last: others who read may keep it from its work, and the bank is gone by then.
        store.upkeep.scrub()

    def _recorded(self, verb: str, bank: Bank) -> AbstractContextManager[object]:
        """Return the recorder of a verb that is of no part of a bank, where that is set up."""
        if not is_set_up():
            return nullcontext()
        from hippocampus.bank.telemetry import store_id  # noqa: PLC0415 - only where it is

        return operation(OPERATIONS[verb], store_id(bank.state))

    @property
    def resident_bytes(self) -> int:
        """Bytes of memory that banks hold in this process, about; see ``Config.resident_mb``."""
        return self.engine.bank_cache.nbytes()

    def now(self) -> datetime:
        """Return the clock's present moment in the memory's time zone."""
        return self.engine.now()

    def backup(
        self, target: str | Path, *, overwrite: bool = False, progress: Progress | None = None
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
        from hippocampus.core.given_arguments import as_path  # noqa: PLC0415 - seldom

        file = as_path("target", target)
        self.engine.store.upkeep.backup(file, overwrite=overwrite, progress=progress)

    def rebuild(
        self,
        *,
        banks: Sequence[str] | None = None,
        embedder: Embedder | EmbeddingFunction | None = None,
        progress: Progress | None = None,
    ) -> dict[str, int]:
        """
        Make every derived payload anew from the texts; returns episodes by bank.

        What is there stays in use until all of it is ready, then changes in one transaction, or
        one of each database. Stopped half-way, it goes on where it was. With ``embedder`` the
        vectors become that one's.

        Raises:
            InputError: ``embedder`` with only some of the banks; a store has one.
            EmbedderMismatch: no ``embedder``, and another process has moved the store to one.
            StoreError: no ``embedder``, and some of several databases have moved to one.

        """
        from hippocampus.engine.opened_parts import as_embedder  # noqa: PLC0415 - seldom
        from hippocampus.engine.rebuild import rebuild  # noqa: PLC0415

        maker = None if embedder is None else as_embedder(embedder)
        return rebuild(self.engine, banks=banks, embedder=maker, progress=progress)

    def sleep_if_due(self, schedule: Schedule | None = None) -> list[Slept]:
        """
        Let every bank sleep for which it is time; return what they did.

        One that is locked, damaged, or gone meanwhile, keeps none of the others awake; it is still
        due.

        Raises:
            StoreCorrupt: one is damaged, the first that was met; all others have slept.

        """
        from hippocampus.core.records import Slept  # noqa: PLC0415 - for who opens a store
        from hippocampus.sleep.schedule import Schedule  # noqa: PLC0415 - for who opens a store

        schedule, slept = schedule or Schedule(), list[Slept]()
        damaged: list[StoreCorrupt] = []
        for name in self.banks():
            try:
                with suppress(StoreLocked, UnknownBank):
                    one = self.bank(name).sleep_if_due(schedule)
                    slept += [] if one is None else [one]
            except StoreCorrupt as exc:
                damaged.append(exc)
        if damaged:
            raise damaged[0]
        return slept

    def sleeping(
        self,
        schedule: Schedule | None = None,
        *,
        look_every_s: float = 60.0,
        failed: Callable[[Exception], None] | None = None,
    ) -> AbstractContextManager[None]:
        """
        Let banks sleep when it is time, on a thread of its own, while the block runs.

        The block's end waits for the sleep that has begun. A store that is locked, or a bank that
        is gone, is tried again; what else goes wrong ends the thread, and is raised at the end.

        Args:
            schedule: when; see there.
            look_every_s: how often to look whether it is time, in seconds, above 0, at most a year.
            failed: told what else goes wrong; then it is tried again, and the other banks sleep.

        """
        from hippocampus.engine.sleep_thread import (  # noqa: PLC0415 - for who opens a store
            sleeping,
        )
        from hippocampus.sleep.schedule import Schedule  # noqa: PLC0415 - for who opens a store

        when = schedule or Schedule()
        if not isinstance(when, Schedule):
            raise InputError(f"schedule={when!r:.100}: must be a Schedule; give Schedule()")
        return sleeping(
            self.banks, lambda name: self.bank(name).sleep_if_due(when),
            look_every_s=look_every_s, failed=failed,
        )  # fmt: skip

    def close(self) -> None:
        """
        Write down what was recalled, if the store can take it, and release it. May be called twice.

        Sleep needs to know what is recalled, by processes that do nothing else, too.
        """
        for state in self.engine.bank_cache.known():
            with suppress(HippocampusError):  # full, locked, closed: no answer depends on it
                state.note_recalls()
        self.engine.finish_erasure()
        self.engine.store.close()

    def __getattr__(self, name: str) -> object:
        """Return an attribute by its old name, until 0.3, with a warning; see ``engine``."""
        now = MOVED_TO_ENGINE.get(name)
        if now is None:
            msg = f"{type(self).__name__!r} has no attribute {name!r}"
            raise AttributeError(msg, name=name, obj=self)
        warn_of_old_name(f"Memory.{name}", f"Memory.engine.{now}")
        return getattr(self.engine, now)

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
        return f"Memory({self.engine.store.path!r})"


def _model(given: str | Completer | ChatModel | None) -> Completer | ChatModel | None:
    if given == "none":
        return None
    if not isinstance(given, str):
        return given
    from hippocampus.llm.client import load_model  # noqa: PLC0415 - only when one is named

    return load_model(given)
