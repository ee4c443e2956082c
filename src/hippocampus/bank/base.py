"""What all verbs of a bank stand on: locks, index, transactions, and its place in memory."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, Final, NamedTuple, ParamSpec, TypeVar

from hippocampus.core.events import (
    AnchorsCurated,
    ArtifactReplaced,
    Erased,
    IndexRebuilt,
    JournalEvent,
    RecallsNoted,
    class_of,
)
from hippocampus.core.records import Degradation, Embedder, Summary
from hippocampus.encode.signature import Rotation, rotation_for
from hippocampus.engine.bank_cache import held_bytes
from hippocampus.errors import InputError, StoreCorrupt
from hippocampus.index.anchors import Anchors
from hippocampus.index.bank_index import BankIndex
from hippocampus.index.bm25 import Bm25Cue
from hippocampus.index.columns import Columns
from hippocampus.index.concept import ConceptCue
from hippocampus.index.cues import CueSet
from hippocampus.index.gists import Priming
from hippocampus.index.graph import GraphCue, Statements
from hippocampus.index.late_interaction import LateInteractionCue
from hippocampus.index.signature import SignatureCue
from hippocampus.index.topic import TopicCue
from hippocampus.index.vector import VectorCue
from hippocampus.journal.ledger import Ledger
from hippocampus.language.gazetteer import Gazetteer
from hippocampus.language.noun_phrases import key_of
from hippocampus.recall.current_facts import FactResolver
from hippocampus.sleep.artifacts import (
    read_anchors,
    read_curated,
    read_facts,
    read_gists,
    read_summary,
    read_topics,
)
from hippocampus.sleep.summary import QuotableClause, SummaryVersions
from hippocampus.write.echo_filter import EchoFilter

if TYPE_CHECKING:
    from hippocampus.engine.context import EngineContext

P = ParamSpec("P")
R = TypeVar("R")
B = TypeVar("B", bound="BankBase")

_ANEW: Final[frozenset[type[JournalEvent]]] = frozenset({ArtifactReplaced, AnchorsCurated})
"""Changes after which what sleep has made is looked at anew, and nothing else."""
_GONE: Final[frozenset[type[JournalEvent]]] = frozenset({Erased, IndexRebuilt})
"""Changes after which an index is made anew: what it holds cannot be taken out of it."""
NO_BANK: Final = 0
"""A number that no bank has: what it is asked for is not there."""
_MORE: Final = 1 / 8
"""By how much a bank may have grown since it was weighed."""
_OF_A_BANK: Final = 4_000
"""Bytes of a bank that holds nothing."""


def staying(verb: Callable[Concatenate[B, P], R]) -> Callable[Concatenate[B, P], R]:
    """Have a bank stay in memory through all the steps of a verb."""

    @wraps(verb)
    def through(self: B, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with self._engine.bank_cache.use(self):
            return verb(self, *args, **kwargs)

    through.__signature__ = inspect.signature(verb)  # type: ignore[attr-defined]
    return through


class _Weighed(NamedTuple):
    """How many bytes an index of so many rows was found to take, and what with it; how used."""

    live: BankIndex | None
    rows: int
    uses: int
    nbytes: int


_NEVER: Final = _Weighed(None, 0, 0, 0)


class BankBase:
    """
    What all verbs stand on: the locks, the index, and how a bank comes into memory and leaves it.

    Locks are taken in this order, in which any may be left out, and never in the reverse:

    1. ``writing``, by whoever changes the bank, for as long as that takes, encoding included;
       what others bring to be kept meanwhile is kept in one go by the next;
    2. ``reading``, by whoever uses the index or the gate, and never while a text is encoded, so
       that no recall waits for another thread's embedding (but for the few texts that are written
       during the last pass of a rebuild, which its transaction encodes);
    3. ``EngineContext.embedder_lock``, by whoever makes an index or changes the embedder, so that
       an index and those who ask it have the same one;
    4. the store's transaction, ``store.write()`` or ``store.read()``;
    5. for a moment, and waiting for nothing: that of the ``BankCache``, by whoever begins or ends
       to use a bank, those of what is kept of texts and of models, and that of who waits to write.

    Whoever takes the first or the second begins to use the bank before that, and ends after it:
    The cache has a bank let go of its memory only while nobody uses it.

    No thread holds locks of two banks. What keeps writers of other processes apart is the
    transaction alone, so whatever was looked up before it is looked at again inside.
    """

    def __init__(self, engine: EngineContext, name: str) -> None:
        self.name = name
        self.writing = threading.RLock()
        self.reading = threading.RLock()
        self._engine = engine
        self._store = engine.store
        self._gate = EchoFilter(echo_words=engine.config.ingest.echo_words)
        self._live: BankIndex | None = None
        self._asks: Embedder | None = None
        self._rotation: Rotation | None = None
        self._signs = engine.signatures()
        self._no_sleep: Degradation | None = None
        self._calibrated = engine.calibration()
        self._fusion = engine.config.fusion
        self._recalled: list[list[int]] = []
        """Recalls to be written down: when, and the rows shown."""
        self._compact: SummaryVersions | None = None
        """The versions of the running summary that the last sleep has left."""
        self._quoted: dict[int, QuotableClause | None] = {}
        """What a summary may quote of rows, of those that were read lately."""
        self._summed: tuple[tuple[object, ...], Summary] | None = None
        """The last summary that was asked for, and what it was of."""
        self._anchored = False
        """Whether the bank has anchors, and so what is written has its phrases read."""
        self._spellings = Gazetteer()
        """The curated names among its anchors."""
        self._facts = Statements()
        """What has been read of whom, as far as anybody has asked."""
        self._position: tuple[int, Hashable] | None = None
        """Where the bank was at some state of the store."""
        self._bearing = FactResolver(self._facts, Columns(), engine.zone)
        """How things stand, and what goes by several names, by that."""
        self._number = NO_BANK
        self._seen = -1
        self._heeded = 0
        """The last change that notes were looked through for."""
        self._weighed = _NEVER

    def __repr__(self) -> str:
        return f"Bank({self.name!r})"

    @contextmanager
    def _asking(self) -> Iterator[BankIndex]:
        """Hold the index, caught up with every process."""
        with self._engine.bank_cache.use(self), self.reading:
            yield self._index()

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with self._engine.bank_cache.use(self), self.writing:
            yield

    @contextmanager
    def _transaction(self, *, indexed: bool = True) -> Iterator[Ledger]:
        """
        Open a transaction on the bank; the caller holds ``writing``.

        Not ``indexed`` are those of which each would have the index made anew, but for the last.
        """
        with self.reading:
            if indexed:
                self._index()  # what is wrong with it is said before anything is written
            with self._store.write():
                yield self._engine.ledger(self.name)
            if indexed:
                self._index()  # the writer pays for the index, not the next reader

    def _tell_recalls(self, ledger: Ledger) -> None:
        """Note what was recalled; the caller has begun to write, and so holds ``reading``."""
        if self._recalled:
            shown, self._recalled = self._recalled, []
            if ledger.bank == self._number:  # and not another one of that name
                ledger.writer.note(RecallsNoted(shown=shown))

    def _is_there(self) -> bool:
        """Return whether the store had the bank when it was last asked or changed."""
        return self._number != NO_BANK

    def _weigh(self) -> int:
        """
        Return how many bytes of memory the bank holds, texts apart: its index, notes and figures.

        All of it is looked at when it has grown, and besides ever more rarely.
        """
        live, last = self._live, self._weighed
        rows = 0 if live is None else len(live)
        again = live is last.live and rows <= last.rows * (1 + _MORE)
        uses = last.uses + 1 if again else 1
        if again and uses & (uses - 1):  # no power of two
            self._weighed = last._replace(uses=uses)
        else:
            self._weighed = _Weighed(live, rows, uses, self._held())
        return self._weighed.nbytes

    def _held(self, *, notes: bool = False) -> int:
        """Return how many bytes are held now; ``notes``: by these alone."""
        derived = (self._live, self._compact, self._quoted, self._summed, self._facts)
        parts = (self._gate, self._recalled, *(() if notes else derived))
        return _OF_A_BANK + held_bytes(*parts, apart=(self._store, self._engine.config))

    def _let_go(self) -> tuple[int, object]:
        """Keep only notes, unless asked anew; return their bytes, and what is to be freed."""
        gone = self._live, self._compact, self._quoted, self._summed, self._facts
        self._live = self._compact = self._summed = None
        self._quoted, self._facts, self._weighed = {}, Statements(), _NEVER
        self._bearing = FactResolver(
            self._facts, Columns(), self._engine.zone
        )  # which holds on to both
        self._engine.segments.drop(self._number)
        return self._held(notes=True), gone

    def _forget_notes(self) -> object:
        """Forget what was shown, and what was recalled since that was last written down."""
        gone = list(self._recalled)
        self._gate.clear()
        self._recalled.clear()
        return gone

    def _index(self) -> BankIndex:
        """Return the index, caught up with every process; the caller holds ``reading``."""
        seen = self._store.changes()
        if self._live is not None and seen == self._seen:
            return self._live
        with self._engine.embedder_lock:  # others may have begun to write theirs
            self._engine.check_embedder(self._engine.embedder)
            self._engine.settle_signatures(record=False)
        number = self._store.banks.number(self.name) or NO_BANK
        if number != self._number:  # new, or deleted and perhaps made anew
            self._engine.segments.drop(self._number)
            self._number, self._live, self._heeded = number, None, 0
            self._quoted.clear()
            self._gate.clear()
            self._recalled.clear()  # rows of another bank
        live, self._live = self._live, None  # one that fails half-way is not gone on with
        if live is not None and (
            self._engine.signatures() != self._signs
            or self._engine.calibration() != self._calibrated
            or not self._follow(live)
        ):
            live = None
        self._live = self._new_index() if live is None else live
        self._seen, self._heeded = seen, self._live.seq
        return self._live

    def _follow(self, live: BankIndex) -> bool:
        """Bring an index up; False when something must leave memory that it cannot take back."""
        with self._store.read():
            found = self._store.journal.read(self._number, after=live.seq, kinds=_GONE | _ANEW)
            undone = {class_of(change.kind) for change in found}
            if undone and undone <= _ANEW:
                self._attach_concepts(live)
            if undone <= _ANEW:
                live.catch_up()
        if Erased in undone:
            self._quoted.clear()
            self._engine.segments.drop(self._number)
            self._gate.clear()
        return undone <= _ANEW

    def _new_index(self) -> BankIndex:
        engine = self._engine
        with engine.embedder_lock, self._store.read():
            self._asks = engine.embedder
            engine.check_embedder(self._asks)
            fingerprint = engine.fingerprint()
            self._rotation = None if fingerprint is None else rotation_for(fingerprint)
            cues = CueSet(Bm25Cue())
            if fingerprint is not None:
                cues.vector = VectorCue(fingerprint.dimension)
            if self._rotation is not None:
                cues.tokens = LateInteractionCue(self._rotation.bits)
            self._calibrated = engine.calibration()
            self._fusion = engine.config.fusion.heard(self._calibrated.values.hearing)
            self._signs = engine.signatures()
            if self._signs is not None:
                cues.signature = SignatureCue(self._signs.bits, self._signs.radius)
            since = self._heeded
            if since and self._store.journal.read(self._number, after=since, kinds=(Erased,)):
                self._gate.clear()
            live = BankIndex(self._store, self._number, cues)
            self._attach_concepts(live)
            live.catch_up()
        return live

    def _attach_concepts(self, live: BankIndex) -> None:
        """Give an index the anchors that the last sleep has left; it then catches up with them."""
        ledger = self._engine.ledger_of(self._number, self.name)
        self._no_sleep = None
        gists, anchors, topics, compact = None, None, None, None
        self._facts = Statements()
        try:
            gists = read_gists(ledger)
            topics = read_topics(ledger)
            anchors = read_anchors(ledger)
            self._facts = read_facts(ledger) or self._facts
            compact = read_summary(ledger)
        except StoreCorrupt as exc:
            self._no_sleep = Degradation(part="sleep", reason=str(exc))
        live.cues.concept = live.cues.topic = live.cues.graph = None
        self._compact, self._summed = compact, None
        least = self._calibrated.values.cosines.sem_theta
        matures = self._engine.config.maturation
        live.gists = None if gists is None else Priming(gists, matures, least)
        if topics is not None:
            live.cues.topic = TopicCue(topics.graph, topics.length)
        vectors = live.cues.vector
        if anchors is not None and vectors is not None:
            anchors = self._fitting(anchors, vectors)
        self._anchored = anchors is not None and vectors is not None
        self._spellings = Gazetteer() if anchors is None else Gazetteer(anchors.curated())
        if anchors is not None and vectors is not None:
            columns = live.columns
            how = self._engine.config.concepts.heard(self._calibrated.values.cosines)
            leads = None if how.sources is None else columns.source.telling(how.sources)
            live.cues.graph = GraphCue()
            live.cues.concept = ConceptCue(
                anchors, how, vectors, columns.said_at, lambda: columns.session.codes, leads,
                [key_of(name) for name in read_curated(ledger).denied],
                self._mentions if self._spellings else None,
            )  # fmt: skip

    def _mentions(self, rows: Sequence[int]) -> dict[int, tuple[frozenset[int], frozenset[int]]]:
        """Return what rows say of curated names; of damaged texts nothing, and say so."""
        try:
            texts = self._engine.ledger_of(self._number, self.name).reader.texts(rows)
        except StoreCorrupt as exc:
            self._no_sleep = Degradation(part="sleep", reason=str(exc))
            return {}
        read = {row: self._spellings.read(text) for row, text in texts.items()}
        return {row: (said.names, said.pieces) for row, said in read.items()}

    def _fitting(self, anchors: Anchors, vectors: VectorCue) -> Anchors | None:
        """Return anchors whose vectors are such as the bank's; None, and say so, for others."""
        found = anchors.vectors.shape[1]
        if found == vectors.dimension:
            return anchors
        reason = f"anchors have {found} dimensions, the bank {vectors.dimension}; sleep once more"
        self._no_sleep = Degradation(part="sleep", reason=reason)
        return None


def ids_of(given: object) -> list[str]:
    """Return one id or several as a list, each once."""
    if isinstance(given, str):
        return [given]
    if isinstance(given, Mapping | bytes) or not isinstance(given, Collection):
        msg = f"id={given!r}: give one episode's id, or a collection of ids"
        raise InputError(msg)
    return list(dict.fromkeys(given))
