"""
Relation extraction: (subject, relation, object) of "I moved from Porto to Lisbon".

Two readers fill one seam: a dependency parse of English, where its weights and spaCy are installed,
and rules over words, which need neither. The parse reads the relations in ``PARSED`` better
(``docs/adr/0048-facts-from-a-parse.md``); the others are the rules' either way. Both speak of a
relation by one name. A language model is the third (``language/statement_model.py``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, Literal, TypeAlias

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.records import Statement
from hippocampus.core.roles import MACHINE_ROLES
from hippocampus.encode.languages import ENGLISH, foreign_language
from hippocampus.encode.terms import language_of
from hippocampus.language import statement_rules
from hippocampus.language.nouns import kinds, singular
from hippocampus.language.relations import (
    ALSO_CALLED,
    FUNCTIONAL,
    SEVERAL,
    VALUES,
    is_being,
    rules,
    with_one_name,
)
from hippocampus.language.statement_times import with_times
from hippocampus.language.time import find_intervals
from hippocampus.language.told_text import ToldText

StatementReader: TypeAlias = Literal["rules", "parse"]

PARSED: Final = frozenset(
    "lives_in works_at works_as boss married_to partner child parent sibling friend pet"
    " allergic_to diet likes dislikes speaks studies_at owns drives doctor located_in".split()
)
"""Relations that the parse reads, and rules need not."""
_SENTENCE_END: Final = lazy_pattern(r"((?<=[.!?。！？])\s+|\n+)")
_LETTERS: Final = lazy_pattern(r"[^\W\d_]+")


def best_reader() -> StatementReader:
    """Return the best reader there is on this machine; loads nothing."""
    from hippocampus.language.parsed.pipeline import can_parse  # noqa: PLC0415 - only when asked

    return "parse" if can_parse() else "rules"


def who_speaks(speaker: str | None, role: str | None) -> str:
    """Return the name of "I": the speaker, their part in the talk, or the keeper of the bank."""
    return speaker or role or "user"


def who_asks(speakers: Iterable[str]) -> str:
    """Return the name of "my" in a question: the one speaker beside an assistant; "" if several."""
    people = [name for name in speakers if name.casefold() not in MACHINE_ROLES]
    return people[0] if len(people) == 1 else "" if people else who_speaks(None, None)


def find_statements(
    text: str,
    *,
    speaker: str,
    others: Sequence[str] = (),
    occurred_at: datetime,
    addressed: bool = False,
    reader: StatementReader = "rules",
) -> list[Statement]:
    """
    Return the statements of a text, each once, in order.

    Args:
        text: a turn, or a passage.
        speaker: who is "I".
        others: who else takes part; if that is one, they are "you".
        occurred_at: an aware moment, as of which "last March" is meant.
        addressed: read only sentences that speak of who talks here.
        reader: what reads them; "parse" needs its weights and spaCy.

    """
    told = ToldText(text, speaker, occurred_at, others, addressed)
    return find_in_each([told], reader)[0]


def find_in_each(told: Sequence[ToldText], reader: StatementReader) -> list[list[Statement]]:
    """Return the statements of each text; to parse several together takes half the time."""
    told = [one._replace(text=_of_english(one.text)) for one in told]
    ruled = [
        [
            with_one_name(said)
            for said in statement_rules.find_statements(
                one.text, speaker=one.speaker, others=one.others,
                occurred_at=one.occurred_at, addressed=one.addressed,
            )
        ]
        for one in told
    ]  # fmt: skip
    if reader == "rules":
        return [list(dict.fromkeys(found)) for found in ruled]
    from hippocampus.language.parsed.reader import read_parsed  # noqa: PLC0415 - needs spaCy

    return [
        _of_both(by_rules, by_parse, one.occurred_at)
        for one, by_rules, by_parse in zip(told, ruled, read_parsed(told), strict=True)
    ]


def _of_both(
    ruled: Sequence[Statement], read: Iterable[tuple[Statement, str]], at: datetime
) -> list[Statement]:
    """Return the statements of the parse, and of the rules those that are left to them."""
    # "I don't live in Oslo" is so from now on, "never lived" of all time: the rules know which.
    denied = {_told(said): said.start for said in ruled if said.mode == "denied"}
    parsed = [
        said._replace(start=denied.get(_told(said), said.start)) if said.mode == "denied" else said
        for said in (
            with_times(said, sentence, find_intervals(sentence, at, told=True), at)
            for said, sentence in read
        )
    ]
    known = {_told(said) for said in parsed}
    valued = {(said.subject, said.relation) for said in parsed if said.relation in VALUES}
    # What both read would be there twice, and the parse is the more precise one (ADR 48).
    left = [
        said for said in ruled
        if _is_left(said) and _told(said) not in known
        and (said.subject, said.relation) not in valued
    ]  # fmt: skip
    return list(dict.fromkeys([*parsed, *left]))


def _of_english(text: str) -> str:
    """Return a text without sentences surely of other languages: both readers know English."""
    foreign = _is_foreign(text)
    parts = _SENTENCE_END.split(text)  # what ends each stands after it
    for place in range(0, len(parts), 2):
        # A short sentence does not tell its language: it has that of its text then.
        if _is_foreign(parts[place]) or (foreign and language_of(parts[place]) != ENGLISH):
            parts[place] = ""
    return "".join(parts)


def _is_foreign(text: str) -> bool:
    return foreign_language(_LETTERS.findall(text.casefold())) is not None


def _is_left(said: Statement) -> bool:
    """Return whether a statement stays with the rules: not of any noun that "my" stands before."""
    relation, noun = said.relation, said.relation.rpartition("_")[2]
    if relation in PARSED:
        return False
    known = relation in SEVERAL | FUNCTIONAL | {rule.relation for rule in rules()}
    own = is_being(relation) or relation.startswith("favo") or "artifact" in kinds(singular(noun))
    return known or own


def _told(said: Statement) -> tuple[str, str, str]:
    """Return the fact of a statement; a name is what one is also called."""
    relation = ALSO_CALLED if said.relation == "name" else said.relation
    return said.subject, relation, said.object
