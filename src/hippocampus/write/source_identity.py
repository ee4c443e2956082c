"""
Identity of a source file: by its place, its kind and its words, not its name alone.

In the order of docs/adr/0051-what-a-source-is.md: what somebody says by hand; the file at the same
place; a file that is gone from its place, and says the same; a name that an earlier version left
behind, or another machine, with the same in it; otherwise a source of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import count
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from hippocampus.core.records import EpisodeRow
from hippocampus.journal.draft import Draft
from hippocampus.journal.ledger import Ledger
from hippocampus.journal.source_register import KnownSource, SourceRegister
from hippocampus.language.secrets import stands_for_several
from hippocampus.sources.agents.tools import MEMORY, TOOLS
from hippocampus.sources.walk import is_missing
from hippocampus.write.check import Group
from hippocampus.write.secret_gate import REDACTED_PLACE

_WRITTEN_OVER: Final = frozenset({"document", MEMORY, *TOOLS})
"""Formats of files that people edit in their place, until nothing is left of what they said, or
that grow, so that of the part we compare nothing may be known. Another export that says nothing of
what was there is no edit."""
_NAMED_AFTER_FILE: Final = frozenset({"document", MEMORY})
"""Formats whose episodes are found by the file's name, and so take on another one."""
_ALIKE: Final = 0.4
"""Share of all runs of four characters of two texts that an edited text and its earlier wording
have in common; unrelated pages of one language have a fifth."""
_RUN: Final = 4  # characters; with others ``_ALIKE`` would mean something else (docs/adr/0051)
_COMPARED: Final = 50_000
"""Characters of a text that are compared, its first, so that no large file takes long. By hand."""


class ImportedFile(NamedTuple):
    """A file that was read, before it is known which source it is."""

    name: str
    """Its path within what is imported."""
    format: str
    place: str | None
    """Its absolute path, if it is known."""
    groups: Sequence[Group]


class Target(NamedTuple):
    """The source that a file is."""

    source: str
    new: bool = False
    """Whether there was none of this name."""
    was: str | None = None
    """Its name before, whose episodes take on the new one."""
    renamed: bool = False
    """Whether the file is known by another name, or from another place."""
    instead_of: str | None = None
    """Earlier name of the file, before somebody named it; no file has it any more."""


def identify(
    ledger: Ledger,
    register: SourceRegister,
    files: Sequence[ImportedFile],
    *,
    host: str | None,
    gone: Collection[str] = (),
) -> list[Target]:
    """
    Return the source of each file, in order.

    Args:
        ledger: the books of the bank.
        register: what is known of its sources.
        files: what was read at once: a file alone, or those of a folder.
        host: the machine that has them.
        gone: sources of which the caller knows that their files are there no more.

    """
    found = _Identifier(ledger, register, files, host, frozenset(gone))
    # The surest way first: a source is taken by the first file that is found to be it
    # (docs/adr/0051).
    found.at_their_places()
    found.moved()
    found.renamed()
    found.unplaced()
    return found.all()


def name_by_hand(
    ledger: Ledger,
    register: SourceRegister,
    files: Sequence[ImportedFile],
    names: Sequence[str],
    *,
    host: str | None,
) -> list[Target]:
    """Return the sources that files are because somebody says so, in order."""
    found = _Identifier(ledger, register, files, host, frozenset())
    found.at_their_places()
    return [
        Target(name, instead_of=None if before == name else before)
        for name, before in zip(names, found.names(), strict=True)
    ]


