"""Whole banks out and in again, and folders that are imported again after they changed."""

import json
import os
import random
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from hippocampus import Config, Imported, Ingest, Memory, Turn
from hippocampus.core.clock import ManualClock
from hippocampus.errors import InputError, SourceError
from hippocampus.journal.transfer import export_bank
from hippocampus.upkeep import verify

QUESTIONS = ("garden remark", "the key", "violin lisbon", "long story about a chair")


@pytest.fixture
def lived(open_memory, clock):
    """Return a bank that has been through everything, and moments of its past."""
    bank = open_memory("lived.db", config=Config(ingest=Ingest(seal_rows=8))).bank("ada")
    return bank, live(bank, clock)


@pytest.fixture(scope="module")
def export(tmp_path_factory):
    """Return the lines of an export of such a bank."""
    path = tmp_path_factory.mktemp("export") / "out.jsonl"
    clock = ManualClock(datetime(2025, 6, 1, 12, tzinfo=UTC))
    with Memory(":memory:", embedder="none", clock=clock) as memory:
        live(memory.bank("ada"), clock)
        memory.bank("ada").export(path)
    return path.read_text(encoding="utf-8").splitlines()


def live(bank, clock):
    """Let a bank go through everything; return moments of its past."""
    moments = [clock.now()]

    def pass_time():
        moments.append(clock.now())
        clock.advance(timedelta(hours=1))

    key = bank.remember("The key is under the pot.", speaker="Ada", at="2025-03-02", session="s")
    pass_time()
    bank.remember_many(
        Turn(
            text=f"A garden remark, number {n}, with ümlauts and 🎻.",
            at=f"2025-03-{n + 3:02}T10:00+02:00",
            speaker=("Ada", "Tom", None)[n % 3],
            session=("s", None)[n % 2],
            role="user",
            metadata={"n": n, "tags": ["a", {"b": None}]},
        )
        for n in range(20)
    )
    story = " ".join(f"In room {n} of this long story stood a chair." for n in range(90))
    bank.remember(story, source="story.md", at="2024-01-01")
    pass_time()
    moved = bank.correct(key.id, "The key is with Tom.")
    pass_time()
    bank.correct(bank.correct(moved.id, "The key is lost.").id, "The key is under the pot.")
    pass_time()
    ids = [episode.id for episode in bank.episodes(session="s")]
    bank.forget(ids[2:6])
    pass_time()
    bank.restore(ids[3])
    bank.forget(ids[7], erase=True)
    pass_time()
    return moments


def answers(bank, moments):
    """Return all that a bank answers."""

    ids = [change.episode for change in bank.journal() if change.kind == "remember"]
    return {
        "episodes": bank.episodes(),
        "journal": bank.journal(),
        "histories": {id_: bank.history(id_) for id_ in ids},
        "past": [bank.episodes(as_of=moment) for moment in moments],
        "filtered": bank.episodes(where={"n": {"$gt": 4}}, speaker="tom"),
        "recall": [[(h.id, h.score) for h in bank.recall(q, k=50)] for q in QUESTIONS],
        "stats": replace(bank.stats(), stored_bytes={}),
    }


# ---------------------------------------------------------------- export and import


@pytest.mark.slow
def test_an_export_imported_into_an_empty_bank_answers_the_same(lived, open_memory, tmp_path):
    bank, moments = lived
    written = bank.export(tmp_path / "out.jsonl")
    memory = open_memory("other.db")
    copy = memory.bank("ada")
    imported = copy.import_(tmp_path / "out.jsonl")

    assert written == imported.added + 1  # the erased one
    assert answers(bank, moments) == answers(copy, moments)
    assert () == verify(memory).problems
    kept = copy.remember("The key is under the pot.", speaker="Ada", at="2025-03-02")
    assert bank.journal() == copy.journal(), "it was there already"
    assert kept == copy.get(kept.id)
    copy.export(tmp_path / "again.jsonl")
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "again.jsonl").read_bytes()


def test_importing_an_export_again_or_into_its_own_bank_changes_nothing(lived, tmp_path):
    bank, moments = lived
    written = bank.export(tmp_path / "out.jsonl")
    before = answers(bank, moments)

    assert Imported(added=0, unchanged=written, removed=0) == bank.import_(tmp_path / "out.jsonl")
    assert before == answers(bank, moments)


