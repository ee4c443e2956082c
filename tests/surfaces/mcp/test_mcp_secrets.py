"""Secrets that are not to be shown are in nothing that a model reads through MCP."""

from urllib.parse import quote

import pytest

from hippocampus import Config, Memory, Secrets
from hippocampus.core.key import Key
from hippocampus.mcp import create_server

SAID = "The wifi password is Sommer!2024, and my card is 4111 1111 1111 1111."


@pytest.mark.parametrize("show", ["keep", "redact"])
def test_every_tool_and_resource_shows_or_hides_secrets(show, tmp_path, connect):
    config = Config(secrets=Secrets(show=show))
    with Memory(tmp_path / "memory.db", embedder="none", config=config) as memory:
        kept = memory.bank("me").remember(SAID, speaker="Ada")
        agent = connect(create_server(lambda: memory, bank="me"))
        answers = [
            agent.call("recall", query="wifi password"),
            agent.call("context", query="wifi password"),
            agent.call("timeline"),
            agent.call("timeline", id=kept.id),
            agent.call("remember", text=f"Again: {SAID}"),
        ]
        told = [str(answer.structured_content) + answer.content[0].text for answer in answers]
        told.append(str(agent.read(f"hippocampus://banks/me/episodes/{quote(kept.id)}")))

    for text in told[:4] + told[5:]:
        assert ("Sommer!2024" in text) == (show == "keep"), text
        assert ("[password]" in text) == (show == "redact"), text


def test_the_reference_tools_hide_them_too(tmp_path, connect):
    config = Config(secrets=Secrets(show="redact"))
    with Memory(tmp_path / "memory.db", embedder="none", config=config) as memory:
        agent = connect(create_server(lambda: memory, bank="me", compat=True))
        entity = {"name": "Ada", "entityType": "person", "observations": [SAID]}
        agent.call("create_entities", entities=[entity])
        told = agent.call("read_graph")

    assert "Sommer!2024" not in str(told.structured_content) + told.content[0].text


@pytest.mark.parametrize("write", ["redact", "vault"])
def test_what_the_reference_tools_keep_without_its_secrets_is_kept(tmp_path, connect, write):
    config = Config(secrets=Secrets(write=write))
    vault = Key.phrase("AAAA-BBBB-CCCC-DDDD-EEEE-FFFF-GGGG-HHHH") if write == "vault" else None
    with Memory(tmp_path / "memory.db", embedder="none", config=config, vault=vault) as memory:
        agent = connect(create_server(lambda: memory, bank="me", compat=True))
        entity = {"name": "Ada", "entityType": "person", "observations": [SAID, "likes tea"]}
        made = agent.call("create_entities", entities=[entity])
        told = agent.call("read_graph")

    assert not made.is_error
    (ada,) = told.structured_content["entities"]
    assert "likes tea" in ada["observations"]
    assert "Sommer!2024" not in str(ada)


def test_a_model_is_told_that_a_secret_was_not_kept(tmp_path, connect):
    config = Config(secrets=Secrets(write="redact"))
    with Memory(tmp_path / "memory.db", embedder="none", config=config) as memory:
        agent = connect(create_server(lambda: memory, bank="me"))
        told, plain = agent.text("remember", text=SAID), agent.text("remember", text="Hello there.")
        (kept, _) = memory.bank("me").episodes()
        chat = agent.text("remember", messages=[{"role": "user", "content": f"Again: {SAID}"}])
        changed = agent.text("correct", id=kept.id, text=f"Now: {SAID}")

    for text in (told, chat, changed):
        assert "It is kept without its card number, password." in text
    assert "without its" not in plain
    assert "Sommer" not in kept.text
