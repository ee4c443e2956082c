"""What is called often is read without Typer, as long as it is plain."""

import os
import subprocess
import sys

import pytest

from hippocampus.cli.plain_options import read_plain, whole


@pytest.fixture(autouse=True)
def _alone(monkeypatch):
    for name in [name for name in os.environ if name.startswith("HIPPOCAMPUS_")]:
        monkeypatch.delenv(name)


@pytest.mark.parametrize(
    ("args", "read"),
    [
        (["x"], {"0": "x"}),
        (["x", "--bank", "b", "--json"], {"0": "x", "bank": "b", "--json": "yes"}),
        (["--bank=a", "x", "--bank=b=c"], {"0": "x", "bank": "b=c"}),
        (["x", "-k", "7"], {"0": "x", "k": "7"}),
    ],
)
def test_plain_options_are_read(args, read):
    assert read == read_plain(args, {"-k": "k"}, flags=("--json",), words=1)


@pytest.mark.parametrize(
    "args",
    [[], ["x", "y"], ["-"], ["x", "--help"], ["x", "--bank"], ["x", "--bank="], ["x", "-k7"],
     ["x", "--bank", "--json"], ["x", "--json=yes"], ["x", "--since", "2024"], ["--", "x"]],
)  # fmt: skip
def test_all_else_is_left_to_typer(args):
    assert read_plain(args, {"-k": "k"}, flags=("--json",), words=1) is None


def test_a_key_in_the_environment_is_left_to_typer(monkeypatch):
    monkeypatch.setenv("HIPPOCAMPUS_KEY", "file:k")

    assert read_plain(["x"], {}, words=1) is None


@pytest.mark.parametrize("text", ["", "-1", "1.5", "x", "٣", "1" * 20])
def test_what_is_no_plain_number_is_left_to_typer(text):
    assert whole(text) is None
    assert 7 == whole("7")


CODE = """
import sys
from hippocampus.cli import main
try:
    main()
finally:
    print("typer" in sys.modules, file=sys.stderr)
"""


@pytest.mark.slow
def test_a_recall_is_answered_alike_with_typer_and_without(shell):
    shell("remember", "The leak in the kitchen was mended by a plumber.")

    def run(*args):
        return subprocess.run(
            [sys.executable, "-c", CODE, "recall", *args], env={**os.environ, **shell.env},
            text=True, capture_output=True, check=False,
        )  # fmt: skip

    question = "Who mended the leak in the kitchen?"
    plain, other = run(question, "--ids"), run(question, "--ids", "--min-score", "0")
    assert ("False\n", "True\n") == (plain.stderr, other.stderr)
    assert plain.stdout.splitlines()[:3] == other.stdout.splitlines()[:3]
    assert 0 == plain.returncode == other.returncode
    failed = run(question, "--store", "/nowhere/memory.db")
    assert "/nowhere/memory.db" in failed.stderr
    assert 3 == failed.returncode
