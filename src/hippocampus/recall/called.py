"""
The other names of what a question names: "the boat trip" is Heron, "Ana's sister" is Mia.

Somebody said so once, and whoever tells of it later may use either. So what either calls up counts
(``index/concept.py``).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple

from hippocampus.encode.entities import fold_name
from hippocampus.encode.nouns import singular
from hippocampus.encode.phrases import key_of
from hippocampus.encode.relations import ALSO_CALLED
from hippocampus.index.base import Mask, Question
from hippocampus.index.graph import Statements

_MOST: Final = 3
"""Names of one thing; what has more has none."""
_WHOSE: Final = re.compile(r"(?P<owner>[^\W\d_][\w-]*)['’]s (?P<what>[\w-]+(?: [\w-]+){0,2})")
_SO: Final = ("holds", "began")


class _Other(NamedTuple):
    """The key of another name, and the row that says so."""

    key: int
    row: int


@dataclass(frozen=True, eq=False)
class OtherNames:
    """What is known to go by several names, by what was said of it."""

    known: Statements

    @cached_property
    def _named(self) -> Mapping[int, Sequence[_Other]]:
        """The other names of things, by the key of one."""
        found: defaultdict[int, list[_Other]] = defaultdict(list)
        for row in self.known.telling.get(ALSO_CALLED, ()):
            for said in self.known.rows[row]:
                if said.relation == ALSO_CALLED and said.mode in _SO:
                    thing, name = key_of(said.subject), key_of(said.object)
                    found[thing].append(_Other(name, row))
                    found[name].append(_Other(thing, row))
        return found

    @cached_property
    def _owned(self) -> Mapping[tuple[str, str], Sequence[_Other]]:
        """The names of people, by whose they are and what."""
        found: defaultdict[tuple[str, str], list[_Other]] = defaultdict(list)
        for row, said in self.known.rows.items():
            for one in said:
                if one.object[:1].isupper() and one.mode in _SO:
                    owner = fold_name(one.subject), one.relation
                    found[owner].append(_Other(key_of(one.object), row))
        return found

    def widen(self, question: Question, allowed: Mask | None) -> Question:
        """Let a question name what it names by its other names, too, as far as a read may know."""
        phrases = dict(question.phrases)
        for match in _WHOSE.finditer(question.text):
            owner = fold_name(match["owner"])
            for word in match["what"].split():
                people = self._seen(self._owned.get((owner, singular(word.casefold())), ()), allowed)
                if people:  # whose they are says who is meant, and nothing more
                    said = {key_of(match["owner"]), key_of(word)}
                    places = {place for key in said for place in phrases.get(key, ())}
                    phrases = {
                        key: at for key, at in phrases.items()
                        if key not in said and not (at and places.issuperset(at))
                    }  # fmt: skip
                    phrases |= dict.fromkeys(people, tuple(sorted(places)))
        for key in question.phrases:
            for other in self._seen(self._named.get(key, ()), allowed):
                phrases.setdefault(other, ())
        others = phrases.keys() - question.phrases.keys()
        if not others:
            return question
        return replace(question, phrases=phrases, known=question.known | others)

    def _seen(self, others: Sequence[_Other], allowed: Mask | None) -> set[int]:
        keys = {
            other.key for other in others
            if allowed is None or (other.row < len(allowed) and allowed[other.row])
        }
        return keys if len(keys) <= _MOST else set()
