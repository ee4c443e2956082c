"""``import --from`` finds what a coding agent has kept, and ``--dry-run`` tells of it first."""

import json
import os
import tracemalloc

import pytest
from in_process import invoke

from hippocampus import Memory, Turn
from hippocampus.cli.session_banks import Routing, SessionBanks

ASKED = "We use pnpm here, never npm. Please mend the lint job."


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home with a session of Claude Code, and a project with instructions, where we are."""
    project = tmp_path / "shop"
    project.mkdir()
    (project / "CLAUDE.md").write_text("# Tests\n- Run them with `pnpm test`.\n")
    log = tmp_path / "home/.claude/projects/-shop/5f0c.jsonl"
    log.parent.mkdir(parents=True)
    line = {
        "type": "user",
        "uuid": "u",
        "sessionId": "5f0c",
        "cwd": str(project),
        "timestamp": "2026-03-02T09:00:00Z",
        "message": {"role": "user", "content": ASKED},
    }
    log.write_text(json.dumps(line) + "\n" + json.dumps(line | {"isMeta": True}) + "\n")
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    monkeypatch.chdir(project)
    return tmp_path


def run(home, *args):
    return invoke(*args, "--store", str(home / "agent.db"), "--embedder", "none")


WHOLE = ("--everything", "--bank", "me")


def test_everything_of_a_tool_comes_in_from_where_it_keeps_it(home):
    done = run(home, "import", "--from", "claude-code", *WHOLE)
    again = run(home, "import", "--from", "claude-code", "--json", *WHOLE)
    kept = json.loads(run(home, "episodes", "--json").stdout)

    assert (0, 0) == (done.exit_code, again.exit_code), done.output
    assert "2 added" in done.stdout
    assert (0, 2) == tuple(map(json.loads(again.stdout).get, ("added", "unchanged")))
    assert {ASKED, "Tests: Run them with `pnpm test`."} == {one["text"] for one in kept}


def test_what_came_with_a_project_is_not_the_users_word(home):
    put = {
        "CLAUDE.local.md": "Never ask.\n",
        ".claude/rules/style.md": "Four spaces.\n",
        ".claude/rules/logo.svg": "<svg/>",
        ".aider.chat.history.md": "# aider chat started at 2026-03-02 09:00:00\n\n"
        "#### We always deploy on Fridays here.\n\nNoted.\n",
    }
    for name, text in put.items():
        (home / "shop" / name).parent.mkdir(parents=True, exist_ok=True)
        (home / "shop" / name).write_text(text)
    (home / "home/.claude/CLAUDE.md").write_text("Answer in English.\n")
    (home / "home/.claude/rules").mkdir()
    (home / "home/.claude/rules/tone.md").write_text("Be brief.\n")
    for tool in ("claude-code", "aider"):
        assert 0 == run(home, "import", "--from", tool, *WHOLE).exit_code
    kept = json.loads(run(home, "episodes", "--json").stdout)

    assert {
        ASKED: "user",
        "Answer in English.": "user",
        "Be brief.": "user",
        "Tests: Run them with `pnpm test`.": "document",
        "Never ask.": "document",
        "Four spaces.": "document",
        "We always deploy on Fridays here.": "import",
    } == {one["text"]: one["origin"] for one in kept if one["text"] != "Noted."}

    named = run(home, "import", "--from", "aider", ".aider.chat.history.md", "--bank", "two")
    assert 0 == named.exit_code
    kept = json.loads(run(home, "episodes", "--bank", "two", "--json").stdout)
    assert "user" == kept[0]["origin"]


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
def test_a_link_that_leads_out_of_a_project_is_refused(home):
    (home / "private.txt").write_text("The safe opens with 1234.\n")
    (home / "documents").mkdir()
    (home / "documents/diary.md").write_text("Nobody is to read this.\n")
    shop = home / "shop"
    (shop / "CLAUDE.md").rename(shop / "AGENTS.md")
    (shop / "CLAUDE.local.md").symlink_to("AGENTS.md")
    (shop / "CLAUDE.md").symlink_to(home / "private.txt")
    (shop / ".claude").mkdir()
    (shop / ".claude/rules").symlink_to("../../documents")
    done = run(home, "import", "--from", "claude-code", *WHOLE)
    kept = json.loads(run(home, "episodes", "--json").stdout)

    assert {ASKED, "Tests: Run them with `pnpm test`."} == {one["text"] for one in kept}
    said = " ".join(done.stderr.split())
    for name in ("CLAUDE.md", ".claude/rules"):
        assert f"{shop / name}: leads out of the project, to" in said


def test_a_dry_run_counts_by_file_and_kind_without_making_a_store(home):
    shown = run(home, "import", "--from", "claude-code", "--dry-run")
    told = json.loads(run(home, "import", "--from", "claude-code", "--dry-run", "--json").stdout)

    assert 0 == shown.exit_code
    assert "2 turns in 2 files would come in" in shown.stdout
    assert {"notes of the tool": 1} == told["left_out"]
    assert [{"user": 1}, {"-": 1}] == [one["by_role"] for one in told["files"]]
    assert not (home / "agent.db").exists()


KEY = "AKIAQ3EGPLM7XYZ2" + "TUVW"
SAID = [
    ("user", "hey, good morning! can you look at the checkout module?"),
    ("user", "We store all money as integer cents, because floats gave us rounding errors."),
    ("assistant", "The tests failed because the database was not started; make db-up fixes it."),
    ("user", f"Always deploy with the key {KEY}."),
    ("user", "I always write small commits with a body."),
    ("user", "perfect, ship it"),
]


@pytest.fixture
def two_projects(home):
    """Sessions in two projects, of which the second's folder is gone."""
    for project, said in (("shop", SAID), ("etl", [("user", "Never edit files in models/.")])):
        log = home / f"home/.claude/projects/-{project}/{project}.jsonl"
        log.parent.mkdir(parents=True, exist_ok=True)
        told = [
            {
                "type": role, "uuid": f"{project}{n}", "sessionId": project,
                "cwd": str(home / project), "timestamp": f"2026-03-03T09:00:{n:02}Z",
                "message": {"role": role, "content": [{"type": "text", "text": text}]},
            }
            for n, (role, text) in enumerate(said)
        ]  # fmt: skip
        log.write_text("".join(json.dumps(line) + "\n" for line in told))
    notes = home / "home/.claude/projects/-etl/memory/notes.md"
    notes.parent.mkdir()
    notes.write_text(f"- The loader is in etl/load.py.\n- The key is {KEY}.\n")
    return home


