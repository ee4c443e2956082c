"""Who somebody is described as is read by nearness and kind, however it is put."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.language.described_person import described_person, is_person_noun


@pytest.mark.parametrize(
    "text",
    [
        "Greta's nephew? That is Ruben.",
        "Ruben, nephew of Greta, came to the yard.",
        "Small town: Greta and Ruben are kin, he being her nephew.",
        "Greta brought a nephew along. Ruben, it seems, can weld.",
        "Greta wrote. Turns out that Ruben is her nephew.",
        "Note: Greta's nephew goes to school with us (Ruben).",
    ],
)
def test_who_is_meant_is_the_name_nearest_to_the_noun(text):
    assert described_person(text, "Greta", "nephew") == "Ruben"


@pytest.mark.parametrize(
    "text",
    [
        "Greta's nephew is ill again.",
        "Ruben was at Greta's. Her nephew was there, too.",
        "A nephew of ours met Ruben.",
        "Greta called. The weather is fine. It may rain. My nephew Ruben does not mind.",
        "Greta's nephew lives in Norway.",
        "",
    ],
)
def test_nobody_is_where_a_text_does_not_say(text):
    assert described_person(text, "Greta", "nephew") is None


def test_who_speaks_is_not_who_is_spoken_of():
    text = "Jonas: Greta's nephew turned up again, our Ruben."
    assert described_person(text, "Greta", "nephew") == "Ruben"


def test_people_are_described_by_nouns_for_people():
    assert is_person_noun("landlady")
    assert is_person_noun("welder")
    assert not is_person_noun("boat")


@given(st.text(max_size=80), st.text(min_size=1, max_size=12), st.text(min_size=1, max_size=12))
def test_any_text_can_be_read(text, owner, noun):
    found = described_person(text, owner, noun)
    assert found is None or found in text
