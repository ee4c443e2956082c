import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.core.records import Passage
from hippocampus.encode.embed import SPECS, HashEmbedder, load_embedder
from hippocampus.encode.embedders.base import unit, valid, weights_of
from hippocampus.errors import EncoderError, InputError, InvalidText, ModelNotInstalled

texts = st.text(max_size=80)


def assert_well_formed(embedder, text, made):
    fingerprint = embedder.fingerprint
    assert (fingerprint.dimension,) == made.vector.shape
    assert np.float32 == made.vector.dtype
    assert np.linalg.norm(made.vector) == pytest.approx(1, abs=1e-5)
    assert (len(made.spans), fingerprint.token_dimension) == made.tokens.shape
    assert np.float32 == made.tokens.dtype
    assert np.int32 == made.spans.dtype
    assert np.allclose(1, np.linalg.norm(made.tokens, axis=1), atol=1e-5)
    starts, ends = made.spans.reshape(-1, 2).T
    assert np.all((starts >= 0) & (starts < ends) & (ends <= len(text)))
    assert np.all(starts[1:] >= ends[:-1])


# ---------------------------------------------------------------- specifications


def test_none_means_no_embedder():
    assert load_embedder("none") is None


def test_a_missing_model_names_the_command_that_installs_it(tmp_path):
    for spec in ("default", "minilm"):
        with pytest.raises(ModelNotInstalled, match="hippocampus models install"):
            load_embedder(spec, directory=tmp_path)


def test_hash_takes_its_dimension_from_the_specification():
    assert load_embedder("hash").fingerprint.dimension == 256
    assert load_embedder("hash:64").fingerprint.dimension == 64


@pytest.mark.parametrize(
    "spec",
    ["", "minilm:x", "hash:x", "hash:-4", "hash:²", "openai", "openai:", "bert", "model2vec"],
)
def test_other_specifications_are_refused_with_the_list_of_forms(spec):
    with pytest.raises(InputError) as caught:
        load_embedder(spec)
    assert all(form in str(caught.value) for form in SPECS)


def test_a_hash_dimension_too_small_to_tell_words_apart_is_refused():
    with pytest.raises(InputError, match="dimension=8"):
        load_embedder("hash:8")


# ---------------------------------------------------------------- hashing


@given(texts, st.sampled_from([16, 100, 256]))
def test_every_text_gets_a_vector_and_a_token_for_each_word(text, dimension):
    embedder = HashEmbedder(dimension)

    assert_well_formed(embedder, text, embedder.embed_query(text))


@given(st.lists(texts, max_size=5), texts)
def test_a_hashed_vector_depends_on_its_text_alone(batch, text):
    many = HashEmbedder(64).embed([*map(Passage, batch), Passage(text, before="x", after="y")])[-1]
    alone = HashEmbedder(64).embed_query(text)

    assert np.array_equal(alone.vector, many.vector)
    assert np.array_equal(alone.tokens, many.tokens)
    assert np.array_equal(alone.spans, many.spans)


def test_hashed_vectors_are_the_same_on_every_machine_and_in_every_release():
    vector = HashEmbedder(16).embed_query("The parrot sings").vector

    assert (vector[:6] * 1000).round().astype(int).tolist() == [-133, -92, 214, 294, -460, -297]
    assert np.array_equal(vector, HashEmbedder(16).embed_query("the PARROT sings").vector)


def test_texts_that_share_words_or_spelling_are_nearer_than_others():
    embedder = HashEmbedder()
    query, same, spelt, other = (
        embedder.embed_query(text).vector
        for text in ("the grey parrot", "a parrot, grey", "parrots", "quarterly budget meeting")
    )

    assert query @ same > query @ spelt > query @ other
    assert abs(query @ other) < 0.2


def test_a_words_token_is_the_same_in_every_text():
    embedder = HashEmbedder()
    one, two = (embedder.embed_query(text) for text in ("feed the parrot", "Parrot 🌿 food"))

    assert np.array_equal(one.tokens[2], two.tokens[0])
    assert ["Parrot 🌿 food"[s:e] for s, e in two.spans] == ["Parrot", "🌿", "food"]


# ---------------------------------------------------------------- what all share


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0])
def test_vectors_that_cannot_have_length_one_are_refused(bad):
    rows = np.ones((3, 4), np.float32)
    rows[1] = bad

    with pytest.raises(EncoderError, match=r"the model gave a vector .* text 1 of 3"):
        unit(rows, by="the model")


def test_answers_of_the_wrong_shape_are_refused():
    with pytest.raises(EncoderError, match="expected one vector per text"):
        unit(np.ones(4), by="the model")


def test_lone_surrogates_are_refused_before_a_model_sees_them():
    with pytest.raises(InvalidText, match="surrogate"):
        valid(["fine", "half \ud83d"])


def test_a_local_models_weights_are_known_by_content_wherever_they_lie(tmp_path):
    for name in ("one", "two", "three"):
        (tmp_path / name / "sub").mkdir(parents=True)
        (tmp_path / name / "sub" / "weights.bin").write_bytes(b"abc")
        (tmp_path / name / "README.md").write_text(name)
    (tmp_path / "three" / "sub" / "weights.bin").write_bytes(b"abd")
    one, two, three = (
        weights_of(str(tmp_path / name), 4, recipe="r") for name in ("one", "two", "three")
    )

    assert one == two != three
    assert one != weights_of("owner/name", 4, recipe="r") != weights_of("owner/name", 5, recipe="r")
