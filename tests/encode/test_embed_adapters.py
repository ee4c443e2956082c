"""Adapters of other packages, each on a tiny model made here; skipped where the package is not."""

import json
import subprocess
import sys

import numpy as np
import pytest

from hippocampus.core.records import Passage
from hippocampus.encode.embed import load_embedder
from hippocampus.errors import InvalidText, MissingExtra, ModelNotInstalled

WORDS = ["the", "grey", "parrot", "##s", "sing", "in", "lisbon", "query", "passage", ":", "cafe"]
VOCABULARY = {
    word: place for place, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS])
}
TEXT = "  The grey parrots sing, in Lisbon "
PIECES = ["The", "grey", "parrot", "s", "sing", "in", "Lisbon"]
DIMENSION = 16


def write_tokenizer(folder, *, control_tokens):
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.WordPiece(VOCABULARY, unk_token="[UNK]")  # noqa: S106
    )
    tokenizer.normalizer = tokenizers.normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    if control_tokens:
        tokenizer.add_special_tokens(list(VOCABULARY)[:5])
        tokenizer.post_processor = tokenizers.processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.save(str(folder / "tokenizer.json"))
    return tokenizer


def table():
    return np.random.default_rng(7).normal(size=(len(VOCABULARY), DIMENSION)).astype(np.float32)


def assert_a_good_embedder(embedder, *, tokens):
    """What any embedder owes, on a model that knows ``WORDS``."""
    made = embedder.embed([Passage(TEXT), Passage("parrot"), Passage("sing in cafe")])
    fingerprint = embedder.fingerprint

    assert fingerprint.dimension == DIMENSION
    assert (DIMENSION if tokens else 0) == fingerprint.token_dimension
    assert embedder.embed([]) == []
    for passage, embedded in zip([TEXT, "parrot", "sing in cafe"], made, strict=True):
        assert np.linalg.norm(embedded.vector) == pytest.approx(1, abs=1e-5)
        (alone,) = embedder.embed([Passage(passage)])
        assert np.allclose(alone.vector, embedded.vector, atol=1e-5)
    with pytest.raises(InvalidText):
        embedder.embed_query("half \ud83d")
    if not tokens:
        assert made[0].tokens is None
        return
    assert np.allclose(1, np.linalg.norm(made[0].tokens, axis=1), atol=1e-5)
    assert (len(made[0].tokens), 2) == made[0].spans.shape
    covered = [TEXT[start:end] for start, end in made[0].spans]
    assert [piece for piece in covered if piece != ","] == PIECES


# ---------------------------------------------------------------- model2vec


@pytest.fixture
def static_model(tmp_path):
    model2vec = pytest.importorskip("model2vec", reason="the model2vec extra is not installed")
    folder = tmp_path / "static"
    folder.mkdir()
    tokenizer = write_tokenizer(folder, control_tokens=False)
    model2vec.StaticModel(table(), tokenizer).save_pretrained(folder)
    return folder


def test_model2vec_gives_pooled_and_token_vectors(static_model):
    embedder = load_embedder(f"model2vec:{static_model}")

    assert_a_good_embedder(embedder, tokens=True)
    expected = table()[[VOCABULARY["grey"], VOCABULARY["parrot"]]].mean(axis=0)
    expected /= np.linalg.norm(expected)
    assert np.allclose(expected, embedder.embed_query("grey parrot").vector, atol=1e-2)


def test_model2vec_has_a_vector_for_text_it_knows_nothing_of(static_model):
    made = load_embedder(f"model2vec:{static_model}").embed_query("天気")

    assert np.linalg.norm(made.vector) == pytest.approx(1, abs=1e-5)
    assert made.tokens.shape == (0, DIMENSION)
    assert made.spans.shape == (0, 2)


def test_a_fingerprint_follows_what_a_model_holds_rather_than_where_it_lies(static_model, tmp_path):
    before = load_embedder(f"model2vec:{static_model}").fingerprint
    moved = tmp_path / "elsewhere" / "static"
    moved.parent.mkdir()
    static_model.rename(moved)
    assert before == load_embedder(f"model2vec:{moved}").fingerprint

    config = json.loads((moved / "config.json").read_text())
    (moved / "config.json").write_text(json.dumps(config | {"max_length": 100}))
    assert before != load_embedder(f"model2vec:{moved}").fingerprint


# ---------------------------------------------------------------- fastembed


