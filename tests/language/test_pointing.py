"""What a question means without naming it is read off its grammar."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.encode.terms import find_terms
from hippocampus.language.pointing import names_nothing, pointing, says_nothing


def read(reader, question):
    return reader(question, tuple(find_terms(question)))


@pytest.mark.parametrize(
    ("question", "nothing"),
    [
        ("Catch me up.", True),
        ("How far along had I got?", True),
        ("Fill us in again, then go on.", True),
        ("Could you take me through?", True),
        ("And now? What would come next?", True),
        ("Did that drift?", True),
        ("How does this go on?", True),
        ("Did that boat drift?", False),
        ("shop", False),
        ("When do we row?", False),
        ("How much is the coal?", False),
        ("Can Ingrid row?", False),
        ("Go on with Ingrid?", False),
        ("", False),
    ],
)
def test_what_has_no_noun_no_name_and_no_time_names_nothing(question, nothing):
    assert read(names_nothing, question) is nothing


@pytest.mark.parametrize(
    ("question", "surely"),
    [
        ("What about ours?", 1.0),
        ("Who pays for this one?", 1.0),
        ("Is the roof of it new?", 0.5),
        ("Who is behind this?", 0.5),
        ("Why would those break?", 0.5),
        ("What did this cost us in Lisbon?", 1.0),
        ("Who painted this wall?", 0.0),
        ("Did this wall of yours hold?", 0.0),
        ("Is that the mayor's boat?", 0.5),
        ("Who is the mayor?", 0.0),
    ],
)
def test_a_demonstrative_points_unless_it_leads_to_its_noun(question, surely):
    assert read(pointing, question) == surely


@pytest.mark.parametrize(
    ("question", "nothing"),
    [
        ("Catch me up.", True),
        ("Where did we stop?", True),
        ("What comes next?", True),
        ("What did I sell?", False),
        ("Did that drift?", False),
        ("What did Ingrid say?", False),
    ],
)
def test_a_verb_of_its_own_is_something_to_search_for(question, nothing):
    assert read(says_nothing, question) is nothing


@given(st.text(max_size=60))
def test_any_text_that_says_nothing_names_nothing(text):
    assert read(pointing, text) in {0.0, 0.5, 1.0}
    assert read(names_nothing, text) or not read(says_nothing, text)
