"""Which project a folder belongs to, and what its settings file can and cannot do."""

import os
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from in_process import invoke

from hippocampus.cli.agent_session import AgentSession
from hippocampus.cli.project import find_project, normalised
from hippocampus.core.bank_names import PROJECT
from hippocampus.engine.context import check_name

SAME = [
    "git@github.com:Ada/Shop.git", "ssh://git@github.com/ada/shop.git", "https://github.com/ada/shop",
    "https://ada:secret@GitHub.com/ada/shop.git/", "git://github.com:9418/ada/shop",
    "github.com:ada/shop.git", "ssh://git@github.com:22/ada/shop/",
]  # fmt: skip


@pytest.fixture(autouse=True)
def home(monkeypatch, tmp_path):
    """A home that is no project, with folders of users' data in it."""
    place = tmp_path / "home"
    place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("USERPROFILE", str(place))
    monkeypatch.setenv("XDG_DATA_HOME", str(place / "data"))
    return place


def git(*args):
    how = [
        "-c",
        "user.name=Ada",
        "-c",
        "user.email=ada@example.org",
        "-c",
        "init.defaultBranch=main",
    ]
    subprocess.run(
        ["git", *how, *map(str, args)], check=True, capture_output=True,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull},
    )  # fmt: skip


@pytest.fixture
def repository(tmp_path):
    """A repository as git makes it, with one commit."""
    folder = tmp_path / "shop"
    git("init", folder)
    git("-C", folder, "commit", "--allow-empty", "-m", "begin")
    return folder


def settings(folder, text):
    (folder / ".hippocampus.toml").write_text(f"[project]\n{text}\n", "utf-8")


# ---------------------------------------------------------------- names


@pytest.mark.parametrize("address", SAME)
def test_every_way_to_write_a_remote_is_one_project(address):
    assert "github.com/ada/shop" == normalised(address)


def test_other_remotes_are_others():
    others = [
        "git@github.com:ada/shop2",
        "git@gitlab.com:ada/shop",
        "git@github.com:bo/shop",
        "../shop",
    ]

    assert len({normalised(one) for one in [*others, SAME[0]]}) == 5


@given(st.text(max_size=300))
def test_whatever_a_remote_is_called_a_bank_may_be_called(address):
    name = normalised(address)

    assert not name or check_name(f"{PROJECT}{name}") == f"{PROJECT}{name}"
    assert name.isascii()
    assert name.isprintable()
    assert not set(name) & set("<>\"' ")


def test_worktrees_and_clones_share_a_bank(repository, tmp_path):
    git("-C", repository, "worktree", "add", tmp_path / "tree")
    git("clone", repository, tmp_path / "clone")
    inside = repository / "src" / "deep"
    inside.mkdir(parents=True)

    assert invoke("project", str(tmp_path / "clone"), "--allow").exit_code == 0

    found = [
        find_project(one) for one in (repository, inside, tmp_path / "tree", tmp_path / "clone")
    ]

    assert 1 == len({one.bank for one in found})
    assert ["repository", "repository", "repository", "remote"] == [one.told_by for one in found]
    git("-C", repository, "remote", "add", "origin", SAME[0])
    assert f"{PROJECT}github.com/ada/shop" == find_project(tmp_path / "tree").bank


def test_a_submodule_is_a_project_of_its_own(repository, tmp_path):
    git("init", tmp_path / "part")
    git("-C", tmp_path / "part", "commit", "--allow-empty", "-m", "begin")
    git("-c", "protocol.file.allow=always", "-C", repository, "submodule", "add", tmp_path / "part")

    assert find_project(repository).bank != find_project(repository / "part").bank
    assert find_project(tmp_path / "part").bank == find_project(repository / "part").claims


def test_without_git_the_folder_is_the_project(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "other" / "notes").mkdir(parents=True)
    found = [find_project(tmp_path / "notes"), find_project(tmp_path / "other" / "notes")]

    assert ["folder", "folder"] == [one.told_by for one in found]
    assert found[0].bank != found[1].bank
    assert found[0].bank.startswith(f"{PROJECT}notes-")


def test_a_home_is_no_project_even_with_git_in_it(home, tmp_path):
    git("init", home)
    (home / "notes").mkdir()

    assert find_project(home) is None
    assert find_project("/") is None
    assert find_project(tmp_path / "none") is None
    assert "folder" == find_project(home / "notes").told_by


@pytest.mark.parametrize("text", ["", "gitdir: nowhere", "gitdir:", "\0", "gitdir: " + "x/" * 9000])
def test_a_git_file_that_leads_nowhere_does_no_harm(tmp_path, text):
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / ".git").write_text(text)

    assert find_project(tmp_path / "odd").bank.startswith(PROJECT)


# ---------------------------------------------------------------- settings


def test_a_settings_file_may_narrow_what_is_remembered(repository):
    whole = find_project(repository).bank
    settings(repository, 'part = "Docs"')
    assert f"{whole}#docs" == find_project(repository).bank
    settings(repository, "remember = false")
    assert not find_project(repository).remembered
    settings(repository, "packages = true")
    package = repository / "services" / "api"
    (package / "src").mkdir(parents=True)
    (package / "pyproject.toml").write_text("")

    assert f"{whole}#services/api" == find_project(package / "src").bank
    assert whole == find_project(repository).bank
    assert whole == find_project(repository / "services").bank


