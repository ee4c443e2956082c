"""
The trial of an embedder: synthetic conversations are indexed as banks are, and asked about.

Each is in a bank of its own, and in one with three others, where more can be mistaken for an
answer. The store is in memory, and each turn is embedded once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.calibrate.calibration import POOL
from hippocampus.calibrate.synthetic import SyntheticBank, SyntheticQuestion, generate
from hippocampus.core.config import Fusion, Ingest
from hippocampus.core.records import Embedder, Passage, Progress, Store, Turn
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
from hippocampus.recall.standardize import Numbers
from hippocampus.store import open_store
from hippocampus.write.check import Group, draft
from hippocampus.write.encode import context_before, encode_drafts

_NAME: Final = "calibrate"
_CUES: Final = frozenset({"tokens", "vector", "lexical", "time"})
_NOW: Final = datetime(2025, 1, 1, tzinfo=UTC)
_SALT: Final = bytes(16)
_LIMITS: Final = Ingest()
_FUSION: Final = Fusion()


@dataclass(frozen=True, slots=True, eq=False)
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
    known: dict[str, Numbers]
    parts: dict[str, Numbers]
    right: NDArray[np.bool_]
    topic: str | None
    vector: Numbers

    def table(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Return a row for each hit: one, and its evidence."""
        ones = np.ones(len(self.relevant))
        return np.column_stack([ones, *(self.known[name] for name in names)])


@dataclass(frozen=True, slots=True, eq=False)
class TrialTurn:
    """
    All turns of some conversations; n turns.

    ``vectors``: shape (n, dimension); ``conversation``, ``session``, ``place`` in it, ``length`` in
    characters, ``occurred_at`` as a share of the conversation's time, ``topic`` of the fact a turn
    tells, "" for small talk, and whether it was said ``between_people``: shape (n,).
    """

    vectors: Numbers
    conversation: NDArray[np.str_]
    session: NDArray[np.str_]
    place: NDArray[np.intp]
    length: NDArray[np.intp]
    occurred_at: NDArray[np.float64]
    topic: NDArray[np.str_]
    between_people: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """The turns, the questions, and the vectors of the topics' names."""

    conversations: int
    seed: int
    said: TrialTurn
    asked: list[TrialQuestion]
    topics: dict[str, Numbers]


