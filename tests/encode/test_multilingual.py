import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippocampus.calibrate.calibration import SHIPPED
from hippocampus.core.records import Passage
from hippocampus.encode.e5_file import read_e5, unpack
from hippocampus.encode.embed import load_embedder
from hippocampus.encode.model_files import MULTILINGUAL, installed
from hippocampus.encode.multilingual import MultilingualEmbedder
from hippocampus.errors import EncoderError, ModelNotInstalled

needs_model = pytest.mark.skipif(
    installed(MULTILINGUAL) is None,
    reason="the model is not installed: hippocampus models install multilingual",
)


@pytest.fixture(scope="module")
def multilingual():
    return load_embedder("multilingual")


@pytest.mark.slow
@needs_model
def test_equal_meanings_are_nearer_than_others_in_any_language(multilingual):
    said = [
        "I moved to Lisbon in March because the rent was too high.",
        "我的猫三岁了，很喜欢吃鱼。",
        "Der Zahnarzt hat am Montag keinen Termin frei.",
    ]
    asked = ["¿Por qué me mudé a Lisboa?", "How old is the cat?", "歯医者の予約はいつですか"]
    kept = np.stack([one.vector for one in multilingual.embed(list(map(Passage, said)))])
    near = np.stack([multilingual.embed_query(one).vector for one in asked]) @ kept.T

    assert [0, 1, 2] == near.argmax(axis=1).tolist()


@pytest.mark.slow
@needs_model
@settings(max_examples=25, deadline=None)
@given(st.text(max_size=40))
def test_any_text_gets_unit_vectors_and_spans_that_lie_in_it(multilingual, text):
    made = multilingual.embed_query(text)

    assert np.linalg.norm(made.vector) == pytest.approx(1, abs=1e-5)
    assert (len(made.tokens), 2) == made.spans.shape
    starts, ends = made.spans.T
    assert np.all((starts >= 0) & (starts < ends) & (ends <= len(text)))


@needs_model
def test_passages_and_questions_that_go_together_come_out_as_they_would_alone(multilingual):
    texts = ["Wo schläft der Hund?", "Le chien dort dans la cuisine.", "The dog sleeps."]
    made, questions = multilingual.embed_together([Passage(text) for text in texts], texts)

    for text, passage, question in zip(texts, made, questions, strict=True):
        assert np.array_equal(multilingual.embed([Passage(text)])[0].vector, passage.vector)
        assert np.array_equal(multilingual.embed_query(text).vector, question.vector)
        assert not np.array_equal(passage.vector, question.vector)


@needs_model
def test_marks_of_the_model_in_a_text_are_text(multilingual):
    spans = multilingual.embed_query("a </s> b").spans

    assert len(spans) > 4  # and not a letter, the mark, a letter


@needs_model
def test_its_calibration_ships(multilingual):
    assert multilingual.fingerprint in SHIPPED


def test_a_model_that_is_not_there_is_named_with_the_command_that_brings_it(tmp_path):
    with pytest.raises(ModelNotInstalled, match="models install multilingual"):
        load_embedder("multilingual", directory=tmp_path)


@pytest.mark.parametrize("content", [b"", b"E5S1", b"GGUF" + bytes(100), b"E5S1" + b"\1" * 200])
def test_a_file_that_is_none_of_its_weights_is_refused(tmp_path, content):
    file = tmp_path / "e5-small-q4.bin"
    file.write_bytes(content)

    with pytest.raises(EncoderError, match="not the weights of multilingual-e5-small"):
        read_e5(file)
    with pytest.raises(EncoderError, match="were altered"):
        MultilingualEmbedder(tmp_path)
    with pytest.raises(EncoderError, match="not a model folder"):
        MultilingualEmbedder(tmp_path / "nowhere")


def test_weights_in_four_bits_are_halves_of_bytes_with_eight_added_times_a_scale():
    block = np.zeros(1, np.dtype([("scale", "<f2"), ("weights", np.uint8, 16)]))
    block["scale"], block["weights"] = 0.5, np.arange(16, dtype=np.uint8) | 0x80

    assert np.array_equal(unpack(block), [*(np.arange(16) - 8) / 2, *[0.0] * 16])
