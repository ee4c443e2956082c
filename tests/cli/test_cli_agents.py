"""Whole sessions of coding agents, in each agent's own events: what the next session gets."""

import json
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from in_process import invoke

from hippocampus import Memory
from hippocampus.cli.agent_events import EVENTS, read_event
from hippocampus.language.session_words import own_words

PAYLOADS = json.loads(
    (Path(__file__).parents[1] / "data" / "agents" / "payloads.json").read_text("utf-8")
)
AGENTS = list(PAYLOADS)
RULE = "Never touch the generated files under gen/, the nightly job overwrites them."
TASK = "Add a button to the page."
ERROR = "Command failed\nModuleNotFoundError: No module named psycopg_pool"
WHY = "The tests failed because the pool was missing from the lock file."
REMEDY = "Fixed by adding it to requirements/dev.txt."
QUESTION = "Why did the tests fail with the pool missing from the lock file?"
PROJECT = "project:github.com/ada/shop"

pytestmark = pytest.mark.usefixtures("own_data")


class Agent:
    """Plays an agent: calls the hook with its events, and reads the answers as it would."""

    def __init__(self, shell, name, folder, session="one"):
        self.shell = shell
        self.name = name
        self.folder = folder
        self.session = session

    def payload(self, act, said=""):
        return write_in(PAYLOADS[self.name][act], {
            "CWD": str(self.folder), "SAID": said, **dict.fromkeys(self.ids(), self.session)
        })  # fmt: skip

    def ids(self):
        begun = PAYLOADS[self.name]["begin"]
        return {begun.get("session_id"), begun.get("conversation_id")} - {None}

    def __call__(self, act, said=""):
        payload = self.payload(act, said)
        given = json.dumps(payload)
        done = self.shell("hook", "--agent", self.name, "--no-sleep", stdin=given)
        assert (0, "") == (done.code, done.err)
        return self.read(payload["hook_event_name"], done.out.strip())

    def read(self, event, out):
        """Return what the agent's model reads of an answer."""
        if not out or self.name in ("claude-code", "codex"):
            return out
        answer = json.loads(out)
        if event == "beforeSubmitPrompt":
            assert {"continue": True} == answer
            return ""
        if self.name == "cursor":
            assert ["additional_context"] == list(answer)
            return answer["additional_context"]
        assert event == answer["hookSpecificOutput"]["hookEventName"]
        return answer["hookSpecificOutput"]["additionalContext"]


def write_in(value, words):
    if isinstance(value, dict):
        return {key: write_in(one, words) for key, one in value.items()}
    if isinstance(value, list):
        return [write_in(one, words) for one in value]
    if not isinstance(value, str):
        return value
    return words.get(value, value.replace("SAID", words.get("SAID", "SAID")))


@pytest.fixture
def repository(tmp_path):
    """A folder that is a clone, as git leaves one."""
    folder = tmp_path / "shop"
    made_git(folder / ".git", "git@github.com:ada/shop.git")
    return folder


def made_git(folder, remote):
    folder.mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "config").write_text(f'[core]\n\tbare = false\n[remote "origin"]\n\turl = {remote}\n')


def texts(shell, bank):
    with Memory(shell.store, embedder="none") as memory:
        return [one.text for one in memory.bank(bank).episodes()]


# ---------------------------------------------------------------- a session, and the one after it


@pytest.mark.parametrize("name", AGENTS)
def test_the_next_session_gets_what_mattered_in_the_one_before(shell, repository, name):
    agent = Agent(shell, name, repository)
    assert "" == agent("begin")
    assert "" == agent("prompt", f"{RULE} {TASK}")
    assert "" == agent("prompt", "ok go on")
    if "failed" in PAYLOADS[name]:
        agent("failed", ERROR)
    assert "" == agent(
        "reply", f"I ran the tests. {WHY} {REMEDY} All 12 tests pass. Anything else?"
    )
    agent("compact")
    if "end" in PAYLOADS[name]:
        agent("end")

    later = Agent(shell, name, repository, session="two")
    begun = later("begin")
    asked = later("prompt", QUESTION)

    assert RULE in begun
    assert "github.com/ada/shop" in begun
    assert TASK not in begun
    kept = texts(shell, PROJECT)
    assert RULE in kept[0]
    assert WHY in kept[1]
    assert REMEDY in kept[1]
    assert ("psycopg_pool" in kept[1]) == ("failed" in PAYLOADS[name])
    assert not any(TASK in one or "tests pass" in one for one in kept)
    if name != "cursor":  # which takes nothing for a prompt
        assert WHY in asked


