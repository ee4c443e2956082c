"""Others' suites: what is new fails, what is known has its reason, what is mended is told."""

import tomllib

import pytest
from bench.suites import environments
from bench.suites.__main__ import compare, known, versions
from bench.suites.runners import RUNNERS

KNOWN = {"store::test_scores*": "another embedder", "store::test_table": "a private table"}


def test_known_failures_have_their_reasons_beside_a_count_of_what_passes():
    found = compare({"a": "passed", "store::test_scores[memory-1]": "0.7 is not 0.4"}, KNOWN)

    assert (2, 1) == (found["checks"], found["passed"])
    assert {"store::test_scores[memory-1]": "another embedder"} == found["known"]
    assert {} == found["new"]


def test_what_nobody_knows_of_is_new_with_what_was_said():
    found = compare({"store::test_put": "lost", "a": "passed"}, KNOWN)
    assert {"store::test_put": "lost"} == found["new"]


def test_a_known_failure_that_passes_is_mended():
    found = compare({"store::test_table": "passed", "store::test_scores[1]": "no"}, KNOWN)
    assert ["store::test_table"] == found["mended"]


@pytest.mark.parametrize("suite", known())
def test_all_that_is_known_is_of_a_suite_that_there_is(suite):
    assert suite in RUNNERS


def test_the_reasons_given_are_those_that_are_used():
    told = tomllib.loads((environments.HERE / "known.toml").read_text("utf-8"))
    reasons = told.pop("reasons")
    assert all(reasons.values())
    assert set(reasons) == {reason for of in told.values() for reason in of}


def test_every_version_is_pinned():
    assert all(version[0].isdigit() for version in versions().values())
