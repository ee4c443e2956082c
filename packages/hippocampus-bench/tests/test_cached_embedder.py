"""The cache of vectors on disk: the same vectors as the embedder's own, made once."""

import sqlite3

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hippocampus.encode.embed
from hippocampus.core.records import Passage
from hippocampus.encode.embed import HashEmbedder
from hippocampus.errors import EncoderError
from hippocampus.testing import ScriptedEmbedder
from hippocampus_bench.cached_embedder import CachedEmbedder

texts = st.text(max_size=80)


@settings(max_examples=25)
@given(batches=st.lists(st.lists(st.builds(Passage, texts, before=texts), max_size=6), max_size=4))
def test_a_cached_passage_is_the_embedders_own_but_for_rounding(tmp_path_factory, batches):
    path = tmp_path_factory.mktemp("cache") / "cache.sqlite"
    counting = ScriptedEmbedder(64)
    with CachedEmbedder(counting, path) as cached:
        for batch in batches + batches:
            for fresh, made in zip(HashEmbedder(64).embed(batch), cached.embed(batch), strict=True):
                assert np.allclose(fresh.vector, made.vector, atol=1e-3)
                assert np.allclose(fresh.tokens, made.tokens, atol=1e-3)
                assert np.array_equal(fresh.spans, made.spans)
    assert len({passage for batch in batches for passage in batch}) == counting.passages


def test_a_cache_opened_again_gives_the_very_same_vectors_without_embedding(tmp_path):
    passages = [Passage("one two"), Passage("three"), Passage("one two", after="three")]
    with CachedEmbedder(ScriptedEmbedder(64), tmp_path / "cache") as cached:
        first = cached.embed(passages)
    counting = ScriptedEmbedder(64)
    with CachedEmbedder(counting, tmp_path / "cache") as cached:
        second = cached.embed(passages)

    assert counting.passages == 0
    for a, b in zip(first, second, strict=True):
        assert np.array_equal(a.vector, b.vector)
        assert np.array_equal(a.tokens, b.tokens)
        assert np.array_equal(a.spans, b.spans)
        assert a.vector.dtype == a.tokens.dtype == b.vector.dtype == b.tokens.dtype == np.float32


def test_embedders_with_other_fingerprints_share_a_file_and_no_vector(tmp_path):
    with CachedEmbedder(ScriptedEmbedder(64), tmp_path / "cache") as cached:
        cached.embed([Passage("hello")])
    counting = ScriptedEmbedder(32)
    with CachedEmbedder(counting, tmp_path / "cache") as cached:
        assert cached.embed([Passage("hello")])[0].vector.shape == (32,)
    assert counting.passages == 1


def test_a_question_asked_again_is_not_embedded_again(tmp_path):
    counting = ScriptedEmbedder(64)
    with CachedEmbedder(counting, tmp_path / "cache") as cached:
        for _ in range(3):
            cached.embed_query("where?")
        for number in range(400):
            cached.embed_query(f"question {number}")
        cached.embed_query("where?")

    assert counting.queries == 1 + 400 + 1, "the oldest are let go"


def test_a_file_that_is_no_cache_is_refused_without_being_changed(tmp_path):
    text, database = tmp_path / "notes.txt", tmp_path / "other.db"
    text.write_text("my notes\n" * 200)
    other = sqlite3.connect(database)
    other.execute("create table t (x)")
    other.close()

    for path in (text, database):
        before = path.read_bytes()
        with pytest.raises(EncoderError, match=str(path.name)):
            CachedEmbedder(HashEmbedder(), path)
        assert before == path.read_bytes()


def test_the_cache_is_found_where_it_was_with_a_warning():
    with pytest.warns(DeprecationWarning, match=r"hippocampus_bench\.cached_embedder"):
        assert hippocampus.encode.embed.CachedEmbedder is CachedEmbedder
