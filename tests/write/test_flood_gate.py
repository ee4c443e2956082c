"""Floods: others bring only so much into a bank within an hour, the conversation what it likes."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from hippocampus import Config, Flood, Ingest, Turn
from hippocampus.errors import FloodRefused, InputError

PAGE = "https://example.com"


def pages(count, *, first=0, words="A page."):
    return [Turn(text=f"{words} {n}", source=f"{PAGE}/{n}") for n in range(first, first + count)]


@pytest.fixture
def bank(open_memory):
    return open_memory(embedder="none", config=Config(flood=Flood(episodes=5))).bank("ada")


def test_more_of_one_origin_within_an_hour_is_refused_whole(bank, clock):
    bank.remember_many(pages(3))
    with pytest.raises(FloodRefused, match=r"6 episodes of origin 'web'.*at most 5"):
        bank.remember_many([*pages(3, first=3), Turn(text="Hello.", role="user")])
    assert len(bank.episodes()) == 3
    bank.remember_many(pages(2, first=3))
    with pytest.raises(FloodRefused):
        bank.remember("One more page.", source=PAGE)

    bank.remember("Another origin.", role="tool")
    bank.remember_many([Turn(text=f"My turn {n}.", role="user") for n in range(20)])
    clock.advance(timedelta(minutes=61))
    assert bank.remember("One more page.", source=PAGE).origin == "web"


def test_those_who_come_at_once_bring_no_more_than_one_after_the_other(open_memory):
    memories = [
        open_memory(embedder="none", config=Config(flood=Flood(episodes=5))) for _ in range(2)
    ]
    start = threading.Barrier(6)

    def bring(number):
        start.wait()
        try:
            memories[number % 2].bank("ada").remember_many(pages(3, first=3 * number))
        except FloodRefused as exc:
            return str(exc)
        return None

    with ThreadPoolExecutor(6) as threads:
        told = list(threads.map(bring, range(6)))
    assert len(memories[0].bank("ada").episodes()) == 3
    assert [why is None for why in told].count(True) == 1
    assert all("nothing of it was stored" in why for why in told if why)


def test_a_flood_between_the_batches_of_a_call_tells_what_was_stored(open_memory):
    config = Config(flood=Flood(episodes=5), ingest=Ingest(batch=2))
    bank, other = (open_memory(embedder="none", config=config).bank("ada") for _ in range(2))

    def interrupt(done, _):
        if done == 2:
            other.remember_many(pages(2, first=10))

    with pytest.raises(FloodRefused, match="the first 2 of its turns were stored"):
        bank.remember_many(pages(4), progress=interrupt)
    assert len(bank.episodes()) == 4


def test_what_is_there_already_is_no_flood(bank):
    some = [Turn(text=f"A page. {n}", source=PAGE, at=f"2024-01-0{n}") for n in range(1, 5)]
    first = bank.remember_many(some)
    assert bank.remember_many(some) == first
    assert bank.remember_many([*some, *pages(1)])[:4] == first
    with pytest.raises(FloodRefused, match="6 episodes"):
        bank.remember_many([*some, *pages(1, first=5)])


def test_what_is_forgotten_still_counts_after_a_restart(open_memory):
    config = Config(flood=Flood(episodes=5))
    with open_memory(embedder="none", config=config) as memory:
        kept = memory.bank("ada").remember_many(pages(5))
        memory.bank("ada").forget([one.id for one in kept])
    with open_memory(embedder="none", config=config) as memory:
        with pytest.raises(FloodRefused):
            memory.bank("ada").remember("One more page.", source=PAGE)
        memory.bank("bob").remember("Another bank.", source=PAGE)


def test_a_flood_may_be_one_of_characters(open_memory):
    bank = open_memory(embedder="none", config=Config(flood=Flood(characters=1000))).bank("ada")
    bank.remember_many(pages(3, words="word " * 60))
    with pytest.raises(FloodRefused, match="characters of origin 'web'"):
        bank.remember_many(pages(1, first=9, words="word " * 60))
    bank.remember_many(pages(5, first=20, words="x"))


@pytest.mark.slow
def test_many_pages_of_rows_are_looked_back_through(open_memory, clock):
    config = Config(flood=Flood(episodes=700))
    bank = open_memory(embedder="none", config=config).bank("ada")
    for start in range(0, 700, 350):
        bank.remember_many(pages(350, first=start))
        clock.advance(timedelta(minutes=20))
    with pytest.raises(FloodRefused, match="701 episodes"):
        bank.remember("One more page.", source=PAGE)
    clock.advance(timedelta(minutes=30))
    bank.remember_many(pages(350, first=800))
    with pytest.raises(FloodRefused, match="701 episodes"):
        bank.remember("One more page.", source=PAGE)


def test_a_folder_that_is_too_much_changes_nothing(bank, tmp_path):
    for n in range(3):
        (tmp_path / f"{n}.md").write_text("A note.\n", "utf-8")
    assert bank.import_(tmp_path).added == 3
    assert bank.import_(tmp_path).unchanged == 3
    whole = "\n\n".join(f"Line {n} " + "of a long text " * 150 for n in range(4))
    (tmp_path / "0.md").write_text(whole, "utf-8")
    with pytest.raises(FloodRefused, match="origin 'document'"):
        bank.import_(tmp_path)
    assert 3 == len(bank.episodes(source=["0.md", "1.md", "2.md"])) == len(bank.episodes())


@pytest.fixture
def export(open_memory, tmp_path, clock):
    """An export of 50 pages, from long ago."""
    clock.advance(timedelta(days=-3))
    with open_memory("other.db", embedder="none") as memory:
        memory.bank("ada").remember_many(pages(50))
        memory.bank("ada").export(tmp_path / "ada.jsonl")
    clock.advance(timedelta(days=3))
    return tmp_path / "ada.jsonl"


@pytest.mark.parametrize("before", [0, 1], ids=["empty", "begun"])
def test_an_export_is_not_let_past_the_gate(open_memory, export, before):
    with open_memory(embedder="none", config=Config(flood=Flood(episodes=5))) as memory:
        bank = memory.bank("ada")
        bank.remember_many([Turn(text="Hello.", role="user")] * before)
        with pytest.raises(FloodRefused, match=r"50 episodes of origin 'web'.*without Config"):
            bank.import_(export)
        assert before == len(memory.banks())
        assert before == (len(bank.episodes()) if before else 0)
    with open_memory(embedder="none") as memory:
        assert memory.bank("ada").import_(export).added == 50


def test_an_export_may_be_imported_again_under_the_gate(open_memory, export):
    with open_memory(embedder="none") as memory:
        memory.bank("ada").import_(export)
    with open_memory(embedder="none", config=Config(flood=Flood(episodes=5))) as memory:
        assert memory.bank("ada").import_(export).unchanged == 50


@pytest.mark.parametrize("most", [Flood(characters=100), Flood(episodes=2)])
def test_a_correction_counts_as_what_it_brings(open_memory, clock, most):
    bank = open_memory(embedder="none", config=Config(flood=most)).bank("ada")
    page = bank.remember("A page.", source=PAGE)
    mine = bank.remember("My words.", role="user")
    bank.correct(mine.id, "word " * 60)
    newer = bank.correct(page.id, "A page.", metadata={"seen": True})
    with pytest.raises(FloodRefused, match="origin 'web'"):
        bank.correct(newer.id, "word " * 60)
    assert newer == bank.get(newer.id)
    clock.advance(timedelta(minutes=61))
    assert bank.correct(newer.id, "A page that is newer.").origin == "web"


@pytest.mark.parametrize("wrong", [0, -1, 2.5, "many", True])
def test_a_bound_is_a_whole_number(wrong):
    with pytest.raises(InputError, match=r"Flood\.episodes"):
        Flood(episodes=wrong)
