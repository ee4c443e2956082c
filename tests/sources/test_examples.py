import json
from datetime import datetime
from pathlib import Path

import pytest

from hippocampus import Memory
from hippocampus.encode.model_files import installed
from hippocampus.sources import SourceFile, read_source

EXAMPLES = Path(__file__).parents[2] / "examples"
pytestmark = pytest.mark.skipif(not EXAMPLES.exists(), reason="the examples are not in this copy")


@pytest.fixture(scope="module")
def files():
    return {item.path: item for item in read_source(EXAMPLES)}


def test_every_example_but_the_questions_is_read_as_a_memory(files):
    bad = [path for path, item in files.items() if not isinstance(item, SourceFile)]

    assert bad == ["questions.json"]


def test_the_examples_have_the_size_that_the_demo_promises(files):
    talk = files["conversation.jsonl"].turns
    chats = files["chatgpt-export/conversations.json"].turns
    mail = files["mail.mbox"].turns

    assert len(talk) >= 300
    assert len({turn.session for turn in talk}) >= 18
    assert {turn.speaker for turn in talk} == {"Lena", "Priya"}
    assert len({turn.session for turn in chats}) == 4
    assert (len(mail), len({turn.session for turn in mail})) == (25, 9)


def test_every_turn_has_its_own_address_with_the_conversation_in_order_of_time(files):
    turns = [turn for item in files.values() for turn in getattr(item, "turns", ())]
    times = [turn.at for turn in files["conversation.jsonl"].turns]

    assert len(turns) == len({turn.address for turn in turns})
    assert times == sorted(times)
    assert all(moment.year == 2024 for moment in times)


def test_the_discarded_branch_of_a_chat_is_not_remembered(files):
    texts = [turn.text for turn in files["chatgpt-export/conversations.json"].turns]

    assert not any("No, never." in text for text in texts)


def test_the_questions_say_what_their_answer_is():
    questions = json.loads((EXAMPLES / "questions.json").read_text(encoding="utf-8"))

    assert len(questions) == 7
    for question in questions:
        assert {"question", "about"} <= question.keys() <= {"question", "now", "about"}
        assert "now" not in question or datetime.fromisoformat(question["now"]).tzinfo


def test_the_exact_words_question_is_answered_in_one_source_only(files):
    sources = {
        turn.source
        for item in files.values()
        for turn in getattr(item, "turns", ())
        if "KR-48213" in turn.text
    }

    assert sources == {"mail.mbox"}


# `make test-slow`, and so CI, installs the model first: only a bare `pytest` on a machine that
# never had it passes this over, as it does every test of the model.
@pytest.mark.slow
@pytest.mark.skipif(
    installed() is None, reason="the model is not installed: hippocampus models install"
)
def test_the_demo_finds_something_for_every_question_but_the_one_about_nothing():
    with Memory(":memory:", embedder="default") as memory:
        bank = memory.bank("demo")
        for part in ("conversation.jsonl", "notes", "mail.mbox", "chatgpt-export"):
            bank.import_(EXAMPLES / part)
        for asked in json.loads((EXAMPLES / "questions.json").read_text(encoding="utf-8")):
            nothing = asked["about"].startswith("Nothing")
            now = asked.get("now")
            recall = bank.recall(asked["question"], now=now and datetime.fromisoformat(now))
            assert recall.found != nothing, asked["question"]
