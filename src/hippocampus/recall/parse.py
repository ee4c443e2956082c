"""The first step of recall: a question becomes a query."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache, lru_cache
from itertools import islice, pairwise, takewhile
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.config import Signatures
from hippocampus.core.cue_names import USED
from hippocampus.core.records import Embedded, Interval
from hippocampus.core.word_lists import word_list, word_set
from hippocampus.encode.keywords import MOST_KEYWORDS, forms
from hippocampus.encode.random_indexing import signatures
from hippocampus.encode.signature import Rotation
from hippocampus.encode.terms import Term, find_terms, hash_terms, stem
from hippocampus.index.query import AskedFact, Possessive, Query
from hippocampus.language.asked_conversation import read_asked_conversation
from hippocampus.language.asked_of_whom import asks_what_you_said, person_asked_about
from hippocampus.language.asked_state import AskedState, asked_state
from hippocampus.language.event_anchored import find_event_anchored
from hippocampus.language.foreign_intent import (
    foreign_intents,
    foreign_listing,
    foreign_roles,
    foreign_state,
    is_foreign_small_talk,
    language_asked_in,
)
from hippocampus.language.gazetteer import Gazetteer
from hippocampus.language.noun_phrases import NOUN, find_phrases, is_chaff, key_of
from hippocampus.language.nouns import use_of
from hippocampus.language.phonetic import sound_of
from hippocampus.language.question_intent import (
    Intent,
    asks_only_last,
    find_intents,
    is_impersonal,
    is_small_talk,
    names_nothing,
    places_of,
    times_of_events,
)
from hippocampus.language.relations import relation_of
from hippocampus.language.standing import asks_for_advice
from hippocampus.language.time import find_intervals

_NO_NAMES: Final = Gazetteer()


def parse(text: str, *, now: datetime, cues: frozenset[str] = frozenset(USED)) -> Query:
    """
    Read everything off a question that its text alone tells; ``bind`` adds the rest.

    Function words weigh nothing, unless the question has no others.

    Args:
        text: the question.
        now: the present moment for it, aware.
        cues: names of the cues that it is asked of. Without ``time`` its times do not count.

    """
    timed = "time" in cues
    intervals = find_intervals(text, now) if timed else ()
    words = tuple(_without_times(find_terms(text), text, intervals))
    weights = _weights(words)
    language = language_asked_in(text)
    intents = foreign_intents(text, language) if language else find_intents(text)
    small_talk = _is_small_talk(text, words, intervals, now)
    latest = timed and "last" in intents
    resumes = timed and not (intervals or small_talk) and names_nothing(text, words)
    return Query(
        text=text,
        now=now,
        cues=cues,
        words=words,
        terms=np.fromiter(weights, np.uint32, len(weights)),
        term_weights=np.fromiter(weights.values(), np.float32, len(weights)),
        intervals=intervals,
        small_talk=small_talk,
        impersonal=not intervals and language is None and is_impersonal(text, words),
        listing=_listing(text, words, intervals, language) if not small_talk else (),
        event=find_event_anchored(text, now) if timed else None,
        intents=intents,
        state=None if intervals or small_talk or "list" in intents else _state(text, language),
        conversation=None if small_talk else read_asked_conversation(text),
        advice=asks_for_advice(text),
        latest=_ABOVE_ALL if latest and asks_only_last(text) else float(latest or resumes),
        roles=foreign_roles(text, language) if language else _roles(text),
        quoting=asks_what_you_said(_ASIDE.sub(" ", text)),
        introduced=hash_terms(person_asked_about(text)),
        possessives=tuple(_possessives(text)),
        fact=_asked_fact(text, words, intents),
    )


def _is_small_talk(
    text: str, words: Sequence[Term], intervals: Iterable[Interval], now: datetime
) -> bool:
    """Return whether a message asks for nothing, in whatever language."""
    of_today = all(_is_on(one, now) for one in intervals)
    return (of_today and is_small_talk(text, words)) or is_foreign_small_talk(text)


def _listing(
    text: str, words: Sequence[Term], intervals: Sequence[Interval], language: str | None
) -> tuple[Interval, ...]:
    """Return the times of which a question asks for whatever was then."""
    if not intervals:
        return ()
    if language:
        return foreign_listing(text, language, intervals)
    return times_of_events(text, words, intervals)


def _state(text: str, language: str | None) -> AskedState | None:
    return foreign_state(text, language) if language else asked_state(text)


def _weights(words: Sequence[Term]) -> dict[int, float]:
    """Return how much each term of a question counts, by its hash."""
    only_function = all(word.function for word in words)
    weights: dict[int, float] = {}
    for word in words:
        weights.setdefault(word.hash, 0.0)
        weights[word.hash] += float(only_function or not word.function)
    return weights


def settle(query: Query, frequency: Callable[[NDArray[np.uint32]], NDArray[np.uint32]]) -> Query:
    """
    Choose the forms of a query's words that a bank has; the most frequent stands for the word.

    ``frequency``: how many texts of the bank hold each of some terms.
    """
    several = [word for word in query.words if word.forms]
    if not several:
        return query
    asked = list({form: None for word in several for form in (word.hash, *word.forms)})
    counted = dict(zip(asked, frequency(np.array(asked, np.uint32)).tolist(), strict=True))
    words, others = [], list[tuple[int, int]]()
    for word in query.words:
        there = [form for form in (word.hash, *word.forms) if counted.get(form)]
        best = max(there, key=counted.__getitem__, default=word.hash)
        words.append(word._replace(hash=best))
        if not word.function:
            others += [(form, best) for form in there if form != best]
    weights = _weights(words)
    places = {term: place for place, term in enumerate(weights)}
    extra = {form: of for form, of in others if form not in places}
    return replace(
        query,
        words=tuple(words),
        terms=np.fromiter((*weights, *extra), np.uint32),
        term_weights=np.array([*weights.values(), *map(weights.get, extra.values())], np.float32),
        variants={len(places) + n: places[of] for n, of in enumerate(extra.values())},
    )


def _is_on(interval: Interval, now: datetime) -> bool:
    """Return whether it is of now, as the "today" of "how are you today?" is."""
    if interval.start is None or interval.end is None:
        return False
    return interval.start <= now < interval.end


def _without_times(
    words: Iterable[Term], text: str, intervals: Iterable[Interval]
) -> Iterator[Term]:
    """Yield a question's words; those of a time that was read are of grammar: "last" Friday."""
    spans = places_of(intervals, text)
    start = end = 0
    for word in words:
        while end <= word.start and (span := next(spans, None)):
            start, end = span
        yield word._replace(function=True) if start <= word.start < end else word


