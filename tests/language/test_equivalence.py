"""What reads alike and says something else is told apart; the same in other words is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.language.equivalence import are_opposed

APART = [
    ("It is 5 degrees.", "It is -5 degrees."),
    ("x > 3", "x < 3"),
    ("He left.", "He left?"),
    ("We use C here.", "We use C++ here."),
    ("The rate is 5.", "The rate is 5 %."),
    ("Great 👍", "Great 👎"),
    ("My password is aB3.", "My password is Ab3."),
    ("Ask US about it.", "Ask us about it."),
    ("I locked the door.", "I unlocked the door."),
    ("Meet me at 5pm.", "Meet me at 5am."),
    ("I turned it on before lunch.", "I turned it off before lunch."),
    ("She started taking the pills.", "She stopped taking the pills."),
    ("I sold the boat to Rui.", "I bought the boat from Rui."),
]
ALIKE = [
    ("The ferry was late again.", "the ferry was late, again!"),
    ("We moved to Lisbon.", "As I said: We moved to Lisbon."),
    ("I have a dog called Rex.", "I own a dog; he is called Rex."),
    ("Really?", "Really??"),
    ("Great 👍", "Great"),
    ("We turned it off on Monday.", "On Monday we turned it off."),
]


@pytest.mark.parametrize(("one", "other"), APART)
def test_a_sign_a_spelling_or_an_opposite_tells_two_texts_apart(one, other):
    assert are_opposed(one, other)


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_other_words_for_the_same_are_not_opposed(one, other):
    assert not are_opposed(one, other)


@given(st.text(), st.text())
def test_opposition_is_mutual_without_anybody_being_opposed_to_themselves(one, other):
    assert are_opposed(one, other) == are_opposed(other, one)
    assert not are_opposed(one, one)
