"""Keys: what each opens, and that it tells nothing of what it does not."""

import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import httpx
import pytest

from hippocampus import Memory
from hippocampus.errors import InputError, Unauthorized
from hippocampus.server import Limits
from hippocampus.server.keys import SETTING, Keys

ACME, GLOBEX = "acme/lena", "globex/omar"


def at(bank, verb):
    return f"/v1/banks/{bank.replace('/', '%2F')}/{verb}"


class Tenants:
    """A server with two tenants' banks, and a way to ask it with a key."""

    def __init__(self, http, memory):
        self.http, self.memory, self.keys = http, memory, Keys(memory)
        memory.bank(ACME).remember("Lena's code is 4711.", speaker="Lena")
        memory.bank(GLOBEX).remember("Omar's code is 1234.", speaker="Omar")
        self.tokens = {
            name: self.keys.create(name, role, banks).token
            for name, role, banks in (
                ("reader", "read", ["acme/*"]),
                ("writer", "write", ["acme/*"]),
                ("admin", "admin", ["acme/*"]),
                ("one", "admin", [ACME]),
                ("keeper", "admin", ["*"]),
            )
        }

    def ask(self, who, method, path, **options):
        headers = {"Authorization": f"Bearer {self.tokens[who]}"} | options.pop("headers", {})
        return self.http.request(method, path, headers=headers, **options)


@pytest.fixture(scope="module")
def tenants(tmp_path_factory, serve_all):
    with Memory(tmp_path_factory.mktemp("tenants") / "memory.db", embedder="hash") as memory:
        keys = Keys(memory)
        keys.revoke(keys.create("the first", "read", ["x"]).key.id)  # from now on a key is needed
        with httpx.Client(base_url=serve_all(memory), timeout=30) as client:
            yield Tenants(client, memory)


def test_from_the_first_key_on_nobody_is_answered_without_one(tenants):
    for path in ("/v1/banks", at(ACME, "stats"), "/v1/whoami", "/metrics"):
        answer = tenants.http.get(path)
        assert (401, "Unauthorized") == (answer.status_code, answer.json()["error"]["type"])
        assert answer.headers["www-authenticate"] == "Bearer"
    assert tenants.http.get("/healthz").status_code == 200
    assert tenants.http.get("/readyz").status_code == 200


@pytest.mark.parametrize(
    "token",
    ["hpc_", "hpc_000000000000_x", "Bearer", "hpc_é_é", "hpc_" + "0" * 5000],
)
def test_a_token_that_is_none_is_refused_as_any_other(tenants, token):
    answer = tenants.http.get("/v1/banks", headers={"Authorization": b"Bearer " + token.encode()})

    assert answer.status_code == 401
    assert token not in answer.text


def test_a_known_id_with_another_secret_is_refused_in_the_same_words(tenants):
    good = tenants.tokens["reader"]
    id_, secret = good.removeprefix("hpc_").split("_", 1)
    said = {
        tenants.http.get("/v1/banks", headers={"Authorization": f"Bearer hpc_{i}_{s}"}).json()[
            "error"
        ]["message"]
        for i, s in ((id_, "wrong"), (id_, secret[:-1]), ("000000000000", secret), ("", secret))
    }

    assert len(said) == 1


def test_a_key_lists_its_own_banks_and_no_others(tenants):
    tenants.memory.bank("acme").remember("Not theirs: it does not begin with acme/.")
    assert tenants.ask("reader", "GET", "/v1/banks").json() == [ACME]
    assert tenants.ask("one", "GET", "/v1/banks").json() == [ACME]
    assert tenants.ask("reader", "GET", "/v1/banks?prefix=g").json() == []
    assert tenants.ask("reader", "GET", "/v1/banks?prefix=acme").json() == [ACME]
    assert tenants.ask("keeper", "GET", "/v1/banks").json() == ["acme", ACME, GLOBEX]
    tenants.memory.delete_bank("acme")


@pytest.mark.parametrize("who", ["reader", "writer", "admin", "one"])
def test_a_bank_that_is_not_theirs_answers_as_one_that_is_not_there(tenants, who, monkeypatch):
    asked = []
    monkeypatch.setattr(
        tenants.memory.engine.store.banks, "number", asked.append
    )  # nobody may even look
    for method, verb, body in (
        ("GET", "stats", None), ("GET", "episodes", None), ("POST", "recall", {"query": "code"}),
        ("POST", "remember", {"text": "x"}), ("DELETE", "", None), ("GET", "export", None),
        ("POST", "recall", {"nonsense": 1}), ("GET", "plot_topics", None),
    ):  # fmt: skip
        said = []
        for bank in (GLOBEX, "globex/nobody", "acme~", "\u0141"):
            path = at(bank, verb).rstrip("/")
            answer = tenants.ask(who, method, path, json=body)
            error = answer.json()["error"]
            error.pop("request_id")
            said.append((answer.status_code, json.dumps(error)))
            assert bank not in answer.text
        assert len(set(said)) == 1
        assert said[0][0] == 404
    assert asked == []


