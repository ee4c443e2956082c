"""Columns of a bank's episodes: times, labels, metadata, visibility; they answer filters."""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import reduce
from typing import Any, Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Rows
from hippocampus.core.clock import MICROS_PER_HOUR, to_micros
from hippocampus.core.origin import OWN, Origin
from hippocampus.core.records import SUSPECT, EpisodeRow, State
from hippocampus.errors import InputError, UnknownEpisode
from hippocampus.index.archive import Archive
from hippocampus.index.filters import (
    ORDER,
    Condition,
    Either,
    Every,
    Filter,
    Frozen,
    Not,
    Predicate,
    elements,
    flatten,
    freeze,
    holds,
    speaker_key,
)
from hippocampus.index.growable_array import GrowableArray, Versioned
from hippocampus.index.sorted_sets import each_once
from hippocampus.index.timeline import GroupedTimeline, Timeline

Mask = NDArray[np.bool_]
Links = NDArray[np.int32]


class Labels(Versioned):
    """
    A column of text: a code per row, and each distinct value once, in the order first met.

    ``codes``: shape (n,), int32, -1 where a row has none. Values that ``fold`` makes equal share
    a code, and the first spelling met stands for them.
    """

    def __init__(self, fold: Callable[[str], str] = str) -> None:
        self.values: list[str] = []
        """Of every version; the first ``count`` are this one's."""
        self.count = 0
        self._fold = fold
        self._code_of: dict[str, int] = {}
        self._spelled: dict[str | None, int] = {None: -1}
        self._codes = GrowableArray(np.int32)

    @property
    def codes(self) -> NDArray[np.int32]:
        """The code of every row."""
        return self._codes.view

    def extend(self, column: Sequence[str | None]) -> None:
        """Append the values of the next rows."""
        known = self._spelled
        # Each different value is folded once: of many rows there are few.
        for value in dict.fromkeys(column):
            if value is None or value in known:
                continue
            folded = self._fold(value)
            if folded not in self._code_of:
                self._code_of[folded] = len(self.values)
                self.values.append(value)
            known[value] = self._code_of[folded]
        self.count = len(self.values)
        self._codes.extend(np.fromiter(map(known.__getitem__, column), np.int32, len(column)))

    def archive(self, archive: Archive) -> None:
        """Tell of the values and the code of every row; other spellings are met again."""
        # Those behind are of later versions.
        self.values = archive.plain("values", self.values[: self.count])
        self.count = len(self.values)
        self._code_of = {self._fold(value): code for code, value in enumerate(self.values)}
        self._spelled = {None: -1, **{value: code for code, value in enumerate(self.values)}}
        archive.array("codes", self._codes)

    def clear(self, row: int) -> None:
        """Take the value off a row."""
        self._codes.put(row, -1)

    def forget(self, gone: Rows) -> bool:
        """
        Take the values off rows, and out of every table what no other row has.

        Returns False, and does nothing, if rows spell one of theirs in several ways: which of them
        does so how is not kept.
        """
        had = each_once(self.codes[gone])
        had = had[had >= 0]
        if len(self._spelled) > len(self._code_of) + 1:
            theirs = set(had.tolist())
            if sum(code in theirs for code in self._spelled.values()) > len(theirs):
                return False
        self._codes.put(gone, -1)
        left = np.bincount(self.codes + 1, minlength=self.count + 1)[1:]
        lost = had[left[had] == 0].tolist()
        if lost:  # in tables of its own, for the versions before have these
            self.values, self._code_of = self.values.copy(), self._code_of.copy()
            self._spelled = self._spelled.copy()
            for code in lost:
                value, self.values[code] = self.values[code], ""
                del self._code_of[self._fold(value)], self._spelled[value]
        return True

    def code(self, value: str) -> int:
        """Return the code of a value, -1 if no row ever had it."""
        return self._code_of.get(self._fold(value), -1)

    def named(self, codes: NDArray[np.integer[Any]]) -> tuple[str, ...]:
        """Return the values behind codes, in order."""
        return tuple(self.values[code] for code in codes.tolist())

    def holds(self, value: str, rows: NDArray[np.intp]) -> Mask:
        """Return a mask of the rows that have a value, shape (rows,)."""
        code = self.code(value)
        return self.codes[rows] == code if code >= 0 else np.zeros(len(rows), np.bool_)

    def telling(self, values: Collection[str]) -> Callable[[NDArray[Any]], Mask]:
        """Return a predicate of rows, also of later ones: whether they have one of these values."""

        def among(rows: NDArray[Any]) -> Mask:
            return self._wanted(map(self._fold, values))[self.codes[rows.astype(np.intp)]]

        return among

    def holds_any(self, folded: frozenset[str], rows: NDArray[np.intp]) -> Mask:
        """Return a mask of the rows that have one of some folded values, shape (rows,)."""
        return self._wanted(folded)[self.codes[rows]]

    def among(self, folded: frozenset[str]) -> Mask:
        """Return a mask of all rows by whether they have one of some folded values."""
        return _pick(self._wanted(folded), self.codes)

    def _wanted(self, folded: Iterable[str]) -> Mask:
        """Return a mask of the codes of some folded values; its last entry, also -1, is "none"."""
        wanted = np.zeros(self.count + 1, np.bool_)
        codes = (self._code_of.get(value, self.count) for value in folded)
        wanted[[code for code in codes if code < self.count]] = True
        return wanted


