"""
Clauses with a verb left out: "Ben drives a Fiesta and Kim a Polo".

Two noun phrases side by side behind "and" or a comma, who and what, have the verb of the clause
before them. The parse takes the two for one name; so each is put into a sentence of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from hippocampus.language.given_names import is_person
from hippocampus.language.noun_sorts import is_region, is_someone
from hippocampus.language.parsed.clauses import SUBJECTS, VERBAL, child, children, negation
from hippocampus.language.parsed.clefts import text_of
from hippocampus.language.parsed.frames import framing_verbs
from hippocampus.language.parsed.names import is_proper
from hippocampus.language.parsed.referents import FIRST
from hippocampus.language.relations import relation_of

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_JOINING: Final = frozenset({"and", ",", "but", "while", ";"})
_PLURAL: Final = FIRST | {"you", "they"}


def with_verbs(sentence: Span) -> list[str] | None:
    """Return a sentence as several, each with its verb; None if it leaves out none."""
    verb = sentence.root
    subject = child(verb, *SUBJECTS)
    # The verb is said again without its "not", so a denied sentence stays as it is.
    if subject is None or verb.lemma_.lower() not in framing_verbs() | {"have"} or negation(verb):
        return None
    prepositions = {one.lower_ for one in verb.subtree if one.dep_ == "prep" and one.i > verb.i}
    cut, told = 0, []
    for part in list(_parts([one for one in sentence if one.i > verb.i]))[1:]:
        who = _who(part, prepositions)
        if who:
            cut = cut or part[0].i - 1
            told.append(f"{text_of(part[:who])} {_verb(verb, part[:who])} {text_of(part[who:])}.")
        elif cut and any(one.pos_ in VERBAL for one in part):
            told.append(f"{text_of(part)}.")  # "..., and we love it"
    if not told:
        return None
    first = verb.doc[sentence.start : cut].text.rstrip(" ,;").removesuffix(" and")
    return [f"{first}.", *told]


def _parts(behind: Sequence[Token]) -> Iterator[list[Token]]:
    """Yield the parts between commas and "and" behind a verb."""
    part: list[Token] = []
    for one in behind:
        if one.lower_ in _JOINING:
            if part:
                yield part
            part = []
        elif not (one.is_punct and one.text in ".!?"):
            part.append(one)
    if part:
        yield part


def _who(part: Sequence[Token], prepositions: set[str]) -> int:
    """Return the number of words for the one who acts; 0 if a part is not actor and object."""
    if any(one.pos_ in VERBAL for one in part):
        return 0
    owned = len(part) > 1 and part[0].tag_ == "PRP$"
    size = 1 + owned
    if len(part) <= size:
        return 0
    last, following = part[size - 1], part[size]
    kin = owned and (relation_of(last.lower_) is not None or is_someone(last.text))
    named = not owned and is_proper(last) and not is_region(last.text)
    if not (kin or named or last.lower_ in ("i", "he", "she", "they")):
        return 0
    if following.lower_ in prepositions or (following.pos_ == "DET" and len(part) > size + 1):
        return size
    bare = len(part) == size + 1 and not prepositions
    thing = following.pos_ in ("NOUN", "PROPN", "ADJ")
    return size if bare and thing and (kin or _is_unlike(last, following)) else 0


def _is_unlike(name: Token, other: Token) -> bool:
    """Return whether two names side by side are not one: "Ana Polish", and not "Ana Smith"."""
    return is_person(name.text) and relation_of(other.lower_) is None and not is_person(other.text)


def _verb(verb: Token, who: Sequence[Token]) -> str:
    """Return a verb with its auxiliaries, in the form that goes with somebody."""
    before = [one.text for one in children(verb, "aux", "auxpass") if one.i < verb.i]
    if before or verb.tag_ not in ("VBZ", "VBP", "VBD"):
        return " ".join([*before, verb.text])
    if verb.tag_ == "VBD":
        # With "did" and "does" no irregular form need be known.
        return f"did {verb.lemma_}"
    plural = len(who) == 1 and who[0].lower_ in _PLURAL
    return f"{'do' if plural else 'does'} {verb.lemma_}"
