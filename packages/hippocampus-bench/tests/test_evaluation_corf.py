"""The ownership benchmark end to end on small lives, its measures by hand, and what it refuses."""

from __future__ import annotations

import json
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.errors import InputError
from hippocampus_bench import corf, life, metrics

SYSTEMS = {"none", "single-source", "all-sources", "multi-source", "words"}
CUES = ("tokens", "vector", "lexical", "time", "concept", "graph")


@pytest.fixture(scope="module")
def made():
    return corf.run(size=300, seed=1, embedder="hash", resamples=50)


def value(report, name):
    return report.metrics[name].value


def test_every_baseline_and_ablation_answers_the_same_questions(made):
    ablations = {f"without {cue}" for cue in CUES} | set(corf.ABLATIONS)
    asked = [receipt.question for receipt in made.receipts]

    assert SYSTEMS | ablations == set(made.baselines)
    assert len(asked) == len(life.live(300, seed=1).questions)
    for system in made.baselines.values():
        assert asked == [receipt.question for receipt in system.receipts]


def test_every_measure_is_there_for_every_system_and_mode(made):
    modes = {receipt.kind for receipt in made.receipts}
    for name, measures in {
        "hippocampus": made.metrics,
        **{name: system.metrics for name, system in made.baselines.items()},
    }.items():
        wanted = {"corf_recall@20", "source_coverage", "latency_p95_ms"}
        wanted |= set() if name == "none" else {"fpr@20", "injected", "injected_recall"}
        assert wanted <= measures.keys()
        assert {f"{one}/kind={mode}" for one in wanted for mode in modes} <= measures.keys()
        assert "corf_recall@20/fresh" in measures
        assert "corf_recall@20/two modes" in measures


def test_a_baseline_covers_only_the_share_of_sources_that_it_asks(made):
    none, single = made.baselines["none"].metrics, made.baselines["single-source"].metrics

    assert 0 == none["corf_recall@20"].value == none["source_coverage"].value
    assert "fpr" not in none
    assert 0.25 == single["source_coverage"].value
    assert 1 == value(made, "source_coverage")
    assert 0 == single["corf_recall@20/kind=source"].value


def test_recall_in_some_sources_is_never_above_the_share_of_targets_there(made):
    rows = made.extra["source_bound"]

    assert [*map(list, corf.SUBSETS), list(life.SOURCES)] == [row["sources"] for row in rows]
    assert all(row["recall"]["value"] <= row["bound"] + 1e-9 for row in rows)
    assert 1 == rows[-1]["bound"]
    assert value(made, "corf_recall@20") == rows[-1]["recall"]["value"]


def test_a_chunk_is_found_by_the_next_question_after_it_was_written(made):
    for system in (made, made.baselines["all-sources"], made.baselines["words"]):
        assert 0 < system.metrics["freshness_lag_s"].value < 60


def test_what_is_not_injected_is_no_false_positive():
    question = life.LifeQuestion(
        "q", "?", life._START, "pronoun", None, "a", frozenset("ab"), frozenset("a"), False
    )
    ranked = tuple(corf.RankedTurn(ref, None, 0.9) for ref in "axby")
    system = corf.SYSTEMS["all-sources"]

    def scored(injected):
        return corf.scores(
            question, corf._FoundSources(ranked, frozenset(injected), 0.1, 0.1), system
        )

    assert scored("ax") == {
        "corf_recall@20": 1.0, "source_coverage": 1.0, "injected": 2.0, "injected_recall": 1.0,
        "injected_any": 1.0,
        "fpr": 0.5, "fpr@20": 0.5, "off_matter@20": 0.75,
    }  # fmt: skip
    assert 1 == scored("xy")["fpr"]
    assert 0 == scored("xy")["injected_recall"]
    assert 0 == scored("")["injected_any"]
    assert "fpr" not in scored("")
    assert 0.5 == scored("")["fpr@20"]


def test_a_run_is_the_same_again_but_for_time(made):
    again = corf.run(size=300, seed=1, embedder="hash", resamples=50, systems=["words"])

    def found(report):
        return [[one.ref for one in receipt.ranked] for receipt in report.receipts]

    assert found(made) == found(again)
    assert ["words"] == list(again.baselines)


