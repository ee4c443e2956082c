"""
The trial of an embedder: synthetic conversations are indexed as banks are, and asked about.

Each is in a bank of its own, and in one with three others, where more can be mistaken for an
answer. The store is in memory, and each turn is embedded once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.calibrate import POOL
from hippocampus.calibrate.conversations import (
    SyntheticConversation,
    SyntheticData,
    SyntheticQuestion,
)
from hippocampus.core.arrays import Floats
from hippocampus.core.config import Fusion, Ingest
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.records import Embedder, Passage, Progress, Store, Turn
from hippocampus.encode.given_parts import embed_passages
from hippocampus.encode.signature import rotation_for
from hippocampus.index.bank_index import BankIndex
from hippocampus.index.bm25 import Bm25Cue
from hippocampus.index.cues import CueSet
from hippocampus.index.late_interaction import LateInteractionCue
from hippocampus.index.vector import VectorCue
from hippocampus.journal.content import Segments
from hippocampus.journal.draft import Encoded
from hippocampus.journal.ledger import Ledger
from hippocampus.recall.confidence import DEPTH
from hippocampus.recall.evidence import evidence
from hippocampus.recall.parse import bind, parse
from hippocampus.recall.search import search
from hippocampus.store import open_store
from hippocampus.write.check import Group, draft
from hippocampus.write.encode import context_before, encode_drafts

_NAME: Final = "calibrate"
_CUES: Final = frozenset({"tokens", "vector", "lexical", "time"})
# Any moment and any salt would do; fixed ones make every trial the same.
_NOW: Final = datetime(2025, 1, 1, tzinfo=UTC)
_SALT: Final = bytes(16)
_LIMITS: Final = Ingest()
_FUSION: Final = Fusion()


@immutable(kw_only=False, eq=False)
class TrialQuestion:
    """
    A question and what was found for it: n hits, c candidates.

    ``relevant``: which hits answer it, shape (n,), and ``known``: the evidence of each; ``parts``:
    what each cue adds to the rank of every candidate, shape (c,), and ``right``: which candidates
    answer it. ``topic``: of what it asks for, if that has one; ``vector``: its own.
    """

    group: int
    kind: str
    answerable: bool
    relevant: NDArray[np.bool_]
    known: dict[str, Floats]
    parts: dict[str, Floats]
    right: NDArray[np.bool_]
    topic: str | None
    vector: Floats

    def table(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Return a row for each hit: one, and its evidence."""
        ones = np.ones(len(self.relevant))
        return np.column_stack([ones, *(self.known[name] for name in names)])


@immutable(kw_only=False, eq=False)
class TrialTurn:
    """
    All turns of some conversations; n turns.

    ``vectors``: shape (n, dimension); ``conversation``, ``session``, ``place`` in it, ``length`` in
    characters, ``occurred_at`` as a share of the conversation's time, ``topic`` of the fact a turn
    tells, "" for small talk, and whether it was said ``between_people``: shape (n,).
    """

    vectors: Floats
    conversation: NDArray[np.str_]
    session: NDArray[np.str_]
    place: NDArray[np.intp]
    length: NDArray[np.intp]
    occurred_at: NDArray[np.float64]
    topic: NDArray[np.str_]
    between_people: NDArray[np.bool_]


@immutable(kw_only=False, eq=False)
class Trial:
    """
    The turns, the questions, and the vectors of the topics' names.

    ``unlike``: cosines of turns that say the same of different things, in the same words.
    """

    conversations: int
    seed: int
    said: TrialTurn
    asked: list[TrialQuestion]
    topics: dict[str, Floats]
    unlike: Floats


