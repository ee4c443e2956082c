"""The verbs of a bank. They wire the parts to flows, own the locks, and hold no algorithm."""

from __future__ import annotations

import inspect
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import datetime
from functools import partial, wraps
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Final,
    NamedTuple,
    ParamSpec,
    TypeVar,
    Unpack,
)

import numpy as np
from numpy.typing import NDArray

from hippocampus._clock import from_micros, to_micros
from hippocampus._courtesy import answering, giving_way
from hippocampus.config import Policy, Signatures
from hippocampus.context.compose import compose
from hippocampus.encode.condense import shown
from hippocampus.encode.entities import Same, fold_name, meant, resolve
from hippocampus.encode.keywords import MOST_KEYWORDS, find_keywords
from hippocampus.encode.phrase import Phrase
from hippocampus.encode.signature import Rotation, rotation_for
from hippocampus.encode.tokens import count as count_tokens
from hippocampus.encode.when import find_intervals
from hippocampus.encode.when.asks import asks_when, day_of, moment_told
from hippocampus.encode.when.joins import Join, find_join
from hippocampus.errors import (
    EncoderError,
    InputError,
    SourceError,
    StoreCorrupt,
    StoreError,
    UnknownBank,
    UnknownEpisode,
)
from hippocampus.filters import Filters, read_filters, spell_out
from hippocampus.hot import held_bytes
from hippocampus.index.allowed import Filter
from hippocampus.index.anchors import Anchors
from hippocampus.index.base import Cue, Mask, Question
from hippocampus.index.columns import Columns
from hippocampus.index.concept import ConceptCue
from hippocampus.index.gist import Priming, activation
from hippocampus.index.graph import GraphCue, Statements
from hippocampus.index.lexical import LexicalCue
from hippocampus.index.live import LiveIndex
from hippocampus.index.moments import to_moment
from hippocampus.index.signature import SignatureCue
from hippocampus.index.tokens import TokensCue
from hippocampus.index.topic import TagGraph, TopicCue
from hippocampus.index.vector import VectorCue
from hippocampus.ingest.gate import Gate
from hippocampus.ingest.ledger import DEEDS, Ledger
from hippocampus.ingest.prepare import (
    Draft,
    Encoded,
    Group,
    check_text,
    context_before,
    draft,
    encode_drafts,
)
from hippocampus.ingest.transfer import Export, export_bank, read_export
from hippocampus.ingest.update import compare, import_files
from hippocampus.model import (
    DOUBTED,
    HELD,
    PINNED,
    SETTLED,
    Act,
    AnchorInfo,
    By,
    Change,
    Compacted,
    Context,
    Cost,
    Degradation,
    Embedded,
    Embedder,
    Entity,
    Episode,
    EpisodeRow,
    Fact,
    Gist,
    Hit,
    Imported,
    Interval,
    Kind,
    Period,
    Progress,
    Recall,
    Related,
    Reranker,
    SleepStep,
    Slept,
    State,
    Stats,
    Summary,
    TopicInfo,
    Turn,
    When,
)
from hippocampus.quotes import unquote, without_quotes
from hippocampus.recall.confidence import DEPTH, Confidence, confidence
from hippocampus.recall.evidence import evidence
from hippocampus.recall.facts import Known, Told, know
from hippocampus.recall.scale import Numbers
from hippocampus.recall.search import Ranking, search
from hippocampus.recall.told import Bearing
from hippocampus.recall.trend import check_by, trend
from hippocampus.recall.understand import signed, understand
from hippocampus.sleep.artifact import parse
from hippocampus.sleep.cycle import (
    CURATED,
    WOKE,
    Gathered,
    check_curated,
    export_concepts,
    find_missing_phrases,
    gather,
    import_concepts,
    quoting,
    read_anchors,
    read_facts,
    read_gists,
    read_summary,
    read_topics,
)
from hippocampus.sleep.facts import read_on
from hippocampus.sleep.gists import CONSOLIDATED
from hippocampus.sleep.night import (
    ASLEEP,
    OUTCOME,
    POLICY,
    RECALLED,
    SLEPT,
    count_sleeps,
    read_policy,
)
from hippocampus.sleep.picture import outline, plot_topics
from hippocampus.sleep.schedule import Past, Schedule, due
from hippocampus.sleep.sleeper import NIGHTLY, STEPS, Sleeper, check_steps
from hippocampus.sleep.summary import TAKEN_IN, Clause, Kept, go_on, holds, tell

if TYPE_CHECKING:
    from hippocampus.memory import Memory

_RUNS_AT_ONCE: Final = 16
"""Segments of a transaction of ``compact``: few transactions, for readers see each; none long."""

_NOTED: Final = 1000
"""Recalls that are remembered until they are written down."""
_LOOKED_BACK: Final = 1000
"""Changes among which the last that somebody made is looked for."""
_OF_SLEEP: Final = frozenset({ASLEEP, SLEPT, WOKE, RECALLED, CONSOLIDATED, "absorb", *DEEDS})
"""The journal's kinds that sleep writes, and so need none."""
_SHOWN: Final = 10
"""Hits of each that count as shown."""

_MOST_QUOTED: Final = 8192
"""Rows of which what a summary may quote is known without reading them: some 3 MB."""

_NO_BANK = 0
"""A number that no bank has: what it is asked for is not there."""
_MORE: Final = 1 / 8
"""By how much a bank may have grown since it was weighed."""
_OF_A_BANK: Final = 4_000
"""Bytes of a bank that holds nothing."""
_Stored = TypeVar("_Stored")
P = ParamSpec("P")
R = TypeVar("R")


