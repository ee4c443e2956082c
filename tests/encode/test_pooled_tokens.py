"""Words of grammar share a vector; names, and texts in unknown languages, have their own."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.encode.pooled_tokens import pool


def tokens_of(text):
    spans = [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]
    vectors = np.random.default_rng(len(text)).normal(size=(len(spans), 16)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.array(spans, np.int32).reshape(-1, 2), vectors


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Ada: I have been to Lisbon, and it was as warm as it is here.", ["Ada", "Lisbon"]),
        ("No lo sé, pero la hermana de Juan es de Madrid.", ["hermana", "Juan", "Madrid"]),
    ],
)
def test_words_that_tell_something_keep_their_own_vector(text, kept):
    spans, vectors = tokens_of(text)
    made = pool(text, spans, vectors)

    assert len(made) < len(vectors)
    own = {text[start:end]: vector for (start, end), vector in zip(spans, vectors, strict=True)}
    for word in kept:
        assert (made == own[word]).all(axis=1).any(), word


@given(st.text(max_size=80), st.integers(2, 6))
def test_what_is_pooled_has_the_mean_of_all(text, size):
    spans, vectors = tokens_of(text)
    made = pool(text, spans, vectors, size=size)
    own = [(vector == vectors).all(axis=1).any() for vector in made]

    fewer = len(vectors) - len(made)
    assert 0 <= fewer < max(1, len(vectors))
    if not fewer:
        assert np.array_equal(vectors, made)
    else:
        assert not all(own)
    assert np.isfinite(made).all()


def test_one_a_vector_leaves_all_as_they_are():
    spans, vectors = tokens_of("It is as it was.")

    assert np.array_equal(vectors, pool("It is as it was.", spans, vectors, size=1))


def test_a_language_without_spaces_is_left_as_it_is():
    spans = np.array([[0, 1], [1, 2], [2, 3]], np.int32)
    vectors = np.eye(3, 8, dtype=np.float32)

    assert np.array_equal(vectors, pool("猫在睡", spans, vectors))
