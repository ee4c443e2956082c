"""The commands that move, check and rebuild a store, and those that show and measure it."""

import json
import sqlite3
import subprocess
import sys
from contextlib import chdir, closing
from importlib.metadata import version
from pathlib import Path

import pytest

import hippocampus.cli
from hippocampus.cli.demo import questions_about
from hippocampus.store.replacing import held_alone, put_in_place

COMMANDS = [
    "remember", "import", "correct", "forget", "recall", "context", "count", "trend", "episodes",
    "show", "history", "stats", "banks", "compact", "shrink", "verify", "scan", "doctor", "reindex",
    "reembed", "backup", "export", "calibrate", "sleep", "policy", "pin", "hold", "release",
    "quarantine", "review", "reveal", "feedback", "gists", "topics", "facts", "find", "demo",
    "serve", "ui", "mcp", "hook", "proxy", "chat", "encrypt", "decrypt", "plan", "init",
    "connect", "disconnect", "completion", "project",
]  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        *([c] for c in COMMANDS),
        *(["keys", c] for c in ("create", "list", "rotate", "revoke")),
        *(["encryption", c] for c in ("keys", "add", "phrase", "rotate")),
        ["postgres", "grant"],
        *(["models", c] for c in ("install", "list", "verify")),
        *(["anchors", c] for c in ("list", "report", "add", "deny", "remove", "export", "import")),
    ],
)
def test_the_help_of_every_command_teaches_with_an_example(shell, name):
    said = shell(*name, "--help", env={"COLUMNS": "200"})

    assert said.code == 0
    assert f"hippocampus {' '.join(name)}" in said.out.split("Examples")[1]
    assert "\\" not in said.out


def test_the_help_has_every_command_and_every_exit_code(shell):
    said = shell("--help", env={"COLUMNS": "200"}).out

    assert set(COMMANDS) | {"models", "anchors", "keys", "encryption", "postgres"} <= set(
        said.split()
    )
    assert all(f"{code} " in said for code in (0, 1, 2, 3, 4, 5, 130))


def test_the_command_line_itself_loads_neither_numpy_nor_a_model():
    code = """
import sys, types
package = types.ModuleType("hippocampus")  # without what its __init__ imports
package.__path__ = [sys.argv[1]]
sys.modules["hippocampus"] = package
import hippocampus.cli
sys.exit(" ".join({"numpy", "onnxruntime", "hippocampus.memory"} & set(sys.modules)) or 0)
"""
    folder = str(Path(hippocampus.cli.__file__).parents[1])
    done = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, check=False)

    assert (done.returncode, done.stderr) == (0, b"")


def test_the_version_is_said(shell):
    assert version("hippocampus-memory") == shell("--version").out.strip()


def test_a_folder_imported_again_changes_nothing(shell, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "garden.md").write_text("# Garden\n\nThe roses need water on Tuesdays.\n")
    (notes / "broken.md").write_bytes(b"\x00\x01")
    first = shell("import", str(notes), "--json")
    again = shell("import", str(notes))

    assert (first.code, first.json["added"]) == (0, 1)
    assert first.json["unreadable"][0][0] == "broken.md"
    assert again.out.strip() == "0 added, 1 unchanged"
    assert "broken.md" in again.err


