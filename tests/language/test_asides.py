"""What a question is asked for, and who wants to know, is no part of what it looks for."""

import pytest

from hippocampus.language.asides import without_asides

ASKED = """
Which days do I work, the dentist is asking         | Which days do I work
police want it, what make was my bike               | what make was my bike
What colour is the car, for the parking permit?     | What colour is the car
For my expense report: where was I on Friday?       | where was I on Friday?
how tall is Ada, I need it for a form               | how tall is Ada
I want to know: when does Ana come?                 | when does Ana come?
"""

WHOLE = """
For the party, what do I need to bring?
Mick has a swede for me. Do I want it?
What does Ada want?
who needs it
What do they need, and why?
for a form
Dentist is asking.
need gloves for the washing up, any I should steer clear of
"""


@pytest.mark.parametrize("line", ASKED.strip().splitlines())
def test_an_aside_is_left_out(line):
    asked, meant = (part.strip() for part in line.split("|"))
    assert without_asides(asked) == meant


@pytest.mark.parametrize("text", WHOLE.strip().splitlines())
def test_what_is_asked_for_stays_whole(text):
    assert without_asides(text) == text


def test_a_long_text_says_more_than_it_asks():
    text = "the dentist is asking, " * 50

    assert without_asides(text) == text
