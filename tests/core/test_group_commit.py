"""Threads that wait for the same lock have what they ask for done together."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from hippocampus import Turn
from hippocampus.core.group_commit import GroupCommit
from hippocampus.errors import (
    EncoderError,
    StoreFull,
    StoreLocked,
    StoreOvertaken,
    StoreUnreachable,
)
from hippocampus.testing import Fails, ScriptedEmbedder

LONG = 30.0


class Doing:
    """Answers with the double of what is asked, and remembers what was asked at once."""

    def __init__(self):
        self.lock, self.at_once = threading.Lock(), []

    def __call__(self, some):
        self.at_once.append(list(some))
        if 13 in some:
            msg = f"13 among {some}"
            raise ValueError(msg)
        return [2 * one for one in some]


def together(joint, doing, asked):
    """Ask from a thread each while nobody can begin; what each got, in the order of asking."""
    with ThreadPoolExecutor(len(asked)) as threads:
        with doing.lock:
            running = []
            for nth, one in enumerate(asked, 1):
                running.append(threads.submit(joint.call, one, doing, inside=lambda: doing.lock))
                while joint.waiting < nth:
                    assert not running[-1].done()
        return [each.exception(LONG) or each.result() for each in running]


def test_what_waits_is_done_in_one_go_with_everybody_getting_their_own():
    doing = Doing()
    assert together(GroupCommit(lambda *_: True), doing, [3, 1, 2]) == [6, 2, 4]
    assert doing.at_once == [[3, 1, 2]]


def test_what_does_not_fit_comes_later_in_order():
    doing = Doing()
    joint = GroupCommit(lambda some, one: len(some) < 2 and one % 2 == some[0] % 2)
    assert together(joint, doing, [1, 2, 3, 4, 5]) == [2, 4, 6, 8, 10]
    assert doing.at_once == [[1, 3], [2, 4], [5]]


def test_a_fault_is_told_only_to_whose_it_is():
    doing = Doing()
    one, fault, three = together(GroupCommit(lambda *_: True), doing, [1, 13, 3])
    assert (one, three) == (2, 6)
    assert str(fault) == "13 among [13]"


def test_who_is_interrupted_while_waiting_leaves_nothing_to_be_done():
    doing, joint = Doing(), GroupCommit(lambda *_: True)

    @contextmanager
    def interrupted():
        raise KeyboardInterrupt
        yield

    with pytest.raises(KeyboardInterrupt):
        joint.call(1, doing, inside=interrupted)
    assert joint.call(2, doing, inside=lambda: doing.lock) == 4
    assert doing.at_once == [[2]]


class Stopped(Doing):
    """Is interrupted at work."""

    def __call__(self, some):
        self.at_once.append(list(some))
        raise KeyboardInterrupt


def test_who_is_interrupted_at_work_leaves_nobody_waiting():
    stopped = Stopped()
    got = together(GroupCommit(lambda *_: True), stopped, [1, 2])
    assert [type(each) for each in got] == [KeyboardInterrupt] * 2
    assert stopped.at_once == [[1, 2]]


class StoppedAlone(Doing):
    """Is interrupted at the first call that it does again by itself."""

    def __call__(self, some):
        self.at_once.append(list(some))
        if some == [2]:
            raise KeyboardInterrupt
        msg = "one of them is wrong"
        raise ValueError(msg)


def test_who_is_interrupted_while_doing_again_what_failed_leaves_nobody_waiting():
    got = together(GroupCommit(lambda *_: True), stopped := StoppedAlone(), [1, 2, 3])
    assert [type(each) for each in got[1:]] == [KeyboardInterrupt] * 2
    assert stopped.at_once == [[1, 2, 3], [1], [2]]


class NoStore(Doing):
    """Finds what keeps a 13 waiting, and then finds the store locked or gone."""

    def __init__(self, error):
        super().__init__()
        self.error = error

    def __call__(self, some):
        if 13 in some:
            return super().__call__(some)
        self.at_once.append(list(some))
        raise self.error


@pytest.mark.parametrize("kind", [StoreLocked, StoreOvertaken, StoreUnreachable])
@pytest.mark.parametrize(("asked", "done"), [([1, 2, 3], 1), ([13, 1, 2, 3], 3)])
def test_what_no_call_can_help_is_waited_for_once_and_told_to_all(kind, asked, done):
    error = kind("another process writes", path="memory.db")
    error.add_note("by the store")
    got = together(GroupCommit(lambda *_: True), doing := NoStore(error), asked)[-3:]
    assert len(doing.at_once) == done
    assert [(type(each), str(each)) for each in got] == [(kind, str(error))] * 3
    got[0].add_note("by who asked first")
    assert [each.__notes__ for each in got[1:]] == [["by the store"]] * 2
    assert len(set(map(id, got))) == 3


def test_a_full_disk_may_have_room_for_one_call_alone():
    class Full(Doing):
        def __call__(self, some):
            if 1_000_000 in some:
                raise StoreFull("the disk is full", path="memory.db")
            return super().__call__(some)

    one, full, three = together(GroupCommit(lambda *_: True), Full(), [1, 1_000_000, 3])
    assert (one, three) == (2, 6)
    assert isinstance(full, StoreFull)


# ---------------------------------------------------------------- of a bank


def unspeaking():
    return ScriptedEmbedder(on_passages=Fails(containing="unspeakable"))


def remembered(bank, turns):
    """Remember from a thread each while somebody else writes; what each got."""
    with ThreadPoolExecutor(len(turns)) as threads:
        with bank.state.writing:
            running = []
            for nth, turn in enumerate(turns, 1):
                running.append(threads.submit(bank.remember_many, [turn]))
                while bank._committer.together.waiting < nth:
                    assert not running[-1].done()
        return [each.exception(LONG) or each.result()[0] for each in running]


def test_turns_that_come_at_once_are_embedded_in_one_batch(open_memory):
    bank = open_memory("memory.db", embedder=(embedder := ScriptedEmbedder())).bank("ada")
    turns = [Turn(text=f"Remark number {n} of the day.", at="2025-03-02") for n in range(6)]
    kept = remembered(bank, turns)
    assert [episode.text for episode in kept] == [turn.text for turn in turns]
    assert embedder.batches == [6]


def test_of_the_same_words_at_once_one_is_kept(open_memory):
    bank = open_memory("memory.db", embedder=unspeaking()).bank("ada")
    said = Turn(text="The key to the shed is under the blue pot.")
    kept = remembered(bank, [said] * 4)
    assert len({episode.id for episode in kept}) == 1
    assert bank.stats().episodes == 1


def test_a_turn_that_cannot_be_embedded_keeps_none_beside_it_from_being_kept(open_memory):
    bank = open_memory("memory.db", embedder=unspeaking()).bank("ada")
    one, wrong, three = remembered(
        bank, [Turn(text=text) for text in ("One thing.", "An unspeakable thing.", "Three things.")]
    )
    assert isinstance(wrong, EncoderError)
    assert [hit.text for hit in bank.episodes()] == [one.text, three.text]
