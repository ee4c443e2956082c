"""
Mends of what a small pipeline mistakes in a parse, before anything is read from it.

It knows few names and rare words, and takes "Tilly" before a verb for an adverb, "cilantro" behind
"hate" for one, too, and "work" behind "and" for a noun.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hippocampus.core.word_lists import word_set
from hippocampus.language.given_names import is_person
from hippocampus.language.nouns import use_of
from hippocampus.language.parsed.clauses import SUBJECTS, child

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_FINITE: Final = ("VBD", "VBZ", "VBP")


def mend(doc: Doc) -> None:
    """Correct the tags of a parse in place, where its words tell better."""
    for token in doc:
        if token.dep_ in ("advmod", "npadvmod") and _is_subject(token):
            # In lower case it is nobody known, and not the speaker, either.
            named = token.text.istitle()
            token.pos_, token.tag_ = ("PROPN", "NNP") if named else ("NOUN", "NN")
            token.dep_ = "nsubj" if child(token.head, "auxpass") is None else "nsubjpass"
        elif token.dep_ in SUBJECTS and token.head.dep_ == "auxpass":
            # "Ada got engaged": the subject is that of what she got.
            token.head = token.head.head


def _is_subject(token: Token) -> bool:
    """Return whether a word right before a finite verb without a subject is a name, or unknown."""
    verb = token.head
    if token.i >= verb.i or child(verb, *SUBJECTS) is not None:
        return False
    between = verb.doc[token.right_edge.i + 1 : verb.i]
    finite = verb.tag_ in _FINITE or any(one.tag_ in _FINITE for one in between)
    if not finite or any(one.pos_ not in ("ADV", "AUX", "PART") for one in between):
        return False
    word, use = token.lower_, use_of(token.lower_)
    if word in word_set("weekdays") | word_set("months") | word_set("time_words"):
        return False
    if not token.text.istitle():
        return token.i == token.sent.start and not use.known
    return is_person(token.text) or not use.known or (token.pos_ == "ADV" and use.noun == 1)
