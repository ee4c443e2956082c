"""
Clauses that set right against wrong: "she lives in York, not in Leeds", "not Tony but Terry".

The parse takes the two for one name, or for two that are both so; so each is put into a clause of
its own, and the wrong one says that it is not so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from hippocampus.language.parsed.clauses import BE, SUBJECTS, VERBAL, child, children
from hippocampus.language.parsed.clefts import text_of

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_JOINING: Final = frozenset({",", "and", "but", "-", "\u2013", "\u2014"})
_NOT: Final = frozenset({"not", "n't", "n\u2019t"})
_NAMING: Final = frozenset({"ADJ", "ADP", "DET", "NOUN", "NUM", "PART", "PRON", "PROPN"})
"""Parts of speech that the wrong one may be made of; it has no verb, and no adverb of degree."""
_LONGEST: Final = 8
"""Words of the wrong one; more are no name."""


def with_denials(sentence: Span) -> list[str] | None:
    """Return a sentence as several, of which some deny; None if it sets nothing against another."""
    tokens = list(sentence)
    for place, token in enumerate(tokens):
        if token.lower_ not in _NOT or place < 2:
            continue
        if tokens[place - 1].lower_ in _JOINING:
            told = _right_and_wrong(tokens, place)
        else:
            told = _wrong_but_right(tokens, place)
        if told is not None:
            return told
    return None


def _right_and_wrong(tokens: Sequence[Token], place: int) -> list[str] | None:
    """Return "S is A. S is not B." for "S is A, not B"; ``place``: that of the "not"."""
    verb = _verb_before(tokens, place)
    wrong = _named(tokens[place + 1 :])
    subject = None if verb is None else child(verb, *SUBJECTS)
    if verb is None or subject is None or not wrong or wrong[0].lower_ == "only":
        return None
    right = [one for one in tokens if verb.i < one.i < tokens[place - 1].i]
    if not right or right[0].lower_ in _NOT:
        return None
    told = [_joined(text_of(tokens[: place - 1]), text_of(tokens[place + 1 + len(wrong) :]))]
    led = _led(right, wrong) if _is_asserted(verb) and not _has_some(verb, wrong) else None
    if led is not None:
        told.append(_joined(_clause(subject, _denied(verb)), f" {text_of([*led, *wrong])}"))
    return told


def _is_asserted(verb: Token) -> bool:
    """Return whether a clause stands for itself: none that is supposed, wanted or thought."""
    while verb.dep_ == "conj":
        verb = verb.head
    return verb.dep_ == "ROOT"


def _has_some(verb: Token, wrong: Sequence[Token]) -> bool:
    """Return whether somebody has one of a sort, and not of another: "a sister, not a brother"."""
    which = any(one.pos_ == "PROPN" or one.tag_ == "PRP$" for one in wrong)
    return verb.lemma_.lower() in ("have", "get") and not which


def _led(right: Sequence[Token], wrong: Sequence[Token]) -> list[Token] | None:
    """
    Return the words before the right one that hold of the wrong one, too: "allergic to".

    None if these name something, for that is so: "a nurse in York, not in Leeds".
    """
    word = wrong[0].lower_ if wrong[0].pos_ == "ADP" else None
    places = [
        place for place, one in enumerate(right)
        if one.pos_ == "ADP" and word in (None, one.lower_)
    ]  # fmt: skip
    led = list(right[: places[-1] + (word is None)]) if places else []
    return None if any(one.pos_ in ("NOUN", "NUM", "PROPN") for one in led) else led


def _wrong_but_right(tokens: Sequence[Token], place: int) -> list[str] | None:
    """Return "S is not A. S is B." for "S is not A but B"; ``place``: that of the "not"."""
    verb = tokens[place].head
    subject = child(verb, *SUBJECTS) if verb.pos_ in VERBAL else None
    but = next((n for n in range(place + 2, len(tokens)) if tokens[n].lower_ == "but"), None)
    if subject is None or but is None:
        return None
    right, wrong = _named(tokens[but + 1 :]), tokens[place + 1 : but]
    while wrong and wrong[-1].is_punct:
        wrong = wrong[:-1]
    start = verb.i + 1 - tokens[0].i if verb.lemma_.lower() not in BE else place + 1
    wrong = [one for one in wrong if one.i >= tokens[start].i] if start < len(tokens) else []
    if not right or _named(wrong) != wrong or not wrong or wrong[0].lower_ in ("only", "just"):
        return None
    led = [one for one in wrong[:1] if one.pos_ == "ADP" and right[0].pos_ != "ADP"]
    behind = tokens[but + 1 + len(right) :]
    said = f"{_clause(subject, _affirmed(verb))} {text_of([*led, *right])}"
    return [_joined(text_of(tokens[:but]), ""), _joined(said, text_of(behind))]


def _named(tokens: Sequence[Token]) -> list[Token]:
    """Return the words that tokens begin with, up to a mark, if they may name something."""
    found: list[Token] = []
    for one in tokens:
        if (one.is_punct and one.text not in "-'\u2019") or one.lower_ in ("and", "but", "or"):
            break
        if one.lower_ == "after" and one.i + 1 < len(one.doc) and one.nbor().lower_ == "all":
            break
        if one.pos_ not in _NAMING or len(found) == _LONGEST:
            return []
        found.append(one)
    last = found[-1] if found else None
    return found if last is not None and last.pos_ in ("NOUN", "NUM", "PROPN") else []


def _verb_before(tokens: Sequence[Token], place: int) -> Token | None:
    """Return the verb of the clause that a "not" behind a mark stands in."""
    for one in tokens[place].ancestors:
        if one.pos_ in VERBAL and one.i < tokens[place].i:
            return one
    return None


def _clause(subject: Token, verb: str) -> str:
    """Return a subject and its verb, which may be short: "I'm"."""
    between = "" if verb.startswith(("'", "\u2019")) else " "
    return f"{text_of(list(subject.subtree))}{between}{verb}"


def _denied(verb: Token) -> str:
    """Return a verb with "not"."""
    before = [one.text for one in children(verb, "aux", "auxpass") if one.i < verb.i]
    if before:
        return " ".join([before[0], "not", *before[1:], verb.text])
    if verb.lemma_.lower() in BE:
        return f"{verb.text} not"
    return f"{_helper(verb)} not {verb.lemma_}"


def _affirmed(verb: Token) -> str:
    """Return a verb without its "not"."""
    before = [one.text for one in children(verb, "aux", "auxpass") if one.i < verb.i]
    return " ".join([*before, verb.text])


def _helper(verb: Token) -> str:
    if verb.tag_ == "VBD":
        return "did"
    return "does" if verb.tag_ == "VBZ" else "do"


def _joined(text: str, behind: str) -> str:
    """Return a sentence of words and what follows them, which may be a mark."""
    between = " " if behind[:1].isalnum() else ""
    told = f"{text.rstrip(' ,')}{between}{behind}"
    return told if told.endswith((".", "!", "?")) else f"{told}."
