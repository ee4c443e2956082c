"""What a new user tries on the first day at the command line."""

import json
import os
import shutil
import subprocess
import sys

import pytest

TALK = [
    {"role": "user", "content": "My cat is called Biscuit."},
    {"role": "assistant", "content": [{"type": "text", "text": "Nice to know."}]},
]


@pytest.mark.parametrize(
    "stdin",
    [
        "\n".join(map(json.dumps, TALK)) + "\n",
        json.dumps(TALK, indent=2),
        json.dumps({"model": "m", "messages": TALK}),
    ],
)
def test_messages_of_a_chat_are_remembered_from_stdin(shell, stdin):
    kept = shell("remember", "-", "--messages", "--session", "c1", "--json", stdin=stdin).json

    assert [(one["role"], one["text"], one["session"]) for one in kept] == [
        ("user", "My cat is called Biscuit.", "c1"), ("assistant", "Nice to know.", "c1"),
    ]  # fmt: skip


def test_a_line_that_is_no_message_is_named_without_keeping_anything(shell):
    answer = shell("remember", "-", "--messages", stdin=f"{json.dumps(TALK[0])}\n{{nope\n")

    assert answer.code == 2
    assert "line 2 is not JSON" in answer.err
    assert shell("episodes", "--json").json == []


@pytest.mark.parametrize(
    ("args", "meant"),
    [
        (["recall", "x", "--top-k", "3"], "-k"),
        (["recall", "x", "--count", "3"], "-k"),
        (["context", "x", "--max-tokens", "300"], "--budget-tokens"),
        (["remember", "x", "--timestamp", "2025-01-01"], "--at"),
        (["episodes", "--after", "2025-01-01"], "--since"),
        (["recall", "x", "--threshold", "0.5"], "--min-score"),
    ],
)
def test_an_option_that_is_none_leads_to_the_one_that_is_meant(shell, args, meant):
    answer = shell(*args)

    assert answer.code == 2
    assert f"(Possible options: {meant})" in " ".join(answer.err.replace("│", " ").split())


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("search", "recall"), ("ask", "recall"), ("list", "episodes"), ("timeline", "episodes"),
        ("delete", "forget"), ("undo", "restore"), ("Add", "remember"), ("forgt", "forget"),
    ],
)  # fmt: skip
def test_a_command_of_other_programs_leads_to_the_one_that_is_meant(shell, typed, meant):
    answer = shell(typed, "x")

    assert answer.code == 2
    said = " ".join(answer.err.replace("│", " ").split())
    assert f"No such command '{typed}'. Did you mean '{meant}'?" in said


@pytest.mark.parametrize("verb", ["recall", "explain", "context"])
@pytest.mark.parametrize("most", ["-k", "--hits", "--limit", "-n"])
def test_the_most_that_is_found_has_the_same_names_as_in_lists(shell, verb, most):
    shell("remember", "The roof was repaired.")
    shell("remember", "The roof leaks.")

    assert 0 == shell(verb, "roof", most, "1").code
    if verb == "recall":
        assert 1 == len(shell(verb, "roof", most, "1", "--json").json["hits"])


def test_words_that_are_not_in_quotes_are_one_question(shell):
    shell("remember", "The roof repair cost 1,600.")

    found = shell("recall", "roof", "repair", "-k", "3", "cost", "--json").json

    assert "roof repair cost" == found["query"]
    assert "1,600" in shell("context", "roof", "repair").out
    assert 0 == shell("count-events", "how", "often", "did", "it", "rain?").code
    assert 0 == shell("explain", "roof", "repair").code


def test_a_text_to_keep_that_is_not_in_quotes_leads_to_them(shell):
    answer = shell("remember", "The", "roof")

    assert answer.code == 2
    assert "put a text of several words in quotes" in " ".join(answer.err.replace("│", " ").split())


def test_ids_are_shown_by_a_short_beginning_that_is_enough(shell):
    whole = shell("remember", "The pump was mended.", "--json").json["id"]
    short = whole[:8]

    for shown in (shell("episodes"), shell("recall", "pump", "--ids"), shell("history")):
        assert short in shown.out
        assert whole not in shown.out
    assert shell("show", short, "--json").json["id"] == whole
    assert shell("forget", short).out.startswith("1 forgotten")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["recall", " "], "query is blank; ask a question"),
        (["count-events", " "], "question is blank; ask what to count"),
        (["count-events", ""], "question is blank; ask what to count"),
        (["context", "x", "--budget-tokens", "-4"], "--budget-tokens -4: must be a whole number"),
        (["recall", "x", "-k", "-3"], "-k -3: must be"),
        (["recall", "x", "--min-score", "7"], "--min-score 7.0: must be"),
        (["recall", "x", "--as-of", "nonsense"], "--as-of 'nonsense': not a moment"),
        (
            ["recall", "x", "--since", "2025-02-01", "--until", "2025-01-01"],
            "--since '2025-02-01' is later than --until '2025-01-01'",
        ),
        (["recall", "x", "--where", '{"year": {">": 3}}'], "'>' is '$gt'"),
        (["show", "nobody"], "is not in it; recall and episodes give ids"),
    ],
)
def test_what_is_wrong_is_told_in_the_words_of_the_command_line(shell, args, told):
    shell("remember", "Something.")

    answer = shell(*args)

    assert answer.code == 2
    assert told in answer.err
    assert "()" not in answer.err


