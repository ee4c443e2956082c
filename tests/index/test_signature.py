"""The signature cue beside plain sets: which episodes hold which keywords, and how they rank."""

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.core.config import Signatures
from hippocampus.core.records import Payloads
from hippocampus.encode.random_indexing import signatures
from hippocampus.index.query import Query
from hippocampus.index.signature import SignatureCue

HOW = Signatures(bits=64)
"""Wide enough that no two of the tokens below are within three bits; see the test that says so."""
TEXTS = st.lists(st.lists(st.integers(1, 12), max_size=8), max_size=12)
KEYWORD = st.lists(st.lists(st.integers(1, 12), min_size=1, max_size=3), min_size=1, max_size=2)


def cue_of(texts, *, settled=False):
    cue = SignatureCue(HOW.bits, 0)
    half = len(texts) // 2
    for some in (texts[:half], texts[half:]):
        codes = signatures(some, HOW)
        cue.observe(Payloads.of([own.tobytes() for own in codes]))
        if settled:
            cue.codes.build_matrix()
    return cue


def asked(*keywords):
    signed = tuple(tuple(signatures(forms, HOW)) for forms in keywords)
    return Query(
        text="?",
        now=datetime(2025, 1, 1, tzinfo=UTC),
        terms=np.empty(0, np.uint32),
        term_weights=np.empty(0, np.float32),
        keywords=signed,
    )


def says(text, form):
    return any(text[i : i + len(form)] == form for i in range(len(text)))


def holding(texts, forms):
    return {row for row, text in enumerate(texts) if any(says(text, form) for form in forms)}


def test_the_tokens_of_these_tests_are_apart():
    codes = signatures([[i] for i in range(1, 13)], HOW)
    apart = [
        int(np.unpackbits(one[0] ^ two[0]).sum())
        for place, one in enumerate(codes)
        for two in codes[:place]
    ]
    assert min(apart) > 3


@given(TEXTS, KEYWORD, st.booleans())
def test_a_keyword_is_found_where_a_spelling_stands_in_one_episode(texts, forms, settled):
    cue = cue_of(texts, settled=settled)
    (signed,) = asked(forms).keywords

    for radius in (0, 1):
        assert sorted(holding(texts, forms)) == cue.rows(signed, radius).tolist()


@given(TEXTS, st.lists(KEYWORD, min_size=1, max_size=4), st.booleans())
def test_together_are_the_rows_that_hold_every_keyword(texts, keywords, settled):
    cue = cue_of(texts, settled=settled)
    expected = set.intersection(*(holding(texts, forms) for forms in keywords))

    for radius in (0, 1):
        found = cue.together(asked(*keywords).keywords, radius)
        assert sorted(expected) == found.tolist()


@pytest.mark.slow
def test_of_many_tokens_frequent_keywords_are_verified_by_ranks():
    texts = [[1, 2, 3 + row % 9] for row in range(60_000)]
    texts[7], texts[40_000] = [12, 1], [12, 3]
    cue = cue_of(texts)
    cue.codes.build_matrix()
    keywords = asked([[1]], [[12]]).keywords
    verified = []
    holds = cue.codes.holds
    cue.codes.holds = lambda *spans: verified.append(spans) or holds(*spans)

    assert [7] == cue.together(keywords, 0).tolist()
    assert 1 == len(verified)
    assert [7] == cue.together(keywords, 1).tolist()
    assert 1 == len(verified), "a ball of many signatures is looked for everywhere"
    assert [] == cue.together((), 0).tolist()


@given(TEXTS, st.lists(KEYWORD, min_size=1, max_size=4))
def test_rows_are_ranked_by_how_rare_the_keywords_are_that_they_hold(texts, keywords):
    cue, question = cue_of(texts), asked(*keywords)
    held = [holding(texts, forms) for forms in keywords]
    rare = [np.log((len(texts) + 1) / (len(rows) + 0.5)) for rows in held]
    expected = [
        sum(weight for weight, rows in zip(rare, held, strict=True) if row in rows)
        for row in range(len(texts))
    ]

    rows = np.arange(len(texts), dtype=np.uint32)
    np.testing.assert_allclose(cue.score(question, rows), expected, rtol=1e-5)
    proposed = cue.propose(question, None, 100)
    assert {row for row, score in enumerate(expected) if score > 0} == set(proposed.tolist())
    assert sorted(cue.score(question, proposed), reverse=True) == list(
        cue.score(question, proposed)
    )


@given(TEXTS, KEYWORD, st.data())
def test_a_row_that_is_not_allowed_displaces_no_other(texts, forms, data):
    cue, question = cue_of(texts), asked(forms)
    allowed = np.array(data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts))))
    allowed = allowed.astype(np.bool_)
    limit = data.draw(st.integers(1, 3))
    expected = sorted(row for row in holding(texts, forms) if allowed[row])[:limit]

    assert expected == cue.propose(question, allowed, limit).tolist()


def test_a_question_without_keywords_gives_no_hold():
    cue = cue_of([[1], [2]])

    assert [] == cue.propose(asked(), None, 10).tolist()
    assert cue.score(asked(), np.arange(2, dtype=np.uint32)) is None


def test_rows_that_come_later_are_found_by_a_question_asked_before():
    cue, question = cue_of([[1], [2]]), asked([[1]])
    assert [0] == cue.propose(question, None, 10).tolist()
    cue.observe(Payloads.of([b"", signatures([[1, 1]], HOW)[0].tobytes()]))

    assert [0, 3] == cue.propose(question, None, 10).tolist()
    assert [True, True, False, True] == cue.present.tolist()


@pytest.mark.parametrize("radius", [0, 2, 5])
def test_a_larger_radius_finds_no_less(radius):
    how = Signatures(bits=16, window=1)
    random = np.random.default_rng(0)
    texts = random.integers(1, 50, (80, 6)).tolist()
    found = []
    for r in (radius, radius + 1):
        cue = SignatureCue(16, r)
        cue.observe(Payloads.of([own.tobytes() for own in signatures(texts, how)]))
        found.append(set(cue.rows([signatures([[7]], how)[0]], r).tolist()))

    assert found[0] <= found[1]
