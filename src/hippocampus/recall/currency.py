"""
Currency: of hits that are of one matter, the newest first where the present is asked for.

"What do I pay for cod?" is answered by the last price that was told, and the first price may be
told in more of the question's words. Two hits are of one matter as far as they share words that
are rare in the bank; the more they share, the larger a lead of the older the newer makes up. Where
the question asks for what was before, the oldest comes first in the same way.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import combinations, product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Floats, Rows32
from hippocampus.core.word_lists import word_set
from hippocampus.encode.languages import ENGLISH
from hippocampus.encode.terms import (
    UNSPACED_ONE,
    hash_terms,
    hash_terms_in,
    hashes_of_light_words,
    language_of,
)
from hippocampus.index.query import Query
from hippocampus.index.sorted_sets import each_once, is_among
from hippocampus.kernel import top_k
from hippocampus.language.asked_state import (
    AskedState,
    tells_number,
    tells_of_now,
)
from hippocampus.language.filled_roles import filled_roles
from hippocampus.language.rival_statements import find_of_one_frame, tells_correction
from hippocampus.recall.done_since import done_since
from hippocampus.recall.propose import Search
from hippocampus.recall.scored import Scored
from hippocampus.recall.spreading_activation import ReadTexts

_LONGEST: Final = 4000
"""Characters of a text whose words are compared: a bound on the cost of long texts, set by hand."""
_TELLING: Final = 400
"""Characters of a text by which its language is told: dozens of words of grammar, where two are
enough."""
_COMPARED: Final = 8
"""Best hits that are compared; hits further down are seldom of the matter, and each is read
(docs/adr/0057)."""
_SHARED: Final = 30.0
"""Standard deviations more that a newer hit makes up where it shares all rare words; from 20 to 45
little changes (docs/adr/0057)."""
_KIN: Final = 0.02
"""Share of rare words from which two hits are of one matter at all (docs/adr/0057): what makes up
for a lead needs a common word, however light."""
_SURELY_KIN: Final = 0.3
"""The same, for a question that does not say of when it asks. With both least shares .694 of
everyday questions are answered first, without them .689 (docs/adr/0057)."""
_FEW: Final = 50
"""Episodes that a bank is taken to have at least where it says how rare a word is; set by hand."""
_ASKED: Final = np.float32(2)
"""Factor on the words of the question, which are the matter that is asked for: .717 to .726 of
everyday questions answered first (docs/adr/0062)."""
_MOST: Final = 8.0
"""Standard deviations that it makes up at most: what lies farther behind is not what is asked for
(docs/adr/0057)."""
_CLOSE: Final = 1.0
"""Standard deviations that what was done makes up on its plan where they share no rare word; set by
hand."""
_CORRECTED: Final = 20.0
"""Standard deviations that an explicit correction of what was said last makes up at most: nearly
any, for it says itself what it is of. Set by hand."""
_BEHIND: Final = np.float32(1)
"""Distance at which a correction follows what it may correct, where something was said between: it
is shown with it, and does not hide it. Set by hand."""
_UNSURE: Final = 0.5
"""Factor for a question that does not say of when it asks, and is not of the asker's own life: with
all of it LoCoMo's first hits fell from .541 to .495 (docs/adr/0057)."""
_AHEAD: Final = 1e-3
"""Lead over what a hit overtakes, in standard deviations: only their order is to change."""


def gain_by_time(search: Search, scored: Scored, read: ReadTexts) -> Floats | None:
    """Return the gains of hits that overtake older, or newer, ones of their matter, as is asked."""
    query, fusion = search.query, search.fusion
    if not fusion.currency or len(scored.rows) < 2 or _wants_all(query):
        return None
    places = top_k(scored.scores, _COMPARED)
    rows, scores = scored.rows[places], scored.scores[places]
    texts = read(rows.tolist())
    newest = query.state is None or query.state.newest
    later = _later(search, rows)
    before = later if newest else later.T
    told = _told_of_now(search, rows, texts)
    corrects = later & _corrects(search, rows, texts, scores)
    puts_right = corrects & ~(corrects @ later)  # none of the matter was said between
    may = before & (_of_one_frame(query, rows, texts) | _of_one_role(search, rows, texts))
    if query.state is not None:
        may |= before & _of_one_matter(search, query.state, rows, scores + told, texts)
    may |= puts_right | (before & _of_what_was_planned(search, rows, scores, texts))
    if not (may.any() or told.any() or corrects.any()):
        return None
    # Of several that overtake one, the newest comes first, or the oldest.
    step = _AHEAD * (1 + later.sum(axis=1 if newest else 0))
    raised = np.where(
        may, (scores + told)[None, :] + step[:, None], scores[:, None] + told[:, None]
    )
    follows = np.where(corrects, scores[None, :] - _BEHIND, scores[:, None])
    raised = np.maximum(raised, follows)
    gained = np.maximum(raised.max(axis=1) - scores, 0).astype(np.float32)
    if not gained.any():
        return None
    gain = np.zeros(len(scored.rows), np.float32)
    gain[places] = gained
    return gain


