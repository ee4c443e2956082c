"""The encyclopaedia that is made up is a benchmark of its own."""

import json

import pytest
from typer.testing import CliRunner

from hippocampus.cli import app
from hippocampus.errors import InputError
from hippocampus_bench import Options, passages


@pytest.mark.parametrize("seed", range(5))
def test_the_smallest_encyclopaedia_has_questions_of_every_kind(seed):
    made = passages.make_passages(seed, people=passages.FEWEST_PEOPLE)["banks"][0]
    kinds = [one["kind"] for one in made["questions"]]

    assert {kind: kinds.count(kind) for kind in passages.KINDS} == dict.fromkeys(passages.KINDS, 60)


def test_only_equal_seeds_ask_the_same():
    def made(seed):
        return passages.make_passages(seed, people=passages.FEWEST_PEOPLE)

    assert made(3) == made(3)
    assert made(3) != made(4)


def test_a_run_says_how_much_of_the_evidence_is_found_by_kind():
    options = Options(embedder="hash", limit=20, resamples=50)
    found = passages.run(size=passages.FEWEST_PEOPLE, options=options)

    assert {"lexical", "vector", "vector+lexical"} == found.baselines.keys()
    for measure in ("evidence_recall@5", "evidence_recall@10", "all@5"):
        assert {f"{measure}/kind={kind}" for kind in passages.KINDS} <= found.metrics.keys()
    assert found.metrics["evidence_recall@5/kind=single"].value > 0.5
    assert len(found.receipts) == 20


def test_one_that_is_too_small_or_too_large_is_refused():
    with pytest.raises(InputError, match="at least 36"):
        passages.run(size=3)
    with pytest.raises(InputError, match="size=900: needs names of 480 films and records"):
        passages.run(size=900)


def test_the_command_makes_it_all_up_without_reading_a_file(tmp_path):
    args = ["bench", "passages", "--embedder", "hash", "--size", "36", "--seed", "2"]
    done = CliRunner().invoke(app, [*args, "--limit", "5", "--json"])
    told = CliRunner().invoke(app, [*args, "--data", str(tmp_path)])

    assert json.loads(done.stdout)["settings"]["seed"] == 2
    assert (told.exit_code, "made up" in told.stderr) == (2, True)
