"""Write the table of the byte-pair vocabulary from the library, or with --check compare it."""

from __future__ import annotations

import sys
from itertools import pairwise, takewhile

import numpy as np
from rs_bpe.bpe import openai

from hippocampus.encode.byte_pairs import SIZE, TABLE_FILE


def _same(one: bytes, other: bytes) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def table() -> bytes:
    """Return all tokens in order of their bytes, as ``byte_pairs.read_table`` takes them."""
    spell = openai.o200k_base().bpe().decode_tokens
    tokens = sorted((bytes(spell([token])), token) for token in range(SIZE))
    pieces = [b"", *(piece for piece, _ in tokens)]
    shared = [_same(*pair) for pair in pairwise(pieces)]
    added = [piece[known:] for piece, known in zip(pieces[1:], shared, strict=True)]
    ids = np.array([token for _, token in tokens], "<u4").view(np.uint8).reshape(-1, 4)
    return b"".join([bytes(shared), bytes(map(len, added)), ids[:, :3].T.tobytes(), *added])


def main() -> None:
    """Rewrite the table, or fail where it differs."""
    fresh = table()
    if "--check" not in sys.argv[1:]:
        TABLE_FILE.write_bytes(fresh)
    elif not TABLE_FILE.exists() or TABLE_FILE.read_bytes() != fresh:
        sys.exit(f"{TABLE_FILE.name} is out of date: run 'python bench/tools/build_vocabulary.py'")


if __name__ == "__main__":
    main()
