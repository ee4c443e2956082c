"""Signatures without an embedder: there when configured, and only then."""

import json

import numpy as np
import pytest

from hippocampus import Config, Ingest, Signatures, Turn
from hippocampus.encode.keywords import MOST_KEYWORDS, forms
from hippocampus.encode.random_indexing import dump, load, signatures
from hippocampus.encode.tokens import encode
from hippocampus.engine.context import SIGNED
from hippocampus.errors import EncoderError, InputError, SignatureMismatch
from hippocampus.index import hamming
from hippocampus.index.bank_index import read_payloads
from hippocampus.upkeep import find_residue, reembed, reindex, verify

HOW = Signatures(bits=64)
SIGNING = Config(signatures=HOW, ingest=Ingest(seal_rows=8, batch=16))
PLAIN = Config(signatures=None, ingest=Ingest(seal_rows=8, batch=16))
TALK = [
    "I adopted a greyhound called Biscuit from the shelter.",
    "The weather was dull all week.",
    "Biscuit sleeps on the violin case.",
    "My sister plays the violin in Lisbon.",
    "Nothing much happened on Tuesday.",
]


def talk(count=5):
    return [
        Turn(text=f"{TALK[n % len(TALK)]}{' Again.' * (n // len(TALK))}", at=f"2025-03-{n + 1:02}")
        for n in range(count)
    ]


def payloads(memory, kind="signature", name="ada"):
    ledger = memory.engine.ledger(name)
    stop = memory.engine.store.episodes.count(ledger.bank)
    return [
        p for part in read_payloads(memory.engine.store, ledger.bank, kind, 0, stop) for p in part
    ]


def texts_of(recall):
    return [hit.text for hit in recall.hits]


def test_without_configuration_there_are_neither_bytes_nor_a_cue(open_memory):
    memory = open_memory(config=PLAIN)
    bank = memory.bank("ada")
    bank.remember_many(talk(20))

    assert "signature" not in bank.stats().stored_bytes
    assert bank.state.take().index.cues.signature is None
    assert memory.engine.store.settings.get(SIGNED) is None
    bank.forget(bank.episodes()[3].id, erase=True)
    bank.remember_many(talk(30))
    assert "signature" not in bank.stats().stored_bytes
    with pytest.raises(InputError, match=r"open it with Config\.signatures"):
        bank.recall("violin", cues=["signature"])


@pytest.mark.parametrize("count", [5, 20])
def test_every_episode_has_the_signatures_of_its_text_and_of_nothing_else(open_memory, count):
    memory = open_memory(config=SIGNING)
    memory.bank("ada").remember_many(talk(count))
    other = open_memory("other.db", config=SIGNING)
    for turn in reversed(talk(count)):
        other.bank("ada").remember_many([turn])

    expected = [signatures([encode(t.text)], HOW)[0].tobytes() for t in talk(count)]
    assert expected == payloads(memory)
    assert expected == payloads(other)[::-1]
    assert verify(memory).sound


@pytest.mark.parametrize("form", ["top", "planes"])
def test_memory_answers_by_signatures_alone_without_an_embedder(open_memory, form):
    how = Signatures(form=form, nonzeros=32)
    memory = open_memory(embedder="none", cues=["signature"], config=Config(signatures=how))
    bank = memory.bank("ada")
    bank.remember_many(talk())
    found = bank.recall("Where does the greyhound sleep, and whose violin is it?", k=3)

    assert {"signature"} <= set(found.hits[0].shares)
    assert {TALK[0], TALK[2], TALK[3]} == set(texts_of(found))
    assert found.found
    assert () == found.degraded
    nothing = bank.recall("helicopter", k=3)
    assert not nothing.found


def test_the_cue_takes_part_by_default_once_configured(open_memory):
    bank = open_memory(config=SIGNING).bank("ada")
    bank.remember_many(talk())

    assert "signature" in bank.recall("violin").hits[0].shares
    assert "signature" not in bank.recall("violin", cues=["lexical"]).hits[0].shares


def test_filters_hold_for_signatures_too(open_memory):
    bank = open_memory(config=SIGNING, embedder="none").bank("ada")
    kept = bank.remember_many(talk(20))
    bank.forget(kept[3].id)
    found = bank.recall("violin Lisbon", k=20, cues=["signature"], until="2025-03-10")

    assert kept[3].id not in {hit.id for hit in found.hits}
    assert {hit.id for hit in found.hits} <= {episode.id for episode in kept[:10]}


