"""The OpenAPI document says what there is, and whatever it allows is answered, never with a 5xx."""

import json

import httpx
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from hippocampus import Memory
from hippocampus.server import create_app
from hippocampus.server.keys import Keys

SLOW = ("/v1/backup", "/v1/rebuild")
PAIRS = ("quarantine", "import")
"""What answers with pairs, whose schemas (``prefixItems``) schemathesis does not read."""


def make_document():
    with Memory(":memory:", embedder="none") as memory:
        return create_app(memory).openapi()


DOCUMENT = make_document()
OPERATIONS = [
    (method, path)
    for path, methods in DOCUMENT["paths"].items()
    for method in methods
    if path != "/v1/calibrate"  # which takes as long as it is told to
]


@pytest.fixture(scope="module")
def shared(tmp_path_factory, serve_all):
    """A memory, where it is served, and the key to all of it, for all of these tests."""
    file = tmp_path_factory.mktemp("openapi") / "memory.db"
    with Memory(file, embedder="hash") as memory:
        token = Keys(memory).create("whoever tries everything", "admin", ["*"]).token
        yield memory, serve_all(memory), {"Authorization": f"Bearer {token}"}


@pytest.fixture(scope="module")
def api(shared):
    import schemathesis  # which takes as long as a hundred tests

    return schemathesis.openapi.from_url(f"{shared[1]}/openapi.json")


@pytest.fixture(scope="module")
def checks():
    """Return what every answer must be, and what one without pairs must be as well."""
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks

    every = [not_a_server_error, checks.status_code_conformance]
    every.append(checks.response_headers_conformance)
    return every, [*every, checks.response_schema_conformance]


@pytest.fixture(autouse=True)
def told(shared):
    said = {"speaker": "Lena", "session": "trip", "metadata": {"year": 2024}}
    shared[0].bank("ada").remember("Lena moved to Lisbon.", at="2024-01-01", **said)


@pytest.mark.parametrize(("method", "route"), OPERATIONS)
def test_whatever_the_document_allows_is_answered(api, checks, shared, request, method, route):
    few = 1 if route in SLOW else 2
    many = settings(
        max_examples=200 if request.config.getoption("--slow") else few, deadline=None,
        derandomize=True, suppress_health_check=list(HealthCheck), database=None,
        phases=[Phase.explicit, Phase.generate],
    )  # fmt: skip

    wanted = checks[not route.endswith(PAIRS)]

    @many
    @given(case=api[route][method].as_strategy())
    def ask(case):
        key = shared[2]
        case.call_and_validate(checks=wanted, headers=key)
        if "bank" in case.path_parameters:  # and of a bank that is there
            case.path_parameters["bank"] = "ada"
            answer = case.call_and_validate(checks=wanted, headers=key)
            assert answer.status_code not in (401, 403), "the key opens everything"
        case.call_and_validate(checks=wanted, headers={"Authorization": "Bearer none"})

    ask()


@pytest.mark.parametrize(("method", "route"), OPERATIONS)
def test_every_operation_says_what_it_does_and_what_it_answers(method, route):
    told = DOCUMENT["paths"][route][method]

    assert told["summary"].endswith((".", ":"))
    assert "200" in told["responses"]
    content = told.get("requestBody", {}).get("content", {})
    if "application/json" in content and route.rpartition("/")[2] != "import_concepts":
        assert "example" in content["application/json"], "say what one would send"


def test_every_example_is_one_that_the_verb_takes(http):
    for path, methods in DOCUMENT["paths"].items():
        example = (
            methods.get("post", {})
            .get("requestBody", {})
            .get("content", {})
            .get("application/json", {})
            .get("example")
        )
        if example is None or path == "/v1/calibrate":
            continue
        answer = http.post(path.format(bank="ada", id="0"), json=example)
        known = answer.status_code in (200, 404) or "id" in example or "no key" in answer.text
        had = "has had none" in answer.text  # of sleeps
        assert known or had, (path, answer.text)


def parameters(method, path):
    return {one["name"]: one for one in DOCUMENT["paths"][path][method]["parameters"]}


def test_all_that_an_import_takes_is_in_the_document(shared):
    told = parameters("post", "/v1/banks/{bank}/import")
    _, url, key = shared
    lines = {"Content-Type": "application/x-ndjson", **key}
    wrong = httpx.post(f"{url}/v1/banks/ada/import?no=1", content=b"{}", headers=lines)

    _, _, takes = wrong.json()["error"]["message"].partition("there are ")
    assert {name for name, one in told.items() if one["in"] == "query"} == set(takes.split(", "))


def test_what_may_be_sent_again_under_a_key_says_so():
    assert "Idempotency-Key" in parameters("delete", "/v1/banks/{bank}")
    assert "Min-Seq" in parameters("get", "/v1/banks/{bank}/export")
    assert "Min-Seq" not in parameters("get", "/v1/backup")


def test_every_reference_in_the_document_leads_somewhere():
    schemas = DOCUMENT["components"]["schemas"]
    text = json.dumps(DOCUMENT)

    for part in text.split('"#/components/schemas/')[1:]:
        assert part.partition('"')[0] in schemas
