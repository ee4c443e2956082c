"""What a question describes is found a step further on, in whatever words it is told."""

import pytest

from hippocampus import Memory, Turn

SUBJECTS = ("the greenhouse", "a violin", "the roof", "the tax form", "our boat")


@pytest.fixture
def bank():
    with Memory(":memory:", embedder="hash") as memory:
        bank = memory.bank("ada")
        texts = [f"Note {n}: something on {SUBJECTS[n % 5]}." for n in range(60)]
        texts[7] = "Greta brought a nephew along to dinner. Ruben, it seems, can weld."
        texts[21] = "Ruben has left the grey folder at the harbour office."
        texts[33] = "Ruben wants the paint by May."
        texts[11] = "Greta rang and talked about her knee."
        texts[15] = "Long talk at the club about rowing. Sven brought cake."
        texts[41] = "The club has rowing machines for sale."
        turns = [
            Turn(text=text, at=f"2025-01-{n // 4 + 1:02}T{n % 4 + 9:02}:00", session=f"s{n}")
            for n, text in enumerate(texts)
        ]
        bank.remember_many(turns)
        bank.sleep()
        yield bank


def activation(bank, question):
    hits = bank.recall(question, k=40, now="2025-02-01").hits
    return {hit.episode.text.split(".")[0]: hit.activation for hit in hits}


def test_somebody_described_by_a_relative_is_called_up_without_the_relative(bank):
    active = activation(bank, "What does Greta's nephew want?")

    assert active["Ruben wants the paint by May"] > 0
    assert active["Greta rang and talked about her knee"] == 0


def test_what_two_words_describe_is_what_has_both(bank):
    active = activation(bank, "Who brought cake to the club about rowing?")

    assert active["Long talk at the club about rowing"] > 0
    assert not any(of for text, of in active.items() if text.startswith("Note"))


def test_nobody_is_meant_whom_the_read_may_not_see(bank):
    hits = bank.recall(
        "What does Greta's nephew want?", k=40, now="2025-02-01", session=["s33", "s11"]
    ).hits
    active = {hit.episode.text.split(".")[0]: hit.activation for hit in hits}

    assert active["Ruben wants the paint by May"] == 0
