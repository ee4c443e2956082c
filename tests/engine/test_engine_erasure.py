"""What is erased is gone from every byte of every file; what is forgotten can come back."""

import json
import sqlite3
from collections import Counter

import numpy as np
import pytest

from hippocampus import Config, Ingest, Turn
from hippocampus.encode.terms import hash_terms
from hippocampus.errors import UnknownEpisode
from hippocampus.store.episodes import SqlEpisodes
from hippocampus.store.payloads import SqlPayloads
from hippocampus.upkeep import find_residue, verify

SECRET = "My passport number is QX7734190 and the safe opens with marzipan."  # noqa: S105
SMALL = Config(ingest=Ingest(seal_rows=8, batch=16))
WORDS = {
    "text": SECRET,
    "speaker": "Zebedee Quillfeather",
    "role": "confidant",
    "session": "midnight-talk-4711",
    "source": "diary/xylophone.md",
    "address": "diary/xylophone.md#chunk-3",
    "metadata": "clandestine",
}


def noise(count, start=0):
    return [
        Turn(text=f"An ordinary remark, number {n}, on gardens.", session="s", at="2025-03-02")
        for n in range(start, start + count)
    ]


def remember_secret(bank, text=SECRET):
    return bank.remember(
        text,
        at="2025-03-02",
        speaker=WORDS["speaker"],
        role=WORDS["role"],
        session=WORDS["session"],
        source=WORDS["source"],
        address=WORDS["address"],
        metadata={"kind": WORDS["metadata"], "more": {"nested": WORDS["metadata"]}},
    )


def raw(memory):
    return b"".join(file.read_bytes() for file in memory.engine.store.upkeep.files())


def assert_gone(memory, *texts):
    files = memory.engine.store.upkeep.files()
    everything = raw(memory)
    assert any(file.name.endswith("-wal") for file in files)
    for words in (*WORDS.values(), *texts):
        assert () == find_residue(files, words), words
        assert words.encode() not in everything
    assert () == verify(memory, residue=SECRET).residue
    assert verify(memory).sound


@pytest.mark.parametrize("others", [0, 3, 40])
@pytest.mark.parametrize("erase_from", ["the same memory", "another"])
def test_erased_words_are_in_no_byte_of_any_file(open_memory, others, erase_from):
    memory = open_memory(config=SMALL)
    bank = memory.bank("ada")
    bank.remember_many(noise(others))
    kept = remember_secret(bank)
    bank.remember_many(noise(others, start=others))
    for words in WORDS.values():
        assert find_residue(memory.engine.store.upkeep.files(), words), "it is there before"
    assert not verify(memory, residue=SECRET).sound
    eraser = memory if erase_from == "the same memory" else open_memory(config=SMALL)

    assert 1 == eraser.bank("ada").forget(kept.id, erase=True)
    assert_gone(memory)
    assert [turn.text for turn in noise(2 * others)] == [e.text for e in bank.episodes()]
    assert SECRET not in {hit.text for hit in bank.recall("passport safe marzipan", k=100)}
    assert WORDS["speaker"] not in bank.stats().speakers


def test_neither_the_vector_nor_the_terms_of_an_erased_episode_stay(open_memory):
    memory = open_memory(config=SMALL)
    bank = memory.bank("ada")
    kept = remember_secret(bank)
    bank.remember_many(noise(20))  # seals the block it is in
    number = memory.engine.store.banks.number("ada")
    assert memory.engine.store.payloads.block_spans(number, "vector")
    traces = [
        hash_terms("marzipan").astype("<u4").tobytes(),
        *(
            memory.engine.store.payloads.block(number, "vector", 0).payload[32 + n : 64 + n]
            for n in (0, 100)
        ),
    ]
    assert all(trace in raw(memory) for trace in traces)
    bank.forget(kept.id, erase=True)

    assert not any(trace in raw(memory) for trace in traces)


