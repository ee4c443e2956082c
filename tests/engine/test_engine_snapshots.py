"""A bank's snapshot never changes: who holds one has the same answers whatever happens."""

import random
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import FrozenInstanceError, fields

import pytest
from rpds import HashTrieMap

from hippocampus import Config, Ingest, Turn
from hippocampus.core.lazy_dataclass import _Immutable
from hippocampus.engine.bank_state import state_of
from hippocampus.engine.snapshot import SleepProblems

NAMES = ("Ada", "Tom", "Lena", "Oskar")
THINGS = ("garden plan", "boat repair", "piano lesson", "train ticket", "budget letter", "red kite")
DEEDS = ("spoke of", "lost", "found", "sold", "wrote about", "does not like")
QUESTIONS = (
    ("What did Ada say of the garden plan?", {}),
    ("Who lost the red kite?", {"speaker": "Tom"}),
    ("the latest piano lesson", {"where": {"n": {"$in": [0, 2]}}}),
    ("What happened in March 2025?", {"since": "2025-03-05"}),
    ("Does she like it?", {"session": "s1"}),
)


def turn(rng, n):
    """Return a turn: now and then of a new session, late, of nobody known, or a very long one."""
    words = [f"{rng.choice(NAMES)} {rng.choice(DEEDS)} the {rng.choice(THINGS)}." for _ in "abc"]
    return Turn(
        text=f"{' '.join(words * rng.choice((1, 1, 9)))} Number {n}.",
        speaker=rng.choice((*NAMES, None, f"Guest {n}")), session=f"s{rng.randrange(1 + n // 6)}",
        at=f"2025-03-{rng.randint(1, 28):02d}", metadata={"n": n % 3, f"key{n % 5}": "x"},
    )  # fmt: skip


def write(bank, rng, n):
    """Do something that changes the bank, but erases nothing."""
    ids = [episode.id for episode in bank.episodes()]
    match rng.randrange(9):
        case 0 if ids:
            bank.forget(rng.choice(ids))
        case 1 if ids:
            bank.feedback(rng.choice(ids), helpful=rng.random() < 0.5)
        case 2 if ids:
            bank.correct(rng.choice(ids), f"Number {n}: Tom sold the red kite.")
        case 3:
            bank.sleep()
        case _:
            bank.remember_many([turn(rng, n) for _ in range(rng.choice((1, 1, 3)))])


def contents(bank, here, monkeypatch):
    """Return what a snapshot answers."""
    with monkeypatch.context() as pinned:
        pinned.setattr(bank.state, "take", lambda: here)
        found = [bank.recall(question, **filters) for question, filters in QUESTIONS]
        listed = [episode.id for episode in bank.episodes(limit=5, newest=True)]
    said = [
        ([(hit.episode.id, hit.score, hit.corrected_by) for hit in one.hits], one.confidence,
         one.sessions, one.cost.allowed, one.cost.candidates)
        for one in found
    ]  # fmt: skip
    columns, cues = here.index.columns, here.index.cues
    beside = [cues.concept.beside(row) for row in range(len(here.index))] if cues.concept else []
    neighbours = [side.tolist() for side in columns.neighbours()]
    shown = columns.visible().tolist()
    return said, listed, neighbours, beside, columns.speakers(), shown, [len(cue) for cue in cues]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))])
def test_a_snapshot_answers_the_same_whatever_is_written_after_it(open_memory, monkeypatch, seed):
    rng = random.Random(seed)  # noqa: S311 - no secrets
    memory = open_memory(config=Config(ingest=Ingest(seal_rows=8)))
    bank, held = memory.bank("ada"), []
    bank.remember("Tom sold the red kite.")
    for n in range(30):
        write(bank, rng, n)
        here = bank.state.take()
        held.append((here, contents(bank, here, monkeypatch)))

    assert len({id(here) for here, _ in held}) > 20
    for here, answered in held:
        assert answered == contents(bank, here, monkeypatch)
    bank.state.let_go()
    assert held[-1][1] == contents(bank, bank.state.take(), monkeypatch)


@pytest.mark.parametrize("embedder", ["hash", "none"])
@pytest.mark.parametrize("seed", [3, *(pytest.param(n, marks=pytest.mark.slow) for n in (4, 5))])
def test_a_snapshot_after_erasures_answers_as_one_made_anew(
    open_memory, monkeypatch, seed, embedder
):
    rng = random.Random(seed)  # noqa: S311 - no secrets
    memory = open_memory(config=Config(ingest=Ingest(seal_rows=8)), embedder=embedder)
    bank = memory.bank("ada")
    bank.remember_many([turn(rng, n) for n in range(12)])
    for n in range(8):
        write(bank, rng, n)
        ids = [episode.id for episode in bank.episodes()]
        bank.forget(rng.sample(ids, rng.choice((1, 1, 3))), erase=True)
    here = bank.state.take()
    *carried, names, shown, lengths = contents(bank, here, monkeypatch)
    bank.state.let_go()
    *anew, names_anew, shown_anew, lengths_anew = contents(bank, bank.state.take(), monkeypatch)

    assert bank.state.take() is not here
    assert carried == anew
    assert sorted(names) == sorted(names_anew)
    assert (shown, lengths) == (shown_anew, lengths_anew)


