"""
Redo DWM's tables 3 and 5 without a model: what signatures find, how fast, and how much they return.

    python bench/tools/signatures.py LOCOMO.json

Prints Markdown. Recall is of the turns that are cited as evidence, by the signature cue alone;
``tokens`` are those of the turns that hold at least one keyword, and that hold all of them.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from hippocampus.config import Signatures
from hippocampus.encode.indexing import radius, signatures
from hippocampus.encode.keywords import find_keywords
from hippocampus.encode.terms import hash_terms
from hippocampus.encode.tokens import encode
from hippocampus.evaluation import locomo
from hippocampus.evaluation.options import Options
from hippocampus.index.base import Cue, Question
from hippocampus.index.lexical import LexicalCue, pack_terms
from hippocampus.index.signature import SignatureCue
from hippocampus.model import Payloads
from hippocampus.recall.understand import signed

DEPTHS = (10, 20)
HEAD = "recall@10 | recall@20 | search, ms | tokens, any | tokens, all"


class Conversation:
    """The turns of one conversation, and its questions with the rows that answer them."""

    def __init__(self, case: locomo.Case) -> None:
        said = [one for step in case.steps for one in step.remember]
        rows = {one.key: row for row, one in enumerate(said)}
        self.texts = [one.turn.text for one in said]
        self.ids = [encode(text) for text in self.texts]
        self.lengths = np.array([len(own) for own in self.ids])
        self.asked = [
            (question.text, np.array(sorted(rows[key] for key in question.gold)))
            for step in case.steps
            for question in step.ask
            if question.answerable
        ]


def asked(text: str, how: Signatures | None) -> Question:
    """Return a question as both cues understand it: by its keywords."""
    words = find_keywords(text)
    terms = np.unique(hash_terms(" ".join(words)))
    return Question(
        text=text, now=datetime.now(UTC), terms=terms,
        term_weights=np.ones(len(terms), np.float32),
        keywords=() if how is None else signed(words, how),
    )  # fmt: skip


def trial(conversations: list[Conversation], how: Signatures | None) -> str:
    """Return a row of a table: signatures made so, or BM25 for None."""
    found: list[list[float]] = []
    took: list[float] = []
    tokens: list[tuple[int, int]] = []
    for talk in conversations:
        cue: Cue
        if how is None:
            cue = LexicalCue()
            cue.observe(Payloads.of([pack_terms(hash_terms(text)) for text in talk.texts]))
        else:
            cue = SignatureCue(how.bits, how.radius)
            cue.observe(Payloads.of([own.tobytes() for own in signatures(talk.ids, how)]))
        for text, gold in talk.asked:
            question = asked(text, how)
            start = time.perf_counter()
            rows = cue.propose(question, None, DEPTHS[-1])
            took.append(time.perf_counter() - start)
            found.append([float(np.isin(gold, rows[:depth]).mean()) for depth in DEPTHS])
            if isinstance(cue, SignatureCue):
                every = np.arange(len(cue), dtype=np.uint32)
                held = cue.matches(question, every) > 0
                some, whole = held.any(axis=1), held.all(axis=1)
                tokens.append((int(talk.lengths[some].sum()), int(talk.lengths[whole].sum())))
    first, second = 100 * np.mean(found, axis=0)
    returned = " | ".join(f"{n:.0f}" for n in np.mean(tokens, axis=0)) if tokens else " | "
    return f"{first:.1f} | {second:.1f} | {1e3 * float(np.mean(took)):.2f} | {returned}"


def tables(conversations: list[Conversation]) -> Iterator[str]:
    """Yield the lines of both tables."""
    yield f"| BM25 of the same words | {trial(conversations, None)} |"
    yield f"\n| form | W | t | D | d | r | {HEAD} |"
    yield "|---" * 11 + "|"
    plane, top = Signatures(bits=64), Signatures(form="top", bits=64, nonzeros=64)
    for base in (plane, top, replace(plane, bits=32), replace(top, bits=32, nonzeros=32)):
        for window in (0, 1, 2, 4):
            wide = [radius(math.acos((2 * window + 1) ** -0.5), base.bits)] if window else []
            for r in (0, 1, 2, 3, 4, 5, base.bits // 4, *wide):
                yield line(conversations, replace(base, window=window, radius=r))
    yield line(conversations, replace(top, nonzeros=8))
    yield f"\n| form | W | t | D | d | r | {HEAD} |"
    yield "|---" * 11 + "|"
    for form in ("top", "planes"):
        for window in (0, 1):
            for components in (256, 512, 1024, 2048):
                for bits in (16, 32, 64, 128):
                    yield line(
                        conversations,
                        Signatures(
                            form=form, window=window, components=components, bits=bits,
                            nonzeros=bits if form == "top" else 8,
                            radius=1 if not window else bits // 4,
                        ),
                    )  # fmt: skip


def line(conversations: list[Conversation], how: Signatures) -> str:
    """Return the row of one way to sign."""
    told = how.form, how.window, how.nonzeros, how.components, how.bits, how.radius
    return f"| {' | '.join(map(str, told))} | {trial(conversations, how)} |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="LoCoMo's file")
    dataset = locomo.load(parser.parse_args().data, Options())
    conversations = [Conversation(case) for case in dataset.cases]
    for text in tables(conversations):
        print(text, flush=True)


if __name__ == "__main__":
    main()
