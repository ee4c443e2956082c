"""The token stream: texts sealed into segments, read back, erased; old stores, other processes."""

import gzip
import random
import sqlite3
import struct
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus import Config, Ingest, Memory, Turn
from hippocampus.core.records import Block
from hippocampus.encode.token_matcher import TokenPattern
from hippocampus.encode.tokens import decode, encode, pack
from hippocampus.errors import StoreCorrupt
from hippocampus.journal.content import Content, Segment, Segments
from hippocampus.journal.ledger import Ledger
from hippocampus.journal.payloads import DERIVED
from hippocampus.kernel import WaveletMatrix
from hippocampus.store import open_store
from hippocampus.upkeep import reindex, verify

SAMPLES = Path(__file__).parent.parent / "store" / "samples"
SMALL = Config(ingest=Ingest(seal_rows=4))
TEXTS = ["The boat leaves at nine.", "", "Nine? 💥", "nul \0 \r\n", "From the pier, she said."]


def make_segment(texts=TEXTS, first=7):
    return Segment.of(first, [np.array(encode(text), np.uint64) for text in texts])


def version_1(segment):
    """The block of version 1 that holds what a segment holds: lengths of four bytes, no codes."""
    ids = segment.matrix.span(0, len(segment.matrix))
    lengths = np.diff(segment.ends).astype("<u4").tobytes()
    matrix = WaveletMatrix.build(ids, 18).to_bytes()
    return Block(segment.first, len(segment), b"HipC\1\0\1\0" + lengths + matrix)


def read(segment, rows):
    return [decode(ids.tolist()) for ids in segment.ids(rows)]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30)), st.data())
def test_a_segment_gives_every_text_back_by_any_rows(texts, data):
    segment = Segment.load(make_segment(texts).to_block(), path="p")
    rows = sorted(data.draw(st.sets(st.integers(7, 6 + len(texts))))) if texts else []

    assert len(segment) == len(texts)
    assert [texts[row - 7] for row in rows] == (read(segment, rows) if rows else [])


@given(st.lists(st.integers(0, 300) | st.integers(0, 40_000), max_size=20))
def test_a_segment_knows_the_lengths_of_its_rows_whatever_they_are(lengths):
    ids = [np.arange(length, dtype=np.uint64) % 50 for length in lengths]
    segment = Segment.load(Segment.of(3, ids).to_block(), path="p")

    assert lengths == np.diff(segment.ends).tolist()
    assert all(map(np.array_equal, ids, segment.ids(range(3, 3 + len(ids)))))


def test_a_segment_of_version_1_is_written_as_one_of_version_2_once_read():
    old = Segment.load(version_1(make_segment()), path="p")

    assert read(old, range(7, 12)) == TEXTS
    assert make_segment().to_block() == old.to_block()
    assert [7] == old.candidates([TokenPattern("boat leaves")], np.ones(5, bool))[0].tolist()


@pytest.mark.parametrize("written", [Segment.to_block, version_1])
def test_a_segment_with_any_byte_altered_is_refused(written):
    block = written(make_segment())
    for place in range(len(block.payload)):
        payload = bytearray(block.payload)
        payload[place] ^= 1 << place % 8
        with pytest.raises(StoreCorrupt, match="texts of rows 7 to 11"):
            Segment.load(Block(block.first, block.count, bytes(payload)), path="p")


@pytest.mark.parametrize("written", [Segment.to_block, version_1])
@pytest.mark.parametrize("length", [0, 7, 8, 12, 20, 60, -8, -1])
def test_a_segment_that_was_cut_is_refused(written, length):
    block = written(make_segment())
    with pytest.raises(StoreCorrupt):
        Segment.load(Block(block.first, block.count, block.payload[:length]), path="p")


def test_lengths_that_no_text_has_are_refused():
    payload = b"HipC\2\0\1\0" + b"\xff" * 4 + b"\1" + bytes(4)
    with pytest.raises(StoreCorrupt, match="cannot hold the lengths of 5 texts"):
        Segment.load(Block(7, 5, payload), path="p")


