"""Sources: files that are edited, renamed, moved and deleted, and others of the same name."""

import gzip
import json
import os
import re
import shutil
import sys
from collections import Counter
from contextlib import suppress
from datetime import timedelta
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hippocampus import Config, Ingest, Memory, Turn
from hippocampus.core.budget import Budget
from hippocampus.core.events import RemovedFromSource, Restored
from hippocampus.core.path_text import path_of_text, path_text
from hippocampus.errors import EncoderError, InputError, InvalidFilter, OverBudget, UnknownSource
from hippocampus.testing import Fails, ScriptedEmbedder
from hippocampus.upkeep import reindex, verify
from hippocampus.write.file_import import read_files

TEXTS = (
    "The roof of the boat house leaks.",
    "Nina plays chess on Fridays!",
    "Buy seven green apples",
    "Zürich → 10 December, window seat",
    "My locker has number 4711.",
)
"""Of which no two are alike."""
NAMES = ("todo.md", "plan.txt", "sub/todo.md")
TREES = ("work", "home")


class Trees:
    """Two folders on a disk, and what a bank that imports them should know of them."""

    def __init__(self, root):
        self.root = root
        self.said = {tree: {} for tree in TREES}
        for tree in TREES:
            (root / tree).mkdir(parents=True)

    def file(self, tree, name):
        return self.root / tree / name

    def on_disk(self, tree):
        return {
            name: self.file(tree, name).read_text("utf-8")
            for name in NAMES
            if self.file(tree, name).exists()
        }

    def write(self, tree, name, text, day):
        file = self.file(tree, name)
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        os.utime(file, (1_700_000_000 + 86_400 * day, 1_700_000_000 + 86_400 * day))

    def delete(self, tree, name):
        self.file(tree, name).unlink(missing_ok=True)

    def rename(self, tree, name, to):
        if self.file(tree, name).exists():
            self.file(tree, to).parent.mkdir(exist_ok=True)
            self.file(tree, name).rename(self.file(tree, to))

    def imported(self, tree, *, sync):
        """Note what a bank should know once it has imported a folder."""
        there, said = self.on_disk(tree), self.said[tree]
        new = {name: text for name, text in there.items() if name not in said}
        for other in TREES:  # moved from there, under the same name
            pairs = {n: t for n, t in new.items() if other != tree and self._gone(other, n)}
            same = [n for n, text in pairs.items() if self.said[other][n] == text]
            for name in pairs if len(same) > 1 and 2 * len(same) >= len(pairs) else same:
                del self.said[other][name], new[name]
        for text in new.values():  # or known by another name
            for other in sorted(TREES, key=lambda one: one != tree):
                found = [n for n, t in self.said[other].items() if t == text]
                found = [n for n in found if self._gone(other, n)]
                if found:
                    del self.said[other][found[0]]
                    break
        said |= there
        for name in [n for n in said if n not in there] if sync else ():
            del said[name]

    def _gone(self, tree, name):
        return name in self.said[tree] and not self.file(tree, name).exists()

    @property
    def texts(self):
        return {text for tree in TREES for text in self.said[tree].values()}


def shown(bank):
    return {episode.text for episode in bank.episodes()}


STEPS = st.one_of(
    st.tuples(
        st.just("write"), st.sampled_from(TREES), st.sampled_from(NAMES), st.sampled_from(TEXTS),
        st.integers(0, 1),
    ),
    st.tuples(st.just("delete"), st.sampled_from(TREES), st.sampled_from(NAMES)),
    st.tuples(
        st.just("rename"), st.sampled_from(TREES), st.sampled_from(NAMES), st.sampled_from(NAMES)
    ),
    st.tuples(st.just("import"), st.sampled_from(TREES), st.booleans()),
)  # fmt: skip


def walk(bank, trees, steps):
    """Go some steps, and compare the bank with what it should know after each import."""
    for step, *about in steps:
        if step != "import":
            getattr(trees, step)(*about)
            continue
        tree, sync = about
        trees.imported(tree, sync=sync)
        bank.import_(trees.root / tree, sync=sync)
        assert shown(bank) == trees.texts
        journal = len(bank.journal())
        again = bank.import_(trees.root / tree, sync=sync)
        assert (again.added, again.removed, again.renamed) == (0, 0, 0), "nothing was new"
        assert len(bank.journal()) == journal


@given(steps=st.lists(STEPS, max_size=25))
def test_two_folders_of_the_same_names_are_what_they_were_when_last_imported(
    tmp_path_factory, steps
):
    with Memory(":memory:", embedder="none") as memory:
        trees = Trees(tmp_path_factory.mktemp("trees"))
        walk(memory.bank("ada"), trees, steps)
        assert verify(memory).sound
        shutil.rmtree(trees.root)


# ---------------------------------------------------------------- stores of earlier versions


