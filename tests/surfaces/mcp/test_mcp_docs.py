"""The commands that the page tells people to give to their clients: they work."""

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest
import typer

from hippocampus.cli import app

PAGE = Path(__file__).parents[3] / "docs" / "surfaces" / "mcp.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(json|toml|sh)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
CONFIGS = [
    json.loads(code) if language == "json" else tomllib.loads(code)
    for language, code in BLOCKS
    if language != "sh"
]
SHELL = [
    line.split("#")[0].partition("-- ")[2] if line.startswith("claude ") else line.split("#")[0]
    for language, code in BLOCKS
    if language == "sh"
    for line in code.splitlines()
]


def servers(config):
    for key in ("mcpServers", "servers", "context_servers", "mcp_servers"):
        yield from config.get(key, {}).values()


SERVERS = [[server["command"], *server["args"]] for config in CONFIGS for server in servers(config)]


@pytest.mark.parametrize(
    "command",
    [
        *SERVERS,
        *(
            shlex.split(line.replace("|| true", ""))
            for line in SHELL
            if line.startswith("hippocampus ")
        ),
    ],
    ids=" ".join,
)
def test_every_command_of_the_page_is_one_that_there_is(command):
    name, *arguments = command
    root = typer.main.get_command(app)

    assert "hippocampus" == name
    with root.make_context(name, arguments) as context:
        _, chosen, rest = root.resolve_command(context, [*context._protected_args, *context.args])
        chosen.make_context(chosen.name, rest).close()


def test_every_common_client_has_its_snippet():
    assert 4 == len(SERVERS)
    for client in ("Claude Code", "Claude Desktop", "Cursor", "Windsurf", "VS Code", "Zed"):
        assert f"**{client}**" in TEXT
