"""Curated names are found as they are spelled, and where one is, nothing else is read."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.language.gazetteer import Gazetteer
from hippocampus.language.noun_phrases import find_phrases, key_of


def said(text, *names):
    found = Gazetteer(names).read(text).names
    return {name for name in names if key_of(name) in found}


@pytest.mark.parametrize(
    ("name", "says", "says_not"),
    [
        ("C++", ["C++20 is out", "(c++)", "C/C++.", "C++, please"], ["C", "C + +", "ABC++"]),
        (".NET", ["on .net", "(.NET Core)"], ["the net", "example.net/x", "a. net"]),
        ("R&D", ["R&D's budget", "r&d"], ["R & D", "R and D", "AR&D", "R&Do"]),
        ("A/B test", ["two A/B tests", "an a/b-test", "A/B\ntest"], ["B test", "A/B or test"]),
        ("rock & roll", ["Rock & roll!"], ["rock roll", "rock and roll"]),
        ("🎻", ["a 🎻", "played🎻well"], ["violin"]),
        ("go to market", ["Go-to-Market", "going to markets", "go to\nmarket"], ["go market"]),
        ("tax report", ["their glacier tax report", "TAX REPORTS"], ["tax", "report tax"]),
        ("C", ["written in C.", "C-like"], ["see"]),
        ("straße 5 ½", ["Die STRASSE 5 ½ ist"], ["Straße 5"]),
        ("北京", ["我在北京工作"], ["京北"]),
    ],
)
def test_a_name_is_said_word_by_word_with_its_signs_as_they_are_spelled(name, says, says_not):
    assert [text for text in says if not said(text, name)] == []
    assert [text for text in says_not if said(text, name)] == []


def test_what_is_no_word_in_a_name_is_no_other_name():
    assert said("We use C++ and C#.", "C", "C++", "C#") == {"C++", "C#"}
    assert said("C, and C++", "C", "C++") == {"C", "C++"}
    assert said("the R&D budget", "R", "D", "R&D", "R&D budget") == {"R&D", "R&D budget"}
    assert said("break even on paper", "break even", "break even on paper") == {
        "break even", "break even on paper",
    }  # fmt: skip


def test_a_noun_is_left_to_phrases_which_know_it_from_a_verb():
    assert not Gazetteer(["violin", "Lisbon"])
    assert not Gazetteer()


def test_only_words_that_stand_nowhere_else_are_pieces():
    read = Gazetteer(["node.js"]).read

    assert {key_of("node"), key_of("js")} == read("We run Node.js.").pieces
    assert {key_of("js")} == read("A node that runs node.js").pieces
    assert not read("A node").pieces


@given(st.text(min_size=1, max_size=9).filter(str.strip))
def test_whatever_is_curated_is_said_by_itself_or_a_phrase(name):
    phrased = {phrase.key for phrase in find_phrases(name)}

    assert key_of(name) in Gazetteer([name]).read(f"So: {name}!").names | phrased


@given(st.text(alphabet="cC+ .aß-ẞİfiﬁ\n'", max_size=60), st.booleans())
def test_the_rest_of_a_text_keeps_its_length_without_saying_the_name(text, more):
    spellings = Gazetteer(["C++", "ß.f", *["c", "a c"] * more])
    read = spellings.read(text)

    assert len(read.rest) == len(text)
    assert all(left in (" ", was) for left, was in zip(read.rest, text, strict=True))
    assert not spellings.read(read.rest).names & {key_of("C++"), key_of("ß.f")}


@pytest.mark.parametrize("part", ["a-", "a'", "c++ ", "c++  ", "go ", "a ", "-", "c+"])
def test_no_text_takes_long_to_look_through(part):
    spellings = Gazetteer(["C++", "a C++", "C++ a", "go go go now", "a-a-a C++ a-a"])
    start = time.process_time()
    spellings.read(part * 20_000 + "C++")

    assert time.process_time() - start < 5


@pytest.mark.parametrize("name", ["", " ", "\n\t"])
def test_a_name_that_somebody_made_of_nothing_is_said_nowhere(name):
    assert not Gazetteer([name])
