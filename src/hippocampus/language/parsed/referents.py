"""
Referents in a dependency parse: who or what a noun, a name or a pronoun stands for.

Reading goes on from sentence to sentence, so that "she" is who was spoken of last.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from hippocampus.core.records import Statement
from hippocampus.core.word_lists import word_set
from hippocampus.language.given_names import is_person
from hippocampus.language.noun_sorts import is_region, is_someone
from hippocampus.language.parsed.antecedents import antecedents
from hippocampus.language.parsed.clauses import SUBJECTS, Clause, child, children, joined, members
from hippocampus.language.parsed.names import NAMED, WITHIN, is_date, is_proper, is_time, words_of
from hippocampus.language.parsed.namesakes import namesake
from hippocampus.language.relations import is_being, relation_of

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

FIRST: Final = frozenset({"i", "me", "we", "us", "myself", "im"})
_MINE: Final = frozenset({"my", "our", "mine", "me"})
_THEIRS: Final = frozenset({"his", "her", "their"})
_PLACING: Final = frozenset({"in", "at", "from", "into", "near"})
_THIRD: Final = frozenset({"he", "she", "him", "her", "hers", "they", "them"})


class Referents:
    """Referents of "I", "you" and "she" while a text is read."""

    def __init__(self, speaker: str, other: str | None) -> None:
        self.speaker, self.other = speaker, other
        self.unnamed: Statement | None = None
        """Who was spoken of last as somebody's, without a name: "I have a daughter"."""
        self.named: dict[str, str] = {}
        """Names of people that were spoken of by whose they are: of "Ada's dad"."""
        self.pets: set[str] = set()
        """Names of animals, whose is nothing."""
        self._person: str | None = None
        self._pointed: dict[int, str | None] = {}
        """Whom pronouns of this sentence before a noun mean, by their place."""

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
        # The next sentence may be of another parse, where the same places come again.
        self._pointed.clear()
        named: str | None = None
        for token in sentence:
            known = token.dep_ in (*SUBJECTS, "nsubj:pass") or token.dep_ == "ROOT"
            if not self._is_person(token):
                continue
            name = self.entity(token)
            if known and name not in (None, self.speaker):
                self._person = name
                return
            named = (None if _is_place(token) else name) or named
        self._person = named or self._person

    def _is_person(self, token: Token) -> bool:
        if is_proper(token):
            return token.dep_ in (*NAMED, "ROOT") and not is_date(token)
        relation = relation_of(token.lower_)
        return relation is not None and is_being(relation) and child(token, "poss") is not None

    def owner(self, noun: Token) -> str | None:
        """Return the owner of a noun: of "my", "her", "Ana's"; None if that is not said."""
        mine = child(noun, "poss")
        if mine is None:
            of = next((one for one in children(noun, "prep") if one.lower_ == "of"), None)
            mine = None if of is None else child(of, "pobj")
            return self.speaker if mine is not None and mine.lower_ == "mine" else None
        word = mine.lower_
        if word in _MINE:
            return self.speaker
        if word in _THEIRS:
            return self._pointed_at(mine)
        return self.other if word == "your" else self.entity(mine)

    def _pointed_at(self, pronoun: Token) -> str | None:
        """Return the person that "his" or "her" means: in its sentence, or else mentioned last."""
        if pronoun.i not in self._pointed:
            found = antecedents(pronoun)
            # Not kept: whom the clause before is about may change within the sentence.
            if not found:
                return self._person
            meant = {self.entity(one) for one in found}
            self._pointed[pronoun.i] = meant.pop() if len(meant) == 1 else None
        return self._pointed[pronoun.i]

    def co_owners(self, noun: Token) -> list[str]:
        """Return the other owners of a noun: Tom, of "Ada and Tom came with their son"."""
        mine = child(noun, "poss")
        if mine is None or mine.lower_ != "their":
            return []
        heads = antecedents(mine)
        others = members(heads[0])[1:] if len(heads) == 1 else []
        return [who for one in others if (who := self.entity(one)) is not None and one.i < mine.i]

    def called(self, noun: Token) -> Token | None:
        """Return the name given with a noun: "my wife Ada", "Ada, my wife", "a cat called Tom"."""
        beside = next(
            (one for one in children(noun, "appos") if is_proper(one) and not is_date(one)), None
        )
        if beside is not None:
            return beside
        for one in children(noun, "acl"):
            name = child(one, "oprd", "dobj", "attr") if one.lower_ in ("called", "named") else None
            if name is not None and is_proper(name) and not _rings(noun):
                return name
        head = noun.head
        if is_proper(head) and (
            noun.dep_ == "appos" or (noun.dep_ in ("compound", "nmod") and head.i > noun.i)
        ):
            return head
        return _next_name(noun) or _name_before(noun) or _name_behind_comma(noun)

    def entity(self, token: Token) -> str | None:
        """Return the entity that a token stands for; None if that is nobody known."""
        word = token.lower_
        if word in FIRST:
            return self.speaker
        if word == "you" or word in _THIRD:
            return self.other if word == "you" else self._person
        described = _described(token) if word in ("who", "which", "that") else None
        if described is not None:
            return self.entity(described)
        return self._noun(token)

    def _noun(self, token: Token) -> str | None:
        """Return the entity that a noun or a name means."""
        if is_proper(token):
            return namesake(token) or words_of(token)
        if token.pos_ not in ("NOUN", "PROPN"):
            return None
        relative = _relative_of(token)
        if relative is not None:
            return relative
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


