"""No command of the documentation fails when its page is pasted in order."""

import contextlib
import re
import shlex
from functools import cache

import pytest
import typer
import typer.main
from docs_blocks import PAGES, ROOT
from pasting import BLOCKS, LINES, commands, paste_page, pasted, shell, shell_blocks
from pretended_pip import problem

from hippocampus.cli.commands import app
from hippocampus.encode.model_files import installed

PASTED = [page for page in PAGES if any(pasted(block) for block in shell_blocks(page))]


def name(page):
    return page.relative_to(ROOT).as_posix()


@pytest.mark.slow
@pytest.mark.parametrize("page", PASTED, ids=name)
def test_no_command_of_a_page_fails_when_pasted_in_order(page, tmp_path, monkeypatch):
    if installed() is None:
        pytest.skip("the default model is not installed; 'make model' installs it")
    monkeypatch.chdir(tmp_path)

    paste_page(page, tmp_path)


def test_no_pasted_command_has_a_place_to_fill_in():
    holes = [
        f"{name(page)}:{block.line}: {line}"
        for page in PASTED
        for block in shell_blocks(page)
        for line in pasted(block)
        if re.search(r"…|<[a-z][\w -]*>", line.partition(" #")[0])
    ]

    assert holes == []


def test_a_command_that_fails_is_told_with_what_it_said(tmp_path):
    with shell(tmp_path) as paste:
        assert paste("word=one\n").strip() == ""
        assert paste('echo "$word"; false || true\n').strip() == "one"
        with pytest.raises(AssertionError, match=r"cat nothing-there\n(.|\n)*No such file"):
            paste("cat nothing-there\necho on\n")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["install", "hippocampus-memory[server,postgres]"], ""),
        (["install", "."], ""),
        (["install", "hippocampus-bench"], ""),
        (["install", "hippocampus"], "is no distribution of ours"),
        (["install", "hippocampus-memory[rockets]"], "there is no extra rockets"),
    ],
)
def test_what_is_installed_is_ours_with_the_extra_that_is_named(words, told):
    assert told in problem(words)
    assert bool(told) == bool(problem(words))


@pytest.mark.parametrize("pattern", [pattern for pattern, _ in (*BLOCKS, *LINES)])
def test_every_reason_to_leave_something_out_is_one_of_some_page(pattern):
    every = [one for page in PAGES for block in shell_blocks(page) for one in commands(block)]

    assert any(re.search(pattern, one) for one in every)


# ---------------------------------------------------------------- commands that are only spoken of

INLINE = re.compile(r"`(hippocampus [^`]+)`|^(?:\$ )?(hippocampus .*)$", re.MULTILINE)
HISTORY = {"adr", "changelog.d"}
"""Folders whose pages tell of how things were."""
NO_COMMAND = {"hippocampus store"}
"""What begins like a command and is none: the words that a tail is authenticated with."""


def spoken_of():
    """Yield page and words of every command in a page's text or blocks, run or not."""
    for page in PAGES:
        if page.parent.name in HISTORY or page.name == "CHANGELOG.md":
            continue
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        for found in INLINE.finditer(text):
            line = re.split(r"\s#|[|<>;&()]", found[1] or found[2])[0]
            if line.strip() in NO_COMMAND:
                continue
            with contextlib.suppress(ValueError):  # a quote that is cut off, with what is quoted
                yield name(page), shlex.split(line.replace("\n", " "))[1:]


@cache
def command_line():
    return typer.main.get_command(app)


def unknown(words):
    """Return the first word that the command line does not know where it stands."""
    command, words = command_line(), list(words)
    while hasattr(command, "list_commands") and words and not words[0].startswith("-"):
        below = command.get_command(typer.Context(command), words[0])
        if below is None:
            return "" if words[0].isupper() or not words[0].isidentifier() else words[0]
        command, words = below, words[1:]
    known = {one for option in command.params for one in (*option.opts, *option.secondary_opts)}
    known |= {"--help", "-h", "--version"}
    return next(
        (word for word in words if word.startswith("--") and word.split("=")[0] not in known), ""
    )


def test_every_command_that_a_page_names_exists_with_its_options():
    wrong = [
        f"{page}: hippocampus {' '.join(words)}: {word}"
        for page, words in spoken_of()
        if (word := unknown(words))
    ]

    assert wrong == []


NEEDED_EXTRAS = {"serve": "server", "ui": "server", "proxy": "proxy", "mcp": "mcp"}


def test_a_page_that_installs_installs_what_its_commands_need():
    short = []
    for page in PAGES:
        lines = [line for block in shell_blocks(page) for line in commands(block)]
        text = "\n".join(lines)
        brought = ",".join(re.findall(r"pip install .*\[(.*?)\]", text)).split(",")
        called = set(re.findall(r"^hippocampus (\w+)", text, re.MULTILINE))
        if any("pip install" in line for line in lines):
            short += [
                f"{name(page)}: {command} needs [{extra}]"
                for command, extra in NEEDED_EXTRAS.items()
                if command in called and extra not in brought
            ]

    assert short == []
