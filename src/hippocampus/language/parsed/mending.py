"""
Mends of a small pipeline's mistakes in a parse, before anything is read from it.

It knows few names and rare words, and takes "Tilly" before a verb for an adverb, "cilantro" behind
"hate" for one, too, and "work" behind "and" for a noun.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hippocampus.core.word_lists import word_set
from hippocampus.language.given_names import is_person
from hippocampus.language.nouns import use_of
from hippocampus.language.parsed.clauses import SUBJECTS, child
from hippocampus.language.parsed.frames import frames_by_lemma, framing_verbs
from hippocampus.language.time.tense import is_past

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_LIKING: Final = ("likes", "dislikes")
_MODAL_NAMES: Final = frozenset({"will", "may", "can"})
_GOING: Final = frozenset("go come get walk cycle bike run drive ride travel commute".split())
_BEHIND: Final = ("PUNCT", "CCONJ", "SCONJ", "ADV")
"""Sorts of words that may follow what is liked, where nothing that is liked does."""
_FINITE: Final = ("VBD", "VBZ", "VBP")


def mend(doc: Doc) -> None:
    """Correct the tags of a parse in place, where its words tell better."""
    for token in doc:
        if token.tag_ == "MD" and _is_modal_name(token):
            _name_modal(token)
        elif token.dep_ in ("advmod", "npadvmod") and _is_subject(token):
            # In lower case it is nobody known, and not the speaker, either.
            named = token.text.istitle()
            token.pos_, token.tag_ = ("PROPN", "NNP") if named else ("NOUN", "NN")
            token.dep_ = "nsubj" if child(token.head, "auxpass") is None else "nsubjpass"
        elif token.dep_ in ("advmod", "npadvmod", *SUBJECTS) and _is_called(token):
            token.pos_, token.tag_, token.dep_ = "PROPN", "NNP", "appos"
            token.head = token.doc[token.i - 1]
        elif token.dep_ in SUBJECTS and token.pos_ in ("ADJ", "ADV") and _is_name(token):
            token.pos_, token.tag_ = "PROPN", "NNP"
        elif token.dep_ in SUBJECTS and token.head.dep_ in ("aux", "auxpass"):
            # "Ada got engaged": the subject is that of what she got.
            token.head = token.head.head
        elif token.lower_ == "work" and _is_way_to_work(token):
            token.pos_, token.tag_ = "NOUN", "NN"
        elif token.pos_ == "VERB" and token.lemma_ not in framing_verbs():
            _mend_lemma(token)
        elif token.dep_ == "conj" and _is_joined_verb(token):
            token.pos_, token.tag_ = "VERB", token.head.tag_
        elif token.pos_ in ("ADJ", "ADV") and _is_liked(token):
            token.pos_, token.tag_, token.dep_ = "NOUN", "NN", "dobj"


def _is_subject(token: Token) -> bool:
    """Return whether a word right before a finite verb without a subject is a name, or unknown."""
    verb = token.head
    if token.i >= verb.i or child(verb, *SUBJECTS) is not None:
        return False
    between = verb.doc[token.right_edge.i + 1 : verb.i]
    finite = verb.tag_ in _FINITE or any(one.tag_ in _FINITE for one in between)
    if not finite or any(one.pos_ not in ("ADV", "AUX", "PART") for one in between):
        return False
    if not token.text.istitle():
        return token.i == token.sent.start and not use_of(token.lower_).known
    return _is_name(token)


def _is_modal_name(token: Token) -> bool:
    """Return whether "Will" or "May" is a name: what follows it no modal verb leads to."""
    behind = token.i + 1
    while behind < len(token.doc) and token.doc[behind].tag_ == "RB":
        behind += 1
    if not token.text.istitle() or token.lower_ not in _MODAL_NAMES or behind == len(token.doc):
        return False
    verb = token.doc[behind]
    return verb.tag_ in ("VBZ", "VBD", "VBN") or (
        verb.tag_ == "VB"
        and is_past(verb.lower_)
        and verb.lower_ not in word_set("unchanging_verbs")
    )


def _name_modal(token: Token) -> None:
    """Make a name of a modal verb: the subject, or that of the subject before it."""
    verb, subject = token.head, child(token.head, *SUBJECTS)
    token.pos_, token.tag_ = "PROPN", "NNP"
    if subject is None:
        token.dep_ = "nsubj" if child(verb, "auxpass") is None else "nsubjpass"
    elif subject.i == token.i - 1:
        token.dep_, token.head = "appos", subject
    if verb.tag_ in ("VB", "VBN") and child(verb, "aux", "auxpass") is None:
        verb.tag_ = "VBD"


def _is_called(token: Token) -> bool:
    """Return whether a word is the name of the subject right before it: "my sister Polly came"."""
    if token.i == token.sent.start or not _is_name(token):
        return False
    before = token.doc[token.i - 1]
    beside = before in (child(token.head, *SUBJECTS), token.head)
    return beside and before.pos_ == "NOUN" and before.dep_ in SUBJECTS


def _is_name(token: Token) -> bool:
    word, use = token.lower_, use_of(token.lower_)
    if word in word_set("weekdays") | word_set("months") | word_set("time_words"):
        return False
    known = use.known and not (token.pos_ == "ADV" and use.noun == 1)
    return token.text.istitle() and (is_person(token.text) or not known)


def _is_way_to_work(work: Token) -> bool:
    """Return whether "work" is where somebody goes: "cycled to work with Ada"."""
    behind = work.i + 1
    beside = behind < len(work.doc) and work.doc[behind].lower_ == "with"
    return beside and child(work, "aux") is not None and work.head.lemma_.lower() in _GOING


def _mend_lemma(verb: Token) -> None:
    """Correct the lemma of "hates", which is no "hat"."""
    for ending in ("s", "d"):
        base = verb.lower_.removesuffix(ending)
        if base != verb.lower_ and base in framing_verbs():
            verb.lemma_ = base


def _is_joined_verb(token: Token) -> bool:
    """Return whether a noun joined to a verb is one: "I live in Graz and work as a nurse"."""
    first, behind = token.head, token.i + 1
    joined = token.pos_ == "NOUN" and first.pos_ == "VERB" and first.i < token.i
    bare = child(token, "det", "poss", "amod", "compound", "nummod") is None
    if not joined or not bare or behind >= len(token.doc) or token.doc[behind].pos_ != "ADP":
        return False
    # In the form of the verb before it: "work" behind "live", "works" behind "lives".
    inflected = token.lower_ != token.lemma_.lower()
    return token.lemma_.lower() in framing_verbs() and inflected == (first.tag_ == "VBZ")


def _is_liked(token: Token) -> bool:
    """Return whether a word right behind "like" or "hate" is a noun, if a rare one."""
    verb, behind = token.head, token.i + 1
    ends = behind == len(token.doc) or token.doc[behind].pos_ in _BEHIND
    liked = any(frame.relation in _LIKING for frame in frames_by_lemma(verb.lemma_.lower()))
    use = use_of(token.lower_)
    free = token.dep_ == "dobj" or child(verb, "dobj", "xcomp", "ccomp") is None
    noun = use.noun == 1 and (use.known or token.dep_ == "dobj")
    return liked and ends and free and token.i == verb.i + 1 and noun
