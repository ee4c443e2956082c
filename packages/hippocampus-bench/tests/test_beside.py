"""Wordings and seeds are run side by side, and what each gave is told beside their mean."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from hippocampus.cli import app
from hippocampus.errors import InputError
from hippocampus_bench import beside
from hippocampus_bench.metrics import Estimate


def measured(value):
    return {"mrr": Estimate(value, value, value, 1), "latency_p95_ms": Estimate(9, 9, 9, 1)}


def test_every_wording_is_run_from_every_seed_but_the_reports_own_run_again():
    asked = []

    def run(wording, seed):
        asked.append((wording, seed))
        return {"name": wording}, measured(seed / 10)

    compared = beside.Comparison(wordings=("tuned", "mine.toml"), seeds=2)
    rows = compared.beside(({"name": "tuned"}, measured(0.9)), 5, run)

    assert asked == [("tuned", 6), ("mine.toml", 5), ("mine.toml", 6)]
    assert [row["name"] for row in rows] == ["tuned", "mine.toml"]
    assert rows[0]["measures"] == {"mrr": {"mean": 0.75, "each": [0.9, 0.6]}}
    assert rows[1]["seeds"] == [5, 6]
    assert "| tuned | 2 | 0.750 (0.600 to 0.900) |" in beside.table(rows)
    assert [] == beside.Comparison().beside(({}, {}), 0, run)


def test_what_compares_nothing_is_refused():
    with pytest.raises(InputError, match="at least 1 of each"):
        beside.Comparison(seeds=0)
    with pytest.raises(InputError, match="one is there twice"):
        beside.Comparison(wordings=("tuned", "tuned"))


def test_the_command_sets_a_wording_that_it_wrote_out_beside_another(tmp_path):
    mine, report = tmp_path / "mine.toml", tmp_path / "report.json"
    made = CliRunner().invoke(app, ["bench", "passages", "--write-wording", str(mine)])
    assert 0 == made.exit_code, made.output
    mine.write_text(mine.read_text().replace('name = "tuned"', 'name = "mine"'))
    done = CliRunner().invoke(
        app,
        ["bench", "passages", "--size", "40", "--limit", "5", "--embedder", "none",
         "--no-baselines", "--wording", "second", "--wording", str(mine), "--report", str(report)],
    )  # fmt: skip

    assert 0 == done.exit_code, done.output
    found = json.loads(report.read_text())
    assert "second" == found["settings"]["wording"]["name"]
    assert ["second", "mine"] == [row["name"] for row in found["wordings"]]
    assert "| mine | 1 |" in done.stdout


@pytest.mark.parametrize(
    "given", [["corf", "--wording", "none.toml"], ["locomo", "--seeds", "3", "--data", "x.json"],
              ["events", "--data", "x.jsonl", "--wording", "second"], ["dwm", "--seeds", "2"],
              ["realmem", "--write-wording", "x.toml"]],
)  # fmt: skip
def test_a_wording_of_what_is_not_made_up_or_not_there_is_refused(given):
    done = CliRunner().invoke(app, ["bench", *given])

    assert done.exit_code not in (0, 1)
    assert "wording" in done.output or "--seeds" in done.output