class _Identifier:
    def __init__(
        self,
        ledger: Ledger,
        register: SourceRegister,
        files: Sequence[ImportedFile],
        host: str | None,
        gone: frozenset[str],
    ) -> None:
        self._ledger = ledger
        self._register = register
        self._files = files
        self._host = host
        self._said_gone = gone
        self._taken: set[str] = set()
        self._targets: dict[int, Target] = {}
        self._rows: dict[str, list[EpisodeRow]] = {}
        self._gone: list[KnownSource] | None = None

    def all(self) -> list[Target]:
        """Return the source of each file; those that none was found for get one of their own."""
        for n, file in self._open():
            self._give(n, Target(self._free_name(file), new=True))
        return [self._targets[n] for n in range(len(self._files))]

    def names(self) -> list[str | None]:
        """Return the names of the sources found so far."""
        found = [self._targets.get(n) for n in range(len(self._files))]
        return [None if target is None else target.source for target in found]

    def _open(self) -> list[tuple[int, ImportedFile]]:
        return [(n, f) for n, f in enumerate(self._files) if n not in self._targets]

    def _give(self, n: int, target: Target) -> None:
        self._targets[n] = target
        self._taken.add(target.source)
        if target.was is not None:
            self._taken.add(target.was)

    # ------------------------------------------------------------ the ways, in order

    def at_their_places(self) -> None:
        """Find files where they were, unless something else has been put there."""
        by_place: dict[tuple[str | None, str | None, str | None], list[KnownSource]] = {}
        for known in self._register.known.values():
            by_place.setdefault((known.place, known.host, known.format), []).append(known)
        for n, file in self._open():
            if file.place is None:
                continue
            there = [
                known.name
                for known in reversed(by_place.get((file.place, self._host, file.format), []))
                if known.name not in self._taken and self._goes_on(file, known.name)
            ]
            if there:  # of several exports that were in one place, the one that says most of it
                self._give(n, Target(max(there, key=lambda one: self._shared(file, one).words)))

        for n, file in self._open():
            sent = self._register.known.get(file.name)
            if sent is not None and self._sent_again(file, sent):
                self._give(n, Target(sent.name))

    def _sent_again(self, file: ImportedFile, sent: KnownSource) -> bool:
        """Return whether a file came without a place before, so that only its name is known."""
        without = file.place is None and (sent.format, sent.place) == (file.format, None)
        return without and sent.name not in self._taken and self._goes_on(file, sent.name)

    def _goes_on(self, file: ImportedFile, source: str) -> bool:
        rows = self._telling(source)
        if not rows:
            return False
        place = file.place or ""
        several = place.startswith(REDACTED_PLACE) and stands_for_several(place)
        if (not several and file.format in _WRITTEN_OVER) or all(e.state != "active" for e in rows):
            return True
        return self._shared(file, source).any_or_most

    def moved(self) -> None:
        """Find the files of a folder that is elsewhere now, under their names in it."""
        pairs: dict[str, list[tuple[int, KnownSource]]] = {}
        for n, file in self._open():
            for known in self._vanished():
                root = _root(known.place, known.file)
                if (known.file, known.format) == (file.name, file.format) and root is not None:
                    pairs.setdefault(root, []).append((n, known))
        for some in pairs.values():
            self._adopt([(n, known.name) for n, known in some], renamed=True)

    def renamed(self) -> None:
        """Find files under other names, by what they say."""
        for n, file in self._open():
            best: tuple[tuple[bool, int], KnownSource] | None = None
            for known in self._vanished():
                if known.format != file.format or known.name in self._taken:
                    continue
                shared = self._shared(file, known.name)
                worth = _root(known.place, known.file) == _root(file.place, file.name), shared.words
                if shared.most and (best is None or worth > best[0]):
                    best = worth, known
            if best is not None:
                was = best[1].name
                if file.format in _NAMED_AFTER_FILE and file.name != best[1].file:
                    name = self._free_name(file)
                    self._give(n, Target(name, new=True, was=was, renamed=True))
                else:
                    self._give(n, Target(was, renamed=True))

    def unplaced(self) -> None:
        """Find files in sources of which no more than the name is known, or on another machine."""
        pairs: list[tuple[int, str]] = []
        for n, file in self._open():
            names = [
                known.name
                for known in self._register.known.values()
                if (known.file, known.format) == (file.name, file.format)
                if file.place is None
                or known.place is None
                or (known.place == file.place and known.host != self._host)
            ]
            if file.name not in self._register.known:
                names.append(file.name)
            pairs += [(n, name) for name in names if self._telling(name)]
        self._adopt(pairs)
        for n, file in self._open():
            was = self._name_left_behind(file)
            if was is not None:
                self._give(n, Target(self._free_name(file), new=True, was=was, renamed=True))

    def _name_left_behind(self, file: ImportedFile) -> str | None:
        """Return the name that an earlier version gave a note which has another one by now."""
        root = _root(file.place, file.name)
        if file.format not in _NAMED_AFTER_FILE or root is None:
            return None
        ledger = self._ledger
        rows = {
            row
            for group in file.groups
            for row in ledger.store.episodes.rows_with_digest(ledger.bank, group.first.digest)
        }
        found = ledger.store.episodes.read(ledger.bank, sorted(rows))
        here = {one.name for one in self._files}
        for name in dict.fromkeys(e.source for e in found if e.state == "active"):
            free = name is not None and name not in self._taken | self._register.known.keys()
            if name is None or not free or name in here or not is_missing(root + name):
                continue
            if self._shared(file, name).most and all(
                _session(e, name) is None for e in self._telling(name)
            ):
                return name
        return None

    def _adopt(self, pairs: Sequence[tuple[int, str]], *, renamed: bool = False) -> None:
        """
        Let files be sources, those that say the same first.

        If half of them do it is the same folder, and the others were written anew. But what the
        bank has already, under a name that was all that was known, is another file of that name.
        """
        pairs = [(n, s) for n, s in pairs if n not in self._targets and s not in self._taken]
        alike = [(n, s) for n, s in pairs if self._is_edit_of(self._files[n], s)]
        known = {n for n, _ in alike}
        rest = [
            (n, s)
            for n, s in pairs
            if n not in known and (renamed or self._is_news(self._files[n], s))
        ]
        same_folder = len(known) > 1 and 2 * len(known) >= len({n for n, _ in pairs})
        for n, source in [*alike, *(rest if same_folder else ())]:
            if n not in self._targets and source not in self._taken:
                self._give(n, Target(source, renamed=renamed))

    def _is_news(self, file: ImportedFile, source: str) -> bool:
        """Return whether nothing that a file says is in the bank, or ever was in a source."""
        ledger, firsts = self._ledger, [group.first for group in file.groups]
        digests = {e.digest for e in self._register.rows(source)}
        there = ledger.store.episodes.rows_of(ledger.bank, [d.id for d in firsts])
        return not there and digests.isdisjoint(d.digest for d in firsts)

    # ------------------------------------------------------------ what they go by

    def _vanished(self) -> list[KnownSource]:
        """Return the sources whose file is not where it was."""
        if self._gone is None:
            self._gone = [
                known
                for known in self._register.known.values()
                if known.name not in self._taken
                and (known.name in self._said_gone or is_gone(known, self._host))
                and self._has_something(known.name)
            ]
        return self._gone

    def _has_something(self, source: str) -> bool:
        holders = self._register.holders
        return any(source in holders(e) for e in self._register.rows(source))

    def _telling(self, source: str) -> list[EpisodeRow]:
        """
        Return the rows in force of a source, its user's words among them; or else hidden ones.

        What was corrected comes with what corrects it: the file has the words of before.
        """
        if source not in self._rows:
            rows = self._register.rows(source)
            in_force = any(e.state == "active" for e in rows)
            told = ("active", "superseded") if in_force else ("forgotten",)
            self._rows[source] = [e for e in rows if e.state in told] or rows
        return self._rows[source]

    def _shared(self, file: ImportedFile, source: str) -> _Shared:
        rows = self._telling(source)
        ids = {(e.id, _session(e, source)) for e in rows}
        words = Counter((e.digest, _session(e, source)) for e in rows)
        same = said = 0
        for group in file.groups:
            first = group.first
            key = first.digest, _session(first, file.name)
            known = (first.id, key[1]) in ids
            same += known
            if words[key] > 0:
                words[key] -= 1
                said += 1
            elif known:
                said += 1
        wholes = [e for e in rows if e.part == 0 and e.state != "superseded"]
        fewest = min(len(file.groups), len(wholes))
        return _Shared(same, said, fewest)

    def _is_edit_of(self, file: ImportedFile, source: str) -> bool:
        shared = self._shared(file, source)
        if file.format not in _WRITTEN_OVER:
            return shared.any_or_most
        if shared.words:
            return True
        rows = [e.row for e in self._telling(source)]
        texts = self._ledger.reader.texts(rows)
        before = _runs(texts.get(row, "") for row in rows)
        now = _runs(d.text for group in file.groups for d in group.drafts)
        return len(before & now) >= _ALIKE * max(1, len(before | now))

    def _free_name(self, file: ImportedFile) -> str:
        """Return the name of a file, with the folders that tell it from others."""
        return next(name for name in _names(file) if self._is_free(name))

    def _is_free(self, name: str) -> bool:
        return name not in self._taken and is_free(self._register, name)


