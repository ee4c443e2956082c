"""Many anchors are compared by their signs first, and hardly one of the nearest is missed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.calibrate.conversations import read_synthetic
from hippocampus.core.records import Passage
from hippocampus.encode.embed import load_embedder
from hippocampus.encode.model_files import installed
from hippocampus.index.anchor_search import AnchorSearch
from hippocampus.language.noun_phrases import find_phrases

D = 64


def unit(random, *shape):
    made = random.normal(size=(*shape, D)).astype(np.float32)
    return made / np.linalg.norm(made, axis=-1, keepdims=True)


@given(st.integers(0, 20), st.integers(0, 40), st.integers(0, 9))
def test_few_anchors_are_all_compared_except_names_without_a_meaning(seed, count, most):
    random = np.random.default_rng(seed)
    vectors = unit(random, count)
    vectors[::3] = 0
    query = unit(random)
    meant = AnchorSearch(vectors, 1000)
    places, cosines = meant.best(query, most)
    exact = vectors @ query

    has_one = [place for place in np.argsort(-exact).tolist() if place % 3]
    assert len(places) == min(most, len(has_one))
    np.testing.assert_allclose(cosines, exact[has_one[:most]], atol=0.02)
    np.testing.assert_allclose(meant.cosines(query, 0.5, np.empty(0, np.intp)), exact, atol=0.02)


@given(st.integers(0, 5))
def test_what_is_asked_for_is_compared_however_far_it_is(seed):
    random = np.random.default_rng(seed)
    vectors = unit(random, 300)
    vectors[7] = 0
    query = unit(random)
    meant = AnchorSearch(vectors, 10)
    told = meant.cosines(query, 0.3, np.array([3, 7]))
    exact = vectors @ query

    assert meant.in_levels
    assert told[7] == 0
    assert told[3] == pytest.approx(exact[3], abs=0.02)
    looked_at = told > -1
    np.testing.assert_allclose(told[looked_at], exact[looked_at], atol=0.02)
    assert np.count_nonzero(looked_at) < 300


@pytest.mark.slow
def test_of_many_real_phrases_the_two_levels_find_what_all_of_them_hold():
    if installed() is None:
        pytest.skip("the default model is not installed; 'make model' installs it")
    texts = {text for talk in read_synthetic().first(40).conversations for text in talk.texts}
    names = sorted({phrase.name for text in texts for phrase in find_phrases(text)})
    some = np.random.default_rng(7).permutation(len(names))[:2500].tolist()
    embedder = load_embedder("default")
    made = embedder.embed([Passage(names[place]) for place in some])
    anchors = np.stack([one.vector for one in made])
    asked = np.stack(
        [one.vector for one in embedder.embed(list(map(Passage, sorted(texts)[::20])))]
    )
    exact, levels = AnchorSearch(anchors, len(anchors)), AnchorSearch(anchors, 100)
    found, near = [], []
    nobody = np.empty(0, np.intp)
    for query in asked:
        best, cosines = exact.best(query, 5)
        best = best[cosines >= 0.45]
        found += np.isin(best, levels.best(query, 5)[0]).tolist()
        whole = exact.cosines(query, 0.25, nobody) >= 0.25
        near += (levels.cosines(query, 0.25, nobody) >= 0.25)[whole].tolist()

    assert len(found) > 100
    assert np.mean(found) >= 0.99
    assert np.mean(near) >= 0.99
