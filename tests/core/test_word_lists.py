"""The word files: each says what it is for, has no entry twice, and is read only when asked for."""

import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

import hippocampus
from hippocampus.core.word_lists import word_list, word_set

FOLDER = files("hippocampus.core") / "words"
NAMES = sorted(path.name[:-4] for path in FOLDER.iterdir() if path.name.endswith(".txt"))


@pytest.mark.parametrize("name", NAMES)
def test_a_file_says_first_what_it_is_for_and_has_one_entry_a_line_none_twice(name):
    first, *_ = (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()

    assert re.match(r"# .{20,}\. .*\.$|# .*\. English\.$", first)
    assert word_list(name)
    assert len(set(word_list(name))) == len(word_list(name))
    assert all(entry == entry.strip() for entry in word_list(name))
    assert set(word_list(name)) == word_set(name)


def test_every_file_is_read_by_the_code():
    code = "".join(
        path.read_text("utf-8") for path in Path(hippocampus.__file__).parent.rglob("*.py")
    )

    assert [] == [name for name in NAMES if f'"{name}"' not in code and f"'{name}'" not in code]


def test_order_is_kept_where_it_means_something():
    assert ("january", "february", "march") == word_list("months")[:3]
    assert "monday" == word_list("weekdays")[0]
    assert 12 == word_list("numbers").index("thirteen")


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