@pytest.mark.parametrize("count", [5, 40])
def test_erasing_takes_signatures_out_of_the_tail_and_of_blocks(open_memory, count):
    memory = open_memory(config=SIGNING)
    bank = memory.bank("ada")
    secret = "My passport number is QX7734190, and marzipan opens the safe."  # noqa: S105
    gone = bank.remember(secret, at="2025-01-01")
    bank.remember_many(
        [Turn(text=f"Remark {n} on gardens.", at="2025-03-02") for n in range(count)]
    )
    assert bank.recall("marzipan", cues=["signature"]).hits[0].id == gone.id
    codes = signatures([encode(secret)], HOW)[0].tobytes()
    assert any(codes in file.read_bytes() for file in memory.engine.store.upkeep.files())
    assert find_residue(memory.engine.store.upkeep.files(), secret[3:], HOW)
    bank.forget(gone.id, erase=True)

    assert not any(codes in file.read_bytes() for file in memory.engine.store.upkeep.files())
    assert () == verify(memory, residue=secret).residue
    assert verify(memory).sound
    assert b"" == payloads(memory)[0]
    assert gone.id not in {hit.id for hit in bank.recall("marzipan", cues=["signature"]).hits}


def test_a_store_refuses_other_parameters_than_its_own(open_memory):
    with open_memory(config=SIGNING) as memory:
        memory.bank("ada").remember_many(talk())
        assert HOW == load(memory.engine.store.settings.get(SIGNED))
    with open_memory(config=Config(signatures=Signatures(bits=64, radius=3))):
        pass  # how wide one looks is not how tokens were signed
    with pytest.raises(SignatureMismatch, match=r'"bits": 64.*"bits": 32') as caught:
        open_memory(config=Config(signatures=Signatures()))
    assert dump(HOW) == caught.value.stored


def test_a_store_that_was_signed_is_signed_on_without_being_told(open_memory):
    with open_memory(config=SIGNING) as memory:
        memory.bank("ada").remember_many(talk(10))
    plain = open_memory()
    bank = plain.bank("ada")
    bank.remember_many(talk(12))

    assert HOW == plain.engine.signatures()
    assert all(payloads(plain))
    assert verify(plain).sound
    found = bank.recall("violin", cues=["signature"])
    assert all("violin" in text for text in texts_of(found)[:3])
    assert "signature" in bank.recall("violin").hits[0].shares
    before = payloads(plain)
    reindex(plain)
    assert before == payloads(plain)
    assert HOW == plain.engine.stored_signatures()


def test_whoever_has_a_store_open_uses_signatures_as_soon_as_another_does(open_memory):
    early = open_memory(config=Config(ingest=SIGNING.ingest))
    bank = early.bank("ada")
    bank.remember_many(talk(3))
    assert not any(payloads(early))
    reindex(open_memory(config=SIGNING))
    bank.remember("A violin for Biscuit.", at="2025-04-01")

    assert all(payloads(early))
    assert () == bank.recall("violin", cues=["signature"]).degraded
    reindex(open_memory(config=PLAIN))
    bank.remember("A trumpet for Biscuit?", at="2025-04-02")
    assert not any(payloads(early))
    assert "signature" not in bank.recall("violin").hits[0].shares


def test_a_store_that_began_to_be_signed_while_a_text_was_encoded_has_it_signed(open_memory):
    early = open_memory()
    bank = early.bank("ada")
    bank.remember("The first.")
    other, made = open_memory(config=SIGNING), early.engine.embedder.embed

    def embed(passages):
        early.engine.embedder.embed = made
        reindex(other)
        return made(passages)

    early.engine.embedder.embed = embed
    bank.remember("The second.")
    assert all(payloads(early))
    assert 2 == len(payloads(early))


def test_moving_to_another_embedder_keeps_signatures(open_memory, path):
    with open_memory(config=SIGNING) as memory:
        memory.bank("ada").remember_many(talk(10))
        before = payloads(memory)
    reembed(path, "hash:32")
    memory = open_memory(embedder="hash:32")

    assert before == payloads(memory)
    assert HOW == memory.engine.stored_signatures()


def test_signatures_that_this_version_does_not_know_are_left_alone(open_memory):
    with open_memory(config=SIGNING) as memory:
        memory.bank("ada").remember_many(talk(3))
        before = payloads(memory)
        later = json.dumps(json.loads(dump(HOW)) | {"generator": "splitmix64/2"})
        with memory.engine.store.write():
            memory.engine.store.settings.put(SIGNED, later)
    memory = open_memory()
    reindex(memory)
    memory.bank("ada").remember("A violin for Biscuit?", at="2025-04-01")

    assert [*before, b""] == payloads(memory)
    assert later == memory.engine.store.settings.get(SIGNED)
    with pytest.raises(InputError, match="no signatures"):
        memory.bank("ada").recall("violin", cues=["signature"])


