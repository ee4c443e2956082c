"""Work that Ray spreads over processes: what is lost, done twice, damaged or wrong in a file."""

import json
import os
import signal
import socket
import sqlite3
import sys
import threading
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from itertools import pairwise
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus import Memory
from hippocampus.cluster import ClusterReport, RayCluster, crew
from hippocampus.cluster.crew import check_reach, joined
from hippocampus.cluster.jobs import KeepJob, Opened, SleepJob
from hippocampus.cluster.turn_files import (
    FilePortion,
    GivenTurn,
    find_files,
    portions,
    read_portion,
)
from hippocampus.errors import (
    HippocampusError,
    InputError,
    MissingExtra,
    OutputExists,
    ServerUnavailable,
    SourceError,
    Unauthorized,
    UnknownBank,
)
from hippocampus.upkeep import verify

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
SAID = ("The key is under the blue pot.", "A cat slept on the mat.", "Lena was in Lisbon in May.")


def turns(count):
    return [
        {"text": f"{SAID[n % 3]} ({n})", "at": NOON + timedelta(minutes=n), "speaker": "Lena"}
        for n in range(count)
    ]


def fill(where, *, banks=3, count=20):
    with Memory(where, embedder="hash") as memory:
        for number in range(banks):
            memory.bank(f"bank {number}").remember_many(turns(count))
    return where


def episodes(where):
    with Memory(where, embedder="hash", read_only=True) as memory:
        return {
            name: [(e.id, e.text, e.occurred_at, e.address, e.metadata, e.origin) for e in found]
            for name in memory.banks()
            if (found := memory.bank(name).episodes())
        }


# ---------------------------------------------------------------- without a Ray


def test_without_ray_the_extra_that_brings_it_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)

    with (
        pytest.raises(MissingExtra, match=r"hippocampus-memory\[ray\]"),
        RayCluster(tmp_path / "a.db"),
    ):
        pass


def test_where_nothing_listens_there_is_no_ray(tmp_path):
    _needs_ray()

    with (
        pytest.raises(ServerUnavailable, match="ray start"),
        RayCluster(tmp_path / "a.db", ray="127.0.0.1:1"),
    ):
        pass


class Refused(Exception):
    """What Ray raises where a token is missing or wrong."""


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "RAY_AUTH_MODE is not set"),
        ({"RAY_AUTH_MODE": "disabled"}, "RAY_AUTH_MODE is disabled"),
        ({"RAY_AUTH_MODE": "token"}, "~/.ray/auth_token"),
        ({"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": "/keys/ray"}, "/keys/ray"),
        ({"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "abc123"}, "RAY_AUTH_TOKEN holds"),
    ],
)
@pytest.mark.parametrize("kind", [Refused, ConnectionError])
def test_a_ray_that_wants_a_token_says_where_one_was_looked_for(
    tmp_path, monkeypatch, kind, given, says
):
    def refuse(**_):
        raise kind("not let in")

    for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN_PATH", "RAY_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    exceptions = SimpleNamespace(AuthenticationError=Refused)
    ray = SimpleNamespace(is_initialized=bool, init=refuse, exceptions=exceptions)
    monkeypatch.setitem(sys.modules, "ray", ray)
    expected = Unauthorized if kind is Refused else ServerUnavailable

    with pytest.raises(expected) as told, RayCluster(tmp_path / "a.db", ray="auto"):
        pass

    assert f"takes only who has its token, and {says}" in str(told.value)
    assert "set RAY_AUTH_MODE=token" in str(told.value)
    assert "abc123" not in str(told.value)


def test_a_file_is_no_store_of_a_cluster_of_several_machines():
    check_reach("postgresql:///memories", ["another"])

    with pytest.raises(InputError, match="move"):
        check_reach("/memory.db", ["another"])


def _needs_ray():
    """Skip without Ray; it is not imported here, for ``joined`` sets what it reads then."""
    if find_spec("ray") is None:
        pytest.skip("Ray is not installed")


@pytest.mark.parametrize("wrong", [{"workers": 0}, {"minutes": 0}])
def test_a_cluster_that_cannot_be_is_refused(tmp_path, wrong):
    with pytest.raises(InputError):
        RayCluster(tmp_path / "a.db", **wrong)


@pytest.mark.parametrize("name", ["none.jsonl", "empty", "notes.txt"])
def test_what_holds_no_turns_is_refused(tmp_path, name):
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").touch()

    with pytest.raises(SourceError):
        find_files([tmp_path / name])


