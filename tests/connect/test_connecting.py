"""Clients are connected by their own files and disconnected again, on every system."""

import json
import os
import shlex
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from hippocampus.connect import (
    CLIENTS,
    Calls,
    ConfigChange,
    Invocation,
    Places,
    Receipts,
    Refusal,
    client_named,
    detected,
    find_invocation,
    plan_connect,
    plan_disconnect,
)
from hippocampus.errors import InputError, OutputError, SourceError

CALL = Invocation("/opt/hippocampus")
CALLS = Calls(server=CALL.with_args("mcp", "--store", "/m.db"), hook=CALL.with_args("hook"))
OTHER = replace(CALLS, server=CALL.with_args("mcp", "--store", "/other.db"))
SQLITE = b"SQLite format 3\0"
OURS = {"command": "/opt/hippocampus", "args": ["mcp", "--store", "/m.db"]}


@pytest.fixture
def places(tmp_path):
    return Places(home=tmp_path / "home", system="linux", env={})


@pytest.fixture
def receipts(tmp_path):
    return Receipts(tmp_path / "connections")


def everything(folder):
    return {file: file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def servers(client, places, receipts, calls=CALLS):
    return plan_connect(client, places, calls, receipts, hooks=False)


def connect(client, places, receipts, calls=CALLS, plan=servers):
    planned = plan(client, places, receipts, calls)
    for one in planned:
        assert isinstance(one, ConfigChange), one
        if one.changes:
            one.apply(receipts)
    return planned


def with_hooks(client, places, receipts, calls=CALLS):
    return plan_connect(client, places, calls, receipts)


def disconnect(client, receipts):
    planned = plan_disconnect(client, receipts)
    for one in planned:
        one.apply(receipts)
    return planned


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("name", [client.name for client in CLIENTS])
@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_disconnecting_a_client_connected_once_leaves_it_as_it_was(
    tmp_path, receipts, system, name
):
    client, home = client_named(name), tmp_path / "home"
    there = Places(home=home, system=system, env={})
    for number, file in enumerate(client.files):
        text = 'a = 1 # "b"\n' if file.format == "toml" else '{\n  "a": 1 // b\n}\n'
        if number == 0:
            write(file.at(there), text)
    before = everything(home)

    connect(client, there, receipts, plan=with_hooks)
    after = everything(home)
    assert len(client.files) == len(after)
    assert all(b"/opt/hippocampus" in raw for raw in after.values())
    assert not any(one.changes for one in with_hooks(client, there, receipts))

    disconnect(client, receipts)
    assert before == everything(home)
    assert [] == receipts.names()
    assert not receipts.folder.exists(), "no copies stay behind"


@pytest.mark.parametrize("name", ["claude-code", "cursor", "codex", "gemini"])
@pytest.mark.parametrize("calls", [CALLS, OTHER])
def test_connecting_without_hooks_takes_out_those_of_before(places, receipts, name, calls):
    client, home = client_named(name), places.home
    for file in client.files:
        write(file.at(places), 'a = 1 # "b"\n' if file.format == "toml" else '{"a": 1}\n')
    before = everything(home)
    connect(client, places, receipts, calls)
    alone = everything(home)
    disconnect(client, receipts)

    connect(client, places, receipts, plan=with_hooks)
    assert alone != everything(home)
    connect(client, places, receipts, calls)
    assert alone == everything(home)
    assert not any(one.changes for one in servers(client, places, receipts, calls))
    disconnect(client, receipts)
    assert before == everything(home)


@pytest.mark.parametrize(
    ("name", "system", "env", "file"),
    [
        ("claude-code", "linux", {}, ".claude.json"),
        ("claude-code", "linux", {}, ".claude/settings.json"),
        ("claude-desktop", "linux", {}, ".config/Claude/claude_desktop_config.json"),
        (
            "claude-desktop", "darwin", {},
            "Library/Application Support/Claude/claude_desktop_config.json",
        ),
        (
            "claude-desktop", "win32", {},
            "AppData/Roaming/Claude/claude_desktop_config.json",
        ),
        ("cursor", "win32", {}, ".cursor/mcp.json"),
        ("vscode", "linux", {}, ".config/Code/User/mcp.json"),
        ("vscode", "darwin", {}, "Library/Application Support/Code/User/mcp.json"),
        ("vscode", "win32", {}, "AppData/Roaming/Code/User/mcp.json"),
        ("codex", "linux", {}, ".codex/config.toml"),
        ("codex", "linux", {}, ".codex/hooks.json"),
        ("gemini", "darwin", {}, ".gemini/settings.json"),
        ("opencode", "linux", {}, ".config/opencode/opencode.json"),
        ("windsurf", "linux", {}, ".codeium/windsurf/mcp_config.json"),
    ],
)  # fmt: skip
def test_each_client_has_its_files_where_its_documentation_says(tmp_path, name, system, env, file):
    places = Places(home=tmp_path, system=system, env=env)

    assert tmp_path / file in [one.at(places) for one in client_named(name).files]


def test_folders_that_a_variable_names_are_used(tmp_path):
    moved = {"CLAUDE_CONFIG_DIR": "c", "CODEX_HOME": "x", "XDG_CONFIG_HOME": "g"}
    places = Places(
        home=tmp_path, system="linux", env={k: str(tmp_path / v) for k, v in moved.items()}
    )
    at = {client.name: [file.at(places) for file in client.files] for client in CLIENTS}

    assert [tmp_path / "c/.claude.json", tmp_path / "c/settings.json"] == at["claude-code"]
    assert tmp_path / "x/config.toml" == at["codex"][0]
    assert [tmp_path / "g/Code/User/mcp.json"] == at["vscode"]


def test_a_packaged_claude_desktop_is_written_to_where_it_reads(tmp_path):
    packaged = tmp_path / "AppData/Local/Packages/Claude_x1/LocalCache/Roaming/Claude"
    packaged.mkdir(parents=True)
    (file,) = client_named("claude-desktop").files

    at = file.at(Places(home=tmp_path, system="win32", env={}))
    assert packaged / "claude_desktop_config.json" == at


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("claude-code", {"mcpServers": {"hippocampus": {"type": "stdio", **OURS}}}),
        ("cursor", {"mcpServers": {"hippocampus": {"type": "stdio", **OURS}}}),
        ("vscode", {"servers": {"hippocampus": {"type": "stdio", **OURS}}}),
        ("claude-desktop", {"mcpServers": {"hippocampus": OURS}}),
        ("gemini", {"mcpServers": {"hippocampus": OURS}}),
        ("codex", {"mcp_servers": {"hippocampus": OURS}}),
        (
            "opencode",
            {
                "mcp": {
                    "hippocampus": {
                        "type": "local",
                        "command": [OURS["command"], *OURS["args"]],
                        "enabled": True,
                    }
                }
            },
        ),
    ],
)
def test_each_client_reads_its_own_format(places, receipts, name, said):
    client = client_named(name)
    connect(client, places, receipts)
    file = client.files[0]
    read = tomllib.loads if file.format == "toml" else json.loads

    assert said == read(file.at(places).read_text("utf-8"))


