"""Sources: files that are edited, renamed, moved and deleted, and others of the same name."""

import os
import shutil
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from hippocampus import Memory
from hippocampus.core.events import RemovedFromSource, Restored
from hippocampus.upkeep import verify
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
        assert (first.added, first.removed) == (0, 0)
        assert old == shown(bank)
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