def test_the_files_in_folders_that_are_called_as_files_are_found(tmp_path):
    for name in ("turns.jsonl/part-0.jsonl", "turns.parquet/deep.parquet/part-0.parquet"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()

    found = find_files([tmp_path])

    assert ["part-0.jsonl", "part-0.parquet"] == [path.name for path in found]
    assert found == find_files([tmp_path / "turns.jsonl", tmp_path / "turns.parquet"])
    with pytest.raises(SourceError, match=r"deep\.parquet: cannot be read"):
        list(portions(tmp_path / "turns.parquet" / "deep.parquet"))


@given(
    lines=st.lists(st.text('aé\0{"', max_size=12).map(json.dumps), max_size=12),
    cuts=st.sets(st.integers(1, 200), max_size=6),
)
def test_every_line_is_in_one_portion_however_a_file_is_cut(lines, cuts, tmp_path_factory):
    path = tmp_path_factory.mktemp("lines") / "a.jsonl"
    path.write_text("".join(f'{{"text": {line}}}\n' for line in lines), "utf-8")
    size = path.stat().st_size
    ends = [0, *sorted(cut for cut in cuts if cut < size), size]

    read = [
        turn.fields["text"]
        for start, stop in pairwise(ends)
        for turn in read_portion(FilePortion(str(path), start, stop), bank="ada")
    ]

    assert [json.loads(line) for line in lines] == read


# ---------------------------------------------------------------- with one


@pytest.fixture(scope="module")
def _ray():
    _needs_ray()
    with joined("local", 2) as ray:
        yield ray


pytestmark_ray = [pytest.mark.slow, pytest.mark.usefixtures("_ray")]


def slow(test):
    for mark in pytestmark_ray:
        test = mark(test)
    return test


@slow
def test_a_ray_of_this_machine_listens_to_no_other():
    psutil = pytest.importorskip("psutil")
    family = [psutil.Process(), *psutil.Process().children(recursive=True)]

    heard = {
        place.laddr.ip
        for process in family
        for place in process.net_connections("inet")
        if place.status == psutil.CONN_LISTEN
    }

    assert heard
    assert heard <= {"127.0.0.1", "::1", "::ffff:127.0.0.1"}


@slow
@pytest.mark.parametrize("kind", ["file", "postgres"])
def test_a_worker_that_is_killed_costs_no_bank_its_sleep(kind, tmp_path, database):
    store = fill(database() if kind == "postgres" else tmp_path / "a.db", banks=10, count=60)
    killed = []

    def kill_one(report):
        if report.pids and not killed:
            killed.append(next(iter(report.pids)))
            os.kill(killed[0], signal.SIGKILL)

    with RayCluster(store, workers=1, embedder="hash") as cluster:
        report = cluster.sleep(told=kill_one)
        again = cluster.sleep()

    assert killed
    assert report.lost >= 1
    assert report.whole
    assert {"unchanged": 10} == again.counts
    with Memory(store, embedder="hash", read_only=True) as memory:
        assert () == verify(memory).problems
        assert all(memory.bank(name).sleeps()[-1].steps for name in memory.banks())


@slow
def test_two_who_have_all_banks_sleep_at_once_fail_nowhere(tmp_path):
    store, reports = fill(tmp_path / "a.db", banks=8), []

    def sleep():
        with RayCluster(store, workers=1, embedder="hash") as cluster:
            reports.append(cluster.sleep())

    threads = [threading.Thread(target=sleep) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [True, True] == [report.whole for report in reports]
    with Memory(store, embedder="hash", read_only=True) as memory:
        assert () == verify(memory).problems


@slow
def test_a_damaged_bank_is_told_without_stopping_the_others(tmp_path):
    store = fill(tmp_path / "a.db")
    with sqlite3.connect(store) as db:
        ((bank,),) = db.execute("SELECT bank FROM banks WHERE name = 'bank 1'")
        db.execute("UPDATE episodes SET speaker = 'Eve' WHERE bank = ? AND row = 3", (bank,))
        db.execute("UPDATE tail SET payload = x'00' WHERE bank = ? AND kind = 'content'", (bank,))
    db.close()

    with RayCluster(store, workers=1, embedder="hash") as cluster:
        checked = cluster.verify()
        written = cluster.export(tmp_path / "out", format="jsonl")
        cluster.sleep(banks=["bank 0", "bank 2"])

    assert {"bank 1"} == {one.what for one in checked.failed}
    assert 3 == checked.done
    assert written.counts["banks"] >= 2
    with Memory(store, embedder="hash", read_only=True) as memory:
        assert [1, 1] == [len(memory.bank(f"bank {n}").sleeps()) for n in (0, 2)]


@slow
@pytest.mark.parametrize("kind", ["parquet", "jsonl"])
def test_what_is_exported_is_imported_as_it_was_exactly_once(tmp_path, kind):
    store = fill(tmp_path / "a.db")
    with Memory(store, embedder="hash") as memory:
        memory.bank("bank 1").remember(
            "Said in a session, “é”.", session="s", role="user", metadata={"n": [1]}, at=NOON
        )
    with RayCluster(store, workers=1, embedder="hash") as cluster:
        out = cluster.export(tmp_path / "out", format=kind)
        with pytest.raises(OutputExists):
            cluster.export(tmp_path / "out", format=kind)
        cluster.export(tmp_path / "out", format=kind, overwrite=True)

    with RayCluster(tmp_path / "b.db", workers=1, embedder="hash") as cluster:
        first = cluster.import_([tmp_path / "out"])
        second = cluster.import_([tmp_path / "out"])

    assert (3, 61) == (out.counts["banks"], out.counts["turns"])
    assert (61, 61) == (first.counts["turns"], first.counts["added"])
    assert (61, 0) == (second.counts["turns"], second.counts["added"])
    assert episodes(store) == episodes(tmp_path / "b.db")


def test_a_bank_that_cannot_be_called_so_loses_no_other_its_turns():
    fields = {"text": "The key is under the blue pot.", "at": NOON}
    names = ("a", "", "b\ud800", "c" * 300, "d")
    given = [GivenTurn(f"file:{place}", name, fields) for place, name in enumerate(names)]

    with Memory(":memory:", embedder="none") as memory:
        shop = SimpleNamespace(memory=memory, fetch=lambda several: several)
        done = KeepJob("portion 1", [given]).run(shop)

        assert ["file:1", "file:2", "file:3"] == sorted(one.what for one in done.failed)
        assert {"turns": 2, "added": 2} == done.counts
        assert ["a", "d"] == sorted(memory.banks())


@slow
def test_rows_that_cannot_be_kept_are_told_without_losing_the_others(tmp_path):
    rows = [
        {"bank": "ada", "text": "Hello.", "at": "2025-01-01"},
        {"bank": "ada", "text": "When was that?"},
        {"bank": "ada", "text": "  ", "at": "2025-01-01"},
        {"text": "Of no bank.", "at": "2025-01-01"},
        {"bank": "ada", "text": "Hello again.", "at": "2025-01-02", "metadata": '{"n": 1}'},
        {"bank": "ada", "text": "x", "at": "2025-01-02", "metadata": "{"},
    ]
    path = tmp_path / "turns.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + "no JSON\n")

    with RayCluster(tmp_path / "a.db", workers=1, embedder="hash") as cluster:
        report = cluster.import_([path])
        with pytest.raises(UnknownBank):
            cluster.sleep(banks=["nobody"])

    assert 2 == report.counts["added"]
    assert 5 == len(report.failed)
    assert ["Hello.", "Hello again."] == [
        text for _, text, *_ in episodes(tmp_path / "a.db")["ada"]
    ]


@slow
@pytest.mark.parametrize("kind", ["file", "databases"])
def test_a_store_moves_to_another_embedder(kind, tmp_path, database):
    store = fill(tmp_path / "a.db" if kind == "file" else f"{database()},{database()}")

    with RayCluster(store, workers=1, embedder="hash") as cluster:
        report = cluster.reembed("hash:32")

    assert {"embedded": 3, "episodes": 60} == report.counts
    with Memory(store, embedder="hash:32") as memory:
        assert () == verify(memory).problems
        assert memory.bank("bank 1").recall("Where is the key?").hits


def move_at_once(store, *embedders):
    """Move a store to several embedders at once; return the reports, and what failed otherwise."""
    ended = []

    def move(embedder):
        with RayCluster(store, workers=1, embedder="hash") as cluster:
            try:
                ended.append(cluster.reembed(embedder))
            except HippocampusError as exc:
                ended.append(exc)

    threads = [threading.Thread(target=move, args=(one,)) for one in embedders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return ended


@slow
@pytest.mark.parametrize("kind", ["file", "postgres"])
def test_two_who_move_a_store_to_one_embedder_at_once_share_the_work(kind, tmp_path, database):
    store = fill(database() if kind == "postgres" else tmp_path / "a.db", banks=8)

    reports = move_at_once(store, "hash:32", "hash:32")

    assert [True, True] == [report.whole for report in reports]
    with Memory(store, embedder="hash:32") as memory:
        assert () == verify(memory).problems
        assert memory.bank("bank 1").recall("Where is the key?").hits


@slow
def test_of_two_who_move_a_store_to_other_embedders_at_once_one_says_it_gives_up(tmp_path):
    store = fill(tmp_path / "a.db", banks=8)

    ended = move_at_once(store, "hash:32", "hash:64")

    told = [
        one.failed[0].why if isinstance(one, ClusterReport) else str(one)
        for one in ended
        if isinstance(one, HippocampusError) or one.failed
    ]
    assert len(told) <= 1  # or one was done before the other began
    assert all("begun to rebuild" in why or "embedder" in why for why in told)
    with Memory(store, embedder="none") as memory:
        assert () == verify(memory).problems
        moved = memory.engine.stored_fingerprint()
    assert moved.dimension in {32, 64}


@slow
def test_groups_of_rows_are_read_apart(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.Table.from_pylist([turn | {"bank": "ada"} for turn in turns(25)])
    parquet.write_table(table, tmp_path / "a.parquet", row_group_size=10)

    found = [
        turn.place.rpartition(":")[2]
        for part in portions(tmp_path / "a.parquet")
        for turn in read_portion(part, bank=None)
    ]

    assert list(map(str, range(1, 26))) == found


@slow
def test_where_no_node_has_room_for_a_worker_it_is_told(tmp_path, monkeypatch):
    _needs_ray()
    store = fill(tmp_path / "a.db", banks=1)

    with joined("local", None) as ray, RayCluster(store, workers=1, embedder="hash") as cluster:
        full = ray.util.placement_group([{"CPU": os.cpu_count()}])
        ray.get(full.ready())
        with monkeypatch.context() as soon:
            soon.setattr(crew, "ROOM_S", 1.0)
            with pytest.raises(ServerUnavailable, match="room for a worker"):
                cluster.sleep()
        ray.util.remove_placement_group(full)
        assert cluster.sleep().whole


class CrampedRay:
    """A Ray of two nodes: one has room and no model, of the other nobody ever hears."""

    exceptions = SimpleNamespace(RayError=OSError, RayTaskError=OSError)
    util = SimpleNamespace(
        scheduling_strategies=SimpleNamespace(NodeAffinitySchedulingStrategy=SimpleNamespace)
    )

    def nodes(self):
        host = {"Alive": True, "NodeManagerHostname": socket.gethostname()}
        return [host | {"NodeID": node} for node in ("a", "b")]

    def remote(self, **_):
        refs = iter("ab")
        worker = SimpleNamespace(lacks=SimpleNamespace(remote=lambda: next(refs)))
        actor = SimpleNamespace(options=lambda **_: actor, remote=lambda *_: worker)
        return lambda _: actor

    def wait(self, refs, **_):
        return [ref for ref in refs if ref == "a"], []

    def get(self, _):
        return "no model is installed", "a"


def test_who_lacks_a_model_does_not_wait_for_ever_for_who_has_no_room(monkeypatch):
    monkeypatch.setattr(crew, "ROOM_S", 0.3)
    few = crew.Crew(CrampedRay(), Opened(store="a.db"), workers=1, minutes=1)

    with pytest.raises(ServerUnavailable, match="room for a worker"):
        few.do([SleepJob("ada", due=False)], ClusterReport(unit="banks"))


@slow
def test_a_node_without_the_model_does_nothing_while_another_has_it(tmp_path):
    _needs_ray()
    store = tmp_path / "a.db"
    path = tmp_path / "turns.jsonl"
    path.write_text(
        "".join(json.dumps(turn | {"bank": "ada"}, default=str) + "\n" for turn in turns(9))
    )
    with Memory(store) as memory:
        if memory.engine.unembedded:
            pytest.skip("the default model is not installed")
    nodes = pytest.importorskip("ray.cluster_utils").Cluster(
        initialize_head=True, head_node_args={"num_cpus": 2}
    )
    try:
        nodes.add_node(num_cpus=2, env_vars={"XDG_DATA_HOME": str(tmp_path / "none")})
        with RayCluster(store, ray=nodes.address, workers=1) as cluster:
            report = cluster.import_([path])
    finally:
        nodes.shutdown()

    assert report.whole
    assert 1 == len(report.pids)
    with Memory(store) as memory:
        store = memory.engine.store
        assert 9 == len(store.payloads.tail(store.banks.number("ada"), "vector"))
