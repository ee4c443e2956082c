"""Imports of files: which source each is, and what has changed in it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from hippocampus.bank.commit import Committer
from hippocampus.bank.inclusion import is_open
from hippocampus.bank.part import BankPart
from hippocampus.core.bank_names import PROJECT, TEAM
from hippocampus.core.budget import check_budget
from hippocampus.core.events import (
    ClaimedBySource,
    RemovedFromSource,
    Restored,
    SourceNoted,
    UnclaimedBySource,
)
from hippocampus.core.overtaken import write_again
from hippocampus.core.path_text import path_text
from hippocampus.core.records import (
    SUSPECT,
    Episode,
    EpisodeRow,
    FileLocation,
    Imported,
    Progress,
    Turn,
)
from hippocampus.core.turn_choice import chosen_turns, is_chosen
from hippocampus.engine.bank_state import BankState
from hippocampus.errors import StoreError
from hippocampus.journal.draft import Encoded
from hippocampus.journal.ledger import Ledger
from hippocampus.journal.requests import once
from hippocampus.journal.source_register import KnownSource, SourceRegister

if TYPE_CHECKING:
    from hippocampus.sources import SessionLog
    from hippocampus.write.check import Group
    from hippocampus.write.file_import import FileRead
    from hippocampus.write.source_identity import ImportedFile, Target
    from hippocampus.write.source_update import Update

R = TypeVar("R")


class _Import(NamedTuple):
    """Arguments that hold for all files of one import."""

    location: FileLocation
    root: str | None
    """The absolute path of the folder, if it is one."""
    by_hand: str | None
    sync: bool | None
    now: datetime


class _Logs:
    """The logs of an import, and how far they are read, in bytes."""

    def __init__(self, logs: Sequence[SessionLog], progress: Progress | None) -> None:
        self.logs = logs
        self._progress = progress
        self._total = sum(log.size for log in logs)
        self._before = 0

    def advance(self, log: SessionLog) -> None:
        """Report the bytes that are done, of this file and of those before it."""
        if self._progress:
            self._progress(self._before + log.done, self._total)

    def finish(self, log: SessionLog) -> None:
        """Count a log as read."""
        self._before += log.size
        if self._progress:
            self._progress(self._before, self._total)


class SourceImport(BankPart):
    """One import of a file or folder into a bank."""

    def __init__(self, state: BankState, committer: Committer) -> None:
        super().__init__(state)
        self._committer = committer
        with self._state.changing():
            ledger = self._engine.ledger(self.name, create=True)
        self._register = SourceRegister(ledger.reader)
        self._gate = self._engine.secret_gate

    def run(
        self,
        path: Path,
        location: FileLocation | None,
        *,
        format: str | None,  # noqa: A002
        by_hand: str | None,
        sync: bool | None,
        progress: Progress | None,
    ) -> Imported:
        """Bring the episodes from a file, or from those of a folder, up to what they say now."""
        from hippocampus.write.file_import import read_files  # noqa: PLC0415 - not for a recall

        now = self._engine.now()
        read = read_files(
            path, format=format, location=location,
            chunk_tokens=self._engine.config.ingest.chunk_tokens, now=now, zone=self._engine.zone,
        )  # fmt: skip
        call = self._gated(_Import(*_located(path, location), by_hand, sync, now))
        wanted = self._chosen(read.files, call)
        files = [self._prepared(file, call) for file in wanted]
        targets = self._identified(files, call)
        logs = _Logs(read.logs, progress)
        total = sum(len(file.groups) for file in files)
        done, result = 0, Imported(added=0, unchanged=0, removed=0, unreadable=read.unreadable)
        for file, target, before in zip(files, targets, wanted, strict=True):

            def step(
                part: int, of: int, *, base: int = done, weight: int = len(file.groups)
            ) -> None:
                if progress:
                    progress(base + (part * weight // of if of else 0), total)

            result += self._bring_up(file, target, call, step)
            result += Imported(added=0, unchanged=0, removed=0, doubtful=before.doubtful)
            done += len(file.groups)
            if progress:
                progress(done, total)
        sources = {target.source for target in targets}
        for log in logs.logs:
            result += self._follow(log, call, sources, logs)
        return result + self._miss(sources, call)

    def withdraw(self, source: str) -> int:
        """Hide the episodes that a source alone has; returns how many."""
        from hippocampus.write.source_update import compare  # noqa: PLC0415 - not for a recall

        def hide(ledger: Ledger) -> int:
            self._register.catch_up()
            update = compare(ledger, self._register, source, ())
            _write(ledger, source, update)
            return len(update.gone)

        with self._state.changing():
            return self._transact(lambda ledger: once(ledger, lambda: hide(ledger), int))

    def _transact(self, do: Callable[[Ledger], R]) -> R:
        """Return the result of a transaction, each further try of which looks at sources anew."""
        tries = 0

        def look_and_do(ledger: Ledger) -> R:
            nonlocal tries
            if tries:  # what the register took in of the last try never happened
                self._register = SourceRegister(ledger.reader)
            tries += 1
            return do(ledger)

        return self._state.transact(look_and_do)

    # ------------------------------------------------------------ logs

    def _follow(self, log: SessionLog, call: _Import, sources: set[str], logs: _Logs) -> Imported:
        """Add the entries of a log that the bank lacks, a part at a time; the others stay."""
        from hippocampus.write.file_import import read_log  # noqa: PLC0415 - not for a recall

        result = Imported(added=0, unchanged=0, removed=0)
        target: Target | None = None
        hooks: dict[str, set[tuple[str | None, str]]] = {}
        for part in read_log(log, now=call.now, zone=self._engine.zone):
            check_budget()
            result += Imported(
                added=0, unchanged=0, removed=0, unreadable=part.unreadable,
                doubtful=part.read.doubtful,
            )  # fmt: skip
            if part.read.turns:
                turns, kept = self._without_kept(part.read.turns, hooks)
                result += Imported(added=0, unchanged=kept, removed=0)
                file = self._prepared(part.read._replace(turns=chosen_turns(turns)), call)
                if not file.groups:
                    logs.advance(log)
                    continue
                if target is None:
                    (target,) = self._identified([file], call)
                done, target = self._add_to(file, target, call)
                result += done
            logs.advance(log)
        logs.finish(log)
        if target is not None:
            sources.add(target.source)
            if target.instead_of is not None:
                self.withdraw(target.instead_of)
        return result

    def _without_kept(
        self, turns: Sequence[Turn], hooks: dict[str, set[tuple[str | None, str]]]
    ) -> tuple[list[Turn], int]:
        """Return a log's turns without those of which hooks have kept a part, and their number."""
        from hippocampus.write.hook_kept import is_kept  # noqa: PLC0415 - not for a recall

        fresh: list[Turn] = []
        for turn in turns:
            session = turn.session or ""
            if session not in hooks:
                hooks[session] = self._kept_by_hooks(session) if session else set()
            if not is_kept(turn, hooks[session]):
                fresh.append(turn)
        return fresh, len(turns) - len(fresh)

    def _kept_by_hooks(self, session: str) -> set[tuple[str | None, str]]:
        """Return the messages of a session that hooks kept, here or by project."""
        from hippocampus.write.hook_kept import (  # noqa: PLC0415 - not for a recall
            MOST_OF_SESSION,
            marks_of,
        )

        names = [self.name]
        for prefix in (PROJECT, TEAM):
            names += self._store.banks.names(prefix=prefix)
        found: set[tuple[str | None, str]] = set()
        for name in dict.fromkeys(names):
            if name != self.name and not is_open(self._state, name):
                continue
            with suppress(StoreError), self._store.read():  # what is damaged there is told there
                ledger = self._engine.ledger(name)
                rows = self._store.episodes.last_of_session(ledger.bank, session, MOST_OF_SESSION)
                found |= marks_of(rows)
        return found

    def _add_to(self, file: ImportedFile, target: Target, call: _Import) -> tuple[Imported, Target]:
        """Add a part of a log to its source; return the source as it is now."""
        from hippocampus.write.source_update import (  # noqa: PLC0415 - not for a recall
            compare,
            named,
        )

        def add(ledger: Ledger) -> tuple[Target, Update]:
            now = self._looked_up(ledger, file, target, call)
            groups = [named(group, file.name, now.source) for group in file.groups]
            update = compare(ledger, self._register, now.source, groups, grows=True)
            self._committer.check_flood(update.drafts, call.now)
            _write(ledger, now.source, update)
            return now, update

        with self._state.changing():
            target, update = self._transact(add)
            kept = self._committer.keep(update.fresh, call.now, None) if update.fresh else []
            self._note(file, target, call)
        done = Imported(
            added=len(kept) + len(update.back),
            unchanged=update.unchanged,
            removed=0,
            renamed=int(target.renamed),
        )
        return done, target._replace(new=False, renamed=False)

    # ------------------------------------------------------------ the steps

    def _gated(self, call: _Import) -> _Import:
        """Return an import whose names may be kept."""

        def may_be_kept(name: str, label: str | None) -> str | None:
            return None if label is None else self._gate.label(name, label)

        location = replace(
            call.location,
            host=may_be_kept("its host", call.location.host),
            gone=tuple(map(self._gate.known_as, call.location.gone)),
        )
        return call._replace(location=location, by_hand=may_be_kept("as_", call.by_hand))

    def _prepared(self, file: FileRead, call: _Import) -> ImportedFile:
        from hippocampus.write.source_identity import (  # noqa: PLC0415 - not for a recall
            ImportedFile,
        )

        groups = [self._committer.group(turn, call.now) for turn in file.turns]
        name = self._gate.label("the file's name", file.name)
        return ImportedFile(name, file.format, self._place(file, call), groups)

    def _place(self, file: FileRead, call: _Import) -> str | None:
        """Return the absolute path of a file as it may be kept; None if nobody knows it."""
        place = call.location.place
        if call.root is not None:
            place = f"{call.root.rstrip('/')}/{file.name}"
        return None if place is None else self._gate.place(place)

    def _chosen(self, files: Sequence[FileRead], call: _Import) -> list[FileRead]:
        """Return files with the turns that are taken of them; of new ones those that have any."""
        if not is_chosen():
            return list(files)
        with self._store.read():
            self._register.catch_up()
        known = {(one.place, one.host, one.format) for one in self._register.known.values()}
        known = {place for place in known if place[0] is not None}
        host = call.location.host
        taken = [(file, file._replace(turns=chosen_turns(file.turns))) for file in files]
        # What is known and says nothing any more is not passed over: what it said is gone.
        return [
            now
            for before, now in taken
            if now.turns or not before.turns or (self._place(now, call), host, now.format) in known
        ]

    def _identified(self, files: Sequence[ImportedFile], call: _Import) -> list[Target]:
        from hippocampus.write.source_identity import (  # noqa: PLC0415 - not for a recall
            identify,
            name_by_hand,
        )

        with self._store.read():
            ledger = self._engine.ledger(self.name)
            self._register.catch_up()
            if call.by_hand is not None:
                folder = call.root is not None
                names = [f"{call.by_hand}/{f.name}" if folder else call.by_hand for f in files]
                return name_by_hand(ledger, self._register, files, names, host=call.location.host)
            return identify(
                ledger, self._register, files, host=call.location.host, gone=call.location.gone
            )

    def _bring_up(
        self, file: ImportedFile, target: Target, call: _Import, progress: Progress
    ) -> Imported:
        """
        Make the episodes of a source equal to its file.

        What is new is kept before anything is hidden, so that an import that fails loses nothing.
        """

        def look(ledger: Ledger) -> tuple[Target, Update]:
            now = self._looked_up(ledger, file, target, call)
            update = self._compared(ledger, file, now)
            self._committer.check_flood(update.drafts, call.now)
            if not update.fresh:
                self._settle(ledger, now, update)
            return now, update

        def settle(ledger: Ledger, now: Target) -> Update:
            self._register.catch_up()
            update = self._compared(ledger, file, now)
            self._settle(ledger, now, update)
            return update

        with self._state.changing():
            target, first = self._transact(look)
            kept, update = list[Episode](), first
            if first.fresh:
                kept = self._committer.keep(first.fresh, call.now, progress)
                update = self._transact(partial(settle, now=target))
            if update.fresh:  # they were echoes, perhaps of what is hidden by now
                self._committer.keep(update.fresh, call.now, None)
            self._rename(update.moved, target.source)
            self._note(file, target, call)
        removed = len(update.gone) + len(update.lost)
        return Imported(
            added=len(kept) + len(update.back),
            unchanged=first.unchanged,
            removed=removed,
            changed=0 if target.new and target.was is None else min(len(kept), removed),
            renamed=int(target.renamed),
        )

    def _compared(self, ledger: Ledger, file: ImportedFile, target: Target) -> Update:
        """Return the changes after which a source has what its file says."""
        from hippocampus.write.source_update import (  # noqa: PLC0415 - not for a recall
            compare,
            named,
        )

        groups = [named(group, file.name, target.source) for group in file.groups]
        return compare(ledger, self._register, target.source, groups, target.was)

    def _settle(self, ledger: Ledger, target: Target, update: Update) -> None:
        """Write the changes that an update makes of what is there, in a transaction."""
        from hippocampus.write.source_update import (  # noqa: PLC0415 - not for a recall
            Update,
            compare,
        )

        _write(ledger, target.source, update)
        if target.was is not None:
            _write(ledger, target.was, Update(gone=update.lost, left=update.let_go))
        if target.instead_of is not None:
            self._register.catch_up()
            before = compare(ledger, self._register, target.instead_of, ())
            _write(ledger, target.instead_of, before)
            update.gone += before.gone

    def _looked_up(
        self, ledger: Ledger, file: ImportedFile, target: Target, call: _Import
    ) -> Target:
        """Return the source that a file is, by what is noted now: others may have its name."""
        from hippocampus.write.source_identity import (  # noqa: PLC0415 - not for a recall
            identify,
            is_free,
        )

        self._register.catch_up()
        if not target.new or is_free(self._register, target.source):
            return target
        (known,) = identify(
            ledger, self._register, [file], host=call.location.host, gone=call.location.gone
        )
        return known

    def _rename(self, moved: Sequence[tuple[EpisodeRow, Group]], source: str) -> None:
        """Let the episodes of a file be found by its new name, as a later version of themselves."""
        if not moved:
            return
        ledger = self._engine.ledger(self.name)
        pairs = [(old, self._with_id(ledger, old, group, source)) for old, group in moved]
        known = self._store.episodes.rows_of(ledger.bank, [g.first.id for _, g in pairs])
        drafts = [d for _, group in pairs for d in group.drafts if d.id not in known]

        def store(books: Ledger, encoded: Encoded) -> None:
            for old, group in pairs:
                (now,) = books.store.episodes.read(books.bank, [old.row])
                if now != old:  # somebody has changed it meanwhile
                    continue
                row = books.writer.correct(old, group.drafts, encoded)
                _inherit(books, old, row)

        self._committer.store_encoded(ledger, drafts, store)

    def _with_id(self, ledger: Ledger, old: EpisodeRow, group: Group, source: str) -> Group:
        """Return the successor of an episode, under an id that is free, or that it had."""
        versions = set(ledger.lineage.versions([old.row])) - {old.row}
        while True:
            rows = self._store.episodes.rows_of(ledger.bank, [group.first.id])
            there = self._store.episodes.read(ledger.bank, list(rows.values()))
            if not there or (
                there[0].row in versions
                and there[0].state == "superseded"
                and there[0].source == source
            ):
                return group
            group = group.apart(source)

    def _note(self, file: ImportedFile, target: Target, call: _Import) -> None:
        """Note the place of a source and its format, unless they are known."""
        self._register.catch_up()
        source = target.source
        known = self._register.known.get(source)
        rows = [e for e in self._register.rows(source) if source in self._register.holders(e)]
        rows = [e for e in rows if e.state == "active"] or rows
        if not rows:
            return
        synced = call.sync
        if synced is None:
            synced = known.synced if known is not None else self._is_synced(call)
        row = known.row if known is not None and known.row in {e.row for e in rows} else rows[0].row
        noted = KnownSource(
            source, row, file.format, file.name, file.place,
            call.location.host if file.place is not None else None, synced,
        )  # fmt: skip
        if noted == known:
            return
        event = SourceNoted(
            source=source, format=noted.format, file=noted.file, place=noted.place,
            host=noted.host, synced=synced, was=target.was or target.instead_of,
        )  # fmt: skip

        def note() -> None:
            writer = self._engine.ledger(self.name).writer
            writer.note_at(writer.now(), [(row, event)])

        # No index asks for it.
        write_again(self._store, self._engine.ledger(self.name).bank, note)

    # ------------------------------------------------------------ what is gone from a folder

    def _inside(self, call: _Import) -> list[KnownSource]:
        """Return the sources that are known to be from the folder that is imported."""
        if call.root is None:
            return []
        root = f"{self._gate.place(call.root.rstrip('/'))}/"
        return [
            known
            for known in self._register.known.values()
            if known.host == call.location.host
            and known.place is not None
            and known.place.startswith(root)
        ]

    def _is_synced(self, call: _Import) -> bool:
        return any(known.synced for known in self._inside(call))

    def _miss(self, seen: Collection[str], call: _Import) -> Imported:
        """Hide the episodes of files gone from the folder, if it is synced; else name them."""
        from hippocampus.write.source_identity import is_gone  # noqa: PLC0415 - not for a recall

        self._register.catch_up()
        removed, missing = 0, list[str]()
        for known in self._inside(call):
            if known.name in seen or not is_gone(known, call.location.host):
                continue
            if call.sync or (call.sync is None and known.synced):
                removed += self.withdraw(known.name)
            elif any(e.state == "active" for e in self._register.rows(known.name)):
                missing.append(known.name)
        return Imported(added=0, unchanged=0, removed=removed, missing=tuple(missing))


def _located(path: Path, location: FileLocation | None) -> tuple[FileLocation, str | None]:
    """Return the location of a file, and a folder's absolute path; ``location``: of a copy."""
    from hippocampus.sources.walk import this_host  # noqa: PLC0415 - not for a recall

    if location is not None:
        return location, None
    place = path_text(path.resolve())
    if path.is_dir():
        return FileLocation(host=this_host()), place
    return FileLocation(host=this_host(), place=place), None


def _write(ledger: Ledger, source: str, update: Update) -> None:
    """Write changes that add nothing."""
    for rows, event in (
        (update.claimed, ClaimedBySource(source=source)),
        (update.left, UnclaimedBySource(source=source)),
    ):
        ledger.writer.note_at(ledger.writer.now(), ((row, event) for row in rows))
    if update.gone:
        ledger.writer.change(update.gone, RemovedFromSource(source=source))
    if update.back or update.freed:
        ledger.writer.change([*update.back, *update.freed], Restored(source=source))


def _inherit(books: Ledger, old: EpisodeRow, row: int) -> None:
    """Let the successor of an episode, under another name, be suspect as that was."""
    books.store.episodes.set_marks(books.bank, [row], SUSPECT, on=bool(old.marks & SUSPECT))