def _pick(wanted: Mask, codes: NDArray[np.int32]) -> Mask:
    """Return ``wanted[codes]``; comparing is ten times faster where a single code is wanted."""
    chosen = np.flatnonzero(wanted)
    # As a plain int, or NumPy compares 64 bits.
    picked: Mask = codes == int(chosen[0]) if len(chosen) == 1 else wanted[codes]
    return picked


class _Field:
    """
    One metadata key, sparse: which row has which of its distinct values.

    Space: 8 bytes for each row that has the key, and each distinct value once.
    """

    def __init__(self) -> None:
        self.rows = GrowableArray(np.int32)
        self.codes = GrowableArray(np.int32)
        self._values: list[Frozen] = []
        self._code_of: dict[Frozen, int] = {}
        self._lists_with: defaultdict[Frozen, list[int]] = defaultdict(list)
        self._numbers = GrowableArray(np.float64)

    def extend(self, rows: list[int], values: list[Frozen]) -> None:
        """Append the values of later rows."""
        start = len(self._values)
        for value in values:
            if value not in self._code_of:
                code = self._code_of[value] = len(self._values)
                self._values.append(value)
                for item in set(elements(value)):
                    self._lists_with[item].append(code)
        self._numbers.extend(np.array([_to_float(v) for v in self._values[start:]], np.float64))
        self.rows.extend(np.array(rows, np.int32))
        self.codes.extend(np.array([self._code_of[v] for v in values], np.int32))

    def passing(self, clause: Predicate) -> Mask:
        """Return a mask of the distinct values that pass a test; equals ``holds`` of each."""
        passed = np.zeros(len(self._values), np.bool_)
        operand: Any = clause.operand
        if clause.operator == "$in":
            for item in operand:
                passed[self._lists_with.get(item, [])] = True
                if item in self._code_of:
                    passed[self._code_of[item]] = True
        elif clause.operator in ORDER and not isinstance(operand, str):
            # Rounding to floats keeps the order; only what rounds to the same float may differ.
            bound = _to_float(operand)
            passed[:] = ORDER[clause.operator](self._numbers.view, bound)
            for code in np.flatnonzero(self._numbers.view == bound).tolist():
                passed[code] = holds(clause, self._values[code])
        else:
            passed[:] = [holds(clause, value) for value in self._values]
        return passed


def _to_float(value: Frozen) -> float:
    """Return the nearest float of a number, NaN of anything else."""
    if not isinstance(value, int | float):
        return np.nan
    try:
        return float(value)
    except OverflowError:  # an integer of more than 308 digits
        return np.inf if value > 0 else -np.inf


_NO_METADATA: Final = "{}"


