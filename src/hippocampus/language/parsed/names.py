"""Names in a dependency parse: which tokens are one, which are of a day, and all of its words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hippocampus.core.word_lists import word_set
from hippocampus.language.given_names import is_person
from hippocampus.language.noun_sorts import is_work
from hippocampus.language.nouns import kinds, singular, use_of
from hippocampus.language.parsed.clauses import SUBJECTS, child, children
from hippocampus.language.relations import relation_of

if TYPE_CHECKING:
    from spacy.tokens import Token

NAMED: Final = (*SUBJECTS, "pobj", "dobj", "conj", "appos", "oprd", "attr", "poss", "dative")
"""Dependencies by which a noun in capitals stands as a name."""
WITHIN: Final = ("compound", "nmod", "amod", "nummod", "flat")
"""Dependencies of the words of a name on its last."""


def is_proper(token: Token) -> bool:
    """Return whether a token is, or ends, a name; of a noun in capitals, where it stands as one."""
    if not token.text[:1].isalpha() or not token.text[0].isupper():
        return False
    if token.pos_ == "PROPN":
        return token.dep_ != "intj"
    if token.i > token.sent.start and token.pos_ == "ADJ" and token.dep_ in ("attr", "acomp"):
        return not use_of(token.lower_).known  # "my boss is Faisal"
    if token.i == token.sent.start and token.pos_ == "NOUN" and token.dep_ in SUBJECTS:
        return is_person(token.text) and child(token, "det", "poss") is None
    known = kinds(token.lower_) or (token.tag_ == "NNS" and kinds(singular(token.lower_)))
    return (
        token.pos_ == "NOUN" and token.dep_ in NAMED
        and not (known and (token.i == token.sent.start or token.tag_ == "NNS"))
        and child(token, "det", "poss", "amod") is None
    )  # fmt: skip


def is_date(token: Token) -> bool:
    """Return whether a token is a day's or a month's name, or in one."""
    return token.lower_ in word_set("weekdays") | word_set("months")


def is_time(token: Token) -> bool:
    """Return whether a token is a day's, a month's or a feast's name: "Easter", "Friday"."""
    return is_date(token) or "time period" in kinds(token.lower_)


def _is_role(noun: str) -> bool:
    """Return whether a noun before a name says who that is: "my flatmate Jo"."""
    return relation_of(noun) is not None or noun in word_set("kin") or is_work(noun)


def words_of(token: Token, *, adjectives: bool = False) -> str:
    """Return the words of a name or a noun, with those before it that belong to it."""
    doc, named = token.doc, is_proper(token)
    before = [
        one for one in children(token, *WITHIN)
        if one.i < token.i and (one.dep_ != "amod" or adjectives or one.text[0].isupper())
        and one.pos_ in ("PROPN", "NOUN", "ADJ", "NUM", "VERB")
        and not (named and one.text[0].islower() and _is_role(one.lower_))
    ]  # fmt: skip
    start = min([token.i, *(part.i for one in before for part in one.subtree)])
    stop = token.i + 1
    # "Marks & Spencer" is one name, "Ada & Tom" are two.
    if stop + 1 < len(doc) and doc[stop].text == "&" and not is_person(token.text):
        stop += 2
    elif of := _part_of_name(token):
        stop = of
    kept = [one.i for one in doc[start:stop] if one.dep_ not in ("det", "poss", "case", "punct")]
    text: str = doc[kept[0] : stop].text if kept else token.text
    # "At McDonald's": nothing is owned there, and the ending is of the name.
    ends = stop < len(doc) and doc[stop].dep_ == "case" and token.dep_ == "pobj"
    return f"{text}{doc[stop].text}" if ends else text


def role_of(noun: Token, *, adjectives: bool = True) -> str:
    """Return the role of each of some people: "primary teacher" of "primary teachers"."""
    words = words_of(noun, adjectives=adjectives)
    if noun.tag_ != "NNS":
        return words
    return f"{words.removesuffix(noun.text)}{singular(noun.lower_)}"


def _part_of_name(token: Token) -> int | None:
    """Return the end of "of Leeds" in "University of Leeds"; None if nothing like it follows."""
    for one in children(token, "prep"):
        of = child(one, "pobj") if one.lower_ == "of" and is_proper(token) else None
        if of is not None and is_proper(of):
            stop: int = of.i + 1
            return stop
    return None
