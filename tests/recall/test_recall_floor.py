"""How well recall finds what people told, on conversations written by hand: never below a floor."""

import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from hippocampus import Memory, Turn
from hippocampus.testing import HashEmbedder

DATA = Path(__file__).parents[1] / "data" / "conversations.json"
"""Six conversations of 2025, 237 turns, and 62 questions with the turns that answer them."""
NOW = datetime(2025, 12, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def asked():
    """Return (question, ranks of its evidence among the hits, confidence that there is any)."""
    data = json.loads(DATA.read_text("utf-8"))
    turns = [
        Turn(text=text, speaker=who, at=session["at"], session=f"{talk}.{number}", source=id_)
        for talk, conversation in enumerate(data["conversations"])
        for number, session in enumerate(conversation["sessions"])
        for id_, who, text in session["turns"]
    ]
    answers = []
    with Memory(":memory:", embedder=HashEmbedder()) as memory:
        bank = memory.bank("all")
        bank.remember_many(turns)
        bank.sleep()
        for question in data["questions"]:
            recall = bank.recall(question["question"], k=10, now=NOW)
            found = [hit.episode.source for hit in recall]
            ranks = [found.index(one) + 1 for one in question["evidence"] if one in found]
            answers.append((question, ranks, recall))
    return answers


def with_answer(asked):
    return [one for one in asked if one[0]["evidence"]]


def test_most_evidence_is_among_the_first_ten(asked):
    shares = [len(ranks) / len(question["evidence"]) for question, ranks, _ in with_answer(asked)]

    assert np.mean(shares) >= 0.75  # 0.779 when it was written


def test_the_first_evidence_stands_high(asked):
    reciprocal = [1 / min(ranks, default=np.inf) for _, ranks, _ in with_answer(asked)]

    assert np.mean(reciprocal) >= 0.56  # 0.596


def test_what_has_no_answer_is_told_from_what_has_one(asked):
    sure = np.array([recall.confidence for _, _, recall in asked])
    has = np.array([bool(question["evidence"]) for question, _, _ in asked])
    above = sure[has][:, None] - sure[~has][None, :]

    assert np.mean((above > 0) + 0.5 * (above == 0)) >= 0.87  # 0.902, an AUROC
