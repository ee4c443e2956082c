"""Runs the command line as a shell would, on a store of its own, with an embedder of no model."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from in_process import invoke


@dataclass
class Answer:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


class Shell:
    """``shell("recall", "…")`` runs in this process; ``shell.spawn`` in one of its own."""

    def __init__(self, folder: Path) -> None:
        self.store = folder / "memory.db"
        self.env = {
            "HIPPOCAMPUS_STORE": str(self.store),
            "HIPPOCAMPUS_EMBEDDER": "hash",
            "HIPPOCAMPUS_BANK": "",
            "HIPPOCAMPUS_TIMEZONE": "",
            "HIPPOCAMPUS_RESIDENT": "0",
            "XDG_STATE_HOME": str(folder / "state"),
            "COLUMNS": "100",
        }

    def __call__(self, *args: str, stdin: str | bytes = "", env: dict[str, str] | None = None):
        done = invoke(*args, input=stdin, env=self.env | (env or {}))
        unexpected = done.exception
        if unexpected is not None and not isinstance(unexpected, SystemExit):
            raise unexpected
        return Answer(done.exit_code, done.stdout, done.stderr)

    def spawn(self, *args: str, **options):
        return subprocess.Popen(
            [sys.executable, "-m", "hippocampus", *args],
            env={**os.environ, **self.env},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **options,
        )


@pytest.fixture
def shell(tmp_path):
    return Shell(tmp_path)


@pytest.fixture
def own_data(monkeypatch, tmp_path):
    """A folder of the user's data of the test's own: what is known there is known there alone."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture(scope="session")
def made_once(copied):
    """Return a way to begin with a copy of a store that is made but once; with what making gave."""

    def begin(shell, make):
        return copied(shell.store, make_in_shell, make)

    return begin


def make_in_shell(store, make):
    return make(Shell(store.parent))


@pytest.fixture
def told(shell, made_once):
    """A shell whose bank holds three things; ``told.ids`` are theirs."""
    shell.ids = made_once(shell, tell)
    return shell


def tell(shell):
    said = [
        ("I moved to Lisbon in March.", "Lena", "2024-03-20T09:00", "s1", '{"year": 2024}'),
        ("The leak in the kitchen was mended by a plumber.", "Priya", "2024-04-01", "s1", "{}"),
        ("We planted tomatoes on the balcony.", "Lena", "2025-05-02", "s2", '{"year": 2025}'),
    ]
    ids = []
    for text, speaker, at, session, metadata in said:
        kept = shell(
            "remember", text, "--speaker", speaker, "--at", at, "--session", session,
            "--metadata", metadata, "--json",
        )  # fmt: skip
        ids.append(kept.json["id"])
    return ids


@pytest.fixture
def golden(request):
    """Compare what is shown with a file in ``golden/``; ``--golden`` writes it."""

    def compare(name: str, shown: str) -> None:
        file = Path(__file__).parent / "golden" / f"{name}.txt"
        shown = "".join(f"{line.rstrip()}\n" for line in shown.splitlines())
        if request.config.getoption("--golden"):
            file.parent.mkdir(exist_ok=True)
            file.write_text(shown, encoding="utf-8")
        assert file.read_text(encoding="utf-8") == shown

    return compare
