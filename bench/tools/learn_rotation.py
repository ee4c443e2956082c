"""
Learn the rotation of token signatures for a built-in embedder, and write it into the package.

From synthetic conversations only: no benchmark and no bank is looked at. Run again when the
embedder changes: a rotation belongs to it, as its vectors do.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.planes import into_planes
from hippocampus.core.records import Passage
from hippocampus.encode.embed import load_embedder
from hippocampus.encode.signature import BITS, Rotation
from hippocampus_bench.synthetic import generate

TURNS = 1500
HERE = Path(__file__).resolve().parents[2]


def learn_rotation(tokens: NDArray[np.float32], *, bits: int = BITS, seed: int = 0) -> Rotation:
    """Learn a rotation from token vectors, shape (n, token_dimension), n well over ``bits``."""
    sample = tokens.astype(np.float64)
    mean = sample.mean(axis=0)
    centred = sample - mean
    _, vectors = np.linalg.eigh(centred.T @ centred)
    principal = vectors[:, ::-1][:, :bits]
    flat = centred @ principal
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(bits, bits)))[0]
    for _ in range(30):
        signs = np.where(flat @ turn >= 0, 1.0, -1.0)
        left, _, right = np.linalg.svd(signs.T @ flat)
        turn = (left @ right).T
    return Rotation((principal @ turn).astype(np.float32), mean.astype(np.float32))


def main() -> None:
    embedder = load_embedder(*sys.argv[1:] or ["default"])
    assert embedder is not None, "name a model"
    turns = [
        f"{episode['speaker']}: {episode['text']}"
        for bank in generate(seed=11, conversations=12)["banks"]
        for episode in bank["episodes"]
    ]
    chosen = np.random.default_rng(0).permutation(len(turns))[:TURNS]
    embedded = embedder.embed([Passage(turns[i]) for i in sorted(chosen)])
    tokens = np.concatenate([e.tokens for e in embedded if e.tokens is not None])
    rotation = learn_rotation(tokens)
    target = HERE / "src/hippocampus/encode/rotations" / f"{embedder.fingerprint.name}.npz"
    target.parent.mkdir(exist_ok=True)
    np.savez(
        target,
        matrix=into_planes(rotation.matrix.astype(np.float16), 2),
        mean=rotation.mean.astype(np.float16),
    )
    print(f"{len(tokens)} tokens of {len(chosen)} turns; {target.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
