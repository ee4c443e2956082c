"""The commands that the page tells people to give to their clients and hooks: they work."""

import json
import os
import re
import shlex
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
import typer

from hippocampus import Memory
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


def hooks(config):
    for event, groups in config.get("hooks", {}).items():
        for group in groups:
            for hook in group["hooks"]:
                yield event, hook["command"]


SERVERS = [[server["command"], *server["args"]] for config in CONFIGS for server in servers(config)]
HOOKS = [pair for config in CONFIGS for pair in hooks(config)]


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


EVENTS = {
    "SessionStart": {"source": "startup"},
    "UserPromptSubmit": {"prompt": "Where does Lena live?"},
    "Stop": {"last_assistant_message": "In Porto."},
}


@pytest.fixture
def hooked(tmp_path):
    """Return a way to run a hook as an agent does, at home in a folder."""
    environment = os.environ | {
        "HOME": str(tmp_path),
        "HIPPOCAMPUS_EMBEDDER": "none",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }

    def run(event, command):
        handed = {"hook_event_name": event, "session_id": "s1", **EVENTS.get(event, {})}
        return subprocess.run(
            ["sh", "-c", command], env=environment, input=json.dumps(handed), capture_output=True,
            text=True, cwd=tmp_path, check=False,
        )  # fmt: skip

    return run


@pytest.mark.parametrize(("event", "command"), HOOKS, ids=[event for event, _ in HOOKS])
def test_every_hook_of_the_page_runs_as_an_agent_runs_it(event, command, hooked, tmp_path):
    done = hooked(event, command)

    assert (0, "") == (done.returncode, done.stdout)
    assert (tmp_path / "agent.db").exists() == (event in EVENTS)


def test_an_agent_that_ends_need_not_wait_until_its_memory_has_slept(hooked, tmp_path):
    [command] = [command for event, command in HOOKS if event == "SessionEnd"]
    with Memory(tmp_path / "agent.db", embedder="none") as memory:
        bank = memory.bank("me")
        bank.remember("Lena lives in Porto.")
        done = hooked("SessionEnd", command)
        until = time.monotonic() + 60
        while not bank.sleeps() and time.monotonic() < until:
            time.sleep(0.05)

        assert bank.sleeps()
    assert command.endswith(" &"), "an agent cancels what it has to wait for"
    assert 0 == done.returncode
