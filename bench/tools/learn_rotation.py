"""
Learn the rotation of token signatures for the default embedder, and write it into the package.

From synthetic conversations only: no benchmark and no bank is looked at. Run again when the
embedder changes: a rotation belongs to it, as its vectors do.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hippocampus.calibrate.synthetic import generate
from hippocampus.core.records import Passage
from hippocampus.encode.embed import load_embedder
from hippocampus.encode.signature import learn_rotation

TURNS = 1500
HERE = Path(__file__).resolve().parents[2]


def main() -> None:
    embedder = load_embedder("default")
    assert embedder is not None, "the default is a model"
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
        matrix=rotation.matrix.astype(np.float16),
        mean=rotation.mean.astype(np.float16),
    )
    print(f"{len(tokens)} tokens of {len(chosen)} turns; {target.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
