"""A store's file that is not what it was: gone, replaced, or with another schema than ours."""

import re
import shutil
import sqlite3
from contextlib import closing, contextmanager

import pytest

from hippocampus.errors import NotAStore, StoreCorrupt, StoreReadOnly, StoreReplaced
from hippocampus.salvage import salvage
from hippocampus.store import schema
from hippocampus.upkeep import verify


def gone(path):
    path.unlink()


def moved(path):
    path.rename(path.with_name("elsewhere.db"))


def replaced(path):
    shutil.copy(path, path.with_name("copy.db"))
    path.with_name("copy.db").replace(path)


def log_gone(path):
    path.with_name(f"{path.name}-wal").unlink()


def log_replaced(path):
    log = path.with_name(f"{path.name}-wal")
    log.rename(log.with_name("old"))
    log.write_bytes(b"")


@pytest.mark.parametrize("happened", [gone, moved, replaced, log_gone, log_replaced])
def test_a_write_into_a_file_without_its_name_is_not_acknowledged(memory, bank, path, happened):
    bank.remember("We met at noon.")
    happened(path)
    for _ in range(2):
        with pytest.raises(StoreReplaced, match="put the file back"):
            bank.remember("Nobody would find this.")
    with pytest.raises(StoreReplaced):
        memory.bank("another").remember("Nor this.")
    assert ["We met at noon."] == [episode.text for episode in bank.episodes()]


def test_a_file_that_comes_back_is_written_on(bank, path):
    bank.remember("We met at noon.")
    aside = path.with_name("aside.db")
    path.rename(aside)
    with pytest.raises(StoreReplaced):
        bank.remember("In between.")
    aside.rename(path)
    bank.remember("We parted at one.")

    assert 2 == len(bank.episodes())


@pytest.mark.parametrize(
    "planted",
    [
        "CREATE TRIGGER keep AFTER INSERT ON tail BEGIN DELETE FROM journal; END",
        "CREATE VIEW everything AS SELECT * FROM tail",
        "CREATE INDEX by_text ON tail (payload)",
        "CREATE TABLE stolen (payload BLOB)",
    ],
)
@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_with_more_in_it_than_a_store_is_refused_by_name(
    open_memory, path, planted, read_only
):
    open_memory().bank("ada").remember("We met at noon.")
    open_memory().close()
    db = sqlite3.connect(path, isolation_level=None)
    db.execute(planted)
    kind, name = planted.split()[1:3]
    before = path.read_bytes()
    with pytest.raises(NotAStore, match=f"holds what no store has: {kind.lower()} '{name}'"):
        open_memory(read_only=read_only)
    assert before == path.read_bytes()

    db.execute(f"DROP {kind} {name}")
    db.execute("ANALYZE")
    db.close()
    assert 1 == len(open_memory(read_only=read_only).bank("ada").episodes())


# ---------------------------------------------------------------- objects defined otherwise


@pytest.fixture
def closed(open_memory, path):
    """Return where a store of two banks is that nobody has open."""
    with open_memory() as memory:
        memory.bank("ada").remember("We met at noon.")
        memory.bank("bob").remember("The heron nests.")
    return path


@contextmanager
def statements(path):
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        yield db


def definition(db, name):
    ((sql,),) = db.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (name,))
    return sql


def remade(path, table, old, new):
    """Make a table anew, with the same rows, in whose definition something is otherwise."""
    with statements(path) as db:
        sql = definition(db, table)
        assert old in sql
        db.execute("PRAGMA legacy_alter_table = ON")  # what refers to it stays as it is
        indexes = db.execute(
            "SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql NOT NULL",
            (table,),
        ).fetchall()
        db.execute(f"ALTER TABLE {table} RENAME TO aside")
        db.execute(sql.replace(old, new))
        db.execute(f"INSERT INTO {table} SELECT * FROM aside")  # noqa: S608
        db.execute("DROP TABLE aside")
        for (index,) in indexes:
            db.execute(index)
        db.execute("VACUUM")


def redefined(path, name, sql):
    """Write a definition into the file itself, as one can who needs no SQLite for it."""
    with statements(path) as db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (sql, name))


def test_a_table_that_drops_what_we_write_is_refused(closed, open_memory):
    remade(
        closed,
        "tail",
        "PRIMARY KEY (bank, kind, row)",
        "PRIMARY KEY (bank, kind, row), UNIQUE (bank, kind) ON CONFLICT IGNORE",
    )
    before = closed.read_bytes()
    with pytest.raises(
        StoreCorrupt, match=r"'tail' has ', UNIQUE \(bank, kind\) ON CONFLICT IGNORE"
    ):
        open_memory()
    assert before == closed.read_bytes()


