"""Every verb over HTTP answers what the same call in this process answers."""

import json

import httpx
import pytest

from hippocampus import Client, wire
from hippocampus.bank import Bank
from hippocampus.core.records import Context, Episode, Explanation, Recall, Slept, Stats, Turn
from hippocampus.verbs import BANK_VERBS

BANK = "acme/Łena"
AT = "/v1/banks/acme%2F%C5%81ena"
TOLD = [
    Turn(text="I'm moving to Lisbon in March.", speaker="Lena", at="2024-01-07", session="trip"),
    Turn(text="The kitchen leak was mended.", speaker="Priya", at="2024-04-01", session="house"),
    Turn(text="Lisbon is full of hills.", speaker="Lena", at="2024-05-02", session="trip"),
]


@pytest.fixture
def told(memory):
    bank = memory.bank(BANK)
    bank.remember_many(TOLD)
    return bank


def test_what_is_remembered_over_http_is_in_the_bank_of_that_name(http, memory):
    said = {"text": "Łódź", "at": "2024-01-01", "metadata": {"n": 10**30}}
    kept = http.post(f"{AT}/remember", json=said)

    assert kept.status_code == 200
    episode = wire.load(Episode, kept.content)
    assert memory.bank(BANK).get(episode.id) == episode
    assert episode.metadata == {"n": 10**30}
    assert http.get("/v1/banks").json() == [BANK]


def test_many_are_remembered_in_order(http):
    kept = http.post(f"{AT}/remember_many", json={"turns": [{"text": "one"}, {"text": "two"}]})

    assert ["one", "two"] == [episode.text for episode in wire.load(list[Episode], kept.content)]


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("find", {"terms": ["Lisbon"]}),
        ("count", {"term": "lisbon", "session": ["trip"]}),
        ("trend", {"term": "Lisbon", "by": "month"}),
        ("count_events", {"question": "how often did we speak of Lisbon?"}),
        ("stats", {}),
        ("episodes", {"speaker": "lena", "newest": True, "during": [["2024-01-01", None]]}),
        ("episodes", {"during": "the month when I am moving to Lisbon"}),
        ("journal", {"after": 1}),
        ("summary", {"session": "trip"}),
        ("facts", {}),
        ("entities", {}),
        ("people", {}),
        ("gists", {}),
        ("topics", {}),
        ("topic_outline", {}),
        ("communities", {}),
        ("anchors", {}),
        ("sleeps", {}),
        ("quarantine", {}),
        ("policy", {}),
    ],
)
def test_what_is_read_over_http_is_what_is_read_here(http, told, name, asked):
    if BANK_VERBS[name].method == "GET":
        structured = {k: json.dumps(v) if isinstance(v, list) else v for k, v in asked.items()}
        answer = http.get(f"{AT}/{name}", params=structured)
    else:
        answer = http.post(f"{AT}/{name}", json=asked)

    assert answer.status_code == 200, answer.text
    verb = getattr(Bank, name)
    terms = asked.pop("terms", [])
    here = verb.fget(told) if isinstance(verb, property) else verb(told, *terms, **asked)
    assert json.loads(wire.dump(here)) == answer.json()


def test_a_recall_comes_back_as_the_record_it_was(http, told):
    answer = http.post(f"{AT}/recall", json={"query": "Where is Lena moving?", "k": 2})
    found = wire.load(Recall, answer.content)

    assert [hit.id for hit in told.recall("Where is Lena moving?", 2)] == [h.id for h in found]
    assert "Lisbon" in found[0].text


def test_an_explanation_comes_back_as_the_record_it_was(http, told):
    one = told.episodes()[0].id
    answer = http.post(f"{AT}/explain", json={"query": "Where is Lena moving?", "ids": [one]})

    made, here = wire.load(Explanation, answer.content), told.explain("Where is Lena moving?")
    assert here.hits == made.hits
    assert one == made.asked[0].id


def test_a_context_comes_back_as_the_record_it_was(http, told):
    answer = http.post(f"{AT}/context", json={"query": "Where is Lena moving?", "k": 2})

    made = wire.load(Context, answer.content)
    assert told.context("Where is Lena moving?", k=2).text == made.text


def test_what_changes_an_episode_changes_it(http, told):
    first = told.episodes()[0].id

    corrected = http.post(f"{AT}/correct", json={"id": first, "text": "I'm moving to Porto."})
    new = wire.load(Episode, corrected.content)
    assert told.get(first).state == "superseded"
    for name, asked, answer in (
        ("pin", {}, 1), ("unpin", {}, 1), ("feedback", {"helpful": True}, 1),
        ("hold", {"reason": "a court"}, 1), ("release", {}, 1), ("forget", {}, 1),
        ("restore", {}, 1), ("forget", {"erase": True}, 2),  # in both wordings
    ):  # fmt: skip
        done = http.post(f"{AT}/{name}", json={"id": new.id, **asked})
        assert (200, answer) == (done.status_code, done.json()), name
    assert http.get(f"{AT}/get", params={"id": new.id}).status_code == 404


