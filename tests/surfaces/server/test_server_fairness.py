"""Callers share a server's threads: one who asks for much waits for itself, and not the others."""

import asyncio
import threading
import time

import pytest

from hippocampus.core import background_yield
from hippocampus.errors import Overloaded
from hippocampus.server.thread_pools import CALLER, Pool, Shares


async def asked(pool, caller, call):
    CALLER.set(caller)
    return await pool.run(call)


def served(order, threads):
    """Serve calls, each told by its caller, in this order of arrival; return that of their ends."""
    begun, gate, ended = threading.Event(), threading.Event(), []

    def call(caller):
        begun.set()
        gate.wait(10)
        ended.append(caller)

    async def all_of_them():
        pool = Pool("read", threads=threads, waiting=100)
        tasks = [
            asyncio.create_task(asked(pool, caller, lambda caller=caller: call(caller)))
            for caller in order
        ]
        await asyncio.to_thread(begun.wait, 10)
        assert pool.busy == len(order)
        gate.set()
        await asyncio.gather(*tasks)
        assert pool.busy == 0
        pool.close()

    asyncio.run(all_of_them())
    return ended


def test_whoever_comes_after_many_of_another_is_served_after_one_of_them():
    ended = served([*["busy"] * 9, "quiet"], threads=1)
    assert "quiet" in ended[:3], "the one that runs, and one whose turn it is"
    assert sorted([*["busy"] * 9, "quiet"]) == sorted(ended)


def test_a_thread_is_kept_from_every_single_caller():
    gate, quiet = threading.Event(), []

    async def both():
        pool = Pool("read", threads=3, waiting=100)
        busy = [asyncio.create_task(asked(pool, "busy", lambda: gate.wait(10))) for _ in range(8)]
        await asyncio.sleep(0)
        # while the other holds all the threads that it may
        quiet.extend([await asyncio.wait_for(asked(pool, "quiet", lambda: 7), 5) for _ in "abc"])
        gate.set()
        await asyncio.gather(*busy)
        pool.close()

    asyncio.run(both())
    assert [7, 7, 7] == quiet


def test_without_keys_all_threads_serve():
    barrier = threading.Barrier(4, timeout=10)

    async def four():
        pool = Pool("read", threads=4, waiting=1)
        await asyncio.gather(*(asked(pool, "", barrier.wait) for _ in range(4)))
        pool.close()

    asyncio.run(four())


def test_one_caller_cannot_take_all_places_in_line():
    gate = threading.Event()

    async def crowd():
        pool = Pool("read", threads=2, waiting=8)
        busy = [asyncio.create_task(asked(pool, "busy", lambda: gate.wait(10))) for _ in range(20)]
        await asyncio.sleep(0)
        sent_away = [task for task in busy if task.done()]
        assert len(sent_away) == 20 - 1 - 4
        assert all(isinstance(task.exception(), Overloaded) for task in sent_away)
        assert 7 == await asyncio.wait_for(asked(pool, "quiet", lambda: 7), 5)
        gate.set()
        await asyncio.gather(*busy, return_exceptions=True)
        pool.close()

    asyncio.run(crowd())


def test_who_is_gone_before_its_turn_is_passed_over():
    gate, begun = threading.Event(), []

    async def impatient():
        pool = Pool("read", threads=1, waiting=8)
        first = asyncio.create_task(asked(pool, "a", lambda: gate.wait(10)))
        gone = asyncio.create_task(asked(pool, "b", lambda: begun.append("b")))
        last = asyncio.create_task(asked(pool, "c", lambda: begun.append("c")))
        await asyncio.sleep(0)
        gone.cancel()
        gate.set()
        await asyncio.gather(first, last)
        assert pool.busy == 0
        pool.close()

    asyncio.run(impatient())
    assert ["c"] == begun


def test_who_is_gone_before_its_turn_leaves_its_place_to_others():
    gate = threading.Event()

    async def come_and_go():
        pool = Pool("read", threads=1, waiting=2)
        runs = asyncio.create_task(pool.run(lambda: gate.wait(10)))
        for _ in range(3):
            left = [asyncio.create_task(pool.run(lambda: 1)) for _ in range(2)]
            await asyncio.sleep(0)
            assert pool.busy == 3
            for one in left:
                one.cancel()
            await asyncio.wait(left)
            assert pool.busy == 1
        stays = asyncio.create_task(pool.run(lambda: 7))
        await asyncio.sleep(0)
        gate.set()
        assert await stays == 7
        assert await runs
        assert pool.busy == 0
        pool.close()

    asyncio.run(come_and_go())


@pytest.mark.parametrize("caller", ["", "a"])
def test_what_a_call_raises_reaches_who_asked(caller):
    async def failing():
        pool = Pool("read", threads=1, waiting=1)
        with pytest.raises(KeyError):
            await asked(pool, caller, lambda: {}["x"])
        assert 1 == await asked(pool, caller, lambda: 1)
        pool.close()

    asyncio.run(failing())


class Seconds:
    """A clock that is set."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_who_computes_all_the_time_crowds_only_briefly_while_others_ask():
    clock = Seconds()
    shares = Shares(clock)
    shares.note("busy", 1.5)
    assert not shares.crowds("busy"), "nobody else is here"

    shares.note("quiet", 0.01)
    assert (shares.crowds("busy"), shares.crowds("quiet")) == (True, False)
    clock.now += 1.5
    assert not shares.crowds("busy"), "it has computed little since"
    shares.note("busy", 1.5)
    assert shares.crowds("busy")
    clock.now += 1
    shares.note("busy", 1.5)
    assert not shares.crowds("busy"), "the other has left"

    clock.now += 100
    shares.note("late")
    assert ["late"] == list(shares._spent)


def most_at_once(call, threads=8):
    """Return how many calls of a busy caller run at once while another one asks, too."""
    shares, lock, running, most = Shares(), threading.Lock(), [0], [0]

    def counted():
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        try:
            call()
        finally:
            with lock:
                running[0] -= 1

    async def both():
        pools = [Pool(name, threads=threads, waiting=100, shares=shares) for name in "ab"]
        await asked(pools[1], "quiet", lambda: None)
        await asked(pools[0], "busy", call)
        shares.note("busy", 0.0)
        await asyncio.gather(*(asked(pools[0], "busy", counted) for _ in range(6)))
        for pool in pools:
            pool.close()

    asyncio.run(both())
    return most[0]


@pytest.mark.slow
@pytest.mark.parametrize(("spent", "waits"), [(0.01, False), (5.0, True)])
def test_who_computes_all_the_time_gives_way_to_what_others_ask(monkeypatch, spent, waits):
    monkeypatch.setattr(background_yield, "_WAIT_S", 0.5)
    shares = Shares()
    shares.note("busy", spent)
    shares.note("quiet")

    def step():
        began = time.perf_counter()
        background_yield.pause()
        return time.perf_counter() - began

    async def while_another_is_answered():
        pool = Pool("read", threads=2, waiting=9, shares=shares)
        with background_yield.answering():
            took = await asked(pool, "busy", step)
        pool.close()
        return took

    assert (asyncio.run(while_another_is_answered()) > 0.4) is waits


@pytest.mark.slow
def test_while_others_ask_only_who_computes_is_limited_to_one_thread():
    def compute():
        until = time.thread_time() + 1.2
        while time.thread_time() < until:
            pass

    quick = []

    def compute_once():
        if not quick:
            quick.append(1)
            compute()

    assert 1 == most_at_once(compute_once)
    assert 1 < most_at_once(lambda: time.sleep(0.05))