def test_ids_of_a_vocabulary_we_do_not_have_are_refused_with_the_fix():
    block = make_segment().to_block()
    payload = block.payload[:6] + b"\x09\x00" + block.payload[8:]
    with pytest.raises(StoreCorrupt, match=r"vocabulary 9.*upgrade"):
        Segment.load(Block(block.first, block.count, payload), path="p")


def test_beyond_its_limit_the_cache_drops_the_segment_that_was_read_longest_ago():
    some = make_segment()
    kept = Segments(limit=2 * some.nbytes)
    for first in (0, 1, 2):
        kept.keep(1, first, b"mark", some)
        kept.get(1, 0, b"mark")

    assert kept.get(1, 0, b"mark") is some
    assert kept.get(1, 1, b"mark") is None
    assert kept.get(1, 2, b"mark") is some
    assert kept.get(1, 2, b"another") is None
    assert kept.get(2, 2, b"mark") is None


def test_texts_are_in_the_file_only_as_a_matrix(open_memory):
    memory = open_memory(config=SMALL)
    said = ["the heron waits beside the quiet weir at dusk", *[f"remark {n}" for n in range(7)]]
    memory.bank("ada").remember_many([Turn(text=text, at="2025-03-02") for text in said])
    memory.engine.store.upkeep.scrub()
    raw = b"".join(file.read_bytes() for file in memory.engine.store.upkeep.files())

    assert said == [e.text for e in memory.bank("ada").episodes()]
    for words in (said[0], " heron waits beside"):
        assert words.encode() not in raw
        assert words.encode("utf-16-le") not in raw
        assert pack(encode(words)) not in raw


def test_an_erased_text_leaves_nothing_of_its_segment_behind(open_memory):
    memory = open_memory(config=SMALL)
    bank = memory.bank("ada")
    chance = random.Random(0)  # noqa: S311
    texts = [" ".join(str(chance.random()) for _ in range(9)) for _ in range(4)]
    kept = bank.remember_many([Turn(text=text, at="2025-03-02") for text in texts])
    ledger = memory.engine.ledger("ada")
    before = memory.engine.store.payloads.block(ledger.bank, "content", 0).payload
    pieces = [before[at : at + 32] for at in range(24, len(before), 32)]
    distinct = [piece for piece in pieces if len(set(piece)) > 8]
    assert len(distinct) > 20
    bank.forget(kept[2].id, erase=True)
    raw = b"".join(file.read_bytes() for file in memory.engine.store.upkeep.files())

    assert not [piece for piece in distinct if piece in raw]
    assert [texts[n] for n in (0, 1, 3)] == [e.text for e in bank.episodes()]
    assert verify(memory, residue=texts[2][:20]).sound
    assert [5] == [place.offset for place in verify(memory, residue=texts[1][5:25]).residue]


def test_what_another_process_erased_is_not_read_from_what_was_kept(open_memory):
    memory, other = open_memory(config=SMALL), open_memory(config=SMALL)
    kept = memory.bank("ada").remember_many(
        [Turn(text=f"number {n}", at="2025-03-02") for n in range(4)]
    )
    assert "number 2" == memory.bank("ada").get(kept[2].id).text
    other.bank("ada").forget(kept[2].id, erase=True)

    assert {0, 1, 3} == set(memory.engine.ledger("ada").reader.texts(range(4)))
    assert "number 3" == memory.bank("ada").get(kept[3].id).text


def held(memory, words):
    """Say whether any segment in memory has some words."""
    segments = memory.engine.segments
    kept = [s for _, s in segments._kept.values()]
    kept += [s for unsealed in segments._unsealed.values() for s in unsealed.segments]
    every = [read(s, range(s.first, s.first + len(s))) for s in kept]
    return any(words in text for texts in every for text in texts)


