"""The first minute: what is found, what is asked, what is written, and how it is taken back."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from hippocampus.cli.init import bank_for, person

BROKEN = '{ "mcpServers": {'


@pytest.fixture
def home(tmp_path, shell):
    """A home folder with Cursor, Codex and a half-written configuration of Gemini in it."""
    folder = tmp_path / "home"
    (folder / ".cursor").mkdir(parents=True)
    (folder / ".codex").mkdir()
    (folder / ".codex/config.toml").write_text('model = "x" # mine\n')
    (folder / ".gemini").mkdir()
    (folder / ".gemini/settings.json").write_text(BROKEN)
    nowhere = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "APPDATA")
    shell.env |= dict.fromkeys(nowhere, "") | {"HOME": str(folder), "PATH": ""}
    return folder


def everything(folder):
    files = (file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


def test_without_a_terminal_init_says_what_it_would_do_without_doing_it(shell, home):
    before = everything(home)
    done = shell("init")

    assert done.code == 2
    assert "Cursor" in done.out
    assert "+[mcp_servers.hippocampus]" in done.out
    assert "all-MiniLM-L6-v2 is not installed: a download of 84 MB" in " ".join(done.out.split())
    assert "add --yes to do all of this" in " ".join(done.err.split())
    assert before == everything(home)


@pytest.mark.usefixtures("home")
def test_what_init_says_to_do_next_can_be_pasted(shell):
    done = shell("init", "--yes", "--no-model", "--client", "cursor", "--store", "a b.db")
    for command in ("remember", "recall"):
        (line,) = (one for one in done.out.splitlines() if f"hippocampus {command}" in one)
        assert ["--store", "a b.db"] == shlex.split(line)[-2:]


def test_disconnect_takes_back_all_that_init_connected(shell, home):
    before = everything(home)
    done = shell("init", "--yes", "--no-model")

    assert done.code == 1, "one configuration could not be read"
    assert "line 1, column 18: it ends too early" in " ".join(done.err.split())
    assert BROKEN == (home / ".gemini/settings.json").read_text()
    server = json.loads((home / ".cursor/mcp.json").read_text())["mcpServers"]["hippocampus"]
    assert Path(server["command"]).is_absolute()
    assert "mcp" == server["args"][0]
    assert ["--store", str(shell.store)] == server["args"][-2:]
    assert "hippocampus disconnect" in done.out
    assert {"cursor", "codex"} == {
        one["client"] for one in shell("connect", "--json").json if one["state"] == "connected"
    }

    assert shell("disconnect").code == 2, "nobody was asked"
    assert shell("disconnect", "--dry-run").code == 0
    assert shell("disconnect", "--yes").code == 0
    assert before == everything(home)
    assert "nothing is connected" in shell("disconnect").out


def test_a_client_of_another_version_keeps_no_other_from_being_disconnected(shell, home):
    before = everything(home)
    assert shell("connect", "cursor", "--yes").code == 0
    (receipts,) = home.rglob("connections")
    (receipts / "zed.json").write_text("{}")
    done = shell("disconnect", "--yes")

    assert (0, True) == (done.code, "zed: was connected by another version" in done.err)
    (receipts / "zed.json").unlink()
    assert before == everything(home)


@pytest.mark.parametrize(
    ("given", "written"),
    [([], ["--secrets", "redact"]), (["--secrets", "refuse"], ["--secrets", "refuse"]),
     (["--secrets", "keep"], [])],
)  # fmt: skip
def test_a_server_that_is_connected_takes_no_secrets_unless_told_to(shell, home, given, written):
    assert shell("connect", "cursor", "--no-hooks", "--yes", *given).code == 0
    config = json.loads((home / ".cursor/mcp.json").read_text())
    args = config["mcpServers"]["hippocampus"]["args"]

    assert ["mcp", *written, "--store", str(shell.store)] == [
        one for one in args if one != "--project"
    ]


def test_one_client_is_connected_alone_and_once(shell, home):
    wanted = ("connect", "cursor", "--no-hooks", "--bank", "work", "--yes", "--json")
    first, again = shell(*wanted), shell(*wanted)

    assert [("cursor", "written")] == [(one["client"], one["state"]) for one in first.json]
    assert ["unchanged"] == [one["state"] for one in again.json]
    assert "--bank" in (home / ".cursor/mcp.json").read_text()
    assert 'model = "x" # mine\n' == (home / ".codex/config.toml").read_text()
    assert shell("connect", "codex", "--no-hooks", "--yes").code == 0
    assert not (home / ".codex/hooks.json").exists()


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["connect", "emacs"], "client='emacs': must be one of"),
        (["disconnect", "emacs"], "client='emacs': must be one of"),
        *(
            ([*command, "--store", store], says)
            for command in (["connect", "cursor"], ["init", "--client", "cursor", "--yes"])
            for store, says in (
                ("postgresql://ada:hunter2@db/x", "holds a password"),
                ("postgresql://db/x?sslmode=require&password=hunter2", "holds a password"),
                ("postgresql://db/x?sslpass%77ord=hunter2", "holds a password"),
                ("postgresql://a@h/x,postgresql://b:hunter2@h2/y", "holds a password"),
                ("postgresql://b:hunter2@[::1/y", "cannot be read"),
            )
        ),
    ],
)
def test_a_client_or_a_store_that_cannot_be_written_is_refused(shell, home, args, says):
    done = shell(*args)

    assert done.code == 2
    assert says in " ".join(done.err.split())
    assert "hunter2" not in done.out + done.err
    assert not (home / ".cursor/mcp.json").exists()


def test_a_secret_of_a_configuration_is_not_shown(shell, home):
    key = "sk-ant-api03-" + "Zq7" * 20
    servers = {"a": {"command": "x", "env": {"ANTHROPIC_API_KEY": key}}}
    there = home / ".cursor/mcp.json"
    there.write_text(json.dumps({"mcpServers": servers}, indent=2))
    shown = shell("connect", "cursor", "--yes").out
    (home / ".gemini/settings.json").write_text(json.dumps({"mcpServers": servers}))
    shown += shell("connect", "gemini", "--yes").out

    assert "hippocampus" in shown
    assert key not in shown
    assert key in there.read_text()


def test_a_bank_is_named_after_somebody_only_where_others_are(monkeypatch, tmp_path):
    assert "me" == bank_for(None, "Zoë Ångström")
    assert "me" == bank_for("agent.db", "Zoë Ångström")
    assert "zoe-angstrom" == bank_for("postgresql://db/team", "Zoë Ångström")
    assert "me" == bank_for("postgresql://db/team", "名")
    config = tmp_path / "gitconfig"
    config.write_text("[user]\n\tname = Zoë Ångström\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.chdir(tmp_path)
    assert person() == "Zoë Ångström"


@pytest.mark.slow
def test_a_proxy_that_blocks_the_model_keeps_nothing_else_back(shell, home):
    closed = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_NO_INDEX": "", "PIP_RETRIES": "0"}
    unset = ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "UV_INDEX_URL", "UV_FIND_LINKS")
    env = (
        os.environ | shell.env | closed | dict.fromkeys(unset, "") | {"PIP_CONFIG_FILE": os.devnull}
    )
    done = subprocess.run(
        [sys.executable, "-m", "hippocampus", "init", "--yes", "--client", "cursor"],
        env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    said = " ".join(done.stderr.split())
    assert "cannot download" in said
    assert "All else works: search goes by words and time" in said
    assert (home / ".cursor/mcp.json").exists()


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "written"), [("y", True), ("n", False)])
def test_at_a_terminal_each_change_waits_for_a_yes(shell, home, answer, written):
    ours, theirs = pytest.importorskip("pty").openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "hippocampus", "connect", "cursor", "--no-hooks"],
        env=os.environ | shell.env, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    os.write(ours, f"{answer}\n".encode())
    shown, asked = running.communicate()

    assert running.returncode == 0
    assert b"+++ " in shown
    assert b"Write this for Cursor?" in asked
    assert (home / ".cursor/mcp.json").exists() is written
    os.close(ours)
    os.close(theirs)


@pytest.mark.slow
def test_what_is_written_can_be_started_by_whoever_reads_it(shell, home):
    (home / ".claude").mkdir()
    assert shell("connect", "claude-code", "--yes").code == 0
    server = json.loads((home / ".claude.json").read_text())["mcpServers"]["hippocampus"]
    asked = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "a test", "version": "1"},
        },
    }  # fmt: skip
    elsewhere = {"HOME": str(home), "HIPPOCAMPUS_EMBEDDER": "none"}  # no PATH, no other variable
    said = subprocess.run(
        [server["command"], *server["args"]], env=elsewhere, input=json.dumps(asked) + "\n",
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert json.loads(said.splitlines()[0])["result"]["serverInfo"]

    hooks = json.loads((home / ".claude/settings.json").read_text())["hooks"]
    (line,) = (hook["command"] for group in hooks["UserPromptSubmit"] for hook in group["hooks"])
    for prompt in (
        "The deploy key of the garden is kept in the blue shed.",
        "Where is the deploy key of the garden kept?",
    ):
        event = {"hook_event_name": "UserPromptSubmit", "prompt": prompt, "session_id": "s"}
        done = subprocess.run(
            ["/bin/sh", "-c", line], env=elsewhere, input=json.dumps(event),
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    assert "the blue shed" in done.stdout


# ---------------------------------------------------------------- a project's own files


@pytest.fixture
def project(tmp_path, home, monkeypatch):
    """A repository in one of whose folders we are."""
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    (folder / "src").mkdir()
    (folder / ".mcp.json").write_text('{\n  "mcpServers": {} // ours\n}\n')
    monkeypatch.chdir(folder / "src")
    monkeypatch.setenv("HOME", str(home))
    return folder


def configurations(home):
    return {name: raw for name, raw in everything(home).items() if name[:6] != ".local"}


def test_disconnect_takes_back_the_project_files_written_after_a_yes(shell, home, project):
    mine, before = configurations(home), everything(project)
    wanted = ("connect", "claude-code", "cursor", "--project")

    shown = shell(*wanted)
    assert (2, before) == (shown.code, everything(project))
    assert '+    "hippocampus": {' in shown.out
    assert shell(*wanted, "--yes").code == 0
    assert {".mcp.json", ".cursor/mcp.json"} == set(everything(project))
    assert str(shell.store) not in (project / ".mcp.json").read_text()
    assert mine == configurations(home)
    states = {one["client"]: one["state"] for one in shell("connect", "--project", "--json").json}
    assert ("connected", "found") == (states["claude-code"], states["codex"])
    assert "windsurf" not in states
    assert "connected" not in {one["state"] for one in shell("connect", "--json").json}

    assert "nothing is connected" in shell("disconnect").out
    assert shell("disconnect", "--project", "--yes").code == 0
    assert before == everything(project)
    assert "nothing is connected" in shell("disconnect", "--project").out


def test_disconnecting_a_project_leaves_another_and_the_users_own(shell, home, project, tmp_path):
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    assert shell("connect", "cursor", "--project", "--yes").code == 0
    assert shell("connect", "cursor", "--yes", "--no-hooks").code == 0
    mine = configurations(home)

    os.chdir(other)
    assert "nothing is connected" in shell("disconnect", "--project", "--yes").out
    assert (project / ".cursor/mcp.json").exists()
    os.chdir(project)
    assert shell("disconnect", "--project", "--yes").code == 0
    assert not (project / ".cursor/mcp.json").exists()
    assert mine == configurations(home)


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--store", "work.db"], "--store"),
        (["--bank", "work"], "--bank"),
        (["--store", "postgresql://ada:pw@db/x"], "--store"),
    ],
)
def test_a_projects_files_name_no_store_or_bank(shell, project, args, told):
    refused = shell("connect", "cursor", "--project", "--yes", *args)

    assert 2 == refused.code
    assert told in refused.err
    assert ".hippocampus.toml" in refused.err
    assert "pw" not in refused.err
    assert not (project / ".cursor").exists()


def test_a_home_is_no_project_to_connect(shell, home, monkeypatch):
    monkeypatch.chdir(home)
    monkeypatch.setenv("HOME", str(home))
    refused = shell("connect", "cursor", "--project", "--yes")

    assert 2 == refused.code
    assert "is no project" in refused.err


def test_a_client_without_files_of_a_project_is_refused(shell, project):
    before = everything(project)
    refused = shell("connect", "windsurf", "--project", "--yes")

    assert 1 == refused.code
    assert "reads no file of a project" in " ".join(refused.err.split())
    assert before == everything(project)


def states(shell):
    return {one["client"]: one["state"] for one in shell("connect", "--json").json}


def test_a_client_whose_hooks_could_not_be_written_is_connected_by_its_server_alone(shell, home):
    (home / ".claude").mkdir(exist_ok=True)
    (home / ".claude/settings.json").write_text('{"hooks": {')
    assert shell("connect", "claude-code", "--yes").code == 1

    assert "server only" == states(shell)["claude-code"]
    (home / ".claude/settings.json").write_text("{}")
    assert shell("connect", "claude-code", "--yes").code == 0
    assert "connected" == states(shell)["claude-code"]


def test_a_file_that_nobody_may_write_is_left_as_it_is(shell, home):
    config = home / ".cursor/mcp.json"
    before = b'{"mcpServers": {}}'
    config.write_bytes(before)
    config.chmod(0o444)
    done = shell("connect", "cursor", "--no-hooks", "--yes")

    assert (1, before) == (done.code, config.read_bytes())
    assert "is read-only" in " ".join(done.err.split())
    config.chmod(0o644)
    assert shell("connect", "cursor", "--no-hooks", "--yes").code == 0


def test_a_file_that_was_emptied_since_is_connected_again_and_disconnected(shell, home):
    config = home / ".cursor/mcp.json"
    for then in ("connect", "disconnect"):
        assert shell("connect", "cursor", "--no-hooks", "--yes").code == 0
        config.write_bytes(b"")
        assert shell(then, "cursor", "--yes").code == 0
    assert "Begin" not in shell("disconnect", "cursor", "--yes").out
    assert "cursor" not in [name for name, state in states(shell).items() if state == "connected"]