def test_a_recall_tells_how_the_balls_were_searched(open_memory, monkeypatch):
    bank = open_memory(config=SIGNING, embedder="none").bank("ada")
    bank.remember_many(talk(20))
    found = bank.recall("violin", cues=["signature"])

    spellings = sum(len(form) > 0 for form in forms("violin"))
    assert {"scan"} == set(found.cost.hamming_searches)
    assert spellings <= found.cost.hamming_searches["scan"]
    assert f"signatures: Hamming balls searched, {found.cost.hamming_searches['scan']} by scan" in (
        found.explain()
    )
    assert {} == bank.recall("violin", cues=["lexical"]).cost.hamming_searches
    assert "Hamming" not in bank.recall("violin", cues=["lexical"]).explain()
    monkeypatch.setattr(hamming, "LEAST", 1)
    for way, balls in (("scan", 0.0), ("descent", 1e9)):
        monkeypatch.setitem(hamming.CODE_NS, 8, balls)
        assert {way} == set(bank.recall("violin", cues=["signature"]).cost.hamming_searches)


def test_signatures_of_a_generator_that_is_not_known_are_refused(open_memory):
    with open_memory(config=SIGNING) as memory:
        memory.bank("ada").remember_many(talk())
        later = json.dumps(json.loads(dump(HOW)) | {"generator": "splitmix64/2"})
        with memory.engine.store.write():
            memory.engine.store.settings.put(SIGNED, later)
    assert load(later) is None
    with pytest.raises(SignatureMismatch, match="splitmix64/2"):
        open_memory(config=SIGNING)


def test_what_was_written_without_signatures_is_named_until_a_reindex_makes_them(open_memory):
    with open_memory(config=PLAIN) as memory:
        memory.bank("ada").remember_many(talk(10))
    memory = open_memory(config=SIGNING)
    bank = memory.bank("ada")
    bank.remember("A violin for Biscuit.", at="2025-04-01")

    found = bank.recall("violin", cues=["signature"])
    (missing,) = found.degraded
    assert ("signatures", True) == (missing.part, "10 of 11 episodes have none" in missing.reason)
    assert {"ada": 11} == reindex(memory)
    again = bank.recall("violin", cues=["signature"])
    assert () == again.degraded
    assert 1 + 4 == sum("violin" in text for text in texts_of(again))
    assert verify(memory).sound


def test_a_reindex_without_signatures_makes_way_for_other_parameters(open_memory):
    with open_memory(config=SIGNING) as memory:
        memory.bank("ada").remember_many(talk(10))
        before = payloads(memory)
        reindex(memory, bank="ada")
        assert before == payloads(memory)
    with open_memory(config=PLAIN) as memory:
        reindex(memory, bank="ada")
        assert before == payloads(memory), "of one bank alone nothing is decided for all"
        reindex(memory)
        assert [b""] * 10 == payloads(memory)
        assert memory.engine.store.settings.get(SIGNED) is None
    other = Signatures(form="top", bits=16, window=1)
    with open_memory(config=Config(signatures=other)) as memory:
        reindex(memory)
        assert signatures([encode(TALK[0])], other)[0].tobytes() == payloads(memory)[0]
        assert other == load(memory.engine.store.settings.get(SIGNED))


def test_signatures_that_are_not_those_of_the_text_are_made_anew_once_noticed(open_memory):
    memory = open_memory(config=SIGNING)
    memory.bank("ada").remember_many(talk())
    wrong = np.full(len(payloads(memory)[1]), 7, np.uint8).tobytes()
    with memory.engine.store.write():
        memory.engine.store.payloads.put(
            memory.engine.ledger("ada").bank, "signature", [(1, wrong)]
        )

    (problem,) = verify(memory).problems
    assert "its tokens are signed wrongly; run reindex" in problem
    reindex(memory)
    assert verify(memory).sound


def test_a_model_may_choose_the_keywords(open_memory):
    asked = []

    def choose(query):
        asked.append(query)
        return ["Biscuit", " "]

    memory = open_memory(embedder="none", cues=["signature"], config=SIGNING, keywords=choose)
    bank = memory.bank("ada")
    bank.remember_many(talk())
    found = bank.recall("Who sleeps where?", k=2)

    assert ["Who sleeps where?"] == asked
    assert {TALK[0], TALK[2]} == set(texts_of(found))


