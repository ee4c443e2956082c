"""The gate for secrets, measured on made-up ones in words that its rules were not written for."""

import json

from hippocampus_bench.secrets import main, measure


def test_the_third_wording_is_found_without_flagging_ordinary_sentences():
    found = measure()["third"]
    assert found["recall"][0] >= 0.95
    assert found["false_positives"][0] <= 0.005


def test_a_report_is_written(tmp_path):
    main(["--report", str(tmp_path / "secrets.json")], show=lambda _: None)
    report = json.loads((tmp_path / "secrets.json").read_text("utf-8"))
    assert {"commit", "seeds", "first", "second", "third"} == set(report)