def bind(
    query: Query,
    *,
    embedded: Embedded | None,
    rotation: Rotation | None,
    speakers: Iterable[str],
    keywords: tuple[tuple[NDArray[np.uint8], ...], ...] = (),
    phrases: bool = False,
    gazetteer: Gazetteer = _NO_NAMES,
) -> Query:
    """
    Add to a query what needs the bank or a model.

    Args:
        query: as ``parse`` returns it.
        embedded: the question's embedding, if there is an embedder.
        rotation: turns token vectors before their signs are taken; None without signatures.
        speakers: who speaks in the bank.
        keywords: as ``signed`` returns them.
        phrases: read those, too, for a bank that has anchors.
        gazetteer: curated names; words in one are read as no other phrase.

    """
    places = {term: place for place, term in enumerate(query.terms.tolist())}
    tokens = token_terms = None
    if embedded is not None and embedded.tokens is not None and rotation is not None:
        tokens = rotation.project(embedded.tokens)
        token_terms = _token_terms(query.words, places, embedded.spans, len(tokens))
    mentions = gazetteer.read(query.text)
    spoken = [word for word in query.words if mentions.rest[word.start : word.end].strip()]
    bound = replace(
        query,
        speakers=_named(_words(query.text, _asked_about(query.text, query.words)), speakers),
        vector=None if embedded is None else _aligned(embedded.vector),
        tokens=tokens,
        token_terms=token_terms,
        keywords=keywords,
        gazetteer_keys=mentions.names,
    )
    if not phrases:
        return bound
    definite, definite_words = _definite(query.text, spoken)
    return replace(
        bound,
        phrases=_phrases(mentions.rest, spoken, places),
        definite=definite,
        definite_words=definite_words,
        phonetic_codes=_phonetic_codes(query.text, spoken),
        deixis=_deixis(query.text, query.words),
    )


def without_event(query: Query, speakers: Iterable[str]) -> Query:
    """
    Take the words for a time that hangs on an event for those of a time, once that is known.

    "What did Tom say in the week when Ana was away?" is about Tom, and not about a week. A question
    that has no other words keeps them.
    """
    if query.event is None:
        return query
    begin, end = query.event.begin, query.event.end
    words = tuple(
        word._replace(function=True) if begin <= word.start < end else word for word in query.words
    )
    beside = [word for word in words if not begin <= word.start < end]
    named = _named(_words(query.text, _asked_about(query.text, beside)), speakers)
    stays = np.isin(query.terms, [word.hash for word in beside])
    for place, of in query.variants.items():
        stays[place] = stays[of]
    if not (query.term_weights[stays] > 0).any():
        return replace(query, speakers=named)
    kept = stays.astype(np.float32)
    discounts = kept if query.term_discounts is None else kept * query.term_discounts
    weights = query.term_weights * kept
    return replace(
        query, words=words, speakers=named, term_weights=weights, term_discounts=discounts
    )


def _token_terms(
    words: Sequence[Term],
    places: Mapping[int, int],
    spans: NDArray[np.int32] | None,
    tokens: int,
) -> NDArray[np.int32]:
    """Return the place of each token's word among the terms, -1 for none."""
    of = np.full(tokens, -1, np.int32)
    if spans is None:
        of[:] = 0 if places else -1
        return of
    for place, (start, end) in enumerate(spans.tolist()):
        for word in words:
            if word.start <= start < word.end or start <= word.start < end:
                of[place] = places[word.hash]
                break
    return of