@pytest.mark.parametrize("size", [700, pytest.param(1500, marks=pytest.mark.slow)])
def test_words_alone_find_some_though_far_from_all(size):
    report = corf.run(size=size, embedder="none", systems=["words"], resamples=20)

    assert {"pronoun", "depth"} <= set(report.settings["modes"])
    # The paper's nearest neighbours found .76 of theirs.
    assert 0.2 < report.baselines["words"].metrics["corf_recall@20"].value < 0.76


@pytest.mark.slow
def test_vectors_alone_find_some_though_far_from_all():
    report = corf.run(size=1500, systems=["all-sources"], resamples=20)

    assert 0.2 < report.baselines["all-sources"].metrics["corf_recall@20"].value < 0.85


def test_without_an_embedder_only_words_are_compared_with():
    report = corf.run(size=200, embedder="none", limit=6, resamples=20)

    assert {"none", "words"} == {name for name in report.baselines if name in SYSTEMS}
    assert 6 == len(report.receipts)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"size": 0}, "size=0: must be from 200 to 47392"),
        ({"limit": 0}, "limit=0: must be at least 1"),
        ({"systems": ["darts"]}, "system 'darts' is unknown; there are none, single-source"),
        ({"cues": ("smell",)}, "cue 'smell' is unknown; there are tokens"),
        ({"systems": ["all-sources"], "embedder": "none"}, "system 'all-sources' is unknown"),
    ],
)
def test_what_there_is_not_is_refused_before_anything_is_remembered(given, complaint):
    with pytest.raises(InputError, match=complaint):
        corf.run(**({"size": 300} | given))


# ---------------------------------------------------------------- McNemar


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=9))
def test_mcnemar_agrees_with_counting_every_way_the_coins_could_fall(pairs):
    ours, theirs = [a for a, _ in pairs], [b for _, b in pairs]
    first = sum(a and not b for a, b in pairs)
    second = sum(b and not a for a, b in pairs)
    falls = list(product((0, 1), repeat=first + second))
    as_far = [fall for fall in falls if abs(2 * sum(fall) - len(fall)) >= abs(first - second)]

    assert metrics.mcnemar(ours, theirs) == {
        "ours_only": first, "theirs_only": second, "p": pytest.approx(len(as_far) / len(falls)),
    }  # fmt: skip


def test_the_tail_is_within_its_interval_unless_all_durations_are_the_same():
    tail = metrics.tail_ms([0.001 * one for one in range(1, 101)], resamples=200)

    assert 95.05 == pytest.approx(tail.value)
    assert tail.low < tail.value < tail.high
    assert metrics.Estimate(2.0, 2.0, 2.0, 3) == metrics.tail_ms([0.002] * 3)


# ---------------------------------------------------------------- from the shell


def test_the_command_writes_a_report_with_its_receipts(tmp_path):
    from typer.testing import CliRunner

    from hippocampus.cli import app

    file = tmp_path / "corf.json"
    done = CliRunner().invoke(
        app,
        ["bench", "corf", "--size", "300", "--limit", "10", "--systems", "none,all-sources",
         "--embedder", "hash", "--report", str(file)],
        env={"COLUMNS": "200"},
    )  # fmt: skip

    assert 0 == done.exit_code, done.output
    assert "corf, 300 chunks: 10 questions" in done.stdout
    assert {"none", "all-sources"} == set(json.loads(file.read_text())["mcnemar"])
    assert 30 == len(file.with_name("corf.receipts.jsonl").read_text().splitlines())


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (["--size", "0"], "--size 0: must be from 200"),
        (["--systems", "darts"], "system 'darts' is unknown"),
        (["--cues", "smell"], "cue 'smell' is unknown"),
        (["--data", "x.json"], "life is made up"),
    ],
)
def test_the_command_says_what_is_wrong(given, complaint):
    from typer.testing import CliRunner

    from hippocampus.cli import app

    done = CliRunner().invoke(app, ["bench", "corf", "--embedder", "hash", *given])

    assert 2 == done.exit_code
    assert complaint in " ".join(done.output.split())
