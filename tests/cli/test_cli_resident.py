"""A process that stays resident for the commands that are called again and again."""

import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

import pytest

from hippocampus import cli
from hippocampus.cli import resident
from hippocampus.cli.resident_line import receive, send
from hippocampus.core.system import is_private


@pytest.fixture
def runtime(monkeypatch):
    """A folder for the sockets of this user, closed to everybody else."""
    monkeypatch.delenv("HIPPOCAMPUS_STORE", raising=False)
    with tempfile.TemporaryDirectory() as place:  # a socket's path must be short
        monkeypatch.setenv("XDG_RUNTIME_DIR", place)
        made = Path(place) / "hippocampus"
        made.mkdir(mode=0o700)
        yield made


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "memory.db"
    path.write_bytes(b"a file")
    return os.path.realpath(path)


def serve(path, answer):
    """Take one connection on a socket, as a process of another make would."""
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(path)
    listening.listen()

    def one():
        with listening, listening.accept()[0] as connection:
            answer(connection)

    thread = threading.Thread(target=one, daemon=True)
    thread.start()
    return thread


# ---------------------------------------------------------------- when it is asked


def test_nobody_is_asked_unless_told_to(monkeypatch):
    monkeypatch.delenv("HIPPOCAMPUS_RESIDENT", raising=False)
    assert 0 == resident.wanted(["recall", "x"])
    monkeypatch.setenv("HIPPOCAMPUS_RESIDENT", "15")
    assert 15 == resident.wanted(["recall", "x"])
    monkeypatch.setenv("HIPPOCAMPUS_RESIDENT", "0")
    assert 0 == resident.wanted(["recall", "x"])


def test_a_hook_asks_for_one_by_itself_unless_told_not_to(monkeypatch):
    monkeypatch.delenv("HIPPOCAMPUS_RESIDENT", raising=False)
    assert 30 == resident.wanted(["hook"])
    monkeypatch.setenv("HIPPOCAMPUS_RESIDENT", "5")
    assert 5 == resident.wanted(["hook"])
    monkeypatch.setenv("HIPPOCAMPUS_RESIDENT", "0")
    assert 0 == resident.wanted(["hook"])


@pytest.mark.usefixtures("runtime")
@pytest.mark.parametrize("given", [["--at", "2026-01-05T10:00:00Z"], ["--at=2026-01-05"], []])
def test_a_hook_that_is_given_a_time_is_asked_with_that_one(monkeypatch, given):
    asked = []
    monkeypatch.setattr(resident, "ask", lambda args, *_: asked.extend(args) or 0)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{}")))
    monkeypatch.setattr(sys, "argv", ["hippocampus", "hook", *given])
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    monkeypatch.setenv("HIPPOCAMPUS_RESIDENT", "5")
    with pytest.raises(SystemExit):
        cli.main()

    assert 1 == sum(arg.startswith("--at") for arg in asked)
    assert asked[: 1 + len(given)] == ["hook", *given]


@pytest.mark.parametrize(
    "args",
    [[], ["remember", "x"], ["recall", "x", "--key=file:k"], ["hook", "--key", "passphrase"],
     ["recall", "--help"], ["recall", "x", "--debug"], ["context", "x", "--vault", "env:V"]],
)  # fmt: skip
def test_what_has_a_key_or_is_asked_once_does_the_work_itself(monkeypatch, args):
    monkeypatch.setenv("HIPPOCAMPUS_RESIDENT", "15")

    assert 0 == resident.wanted(args)


def test_a_key_in_the_environment_stays_where_it_is(monkeypatch):
    monkeypatch.setenv("HIPPOCAMPUS_RESIDENT", "15")
    monkeypatch.setenv("HIPPOCAMPUS_KEY", "file:k")

    assert 0 == resident.wanted(["recall", "x"])


@pytest.mark.usefixtures("runtime")
def test_only_names_of_the_same_store_lead_to_the_same_socket(store, tmp_path):
    (tmp_path / "other.db").symlink_to(store)

    def of(name):
        return resident.socket_of(resident.store_of(["recall", "x", "--store", str(name)]))

    assert of(store) == of(tmp_path / "other.db")
    assert of(store) == resident.socket_of(resident.store_of(["recall", f"--store={store}"]))
    assert of(store) != of(tmp_path / "third.db")


