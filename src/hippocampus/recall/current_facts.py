"""
Current and superseded facts for the subject and relation that a question asks about.

"Where do I live?" is answered by the turn that says where one moved to, however alike the question
is to the turn that says where one lived before. Only functional relations, which hold of one thing
at a time, are weighed so. Where a question asks for what was before, the fact before the present
one answers; where it names a time, the one that held then, whenever it was told.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import datetime, tzinfo
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from hippocampus.core.arrays import Rows32
from hippocampus.core.clock import MICROS_PER_HOUR, from_micros, in_zone, to_micros
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.records import Interval, Statement
from hippocampus.index.columns import Columns
from hippocampus.index.cue import Mask
from hippocampus.index.graph import Statements
from hippocampus.index.query import AskedFact
from hippocampus.language.entity_linking import fold_name
from hippocampus.language.filled_roles import filled_roles
from hippocampus.language.relations import functional, is_being
from hippocampus.language.statements import find_statements, who_asks, who_speaks
from hippocampus.recall.alias_expansion import Aliases
from hippocampus.recall.fact_timeline import Known, Told, know
from hippocampus.recall.spreading_activation import ReadTexts

_TELLINGS: Final = 8
"""Latest statements of a current fact that are lifted; each of them would answer, and more would
fill the first ten with one answer."""


_AHEAD: Final = 24 * MICROS_PER_HOUR
"""Most that a turn may be dated after the present: clocks differ, days are not in all zones
(docs/adr/0063)."""


_ALWAYS: Final = 1 << 62
"""A moment after all others, in microseconds: 146 000 years away, and still an int64."""


class Standing(NamedTuple):
    """Rows that state a current fact; rows whose facts are all superseded, and since when."""

    current: frozenset[int]
    over: Mapping[int, int]


class _Said(NamedTuple):
    """Statements about one subject by one relation, ascending by row; rows of shape (n,)."""

    rows: Rows32
    statements: Sequence[Statement]


class _Fold(NamedTuple):
    """
    The facts that those statements come to.

    Valid for ``see``, a mask of rows, and while ``ahead`` statements of the bank begin later.
    """

    see: bytes
    ahead: int
    told: Sequence[Told]
    standing: Standing


@immutable(kw_only=False, eq=False)
class FactResolver:
    """Resolver of current and superseded facts from statements; memoised per visible rows."""

    known: Statements
    columns: Columns
    zone: tzinfo
    names: Aliases = field(init=False)
    """Things and people with several names, by the same statements."""
    _said: dict[str, Mapping[str, _Said]] = field(default_factory=dict)
    _folds: dict[tuple[str, str, bool], _Fold] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", Aliases(self.known))

    def of(self, columns: Columns) -> FactResolver:
        """Return the same for later columns of the bank; what was looked up is shared."""
        twin = copy.copy(self)
        object.__setattr__(twin, "columns", columns)
        return twin

    def look(
        self, read: ReadTexts, asked: AskedFact, rows: Rows32, allowed: Mask | None, now: datetime
    ) -> Standing | None:
        """
        Resolve a fact; None if no statement fits, or those of several people do.

        None, too, if several are what one is asked for, or a later row says so in other words.

        ``rows`` are read now if no sleep has read them; no other unread row is. What is dated after
        ``now`` holds from then on, and so ends nothing yet, and neither does what is planned. Where
        it is asked what is going to be, and nothing is planned, that is what is now.
        """
        found = self._look(read, asked, rows, allowed, now)
        if found is None and asked.of == "next":
            found = self._look(read, asked._replace(of="now"), rows, allowed, now)
        return found

    def _look(
        self, read: ReadTexts, asked: AskedFact, rows: Rows32, allowed: Mask | None, now: datetime
    ) -> Standing | None:
        """Resolve a fact of the one state that is asked for."""
        allowed, at = self._said_by(now, allowed), to_micros(now)
        fresh = list(self._fresh(read, rows, allowed))
        kin = self._kin(asked, fresh, allowed, at)
        own = asked.own and not asked.kin
        new = [
            told for told in fresh
            if asked.fits(told.statement.relation) and asked.says(told.statement.noun)
            and (asked.of == "now" or functional(told.statement.relation))
            and asked.means(subject := fold_name(told.statement.subject), kin)
            and (not own or subject == fold_name(self._speaker(told.row)))
        ]  # fmt: skip
        whose = {fold_name(told.statement.subject) for told in new}
        folds: list[_Fold] = []
        for relation in filter(asked.fits, self.known.telling):
            if asked.of != "now" and not functional(relation):
                continue
            for subject in self._by_subject(relation):
                if asked.means(subject, kin) and (not own or self._speaks(subject)):
                    fold = self._fold(relation, subject, allowed, at, own=own)
                    if fold.told:
                        folds.append(fold)
                        whose.add(subject)
                # Of several people nobody is meant, and the others need not be looked at.
                if len(whose) > 1:
                    return None
        if asked.of != "now":
            told = [*new, *(one for fold in folds for one in fold.told)]
            return _standing_once(told, asked, at)
        if new:
            new += [told for fold in folds for told in fold.told]
            # Not remembered: the fresh rows are those that this question happened to find.
            folds = [_Fold(b"", 0, new, _standing(new, at))]
        if any(_are_several(asked, fold.told, at) for fold in folds):
            return None
        current = {row for fold in folds for row in fold.standing.current}
        who = all(is_being(one.statement.relation) for fold in folds for one in fold.told)
        stated = self.known.rows.keys() | {told.row for told in fresh}
        unread = np.array([row for row in rows.tolist() if row not in stated], np.uint32)
        if current and who and self._filled_later(read, asked, unread, current):
            return None
        over = {
            row: since for fold in folds for row, since in fold.standing.over.items()
            if not self._tells_more(row, asked, fresh, allowed, at)
        }  # fmt: skip
        return Standing(frozenset(current), over) if current else None

    def _tells_more(
        self, row: int, asked: AskedFact, fresh: Iterable[Told], allowed: Mask | None, at: int
    ) -> bool:
        """
        Return whether a row tells of something else, too, that is not over.

        Who somebody is, of whom it tells what is over, is nothing else: "my sister Ana lives in".
        """
        read = [told.statement for told in fresh if told.row == row]
        said = [*self.known.rows.get(row, ()), *read]
        of_whom = {fold_name(one.subject) for one in said if asked.fits(one.relation)}
        for one in said:
            named = is_being(one.relation) and fold_name(one.object) in of_whom
            if asked.fits(one.relation) or named or one.mode not in ("holds", "began"):
                continue
            subject, told = fold_name(one.subject), list[Told]()
            if subject in self._by_subject(one.relation):
                told += self._fold(one.relation, subject, allowed, at, own=False).told
            told += [
                other for other in fresh
                if other.statement.relation == one.relation
                and fold_name(other.statement.subject) == subject
            ]  # fmt: skip
            if row not in _standing(told, at).over:
                return True
        return False

    def _filled_later(
        self, read: ReadTexts, asked: AskedFact, rows: Rows32, current: Collection[int]
    ) -> bool:
        """
        Return whether a row says later than those who it is.

        As the same speakers say it: "my boss" is another's for others.
        """
        last = self.columns.occurred_at(np.array(sorted(current), np.uint32)).max()
        speakers = {self._speaker(row) for row in current}
        later = [
            row for row in rows[self.columns.occurred_at(rows) > last].tolist()
            if not asked.own or self._speaker(row) in speakers
        ]  # fmt: skip
        return any(
            asked.asks_who(role)
            for text in (read(later) if later else {}).values()
            for role in filled_roles(text)
        )

    def _said_by(self, now: datetime, allowed: Mask | None) -> Mask | None:
        """Return the mask without rows dated more than a day ahead, as by a wrong clock."""
        last = to_micros(now) + _AHEAD
        newest = self.columns.in_order()[-1:].astype(np.uint32)
        if not (self.columns.occurred_at(newest) > last).any():
            return allowed
        there = self.columns.occurred_at(np.arange(len(self.columns), dtype=np.uint32)) <= last
        return there if allowed is None else there & allowed

    def _fresh(self, read: ReadTexts, rows: Rows32, allowed: Mask | None) -> Iterator[Told]:
        """Yield the statements of those rows that no sleep has read."""
        unread = [
            row for row in rows.tolist()
            if row >= self.known.length and (allowed is None or allowed[row])
        ]  # fmt: skip
        for row, text in read(unread).items() if unread else ():
            (time,) = self.columns.occurred_at(np.array([row])).tolist()
            at = in_zone(from_micros(time), self.zone)
            for said in find_statements(text, speaker=self._speaker(row), occurred_at=at):
                own = bool(self.columns.is_own(np.array([row]))[0])
                yield Told(row, time, time, said, own)

    def _kin(
        self, asked: AskedFact, fresh: Iterable[Told], allowed: Mask | None, at: int
    ) -> frozenset[str]:
        """Return the folded names that the kin in question is known by."""
        said = [told.statement for told in fresh if told.statement.word in asked.kin]
        for relation in asked.kin_relations & self.known.telling.keys():
            for subject in self._by_subject(relation):
                fold = self._fold(relation, subject, allowed, at, own=False)
                said += [one.statement for one in fold.told if one.statement.word in asked.kin]
        return frozenset(fold_name(one.object) for one in said if one.mode != "denied")

    def _by_subject(self, relation: str) -> Mapping[str, _Said]:
        if relation not in self._said:
            said: defaultdict[str, list[tuple[int, Statement]]] = defaultdict(list)
            for row in self.known.telling.get(relation, ()):
                for one in self.known.rows[row]:
                    if one.relation == relation:
                        said[fold_name(one.subject)].append((row, one))
            self._said[relation] = {
                subject: _Said(np.array([row for row, _ in of], np.uint32), [one for _, one in of])
                for subject, of in said.items()
            }
        return self._said[relation]

    def _fold(
        self, relation: str, subject: str, allowed: Mask | None, at: int, *, own: bool
    ) -> _Fold:
        """Return the statements about a subject, resolved; ``own``: only those that they made."""
        ahead = self.known.ahead(at)
        said = self._by_subject(relation)[subject]
        there = said.rows < len(self.columns)
        if allowed is not None:
            there[there] = allowed[said.rows[there]]
        see, key = there.tobytes(), (relation, subject, own)
        fold = self._folds.get(key)
        if fold is None or fold[:2] != (see, ahead):
            rows = said.rows[there]
            times, owns = self.columns.occurred_at(rows).tolist(), self.columns.is_own(rows)
            told = [
                Told(row, time, time, said.statements[place], by_us)
                for place, row, time, by_us in zip(
                    np.flatnonzero(there).tolist(), rows.tolist(), times, owns.tolist(), strict=True
                )
                if not own or fold_name(self._speaker(row)) == subject
            ]
            fold = self._folds[key] = _Fold(see, ahead, told, _standing(told, at))
        return fold

    def asker(self) -> str:
        """Return the speaker of "my": the one beside an assistant; "" if there are several."""
        return who_asks(self.columns.speakers())

    def _speaks(self, name: str) -> bool:
        """Return whether somebody may be "I"."""
        labels = self.columns.speaker, self.columns.role
        return name == who_speaks(None, None) or any(of.code(name) >= 0 for of in labels)

    def _speaker(self, row: int) -> str:
        speaker, role = (
            labels.values[code] if (code := int(labels.codes[row])) >= 0 else None
            for labels in (self.columns.speaker, self.columns.role)
        )  # fmt: skip
        return who_speaks(speaker, role)


def _are_several(asked: AskedFact, told: Iterable[Told], at: int) -> bool:
    """Return whether several are what a question asks for one of: of two dentists the later is."""
    meant = [
        one for one in told
        if is_being(one.statement.relation) and not functional(one.statement.relation)
        and asked.says(one.statement.noun)
    ]  # fmt: skip
    if asked.kin or len(meant) < 2:
        return False
    facts = [fact for fact in know(meant, {}, at) if fact.valid_to is None and not fact.planned]
    names = [set(fold_name(fact.object).split()) for fact in facts]
    # "Tom" and "Tom Reyes" are one.
    return any(not (one <= other or other <= one) for one, other in combinations(names, 2))


def _standing(told: Iterable[Told], at: int) -> Standing:
    """Return the rows of current facts, the last few of each, and of superseded ones."""
    facts = [fact for fact in know(told, {}, at) if not fact.planned]
    current = {row for fact in facts if fact.valid_to is None for row in fact.rows}
    over = {
        row: fact.valid_to
        for fact in facts if fact.valid_to is not None
        for row in fact.rows if row not in current and row not in fact.ends
    }  # fmt: skip
    last = {row for fact in facts if fact.valid_to is None for row in fact.rows[-_TELLINGS:]}
    return Standing(frozenset(last), over)


def _standing_once(told: Iterable[Told], asked: AskedFact, at: int) -> Standing | None:
    """Return the rows of the fact before the present one, of a plan, or of what held longest."""
    at = max([at, *(to_micros(one.end) for one in asked.within if one.end is not None)])
    known = know(told, {}, at)
    facts = [fact for fact in known if not (fact.planned or fact.denied)]
    if asked.of == "next":
        plans = [(_ALWAYS if (day := fact.valid_from) is None else day, fact)
                 for fact in known if fact.planned]  # fmt: skip
        held = min(plans, key=lambda one: one[0], default=None)
    elif asked.of == "before":
        ended = [
            (fact.valid_to, fact) for fact in _before_the_named(facts, asked)
            if fact.valid_to is not None
        ]  # fmt: skip
        held = max(ended, key=lambda one: one[0], default=None)
    else:
        lasted = [
            (_overlap(fact, asked.within), fact) for fact in facts
            if not fact.valid_from is fact.valid_to is None  # what holds now may have begun later
        ]  # fmt: skip
        held = max(
            (one for one in lasted if one[0] > 0),
            # That what has no beginning held then is only supposed: it yields to what has one.
            key=lambda one: (one[1].valid_from is not None, one[0]),
            default=None,
        )
    if held is None:
        return None
    # What only tells that it is over says it less well; where nothing else does, it says it.
    rows = [row for row in held[1].rows if row not in held[1].ends] or list(held[1].rows)
    return Standing(frozenset(rows[-_TELLINGS:]), {}) if rows else None


def _before_the_named(facts: Sequence[Known], asked: AskedFact) -> Sequence[Known]:
    """Return the facts before the one that a question names: "where did I work before Acme?"."""
    named = [
        fact for fact in facts
        if not asked.names.isdisjoint(fold_name(fact.object).split()[:1])
    ]  # fmt: skip
    begun = [fact.valid_from for fact in named if fact.valid_from is not None]
    last = min(begun, default=_ALWAYS)
    before = [fact for fact in facts if fact.valid_to is None or fact.valid_to <= last]
    return [fact for fact in before if fact not in named] if named else facts


def _overlap(fact: Known, within: Iterable[Interval]) -> int:
    """Return for how long a fact held in some closed times, in microseconds."""
    return sum(
        max(
            min(to_micros(one.end), _ALWAYS if fact.valid_to is None else fact.valid_to)
            - max(to_micros(one.start), -_ALWAYS if fact.valid_from is None else fact.valid_from),
            0,
        )
        for one in within
        if one.start is not None and one.end is not None
    )
