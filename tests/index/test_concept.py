"""Hearing an anchor is enough to have what lies under it, also what came since the last rebuild."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.core.config import Concepts
from hippocampus.core.records import Payloads
from hippocampus.index.anchors import KINDS, Anchors
from hippocampus.index.concept import ConceptCue
from hippocampus.index.phrase_codec import pack_phrases, unpack_phrases
from hippocampus.index.query import Query
from hippocampus.language.noun_phrases import key_of

D = 32
NOW = datetime(2025, 6, 1, tzinfo=UTC)


class Seen:
    """Vectors of rows, some of them to come."""

    def __init__(self, vectors):
        self.table = vectors

    def vectors(self, rows):
        return self.table[rows]

    def cosines(self, vector, rows):
        return self.table[rows] @ vector


def unit(random, *shape):
    made = random.normal(size=(*shape, D)).astype(np.float32)
    return made / np.linalg.norm(made, axis=-1, keepdims=True)


def anchors_of(names, vectors, *, kinds=None, built=0):
    count = len(names)
    return Anchors(
        names=tuple(names), sounds=("",) * count, words=((),) * count, rows_built=built,
        keys=np.array([key_of(n) for n in names], np.uint32),
        kinds=np.array([KINDS.index(k) for k in kinds or ["curated"] * count], np.uint8),
        salience=np.ones(count, np.float32), found_salience=np.ones(count, np.float32),
        found_at=np.zeros(count, np.int64), weak=np.zeros(count, np.uint8),
        strong=np.zeros(count, np.uint8), vectors=vectors,
        ends=np.zeros(count + 1, np.int64), rows=np.empty(0, np.int32),
        scores=np.empty(0, np.float32), gists=np.empty(0, np.uint32),
        aliases=np.empty((0, 2), np.int32), edges=np.empty((0, 2), np.int32),
        edge_cosines=np.empty(0, np.float32), centres=np.empty((0, D), np.float32),
        centre_ends=np.zeros(count + 1, np.int64), mentions=np.empty(0, np.int32),
        mention_ends=np.zeros(count + 1, np.int64), kin=np.arange(count, dtype=np.int32),
        kin_strengths=np.ones(count, np.float32), kin_ends=np.arange(count + 1),
    )  # fmt: skip


def said(*phrases, details=1):
    """The payload of an episode that says these phrases."""
    return pack_phrases({key_of(name): name[0].isupper() for name in phrases}, 2.0, details)


def ask(*phrases, vector=None, points=False, sounds=(), now=NOW):
    return Query(
        text="", now=now, terms=np.empty(0, np.uint32), term_weights=np.empty(0, np.float32),
        vector=vector, phrases=dict.fromkeys(map(key_of, phrases), ()), deixis=points,
        phonetic_codes=sounds,
    )  # fmt: skip


def a_day_apart(rows):
    return np.array([(NOW - timedelta(days=100 - int(r))).timestamp() * 1e6 for r in rows], "i8")


def alone(count):
    """Sessions of rows: none."""
    return lambda: np.full(count, -1, np.int32)


def cue_of(names, count=40, seed=0, **how):
    random = np.random.default_rng(seed)
    kinds = how.pop("kinds", None)
    anchors = anchors_of(names, unit(random, len(names)), kinds=kinds)
    seen = Seen(unit(random, count))
    return ConceptCue(anchors, Concepts(**how), seen, a_day_apart, alone(count)), seen


@given(st.lists(st.dictionaries(st.integers(0, 2**31 - 1), st.booleans(), max_size=5)))
def test_phrases_come_back_from_payloads(found):
    payloads = Payloads.of(
        [b"" if n % 3 == 0 else pack_phrases(f, 8.5, 2**24 - 1 - n) for n, f in enumerate(found)]
    )
    keys, owner, lasting, gists, present = unpack_phrases(payloads)

    for row, expected in enumerate(found):
        own = keys[owner == row]
        there = row % 3 != 0
        assert present[row] == there
        assert lasting[row] == (8.5 if there else 0)
        assert gists[row] == ((2**24 - 1 - row << 8 | len(expected)) if there else 0)
        told = {int(key) & (2**31 - 1): bool(key >> 31) for key in own}
        assert told == (expected if there else {})


def test_a_row_mentions_once_what_it_spells_without_what_is_only_part_of_it():
    asked = []
    spelled = {
        0: ([key_of("c++")], []),
        2: ([key_of("node.js"), key_of("c++")], [key_of("node")]),
        3: ([key_of("c++")], []),
    }

    def spelling(rows):
        asked.extend(rows)
        return {row: spelled[row] for row in rows if row in spelled}

    anchors = anchors_of(["c++", "node.js", "node"], unit(np.random.default_rng(0), 3))
    seen = Seen(unit(np.random.default_rng(1), 5))
    cue = ConceptCue(
        anchors, Concepts(theta=1.0, mention=4.0), seen, a_day_apart, alone(5), spelled=spelling
    )
    cue.observe(Payloads.of([said("roof"), said("node")]))
    cue.observe(Payloads.of([said("node", "roof"), said("c++"), said("Node")]))

    assert asked == [0, 1, 2, 3, 4], "each row once"
    for name, rows in (("c++", [0, 2, 3]), ("node.js", [2]), ("node", [1, 4])):
        (heard,) = cue.hear(replace(ask(), gazetteer_keys=frozenset([key_of(name)])))
        assert sorted(cue.under.of(heard)[0].tolist()) == rows


@given(st.integers(0, 9), st.lists(st.integers(1, 9), min_size=1), st.integers(1, 6))
def test_what_is_under_an_anchor_is_the_same_however_it_came(seed, batches, k_max):
    count = sum(batches)
    how = {"theta": 0.0, "near": 2.0, "k": k_max, "k_max": k_max}
    whole, _ = cue_of(["violin", "garden"], count, seed, **how)
    parts, _ = cue_of(["violin", "garden"], count, seed, **how)
    payloads = [said("violin") if row % 3 else said("garden") for row in range(count)]
    whole.observe(Payloads.of(payloads))
    start = 0
    for size in batches:
        parts.observe(Payloads.of(payloads[start : start + size]))
        start += size

    for name in ("violin", "garden"):
        rows, again = (np.sort(cue.propose(ask(name), None, 999)) for cue in (whole, parts))
        assert rows.tolist() == again.tolist()
        if len(rows):
            scores, same = (cue.score(ask(name), rows) for cue in (whole, parts))
            np.testing.assert_allclose(scores, same, rtol=1e-5)
        assert len(rows) <= k_max


def test_a_phrase_that_is_no_anchor_yet_is_found_by_the_next_question():
    cue, _ = cue_of(["violin"])
    cue.observe(Payloads.of([said("violin"), said("falconry"), said()]))

    assert cue.propose(ask("falconry"), None, 5).tolist() == [1]
    assert not len(cue.propose(ask("chess"), None, 5))
    assert cue.score(ask("chess"), np.arange(3, dtype=np.uint32)) is None


def test_a_name_is_heard_through_its_spelling():
    cue, _ = cue_of(["zebulon"], theta=0.0)
    anchors = cue.anchors
    object.__setattr__(anchors, "sounds", ("SBLN",))
    heard = ConceptCue(anchors, Concepts(theta=0.0), cue._seen, a_day_apart, alone(40))
    heard.observe(Payloads.of([said("Zebulon")]))

    assert heard.propose(ask(sounds=("SBLN",)), None, 5).tolist() == [0]
    assert not len(heard.propose(ask(sounds=("KRT",)), None, 5))


def test_a_question_that_only_points_means_what_was_active_at_its_time():
    cue, _ = cue_of(["old project", "new project"], 60, theta=0.9, mention=2.0, near=2.0, active=1)
    cue.observe(
        Payloads.of([said("old project" if row < 30 else "new project") for row in range(60)])
    )
    then = NOW - timedelta(days=75)

    assert set(cue.propose(ask(points=True, now=then), None, 99)) <= set(range(30))
    assert set(cue.propose(ask(points=True), None, 99)) <= set(range(30, 60))
    assert len(cue.propose(ask(points=True), None, 99))
    assert not len(cue.propose(ask(), None, 99)), "it does not point at anything"


def test_a_question_that_names_something_does_not_fall_back_on_what_is_active():
    cue, _ = cue_of(["violin", "new project"], 40, theta=0.9, mention=2.0, near=2.0)
    cue.observe(Payloads.of([said("new project")] * 39 + [said("violin")]))

    assert 39 in cue.propose(ask("violin", points=True), None, 99)
    assert list(cue.hear(ask("violin", points=True))) == [0]


def test_meaning_calls_up_an_anchor_that_was_not_named():
    cue, _ = cue_of(["violin", "garden"], theta=0.1, near=2.0)
    cue.observe(Payloads.of([said("violin")] * 5))
    meant = cue.anchors.vectors[0]

    assert list(cue.hear(ask(vector=meant))) == [0]


def test_what_is_denied_is_heard_in_no_way_with_all_else_as_before():
    cue, seen = cue_of(["violin", "old violin"], 40, theta=0.0, near=2.0)
    anchors = replace(cue.anchors, sounds=("FLN", "OLTF"), words=((), (key_of("violin"),)))
    meant = anchors.vectors[0]
    asked = [
        ask("violin"),
        ask(sounds=("FLN",)),
        ask(vector=meant),
        ask(points=1.0),
        replace(
            ask("our violin"), definite=frozenset(), definite_words=frozenset({key_of("violin")})
        ),
        ask("kite"),
    ]
    heard = {}
    for denied in ((), ("violin", "kite")):
        one = ConceptCue(
            anchors, Concepts(theta=0.0, near=2.0), seen, a_day_apart, alone(40),
            denied=map(key_of, denied),
        )  # fmt: skip
        one.observe(Payloads.of([said("violin"), said("Kite")] * 20))
        heard[denied] = [set(one.hear(question)) for question in asked]
        found = [one.activate(question) for question in (asked[0], asked[5])]
        assert [each is None for each in found] == [bool(denied)] * 2
        assert bool(len(one.propose(asked[5], None, 9))) is not bool(denied)
        assert set(one.hear(ask("old violin"))) == {1}

    free, silent = heard.values()
    assert all(0 in anchors for anchors in free[:4])
    assert free[4] == {1}
    assert silent == [set()] * 6


@given(st.integers(0, 9))
def test_the_allowed_set_is_applied_inside(seed):
    cue, _ = cue_of(["violin"], 40, seed, theta=0.0, near=2.0)
    cue.observe(Payloads.of([said("violin")] * 40))
    allowed = np.random.default_rng(seed).random(40) < 0.3
    rows = cue.propose(ask("violin"), allowed, 40)

    assert allowed[rows].all()
    every = cue.propose(ask("violin"), None, 40)
    assert set(rows.tolist()) == set(every[allowed[every]])


def test_anchors_lead_only_where_they_may():
    cue, seen = cue_of(["violin"], theta=0.0, near=2.0)
    kept = ConceptCue(
        cue.anchors,
        Concepts(theta=0.0, near=2.0),
        seen,
        a_day_apart,
        alone(40),
        lambda r: r % 2 == 0,
    )
    kept.observe(Payloads.of([said("violin")] * 40))

    assert {0} == {row % 2 for row in kept.propose(ask("violin"), None, 99).tolist()}


@pytest.mark.parametrize("limit", [0, 1, 5])
def test_as_many_are_proposed_as_asked_for_best_first(limit):
    cue, _ = cue_of(["violin"], theta=0.0, near=2.0)
    cue.observe(Payloads.of([said("violin")] * 40))
    question = ask("violin", vector=cue.anchors.vectors[0])
    rows = cue.propose(question, None, limit)
    scores = cue.score(question, rows)

    assert len(rows) == limit
    assert (np.diff(scores) <= 0).all()
