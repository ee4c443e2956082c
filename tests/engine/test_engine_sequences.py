"""Random sequences of verbs, closing and reopening, against a dictionary of what must be there."""

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from hippocampus import Config, Ingest, Memory
from hippocampus.core.clock import ManualClock
from hippocampus.core.events import class_of
from hippocampus.core.records import STATE_CHANGES
from hippocampus.errors import InputError, UnknownBank, UnknownEpisode
from hippocampus.upkeep import verify

TEXTS = st.sampled_from(
    [
        "The spare key is under the blue pot.",
        "The spare key is with the neighbour now.",
        "Tom plays the violin on Thursdays.",
        "Tom plays the cello on Thursdays.",
        "ok",
        "今天天气很好 🎻",
    ]
)
SPEAKERS = st.sampled_from(["Ada", None])
TIMES = st.sampled_from([datetime(2024, 3, 1, tzinfo=UTC), datetime(2024, 3, 2, tzinfo=UTC)])
PICK = st.integers(0, 10**6)
CONFIG = Config(ingest=Ingest(seal_rows=4), index_file_rows=1)


class Known:
    """What the model knows of one episode."""

    def __init__(self, key):
        self.key = key
        self.state = "active"
        self.kinds = ["remember"]
        self.versions = {self}  # shared by all versions of one another

    def join(self, other):
        for one in self.versions | other.versions:
            one.versions = self.versions | other.versions


