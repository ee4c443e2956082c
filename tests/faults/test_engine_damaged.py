"""Whatever is damaged in a store's files, nothing raw comes out and no wrong answer goes unsaid."""

import json
import sqlite3
from collections import Counter
from contextlib import closing
from types import FunctionType

import pytest
from damage import WAYS, Store, main, next_way, outcome, tries

# What is damaged may be told as a warning, which is no wrong answer.
pytestmark = pytest.mark.filterwarnings("ignore:bank .* went on without:RuntimeWarning")
FEW = {way: 2 if isinstance(how.do, FunctionType) else 50 for way, how in WAYS.items()}
FEW["a matrix"] = 2000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("damaged")


@pytest.mark.slow
@pytest.mark.parametrize("more", [1, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize("way", WAYS)
def test_damage_anywhere_is_an_error_of_ours_or_changes_no_answer(folder, way, more):
    noticed, findings = tries(folder, way, more * 1000, more * FEW[way])

    assert [] == findings
    assert noticed > 0 or "bit" in way or "log" in way or more == 1


@pytest.mark.slow
@pytest.mark.parametrize("number", [3912, 16190])
def test_bits_that_once_ended_in_an_error_of_python_do_not(folder, number):
    """One was of how many rows a block has, one of the index by which blocks are found."""
    assert (1, []) == tries(folder, "a bit", number, 1)


def test_what_is_never_tried_often_enough_is_tried_next():
    tried = Counter({way: how.wanted for way, how in WAYS.items()})
    assert "a bit" == next_way(["an export", "a bit"], tried - Counter({"a bit": 1}))
    assert "an export" == next_way(["an export", "a bit"], tried + Counter({"a bit": 100}))
    assert "a bit of a block" == next_way(list(WAYS), Counter())


@pytest.mark.slow
def test_a_report_that_is_given_again_goes_on_where_it_ended(tmp_path, monkeypatch):
    way, report = "a bit of a block", tmp_path / "damage.json"
    told = []
    for _ in range(2):
        given = ["damage.py", "--ways", way, "--seconds", "0.01", "--processes", "1",
                 "--report", str(report)]  # fmt: skip
        monkeypatch.setattr("sys.argv", given)
        main()
        told.append(json.loads(report.read_text("utf-8")))

    once, twice = (one["ways"][way] for one in told)
    assert once["tried"] == WAYS[way].at_once == once["not called sound"]
    assert twice["tried"] == 2 * WAYS[way].at_once == twice["not called sound"]
    assert [] == told[1]["findings"]
    assert 0 == told[1]["ways"]["a bit"]["tried"]


@pytest.mark.slow
@pytest.mark.parametrize("value", ["NULL", "x'00'", "'a'", "-1"])
@pytest.mark.parametrize("column", ["count", "payload", "checksum"])
def test_a_block_of_which_a_value_is_another_pages_is_told_as_damage(tmp_path, column, value):
    store = Store(tmp_path / "s", None)
    store.path.write_bytes(store.whole)
    (tmp_path / "s" / "m.db-wal").unlink(missing_ok=True)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as db:
        ((made,),) = db.execute("SELECT sql FROM sqlite_schema WHERE name = 'blocks'")
        db.execute("PRAGMA writable_schema = ON")
        change = "UPDATE sqlite_schema SET sql = ? WHERE name = 'blocks'"
        db.execute(change, (made.replace(" NOT NULL", ""),))
    with closing(sqlite3.connect(store.path, isolation_level=None)) as db:
        db.execute("PRAGMA ignore_check_constraints = ON")
        db.execute(f"UPDATE blocks SET {column} = {value} WHERE kind = 'content'")  # noqa: S608
        db.execute("PRAGMA writable_schema = ON")
        db.execute(change, (made,))

    assert (False, False) == outcome(store.path, None, store.now)


@pytest.mark.slow
@pytest.mark.parametrize("count", [0, 7, 9_844_899_140_351])
@pytest.mark.parametrize("kind", ["content", "lexical", "times", "signature", "phrase"])
def test_a_block_of_another_count_of_rows_is_told_as_damage(tmp_path, kind, count):
    store = Store(tmp_path / "s", None)
    store.path.write_bytes(store.whole)
    (tmp_path / "s" / "m.db-wal").unlink(missing_ok=True)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as db:
        db.execute("PRAGMA ignore_check_constraints = ON")
        db.execute("UPDATE blocks SET count = ? WHERE kind = ? AND first = 0", (count, kind))

    assert not outcome(store.path, None, store.now)[1]