def _wants_all(query: Query) -> bool:
    """Return whether a question is for all of several things, or for those of some time."""
    of_time = bool(query.intervals) and (query.state is None or bool(query.listing))
    return of_time or query.small_talk or "list" in query.intents


def _of_one_matter(
    search: Search, state: AskedState, rows: Rows32, scores: Floats, texts: Mapping[int, str]
) -> NDArray[np.bool_]:
    """Return a mask of rows that may overtake others, by words they share, shape (rows, rows)."""
    weight, least = (1.0, _KIN) if state.sure else (_UNSURE, _SURELY_KIN)
    behind = scores[None, :] - scores[:, None]
    may: NDArray[np.bool_] = (behind >= 0) & (behind <= weight * _MOST)
    may &= scores.max() - scores[None, :] <= _MOST  # else it is not what is asked for
    may[search.index.columns.role.holds("assistant", rows.astype(np.intp))] = False
    if search.query.for_number:  # "and it's fine with warfarin" tells no dose
        may[[not tells_number(texts.get(row, "")) for row in rows.tolist()]] = False
    if not may.any():
        return may
    kinship = _kinship(search, rows, texts)
    may &= behind <= weight * (search.fusion.currency + _SHARED * kinship)
    return may & (kinship >= least)


def _of_what_was_planned(
    search: Search, rows: Rows32, scores: Floats, texts: Mapping[int, str]
) -> NDArray[np.bool_]:
    """Return a mask of rows that may overtake others, as what they plan is done, (rows, rows)."""
    may = done_since(search.query, rows, texts)
    may[search.index.columns.role.holds("assistant", rows.astype(np.intp))] = False
    if not may.any():
        return may
    behind = scores[None, :] - scores[:, None]
    kinship = _kinship(search, rows, texts)
    near = np.where(kinship >= _KIN, search.fusion.currency + _SHARED * kinship, _CLOSE)
    return may & (behind >= 0) & (behind <= np.minimum(near, _MOST))


def _of_one_frame(query: Query, rows: Rows32, texts: Mapping[int, str]) -> NDArray[np.bool_]:
    """
    Return a mask of texts whose statements are alike but for their ends, shape (rows, rows).

    For a question that asks for no state they are of what is past, and what is alike has a word of
    the question's beyond names: else it is no answer to it.
    """
    said = [texts.get(row, "") for row in rows.tolist()]
    alike = np.zeros((len(rows), len(rows)), np.bool_)
    for one, other, matter in find_of_one_frame(said, over=query.state is None):
        if query.state is not None or is_among(_terms(matter), _asked_words(query)).any():
            alike[one, other] = alike[other, one] = True
    return alike


def _of_one_role(search: Search, rows: Rows32, texts: Mapping[int, str]) -> NDArray[np.bool_]:
    """Return a mask of pairs of texts that fill one role that is asked for, shape (rows, rows)."""
    same = np.zeros((len(rows), len(rows)), np.bool_)
    asked = search.query.fact
    if asked is None:
        return same
    codes = search.index.columns.speaker.codes[rows.astype(np.intp)].tolist()
    filled = [
        {(role, role.whose or code) for role in filled_roles(texts.get(row, ""))
         if asked.asks_who(role)}
        for row, code in zip(rows.tolist(), codes, strict=True)
    ]  # fmt: skip
    for one, other in combinations(range(len(rows)), 2):
        if not filled[one].isdisjoint(filled[other]):
            same[one, other] = same[other, one] = True
    return same


def _corrects(
    search: Search, rows: Rows32, texts: Mapping[int, str], scores: Floats
) -> NDArray[np.bool_]:
    """
    Return a mask of texts that correct others in so many words, shape (rows, rows).

    Of one matter they are as far as they share a word that is asked for: "correction about the
    budget" leaves out of which project it is.
    """
    said = [texts.get(row, "") for row in rows.tolist()]
    mends = np.array([tells_correction(text) for text in said], np.bool_)
    mends &= ~search.index.columns.role.holds("assistant", rows.astype(np.intp))
    corrects = np.zeros((len(rows), len(rows)), np.bool_)
    state = search.query.state
    if state is None or not state.newest or not mends.any():
        return corrects
    asked = _asked_words(search.query)
    has = [frozenset(one[is_among(one, asked)].tolist()) for one in map(_terms, said)]
    for one, other in product(np.flatnonzero(mends).tolist(), range(len(rows))):
        near = scores[other] - scores[one] <= _CORRECTED
        corrects[one, other] = near and one != other and not has[one].isdisjoint(has[other])
    return corrects


def _asked_words(query: Query) -> NDArray[np.uint32]:
    """Return the hashes of a question's words that are no names, nor units, ascending."""
    asked = each_once(query.terms[query.term_weights > 0])
    return asked[~(is_among(asked, query.name_terms) | is_among(asked, _units()))]


