"""
Statements of a text by its dependency parse: who has which relation to whom, or to what.

Nouns of relation ("my wife Ada"), what somebody is ("a nurse, allergic to nuts"), and verbs with a
frame ("moved to Oslo") are read alike, whatever surrounds them; questions, conditions, wishes, what
strangers say and what is said to "you" tell nothing. A wrong fact is worse than a missing one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final

from hippocampus.core.records import Statement
from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.encode.terms import stem
from hippocampus.language.noun_sorts import is_vehicle, is_work
from hippocampus.language.nouns import singular
from hippocampus.language.parsed.being import (
    tell_apposition,
    tell_being,
    tell_fragment,
    tell_role,
)
from hippocampus.language.parsed.clauses import (
    BE,
    SUBJECTS,
    VERBAL,
    Clause,
    children,
    is_aside,
    is_asked,
    is_known,
    is_left_out,
    is_unreal,
    members,
    subject_of,
)
from hippocampus.language.parsed.clefts import Clefts
from hippocampus.language.parsed.contrasts import with_denials
from hippocampus.language.parsed.doing import tell_doing
from hippocampus.language.parsed.frames import framing_verbs
from hippocampus.language.parsed.gapping import with_verbs
from hippocampus.language.parsed.kin import is_made_up, tell_kin
from hippocampus.language.parsed.pipeline import parse
from hippocampus.language.parsed.referents import Referents
from hippocampus.language.parsed.tidy import paragraphs
from hippocampus.language.parsed.values import tell_values
from hippocampus.language.relations import relation_of
from hippocampus.language.told_text import ToldText

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_RE: Final = Patterns("parsed")
_POINTING: Final = frozenset("it this that these those them him her us one ones".split())
_OF_TWO: Final = frozenset({"married_to", "partner"})
"""Relations that are not each one's, if they are said of several."""


def read_parsed(told: Sequence[ToldText]) -> list[list[tuple[Statement, str]]]:
    """
    Return the statements of each text, each once, in order, with the sentence that says it.

    Only paragraphs with a word on which a statement may hang are parsed; of a text that is read
    for what it says of who talks, only those that speak of either.
    """
    telling = [
        [
            # Whose mother an assistant speaks of is the one who talks to it.
            line for line in paragraphs(one.text, whose="your" if one.by_machine else "my")
            if _may_tell(line) and (not one.addressed or _RE.here.search(line))
        ]
        for one in told
    ]  # fmt: skip
    lines = [line for of_one in telling for line in of_one]
    docs = iter(parse(lines) if lines else [])
    return [
        _read_docs(islice(docs, len(of_one)), Referents(one.speaker, one.you))
        for one, of_one in zip(told, telling, strict=True)
    ]


def _read_docs(docs: Iterable[Doc], referents: Referents) -> list[tuple[Statement, str]]:
    """Return the statements of the paragraphs of a text."""
    clefts = Clefts()
    found: dict[Statement, str] = {}
    for doc in docs:
        for sentence in doc.sents:
            for plain in _plain(sentence, clefts):
                for said in _read(plain, referents):
                    # Nobody has a relation to themself, or to "them": that was misread.
                    if said.object.casefold() not in {said.subject.casefold(), *_POINTING}:
                        found.setdefault(said, sentence.text)
                referents.hear(plain)
    return [
        # Last, since what "Ada's dad" is called may be told after what he does.
        (said._replace(subject=referents.named.get(said.subject, said.subject)), sentence)
        for said, sentence in found.items()
    ]


def _plain(sentence: Span, clefts: Clefts) -> list[Span]:
    """Return a sentence as those that say the same with each word in its usual place."""
    # The first that applies, and once: what was rewritten is parsed again, and is plain then.
    rewritten = clefts.plain(sentence) or with_denials(sentence) or with_verbs(sentence)
    if rewritten is None:
        return [sentence]
    return [plain for doc in parse(rewritten) for plain in doc.sents]


def _may_tell(line: str) -> bool:
    return _RE.stays.search(line) is not None or any(
        map(_is_telling, _RE.word.findall(line.casefold()))
    )


@lru_cache(maxsize=1 << 15)
def _is_telling(word: str) -> bool:
    """Return whether a word may be what a statement hangs on."""
    named = word in word_set("diets") or word in word_set("kin") or relation_of(word) is not None
    if named or stem(word) in _stems():
        return True
    return is_work(singular(word)) or is_vehicle(word)


@lru_cache(maxsize=1)
def _stems() -> frozenset[str]:
    return frozenset(map(stem, [*framing_verbs(), *word_set("telling_words")]))


def _read(sentence: Span, referents: Referents) -> Iterator[Statement]:
    """Yield the statements of a sentence."""
    for token in sentence:
        yield from tell_kin(token, referents)
    for token in sentence:
        verbal = token.pos_ in VERBAL or token.dep_ == "ROOT"
        if verbal and not _is_void(token, referents):
            yield from _of_each(_clause(token, referents), referents)
        if token.dep_ == "ROOT" and not is_asked(token):
            yield from tell_fragment(token, referents)
        above = (one for one in token.ancestors if one.pos_ in VERBAL)
        if token.dep_ == "appos" and not any(_is_void(one, referents) for one in above):
            yield from tell_apposition(token, referents)
    if not sentence.text.rstrip().endswith("?"):
        yield from tell_role(sentence, referents)
        yield from tell_values(sentence, referents)


def _of_each(clause: Clause, referents: Referents) -> Iterator[Statement]:
    """Yield the statements of a clause on its subject, and on each that "and" joins to it."""
    tell = tell_being if clause.lemma in BE else tell_doing
    among = [] if clause.subject is None else members(clause.subject)
    if clause.subject is not None and not among:
        return
    referents.met(clause)
    yield from tell(clause, referents)
    for one in among[1:]:
        who = referents.entity(one)
        if who is not None and who != clause.who:
            for said in tell(Clause(clause.verb, one, who), referents):
                theirs = said.subject == who and said.relation not in _OF_TWO
                if theirs or said.object == who:
                    yield said


def _clause(verb: Token, referents: Referents) -> Clause:
    subject = subject_of(verb)
    # "There is" has no subject of whom anything is told.
    if any(True for _ in children(verb, "expl")):
        return Clause(verb, subject, None)
    if subject is not None:
        return Clause(verb, subject, referents.entity(subject))
    return Clause(verb, None, referents.speaker if is_left_out(verb) else None)


def _is_void(verb: Token, referents: Referents) -> bool:
    """Return whether a clause tells nothing: it is asked, only possible, or said to a stranger."""
    if is_asked(verb) or is_unreal(verb, lambda who: referents.entity(who) is not None):
        return True
    if is_made_up(verb):
        return True
    return referents.other is None and any(
        one.lower_ == "you" for above in _saying(verb) for one in children(above, *SUBJECTS)
    )


def _saying(verb: Token) -> Iterator[Token]:
    """Yield a verb and those above it that bear on whether it is so."""
    yield verb
    while verb.head != verb and not (is_known(verb) or is_aside(verb)):
        verb = verb.head
        yield verb
