"""A process that is told to stop ends in time, though a call into C keeps the interpreter."""

import signal
import subprocess
import sys
import time

import pytest

from hippocampus.core.system import end_in_time
from hippocampus.kernel import ENDS_IN_TIME
from hippocampus.kernel import end_in_time as kernel_end_in_time

pytestmark = pytest.mark.skipif(not ENDS_IN_TIME, reason="no such signals here")

BEGIN = """
import re, signal, sys, time
from hippocampus.core.system import end_in_time
signal.signal(signal.SIGTERM, lambda *_: print("told", flush=True))
end_in_time(float(sys.argv[1]), "the last words")
print("ready", flush=True)
"""
WAITS = "time.sleep(60)"
HOLDS = "re.match('(a|a)*b', 60 * 'a')"
ENDS = "time.sleep(0.5); sys.exit(7)"


def told_to_stop(then, after_s=0.5):
    """Return a process's code, what it said, and how long it took, once it was told to stop."""
    with subprocess.Popen(
        [sys.executable, "-c", BEGIN + then, str(after_s)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            assert "ready\n" == process.stdout.readline()
            time.sleep(0.1)
            began = time.monotonic()
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=20)
            return process.returncode, out, err, time.monotonic() - began
        finally:
            process.kill()


@pytest.mark.slow
def test_the_process_ends_in_time_once_the_handler_of_python_is_told():
    code, out, err, took = told_to_stop(WAITS)

    assert (1, "told\n", "the last words\n") == (code, out, err)
    assert 0.4 < took < 2


@pytest.mark.slow
def test_a_process_ends_in_time_though_a_call_keeps_the_interpreter():
    code, out, err, took = told_to_stop(HOLDS)

    assert (1, "the last words\n") == (code, err)
    assert out in ("", "told\n")  # an expression looks for signals now and then, other calls do not
    assert 0.4 < took < 2


@pytest.mark.slow
def test_a_process_that_ends_by_itself_has_no_last_words():
    assert (7, "") == told_to_stop(ENDS, after_s=20)[:3:2]


@pytest.mark.parametrize("after_s", [0, -1, float("nan"), 1e12])
def test_a_time_that_is_none_is_refused(after_s):
    with pytest.raises(ValueError, match="after_s"):
        end_in_time(after_s, "")


@pytest.mark.parametrize("number", [0, -1, 64, 1 << 20])
def test_a_signal_that_is_none_is_refused(number):
    with pytest.raises(ValueError, match="no such signal"):
        kernel_end_in_time(number, 1.0, b"")
