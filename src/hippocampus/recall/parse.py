"""From the words of a question to what the cues can be asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import islice, pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.config import Signatures
from hippocampus.core.records import Embedded
from hippocampus.core.word_lists import word_set
from hippocampus.encode.keywords import MOST_KEYWORDS, forms
from hippocampus.encode.random_indexing import signatures
from hippocampus.encode.signature import Rotation
from hippocampus.encode.terms import Term, find_terms
from hippocampus.index.cue import Query
from hippocampus.language.gazetteer import Gazetteer
from hippocampus.language.noun_phrases import NOUN, find_phrases, is_chaff, key_of
from hippocampus.language.nouns import use_of
from hippocampus.language.phonetic import sound_of
from hippocampus.language.question_intent import asks_last, asks_only_last
from hippocampus.language.time import find_intervals

_NO_NAMES: Final = Gazetteer()


def understand(
    text: str,
    *,
    now: datetime,
    embedded: Embedded | None,
    rotation: Rotation | None,
    speakers: Iterable[str],
    keywords: tuple[tuple[NDArray[np.uint8], ...], ...] = (),
    phrases: bool = False,
    spellings: Gazetteer = _NO_NAMES,
) -> Query:
    """
    Read a question: its terms, times, the speakers it names, and its embedding if there is one.

    Words of grammar weigh nothing, unless the question has no others. ``keywords``: as ``signed``
    returns them. ``phrases``: read those, too. ``spellings``: curated names; what is no word in one
    is read as no other phrase.
    """
    found = find_terms(text)
    only_grammar = all(term.function for term in found)
    places: dict[int, int] = {}
    weights: list[float] = []
    for term in found:
        if term.hash not in places:
            places[term.hash] = len(places)
            weights.append(0.0)
        weights[places[term.hash]] += float(only_grammar or not term.function)
    terms = np.fromiter(places, np.uint32, len(places))
    tokens = token_terms = None
    if embedded is not None and embedded.tokens is not None and rotation is not None:
        tokens = rotation.project(embedded.tokens)
        token_terms = np.full(len(tokens), -1, np.int32)
        if embedded.spans is not None:
            for place, (start, end) in enumerate(embedded.spans.tolist()):
                for term in found:
                    if term.start <= start < term.end or start <= term.start < end:
                        token_terms[place] = places[term.hash]
                        break
        else:
            token_terms[:] = 0 if places else -1
    spelled = spellings.read(text)
    spoken = [term for term in found if spelled.rest[term.start : term.end].strip()]
    known, parts = _definite(text, spoken) if phrases else (frozenset(), frozenset())
    return Query(
        text=text,
        now=now,
        terms=terms,
        term_weights=np.array(weights, np.float32),
        vector=None if embedded is None else _aligned(embedded.vector),
        tokens=tokens,
        token_terms=token_terms,
        keywords=keywords,
        phrases=_phrases(spelled.rest, spoken, places) if phrases else {},
        spelled=spelled.names,
        known=known,
        parts=parts,
        sounds=_sounds(text, spoken) if phrases else (),
        points=_pointing(text) if phrases else 0.0,
        intervals=find_intervals(text, now),
        latest=float(asks_last(text)) * (_ABOVE_ALL if asks_only_last(text) else 1.0),
        speakers=_named(_words(text, _asked_about(text, found)), speakers),
        roles=_meant(text),
    )


_ABOVE_ALL = 1000.0
"""Times as much as the latest of something: standardised scores never add up to that."""

# What stands for what "we" are at (CONCEPT, section 3.2, mode 1). "It" mostly stands for something
# in the question itself, and counts only where that names nothing.
_POINTS = re.compile(r"\b(?:we|us|our|ours|that one|this one)\b", re.IGNORECASE)
_MAY_POINT = re.compile(r"\b(?:it|its|them)\b", re.IGNORECASE)


def _pointing(text: str) -> float:
    if _POINTS.search(text):
        return 1.0
    return 0.5 if _MAY_POINT.search(text) else 0.0


def _phrases(
    text: str, found: Sequence[Term], places: Mapping[int, int]
) -> dict[int, tuple[int, ...]]:
    """
    Return the keys of a question's phrases, and of its words of content one to three at once.

    With each, the places of its words among the question's terms, as far as they are known.
    """
    keys: dict[int, tuple[int, ...]] = dict.fromkeys(
        (phrase.key for phrase in find_phrases(text)), ()
    )
    for run in _runs(found):
        keys[key_of(_said(text, run))] = tuple(places[term.hash] for term in run)
    return keys


# "The glacier paper", "our boat": something that both sides know already, where "a boat" is any.
_KNOWN = re.compile(
    r"\b(?:the|our|my|your|his|her|their|its|this|that|these|those)\s+", re.IGNORECASE
)
_BETWEEN = re.compile(r"[\s-]+")


def _definite(text: str, found: Sequence[Term]) -> tuple[frozenset[int], frozenset[int]]:
    """Return the keys of what a question takes for known, and of the words of its longer names."""
    after = {match.end() for match in _KNOWN.finditer(text)}
    known = [
        run
        for run in _runs(found)
        if run[0].start in after
        and all(_BETWEEN.fullmatch(text, a.end, b.start) for a, b in pairwise(run))
    ]
    words = (text[term.start : term.end] for run in known if len(run) > 1 for term in run)
    return frozenset(key_of(_said(text, run)) for run in known), frozenset(map(key_of, words))


def _runs(found: Sequence[Term]) -> Iterator[tuple[Term, ...]]:
    """Yield a question's words of content, one to three at once."""
    content = [term for term in found if not term.function]
    for count in (1, 2, 3):
        yield from zip(*(content[start:] for start in range(count)), strict=False)


