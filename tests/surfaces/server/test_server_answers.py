"""Answers are given again only while nothing has changed that they were made of."""

from datetime import timedelta

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.server import Limits
from hippocampus.server.response_cache import ResponseCache, SentAnswer
from hippocampus.testing import Fails, ScriptedEmbedder

AT = "/v1/banks/ada"


def ask(http, query="Where does Lena live?", at=AT, **more):
    answer = http.post(f"{at}/recall", json={"query": query, **more})
    assert answer.status_code == 200
    return answer.json()


def test_the_same_question_gets_the_same_bytes_without_being_asked_again(http, bank):
    bank.remember("Lena lives in Porto.")
    first = ask(http)

    assert first["cost"] == ask(http)["cost"]  # which no two recalls have in common
    assert first["cost"] != ask(http, k=3)["cost"]
    assert first["cost"] == ask(http)["cost"]


def test_whatever_changes_a_bank_is_in_the_next_answer(http, bank, open_memory):
    kept = bank.remember("Lena lives in Porto.", speaker="Lena")
    other = open_memory()  # another process would do the same

    def texts():
        return {hit["episode"]["text"] for hit in ask(http)["hits"]}

    assert {"Lena lives in Porto."} == texts()
    other.bank("ada").remember("Lena lives in Lisbon now.", speaker="Lena")
    assert len(texts()) == 2
    http.post(f"{AT}/forget", json={"id": kept.id})
    assert {"Lena lives in Lisbon now."} == texts()
    bank.restore(kept.id)
    assert len(texts()) == 2
    bank.forget(kept.id, erase=True)
    assert {"Lena lives in Lisbon now."} == texts()
    http.delete(AT)
    assert set() == texts()
    bank.remember("Lena lives in Braga.")
    assert {"Lena lives in Braga."} == texts()


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["recall", "context"])
def test_an_answer_that_a_part_was_missing_from_is_not_given_again_once_it_is_back(
    serve, open_memory, verb
):
    embedder = ScriptedEmbedder()
    memory = open_memory("failing.db", embedder=embedder)
    memory.bank("ada").remember("Lena lives in Porto.")
    with httpx.Client(base_url=serve(memory)) as http:
        lacks = []
        for fails in (True, True, False, False):
            embedder.on_query = Fails() if fails else None
            told = http.post(f"{AT}/{verb}", json={"query": "Where does Lena live?"}).json()
            found = told.get("recall", told)
            lacks.append([lack["part"] for lack in found["degraded"]])

    assert [["embedder"], ["embedder"], [], []] == lacks


def test_an_answer_without_an_embedder_that_there_never_was_is_given_again(serve, open_memory):
    memory = open_memory("wordy.db", embedder="none")
    memory.bank("ada").remember("Lena lives in Porto.")
    with httpx.Client(base_url=serve(memory)) as http:
        assert ask(http)["cost"] == ask(http)["cost"]


def test_what_changes_another_bank_leaves_an_answer_as_it_was(http, bank, memory):
    bank.remember("Lena lives in Porto.")
    first = ask(http)
    memory.bank("bo").remember("Bo lives in Rome.")

    assert first["cost"] == ask(http)["cost"]
    assert ask(http, at="/v1/banks/bo")["hits"][0]["episode"]["text"] == "Bo lives in Rome."


def test_an_answer_is_not_given_again_after_a_minute():
    now = [0.0]
    answers = ResponseCache(10_000, clock=lambda: now[0])
    answers.put(("b", "recall", b"{}"), 1, "here", SentAnswer(b"answer", "1.1"))

    now[0] = timedelta(seconds=59).total_seconds()
    assert answers.get(("b", "recall", b"{}"), 1) == SentAnswer(b"answer", "1.1")
    assert answers.get(("b", "recall", b"{}"), 1, "here") == SentAnswer(b"answer", "1.1")
    now[0] += 1
    assert answers.get(("b", "recall", b"{}"), 1) is None
    assert answers.get(("b", "recall", b"{}"), 1, "here") is None


def test_what_is_past_its_time_leaves_memory_though_nobody_asks_again():
    now = [0.0]
    answers = ResponseCache(100_000, clock=lambda: now[0])
    for number in range(5):
        answers.put(("b", "recall", b"%d" % number), 1, "here", SentAnswer(b"answer", "1.1"))
    before = answers.nbytes
    now[0] = 61.0
    answers.put(("b", "recall", b"new"), 1, "here", SentAnswer(b"answer", "1.1"))

    assert answers.nbytes < before / 3


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["put", "get", "known"]), st.integers(0, 6), st.integers(0, 2),
            st.integers(0, 900),
        ),
        max_size=60,
    )
)  # fmt: skip
def test_they_stay_within_their_memory_without_answering_for_another_position(steps):
    answers, model = ResponseCache(8000), {}
    for what, question, position, size in steps:
        asked = "b", "recall", str(question).encode()
        if what == "put":
            body = b"%d %d %s" % (question, position, b"x" * size)
            answers.put(asked, position, position, SentAnswer(body, "1.1"))
            model[asked] = position, body
        else:
            found = (
                answers.get(asked, position, position)
                if what == "get"
                else answers.get(asked, position)
            )
            assert found is None or (position, found.body) == model[asked]
        assert answers.nbytes <= 8000


def test_no_memory_for_answers_means_none(memory, serve):
    memory.bank("ada").remember("Lena lives in Porto.")
    with httpx.Client(base_url=serve(memory, limits=Limits(answers_bytes=0))) as http:
        assert ask(http)["cost"] != ask(http)["cost"]
