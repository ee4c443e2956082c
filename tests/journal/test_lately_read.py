"""What was read of a bank is kept until the store changes, and no longer."""

from __future__ import annotations

from hippocampus import Memory
from hippocampus.journal.lately_read import LatelyRead


def test_what_was_read_is_known_in_the_same_state_of_the_store():
    lately = LatelyRead()
    lately.keep_texts(1, 7, {3: ("tea", 1)})
    assert lately.of(1, 7).texts == {3: ("tea", 1)}
    assert lately.of(2, 7).texts == {}


def test_what_was_read_is_forgotten_once_the_store_has_changed():
    lately = LatelyRead()
    lately.keep_texts(1, 7, {3: ("tea", 1)})
    assert lately.of(1, 8).texts == {}
    lately.keep_texts(1, 8, {4: ("cake", 1)})
    assert lately.of(1, 7).texts == {}
    assert lately.of(1, 8).texts == {4: ("cake", 1)}


def test_nothing_is_kept_that_was_read_amid_a_change():
    lately = LatelyRead()
    lately.keep_texts(1, -1, {3: ("tea", 1)})
    assert lately.of(1, -1).texts == {}


def test_texts_that_are_kept_have_room_that_ends():
    lately = LatelyRead()
    for row in range(100):
        lately.keep_texts(1, 7, {row: ("x" * 10_000, 1)})
    assert lately.of(1, 7).characters <= 1 << 18
    assert 99 in lately.of(1, 7).texts
    lately.keep_texts(1, 7, {100: ("x" * 1_000_000, 1)})
    assert 100 not in lately.of(1, 7).texts


def test_a_bank_that_is_dropped_leaves_memory():
    lately = LatelyRead()
    lately.keep_texts(1, 7, {3: ("tea", 1)})
    assert lately.nbytes(1) == lately.nbytes() > 0
    lately.drop(1)
    assert lately.of(1, 7).texts == {}
    assert lately.nbytes() == 0


def test_what_is_forgotten_erased_or_corrected_is_read_anew(tmp_path):
    with Memory(tmp_path / "m.db", embedder="none") as memory:
        bank = memory.bank("b")
        kept = [bank.remember(f"Ada keeps the {what} key in the shed.") for what in ("red", "blue")]
        assert {hit.episode.id for hit in bank.recall("Where is the key?").hits} == {
            one.id for one in kept
        }
        bank.forget(kept[0].id)
        assert [hit.episode.id for hit in bank.recall("Where is the key?").hits] == [kept[1].id]
        bank.restore(kept[0].id)
        bank.forget(kept[1].id, erase=True)
        assert [hit.episode.id for hit in bank.recall("Where is the key?").hits] == [kept[0].id]
        new = bank.correct(kept[0].id, "Ada keeps the red key in the hall.")
        hits = bank.recall("Where is the key?").hits
        assert [hit.episode.text for hit in hits] == [new.text]


def test_another_process_is_heeded(tmp_path):
    path = tmp_path / "m.db"
    with Memory(path, embedder="none") as one, Memory(path, embedder="none") as other:
        kept = one.bank("b").remember("Ada keeps the red key in the shed.")
        assert len(one.bank("b").recall("Where is the key?").hits) == 1
        other.bank("b").forget(kept.id, erase=True)
        assert one.bank("b").recall("Where is the key?").hits == ()


def test_what_was_written_comes_back_as_it_is_read(tmp_path):
    with Memory(tmp_path / "m.db", embedder="none") as memory:
        bank = memory.bank("b")
        kept = bank.remember_many(
            [
                {"text": "We met on 3 May 2023.", "speaker": "Ada", "metadata": {"a": [1]}},
                {"text": "And again two days later, in Lund.", "session": "s", "role": "user"},
                {"text": "word " * 3000, "source": "notes.md"},
            ]
        )
        assert [bank.get(one.id) for one in kept] == kept
        assert kept[0].times