def _said(text: str, run: Sequence[Term]) -> str:
    return " ".join(text[term.start : term.end] for term in run)


def _sounds(text: str, found: Sequence[Term]) -> tuple[str, ...]:
    words = (text[term.start : term.end].casefold() for term in found if not term.function)
    # "Went" is in no dictionary, and nobody misspelt by it.
    return tuple(filter(None, (sound_of(word) for word in words if not is_chaff(word))))


def signed(keywords: Iterable[str], how: Signatures) -> tuple[tuple[NDArray[np.uint8], ...], ...]:
    """Return the signatures of every spelling of the first ``MOST_KEYWORDS`` keywords."""
    written = [forms(keyword) for keyword in islice(keywords, MOST_KEYWORDS)]
    made = iter(signatures([form for ways in written for form in ways], how))
    return tuple(tuple(next(made) for _ in ways) for ways in written)


_FIRST = frozenset({"i", "me", "my", "mine", "myself"})
_SECOND = frozenset({"you", "your", "yours", "yourself"})


def _words(text: str, found: Iterable[Term]) -> set[str]:
    return {text[term.start : term.end].casefold() for term in found}


_SHARED = re.compile(
    r"\b(?:the|our|my|your|his|her|their)\s+(?:[\w'’-]+\s+){0,2}(?P<what>[\w'’-]+)\s+with\s+"
    r"(?P<who>\w+)(?:\s+and\s+(?P<other>\w+))?",
    re.IGNORECASE,
)


def _asked_about(text: str, found: Iterable[Term]) -> Iterator[Term]:
    """Yield the terms of a question but for who only has a part in it: "our paper with Ana"."""
    beside = {
        match.start(who)
        for match in _SHARED.finditer(text)
        if (what := match["what"].casefold()) not in word_set("shared_between_two")
        and use_of(what).noun >= NOUN
        for who in ("who", "other")
    }
    return (term for term in found if term.start not in beside)


_SENTENCE = re.compile(r"[^.!?:]+[.!?:]*")
"""A sentence; what leads to a question, before a colon, is one of its own."""
_ASIDE = re.compile(
    r"\b(?:(?:can|could|would|will) you (?:please )?)?(?:remind|tell) me\b"
    r"|\bdo you (?:still )?(?:remember|recall|know)\b",
    re.IGNORECASE,
)


def _meant(text: str) -> frozenset[str]:
    """
    Return whose turns "I" and "you" point to in a talk of user and assistant.

    Neither "I have lost track." before a question, nor "Remind me", is what it is about.
    """
    asking = [said for said in _SENTENCE.findall(text) if said.endswith("?")]
    asks = _ASIDE.sub(" ", " ".join(asking) or text)
    words = {word.partition("'")[0] for word in _words(asks, find_terms(asks))}
    roles = {"user"} if words & _FIRST else set()
    return frozenset(roles | {"assistant"} if words & _SECOND else roles)


def named(text: str, speakers: Iterable[str]) -> frozenset[str]:
    """Return the speakers whose name, or first name, stands in the text as a word."""
    return _named(_words(text, find_terms(text)), speakers)


def _named(words: set[str], speakers: Iterable[str]) -> frozenset[str]:
    words = words | {word.removesuffix("'s").removesuffix("’s") for word in words}
    return frozenset(speaker for speaker in speakers if _first_name(speaker) in words)


@lru_cache(maxsize=4096)
def _first_name(speaker: str) -> str | None:
    parts = speaker.casefold().split()
    return parts[0] if parts else None


def _aligned(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.ascontiguousarray(vector, np.float32)
