"""People and pets of a bank, told from other names by all that it was told."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from hippocampus.bank.knowledge import Knowledge
from hippocampus.bank.part import BankPart, of_one_moment, staying
from hippocampus.core.background_yield import answering, pausing
from hippocampus.core.budget import check_budget
from hippocampus.core.damage import note_unread
from hippocampus.core.patience import patience_is_over
from hippocampus.core.records import EpisodeRow, Fact, Person, Tie
from hippocampus.core.roles import MACHINE_ROLES, ROLES
from hippocampus.core.word_lists import word_set
from hippocampus.engine.bank_state import BankState
from hippocampus.engine.snapshot import BankSnapshot
from hippocampus.language.entity_linking import fold_name
from hippocampus.language.noun_phrases import NOUN
from hippocampus.language.relations import ALSO_CALLED

if TYPE_CHECKING:
    from hippocampus.language.name_signs import NameSigns, NamesRead

_MOST_READ: Final = 20_000
"""Rows that are read for names, the last ones: some seconds, the first time, at .2 to .6 ms each
(docs/adr/0059)."""
_PIECE: Final = 64
"""Rows that every call reads at least, so that in the end all are read."""
_LONGEST: Final = 3
"""Words of a name: two given names and a family name. Chosen by hand."""
_OWN: Final = frozenset({"my", "our"})
_BETWEEN_PEOPLE: Final = frozenset(
    "married_to partner child parent sibling friend boss doctor".split()
)
"""Relations of facts whose two ends are people."""
_ROLE_OF: Final = {"married_to": "spouse"}
"""Role of the one to the other, where the relation is no word for it."""
_OF_PEOPLE: Final = frozenset(
    "works_as works_at studies_at birthday allergic_to diet likes dislikes speaks pet".split()
)
"""Relations that have a person for their subject."""


@dataclass(slots=True)
class _Tally:
    """Tally of the spellings and signs of each name in all texts."""

    signs: dict[str, NameSigns] = field(default_factory=dict)
    spelled: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    rows: defaultdict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    pairs: list[tuple[str, str]] = field(default_factory=list)
    ties: dict[tuple[str, str], str] = field(default_factory=dict)
    """Role of each name, by (name, other)."""
    close: set[str] = field(default_factory=set)
    """Names of one word of those who are somebody's family or friends by the facts."""
    others: dict[str, str] = field(default_factory=dict)
    """Other names, each with the one that it means: Yaz, and Yasmin."""

    def add(self, name: str, signs: NameSigns) -> None:
        from hippocampus.language.name_signs import NameSigns  # noqa: PLC0415 - not for a recall

        self.signs[name] = self.signs.get(name, NameSigns()).plus(signs)

    def take(self, row: EpisodeRow, read: NamesRead) -> None:
        """Take in what a row shows; of an assistant's words only how names are written."""
        from hippocampus.language.name_signs import (  # noqa: PLC0415 - not for a recall
            NameSigns,
            may_be_name,
        )
        from hippocampus.language.statements import who_speaks  # noqa: PLC0415 - not for a recall

        # These say who is named, and not what of.
        others = row.role in MACHINE_ROLES or row.speaker in MACHINE_ROLES
        for name, signs in read.signs.items():
            written = NameSigns(signs.inside, signs.opening, signs.small, signs.plain)
            self.add(name, written if others else signs)
            self.spelled[name][read.spelled[name]] += 1
            self.rows[name].add(row.row)
        self.rows[fold_name(row.speaker or "")].add(row.row)
        if others:
            return
        self.pairs += read.pairs
        for tie in read.ties:
            speaker = who_speaks(row.speaker, row.role)
            owner = speaker if tie.owner in _OWN else tie.owner
            if owner == speaker or may_be_name(owner):
                self.ties.setdefault((tie.name, owner), tie.noun)

    def take_facts(self, facts: Iterable[Fact]) -> None:
        """Take in whom facts are about."""
        from hippocampus.language.name_signs import (  # noqa: PLC0415 - not for a recall
            LIKELY,
            SURE,
            NameSigns,
        )

        for fact in facts:
            ends = []
            if fact.relation == ALSO_CALLED and not fact.denied and _is_spelled_as_one(fact.object):
                self.others[fold_name(fact.object)] = fold_name(fact.subject)
            if fact.relation in _BETWEEN_PEOPLE:
                ends = [(fact.subject, "person", SURE), (fact.object, "person", SURE)]
                if fact.relation not in ("boss", "doctor") and " " not in fact.object:
                    self.close.add(fold_name(fact.object))
                if not fact.denied:
                    role = _ROLE_OF.get(fact.relation, fact.relation)
                    self.ties.setdefault((fold_name(fact.object), fact.subject), role)
            elif fact.relation in _OF_PEOPLE:
                ends = [(fact.subject, "person", LIKELY)]
            if fact.relation == "pet":
                ends.append((fact.object, "pet", SURE))
            for name, sort, weight in ends:
                if _is_spelled_as_one(name):
                    self.add(fold_name(name), NameSigns(**{sort: weight}))
                    self.spelled[fold_name(name)][name] += 1

    def merge_others(self, speakers: Collection[str]) -> None:
        """Put the signs of another name with those of the one that it means; not of who speaks."""
        self.others = {
            other: name for other, name in self.others.items()
            if other in self.signs and name in self.signs and other not in {*speakers, name}
            and name not in self.others
        }  # fmt: skip
        for other, name in self.others.items():
            self.signs[name] = self.signs[name].plus(self.signs.pop(other))
            self.rows[name] |= self.rows.pop(other, set())


