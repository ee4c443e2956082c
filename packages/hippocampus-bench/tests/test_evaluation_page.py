"""What ``docs/evaluation.md`` tables is what the committed report says."""

import json

import pytest
from docs_blocks import ROOT

from hippocampus.core.cue_names import USED
from hippocampus_bench import corf, dialogue, events, swift
from hippocampus_bench.report import RECALLS, cue_table

PAGE = (ROOT / "docs" / "evaluation.md").read_text(encoding="utf-8")


def test_the_tables_are_those_of_the_committed_report():
    made = json.loads((ROOT / "evaluation" / "results" / "corf.json").read_text())

    for table in corf.tables(made):
        assert table in PAGE


def committed(name):
    return json.loads((ROOT / "evaluation" / "results" / f"{name}.json").read_text())


@pytest.mark.parametrize("name", ["dialogue", "dialogue-long"])
def test_the_tables_of_dialogues_are_those_of_the_committed_reports(name):
    made = committed(name)

    assert dialogue.tables(made)[-1] in PAGE, "of a long one, the table of policies"


@pytest.mark.parametrize("name", ["topics-locomo", "topics-longmemeval"])
def test_the_tables_of_topics_and_time_are_those_of_the_committed_reports(name):
    for table in swift.tables(committed(name)):
        assert table in PAGE


def test_the_tables_of_what_is_kept_are_those_of_the_committed_report():
    for table in events.tables(committed("events")):
        assert table in PAGE


def test_what_is_kept_is_as_much_as_was_aimed_at():
    made = committed("events")
    proven = made["baselines"].get("proven first", made["metrics"])

    assert made["settings"]["events"] == 120_000
    assert proven["retention_precision"]["value"] >= 0.98
    assert proven["recall_of_bound"]["value"] >= 0.95
    assert made["metrics"]["store_reduction"]["value"] >= 0.6
    sizes = [row["after"] for row in made["rows"]]
    assert len({*sizes[-6:]}) == 1 == len({*sizes[-6:]} & {made["settings"]["target"]})


@pytest.mark.parametrize("name", ["locomo-cues", "longmemeval-cues"])
def test_the_tables_of_cues_are_those_of_the_committed_reports(name):
    assert cue_table(committed(name)) in PAGE


def test_no_cue_ranks_by_default_that_lowers_what_is_found():
    for name in ("locomo-cues", "longmemeval-cues"):
        made = committed(name)
        measure = next(one for one in RECALLS if one in made["metrics"])
        for cue in set(USED) & set(made["settings"]["cues"]):
            ahead = made["baselines"][f"without {cue}"]["difference"][measure]
            assert ahead["high"] >= 0, (name, cue)
