"""Logs of sessions are brought into a bank: once, however often it is cut off and done again."""

import json
import signal
import subprocess
import sys

import agent_logs as logs
import pytest

from hippocampus import Config, Memory, Secrets
from hippocampus.write import file_import

WHOLE = [logs.ASKED, logs.ANSWERED, logs.MORE]


@pytest.fixture
def memory():
    with Memory(":memory:", embedder="none") as memory:
        yield memory


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def texts(bank):
    return [one.text for one in bank.episodes()]


def typed(number, text):
    stamp = f"2026-03-02T10:{number // 60:02}:{number % 60:02}.000Z"
    return logs._claude("user", f"x{number}", 0, text, timestamp=stamp)


def test_a_log_imported_again_brings_only_what_was_added_to_it(memory, tmp_path):
    bank = memory.bank("ada")
    path = put(tmp_path / "5f0c-1.jsonl", logs.claude_code())
    first, again = bank.import_(path), bank.import_(path)
    with path.open("a") as file:
        file.write(logs.lines(typed(1, "The staging server is called heron.")))
    grown = bank.import_(path)

    assert (3, 0) == (first.added, first.unchanged)
    assert (0, 3) == (again.added, again.unchanged)
    assert (1, 3, 0) == (grown.added, grown.unchanged, grown.removed)
    assert [*WHOLE, "The staging server is called heron."] == texts(bank)


def test_what_a_log_has_no_more_stays(memory, tmp_path):
    bank = memory.bank("ada")
    path = put(tmp_path / "5f0c-1.jsonl", logs.claude_code())
    bank.import_(path)
    put(path, logs.lines(typed(1, "The staging server is called heron.")))

    assert (1, 0) == (bank.import_(path).added, bank.import_(path).removed)
    assert WHOLE == texts(bank)[:3]


def test_a_log_whose_tool_has_tidied_it_away_is_told_of_without_being_lost(memory, tmp_path):
    bank = memory.bank("ada")
    path = put(tmp_path / "p/5f0c-1.jsonl", logs.claude_code())
    bank.import_(tmp_path, format="claude-code")
    path.unlink()

    assert ("p/5f0c-1.jsonl",) == bank.import_(tmp_path, format="claude-code").missing
    assert WHOLE == texts(bank)


def test_what_a_bank_heard_while_the_session_went_on_is_not_kept_twice(memory, tmp_path):
    bank = memory.bank("ada")
    bank.remember(logs.ASKED, role="user", session="5f0c-1", at="2026-03-02T09:00:05Z")
    done = bank.import_(put(tmp_path / "5f0c-1.jsonl", logs.claude_code()))

    assert (2, 1) == (done.added, done.unchanged)
    assert sorted(WHOLE) == sorted(texts(bank))


def test_what_was_typed_is_kept_once_though_it_is_in_the_log_as_well(memory, tmp_path):
    bank = memory.bank("ada")
    line = {"display": logs.ASKED, "pastedContents": {}, "timestamp": 1772442003000,
            "project": "/home/ada/shop", "sessionId": "5f0c-1"}  # fmt: skip
    bank.import_(put(tmp_path / "5f0c-1.jsonl", logs.claude_code()))
    bank.import_(put(tmp_path / "history.jsonl", logs.lines(line, line | {"sessionId": "other"})))

    assert [logs.ASKED] * 2 == [one for one in texts(bank) if one == logs.ASKED]


def test_a_session_that_is_in_two_logs_is_kept_once(memory, tmp_path):
    bank = memory.bank("ada")
    put(tmp_path / "one.jsonl", logs.claude_code())
    put(tmp_path / "two.jsonl", logs.claude_code())
    done = bank.import_(tmp_path, format="claude-code")

    assert (3, 3) == (done.added, done.unchanged)
    assert WHOLE == texts(bank)


def test_secrets_in_a_log_pass_the_gate(tmp_path):
    config = Config(secrets=Secrets(write="redact"))
    line = typed(1, "The wifi password is Sommer!2024, tell nobody in the office.")
    with Memory(":memory:", embedder="none", config=config) as memory:
        bank = memory.bank("ada")
        bank.import_(put(tmp_path / "a.jsonl", logs.lines(line)))
        (kept,) = texts(bank)

    assert "Sommer" not in kept
    assert "[password]" in kept


