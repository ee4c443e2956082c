"""
Fit the confidence models on synthetic conversations and print what belongs in recall/confidence.py.

Every conversation is remembered twice, in a bank of its own and in one with three others, where
more is there to be mistaken for an answer. What is reported, and the threshold of "found", comes
from models fitted on every second group of four and judged on the others; what is printed to be
used is fitted on all. Nothing here reads a benchmark.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from hippocampus import Memory, Turn
from hippocampus.encode.embed import CachedEmbedder, load_embedder
from hippocampus.encode.signature import rotation_for
from hippocampus.evaluation.metrics import area_under_roc
from hippocampus.calibrate.synthetic import UNANSWERABLE, generate
from hippocampus.index.allowed import make_filter
from hippocampus.recall.confidence import DEPTH, MODELS, Model, confidence
from hippocampus.recall.evidence import evidence
from hippocampus.recall.search import search
from hippocampus.recall.understand import understand

TURNED_DOWN = 5 / 6
"""Of the questions without an answer, how many must count as not found."""
POOL = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conversations", type=int, default=36)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cache", type=Path)
    given = parser.parse_args()
    embedder = load_embedder("default")
    assert embedder is not None, "the default is a model"
    if given.cache:
        embedder = CachedEmbedder(embedder, given.cache)
    asked = gather(generate(given.seed, given.conversations)["banks"], embedder)
    # A question whose evidence recall misses teaches nothing about what evidence looks like.
    asked = [one for one in asked if one.relevant.any() or not one.answerable]
    halves = [[one for one in asked if one.group % 2 == half] for half in (0, 1)]
    for model in MODELS:
        unseen = [
            (one, judge(one, fitted))
            for learnt, other in (halves, halves[::-1])
            for fitted in [fit(learnt, model.evidence)]
            for one in other
        ]
        none = [judged.sure for one, judged in unseen if not one.answerable]
        found = round(float(np.quantile(none, TURNED_DOWN)), 2)
        print(f"    {fit(asked, model.evidence)._replace(found=found)},")
        report(unseen, found)


# ---------------------------------------------------------------- what there is to learn from


@dataclass(frozen=True)
class Asked:
    """A question's first hits: which are relevant, and what is known of each."""

    group: int
    kind: str
    answerable: bool
    relevant: np.ndarray
    known: dict[str, np.ndarray]

    def table(self, names: tuple[str, ...]) -> np.ndarray:
        """Return a row for each hit: one, and its evidence."""
        ones = np.ones(len(self.relevant))
        return np.column_stack([ones, *(self.known[name] for name in names)])


