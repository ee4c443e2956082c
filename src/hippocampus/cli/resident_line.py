"""
The line between a command and a resident process: a socket that only this user's processes reach.

Where the kernel says whose process is at the other end, it is a socket in a folder. Elsewhere, as
on Windows, it is one of the loopback interface, which every user can reach: in its place in the
folder lies a file with the port and a secret, and each end proves to the other that it has read it,
before anything is said. The proofs are of both ends' random words, so that none serves twice.

What is imported here every such command waits for.
"""

from __future__ import annotations

import json
import os
import socket
import struct
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, Self

from hippocampus.core.system import (
    KNOWS_PEERS,
    LONGEST_SOCKET_PATH,
    folder_socket,
    is_mine,
    open_descriptor,
)

MOST_BYTES: Final = 64 << 20
"""Bytes of a message: what says that it is longer is none of ours, and is not read. By hand."""
_LENGTH: Final = struct.Struct("<Q")
_LOOPBACK: Final = "127.0.0.1"
_WORD: Final = 32
"""Bytes of a secret, of a random word and of a proof: 256 bits, which nobody finds by trying."""
_MOST_NOTED: Final = 256
"""Bytes of a file with a port and a secret are fewer."""


def fits(path: str) -> bool:
    """Return whether there can be such a line at a path."""
    return not KNOWS_PEERS or len(os.fsencode(path)) <= LONGEST_SOCKET_PATH


class Listener:
    """Address of a resident process, from when it is made."""

    def __init__(self, path: str, *, in_folder: bool = KNOWS_PEERS) -> None:
        """Listen at a path where nothing is; ``in_folder``: there itself, and not beside it."""
        self._in_folder = in_folder
        self._secret = b""
        if in_folder:
            self._socket = folder_socket()
            self._socket.bind(path)
            os.chmod(path, 0o600)  # noqa: PTH101 - whoever asks loads no pathlib
            self._socket.listen()
        else:
            self._secret = os.urandom(_WORD)
            self._socket = socket.create_server((_LOOPBACK, 0))
            _note(path, self._socket.getsockname()[1], self._secret)

    def accept(self, idle_s: float, read_s: float) -> socket.socket | None:
        """
        Return a connection of a process of this user's; None if one came that is not.

        Args:
            idle_s: how long to wait for one.
            read_s: how long the connection may keep us waiting from then on.

        Raises:
            TimeoutError: none came.

        """
        # 0 would mean not to wait at all, and less than that is an error.
        self._socket.settimeout(max(0.001, idle_s))
        connection, _ = self._socket.accept()
        with suppress(OSError):  # it has left, or says nothing
            connection.settimeout(read_s)
            if self._is_ours(connection):
                return connection
        connection.close()
        return None

    def _is_ours(self, connection: socket.socket) -> bool:
        if self._in_folder:
            return is_mine(connection)
        return _prove(connection, self._secret, b"server")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()


def connect(path: str, patience_s: float, *, in_folder: bool = KNOWS_PEERS) -> socket.socket:
    """
    Return a connection to the resident process that is asked at a path.

    ``in_folder``: as its ``Listener`` was told.

    Raises:
        TimeoutError: it does not answer.
        OSError: there is none, or somebody else's process has its place.

    """
    if in_folder:
        connection = folder_socket()
        port, secret = 0, b""
    else:
        port, secret = _noted(path)
        connection = socket.socket(socket.AF_INET)
    try:
        connection.settimeout(patience_s)
        connection.connect(path if in_folder else (_LOOPBACK, port))
        ours = is_mine(connection) if in_folder else _prove(connection, secret, b"client")
    except BaseException:
        connection.close()
        raise
    if not ours:
        connection.close()
        raise ConnectionRefusedError("another user's process answers")
    return connection


def _note(path: str, port: int, secret: bytes) -> None:
    """Write the port to connect to, and the secret to prove; a reader finds all of it or none."""
    made = f"{path}.new"
    with suppress(FileNotFoundError):
        os.unlink(made)  # noqa: PTH108 - as above; of one that was killed
    handle = open_descriptor(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    with os.fdopen(handle, "wb") as file:
        file.write(f"{port} {secret.hex()}".encode())
    os.replace(made, path)  # noqa: PTH105 - as above


def _noted(path: str) -> tuple[int, bytes]:
    handle = open_descriptor(path, os.O_RDONLY, follow=False)
    with os.fdopen(handle, "rb") as file:
        port, _, secret = file.read(_MOST_NOTED).partition(b" ")
    try:
        return int(port), bytes.fromhex(secret.decode())
    except ValueError as exc:
        raise ConnectionRefusedError("no port and secret are noted") from exc


def _prove(connection: socket.socket, secret: bytes, side: bytes) -> bool:
    """
    Prove to the other end that we have the secret; return whether it has.

    The server proves it first: what has taken its port since learns nothing from who asks.
    """
    import hmac  # noqa: PLC0415 - not needed everywhere

    mine = os.urandom(_WORD)
    connection.sendall(mine)
    theirs = _exactly(connection, _WORD)
    words = mine + theirs if side == b"server" else theirs + mine
    # The side is part of it, or an end could send back the proof that it was sent.
    proofs = {of: hmac.digest(secret, of + words, "sha256") for of in (b"server", b"client")}
    if side == b"server":
        connection.sendall(proofs[side])
        return hmac.compare_digest(_exactly(connection, _WORD), proofs[b"client"])
    if not hmac.compare_digest(_exactly(connection, _WORD), proofs[b"server"]):
        return False
    connection.sendall(proofs[side])
    return True


def send(connection: socket.socket, message: Mapping[str, Any]) -> None:
    """Send a message whole."""
    body = json.dumps(message).encode()
    connection.sendall(_LENGTH.pack(len(body)) + body)


def receive(connection: socket.socket) -> dict[str, Any] | None:
    """Return the message that comes; None if none comes whole, or it is none."""
    head = _exactly(connection, _LENGTH.size)
    nbytes = _LENGTH.unpack(head)[0] if len(head) == _LENGTH.size else MOST_BYTES + 1
    body = _exactly(connection, nbytes) if nbytes <= MOST_BYTES else b""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None


def _exactly(connection: socket.socket, nbytes: int) -> bytes:
    got = bytearray()
    # A part at a time: recv() takes memory for all that it is told may come.
    while len(got) < nbytes and (more := connection.recv(min(nbytes - len(got), 1 << 20))):
        got += more
    return bytes(got)