def import_as_before(bank, folder):
    """Import as versions did that knew of a source nothing but the name."""
    engine = bank.state.engine
    read = read_files(
        folder, format=None, chunk_tokens=engine.config.ingest.chunk_tokens, now=engine.now(),
        zone=engine.zone,
    )  # fmt: skip
    for file in read.files:
        ledger = engine.ledger(bank.name, create=True)
        rows = ledger.store.episodes.from_source(ledger.bank, file.name)
        texts = ledger.reader.texts([e.row for e in rows])
        wanted = {turn.text for turn in file.turns}
        gone = [e.row for e in rows if e.state == "active" and texts[e.row] not in wanted]
        back = [e.row for e in rows if e.state == "forgotten" and texts[e.row] in wanted]
        with bank.state.transaction() as books:
            if gone:
                books.writer.change(gone, RemovedFromSource(source=file.name))
            if back:
                books.writer.change(back, Restored(source=file.name))
        bank.remember_many(turn for turn in file.turns if turn.text not in texts.values())


@given(before=st.lists(STEPS, max_size=12), after=st.lists(STEPS, max_size=12))
def test_a_folder_that_an_earlier_version_imported_goes_on_without_anything_twice(
    tmp_path_factory, before, after
):
    with Memory(":memory:", embedder="none") as memory:
        bank, trees = memory.bank("ada"), Trees(tmp_path_factory.mktemp("trees"))
        for step, *about in before:
            if step == "import":
                import_as_before(bank, trees.root / "work")
            else:
                getattr(trees, step)(*about)
        import_as_before(bank, trees.root / "work")
        old = shown(bank)
        first = bank.import_(trees.root / "work")
        trees.imported("work", sync=False)
        back = shown(bank) - old  # it was withdrawn though another file had it as well
        assert (first.added, first.removed) == (len(back), 0)
        assert old <= shown(bank) <= old | trees.texts
        left = old - trees.texts
        for step, *about in after:
            if step != "import":
                getattr(trees, step)(*about)
                continue
            trees.imported(about[0], sync=about[1])
            bank.import_(trees.root / about[0], sync=about[1])
            assert trees.texts <= shown(bank) <= trees.texts | left
            again = bank.import_(trees.root / about[0], sync=about[1])
            assert (again.added, again.removed, again.renamed) == (0, 0, 0)
        assert max(Counter(e.text for e in bank.episodes()).values(), default=0) <= 4
        assert verify(memory).sound
        shutil.rmtree(trees.root)


@given(before=st.lists(STEPS, max_size=12))
def test_two_folders_that_an_earlier_version_took_for_one_come_apart(tmp_path_factory, before):
    with Memory(":memory:", embedder="none") as memory:
        bank, trees = memory.bank("ada"), Trees(tmp_path_factory.mktemp("trees"))
        for step, *about in before:
            if step == "import":
                import_as_before(bank, trees.root / about[0])
            else:
                getattr(trees, step)(*about)
        for tree in TREES:
            import_as_before(bank, trees.root / tree)
        old = shown(bank)
        for tree in TREES:
            bank.import_(trees.root / tree)
            trees.imported(tree, sync=False)
            assert old <= shown(bank), "nothing was withdrawn"
        assert trees.texts <= shown(bank)
        for tree in TREES:
            again = bank.import_(trees.root / tree)
            assert (again.added, again.removed, again.renamed) == (0, 0, 0)
        shutil.rmtree(trees.root)


def test_a_store_that_an_earlier_version_made_goes_on(open_memory, tmp_path):
    here = Path(__file__).parents[1] / "data" / "sources"
    files = json.loads((here / "files.json").read_text("utf-8"))
    for name, text in files.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
        os.utime(file, (1_700_000_000, 1_700_000_000))
    (tmp_path / "old.db").write_bytes(gzip.decompress((here / "earlier.db.gz").read_bytes()))
    memory = open_memory("old.db")
    bank = memory.bank("ada")
    before = shown(bank)
    assert len(before) == 6, "it lost the first export, and a folder's list of things to do"
    imported = ("work", "home", "openai/conversations.json", "claude/conversations.json")
    first = [bank.import_(tmp_path / name) for name in imported]
    assert [(done.added, done.removed, done.renamed) for done in first] == [
        (0, 0, 1), (1, 0, 0), (2, 0, 0), (0, 0, 0)
    ]  # fmt: skip
    assert [did(bank.import_(tmp_path / name)) for name in imported] == [
        {"unchanged": n} for n in (3, 2, 2, 2)
    ]
    assert before < shown(bank)
    assert Counter(e.text for e in bank.episodes()).most_common(1)[0][1] == 1, "nothing is twice"
    assert "Paint the boat house in May.\n" in {e.text for e in bank.episodes(source="boat.md")}
    (tmp_path / "work" / "people.md").write_text("Wholly other words stand here now")
    assert did(bank.import_(tmp_path / "work")) == {
        "added": 1, "changed": 1, "removed": 1, "unchanged": 2
    }  # fmt: skip
    reindex(memory)  # as an earlier version's store wants it
    assert verify(memory).sound


