"""
Plain clauses of cleft sentences: "It's nuts that Ana is allergic to" is "Ana is allergic to nuts".

A small pipeline parses the parts of a cleft in many ways, mostly not as what they are; the order of
its words is always the same. So it is read by that: "it", a form of "be", the focus, and the clause
that lacks it. What is set against the focus ("not milk", or "it's milk" in the sentence before or
after) is said of the same clause.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from hippocampus.language.parsed.clauses import BE, SUBJECTS, VERBAL, child, children

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_IS: Final = BE | {"is", "was", "are", "were"}
_NOT: Final = frozenset({"not", "n't"})
_RELATIVE: Final = frozenset({"that", "who", "which", "whom"})
_GOVERNING: Final = frozenset({"IN", "RP", "TO"})
"""Tags of a preposition, which a clause that lacks its focus often ends with."""
_NOUNS: Final = ("NOUN", "PROPN", "NUM", "PRON")
_COMPLEMENTS: Final = ("attr", "acomp", "conj")
_DO: Final = {"VBZ": "does", "VBP": "do", "VBD": "did"}


class _Focus(NamedTuple):
    """Words that a cleft puts first, or that are set against those; ``denied``: "not these"."""

    words: str
    denied: bool


class _Lacking(NamedTuple):
    """A clause that lacks its focus: who does it, "" if that is the focus, and the rest of it."""

    subject: str
    rest: Sequence[Token]


class Clefts:
    """Clefts of a text, sentence by sentence: what is set against a focus may stand in the next."""

    def __init__(self) -> None:
        self._before: list[_Focus] = []
        self._lacking: _Lacking | None = None

    def plain(self, sentence: Span) -> list[str] | None:
        """Return the plain clauses that a cleft sentence says; None if it is none."""
        tokens = [one for one in sentence if one.pos_ != "SPACE"]
        if sentence.text.rstrip().endswith("?"):
            # A question sets nothing against what follows it.
            self._before, self._lacking = [], None
            return None
        foci, lacking = _cleft(tokens, self._lacking)
        if lacking is not None:
            foci, self._before = [*self._before, *foci], []
            self._lacking = lacking
            return list(_clauses(foci, lacking))
        if foci and self._lacking is not None:
            return list(_clauses(foci, self._lacking))
        self._before, self._lacking = foci, _denied(tokens)
        return None


def _clauses(foci: Sequence[_Focus], lacking: _Lacking) -> Iterator[str]:
    for focus in foci:
        rest = text_of(lacking.rest)
        if focus.denied:
            rest = _negated(lacking.rest)
        elif not lacking.subject:
            rest = emphatic(lacking.rest)
        if not rest:
            continue
        parts = [lacking.subject, rest, focus.words] if lacking.subject else [focus.words, rest]
        yield f"{' '.join(parts)}.".replace(" '", "'")


def _cleft(
    tokens: Sequence[Token], before: _Lacking | None
) -> tuple[list[_Focus], _Lacking | None]:
    """
    Return the foci of a sentence, and the clause that lacks them, if it has one.

    ``before``: a clause of the sentence before that may lack them.
    """
    foci: list[_Focus] = []
    lacking: _Lacking | None = None
    at = _start(tokens)
    if at is None:
        return _what_is(tokens)
    while at < len(tokens):
        denied, at = _polarity(tokens, at)
        words, at = _noun_phrase(tokens, _behind_same_preposition(tokens, at, before))
        if not words:
            break
        foci.append(_Focus(text_of(words), denied))
        at = _behind_adverbs(tokens, at)
        if lacking is None:
            lacking, end = _lacking(tokens, _behind_aside(tokens, at) if denied else at)
            if lacking and not _fits(words, lacking):
                return [], None
            at = end
        following = _set_against(tokens, at)
        if following is None:
            return (foci, lacking) if lacking or at >= len(tokens) - 1 else ([], None)
        at = following
    return (foci, lacking) if lacking else ([], None)


def _start(tokens: Sequence[Token]) -> int | None:
    """Return the place of an "it is" that leads to a focus; None without one."""
    for place, (it, verb) in enumerate(pairwise(tokens)):
        if it.lower_ == "it" and verb.lower_ in _IS:
            return place
    return None


def _polarity(tokens: Sequence[Token], at: int) -> tuple[bool, int]:
    """Return whether what follows is denied, and where it begins."""
    denied = False
    while at < len(tokens) and (
        tokens[at].lower_ in _NOT | _IS | {"it"} or tokens[at].dep_ == "advmod"
    ):
        denied |= tokens[at].lower_ in _NOT
        at += 1
    return denied, at


def _behind_same_preposition(tokens: Sequence[Token], at: int, before: _Lacking | None) -> int:
    """Return the start of a focus behind a preposition that the clause before ends with, too."""
    if before is None or at >= len(tokens):
        return at
    last = before.rest[-1]
    return at + (last.tag_ in _GOVERNING and tokens[at].lower_ == last.lower_)


def _behind_aside(tokens: Sequence[Token], at: int) -> int:
    """Return the start of a clause behind an aside that corrects a focus: ", not Tom, who is"."""
    more = at + 1 < len(tokens) and tokens[at].text == "," and tokens[at + 1].lower_ in _RELATIVE
    return at + more


def _noun_phrase(tokens: Sequence[Token], at: int) -> tuple[Sequence[Token], int]:
    """Return the noun, or nouns, that begin at a place, and where they end."""
    start = at
    while at < len(tokens) and _may_name(tokens[at]):
        if tokens[at].lower_ in _RELATIVE or (at > start and _opens_clause(tokens, at)):
            break
        at += 1
    words = tokens[start:at]
    telling = any(one.pos_ in _NOUNS or one.dep_ in _COMPLEMENTS for one in words)
    return (words, at) if telling else ((), at)


def _may_name(token: Token) -> bool:
    """Return whether a token may be of a noun phrase; a rare noun is tagged as if it were none."""
    return (
        token.pos_ in ("DET", "ADJ", "NOUN", "PROPN", "NUM")
        or token.lower_ in ("of", "and", "or", "'s", "-")
        or token.tag_ == "PRP$"
        or (token.tag_ == "VB" and token.dep_ in _COMPLEMENTS)
    )


def _opens_clause(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a token begins the subject of a clause: "my son" of "lupin my son eats"."""
    for subject in tokens[at : at + 3]:
        if subject.dep_ in SUBJECTS and subject.head.pos_ in VERBAL and subject.head.i > subject.i:
            return subject.left_edge.i >= tokens[at].i or subject.i == tokens[at].i
        if subject.pos_ not in ("DET", "PRON", "ADJ", "NOUN", "PROPN"):
            return False
    return False