def test_hooks_are_put_beside_those_that_are_there(places, receipts):
    theirs = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}
    settings = write(places.home / ".claude/settings.json", json.dumps(theirs, indent=2))
    connect(client_named("claude-code"), places, receipts, plan=with_hooks)
    said = json.loads(settings.read_text("utf-8"))["hooks"]

    assert theirs["hooks"]["Stop"] == said["Stop"][:-1]
    assert {"SessionStart", "UserPromptSubmit", "Stop"} <= set(said)
    ours = [hook for groups in said.values() for hook in groups[-1]["hooks"]]
    assert all(hook["command"].startswith("/opt/hippocampus hook") for hook in ours)
    disconnect(client_named("claude-code"), receipts)
    assert theirs == json.loads(settings.read_text("utf-8"))


def test_a_file_that_has_the_newer_shape_of_opencode_keeps_it(places, receipts):
    there = write(
        places.home / ".config/opencode/opencode.jsonc",
        '{ "mcp": { "servers": { "a": { "type": "local", "command": ["x"] } } } } // mine\n',
    )
    connect(client_named("opencode"), places, receipts)

    assert '"servers": { "a"' in there.read_text("utf-8")
    assert there.read_text("utf-8").endswith("// mine\n")
    assert '"hippocampus"' in there.read_text("utf-8").partition('"servers"')[2]


