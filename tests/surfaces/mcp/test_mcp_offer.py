"""What a client is offered: tools a model can choose by, resources, completions and a prompt."""

import json
from hashlib import sha256
from urllib.parse import quote

import pytest
from mcp import MCPError
from mcp_types import ResourceTemplateReference

from hippocampus.encode.tokens import count
from hippocampus.verbs import BANK_VERBS


def offered(agent):
    """Everything a model may read before it calls anything."""
    tools = agent.ask("list_tools").tools
    resources = agent.ask("list_resources").resources
    templates = agent.ask("list_resource_templates").resource_templates
    prompts = agent.ask("list_prompts").prompts
    return {
        "instructions": agent.client.instructions,
        **{
            name: [part.model_dump(mode="json", by_alias=True, exclude_none=True) for part in parts]
            for name, parts in (
                ("tools", tools),
                ("resources", resources),
                ("resourceTemplates", templates),
                ("prompts", prompts),
            )
        },
    }


@pytest.mark.parametrize("name", ["offer", "offer-compat"])
def test_what_is_offered_is_what_was_reviewed(serve, golden, name):
    shown = offered(serve(compat="compat" in name))

    golden(f"{name}.json", json.dumps(shown, indent=1, ensure_ascii=False) + "\n")


def test_the_few_tools_take_little_of_a_models_attention(agent):
    tools = offered(agent)["tools"]
    read = [{k: t[k] for k in ("name", "description", "inputSchema")} for t in tools]

    assert {
        "remember", "recall", "count_events", "context", "correct", "forget", "timeline", "facts",
        "feedback", "status",
    } == {tool["name"] for tool in tools}  # fmt: skip
    assert count(json.dumps(read)) <= 2460


def test_a_bank_can_be_named_only_where_the_server_has_several(serve):
    for many in (True, False):
        for tool in offered(serve(all_banks=many))["tools"]:
            assert many == ("bank" in tool["inputSchema"]["properties"])


def test_every_tool_says_when_to_use_it_and_what_each_argument_means(agent):
    for tool in offered(agent)["tools"]:
        first, _, rest = tool["description"].partition("\n\n")
        assert len(first) <= 80, tool["name"]
        assert "Use it " in rest, tool["name"]
        for name, about in tool["inputSchema"]["properties"].items():
            assert about.get("description"), f"{tool['name']}.{name}"


@pytest.mark.slow
def test_what_a_tool_hands_to_a_verb_is_an_argument_of_it(agent):
    own = {"bank", "budget_tokens", "ids", "undo", "messages"}
    given = {
        tool["name"]: set(tool["inputSchema"]["properties"]) - own
        for tool in offered(agent)["tools"]
        if tool["name"] in BANK_VERBS
    }

    assert {
        "recall", "count_events", "context", "remember", "correct", "forget", "facts", "feedback",
    } == set(given)  # fmt: skip
    assert all(names <= set(BANK_VERBS[verb].arguments) for verb, names in given.items())


def test_hints_tell_what_reads_from_what_changes_or_destroys(agent):
    hints = {tool["name"]: tool["annotations"] for tool in offered(agent)["tools"]}

    reads = {name for name, hint in hints.items() if hint["readOnlyHint"]}
    assert {"recall", "count_events", "context", "timeline", "facts", "status"} == reads
    assert ["forget"] == [name for name, hint in hints.items() if hint["destructiveHint"]]
    assert reads | {"forget"} == {name for name, hint in hints.items() if hint["idempotentHint"]}
    assert not any(hint["openWorldHint"] for hint in hints.values())


def test_what_only_reads_changes_nothing(agent, memory):
    agent("remember", text="I am allergic to peanuts.")
    before = memory.bank("ada").journal()

    for tool, arguments in (
        ("recall", {"query": "peanuts"}),
        ("context", {"query": "peanuts"}),
        ("count_events", {"question": "how often did I eat peanuts?"}),
        ("timeline", {}),
        ("facts", {}),
        ("status", {}),
    ):
        agent(tool, **arguments)

    assert before == memory.bank("ada").journal()


# ---------------------------------------------------------------- resources


@pytest.fixture
def rested(serve, memory):
    """An agent whose bank has things in it and has slept."""
    bank = memory.bank("ada")
    for text, at in (
        ("I live in Lisbon and work at Acme as a gardener.", "2024-03-01"),
        ("The roses in the garden need water every morning.", "2024-03-02"),
        ("The garden has roses, tulips and an old apple tree.", "2024-03-03"),
        ("I moved from Lisbon to Porto.", "2025-05-01"),
    ):
        bank.remember(text, speaker="Ada", at=at)
    bank.sleep()
    return serve()


ROOT = "hippocampus://banks"


