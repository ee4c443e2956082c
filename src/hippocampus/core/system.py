"""
Differences between operating systems: the only calls that not all of them have.

Linux, macOS and Windows are meant. Windows has no forks, no file that is read at an offset, no lock
that is only a word between programs, no sockets in folders, and no file that can be renamed or
removed while it is open. What stands here has the same meaning on all three, or says in a constant
that there is no such thing, for its caller to have another way.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
import stat
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:  # short commands load neither
    import mmap
    from io import TextIOWrapper
    from pathlib import Path

CAN_FORK: Final = sys.platform != "win32"
"""Whether a process can be doubled."""
CAN_WRITE_AT: Final = sys.platform != "win32"
"""Whether a file that another part of this process has locked can be written to at an offset."""
CAN_RENAME_OPEN_FILES: Final = sys.platform != "win32"
"""Whether a file that is open can get another name, lose its own or be replaced."""
SHARES_CONNECTIONS: Final = sys.platform.startswith("linux")
"""Whether the kernel deals connections out among sockets that listen at one address."""
KNOWS_PEERS: Final = sys.platform in {"linux", "darwin"}
"""Whether there are sockets in folders, of which the kernel tells whose the other end is."""
LONGEST_SOCKET_PATH: Final = 107 if sys.platform == "linux" else 103
"""Bytes of the path of such a socket."""

_NOT_NAMED: Final = '<>:"/\\|?*'
"""Characters that no name of a file on Windows has."""
_DEVICES: Final = frozenset(
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
    + [f"{port}{number}" for port in ("COM", "LPT") for number in "0123456789¹²³"]
)
"""Names of devices on Windows, in every folder and with any ending."""
_FAR: Final = 1 << 43
"""Place of a lock on Windows, where it keeps others from reading and writing: behind any file."""


# ---------------------------------------------------------------- signals


if sys.platform == "win32":
    STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGBREAK)
    """How a process is told to stop; on Windows Ctrl+Break is the one that another can send."""
else:
    STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
    """How a process is told to stop."""


def end_in_time(after_s: float, last_words: str) -> None:
    """
    End this process so many seconds after it is told to stop, though something holds the lock.

    Handlers of signals and timers of Python wait for a call into C that keeps the interpreter's
    lock; this does not. Whoever handles ``STOP_SIGNALS`` now goes on doing so, until others do.
    Then the process ends as if killed, with code 1, and says its last words on stderr. On Windows
    it has no effect: whoever stops a process there ends it, or presses keys.
    """
    from hippocampus.kernel import end_in_time as end  # noqa: PLC0415 - short commands do without

    for one in STOP_SIGNALS:
        end(one, after_s, f"{last_words}\n".encode())


# ---------------------------------------------------------------- files


def is_file_name(name: str) -> bool:
    """Return whether the last part of a path on another machine can be one here, too."""
    if sys.platform == "win32":  # where "C:x" is on another disk, and "nul.txt" a device
        device = name.partition(".")[0].rstrip(" ").upper() in _DEVICES
        return not (device or name.endswith((" ", ".")) or any(map(name.__contains__, _NOT_NAMED)))
    return True


def open_descriptor(path: str | Path, flags: int, mode: int = 0o600, *, follow: bool = True) -> int:
    """Open a file of bytes, never of text, which no program that is started inherits."""
    if sys.platform == "win32":
        return os.open(path, flags | os.O_BINARY | os.O_NOINHERIT, mode)
    return os.open(path, flags | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW), mode)


if sys.platform == "win32":
    import threading

    _moving: Final = threading.Lock()

    def read_at(descriptor: int, size: int, offset: int) -> bytes:
        """Return at most so many bytes from an offset on."""
        with _moving:  # a descriptor has one place, which threads would take from each other
            os.lseek(descriptor, offset, os.SEEK_SET)
            return os.read(descriptor, size)

    def write_at(descriptor: int, data: bytes, offset: int) -> int:
        """Write at an offset, and return how many bytes were."""
        with _moving:
            os.lseek(descriptor, offset, os.SEEK_SET)
            return os.write(descriptor, data)

else:
    read_at: Final = os.pread
    """Returns at most so many bytes from an offset on."""
    write_at: Final = os.pwrite
    """Writes at an offset, and returns how many bytes were."""


def lock(descriptor: int) -> bool:
    """Lock a file until its descriptor is closed; False, at once, if another has locked it."""
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - there and nowhere else

        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return True
    import fcntl  # noqa: PLC0415 - not everywhere

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # apart from the locks of SQLite
    except OSError:
        return False
    return True


def sync(path: Path) -> None:
    """Have the system put a file that we wrote, or a folder's list of names, on disk."""
    is_folder = path.is_dir()
    if is_folder and sys.platform == "win32":  # which cannot, and need not
        return
    handle = open_descriptor(path, os.O_RDONLY if is_folder else os.O_RDWR)
    try:
        sync_descriptor(handle)
    finally:
        os.close(handle)


def sync_descriptor(descriptor: int) -> None:
    """Return once all that was written to a file is on the disk."""
    if sys.platform == "darwin":
        import fcntl  # noqa: PLC0415 - not everywhere

        with suppress(OSError):  # not every file system there can
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)  # past the cache of the disk itself
            return
    os.fsync(descriptor)


def reserve(descriptor: int, size: int) -> None:
    """Have a file be so many bytes long, all of them there where the system can see to that."""
    if sys.platform == "linux":
        os.posix_fallocate(descriptor, 0, size)
    else:
        os.ftruncate(descriptor, size)