def test_what_others_wrote_since_stays_when_ours_goes(places, receipts):
    cursor = client_named("cursor")
    there = write(places.home / ".cursor/mcp.json", '{\n  "mcpServers": {} // mine\n}\n')
    connect(cursor, places, receipts)
    later = there.read_text("utf-8").replace("{\n", '{\n  "new": true,\n', 1)
    there.write_text(later, encoding="utf-8")
    disconnect(cursor, receipts)

    assert '{\n  "new": true,\n  "mcpServers": {} // mine\n}\n' == there.read_text("utf-8")


def test_an_entry_that_was_changed_since_is_told_without_being_touched(places, receipts):
    cursor = client_named("cursor")
    connect(cursor, places, receipts)
    there = places.home / ".cursor/mcp.json"
    mine = there.read_text("utf-8").replace('"stdio",', '"stdio", "env": {"A": "b"},')
    there.write_text(mine, encoding="utf-8")

    (again,) = servers(cursor, places, receipts, OTHER)
    assert isinstance(again, Refusal)
    assert "line 3: mcpServers.hippocampus was changed since" in again.why
    (change,) = disconnect(cursor, receipts)
    assert "line 3" in change.left[0]
    assert mine == there.read_text("utf-8")


def test_connecting_another_store_replaces_the_entry(places, receipts):
    gemini = client_named("gemini")
    there = write(places.home / ".gemini/settings.json", '{"ui": {"theme": "x"}}')
    connect(gemini, places, receipts)
    connect(gemini, places, receipts, OTHER)

    assert there.read_text("utf-8").count('hippocampus"') == 2  # its name and its command
    assert "/other.db" in there.read_text("utf-8")
    disconnect(gemini, receipts)
    assert '{"ui": {"theme": "x"}}' == there.read_text("utf-8")


def test_an_entry_of_somebody_else_is_not_written_over(places, receipts):
    text = '{"mcpServers": {"hippocampus": {"command": "their own"}}}'
    there = write(places.home / ".cursor/mcp.json", text)
    (refused,) = servers(client_named("cursor"), places, receipts)

    assert "says something else" in refused.why
    assert text == there.read_text("utf-8")
    assert [] == plan_disconnect(client_named("cursor"), receipts)


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b'{\n "mcpServers": {\n', "line 3, column 1: it ends too early"),
        (b'{"a": "\xff\xfe"}', "not UTF-8"),
        (b'{"mcpServers": 3}', "not an object"),
    ],
)
def test_what_cannot_be_read_is_left_byte_for_byte(places, receipts, raw, why):
    there = places.home / ".cursor/mcp.json"
    write(there, "").write_bytes(raw)
    (refused,) = servers(client_named("cursor"), places, receipts)

    assert why in refused.why
    assert raw == there.read_bytes()


def test_a_file_that_changed_meanwhile_is_not_written(places, receipts):
    there = write(places.home / ".cursor/mcp.json", "{}")
    (change,) = servers(client_named("cursor"), places, receipts)
    there.write_text('{"theirs": 1}')

    with pytest.raises(OutputError, match="changed by somebody else"):
        change.apply(receipts)
    assert '{"theirs": 1}' == there.read_text()
    assert [] == receipts.names()


def test_the_difference_of_a_long_line_is_what_changes_in_it(places, receipts):
    long = json.dumps({"a": [7] * 500, "mcpServers": {"b": 1}, "z": [8] * 500})
    write(places.home / ".gemini/settings.json", long)
    (change,) = servers(client_named("gemini"), places, receipts)
    *_, old, new = change.diff()

    assert ("-…", "+…", "…", "…") == (old[:2], new[:2], old[-1], new[-1])
    assert len(old) < 120
    assert "/opt/hippocampus" in new
    assert len(new) < 300