class BankMachine(RuleBasedStateMachine):
    """Two memories on one file, used in turn, and a dictionary by id."""

    @initialize()
    def start(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.clock = ManualClock(datetime(2025, 6, 1, tzinfo=UTC))
        self.memories = [self.opened(), self.opened()]
        self.turn = 0
        self.model = {}
        self.by_key = {}
        self.moments = []

    def opened(self):
        path = Path(self.folder.name) / "memory.db"
        return Memory(path, embedder="hash", clock=self.clock, config=CONFIG)

    @property
    def bank(self):
        """The bank, seen through one memory and the other by turns."""
        self.turn += 1
        return self.memories[self.turn % 2].bank("ada")

    def pick(self, number):
        return sorted(self.model)[number % len(self.model)]

    def tick(self):
        """Note what is in force now, and let time pass."""
        self.moments.append((self.clock.now(), self.in_force()))
        self.clock.advance(timedelta(seconds=1))

    def in_force(self):
        return {id_: k.key[0] for id_, k in self.model.items() if k.state == "active"}

    def added(self, episode, key):
        if key not in self.by_key:
            self.by_key[key] = episode.id
            self.model[episode.id] = Known(key)
        assert self.by_key[key] == episode.id
        return self.model[episode.id]

    # ------------------------------------------------------------ verbs

    @rule(text=TEXTS, speaker=SPEAKERS, at=TIMES)
    def remember(self, text, speaker, at):
        episode = self.bank.remember(text, speaker=speaker, at=at, metadata={"n": len(text)})
        assert self.added(episode, (text, speaker, at)).state == episode.state
        self.tick()

    @precondition(lambda self: self.model)
    @rule(number=PICK)
    def remember_the_same(self, number):
        id_ = self.pick(number)
        text, speaker, at = self.model[id_].key
        before = self.bank.journal()
        assert id_ == self.bank.remember(text, speaker=speaker, at=at).id
        assert before == self.bank.journal()

    @precondition(lambda self: self.model)
    @rule(number=PICK, text=TEXTS)
    def correct(self, number, text):
        id_ = self.pick(number)
        told = {"n": len(text)}  # as remembering has it: with others it would be another memory
        old = self.model[id_]
        key = (text, *old.key[1:])
        known = self.model.get(self.by_key.get(key))
        if old.state == "erased":
            with pytest.raises(UnknownEpisode):
                self.bank.correct(id_, text, metadata=told)
        elif old.state != "active" or (known is not None and known.state == "erased"):
            with pytest.raises(InputError):
                self.bank.correct(id_, text, metadata=told)
        elif known is old:
            assert id_ == self.bank.correct(id_, text, metadata=told).id
        else:
            new = self.added(self.bank.correct(id_, text, metadata=told), key)
            if known is not None:
                new.state = "active"
                new.kinds.append("restore")
            old.state = "superseded"
            old.kinds.append("correct")
            old.join(new)
            assert text == self.bank.get(self.by_key[key]).text
        self.tick()

    @precondition(lambda self: self.model)
    @rule(numbers=st.lists(PICK, min_size=1, max_size=3))
    def forget(self, numbers):
        self.move(numbers, "forget", "active", "forgotten")

    @precondition(lambda self: self.model)
    @rule(numbers=st.lists(PICK, min_size=1, max_size=3))
    def restore(self, numbers):
        self.move(numbers, "restore", "forgotten", "active")

    def move(self, numbers, verb, start, end):
        ids = [id_ for id_ in map(self.pick, numbers) if self.model[id_].state != "erased"]
        moved = {id_ for id_ in ids if self.model[id_].state == start}
        assert len(moved) == getattr(self.bank, verb)(ids)
        for id_ in moved:
            self.model[id_].state = end
            self.model[id_].kinds.append(verb)
        self.tick()

    @precondition(lambda self: any(k.state != "erased" for k in self.model.values()))
    @rule(number=PICK)
    def erase(self, number):
        there = [id_ for id_ in sorted(self.model) if self.model[id_].state != "erased"]
        id_ = there[number % len(there)]
        gone = {known for known in self.model[id_].versions if known.state != "erased"}
        assert len(gone) == self.bank.forget(id_, erase=True)
        for known in gone:
            known.state = "erased"
            known.kinds.append("erase")
        self.tick()

    @rule()
    def reopen(self):
        self.memories.pop(0).close()
        self.memories.append(self.opened())

    @precondition(lambda self: self.model)
    @rule()
    def put_the_index_in_a_file(self):
        with self.bank.state.asking():
            self.bank.state.keep_index()

    @precondition(lambda self: self.model)
    @rule()
    def reindex(self):
        self.turn += 1
        self.memories[self.turn % 2].rebuild()
        self.clock.advance(timedelta(seconds=1))

    # ------------------------------------------------------------ what must hold

    @invariant()
    def what_is_in_force_is_what_the_model_says(self):
        found = {episode.id: episode.text for episode in self.bank.episodes()}
        assert self.in_force() == found

    @precondition(lambda self: self.model)
    @rule(number=PICK)
    def look_at_one(self, number):
        id_ = self.pick(number)
        known = self.model[id_]
        if known.state == "erased":
            with pytest.raises(UnknownEpisode):
                self.bank.get(id_)
        else:
            episode = self.bank.get(id_)
            assert known.key == (episode.text, episode.speaker, episode.occurred_at)
            assert {"n": len(episode.text)} == episode.metadata or episode.supersedes
            assert known.state == episode.state
            assert {v.key for v in known.versions} == {
                self.model[c.episode].key for c in self.bank.history(id_)
            }
        assert known.kinds == [c.kind for c in self.bank.history(id_) if c.episode == id_]

    @precondition(lambda self: self.moments)
    @rule(number=PICK)
    def look_back(self, number):
        moment, then = self.moments[number % len(self.moments)]
        there = {id_: text for id_, text in then.items() if self.model[id_].state != "erased"}
        found = {episode.id: episode.text for episode in self.bank.episodes(as_of=moment)}
        assert there == found

    @rule(text=TEXTS)
    def recall(self, text):
        hits = {hit.id: hit.text for hit in self.bank.recall(text, k=1000)}
        assert self.in_force() == hits

    def teardown(self):
        if not hasattr(self, "memories"):
            return
        replayed = {c.episode: c.kind for c in self.bank.journal() if c.episode is not None}
        states = {
            id_: STATE_CHANGES.get(class_of(kind), "active") for id_, kind in replayed.items()
        }
        assert {id_: known.state for id_, known in self.model.items()} == states
        if self.model:
            stats = self.bank.stats()
            states = [known.state for known in self.model.values()]
            counted = (stats.episodes, stats.superseded, stats.forgotten)
            assert counted == tuple(map(states.count, ("active", "superseded", "forgotten")))
        else:
            with pytest.raises(UnknownBank):
                self.bank.stats()
        assert () == verify(self.memories[0]).problems
        for memory in self.memories:
            memory.close()
        self.folder.cleanup()


TestSequences = BankMachine.TestCase
TestSequences.settings = settings(stateful_step_count=20)