def test_resources_lead_from_the_banks_to_what_is_in_them(rested, memory):
    (listed,) = rested.read(ROOT)["banks"]
    assert {"bank": "ada", "uri": f"{ROOT}/ada"} == listed
    assert 4 == rested.read(listed["uri"])["memories"]

    topics = rested.read(f"{ROOT}/ada/topics")["topics"]
    assert "garden" in [topic["name"] for topic in topics]
    assert sorted(topics, key=lambda topic: -topic["episodes"]) == topics
    garden = rested.read(f"{ROOT}/ada/topics/garden")
    assert any("roses" in one["text"] for one in garden["memories"])

    entities = rested.read(f"{ROOT}/ada/entities")["entities"]
    assert "Ada" in [entity["name"] for entity in entities]
    facts = rested.read(f"{ROOT}/ada/entities/Ada")["facts"]
    assert {"Lisbon", "Porto"} <= {fact["object"] for fact in facts}

    (first, *_) = memory.bank("ada").episodes()
    assert first.text == rested.read(f"{ROOT}/ada/episodes/{first.id}")["memories"][0]["text"]


def test_the_servers_own_bank_is_listed_for_clients_without_templates(rested):
    listed = {resource.uri for resource in rested.ask("list_resources").resources}

    assert {
        ROOT,
        *(f"{ROOT}/ada{part}" for part in ("", "/topics", "/entities", "/people")),
    } == listed


@pytest.mark.slow
def test_resources_of_an_empty_bank_are_empty(agent):
    assert [] == agent.read(ROOT)["banks"]
    assert [] == agent.read(f"{ROOT}/ada/topics")["topics"]
    assert [] == agent.read(f"{ROOT}/ada/entities")["entities"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("where", "named"),
    [
        ("secret", "secret"),
        ("secret/topics", "secret"),
        ("ada/topics/astronomy", "astronomy"),
        ("ada/episodes/nobody", "nobody"),
        ("ada/nothing", "ada/nothing"),
        (quote("../../etc/passwd", safe=""), "passwd"),
    ],
)
def test_a_resource_that_is_not_there_is_an_error_that_names_it(rested, memory, where, named):
    memory.bank("secret").remember("The code is 1234.")

    with pytest.raises(MCPError, match=named) as refused:
        rested.read(f"{ROOT}/{where}")

    assert -32602 == refused.value.error.code


def test_a_bank_may_be_called_like_a_path(serve):
    name = "/home/../ada & co?"
    agent = serve(bank=name)
    agent("remember", text="I am allergic to peanuts.")

    assert name == agent.read(f"{ROOT}/{quote(name, safe='')}")["bank"]
    assert [{"bank": name, "uri": f"{ROOT}/{quote(name, safe='')}"}] == agent.read(ROOT)["banks"]


@pytest.mark.slow
def test_a_long_list_says_that_it_is_cut(serve, memory):
    for number in range(60):
        memory.bank(sha256(bytes([number])).hexdigest() * 2).remember("Hello.")

    shown = serve(all_banks=True).read(ROOT)

    assert shown["dropped"] > 0
    assert 60 == len(shown["banks"]) + shown["dropped"]


@pytest.mark.slow
def test_the_parts_of_an_address_are_completed(rested):
    def complete(path, name, begun, bank=None):
        ref = ResourceTemplateReference(type="ref/resource", uri=f"{ROOT}{path}")
        context = None if bank is None else {"bank": bank}
        asked = {"name": name, "value": begun}
        return rested.ask("complete", ref, asked, context).completion.values

    assert ["ada"] == complete("/{bank}", "bank", "A")
    assert "garden" in complete("/{bank}/topics/{topic}", "topic", "gar", "ada")
    assert ["Ada"] == complete("/{bank}/entities/{entity}", "entity", "ad")
    assert [] == complete("/{bank}/topics/{topic}", "topic", "", "nobody")
    assert [] == complete("/{bank}/episodes/{id}", "id", "")


# ---------------------------------------------------------------- the prompt


def test_the_prompt_tells_to_recall_before_remembering(rested):
    (message,) = rested.ask("get_prompt", "memory").messages

    assert "user" == message.role
    assert message.content.text.index("use recall") < message.content.text.index("use remember")
    assert rested.client.instructions == message.content.text


def test_the_prompt_of_a_task_has_what_is_remembered_about_it_quoted(rested):
    (message,) = rested.ask("get_prompt", "memory", {"task": "Water the roses"}).messages

    habit, memories, task = message.content.text.rsplit("\n\n", 2)
    assert habit.startswith("You have a long-term memory")
    assert memories.startswith("<memory ")
    assert "roses" in memories
    assert "Water the roses" == task
