"""Talking at a prompt: with a model, without one, in a pipe and at a terminal."""

import os
import pty
import re
import select
import shlex
import subprocess
import sys
import threading
from io import StringIO
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from in_process import invoke
from rich.cells import cell_len
from rich.console import Console
from upstream import chunks, completion

from hippocampus import Memory
from hippocampus.cli.chat import _Flow
from hippocampus.core.quotes import OPEN


@pytest.fixture
def environment(path, monkeypatch):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    return {
        "HIPPOCAMPUS_STORE": str(path), "HIPPOCAMPUS_EMBEDDER": "hash", "HIPPOCAMPUS_BANK": "",
        "HIPPOCAMPUS_MODEL": "", "HIPPOCAMPUS_TIMEZONE": "", "COLUMNS": "200",
    }  # fmt: skip


@pytest.fixture
def talk(environment):
    """Say lines in a pipe; return what is printed, and what is noted beside."""

    def talk_(*lines, options=("--no-model",), code=0):
        typed = "".join(f"{line}\n" for line in lines)
        done = invoke("chat", *options, input=typed, env=environment)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert done.exit_code == code
        return done.stdout, done.stderr

    return talk_


@pytest.fixture
def modelled(talk, upstream):
    """The same with a model to talk to."""
    return lambda *lines: talk(*lines, options=("--model", f"openai:small@{upstream.url}"))


def told(upstream):
    return [one["content"] for one in upstream.seen[-1].asked["messages"]]


def test_without_a_model_each_turn_shows_what_one_would_be_told(talk, remembered):
    out, err = talk("I moved to Lisbon in March.", "", "Where do I live?")

    assert "user: I moved to Lisbon in March." in out
    assert "Where do I live?" not in out
    assert err.count("came to mind") == 2
    assert "no model" in err
    assert remembered() == [("user", "I moved to Lisbon in March."), ("user", "Where do I live?")]


def test_both_sides_are_remembered_once_a_model_is_told_what_comes_to_mind(
    modelled, upstream, remembered
):
    modelled("I moved to Lisbon in March.", *(f"The number is {n}." for n in range(8)))
    upstream.script = [completion("In Lisbon.")]
    out, err = modelled("Which city did I move to in March?")
    system, asked = told(upstream)

    assert out == "In Lisbon.\n"
    assert "came to mind" in err
    assert system.startswith("You are a helpful assistant")
    assert OPEN in system
    assert "user: I moved to Lisbon in March." in system
    assert asked == "Which city did I move to in March?"
    assert remembered()[-1] == ("assistant", "In Lisbon.")


def test_neither_a_models_thoughts_nor_halves_of_characters_are_remembered(
    modelled, upstream, remembered
):
    thought = "<think>They may live in Rome, or {}?</think>\n\n"
    upstream.script = [completion(f"{thought}In Lisbon."), completion("Gladly \ud83d")]
    modelled("Where do I live?", "Tell me more.")
    upstream.script = [completion("<think>Let me see whether they")]
    modelled("And now?")

    said = [text for role, text in remembered() if role == "assistant"]
    assert ["In Lisbon.", "Gladly \ufffd"] == said


def test_a_model_that_fails_keeps_the_conversation(modelled, upstream, remembered):
    upstream.script = [(400, {}, {"error": {"message": "too long for me"}}), completion("Hi.")]
    out, err = modelled("Hello there.", "And again.")

    assert "answered 400: too long for me" in err
    assert out == "Hi.\n"
    assert remembered() == [
        ("user", "Hello there."), ("user", "And again."), ("assistant", "Hi."),
    ]  # fmt: skip


def test_why_shows_the_cues_and_the_numbers_for_pinning_or_forgetting_memories(talk, path):
    out, _ = talk(
        "I moved to Lisbon in March.",
        "Where did I move?",
        "/why",
        "/pin 1",
        "/forget 1",
        "/context",
    )
    with Memory(path, embedder="hash") as memory:
        kept = [e.text for e in memory.bank("me").episodes()]
        [gone] = [c.episode for c in memory.bank("me").journal() if c.kind == "forget"]
        assert memory.bank("me").get(gone).pinned

    assert re.search(r"\n *1 +0\.\d\d .*user .* \d+%", out)
    assert "1 pinned" in out
    assert f"1 forgotten; to undo: hippocampus forget --undo {gone}" in out
    assert kept == ["Where did I move?"]