def test_an_import_tells_what_was_added_changed_renamed_and_hidden(shell, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    for name, text in (("a", "The roses need water."), ("b", "Nina plays chess."), ("c", "Milk.")):
        (notes / f"{name}.md").write_text(text)
    shell("import", str(notes))
    (notes / "a.md").write_text("The roses need no water.")
    (notes / "b.md").rename(notes / "chess.md")
    (notes / "c.md").unlink()
    (notes / "d.md").write_text("The roof leaks.")
    told = shell("import", str(notes))
    assert told.out.strip() == "1 added, 1 changed, 1 renamed, 1 unchanged"
    assert "1 no longer there" in told.err
    assert "1 hidden" in shell("import", str(notes), "--sync").out
    assert [e["text"] for e in shell("episodes", "--forgotten", "--json").json] == [
        "The roses need water.", "Milk."
    ]  # fmt: skip


def test_a_listed_source_can_be_restored_until_it_is_erased(shell, tmp_path):
    notes = tmp_path / "roses.md"
    notes.write_text("The roses need water.")
    shell("import", str(notes))
    assert "roses.md" in shell("sources").out
    assert shell("import", str(notes), "--as", "garden").out.strip() == "0 added, 1 unchanged"
    listed = shell("sources")
    assert "garden" in listed.out
    assert "document" in listed.out
    assert {s["name"]: s["episodes"] for s in shell("sources", "--json").json} == {"garden": 1}
    both = ["--source", "garden"]
    assert shell("forget", *both).out.strip() == "1 forgotten"
    assert shell("forget", *both, "--undo").out.strip() == "1 restored"
    shell("forget", *both)
    assert shell("restore", "--source", "garden").out.strip() == "1 restored"
    assert shell("forget", *both, "--erase").code == 2
    assert shell("forget", *both, "--erase", "--yes").out.strip() == "1 erased"
    assert (shell("forget").code, shell("restore", "x", "--source", "y").code) == (2, 2)
    told = shell("forget", "--source", "nowhere").err
    assert "'hippocampus sources' lists them" in told
    assert "()" not in told


def test_an_import_tells_which_times_cannot_be(shell, tmp_path):
    chat = tmp_path / "chat.jsonl"
    chat.write_text('{"role": "user", "content": "I am Ada.", "timestamp": "9999-01-01"}')
    told = shell("import", str(chat))
    assert told.out.strip() == "1 added"
    assert "9999-01-01, in the future" in told.err


def test_an_import_of_an_empty_name_reads_no_folder(shell, tmp_path, monkeypatch):
    (tmp_path / "a.md").write_text("The boat is blue.")
    monkeypatch.chdir(tmp_path)
    for args in ([""], ["", "--dry-run"], ["", "--from", "claude-code"]):
        done = shell("import", *args)
        assert done.code == 2
        assert "path='': is no path" in done.err


def test_an_import_that_could_read_nothing_is_code_1(shell, tmp_path):
    (tmp_path / "x.md").write_bytes(b"\x00")

    assert shell("import", str(tmp_path / "x.md")).code == 1


def test_an_export_imports_whole_into_another_store(told, tmp_path):
    file = str(tmp_path / "me.jsonl")
    there = ["--store", str(tmp_path / "other.db")]
    assert told("export", file, "--json").json["episodes"] == 3
    assert told("import", file, *there, "--json").json["added"] == 3

    assert told("episodes", "--json").json == told("episodes", *there, "--json").json


def test_a_backup_answers_like_the_original(told, tmp_path):
    copy = tmp_path / "copy.db"
    written = told("backup", str(copy), "--json").json["nbytes"]

    assert written == copy.stat().st_size
    ours, theirs = (told("episodes", *o, "--json").json for o in ([], ["--store", str(copy)]))
    assert ours == theirs


def _killed_after_writing(shell, text):
    """Have a process that remembers a text end without closing the store, as by ``kill -9``."""
    code = (
        "import os, sys; from hippocampus import Memory\n"
        "memory = Memory(sys.argv[1], embedder='hash')\n"
        "memory.bank('me').remember(sys.argv[2]); os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", code, str(shell.store), text], check=False)
    assert shell.store.with_name("memory.db-wal").stat().st_size


@pytest.mark.slow
def test_a_restored_backup_undoes_what_a_killed_process_wrote(told, tmp_path):
    copy = tmp_path / "copy.db"
    told("backup", str(copy))
    before = told("episodes", "--json").json
    _killed_after_writing(told, "An unwanted walrus.")

    done = told("backup", str(copy), "--restore", "--json")

    assert done.code == 0, done.err
    assert done.json["checked"]["episodes"] == len(before)
    assert told("episodes", "--json").json == before
    assert told("verify").code == 0
    former = ["--store", done.json["former"]]
    assert told("find", "walrus", *former).code == 0
    assert told("find", "walrus").code == 1


