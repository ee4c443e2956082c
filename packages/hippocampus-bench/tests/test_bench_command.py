"""The command ``bench``, its distribution, and where both were before."""

import importlib
import json
import sys
import tomllib
from importlib.metadata import version

import pytest
from docs_blocks import ROOT
from typer.testing import CliRunner

import hippocampus_bench
from hippocampus import Memory
from hippocampus.cli import app
from hippocampus_bench import runner, texts

EPISODES = [
    {"id": f"e{n}", "text": text, "speaker": "Lena", "at": f"2024-01-0{n + 1}", "session": "s"}
    for n, text in enumerate(("a red bicycle", "a green door", "a blue kettle"))
]
QUESTION = {"id": "q", "text": "what about the kettle?", "at": "2024-02-01", "gold": ["e2"]}


def bench(*args, **environment):
    return CliRunner().invoke(app, ["bench", *map(str, args)], env=environment)


@pytest.fixture
def mine(write):
    bank = {"id": "b", "episodes": EPISODES, "questions": [QUESTION | {"kind": "one"}]}
    return write("mine.json", {"banks": [bank]})


def test_it_writes_a_report_with_its_receipts_on_a_set_of_ones_own(mine, tmp_path):
    report, cache = tmp_path / "report.json", tmp_path / "cache.db"
    ran = bench(
        "retrieval", "--data", mine, "--embedder", "hash",
        "--report", report, "--cache", cache, "--json",
    )  # fmt: skip

    assert ran.exit_code == 0, ran.stderr
    made = json.loads(ran.stdout)
    assert made == json.loads(report.read_text())
    assert made["metrics"]["mrr"]["value"] == 1
    assert (tmp_path / "report.receipts.jsonl").exists()
    assert cache.exists()


@pytest.mark.parametrize(
    ("args", "says"),
    [(["topics"], "needs --data"), (["darts", "--data", "x.json"], "darts"), ([], "name")],
)
def test_a_call_that_makes_no_sense_is_code_2(args, says):
    failed = bench(*args, "--embedder", "hash") if args else bench()

    assert failed.exit_code == 2
    assert says in failed.stderr
    assert failed.stdout == ""


def test_a_report_is_not_written_over_a_store(mine, tmp_path):
    store = tmp_path / "agent.db"
    with Memory(store, embedder="none") as memory:
        memory.bank("me").remember("It is Tuesday.")
    before = store.read_bytes()

    assert bench("retrieval", "--data", mine, "--embedder", "hash", "--report", store).exit_code
    assert before == store.read_bytes()


def test_the_listed_command_teaches_with_an_example_in_its_help():
    told = bench("--help", COLUMNS="200").stdout

    assert "hippocampus bench locomo" in told.split("Examples")[1]
    assert "\\" not in told
    assert "bench" in CliRunner().invoke(app, ["--help"]).stdout.split()


def test_both_distributions_have_one_version():
    made = tomllib.loads(
        (ROOT / "packages" / "hippocampus-bench" / "pyproject.toml").read_text(encoding="utf-8")
    )["project"]

    assert made["version"] == version("hippocampus-memory")
    assert f"hippocampus-memory=={made['version']}" in made["dependencies"]


def test_only_public_names_are_there():
    assert hippocampus_bench.run is runner.run
    assert set(hippocampus_bench.__all__) <= set(dir(hippocampus_bench))
    with pytest.raises(AttributeError, match="Hippo"):
        hippocampus_bench.Hippo  # noqa: B018


def test_every_made_up_text_says_where_it_comes_from():
    files = sorted((ROOT / "packages").glob("*/src/*/data/**/*.t[ox]*"))

    assert len(files) == 15
    for file in files:
        assert "Made up" in "".join(file.read_text(encoding="utf-8").splitlines()[:2]), file.name


def test_the_former_import_path_works_with_a_warning():
    for name in [name for name in sys.modules if name.startswith("hippocampus.evaluation")]:
        del sys.modules[name]
    with pytest.warns(DeprecationWarning, match="hippocampus_bench"):
        former = importlib.import_module("hippocampus.evaluation")

    assert former.run is runner.run
    assert former.texts is texts
    assert importlib.import_module("hippocampus.evaluation.runner") is runner
    with pytest.raises(AttributeError, match="hippocampus_bench"):
        former.Hippo  # noqa: B018
