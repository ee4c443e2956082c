"""The inverted index scores as a list of counters would, however the documents came in."""

from concurrent.futures import ThreadPoolExecutor

import kernel_reference as reference
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippocampus.kernel import Bm25Index

TERMS = st.integers(0, 12).map(lambda i: i * 0x9E3779B1 % 2**32) | st.integers(0, 2**32 - 1)
DOCUMENTS = st.lists(st.lists(TERMS, max_size=12), max_size=12)
BATCHES = st.lists(DOCUMENTS, max_size=4)


def flat(documents):
    terms = np.array([t for document in documents for t in document], np.uint32)
    return terms, np.cumsum([0, *map(len, documents)]).astype(np.uint64)


def both(batches):
    fast, plain = Bm25Index(), reference.Bm25Index()
    for documents in batches:
        fast.extend(*flat(documents))
        plain.extend(*flat(documents))
    return fast, plain


@given(BATCHES, st.lists(TERMS, max_size=6), st.floats(0, 3), st.floats(0, 1), st.data())
def test_scores_agree_with_the_reference(batches, query, k1, b, data):
    fast, plain = both(batches)
    terms = np.array(query, np.uint32)
    flags = st.lists(st.integers(0, 1), min_size=len(plain), max_size=len(plain))
    mask = data.draw(st.none() | flags.map(lambda m: np.array(m, np.uint8)))
    some = st.lists(st.floats(0, 4, width=32), min_size=len(query), max_size=len(query))
    weights = data.draw(st.none() | some.map(lambda w: np.array(w, np.float32)))

    assert len(fast) == len(plain)
    assert np.array_equal(plain.document_frequency(terms), fast.document_frequency(terms))
    found, expected = (index.score(terms, weights, mask, k1, b) for index in (fast, plain))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)


@given(BATCHES, st.lists(TERMS, max_size=6), st.data())
def test_contributions_agree_with_the_reference(batches, query, data):
    fast, plain = both(batches)
    terms = np.array(query, np.uint32)
    some = st.lists(st.integers(0, max(len(plain) - 1, 0)), max_size=20 if len(plain) else 0)
    rows = np.array(data.draw(some), np.uint32)
    found, expected = (index.contributions(terms, rows, 1.2, 0.75) for index in (fast, plain))

    assert found.shape == (len(rows), len(terms))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)


@given(BATCHES, st.lists(TERMS, max_size=4), st.data())
def test_those_that_hold_all_of_some_terms_agree_with_the_reference(batches, query, data):
    fast, plain = both(batches)
    terms = np.array(query, np.uint32)
    flags = st.lists(st.integers(0, 1), min_size=len(plain), max_size=len(plain))
    mask = data.draw(st.none() | flags.map(lambda m: np.array(m, np.uint8)))

    found = fast.holding(terms, mask)
    assert found.dtype == np.uint32
    assert np.array_equal(plain.holding(terms, mask), found)


def test_common_terms_are_followed_through_all_their_blocks():
    fast, plain = both([[[t for t in (2, 3, 5) if row % t == 0] for row in range(2_000)]])
    for query in ([2], [2, 3], [5, 3, 2], [2, 2], [2, 7]):
        terms = np.array(query, np.uint32)
        assert np.array_equal(plain.holding(terms, None), fast.holding(terms, None))


@given(BATCHES)
def test_every_term_is_heard_for_the_first_time_once(batches):
    fast, plain = both(batches)
    rows = np.arange(len(plain), dtype=np.uint32)
    found = fast.unheard(rows)

    assert np.array_equal(plain.unheard(rows), found)
    assert len({t for documents in batches for d in documents for t in d}) == found.sum()
    with pytest.raises(IndexError):
        fast.unheard(np.array([len(plain)], np.uint32))


@given(st.lists(DOCUMENTS, min_size=2, max_size=4))
def test_one_batch_or_many_make_the_same_index(batches):
    many, _ = both(batches)
    one, _ = both([[document for documents in batches for document in documents]])
    terms = np.array([t for documents in batches for d in documents for t in d], np.uint32)

    assert np.array_equal(
        one.score(terms, None, None, 1.2, 0.75), many.score(terms, None, None, 1.2, 0.75)
    )