# ---------------------------------------------------------------- exports


def chatgpt(*texts, of="c1"):
    """Return a ChatGPT export of one conversation."""
    nodes = {"root": {"id": "root", "parent": None, "message": None}}
    for n, text in enumerate(texts):
        message = {
            "author": {"role": ("user", "assistant")[n % 2]}, "create_time": 1.7e9 + 60 * n,
            "content": {"content_type": "text", "parts": [text]},
        }  # fmt: skip
        parent = f"n{n - 1}" if n else "root"
        nodes[f"n{n}"] = {"id": f"n{n}", "parent": parent, "message": message}
    last = f"n{len(texts) - 1}" if texts else "root"
    return [{"conversation_id": of, "create_time": 1.7e9, "mapping": nodes, "current_node": last}]


def claude(*texts, of="k1"):
    """Return a Claude export of one conversation."""
    messages = [
        {"sender": ("human", "assistant")[n % 2], "text": text, "created_at": f"2025-03-0{n + 1}"}
        for n, text in enumerate(texts)
    ]
    return [{"uuid": of, "created_at": "2025-03-01", "chat_messages": messages}]


def exported(folder, chats, name="conversations.json"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(chats), encoding="utf-8")
    return folder / name


def did(done):
    return {
        name: count
        for name in ("added", "changed", "renamed", "unchanged", "removed")
        if (count := getattr(done, name))
    }


def test_two_exports_of_one_name_are_two_sources(bank, tmp_path):
    first = exported(tmp_path / "openai", chatgpt("Where is the key?", "Under the pot."))
    second = exported(tmp_path / "claude", claude("Who is Nina?", "A chess player."))
    assert did(bank.import_(first)) == {"added": 2}
    assert did(bank.import_(second)) == {"added": 2}
    names = {e.source for e in bank.episodes()}
    assert names == {"conversations.json", "claude/conversations.json"}
    assert {e.address.partition("#")[0] for e in bank.episodes()} == names
    for file in (first, second, first):
        assert did(bank.import_(file)) == {"unchanged": 2}
    assert [(s.name, s.format, s.episodes) for s in bank.sources()] == [
        ("claude/conversations.json", "claude", 2), ("conversations.json", "chatgpt", 2)
    ]  # fmt: skip


def test_another_persons_export_in_the_place_of_the_first_withdraws_nothing(bank, tmp_path):
    file = exported(tmp_path, chatgpt("Where is the key?", "ok", of="c1"))
    bank.import_(file)
    exported(tmp_path, chatgpt("Who is Nina?", "ok", "A chess player", of="c2"))
    assert did(bank.import_(file)) == {"added": 2, "unchanged": 1}, "an ok of the same moment"
    assert did(bank.import_(file)) == {"unchanged": 3}
    assert len(bank.episodes()) == 4
    exported(tmp_path, chatgpt("Where is the key?", "ok", "thanks", of="c1"))
    assert did(bank.import_(file)) == {"added": 1, "unchanged": 2}


def test_a_newer_export_of_the_same_chat_replaces_what_changed(bank, tmp_path):
    file = exported(tmp_path, chatgpt("Where is the key?", "Under the pot.", "Thanks."))
    bank.import_(file)
    exported(tmp_path, chatgpt("Where is the key?", "Under the mat.", "Thanks.", "Welcome."))
    assert did(bank.import_(file)) == {"added": 2, "changed": 1, "removed": 1, "unchanged": 2}


def test_an_export_under_another_name_adds_its_news_without_withdrawing_anything(bank, tmp_path):
    bank.import_(exported(tmp_path, chatgpt("Where is the key?", "Under the pot.", "Thanks.")))
    before = bank.episodes()
    fewer = exported(
        tmp_path, chatgpt("Where is the key?", "Under the pot."), "conversations1.json"
    )
    more = exported(tmp_path, chatgpt("Where is the key?", "Under the mat."), "conversations2.json")
    assert did(bank.import_(fewer)) == {"unchanged": 2}
    assert bank.episodes() == before
    assert did(bank.import_(more)) == {"added": 1, "unchanged": 1}
    assert [e for e in bank.episodes() if e in before] == before
    counts = {"conversations.json": 3, "conversations1.json": 2, "conversations2.json": 2}
    assert {s.name: s.episodes for s in bank.sources()} == counts
    assert {name: len(bank.episodes(source=name)) for name in counts} == counts
    assert len(bank.episodes(source=list(counts))) == 4


