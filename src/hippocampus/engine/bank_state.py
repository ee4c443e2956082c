"""The state of a bank in memory: locks, snapshot, transactions, and notes for sleep."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple, TypeVar

from hippocampus.core.budget import check_budget, without_budget
from hippocampus.core.clock import to_micros
from hippocampus.core.config import Signatures
from hippocampus.core.events import (
    AnchorsCurated,
    ArtifactReplaced,
    Erased,
    IndexRebuilt,
    JournalEvent,
    RecallsNoted,
    class_of,
)
from hippocampus.core.overtaken import done_again
from hippocampus.core.records import Asks, Embedder
from hippocampus.engine.bank_cache import held_bytes
from hippocampus.engine.context import EngineContext, WriteAll
from hippocampus.engine.index_at_rest import keep
from hippocampus.engine.position import NOWHERE, Position
from hippocampus.engine.question_memo import QuestionMemo
from hippocampus.engine.snapshot import BankSnapshot, follow, take_snapshot
from hippocampus.errors import (
    StoreBehind,
    StoreCorrupt,
    StoreLocked,
    StoreUnreachable,
    UnknownBank,
)
from hippocampus.index.bank_index import TAKEN_IN, BankIndex
from hippocampus.index.graph import Statements
from hippocampus.journal.ledger import Ledger
from hippocampus.recall.current_facts import FactResolver
from hippocampus.recall.read import Shown
from hippocampus.write.echo_filter import EchoFilter

R = TypeVar("R")

_ANEW: Final[frozenset[type[JournalEvent]]] = frozenset({ArtifactReplaced, AnchorsCurated})
"""Changes after which what sleep has made is looked at anew, and nothing else."""
_GONE: Final[frozenset[type[JournalEvent]]] = frozenset({Erased, IndexRebuilt})
"""Changes after which an index is made anew, with what erasures have left of the last one."""
_FOLLOWED: Final = _GONE | _ANEW | TAKEN_IN
"""Changes that a snapshot is brought up by."""
NO_BANK: Final = 0
"""A number that no bank has, so that reads by it find nothing."""
_MOST_RECALLS: Final = 1000
"""Recalls that are remembered until they are written down, with the next write: who only reads for
long loses the oldest. Chosen by hand."""
_FIRST_LOOK_S: Final = 0.005
"""Seconds after which it is looked again whether a copy has caught up; doubled each time."""
_MORE: Final = 1 / 8
"""Share by which a bank may have grown since it was weighed, which takes 10 ms at 2 000 episodes;
in between the estimate is within a quarter (docs/adr/0028)."""
_OF_A_BANK: Final = 4_000
"""Bytes of a bank that holds nothing."""


_MADE_ANEW: Final = (
    "bank {!r} was deleted while it was being changed, and another one was made of that name;"
    " nothing was changed in that one"
)


class Encoding(NamedTuple):
    """Encoding of new turns, beside their vectors."""

    signed: Signatures | None
    """Way in which its tokens are signed, if they are."""
    spans: bool
    """Whether it notes where its token codes stand."""


class _Verb(threading.local):
    """State of the bank that a verb under way on this thread goes by."""

    depth: int = 0
    history: int | None = None
    """The history of the bank that it has looked at; None before it has."""


class _Weighed(NamedTuple):
    """Size in bytes of a snapshot of so many rows, and the number of its uses since."""

    snapshot: BankSnapshot | None
    rows: int
    uses: int
    nbytes: int


_NEVER: Final = _Weighed(None, 0, 0, 0)


class BankState:
    """
    The locks of a bank, its snapshot, and how it comes into memory and leaves it.

    Locks are taken in this order, in which any may be left out, and never in the reverse:

    1. ``writing``, by whoever changes the bank, for as long as that takes, encoding included;
       what others bring to be kept meanwhile is kept in one go by the next;
    2. ``following``, by whoever brings the snapshot up, and by a writer from before its transaction
       until the snapshot has what it wrote, so that it pays for the index and not the next reader;
    3. ``EngineContext.embedder_lock``, together by all who make an index, and alone by who changes
       the embedder, so that an index and those who ask it have the same one; no bank waits there
       for the index of another;
    4. the store's transaction, ``store.write()`` or ``store.read()``;
    5. for a moment, and waiting for nothing: ``_noting``, by whoever notes what was shown; that of
       the ``BankCache``, by whoever begins or ends to use a bank; those of what is kept of texts
       and of models, and that of who waits to write.

    Who reads takes none of them, unless the snapshot is behind: it is never changed, and stays as
    long as somebody holds it. Whoever takes the first or the second, or a snapshot, begins to use
    the bank before that, and ends after it: the cache has a bank let go of its memory only while
    nobody uses it.

    No thread holds locks of two banks. What keeps writers of other processes apart is the
    transaction alone, so whatever was looked up before it is looked at again inside.
    """

    def __init__(self, engine: EngineContext, name: str) -> None:
        self.name = name
        self.engine = engine
        self.writing = threading.RLock()
        self.following = threading.RLock()
        self.echo_filter = EchoFilter(echo_words=engine.config.ingest.echo_words)
        self.recalled: list[list[int]] = []
        """Recalls to be written down: when, in microseconds, and the rows shown."""
        self._uncommitted: list[list[int]] = []
        """Those of them that the open transaction has written."""
        self.questions = QuestionMemo()
        """What it was asked lately, embedded."""
        self.snapshot: BankSnapshot | None = None
        """The last one taken; ``take`` brings it up."""
        self.has_anchors = False
        """Whether the bank had anchors when it was last looked at."""
        self._store = engine.store
        self._number = NO_BANK
        self._written = 0
        """Transactions that were committed, by whoever held ``writing``."""
        self._seen = -1
        """The state of the store that the snapshot is of; set after it, and read before it."""
        self._erasures = 0
        """How often something left memory that an index cannot take back."""
        self._noting = threading.Lock()
        self._heeded = 0
        """The last change that notes were looked through for."""
        self._mark = b""
        """The journal's mark of that change, which is another one in another history."""
        self._histories = 0
        """How often the bank was found to be of another history."""
        self._verb = _Verb()
        self._position: tuple[int, tuple[int, int, Hashable]] | None = None
        """Where the bank was at some state of the store."""
        self._weighed = _NEVER

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Have the bank stay in memory for a verb, which changes it only as long as it goes on."""
        verb = self._verb
        verb.depth += 1
        try:
            with self.engine.bank_cache.use(self):
                yield
        finally:
            verb.depth -= 1
            if not verb.depth:
                verb.history = None

    @contextmanager
    def asking(self) -> Iterator[BankSnapshot]:
        """Lend the snapshot, caught up with every process, and see that it stays in memory."""
        with self.in_use():
            here = self.take()
            try:
                yield here
            finally:
                if here.erasures != self._erasures:  # texts that it read may be gone since
                    self.engine.segments.drop(here.ledger.bank)
                self._check_at_rest(here)

    def _check_at_rest(self, here: BankSnapshot) -> None:
        """Refuse data of an index whose file is not whole any more, and forget it."""
        if not _is_damaged(here.index):
            return
        with self.following:
            if self.snapshot is here:
                self.snapshot, self._seen = None, -1
            for file in self._store.index_files.find(here.ledger.bank):
                self._store.index_files.remove(file.path)
        msg = (
            f"the file with the index of bank {self.name!r} was cut short while it was in use;"
            " nothing is lost, and it is made anew: ask again"
        )
        raise StoreCorrupt(msg, path=self._store.path)

    def keep_index(self) -> None:
        """Write a large bank's index to a file, and go on with what is mapped from it."""
        with self.following:
            now = self.take()
            if keep(self.engine, now.ledger, now.index):
                self.snapshot, self._seen = None, -1
                self.take()

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Hold ``writing``, and have the bank stay in memory."""
        with self.in_use(), self.writing:
            yield

    @contextmanager
    def changing(self) -> Iterator[None]:
        """
        Hold the bank as a verb that changes it, whose end says that it is done.

        Where nothing was written, because it is there already, that has to be durable first: it may
        be what another is still waiting for.
        """
        with self.holding():
            written = self._written
            yield
            if self._written == written:
                number = self._store.banks.number(self.name)
                # Else what was found there could be answered with, and lost with the primary
                # (docs/adr/0092).
                if number is not None:
                    self._store.wait_until_durable(number)

    @contextmanager
    def transaction(
        self,
        *,
        indexed: bool = True,
        settles: bool = False,
        begins: bool = False,
        of: int | None = None,
        asks: Asks = (),
        whole: bool = False,
    ) -> Iterator[Ledger]:
        """
        Open a transaction on the bank; the caller holds ``writing``.

        Not ``indexed`` are those of which each would have the index made anew, but for the last.
        Who ``settles`` looks in it whether the store still has this embedder and these signatures.
        A bank that is not there yet ``begins`` in it, or is not there.
        ``of``: the number of the bank of whose rows something is to be changed.
        ``asks``: what is going to be asked in it, see ``Store.expecting``.
        It is of the ``whole`` store where it settles what holds for every bank.

        Raises:
            UnknownBank: that bank was deleted meanwhile; one that has its name now is another.

        """
        with self.following:
            if indexed and (not settles or self._number == NO_BANK):
                self.take()  # what is wrong with it is said before anything is written
            expecting = self._store.expecting([*self._settled_by(), *self._dated_by(), *asks])
            # A bank that is not there yet has no lock of its own: then the whole store is locked.
            locked = None if whole else self._number or None
            with expecting, self._keeping_recalls(), self._store.write(locked):
                ledger = self.engine.ledger(self.name, create=begins)
                if of not in (None, NO_BANK, ledger.bank):
                    raise UnknownBank(_MADE_ANEW.format(self.name))
                self._check_history(ledger)
                yield ledger
            self._written += 1
            if indexed:
                with without_budget():
                    self._catch_up()  # the writer pays for the index, not the next reader

    def transact(
        self,
        do: Callable[[Ledger], R],
        *,
        indexed: bool = True,
        settles: bool = False,
        begins: bool = False,
        of: int | None = None,
        asks: Asks = (),
    ) -> R:
        """
        Return the result of a ``transaction``, done again where another server was first.

        Nothing of it was changed then, and what the other did is caught up with before. ``do`` may
        be called several times, so it changes nothing but the store.

        Raises:
            StoreOvertaken: others were first each time.

        """
        written = self._written

        begin = partial(
            self.transaction, indexed=indexed, settles=settles, begins=begins, of=of, asks=asks
        )

        def once() -> R:
            with suppress(WriteAll), begin() as ledger:
                return do(ledger)
            # A few times in the life of a store: it settles something for all banks.
            with begin(whole=True) as ledger:
                return do(ledger)

        return done_again(once, between=self.take, is_done=lambda: self._written != written)

    def _check_history(self, ledger: Ledger) -> None:
        """Refuse a change that was prepared by what a failover or a restore has taken back."""
        verb = self._verb
        if ledger.bank != self._number:  # it has begun, or was deleted and perhaps made anew
            return
        if self._of_this_history(self.snapshot) is not self.snapshot:
            self.snapshot, self._seen = None, -1
        if verb.history is None:
            verb.history = self._histories
        if verb.history == self._histories:
            return
        msg = (
            f"bank {self.name!r} went back to an earlier state meanwhile, by a failover or a"
            " restore, and what others wrote since may stand where this looked; nothing was"
            " changed: try again"
        )
        raise StoreLocked(msg, path=self._store.path)

    def _goes_on(self) -> bool:
        """Return whether the bank still has the last change that was followed."""
        if not self._heeded:
            return True
        return self._store.journal.mark(self._number, seq=self._heeded) == self._mark

    def models(self) -> tuple[Embedder | None, Signatures | None]:
        """Return the models that probably encode a question; a rebuild may change them."""
        last = self.snapshot
        return self.engine.embedder, self.engine.signatures() if last is None else last.signatures

    def encoding(self) -> Encoding:
        """Return the encoding that a new text is likely to get; a rebuild may be changing it."""
        engine, last = self.engine, self.snapshot
        if last is None:
            return Encoding(engine.signs(), engine.spans())
        unasked = last.signed_unasked and engine.embedder is not None
        return Encoding(None if unasked else last.signatures, last.spans)

    def ledger(self) -> Ledger:
        """Return the bank's books if it is there, or those of no bank; inside ``store.read()``."""
        number = self._store.banks.number(self.name) or NO_BANK
        return self.engine.ledger_of(number, self.name)

    def lacking(self) -> str:
        """Return the damage for which episodes are left out of lists, as far as it is known."""
        last = self.snapshot
        if last is not None:
            return last.ledger.reader.damage("episodes", "content")
        with self._store.read():
            return self.ledger().reader.damage("episodes", "content")

    def take(self) -> BankSnapshot:
        """Return the snapshot, caught up with every process; the verb under way goes by it."""
        here, verb = self._newest(), self._verb
        if verb.depth and verb.history is None:
            verb.history = here.history
        return here

    def _newest(self) -> BankSnapshot:
        seen, held = self._seen, self.snapshot
        if held is not None and seen == self._store.changes():
            return held
        with without_budget(), self.following:
            last = self.snapshot
            if last is not None and last is not held and self._seen == self._store.changes():
                return last  # others were here while this one waited
            return self._catch_up()

    def is_newest(self, snapshot: BankSnapshot) -> bool:
        """Return whether nobody has written since a snapshot; outside ``store.read()``."""
        self._store.look_again()
        return self.take() is snapshot

    def _catch_up(self) -> BankSnapshot:
        """Bring the snapshot up with the store."""
        now: BankSnapshot | None = None
        with self._store.expecting(self._followed_by()), self._moment():
            seen = self._store.changes()
            last = self._still_good()
            if last is not None:
                with self._anew_after_errors():
                    now = self._follow(last)
        if now is None:
            with self._anew_after_errors():
                now = self._build(last)
        self.snapshot, self.has_anchors = now, now.slept.has_anchors
        self._heeded, self._mark = now.index.seq, now.mark
        self._seen = seen
        return now

    def _settled_by(self) -> Asks:
        """Return the calls that begin every transaction on the bank."""
        store = self._store
        both = dict.fromkeys((store.settings, store.settings_of(self._number)))
        said = [partial(kept.get, "embedder") for kept in both]
        return [*said, partial(store.banks.number, self.name)]

    def _dated_by(self) -> Asks:
        """Return the calls that find the change after which another one is noted."""
        journal, last = self._store.journal, self.snapshot
        ends: Asks = [
            partial(journal.last_seq, self._number),
            partial(journal.mark, self._number, seq=self._heeded),
        ]
        if last is None:
            return ends
        return [*ends, partial(journal.read, self._number, after=last.index.seq - 1, limit=1)]

    def _followed_by(self) -> Asks:
        """Return the calls that bring the snapshot up, if there is one."""
        last = self.snapshot
        if last is None:
            return self._settled_by()
        read = partial(
            self._store.journal.read, self._number, after=last.index.seq, kinds=_FOLLOWED
        )
        mark = partial(self._store.journal.mark, self._number, seq=self._heeded)
        return [*self._settled_by(), mark, read, *last.index.asks()]

    @contextmanager
    def _anew_after_errors(self) -> Iterator[None]:
        """Have the next snapshot made anew if this one fails; readers keep what they hold."""
        try:
            yield
        except BaseException:
            self.snapshot, self._seen = None, -1
            raise

    @contextmanager
    def _moment(self) -> Iterator[None]:
        """Open a transaction that reads a store whose vectors are of the embedder in use."""
        engine = self.engine
        with ExitStack() as reading:
            with engine.embedder_lock.together():  # others may have begun to write theirs
                reading.enter_context(self._store.read())
                engine.check_embedder(engine.embedder, self._number)
                engine.settle_signatures(record=False)
            yield

    def _still_good(self) -> BankSnapshot | None:
        """Return the last snapshot, None if the next one cannot be made from it."""
        engine, last = self.engine, self.snapshot
        number = self._store.banks.number(self.name) or NO_BANK
        if number != self._number:  # new, or deleted and perhaps made anew
            self._forget_texts()
            self.forget_notes()  # rows of another bank
            last, self._number, self._heeded = None, number, 0
        last = self._of_this_history(last)
        if last is not None and (
            _is_damaged(last.index)
            or engine.signing() != (last.signatures, last.signed_unasked)
            or engine.calibration(number) != last.calibrated
        ):
            last = None
        if last is not None and last.spans != engine.spans():
            last = replace(last, spans=engine.spans())
        return last

    def _of_this_history(self, last: BankSnapshot | None) -> BankSnapshot | None:
        """Return the last snapshot; None, and forget all, if others wrote what stands there now."""
        if self._goes_on():
            return last
        self._histories += 1
        self._heeded = 0
        self._forget_texts()
        self.forget_notes()  # rows that are others' now
        return None

    def _follow(self, last: BankSnapshot) -> BankSnapshot | None:
        """Bring a snapshot up; None when something must leave memory that it cannot take back."""
        if last.index.is_at(self._store.journal.last_seq(self._number)):
            return last  # others have written, to other banks
        found = self._store.journal.read(self._number, after=last.index.seq, kinds=_FOLLOWED)
        kinds = {class_of(change.kind) for change in found}
        if kinds.isdisjoint(_GONE):
            return follow(self.engine, last, found, slept_anew=not kinds.isdisjoint(_ANEW))
        if Erased in kinds:
            self._forget_texts()
        return None

    def _build(self, last: BankSnapshot | None) -> BankSnapshot:
        engine = self.engine
        with engine.embedder_lock.together(), self._store.read():  # one moment for both
            last = self._of_this_history(last)  # it is another moment than that before
            since = self._heeded
            if since and self._store.journal.read(self._number, after=since, kinds=(Erased,)):
                self._forget_texts()
            ledger = engine.ledger_of(self._number, self.name)
            made = take_snapshot(engine, ledger, self._erasures, last)
            return replace(made, history=self._histories)

    def _forget_texts(self) -> None:
        """Have texts leave memory that may have been erased; readers who hold any see to theirs."""
        with self._noting:
            self._erasures += 1
            self.echo_filter.clear()
        self.questions.clear()
        self.engine.segments.drop(self._number)
        self._store.forget_texts()

    def read_on(self, before: Statements, made: Statements) -> bool:
        """Put statements that were read on in the place of those before; False if these changed."""
        with self.following:
            now = self.take()
            if now.slept.facts.known is not before:
                return False
            facts = FactResolver(made, now.index.columns, self.engine.zone)
            self.snapshot = replace(now, slept=replace(now.slept, facts=facts))
            return True

    def note_shown(self, snapshot: BankSnapshot, shown: Shown) -> None:
        """Note the memories that a recall has shown: texts that may come back, and rows in use."""
        at = self.engine.clock.now()
        with self.engine.bank_cache.use(self), self._noting:
            if snapshot.erasures != self._erasures:
                return  # something was erased meanwhile, or it is another bank of that name
            self.echo_filter.note(snapshot.ledger, shown.entries, at)
            if shown.rows:
                self.recalled.append([to_micros(at), *shown.rows])
                del self.recalled[:-_MOST_RECALLS]

    def write_recalls(self, ledger: Ledger) -> None:
        """Write the recalls noted; the caller has begun to write, and so holds ``following``."""
        # With a write of others, since a write for each read would be dear (docs/adr/0021).
        with self._noting:
            shown, self.recalled = self.recalled, []
        if shown and ledger.bank == self._number:  # and not another one of that name
            self._uncommitted += shown
            ledger.writer.note(RecallsNoted(shown=shown))

    @contextmanager
    def _keeping_recalls(self) -> Iterator[None]:
        """
        Have the recalls that a transaction wrote wait for the next one where it came to nothing.

        Where nobody knows whether it did, they are left: each counts once at most.
        """
        number, self._uncommitted = self._number, []
        try:
            yield
        except BaseException as exc:
            with self._noting:
                if number == self._number and not isinstance(exc, StoreUnreachable):
                    self.recalled = [*self._uncommitted, *self.recalled][-_MOST_RECALLS:]
            raise

    def note_recalls(self) -> None:
        """Write down what was recalled since the last time; writing, sleep and closing do so."""
        if self.recalled:
            with self.changing():
                self.transact(self.write_recalls, indexed=False)

    def position(self) -> tuple[int, tuple[int, int, Hashable]]:
        """Return a token that differs whenever the store has changed, and one for this bank."""
        changes, known = self._store.changes(), self._position
        if known is None or known[0] != changes:
            with self._store.read():
                number = self._store.banks.number(self.name) or NO_BANK
                journal = self._store.journal
                told = self.engine.settings(), journal.mark(number)
                place = number, journal.last_seq(number), told
            known = self._position = changes, place
        return known

    @property
    def seen(self) -> Position:
        """Return the position up to which this process has seen the bank: it read nothing newer."""
        last, known = self.snapshot, self._position
        followed = NOWHERE if last is None else Position(last.ledger.bank, last.index.seq)
        return max(followed, NOWHERE if known is None else Position(*known[1][:2]))

    def wait_for(self, position: Position, timeout_s: float) -> None:
        """
        Return once the bank has all that was seen of it elsewhere.

        What was seen of an earlier bank of that name is no more, unless this store follows another.

        Raises:
            StoreBehind: it has not after ``timeout_s``.

        """
        until, pause_s = time.monotonic() + timeout_s, _FIRST_LOOK_S
        while True:
            check_budget()
            self.position()
            here = self.seen
            other = here.bank != position.bank and not self._store.is_replica()
            if here >= position or other:
                return
            left_s = until - time.monotonic()
            if left_s <= 0:
                msg = (
                    f"bank {self.name!r} is at change {here.seq}, and change {position.seq} was"
                    " seen elsewhere: this copy is behind, or was restored from an older one; ask"
                    " again, or ask the primary"
                )
                raise StoreBehind(msg, path=self._store.path)
            time.sleep(min(pause_s, left_s))
            pause_s *= 2

    def is_there(self) -> bool:
        """Return whether the store had the bank when it was last asked or changed."""
        return self._number != NO_BANK

    def weigh(self) -> int:
        """
        Return the bytes of memory that the bank holds, texts apart: index, notes and figures.

        All of it is looked at when it has grown, and besides ever more rarely.
        """
        now, last = self.snapshot, self._weighed
        rows = 0 if now is None else len(now.index)
        again = now is last.snapshot and rows <= last.rows * (1 + _MORE)
        uses = last.uses + 1 if again else 1
        if again and uses & (uses - 1):  # no power of two
            self._weighed = last._replace(uses=uses)
        else:
            self._weighed = _Weighed(now, rows, uses, self.held())
        return self._weighed.nbytes

    def held(self, *, notes: bool = False) -> int:
        """Return the bytes that are held now; ``notes``: by the notes alone."""
        now = self.snapshot
        derived = () if now is None else (now.index, now.slept, now.summaries)
        derived = (*derived, self.questions)
        parts = (self.echo_filter, self.recalled, *(() if notes else derived))
        engine = self.engine
        shared = (engine, engine.store, engine.config, engine.segments, engine.zone)
        return _OF_A_BANK + held_bytes(*parts, apart=shared)

    def let_go(self) -> tuple[int, object]:
        """Keep only notes, unless asked anew; return their bytes, and what is to be freed."""
        gone, self.snapshot, self._weighed = self.snapshot, None, _NEVER
        self.engine.segments.drop(self._number)
        self.questions.clear()
        return self.held(notes=True), gone

    def forget_notes(self) -> object:
        """Forget texts that were shown, and recalls since they were last written down."""
        with self._noting:
            gone, self.recalled = self.recalled, []
            self.echo_filter.clear()
        return gone


def state_of(engine: EngineContext, name: str) -> BankState:
    """Return the one state of a bank in this process, whoever asks for it."""
    known: BankState | None = engine.bank_cache.find(name)
    # Two threads may make one at once: the first that is added is everybody's.
    return known or engine.bank_cache.add(BankState(engine, name))


def _is_damaged(index: BankIndex) -> bool:
    """Return whether the file that an index is mapped from is not whole any more."""
    return index.at_rest is not None and index.at_rest.damaged()
