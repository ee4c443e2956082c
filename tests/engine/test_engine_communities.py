"""What a bank is about as a whole: communities of its topics, in every read that asks for them."""

from datetime import UTC, datetime, timedelta

import pytest

from hippocampus import Memory, Turn
from hippocampus.core.clock import ManualClock

NOW = datetime(2024, 9, 1, 12, tzinfo=UTC)
THEMES = {
    "boat": [
        "the boat",
        "the mast of the boat",
        "a new sail for the boat",
        "the boat and its keel",
    ],
    "garden": ["the garden", "beans in the garden", "the garden fence", "compost for the garden"],
    "cello": ["the cello", "my cello lesson", "a cello sonata", "strings for the cello"],
}


def talk():
    for day in range(36):
        theme = list(THEMES)[day % 3]
        for n, what in enumerate(THEMES[theme]):
            at = NOW - timedelta(days=100 - day, minutes=-n)
            who = ("Ana", "Tom")[n % 2]
            yield Turn(
                text=f"I worked on {what} today, for the {day}th time.", speaker=who, at=at,
                session=f"day {day}",
            )  # fmt: skip


@pytest.fixture(scope="module")
def bank():
    memory = Memory(":memory:", embedder="hash", clock=ManualClock(NOW))
    bank = memory.bank("home")
    bank.remember_many(talk())
    bank.sleep()
    yield bank
    memory.close()


@pytest.mark.slow
def test_each_community_that_sleep_finds_has_a_summary_that_quotes(bank):
    found = bank.communities()

    assert {"boat", "garden", "cello"} == {one.topics[0] for one in found}
    for one in found:
        assert one.name.startswith(one.topics[0])
        assert one.topics[0] in one.summary
        assert one.sources
        assert all(one.topics[0] in bank.get(source).text for source in one.sources)
    assert [one.episodes for one in found] == sorted((one.episodes for one in found), reverse=True)
    assert sum(one.share for one in found) <= 1


@pytest.mark.slow
def test_a_community_is_trusted_as_little_as_the_least_trusted_of_its_memories(open_memory):
    bank = open_memory(clock=ManualClock(NOW)).bank("home")
    bank.remember_many(talk())
    bank.remember_many(
        Turn(text=f"The cello, page {n}: strings for the cello.", source=f"https://example.com/{n}",
             session=f"page {n}")
        for n in range(4)
    )  # fmt: skip
    bank.sleep()
    found = {one.topics[0]: one.origin for one in bank.communities()}

    assert {"cello": "web", "boat": "user", "garden": "user"} == found


@pytest.mark.slow
@pytest.mark.parametrize(
    "question",
    [
        "What are the main themes of all this?",
        "Which topics come up most often?",
        "What are these conversations mostly about?",
    ],
)
def test_a_question_for_themes_is_answered_by_one_memory_of_each_first(bank, question):
    found = bank.recall(question, 3)

    assert found
    assert {"boat", "garden", "cello"} == {
        theme for hit in found for theme in THEMES if theme in hit.text
    }


@pytest.mark.slow
def test_a_question_for_themes_keeps_to_what_filters_let_it_see(bank):
    found = bank.recall("What are the main themes of all this?", 9, session=["day 0", "day 1"])

    assert {"day 0", "day 1"} == {hit.episode.session for hit in found}


def test_a_question_that_names_a_matter_is_not_one_for_themes(bank):
    made = bank.explain("What are the main topics of the cello lesson?", 3)

    assert "what all of it is about" not in made.question.asks_for
    assert all("cello" in hit.text for hit in made.recall)


@pytest.mark.slow
def test_communities_made_by_sleep_are_without_forgotten_memories():
    with Memory(":memory:", embedder="hash", clock=ManualClock(NOW)) as memory:
        bank = memory.bank("home")
        bank.remember_many(talk())
        assert [] == bank.communities()
        assert bank.recall("What are the main themes of all this?", 3).hits
        bank.sleep()
        for one in bank.episodes():
            if "cello" in one.text:
                bank.forget(one.id)
        found = bank.communities()
        assert {"boat", "garden"} == {one.topics[0] for one in found}
        assert not any("cello" in one.summary for one in found)

        bank.forget(bank.episodes(limit=1)[0].id, erase=True)
        assert [] == bank.communities()  # as all that sleep made of what was erased, until the next


@pytest.mark.slow
def test_the_same_bank_has_the_same_communities():
    def made():
        with Memory(":memory:", embedder="hash", clock=ManualClock(NOW)) as memory:
            bank = memory.bank("home")
            bank.remember_many(talk())
            bank.sleep()
            return bank.communities()

    assert made() == made()
