"""Connecting writes the very hooks that the plug-in folders have."""

import json
from pathlib import Path

import pytest

from hippocampus.connect import Calls, Invocation, Places, Receipts, client_named, plan_connect

PLUGINS = Path(__file__).parents[2] / "plugins"
CALL = Invocation("hippocampus")
CALLS = Calls(
    server=CALL.with_args("mcp"),
    hook=CALL.with_args("hook"),
    in_project=CALL.with_args("mcp", "--project"),
)


@pytest.mark.parametrize(
    ("client", "folder", "file"),
    [
        ("claude-code", "claude-code/hooks/hooks.json", ".claude/settings.json"),
        ("codex", "codex/hooks.json", ".codex/hooks.json"),
        ("gemini", "gemini/hooks/hooks.json", ".gemini/settings.json"),
        ("cursor", "cursor/hooks.json", ".cursor/hooks.json"),
    ],
)
def test_the_hooks_of_a_client_are_those_of_its_plug_in(tmp_path, client, folder, file):
    places = Places(home=tmp_path, system="linux", env={})
    receipts = Receipts(tmp_path / "connections")
    for change in plan_connect(client_named(client), places, CALLS, receipts):
        change.apply(receipts)
    told = json.loads((PLUGINS / folder).read_text("utf-8"))
    said = json.loads((tmp_path / file).read_text("utf-8"))

    assert told["hooks"] == said["hooks"]
    assert told.get("version") == said.get("version")


@pytest.mark.parametrize(("client", "project"), [("cursor", True), ("claude-desktop", False)])
def test_who_works_in_a_project_is_given_its_bank(tmp_path, client, project):
    places = Places(home=tmp_path, system="linux", env={})
    receipts = Receipts(tmp_path / "connections")
    for calls in (CALLS, Calls(server=CALLS.server, hook=CALLS.hook)):
        changes = plan_connect(client_named(client), places, calls, receipts, hooks=False)
        assert (b"--project" in changes[0].after) is (project and calls is CALLS)
