"""
Beginning of a summary: facts that hold now as short sentences, and plans, with days.

Facts are those of who speaks in the bank, of relations that have a sentence
(``words/relation_sentences.txt``). A plan is a whole sentence of somebody, quoted, that tells a
time which is still to come.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, tzinfo
from functools import cache
from typing import Final, NamedTuple, Protocol

from hippocampus.core.clock import from_micros, in_zone, to_micros
from hippocampus.core.roles import MACHINE_ROLES
from hippocampus.core.word_lists import word_list, word_set
from hippocampus.encode.tokens import count
from hippocampus.language.entity_linking import fold_name
from hippocampus.language.equivalence import say_about_the_same
from hippocampus.language.relations import functional
from hippocampus.language.time import find_told
from hippocampus.language.whole_sentences import whole_sentences
from hippocampus.sleep.summary import SENTENCE, QuotableClause, short_name

_FACT_TOKENS: Final = 34
"""Most tokens of facts, somewhat more than half of a summary's 60: the rest is of what is planned,
and was done last. Set by hand."""
_PLANS: Final = 2
"""Plans that are told, the nearest ones (docs/adr/0054): more would leave no room for what was
done."""
PLANNERS: Final = 40
"""Rows that tell of a time to come, at most, the last ones: each is read for its times. Set by
hand."""
_LONGEST_VALUE: Final = 40
"""Characters of what a fact is of: what is longer is no name or thing, but a piece cut out of a
sentence. Set by hand."""
_VALUE: Final = re.compile(r"\w[\w'’.&/ -]*\Z")


class StandingFact(Protocol):
    """A fact as it stands, in microseconds since 1970; ``recall/fact_timeline.py`` has them."""

    subject: str
    relation: str
    object: str
    valid_from: int | None
    rows: list[int]
    denied: bool

    def holds(self, at: int) -> bool:
        """Return whether it holds at a moment."""
        ...


class Planned(NamedTuple):
    """A row that may tell of a plan: when it was said, by whom, and its text."""

    row: int
    at: int
    who: str
    text: str


@cache
def _sentences() -> Mapping[str, str]:
    return dict(line.split(": ", 1) for line in word_list("relation_sentences"))


def state_facts(
    facts: Iterable[StandingFact], people: Collection[str], now: datetime
) -> list[QuotableClause]:
    """
    Return the facts that hold now as sentences, the most telling first.

    Args:
        facts: as they stand.
        people: whose facts are told.
        now: the present moment.

    """
    at = to_micros(now)
    known = {fold_name(name): name for name in people if name.casefold() not in MACHINE_ROLES}
    stated: defaultdict[tuple[str, str], list[StandingFact]] = defaultdict(list)
    for fact in facts:
        said = fold_name(fact.subject) in known and fact.relation in _sentences()
        if said and fact.holds(at) and not fact.denied and _is_value(fact.object):
            stated[fact.relation, fact.subject].append(fact)
    order = list(_sentences())
    found: list[QuotableClause] = []
    spent = 0
    for (relation, subject), of in sorted(stated.items(), key=lambda one: order.index(one[0][0])):
        clause = _statement(relation, known[fold_name(subject)], of, now.tzinfo)
        spent += clause.tokens
        # An end and no gap: relations come in the order in which they tell most.
        if spent > _FACT_TOKENS:
            break
        found.append(clause)
    return found


def _statement(
    relation: str, subject: str, facts: Sequence[StandingFact], zone: tzinfo | None
) -> QuotableClause:
    if functional(relation):
        facts = [max(facts, key=lambda fact: fact.rows[-1])]
    what = ", ".join(dict.fromkeys(fact.object for fact in facts))
    text = _sentences()[relation].format(who=short_name(subject), what=what)
    since = [fact.valid_from for fact in facts]
    if len(facts) == 1 and since[0] is not None:
        text += f" (since {in_zone(from_micros(since[0]), zone):%Y-%m-%d})"
    last = max(facts, key=lambda fact: fact.rows[-1])
    return QuotableClause(last.rows[-1], since[0] or 0, subject, text, count(text) + 1, 0.0)


def _is_value(value: str) -> bool:
    """Return whether what a fact is of reads like a name or a thing, not like a piece cut out."""
    return (
        0 < len(value) <= _LONGEST_VALUE
        and _VALUE.match(value) is not None
        and value.casefold() not in word_set("function_words")
    )


def quote_plans(rows: Iterable[Planned], now: datetime, zone: tzinfo) -> list[QuotableClause]:
    """
    Return the nearest plans, each a whole sentence of somebody behind the day that it tells.

    Args:
        rows: what tells of a time to come.
        now: the present moment.
        zone: where days begin.

    """
    found: list[tuple[datetime, QuotableClause]] = []
    for row, at, who, text in sorted(rows, key=lambda one: -one.at)[:PLANNERS]:
        for sentence in whole_sentences(text, SENTENCE):
            times = find_told(sentence.text, from_micros(at), zone)
            starts = [one.start for one in times if one.start is not None and one.start > now]
            alike = (say_about_the_same(sentence.text, other.text) for _, other in found)
            if not starts or any(alike):
                continue
            day = f"{in_zone(min(starts), zone):%Y-%m-%d}"
            said = f"Plan for {day}, {short_name(who)}: " if who else f"Plan for {day}: "
            quoted = said + sentence.text
            found.append(
                (min(starts), QuotableClause(row, at, who, quoted, count(quoted) + 1, 0.0))
            )
    found.sort(key=lambda one: one[0])
    return [clause for _, clause in found[:_PLANS]]
