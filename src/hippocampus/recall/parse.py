"""The first step of recall: a question becomes a query."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from heapq import merge
from itertools import islice, pairwise, takewhile
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.altered import altered
from hippocampus.core.clock import from_micros
from hippocampus.core.config import Signatures
from hippocampus.core.cue_names import USED
from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.records import Embedded, Interval
from hippocampus.core.word_lists import word_set
from hippocampus.encode.keywords import MOST_KEYWORDS, forms
from hippocampus.encode.languages import script_of
from hippocampus.encode.random_indexing import signatures
from hippocampus.encode.signature import Rotation
from hippocampus.encode.terms import Term, find_terms, hash_terms, is_plain, stem
from hippocampus.index.query import AskedFact, Possessive, Query
from hippocampus.language.asked_choice import read_choice
from hippocampus.language.asked_conversation import read_asked_conversation
from hippocampus.language.asked_of_whom import asks_what_you_said, person_asked_about
from hippocampus.language.asked_several import asked_in_plural, asks_for_several
from hippocampus.language.asked_state import (
    AskedState,
    asked_state,
    asks_for_number,
    asks_for_the_next,
    asks_for_the_previous,
    asks_if_still,
)
from hippocampus.language.counting.asked import (
    AskedEvents,
    read_asked_events,
    read_asked_occasion,
)
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
from hippocampus.language.pointing import names_nothing, pointing, says_nothing
from hippocampus.language.question_intent import (
    Intent,
    asks_for_events,
    asks_only_last,
    find_intents,
    is_impersonal,
    is_label,
    is_small_talk,
    places_of,
    places_of_present,
    times_of_events,
    without_present,
)
from hippocampus.language.relations import NARROWER, VALUES, relation_of, relations_asked_by
from hippocampus.language.standing import asks_for_advice
from hippocampus.language.time import find_intervals, may_ask_of_time
from hippocampus.language.time.asked_language import asked_language
from hippocampus.recall.name_terms import name_terms

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
    if now.tzinfo is None or len(text) > _QUESTION or not _is_timeless(text):
        return _read(text, now, cues)
    return altered(_read_timeless(text, cues), now=now)


_QUESTION: Final = 1000
"""Characters up to which a text is likely a question, and to be asked again: longer ones are read
anew, or a cache would hold texts of any size."""


def parse_counted(text: str, *, now: datetime) -> AskedEvents:
    """Read the events that a question counts, or a phrase names, as of an aware moment."""
    return read_asked_events(text, now)


_ANY_MOMENT: Final = from_micros(0)
"""A moment as of which a text is read that says the same at any."""


def _is_timeless(text: str) -> bool:
    """Return whether a text names no time, so that it says the same at any moment."""
    return not may_ask_of_time(text)


@lru_cache(maxsize=256)
def _read_timeless(text: str, cues: frozenset[str]) -> Query:
    """Read a question that says the same at any moment; the same is often asked again."""
    query = _read(text, _ANY_MOMENT, cues)
    for shared in (query.terms, query.term_weights):
        shared.flags.writeable = False
    return query


def _read(text: str, now: datetime, cues: frozenset[str]) -> Query:
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
        language=asked_language(text),
        is_latin=_is_latin(text),
        words=words,
        text_terms=frozenset(hash_terms(text).tolist()),
        name_terms=name_terms(text),
        for_number=asks_for_number(text),
        if_still=asks_if_still(text),
        own_end=len(text.partition(": ")[0]),
        terms=np.fromiter(weights, np.uint32, len(weights)),
        term_weights=np.fromiter(weights.values(), np.float32, len(weights)),
        intervals=intervals,
        small_talk=small_talk,
        impersonal=not intervals and language is None and is_impersonal(text, words),
        listing=_listing(text, words, intervals, language) if not small_talk else (),
        event=find_event_anchored(text, now) if timed else None,
        intents=intents,
        state=None if small_talk or "list" in intents else _state(text, language, intervals),
        several=language is None and asks_for_several(text),
        counted=parse_counted(text, now=now) if "how many" in intents else None,
        occasion=None if language else read_asked_occasion(text, now),
        sort=asked_in_plural(text) if language is None else "",
        conversation=None if small_talk else read_asked_conversation(text),
        choice=None if language else read_choice(text),
        advice=asks_for_advice(text),
        latest=_ABOVE_ALL if latest and asks_only_last(text) else float(latest or resumes),
        roles=foreign_roles(text, language) if language else _roles(text),
        empty=bool(resumes) and says_nothing(text, words),
        quoting=asks_what_you_said(_ASIDE.sub(" ", text)),
        introduced=hash_terms(person_asked_about(text)),
        possessives=tuple(_possessives(timeless := without_present(text))),
        fact=_asked_fact(timeless, words, intents, intervals),
    )


def _is_latin(text: str) -> bool:
    """Return whether most letters of a text are Latin ones."""
    if is_plain(text):
        return True
    letters = [char for char in text if char.isalpha()]
    return 2 * sum(script_of(char) == "Latin" for char in letters) >= len(letters)


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


def _state(text: str, language: str | None, times: Sequence[Interval]) -> AskedState | None:
    """Return the state asked for: of a time only whether something is still planned for it."""
    if times and (language or not asks_if_still(text)):
        return None
    return foreign_state(text, language) if language else asked_state(text)


def _weights(words: Sequence[Term]) -> dict[int, float]:
    """Return the weight of each term of a question, by its hash."""
    only_function = all(word.function for word in words)
    weights: dict[int, float] = {}
    for word in words:
        weights.setdefault(word.hash, 0.0)
        weights[word.hash] += float(only_function or not word.function)
    return weights


def choose_forms(
    query: Query, frequency: Callable[[NDArray[np.uint32]], NDArray[np.uint32]]
) -> Query:
    """
    Choose the forms of a query's words that a bank has; the most frequent stands for the word.

    Who is named and was never heard of is nobody. ``frequency``: how many texts of the bank hold
    each of some terms.
    """
    asked = list({form: None for word in query.words for form in (word.hash, *word.forms)})
    counted = dict(zip(asked, frequency(np.array(asked, np.uint32)).tolist(), strict=True))
    query = _of_nobody(query, counted)
    if not any(word.forms for word in query.words):
        return query
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
    return altered(
        query,
        words=tuple(words),
        terms=np.fromiter((*weights, *extra), np.uint32),
        term_weights=np.array([*weights.values(), *map(weights.get, extra.values())], np.float32),
        variants={len(places) + n: places[of] for n, of in enumerate(extra.values())},
    )


def _of_nobody(query: Query, counted: Mapping[int, int]) -> Query:
    """Note the words of a query that nobody said, and whether it speaks of anybody at all."""
    unheard = frozenset(
        word.hash for word in query.words
        if not word.function and not any(counted.get(form) for form in (word.hash, *word.forms))
    )  # fmt: skip
    if query.impersonal and is_label(query.text, query.words, unheard):
        query = altered(query, impersonal=False)  # "wifi?" is of a thing that was told
    if not unheard:
        return query
    strange = query.impersonal or (
        not query.intervals
        and is_impersonal(query.text, query.words, unheard)
        and not is_label(query.text, query.words, unheard)
        and language_asked_in(query.text) is None
    )
    return altered(query, unheard=unheard, impersonal=strange)


def _is_on(interval: Interval, now: datetime) -> bool:
    """Return whether it is of now, as the "today" of "how are you today?" is."""
    if interval.start is None or interval.end is None:
        return False
    return interval.start <= now < interval.end


def _without_times(
    words: Iterable[Term], text: str, intervals: Iterable[Interval]
) -> Iterator[Term]:
    """
    Yield a question's words; those of a time that was read are of grammar: "last" Friday.

    So are words that only say that it is asked as of now: of "my current boss" the boss counts.
    """
    spans = merge(places_of(intervals, text), places_of_present(text))
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
    told: dict[str, Any] = {}
    if phrases:
        definite = _definite(query.text, spoken, query.unheard)
        told = {
            "phrases": _phrases(mentions.rest, spoken, places),
            "definite": definite.keys,
            "definite_words": definite.words,
            "described": definite.described,
            "phonetic_codes": _phonetic_codes(query.text, spoken),
            "deixis": pointing(query.text, query.words),
        }
    return altered(
        query,
        speakers=_named(_words(query.text, _asked_about(query.text, query.words)), speakers),
        vector=None if embedded is None else _aligned(embedded.vector),
        tokens=tokens,
        token_terms=token_terms,
        keywords=keywords,
        gazetteer_keys=mentions.names,
        **told,
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
        return altered(query, speakers=named)
    kept = stays.astype(np.float32)
    discounts = kept if query.term_discounts is None else kept * query.term_discounts
    weights = query.term_weights * kept
    return altered(
        query, words=words, speakers=named, term_weights=weights, term_discounts=discounts
    )


def at_event(query: Query, times: Sequence[Interval], speakers: Iterable[str]) -> Query:
    """Give a query the time that hangs on an event, once it is known when that took place."""
    join = query.event
    if join is None:
        return query
    own = [one for one in query.intervals if one.text not in join.event]
    query = without_event(query, speakers)
    intervals = (*own, *join.resolve(times, query.now))
    names = {name for speaker in query.speakers for name in speaker.casefold().split()}
    whatever = asks_for_events(query.text, query.words, names)
    return altered(query, intervals=intervals, listing=intervals if whatever else ())


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
    none = len(words)
    first = [none] * max((word.end for word in words), default=0)  # of each character, its word
    for at in range(none - 1, -1, -1):  # where several are, as of pairs, the first one stays
        begin, end = words[at].start, words[at].end
        first[begin:end] = [at] * (end - begin)
    for place, (begin, end) in enumerate(spans.tolist()):
        at = min(first[begin : max(end, begin + 1)], default=none)
        if at < none:
            of[place] = places[words[at].hash]
    return of


_ABOVE_ALL = 1000.0
"""Factor for "the last thing", over "the latest of something": above any sum of scores, which are
some standard deviations each."""


def _phrases(
    text: str, found: Sequence[Term], places: Mapping[int, int]
) -> dict[int, tuple[int, ...]]:
    """
    Return the keys of a question's phrases, and of its words of content one to three at once.

    With each, the places of its words among the question's terms, as far as they are known.
    """
    found_in = _keys_of_phrases if len(text) <= _QUESTION else _keys_of_phrases.__wrapped__
    keys: dict[int, tuple[int, ...]] = dict.fromkeys(found_in(text), ())
    for run in _runs(found):
        keys[key_of(_said(text, run))] = tuple(places[term.hash] for term in run)
    return keys


@lru_cache(maxsize=256)
def _keys_of_phrases(text: str) -> tuple[int, ...]:
    """Return the keys of a question's phrases; the same is often asked again."""
    return tuple(phrase.key for phrase in find_phrases(text))


