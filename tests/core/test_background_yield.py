"""Whoever computes in the background gives way to whoever waits for an answer."""

import inspect
import sys
import threading
import time
from contextlib import suppress

import pytest

from hippocampus import Bank, Memory, Turn
from hippocampus.core import background_yield as courtesy
from hippocampus.core.background_yield import answering, giving_way, pause, pausing

LONG = 30.0


def in_a_thread(work):
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def test_who_gives_way_waits_until_the_answer_is_there(monkeypatch):
    monkeypatch.setattr(courtesy, "_WAIT_S", LONG)
    there, went_on = threading.Event(), threading.Event()

    def work():
        with giving_way():
            there.set()
            pause()
            went_on.set()

    with answering():
        thread = in_a_thread(work)
        assert there.wait(LONG)
        assert not went_on.wait(0.05)
    assert went_on.wait(LONG)
    thread.join(LONG)


def test_of_several_answers_the_last_one_counts(monkeypatch):
    monkeypatch.setattr(courtesy, "_WAIT_S", LONG)
    went_on = threading.Event()

    def work():
        with giving_way():
            pause()
            went_on.set()

    with answering():
        with answering():
            thread = in_a_thread(work)
        assert not went_on.wait(0.05)
    assert went_on.wait(LONG)
    thread.join(LONG)


def test_nobody_waits_for_ever():
    with answering(), giving_way():
        started = time.perf_counter()
        pause()
        assert courtesy._WAIT_S / 2 <= time.perf_counter() - started < LONG


def test_an_answer_that_gives_way_waits_for_others_not_for_itself(monkeypatch):
    monkeypatch.setattr(courtesy, "_WAIT_S", LONG)
    with giving_way(), answering():
        started = time.perf_counter()
        pause()
        assert time.perf_counter() - started < LONG / 2

    went_on = threading.Event()

    def work():
        with giving_way(), answering():
            pause()
            went_on.set()

    with answering():
        thread = in_a_thread(work)
        assert not went_on.wait(0.05)
    assert went_on.wait(LONG)
    thread.join(LONG)


def test_some_work_is_done_between_two_waits(monkeypatch):
    monkeypatch.setattr(courtesy, "_WORK_S", LONG)
    with answering(), giving_way():
        pause()
        started = time.perf_counter()
        for _ in range(1000):
            pause()
        assert time.perf_counter() - started < courtesy._WAIT_S * 1000 / 2


def test_who_answers_does_not_wait_for_another_answer(monkeypatch):
    monkeypatch.setattr(courtesy, "_WAIT_S", LONG)
    with answering():
        started = time.perf_counter()
        assert [1, 2, 3] == list(pausing([1, 2, 3]))
    assert time.perf_counter() - started < LONG / 2


def test_turns_are_as_long_as_before_once_the_block_is_over():
    before = sys.getswitchinterval()
    with suppress(KeyError), giving_way():
        assert sys.getswitchinterval() < before
        raise KeyError
    assert before == sys.getswitchinterval()
    with answering():
        started = time.perf_counter()
        pause()
        assert time.perf_counter() - started < courtesy._WAIT_S


def test_of_two_who_give_way_the_last_to_end_puts_turns_back():
    before = sys.getswitchinterval()
    first, second = giving_way(), giving_way()
    first.__enter__()
    in_a_thread(second.__enter__).join(LONG)
    first.__exit__(None, None, None)
    assert sys.getswitchinterval() < before
    in_a_thread(lambda: second.__exit__(None, None, None)).join(LONG)
    assert before == sys.getswitchinterval()


def test_the_verbs_that_answer_keep_their_signatures():
    assert ["self", "query", "k"] == list(inspect.signature(Bank.recall).parameters)[:3]
    assert "Find memories that bear on" in Bank.recall.__doc__


@pytest.mark.slow
def test_a_sleep_ends_though_somebody_is_answered_all_the_time():
    with Memory(":memory:", embedder="none") as memory:
        bank = memory.bank("b")
        bank.remember_many([Turn(text=f"I moved to town number {n}.") for n in range(50)])
        with answering():
            slept = bank.sleep()
    assert 50 == next(s for s in slept.steps if s.name == "facts").counts["episodes read"]
