"""What hooks have kept of a session, an import of its log does not bring in again."""

import json

import agent_logs as logs
import pytest

from hippocampus import Memory

PROJECT = "project:github.com/ada/shop"
LOGS = {
    "claude-code": ("5f0c-1", "5f0c-1.jsonl", logs.claude_code),
    "codex": ("019c-1", "rollout-2026-03-02T09-00-00-019c-1.jsonl", logs.codex),
    "gemini": ("8c1a-2", "session-2026-03-02T09-00-8c1a.json", logs.gemini),
}
EVENTS = {"user": "UserPromptSubmit", "assistant": "Stop"}
SAID = {"user": "prompt", "assistant": "last_assistant_message"}
LASTING = "The lint job failed because the runner has no lock file; pnpm install mends it."

pytestmark = pytest.mark.usefixtures("own_data")


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_text('[remote "origin"]\n\turl = github.com:ada/shop.git\n')
    return folder


@pytest.fixture
def hook(shell, repository):
    """Tell a hook what is said in a session."""

    def tell(role, text, session, *options):
        event = {"hook_event_name": EVENTS[role], "session_id": session, "cwd": str(repository)}
        given = json.dumps(event | {SAID[role]: text})
        done = shell("hook", "--no-sleep", *options, stdin=given)
        assert (0, "") == (done.code, done.err)

    return tell


def kept(shell):
    """Everything that is remembered, by its bank."""
    with Memory(shell.store, embedder="none") as memory:
        return {name: [one.text for one in memory.bank(name).episodes()] for name in memory.banks()}


def times(shell, words):
    return sum(words in text for texts in kept(shell).values() for text in texts)


@pytest.mark.parametrize("agent", LOGS)
@pytest.mark.parametrize("into", ["me", PROJECT, "work"])
def test_a_message_of_which_a_hook_kept_what_lasts_is_not_imported(
    shell, hook, tmp_path, agent, into
):
    session, name, log = LOGS[agent]
    place = tmp_path / "logs" / name
    place.parent.mkdir()
    place.write_text(log().replace(logs.ANSWERED, LASTING))
    hook("user", logs.ASKED, session)
    hook("assistant", LASTING, session)

    done = shell("import", str(place), "--bank", into, "--json")

    assert (1, 2) == (done.json["added"], done.json["unchanged"])
    assert 1 == times(shell, "We use pnpm here")
    assert 1 == times(shell, "no lock file")
    assert 1 == times(shell, logs.MORE), "which no hook was told"
    assert 0 == shell("import", str(place), "--bank", into, "--json").json["added"]


def test_the_same_words_in_another_session_or_of_somebody_else_come_in(shell, hook, tmp_path):
    place = tmp_path / "5f0c-1.jsonl"
    place.write_text(logs.claude_code())
    hook("user", logs.ASKED, "another")
    hook("assistant", f"{logs.ASKED} We use pnpm because npm has no workspaces.", "5f0c-1")

    assert 3 == shell("import", str(place), "--json").json["added"]


def test_a_message_that_goes_on_differently_comes_in(shell, hook, tmp_path):
    place = tmp_path / "5f0c-1.jsonl"
    place.write_text(logs.claude_code())
    hook("user", f"{logs.ASKED} We use TypeScript, too.", "5f0c-1")

    assert 3 == shell("import", str(place), "--json").json["added"]


def test_of_an_answer_in_several_messages_a_hook_is_told_the_last(shell, hook, tmp_path):
    place = tmp_path / "5f0c-1.jsonl"
    whole = f"The workflow file is in .github.\\n\\n{LASTING}"
    place.write_text(logs.claude_code().replace(logs.ANSWERED, whole))
    hook("assistant", LASTING, "5f0c-1")

    assert 2 == shell("import", str(place), "--json").json["added"]
    assert 1 == times(shell, "no lock file")


def test_what_was_forgotten_of_what_a_hook_kept_stays_forgotten(shell, hook, tmp_path):
    place = tmp_path / "5f0c-1.jsonl"
    place.write_text(logs.claude_code())
    hook("user", logs.ASKED, "5f0c-1")
    with Memory(shell.store, embedder="none") as memory:
        bank = memory.bank(PROJECT)
        bank.forget([one.id for one in bank.episodes()])
    shell("import", str(place))

    assert 0 == times(shell, "We use pnpm here")


def test_of_a_message_with_a_secret_nothing_is_noted_that_tells_it(shell, hook):
    hook("user", "We use pnpm here, never npm. The password is hunter2-Xy7.", "5f0c-1")
    hook("user", "We deploy from the branch release, never from main.", "5f0c-1")
    with Memory(shell.store, embedder="none") as memory:
        noted = [one.metadata.get("message") for one in memory.bank(PROJECT).episodes()]

    assert [True, False] == [one is None for one in noted]
