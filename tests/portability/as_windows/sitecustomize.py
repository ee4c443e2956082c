# ruff: noqa: PTH115, PTH116, PTH123, PTH208 - what is patched here is what pathlib is made of
"""
Makes this process one as on Windows, as far as our modules can tell, on a system that is not.

Python runs it at its start where this folder is in PYTHONPATH, and so it does in whatever such a
process starts. For modules of ours alone, and not for the library or packages of others:

- the standard library lacks the modules and names that Windows does not have, which the file says
  that ``AS_WINDOWS`` names, and ``sys.platform`` says "win32"; Windows's own are there;
- a file that is open, or mapped, in this process can be neither renamed, nor replaced or removed;
- to read or write text in an encoding that nobody named is an error.
"""

import builtins
import errno
import fcntl
import importlib.machinery
import io
import json
import os
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import types
import warnings
from pathlib import Path

OURS = "hippocampus"
KNOWN = json.loads(Path(os.environ["AS_WINDOWS"]).read_text("utf-8"))
LIKE = {"sys": {"platform": "win32"}, "os": {"name": "nt"}}
OWN = {
    "os": {"O_BINARY": 0, "O_NOINHERIT": os.O_CLOEXEC},
    "signal": {"SIGBREAK": signal.SIGUSR2},
    "subprocess": {"CREATE_NEW_PROCESS_GROUP": 0, "CREATE_NO_WINDOW": 0},
}


class Windows(types.ModuleType):
    """A module of the standard library as Windows has it."""

    def __init__(self, module):
        super().__init__(module.__name__)
        name = module.__name__
        self.__dict__["_it"] = (
            module, frozenset(KNOWN["names"].get(name, ())), LIKE.get(name, {}) | OWN.get(name, {})
        )  # fmt: skip

    def __getattr__(self, name):
        module, missing, own = self.__dict__["_it"]
        if name in own:
            return own[name]
        if name in missing:
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}' on Windows")
        return getattr(module, name)

    def __setattr__(self, name, value):
        setattr(self.__dict__["_it"][0], name, value)

    def __delattr__(self, name):
        delattr(self.__dict__["_it"][0], name)

    def __dir__(self):
        return dir(self.__dict__["_it"][0])


class Msvcrt(types.ModuleType):
    """Locks of parts of files, from where a descriptor stands, as long as it is open."""

    LK_NBLCK = 2

    def locking(self, descriptor, mode, size):
        assert mode == self.LK_NBLCK
        here = os.lseek(descriptor, 0, os.SEEK_CUR)
        wanted = struct.pack("hhqqhxx", fcntl.F_WRLCK, os.SEEK_SET, here, size, 0)
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, wanted)


_worlds = {}
_import = builtins.__import__
_msvcrt = Msvcrt("msvcrt")


def _world(module):
    if module.__name__ not in _worlds:
        _worlds[module.__name__] = Windows(module)
    return _worlds[module.__name__]


def _imported(name, globals=None, locals=None, fromlist=(), level=0):  # noqa: A002
    top = name.partition(".")[0]
    if level or top == OURS:
        return _import(name, globals, locals, fromlist, level)
    if name == "msvcrt":
        return _msvcrt
    if name in KNOWN["modules"]:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    module = _import(name, globals, locals, fromlist, level)
    known = module.__name__ in KNOWN["names"] or module.__name__ in LIKE
    return _world(module) if known else module


_builtins = {**vars(builtins), "__import__": _imported}


class _Loader(importlib.machinery.SourceFileLoader):
    def exec_module(self, module):
        module.__dict__["__builtins__"] = _builtins
        super().exec_module(module)


class _Finder:
    """Finds our modules as they are found, and loads them into Windows."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] != OURS:
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                if spec.origin and spec.origin.endswith(".py"):
                    spec.loader = _Loader(name, spec.origin)
                return spec
        return None


# ---------------------------------------------------------------- files that are open


def _in_use(path, dir_fd=None):
    """Return whether a file is open or mapped here, or one in a folder is."""
    try:
        seen = os.stat(path, dir_fd=dir_fd, follow_symlinks=False)
    except OSError:
        return False
    if stat.S_ISDIR(seen.st_mode):
        inside = os.path.realpath(path) + os.sep
        return dir_fd is None and any(name.startswith(inside) for name in _open_names())
    if not stat.S_ISREG(seen.st_mode):
        return False
    for one in os.listdir("/proc/self/fd"):
        try:
            other = os.stat(int(one))
        except OSError:
            continue
        if (other.st_dev, other.st_ino) == (seen.st_dev, seen.st_ino):
            return True
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        return any(line.split()[4:5] == [str(seen.st_ino)] for line in maps)


def _open_names():
    for one in os.listdir("/proc/self/fd"):
        try:
            yield os.readlink(f"/proc/self/fd/{one}")
        except OSError:
            continue


def _refusing(act, *, two):
    def refuse(path, *others, **how):
        for one, at in [(path, "src_dir_fd" if two else "dir_fd")] + [
            (other, "dst_dir_fd") for other in others[: 1 if two else 0]
        ]:
            if _in_use(one, how.get(at)):
                raise PermissionError(errno.EACCES, "it is used by a process", os.fspath(one))
        return act(path, *others, **how)

    return refuse


def begin():
    """Turn this process into one as on Windows."""
    sys.meta_path.insert(0, _Finder())
    for name in ("unlink", "remove"):
        setattr(os, name, _refusing(getattr(os, name), two=False))
    for name in ("rename", "replace"):
        setattr(os, name, _refusing(getattr(os, name), two=True))
    tempfile.TemporaryFile = tempfile.NamedTemporaryFile
    warnings.filterwarnings("error", category=EncodingWarning, module=OURS)
    assert subprocess.list2cmdline
    assert io.text_encoding


begin()
