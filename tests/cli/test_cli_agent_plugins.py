"""The plug-in folders: what each agent demands of one, and that every hook in it is understood."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from hippocampus import Memory
from hippocampus.cli.agent_events import EVENTS
from hippocampus.cli.hook_events import AGENTS, read_call

ROOT = Path(__file__).parents[2]
PLUGINS = ROOT / "plugins"
CLAUDE = PLUGINS / "claude-code"
HOOKS = {
    "claude-code": CLAUDE / "hooks" / "hooks.json",
    "codex": PLUGINS / "codex" / "hooks.json",
    "gemini": PLUGINS / "gemini" / "hooks" / "hooks.json",
    "cursor": PLUGINS / "cursor" / "hooks.json",
}
NEEDED = {
    "claude-code": {"SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd"},
    "codex": {"SessionStart", "UserPromptSubmit", "Stop"},
    "gemini": {"SessionStart", "BeforeAgent", "AfterAgent", "SessionEnd"},
    "cursor": {"sessionStart", "beforeSubmitPrompt", "afterAgentResponse", "sessionEnd"},
}


def read(path):
    return json.loads(path.read_text("utf-8"))


def commands(agent):
    """Yield (event, hook) of every hook in an agent's file."""
    for event, entries in read(HOOKS[agent])["hooks"].items():
        for entry in entries:
            for hook in [entry] if agent == "cursor" else entry["hooks"]:
                yield event, hook


@pytest.mark.parametrize("agent", HOOKS)
def test_every_hook_of_an_agent_is_understood_by_the_command(agent):
    found = list(commands(agent))

    assert NEEDED[agent] <= {event for event, _ in found} <= set(EVENTS)
    for event, hook in found:
        program, command, *options = shlex.split(hook["command"])
        assert ("hippocampus", "hook") == (program, command)
        call = read_call(options)
        assert agent == call.agent, event
        assert not call.chosen, "banks go by projects"
        if agent != "cursor":
            assert "command" == hook["type"]


@pytest.mark.slow
def test_the_hooks_run_as_claude_code_runs_them_without_waiting_for_sleep(tmp_path):
    made = {
        "SessionStart": "source",
        "UserPromptSubmit": "prompt",
        "Stop": "last_assistant_message",
    }
    env = os.environ | {
        "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path),
        "HIPPOCAMPUS_EMBEDDER": "none", "HIPPOCAMPUS_RESIDENT": "0",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }  # fmt: skip
    for event, hook in commands("claude-code"):
        payload = {"hook_event_name": event, "session_id": "s1", "cwd": str(tmp_path)}
        payload |= {made[event]: "Lena must always be asked first."} if event in made else {}
        done = subprocess.run(
            ["sh", "-c", hook["command"]], env=env, input=json.dumps(payload), text=True,
            capture_output=True, check=False,
        )  # fmt: skip
        assert (0, "", "") == (done.returncode, done.stdout, done.stderr), event

    with Memory(tmp_path / "hippocampus" / "memory.db", embedder="none") as memory:
        bank, until = memory.bank("me"), time.monotonic() + 60
        while not bank.sleeps() and time.monotonic() < until:
            time.sleep(0.05)
        assert bank.sleeps()
        assert 1 == len(bank.episodes()), "whoever is at home is in no project"


def test_an_agent_that_counts_in_milliseconds_is_given_enough():
    counting = ("claude-code", "codex", "gemini")
    limits = {one: min(hook["timeout"] for _, hook in commands(one)) for one in counting}

    assert limits["claude-code"] >= 5
    assert limits["codex"] >= 5
    assert limits["gemini"] >= 5000


def test_the_manifests_are_what_claude_code_demands():
    manifest, market = (
        read(CLAUDE / ".claude-plugin" / "plugin.json"),
        read(ROOT / ".claude-plugin" / "marketplace.json"),
    )

    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", manifest["name"])
    assert re.fullmatch(r"\d+\.\d+\.\d+", manifest["version"])
    assert {"name", "owner", "plugins"} <= set(market)
    (plugin,) = market["plugins"]
    assert manifest["name"] == plugin["name"]
    assert CLAUDE == (ROOT / plugin["source"]).resolve()
    assert ["plugin.json"] == [one.name for one in (CLAUDE / ".claude-plugin").iterdir()]


