"""
Reads the history of a git repository as a stream of events: which changes undo which earlier ones.

Nobody made these histories for a benchmark, and what refers to what is told by the lines: a change
refers to the earlier changes that wrote the lines it takes away. A file is what the benchmark of
events calls an issue, a commit's change to it an event.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from hippocampus.errors import SourceError
from hippocampus_bench.tracker import StreamEvent

_LOG: Final = (
    "-c", "core.quotePath=false", "log", "--reverse", "--first-parent", "-m", "-p", "-U0", "-M",
    "--no-color", "--no-ext-diff", "--no-textconv", "--format=%x01%h%x02%at%x02%an%x02%s",
)  # fmt: skip
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_KINDS: Final = {"new file": "added", "deleted file": "deleted", "rename from": "renamed"}


def read_git(repository: Path) -> list[StreamEvent]:
    """
    Return every change to every file, in order of time, with the changes whose lines it takes away.

    Only the first parents of merges are followed, so a merge is one change of many files.

    Raises:
        SourceError: git is not installed, or there is no repository with a commit.

    """
    git = shutil.which("git")
    if git is None:
        raise SourceError("cannot be read: git is not installed", path=repository)
    done = subprocess.run(  # noqa: S603 - a fixed command, and a folder as an argument
        [git, "-C", str(repository), *_LOG], capture_output=True, check=False
    )
    if done.returncode or not done.stdout:
        why = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        msg = f"is no repository with a commit ({why or 'git says nothing'})"
        raise SourceError(msg, path=repository)
    lines = done.stdout.decode("utf-8", "replace").split("\n")
    return sorted(_Files().read(lines), key=lambda event: event.t)


@dataclass
class _Change:
    """A commit's change to a file, while its diff is read."""

    commit: tuple[str, ...]
    path: str
    wrote: list[str]
    """Of each line of the file, the change that wrote it."""
    kind: str = "modified"
    refs: dict[str, None] = field(default_factory=dict)
    in_hunks: bool = False

    @property
    def id(self) -> str:
        return f"{self.commit[0]}:{self.path}"

    def hunk(self, gone: int, start: int, new: int) -> None:
        """Put as many new lines in the place of those that are gone."""
        at = start - 1 if new else start
        self.refs |= dict.fromkeys(self.wrote[at : at + gone])
        self.wrote[at : at + gone] = [self.id] * new

    def event(self) -> StreamEvent:
        _, at, author, subject = self.commit
        name = self.path.rpartition("/")[2]
        return StreamEvent(
            t=float(at),
            issue=self.path,
            event=self.kind,
            actor=author,
            body=subject,
            label=name.rpartition(".")[2] if "." in name else "",
            refs=tuple(f"event:{one}" for one in self.refs),
            id=self.id,
        )


class _Files:
    """The files of a repository, of whose lines it is known which change wrote them."""

    def __init__(self) -> None:
        self._wrote: dict[str, list[str]] = {}

    def read(self, lines: list[str]) -> Iterator[StreamEvent]:
        """Yield an event for each change to a file, in the log's order."""
        commit: tuple[str, ...] = ()
        change: _Change | None = None
        for line in lines:
            if line.startswith(("\x01", "diff --git ")):
                if change is not None:
                    yield self._done(change)
                change = None
            if line.startswith("\x01"):
                commit = tuple(line[1:].split("\x02", 3))
            elif line.startswith("diff --git "):
                path = line.rpartition(" b/")[2]
                change = _Change(commit, path, list(self._wrote.get(path, ())))
            elif change is not None:
                self._read_line(line, change)
        if change is not None:
            yield self._done(change)

    def _read_line(self, line: str, change: _Change) -> None:
        if (found := _HUNK.match(line)) is not None:
            change.in_hunks = True
            gone, start, new = found.groups()
            change.hunk(int(gone or 1), int(start), int(new or 1))
        elif not change.in_hunks:
            for head, kind in _KINDS.items():
                if line.startswith(f"{head} "):
                    change.kind = kind
            if change.kind == "renamed" and line.startswith("rename from "):
                change.wrote = self._wrote.pop(line.removeprefix("rename from "), [])

    def _done(self, change: _Change) -> StreamEvent:
        if change.kind == "deleted":
            self._wrote.pop(change.path, None)
        else:
            self._wrote[change.path] = change.wrote
        return change.event()