def test_what_is_not_there_among_ones_own_names_no_other_bank(tenants):
    answer = tenants.ask("reader", "GET", at("acme/nobody", "stats"))

    assert answer.status_code == 404
    assert answer.json()["error"]["type"] == "UnknownBank"
    assert GLOBEX not in answer.text
    assert ACME not in answer.text


def test_an_id_of_another_bank_is_unknown(tenants):
    theirs = tenants.memory.bank(GLOBEX).episodes()[0].id

    for verb in ("get", "history", "related", "uses"):
        answer = tenants.ask("admin", "GET", at(ACME, verb), params={"id": theirs})
        assert answer.status_code == 404
        assert "1234" not in answer.text


@pytest.mark.parametrize(
    ("who", "allowed"),
    [("reader", {"read"}), ("writer", {"read", "write"}), ("admin", {"read", "write", "admin"})],
)
def test_a_role_may_what_it_may(tenants, who, allowed):
    for role, method, verb, body in (
        ("read", "POST", "recall", {"query": "code"}),
        ("read", "GET", "stats", None),
        ("write", "POST", "remember", {"text": "Something new."}),
        ("write", "POST", "sleep", {"dry_run": True}),
        ("admin", "POST", "compact", {"dry_run": True}),
        ("admin", "GET", "export", None),
        ("admin", "POST", "set_policy", {"policy": "keep"}),
        ("read", "GET", "profile", None),
        ("admin", "POST", "set_profile", {"persona": "You are kind."}),
    ):
        answer = tenants.ask(who, method, at(ACME, verb), json=body)
        assert (200 if role in allowed else 403) == answer.status_code, verb
        if role not in allowed:
            assert answer.json()["error"]["type"] == "AccessError"


def test_what_concerns_the_whole_store_is_for_an_admin_of_all_of_it(tenants):
    for who in ("reader", "admin"):
        for method, path in (
            ("GET", "/metrics"), ("GET", "/v1/keys"), ("GET", "/v1/backup"),
            ("POST", "/v1/rebuild"), ("POST", "/v1/calibrate"), ("POST", "/v1/sleep_if_due"),
        ):  # fmt: skip
            assert tenants.ask(who, method, path).status_code == 403, path
    assert tenants.ask("keeper", "GET", "/metrics").status_code == 200
    assert set(tenants.ask("keeper", "POST", "/v1/rebuild", json={}).json()) == {ACME, GLOBEX}


@pytest.mark.slow
def test_a_key_made_over_http_works_until_it_is_rotated_or_revoked(tenants):
    wanted = {"name": "new", "role": "read", "banks": ["globex/*"]}
    made = tenants.ask("keeper", "POST", "/v1/keys", json=wanted).json()
    tenants.tokens["new"] = made["token"]
    id_ = made["key"]["id"]

    assert _within_a_second(lambda: tenants.ask("new", "GET", "/v1/banks").status_code == 200)
    assert tenants.ask("new", "GET", "/v1/banks").json() == [GLOBEX]
    rotated = tenants.ask("keeper", "POST", f"/v1/keys/{id_}/rotate", json={}).json()
    assert _within_a_second(lambda: tenants.ask("new", "GET", "/v1/banks").status_code == 401)
    tenants.tokens["new"] = rotated["token"]
    assert tenants.ask("new", "GET", "/v1/banks").json() == [GLOBEX]
    assert tenants.ask("keeper", "DELETE", f"/v1/keys/{id_}").json()["name"] == "new"
    assert _within_a_second(lambda: tenants.ask("new", "GET", "/v1/banks").status_code == 401)
    listed = tenants.ask("keeper", "GET", "/v1/keys").text
    assert id_ not in listed
    assert not re.search("digest|secret|token", listed)


@pytest.mark.slow
def test_a_key_is_known_as_soon_as_it_was_made_here_or_elsewhere(tenants):
    wanted = {"name": "new", "role": "read", "banks": ["globex/*"]}
    for _ in range(3):
        tenants.ask("keeper", "GET", "/v1/whoami")
        made = tenants.ask("keeper", "POST", "/v1/keys", json=wanted).json()
        tenants.tokens["new"] = made["token"]
        assert tenants.ask("new", "GET", "/v1/banks").status_code == 200
        at_once = f"/v1/keys/{made['key']['id']}"
        rotated = tenants.ask("keeper", "POST", f"{at_once}/rotate", json={}).json()
        assert tenants.ask("new", "GET", "/v1/banks").status_code == 401
        tenants.tokens["new"] = rotated["token"]
        assert tenants.ask("new", "GET", "/v1/banks").status_code == 200
        tenants.ask("keeper", "DELETE", at_once)
        assert tenants.ask("new", "GET", "/v1/banks").status_code == 401
    time.sleep(0.1)  # less than the second for which keys are taken to be as they were
    tenants.tokens["new"] = tenants.keys.create(**wanted).token
    assert tenants.ask("new", "GET", "/v1/banks").status_code == 200