def kept_in(home):
    """The texts of each bank, by the bank's name up to what tells folders apart."""
    with Memory(home / "agent.db", embedder="none") as memory:
        return {
            name.rpartition("-")[0] or name: {one.text for one in memory.bank(name).episodes()}
            for name in memory.banks()
        }


def test_what_lasts_of_sessions_goes_into_the_banks_that_hooks_would_use(two_projects):
    done = run(two_projects, "import", "--from", "claude-code")
    kept = kept_in(two_projects)

    assert 0 == done.exit_code, done.output
    assert kept == {
        "me": {SAID[4][1]},
        "project:shop": {
            "We use pnpm here, never npm.", "Tests: Run them with `pnpm test`.", SAID[1][1],
            SAID[2][1],
        },
        "project:etl": {"Never edit files in models/.", "The loader is in etl/load.py."},
    }  # fmt: skip
    assert "2 sentences with a secret" in " ".join(done.stdout.split())
    again = json.loads(run(two_projects, "import", "--from", "claude-code", "--json").stdout)
    assert (0, 7) == (again["added"], again["unchanged"])
    assert kept_in(two_projects) == kept


@pytest.mark.parametrize("before", ["", "Deploys use this key:\n"])
def test_of_a_private_key_in_a_file_of_instructions_no_line_is_kept(home, before):
    inside = ["AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g", "ISIjJCUmJygpKissLS4vMDEyMzQ1Njc4"]
    key = ["-----BEGIN RSA " + "PRIVATE KEY-----", *inside, "-----END RSA " + "PRIVATE KEY-----"]
    told = before + "\n".join(key) + "\nRotate it each May.\n"
    (home / "shop/CLAUDE.md").write_text(told)
    run(home, "import", "--from", "claude-code")

    kept = {one for texts in kept_in(home).values() for one in texts}
    assert {"We use pnpm here, never npm.", f"{before}Rotate it each May."} == kept


@pytest.mark.parametrize("left", [f"The key is {KEY}.\n", "@docs/style.md\n"])
def test_what_is_gone_from_a_file_of_which_nothing_is_taken_is_forgotten(home, left):
    (home / "home/.claude/CLAUDE.md").write_text("- Answer in English.\n- Be brief.\n")
    run(home, "import", "--from", "claude-code")
    told = {"Answer in English.", "Be brief."}
    assert {"me": told} == {"me": kept_in(home)["me"]}

    (home / "home/.claude/CLAUDE.md").write_text(left)
    done = json.loads(run(home, "import", "--from", "claude-code", "--json").stdout)
    again = json.loads(run(home, "import", "--from", "claude-code", "--json").stdout)
    assert (2, 0) == (done["removed"], again["removed"])
    assert set() == kept_in(home)["me"]

    (home / "home/.claude/CLAUDE.md").write_text("- Be brief.\n")
    run(home, "import", "--from", "claude-code")
    assert {"Be brief."} == kept_in(home)["me"]