# "The glacier paper", "our boat": something that both sides know already, where "a boat" is any.
_KNOWN = lazy_pattern(
    r"\b(?:the|our|my|your|his|her|their|its|this|that|these|those)\s+", re.IGNORECASE
)
_BETWEEN = lazy_pattern(r"[\s-]+")
# Between a noun and what tells which one is meant: "the paper on glaciers". What "in", "at", "with"
# or "to" lead to mostly says where, with whom or why something is done.
_MODIFIES = lazy_pattern(
    r"\s+(?:about|against|between|for|of|on|over)\s+(?:(?:the|an?|our|my)\s+)?", re.IGNORECASE
)
_OURS = lazy_pattern(r"\b(?:the|our|my|this|that|these|those)\s+", re.IGNORECASE)


class _Definite(NamedTuple):
    """Definite phrases of a question: keys of phrases, of their words, and described things."""

    keys: frozenset[int]
    words: frozenset[int]
    described: tuple[tuple[int, ...], ...]


def _definite(text: str, found: Sequence[Term], unheard: Collection[int]) -> _Definite:
    """
    Return the things that a question takes for known, "the glacier paper", "the paper on glaciers".

    What was never heard of is not known to both sides: "the capital of France".
    """
    after = {match.end() for match in _KNOWN.finditer(text)}
    joined = [
        run
        for run in _runs(found)
        if not any(term.hash in unheard for term in run)
        and all(_BETWEEN.fullmatch(text, a.end, b.start) for a, b in pairwise(run))
    ]
    known = [run for run in joined if run[0].start in after]
    ours = {match.end() for match in _OURS.finditer(text)}
    heads = [run for run in known if run[0].start in ours]
    modifying = list(_modifying(text, heads, joined))
    words = (text[term.start : term.end] for run in known if len(run) > 1 for term in run)
    keys = (key_of(_said(text, run)) for run in (*known, *(run for _, run in modifying)))
    return _Definite(
        frozenset(keys),
        frozenset(map(key_of, words)),
        tuple((head.hash, *(term.hash for term in run)) for head, run in modifying),
    )