@pytest.mark.parametrize("how", ["erase", "delete"])
@pytest.mark.parametrize("another", [False, True])
@pytest.mark.parametrize("seal_rows", [4, 100])
def test_what_is_erased_leaves_memory_too(open_memory, how, another, seal_rows):
    config = Config(ingest=Ingest(seal_rows=seal_rows))
    memory = open_memory(config=config)
    other = open_memory(config=config) if another else memory
    bank = memory.bank("ada")
    kept = bank.remember_many([Turn(text=f"number {n}", at="2025-03-02") for n in range(4)])
    assert "number 2" == bank.get(kept[2].id).text
    assert 4 == bank.count("number")
    assert held(memory, "number 2")
    if how == "erase":
        other.bank("ada").forget(kept[2].id, erase=True)
    else:
        other.delete_bank("ada")
    if another:
        bank.recall("number")  # which is when this process notices

    assert not held(memory, "number 2")


WORDS = ["heron", "weir", "dusk", "Heron", "boat"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_counts_follow_every_kind_of_change_from_either_process(open_memory, seed):
    config = Config(ingest=Ingest(seal_rows=40))
    chance = random.Random(seed)  # noqa: S311
    memories = [open_memory(config=config) for _ in range(2)]
    banks = [memory.bank("ada") for memory in memories]
    for step in range(45):
        bank, said = chance.choice(banks), " ".join(chance.choices(WORDS, k=4))
        shown = bank.episodes()
        what = chance.random()
        if what < 0.6 or not shown:
            bank.remember(f"{said} {step}", at="2025-03-02")
        elif what < 0.7:
            bank.correct(chance.choice(shown).id, f"{said} {step}")
        elif what < 0.8:
            bank.forget(chance.choice(shown).id)
        elif what < 0.85:
            bank.compact()
        elif what < 0.95:
            bank.forget(chance.choice(shown).id, erase=True)
        else:
            reindex(chance.choice(memories))
        reader, texts = chance.choice(banks), [e.text for e in bank.episodes()]
        assert sum(text.lower().split().count("heron") for text in texts) == reader.count("heron")
        assert sum("quiet" in text for text in texts) == reader.count("quiet")


def test_rows_that_came_since_are_put_to_those_that_were_not_sealed(open_memory):
    memory = open_memory()
    bank, segments = memory.bank("ada"), memory.engine.segments
    bank.remember_many([Turn(text=f"heron {n}", at="2025-03-02") for n in range(20)])
    assert 20 == bank.count("heron")
    first = segments.unsealed(1)
    bank.remember("one more heron", at="2025-03-02")
    assert 21 == bank.count("heron")

    assert first.segments[0] is segments.unsealed(1).segments[0]
    assert [20, 1] == [len(s) for s in segments.unsealed(1).segments]
    bank.remember_many([Turn(text=f"heron, {n}", at="2025-03-02") for n in range(9)])
    assert 30 == bank.count("heron")
    assert [30] == [len(s) for s in segments.unsealed(1).segments]


def test_what_a_change_that_was_taken_back_had_added_is_not_counted(open_memory):
    memory = open_memory()
    bank = memory.bank("ada")
    bank.remember("a heron", at="2025-03-02")
    bank.count("heron")
    store, pattern = memory.engine.store, TokenPattern("heron")
    ledger = memory.engine.ledger("ada")

    def change():
        with store.write():
            store.payloads.put(ledger.bank, "content", [(1, pack(encode("another heron")))])
            assert {0: 1, 1: 1} == ledger.reader.content.count(pattern, np.ones(2, np.bool_))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        change()
    assert {0: 1} == ledger.reader.content.count(pattern, np.ones(2, np.bool_))
    assert 1 == bank.count("heron")


def test_a_store_of_the_first_format_is_sealed_by_the_first_write_after_reading(tmp_path):
    path = tmp_path / "old.db"
    path.write_bytes(gzip.decompress((SAMPLES / "format-1.db.gz").read_bytes()))
    with Memory(path, embedder="none", config=SMALL) as memory:
        bank = memory.bank("ada")
        texts = ["The boat leaves at nine.", "Nine? 💥", "From the pier, not the station."]
        texts += ["nul \0 \r\n", "Bring both tickets.", "Fine."]
        assert texts == [e.text for e in bank.episodes()]
        number = memory.engine.ledger("ada").bank
        assert [] == memory.engine.store.payloads.block_spans(number, "content")
        bank.remember("And the last boat?", at="2025-03-03")

        assert [(0, 4), (4, 4)] == memory.engine.store.payloads.block_spans(number, "content")
        assert [*texts, "And the last boat?"] == [e.text for e in bank.episodes()]
        assert verify(memory).sound


def test_a_long_tail_is_read_once_to_be_sealed(open_memory, path, clock):
    with open_memory() as memory:
        turns = [Turn(text=f"number {n}", at="2025-03-02") for n in range(19)]
        memory.bank("ada").remember_many(turns)
        number = memory.engine.ledger("ada").bank
    asked = []
    with closing(open_store(path, busy_timeout_s=5, tracer=asked.append)) as store:
        ledger = Ledger(
            store, number, name="ada", salt=bytes(16), limits=SMALL.ingest, now=clock.now,
            segments=Segments(),
        )  # fmt: skip
        with store.write():
            ledger.payloads.seal()
        reads = sum("FROM tail" in line and line.startswith("SELECT") for line in asked)

        assert reads <= 1 + len(DERIVED)  # one for each kind
        assert [(n, 4) for n in range(0, 16, 4)] == store.payloads.block_spans(number, "content")
        assert [16, 17, 18] == [row for row, _ in store.payloads.tail(number, "content")]
        assert [turn.text for turn in turns] == list(ledger.reader.texts(range(19)).values())


def test_free_pages_that_are_not_blank_are_reported_until_scrubbed(open_memory, path):
    memory = open_memory(config=SMALL)
    memory.bank("ada").remember("hello", at="2025-03-02")
    assert verify(memory, residue="not here").sound
    with sqlite3.connect(path) as careless:  # another tool, which does not zero what it removes
        careless.execute("PRAGMA secure_delete = OFF")
        careless.execute("CREATE TABLE x AS SELECT hex(randomblob(90000)) AS y")
        careless.execute("DROP TABLE x")
    careless.close()

    assert any("free pages" in problem for problem in verify(memory, residue="not here").problems)
    memory.engine.store.upkeep.scrub()
    assert verify(memory, residue="not here").sound


@pytest.mark.parametrize("step", ["first, count, checksum", "count, payload, checksum"])
def test_texts_are_those_of_one_moment_though_another_process_removes_them(open_memory, path, step):
    other = open_memory(config=SMALL)
    other.bank("ada").remember_many([Turn(text=f"number {n}", at="2025-03-02") for n in range(4)])
    number, removed = other.engine.ledger("ada").bank, []

    def interrupt(statement):
        if "FROM blocks" in statement and step in statement and not removed:
            removed.append(statement)
            with other.engine.store.write():
                other.engine.store.banks.drop(number)

    with closing(open_store(path, busy_timeout_s=5, tracer=interrupt)) as store:
        content = Content(store, number, Segments())
        texts = content.texts(range(4))

        assert removed
        before = {n: (f"number {n}", len(encode(f"number {n}"))) for n in range(4)}
        assert texts in (before, {}), "all of the moment before, or nothing of the one after"
        assert {} == content.texts(range(4))


def test_rows_that_are_asked_for_twice_give_their_own_texts(open_memory):
    bank = open_memory(config=SMALL).bank("ada")
    turns = [Turn(text=f"number {n}", at="2025-03-02") for n in range(4)]
    bank.remember_many(turns)

    for asked in ([0, 0, 1, 3], [3, 0, 0], [2, 2], [1, 2, 2]):
        again = bank.remember_many([turns[n] for n in asked])
        assert [f"number {n}" for n in asked] == [e.text for e in again]


def test_a_search_for_residue_says_which_texts_it_could_not_read(open_memory, path):
    memory = open_memory(config=SMALL)
    for name in ("ada", "bob"):
        memory.bank(name).remember_many(
            [Turn(text=f"number {n}", at="2025-03-02") for n in range(4)]
        )
    number = memory.engine.ledger("ada").bank
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            "UPDATE blocks SET checksum = x'00' WHERE kind = 'content' AND bank = ?", (number,)
        )
    found = verify(memory, residue="Number 3")

    assert any("'ada'" in problem and "damaged" in problem for problem in found.problems)
    assert ["bank 'bob'"] == [place.where.partition(",")[0] for place in found.residue]


