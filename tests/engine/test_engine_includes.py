"""Banks that are read along with a bank: one ranking, and what cannot be read is told."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from hippocampus import Memory, Turn
from hippocampus.core.rights import Rights, holding
from hippocampus.errors import (
    InputError,
    InvalidScope,
    StoreCorrupt,
    UnknownBank,
    UnknownEpisode,
)
from hippocampus.moving import move
from hippocampus.upkeep import verify

DAY = datetime(2025, 6, 1, 12, tzinfo=UTC)
SAID = {
    "agent": [("I keep commit messages short.", "Ada"), ("The build takes nine minutes.", "Ada")],
    "project": [("The website deploys with make deploy on Fridays.", "Tom")],
    "team": [("The VPN is at vpn.example.com.", "Ops"), ("Tom is away in August.", "Eve")],
}


@pytest.fixture
def memory(open_memory):
    memory = open_memory()
    for name, said in SAID.items():
        memory.bank(name).remember_many(Turn(text=t, speaker=s, at=DAY) for t, s in said)
    return memory


@pytest.fixture
def agent(memory):
    agent = memory.bank("agent")
    agent.include("project")
    memory.bank("project").include("team")
    return agent


def lacks(found):
    return [one.reason for one in found.degraded if one.part == "include"]


def test_each_hit_from_an_included_bank_has_the_name_of_its_bank(agent):
    for question, bank in (
        ("How does the website deploy?", "project"),
        ("Where is the VPN?", "team"),
        ("How long are commit messages?", "agent"),
    ):
        found = agent.recall(question)
        assert (bank, bank) == (found.hits[0].bank, found.hits[0].episode.bank)
        assert {hit.bank for hit in found} == {"agent", "project", "team"}
        assert [hit.score for hit in found] == sorted((h.score for h in found), reverse=True)


def test_include_of_a_call_stands_for_what_the_bank_includes(agent):
    assert {hit.bank for hit in agent.recall("the VPN", include=())} == {"agent"}
    assert {hit.bank for hit in agent.recall("the VPN", include="team")} == {"agent", "team"}
    along = agent.recall("the VPN", include=["project", "project", "agent"])
    assert {hit.bank for hit in along} == {"agent", "project", "team"}


def test_a_bank_that_is_not_there_itself_answers_from_what_a_call_includes(memory):
    found = memory.bank("new").recall("Where is the VPN?", include=["team", "agent"])

    assert (True, "team") == (found.found, found.hits[0].bank)
    assert "new" not in memory.banks()


def test_a_bank_that_includes_none_answers_as_ever(memory):
    team = memory.bank("team")

    assert team.recall("the VPN").hits == team.recall("the VPN", include=[]).hits


def test_what_is_included_is_listed_nearest_first_and_with_the_way_to_it(agent):
    agent.include("nowhere")

    assert [(one.bank, one.through, one.there) for one in agent.included()] == [
        ("project", None, True), ("nowhere", None, False), ("team", "project", True)
    ]  # fmt: skip
    assert [one.bank for one in agent.exclude("nowhere", "project")] == []
    assert {hit.bank for hit in agent.recall("the VPN")} == {"agent"}


def test_including_twice_is_noted_once(agent):
    before = agent.journal()

    agent.include("project")

    assert before == agent.journal()
    assert {"banks": ["project"]} == before[-1].detail


def test_a_bank_is_part_of_itself_neither_at_once_nor_through_others(memory, agent):
    with pytest.raises(InputError, match="'agent' is always read"):
        agent.include("agent")
    with pytest.raises(InputError, match="includes 'team' itself, or through others"):
        memory.bank("team").include("agent")
    with pytest.raises(InputError, match="at least one"):
        agent.include()
    with pytest.raises(InvalidScope):
        agent.include(" ")
    with pytest.raises(InputError, match="does not itself include 'team'"):
        agent.exclude("team")
    with pytest.raises(InvalidScope):
        agent.recall("the VPN", include=[3])


def test_a_circle_that_came_about_all_the_same_is_gone_through_once(memory, agent, tmp_path):
    team = memory.bank("team")
    team.export(tmp_path / "team.jsonl")
    lines = (tmp_path / "team.jsonl").read_text("utf-8").splitlines()
    seq = sum('"change"' in line for line in lines) + 1
    change = {"seq": seq, "at": 1, "kind": "include", "episode": None}
    lines.insert(-1, json.dumps({"change": {**change, "detail": {"banks": ["agent"]}}}))
    lines[-1] = lines[-1].replace(f'"changes":{seq - 1}', f'"changes":{seq}')
    (tmp_path / "team.jsonl").write_text("\n".join(lines), "utf-8")
    memory.delete_bank("team")
    team = memory.bank("team")
    team.import_(tmp_path / "team.jsonl")

    assert [one.bank for one in team.included()] == ["agent", "project"]
    assert [] == lacks(agent.recall("the VPN"))
    assert {hit.bank for hit in agent.recall("the VPN")} == {"agent", "project", "team"}


def test_there_is_an_end_to_how_many_and_how_far(memory):
    chain = [memory.bank(f"b{n}") for n in range(7)]
    for one, inner in pairwise(chain):
        one.remember("A note.")
        one.include(inner.name)
    chain[-1].remember("The last note.")

    assert [one.bank for one in chain[0].included()] == ["b1", "b2", "b3", "b4"]
    assert "'b4' includes others" in lacks(chain[0].recall("note"))[0]
    with pytest.raises(InputError, match="17 banks; at most 16"):
        chain[0].include(*(f"c{n}" for n in range(16)))


def test_the_rest_answers_with_a_note_about_a_bank_that_is_not_there(memory, agent):
    memory.delete_bank("team")
    found = agent.recall("How does the website deploy?")

    assert "project" == found.hits[0].bank
    assert ["bank 'team' is not there, or not open to whoever asks; it was left out"] == lacks(
        found
    )
    assert lacks(found) == lacks(agent.context("How does the website deploy?").recall)
    with pytest.raises(UnknownBank, match="'nobody' is not there"):
        agent.count("VPN", include=["nobody"])


def test_what_is_said_twice_is_shown_once_with_both_banks(agent):
    text, speaker = SAID["team"][0]
    agent.remember(text, speaker=speaker, at=DAY)

    found = agent.recall("Where is the VPN?")

    assert ("agent", ("team",)) == (found.hits[0].bank, found.hits[0].also_in)
    assert 1 == sum("VPN" in hit.text for hit in found)
    assert 5 == len({hit.text for hit in found})


def test_filters_and_as_of_hold_in_every_bank(memory, agent, clock):
    before = clock.now()
    clock.advance(timedelta(minutes=1))
    memory.bank("team").remember("The VPN is down today.")
    assert 6 == len(agent.recall("VPN"))
    assert {"Ops"} == {h.episode.speaker for h in agent.recall("VPN", speaker="Ops")}
    assert [] == list(agent.recall("VPN", until="2025-05-31"))
    assert 5 == len(agent.recall("VPN", as_of=before))
    assert [] == list(agent.recall("VPN", as_of="2020-01-01"))


def test_nothing_found_is_nothing_found_in_any(agent):
    assert not agent.recall("Who won the regatta in Sydney?").found


def test_find_count_facts_and_ids_reach_into_the_included_banks(memory, agent):
    vpn = memory.bank("team").find("VPN")[0]

    assert [vpn] == agent.find("VPN")
    assert [] == agent.find("VPN", include=())
    assert 2 == agent.count("is") + agent.count("nothing like it")
    assert 0 == agent.count("is", include=())
    assert vpn == agent.get(vpn.id)
    assert [vpn] == agent.expand(vpn.address)
    assert "remember" == agent.history(vpn.id)[0].kind
    with pytest.raises(UnknownEpisode):
        memory.bank("team").get(agent.episodes()[0].id)
    paged = [agent.find("the", limit=1, offset=n)[0].text for n in range(agent.count("the") - 1)]
    assert paged == [one.text for one in agent.find("the")][: len(paged)]


def test_the_time_of_an_event_that_one_bank_tells_of_holds_in_all(memory, agent):
    agent.remember("I am away from 13 to 17 May.", speaker="Ana", at="2024-05-02")
    core = memory.bank("team/core")
    core.remember("The plumber mended the boiler.", speaker="Tom", at="2024-05-14")
    core.remember("The boiler hums.", speaker="Tom", at="2024-06-14")

    for bank, included in ((agent, "team/core"), (core, "agent")):
        away = {"during": "while Ana was away", "include": included}
        assert ["2024-05-14"] == [f"{e.occurred_at:%F}" for e in bank.find("boiler", **away)]
        assert 1 == bank.count("boiler", **away)


@pytest.mark.slow
def test_facts_of_all_say_who_was_told(memory, agent):
    memory.bank("team").remember("Tom lives in Graz.", speaker="Eve")
    agent.remember("Tom works for Acme.", speaker="Ada")
    for name in ("team", "agent"):
        memory.bank(name).sleep()

    told = {(fact.bank, fact.relation) for fact in agent.facts("Tom")}

    assert {("team", "lives_in"), ("agent", "works_at")} <= told
    assert {"agent"} == {fact.bank for fact in agent.facts("Tom", include=())}


def test_a_context_is_of_all_of_them_within_its_budget(agent):
    made = agent.context("Where is the VPN, and how does the website deploy?", 200)

    assert {"team", "project"} <= {hit.bank for hit in made.items}
    assert made.tokens <= 200


def test_explain_says_which_bank_and_which_cue(memory, agent):
    vpn = memory.bank("team").find("VPN")[0]

    told = agent.explain("Where is the VPN?", 2, ids=[vpn.id])

    assert [hit.id for hit in told.recall] == [one.id for one in told.hits]
    assert [hit.bank for hit in told.recall] == [one.bank for one in told.hits]
    assert {"agent", "project", "team"} == {one.bank for one in told.cues}
    assert "team" == told.asked[0].bank
    assert [1, 2] == [one.place for one in told.hits]
    assert "[team] Ops: The VPN" in str(told)
    assert "" == agent.explain("Where is the VPN?", include=()).hits[0].bank
    with pytest.raises(UnknownEpisode):
        agent.explain("Where is the VPN?", ids=["0" * 24])


def test_writes_go_to_the_bank_alone(memory, agent):
    note = agent.remember("A note of the agent.")

    assert "agent" == note.bank
    assert [] == memory.bank("team").find("note") + memory.bank("project").find("note", include=())


def test_who_may_not_read_a_bank_learns_neither_its_name_nor_its_number(agent):
    agent.include("nowhere")
    with holding(Rights({"agent"}.__contains__, {"agent"}.__contains__)):
        found = agent.recall("Where is the VPN?")
        assert {"agent"} == {hit.bank for hit in found}
        assert ["not all that is included is open to whoever asks; what is not was left out"] == (
            lacks(found)
        )
        assert [] == agent.included()
        assert "team" not in repr(agent.journal()) + repr(found) + repr(agent.explain("VPN"))
        for name in ("team", "nobody"):
            with pytest.raises(UnknownBank, match=f"'{name}' is not there, or not open"):
                agent.include(name)
            told = agent.recall("VPN", include=[name])
            assert [
                f"bank {name!r} is not there, or not open to whoever asks; it was left out"
            ] == (lacks(told))
        assert [] == agent.exclude("nobody"), "nor whether one is included, by excluding it"
    with holding(Rights({"agent", "project"}.__contains__, {"agent"}.__contains__)):
        assert ["project"] == [one.bank for one in agent.included()]
        assert {"agent", "project"} == {hit.bank for hit in agent.recall("VPN")}


def test_includes_outlast_a_reopening_an_export_a_backup_and_a_move(memory, agent):
    path = memory.engine.store.path
    agent.export(path + ".jsonl")
    memory.bank("copy").import_(path + ".jsonl")
    memory.bank("kept").include("team")
    memory.bank("kept").import_(path + ".jsonl")
    memory.backup(path + ".backup")
    assert verify(memory).problems == ()
    memory.close()
    move(path, path + ".moved")

    for place in (path, path + ".backup", path + ".moved"):
        with Memory(place, embedder="hash") as again:
            for name, first in (("agent", "project"), ("copy", "project"), ("kept", "team")):
                assert first == again.bank(name).included()[0].bank
            assert "team" in {hit.bank for hit in again.bank("agent").recall("the VPN")}


@pytest.mark.usefixtures("agent")
def test_a_store_read_only_reads_along(memory):
    path = memory.engine.store.path
    memory.close()
    with Memory(path, embedder="hash", read_only=True) as again:
        assert "team" == again.bank("agent").recall("Where is the VPN?").hits[0].bank


def test_what_is_erased_in_an_included_bank_is_gone_at_once(memory, agent):
    team = memory.bank("team")
    assert "VPN" in agent.recall("Where is the VPN?").hits[0].text

    team.forget(team.find("VPN")[0].id, erase=True)

    assert "VPN" not in repr(agent.recall("Where is the VPN?").hits)


def test_a_damaged_bank_is_left_out_with_a_note(memory, agent):
    state = memory.bank("team").state
    with memory.engine.store.write():
        memory.engine.store.transactions.do(
            "UPDATE banks SET checksum = checksum + 1 WHERE bank = ?", state.ledger().bank
        )

    found = agent.recall("How does the website deploy?")

    assert "project" == found.hits[0].bank
    assert "bank 'team' was left out" in lacks(found)[0]


def test_the_rest_answers_without_a_bank_whose_texts_cannot_be_read(memory, agent):
    state = memory.bank("team").state

    class Broken:
        def __getattr__(self, name):
            raise StoreCorrupt("its texts are damaged", path="memory.db")

    state.snapshot = replace(state.take(), ledger=Broken())

    found = agent.recall("How does the website deploy?")

    assert {"agent", "project"} == {hit.bank for hit in found}
    assert "bank 'team' was left out: its texts are damaged" in lacks(found)[0]


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_what_one_bank_has_several_times_stands_in_no_way_of_a_recall(memory, k):
    said = "The otter swims in the river at night."
    one, other = memory.bank("one"), memory.bank("other")
    one.remember(said, at="2026-01-02")
    for number in range(5):
        other.remember(said, at="2026-01-02", metadata={"n": number}, again=True)
        other.remember(f"The river otter number {number} sleeps.", at=f"2026-02-0{number + 1}")

    for asked, beside in ((one, "other"), (other, "one")):
        found = asked.recall("Where does the otter swim at night?", k=k, include=beside)
        assert found.hits[0].text == said