def test_what_several_exports_have_is_hidden_when_the_last_has_it_no_more(bank, tmp_path):
    first = exported(tmp_path, chatgpt("Where is the key?", "Under the pot."))
    other = exported(tmp_path, chatgpt("Where is the key?", "Under the pot."), "copy.json")
    bank.import_(first)
    bank.import_(other)
    exported(tmp_path, chatgpt("Where is the key?"))
    assert did(bank.import_(first)) == {"unchanged": 1}
    assert len(bank.episodes()) == 2
    exported(tmp_path, chatgpt("Where is the key?"), "copy.json")
    assert did(bank.import_(other)) == {"unchanged": 1, "removed": 1}
    assert [e.text for e in bank.episodes()] == ["Where is the key?"]
    exported(tmp_path, chatgpt("Where is the key?", "Under the pot."), "copy.json")
    assert did(bank.import_(other)) == {"added": 1, "unchanged": 1}
    assert did(bank.import_(first)) == {"unchanged": 1}
    assert len(bank.episodes()) == 2


def test_what_somebody_remembered_by_hand_is_no_files_to_hide(bank, tmp_path):
    file = tmp_path / "chat.jsonl"
    said = {"role": "user", "content": "The key is under the pot.", "ts": 1_700_000_000}
    kept = bank.remember(said["content"], at=1_700_000_000, role="user")
    file.write_text(json.dumps(said))
    assert did(bank.import_(file)) == {"unchanged": 1}
    file.write_text(json.dumps(said | {"content": "No, on the shelf.", "ts": 1_700_000_000}))
    bank.import_(file)
    file.write_text(json.dumps(said | {"content": "On the roof."}))
    bank.import_(file)
    assert bank.get(kept.id).state == "active"


def test_a_name_given_by_hand_is_the_source(bank, tmp_path):
    first = exported(tmp_path / "a", claude("Who is Nina?", of="k1"))
    second = exported(tmp_path / "b", claude("Where is the key?", of="k2"))
    bank.import_(first, as_="claude.ai")
    assert {e.source for e in bank.episodes()} == {"claude.ai"}
    assert did(bank.import_(second, as_="claude.ai")) == {"added": 1, "changed": 1, "removed": 1}
    notes = tmp_path / "notes"
    (notes / "sub").mkdir(parents=True)
    (notes / "sub" / "a.md").write_text("The roof leaks.")
    bank.import_(notes, as_="house")
    assert "house/sub/a.md" in {e.source for e in bank.episodes()}
    assert did(bank.import_(notes, as_="house")) == {"unchanged": 1}
    assert did(bank.import_(notes)) == {"unchanged": 1}, "it is known by its place"
    for wrong in ("", " ", 3, "half \ud83d"):
        with pytest.raises(InputError):
            bank.import_(notes, as_=wrong)


def test_a_file_that_is_named_by_hand_later_is_followed_under_that_name(bank, tmp_path):
    file = exported(tmp_path, chatgpt("Where is the key?", "Under the pot."))
    bank.import_(file)
    before = bank.episodes()
    assert did(bank.import_(file, as_="chats")) == {"unchanged": 2}
    assert bank.episodes() == before
    assert [s.name for s in bank.sources()] == ["chats"]
    exported(tmp_path, chatgpt("Where is the key?", "Under the mat."))
    assert did(bank.import_(file, as_="chats")) == {
        "added": 1, "changed": 1, "unchanged": 1, "removed": 1
    }  # fmt: skip
    assert shown(bank) == {"Where is the key?", "Under the mat."}
    assert did(bank.import_(file)) == {"unchanged": 2}
    exported(tmp_path, chatgpt("Another's words.", of="c2"))
    assert did(bank.import_(file, as_="another's")) == {"added": 1}
    assert len(bank.episodes()) == 3


@pytest.mark.parametrize("as_", [None, "plans"])
def test_an_import_that_fails_leaves_what_the_file_said_before(open_memory, tmp_path, as_):
    embedder = ScriptedEmbedder()
    bank = open_memory(embedder=embedder).bank("ada")
    notes = noted(tmp_path / "notes", plan="The key is under the pot.", chess="Nina plays chess.")
    bank.import_(notes)
    before = shown(bank)
    noted(notes, plan="The house was sold to strangers.")

    embedder.on_passages = Fails()
    with pytest.raises(EncoderError):
        bank.import_(notes, as_=as_)
    assert shown(bank) == before
    embedder.on_passages = None
    with Budget(written_bytes=100), pytest.raises(OverBudget):
        bank.import_(notes, as_=as_)
    assert shown(bank) == before
    assert bank.import_(notes, as_=as_).removed == 1
    assert shown(bank) == {"The house was sold to strangers.", "Nina plays chess."}


# ---------------------------------------------------------------- renamed, moved, gone


def noted(folder, **texts):
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text)
    return folder


