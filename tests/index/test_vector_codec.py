"""Vectors at two to eight bits a dimension: how near they stay, and what junk does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.core.records import Payloads
from hippocampus.index.vector_codec import BITS, pack_vectors, unpack_vectors

DIMENSIONS = st.sampled_from([8, 64, 384])


def unit_rows(seed, rows, dimension):
    made = np.random.default_rng(seed).normal(size=(rows, dimension)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def unpacked(payloads, dimension):
    packed = Payloads.of(payloads)
    signed, scales = unpack_vectors(packed.lengths, packed.data, dimension)
    return signed * scales[:, None]


@pytest.mark.parametrize(("bits", "least"), [(2, 0.92), (3, 0.97), (4, 0.99), (8, 0.999)])
def test_a_vector_keeps_its_direction(bits, least):
    vectors = unit_rows(1, 50, 384)
    kept = unpacked(pack_vectors(vectors, bits=bits), 384)

    assert np.einsum("ij,ij->i", vectors, kept).min() > least


@given(st.sampled_from(BITS), DIMENSIONS, st.integers(0, 99), st.floats(1e-6, 1e6))
def test_a_vector_keeps_its_length(bits, dimension, seed, length):
    vectors = unit_rows(seed, 3, dimension) * np.float32(length)
    kept = unpacked(pack_vectors(vectors, bits=bits), dimension)

    tolerance = 0.02 if bits == 8 else 0.01  # of rounding to bytes alone
    assert np.allclose(length, np.linalg.norm(kept, axis=1), rtol=tolerance)


@pytest.mark.parametrize("bits", BITS)
def test_a_vector_that_levels_would_turn_keeps_its_bytes(bits):
    sparse = np.zeros((1, 64), np.float32)
    sparse[0, :3] = 0.8, -0.6, 0.01

    assert 64 + 4 == len(pack_vectors(sparse, bits=bits)[0])


@given(st.sampled_from(BITS), st.just(384))
def test_a_payload_has_so_many_bits_a_dimension_and_a_scale(bits, dimension):
    (payload,) = pack_vectors(unit_rows(0, 1, dimension), bits=bits)

    assert dimension * bits // 8 + 4 == len(payload)


@given(st.sampled_from(BITS), DIMENSIONS, st.integers(0, 99))
def test_what_is_kept_stays_as_it_is_when_it_is_packed_again(bits, dimension, seed):
    kept = unpacked(pack_vectors(unit_rows(seed, 4, dimension), bits=bits), dimension)
    again = unpacked(pack_vectors(kept, bits=bits), dimension)

    assert np.einsum("ij,ij->i", kept, again).min() > 0.9


@given(st.lists(st.sampled_from([*BITS, None]), max_size=8), st.integers(0, 99))
def test_vectors_of_different_bits_lie_side_by_side(mixture, seed):
    vectors = unit_rows(seed, len(mixture) or 1, 64)
    payloads = [
        b"" if bits is None else pack_vectors(vectors[place : place + 1], bits=bits)[0]
        for place, bits in enumerate(mixture)
    ]
    together = unpacked(payloads, 64)

    for place, payload in enumerate(payloads):
        assert np.array_equal(unpacked([payload], 64)[0], together[place])


@given(st.binary(max_size=70))
def test_any_bytes_are_a_vector_of_finite_numbers(junk):
    assert np.isfinite(unpacked([junk], 64)).all()


@given(st.sampled_from(BITS))
def test_a_vector_of_zeros_stays_one(bits):
    assert not unpacked(pack_vectors(np.zeros((1, 8), np.float32), bits=bits), 8).any()
