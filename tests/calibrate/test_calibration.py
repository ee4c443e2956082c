"""Thresholds follow the embedder they are for, and what is kept of them is checked."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.calibrate.calibration import (
    BUILT_IN,
    CONVERSATIONS,
    MOST_CONVERSATIONS,
    SIGNALS,
    Calibration,
)
from hippocampus.calibrate.conversations import read_synthetic
from hippocampus.calibrate.fit import EMBEDDER_EVIDENCE, balanced, find_hearing
from hippocampus.calibrate.run import calibrate
from hippocampus.calibrate.thresholds import area_under_roc, weigh_signals
from hippocampus.calibrate.trial import TrialQuestion, TrialTurn, run_trial
from hippocampus.core.config import Concepts, Cosines, Fusion
from hippocampus.core.logistic import fit_logistic
from hippocampus.encode.embed import HashEmbedder, load_embedder
from hippocampus.encode.model_files import installed
from hippocampus.errors import InputError, StoreCorrupt
from hippocampus.recall.confidence import MODELS


class Turned:
    """
    A hash embedder without tokens, seen from elsewhere.

    ``pull``: a direction that every vector is drawn to, as anisotropic models have one.
    """

    def __init__(self, dimension=64, *, turn=None, pull=0.0):
        self._inner = HashEmbedder(dimension)
        self._turn = np.eye(dimension, dtype=np.float32) if turn is None else turn
        self._pull = np.full(dimension, pull / np.sqrt(dimension), np.float32)
        self.fingerprint = replace(self._inner.fingerprint, name="turned", token_dimension=0)

    def embed(self, passages):
        return [self.embed_query(passage.text) for passage in passages]

    def embed_query(self, text):
        own = self._inner.embed_query(text)
        vector = own.vector @ self._turn + self._pull
        return replace(own, vector=vector / np.linalg.norm(vector), tokens=None, spans=None)


@pytest.fixture(scope="module")
def plain():
    return calibrate(Turned())


# ---------------------------------------------------------------- thresholds follow the embedder


@pytest.mark.slow
def test_an_embedder_that_is_only_turned_has_the_same_calibration(plain):
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(64, 64)))[0].astype(np.float32)
    turned = calibrate(Turned(turn=turn))

    # Vectors are kept at eight bits, so what is turned is rounded otherwise.
    assert turned.cosines == pytest.approx(plain.cosines, abs=0.02)
    assert turned.hearing == pytest.approx(plain.hearing, abs=0.1)


@pytest.mark.slow
def test_thresholds_rise_with_the_cosines_of_an_embedder_that_finds_everything_alike(plain):
    drawn = calibrate(Turned(pull=1.0))

    # With v and p of length 1 and p hardly in v: cos(v + p, w + p) is about (cos(v, w) + 1) / 2.
    expected = [(cosine + 1) / 2 for cosine in plain.cosines]
    assert drawn.cosines == pytest.approx(expected, abs=0.06)
    assert all(there > here for here, there in zip(plain.cosines, drawn.cosines, strict=True))


@pytest.mark.slow
def test_an_embedder_without_tokens_gets_models_that_need_none(plain, hashed):
    assert {m.evidence for m in hashed.models} == {m.evidence for m in MODELS}
    assert {m.evidence for m in plain.models} == {
        m.evidence for m in MODELS if "matched" not in m.evidence
    }


@pytest.mark.slow
def test_what_knows_no_meaning_tells_less_beside_words(hashed):
    assert 0 <= hashed.hearing < 0.5


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param("plain", marks=pytest.mark.slow), "hashed"])
def test_what_is_stricter_is_above_what_is_less_so(name, request):
    found = request.getfixturevalue(name).cosines

    assert found.interference <= found.cluster
    assert found.related <= found.near < 1
    assert found.theta < found.related


@pytest.mark.slow
def test_progress_counts_the_turns_up_to_all_of_them():
    told = []
    two = read_synthetic().first(2)
    run_trial(HashEmbedder(16), two, lambda *at: told.append(at))
    turns = sum(len(talk.texts) for talk in two.conversations)

    assert told == sorted(told)
    assert told[-1] == (turns, turns)


@pytest.mark.parametrize("number", [CONVERSATIONS - 1, MOST_CONVERSATIONS + 1, 10**9])
def test_too_few_conversations_or_too_many_are_refused(number):
    with pytest.raises(InputError, match="from 8 to 72"):
        calibrate(HashEmbedder(), conversations=number)


@pytest.mark.slow
def test_what_is_built_in_is_what_the_default_embedder_gives():
    if installed() is None:
        pytest.skip("the default model is not installed; 'make model' installs it")
    found = calibrate(load_embedder("default"))

    assert found.embedder == BUILT_IN.embedder
    assert found.cosines == pytest.approx(BUILT_IN.cosines, abs=0.02)
    assert found.hearing == pytest.approx(0.97, abs=0.03)  # 1 was measured in fp32
    assert found.signals == pytest.approx(BUILT_IN.signals, abs=0.05)
    for here, there in zip(found.models, BUILT_IN.models, strict=True):
        assert here.found == pytest.approx(there.found, abs=0.05)


def test_what_is_built_in_is_of_the_default_embedder():
    if installed() is None:
        pytest.skip("the default model is not installed; 'make model' installs it")
    assert load_embedder("default").fingerprint == BUILT_IN.embedder


# ---------------------------------------------------------------- the rules


def ranked(rng, strength):
    """A question whose one answer stands out by ``strength`` in what the embedder tells."""
    parts = {name: rng.normal(size=40).astype(np.float32) for name in ("lexical", "tokens")}
    right = np.arange(40) == 7
    parts["lexical"][7] += 1
    parts["tokens"][7] += strength
    none = np.zeros(0, np.float32)
    return TrialQuestion(0, "single", True, none, {}, parts, right, None, none)


def test_the_more_an_embedder_tells_the_more_it_counts():
    heard = [
        find_hearing([ranked(np.random.default_rng(seed), strength) for seed in range(200)])
        for strength in (-1.0, 0.0, 0.5, 1.0, 2.0)
    ]

    assert heard == sorted(heard)
    assert heard[0] == 0  # what points away from answers is not listened to
    assert heard[-1] > heard[-2] > heard[1]


@given(
    st.lists(st.integers(-5, 5), min_size=1, max_size=30),
    st.lists(st.integers(-5, 5), min_size=1, max_size=30),
)
def test_the_area_under_the_curve_is_how_often_a_positive_wins(positive, negative):
    wins = [(p > n) + (p == n) / 2 for p in positive for n in negative]
    area = area_under_roc(np.array(positive), np.array(negative))

    assert area == pytest.approx(sum(wins) / len(wins))


def turns(count, **own):
    given_ = {
        "vectors": np.eye(8, dtype=np.float32)[np.zeros(count, np.intp)],
        "conversation": np.full(count, "a"),
        "session": np.full(count, "s"),
        "place": np.zeros(count, np.intp),
        "length": np.ones(count, np.intp),
        "occurred_at": np.zeros(count),
        "topic": np.where(np.arange(count) % 2, "pets", ""),
        "between_people": np.ones(count, np.bool_),
    }
    return TrialTurn(**given_ | own)


@pytest.mark.parametrize(
    ("signal", "name", "sign"),
    [("length", "length", 1), ("position", "place", -1), ("recency", "occurred_at", 1)],
)
def test_the_signal_that_tells_facts_from_small_talk_has_all_the_weight(signal, name, sign):
    tells = np.arange(40) % 2

    shares = weigh_signals(turns(40, **{name: sign * tells}))
    assert shares == dict.fromkeys(SIGNALS, 0.0) | {signal: 1.0}


def test_signals_that_tell_nothing_share_alike():
    assert weigh_signals(turns(40)) == dict.fromkeys(SIGNALS, 0.25)


def test_a_fit_with_nothing_to_learn_from_stays_where_it_starts():
    start = np.array([0.3, -1.2])
    nothing = np.zeros((10, 2))

    assert fit_logistic(nothing, np.ones(10), np.ones(10), start, np.ones(2)) == pytest.approx(
        start
    )


def test_a_fit_finds_the_weights_that_made_the_answers():
    rng = np.random.default_rng(2)
    evidence = np.column_stack([np.ones(4000), rng.normal(size=4000)])
    true = np.array([-0.5, 1.5])
    labels = (rng.random(4000) < 1 / (1 + np.exp(-evidence @ true))).astype(float)

    fitted = fit_logistic(evidence, labels, np.ones(4000), np.zeros(2), np.ones(2))
    assert fitted == pytest.approx(true, abs=0.15)


def test_questions_with_and_without_an_answer_count_the_same():
    weights = balanced(np.array([1.0, 1, 1, 0]))

    assert weights[:3].sum() == pytest.approx(weights[3:].sum())


@pytest.mark.slow
def test_what_no_embedder_tells_counts_as_it_is_built_in(hashed):
    built_in = {model.evidence: model for model in MODELS}
    for model in hashed.models:
        was = built_in[model.evidence]
        weights = zip(model.evidence, model.weights[1:], was.weights[1:], strict=True)
        assert all(now == then for name, now, then in weights if name not in EMBEDDER_EVIDENCE)
    assert built_in["covered", "absent", "other"] in hashed.models


# ---------------------------------------------------------------- what is kept


@pytest.mark.slow
def test_what_is_kept_is_read_back_the_same(hashed, plain):
    for one in (hashed, plain, BUILT_IN):
        assert Calibration.load(one.dump(), path="here") == one


def edited(change):
    kept = json.loads(BUILT_IN.dump())
    change(kept)
    return json.dumps(kept)


DAMAGED = {
    "not JSON": "{",
    "too deep": "[" * 100_000,
    "a list": "[]",
    "a number": "7",
    "nothing": "{}",
    "another version": edited(lambda kept: kept.update(version=2)),
    "no version": edited(lambda kept: kept.pop("version")),
    "an unknown field": edited(lambda kept: kept.update(mood=1)),
    "a cosine above 1": edited(lambda kept: kept["cosines"].update(theta=1.5)),
    "a cosine of text": edited(lambda kept: kept["cosines"].update(theta="high")),
    "a cosine that is no number": edited(lambda kept: kept["cosines"].update(near=float("nan"))),
    "a cosine too many": edited(lambda kept: kept["cosines"].update(far=0.1)),
    "a cosine too few": edited(lambda kept: kept["cosines"].pop("near")),
    "cosines in a list": edited(lambda kept: kept.update(cosines=[0.1])),
    "deaf beyond measure": edited(lambda kept: kept.update(hearing=-1)),
    "true for a number": edited(lambda kept: kept.update(hearing=True)),
    "too few conversations": edited(lambda kept: kept.update(conversations=1)),
    "no models": edited(lambda kept: kept.update(models=[])),
    "one model twice": edited(lambda kept: kept["models"].append(kept["models"][0])),
    "unknown evidence": edited(lambda kept: kept["models"][0][0].__setitem__(0, "luck")),
    "a weight too few": edited(lambda kept: kept["models"][0][1].pop()),
    "a weight without end": edited(lambda kept: kept["models"][0][1].__setitem__(0, 1e999)),
    "a found of 2": edited(lambda kept: kept["models"][0].__setitem__(3, 2)),
    "a signal too few": edited(lambda kept: kept["signals"].pop("length")),
    "a signal of text": edited(lambda kept: kept["signals"].update(length="long")),
    "no embedder": edited(lambda kept: kept.pop("embedder")),
    "an embedder of text": edited(lambda kept: kept.update(embedder="mine")),
}


@pytest.mark.parametrize("what", DAMAGED)
def test_what_was_edited_wrongly_is_refused_with_a_way_out(what):
    with pytest.raises(StoreCorrupt, match="hippocampus calibrate"):
        Calibration.load(DAMAGED[what], path="here")


@given(st.binary(max_size=60), st.integers(0, 10_000))
def test_no_bytes_do_anything_but_read_or_be_refused(junk, at):
    text = BUILT_IN.dump()
    at %= len(text)
    text = text[:at] + junk.decode("latin-1") + text[at + len(junk) :]
    try:
        Calibration.load(text, path="here")
    except StoreCorrupt:
        return


def test_it_explains_every_number_with_its_rule(hashed):
    rows = {row.name: row for row in hashed.explain()}

    assert {*Cosines._fields, "tokens", "vector", "found"} <= rows.keys()
    assert {f"importance.{name}" for name in SIGNALS} <= rows.keys()
    assert rows["near"].default == BUILT_IN.cosines.near
    assert all(row.rule for row in rows.values())
    assert all(row.value == row.default for row in BUILT_IN.explain())


# ---------------------------------------------------------------- what was given wins


def test_what_is_calibrated_wins_over_what_is_built_in_where_nothing_is_given():
    mine = Concepts(theta=0.1)
    heard = mine.heard(Cosines(theta=0.5, near=0.8))

    assert (mine.cosines().theta, mine.cosines().near) == (0.1, Cosines().near)
    assert (heard.theta, heard.near) == (0.1, 0.8)
    assert heard.cosines().near == 0.8

    fusion = Fusion(vector=1.0).heard(0.5)
    assert (fusion.weights["tokens"], fusion.weights["vector"]) == (1.0, 1.0)
    assert Fusion().weights == Fusion().heard(1.0).weights
