"""Exact search and signatures on the command line."""

import pytest

from hippocampus import Config, Memory, Signatures


@pytest.fixture
def told(shell):
    for text, at in (
        ("I moved to Lisbon in March.", "2024-03-20"),
        ("LISBON has trams.", "2024-01-02"),
        ("Porto has trams, Lisbonne too.", "2024-04-01"),
    ):
        shell("remember", text, "--at", at)
    return shell


def texts(answer):
    return [episode["text"] for episode in answer.json]


def test_what_holds_a_term_is_listed_in_order_of_time(told):
    found = told("find", "lisbon", "--json")

    assert (0, ["LISBON has trams.", "I moved to Lisbon in March."]) == (found.code, texts(found))
    newest = told("find", "lisbon", "--newest", "-n", "1", "--json")
    assert ["I moved to Lisbon in March."] == texts(newest)
    shown = told("find", "lisbon", "--since", "2024-02-01").out
    assert ("I moved to Lisbon" in shown, "trams" in shown) == (True, False)


def test_a_text_needs_all_of_several_terms_even_with_one_from_stdin(told):
    assert ["LISBON has trams."] == texts(told("find", "lisbon", "trams", "--json"))
    assert ["Porto has trams, Lisbonne too."] == texts(
        told("find", "-", "trams", "--json", stdin="porto\n")
    )


def test_the_exit_code_of_find_says_whether_anything_was_found(told):
    assert (1, []) == (told("find", "faro", "--json").code, told("find", "faro", "--json").json)
    assert 2 == told("find", " ").code
    assert 2 == told("find").code


def test_a_store_once_signed_by_reindex_is_signed_by_every_later_command(told):
    refused = told("recall", "trams", "--cues", "signature")
    assert (2, True) == (refused.code, "reindex --signatures" in refused.err)
    assert 0 == told("reindex", "--signatures").code
    told("remember", "The trams of Porto are old.", "--at", "2024-05-01")
    told("reindex")
    found = told("recall", "trams", "--cues", "signature", "--json")

    assert (3, []) == (
        sum("trams" in h["episode"]["text"] for h in found.json["hits"]),
        found.json["degraded"],
    )
    assert {"scan"} == set(found.json["cost"]["hamming_searches"])
    explained = told("recall", "trams", "--cues", "signature", "--explain").out
    assert "Hamming balls searched, " in explained
    with Memory(told.store, embedder="none") as memory:
        assert Signatures() == memory.engine.stored_signatures()
    assert "planes" in told("doctor").out
    assert 0 == told("reindex", "--no-signatures").code
    assert 2 == told("recall", "trams", "--cues", "signature").code


def test_a_store_that_is_signed_otherwise_is_not_signed_anew_by_accident(told):
    told("reindex", "--no-signatures")
    wide = Config(signatures=Signatures(bits=64))
    with Memory(told.store, embedder="none", config=wide) as memory:
        memory.bank("me").remember("Signed in another way.")
    refused = told("reindex", "--signatures")

    assert (4, True) == (refused.code, "--no-signatures" in refused.err)
    told("remember", "And so is this.")
    with Memory(told.store, embedder="none") as memory:
        assert Signatures(bits=64) == memory.engine.stored_signatures()


def test_a_reindex_has_hits_say_which_span_of_them_matches_or_not(told):
    query = ["recall", "the trams of Porto", "--json"]
    spans = [hit["span"] for hit in told(*query).json["hits"]]
    assert spans == [None] * len(spans)
    assert 2 == told("reindex", "--no-spans", "--bank", "me").code
    assert 0 == told("reindex", "--spans").code
    told("remember", "The trams of Porto are old.", "--at", "2024-05-01")

    for hit in told(*query).json["hits"]:
        start, end = hit["span"]
        assert 0 <= start < end <= len(hit["episode"]["text"])
    assert 0 == told("reindex", "--no-spans").code
    assert told(*query).json["hits"][0]["span"] is None