@pytest.mark.parametrize("trunk", ["itself", "beyond the end", "in use"])
def test_a_list_of_free_pages_that_is_none_is_reported(open_memory, path, trunk):
    memory = open_memory(config=SMALL)
    memory.bank("ada").remember("hello", at="2025-03-02")
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA secure_delete = ON")
        db.execute("CREATE TABLE x AS SELECT hex(randomblob(90000)) AS y")
        db.execute("DROP TABLE x")
        (size,) = db.execute("PRAGMA page_size").fetchone()
    assert verify(memory, residue="not here").sound
    with path.open("r+b") as raw:
        raw.seek(32)
        (first,) = struct.unpack(">I", raw.read(4))
        raw.seek((first - 1) * size if trunk == "itself" else 32)
        raw.write(
            struct.pack(">I", {"itself": first, "beyond the end": 1 << 20, "in use": 2}[trunk])
        )

    assert any("free pages" in problem for problem in memory.engine.store.upkeep.leftovers())


@pytest.mark.parametrize(
    ("payload", "says"),
    [
        (b"\1\2", "2 bytes are not ids of 3 bytes each"),
        (b"\x3e\x0d\x03", "token id 199998 is not in o200k_base"),
        (b"\xff\xff\xff", "token id 16777215 is not in o200k_base"),
        (pack([128]), "do not form valid UTF-8"),
    ],
)
def test_a_row_of_the_tail_that_is_no_text_is_named_as_damage(open_memory, payload, says):
    memory = open_memory(config=SMALL)
    bank = memory.bank("ada")
    kept = bank.remember_many([Turn(text=f"number {n}", at="2025-03-02") for n in range(3)])
    number = memory.engine.ledger("ada").bank
    with memory.engine.store.write():
        memory.engine.store.payloads.put(number, "content", [(1, payload)])

    with pytest.raises(StoreCorrupt, match=says):
        bank.get(kept[1].id)
    with pytest.warns(RuntimeWarning, match=says):
        assert ["number 0", "number 2"] == [episode.text for episode in bank.episodes()]
    found = verify(memory, residue="number 2")
    assert any("row 1" in problem and says in problem for problem in found.problems)
    assert [0] == [place.offset for place in found.residue if place.where.startswith("bank")]
    bank.remember("number 3", at="2025-03-02")
    with pytest.warns(RuntimeWarning, match=says):
        assert "number 3" in [episode.text for episode in bank.find("number")]
    assert [] == memory.engine.store.payloads.block_spans(number, "content"), "or it were lost"


def test_a_segment_of_ids_beyond_the_vocabulary_is_damage(open_memory):
    memory = open_memory(config=SMALL)
    memory.bank("ada").remember_many([Turn(text="x y", at=f"2025-03-0{n}") for n in range(1, 5)])
    number = memory.engine.ledger("ada").bank
    with memory.engine.store.write():
        block = Segment.of(0, [np.array([n, 2**18 - 1], np.uint64) for n in range(4)]).to_block()
        memory.engine.store.payloads.put_block(number, "content", block)

    with pytest.warns(RuntimeWarning, match="token id 262143 is not in o200k_base"):
        assert [] == memory.bank("ada").episodes()
    with pytest.raises(StoreCorrupt, match="token id 262143 is not in o200k_base"):
        memory.engine.ledger("ada").reader.content.check(0)
    assert any("262143" in problem for problem in verify(memory).problems)