def test_a_backup_is_restored_over_a_damaged_store_or_to_a_new_name(told, tmp_path):
    copy = tmp_path / "copy.db"
    told("backup", str(copy))
    before = told("episodes", "--json").json
    header = told.store.read_bytes()[:100]

    for damaged, how in ((header + b"\xff" * 9000, ()), (b"\xff" * 9000, ("--force",))):
        told.store.write_bytes(damaged)
        done = told("backup", str(copy), "--restore", "--json", *how)
        assert done.code == 0, done.err
        Path(done.json["former"]).unlink()
        assert told("episodes", "--json").json == before
    there = ["--store", str(tmp_path / "new.db")]
    said = told("backup", str(copy), "--restore", *there)
    assert "former" not in said.out
    assert told("episodes", "--json", *there).json == before


def test_a_file_that_is_no_store_is_replaced_only_by_force_and_gives_no_rights(told, tmp_path):
    copy, notes, others = (tmp_path / name for name in ("copy.db", "notes.txt", "others.db"))
    told("backup", str(copy))
    notes.write_text("Buy milk.\n" * 100)
    with closing(sqlite3.connect(others)) as db:
        db.execute("CREATE TABLE songs (name)")
    for file in (notes, others):
        file.chmod(0o644)
        was = file.read_bytes()
        restore = ("backup", str(copy), "--restore", "--store", str(file))

        failed = told(*restore)

        assert failed.code == 3
        assert "is not a hippocampus store" in failed.err
        assert file.read_bytes() == was
        assert not list(tmp_path.glob(f"{file.stem}.before*"))
        done = told(*restore, "--force", "--json")
        assert done.code == 0, done.err
        assert Path(done.json["former"]).read_bytes() == was
        assert file.stat().st_mode & 0o777 == 0o600


def test_a_backup_is_restored_on_a_machine_that_has_no_store_yet(told, tmp_path, monkeypatch):
    copy = tmp_path / "copy.db"
    told("backup", str(copy))
    before = told("episodes", "--json").json
    new = tmp_path / "new/hippocampus/memory.db"
    monkeypatch.setattr("hippocampus.cli.options.default_store", lambda: new)
    env = {"HIPPOCAMPUS_STORE": None}

    done = told("backup", str(copy), "--restore", env=env)

    assert done.code == 0, done.err
    assert new.exists()
    assert told("episodes", "--json", env=env).json == before


@pytest.mark.parametrize("has_links", [True, False])
def test_a_store_that_cannot_be_replaced_is_as_it_was(told, tmp_path, monkeypatch, has_links):
    def fail(*_):
        raise PermissionError("no")

    copy = tmp_path / "copy.db"
    told("backup", str(copy))
    index = tmp_path / "memory.db-index-1-1"
    index.write_bytes(b"An index.")
    told.store.with_name("memory.db-shm").write_bytes(b"")
    before = {one.name: (one.read_bytes(), one.stat().st_ino) for one in tmp_path.glob("*.db*")}
    with monkeypatch.context() as failing:
        failing.setattr(Path, "replace", fail)
        if not has_links:
            failing.setattr("os.link", fail)
        with pytest.raises(PermissionError):
            put_in_place(copy, told.store, former=tmp_path / "former.db", was_store=True)

    after = {one.name: (one.read_bytes(), one.stat().st_ino) for one in tmp_path.glob("*.db*")}
    assert after == before
    assert told.store.stat().st_nlink == 1
    assert told("backup", str(copy), "--restore").code == 0
    assert not index.exists()


def test_a_restored_store_has_the_rights_of_the_former_one(told, tmp_path):
    copy = tmp_path / "copy.db"
    told("backup", str(copy))
    told.store.chmod(0o640)

    assert told("backup", str(copy), "--restore").code == 0
    assert told.store.stat().st_mode & 0o777 == 0o640