@pytest.mark.slow
def test_an_error_brings_back_what_solved_it(shell, repository):
    agent = Agent(shell, "claude-code", repository)
    agent("failed", ERROR)
    agent("reply", f"{WHY} {REMEDY}")
    agent("reply", "The page was slow because every image was loaded twice.")

    asked = Agent(shell, "claude-code", repository, "two")("prompt", f"It says: {ERROR}")

    assert REMEDY in asked
    kept = texts(shell, PROJECT)
    assert ["psycopg_pool" in one for one in kept] == [True, False], "the second was of no error"


@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini"])
def test_what_a_window_has_is_not_given_to_it_again(shell, repository, name):
    agent = Agent(shell, name, repository)
    agent("begin")
    agent("reply", f"{WHY} {REMEDY}")
    later = Agent(shell, name, repository, session="two")

    first, again = later("prompt", QUESTION), later("prompt", QUESTION)
    later("compact")
    wiped = later("prompt", QUESTION)

    assert WHY in first
    assert "" == again
    assert first == wiped


def test_what_a_session_begins_with_is_the_same_for_the_same_state(shell, repository):
    agent = Agent(shell, "claude-code", repository)
    agent("prompt", RULE)
    agent("prompt", "I prefer short commit messages.")
    begun = [Agent(shell, "claude-code", repository, session=s)("begin") for s in ("2", "3")]

    assert begun[0] == begun[1]
    assert begun[0].index(RULE) < begun[0].index("short commit messages")
    assert "" == Agent(shell, "claude-code", repository, session="2")("begin"), "it has that"


def test_a_compacted_window_gets_what_mattered_of_its_session(shell, repository):
    agent = Agent(shell, "claude-code", repository)
    agent("begin")
    agent("reply", f"{WHY} {REMEDY}")
    agent("compact")

    assert WHY in agent("compacted")


def test_what_is_of_the_person_follows_them_into_other_projects(shell, repository, tmp_path):
    other = tmp_path / "notes"
    made_git(other / ".git", "https://github.com/ada/notes")
    Agent(shell, "claude-code", repository)("prompt", f"{RULE} I prefer short commit messages.")

    begun = Agent(shell, "claude-code", other, session="two")("begin")

    assert "short commit messages" in begun
    assert RULE not in begun
    assert ["I prefer short commit messages."] == texts(shell, "me")


def test_what_a_hook_hands_out_is_nobodys_words_when_it_comes_back(shell, repository):
    agent = Agent(shell, "claude-code", repository)
    agent("prompt", f"{RULE} I prefer tea.")
    begun = Agent(shell, "claude-code", repository, "two")("begin")
    asked = Agent(shell, "claude-code", repository, "three")(
        "prompt", f"Is it so that {RULE.lower()}"
    )

    for given in (begun, asked):
        assert ("Remembered of" in given, TASK) == (True, own_words(f"{given}\n\n{TASK}"))
    mine = "Remembered of the user:\nMy list:\n<memory>\n"
    assert mine.strip() == own_words(mine)


def test_a_bank_that_is_named_takes_everything(shell, repository):
    payload = Agent(shell, "claude-code", repository).payload("prompt", f"{RULE} I prefer tea.")
    shell("hook", "--bank", "work", stdin=json.dumps(payload))

    assert [RULE, "I prefer tea."] == sorted(texts(shell, "work"), reverse=True)


