"""What a question is read as: here, whose turns "I" and "you" point to."""

from datetime import UTC, datetime

import pytest

from hippocampus.language.phonetic import sound_of
from hippocampus.recall.parse import bind, parse

NOW = datetime(2025, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("What did I buy?", {"user"}),
        ("What did you suggest to me?", {"user", "assistant"}),
        ("Remind me: where does Ana live?", set()),
        ("I have lost track. Where does Ana live?", set()),
        ("Could you please tell me where Ana lives?", set()),
        ("Do you remember where my keys are?", {"user"}),
        ("Can you remind me what I told you?", {"user", "assistant"}),
        ("tell me about my keys", {"user"}),
        ("Where does Ana live?", set()),
    ],
)
def test_whose_turns_are_meant_is_read_from_what_asks_and_not_from_what_leads_to_it(text, meant):
    question = bind(parse(text, now=NOW), embedded=None, rotation=None, speakers=())

    assert meant == question.roles


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("What did Ana say?", {"Ana"}),
        ("Which plot did we remove from our paper with Ana?", set()),
        ("Which plot did Ana remove from our paper with Tom?", {"Ana"}),
        ("What is new on the kitchen renovation with Tom, and what does Tom say?", {"Tom"}),
        ("What did Ana share with Tom?", {"Ana", "Tom"}),
        ("Who stars in Ana's film with Tom?", {"Ana", "Tom"}),
    ],
)
def test_who_only_has_a_part_in_what_is_asked_about_is_not_who_said_it(text, named):
    question = bind(parse(text, now=NOW), embedded=None, rotation=None, speakers=("Ana", "Tom"))

    assert named == question.speakers


def test_words_that_everybody_spells_right_sound_like_no_name():
    question = bind(
        parse("Which trip went wrong with Sybiln?", now=NOW),
        embedded=None,
        rotation=None,
        speakers=(),
        phrases=True,
    )

    assert (sound_of("Sybiln".casefold()),) == question.phonetic_codes