def test_what_is_said_of_python_stays_as_it_is_written_there(shell, path):
    key = path.with_suffix(".key")
    key.write_bytes(bytes(range(32)))
    shell("remember", "The pump was mended.", "--key", f"file:{key}")

    answer = shell("recall", "pump")

    assert "give its key: Memory(path, key=Key.passphrase(…)), or --key" in answer.err


@pytest.mark.parametrize("now", ["2026-11-25", "2026-11-25T10:00+01:00", "1795600000"])
def test_the_present_is_given_as_every_other_time(shell, now):
    shell("remember", "The pump was mended.", "--at", "2026-11-24")

    found = shell("recall", "what happened yesterday?", "--now", now, "--json").json
    assert found["hits"][0]["episode"]["text"] == "The pump was mended."
    assert found["intervals"][0]["start"].startswith("2026-11-24")
    assert shell("recall", "pump", "--now", "last Monday", "--json").code == 0


def test_an_embedder_that_is_none_leaves_no_store(shell):
    assert shell("remember", "x", "--embedder", "openai").code == 2
    assert not shell.store.exists()


@pytest.mark.parametrize("shell_name", ["bash", "zsh", "fish", "powershell"])
def test_there_is_a_script_that_has_a_shell_complete(shell, shell_name):
    script = shell("completion", shell_name).out

    assert "_HIPPOCAMPUS_COMPLETE" in script
    assert shell("completion", "tcsh").code == 2


COMPLETED = [
    (["reca"], "recall"),
    (["context", "--budget-t"], "--budget-tokens"),
    (["keys", "cr"], "create"),
    (["recall", "--secrets", "red"], "redact"),
    (["connect", "claude-code", "claude-"], "claude-desktop"),
]
ASKING = {
    "bash": "COMP_WORDS=({line}); COMP_CWORD={place}; _hippocampus_completion hippocampus;"
    " echo ${{COMPREPLY[@]}}",
    "zsh": "_describe() {{ print -r -- ${{found%%:*}} }}; words=({line}); CURRENT={place}+1;"
    " _hippocampus_completion",
    "fish": 'complete -C "{line}" | string split -f1 \\t',
}


@pytest.fixture
def program(tmp_path, shell):
    """A folder for PATH with the program in it; the cache is beside it."""
    file = tmp_path / "bin" / "hippocampus"
    file.parent.mkdir()
    file.write_text(f"#!{sys.executable}\nfrom hippocampus.cli import main\nmain()\n")
    file.chmod(0o755)
    env = {"PATH": f"{file.parent}:{os.environ['PATH']}", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    shell.env |= env | {"HOME": str(tmp_path)}
    return file


@pytest.mark.slow
@pytest.mark.usefixtures("program")
@pytest.mark.parametrize("name", ASKING)
def test_a_shell_completes_commands_options_and_values(shell, name):
    if shutil.which(name) is None:
        return  # a shell that is not here
    before = {"zsh": "compdef() { }\n"}.get(name, "")
    script = before + shell("completion", name).out
    asked = [
        ASKING[name].format(line=" ".join(["hippocampus", *words]), place=len(words))
        for words, _ in COMPLETED
    ]
    done = subprocess.run(
        [name, *(["--no-config"] if name == "fish" else []), "-c", "\n".join([script, *asked])],
        env=os.environ | shell.env, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert [meant for _, meant in COMPLETED] == done.stdout.split()


@pytest.mark.slow
@pytest.mark.usefixtures("program")
def test_a_press_of_a_key_loads_no_typer_once_the_table_is_there(shell):
    code = "import sys; from hippocampus.cli import main; main(); print('typer' in sys.modules)"
    env = os.environ | shell.env | {"_HIPPOCAMPUS_COMPLETE": "words"}
    said = [
        subprocess.run(
            [sys.executable, "-c", code, "reca"],
            env=env,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for _ in range(2)
    ]

    assert [["recall", "True"], ["recall", "False"]] == said


@pytest.mark.slow
def test_what_is_kept_without_a_model_says_so(shell, tmp_path):
    env = {"HIPPOCAMPUS_EMBEDDER": "default", "XDG_DATA_HOME": str(tmp_path), "HOME": str(tmp_path)}
    made = subprocess.run(
        [sys.executable, "-m", "hippocampus", "remember", "My dog is called Rex."],
        env=os.environ | shell.env | env, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert "hippocampus: what is kept has no vectors" in " ".join(made.stderr.split())
    assert "hippocampus models install" in " ".join(made.stderr.split())


def test_a_count_of_events_says_that_it_does_not_read_the_language(shell):
    shell("remember", "Heute war ich laufen, 5 Kilometer.")

    answer = shell("count-events", "Wie oft war ich laufen?")

    assert "the question is in German" in " ".join((answer.out + answer.err).split())