def _is_spelled_as_one(name: str) -> bool:
    """Return whether what a fact is about is spelled as somebody's name."""
    words = name.split()
    owned = "'s " in name  # "Kelly's Dave" is known by another name
    return 0 < len(words) <= _LONGEST and not owned and all(map(_is_part_of_one, words))


def _is_part_of_one(word: str) -> bool:
    from hippocampus.language.name_signs import may_be_name  # noqa: PLC0415 - not for a recall

    acronym = word.isupper() and len(word) > 1
    return word[0].isupper() and not acronym and may_be_name(fold_name(word))


class People(BankPart):
    """The verb that tells whom a bank speaks of."""

    def __init__(self, state: BankState, knowledge: Knowledge) -> None:
        super().__init__(state)
        self._knowledge = knowledge

    @answering()
    @staying
    @of_one_moment
    def people(self) -> list[Person]:
        """
        Return the people and pets that a bank speaks of, those named most first.

        Who speaks, whom facts are about, and whom texts name: a name is told from a word by how it
        is written over the whole bank, and somebody from a place, a month or a thing by what is
        said beside it ("a cat called Biscuit", "my brother Mark", "Rose says"). Whom one text
        mentions, and nothing is said of, may be missing; of languages other than English only those
        with a title or a usual given name are known. The last 20 000 memories are read.
        """
        tally = _Tally()
        with self._state.asking() as here:
            rows = np.flatnonzero(here.index.columns.visible() & ~here.index.columns.suspect)
            for row, read in self._read(here, rows[-_MOST_READ:].tolist()):
                tally.take(row, read)
            speakers = here.index.columns.speakers()
        tally.take_facts(self._knowledge.facts(include=()))
        return _people(tally, [name for name in speakers if name.casefold() not in ROLES])

    def _read(
        self, here: BankSnapshot, rows: Sequence[int]
    ) -> Iterable[tuple[EpisodeRow, NamesRead]]:
        from hippocampus.language.name_signs import read_names  # noqa: PLC0415 - not for a recall

        known = here.summaries.names
        with self._store.read():
            texts = here.ledger.reader.texts([row for row in rows if row not in known])
            records = self._store.episodes.read(here.ledger.bank, rows)
        fresh = 0
        for record in pausing(records):
            check_budget()
            if record.row not in known and record.row in texts:
                if fresh >= _PIECE and patience_is_over():
                    continue
                known[record.row] = read_names(texts[record.row])
                fresh += 1
            if record.row in known:
                yield record, known[record.row]
        if len(texts) > fresh and patience_is_over():
            note_unread(self.name, "names", len(rows) - len(texts) + fresh, len(rows))