def test_a_renamed_note_is_found_only_by_its_new_name(bank, tmp_path):
    notes = noted(tmp_path / "notes", leak="The roof leaks.", chess="Nina plays chess.")
    bank.import_(notes)
    (old,) = bank.episodes(source="leak.md")
    bank.pin(old.id)
    (notes / "leak.md").rename(notes / "roof.md")
    assert did(bank.import_(notes)) == {"renamed": 1, "unchanged": 2}
    (new,) = bank.episodes(source="roof.md")
    assert (new.text, new.address, new.session, new.pinned) == (old.text, *["roof.md"] * 2, True)
    assert new.occurred_at == old.occurred_at
    assert bank.get(old.id).superseded_by == new.id
    assert not bank.episodes(source="leak.md")
    assert did(bank.import_(notes)) == {"unchanged": 2}
    (notes / "roof.md").rename(notes / "leak.md")
    assert did(bank.import_(notes)) == {"renamed": 1, "unchanged": 2}
    assert [e.id for e in bank.episodes(source="leak.md")] == [old.id], "it is the same again"


def test_a_note_renamed_with_an_edit_is_the_same_note(open_memory, tmp_path):
    bank = open_memory(config=Config(ingest=Ingest(chunk_tokens=18))).bank("ada")
    parts = [
        "The spare key is under the blue pot beside the garden door.",
        "Tom plays the violin on Thursdays with the orchestra in Lisbon.",
        "The dentist moved the appointment to the second week of May.",
        "Winter tyres are in the cellar behind the old bicycle and the sledge.",
    ]
    notes = noted(tmp_path / "notes", a="\n\n".join(parts))
    bank.import_(notes)
    (notes / "a.md").unlink()
    noted(notes, b="\n\n".join([*parts[:3], "The tyres are sold to the man from the market now."]))
    assert did(bank.import_(notes)) == {
        "added": 1, "changed": 1, "renamed": 1, "removed": 1, "unchanged": 3
    }  # fmt: skip
    assert {e.source for e in bank.episodes()} == {"b.md"}
    assert did(bank.import_(notes)) == {"unchanged": 4}


def test_what_a_user_did_to_a_note_outlasts_its_being_renamed(bank, tmp_path):
    notes = noted(tmp_path / "notes", a="The roof leaks.", b="Nina plays chess.", c="Buy apples.")
    bank.import_(notes)
    ids = {e.source: e.id for e in bank.episodes()}
    bank.correct(ids["a.md"], "The roof leaked.")
    bank.forget(ids["b.md"])
    bank.hold(ids["c.md"], reason="court")
    for name in "abc":
        (notes / f"{name}.md").rename(notes / f"{name}2.md")
    for _ in range(2):
        done = bank.import_(notes, sync=True)
        assert (done.added, done.removed) == (0, 0)
        assert sorted(e.text for e in bank.episodes()) == ["Buy apples.", "The roof leaked."]


def test_a_folder_that_is_moved_is_the_same_folder(bank, tmp_path):
    notes = noted(tmp_path / "notes", a="The roof leaks.", b="Nina plays chess.", c="Buy apples.")
    bank.import_(notes)
    moved = notes.rename(tmp_path / "archive")
    noted(moved, c="Quite another thing, written in its place")
    assert did(bank.import_(moved)) == {
        "added": 1, "changed": 1, "renamed": 3, "removed": 1, "unchanged": 2
    }  # fmt: skip
    assert {e.source for e in bank.episodes()} == {"a.md", "b.md", "c.md"}
    assert did(bank.import_(moved)) == {"unchanged": 3}


def test_a_copy_of_a_folder_is_another_one(bank, tmp_path):
    notes = noted(tmp_path / "notes", a="The roof leaks.", b="Nina plays chess.")
    bank.import_(notes)
    copy = Path(shutil.copytree(notes, tmp_path / "copy"))
    assert did(bank.import_(copy)) == {"unchanged": 2}
    noted(copy, a="The roof is mended.")
    assert did(bank.import_(copy)) == {"added": 1, "unchanged": 1}
    assert shown(bank) == {"The roof leaks.", "Nina plays chess.", "The roof is mended."}


def test_a_part_of_a_folder_that_is_imported_by_itself_is_the_same_files(bank, tmp_path):
    notes = noted(tmp_path / "notes", a="The roof leaks.")
    noted(notes / "sub", b="Nina plays chess.")
    bank.import_(notes)
    assert did(bank.import_(notes / "sub")) == {"unchanged": 1}
    noted(notes / "sub", b="Nina plays go.")
    assert did(bank.import_(notes / "sub" / "b.md")) == {"added": 1, "changed": 1, "removed": 1}
    assert did(bank.import_(notes)) == {"unchanged": 2}
    assert shown(bank) == {"The roof leaks.", "Nina plays go."}