# ---------------------------------------------------------------- who is not believed


@pytest.mark.usefixtures("runtime")
def test_without_a_process_the_work_is_still_to_be_done(store):
    assert resident.ask(["recall", "x"], store, b"") is None


@pytest.mark.usefixtures("runtime")
def test_a_socket_that_a_killed_process_left_is_passed_over(store):
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(resident.socket_of(store))

    assert resident.ask(["recall", "x"], store, b"") is None


@pytest.mark.usefixtures("runtime")
def test_a_process_that_hangs_is_left_alone_without_keeping_others_waiting(store):
    asked = threading.Event()
    path = resident.socket_of(store)
    thread = serve(path, lambda _: asked.wait(20))
    started = time.monotonic()

    assert resident.ask(["recall", "x"], store, b"", patience_s=0.2) is None
    assert time.monotonic() - started < 5
    assert not Path(path).exists()
    asked.set()
    thread.join()


@pytest.mark.usefixtures("runtime")
@pytest.mark.parametrize(
    "said", [b"", b"\x00", b"\xff" * 8, b"\x02" + bytes(7) + b"[]", b"\x03" + bytes(7) + b"no!"]
)
def test_a_process_that_talks_nonsense_is_passed_over(store, said):
    def answer(connection):
        receive(connection)
        connection.sendall(said)

    thread = serve(resident.socket_of(store), answer)
    assert resident.ask(["recall", "x"], store, b"") is None
    thread.join()


@pytest.mark.usefixtures("runtime")
def test_a_process_that_refuses_leaves_the_work_to_be_done(store):
    def answer(connection):
        receive(connection)
        send(connection, {"refused": "of another version"})

    thread = serve(resident.socket_of(store), answer)
    assert resident.ask(["recall", "x"], store, b"") is None
    thread.join()


def test_a_folder_that_others_can_enter_is_not_used(runtime, store):
    answered = []
    serve(resident.socket_of(store), answered.append)
    runtime.chmod(0o755)

    assert not is_private(str(runtime))
    assert resident.ask(["recall", "x"], store, b"") is None
    assert [] == answered


def test_a_folder_that_is_a_link_is_not_used(runtime, tmp_path):
    (tmp_path / "link").symlink_to(runtime)

    assert is_private(str(runtime))
    assert not is_private(str(tmp_path / "link"))
    assert not is_private(str(tmp_path / "none"))


# ---------------------------------------------------------------- a real one


class Session:
    """Runs commands as an agent's hooks do, and knows the process behind them."""

    def __init__(self, folder, runtime):
        self.folder, self.runtime = folder, runtime
        self.store = os.path.realpath(folder / "memory.db")
        kept = {name: v for name, v in os.environ.items() if not name.startswith("HIPPOCAMPUS_")}
        self.env = kept | {
            "HIPPOCAMPUS_STORE": self.store, "HIPPOCAMPUS_EMBEDDER": "hash",
            "HIPPOCAMPUS_TIMEZONE": "UTC", "COLUMNS": "100",
        }  # fmt: skip

    def run(self, *args, stdin="", resident_min="0"):
        return subprocess.run(
            [sys.executable, "-m", "hippocampus", *args], input=stdin, capture_output=True,
            text=True, check=False, env=self.env | {"HIPPOCAMPUS_RESIDENT": resident_min},
        )  # fmt: skip

    def ask(self, *args, **how):
        return self.run(*args, resident_min="0.3", **how)  # what it begins soon ends

    def start(self, idle_min="5", **how):
        """Begin a process, and wait until it answers."""
        begun = subprocess.Popen(
            [sys.executable, "-m", "hippocampus.cli.resident_process", self.store, idle_min],
            env=self.env, **how,
        )  # fmt: skip
        self.wait(lambda: self.sockets() or begun.poll() is not None)
        return begun

    def sockets(self):
        return [path.name for path in self.runtime.iterdir() if path.suffix == ".sock"]

    def socket(self):
        return Path(resident.socket_of(self.store)).stat()

    def answers(self):
        with socket.socket(socket.AF_UNIX) as connection:
            return 0 == connection.connect_ex(resident.socket_of(self.store))

    def wait(self, until):
        end = time.monotonic() + 60
        while not until():
            assert time.monotonic() < end, "it does not come to be"
            time.sleep(0.02)