@pytest.mark.usefixtures("told")
def test_a_sleep_of_the_bank_is_undone_by_its_number(http):
    slept = wire.load(Slept, http.post(f"{AT}/sleep", json={}).content)

    assert slept.number == 1
    assert http.post(f"{AT}/undo", json={"sleep": 1}).status_code == 200
    said = {"add": ["Lisbon"], "sources": ["mail"]}
    assert http.post(f"{AT}/curate", json=said).json() is None
    heeded = {"wanted": ["Lisbon"], "denied": [], "sources": ["mail"]}
    assert http.get(f"{AT}/curated").json() == heeded
    assert http.post(f"{AT}/set_policy", json={"policy": "adaptive:2500"}).json() is None
    assert http.get(f"{AT}/policy").json()["token_target"] == 2500
    assert http.post(f"{AT}/compact", json={"dry_run": True}).json()["dry_run"] is True


@pytest.mark.usefixtures("told")
def test_a_bank_that_is_deleted_is_gone(http, memory):
    assert http.delete(AT).json() is None

    assert [] == memory.banks()
    assert http.get(f"{AT}/stats").status_code == 404


def test_stats_come_back_as_the_record_they_were(http, told):
    assert told.stats() == wire.load(Stats, http.get(f"{AT}/stats").content)


def test_every_verb_of_a_bank_has_a_route(http):
    public = {name for name in dir(Bank) if not name.startswith("_")}
    public -= {"position"}  # for those who run a store
    streams = {"export", "import_", "export_concepts", "import_concepts", "plot_topics"}

    assert public - streams == set(BANK_VERBS)
    paths = http.get("/openapi.json").json()["paths"]
    for name in public:
        assert f"/v1/banks/{{bank}}/{name.rstrip('_')}" in paths


def test_messages_of_a_chat_are_remembered_over_http(http):
    talk = [
        {"role": "user", "name": "Ada", "content": [{"type": "text", "text": "I moved."}]},
        {"role": "assistant", "content": "Where to?"},
    ]
    one = http.post(f"{AT}/remember", json={"text": talk[0], "session": "c"}).json()
    many = http.post(f"{AT}/remember_many", json={"turns": talk[1:], "session": "c"}).json()

    assert (one["text"], one["speaker"], one["role"]) == ("I moved.", "Ada", "user")
    assert [(m["text"], m["session"]) for m in many] == [("Where to?", "c")]


@pytest.mark.parametrize(
    ("verb", "given", "told"),
    [
        ("recall", {"query": "x", "top_k": 3}, "top_k=3: recall has no such argument; give k"),
        ("context", {"query": "x", "max_tokens": 3}, "; give budget_tokens"),
        ("remember", {"text": {"role": "user"}}, "a message without content"),
        (
            "remember_many",
            {"turns": [{"text": "x", "time": 3}]},
            "a turn has no such field; give at",
        ),
        ("remember_many", {"turns": [{"role": "user", "content": 3}]}, "content=3: must be text"),
    ],
)
def test_what_is_wrong_with_a_call_is_told_with_the_fix(http, verb, given, told):
    answer = http.post(f"{AT}/{verb}", json=given)

    assert answer.status_code == 422
    assert told in answer.json()["error"]["message"]


@pytest.mark.usefixtures("told")
def test_an_argument_in_an_address_that_is_none_leads_to_the_one_that_is_meant(http):
    answer = http.get(f"{AT}/episodes", params={"top_k": 3})

    assert answer.status_code == 422
    assert answer.json()["error"]["message"] == (
        "top_k=['3']: episodes has no such argument; give limit"
    )


@pytest.fixture
def damaged(told):
    """Have the first text of a bank no text, as far as whoever reads it can see."""
    store = told.state.engine.store
    with store.write():
        store.payloads.put(store.banks.number(BANK), "content", [(0, b"\1\2")])
    return told


@pytest.mark.usefixtures("damaged")
def test_what_a_list_lacks_for_damage_is_said_in_a_header(http, memory):
    found = http.get(f"{AT}/episodes")

    assert 2 == len(found.json())
    assert found.headers["Degraded"].startswith("store: the text of row 0 of bank ")
    memory.bank("sound").remember("Nothing is missing here.")
    assert "Degraded" not in http.get("/v1/banks/sound/episodes").headers
    refused = http.post(f"{AT}/count", json={"term": "Lisbon"}).json()
    assert "StoreCorrupt" == refused["error"]["type"]


@pytest.mark.usefixtures("damaged")
@pytest.mark.parametrize(
    ("how", "verb", "asked", "lacks"),
    [
        ("POST", "find", {"terms": ["missing"]}, True),
        ("GET", "facts", None, True),
        ("GET", "stats", None, False),
    ],
)
def test_damage_of_an_included_bank_is_said_where_it_is_read(http, memory, how, verb, asked, lacks):
    sound = memory.bank("sound")
    sound.remember("Nothing is missing here.")
    sound.include(BANK)
    found = http.request(how, f"/v1/banks/sound/{verb}", json=asked)

    assert 200 == found.status_code
    said = found.headers.get("Degraded", "")
    assert lacks == said.startswith("include: bank 'acme/?ena' lacks what is damaged"), said


