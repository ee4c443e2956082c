"""What somebody says of another who speaks is of the other, and of nobody else."""

from datetime import UTC, datetime, timedelta

import pytest

START = datetime(2025, 3, 3, 9, tzinfo=UTC)
NOW = START + timedelta(days=60)
TALK = [
    ("Runa", "Morning Jens, did you sleep well?"),
    ("Jens", "Like a stone, I had the window open."),
    ("Runa", "The baker was closed again."),
    ("Jens", "I was at the harbour with my aunt."),
    ("Jens", "My favourite soup is leek."),
    ("Runa", "I bought a second-hand canoe."),
]


def talk(memory, *said, slept):
    bank = memory.bank("talk")
    for place, (speaker, text) in enumerate([*TALK[:3], *said, *TALK[3:]]):
        bank.remember(text, speaker=speaker, at=START + timedelta(days=place))
    if slept:
        bank.sleep()
    return bank


@pytest.mark.parametrize("slept", [True, False])
@pytest.mark.parametrize("embedder", [None, "hash"])
@pytest.mark.parametrize(
    ("said", "asked"),
    [
        (("Runa", "Jens lives in Tromsø now."), "Where does Jens live?"),
        (("Runa", "Jens is allergic to walnuts, so no cake."), "What is Jens allergic to?"),
        (("Jens", "You know, Runa hurt her ankle on the ice."), "What did Runa hurt?"),
        (("Jens", "Runa never drinks coffee."), "What does Runa never drink?"),
        (("Runa", "Jens's new bicycle is yellow."), "What colour is Jens's bicycle?"),
    ],
)
def test_what_another_says_of_somebody_answers_for_them(open_memory, embedder, slept, said, asked):
    recall = talk(open_memory(embedder=embedder), said, slept=slept).recall(asked, now=NOW)

    assert recall[0].text == said[1]
    assert recall.found, recall.note


@pytest.mark.parametrize("embedder", [None, "hash"])
@pytest.mark.parametrize(
    ("said", "asked"),
    [
        (("Runa", "Jens twisted his knee at judo."), "What did Runa twist?"),
        (("Runa", "Jens has adopted a goose."), "What has Runa adopted?"),
        (("Jens", "I twisted my knee at judo."), "What did Runa twist?"),
    ],
)
def test_what_somebody_says_of_another_is_no_deed_of_their_own(open_memory, embedder, said, asked):
    bank = talk(open_memory(embedder=embedder), said, slept=True)

    assert not bank.recall(asked, now=NOW).found


def test_who_is_only_spoken_to_is_not_spoken_of(open_memory):
    bank = talk(open_memory(), ("Runa", "Jens, I hurt my ankle on the ice!"), slept=True)

    assert not bank.recall("What did Jens hurt?", now=NOW).found
    assert bank.recall("What did Runa hurt?", now=NOW).found