@pytest.mark.slow
def test_a_long_text_is_looked_for_by_its_first_words_only(open_memory):
    bank = open_memory(config=SIGNING, embedder="none", cues=["signature"]).bank("ada")
    bank.remember_many(talk())
    words = " ".join(f"w{n}" for n in range(MOST_KEYWORDS - 1))

    assert [TALK[0]] == texts_of(bank.recall(f"{words} greyhound violin", k=1))
    assert 0 < bank.recall("greyhound " * 20_000, k=1).hits[0].score


def test_a_model_that_fails_leaves_the_words_of_the_question(open_memory):
    def choose(_query):
        raise EncoderError("the model is away")

    memory = open_memory(embedder="none", cues=["signature"], config=SIGNING, keywords=choose)
    bank = memory.bank("ada")
    bank.remember_many(talk())
    found = bank.recall("What about Lisbon?", k=1)

    assert [TALK[3]] == texts_of(found)
    assert ["keywords"] == [degraded.part for degraded in found.degraded]


def test_an_export_is_signed_where_it_is_taken_in(open_memory, tmp_path):
    plain, signing = open_memory(config=PLAIN), open_memory("other.db", config=SIGNING)
    plain.bank("ada").remember_many(talk())
    plain.bank("ada").export(tmp_path / "ada.jsonl")
    signing.bank("ada").import_(tmp_path / "ada.jsonl")

    assert all(payloads(signing))
    assert verify(signing).sound


def test_a_way_of_ones_own_is_refused_once_another_process_has_signed_otherwise(open_memory):
    open_memory(config=PLAIN).bank("ada").remember("Nothing is signed yet.")
    mine = open_memory(config=SIGNING).bank("ada")
    assert mine.recall("signed").hits
    theirs = open_memory(config=Config(signatures=Signatures(bits=32))).bank("ada")
    theirs.remember("Biscuit is a greyhound.")

    with pytest.raises(SignatureMismatch):
        mine.recall("greyhound")
    with pytest.raises(SignatureMismatch):
        mine.remember("And I write on.")
    assert theirs.recall("greyhound", cues=["signature"]).hits


def test_terms_are_found_together_by_their_signatures(open_memory):
    bank = open_memory(config=SIGNING, embedder="none").bank("ada")
    kept = bank.remember_many(talk(30))
    both = [e.id for e in kept if "Biscuit" in e.text and "violin" in e.text]

    assert [e.id for e in bank.find("biscuit", "violin", radius=0)] == both
    assert [e.id for e in bank.find("violin", "biscuit")] == both
    assert [e.id for e in bank.find("biscuit", "violin", radius=0, newest=True, limit=1)] == both[
        -1:
    ]
    assert bank.find("biscuit", "lisbon", radius=0) == []
    assert len(bank.find("biscuit", radius=64)) == 30, "every signature lies within all bits"
    bank.forget(both)
    assert bank.find("biscuit", "violin", radius=0) == []


@pytest.mark.parametrize(("window", "bits", "radius"), [(0, 64, 0), (1, 64, 20), (4, 64, 25)])
def test_the_automatic_radius_is_that_of_a_word_in_company(open_memory, window, bits, radius):
    signing = Config(signatures=Signatures(window=window, bits=bits))
    bank = open_memory(config=signing, embedder="none").bank("ada")
    bank.remember_many(talk(30))

    found = [e.id for e in bank.find("biscuit", "violin", radius="auto")]

    assert found == [e.id for e in bank.find("biscuit", "violin", radius=radius)]
    assert found, "a word is found in the company that it keeps"


@pytest.mark.parametrize(
    ("terms", "radius", "message"),
    [
        (["biscuit"], "wide", "must be 'auto', or"),
        (["biscuit"], -1, "from 0 to 64"),
        (["biscuit"], 65, "from 0 to 64"),
        (["biscuit"], True, "from 0 to 64"),
        (["biscuit"] * 65, 0, "at most 64"),
        ([" "], 0, "blank"),
    ],
)
def test_a_search_by_signatures_that_makes_no_sense_is_refused(open_memory, terms, radius, message):
    bank = open_memory(config=SIGNING, embedder="none").bank("ada")
    bank.remember_many(talk())

    with pytest.raises(InputError, match=message):
        bank.find(*terms, radius=radius)


def test_without_signatures_there_is_no_search_by_them(open_memory):
    bank = open_memory(config=PLAIN, embedder="none").bank("ada")
    bank.remember_many(talk())

    with pytest.raises(InputError, match="nothing is signed here"):
        bank.find("biscuit", radius=0)


@pytest.mark.parametrize("how", ["sotred", True, {"bits": 32}])
def test_what_is_no_way_to_sign_is_refused(how):
    with pytest.raises(InputError, match=r"Config.signatures=.*: must be 'stored', None"):
        Config(signatures=how)