@pytest.mark.parametrize("options", [["--bank", "at work"], ["--store", "my own.db"], []])
@pytest.mark.parametrize("goes", [[], ["/bank the boat's"]])
def test_what_undoes_a_forgetting_finds_the_bank_from_elsewhere(
    talk, environment, tmp_path, monkeypatch, options, goes
):
    monkeypatch.chdir(tmp_path)
    said = ["I moved to Lisbon in March.", "Where did I move?", "/forget 1"]
    out, _ = talk(*goes, *said, options=("--no-model", *options))
    [undo] = re.findall(r"to undo: hippocampus (.*)", out)

    assert "1 restored" in invoke(*shlex.split(undo), env=environment).stdout


def test_a_bank_of_the_usual_name_is_named_where_another_is_the_usual_one(talk, environment):
    environment["HIPPOCAMPUS_BANK"] = "work"
    said = ["I moved to Lisbon in March.", "Where did I move?", "/forget 1"]
    out, _ = talk(*said, options=("--no-model", "--bank", "me"))

    assert "--bank me" in out


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["/nope"], "/nope: no such command"),
        (["/"], "/: no such command"),
        (["/why"], "nothing was said to this bank yet"),
        (["/context"], "nothing was said to this bank yet"),
        (["/forget 1"], "nothing was said to this bank yet"),
        (["Hello there.", "/forget 1"], "of which there are none now"),
        (["A boat!", "Which boat?", "/pin 2"], "'2': give numbers as /why shows them, from"),
        (["Hello there.", "Hello you.", "/pin"], "'nothing': give numbers"),
        (["Hello there.", "Hello you.", '/pin "1'], "'\"1': give numbers"),
        (["/sleep"], "no bank 'me' in the store"),
        (["/bank \x07"], "a bank's name is required"),
    ],
)  # fmt: skip
def test_a_command_that_makes_no_sense_is_told_without_ending_the_conversation(talk, lines, said):
    out, err = talk(*lines, "/help")

    assert said in err
    assert "/quit" in out


def test_listed_banks_stay_apart_when_one_changes_between_them(talk, remembered):
    out, _ = talk("I moved to Lisbon.", "/bank our work", "Who moved?", "/bank", "/bank me")

    assert "bank 'our work', new" in out
    assert "  me\n* our work\n" in out
    assert "bank 'me', 1 memory" in out
    assert remembered("our work") == [("user", "Who moved?")]


def test_the_bank_sleeps_when_told(talk):
    out, _ = talk("I moved to Lisbon in March.", "/sleep")

    assert "sleep 1" in out


def test_what_is_said_cannot_steer_the_terminal(modelled, upstream):
    upstream.script = [completion("\x1b[2Jred [bold]not bold[/bold] :smile:")]
    out, err = modelled("\x1b[2Jhello")

    assert out == "␛[2Jred [bold]not bold[/bold] :smile:\n"
    assert "\x1b" not in err


def test_after_quit_nothing_is_heard(talk, remembered):
    talk("Hello there.", "/quit", "Never said.")

    assert remembered() == [("user", "Hello there.")]


# ---------------------------------------------------------------- at a terminal