@pytest.fixture
def onnx_model(tmp_path):
    fastembed = pytest.importorskip("fastembed", reason="the fastembed extra is not installed")
    onnx = pytest.importorskip("onnx", reason="onnx is needed to make a tiny model")
    folder = tmp_path / "tiny-onnx"
    folder.mkdir()
    write_tokenizer(folder, control_tokens=True)
    special = {f"{n}_token": f"[{n.upper()}]" for n in ("pad", "unk", "cls", "sep", "mask")}
    (folder / "special_tokens_map.json").write_text(json.dumps(special))
    settings = special | {"model_max_length": 64, "tokenizer_class": "BertTokenizer"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0, "hidden_size": DIMENSION}))
    h, t = onnx.helper, onnx.TensorProto
    inputs = [
        h.make_tensor_value_info(name, t.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    out = h.make_tensor_value_info("last_hidden_state", t.FLOAT, ["batch", "length", DIMENSION])
    graph = h.make_graph(
        [h.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])],
        "tiny",
        inputs,
        [out],
        [onnx.numpy_helper.from_array(table(), "table")],
    )
    onnx.save(
        h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8),
        folder / "model.onnx",
    )
    from fastembed.common.model_description import ModelSource, PoolingType

    name = "tests/tiny"
    known = {model["model"] for model in fastembed.TextEmbedding.list_supported_models()}
    if name not in known:
        fastembed.TextEmbedding.add_custom_model(
            model=name,
            pooling=PoolingType.MEAN,
            normalization=True,
            sources=ModelSource(hf=name),
            dim=DIMENSION,
            model_file="model.onnx",
        )
    return name, folder


def test_fastembed_gives_pooled_vectors(onnx_model):
    from hippocampus.encode.embedders.fastembed import FastEmbedEmbedder

    name, folder = onnx_model
    embedder = FastEmbedEmbedder(name, folder=folder)

    assert_a_good_embedder(embedder, tokens=False)
    ids = [VOCABULARY[piece] for piece in ("[CLS]", "grey", "parrot", "[SEP]")]
    expected = table()[ids].mean(axis=0)
    expected /= np.linalg.norm(expected)
    assert np.allclose(expected, embedder.embed_query("grey parrot").vector, atol=1e-5)


# ---------------------------------------------------------------- sentence-transformers


@pytest.fixture
def bert(tmp_path):
    package = pytest.importorskip(
        "sentence_transformers", reason="the sentence-transformers extra is not installed"
    )
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path / "bert"
    folder.mkdir()
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(VOCABULARY),
        hidden_size=DIMENSION,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
    )
    BertModel(config).save_pretrained(folder)
    BertTokenizerFast(vocab=VOCABULARY, model_max_length=64).save_pretrained(folder)
    return package.SentenceTransformer(str(folder), device="cpu")  # pools by the mean


def test_sentence_transformers_gives_pooled_and_token_vectors(bert, tmp_path):
    bert.save(str(tmp_path / "plain"))
    embedder = load_embedder(f"sentence-transformers:{tmp_path / 'plain'}")

    assert_a_good_embedder(embedder, tokens=True)
    expected = bert.encode("grey parrot", normalize_embeddings=True)
    assert np.allclose(expected, embedder.embed_query("grey parrot").vector, atol=1e-5)


def test_a_models_prompts_shape_its_vectors_without_leaving_tokens(bert, tmp_path):
    bert.prompts = {"query": "query: ", "document": "passage: "}
    bert.save(str(tmp_path / "prompted"))
    embedder = load_embedder(f"sentence-transformers:{tmp_path / 'prompted'}")

    assert_a_good_embedder(embedder, tokens=True)
    question, (passage,) = embedder.embed_query("parrot"), embedder.embed([Passage("parrot")])
    expected = bert.encode(["query: parrot", "passage: parrot"], normalize_embeddings=True)
    assert np.allclose(expected, [question.vector, passage.vector], atol=1e-5)
    assert [[0, 6]] == question.spans.tolist() == passage.spans.tolist()


# ---------------------------------------------------------------- what is not there


@pytest.mark.parametrize(
    ("package", "spec"),
    [
        ("model2vec", "model2vec:nobody/nothing"),
        ("fastembed", "fastembed:nobody/nothing"),
        ("sentence_transformers", "sentence-transformers:nobody/nothing"),
    ],
)
def test_a_model_that_is_not_on_this_machine_is_not_fetched(package, spec):
    pytest.importorskip(package, reason=f"{package} is not installed")

    with pytest.raises(ModelNotInstalled, match="nobody/nothing"):
        load_embedder(spec)


@pytest.mark.parametrize(
    ("package", "spec", "extra"),
    [
        ("model2vec", "model2vec:x", "model2vec"),
        ("fastembed", "fastembed:x", "fastembed"),
        ("sentence_transformers", "sentence-transformers:x", "sentence-transformers"),
    ],
)
def test_a_missing_package_names_its_extra(monkeypatch, package, spec, extra):
    class Hidden:
        @staticmethod
        def find_spec(name, _path=None, _target=None):
            if name == package:
                raise ModuleNotFoundError(name=name)

    monkeypatch.delitem(sys.modules, package, raising=False)
    monkeypatch.setattr(sys, "meta_path", [Hidden, *sys.meta_path])

    with pytest.raises(MissingExtra, match=rf"hippocampus-memory\[{extra}\]"):
        load_embedder(spec)


def test_loading_one_embedder_imports_no_other_runtime():
    code = (
        "import sys; from hippocampus.encode.embed import load_embedder; load_embedder('hash');"
        "print([m for m in ('onnxruntime', 'tokenizers', 'http', 'torch') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
