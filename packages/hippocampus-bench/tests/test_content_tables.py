"""What ``docs/content.md`` tables is what the committed reports hold."""

import json

import pytest
from docs_blocks import ROOT

from hippocampus_bench import dwm

PAGE = (ROOT / "docs" / "content.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("report", "which"), [("dwm", (0, 1, 2, 3)), ("dwm-locomo", (1, 3))])
def test_the_tables_are_those_of_the_committed_reports(report, which):
    made = json.loads((ROOT / "evaluation" / "results" / f"{report}.json").read_text())
    tables = dwm.tables(made)

    for place in which:
        assert tables[place] in PAGE
