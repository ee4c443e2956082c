"""What a coding agent's hooks get from memory, and that they can never stand in its way."""

import json
import os
import subprocess
import sys
from time import process_time
from types import SimpleNamespace

import pytest
from in_process import invoke

from hippocampus.cli import hook
from hippocampus.cli.hook_events import read_call
from hippocampus.cli.prompt_memories import floor_of, floor_of_names, names_in

FOUND = "The leak came from the valve, because its seal was dry."

pytestmark = pytest.mark.usefixtures("own_data")


def event(name, **fields):
    return json.dumps({"hook_event_name": name, "session_id": "s9", "cwd": "/x", **fields})


def kept(shell):
    return [(e["text"], e["role"], e["session"]) for e in shell("episodes", "--json").json]


def test_a_prompt_brings_back_what_is_remembered_about_it_before_it_is_kept(told):
    prompt = "Who mended the leak in the kitchen? The roof must never be walked on."

    answer = told("hook", stdin=event("UserPromptSubmit", prompt=prompt))

    assert 0 == answer.code
    assert answer.out.startswith("<memory ")
    assert "The leak in the kitchen was mended by a plumber." in answer.out
    assert "The roof" not in answer.out, "it is kept after it was looked for"
    assert ("The roof must never be walked on.", "user", "s9") in kept(told)


def test_a_prompt_about_nothing_remembered_brings_nothing(told):
    answer = told("hook", stdin=event("UserPromptSubmit", prompt="zebra xylophone quarterly"))

    assert (0, "") == (answer.code, answer.out)


def floor(prompt, *scored, found=True, seen=0):
    """The least score shown of memories with these scores and texts, some in the window already."""
    hits = [
        SimpleNamespace(score=score, episode=SimpleNamespace(text=text), id=text)
        for score, text in scored
    ]
    made = SimpleNamespace(items=hits[seen:], recall=SimpleNamespace(found=found, hits=hits))
    return floor_of(prompt, made, {hit.id for hit in hits[:seen]})


def test_of_what_is_found_only_what_comes_near_the_best_is_shown():
    near = floor("deploy?", (0.9, "a"), (0.5, "b"), (0.1, "c"), (0.02, "d"))
    many = floor("deploy?", *((0.9 - n / 100, "a") for n in range(9)))

    assert 0.1 < near <= 0.5
    assert 0.87 == pytest.approx(many), "four of them"


@pytest.mark.parametrize("found", [True, False])
def test_what_the_window_has_does_not_make_the_rest_the_best(found):
    scored = [(0.9, "The leak."), (0.22, "The paint of the kitchen."), (0.05, "Tabs.")]

    assert floor("paint the kitchen?", *scored, found=found) >= 0.3
    assert floor("paint the kitchen?", *scored, found=found, seen=1) is None


def test_asking_twice_brings_nothing_the_second_time(told):
    prompt = event("UserPromptSubmit", prompt="Who mended the leak in the kitchen?")

    assert "mended by a plumber" in told("hook", stdin=prompt).out
    assert "" == told("hook", stdin=prompt).out


GENERATED = "Never edit files under models/generated, they are overwritten."


@pytest.mark.parametrize(
    ("prompt", "others"),
    [
        ("add a column to models/generated/orders.sql", [(0.12, "Something else.")]),
        ("regenerate ./models/generated/", [(0.12, "Something else.")]),
        ("drop the generated files of last week", []),
    ],
)
def test_a_memory_of_the_same_path_or_far_ahead_is_shown_though_unsure(prompt, others):
    shown = floor(prompt, (0.3, GENERATED), *others, (0.05, "Tabs."), found=False)

    assert 0.3 == shown


@pytest.mark.parametrize(
    ("prompt", "scored"),
    [
        ("add a column to models/marts/orders.sql", [(0.17, GENERATED), (0.12, "Else.")]),
        ("implement the approval of large refunds", [(0.21, "I prefer small commits.")]),
        ("write the report", [(0.3, "Reports go out on Monday."), (0.2, "Tabs.")]),
    ],
)
def test_nothing_is_shown_where_recall_is_unsure_and_nothing_stands_out(prompt, scored):
    assert floor(prompt, *scored, (0.02, "Tabs."), found=False) is None