RULES = {
    "a conflict that is ignored": ("PRIMARY KEY (bank, kind, row)", " ON CONFLICT IGNORE"),
    "a check": ("kind TEXT NOT NULL", " CHECK (length(kind) > 1)"),
    "a default": ("row INTEGER NOT NULL", " DEFAULT 7"),
    "letters that are the same": ("kind TEXT NOT NULL", " COLLATE NOCASE"),
    "a reference": ("row INTEGER NOT NULL", " REFERENCES episodes ON DELETE CASCADE"),
}


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("rule", RULES)
def test_a_table_with_another_rule_is_told_by_name_without_changing_the_file(
    closed, open_memory, rule, read_only
):
    where, more = RULES[rule]
    remade(closed, "tail", where, where + more)
    before = closed.read_bytes()
    with pytest.raises(StoreCorrupt) as caught:
        open_memory(read_only=read_only)

    assert before == closed.read_bytes()
    said = str(caught.value)
    assert re.search(rf"table 'tail' has [\"']{re.escape(more.split()[0])}.* is expected", said)
    assert "doctor --salvage NEWFILE" in said


@pytest.mark.parametrize("read_only", [False, True])
def test_an_index_of_our_name_on_something_else_is_refused(closed, open_memory, read_only):
    with statements(closed) as db:
        names = [name for (name,) in db.execute(INDEXES)]
        for name in names:
            db.execute(f"DROP INDEX {name}")
        db.execute("CREATE INDEX journal_by_row ON episodes (abs(row))")
    with pytest.raises(StoreCorrupt, match=r"journal_by_row' has 'episodes .abs.row") as told:
        open_memory(read_only=read_only)
    assert "'journal (bank, row, seq)" in str(told.value)
    assert "drop it with SQLite, and the next opening makes it anew" in str(told.value)

    with statements(closed) as db:
        db.execute("DROP INDEX journal_by_row")
    assert verify(open_memory()).sound


INDEXES = "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL ORDER BY name"


def test_indexes_that_somebody_dropped_are_made_anew(closed, open_memory):
    with statements(closed) as db:
        before = db.execute(INDEXES).fetchall()
        for (name,) in before:
            db.execute(f"DROP INDEX {name}")
    with pytest.raises(StoreReadOnly, match=r"'journal_by_row', .* open it once for writing"):
        open_memory(read_only=True)
    memory = open_memory()
    memory.bank("ada").remember("We parted at one.")

    assert 2 == len(memory.bank("ada").episodes())
    assert verify(memory).sound
    with statements(closed) as db:
        assert before == db.execute(INDEXES).fetchall()
    assert 1 == len(open_memory(read_only=True).bank("bob").episodes())


def test_an_index_that_rows_contradict_cannot_be_made_anew(closed, open_memory):
    with statements(closed) as db:
        db.execute("DROP INDEX episodes_by_id")
        columns = [name for _, name, *_ in db.execute("PRAGMA table_info(episodes)")]
        copied = ", ".join("row + 1" if name == "row" else name for name in columns)
        db.execute(f"INSERT INTO episodes SELECT {copied} FROM episodes WHERE bank = 1")  # noqa: S608
    with pytest.raises(StoreCorrupt, match=r"episodes.bank, episodes.id.*salvage"):
        open_memory()


def test_a_table_that_is_missing_is_told(closed, open_memory):
    with statements(closed) as db:
        db.execute("DROP TABLE requests")
    for read_only in (False, True):
        with pytest.raises(StoreCorrupt, match="table 'requests' is missing"):
            open_memory(read_only=read_only)


HIDDEN = {
    "a trigger by SQLite's own name": (
        "INSERT INTO sqlite_schema VALUES ('trigger', 'sqlite_keep', 'tail', 0,"
        " 'CREATE TRIGGER sqlite_keep AFTER INSERT ON tail BEGIN DELETE FROM journal; END')"
    ),
    "a trigger that says it is a table of ours": (
        "INSERT INTO sqlite_schema VALUES ('table', 'tail', 'tail', 0,"
        " 'CREATE TRIGGER keep AFTER INSERT ON tail BEGIN DELETE FROM journal; END')"
    ),
    "a trigger that says it is statistics": (
        "INSERT INTO sqlite_schema VALUES ('table', 'sqlite_stat1', 'tail', 0,"
        " 'CREATE TRIGGER keep AFTER INSERT ON tail BEGIN DELETE FROM journal; END')"
    ),
}


@pytest.mark.parametrize("how", HIDDEN)
def test_an_object_that_hides_behind_a_name_is_refused(closed, open_memory, how):
    with statements(closed) as db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute(HIDDEN[how])
    with pytest.raises(
        (NotAStore, StoreCorrupt), match=r"what no store has|CREATE TRIGGER|malformed"
    ):
        open_memory()


