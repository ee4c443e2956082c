"""
Relations between a person and a thing: their names, rules that find them, which are functional.

A relation that is said by many nouns has one name: "my wife" and "my husband" are ``married_to``.
The vocabulary is open: "my dentist" makes a relation of its own.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import cache, lru_cache
from typing import Final, NamedTuple

from msgspec import convert

from hippocampus.core.records import Mode, Statement
from hippocampus.core.word_lists import pattern_list, word_list, word_set
from hippocampus.language.noun_sorts import is_work
from hippocampus.language.nouns import kinds, singular

FUNCTIONAL: Final = frozenset(
    "lives_in works_at works_as studies_at married_to partner boss doctor marital_status birthday"
    " age located_in".split()
)
"""Relations of which one holds at a time; what is "my" something, in the singular, is another."""
NARROWER: Final = {"partner": "married_to"}
"""Relations with one that is of their sort: who is married is somebody's partner, too."""
EXCLUSIVE: Final = {"likes": "dislikes", "dislikes": "likes"}
"""Relations that cannot both hold of the same."""
BY_BIRTH: Final = frozenset({"born_in", "from", "grew_up_in"})
"""Relations that hold for ever if they hold at all."""

SEVERAL: Final = frozenset(
    "likes dislikes allergic_to owns drives speaks diet name is_a sibling child parent friend pet"
    " also_called".split()
)
"""Relations of which several may hold at a time, beside those that only rules read."""
ONE_OF_DIETS: Final = frozenset(
    {"vegan", "vegetarian", "veggie", "pescatarian", "flexitarian", "plant-based"}
)
"""Diets of which one holds at a time; others, such as "gluten-free", may hold beside them."""
VALUES: Final = frozenset({"phone", "email", "birthday"})
"""Relations to a number, an address or a day."""
ALSO_CALLED: Final = "also_called"
"""The relation between a thing and another name of it."""

ALIVE: Final = "alive"
"""The relation of who lives to nothing: only its end is told, with which they are nobody's pet."""

_FORMER: Final = frozenset({"ex", "former", "late", "previous"})
FORMER_WORK: Final = frozenset({"ex", "former", "retired"})
"""Words before what somebody was by trade: "a retired baker"."""
_FORMER_ROLE: Final = frozenset({"old", "last"})
"""Words before a role, such as "boss", that say what ``_FORMER`` does before any noun."""


class Rule(NamedTuple):
    """A pattern of how a predicate begins, and its relation; ``named``: the object is a name."""

    said: re.Pattern[str]
    relation: str
    mode: Mode
    named: bool = False


@cache
def rules() -> tuple[Rule, ...]:
    """Return the rules of ``patterns/relations.txt``, in the order in which they are tried."""
    found = []
    for key, said in pattern_list("relations"):
        relation, *how = key.split()
        if how:
            # Up to the end of a word, or "own" would be read in "owner".
            pattern = re.compile(rf"(?:{said})(?: |$)", re.IGNORECASE)
            found.append(Rule(pattern, relation, convert(how[0], Mode), "named" in how))
    return tuple(found)


@cache
def _several() -> frozenset[str]:
    """Return the relations of which several may hold at a time."""
    return frozenset({rule.relation for rule in rules()} - FUNCTIONAL | SEVERAL)


def functional(relation: str) -> bool:
    """
    Return whether a relation is to one thing at a time.

    So are the ones that are known to be, and what is "my" something, unless it is a person or an
    animal, of whom one may have several.
    """
    if relation in FUNCTIONAL:
        return True
    return relation not in _several() and not is_being(relation)


def is_being(relation: str) -> bool:
    """Return whether who is "my" something by a relation is somebody close, or an animal."""
    return relation in _BEINGS or relation in word_set("kin") or "animal" in kinds(relation)


_BEINGS: Final = frozenset(
    {"married_to", "partner", "sibling", "child", "parent", "friend", "boss", "doctor", "pet"}
)


@cache
def _relation_nouns() -> Mapping[str, str]:
    split = [entry.partition(": ") for entry in word_list("relation_nouns")]
    return {noun: relation for relation, _, nouns in split for noun in nouns.split()}


@lru_cache(maxsize=1 << 12)
def relation_of(noun: str) -> str | None:
    """Return the relation that a noun in lower case stands for: "wife" is ``married_to``."""
    known = _relation_nouns()
    found = known.get(noun) or known.get(singular(noun))
    return "pet" if found is None and is_animal(noun) else found


def is_former(noun: str, before: Collection[str]) -> bool:
    """
    Return whether the words before a noun say that nobody is so any more: "my former boss".

    An old dentist is one no longer, while an old friend or cat is one still.
    """
    role = is_work(noun) or relation_of(noun) in ("boss", "doctor")
    return not _FORMER.isdisjoint(before) or (role and not _FORMER_ROLE.isdisjoint(before))


def relations_asked_by(word: str) -> frozenset[str]:
    """Return the relations that a word in lower case may ask for: "job", "married"."""
    return _relations_by_word().get(word, frozenset())


@cache
def _relations_by_word() -> Mapping[str, frozenset[str]]:
    split = [entry.partition(": ") for entry in word_list("relation_words")]
    found: defaultdict[str, set[str]] = defaultdict(set)
    for name, _, said in split:
        for word in said.split():
            found[word].add(name)
    return {word: frozenset(names) for word, names in found.items()}


@lru_cache(maxsize=1 << 14)
def asks_the_same(asked: str, told: str) -> bool:
    """
    Return whether a noun in a question and a word in a text are for one relation.

    "Manager" and "boss" are, "employer" and "work", and "spouse" and "wife"; "sister" and "brother"
    are not.
    """
    if "animal" in kinds(asked) and "animal" in kinds(told):  # a pet is a dog or a cat
        return asked == told
    if not _relations_of(asked).isdisjoint(_relations_of(told)):
        return told not in word_set("kin") or names_all_of(asked) or same_kin(asked, told)
    return same_kin(asked, told)


@lru_cache(maxsize=1 << 12)
def _relations_of(word: str) -> frozenset[str]:
    """Return the relations to people, or of work and home, that a word is for."""
    relation = relation_of(word)
    found = relations_asked_by(word) | ({relation} if relation and is_being(relation) else set())
    return found | {NARROWER[one] for one in found & NARROWER.keys()}


def names_all_of(noun: str) -> bool:
    """Return whether a noun is for all who are somebody's by its relation: "sibling", "spouse"."""
    return noun not in word_set("kin") or relation_of(noun) == noun


def same_kin(one: str, other: str) -> bool:
    """Return whether two nouns are for the same sort of kin: "dad" and "father"."""
    return _word_for(one) == _word_for(other)


def _word_for(noun: str) -> str:
    return _words_for_kin().get(noun, noun)


@cache
def _words_for_kin() -> Mapping[str, str]:
    """Return the word that stands for a sort of kin, by the others."""
    split = (entry.partition(": ") for entry in word_list("words_for_kin"))
    return {other: word for word, _, others in split for other in others.split()}


def is_animal(noun: str) -> bool:
    """Return whether a noun in lower case is an animal's, and no person's."""
    above = kinds(singular(noun))
    return "animal" in above and "person" not in above


def with_one_name(said: Statement) -> Statement:
    """Return a statement by the one name of its relation: of "sister", ``sibling``."""
    relation = relation_of(said.relation)
    if relation is None or relation == said.relation:
        return said
    return said._replace(relation=relation, noun=said.relation)
