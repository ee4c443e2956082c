"""Other stores and engines are measured like ours, and what cannot be measured is told."""

import json
import subprocess
import sys
import tomllib
from dataclasses import asdict

import numpy as np
import pytest
from bench.peers import environments, report
from bench.peers.contract import Asked, Item, open_peer
from bench.peers.live import build, find, search
from bench.peers.material import ASKED, Material
from bench.peers.report import ADDING, COMPARED, MEASURES
from bench.peers.running import Limits, Runner, conversations, tasks
from bench.peers.systems import HERE, System, systems

HERE_ALREADY = {
    "fts5": {}, "numpy_scan": {}, "wavelet_words": {"package": "hippocampus.kernel"},
    "hippocampus_memory": {},
}  # fmt: skip
"""Adapters that need no package of others."""
DIMENSION = 384
PETS = ("otter", "heron", "badger", "newt", "lynx", "marmot", "gecko", "stoat")


def item(number):
    return Item(
        id=str(number), text=f"My {PETS[number % 8]} number {number} ate the pear.", speaker="Ada",
        session=str(number // 4), at=f"2024-01-0{1 + number % 9}T10:00:00+00:00",
    )  # fmt: skip


def vector(seed):
    made = np.random.default_rng(seed).normal(size=DIMENSION).astype(np.float32)
    return made / np.linalg.norm(made)


def asked(text, seed):
    tokens = np.stack([vector(seed), vector(seed + 1)])
    at = "2024-02-01T00:00:00+00:00"
    spans = np.array([[0, 5], [6, 10]], np.int32)
    return Asked(text=text, at=at, vector=vector(seed), tokens=tokens, spans=spans)


@pytest.fixture
def material(tmp_path):
    """Forty items, and as many questions as are asked; the vector of each is an item's."""
    made = Material(tmp_path / "material")
    questions = [asked(f"Which pear did {PETS[n % 8]} eat?", n % 40) for n in range(2 * ASKED)]
    vectors = np.stack([vector(number) for number in range(40)])
    made.write([item(number) for number in range(40)], vectors, questions)
    return made


@pytest.fixture
def here(tmp_path, material):  # noqa: ARG001 - it makes what is read
    """What runs small systems that need no package."""
    return Runner(
        tmp_path / "work", lambda _: tmp_path / "material", Limits(seconds=60), say=lambda _: None
    )


SCAN = System(name="a scan", kind="vectors", adapter="numpy_scan")
WORDS = System(name="words", kind="words", adapter="fts5")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if name == "hippocampus_memory" else ())
        for name in HERE_ALREADY
    ],
)
def test_what_was_added_is_found_when_it_is_opened_anew(name, tmp_path):
    options = HERE_ALREADY[name]
    peer = open_peer(name, tmp_path / "store", DIMENSION, options)
    for start in (0, 8):
        some = [item(number) for number in range(start, start + 8)]
        peer.add(some, np.stack([vector(int(one.id)) for one in some]))
    peer.settle()
    peer.close()

    peer = open_peer(name, tmp_path / "store", DIMENSION, options)
    found = peer.search(asked("Where is marmot number 13?", 13))
    peer.close()

    assert "13" in found
    assert 1 <= len(found) <= 10
    assert len(set(found)) == len(found)


def test_material_comes_back_as_it_was_written(material):
    (some, vectors), (rest, _) = material.batches(30)

    assert [item(number) for number in range(40)] == some + rest
    np.testing.assert_array_equal(vector(29), vectors[-1])
    first = material.asked()[0]
    np.testing.assert_array_equal(vector(0), first.vector)
    assert (2, DIMENSION) == first.tokens.shape
    assert [[0, 5], [6, 10]] == first.spans.tolist()
    assert material.whole
    assert DIMENSION == material.dimension


@pytest.mark.usefixtures("material")
@pytest.mark.parametrize("name", ["fts5", "numpy_scan"])
def test_a_stage_measures_all_that_a_report_tells(name, tmp_path):
    told = {
        "adapter": name, "options": {}, "store": str(tmp_path / "store"),
        "material": str(tmp_path / "material"),
    }  # fmt: skip

    records = {"build": build(told), "search": search(told)}

    assert all(measure.of(records[measure.stage]) >= 0 for measure in MEASURES)
    assert 40 == records["build"]["count"]
    assert ASKED == len(records["search"]["found"])
    assert records["search"]["calls"] >= ASKED


