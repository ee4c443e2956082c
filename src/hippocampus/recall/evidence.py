"""
Evidence for and against a hit holding the answer, on scales that mean the same in every bank.

Evidence is a function of query and hit alone, not of the other candidates: a filter, another ``k``
or other cues change which hits there are, not the evidence of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Floats, Rows32
from hippocampus.encode.terms import hash_terms
from hippocampus.index.bank_index import BankIndex
from hippocampus.index.query import Query

_OWN: Final[Mapping[int, bool]] = {}
_TOLD: Final = {"matched": 3, "covered": 1}
"""Best turns that count: tokens hear what is told once more in other words, words do not. With one
turn a side the AUROC on LoCoMo is .787 by tokens, with three .82 (docs/adr/0010)."""


@np.errstate(invalid="ignore")  # see ``search``
def evidence(
    index: BankIndex, query: Query, rows: Rows32, subjects: Mapping[int, bool] = _OWN
) -> dict[str, Floats]:
    """
    Return the evidence of each row, name → shape (rows,).

    ``matched``: how well the question's words are matched by tokens of the row, a cosine, each
    word as heavy as it is rare. ``missing``: the information left unmatched, in nats a word: a
    rare word that is not there says more than a common one. ``covered`` and ``absent``: the same
    of words that are literally there, where there are no tokens. ``vector``: how near the meanings
    are, a cosine. ``other``: 1 where somebody else speaks than the question names, and not of them.
    ``subjects``: rows that are of somebody else than says them, as a ranking has it.
    """
    cues = index.cues.among(query.cues)
    out = {"other": _of_another(index, query, rows, subjects)}
    rarity = cues.lexical.rarity(query.terms) * _content(query)
    if cues.tokens is not None and query.tokens is not None and len(query.tokens):
        assert query.token_terms is not None, "tokens come with their terms"
        weight, words = _shared_out(rarity, query.token_terms)
        out |= _weighed("matched", "missing", cues.tokens.matches(query, rows), weight, words)
    elif "lexical" in query.cues and len(query.terms):
        there, places = spelled(cues.lexical.matches(query, rows) > 0, query)
        weight = rarity[places]
        out |= _weighed("covered", "absent", there, weight, int(np.count_nonzero(weight)))
    elif cues.signature is not None and query.keywords:
        weight = cues.signature.rarity(query)
        words = int(np.count_nonzero(weight))
        out |= _weighed("covered", "absent", cues.signature.matches(query, rows), weight, words)
    near = None if cues.vector is None else cues.vector.score(query, rows)
    return out if near is None else out | {"vector": near}


def rivalry(
    index: BankIndex, query: Query, contenders: Rows32, subjects: Mapping[int, bool] = _OWN
) -> float | None:
    """
    Return the lead in fit of others' words over those of the person asked about.

    "What did Ada paint?" where Tom painted nearly has an answer, and has none. The mean of
    ``matched`` of the three best of the others, less that of the three best of those whom the
    question names, a difference in [-1, 1]: what happened to somebody is told more than once, by
    them and in what follows. Where there are no tokens, ``covered`` of the best alone. None
    where the question names nobody who speaks, or all.
    """
    return compare_rivals([rivals(index, query, contenders, subjects)])


class Rivals(NamedTuple):
    """Fit of others' words and of those of the one asked about; and the evidence it is from."""

    by: str
    others: Floats
    """Of those whom the question does not name."""
    named: Floats
    """Of those whom it names."""


@np.errstate(invalid="ignore")
def rivals(
    index: BankIndex, query: Query, contenders: Rows32, subjects: Mapping[int, bool] = _OWN
) -> Rivals | None:
    """Return the fit of contenders, by whose they are; None where nobody is named, or told."""
    if not query.speakers or not len(contenders):
        return None
    shown = evidence(index, query, contenders, subjects)
    by = next((name for name in _TOLD if name in shown), None)
    if by is None:
        return None
    another = shown["other"] > 0
    return Rivals(by, shown[by][another], shown[by][~another])