def _behind_adverbs(tokens: Sequence[Token], at: int) -> int:
    """Return the place behind adverbs such as "after all"."""
    while at < len(tokens) and (tokens[at].pos_ == "ADV" or tokens[at].lower_ in _ADVERBIAL):
        at += 1
    return at


_ADVERBIAL: Final = frozenset({"after", "at", "in", "all", "fact"})
"""Words of "after all", "at all" and "in fact"."""


def _set_against(tokens: Sequence[Token], at: int) -> int | None:
    """Return the start of a contrast to a focus: behind ", not", "but", ", it is"; else None."""
    comma = at < len(tokens) and tokens[at].text in (",", ";")
    at += comma
    if at >= len(tokens):
        return None
    if tokens[at].lower_ == "but":
        return at + 1
    again = tokens[at].lower_ == "it" and at + 1 < len(tokens) and tokens[at + 1].lower_ in _IS
    return at if tokens[at].lower_ in _NOT or again else None


def _lacking(tokens: Sequence[Token], at: int) -> tuple[_Lacking | None, int]:
    """Return the clause that begins at a place, if it lacks a focus, and where it ends."""
    start, end = at, at
    while end < len(tokens) and tokens[end].text not in (",", ";", ".", "!", ":"):
        if tokens[end].lower_ in _NOT | {"but"} and end and tokens[end - 1].tag_ in _GOVERNING:
            break  # "that Ana is allergic to but not ..."
        end += 1
    if start < end and tokens[start].pos_ == "CCONJ":
        return None, start
    relative = start < end and tokens[start].lower_ in _RELATIVE
    begin = start + relative
    verb = next((i for i in range(begin, end) if tokens[i].pos_ in VERBAL), None)
    if verb is None or (verb > begin and not _is_subject(tokens[begin:verb])):
        return None, start
    rest = tokens[verb:end]
    if verb == begin:
        return (_Lacking("", rest), end) if relative else (None, start)
    return (_Lacking(text_of(tokens[begin:verb]), rest), end) if _has_gap(rest) else (None, start)


def _fits(focus: Sequence[Token], lacking: _Lacking) -> bool:
    """Return whether a clause may lack some words: of "it's nice that you came", nothing is."""
    stranded = lacking.rest[-1].tag_ in _GOVERNING
    return stranded or any(one.pos_ in _NOUNS for one in focus)