@pytest.mark.usefixtures("material")
def test_every_question_is_asked_of_conversations_filled_once(tmp_path):
    folder = tmp_path / "conversations"
    folder.mkdir()
    (tmp_path / "material").rename(folder / "0")
    told = {
        "adapter": "numpy_scan", "options": {}, "store": str(tmp_path / "store"),
        "material": str(folder),
    }  # fmt: skip

    once, again = find(told)["found"], find(told)["found"]

    assert once == again
    assert [str(number % 40) for number in range(2 * ASKED)] == [ids[0] for ids in once[0]]


def test_what_was_cut_off_goes_on_without_repeating_what_is_done(tmp_path, here):
    plan = list(tasks([SCAN, WORDS], [40], runs=2))
    over = Runner(tmp_path / "work", lambda _: tmp_path / "material", Limits(until=0))

    assert not over.do(plan)
    out = report.left_out(plan, over.record, lambda _: "", lambda _: "")
    assert {report.NOT_YET} == {one["reason"] for one in out}
    assert here.do(plan[:2])
    records = sorted((tmp_path / "work" / "records").glob("*.json"))
    times = [file.stat().st_mtime_ns for file in records]
    assert ["a-scan-40-build-1.json", "a-scan-40-search-1.json"] == [f.name for f in records]
    assert here.do(plan)

    assert times == [file.stat().st_mtime_ns for file in records]
    assert all(here.record(task) for task in plan)
    (row, other) = report.rows(plan, here.record)
    assert ("a scan", "words") == (row["system"], other["system"])
    assert 2 == row["runs"]


def test_what_was_measured_of_other_options_is_measured_anew():
    (task,) = conversations([SCAN])
    (changed,) = conversations([System(**asdict(SCAN) | {"options": {"kind": "Flat"}})])

    assert task.name == changed.name
    assert SCAN.stamp() != changed.system.stamp()


def test_every_second_run_goes_the_other_way_round():
    plan = [task for task in tasks([SCAN, WORDS], [40], runs=2) if task.stage == "search"]

    assert ["a scan", "words", "words", "a scan"] == [task.system.name for task in plan]


def test_a_system_that_fails_is_told_without_trying_it_with_more(here):
    broken = System(name="broken", kind="words", adapter="fts5", options={"colour": "red"})
    plan = list(tasks([broken, SCAN], [40, 80], runs=2))

    assert here.do(plan)

    assert ["broken-40-build-1"] == [
        task.name for task in plan if task.system is broken and here.record(task)
    ]
    out = report.left_out(plan, here.record, lambda task: here.failed(task, plan), System.lacking)
    assert [("broken", 40), ("broken", 80)] == [(one["system"], one["size"]) for one in out]
    assert "unexpected keyword argument 'colour'" in out[0]["reason"]
    assert out[1]["reason"].startswith("at 40: ")
    assert {"a scan"} == {row["system"] for row in report.rows(plan, here.record)}


@pytest.mark.usefixtures("material")
@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(seconds=0), "not done in 0 s"),
        (Limits(memory_mb=1), "more than 0.000977 GiB of memory"),
    ],
)
def test_a_stage_that_takes_too_much_is_ended_with_its_reason_told(limits, reason, tmp_path):
    runner = Runner(tmp_path / "work", lambda _: tmp_path / "material", limits, say=lambda _: None)
    (task, *_) = plan = list(tasks([SCAN], [40], runs=1))

    runner.do(plan)

    assert reason == runner.failed(task, plan)
    assert not (tmp_path / "work" / "stores" / "40" / "a-scan").exists()


def installs(code, said=""):
    """Return what stands for pip and venv: the commands end like that."""

    def run(words):
        return subprocess.CompletedProcess(words, code, stdout="", stderr=said)

    return run


