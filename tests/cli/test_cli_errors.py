"""Every mistake has its exit code and one line that says what to do; nothing is damaged by it."""

import os
import shlex
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["remember", "   "], "blank"),
        (["remember", "x", "--at", "yesterday-ish"], "yesterday-ish"),
        (["remember", "x", "--metadata", "[1]"], "object"),
        (["remember", "x", "--metadata", "{"], "not JSON"),
        (["remember", "x", "--bank", " "], "bank"),
        (["recall", "x", "-k", "-1"], "-k -1:"),
        (["recall", "x", "--cues", "smell"], "smell"),
        (["recall", "x", "--where", "{"], "--where"),
        (["recall", "x", "--where", '{"year": {"$near": 1}}'], "$near"),
        (["recall", "x", "--since", "soon"], "soon"),
        (["recall", "x", "--now", "soon"], "soon"),
        (["recall", "x", "--during", "2024-03-05T10:00"], "is a moment"),
        (["episodes", "--during", "while the sun was green"], "the sun was green"),
        (["recall", "x", "--during", ".."], "all of time"),
        (["recall", "x", "--during", "2024-03-05..2024-03-01"], "nothing lies between"),
        (["recall", "x", "--timezone", "Mars/Olympus"], "Mars/Olympus"),
        (["recall", "x", "--embedder", "psychic"], "psychic"),
        (["context", "x", "--budget", "1", "--system", "much more than one token"], "budget"),
        (["show", "no-such-id"], "no-such-id"),
        (["forget", "no-such-id"], "no-such-id"),
        (["stats", "--bank", "nobody"], "nobody"),
        (["import", "no-such-file.md"], "no-such-file.md"),
        (["export", "no/such/folder/x.jsonl"], "no/such/folder"),
        (["verify", "--residue", " "], "residue"),
        (["reembed", "none"], "none"),
        (["demo", "--examples", "no-such-folder"], "no examples"),
        (["recall"], "query"),
        (["recal", "x"], "recall"),
        (["remember", "x", "--loudly"], "--loudly"),
    ],
)
def test_a_call_that_makes_no_sense_is_code_2_without_changing_anything(told, args, says):
    before = told("export", str(told.store.with_name("before.jsonl")))
    failed = told(*args)
    after = told("export", str(told.store.with_name("after.jsonl")))

    assert failed.code == 2, failed.err
    assert says.lower() in failed.err.lower()
    assert failed.out == ""
    assert "Traceback" not in failed.err
    assert (before.code, after.code) == (0, 0)
    contents = {told.store.with_name(f"{n}.jsonl").read_bytes() for n in ("before", "after")}
    assert len(contents) == 1


def test_an_error_of_one_text_speaks_of_no_others(told):
    failed = told("remember", "x", "--at", "someday")

    assert "in turn" not in failed.err


def test_the_steps_of_a_sleep_are_named_where_one_is_unknown(told):
    failed = told("sleep", "--steps", "nap")

    assert "give a list of one or more of vectors, phrases" in " ".join(failed.err.split())


def test_one_memory_is_told_as_one(told):
    (one, *_) = told("episodes", "--json").json

    assert told("pin", one["id"]).out == "pinned: 1 memory\n"


def test_a_choice_that_is_not_made_is_told_with_both_its_forms(told):
    (one, *_) = told("episodes", "--json").json
    failed = told("feedback", one["id"])

    assert 2 == failed.code
    assert "Missing option '--helpful' / '--no-helpful'." in failed.err


def test_our_errors_are_one_line(told):
    for args in (
        ["recall", "x", "--where", "{"],
        ["show", "no-such-id"],
        ["banks", "--store", "x"],
    ):
        assert told(*args).err.count("\n") == 1


@pytest.mark.parametrize("args", [["recall", "x"], ["banks"], ["verify"], ["reembed", "hash"]])
def test_reading_does_not_make_a_store(shell, args):
    failed = shell(*args)

    assert failed.code == 3
    assert "does not exist yet" in failed.err
    assert not shell.store.exists()


