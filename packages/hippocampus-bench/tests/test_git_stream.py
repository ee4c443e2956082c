"""A repository's history as events: a change refers to those whose lines it takes away."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from hippocampus.errors import SourceError
from hippocampus_bench import events
from hippocampus_bench.git_stream import read_git

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


class Repository:
    def __init__(self, path):
        self.path, self.at = path, 1_700_000_000
        path.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *args):
        self.at += 3600
        mine = {"GIT_AUTHOR_DATE": f"{self.at} +0000", "GIT_COMMITTER_DATE": f"{self.at} +0000"}
        who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=no"]
        subprocess.run(
            ["git", *who, *args], cwd=self.path, env={"HOME": str(self.path), "PATH": PATH, **mine},
            check=True, capture_output=True,
        )  # fmt: skip

    def commit(self, **files):
        for name, text in files.items():
            file = self.path / name.replace("_", ".")
            if text is None:
                file.unlink()
            else:
                file.write_text(text, encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "a change")


PATH = "/usr/local/bin:/usr/bin:/bin"


def test_a_change_refers_to_those_whose_lines_it_takes_away(tmp_path):
    repository = Repository(tmp_path / "r")
    repository.commit(a_txt="one\ntwo\nthree\n", b_txt="other\n")
    repository.commit(a_txt="zero\none\ntwo\nthree\nfour\n")
    repository.commit(a_txt="zero\none\nTWO\nthree\nFOUR\n")
    repository.commit(a_txt="one\nTWO\nthree\nFOUR\n")
    repository.git("mv", "a.txt", "c.md")
    repository.commit(b_txt="other\n")
    repository.commit(c_md=None)
    found = read_git(repository.path)
    of = {(one.issue, number): one for number, one in enumerate(found)}
    named = {one.id: number for number, one in enumerate(found)}
    refs = {
        (path, number): [named[ref.removeprefix("event:")] for ref in one.refs]
        for (path, number), one in of.items()
    }

    assert refs == {
        ("a.txt", 0): [], ("b.txt", 1): [], ("a.txt", 2): [], ("a.txt", 3): [0, 2],
        ("a.txt", 4): [2], ("c.md", 5): [], ("c.md", 6): [0, 3],
    }  # fmt: skip
    assert [one.event for one in found] == [
        "added", "added", "modified", "modified", "modified", "renamed", "deleted",
    ]  # fmt: skip
    assert {one.actor for one in found} == {"Ada"}
    assert found[-1].label == "md"


def test_a_repository_is_a_stream_of_events(tmp_path):
    repository = Repository(tmp_path / "r")
    for number in range(12):
        repository.commit(a_txt=f"line {number}\n", **{f"f{number}_txt": "stays\n"})
    made = events.run(
        repository.path, source="git", every_days=0.25, reduction=0.5, systems=["recency only"]
    )

    assert made.settings["events"] == 24
    assert made.metrics["base_rate"].value == pytest.approx(11 / 24)


@pytest.mark.parametrize("empty", [True, False])
def test_what_is_no_repository_is_refused(tmp_path, empty):
    folder = tmp_path / "r"
    if empty:
        Repository(folder)
    with pytest.raises(SourceError, match="no repository with a commit"):
        read_git(folder if empty else tmp_path / "nothing")
