"""Whatever is damaged in a store's files, nothing raw comes out and no wrong answer goes unsaid."""

import sqlite3
import time
from contextlib import closing

import pytest
from damage import WAYS, Store, campaign, outcome


@pytest.mark.parametrize("times", [12, pytest.param(400, marks=pytest.mark.slow)])
def test_damage_anywhere_is_an_error_of_ours_or_changes_no_answer(tmp_path, times):
    tried, _, findings = campaign(tmp_path, time.monotonic() + 600, times=times)

    assert times == sum(tried.values())
    assert set(tried) <= set(WAYS)
    assert [] == findings


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
