"""What a command costs before it does anything: which modules it loads, and how it ends."""

import json
import os
import subprocess
import sys

import pytest

NEITHER = frozenset(
    "asyncio click concurrent.futures.thread ctypes.util email.message http.client"
    " importlib.metadata multiprocessing numpy.ma onnxruntime rs_bpe spacy ssl subprocess"
    " tokenizers typer unittest hippocampus.aio hippocampus.calibrate.run"
    " hippocampus.cli.command hippocampus.client hippocampus.engine.rebuild"
    " hippocampus.llm.client hippocampus.llm.http"
    " hippocampus.server hippocampus.sleep.sleeper hippocampus.sources hippocampus.store.postgres"
    " hippocampus.upkeep".split()
)
"""What takes long to load, and no answer to a plain question has a use for."""
WATCHED = """
import json, sys
from hippocampus.cli import main
try:
    main()
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""
PROMPT = {"hook_event_name": "UserPromptSubmit", "prompt": "Who mended the leak in the kitchen?"}


def run(shell, code, *args, stdin=None):
    return subprocess.run(
        [sys.executable, "-c", code, *args], env={**os.environ, **shell.env}, text=True,
        input=None if stdin is None else json.dumps(stdin), capture_output=True, check=False,
    )  # fmt: skip


@pytest.fixture
def told(shell):
    shell("remember", "The leak in the kitchen was mended by a plumber.")
    return shell


@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "stdin", "more"),
    [
        (["recall", PROMPT["prompt"]], None, set()),
        (["hook"], PROMPT, {"rich"}),
        (["hook"], PROMPT | {"prompt": "ok"}, {"rich", "sqlite3", "hippocampus.bank"}),
    ],
)
def test_a_short_command_loads_nothing_that_it_does_not_use(told, args, stdin, more):
    done = run(told, WATCHED, *args, stdin=stdin)
    loaded = set(json.loads(done.stderr.splitlines()[-1]))

    assert 0 == done.returncode
    assert set() == (NEITHER | more) & loaded


ENDING = """
import atexit, sys
atexit.register(print, "taken apart", file=sys.stderr)
{before}
from hippocampus.cli import start
start()
"""


@pytest.mark.slow
def test_a_short_command_ends_without_taking_the_interpreter_apart(told):
    found = run(told, ENDING.format(before=""), "recall", PROMPT["prompt"])
    nothing = run(told, ENDING.format(before=""), "recall", "What is the capital of Peru?")

    assert (0, "") == (found.returncode, found.stderr)
    assert "plumber" in found.stdout
    assert (1, "") == (nothing.returncode, nothing.stderr)


@pytest.mark.slow
@pytest.mark.parametrize(
    "before",
    [
        "sys.setprofile(lambda *_: None)",
        "import threading as t; t.Thread(target=t.main_thread().join).start()",
    ],
)
def test_what_has_its_work_still_to_do_is_waited_for(told, before):
    done = run(told, ENDING.format(before=before), "recall", PROMPT["prompt"])

    assert (0, "taken apart\n") == (done.returncode, done.stderr)


@pytest.mark.slow
def test_a_command_that_lasts_ends_as_any_program(told):
    done = run(told, ENDING.format(before=""), "verify")

    assert (0, True) == (done.returncode, done.stderr.endswith("taken apart\n"))


@pytest.mark.slow
def test_whoever_reads_no_further_is_no_error(told):
    command = [sys.executable, "-m", "hippocampus", "recall", PROMPT["prompt"], "--json"]
    with subprocess.Popen(
        command, env={**os.environ, **told.env}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.close()
        assert b"" == process.stderr.read()
    assert 0 == process.returncode
