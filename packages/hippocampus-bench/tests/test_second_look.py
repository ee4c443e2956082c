"""A second look finds what only a hit names, measured on a made-up encyclopaedia."""

from hippocampus import Config, Fusion, Memory, Turn
from hippocampus_bench.datasets import SourceNode
from hippocampus_bench.passages import KINDS, make_passages
from hippocampus_bench.retrieval import parse

ONCE = Config(fusion=Fusion(spreading_share=0))


def ranks(config, *, people=60, questions=6, **filters):
    """Ask a small encyclopaedia; return questions and the references of their ten best hits."""
    (case,) = parse(SourceNode(make_passages(people=people, questions=questions), "made")).cases
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


def test_what_is_lent_lifts_no_one_above_the_first_hit():
    once, twice = ranks(ONCE), ranks(Config())
    lifted = [hit for _, _, recall in twice for hit in recall if "names" in hit.shares]

    assert lifted
    assert [refs[0] for _, refs, _ in once] == [refs[0] for _, refs, _ in twice]
    assert not any("names" in hit.shares for _, _, recall in once for hit in recall)


def test_a_second_look_sees_no_more_than_the_first_may():
    for _, refs, _ in ranks(Config(), where={"ref": {"$in": ["p1", "p2", "p3"]}}):
        assert {"p1", "p2", "p3"} >= set(refs)


def test_an_encyclopaedia_asks_for_what_it_does_not_name():
    one, other = make_passages(3, people=60, questions=9), make_passages(4, people=60, questions=9)
    (case,) = parse(SourceNode(one, "made")).cases
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