def test_an_export_adds_to_a_bank_what_is_in_force_and_missing(lived, open_memory, tmp_path):
    bank, _ = lived
    bank.export(tmp_path / "out.jsonl")
    memory = open_memory("other.db")
    other = memory.bank("other")
    other.remember("Here already.", session="s", at="2025-01-01")
    imported = other.import_(tmp_path / "out.jsonl")

    in_force = bank.episodes()
    assert imported.added == len(in_force)
    assert {e.id for e in in_force} <= {e.id for e in other.episodes()}
    assert {(e.text, e.address, e.part, e.parts) for e in in_force if e.session is None} <= {
        (e.text, e.address, e.part, e.parts) for e in other.episodes()
    }
    assert 1 == len({e.turn for e in other.episodes(source="story.md")})
    assert () == verify(memory).problems
    assert 0 == other.import_(tmp_path / "out.jsonl").added


def test_parts_without_their_first_are_no_turn_of_what_stands_before_them(memory, tmp_path):
    bank, other = memory.bank("ada"), memory.bank("other")
    bank.remember("Nice to meet you.", session="chat", at="2025-01-01")
    story = " ".join(f"In room {n} of this long story stood a chair." for n in range(90))
    first = bank.remember(story, session="book", at="2025-01-02")
    bank.correct(first.id, "In room 0 stood a table.")
    bank.export(tmp_path / "out.jsonl")
    other.remember("It rains.", session="chat", at="2024-12-01")
    other.remember("It rains on.", session="chat", at="2024-12-01")
    other.import_(tmp_path / "out.jsonl")

    assert {0, 1, 2} == {e.turn for e in other.episodes(session="chat")}
    told = other.episodes(session="book", limit=None)
    assert {e.text for e in bank.episodes(session="book", limit=None)} == {e.text for e in told}
    assert 1 == len({e.turn for e in told if e.part})
    assert {0, 1} == {e.turn for e in told}


def test_what_is_erased_while_an_export_is_written_is_not_in_it(open_memory, tmp_path):
    bank, there = open_memory().bank("ada"), open_memory().bank("ada")
    kept = bank.remember("The safe opens with marzipan.", speaker="Zenobia", at="2025-03-02")
    bank.remember("The dentist is on Monday.", at="2025-03-02")
    ledger = open_memory().engine.ledger("ada")
    texts = ledger.reader.texts

    def erase_first(rows):
        if there.episodes(speaker="Zenobia"):
            there.forget(kept.id, erase=True)
        return texts(rows)

    ledger.reader.texts = erase_first
    assert 2 == export_bank(ledger, tmp_path / "out.jsonl")
    assert "Zenobia" not in (tmp_path / "out.jsonl").read_text()
    copy = open_memory(":memory:")
    assert 1 == copy.bank("copy").import_(tmp_path / "out.jsonl").added
    assert () == verify(copy).problems


def test_an_export_that_is_erased_from_all_the_time_says_so(open_memory, tmp_path):
    bank = open_memory().bank("ada")
    bank.remember_many(Turn(text=f"A remark, number {n}.", at="2025-03-02") for n in range(9))
    ledger = open_memory().engine.ledger("ada")
    texts = ledger.reader.texts

    def erase_one(rows):
        bank.forget(bank.episodes()[0].id, erase=True)
        return texts(rows)

    ledger.reader.texts = erase_one
    with pytest.raises(InputError, match="being erased from"):
        export_bank(ledger, tmp_path / "out.jsonl")
    assert [] == list(tmp_path.glob("out*"))


def test_what_is_erased_while_its_file_is_imported_again_stays_erased(open_memory, tmp_path):
    note = tmp_path / "note.md"
    note.write_text("The safe opens with marzipan.")
    here, there = open_memory(), open_memory().bank("ada")
    bank = here.bank("ada")
    bank.import_(note)
    (kept,) = bank.episodes()
    note.write_text("The safe is empty.")
    transaction = bank.state.transaction

    def erase_meanwhile(**how):
        if kept.id in {one.id for one in there.episodes()}:
            there.forget(kept.id, erase=True)
        return transaction(**how)

    bank.state.transaction = erase_meanwhile
    assert 1 == bank.import_(note).added
    assert "erase" == bank.history(kept.id)[-1].kind
    assert () == verify(here).problems


