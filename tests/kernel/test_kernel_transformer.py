"""The encoder: to the bit the NumPy reference's on every path, near floats', alone or not."""

from math import erf

import kernel_transformer_reference as reference
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippocampus.kernel import Transformer

WIDTH, HEADS, EPSILON = 192, 6, 1e-12


def layer(random, width=WIDTH):
    """Draw the weights of a layer; some inputs are larger than others, as in real ones."""
    shapes = {
        "query": (width, width),
        "key": (width, width),
        "value": (width, width),
        "mixed": (width, width),
        "wide": (4 * width, width),
        "narrow": (width, 4 * width),
    }
    made = {}
    for name, shape in shapes.items():
        made[name] = random.normal(0, shape[1] ** -0.5, shape).astype("f4")
        made[f"{name}_bias"] = random.normal(0, 0.1, shape[0]).astype("f4")
    for name in ("attended", "done"):
        made[name] = (0.7 + random.exponential(0.3, width)).astype("f4")
        made[f"{name}_shift"] = random.normal(0, 0.3, width).astype("f4")
    return made


def model(seed, layers=2):
    """Draw a model; returns the encoder and its reference."""
    random = np.random.default_rng(seed)
    first = np.ones(WIDTH, "f4"), random.normal(0, 0.1, WIDTH).astype("f4")
    drawn = [layer(random) for _ in range(layers)]
    made = []
    for kind in (Transformer, reference.Transformer):
        encoder = kind(*first, heads=HEADS, epsilon=EPSILON)
        for weights in drawn:
            encoder.add(**weights)
        made.append(encoder)
    return made


def rows_of(count, seed=0):
    return np.random.default_rng(seed).normal(size=(count, WIDTH)).astype("f4")


def alone(*lengths):
    """Return stretches and passes of texts that see only themselves."""
    ends = np.cumsum(lengths).astype("u4")
    starts = (ends - lengths).astype("u4")
    return np.stack([starts, ends, starts, ends, starts, ends], axis=1), ends


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 3, 4, 5, 17, 33, 40]))
def test_states_equal_the_reference_to_the_last_bit_on_every_path(on_every_path, seed, count):
    encoder, plain = model(seed)
    asked = rows_of(count, seed), *alone(count), 1
    expected = plain.run(*asked)

    for _, made in on_every_path(lambda: encoder.run(*asked)):
        assert np.array_equal(expected, made)


def in_floats(x, first, layers):
    """Encode one text without any rounding."""

    def norm(x, scale, shift):
        off = x - x.mean(axis=1, keepdims=True)
        return off / np.sqrt((off**2).mean(axis=1, keepdims=True) + EPSILON) * scale + shift

    x = norm(x.astype("f8"), *first)
    for w in layers:
        q, k, v = (x @ w[n].T + w[f"{n}_bias"] for n in ("query", "key", "value"))
        q = q / np.sqrt(32)
        seen = np.empty_like(x)
        for head in range(0, WIDTH, 32):
            at = slice(head, head + 32)
            scores = q[:, at] @ k[:, at].T
            powers = np.exp(scores - scores.max(axis=1, keepdims=True))
            seen[:, at] = powers / powers.sum(axis=1, keepdims=True) @ v[:, at]
        x = norm(x + seen @ w["mixed"].T + w["mixed_bias"], w["attended"], w["attended_shift"])
        wide = x @ w["wide"].T + w["wide_bias"]
        bent = wide / 2 * (1 + np.vectorize(erf)(wide / np.sqrt(2)))
        x = norm(x + bent @ w["narrow"].T + w["narrow_bias"], w["done"], w["done_shift"])
    return x


@pytest.mark.parametrize("seed", range(3))
def test_states_are_near_those_without_rounding(seed):
    encoder, plain = model(seed, layers=1)
    rows = rows_of(30, seed)
    made = encoder.run(rows, *alone(30), 1)
    expected = in_floats(rows, plain.first, plain.layers)
    lengths = np.linalg.norm(made, axis=1) * np.linalg.norm(expected, axis=1)

    assert np.all((made * expected).sum(axis=1) / lengths > 0.999)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=8), st.integers(1, 4), st.data())