@pytest.fixture
def session(tmp_path, runtime):
    made = Session(tmp_path, runtime)
    said = made.run(
        "remember", "The leak in the kitchen was mended by a plumber.", "--speaker", "Jo"
    )
    assert 0 == said.returncode, said.stderr
    yield made
    for lock in runtime.glob("*.lock"):  # of those that were begun by commands
        lock.unlink()
    for left in runtime.glob("*.sock"):
        left.unlink()


QUESTION = "Who mended the leak in the kitchen?"
RULE = "The roof must never be walked on."
EVENT = json.dumps(
    {"hook_event_name": "UserPromptSubmit", "prompt": f"{QUESTION} {RULE}", "session_id": "s9"}
)


@pytest.mark.slow
def test_what_is_printed_and_the_exit_code_are_those_of_the_command_itself(session):
    process = session.start()
    try:
        for args in (
            ["recall", QUESTION, "--json"], ["context", QUESTION], ["recall", QUESTION],
            ["recall", "zebra xylophone"], ["recall", "x", "--min-score", "7"],
            ["recall", "x", "--bank", "nobody"],
        ):  # fmt: skip
            alone, asked = session.run(*args), session.ask(*args)
            assert alone.returncode == asked.returncode, args
            assert without_times(alone.stdout) == without_times(asked.stdout)
            assert alone.stderr == asked.stderr
        assert process.poll() is None
        assert 0o600 == session.socket().st_mode & 0o777
    finally:
        process.kill()
        process.wait()


def without_times(text):
    """Return an answer without how long it took, and other figures that are not whole."""
    return re.sub(r"\d+\.\d+(e-\d+)?", "#", text)


@pytest.mark.slow
def test_a_process_killed_after_it_answered_a_prompt_is_replaced(session):
    process = session.start()
    answered = session.ask("hook", stdin=EVENT)
    assert (0, "") == (answered.returncode, answered.stderr)
    assert "mended by a plumber" in answered.stdout
    assert RULE in session.run("episodes").stdout

    process.send_signal(signal.SIGKILL)
    process.wait()
    assert session.sockets(), "what it was asked through is left"
    assert "plumber" in session.ask("recall", QUESTION).stdout, "the command does the work itself"
    session.wait(session.answers)


@pytest.mark.slow
def test_only_one_of_two_at_once_goes_on_until_nobody_asks(session):
    first = session.start(idle_min="0.1")
    second = session.start(idle_min="0.1")
    assert 0 == second.wait(60), "there is one"
    assert first.poll() is None

    assert 0 == first.wait(60)
    assert [] == session.sockets()


@pytest.mark.slow
@pytest.mark.parametrize("other", ["stamp", "identity"])
def test_a_process_of_another_version_or_another_file_ends_with_a_refusal(session, other):
    process = session.start()
    asked = {"stamp": resident.STAMP, "store": session.store, "args": ["recall", "x"],
             "identity": resident.identity(session.store)}  # fmt: skip
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(resident.socket_of(session.store))
        send(connection, asked | {other: "another"})
        assert "refused" in receive(connection)
    assert 0 == process.wait(60)
    assert [] == session.sockets()


@pytest.mark.slow
def test_a_stopped_process_is_replaced_without_keeping_a_prompt_twice(session):
    process = session.start()
    process.send_signal(signal.SIGSTOP)
    try:
        answered = session.ask("hook", stdin=EVENT)
        assert "plumber" in answered.stdout
        session.wait(session.answers)  # another one, which the command began
    finally:
        process.send_signal(signal.SIGCONT)
    assert 0 == process.wait(60), "it sees that it was replaced"
    assert 1 == session.run("episodes").stdout.count(RULE)
    assert session.sockets(), "and leaves the other one's socket"