def test_what_is_gone_from_a_folder_is_only_told_unless_hiding_is_asked_for(bank, tmp_path):
    notes = noted(tmp_path / "notes", a="The roof leaks.", b="Nina plays chess.")
    noted(tmp_path / "notes2", a="Buy apples.")
    bank.import_(notes)
    bank.import_(tmp_path / "notes2")
    (notes / "b.md").unlink()
    done = bank.import_(notes)
    assert (did(done), done.missing) == ({"unchanged": 1}, ("b.md",))
    done = bank.import_(notes, sync=True)
    assert (did(done), done.missing) == ({"unchanged": 1, "removed": 1}, ())
    assert shown(bank) == {"The roof leaks.", "Buy apples."}
    noted(notes, c="Later.")
    bank.import_(notes)
    (notes / "c.md").unlink()
    (notes / "a.md").unlink()
    assert bank.import_(notes, sync=False).missing == ("a.md", "c.md")
    assert bank.import_(notes).removed == 2, "it is remembered that it is synced"
    noted(notes, b="Nina plays chess.")
    assert bank.import_(notes).added == 1
    noted(notes, a="The roof leaks.")
    assert bank.import_(notes, sync=False).added == 1
    for name in "ab":
        (notes / f"{name}.md").unlink()
    assert bank.import_(notes).missing, "and that it is no longer"
    assert {s.name: s.synced for s in bank.sources()}["a.md"] is False


def test_what_cannot_be_looked_at_is_not_taken_for_gone(bank, tmp_path):
    notes = noted(tmp_path / "notes", a="The roof leaks.", b="Nina plays chess.")
    bank.import_(notes, sync=True)
    (notes / "b.md").write_bytes(b"\0 binary now")
    done = bank.import_(notes, sync=True)
    assert (done.removed, len(done.unreadable)) == (0, 1)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every name of a file is text")
def test_files_whose_names_are_no_utf_8_are_sources_that_can_go(bank, tmp_path):
    notes = tmp_path / os.fsdecode(b"l\xe9ger")
    notes.mkdir()
    named = [notes / os.fsdecode(b"caf%c.md" % byte) for byte in b"\xe8\xe9"]
    for file, text in zip(named, TEXTS, strict=False):
        file.write_text(text)
    assert 1 == bank.import_(named[0]).added
    assert (1, 1) == (bank.import_(notes, sync=True).added, bank.import_(notes).unchanged - 1)
    assert ["caf\ufffdE8.md", "caf\ufffdE9.md"] == [one.name for one in bank.sources()]
    assert 2 == len({one.place for one in bank.sources()})

    named[1].unlink()
    assert 1 == bank.import_(notes).removed
    assert [TEXTS[0]] == [one.text for one in bank.episodes()]


MARKED = re.compile("\ufffd[89A-F][0-9A-F]")


@example([b"\xef\xbf\xbd", b"9", b"E"])
@given(st.lists(st.sampled_from([b"\xef\xbf\xbd", b"E", b"9", b"\xe9", b"\xf0", "é".encode()])))
def test_a_path_comes_back_of_its_text_which_is_the_path_itself_in_utf_8(parts):
    raw = b"a" + b"".join(parts)
    path = os.fsdecode(raw)
    text = path_text(PurePosixPath(path))

    assert path == path_of_text(text)
    assert text == path_text(PurePosixPath(text)) or "\ufffd" in text
    with suppress(UnicodeDecodeError):
        # But for what could be taken for a byte that was marked, such as "\ufffd9E".
        assert (raw.decode() == text) != bool(MARKED.search(raw.decode()))


def test_a_file_of_which_nothing_can_be_read_begins_no_bank(bank, open_memory, tmp_path):
    bank.remember("The roof leaks.")
    file = tmp_path / "picture.md"
    file.write_bytes(b"\0 binary")
    with open_memory() as memory:
        assert memory.bank("fresh").import_(file).unreadable
        assert ["ada"] == memory.banks()

    assert bank.import_(file).unreadable
    assert ["The roof leaks."] == [one.text for one in bank.episodes()]


# ---------------------------------------------------------------- forgotten and restored


def test_forgetting_or_restoring_a_source_takes_it_as_a_whole(bank, tmp_path):
    notes = noted(tmp_path / "notes", a="The roof leaks.", b="Nina plays chess.")
    bank.import_(notes)
    noted(notes, a="The roof is mended.")
    bank.import_(notes)
    assert bank.forget(source="a.md") == 1
    assert shown(bank) == {"Nina plays chess."}
    assert {e.text for e in bank.episodes(forgotten=True)} == {
        "The roof leaks.", "The roof is mended."
    }  # fmt: skip
    assert bank.episodes(forgotten=True, source="b.md") == []
    assert len(bank.episodes(forgotten=True, limit=1, newest=True)) == 1
    assert did(bank.import_(notes)) == {"unchanged": 2}, "what a user forgot stays forgotten"
    assert bank.restore(source="a.md") == 1
    assert shown(bank) == {"Nina plays chess.", "The roof is mended."}
    assert bank.restore(source="a.md") == 1, "now what its file has no more"
    assert did(bank.import_(notes)) == {"unchanged": 2}
    assert len(shown(bank)) == 3, "what a user restored stays, too"
    assert bank.forget(source=["a.md", "b.md"]) == 3
    for verb in (bank.forget, bank.restore):
        with pytest.raises(UnknownSource, match="nowhere"):
            verb(source="nowhere.md")
        with pytest.raises(InputError, match="one of the two"):
            verb()
        with pytest.raises(InputError, match="one of the two"):
            verb("an id", source="a.md")
    with pytest.raises(InputError, match="as_of"):
        bank.episodes(forgotten=True, as_of="2025-01-01")


