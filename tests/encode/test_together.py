"""Questions of several threads are embedded together, and nobody gets another's vector."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from hippocampus.encode.embed import HashEmbedder
from hippocampus.encode.embedders.together import AsksMany, Together
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

    def embed_queries(self, texts):
        self.begun.set()
        assert self.go.wait(20)
        self.batches.append(len(texts))
        if any("broken" in text for text in texts):
            raise EncoderError("the model is broken")
        return [self.inner.embed_query(text) for text in texts]


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


def test_only_an_embedder_that_takes_several_questions_is_wrapped():
    assert isinstance(Slow(), AsksMany)
    assert not isinstance(HashEmbedder(), AsksMany)
