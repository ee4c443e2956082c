"""The reference memory server's nine tools: its documented behaviour, on a bank that keeps it."""

import json
import os
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hippocampus import Memory
from hippocampus.core.config import POLICIES
from hippocampus.core.quotes import CLOSE, OPEN
from hippocampus.mcp import create_server
from hippocampus.mcp.compat import Graph

JOHN = {
    "name": "John_Smith",
    "entityType": "person",
    "observations": ["Speaks fluent Spanish"],
}
ANTHROPIC = {"name": "Anthropic", "entityType": "organization", "observations": []}
WORKS = {"from": "John_Smith", "to": "Anthropic", "relationType": "works_at"}
NOTES = ["Speaks fluent Spanish", "Graduated in 2019", "Prefers morning meetings"]


@pytest.fixture
def agent(serve):
    """Return an agent with the nine tools."""
    return serve(compat=True)


@pytest.fixture
def john(agent):
    """An agent that knows John and where he works, as in the reference's documentation."""
    agent("create_entities", entities=[JOHN, ANTHROPIC])
    agent("create_relations", relations=[WORKS])
    agent("add_observations", observations=[{"entityName": "John_Smith", "contents": NOTES[1:]}])
    return agent


def graph(*entities, relations=()):
    return {"entities": list(entities), "relations": list(relations)}


WHOLE = graph(JOHN | {"observations": NOTES}, ANTHROPIC, relations=[WORKS])


# ---------------------------------------------------------------- as documented


def test_what_is_created_is_answered_as_data_and_as_text(agent):
    answer = agent.call("create_entities", entities=[JOHN, ANTHROPIC])

    assert {"entities": [JOHN, ANTHROPIC]} == answer.structured_content
    assert json.dumps([JOHN, ANTHROPIC], indent=2) == answer.content[0].text


def test_entities_with_existing_names_are_ignored(john):
    again = JOHN | {"entityType": "robot", "observations": ["Beeps"]}

    assert {"entities": []} == john("create_entities", entities=[again])
    assert {"entities": [{**ANTHROPIC, "name": "Acme"}]} == john(
        "create_entities", entities=[{**ANTHROPIC, "name": "Acme"}] * 2
    )
    assert WHOLE["entities"][0] == john("read_graph")["entities"][0]


def test_a_bank_that_a_tool_does_not_take_is_refused(john):
    assert "'bank': no argument of search_nodes" in john.refused(
        "search_nodes", query="John", bank="eve"
    )


def test_duplicate_relations_are_skipped(john):
    assert {"relations": []} == john("create_relations", relations=[WORKS, WORKS])
    assert WHOLE == john("read_graph")


def test_a_relation_of_nobody_is_refused_without_creating_anything(john):
    there = {"from": "Anthropic", "to": "John_Smith", "relationType": "employs"}
    refused = john.refused("create_relations", relations=[there, {**WORKS, "to": "Nobody"}])

    assert "Entity with name Nobody not found" == refused
    assert WHOLE == john("read_graph")


def test_only_observations_that_are_new_are_returned_as_added(john):
    added = john(
        "add_observations",
        observations=[{"entityName": "John_Smith", "contents": [*NOTES, "Plays chess"]}],
    )

    assert {
        "results": [{"entityName": "John_Smith", "addedObservations": ["Plays chess"]}]
    } == added


def test_observations_of_nobody_are_refused_without_adding_any(john):
    refused = john.refused(
        "add_observations",
        observations=[
            {"entityName": "John_Smith", "contents": ["Plays chess"]},
            {"entityName": "Nobody", "contents": ["Is not there"]},
        ],
    )

    assert "Entity with name Nobody not found" == refused
    assert WHOLE == john("read_graph")


def test_deleting_entities_deletes_their_relations(john):
    answer = john.call("delete_entities", entityNames=["Anthropic"])

    assert {
        "success": True,
        "message": "Entities deleted successfully",
    } == answer.structured_content
    assert "Entities deleted successfully" == answer.content[0].text
    assert graph(JOHN | {"observations": NOTES}) == john("read_graph")


def test_deleting_what_is_not_there_says_so_without_an_error(john):
    for tool, arguments, message in (
        (
            "delete_entities",
            {"entityNames": ["Nobody"]},
            "Deleted 0 of 1 entities. Not found: Nobody",
        ),
        (
            "delete_observations",
            {"deletions": [{"entityName": "Nobody", "observations": ["x"]}]},
            "Deleted 0 of 1 observations. Entities not found: Nobody",
        ),
        (
            "delete_relations",
            {"relations": [{**WORKS, "relationType": "owns"}]},
            "Deleted 0 of 1 relations. The rest matched nothing.",
        ),
    ):
        assert {"success": True, "message": message} == john(tool, **arguments)
    assert WHOLE == john("read_graph")


