"""A lock that many hold together, or one alone."""

import threading
import time

from hippocampus.core.shared_lock import SharedLock


def started(*calls):
    threads = [threading.Thread(target=call) for call in calls]
    for thread in threads:
        thread.start()
    return threads


def test_many_hold_it_together():
    lock, barrier = SharedLock(), threading.Barrier(3, timeout=10)

    def hold():
        with lock.together(), lock.together():
            barrier.wait()

    for thread in started(hold, hold, hold):
        thread.join()
    assert not barrier.broken


def test_one_alone_never_holds_the_lock_together_with_others():
    lock, held, events = SharedLock(), threading.Event(), []

    def together(name):
        with lock.together():
            events.append(name)
            held.set()
            time.sleep(0.05)
            with lock.together():  # not behind who waits to hold it alone
                events.append(f"{name} again")

    def alone():
        held.wait(10)
        with lock, lock, lock.together():
            events.append("alone")
            time.sleep(0.05)
            events.append("no more")

    threads = started(lambda: together("first"), alone)
    held.wait(10)
    time.sleep(0.02)
    threads += started(lambda: together("late"))
    for thread in threads:
        thread.join()
    assert ["first", "first again", "alone", "no more", "late", "late again"] == events


def test_each_change_of_many_is_made_alone():
    lock, count = SharedLock(), [0]

    def change():
        for _ in range(300):
            with lock:
                seen = count[0]
                with lock.together():
                    count[0] = seen + 1
            with lock.together():
                assert count[0] >= seen + 1

    for thread in started(*[change] * 4):
        thread.join()
    assert [1200] == count
