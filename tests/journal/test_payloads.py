"""Payloads become the same blocks however their rows came, and a batch makes none of them twice."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippocampus import Config, Ingest, Memory, Signatures, Turn
from hippocampus.journal.payloads import DERIVED

SEAL = 4
CONFIG = Config(ingest=Ingest(seal_rows=SEAL), signatures=Signatures())
TURNS = [Turn(text=f"On {day} May we met Ada for the {day}th time.") for day in range(1, 16)]
SIZES = st.lists(st.integers(1, 9), max_size=6)


def parted(sizes):
    """The turns in batches of these sizes, and the rest of them at once."""
    left = list(TURNS)
    for size in sizes:
        yield left[:size]
        del left[:size]
    yield left


def kept(bank, kind):
    """The blocks of a kind and what is in its tail, as they are stored."""
    payloads, number = bank.engine.store.payloads, bank.engine.store.banks.number("main")
    with bank.engine.store.read():
        spans = payloads.block_spans(number, kind)
        blocks = [payloads.block(number, kind, first) for first, _ in spans]
        return blocks, payloads.tail(number, kind)


def stored(batches):
    with Memory(":memory:", embedder="hash", config=CONFIG) as memory:
        for batch in batches:
            memory.bank("main").remember_many(batch)
        return {kind: kept(memory, kind) for kind in ("content", *DERIVED)}


@pytest.fixture(scope="module")
def one_by_one():
    return stored([turn] for turn in TURNS)


@pytest.mark.slow
@given(SIZES)
@settings(max_examples=20)
def test_blocks_and_the_tail_are_the_same_whatever_comes_together(one_by_one, sizes):
    assert stored(batch for batch in parted(sizes) if batch) == one_by_one


def test_all_full_runs_of_rows_are_in_blocks_and_no_row_is_in_the_tail_as_well(one_by_one):
    for kind in ("content", "lexical", "signature", "vector"):
        blocks, tail = one_by_one[kind]
        assert [(block.first, block.count) for block in blocks] == [(0, 4), (4, 4), (8, 4)]
        assert [row for row, _ in tail] == [12, 13, 14]