def test_what_cannot_be_installed_is_left_out_with_its_reason_told(tmp_path):
    gone = System(name="gone", kind="words", adapter="fts5", environment="gone")
    (tmp_path / "gone.txt").write_text("gone==1.0\n")
    said = "ERROR: one\nERROR: No matching distribution found for gone==1.0\n"

    assert "not installed: run make peers" == gone.lacking(tmp_path)
    reason = environments.make("gone", tmp_path, tmp_path, installs(1, said))
    assert "ERROR: No matching distribution found for gone==1.0" == reason
    assert f"not installed: {reason}" == gone.lacking(tmp_path)

    assert "" == environments.make("gone", tmp_path, tmp_path, installs(0))
    assert "" == gone.lacking(tmp_path)
    assert "" == environments.make("gone", tmp_path, tmp_path, installs(1)), "it is made already"
    (tmp_path / "gone.txt").write_text("gone==2.0\n")
    assert "" != environments.make("gone", tmp_path, tmp_path, installs(1)), "its lock is another"


@pytest.mark.usefixtures("material")
def test_a_system_without_its_environment_is_left_out_of_a_run(tmp_path):
    gone = System(name="gone", kind="words", adapter="fts5", environment="tantivy")
    runner = Runner(
        tmp_path / "work", lambda _: tmp_path / "material", Limits(), tmp_path, lambda _: None
    )
    plan = list(tasks([gone, SCAN], [40], runs=1))

    assert runner.do(plan)

    out = report.left_out(
        plan, runner.record, lambda task: runner.failed(task, plan),
        lambda system: system.lacking(tmp_path),
    )  # fmt: skip
    assert [{"system": "gone", "size": 40, "reason": "not installed: run make peers"}] == out


def test_every_system_has_an_adapter_and_pinned_requirements():
    every = systems()

    assert len({system.name for system in every}) == len(every)
    builders = {system.name for system in every if system.builds}
    for system in every:
        assert (HERE / "adapters" / f"{system.adapter}.py").exists(), system.name
        assert system.built_as in builders, system.name
        if system.lock is not None:
            lines = system.lock.read_text().split()
            assert all("==" in line for line in lines), system.name
            assert system.version(), system.name


def figures(**told):
    return {name: {"median": 1.0, "low": 1.0, "high": 1.0} for name in COMPARED} | {
        name: {"median": value, "low": value, "high": value} for name, value in told.items()
    }


def told_row(system, kind, *, ours=False, **values):
    return {
        "system": system, "kind": kind, "ours": ours, "size": 40, "figures": figures(**values)
    }  # fmt: skip


def test_what_is_lost_is_told_of_the_best_of_its_kind():
    table = [
        told_row("hippocampus", "hybrid", ours=True, disk=3.0, resident=1.02),
        told_row("a memory", "memory", disk=2.0),
        told_row("a better one", "memory", disk=1.5),
        told_row("an engine", "vectors", disk=0.1),
    ]

    assert [
        {"system": "hippocampus", "kind": "hybrid", "size": 40, "measure": "disk", "here": 3.0,
         "there": 1.5, "to": "a better one"}
    ] == report.lost(table)  # fmt: skip


COMMITTED = HERE.parents[0] / "results" / "peers.json"


def test_the_committed_report_has_every_figure_with_its_spread():
    kept = json.loads(COMMITTED.read_text("utf-8"))

    assert {"machine", "commit", "load", "systems", "rows", "found", "lost", "left_out"} == set(
        kept
    )
    names = {system["name"] for system in kept["systems"]}
    assert names == {system.name for system in systems()}
    for row in kept["rows"]:
        assert row["system"] in names
        assert {measure.name for measure in MEASURES} - set(row["figures"]) <= set(ADDING)
        assert all(f["low"] <= f["median"] <= f["high"] for f in row["figures"].values())
    assert kept["lost"] == report.lost(kept["rows"])


def test_everything_that_is_lost_has_its_reason():
    kept = json.loads(COMMITTED.read_text("utf-8"))
    reasons = tomllib.loads((HERE / "reasons.toml").read_text("utf-8"))["reason"]
    told = {(kind, measure) for one in reasons for kind in one["kinds"] for measure in one["of"]}

    assert {(one["kind"], one["measure"]) for one in kept["lost"]} <= told


def test_the_commands_say_what_they_take():
    for module in ("bench.peers", "bench.peers.environments"):
        done = subprocess.run(
            [sys.executable, "-m", module, "--help"], capture_output=True, text=True, check=True,
            cwd=HERE.parents[1],
        )  # fmt: skip
        assert "usage" in done.stdout