def test_nothing_is_restored_over_a_store_that_somebody_has_open(told, tmp_path):
    copy = tmp_path / "copy.db"
    told("backup", str(copy))
    with hippocampus.Memory(told.store, embedder="hash") as memory:
        memory.bank("me").remember("A wanted walrus.")
        failed = told("backup", str(copy), "--restore")
        assert failed.code == 3
        assert "stop what has it open" in failed.err
        memory.bank("me").remember("Another one.")
    assert told("find", "walrus").code == 0
    assert {one.name for one in tmp_path.glob("*.db*")} == {"memory.db", "copy.db"}


@pytest.mark.slow
def test_nobody_opens_a_store_while_it_is_replaced(told, tmp_path):
    copy, former = tmp_path / "copy.db", tmp_path / "former.db"
    told("backup", str(copy))
    _killed_after_writing(told, "An unwanted walrus.")
    log = told.store.with_name("memory.db-wal")

    def read():
        with closing(sqlite3.connect(told.store, timeout=0)) as db:
            return db.execute("SELECT count(*) FROM sqlite_schema").fetchone()

    with held_alone(told.store):
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            read()
        put_in_place(copy, told.store, former=former, was_store=True)
        assert read()
        log.write_bytes(b"The log of who opened the new one meanwhile.")
    assert log.exists()
    log.unlink()
    assert told("find", "walrus").code == 1
    assert told("find", "walrus", "--store", str(former)).code == 0


