"""Made-up dialogues hold what they promise, and the benchmark measures what it says."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.errors import InputError
from hippocampus_bench import dialogue, metrics
from hippocampus_bench.talk import LATER, make_dialogue
from hippocampus_bench.texts import DIALOGUE
from hippocampus_bench.wording import PACKAGED, read

SYSTEMS = {"tail", "summary", "bm25", "nearest"}


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("turns", [50, 320, 1000])
@pytest.mark.parametrize("wording", PACKAGED)
def test_the_words_of_a_fact_stand_only_in_the_several_turns_that_tell_it(wording, turns, number):
    made = make_dialogue(turns, number=number, wording=wording)
    place = {turn.id: at for at, turn in enumerate(made.turns)}

    assert turns <= len(made.turns) <= turns * 1.3
    assert make_dialogue(turns, number=number, wording=wording) == made
    assert made.questions
    for question in made.questions:
        holding = {turn.id for turn in made.turns if question.span in turn.text}
        assert 5 <= len(question.gold) <= 12
        assert holding
        assert holding <= question.gold, "a value is told of one subject alone"
        assert holding != question.gold, "and some support it without its words"
        assert question.span not in question.text
        last = max(place[ref] for ref in question.gold)
        assert question.after in (last + 1 + LATER, len(made.turns))
        assert last < question.after


def test_roles_take_turns_in_order_of_time():
    made = make_dialogue(200)

    assert {"user"} == {turn.role for turn in made.turns[::2]}
    assert {"assistant"} == {turn.role for turn in made.turns[1::2]}
    assert sorted(turn.at for turn in made.turns) == [turn.at for turn in made.turns]


def test_others_of_the_same_kind_are_told_of_other_subjects():
    made = make_dialogue(500)
    facts = {turn.fact for turn in made.turns} - {None}

    assert len(facts) >= 3 * len(made.questions)


def test_every_kind_of_every_genre_has_several_wordings_for_each_purpose():
    genres = read(DIALOGUE).texts.genres
    assert ["support", "encyclopedia", "story"] == [genre.name for genre in genres]
    for kind in (kind for genre in genres for kind in genre.kinds):
        ways = (kind.told, kind.taken_up, kind.told_again, kind.spoken_of, kind.asked)
        assert (3, 2, 2, 4, 3) == tuple(map(len, ways)), kind.name


@pytest.mark.parametrize("wording", PACKAGED)
def test_every_line_that_tells_a_fact_has_its_value(wording):
    for kind in (kind for genre in read(DIALOGUE, wording).texts.genres for kind in genre.kinds):
        telling = (*kind.told, *kind.taken_up, *kind.told_again)
        assert all("{value}" in line for line in telling), kind.name
        others = (*kind.told, *kind.told_again, *kind.spoken_of, *kind.asked)
        assert all("{subject}" in line or "{alias}" in line for line in others), kind.name


def test_a_dialogue_too_short_or_too_long_is_refused():
    for turns in (10, 50_000):
        with pytest.raises(InputError, match="from 40 to"):
            make_dialogue(turns)


# ---------------------------------------------------------------- measures


def test_the_area_under_precision_by_hand():
    gold = frozenset("abc")

    assert 1.0 == dialogue.area_under_precision(list("abcx"), gold)
    assert pytest.approx((1 + 2 / 3) / 3) == dialogue.area_under_precision(list("axb"), gold)
    assert 0.0 == dialogue.area_under_precision([], gold)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=12), st.integers(0, 5))
def test_the_paired_test_by_randomisation_gives_both_sides_the_same_chance(differences, seed):
    p = metrics.sign_flip(differences, seed=seed, resamples=200)

    assert 0 < p <= 1
    assert p == metrics.sign_flip([-one for one in differences], seed=seed, resamples=200)
    assert 1.0 == metrics.sign_flip([0.0, 0.0])
    assert metrics.sign_flip([0.2] * 30) < 0.01


@pytest.fixture(scope="module")
def made():
    return dialogue.run(lengths=(50, 200), dialogues=3, long=400, embedder="hash", resamples=50)


def test_every_system_answers_the_same_questions(made):
    asked = [receipt.question for receipt in made.receipts]

    assert set(made.baselines) == SYSTEMS
    for system in made.baselines.values():
        assert asked == [receipt.question for receipt in system.receipts]
    assert len(asked) == sum(made.settings["questions"].values())


def test_every_measure_is_there_for_every_length(made):
    for name in ("precision@5", "recall@50", "auprc", "factual_recall"):
        for length in ("", "/turns=50", "/turns=200"):
            assert 0 <= made.metrics[name + length].value <= 1
    assert made.metrics["factual_recall"].value > 0.8
    assert made.metrics["precision@5"].value > 2 * made.baselines["summary"].metrics[
        "precision@5"
    ].value  # fmt: skip
    assert made.metrics["latency_p95_ms"].value > 0


def test_only_a_short_dialogue_is_held_whole_by_its_tail(made):
    tail = made.baselines["tail"].metrics

    assert 1.0 == tail["factual_recall/turns=50"].value
    assert tail["factual_recall/turns=200"].value < 1.0


def test_two_of_the_four_policies_that_live_the_same_dialogue_forget(made):
    policies = made.extra["ablation"]["policies"]
    kept = {name: policy["episodes"] for name, policy in policies.items()}

    assert set(dialogue.POLICIES) == set(policies)
    assert kept["A: neither"] == kept["C: summary of summaries"]
    assert kept["B: forgetting"] == kept["D: both"] < kept["A: neither"]
    assert all(policy["summary_tokens"] <= 60 for policy in policies.values())


def test_the_tables_have_every_system_and_policy(made):
    text = str(made)

    assert all(f"`{name}`" in text for name in ("hippocampus", *SYSTEMS))
    assert all(name in text for name in dialogue.POLICIES)


def test_the_command_writes_a_report_its_receipts_and_a_plot(tmp_path):
    pytest.importorskip("matplotlib")
    from typer.testing import CliRunner

    from hippocampus.cli import app

    file = tmp_path / "dialogue.json"
    done = CliRunner().invoke(
        app,
        ["bench", "dialogue", "--turns", "50", "--dialogues", "1", "--embedder", "hash",
         "--report", str(file), "--plots", str(tmp_path / "plots")],
        env={"COLUMNS": "200"},
    )  # fmt: skip

    assert 0 == done.exit_code, done.output
    assert "recalled at 50" in done.stdout
    assert SYSTEMS == set(json.loads(file.read_text())["mcnemar"])
    assert 10 == len(file.with_name("dialogue.receipts.jsonl").read_text().splitlines())
    assert (tmp_path / "plots" / "dialogue-recall.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (["--turns", "many"], "give whole numbers"),
        (["--turns", "7"], "a dialogue has from 40"),
        (["--dialogues", "0"], "must be at least 1"),
        (["--data", "x.json"], "dialogues are made up"),
    ],
)
def test_the_command_says_what_is_wrong(given, complaint):
    from typer.testing import CliRunner

    from hippocampus.cli import app

    done = CliRunner().invoke(app, ["bench", "dialogue", "--embedder", "hash", *given])

    assert 2 == done.exit_code
    assert complaint in " ".join(done.output.split())
