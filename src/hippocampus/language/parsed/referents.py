"""
Referents in a dependency parse: who or what a noun, a name or a pronoun stands for.

Reading goes on from sentence to sentence, so that "she" is who was spoken of last.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from hippocampus.core.records import Statement
from hippocampus.core.word_lists import word_set
from hippocampus.language.nouns import kinds, singular
from hippocampus.language.parsed.clauses import SUBJECTS, Clause, child, children, joined
from hippocampus.language.relations import relation_of

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

FIRST: Final = frozenset({"i", "me", "we", "us", "myself", "im"})
_MINE: Final = frozenset({"my", "our", "mine", "me"})
_THEIRS: Final = frozenset({"his", "her", "their"})
_THIRD: Final = frozenset({"he", "she", "him", "her", "hers", "they", "them"})
_NAMED: Final = (*SUBJECTS, "pobj", "dobj", "conj", "appos", "oprd", "attr", "poss", "dative")
_WITHIN: Final = ("compound", "nmod", "amod", "nummod", "flat")


def is_proper(token: Token) -> bool:
    """Return whether a token is, or ends, a name; of a noun in capitals, where it stands as one."""
    if not token.text[:1].isalpha() or not token.text[0].isupper():
        return False
    if token.pos_ == "PROPN":
        return token.dep_ != "intj"
    known = kinds(token.lower_) or (token.tag_ == "NNS" and kinds(singular(token.lower_)))
    return (
        token.pos_ == "NOUN" and token.dep_ in _NAMED
        and not (known and (token.i == token.sent.start or token.tag_ == "NNS"))
        and child(token, "det", "poss", "amod") is None
    )  # fmt: skip


def is_date(token: Token) -> bool:
    """Return whether a token is a day's or a month's name, or in one."""
    return token.lower_ in word_set("weekdays") | word_set("months")


def words_of(token: Token, *, adjectives: bool = False) -> str:
    """Return the words of a name or a noun, with those before it that belong to it."""
    doc, named = token.doc, is_proper(token)
    before = [
        one for one in children(token, *_WITHIN)
        if one.i < token.i and (one.dep_ != "amod" or adjectives or one.text[0].isupper())
        and one.pos_ in ("PROPN", "NOUN", "ADJ", "NUM", "VERB")
        and not (named and one.text[0].islower() and relation_of(one.lower_) is not None)
    ]  # fmt: skip
    start = min([token.i, *(part.i for one in before for part in one.subtree)])
    stop = token.i + 1
    if stop + 1 < len(doc) and doc[stop].text == "&":
        stop += 2
    elif of := _part_of_name(token):
        stop = of
    kept = [one.i for one in doc[start:stop] if one.dep_ not in ("det", "poss", "case", "punct")]
    text: str = doc[kept[0] : stop].text if kept else token.text
    ends = stop < len(doc) and doc[stop].dep_ == "case" and token.dep_ == "pobj"
    return f"{text}{doc[stop].text}" if ends else text


def _part_of_name(token: Token) -> int | None:
    """Return where "of Leeds" ends in "University of Leeds"; None if nothing like it follows."""
    for one in children(token, "prep"):
        of = child(one, "pobj") if one.lower_ == "of" and is_proper(token) else None
        if of is not None and is_proper(of):
            stop: int = of.i + 1
            return stop
    return None


class Referents:
    """Who is "I", "you" and "she" while a text is read."""

    def __init__(self, speaker: str, other: str | None) -> None:
        self.speaker, self.other = speaker, other
        self.unnamed: Statement | None = None
        """Who was spoken of last as somebody's, without a name: "I have a daughter"."""
        self.named: dict[str, str] = {}
        """Names of people that were spoken of by whose they are: of "Ada's dad"."""
        self.pets: set[str] = set()
        """Names of animals, whose is nothing."""
        self._person: str | None = None

    def met(self, clause: Clause) -> None:
        """Keep in mind whom a clause is about, for what the rest of the sentence says of "her"."""
        subject = clause.subject
        if (
            subject is not None
            and clause.who not in (None, self.speaker)
            and self._is_person(subject)
        ):
            self._person = clause.who

    def hear(self, sentence: Span) -> None:
        """Keep in mind whom a sentence is about: its subject, or else who it names last."""
        named: str | None = None
        for token in sentence:
            known = token.dep_ in (*SUBJECTS, "nsubj:pass") or token.dep_ == "ROOT"
            if not self._is_person(token):
                continue
            name = self.entity(token)
            if known and name not in (None, self.speaker):
                self._person = name
                return
            named = name or named
        self._person = named or self._person

    def _is_person(self, token: Token) -> bool:
        if is_proper(token):
            return token.dep_ in (*_NAMED, "ROOT") and not is_date(token)
        return relation_of(token.lower_) is not None and child(token, "poss") is not None

    def owner(self, noun: Token) -> str | None:
        """Return whose a noun is: of "my", "her", "Ana's"; None if that is not said."""
        mine = child(noun, "poss")
        if mine is None:
            of = next((one for one in children(noun, "prep") if one.lower_ == "of"), None)
            mine = None if of is None else child(of, "pobj")
            return self.speaker if mine is not None and mine.lower_ == "mine" else None
        word = mine.lower_
        if word in _MINE:
            return self.speaker
        if word in _THEIRS:
            return self._person
        return self.other if word == "your" else self.entity(mine)

    def called(self, noun: Token) -> Token | None:
        """Return the name given with a noun: "my wife Ada", "Ada, my wife", "a cat called Tom"."""
        beside = next(
            (one for one in children(noun, "appos") if is_proper(one) and not is_date(one)), None
        )
        if beside is not None:
            return beside
        for one in children(noun, "acl"):
            name = child(one, "oprd", "dobj", "attr") if one.lower_ in ("called", "named") else None
            if name is not None and is_proper(name):
                return name
        head = noun.head
        if is_proper(head) and (
            noun.dep_ == "appos" or (noun.dep_ in ("compound", "nmod") and head.i > noun.i)
        ):
            return head
        return _next_name(noun) or _name_before(noun)

    def entity(self, token: Token) -> str | None:
        """Return who or what a token stands for; None if that is nobody known."""
        word = token.lower_
        if word in FIRST:
            return self.speaker
        if word == "you" or word in _THIRD:
            return self.other if word == "you" else self._person
        if word in ("who", "which", "that") and token.head.dep_ == "relcl":
            return self.entity(token.head.head)
        return self._noun(token)

    def _noun(self, token: Token) -> str | None:
        """Return whom a noun or a name means."""
        if is_proper(token):
            return words_of(token)
        if token.pos_ not in ("NOUN", "PROPN"):
            return None
        name = self.called(token)
        if name is not None:
            return words_of(name)
        whose = self.owner(token)
        return None if whose is None else f"{whose}'s {words_of(token)}"

    def thing(self, token: Token) -> str | None:
        """Return the name of a thing, whosever it is; its owner's is kept if that is one."""
        if token.pos_ not in ("NOUN", "PROPN"):
            return None
        whose = child(token, "poss")
        if whose is not None and is_proper(whose):
            return f"{words_of(whose)}'s {words_of(token)}"
        return words_of(token)

    def names(self, token: Token) -> Iterator[str]:
        """Yield the names that are joined to a name, and that."""
        return (words_of(one) for one in joined(token) if is_proper(one))


def _next_name(noun: Token) -> Token | None:
    """Return a name right behind a noun, which the parse may have taken for something else."""
    doc, place = noun.doc, noun.i + 1
    follows = place < len(doc) and doc[place].dep_ in ("appos", *SUBJECTS, "ROOT", "flat", "dobj")
    beside = follows and is_proper(doc[place]) and not is_date(doc[place])
    return doc[place] if beside else None


def _name_before(noun: Token) -> Token | None:
    """Return a name that a noun explains between commas: "Ada, my sister, ..."."""
    start, stop = noun.left_edge.i, noun.i + 1
    if start < noun.sent.start + 2 or child(noun, "poss") is None or stop >= len(noun.doc):
        return None
    name = noun.doc[start - 2]
    between = noun.doc[start - 1].text == "," and noun.doc[stop].text == ","
    alone = name.i - len(list(children(name, *_WITHIN))) == noun.sent.start
    return name if between and alone and is_proper(name) and not is_date(name) else None
