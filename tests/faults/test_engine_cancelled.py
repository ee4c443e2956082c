"""Any verb, called off at any of its steps: the bank is as before or as after, and goes on."""

import asyncio
import threading
import time
from contextlib import suppress

import pytest
from campaign import LATER, TWICE, VERBS, Case, make, state_of

from hippocampus import AsyncMemory, Budget, Config, Ingest, Memory, Turn
from hippocampus.errors import Cancelled, OverBudget
from hippocampus.testing import ScriptedEmbedder
from hippocampus.upkeep import verify


class CancelledAt(Budget):
    """A budget that is called off at its n-th step."""

    def __init__(self, nth):
        super().__init__()
        self.left = nth

    def check(self):
        self.left -= 1
        if self.left == 0:
            self.cancel()
        super().check()


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    path = tmp_path_factory.mktemp("template") / "template.db"
    make(path)
    return path


CALLED = [verb for verb in VERBS if verb != "open"]
IN_ONE_STEP = {
    "anchors", "banks", "journal", "plot_topics", "policy", "position", "redate", "sessions",
    "shrink", "sleeps", "topic_outline", "topics",
}  # fmt: skip
"""Verbs without a step at which they could end: they read once and answer, or, as ``shrink``, have
SQLite do all of it in one statement."""


def call_off(case, *, step=1):
    """Call a verb off at its n-th step, for every ``step``-th n; return how often it was."""
    nth, cut = 1, 0
    while True:
        case.fresh()
        budget = CancelledAt(nth)
        with case.open() as memory:
            try:
                with budget:
                    case.run(memory)
                assert state_of(memory) == case.after or case.verb in TWICE
            except Cancelled:
                cut += 1
                found = state_of(memory)
                for key in found.keys() | case.before.keys() | case.after.keys():
                    either = (case.before.get(key), case.after.get(key))
                    assert found.get(key) in either, (nth, key)
                case.run(memory)
                assert case.verb in TWICE or state_of(memory) == case.after
            assert () == verify(memory).problems
        if budget.left > 0:
            return cut
        nth += step


@pytest.mark.slow
@pytest.mark.parametrize("verb", CALLED)
def test_a_verb_that_is_called_off_at_any_step_leaves_a_sound_bank(verb, template, tmp_path):
    case = Case(tmp_path, template, verb)
    assert call_off(case, step=2 if verb in LATER else 1) > 0 or verb in IN_ONE_STEP


@pytest.mark.slow
def test_an_erasure_that_has_begun_to_clean_up_goes_on_to_its_end(template, tmp_path):
    case, nth = Case(tmp_path, template, "forget, erasing"), 1
    while True:
        case.fresh()
        budget = CancelledAt(nth)
        with case.open() as memory:
            with suppress(Cancelled), budget:
                case.run(memory)
            assert not memory.engine.store.upkeep.owes_scrub(), nth
        if budget.left > 0:
            break
        nth += 1


def test_what_was_acknowledged_before_stays(open_memory):
    bank = open_memory(config=Config(ingest=Ingest(batch=32))).bank("ada")
    turns = [Turn(text=f"Number {n}.", at="2025-03-02") for n in range(200)]

    with pytest.raises(Cancelled), Budget() as budget:
        bank.remember_many(turns, progress=lambda done, _: done >= 64 and budget.cancel())

    kept = len(bank.episodes())
    assert 64 <= kept < 200
    bank.remember_many(turns)
    assert len(bank.episodes()) == 200


def test_what_is_called_off_while_it_is_embedded_leaves_no_bank(open_memory):
    budget = Budget()
    memory = open_memory(
        embedder=ScriptedEmbedder(on_passages=lambda _: budget.cancel()),
        config=Config(ingest=Ingest(batch=1, chunk_tokens=16)),
    )
    with pytest.raises(Cancelled), budget:
        memory.bank("ada").remember("A long story about the harbour. " * 20)

    assert memory.banks() == []
    memory.bank("ada").remember("A short one.")
    assert memory.banks() == ["ada"]


def test_more_than_may_be_written_is_not(open_memory):
    memory = open_memory()
    bank = memory.bank("ada")
    bank.remember("It is Tuesday.")
    with pytest.raises(OverBudget, match="10,000 bytes"), Budget(written_bytes=10_000):
        bank.remember("A long story about the harbour. " * 2000)

    assert ["It is Tuesday."] == [episode.text for episode in bank.episodes()]
    assert () == verify(memory).problems
    with Budget(written_bytes=10_000) as budget:
        bank.remember("A short one.")
    assert 10 < budget.written < 10_000