def _told_of_now(search: Search, rows: Rows32, texts: Mapping[int, str]) -> Floats:
    """Return the gains of rows that say that it is so now, shape (rows,)."""
    state = search.query.state
    if state is None or not state.newest:
        return np.zeros(len(rows), np.float32)
    says = np.array([tells_of_now(texts.get(row, "")) for row in rows.tolist()], np.bool_)
    says &= ~search.index.columns.role.holds("assistant", rows.astype(np.intp))
    gained: Floats = says * np.float32(search.fusion.tells_of_now * (1 if state.sure else _UNSURE))
    return gained


def _later(search: Search, rows: Rows32) -> NDArray[np.bool_]:
    """Return whether each row was said after each other one, shape (rows, rows)."""
    said = search.index.columns.occurred_at(rows)
    after = said[:, None] > said[None, :]
    sessions = search.index.columns.session.codes[rows.astype(np.intp)]
    at_once = said[:, None] == said[None, :]
    at_once &= (sessions[:, None] == sessions[None, :]) | (sessions < 0)
    later: NDArray[np.bool_] = after | (at_once & (rows[:, None] > rows[None, :]))
    return later


def _kinship(search: Search, rows: Rows32, texts: Mapping[int, str]) -> Floats:
    """
    Return the share of rare words that rows have in common, in [0, 1], shape (rows, rows).

    The question's words count more: what two hits share of those is the matter that is asked for.
    """
    asked_in = search.query.language
    terms = [_read(texts.get(row, "")[:_LONGEST], asked_in) for row in rows.tolist()]
    said = np.concatenate(terms)
    every = each_once(said)
    places = every.searchsorted(said)
    has = np.zeros((len(rows), len(every)), np.float32)
    has[np.repeat(np.arange(len(rows)), [len(own) for own in terms]), places] = 1
    count = len(search.cues.lexical)
    # A small bank does not tell what is rare: in one all of one matter, each word of it is common.
    rarity = search.cues.lexical.rarity(every)
    rarity += np.float32(math.log((max(count, _FEW) + 1) / (count + 1)))
    said_in = {_language_of(texts.get(row, "")) for row in rows.tolist()}
    for language in {ENGLISH, search.query.language, *said_in} - {None}:
        rarity[is_among(every, hashes_of_light_words(language))] = 0
    rarity[is_among(every, _adverbs())] = 0
    asked = each_once(search.query.terms[search.query.term_weights > 0])
    rarity[is_among(every, asked)] *= _ASKED
    # That two hits are of somebody who is asked about makes them no one matter yet.
    rarity[is_among(every, search.query.name_terms)] = 0
    weighed = has * rarity
    own = np.maximum(weighed.sum(axis=1), 1)
    kinship: Floats = weighed @ has.T / np.minimum.outer(own, own)
    # Of all of several who are asked about, or of whom it is asked if it is still so, they are.
    names = _forms_of_names(search.query)
    if len(names) > 1 or (names and search.query.if_still):
        of_all = np.logical_and.reduce([has[:, is_among(every, one)].any(axis=1) for one in names])
        kinship = np.maximum(kinship, _KIN * np.outer(of_all, of_all))
    return kinship


def _forms_of_names(query: Query) -> list[NDArray[np.uint32]]:
    """Return the hashes that each name in a question may be kept under."""
    forms = [np.unique(np.array((w.hash, *w.forms), np.uint32)) for w in query.words]
    return [of_one for of_one in forms if is_among(of_one, query.name_terms).any()]


def _read(text: str, asked_in: str | None) -> NDArray[np.uint32]:
    """Return the hashes of a text's words; the question's language is that of one too short."""
    if asked_in in (None, ENGLISH) or _language_of(text) is not None or UNSPACED_ONE.search(text):
        return _terms(text)
    return _terms_in(text, asked_in)


@lru_cache(maxsize=4096)
def _terms_in(text: str, language: str) -> NDArray[np.uint32]:
    """Return the hashes of a text's words in a language that it does not tell itself."""
    return hash_terms_in(text, language)


@lru_cache(maxsize=4096)
def _terms(text: str) -> NDArray[np.uint32]:
    """Return the hashes of a text's words; the same few texts answer most questions of a bank."""
    return hash_terms(text)


@lru_cache(maxsize=4096)
def _language_of(text: str) -> str | None:
    """Return the language of a text by its beginning; the same few answer most questions."""
    return language_of(text[:_TELLING])


@cache
def _units() -> NDArray[np.uint32]:
    """Return the hashes of units of time, of which all things have some, ascending: "days"."""
    units = word_set("event_units")
    return each_once(np.concatenate([hash_terms(f"{unit} {unit}s") for unit in units]))


@cache
def _adverbs() -> NDArray[np.uint32]:
    """Return the hashes of adverbs, which are of no matter, ascending: "now", "again"."""
    # One by one: as a text they would be read as of one language or another.
    adverbs = word_set("flat_adverbs") | word_set("adverbs")
    return each_once(np.concatenate([hash_terms(word) for word in adverbs]))