def test_readers_wait_for_no_writer(open_memory):
    bank = open_memory().bank("ada")
    bank.remember("Tom sold the red kite.")
    with ThreadPoolExecutor(1) as pool, bank.state.following:
        found = pool.submit(bank.recall, "Who sold the kite?").result(timeout=30)
        listed = pool.submit(bank.episodes).result(timeout=30)

    assert [found.hits[0].episode] == listed


@pytest.mark.slow
def test_what_is_acknowledged_is_in_every_answer_asked_for_later(open_memory):
    bank, told, stop = open_memory().bank("ada"), [0], threading.Event()
    rng = random.Random(1)  # noqa: S311 - no secrets

    def read():
        while not stop.is_set():
            least = told[0]
            found = bank.recall("What of the garden plan?", 3)
            assert found.cost.allowed >= least
            assert len(bank.episodes()) >= least

    with ThreadPoolExecutor(3) as pool:
        readers = [pool.submit(read) for _ in range(3)]
        try:
            for n in range(25):
                bank.remember(turn(rng, n).text, session="s")
                told[0] = n + 1
                if n == 12:
                    bank.sleep()
        finally:
            stop.set()
        for reader in readers:
            reader.result(timeout=60)


def test_what_an_old_reader_read_leaves_memory_with_what_is_erased(open_memory):
    memory = open_memory(config=Config(ingest=Ingest(seal_rows=2)))
    bank = memory.bank("ada")
    plans = bank.remember_many([Turn(text=f"Plan {n}, rosebud.") for n in range(4)])
    with bank.state.asking() as here:
        bank.forget([plans[0].id], erase=True)
        here.ledger.reader.texts([2, 3])
        assert memory.engine.segments.nbytes(here.ledger.bank)

    assert 0 == memory.engine.segments.nbytes(here.ledger.bank)


def test_writes_of_other_banks_have_no_bank_made_anew(open_memory):
    memory = open_memory()
    ada, tom = memory.bank("ada"), memory.bank("tom")
    rng = random.Random(3)  # noqa: S311 - a turn like any
    ada.remember_many([turn(rng, n) for n in range(20)])
    with state_of(memory.engine, "ada").asking() as before:
        pass
    tom.remember("A violin is in Lisbon.")
    with state_of(memory.engine, "ada").asking() as after:
        assert after is before
    ada.remember("A violin is in Lisbon.")
    with state_of(memory.engine, "ada").asking() as later:
        assert len(later.index) == len(before.index) + 1


# ---------------------------------------------------------------- what readers have is frozen

NOTES = {"summaries", "problems"}
"""What readers may leave in a snapshot, as ADR 39 lists it."""


@pytest.fixture
def published(bank):
    bank.remember_many([turn(random.Random(n), n) for n in range(12)])  # noqa: S311 - no secrets
    bank.sleep()
    bank.remember("Tom sold the red kite.")  # so that it is a fork of the one after the sleep
    return bank.state.take()


def parts(here):
    return (here, here.slept, here.index, here.index.cues)


def test_nothing_of_a_published_snapshot_can_be_replaced(published):
    for part in parts(published):
        names = vars(part) if hasattr(part, "__dict__") else [one.name for one in fields(part)]
        for name in (*names, "something_new"):
            with pytest.raises((FrozenInstanceError, TypeError)):
                setattr(part, name, None)


def test_only_notes_of_a_snapshot_and_the_versioned_parts_can_be_changed_within(published):
    immutable = (tuple, frozenset, str, bytes, int, float, type(None), HashTrieMap)
    changing = {
        one.name
        for part in (published, published.slept)
        for one in fields(part)
        if not isinstance(value := getattr(part, one.name), immutable)
        if getattr(type(value), "__setattr__", None) is not _Immutable.__setattr__
    }
    shared = {"ledger", "index", "embedder", "rotation", "facts", "gazetteer"}
    """Of the engine, or in versions of their own."""

    assert NOTES <= changing
    assert set() == changing - NOTES - shared


def test_only_the_fork_of_a_published_index_takes_anything_in(published):
    version = published.index.fork()

    with pytest.raises(FrozenInstanceError, match="fork it"):
        published.index.catch_up()
    version.catch_up()
    version.seq += 1
    assert (True, False) == (published.index.is_published, version.is_published)
    assert published.index.seq + 1 == version.seq


def test_a_problem_that_readers_find_again_is_noted_once():
    problems = SleepProblems()
    assert [] == list(problems)
    for reason in ("a text is damaged", "a text is damaged", "another is"):
        problems.note(reason)

    told = [("sleep", "a text is damaged"), ("sleep", "another is")]
    assert told == [(one.part, one.reason) for one in problems]


def test_a_file_that_is_restored_in_place_is_read_anew(open_memory, path):
    bank = open_memory().bank("ada")
    bank.remember_many([Turn(text="An apple is kept."), Turn(text="A pear is kept.")])
    with closing(sqlite3.connect(path)) as now, closing(sqlite3.connect(":memory:")) as before:
        now.backup(before)
        bank.remember("A zebra is lost.", session="lost")
        assert bank.recall("zebra").hits
        before.backup(now)
    other = open_memory().bank("ada")
    other.remember("A walrus is new.", session="new")

    for question in ("walrus", "zebra"):
        assert bank.recall(question).hits == other.recall(question).hits
    assert bank.forget(session="lost", erase=True) == 0
    assert 3 == len(other.episodes())