@pytest.mark.parametrize(
    ("prompt", "names"),
    [
        ("add an htmx swap to the order page", ["htmx"]),
        ("bump polars to 1.9 and run pytest", ["polars", "pytest"]),
        ("the BigQuery job fails, see jobs/nightly.py and @types/node", ["BigQuery"]),
        ("could somebody rewrite everything, please", []),
        ("Füge einen Knopf im Kopfbereich hinzu", []),
        ("write the report faster", []),
    ],
)
def test_names_in_a_prompt_are_words_of_no_dictionary(prompt, names):
    assert names == names_in(prompt)


def test_memories_found_by_a_name_alone_have_the_name():
    hits = [
        SimpleNamespace(score=score, episode=SimpleNamespace(text=text), id=text)
        for score, text in ((0.6, "Pages swap with HTMX."), (0.4, "Tabs."), (0.3, "No htmx here."))
    ]

    def least(items, *, found=True):
        recall = SimpleNamespace(found=found, hits=items)
        return floor_of_names(["htmx"], SimpleNamespace(items=items, recall=recall))

    assert 0.3 == least(hits)
    assert 0.6 == least(hits[:2])
    assert (least(hits[1:2]), least(hits, found=False)) == (None, None)


def test_a_prompt_that_names_a_library_brings_what_was_remembered_of_it(shell):
    for text in ("We use Dramatiq for jobs, not Celery.", "Money is stored in cents."):
        shell("remember", text, "--role", "user")

    prompt = "refactor the retry helper so that dramatiq stops at the third attempt"
    answer = shell("hook", stdin=event("UserPromptSubmit", prompt=prompt))

    assert "We use Dramatiq for jobs" in answer.out
    assert "cents" not in answer.out


def test_what_is_brought_back_keeps_to_the_budget(told):
    from hippocampus.encode.tokens import count

    answer = told(
        "hook", "--budget", "45",
        stdin=event("UserPromptSubmit", prompt="the leak in the kitchen, Lisbon, tomatoes"),
    )  # fmt: skip

    assert 0 < count(answer.out) <= 45


@pytest.mark.parametrize("asked", ["Who mended the leak in the kitchen?\n{}", "{}\nWho mended it?"])
def test_a_log_that_was_pasted_into_a_prompt_holds_nobody_up(told, asked):
    line = "2026-01-01 10:00:00 ERROR worker-17 failed to open /srv/models/orders.sql (code 13)\n"
    prompt = asked.format(line * 20_000) + " We decided to use Postgres."
    told("hook", stdin=event("UserPromptSubmit", prompt="Where is the roof of it?"))
    begun = process_time()
    answer = told("hook", stdin=event("UserPromptSubmit", prompt=prompt))

    assert 0 == answer.code
    assert process_time() - begun < 6


def test_an_error_in_one_endless_line_is_noted_at_once(shell):
    shell("hook", stdin=event("PostToolUseFailure", error="error: no disk"))
    said = "error: no module psycopg_pool, " + '{"path": "/srv/app/x.js"} ' * 80_000
    begun = process_time()
    assert 0 == shell("hook", stdin=event("PostToolUseFailure", error=said)).code

    assert process_time() - begun < 2
    (log,) = shell.store.parent.glob("state/hippocampus/sessions/*")
    assert "no module psycopg_pool" in log.read_text().splitlines()[-1]


def test_what_an_agent_found_out_is_kept_in_its_session(shell):
    answer = shell(
        "hook", stdin=event("Stop", last_assistant_message=f"Done. {FOUND} Anything else?")
    )

    assert (0, "") == (answer.code, answer.out)
    assert [(FOUND, "assistant", "s9")] == kept(shell)


@pytest.mark.parametrize("text", ["ok", "Thanks!", "go on", "3"])
def test_what_only_keeps_the_talk_going_is_neither_looked_for_nor_kept(told, text):
    before = kept(told)
    for stdin in (
        event("UserPromptSubmit", prompt=text),
        event("Stop", last_assistant_message=text),
    ):
        answer = told("hook", stdin=stdin)
        assert (0, "", "") == (answer.code, answer.out, answer.err)
    assert kept(told) == before