def test_what_it_asks_for_beyond_that_waits_for_consent(repository):
    own = find_project(repository).bank
    settings(repository, 'team = "shop"\nstore = "postgresql://memory.example.org/team"')
    asking = find_project(repository)

    assert (own, None, False) == (asking.shared_bank, asking.shared_store, asking.allowed)
    asking.consent.parent.mkdir(parents=True)
    asking.consent.touch()
    assert ("team:shop", "postgresql://memory.example.org/team") == (
        asking.shared_bank, asking.shared_store
    )  # fmt: skip
    settings(repository, 'team = "shop"\nstore = "postgresql://evil.example.org/team"')
    assert not find_project(repository).allowed


@pytest.mark.parametrize(
    "text",
    ['part = "../../me"', 'part = "me"', 'part = "#"', 'team = "me"', 'bank = "me"', 'name = "me"'],
)
def test_no_settings_file_reaches_the_users_own_bank_or_another_projects(repository, text):
    own = find_project(repository).bank
    settings(repository, text)
    found = find_project(repository)
    if found.consent is not None:
        found.consent.parent.mkdir(parents=True)
        found.consent.touch()

    assert found.shared_bank.startswith((own, "team:"))
    assert found.bank.split("#")[0] == own


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("part = [", "no TOML"),
        pytest.param(f"part = {'[' * 5000}", "no TOML", id="nested"),
        pytest.param(f"part = {'9' * 5000}", "no TOML", id="a long number"),
        ("remember = 3", "remember=3"),
        ('packages = "yes"', "packages='yes'"),
        ('team = "a b"', "team='a b'"),
        ('store = "postgresql://ada:pw@h/d"', "no user or password"),
        ("team = 1", "team=1"),
        ('store = "http://memory.example.org"', "without https"),
        ('store = "http://localhost.example.org"', "without https"),
    ],
)
def test_a_wrong_settings_file_is_passed_over_with_a_warning(repository, text, named):
    own = find_project(repository).bank
    settings(repository, text)
    found = find_project(repository)

    assert own == found.shared_bank
    assert found.remembered
    assert named in found.warning
    assert str(Path(".hippocampus.toml")) in found.warning


def test_a_warning_names_an_unknown_setting_without_loss_of_the_others(repository):
    settings(repository, 'part = "docs"\nrememeber = false')
    found = find_project(repository)

    assert found.bank.endswith("#docs")
    assert "'rememeber': no such setting; there are remember, packages, part" in found.warning


def test_a_settings_file_that_is_huge_or_no_text_is_none(repository):
    own = find_project(repository)
    for content in (b"[project]\nremember = false\n" + b"#" * (1 << 17), b"\xff[project]"):
        (repository / ".hippocampus.toml").write_bytes(content)
        assert own == find_project(repository)


@pytest.mark.parametrize(
    ("address", "bank"),
    [
        ("https://evil.example/x@github.com/ada/shop", "evil.example/x-github.com/ada/shop"),
        ("git@evil.example:x@github.com/ada/shop", "evil.example/x-github.com/ada/shop"),
    ],
)
def test_an_at_sign_in_a_path_makes_no_other_host(address, bank):
    assert bank == normalised(address)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no such device here")
def test_a_settings_file_that_leads_to_a_device_is_none(repository):
    (repository / ".hippocampus.toml").symlink_to("/dev/zero")

    assert find_project(repository).asks == {}


def test_a_store_in_a_file_is_found_from_wherever_in_the_project(repository):
    settings(repository, 'store = "memory/team.db"')
    below = repository / "src"
    below.mkdir()

    place = os.path.realpath(repository / "memory" / "team.db")
    assert [place] * 2 == [find_project(one).asks["store"] for one in (repository, below)]


def test_the_log_of_a_session_does_not_grow_for_ever(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    session = AgentSession("memory.db", "one")
    for number in range(3):
        session.note_failed(f"{number} {'x' * 600_000}")
    (log,) = (tmp_path / "state" / "hippocampus" / "sessions").iterdir()

    assert log.stat().st_size < 1_300_000
    assert session.was_told("of anything, for nobody could note that it was told")


def test_the_log_of_a_session_is_read_in_time_however_long_it_is(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    session = AgentSession("memory.db", "one")
    session.note_shown(["before"])
    session.note_wiped()
    (log,) = (tmp_path / "state" / "hippocampus" / "sessions").iterdir()
    with log.open("a") as file:
        file.write('{"shown": ["a"]}\n' * 60_000)
    begun = time.process_time()

    assert ["a"] * 60_000 == session.shown()
    assert time.process_time() - begun < 2, "a prompt waits for it"


@pytest.mark.parametrize("text", ["remember = false"])
def test_what_is_not_to_be_remembered_is_not_served_either(repository, monkeypatch, text):
    settings(repository, text)
    monkeypatch.chdir(repository)

    failed = invoke("mcp", "--project", "--embedder", "none")

    assert failed.exit_code == 2
    assert "remember = false" in failed.stderr
