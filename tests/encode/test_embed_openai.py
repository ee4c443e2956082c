import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from hippocampus.core.records import Passage
from hippocampus.encode.embed import HashEmbedder, load_embedder
from hippocampus.encode.embedders.openai import OpenAIEmbedder
from hippocampus.errors import EncoderError, InvalidText

HASH = HashEmbedder(32)


class Server(ThreadingHTTPServer):
    """Speaks the embeddings protocol; ``answers`` are (status, change of the data), in turn."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests, self.answers = [], []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, self.headers["Authorization"], asked))
        status, change = self.server.answers.pop(0) if self.server.answers else (200, None)
        data = [
            {"object": "embedding", "index": place, "embedding": vector.tolist()}
            for place, vector in enumerate(3 * HASH.embed_query(t).vector for t in asked["input"])
        ]
        body = {"object": "list", "model": asked["model"], "data": change(data) if change else data}
        if status != 200:
            body = {"error": {"message": "the server is unwell", "type": "server_error"}}
        raw = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def embedder(server):
    embedder = OpenAIEmbedder("small", base_url=server.url, api_key="secret", retries=1)
    yield embedder
    embedder.close()


def test_vectors_come_from_the_server_in_order_and_normalised(server, embedder):
    texts = [f"turn {number}" for number in range(300)]
    made = embedder.embed([Passage(text, before="ignored") for text in texts])

    assert np.allclose([HASH.embed_query(t).vector for t in texts], [m.vector for m in made])
    assert all(m.tokens is None and m.spans is None for m in made)
    assert np.allclose(made[7].vector, embedder.embed_query("turn 7").vector, atol=1e-6)
    assert [len(asked["input"]) for _, _, asked in server.requests] == [128, 128, 44, 1]
    path, authorization, asked = server.requests[0]
    assert (path, authorization, asked["model"]) == ("/v1/embeddings", "Bearer secret", "small")


def test_a_request_holds_a_bounded_amount_of_text(server, embedder):
    embedder.embed([Passage("x" * 90_000)] * 5)

    assert [len(asked["input"]) for _, _, asked in server.requests] == [2, 2, 1]


def test_no_passages_cost_no_request(server, embedder):
    assert embedder.embed([]) == []
    assert server.requests == []


def test_the_dimension_is_discovered_once(server, embedder):
    assert [embedder.fingerprint.dimension for _ in range(2)] == [32, 32]
    assert embedder.fingerprint.token_dimension == 0
    assert len(server.requests) == 1


def test_the_fingerprint_is_the_models_wherever_the_server_is(server, embedder):
    other = OpenAIEmbedder("large", base_url=server.url, api_key="secret")

    assert embedder.fingerprint.name == "openai:small"
    assert other.fingerprint.weights != embedder.fingerprint.weights
    other.close()


@pytest.mark.slow
def test_a_passing_failure_is_tried_again(server, embedder):
    server.answers = [(503, None)]

    assert np.allclose(HASH.embed_query("hello").vector, embedder.embed_query("hello").vector)
    assert len(server.requests) == 2


def test_rows_are_taken_by_their_index(server, embedder):
    server.answers = [(200, lambda data: data[::-1])]
    made = embedder.embed([Passage("one"), Passage("two")])

    assert np.allclose(HASH.embed_query("one").vector, made[0].vector)


@pytest.mark.parametrize(
    ("status", "change", "said"),
    [
        (401, None, "gave no embeddings.*unwell"),
        (200, lambda data: data[:1], "not 2 vectors"),
        (200, lambda data: [data[0], data[1] | {"embedding": [1.0]}], "not 2 vectors"),
        (200, lambda data: [d | {"embedding": ["x"]} for d in data], "not 2 vectors"),
        (200, lambda _: [], "No embedding data|not 2 vectors"),
        (200, lambda data: [d | {"embedding": [0.0, 0.0]} for d in data], "finite and not zero"),
        (200, lambda data: [d | {"embedding": [float("nan")] * 2} for d in data], "finite|gave"),
    ],
)
def test_an_answer_that_is_no_answer_is_an_error_that_names_the_server(
    server, embedder, status, change, said
):
    server.answers = [(status, change)]

    with pytest.raises(EncoderError, match=said) as caught:
        embedder.embed([Passage("one"), Passage("two")])
    assert server.url in str(caught.value)


def test_a_server_that_changes_its_dimension_is_not_believed(server, embedder):
    embedder.embed_query("one")
    server.answers = [(200, lambda data: [d | {"embedding": [1.0] * 31} for d in data])]

    with pytest.raises(EncoderError, match="31 dimensions, and 32 before"):
        embedder.embed_query("two")


def test_a_server_that_is_not_there_is_an_encoder_error():
    embedder = OpenAIEmbedder("small", base_url="http://127.0.0.1:9/v1", api_key="x", retries=0)

    with pytest.raises(EncoderError, match=r"openai:small at http://127\.0\.0\.1:9/v1"):
        embedder.embed_query("hello")
    embedder.close()


def test_lone_surrogates_are_not_sent(server, embedder):
    with pytest.raises(InvalidText):
        embedder.embed_query("half \ud83d")
    assert server.requests == []


def test_a_specification_names_model_and_server(server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "from the environment")
    embedder = load_embedder(f"openai:owner/small@{server.url}")

    assert embedder.fingerprint.name == "openai:owner/small"
    assert server.requests[0][1] == "Bearer from the environment"
    embedder.close()


def test_a_missing_key_is_said_before_anything_is_embedded(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY"):
        monkeypatch.delenv(name, raising=False)

    with pytest.raises(EncoderError, match=r"api_key|OPENAI_API_KEY|credentials"):
        load_embedder("openai:small")