@pytest.mark.slow
def test_an_export_made_while_others_write_is_one_moment(open_memory, tmp_path):
    memory = open_memory()
    bank = memory.bank("ada")
    bank.remember_many(Turn(text=f"A remark, number {n}.", at="2025-03-02") for n in range(200))
    stop = threading.Event()

    def write():
        writer = open_memory().bank("ada")
        number = 200
        while not stop.is_set():
            kept = writer.remember(f"A remark, number {number}.", at="2025-03-02")
            writer.forget(kept.id)
            number += 1

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for n in range(5):
            bank.export(tmp_path / f"{n}.jsonl")
    finally:
        stop.set()
        thread.join()
    for n in range(5):
        copy = open_memory(":memory:")
        copy.bank("copy").import_(tmp_path / f"{n}.jsonl")
        assert 200 <= copy.bank("copy").stats().episodes <= 201
        assert () == verify(copy).problems


def damage_lines(lines, number, change):
    record = json.loads(lines[number])
    change(record)
    return [*lines[:number], json.dumps(record), *lines[number + 1 :]]


def set_in(part, values):
    return lambda record: record[part].update(values)


def with_change(lines, kind, **detail):
    """Return an export that ends with one change more."""
    end = json.loads(lines[-1])
    end["end"]["changes"] += 1
    change = {"seq": end["end"]["changes"], "at": 0, "kind": kind, "episode": None}
    return [*lines[:-1], json.dumps({"change": {**change, "detail": detail}}), json.dumps(end)]


