"""Names in topics and anchors: names are no nouns, and words of grammar are neither."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from hippocampus import Memory
from hippocampus.encode.languages import light_foreign_words
from hippocampus.testing import HashEmbedder

TOLD = (
    "We took in a cat called Biscuit. He is three.",
    "Biscuit hid behind the sofa all day.",
    "Baked bread, and a rosemary focaccia.",
    "At work the project called Falcon began. Falcon is about invoices.",
    "The deadline for Falcon is in June, and Biscuit caught a mouse.",
    "Bread with cheese and soup. Biscuit wanted the cheese.",
    "The Falcon demo went well. Bought cheese and bread for the team.",
    "Saw two herons and a kestrel. The herons nest by the weir.",
    "A kestrel hovered over the weir. More herons.",
)
GERMAN = (
    "Gestern war ich mit dem Hund im Wald, und dann hat es im Juli so sehr geregnet.",
    "Sie hat mir gesagt, dass sie im Juli nicht mehr mit uns in den Wald geht.",
    "Der Hund ist alt, aber er will immer noch mit in den Wald, und das ist gut so.",
)


@pytest.fixture
def bank():
    with Memory(":memory:", embedder=HashEmbedder()) as memory:
        yield memory.bank("lena")


def tell(bank, texts):
    at = datetime(2025, 3, 1, 9).astimezone()
    for place, text in enumerate(texts):
        bank.remember(text, at=at + timedelta(days=place), speaker="Lena", role="user")
    bank.sleep()


def above(bank):
    return {topic.name: set(topic.parents) for topic in bank.topics()}


@pytest.mark.slow
def test_what_is_called_by_a_word_does_not_lie_under_the_topics_of_that_word(bank):
    tell(bank, TOLD * 3)
    topics = above(bank)
    assert not topics["biscuit"] & {"food", "bread", "baked_good", "cake"}
    assert not topics["falcon"] & {"animal", "bird"}


def test_words_of_grammar_of_no_language_are_anchors_or_topics(bank):
    tell(bank, GERMAN * 4 + TOLD)
    names = {anchor.name for anchor in bank.anchors()} | above(bank).keys()
    english = {"am", "so", "will", "hat", "war"}
    assert not names & (light_foreign_words() - {"mouse"}), names & light_foreign_words()
    assert not names & english
    assert "wald" in names


def test_roles_and_shouted_verbs_are_no_anchors(bank):
    tell(bank, ("We MOVED at last.", "The assistant helped.", "The assistant sang.", "It is DONE."))
    assert not {"moved", "done", "assistant"} & {anchor.name for anchor in bank.anchors()}