def run_trial(
    embedder: Embedder, made_up: SyntheticData, progress: Progress | None = None
) -> Trial:
    """Have an embedder read conversations and answer their questions."""
    talks = made_up.conversations
    total = sum(len(talk.texts) for talk in talks)
    store = open_store(":memory:", busy_timeout_s=1.0)
    try:
        examiner = _Examiner(store, embedder)
        asked: list[TrialQuestion] = []
        said: list[TrialTurn] = []
        done = 0
        for start in range(0, len(talks), POOL):
            pool: list[_EncodedConversation] = []
            for talk in talks[start : start + POOL]:
                one = examiner.encode(talk)
                indexed = examiner.index([one])
                asked += examiner.ask([one], indexed, start // POOL)
                said.append(_told(one, indexed))
                pool.append(one)
                done += len(talk.texts)
                if progress:
                    progress(done, total)
            if len(pool) > 1:
                asked += examiner.ask(pool, examiner.index(pool), start // POOL)
    finally:
        store.close()
    topics = sorted({topic for talk in talks for topic in talk.topics if topic})
    named = embed_passages(embedder, [Passage(topic) for topic in topics])
    vectors = dict(zip(topics, (one.vector for one in named), strict=True))
    texts = [Passage(text) for pair in made_up.pairs for text in pair]
    paired = embed_passages(embedder, texts)
    pairs = np.stack([one.vector for one in paired])
    unlike: Floats = np.einsum("ij,ij->i", pairs[::2], pairs[1::2])
    return Trial(len(talks), made_up.seed, _joined(said), asked, vectors, unlike)


class _EncodedConversation(NamedTuple):
    """A conversation, ready to be put into banks: a group for each of its turns."""

    data: SyntheticConversation
    groups: list[Group]
    encoded: Encoded

    @property
    def refs(self) -> list[str]:
        """A name for each turn that no other conversation uses."""
        return [f"{self.data.id}/{place}" for place in range(len(self.data.texts))]


class _IndexedBank(NamedTuple):
    """A bank of some conversations: its index, and which turn each row is (a part) of."""

    live: BankIndex
    refs: list[str]


class _Examiner:
    """An embedder under examination, and the store of the banks that it is asked about."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store = store
        self._embedder = embedder
        self._rotation = rotation_for(embedder.fingerprint)
        self._segments = Segments()
        # Each question is asked twice: of its own bank, and of the pool.
        self._embed = cache(embedder.embed_query)

    def encode(self, data: SyntheticConversation) -> _EncodedConversation:
        """Encode a conversation as a bank does."""
        groups = [
            draft(
                _NAME,
                Turn(
                    text=text, speaker=speaker, role=role, session=f"{data.id}/{session}",
                    at=datetime.fromtimestamp(at, UTC),
                ),
                now=_NOW, zone=UTC, limits=_LIMITS, salt=_SALT,
            )
            for text, speaker, role, at, session in zip(
                data.texts, data.speakers, data.roles, data.occurred_at, data.sessions, strict=True
            )
        ]  # fmt: skip
        drafts = [d for group in groups for d in group.drafts]
        before = context_before(drafts, {})
        encoded = encode_drafts(drafts, before, zone=UTC, embedder=self._embedder, signed=None)
        return _EncodedConversation(data, groups, encoded)

    def index(self, pool: Sequence[_EncodedConversation]) -> _IndexedBank:
        """Put conversations into one bank."""
        refs: list[str] = []
        with self._store.write():
            number = self._store.banks.add("+".join(one.data.id for one in pool), 0)
            ledger = Ledger(
                self._store, number, name=_NAME, salt=_SALT, limits=_LIMITS, now=lambda: _NOW,
                segments=self._segments,
            )  # fmt: skip
            for one in pool:
                rows = ledger.writer.add([group.drafts for group in one.groups], one.encoded)
                turns = zip(one.refs, one.groups, strict=True)
                of = {draft.id: ref for ref, group in turns for draft in group.drafts}
                refs += [of[id_] for id_, _ in sorted(rows.items(), key=lambda item: item[1])]
        cues = CueSet(
            Bm25Cue(),
            VectorCue(self._embedder.fingerprint.dimension),
            None if self._rotation is None else LateInteractionCue(self._rotation.bits),
        )
        index = BankIndex(self._store, number, cues)
        index.catch_up()
        return _IndexedBank(index, refs)

    def ask(
        self, pool: Sequence[_EncodedConversation], indexed: _IndexedBank, group: int
    ) -> Iterator[TrialQuestion]:
        """Ask a bank what only one of its conversations can answer."""
        people = [set(one.data.speakers) for one in pool]
        met = Counter(name for names in people for name in names)
        for one, names in zip(pool, people, strict=True):
            if any(met[name] > 1 for name in names):
                continue  # two of one name, or two who say "I", would make questions ambiguous
            asked_at = datetime.fromtimestamp(one.data.asked_at, UTC)
            for question in one.data.questions:
                gold = {one.refs[place] for place in question.answers}
                about = {one.data.topics[place] or None for place in question.answers}
                topic = about.pop() if len(about) == 1 else None
                yield self._answer(question, asked_at, indexed, gold, group, topic)

    def _answer(
        self,
        asked: SyntheticQuestion,
        asked_at: datetime,
        indexed: _IndexedBank,
        gold: set[str],
        group: int,
        topic: str | None,
    ) -> TrialQuestion:
        index, refs = indexed
        text = asked.text
        embedded = self._embed(text)
        understood = bind(
            parse(text, now=asked_at, cues=_CUES),
            embedded=embedded,
            rotation=self._rotation,
            speakers=index.columns.speakers(),
        )
        every = search(index, understood, None, _FUSION, len(index))
        right = np.array([refs[row] in gold for row in every.rows.tolist()])
        rows = every.rows[:DEPTH]
        # Without token vectors other evidence is read, for the models of embedders that have none.
        bare = replace(understood, cues=_CUES - {"tokens"})
        known = evidence(index, understood, rows) | evidence(index, bare, rows)
        return TrialQuestion(
            group=group, kind=asked.kind, answerable=bool(gold), relevant=right[:DEPTH],
            known=known, parts=every.parts, right=right, topic=topic, vector=embedded.vector,
        )  # fmt: skip


def _told(one: _EncodedConversation, indexed: _IndexedBank) -> TrialTurn:
    """Return the turns of a conversation that has a bank of its own."""
    data = one.data
    vectors = indexed.live.cues.vector
    assert vectors is not None, "it is what it was made with"
    # Reversed, so that of a long turn the first part stands for it.
    first = {ref: row for row, ref in reversed(list(enumerate(indexed.refs)))}
    sessions = [f"{data.id}/{session}" for session in data.sessions]
    occurred_at = np.array(data.occurred_at, np.float64)
    turns = Counter[str]()
    places = []
    for session in sessions:
        places.append(turns[session])
        turns[session] += 1
    return TrialTurn(
        vectors=vectors.vectors(np.array([first[ref] for ref in one.refs], np.int64)),
        conversation=np.full(len(data.texts), data.id),
        session=np.array(sessions),
        place=np.array(places),
        length=np.array([len(text) for text in data.texts]),
        occurred_at=(occurred_at - occurred_at[0]) / (occurred_at[-1] - occurred_at[0]),
        topic=np.array(data.topics),
        between_people=np.array([speaker is not None for speaker in data.speakers]),
    )


def _joined(parts: Sequence[TrialTurn]) -> TrialTurn:
    names = [field.name for field in fields(TrialTurn)]
    return TrialTurn(
        **{name: np.concatenate([getattr(one, name) for one in parts]) for name in names}
    )
