"""Random sequences of verbs between banks, against dictionaries of what must be where."""

import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from hippocampus import Memory
from hippocampus.errors import InputError
from hippocampus.upkeep import verify

BANKS = ("agent", "project", "team")
TEXTS = tuple(f"The note of the {thing}." for thing in ("key", "boat", "deploy", "cellar"))
AT = datetime(2024, 3, 1, tzinfo=UTC)
BANK, TEXT = st.sampled_from(BANKS), st.sampled_from(TEXTS)


class ScopesMachine(RuleBasedStateMachine):
    """Three banks, and of each what it includes, the state of its texts, and who has copies."""

    @initialize()
    def start(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.path = Path(self.folder.name) / "memory.db"
        self.memory = Memory(self.path, embedder="none")
        self.includes = {name: [] for name in BANKS}
        self.states = {name: {} for name in BANKS}
        self.ids = {name: {} for name in BANKS}
        self.copies = set()

    def teardown(self):
        if hasattr(self, "memory"):
            assert verify(self.memory).problems == ()
            self.memory.close()
            self.folder.cleanup()

    # ------------------------------------------------------------ the model

    def reach(self, name):
        found, waiting = [], [name]
        while waiting:
            one = waiting.pop(0)
            if one not in found:
                found.append(one)
                waiting += self.includes[one]
        return found

    def active(self, name):
        return {text for text, state in self.states[name].items() if state == "active"}

    def erased(self, name, text, done):
        if self.states[name].get(text) in (None, "erased") or name in done:
            return
        for source, said, other in sorted(self.copies):
            if (source, said) == (name, text):
                self.erased(other, text, {*done, name})
        self.states[name][text] = "erased"

    # ------------------------------------------------------------ the verbs

    @rule(name=BANK, text=TEXT)
    def remember(self, name, text):
        if text in self.states[name]:
            return
        self.ids[name][text] = self.memory.bank(name).remember(text, at=AT).id
        self.states[name][text] = "active"

    @rule(name=BANK, other=BANK)
    def include(self, name, other):
        bank = self.memory.bank(name)
        if name in self.reach(other):
            with pytest.raises(InputError):
                bank.include(other)
            return
        bank.include(other)
        if other not in self.includes[name]:
            self.includes[name].append(other)

    @rule(name=BANK, other=BANK)
    def exclude(self, name, other):
        if other in self.includes[name]:
            self.memory.bank(name).exclude(other)
            self.includes[name].remove(other)

    @rule(name=BANK, text=TEXT, to=BANK, down=st.booleans())
    def move(self, name, text, to, down):
        bank, own = self.memory.bank(name), self.states[name]
        verb = bank.demote if down else bank.promote
        if name == to or own.get(text) not in ("active", "forgotten"):
            return
        if own[text] == "forgotten" or self.states[to].get(text) == "erased":
            with pytest.raises(InputError):
                verb(self.ids[name][text], to=to)
            if own[text] == "active":
                self.copies.add((name, text, to))
            return
        (there,) = verb(self.ids[name][text], to=to)
        assert (to, text, AT) == (there.bank, there.text, there.occurred_at)
        self.ids[to][text], self.states[to][text] = there.id, "active"
        self.copies.add((name, text, to))
        if down:
            self.copies.add((to, text, name))
            own[text] = "forgotten"

    @rule(name=BANK, text=TEXT)
    def hide_or_show(self, name, text):
        state, bank = self.states[name].get(text), self.memory.bank(name)
        if state == "active":
            bank.forget(self.ids[name][text])
            self.states[name][text] = "forgotten"
        elif state == "forgotten":
            bank.restore(self.ids[name][text])
            self.states[name][text] = "active"

    @rule(name=BANK, text=TEXT)
    def erase(self, name, text):
        if self.states[name].get(text) not in (None, "erased"):
            self.memory.bank(name).forget(self.ids[name][text], erase=True)
            self.erased(name, text, set())

    @rule()
    def reopen(self):
        self.memory.close()
        self.memory = Memory(self.path, embedder="none")

    # ------------------------------------------------------------ what must be so

    @invariant()
    def each_bank_shows_what_it_reaches_once_with_all_who_have_it(self):
        for name in BANKS if hasattr(self, "memory") else ():
            reached = self.reach(name)
            found = self.memory.bank(name).recall("the note", 50)
            shown = {hit.text: {hit.bank, *hit.also_in} for hit in found}
            have = {text: {one for one in reached if text in self.active(one)} for text in TEXTS}
            assert {text: banks for text, banks in have.items() if banks} == shown
            assert len(shown) == len(found)
            assert [one.bank for one in self.memory.bank(name).included()] == reached[1:]


TestScopes = ScopesMachine.TestCase
TestScopes.pytestmark = [pytest.mark.slow]