@pytest.fixture
def talks(bank):
    """Return a bank with two conversations, of which one has a corrected and a forgotten turn."""
    bank.remember_many(
        [
            {"text": text, "session": session, "speaker": speaker, "metadata": {"year": year}}
            for text, session, speaker, year in (
                ("The roof leaks.", "house", "Ada", 2024),
                ("It leaks a lot.", "house", "Tom", 2025),
                ("The cellar is wet.", "house", "Ada", 2025),
                ("We fly to Rome.", "trip", "Ada", 2025),
            )
        ]
    )
    old, _, wet, _ = bank.episodes()
    bank.correct(old.id, "The roof leaks twice.")
    bank.forget(wet.id)
    return bank


@pytest.mark.parametrize(
    ("by", "left"),
    [
        ({"session": "house"}, {"We fly to Rome."}),
        ({"session": ["house", "trip"], "speaker": "ada"}, {"It leaks a lot."}),
        ({"where": {"year": {"$gte": 2025}}}, {"The roof leaks twice."}),
    ],
)
def test_what_meets_filters_is_forgotten_and_brought_back(talks, by, left):
    before = shown(talks)
    assert talks.forget(**by) == len(before - left)
    assert shown(talks) == left
    assert talks.forget(**by) == 0
    talks.restore(**by)
    assert before <= shown(talks) <= {*before, "The cellar is wet."}


def test_a_session_is_erased_with_all_its_wordings_and_what_was_forgotten(talks):
    assert talks.forget(session="house", erase=True) == 4
    assert shown(talks) == {"We fly to Rome."}
    assert talks.episodes(forgotten=True) == []
    assert talks.forget(session="house", erase=True) == 0


def test_a_diary_is_one_session_with_all_of_its_moments(bank, tmp_path):
    diary = tmp_path / "pills.md"
    times = ("2023-03-02 08:00", "2023-03-02 20:00", "2023-03-04 08:00")
    diary.write_text("".join(f"## {at}\nTook one pill.\n" for at in times))
    assert 3 == bank.import_(diary).added
    assert ["pills.md"] == [session.name for session in bank.sessions()]
    assert 3 == bank.import_(diary).unchanged
    assert 3 == bank.forget(session="pills.md")


def test_sessions_are_listed_by_the_last_thing_that_was_said_in_them(talks):
    talks.remember("The old boat.", session="boat", at="2020-05-01")
    talks.remember("No session has it.")
    house, trip, boat = (
        talks.episodes(session="house"),
        talks.episodes(session="trip"),
        "2020-05-01",
    )

    assert {(s.name, s.episodes) for s in talks.sessions()} == {
        ("house", len(house)), ("trip", len(trip)), ("boat", 1)
    }  # fmt: skip
    last = talks.sessions()[-1]
    assert last.name == "boat"
    assert f"{last.first:%Y-%m-%d}" == f"{last.last:%Y-%m-%d}" == boat
    talks.forget(session="boat")
    assert "boat" not in {s.name for s in talks.sessions()}


def test_filters_choose_in_place_of_ids_and_sources_and_never_all(talks):
    for verb in (talks.forget, talks.restore):
        with pytest.raises(InputError, match="one of the two"):
            verb(talks.episodes()[0].id, session="house")
        with pytest.raises(InvalidFilter, match="where"):
            verb(where={})
    assert talks.forget(session="nowhere") == 0


def test_forgetting_a_source_leaves_what_another_one_has_as_well(bank, tmp_path):
    bank.import_(exported(tmp_path, chatgpt("Where is the key?", "Under the pot.")))
    bank.import_(exported(tmp_path, chatgpt("Where is the key?", "Here."), "copy.json"))
    assert bank.forget(source="conversations.json") == 1
    assert shown(bank) == {"Where is the key?", "Here."}
    assert bank.forget(source=["conversations.json", "copy.json"]) == 2
    assert bank.episodes() == []


def test_a_source_is_erased_whole_whatever_state_it_is_in(open_memory, tmp_path):
    memory = open_memory()
    bank = memory.bank("ada")
    notes = noted(tmp_path / "notes", zebra="The zebrafish leaks.", b="Nina plays chess.")
    bank.import_(notes)
    noted(notes, zebra="The zebrafish is mended.")
    bank.import_(notes)
    assert bank.forget(source="zebra.md", erase=True) == 2
    assert [s.name for s in bank.sources()] == ["b.md"]
    for word in ("zebrafish", "zebra.md"):
        assert verify(memory, residue=word).sound, "its name is gone as well"
    assert bank.import_(notes).added == 0, "what was erased stays so"


