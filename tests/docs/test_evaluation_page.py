"""What ``docs/evaluation.md`` tables is what the committed report says."""

import json

from docs_blocks import ROOT

from hippocampus.evaluation import corf

PAGE = (ROOT / "docs" / "evaluation.md").read_text(encoding="utf-8")


def test_the_tables_are_those_of_the_committed_report():
    made = json.loads((ROOT / "evaluation" / "results" / "corf.json").read_text())

    for table in corf.tables(made):
        assert table in PAGE
