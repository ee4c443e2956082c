"""
Whatever is acknowledged is as durable as what is written, also where nothing was to be written.

What a verb finds may be another's, which the database has not brought to its standby yet: if its
machine is lost, so is that. A transaction that writes ends when all before it is safe.
"""

from contextlib import contextmanager

import pytest

NOTE = "The ferry leaves at nine."
AT = "2025-03-02"


class Watched:
    """Counts how often a store was written to, or waited for what was written before."""

    def __init__(self, store):
        self.number, self._write, self._wait = 0, store.write, store.wait_until_durable
        store.write, store.wait_until_durable = self.write, self.wait_until_durable

    @contextmanager
    def write(self, bank=None):
        with self._write(bank):
            yield
        self.number += 1

    def wait_until_durable(self, bank):
        self._wait(bank)
        self.number += 1


@pytest.fixture
def watched(memory):
    memory.bank("team").remember("The office opens at ten.")
    return Watched(memory.engine.store)


def note(bank):
    return bank.remember(NOTE, at=AT, source="notes")


def first(bank):
    return bank.episodes()[0].id


def imported(bank, folder):
    (folder / "notes.md").write_text(NOTE)
    return bank.import_(folder / "notes.md")


def taken_in(bank, folder):
    if not (folder / "bank.jsonl").exists():
        bank.export(folder / "bank.jsonl")
    return bank.import_(folder / "bank.jsonl")


def concepts(bank, folder):
    if not (folder / "concepts.json").exists():
        bank.curate(add=["ferry"])
        bank.sleep()
        bank.export_concepts(folder / "concepts.json")
    return bank.import_concepts(folder / "concepts.json")


VERBS = {
    "remember": lambda b, _: note(b),
    "remember_many": lambda b, _: b.remember_many([{"role": "user", "content": NOTE}]),
    "remember, an echo": lambda b, _: b.remember(b.recall("ferry")[0].text),
    "correct": lambda b, _: b.correct(first(b), NOTE),
    "forget": lambda b, _: b.forget(b.find("ferry")[0].id if b.find("ferry") else ()),
    "forget a source": lambda b, _: b.forget(source="notes"),
    "restore": lambda b, _: b.restore(first(b)),
    "withdraw": lambda b, _: b.withdraw("notes"),
    "feedback": lambda b, _: b.feedback(first(b), helpful=True),
    "pin": lambda b, _: b.pin(first(b)),
    "unpin": lambda b, _: b.unpin(first(b)),
    "include": lambda b, _: b.include("team"),
    "hold": lambda b, _: b.hold(first(b), reason="a case"),
    "release": lambda b, _: b.release(first(b)),
    "curate": lambda b, _: b.curate(add=["ferry"]),
    "set_policy": lambda b, _: b.set_policy(b.policy),
    "set_profile": lambda b, _: b.set_profile(persona="A pilot."),
    "promote": lambda b, _: b.promote(first(b), to="team"),
    "import_": imported,
    "import_ an export": taken_in,
    "import_concepts": concepts,
}


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
def test_what_changes_nothing_waits_as_what_changes_something(bank, watched, tmp_path, verb):
    note(bank)
    for again in (False, True):
        before = watched.number
        VERBS[verb](bank, tmp_path)

        assert watched.number > before, f"{verb} is acknowledged at once: {again=}"