def test_a_file_that_is_not_a_store_is_left_alone_with_code_3(shell):
    shell.store.write_text("shopping list")
    failed = shell("remember", "x")

    assert failed.code == 3
    assert shell.store.read_text() == "shopping list"


def test_a_database_of_another_program_is_code_3(shell):
    with sqlite3.connect(shell.store) as other:
        other.execute("create table t (x)")
    other.close()

    assert shell("recall", "x").code == 3


def test_a_missing_model_is_code_4_with_the_command_that_installs_it(told, tmp_path):
    homeless = {"XDG_DATA_HOME": str(tmp_path), "HOME": str(tmp_path)}
    failed = told("recall", "x", "--embedder", "minilm", env=homeless)

    assert failed.code == 4
    assert "models install" in failed.err


def test_another_embedder_than_the_stores_is_code_4_with_a_hint_at_reembed(told):
    failed = told("recall", "x", "--embedder", "hash:32")

    assert failed.code == 4
    assert "reembed" in failed.err


def test_what_needs_no_model_works_on_a_store_of_any(told):
    other = ["--embedder", "hash:32"]

    assert told("episodes", *other).code == 0
    assert told("show", told.ids[0], *other).code == 0
    assert told("verify", *other).code == 0


@pytest.mark.slow
def test_debug_shows_where_an_error_comes_from(told):
    process = told.spawn("show", "no-such-id", "--debug")
    _, err = process.communicate(timeout=60)

    assert b"Traceback" in err


@pytest.mark.slow
def test_a_reader_that_has_had_enough_is_no_error(told):
    process = told.spawn("episodes", "--json")
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()

    assert process.wait(60) == 0
    assert err == b""


def test_an_interrupt_is_code_130(shell):
    process = shell.spawn("remember", "-", stdin=-1)
    process.stdin.write(b"x" * (1 << 20))  # more than a pipe holds: now it is reading
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)

    assert process.returncode == 130
    assert b"Traceback" not in err
    assert not shell.store.exists()


def redirected(shell, redirection, *args, code=("-m", "hippocampus"), **variables):
    """Run a command as a shell does with a redirection such as ">&-"."""
    command = f"{shlex.join([sys.executable, *code, *args])} {redirection}"
    # Buffered, as output is that no terminal gets.
    env = {**os.environ, **shell.env, "PYTHONUNBUFFERED": "", **variables}
    done = subprocess.run(
        ["sh", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, env=env, check=False
    )
    assert b"Traceback" not in done.stderr
    return done


@pytest.mark.slow
@pytest.mark.parametrize("redirection", [">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("args", [["remember", "It rains."], ["recall", "plumber"], ["stats"]])
def test_output_that_is_closed_goes_nowhere_and_is_no_error(told, redirection, args):
    done = redirected(told, redirection, *args)

    assert (0, b"") == (done.returncode, done.stderr)
    assert told("verify").code == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["remember", "-"], 2), (["find", "-"], 2), (["hook"], 1), (["chat"], 0),
        (["forget", "--session", "s1", "--erase"], 2),
    ],
)  # fmt: skip
def test_input_that_is_closed_is_empty(told, args, code):
    closed = redirected(told, "<&-", *args)
    empty = redirected(told, "", *args)

    assert (code, code) == (closed.returncode, empty.returncode)
    assert b"NoneType" not in closed.stderr


FIRST_THREE = """
import os, sys
from hippocampus import cli

def look():
    places = map(os.fstat, range(3))
    nowhere = all(os.path.samestat(one, os.stat(os.devnull)) for one in places)
    sys.exit(7 if nowhere and all(map(os.get_inheritable, range(3))) else 8)

cli.main = look
cli.start()
"""


