"""Banks that are read along, and memories that go from one to another, on the command line."""

import pytest


@pytest.fixture
def told(shell):
    shell("remember", "The website deploys on Fridays.", "--speaker", "Tom", "--bank", "web")
    shell("remember", "Commit messages are short.", "--speaker", "Ada", "--bank", "coder")
    shell("include", "web", "--bank", "coder")
    return shell


def test_an_answer_from_an_included_bank_shows_the_name_of_the_bank(told):
    question = "when does the website deploy?"
    shown = told("recall", question, "--bank", "coder")
    alone = told("recall", question, "--bank", "coder", "--include", "")

    assert (0, True) == (shown.code, "in web" in shown.out)
    assert "Fridays" not in alone.out
    asked = ("explain", question, "--bank", "coder", "--json")
    assert "web" == told(*asked).json["hits"][0]["bank"]
    assert "Fridays" in told("context", question, "--bank", "coder").out
    assert 1 == told("count", "website", "--bank", "coder", "--json").json["count"]
    assert "Commit" in told("recall", "commits", "--bank", "web", "--include", "coder").out


def test_an_included_bank_is_shown_until_it_is_taken_out_again(told):
    assert "web" in told("include", "--bank", "coder").out
    assert "none is read along" in told("include", "web", "--remove", "--bank", "coder").out
    assert "none is read along" in told("include", "--bank", "coder").out
    wrong = told("include", "coder", "--bank", "coder")
    assert (2, True) == (wrong.code, "always read" in wrong.err)


def test_a_mistyped_bank_is_refused_with_the_names_that_are_near_to_it(told):
    for number in range(6):
        told("remember", "x", "--bank", f"a{number}")

    wrong = told("include", "webb", "--bank", "coder")

    assert (2, "") == (wrong.code, wrong.out)
    assert "no bank 'webb' in the store; there is 'web', 'a0', " in wrong.err
    assert "correct the name, or remember something in it first" in wrong.err
    assert ["web"] == [one["bank"] for one in told("include", "--bank", "coder", "--json").json]
    unknown = told("include", "--bank", "codr")
    assert (2, True) == (unknown.code, "there is 'coder'" in unknown.err)
    assert 0 == told("include", "web", "--bank", "a new one").code


def test_nothing_is_begun_by_an_include_where_there_is_no_store(shell):
    assert 3 == shell("include", "web").code
    assert not shell.store.exists()


def test_a_promoted_memory_is_the_same_again_once_demoted(told):
    own = told("episodes", "--bank", "coder", "--json").json[0]["id"]

    (copy,) = told("promote", own, "--to", "web", "--bank", "coder", "--json").json

    assert "in coder, web" in " ".join(told("recall", "commits", "--bank", "coder").out.split())
    (back,) = told("demote", copy["id"], "--to", "coder", "--bank", "web", "--json").json
    assert ("coder", own) == (back["bank"], back["id"])
    assert 1 == len(told("episodes", "--bank", "web", "--json").json)
