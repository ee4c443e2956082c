"""
Print an embedder's calibration, and how well its confidence models judge what is new to them.

With the default embedder, what is printed belongs in ``BUILT_IN`` of calibrate/calibration.py,
``Cosines`` of config.py and ``MODELS`` of recall/confidence.py. Models are judged on the groups of
conversations that were left out when they were fitted. Nothing here reads a benchmark.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from hippocampus.calibrate.calibration import BUILT_IN
from hippocampus.calibrate.fit import balanced, learn_models
from hippocampus.calibrate.run import read_off
from hippocampus.calibrate.trial import run_trial
from hippocampus.encode.embed import load_embedder
from hippocampus_bench.cached_embedder import CachedEmbedder
from hippocampus_bench.metrics import area_under_roc
from hippocampus_bench.synthetic import UNANSWERABLE, calibration_data


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embedder", default="default")
    parser.add_argument("--conversations", type=int, default=BUILT_IN.conversations)
    parser.add_argument("--seed", type=int, default=BUILT_IN.seed)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--anew", action="store_true", help="weigh all evidence; takes 72 or so")
    given = parser.parse_args()
    embedder = load_embedder(given.embedder)
    assert embedder is not None, "name an embedder"
    if given.cache:
        embedder = CachedEmbedder(embedder, given.cache)
    trial = run_trial(embedder, calibration_data(given.seed, given.conversations))
    for found in read_off(trial, embedder).explain():
        print(f"{found.name:20} {found.value:7g} {found.default:7g}  {found.rule}")
    for learnt in learn_models(trial.asked, anew=given.anew):
        print(f"    {learnt.model},")
        report(learnt.unseen, learnt.model.found)


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
