from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus import Config, Fusion, Memory

START = datetime(2024, 1, 1, tzinfo=UTC)
MATTERS = {
    "coal": ("The coal merchant charges {} a sack.", "What do I pay the coal merchant for a sack?"),
    "gate": ("The code of the yard gate is {}.", "What's the code of the yard gate?"),
    "crew": ("Skipper of the Heron is {}.", "Who's skipper of the Heron?"),
}


def told(bank, matter, values, start=START):
    sentence, _ = MATTERS[matter]
    bank.remember("It rained on the regatta.", role="user", at=start)
    return [
        bank.remember(sentence.format(value), role="user", at=start + timedelta(days=30 * place)).id
        for place, value in enumerate(values)
    ]


@pytest.mark.parametrize("matter", MATTERS)
@given(values=st.lists(st.integers(100, 999), min_size=2, max_size=5, unique=True))
def test_of_statements_alike_but_for_their_ends_the_newest_comes_first(matter, values):
    with Memory(":memory:", embedder="hash") as memory:
        bank = memory.bank("ada")
        ids = told(bank, matter, values)
        bank.remember("It rained on the regatta.", role="user", at=START)

        assert bank.recall(MATTERS[matter][1], now=START + timedelta(days=400))[0].id == ids[-1]


@pytest.mark.parametrize("matter", MATTERS)
def test_asked_for_what_was_before_the_oldest_comes_first(open_memory, matter):
    bank = open_memory().bank("ada")
    ids = told(bank, matter, [11, 22, 33])
    now = START + timedelta(days=400)

    assert bank.recall(f"{MATTERS[matter][1]} At first?", now=now)[0].id == ids[0]


def test_a_question_for_a_deed_is_not_ordered_by_time(open_memory):
    question = "Which skipper took the Heron out?"
    rankings = []
    for currency in (0.0, 3.0):
        memory = open_memory(config=Config(fusion=Fusion(currency=currency)))
        bank = memory.bank("ada")
        if not rankings:
            told(bank, "crew", ["Ingrid", "Olav", "Per"])
        rankings.append([hit.id for hit in bank.recall(question)])
        memory.close()

    assert rankings[0] == rankings[1]


def test_what_shares_no_rare_word_overtakes_nothing(open_memory):
    bank = open_memory().bank("ada")
    ids = told(bank, "coal", [11])
    bank.remember("The yard was swept.", role="user", at=START + timedelta(days=90))

    assert bank.recall(MATTERS["coal"][1])[0].id == ids[0]


def test_the_assistants_newer_words_overtake_nothing(open_memory):
    bank = open_memory().bank("ada")
    ids = told(bank, "coal", [11])
    later = START + timedelta(days=90)
    bank.remember("The coal merchant charges a sack? Noted.", role="assistant", at=later)

    assert bank.recall(MATTERS["coal"][1])[0].id == ids[0]


def test_said_at_once_the_later_told_is_the_newer(open_memory):
    bank = open_memory().bank("ada")
    bank.remember("It rained on the regatta.", at=START, speaker="Ada")
    sentence, question = MATTERS["gate"]
    first, second = (bank.remember(sentence.format(n), at=START, speaker="Ada") for n in (1, 2))

    assert [second.id, first.id] == [hit.id for hit in bank.recall(question)][:2]


def test_switched_off_it_has_no_part_in_a_ranking(open_memory):
    bank = open_memory(config=Config(fusion=Fusion(currency=0))).bank("ada")
    told(bank, "gate", [1, 2, 3])

    assert all("currency" not in hit.shares for hit in bank.recall(MATTERS["gate"][1]))