HELD = {
    "MY_API_KEY": "f3a9c2",
    "password": "hunter2",
    "args": ["--token", "8f14e4"],
    "head": "Bearer e5f6a7",
}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("last", list(HELD))
def test_no_value_that_stays_is_shown_in_a_difference(places, receipts, last, indent):
    held = {name: HELD[name] for name in sorted(HELD, key=lambda name: name == last)}
    told = {"mcpServers": {"other": {"env": held}}, **held}
    write(places.home / ".cursor/mcp.json", json.dumps(told, indent=indent))
    made = list(servers(client_named("cursor"), places, receipts)[0].diff())
    connect(client_named("cursor"), places, receipts)
    taken = list(plan_disconnect(client_named("cursor"), receipts)[0].diff())

    for shown in ("\n".join(made), "\n".join(taken)):
        assert [] == [one for one in ("f3a9", "hunter2", "8f14", "e5f6") if one in shown]
        assert all(one in shown for one in ("hippocampus", "/opt/hippocampus", "/m.db"))


@pytest.mark.parametrize(
    "last",
    ['note = """\nhunter2 is it\n"""\n', 'note = """\nMIIhunter2w0==\n"""\n',
     "note = '''\nMIIhunter2w0=\n'''\n", 'note = [\n  ["hunter2"]\n]\n'],
)  # fmt: skip
def test_a_difference_of_toml_shows_names_and_tables_alone(places, receipts, last):
    text = f'[mcp_servers.other]\nenv = {{ KEY = "f3a9" }}\n{last}'
    write(places.home / ".codex/config.toml", text)
    (change,) = servers(client_named("codex"), places, receipts)
    shown = "\n".join(change.diff())

    assert "hunter2" not in shown
    assert "[mcp_servers.hippocampus]" in shown


@pytest.mark.skipif(os.name == "nt", reason="links and modes of POSIX")
def test_links_and_permissions_stay_with_a_copy_of_the_file_kept(places, receipts, tmp_path):
    real = write(tmp_path / "dotfiles" / "mcp.json", '{"a": 1}')
    real.chmod(0o640)
    link = places.home / ".cursor/mcp.json"
    link.parent.mkdir(parents=True)
    link.symlink_to(real)
    connect(client_named("cursor"), places, receipts)

    assert link.is_symlink()
    assert 0o640 == real.stat().st_mode & 0o777
    assert "hippocampus" in real.read_text()
    copy = receipts.copy_of("cursor", str(link))
    assert '{"a": 1}' == copy.read_text()
    assert 0o600 == copy.stat().st_mode & 0o777


def test_notes_that_cannot_be_read_are_told(places, receipts):
    write(receipts.folder / "cursor.json", "{")
    with pytest.raises(SourceError, match="no note of what was connected"):
        plan_disconnect(client_named("cursor"), receipts)
    write(receipts.folder / "cursor.json", '{"version": 9, "files": []}')
    with pytest.raises(SourceError, match="another version"):
        servers(client_named("cursor"), places, receipts)


def test_clients_are_found_by_their_folder_or_their_program(tmp_path):
    (tmp_path / ".cursor").mkdir()
    program = tmp_path / "bin" / "codex"
    write(program, "").chmod(0o755)
    found = detected(Places(home=tmp_path, system="linux", env={"PATH": str(program.parent)}))

    assert ["cursor", "codex"] == [client.name for client in found]
    with pytest.raises(InputError, match="must be one of claude-code"):
        client_named("emacs")


# ---------------------------------------------------------------- how we are called


def test_the_script_of_an_installation_is_named_by_its_whole_path(tmp_path):
    script = write(tmp_path / "bin" / "hippocampus", "")

    assert Invocation(str(script)) == find_invocation([tmp_path / "no", script.parent], tmp_path)
    alone = find_invocation([tmp_path / "no"], tmp_path)
    assert Invocation(str(Path(sys.executable).absolute()), ("-m", "hippocampus")) == alone


