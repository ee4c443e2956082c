"""Nouns of relation with a name beside them: "my wife Ada", "a dog called Rex", "Tom's boy"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from hippocampus.core.records import Mode, Statement
from hippocampus.core.word_lists import word_set
from hippocampus.language.noun_sorts import is_story, is_text, is_work
from hippocampus.language.parsed.clauses import SUBJECTS, child, children, subject_of
from hippocampus.language.parsed.names import words_of
from hippocampus.language.parsed.referents import FIRST, Referents
from hippocampus.language.relations import is_animal, is_former, relation_of

if TYPE_CHECKING:
    from spacy.tokens import Token

_PEOPLE: Final = frozenset(
    {"married_to", "partner", "sibling", "child", "parent", "friend", "boss", "doctor", "pet"}
)
_SHARED: Final = frozenset({"child", "pet", "parent", "friend"})
"""Relations that two people may have to one, who is "theirs"."""
_TITLES: Final = frozenset({"father", "mother", "sister", "brother"})
_OWN_CHILDREN: Final = frozenset({"twins", "kids", "boys", "girls", "children", "triplets"})


def kin_of(noun: Token) -> str | None:
    """
    Return the relation that a noun stands for, if it is one to people or animals.

    Who works for somebody is called what the noun says: "dentist", of "my dentist".
    """
    word = noun.lower_
    if word in _OWN_CHILDREN and child(noun, "det", "nummod", "poss") is not None:
        return "child"
    relation = relation_of(word.removeprefix("ex-"))
    if relation is None and word == "ex":
        relation = "partner"
    return relation if relation in _PEOPLE else _role_to_owner(noun)


def _role_to_owner(noun: Token) -> str | None:
    """Return the relation of a neighbour, a dentist or a plumber to the one whose they are."""
    word = noun.lower_
    known = noun.tag_ != "NNS" and child(noun, "poss") is not None and relation_of(word) is None
    return word if known and (word in word_set("kin") or is_work(word)) else None


def tell_kin(noun: Token, referents: Referents) -> Iterator[Statement]:
    """Yield somebody's kin, friends or animals, by a name beside the noun."""
    superlative = noun.tag_ == "JJS" and child(noun, "poss") is not None
    relation = kin_of(noun) if noun.pos_ in ("NOUN", "PROPN") or superlative else None
    name = referents.called(noun) if relation is not None else None
    if relation is None or name is None or is_made_up(noun) or is_played(noun):
        return
    # The owner, or who it is said of, is not what the noun is called.
    if name.dep_ in ("poss", "nsubj") and name.head == noun:
        return
    if name.dep_ in SUBJECTS and noun.dep_ == "attr":
        return  # "Tom is my friend": of the clause
    beside = referents.owner(name) if noun.head == name else None  # "my" hangs on the name
    whose = referents.owner(noun) or beside or _owner_unsaid(noun, name, relation, referents)
    if whose is None:
        return
    if whose in referents.pets or _is_title(noun, name):
        return
    for one in referents.names(name):
        if relation == "pet":
            referents.pets.add(one)
        referents.named.setdefault(f"{whose}'s {words_of(noun)}", one)
        for owner in [whose, *(referents.co_owners(noun) if relation in _SHARED else ())]:
            yield Statement(owner, relation, one, _mode(noun, relation), noun=noun.lower_)


def is_made_up(word: Token) -> bool:
    """
    Return whether a word is of a text that is asked for: "write a story about my wife".

    Or of a story that is told on: "in last night's episode Ada left".
    """
    above_it = (word, *word.ancestors)
    subjects = [whom for above in above_it for whom in children(above, *SUBJECTS)]
    if any(is_story(one.text) for whom in subjects for one in whom.children):
        return True  # "in that episode Ada left", as it may be parsed
    if any(
        one.lower_ == "in" and (of := child(one, "pobj")) is not None and is_story(of.text)
        for above in above_it
        for one in children(above, "prep")
    ):
        return True
    return any(
        above.dep_ == "dobj" and above.head.tag_ == "VB"
        and (is_text(above.text) or above.lower_ in ("role", "part"))
        and child(above.head, "nsubj", "aux") is None
        for above in word.ancestors
    )  # fmt: skip