def _modifying(
    text: str, known: Sequence[tuple[Term, ...]], joined: Sequence[tuple[Term, ...]]
) -> Iterator[tuple[Term, tuple[Term, ...]]]:
    """Yield the nouns that a question takes for known, and the longest run that says which."""
    longest = {run[0].start: run for run in joined}  # a longer one comes after a shorter
    for head in {run[0].start: run for run in known}.values():
        gap = _MODIFIES.match(text, head[-1].end)
        run = longest.get(gap.end()) if gap else None
        if run is not None:
            yield head[-1], run


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

_NO_STATE: Final = lazy_pattern(
    r"\b(?:when|how long|why|how many|(?:think|feel|say|said|thought)\s+(?:about|of))\b",
    re.IGNORECASE,
)
_ASKS: Final = lazy_pattern(
    r"^\W*(?:so |and |hey |remind me |tell me |do you know )*"
    r"(?:(?:where|what|who)s?|which|whom|at which|in which|for whom)\b",
    re.IGNORECASE,
)
_WHO_IS: Final = lazy_pattern(
    r"\bwho(?:['’]?s|\s+(?:is|are))\b|\bwhat(?:['’]?s|\s+is)\b[^?]*\bcalled\b", re.IGNORECASE
)
_NAME_OF: Final = lazy_pattern(
    r"(?<=\w)['’]s?\s+(?:(?:first|last|full)\s+)?names?\b", re.IGNORECASE
)
_OWN: Final = lazy_pattern(r"\b(?:my|our)\s+(?:\w+\s+)?(?P<what>\w+)\b(?!['’])", re.IGNORECASE)
_WHOSE: Final = lazy_pattern(
    r"(?<![\w-])(?:(?P<own>my|our)|(?P<owner>[^\W\d_][\w-]*)['’]s?)\s+"
    r"(?=(?P<what>[\w-]+(?: [\w-]+){0,2}))",
    re.IGNORECASE,
)
_MAILING: Final = frozenset({"email", "e-mail", "mail", "web", "ip"})
_POSSESSIVE: Final = frozenset({"my", "our", "the", "of", "a"})
_NAMED_IN: Final = 7
"""Words of the name of something by whose it is, at most: in more, more is asked than a fact of
somebody. Set by hand."""
_OF: Final = lazy_pattern(r"(?<![\w-])(?P<what>[\w-]+)\s+of\s+(?P<owner>[A-Z][\w-]*)(?!['’\w-])")