class Terminal:
    """The command at a terminal of its own: ``read`` until something stands there, ``type``."""

    def __init__(self, environment, *options):
        self._end, end = pty.openpty()
        command = f"""
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)  # who runs the tests may have it ignored
os.login_tty(0)
os.execv(sys.executable, [sys.executable, "-m", "hippocampus", "chat", *{options!r}])
"""
        self._process = subprocess.Popen(
            [sys.executable, "-c", command],
            env={**os.environ, **environment, "TERM": "xterm-256color"},
            stdin=end, stdout=end, stderr=end,
        )  # fmt: skip
        os.close(end)
        self.shown, self._at = "", 0

    def read(self, until):
        while until not in self.shown[self._at :]:
            ready, _, _ = select.select([self._end], [], [], 20)
            assert ready, f"{until!r} does not come; there is {self.shown!r}"
            self.shown += os.read(self._end, 4096).decode(errors="replace")
        self._at = self.shown.index(until, self._at) + len(until)

    def interrupt(self, until):
        """Press Ctrl-C until it is heard: Python sees one that came just before it waits later."""
        for _ in range(8):
            self.type("\x03")
            ready, _, _ = select.select([self._end], [], [], 2.5)
            if ready:
                return self.read(until)
        raise AssertionError(until)

    def type(self, keys):
        os.write(self._end, keys.encode())

    def ends(self):
        return self._process.wait(20)

    def close(self):
        self._process.kill()
        self._process.wait()
        os.close(self._end)


@pytest.fixture
def at_a_terminal(environment):
    opened = []

    def start(*options):
        opened.append(Terminal(environment, *options))
        return opened[-1]

    yield start
    for terminal in opened:
        terminal.close()


@pytest.mark.slow
def test_at_a_terminal_an_answer_is_read_as_it_comes(at_a_terminal, upstream, remembered):
    go = threading.Event()

    def slowly(handler):
        first, *rest = chunks("Lis", "bon, of ", "course.\n", "  Where \x1belse?")
        handler.begin()
        handler.piece(first + rest.pop(0))
        assert go.wait(20)
        for piece in rest:
            handler.piece(piece)
        handler.wfile.write(b"0\r\n\r\n")

    upstream.script = [slowly]
    terminal = at_a_terminal("--model", f"openai:small@{upstream.url}")
    terminal.read("you>")
    terminal.type("Where do I live?\n")
    terminal.read("Lisbon, ")
    go.set()
    terminal.read("of course.\r\n  Where ␛else?\r\n")
    terminal.read("you>")
    terminal.type("\x04")

    assert terminal.ends() == 0
    assert remembered()[-1] == ("assistant", "Lisbon, of course.\n  Where \x1belse?")


TEXTS = st.text(st.sampled_from("ab  \n漢😀-"), max_size=60)


@given(text=TEXTS, cuts=st.sets(st.integers(0, 60), max_size=9), width=st.integers(8, 30))
def test_what_comes_in_pieces_is_shown_as_it_was_with_no_short_word_broken(text, cuts, width):
    out = Console(file=StringIO(), width=width, force_terminal=True, markup=False, emoji=False)
    at = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]
    with _Flow(out) as flow:
        flow._waiting.stop()
        for a, b in pairwise(at):
            flow.say(text[a:b])
    shown = re.sub(r"\x1b\[[?0-9;]*[a-zA-Z]", "", out.file.getvalue()).replace("\r", "")
    shown = re.sub("[\u2800-\u28ff] …", "", shown)  # that it is waited for

    assert text.split() == shown.split()
    for line in shown.splitlines():
        assert cell_len(line.rstrip()) <= width or len(line.split()) == 1


@pytest.mark.slow
def test_only_ctrl_d_ends_the_prompt_at_a_terminal(at_a_terminal, upstream):
    upstream.script = [completion("Noted."), lambda handler: handler.until_gone()]
    terminal = at_a_terminal("--model", f"openai:small@{upstream.url}")
    terminal.read("you>")
    terminal.type("Hello there.\n")
    terminal.read("Noted.")
    terminal.read("you>")
    terminal.type("half a line")
    terminal.read("half a line")  # or the signal comes before anybody waits for keys
    terminal.interrupt("Ctrl-D ends it")
    terminal.read("you>")
    terminal.type("Tell me more.\n")
    terminal.read("…")
    terminal.interrupt("interrupted")
    terminal.read("you>")
    terminal.type("\x04")

    assert terminal.ends() == 0
    assert upstream.hung_up.get(timeout=10) == "gone"
