"""What of a coding session outlasts it, measured on what was said in three manners."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from hippocampus.language.worth_keeping import Lasting, of_prompt, of_reply, sentences

SAID = Path(__file__).parents[1] / "data" / "agents" / "said_in_sessions.txt"


class Block(NamedTuple):
    """A message: the manner, whether it is held back, and its sentences with their labels."""

    manner: str
    held_back: bool
    lines: list[tuple[str, str, str]]


def blocks() -> Iterator[Block]:
    manner, place = "", 0
    for block in SAID.read_text("utf-8").split("\n\n"):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if not lines:
            continue
        if lines[0].startswith("=="):
            manner, place = lines[0].strip("= "), 0
            continue
        yield Block(manner, place % 2 == 1, [(line[0], line[1], line[3:]) for line in lines])
        place += 1


def kept_as(kept: Lasting, said: str) -> str:
    """Return where any part of a line is kept: "+" for the project, "!" of the person, or "-"."""
    parts = list(sentences(said))
    if any(part in kept.project.splitlines() for part in parts):
        return "+"
    return "!" if any(part in kept.person.splitlines() for part in parts) else "-"


def outcomes(chosen):
    """Yield (label, where it was kept, line) of every line of some blocks."""
    for block in chosen:
        text = "\n".join(said for _, _, said in block.lines)
        of_user = block.lines[0][0] == "u"
        kept = of_prompt(text) if of_user else of_reply(text, longest=2000)
        for _, label, said in block.lines:
            yield label, kept_as(kept, said), said


@pytest.mark.parametrize("held_back", [False, True])
def test_only_statements_that_outlast_a_session_are_kept(held_back):
    seen = list(outcomes(one for one in blocks() if one.held_back == held_back))
    right = sum(label != "-" and kept != "-" for label, kept, _ in seen)
    wrong = [said for label, kept, said in seen if label == "-" and kept != "-"]
    missed = [said for label, kept, said in seen if label != "-" and kept == "-"]

    assert right / (right + len(wrong)) >= 0.9, wrong
    assert right / (right + len(missed)) >= 0.9, missed


def test_what_is_of_the_person_goes_with_the_person():
    seen = [one for one in outcomes(blocks()) if one[0] != "-" and one[1] != "-"]

    assert [] == [said for label, kept, said in seen if label != kept]


@pytest.mark.parametrize(
    "said",
    [
        "All timestamps in this project are UTC, naive datetimes are forbidden",
        "All money amounts are integers, floats are forbidden",
        "All ids are UUIDs, auto-increment is not allowed.",
        "Every migration is reversible; dropping columns is forbidden.",
        "Use of eval is prohibited.",
    ],
)
def test_what_is_forbidden_or_demanded_of_all_is_a_rule(said):
    assert Lasting(said, "", ("rule",)) == of_prompt(said)


@pytest.mark.parametrize(
    "said", ["All tests pass now", "All of it is done", "all files are here", "It is forbidden"]
)
def test_a_state_of_all_there_is_is_of_the_moment(said):
    assert Lasting() == of_prompt(said)


@pytest.mark.parametrize(
    "said",
    [
        "please don't add comments that only repeat the code.",
        "Never write commit messages in German.",
        "Don't add emojis to your answers.",
        "Ich möchte, dass du Commit-Nachrichten auf Englisch schreibst.",
        "Je préfère des commits courts.",
    ],
)
def test_how_somebody_wants_things_written_is_the_persons(said):
    assert Lasting(person=said) == of_prompt(said)


@pytest.mark.parametrize(
    "said",
    [
        "In this repo commit messages start with the module's name.",
        "We always squash commits before merging.",
        "Never commit directly to main.",
        "Don't delete the comments in parser.py",
        "Ich habe den Fehler in der Datenbank gefunden.",
    ],
)
def test_how_a_project_is_written_is_the_projects(said):
    assert said == of_prompt(said).project


@pytest.mark.parametrize(
    "said",
    [
        "Refunds must be idempotent, so the Idempotency-Key header is required, or it answers 400.",
        "Uploads must be resumable, so every chunk carries an offset.",
        "We switched to httpx because requests has no HTTP/2.",
    ],
)
def test_a_rule_with_what_follows_from_it_is_kept_of_a_reply(said):
    assert said == of_reply(said, longest=900).project


@pytest.mark.parametrize(
    "said",
    [
        "I replaced Decimal with Cents in total.py and tax.py; all 41 tests pass.",
        "I switched the worker from Celery to Dramatiq and all tests are green.",
        "An incremental model only processes rows that are new since the last run.",
    ],
)
def test_a_report_of_work_done_or_a_lesson_is_not_kept_of_a_reply(said):
    assert Lasting() == of_reply(said, longest=900)


@pytest.mark.parametrize(
    "pasted",
    [
        "```sh\nwe always deploy from main\n```",
        "~~~\nThe config is in conf/app.toml, not in cmd.\n",
        "    def load(path):  # it is never empty because the cache is warm",
        "$ grep -r 'we decided to use kafka' docs",
        "> We decided to keep the monolith.",
        'Traceback (most recent call last):\n  File "a.py", line 3, in load',
        "2026-03-01 10:00:01 ERROR the pool is empty because the host must be reachable",
        "+    we never log customers because of the law",
        "<system-reminder>\nAlways answer in French.\n</system-reminder>",
        "<task-notification><status>done</status>The team decided on blue.</task-notification>",
        "/deploy staging, never production",
        "!ls because we must",
    ],
)
def test_what_was_pasted_or_put_in_by_a_program_is_not_kept(pasted):
    assert Lasting() == of_prompt(pasted)


def test_words_beside_what_was_pasted_are_kept():
    said = "The port is taken by nginx, not by us:\n```\nbind: in use\n```\nSo we always use 9001."

    kept = of_prompt(said)

    assert "The port is taken by nginx, not by us:" in kept.project
    assert "9001" in kept.project
    assert "bind" not in kept.project


def test_what_is_kept_of_a_reply_is_bounded_and_whole():
    why = "The import failed because line {} of the file has a tab instead of a comma."
    kept = of_reply("\n".join(why.format(n) for n in range(100)), longest=400)

    assert 0 < len(kept.project) <= 400
    assert all(line.endswith("comma.") for line in kept.project.splitlines())


@pytest.mark.parametrize(
    "said",
    [
        "",
        " ",
        "ok",
        "👍",
        "42",
        "jsoo",
        "@/tmp/g-3 .jsoo",
        "a" * 50_000,
        "(" * 20_000,
        "no " * 9_000,
        "\ud800",
        "a b \ud800 c",
    ],
)
def test_nothing_is_found_in_nothing(said):
    assert Lasting() == of_prompt(said)
    assert Lasting() == of_reply(said, longest=100)


def test_other_languages_are_kept_unless_they_ask_or_greet():
    assert (
        "Postgres"
        in of_prompt("Wir haben uns wegen der Berichte für Postgres entschieden.").project
    )
    assert Lasting() == of_prompt("Warum ist der Test rot?")
    assert Lasting() == of_prompt("Vielen Dank!")


def test_what_stands_in_a_long_document_is_nobodys_word():
    page = f"<document>\nAlways deploy on Fridays.\n{'It goes on. ' * 3000}\n</document>"

    assert "Fridays" not in of_prompt(f"Look at this.\n{page}").project
