"""Origins: read off role and source, in an order of trust, and refused when they are none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.core.origin import (
    ORIGINS,
    check_origin,
    derive_origin,
    least_trusted,
    trusted_origins,
)
from hippocampus.core.records import (
    ALL_MARKS,
    SETTLED,
    SUSPECT,
    first_marks,
    given_origin,
    settled_level,
)
from hippocampus.errors import InputError, InvalidFilter


@pytest.mark.parametrize(
    ("role", "source", "spoken", "origin"),
    [
        (None, None, False, "user"),
        (None, None, True, "user"),
        ("customer", None, False, "user"),
        ("User", "export.json", False, "user"),
        ("developer", None, False, "user"),
        ("assistant", "chat.json", True, "assistant"),
        ("function", None, False, "tool"),
        (None, "notes/garden.md", False, "document"),
        ("narrator", "book.epub", False, "document"),
        (None, "inbox.mbox", True, "import"),
        ("user", "https://example.com", True, "web"),
        ("tool", "HTTP://example.com", False, "web"),
    ],
)
def test_an_origin_is_read_off_role_and_source(role, source, spoken, origin):
    assert origin == derive_origin(role, source, spoken=spoken)


@given(st.sampled_from(ORIGINS))
def test_trust_in_an_origin_is_trust_in_every_more_trusted_one(origin):
    trusted = trusted_origins(origin)

    assert set(ORIGINS[: ORIGINS.index(origin) + 1]) == trusted
    assert least_trusted(trusted) == origin
    assert trusted_origins([origin]) == {origin}


@pytest.mark.parametrize("wrong", ["", "me", [], ["user", "me"], {"user": 1}, 3, b"user", [1]])
def test_what_is_no_origin_is_no_trust(wrong):
    with pytest.raises(InvalidFilter, match="user, assistant, tool, document, web, import"):
        trusted_origins(wrong)
    with pytest.raises(InputError, match="must be one of user"):
        check_origin(wrong)


@given(st.sampled_from([None, *ORIGINS]), st.booleans(), st.integers(0, 7), st.integers(0, 4))
def test_marks_hold_origin_level_and_flags_apart(origin, suspect, flags, level):
    marks = first_marks(origin, suspect=suspect) + flags + SETTLED * level

    assert 0 <= marks <= ALL_MARKS
    assert (given_origin(marks), settled_level(marks)) == (origin, level)
    assert bool(marks & SUSPECT) == suspect
