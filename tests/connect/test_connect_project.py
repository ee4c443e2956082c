"""Clients are connected by files of a project, which are committed: nothing of a machine is in."""

import json
import tomllib
from pathlib import Path

import pytest

from hippocampus.connect import (
    CLIENTS,
    PROJECT_CALLS,
    Places,
    Receipts,
    Refusal,
    client_named,
    plan_connect,
    plan_disconnect,
)

FILES = {
    "claude-code": ".mcp.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".vscode/mcp.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "opencode": "opencode.json",
}
CALL = {"command": "hippocampus", "args": ["mcp", "--project"]}


@pytest.fixture
def places(tmp_path):
    (tmp_path / "shop").mkdir()
    return Places(home=tmp_path / "home", system="linux", env={}, project=tmp_path / "shop")


@pytest.fixture
def receipts(tmp_path):
    return Receipts(tmp_path / "connections")


def plan(name, places, receipts):
    return plan_connect(client_named(name), places, PROJECT_CALLS, receipts, project=True)


def everything(folder):
    return {file: file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def test_every_client_that_has_a_file_of_a_project_is_known():
    assert list(FILES) == [one.name for one in CLIENTS if one.project_files]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("there", [True, False])
def test_a_projects_file_once_written_is_given_back_to_the_byte(places, receipts, name, there):
    file = places.project / FILES[name]
    file.parent.mkdir(exist_ok=True)
    if there:
        file.write_bytes(b'a = 1 # "b"\r\n' if file.suffix == ".toml" else b'{\n  "a": 1 // b\n}\n')
    before = everything(places.project)

    (change,) = plan(name, places, receipts)
    change.apply(receipts)
    assert [file] == list(everything(places.project))
    assert not any(one.changes for one in plan(name, places, receipts))

    for one in plan_disconnect(client_named(name), receipts):
        one.apply(receipts)
    assert before == everything(places.project)
    assert not places.home.exists()


@pytest.mark.parametrize("name", FILES)
def test_nothing_of_a_machine_or_a_person_is_in_a_file_that_is_committed(places, receipts, name):
    (change,) = plan(name, places, receipts)
    written = change.after.decode()
    read = tomllib.loads(written) if change.path.suffix == ".toml" else json.loads(written)
    (servers,) = read.values()
    (server,) = servers.values()

    if name == "opencode":
        assert ["hippocampus", "mcp", "--project"] == server["command"]
    else:
        assert CALL.items() <= server.items()
    assert "/" not in written
    assert "hook" not in written, "those are each person's own"


def test_opencodes_file_with_comments_is_the_one_that_is_changed(places, receipts):
    (places.project / "opencode.jsonc").write_text("{} // ours\n")
    (change,) = plan("opencode", places, receipts)

    assert "opencode.jsonc" == change.path.name


def test_a_client_without_a_file_of_a_project_is_refused_with_those_that_have_one(places, receipts):
    (refusal,) = plan("windsurf", places, receipts)

    assert isinstance(refusal, Refusal)
    assert "claude-code, cursor, vscode, codex, gemini, opencode" in refusal.why


@pytest.mark.parametrize("link", ["file", "folder"])
def test_a_file_of_a_project_that_leads_out_of_it_is_left_alone(places, receipts, link):
    own = places.home / ".cursor" / "mcp.json"
    own.parent.mkdir(parents=True)
    own.write_text("{}")
    at = places.project / ".cursor"
    if link == "folder":
        at.symlink_to(own.parent)
    else:
        at.mkdir()
        (at / "mcp.json").symlink_to(own)
    (refusal,) = plan("cursor", places, receipts)

    assert "leads out of the project" in refusal.why
    assert str(Path(own).resolve()) in refusal.why
