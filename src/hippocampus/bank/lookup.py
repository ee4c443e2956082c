"""Looking something up: by id, time, word, or in the audit trail."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import replace
from heapq import merge
from itertools import islice
from typing import TYPE_CHECKING, Literal, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from hippocampus.bank.filter_arguments import spell_out
from hippocampus.bank.inclusion import Inclusion
from hippocampus.bank.part import BankPart, filter_of_all, of_one_moment
from hippocampus.core.background_yield import answering, pausing
from hippocampus.core.clock import MICROS_PER_HOUR, from_micros, to_micros
from hippocampus.core.constraints import check_whole
from hippocampus.core.events import Erased, RecallsNoted
from hippocampus.core.given_arguments import check_texts
from hippocampus.core.quotes import unquote
from hippocampus.core.records import (
    By,
    Change,
    Episode,
    EpisodeRow,
    Filters,
    OneOrMany,
    Period,
    SessionInfo,
    SourceInfo,
    Stats,
)
from hippocampus.core.rights import without_strangers
from hippocampus.core.validation import check_text
from hippocampus.encode.keywords import MOST_KEYWORDS
from hippocampus.engine.snapshot import BankSnapshot
from hippocampus.errors import InputError, UnknownEpisode, WrongKey
from hippocampus.index.filters import Filter
from hippocampus.journal.ledger import Ledger
from hippocampus.recall.parse import signed

if TYPE_CHECKING:
    from hippocampus.journal.source_register import KnownSource


_Found = TypeVar("_Found")


class Lookup(BankPart):
    """The verbs that look something up."""

    @answering()
    def get(self, id: str) -> Episode:  # noqa: A002
        """
        Return one episode by id, in whatever state it is; of an included bank as well.

        Raises:
            UnknownEpisode: the bank has no such id, or it was erased.
            StoreCorrupt: it is damaged.

        """
        return self._here_or_included(lambda lookup: lookup.get_here(id))

    def get_here(self, id: str) -> Episode:  # noqa: A002
        """Return one episode of this bank."""
        with self._books() as ledger:
            return ledger.reader.one(id, self._told())

    def _here_or_included(self, look: Callable[[Lookup], _Found]) -> _Found:
        """Return the episode from this bank, or from the first of those it includes that has it."""
        try:
            return look(self)
        except UnknownEpisode:
            for state in Inclusion(self._state).behind():
                with suppress(UnknownEpisode):
                    return look(Lookup(state))
            raise

    def reveal(self, id: str) -> Episode:  # noqa: A002
        """
        Return one episode with the secrets that were sealed in their places; see ``Secrets``.

        Raises:
            UnknownEpisode: the bank has no such id, or it was erased.
            WrongKey: the memory was opened without the key of its vault.
            StoreCorrupt: a secret does not open: it was changed, or sealed in another store.

        """
        vault = self._engine.vault
        if vault is None:
            msg = "the vault is shut; give its key: Memory(path, vault=…), or --vault"
            raise WrongKey(msg, path=self._store.path)
        return vault.revealed(self.get_here(id), path=self._store.path)

    def expand(self, address: str) -> list[Episode]:
        """
        Return the episodes in force at an address, as a context's pointers name it.

        Raises:
            UnknownEpisode: there is none, nor in a bank that is included.
            StoreCorrupt: all that is there is damaged.

        """
        check_texts(address=address)
        return self._here_or_included(lambda lookup: lookup.expand_here(address))

    def expand_here(self, address: str) -> list[Episode]:
        """Return the episodes of this bank in force at an address."""
        with self._books() as ledger:
            rows = self._rows_at(ledger, address)
            rows = rows or self._rows_at(ledger, unquote(address))  # as a context has it
            standing = ledger.lineage.standing(rows)
            found = ledger.reader.episodes(standing, self._told())
            if standing and not found:
                ledger.reader.at(standing[0], self._told())  # which says what is damaged
        if not found:
            msg = f"nothing in bank {self.name!r} has the address {address!r}; see Episode.address"
            raise UnknownEpisode(msg)
        return found

    def _rows_at(self, ledger: Ledger, address: str) -> list[int]:
        """Return the rows at an address, which may be given or shown without its secrets."""
        episodes = self._store.episodes
        named = (episodes.rows_at(ledger.bank, one) for one in self._names_of(address))
        rows: list[int] = next(filter(None, named), [])
        if rows or "[" not in address or self._engine.config.secrets.show == "keep":
            return rows
        from hippocampus.context.redaction import shown_address  # noqa: PLC0415 - seldom

        finder = self._engine.secret_finder
        every = episodes.scan(ledger.bank)
        return [e.row for e in every if shown_address(e, finder) == address]

    @spell_out
    @answering()
    @of_one_moment
    def episodes(
        self,
        *,
        limit: int | None = None,
        offset: int = 0,
        newest: bool = False,
        forgotten: bool = False,
        **filters: Unpack[Filters],
    ) -> list[Episode]:
        """
        Return episodes in order of event time (``newest``: latest first), filtered, paged.

        With ``forgotten``, those that ``restore`` would bring back.
        """
        page = _page(limit, offset, newest=newest)
        chosen = self._filter(filters)
        if forgotten:
            return self._forgotten(chosen, page)
        with self._state.asking() as here:
            rows = here.index.columns.seen_in_order(chosen)
            read = here.ledger.reader.episodes(page(rows), self._told(here.index))
            kept = [episode for episode in read if episode.state != "erased"]
            if len(kept) < len(read):
                self._check_current(here)
            return kept

    def _forgotten(
        self, chosen: Filter, page: Callable[[NDArray[np.int64]], list[int]]
    ) -> list[Episode]:
        if chosen.as_of is not None:
            msg = "forgotten=True: is of now; leave as_of out, which shows what was there then"
            raise InputError(msg)
        with self._state.asking() as here:
            columns, ledger = here.index.columns, here.ledger
            order = columns.in_order()
            hidden = columns.mask(chosen, hidden=True)
            rows = order[:0] if hidden is None else order[hidden[order]]
            found = self._store.episodes.read(ledger.bank, rows.tolist())
            rows = np.array([e.row for e in found if e.state == "forgotten"], np.int64)
            return ledger.reader.episodes(page(rows), self._told(here.index))

    def sources(self) -> list[SourceInfo]:
        """
        Return the sources of episodes, in order of name: files, and systems that were named.

        See ``docs/sources.md``; ``forget(source=…)`` and ``restore(source=…)`` take their names.
        """
        from hippocampus.journal.source_register import (  # noqa: PLC0415 - not for a recall
            SourceRegister,
        )

        with self._books() as ledger:
            register = SourceRegister(ledger.reader)
            register.catch_up()
            found = register.counted(self._store.episodes.scan(ledger.bank))
        every = (_info(name, register.known.get(name), found[name]) for name in sorted(found))
        return [one for one in every if one.episodes or one.forgotten]

    def sessions(self) -> list[SessionInfo]:
        """
        Return the sessions that have episodes in force, the one with the latest first.

        ``forget(session=…)`` and the filters of reads take their names.

        Raises:
            UnknownBank: there is no such bank.

        """
        with self._state.asking() as here, self._books():
            columns = here.index.columns
            rows = np.flatnonzero(columns.visible() & (columns.session.codes >= 0))
            said: dict[str, list[int]] = {}
            names = columns.session.named(columns.session.codes[rows])
            at = columns.occurred_at(rows.astype(np.uint32)).tolist()
            for name, moment in zip(names, at, strict=True):
                said.setdefault(name, []).append(moment)
        found = [
            SessionInfo(
                name=name, episodes=len(times), first=from_micros(min(times)),
                last=from_micros(max(times)),
            )
            for name, times in sorted(said.items())
        ]  # fmt: skip
        return sorted(found, key=lambda one: one.last, reverse=True)

    def review(self) -> list[Episode]:
        """
        Return episodes of others that read like an instruction to a model, for a look.

        Contexts leave it out, and nothing is learned from it, until somebody accepts it
        (``accept``) or forgets it. See docs/trust.md.
        """
        return self.episodes(suspects="only")

    @spell_out
    @answering()
    @of_one_moment
    def find(
        self,
        *terms: str,
        limit: int | None = None,
        offset: int = 0,
        newest: bool = False,
        radius: int | Literal["auto"] | None = None,
        include: OneOrMany | None = None,
        **filters: Unpack[Filters],
    ) -> list[Episode]:
        """
        Return the episodes in which a word or phrase occurs, exactly, letter case aside.

        Where ``count`` says how often; a term is what it is there. Of several, all occur, in any
        order. In order of event time (``newest``: latest first), filtered, paged.

        With ``radius``, of a signed store, it is looked for by the signatures of its tokens, which
        may differ in so many bits, in three letter cases: the search of DWM, section 3.2.2; "auto"
        has as many as a word differs from itself in company, by the rule of its appendix F.

        ``include`` is that of ``recall``; ``Episode.bank`` says where each is.

        Raises:
            InputError: no term, more than 64, one that is blank, or a radius where nothing is
                signed.

        """
        if not terms:
            raise InputError("find: give at least one word or phrase to look for")
        if len(terms) > MOST_KEYWORDS:
            msg = f"find: {len(terms):,} terms; at most {MOST_KEYWORDS} at once: each is a search"
            raise InputError(msg)
        page = _page(limit, offset, newest=newest)
        others = self._others(include)
        if others:
            most = None if limit is None else offset + limit
            chosen, first = filter_of_all([self, *others], filters), _page(most, 0, newest=newest)
            each = [one.find_here(terms, radius, chosen, first) for one in (self, *others)]
            for one in others:
                one.warn_if_lacking()
            ordered = merge(*each, key=lambda one: one.occurred_at, reverse=newest)
            return list(islice(ordered, offset, most))
        return self.find_here(terms, radius, self._filter(filters), page)

    def find_here(
        self,
        terms: Sequence[str],
        radius: int | Literal["auto"] | None,
        chosen: Filter,
        page: Callable[[NDArray[np.int64]], list[int]],
    ) -> list[Episode]:
        """Return a page of the episodes of this bank in which all of some terms occur."""
        from hippocampus.encode.token_matcher import (  # noqa: PLC0415 - not for a recall
            token_pattern,
        )

        phrases = [token_pattern(term) for term in pausing(terms)] if radius is None else []
        with self._state.asking() as here:
            columns = here.index.columns
            near = None if radius is None else self._together(here, terms, radius)
            rows = columns.seen_in_order(chosen)
            seen = np.zeros(len(columns), np.bool_)
            seen[rows] = True
            ledger = here.ledger
            with self._store.read():  # what is found and what is read belong to one moment
                found = np.zeros(len(seen), np.bool_)
                found[
                    ledger.reader.content.find(phrases, seen) if near is None else near[seen[near]]
                ] = True
                kept = ledger.reader.episodes(page(rows[found[rows]]), self._told(here.index))
                gone = self._store.journal.read(ledger.bank, after=here.index.seq, kinds=(Erased,))
            if gone:
                self._check_current(here)
        return kept

    def _others(self, include: OneOrMany | None) -> list[Lookup]:
        """Return the lookups of the banks that are read along with this one."""
        return list(map(Lookup, Inclusion(self._state).surely(include)))

    def _together(
        self, here: BankSnapshot, terms: Sequence[str], radius: int | Literal["auto"]
    ) -> NDArray[np.int64]:
        """Return the rows that hold every term by its signatures, ascending."""
        from hippocampus.encode.random_indexing import (  # noqa: PLC0415 - not for a recall
            radius_in_company,
        )

        cue, how = here.index.cues.signature, here.signatures
        if how is None or cue is None:
            raise InputError(f"radius={radius!r}: nothing is signed here; see Config.signatures")
        bits = radius_in_company(how) if radius == "auto" else radius
        if not isinstance(bits, int) or isinstance(bits, bool) or not 0 <= bits <= how.bits:
            msg = f"radius={radius!r}: must be 'auto', or a number of bits from 0 to {how.bits}"
            raise InputError(msg)
        words = [check_text(term, limits=self._engine.config.ingest).strip() for term in terms]
        return cue.together(signed(words, how), bits)

    @spell_out
    @answering()
    @of_one_moment
    def count(
        self, term: str, *, include: OneOrMany | None = None, **filters: Unpack[Filters]
    ) -> int:
        """
        Count the occurrences of a word or phrase, exactly, letter case aside.

        It is looked for as it is given, spaces and punctuation included, and whole: "art" is not
        in "start" nor "arts", but in "art's". What it costs depends on how often it came up, and
        hardly on how much else there is (``docs/content.md``). ``include`` is that of ``recall``;
        what was promoted counts in each bank that has it.

        Raises:
            StoreCorrupt: something is damaged that may have it.

        """
        others = self._others(include)
        chosen = filter_of_all([self, *others], filters)
        return sum(one.count_here(term, chosen) for one in (self, *others))

    def count_here(self, term: str, chosen: Filter) -> int:
        """Return the number of occurrences of a term in this bank."""
        return sum(self._occurrences(term, chosen)[0].values())

    @spell_out
    @answering()
    @of_one_moment
    def trend(self, term: str, by: By = "week", **filters: Unpack[Filters]) -> list[Period]:
        """
        Count the occurrences of a word or phrase by ``day``, ``week``, ``month`` or ``year``.

        Periods follow each other without a gap, from ``since`` to ``until``; by default from the
        first to the last thing that the filters let it see. They begin at midnight in
        ``Config.timezone``, weeks on Monday; the first and the last may be cut short.

        Raises:
            InputError: the term is blank, or there would be more than 10 000 periods.
            StoreCorrupt: something is damaged that may have it.

        """
        from hippocampus.recall.trend import check_by, trend  # noqa: PLC0415 - not for a recall

        by = check_by(by)
        chosen = self._filter(filters)
        counts, occurred_at, seen = self._occurrences(term, chosen)
        return trend(
            counts, occurred_at, seen, since=chosen.since, until=chosen.until, by=by,
            zone=self._engine.zone,
        )  # fmt: skip

    def _occurrences(
        self, term: str, chosen: Filter
    ) -> tuple[dict[int, int], NDArray[np.int64], NDArray[np.bool_]]:
        """Return the count of a term by row, the moment of every row, and the rows read."""
        from hippocampus.encode.token_matcher import (  # noqa: PLC0415 - not for a recall
            token_pattern,
        )

        phrase = token_pattern(term)
        with self._state.asking() as here:
            columns = here.index.columns
            occurred_at = columns.occurred_at(np.arange(len(columns), dtype=np.uint32))
            allowed = columns.mask(chosen)
            seen = np.ones(len(occurred_at), np.bool_) if allowed is None else allowed
            # here, for what is read counts towards the budget when the bank is let go
            with self._store.read():  # what is counted and what is known belong to one moment
                here.ledger.reader.check("episodes")
                counts = here.ledger.reader.content.count(phrase, seen)
                gone = self._store.journal.read(
                    here.ledger.bank, after=here.index.seq, kinds=(Erased,)
                )
            if gone:
                self._check_current(here)
        return counts, occurred_at, seen

    def history(self, id: str) -> list[Change]:  # noqa: A002
        """Return every change to an episode and to its earlier and later versions, in order."""
        return self._here_or_included(lambda lookup: lookup.history_here(id))

    def history_here(self, id: str) -> list[Change]:  # noqa: A002
        """Return the changes to an episode of this bank."""
        with self._books() as ledger:
            found = ledger.lineage.history(ledger.reader.find(id, erased=True).row)
        return [_without_strangers(change) for change in found]

    def journal(self, *, after: int = 0, limit: int | None = None) -> list[Change]:
        """Return the bank's changes in order, from ``after`` on: the audit trail."""
        check_whole(after=after)
        check_whole(limit=limit, optional=True)
        with self._store.read():
            ledger = self._state.ledger()
            last = self._store.journal.last_seq(ledger.bank)
            after, limit = min(after, last), None if limit is None else min(limit, last)
            found = ledger.reader.changes(
                self._store.journal.read(ledger.bank, after=after, limit=limit)
            )
        return [_without_strangers(change) for change in found]

    def stats(self) -> Stats:
        """Return the size of the bank: episodes, bytes by kind of data, and the tier it is in."""
        from hippocampus.sleep.snapshot import read_policy  # noqa: PLC0415 - not for a recall

        held = self._state.held()
        with self._books() as ledger:
            fingerprint = self._engine.fingerprint(ledger.bank)
            policy = read_policy(ledger, self._engine.config.policy)
            since = to_micros(self._engine.now()) - int(policy.hot_hours * MICROS_PER_HOUR)
            noted = ledger.reader.events(RecallsNoted)
            recalls = [*self._state.recalled, *(one for row in noted for one in row.event.shown)]
            used = {row for at, *rows in recalls if at >= since for row in rows}
            return ledger.reader.stats(
                embedder=None if fingerprint is None else str(fingerprint),
                uncalibrated=self._engine.calibration(ledger.bank).lacking,
                held_bytes=(held, self._engine.segments.nbytes(ledger.bank)),
                lately=(since, used),
            )

    def position(self) -> tuple[int, Hashable]:
        """
        Return a token that differs whenever the store has changed, and one for this bank.

        What was answered at one position of the bank is the answer as long as it is there, but for
        the present moment.
        """
        return self._state.position()


def _without_strangers(change: Change) -> Change:
    """Return a change without the names of banks that are not open to whoever asks."""
    return replace(change, detail=without_strangers(change.kind, change.detail))


def _info(name: str, known: KnownSource | None, rows: Sequence[EpisodeRow]) -> SourceInfo:
    shown = [e.occurred_at for e in rows if e.state == "active"]
    return SourceInfo(
        name=name,
        format=None if known is None else known.format,
        place=None if known is None else known.place,
        host=None if known is None else known.host,
        synced=known is not None and known.synced,
        episodes=len(shown),
        forgotten=sum(e.state == "forgotten" for e in rows),
        first=from_micros(min(shown)) if shown else None,
        last=from_micros(max(shown)) if shown else None,
    )


def _page(
    limit: int | None, offset: int, *, newest: bool
) -> Callable[[NDArray[np.int64]], list[int]]:
    """Return a function that takes a page out of rows in order of time."""
    check_whole(offset=offset)
    check_whole(limit=limit, optional=True)
    stop = None if limit is None else offset + limit

    def page(rows: NDArray[np.int64]) -> list[int]:
        ordered = rows[::-1] if newest else rows
        return ordered[offset:stop].tolist()  # type: ignore[no-any-return]  # of int

    return page
