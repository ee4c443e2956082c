"""What a thing is called, too, is read however it is said, and nothing that only looks like it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.language.alias_patterns import find_other_names


@pytest.mark.parametrize(
    ("text", "thing", "name"),
    [
        ("Heron is what we call the boat trip among ourselves.", "boat trip", "Heron"),
        ("From now on the Latin course goes by the name of Verbena", "Latin course", "Verbena"),
        ('We call the boat trip "Heron".', "boat trip", "Heron"),
        ("They renamed the billing service to Otter last week.", "billing service", "Otter"),
        ("The billing service was renamed Otter.", "billing service", "Otter"),
        ("Our code name for the Acme merger is Falcon.", "Acme merger", "Falcon"),
        ("The migration project (code name Atlas) starts.", "migration project", "Atlas"),
        ("The support team is known internally as Beacon.", "support team", "Beacon"),
        ("HMR stands for hot module replacement.", "hot module replacement", "HMR"),
        ("I named my snake plant Gertrude.", "snake plant", "Gertrude"),
        ("We decided to call the town library Lumen.", "town library", "Lumen"),
        ("Robert, aka Bob, came by.", "Robert", "Bob"),
        ("Catherine goes by Kate.", "Catherine", "Kate"),
        ("Everyone calls Catherine Kate.", "Catherine", "Kate"),
        ("Kate, whose real name is Catherine, plays the harp.", "Kate", "Catherine"),
        ("Otter, whose original name was Beacon, is live.", "Otter", "Beacon"),
        ("Kate (full name Catherine Oduya) came by.", "Kate", "Catherine Oduya"),
    ],
)
def test_what_something_is_called_too_is_read(text, thing, name):
    assert [(thing, name)] == list(find_other_names(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The new office is not called Atlas.",
        "We no longer call the boat trip Heron.",
        "I called the dental clinic on Monday.",
        "The support line was called on Friday by Erik.",
        "The support line called Erik.",
        "I called Anna and Ben.",
        "The trip is called Heron.",  # any trip is
        "We call the boat trip a mess.",
        "She was called yesterday.",
        "What do we call the new library?",
        "Ana is what we need.",
        "Heron is called Heron.",
        "We decided not to call the boat trip Heron.",
        "Nobody wants to call the boat trip Heron.",
        "I called the insurance company Allianz.",  # up
        "I called my best friend Anna.",
        "The new boss is called Anna.",  # for now
        "Olga goes by Porto on her way.",
        "Olga goes by Kofi's house.",
        "Kofi stands for Parliament.",
        "We call Anna Oduya on Sundays.",  # a surname, and up
        "I called Anna Kate.",
        "Kate, whose real name is not Catherine, left.",
        "Kate, whose sister is Anna, left.",
        "They call Anna every week.",
    ],
)
def test_what_gives_no_second_name_is_not_read(text):
    assert [] == list(find_other_names(text))


pieces = st.sampled_from(
    'the our boat trip Heron Ana Latin course is called known as goes by name of what we call ( ) "'
    " , aka stands for not was renamed to code short née 東京 \n".split(" ")
)


@given(st.lists(pieces, max_size=20).map(" ".join) | st.text(max_size=120))
def test_of_any_text_both_names_stand_in_it_with_one_written_as_a_name(text):
    for thing, name in find_other_names(text):
        assert thing in text
        assert name in text
        assert name[0].isupper()
        assert thing.casefold() != name.casefold()


@pytest.mark.parametrize(
    ("text", "thing", "names"),
    [
        ("We call Catherine Kate and Kitty.", "Catherine", ["Kate", "Kitty"]),
        ("They call Margaret Peggy or Maggie.", "Margaret", ["Peggy", "Maggie"]),
        ("We call the boat trip Heron or Stork.", "boat trip", ["Heron", "Stork"]),
    ],
)
def test_several_names_of_one_thing_are_each_its(text, thing, names):
    assert [(thing, name) for name in names] == list(find_other_names(text))