def test_secrets_of_a_terminal_stay_out(shell, repository):
    token = "ghp_" + "q7Zt9XbW2mKd4RvL8sYh3NcJ6fPg1TuA5eQi"
    agent = Agent(shell, "claude-code", repository)
    agent("prompt", f"My token is {token}. The deploy token {token} must be renewed every May.")
    agent("failed", f"error: token {token} was refused")
    agent("reply", f"The push failed because {token} is too old.")

    agent("prompt", "Reports must always go to ops@example.org, never to the list.")

    assert ["Reports must always go to [e-mail address], never to the list."] == texts(
        shell, PROJECT
    )
    kept = "\n".join(texts(shell, PROJECT))
    state = "".join(p.read_text("utf-8") for p in shell.store.parent.rglob("*.jsonl"))
    assert token not in kept + state


def test_an_error_beside_an_encrypted_store_is_not_noted(shell, repository, monkeypatch):
    monkeypatch.setenv("HIPPOCAMPUS_PASSPHRASE", "a long enough passphrase")
    payload = Agent(shell, "claude-code", repository).payload("failed", "error: the lock is held")
    done = shell("hook", "--key", "passphrase", stdin=json.dumps(payload))

    assert (0, "") == (done.code, done.err)
    assert [] == list(shell.store.parent.rglob("*.jsonl"))


# ---------------------------------------------------------------- what is not as it should be


@pytest.mark.parametrize("name", AGENTS)
def test_a_later_version_of_an_agent_is_understood_as_far_as_it_is_the_same(
    shell, repository, name
):
    agent = Agent(shell, name, repository)
    grown = agent.payload("prompt", RULE) | {"new": {"deep": [1]}, "cwd_2": None, "turn": 7}
    new = agent.payload("prompt", RULE) | {"hook_event_name": "PromptWasRead"}
    for payload in (grown, new):
        done = shell("hook", "--agent", name, stdin=json.dumps(payload))
        assert (0, "") == (done.code, done.err)

    assert [RULE] == texts(shell, PROJECT)


def test_a_prompt_without_its_words_is_told_once(shell, repository):
    payload = Agent(shell, "claude-code", repository).payload("prompt")
    del payload["prompt"]
    first, again = (shell("hook", stdin=json.dumps(payload)) for _ in range(2))

    assert (1, "") == (first.code, first.out)
    assert "UserPromptSubmit: has no prompt or user_prompt" in first.err
    assert (0, "", "") == (again.code, again.out, again.err)


