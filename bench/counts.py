"""
What does counting or finding a word cost, by size of the bank, when equally many texts hold it?

Banks of synthetic turns grow around the same few that hold a planted word. Beside the wavelet
matrices stand the two other ways to be exact: to decode and search every text, and to have the
words index (BM25's postings, by stem) name the texts to decode. The latter knows no punctuation,
no emoji and nothing after an apostrophe, and needs the index in memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np

from bench.measure import Row, both_ms, repeated, seconds
from hippocampus import Memory, Turn
from hippocampus.encode.terms import hash_terms
from hippocampus.encode.token_matcher import TokenPattern, _fold_vocabulary
from hippocampus.index.bm25 import Bm25Cue
from hippocampus_bench.synthetic import generate

SEED = 3
LONGEST = 400
"""Characters of a text that is drawn from; two of them are still not cut in parts."""
HELD = 20
"""How many texts hold ``PLANTED``, in a bank of any size."""
PLANTED = "quokka"
ASKED = {
    PLANTED: f"in {HELD} texts",
    "wombat": "in 1 of 100 texts",
    "aardvark": "in none",
    "saw a wombat": "a phrase, in 1 of 100 texts",
    "the": "in every second text",
}
ROUNDS = 5
ONCE_SCANNED = 3
"""Rounds of decoding every text, which takes seconds."""


def run(_workshop: object = None, *, quick: bool = False) -> Iterator[Row]:
    """Yield the rows of every size."""
    yield Row(name="counting, first of a process", value=first_ms(), unit="ms", note="once")
    with TemporaryDirectory(prefix="hippocampus-bench-") as folder:
        for count in (10_000, 50_000) if quick else (10_000, 50_000, 200_000):
            yield from measure(Path(folder) / f"{count}.db", count)


def first_ms() -> float:
    """Return how long reading the vocabulary takes, which the first count of a process pays."""
    _fold_vocabulary.cache_clear()
    return seconds(_fold_vocabulary) * 1e3


def turns(count: int) -> Iterator[Turn]:
    """Yield turns of a synthetic bank; a few hold the planted words."""
    texts = (e["text"] for bank in generate(SEED, 12)["banks"] for e in bank["episodes"])
    made = [text for text in texts if len(text) <= LONGEST]
    rng = Random(SEED)
    for place in range(count):
        text = f"{rng.choice(made)} {rng.choice(made)} {place}"
        text += f" {PLANTED.title()}!" if place % (count // HELD) == 7 else ""
        text += " We saw a wombat." if place % 100 == 50 else ""
        yield Turn(text=text, at="2024-01-01")


def measure(path: Path, count: int) -> Iterator[Row]:
    """Yield the rows of one size."""
    with Memory(path, embedder="none") as memory:
        bank = memory.bank("b")
        bank.remember_many(turns(count))
        every, size = np.arange(count), f"{count // 1000} k"
        content = memory.engine.ledger("b").reader.content
        lexical = bank.state.take().index.cues.lexical
        assert isinstance(lexical, Bm25Cue), "it is the words index"

        def named(term: str) -> int:
            terms = hash_terms(term)
            held = lexical._index.contributions(terms, every.astype(np.uint32), 1.2, 0.75) > 0
            texts = content.texts(np.flatnonzero(held.all(axis=1)).tolist())
            return sum(map(TokenPattern(term).count, (text for text, _ in texts.values())))

        def scanned(term: str) -> int:
            found = re.compile(rf"(?<!\w){re.escape(term)}(?!\w)").findall
            return sum(len(found(text.casefold())) for text, _ in content.texts(every).values())

        for term, what in ASKED.items():
            ways: tuple[Callable[[str], int], ...] = (bank.count, named, scanned)
            counts = {way(term) for way in ways}
            assert len(counts) == 1, f"{term}: the ways to count it disagree, {counts}"
            by_words, by_scan = (
                float(np.median([seconds(way, term) for _ in range(rounds)])) * 1e3
                for way, rounds in ((named, ROUNDS), (scanned, ONCE_SCANNED))
            )
            yield repeated(
                f"count, {size}, {what}", "ms", partial(both_ms, bank.count, term), ROUNDS,
                baseline=by_scan,
                note=f"baseline every text decoded and searched; by the words index {by_words:.3g}",
            )  # fmt: skip
        for terms in ((PLANTED,), ("the",), ("the", PLANTED)):
            find = partial(both_ms, partial(bank.find, limit=20), *terms)
            name = f"find, {size}, {' and '.join(terms)}"
            yield repeated(name, "ms", find, ROUNDS, note="the first 20 read")
        week = partial(both_ms, bank.trend, "wombat")
        yield repeated(f"trend, {size}, in 1 of 100 texts", "ms", week, ROUNDS)