def _relative_of(noun: Token) -> str | None:
    """Return "Ben's wife" of "my colleague Ben's wife", if the parse takes her for him."""
    beside = child(noun, "appos")
    whose = None if beside is None else child(beside, "poss")
    if beside is None or whose is None or whose.i != noun.i + 1 or not is_proper(whose):
        return None
    return f"{words_of(whose)}'s {words_of(beside)}"


def _rings(noun: Token) -> bool:
    """Return whether one of a kind, such as a mother, calls another: "mum called Kelly"."""
    mine = child(noun, "det") is None and relation_of(noun.lower_) in ("parent", "married_to")
    return mine and noun.dep_ == "ROOT"


def _is_place(name: Token) -> bool:
    """Return whether a name is a place's, whom nobody means by "she": of "moved to Sheffield"."""
    if is_person(name.text) or not is_proper(name):
        return False
    before = name.head if name.dep_ == "pobj" else name
    goes = before.lower_ == "to" and before.head.lemma_.lower() in word_set("going_verbs")
    return goes or before.lower_ in _PLACING or is_region(words_of(name))


def _described(pronoun: Token) -> Token | None:
    """
    Return the noun that "who" stands for: by the parse, or else a name right before it.

    Of several in a row that is the last, as in "my wife Ada and our son Emil, who is 7"; and no
    flat is anybody.
    """
    noun = pronoun.head.head if pronoun.head.dep_ == "relcl" else None
    before = pronoun.i - 1
    if before > 0 and pronoun.doc[before].text == ",":
        before -= 1
    near = pronoun.doc[max(before, 0)]
    if pronoun.lower_ != "who" or near == noun or not is_proper(near) or is_date(near):
        return noun
    above = near
    while above.dep_ in ("conj", "appos") and above != noun:
        above = above.head
    if noun is None and near.dep_ in ("dobj", "dative") and before == pronoun.i - 1:
        return None  # "I told Ada who is 7"
    if noun is None or (above == noun and near.head != noun and pronoun.head.tag_ != "VBP"):
        return near  # "who live" are all of them
    someone = is_proper(noun) or is_someone(noun.text) or relation_of(noun.lower_) is not None
    return noun if someone else near


def _next_name(noun: Token) -> Token | None:
    """Return a name right behind a noun, which the parse may have taken for something else."""
    doc, place = noun.doc, noun.i + 1
    deps = ["appos", *SUBJECTS, "ROOT", "flat", "dobj"]
    deps += ["npadvmod", "poss"] if child(noun, "poss") is not None else []
    follows = place < len(doc) and doc[place].dep_ in deps
    beside = follows and is_proper(doc[place]) and not is_date(doc[place])
    return doc[place] if beside else None


def _name_behind_comma(noun: Token) -> Token | None:
    """Return a name that the end of a clause tells of its object: "I have a boyfriend now, Leo"."""
    name = child(noun.head, "npadvmod") if noun.dep_ == "dobj" else None
    if name is None or name.i < noun.i + 2 or name.nbor(-1).text != ",":
        return None
    return name if is_proper(name) and not is_time(name) else None


def _name_before(noun: Token) -> Token | None:
    """Return a name that a noun explains between commas: "Ada, my sister, ..."."""
    start, stop = noun.left_edge.i, noun.i + 1
    if start < noun.sent.start + 2 or child(noun, "poss") is None or stop >= len(noun.doc):
        return None
    name = noun.doc[start - 2]
    between = noun.doc[start - 1].text == "," and noun.doc[stop].text == ","
    alone = name.i - len(list(children(name, *WITHIN))) == noun.sent.start
    return name if between and alone and is_proper(name) and not is_date(name) else None