def test_a_text_has_one_state_alone_or_among_others(lengths, threads, data):
    encoder, _ = model(1)
    texts = [rows_of(length, seed) for seed, length in enumerate(lengths)]
    stretches, ends = alone(*lengths)
    kept = data.draw(st.sets(st.sampled_from(ends.tolist())))
    passes = np.array(sorted(kept | {ends[-1]}), "u4")
    together = encoder.run(np.concatenate(texts), stretches, passes, threads)

    for text, start, end in zip(texts, stretches[:, 0], ends, strict=True):
        assert np.array_equal(encoder.run(text, *alone(len(text)), 1), together[start:end])


def test_a_stretch_sees_what_it_is_given_and_nothing_else():
    encoder, plain = model(2)
    stretches = [(0, 8, 0, 8), (8, 15, 0, 15), (15, 20, 8, 20)]
    asked = np.array([(*s, *s[:2]) for s in stretches], "u4"), np.array([20], "u4"), 1
    rows = rows_of(20)

    assert np.array_equal(plain.run(rows, *asked), encoder.run(rows, *asked))


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, 50), min_size=1, max_size=4), st.integers(1, 5), st.data())
def test_states_that_are_asked_for_are_those_of_the_whole(lengths, threads, data):
    encoder, _ = model(6)
    rows = rows_of(sum(lengths))
    stretches, passes = alone(*lengths)
    whole = encoder.run(rows, stretches, passes, 1)
    asked = [
        sorted(data.draw(st.tuples(st.integers(start, end), st.integers(start, end))))
        for start, end in stretches[:, :2].tolist()
    ]
    stretches[:, 4:] = asked
    made = encoder.run(rows, stretches, passes, threads)

    assert np.array_equal(np.concatenate([whole[a:b] for a, b in asked]), made)


@pytest.mark.parametrize(
    ("stretches", "passes"),
    [
        ([(0, 5, 0, 5)], [6]),  # a row that nobody sees
        ([(0, 6, 0, 6)], [7]),
        ([(0, 6, 0, 6)], [3, 6]),  # over two passes
        ([(0, 6, 0, 6)], []),
        ([(0, 3, 0, 3), (3, 6, 0, 5)], [6]),  # not itself
        ([(0, 3, 0, 3), (2, 6, 0, 6)], [6]),
        ([(0, 3, 0, 3), (3, 6, 2, 6)], [3, 6]),  # into another pass
        ([(0, 6, 0, 6), (6, 6, 0, 6)], [6]),
    ],
)
def test_stretches_that_do_not_cover_the_rows_are_refused(stretches, passes):
    encoder, _ = model(3, layers=1)
    seen = np.array([(*s, *s[:2]) for s in stretches], "u4")
    with pytest.raises(ValueError, match=r"stretch|passes"):
        encoder.run(rows_of(6), seen, np.array(passes, "u4"), 1)


def test_no_states_but_those_of_a_stretch_can_be_asked_for():
    encoder, _ = model(3, layers=1)
    for asked in ((0, 4), (2, 1), (3, 6)):
        stretches = np.array([(0, 3, 0, 3, *asked), (3, 6, 3, 6, 3, 6)], "u4")
        with pytest.raises(ValueError, match="stretch"):
            encoder.run(rows_of(6), stretches, np.array([6], "u4"), 1)


def test_weights_that_are_no_numbers_or_of_another_shape_are_refused():
    encoder, _ = model(4, layers=1)
    drawn = layer(np.random.default_rng(0))
    with pytest.raises(ValueError, match="wide"):
        encoder.add(**drawn | {"wide": drawn["mixed"]})
    drawn["narrow"][0, 0] = np.nan
    with pytest.raises(ValueError, match="narrow"):
        encoder.add(**drawn)
    with pytest.raises(ValueError, match="32"):
        Transformer(np.ones(100, "f4"), np.ones(100, "f4"), heads=5, epsilon=EPSILON)


def test_no_rows_have_no_states():
    encoder, _ = model(5, layers=1)
    none = np.empty((0, 6), "u4"), np.empty(0, "u4")

    assert encoder.run(rows_of(0), *none, 1).shape == (0, WIDTH)