def _asked_fact(
    text: str, found: Iterable[Term], intents: frozenset[Intent], times: tuple[Interval, ...]
) -> AskedFact | None:
    """Return the fact that a question asks for; None if it asks for none, or for any past one."""
    of = _state_asked_for(text, intents, times)
    if of is None or _NO_STATE.search(text):
        return None
    every = list(found)
    named = _NAME_OF.sub("", text)  # whose name is asked for, they are: "my wife's name"
    said = every if named == text else find_terms(named)
    words = [named[term.start : term.end].casefold() for term in said]
    content = {word for word, term in zip(words, said, strict=True) if not term.function}
    if not _ASKS.search(text) and not _is_possession(text, words):
        return None
    relations = {name for word in words for name in relations_asked_by(word)}
    if not _MAILING.isdisjoint(words):  # an address at which nobody lives
        relations.discard("lives_in")
    relations |= {stem(match["what"].casefold()) for match in _OWN.finditer(named)}
    nouns = {word: meant for word in words if (meant := relation_of(word)) is not None}
    relations |= set(nouns.values())
    possessives = tuple(_possessives(named))
    relations |= {
        stem(word.casefold()) for one in possessives if one.owner for word in one.what[-1:]
    }
    relations |= {NARROWER[one] for one in relations & NARROWER.keys()}
    whose = {one.of for one in possessives} - {None}  # "my sister's dog" is not mine
    own = not {"i", "my", "me", "our", "we"}.isdisjoint(words) and not whose
    names = frozenset(word.partition("'")[0] for word in content)
    if not relations or not (own or names):
        return None
    kin = word_set("kin") & {*words, *_whose_value(possessives)}
    if named != text or _is_who(text, words, kin):  # then kin is asked for, not of kin
        kin = word_set("kin") & {one.owner.casefold() for one in possessives}
    within = times if of == "then" else ()
    return AskedFact(frozenset(relations), names, own, kin, frozenset(nouns), of, within)


