"""A call beside another thread's work ends as it would have ended in that thread."""

import subprocess
import sys
import threading

import pytest

from hippocampus.core.background_call import BackgroundCall


class Unable(Exception):
    """What a call raises."""


def fail():
    raise Unable


def test_a_call_goes_on_while_its_result_is_not_asked_for():
    begun, may_end = threading.Event(), threading.Event()

    def call():
        begun.set()
        assert may_end.wait(30)
        return threading.current_thread()

    under_way = BackgroundCall(call)
    assert begun.wait(30)  # though nobody has asked
    may_end.set()
    assert under_way.result() is not threading.current_thread()


def test_what_a_call_raises_is_raised_where_its_result_is_asked_for():
    under_way = BackgroundCall(fail)
    for _ in range(2):
        with pytest.raises(Unable):
            under_way.result()


def test_a_process_that_ends_meanwhile_waits_for_the_call():
    # A thread that comes back from native code to an interpreter that is gone aborts the process.
    script = (
        "import time\n"
        "from hippocampus.core.background_call import BackgroundCall\n"
        "BackgroundCall(lambda: time.sleep(0.3) or print('done'))\n"
        "raise SystemExit(3)\n"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (3, "done\n", "")


def test_where_no_thread_can_be_started_a_call_is_made_at_once(monkeypatch):
    def refuse(_thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    made = []

    under_way = BackgroundCall(lambda: made.append(threading.current_thread()) or 7)
    assert made == [threading.current_thread()]
    assert under_way.result() == 7
    with pytest.raises(Unable):
        BackgroundCall(fail).result()