@pytest.mark.slow
def test_every_version_goes_with_the_one_that_is_erased(open_memory):
    texts = [SECRET, SECRET.replace("QX7734190", "QX9982237"), "The safe opens with nougatine now."]
    for which in range(4):
        memory = open_memory(config=SMALL)
        bank = memory.bank(f"bank {which}")
        first = remember_secret(bank)
        second = bank.correct(first.id, texts[1])
        third = bank.correct(second.id, texts[2])
        back = bank.correct(third.id, texts[0])  # the first wording is in force again
        assert first.id == back.id
        bank.remember_many(noise(20))
        chosen = [first, second, third, back][which]

        assert 3 == bank.forget(chosen.id, erase=True)
        assert_gone(memory, *texts)
        for version in (first, second, third):
            with pytest.raises(UnknownEpisode, match="erased"):
                bank.get(version.id)


def test_a_version_that_was_an_episode_of_its_own_goes_too(open_memory):
    memory = open_memory(config=SMALL)
    bank = memory.bank("ada")
    wrong = remember_secret(bank)
    right = remember_secret(bank, "The passport is in the drawer of the desk.")
    assert right.id == bank.correct(wrong.id, right.text).id

    assert 2 == bank.forget(right.id, erase=True)
    assert_gone(memory, right.text)


@pytest.mark.parametrize("which", ["the old wording", "the first part", "the last part"])
def test_all_parts_of_a_long_correction_go(open_memory, which):
    memory = open_memory(config=SMALL)
    bank = memory.bank("ada")
    bank.remember_many(noise(3))
    old = remember_secret(bank)
    story = " ".join(f"Room {n} of the vault holds {n} nougatines." for n in range(90))
    first = bank.correct(old.id, story)
    parts = bank.episodes(session=WORDS["session"])
    chosen = {"the old wording": old, "the first part": first, "the last part": parts[-1]}[which]

    assert len(parts) == first.parts > 2
    assert first.parts + 1 == bank.forget(chosen.id, erase=True)
    assert_gone(memory, *(part.text for part in parts), "nougatines")
    assert 3 == len(bank.episodes())


def test_erasing_reaches_what_an_unfinished_rebuild_has_made(open_memory):
    memory = open_memory(config=SMALL)
    bank = memory.bank("ada")
    kept = remember_secret(bank)
    bank.remember_many(noise(40))

    def stop(done, _):
        if done >= 32:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory.rebuild(progress=stop)
    bank.forget(kept.id, erase=True)
    trace = hash_terms("marzipan").astype("<u4").tobytes()
    assert trace not in raw(memory)
    assert {"ada": 40} == memory.rebuild()
    assert_gone(memory)
    assert trace not in raw(memory)


def test_what_stays_of_an_erased_episode_is_that_there_was_one(bank, clock):
    kept = remember_secret(bank)
    bank.forget(kept.id, erase=True)

    assert ["remember", "erase"] == [change.kind for change in bank.history(kept.id)]
    assert all({} == change.detail for change in bank.history(kept.id))
    assert [] == bank.episodes(as_of=clock.now())
    for verb in (bank.get, bank.restore, bank.forget, lambda i: bank.correct(i, "anything")):
        with pytest.raises(UnknownEpisode, match="erased"):
            verb(kept.id)
    assert "erased" == remember_secret(bank).state
    assert [] == bank.episodes()


def test_another_memory_forgets_what_was_erased_here(open_memory):
    here, there = open_memory(), open_memory()
    kept = remember_secret(here.bank("ada"))
    there.bank("ada").recall("passport")
    here.bank("ada").forget(kept.id, erase=True)

    assert 0 == len(there.bank("ada").recall("passport"))
    columns = there.bank("ada").state.take().index.columns  # its memory, not only its answers
    assert WORDS["speaker"] not in columns.speaker.values


def test_a_recall_notes_nothing_of_what_is_erased_while_it_is_reranked(open_memory):
    class Erasing:
        name = "erasing"

        def rerank(self, _, texts):
            bank.forget(kept.id, erase=True)
            return np.zeros(len(texts), np.float32)

    bank = open_memory(reranker=Erasing()).bank("ada")
    kept = remember_secret(bank)
    bank.recall("passport")

    assert 0 == len(bank.state.echo_filter)
    assert [] == bank.state.recalled


def test_an_export_holds_nothing_of_what_was_erased(bank, tmp_path):
    kept = remember_secret(bank)
    bank.remember_many(noise(3))
    bank.forget(kept.id, erase=True)
    bank.export(tmp_path / "out.jsonl")
    text = (tmp_path / "out.jsonl").read_text()

    assert not any(words in text for words in WORDS.values())
    assert 4 == sum("episode" in json.loads(line) for line in text.splitlines())