def test_a_header_says_how_far_facts_are_read_for_whoever_would_not_wait(http, told):
    told.remember_many([Turn(text=f"I have a dog named Rex{n}.", role="user") for n in range(80)])
    asked = {"headers": {"Prefer": "respond-async, wait=0"}}
    first = http.get(f"{AT}/facts", **asked)

    assert first.headers["Degraded"].startswith("facts: read from 64 of 83 memories so far; ask")
    assert 0 < len(first.json()) < len(http.get(f"{AT}/facts").json())
    assert "Degraded" not in http.get(f"{AT}/facts", **asked).headers


@pytest.mark.usefixtures("told")
@pytest.mark.parametrize("verb", ["sessions", "sources"])
def test_a_bank_that_is_not_there_has_no_list_of_where_things_are_from(http, verb):
    assert 200 == http.get(f"{AT}/{verb}").status_code
    missing = http.get(f"/v1/banks/nobodys/{verb}")

    assert (404, "UnknownBank") == (missing.status_code, missing.json()["error"]["type"])


@pytest.fixture
def in_a_hurry(monkeypatch, told):
    """Have every answer of facts read 64 memories more, and a page hold thirty of them."""
    told.remember_many([Turn(text=f"I own a boat named Ada{n}.", role="user") for n in range(200)])
    monkeypatch.setattr("hippocampus.bank.knowledge.patience_is_over", lambda: True)
    monkeypatch.setattr("hippocampus.server.pagination.MOST_LISTED", 30)
    return told


@pytest.mark.slow
@pytest.mark.usefixtures("in_a_hurry")
def test_the_next_page_of_a_list_that_was_read_on_is_refused(http):
    first = http.get(f"{AT}/facts")
    second = http.get(f"{AT}/facts", params={"cursor": first.headers["Next-Cursor"]})

    assert "facts: read from 64 of 203" in first.headers["Degraded"]
    assert (409, "ListChanged") == (second.status_code, second.json()["error"]["type"])
    assert "the list has grown" in second.json()["error"]["message"]
    forged = http.get(f"{AT}/facts", params={"cursor": first.headers["Next-Cursor"] + "0"})
    assert 409 == forged.status_code


@pytest.mark.slow
def test_a_client_has_the_whole_list_that_grows_while_it_is_read(in_a_hurry, memory, serve):
    with Client(serve(memory)) as client:
        found = client.bank(BANK).facts()

    assert in_a_hurry.facts() == found
    assert 200 < len(found)


@pytest.mark.usefixtures("in_a_hurry")
def test_a_client_warns_of_what_is_read_in_part_not_of_vectors(memory, serve, monkeypatch):
    monkeypatch.setattr("hippocampus.server.pagination.MOST_LISTED", 1000)
    with (
        Client(serve(memory)) as client,
        pytest.warns(RuntimeWarning, match="http.* is not all of it: facts: read from 64 of 203"),
    ):
        assert 0 < len(client.bank(BANK).facts()) < 200


@pytest.mark.usefixtures("damaged")
def test_a_client_warns_that_a_list_lacks_what_is_damaged(memory, serve):
    with Client(serve(memory)) as client:
        for ask in (client.bank(BANK).episodes, client.bank(BANK).stats):
            with pytest.warns(RuntimeWarning, match="http.* went on without .*row 0 of bank"):
                ask()


@pytest.fixture
def without_model(open_memory, monkeypatch, tmp_path, serve):
    """Where a memory is served whose default model is not installed."""
    for name in ("XDG_DATA_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "no models here"))
    return serve(open_memory(embedder="default"))


@pytest.mark.filterwarnings("ignore:what is kept has no vectors:RuntimeWarning")
def test_what_is_kept_without_vectors_is_said_in_a_header(without_model, http):
    here, there = f"{without_model}{AT}/remember", f"{AT}/remember"
    kept = httpx.post(here, json={"text": "My dog is called Rex."})

    assert kept.headers["Degraded"].startswith("embedder: ")
    assert "hippocampus models install" in kept.headers["Degraded"]
    assert "Degraded" not in http.post(there, json={"text": "My dog is called Rex."}).headers


@pytest.mark.filterwarnings("ignore:what is kept has no vectors:RuntimeWarning")
def test_a_client_warns_once_that_what_a_server_keeps_has_no_vectors(without_model):
    with Client(without_model) as memory:
        bank = memory.bank("ada")
        with pytest.warns(RuntimeWarning, match="keeps has no vectors.*models install"):
            bank.remember("My dog is called Rex.")
        bank.remember("Once is enough to be told.")
