"""Whatever is asked together in one question: it ends in an answer, never in anything else."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippocampus import Memory, Turn
from hippocampus.errors import InvalidFilter, UnknownEvent

NOON = datetime(2025, 5, 1, 12, tzinfo=UTC)
SAID = [
    "My sister is called Bea.", "I moved to Graz on 12 May.", "Bea bought a kayak today.",
    "Ana was away from 3 to 7 June in Lisbon.", "Tom, my colleague, lives in Oslo.",
    "We decided on the red table, though blue was cheaper.", "The boat trip is called Heron.",
    "My dentist is Dr Maier, phone 555-1234.", "I can't stand coriander.",
    "Always answer in metric units when I ask about lengths.", "I went running this morning.",
    "The interview at the bank went well.", "Tom's dog Rex eats fish.",
    "Our paper on glaciers was accepted.", "Kingpin is the project about bread.",
]  # fmt: skip
ASKS = [
    "What did", "Who is", "When did", "Which of", "How many times did", "Did", "List all",
    "Summarise", "Give me all", "Regarding", "What are the main themes of", "In which order did",
    "What did you suggest about", "Catch me up on", "Which was first,", "Should I",
]  # fmt: skip
OF = [
    "Ada", "my sister", "Ana's cousin", "Tom's dog", "my colleague's town", "the boat",
    "the red one or the blue one", "our paper on glaciers", "Heron", "them", "that",
    "the name of Tom's dog", "trips", "Bea or Rex",
]  # fmt: skip
DEED = ["say", "buy", "choose", "go running", "think of it", "", "say about the kayak"]
WHEN = [
    "in May", "after I moved to Graz", "in the week when Ana was away", "yesterday", "now", "",
    "before the interview", "since the move", "on 12 May 2025", "the day after the boat trip",
]  # fmt: skip


@pytest.fixture(scope="module")
def bank():
    draw = random.Random(7)  # noqa: S311  # made-up talk
    with Memory(":memory:", embedder="hash") as memory:
        bank = memory.bank("ada")
        bank.remember_many(
            Turn(
                text=f"{draw.choice(SAID)} {draw.choice(SAID).split()[-1]} ({n % 17})",
                speaker=draw.choice(["Ada", "Tom", None]), session=f"s{n // 8}",
                role=draw.choice(["user", "assistant", None]), at=NOON + timedelta(hours=9 * n),
            )
            for n in range(160)
        )  # fmt: skip
        bank.curate(add=["kayak", "kingpin", "heron"])
        bank.sleep()
        yield bank


@pytest.mark.slow
@settings(max_examples=300)
@given(
    parts=st.tuples(*map(st.sampled_from, (ASKS, OF, DEED, OF, WHEN))),
    during=st.none() | st.sampled_from(WHEN[:5]),
    speaker=st.none() | st.sampled_from(["Ada", "Tom"]),
)
def test_all_that_a_question_can_ask_for_at_once_is_answered(bank, parts, during, speaker):
    asks, of, deed, other, when = parts
    question = f"{asks} {of} {deed} and {other} {when}?"
    asked = {"now": NOON + timedelta(days=70), "speaker": speaker, "during": during}

    try:
        hits = bank.recall(question, **asked).hits
        made = bank.context(question, 300, **asked)
    except UnknownEvent:
        assert during
        return
    except InvalidFilter:
        assert during == "now"  # a moment, and what was then takes time
        return
    assert len({hit.id for hit in hits}) == len(hits) <= 10
    assert made.tokens <= 300
    assert [hit.id for hit in bank.explain(question, **asked).recall.hits] == [
        hit.id for hit in hits
    ]