def integrity(path):
    copy = sqlite3.connect(path)
    try:
        return copy.execute("PRAGMA integrity_check").fetchone()[0]
    finally:
        copy.close()


def test_a_backup_made_afterwards_holds_nothing_of_it(memory, bank, tmp_path):
    kept = remember_secret(bank)
    bank.forget(kept.id, erase=True)
    memory.backup(tmp_path / "copy.db")

    assert () == find_residue([tmp_path / "copy.db"], SECRET)
    assert "ok" == integrity(tmp_path / "copy.db")


def test_what_forgetting_hides_at_once_is_brought_back_by_restoring(memory, bank):
    kept = remember_secret(bank)
    bank.remember_many(noise(3))
    for _ in range(2):
        assert 1 == bank.forget(kept.id)
        assert 0 == bank.forget(kept.id)
        assert kept.id not in {e.id for e in bank.episodes()}
        assert kept.id not in {hit.id for hit in bank.recall("passport safe marzipan", k=9)}
        assert "forgotten" == bank.get(kept.id).state
        assert 1 == bank.restore(kept.id)
        assert 0 == bank.restore(kept.id)
        assert kept == bank.get(kept.id)
        assert kept.id == bank.recall("passport safe marzipan")[0].id
    kinds = ["remember", "forget", "restore", "forget", "restore"]
    assert kinds == [change.kind for change in bank.history(kept.id)]
    assert verify(memory).sound


def test_residue_of_nothing_is_refused(memory):
    with pytest.raises(ValueError, match="residue"):
        verify(memory, residue=" ")


def strings_in(part, seen):
    """Yield every text that a part of an index holds, in whatever it is made of."""
    if isinstance(part, str):
        yield part
    elif id(part) not in seen:
        seen.add(id(part))
        inside = type(part).__module__.startswith("hippocampus.index")
        held = [*vars(part).values()] if inside and hasattr(part, "__dict__") else []
        held += [*part.keys(), *part.values()] if isinstance(part, dict) else []
        held += part if isinstance(part, list | tuple | set | frozenset) else []
        for one in held:
            yield from strings_in(one, seen)


@pytest.mark.parametrize("asked", [False, True])
def test_no_word_of_what_is_erased_stays_in_an_index_in_memory(bank, asked):
    bank.remember_many(noise(8))
    kept = remember_secret(bank)
    bank.remember_many(noise(8, start=8))
    if asked:  # what is only worked out when somebody asks
        bank.recall("garden", where={"kind": WORDS["metadata"]}, speaker=WORDS["speaker"])
    columns = bank.state.take().index.columns
    words = {WORDS[name] for name in ("speaker", "role", "session", "source", "metadata")}
    assert all(any(one in held for held in strings_in(columns, set())) for one in words)
    bank.forget(kept.id, erase=True)

    columns = bank.state.take().index.columns
    assert not [one for one in strings_in(columns, set()) if any(word in one for word in words)]


@pytest.mark.slow
@pytest.mark.parametrize("slept", [False, True])
@pytest.mark.parametrize("turns", [64, 512])
def test_an_erasure_reads_what_is_erased_however_large_its_bank(
    open_memory, monkeypatch, turns, slept
):
    bank = open_memory(config=SMALL, embedder="none").bank("ada")
    ids = [one.id for one in bank.remember_many(noise(turns))]
    if slept:
        bank.sleep()
    bank.recall("garden")
    read = Counter()
    scan, block = SqlEpisodes.scan, SqlPayloads.block

    def scanned(self, number, *, start=0):
        for episode in scan(self, number, start=start):
            read["episodes"] += 1
            yield episode

    def opened(self, number, kind, first):
        read["blocks"] += 1
        return block(self, number, kind, first)

    monkeypatch.setattr(SqlEpisodes, "scan", scanned)
    monkeypatch.setattr(SqlPayloads, "block", opened)
    for one in (ids[turns // 2], ids[0], ids[-1]):
        read.clear()
        bank.forget(one, erase=True)
        # The one that it is in of each kind, and none where sleep has read times since.
        assert read["episodes"] == 0
        assert read["blocks"] <= 6