def is_played(noun: Token, *beside: Token) -> bool:
    """Return whether a noun, with what is beside it, is of a play: "pretend to be my sister"."""
    around = [*beside, *noun.ancestors]
    return any(
        one.lemma_.lower() in ("pretend", "imagine", "suppose", "play", "act") for one in around
    ) or any(one.lower_ in ("dreamt", "dreamed") for one in around)


def _is_title(noun: Token, name: Token) -> bool:
    """
    Return whether a noun is of the name, and nobody's: "Father Brown", "Sister Agnes".

    Or of a title's: "The Bee Sting".
    """
    alone = child(noun, "amod", "poss") is None and child(name, "poss") is None
    within = alone and noun.text.istitle() and noun.i == name.i - 1
    return within and (noun.lower_ in _TITLES or is_animal(noun.lower_))


def _owner_unsaid(noun: Token, name: Token, relation: str, referents: Referents) -> str | None:
    """Return the owner of a noun without "my": in notes, the dog is the writer's."""
    starts = noun.i - sum(1 for _ in noun.lefts) == noun.sent.start
    article = child(noun, "det") or child(name, "det")
    if child(noun, "poss") is not None:
        return None
    if relation == "pet":
        had = subject_of(noun.head) if noun.dep_ == "dobj" else None
        theirs = had is not None and had.lower_ not in FIRST  # "Tom has a dog called Rex"
        over = had is not None and noun.head.lemma_ == "have" and noun.head.tag_ == "VBD"
        mine = article is not None and name.dep_ not in SUBJECTS and not (theirs or over)
        return referents.speaker if mine else None
    if relation == "child" and noun.lower_ in _OWN_CHILDREN and article is not None:
        return referents.speaker
    return referents.speaker if article is None and starts else None


def is_over(noun: Token) -> bool:
    """Return whether a noun is of who no longer is so: "ex-husband", "my ex", "late aunt"."""
    before = noun.doc[noun.i - 1].lower_ if noun.i else ""
    hyphened = before == "-" and noun.i > 1 and noun.doc[noun.i - 2].lower_ == "ex"
    left = {one.lower_ for one in children(noun, "amod", "compound", "nmod")} | {before}
    if noun.lower_.startswith("ex") and noun.lower_[2:3] in ("", "-"):
        return True
    return hyphened or is_former(noun.lower_, left)


def _mode(noun: Token, relation: str) -> Mode:
    """Return whether it still is so: not of an ex-husband, or of a dog that died."""
    if is_over(noun):
        return "ended"
    verbs = {one.lemma_.lower() for one in noun.sent if one.pos_ == "VERB"}
    gone = relation == "pet" and not verbs.isdisjoint(word_set("losing_verbs"))
    put = "put" in verbs and any(one.lower_ in ("down", "sleep") for one in noun.sent)
    return "ended" if gone or (relation == "pet" and put) else "holds"


def tell_named(noun: Token, name: Token, mode: Mode, referents: Referents) -> Iterator[Statement]:
    """Yield the statements of "my sister's name is Ada"; ``noun``: the one who is named."""
    relation = kin_of(noun)
    if relation is not None:
        whose = referents.owner(noun)
        if whose is None and child(noun, "poss") is None:
            whose = referents.speaker
        if whose is None:
            return
        mode = "ended" if is_over(noun) and mode == "holds" else mode
        for one in referents.names(name):
            referents.named.setdefault(f"{whose}'s {words_of(noun)}", one)
            yield Statement(whose, relation, one, mode, noun=noun.lower_)
    elif noun.lower_ in ("his", "her", "its", "their", "he", "she", "it") and referents.unnamed:
        yield referents.unnamed._replace(object=words_of(name))
        referents.unnamed = None
