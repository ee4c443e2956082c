"""A run of the fuzzer tells readers that fail or hang from sound ones, and keeps their input."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("atheris", reason="the fuzzer is not made for this Python and platform")

RUN = """
import sys, time
from pathlib import Path
import fuzz, fuzz_targets

def fails(data):
    if len(data) > 3:
        raise ValueError(len(data))

def hangs(data):
    time.sleep(60)

fuzz.FOUND = Path(sys.argv[1])
fuzz_targets.TARGETS |= {"facts": fails, "gists": hangs}
sys.exit(fuzz.fuzz(3, ["facts", "gists", "headers"]))
"""


@pytest.mark.slow
def test_a_reader_that_fails_or_hangs_is_told_with_its_input_kept(tmp_path):
    environment = os.environ | {"FUZZ_SLOWEST_S": "1", "PYTHONPATH": str(Path(__file__).parent)}
    command = [sys.executable, "-c", RUN, tmp_path]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    assert 2 == done.returncode, done.stdout
    assert "ValueError" in done.stdout
    assert "libFuzzer: timeout" in done.stdout
    assert "headers: #" in done.stdout
    kept = {name: next((tmp_path / name).glob("*-*"), None) for name in ("facts", "gists")}
    assert all(kept.values())
    assert len(kept["facts"].read_bytes()) > 3
    assert not list((tmp_path / "headers").glob("*-*"))