def _people(tally: _Tally, speakers: Sequence[str]) -> list[Person]:
    """Judge by all that was told, and put together what is one."""
    from hippocampus.language.name_signs import SURE, NameSigns  # noqa: PLC0415 - not for a recall
    from hippocampus.language.named_beings import (  # noqa: PLC0415 - not for a recall
        sorts_of_names,
        with_whole_names,
    )

    for name in speakers:
        # Whatever else is called so, who speaks is somebody.
        tally.add(fold_name(name), NameSigns(inside=SURE, person=4 * SURE))
        tally.spelled[fold_name(name)][name] += len(tally.rows) + 1
    tally.merge_others(set(map(fold_name, speakers)))
    summed, whole = with_whole_names(
        tally.signs, kept=set(map(fold_name, speakers)), close=tally.close
    )
    pairs = [(whole.get(one, one), whole.get(other, other)) for one, other in tally.pairs]
    sorts = sorts_of_names(summed, pairs)
    tied = {whole.get(name, name) for name, _ in tally.ties}
    called = {
        name: _spelled(name, tally)
        for name, sort in sorts.items()
        if sort in ("person", "pet") and (name in tied or not _is_acronym(name, tally))
    }
    parts: defaultdict[str, set[str]] = defaultdict(set)
    rows: defaultdict[str, set[int]] = defaultdict(set)
    for name in tally.signs:
        under = whole.get(name, name)
        rows[under] |= tally.rows[name]
        if name != under and _is_called_so(name, under):
            parts[under].add(_spelled(name, tally))
    for other, name in tally.others.items():
        parts[whole.get(name, name)].add(_spelled(other, tally))
    ties: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for (name, other), role in tally.ties.items():
        to = called.get(whole.get(fold_name(other), fold_name(other)))
        if to is not None and to != called.get(whole.get(name, name)):
            ties[whole.get(name, name)].setdefault(to, role)
    found = [
        Person(
            name=spelled, kind="pet" if sorts[name] == "pet" else "person",
            aliases=tuple(sorted(parts[name] - {spelled})),
            ties=tuple(Tie(to, role) for to, role in ties[name].items()),
            episodes=len(rows[name]),
        )
        for name, spelled in called.items()
    ]  # fmt: skip
    return sorted(found, key=lambda one: (-one.episodes, one.name))


def _is_acronym(name: str, tally: _Tally) -> bool:
    """Return whether a word is only ever written in capitals: an "LPA" is nobody."""
    from hippocampus.language.name_signs import is_given  # noqa: PLC0415 - not for a recall

    written = [one for one, times in tally.spelled[name].items() if times]
    return len(name) > 1 and not is_given(name) and all(one.isupper() for one in written)


def _is_called_so(name: str, whole: str) -> bool:
    """Return whether somebody is called by a part of their name: not "Big", and not "Craigs"."""
    from hippocampus.language.name_signs import is_title  # noqa: PLC0415 - not for a recall
    from hippocampus.language.nouns import use_of  # noqa: PLC0415 - not for a recall

    use = use_of(name)
    word = is_title(name) or name in word_set("kin") or (use.known and use.noun < NOUN)
    short = name.endswith("s") and name.removesuffix("s") in whole.split()
    return not word and not short


def _spelled(name: str, tally: _Tally) -> str:
    """Return the most frequent spelling of a name; in title case if none has a capital."""
    spelled = tally.spelled[name]
    best = max(spelled, key=lambda one: (one[:1].isupper() and not one.isupper(), spelled[one]))
    return best if best[:1].isupper() and not best.isupper() else best.title()
