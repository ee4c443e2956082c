"""The echo filter: texts that we handed out, and a test whether a new text is one of them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial, reduce

from hippocampus.core.clock import to_micros
from hippocampus.core.quotes import quoted
from hippocampus.core.records import Asks, EpisodeRow
from hippocampus.journal.draft import Draft, digest
from hippocampus.journal.ledger import Ledger
from hippocampus.journal.reader import LedgerEntry
from hippocampus.write.check import Group

_MEMORY = 4096
"""Most shown texts that are remembered. Chosen by hand."""
_AGE = timedelta(minutes=10)
"""Time in which a text that comes back is taken for the one we showed (docs/adr/0006, as all of
these): somebody who says it again within it is not heard twice, so it is short."""
_TALK = 12 * 3600 * 1_000_000
"""Microseconds for which what somebody says again, in no session, is taken for the same turn: less
than a day, for "I took my pill this morning" is said every day."""
_A_TALK = 2
"""Turns from which on equal ones are a conversation handed in again, and none by chance."""
_COLONS = 4
"""Number of the first colons of a rendered line behind which we look for the words."""


class EchoFilter:
    """
    Recognises echoes, in the order of ``docs/adr/0006-echoes-at-the-gate.md``.

    One thread at a time: the caller holds the bank's lock.
    """

    def __init__(self, *, echo_words: int) -> None:
        self._echo_words = echo_words
        self._shown: OrderedDict[bytes, datetime] = OrderedDict()
        self._less: OrderedDict[bytes, str] = OrderedDict()
        """Ids of what has faded, by the digest of what was shown of it."""

    def __len__(self) -> int:
        """Return the number of texts that are remembered as shown."""
        return len(self._shown)

    def note(self, ledger: Ledger, entries: Iterable[LedgerEntry], shown_at: datetime) -> None:
        """Take note of what was shown."""
        for entry in entries:
            said = entry.digest
            if entry.episode.level:
                said = digest(ledger.salt, entry.shown)
                self._less[said] = entry.episode.id
                self._less.move_to_end(said)
            self._shown[said] = shown_at
            self._shown.move_to_end(said)
        for kept in (self._shown, self._less):
            while len(kept) > _MEMORY:
                kept.popitem(last=False)

    def clear(self) -> None:
        """Forget the texts that were shown."""
        self._shown.clear()
        self._less.clear()

    def asks(self, ledger: Ledger, group: Group) -> Asks:
        """Return the calls that ``echo`` is likely to make; see ``Store.expecting``."""
        if group.dated or group.again:
            return ()
        return (partial(ledger.store.episodes.rows_with_digest, ledger.bank, group.first.digest),)

    def resent(self, ledger: Ledger, groups: Sequence[Group]) -> dict[str, int]:
        """
        Return the rows of turns with which a session is handed in again, by the ids they have now.

        Programs that talk to a model keep the whole conversation, and hand it in with each turn:
        what it begins with are then the last turns of its session, "yes" and "thanks" among them.
        """
        drafts = [d for group in groups for d in group.drafts]
        sessions = {d.session for d in drafts}
        dated = any(group.dated or group.again for group in groups)
        if dated or len(groups) < _A_TALK or len(sessions) > 1 or None in sessions:
            return {}
        there = ledger.store.episodes.last_of_session(
            ledger.bank, drafts[0].session or "", len(drafts)
        )
        known = [(row.digest, row.speaker, row.role) for row in there]
        said = [(d.digest, d.speaker, d.role) for d in drafts]
        many = overlap(known, said)  # where the most are by chance, so are fewer
        # "Go on" and "done" may be said twice; a sentence is not, nor all of a session.
        whole = many == len(known) < len(said)
        if many < _A_TALK or not (whole or any(map(self._is_long, drafts[:many]))):
            return {}
        return {d.id: row.row for d, row in zip(drafts, there[-many:], strict=False)}

    def _is_long(self, d: Draft) -> bool:
        return d.parts > 1 or len(d.text.split()) >= self._echo_words

    def echo(self, ledger: Ledger, group: Group, now: datetime) -> int | None:
        """Return the row a text was recalled from, when it comes back to us as if it were new."""
        row = self._quoted_row(ledger, "".join(d.text for d in group.drafts))
        if row is not None:
            return row
        first = group.first
        words = first.text.split(maxsplit=self._echo_words - 1)
        if first.parts == 1 and len(words) < self._echo_words:
            return None
        shown = self._shown.get(first.digest)
        if group.dated and (shown is None or not _follows(first, shown, now)):
            return None
        # Word for word what is stored, and with no time of its own: it tells us nothing new,
        # unless it was not shown and now somebody else says it, or the same one another time.
        anyone = shown is not None or first.speaker is None
        rows = ledger.store.episodes.rows_with_digest(ledger.bank, first.digest)
        for record in ledger.store.episodes.read(ledger.bank, rows):
            if not anyone and not _is_of_one_talk(first, record):
                continue
            if _is_there(ledger, record.row, group.drafts):
                return record.row
        return None if shown is None else self._faded_row(ledger, first.digest)

    def _faded_row(self, ledger: Ledger, said: bytes) -> int | None:
        """Return the row in force of which that much was shown."""
        rows = ledger.store.episodes.rows_of(ledger.bank, [self._less.get(said, "")])
        records = ledger.store.episodes.read(ledger.bank, list(rows.values()))
        return next((record.row for record in records if record.state == "active"), None)

    def _quoted_row(self, ledger: Ledger, text: str) -> int | None:
        """Return the first row quoted, when a text is only lines of ours, all of them here."""
        rows = [self._row_saying(ledger, said) for said in quoted(text)]
        return rows[0] if rows and None not in rows else None

    def _row_saying(self, ledger: Ledger, said: str) -> int | None:
        words = said.split(": ")
        # Who speaks may hold a colon as well, so the words may begin after any of the first.
        for start in range(min(len(words), _COLONS)):
            key = digest(ledger.salt, ": ".join(words[start:]))
            rows = ledger.store.episodes.rows_with_digest(ledger.bank, key)
            row = rows[0] if rows else self._faded_row(ledger, key)
            if row is not None:
                return row
        return None


def overlap(before: Sequence[Hashable], after: Sequence[Hashable]) -> int:
    """
    Return the number of things, the most there are, that end one list and begin another.

    As Knuth, Morris and Pratt look for a word: in proportion to the number of both.
    """
    # Of so many of the first of ``after``, how many of the last are its first as well.
    back: list[int] = []

    def go_on(many: int, one: Hashable) -> int:
        while many and (many == len(after) or after[many] != one):
            many = back[many - 1]
        return many + (many < len(after) and after[many] == one)

    for place, one in enumerate(after):
        back.append(go_on(back[-1], one) if place else 0)
    return reduce(go_on, before, 0)


def _follows(d: Draft, shown: datetime, now: datetime) -> bool:
    """Return whether a text was said at or soon after the moment it was shown."""
    return now - shown <= _AGE and d.occurred_at >= to_micros(shown - timedelta(seconds=1))


def _is_of_one_talk(d: Draft, record: EpisodeRow) -> bool:
    """Return whether a turn is its speaker's in the same session, or without one soon after."""
    if (d.speaker, d.session) != (record.speaker, record.session):
        return False
    return d.session is not None or d.occurred_at - record.occurred_at < _TALK


def _is_there(ledger: Ledger, first: int, drafts: Sequence[Draft]) -> bool:
    """Return whether the rows from ``first`` on are in force and say what the drafts say."""
    records = ledger.store.episodes.read(ledger.bank, range(first, first + len(drafts)))
    return [(r.digest, r.state) for r in records] == [(d.digest, "active") for d in drafts]
