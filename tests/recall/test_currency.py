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


def two(bank, first, second):
    bank.remember("It rained on the regatta.", role="user", at=START)
    return [
        bank.remember(text, role="user", at=START + timedelta(days=60 * place)).id
        for place, text in enumerate((first, second))
    ]


@pytest.mark.parametrize(
    ("plan", "deed", "question"),
    [
        (
            "Olav has lent me his long ladder, must give it back to Olav.",
            "gave Olav his ladder back at last, he was patient",
            "Did I give Olav back his long ladder?",
        ),
        (
            "We're going to paint the boathouse door green, will buy paint for the boathouse.",
            "painted the boathouse door, it took all of Sunday",
            "When did we paint the boathouse door green?",
        ),
    ],
)
def test_what_was_done_comes_before_its_plan(open_memory, plan, deed, question):
    bank = open_memory().bank("ada")
    _, done = two(bank, plan, deed)

    assert bank.recall(question, now=START + timedelta(days=400))[0].id == done


def test_asked_if_it_is_still_so_the_newest_of_all_named_comes_first(open_memory):
    bank = open_memory().bank("ada")
    _, now = two(bank, "Ingrid is Per's girlfriend.", "Per & Ingrid have parted")

    hits = bank.recall("Is Per still with Ingrid?", now=START + timedelta(days=400))

    assert hits[0].id == now


def test_that_days_of_another_are_changed_corrects_nothing(open_memory):
    bank = open_memory().bank("ada")
    days, _ = two(
        bank, "Olav teaches on the days when Per sails, Mondays and Fridays",
        "the choir's days were changed to Tuesdays and Sundays",
    )  # fmt: skip

    hits = bank.recall("Which days does Olav teach?", now=START + timedelta(days=400))

    assert hits[0].id == days


def test_what_tells_no_number_overtakes_nothing_where_one_is_asked(open_memory):
    bank = open_memory().bank("ada")
    dose, _ = two(bank, "dad's dose of digoxin is 62 micrograms", "dad's digoxin box is blue")

    hits = bank.recall("What dose of digoxin is dad on?", now=START + timedelta(days=400))

    assert hits[0].id == dose


def test_switched_off_it_has_no_part_in_a_ranking(open_memory):
    bank = open_memory(config=Config(fusion=Fusion(currency=0))).bank("ada")
    told(bank, "gate", [1, 2, 3])

    assert all("currency" not in hit.shares for hit in bank.recall(MATTERS["gate"][1]))


def test_what_a_later_hit_tells_otherwise_says_until_when_it_was_so(open_memory):
    bank = open_memory().bank("ada")
    old, new = told(bank, "gate", [11, 22])
    now = START + timedelta(days=400)
    until = {hit.id: hit.valid_to for hit in bank.recall(MATTERS["gate"][1], now=now)}

    assert until[old] == START + timedelta(days=30)
    assert until[new] is None
    assert f"until {START + timedelta(days=30):%Y-%m-%d}" in bank.context("the gate").text


def test_what_a_text_says_beside_other_things_marks_it_not_as_over(open_memory):
    bank = open_memory().bank("ada")
    ids = told(bank, "gate", [11])
    more = "We mended the nets, painted the shed and rowed home in the rain, all soaked."
    beside = bank.remember(f"{more} The code of the yard gate is 22.", role="user", at=START).id
    later = START + timedelta(days=60)
    bank.remember("The code of the yard gate is 33.", role="user", at=later)
    until = {hit.id: hit.valid_to for hit in bank.recall("the code of the yard gate")}

    assert until[ids[0]] is not None
    assert until[beside] is None


def test_of_what_is_past_the_later_telling_comes_first(open_memory):
    bank = open_memory().bank("ada")
    bank.remember("The chandlery in Moss was founded by Per Moe.", at=START)
    new = bank.remember(
        "The chandlery in Moss was founded by Ola Lie.", at=START + timedelta(days=9)
    )

    assert bank.recall("Who founded the chandlery in Moss?")[0].id == new.id