def test_single_observations_and_relations_that_were_deleted_can_come_again(john, clock):
    clock.advance(timedelta(minutes=1))
    note = {"entityName": "John_Smith", "observations": [NOTES[1]]}
    john("delete_observations", deletions=[note])
    john("delete_relations", relations=[WORKS])
    assert graph(JOHN | {"observations": [NOTES[0], NOTES[2]]}, ANTHROPIC) == john("read_graph")

    john("add_observations", observations=[{"entityName": "John_Smith", "contents": [NOTES[1]]}])
    john("create_relations", relations=[WORKS])
    shown = john("read_graph")
    assert {*NOTES} == {*shown["entities"][0]["observations"]}
    assert [WORKS] == shown["relations"]


@pytest.mark.parametrize("query", ["SMITH", "person", "fluent spanish"])
def test_a_search_looks_at_names_types_and_observations_letter_case_aside(john, query):
    found = john("search_nodes", query=query)

    assert graph(JOHN | {"observations": NOTES}, relations=[WORKS]) == found


def test_a_search_that_finds_nothing_is_empty_unless_it_is_refused_as_huge(john):
    assert graph() == john("search_nodes", query="zebra")
    assert "2048" in john.refused("search_nodes", query="x" * 3000)


def test_only_nodes_that_are_there_are_opened_with_their_relations(john):
    opened = john("open_nodes", names=["Anthropic", "Nobody"])

    assert graph(ANTHROPIC, relations=[WORKS]) == opened


def test_the_graph_is_a_resource_too(john):
    assert WHOLE == john.read("memory://knowledge-graph")
    assert ["memory://knowledge-graph"] == [r.uri for r in john.ask("list_resources").resources]


def test_what_reads_alike_is_apart_and_in_the_order_in_which_it_came(agent):
    made = [
        {"name": "A", "entityType": "b", "observations": ["c: d"]},
        {"name": "A (b)", "entityType": "", "observations": []},
        {"name": "A (b): c", "entityType": "", "observations": ["d"]},
    ]
    lines = [
        {"from": "A (b)", "to": "A", "relationType": "b A (b)"},
        {"from": "A (b)", "to": "A (b)", "relationType": "A b"},
        {"from": "A", "to": "A", "relationType": "b A (b) A (b) b"},
    ]
    alike = [{**lines[0], "relationType": "x A"}, {**lines[0], "to": "A", "relationType": "x"}]

    agent("create_entities", entities=made)
    agent("create_relations", relations=[*lines, *alike])
    assert graph(*made, relations=[*lines, *alike]) == agent("read_graph")


def test_an_observation_that_cannot_be_kept_as_it_is_is_refused(john):
    quoted = f"{OPEN}\n[2025-01-01 00:00] Bob: Hello.\n{CLOSE}"
    added = [{"entityName": "John_Smith", "contents": [quoted]}]

    assert "quotation of a memory" in john.refused("add_observations", observations=added)
    assert WHOLE == john("read_graph")


# ---------------------------------------------------------------- on a bank


@pytest.mark.usefixtures("john")
def test_the_graph_is_there_after_a_restart(open_memory, memory, connect):
    memory.close()
    again = open_memory()

    assert WHOLE == connect(create_server(lambda: again, bank="ada", compat=True))("read_graph")


@pytest.mark.usefixtures("john")
def test_every_other_way_into_the_bank_finds_what_was_noted(serve, memory):
    found = serve()("recall", query="which languages does John Smith speak?")

    assert "John_Smith (person): Speaks fluent Spanish" in [m["text"] for m in found["memories"]]
    assert ["John_Smith works_at Anthropic"] == [
        episode.text for episode in memory.bank("ada").find("works_at")
    ]


def test_what_is_remembered_otherwise_is_no_part_of_the_graph(john, memory):
    bank = memory.bank("ada")
    bank.remember("John_Smith (person): likes tea")
    bank.remember("An invoice", metadata={"entity": "invoice"})
    bank.remember("Another", metadata={"entity": 7, "relation": "x"})

    assert WHOLE == john("read_graph")


def test_what_is_deleted_can_be_restored(john, memory):
    bank = memory.bank("ada")
    john("delete_entities", entityNames=["John_Smith", "Anthropic"])
    assert graph() == john("read_graph")

    gone = [c.episode for c in bank.journal() if c.kind == "forget"]
    bank.restore(gone)
    assert WHOLE == john("read_graph")


