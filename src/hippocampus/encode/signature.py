"""
Signatures of contextual token vectors: one bit a direction.

A rotation turns a token vector so that its signs lose least (iterative quantisation: Y. Gong and
S. Lazebnik, CVPR 2011); the signs are kept, 32 bytes a token at 256 bits. Questions stay real
numbers: the estimate of a cosine is real against sign. The rotation belongs to the embedder, is
learned on synthetic text, never on a bank's own, and is therefore part of the fingerprint.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from importlib.resources import files
from math import gcd

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.decompress import load_arrays
from hippocampus.core.planes import from_planes
from hippocampus.core.records import Fingerprint
from hippocampus.kernel import sign_codes

BITS = 256
"""Bits a token. 256 lose half a point of recall against float vectors, 64 five points
(docs/adr/0004)."""

_AT_ONCE = 20, 32
"""Rows and columns multiplied at once: so few that BLAS stays on one thread. It wakes others for
more, and waits for them: 20 ms instead of 0.06 on a machine that is busy."""


@dataclass(frozen=True, eq=False)
class Rotation:
    """``matrix``: shape (token_dimension, bits), float32; ``mean``: shape (token_dimension,)."""

    matrix: NDArray[np.float32]
    mean: NDArray[np.float32]

    @property
    def bits(self) -> int:
        """Bits a token."""
        return int(self.matrix.shape[1])

    def project(self, tokens: NDArray[np.float32]) -> NDArray[np.float32]:
        """Rotate a question's token vectors, shape (n, bits), each of length 1."""
        turned = self._turn(tokens)
        lengths = np.sqrt(np.einsum("ij,ij->i", turned, turned))
        turned /= np.maximum(lengths, np.float32(1e-12))[:, None]
        return turned

    def _turn(self, tokens: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return token vectors as they are after the rotation, shape (n, bits)."""
        panels, rows = self._panels, _AT_ONCE[0]
        turned = np.empty((len(tokens), self.bits), np.float32)
        for row in range(0, len(tokens), rows):
            some = slice(row, row + rows)
            parts = np.matmul(tokens[some] - self.mean, panels)
            turned[some] = parts.transpose(1, 0, 2).reshape(-1, self.bits)
        return turned

    @cached_property
    def _panels(self) -> NDArray[np.float32]:
        """The matrix cut into columns that lie together, shape (panels, token_dimension, width)."""
        width = gcd(self.bits, _AT_ONCE[1])
        cut = self.matrix.reshape(len(self.matrix), -1, width).transpose(1, 0, 2)
        return np.ascontiguousarray(cut)

    def codes(self, tokens: NDArray[np.float32]) -> NDArray[np.uint8]:
        """Return the signatures of token vectors, shape (n, bits / 8)."""
        return sign_codes(self._turn(tokens))


def random_rotation(dimension: int, *, bits: int = BITS, seed: int = 0) -> Rotation:
    """Return random hyperplanes (DWM, Appendix F), for embedders nothing was learned for."""
    planes = np.random.default_rng(seed).normal(size=(dimension, bits)).astype(np.float32)
    return Rotation(planes, np.zeros(dimension, np.float32))


@lru_cache(maxsize=8)
def rotation_for(fingerprint: Fingerprint) -> Rotation | None:
    """Return the rotation of an embedder, or None when it gives no token vectors."""
    if not fingerprint.token_dimension:
        return None
    resource = files("hippocampus.encode") / "rotations" / f"{fingerprint.name}.npz"
    if resource.is_file():
        stored = load_arrays(resource.read_bytes())
        mean = stored["mean"].astype(np.float32)
        matrix = from_planes(stored["matrix"], np.float16).reshape(len(mean), -1)
        return Rotation(matrix.astype(np.float32), mean)
    # By its name, so that every process, and every version, turns alike.
    seed = int.from_bytes(blake2b(fingerprint.name.encode(), digest_size=4).digest(), "little")
    return random_rotation(fingerprint.token_dimension, seed=seed)