def test_the_skill_says_when_it_is_to_be_used():
    text = (CLAUDE / "skills" / "remember" / "SKILL.md").read_text("utf-8")
    _, front, body = text.split("---\n", 2)
    said = dict(line.split(": ", 1) for line in front.splitlines())

    assert "remember" == said["name"]
    assert 40 < len(said["description"]) <= 1024
    assert "Use when" in said["description"]
    for tool in ("recall", "timeline", "remember", "correct", "forget"):
        assert f"`{tool}`" in body


def test_the_extension_is_what_gemini_demands():
    folder = PLUGINS / "gemini"
    extension = read(folder / "gemini-extension.json")

    assert re.fullmatch(r"[a-z0-9-]+", extension["name"])
    assert (folder / extension["contextFileName"]).is_file()
    assert "hooks" not in extension, "they have a file of their own"
    assert "trust" not in extension["mcpServers"]["memory"]


def servers():
    yield read(CLAUDE / ".mcp.json")["mcpServers"]["memory"]
    yield read(PLUGINS / "cursor" / "mcp.json")["mcpServers"]["memory"]
    yield read(PLUGINS / "gemini" / "gemini-extension.json")["mcpServers"]["memory"]
    yield tomllib.loads((PLUGINS / "codex" / "config.toml").read_text("utf-8"))["mcp_servers"][
        "memory"
    ]


def test_every_agent_starts_the_same_server():
    args = ["mcp", "--project", "--secrets", "redact"]
    assert all(one == {"command": "hippocampus", "args": args} for one in servers())


def test_no_two_agents_are_left_out():
    assert {*HOOKS, "opencode"} == set(AGENTS)


# ---------------------------------------------------------------- opencode, in a host of its kind

HOST = ROOT / "tests" / "data" / "agents" / "opencode_host.mjs"
ANSWERING = """#!{python}
import json, sys
event = json.loads(sys.stdin.read())
with open({log!r}, "a") as log:
    log.write(json.dumps([sys.argv[1:], event]) + "\\n")
if event["hook_event_name"] in ("SessionStart", "UserPromptSubmit"):
    print("<memory>" + event["hook_event_name"] + "</memory>")
"""


def run_opencode(tmp_path, program):
    """Run the plug-in in a host that plays a session; return what prompts became."""
    folder = tmp_path / "bin"
    folder.mkdir()
    if program:
        (folder / "hippocampus").write_text(program)
        (folder / "hippocampus").chmod(0o755)
    shutil.copy(PLUGINS / "opencode" / "hippocampus.js", tmp_path / "hippocampus.mjs")
    shutil.copy(HOST, tmp_path / "host.mjs")
    done = subprocess.run(
        [shutil.which("node"), tmp_path / "host.mjs"], capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": str(folder), "CWD": str(tmp_path)}, timeout=60,
    )  # fmt: skip
    assert "" == done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


needs_node = pytest.mark.skipif(not shutil.which("node"), reason="there is no Node.js here")


@needs_node
@pytest.mark.slow
def test_the_plugin_tells_the_command_what_happens_in_opencode(tmp_path):
    log = tmp_path / "log"
    prompts = run_opencode(tmp_path, ANSWERING.format(python=sys.executable, log=str(log)))
    calls = [json.loads(line) for line in log.read_text().splitlines()]
    events = [event for _, event in calls]

    assert [
        "SessionStart", "UserPromptSubmit", "PostToolUseFailure", "Stop", "PreCompact",
        "SessionStart", "UserPromptSubmit", "SessionEnd",
    ] == [event["hook_event_name"] for event in events]  # fmt: skip
    assert all(event["session_id"] == "s1" and event["cwd"] == str(tmp_path) for event in events)
    assert "It was E1." == events[3]["last_assistant_message"]
    assert "compact" == events[5]["source"]
    both = "<memory>SessionStart</memory>\n\n<memory>UserPromptSubmit</memory>\n\n"
    assert [f"{both}Why is it red?", f"{both}And now?"] == prompts
    program, *options = calls[0][0]
    assert "hook" == program
    assert "opencode" == read_call(options).agent


@needs_node
@pytest.mark.slow
@pytest.mark.parametrize("program", ["", f"#!{sys.executable}\nraise SystemExit(1)\n"])
def test_opencode_goes_on_without_a_memory(tmp_path, program):
    assert ["Why is it red?", "And now?"] == run_opencode(tmp_path, program)
