"""Facts of diet: what somebody eats, cannot have, and has given up ("no longer drinks tea")."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from hippocampus.core.records import Mode, Statement
from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.language.noun_sorts import is_body_part, is_eaten, is_food
from hippocampus.language.parsed.clauses import (
    Clause,
    auxiliaries,
    child,
    children,
    joined,
    negation,
)
from hippocampus.language.parsed.names import is_proper, words_of
from hippocampus.language.parsed.referents import Referents

if TYPE_CHECKING:
    from spacy.tokens import Token

_RE: Final = Patterns("parsed")
_CONSUMING: Final = frozenset({"eat", "drink", "have", "touch", "consume"})
_PARTLY: Final = frozenset(
    "only just always even mostly mainly usually often really both regularly".split()
)
"""Adverbs with which something is no longer so in part."""
_EATING: Final = frozenset({"eat", "keep", "go", "turn", "become", "stay"})


def tell_unable(clause: Clause, _: Referents) -> Iterator[Statement]:
    """Yield the statements of "can't stand golf" and "can't eat nuts"."""
    verb, who, thing = clause.verb, clause.who, child(clause.verb, "dobj")
    if not auxiliaries(verb) & {"can", "ca"} or not negation(verb) or who is None or thing is None:
        return
    if clause.lemma in ("stand", "bear", "abide"):
        yield Statement(who, "dislikes", words_of(thing))
    # "Can't get enough of it" denies by its form, and says the opposite.
    elif clause.lemma == "get" and thing.lower_ == "enough":
        for one in children(thing, "prep"):
            liked = child(one, "pobj")
            if liked is not None:
                yield Statement(who, "likes", words_of(liked))
    elif clause.lemma in ("eat", "have", "touch", "do") and _is_ill(verb):
        for one in joined(thing):
            if one.pos_ != "PRON" and not is_proper(one):
                yield Statement(who, "allergic_to", words_of(one))


def _is_ill(verb: Token) -> bool:
    """Return whether what is around a verb speaks of an allergy, or of what happens to a body."""
    return _RE.ill.search(verb.doc.text) is not None or any(
        is_body_part(one.text) and child(one, "poss") is not None for one in verb.doc
    )


def tell_eating(clause: Clause, _: Referents) -> Iterator[Statement]:
    """Yield the diet that somebody keeps, and the foods they have given up."""
    verb, who = clause.verb, clause.who
    if who is None:
        return
    for noun in (one for one in verb.subtree if one.lower_ == "diet"):
        for kind in children(noun, "amod", "compound"):
            if kind.lower_ in word_set("diets"):
                yield Statement(who, "diet", kind.text, clause.mode("state"))
    if clause.lemma in _EATING:
        diet = next((one for one in verb.children if one.lower_ in word_set("diets")), None)
        going = clause.lemma in ("go", "turn", "become") or (
            clause.lemma == "eat" and "since" not in verb.sent.text
        )
        if diet is not None:
            yield Statement(who, "diet", diet.text, clause.mode("began" if going else "state"))
    mode = clause.mode("state")
    if clause.lemma in _CONSUMING and (mode == "ended" or _is_shunned(clause)):
        yield from _given_up(clause, who, mode)


def _is_shunned(clause: Clause) -> bool:
    """Return whether somebody does not eat or drink something now: "don't", and not "didn't"."""
    now = auxiliaries(clause.verb) <= {"do", "does"}
    chosen = clause.lemma in ("eat", "drink") and clause.verb.tag_ in ("VB", "VBP", "VBZ")
    asked = clause.subject is None  # "Don't eat the cake"
    return now and chosen and not asked and clause.mode("state") == "denied"


def _given_up(clause: Clause, who: str, mode: Mode) -> Iterator[Statement]:
    """Yield the food that "no longer eats" and "stopped drinking" end, wholly and for good."""
    verb, thing = clause.verb, child(clause.verb, "dobj")
    if thing is None or not _PARTLY.isdisjoint(one.lower_ for one in verb.lefts):
        return
    things = list(joined(thing))
    behind = thing.doc[things[-1].i + 1 : thing.sent.end].text
    # Behind "stopped" a time says when that was, and not when one does not eat it.
    if verb.tag_ == "VBG":
        whole = _RE.stopped.match(behind) is not None
    else:
        whole = clause.lemma != "have" and _RE.whole.match(behind) is not None
    for one in things if whole else ():
        if _is_eaten(one, clause.lemma) and is_in_general(one):
            yield Statement(who, "diet", words_of(one, adjectives=True), mode)


def _is_eaten(thing: Token, lemma: str) -> bool:
    """Return whether a noun is of a food; what somebody eats or drinks is, if it can be one."""
    chosen = lemma in ("eat", "drink") and thing.pos_ == "NOUN"
    return is_eaten(thing.text) if chosen else is_food(thing.text)


def is_in_general(thing: Token) -> bool:
    """Return whether a noun means all of it, for good: not "your cheese", "meat for Lent"."""
    before = {one.lower_ for one in thing.lefts}
    brief = _RE.for_once.match(thing.doc[thing.i + 1 : thing.sent.end].text)
    return (
        child(thing, "poss") is None
        and before.isdisjoint(_PARTLY | word_set("partial_determiners"))
        and not brief
    )
