"""Clusters hang together, and what is quoted of them is their own words."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.encode.tokens import count
from hippocampus.sleep.gists import LEAST, MOST, TOKENS, find_clusters, quote
from hippocampus.sleep.summary import SENTENCE


def around(*sizes, spread=0.05, d=32):
    """Return unit vectors in groups that have nothing to do with each other."""
    dice = np.random.default_rng(3)
    groups = [
        np.eye(d, dtype=np.float32)[at] + spread * dice.standard_normal((size, d), np.float32)
        for at, size in enumerate(sizes)
    ]
    vectors = np.concatenate([np.zeros((0, d), np.float32), *groups])
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_what_is_near_is_a_cluster_once_there_are_more_than_two():
    found = [group.tolist() for group in find_clusters(around(4, 2, 3, 1), 0.7)]

    assert [[0, 1, 2, 3], [6, 7, 8]] == found


@given(st.lists(st.integers(0, 40), max_size=5), st.floats(0, 0.4), st.floats(-1, 1))
def test_clusters_of_an_allowed_size_share_no_memory(sizes, spread, least):
    vectors = around(*sizes, spread=spread)
    found = find_clusters(vectors, least)
    every = np.concatenate([np.empty(0, np.int64), *found])

    assert len(set(every.tolist())) == len(every)
    assert all(LEAST <= len(group) <= MOST for group in found)
    for group in found:
        near = vectors[group] @ vectors[group].T - 2 * np.eye(len(group))
        assert (near.max(axis=1) >= least - 1e-5).all()


def test_what_has_no_vector_is_in_no_cluster():
    vectors = around(5)
    vectors[2] = 0

    assert [[0, 1, 3, 4]] == [group.tolist() for group in find_clusters(vectors, -1)]
    assert [] == find_clusters(np.zeros((7, 4), np.float32), 0.5)
    assert [] == find_clusters(np.zeros((0, 4), np.float32), 0.5)


WORDS = "We sailed the old boat to Lisbon in May and mended 3 sails, but not the mast. Hello!"
texts = st.lists(
    st.lists(st.sampled_from([*WORDS.split(), "\n", "é", "猫"]), max_size=30).map(" ".join),
    min_size=1,
    max_size=8,
)


@given(texts, st.sampled_from(["", "Ada", "Tom"]))
def test_a_gist_is_a_quarter_of_its_sources_or_one_sentence_that_is_never_cut(said, who):
    total = sum(map(count, said))
    made = quote([(at, who, text) for at, text in enumerate(said)], total)
    words = {word for text in said for word in re.findall(r"\w+", text)}

    assert set(re.findall(r"\w+", made)) <= words | {who}
    parts = _parts(made, who)
    if count(made) > min(TOKENS, max(8, -(-total // 4))):
        assert len(parts) == 1
        assert count(made) <= SENTENCE + count(f"{who}: ")
    assert all(any(part in " ".join(text.split()) for text in said) for part in parts)


def _parts(made, who):
    """The sentences that a gist quotes."""
    return [part for part in made.removeprefix(f"{who}: ").split("; ") if part]


def test_a_gist_begins_with_the_central_memory_without_telling_anything_twice():
    said = [
        (1, "Ada", "We sell the boat in May."),
        (0, "Ada", "We sell the boat in May!"),
        (2, "Tom", "The mast is broken since the storm."),
    ]
    made = quote(said, 200)

    assert "Ada: We sell the boat in May; Tom: The mast is broken since the storm" == made
    assert "Ada: We sell the boat in May" == quote(said, 4 * count(made) // 2)
    assert "" == quote([(0, "Ada", "!?")], 2)


@pytest.mark.parametrize("who", ["", "Ada"])
def test_speakers_are_named_once_in_a_row(who):
    made = quote([(0, who, "A cat."), (1, who, "A dog barks.")], 100)

    assert made.count("Ada") == len(who) // 3
