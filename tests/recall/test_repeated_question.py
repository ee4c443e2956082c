"""Somebody who asked the same before answered nothing; words of our own, no benchmark's."""

import pytest

BESIDE = [f"The {what} was {how}." for what in ("bus", "soup", "rain", "dog", "lamp")
          for how in ("late", "cold", "loud", "long")]  # fmt: skip


@pytest.fixture
def told(bank):
    for text in BESIDE:
        bank.remember(text, speaker="Eva")
    return bank


@pytest.mark.parametrize(
    ("before", "answer", "question"),
    [
        ("Where did I put the ladder?", "The ladder is in the barn.", "where did I put the ladder"),
        ("Wo steht die Leiter?", "Die Leiter steht in der Scheune.", "Wo steht die Leiter?"),
        ("Which paint was it?", "The paint was called Dusk.", "Which paint was it?"),
    ],
)
def test_an_answer_stands_above_the_same_question(told, before, answer, question):
    told.remember(before, speaker="Eva")
    told.remember(answer, speaker="Eva")

    assert [answer, before] == [hit.text for hit in told.recall(question)][:2]


def test_a_question_without_an_answer_stays_what_is_nearest(told):
    told.remember("Where did I put the ladder?", speaker="Eva")

    assert "Where did I put the ladder?" in told.recall("Where did I put the ladder?")[0].text


def test_another_question_keeps_its_place(told):
    told.remember("Did you see the ladder in the barn behind the house?", speaker="Eva")

    assert "ladder" in told.recall("Where is the ladder?")[0].text
