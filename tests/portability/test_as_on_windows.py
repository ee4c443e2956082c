"""
The program runs where there is nothing of what only POSIX has, as far as that can be seen here.

``as_windows/sitecustomize.py`` has what is taken away, and what is put in its place.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from systems import missing_on

HERE = Path(__file__).parent
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc for what is open"),
]


ASK = """
import sys
from hippocampus.cli.resident import ask
code = ask(sys.argv[2:], sys.argv[1], b"", patience_s=60)
sys.exit("nobody answered" if code is None else code)
"""


@pytest.fixture(scope="module")
def windows(tmp_path_factory):
    """Return the variables of a process that is as on Windows, and of those that it starts."""
    home = tmp_path_factory.mktemp("windows")
    known = home / "missing.json"
    known.write_text(json.dumps(missing_on("win32")), encoding="utf-8")
    kept = {name: v for name, v in os.environ.items() if not name.startswith("HIPPOCAMPUS_")}
    return kept | {
        "AS_WINDOWS": str(known), "PYTHONPATH": str(HERE / "as_windows"),
        "PYTHONWARNDEFAULTENCODING": "1", "LOCALAPPDATA": str(home), "COLUMNS": "200",
    }  # fmt: skip


def run(args, windows, folder, **how):
    done = subprocess.run(
        [sys.executable, *args], cwd=folder, env=windows, capture_output=True, check=False, **how
    )
    assert 0 == done.returncode, done.stderr.decode()
    return done.stdout


def test_a_store_is_used_in_most_ways_there_are(windows, tmp_path):
    told = json.loads(run([HERE / "used.py"], windows, tmp_path))

    assert ["win32", "linux"] == told["systems"], (
        "our modules see Windows, and the library does not"
    )
    assert "this system cannot fork" in told["workers"]
    assert [] == told["left"], "what was being written has its name, and what was replaced is gone"


def test_what_is_printed_into_a_pipe_is_utf_8_whatever_the_encoding_is(windows, tmp_path):
    env = windows | {"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    scope = ["--store", "a.db", "--embedder", "hash"]
    hippocampus = ["-m", "hippocampus"]
    run([*hippocampus, "remember", "-", *scope], env, tmp_path, input="Łódź ist schön ☂".encode())

    assert "Łódź ist schön ☂" in run(
        [*hippocampus, "recall", "ist", *scope], env, tmp_path
    ).decode()  # fmt: skip


def test_a_resident_process_answers_over_loopback(windows, tmp_path):
    store = tmp_path / "memory.db"
    scope = ["--store", str(store), "--embedder", "hash"]
    ask = ["context", "Where is the key?", *scope]
    run(["-m", "hippocampus", "remember", "The key is under the pot.", *scope], windows, tmp_path)
    expected = run(["-m", "hippocampus", *ask], windows, tmp_path)
    assert b"under the pot" in expected
    place = Path(windows["LOCALAPPDATA"], "hippocampus")
    place.mkdir(exist_ok=True)
    begun = subprocess.Popen(
        [sys.executable, "-P", "-m", "hippocampus.cli.resident_process", store, "1", *scope[2:]],
        env=windows, cwd=tmp_path,
    )  # fmt: skip
    try:
        while not (noted := list(place.glob("*.sock"))):
            assert begun.poll() is None
            time.sleep(0.02)
        port, _, secret = noted[0].read_text("utf-8").partition(" ")
        assert int(port)
        assert 64 == len(secret)
        assert expected == run(["-c", ASK, store, *ask], windows, tmp_path)
    finally:
        begun.kill()
        begun.wait()
