"""What is kept compressed is unpacked within bounds, and what is none is a ValueError."""

import io
import tracemalloc
import zipfile
import zlib

import numpy as np
import pytest

from hippocampus.core.decompress import PLENTY, inflate, load_arrays

BOMB = zlib.compress(bytes(64 << 20), 9)


def npz(**members):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as kept:
        for name, stored in members.items():
            kept.writestr(f"{name}.npy", stored)
    return made.getvalue()


def npy(shape, data=b""):
    made = io.BytesIO()
    head = {"descr": "<f4", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(made, head)
    return made.getvalue() + data


def peak(call):
    tracemalloc.start()
    try:
        with pytest.raises(ValueError):  # noqa: PT011 - in many words
            call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_what_was_compressed_comes_back():
    assert b"" == inflate(zlib.compress(b""))
    assert b"x" * 1000 == inflate(zlib.compress(b"x" * 1000), most=1000)
    arrays = {"a": np.arange(12.0).reshape(3, 4), "b": np.zeros((0, 3), np.int8)}
    kept = io.BytesIO()
    np.savez_compressed(kept, **arrays)

    read = load_arrays(kept.getvalue())
    assert set(arrays) == set(read)
    assert all((arrays[name] == read[name]).all() for name in arrays)


@pytest.mark.parametrize("packed", [b"", b"x", BOMB[:100], zlib.compress(b"x" * 9)[:-1]])
def test_what_is_cut_off_or_something_else_is_refused(packed):
    with pytest.raises(ValueError):  # noqa: PT011 - zlib's own words
        inflate(packed)


def test_a_bomb_takes_no_more_memory_than_the_bound():
    assert len(BOMB) < 1 << 17
    assert peak(lambda: inflate(BOMB, most=1 << 20)) < 4 << 20
    assert peak(lambda: load_arrays(npz(a=bytes(64 << 20)), most=1 << 20)) < 80 << 20


def test_a_bomb_that_says_it_is_small_is_unpacked_no_further():
    told = bytearray(npz(a=npy((16 << 20,), bytes(64 << 20))))
    for mark, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = told.index(mark) + place
        told[at : at + 4] = (100).to_bytes(4, "little")  # in the place of its real size

    assert peak(lambda: load_arrays(bytes(told))) < 4 << 20


@pytest.mark.slow
@pytest.mark.parametrize("read", [inflate, load_arrays])
def test_few_bytes_come_to_little_unless_somebody_says_otherwise(read):
    packed = BOMB if read is inflate else npz(a=npy((16 << 20,), bytes(64 << 20)))

    assert peak(lambda: read(packed)) < 40 << 20
    assert len(read(packed, most=65 << 20))


@pytest.mark.slow
def test_what_is_as_dense_as_words_are_may_be_large():
    words = b"".join(b"%d words of a kind, again; " % (n * n) for n in range(1 << 20))
    packed = zlib.compress(words)

    assert len(words) > PLENTY
    assert words == inflate(packed)


@pytest.mark.parametrize("shape", [(1 << 40,), (1 << 31, 1 << 31), (-1,), (2,)])
def test_an_array_that_promises_more_than_it_has_is_refused_before_room_is_made(shape):
    assert peak(lambda: load_arrays(npz(a=npy(shape, b"1234")))) < 1 << 20


@pytest.mark.parametrize("stored", [b"", b"x", b"\x93NUMPY\x03\x00", npy((1,))[:40]])
def test_what_is_no_array_is_refused(stored):
    assert peak(lambda: load_arrays(npz(a=stored))) < 1 << 20


def test_numbers_of_every_type_order_and_shape_come_back():
    arrays = {
        "booleans": np.ones(3, np.bool_), "halves": np.ones((2, 2), np.float16),
        "columns first": np.asfortranarray(np.arange(12, dtype=np.int32).reshape(3, 4)),
        "one": np.array(3, np.uint64), "none": np.zeros((2, 0, 3)),
    }  # fmt: skip
    kept = io.BytesIO()
    np.savez(kept, **arrays)

    for name, read in load_arrays(kept.getvalue()).items():
        assert (arrays[name].dtype, arrays[name].shape) == (read.dtype, read.shape)
        assert (arrays[name] == read).all()


@pytest.mark.parametrize(
    "head",
    [
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)",
        b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
        b"{'descr': '<f1', 'fortran_order': False, 'shape': (4,), }",
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), } or exit()",
        b"(" * 40,
        b"{'",
    ],
)
def test_a_head_that_is_not_as_numpy_writes_it_is_not_evaluated(head):
    head += b"\n"
    stored = b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + bytes(4)
    with pytest.raises(ValueError, match="head"):
        load_arrays(npz(a=stored))


def test_an_archive_in_a_way_that_is_not_known_is_refused():
    packed = bytearray(npz(a=npy((0,))))
    for at in (8, packed.index(b"PK\x01\x02") + 10):
        packed[at] = 99
    with pytest.raises(ValueError, match="cannot be read"):
        load_arrays(bytes(packed))
