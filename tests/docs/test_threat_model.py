"""The threat model names tests that there are."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "threat-model.md").read_text("utf-8")


def test_every_defence_is_held_by_a_test_that_there_is():
    table = PAGE.partition("## What is defended")[2].partition("## What is not")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    known = {file.stem for file in (ROOT / "tests").rglob("test_*.py")}
    for row in rows:
        named = set(re.findall(r"`(test_\w+)`", row))
        assert named or "`make " in row, row
        assert named <= known, named - known
