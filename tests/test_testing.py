"""What ``hippocampus.testing`` offers does what it says, to our tests and to those of users."""

import threading

import numpy as np
import pytest

from hippocampus import Turn, testing
from hippocampus.core.records import Passage
from hippocampus.errors import EncoderError, StoreFull
from hippocampus.testing import Fails, Gate, ScriptedEmbedder, TableEmbedder, full_disk

PLACES = {"Porto": [1, 0], "Lisbon": [3, 3], "a violin": [0, 1]}


def test_everything_that_is_offered_is_there_with_documentation():
    for name in testing.__all__:
        assert (getattr(testing, name).__doc__ or "").strip(), name


def test_an_embedder_counts_what_it_is_asked(open_memory):
    embedder = ScriptedEmbedder()
    bank = open_memory(embedder=embedder).bank("ada")
    bank.remember_many([Turn(text=f"The key number {n} is here.") for n in range(3)])
    bank.recall("Where is the key?")

    assert ([3], 3, 1) == (embedder.batches, embedder.passages, embedder.queries)


def test_a_flaky_embedder_fails_as_often_as_it_is_told():
    embedder = ScriptedEmbedder(on_query=Fails(after=1, times=2))
    went = []
    for _ in range(5):
        try:
            embedder.embed_query("Where is the key?")
        except EncoderError:
            went.append(False)
        else:
            went.append(True)

    assert [True, False, False, True, True] == went


def test_an_embedder_fails_on_certain_texts_with_a_certain_error():
    embedder = ScriptedEmbedder(on_passages=Fails(containing="PIN", error=OSError("gone")))
    embedder.embed([Passage("The key is here.")])

    with pytest.raises(OSError, match="gone"):
        embedder.embed([Passage("The key is here."), Passage("My PIN is 4321.")])


def test_a_slow_embedder_waits_until_it_is_let_go():
    gate = Gate()
    embedder = ScriptedEmbedder(on_query=gate)
    thread = threading.Thread(target=embedder.embed_query, args=("the key",))
    thread.start()
    assert gate.asked.wait(10)
    assert thread.is_alive()
    gate.go.set()
    thread.join(10)

    assert not thread.is_alive()
    with pytest.raises(TimeoutError, match="let it go"):
        Gate(patience_s=0.01)(["the key"])


def test_a_table_embeds_what_is_in_it_to_vectors_of_length_1(open_memory):
    embedder = TableEmbedder(PLACES)
    bank = open_memory(embedder=embedder).bank("ada")
    bank.remember_many([Turn(text="Lisbon"), Turn(text="a violin")])

    assert np.allclose([0.5**0.5, 0.5**0.5], embedder.embed_query("Lisbon").vector[:2])
    assert "Lisbon" == bank.recall("Porto", cues=["vector"])[0].text
    assert embedder.fingerprint != TableEmbedder({"Porto": [1, 1]}).fingerprint
    with pytest.raises(EncoderError, match="not in the table"):
        embedder.embed_query("Madrid")


def test_a_full_disk_refuses_writes_while_it_lasts(open_memory):
    bank = open_memory().bank("ada")
    bank.remember("The key is under the pot.")
    with full_disk(), pytest.raises(StoreFull):
        bank.remember("The key is with Tom.")
    bank.remember("The key is in the drawer.")

    assert ["The key is under the pot.", "The key is in the drawer."] == [
        episode.text for episode in bank.episodes()
    ]
