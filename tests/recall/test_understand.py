"""What a question is read as: here, whose turns "I" and "you" point to."""

from datetime import UTC, datetime

import pytest

from hippocampus.recall.understand import understand

NOW = datetime(2025, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("What did I buy?", {"user"}),
        ("What did you suggest to me?", {"user", "assistant"}),
        ("Remind me: where does Ana live?", set()),
        ("I have lost track. Where does Ana live?", set()),
        ("Could you please tell me where Ana lives?", set()),
        ("Do you remember where my keys are?", {"user"}),
        ("Can you remind me what I told you?", {"user", "assistant"}),
        ("tell me about my keys", {"user"}),
        ("Where does Ana live?", set()),
    ],
)
def test_whose_turns_are_meant_is_read_from_what_asks_and_not_from_what_leads_to_it(text, meant):
    question = understand(text, now=NOW, embedded=None, rotation=None, speakers=())

    assert meant == question.roles