@pytest.mark.parametrize(
    "stdin",
    [event("PreToolUse", prompt="x"), event("Stop"), event("UserPromptSubmit", prompt=" "), "{}"],
)
def test_other_events_and_empty_ones_pass(shell, stdin):
    answer = shell("hook", stdin=stdin)

    assert (0, "", "") == (answer.code, answer.out, answer.err)


@pytest.mark.parametrize(
    ("stdin", "options", "named"),
    [
        (b"\xff", (), "JSON"),
        (b"", (), "JSON"),
        (b"[]", (), "object, not list"),
        (event("Stop", last_assistant_message=FOUND), ("--store", "/dev/null/x"), "/dev/null/x"),
        (event("Stop", last_assistant_message=FOUND), ("--bank", " "), "bank"),
        (event("UserPromptSubmit", prompt="Porto \ud800"), (), "U+D800"),
        (event("UserPromptSubmit", prompt="x"), ("--nope",), "--nope"),
        (event("UserPromptSubmit", prompt="x"), ("--budget", "much"), "integer"),
    ],
)
def test_nothing_that_goes_wrong_is_a_veto(shell, stdin, options, named):
    answer = shell("hook", *options, stdin=stdin)

    assert (1, "") == (answer.code, answer.out)
    assert named in answer.err


def test_after_a_compaction_a_session_begins_with_what_mattered_beside_the_profile(told):
    assert "" == told("hook", stdin=event("SessionStart", source="startup")).out
    told("profile", "--persona", "You are a patient builder.")
    told("remember", "We decided to slate the roof.", "--session", "s9")

    begun = told("hook", stdin=event("SessionStart", source="startup"))
    resumed = told("hook", stdin=event("SessionStart", source="compact"))
    asked = told("hook", stdin=event("UserPromptSubmit", prompt="Who mended the leak?"))

    assert begun.out.startswith("<persona ")
    assert "patient builder" in begun.out
    assert "slate the roof" not in begun.out
    assert resumed.out.startswith(begun.out.rstrip())
    assert "We decided to slate the roof." in resumed.out
    assert "patient builder" not in asked.out, "it was told at the beginning"


@pytest.mark.parametrize(
    ("args", "read"),
    [
        ([], ("me", "default", 1500, None)),
        (["--bank", "work", "--budget", "80"], ("work", "default", 80, None)),
        (
            ["--bank=work", "--bank=home", "--at=2024-05-01"],
            ("home", "default", 1500, "2024-05-01"),
        ),
        (["--embedder", "none", "--budget-tokens=7"], ("me", "none", 7, None)),
    ],
)
def test_plain_options_are_read_as_typer_reads_them(monkeypatch, args, read):
    seen = []
    monkeypatch.setattr(hook, "answer", lambda call: seen.append(call) or True)
    for variable in ("BANK", "EMBEDDER", "TIMEZONE", "STORE"):
        monkeypatch.delenv(f"HIPPOCAMPUS_{variable}", raising=False)
    invoke("hook", *args)
    call = read_call(args)

    assert [call] == seen
    assert read == (call.scope.bank, call.scope.embedder, call.budget_tokens, call.at)


def test_variables_stand_for_options_that_are_not_given(monkeypatch):
    monkeypatch.setenv("HIPPOCAMPUS_BANK", "work")
    monkeypatch.setenv("HIPPOCAMPUS_STORE", "")

    assert ("work", None) == (read_call([]).scope.bank, read_call([]).scope.store)
    assert "home" == read_call(["--bank", "home"]).scope.bank


@pytest.mark.parametrize(
    "args",
    [["--help"], ["--budget", "many"], ["--budget"], ["--bank=", "x"], ["--key", "file:k"], ["x"],
     ["--bank", "--store"], ["--hide-secrets"]],
)  # fmt: skip
def test_other_options_are_left_to_typer(args):
    assert read_call(args) is None


def test_an_event_is_answered_without_typer(shell):
    code = """
import sys
from hippocampus.cli import main
try:
    main()
finally:
    print(sorted({"typer", "rich", "pydantic"} & set(sys.modules)), file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, "hook"], env={**os.environ, **shell.env}, text=True,
        input=event("Stop", last_assistant_message="ok"), capture_output=True, check=False,
    )  # fmt: skip

    assert (0, "[]\n") == (done.returncode, done.stderr)
