"""
Which episodes tell what a question asks for, and which tell only what is over.

"Where do I live?" is answered by the turn that says where one moved to, however alike the question
is to the turn that says where one lived before. Only what is of one thing at a time is weighed so,
and not where the question asks for the past.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import tzinfo
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from hippocampus._clock import from_micros
from hippocampus.encode.entities import fold_name
from hippocampus.encode.facts import find_statements, who_speaks
from hippocampus.encode.relations import KIN, functional
from hippocampus.encode.terms import FUNCTION_WORDS, find_terms, stem
from hippocampus.index.base import Mask, Question, Rows
from hippocampus.index.columns import Columns
from hippocampus.index.graph import Statements
from hippocampus.recall.facts import Told, know
from hippocampus.recall.spread import Read

_WORDS: Final = {
    "lives_in": "live lives lived living reside based home move moved",
    "works_at": "work works worked working job employer company employed",
    "works_as": "job profession occupation",
    "studies_at": "study school university college",
    "married_to": "married husband wife spouse marry",
    "marital_status": "married single divorced engaged marital",
    "birthday": "birthday",
}
_ABOUT: Final = {
    word: frozenset(name for name, words in _WORDS.items() if word in words.split())
    for words in _WORDS.values()
    for word in words.split()
}
_PAST: Final = re.compile(
    r"\b(?:before|used to|previous(?:ly)?|former(?:ly)?|ever|first|originally|earlier|back then|old"
    r"|did|was|were|had|ago|when|how long|why|how many)\b",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(
    r"^\W*(?:so |and |hey |remind me |tell me |do you know )*"
    r"(?:where|what|who|which|whom|at which|in which|for whom)\b",
    re.IGNORECASE,
)
_OWN: Final = re.compile(r"\b(?:my|our)\s+(?:\w+\s+)?(?P<what>\w+)", re.IGNORECASE)


class Asked(NamedTuple):
    """The relations a question may ask for, and of whom: by name, as "I", as somebody's kin."""

    relations: frozenset[str]
    names: frozenset[str]
    own: bool
    kin: frozenset[str]

    def fits(self, relation: str) -> bool:
        """Return whether a relation is one that is asked for, and to one thing at a time."""
        last = stem(relation.rpartition("_")[2])
        return relation in self.relations or (last in self.relations and functional(relation))


class Standing(NamedTuple):
    """Rows that tell what is so, and those that only tell what is over, with since when it is."""

    current: frozenset[int]
    over: Mapping[int, int]


Tell: TypeAlias = Callable[[Asked, Rows, Mask | None], Standing | None]
"""Says how things stand with what is asked for, as far as a read may see it: by what is known,
and by some rows."""


def read_asked(question: Question) -> Asked | None:
    """Return what fact a question asks for; None where it asks for none, or for the past."""
    text = question.text
    if not _ASKS.search(text) or question.intervals or _PAST.search(text):
        return None
    words = [text[term.start : term.end].casefold() for term in find_terms(text)]
    relations = {name for word in words for name in _ABOUT.get(word, ())}
    relations |= {stem(found["what"].casefold()) for found in _OWN.finditer(text)}
    own = not {"i", "my", "me", "our", "we"}.isdisjoint(words)
    names = frozenset(word.partition("'")[0] for word in words if word not in FUNCTION_WORDS)
    if not relations or not (own or names):
        return None
    return Asked(frozenset(relations), names, own, KIN & frozenset(words))


class Bearing(NamedTuple):
    """What facts are told from: what was read, and the rows and texts of which nothing was."""

    known: Statements
    columns: Columns
    read: Read
    zone: tzinfo

    def look(self, asked: Asked, rows: Rows, allowed: Mask | None) -> Standing | None:
        """Say how things stand; of rows that nobody has read yet, only those given are."""
        known, columns = self.known, self.columns
        fit = [name for name in known.telling if asked.fits(name) or name in asked.kin]
        found = {row: known.rows[row] for name in fit for row in known.telling[name]}
        fresh = {row for row in rows.tolist() if row >= known.length}
        speakers = {row: self._speaker(row) for row in (*found, *fresh) if row < len(columns)}
        shown = {row for row in speakers if allowed is None or allowed[row]}
        times = dict(
            zip(
                speakers, columns.said_at(np.array(list(speakers), np.uint32)).tolist(), strict=True
            )
        )
        for row, text in self.read(fresh & shown).items():
            at = from_micros(times[row]).astimezone(self.zone)
            found[row] = tuple(find_statements(text, speaker=speakers[row], said_at=at))
        told = (
            Told(row, times[row], times[row], said)
            for row in sorted(shown & found.keys())
            for said in found[row]
        )
        return standing(asked, told, speakers)

    def _speaker(self, row: int) -> str:
        speaker, role = (
            labels.values[code] if (code := int(labels.codes[row])) >= 0 else None
            for labels in (self.columns.speaker, self.columns.role)
        )  # fmt: skip
        return who_speaks(speaker, role)


def standing(asked: Asked, told: Iterable[Told], speakers: Mapping[int, str]) -> Standing | None:
    """
    Return which rows tell what is asked for; None where that is nothing, or of several people.

    Args:
        asked: what is asked for.
        told: statements, of any relation, that the read may see.
        speakers: who is "I" in each of their rows.

    """
    told = list(told)
    owned = {fold_name(one.statement.object) for one in told if one.statement.relation in asked.kin}

    def meant(one: Told) -> bool:
        subject = fold_name(one.statement.subject)
        if asked.kin:
            return subject in owned or any(subject.endswith(f"'s {kin}") for kin in asked.kin)
        if asked.own:
            return subject == fold_name(speakers[one.row])
        return subject.split()[0] in asked.names

    about = [
        one for one in told
        if asked.fits(one.statement.relation) and meant(one)
    ]  # fmt: skip
    if not about or len({fold_name(one.statement.subject) for one in about}) > 1:
        return None
    facts = know(about, {})
    current = {row for fact in facts if fact.valid_to is None for row in fact.rows}
    over = {
        row: fact.valid_to
        for fact in facts if fact.valid_to is not None
        for row in fact.rows if row not in current
    }  # fmt: skip
    return Standing(frozenset(current), over) if current else None
