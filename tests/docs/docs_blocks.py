"""Finds the code blocks of a Markdown file and runs them as a reader would, from the top."""

import contextlib
import doctest
import re
import shlex
from pathlib import Path
from typing import NamedTuple

from in_process import invoke

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "changelog.d").glob("*.md"),
        *(ROOT / "packages").glob("*/*.md"),
    ]
)

_BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_TIME = re.compile(r"\d+(?:\.\d+)? ms")
_SCORE = re.compile(r"\b[01]\.\d\d\b")
_TOLERANCE = 0.1


class Block(NamedTuple):
    language: str
    code: str
    line: int


def blocks(page):
    text = page.read_text(encoding="utf-8")
    return [
        Block(found[1], found[2], text.count("\n", 0, found.start()) + 1)
        for found in _BLOCK.finditer(text)
    ]


class Checker(doctest.OutputChecker):
    """Lets durations be any, and scores differ a little: processors round differently."""

    def check_output(self, want, got, flags):
        scores = [[float(number) for number in _SCORE.findall(text)] for text in (want, got)]
        near = len(scores[0]) == len(scores[1]) and all(
            abs(a - b) <= _TOLERANCE for a, b in zip(*scores, strict=True)
        )
        want, got = (_SCORE.sub("0.00", _TIME.sub("0 ms", text)) for text in (want, got))
        return near and super().check_output(want, got, flags)


def run(page, folder):
    """Run a page's blocks in order, one namespace for all, in ``folder``."""
    names = {"__name__": "__main__"}
    for block in blocks(page):
        where = f"{page.relative_to(ROOT)}:{block.line}"
        run_python(page, block, names)
        if block.language == "console":
            console(block, folder, where)


def run_python(page, block, names):
    """Run a block of a page of ours, if it is Python; what it defines is in ``names``."""
    if block.language == "python":
        padded = "\n" * block.line + block.code  # so that a traceback names the page's line
        exec(compile(padded, str(page), "exec"), names)  # noqa: S102
    elif block.language == "pycon":
        transcript(block, names, f"{page.relative_to(ROOT)}:{block.line}")


def transcript(block, names, where):
    test = doctest.DocTestParser().get_doctest(block.code, names, where, where, block.line)
    said = []
    runner = doctest.DocTestRunner(Checker(), verbose=False, optionflags=doctest.ELLIPSIS)
    runner.run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    assert not runner.failures, "".join(said)


def console(block, folder, where):
    """Run the lines that call our command; output below one is what it must print."""
    command, expected = None, []
    for line in [*block.code.splitlines(), "$ "]:
        if not line.startswith("$ "):
            expected.append(line)
            continue
        if command and command.startswith("hippocampus "):
            printed = call(command, folder, where)
            want, got = ("\n".join(map(str.rstrip, x)) for x in (expected, printed.splitlines()))
            matches = Checker().check_output(f"{want}\n", f"{got}\n", doctest.ELLIPSIS)
            assert not expected or matches, f"{where}: {command}\n{printed}"
        command, expected = line.removeprefix("$ "), []


def call(command, folder, where):
    """Run a command in this process, as what it takes to start one is none of the page's."""
    environment = {
        "HIPPOCAMPUS_STORE": str(folder / "memory.db"),  # never the reader's own
        "COLUMNS": "100",
    }
    _, *words = shlex.split(command, comments=True)
    with contextlib.chdir(folder):
        done = invoke(*words, env=environment)
    assert done.exit_code == 0, f"{where}: {command}\n{done.output}{done.exception!r}"
    return done.stdout
