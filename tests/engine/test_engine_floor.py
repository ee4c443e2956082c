"""What is not worth its tokens: scores below a floor, and messages that ask for nothing."""

import pytest

from hippocampus import Memory
from hippocampus.errors import InputError

TEXTS = [
    "The spare key is under the blue pot.",
    "Tom repaired the gutter on the north side.",
    "We saw two herons by the weir.",
    "The violin needs a new bridge.",
    "Good morning! The kettle is broken.",
    "Ada moved to Ghent in spring.",
]


@pytest.fixture
def told():
    bank = Memory(":memory:", embedder="none").bank("ada")
    for day, text in enumerate(TEXTS, 1):
        bank.remember(text, speaker="Ada", at=f"2024-03-{day:02}")
    bank.sleep()
    return bank


@pytest.mark.parametrize("floor", [0.01, 0.05, 0.3, 0.6, 1.0])
def test_no_hit_and_no_memory_of_a_context_scores_below_the_floor(told, floor):
    question = "Where is the spare key?"
    everything = told.recall(question, 10)

    found = told.recall(question, 10, min_score=floor)
    made = told.context(question, min_score=floor)

    wanted = [hit.id for hit in everything if hit.score >= floor]
    assert wanted == [hit.id for hit in found] == [hit.id for hit in made.items]
    assert (everything.found, everything.confidence) == (found.found, found.confidence)
    assert () == made.left_out


def test_a_context_leaves_out_what_hardly_has_to_do_with_the_question_by_itself(told):
    for day in range(1, 31):
        told.remember(f"Breakfast number {day} was porridge.", at=f"2024-04-{day:02}")
    kept = told.context("Where is the spare key?").items

    assert [TEXTS[0]] == [hit.text for hit in kept]
    assert 36 == len(told.context("Where is the spare key?", min_score=0).items)


@pytest.mark.parametrize(
    "said",
    [
        "hello",
        "Good morning!",
        "thanks a lot",
        "ok cool",
        "How are you today?",
        "hi you ok",
        "did you sleep well?",
    ],
)
def test_a_greeting_finds_nothing_to_put_into_its_context(told, said):
    found, made = told.recall(said), told.context(said)

    assert not found.found
    assert 0.0 == found.confidence
    assert ("", 0, ()) == (made.text, made.tokens, made.items)
    assert "Be kind." in told.context(said, system="Be kind.").text


@pytest.mark.parametrize(
    "asked", ["Who am I?", "good herons", "up at the weir", "the morning kettle", "sleep", "going"]
)
def test_a_question_is_no_greeting_though_it_shares_its_words(told, asked):
    told.remember("Tom is going to sleep at nine.", at="2024-03-08")

    assert told.recall(asked).confidence > 0
    assert told.context(asked, summary="", min_score=0).items


@pytest.mark.parametrize("slept", [True, False])
@pytest.mark.parametrize(
    "asked",
    [
        "Which planet has the most moons?",
        "sum up the plot of Hamlet",
        "write a limerick about llamas",
        "convert 12 miles to kilometres",
    ],
)
def test_without_a_model_what_shares_nothing_with_a_question_is_in_no_context(asked, slept):
    with Memory(":memory:", embedder="none") as memory:
        bank = memory.bank("ada")
        for text in TEXTS:
            bank.remember(text, speaker="Ada")
        if slept:
            bank.sleep()
        made = bank.context(asked)

        assert not bank.recall(asked).found
        assert ("", 0) == (made.text, made.tokens)


@pytest.mark.parametrize(
    ("asked", "needed"),
    [
        ("What could I bake for Tom?", "Tom eats no eggs, he is allergic to them."),
        ("Recommend a café for Tom and me", "Tom can't stand coffee."),
        ("Did the heron come back?", "We saw two herons by the weir."),
        ("What does Ada need?", "The violin needs a new bridge."),
    ],
)
def test_without_a_model_a_context_has_what_a_question_needs(told, asked, needed):
    for text in ("Tom eats no eggs, he is allergic to them.", "Tom can't stand coffee."):
        told.remember(text, speaker="Ada", at="2024-04-01")
    told.sleep()

    assert needed in [hit.text for hit in told.context(asked).items]


def test_without_a_model_a_word_of_all_memories_is_one_of_each():
    with Memory(":memory:", embedder="none") as memory:
        bank = memory.bank("ada")
        for number in range(5):
            bank.remember(f"Hive {number} was calm.", speaker="Ada")

        assert 5 == len(bank.context("hive").items)


def test_without_a_model_an_answer_comes_along_with_what_it_answers():
    with Memory(":memory:", embedder="none") as memory:
        bank = memory.bank("talk")
        for speaker, text in (
            ("Ada", "What is the alarm code of the boathouse?"), ("Ben", "Four nine nine two."),
            ("Ada", "Thank you, I keep forgetting."), ("Ben", "The swans are back."),
        ):  # fmt: skip
            bank.remember(text, speaker=speaker, session="one")

        made = bank.context("alarm code of the boathouse")

    assert "Four nine nine two." in [hit.text for hit in made.items]


@pytest.mark.parametrize("floor", [-0.1, 1.1, float("nan"), "0.5", True])
def test_a_floor_that_is_no_share_is_refused(told, floor):
    for read in (told.recall, told.context):
        with pytest.raises(InputError, match=r"^min_score=.*from 0 to 1"):
            read("key", min_score=floor)


@pytest.mark.slow
def test_only_questions_about_a_life_are_asked_of_a_bank(
    open_memory,
):
    bank = open_memory(embedder="default").bank("ada")
    bank.remember("Tom is allergic to shellfish.", role="user")
    bank.remember("The geese were counted at the weir.", role="user")

    assert not bank.context("tell me a limerick").items
    assert not bank.context("what is 9 times 12").items
    assert any("shellfish" in item.text for item in bank.context("What shall I fry for Tom?").items)