def _within_a_second(fact):
    end = time.monotonic() + 3
    while time.monotonic() < end:
        if fact():
            return True
        time.sleep(0.02)
    return False


@pytest.mark.slow
def test_a_key_that_was_revoked_is_refused_however_busy_a_server_is(
    serve, open_memory, kept_waiting
):
    memory = open_memory("busy.db")
    bank = memory.bank("ada")
    bank.remember("Something.")
    keys = Keys(memory)
    made = keys.create("x", "read", ["*"])
    limits = Limits(readers=1, waiting=1, answers_bytes=0)
    headers = {"Authorization": f"Bearer {made.token}"}
    with httpx.Client(base_url=serve(memory, limits=limits), headers=headers, timeout=30) as http:
        assert http.get("/v1/whoami").status_code == 200
        with ThreadPoolExecutor(3) as threads, kept_waiting(bank):
            asked = [  # one waits for the bank, one for the thread, and one is sent away
                threads.submit(http.post, "/v1/banks/ada/recall", json={"query": "some"})
                for _ in range(3)
            ]
            while not any(one.done() for one in asked):
                time.sleep(0.01)
            keys.revoke(made.key.id)
            time.sleep(1.1)
            for _ in range(3):
                assert http.get("/v1/whoami").status_code == 401


@pytest.mark.slow
def test_an_import_ends_when_its_key_is_revoked(serve, open_memory):
    memory = open_memory("stream.db")
    keys = Keys(memory)
    made = keys.create("x", "write", ["*"])
    batch = memory.engine.config.ingest.batch

    def lines():
        for number in range(batch + 20):
            if number == batch:
                until = time.monotonic() + 30
                while not memory.banks() or memory.bank("ada").stats().episodes < batch:
                    assert time.monotonic() < until
                    time.sleep(0.01)
                keys.revoke(made.key.id)
            if number >= batch:
                time.sleep(0.1)
            yield b'{"text": "Number %d."}\n' % number

    headers = {"Authorization": f"Bearer {made.token}"}
    with httpx.Client(base_url=serve(memory), headers=headers, timeout=30) as http:
        kinds = {"Content-Type": "application/x-ndjson", "Accept": "application/json"}
        answer = http.post("/v1/banks/ada/import", content=lines(), headers=kinds)

    assert (401, "Unauthorized") == (answer.status_code, answer.json()["error"]["type"])
    assert batch == memory.bank("ada").stats().episodes


@pytest.fixture
def path(tmp_path):
    """A store of each test's own, for keys that are made outlast a test."""
    return tmp_path / "memory.db"


@pytest.fixture
def memory(open_memory):
    return open_memory()


@pytest.mark.slow
def test_the_store_holds_no_secret(memory):
    made = Keys(memory).create("x", "read", ["*"])
    secret = made.token.split("_", 2)[2]

    assert secret not in memory.engine.store.settings.get(SETTING)
    assert made.key.id in memory.engine.store.settings.get(SETTING)


def test_a_rotated_key_lets_the_former_secret_in_for_as_long_as_asked(memory, clock):
    keys = Keys(memory)
    made = keys.create("x", "read", ["a"])
    again = keys.rotate(made.key.id, keep_s=3600)
    keys.refresh()

    assert keys.caller(made.token) == keys.caller(again.token)
    clock.advance(timedelta(hours=1))
    with pytest.raises(Unauthorized):
        keys.caller(made.token)
    assert keys.caller(again.token).role == "read"


def test_a_store_whose_last_key_is_revoked_lets_nobody_in(memory):
    keys = Keys(memory)
    keys.revoke(keys.create("x", "admin", ["*"]).key.id)

    assert keys.refresh()
    with pytest.raises(Unauthorized):
        keys.caller(None)


def test_keys_come_with_a_backup(memory, open_memory, path):
    made = Keys(memory).create("x", "read", ["a"])
    memory.backup(path.with_name("copy.db"))

    copy = Keys(open_memory("copy.db"))
    copy.refresh()
    assert copy.caller(made.token).banks == ("a",)


@pytest.mark.parametrize(
    ("name", "role", "banks"),
    [
        ("", "read", ["a"]), ("x", "root", ["a"]), ("x", "read", []), ("x", "read", "a"),
        ("x", "read", [""]), ("x" * 101, "read", ["a"]), ("x\n", "read", ["a"]),
    ],
)  # fmt: skip
def test_a_key_that_makes_no_sense_is_not_made(memory, name, role, banks):
    with pytest.raises(InputError):
        Keys(memory).create(name, role, banks)
    assert memory.engine.store.settings.get(SETTING) is None


def test_a_key_that_is_not_there_cannot_be_revoked(memory):
    with pytest.raises(InputError, match="keys list"):
        Keys(memory).revoke("0")
