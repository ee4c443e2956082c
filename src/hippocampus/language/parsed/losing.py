"""
Losses of who is told of by name alone: "Rex died", "we had to put Rex down", "we lost Rex".

Whose they were is told elsewhere, if at all: the fact that they were somebody's pet ends by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from hippocampus.core.records import Statement
from hippocampus.core.word_lists import word_set
from hippocampus.language.parsed.clauses import Clause, child, children
from hippocampus.language.parsed.kin import kin_of
from hippocampus.language.parsed.names import WITHIN, is_date, is_proper, words_of
from hippocampus.language.parsed.referents import FIRST, Referents
from hippocampus.language.relations import ALIVE

if TYPE_CHECKING:
    from spacy.tokens import Token

_DYING: Final = frozenset({"die", "pass"})
"""Verbs of dying, whose subject is lost; the others have the lost one as their object."""


def tell_loss(clause: Clause, _: Referents) -> Iterator[Statement]:
    """Yield that somebody lives no more, or with nobody of here."""
    lost = _lost(clause)
    if lost is None or not is_proper(lost) or is_date(lost):
        return
    # Of "our cat Rex died" it is told whose he was.
    beside = any(kin_of(one) is not None for one in children(lost, *WITHIN, "appos"))
    mode = clause.mode("ended")
    if mode == "ended" and not beside:
        yield Statement(words_of(lost), ALIVE, "", mode)


def _lost(clause: Clause) -> Token | None:
    """Return the one that is lost: the subject of "died", the object of "we lost"."""
    verb, behind = clause.verb, {one.lower_ for one in clause.verb.children}
    put = clause.lemma == "put" and ("down" in behind or _is_put_to_sleep(verb))
    if not put and clause.lemma not in word_set("losing_verbs"):
        return None
    if clause.lemma in _DYING:
        return clause.subject if clause.lemma != "pass" or "away" in behind else None
    if child(verb, "auxpass") is not None:
        return clause.subject
    # "We lost Rex in the park" may find him there.
    ours = clause.subject is None or clause.subject.lower_ in FIRST
    lasting = put or child(verb, "prep") is None
    return child(verb, "dobj") if ours and lasting else None


def _is_put_to_sleep(verb: Token) -> bool:
    return any(one.lower_ == "sleep" for one in verb.subtree)
