"""Only this user's processes speak to each other, where the kernel knows whose they are or not."""

import os
import socket
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from hippocampus.cli.resident_line import Listener, connect, receive, send
from hippocampus.core.system import KNOWS_PEERS, folder_socket, is_mine

KINDS = [False, True] if KNOWS_PEERS else [False]
PATIENCE_S = 30.0


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    return "a.sock"


def accept(listener, into):
    """Have a listener wait for one, in a thread that ends with it."""
    thread = threading.Thread(
        target=lambda: into.append(listener.accept(PATIENCE_S, PATIENCE_S)), daemon=True
    )
    thread.start()
    return thread


@pytest.mark.parametrize("in_folder", KINDS)
def test_a_process_of_this_user_gets_an_answer(place, in_folder):
    got = []
    with Listener(place, in_folder=in_folder) as listener:
        assert 0o600 == Path(place).stat().st_mode & 0o777
        thread = accept(listener, got)
        with connect(place, PATIENCE_S, in_folder=in_folder) as asking:
            thread.join()
            with got[0] as answering:
                send(asking, {"asked": "é" * 1000})
                assert {"asked": "é" * 1000} == receive(answering)
                send(answering, {"code": 0})
                assert {"code": 0} == receive(asking)


def test_who_has_not_read_the_secret_is_not_heard(place):
    got = []
    with Listener(place, in_folder=False) as listener:
        port, _, secret = Path(place).read_text("utf-8").partition(" ")
        Path(place).write_text(f"{port} {bytes(len(secret) // 2).hex()}", "utf-8")
        thread = accept(listener, got)
        with pytest.raises(ConnectionRefusedError, match="another user's"):
            connect(place, PATIENCE_S, in_folder=False)
        thread.join()

    assert [None] == got


def test_what_has_taken_the_port_since_is_told_nothing(place):
    heard = []

    def impostor(listening):
        with listening.accept()[0] as connection:
            connection.settimeout(PATIENCE_S)
            connection.sendall(bytes(64))
            while part := connection.recv(1024):
                heard.append(part)

    with Listener(place, in_folder=False):
        noted = Path(place).read_text("utf-8")
    port, _, secret = noted.partition(" ")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        Path(place).write_text(f"{listening.getsockname()[1]} {secret}", "utf-8")
        thread = threading.Thread(target=impostor, args=(listening,), daemon=True)
        thread.start()
        with pytest.raises(ConnectionRefusedError, match="another user's"):
            connect(place, PATIENCE_S, in_folder=False)
        thread.join()

    assert 32 == len(b"".join(heard)), "a random word, and no proof"
    assert int(port) > 0


@pytest.mark.parametrize("noted", ["", "no port", "17", "80 xyz", "-" * 1000])
def test_a_file_that_names_no_port_is_passed_over(place, noted):
    Path(place).write_text(noted, "utf-8")
    with pytest.raises(OSError, match=r"(?i)refused|noted|prove|answers"):
        connect(place, PATIENCE_S, in_folder=False)


def test_where_nobody_listens_any_more_is_an_error_at_once(place):
    with Listener(place, in_folder=False):
        pass
    with pytest.raises(ConnectionRefusedError):
        connect(place, PATIENCE_S, in_folder=False)


@pytest.mark.skipif(not KNOWS_PEERS, reason="the kernel does not say whose a process is")
def test_the_kernel_says_whose_process_is_at_the_other_end():
    one, other = socket.socketpair(socket.AF_UNIX)
    with one, other:
        assert is_mine(one)


@pytest.mark.skipif(not (KNOWS_PEERS and os.geteuid() == 0), reason="only root becomes another")
def test_a_process_of_another_user_is_not_heard(place):
    ask = (
        "import os, socket; os.setuid(65534); one = socket.socket(socket.AF_UNIX);"
        "one.connect('a.sock'); print(len(one.recv(1)))"
    )
    Path.cwd().chmod(0o755)
    got = []
    with Listener(place) as listener:
        Path(place).chmod(0o666)  # so that nothing but the kernel's word keeps it out
        thread = accept(listener, got)
        asked = subprocess.run(
            [sys.executable, "-c", ask], capture_output=True, text=True, check=False
        )
        thread.join()

    assert [None] == got, asked.stderr


@pytest.mark.skipif(not KNOWS_PEERS, reason="there are no sockets in folders")
def test_a_socket_that_nobody_listens_at_is_an_error(place):
    with closing(folder_socket()) as left:
        left.bind(place)
    with pytest.raises(ConnectionRefusedError):
        connect(place, PATIENCE_S)
