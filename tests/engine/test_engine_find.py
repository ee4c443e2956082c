"""Exact search: the episodes that hold a term, as reading every text would find them."""

import asyncio
import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippocampus import AsyncMemory, Config, Ingest, Memory, Turn
from hippocampus.errors import InputError, InvalidFilter, InvalidText

SMALL = Config(ingest=Ingest(seal_rows=4, batch=3))
SAID = [
    ("I moved to Lisbon in March.", "Ada", "2025-03-30"),
    ("LISBON! lisbon, Lisbon's trams. Lisbonne no.", "Tom", "2025-04-02"),
    ("Porto is not far from Lisbon.", "Ada", "2025-04-01"),
    ("The trams of Porto", "Ada", "2025-04-03"),
    ("Lisbonne? (Porto.)", "Tom", "2025-04-14"),
    ("trams,\nTRAMS and Porto's Lisbon Street", "Tom", "2025-05-02"),
]
START = datetime(2025, 1, 1, tzinfo=UTC)


@pytest.fixture
def told(open_memory):
    bank = open_memory(config=SMALL).bank("ada")
    bank.remember_many([Turn(text=t, speaker=who, at=at) for t, who, at in SAID])
    return bank


def places(found):
    """Return which of SAID were found, in the order found."""
    said = [text for text, _, _ in SAID]
    return [said.index(episode.text) for episode in found]


def holds(text, term):
    """Say whether reading the text finds the term: a plain search, character by character."""
    text, term = text.casefold(), term.strip().casefold()
    word = re.compile(r"\w")
    for at in range(len(text) - len(term) + 1):
        before, after = text[at - 1 : at] if at else "", text[at + len(term) :][:1]
        if (
            text.startswith(term, at)
            and not (word.match(term[0]) and word.match(before))
            and not (word.match(term[-1]) and word.match(after))
        ):
            return True
    return False


def test_episodes_that_hold_a_term_come_in_order_of_time(told):
    assert [0, 2, 1, 5] == places(told.find("lisbon")) == places(told.find(" LISBON "))
    assert [5, 1, 2, 0] == places(told.find("lisbon", newest=True))
    assert [4] == places(told.find("(porto.)"))
    assert [] == told.find("lisb") == told.find("faro") == told.find("💥")


def test_a_page_is_cut_from_what_was_found(told):
    assert [2, 1] == places(told.find("lisbon", limit=2, offset=1))
    assert [5] == places(told.find("lisbon", limit=1, newest=True))
    assert [] == told.find("lisbon", limit=0) == told.find("lisbon", offset=9)


def test_of_several_terms_an_episode_holds_all_in_any_order(told):
    assert [2, 5] == places(told.find("lisbon", "porto")) == places(told.find("porto", "lisbon"))
    assert [5] == places(told.find("lisbon", "porto", "trams", "lisbon"))
    assert [] == told.find("lisbon", "faro")


def test_only_what_a_read_may_see_is_found(told, clock):
    assert [1, 5] == places(told.find("lisbon", speaker="tom"))
    assert [2, 1] == places(told.find("lisbon", since="2025-04-01", until="2025-04-30"))
    assert [] == told.find("lisbon", session="none")
    kept = told.find("lisbon")
    clock.advance(timedelta(hours=1))
    told.forget(kept[0].id)
    new = told.correct(kept[1].id, "Porto is not far.")
    assert [1, 5] == places(told.find("lisbon"))
    assert new.id in {episode.id for episode in told.find("porto")}
    assert [0, 2, 1, 5] == places(told.find("lisbon", as_of=kept[0].recorded_at))
    told.forget(kept[2].id, erase=True)
    assert [5] == places(told.find("lisbon"))
    assert [0, 2, 5] == places(told.find("lisbon", as_of=kept[0].recorded_at))
    told.restore(kept[0].id)
    assert [0, 5] == places(told.find("lisbon"))


def test_finding_follows_other_processes_without_needing_a_bank(told, open_memory):
    there = open_memory(config=SMALL)
    assert [] == there.bank("nobody").find("lisbon")
    assert 4 == len(there.bank("ada").find("lisbon"))
    told.remember("Lisbon again.")
    assert 5 == len(there.bank("ada").find("lisbon"))
    told.forget([e.id for e in told.episodes(speaker="tom")], erase=True)
    assert 3 == len(there.bank("ada").find("lisbon"))