def compare_rivals(found: Iterable[Rivals | None]) -> float | None:
    """Return the lead in fit of the others, of one bank or several; see ``rivalry``."""
    every = [one for one in found if one is not None]
    every = [one for one in every if one.by == every[0].by]
    if not any(len(one.others) for one in every):
        return None
    few = _TOLD[every[0].by]
    others, named = ([getattr(one, side) for one in every] for side in ("others", "named"))
    return _mean_of_best(np.concatenate(others), few) - _mean_of_best(np.concatenate(named), few)


def says_all(index: BankIndex, query: Query, rows: Rows32) -> NDArray[np.bool_]:
    """
    Return a mask of rows with every word of content of a query, in any form, shape (rows,).

    The name of somebody who speaks is also in what they say themselves.
    """
    there, places = spelled(index.cues.lexical.matches(query, rows) > 0, query)
    if query.speakers:
        names = hashes_of_names(query.speakers)
        own = _said_by_another(index, query, rows) == 0
        there[own] += [float(term in names) for term in query.terms[places].tolist()]
    if not len(places):
        return np.zeros(len(rows), np.bool_)
    held: NDArray[np.bool_] = np.all(there > 0, axis=1)
    return held


def _mean_of_best(fits: Floats, few: int) -> float:
    """Return the mean of the best few, 0 for each that is lacking."""
    return float(np.sort(fits)[::-1][:few].sum() / few)


def _content(question: Query) -> NDArray[np.bool_]:
    """Return a mask of the terms of content: neither function words nor names of speakers."""
    content: NDArray[np.bool_] = question.term_weights > 0
    if not question.speakers:
        return content
    # A speaker's name is in every turn of theirs; whose turn it is counts as ``other``.
    names = hashes_of_names(question.speakers)
    wanted = content & [term not in names for term in question.terms.tolist()]
    return wanted if wanted.any() else content


@lru_cache(maxsize=1024)
def hashes_of_names(names: frozenset[str]) -> frozenset[int]:
    """Return the hashes of the words of some names."""
    return frozenset(hash_terms(" ".join(names)).tolist())


def spelled(there: NDArray[np.bool_], query: Query) -> tuple[Floats, NDArray[np.intp]]:
    """Return a mask of words that rows have in any form, shape (rows, words); and their places."""
    weighs = np.flatnonzero(query.term_weights > 0)
    if query.variants:
        column = {place: at for at, place in enumerate(weighs.tolist())}
        for place, of in query.variants.items():
            if place in column and of in column:
                there[:, column[of]] |= there[:, column[place]]
        own = np.array([place not in query.variants for place in weighs.tolist()], np.bool_)
        there, weighs = there[:, own], weighs[own]
    return there.astype(np.float32), weighs


def _shared_out(rarity: Floats, token_terms: NDArray[np.int32]) -> tuple[Floats, int]:
    """Divide each word's weight among its tokens; return them, and how many words have any."""
    pieces = np.bincount(token_terms + 1, minlength=len(rarity) + 1)[1:]
    each = np.zeros(len(rarity) + 1, np.float32)  # the last is read by tokens of no word, -1
    np.divide(rarity, pieces, out=each[:-1], where=pieces > 0)
    return each[token_terms], int(np.count_nonzero(each))


def _weighed(
    matched: str, missing: str, matches: Floats, weight: Floats, words: int
) -> dict[str, Floats]:
    total = np.add.reduce(weight)
    if not total > 0:  # no token belongs to a word that counts: all of them count the same
        words = len(weight)
        weight, total = np.ones(words, np.float32), np.float32(words)
    share: Floats = matches @ (weight / total)
    return {matched: share, missing: total / np.float32(words) * (1 - share)}


def _of_another(
    index: BankIndex, question: Query, rows: Rows32, subjects: Mapping[int, bool]
) -> Floats:
    """Return 1 for rows that are of somebody else than the question names, shape (rows,)."""
    another = _said_by_another(index, question, rows)
    for row, theirs in subjects.items():
        another[rows == row] = not theirs
    return another


def _said_by_another(index: BankIndex, question: Query, rows: Rows32) -> Floats:
    if not question.speakers:
        return np.zeros(len(rows), np.float32)
    places = rows.astype(np.intp)
    another = index.columns.speaker.codes[places] >= 0  # a note, which nobody speaks, is for all
    for name in question.speakers:
        another &= ~index.columns.speaker.holds(name, places)
    return another.astype(np.float32)
