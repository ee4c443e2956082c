"""Every journal row is an event, and every event is the row that was always written for it."""

import gzip
import json
import sqlite3
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from journal_life import EAGER, live

from hippocampus.core import events
from hippocampus.core.events import (
    Event,
    JournalEvent,
    JournalRow,
    Unknown,
    class_of,
    decode,
    encode,
    fields_of,
    kind_of,
)
from hippocampus.core.records import STATE_CHANGES, states_told
from hippocampus.errors import HippocampusError, SourceError, StoreCorrupt
from hippocampus.upkeep import verify

HERE = Path(__file__).parent
ROWS = HERE / "journal_rows.json"
SAMPLES = sorted((HERE.parent / "store" / "samples").glob("*.db.gz"))
CLASSES = [event for event in get_args(Event) if event is not Unknown]
KINDS = [kind_of(event) for event in CLASSES]
WRITTEN = {
    "absorb": ['{"by":"e1"}', '{"supersedes":"e1"}'],
    "annotate": ['{"at":5,"by":"e1","why":"elaborated"}'],
    "clear": ['{"undoes":2}'],
    "fade": ['{"level":0,"undoes":2,"was":3}'],
    "policy": ['{"policy":null}', '{"policy":{"cap":0.25,"importance":"signals","near":null}}'],
    "restore": ['{"why":"what stood for it was erased"}'],
    "slept": [
        '{"policy":{},"rows":0,"sleep":1,"steps":{}}',
        '{"over":[],"policy":{},"rows":0,"sleep":1,"steps":{"forget":{}}}',
    ],
}  # fmt: skip
"""What is written as well, and does not occur in the life of ``journal_life``."""


def row_of(kind, detail, row=None):
    return JournalRow(7, 1_000, kind, row, detail)


def read(kind, detail):
    return decode(row_of(kind, detail), bank="ada", path="memory.db")


@pytest.fixture(scope="module")
def golden():
    return json.loads(ROWS.read_text(encoding="utf-8"))


def subclasses(base):
    return {base}.union(*map(subclasses, base.__subclasses__()))


# ---------------------------------------------------------------- the union


def test_every_class_is_in_the_union_under_a_kind_of_its_own():
    bases = {JournalEvent, events.SleepEvent, events.InvertibleEvent}

    assert set(get_args(Event)) == subclasses(JournalEvent) - bases
    assert 38 == len(CLASSES) == len(set(KINDS))
    assert [class_of(kind) for kind in KINDS] == CLASSES
    assert Unknown is class_of("from a later version")
    with pytest.raises(ValueError, match="no kind"):
        kind_of(Unknown)


@pytest.mark.parametrize("event", [*get_args(Event)], ids=lambda event: event.__name__)
def test_every_class_says_in_a_line_what_happened(event):
    first = event.__doc__.strip().splitlines()[0]

    assert first[0].isupper() or first.startswith("``")
    assert first.endswith(".")


# ---------------------------------------------------------------- the bytes


@pytest.mark.slow
def test_a_life_writes_byte_for_byte_what_was_written_before_there_were_events(
    open_memory, clock, tmp_path, golden, pytestconfig
):
    told = live(open_memory(config=EAGER), clock, tmp_path)
    if pytestconfig.getoption("--golden"):
        moments = (
            f" {json.dumps(moment)}: [\n"
            + ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows)
            + "\n ]"
            for moment, rows in told.items()
        )
        ROWS.write_text("{\n" + ",\n".join(moments) + "\n}\n", encoding="utf-8")
        return

    assert set(KINDS) == {kind for rows in told.values() for kind, _, _ in rows}
    assert _lasting(golden) == _lasting(told), "if that is meant, write it anew with --golden"


def _lasting(rows_by_moment):
    """Return rows without what depends on the policy's fields, and on what steps count."""
    return {
        moment: [
            (kind, row, sorted(json.loads(detail)) if kind in ("policy", "slept") else detail)
            for kind, row, detail in rows
        ]
        for moment, rows in rows_by_moment.items()
    }


def test_every_row_that_was_written_is_written_again_as_it_was(golden):
    rows = [(kind, detail) for moment in golden.values() for kind, _, detail in moment]
    rows += [(kind, detail) for kind, details in WRITTEN.items() for detail in details]
    assert set(KINDS) == {kind for kind, _ in rows}
    for kind, detail in rows:
        # What an import takes over, it spaces otherwise.
        compact = events._JSON.encode(json.loads(detail)) if '": ' in detail else detail
        assert (kind, compact) == encode(read(kind, detail))
        assert class_of(kind) is type(read(kind, detail))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_every_row_of_a_store_of_an_earlier_version_is_an_event(path, tmp_path):
    (tmp_path / "old.db").write_bytes(gzip.decompress(path.read_bytes()))
    db = sqlite3.connect(tmp_path / "old.db")
    rows = db.execute("SELECT seq, at, kind, row, detail FROM journal").fetchall()
    db.close()

    assert rows
    for values in rows:
        event = decode(JournalRow(*values), bank="ada", path=path)
        assert not isinstance(event, Unknown)
        assert values[2::2] == encode(event)


# ---------------------------------------------------------------- what else may stand there


def test_of_an_erased_episode_every_event_is_left_without_its_details():
    of_banks = {
        "asleep", "slept", "sleep", "rebuild", "policy", "anchors", "recall", "consolidate",
        "shorten", "include",
    }  # fmt: skip
    for kind in set(KINDS) - of_banks:
        assert class_of(kind)() == read(kind, "{}")
        assert (kind, "{}") == encode(read(kind, "{}"))


