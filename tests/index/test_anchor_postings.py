"""Under an anchor each thing is there once, the best of it, and nothing is lost by that."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_concept import Seen, a_day_apart, alone, anchors_of, ask, cue_of, said, unit

from hippocampus.core.config import Concepts
from hippocampus.core.records import Payloads
from hippocampus.index.anchor_postings import MOST_RELATED, AnchorPostings, nearest_edges
from hippocampus.index.concept import ConceptCue

COUNT = 30


def alike(random, count, groups):
    """Vectors of which those of a group are all but equal."""
    centres = unit(random, groups)
    made = centres[random.integers(0, groups, count)] + random.normal(0, 0.02, (count, 32))
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


class Plain:
    """What lies under one anchor, row by row and in plain words."""

    def __init__(self, how):
        self.how, self.held, self.stands = how, {}, {}

    def put(self, row, score, vectors, gists, times):
        worst = min((s for s in self.held.values()), default=-np.inf)
        if len(self.held) >= self.how.k_max and score <= worst:
            return

        def rank(one):
            return gists[one] & 255, times[one], one

        same = [
            other for other in self.held
            if vectors[other] @ vectors[row] > self.how.near
            and gists[other] >> 8 == gists[row] >> 8 > 0
        ]  # fmt: skip
        better = [other for other in same if rank(other) > rank(row)]
        if better:
            self.stands[row] = max(better, key=rank)
            return
        for other in same:
            self.stands[other] = row
            del self.held[other]
        if len(self.held) >= self.how.k_max:
            del self.held[min(self.held, key=self.held.__getitem__)]
        self.held[row] = score


@given(
    st.integers(0, 50), st.integers(1, 12), st.integers(1, 9), st.integers(1, 4), st.integers(1, 3)
)
def test_rows_are_put_under_an_anchor_as_plain_words_say(seed, k_max, groups, details, rich):
    random = np.random.default_rng(seed)
    vectors = alike(random, COUNT, groups)
    gists = (random.integers(0, details, COUNT) << 8 | random.integers(0, rich, COUNT)).astype("u4")
    times = random.integers(0, 5, COUNT)
    scores = random.permutation(COUNT).astype(np.float32) + 1
    how = Concepts(k=1, k_max=k_max, near=0.9, related=0.5)
    plain = Plain(how)
    under = AnchorPostings(
        anchors_of(["a", "b"], unit(random, 2)), how, Seen(vectors).cosines, times.__getitem__
    )
    for row in range(COUNT):
        near = np.array([True, False])
        under.put(row, near, np.full(2, scores[row]), vectors[row], gists[row])
        plain.put(row, scores[row], vectors, gists, times)

    rows, found = under.of(0)
    assert sorted(plain.held.items(), key=lambda one: -one[1]) == list(
        zip(rows.tolist(), found.tolist(), strict=True)
    )
    assert len(under.of(1)[0]) == 0
    for row in range(COUNT):
        stands = row
        while stands in plain.stands:
            stands = plain.stands[stands]
        assert under.canonical(row) == stands
        assert row == stands or row in under.repeats(stands)


@given(st.integers(0, 50), st.integers(1, 9))
def test_only_a_few_edges_join_what_is_near_but_not_the_same(seed, groups):
    random = np.random.default_rng(seed)
    vectors = alike(random, COUNT, groups)
    gists = (np.arange(COUNT) % 3 << 8).astype(np.uint32)  # 0: not known, so nothing is the same
    how = Concepts(near=0.9, related=0.5)
    under = AnchorPostings(
        anchors_of(["a"], unit(random, 1)), how, Seen(vectors).cosines, np.arange(COUNT).__getitem__
    )
    for row in range(COUNT):
        under.put(row, np.array([True]), np.ones(1, np.float32), vectors[row], gists[row])

    for row in range(COUNT):
        edges = under.related(row)
        assert len(edges) <= MOST_RELATED
        assert [c for _, c in edges] == sorted((c for _, c in edges), reverse=True)
        for other, cosine in edges:
            assert cosine == pytest.approx(float(vectors[row] @ vectors[other]), abs=1e-5)
            assert cosine > how.related
            assert other != row


@given(st.integers(0, 30), st.integers(0, 60))
def test_of_many_edges_the_nearest_stay(seed, count):
    random = np.random.default_rng(seed)
    pairs = random.integers(0, 12, (count, 2)).astype(np.int32)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    of_pair = random.random((12, 12)).astype(np.float32)
    cosines = np.array([of_pair[min(p), max(p)] for p in pairs.tolist()], np.float32)
    expected = defaultdict(dict)
    for (one, other), cosine in zip(pairs.tolist(), cosines.tolist(), strict=True):
        expected[one][other] = expected[other][one] = cosine
    edges, kept = nearest_edges(pairs, cosines)

    assert {
        (row, other): cosine
        for row, of_row in expected.items()
        for other, cosine in sorted(of_row.items(), key=lambda e: -e[1])[:MOST_RELATED]
    } == {tuple(edge): cosine for edge, cosine in zip(edges.tolist(), kept.tolist(), strict=True)}
    assert (np.diff(edges[:, 0]) >= 0).all()


def twins(*, details, **how):
    """A cue that has heard two rows that say the same, but for their details and phrases."""
    random = np.random.default_rng(4)
    vectors = unit(random, 3)
    vectors[1] = vectors[0]
    cue = ConceptCue(
        anchors_of(["violin"], vectors[:1].copy()), Concepts(theta=0.1, **how),
        Seen(vectors), a_day_apart, alone(3),
    )  # fmt: skip
    payloads = [said("violin", details=one) for one in details]
    cue.observe(Payloads.of([*payloads, said()]))
    return cue


def test_the_newest_that_may_be_seen_stands_for_all_that_say_the_same():
    cue = twins(details=(7, 7))

    assert cue.propose(ask("violin"), None, 9).tolist() == [1]
    assert cue.propose(ask("violin"), np.array([True, False, True]), 9).tolist() == [0]
    assert cue.score(ask("violin"), np.array([0], np.uint32))[0] > 0
    assert cue.score(ask("violin"), np.array([0, 1], np.uint32)).tolist()[0] == 0
    assert [(0, "alias")] == [beside[:2] for beside in cue.beside(1)]
    assert [(1, "canonical")] == [beside[:2] for beside in cue.beside(0)]


@pytest.mark.parametrize("details", [(7, 8), (0, 0)])
def test_what_differs_in_a_detail_or_has_unknown_ones_is_not_the_same_but_related(details):
    cue = twins(details=details)

    assert set(cue.propose(ask("violin"), None, 9).tolist()) == {0, 1}
    assert [(1, "related")] == [beside[:2] for beside in cue.beside(0)]


def test_the_richer_stands_for_the_newer():
    random = np.random.default_rng(4)
    vectors = unit(random, 1).repeat(2, axis=0)
    cue = ConceptCue(
        anchors_of(["violin"], vectors[:1].copy()), Concepts(theta=0.1),
        Seen(vectors), a_day_apart, alone(2),
    )  # fmt: skip
    cue.observe(Payloads.of([said("violin", "bow"), said("violin")]))

    assert cue.propose(ask("violin"), None, 9).tolist() == [0]


def test_who_stands_for_whom_never_runs_in_a_circle_whatever_a_document_says():
    cue, _ = cue_of(["violin"], 8, theta=0.0)
    under = cue.under
    for row, other in ((1, 2), (2, 3), (3, 1), (4, 4)):
        under._stand(row, other)

    assert [3, 3, 3, 4] == [under.canonical(row) for row in (1, 2, 3, 4)]
    assert [1, 2] == under.repeats(3)
