"""Names of banks from ids: one for each, whatever is in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.errors import InvalidScope
from hippocampus.scopes import ScopedBanks, scope_of

IDS = st.text(min_size=1, max_size=8).filter(str.strip)


def test_the_first_id_is_written_to_with_the_others_read_along():
    scope = scope_of(agent="coder", project="web", team=None, run="r1")

    assert ScopedBanks("agent/coder", ("project/web",), "r1") == scope
    assert ScopedBanks("user/ada") == scope_of(user_id="ada") == scope_of(user="ada")
    assert ScopedBanks("run/r1", session="r1") == scope_of(run="r1", user=None)
    assert ScopedBanks("acme/user/ada", ("acme/team/core",)) == scope_of(
        within="acme", user="ada", team="core"
    )


@given(st.lists(st.tuples(st.sampled_from(["user", "agent", "project"]), IDS), min_size=2))
def test_other_ids_have_other_banks_with_none_inside_another(pairs):
    names = {(kind, id_): scope_of(**{kind: id_}).bank for kind, id_ in pairs}

    assert len(set(names.values())) == len(names)
    assert all(name.count("/") == 1 and not name.endswith("*") for name in names.values())


@pytest.mark.parametrize("ids", [{}, {"user": None}, {"user": " "}, {"user": 3}, {"run": ""}])
def test_nobody_has_no_bank(ids):
    with pytest.raises(InvalidScope):
        scope_of(**ids)


@pytest.mark.parametrize(
    ("ids", "told"),
    [
        ({"user": "ada", "user_id": "tom"}, "user='ada'.*user='tom'"),
        ({"_id": "ada"}, "kind"),
        ({"acme/user": "ada"}, "acme/user"),
        ({"user": "ada", "run": " "}, "run=' '"),
        ({"user": "ada", "run": 5}, "run=5"),
        ({"user": "ada", "within": None}, "within=None"),
        ({"user": "ada", "within": "*"}, r"within='\*'"),
    ],
)
def test_what_names_no_single_bank_is_refused_with_the_reason(ids, told):
    with pytest.raises(InvalidScope, match=told):
        scope_of(**ids)


def test_an_id_that_is_given_twice_alike_is_one():
    assert scope_of(user="ada", user_id="ada", run=None) == ScopedBanks("user/ada")
