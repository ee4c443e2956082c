"""Texts of several threads are embedded together, and nobody gets another's vector."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from hippocampus.core.budget import Budget
from hippocampus.core.records import Passage
from hippocampus.encode.embed import HashEmbedder
from hippocampus.encode.embedders.together import EmbedsTogether, Together
from hippocampus.errors import EncoderError


class Slow:
    """An embedder that waits for ``go`` before its first batch, and notes the size of each."""

    def __init__(self):
        self.inner = HashEmbedder()
        self.go = threading.Event()
        self.batches = []
        self.begun = threading.Event()

    @property
    def fingerprint(self):
        return self.inner.fingerprint

    def embed(self, passages):
        return self.inner.embed(passages)

    def embed_query(self, text):
        return self.inner.embed_query(text)

    def embed_together(self, passages, questions):
        self.begun.set()
        assert self.go.wait(20)
        self.batches.append(len(passages) + len(questions))
        if any("broken" in text for text in (*[p.text for p in passages], *questions)):
            raise EncoderError("the model is broken")
        return self.inner.embed(passages), [self.inner.embed_query(text) for text in questions]


@pytest.mark.parametrize("at_once", [None, 1, 3])
def test_each_thread_gets_the_vector_of_its_own_question(at_once):
    slow = Slow()
    together = Together(slow, at_once=at_once)
    asked = [f"question {n}" for n in range(40)]
    with ThreadPoolExecutor(40) as threads:
        running = [threads.submit(together.embed_query, text) for text in asked]
        slow.go.set()
        made = [one.result() for one in running]

    assert sum(slow.batches) == 40
    for text, embedded in zip(asked, made, strict=True):
        assert np.array_equal(slow.inner.embed_query(text).vector, embedded.vector)


def test_questions_that_come_meanwhile_go_together():
    slow = Slow()
    together = Together(slow, at_once=1)
    with ThreadPoolExecutor(7) as threads:
        first = threads.submit(together.embed_query, "the first")
        assert slow.begun.wait(20)
        rest = [threads.submit(together.embed_query, f"question {n}") for n in range(6)]
        while together.waiting < 6:
            time.sleep(0.01)
        slow.go.set()
        for one in (first, *rest):
            one.result()

    assert [1, 6] == slow.batches


def test_passages_go_with_the_questions_that_wait_each_back_to_who_brought_it():
    slow = Slow()
    together = Together(slow, at_once=1)
    brought = [[Passage(f"said {n} {m}") for m in range(n)] for n in range(4)]
    with ThreadPoolExecutor(9) as threads:
        first = threads.submit(together.embed_query, "the first")
        assert slow.begun.wait(20)
        texts = [threads.submit(together.embed, passages) for passages in brought[1:3]]
        asked = [threads.submit(together.embed_query, f"question {n}") for n in range(3)]
        more = threads.submit(together.embed, brought[3])  # too many beside those that wait
        while together.waiting < 6:
            time.sleep(0.01)
        slow.go.set()
        first.result()

    assert 10 == sum(slow.batches)
    assert max(slow.batches) <= 8
    assert len(slow.batches) < 7
    for passages, made in zip(brought[1:], (*texts, more), strict=True):
        expected = [one.vector for one in slow.inner.embed(passages)]
        assert np.array_equal(expected, [one.vector for one in made.result()])
    for n, made in enumerate(asked):
        alone = slow.inner.embed_query(f"question {n}").vector
        assert np.array_equal(alone, made.result().vector)


def test_nobody_waits_beside_long_texts_or_many_passages():
    slow = Slow()
    together = Together(slow, at_once=1)
    assert 9 == len(together.embed([Passage(f"said {n}") for n in range(9)]))
    assert [] == slow.batches
    with ThreadPoolExecutor(4) as threads:
        first = threads.submit(together.embed_query, "the first")
        assert slow.begun.wait(20)
        long = threads.submit(together.embed, [Passage("word " * 1000)])
        asked = [threads.submit(together.embed_query, f"question {n}") for n in range(2)]
        while together.waiting < 3:
            time.sleep(0.01)
        slow.go.set()
        for one in (first, long, *asked):
            one.result()

    assert sorted([1, 1, 2]) == sorted(slow.batches)


def test_what_goes_wrong_is_told_to_each_that_waits_and_to_nobody_after():
    slow = Slow()
    slow.go.set()
    together = Together(slow)

    with pytest.raises(EncoderError, match="broken"):
        together.embed_query("broken")
    assert together.embed_query("whole") is not None


def test_a_question_that_fails_fails_for_whoever_asked_it_alone():
    slow = Slow()
    together = Together(slow, at_once=1)
    with ThreadPoolExecutor(4) as threads:
        first = threads.submit(together.embed_query, "the first")
        assert slow.begun.wait(20)
        texts = ["one", "broken", "three"]
        rest = [threads.submit(together.embed_query, text) for text in texts]
        while together.waiting < 3:
            time.sleep(0.01)
        slow.go.set()
        failed = [type(one.exception()) for one in (first, *rest)]

    assert [type(None), type(None), EncoderError, type(None)] == failed


def test_a_question_that_was_called_off_takes_nothing_from_those_it_goes_with():
    slow = Slow()
    together = Together(slow, at_once=1)
    budget = Budget()
    with ThreadPoolExecutor(3) as threads:
        first = threads.submit(together.embed_query, "the first")
        assert slow.begun.wait(20)
        gone = threads.submit(budget.around(lambda: together.embed_query("called off")))
        other = threads.submit(together.embed_query, "the other")
        while together.waiting < 2:
            time.sleep(0.01)
        budget.cancel()
        slow.go.set()
        first.result()
        gone.exception()  # it may be done, or not: nobody waits for it

    alone = slow.inner.embed_query("the other").vector
    assert np.array_equal(alone, other.result().vector)
    assert 0 == together.waiting


def test_only_an_embedder_that_takes_several_questions_is_wrapped():
    assert isinstance(Slow(), EmbedsTogether)
    assert not isinstance(HashEmbedder(), EmbedsTogether)
