"""Memory that is broken, locked, full, slow or wrong: the chat goes on, and says so."""

import logging
import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pytest
from upstream import completion

from hippocampus import Bank, Config, Memory
from hippocampus.errors import StoreUnreachable
from hippocampus.proxy.memory import READERS
from hippocampus.testing import Fails, Gate, ScriptedEmbedder

KEY = "sk-verysecret-0123456789"


@pytest.fixture
def logged(caplog):
    caplog.set_level(logging.DEBUG)
    return caplog


def test_a_store_that_cannot_be_opened_is_tried_again_without_stopping_a_chat(
    start, path, logged, remembered
):
    path.write_bytes(b"this is not a store, and that is for sure" * 100)
    proxy = start()
    broken = proxy.chat("I moved to Lisbon.")
    path.unlink()
    mended = proxy.chat("I moved to Porto.")
    proxy.stop()

    assert (broken.status_code, mended.status_code) == (200, 200)
    assert "without=store" in broken.headers["x-memory"]
    assert mended.headers["x-memory"].endswith("lost=1")
    assert "cannot recall: NotAStore" in logged.text
    assert "cannot remember: NotAStore" in logged.text
    assert ("user", "I moved to Porto.") in remembered()


def test_a_chat_goes_on_while_another_process_writes(start, path, logged):
    memory = Memory(path, embedder="hash", config=Config(busy_timeout_s=0.02))
    memory.bank("me").remember("I moved to Lisbon in March.")
    proxy = start(memory)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        locked = proxy.chat("Which city did I move to?")
        other.execute("ROLLBACK")
    after = proxy.chat("And when was it that I moved?")

    assert locked.status_code == 200
    assert "memories=1" in locked.headers["x-memory"]
    assert after.headers["x-memory"].endswith("lost=1")
    assert "cannot remember: StoreLocked" in logged.text


def test_what_a_database_kept_before_it_went_away_is_remembered_once(
    start, path, remembered, monkeypatch
):
    keep, tries = Bank.remember_many, []

    def keeps_and_goes_away(bank, turns):
        tries.append(keep(bank, turns))
        if len(tries) == 1:
            raise StoreUnreachable("went away while it committed", path="db")

    monkeypatch.setattr(Bank, "remember_many", keeps_and_goes_away)
    proxy = start(Memory(path, embedder="hash"))
    proxy.chat("I moved to Porto.")
    after = proxy.chat("And when was it that I moved?")
    proxy.stop()

    assert "lost" not in after.headers["x-memory"]
    assert 1 == remembered().count(("user", "I moved to Porto."))
    assert 2 == remembered().count(("assistant", "Noted."))


def test_on_a_full_disk_a_chat_goes_on_with_what_is_there(start, path, logged):
    memory = Memory(path, embedder="hash")
    memory.bank("me").remember("I moved to Lisbon in March.")
    pages = memory.engine.store.connections.writer.execute("PRAGMA page_count").fetchone()[0]
    memory.engine.store.connections.writer.execute(f"PRAGMA max_page_count = {pages}")
    proxy = start(memory)
    full = proxy.chat("x " * 20_000)
    after = proxy.chat("Which city did I move to?")

    assert full.status_code == 200
    assert "memories=1" in after.headers["x-memory"]
    assert "lost=1" in after.headers["x-memory"]
    assert "cannot remember: StoreFull" in logged.text


@pytest.mark.slow
def test_a_chat_goes_on_past_a_slow_recall_without_others_piling_up_behind_it(start, path, logged):
    embedder = ScriptedEmbedder(on_query=(slow := Gate()))
    proxy = start(Memory(path, embedder=embedder), deadline_s=0.05)
    late = [proxy.chat(f"Where do I live, for the {n}th time?") for n in range(6)]
    slow.go.set()
    proxy.stop()

    assert embedder.queries == READERS
    assert all(answer.status_code == 200 for answer in late)
    assert all("without=deadline" in answer.headers["x-memory"] for answer in late)
    assert "recall took more than 0.05 s" in logged.text


class Stopping:
    """A clock that fails as it is told to: no part that a caller gives is called with so little."""

    said = None

    def now(self):
        if self.said is not None:
            raise self.said
        return datetime.now(UTC)


def test_a_mistake_in_the_memory_does_not_reach_the_chat_nor_its_words_the_log(start, path, logged):
    memory = Memory(path, embedder="hash", clock=(clock := Stopping()))
    proxy = start(memory)
    clock.said = ZeroDivisionError("My PIN is marzipan.")  # which repeats what it was given
    answer = proxy.chat("My PIN is marzipan.")
    clock.said = None

    assert (answer.status_code, answer.json()) == (200, completion("Noted."))
    assert "without=error" in answer.headers["x-memory"]
    assert "cannot recall: ZeroDivisionError" in logged.text
    assert "marzipan" not in logged.text


def test_what_an_embedder_says_as_it_fails_is_not_logged(start, path, logged):
    fails = Fails(error=ZeroDivisionError("My PIN is marzipan."))
    proxy = start(Memory(path, embedder=ScriptedEmbedder(on_query=fails)))
    answer = proxy.chat("My PIN is marzipan.")

    assert (answer.status_code, answer.json()) == (200, completion("Noted."))
    assert answer.headers["x-memory"].startswith("bank=me; memories=0")
    assert "marzipan" not in logged.text


@pytest.mark.parametrize("user", ["x" * 300, "x" * 300_000, "a\nb", "\ud800"])
def test_a_bank_that_cannot_be_is_said_without_stopping_the_chat(proxy, user):
    answer = proxy.chat("Hi there.", user=user)

    assert answer.status_code == 200
    assert answer.headers["x-memory"].startswith("without=bank; ms=")


def test_names_that_are_no_text_are_nobody_rather_than_the_same_bank(proxy, path):
    answers = [proxy.chat("Hi.", headers={"X-Bank": name}) for name in (b"Zo\xeb", b"Zo\xea")]
    proxy.stop()

    assert all(answer.headers["x-memory"].startswith("without=bank") for answer in answers)
    with Memory(path, embedder="hash") as memory:
        assert memory.banks() == []


def test_halves_of_characters_in_a_request_lose_nothing(proxy, remembered):
    proxy.chat(
        {"role": "user", "name": "L\udfff", "content": "I moved to \ud83d Lisbon."}, model="\ud800"
    )
    proxy.stop()

    assert len(remembered()) == 2


def test_neither_keys_nor_what_was_said_are_logged(proxy, upstream, logged):
    proxy.chat("My PIN is marzipan.", headers={"Authorization": f"Bearer {KEY}"})
    proxy.http.get("/models?key=" + KEY, headers={"Authorization": f"Bearer {KEY}"})
    upstream.script = [lambda handler: handler.reset()]
    proxy.chat("What is my PIN of marzipan?", headers={"Authorization": f"Bearer {KEY}"})
    own = "\n".join(r.getMessage() for r in logged.records if r.name.startswith("hippocampus"))

    assert "POST '/v1/chat/completions' 502" in own
    assert KEY not in own
    assert "marzipan" not in own
