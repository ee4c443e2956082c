"""What a question takes for known is checked against what comes nearest to it."""

import pytest

from hippocampus.encode.terms import find_terms
from hippocampus.recall.premise import Premise

NOTED = [
    "My brother Tobias moved to Ghent and plays the oboe in an orchestra there.",
    "The boiler was serviced by Hanlon's on Tuesday, ninety euros.",
    "Lotte broke her glasses at the climbing wall.",
    "We had soup at the market and came home by tram.",
    "The tax letter is in the blue folder on the shelf.",
    "Tobias sent a postcard of the canal.",
    "I finished the quilt for the spare room at last.",
    "Lotte is reading a book about lighthouses.",
]


@pytest.fixture(params=["default", "none"])
def bank(request, open_memory):
    """Return a bank of one person's notes, with the model and without."""
    bank = open_memory(embedder=request.param).bank("ida")
    for day, text in enumerate(NOTED, 1):
        bank.remember(text, speaker="Ida", at=f"2025-04-{day:02}")
    return bank


@pytest.mark.parametrize(
    "question",
    [
        "Where does my brother Tobias play the oboe?",
        "What did Hanlon's take for the boiler?",
        "Where is the tax letter?",
    ],
)
def test_a_question_whose_things_stand_in_one_memory_is_answered(bank, question):
    recall = bank.recall(question)

    assert recall.found
    assert recall.note == ""


@pytest.mark.parametrize(
    ("question", "lacks"),
    [
        ("What is Lotte's passport number?", '"passport" or "number"'),
        ("When is Tobias's anniversary?", '"anniversary"'),
        ("whats our alarm code", '"alarm" or "code"'),
    ],
)
def test_a_thing_never_told_of_somebody_known_is_named_as_not_found(bank, question, lacks):
    recall = bank.recall(question)

    assert not recall.found
    assert recall.note == f"It may have no answer: none of the nearest memories speaks of {lacks}."
    assert recall.hits, "the nearest are there to look at"


def test_a_long_question_of_which_nothing_has_a_word_is_not_found(open_memory):
    bank = open_memory(embedder="none").bank("lena")
    bank.remember("I'm moving to Lisbon in March.", speaker="Lena")

    assert not bank.recall("We keep prices in cents, because floats drift and round.").found


def test_what_was_told_of_another_is_less_sure_than_of_the_one_asked_about(bank):
    bank.remember("Tobias has a dentist in the old town, near the bridge.", speaker="Ida")

    another, own = (bank.recall(f"Who is {name}'s dentist?") for name in ("Lotte", "Tobias"))

    assert another.confidence < own.confidence


@pytest.mark.parametrize(
    ("whole", "lacking", "said"),
    [
        (True, (), ""),
        (False, ("oboe",), 'of "oboe".'),
        (False, ("oboe", "glasses"), 'of "oboe" or "glasses".'),
        (False, (), 'of "Lotte", "oboe" and "glasses" together.'),
    ],
)
def test_a_premise_says_what_it_lacks_or_else_what_does_not_come_together(whole, lacking, said):
    supposed = Premise(
        words=3, whole=whole, open=False, of_speaker=False,
        named=("Lotte", "oboe", "glasses"), lacking=lacking,
    )  # fmt: skip

    assert supposed.describe_unmet().endswith(said)
    assert bool(supposed.describe_unmet()) is not whole


def test_what_others_said_of_themselves_is_said_to_be_theirs(open_memory):
    bank = open_memory(embedder="none").bank("talk")
    for text in (
        "I swam across the lake at dawn.",
        "The lake was cold, I swam for an hour.",
        "Swimming in a lake at dawn is the best of all.",
    ):
        bank.remember(text, speaker="Nils")
    bank.remember("I stayed in bed, as I do.", speaker="Greta")

    recall = bank.recall("When did Greta swim in the lake at dawn?")

    assert not recall.found
    assert recall.note.endswith("was said by others than the one asked about.")


def test_advice_is_surer_than_a_fact_of_the_same_words(bank):
    question = "May I serve Lotte oysters?"
    asked = bank.recall("Which oysters did Lotte serve?")

    assert bank.recall(question).confidence > asked.confidence


def test_other_languages_are_judged_without(open_memory):
    bank = open_memory(embedder="none").bank("ida")
    bank.remember("Mein Bruder Tobias wohnt jetzt in Gent und spielt dort Oboe.")

    assert bank.recall("Wann hat mein Bruder Tobias denn Geburtstag?").note == ""


def test_where_nothing_is_found_a_large_context_holds_no_more_than_a_small_one(bank):
    question = "What is Lotte's passport number?"

    small, large = (bank.context(question, budget, summary="") for budget in (400, 3500))

    assert len(large.items) <= len(small.items) + len(small.left_out)


@pytest.mark.parametrize(
    "word", ["what's", "When’s", "whats", "I'm", "couldn't", "won't", "can't", "dont", "we've"]
)
def test_a_contraction_of_grammar_is_grammar(word):
    (term,) = find_terms(word)

    assert term.function


@pytest.mark.parametrize("word", ["Ana's", "boat's", "o'clock"])
def test_a_genitive_of_something_is_content(word):
    (term,) = find_terms(word)

    assert not term.function


@pytest.fixture(params=["default", "none"])
def talk(request, open_memory):
    """Return a bank of two who talk, neither of whom has an animal."""
    bank = open_memory(embedder=request.param).bank("talk")
    for speaker, text in [
        ("Greta", "The name of our street is Mill Lane."),
        ("Greta", "Everyone calls me Gretchen."),
        ("Nils", "I like tea."),
        ("Greta", "My sis is called Ulla."),
    ]:
        bank.remember(text, speaker=speaker, at="2025-04-01")
    return bank


@pytest.mark.parametrize(
    "question",
    ["What is the name of Greta's cat?", "What is Greta's dog called?", "How old is Nils's son?"],
)
def test_an_animal_or_a_child_of_which_nobody_told_is_not_found(talk, question):
    assert not talk.recall(question).found


def test_who_is_told_of_by_another_noun_is_not_taken_to_be_missing(talk):
    before = talk.recall("What is the name of Greta's cat?").confidence
    talk.remember("My kitten Mitzi sleeps in the oven.", speaker="Greta", at="2025-04-02")

    assert talk.recall("What is Greta's sister called?").found
    assert talk.recall("What is the name of Greta's cat?").confidence > before