DAMAGE = {
    "more sleeps than changes": lambda lines: with_change(lines, "asleep", sleep=999, steps=[]),
    "cut in a line": lambda lines: [*lines[:-3], lines[-3][:40]],
    "cut between lines": lambda lines: lines[:-1],
    "a change missing": lambda lines: [*lines[:-2], lines[-1]],
    "an episode missing": lambda lines: [lines[0], *lines[2:]],
    "an episode twice": lambda lines: [*lines[:2], *lines[1:]],
    "not JSON": lambda lines: [*lines[:3], "{", *lines[4:]],
    "no object": lambda lines: [*lines[:3], "[1]", *lines[4:]],
    "null": lambda lines: [*lines[:3], "null", *lines[4:]],
    "of no kind": lambda lines: [*lines[:3], '{"note": {}}', *lines[4:]],
    "nested too deep": lambda lines: [*lines[:3], "[" * 100_000, *lines[4:]],
    "another format": lambda lines: ['{"hippocampus-export":2,"bank":"ada"}', *lines[1:]],
    "something after the end": lambda lines: [*lines, lines[1]],
    **{
        f"{kind} with {values}": lambda lines, kind=kind, values=values: damage_lines(
            lines, 1 if kind == "episode" else -4, set_in(kind, values)
        )
        for kind, values in [
            ("episode", {"said_at": 10**30}),
            ("episode", {"said_at": "2025"}),
            ("episode", {"noted_at": None}),
            ("episode", {"text": None}),
            ("episode", {"text": ""}),
            ("episode", {"text": "\ud800"}),
            ("episode", {"speaker": 3}),
            ("episode", {"metadata": []}),
            ("episode", {"metadata": {"a": float("nan")}}),
            ("episode", {"state": "happy"}),
            ("episode", {"state": "forgotten"}),
            ("episode", {"turn": "first"}),
            ("episode", {"turn": 2**40}),
            ("episode", {"part": 3}),
            ("episode", {"supersedes": "ffff"}),
            ("episode", {"id": 3}),
            ("change", {"seq": 99}),
            ("change", {"at": -(10**30)}),
            ("change", {"episode": "ffff"}),
            ("change", {"detail": "x"}),
            ("change", {"kind": None}),
        ]
    },
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_export_is_refused_whole(export, open_memory, tmp_path, name):
    (tmp_path / "out.jsonl").write_text("\n".join(DAMAGE[name](export)) + "\n")
    memory = open_memory(":memory:")
    with pytest.raises(SourceError, match=r"out\.jsonl"):
        memory.bank("copy").import_(tmp_path / "out.jsonl")

    assert [] == memory.banks()


@pytest.mark.slow
def test_an_export_with_any_byte_changed_is_refused_or_still_sound(export, open_memory, tmp_path):
    whole = ("\n".join(export) + "\n").encode()
    chance = random.Random(0)  # noqa: S311
    for _ in range(40):
        place = chance.randrange(len(whole))
        broken = whole[:place] + bytes([chance.randrange(256)]) + whole[place + 1 :]
        (tmp_path / "out.jsonl").write_bytes(broken)
        memory = open_memory(":memory:", embedder="none")
        try:
            memory.bank("copy").import_(tmp_path / "out.jsonl", format="hippocampus")
        except InputError:
            assert [] == memory.banks()
        else:  # a letter of a text, a digit of a time: still a bank, and a sound one
            assert () == verify(memory).problems
        memory.close()


def test_no_more_rows_are_read_than_there_are_whatever_an_export_says_of_parts(
    memory, tmp_path, monkeypatch
):
    bank, other = memory.bank("ada"), memory.bank("other")
    first = bank.remember("The key is under the pot.")
    bank.correct(first.id, "The key is under the mat.")
    bank.export(tmp_path / "out.jsonl")
    told = (tmp_path / "out.jsonl").read_text("utf-8")
    made_up = told.replace('"parts":1', '"parts":2147483647')
    (tmp_path / "made up.jsonl").write_text(made_up, "utf-8")
    other.import_(tmp_path / "made up.jsonl")
    episodes, asked = memory.engine.store.episodes, []
    read = episodes.read

    def counted(bank, rows):
        assert len(rows) <= 2
        asked.append(rows)
        return read(bank, rows)

    monkeypatch.setattr(episodes, "read", counted)
    (last,) = other.episodes()
    assert 2 == len({change.episode for change in other.history(last.id)})
    assert 1 == other.forget(last.id)
    assert 2 == other.forget(last.id, erase=True)
    assert range(2) in asked


def test_what_is_no_export_is_told_so(bank, tmp_path):
    (tmp_path / "notes.md").write_text("# Notes\n\nThe key is under the pot.\n")
    with pytest.raises(SourceError, match="not an export"):
        bank.import_(tmp_path / "notes.md", format="hippocampus")


# ---------------------------------------------------------------- folders that change


@pytest.fixture
def folder(tmp_path):
    """Return a folder of notes, and a way to write into it."""
    root = tmp_path / "notes"
    root.mkdir()

    def write(name, text, day=1):
        file = root / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        stamp = 1_740_000_000 + day * 86_400
        os.utime(file, (stamp, stamp))

    return root, write


SMALL = Config(ingest=Ingest(chunk_tokens=18))
PARAGRAPHS = (
    "The spare key is under the blue pot beside the garden door.",
    "Tom plays the violin on Thursdays with the orchestra in Lisbon.",
    "The dentist moved the appointment to the second week of May.",
    "Winter tyres are in the cellar behind the old bicycle and the sledge.",
)


def note(*paragraphs):
    return "\n\n".join(paragraphs) + "\n"


def said(bank):
    return sorted(episode.text.strip() for episode in bank.episodes())


@pytest.fixture
def notes(open_memory):
    """Return an empty bank that cuts a note at each paragraph."""
    return open_memory(config=SMALL).bank("notes")


def test_importing_again_changes_nothing(notes, folder):
    root, write = folder
    write("a.md", note(*PARAGRAPHS))
    write("sub/b.txt", "A second file.")
    first = notes.import_(root)
    journal = notes.journal()

    assert Imported(added=5, unchanged=0, removed=0) == first
    assert Imported(added=0, unchanged=5, removed=0) == notes.import_(root)
    write("a.md", note(*PARAGRAPHS), day=9)  # only touched
    assert Imported(added=0, unchanged=5, removed=0) == notes.import_(root)
    assert journal == notes.journal()


def test_a_new_paragraph_and_a_new_file_are_added(notes, folder):
    root, write = folder
    write("a.md", note(*PARAGRAPHS[:3]))
    notes.import_(root)
    write("a.md", note(*PARAGRAPHS), day=2)
    write("b.md", "A second file.")

    assert Imported(added=2, unchanged=3, removed=0) == notes.import_(root)
    assert sorted([*PARAGRAPHS, "A second file."]) == said(notes)


def test_an_edited_paragraph_takes_the_place_of_the_old_one(notes, folder):
    root, write = folder
    write("a.md", note(*PARAGRAPHS))
    notes.import_(root)
    edited = [*PARAGRAPHS[:1], "Tom plays the cello on Thursdays with the orchestra in Lisbon."]
    write("a.md", note(*edited, *PARAGRAPHS[2:]), day=2)

    assert Imported(added=1, unchanged=3, removed=1) == notes.import_(root)
    assert sorted([*edited, *PARAGRAPHS[2:]]) == said(notes)


def test_a_removed_paragraph_is_hidden_until_the_file_has_it_again(notes, folder):
    root, write = folder
    write("a.md", note(*PARAGRAPHS))
    notes.import_(root)
    before = notes.episodes()
    write("a.md", note(*PARAGRAPHS[:2]), day=2)

    assert Imported(added=0, unchanged=2, removed=2) == notes.import_(root)
    assert sorted(PARAGRAPHS[:2]) == said(notes)
    write("a.md", note(*PARAGRAPHS), day=3)
    assert Imported(added=2, unchanged=2, removed=0) == notes.import_(root)
    assert before == notes.episodes()


def test_what_a_user_forgot_stays_forgotten(notes, folder):
    root, write = folder
    write("a.md", note(*PARAGRAPHS))
    notes.import_(root)
    (gone,) = (e for e in notes.episodes() if "violin" in e.text)
    notes.forget(gone.id)
    for day, texts in ((1, PARAGRAPHS), (2, PARAGRAPHS), (3, PARAGRAPHS[1:])):
        write("a.md", note(*texts), day=day)
        notes.import_(root)
        assert not any("violin" in text for text in said(notes))
    assert "forgotten" == notes.get(gone.id).state


def test_what_a_user_corrected_stays_corrected(notes, folder):
    root, write = folder
    write("a.md", note(*PARAGRAPHS))
    notes.import_(root)
    (old,) = (e for e in notes.episodes() if "dentist" in e.text)
    notes.correct(old.id, "The dentist moved the appointment to June.")
    expected = said(notes)
    for day in (1, 2):
        write("a.md", note(*PARAGRAPHS), day=day)
        assert Imported(added=0, unchanged=4, removed=0) == notes.import_(root)
        assert expected == said(notes)
    write("a.md", note(*PARAGRAPHS[:2]), day=3)
    notes.import_(root)
    assert sorted(PARAGRAPHS[:2]) == said(notes)


def test_what_a_user_erased_does_not_come_back(notes, folder):
    root, write = folder
    write("a.md", note(*PARAGRAPHS))
    notes.import_(root)
    (gone,) = (e for e in notes.episodes() if "violin" in e.text)
    notes.forget(gone.id, erase=True)
    notes.import_(root)

    assert not any("violin" in text for text in said(notes))


def test_long_turns_of_a_chat_are_recognised_in_all_their_parts(notes, tmp_path):
    long = " ".join(f"In room {n} there stood a chair." for n in range(40))
    messages = [{"role": "user", "content": long}, {"role": "assistant", "content": "I see."}]
    file = tmp_path / "chat.jsonl"
    file.write_text("\n".join(map(json.dumps, messages)))
    first = notes.import_(file)
    os.utime(file, (1_750_000_000, 1_750_000_000))

    assert first.added > 5
    again = notes.import_(file)
    assert (0, 0) == (again.added, again.removed)


def test_a_file_that_cannot_be_read_is_reported_without_stopping_the_rest(notes, folder):
    root, write = folder
    write("a.md", PARAGRAPHS[0])
    (root / "b.md").write_bytes(b"\0\1\2 binary")
    (root / "c.json").write_text("{")
    write("d.md", PARAGRAPHS[1])
    imported = notes.import_(root)

    assert 2 == imported.added
    assert {"b.md", "c.json"} == {path for path, _ in imported.unreadable}
    assert sorted(PARAGRAPHS[:2]) == said(notes)
    with pytest.raises(InputError):
        notes.import_(root / "nowhere.md")


def test_progress_goes_from_nothing_to_all(notes, folder):
    root, write = folder
    write("a.md", note(*PARAGRAPHS))
    write("b.md", note(*PARAGRAPHS[:2]))
    seen = []
    notes.import_(root, progress=lambda done, total: seen.append((done, total)))

    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1] > 0