def test_a_bank_of_which_all_files_are_gone_is_synced_as_well(two_projects):
    claude = two_projects / "home/.claude/projects"
    run(two_projects, "import", "--from", "claude-code")
    for file in (claude / "-etl/etl.jsonl", claude / "-etl/memory/notes.md"):
        file.unlink()
    run(two_projects, "import", "--from", "claude-code", "--bank", "work", "--sync")
    assert 2 == len(kept_in(two_projects)["project:etl"]), "another bank was named"
    told = json.loads(run(two_projects, "import", "--from", "claude-code", "--json").stdout)
    assert {"-etl/etl.jsonl", "-etl/memory/notes.md"} == set(told["missing"])
    run(two_projects, "import", "--from", "claude-code", "--sync")

    kept = kept_in(two_projects)
    assert (set(), 4) == (kept["project:etl"], len(kept["project:shop"]))
    assert 5 == len(kept["work"]), "what was put there by hand stays as it was"


def session(path, name, cwd, text):
    """Write a session of Claude Code."""
    line = {
        "type": "user", "uuid": name, "sessionId": name, "timestamp": "2026-03-04T09:00:00Z",
        "message": {"role": "user", "content": text},
    }  # fmt: skip
    path.mkdir(parents=True, exist_ok=True)
    told = line if cwd is None else line | {"cwd": cwd}
    (path / f"{name}.jsonl").write_text(json.dumps(told) + "\n")


def test_codex_sessions_without_a_folder_are_of_no_project(home):
    day = home / "home/.codex/sessions/2026/03/04"
    day.mkdir(parents=True)
    for name, cwd, text in (
        ("a", str(home / "shop"), "We use tabs in this repository."),
        ("b", None, "We always deploy on Fridays here."),
    ):
        meta = {"id": name, "timestamp": "2026-03-04T09:00:00Z"} | ({"cwd": cwd} if cwd else {})
        said = {"type": "user_message", "message": text}
        lines = [("session_meta", meta), ("event_msg", said)]
        (day / f"rollout-{name}.jsonl").write_text(
            "".join(
                json.dumps({"timestamp": "2026-03-04T09:00:00Z", "type": kind, "payload": one})
                + "\n"
                for kind, one in lines
            )
        )
    run(home, "import", "--from", "codex")

    assert {
        "project:shop": {"We use tabs in this repository."},
        "me": {"We always deploy on Fridays here."},
    } == kept_in(home)


def test_notes_are_of_the_project_beside_whose_logs_they_are(two_projects):
    claude = two_projects / "home/.claude"
    session(claude / "projects/-etl", "nowhere", None, "Never drop the table of loads.")
    for name, text in (
        ("rules/tone.md", "Be brief."),
        ("projects/-shop/memory/notes.md", "The till is in shop/till.py."),
    ):
        (claude / name).parent.mkdir(exist_ok=True)
        (claude / name).write_text(f"{text}\n")
    run(two_projects, "import", "--from", "claude-code", str(claude))

    kept = kept_in(two_projects)
    told = {"The loader is in etl/load.py.", "Never edit files in models/."}
    assert kept["project:etl"] == told | {"Never drop the table of loads."}
    assert "The till is in shop/till.py." in kept["project:shop"]
    assert kept["me"] == {SAID[4][1], "Be brief."}


def test_notes_stay_in_their_projects_bank_when_its_logs_are_gone(two_projects):
    run(two_projects, "import", "--from", "claude-code")
    kept = kept_in(two_projects)
    (two_projects / "home/.claude/projects/-etl/etl.jsonl").unlink()
    run(two_projects, "import", "--from", "claude-code")

    assert kept == kept_in(two_projects)


@pytest.mark.parametrize("cwd", ["/" + "long" * 100, "/a\0b", "/" + "x/" * 3000])
def test_a_session_in_a_folder_that_cannot_be_does_not_end_the_import(home, cwd):
    session(home / "home/.claude/projects/-odd", "odd", cwd, "We always deploy on Fridays here.")
    done = run(home, "import", "--from", "claude-code")

    assert 0 == done.exit_code, done.output
    kept = {one for texts in kept_in(home).values() for one in texts}
    assert {"We always deploy on Fridays here.", "We use pnpm here, never npm."} < kept


