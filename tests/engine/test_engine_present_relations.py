"""Who is somebody's now is answered by the last that was told, whatever else says "now"."""

from datetime import UTC, datetime, timedelta

import pytest

START = datetime(2025, 1, 6, 9, tzinfo=UTC)
NOW = START + timedelta(days=500)
AROUND = [
    "The ferry to the island was cancelled twice.",
    "Painted the bench by the pond a dark blue.",
    "We planted two pear trees behind the shed.",
    "The radio crackles whenever the kettle boils.",
]


def told(bank, *said, speaker="Ilse", every=60):
    turns = [*AROUND[:2], *said, *AROUND[2:]]
    for place, text in enumerate(turns):
        bank.remember(text, speaker=speaker, at=START + timedelta(days=every * place))
    return bank


def first(bank, question):
    return bank.recall(question, k=3, now=NOW)[0].text


@pytest.mark.parametrize("slept", [True, False])
@pytest.mark.parametrize("embedder", [None, "hash"])
@pytest.mark.parametrize(
    ("said", "question"),
    [
        (
            ["Rosa is my dentist.", "Viktor is my dentist now.", "Rosa is my dentist again."],
            "Who is my dentist now?",
        ),
        (
            ["My supervisor is Femi.", "Now my supervisor is Ilu.", "Femi is my supervisor again."],
            "Who is my supervisor these days?",
        ),
        (
            ["My landlord is Mr Bell.", "My landlord is Ms Adeyi now.", "Mr Bell is my landlord."],
            "Who's my current landlord?",
        ),
        (
            ["My doctor is Dr Amadi.", "My doctor is Dr Fox now.", "Dr Amadi is my doctor again."],
            "Who is my doctor at the moment?",
        ),
    ],
)  # fmt: skip
def test_who_came_back_leads_before_who_was_there_between(
    open_memory, embedder, slept, said, question
):
    memory = open_memory(embedder=embedder)
    bank = told(memory.bank("ilse"), *said)
    if slept:
        bank.sleep()

    assert first(bank, question) == said[-1]


def test_whose_is_asked_is_somebody_named(open_memory):
    said = ["Rosa is Tam's boss.", "Kit is Tam's boss now.", "Rosa is Tam's boss again."]
    bank = told(open_memory().bank("ilse"), *said, "Uwe is Jun's boss now.")
    bank.sleep()

    assert first(bank, "Who is Tam's boss now?") in {said[0], said[-1]}


def test_what_belongs_to_kin_is_still_asked_of_the_kin(open_memory):
    said = [
        "My sister Edda lives in Bergen.",
        "I live in Tartu.",
        "My boss Rolf lives in Riga now.",
    ]
    bank = told(open_memory().bank("ilse"), *said)
    bank.sleep()

    assert first(bank, "Where does my sister live?") == said[0]
    assert first(bank, "Where does my boss live now?") == said[2]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Who is my doctor at present?", "Dr Amadi is my doctor."),
        ("Who is my manager?", "My boss is called Femi."),
        ("Who's my boss?", "Femi has been my supervisor since spring."),
        ("Who is my partner these days?", "My husband Olaf bakes bread."),
        ("Who is my dad?", "My father is called Gustav."),
        ("Who is my current employer?", "I work for the harbour office."),
        ("whats my job", "I work as a piano tuner."),
    ],
)
def test_a_word_of_time_or_for_the_same_relation_turns_down_no_answer(open_memory, question, said):
    bank = told(open_memory(embedder=None).bank("ilse"), said)
    bank.sleep()
    recall = bank.recall(question, now=NOW)

    assert recall[0].text == said
    assert recall.found, recall.note


@pytest.mark.parametrize(
    "question",
    ["Who is my lawyer at the moment?", "Who is my wife?", "What is my current rent?"],
)
def test_a_relation_of_which_nothing_is_told_is_not_found(open_memory, question):
    bank = told(open_memory(embedder=None).bank("ilse"), "Femi has been my boss since spring.")
    bank.sleep()

    assert not bank.recall(question, now=NOW).found


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What am I afraid of?", "I am afraid of deep water."),
        ("What is Ilse proud of?", "I am proud of my choir."),
        ("What am I good at?", "I am good at darts."),
        ("What are we fond of?", "We are fond of liquorice."),
    ],
)
def test_what_is_asked_by_an_adjective_is_searched_for(open_memory, question, said):
    bank = told(open_memory().bank("ilse"), said, "Sven has a new car.", "Sven has a new boat.")
    bank.sleep()

    assert first(bank, question) == said


@pytest.mark.parametrize(
    ("said", "question"),
    [
        (["Rosa is my dentist.", "Where is my dentist today?"], "Who is my dentist?"),
        (["My dentist Rosa lives in Gouda.", "Rosa is my dentist."], "Where does my dentist live?"),
        (
            ["My sister is Wanda.", "My brother is Kees.", "My sister sings in a choir."],
            "Who is my sister?",
        ),
        (["I lived in Gouda from 2014 to 2016.", "I live in Delft."], "Where did I live in 2015?"),
        (["I used to live in Gouda.", "I live in Delft."], "Where did I live before?"),
    ],
)
@pytest.mark.parametrize("order", [1, -1])
def test_a_fact_of_now_or_then_leads_in_whatever_order_it_is_told(
    open_memory, said, question, order
):
    bank = told(open_memory(embedder=None).bank("ilse"), *said[::order])

    assert said[0] == first(bank, question)


def test_who_calls_somebody_their_own_says_nothing_of_whom_another_has(open_memory):
    bank = open_memory(embedder=None).bank("both")
    for n, (text, who) in enumerate(
        [("Rosa is my dentist.", "Ilse"), ("Viktor is my dentist.", "Bram")]
    ):
        bank.remember(text, speaker=who, at=START + timedelta(days=n))

    assert "Rosa is my dentist." == first(bank, "Who is Ilse's dentist?")
    assert "Viktor is my dentist." == first(bank, "Who is Bram's dentist?")


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        (
            ["I work at Hollis.", "I left Hollis.", "I started at Brandt's."],
            "Where did I work before Brandt's?", 0,
        ),
        (
            ["I lived in Gouda.", "I moved to Delft.", "I moved to Arnhem."],
            "Where did I live before Delft?", 0,
        ),
        (
            ["My mum lives in Gouda.", "I moved to Delft.", "Mum painted the shed."],
            "What's mum's address?", 0,
        ),
        (
            ["I live in Delft.", "My email is ilse@mail.nl.", "New shoes."],
            "What is my email address?", 1,
        ),
        (["New shoes.", "I live in Delft.", "I was in Gouda."], "What's my address?", 1),
    ],
)  # fmt: skip
def test_what_was_before_something_named_and_whose_home_is_asked_for_lead(
    open_memory, said, question, answer
):
    bank = told(open_memory(embedder="hash").bank("ilse"), *said)
    bank.sleep()

    assert first(bank, question) == said[answer]
