"""Rerankers, on a real server in a thread and on a tiny cross-encoder made here."""

import json
import sys
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from typer.testing import CliRunner

from hippocampus import Memory, Turn
from hippocampus.cli import app
from hippocampus.core.records import Reranker
from hippocampus.errors import EncoderError, InputError, InvalidText, MissingExtra
from hippocampus.recall.rerankers import CrossEncoderReranker, HttpReranker, load_reranker

TEXTS = ["a short one", "one that is quite a bit longer", "the middle one"]
BY_LENGTH = np.float32([11, 30, 14])


def scored(texts):
    return [{"index": place, "score": len(text)} for place, text in enumerate(texts)]


class Server(ThreadingHTTPServer):
    """Finds longer texts better; ``answer`` replaces what it says by (status, headers, body)."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests, self.answer, self.silence_s = [], None, 0.0

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/rerank"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, self.headers["Authorization"], asked))
        time.sleep(self.server.silence_s)
        status, headers, body = self.server.answer or (200, {}, self.natural(asked))
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        with suppress(OSError):  # the reader may have gone, as it should
            self.wfile.write(raw)

    def natural(self, asked):
        """Answer as the server would whose words were used, best first as they all do."""
        if "texts" in asked:
            return sorted(scored(asked["texts"]), key=lambda item: -item["score"])
        found = scored(asked["documents"])
        return {
            "results": [{"index": f["index"], "relevance_score": f["score"]} for f in found[::-1]]
        }

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


# ---------------------------------------------------------------- over HTTP


@pytest.mark.parametrize("model", [None, "some/reranker"])
def test_scores_come_back_in_the_order_of_the_texts(server, model):
    reranker = HttpReranker(server.url, model=model)

    scores = reranker.rerank("which one?", TEXTS)

    assert isinstance(reranker, Reranker)
    assert np.float32 == scores.dtype
    assert np.array_equal(BY_LENGTH, scores)


def test_a_reranker_speaks_as_to_cohere_if_a_model_is_named_or_else_as_to_tei(server):
    HttpReranker(server.url, model="m", api_key="secret").rerank("q", ["x"])
    HttpReranker(server.url).rerank("q", ["x"])

    (path, key, with_model), (_, no_key, without) = server.requests
    assert (path, key, no_key) == ("/rerank", "Bearer secret", None)
    assert with_model == {"model": "m", "query": "q", "documents": ["x"]}
    assert without == {"query": "q", "texts": ["x"], "truncate": True}


def test_nothing_is_sent_for_no_texts(server):
    assert HttpReranker(server.url).rerank("q", []).shape == (0,)
    assert server.requests == []


@pytest.mark.parametrize(
    "answer",
    [
        (200, {}, b"<html>not found, but politely</html>"),
        (200, {}, b"[" * 100_000),
        (200, {}, {"results": None}),
        (200, {}, {"error": "no"}),
        (200, {}, None),
        (200, {}, scored(TEXTS[:2])),  # one is missing
        (200, {}, [{"index": "0", "score": 1}] * 3),
        (200, {}, [{"index": i, "score": "high"} for i in range(3)]),
        (200, {}, [{"index": i, "score": float("nan")} for i in range(3)]),
        (200, {}, [{"index": True, "score": 1}] * 3),
        (200, {}, [0.3, 0.2, 0.1]),
        (401, {}, {"detail": "who are you?"}),
        (500, {}, b""),
        (200, {}, b"0" * (16 * 1024 * 1024 + 1)),
    ],
    ids=lambda answer: str(answer)[:60],  # every worker tells it four times, all of it
)
def test_any_answer_but_the_right_one_is_an_encoder_error(server, answer):
    server.answer = answer

    with pytest.raises(EncoderError, match=r"127\.0\.0\.1"):
        HttpReranker(server.url).rerank("q", TEXTS)


def test_a_refusal_repeats_what_the_server_said(server):
    server.answer = (422, {}, {"detail": "batch too large"})

    with pytest.raises(EncoderError, match=r"422: .*batch too large"):
        HttpReranker(server.url).rerank("q", TEXTS)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_since_it_would_take_the_key_along(server, status):
    with Server() as elsewhere:
        server.answer = (status, {"Location": elsewhere.url}, b"")

        with pytest.raises(EncoderError, match=str(status)):
            HttpReranker(server.url, api_key="secret").rerank("q", TEXTS)

        assert elsewhere.requests == []


def test_a_silent_server_is_given_up_after_the_timeout(server):
    server.silence_s = 0.5

    with pytest.raises(EncoderError, match="cannot be reached"):
        HttpReranker(server.url, timeout_s=0.05).rerank("q", TEXTS)


def test_a_server_that_is_not_there_is_an_encoder_error(server):
    url = server.url.replace("/rerank", "/").replace(str(server.server_address[1]), "1")

    with pytest.raises(EncoderError, match="cannot be reached"):
        HttpReranker(url).rerank("q", TEXTS)


@pytest.mark.parametrize("url", ["", "localhost:8080/rerank", "file:///etc/passwd", "http://"])
def test_only_addresses_of_http_are_taken(url):
    with pytest.raises(InputError, match="url="):
        HttpReranker(url)


@pytest.mark.parametrize("timeout_s", [0, -1.0, float("nan")])
def test_a_timeout_is_some_time(timeout_s):
    with pytest.raises(InputError, match="timeout_s="):
        HttpReranker("http://localhost/rerank", timeout_s=timeout_s)


def test_half_characters_are_refused_before_anything_is_sent(server):
    with pytest.raises(InvalidText):
        HttpReranker(server.url).rerank("q", ["half \ud83d"])

    assert server.requests == []


def test_the_name_tells_the_model_and_never_the_password():
    assert HttpReranker("https://u:p@rerank.example/x", model="m").name == "m at rerank.example"


# ---------------------------------------------------------------- in a recall


TURNS = [
    Turn(text="The cat is called Miso.", at="2025-03-01", session="s"),
    Turn(text="The cat sleeps on the radiator all day long.", at="2025-03-02", session="s"),
    Turn(text="A cat!", at="2025-03-03", session="s"),
]


def test_recall_puts_the_hits_in_the_rerankers_order(server):
    with Memory(":memory:", embedder="none", reranker=HttpReranker(server.url)) as memory:
        bank = memory.bank("ada")
        bank.remember_many(TURNS)

        found = bank.recall("cat", k=3)

    lengths = [len(hit.text) for hit in found]
    assert sorted(lengths, reverse=True) == lengths
    assert sorted((hit.score for hit in found), reverse=True) == [hit.score for hit in found]
    assert all(degraded.part != "reranker" for degraded in found.degraded)


def test_recall_says_that_it_goes_on_without_a_reranker_that_fails(server):
    server.answer = (503, {}, b"loading")
    with (
        Memory(":memory:", embedder="none") as plain,
        Memory(":memory:", embedder="none", reranker=HttpReranker(server.url)) as memory,
    ):
        for one in (plain, memory):
            one.bank("ada").remember_many(TURNS)
        expected = plain.bank("ada").recall("cat", k=3)
        found = memory.bank("ada").recall("cat", k=3)

    assert [hit.id for hit in expected] == [hit.id for hit in found]
    (degraded,) = [one for one in found.degraded if one.part == "reranker"]
    assert "503" in degraded.reason


# ---------------------------------------------------------------- on this machine


def test_a_cross_encoder_without_its_package_names_the_extra():
    try:
        import sentence_transformers  # noqa: F401
    except ImportError:
        with pytest.raises(MissingExtra, match=r"hippocampus-memory\[sentence-transformers\]"):
            CrossEncoderReranker("any")
    else:
        pytest.skip("sentence-transformers is installed")


@pytest.fixture
def tiny_cross_encoder(tmp_path):
    pytest.importorskip(
        "sentence_transformers", reason="the sentence-transformers extra is not installed"
    )
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    torch.manual_seed(0)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "cat", "dog", "sleeps", "where"]
    vocabulary = tmp_path / "vocab.txt"
    vocabulary.write_text("\n".join(words))
    folder = tmp_path / "tiny"
    BertForSequenceClassification(
        BertConfig(
            vocab_size=len(words),
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=16,
            max_position_embeddings=32,
            num_labels=1,
        )
    ).save_pretrained(folder)
    BertTokenizerFast(str(vocabulary)).save_pretrained(folder)
    return folder


def test_a_cross_encoder_in_a_folder_scores_each_text_by_itself(tiny_cross_encoder):
    reranker = CrossEncoderReranker(str(tiny_cross_encoder))

    scores = reranker.rerank("where sleeps cat", ["cat sleeps", "dog", "where"])

    assert reranker.name == "tiny"
    assert scores.shape == (3,)
    assert reranker.rerank("where sleeps cat", ["dog"]) == pytest.approx(scores[1], abs=1e-5)
    assert reranker.rerank("q", []).shape == (0,)


def test_a_cross_encoder_that_is_not_here_is_not_downloaded(tmp_path):
    pytest.importorskip(
        "sentence_transformers", reason="the sentence-transformers extra is not installed"
    )
    with pytest.raises(EncoderError, match="give a folder"):
        CrossEncoderReranker(str(tmp_path / "nothing"))


# ---------------------------------------------------------------- by specification


@pytest.mark.parametrize("model", ["", "some/reranker@"])
def test_a_memory_asks_the_reranker_that_its_specification_names(server, monkeypatch, model):
    monkeypatch.setenv("HIPPOCAMPUS_RERANKER_KEY", "secret")
    with Memory(":memory:", embedder="hash", reranker=f"rerank:{model}{server.url}") as memory:
        bank = memory.bank("a")
        bank.remember_many([Turn(text=f"The boat is {text}.") for text in TEXTS])
        found = [hit.text for hit in bank.recall("What is the boat?")]

    ((_, key, asked),) = server.requests
    assert sorted(found, key=len, reverse=True) == found
    assert ("Bearer secret", bool(model)) == (key, "documents" in asked)


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("rerank:https://example.org/rerank", "example.org"),
        ("rerank:https://me:word@example.org/rerank", "example.org"),
        ("rerank:m@https://me:word@example.org/rerank", "m at example.org"),
        ("sentence-transformers:cross-encoder/some", "cross-encoder/some"),
    ],
)
def test_a_specification_names_the_model_and_its_place(spec, name):
    assert name == load_reranker(spec).name


def test_no_reranker_is_one_of_the_forms():
    assert load_reranker("none") is None


@pytest.mark.parametrize(
    "spec", ["", "rerank:", "rerank:m@", "cohere", "sentence-transformers:", "http://localhost:1/x"]
)
def test_what_names_no_reranker_is_refused_with_the_forms(spec):
    with pytest.raises(InputError, match=r"unknown reranker .*rerank:\[MODEL@\]URL"):
        load_reranker(spec)


def test_a_model_of_a_package_that_is_not_there_is_missed_by_the_first_recall(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with Memory(":memory:", embedder="hash", reranker="sentence-transformers:some") as memory:
        bank = memory.bank("a")
        bank.remember("The boat is red.")
        with pytest.raises(MissingExtra, match="sentence-transformers"):
            bank.recall("What is the boat?")


def test_the_command_line_takes_a_reranker_by_option_and_by_variable(server, tmp_path, monkeypatch):
    asked = ["recall", "What is the boat?", "--store", str(tmp_path / "m.db"), "--embedder", "hash"]
    with Memory(tmp_path / "m.db", embedder="hash") as memory:
        memory.bank("me").remember_many([Turn(text=f"The boat is {text}.") for text in TEXTS])

    for given, variable in ((["--reranker", f"rerank:{server.url}"], ""), ([], server.url)):
        monkeypatch.setenv("HIPPOCAMPUS_RERANKER", variable and f"rerank:{variable}")
        done = CliRunner().invoke(app, [*asked, *given, "--json"])
        assert 0 == done.exit_code, done.output
        texts = [hit["episode"]["text"] for hit in json.loads(done.output)["hits"]]
        assert sorted(texts, key=len, reverse=True) == texts
    assert 2 == len(server.requests)