def test_a_bank_that_is_named_gets_all_of_them_without_the_secrets(two_projects):
    run(two_projects, "import", "--from", "claude-code", "--bank", "work")

    (texts,) = kept_in(two_projects).values()
    assert 7 == len(texts)
    assert not [text for text in texts if KEY in text]


def test_a_project_that_is_not_to_be_remembered_is_left_out(two_projects):
    (two_projects / "shop/.hippocampus.toml").write_text("[project]\nremember = false\n")
    done = run(two_projects, "import", "--from", "claude-code", "--json")

    assert {"project:etl"} == set(kept_in(two_projects))
    assert json.loads(done.stdout)["left_out"]["what is of projects that are not to be remembered"]


def test_a_dry_run_tells_which_banks_and_how_many_secrets(two_projects):
    told = json.loads(
        run(two_projects, "import", "--from", "claude-code", "--dry-run", "--json").stdout
    )
    shown = " ".join(
        run(two_projects, "import", "--from", "claude-code", "--dry-run").stdout.split()
    )

    assert [1, 2, 4] == sorted(told["banks"].values())
    assert "me: 1 turn" in shown
    assert 2 == told["left_out"]["sentences with a secret"]
    assert 2 == told["left_out"]["messages of which nothing lasts"]
    assert not (two_projects / "agent.db").exists()


def test_a_dry_run_tells_of_any_file(home):
    (home / "notes.md").write_text("The plumber comes on Friday.\n")
    shown = run(home, "import", str(home / "notes.md"), "--dry-run")

    assert "1 turn in 1 file would come in" in shown.stdout
    assert "document" in shown.stdout


@pytest.mark.parametrize("everything", [True, False])
def test_what_is_said_in_a_log_is_not_all_in_memory_at_once(everything):
    dealt = SessionBanks(Routing("me", by_project=False, everything=everything))
    turns = (
        Turn(text=f"{n} {'x' * 2000}", role="user", address=f"{n}", metadata={"tool": "codex"})
        for n in range(2000)
    )
    tracemalloc.start()
    kept = sum(len(dealt.all_of(turn)) for turn in turns)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert kept == (2000 if everything else 0)
    assert peak < 2_000_000


def test_what_is_brought_in_under_one_name_stays_several_sources(home):
    own = home / "home/.claude"
    said = {
        own / "CLAUDE.md": "tea",
        own / "rules/a.md": "figs",
        home / "shop/CLAUDE.md": "pears",
        home / "shop/.claude/rules/a.md": "plums",
        home / "shop/CLAUDE.local.md": "nuts",
    }
    for file, what in said.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"- The shop sells {what}.\n")
    args = ("import", "--from", "claude-code", "--as", "laptop", *WHOLE, "--json")
    first, again = (json.loads(run(home, *args).stdout) for _ in range(2))
    kept = json.loads(run(home, "episodes", "--json", "--bank", "me").stdout)

    assert {f"The shop sells {what}." for what in said.values()} < {one["text"] for one in kept}
    assert (6, 0, 0) == tuple(map(first.get, ("added", "removed", "changed")))
    assert (0, 6, 0) == tuple(map(again.get, ("added", "unchanged", "removed")))
    assert all(one["source"].startswith("laptop/") for one in kept)


@pytest.mark.parametrize("named", [[], ["--format", "hippocampus"]])
def test_a_dry_run_of_an_export_counts_what_an_empty_bank_would_take(home, named):
    with Memory(home / "other.db", embedder="hash") as memory:
        bank = memory.bank("ada")
        bank.remember("The plumber comes on Friday.", role="user", session="s")
        bank.forget(id=[bank.remember("He comes on Monday.", role="user").id])
        bank.export(home / "ada.jsonl")
    shown = run(home, "import", str(home / "ada.jsonl"), *named, "--dry-run", "--json")
    told = json.loads(shown.stdout)

    assert (0, 2, []) == (shown.exit_code, told["turns"], told["unreadable"])
    (file,) = told["files"]
    assert ("hippocampus", {"user": 2}) == (file["format"], file["by_role"])
    assert not (home / "agent.db").exists()


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--from", "codex"], "nothing of codex is there"),
        (["--from", "vim"], "must be one of claude-code"),
        (["--from", "codex", "--format", "mbox"], "leave out --format"),
        ([], "name a file or a folder"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_can(home, args, words):
    done = run(home, "import", *args)

    assert 2 == done.exit_code
    assert words in " ".join(done.output.split())
    assert not (home / "agent.db").exists()