WORD = st.sampled_from(
    "Lisbon LISBON Porto new York NEW yorker is . - 's \n 💥 ß Straße".split(" ")
)
TEXT = st.lists(WORD, min_size=1, max_size=7).map(" ".join)
TERM = st.sampled_from(
    ["lisbon", "New York", "new york is", "porto", ".", "💥", "york", "STRASSE", "ss", "is ."]
)


@pytest.mark.slow
@settings(max_examples=30)
@given(
    said=st.lists(st.tuples(TEXT, st.integers(0, 500), st.booleans()), max_size=14),
    terms=st.lists(TERM, min_size=1, max_size=3),
    since=st.none() | st.integers(0, 500),
    newest=st.booleans(),
    offset=st.integers(0, 3),
    limit=st.none() | st.integers(0, 5),
    seal_rows=st.sampled_from([3, 100]),
)
def test_what_is_found_is_what_reading_every_text_finds(
    said, terms, since, newest, offset, limit, seal_rows
):
    config = Config(ingest=Ingest(seal_rows=seal_rows, batch=5))
    after = None if since is None else START + timedelta(hours=since)
    with Memory(":memory:", embedder="none", config=config) as memory:
        bank = memory.bank("ada")
        kept = bank.remember_many(
            Turn(text=f"{text} #{n}", at=START + timedelta(hours=hours), metadata={"n": n})
            for n, (text, hours, _) in enumerate(said)
        )
        bank.forget([e.id for e, (_, _, gone) in zip(kept, said, strict=True) if gone])
        read = [
            e
            for e in bank.episodes(since=after, newest=newest)
            if all(holds(e.text, term) for term in terms)
        ]
        stop = None if limit is None else offset + limit

        assert read[offset:stop] == bank.find(
            *terms, since=after, newest=newest, offset=offset, limit=limit
        )
        assert {e.id for e in bank.find(terms[0])} == {
            e.id for e in bank.episodes() if bank.count(terms[0], where={"n": int(e.metadata["n"])})
        }


def test_what_makes_no_sense_is_refused(told):
    with pytest.raises(InputError, match="at least one word"):
        told.find()
    for term in ("", " \n", None, ["lisbon"], "x" * 201, "\ud800"):
        with pytest.raises(InvalidText, match=r"term=|surrogate"):
            told.find("lisbon", term)
    for page in ({"limit": -1}, {"limit": True}, {"offset": 1.5}):
        with pytest.raises(InputError, match="whole number"):
            told.find("lisbon", **page)
    with pytest.raises(InvalidFilter, match="person"):
        told.find("lisbon", person="Ada")


def test_async_callers_find_too(path):
    async def run():
        async with AsyncMemory(path, embedder="none") as memory:
            bank = memory.bank("ada")
            await bank.remember("Lisbon, lisbon.", at="2025-03-02")
            return await bank.find("lisbon", limit=3)

    assert ["Lisbon, lisbon."] == [episode.text for episode in asyncio.run(run())]


def test_changes_by_others_while_a_term_is_looked_for_do_no_harm(open_memory, monkeypatch):
    config = Config(ingest=Ingest(seal_rows=4))
    memory = open_memory(config=config)
    bank, other = memory.bank("ada"), open_memory(config=config).bank("ada")
    kept = bank.remember_many([Turn(text=f"Lisbon, {n}.", at="2025-01-01") for n in range(3)])
    read, late = memory.engine.store.read, [True]

    def reading():
        """Let others come between the index, which is of one moment, and the texts."""
        if late and not bank.state.following._is_owned():
            late.clear()
            other.forget(kept[0].id)
            other.remember("Lisbon, later.", at="2025-01-02")  # which seals a segment
        return read()

    monkeypatch.setattr(memory.engine.store, "read", reading)
    found = [episode.id for episode in bank.find("lisbon")]
    assert not late
    assert found == [episode.id for episode in kept], "all is of one moment"
    assert bank.count("lisbon") == 3
