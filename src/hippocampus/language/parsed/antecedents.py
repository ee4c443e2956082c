"""
Antecedents of "his", "her" and "their" within a sentence of a dependency parse.

Whom a possessive pronoun is joined to it means: "Ada and her son". Else it may mean whoever was
told of before it in the sentence, but for who is of the other sex; several are in doubt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from hippocampus.language.given_names import is_person
from hippocampus.language.noun_sorts import is_someone
from hippocampus.language.nouns import kinds, singular
from hippocampus.language.parsed.clauses import child, children
from hippocampus.language.parsed.names import WITHIN, is_date, is_proper

if TYPE_CHECKING:
    from spacy.tokens import Token

Sex: TypeAlias = Literal["male", "female"]

_SEXES: Final[tuple[tuple[Sex, frozenset[str]], ...]] = (
    ("male", frozenset("he him his mr male man kinsman husband father dad grandfather".split())),
    ("female", frozenset("she her mrs ms female woman kinswoman mother mum mom".split())),
)
"""Words, and words in the names of WordNet's kinds of a noun, that tell a sex."""
_SPOKEN_OF: Final = frozenset({"he", "she", "him", "her", "they", "them"})


def antecedents(pronoun: Token) -> list[Token]:
    """
    Return the names, nouns and pronouns of its sentence that a possessive pronoun may stand for.

    Who only owns something counts if nobody else is told of.
    """
    owned = _last_word(pronoun.head)
    partner = _joined_to(owned)
    if partner is not None and _agree(pronoun, partner):
        return [partner]
    explained = owned.head if owned.dep_ == "appos" else None  # "Ada, his wife"
    before = [
        one for one in pronoun.sent
        if one.i < pronoun.i and one != explained and _is_somebody(one) and _agree(pronoun, one)
    ]  # fmt: skip
    if pronoun.lower_ == "their":
        # Of names joined to each other the first stands for all of them.
        before = [one for one in before if one.dep_ != "conj"] or before
    return [one for one in before if one.dep_ != "poss"] or before


def _last_word(noun: Token) -> Token:
    """Return the word on which a noun before a name hangs: "Rex" of "her dog Rex"."""
    return noun.head if noun.dep_ in WITHIN and is_proper(noun.head) else noun


def _joined_to(noun: Token) -> Token | None:
    """Return the people joined to a noun by "and": of "Ada, her son Tom and her dog", too."""
    if noun.dep_ == "conj" and noun.head.pos_ in ("NOUN", "PROPN"):
        return noun.head
    if noun.dep_ != "appos" or not is_proper(noun.head):
        return None
    listed = any(is_proper(one) for one in children(noun, "appos"))
    return noun.head if listed else None


def _is_somebody(token: Token) -> bool:
    """Return whether a token stands for somebody: he, a name, or a noun such as "the neighbour"."""
    if token.lower_ in _SPOKEN_OF:
        return token.dep_ != "poss"
    if token.dep_ in WITHIN or token.dep_ == "npadvmod":
        return False
    if is_proper(token):
        return not is_date(token) and (_is_told_of(token) or is_person(token.text))
    noun = token.pos_ == "NOUN" and is_someone(token.text)
    return noun and child(token, "det", "poss") is not None


def _is_told_of(name: Token) -> bool:
    """Return whether a name stands where somebody is told of, and no place: not "in Leeds"."""
    while name.dep_ in ("conj", "appos") and name.head.i < name.i:
        name = name.head
    return name.dep_ != "pobj" or name.head.lower_ == "with"  # who comes along is told of


def _agree(pronoun: Token, one: Token) -> bool:
    """Return whether two words may mean the same, by the sex that they tell."""
    sex, other = _sex(pronoun), _sex(one)
    return sex is None or other is None or sex == other


def _sex(token: Token) -> Sex | None:
    """Return the sex that a pronoun, a noun, or what stands before a name tells."""
    words = {token.lower_.rstrip(".")}
    if is_proper(token):
        near = [*children(token, "compound", "nmod"), token.head]
        beside = [one for one in near if one.pos_ == "NOUN" or one.lower_.rstrip(".") in _TITLES]
        explains = token.dep_ == "appos"
        words |= {one.lower_.rstrip(".") for one in beside if explains or one != token.head}
    if token.lower_ not in _SPOKEN_OF:
        words |= {part for word in words for part in _words_above(word)}
    return _told_by(words)


def sex_of_noun(noun: str) -> Sex | None:
    """Return the sex that a noun in lower case tells: "dad", "daughter"; None if none."""
    return _told_by({noun, *_words_above(noun)})


def _words_above(noun: str) -> set[str]:
    return {part for kind in kinds(singular(noun)) for part in kind.split()}


def _told_by(words: set[str]) -> Sex | None:
    found = [sex for sex, telling in _SEXES if not telling.isdisjoint(words)]
    return found[0] if len(found) == 1 else None


_TITLES: Final = frozenset({"mr", "mrs", "ms"})
