"""What only a hit names is found by a second look, and nothing else moves for it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus import Config, Fusion, Memory, Turn
from hippocampus.core.records import Payloads
from hippocampus.encode.terms import hash_terms
from hippocampus.evaluation.datasets import Node
from hippocampus.evaluation.passages import KINDS, make_passages
from hippocampus.evaluation.retrieval import parse
from hippocampus.index.bm25 import LexicalCue, pack_terms
from hippocampus.recall.spreading_activation import _names

ONCE = Config(fusion=Fusion(lent=0))


def ranks(config, *, people=60, questions=6, **filters):
    """Ask a small encyclopaedia; return questions and the references of their ten best hits."""
    (case,) = parse(Node(make_passages(people=people, questions=questions), "made")).cases
    asked = []
    with Memory(":memory:", embedder="hash", config=config) as memory:
        bank = memory.bank("a")
        bank.remember_many(
            Turn(text=s.turn.text, at=s.turn.at, metadata={"ref": s.key}) for s in case.said
        )
        for question in case.questions:
            recall = bank.recall(question.text, k=10, now=question.now, **filters)
            asked.append((question, [hit.episode.metadata["ref"] for hit in recall], recall))
    return asked


def found(asked, *kinds, k=5):
    shares = [len(q.gold & set(refs[:k])) / len(q.gold) for q, refs, _ in asked if q.kind in kinds]
    return sum(shares) / len(shares)


def test_a_second_look_finds_what_only_the_first_hit_names():
    once, twice = ranks(ONCE), ranks(Config())

    assert found(twice, "bridge", "chain", "both") > found(once, "bridge", "chain", "both") + 0.08
    assert found(twice, "single", "comparison") == found(once, "single", "comparison") == 1


def test_what_is_lent_is_said_and_lifts_no_one_above_the_first_hit():
    once, twice = ranks(ONCE), ranks(Config())
    lifted = [hit for _, _, recall in twice for hit in recall if "names" in hit.shares]

    assert lifted
    assert [refs[0] for _, refs, _ in once] == [refs[0] for _, refs, _ in twice]
    assert not any("names" in hit.shares for _, _, recall in once for hit in recall)


def test_a_second_look_sees_no_more_than_the_first_may():
    for _, refs, _ in ranks(Config(), where={"ref": {"$in": ["p1", "p2", "p3"]}}):
        assert {"p1", "p2", "p3"} >= set(refs)


def test_in_a_bank_of_one_there_is_no_one_to_lend_to():
    with Memory(":memory:", embedder="hash") as memory:
        memory.bank("a").remember("Silent Harbour was made by Ana Silva.")

        assert len(memory.bank("a").recall("Who made Silent Harbour?")) == 1


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("We met Ana Silva and then Ana in Porto.", ["ana silva", "ana", "porto"]),
        ("no names at all", []),
        ("", []),
    ],
)
def test_a_name_is_taken_whole(text, names):
    assert names == list(_names(text))


WORDS = st.lists(st.sampled_from("ana silva porto river film boat".split()), max_size=14)


@given(st.lists(WORDS, max_size=30), st.lists(st.sampled_from(["ana", "silva", "boat"]), min_size=1,
       max_size=3, unique=True), st.integers(1, 30), st.randoms(use_true_random=False))  # fmt: skip
def test_who_holds_and_opens_with_a_name_is_who_does_word_by_word(texts, name, most, chance):
    cue = LexicalCue()
    middle = chance.randint(0, len(texts))  # in two goes, as a bank grows
    for some in (texts[:middle], texts[middle:]):
        cue.observe(Payloads.of([pack_terms(hash_terms(" ".join(text))) for text in some]))
    allowed = np.array([chance.random() < 0.8 for _ in texts], np.bool_)
    terms = hash_terms(" ".join(name))
    rarest = min(sum(word in text for text in texts) for word in name)
    holding = [row for row, text in enumerate(texts) if allowed[row] and set(name) <= set(text)]
    rows = np.arange(len(texts), dtype=np.uint32)

    expected = holding if 1 < rarest <= most else []
    assert expected == cue.holding(terms, allowed, most).tolist()
    assert cue.opening(terms, rows).tolist() == [
        any(text[:8][at : at + len(name)] == name for at in range(8)) for text in texts
    ]


def test_an_encyclopaedia_is_the_same_for_the_same_seed_and_asks_for_what_it_does_not_name():
    one, other = make_passages(3, people=60, questions=9), make_passages(4, people=60, questions=9)
    (case,) = parse(Node(one, "made")).cases
    texts = {said.key: said.turn.text for said in case.said}

    assert one == make_passages(3, people=60, questions=9) != other
    assert dict.fromkeys(KINDS, 9) == {
        kind: sum(q.kind == kind for q in case.questions) for kind in KINDS
    }
    for question in case.questions:
        named = [ref for ref in question.gold if opens(texts[ref]) in question.text]
        unnamed = {"bridge": 1, "chain": 2, "both": 2}.get(question.kind, 0)
        assert len(named) >= 1
        assert len(question.gold) - len(named) <= unnamed


def opens(text):
    """Return the first two words of a passage, which are its name or its beginning."""
    return " ".join(text.replace(",", "").split()[:2])