def test_a_backup_that_was_cut_off_in_a_write_is_refused(told, tmp_path):
    copy, cut_off = tmp_path / "copy.db", tmp_path / "cut-off.db"
    told("backup", str(copy))
    with closing(sqlite3.connect(copy, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
        db.execute("PRAGMA cache_size = 1")
        db.execute("BEGIN")
        db.execute("CREATE TABLE more (x)")
        db.executemany("INSERT INTO more VALUES (?)", [("x" * 200,)] * 3000)
        for ending in ("", "-journal"):
            Path(f"{cut_off}{ending}").write_bytes(Path(f"{copy}{ending}").read_bytes())

    failed = told("backup", str(cut_off), "--restore")

    assert failed.code == 3
    assert "cut off in the middle of a write" in failed.err
    assert told("verify", "--store", str(cut_off)).code == 0
    assert told("backup", str(cut_off), "--restore").code == 0


def test_a_damaged_backup_or_none_is_not_restored(told, tmp_path):
    copy = tmp_path / "copy.db"
    told("backup", str(copy))
    data = bytearray(copy.read_bytes())
    data[len(data) // 3 : len(data) // 2] = bytes(len(data) // 2 - len(data) // 3)
    copy.write_bytes(data)
    before = told("episodes", "--json").json

    for backup, error in ((copy, "copy.db: "), (tmp_path / "no.db", "no such file")):
        failed = told("backup", str(backup), "--restore")
        assert failed.code == 3
        assert error in failed.err
        assert "partial" not in failed.err
    assert told("backup", str(told.store), "--restore").code == 2
    assert told("episodes", "--json").json == before
    assert {one.name for one in tmp_path.glob("*.db*")} == {"memory.db", "copy.db"}


def test_a_backup_into_a_folder_that_is_not_there_fails_in_one_line(told):
    failed = told("backup", "no/such/folder/copy.db")

    assert failed.code in (2, 3)
    assert failed.err.count("\n") == 1


def test_reindexing_changes_no_answer(told):
    query = ["recall", "who mended the leak?", "-k", "3", "--json"]
    before = told(*query).json
    assert told("reindex", "--json").json == {"me": 3}

    assert before["hits"] == told(*query).json["hits"]


def test_shrinking_tells_how_long_the_files_were_and_are(told):
    done = told("shrink", "--json").json
    assert 0 < done["bytes_after"] <= done["bytes_before"]


def test_reembedding_moves_the_store_to_the_other_embedder(told):
    assert told("reembed", "hash:32", "--json").json == {"me": 3}

    assert told("recall", "leak").code == 4
    assert told("recall", "leak", "--embedder", "hash:32", "--json").json["hits"]


def test_calibrate_keeps_for_the_embedder_every_number_it_shows_with_its_rule(
    told, hashed, monkeypatch
):
    monkeypatch.setattr("hippocampus.calibrate.run.calibrate", lambda *_, **__: hashed)
    assert "not calibrated for hash" in told("stats").out
    assert "not calibrated for hash" in told("sleep").out
    said = told("calibrate", env={"COLUMNS": "160"})

    assert (said.code, said.err) == (0, "")
    for row in hashed.explain():
        (line,) = [
            line for line in map(str.rstrip, said.out.splitlines())
            if line.startswith(f"{row.name} ") and line.endswith(f" {row.rule}")
        ]  # fmt: skip
        assert line.split()[1:3] == [f"{row.value:g}", f"{row.default:g}"]
    assert "kept in the store" in said.out
    assert "calibrated" not in told("stats").out
    assert "by 8 conversations" in told("doctor").out
    assert told("stats", "--json").json["uncalibrated"] is None


@pytest.mark.slow
def test_a_dry_run_of_calibrate_shows_the_numbers_without_keeping_them(told, hashed):
    said = told("calibrate", "--dry-run", "--json").json

    assert said["cosines"] == hashed.cosines._asdict()
    assert said["embedder"]["name"] == "hash"
    assert "not calibrated" in told("stats").out


def test_calibrating_without_an_embedder_or_a_store_is_told_in_a_line(shell, told):
    assert told("calibrate", "--embedder", "none").code == 2
    assert shell("calibrate", "--store", "nowhere.db").code == 3


def test_verify_finds_what_was_tampered_with(told):
    assert told("verify").code == 0
    with sqlite3.connect(told.store) as raw:
        raw.execute("update episodes set state = 'forgotten' where row = 0")
    raw.close()
    found = told("verify", "--json")

    assert found.code == 1
    assert found.json["problems"]
    assert "NOT SOUND" in told("verify").out


def test_doctor_says_how_things_are(told):
    rows = {row["what"]: row for row in told("doctor", "--json").json}

    assert rows["store"]["ok"] is True
    assert str(told.store) in rows["store"]["value"]
    assert "sqlite" in told("doctor").out


def test_verify_holds_the_journal_against_a_head_written_down_elsewhere(told):
    (head,) = told("verify", "--json").json["heads"]

    assert told("verify", "--chain", head).code == 0
    at, link = head.split(":")
    other = told("verify", "--chain", f"{at}:{link[::-1]}", "--json")
    assert other.code == 1
    assert other.json["problems"]


def test_doctor_salvages_a_damaged_store_into_a_new_file(told, monkeypatch):
    with sqlite3.connect(told.store) as raw:
        raw.execute("update episodes set state = 'forgotten' where row = 0")
    raw.close()
    monkeypatch.chdir(told.store.parent)
    there = {"HIPPOCAMPUS_STORE": told.store.name}
    saved = told("doctor", "--salvage", "new.db", env=there)

    assert saved.code == 0
    new = ["--store", "new.db"]
    assert len(told("episodes", *new, "--json").json) == 3
    assert told("verify", *new).code == 0
    again = told("doctor", "--salvage", "new.db", env=there)
    assert (again.code, "new.db" in again.err) == (2, True)


def damage_first(store):
    with closing(sqlite3.connect(store)) as raw, raw:
        raw.execute("update episodes set state = 'forgotten' where row = 0")


def test_a_count_of_what_may_be_damaged_is_an_error_of_the_store(told):
    damage_first(told.store)
    for asked in (("count", "the"), ("trend", "the"), ("count-events", "How often did it rain?")):
        refused = told(*asked)
        assert (3, "") == (refused.code, refused.out)
        assert "row 0 of bank 1" in refused.err


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("--json",)])
@pytest.mark.parametrize("asked", [("episodes", "--limit", "3"), ("find", "we"), ("stats",)])
def test_a_list_without_what_is_damaged_says_so_on_stderr(told, asked, more):
    damage_first(told.store)
    out, err = told.spawn(*asked, *more).communicate()

    assert out
    assert b"went on without what is damaged" in err
    assert b"row 0 of bank 1" in err


def test_nothing_is_made_where_there_is_nothing_to_salvage(told, tmp_path):
    no_store = tmp_path / "notes.txt"
    no_store.write_text("The roses need water on Tuesdays." * 40)
    failed = told("doctor", "--salvage", str(tmp_path / "new.db"), "--store", str(no_store))

    assert failed.code != 0
    assert failed.err.count("\n") == 1
    assert not (tmp_path / "new.db").exists()


def test_scan_lists_the_memories_that_hold_a_secret_without_showing_it(told):
    assert told("scan").code == 0
    key = "ghp_" + "x7Kq2Lw9Zt4Rb8Vn1Md6Hc3Js5Fg0PaEuYoT"
    told("remember", f"The deploy token is {key}, do not share it.")
    found = told("scan", "--json")

    assert found.code == 1
    assert [one["kinds"] for one in found.json] != []
    assert key not in found.out + told("scan").out


def test_the_list_of_models_tells_of_missing_ones(shell, tmp_path):
    homeless = {"XDG_DATA_HOME": str(tmp_path), "HOME": str(tmp_path)}
    listed = shell("models", "list", "--json", env=homeless).json

    assert {model["model"]: model["folder"] for model in listed} == {
        "all-MiniLM-L6-v2": None, "english": None, "multilingual": None
    }  # fmt: skip
    assert "not installed" in shell("models", "list", env=homeless).out
    assert shell("models", "verify", env=homeless).code == 4
    assert shell("models", "install", "--from", str(tmp_path), env=homeless).code == 4


def test_the_demo_asks_the_questions_of_a_folder_of_examples(shell, tmp_path):
    (tmp_path / "notes.md").write_text("The roses need water on Tuesdays.")
    asked = {"question": "When do the roses need water?", "now": "2024-05-01", "about": "Tuesdays."}
    (tmp_path / "questions.json").write_text(json.dumps([asked]))
    shown = shell("demo", "--examples", str(tmp_path))

    assert shown.code == 0
    assert "1 episodes" in shown.out
    assert "When do the roses need water?" in shown.out
    assert "episodes/s" in shown.out
    assert not shell.store.exists()


def test_the_demo_answers_from_a_history_of_its_own_without_a_checkout(shell, tmp_path):
    with chdir(tmp_path):
        shown = shell("demo", env={"HIPPOCAMPUS_EMBEDDER": "none"})

    assert shown.code == 0
    said = " ".join(shown.out.split())
    assert "The bakery opens on 17 May" in said
    assert "cleaned it with vinegar" in said
    assert "nothing relevant was found" in said
    assert shown.out.count("went on without the embedder") == 1
    assert not shell.store.exists()


def test_the_demo_answers_what_it_is_asked_and_nothing_else(shell):
    shown = shell("demo", "--ask", "Who is Odette?", "--ask", "Who is Yusuf?")

    assert shown.code == 0
    assert "grandmother in Bruges" in " ".join(shown.out.split())
    assert "Yusuf starts on Thursday" in " ".join(shown.out.split())
    assert "bakery open?" not in shown.out


def test_the_demo_makes_up_questions_to_ones_own_files(shell, tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.md").write_text(f"Today {name} met Matilda in the garden.")
    shown = shell("demo", str(tmp_path))

    assert shown.code == 0
    assert "What do we know about Matilda?" in shown.out
    assert "harpsichord" in shown.out


def test_no_topic_is_made_up_from_nothing():
    assert len(questions_about([])) == 3