@pytest.mark.slow
def test_no_file_that_is_opened_later_takes_the_place_of_a_closed_output(shell):
    assert 7 == redirected(shell, "<&- >&- 2>&-", code=("-c", FIRST_THREE)).returncode


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full here")
@pytest.mark.parametrize("buffered", ["", "1"])
@pytest.mark.parametrize(
    "args",
    [
        ["recall", "plumber"], ["recall", "plumber", "--json"], ["stats", "--json"],
        ["--version"], ["--help"],
    ],
)  # fmt: skip
def test_output_for_which_there_is_no_room_is_told_once(told, args, buffered):
    done = redirected(told, ">/dev/full", *args, PYTHONUNBUFFERED=buffered)

    assert 2 == done.returncode
    assert 1 == done.stderr.count(b"\n")
    assert b"No space left" in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full here")
def test_a_hook_whose_answer_has_no_room_vetoes_nothing(told, tmp_path):
    event = tmp_path / "event.json"
    event.write_text('{"hook_event_name": "UserPromptSubmit", "prompt": "Who mended the leak?"}')
    done = redirected(told, f"< {shlex.quote(str(event))} >/dev/full", "hook", "--bank", "me")

    assert (1, 1) == (done.returncode, done.stderr.count(b"\n"))


@pytest.fixture
def shut(shell, monkeypatch):
    """A store with a memory, whose file and folder this user may not write; root may, so told."""
    assert shell("remember", "The boiler was serviced by Ivo.").code == 0
    access = os.access

    def refusing(path, mode, **how):
        inside = str(path) in {str(shell.store), str(shell.store.parent)}
        return access(path, mode, **how) and not (inside and mode & os.W_OK)

    monkeypatch.setattr(os, "access", refusing)
    return shell


def test_a_store_that_cannot_be_written_is_read_all_the_same(shut, tmp_path):
    copy = tmp_path / "copies"
    copy.mkdir()
    before = shut.store.read_bytes()
    for read in (
        ["recall", "who serviced the boiler?"], ["find", "boiler"], ["episodes"], ["verify"],
        ["stats"], ["banks"], ["backup", str(copy / "c.db")], ["export", str(copy / "c.jsonl")],
        ["keys", "list"], ["explain", "boiler"], ["context", "who serviced the boiler?"],
    ):  # fmt: skip
        said = shut(*read)
        assert said.code == 0, (read, said.err)
    assert shut.store.read_bytes() == before


@pytest.mark.parametrize("verb", [["remember", "It rains."], ["shrink"], ["sleep"]])
def test_what_writes_says_why_such_a_store_is_only_read(shut, verb):
    said = shut(*verb)

    assert said.code == 3
    assert "cannot be written by this user" in said.err
    assert "read_only" not in said.err


@pytest.mark.parametrize(
    "address",
    [
        "host=127.0.0.1 password=s3cret", "password = 's3cret' dbname=x",
        "postgresql://u:s3cret@t/x@127.0.0.1:99999/db", "postgresql://u:a/s3cret@b@127.0.0.1/db",
    ],
)  # fmt: skip
@pytest.mark.parametrize("verb", [["recall", "x"], ["remember", "x"], ["verify"], ["doctor"]])
def test_an_address_that_is_none_is_refused_without_its_password(shell, tmp_path, verb, address):
    said = shell(*verb, "--store", address)

    assert said.code == 2
    assert "s3cret" not in said.err + said.out
    assert "postgresql://" in said.err or "%40" in said.err
    assert not list(tmp_path.glob("*s3cret*"))


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["serve", "--rate", "0"], "--rate 0.0: must be a number above 0"),
        (["serve", "--longest", "-1"], "--longest -1.0: must be a number above 0"),
        (["plan", "--banks", "0"], "--banks 0.0: must be a number from 1"),
        (["plan", "--banks", "5", "--price-core", "-1"], "--price-core -1.0: must be"),
        (["doctor", "--store", "postgresql://h/n", "--salvage", "x.db"], "for stores in a file"),
    ],
)
def test_an_error_names_the_option_as_it_is_typed(shell, args, says):
    said = shell(*args)

    assert said.code == 2
    assert said.err.startswith(f"hippocampus: {says}") or says in said.err.split(": ", 1)[1]
    assert "None" not in said.err
    assert "Limits" not in said.err
