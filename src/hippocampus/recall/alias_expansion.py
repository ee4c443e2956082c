"""
Alias expansion: a question is also asked by the other names of the things and people in it.

"The boat trip" is Heron, "Ana's sister" is Mia: somebody said so once, and later episodes use
either name (``docs/adr/0035-other-names.md``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from hippocampus.core.altered import altered
from hippocampus.encode.terms import find_terms
from hippocampus.index.cue import Mask
from hippocampus.index.graph import Statements
from hippocampus.index.query import Query
from hippocampus.language.entity_linking import fold_name
from hippocampus.language.noun_phrases import key_of
from hippocampus.language.nouns import singular
from hippocampus.language.relations import ALSO_CALLED, is_being
from hippocampus.recall.described import Descriptions

_SO: Final = ("holds", "began")
_MOST: Final = 3
"""Names that one thing may have, or people that one may be; of more, none is meant, for the name
says too little (docs/adr/0035)."""


class _Name(NamedTuple):
    """A name of something, the row that tells of it, and whether it goes by it since."""

    name: str
    row: int
    holds: bool


_Names: TypeAlias = Sequence[_Name]


@dataclass(frozen=True, eq=False)
class Aliases:
    """Things and people with several names, read off statements; valid until these change."""

    known: Statements

    @cached_property
    def _of_things(self) -> Mapping[int, _Names]:
        """The other names of things, by the key of one."""
        found: defaultdict[int, list[_Name]] = defaultdict(list)
        for row in self.known.telling.get(ALSO_CALLED, ()):
            for said in self.known.rows[row]:
                if said.relation == ALSO_CALLED and said.object:
                    holds = said.mode in _SO
                    found[key_of(said.subject)].append(_Name(said.object, row, holds))
                    found[key_of(said.object)].append(_Name(said.subject, row, holds))
        return found

    @cached_property
    def _of_people(self) -> Mapping[tuple[str, str], _Names]:
        """The names of people, and of pets, by whose they are and what."""
        found: defaultdict[tuple[str, str], list[_Name]] = defaultdict(list)
        for relation, rows in self.known.telling.items():
            for row in rows if is_being(relation) else ():
                for said in self.known.rows[row]:
                    if said.relation == relation:
                        name = _Name(said.object, row, said.mode in _SO)
                        found[fold_name(said.subject), said.word].append(name)
        return found

    def widen(
        self,
        question: Query,
        allowed: Mask | None,
        asker: str = "",
        described: Descriptions | None = None,
    ) -> Query:
        """
        Return the query with the other names that ``allowed`` rows tell; None allows all.

        ``asker``: who says "my", if that is one person. ``described``: looks for people that no
        statement knows.
        """
        phrases, names, owners = dict(question.phrases), set[str](), set[str]()
        meant: list[set[str]] = []
        for whose in question.possessives:
            mine = [asker] if asker else []
            given = [whose.owner] if whose.owner else mine
            folded = {
                fold_name(owner) for owner in (given if whose.of is None else meant[whose.of])
            }
            meant.append(set())
            for word, owner in product(whose.what, sorted(folded)):
                known = self._of_people.get((owner, singular(word.casefold())), ())
                people = _told(known, allowed)
                if not people and described is not None and (whose.owner or whose.of is not None):
                    people = described.of(owner, word.casefold())
                if people:  # whose they are only says who is meant
                    _replace(phrases, (key_of(whose.owner or "my"), key_of(word)), people)
                    names |= people
                    owners.add(owner)
                    meant[-1] |= people
        for key in question.phrases:
            things = _told(self._of_things.get(key, ()), allowed)
            phrases |= {key_of(name): phrases.get(key_of(name), ()) for name in things}
            names |= things
        if not names:
            return question
        said = {term.hash for name in names for term in find_terms(name) if not term.function}
        terms = np.array(sorted(said.difference(question.terms.tolist())), np.uint32)
        whole = np.ones(len(terms), np.float32)
        less = question.term_discounts
        return altered(
            question,
            known_as=_forms(meant),
            terms=np.concatenate([question.terms, terms]),
            term_weights=np.append(question.term_weights, whole),
            term_discounts=None if less is None else np.append(less, whole),
            phrases=phrases,
            definite=question.definite | {key_of(name) for name in names},
            speakers=frozenset(
                name for name in question.speakers if fold_name(name.split()[0]) not in owners
            ),
        )


def _told(names: _Names, allowed: Mask | None) -> set[str]:
    """Return the names in force, by rows that the read may see; none if there are too many."""
    told = set[str]()
    for name, row, holds in names:
        if allowed is not None and not (row < len(allowed) and allowed[row]):
            continue
        if holds:
            told.add(name)
        elif name:
            told.discard(name)
        else:  # there is nobody any more
            told.clear()
    return told if len(told) <= _MOST else set()


def _replace(phrases: dict[int, tuple[int, ...]], said: tuple[int, ...], people: set[str]) -> None:
    """Replace possessive phrases, and all phrases within them, by the people they mean."""
    places = {place for key in said for place in phrases.get(key, ())}
    for key, at in list(phrases.items()):
        if key in said or (at and places.issuperset(at)):
            del phrases[key]
    phrases |= {key_of(name): tuple(sorted(places)) for name in people}


def _forms(meant: Iterable[set[str]]) -> frozenset[int]:
    """Return the hashes of the words of names, in all their forms."""
    words = (term for names in meant for name in names for term in find_terms(name))
    return frozenset(h for term in words if not term.function for h in (term.hash, *term.forms))
