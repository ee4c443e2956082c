"""
Fit the confidence model on synthetic conversations and print what belongs in recall/confidence.py.

For every question of the generator, answerable or not, the first hits are labelled by whether
they are evidence; a logistic model per set of evidence is fitted on half of the conversations and
judged on the other half. Nothing here reads a benchmark.
"""

from __future__ import annotations

import argparse
from datetime import datetime
from pathlib import Path

import numpy as np

from hippocampus import Memory, Turn
from hippocampus.encode.embed import CachedEmbedder, load_embedder
from hippocampus.encode.signature import rotation_for
from hippocampus.evaluation.synthetic import generate
from hippocampus.index.allowed import make_filter
from hippocampus.recall.confidence import MODELS
from hippocampus.recall.search import search
from hippocampus.recall.understand import understand

DEPTH = 10
FOUND_OF_ANSWERABLE = 0.8
"""Of the questions whose evidence recall reaches, how many must count as found."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conversations", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cache", type=Path)
    given = parser.parse_args()
    embedder = load_embedder("default")
    assert embedder is not None, "the default is a model"
    if given.cache:
        embedder = CachedEmbedder(embedder, given.cache)
    banks = generate(given.seed, given.conversations)["banks"]
    hits, questions = gather(banks, embedder)
    for model in MODELS:
        report(model.evidence, hits, questions)


def gather(banks, embedder):
    """Return per hit (bank, question, evidence, relevant), and per question whether it has any."""
    hits: dict[str, list] = {"bank": [], "question": [], "relevant": []}
    answerable: list[bool] = []
    with Memory(":memory:", embedder=embedder) as memory:
        for number, data in enumerate(banks):
            bank = memory.bank(data["id"])
            bank.remember_many(
                Turn(
                    text=e["text"], speaker=e["speaker"], at=e["at"], session=e["session"],
                    metadata={"ref": e["id"]},
                )
                for e in data["episodes"]
            )  # fmt: skip
            refs = {e.id: e.metadata["ref"] for e in bank.episodes()}
            books = memory.ledger(bank.name)
            rows = [refs[row.id] for row in books.store.scan_episodes(books.bank)]
            index = bank._index()
            for asked in data["questions"]:
                question = understand(
                    asked["text"],
                    now=datetime.fromisoformat(asked["at"]),
                    embedded=embedder.embed_query(asked["text"]),
                    rotation=rotation_for(embedder.fingerprint),
                    speakers=index.columns.speakers(),
                )
                allowed = index.columns.mask(make_filter(timezone=memory.zone))
                found = search(
                    index, question, allowed, memory.config.fusion, frozenset(memory.cues)
                )
                place = len(answerable)
                answerable.append(bool(asked["gold"]))
                for hit in range(min(DEPTH, len(found.rows))):
                    hits["bank"].append(number)
                    hits["question"].append(place)
                    hits["relevant"].append(rows[found.rows[hit]] in asked["gold"])
                    for name, values in found.evidence.items():
                        hits.setdefault(name, []).append(values[hit])
    return {name: np.array(values) for name, values in hits.items()}, np.array(answerable)


def report(needed, hits, answerable) -> None:
    """Fit on the first hits of half the conversations; judge "found" on the other half's."""
    evidence = np.column_stack([np.ones(len(hits["bank"])), *(hits[n] for n in needed)])
    questions, first = np.unique(hits["question"], return_index=True)
    reached = np.zeros(len(answerable), np.bool_)
    np.logical_or.at(reached, hits["question"], hits["relevant"])
    # A question whose evidence recall misses teaches nothing about what evidence looks like.
    telling = (reached | ~answerable)[questions]
    train = (hits["bank"][first] % 2 == 0) & telling
    weights = fit(evidence[first[train]], reached[questions[train]].astype(float))
    sure = 1 / (1 + np.exp(-evidence @ weights))
    best = np.zeros(len(answerable))
    np.maximum.at(best, hits["question"], sure)
    test = questions[(hits["bank"][first] % 2 == 1) & telling]
    good = reached[test]
    threshold = float(np.quantile(best[test][good], 1 - FOUND_OF_ANSWERABLE))
    print(f"({needed}, {tuple(round(float(w), 2) for w in weights)}, {threshold:.2f}),")
    print(f"  AUROC of a question having an answer {auroc(best[test], good):.3f};", end=" ")
    print(f"found: {(best[test][good] >= threshold).mean():.2f} of those with one,", end=" ")
    print(f"{(best[test][~good] >= threshold).mean():.2f} of those without")


def fit(evidence, relevant, *, ridge: float = 1e-3, steps: int = 50):
    """Return logistic regression weights by Newton's method."""
    weights = np.zeros(evidence.shape[1])
    for _ in range(steps):
        p = 1 / (1 + np.exp(-evidence @ weights))
        slope = evidence.T @ (p - relevant) + ridge * weights
        curve = (evidence * (p * (1 - p))[:, None]).T @ evidence
        step = np.linalg.solve(curve + ridge * np.eye(len(weights)), slope)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def auroc(scores, labels) -> float:
    order = np.argsort(np.argsort(scores)) + 1
    good = labels.sum()
    return float((order[labels].sum() - good * (good + 1) / 2) / (good * (~labels).sum()))


if __name__ == "__main__":
    main()