def gather(banks, embedder) -> list[Asked]:
    """Ask every question of both banks its conversation is in."""
    asked: list[Asked] = []
    with Memory(":memory:", embedder=embedder) as memory:
        for start in range(0, len(banks), POOL):
            pool = banks[start : start + POOL]
            for together in [*([one] for one in pool), pool]:
                asked += ask(memory, together, start // POOL)
    return asked


def ask(memory, pool, group: int) -> Iterator[Asked]:
    """Remember conversations in one bank and ask what only one of them can answer."""
    bank = memory.bank("+".join(data["id"] for data in pool))
    bank.remember_many(
        Turn(
            text=e["text"], speaker=e["speaker"], role=e["role"], at=e["at"],
            session=f"{data['id']}/{e['session']}", metadata={"ref": f"{data['id']}/{e['id']}"},
        )
        for data in pool for e in data["episodes"]
    )  # fmt: skip
    books = memory.ledger(bank.name)
    refs = {e.id: e.metadata["ref"] for e in bank.episodes()}
    rows = [refs[row.id] for row in books.store.scan_episodes(books.bank)]
    index = bank._index()
    allowed = index.columns.mask(make_filter(timezone=memory.zone))
    cues = frozenset(memory.cues)
    people = [{e["speaker"] for e in data["episodes"]} for data in pool]
    met = Counter(name for names in people for name in names)
    for data, names in zip(pool, people, strict=True):
        if any(met[name] > 1 for name in names):
            continue  # two of one name, or two who say "I", would make questions ambiguous
        for question in data["questions"]:
            embedded = memory.embedder.embed_query(question["text"])
            understood = understand(
                question["text"],
                now=datetime.fromisoformat(question["at"]),
                embedded=embedded,
                rotation=rotation_for(memory.embedder.fingerprint),
                speakers=index.columns.speakers(),
            )
            ranking = search(index, understood, allowed, memory.config.fusion, cues, DEPTH)
            found, said = ranking.rows, ranking.said
            gold = {f"{data['id']}/{ref}" for ref in question["gold"]}
            yield Asked(
                group,
                question["kind"],
                bool(gold),
                np.array([rows[row] in gold for row in found]),
                evidence(index, understood, found, said)
                | evidence(
                    index, understood, found, {n: s for n, s in said.items() if n != "tokens"}
                ),
            )


# ---------------------------------------------------------------- learning


def fit(asked: list[Asked], names: tuple[str, ...]) -> Model:
    """
    Fit on whether a question is answered, by the hit that looks most like an answer.

    Which one that is depends on the weights: so fit, choose again, until it stays.
    """
    tables = [one.table(names) for one in asked]
    answered = np.array([one.answerable for one in asked], float)
    even = balanced(answered)
    best = np.zeros(len(asked), int)
    for _ in range(20):
        chosen = np.array([table[row] for table, row in zip(tables, best, strict=True)])
        weights = logistic(chosen, answered, even)
        before, best = best, np.array([int(np.argmax(table @ weights)) for table in tables])
        if (before == best).all():
            break
    odds = np.concatenate([table @ weights for table in tables])
    ranks = np.concatenate([np.log(np.arange(1, len(table) + 1)) for table in tables])
    relevant = np.concatenate([one.relevant for one in asked]).astype(float)
    each = np.repeat(even, [len(table) for table in tables])
    hit = logistic(np.column_stack([np.ones(len(odds)), odds, -ranks]), relevant, each)
    rounded = [tuple(round(float(w), 2) for w in part) for part in (weights, hit)]
    return Model(names, rounded[0], rounded[1], 0.5)


def balanced(answered: np.ndarray) -> np.ndarray:
    """Return weights that make questions with and without an answer count the same."""
    share = answered.mean()
    return np.where(answered > 0, 0.5 / share, 0.5 / (1 - share))


def logistic(evidence, labels, weights, *, ridge: float = 1e-2, steps: int = 50):
    """Return logistic regression weights by Newton's method."""
    fitted = np.zeros(evidence.shape[1])
    for _ in range(steps):
        p = 1 / (1 + np.exp(-evidence @ fitted))
        slope = evidence.T @ (weights * (p - labels)) + ridge * fitted
        curve = (evidence * (weights * p * (1 - p))[:, None]).T @ evidence
        step = np.linalg.solve(curve + ridge * np.eye(len(fitted)), slope)
        fitted -= step
        if np.abs(step).max() < 1e-8:
            break
    return fitted


# ---------------------------------------------------------------- judging


def judge(one: Asked, model: Model):
    return confidence(one.known, len(one.relevant), models=[model])


def report(unseen, threshold: float) -> None:
    """Print how well questions, and hits, were judged by models that had not seen them."""
    asked, judged = zip(*unseen, strict=True)
    sure = np.array([one.sure for one in judged])
    kinds = np.array([one.kind for one in asked])
    answered = np.array([one.answerable for one in asked])
    auroc = area_under_roc(sure[answered], sure[~answered])
    print(f"      AUROC {auroc:.3f}, found {(sure[answered] >= threshold).mean():.2f}", end="")
    for kind in UNANSWERABLE:
        of = sure[kinds == kind]
        auroc = area_under_roc(sure[answered], of)
        print(f"; {kind} {auroc:.3f}, found {(of >= threshold).mean():.2f}", end="")
    even = balanced(answered.astype(float))
    each = np.repeat(even, [len(one.relevant) for one in asked])
    scores = np.concatenate([one.scores for one in judged])
    relevant = np.concatenate([one.relevant for one in asked])
    print("\n      any answer: ", calibration(sure, answered, even))
    print("      a hit:      ", calibration(scores, relevant, each))


def calibration(said: np.ndarray, held: np.ndarray, weights: np.ndarray) -> str:
    """Return the expected calibration error, and what held of what was said, by tenths."""
    tenth = np.minimum((said * 10).astype(int), 9)
    error, cells = 0.0, []
    for place in np.unique(tenth):
        here = tenth == place
        true, stated = (np.average(x[here], weights=weights[here]) for x in (held, said))
        error += abs(true - stated) * weights[here].sum() / weights.sum()
        cells.append(f"{stated:.2f}→{true:.2f}")
    return f"ECE {error:.3f}: " + " ".join(cells)


if __name__ == "__main__":
    main()
