"""A question is asked by the other names of what it names, as far as a read may know them."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from hippocampus.core.records import Statement
from hippocampus.encode.terms import hash_terms
from hippocampus.index.graph import Statements
from hippocampus.language.noun_phrases import key_of
from hippocampus.recall.alias_expansion import Aliases
from hippocampus.recall.parse import bind, parse, without_event

NOW = datetime(2025, 5, 2, tzinfo=UTC)
HERON = Statement("boat trip", "also_called", "Heron")
MIA = Statement("Ana", "sister", "Mia")


def names(*said):
    rows = {row: (statement,) for row, statement in enumerate(said)}
    return Aliases(Statements(len(said), rows))


def ask(text):
    return bind(parse(text, now=NOW), embedded=None, rotation=None, speakers=(), phrases=True)


@pytest.mark.parametrize(
    ("text", "other"),
    [("Who came on the boat trip?", "Heron"), ("Who came along on Heron?", "boat trip")],
)
def test_either_name_asks_by_the_other_as_well(text, other):
    question = ask(text)
    wide = names(HERON).widen(question, None)

    assert wide.phrases.keys() == question.phrases.keys() | {key_of(other)}
    assert key_of(other) in wide.definite
    assert set(wide.terms.tolist()) == {*question.terms.tolist(), *hash_terms(other).tolist()}
    assert len(wide.terms) == len(wide.term_weights) == len(set(wide.terms.tolist()))


def test_somebodys_kin_is_who_it_is_instead_of_the_one_whose_it_is():
    question = ask("Where does Ana's sister live?")
    wide = names(MIA).widen(question, None)

    assert key_of("Ana") in question.phrases
    assert wide.phrases.keys().isdisjoint({key_of("Ana"), key_of("sister")})
    assert {key_of("Mia"), key_of("live")} <= wide.phrases.keys()
    said = [question.terms[place] for place in wide.phrases[key_of("Mia")]]
    assert sorted(said) == sorted(np.concatenate([hash_terms("Ana's"), hash_terms("sister")]))


@pytest.mark.parametrize(
    "told",
    [
        (),
        (HERON._replace(subject="car trip"),),
        (HERON._replace(mode="denied"),),
        (MIA._replace(subject="Eva"),),
        (MIA._replace(mode="denied"),),
        (MIA._replace(relation="phone", object="Pixel"),),  # which is no name of hers
        tuple(HERON._replace(object=f"Heron{n}") for n in range(9)),  # everything is called so
        (HERON, HERON._replace(mode="ended")),
        (MIA, MIA._replace(object="", mode="ended")),
    ],
)
def test_a_question_that_nothing_is_told_of_stays_the_same(told):
    for question in (ask("Who came on the boat trip with Ana's sister and Ana's phone?"), ask("")):
        assert names(*told).widen(question, None) is question


def test_she_is_asked_about_no_more_only_where_what_is_hers_is_replaced():
    question = bind(
        parse("What did Ana's note to sister Mia say?", now=NOW),
        embedded=None,
        rotation=None,
        speakers=("Ana", "Mia"),
        phrases=True,
    )
    assert names(MIA).widen(question, None) is question
    about = bind(
        parse("What did Ana's sister say?", now=NOW),
        embedded=None,
        rotation=None,
        speakers=("Ana", "Mia"),
    )
    assert {"Ana"} == about.speakers
    assert set() == names(MIA).widen(about, None).speakers


def test_other_names_count_whole_beside_words_that_a_known_event_takes_away():
    question = without_event(
        ask("What did Tom say of the boat trip in the week when Eva was away?"), ()
    )
    wide = names(HERON).widen(question, None)

    assert 0 in question.term_discounts
    assert len(wide.terms) == len(wide.term_weights) == len(wide.term_discounts)
    assert 1 == wide.term_discounts[-1]


def test_words_of_grammar_in_another_name_ask_for_nothing():
    wide = names(HERON._replace(object="Bank of the Sea")).widen(
        ask("Who is on the boat trip?"), None
    )

    assert hash_terms("of")[0] not in wide.terms[wide.term_weights > 0]


def test_what_a_read_may_not_see_gives_no_name():
    question, known = ask("Who came on the boat trip with Ana's sister?"), names(HERON, MIA)

    assert known.widen(question, np.zeros(2, np.bool_)) is question
    assert known.widen(question, np.zeros(0, np.bool_)) is question
    wide = known.widen(question, np.array([True, False]))
    assert key_of("Heron") in wide.phrases
    assert key_of("Mia") not in wide.phrases


@pytest.mark.slow
def test_after_a_sleep_what_has_only_the_other_name_is_found_until_that_is_forgotten(bank, clock):
    told = bank.remember("Heron is what we call the Faro boat trip among ourselves.")
    for n in range(40):
        clock.advance(timedelta(hours=1))
        bank.remember(f"Rent for boat number {n} was paid on the trip to town {n}.")
    clock.advance(timedelta(days=30))
    only = bank.remember("Heron first: 720 euros altogether, and nobody is coming.")
    bank.remember("The weather is nice.")
    bank.sleep()
    question = "How much is the rent for the Faro boat trip?"

    assert only.id in [hit.id for hit in bank.recall(question, k=5)]
    bank.forget(told.id)
    assert only.id not in [hit.id for hit in bank.recall(question, k=5)]
