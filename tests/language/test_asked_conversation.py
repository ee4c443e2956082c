"""What questions ask of whole conversations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.language.asked_conversation import read_asked_conversation


@pytest.mark.parametrize(
    ("question", "whole", "about"),
    [
        ("Recap our chats about the allotment", "about", ("the allotment",)),
        ("Could you sum up what I told you about Rosa?", "about", ("Rosa",)),
        ("summarise our discussion of the roof", "talk", ("the roof",)),
        ("What have we discussed about the piano so far?", "about", ("the piano",)),
        ("How did my plan change across our conversations?", "about", ("plan change",)),
        ("Give me an overview.", "all", ()),
        ("Tell me everything we've said about bees", "about", ("bees",)),
        ("What was the very first thing I told you?", "first", ()),
        ("When did we first discuss the piano?", "first", ("the piano",)),
        ("In which order did I sell the van, buy a bike and move?", "events",
         ("sell the van", "buy a bike", "move")),
        ("Which course did I take first, welding or pottery?", "events", ("welding", "pottery")),
        ("What happened first, the flood or the fire?", "events", ("the flood", "the fire")),
        ("Did we visit Oslo before we sold the van?", "events", ("Oslo", "the van")),
        ("Tell me about the move in chronological order", "about", ("the move",)),
    ],
)  # fmt: skip
def test_what_is_asked_is_read_from_grammar(question, whole, about):
    asked = read_asked_conversation(question)
    assert asked is not None
    assert whole == asked.whole
    assert [one.split()[-1] for one in about] == [one.split()[-1] for one in asked.about]


@pytest.mark.parametrize(
    "question",
    [
        "What was my job before Oslo?",
        "Did I see the dentist before noon?",
        "When does my order arrive?",
        "I run in order to stay fit.",
        "What did I tell you about the oven?",
        "Who was my first boss?",
        "Which do I like more, tea or coffee?",
        "Summarise this text: bees dance.",
        "Where do I live?",
        "",
    ],
)
def test_other_questions_ask_for_no_whole(question):
    assert read_asked_conversation(question) is None


@given(st.text(max_size=800))
def test_any_text_is_read(text):
    asked = read_asked_conversation(text)
    assert asked is None or all(part.strip() for part in asked.about)