def test_what_says_that_it_is_so_now_comes_before_what_is_as_near(open_memory):
    bank = open_memory().bank("ada")
    bank.remember("Coal for the stove: Moss Bros, by the yard.", role="user", at=START)
    later = START + timedelta(days=9)
    new = bank.remember("The stove coal comes from Lie's now.", role="user", at=later)
    bank.remember("It rained on the regatta.", role="user", at=later)

    assert bank.recall("Where does our stove coal come from?")[0].id == new.id


def test_who_somebody_is_stands_where_they_are_first_named(open_memory):
    bank = open_memory().bank("ada")
    first = bank.remember("The new pilot, a Ms Osk, brought her own charts.", role="user", at=START)
    for day in range(1, 4):
        bank.remember("Ms Osk called.", role="user", at=START + timedelta(days=day))

    assert bank.recall("Who is Ms Osk?")[0].id == first.id


def test_what_you_said_is_what_the_assistant_said(open_memory):
    bank = open_memory().bank("ada")
    asked = {"at": START, "session": "one"}
    bank.remember("The mooring rope keeps chafing on the cleat.", role="user", **asked)
    said = bank.remember("Put a leather sleeve where it chafes.", role="assistant", **asked)
    bank.remember("It rained on the regatta.", role="user", at=START)

    assert bank.recall("What did you suggest for the chafing mooring rope?")[0].id == said.id


CORRECTIONS = [
    (
        "The budget for Sunflower is set at 400 euros.",
        "Correction about the budget: it is only 350 euros after all.",
        "What is the budget for Sunflower?",
    ),
    (
        "The launch of the app is on 3 May.",
        "We moved the launch from 3 May to 20 May.",
        "When is the app launched?",
    ),
    (
        "The ferry leaves from quay two at noon.",
        "I was wrong: the ferry goes at six.",
        "When does the ferry leave?",
    ),
    (
        "Das Budget für Sonnenblume wurde auf 400 Euro festgelegt.",
        "Korrektur zum Budget: es sind doch nur 350 Euro.",
        "Wie hoch ist das Budget für Sonnenblume?",
    ),
]


@pytest.mark.parametrize(("first", "correction", "question"), CORRECTIONS)
def test_an_explicit_correction_leads_and_is_in_the_context_with_what_it_corrects(
    open_memory, first, correction, question
):
    bank = open_memory().bank("ada")
    said = [bank.remember(first, role="user", at=START)]
    for place in range(20):
        bank.remember(f"It rained on regatta {place}.", role="user", at=START)
    said.append(bank.remember(correction, role="user", at=START + timedelta(days=9)))
    context = bank.context(question, 600, now=START + timedelta(days=20))

    assert said[1].id == context.recall[0].id
    assert all(one.text in context.text for one in said)


def test_a_correction_leads_before_no_more_than_what_was_said_last_before_it(open_memory):
    bank = open_memory().bank("ada")
    texts = ["The budget for Sunflower is 400 euros.", "The budget for Dahlia is 90 euros.",
             "Correction about the budget: it is only 80 euros after all."]  # fmt: skip
    for day, text in enumerate(texts):
        bank.remember(text, role="user", at=START + timedelta(days=day))
    now = START + timedelta(days=9)
    found = bank.recall("What is the budget for Sunflower?", now=now)

    assert texts[0] == found[0].text
    assert texts[2] in bank.context("What is the budget for Sunflower?", 600, now=now).text


@pytest.mark.parametrize(
    ("told", "later", "question"),
    [
        ("The vet of my cat is Dr Kern.", "We moved to Linz with the cat.",
         "Who is the vet of my cat?"),
    ],
)  # fmt: skip
def test_what_changed_something_else_of_one_word_in_common_corrects_nothing(
    open_memory, told, later, question
):
    bank = open_memory().bank("ada")
    bank.remember(told, speaker="Ada", at="2025-01-02")
    bank.remember(later, speaker="Ada", at="2025-03-02")

    assert told == bank.recall(question).hits[0].text
