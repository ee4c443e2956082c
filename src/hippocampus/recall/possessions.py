"""
Possessions: "our landlord's email" is told by what names him and an email, not one of them alone.

Nearest to such a question is often what tells whose he is ("our landlord is Mr Petrov"), or another
one's email. Of the best hits, the first that names both the owner, by any known name, and what is
asked of them leads.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from hippocampus.core.arrays import Floats
from hippocampus.encode.terms import Term, hash_terms
from hippocampus.index.query import Query
from hippocampus.kernel import top_k
from hippocampus.language.nouns import singular
from hippocampus.language.relations import is_being, relation_of
from hippocampus.recall.propose import Search
from hippocampus.recall.scored import Scored
from hippocampus.recall.spreading_activation import ReadTexts

_LOOKED_AT: Final = 8
"""Best rows that are read: a question with an owner costs so many readings (docs/adr/0063)."""
_REACH: Final = 7.0
"""Standard deviations behind the best one up to which a row may lead: as far as the smallest
context reaches (docs/adr/0047)."""
_REACH_OF_NAMED: Final = 15.0
"""The same where the owner's name is not in the question: the row has few of its words. Set by
hand; the rule was made on twenty questions of our own (docs/adr/0063)."""
_READ: Final = 4000
"""Characters of a text that are read: a bound on what eight long texts cost, set by hand."""
_NAMING: Final = frozenset({"name", "names", "called", "call"})


class _Asked(NamedTuple):
    """Words by which the owner may be named, and the words of the thing that is theirs."""

    owner: frozenset[int]
    thing: tuple[frozenset[int], ...]
    """The hashes of each word, in any of its forms."""
    reach: float
    """Standard deviations behind the best one up to which a row may lead."""


def gain_of_possession(search: Search, scored: Scored, read: ReadTexts) -> Floats | None:
    """Return the gain by which the best row that names owner and thing leads, if it does not."""
    asked = _asked(search.query)
    if asked is None or len(scored.rows) < 2:
        return None
    best = top_k(scored.scores, _LOOKED_AT)
    best = best[scored.scores[best] >= scored.scores.max() - np.float32(asked.reach)]
    rows = scored.rows[best]
    ours = ~search.index.columns.role.holds("assistant", rows.astype(np.intp))
    texts = read(rows.tolist())
    for place, row, own in zip(best.tolist(), rows.tolist(), ours.tolist(), strict=True):
        words = _words(texts.get(row, ""))
        if own and not asked.owner.isdisjoint(words) and _has_most(words, asked.thing):
            return None if place == best[0] else scored.lead(place)
    return None


def asks_only_who(query: Query) -> bool:
    """Return whether a fact that is asked for is but who somebody is: of "Ada's dog's food"."""
    return query.fact is not None and all(map(_is_someone, query.fact.relations))


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[int]:
    """Return the hashes of a text's words, as they are looked up by."""
    return frozenset(hash_terms(text[:_READ]).tolist())


def _has_most(words: Collection[int], thing: Collection[frozenset[int]]) -> bool:
    return 2 * sum(not forms.isdisjoint(words) for forms in thing) >= len(thing)


def _asked(query: Query) -> _Asked | None:
    """Return the owner and the thing that a question asks for; None if it asks for none."""
    if not query.possessives or "list" in query.intents or query.intervals or query.speakers:
        return None  # who speaks tells of their own without naming themselves
    last = query.possessives[-1]
    people = [word for word in last.what if _is_someone(word)]
    things = [word for word in last.what if word not in people]
    named_only = bool(people) or last.of is not None
    owner = query.known_as if named_only else frozenset[int]().union(*_forms(query, [last.owner]))
    if things:
        reach = _REACH_OF_NAMED if named_only else _REACH
        return _Asked(owner, _forms(query, things), reach) if owner else None
    said = {word.casefold() for one in query.possessives for word in (one.owner, *one.what)}
    rest = [
        spelled for word in query.words
        if not word.function and not said.intersection(_spellings(query, word))
        and (spelled := query.spelled(word)).lower() not in _NAMING
    ]  # fmt: skip
    return _Asked(query.known_as, _forms(query, rest), _REACH_OF_NAMED) if owner and rest else None


def _is_someone(word: str) -> bool:
    one = singular(word.casefold())
    return is_being(relation_of(one) or one)


def _forms(query: Query, words: Collection[str]) -> tuple[frozenset[int], ...]:
    """Return the hashes of some of a question's words of content, each in all its forms."""
    wanted = {word.casefold() for word in words}
    return tuple(
        frozenset({term.hash, *term.forms}) for term in query.words
        if not term.function and wanted.intersection(_spellings(query, term))
    )  # fmt: skip


def _spellings(query: Query, term: Term) -> tuple[str, str]:
    """Return a word of a question as it is spelled, and without the mark of an owner."""
    spelled = query.spelled(term).casefold().replace("’", "'")
    return spelled, spelled.removesuffix("'s").removesuffix("'")
