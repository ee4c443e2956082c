"""What ``docs/signatures.md`` tables is what the committed reports hold."""

import json

from docs_blocks import ROOT

from hippocampus_bench import sensitivity

PAGE = (ROOT / "docs" / "signatures.md").read_text(encoding="utf-8")
RESULTS = ROOT / "evaluation" / "results"


def test_the_tables_are_those_of_the_committed_report():
    words, *tables = sensitivity.tables(json.loads((RESULTS / "dwm-signatures.json").read_text()))

    assert words in PAGE
    for made in tables:
        assert made.partition("\n\n")[2] in PAGE


def test_what_the_cue_adds_is_what_was_measured():
    for name, recall, rest in (
        ("locomo", "evidence_recall", "tokens+vector+lexical+time"),
        ("longmemeval", "turn_recall", "tokens+vector+lexical+time"),
    ):
        made = json.loads((RESULTS / f"{name}-signatures.json").read_text())
        without = made["baselines"][rest]
        for measure in (f"{recall}@5", f"{recall}@10", "mrr"):
            figures = [
                f"{100 * of[measure]['value']:.1f}" for of in (without["metrics"], made["metrics"])
            ]
            ahead = without["difference"][measure]
            value, low, high = (f"{100 * ahead[part]:+.1f}" for part in ("value", "low", "high"))
            assert f"| {' | '.join(figures)} | {value} ({low} … {high}) |" in PAGE
