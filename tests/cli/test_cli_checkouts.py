"""Whose folders a remote's bank is for: the first, and those that the user has allowed."""

import json
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest
from in_process import invoke

from hippocampus import Memory
from hippocampus.cli.project import find_project
from hippocampus.core.bank_names import PROJECT

REMOTE = "git@github.com:Ada/Shop.git"
SHOP = f"{PROJECT}github.com/ada/shop"
RULE = "Never touch the generated files under gen/, the nightly job overwrites them."


@pytest.fixture(autouse=True)
def home(monkeypatch, tmp_path):
    """A home that is no project, with a folder of users' data in it."""
    place = tmp_path / "home"
    place.mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(place))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return place


def git(*args):
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    subprocess.run(
        ["git", *who, *map(str, args)], check=True, capture_output=True,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull},
    )  # fmt: skip


def repository(folder, remote=REMOTE):
    """Make a repository as git does, with one commit and a remote."""
    git("init", folder)
    git("-C", folder, "commit", "--allow-empty", "-m", "begin")
    if remote:
        git("-C", folder, "remote", "add", "origin", remote)
    return folder


def archive(folder, remote=REMOTE):
    """Make what a downloaded archive may have in it: a ``.git`` that somebody wrote."""
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {remote}\n')
    return folder


@pytest.fixture
def shop(tmp_path):
    """The user's repository, in which an agent has been used."""
    folder = repository(tmp_path / "shop")
    assert SHOP == find_project(folder, note=True).bank
    return folder


# ---------------------------------------------------------------- the first, and others


def test_only_the_first_folder_of_a_remote_has_its_bank(shop, tmp_path):
    hostile = find_project(archive(tmp_path / "download"), note=True)

    assert hostile.bank.startswith(f"{PROJECT}download-")
    assert (SHOP, [str(shop)]) == (hostile.claims, hostile.known_in)
    assert SHOP == find_project(shop, note=True).bank


def test_looking_alone_makes_no_folder_the_first(tmp_path):
    assert SHOP == find_project(archive(tmp_path / "download")).bank
    assert SHOP == find_project(repository(tmp_path / "shop"), note=True).bank
    assert SHOP != find_project(tmp_path / "download").bank


def test_a_clone_that_was_allowed_shares_the_bank_until_that_is_denied(shop, tmp_path):
    clone = repository(tmp_path / "again")
    own = find_project(clone).bank

    assert invoke("project", str(clone), "--allow").exit_code == 0
    assert [SHOP, SHOP] == [find_project(one, note=True).bank for one in (clone, shop)]
    assert invoke("project", str(clone), "--deny").exit_code == 0
    assert [own, SHOP] == [find_project(one, note=True).bank for one in (clone, shop)]


def test_where_the_first_was_denied_the_next_is_no_first(shop, tmp_path):
    assert invoke("project", str(shop), "--deny").exit_code == 0

    assert SHOP != find_project(archive(tmp_path / "download"), note=True).bank
    assert SHOP != find_project(shop, note=True).bank


def test_worktrees_need_no_consent(shop, tmp_path):
    git("-C", shop, "worktree", "add", tmp_path / "tree")

    assert SHOP == find_project(tmp_path / "tree", note=True).bank


def test_a_folder_that_is_not_to_be_remembered_is_no_first(tmp_path):
    hostile = archive(tmp_path / "download")
    (hostile / ".hippocampus.toml").write_text("[project]\nremember = false\n")
    find_project(hostile, note=True)

    assert SHOP == find_project(repository(tmp_path / "shop"), note=True).bank


def test_of_many_that_come_first_at_once_one_is_the_first(tmp_path):
    folders = [archive(tmp_path / f"one{number}") for number in range(8)]
    with ThreadPoolExecutor(8) as many:
        found = list(many.map(lambda folder: find_project(folder, note=True).bank, folders))

    assert 1 == found.count(SHOP)
    assert 8 == len(set(found))


def test_where_nothing_can_be_noted_no_folder_is_the_first(tmp_path):
    (tmp_path / "data").write_text("a file where a folder should be")

    assert SHOP != find_project(archive(tmp_path / "download"), note=True).bank