class _Metadata:
    """
    The metadata of rows by key, shared by all versions of the columns; each asks about its rows.

    Parsed when a condition is first asked about: a bank that is never asked never pays. The lock
    is held for that, and while the values of one key are looked through.

    Space: 4 bytes a row, and each distinct text once; then what the fields take.
    """

    def __init__(self) -> None:
        self._fields: defaultdict[str, _Field] = defaultdict(_Field)
        self._texts = Labels()
        self._read_rows = 0
        """How many of the first rows are in the fields."""
        self._lock = threading.Lock()

    def observe(self, rows: Sequence[EpisodeRow]) -> None:
        """Take in the metadata of later rows."""
        with self._lock:
            self._texts.extend([None if r.metadata == _NO_METADATA else r.metadata for r in rows])

    def without(self, gone: Rows) -> _Metadata:
        """Return the metadata without those of some rows; what is asked about is parsed again."""
        rest = _Metadata()
        with self._lock:
            rest._texts = self._texts.fork()
        rest._texts.forget(gone)
        return rest

    def archive(self, archive: Archive) -> None:
        """Tell of the texts, which are parsed again."""
        with self._lock:
            self._texts.archive(archive)

    def meets(self, clause: Predicate, length: int) -> Mask:
        """Return a mask of those of the first ``length`` rows that meet a condition on one key."""
        met = np.zeros(length, np.bool_)
        with self._lock:
            self._read()
            field = self._fields.get(clause.key)
            if field is None:
                return met
            passing, rows, codes = field.passing(clause), field.rows.view, field.codes.view
        # Those behind are of later versions, which share the fields.
        rows = rows[: np.searchsorted(rows, length)]
        picked = _pick(passing, codes[: len(rows)])
        if len(picked) == length:  # every row has the key
            return picked
        met[rows[picked]] = True
        return met

    def _read(self) -> None:
        start, self._read_rows = self._read_rows, len(self._texts.codes)
        codes = self._texts.codes[start:]
        rows = np.flatnonzero(codes >= 0)
        parsed: dict[int, list[tuple[str, Frozen]]] = {}
        found: defaultdict[str, tuple[list[int], list[Frozen]]] = defaultdict(lambda: ([], []))
        for row, code in zip((rows + start).tolist(), codes[rows].tolist(), strict=True):
            if code not in parsed:
                flat = flatten(json.loads(self._texts.values[code]))
                parsed[code] = [(key, freeze(value)) for key, value in flat.items()]
            for key, value in parsed[code]:
                those, values = found[key]
                those.append(row)
                values.append(value)
        for key, (those, values) in found.items():
            self._fields[key].extend(those, values)


_OPEN: Final = (np.iinfo(np.int64).min, np.iinfo(np.int64).max)
"""The ends of a stretch of time that is open."""
_ONE_TALK: Final = 12 * MICROS_PER_HOUR
"""Longest pause within one talk (docs/adr/0104): a night parts two, dinner does not."""
_UNHEARD: Final = np.iinfo(np.int64).min
_NOBODY: Final = -1 << 32
"""The voice of a row with neither a speaker nor a role: their codes are -1 then, 32 bits each."""


_ARRAYS: Final = (
    "suspect", "occurred_at", "recorded_at", "shown", "shown_first", "erased", "change_rows",
    "change_times", "change_shown", "turns", "parts", "chains", "first_voice", "talk",
)  # fmt: skip
"""The arrays of ``Columns`` that are told as they are."""
_LABELS: Final = ("session", "speaker", "role", "source", "origin")
"""The labels of ``Columns``."""


class _Neighbours(NamedTuple):
    """The row before and after each, shape (n,), but for the rows of ``loose`` chains and later."""

    before: Links
    after: Links
    loose: frozenset[int]


class TalkRows(NamedTuple):
    """Rows as parts of talk: those said before and after each within one talk, -1 for none."""

    before: Links
    after: Links
    inside: Mask
    """Whether each is of any talk."""


