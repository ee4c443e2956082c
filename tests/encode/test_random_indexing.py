"""Signatures without an embedder, and the keywords that are looked for by them."""

import math

import kernel_reference as reference
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.core.config import Signatures
from hippocampus.encode.keywords import find_keywords, forms
from hippocampus.encode.random_indexing import dump, load, radius, signatures
from hippocampus.encode.tokens import decode, encode
from hippocampus.errors import InputError


def test_each_text_is_signed_by_itself():
    how = Signatures(window=2)
    one, other = encode("Ada keeps bees."), encode("Bees keep Ada.")
    together = signatures([one, [], other], how)

    assert [(len(one), 4), (0, 4), (len(other), 4)] == [codes.shape for codes in together]
    assert together[0].tolist() == signatures([one], how)[0].tolist()
    assert [] == signatures([], how)


def test_hyperplanes_tell_angles():
    # Two tokens of three are shared: the angle is about arccos(2/3), and signs differ in its
    # share of the bits, more or less.
    how = Signatures(bits=128, window=1)
    same = signatures([[1, 2, 3], [1, 2, 4]], how)
    angle = math.acos(_cosine([1, 2, 3], [1, 2, 4], how))
    apart = np.unpackbits(same[0][1] ^ same[1][1]).sum()

    assert abs(apart / 128 - angle / math.pi) < 0.1


def _cosine(one, other, how):
    ids = np.array([*one, *other], np.uint64)
    ends = np.array([0, len(one), len(ids)], np.uint64)
    sums = reference.contexts(ids, ends, how.components, how.nonzeros, how.window, how.seed)
    middle, another = sums[1], sums[len(one) + 1]
    return middle @ another / np.linalg.norm(middle) / np.linalg.norm(another)


@pytest.mark.parametrize(
    ("expected", "angle", "bits", "epsilon"),
    [
        (0, 0.0, 64, 0.01),
        (1, 0.0, 128, 0.01),
        (32, math.pi / 2, 64, 0.0),
        (32, math.pi / 2, 64, 0.01),
        (33, math.pi / 2, 64, 0.02),
        (20, math.acos(1 / math.sqrt(3)), 64, 0.01),
        (64, math.pi, 64, 0.01),
    ],
)
def test_the_radius_is_the_angle_s_share_of_the_bits_and_a_margin(expected, angle, bits, epsilon):
    assert expected == radius(angle, bits, epsilon)


@pytest.mark.parametrize("bad", [{"theta0": -0.1}, {"theta0": 3.2}, {"bits": 0}, {"epsilon": 2.0}])
def test_a_radius_of_nonsense_is_refused(bad):
    with pytest.raises(InputError, match="the angle is from 0 to pi"):
        radius(**{"theta0": 1.0, "bits": 64} | bad)


@given(st.floats(0, math.pi), st.floats(0, math.pi), st.integers(1, 128))
def test_a_wider_angle_never_has_a_smaller_radius(one, other, bits):
    assert radius(min(one, other), bits) <= radius(max(one, other), bits) <= bits


@pytest.mark.parametrize(
    ("message", "bad"),
    [
        ("form='side'", {"form": "side"}),
        ("components=7: must be a whole number from 8 to 65536", {"components": 7}),
        ("nonzeros=5: must be a whole number from 2, a multiple of 2", {"nonzeros": 5}),
        (
            "nonzeros=18: must not be above the number of components",
            {"components": 16, "nonzeros": 18},
        ),
        ("window=-1", {"window": -1}),
        ("bits=20: must be a whole number from 8 to 128, a multiple of 8", {"bits": 20}),
        ("bits=136", {"bits": 136}),
        ("seed=-1", {"seed": -1}),
        ("must not be above 2..64 - 1", {"seed": 1 << 64}),
        ("radius=33: must not be above the number of bits", {"radius": 33}),
    ],
)
def test_parameters_that_make_no_signatures_are_refused(message, bad):
    with pytest.raises(InputError, match=message):
        Signatures(**bad)


def test_what_is_recorded_is_what_signatures_depend_on():
    assert dump(Signatures()) == dump(Signatures(radius=3))
    assert "splitmix64/1" in dump(Signatures())
    changes = [{"form": "top"}, {"components": 64}, {"nonzeros": 4}, {"window": 1}, {"bits": 64}]
    told = {dump(Signatures(**change)) for change in [{}, {"seed": 1}, *changes]}
    assert 7 == len(told)


@pytest.mark.parametrize(
    ("expected", "query"),
    [
        (["Ada", "keep", "bees"], "Where does Ada keep Ada's bees?"),
        (["What", "is", "it"], "What is it?"),
        ([], "?!"),
        (["Zürich"], "Was that in Zürich?"),
    ],
)
def test_keywords_are_the_words_of_content_each_once(expected, query):
    assert expected == find_keywords(query)


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12))
def test_a_keyword_s_forms_are_what_texts_would_have(word):
    made = forms(word)

    assert len(made) == len(set(made))
    written = {decode(form) for form in made}
    assert {word, f" {word}", word.lower(), f" {word.capitalize()}"} <= written


@pytest.mark.parametrize(
    "recorded", ["", "{", "[]", "null", '{"generator": "splitmix64/1", "x": 1}']
)
def test_a_record_that_nobody_dumped_is_refused(recorded):
    with pytest.raises(InputError, match="signed"):
        load(recorded)
