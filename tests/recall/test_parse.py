"""What a question is read as: here, whose turns "I" and "you" point to."""

from datetime import UTC, datetime

import numpy as np
import pytest

from hippocampus.encode.terms import find_terms, hash_terms
from hippocampus.language.phonetic import sound_of
from hippocampus.recall.parse import bind, parse

NOW = datetime(2025, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("What did I buy?", {"user"}),
        ("What did you suggest to me?", {"user", "assistant"}),
        ("Remind me: where does Ana live?", set()),
        ("I have lost track. Where does Ana live?", set()),
        ("Could you please tell me where Ana lives?", set()),
        ("Do you remember where my keys are?", {"user"}),
        ("Can you remind me what I told you?", {"user", "assistant"}),
        ("tell me about my keys", {"user"}),
        ("Where does Ana live?", set()),
    ],
)
def test_whose_turns_are_meant_is_read_only_from_the_part_that_asks(text, meant):
    question = bind(parse(text, now=NOW), embedded=None, rotation=None, speakers=())

    assert meant == question.roles


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("What did Ana say?", {"Ana"}),
        ("Which plot did we remove from our paper with Ana?", set()),
        ("Which plot did Ana remove from our paper with Tom?", {"Ana"}),
        ("What is new on the kitchen renovation with Tom, and what does Tom say?", {"Tom"}),
        ("What did Ana share with Tom?", {"Ana", "Tom"}),
        ("Who stars in Ana's film with Tom?", {"Ana", "Tom"}),
    ],
)
def test_who_only_has_a_part_in_what_is_asked_about_is_not_who_said_it(text, named):
    question = bind(parse(text, now=NOW), embedded=None, rotation=None, speakers=("Ana", "Tom"))

    assert named == question.speakers


def test_words_that_everybody_spells_right_sound_like_no_name():
    question = bind(
        parse("Which trip went wrong with Sybiln?", now=NOW),
        embedded=None,
        rotation=None,
        speakers=(),
        phrases=True,
    )

    assert (sound_of("Sybiln".casefold()),) == question.phonetic_codes


def test_what_a_question_counts_is_read_as_of_the_moment_it_is_asked_for():
    query = parse("How often did I swim last month?", now=NOW)

    assert ("swim",) == query.counted.keys
    assert [(2, 3)] == [(one.start.month, one.end.month) for one in query.counted.intervals]
    assert parse("Where did I swim last month?", now=NOW).counted is None


def test_a_query_says_whether_it_is_in_latin_letters():
    latin, other = (parse(text, now=NOW) for text in ("Où est l'échelle?", "Где лестница?"))

    assert (True, False) == (latin.is_latin, other.is_latin)


def test_names_are_words_with_a_capital_that_begin_no_sentence():
    query = parse("Where did Ana's brother meet Tom?", now=NOW)

    hashes = [[term.hash, *term.forms] for term in find_terms("Ana's Tom")]
    assert sorted({each for some in hashes for each in some}) == query.name_terms.tolist()
    assert {*hash_terms("Ana's Tom").tolist()} <= {*query.name_terms.tolist()}
    assert not query.name_terms.flags.writeable


def test_a_given_name_is_a_name_at_the_beginning_too_and_a_german_noun_is_none():
    assert {*hash_terms("Ana").tolist()} <= {*parse("Ana's boss?", now=NOW).name_terms.tolist()}
    assert 0 == len(parse("Will it rain?", now=NOW).name_terms)
    german = parse("Singt Ana noch im Chor?", now=NOW).name_terms.tolist()
    assert {*hash_terms("Ana").tolist()} <= {*german}
    assert {term.hash for term in find_terms("ist im Chor")}.isdisjoint(german)


def test_all_that_a_question_says_is_hashed_as_the_same_words_in_a_memory():
    query = parse("Where is the ladder?", now=NOW)

    assert frozenset(hash_terms("where is the ladder").tolist()) == query.text_terms
    assert np.isin(query.terms, list(query.text_terms)).all()


def test_what_is_quoted_behind_a_colon_is_not_the_questions_own():
    quoting, plain = (
        parse(text, now=NOW) for text in ("What is this: a boat?", "What is this boat?")
    )

    assert ("What is this", "What is this boat?") == (
        quoting.text[: quoting.own_end], plain.text[: plain.own_end],
    )  # fmt: skip
    assert ["What", "is", "this", "a", "boat"] == [quoting.spelled(one) for one in quoting.words]


@pytest.mark.parametrize(
    ("text", "language"),
    [("Where does my sister live now?", "en"), ("Wo wohnt meine Schwester jetzt?", "de")],
)
def test_a_query_says_in_which_language_it_is(text, language):
    assert language == parse(text, now=NOW).language
