"""Two wordings of one thing share their details; two things that read alike do not."""

import pytest

from hippocampus.language.equivalence import BITS, details_of, digest_details


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We meet at 5.", "We meet at 6."),
        ("We meet on Monday.", "We meet on Tuesday."),
        ("The violin is mended.", "The violin is not mended."),
        ("She can come.", "She can't come."),
        ("Two of them came.", "Three of them came."),
        ("From 3 to 5.", "From 5 to 3."),
        ("It is due on 2025-01-02.", "It is due on 2025-01-03."),
    ],
)
def test_a_number_a_day_or_a_negation_is_a_detail(one, other):
    assert details_of(one) != details_of(other)
    assert digest_details(one, ()) != digest_details(other, ())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The violin is mended.", "My violin was mended!"),
        ("She can't come.", "She won’t be coming."),
        ("On Monday at 5.", "at MONDAY, 5"),
    ],
)
def test_other_words_are_none(one, other):
    assert details_of(one) == details_of(other)
    assert digest_details(one, {3, 5}) == digest_details(other, [5, 3])


def test_a_digest_counts_names_as_details_without_ever_being_none():
    assert digest_details("A.", {1}) != digest_details("A.", {2}) != digest_details("A.", ())
    assert all(0 < digest_details(f"{n} {n}", ()) < 1 << BITS for n in range(300))
