"""Moving: whole banks and files, out and in."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hippocampus.bank.commit import Committer
from hippocampus.bank.part import BankPart, staying
from hippocampus.core.budget import without_budget
from hippocampus.core.events import BanksIncluded, PolicySet, ProfileSet
from hippocampus.core.given_arguments import as_path, check_texts
from hippocampus.core.records import FileLocation, Imported, Progress
from hippocampus.core.rights import rights
from hippocampus.engine.bank_state import BankState
from hippocampus.errors import SourceError, StoreError
from hippocampus.journal.draft import Encoded
from hippocampus.journal.ledger import Ledger

if TYPE_CHECKING:
    from hippocampus.journal.transfer import Export

_WITHOUT_GATE: Final = (
    "; to restore an export of your own, import it with a memory opened without Config.flood"
    " (on the command line: --flood none)"
)


class Bulk(BankPart):
    """The verbs that read and write files."""

    def __init__(self, state: BankState, committer: Committer) -> None:
        super().__init__(state)
        self._committer = committer

    def export(self, path: str | Path, *, overwrite: bool = False) -> int:
        """
        Write everything in the bank to a JSONL file that ``import_`` reads back whole.

        Only its owner may read the file. With ``Secrets(show="redact")`` kinds stand in the place
        of secrets there. Through a server, other banks that the key does not open are not named.

        Args:
            path: a new file, in a folder that exists.
            overwrite: whether it may replace a file. A store is never replaced.

        Raises:
            OutputExists: there is such a file, or a store.

        """
        from hippocampus.journal.transfer import (  # noqa: PLC0415 - not for a recall
            AS_IT_IS,
            TransferGate,
            export_bank,
        )

        secrets = self._engine.secret_gate
        hides = self._engine.config.secrets.show == "redact"
        gate = TransferGate(secrets.shown_record, secrets.shown_detail) if hides else AS_IT_IS
        ledger = self._engine.ledger(self.name)
        return export_bank(ledger, as_path("path", path), overwrite=overwrite, gate=gate)

    @staying
    def import_(
        self,
        path: str | Path,
        *,
        format: str | None = None,  # noqa: A002
        as_: str | None = None,
        sync: bool | None = None,
        location: FileLocation | None = None,
        progress: Progress | None = None,
    ) -> Imported:
        """
        Remember a file or a folder: our own export, notes, chats, mail, other memories' exports.

        Importing again changes only what changed: new parts are added, parts that are gone from
        a file are forgotten (``restore`` brings them back). What cannot be read is reported and
        skipped; the rest goes on. A file is the source that it was before if it is in the same
        place, or has been moved or renamed; files that are only called the same are sources of
        their own (``docs/sources.md``).

        Args:
            path: a file or a folder.
            format: read every file as this; by default each file tells.
            as_: what the source is called, whatever it was before; files of a folder are in it.
            sync: whether what a file said is forgotten as well once the file is gone from the
                folder, now and by later imports; by default what was said last of the folder.
            location: where the file is, if ``path`` is a copy of it.
            progress: called as it advances.

        Where somebody else asks, through a server, an export brings no acceptance (``accept``) but
        from an admin: texts in it are judged anew.

        """
        from hippocampus.journal.transfer import (  # noqa: PLC0415 - not for a recall
            TransferGate,
            read_export,
        )
        from hippocampus.write.check import check_label  # noqa: PLC0415 - not for a recall

        path = as_path("path", path)
        check_label("as_", as_)
        begins = self._store.banks.number(self.name) is None
        done: Imported | None = None
        try:
            if format in (None, "hippocampus"):
                gate = TransferGate(
                    self._engine.secret_gate.record, self._engine.secret_gate.detail
                )
                whole = read_export(path, salt=self._engine.salt, gate=gate)
                if whole is not None:
                    done = self._take_in(self._without_acceptance(whole), progress)
                    return done
                if format == "hippocampus":
                    raise SourceError("is not an export of hippocampus", path=path)
            # Only who reads files waits for what parses mail, pages and other memories' exports.
            from hippocampus.bank.source_import import SourceImport  # noqa: PLC0415

            done = SourceImport(self._state, self._committer).run(
                path, location, format=format, by_hand=as_, sync=sync,
                progress=progress,
            )  # fmt: skip
            return done
        finally:
            # What could not be read leaves no empty bank behind, which lists would show for ever.
            if begins and (done is None or done.unreadable):
                self._end_unused()

    def _end_unused(self) -> None:
        """Drop the bank if nothing was noted in it; a store that fails keeps it, empty."""
        with suppress(StoreError), without_budget(), self._state.changing():
            number = self._store.banks.number(self.name)
            if number is None:
                return
            with self._store.write(number):
                if not self._store.journal.last_seq(number):
                    self._store.banks.drop(number)

    @staying
    def withdraw(self, source: str) -> int:
        """
        Forget the episodes of a source whose file is gone; an import brings them back with it.

        What another source has as well, or is held, stays. Returns how many episodes changed.
        """
        from hippocampus.bank.source_import import SourceImport  # noqa: PLC0415
        from hippocampus.write.check import check_label  # noqa: PLC0415 - not for a recall

        check_texts(source=source)
        check_label("source", source)
        self._engine.ledger(self.name)
        files = SourceImport(self._state, self._committer)
        return sum(map(files.withdraw, self._sources_here(source)))

    def _take_in(self, whole: Export, progress: Progress | None) -> Imported:
        """
        Take in what another bank held: all of it into an empty bank, in one transaction.

        A bank that holds something already gets the texts in force that it lacks, noted now. The
        gate for floods counts either as coming in now, whatever an export says of its times.
        """
        with self._state.changing():
            drafts = whole.drafts()
            if not self._is_begun():  # and is not, where it is too much
                self._committer.check_flood(drafts, self._engine.now(), hint=_WITHOUT_GATE)
            ledger = self._engine.ledger(self.name, create=True)
            if self._store.episodes.count(ledger.bank):
                ids = [record.id for record in whole.records]
                missing = whole.missing(self._store.episodes.rows_of(ledger.bank, ids))
                coming = (draft for group in missing for draft in group)
                self._committer.check_flood(coming, self._engine.now(), hint=_WITHOUT_GATE)
                if missing:
                    self._committer.add(ledger, missing, progress)
                added = sum(map(len, missing))
                return Imported(added=added, unchanged=len(ids) - added, removed=0)

            def load(books: Ledger, encoded: Encoded) -> None:
                policies = books.reader.events(PolicySet)
                profiles = books.reader.events(ProfileSet)
                included = books.reader.events(BanksIncluded)
                books.writer.load(whole.records, whole.journal, encoded)
                for chosen in (policies, profiles, included):  # what was chosen here holds here
                    if chosen:
                        books.writer.note(chosen[-1].event)

            self._committer.store_encoded(ledger, drafts, load, progress)
            return Imported(added=len(drafts), unchanged=0, removed=0)

    def _without_acceptance(self, whole: Export) -> Export:
        """Return an export without what says that texts may be shown, where that is for others."""
        from hippocampus.language.injections import (  # noqa: PLC0415 - not for a recall
            reads_like_injection,
        )

        if rights().may_accept(self.name):
            return whole
        return whole.judged_anew(reads_like_injection)

    def _is_begun(self) -> bool:
        with self._store.read():
            return self._store.episodes.count(self._state.ledger().bank) > 0