def test_an_import_of_more_than_may_be_written_begins_no_bank(open_memory, tmp_path):
    memory = open_memory()
    notes = tmp_path / "notes.md"
    notes.write_text("\n\n".join(f"Ferry {n} to the island leaves at noon." for n in range(2000)))
    with pytest.raises(OverBudget), Budget(written_bytes=10_000):
        memory.bank("fresh").import_(notes)
    assert [] == memory.banks()

    memory.bank("fresh").remember("The ferry is late.")
    with pytest.raises(OverBudget), Budget(written_bytes=10_000):
        memory.bank("fresh").import_(notes)
    assert ["The ferry is late."] == [one.text for one in memory.bank("fresh").episodes()]


def test_more_than_may_be_written_begins_no_bank(open_memory):
    memory = open_memory()
    with pytest.raises(OverBudget, match="50 bytes"), Budget(written_bytes=50):
        memory.bank("fresh").remember("The ferry to the island leaves at noon.")
    assert [] == memory.banks()

    memory.bank("fresh").remember("The ferry is late.")
    assert ["The ferry is late."] == [one.text for one in memory.bank("fresh").episodes()]
    assert () == verify(memory).problems


def test_time_that_is_up_ends_a_question_without_harm_to_the_next(open_memory):
    bank = open_memory().bank("ada")
    bank.remember("The key is under the pot.")
    for ask in (lambda: bank.recall("key"), lambda: bank.context("key"), lambda: bank.find("key"),
                bank.episodes, lambda: bank.count("key"), bank.sleep):  # fmt: skip
        with pytest.raises(OverBudget, match="allow more"), Budget(seconds=1e-9):
            ask()
    assert bank.recall("key").found


@pytest.mark.parametrize("late", [False, True])
def test_a_memory_whose_opening_is_cancelled_is_closed(path, monkeypatch, late):
    going, goes_on, opened, closed = (threading.Event() for _ in range(4))
    begin, end = Memory.__init__, Memory.close

    def open_slowly(self, *args, **options):
        going.set()
        assert goes_on.wait(30)
        begin(self, *args, **options)
        opened.set()

    def close(self):
        end(self)
        closed.set()

    monkeypatch.setattr(Memory, "__init__", open_slowly)
    monkeypatch.setattr(Memory, "close", close)

    def let_it_be_opened():
        """Wait until the thread is done; as the event loop waits, the task hears nothing of it."""
        goes_on.set()
        assert opened.wait(30)
        time.sleep(0.1)

    async def use():
        async with AsyncMemory(path, embedder="none"):
            pytest.fail("it was cancelled before")

    async def run():
        task = asyncio.create_task(use())
        await asyncio.to_thread(going.wait, 30)
        if late:
            let_it_be_opened()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        goes_on.set()
        assert await asyncio.to_thread(closed.wait, 5)

    asyncio.run(run())


def test_who_needs_a_memory_first_opens_it_for_all(path, monkeypatch):
    begin, made = Memory.__init__, []

    def open_slowly(self, *args, **options):
        made.append(self)
        time.sleep(0.1)
        begin(self, *args, **options)

    monkeypatch.setattr(Memory, "__init__", open_slowly)

    async def run():
        memory = AsyncMemory(path, embedder="none")
        await asyncio.gather(*(asyncio.to_thread(lambda: memory.sync) for _ in range(4)))
        await memory.close()

    asyncio.run(run())
    assert len(made) == 1


def test_an_awaited_verb_that_is_cancelled_ends(path):
    begun, ended = threading.Event(), threading.Event()

    async def run():
        async with AsyncMemory(path, embedder="none") as memory:
            bank = memory.bank("ada")
            turns = [Turn(text=f"Number {n}.", at="2025-03-02") for n in range(5000)]

            def keep():
                try:
                    bank.sync.remember_many(turns, progress=lambda *_: begun.set())
                finally:
                    ended.set()

            task = asyncio.create_task(bank._run(keep))
            await asyncio.to_thread(begun.wait, 30)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await asyncio.to_thread(ended.wait, 5)

    asyncio.run(run())
    with Memory(path, embedder="none") as memory:
        assert len(memory.bank("ada").episodes()) < 5000
        assert () == verify(memory).problems
