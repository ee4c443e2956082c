from hashlib import blake2b

import numpy as np
import pytest

from hippocampus import Memory, Turn
from hippocampus.encode.terms import stem
from hippocampus.index.bm25 import ASKING, STANDING, pack_terms
from hippocampus.journal.payloads import READ_BY_LANGUAGE
from hippocampus.sleep.artifacts import read_words_by_language
from hippocampus.upkeep import verify

GERMAN = "Die Katzen sind bei meiner Schwester, und ich habe sie nicht mehr."


@pytest.fixture
def old(tmp_path):
    """A bank as earlier versions left it: every word of it stemmed in English."""
    with Memory(tmp_path / "memory.db", embedder="none") as memory:
        bank = memory.bank("ada")
        bank.remember_many([Turn(text="I live in Porto."), Turn(text=GERMAN)])
        ledger = memory.engine.ledger("ada")
        words = [word.strip(",.").lower() for word in GERMAN.split()]
        hashes = [
            int.from_bytes(blake2b(stem(word).encode(), digest_size=4).digest(), "little")
            for word in words
        ]
        first = ledger.store.payloads.read(ledger.bank, "lexical", [0])[0]
        with ledger.store.write():
            ledger.store.payloads.put(
                ledger.bank,
                "lexical",
                [
                    (0, first.removesuffix(READ_BY_LANGUAGE)),
                    (1, pack_terms(np.array(hashes, np.uint32))),
                ],
            )
    with Memory(tmp_path / "memory.db", embedder="none") as memory:
        yield memory


def test_words_of_an_older_store_are_found_as_they_were(old):
    bank = old.bank("ada")

    assert bank.recall("Wo sind meine Katzen?", 1).hits[0].text == GERMAN
    assert "the next sleep reads them anew" in " ".join(verify(old).problems)


WISH = "I can't stand loud music, so please always keep it low."


@pytest.mark.parametrize(("text", "mark"), [(WISH, STANDING), ("Where was it?", ASKING)])
def test_a_mark_may_be_missing_only_until_a_bank_was_read_by_language(tmp_path, text, mark):
    with Memory(tmp_path / "memory.db", embedder="none") as memory:
        memory.bank("ada").remember_many([Turn(text="I live in Porto."), Turn(text=text)])
        ledger, ending = memory.engine.ledger("ada"), pack_terms(np.array([mark]))
        first, second = ledger.store.payloads.read(ledger.bank, "lexical", [0, 1]).values()
        assert second.endswith(ending)

        with ledger.store.write():
            unmarked = (1, second.removesuffix(ending))
            ledger.store.payloads.put(ledger.bank, "lexical", [unmarked])
        assert not verify(memory).sound

        with ledger.store.write():
            earlier = (0, first.removesuffix(READ_BY_LANGUAGE))
            ledger.store.payloads.put(ledger.bank, "lexical", [earlier])
        assert verify(memory).sound
        memory.bank("ada").sleep()
        assert {0: first, 1: second} == dict(
            ledger.store.payloads.read(ledger.bank, "lexical", [0, 1])
        )


def test_sleep_reads_the_words_of_an_older_store_anew_and_once(old):
    bank = old.bank("ada")
    bank.sleep()

    assert verify(old).sound
    assert bank.recall("Wo ist meine Katze?", 1).hits[0].text == GERMAN
    ledger = old.engine.ledger("ada")
    assert read_words_by_language(ledger) == 0