def test_a_log_comes_in_parts_with_progress_told_in_bytes(memory, tmp_path, monkeypatch):
    monkeypatch.setattr(file_import, "_PART_TURNS", 10)
    bank = memory.bank("ada")
    said = [typed(n, f"Shelf {n} of the pantry holds jar number {n}.") for n in range(95)]
    path = put(tmp_path / "a.jsonl", logs.lines(*said))
    seen = []
    first = bank.import_(path, progress=lambda done, total: seen.append((done, total)))
    again = bank.import_(path)

    assert (95, 0, 95) == (first.added, again.added, again.unchanged)
    assert len(seen) >= 10
    assert seen == sorted(seen)
    assert {path.stat().st_size} == {total for _, total in seen}
    assert seen[-1][0] == path.stat().st_size


def test_a_log_can_be_called_otherwise_by_hand(memory, tmp_path):
    bank = memory.bank("ada")
    path = put(tmp_path / "5f0c-1.jsonl", logs.claude_code())
    bank.import_(path)
    bank.import_(path, as_="lint")

    assert WHOLE == [one.text for one in bank.episodes(source="lint")]
    assert WHOLE == texts(bank)


def test_an_answer_of_the_agent_is_told_from_a_question_of_the_user(memory, tmp_path):
    bank = memory.bank("ada")
    bank.import_(put(tmp_path / "5f0c-1.jsonl", logs.claude_code()))

    assert ["user", "assistant", "user"] == [one.origin for one in bank.episodes()]
    assert {"5f0c-1"} == {one.session for one in bank.episodes()}


def test_a_damaged_database_is_told_without_stopping_the_import(memory, tmp_path):
    path = logs.opencode_database(tmp_path / "opencode.db")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    put(tmp_path / "session/p/ses_9.json", json.dumps({"id": "ses_9"}))
    done = memory.bank("ada").import_(tmp_path, format="opencode")

    assert "opencode.db" in dict(done.unreadable)


_KILLED = """
import os, signal, sys
from hippocampus import Memory
from hippocampus.write import file_import

file_import._PART_TURNS = 40
with Memory(sys.argv[1], embedder="none") as memory:
    bank, told = memory.bank("ada"), 0
    bank.remember("The bank is there.")
    def step(done, total):
        global told
        told += 1
        if told == int(sys.argv[3]):
            os.kill(os.getpid(), signal.SIGKILL)
    bank.import_(sys.argv[2], progress=step)
"""


@pytest.mark.slow
@pytest.mark.parametrize("after", [1, 3])
def test_everything_is_there_once_after_an_import_killed_halfway_is_done_again(tmp_path, after):
    said = [typed(n, f"Shelf {n} of the pantry holds jar number {n}.") for n in range(200)]
    log, store = put(tmp_path / "a.jsonl", logs.lines(*said)), tmp_path / "agent.db"
    killed = subprocess.run(
        [sys.executable, "-c", _KILLED, store, log, str(after)], capture_output=True, check=False
    )
    assert -signal.SIGKILL == killed.returncode, killed.stderr
    with Memory(store, embedder="none") as memory:
        bank = memory.bank("ada")
        before = len(texts(bank))
        done = bank.import_(log)
        kept = texts(bank)

    assert 1 < before < 201
    assert 201 == len(kept) == len(set(kept))
    assert 201 == before + done.added


@pytest.mark.slow
def test_a_long_log_is_read_in_little_memory(tmp_path):
    """Of output that nobody wants there may be any amount; what is kept is what is held: 500 MB."""
    output = [{"type": "tool_result", "tool_use_id": "t", "content": "x" * 1_000_000}]
    line = logs.lines(logs._claude("user", "r", 1, output))
    path = tmp_path / "a.jsonl"
    with path.open("w") as file:
        for _ in range(500):
            file.write(line)
        file.write(logs.claude_code())
    script = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from hippocampus.sources import read_source\n"
        "(log,) = read_source(Path(sys.argv[1]))\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "turns = len(list(log.items()))\n"
        "after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "print(turns, (after - before) // 1024)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, path], capture_output=True, text=True, check=True
    )
    turns, grown_mb = map(int, done.stdout.split())

    assert 3 == turns
    assert grown_mb < 32