@given(BATCHES, st.lists(TERMS, max_size=6))
def test_a_version_answers_as_an_index_that_ends_where_it_does(batches, query):
    fast, versions = Bm25Index(), []
    for documents in batches:
        versions.append((fast, reference.Bm25Index(), len(fast)))
        fast = fast.fork()
        fast.extend(*flat(documents))
    every = [document for documents in batches for document in documents]
    terms = np.array(query, np.uint32)

    for version, plain, size in versions:
        plain.extend(*flat(every[:size]))
        assert size == len(version)
        assert np.array_equal(plain.document_frequency(terms), version.document_frequency(terms))
        assert np.array_equal(plain.holding(terms[:2], None), version.holding(terms[:2], None))
        rows = np.arange(size, dtype=np.uint32)
        assert np.array_equal(plain.unheard(rows), version.unheard(rows))
        scores = plain.score(terms, None, None, 1.2, 0.75)
        np.testing.assert_allclose(version.score(terms, None, None, 1.2, 0.75), scores, rtol=1e-5)
        shares = plain.contributions(terms, rows, 1.2, 0.75)
        np.testing.assert_allclose(
            version.contributions(terms, rows, 1.2, 0.75), shares, rtol=1e-5, atol=1e-7
        )
        with pytest.raises(IndexError):
            version.unheard(np.array([size], np.uint32))


def test_only_the_longest_version_grows():
    short = Bm25Index()
    long = short.fork()
    long.extend(*flat([[1]]))

    with pytest.raises(ValueError, match="another one appended"):
        short.extend(*flat([[2]]))
    assert (0, 1) == (len(short), len(long))


def test_a_large_collection_with_common_and_rare_terms_agrees_with_the_reference():
    random = np.random.default_rng(3)
    documents = [(random.zipf(1.3, random.integers(0, 30)) % 5000).tolist() for _ in range(3000)]
    fast, plain = both([documents[:1000], documents[1000:]])
    terms = np.array([0, 1, 2, 3, 50, 4999, 7777777], np.uint32)
    rows = random.integers(0, 3000, 400, dtype=np.uint32)

    assert fast.document_frequency(terms)[1] > 1000
    for k1, b in [(1.2, 0.75), (0.0, 0.0), (2.0, 1.0)]:
        found, expected = (index.score(terms, None, None, k1, b) for index in (fast, plain))
        np.testing.assert_allclose(found, expected, rtol=1e-5)
        found, expected = (index.contributions(terms, rows, k1, b) for index in (fast, plain))
        np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_a_term_repeated_past_255_counts_as_255():
    fast, plain = both([[[7] * 300, [7] * 255, [7]]])
    terms = np.array([7], np.uint32)
    found, expected = (index.score(terms, None, None, 1.2, 0.0) for index in (fast, plain))

    assert found[0] == found[1] > found[2]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_a_score_is_the_sum_of_contributions_that_are_each_below_the_idf():
    index, _ = both([[[1, 2, 2], [2], [1, 3], []]])
    terms = np.array([1, 2, 2], np.uint32)
    shares = index.contributions(terms, np.arange(4, dtype=np.uint32), 1.2, 0.75)
    df = index.document_frequency(terms)
    idf = np.log1p((len(index) - df + 0.5) / (df + 0.5))

    np.testing.assert_allclose(
        shares.sum(axis=1), index.score(terms, None, None, 1.2, 0.75), rtol=1e-6
    )
    assert np.all(shares < idf)


@pytest.mark.slow
def test_a_posting_costs_at_most_eight_bytes():
    random = np.random.default_rng(5)
    chances = 1 / np.arange(1, 60_001)
    terms = random.choice(60_000, 1_500_000, p=chances / chances.sum()).astype(np.uint32)
    index = Bm25Index()
    index.extend(terms, np.arange(0, 1_500_001, 30, dtype=np.uint64))

    assert index.nbytes <= 8 * index.document_frequency(np.unique(terms)).sum()


