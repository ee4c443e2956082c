"""What a memory says cannot steer the terminal, and looks like itself everywhere else."""

import io
import json
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from hippocampus.cli import render

NASTY = "\x1b[31m[bold red]not red[/bold red]\x07 :smile: \x9b2J \u202egnp.exe\u202c [/]"


def plain(renderable, width=100):
    out = io.StringIO()
    Console(file=out, width=width, markup=False, emoji=False, highlight=False).print(renderable)
    return out.getvalue()


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_cleaning_a_text_of_control_characters_keeps_its_length(text):
    cleaned = render.clean(text)

    assert len(text) == len(cleaned)
    assert all(c in "\n\t" or not (ord(c) < 32 or 127 <= ord(c) < 160) for c in cleaned)


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(1, 60))
def test_an_excerpt_is_a_piece_of_the_line_within_the_limit(text, limit):
    line = render.one_line(text)
    shown = render.marked(text, text[:9], limit=limit).plain

    assert len(shown) <= limit + 2
    assert shown == line or shown.removeprefix("…").removesuffix("…") in line


def test_an_excerpt_shows_the_stretch_that_answers():
    text = "word " * 100 + "the plumber mended the leak " + "word " * 100

    assert "plumber mended the leak" in render.marked(text, "who mended the leaks?", limit=80).plain


def test_the_questions_words_are_marked_in_any_inflection():
    shown = render.marked("She was moving houses, and the cat moved too.", "did the house move?")

    assert [shown.plain[s.start : s.end] for s in shown.spans] == ["moving", "houses", "moved"]


@pytest.mark.parametrize("command", [["recall", "red smile"], ["episodes"], ["show"], ["context"]])
def test_nasty_text_is_shown_not_obeyed(shell, command):
    kept = shell("remember", NASTY, "--speaker", "[blink]Eve\x1b[2J", "--session", "[/x]", "--json")
    what = {"show": [kept.json["id"]], "context": ["red"]}.get(command[0], [])
    shown = shell(*command, *what, env={"COLUMNS": "200"})

    assert "[bold red]not red[/bold red]" in shown.out
    assert ":smile:" in shown.out
    if command[0] != "context":  # into a pipe a context goes as it is
        assert not set("\x1b\x07\x9b\u202e") & set(shown.out)
        assert "[blink]Eve" in shown.out


def test_json_gives_the_text_exactly_without_raw_control_characters(shell):
    kept = shell("remember", NASTY, "--json")

    assert kept.json["text"] == NASTY
    assert not set("\x1b\x07\x9b\u202e") & set(kept.out)


def test_json_gives_what_nothing_draws_as_escapes_that_are_read_back(shell):
    unseen = "DEL \x7f, no width \ufeff, tags \U000e0041\U000e007f"
    kept = shell("remember", unseen, "--json")

    assert unseen == kept.json["text"]
    assert not set("\x7f\ufeff\U000e0041\U000e007f") & set(kept.out)


def test_an_error_cannot_steer_the_terminal_either(told):
    assert "\x1b" not in told("show", "\x1b[2Jno-such-id").err


@dataclass
class Inner:
    at: datetime
    pair: tuple[int, ...]


def test_records_become_json_all_the_way_down():
    made = render.as_json({"x": [Inner(datetime(2024, 1, 2, tzinfo=UTC), (1, 2))]})

    assert json.loads(json.dumps(made)) == {
        "x": [{"at": "2024-01-02T00:00:00+00:00", "pair": [1, 2]}]
    }


def test_a_table_fits_the_terminal(told):
    for width in ("60", "80", "100"):
        shown = told("recall", "who mended the leak in the kitchen?", env={"COLUMNS": width}).out

        assert max(map(len, shown.splitlines())) <= int(width)


@given(st.floats(0, 1))
def test_a_bar_is_as_wide_as_its_column(share):
    assert len(render._bar(share)) == 4