def test_what_is_in_a_cache_is_asked_for_anew_or_refused(tmp_path, monkeypatch):
    write(tmp_path / "uv" / "CACHEDIR.TAG", "")
    prefix = tmp_path / "uv" / "archive" / "x1"
    write(prefix / "bin" / "hippocampus", "")
    write(tmp_path / "bin" / "uvx", "").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    found = find_invocation([prefix / "bin"], prefix)

    assert str(tmp_path / "bin" / "uvx") == found.command
    assert ("--from", "hippocampus") == (found.args[0], found.args[-1])
    assert "hippocampus-memory[mcp]" in found.args[1]
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InputError, match="install it to stay"):
        find_invocation([prefix / "bin"], prefix)


def test_a_call_is_a_line_that_a_shell_reads_back():
    call = Invocation("/a b/h", ("hook", "--store", "it's.db"))

    assert "'/a b/h' hook --store 'it'\"'\"'s.db'" == call.as_line(windows=False)
    there = Invocation("C:\\Program Files\\h.exe", ("hook", "--store", "C:\\m.db"))
    assert '"C:/Program Files/h.exe" hook --store C:/m.db' == there.as_line(windows=True)


@pytest.mark.parametrize("odd", ["O'Brien", "R&D", "a;b", "a(b)", "a^b", "a#b", "x|y", "a*"])
def test_a_path_with_a_mark_of_a_shell_is_one_word_on_windows(odd):
    line = Invocation(f"C:\\Users\\{odd}\\h.exe", ("hook",)).as_line(windows=True)

    assert f'"C:/Users/{odd}/h.exe" hook' == line
    assert [f"C:/Users/{odd}/h.exe", "hook"] == shlex.split(line)


@pytest.mark.parametrize("odd", ["$(calc)", "`calc`", 'a"b', "%PATH%", "a\nb", "a\u201db"])
def test_what_a_shell_of_windows_would_expand_is_refused(odd):
    with pytest.raises(InputError, match="would read as its own; name a store and a bank"):
        Invocation("h", ("hook", "--bank", odd)).as_line(windows=True)


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
def test_a_link_stays_when_the_file_that_was_made_behind_it_goes(places, receipts, tmp_path):
    link = places.home / ".cursor/mcp.json"
    link.parent.mkdir(parents=True)
    (tmp_path / "dotfiles").mkdir()
    link.symlink_to(tmp_path / "dotfiles/mcp.json")
    connect(client_named("cursor"), places, receipts)
    assert (tmp_path / "dotfiles/mcp.json").is_file()
    disconnect(client_named("cursor"), receipts)

    assert link.is_symlink()
    assert [] == list((tmp_path / "dotfiles").iterdir())


@pytest.mark.parametrize(
    ("name", "file", "text"),
    [
        ("cursor", ".cursor/mcp.json", '{"a": %s}'),
        ("codex", ".codex/config.toml", "a = %s\n"),
    ],
)
def test_a_number_that_nobody_reads_is_a_fault_of_the_file(places, receipts, name, file, text):
    write(places.home / file, text % ("9" * 5000))
    (refused,) = servers(client_named(name), places, receipts)

    assert isinstance(refused, Refusal)
    assert "line 1, column" in refused.why


def test_what_could_not_be_written_is_not_noted_as_connected(places, receipts):
    client = client_named("cursor")
    file = write(places.home / ".cursor/mcp.json", '{"a": 1}')

    def refused(change):
        was = file.read_bytes()
        file.write_bytes(SQLITE + was)
        with pytest.raises(OutputError, match="is a database"):
            replace(change, before=SQLITE + was).apply(receipts)
        file.write_bytes(was)

    (change,) = servers(client, places, receipts)
    refused(change)
    assert not receipts.folder.exists()

    change.apply(receipts)
    before = everything(receipts.folder)
    (again,) = servers(client, places, receipts, calls=OTHER)
    refused(again)
    assert before == everything(receipts.folder)