# ---------------------------------------------------------------- folders of git's


@pytest.fixture
def local(tmp_path):
    """A repository of the user's that has no remote."""
    return repository(tmp_path / "private", remote="")


@pytest.mark.parametrize("made", ["file", "link", "common", "tree", "url", "git url"])
def test_nothing_leads_into_a_repository_that_does_not_lead_back(local, tmp_path, made):
    git("-C", local, "worktree", "add", tmp_path / "tree")
    bank = find_project(local).bank
    folder = tmp_path / "download"
    folder.mkdir()
    dot = folder / ".git"
    if made == "file":
        dot.write_text(f"gitdir: {local / '.git'}\n")
    elif made == "link":
        dot.symlink_to(local / ".git")
    elif made == "common":
        dot.mkdir()
        (dot / "commondir").write_text(f"{local / '.git'}\n")
        (dot / "gitdir").write_text(f"{dot}\n")
    elif made == "tree":
        shutil.copyfile(tmp_path / "tree" / ".git", dot)
    else:
        archive(folder, local if made == "url" else local / ".git")
    found = find_project(folder, note=True)

    assert bank != found.bank
    assert bank == found.claims
    assert bank == find_project(tmp_path / "tree", note=True).bank

    assert invoke("project", str(folder), "--allow").exit_code == 0
    assert bank == find_project(folder).bank


def test_a_submodule_is_the_place_that_its_repository_leads_back_to(local, tmp_path):
    part = repository(tmp_path / "part")
    git("-c", "protocol.file.allow=always", "-C", local, "submodule", "add", part, "part")
    git("-C", local / "part", "remote", "set-url", "origin", REMOTE)
    assert SHOP == find_project(local / "part", note=True).bank

    hostile = tmp_path / "download"
    hostile.mkdir()
    (hostile / ".git").write_text(f"gitdir: {local / '.git' / 'modules' / 'part'}\n")
    assert SHOP != find_project(hostile, note=True).bank


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"{", b"[1]\n3\n{}\n", b"x" * (1 << 17)])
def test_a_note_that_cannot_be_read_makes_no_folder_known(shop, tmp_path, content):
    (note,) = (tmp_path / "data" / "hippocampus" / "checkouts").iterdir()
    note.write_bytes(content)

    assert SHOP != find_project(shop, note=True).bank
    assert SHOP == find_project(shop).claims


# ---------------------------------------------------------------- what is told


def test_a_hook_tells_once_of_a_folder_that_is_not_known_for_its_remote(shell, shop, tmp_path):
    env = {"XDG_DATA_HOME": str(tmp_path / "data")}
    hostile = archive(tmp_path / "download")

    def ask(folder, prompt):
        event = {
            "hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": str(folder),
            "prompt": prompt,
        }  # fmt: skip
        return shell("hook", "--no-sleep", stdin=json.dumps(event), env=env)

    assert "" == ask(shop, RULE).err
    asked = ask(hostile, "What about the generated files under gen/?")
    again = ask(hostile, "The nightly job must always run at five in the morning.")

    assert "" == asked.out, "what is of the other project"
    assert 1 == asked.err.count("\n")
    assert f"clone of github.com/ada/shop, as {shop} is; until" in " ".join(asked.err.split())
    assert "hippocampus project --allow" in " ".join(asked.err.split())
    assert "" == again.err
    with Memory(shell.store, embedder="none") as memory:
        assert [RULE] == [one.text for one in memory.bank(SHOP).episodes()]


def test_the_command_says_in_which_folder_a_claimed_bank_is_already_known(shop, tmp_path):
    hostile = archive(tmp_path / "download")
    told = json.loads(invoke("project", str(hostile), "--json").stdout)

    assert (SHOP, [str(shop)]) == (told["claims"], told["known_in"])
    assert told["told_by"] == "repository"
    shown = " ".join(invoke("project", str(hostile)).stdout.split())
    assert "github.com/ada/shop (not allowed" in shown
    assert str(shop.name) in shown