def _staying(verb: Callable[Concatenate[Bank, P], R]) -> Callable[Concatenate[Bank, P], R]:
    """Have a bank stay in memory through all the steps of a verb."""

    @wraps(verb)
    def through(self: Bank, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with self._memory.hot.use(self):
            return verb(self, *args, **kwargs)

    through.__signature__ = inspect.signature(verb)  # type: ignore[attr-defined]
    return through


class _Weighed(NamedTuple):
    """How many bytes an index of so many rows was found to take, and what with it; how used."""

    live: LiveIndex | None
    rows: int
    uses: int
    nbytes: int


_NEVER: Final = _Weighed(None, 0, 0, 0)


class Bank:
    """
    One memory: the unit of isolation. Get one from ``Memory.bank``; safe to use from threads.

    Locks are taken in this order, in which any may be left out, and never in the reverse:

    1. ``writing``, by whoever changes the bank, for as long as that takes, encoding included;
    2. ``reading``, by whoever uses the index or the gate, and never while a text is encoded, so
       that no recall waits for another thread's embedding (but for the few texts that are written
       during the last pass of a rebuild, which its transaction encodes);
    3. ``Memory.moving``, by whoever makes an index or changes the embedder, so that an index and
       those who ask it have the same one;
    4. the store's transaction, ``store.write()`` or ``store.read()``;
    5. for a moment, and waiting for nothing: that of ``Memory.hot``, by whoever begins or ends to
       use a bank, and those of what is kept of texts and of models.

    Whoever takes the first or the second begins to use the bank before that, and ends after it:
    ``hot`` has a bank let go of its memory only while nobody uses it.

    No thread holds locks of two banks. What keeps writers of other processes apart is the
    transaction alone, so whatever was looked up before it is looked at again inside.
    """

    def __init__(self, memory: Memory, name: str) -> None:
        self.name = name
        self.writing = threading.RLock()
        self.reading = threading.RLock()
        self._memory = memory
        self._store = memory.store
        self._gate = Gate(echo_words=memory.config.ingest.echo_words)
        self._live: LiveIndex | None = None
        self._asks: Embedder | None = None
        self._rotation: Rotation | None = None
        self._signs = memory.signatures()
        self._no_sleep: Degradation | None = None
        self._calibrated = memory.calibration()
        self._fusion = memory.config.fusion
        self._recalled: list[list[int]] = []
        """Recalls to be written down: when, and the rows shown."""
        self._compact: Kept | None = None
        """The versions of the running summary that the last sleep has left."""
        self._quoted: dict[int, Clause | None] = {}
        """What a summary may quote of rows, of those that were read lately."""
        self._summed: tuple[tuple[object, ...], Summary] | None = None
        """The last summary that was asked for, and what it was of."""
        self._anchored = False
        """Whether the bank has anchors, and so what is written has its phrases read."""
        self._facts = Statements()
        """What has been read of whom, as far as anybody has asked."""
        self._position: tuple[int, Hashable] | None = None
        """Where the bank was at some state of the store."""
        self._bearing = Bearing(self._facts, Columns(), memory.zone)
        """How things stand by that."""
        self._number = _NO_BANK
        self._seen = -1
        self._heeded = 0
        """The last change that notes were looked through for."""
        self._weighed = _NEVER

    def __repr__(self) -> str:
        return f"Bank({self.name!r})"

    # ------------------------------------------------------------ writing

    def remember(
        self,
        text: str,
        *,
        at: When | None = None,
        speaker: str | None = None,
        role: str | None = None,
        session: str | None = None,
        source: str | None = None,
        address: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Episode:
        """
        Keep one thing that happened, durably, and return it.

        The same text by the same speaker at the same event time is the same episode: remembering
        it again changes nothing. Text that came out of ``recall`` or ``context`` is recognised and
        answered with the episode it came from. A text longer than ``Ingest.chunk_tokens`` is kept
        in parts; the first is returned.

        Args:
            text: any valid string that is not blank; it comes back byte for byte.
            at: when it happened; now by default. Naive times are in ``Config.timezone``.
            speaker: who said it.
            role: ``user``, ``assistant``, ``tool``, …
            session: the conversation it belongs to; turns of one are read in each other's light.
            source: the file or system it came from.
            address: where in the source; made from session and turn when left out.
            metadata: a JSON object to filter by.

        Raises:
            InputError: something in the arguments; nothing was stored.
            StoreError: the store could not take it; nothing was stored.

        """
        turn = Turn(
            text=text, at=at, speaker=speaker, role=role, session=session,
            source=source, address=address, metadata={} if metadata is None else metadata,
        )  # fmt: skip
        return self.remember_many([turn])[0]

    @_staying
    def remember_many(
        self, turns: Iterable[Turn], *, progress: Progress | None = None
    ) -> list[Episode]:
        """
        Keep many turns; return their episodes in order, the parts of long ones apart.

        All turns are checked before the first is stored. They are stored in batches, one
        transaction each: after a crash whole batches are there, and doing it again adds the rest.
        """
        groups: list[Group] = []
        now = self._memory.now()
        for place, turn in enumerate(turns):
            try:
                groups.append(self._group(turn, now))
            except InputError as exc:
                exc.add_note(f"in turn {place} of this call; nothing of the call was stored")
                raise
        return self._keep(groups, now, progress)

    def correct(
        self,
        id: str,  # noqa: A002  (the verb's natural word)
        text: str | None = None,
        *,
        metadata: Mapping[str, Any] | None = None,
    ) -> Episode:
        """
        Replace what an episode says; the old text stays in its history and in ``as_of`` reads.

        Returns the new episode, which keeps the old one's time, session and speaker.

        Args:
            id: the episode, in force.
            text: what it should say; what it says by default.
            metadata: all that it should have; what it has by default.

        """
        if text is None and metadata is None:
            msg = f"correct: say what to correct of episode {id!r}: its text, its metadata or both"
            raise InputError(msg)
        with self._changing():
            ledger = self._memory.ledger(self.name)
            old = ledger.find(id)
            ledger.check_in_force(old)
            turn = _as_turn(old, self.get(id).text if text is None else text)
            turn = turn if metadata is None else replace(turn, metadata=metadata)
            new = self._group(turn, self._memory.now())
            if self._says_otherwise(ledger, new):
                new = self._group(turn, self._memory.now(), by_metadata=True)
            if new.first.id == old.id:
                return ledger.episodes([old.row])[0]
            known = self._store.rows_of(ledger.bank, [new.first.id])
            drafts = [] if known else new.drafts
            row = self._store_encoded(
                ledger, drafts, lambda books, encoded: books.correct(old, new.drafts, encoded)
            )
            return ledger.episodes([row])[0]

    def _says_otherwise(self, ledger: Ledger, new: Group) -> bool:
        """Return whether there is the same wording already, with other metadata."""
        rows = self._store.rows_of(ledger.bank, [new.first.id])
        known = self._store.episodes(ledger.bank, list(rows.values()))
        return any(e.state != "erased" and e.metadata != new.first.metadata for e in known)

    def forget(self, id: str | Collection[str], *, erase: bool = False) -> int:  # noqa: A002
        """
        Hide episodes at once, from every read; until ``compact``, ``restore`` brings them back.

        A long text is forgotten whole, whichever of its parts is named. With ``erase`` the words
        leave the store for good: every table, index, journal row, free page and log, in every
        version of the episode, and in every copy of the same words that was merged with it. What
        stays is that something was erased.

        Returns how many episodes changed.
        """
        ids = _ids(id)
        if not ids:
            return 0
        with self._changing():
            with self._transaction() as ledger:
                changed = ledger.erase(ids) if erase else ledger.forget(ids)
            if erase:
                self._store.scrub()
            return changed

    def restore(self, id: str | Collection[str]) -> int:  # noqa: A002
        """Bring forgotten episodes back, until ``compact``. Returns how many changed."""
        ids = _ids(id)
        if not ids:
            return 0
        with self._changing(), self._transaction() as ledger:
            return ledger.restore(ids)

    def compact(
        self,
        *,
        superseded: bool = False,
        faded: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Compacted:
        """
        Make forgetting final: take what is forgotten out of the store, as ``erase`` would.

        Its words leave the stream, whose segments are made anew, and everything else, free pages
        and logs included; ``restore`` finds nothing any more. Others read and write meanwhile.
        Killed half-way, some is gone and the rest is forgotten as before; doing it again finishes.

        Args:
            superseded: also the earlier wordings of what was corrected, and what was merged.
            faded: also what is no longer shown of what has faded; it gets other ids.
            dry_run: only say what would go.
            progress: called as it advances, in rows.

        Raises:
            StoreLocked: somebody read an older state for too long, so that the log may still hold
                what was removed; compact once more.

        """
        states: tuple[State, ...] = ("forgotten", "superseded") if superseded else ("forgotten",)
        removed: Counter[State] = Counter()
        with self._changing():
            ledger = self._memory.ledger(self.name)
            before = after = sum(self._store.stored_bytes(ledger.bank).values())
            settled = self._settle(ledger, dry_run=dry_run) if faded else 0
            if dry_run:
                removed.update(e.state for e in self._store.scan_episodes(ledger.bank))
            else:
                some = _RUNS_AT_ONCE * self._memory.config.ingest.seal_rows
                stop = self._store.episode_count(ledger.bank)
                for first in range(0, stop, some):
                    rows = range(first, min(first + some, stop))
                    with self._store.write():
                        removed += self._memory.ledger(self.name).compact(states, rows)
                    if progress:
                        progress(rows.stop, stop)
                self._store.scrub()
                after = sum(self._store.stored_bytes(ledger.bank).values())
                with self.reading:
                    self._index()  # the writer pays for the index, not the next reader
        return Compacted(
            forgotten=removed["forgotten"], superseded=removed["superseded"] if superseded else 0,
            faded=settled, bytes_before=before, bytes_after=after, dry_run=dry_run,
        )  # fmt: skip

    def _settle(self, ledger: Ledger, *, dry_run: bool) -> int:
        """Make texts what is shown of them; returns how many. The caller holds ``writing``."""
        now = self._memory.now()
        faded: list[tuple[EpisodeRow, Sequence[Draft]]] = []
        batch = self._memory.config.ingest.batch
        due = [
            e
            for e in self._store.scan_episodes(ledger.bank)
            if e.state == "active" and e.level > e.marks // SETTLED
            if not e.marks & (PINNED | HELD)
        ]
        for start in range(0, len(due), batch):
            at_once = due[start : start + batch]
            texts = ledger.texts([e.row for e in at_once])  # without what was just erased
            for old in at_once:
                text = texts.get(old.row, "")
                less = shown(text, old.level, settled=old.marks // SETTLED)
                if less != text:
                    faded.append((old, self._group(_as_turn(old, less), now).drafts))
        if dry_run:
            return len(faded)
        done = 0
        for start in range(0, len(faded), batch):
            some = faded[start : start + batch]
            drafts = [d for _, made in some for d in made]
            done += self._store_encoded(ledger, drafts, partial(_settled, some), indexed=False)
        return done

    def _group(self, turn: Turn, now: datetime, *, by_metadata: bool = False) -> Group:
        """Check a turn and make it ready to be stored."""
        if not isinstance(turn, Turn):
            msg = f"{turn!r:.100} is not a Turn; wrap the text, as in Turn(text=…)"
            raise InputError(msg)
        memory = self._memory
        text = check_text(turn.text, limits=memory.config.ingest)
        fresh = without_quotes(text)
        if fresh != text and fresh.strip():
            turn = replace(turn, text=fresh.strip())
        return draft(
            self.name, turn, now=now, zone=memory.zone,
            limits=memory.config.ingest, salt=memory.salt, by_metadata=by_metadata,
        )  # fmt: skip

    def _keep(
        self, groups: Sequence[Group], now: datetime, progress: Progress | None
    ) -> list[Episode]:
        batch = self._memory.config.ingest.batch
        kept: list[Episode] = []
        if progress:
            progress(0, len(groups))
        for start in range(0, len(groups), batch):
            kept += self._keep_batch(groups[start : start + batch], now)
            if progress:
                progress(min(start + batch, len(groups)), len(groups))
        return kept

    def _keep_batch(self, groups: Sequence[Group], now: datetime) -> list[Episode]:
        with self._changing():
            ledger = self._memory.ledger(self.name, create=True)
            with self.reading:
                self._index()  # what is wrong with it is said before anything is encoded
                fresh, answer = self._sift(ledger, groups, now)
            if fresh:
                answer |= self._add(ledger, [group.drafts for group in fresh])
            rows = [answer[d.id] for group in groups for d in group.drafts if d.id in answer]
            return ledger.episodes(rows)

    def _sift(
        self, ledger: Ledger, groups: Sequence[Group], now: datetime
    ) -> tuple[list[Group], dict[str, int]]:
        """Return what is new, and the rows of what is not, by id."""
        ids = [d.id for group in groups for d in group.drafts]
        answer = self._store.rows_of(ledger.bank, ids)
        fresh: dict[str, Group] = {}
        for group in groups:
            id_ = group.first.id
            if id_ in answer or id_ in fresh:
                continue
            echo = self._gate.echo(ledger, group, now)
            if echo is None:
                fresh[id_] = group
            else:
                answer[id_] = echo
        return list(fresh.values()), answer

    def _add(
        self,
        ledger: Ledger,
        groups: Sequence[Sequence[Draft]],
        progress: Progress | None = None,
    ) -> dict[str, int]:
        """Encode and store; returns the rows by id."""
        drafts = [d for group in groups for d in group]
        return self._store_encoded(
            ledger, drafts, lambda books, it: books.add(groups, it), progress
        )

    def _store_encoded(
        self,
        ledger: Ledger,
        drafts: Sequence[Draft],
        store: Callable[[Ledger, Encoded], _Stored],
        progress: Progress | None = None,
        *,
        indexed: bool = True,
    ) -> _Stored:
        """Encode drafts, and only then open the transaction in which they are stored."""
        memory = self._memory
        while True:
            embedder, how = memory.embedder, memory.signatures()
            encoded = self._encode(ledger, drafts, embedder, how, progress)
            with self._transaction(indexed=indexed) as books:
                if memory.embedder is not embedder or memory.signatures() != how:
                    continue  # a rebuild has moved the store to others: encode once more
                if encoded:
                    memory.settle_embedder(embedder)
                    memory.settle_signatures(record=True)
                self._tell_recalls(books)
                return store(books, encoded)

    def _encode(
        self,
        ledger: Ledger,
        drafts: Sequence[Draft],
        embedder: Embedder | None,
        how: Signatures | None,
        progress: Progress | None,
    ) -> Encoded:
        """Make the payloads of drafts, each read in the light of what its session said before."""
        batch = self._memory.config.ingest.batch
        sessions = {d.session for d in drafts if d.session is not None}
        before = context_before(drafts, ledger.last_said(sessions))
        encoded: dict[Kind, dict[str, bytes]] = {}
        for start in range(0, len(drafts), batch):
            some = slice(start, start + batch)
            made = encode_drafts(
                drafts[some], before[some], embedder=embedder, signed=how, phrases=self._anchored
            )
            for kind, payloads in made.items():
                encoded.setdefault(kind, {}).update(payloads)
            if progress:
                progress(min(start + batch, len(drafts)), len(drafts))
        return encoded

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
                yield self._memory.ledger(self.name)
            if indexed:
                self._index()  # the writer pays for the index, not the next reader

    # ------------------------------------------------------------ sleeping

    @_staying
    def sleep(
        self,
        *,
        steps: Collection[str] | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Slept:
        """
        Turn what was experienced into what is known, and let go what its policy lets go.

        What cannot be right is kept apart for a while; what was said of a memory is noted with it;
        what says the same is merged; of what matters and belongs together a gist is made; anchors
        are chosen anew and what lies under each is ranked; tags are put in a graph from broad to
        narrow, and the running summary is brought up. ``Memory.model`` words gists, tags and the
        summary if there is one.

        Others read and write meanwhile. Doing it again changes little; killed half-way, whole steps
        are done and the rest is as it was before; ``undo`` takes it back.

        Args:
            steps: only these, of ``sleep.sleeper.STEPS``; each can be done alone.
            dry_run: change nothing, and say what would be done to which episode, and why.
            progress: called with how many steps are done, of how many.

        """
        wanted = check_steps(steps)
        memory = self._memory
        if not dry_run:
            self.note_recalls()
        ledger = memory.ledger(self.name)
        calibrated = memory.calibration()
        sleeper = Sleeper(
            ledger=ledger,
            look=lambda: self._gathered(ledger, unread=dry_run or "phrases" not in wanted),
            change=self._changed,
            embedder=memory.embedder,
            model=memory.model,
            concepts=memory.config.concepts.heard(calibrated.values.cosines),
            cosines=calibrated.values.cosines,
            signals=calibrated.values.signals,
            policy=self.policy,
            compact=memory.config.compact,
            zone=memory.zone,
            now=to_micros(memory.now()),
            progress=progress,
            dry_run=dry_run,
            recalled=list(self._recalled) if dry_run else (),
        )
        notes = () if calibrated.lacking is None else (calibrated.lacking,)
        try:
            with giving_way():
                slept = sleeper.sleep(wanted, notes)
        except StoreError as exc:
            if self._store.bank_number(self.name) == ledger.bank:
                raise
            msg = f"bank {self.name!r} was deleted while it slept; of what was, nothing is left"
            raise UnknownBank(msg) from exc
        with self._asking():  # the sleeper pays for the index, not the next reader
            return slept

    def _gathered(self, ledger: Ledger, *, unread: bool) -> Gathered:
        with self._asking() as index:  # what was seen never changes: the rest needs no lock
            return gather(ledger, index, unread=unread)

    def _changed(self, change: Callable[[], list[Act]]) -> list[Act]:
        with self._changing(), self._transaction():
            return change()

    def undo(self, sleep: int) -> dict[str, int]:
        """
        Take back what a sleep did to episodes: how many were merged, faded, hidden or kept apart.

        What somebody has changed since stays as they made it. What was made anew of everything,
        such as anchors, follows with the next sleep.

        Raises:
            InputError: the bank has had no such sleep.

        """
        with self._changing(), self._transaction() as ledger:
            begun = count_sleeps(ledger)
            whole = isinstance(sleep, int) and not isinstance(sleep, bool)
            if not whole or not 1 <= sleep <= begun:
                had = f"from 1 to {begun}" if begun else "none: it has not slept"
                msg = f"sleep={sleep!r}: bank {self.name!r} has had {had}"
                raise InputError(msg)
            return dict(ledger.undo(sleep))

    def sleeps(self) -> list[Slept]:
        """Return the sleeps there were, in order; of one that was killed, no steps."""
        with self._store.read():
            ledger = self._memory.ledger(self.name)
            changes = self._store.journal(ledger.bank, kinds=(ASLEEP, SLEPT))
        told = {
            d["sleep"]: d["steps"]
            for c in changes
            if c.kind == SLEPT
            for d in [json.loads(c.detail)]
        }
        begun = [(json.loads(c.detail)["sleep"], c.at) for c in changes if c.kind == ASLEEP]
        return [
            Slept(
                bank=self.name,
                number=number,
                at=from_micros(at),
                steps=tuple(
                    SleepStep(name=name, elapsed_s=0.0, counts=counts)
                    for name in STEPS
                    if (counts := told.get(number, {}).get(name)) is not None
                ),
                notes=() if number in told else ("it was not finished",),
            )
            for number, at in begun
        ]

    def sleep_if_due(self, schedule: Schedule) -> Slept | None:
        """Sleep if it is time for it; None if it is not, or nothing has changed since."""
        steps = due(schedule, self._past(), self._memory.now(), self._memory.zone)
        return self.sleep(steps=steps) if steps else None

    def _past(self) -> Past:
        """Return when the bank was last changed, slept, and had everything made anew."""
        with self._store.read():
            number = self._store.bank_number(self.name) or _NO_BANK
            last = self._store.last_seq(number)
            nights = self._store.journal(number, kinds=(ASLEEP, SLEPT))
            changed = self._store.journal(number, after=max(0, last - _LOOKED_BACK))
        begun = [(c.at, json.loads(c.detail)) for c in nights if c.kind == ASLEEP]
        ended = {json.loads(c.detail)["sleep"] for c in nights if c.kind == SLEPT}
        told = [(at, detail) for at, detail in begun if detail["sleep"] in ended]
        remade = [at for at, detail in told if set(detail["steps"]) >= set(NIGHTLY)]
        own = [c.at for c in changed if c.kind not in _OF_SLEEP]
        # What is not among the last changes was changed before all of them.
        first = [c.at for c in changed[:1]] if last > _LOOKED_BACK else []
        moments = (max(own or first, default=None), max((at for at, _ in told), default=None))
        return Past(
            *(
                None if at is None else from_micros(at)
                for at in (*moments, max(remade, default=None))
            )
        )

    @property
    def policy(self) -> Policy:
        """What sleep does with this bank; the store's ``Config.policy`` unless it has its own."""
        with self._store.read():
            number = self._store.bank_number(self.name) or _NO_BANK
            ledger = self._memory.ledger_of(number, self.name)
            return read_policy(ledger, self._memory.config.policy)

    def set_policy(self, policy: Policy | str | None) -> None:
        """
        Choose what sleep does with this bank; None goes back to ``Config.policy``.

        A name is one of ``config.POLICIES``; ``adaptive:25000`` gives it a token target.
        """
        if isinstance(policy, str):
            policy = Policy.named(policy)
        if policy is not None and not isinstance(policy, Policy):
            msg = f"policy={policy!r}: must be a Policy, the name of one, or None"
            raise InputError(msg)
        with self._changing():
            self._memory.ledger(self.name, create=True)
            with self._transaction() as ledger:
                ledger.note(POLICY, policy=None if policy is None else asdict(policy))

    def pin(self, id: str | Collection[str]) -> int:  # noqa: A002
        """Keep episodes, long texts whole, from fading and from being merged; return how many."""
        return self._mark(id, PINNED, "pin", on=True)

    def unpin(self, id: str | Collection[str]) -> int:  # noqa: A002
        """Let what was pinned fade again. Returns how many changed."""
        return self._mark(id, PINNED, "unpin", on=False)

    def hold(self, id: str | Collection[str], *, reason: str) -> int:  # noqa: A002
        """
        Keep episodes from every change, such as for a court; returns how many changed.

        Until ``release`` none can fade, be merged, forgotten, corrected or erased.
        """
        if not isinstance(reason, str) or not reason.strip():
            msg = f"reason={reason!r}: say why, in a few words, for whoever finds it held"
            raise InputError(msg)
        return self._mark(
            id, HELD, "hold", on=True, why=check_text(reason, limits=self._memory.config.ingest)
        )

    def release(self, id: str | Collection[str]) -> int:  # noqa: A002
        """Let what is held or in quarantine be as everything else; return how many changed."""
        ids = _ids(id)
        if not ids:
            return 0
        with self._changing(), self._transaction() as ledger:
            freed = ledger.mark(ids, HELD, "release", on=False)
            return freed + ledger.mark(ids, DOUBTED, "clear", on=False)

    def quarantine(self) -> list[tuple[Episode, str]]:
        """Return what is kept from being consolidated, and why; see ``release``."""
        with self._store.read():
            ledger = self._memory.ledger(self.name)
            rows = [e.row for e in self._store.scan_episodes(ledger.bank) if e.marks & DOUBTED]
            episodes = ledger.episodes(rows)
            why = {}
            for row in rows:
                for change in self._store.journal(ledger.bank, row=row, kinds=("doubt",)):
                    why[row] = str(json.loads(change.detail).get("why", ""))
        return [(e, why.get(row, "")) for e, row in zip(episodes, rows, strict=True)]

    def feedback(self, id: str | Collection[str], *, helpful: bool) -> int:  # noqa: A002
        """
        Say what memories were worth: what helped is kept longer and found sooner, and the reverse.

        Returns of how many it was noted.
        """
        if not isinstance(helpful, bool):
            msg = f"helpful={helpful!r}: must be True or False"
            raise InputError(msg)
        ids = _ids(id)
        if not ids:
            return 0
        with self._changing(), self._transaction() as ledger:
            return ledger.tell(ids, OUTCOME, helpful=helpful)

    def note_recalls(self) -> None:
        """Write down what was recalled since the last time; ``remember`` and ``sleep`` do so."""
        if self._recalled:
            with self._changing(), self._transaction() as ledger:
                self._tell_recalls(ledger)

    def _tell_recalls(self, ledger: Ledger) -> None:
        """Note what was recalled; the caller has begun to write, and so holds ``reading``."""
        if self._recalled:
            shown, self._recalled = self._recalled, []
            ledger.note(RECALLED, shown=shown)

    def _mark(
        self, named: str | Collection[str], marks: int, kind: str, *, on: bool, **fields: object
    ) -> int:
        ids = _ids(named)
        if not ids:
            return 0
        with self._changing(), self._transaction() as ledger:
            return ledger.mark(ids, marks, kind, on=on, **fields)

    @answering()
    def summary(self, session: str | None = None) -> Summary:
        """
        Return the bank, or one session, in a line: who, about what, and the latest of it.

        It is made of what ``sleep`` has kept of every hundred turns, in their own words or in a
        model's, and of what came since; of a session it is made as it is asked for. Empty where
        nothing was said.
        """
        if session is not None and (not isinstance(session, str) or not session):
            msg = f"session={session!r}: name one session, or None for the whole bank"
            raise InputError(msg)
        with self._asking() as index:
            return self._sum_up(index, session)

    def _sum_up(self, index: LiveIndex, session: str | None, newest: int | None = None) -> Summary:
        """Make a summary, of what sleep has not kept of the ``newest`` rows; holds ``reading``."""
        asked = (index, index.seq, session, newest)
        if self._summed is not None and self._summed[0] == asked:
            return self._summed[1]
        how, kept = self._memory.config.compact, self._compact
        ledger = self._memory.ledger_of(self._number, self.name)
        if len(self._quoted) > _MOST_QUOTED:
            self._quoted.clear()
        with self._store.read():
            shown, read, told, since = index.columns.visible(), quoting(ledger, self._quoted), "", 0
            if session is not None:
                chosen = read_filters({"session": session}, self._memory.zone)
                mask = index.columns.mask(chosen)
                assert mask is not None, "whatever is asked for is not everything"
                rows = np.flatnonzero(mask)
                shown, kept = np.ones(len(rows), np.bool_), None
                read = partial(_read_of, read, rows)
            elif kept is not None and kept.told and holds(kept, shown):
                told, since = kept.told, kept.rows
            versions = go_on(shown, read, how, kept=kept, newest=newest)
            line = tell(versions, how, told=told, since=since)
            ids = [record.id for record in self._store.episodes(self._number, line.rows)]
        made = Summary(
            bank=self.name, session=session, text=line.text, tokens=count_tokens(line.text),
            turns=int(shown.sum()), sources=tuple(ids), by_model=bool(told),
            versions=() if newest is not None else tuple(
                version.told or tell([version], how).text for version in versions
            ),
        )  # fmt: skip
        self._summed = asked, made
        return made

    def _own_summary(self, filters: Filters) -> str:
        """Return what a context says of what went before: of all it may see, or nothing."""
        given = {name: value for name, value in filters.items() if value is not None}
        session = given.pop("session", None)
        if given or not (session is None or isinstance(session, str)):
            return ""
        with self._asking() as index:
            return "" if self._compact is None else self._sum_up(index, session, TAKEN_IN).text

    @answering()
    def gists(self) -> list[Gist]:
        """
        Return what clusters of what matters came to, the most mature first; none before a sleep.

        What was made of something that is not in force any more is left out.
        """
        with self._asking() as index:
            return self._gists_of(index, index.columns.visible())

    def _gists_of(self, index: LiveIndex, allowed: Mask) -> list[Gist]:
        """Return the gists all of whose sources may be seen; the caller holds ``reading``."""
        if index.gists is None:
            return []
        traces, how = index.gists.made.traces, index.gists.how
        mature = activation(traces, to_micros(self._memory.now()), how).tolist()
        there = np.flatnonzero(index.gists.alive(allowed)).tolist()
        rows = [row for place in there for row in traces[place].rows]
        ids = {e.row: e.id for e in self._store.episodes(self._number, rows)}
        return [
            Gist(
                text=traces[place].text, sources=tuple(ids[row] for row in traces[place].rows),
                made_at=from_micros(traces[place].made_at), activation=mature[place],
                silent=mature[place] < how.silent, by_model=traces[place].by_model,
            )
            for place in sorted(there, key=lambda place: -mature[place])
        ]  # fmt: skip

    def _known_of(self, found: Recall, most: int, filters: Filters) -> list[str]:
        """Return the mature gists of what was found, in the order of their first hits."""
        chosen = read_filters(filters, self._memory.zone)
        with self._asking() as index:
            allowed = index.columns.mask(chosen)
            seen = index.columns.visible()
            gists = self._gists_of(index, seen if allowed is None else seen & allowed)
        place = {hit.id: at for at, hit in enumerate(found.hits)}
        last = len(place)
        ranked = [
            (min(place.get(id_, last) for id_ in gist.sources), gist.text)
            for gist in gists
            if not gist.silent and (chosen.as_of is None or to_micros(gist.made_at) <= chosen.as_of)
        ]
        return [text for at, text in sorted(ranked) if at < last][:most]

    @_staying
    def anchors(self) -> list[AnchorInfo]:
        """Return the bank's anchors, the most salient first; none before the first ``sleep``."""
        found = self._read_anchors()
        if found is None:
            return []
        listed = [
            AnchorInfo(
                name=name, kind=found.kind(place), salience=float(found.salience[place]),
                found_at=from_micros(int(found.found_at[place])), weak=int(found.weak[place]),
                strong=int(found.strong[place]),
                episodes=int(found.ends[place + 1] - found.ends[place]),
            )
            for place, name in enumerate(found.names)
            if found.kind(place) == "curated" or self._shown(found.naming(place)).any()
        ]  # fmt: skip
        return sorted(listed, key=lambda anchor: -anchor.salience)

    def _read_anchors(self) -> Anchors | None:
        with self._store.read():
            return read_anchors(self._memory.ledger(self.name))

    def _shown(self, rows: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which of some rows are in force."""
        with self._asking() as index:
            shown: NDArray[np.bool_] = index.columns.visible()[rows]
        return shown

    @answering()
    @_staying
    def facts(
        self,
        entity: str | None = None,
        relation: str | None = None,
        *,
        as_of: When | None = None,
        at: When | None = None,
    ) -> list[Fact]:
        """
        Return what the bank was told of whom, what is over too; in order of subject and time.

        Args:
            entity: only facts of this one, or that name it, by any of its names.
            relation: only these, such as ``lives_in``.
            as_of: what the bank knew at that moment: nothing noted since, nothing taken back since.
            at: only what held at that moment, as far as is known.

        Raises:
            InputError: a name that is blank.
            InvalidTime: a time that cannot be read.

        """
        for name, value in (("entity", entity), ("relation", relation)):
            if value is not None and (not isinstance(value, str) or not value.strip()):
                msg = f"{name}={value!r}: give a name, or leave it out for all"
                raise InputError(msg)
        zone = self._memory.zone
        known, same, ids = self._known(read_filters({"as_of": as_of}, zone))
        moment = None if at is None else to_micros(to_moment(at, zone))
        wanted = None if entity is None else fold_name(meant(entity, same))
        kept = [
            fact
            for fact in known
            if (relation is None or fact.relation == relation.strip().casefold().replace(" ", "_"))
            and (moment is None or fact.holds(moment))
            and (wanted is None or wanted in (fold_name(fact.subject), fold_name(fact.object)))
        ]
        kept.sort(key=lambda fact: (fold_name(fact.subject), fact.relation))  # and as first told
        return [
            Fact(
                subject=fact.subject, relation=fact.relation, object=fact.object,
                valid_from=None if fact.valid_from is None else from_micros(fact.valid_from),
                valid_to=None if fact.valid_to is None else from_micros(fact.valid_to),
                known_from=from_micros(fact.known_from),
                known_to=None if fact.known_to is None else from_micros(fact.known_to),
                sources=tuple(ids[row] for row in fact.rows), denied=fact.denied,
            )
            for fact in kept
        ]  # fmt: skip

    @answering()
    @_staying
    def entities(self) -> list[Entity]:
        """Return whom facts are about, those with most facts first, and their other names."""
        known, same, _ = self._known(read_filters({}, self._memory.zone))
        of: dict[str, list[Known]] = {}
        for fact in known:
            of.setdefault(fact.subject, []).append(fact)
        aliases: dict[str, dict[str, str]] = {}
        for alias, (name, why) in same.items():
            aliases.setdefault(name, {})[alias] = why
        found = [
            Entity(
                name=name, aliases=aliases.get(name, {}), facts=len(facts),
                episodes=len({row for fact in facts for row in fact.rows}),
            )
            for name, facts in of.items()
        ]  # fmt: skip
        return sorted(found, key=lambda entity: (-entity.facts, entity.name))

    def _known(self, chosen: Filter) -> tuple[list[Known], dict[str, Same], dict[int, str]]:
        """Return the facts that a read may see, whom names mean, and the ids of rows."""
        statements = self._read_facts()
        with self._asking() as index:
            columns = index.columns
            seen = columns.mask(chosen)
            speakers = columns.speakers()
            rows = [
                row for row in statements.rows
                if row < len(columns) and (seen is None or seen[row])
            ]  # fmt: skip
            ledger = self._memory.ledger_of(self._number, self.name)
        with self._store.read():
            records = self._store.episodes(ledger.bank, rows)
        told = [
            Told(e.row, e.said_at, e.noted_at, said)
            for e in records
            if e.state != "erased"
            for said in statements.rows[e.row]
        ]
        same = resolve((one.statement for one in told), speakers)
        return know(told, same), same, {e.row: e.id for e in records}

    def _read_facts(self) -> Statements:
        """Return what was read of whom, after reading what came since somebody last asked."""
        while True:
            with self.reading:
                live, before = self._index(), self._facts
            with self._store.read():
                ledger = self._memory.ledger_of(self._number, self.name)
                records = [
                    record
                    for record in self._store.scan_episodes(self._number, start=before.length)
                    if record.row < len(live)
                ]
                texts = ledger.texts([record.row for record in records])
            made = read_on(before, records, texts, self._memory.zone) if records else before
            with self.reading:  # unless somebody erased, or slept, in the meantime
                if self._index() is live and self._facts is before:
                    self._facts = made
                    return made

    @_staying
    def topics(self) -> list[TopicInfo]:
        """Return the bank's tags, in order of name; none before the first ``sleep``."""
        graph = self._tag_graph()
        return [
            TopicInfo(
                name=tag.name, aliases=tuple(sorted(tag.aliases)),
                parents=tuple(sorted(tag.parents)), children=tuple(sorted(tag.children)),
                episodes=int(self._shown(tag.rows).sum()),
            )
            for tag in sorted(graph, key=lambda tag: tag.name)
        ]  # fmt: skip

    @_staying
    def topic_outline(self) -> list[str]:
        """Return the tags as indented lines, the broad ones first."""
        return outline(self._tag_graph())

    @_staying
    def plot_topics(self, path: str | Path) -> None:
        """
        Draw the tags as trees.

        Raises:
            MissingExtra: matplotlib is not installed.

        """
        plot_topics(self._tag_graph(), Path(path))

    def _tag_graph(self) -> TagGraph:
        """Return the tags of what is in force, and those above them."""
        with self._store.read():
            found = read_topics(self._memory.ledger(self.name))
        graph = TagGraph() if found is None else found.graph
        seen = {tag.name for tag in graph if self._shown(tag.rows).any()}
        seen |= set(graph.expand(seen, up=len(graph)))
        for name in {tag.name for tag in graph} - seen:
            graph.remove(name)
        return graph

    def curate(
        self,
        *,
        add: Collection[str] = (),
        deny: Collection[str] = (),
        remove: Collection[str] = (),
    ) -> None:
        """
        Say what shall be an anchor and what shall never be; ``sleep`` heeds it.

        Args:
            add: words or phrases that are anchors from now on, and never pruned.
            deny: that are none, however salient.
            remove: of which neither is said any more.

        Raises:
            InputError: a name that is blank, longer than 100 characters, or both wanted and not.

        """
        said = {"add": add, "deny": deny, "remove": remove}
        names = check_curated(said)
        if not names:
            return
        with self._changing(), self._transaction() as ledger:
            ledger.note(CURATED, **{verb: list(given) for verb, given in said.items() if given})

    def export_concepts(self, path: str | Path) -> int:
        """
        Write the concept index as JSON (CONCEPT, section 4.4); returns how many anchors.

        Raises:
            InputError: the bank has not slept, so there is none.

        """
        memory = self._memory
        with self._store.read():
            ledger = memory.ledger(self.name)
            anchors = read_anchors(ledger)
            used = memory.fingerprint()
            if anchors is None or used is None:
                msg = f"bank {self.name!r} has no concept index; sleep makes one"
                raise InputError(msg)
            document = export_concepts(ledger, anchors, model=used.name, now=memory.now())
        written = json.dumps(document, ensure_ascii=False, indent=1)
        Path(path).write_text(written + "\n", encoding="utf-8")
        return len(document["entries"])

    def related(self, id: str) -> list[Related]:  # noqa: A002
        """
        Return the episodes that say the same as one, say something of it, or are near it.

        None are known before the first ``sleep``. First what it has merged, or what stands for it,
        and what was said of it soon after its recall, in order of the noting; then what anchors
        have found in force. What says the same keeps its address: a hit's aliases are here.

        Raises:
            UnknownEpisode: the bank has no such id, or it was erased.

        """
        with self._asking() as index:
            concept, vectors = index.cues.get("concept"), index.cues.get("vector")
            with self._store.read():
                ledger = self._memory.ledger(self.name)
                row = ledger.find(id).row
                told = ledger.beside(row)
                under = concept.beside(row) if isinstance(concept, ConceptCue) else []
                cosines = _cosines(vectors, row, list(told))
                found = [
                    *((other, how, cosines[other]) for other, how in told.items()),
                    *(one for one in under if one[0] not in told),
                ]
                there = ledger.episodes([other for other, _, _ in found])
        return [
            Related(episode=episode, how=how, cosine=cosine)
            for episode, (other, how, cosine) in zip(there, found, strict=True)
            if episode.state == "active" or other in told
        ]

    @_staying
    def import_concepts(self, path: str | Path) -> int:
        """
        Use a concept index written by ``export_concepts``, or edited since; returns its anchors.

        The next ``sleep`` chooses anew; what is to stay is said with ``curate``.

        Raises:
            InputError: it is none, or does not fit the bank; nothing was changed.

        """
        memory = self._memory
        try:
            document = parse(Path(path).read_bytes())
        except (ValueError, RecursionError) as exc:
            msg = f"not JSON ({exc})"
            raise SourceError(msg, path=path) from exc
        if memory.embedder is None:
            msg = "a concept index is read with the embedder that made it; open the store with one"
            raise InputError(msg)
        ledger = memory.ledger(self.name)
        find_missing_phrases(ledger)
        with self._asking() as index:
            gathered = gather(ledger, index)
        count = import_concepts(
            ledger, gathered, document, memory.embedder, memory.config.concepts,
            now=to_micros(memory.now()),
        )  # fmt: skip
        with self._asking():
            return count

    # ------------------------------------------------------------ reading

    @spell_out
    @answering()
    def recall(
        self,
        query: str,
        k: int = 10,
        *,
        now: datetime | None = None,
        cues: Sequence[str] | None = None,
        **filters: Unpack[Filters],
    ) -> Recall:
        """
        Find what bears on ``query``: at most ``k`` hits, best first, each saying why.

        Args:
            query: a question or a few words, in any wording.
            k: most hits to return, 0 or more.
            now: the present, for "yesterday" and its like; the clock's by default.
            cues: only these cues, of ``CUES``.
            **filters: what it may see; see below.

        Raises:
            InputError: a filter or argument that makes no sense.

        """
        started = time.perf_counter()
        memory = self._memory
        query = self._check_query(query, k)
        wanted = frozenset(memory.check_cues(cues))
        chosen = read_filters(filters, memory.zone)
        moment = memory.now() if now is None else to_moment(now, memory.zone)
        degraded: list[Degradation] = []
        asked, how = memory.embedder, self._signs
        join = find_join(query, moment, loose=False) if "time" in wanted else None
        embedded, embed_s = self._embed_query(asked, query, wanted, degraded)
        event, event_s = self._embed_event(asked, join, wanted)
        words = self._choose_keywords(how, query, wanted, degraded)
        with self._asking() as index:
            if self._signs != how:  # somebody has just signed the store; as rare as the next
                words = self._choose_keywords(self._signs, query, wanted, degraded)
            if self._asks is not asked:  # a rebuild has just moved the store; this is rare
                degraded[:] = [known for known in degraded if known.part == "keywords"]
                embedded, embed_s = self._embed_query(self._asks, query, wanted, degraded)
                event, event_s = self._embed_event(self._asks, join, wanted)
            read = time.perf_counter()
            keywords = () if self._signs is None else signed(words, self._signs)
            question = self._understand(index, query, moment, embedded, wanted, keywords)
            understood = time.perf_counter()
            allowed = index.columns.mask(chosen)
            filtered = time.perf_counter()
            if join is not None:
                question = self._joined(index, question, join, event, allowed, wanted)
            ranking, judged = self._search(index, question, allowed, wanted, limit=max(k, DEPTH))
            searched = time.perf_counter()
            hits = self._hits(ranking, judged.scores[:k])
            sessions = index.columns.session.named(ranking.sessions[:k])
            count = len(index) if allowed is None else int(np.count_nonzero(allowed))
            degraded += self._lacking(index, vectors=embedded is not None, signed=bool(keywords))
        if memory.reranker is not None and hits:
            hits = _rerank(memory.reranker, query, hits, degraded)
        found = judged.found or (bool(hits) and question.latest > 1)
        hits, when = self._dated(query, hits)
        ended = time.perf_counter()
        return Recall(
            query=query,
            hits=tuple(hits),
            found=found,
            confidence=judged.sure,
            sessions=sessions,
            intervals=question.intervals,
            when=when if found else None,
            cost=Cost(
                elapsed_s=ended - started,
                embed_s=embed_s + event_s,
                steps_s={
                    "embed": embed_s + event_s,
                    "understand": understood - read,
                    "filter": filtered - understood,
                    "search": searched - filtered,
                    "read": ended - searched,
                },
                allowed=count,
                candidates=ranking.candidates,
                balls=ranking.balls,
            ),
            degraded=tuple(degraded),
        )

    def _embed_event(
        self, embedder: Embedder | None, join: Join | None, wanted: frozenset[str]
    ) -> tuple[Embedded | None, float]:
        """Embed what the time of a question hangs on, before the index is held."""
        return (None, 0.0) if join is None else self._embed_query(embedder, join.event, wanted, [])

    def _understand(
        self,
        index: LiveIndex,
        text: str,
        now: datetime,
        embedded: Embedded | None,
        wanted: frozenset[str],
        keywords: tuple[tuple[NDArray[np.uint8], ...], ...] = (),
    ) -> Question:
        question = understand(
            text, now=now, embedded=embedded, rotation=self._rotation,
            speakers=index.columns.speakers(), keywords=keywords,
            phrases=self._anchored and not wanted.isdisjoint({"concept", "graph"}),
        )  # fmt: skip
        return question if "time" in wanted else replace(question, intervals=(), latest=0.0)

    def _search(
        self,
        index: LiveIndex,
        question: Question,
        allowed: Mask | None,
        wanted: frozenset[str],
        *,
        limit: int,
    ) -> tuple[Ranking, Confidence]:
        texts = self._memory.ledger_of(self._number, self.name).texts
        read = texts if {"lexical", "graph"} <= wanted else None

        bearing = self._bearing  # which keeps what it looked up, of the same statements
        if bearing.known is not self._facts or bearing.columns is not index.columns:
            bearing = self._bearing = Bearing(self._facts, index.columns, self._memory.zone)
        ranking = search(
            index, question, allowed, self._fusion, wanted, limit,
            read=read,
            tell=partial(bearing.look, texts) if "graph" in wanted else None,
        )  # fmt: skip
        told = evidence(index, question, ranking.rows, ranking.said)
        models = self._calibrated.values.models
        return ranking, confidence(told, len(ranking.rows), models=models)

    def _joined(
        self,
        index: LiveIndex,
        question: Question,
        join: Join,
        embedded: Embedded | None,
        allowed: Mask | None,
        wanted: frozenset[str],
    ) -> Question:
        """Give a question the time that hangs on an event, if the event is surely found."""
        event = self._understand(index, join.event, question.now, embedded, wanted)
        ranking, judged = self._search(index, event, allowed, wanted, limit=DEPTH)
        if not judged.found:
            return question
        ledger = self._memory.ledger_of(self._number, self.name)
        best = ledger.read(ranking.rows[:1].tolist())[0].episode
        moment = moment_told(best.text, best.said_at.astimezone(self._memory.zone))
        own = [one for one in question.intervals if one.text not in join.event]
        return replace(question, intervals=(*own, *join.resolve([moment], question.now)))

    def _dated(self, query: str, hits: list[Hit]) -> tuple[list[Hit], Interval | None]:
        """
        Read the times that the likeliest hits name, if that is asked; and return when it was.

        That says the best hit, or the next one that is half as likely, if only that names a time.
        """
        if not asks_when(query):
            return hits, None
        zone = self._memory.zone
        best = [hit for hit in hits[:DEPTH] if hit.score >= hits[0].score / 2]
        dated = {
            hit.id: replace(
                hit, times=find_intervals(hit.text, hit.episode.said_at.astimezone(zone))
            )
            for hit in best
        }
        when = [time for hit in dated.values() for time in hit.times]
        when += [day_of(hit.episode.said_at.astimezone(zone)) for hit in best[:1]]
        return [dated.get(hit.id, hit) for hit in hits], when[0] if when else None

    def _lacking(self, index: LiveIndex, *, vectors: bool, signed: bool) -> Iterator[Degradation]:
        """Say what of the bank some cues could not see."""
        rest = f"of {len(index)} episodes have none, and are"
        if vectors and index.without_vectors:
            why = f"{index.without_vectors} {rest} found by words alone; run 'hippocampus reindex'"
            yield Degradation(part="vectors", reason=why)
        if signed and index.without_signatures:
            why = f"{index.without_signatures} {rest} not found by them; run 'hippocampus reindex'"
            yield Degradation(part="signatures", reason=why)
        if self._no_sleep is not None:
            yield self._no_sleep
        if self._calibrated.damaged:
            yield Degradation(part="calibration", reason=str(self._calibrated.lacking))

    def _check_query(self, query: str, k: int) -> str:
        if isinstance(k, bool) or not isinstance(k, int) or k < 0:
            msg = f"k={k!r}: how many hits to return must be a whole number, 0 or more"
            raise InputError(msg)
        return check_text(query, limits=self._memory.config.ingest)

    def _embed_query(
        self,
        embedder: Embedder | None,
        query: str,
        wanted: frozenset[str],
        degraded: list[Degradation],
    ) -> tuple[Embedded | None, float]:
        if not wanted & {"vector", "tokens", "concept", "topic"}:
            return None, 0.0
        if embedder is None:
            if self._memory.no_embedder is not None:
                degraded.append(self._memory.no_embedder)
            return None, 0.0
        started = time.perf_counter()
        try:
            embedded = embedder.embed_query(query)
        except EncoderError as exc:
            degraded.append(Degradation(part="embedder", reason=str(exc)))
            embedded = None
        return embedded, time.perf_counter() - started

    def _choose_keywords(
        self,
        how: Signatures | None,
        query: str,
        wanted: frozenset[str],
        degraded: list[Degradation],
    ) -> list[str]:
        """Return the words whose signatures are to be looked for; none without signatures."""
        choose = self._memory.keywords
        if "signature" not in wanted or how is None:
            return []
        if choose is not None:
            try:
                return [word for word in choose(query) if word.strip()]
            except EncoderError as exc:
                degraded.append(Degradation(part="keywords", reason=str(exc)))
        return find_keywords(query)

    def _hits(self, ranking: Ranking, scores: Numbers) -> list[Hit]:
        k = len(scores)
        rows, over = ranking.rows[:k].tolist(), ranking.over
        ledger = self._memory.ledger_of(self._number, self.name)
        entries = ledger.read(rows)
        gifts = np.maximum([part[:k] for part in ranking.parts.values()], 0).T.tolist()
        hits: list[Hit] = []
        for place, entry in enumerate(entries):
            episode, tokens = entry.episode, entry.tokens
            if episode.level:  # of what has faded ``get`` has all
                episode = replace(episode, text=entry.shown)
                tokens = count_tokens(episode.text)
            given = dict(zip(ranking.parts, gifts[place], strict=True))
            total = sum(given.values())
            hits.append(
                Hit(
                    episode=episode,
                    score=float(scores[place]),
                    shares={n: g / total for n, g in given.items() if g > 0} if total else {},
                    tokens=tokens,
                    about=float(ranking.about[place]),
                    until=from_micros(over[row]) if (row := rows[place]) in over else None,
                )
            )
        now = self._memory.clock.now()
        self._gate.note(ledger, entries, now)
        if hits:
            self._recalled.append([to_micros(now), *ranking.rows[: min(k, _SHOWN)].tolist()])
            del self._recalled[:-_NOTED]
        return hits

    @spell_out
    @answering()
    @_staying
    def context(  # noqa: PLR0913 - a prompt has as many parts
        self,
        query: str,
        budget_tokens: int = 3500,
        *,
        k: int = 50,
        system: str = "",
        persona: str = "",
        projects: str = "",
        summary: str | None = None,
        user: str = "",
        recent: int = 0,
        pointers: int = 0,
        gists: int = 0,
        without: Collection[str] = (),
        now: datetime | None = None,
        cues: Sequence[str] | None = None,
        **filters: Unpack[Filters],
    ) -> Context:
        """
        Compose a prompt-ready text of what bears on ``query``, within ``budget_tokens``.

        In HEMA's order (section 3.5): ``system``, ``persona``, ``projects``, ``summary``, up
        to ``gists`` mature gists of what was found, the
        memories in order of time, each with date and speaker and quoted as data, the ``recent``
        last turns, up to ``pointers`` addresses of what did not fit, for ``expand``, and the
        ``user``'s message. Where it gets tight, memories go by rank, the last ones first. Tokens
        are counted in ``encode.tokens.VOCABULARY``.

        ``summary`` is the bank's own once it has slept, or of the one session that is asked for;
        with any other filter there is none, for it would tell of what the filter hides. Give your
        own, or "" for none. ``without`` are texts that the prompt has anyway, such as the turns
        a client sends along: memories that say no more than they do are left out.

        Raises:
            BudgetTooSmall: what comes before the memories alone does not fit.

        """
        if isinstance(budget_tokens, bool) or not isinstance(budget_tokens, int):
            msg = f"budget_tokens={budget_tokens!r}: must be a whole number of tokens"
            raise InputError(msg)
        for name, value in (("recent", recent), ("pointers", pointers), ("gists", gists)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                msg = f"{name}={value!r}: how many to add must be a whole number, 0 or more"
                raise InputError(msg)
        if isinstance(without, str):
            msg = f"without={without!r:.100}: give the texts in a list, even if it is one"
            raise InputError(msg)
        found = self.recall(query, k, now=now, cues=cues, **filters)
        last = self.episodes(limit=recent, newest=True, **filters) if recent else []
        return compose(
            found, budget_tokens=budget_tokens, zone=self._memory.zone, system=system,
            persona=persona, projects=projects, summary=summary or "", user=user, recent=last,
            compact=self._own_summary(filters) if summary is None else "", pointers=pointers,
            gists=self._known_of(found, gists, filters) if gists else (), without=without,
        )  # fmt: skip

    @answering()
    def get(self, id: str) -> Episode:  # noqa: A002
        """
        Return one episode by id, in whatever state it is.

        Raises:
            UnknownEpisode: the bank has no such id, or it was erased.

        """
        with self._store.read():
            ledger = self._memory.ledger(self.name)
            return ledger.episodes([ledger.find(id).row])[0]

    def expand(self, address: str) -> list[Episode]:
        """
        Return the episodes in force at an address, as a context's pointers name it.

        Raises:
            UnknownEpisode: there is none.

        """
        with self._store.read():
            ledger = self._memory.ledger(self.name)
            rows = self._store.rows_at(ledger.bank, address)
            rows = rows or self._store.rows_at(ledger.bank, unquote(address))  # as a context has it
            found = ledger.episodes(ledger.standing(rows))
        if not found:
            msg = f"nothing in bank {self.name!r} has the address {address!r}; see Episode.address"
            raise UnknownEpisode(msg)
        return found

    @spell_out
    @answering()
    def episodes(
        self,
        *,
        limit: int | None = None,
        offset: int = 0,
        newest: bool = False,
        **filters: Unpack[Filters],
    ) -> list[Episode]:
        """Return episodes in order of event time (``newest``: latest first), filtered, paged."""
        page = _page(limit, offset, newest=newest)
        chosen = read_filters(filters, self._memory.zone)
        with self._asking() as index:
            columns = index.columns
            allowed = columns.mask(chosen)
            order = columns.in_order()
            rows = order if allowed is None else order[allowed[order]]
            return self._memory.ledger_of(self._number, self.name).episodes(page(rows))

    @spell_out
    @answering()
    def find(
        self,
        *terms: str,
        limit: int | None = None,
        offset: int = 0,
        newest: bool = False,
        radius: int | None = None,
        **filters: Unpack[Filters],
    ) -> list[Episode]:
        """
        Return the episodes in which a word or phrase occurs, exactly, letter case aside.

        Where ``count`` says how often; a term is what it is there. Of several, all occur, in any
        order. In order of event time (``newest``: latest first), filtered, paged.

        With ``radius``, of a signed store, it is looked for by the signatures of its tokens, which
        may differ in so many bits, in three letter cases: the search of DWM, section 3.2.2.

        Raises:
            InputError: no term, one that is blank, or a radius where nothing is signed.

        """
        if not terms:
            msg = "find: give at least one word or phrase to look for"
            raise InputError(msg)
        page = _page(limit, offset, newest=newest)
        phrases = [Phrase(term) for term in terms] if radius is None else []
        chosen = read_filters(filters, self._memory.zone)
        with self._asking() as index:
            columns = index.columns
            near = None if radius is None else self._together(index, terms, radius)
            order, allowed = columns.in_order(), columns.mask(chosen)
            seen = np.ones(len(columns), np.bool_) if allowed is None else allowed
            ledger = self._memory.ledger_of(self._number, self.name)
        with self._store.read():  # what is found and what is read belong to one moment
            found = np.zeros(len(seen), np.bool_)
            found[ledger.content.find(phrases, seen) if near is None else near[seen[near]]] = True
            kept = ledger.episodes(page(order[found[order]]))
        if chosen.as_of is None:  # others may have forgotten some since the index was asked
            kept = [episode for episode in kept if episode.state == "active"]
        return kept

    def _together(self, index: LiveIndex, terms: Sequence[str], radius: int) -> NDArray[np.int64]:
        """Return the rows that hold every term by its signatures, ascending."""
        cue = index.cues.get("signature")
        if self._signs is None or not isinstance(cue, SignatureCue):
            msg = f"radius={radius!r}: nothing is signed here; see Config.signatures"
            raise InputError(msg)
        whole = isinstance(radius, int) and not isinstance(radius, bool)
        if not whole or not 0 <= radius <= self._signs.bits:
            msg = f"radius={radius!r}: must be a number of bits, from 0 to {self._signs.bits}"
            raise InputError(msg)
        if len(terms) > MOST_KEYWORDS:
            msg = f"find: {len(terms)} terms; by signatures at most {MOST_KEYWORDS} at once"
            raise InputError(msg)
        words = [check_text(term, limits=self._memory.config.ingest).strip() for term in terms]
        return cue.together(signed(words, self._signs), radius)

    @spell_out
    @answering()
    def count(self, term: str, **filters: Unpack[Filters]) -> int:
        """
        Count how often a word or phrase came up, exactly, letter case aside.

        It is looked for as it is given, spaces and punctuation included, and whole: "art" is not
        in "start" nor "arts", but in "art's". What it costs depends on how often it came up, and
        hardly on how much else there is (``docs/content.md``).
        """
        return sum(self._occurrences(term, read_filters(filters, self._memory.zone))[0].values())

    @spell_out
    @answering()
    def trend(self, term: str, by: By = "week", **filters: Unpack[Filters]) -> list[Period]:
        """
        Count how often a word or phrase came up in every ``day``, ``week``, ``month`` or ``year``.

        Periods follow each other without a gap, from ``since`` to ``until``; by default from the
        first to the last thing that the filters let it see. They begin at midnight in
        ``Config.timezone``, weeks on Monday; the first and the last may be cut short.

        Raises:
            InputError: the term is blank, or there would be more than 10 000 periods.

        """
        by = check_by(by)
        chosen = read_filters(filters, self._memory.zone)
        counts, said_at, seen = self._occurrences(term, chosen)
        return trend(
            counts, said_at, seen, since=chosen.since, until=chosen.until, by=by,
            zone=self._memory.zone,
        )  # fmt: skip

    def _occurrences(
        self, term: str, chosen: Filter
    ) -> tuple[dict[int, int], NDArray[np.int64], NDArray[np.bool_]]:
        """Return how often a term is in each row that has it, when rows were said, and which."""
        phrase = Phrase(term)
        with self._asking() as index:
            columns = index.columns
            said_at = columns.said_at(np.arange(len(columns), dtype=np.uint32))
            allowed = columns.mask(chosen)
            ledger = self._memory.ledger_of(self._number, self.name)
        seen = np.ones(len(said_at), np.bool_) if allowed is None else allowed
        return ledger.content.count(phrase, seen), said_at, seen

    def history(self, id: str) -> list[Change]:  # noqa: A002
        """Return every change to an episode and to its earlier and later versions, in order."""
        with self._store.read():
            ledger = self._memory.ledger(self.name)
            return ledger.history(ledger.find(id, erased=True).row)

    def journal(self, *, after: int = 0, limit: int | None = None) -> list[Change]:
        """Return the bank's changes in order, from ``after`` on: the audit trail."""
        _check_whole(after=after, limit=limit)
        with self._store.read():
            number = self._store.bank_number(self.name) or _NO_BANK
            last = self._store.last_seq(number)
            after, limit = min(after, last), None if limit is None else min(limit, last)
            return self._memory.ledger_of(number, self.name).journal(after=after, limit=limit)

    def stats(self) -> Stats:
        """Return what the bank holds, and how many bytes by kind of data."""
        fingerprint, held = self._memory.fingerprint(), self._held()
        with self._store.read():
            ledger = self._memory.ledger(self.name)
            return ledger.stats(
                embedder=None if fingerprint is None else str(fingerprint),
                uncalibrated=self._memory.calibration().lacking,
                resident_bytes=held + self._memory.segments.nbytes(ledger.bank),
            )

    def position(self) -> tuple[int, Hashable]:
        """
        Return what differs whenever the store has changed, and what does when this bank has.

        What was answered at one position of the bank is the answer as long as it is there, but for
        the present moment.
        """
        changes, known = self._store.changes(), self._position
        if known is None or known[0] != changes:
            with self._store.read():
                number = self._store.bank_number(self.name) or _NO_BANK
                place = number, self._store.last_seq(number), self._memory.settings()
            known = self._position = changes, place
        return known

    # ------------------------------------------------------------ moving

    def export(self, path: str | Path) -> int:
        """Write everything in the bank to a JSONL file that ``import_`` reads back whole."""
        return export_bank(self._memory.ledger(self.name), Path(path))

    @_staying
    def import_(
        self,
        path: str | Path,
        *,
        format: str | None = None,  # noqa: A002
        progress: Progress | None = None,
    ) -> Imported:
        """
        Remember a file or a folder: our own export, notes, chats, mail, other memories' exports.

        Importing again changes only what changed: new parts are added, parts that are gone from
        a file are forgotten (``restore`` brings them back). What cannot be read is reported and
        skipped; the rest goes on.
        """
        path = Path(path)
        if format in (None, "hippocampus"):
            whole = read_export(path, salt=self._memory.salt)
            if whole is not None:
                return self._take_in(whole, progress)
            if format == "hippocampus":
                raise SourceError("is not an export of hippocampus", path=path)
        return import_files(
            path, self._replace_source, format=format,
            chunk_tokens=self._memory.config.ingest.chunk_tokens, progress=progress,
        )  # fmt: skip

    def _take_in(self, whole: Export, progress: Progress | None) -> Imported:
        """
        Take in what another bank held: all of it into an empty bank, in one transaction.

        A bank that holds something already gets the texts in force that it lacks, noted now.
        """
        with self._changing():
            ledger = self._memory.ledger(self.name, create=True)
            if self._store.episode_count(ledger.bank):
                ids = [record.id for record in whole.records]
                missing = whole.missing(self._store.rows_of(ledger.bank, ids))
                if missing:
                    self._add(ledger, missing, progress)
                added = sum(map(len, missing))
                return Imported(added=added, unchanged=len(ids) - added, removed=0)
            drafts = whole.drafts()
            self._store_encoded(
                ledger,
                drafts,
                partial(_loaded, whole),
                progress,
            )
            return Imported(added=len(drafts), unchanged=0, removed=0)

    def _replace_source(
        self, source: str, turns: Sequence[Turn], progress: Progress | None
    ) -> Imported:
        """Make a source's episodes equal ``turns``: add what is new, hide what is gone."""
        now = self._memory.now()
        groups = [self._group(turn, now) for turn in turns]
        with self._changing():
            self._memory.ledger(self.name, create=True)
            with self._transaction() as ledger:
                update = compare(ledger, source, groups)
                if update.gone:
                    ledger.change(update.gone, "withdraw", source=source)
                if update.back or update.freed:
                    ledger.change([*update.back, *update.freed], "restore", source=source)
            added = self._keep(update.fresh, now, progress) if update.fresh else []
        return Imported(
            added=len(added) + len(update.back),
            unchanged=update.unchanged,
            removed=len(update.gone),
        )

    # ------------------------------------------------------------ in memory

    @contextmanager
    def _asking(self) -> Iterator[LiveIndex]:
        """Hold the index, caught up with every process."""
        with self._memory.hot.use(self), self.reading:
            yield self._index()

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with self._memory.hot.use(self), self.writing:
            yield

    def _is_there(self) -> bool:
        """Return whether the store had the bank when it was last asked or changed."""
        return self._number != _NO_BANK

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
        return _OF_A_BANK + held_bytes(*parts, apart=(self._store, self._memory.config))

    def _let_go(self) -> tuple[int, object]:
        """Keep only notes, unless asked anew; return their bytes, and what is to be freed."""
        gone = self._live, self._compact, self._quoted, self._summed, self._facts
        self._live = self._compact = self._summed = None
        self._quoted, self._facts, self._weighed = {}, Statements(), _NEVER
        self._memory.segments.drop(self._number)
        return self._held(notes=True), gone

    def _forget_notes(self) -> object:
        """Forget what was shown, and what was recalled since that was last written down."""
        gone = list(self._recalled)
        self._gate.clear()
        self._recalled.clear()
        return gone

    # ------------------------------------------------------------ inside

    def _index(self) -> LiveIndex:
        """Return the index, caught up with every process; the caller holds ``reading``."""
        seen = self._store.changes()
        if self._live is not None and seen == self._seen:
            return self._live
        with self._memory.moving:  # others may have begun to write theirs
            self._memory.check_embedder(self._memory.embedder)
            self._memory.settle_signatures(record=False)
        number = self._store.bank_number(self.name) or _NO_BANK
        if number != self._number:  # new, or deleted and perhaps made anew
            self._memory.segments.drop(self._number)
            self._number, self._live, self._heeded = number, None, 0
            self._quoted.clear()
            self._gate.clear()
            self._recalled.clear()  # rows of another bank
        live, self._live = self._live, None  # one that fails half-way is not gone on with
        if live is not None and (
            self._memory.signatures() != self._signs
            or self._memory.calibration() != self._calibrated
            or not self._follow(live)
        ):
            live = None
        self._live = self._new_index() if live is None else live
        self._seen, self._heeded = seen, self._live.seq
        return self._live

    def _follow(self, live: LiveIndex) -> bool:
        """Bring an index up; False when something must leave memory that it cannot take back."""
        with self._store.read():
            kinds = ("erase", "rebuild", WOKE)
            found = self._store.journal(self._number, after=live.seq, kinds=kinds)
            undone = {change.kind for change in found}
            if undone == {WOKE}:
                self._attach_concepts(live)
            if undone <= {WOKE}:
                live.catch_up()
        if "erase" in undone:
            self._quoted.clear()
            self._memory.segments.drop(self._number)
            self._gate.clear()
        return undone <= {WOKE}

    def _new_index(self) -> LiveIndex:
        memory = self._memory
        with memory.moving, self._store.read():
            self._asks = memory.embedder
            memory.check_embedder(self._asks)
            fingerprint = memory.fingerprint()
            self._rotation = None if fingerprint is None else rotation_for(fingerprint)
            cues: list[Cue] = [LexicalCue()]
            if fingerprint is not None:
                cues.append(VectorCue(fingerprint.dimension))
            if self._rotation is not None:
                cues.append(TokensCue(self._rotation.bits))
            self._calibrated = memory.calibration()
            self._fusion = memory.config.fusion.heard(self._calibrated.values.hearing)
            self._signs = memory.signatures()
            if self._signs is not None:
                cues.append(SignatureCue(self._signs.bits, self._signs.radius))
            since = self._heeded
            if since and self._store.journal(self._number, after=since, kinds=("erase",)):
                self._gate.clear()
            live = LiveIndex(self._store, self._number, cues)
            self._attach_concepts(live)
            live.catch_up()
        return live

    def _attach_concepts(self, live: LiveIndex) -> None:
        """Give an index the anchors that the last sleep has left; it then catches up with them."""
        ledger = self._memory.ledger_of(self._number, self.name)
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
        for name in ("concept", "topic", "graph"):
            live.cues.pop(name, None)
        self._compact, self._summed = compact, None
        least = self._calibrated.values.cosines.sem_theta
        matures = self._memory.config.maturation
        live.gists = None if gists is None else Priming(gists, matures, least)
        if topics is not None:
            live.cues["topic"] = TopicCue(topics.graph, topics.length)
        vectors = live.cues.get("vector")
        if anchors is not None and isinstance(vectors, VectorCue):
            anchors = self._fitting(anchors, vectors)
        self._anchored = anchors is not None and isinstance(vectors, VectorCue)
        if anchors is not None and isinstance(vectors, VectorCue):
            columns = live.columns
            how = self._memory.config.concepts.heard(self._calibrated.values.cosines)
            leads = None if how.sources is None else columns.source.telling(how.sources)
            live.cues["graph"] = GraphCue()
            live.cues["concept"] = ConceptCue(
                anchors, how, vectors, columns.said_at, lambda: columns.session.codes, leads
            )

    def _fitting(self, anchors: Anchors, vectors: VectorCue) -> Anchors | None:
        """Return anchors whose vectors are such as the bank's; None, and say so, for others."""
        found = anchors.vectors.shape[1]
        if found == vectors.dimension:
            return anchors
        reason = f"anchors have {found} dimensions, the bank {vectors.dimension}; sleep once more"
        self._no_sleep = Degradation(part="sleep", reason=reason)
        return None


def _as_turn(old: EpisodeRow, text: str) -> Turn:
    """Return a turn that says something else in the place of an episode."""
    return Turn(
        text=text, at=from_micros(old.said_at), speaker=old.speaker, role=old.role,
        session=old.session, source=old.source, address=old.address or None,
        metadata=json.loads(old.metadata),
    )  # fmt: skip


def _loaded(whole: Export, books: Ledger, encoded: Encoded) -> None:
    own = books.store.journal(books.bank, kinds=(POLICY,))
    books.load(whole.records, whole.journal, encoded)
    if own:  # what was chosen here holds here
        books.note(POLICY, **json.loads(own[-1].detail))


def _settled(
    faded: Sequence[tuple[EpisodeRow, Sequence[Draft]]], books: Ledger, encoded: Encoded
) -> int:
    return books.settle(faded, encoded)


def _page(
    limit: int | None, offset: int, *, newest: bool
) -> Callable[[NDArray[np.int64]], list[int]]:
    """Return what takes a page out of rows in order of time."""
    _check_whole(limit=limit, offset=offset)
    stop = None if limit is None else offset + limit

    def page(rows: NDArray[np.int64]) -> list[int]:
        ordered = rows[::-1] if newest else rows
        return ordered[offset:stop].tolist()  # type: ignore[no-any-return]  # of int

    return page


def _check_whole(**given: int | None) -> None:
    for name, value in given.items():
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, int) or value < 0
        ):
            msg = f"{name}={value!r}: must be a whole number, 0 or more"
            raise InputError(msg)


def _cosines(vectors: Cue | None, row: int, others: Sequence[int]) -> dict[int, float]:
    """Return how near rows are to one, 0 where nobody knows."""
    if not isinstance(vectors, VectorCue) or not others:
        return dict.fromkeys(others, 0.0)
    (vector,) = vectors.vectors(np.array([row]))
    near = vectors.cosines(vector, np.array(others, np.uint32))
    return dict(zip(others, near.tolist(), strict=True))


def _read_of(
    read: Callable[[Sequence[int]], Iterable[Clause | None]],
    rows: NDArray[np.int64],
    places: Sequence[int],
) -> Iterable[Clause | None]:
    """Return what is to be quoted of the rows at some places."""
    return read(rows[np.array(places, np.int64)].tolist())


def _ids(given: object) -> list[str]:
    """Return one id or several as a list, each once."""
    if isinstance(given, str):
        return [given]
    if isinstance(given, Mapping | bytes) or not isinstance(given, Collection):
        msg = f"id={given!r}: give one episode's id, or a collection of ids"
        raise InputError(msg)
    return list(dict.fromkeys(given))


def _rerank(
    reranker: Reranker, query: str, hits: list[Hit], degraded: list[Degradation]
) -> list[Hit]:
    try:
        scores = reranker.rerank(query, [hit.text for hit in hits])
    except EncoderError as exc:
        degraded.append(Degradation(part="reranker", reason=str(exc)))
        return hits
    order = np.argsort(-scores, kind="stable").tolist()
    best = sorted((hit.score for hit in hits), reverse=True)
    return [replace(hits[i], score=best[place]) for place, i in enumerate(order)]
