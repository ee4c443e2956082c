"""A model's rounded layers in a file: what they give, and when they are not believed."""

import shutil

import numpy as np
import pytest

from hippocampus.core.records import Passage
from hippocampus.encode.minilm import MiniLmEmbedder
from hippocampus.encode.model_files import installed
from hippocampus.encode.rounded_layers import keep_layers, read_layers
from hippocampus.kernel import Transformer

PACKED = np.arange(1000, dtype=np.uint8)


@pytest.fixture
def kept(tmp_path):
    path = tmp_path / "model.layers"
    keep_layers(path, "a model", PACKED)
    return path


def test_layers_are_read_as_they_were_kept(kept):
    assert PACKED.tolist() == read_layers(kept, "a model").tolist()
    assert [kept] == list(kept.parent.iterdir())


@pytest.mark.parametrize("at", [0, 35, 40, 1039])
def test_altered_layers_are_not_believed(kept, at):
    data = bytearray(kept.read_bytes())
    data[at] ^= 1
    kept.write_bytes(data)

    assert read_layers(kept, "a model") is None


@pytest.mark.parametrize("size", [0, 7, 40, 1039])
def test_a_file_that_was_cut_short_is_not_believed(kept, size):
    kept.write_bytes(kept.read_bytes()[:size])

    assert read_layers(kept, "a model") is None


def test_layers_of_another_model_are_not_taken(kept):
    assert read_layers(kept, "another") is None
    assert read_layers(kept.with_name("nothing"), "a model") is None


def test_where_nobody_may_write_nothing_is_kept(tmp_path):
    keep_layers(tmp_path / "no folder" / "model.layers", "a model", PACKED)

    assert [] == list(tmp_path.iterdir())


def test_bytes_of_half_a_layer_are_refused():
    one = np.ones(384, np.float32)
    encoder = Transformer(one, one, heads=12, epsilon=1e-12)

    with pytest.raises(ValueError, match="whole layers"):
        encoder.add_packed(PACKED)


@pytest.mark.slow
def test_layers_from_their_file_give_the_same_vectors_bit_by_bit(tmp_path):
    folder = installed()
    if folder is None:
        pytest.skip("the default model is not installed")
    for name in ("model.safetensors", "tokenizer.json"):
        shutil.copy(folder / name, tmp_path / name)
    first = MiniLmEmbedder(tmp_path)
    assert (tmp_path / "model.layers").exists()
    second = MiniLmEmbedder(tmp_path)

    one, other = (e.embed([Passage("Ada planted a tree.")])[0] for e in (first, second))
    assert one.vector.tobytes() == other.vector.tobytes()
    assert one.tokens.tobytes() == other.tokens.tobytes()