def test_a_source_that_is_withdrawn_comes_back_with_its_file(bank, tmp_path):
    notes = noted(tmp_path / "notes", a="The roof leaks.")
    bank.import_(notes)
    assert bank.withdraw("a.md") == 1
    assert bank.episodes() == []
    assert did(bank.import_(notes)) == {"added": 1}


def test_sources_survive_an_export_of_the_bank(open_memory, tmp_path):
    notes = noted(tmp_path / "notes", a="The roof leaks.")
    bank = open_memory().bank("ada")
    bank.import_(notes)
    bank.export(tmp_path / "ada.jsonl")
    copy = open_memory("copy.db").bank("ada")
    copy.import_(tmp_path / "ada.jsonl")
    assert copy.sources() == bank.sources()
    noted(notes, a="Something else, and nothing alike")
    assert did(copy.import_(notes)) == {"added": 1, "changed": 1, "removed": 1}


# ---------------------------------------------------------------- times


def messages(file, *said):
    lines = [
        {"role": role, "content": text} | ({} if ts is None else {"timestamp": ts})
        for role, text, ts in said
    ]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return file


@pytest.mark.slow
@given(order=st.permutations(range(8)), cut=st.integers(1, 7))
def test_a_history_in_any_order_puts_nothing_in_quarantine(tmp_path_factory, order, cut):
    folder = tmp_path_factory.mktemp("history")
    said = [
        (("user", "assistant")[n % 2], f"This is remark number {n}.", f"2025-01-0{n + 1}T10:00")
        for n in order
    ]
    with Memory(":memory:", embedder="none", config=Config(ingest=Ingest(batch=2))) as memory:
        bank = memory.bank("ada")
        for n, some in enumerate((said[:cut], said[cut:])):
            bank.import_(messages(folder / f"{n}.jsonl", *some))
        bank.remember_many(
            Turn(text=text, role=role, session="s", at=at) for role, text, at in said
        )
        bank.sleep(steps=["validate"])
        assert bank.quarantine() == []


ODD = {
    "9999-12-31T23:59:59": "in the future",
    99_999_999_999: "in the future",
    "2031-01-01": "in the future",
    0: "before",
    "1969-12-31": "before",
    "0001-01-01": "before",
    "9999-12-31T23:59-12:00": "outside the years",
    "0001-01-01T00:00+12:00": "outside the years",
}


@pytest.mark.slow
def test_times_that_cannot_be_are_told_without_breaking_what_comes_later(
    open_memory, clock, tmp_path
):
    memory = open_memory()
    bank = memory.bank("ada")
    said = [("user", f"The boat number {n} was painted.", ts) for n, ts in enumerate(ODD)]
    file = messages(tmp_path / "chat.jsonl", *said, ("user", "The boat leaks.", "2025-05-01"))
    done = bank.import_(file)
    assert done.added == len(ODD) + 1
    assert [reason for _, reason in done.doubtful if "no time" not in reason]
    told = Counter(
        next(words for words in set(ODD.values()) if words in reason)
        for _, reason in done.doubtful
        if "no time of their own" not in reason
    )
    assert told == Counter(ODD.values())
    assert did(bank.import_(file)) == {"unchanged": len(ODD) + 1}

    clock.advance(timedelta(hours=1))
    kept = bank.remember("The boat sails on Sunday.", role="user", session="now")
    assert kept.recorded_at == clock.now()
    assert bank.sleep().steps
    clock.advance(timedelta(days=3))
    bank.sleep()
    for question in ("When does the boat sail?", "What happened last week?", "the boat in 1969"):
        bank.recall(question)
        bank.context(question)
    assert kept.id in {hit.id for hit in bank.recall("When does the boat sail?", k=20)}
    assert len(bank.episodes()) == len(ODD) + 2
    assert bank.episodes(newest=True, limit=1)
    assert bank.count("boat") == len(ODD) + 2
    for verb in (bank.facts, bank.summary, bank.gists, bank.sources, bank.stats, bank.topics):
        verb()
    with suppress(InputError):  # over ten thousand periods
        bank.trend("boat", "day")
    bank.export(tmp_path / "out.jsonl")
    copy = open_memory(":memory:")
    copy.bank("copy").import_(tmp_path / "out.jsonl")
    assert verify(copy).sound
    assert verify(memory).sound


def test_turns_without_a_time_are_told(bank, tmp_path):
    file = messages(
        tmp_path / "chat.jsonl", ("user", "The boat leaks.", None), ("user", "Yes.", "2025-05-01")
    )
    ((address, reason),) = bank.import_(file).doubtful
    assert (address, reason[:25]) == ("chat.jsonl", "1 of 2 turns have no time")
    note = tmp_path / "1850-01-01-diary.md"
    note.write_text("The roof leaks.")
    assert bank.import_(note).doubtful == (), "a document may be of any time"
