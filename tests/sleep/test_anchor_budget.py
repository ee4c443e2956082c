"""Within its budget, sleep keeps what tells most, and one can follow what became of each."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hippocampus import Concepts, Config, Memory, Turn
from hippocampus.index.anchors import Anchors
from hippocampus.sleep.anchor_budget import within_budget

NONE = frozenset()
SUBJECTS = ("the grey folder", "a violin", "Lisbon", "the tax report", "our rowing boat")


def rows(*several):
    return [np.array(one, np.int64) for one in several]


def test_what_names_nothing_new_gives_way_to_what_does():
    kept = within_budget(np.array([3.0, 2.9, 1.0]), rows([1, 2, 3], [1, 2, 3], [4]), 2, NONE)

    assert kept.places == [0, 2]
    assert kept.merged == {1: 0}


def test_what_no_other_names_is_merged_into_nothing():
    kept = within_budget(np.array([3.0, 1.0]), rows([1, 2], [3, 4, 2]), 1, NONE)

    assert kept.merged == {1: -1}


@given(
    st.lists(st.tuples(st.floats(0, 10), st.sets(st.integers(0, 20), max_size=6)), max_size=12),
    st.integers(1, 12),
    st.sets(st.integers(0, 11), max_size=3),
)
def test_a_budget_is_kept_by_the_best_next_choice_each_time(anchors, budget, always):
    worth = np.array([one for one, _ in anchors], np.float64)
    named = rows(*(sorted(of) for _, of in anchors))
    own = frozenset(place for place in always if place < len(anchors))
    kept = within_budget(worth, named, budget, own)

    assert own <= set(kept.places)
    assert len(kept.places) == min(len(anchors), budget + len(own))
    assert sorted([*kept.places, *kept.merged]) == list(range(len(anchors)))
    assert all(into == -1 or into in kept.places for into in kept.merged.values())
    larger = within_budget(worth, named, budget + 1, own)
    assert set(kept.places) <= set(larger.places)


def life(days=60):
    memory = Memory(":memory:", embedder="hash", config=Config(concepts=Concepts(theta=0.15)))
    bank = memory.bank("ada")
    turns = [
        Turn(
            text=f"Note {n}: something on {SUBJECTS[n % 5]}.",
            at=f"2025-01-01T{n // 60:02}:{n % 60:02}:00",
        )
        for n in range(days)
    ]
    bank.remember_many(turns)
    bank.sleep()
    return memory, bank


def test_an_anchor_tells_when_it_was_born_and_of_which_episode():
    memory, bank = life()
    with memory:
        violin = next(one for one in bank.anchors() if one.name == "violin")

        assert violin.origin is not None
        assert "violin" in bank.get(violin.origin).text
        assert violin.ended_at is None


def test_what_exceeds_the_budget_says_that_it_was_merged_or_crowded_out(tmp_path):
    path = tmp_path / "ada.db"
    how = Concepts(theta=0.15)
    with Memory(path, embedder="hash", config=Config(concepts=how)) as memory:
        bank = memory.bank("ada")
        bank.remember_many(
            [
                Turn(text=f"Note {n}: something on {SUBJECTS[n % 5]}.", at=f"2025-01-{n + 1:02}")
                for n in range(30)
            ]
        )
        bank.sleep()
        before = {one.name for one in bank.anchors()}
    with Memory(
        path, embedder="hash", config=Config(concepts=replace(how, anchor_budget=3))
    ) as memory:
        bank = memory.bank("ada")
        bank.remember("Note 31: a word on the violin.", at="2025-02-01")
        bank.sleep()
        names = {one.name for one in bank.anchors()}
        ended = {one.name: one for one in bank.anchors(pruned=True)}

        assert len(names) == 3
        assert set(ended) <= before - names
        assert {one.why for one in ended.values()} <= {"merged", "crowded out"}
        assert all(one.ended_at is not None for one in ended.values())
        assert all(one.into in names for one in ended.values() if one.why == "merged")
        merged = next(one for one in ended.values() if one.why == "merged")
        hits = bank.recall(f"the {merged.name}", k=3, cues=["concept"]).hits
        assert hits, "who is merged is heard as the one that names its episodes"
        bank.remember("Note 32: a word on the violin.", at="2025-02-02")
        bank.sleep()
        again = {one.name: one.ended_at for one in bank.anchors(pruned=True)}
        assert again == {name: one.ended_at for name, one in ended.items()}


def test_anchors_of_an_earlier_version_load_without_origins():
    memory, bank = life()
    with memory:
        with bank.state.asking() as here:
            made = here.index.cues.concept.anchors
        loaded = Anchors.load(replace(made, origins=(), merged=()).to_bytes())
        again = Anchors.load(made.to_bytes())

    assert loaded.origins == ()
    assert again.origins == made.origins
    assert again.names == made.names
