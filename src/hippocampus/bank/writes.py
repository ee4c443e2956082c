"""Writing: to keep what is said, and correct it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from hippocampus.bank.commit import Committer, as_turn
from hippocampus.bank.lookup import Lookup
from hippocampus.bank.part import BankPart, staying
from hippocampus.core.background_yield import pausing
from hippocampus.core.idempotency import current_request
from hippocampus.core.origin import Origin
from hippocampus.core.records import Episode, Message, Progress, Turn, When
from hippocampus.engine.bank_state import BankState
from hippocampus.errors import InputError, StoreCorrupt
from hippocampus.journal.draft import Encoded
from hippocampus.journal.ledger import Ledger
from hippocampus.journal.requests import find_done, once
from hippocampus.language.time.given import moment_of

if TYPE_CHECKING:
    from hippocampus.write.check import Group


class Writes(BankPart):
    """The verbs that put something into a bank."""

    def __init__(self, state: BankState, lookup: Lookup, committer: Committer) -> None:
        super().__init__(state)
        self._lookup = lookup
        self._committer = committer

    def remember(  # noqa: PLR0913 - a public verb
        self,
        text: str | Message,
        *,
        at: When | None = None,
        speaker: str | None = None,
        role: str | None = None,
        session: str | None = None,
        source: str | None = None,
        address: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        origin: Origin | None = None,
        again: bool = False,
    ) -> Episode:
        """
        Keep one thing that happened, durably, and return it.

        The same text by the same speaker at the same event time is the same episode: remembering
        it again changes nothing. If it was forgotten or corrected meanwhile it stays so, as its
        ``state`` says: ``restore`` brings it back, ``again`` keeps it anew. Text that came out of
        ``recall`` or ``context`` is recognised and answered with the episode it came from. A text
        longer than ``Ingest.chunk_tokens`` is kept in parts, and what tools gave back in a message
        apart from it; the first is returned.

        Args:
            text: any valid string that is not blank; it comes back byte for byte. Or a chat
                message, ``{"role": "user", "content": …}``; of its parts the words are kept, and
                each call of a tool as a line. What the other arguments say goes before what it has.
            at: when it happened; now by default. Naive times are in ``Config.timezone``, and words
                ("yesterday", "last Monday at six") are as of now.
            speaker: who said it.
            role: ``user``, ``assistant``, ``tool``, …
            session: the conversation it belongs to; turns of one are read in each other's light.
            source: the file or system it came from.
            address: where in the source; made from session and turn when left out.
            metadata: a JSON object to filter by.
            origin: whose words they are, one of ``ORIGINS``; read off role and source by default.
            again: keep it though it says what was just recalled, or is there already; then only
                what has the same metadata as well is the same episode.

        Raises:
            InputError: something in the arguments; nothing was stored.
            StoreError: the store could not take it; nothing was stored.

        """
        from hippocampus.write.messages import (  # noqa: PLC0415 - not for a recall
            pass_over,
            turns_of,
        )

        turns = turns_of(
            text if isinstance(text, Mapping) else Turn(text=text),
            at=at, speaker=speaker, role=role, session=session, source=source, address=address,
            metadata=metadata, origin=origin,
        )  # fmt: skip
        if not turns and isinstance(text, Mapping):
            pass_over({0: text}, some=False)
        kept = self.remember_many(turns, again=again)
        if not kept:
            msg = "it is there already, but its row is damaged; 'hippocampus verify' tells more"
            raise StoreCorrupt(msg, path=self._store.path)
        return kept[0]

    @staying
    def remember_many(
        self,
        turns: Iterable[Turn | Message],
        *,
        session: str | None = None,
        again: bool = False,
        progress: Progress | None = None,
    ) -> list[Episode]:
        """
        Keep many turns; return their episodes in order, the parts of long ones apart.

        A turn may be a chat message, as ``{"role": "user", "content": …}``, so that the
        conversation that a program sends to a model can be given as it is, and again when it has
        grown: of turns without a time that begin with the last ones of their session, only those
        behind them are kept. Results of tools in it are episodes of their own, of the role
        ``tool``. ``session`` is that of turns that name none.

        Messages without words among others, such as pictures alone, are passed over with a
        ``RuntimeWarning``. All turns are checked before the first is stored. They are stored in
        batches, one transaction each: after a crash whole batches are there, and doing it again
        adds the rest. ``again`` is that of ``remember``.
        """
        if isinstance(turns, Mapping) or not isinstance(turns, Iterable):
            msg = f"turns={turns!r:.100}: give a list of a Turn or a message each"
            raise InputError(msg)
        from hippocampus.write.messages import pass_over  # noqa: PLC0415 - not for a recall

        groups: list[Group] = []
        brief = set[str]()
        wordless: dict[int, Message] = {}
        now = self._engine.now()
        for place, turn in enumerate(pausing(turns)):
            try:
                meant = _of(turn, session)
                if not meant and isinstance(turn, Mapping):
                    wordless[place] = turn
                for said in meant:
                    group = self._committer.group(_dated(said, now), now, by_metadata=again)
                    groups.append(self._apart(group, brief, place)._replace(again=again))
            except InputError as exc:
                if not (isinstance(turns, Sized) and len(turns) == 1):
                    exc.add_note(f"in turn {place} of this call; nothing of the call was stored")
                raise
        pass_over(wordless, some=bool(groups))
        return self._committer.keep(groups, now, progress)

    def _apart(self, group: Group, brief: set[str], place: int) -> Group:
        """Return a turn with an id of its own, if a brief one like it came before: "yes", "yes"."""
        if group.first.id in brief and not group.dated:
            return group.apart(f"turn {place}")
        if len(group.first.text.split()) < self._engine.config.ingest.echo_words:
            brief.add(group.first.id)
        return group

    def correct(
        self,
        id: str,  # noqa: A002  (the verb's natural word)
        text: str | None = None,
        *,
        metadata: Mapping[str, Any] | None = None,
    ) -> Episode:
        """
        Replace the text of an episode; the old one stays in its history and in ``as_of`` reads.

        Returns the new episode, which keeps the old one's time, session and speaker.

        Args:
            id: the episode, in force.
            text: what it should say; what it says by default.
            metadata: all that it should have; what it has by default.

        """
        if text is None and metadata is None:
            msg = f"correct: say what to correct of episode {id!r}: its text, its metadata or both"
            raise InputError(msg)
        with self._state.changing():
            ledger = self._engine.ledger(self.name)
            with self._store.read():
                done = find_done(ledger, current_request(), int)
                if done is None:
                    old = ledger.reader.find(id)
                    ledger.writer.check_in_force(old)
            if done is not None:
                self._state.take()
                return ledger.reader.at(done.result, self._told())
            before = as_turn(old, self._lookup.get(id).text)
            turn = before if text is None else replace(before, text=text)
            turn = turn if metadata is None else replace(turn, metadata=metadata)
            check = self._committer.group
            new = check(turn, self._engine.now(), stored=before)
            if self._says_otherwise(ledger, new):
                new = check(turn, self._engine.now(), by_metadata=True, stored=before)
            if new.first.id == old.id:
                return ledger.reader.one(id, self._told())
            known = self._store.episodes.rows_of(ledger.bank, [new.first.id])
            drafts = [] if known else new.drafts
            self._committer.check_flood(drafts, self._engine.now())

            def store(books: Ledger, encoded: Encoded) -> int:
                return once(books, lambda: books.writer.correct(old, new.drafts, encoded), int)

            row = self._committer.store_encoded(ledger, drafts, store, of=ledger.bank)
            return ledger.reader.at(row, self._told())

    def _says_otherwise(self, ledger: Ledger, new: Group) -> bool:
        """Return whether there is the same wording already, with other metadata."""
        rows = self._store.episodes.rows_of(ledger.bank, [new.first.id])
        known = self._store.episodes.read(ledger.bank, list(rows.values()))
        return any(e.state != "erased" and e.metadata != new.first.metadata for e in known)


def _of(given: Turn | Message, session: str | None) -> list[Turn]:
    """Return the turns that are meant, in a session if they name none."""
    from hippocampus.write.messages import turns_of  # noqa: PLC0415 - not for a recall

    turns = turns_of(given)
    if session is None:
        return turns
    return [one if one.session is not None else replace(one, session=session) for one in turns]


def _dated(turn: Turn, now: datetime) -> Turn:
    """Read the words in which a turn may say when it was: "yesterday"."""
    if not isinstance(turn.at, str):
        return turn  # what else it may be is looked at with the rest
    return replace(turn, at=moment_of(turn.at, now, name="at"))