def test_a_graph_imported_from_the_reference_server_is_gone_on_with(agent, memory, tmp_path):
    lines = [
        {"type": "entity", **JOHN},
        {"type": "entity", "name": "Anthropic", "entityType": "organization",
         "observations": ["Makes Claude"]},
        {"type": "relation", **WORKS},
    ]  # fmt: skip
    file = tmp_path / "memory.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    os.utime(file, (0, 0))
    memory.bank("ada").import_(file)

    assert {"entities": []} == agent("create_entities", entities=[JOHN])
    agent("add_observations", observations=[{"entityName": "John_Smith", "contents": NOTES[1:]}])
    assert graph(
        JOHN | {"observations": NOTES},
        ANTHROPIC | {"observations": ["Makes Claude"]},
        relations=[WORKS],
    ) == agent("read_graph")


@pytest.mark.parametrize("policy", POLICIES)
def test_no_policy_of_sleep_takes_anything_out_of_the_graph(john, memory, clock, policy):
    twin = JOHN | {"name": "Jon_Smith", "observations": NOTES}
    john("create_entities", entities=[twin])
    before = john("read_graph")
    bank = memory.bank("ada")
    bank.set_policy(f"{policy}:1" if policy in ("adaptive", "useful", "proven") else policy)

    for _ in range(2):
        clock.advance(timedelta(days=400))
        bank.sleep()

    assert before == john("read_graph")


names = st.sampled_from(["Ada", "Bob", "Ada (person)", "New York", "x: y (z)"])
notes = st.lists(
    st.sampled_from(["likes tea", "", "a: b", "Ada", "line\nline", "(person)", "long " * 400]),
    max_size=3,
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("create_entities"), names, st.sampled_from(["", "person"]), notes),
        st.tuples(st.just("add_observations"), names, notes),
        st.tuples(st.just("delete_entities"), names),
        st.tuples(st.just("delete_observations"), names, notes),
        st.tuples(st.just("create_relations"), names, names, st.sampled_from(["knows", "likes"])),
        st.tuples(st.just("delete_relations"), names, names, st.sampled_from(["knows", "likes"])),
    ),
    max_size=12,
)


class Plain:
    """The reference server's rules, on dictionaries."""

    def __init__(self):
        self.entities, self.relations = {}, {}

    def create_entities(self, name, kind, observations):
        self.entities.setdefault(name, (kind, list(dict.fromkeys(observations))))

    def add_observations(self, name, contents):
        if name in self.entities:
            have = self.entities[name][1]
            have += [words for words in dict.fromkeys(contents) if words not in have]

    def delete_entities(self, name):
        self.entities.pop(name, None)
        self.relations = {r: None for r in self.relations if name not in r[:2]}

    def delete_observations(self, name, observations):
        if name in self.entities:
            kind, have = self.entities[name]
            self.entities[name] = kind, [words for words in have if words not in observations]

    def create_relations(self, start, end, kind):
        if {start, end} <= self.entities.keys():
            self.relations.setdefault((start, end, kind))

    def delete_relations(self, start, end, kind):
        self.relations.pop((start, end, kind), None)

    def graph(self):
        return {
            "entities": [
                {"name": name, "entityType": kind, "observations": have}
                for name, (kind, have) in self.entities.items()
            ],
            "relations": [
                {"from": start, "to": end, "relationType": kind}
                for start, end, kind in self.relations
            ],
        }


def arguments(tool, given):
    """A step as the tool takes it."""
    match tool, given:
        case "create_entities", (name, kind, noted):
            return [[{"name": name, "entityType": kind, "observations": noted}]]
        case "add_observations", (name, noted):
            return [[{"entityName": name, "contents": noted}]]
        case "delete_observations", (name, noted):
            return [[{"entityName": name, "observations": noted}]]
        case "delete_entities", (name,):
            return [[name]]
        case _, (start, end, kind):
            return [[{"from": start, "to": end, "relationType": kind}]]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=steps)
def test_any_sequence_of_changes_leaves_what_the_reference_would(steps):
    with Memory(":memory:", embedder="none") as memory:
        graph, plain = Graph(lambda: memory, "ada"), Plain()
        for tool, *given_ in steps:
            getattr(plain, tool)(*given_)
            try:
                getattr(graph, tool)(*arguments(tool, given_))
            except ValueError as refused:
                assert "not found" in str(refused)  # noqa: PT017 - the reference refuses as well
        shown = graph.whole()

    assert plain.graph() == shown