def test_readers_and_a_writer_do_not_disturb_one_another():
    index = Bm25Index()
    batch = flat([[1, 2, 3, i] for i in range(50)])
    terms = np.array([1, 3, 40], np.uint32)

    def read():
        sizes = [len(index.score(terms, None, None, 1.2, 0.75)) for _ in range(200)]
        return sizes == sorted(sizes) and all(size % 50 == 0 for size in sizes)

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(read) for _ in range(3)]
        for _ in range(100):
            index.extend(*batch)
        assert all(reader.result() for reader in readers)
    assert len(index) == 5000


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (
            ValueError,
            "weights has 1 items, must have 2",
            lambda i, t: i.score(t, f32(1), None, 1, 0),
        ),
        (ValueError, "mask has 2 items, must have 3", lambda i, t: i.score(t, None, u8(2), 1, 0)),
        (ValueError, "k1=-1.0+, must be at least 0", lambda i, t: i.score(t, None, None, -1.0, 0)),
        (ValueError, "k1=nan", lambda i, t: i.score(t, None, None, np.nan, 0)),
        (ValueError, r"b=1.5\d*, must lie in", lambda i, t: i.contributions(t, t[:0], 1.0, 1.5)),
        (
            IndexError,
            r"rows\[0\]=3 is out of bounds for 3 rows",
            lambda i, t: i.contributions(t, np.array([3], np.uint32), 1.0, 0.5),
        ),
        (ValueError, "mask has 1", lambda i, t: i.holding(t, np.ones(1, np.uint8))),
        (ValueError, "must end at", lambda i, t: i.extend(t, np.array([0, 3], np.uint64))),
        (ValueError, "offsets is empty", lambda i, t: i.extend(t, np.array([], np.uint64))),
        (TypeError, "incompatible", lambda i, t: i.document_frequency(t.astype(np.int64))),
    ],
)
def test_arguments_that_do_not_fit_are_refused_by_name_without_any_change(error, message, call):
    index, _ = both([[[1, 2], [1], []]])
    with pytest.raises(error, match=message):
        call(index, np.array([1, 2], np.uint32))
    assert len(index) == 3
    assert index.document_frequency(np.array([1], np.uint32)).tolist() == [2]


def f32(n):
    return np.ones(n, np.float32)


def u8(n):
    return np.ones(n, np.uint8)


@given(BATCHES, DOCUMENTS, st.lists(TERMS, max_size=6))
def test_an_unpacked_index_grows_on_like_the_one_that_was_packed(batches, more, query):
    fast, plain = both(batches)
    packed = fast.pack()
    order = np.argsort(packed[0], kind="stable")
    expected = plain.pack()
    assert np.array_equal(packed[0][order], expected[0])
    assert np.array_equal(packed[1][order], expected[1])
    assert sorted(packed[2].tolist()) == sorted(expected[2].tolist())
    again = Bm25Index.unpack(*packed)
    for one in (fast, plain, again):
        one.extend(*flat(more))
    terms, rows = np.array(query, np.uint32), np.arange(len(plain), dtype=np.uint32)
    assert np.array_equal(again.unheard(rows), fast.unheard(rows))
    assert np.array_equal(again.document_frequency(terms), plain.document_frequency(terms))
    assert np.array_equal(
        again.score(terms, None, None, 0.9, 0.4), fast.score(terms, None, None, 0.9, 0.4)
    )


def test_only_the_longest_version_is_packed():
    index = Bm25Index()
    index.extend(*flat([[1, 2]]))
    before = index.fork()
    index.extend(*flat([[3]]))
    with pytest.raises(ValueError, match="after which another one appended"):
        before.pack()


@pytest.mark.slow
@settings(max_examples=10 * settings().max_examples)
@given(BATCHES, st.data())
def test_a_packed_index_that_was_changed_is_refused_or_harmless(batches, data):
    fast, _ = both(batches)
    packed = [one.copy() for one in fast.pack()]
    which = data.draw(st.integers(0, 4))
    if not len(packed[which]):
        return
    kind = data.draw(st.sampled_from(["change", "cut", "more"]))
    if kind == "change":
        at = data.draw(st.integers(0, len(packed[which]) - 1))
        packed[which][at] = data.draw(st.integers(0, 2**32 - 1))
    elif kind == "cut":
        packed[which] = packed[which][:-1]
    else:
        packed[which] = np.append(packed[which], packed[which][-1:])
    try:
        index = Bm25Index.unpack(*packed)
    except ValueError:
        return
    index.score(packed[0][:9], None, None, 0.9, 0.4)
    index.extend(*flat([[1, 2, 3]]))