def test_half_a_payload_is_told_without_anything_else_happening(shell, repository):
    whole = json.dumps(Agent(shell, "claude-code", repository).payload("prompt", RULE))
    done = shell("hook", stdin=whole[: len(whole) // 2])

    assert (1, "") == (done.code, done.out)
    assert 1 == len(done.err.strip().splitlines())
    assert not shell.store.exists()


def test_a_broken_store_is_told_once_in_a_session_without_standing_in_the_way(shell, repository):
    shell.store.write_bytes(b"no database at all, but long enough to look like something" * 99)
    payload = json.dumps(Agent(shell, "claude-code", repository).payload("prompt", RULE))
    codes = [shell("hook", stdin=payload) for _ in range(3)]

    assert [1, 0, 0] == [one.code for one in codes]
    assert ["", "", ""] == [one.out for one in codes]
    assert str(shell.store) in codes[0].err
    assert "" == codes[1].err + codes[2].err


@pytest.mark.parametrize(
    "more", [{"agent_id": "explore-1"}, {"is_background_agent": True}, {"is_interrupt": True}]
)
def test_what_nobody_sits_before_is_passed_over(shell, repository, more):
    payload = Agent(shell, "claude-code", repository).payload("prompt", RULE) | more
    done = shell("hook", stdin=json.dumps(payload))

    assert (0, "", "") == (done.code, done.out, done.err)
    assert not shell.store.exists()


@pytest.mark.parametrize("payload", [{}, {"hook_event_name": 3}, {"hook_event_name": ["Stop"]}])
def test_what_is_no_event_is_none(payload):
    assert read_event(payload).kind is None


GEMINI_END = "Background PIDs: 12, 13\nProcess Group PGID: 4711"


@pytest.mark.parametrize(
    ("response", "said"),
    [
        ({"llmContent": f"Output: no such table\nExit Code: 1\n{GEMINI_END}"}, "no such table"),
        ({"llmContent": "Output: a\nb\nExit Code: -1\nSignal: SIGTERM"}, "a\nb"),
        ({"llmContent": "Output: (empty)\nError: spawn\nExit Code: 127"}, "(empty)\nError: spawn"),
        ({"llmContent": "x", "error": {"message": "no shell"}}, "no shell"),
        ({"llmContent": f"Output: fine\n{GEMINI_END}"}, ""),
        ({"llmContent": f"Output: it wrote\nExit Code: 1\nand went on\n{GEMINI_END}"}, ""),
        ({"llmContent": "Command: x\nOutput: y\nExit Code: 0\nSignal: (none)"}, ""),
        ({"llmContent": [{"text": "Exit Code: 1"}]}, ""),
    ],
)
def test_a_command_failed_in_gemini_if_its_code_says_so(response, said):
    event = {"hook_event_name": "AfterTool", "tool_response": response}
    assert said == read_event(event, "gemini").said


@pytest.mark.parametrize(
    ("root", "folder"),
    [("/c:/Users/ada/shop", "c:/Users/ada/shop"), ("/home/ada", "/home/ada"), ("C:\\x", "C:\\x")],
)
def test_a_root_that_is_written_as_in_an_address_is_a_folder(root, folder):
    event = {"hook_event_name": "sessionStart", "workspace_roots": [root]}
    assert folder == read_event(event, "cursor").folder


@pytest.mark.parametrize("odd", ["\ud800", "a\0b", "x" * 5000, "\x1b[2J", "../../.."])
def test_odd_names_of_sessions_and_folders_do_no_harm(shell, odd):
    payload = {"hook_event_name": "UserPromptSubmit", "prompt": RULE}
    for more in ({"session_id": odd, "cwd": "/x"}, {"session_id": "one", "cwd": odd}):
        done = shell("hook", "--no-sleep", stdin=json.dumps(payload | more))
        assert done.code in (0, 1)
        assert len(done.err.strip().splitlines()) <= 1

    assert RULE in texts(shell, "me")


@pytest.mark.parametrize("name", EVENTS)
def test_every_event_may_lack_every_field(shell, name):
    done = shell("hook", "--no-sleep", stdin=json.dumps({"hook_event_name": name}))

    assert done.code in (0, 1)
    assert done.out in ("", '{"continue": true}\n')
    assert len(done.err.strip().splitlines()) <= 1


@pytest.mark.slow
def test_two_agents_in_one_worktree_lose_nothing(shell, repository):
    def play(number):
        agent = Agent(shell, "claude-code", repository, session=f"s{number}")
        for turn in range(2):
            said = f"The service {number}{turn} must always listen on port 90{number}{turn}."
            given = json.dumps(agent.payload("prompt", said))
            done = shell.spawn("hook", "--no-sleep", stdin=subprocess.PIPE)
            assert b"" == done.communicate(given.encode())[1]
            assert 0 == done.returncode

    with ThreadPoolExecutor(2) as both:
        list(both.map(play, (1, 2)))

    assert 4 == len(texts(shell, PROJECT))


# ---------------------------------------------------------------- a team's bank


def test_a_settings_file_redirects_nothing_without_consent(shell, repository, tmp_path):
    (repository / ".hippocampus.toml").write_text(
        f'[project]\nteam = "shop"\nstore = "{tmp_path / "team.db"}"\n'
    )
    env = {"XDG_DATA_HOME": str(tmp_path / "data")}
    prompt = json.dumps(Agent(shell, "claude-code", repository).payload("prompt", RULE))
    asked = shell("hook", stdin=prompt, env=env)
    again = shell("hook", stdin=prompt, env=env)

    assert "hippocampus project --allow" in asked.err
    assert "team 'shop'" in asked.err
    assert "" == again.err
    assert not (tmp_path / "team.db").exists()
    assert [RULE] == texts(shell, PROJECT)

    assert 0 == shell("project", str(repository), "--allow", env=env).code
    other = json.dumps(Agent(shell, "claude-code", repository, "two").payload("prompt", RULE))
    assert (0, "") == (
        shell("hook", stdin=other, env=env).code,
        shell("hook", stdin=other, env=env).err,
    )
    with Memory(tmp_path / "team.db", embedder="none") as memory:
        assert [RULE] == [one.text for one in memory.bank("team:shop").episodes()]

    settings = repository / ".hippocampus.toml"
    settings.write_text(settings.read_text().replace("team.db", "elsewhere.db"))
    third = json.dumps(Agent(shell, "claude-code", repository, "three").payload("prompt", RULE))
    assert "--allow" in shell("hook", stdin=third, env=env).err, "it was for the file as it was"
    assert not (tmp_path / "elsewhere.db").exists()


@contextmanager
def served(memory):
    """Serve a memory on this machine, to whoever has the key."""
    import uvicorn

    from hippocampus.server import create_app

    server = uvicorn.Server(uvicorn.Config(create_app(memory), port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


@pytest.mark.slow
def test_a_teams_bank_may_be_on_a_server_without_a_wait_for_one_that_is_gone(
    shell, repository, tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    agent = Agent(shell, "claude-code", repository)
    with Memory(":memory:", embedder="hash") as team:
        with served(team) as url:
            (repository / ".hippocampus.toml").write_text(
                f'[project]\nteam = "shop"\nstore = "{url}"\n'
            )
            assert 0 == shell("project", str(repository), "--allow").code
            agent("prompt", f"{RULE} I prefer short commit messages.")
            agent("reply", f"{WHY} {REMEDY}")
            assert [RULE, f"{WHY}\n{REMEDY}"] == [
                one.text for one in team.bank("team:shop").episodes()
            ]
            later = Agent(shell, "claude-code", repository, "two")
            assert RULE in later("begin")
            assert REMEDY in later("prompt", QUESTION)

        last = Agent(shell, "claude-code", repository, "three").payload("begin")
        first, again = (shell("hook", stdin=json.dumps(last)) for _ in range(2))
    assert 1 == first.code
    assert "short commit messages" in first.out, "what is there is given all the same"
    assert url in first.err
    assert (0, "") == (again.code, again.err)


def test_a_project_that_is_not_to_be_remembered_is_not(shell, repository):
    (repository / ".hippocampus.toml").write_text("[project]\nremember = false\n")
    agent = Agent(shell, "claude-code", repository)
    agent("begin")
    agent("prompt", f"{RULE} I prefer tea.")
    agent("reply", WHY)

    assert not shell.store.exists()


# ---------------------------------------------------------------- lean


def test_an_event_of_no_interest_loads_next_to_nothing(shell):
    code = """
import sys
from hippocampus.cli import main
try:
    main()
finally:
    heavy = {"numpy", "typer", "rich", "tomllib", "sqlite3", "platformdirs"}
    print(sorted(heavy & set(sys.modules)), file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, "hook"], env={**os.environ, **shell.env}, text=True,
        input=json.dumps({"hook_event_name": "PreToolUse"}), capture_output=True, check=False,
    )  # fmt: skip

    assert (0, "[]\n") == (done.returncode, done.stderr)


def test_the_command_says_which_project_a_folder_is(repository, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    shown = json.loads(invoke("project", str(repository), "--json").stdout)

    assert (PROJECT, "remote", None) == (shown["bank"], shown["told_by"], shown["store"])
    for wrong in (["--allow"], ["--allow", "--deny"], [str(tmp_path / "none")]):
        done = (
            invoke("project", *wrong)
            if len(wrong) > 1
            else invoke("project", str(repository), *wrong)
        )
        assert 2 == done.exit_code, wrong