class _Shared(NamedTuple):
    """Share of a file that a source has: turns by id, and by their words; and their most."""

    ids: int
    words: int
    fewest: int

    @property
    def most(self) -> bool:
        """Return whether the one has half of the other."""
        return self.words > 0 and 2 * self.words >= self.fewest

    @property
    def any_or_most(self) -> bool:
        """Return whether they share a turn of one moment, or, without times, most words."""
        return self.ids > 0 or self.most


def _root(place: str | None, file: str | None) -> str | None:
    """Return the folder that was imported, of the file of a source that was in it."""
    return None if place is None else place.removesuffix(file or "")


def _names(file: ImportedFile) -> Iterable[str]:
    """Yield names for a file: its own, with more and more of the folders around it, numbered."""
    yield file.name
    if file.place is not None:
        parts = PurePosixPath(file.place).parts
        inside = len(PurePosixPath(file.name).parts)
        for more in range(inside + 1, len(parts)):  # but for the root of all
            yield "/".join(parts[-more:])
    for number in count(2):
        yield f"{file.name} ({number})"


def _session(e: EpisodeRow | Draft, name: str) -> str | None:
    """Return the session of a turn, where it is not just named after its file."""
    own = e.session is None or e.session == name or e.session.startswith(f"{name}#")
    return None if own else e.session


def _runs(texts: Iterable[str]) -> set[str]:
    """Return the runs of a few characters that a text is made of."""
    text = " ".join(" ".join(texts).casefold().split())[:_COMPARED]
    return {text[n : n + _RUN] for n in range(max(1, len(text) - _RUN + 1))}


def is_free(register: SourceRegister, name: str) -> bool:
    """Return whether no source is called that, or none any more."""
    known = name in register.known
    return not known and all(e.state == "superseded" for e in register.rows(name))


def is_gone(known: KnownSource, host: str | None) -> bool:
    """Return whether the file of a source is surely gone: it was on this machine, and is not."""
    if known.place is None or known.host is None or known.host != host:
        return False
    if known.place.startswith(REDACTED_PLACE):  # nobody knows where that is
        return False
    return is_missing(known.place)