def expect_random_reads(mapped: mmap.mmap) -> None:
    """Say that neighbours of what is read in a mapped file are of no use."""
    if sys.platform != "win32":
        import mmap  # noqa: PLC0415 - whoever has one has it

        mapped.madvise(mmap.MADV_RANDOM)


def give_as(path: Path, like: os.stat_result) -> None:
    """Give a file the rights of another, and, as far as we may, its owner."""
    path.chmod(stat.S_IMODE(like.st_mode))
    if sys.platform != "win32":
        with suppress(OSError):  # nobody but root gives files away
            os.chown(path, like.st_uid, like.st_gid)


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """
    Let no file of this process grow beyond so many bytes while it lasts.

    Raises:
        OSError: on Windows, which has no such limit.

    """
    if sys.platform == "win32":
        raise OSError(errno.ENOSYS, "Windows has no limit on the size of a file")
    import resource  # noqa: PLC0415 - not everywhere

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def output_encoding(stream: TextIOWrapper) -> str:
    """
    Return the encoding of our output: on Windows UTF-8, unless the user sees or says it.

    Programs that read our output there expect UTF-8, and its own encodings lack most characters.
    """
    if sys.platform == "win32" and not stream.isatty() and "PYTHONIOENCODING" not in os.environ:
        return "utf-8"
    return stream.encoding


# ---------------------------------------------------------------- processes


def at_fork(
    *,
    after_in_child: Callable[[], object],
    before: Callable[[], object] | None = None,
    after_in_parent: Callable[[], object] | None = None,
) -> None:
    """Have functions called at every fork of this process, where there are any."""
    if sys.platform != "win32":
        nothing = _nothing
        os.register_at_fork(
            before=before or nothing,
            after_in_parent=after_in_parent or nothing,
            after_in_child=after_in_child,
        )


def _nothing() -> None:
    pass


def fork() -> int:
    """
    Double this process; returns 0 in the child, and the child's number in the parent.

    Raises:
        OSError: on Windows; see ``CAN_FORK``.

    """
    if sys.platform == "win32":
        raise OSError(errno.ENOSYS, "Windows has no forks")
    return os.fork()


def detached() -> dict[str, Any]:
    """Return the arguments of ``subprocess.Popen`` for a process that outlives this one."""
    if sys.platform == "win32":
        import subprocess  # noqa: PLC0415 - whoever asks has it

        alone = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
        return {"creationflags": alone}
    return {"start_new_session": True}


def give_way(process: int, niceness: int) -> None:
    """Have a process of ours let others go first, from 1, a little, to 19; not on Windows."""
    if sys.platform != "win32":
        with suppress(OSError):  # it has ended already
            os.setpriority(os.PRIO_PROCESS, process, niceness)


def edit_lines() -> None:
    """Have ``input`` go back in what was typed before, where that takes a module."""
    if sys.platform != "win32":  # whose console does so by itself
        with suppress(ImportError):  # a Python that was built without it
            import readline  # noqa: F401, PLC0415 - it takes effect when it is loaded


# ---------------------------------------------------------------- this user


def private_folder(name: str) -> str:
    """Return a folder for what only this user's processes may reach, there or not."""
    if sys.platform == "win32":
        return os.path.join(os.environ.get("LOCALAPPDATA") or os.path.expanduser("~"), name)  # noqa: PTH111, PTH118 - as above
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime:
        return f"{runtime}/{name}"
    return f"{os.environ.get('TMPDIR') or '/tmp'}/{name}-{os.geteuid()}"  # noqa: S108 - checked


def is_private(folder: str) -> bool:
    """
    Return whether a folder is there, this user's, and closed to everybody else.

    On Windows it is, if it lies in the user's profile: rights are inherited there.
    """
    try:
        # Not through a link, which somebody else may have put there.
        seen = os.lstat(folder)
    except OSError:
        return False
    if sys.platform == "win32":
        return stat.S_ISDIR(seen.st_mode)
    mine = seen.st_uid == os.geteuid() and not seen.st_mode & 0o077  # nothing for group or others
    return mine and stat.S_ISDIR(seen.st_mode)


def full_name(user: str) -> str:
    """Return the full name of a user of this machine, as far as the system knows it."""
    if sys.platform == "win32":
        return ""
    import pwd  # noqa: PLC0415 - not everywhere

    try:
        # Behind the name the field may have an office and telephone numbers.
        return pwd.getpwnam(user).pw_gecos.partition(",")[0]
    except KeyError:
        return ""


def folder_socket() -> socket.socket:
    """
    Return a socket that gets its address in a folder.

    Raises:
        OSError: on Windows; see ``KNOWS_PEERS``.

    """
    if sys.platform == "win32":
        raise OSError(errno.ENOSYS, "Windows has no sockets in folders")
    return socket.socket(socket.AF_UNIX)


def is_mine(connection: socket.socket) -> bool:
    """Return whether the other end of a folder's socket is of this user; the kernel says so."""
    if sys.platform == "linux":
        told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _LINUX_PEER.size)
        return bool(_LINUX_PEER.unpack(told)[1] == os.geteuid())
    if sys.platform == "darwin":
        told = connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _MACOS_PEER.size)
        return bool(_MACOS_PEER.unpack(told)[1] == os.geteuid())
    return False


_LINUX_PEER: Final = struct.Struct("3i")  # the process, its user and its group
_MACOS_PEER: Final = struct.Struct("2Ih2x16I")  # sys/ucred.h: a version, the user, their groups
_SOL_LOCAL: Final = 0  # sys/un.h of macOS
_LOCAL_PEERCRED: Final = 1  # sys/un.h