_ABOVE_ALL = 1000.0
"""Factor for "the last thing", over "the latest of something": above any sum of scores."""

# What stands for what "we" are at (CONCEPT, section 3.2, mode 1). "It" mostly stands for something
# in the question itself, and counts only where that names nothing.
_POINTS = re.compile(r"\b(?:we|us|our|ours|that one|this one)\b", re.IGNORECASE)
_MAY_POINT = re.compile(r"\b(?:it|its|them)\b", re.IGNORECASE)


def _deixis(text: str, words: Sequence[Term]) -> float:
    if _POINTS.search(text):
        return 1.0
    return 0.5 if _MAY_POINT.search(text) or names_nothing(text, words) else 0.0


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
    """Return the keys of definite phrases, and of single words in those of several words."""
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


def _phonetic_codes(text: str, found: Sequence[Term]) -> tuple[str, ...]:
    words = (text[term.start : term.end].casefold() for term in found if not term.function)
    # "Went" is in no dictionary, and nobody misspelt by it.
    return tuple(filter(None, (sound_of(word) for word in words if not is_chaff(word))))


# ---------------------------------------------------------------- the fact that is asked for

_NO_STATE: Final = re.compile(r"\b(?:when|how long|why|how many)\b", re.IGNORECASE)
_ASKS: Final = re.compile(
    r"^\W*(?:so |and |hey |remind me |tell me |do you know )*"
    r"(?:where|what|who|which|whom|at which|in which|for whom)\b",
    re.IGNORECASE,
)
_OWN: Final = re.compile(r"\b(?:my|our)\s+(?:\w+\s+)?(?P<what>\w+)", re.IGNORECASE)
_WHOSE: Final = re.compile(
    r"(?<![\w-])(?P<owner>[^\W\d_][\w-]*)['’]s (?P<what>[\w-]+(?: [\w-]+){0,2})"
)


@cache
def _relations_by_word() -> Mapping[str, frozenset[str]]:
    """Return the relations that a word in a question may ask for."""
    split = [entry.partition(": ") for entry in word_list("relation_words")]
    found: defaultdict[str, set[str]] = defaultdict(set)
    for name, _, said in split:
        for word in said.split():
            found[word].add(name)
    return {word: frozenset(names) for word, names in found.items()}


def _asked_fact(text: str, found: Iterable[Term], intents: frozenset[Intent]) -> AskedFact | None:
    """Return the fact that a question asks for; None if it asks for none, or for the past."""
    if "past" in intents or not _ASKS.search(text) or _NO_STATE.search(text):
        return None
    words = [text[term.start : term.end].casefold() for term in found]
    about = _relations_by_word()
    relations = {name for word in words for name in about.get(word, ())}
    relations |= {stem(match["what"].casefold()) for match in _OWN.finditer(text)}
    nouns = {word: meant for word in words if (meant := relation_of(word)) is not None}
    relations |= set(nouns.values())
    own = not {"i", "my", "me", "our", "we"}.isdisjoint(words)
    function_words = word_set("function_words")
    names = frozenset(word.partition("'")[0] for word in words if word not in function_words)
    if not relations or not (own or names):
        return None
    kin = word_set("kin") & frozenset(words)
    return AskedFact(frozenset(relations), names, own, kin, frozenset(nouns))


def _possessives(text: str) -> Iterator[Possessive]:
    """Yield the possessives of a text, each up to its first function word."""
    function_words = word_set("function_words")
    for match in _WHOSE.finditer(text):
        what = takewhile(lambda word: word.casefold() not in function_words, match["what"].split())
        yield Possessive(match["owner"], tuple(what))


# ---------------------------------------------------------------- keywords


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


def _roles(text: str) -> frozenset[str]:
    """
    Return whose turns "I" and "you" point to in a talk of user and assistant.

    Statements before the question ("I have lost track.") and asides ("Remind me") do not count.
    """
    asking = [said for said in _SENTENCE.findall(text) if said.endswith("?")]
    asks = _ASIDE.sub(" ", " ".join(asking) or text)
    words = {word.partition("'")[0] for word in _words(asks, find_terms(asks))}
    roles = {"user"} if words & _FIRST else set()
    return frozenset(roles | {"assistant"} if words & _SECOND else roles)


def _named(words: set[str], speakers: Iterable[str]) -> frozenset[str]:
    words = words | {word.removesuffix("'s").removesuffix("’s") for word in words}
    return frozenset(speaker for speaker in speakers if _first_name(speaker) in words)


@lru_cache(maxsize=4096)
def _first_name(speaker: str) -> str | None:
    parts = speaker.casefold().split()
    return parts[0] if parts else None


def _aligned(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.ascontiguousarray(vector, np.float32)