def run_trial(
    embedder: Embedder, *, conversations: int, seed: int, progress: Progress | None = None
) -> Trial:
    """Have an embedder read conversations and answer their questions."""
    banks = generate(seed, conversations)["banks"]
    total = sum(len(bank["episodes"]) for bank in banks)
    store = open_store(":memory:", busy_timeout_s=1.0)
    try:
        examiner = _Examiner(store, embedder)
        asked: list[TrialQuestion] = []
        said: list[TrialTurn] = []
        done = 0
        for start in range(0, len(banks), POOL):
            pool: list[_EncodedConversation] = []
            for bank in banks[start : start + POOL]:
                one = examiner.encode(bank)
                indexed = examiner.index([one])
                asked += examiner.ask([one], indexed, start // POOL)
                said.append(_told(one, indexed))
                pool.append(one)
                done += len(bank["episodes"])
                if progress:
                    progress(done, total)
            if len(pool) > 1:
                asked += examiner.ask(pool, examiner.index(pool), start // POOL)
    finally:
        store.close()
    topics = sorted({e["topic"] for bank in banks for e in bank["episodes"] if "topic" in e})
    named = embedder.embed([Passage(topic) for topic in topics])
    vectors = dict(zip(topics, (one.vector for one in named), strict=True))
    return Trial(conversations, seed, _joined(said), asked, vectors)


class _EncodedConversation(NamedTuple):
    """A conversation, ready to be put into banks: a group for each of its turns."""

    data: SyntheticBank
    groups: list[Group]
    encoded: Encoded

    @property
    def refs(self) -> list[str]:
        """A name for each turn that no other conversation uses."""
        return [f"{self.data['id']}/{e['id']}" for e in self.data["episodes"]]


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
        self._embed = cache(embedder.embed_query)

    def encode(self, data: SyntheticBank) -> _EncodedConversation:
        """Encode a conversation as a bank does."""
        groups = [
            draft(
                _NAME,
                Turn(
                    text=e["text"], speaker=e["speaker"], role=e["role"], at=e["at"],
                    session=f"{data['id']}/{e['session']}",
                ),
                now=_NOW, zone=UTC, limits=_LIMITS, salt=_SALT,
            )
            for e in data["episodes"]
        ]  # fmt: skip
        drafts = [d for group in groups for d in group.drafts]
        before = context_before(drafts, {})
        encoded = encode_drafts(drafts, before, embedder=self._embedder, signed=None)
        return _EncodedConversation(data, groups, encoded)

    def index(self, pool: Sequence[_EncodedConversation]) -> _IndexedBank:
        """Put conversations into one bank."""
        refs: list[str] = []
        with self._store.write():
            number = self._store.banks.add("+".join(one.data["id"] for one in pool), 0)
            ledger = Ledger(
                self._store, number, name=_NAME, salt=_SALT, limits=_LIMITS, now=lambda: _NOW,
                segments=self._segments,
            )  # fmt: skip
            for one in pool:
                rows = ledger.writer.add([group.drafts for group in one.groups], one.encoded)
                turns = zip(one.refs, one.groups, strict=True)
                of = {draft.id: ref for ref, group in turns for draft in group.drafts}
                refs += [of[id_] for id_, _ in sorted(rows.items(), key=lambda item: item[1])]
        cues = CueSet(Bm25Cue(), VectorCue(self._embedder.fingerprint.dimension))
        if self._rotation is not None:
            cues.tokens = LateInteractionCue(self._rotation.bits)
        index = BankIndex(self._store, number, cues)
        index.catch_up()
        return _IndexedBank(index, refs)

    def ask(
        self, pool: Sequence[_EncodedConversation], indexed: _IndexedBank, group: int
    ) -> Iterator[TrialQuestion]:
        """Ask a bank what only one of its conversations can answer."""
        people = [{e["speaker"] for e in one.data["episodes"]} for one in pool]
        met = Counter(name for names in people for name in names)
        for one, names in zip(pool, people, strict=True):
            if any(met[name] > 1 for name in names):
                continue  # two of one name, or two who say "I", would make questions ambiguous
            id_ = one.data["id"]
            tells = (e.get("topic") for e in one.data["episodes"])
            topics = dict(zip(one.refs, tells, strict=True))
            for question in one.data["questions"]:
                gold = {f"{id_}/{ref}" for ref in question["gold"]}
                about = {topics[ref] for ref in gold}
                yield self._answer(
                    question, indexed, gold, group, about.pop() if len(about) == 1 else None
                )

    def _answer(
        self,
        asked: SyntheticQuestion,
        indexed: _IndexedBank,
        gold: set[str],
        group: int,
        topic: str | None,
    ) -> TrialQuestion:
        index, refs = indexed
        text = asked["text"]
        embedded = self._embed(text)
        understood = bind(
            parse(text, now=datetime.fromisoformat(asked["at"]), cues=_CUES),
            embedded=embedded,
            rotation=self._rotation,
            speakers=index.columns.speakers(),
        )
        every = search(index, understood, None, _FUSION, len(index))
        right = np.array([refs[row] in gold for row in every.rows.tolist()])
        rows = every.rows[:DEPTH]
        bare = replace(understood, cues=_CUES - {"tokens"})
        known = evidence(index, understood, rows) | evidence(index, bare, rows)
        return TrialQuestion(
            group=group, kind=asked["kind"], answerable=bool(gold), relevant=right[:DEPTH],
            known=known, parts=every.parts, right=right, topic=topic, vector=embedded.vector,
        )  # fmt: skip


def _told(one: _EncodedConversation, indexed: _IndexedBank) -> TrialTurn:
    """Return the turns of a conversation that has a bank of its own."""
    episodes = one.data["episodes"]
    vectors = indexed.live.cues.vector
    assert vectors is not None, "it is what it was made with"
    first = {ref: row for row, ref in reversed(list(enumerate(indexed.refs)))}
    sessions = [f"{one.data['id']}/{e['session']}" for e in episodes]
    occurred_at = np.array([datetime.fromisoformat(e["at"]).timestamp() for e in episodes])
    turns = Counter[str]()
    places = []
    for session in sessions:
        places.append(turns[session])
        turns[session] += 1
    return TrialTurn(
        vectors=vectors.vectors(np.array([first[ref] for ref in one.refs], np.int64)),
        conversation=np.full(len(episodes), one.data["id"]),
        session=np.array(sessions),
        place=np.array(places),
        length=np.array([len(e["text"]) for e in episodes]),
        occurred_at=(occurred_at - occurred_at[0]) / (occurred_at[-1] - occurred_at[0]),
        topic=np.array([e.get("topic", "") for e in episodes]),
        between_people=np.array([e["speaker"] is not None for e in episodes]),
    )


def _joined(parts: Sequence[TrialTurn]) -> TrialTurn:
    names = [field.name for field in fields(TrialTurn)]
    return TrialTurn(
        **{name: np.concatenate([getattr(one, name) for one in parts]) for name in names}
    )