SAME = {
    "blanks and remarks": lambda sql: sql.replace(" ", "\n\t /* kept */ ") + " -- ours",
    "letter case of keywords": lambda sql: sql.replace("NOT NULL", "not Null"),
    "letter case of names": lambda sql: sql.replace("payload", "PAYLOAD"),
    "quotes around names": lambda sql: sql.replace("bank ", '"bank" ').replace("kind ", "[kind] "),
    "quotes around the table": lambda sql: sql.replace("tail", "`tail`"),
}


@pytest.mark.parametrize("wording", SAME)
def test_a_definition_in_other_wording_is_the_same(closed, open_memory, wording):
    with statements(closed) as db:
        sql = definition(db, "tail")
    assert sql != SAME[wording](sql)
    redefined(closed, "tail", SAME[wording](sql))
    memory = open_memory()
    memory.bank("ada").remember("We parted at one.")

    assert verify(memory).sound


OTHER = {
    "a keyword in quotes": lambda sql: sql.replace("payload BLOB NOT", 'payload BLOB "NOT"'),
    "a blank that is none to SQLite": lambda sql: sql.replace("payload BLOB", "payload\xa0BLOB"),
    "a letter that is small elsewhere": lambda sql: sql.replace("kind", "\N{KELVIN SIGN}ind"),
    "a remark without an end": lambda sql: sql + " STRICT /* and so on",
}


@pytest.mark.parametrize("wording", OTHER)
def test_a_definition_that_only_looks_the_same_is_another(closed, open_memory, wording):
    with statements(closed) as db:
        sql = definition(db, "tail")
    assert sql != OTHER[wording](sql)
    redefined(closed, "tail", OTHER[wording](sql))
    with pytest.raises(StoreCorrupt):
        open_memory()


def test_every_earlier_format_is_compared_with_its_own_schema(tmp_path, open_memory):
    for number in range(1, schema.FORMAT):
        path = tmp_path / f"format-{number}.db"
        with statements(path) as db:
            schema.migrate(db, schema.MIGRATIONS[:number])
            db.execute("DROP INDEX episodes_by_source")
        assert verify(open_memory(path.name)).sound

        path = tmp_path / f"other-{number}.db"
        with statements(path) as db:
            schema.migrate(db, schema.MIGRATIONS[:number])
        remade(path, "blocks", "count > 0", "count > 1")
        with pytest.raises(StoreCorrupt, match=r"table 'blocks' has '1.* where '0"):
            open_memory(path.name)


def test_verify_tells_what_was_changed_while_the_store_is_open(memory, bank, path):
    bank.remember("We met at noon.")
    with statements(path) as db:
        db.execute("DROP INDEX episodes_by_source")
        db.execute("CREATE INDEX by_text ON tail (payload)")
    told = "\n".join(verify(memory).problems)

    assert "schema: index 'episodes_by_source' is missing; the next opening makes it" in told
    assert "schema: index 'by_text' is what no store has; drop it with SQLite" in told


def test_salvage_reads_tables_with_other_rules_while_telling_of_them(closed, open_memory):
    remade(closed, "tail", "kind TEXT NOT NULL", "kind TEXT NOT NULL CHECK (length(kind) < 99)")
    with statements(closed) as db:
        db.execute("CREATE TRIGGER keep AFTER INSERT ON tail BEGIN DELETE FROM journal; END")
    memory = open_memory("new.db")
    found = salvage(closed, memory)

    assert {"ada": 1, "bob": 1} == found.banks
    assert ["We met at noon."] == [episode.text for episode in memory.bank("ada").episodes()]
    assert "schema: trigger 'keep', which no store has" in found.lost
    assert any("table 'tail' has 'CHECK (length" in line for line in found.lost)
    assert verify(memory).sound


@pytest.mark.parametrize(
    "instead",
    [
        "CREATE VIEW episodes AS SELECT * FROM aside",
        "CREATE TABLE episodes (bank, row, id AS (printf('%d', row)))",
    ],
)
def test_salvage_runs_nothing_that_stands_in_the_place_of_a_table(closed, open_memory, instead):
    with statements(closed) as db:
        db.execute("PRAGMA legacy_alter_table = ON")
        db.execute("ALTER TABLE episodes RENAME TO aside")
        db.execute(instead)
    memory = open_memory("new.db")
    found = salvage(closed, memory)

    assert {"ada": 1, "bob": 1} == found.banks
    assert any("schema: " in line and "'episodes'" in line for line in found.lost)
    assert ["We met at noon."] == [episode.text for episode in memory.bank("ada").episodes()]
    assert "salvaged-0" == memory.bank("ada").episodes()[0].id  # its id was in the table alone
