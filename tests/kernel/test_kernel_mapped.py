"""A part of a file in memory: it grows, changes no file, and outlives one that is cut short."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import kernel_reference as reference
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.kernel import MAPS_FILES, MappedRoom, checksum

PAGE = 1 << 16
CONTENT = bytes(range(256)) * (4 * PAGE // 256)

pytestmark = pytest.mark.skipif(not MAPS_FILES, reason="files are not mapped on this system")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "content"
    path.write_bytes(CONTENT)
    with path.open("rb") as opened:
        yield opened


def test_it_reads_as_the_file_does_with_room_behind(file):
    for offset, nbytes, room in [(0, PAGE, PAGE), (PAGE, 5000, 9 * PAGE), (PAGE, 77, 10)]:
        mapped = MappedRoom(file.fileno(), offset, nbytes, room)
        expected = reference.MappedRoom(file.fileno(), offset, nbytes, room)
        assert np.array_equal(mapped.array[:nbytes], expected.array[:nbytes])
        assert len(mapped.array) == len(expected.array)
        assert not mapped.damaged


def test_what_is_written_stays_in_memory(file):
    mapped = MappedRoom(file.fileno(), 0, 4 * PAGE, 8 * PAGE)
    mapped.array[:] = 7
    assert (mapped.array == 7).all()
    assert file.read() == CONTENT


def test_the_array_outlives_the_file_and_the_room(file):
    array = MappedRoom(file.fileno(), PAGE, PAGE, PAGE).array
    Path(file.name).unlink()
    file.close()
    assert array.tobytes() == CONTENT[PAGE : 2 * PAGE]


def test_where_a_file_was_cut_short_there_are_zeros(file):
    mapped = MappedRoom(file.fileno(), 0, 4 * PAGE, 8 * PAGE)
    mapped.array[3 * PAGE] = 9  # a page of its own by now, which goes with the file all the same
    os.truncate(file.name, PAGE)
    with ThreadPoolExecutor(4) as pool:
        parts = list(pool.map(lambda n: mapped.array[n * PAGE : (n + 1) * PAGE].sum(), range(4)))
    assert parts == [int(mapped.array[:PAGE].sum()), 0, 0, 0]
    assert mapped.array[:PAGE].tobytes() == CONTENT[:PAGE]
    assert mapped.damaged


def test_another_room_of_another_file_is_not_damaged(file, tmp_path):
    other = tmp_path / "other"
    other.write_bytes(CONTENT)
    with other.open("rb") as opened:
        whole = MappedRoom(opened.fileno(), 0, PAGE, PAGE)
    cut = MappedRoom(file.fileno(), 0, PAGE, PAGE)
    os.truncate(file.name, 0)
    assert not cut.array.any()
    assert cut.damaged
    assert whole.array.any()
    assert not whole.damaged


def test_a_room_let_go_makes_place_for_another(file):
    for _ in range(3000):
        MappedRoom(file.fileno(), 0, PAGE, PAGE)
    with pytest.raises(RuntimeError, match="more maps than are guarded"):
        _ = [MappedRoom(file.fileno(), 0, PAGE, PAGE) for _ in range(2000)]
    assert MappedRoom(file.fileno(), 0, PAGE, PAGE).array.any()


def test_nothing_and_no_file_are_refused(file):
    with pytest.raises(ValueError, match="nothing to map"):
        MappedRoom(file.fileno(), 0, 0, 0)
    with pytest.raises((OSError, RuntimeError)):
        MappedRoom(1 << 20, 0, PAGE, PAGE)
    with pytest.raises((OSError, RuntimeError)):
        MappedRoom(file.fileno(), 1, PAGE, PAGE)


ELSEWHERE = """
import faulthandler, mmap, os, sys
from hippocampus.kernel import MappedRoom
if sys.argv[2] == "told":
    faulthandler.enable()
with open(sys.argv[1], "r+b") as file:
    ours = MappedRoom(file.fileno(), 0, 1 << 16, 1 << 16)
    theirs = mmap.mmap(file.fileno(), 1 << 16)
    os.truncate(sys.argv[1], 0)
    print(int(ours.array.sum()), ours.damaged, flush=True)
    print(theirs[5])
"""


@pytest.mark.parametrize("handler", ["none", "told"])
def test_a_map_of_somebody_elses_ends_the_process_as_ever(file, handler):
    command = [sys.executable, "-c", ELSEWHERE, file.name, handler]
    found = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert found.returncode == -7
    assert found.stdout == "0 True\n"
    assert ("Bus error" in found.stderr) == (handler == "told")


@given(st.binary(max_size=200))
def test_the_checksum_is_xxh64(raw):
    array = np.frombuffer(raw, np.uint8)
    assert checksum(array) == reference.checksum(array)


def test_the_checksum_of_nothing_is_as_the_xxhash_package_says():
    assert checksum(np.empty(0, np.uint8)) == 0xEF46DB3751D8E999