def _whose_value(possessives: Iterable[Possessive]) -> Iterator[str]:
    """Yield the owners of a home, job or number asked for: "mum" of "mum's address"."""
    for one in possessives:
        noun = one.what[-1].casefold() if one.what else ""
        if relations_asked_by(noun) or relation_of(noun) in VALUES:
            yield one.owner.casefold()


def _state_asked_for(
    text: str, intents: frozenset[Intent], times: tuple[Interval, ...]
) -> Literal["now", "before", "next", "then"] | None:
    """Return the state that a question asks for: the present, one beside it, one of its times."""
    if times:
        closed = all(one.start is not None and one.end is not None for one in times)
        return "then" if "past" in intents and closed else None
    if "past" not in intents:
        return "next" if asks_for_the_next(text) else "now"
    return "before" if asks_for_the_previous(text) else None


def _is_who(text: str, words: Iterable[str], kin: Collection[str]) -> bool:
    """Return whether a question is only for who somebody's kin is: "who is my boss?"."""
    meant = {relation_of(one) for one in kin}
    others = {name for word in words for name in relations_asked_by(word)} - meant
    return bool(kin) and not others and _WHO_IS.search(text) is not None


def _is_possession(text: str, words: Sequence[str]) -> bool:
    """Return whether a question is only the name of something by whose it is: "Ada's address"."""
    grammar = word_set("function_words").intersection(words)
    return (
        len(words) <= _NAMED_IN
        and grammar <= _POSSESSIVE
        and bool(_WHOSE.search(text) or _OF.search(text))
    )


_PART: Final = lazy_pattern(r"[\w-]+")


def _possessives(text: str) -> Iterator[Possessive]:
    """Yield the possessives of a text, each up to its first function word, owners before owned."""
    function_words, ends = word_set("function_words"), dict[int, int]()
    for place, match in enumerate(_WHOSE.finditer(text)):
        said = list(_PART.finditer(match["what"]))
        what = list(takewhile(lambda word: word[0].casefold() not in function_words, said))
        if what:
            ends[match.start("what") + what[-1].end()] = place
        owner = "" if match["own"] else match["owner"]
        of = None if match["own"] else ends.get(match.end("owner"))
        yield Possessive(owner, tuple(word[0] for word in what), of)
    for match in _OF.finditer(text):
        if match["what"].casefold() not in function_words:
            yield Possessive(match["owner"], (match["what"],))


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


_SHARED = lazy_pattern(
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


_SENTENCE = lazy_pattern(r"[^.!?:]+[.!?:]*")
"""A sentence; what leads to a question, before a colon, is one of its own."""
_ASIDE = lazy_pattern(
    r"\b(?:(?:can|could|would|will) you (?:please )?)?(?:remind|tell) me\b"
    r"|\bdo you (?:still )?(?:remember|recall|know)\b",
    re.IGNORECASE,
)


def _roles(text: str) -> frozenset[str]:
    """
    Return the roles that "I" and "you" point to in a talk of user and assistant.

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
