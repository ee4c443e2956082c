"""The word files: each says what it is for, has no entry twice, and is read only when asked for."""

import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

import hippocampus
from hippocampus.core.word_lists import Patterns, pattern_list, word_list, word_set
from hippocampus.language.time.lexicon import BY_HAND

FOLDER = files("hippocampus.core") / "words"
NAMES = sorted(path.name[:-4] for path in FOLDER.iterdir() if path.name.endswith(".txt"))
PATTERNS = files("hippocampus.core") / "patterns"
PATTERN_NAMES = sorted(path.name[:-4] for path in PATTERNS.iterdir())
CODE = "".join(path.read_text("utf-8") for path in Path(hippocampus.__file__).parent.rglob("*.py"))
EXPRESSIONS = "".join((PATTERNS / f"{name}.txt").read_text("utf-8") for name in PATTERN_NAMES)
ORIGIN = re.compile(r"# .{20,}\. .*(?<! English)\.$")
"""A line that says what a file is for and, last, where it is from: its language is no origin."""


@pytest.mark.parametrize("name", NAMES)
def test_a_file_has_no_entry_twice_below_the_line_that_says_what_it_is_for(name):
    first, *_ = (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()

    assert ORIGIN.match(first)
    assert word_list(name)
    assert len(set(word_list(name))) == len(word_list(name))
    assert all(entry == entry.strip() for entry in word_list(name))
    assert set(word_list(name)) == word_set(name)


@pytest.mark.parametrize("name", [f"times/{one}" for one in (*BY_HAND, "common")])
def test_a_file_of_times_has_english_words_for_each_entry_below_its_purpose(name):
    first, *_ = (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()

    assert ORIGIN.match(first)
    assert all(entry.count(" | ") == (2 if "common" in name else 1) for entry in word_list(name))
    assert len(set(word_list(name))) == len(word_list(name))


def test_every_file_is_read_by_the_code_or_an_expression():
    read = re.sub(r"['{}]", '"', CODE + EXPRESSIONS)

    assert [] == [name for name in (*NAMES, *PATTERN_NAMES) if f'"{name}"' not in read]


@pytest.mark.parametrize("name", PATTERN_NAMES)
def test_a_file_that_says_what_it_is_for_has_only_valid_expressions_in_use(name):
    text = (PATTERNS / f"{name}.txt").read_text("utf-8")
    for key, expression in pattern_list(name):
        re.compile(expression)
        read = f".{key}" in CODE or f'"{key}": (' in CODE or f"{{{key}}}" in text
        assert len(key.split()) > 1 or read, key

    assert ORIGIN.match(text.partition("\n")[0])
    assert not [line for line in text.splitlines() if line != line.rstrip()], "it would be lost"


@pytest.mark.parametrize("name", PATTERN_NAMES)
def test_no_two_expressions_of_a_file_have_one_name(name):
    keys = [key for key, _ in pattern_list(name)]

    assert [] == [key for key in set(keys) if keys.count(key) > 1]


def test_an_expression_may_hold_another_and_a_list():
    assert Patterns("time").difference.search("how many weeks passed between them?")
    assert Patterns("time").units.pattern.startswith("(?:second|minute|")
    with pytest.raises(AttributeError, match=r"no expression 'weather' in patterns/time\.txt"):
        _ = Patterns("time").weather


def test_order_is_kept_where_it_means_something():
    assert ("january", "february", "march") == word_list("months")[:3]
    assert "monday" == word_list("weekdays")[0]
    assert 12 == word_list("numbers").index("thirteen")


@pytest.mark.slow
def test_importing_reads_no_list():
    script = """
import sys
opened = []
sys.addaudithook(lambda event, given: opened.append(str(given[0])) if event == "open" else None)
import hippocampus
for name in hippocampus.__all__:
    getattr(hippocampus, name)
print([path for path in opened if path.endswith((".txt", ".toml"))])
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert "[]" == done.stdout.strip()
