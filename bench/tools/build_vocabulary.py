"""Write the table of the byte-pair vocabulary from the library, or with --check compare it."""

from __future__ import annotations

import sys
from itertools import pairwise, takewhile

import numpy as np
from rs_bpe.bpe import openai

from hippocampus.core.planes import into_planes
from hippocampus.encode.byte_pairs import SIZE, TABLE_FILE


def _same(one: bytes, other: bytes) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _word(token: bytes) -> tuple[bytes, int]:
    """Return the word of a token, and the bits of its form (``BytePairs``)."""
    form = 0
    if token[:1] == b" " and len(token) > 1:
        token, form = token[1:], 1
    if token[:1].isupper():
        token, form = token[:1].lower() + token[1:], form | 2
    return token, form


def table() -> bytes:
    """Return all tokens in order of their words, as ``byte_pairs.read_table`` takes them."""
    spell = openai.o200k_base().bpe().decode_tokens
    tokens = sorted((*_word(bytes(spell([token]))), token) for token in range(SIZE))
    words = [b"", *(word for word, _, _ in tokens)]
    shared = [_same(*pair) for pair in pairwise(words)]
    added = [word[known:] for word, known in zip(words[1:], shared, strict=True)]
    most = max(*shared, *map(len, added))
    assert most < 0x80, f"a word of {most} bytes leaves no bit for its form"
    forms = [form for _, form, _ in tokens]
    heads = [
        bytes(known | (form & 1) << 7 for known, form in zip(shared, forms, strict=True)),
        bytes(len(more) | form >> 1 << 7 for more, form in zip(added, forms, strict=True)),
        into_planes(np.array([token for *_, token in tokens], np.uint32), 3).tobytes(),
    ]
    return b"".join([*heads, *added])


def main() -> None:
    """Rewrite the table, or fail where it differs."""
    fresh = table()
    if "--check" not in sys.argv[1:]:
        TABLE_FILE.write_bytes(fresh)
    elif not TABLE_FILE.exists() or TABLE_FILE.read_bytes() != fresh:
        sys.exit(f"{TABLE_FILE.name} is out of date: run 'python bench/tools/build_vocabulary.py'")


if __name__ == "__main__":
    main()
