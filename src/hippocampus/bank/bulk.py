"""Moving: whole banks and files, out and in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hippocampus.bank.part import BankPart, staying
from hippocampus.bank.writes import Writes
from hippocampus.core.events import PolicySet, RemovedFromSource, Restored
from hippocampus.core.records import Imported, Progress, Turn
from hippocampus.engine.bank_state import BankState
from hippocampus.errors import SourceError
from hippocampus.journal.draft import Encoded
from hippocampus.journal.ledger import Ledger
from hippocampus.journal.transfer import Export, as_it_is, export_bank, read_export


class Bulk(BankPart):
    """The verbs that read and write files."""

    def __init__(self, state: BankState, writes: Writes) -> None:
        super().__init__(state)
        self._writes = writes

    def export(self, path: str | Path, *, overwrite: bool = False) -> int:
        """
        Write everything in the bank to a JSONL file that ``import_`` reads back whole.

        Only its owner may read the file. With ``Secrets(show="redact")`` kinds stand in the place
        of secrets there.

        Args:
            path: a new file, in a folder that exists.
            overwrite: whether it may replace a file. A store is never replaced.

        Raises:
            OutputExists: there is such a file, or a store.

        """
        hides = self._engine.config.secrets.show == "redact"
        gate = self._engine.secret_gate.without_secrets if hides else as_it_is
        ledger = self._engine.ledger(self.name)
        return export_bank(ledger, Path(path), overwrite=overwrite, gate=gate)

    @staying
    def import_(
        self,
        path: str | Path,
        *,
        format: str | None = None,  # noqa: A002
        progress: Progress | None = None,
    ) -> Imported:
        """
        Remember a file or a folder: our own export, notes, chats, mail, other memories' exports.

        Importing again changes only what changed: new parts are added, parts that are gone from
        a file are forgotten (``restore`` brings them back). What cannot be read is reported and
        skipped; the rest goes on.
        """
        path = Path(path)
        if format in (None, "hippocampus"):
            gate = self._engine.secret_gate.pass_in
            whole = read_export(path, salt=self._engine.salt, gate=gate)
            if whole is not None:
                return self._take_in(whole, progress)
            if format == "hippocampus":
                raise SourceError("is not an export of hippocampus", path=path)
        # Only who reads files waits for what parses mail, pages and other memories' exports.
        from hippocampus.write.file_import import import_files  # noqa: PLC0415

        return import_files(
            path, self._replace_source, format=format,
            chunk_tokens=self._engine.config.ingest.chunk_tokens, progress=progress,
        )  # fmt: skip

    def _take_in(self, whole: Export, progress: Progress | None) -> Imported:
        """
        Take in what another bank held: all of it into an empty bank, in one transaction.

        A bank that holds something already gets the texts in force that it lacks, noted now.
        """
        with self._state.changing():
            ledger = self._engine.ledger(self.name, create=True)
            if self._store.episodes.count(ledger.bank):
                ids = [record.id for record in whole.records]
                missing = whole.missing(self._store.episodes.rows_of(ledger.bank, ids))
                if missing:
                    self._writes.add(ledger, missing, progress)
                added = sum(map(len, missing))
                return Imported(added=added, unchanged=len(ids) - added, removed=0)

            def load(books: Ledger, encoded: Encoded) -> None:
                own = books.reader.events(PolicySet)
                books.writer.load(whole.records, whole.journal, encoded)
                if own:  # what was chosen here holds here
                    books.writer.note(own[-1].event)

            drafts = whole.drafts()
            self._writes.store_encoded(ledger, drafts, load, progress)
            return Imported(added=len(drafts), unchanged=0, removed=0)

    def _replace_source(
        self, source: str, turns: Sequence[Turn], progress: Progress | None
    ) -> Imported:
        """Make a source's episodes equal ``turns``: add what is new, hide what is gone."""
        from hippocampus.write.file_import import compare  # noqa: PLC0415

        now = self._engine.now()
        groups = [self._writes.group(turn, now) for turn in turns]
        with self._state.changing():
            self._engine.ledger(self.name, create=True)
            with self._state.transaction() as ledger:
                update = compare(ledger, source, groups)
                self._writes.check_flood(update.fresh, now)
                if update.gone:
                    ledger.writer.change(update.gone, RemovedFromSource(source=source))
                if update.back or update.freed:
                    ledger.writer.change([*update.back, *update.freed], Restored(source=source))
            added = self._writes.keep(update.fresh, now, progress) if update.fresh else []
        return Imported(
            added=len(added) + len(update.back),
            unchanged=update.unchanged,
            removed=len(update.gone),
        )
