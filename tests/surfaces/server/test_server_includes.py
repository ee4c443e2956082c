"""Includes and promotions over HTTP: what a key opens is looked at each time."""

import httpx
import pytest

from hippocampus import Memory
from hippocampus.server.keys import Keys

AGENT, PROJECT, TEAM = "acme/coder", "acme/web", "acme/team"


@pytest.fixture(scope="module")
def ask(tmp_path_factory, serve_all):
    with Memory(tmp_path_factory.mktemp("scopes") / "memory.db", embedder="hash") as memory:
        memory.bank(AGENT).remember("Commit messages are short.", speaker="Ada")
        memory.bank(PROJECT).remember("The website deploys on Fridays.", speaker="Tom")
        memory.bank(TEAM).remember("The VPN is at vpn.example.com.", speaker="Ops")
        keys = Keys(memory)
        tokens = {
            name: keys.create(name, role, banks).token
            for name, role, banks in (
                ("coder", "write", [AGENT, PROJECT]),
                ("reader", "read", [AGENT, PROJECT, TEAM]),
                ("all", "write", ["acme/*"]),
                ("owner", "admin", [AGENT, PROJECT]),
                ("keeper", "admin", ["*"]),
            )
        }
        with httpx.Client(base_url=serve_all(memory), timeout=30) as client:

            def ask(who, bank, verb, **given):
                headers = {"Authorization": f"Bearer {tokens[who]}"}
                path = f"/v1/banks/{bank.replace('/', '%2F')}/{verb}"
                asks = verb in ("included", "journal", "history", "get", "export")
                if asks:
                    return client.get(path, params=given, headers=headers)
                return client.post(path, json=given, headers=headers)

            ask.memory = memory
            assert ask("all", AGENT, "include", banks=[PROJECT, TEAM]).status_code == 200
            yield ask


def banks_of(answer):
    return {hit["episode"]["bank"] for hit in answer.json()["hits"]}


def test_each_key_is_answered_from_what_it_opens_however_often_it_is_asked(ask):
    for _ in range(2):
        assert {AGENT, PROJECT, TEAM} == banks_of(ask("all", AGENT, "recall", query="VPN"))
        assert {AGENT, PROJECT} == banks_of(ask("coder", AGENT, "recall", query="VPN"))
        assert {AGENT, PROJECT, TEAM} == banks_of(ask("reader", AGENT, "recall", query="VPN"))


def test_nothing_that_a_key_is_told_names_or_counts_what_it_does_not_open(ask):
    told = [
        ask("coder", AGENT, verb, **given)
        for verb, given in (
            ("recall", {"query": "VPN"}), ("context", {"query": "VPN"}),
            ("explain", {"query": "VPN"}), ("find", {"terms": ["VPN"]}), ("included", {}),
            ("count", {"term": "VPN"}), ("journal", {}),
        )
    ]  # fmt: skip

    assert all(one.status_code == 200 for one in told)
    assert not any(TEAM in one.text or "vpn.example" in one.text for one in told)
    assert 0 == told[5].json()
    hidden = ask("coder", AGENT, "recall", query="VPN", include=[TEAM]).json()
    missing = ask("coder", AGENT, "recall", query="VPN", include=["acme/none"]).json()
    assert [one["reason"].replace(TEAM, "acme/none") for one in hidden["degraded"]] == [
        one["reason"] for one in missing["degraded"]
    ]


def test_an_export_that_comes_in_again_names_no_bank_closed_to_its_key(ask, tmp_path):
    note = ask("all", AGENT, "remember", text="A lesson that the team has a copy of.").json()
    (copy,) = ask("all", AGENT, "promote", id=note["id"], to=TEAM).json()
    moved = ask("all", TEAM, "remember", text="A lesson that came back.").json()
    ask("all", TEAM, "demote", id=moved["id"], to=AGENT)

    told = ask("owner", AGENT, "export")

    assert 200 == told.status_code
    assert TEAM not in told.text
    assert copy["id"] not in told.text
    assert PROJECT in told.text
    assert TEAM in ask("keeper", AGENT, "export").text
    exported = tmp_path / "export.jsonl"
    exported.write_text(told.text, encoding="utf-8")
    with Memory(tmp_path / "other.db", embedder="hash") as other:
        bank = other.bank("acme/copy")
        bank.import_(exported)
        assert [PROJECT] == [one.bank for one in bank.included()]
        assert ["remember", "promote"] == [one.kind for one in bank.history(note["id"])]


def test_an_included_bank_that_changes_changes_the_answer(ask):
    before = ask("all", AGENT, "recall", query="Who keeps the spare key?").json()["hits"]

    ask("all", TEAM, "remember", text="Eve keeps the spare key.", speaker="Eve")

    found = ask("all", AGENT, "recall", query="Who keeps the spare key?").json()["hits"]
    assert "Eve keeps" in found[0]["episode"]["text"]
    assert len(before) + 1 == len(found)


@pytest.mark.parametrize(
    ("who", "verb", "to", "status"),
    [
        ("coder", "promote", PROJECT, 200),
        ("coder", "promote", TEAM, 403),
        ("coder", "promote", "acme/none", 403),
        ("coder", "demote", "globex/omar", 403),
        ("reader", "promote", PROJECT, 403),
        ("reader", "demote", PROJECT, 403),
        ("all", "promote", "globex/omar", 403),
        ("all", "promote", TEAM, 200),
        ("keeper", "promote", "globex/omar", 200),
    ],
)
def test_a_memory_goes_only_where_the_key_may_write(ask, who, verb, to, status):
    note = ask("all", AGENT, "remember", text=f"A lesson for {to}, by {who}.").json()

    answer = ask(who, AGENT, verb, id=note["id"], to=to)

    assert status == answer.status_code, answer.text
    if status == 200:
        assert [to] == [one["bank"] for one in answer.json()]


@pytest.mark.parametrize(
    ("who", "name", "status"),
    [
        ("coder", PROJECT, 200), ("coder", TEAM, 404), ("coder", "acme/none", 404),
        ("reader", PROJECT, 403), ("all", "acme/later", 200), ("all", "globex/omar", 404),
    ],
)  # fmt: skip
def test_only_a_reader_of_a_bank_who_may_write_here_can_include_it(ask, who, name, status):
    answer = ask(who, AGENT, "include", banks=[name])

    assert status == answer.status_code, answer.text


def test_an_original_is_erased_with_its_copies_or_not_at_all(ask):
    note = ask("all", AGENT, "remember", text="A secret of the team's cellar.").json()
    ask("all", AGENT, "promote", id=note["id"], to=TEAM)

    refused = ask("coder", AGENT, "forget", id=note["id"], erase=True)
    assert 403 == refused.status_code
    assert TEAM not in refused.text
    assert 1 == ask("all", AGENT, "forget", id=note["id"], erase=True).json()

    assert 0 == ask("all", TEAM, "count", term="cellar").json()
