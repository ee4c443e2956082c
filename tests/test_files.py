"""What is written takes the place of nothing that anybody needs, and is whole or not there."""

import ast
import os
import sqlite3
import sys
from contextlib import chdir, closing
from pathlib import Path

import pytest
from in_process import invoke

import hippocampus
from hippocampus import Memory, Turn
from hippocampus.core.files import check_output, reading, reading_raw, writing
from hippocampus.errors import InputError, OutputError, OutputExists, SourceError, StoreFull
from hippocampus.llm.cassette import Cassette
from hippocampus.sleep.topic_plot import plot_topics
from hippocampus.testing import full_disk

SOURCES = Path(hippocampus.__file__).parent


def everything(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


# ---------------------------------------------------------------- every verb that writes a file


@pytest.fixture
def slept(open_memory):
    bank = open_memory().bank("ada")
    said = [f"Remark {n}: the garden of Tom in Porto has {n} pears." for n in range(12)]
    bank.remember_many([Turn(text=text, speaker="Ada") for text in said])
    bank.sleep()
    return bank


WRITERS = {
    "export": lambda bank, path, **how: bank.export(path, **how),
    "export of concepts": lambda bank, path, **how: bank.export_concepts(path, **how),
    "plot": lambda bank, path, **how: plot_topics(bank.topics(), path.with_suffix(".svg"), **how),
    "backup": lambda bank, path, **how: bank.state.engine.store.upkeep.backup(path, **how),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_an_output_replaces_a_file_only_when_told_to(slept, tmp_path, writer):
    target = tmp_path / "mine.svg"
    target.write_text("Dear diary")
    before = set(everything(tmp_path))
    with pytest.raises(OutputExists, match="--force"):
        WRITERS[writer](slept, target)
    assert "Dear diary" == target.read_text()

    WRITERS[writer](slept, target, overwrite=True)
    assert target.read_bytes() not in {b"", b"Dear diary"}
    assert before == set(everything(tmp_path)), "nothing is left beside it"
    assert 0o600 == target.stat().st_mode & 0o777


@pytest.mark.parametrize("how", [{}, {"overwrite": True}])
@pytest.mark.parametrize("writer", WRITERS)
def test_a_store_is_never_replaced_open_or_closed_by_any_of_its_names(
    slept, path, tmp_path, writer, how
):
    with Memory(tmp_path / "closed.svg", embedder="none") as other:
        other.bank("bo").remember("It is Tuesday.")
    (tmp_path / "link.svg").symlink_to(path)
    os.link(path, tmp_path / "hard.svg")
    names = ["closed.svg", "link.svg", "hard.svg"]
    if writer != "plot":  # which is told its format by the name
        names += [path.name, f"{path.name}-wal", f"{path.name}-shm", f"{path.name}-journal"]
    before = everything(tmp_path)
    for name in names:
        with pytest.raises(OutputExists, match="database"):
            WRITERS[writer](slept, tmp_path / name, **how)

    assert before == everything(tmp_path)


def test_a_database_of_another_program_is_never_replaced(slept, tmp_path):
    with closing(sqlite3.connect(tmp_path / "photos.db")) as other:
        other.execute("CREATE TABLE photos (place TEXT)")
    with pytest.raises(OutputExists, match="database"):
        slept.export(tmp_path / "photos.db", overwrite=True)


def test_what_is_no_file_is_never_written_to(slept, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for target in (tmp_path, tmp_path / "pipe", Path("/dev/null")):
        with pytest.raises(OutputExists, match="regular file"):
            slept.export(target, overwrite=True)
    with pytest.raises(OutputError, match="make the folder first"):
        slept.export(tmp_path / "no" / "out.jsonl")
    assert not Path("/dev/null").is_file()


def test_a_cassette_is_never_recorded_over_a_store(slept, path):
    for mode in ("record", "extend"):
        with pytest.raises(OutputExists, match="database"):
            Cassette(path, mode=mode)
    with pytest.raises(SourceError, match="use 'export'"):
        Cassette(path)
    assert 12 == len(slept.episodes())


@pytest.mark.parametrize(
    "arguments",
    [
        ["export", "agent.db"],
        ["export", "agent.db", "--force"],
        ["backup", "agent.db", "--force"],
        ["anchors", "export", "agent.db", "--force"],
    ],
)
def test_the_command_line_does_not_write_over_the_store(tmp_path, arguments):
    store = tmp_path / "agent.db"
    with Memory(store, embedder="none") as memory:
        memory.bank("me").remember("It is Tuesday.")
    with chdir(tmp_path):
        done = invoke(*arguments, "--store", "agent.db")

    assert done.exit_code != 0
    with Memory(store, embedder="none") as memory:
        assert 1 == len(memory.bank("me").episodes()), done.stderr


# ---------------------------------------------------------------- one file


def descriptors():
    """Return what this process has open, where the system tells."""
    return list(Path("/proc/self/fd").iterdir()) if Path("/proc/self/fd").exists() else []


def test_what_fails_leaves_only_what_was_there(tmp_path):
    target = tmp_path / "out.txt"
    target.write_text("before")

    def fail():
        with writing(target, overwrite=True) as unfinished:
            unfinished.write_text("half")
            raise KeyError

    with pytest.raises(KeyError):
        fail()

    assert {"out.txt": b"before"} == everything(tmp_path)


def test_a_file_made_while_another_is_written_is_not_replaced(tmp_path):
    target = tmp_path / "out.txt"

    def race():
        with writing(target) as unfinished:
            unfinished.write_text("mine")
            target.write_text("theirs")

    with pytest.raises(OutputExists):
        race()

    assert {"out.txt": b"theirs"} == everything(tmp_path)


def test_without_hard_links_a_file_gets_its_name_all_the_same(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    with writing(tmp_path / "out.txt") as unfinished:
        unfinished.write_text("mine")
    with pytest.raises(OutputExists), writing(tmp_path / "out.txt"):
        pass

    assert {"out.txt": b"mine"} == everything(tmp_path)


def test_a_link_that_is_followed_stays(tmp_path):
    (tmp_path / "out.txt").write_text("before")
    (tmp_path / "link").symlink_to("out.txt")
    with writing(tmp_path / "link", overwrite=True) as unfinished:
        unfinished.write_text("after")

    assert (tmp_path / "link").is_symlink()
    assert "after" == (tmp_path / "out.txt").read_text()


def test_a_full_disk_is_told_as_one(tmp_path):
    with (
        full_disk(1000),
        pytest.raises(StoreFull, match="no room"),
        writing(tmp_path / "out") as unfinished,
    ):
        unfinished.write_bytes(bytes(2000))

    assert {} == everything(tmp_path)


def test_an_error_about_another_file_is_not_told_of_the_output(tmp_path):
    with pytest.raises(FileNotFoundError, match="elsewhere"), writing(tmp_path / "out"):
        (tmp_path / "elsewhere").read_bytes()
    assert issubclass(OutputExists, (InputError, FileExistsError))


def test_names_of_logs_are_free_where_there_is_no_database(tmp_path):
    (tmp_path / "notes").write_text("no database")
    check_output(tmp_path / "notes-wal")
    check_output(tmp_path / "other-wal")


def test_a_file_is_closed_after_it_is_read_at_offsets(tmp_path):
    file = tmp_path / "some"
    file.write_bytes(b"0123456789")
    before = descriptors()
    with reading_raw(file) as read_at:
        assert b"345" == read_at(3, 3)
        assert b"89" == read_at(8, 100)
        assert b"" == read_at(10, 1)
    with reading(file) as stream:
        assert b"0123456789" == stream.read()
    assert len(before) == len(descriptors())


def test_descriptors_kept_for_a_store_go_with_it(open_memory, path):
    memory = open_memory()
    memory.bank("ada").remember("It is Tuesday.")

    def to_the_store():
        return [link for link in descriptors() if os.path.realpath(link).startswith(str(path))]

    for _ in range(3):
        for file in memory.engine.store.upkeep.files():
            with reading_raw(file) as read_at:
                assert read_at(0, 16)
    if descriptors():
        assert to_the_store()
        memory.close()
        assert [] == to_the_store()


# ---------------------------------------------------------------- one door

OPENS_ITS_OWN = {
    "encode/model_files.py",  # weights, in a folder of ours
    "server/bodies.py",  # uploads, in a temporary folder of ours
    "server/bulk.py",
}
OURS = {
    "cli/command.py: os.open",  # the null device
    "cli/__init__.py: os.open",  # likewise
    "cli/__init__.py: open",  # of a descriptor of it
    "cli/completing.py: open",  # in a cache of ours
    "cli/local_zone.py: file.read_bytes",  # the system's rules of time zones
    "cli/local_zone.py: one.read_bytes",
    "connect/invocation.py: distribution(DISTRIBUTION).read_text",  # of this installation
    "cli/resident.py: open_descriptor",  # a lock, in a folder of ours
    "cli/resident_line.py: open_descriptor",  # likewise, a port and a secret
    "cli/resident_line.py: os.fdopen",
    "core/system.py: os.open",  # for those who are named here
    "core/system.py: open_descriptor",  # only to have a file put on the disk
    "core/files.py: open_descriptor",
    "core/files.py: os.fdopen",
    "core/files.py: path.open",
    "client/clients.py: export.open",  # what was just written
    "core/key_ring.py: open_descriptor",  # made beside a ring, which is no database
    "core/key_ring.py: os.fdopen",
    "core/key_ring.py: path.open",
    "core/key_ring.py: aside.open",
    "dashboard/__init__.py: one.read_bytes",  # in the package
    "encode/encoder.py: open_descriptor",  # of a model whose hash was checked
    "llm/ask.py: (folder / f'{kind}.txt').read_text",  # of this installation
    "llm/cassette.py: self.path.write_bytes",  # checked to be no database
    "llm/cassette.py: self.path.open",
    "store/damaged_header.py: copy.open",  # a copy in a temporary folder of ours
    "store/damaged_header.py: beside(copy, _LOG).open",
    "server/shared_figures.py: path.read_text",  # in a folder that the server made for its workers
    "server/shared_figures.py: made.write_bytes",
}
NO_FILES = (
    "files(",
    "(Path(__file__)",
    "(_HERE /",
    "_FILE",
    "resource",
    "scope",
    "webbrowser",
    "memory",
    "self._opener",
    "self.open",
    "kept.open",  # a member of an archive that was read
)
OPENING = {"open", "read_bytes", "read_text", "write_bytes", "write_text", "fdopen"}
OPEN = {"open", "open_descriptor"}
"""Functions that do."""


def opened_in(source):
    """Yield (line, call) of everything that opens a file."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Attribute) and called.attr in OPENING:
                yield node.lineno, ast.unparse(called)
            elif isinstance(called, ast.Name) and called.id in OPEN:
                yield node.lineno, called.id


@pytest.mark.slow
def test_files_that_users_name_are_opened_in_one_place():
    found = {
        f"{place}: {call}": line
        for file in sorted(SOURCES.rglob("*.py"))
        if (place := file.relative_to(SOURCES).as_posix()) not in OPENS_ITS_OWN
        for line, call in opened_in(file.read_text("utf-8"))
        if not any(one in call for one in (*NO_FILES, "unfinished"))
    }

    assert set(found) <= OURS, (
        "open what users name through hippocampus.core.files, which keeps locks"
    )
    assert set(found) == OURS, "take from the list what is gone"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")
def test_a_new_store_and_its_log_are_for_their_owner_alone(tmp_path):
    store = tmp_path / "new.db"
    with Memory(store, embedder="none") as memory:
        memory.bank("ada").remember("It rains.")
        made = list(tmp_path.iterdir())
        assert len(made) == 3
        assert {one.stat().st_mode & 0o777 for one in made} == {0o600}
    store.chmod(0o640)  # as somebody wants it who shares it with a group
    with Memory(store, embedder="none") as memory:
        memory.bank("ada").remember("It pours.")
        assert {one.stat().st_mode & 0o777 for one in tmp_path.iterdir()} == {0o640}
