"""What the best hits agree on leads to more of the same, where it is asked for."""

import pytest

from hippocampus import Config, Fusion, Memory

TOLD = [
    "The goblet of Varangia was made by Delphine Sokolov.",
    "A plaque under the Varangia goblet names Sokolov as its maker.",
    *(f"The {thing} of Varangia is on loan." for thing in ("banner", "lute", "drum", "sledge")),
    "We had soup in the yard.",
    "The lute of Ophir has a new string.",
    *(f"Remark {n} on gardens and on roads." for n in range(60)),
    "Sokolov, spelled how?",
]
QUESTION = "Who made the goblet of Varangia?"


def ranked(feedback, texts=TOLD, question=QUESTION, **how):
    config = Config(fusion=Fusion(feedback=feedback))
    with Memory(":memory:", embedder="none", config=config) as memory:
        bank = memory.bank("museum")
        bank.remember_many([{"text": text} for text in texts])
        return [hit.text for hit in bank.recall(question, k=len(texts), **how).hits]


def test_what_shares_no_word_with_the_question_is_led_to_by_what_answers_it():
    assert ranked(0).index(TOLD[-1]) > 4
    assert ranked(3).index(TOLD[-1]) == 2


@pytest.mark.parametrize("feedback", [0.5, 3, 50])
def test_the_best_hit_stays_the_best(feedback):
    assert ranked(0)[0] == ranked(feedback)[0]


def test_a_word_of_one_hit_alone_leads_nowhere():
    alone = [TOLD[0], *TOLD[2:]]
    assert ranked(0, alone) == ranked(3, alone)


def test_where_words_are_not_asked_nothing_is_led_to():
    assert ranked(0, cues=["time"]) == ranked(3, cues=["time"])


@pytest.mark.parametrize("texts", [TOLD[:1], TOLD[:4]])
def test_few_episodes_are_ranked_as_they_are(texts):
    assert ranked(0, texts) == ranked(3, texts)
