"""A disk that fails when told to, and a record of what reached it, for the stores of a test."""

import ctypes
import errno
import os
import random
import shutil
import signal
import struct
import subprocess
import tempfile
from collections import defaultdict
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

OPERATIONS = {
    "open": 1, "read": 2, "write": 4, "sync": 8, "truncate": 16, "lock": 32, "delete": 64,
    "size": 128, "zero": 256,
}  # fmt: skip
"""``zero``: a write or sync of an erasure that zeroes in place, which is not SQLite's."""
EVERY = sum(OPERATIONS.values())
HOW = {"EIO": 0, "ENOSPC": 1, "short": 2, "kill": 3}
"""What a fault is: an error of the disk, no room, half a write and no room, the process killed."""
_HEAD = struct.Struct("<iqi")
_SECTOR = 512


@cache
def _library():
    """Build the VFS and load it into the SQLite of this process, or skip where that cannot be."""
    linked = Path("/proc/self/maps").read_text() if Path("/proc/self/maps").exists() else ""
    names = {line.split()[-1] for line in linked.splitlines() if "libsqlite3" in line}
    if len(names) != 1 or shutil.which("cc") is None:
        pytest.skip("SQLite is no library of its own in this Python, or there is no C compiler")
    made = Path(tempfile.mkdtemp()) / "faulty_vfs.so"
    built = subprocess.run(
        ["cc", "-O1", "-fPIC", "-shared", "-o", made, Path(__file__).with_name("faulty_vfs.c")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if built.returncode:
        pytest.skip(f"the VFS cannot be built; libsqlite3-dev is missing? {built.stderr[:200]}")
    sqlite = ctypes.CDLL(names.pop(), mode=ctypes.RTLD_GLOBAL)  # which ours is a part of
    ours = ctypes.CDLL(str(made))
    ours.faults_arm.argtypes = ctypes.c_int, ctypes.c_long, ctypes.c_int, ctypes.c_int
    ours.faults_counted.restype = ours.faults_fired.restype = ctypes.c_long
    ours.faults_name.restype = ctypes.c_char_p
    ours.faults_meet.argtypes = (ctypes.c_char_p,)
    ours.faults_record.argtypes = (
        ctypes.c_int, ctypes.c_char_p, ctypes.c_longlong, ctypes.c_int, ctypes.c_char_p,
    )  # fmt: skip
    return ours, sqlite


class Disk:
    """What happens to the files in one folder."""

    def __init__(self, library):
        self._library = library
        self._how = "EIO"

    def fail(self, nth, kinds=EVERY, how="EIO", *, forever=False):
        """Have the n-th operation from now on fail, once or from then on; 0 for none, to count."""
        self._how = how
        self._library.faults_arm(kinds, nth, HOW[how], int(forever))

    def mend(self):
        """Fail no more; return (operations counted, failed) since it was told to."""
        told = self._library.faults_counted(), self._library.faults_fired()
        self.fail(0, 0)
        return told

    def trace(self, path):
        """Begin a record of what reaches the disk, or end it for None."""
        self._library.faults_trace(None if path is None else str(path).encode())

    def mark(self, number):
        """Write into the record that something was acknowledged."""
        self._library.faults_mark(number)

    def name(self, number):
        """Return the path of a file of the record."""
        return self._library.faults_name(number).decode()

    def write_at(self, descriptor, data, offset):
        """Write as ``core.files`` does where SQLite does not look, and fail as SQLite's writes."""
        name = _name_of(descriptor)
        if self._library.faults_meet(name):
            if self._how in {"short", "kill"}:
                os.pwrite(descriptor, data[: len(data) // 2], offset)
            self._end()
        done = os.pwrite(descriptor, data, offset)
        self._library.faults_record(ord("W"), name, offset, done, data[:done])
        return done

    def sync_descriptor(self, descriptor):
        """Sync as ``core.files`` does."""
        name = _name_of(descriptor)
        if self._library.faults_meet(name):
            self._end()
        os.fsync(descriptor)
        self._library.faults_record(ord("S"), name, 0, 0, None)

    def _end(self):
        if self._how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        number = errno.EIO if self._how == "EIO" else errno.ENOSPC
        raise OSError(number, os.strerror(number))


def _name_of(descriptor):
    return bytes(Path(f"/proc/self/fd/{descriptor}").readlink())


@contextmanager
def faulty_disk(folder):
    """Put every file of a store below a folder on such a disk."""
    ours, sqlite = _library()
    ours.faults_install(
        sqlite.sqlite3_vfs_find, sqlite.sqlite3_vfs_register, sqlite.sqlite3_mutex_alloc
    )
    ours.faults_watch(str(folder).encode())
    disk = Disk(ours)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("hippocampus.core.files.write_at", disk.write_at)
            patch.setattr("hippocampus.core.files.sync_descriptor", disk.sync_descriptor)
            yield disk
    finally:
        ours.faults_remove(sqlite.sqlite3_vfs_unregister, sqlite.sqlite3_vfs_register)


# ---------------------------------------------------------------- power cuts


class Step(NamedTuple):
    """One line of the record: O(pen), W(rite), T(runcate), S(ync), D(elete) or M(ark)."""

    kind: str
    file: int
    at: int
    data: bytes


def steps_of(path):
    """Read a record."""
    raw, steps, place = path.read_bytes(), [], 0
    while place + 1 + _HEAD.size <= len(raw):
        file, at, size = _HEAD.unpack_from(raw, place + 1)
        begin = place + 1 + _HEAD.size
        steps.append(Step(chr(raw[place]), file, at, raw[begin : begin + size]))
        place = begin + size
    return steps


class Surviving:
    """
    What a disk may hold after a power cut, told step by step.

    What was synced is there. Of what was not, each write may be there, be missing, or be torn at a
    sector, whatever came before or after it. A deletion is there or not until its folder is synced.
    """

    def __init__(self):
        self.durable: dict[int, bytearray] = {}
        self.pending: defaultdict[int, list[Step]] = defaultdict(list)

    def take(self, step):
        """Take in the next step."""
        if step.kind == "S":
            whole = self.durable.setdefault(step.file, bytearray())
            for one in self.pending.pop(step.file, ()):
                _apply(whole, one)
        elif step.kind == "D" and step.at:
            self.durable.pop(step.file, None)
            self.pending.pop(step.file, None)
        elif step.kind in "WTD":
            self.pending[step.file].append(step)

    def after_a_cut(self, rng, share):
        """Return what each file may hold; ``share``: how many of the pending writes are there."""
        found = {}
        for file in self.durable.keys() | self.pending.keys():
            if file not in self.durable and rng.random() > share:
                continue
            whole = bytearray(self.durable.get(file, b""))
            for one in self.pending.get(file, ()):
                if rng.random() >= share:
                    continue
                if one.kind == "W" and rng.random() < 0.2:
                    sectors = rng.randrange(len(one.data) // _SECTOR + 1)
                    _apply(whole, one._replace(data=one.data[: sectors * _SECTOR]))
                else:
                    _apply(whole, one)
            found[file] = bytes(whole)
        return found


def _apply(whole, step):
    if step.kind == "W":
        whole.extend(bytes(max(0, step.at + len(step.data) - len(whole))))
        whole[step.at : step.at + len(step.data)] = step.data
    elif step.kind == "T":
        del whole[step.at :]
    else:
        whole.clear()


def rng_of(*seed):
    """Return a random number generator of a seed of several parts."""
    return random.Random(" ".join(map(str, seed)))  # noqa: S311
