"""Partitions hold each row once, grow by what is new, and what is searched in them is right."""

import io
import json
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.core.records import Payloads
from hippocampus.errors import InputError, StoreFull
from hippocampus.index.disk_array import DiskArray
from hippocampus.index.faiss_search import FaissSearch
from hippocampus.index.growable_array import GrowableArray
from hippocampus.index.partition_search import PartitionSearch, order_of
from hippocampus.index.partitions import NOWHERE, Partitions, keep_up
from hippocampus.index.query import Query
from hippocampus.index.vector import VectorCue
from hippocampus.index.vector_codec import pack_vectors

D = 64


def drawn(seed, count, *, empty=0.0):
    """Return unit vectors about a few centres; some are zero."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(7, D))
    made = centres[rng.integers(0, 7, count)] + rng.normal(0, 0.7, (count, D))
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    made[rng.random(count) < empty] = 0
    return made.astype(np.float32)


def cue_of(vectors, **where):
    cue = VectorCue(D, **where)
    for start in range(0, len(vectors), 300):
        some = vectors[start : start + 300]
        packed = pack_vectors(some)
        there = some.any(axis=1)
        cue.observe(Payloads.of([p if t else b"" for p, t in zip(packed, there, strict=True)]))
    return cue


def asking(vector):
    none = np.empty(0)
    return Query(
        text="", now=datetime(2025, 1, 1, tzinfo=UTC), terms=none.astype(np.uint32),
        term_weights=none.astype(np.float32), vector=vector,
    )  # fmt: skip


@given(st.integers(0, 9), st.integers(1, 900), st.integers(0, 300))
def test_new_rows_go_to_the_nearest_without_moving_the_others(seed, count, more):
    vectors = drawn(seed, count + more, empty=0.1)
    before, first = keep_up(None, vectors.__getitem__, count)
    after, placed = keep_up(before, vectors.__getitem__, count + more)

    assert (first, len(after)) == (count, count + more)
    assert np.array_equal(after.of_row == NOWHERE, ~vectors.any(axis=1))
    assert after.learnt_from in {count, count + more}
    if after.learnt_from == count:
        assert placed == more
        assert np.array_equal(after.of_row[:count], before.of_row)
    # Groups narrow the choice, so most rows, not all, are with the very nearest centroid.
    there = vectors.any(axis=1)
    nearest = (vectors[there] @ after.centres.T).argmax(axis=1)
    assert np.mean(after.of_row[there] == nearest) > 0.7


def test_the_same_vectors_give_the_same_partitions():
    vectors = drawn(3, 500)
    one, other = (keep_up(None, vectors.__getitem__, 500)[0] for _ in range(2))

    assert one.to_bytes() == other.to_bytes()


def test_vectors_of_another_size_are_learnt_anew():
    before, _ = keep_up(None, drawn(0, 50).__getitem__, 50)
    wide = np.repeat(drawn(0, 50), 2, axis=1)
    after, placed = keep_up(before, wide.__getitem__, 50)

    assert (after.dimension, placed) == (2 * D, 50)


def test_what_is_packed_is_unpacked():
    made, _ = keep_up(None, drawn(1, 400, empty=0.2).__getitem__, 400)
    again = Partitions.load(made.to_bytes())

    assert np.array_equal(made.of_row, again.of_row)
    np.testing.assert_allclose(made.centres, again.centres, atol=0.01)
    assert again.to_bytes() == Partitions.load(again.to_bytes()).to_bytes()


def changed(payload, **new):
    with np.load(io.BytesIO(payload)) as kept:
        arrays = dict(kept)
    file = io.BytesIO()
    np.savez_compressed(file, **(arrays | new))
    return file.getvalue()


@pytest.mark.parametrize(
    "new",
    [
        {"of_row": np.full(400, 60_000, np.uint16)},
        {"of_row": np.zeros(400, np.int64)},
        {"of_row": np.zeros((20, 20), np.uint16)},
        {"ends": np.array([0, 1], np.int64)},
        {"ends": np.array([0, -3, 20], np.int64)},
        {"ends": np.zeros(0, np.int64)},
        {"groups": np.zeros((1, 8), np.int8)},
        {"centres": np.zeros((0, D), np.int8), "centres_scales": np.zeros(0, np.float32)},
        {"centres": np.zeros(5, np.int8)},
        {"groups_scales": np.full(4, np.nan, np.float32)},
        {"head": np.frombuffer(json.dumps({"version": 9}).encode(), np.uint8)},
        {"head": np.frombuffer(b"{", np.uint8)},
        {"head": np.frombuffer(b'{"version": 1, "learnt_from": 0}', np.uint8)},
    ],
)
def test_partitions_that_somebody_edited_are_refused(new):
    made, _ = keep_up(None, drawn(1, 400).__getitem__, 400)

    with pytest.raises(InputError, match=r"(S|s)leep makes them anew"):
        Partitions.load(changed(made.to_bytes(), **new))


@given(st.binary(max_size=60))
def test_any_bytes_are_refused(payload):
    with pytest.raises(InputError):
        Partitions.load(payload)


@given(st.integers(0, 9), st.sampled_from([None, 0.5, 0.05]), st.booleans(), st.integers(0, 60))
def test_looking_into_all_partitions_finds_what_a_scan_finds(seed, allowed, shards, more):
    vectors = drawn(seed, 700 + more)
    cue, rng = cue_of(vectors), np.random.default_rng(seed)
    mask = None if allowed is None else rng.random(len(vectors)) < allowed
    made, _ = keep_up(None, cue.vectors, 700)
    sources = rng.integers(-1, 90, len(vectors)).astype(np.int32)
    vector = drawn(seed + 100, 1)[0]
    cue.search = PartitionSearch(made, 4096, (lambda: sources) if shards else None)
    found = cue.candidates(vector, mask, 40)

    near = cue.estimates(vector)  # of which many are equal
    expected = np.sort(near if mask is None else near[mask])[::-1][:40]
    assert np.array_equal(expected, np.sort(near[found])[::-1][: len(expected)])
    assert len(set(found.tolist())) == len(found)


@given(st.integers(0, 9), st.integers(1, 40))
def test_a_few_partitions_give_allowed_rows_each_once(seed, limit):
    cue, rng = cue_of(drawn(seed, 900)), np.random.default_rng(seed)
    mask = rng.random(900) < 0.3
    made, _ = keep_up(None, cue.vectors, 850)
    cue.search = PartitionSearch(made, 2, None)
    found = cue.propose(asking(drawn(seed + 100, 1)[0]), mask, limit)

    assert len(found) == len(set(found.tolist())) == min(limit, int(mask.sum()))
    assert mask[found].all()


def test_with_many_new_rows_all_are_scanned():
    cue = cue_of(drawn(0, 900))
    made, _ = keep_up(None, cue.vectors, 300)
    search = PartitionSearch(made, 2, None)

    assert search.near(cue, drawn(5, 1)[0], None, 10) is None


@given(st.integers(0, 9), st.integers(0, 500), st.booleans())
def test_rows_in_any_order_and_place_are_the_same_rows(tmp_path_factory, seed, known, on_disk):
    vectors = drawn(seed, 500, empty=0.1)
    plain = cue_of(vectors)
    order = np.random.default_rng(seed).permutation(known).astype(np.uint32)
    folder = tmp_path_factory.mktemp("disk") if on_disk else None
    laid = cue_of(vectors, folder=folder, order=order)
    rows = np.arange(0, 500, 3)
    question = drawn(seed + 100, 1)[0]

    assert np.array_equal(plain.present, laid.present)
    assert np.array_equal(plain.vectors(rows), laid.vectors(rows))
    some = rows.astype(np.uint32)
    assert np.array_equal(plain.cosines(question, some), laid.cosines(question, some))
    groups = (some % 4).astype(np.uint32)
    for one, other in zip(plain.sums(some, groups, 4), laid.sums(some, groups, 4), strict=True):
        assert np.array_equal(one, other)


def test_rows_lie_in_order_of_partition():
    made, _ = keep_up(None, drawn(2, 300, empty=0.1).__getitem__, 300)
    order = order_of(made)

    assert sorted(order.tolist()) == list(range(300))
    assert (np.diff(made.of_row[order].astype(int)) >= 0).all()


@given(st.lists(st.tuples(st.sampled_from(["extend", "fork", "put"]), st.integers(0, 9))))
def test_an_array_in_a_file_is_as_one_in_memory(tmp_path_factory, steps):
    folder = tmp_path_factory.mktemp("disk")
    pairs = [(GrowableArray(np.int8, 8), DiskArray(np.int8, 8, folder=folder))]
    for step, number in steps:
        plain, mapped = pairs[number % len(pairs)]
        if step == "extend":
            rows = np.full((number, 8), len(pairs) + number, np.int8)
            plain.extend(rows)
            mapped.extend(rows)
        elif step == "fork":
            pairs.append((plain.fork(), mapped.fork()))
        elif len(plain):
            plain.put(number % len(plain), -number)
            mapped.put(number % len(plain), -number)
        for one, other in pairs:
            assert np.array_equal(one.view, other.view)
    assert not list(folder.iterdir()), "nobody can cut a file short that has no name"
    assert all(mapped.nbytes == 0 for _, mapped in pairs)


def test_a_disk_without_room_is_told(tmp_path):
    array = DiskArray(np.int8, 1 << 20, folder=tmp_path)

    with pytest.raises(StoreFull, match=r"no room for 1,1.* bytes of vectors"):
        array._move(1 << 30)


def test_a_folder_that_is_gone_is_told(tmp_path):
    array = DiskArray(np.int8, 8, folder=tmp_path / "gone")

    with pytest.raises(StoreFull, match="place='memory'"):
        array.extend(np.zeros((1, 8), np.int8))


@pytest.mark.slow
def test_faiss_finds_most_of_what_a_scan_finds_and_only_what_is_allowed():
    vectors = drawn(1, 12_000)
    cue = cue_of(vectors[:11_000])
    cue.search = FaissSearch(64)
    mask = np.zeros(12_000, np.bool_)
    mask[::2] = True
    for rows in (vectors[:0], vectors[11_000:]):  # and then with some that are not added yet
        if len(rows):
            cue.observe(Payloads.of(pack_vectors(rows)))
        allowed = mask[: len(cue)]
        for question in drawn(50, 10):
            found = cue.propose(asking(question), allowed, 10)
            exact = np.argsort(-np.where(allowed, cue.vectors(np.arange(len(cue))) @ question, -2))
            assert allowed[found].all()
            assert len(set(found.tolist())) == 10
            assert len(set(found.tolist()) & set(exact[:10].tolist())) >= 6
