"""A store that notes where an embedder's tokens stand says which span of a hit matches."""

import dataclasses

import numpy as np
import pytest

from hippocampus import Config, Fusion, Memory, Secrets
from hippocampus.core.records import Payloads
from hippocampus.engine.context import SPANS
from hippocampus.index.bank_index import read_payloads
from hippocampus.index.token_spans import TokenSpans
from hippocampus.upkeep import reindex, verify

SPANS_ON = Config(spans=True)
FILLER = "The week went by, and nothing happened that anybody would speak of later. "
ABOUT = "Biscuit sleeps on the violin case."


def long_text(place):
    return FILLER * place + ABOUT + " " + FILLER * (6 - place)


def noted(memory, name="ada"):
    ledger = memory.engine.ledger(name)
    stop = memory.engine.store.episodes.count(ledger.bank)
    parts = read_payloads(memory.engine.store, ledger.bank, "spans", 0, stop)
    return [bool(payload) for part in parts for payload in part]


@pytest.mark.parametrize("place", [0, 3, 6])
@pytest.mark.parametrize("speaker", [None, "Ada Lovelace"])
def test_a_hit_says_which_characters_match_best(open_memory, place, speaker):
    memory = open_memory(config=SPANS_ON)
    bank = memory.bank("ada")
    bank.remember(long_text(place), speaker=speaker)
    (hit,) = bank.recall("violin case of Biscuit").hits

    start, end = hit.span
    assert "violin case" in hit.text[start:end]
    assert end - start < len(hit.text) / 3
    assert verify(memory).sound


def test_without_the_switch_no_span_is_stored_or_told(open_memory):
    memory = open_memory()
    bank = memory.bank("ada")
    bank.remember(long_text(3))

    assert "spans" not in bank.stats().stored_bytes
    assert memory.engine.store.settings.get(SPANS) is None
    assert bank.recall("violin case").hits[0].span is None


def test_whoever_opens_such_a_store_goes_on_noting_them(open_memory):
    open_memory(config=SPANS_ON).bank("ada").remember(long_text(3))
    memory = open_memory()
    bank = memory.bank("ada")
    bank.remember("Biscuit plays a violin.")

    assert noted(memory) == [True, True]
    assert all(hit.span for hit in bank.recall("violin").hits)


def test_a_rebuild_notes_them_of_what_is_there_or_drops_them(open_memory):
    with open_memory() as memory:
        memory.bank("ada").remember(long_text(3))
    with open_memory(config=SPANS_ON) as memory:
        assert memory.bank("ada").recall("violin").hits[0].span is None
        reindex(memory)
        assert memory.bank("ada").recall("violin").hits[0].span
    with open_memory(config=Config(spans=False)) as memory:
        reindex(memory)
        assert noted(memory) == [False]
    assert open_memory().bank("ada").recall("violin").hits[0].span is None


def test_what_is_embedded_later_notes_them_then(open_memory):
    with open_memory(embedder="none", config=SPANS_ON) as memory:
        memory.bank("ada").remember(long_text(3))
        assert memory.bank("ada").recall("violin").hits[0].span is None
    memory = open_memory()
    memory.bank("ada").sleep(steps=["vectors"])

    assert noted(memory) == [True]
    assert memory.bank("ada").recall("violin").hits[0].span


def test_erasing_takes_them_along(open_memory):
    memory = open_memory(config=SPANS_ON)
    bank = memory.bank("ada")
    gone = bank.remember(long_text(3))
    bank.remember("Biscuit plays a violin.")
    bank.forget(gone.id, erase=True)

    assert noted(memory) == [False, True]


def test_a_text_whose_secrets_are_hidden_says_no_span_in_a_context(open_memory):
    hiding = dataclasses.replace(SPANS_ON, secrets=Secrets(show="redact"))
    bank = open_memory(config=hiding).bank("ada")
    bank.remember("The card for the violin case is 4111 1111 1111 1111, of Biscuit's owner.")
    bank.remember("Biscuit plays a violin.")
    spans = {hit.text[:3]: hit.span for hit in bank.context("violin case of Biscuit").items}

    assert spans["The"] is None
    assert spans["Bis"]


def test_what_one_span_says_whole_counts_more_than_words_far_apart():
    def first(fusion):
        with Memory(":memory:", embedder="hash", config=Config(spans=True, fusion=fusion)) as one:
            bank = one.bank("ada")
            scattered = bank.remember(f"Biscuit. {FILLER * 3} A violin. {FILLER * 3} A case.")
            together = bank.remember(f"{FILLER * 6} Biscuit, a violin, a case. {FILLER}")
            hits = {hit.id: hit for hit in bank.recall("Biscuit violin case", cues=["tokens"]).hits}
            return [hits[one.id].lag for one in (scattered, together)]

    whole, span = first(Fusion()), first(Fusion(span=1.0))
    assert span[1] == 0 < span[0]
    assert span[0] - span[1] > whole[0] - whole[1]


def test_stretches_are_those_of_each_row_by_itself():
    rng = np.random.default_rng(0)
    rows = [bytes([int(rng.integers(0, 3)), *rng.integers(0, 4, 40).tolist()]) for _ in range(30)]
    rows[7] = b""
    spans = TokenSpans()
    spans.observe(Payloads.of(rows))
    found = spans.stretches(np.arange(30, dtype=np.uint32), 8)

    expected = []
    for row, payload in enumerate(rows):
        places = (np.cumsum(list(payload[1:])) if payload else np.empty(0, int)) // 8
        for number in np.unique(places):
            inside = np.flatnonzero(places == number) + payload[0]
            expected.append((row, int(number), int(inside[0]), int(inside[-1]) + 1))
    assert expected == list(zip(*(column.tolist() for column in found), strict=True))