def test_a_row_is_read_by_its_known_fields_with_defaults_for_those_it_lacks():
    slept = read("slept", '{"again":true,"policy":{},"rows":3,"sleep":1,"steps":{}}')

    assert slept.over is None
    assert () == read("consolidate", '{"promoted":[1],"traces":[[5,1]]}').demoted
    assert events.Corrected(by="e1") == read("correct", '{"by":"e1","from":"later"}')
    assert events.Held(why="a court") == read("hold", '{"journal.kind":"pin","why":"a court"}')


def test_a_row_of_a_later_kind_is_kept_as_it_is():
    for detail in ('{"of": "later"}', "not even JSON"):
        event = read("dreamt", detail)
        assert Unknown(kind="dreamt", detail=detail) == event
        assert ("dreamt", detail) == encode(event)


def test_a_row_of_a_later_kind_goes_through_export_and_import(open_memory, tmp_path):
    memory = open_memory()
    bank = memory.bank("ada")
    bank.remember("The kettle is blue.")
    with memory.engine.store.write():
        later = JournalRow(2, 2_000_000_000_000_000, "dreamt", 0, '{"of": "kettles"}')
        memory.engine.store.journal.append(memory.engine.store.banks.number("ada"), [later])
    bank.export(tmp_path / "ada.jsonl")
    copy = memory.bank("copy")
    copy.import_(tmp_path / "ada.jsonl")

    for one in (bank, copy):
        (_, change) = one.journal()
        assert ("dreamt", {"of": "kettles"}) == (change.kind, change.detail)
        assert one.recall("kettle")


@pytest.mark.parametrize(
    ("kind", "detail", "told"),
    [
        ("feedback", "{", "Expecting property name"),
        ("feedback", "[]", "expected an object, got list"),
        ("feedback", '{"helpful":"yes"}', "Expected `bool | null`, got `str`"),
        ("asleep", "{}", "missing required field `sleep`"),
        ("recall", '{"shown":[[1,"a"]]}', "Expected `int`, got `str`"),
    ],
)
def test_damage_says_which_change_of_which_bank_and_what_is_wrong(kind, detail, told):
    with pytest.raises(StoreCorrupt) as caught:
        read(kind, detail)

    assert f"memory.db: change 7 of bank 'ada', '{kind}', cannot be read" in str(caught.value)
    assert told in str(caught.value)


def test_a_damaged_row_is_a_store_error_where_the_journal_is_read(open_memory):
    memory = open_memory()
    bank = memory.bank("ada")
    kept = bank.remember("The kettle is blue.")
    with memory.engine.store.write():
        number = memory.engine.store.banks.number("ada")
        memory.engine.store.journal.append(
            number, [JournalRow(2, 2_000_000_000_000_000, "feedback", 0, "{")]
        )

    for ask in (bank.journal, lambda: bank.recall("kettle"), lambda: bank.uses(kept.id)):
        with pytest.raises(StoreCorrupt, match="change 2 of bank"):
            ask()


@pytest.mark.parametrize("kind", ["feedback", "later"])
def test_verify_reports_every_change_that_cannot_be_read(open_memory, kind):
    memory = open_memory()
    bank = memory.bank("ada")
    bank.remember("The kettle is blue.")
    with memory.engine.store.write():
        number = memory.engine.store.banks.number("ada")
        rows = [JournalRow(seq, 2_000_000_000_000_000, kind, 0, "{") for seq in (2, 3)]
        memory.engine.store.journal.append(number, rows)

    problems = verify(memory).problems

    assert 2 == len(problems)
    assert f"change 2 of bank 'ada', '{kind}', cannot be read" in problems[0]
    assert f"change 3 of bank 'ada', '{kind}', cannot be read" in problems[1]


def test_an_export_whose_changes_are_no_events_is_not_taken_in(open_memory, tmp_path):
    memory = open_memory()
    bank = memory.bank("ada")
    bank.feedback(bank.remember("The kettle is blue.").id, helpful=True)
    bank.export(tmp_path / "ada.jsonl")
    written = (tmp_path / "ada.jsonl").read_text(encoding="utf-8")
    (tmp_path / "ada.jsonl").write_text(written.replace("true", '"yes"'), encoding="utf-8")

    with pytest.raises(SourceError, match="nothing was imported"):
        memory.bank("copy").import_(tmp_path / "ada.jsonl")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
NAMES = st.sampled_from(sorted({name for event in CLASSES for name in event.__struct_fields__}))
DETAILS = st.dictionaries(NAMES | st.text(), VALUES, max_size=6) | VALUES


@given(kind=st.sampled_from([*KINDS, "later"]), detail=DETAILS.map(json.dumps) | st.text())
def test_whatever_stands_in_a_row_is_an_event_or_one_of_our_errors(kind, detail):
    row = row_of(kind, detail)
    try:
        event = decode(row, bank="ada", path="memory.db")
    except HippocampusError:
        return
    assert class_of(kind) is type(event)
    again = decode(row._replace(detail=encode(event)[1]), bank="ada", path="memory.db")
    assert encode(event) == encode(again)


@given(detail=DETAILS.map(json.dumps) | st.text())
def test_what_is_shown_of_a_journal_is_what_stands_there_or_one_of_our_errors(detail):
    try:
        shown = fields_of(row_of("later", detail), bank="ada", path="memory.db")
    except HippocampusError:
        return
    assert json.dumps(shown) == json.dumps(json.loads(detail))


# ---------------------------------------------------------------- states


def test_the_last_event_that_changes_a_state_says_which_it_is():
    told = [(1, events.Remembered), (2, events.Remembered), (1, events.Forgotten), (1, Unknown)]
    told += [(2, events.Merged), (2, events.Faded), (3, events.Pinned)]

    assert {1: "forgotten", 2: "superseded", 3: "active"} == states_told(told)
    assert set(STATE_CHANGES) <= set(CLASSES)