class Columns(Versioned):
    """
    Times, labels, metadata and visibility of the episodes of one bank, in memory.

    Rows are dense and observed in order, once. All of it is derived from episode rows and state
    changes; it can be dropped and rebuilt at any time. An erased episode keeps its row and comes
    back from nothing here, though its labels and metadata leave memory only by ``forget``.
    Threads may read a version while another one changes its fork. The arrays that come back are
    the caller's unless noted.

    Space: 71 bytes a row, 16 more once a session was asked for by itself, as many once a speaker
           was, and 8 for a key of metadata.
    Time:  a mask is a few passes over flat arrays, tens of microseconds at 50 000 rows.
    """

    def __init__(self) -> None:
        self.session = Labels()
        self.speaker = Labels(speaker_key)
        self.role = Labels()
        self.source = Labels()
        self.origin = Labels()
        self._claimed: dict[str, frozenset[int]] = {}
        """Rows that a source has, by its name, though they are named after another one."""
        self._suspect = GrowableArray(np.bool_)
        self._suspects = 0
        self._occurred_at = GrowableArray(np.int64)
        self._recorded_at = GrowableArray(np.int64)

        self._shown = GrowableArray(np.bool_)
        self._shown_first = GrowableArray(np.bool_)
        self._erased = GrowableArray(np.bool_)
        self._hidden = 0
        self._change_rows = GrowableArray(np.int32)
        self._change_times = GrowableArray(np.int64)
        self._change_shown = GrowableArray(np.bool_)

        self._metadata = _Metadata()

        self._turns = GrowableArray(np.int32)
        self._parts = GrowableArray(np.int32)
        self._chains = GrowableArray(np.int32)
        """The chain of each row: its session, or the text that it is a part of; -1 for none."""
        self._chain_of: dict[Hashable, int] = {}
        none = np.empty(0, np.int32)
        self._links = _Neighbours(none, none, frozenset())

        self._timeline = Timeline()
        self._erased_in_time = False
        """Whether rows of the timeline have been erased since it was looked at."""
        self._by_session, self._by_speaker = GroupedTimeline(), GroupedTimeline()
        self._heard: tuple[str, ...] | None = None
        """The speakers in force, once somebody has asked."""
        self._first_voice = GrowableArray(np.int64)
        """Who was the first to speak in each session, by speaker and role."""
        self._talk = GrowableArray(np.bool_)
        """Whether anybody else has, or nobody knows who, by session."""

    def __len__(self) -> int:
        return len(self._occurred_at)

    def archive(self, archive: Archive) -> None:
        """Tell of everything but what is worked out again when somebody asks."""
        for name in _LABELS:
            getattr(self, name).archive(archive.within(name))
        claimed = {name: sorted(rows) for name, rows in self._claimed.items()}
        claimed = archive.plain("claimed", claimed)
        self._claimed = {name: frozenset(rows) for name, rows in claimed.items()}
        self._suspects = archive.plain("suspects", self._suspects)
        self._hidden = archive.plain("hidden", self._hidden)
        for name in _ARRAYS:
            archive.array(name, getattr(self, f"_{name}"))
        # Settled first, for whether rows were erased since is not told.
        self._timeline = self._time()
        self._timeline.archive(archive.within("timeline"))
        self._metadata.archive(archive.within("metadata"))
        chains = archive.plain("chains", [_plain_key(key) for key in self._chain_of])
        self._chain_of = {_key_of(key): number for number, key in enumerate(chains)}
        # Linked first, for which chains are loose is not told.
        before, after = self.neighbours()
        fixed = archive.fixed("before", before), archive.fixed("after", after)
        self._links = _Neighbours(*fixed, frozenset())

    def fits(self) -> bool:
        """Return whether all columns are of the same rows, as those of a file should be."""
        rows = len(self)
        of_rows = ("suspect", "recorded_at", "shown", "shown_first", "erased", "turns", "chains")
        # A row of one column must not lead beyond the end of another.
        lengths = {len(getattr(self, f"_{name}")) for name in of_rows}
        lengths |= {len(one.codes) for one in (self.session, self.speaker, self.role)}
        lengths |= {len(one.codes) for one in (self.source, self.origin)}
        sessions = len(self._talk) == len(self._first_voice) == self.session.count
        return lengths == {rows} and sessions and len(self._links.before) == rows

    # ------------------------------------------------------------ taking in

    def observe(self, rows: Sequence[EpisodeRow]) -> None:
        """Take in the next episodes, in their present state."""
        if not rows:
            return
        start = len(self)
        columns = EpisodeRow(*zip(*rows, strict=True))  # type: ignore[arg-type]  # a row of columns
        numbers: tuple[int, ...] = columns.row  # type: ignore[assignment]
        if numbers != tuple(range(start, start + len(rows))):
            msg = f"rows {numbers[0]} to {numbers[-1]}: they must follow on from {start}, in order"
            raise InputError(msg)
        for labels, values in (
            (self.session, columns.session),
            (self.speaker, columns.speaker),
            (self.role, columns.role),
            (self.source, columns.source),
            (self.origin, _origins(rows)),
        ):
            labels.extend(values)  # type: ignore[arg-type]
        suspect = np.array(columns.marks, np.int64) & SUSPECT > 0
        self._suspect.extend(suspect)
        self._suspects += int(np.count_nonzero(suspect))
        self._occurred_at.extend(np.array(columns.occurred_at, np.int64))
        self._recorded_at.extend(np.array(columns.recorded_at, np.int64))
        shown = np.array([state == "active" for state in columns.state], np.bool_)
        self._shown.extend(shown)
        self._shown_first.extend(shown)
        self._hidden += len(shown) - int(np.count_nonzero(shown))
        self._erased.extend(np.zeros(len(rows), np.bool_))
        self._timeline.insert(np.arange(start, len(self)), self._occurred_at.view[start:])
        self._metadata.observe(rows)
        self._listen(np.arange(start, len(self)))
        self._link(rows)
        # Last, when a row is in all that it is taken out of.
        for place in np.flatnonzero(~shown).tolist():
            if rows[place].state == "erased":
                self._erase(start + place)
        # Only a new voice makes the speakers known so far wrong.
        came = self.speaker.codes[start:][shown]
        if self._heard is not None and not set(self._heard).issuperset(
            self.speaker.named(each_once(came[came >= 0]))
        ):
            self._heard = None

    def set_state(self, row: int, state: State, at: int) -> None:
        """
        Take in that an episode's state changed at ``at``, in microseconds; in journal order.

        Replaying changes that led to the state in which the row was observed is right, and needed
        for ``as_of``: without them, a row observed hidden counts as hidden from the start.
        """
        if not 0 <= row < len(self):
            msg = f"row {row}: there are {len(self)}; observe it before its state changes"
            raise UnknownEpisode(msg)
        if self._erased.view[row]:
            return
        shown = state == "active"
        # A row observed hidden has been seen once, if something is known to have hidden it.
        if not shown:
            self._shown_first.put(row, True)  # noqa: FBT003  # the value
        self._change_rows.extend(np.array([row]))
        self._change_times.extend(np.array([at]))
        self._change_shown.extend(np.array([shown]))
        if shown != self._shown.view[row]:
            self._shown.put(row, shown)
            self._hidden += -1 if shown else 1
            self._loosen({int(self._chains.view[row])})
            self._heard = None
        if state == "erased":
            self._erase(row)

    def claim(self, told: Iterable[tuple[str, int, bool]]) -> None:
        """Take in, in order, that sources have rows which are named after another, or no longer."""
        changed: dict[str, set[int]] = {}
        for name, row, has in told:
            rows = changed.setdefault(name, set(self._claimed.get(name, ())))
            (rows.add if has else rows.discard)(row)
        if changed:  # another one, which the versions before do not see
            fresh = {name: frozenset(rows) for name, rows in changed.items()}
            self._claimed = {**self._claimed, **fresh}

    def _with_claimed(self, mask: Mask, names: Iterable[str]) -> Mask:
        rows = [row for name in names for row in self._claimed.get(name, ()) if row < len(mask)]
        if rows:
            mask = mask.copy()
            mask[rows] = True
        return mask

    def set_suspect(self, row: int, *, suspect: bool) -> None:
        """Take in that an episode is suspect, or is so no more."""
        self._suspects += int(suspect) - int(self._suspect.view[row])
        self._suspect.put(row, suspect)

    def forget(self, gone: Rows) -> bool:
        """
        Become as if made anew after rows were erased: no word of these is there any more.

        Returns False where that takes the rows themselves; these columns are of no use then.
        """
        sessions = each_once(self.session.codes[gone])
        sessions = sessions[sessions >= 0]
        if not all(getattr(self, name).forget(gone) for name in _LABELS):
            return False
        self._metadata = self._metadata.without(gone)
        claimed = ((name, had.difference(gone.tolist())) for name, had in self._claimed.items())
        self._claimed = {name: left for name, left in claimed if left}
        for column in (self._suspect, self._shown, self._shown_first):
            column.put(gone, False)  # noqa: FBT003  # the value
        self._suspects = int(np.count_nonzero(self._suspect.view))
        self._hidden = len(self) - int(np.count_nonzero(self._shown.view))
        self._erased.put(gone, True)  # noqa: FBT003  # the value
        self._occurred_at.put(gone, self._recorded_at.view[gone])
        self._erased_in_time, self._heard = True, None
        self._forget_changes()
        self._unlink(gone)
        self._first_voice.put(sessions, _UNHEARD)
        self._talk.put(sessions, False)  # noqa: FBT003  # the value
        self._listen(np.flatnonzero(np.isin(self.session.codes, sessions)))
        return True

    def _forget_changes(self) -> None:
        """Keep no change of what is erased."""
        stays = ~self._erased.view[self._change_rows.view]
        for name in ("_change_rows", "_change_times", "_change_shown"):
            column = getattr(self, name)
            rest = GrowableArray(column.view.dtype)
            rest.extend(column.view[stays])
            setattr(self, name, rest)

    def _unlink(self, gone: Rows) -> None:
        """Take rows out of their chains; no key of a chain of which nothing is left stays."""
        theirs = each_once(self._chains.view[gone])
        theirs = theirs[theirs >= 0]
        self._chains.put(gone, -1)
        self._turns.put(gone, -1)
        self._parts.put(gone, 0)
        left = np.bincount(self._chains.view + 1, minlength=len(self._chain_of) + 1)[1:]
        lost = set(theirs[left[theirs] == 0].tolist())
        if lost:  # their numbers stay taken
            self._chain_of = {
                ("", number) if number in lost else key: number
                for key, number in self._chain_of.items()
            }
        before, after, _ = self._links
        linked = gone[gone < len(before)]
        before, after = before.copy(), after.copy()
        before[linked] = after[linked] = -1
        self._links = self._links._replace(before=before, after=after)
        self._loosen(set(theirs.tolist()) - lost)

    def _erase(self, row: int) -> None:
        """Take a row that is hidden, and so links to nothing, out of what it was in."""
        self._erased.put(row, True)  # noqa: FBT003  # the value
        for name in _LABELS:
            getattr(self, name).clear(row)
        self.set_suspect(row, suspect=False)
        self._erased_in_time, self._heard = True, None

    # ------------------------------------------------------------ what a read may see

    def mask(self, chosen: Filter, *, hidden: bool = False) -> Mask | None:
        """
        Return a mask of the rows that a filter lets a read see, shape (n,); None for all rows.

        Without ``as_of``, those in force now. With it, those noted by then and in force then:
        what was forgotten, corrected or restored later does not count, but what is erased stays
        gone at any time. ``hidden``: instead those that are not in force now.
        """
        parts: list[Mask] = []
        if hidden:
            parts.append(~self._shown.view)
        elif chosen.as_of is not None:
            parts.append(self._shown_at(chosen.as_of))
        elif self._hidden:  # else all are shown, and no mask is needed
            parts.append(self._shown.view)
        if chosen.since is not None or chosen.until is not None:
            parts.append(self._between(chosen.since, chosen.until))
        if chosen.during is not None:  # apart and in order: inside is behind an odd number of ends
            ends = [
                _OPEN[side] if t is None else t
                for one in chosen.during
                for side, t in enumerate(one)
            ]
            parts.append(np.searchsorted(ends, self._occurred_at.view, side="right") % 2 == 1)
        parts += self._labelled(chosen)
        # Where nothing is suspect, to hide it hides nothing.
        if chosen.suspect or (chosen.suspect is not None and self._suspects):
            parts.append(self._suspect.view == chosen.suspect)
        if chosen.where is not None:
            parts.append(self._meets(chosen.where))
        if not parts:
            return None
        # A copy, for one part alone may be a view of what we keep.
        allowed = parts[0].copy() if len(parts) == 1 else parts[0] & parts[1]
        for part in parts[2:]:
            allowed &= part
        return allowed

    def _labelled(self, chosen: Filter) -> Iterator[Mask]:
        """Yield masks of the rows that have the labels a filter names."""
        for labels, wanted in (
            (self.session, chosen.session),
            (self.speaker, chosen.speaker),
            (self.role, chosen.role),
            (self.origin, chosen.trust),
        ):
            if wanted is not None:
                yield labels.among(wanted)
        if chosen.source is not None:
            yield self._with_claimed(self.source.among(chosen.source), chosen.source)

    @property
    def suspect(self) -> Mask:
        """Mask of rows that read like instructions to a model, and nobody has accepted. Shared."""
        return self._suspect.view

    def visible(self) -> Mask:
        """Return a mask of the rows in force: not superseded, forgotten or erased."""
        return self._shown.view.copy()

    def between(self, start: datetime | None, end: datetime | None) -> Mask:
        """Return a mask of the rows said in ``[start, end)``, shape (n,); an open side is None."""
        return self._between(*(None if side is None else to_micros(side) for side in (start, end)))

    def _between(self, start: int | None, end: int | None) -> Mask:
        said = self._occurred_at.view
        inside = np.ones(len(said), np.bool_) if start is None else said >= start
        if end is not None:
            inside &= said < end
        return inside

    def occurred_at(self, rows: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Return when rows were said, in microseconds, shape (rows,)."""
        # NumPy takes three times as long to look rows up by another type than its own.
        return self._occurred_at.view[rows.astype(np.intp)]

    def is_own(self, rows: NDArray[np.integer[Any]]) -> Mask:
        """Return a mask of the rows that the user or the assistant said, shape (rows,)."""
        own = np.zeros(self.origin.count + 1, np.bool_)
        own[[code for one in OWN if (code := self.origin.code(one)) >= 0]] = True
        return own[self.origin.codes[rows.astype(np.intp)]]

    def origins(self, rows: NDArray[np.integer[Any]]) -> list[Origin]:
        """Return the origins that rows have, each once."""
        codes = each_once(self.origin.codes[rows.astype(np.intp)])
        return [cast(Origin, self.origin.values[code]) for code in codes.tolist() if code >= 0]

    def spoken_by(self, speakers: frozenset[str], rows: NDArray[np.intp]) -> Mask:
        """Return a mask of the rows that one of these speakers said, in any case, shape (rows,)."""
        return self.speaker.holds_any(frozenset(map(speaker_key, speakers)), rows)

    def speakers(self) -> tuple[str, ...]:
        """Return the speakers of the rows in force, each once, as first spelled."""
        if self._heard is None:
            heard = np.bincount(self.speaker.codes[self._shown.view] + 1)  # -1, nobody, first
            self._heard = self.speaker.named(np.flatnonzero(heard[1:]))
        return self._heard

    def _shown_at(self, moment: int) -> Mask:
        then = self._change_times.view <= moment
        shown = self._shown_first.view.copy()
        # Of several changes of a row the last is assigned last, and stays.
        shown[self._change_rows.view[then]] = self._change_shown.view[then]
        shown &= self._recorded_at.view <= moment
        shown &= ~self._erased.view
        return shown

    def _meets(self, condition: Condition) -> Mask:
        match condition:
            case Not(part):
                return ~self._meets(part)
            case Every(parts):
                return reduce(np.logical_and, map(self._meets, parts))
            case Either(parts):
                return reduce(np.logical_or, map(self._meets, parts))
            case Predicate():
                return self._metadata.meets(condition, len(self))

    def in_order(self) -> Rows:
        """Return every row but erased ones by (occurred_at, row), int64. Shared: do not write."""
        return self._time().rows

    def _time(self) -> Timeline:
        if self._erased_in_time:
            self._timeline = self._timeline.without(self._erased.view)
            self._erased_in_time = False
        return self._timeline

    def seen_in_order(self, chosen: Filter) -> Rows:
        """
        Return the rows that a filter lets a read see by (occurred_at, row), int64.

        A range of time, of everything or of one session or speaker, is cut out of their timeline;
        only what is in it is looked at.
        """
        rest = replace(chosen, since=None, until=None)
        span = chosen.since, chosen.until
        for labels, line, name in (
            (self.session, self._by_session, "session"),
            (self.speaker, self._by_speaker, "speaker"),
        ):
            wanted = getattr(chosen, name)
            if wanted is not None and len(wanted) == 1:
                code = labels.code(next(iter(wanted)))
                if code < 0:
                    return np.empty(0, np.int64)
                rows = line.between(code, labels.codes, self._occurred_at.view, *span)
                rest = replace(rest, **{name: None})
                break
        else:
            rows = self._time().between(*span)
        allowed = self.mask(rest)
        return rows if allowed is None else rows[allowed[rows]]

    def last(self, count: int, allowed: Mask | None) -> Rows:
        """Return the ``count`` allowed rows said last, in order of time."""
        order = self.in_order()
        look = max(count, 0)
        while True:  # a few looks at ever longer ends: most masks let the recent through
            end = order[max(0, len(order) - look) :]
            found = end if allowed is None else end[allowed[end]]
            if len(found) >= count or look >= len(order):
                return found[max(0, len(found) - max(count, 0)) :].copy()
            # By so much that a mask which lets little through costs a few looks, and not one for
            # each row.
            look = 8 * look + 64

    # ------------------------------------------------------------ neighbours

    def talk(self, rows: NDArray[np.intp]) -> TalkRows:
        """
        Return the rows of talk: all but sessions of one voice that talks to nobody.

        A voice is a speaker in a role. Who speaks is not known where neither is given; a user
        talks to an assistant, whether its answers are kept or not. Rows outside sessions count as
        well: parts of one long text. What has neighbours, but long before and after alone, is no
        talk: a diary may be one session for years.
        """
        at, said = self._occurred_at.view, self._occurred_at.view[rows]
        there = np.zeros(len(rows), np.bool_)
        near = np.zeros(len(rows), np.bool_)
        beside: list[Links] = []
        for links in self.neighbours():
            side = links[rows]
            has = side >= 0
            # Of no row it is the last one's, and counts for nothing.
            close = has & (np.abs(said - at[side]) <= _ONE_TALK)
            there |= has
            near |= close
            beside.append(np.where(close, side, np.int32(-1)))
        inside = np.append(self._talk.view, True)[self.session.codes[rows]] & (near | ~there)
        return TalkRows(beside[0], beside[1], inside)

    def _listen(self, rows: Rows) -> None:
        """Take in who speaks in the sessions of rows, which ascend."""
        inside = rows[self.session.codes[rows] >= 0]
        sessions = self.session.codes[inside]
        roles = self.role.codes[inside]
        voices = self.speaker.codes[inside].astype(np.int64) << 32 | (roles + 1)
        new = self.session.count - len(self._talk)
        self._talk.extend(np.zeros(new, np.bool_))
        self._first_voice.extend(np.full(new, _UNHEARD))
        each, first = np.unique(sessions, return_index=True)
        unheard = self._first_voice.view[each] == _UNHEARD
        if unheard.any():
            self._first_voice.put(each[unheard], voices[first[unheard]])
        another = voices != self._first_voice.view[sessions]
        spoken_to = self.role.holds("user", inside) | self.role.holds("assistant", inside)
        talking = sessions[another | spoken_to | (voices == _NOBODY)]
        # To put what is there already would copy the array, which readers share.
        if not self._talk.view[talking].all():
            self._talk.put(talking, True)  # noqa: FBT003  # the value

    def neighbours(self) -> tuple[Links, Links]:
        """
        Return the row before and the row after each row, -1 for none; shape (n,), int32.

        Neighbours are adjacent turns (or parts of one) of a session, by (occurred_at, turn, part,
        row), so that a turn that arrives late takes its place; outside sessions, adjacent parts
        of one long text. Only rows in force now have neighbours and are neighbours.

        Shared: do not write.
        """
        links = self._links
        if links.loose or len(links.before) < len(self):
            links = self._links = self._relinked(links)
        return links.before, links.after

    def _link(self, rows: Sequence[EpisodeRow]) -> None:
        """Put new rows into chains; these are linked when somebody asks for neighbours."""
        keys = [_chain_key(row) for row in rows]
        of = self._chain_of
        chains = [-1 if key is None else of.setdefault(key, len(of)) for key in keys]
        self._loosen(set(chains))
        self._turns.extend(np.array([-1 if r.turn is None else r.turn for r in rows], np.int32))
        self._parts.extend(np.array([row.part for row in rows], np.int32))
        self._chains.extend(np.array(chains, np.int32))

    def _loosen(self, chains: set[int]) -> None:
        loose = self._links.loose | chains - {-1}
        self._links = self._links._replace(loose=loose)

    def _relinked(self, links: _Neighbours) -> _Neighbours:
        """Return links in which the loose chains are linked anew, all at once."""
        chains = self._chains.view
        if len(links.loose) == 1:  # to compare is faster than to look up
            rows = np.flatnonzero(chains == next(iter(links.loose)))
        else:
            loose = np.zeros(len(self._chain_of) + 1, np.bool_)  # the last is "none"
            loose[list(links.loose)] = True
            rows = np.flatnonzero(loose[chains])
        more = np.full(len(self) - len(links.before), -1, np.int32)
        before, after = np.append(links.before, more), np.append(links.after, more)
        before[rows] = after[rows] = -1
        rows = rows[self._shown.view[rows]]
        keys = self._parts, self._turns, self._occurred_at, self._chains  # and then by row
        rows = rows[np.lexsort([key.view[rows] for key in keys])]
        same = chains[rows[1:]] == chains[rows[:-1]]
        before[rows[1:][same]] = rows[:-1][same]
        after[rows[:-1][same]] = rows[1:][same]
        return _Neighbours(before, after, frozenset())


def _origins(rows: Sequence[EpisodeRow]) -> list[str]:
    """Return the origins of rows, each told but once for all rows of which it is told alike."""
    known: dict[tuple[object, ...], str] = {}
    told: list[str] = []
    for row in rows:
        key = (row.role, row.source, row.speaker is None, row.marks >> 7)
        origin = known.get(key)
        if origin is None:
            origin = known[key] = row.origin
        told.append(origin)
    return told


def _plain_key(key: Hashable) -> list[object]:
    """Return the key of a chain as JSON has it."""
    return list(key) if isinstance(key, tuple) else [key]


def _key_of(plain: list[Any]) -> Hashable:
    return plain[0] if len(plain) == 1 else tuple(plain)


def _chain_key(row: EpisodeRow) -> Hashable:
    """Return the key of a row's chain, None for a row by itself."""
    if row.session is not None:
        return row.session
    # Parts of one text are noted together and in order, unless some were left out.
    return (row.row - row.part, row.parts, row.source, row.occurred_at) if row.parts > 1 else None