def _is_subject(words: Sequence[Token]) -> bool:
    return all(
        one.pos_ in ("DET", "PRON", "ADJ", "NOUN", "PROPN", "CCONJ", "PART") for one in words
    )


def _has_gap(rest: Sequence[Token]) -> bool:
    """Return whether a predicate lacks what it governs: "is allergic to", "drives", "can't eat"."""
    words = [one for one in rest if one.pos_ != "ADV" or one.tag_ in _GOVERNING]
    if not words:
        return False
    last = words[-1]
    if last.tag_ in _GOVERNING:
        return True
    governed = child(last, "dobj")
    return last.pos_ == "VERB" and (governed is None or governed.i < last.i)


def _what_is(tokens: Sequence[Token]) -> tuple[list[_Focus], _Lacking | None]:
    """Return the focus and the clause of "what Ana drives is a Skoda", and of it turned round."""
    forms = [place for place, one in enumerate(tokens) if one.lower_ in _IS]
    if not forms:
        return [], None
    opening = _opening(tokens)
    if opening:
        words, end = _noun_phrase(tokens, forms[-1] + 1)
        lacking, stop = _lacking(tokens[: forms[-1]], opening)
        if words and lacking is not None and lacking.subject and stop == forms[-1]:
            return [_Focus(text_of(words), denied=False), *_not_that(tokens, end)], lacking
    at = forms[0]
    if at and at + 1 < len(tokens) and tokens[at + 1].lower_ == "what":
        words, end = _noun_phrase(tokens, 0)
        lacking, _ = _lacking(tokens, at + 2)
        if words and end == at and lacking is not None and lacking.subject:
            return [_Focus(text_of(words), denied=False)], lacking
    return [], None


def _opening(tokens: Sequence[Token]) -> int:
    """Return the start of a clause behind "what" or "the thing"; 0 if it begins with neither."""
    if tokens[0].lower_ == "what":
        return 1
    words = [one.lower_ for one in tokens[:3]]
    for place in (1, 2):  # "the thing", "the one thing"
        if words[place : place + 1] == ["thing"] and words[0] in ("the", "one"):
            return place + 1
    return 0


def _not_that(tokens: Sequence[Token], at: int) -> Iterator[_Focus]:
    following = _set_against(tokens, at)
    if following is not None:
        denied, at = _polarity(tokens, following)
        words, _ = _noun_phrase(tokens, at)
        if words:
            yield _Focus(text_of(words), denied)


def _denied(tokens: Sequence[Token]) -> _Lacking | None:
    """Return a denied clause without the noun it ends with, which "it's X" replaces."""
    words = [one for one in tokens if not one.is_punct]
    negated = next((one for one in words if one.dep_ == "neg" and one.lower_ in _NOT), None)
    if not words or negated is None or words[-1].dep_ not in ("pobj", "dobj", "attr"):
        return None
    verb = negated.head
    subject = child(verb, *SUBJECTS)
    start = words[-1].left_edge.i
    if subject is None or subject.i > verb.i or any(True for _ in children(verb, "expl")):
        return None
    before = [one for one in tokens if subject.right_edge.i < one.i < start and one != negated]
    who = subject.doc[subject.left_edge.i : subject.right_edge.i + 1].text
    return _Lacking(who, before) if before else None


def _negated(rest: Sequence[Token]) -> str:
    """Return a predicate with "not" put in; "" if it has one."""
    if any(one.lower_ in _NOT for one in rest):
        return ""
    if _is_auxiliary(rest[0]):
        # "'s not" behind another subject would be read as a genitive.
        first = "is" if rest[0].lower_ == "'s" else rest[0].text
        return f"{first} not {text_of(rest[1:])}"
    return emphatic(rest).replace(" ", " not ", 1)


def emphatic(rest: Sequence[Token]) -> str:
    """Return a predicate with "do": "did marry" is never taken for what somebody was."""
    verb, behind = rest[0], text_of(rest[1:])
    if _is_auxiliary(verb) or verb.tag_ not in _DO:
        return text_of(rest)
    return f"{_DO[verb.tag_]} {verb.lemma_} {behind}".strip()


def _is_auxiliary(verb: Token) -> bool:
    return verb.pos_ == "AUX" or verb.tag_ == "MD"


def text_of(tokens: Sequence[Token]) -> str:
    """Return the text of tokens; those between which others are left out stay words."""
    following = [*tokens[1:], None] if tokens else []
    parts = [
        one.text_with_ws if then is None or then.i == one.i + 1 else f"{one.text} "
        for one, then in zip(tokens, following, strict=True)
    ]
    words = "".join(parts).strip()
    return f"is{words[2:]}" if words.startswith("'s ") else words
